# SPDX-License-Identifier: Apache-2.0
"""What every call of a command begins with: its context, its files, its data, and arrays where the program has files."""
from __future__ import annotations

import functools
import math
import os
import tempfile
from typing import Any, Callable, Iterator, TypeVar, cast

import numpy as np

from . import _declarations as api
from . import _options as tables
from ._context import Context, Progress, check_files
from ._job import Job, Plain
from ._types import Array, Path, Table
from .data import Data, as_data
from .errors import UsageError
from .model import Model

Files = Iterator[tuple[str, str, int]]
Function = TypeVar("Function", bound=Callable[..., Any])


def _files(X: Table, values: Any, certificate: Path | None = None) -> Files:
    """The files of a call: the source, those that options name, and what may be written beside a certificate."""
    if isinstance(X, (str, os.PathLike)):
        yield os.fspath(X), "X", api.FATHOM_FILE_READ
    for part in values:
        yield from part if isinstance(part, list) else part[0].files(part[1])
    if certificate is not None:
        for ending in (".csv", ".svm", ".npy", ".labels.npy"):
            yield os.fspath(certificate) + ending, "the data beside the certificate", api.FATHOM_FILE_BESIDE


def outputs(**paths: Path | None) -> list[tuple[str, str, int]]:
    """Files that keywords of a function name, beside those of option tables."""
    return [(os.fspath(path), name, api.FATHOM_FILE_WRITE) for name, path in paths.items() if path is not None]


def one_penalty(values: dict[str, Any]) -> None:
    """beta and beta_rel say what the penalty is: one of them."""
    if values.get("beta") is not None and values.get("beta_rel") is not None:
        raise UsageError("beta and beta_rel both say what the penalty is: give one of them")


def _prepare(X: Any, run: dict[str, Any], values: list[Any], certificate: Path | None = None) -> Context:
    """The context of this call, once its inputs and outputs are known to be different files."""
    bar = None
    if run.get("progress") is True:
        bar = Bar(_gap(values), run.get("time_limit"))
        run = {**run, "progress": bar}
    if hasattr(X, "context"):
        context: Context = X.context
        context.configure(**run)
    else:
        context = Context(**run)
    context.begin()
    context.bar = bar
    try:
        check_files(context, _files(X, values, certificate))
    except BaseException:
        context.end()
        raise
    return context


def _open(X: Any, y: Array | None, sample_weight: Array | None, run: dict[str, Any], data_options: dict[str, Any], *values: Any) -> Data:
    """Data in a context configured for this call; values: (table, options) of what else the call was given."""
    context = _prepare(X, run, [(tables.DATA, data_options), *values])
    try:
        if hasattr(X, "context"):
            return as_data(X, y, sample_weight, **data_options)
        return as_data(X, y, sample_weight, context=context, **data_options)
    except BaseException:
        context.end()
        raise


def start(X: Any, y: Array | None, sample_weight: Array | None, run: dict[str, Any], data_options: dict[str, Any], *values: Any,
          certificate: Path | None = None, verify: bool = False) -> Job | Plain:
    """The job of a call: its data and, where a proof is asked for, the file that it will be about."""
    if certificate is None and not verify:
        return Plain(_open(X, y, sample_weight, run, data_options, *values))
    if hasattr(X, "context"):
        raise TypeError("a proof is about a file: give the arrays or the file, not Data")
    context = _prepare(X, run, [(tables.DATA, data_options), *values], certificate)
    return Job(context, X, y, sample_weight, data_options, certificate, verify)


def _gap(values: list[Any]) -> float | None:
    """The relative gap that a call goes on to, as given or by its table; None for calls that have none."""
    for table, given in (part for part in values if isinstance(part, tuple) and "gap" in part[0].rows):
        preset = table.rows["gap"].preset
        gap = given["gap"] if given.get("gap") is not None else preset.decode() if preset else None
        return None if gap is None else float(gap)
    return None


class Bar:
    """A listener that shows a tqdm bar: the share of the way to the gap that is asked for, on a logarithmic scale, or of the time limit,
    whichever is further; iterations where neither is known."""

    def __init__(self, gap: float | None, time_limit: float | None) -> None:
        from tqdm.auto import tqdm

        self.gap, self.limit, self.first = gap, time_limit, math.nan
        self.shares = bool(gap) or time_limit is not None
        form = "{l_bar}{bar}| {elapsed}{postfix}"
        self.bar = tqdm(total=100, bar_format=form) if self.shares else tqdm(unit=" iterations")

    def share(self, record: Progress) -> float:
        """Of 100, the way that lies behind."""
        shares = [0.0] if self.limit is None else [record.seconds / max(self.limit, 1e-9)]
        here = (record.value - record.bound) / abs(record.value) if record.value else math.nan
        if self.gap and here > 0:
            self.first = here if math.isnan(self.first) else max(self.first, here)
            if self.first > self.gap:
                shares.append(math.log(self.first / here) / math.log(self.first / self.gap))
        return 100 * min(1.0, max(shares))

    def __call__(self, record: Progress) -> None:
        self.bar.set_description(record.stage, refresh=False)
        self.bar.set_postfix(iteration=record.iteration, value=f"{record.value:.6g}", bound=f"{record.bound:.6g}", refresh=False)
        self.bar.update(max(0, (self.share(record) if self.shares else record.iteration) - self.bar.n))

    def close(self) -> None:
        """The call is done, and so is the bar."""
        if self.shares:
            self.bar.update(self.bar.total - self.bar.n)
        self.bar.close()


def arrays_as_files(function: Function) -> Function:
    """Options that name a file of numbers or a model also take the array or the Model: it is put into a file for the call."""

    @functools.wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
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

    return cast(Function, call)
