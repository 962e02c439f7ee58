# SPDX-License-Identifier: Apache-2.0
"""Statuses of the library as exceptions.

Each is a FathomError and also the built-in exception that a caller would expect; `file`, `line` and `column` say where
a bad input stands, and are None where no file is concerned.
"""
from __future__ import annotations

from typing import Any


class FathomError(Exception):
    """A failure that the library reports; `result` is what was computed all the same, where something was."""

    result: Any = None

    def __init__(self, text: str, file: str | None = None, line: int | None = None, column: int | None = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {text}" if place else text)
        self.text, self.file, self.line, self.column = text, file, line, column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.file, self.line, self.column)


class RunError(FathomError, RuntimeError):
    """Input or output failed, or a computation broke down."""


class UsageError(FathomError, ValueError):
    """An unknown option, or a value out of its range."""


class CertificateError(FathomError, ValueError):
    """A certificate was rejected; `result` is what it was about, where there is one."""


class InputError(FathomError, ValueError):
    """Data or a file that cannot be used as it is."""


class OutOfMemoryError(FathomError, MemoryError):
    """There is not enough memory; the text says how much would be needed where that is known."""


class StoppedError(FathomError, TimeoutError):
    """A limit came before there was any result."""
