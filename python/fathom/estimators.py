# SPDX-License-Identifier: Apache-2.0
"""Estimators for scikit-learn, with the bounds of their fits: objective_, lower_bound_, gap_.

Examples are put into a canonical form first: equal examples are merged, their weights added, and all are sorted. The
objective is the same, and so are the bits of the fit, whether an example is repeated or weighted, in whatever order.
"""
from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any, Literal, Mapping, Union

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import commands
from ._types import Array, Path, Value
from .data import unmasked
from .errors import FathomError
from .results import TrainResult

if TYPE_CHECKING:
    from typing_extensions import Self

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before scikit-learn 1.6

    def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        return estimator._validate_data(X, y, **options)


def validated(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """As scikit-learn does it, but that masked values are refused, where it takes what is under the mask."""
    unmasked("X", X)
    if y is not None and not isinstance(y, str):
        unmasked("y", y)
    return validate_data(estimator, X, y, **options)


Numbers = NDArray[np.float64]
Bias = Literal["none", "augment", "free"]
Normalize = Literal["none", "unit", "standardize"]
Scale = Literal["sum", "mean"]
Seed = Union[int, np.random.RandomState, None]
ClassWeight = Union[Mapping[Any, float], Literal["balanced"], None]
Scoring = Literal["auto", "log-loss", "accuracy", "auc", "mse", "r2", "mae"]


def canonical(X: Numbers, y: Numbers, weight: Numbers | None) -> tuple[Numbers, Numbers, Numbers]:
    """Distinct examples in order, with summed weights; those of weight 0 are left out."""
    target = y if y.ndim == 2 else y[:, None]
    rows = np.ascontiguousarray(np.hstack([X, target]))
    if weight is not None:
        keep = weight != 0
        rows, weight = rows[keep], weight[keep]
    distinct, place, count = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    total: Any = np.bincount(place.ravel(), weight, len(distinct)) if weight is not None else count.astype(np.float64)
    target = distinct[:, X.shape[1]:]
    return distinct[:, :X.shape[1]], target if y.ndim == 2 else target[:, 0], total


def _seed(random_state: Seed) -> int:
    if random_state is None:
        return 1
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2 ** 31 - 1))
    return int(random_state)


class _Base(BaseEstimator):
    """What all estimators share: parameters, data, the fit and its bounds."""

    _kind = "gated"

    def __init__(self, *, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum", bias: Bias = "augment",
                 normalize: Normalize = "standardize", gap: float = 1e-6, time_limit: float | None = None, warm_start: bool = False,
                 certificate: Path | None = None, random_state: Seed = None,
                 threads: int | None = None, memory: float | None = None) -> None:
        self.beta = beta
        self.beta_rel = beta_rel
        self.scale = scale
        self.bias = bias
        self.normalize = normalize
        self.gap = gap
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.certificate = certificate
        self.random_state = random_state
        self.threads = threads
        self.memory = memory

    def _options(self) -> dict[str, Any]:
        return {"model": self._kind, "beta": self.beta, "beta_rel": None if self.beta is not None else self.beta_rel,
                "scale": self.scale, "bias": self.bias, "normalize": self.normalize, "gap": self.gap,
                "certificate": self.certificate}

    def _solve(self, X: Numbers, y: Numbers, weight: Numbers | None, loss: str) -> None:
        """Trains; continues from the last state where warm_start is set and the problem is still the same."""
        X, y, weight = canonical(X, y, weight)
        run: dict[str, Any] = {"seed": _seed(self.random_state), "threads": self.threads or 0, "time_limit": self.time_limit, "memory": self.memory,
               "loss": loss}
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "state")
            options = self._options()
            if self.warm_start:
                options["checkpoint"] = state
            fit = self._continue(X, y, weight, {**options, **run}, state) if self.warm_start else None
            if fit is None:
                fit = commands.train(X, y, weight, **options, **run)
            if os.path.exists(state):
                with open(state, "rb") as file:
                    self._state = file.read()
        self.result_, self.model_ = fit, fit.model
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        self.gap_, self.n_iter_ = fit.gap, max(1, fit.iterations)
        self.certificate_ = self.certificate

    def _continue(self, X: Numbers, y: Numbers, weight: Numbers, options: dict[str, Any], state: str) -> TrainResult | None:
        if not getattr(self, "_state", None):
            return None
        with open(state, "wb") as file:
            file.write(self._state)
        try:
            return commands.train(X, y, weight, resume=state, **options)
        except FathomError:  # another problem than the one before
            return None
        finally:
            if os.path.exists(state):
                os.remove(state)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("result_", None)  # its course and bounds are in the attributes
        return state

    def _weights(self, sample_weight: Array | None, X: Numbers) -> Numbers | None:
        if sample_weight is None:
            return None
        weight = unmasked("sample_weight", sample_weight).astype(np.float64)
        if weight.ndim == 0:
            weight = np.full(X.shape[0], float(weight))
        if weight.shape != (X.shape[0],):
            raise ValueError(f"sample_weight.shape == {weight.shape}, expected {(X.shape[0],)}!")
        if not np.all(np.isfinite(weight)) or np.any(weight < 0):
            raise ValueError("sample_weight: expected finite weights >= 0")
        if not np.any(weight > 0):
            raise ValueError("sample_weight: every weight is zero")
        return weight

    def _rows(self, X: Array) -> Numbers:
        check_is_fitted(self, "model_")
        rows: Numbers = validated(self, X, dtype=np.float64, reset=False)
        return rows


class _ManyTargets(BaseEstimator):
    """Says to scikit-learn that y may have several columns, in the way of its versions."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": True}


class _Regressor(_ManyTargets, RegressorMixin, _Base):
    loss: str

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Fits by `loss`; several targets, which share their neurons, by the squared loss alone."""
        X, y = validated(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        self._solve(X, y, self._weights(sample_weight, X), self.loss)
        self._flat = y.ndim == 1
        return self

    def predict(self, X: Array) -> Numbers:
        """Outputs of the network, one for every row."""
        X = self._rows(X)
        output = self.model_.outputs(X)
        return output[:, 0] if self._flat else output


class _Classifier(ClassifierMixin, _Base):
    class_weight: ClassWeight

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Fits by the logistic loss, softmax for more than two classes."""
        X, y = validated(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        weight = self._weights(sample_weight, X)
        if self.class_weight is not None:
            by_class = np.asarray(compute_sample_weight(self.class_weight, y), dtype=np.float64)
            weight = by_class if weight is None else weight * by_class
        self.classes_, code = np.unique(y, return_inverse=True)
        present = np.unique(code if weight is None else code[weight > 0])
        if len(present) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; the data contains 1 class")
        self._code = present  # classes that some example of positive weight has
        self._solve(X, code.astype(np.float64), weight, "logistic")
        return self

    def decision_function(self, X: Array) -> Numbers:
        """Outputs of the network: one column where there are two classes."""
        X = self._rows(X)
        output = self.model_.outputs(X)
        return output[:, 0] if output.shape[1] == 1 else output

    def predict_proba(self, X: Array) -> Numbers:
        """Probabilities of the classes, in the order of classes_."""
        X = self._rows(X)
        chance = np.zeros((X.shape[0], len(self.classes_)))
        chance[:, self._code] = self.model_.predict_proba(X)
        return chance

    def predict(self, X: Array) -> NDArray[Any]:
        """The likeliest class of every row."""
        X = self._rows(X)
        return np.asarray(self.classes_[self._code[self.model_._predict(X)[1]]])


class _ReLU(_Base):
    """effort bounds the work on the lower bound (option --effort); without a time_limit equal data give equal fits."""

    _kind = "relu"

    def __init__(self, *, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum", bias: Bias = "augment",
                 normalize: Normalize = "standardize", gap: float = 1e-2, effort: float = 1, time_limit: float | None = None,
                 warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory)
        self.effort = effort

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "effort": self.effort}


class ReLURegressor(_ReLU, _Regressor):
    """A two-layer ReLU network of any width, near the global optimum: lower_bound_ holds for all of them.

    loss: "squared", "absolute", "huber:0.5" (delta), "quantile:0.9" (tau)."""

    def __init__(self, *, loss: str = "squared", beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: Normalize = "standardize", gap: float = 1e-2,
                 effort: float = 1, time_limit: float | None = None, warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap, effort=effort,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory)
        self.loss = loss


class ReLUClassifier(_ReLU, _Classifier):
    """A two-layer ReLU network as a classifier, near the global optimum of the penalised logistic loss.

    class_weight: weights by class, or "balanced": every class weighs the same."""

    def __init__(self, *, class_weight: ClassWeight = None, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: Normalize = "standardize", gap: float = 1e-2, effort: float = 1,
                 time_limit: float | None = None, warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None, memory: float | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap, effort=effort,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory)
        self.class_weight = class_weight


class _Gated(_Base):
    def __init__(self, *, gates: Value = 100, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: Normalize = "standardize", gap: float = 1e-6, time_limit: float | None = None,
                 warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory)
        self.gates = gates

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "gates": self.gates}


class GatedReLURegressor(_Gated, _Regressor):
    """A gated ReLU network on sampled gates: the optimum of a convex problem, to the asked gap.

    loss: "squared", "absolute", "huber:0.5" (delta), "quantile:0.9" (tau)."""

    def __init__(self, *, loss: str = "squared", gates: Value = 100, beta: float | None = None, beta_rel: float | None = 0.1,
                 scale: Scale = "sum", bias: Bias = "augment",
                 normalize: Normalize = "standardize", gap: float = 1e-6, time_limit: float | None = None,
                 warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None) -> None:
        super().__init__(gates=gates, beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory)
        self.loss = loss


class GatedReLUClassifier(_Gated, _Classifier):
    """A gated ReLU network as a classifier: the optimum of a convex problem, to the asked gap.

    class_weight: weights by class, or "balanced": every class weighs the same."""

    def __init__(self, *, class_weight: ClassWeight = None, gates: Value = 100, beta: float | None = None, beta_rel: float | None = 0.1,
                 scale: Scale = "sum", bias: Bias = "augment", normalize: Normalize = "standardize", gap: float = 1e-6,
                 time_limit: float | None = None, warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None, memory: float | None = None) -> None:
        super().__init__(gates=gates, beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory)
        self.class_weight = class_weight


class NTKRegressor(_ManyTargets, RegressorMixin, BaseEstimator):
    """Ridge regression with the tangent kernel of infinitely wide two-layer networks."""

    def __init__(self, *, ridge: float = 1.0, layers: Literal["first", "both"] = "both", factor: float = 1.0, bias: Bias = "augment",
                 normalize: Normalize = "standardize", threads: int | None = None, memory: float | None = None) -> None:
        self.ridge = ridge
        self.layers = layers
        self.factor = factor
        self.bias = bias
        self.normalize = normalize
        self.threads = threads
        self.memory = memory

    def fit(self, X: Array, y: Array) -> Self:
        """Solves the ridge regression."""
        X, y = validated(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        fit = commands.kernel(X, y, ridge=self.ridge, layers=self.layers, factor=self.factor, bias=self.bias,
                              normalize=self.normalize, threads=self.threads or 0, memory=self.memory)
        self.model_, self.lambda_min_, self._flat = fit.model, fit.lambda_min, y.ndim == 1
        return self

    def predict(self, X: Array) -> Numbers:
        """Predictions, one for every row."""
        check_is_fitted(self, "model_")
        output: Numbers = self.model_.outputs(validated(self, X, dtype=np.float64, reset=False))
        return output[:, 0] if self._flat else output


class _Fathom(BaseEstimator):
    """What both have: fathom.fit with its parameters. With time = 0 (the default here) the network has no bound; with more seconds
    lower_bound_ holds for every network of any width at the penalty chosen."""

    _task: Literal["classify", "regress"] = "regress"

    def __init__(self, *, scoring: Scoring = "auto", choose: Literal["best", "one-se", "sparse"] = "best", average: bool = False,
                 folds: int = 5, repeats: int = 1, time: float = 0, gap: float | None = None, prune: float | None = None,
                 normalize: Normalize = "standardize", time_limit: float | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None) -> None:
        self.scoring = scoring
        self.choose = choose
        self.average = average
        self.folds = folds
        self.repeats = repeats
        self.time = time
        self.gap = gap
        self.prune = prune
        self.normalize = normalize
        self.time_limit = time_limit
        self.random_state = random_state
        self.threads = threads
        self.memory = memory

    def _choose(self, X: Numbers, y: Numbers, **options: Any) -> None:
        fit = commands.fit(X, y, task=self._task, score=self.scoring, choose=self.choose, average=self.average,
                           folds=max(2, min(self.folds, len(y))), repeats=self.repeats, time=self.time, gap=self.gap,
                           prune=self.prune, normalize=self.normalize, seed=_seed(self.random_state), threads=self.threads or 0,
                           time_limit=self.time_limit, memory=self.memory, **options)
        self.result_, self.model_ = fit, fit.model
        self.beta_, self.cv_ = fit.chosen["beta"], fit.cv
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        worth = {one["name"]: one["value"] for one in fit.importance}
        self.feature_importances_ = np.array([worth.get(str(k), 0.0) for k in range(X.shape[1])])

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("result_", None)
        return state

    def _outputs(self, X: Array) -> Numbers:
        check_is_fitted(self, "model_")
        rows: Numbers = validated(self, X, dtype=np.float64, reset=False)
        return self.model_.outputs(rows)


class FathomRegressor(RegressorMixin, _Fathom):
    """A network whose penalty is chosen by cross-validation: fathom.fit for numbers."""

    def fit(self, X: Array, y: Array) -> Self:
        """Chooses and trains."""
        X, y = validated(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        self._choose(X, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Array) -> Numbers:
        """Outputs of the network, one for every row."""
        return self._outputs(X)[:, 0]


class FathomClassifier(ClassifierMixin, _Fathom):
    """A network whose penalty is chosen by cross-validation: fathom.fit for classes."""

    _task: Literal["classify", "regress"] = "classify"

    def __init__(self, *, scoring: Scoring = "auto", choose: Literal["best", "one-se", "sparse"] = "best", average: bool = False,
                 balance: bool = False, folds: int = 5, repeats: int = 1, time: float = 0, gap: float | None = None,
                 prune: float | None = None, normalize: Normalize = "standardize",
                 time_limit: float | None = None, random_state: Seed = None,
                 threads: int | None = None, memory: float | None = None) -> None:
        super().__init__(scoring=scoring, choose=choose, average=average, folds=folds, repeats=repeats, time=time, gap=gap,
                         prune=prune, normalize=normalize, time_limit=time_limit, random_state=random_state,
                         threads=threads, memory=memory)
        self.balance = balance

    def fit(self, X: Array, y: Array) -> Self:
        """Chooses and trains."""
        X, y = validated(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, code = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; the data contains 1 class")
        self._choose(X, code.astype(np.float64), balance=self.balance)
        return self

    def decision_function(self, X: Array) -> Numbers:
        """Outputs of the network: one column where there are two classes."""
        output = self._outputs(X)
        return output[:, 0] if output.shape[1] == 1 else output

    def predict_proba(self, X: Array) -> Numbers:
        """Probabilities of the classes, in the order of classes_."""
        check_is_fitted(self, "model_")
        chance: Numbers = self.model_.predict_proba(validated(self, X, dtype=np.float64, reset=False))
        return chance

    def predict(self, X: Array) -> NDArray[Any]:
        """The likeliest class of every row."""
        place = np.argmax(self.predict_proba(X), axis=1)  # which says where nothing is fitted, before classes_ is missed
        likeliest: NDArray[Any] = self.classes_[place]
        return likeliest
