# SPDX-License-Identifier: Apache-2.0
"""The commands as functions: train, path, margin, kernel, cones, geometry, flow, check.

X is an array, a Data object, or a text such as "data.csv" or "gen:circle,n=8"; options are those of the command line
with underscores. `seed`, `threads`, `time_limit` (seconds), `memory` (GB) and `progress` (a function of a Progress record that may
return False to stop, or True for a bar by tqdm) are common to all.
"""
from __future__ import annotations

import ctypes
import functools
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
from ._values import (END, VERDICT, convex_model, create_kernel, dual_point, experiment_rows, fit_kernel,
                      flow_values, held_out, line_facts, margin_values, measure_cones, null_vector, plain, read_gates,
                      read_json, separator_model, take_model, train_result, vector)
from .data import as_data
from .errors import CertificateError, FathomError, InputError, RunError, UsageError, failure
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
    context.begin()
    try:
        check_files(context, _files(X, values, certificate))
    except BaseException:
        context.end()
        raise
    return context


def _open(X, y, sample_weight, run, data_options, *values):
    """Data in a context configured for this call; values: (table, options) of what else the call was given."""
    context = _prepare(X, run, [(tables.DATA, data_options), *values])
    try:
        if hasattr(X, "context"):
            return as_data(X, y, sample_weight, **data_options)
        return as_data(X, y, sample_weight, context=context, **data_options)
    except BaseException:
        context.end()
        raise


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


def _arrays_as_files(function):
    """Options that name a file of numbers or a model also take the array or the Model: it is put into a file for the call."""

    @functools.wraps(function)
    def call(*arguments, **options):
        given = {name: options[name] for name in ("gates", "directions", "init")
                 if isinstance(options.get(name), Model) or (hasattr(options.get(name), "__array__") and np.ndim(options[name]) == 2)}
        if not given:
            return function(*arguments, **options)
        with tempfile.TemporaryDirectory() as folder:
            for name, value in given.items():
                path = os.path.join(folder, name + (".json" if isinstance(value, Model) else ".npy"))
                if isinstance(value, Model):
                    value.save(path)
                else:
                    array = np.asarray(value)
                    np.save(path, array if array.dtype == np.float64 else array.astype(np.float64))
                options[name] = path
            return function(*arguments, **options)

    return call


@_arrays_as_files
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
                verify=bool(own.get("verify"))) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen = tables.TRAIN.make(context, _with_loss(own, data))
            lib.fathom_train_settle(ctypes.byref(chosen), context.handle, data.handle)
            try:
                context.call(lib.fathom_train, ctypes.byref(result), context.handle, data.handle, None, ctypes.byref(chosen))
                course = context.course
                job.prove(lib.fathom_job_prove_train, ctypes.byref(result), 1, ctypes.byref(chosen))
                more = dual_point(result, data, chosen) if own.get("save_dual") is not None else {}
                more |= line_facts(result, data, chosen) if result.method == b"line" else {}
                out = train_result(result, data, **more)
                out.course = course
                _score_all(out, data, own, data_options)
            finally:
                lib.fathom_train_result_clear(ctypes.byref(result))
            return job.finish(out)


def _with_loss(own, data):
    """The options with a loss: texts among labels of arrays are known here alone, the library settles `auto` for all other data."""
    classes = data.names and own.get("model") not in ("convex-rf", "linear") and not own.get("targets")
    return own if own.get("loss") not in (None, "auto") else own | {"loss": "logistic" if classes else "auto"}


def _score_all(out, data, own, data_options):
    """Scores of a result's model on its data, and on the test set that the options name."""
    out.update(score=score(out.model, data))
    if own.get("test") is not None:
        if out.model is None:
            raise UsageError("test: there is no network to score")
        try:
            out.update(test_score=score_test(out.model, own["test"], own.get("test_rows"), data_options))
        except FathomError as error:  # what was computed is not lost
            error.result = out
            raise


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
                verify=bool(own.get("verify"))) as job:
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
                values = read_json(context, lambda object: context.call(lib.fathom_fit_set, object, ctypes.byref(result), data.handle))
                values["model"] = take_model(result.train, data)
                out = results.FitResult(values, course)
                out.update(training=score(out.model, data))
                if own.get("test") is not None:
                    out.update(test=score_test(out.model, own["test"], own.get("test_rows"), data_options))
            finally:
                lib.fathom_fit_result_clear(ctypes.byref(result), context.handle)
            return job.finish(out)


@_arrays_as_files
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
                certificate=own.get("certificate"), verify=bool(own.get("verify"))) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen, grid = tables.TRAIN.make(context, _with_loss(own, data)), tables.PATH.make(context, along)
            lib.fathom_train_settle(ctypes.byref(chosen), context.handle, data.handle)
            try:
                context.call(lib.fathom_path, ctypes.byref(result), context.handle, data.handle, None, ctypes.byref(chosen),
                             ctypes.byref(grid))
                course = context.course
                job.prove(lib.fathom_job_prove_train, result.point, result.count, ctypes.byref(chosen))
                points = [train_result(result.point[k], data) for k in range(result.count)]
                values = {"path": points, "best": points[result.best] if result.best >= 0 else None,
                          "end": END[result.end], "cv_loss": vector(result.cv_loss, result.count),
                          "cv_error": vector(result.cv_error, result.count), **held_out(result)}
                if along.get("knots"):
                    line = api.fathom_line_path()
                    values["knots"] = read_json(context, lambda object: context.call(
                        lib.fathom_line_path_set, ctypes.byref(line), object, context.handle, data.handle, ctypes.byref(chosen),
                        grid.ratio))
                if points:
                    _score_all(points[result.best], data, own, data_options)  # without a best one, the last
            finally:
                lib.fathom_path_result_clear(ctypes.byref(result), context.handle)
            return job.finish(results.PathResult(values, course))


@_arrays_as_files
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
                values = margin_values(lib.fathom_margin_look(handle))
                if save_dual is not None:
                    context.call(lib.fathom_margin_write_dual, handle, encode_path(save_dual))
                if save_separator is not None:
                    values["separator"] = separator_model(handle, data, save_separator)
                if save_convex is not None:
                    values["convex"] = convex_model(data, save_convex)
                if experiment:
                    values["experiment"] = experiment_rows(handle, data, trials)
                job.prove(lib.fathom_job_prove_margin, handle)
            finally:
                lib.fathom_margin_free(handle)
            return job.finish(results.MarginResult(values, course))


@_arrays_as_files
def kernel(X: Table, y: Array | None = None, *, ridge: float | None = None, gates: Path | Array | None = None, gates_as: str = "auto",
           save: Path | None = None, certificate: Path | None = None, verify: bool = False, seed: int = 1, threads: int = 0,
           time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
           **options: Any) -> results.KernelResult:
    """The tangent kernel matrix and proven intervals for the ends of its spectrum; ridge=R also fits a regression.

    Parameters
    ----------
    ridge : float, optional
        also fits a regression with this ridge, `model` of the result
    gates : path or matrix, optional
        the gates of a finite network, or an NPY file with them
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
        handle = create_kernel(chosen, data, gates, gates_as)
        try:
            n = lib.fathom_kernel_size(handle)
            matrix, spectrum = np.empty((n, n)), api.fathom_spectrum()
            at = matrix.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
            context.call(lib.fathom_kernel_fill, at, n, handle)
            if save is not None:
                context.call(lib.fathom_kernel_write_matrix, handle, encode_path(save), at, n)
            context.call(lib.fathom_spectrum_compute, ctypes.byref(spectrum), at, n, n, context.handle)
            values = {"matrix": matrix, **plain(spectrum), **null_vector(chosen, data, n, gates, gates_as)}
            if values.get("nullity"):
                values.update(lambda_min=0.0, lambda_min_lower=0.0, lambda_min_upper=0.0, condition=None)
            if ridge is not None:
                values["model"] = fit_kernel(handle, data, ridge, values)
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
            read = read_gates(job.data, gates, gates_as, units)
        elif chosen.width > 0:
            context.call(lib.fathom_gates_sample, ctypes.byref(read), context.handle, job.data.handle, chosen.width)
        claim = api.fathom_kernel_claim(ctypes.pointer(chosen), read, units.value, matrix, n, ctypes.pointer(spectrum), null)
        job.prove(lib.fathom_job_prove_kernel, ctypes.byref(claim))
    finally:
        lib.fathom_gates_free(read)


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
            values, course = plain(result), context.course
            if measure or measures is not None:
                values |= measure_cones(data, chosen, tables.MEASURE.make(context, how), measures)
            elif how:
                raise TypeError(f"{next(iter(how))}: goes with measure=True")
            job.prove(lib.fathom_job_prove_cones, chosen.faces, chosen.as_doubles)
            return job.finish(results.ConesResult(values, course))


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
                      "point": None if view.empty else vector(view.point, view.d),
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
        return job.finish(results.GeometryResult(plain(result, {"spike_free": [False, True, None].__getitem__}), context.course))


@_arrays_as_files
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
    result = api.fathom_flow_result()
    with _start(X, y, None, run, data_options, (tables.FLOW, own)) as job, job.data.context.lock, tempfile.TemporaryDirectory() as folder:
        data, context = job.data, job.data.context
        log = own.setdefault("log", os.path.join(folder, "log.jsonl"))
        chosen = tables.FLOW.make(context, own)
        try:
            context.call(lib.fathom_flow_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
            values = flow_values(result, data)
            if own.get("test") is not None:
                values["test_score"] = score_test(values["model"], own["test"], own.get("test_rows"), data_options)
        finally:
            lib.fathom_flow_result_clear(ctypes.byref(result))
        with open(log) as file:
            records = [json.loads(line) for line in file]
    values["trajectory"] = results.Trajectory([r for r in records if "steps" in r])
    return results.FlowResult(values, context.course)


@_arrays_as_files
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
    result = api.fathom_check_result()
    with _start(X, y, None, run, data_options, (tables.CHECK, own)) as job, job.data.context.lock:
        data, context = job.data, job.data.context
        chosen = tables.CHECK.make(context, own)
        context.call(lib.fathom_check_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
        values = plain(result, skip=("hypotheses", "comparisons", "hypothesis", "comparison", "needs", "need"))
        values["verdict"] = lib.fathom_check_verdict(ctypes.byref(result)).decode()
    for name, count, items in (("hypotheses", result.hypotheses, result.hypothesis),
                               ("comparisons", result.comparisons, result.comparison), ("needs", result.needs, result.need)):
        values[name] = [plain(items[k], {"holds": VERDICT.__getitem__}) for k in range(count)]
    values["applies"], values["holds"] = VERDICT[result.applies], VERDICT[result.holds]
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
        kind = {2: UsageError, 4: CertificateError, 5: InputError}.get(done.returncode, RunError)
        said = json.loads(done.stdout) if done.stdout else {"error": done.stderr.strip()}
        raise failure(kind, said["error"], *(said.get(key) for key in ("file", "line", "column")))
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
        found[name.decode()] = (statement.value or b"").decode()
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


def convert(model: Path, output: Path, to: str | None = None, data: Path | None = None, select: str = "any", precision: str = "double",
            name: str = "fathom_model") -> dict[str, Any]:
    """A model file in another form, as ``fathom convert``; of a Model, `Model.convert` and `Model.export`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     train("gen:circle,n=8", loss="logistic").model.save(folder + "/m.json")
    ...     convert(folder + "/m.json", folder + "/m.c")["neurons"] > 0
    True
    """
    more = [] if data is None else ["--data", os.fspath(data)]
    more += [] if to is None else ["--to", to]
    return _answer("convert", os.fspath(model), "-o", os.fspath(output), "--select", select, "--precision", precision, "--name", name, *more)


def gen(spec: str, output: Path, *, seed: int = 1) -> dict[str, Any]:
    """Writes a generated or built-in data set to a file, as ``fathom gen``; `Data.open` gives it as arrays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gen("gen:circle,n=8", folder + "/circle.csv")["rows"]
    8
    """
    return _answer("gen", spec, "-o", os.fspath(output), "--seed", str(seed))


def reproduce(item: Path, folder: Path = "reproduce", quick: bool = False, seed: int = 1, threads: int = 0,
              time_limit: float | None = None) -> dict[str, Any]:
    """Reproduces a figure or theorem of the papers, or a file of recipes (docs/howto/recipes.md), in a folder; returns its result: verdict,
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
