# SPDX-License-Identifier: Apache-2.0
"""Statuses of the library as exceptions.

Each is a FathomError and also the built-in exception that a caller would expect; `file`, `line` and `column` say where
a bad input stands, and are None where no file is concerned. Where the system refuses a file the exception is also the OSError
that `open` would raise (FileNotFoundError, PermissionError, ...), with its `errno`, `strerror` and `filename`.
"""
from __future__ import annotations

import errno
import os
import re
from typing import Any, TypeVar

_REFUSED = re.compile(r"cannot (?:open|read|write): ([^;]+)")


Kind = TypeVar("Kind", bound=type)
_SECTIONS = """

Parameters
----------
text : str
    what happened
file : str, optional
    the file that is concerned
line : int, optional
    where in it
column : int, optional
    where in the line

Attributes
----------
text : str
    what happened
file : str or None
    the file
line : int or None
    where in it
column : int or None
    where in the line
result : object or None
    what was computed all the same, where something was

Examples
--------
"""


def _documented(kind: Kind) -> Kind:
    """The docstring with what all of them have, and an example."""
    example = f">>> import fathom\n>>> str(fathom.{kind.__name__}(\"not a number\", \"data.csv\", 3))\n'data.csv:3: not a number'\n"
    kind.__doc__ = (kind.__doc__ or "") + _SECTIONS + example
    return kind


@_documented
class FathomError(Exception):
    """A failure that the library reports."""

    result: Any = None

    def __init__(self, text: str, file: str | None = None, line: int | None = None, column: int | None = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {text}" if place else text)
        self.text, self.file, self.line, self.column = text, file, line, column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.file, self.line, self.column)


@_documented
class RunError(FathomError, RuntimeError):
    """Input or output failed, or a computation broke down."""


@_documented
class UsageError(FathomError, ValueError):
    """An unknown option, or a value out of its range."""


@_documented
class CertificateError(FathomError, ValueError):
    """A certificate was rejected; its result is what it was about, where there is one."""


@_documented
class InputError(FathomError, ValueError):
    """Data or a file that cannot be used as it is."""


@_documented
class OutOfMemoryError(FathomError, MemoryError):
    """There is not enough memory; the text says how much would be needed where that is known."""


@_documented
class StoppedError(FathomError, TimeoutError):
    """A limit came before there was any result."""


class _FileError(FathomError, OSError):
    """What is InputError or RunError and OSError; its text is the library's."""

    kind: type[FathomError]

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return failure, (self.kind, self.text, self.file, self.line, self.column)


_made: dict[tuple[type[FathomError], type[OSError]], type[FathomError]] = {}


def _file_error(kind: type[FathomError], system: type[OSError]) -> type[FathomError]:
    members = {"__module__": __name__, "__doc__": kind.__doc__, "kind": kind}
    if (kind, system) not in _made:
        _made[kind, system] = type(system.__name__, (_FileError, kind, system), members)
    return _made[kind, system]


def _number_of(reason: str) -> int | None:
    """The number behind a text of the system, in whatever language it speaks."""
    return next((number for number in errno.errorcode if os.strerror(number) == reason), None)


def failure(kind: type[FathomError], text: str, file: str | None = None, line: int | None = None, column: int | None = None) -> FathomError:
    """The exception of this kind, and of the system's kind where it refused the file."""
    refused = _REFUSED.match(text) if file is not None else None
    number = _number_of(refused[1]) if refused else None
    if number is None or issubclass(kind, (MemoryError, OSError)):
        return kind(text, file, line, column)
    reason = os.strerror(number)
    error: Any = _file_error(kind, type(OSError(number, reason)))(text, file, line, column)
    error.errno, error.strerror, error.filename = number, reason, file
    made: FathomError = error
    return made
