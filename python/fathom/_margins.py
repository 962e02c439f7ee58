# SPDX-License-Identifier: Apache-2.0
"""Commands about margins and tangent kernels: margin, kernel."""
from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np

from . import _declarations as api
from . import _options as tables
from . import results
from ._call import arrays_as_files, outputs, start
from ._context import encode_path
from ._library import lib
from ._types import Array, Listener, Path, Table
from ._values import convex_model, create_kernel, experiment_rows, fit_kernel, margin_values, null_vector, plain, read_gates, separator_model


@arrays_as_files
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
    >>> import fathom
    >>> m = fathom.margin("gen:circle,n=8")
    >>> m.lower <= m.value <= m.upper
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.MARGIN, tables.DATA)
    handle = ctypes.POINTER(api.fathom_margin_result)()
    files = outputs(certificate=certificate, save_dual=save_dual, save_separator=save_separator, save_convex=save_convex)
    with start(X, y, None, run, data_options, (tables.MARGIN, own), files, certificate=certificate, verify=verify) as job:
        data, context = job.data, job.data.context
        with context.lock:
            chosen = tables.MARGIN.make(context, own)
            context.call(lib.fathom_margin, ctypes.byref(handle), context.handle, data.handle, ctypes.byref(chosen))
            course = context.course
            try:
                job.prove(lib.fathom_job_prove_margin, handle)  # first: of a sampled margin it has the interval
                values = margin_values(lib.fathom_margin_look(handle))
                if save_dual is not None:
                    context.call(lib.fathom_margin_write_dual, handle, encode_path(save_dual))
                if save_separator is not None:
                    values["separator"] = separator_model(handle, data, save_separator)
                if save_convex is not None:
                    values["convex"] = convex_model(data, save_convex)
                if experiment:
                    values["experiment"] = experiment_rows(handle, data, trials)
            finally:
                lib.fathom_margin_free(handle)
            return job.finish(results.MarginResult(values, course))


@arrays_as_files
def kernel(X: Table, y: Array | None = None, sample_weight: Array | None = None, *, ridge: float | None = None, gates: Path | Array | None = None, gates_as: str = "auto",
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
    >>> import fathom
    >>> fathom.kernel("gen:circle,n=9").matrix.shape
    (9, 9)
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.KERNEL, tables.DATA)
    files = [(os.fspath(gates), "gates", api.FATHOM_FILE_READ)] if gates is not None else []
    files += outputs(save=save, certificate=certificate)
    with start(X, y, sample_weight, run, data_options, (tables.KERNEL, own), files, certificate=certificate, verify=verify) as job, job.data.context.lock:
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


def _prove_kernel(job: Any, chosen: Any, matrix: Any, spectrum: Any, values: dict[str, Any], gates: Any, gates_as: str) -> None:
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
