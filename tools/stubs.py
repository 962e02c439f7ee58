#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stubs.py [--write]: python/fathom/commands.pyi, what type checkers and editors read of the commands: one keyword for every option.

Needs the built package on PYTHONPATH (build/python). Without --write the file is compared: exit 1 where it is another.
"""
import inspect
import os
import re
import sys

from fathom import commands

FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "python", "fathom", "commands.pyi")
HEAD = '''# SPDX-License-Identifier: Apache-2.0
# Written by tools/stubs.py from the library's option tables.
from typing import Any, Literal, Sequence

from . import results
from ._types import Array, Listener, Path, Table, Value
'''


def annotation(kind):
    """The text of a type; None means what a parameter without one takes."""
    if kind is inspect.Parameter.empty:
        raise SystemExit("a parameter of a command has no type")
    if isinstance(kind, str):
        return kind
    text = kind.__name__ if isinstance(kind, type) else repr(kind).replace("typing.", "")
    return re.sub(r"^Optional\[(.*)\]$", r"\1 | None", text)


def parameter(p):
    star = "**" if p.kind is p.VAR_KEYWORD else ""
    return f"{star}{p.name}: {annotation(p.annotation)}" + ("" if p.default is p.empty else " = ...")


def stub(name, function):
    lines, starred = [], False
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.KEYWORD_ONLY and not starred:
            lines.append("*")
            starred = True
        lines.append(parameter(p))
    returned = function.__annotations__["return"]
    if not lines:
        return f"def {name}() -> {returned}: ..."
    return f"def {name}(\n" + "".join(f"    {line},\n" for line in lines) + f") -> {returned}: ..."


def text():
    public = [(name, getattr(commands, name)) for name in commands.__all__]
    return HEAD + "".join("\n" + stub(name, f) + "\n" for name, f in public)


def main():
    made = text()
    if sys.argv[1:] == ["--write"]:
        with open(FILE, "w") as file:
            file.write(made)
        return 0
    with open(FILE) as file:
        if file.read() == made:
            return 0
    print("python/fathom/commands.pyi differs from the option tables: PYTHONPATH=build/python tools/stubs.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
