# SPDX-License-Identifier: Apache-2.0
"""The shared library, loaded once, with its functions declared."""
from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from typing import Any, Iterator

from . import _declarations as api

_NAMES = {"darwin": "libfathom.2.dylib", "win32": "fathom-2.dll", "cygwin": "cygfathom-2.dll"}
_NAME = _NAMES.get(sys.platform, "libfathom.so.2")


def _candidates() -> Iterator[str]:
    """Where the library may be: as told, inside the package, in a build tree around it, or where the system looks. Of an
    installation in place (pip install -e) the declarations alone lie in the build tree."""
    here = os.path.dirname(os.path.abspath(api.__file__))
    if os.environ.get("FATHOM_LIBRARY"):
        yield os.environ["FATHOM_LIBRARY"]
        return
    yield os.path.join(here, _NAME)
    yield os.path.join(os.path.dirname(os.path.dirname(here)), _NAME)
    yield _NAME


def _fitting_core() -> str | None:
    """The best core of OpenBLAS that this processor can run, None where that is not known. Libraries older than a processor
    take it for one of long ago; kernels for doubles of newer cores of the same instructions are the same."""
    try:
        with open("/proc/cpuinfo") as lines:
            have = next((set(line.split()) for line in lines if line.startswith("flags")), set())
    except OSError:
        return None
    needs = {"SkylakeX": "avx512f avx512vl avx512bw avx512dq avx512cd", "Haswell": "avx2 fma", "Sandybridge": "avx"}
    return next((core for core, flags in needs.items() if have.issuperset(flags.split())), None)


@contextlib.contextmanager
def _environment(**values: str | None) -> Iterator[None]:
    """Variables of the environment that are not set, set for a while: libraries read them when they are loaded."""
    added = {name: value for name, value in values.items() if value and not os.environ.get(name)}
    before = {name: os.environ.get(name) for name in added}
    os.environ.update(added)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _load() -> Any:
    # Idle worker threads give up their core, also where other programs want it.
    with _environment(OMP_WAIT_POLICY="passive", OPENBLAS_CORETYPE=_fitting_core()):
        return _open()


def _open() -> Any:
    # A wheel has an OpenMP and a BLAS of its own, whose places those that others have loaded for all to see (PyTorch does) would take.
    here = os.path.dirname(os.path.abspath(__file__))
    whole = os.path.isdir(os.path.join(os.path.dirname(here), "fathom_relu.libs"))
    mode = getattr(os, "RTLD_DEEPBIND", 0) if whole else ctypes.DEFAULT_MODE
    reasons = []
    for path in _candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            continue
        try:
            return ctypes.CDLL(path, mode=mode)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("the fathom library cannot be loaded: " + "; ".join(reasons or ["not found"]))


lib = _load()
for _name, (_result, _arguments) in api.FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

version: str = lib.fathom_version().decode()
