# SPDX-License-Identifier: Apache-2.0
"""The commands as functions: train, path, margin, kernel, cones, geometry, flow, check.

X is an array, a Data object, or a text such as "data.csv" or "gen:circle,n=8"; options are those of the command line
with underscores. `seed`, `threads`, `time_limit` (seconds), `memory` (GB) and `progress` (a function of a Progress record that may
return False to stop, or True for a bar by tqdm) are common to all.
"""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
import subprocess
import tempfile
from typing import Any, Sequence

import numpy as np

from fathom_relu import program

from . import _declarations as api
from . import _options as tables
from . import results
from ._context import Context, check_files, encode_path
from ._job import Job, Plain, score, score_test
from ._library import lib
from ._signatures import complete
from ._types import Array, Listener, Path, Table
from .data import as_data
from .errors import CertificateError, InputError, RunError, UsageError
from .model import Model


def _files(X, values, certificate=None):
    """The files of a call: the source, those that options name, and what may be written beside a certificate."""
    if isinstance(X, (str, os.PathLike)):
        yield os.fspath(X), "X", api.FATHOM_FILE_READ
    for part in values:
        yield from part if isinstance(part, list) else part[0].files(part[1])
    if certificate is not None:
        for ending in (".csv", ".svm", ".npy", ".labels.npy"):
            yield os.fspath(certificate) + ending, "the data beside the certificate", api.FATHOM_FILE_BESIDE


def _outputs(**paths):
    """Files that keywords of a function name, beside those of option tables."""
    return [(os.fspath(path), name, api.FATHOM_FILE_WRITE) for name, path in paths.items() if path is not None]


def _one_penalty(values):
    """beta and beta_rel say what the penalty is: one of them."""
    if values.get("beta") is not None and values.get("beta_rel") is not None:
        raise UsageError("beta and beta_rel both say what the penalty is: give one of them")


def _prepare(X, run, values, certificate=None):
    """The context of this call, once its inputs and outputs are known to be different files."""
    if run.get("progress") is True:
        run = {**run, "progress": _bar()}
    if hasattr(X, "context"):
        context = X.context
        context.configure(**run)
    else:
        context = Context(**run)
    check_files(context, _files(X, values, certificate))
    return context


def _open(X, y, sample_weight, run, data_options, *values):
    """Data in a context configured for this call; values: (table, options) of what else the call was given."""
    context = _prepare(X, run, [(tables.DATA, data_options), *values])
    if hasattr(X, "context"):
        return as_data(X, y, sample_weight, **data_options)
    return as_data(X, y, sample_weight, context=context, **data_options)


def _start(X, y, sample_weight, run, data_options, *values, certificate=None, verify=False):
    """The job of a call: its data and, where a proof is asked for, the file that it will be about."""
    if certificate is None and not verify:
        return Plain(_open(X, y, sample_weight, run, data_options, *values))
    if hasattr(X, "context"):
        raise TypeError("a proof is about a file: give the arrays or the file, not Data")
    context = _prepare(X, run, [(tables.DATA, data_options), *values], certificate)
    return Job(context, X, y, sample_weight, data_options, certificate, verify)


def _bar():
    """A listener that shows a tqdm bar of iterations with value and bound."""
    from tqdm.auto import tqdm

    bar = tqdm(unit=" iterations")

    def listen(record):
        bar.set_description(record.stage)
        bar.set_postfix(value=f"{record.value:.6g}", bound=f"{record.bound:.6g}")
        bar.update(max(0, record.iteration - bar.n))

    return listen


def _plain(struct, words=None, skip=()):
    """The fields of a result struct that are numbers or texts, by name; `words` turns enumerations into texts."""
    out = {}
    for name, *_ in struct._fields_:
        value = getattr(struct, name)
        if name in skip:
            continue
        if words and name in words:
            value = words[name](value)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if isinstance(value, (bool, int, float, str)) or value is None:
            out[name] = value
        elif isinstance(value, ctypes.Structure):
            out[name] = _plain(value)
        elif isinstance(value, ctypes.Array):
            out[name] = np.array(value)
    return out


def _vector(pointer, count):
    return np.ctypeslib.as_array(pointer, (count,)).copy() if pointer and count else None


_LOSSES = {name: getattr(api, "FATHOM_LOSS_" + name.upper())
           for name in ("squared", "logistic", "exponential", "hinge", "softmax", "huber", "absolute", "quantile")}
_VERDICT = [False, True, None]  # -1, the last: undecided
_END = ["reached", "stalled", "time", "interrupted"]


def _train_words():
    return {"status": lambda v: lib.fathom_train_status_text(v).decode(),
            "bound": lambda v: lib.fathom_train_bound_text(v).decode(), "end": _END.__getitem__,
            "kind": lambda v: lib.fathom_loss_name(v).decode()}


def _take_model(result, data):
    """The model of a training result, which loses its network to it; names of classes that were texts are kept."""
    handle = ctypes.POINTER(api.fathom_model)()
    context = data.context
    if not result.net:
        return None
    if data.names is None or result.kind == api.FATHOM_LOSS_SQUARED:
        context.call(lib.fathom_train_make_model, ctypes.byref(handle), context.handle, ctypes.byref(result), data.handle)
    else:
        count = len(data.names)
        names = (ctypes.c_char_p * count)(*(name.encode() for name in data.names))
        values = (ctypes.c_double * count)(*range(count))
        # Declared as `const char *const *`: ctypes wants the plain pointer type.
        classes = api.fathom_classes(count, ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p)),
                                     ctypes.cast(values, ctypes.POINTER(ctypes.c_double)))
        preprocess = lib.fathom_data_preprocess(data.handle)
        context.call(lib.fathom_model_create, ctypes.byref(handle), context.handle, result.net, result.kind,
                     ctypes.byref(preprocess), ctypes.byref(classes))
        result.net = None
    return Model(handle, context)


def _json(context, fill):
    """What `fill` sets in a JSON object, as Python values."""
    handle, text = ctypes.POINTER(api.fathom_json)(), ctypes.c_char_p()
    context.call(lib.fathom_json_create, ctypes.byref(handle), context.handle)
    try:
        fill(handle)
        context.call(lib.fathom_json_text, ctypes.byref(text), handle, False)
        try:
            return json.loads(text.value.decode())
        finally:
            lib.fathom_json_text_free(handle, text)
    finally:
        lib.fathom_json_free(handle)


def _dual(result, data, chosen):
    """The dual point of a training result, also written to the file that save_dual names, and the table of its conditions."""
    context, summary = data.context, api.fathom_train_kkt()
    proof = result.proof.contents
    v = np.empty((proof.n, proof.outputs))
    asked = context.handle, ctypes.byref(result)
    context.call(lib.fathom_train_get_dual, v.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), *asked, ctypes.byref(chosen))
    context.call(lib.fathom_train_write_dual, ctypes.byref(result), context.handle, ctypes.byref(chosen), chosen.save_dual)
    kkt = _json(context, lambda object: context.call(lib.fathom_train_set_kkt, ctypes.byref(summary), object, *asked,
                                                     data.handle, ctypes.byref(chosen)))
    return {"dual": v[:, 0] if proof.outputs == 1 else v, "kkt": kkt}


def _line(result, data, chosen):
    """What the line adds: all minimisers (interpolation, squared loss, hinge), sign changes, kinks and support points of classifiers."""
    context, more = data.context, {}
    if chosen.loss in (api.FATHOM_TRAIN_LOGISTIC, api.FATHOM_TRAIN_HINGE):
        facts = api.fathom_line_classifier()
        more = {"classifier": _json(context, lambda object: context.call(
            lib.fathom_line_classifier_set, ctypes.byref(facts), object, context.handle, result.net, data.handle, result.kind))}
    if result.kind not in (api.FATHOM_LOSS_SQUARED, api.FATHOM_LOSS_HINGE):
        return more
    found = api.fathom_minimisers()
    if chosen.loss == api.FATHOM_TRAIN_EQUALITY:
        context.call(lib.fathom_minimisers_compute, ctypes.byref(found), context.handle, data.handle, 1000)
    elif lib.fathom_data_look(data.handle).n <= 200:
        context.call(lib.fathom_minimisers_compute_at, ctypes.byref(found), context.handle, data.handle, ctypes.byref(chosen),
                     result.beta, 1000)
    try:
        if not (found.applies and found.exists):
            return more
        outputs = {"values": _vector(found.values, 3 * found.places).reshape(-1, 3)} if found.places else {}
        if found.places and not found.fixed:
            return more | {"minimisers": outputs | {"unique": False}}
        values = _plain(found, skip=("applies", "exists", "free", "free_kept", "free_count", "places", "fixed", "values")) | outputs
        free = _vector(found.free, 4 * found.free_kept)
        return more | {"minimisers": values | {"free_intervals": found.free_count,
                                        "free": np.empty((0, 4)) if free is None else free.reshape(-1, 4)}}
    finally:
        lib.fathom_minimisers_clear(ctypes.byref(found), context.handle)


def _train_result(result, data, **more):
    values = _plain(result, _train_words(), skip=("net",)) | more
    values["model"] = _take_model(result, data)
    return results.TrainResult(values, data.context.course)


def train(X: Table, y: Array | None = None, sample_weight: Array | None = None, *, seed: int = 1, threads: int = 0,
          time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
          **options: Any) -> results.TrainResult:
    """Fits a two-layer network by convex optimisation, with a bound on its distance from the optimum.

    Returns
    -------
    TrainResult
        the network `model`, its `objective`, the `lower_bound` of every network of the class, and more

    Examples
    --------
    >>> fit = train("gen:gauss,n=40,d=3,target=teacher", model="gated", gates=50)
    >>> fit.lower_bound <= fit.objective
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.TRAIN, tables.DATA)
    _one_penalty(own)
    result = api.fathom_train_result()
    with _start(X, y, sample_weight, run, data_options, (tables.TRAIN, own), certificate=own.get("certificate"),
                verify=own.get("verify")) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen = tables.TRAIN.make(context, own)
            try:
                context.call(lib.fathom_train, ctypes.byref(result), context.handle, data.handle, None, ctypes.byref(chosen))
                course = context.course
                job.prove(lib.fathom_job_prove_train, ctypes.byref(result), 1, ctypes.byref(chosen))
                more = _dual(result, data, chosen) if own.get("save_dual") is not None else {}
                more |= _line(result, data, chosen) if result.method == b"line" else {}
                out = _train_result(result, data, **more)
                out.course = course
                _score_all(out, data, own, data_options)
            finally:
                lib.fathom_train_result_clear(ctypes.byref(result))
            return job.finish(out)


def _score_all(out, data, own, data_options):
    """Scores of a result's model on its data, and on the test set that the options name."""
    out.update(score=score(out.model, data))
    if own.get("test") is not None:
        if out.model is None:
            raise UsageError("test: there is no network to score")
        out.update(test_score=score_test(out.model, own["test"], own.get("test_rows"), data_options))


def fit(X: Table, y: Array | None = None, sample_weight: Array | None = None, *, seed: int = 1, threads: int = 0,
        time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
        **options: Any) -> results.FitResult:
    """Chooses a penalty by cross-validation, trains on all rows with a bound, says what to expect.

    Columns are standardised and have a bias, unless `normalize` and `bias` say otherwise.

    Returns
    -------
    FitResult
        the network `model`, its cross-validated scores `cv` beside those of `rivals`, and more

    Examples
    --------
    >>> found = fit("builtin:iris", time=0)
    >>> found.task, found.cv["accuracy"] > 0.9
    ('multiclass', True)
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.FIT, tables.DATA)
    data_options = {"missing": "impute", "normalize": "standardize", "bias": "free"} | data_options
    result = api.fathom_fit_result()
    with _start(X, y, sample_weight, run, data_options, (tables.FIT, own), certificate=own.get("certificate"),
                verify=own.get("verify")) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen = tables.FIT.make(context, own)
            if "bias" not in options:
                context.call(lib.fathom_fit_set_bias, context.handle, data.handle, ctypes.byref(chosen))
            try:
                context.call(lib.fathom_fit, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
                course = context.course
                trained = api.fathom_train_options()
                lib.fathom_fit_train_options(ctypes.byref(trained), ctypes.byref(result), ctypes.byref(chosen))
                job.set_bias(lib.fathom_data_preprocess(data.handle).bias)
                job.prove(lib.fathom_job_prove_train, ctypes.byref(result.train), 1, ctypes.byref(trained))
                values = _json(context, lambda object: context.call(lib.fathom_fit_set, object, ctypes.byref(result), data.handle))
                values["model"] = _take_model(result.train, data)
                out = results.FitResult(values, course)
                out.update(training=score(out.model, data))
                if own.get("test") is not None:
                    out.update(test=score_test(out.model, own["test"], own.get("test_rows"), data_options))
            finally:
                lib.fathom_fit_result_clear(ctypes.byref(result), context.handle)
            return job.finish(out)


def path(X: Table, y: Array | None = None, sample_weight: Array | None = None, *, seed: int = 1, threads: int = 0,
         time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
         **options: Any) -> results.PathResult:
    """Trains along decreasing penalties, each started from the one before; cv=K cross-validates.

    Returns
    -------
    PathResult
        `path`, one TrainResult for every penalty, and `best`, the one that cross-validation chose

    Examples
    --------
    >>> len(path("gen:gauss,n=40,d=3,target=teacher", model="gated", gates=20, points=4))
    4
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, along, data_options = tables.split(options, tables.TRAIN, tables.PATH, tables.DATA)
    _one_penalty(own)
    result = api.fathom_path_result()
    with _start(X, y, sample_weight, run, data_options, (tables.TRAIN, own), (tables.PATH, along),
                certificate=own.get("certificate"), verify=own.get("verify")) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen, grid = tables.TRAIN.make(context, own), tables.PATH.make(context, along)
            try:
                context.call(lib.fathom_path, ctypes.byref(result), context.handle, data.handle, None, ctypes.byref(chosen),
                             ctypes.byref(grid))
                course = context.course
                job.prove(lib.fathom_job_prove_train, result.point, result.count, ctypes.byref(chosen))
                points = [_train_result(result.point[k], data) for k in range(result.count)]
                values = {"path": points, "best": points[result.best] if result.best >= 0 else None,
                          "end": _END[result.end], "cv_loss": _vector(result.cv_loss, result.count),
                          "cv_error": _vector(result.cv_error, result.count)}
                if along.get("knots"):
                    line = api.fathom_line_path()
                    values["knots"] = _json(context, lambda object: context.call(
                        lib.fathom_line_path_set, ctypes.byref(line), object, context.handle, data.handle, ctypes.byref(chosen),
                        grid.ratio))
                if points:
                    _score_all(points[result.best], data, own, data_options)  # without a best one, the last
            finally:
                lib.fathom_path_result_clear(ctypes.byref(result), context.handle)
            return job.finish(results.PathResult(values, course))


def margin(X: Table, y: Array | None = None, *, certificate: Path | None = None, verify: bool = False,
           save_dual: Path | None = None, save_separator: Path | None = None, save_convex: Path | None = None,
           experiment: bool = False, trials: int = 400, seed: int = 1, threads: int = 0, time_limit: float | None = None,
           progress: Listener | None = None, memory: float | None = None, **options: Any) -> results.MarginResult:
    """Margins of labelled data with two-sided bounds; those of a model are Model.margins.

    Parameters
    ----------
    certificate : path, optional
        file for a proof
    verify : bool, default False
        puts the proof before fathom-check
    save_dual : path, optional
        file for q, the dual point of the upper bound
    save_separator : path, optional
        file for the separator of the lower bound, a model; it is `separator` of the result too
    save_convex : path, optional
        file for a gated network that classifies any data without contradictory rays [000, Thm 7.3 (3)]; `convex` of the result
    experiment : bool, default False
        shares of draws of random gates that fail, against their number [000, Thm 7.2]
    trials : int, default 400
        number of draws of the experiment

    Returns
    -------
    MarginResult
        the margin lies between `lower` and `upper`; `value` is their midpoint

    Examples
    --------
    >>> m = margin("gen:circle,n=8")
    >>> m.lower <= m.value <= m.upper
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.MARGIN, tables.DATA)
    handle = ctypes.POINTER(api.fathom_margin_result)()
    files = _outputs(certificate=certificate, save_dual=save_dual, save_separator=save_separator, save_convex=save_convex)
    with _start(X, y, None, run, data_options, (tables.MARGIN, own), files, certificate=certificate, verify=verify) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen = tables.MARGIN.make(context, own)
            context.call(lib.fathom_margin, ctypes.byref(handle), context.handle, data.handle, ctypes.byref(chosen))
            course = context.course
            try:
                values = _margin_values(lib.fathom_margin_look(handle))
                if save_dual is not None:
                    context.call(lib.fathom_margin_write_dual, handle, encode_path(save_dual))
                if save_separator is not None:
                    values["separator"] = _separator(handle, data, save_separator)
                if save_convex is not None:
                    values["convex"] = _convex(data, save_convex)
                if experiment:
                    values["experiment"] = _experiment(handle, data, trials)
                job.prove(lib.fathom_job_prove_margin, handle)
            finally:
                lib.fathom_margin_free(handle)
            return job.finish(results.MarginResult(values, course))


def _margin_values(view):
    values = _plain(view, {"kind": ["ntk", "ntk-full", "global", "linear"].__getitem__})
    values["value"] = (view.lower + view.upper) / 2
    values["q"], values["margins"] = _vector(view.q, view.n), _vector(view.margin, view.n)
    values.pop("margin", None)
    return values


def _model(context, net, loss, data):
    """A model that takes the network over."""
    model = ctypes.POINTER(api.fathom_model)()
    preprocess, classes = lib.fathom_data_preprocess(data.handle), lib.fathom_data_classes(data.handle)
    try:
        context.call(lib.fathom_model_create, ctypes.byref(model), context.handle, net, loss, ctypes.byref(preprocess),
                     ctypes.byref(classes))
    except BaseException:
        lib.fathom_net_free(net)
        raise
    return Model(model, context)


def _separator(handle, data, path):
    """The network of the lower bound as a model, written to a file; None where the margin is 0."""
    net = ctypes.POINTER(api.fathom_net)()
    try:
        data.context.call(lib.fathom_margin_separator, ctypes.byref(net), handle)
    except UsageError:
        return None
    model = _model(data.context, net, api.FATHOM_LOSS_LOGISTIC, data)
    model.save(path)
    return model


def _convex(data, path):
    """A gated network that classifies, as a model, written to a file."""
    net = ctypes.POINTER(api.fathom_net)()
    data.context.call(lib.fathom_margin_convex, ctypes.byref(net), data.context.handle, data.handle)
    model = _model(data.context, net, api.FATHOM_LOSS_LOGISTIC, data)
    model.save(path)
    return model


def _experiment(handle, data, trials):
    """The rows of Theorem 7.2's table."""
    rows, row = [], api.fathom_margin_experiment_row()
    for kappa in (1 / 64, 1 / 16, 1 / 4, 1, 2, 4):
        data.context.call(lib.fathom_margin_experiment, ctypes.byref(row), handle, data.handle, kappa, int(trials))
        if row.trials == 0:
            break
        rows.append(_plain(row))
    return rows


def _null_vector(chosen, data, n, gates, gates_as):
    """Whether the kernel of infinite width, or of given gates, is singular, exactly, and a null vector in integers."""
    if chosen.width > 0:
        return {}
    context, nullity, vector, text = data.context, ctypes.c_int64(), np.empty(n), ctypes.c_char_p()
    at = vector.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    found = ctypes.byref(nullity), at, ctypes.byref(text), context.handle, data.handle
    if gates is None:
        context.call(lib.fathom_kernel_null_vector, *found)
    else:
        read = _read_gates(data, gates, gates_as)
        try:
            context.call(lib.fathom_kernel_null_vector_gates, *found, read)
        finally:
            lib.fathom_gates_free(read)
    if nullity.value < 0:
        return {}
    exact = [int(word) for word in text.value.split()] if text.value else None
    lib.fathom_context_release(context.handle, ctypes.cast(text, ctypes.c_void_p))
    return {"nullity": nullity.value, "null_vector": exact}


def kernel(X: Table, y: Array | None = None, *, ridge: float | None = None, gates: Path | None = None, gates_as: str = "auto",
           save: Path | None = None, certificate: Path | None = None, verify: bool = False, seed: int = 1, threads: int = 0,
           time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
           **options: Any) -> results.KernelResult:
    """The tangent kernel matrix and proven intervals for the ends of its spectrum; ridge=R also fits a regression.

    Parameters
    ----------
    ridge : float, optional
        also fits a regression with this ridge, `model` of the result
    gates : path, optional
        an NPY file with the gates of a finite network
    gates_as : str, default "auto"
        how the file of gates is read: "auto", "orientations", "patterns" or "rows"
    save : path, optional
        NPY file for the matrix
    certificate : path, optional
        file for a proof
    verify : bool, default False
        puts the proof before fathom-check

    Returns
    -------
    KernelResult
        `matrix`, and intervals for `lambda_min` and `lambda_max`

    Examples
    --------
    >>> kernel("gen:circle,n=9").matrix.shape
    (9, 9)
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.KERNEL, tables.DATA)
    files = [(os.fspath(gates), "gates", api.FATHOM_FILE_READ)] if gates is not None else []
    files += _outputs(save=save, certificate=certificate)
    with _start(X, y, None, run, data_options, (tables.KERNEL, own), files, certificate=certificate, verify=verify) as job, job.data.context.lock:
        data, context = job.data, job.data.context
        chosen = tables.KERNEL.make(context, own)
        handle = _create_kernel(chosen, data, gates, gates_as)
        try:
            n = lib.fathom_kernel_size(handle)
            matrix, spectrum = np.empty((n, n)), api.fathom_spectrum()
            at = matrix.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            context.call(lib.fathom_kernel_fill, at, n, handle)
            if save is not None:
                context.call(lib.fathom_kernel_write_matrix, handle, encode_path(save), at, n)
            context.call(lib.fathom_spectrum_compute, ctypes.byref(spectrum), at, n, n, context.handle)
            values = {"matrix": matrix, **_plain(spectrum), **_null_vector(chosen, data, n, gates, gates_as)}
            if values.get("nullity"):
                values.update(lambda_min=0.0, lambda_min_lower=0.0, lambda_min_upper=0.0, condition=None)
            if ridge is not None:
                values["model"] = _fit_kernel(handle, data, ridge, values)
            if certificate is not None or verify:
                _prove_kernel(job, chosen, at, spectrum, values, gates, gates_as)
            return job.finish(results.KernelResult(values, context.course))
        finally:
            lib.fathom_kernel_free(handle)


def _prove_kernel(job, chosen, matrix, spectrum, values, gates, gates_as):
    """The certificate of both ends of the spectrum."""
    context, read, units = job.data.context, ctypes.POINTER(api.fathom_gates)(), ctypes.c_int64(chosen.width)
    n = lib.fathom_data_look(job.data.handle).n
    null = " ".join(map(str, values["null_vector"])).encode() if values.get("null_vector") else None
    try:
        if gates is not None:
            read = _read_gates(job.data, gates, gates_as, units)
        elif chosen.width > 0:
            context.call(lib.fathom_gates_sample, ctypes.byref(read), context.handle, job.data.handle, chosen.width)
        claim = api.fathom_kernel_claim(ctypes.pointer(chosen), read, units.value, matrix, n, ctypes.pointer(spectrum), null)
        job.prove(lib.fathom_job_prove_kernel, ctypes.byref(claim))
    finally:
        lib.fathom_gates_free(read)


def _read_gates(data, gates, gates_as, count=None):
    """The gates of an NPY file, to be freed; their number in the file goes to `count`."""
    context = data.context
    forms = [lib.fathom_gates_form_name(form).decode() for form in range(api.FATHOM_GATES_ROWS + 1)]
    if gates_as not in forms:
        raise UsageError(f"gates_as: expected one of {', '.join(forms)}, got {gates_as!r}")
    form, read = ctypes.c_int(forms.index(gates_as)), ctypes.POINTER(api.fathom_gates)()
    context.call(lib.fathom_gates_read_as, ctypes.byref(read), count, ctypes.byref(form), context.handle, data.handle,
                 encode_path(gates), None)
    return read


def _create_kernel(chosen, data, gates, gates_as):
    context, handle = data.context, ctypes.POINTER(api.fathom_kernel)()
    if gates is None:
        context.call(lib.fathom_kernel_create, ctypes.byref(handle), context.handle, data.handle, ctypes.byref(chosen))
        return handle
    if chosen.layers == 1 or chosen.width > 0:
        raise UsageError("gates goes with neither width nor layers='both'")
    read = _read_gates(data, gates, gates_as)
    try:
        context.call(lib.fathom_kernel_create_gates, ctypes.byref(handle), context.handle, data.handle, read, chosen.factor)
    finally:
        lib.fathom_gates_free(read)
    return handle


def _fit_kernel(handle, data, ridge, values):
    context, net, fit = data.context, ctypes.POINTER(api.fathom_net)(), api.fathom_regression()
    context.call(lib.fathom_kernel_fit, ctypes.byref(net), ctypes.byref(fit), handle, data.handle, float(ridge))
    values.update(_plain(fit))
    return _model(context, net, api.FATHOM_LOSS_SQUARED, data)


def cones(X: Table, *, certificate: Path | None = None, verify: bool = False, measure: bool = False,
          measures: Path | None = None, seed: int = 1, threads: int = 0, time_limit: float | None = None,
          progress: Listener | None = None, memory: float | None = None, **options: Any) -> results.ConesResult:
    """Counts the cones of the data's hyperplane arrangement; list="FILE" writes them.

    Parameters
    ----------
    certificate : path, optional
        file for a proof
    verify : bool, default False
        puts the proof before fathom-check
    measure : bool, default False
        Gaussian measures of the cones, as arrays `measures`, `measures_lower`, `measures_upper` with the `patterns` of active points
    measures : path, optional
        a CSV file for the measures

    Returns
    -------
    ConesResult
        the number of `cones`, and what else was asked for

    Examples
    --------
    >>> cones("gen:circle,n=8").cones
    8
    >>> float(round(cones("gen:circle,n=8", measure=True).measures.sum(), 12))
    1.0
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, how, data_options = tables.split(options, tables.CONES, tables.MEASURE, tables.DATA)
    files = _outputs(certificate=certificate, measures=measures)
    result = api.fathom_cones_result()
    with _start(X, None, None, run, data_options, (tables.CONES, own), files, certificate=certificate, verify=verify) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen = tables.CONES.make(context, own)
            context.call(lib.fathom_cones_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
            values, course = _plain(result), context.course
            if measure or measures is not None:
                values |= _measure(data, chosen, tables.MEASURE.make(context, how), measures)
            elif how:
                raise TypeError(f"{next(iter(how))}: goes with measure=True")
            job.prove(lib.fathom_job_prove_cones, chosen.faces, chosen.as_doubles)
            return job.finish(results.ConesResult(values, course))


def _measure(data, chosen, how, path):
    """Patterns and measures of all cones, of the decimals unless the data is to be read as doubles."""
    context = data.context
    decimals, gates = ctypes.POINTER(api.fathom_data)(), ctypes.POINTER(api.fathom_gates)()
    handle = ctypes.POINTER(api.fathom_measure)()
    enumerate_gates = lib.fathom_gates_enumerate_faces if chosen.faces else lib.fathom_gates_enumerate
    try:
        if not chosen.as_doubles:
            context.call(lib.fathom_data_decimals, ctypes.byref(decimals), data.handle)
        rows = decimals if decimals else data.handle
        context.call(enumerate_gates, ctypes.byref(gates), context.handle, rows)
        context.call(lib.fathom_gates_measure, ctypes.byref(handle), gates, context.handle, rows, ctypes.byref(how))
        if path is not None:
            context.call(lib.fathom_measure_write, handle, gates, encode_path(path))
        view, of = lib.fathom_measure_look(handle), lib.fathom_gates_look(gates)
        words = np.ctypeslib.as_array(of.bits, (of.m, of.words)).astype("<u8").view(np.uint8)
        return {"patterns": np.unpackbits(words, axis=1, bitorder="little")[:, :of.n].astype(bool),
                "measures": _vector(view.value, view.m), "measures_lower": _vector(view.lower, view.m),
                "measures_upper": _vector(view.upper, view.m), "measure_method": view.method.decode(),
                "measure_exact": view.exact, "measure_sum": view.sum, "measure_confidence": view.confidence,
                "antipodal_difference": view.antipodal_difference, "kernel_difference": view.kernel_difference}
    finally:
        lib.fathom_measure_free(handle)
        lib.fathom_gates_free(gates)
        lib.fathom_data_free(decimals)


def cone(X: Table, pattern: Sequence[bool], *, certificate: Path | None = None, verify: bool = False, seed: int = 1,
         threads: int = 0, time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
         **options: Any) -> results.ConeResult:
    """One cone {z : <x_i, z> > 0 for the active points, <= 0 for the others}, decided exactly without the others.

    Parameters
    ----------
    pattern : sequence of bool
        one truth value for every point
    certificate : path, optional
        file for a proof
    verify : bool, default False
        puts the proof before fathom-check

    Returns
    -------
    ConeResult
        `empty`: with `weights` l >= 0 the active points and the others have the same sum. Otherwise `witness` is a point of the
        relative interior, `dimension` that of the cone, and `forced` the points that vanish on it: with `weights` they sum up to 0.
        Weights and witness are integers, for the rows as `reading` says.

    Examples
    --------
    >>> cone([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [False, False, True]).dimension
    1
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.CONES, tables.DATA)
    files, handle = _outputs(certificate=certificate), ctypes.POINTER(api.fathom_cone)()
    with _start(X, None, None, run, data_options, (tables.CONES, own), files, certificate=certificate, verify=verify) as job, job.data.context.lock:
        data, context = job.data, job.data.context
        decimals = ctypes.POINTER(api.fathom_data)()
        chosen = tables.CONES.make(context, own)
        try:
            if not chosen.as_doubles:
                context.call(lib.fathom_data_decimals, ctypes.byref(decimals), data.handle)
            rows = decimals if decimals else data.handle
            active = [bool(a) for a in pattern]
            if len(active) != lib.fathom_data_look(rows).n:
                raise ValueError("pattern has one truth value for every point")
            signs = (ctypes.c_bool * len(active))(*active)
            context.call(lib.fathom_cone_ask, ctypes.byref(handle), context.handle, rows, signs)
            view = lib.fathom_cone_look(handle)
            integers = lambda texts, count: [int(texts[k]) for k in range(count)]
            values = {"empty": view.empty, "dimension": None if view.empty else view.dimension,
                      "witness": None if view.empty else integers(view.witness, view.d),
                      "point": None if view.empty else _vector(view.point, view.d),
                      "forced": [i for i in range(view.n) if view.forced[i]], "weights": integers(view.weight, view.n),
                      "reading": "decimals" if decimals else "doubles"}
            job.prove(lib.fathom_job_prove_cone, handle, signs, bool(decimals))
            return job.finish(results.ConeResult(values, context.course))
        finally:
            lib.fathom_cone_free(handle)
            lib.fathom_data_free(decimals)


def geometry(X: Table, *, certificate: Path | None = None, verify: bool = False, seed: int = 1, threads: int = 0,
             time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
             **options: Any) -> results.GeometryResult:
    """Facts about the rectified ellipsoid of the data matrix.

    Parameters
    ----------
    certificate : path, optional
        file for a proof that the matrix is spike-free, or is not
    verify : bool, default False
        puts the proof before fathom-check

    Returns
    -------
    GeometryResult
        `rank`, `whitened`, `rank_one`, `spike_free` and more

    Examples
    --------
    >>> geometry([[1.0, 0.0], [0.0, 1.0]]).spike_free
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.GEOMETRY, tables.DATA)
    files, result = _outputs(certificate=certificate), api.fathom_geometry()
    with _start(X, None, None, run, data_options, (tables.GEOMETRY, own), files, certificate=certificate, verify=verify) as job, job.data.context.lock:
        context = job.data.context
        chosen = tables.GEOMETRY.make(context, own)
        context.call(lib.fathom_geometry_compute, ctypes.byref(result), context.handle, job.data.handle, ctypes.byref(chosen))
        job.prove(lib.fathom_job_prove_geometry, ctypes.byref(result))
        return job.finish(results.GeometryResult(_plain(result, {"spike_free": [False, True, None].__getitem__}), context.course))


def flow(X: Table, y: Array | None = None, *, seed: int = 1, threads: int = 0, time_limit: float | None = None,
         progress: Listener | None = None, memory: float | None = None, **options: Any) -> results.FlowResult:
    """Gradient descent, SGD or gradient flow, with its trajectory.

    Returns
    -------
    FlowResult
        the end of the run, its `model` and its `trajectory`

    Examples
    --------
    >>> run = flow("gen:xor,n=32", width=8, until="steps=100")
    >>> len(run.trajectory) > 1
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.FLOW, tables.DATA)
    data = _open(X, y, None, run, data_options, (tables.FLOW, own))
    context = data.context
    result = api.fathom_flow_result()
    with context.lock, tempfile.TemporaryDirectory() as folder:
        log = own.setdefault("log", os.path.join(folder, "log.jsonl"))
        chosen = tables.FLOW.make(context, own)
        try:
            context.call(lib.fathom_flow_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
            values = _flow_values(result, data)
            if own.get("test") is not None:
                values["test_score"] = score_test(values["model"], own["test"], own.get("test_rows"), data_options)
        finally:
            lib.fathom_flow_result_clear(ctypes.byref(result))
        with open(log) as file:
            records = [json.loads(line) for line in file]
    values["trajectory"] = results.Trajectory([r for r in records if "steps" in r])
    return results.FlowResult(values, context.course)


def _take_net(owner):
    """The network of a struct, which loses it; a member read from a struct is a view of it, so its address is copied."""
    net = ctypes.cast(ctypes.cast(owner.net, ctypes.c_void_p), ctypes.POINTER(api.fathom_net))
    owner.net = None
    return net


def _flow_values(result, data):
    values = {"status": lib.fathom_flow_status_text(result.status).decode(), "reason": result.reason.decode(),
              "method": result.method.decode(), "events": result.events, "nonunique": result.nonunique,
              "limit": _plain(result.limit), "ending": _plain(result.ending, skip=("net", "escape", "dual")),
              **_plain(result.end)}
    if result.ending.net:
        values["ending"]["dual"] = _vector(result.ending.dual, data.view.n)
        values["ending"]["model"] = _model(data.context, _take_net(result.ending), result.loss, data)
    values["model"] = _model(data.context, _take_net(result), result.loss, data)
    return values


def check(X: Table, y: Array | None = None, theorem: str | None = None, *, seed: int = 1, threads: int = 0,
          time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
          **options: Any) -> results.CheckResult:
    """Measures the hypotheses of a theorem on the data, evaluates its bound, and compares it with a run.

    Parameters
    ----------
    theorem : str
        which one, as "003:2.2"; `theorems` lists them

    Returns
    -------
    CheckResult
        `hypotheses`, `comparisons`, and whether the theorem `applies` and its conclusion `holds`: True, False or None (undecided)

    Examples
    --------
    >>> check("gen:circle,n=8", theorem="000:7.2").theorem
    '000:7.2'
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split({"theorem": theorem, **options}, tables.CHECK, tables.DATA)
    data = _open(X, y, None, run, data_options, (tables.CHECK, own))
    context, result = data.context, api.fathom_check_result()
    with context.lock:
        chosen = tables.CHECK.make(context, own)
        context.call(lib.fathom_check_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
        values = _plain(result, skip=("hypotheses", "comparisons", "hypothesis", "comparison", "needs", "need"))
        values["verdict"] = lib.fathom_check_verdict(ctypes.byref(result)).decode()
    for name, count, items in (("hypotheses", result.hypotheses, result.hypothesis),
                               ("comparisons", result.comparisons, result.comparison), ("needs", result.needs, result.need)):
        values[name] = [_plain(items[k], {"holds": _VERDICT.__getitem__}) for k in range(count)]
    values["applies"], values["holds"] = _VERDICT[result.applies], _VERDICT[result.holds]
    return results.CheckResult(values, context.course)


def _run_program(name, *words):
    path = program(name)
    if path is None:
        raise RunError(f"the program {name} is not installed")
    return subprocess.run([path, *words, "--json"], capture_output=True, text=True, check=False)


def _answer(*words):
    """The JSON that the program prints, or its failure."""
    done = _run_program("fathom", *words)
    if done.returncode not in (0, 3):
        raise {2: UsageError, 4: CertificateError, 5: InputError}.get(done.returncode, RunError)(done.stderr.strip())
    return json.loads(done.stdout)


def info(path: Path) -> dict[str, Any]:
    """What a model or certificate file holds (of a certificate: what it says, which `verify` verifies).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train("gen:circle,n=8", loss="logistic").model.save(folder + "/m.json")
    ...     info(folder + "/m.json")["kind"]
    'relu'
    """
    return _answer("info", os.fspath(path))


def doctor() -> dict[str, Any]:
    """Which libraries, kernels, threads and limits this machine gives, its speed, and what is wrong with it."""
    return _answer("doctor")


def report(files: Path | Sequence[Path], output: Path) -> str:
    """One self-contained page of results: files that --json, `reproduce` or a certificate left. Returns its path."""
    files = [files] if isinstance(files, (str, os.PathLike)) else files
    _answer("report", *(os.fspath(file) for file in files), "-o", os.fspath(output))
    return os.fspath(output)


def theorems() -> dict[str, str]:
    """The theorems that `check` knows: a dictionary of statements.

    >>> "000:7.2" in theorems()
    True
    """
    found, statement = {}, ctypes.c_char_p()
    while name := lib.fathom_check_get(len(found), ctypes.byref(statement)):
        found[name.decode()] = statement.value.decode()
    return found


def sources() -> dict[str, str]:
    """The generators and built-in data sets, by their specification.

    >>> any(spec.startswith("gen:circle") for spec in sources())
    True
    """
    found = {}
    while source := lib.fathom_data_source_get(len(found)):
        found[source.contents.spec.decode()] = source.contents.doc.decode()
    return found


def reproduce(item: Path, folder: Path = "reproduce", quick: bool = False, seed: int = 1, threads: int = 0,
              time_limit: float | None = None) -> dict[str, Any]:
    """Reproduces a figure or theorem of the papers, or a file of recipes (docs/recipes.md), in a folder; returns its result: verdict,
    criteria, tables, or for several recipes `items`. Seeds of the recipe move by seed - 1.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     reproduce("000:thm7.3", folder)["verdict"]
    'match'
    """
    limit = [] if time_limit is None else ["--time-limit", str(float(time_limit))]
    return _answer("reproduce", os.fspath(item), "-o", os.fspath(folder), "--seed", str(seed), "--threads", str(int(threads)),
                   *limit, *(["--quick"] if quick else []))


def verify(certificate: Path, data: Path, labels: Path | None = None) -> dict[str, Any]:
    """Runs fathom-check on a certificate and the file it speaks of; returns its bounds, raises CertificateError."""
    more = ["--labels", os.fspath(labels)] if labels else []
    done = _run_program("fathom-check", os.fspath(certificate), os.fspath(data), *more)
    if done.returncode == 4:
        raise CertificateError(done.stderr.strip() or done.stdout.strip())
    if done.returncode:
        raise UsageError(done.stderr.strip() or f"fathom-check ended with code {done.returncode}")
    return json.loads(done.stdout)


complete(train, tables.TRAIN, tables.DATA)
complete(fit, tables.FIT, tables.DATA)
complete(path, tables.TRAIN, tables.PATH, tables.DATA)
complete(margin, tables.MARGIN, tables.DATA)
complete(kernel, tables.KERNEL, tables.DATA)
complete(cones, tables.CONES, tables.MEASURE, tables.DATA)
complete(cone, tables.CONES, tables.DATA)
complete(geometry, tables.GEOMETRY, tables.DATA)
complete(flow, tables.FLOW, tables.DATA)
complete(check, tables.CHECK, tables.DATA)
