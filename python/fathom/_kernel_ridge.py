# SPDX-License-Identifier: Apache-2.0
"""Estimators by ridge regression with a tangent kernel."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import commands
from ._estimator_docs import documented
from ._fitting import Bias, Callback, ClassWeight, ManyTargets, Normalize, Numbers, canonical, run_options, validated, weights_of
from ._types import Array

if TYPE_CHECKING:
    from typing_extensions import Self


class Kernel(BaseEstimator):
    """Ridge regression with a tangent kernel."""

    def __init__(self, *, ridge: float = 1.0, layers: Literal["first", "both"] = "both", factor: float = 1.0, bias: Bias = "augment",
                 normalize: Normalize = "standardize", threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        self.ridge = ridge
        self.layers = layers
        self.factor = factor
        self.bias = bias
        self.normalize = normalize
        self.threads = threads
        self.memory = memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _regress(self, X: Any, y: Numbers, weight: Numbers | None) -> None:
        X, y, weight = canonical(X, y, weight)
        options: dict[str, Any] = {"layers": self.layers, "bias": self.bias, "normalize": self.normalize, **run_options(self)}
        fit = commands.kernel(X, y, None if np.all(weight == 1) else weight, ridge=self.ridge, factor=self.factor, **options)
        self.model_, self.lambda_min_ = fit.model, fit.lambda_min

    def _outputs(self, X: Array) -> Numbers:
        check_is_fitted(self, "model_")
        output: Numbers = self.model_.outputs(validated(self, X, dtype=np.float64, reset=False))
        return output


@documented
class NTKRegressor(ManyTargets, RegressorMixin, Kernel):
    """Ridge regression with the tangent kernel of infinitely wide two-layer networks."""

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Solves the ridge regression; equal examples are one with the sum of their weights."""
        X, y = validated(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        self._regress(X, y, weights_of(sample_weight, X))
        self._flat = y.ndim == 1
        return self

    def predict(self, X: Array) -> Numbers:
        """Predictions, one for every row."""
        output = self._outputs(X)
        return output[:, 0] if self._flat else output


@documented
class NTKClassifier(ClassifierMixin, Kernel):
    """Classes by ridge regression on 1 and -1 with the tangent kernel of infinitely wide two-layer networks; no probabilities."""

    def __init__(self, *, class_weight: ClassWeight = None, ridge: float = 1.0, layers: Literal["first", "both"] = "both", factor: float = 1.0,
                 bias: Bias = "augment", normalize: Normalize = "standardize", threads: int | None = None, memory: float | None = None,
                 n_jobs: int | None = None, verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(ridge=ridge, layers=layers, factor=factor, bias=bias, normalize=normalize, threads=threads, memory=memory,
                         n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.class_weight = class_weight

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Solves the ridge regression on one column of 1 and -1 for every class, for two classes on one."""
        X, y = validated(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = weights_of(sample_weight, X)
        if self.class_weight is not None:
            by_class = np.asarray(compute_sample_weight(self.class_weight, y), dtype=np.float64)
            weight = by_class if weight is None else weight * by_class
        self.classes_, code = np.unique(y, return_inverse=True)
        if len(np.unique(code if weight is None else code[weight > 0])) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; the data contains 1 class")
        signs = np.where(code[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        self._regress(X, signs[:, 1] if len(self.classes_) == 2 else signs, weight)
        return self

    def decision_function(self, X: Array) -> Numbers:
        """Outputs: one column where there are two classes, positive for the second."""
        output = self._outputs(X)
        return output[:, 0] if output.shape[1] == 1 else output

    def predict(self, X: Array) -> NDArray[Any]:
        """The class of the largest output of every row."""
        output = self.decision_function(X)
        place = (output > 0).astype(np.int64) if output.ndim == 1 else np.argmax(output, axis=1)
        return np.asarray(self.classes_[place])
