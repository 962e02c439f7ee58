# SPDX-License-Identifier: Apache-2.0
"""Estimators whose penalty is chosen on the path by cross-validation: the CV forms."""
from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

from . import commands
from ._estimator_docs import documented
from ._fitting import (Base, Bias, Callback, ClassWeight, Classifier, Folds, Layers, NormalizeAuto, Numbers, Regressor, Scale, Scorer, Seed, canonical,
                       run_options, seed_of)
from ._types import Value
from .results import PathResult

if TYPE_CHECKING:
    from typing_extensions import Self


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


class OnPath(Base):
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
        options = {"loss": loss, "seed": seed_of(self.random_state), "normalize": self._normalize(X), **self._options(), **run_options(self)}
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


class OnPathClassifier(OnPath, Classifier):
    _scorer = "neg_log_loss"

    def _held(self, outputs: Numbers) -> Any:
        held = _HeldClassifier(outputs)
        held.classes_ = self.classes_[self._code]
        return held

    def _truth(self, y: Numbers) -> NDArray[Any]:
        return np.asarray(self.classes_[y.astype(np.int64)])


class _ReLUOnPath(OnPath):
    """effort: work on the network and the bound of every penalty; None: a brief look, enough to choose by."""

    _kind, _default = "relu", {"gap": 1e-2}
    effort: float | None

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "effort": self.effort}


class _GatedOnPath(OnPath):
    gates: Value

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "gates": self.gates}


@documented
class ReLURegressorCV(Layers, _ReLUOnPath, Regressor):
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
class ReLUClassifierCV(Layers, _ReLUOnPath, OnPathClassifier):
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
class GatedReLURegressorCV(_GatedOnPath, Regressor):
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
class GatedReLUClassifierCV(_GatedOnPath, OnPathClassifier):
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
