# SPDX-License-Identifier: Apache-2.0
"""What belongs to the distribution fathom-relu rather than to its package fathom: the programs, which need neither NumPy
nor the package, and the package under a name that no other project has. Where `import fathom` gives another project's
package,

    >>> from fathom_relu import fathom

says so.
"""
from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__))
_MARK = 'DISTRIBUTION = "fathom-relu"'  # a line of the package

_SHADOWED = """import fathom gives {found}, which is not the package of fathom-relu.
Where another project's fathom is installed: pip uninstall fathom, then pip install --force-reinstall fathom-relu.
Where a file or folder of that name lies in the way (the current folder comes first): rename it."""


def _built() -> str | None:
    """The build tree of an installation in place (pip install -e): its finder knows where files lie that were made."""
    for finder in sys.meta_path:
        if type(finder).__module__ == "_fathom_relu_editable_loader":
            spec = finder.find_spec("fathom._declarations", None)
            if spec and spec.origin:
                return os.path.dirname(os.path.dirname(os.path.dirname(spec.origin)))
    return None


def program(name: str) -> str | None:
    """The path of a program: inside the package, in the build tree around it, or on the PATH; None where there is none."""
    for folder in (os.path.join(_HERE, "fathom"), _built() or os.path.dirname(_HERE)):
        for path in (os.path.join(folder, name), os.path.join(folder, name + ".exe")):
            if os.path.isfile(path):
                return path
    found = shutil.which(name)
    itself = found and os.path.exists(sys.argv[0]) and os.path.samefile(found, sys.argv[0])
    return None if itself else found


def _run(name: str) -> None:
    """Becomes the program, with this process's arguments."""
    path = program(name)
    if path is None:
        sys.exit(f"{name} is not part of this installation")
    if os.name == "nt":  # exec there returns to the shell at once
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, [name, *sys.argv[1:]])


def run_fathom() -> None:
    _run("fathom")


def run_check() -> None:
    _run("fathom-check")


def _package() -> Any:
    """The package fathom, if it is ours: looked at before it is run."""
    spec = importlib.util.find_spec("fathom")
    origin = spec.origin if spec else None
    if origin and os.path.exists(origin):
        with open(origin, encoding="utf-8", errors="replace") as file:
            if _MARK in file.read():
                return importlib.import_module("fathom")
    raise ImportError(_SHADOWED.format(found=origin or (list(spec.submodule_search_locations or []) if spec else "nothing")))


def __getattr__(name: str) -> Any:
    if name == "fathom":
        return _package()
    raise AttributeError(f"module 'fathom_relu' has no attribute {name!r}")
