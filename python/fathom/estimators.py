# SPDX-License-Identifier: Apache-2.0
"""Estimators for scikit-learn, with the bounds of their fits: objective_, lower_bound_, gap_.

Examples are put into a canonical form first: equal examples are merged, their weights added, and all are sorted. The
objective is the same, and so are the bits of the fit, whether an example is repeated or weighted, in whatever order.
"""
from __future__ import annotations

import os
import tempfile
import time
import warnings
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, Optional, Union, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils import compute_sample_weight, validation
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import commands
from ._context import Progress
from ._estimator_docs import documented
from ._tables import table_text
from ._types import Array, Path, Value
from .data import is_sparse, sparse_rows, unmasked
from .errors import FathomError, UsageError
from .results import PathResult, TrainResult

if TYPE_CHECKING:
    from typing_extensions import Self

def validated(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """As scikit-learn does it, but that masked values are refused, where it takes what is under the mask."""
    unmasked("X", X)
    if y is not None and not isinstance(y, str):
        unmasked("y", y)
    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, X, y, **options)
    return estimator._validate_data(X, y, **options)  # before scikit-learn 1.6


Numbers = NDArray[np.float64]
Bias = Literal["none", "augment", "free"]
Normalize = Literal["none", "unit", "standardize"]
NormalizeAuto = Literal["auto", "none", "unit", "standardize"]  # auto: standardize, sparse rows as they are
Scale = Literal["sum", "mean"]
Seed = Union[int, np.random.RandomState, None]
ClassWeight = Union[Mapping[Any, float], Literal["balanced"], None]
Callback = Callable[[Progress], Optional[bool]]
Scorer = Union[str, Callable[..., float], None]
Folds = Any  # a number of folds, a splitter of scikit-learn, or a list of splits
Scoring = Literal["auto", "log-loss", "accuracy", "auc", "mse", "r2", "mae"]


def canonical(X: Any, y: Numbers, weight: Numbers | None) -> tuple[Any, Numbers, Numbers]:
    """Distinct examples in order, with summed weights; those of weight 0 are left out."""
    target = y if y.ndim == 2 else y[:, None]
    if weight is not None:
        keep = weight != 0
        X, target, weight = X[keep], target[keep], weight[keep]
    first, place, count = (_distinct_sparse if is_sparse(X) else _distinct)(X, target)
    total: Any = np.bincount(place.ravel(), weight, len(first)) if weight is not None else count.astype(np.float64)
    return X[first], target[first] if y.ndim == 2 else target[first, 0], total


def _distinct(X: Numbers, target: Numbers) -> tuple[Any, Any, Any]:
    """One place of every distinct row, in the order of the rows; the row that stands for each; how often it is there."""
    _, first, place, count = np.unique(np.ascontiguousarray(np.hstack([X, target])), axis=0, return_index=True, return_inverse=True,
                                       return_counts=True)
    return first, place, count


def _distinct_sparse(X: Any, target: Numbers) -> tuple[Any, Any, Any]:
    """The same for sparse rows, in the order of their bytes."""
    X = sparse_rows(X).copy()
    X.eliminate_zeros()
    rows = zip(X.indptr[:-1], X.indptr[1:], target + 0.0)
    key = np.array([X.indices[a:b].tobytes() + b"," + X.data[a:b].tobytes() + b"," + t.tobytes() for a, b, t in rows] + [None], dtype=object)[:-1]
    _, first, place, count = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, place, count


def _seed(random_state: Seed) -> int:
    if random_state is None:
        return 1
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2 ** 31 - 1))
    return int(random_state)


def _threads(threads: int | None, n_jobs: int | None) -> int:
    """The number of threads, 0 for all cores: n_jobs is scikit-learn's word for it (-1: all, -2: all but one)."""
    if threads is not None and n_jobs is not None:
        raise ValueError("threads and n_jobs are two words for one thing: give one of them")
    if n_jobs is None or n_jobs > 0:
        return threads or n_jobs or 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    return 0 if n_jobs == -1 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


class _Listener:
    """Passes records of progress on; with `verbose` prints one a second."""

    def __init__(self, name: str, verbose: bool, callback: Callback | None) -> None:
        self.name, self.verbose, self.callback, self.last = name, verbose, callback, -1.0

    def __call__(self, record: Progress) -> bool | None:
        if self.verbose and record.seconds - self.last >= 1:
            self.last = record.seconds
            print(f"[{self.name}] {record.seconds:.0f} s, {record.stage} {record.iteration}: value {record.value:.6g}, bound {record.bound:.6g}")
        return None if self.callback is None else self.callback(record)


def _run(estimator: Any) -> dict[str, Any]:
    """Keywords of a call: threads, memory, progress."""
    heard = estimator.verbose or estimator.callback is not None
    return {"threads": _threads(estimator.threads, estimator.n_jobs), "memory": estimator.memory,
            "progress": _Listener(type(estimator).__name__, estimator.verbose, estimator.callback) if heard else None}


class _Base(BaseEstimator):
    """What all estimators share: parameters, data, the fit and its bounds."""

    _kind = "gated"

    def __init__(self, *, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum", bias: Bias = "augment",
                 normalize: NormalizeAuto = "auto", gap: float = 1e-6, time_limit: float | None = None, warm_start: bool = False,
                 certificate: Path | None = None, random_state: Seed = None,
                 threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        self.beta = beta
        self.beta_rel = beta_rel
        self.scale = scale
        self.bias = bias
        self.normalize = normalize
        self.gap: float | None = gap
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.certificate = certificate
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _options(self) -> dict[str, Any]:
        return {"model": self._kind, "beta": self.beta, "beta_rel": None if self.beta is not None else self.beta_rel,
                "scale": self.scale, "bias": self.bias, "gap": self.gap,
                "certificate": self.certificate}

    def _normalize(self, X: Any) -> str:
        return self.normalize if self.normalize != "auto" else "none" if is_sparse(X) else "standardize"

    def _solve(self, X: Any, y: Numbers, weight: Numbers | None, loss: str) -> None:
        """Trains; continues from the last state where warm_start is set and the problem is still the same."""
        X, y, weight = canonical(X, y, weight)
        run: dict[str, Any] = {"seed": _seed(self.random_state), "time_limit": self.time_limit, **_run(self), "loss": loss}
        with tempfile.TemporaryDirectory() as folder:
            state = os.path.join(folder, "state")
            options = {**self._options(), "normalize": self._normalize(X)}
            if self.warm_start:
                options["checkpoint"] = state
            fit = self._continue(X, y, weight, {**options, **run}, state) if self.warm_start else None
            if fit is None:
                fit = commands.train(X, y, weight, **options, **run)
            if os.path.exists(state):
                with open(state, "rb") as file:
                    self._state = file.read()
        self._take(fit)
        self.certificate_ = self.certificate
        if fit.status == "limit":
            warnings.warn(f"{type(self).__name__}: the gap is {fit.relative_gap:.3g} of the objective, {self.gap:g} was asked for: raise gap"
                          f"{', effort' if hasattr(self, 'effort') else ''} or time_limit; the bound holds all the same",
                          ConvergenceWarning, stacklevel=3)

    def _take(self, fit: TrainResult) -> None:
        """What a fit found, as attributes."""
        self.result_, self.model_, self.status_ = fit, fit.model, fit.status
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        self.gap_, self.relative_gap_, self.n_iter_ = fit.gap, fit.relative_gap, max(1, fit.iterations)

    def _continue(self, X: Any, y: Numbers, weight: Numbers, options: dict[str, Any], state: str) -> TrainResult | None:
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
        state = dict(cast("dict[str, Any]", super().__getstate__()))
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
        rows: Numbers = validated(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


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
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr", multi_output=True, y_numeric=True)
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
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr")
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
                 normalize: NormalizeAuto = "auto", gap: float = 1e-2, effort: float = 1, time_limit: float | None = None,
                 warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.effort = effort

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "effort": self.effort}


class _Layers:
    """Weights of a ReLU network on the columns as they are given, as MLPClassifier has them."""

    model_: Any

    @property
    def coefs_(self) -> list[Numbers]:
        """Weights into and out of the neurons: n_features x neurons, neurons x outputs; scales and standardisation are folded in."""
        return list(self._layers()[0])

    @property
    def intercepts_(self) -> list[Numbers]:
        """Biases of the neurons and of the outputs."""
        return list(self._layers()[1])

    def _layers(self) -> Any:
        if not hasattr(self, "model_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        try:
            return self.model_.layers()
        except UsageError as error:
            raise AttributeError(str(error)) from None


@documented
class ReLURegressor(_Layers, _ReLU, _Regressor):
    """A two-layer ReLU network of any width, near the global optimum: lower_bound_ holds for all of them."""

    def __init__(self, *, loss: str = "squared", beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float = 1e-2,
                 effort: float = 1, time_limit: float | None = None, warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap, effort=effort,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.loss = loss


@documented
class ReLUClassifier(_Layers, _ReLU, _Classifier):
    """A two-layer ReLU network as a classifier, near the global optimum of the penalised logistic loss."""

    def __init__(self, *, class_weight: ClassWeight = None, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float = 1e-2, effort: float = 1,
                 time_limit: float | None = None, warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap, effort=effort,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.class_weight = class_weight


class _Gated(_Base):
    def __init__(self, *, gates: Value = 100, beta: float | None = None, beta_rel: float | None = 0.1, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float = 1e-6, time_limit: float | None = None,
                 warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.gates = gates

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "gates": self.gates}


@documented
class GatedReLURegressor(_Gated, _Regressor):
    """A gated ReLU network on sampled gates: the optimum of a convex problem, to the asked gap."""

    def __init__(self, *, loss: str = "squared", gates: Value = 100, beta: float | None = None, beta_rel: float | None = 0.1,
                 scale: Scale = "sum", bias: Bias = "augment",
                 normalize: NormalizeAuto = "auto", gap: float = 1e-6, time_limit: float | None = None,
                 warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(gates=gates, beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.loss = loss


@documented
class GatedReLUClassifier(_Gated, _Classifier):
    """A gated ReLU network as a classifier: the optimum of a convex problem, to the asked gap."""

    def __init__(self, *, class_weight: ClassWeight = None, gates: Value = 100, beta: float | None = None, beta_rel: float | None = 0.1,
                 scale: Scale = "sum", bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float = 1e-6,
                 time_limit: float | None = None, warm_start: bool = False, certificate: Path | None = None,
                 random_state: Seed = None, threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(gates=gates, beta=beta, beta_rel=beta_rel, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, warm_start=warm_start, certificate=certificate,
                         random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.class_weight = class_weight


class _NTK(BaseEstimator):
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

    def _regress(self, X: Numbers, y: Numbers) -> None:
        options: dict[str, Any] = {"layers": self.layers, "bias": self.bias, "normalize": self.normalize, **_run(self)}
        fit = commands.kernel(X, y, ridge=self.ridge, factor=self.factor, **options)
        self.model_, self.lambda_min_ = fit.model, fit.lambda_min

    def _outputs(self, X: Array) -> Numbers:
        check_is_fitted(self, "model_")
        output: Numbers = self.model_.outputs(validated(self, X, dtype=np.float64, reset=False))
        return output


@documented
class NTKRegressor(_ManyTargets, RegressorMixin, _NTK):
    """Ridge regression with the tangent kernel of infinitely wide two-layer networks."""

    def fit(self, X: Array, y: Array) -> Self:
        """Solves the ridge regression."""
        X, y = validated(self, X, y, dtype=np.float64, multi_output=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        self._regress(X, y)
        self._flat = y.ndim == 1
        return self

    def predict(self, X: Array) -> Numbers:
        """Predictions, one for every row."""
        output = self._outputs(X)
        return output[:, 0] if self._flat else output


@documented
class NTKClassifier(ClassifierMixin, _NTK):
    """Classes by ridge regression on 1 and -1 with the tangent kernel of infinitely wide two-layer networks; no probabilities."""

    def fit(self, X: Array, y: Array) -> Self:
        """Solves the ridge regression on one column of 1 and -1 for every class, for two classes on one."""
        X, y = validated(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, code = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; the data contains 1 class")
        signs = np.where(code[:, None] == np.arange(len(self.classes_)), 1.0, -1.0)
        self._regress(X, signs[:, 1] if len(self.classes_) == 2 else signs)
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


class _Held(BaseEstimator):
    """Stands before a scorer for the networks of a fold: it gives their outputs on the rows left out, whatever it is asked for."""

    def __init__(self, outputs: Any = None) -> None:
        self.outputs = outputs

    def fit(self, X: Any = None, y: Any = None) -> Self:
        """There is nothing to do."""
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _HeldRegressor(RegressorMixin, _Held):
    def predict(self, X: Any) -> Any:
        return self.outputs[:, 0] if self.outputs.shape[1] == 1 else self.outputs


class _HeldClassifier(ClassifierMixin, _Held):
    classes_: Any

    def decision_function(self, X: Any) -> Any:
        return self.outputs[:, 0] if self.outputs.shape[1] == 1 else self.outputs

    def predict_proba(self, X: Any) -> Any:
        f = np.hstack([np.zeros_like(self.outputs), self.outputs]) if self.outputs.shape[1] == 1 else self.outputs
        chance = np.exp(f - f.max(axis=1, keepdims=True))
        return chance / chance.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


class _OnPath(_Base):
    """Penalties from the largest useful one down to `ratio` of it, `points` in all; the one that is best on rows left out (`cv` folds) is chosen.

    cv: a number of folds, which the library cuts and solves together; or a splitter or list of splits as scikit-learn has them, for which
    every penalty is trained anew. scoring: a scorer of scikit-learn or its name; None: the loss itself. After fit: beta_, best_index_, best_score_, cv_results_ (arrays, one
    entry per penalty), path_ (the same as a pandas DataFrame). gap: None asks for none."""

    _default: dict[str, Any] = {}
    _scorer = "neg_mean_squared_error"  # of splits that are given, where scoring is None

    def __init__(self, *, points: int = 8, ratio: float = 1e-3, cv: Folds = 5, scoring: Scorer = None, scale: Scale = "sum",
                 bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float | None = None, time_limit: float | None = None,
                 random_state: Seed = None, threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        self.points = points
        self.ratio = ratio
        self.cv = cv
        self.scoring = scoring
        self.scale = scale
        self.bias = bias
        self.normalize = normalize
        self.gap = gap
        self.time_limit = time_limit
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _options(self) -> dict[str, Any]:
        return {"model": self._kind, "scale": self.scale, "bias": self.bias,
                "gap": self._default.get("gap") if self.gap is None else self.gap}

    def _solve(self, X: Any, y: Numbers, weight: Numbers | None, loss: str) -> None:
        whole, begin = (X, y, np.ones(len(y)) if weight is None else weight), time.monotonic()
        X, y, weight = canonical(X, y, weight)
        if len(y) < 2:
            raise ValueError(f"cross-validation needs two distinct examples, n_samples = {len(y)}")
        own = isinstance(self.cv, (int, np.integer))  # folds of the library
        options = {"loss": loss, "seed": _seed(self.random_state), "normalize": self._normalize(X), **self._options(), **_run(self)}
        found = commands.path(X, y, weight, points=self.points, ratio=self.ratio, cv=max(2, min(int(self.cv), len(y))) if own else 0,
                              time_limit=self.time_limit, **options)
        if own and (found.best is None or found.held_out is None):
            raise RuntimeError(f"{type(self).__name__}: the limit came before cross-validation was done")
        table = {name: np.asarray(column) for name, column in found.table().items()}
        scores = self._scores(found, X, y, weight) if own else self._split_scores(found, whole, options, begin)
        mean = -np.asarray(found.cv_loss) if scores is None else np.nanmean(scores, axis=1)
        table["mean_test_score"] = mean
        if scores is not None:
            table["std_test_score"] = np.nanstd(scores, axis=1)
        self.cv_results_, self.best_index_ = table, int(np.nanargmax(mean))
        self.best_score_, chosen = float(mean[self.best_index_]), found.path[self.best_index_]
        self._take(chosen)
        self.path_result_, self.beta_ = found, chosen.beta
        if self.gap is not None and chosen.status == "limit":
            warnings.warn(f"{type(self).__name__}: the gap is {chosen.relative_gap:.3g} of the objective, {self.gap:g} was asked for; "
                          "the bound holds all the same", ConvergenceWarning, stacklevel=3)

    def _scores(self, found: PathResult, X: Any, y: Numbers, weight: Numbers) -> Numbers | None:
        """By the scorer: penalties x folds; None where the loss decides."""
        if self.scoring is None or found.held_out is None or found.fold is None:
            return None
        scores = np.empty((len(found), int(found.fold.max()) + 1))
        for a in range(scores.shape[1]):
            rows = found.fold == a
            for k in range(len(found)):
                scores[k, a] = self._judge(found.held_out[k, rows], X[rows], y[rows], weight[rows])
        return self._known(scores)

    def _split_scores(self, found: PathResult, whole: tuple[Any, Numbers, Numbers], options: dict[str, Any], begin: float) -> Numbers:
        """The same for splits by scikit-learn: every penalty is trained without every part, in proportion to the weight of the rest."""
        X, y, weight = whole
        columns = []
        for rest, part in cast(Any, check_cv(self.cv, y, classifier=hasattr(self, "classes_"))).split(X, y):
            kept = canonical(X[rest], y[rest], weight[rest])
            share = weight[rest].sum() / weight.sum() if self.scale == "sum" else 1.0
            fits = (commands.train(*kept, beta=point.beta * share, time_limit=self._left(begin), **options).model for point in found)
            columns.append([self._judge(model.outputs(X[part]), X[part], y[part], weight[part]) for model in fits])
        return self._known(np.array(columns).T)

    def _left(self, begin: float) -> float | None:
        """Seconds of the time limit that are left of a call that began then; None: there is no limit."""
        if self.time_limit is None:
            return None
        left = self.time_limit - (time.monotonic() - begin)
        if left <= 0:
            raise RuntimeError(f"{type(self).__name__}: the limit came before cross-validation was done")
        return left

    def _judge(self, outputs: Numbers, X: Any, y: Numbers, weight: Numbers) -> float:
        """The score of outputs on rows left out."""
        scoring = self.scoring if self.scoring is not None else self._scorer
        scorer, more = get_scorer(scoring) if isinstance(scoring, str) else scoring, {}
        if np.any(weight != 1):
            more = {"sample_weight": weight}
        return float(scorer(self._held(outputs), X, self._truth(y), **more))

    def _known(self, scores: Numbers) -> Numbers:
        if np.isnan(scores).all():
            raise ValueError(f"scoring={self.scoring!r} gives no number on any fold")
        return scores

    def _held(self, outputs: Numbers) -> Any:
        return _HeldRegressor(outputs)

    def _truth(self, y: Numbers) -> NDArray[Any]:
        return y

    @property
    def path_(self) -> Any:
        """The path as a pandas DataFrame, one row per penalty."""
        import pandas

        if not hasattr(self, "cv_results_"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return pandas.DataFrame(self.cv_results_)

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("path_result_", None)
        return state


class _OnPathClassifier(_OnPath, _Classifier):
    _scorer = "neg_log_loss"

    def _held(self, outputs: Numbers) -> Any:
        held = _HeldClassifier(outputs)
        held.classes_ = self.classes_[self._code]
        return held

    def _truth(self, y: Numbers) -> NDArray[Any]:
        return np.asarray(self.classes_[y.astype(np.int64)])


class _ReLUOnPath(_OnPath):
    """effort: work on the network and the bound of every penalty; None: a brief look, enough to choose by."""

    _kind, _default = "relu", {"gap": 1e-2}
    effort: float | None

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "effort": self.effort}


class _GatedOnPath(_OnPath):
    gates: Value

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "gates": self.gates}


@documented
class ReLURegressorCV(_Layers, _ReLUOnPath, _Regressor):
    """A two-layer ReLU network whose penalty is chosen on the path by cross-validation."""

    def __init__(self, *, loss: str = "squared", effort: float | None = None, points: int = 8, ratio: float = 1e-3, cv: Folds = 5, scoring: Scorer = None,
                 scale: Scale = "sum", bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float | None = None,
                 time_limit: float | None = None, random_state: Seed = None, threads: int | None = None, memory: float | None = None,
                 n_jobs: int | None = None, verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(points=points, ratio=ratio, cv=cv, scoring=scoring, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs,
                         verbose=verbose, callback=callback)
        self.loss = loss
        self.effort = effort


@documented
class ReLUClassifierCV(_Layers, _ReLUOnPath, _OnPathClassifier):
    """A two-layer ReLU network as a classifier whose penalty is chosen on the path by cross-validation."""

    def __init__(self, *, class_weight: ClassWeight = None, effort: float | None = None, points: int = 8, ratio: float = 1e-3, cv: Folds = 5, scoring: Scorer = None,
                 scale: Scale = "sum", bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float | None = None,
                 time_limit: float | None = None, random_state: Seed = None, threads: int | None = None, memory: float | None = None,
                 n_jobs: int | None = None, verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(points=points, ratio=ratio, cv=cv, scoring=scoring, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs,
                         verbose=verbose, callback=callback)
        self.class_weight = class_weight
        self.effort = effort


@documented
class GatedReLURegressorCV(_GatedOnPath, _Regressor):
    """A gated ReLU network on sampled gates whose penalty is chosen on the path by cross-validation."""

    def __init__(self, *, loss: str = "squared", gates: Value = 100, points: int = 8, ratio: float = 1e-3, cv: Folds = 5, scoring: Scorer = None,
                 scale: Scale = "sum", bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float | None = None,
                 time_limit: float | None = None, random_state: Seed = None, threads: int | None = None, memory: float | None = None,
                 n_jobs: int | None = None, verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(points=points, ratio=ratio, cv=cv, scoring=scoring, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs,
                         verbose=verbose, callback=callback)
        self.loss = loss
        self.gates = gates


@documented
class GatedReLUClassifierCV(_GatedOnPath, _OnPathClassifier):
    """A gated ReLU network as a classifier whose penalty is chosen on the path by cross-validation."""

    def __init__(self, *, class_weight: ClassWeight = None, gates: Value = 100, points: int = 8, ratio: float = 1e-3, cv: Folds = 5, scoring: Scorer = None,
                 scale: Scale = "sum", bias: Bias = "augment", normalize: NormalizeAuto = "auto", gap: float | None = None,
                 time_limit: float | None = None, random_state: Seed = None, threads: int | None = None, memory: float | None = None,
                 n_jobs: int | None = None, verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(points=points, ratio=ratio, cv=cv, scoring=scoring, scale=scale, bias=bias, normalize=normalize, gap=gap,
                         time_limit=time_limit, random_state=random_state, threads=threads, memory=memory, n_jobs=n_jobs,
                         verbose=verbose, callback=callback)
        self.class_weight = class_weight
        self.gates = gates


class _Fathom(BaseEstimator):
    """What both have: fathom.fit with its parameters. With time = 0 (the default here) the network has no bound; with more seconds
    lower_bound_ holds for every network of any width at the penalty chosen."""

    _task: Literal["classify", "regress"] = "regress"

    def __init__(self, *, scoring: Scoring = "auto", choose: Literal["best", "one-se", "sparse"] = "best", average: bool = False,
                 folds: int = 5, repeats: int = 1, time: float = 0, gap: float | None = None, prune: float | None = None,
                 normalize: Normalize = "standardize", time_limit: float | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
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
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def _frame(self, X: Array, y: Array) -> Any:
        """y of a frame with texts, dates or missing cells, which is taken as it is; None for everything else."""
        if table_text(X) is None:
            self._table = False
            return None
        y = column_or_1d(y, warn=True)
        self._table, self.feature_names_in_ = True, np.asarray([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        check_consistent_length(X, y)
        return y

    def _choose(self, X: Any, y: Numbers, **options: Any) -> None:
        options = {"task": self._task, "score": self.scoring, "choose": self.choose, "normalize": self.normalize, **_run(self), **options}
        fit = commands.fit(X, y, average=self.average, folds=max(2, min(self.folds, len(y))), repeats=self.repeats, time=self.time, gap=self.gap,
                           prune=self.prune, seed=_seed(self.random_state), time_limit=self.time_limit, **options)
        self.result_, self.model_ = fit, fit.model
        self.beta_, self.cv_ = fit.chosen["beta"], fit.cv
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        worth = {one["name"]: one["value"] for one in fit.importance}
        names = self.feature_names_in_ if self._table else [str(k) for k in range(X.shape[1])]
        self.feature_importances_ = np.array([worth.get(name, 0.0) for name in names])

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        state.pop("result_", None)
        return state

    def _rows(self, X: Array) -> Any:
        check_is_fitted(self, "model_")
        return X if self._table else validated(self, X, dtype=np.float64, reset=False)

    def _outputs(self, X: Array) -> Numbers:
        rows = self._rows(X)
        output: Numbers = self.model_.outputs(rows)
        return output


@documented
class FathomRegressor(RegressorMixin, _Fathom):
    """A network whose penalty is chosen by cross-validation: fathom.fit for numbers."""

    def fit(self, X: Array, y: Array) -> Self:
        """Chooses and trains. X: numbers, or a frame with texts, dates and missing cells as it is."""
        target = self._frame(X, y)
        X, y = validated(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2) if target is None else (X, target)
        self._choose(X, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Array) -> Numbers:
        """Outputs of the network, one for every row."""
        return self._outputs(X)[:, 0]


@documented
class FathomClassifier(ClassifierMixin, _Fathom):
    """A network whose penalty is chosen by cross-validation: fathom.fit for classes."""

    _task: Literal["classify", "regress"] = "classify"

    def __init__(self, *, scoring: Scoring = "auto", choose: Literal["best", "one-se", "sparse"] = "best", average: bool = False,
                 balance: bool = False, folds: int = 5, repeats: int = 1, time: float = 0, gap: float | None = None,
                 prune: float | None = None, normalize: Normalize = "standardize",
                 time_limit: float | None = None, random_state: Seed = None,
                 threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(scoring=scoring, choose=choose, average=average, folds=folds, repeats=repeats, time=time, gap=gap,
                         prune=prune, normalize=normalize, time_limit=time_limit, random_state=random_state,
                         threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.balance = balance

    def fit(self, X: Array, y: Array) -> Self:
        """Chooses and trains. X: numbers, or a frame with texts, dates and missing cells as it is."""
        target = self._frame(X, y)
        X, y = validated(self, X, y, dtype=np.float64) if target is None else (X, target)
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
        rows = self._rows(X)
        chance: Numbers = self.model_.predict_proba(rows)
        return chance

    def predict(self, X: Array) -> NDArray[Any]:
        """The likeliest class of every row."""
        place = np.argmax(self.predict_proba(X), axis=1)  # which says where nothing is fitted, before classes_ is missed
        likeliest: NDArray[Any] = self.classes_[place]
        return likeliest
