# SPDX-License-Identifier: Apache-2.0
"""Commands about the hyperplanes of the data: cones, cone, geometry."""
from __future__ import annotations

import ctypes
from typing import Any, Sequence

from . import _declarations as api
from . import _options as tables
from . import results
from ._call import outputs, start
from ._library import lib
from ._types import Listener, Path, Table
from ._values import measure_cones, plain, vector


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
    >>> import fathom
    >>> fathom.cones("gen:circle,n=8").cones
    8
    >>> float(round(fathom.cones("gen:circle,n=8", measure=True).measures.sum(), 12))
    1.0
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, how, data_options = tables.split(options, tables.CONES, tables.MEASURE, tables.DATA)
    files = outputs(certificate=certificate, measures=measures)
    result = api.fathom_cones_result()
    with start(X, None, None, run, data_options, (tables.CONES, own), files, certificate=certificate, verify=verify) as job:
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
    >>> import fathom
    >>> fathom.cone([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [False, False, True]).dimension
    1
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.CONES, tables.DATA)
    files, handle = outputs(certificate=certificate), ctypes.POINTER(api.fathom_cone)()
    with start(X, None, None, run, data_options, (tables.CONES, own), files, certificate=certificate, verify=verify) as job, job.data.context.lock:
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
    >>> import fathom
    >>> fathom.geometry([[1.0, 0.0], [0.0, 1.0]]).spike_free
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.GEOMETRY, tables.DATA)
    files, result = outputs(certificate=certificate), api.fathom_geometry()
    with start(X, None, None, run, data_options, (tables.GEOMETRY, own), files, certificate=certificate, verify=verify) as job, job.data.context.lock:
        context = job.data.context
        chosen = tables.GEOMETRY.make(context, own)
        context.call(lib.fathom_geometry_compute, ctypes.byref(result), context.handle, job.data.handle, ctypes.byref(chosen))
        job.prove(lib.fathom_job_prove_geometry, ctypes.byref(result))
        return job.finish(results.GeometryResult(plain(result, {"spike_free": [False, True, None].__getitem__}), context.course))
