# SPDX-License-Identifier: Apache-2.0
"""What estimators share: parameters, data, fits with their bounds; regressors, classifiers, weights of layers.

Examples are put into a canonical form first: equal examples are merged, their weights added, and all are sorted. The
objective is the same, and so are the bits of the fit, whether an example is repeated or weighted, in whatever order.
"""
from __future__ import annotations

import math
import os
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Callable, Literal, Mapping, Optional, Union, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_sample_weight, validation
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import commands
from ._context import Progress
from ._types import Array, Path
from .data import is_sparse, sparse_rows, unmasked
from .errors import FathomError, UsageError
from .results import TrainResult

if TYPE_CHECKING:
    from typing_extensions import Self

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


def validated(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """As scikit-learn does it, but that masked values are refused, where it takes what is under the mask."""
    unmasked("X", X)
    if y is not None and not isinstance(y, str):
        unmasked("y", y)
    if hasattr(validation, "validate_data"):
        return validation.validate_data(estimator, X, y, **options)
    return estimator._validate_data(X, y, **options)  # before scikit-learn 1.6


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


def seed_of(random_state: Seed) -> int:
    if random_state is None:
        return 1
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2 ** 31 - 1))
    return int(random_state)


def threads_of(threads: int | None, n_jobs: int | None) -> int:
    """The number of threads, 0 for all cores: n_jobs is scikit-learn's word for it (-1: all, -2: all but one)."""
    if threads is not None and n_jobs is not None:
        raise ValueError("threads and n_jobs are two words for one thing: give one of them")
    if n_jobs is None or n_jobs > 0:
        return threads or n_jobs or 0
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    return 0 if n_jobs == -1 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


class Listener:
    """Passes records of progress on; with `verbose` prints one a second."""

    def __init__(self, name: str, verbose: bool, callback: Callback | None) -> None:
        self.name, self.verbose, self.callback, self.last = name, verbose, callback, -1.0

    def __call__(self, record: Progress) -> bool | None:
        if self.verbose and record.seconds - self.last >= 1:
            self.last = record.seconds
            known = [f"{name} {number:.6g}" for name, number in (("value", record.value), ("bound", record.bound)) if math.isfinite(number)]
            print(f"[{self.name}] {record.seconds:.0f} s, {record.stage} {record.iteration}" + ": " * bool(known) + ", ".join(known))
        return None if self.callback is None else self.callback(record)


def run_options(estimator: Any) -> dict[str, Any]:
    """Keywords of a call: threads, memory, progress."""
    heard = estimator.verbose or estimator.callback is not None
    return {"threads": threads_of(estimator.threads, estimator.n_jobs), "memory": estimator.memory,
            "progress": Listener(type(estimator).__name__, estimator.verbose, estimator.callback) if heard else None}


def weights_of(sample_weight: Array | None, X: Any) -> Numbers | None:
    """Weights as an array, one for every row of X; None where there are none."""
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


class Base(BaseEstimator):
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
        run: dict[str, Any] = {"seed": seed_of(self.random_state), "time_limit": self.time_limit, **run_options(self), "loss": loss}
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

    def _rows(self, X: Array) -> Numbers:
        check_is_fitted(self, "model_")
        rows: Numbers = validated(self, X, dtype=np.float64, accept_sparse="csr", reset=False)
        return rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class ManyTargets(BaseEstimator):
    """Says to scikit-learn that y may have several columns, in the way of its versions."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        return {"multioutput": True}


class Regressor(ManyTargets, RegressorMixin, Base):
    loss: str

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Fits by `loss`; several targets, which share their neurons, by the squared loss alone."""
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr", multi_output=True, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        self._solve(X, y, weights_of(sample_weight, X), self.loss)
        self._flat = y.ndim == 1
        return self

    def predict(self, X: Array) -> Numbers:
        """Outputs of the network, one for every row."""
        X = self._rows(X)
        output = self.model_.outputs(X)
        return output[:, 0] if self._flat else output


class Classifier(ClassifierMixin, Base):
    class_weight: ClassWeight

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Fits by the logistic loss, softmax for more than two classes."""
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr")
        check_classification_targets(y)
        weight = weights_of(sample_weight, X)
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


class Layers:
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
