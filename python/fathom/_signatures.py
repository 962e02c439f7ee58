# SPDX-License-Identifier: Apache-2.0
"""Signatures and documentation of the commands, from the library's option tables.

A command is written as `def train(X, y=None, *, seed=1, ..., **options)`; `complete` replaces **options by one keyword for
every row of its tables, for help(), completion and type checkers (tools/stubs.py writes commands.pyi from it).
"""
from __future__ import annotations

import inspect
import typing
from typing import Any, Callable

from . import _declarations as api
from ._options import Table

RUN = """\
seed : int, default 1
    where random draws begin; the same seed gives the same bits for every number of threads
threads : int, default 0
    number of threads; 0 means all cores
time_limit : float, optional
    seconds, after which the best result so far is returned with its bound
progress : callable or bool, optional
    a function of a Progress record that may return False to stop; True shows a bar (tqdm)
memory : float, optional
    GB that the call may use"""
SHARED = {
    "X": "X : matrix, Data, or str\n    one row per example; or the text that names a data set, as \"data.csv\" or \"gen:circle,n=8\"",
    "y": "y : vector or matrix, optional\n    one target per example; of a named data set, its own",
    "sample_weight": "sample_weight : vector, optional\n    one weight >= 0 per example",
}
TYPES = {api.FATHOM_OPTION_FLAG: bool, api.FATHOM_OPTION_INTEGER: int, api.FATHOM_OPTION_UNSIGNED: int,
         api.FATHOM_OPTION_REAL: float}
WORDS = {api.FATHOM_OPTION_TEXT: "str", api.FATHOM_OPTION_INPUT: "str or path", api.FATHOM_OPTION_OUTPUT: "path"}


def choices(row: Any) -> tuple[str, ...]:
    """The texts that a row of choices takes; empty for other rows."""
    return tuple(word.split(":")[0] for word in row.values.decode().split("|")) if row.type == api.FATHOM_OPTION_CHOICE else ()


def annotation(row: Any) -> Any:
    """The type of an option's value, as an object or a name of tools/stubs.py."""
    if row.type == api.FATHOM_OPTION_CHOICE:
        return typing.Optional[typing.Literal[choices(row)]]
    if row.type in TYPES:
        return typing.Optional[TYPES[row.type]]
    return "Path | None" if row.type == api.FATHOM_OPTION_OUTPUT else "Value | None"


def describe(name: str, row: Any) -> str:
    """The lines of one option in numpydoc's form."""
    words = "{" + ", ".join(repr(c) for c in choices(row)) + "}" if choices(row) else \
        TYPES[row.type].__name__ if row.type in TYPES else WORDS[row.type]
    own = b"auto" if "auto" in choices(row) else row.preset  # train and path have a loss of their own
    preset = f"default {own.decode()}" if own else "default False" if row.type == api.FATHOM_OPTION_FLAG else "optional"
    form = f" ({row.values.decode()})" if row.values and not choices(row) else ""
    return f"{name} : {words}, {preset}\n    {row.doc.decode()}{form}"


def _own(function: Callable[..., Any]) -> list[inspect.Parameter]:
    """The named parameters of a function, without **options."""
    return [p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD]


def _signature(function: Callable[..., Any], tables: tuple[Table, ...]) -> inspect.Signature:
    own = _own(function)
    taken = {p.name for p in own}
    more: dict[str, inspect.Parameter] = {}
    for table in tables:
        for name, row in table.rows.items():
            if name not in taken:
                more.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None,
                                                        annotation=annotation(row)))
    return inspect.Signature([*own, *more.values()])


def _sections(function: Callable[..., Any], tables: tuple[Table, ...]) -> str:
    """The documentation with all parameters: those shared by many commands, those of its own text, one for each option."""
    head, _, rest = (inspect.getdoc(function) or "").partition("\n\nReturns\n")
    head, _, parameters = head.partition("\n\nParameters\n----------\n")
    names = {p.name for p in _own(function)}
    lines = [text for name, text in SHARED.items() if name in names]
    lines += [parameters] if parameters else []
    lines += [RUN]
    seen = set(names)
    for table in tables:
        lines += [describe(name, row) for name, row in table.rows.items() if name not in seen]
        seen |= set(table.rows)
    return "\n\n".join([head, "Parameters\n----------\n" + "\n".join(lines), "Returns\n" + rest]) + "\n"


def complete(function: Any, *tables: Table) -> None:
    """Gives a function the keywords of these tables, in its signature and in its documentation."""
    function.tables = tables
    function.__doc__ = _sections(function, tables)
    function.__signature__ = _signature(function, tables)
