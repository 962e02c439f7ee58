# SPDX-License-Identifier: Apache-2.0
"""The shared library, loaded once, with its functions declared."""
import ctypes
import os
import sys

from . import _declarations as api

_NAMES = {"darwin": "libfathom.0.dylib", "win32": "fathom-0.dll", "cygwin": "cygfathom-0.dll"}
_NAME = _NAMES.get(sys.platform, "libfathom.so.0")


def _candidates():
    """Where the library may be: as told, inside the package, in a build tree around it, or where the system looks."""
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("FATHOM_LIBRARY"):
        yield os.environ["FATHOM_LIBRARY"]
        return
    yield os.path.join(here, _NAME)
    yield os.path.join(os.path.dirname(os.path.dirname(here)), _NAME)
    yield _NAME


def _load():
    # Idle worker threads give up their core, also where other programs want it; read when the library is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    reasons = []
    for path in _candidates():
        if os.path.isabs(path) and not os.path.exists(path):
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            reasons.append(str(error))
    raise ImportError("the fathom library cannot be loaded: " + "; ".join(reasons or ["not found"]))


lib = _load()
for _name, (_result, _arguments) in api.FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

version = lib.fathom_version().decode()
