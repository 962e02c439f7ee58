# SPDX-License-Identifier: Apache-2.0
"""fathom: two-layer ReLU networks, solved.

    >>> import fathom
    >>> fit = fathom.train("builtin:wdbc", loss="logistic", normalize="standardize", model="gated", gates=50)
    >>> fit.status
    'gates'

Functions mirror the commands: fit, train, path, margin, kernel, cones, cone, geometry, flow, check, reproduce, report, info, doctor;
sources and theorems list what there is, load reads models, verify checks certificates. Estimators for scikit-learn: FathomRegressor, FathomClassifier, ReLURegressor, ReLUClassifier, GatedReLURegressor, GatedReLUClassifier,
their forms on the path (ReLUClassifierCV and so on), NTKRegressor, NTKClassifier (imported with scikit-learn when they are first used).
"""
from typing import TYPE_CHECKING, Any

DISTRIBUTION = "fathom-relu"  # whose package this is; another project has one of the same name

try:
    from .errors import (CertificateError, FathomError, InputError, OutOfMemoryError, RunError, StoppedError, UsageError)
except ImportError as _error:
    raise ImportError("files of fathom-relu were replaced or removed with those of another project's package fathom: "
                      "pip uninstall fathom, then pip install --force-reinstall fathom-relu") from _error
from ._context import Context, Progress
from ._library import version as __version__
from .commands import (check, cone, cones, convert, doctor, fit, flow, gen, geometry, info, kernel, margin, path, report, reproduce, sources, theorems,
                       train, verify)
from .data import Data
from .model import Model, load

if TYPE_CHECKING:
    from .estimators import FathomClassifier as FathomClassifier
    from .estimators import FathomRegressor as FathomRegressor
    from .estimators import GatedReLUClassifier as GatedReLUClassifier
    from .estimators import GatedReLUClassifierCV as GatedReLUClassifierCV
    from .estimators import GatedReLURegressor as GatedReLURegressor
    from .estimators import GatedReLURegressorCV as GatedReLURegressorCV
    from .estimators import NTKClassifier as NTKClassifier
    from .estimators import NTKRegressor as NTKRegressor
    from .estimators import ReLUClassifier as ReLUClassifier
    from .estimators import ReLUClassifierCV as ReLUClassifierCV
    from .estimators import ReLURegressor as ReLURegressor
    from .estimators import ReLURegressorCV as ReLURegressorCV

_ESTIMATORS = ["FathomRegressor", "FathomClassifier", "ReLURegressor", "ReLUClassifier", "GatedReLURegressor", "GatedReLUClassifier",
               "ReLURegressorCV", "ReLUClassifierCV", "GatedReLURegressorCV", "GatedReLUClassifierCV", "NTKRegressor", "NTKClassifier"]

__all__ = ["Context", "Progress", "Data", "Model", "fit", "train", "path", "margin", "kernel", "cones", "cone", "geometry", "flow", "check",
           "reproduce", "report", "info", "doctor", "convert", "gen", "sources", "theorems", "verify", "load", "FathomError", "RunError", "UsageError", "InputError", "OutOfMemoryError", "StoppedError",
           "CertificateError", *_ESTIMATORS]


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        from . import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'fathom' has no attribute {name!r}")
