# SPDX-License-Identifier: Apache-2.0
"""Jobs: what stands around a computation, as the program has it (fathom/job.h): data, certificate, verification, scores."""
from __future__ import annotations

import ctypes
import math
import os
from typing import TYPE_CHECKING, Any, TypeVar

from fathom_relu import program

from . import _declarations as api
from . import _options as tables
from ._context import encode_path
from ._library import lib
from .data import Data, as_data
from .errors import CertificateError, StoppedError

if TYPE_CHECKING:
    from ._context import Context
    from ._types import Array, Path, Table
    from .model import Model
    from .results import Result

Kind = TypeVar("Kind", bound="Result")
_STEPS = ("normalize", "bias", "classes", "rows")  # what comes after the data that a certificate is about


class Job:
    """with Job(context, X, y, weight, options, certificate, verify) as job: compute on job.data, then job.prove_...(),
    and job.finish(result)."""

    def __init__(self, context: Context, X: Table, y: Array | None, sample_weight: Array | None, options: dict[str, Any],
                 certificate: Path | None, verify: bool | None) -> None:
        self.context, self.handle = context, ctypes.POINTER(api.fathom_job)()
        self._options, names = tables.DATA.make(context, options), None
        self._given: Data | None = None
        if not isinstance(X, (str, os.PathLike)):
            steps = [name for name in options if name not in _STEPS and options[name] is not None]
            self._given = as_data(X, y, sample_weight, context=context, **{name: options[name] for name in steps})
            names = self._given.names
        self._texts = [encode_path(X) if isinstance(X, (str, os.PathLike)) else None, certificate and encode_path(certificate)]
        source = api.fathom_job_source(self._texts[0], self._given.handle if self._given else None, ctypes.pointer(self._options),
                                       self._texts[1], bool(verify))
        try:
            context.call(lib.fathom_job_open, ctypes.byref(self.handle), context.handle, ctypes.byref(source))
        except BaseException:
            self.__exit__()
            raise
        self.data = Data.borrow(lib.fathom_job_look(self.handle).data, context, names)

    def prove(self, write: Any, *arguments: Any) -> None:
        """The certificate, by one of the library's fathom_job_prove_... functions."""
        self.context.call(write, self.handle, *arguments)

    def set_bias(self, bias: int) -> None:
        """The data has another bias than it was opened with."""
        lib.fathom_job_set_bias(self.handle, bias)

    def finish(self, result: Kind) -> Kind:
        """Verifies, where that is asked for, and says in the result which files there are. What is rejected is an error that
        has the result."""
        view, verdict = lib.fathom_job_look(self.handle), api.fathom_job_verdict()
        if view.certificate:
            result.update(certificate=os.fsdecode(view.certificate), certificate_data=os.fsdecode(view.path))
        self.context.call(lib.fathom_job_verify, ctypes.byref(verdict), self.handle,
                          os.fsencode(program("fathom-check") or "fathom-check"))
        if verdict.answer != api.FATHOM_JOB_NOT_ASKED:
            result.update(verified=None if verdict.answer == api.FATHOM_JOB_CUT else verdict.answer == api.FATHOM_JOB_ACCEPTED)
        if verdict.answer == api.FATHOM_JOB_REJECTED:
            error = CertificateError(verdict.text.decode(errors="replace"))
            error.result = result
            raise error
        return result

    def __enter__(self) -> Job:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.context.end()
        lib.fathom_job_end(self.handle)
        self.handle = ctypes.POINTER(api.fathom_job)()


class Plain:
    """The same for a call that proves nothing."""

    def __init__(self, data: Data) -> None:
        self.data = data

    def prove(self, write: Any, *arguments: Any) -> None:
        pass

    def set_bias(self, bias: int) -> None:
        pass

    def finish(self, result: Kind) -> Kind:
        return result

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.data.context.end()


def _members(score: Any) -> dict[str, float]:
    """The parts of a score that apply."""
    values = {name: getattr(score, name) for name in ("accuracy", "r2", "mse", "cross_entropy")}
    return {name: value for name, value in values.items() if not math.isnan(value)}


def score(model: Model | None, data: Data) -> dict[str, float] | None:
    """The score of a model on data, or None where there are no targets."""
    if model is None or not data.view.outputs:
        return None
    out = api.fathom_score()
    try:
        model.context.call(lib.fathom_job_score, ctypes.byref(out), model.handle, data.handle)
    except StoppedError:  # the limit came first: the model stands
        return None
    return _members(out)


def score_test(model: Model, spec: Path, rows: Path | None, options: dict[str, Any]) -> dict[str, float] | None:
    """The score on a test set that is named, read as the training data was; None where the limit came first."""
    out, chosen = api.fathom_score(), tables.DATA.make(model.context, options)
    try:
        model.context.call(lib.fathom_job_score_test, ctypes.byref(out), model.context.handle, model.handle, encode_path(spec),
                           None if rows is None else encode_path(rows), ctypes.byref(chosen))
    except StoppedError:
        return None
    return _members(out)
