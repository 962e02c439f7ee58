# SPDX-License-Identifier: Apache-2.0
"""Commands that train: train, fit, path."""
from __future__ import annotations

import ctypes
from typing import Any

from . import _declarations as api
from . import _options as tables
from . import results
from ._call import arrays_as_files, one_penalty, start
from ._job import score, score_test
from ._library import lib
from ._types import Array, Listener, Table
from ._values import END, dual_point, held_out, line_facts, read_json, take_model, train_result, vector
from .data import Data
from .errors import FathomError, UsageError


@arrays_as_files
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
    >>> import fathom
    >>> fit = fathom.train("gen:gauss,n=40,d=3,target=teacher", model="gated", gates=50)
    >>> fit.lower_bound <= fit.objective
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.TRAIN, tables.DATA)
    one_penalty(own)
    result = api.fathom_train_result()
    with start(X, y, sample_weight, run, data_options, (tables.TRAIN, own), certificate=own.get("certificate"),
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


def _with_loss(own: dict[str, Any], data: Data) -> dict[str, Any]:
    """The options with a loss: texts among labels of arrays are known here alone, the library settles `auto` for all other data."""
    classes = data.names and own.get("model") not in ("convex-rf", "linear") and not own.get("targets")
    return own if own.get("loss") not in (None, "auto") else own | {"loss": "logistic" if classes else "auto"}


def _score_all(out: Any, data: Data, own: dict[str, Any], data_options: dict[str, Any]) -> None:
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
    >>> import fathom
    >>> found = fathom.fit("builtin:iris", time=0)
    >>> found.task, found.cv["accuracy"] > 0.9
    ('multiclass', True)
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.FIT, tables.DATA)
    data_options = {"missing": "impute", "normalize": "auto", "bias": "free"} | data_options
    result = api.fathom_fit_result()
    with start(X, y, sample_weight, run, data_options, (tables.FIT, own), certificate=own.get("certificate"),
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


@arrays_as_files
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
    >>> import fathom
    >>> len(fathom.path("gen:gauss,n=40,d=3,target=teacher", model="gated", gates=20, points=4))
    4
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, along, data_options = tables.split(options, tables.TRAIN, tables.PATH, tables.DATA)
    one_penalty(own)
    result = api.fathom_path_result()
    with start(X, y, sample_weight, run, data_options, (tables.TRAIN, own), (tables.PATH, along),
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
