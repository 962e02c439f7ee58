# SPDX-License-Identifier: Apache-2.0
"""Options by keyword, checked by the library's own tables: --beta-rel 0.1 is beta_rel=0.1."""
from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any, Iterator

from . import _declarations as api
from . import errors
from ._library import lib


if TYPE_CHECKING:
    from ._context import Context


class Table:
    """One option table with its struct; `names` are the keywords."""

    def __init__(self, name: str) -> None:
        self.table = api.fathom_option_table.in_dll(lib, f"fathom_{name}_option_table")
        self.struct = getattr(api, f"fathom_{name}_options")
        self.rows: dict[str, Any] = {}
        for k in range(self.table.count):
            row = self.table.rows[k]
            self.rows[row.name.decode().replace("-", "_")] = row

    def make(self, context: Context, values: dict[str, Any]) -> Any:
        """The struct with these values; it borrows texts, which it keeps alive."""
        options = self.struct()
        lib.fathom_options_init(ctypes.byref(options), ctypes.byref(self.table))
        options.kept = []
        for name, value in values.items():
            if value is None:
                continue
            text = _text(name, value)
            options.kept.append(text)
            context.check(lib.fathom_options_set(context.handle, ctypes.byref(options),
                                                 ctypes.byref(self.rows[name]), text))
        return options

    def files(self, values: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
        """(path, name, purpose) of the files that these values name."""
        states = {"resume": api.FATHOM_FILE_RESUME, "checkpoint": api.FATHOM_FILE_CHECKPOINT}
        kinds = {api.FATHOM_OPTION_INPUT: api.FATHOM_FILE_READ, api.FATHOM_OPTION_OUTPUT: api.FATHOM_FILE_WRITE}
        for name, value in values.items():
            kind = kinds.get(self.rows[name].type) if name in self.rows else None
            if kind is not None and isinstance(value, (str, os.PathLike)):
                yield os.fspath(value), name, states.get(name, kind)


def _text(name: str, value: Any) -> bytes:
    """A Python value as the text that a command line would hold."""
    if isinstance(value, bool):
        return b"true" if value else b"false"
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
    elif isinstance(value, (list, tuple)):
        text = ",".join(str(v) for v in value)
    else:
        try:
            text = repr(value.item() if hasattr(value, "item") else value)
        except ValueError:
            raise errors.UsageError(f"{name}: expected one value, got {value!r}") from None
    encoded = text.encode("utf-8", "surrogateescape")
    if b"\0" in encoded:
        raise errors.UsageError(f"{name}: the text contains a zero byte")
    return encoded


def split(values: dict[str, Any], *tables: Table) -> list[dict[str, Any]]:
    """The values that belong to each table; a keyword of none is a TypeError that names the nearest."""
    parts: list[dict[str, Any]] = [{} for _ in tables]
    for name, value in values.items():
        for part, table in zip(parts, tables):
            if name in table.rows:
                part[name] = value
                break
        else:
            import difflib

            known = [n for table in tables for n in table.rows]
            near = difflib.get_close_matches(name, known, 1)
            raise TypeError(f"unknown option {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return parts


DATA, TRAIN, PATH, FIT, MARGIN, KERNEL, CONES, MEASURE, GEOMETRY, FLOW, CHECK, EXPORT = (
    Table(name) for name in ("data", "train", "path", "fit", "margin", "kernel", "cones", "measure", "geometry", "flow", "check",
                             "export"))
