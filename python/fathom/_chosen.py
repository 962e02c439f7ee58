# SPDX-License-Identifier: Apache-2.0
"""Estimators by fathom.fit, which chooses the penalty and takes tables as they are."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Sequence, Union, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from . import commands
from ._estimator_docs import documented
from ._fitting import Callback, ClassWeight, NormalizeAuto, Numbers, Scoring, Seed, canonical, run_options, seed_of, validated, weights_of
from ._tables import is_missing, table_text
from ._types import Array

if TYPE_CHECKING:
    from typing_extensions import Self


Names = Union[str, Sequence[str], None]


class Chosen(BaseEstimator):
    """What both have: fathom.fit with its parameters. With time = 0 (the default here) the network has no bound; with more seconds
    lower_bound_ holds for every network of any width at the penalty chosen."""

    _task: Literal["classify", "regress"] = "regress"

    def __init__(self, *, scoring: Scoring = "auto", choose: Literal["best", "one-se", "sparse"] = "best", model: Literal["auto", "relu", "gated"] = "auto",
                 width: int | None = None, average: bool = False, folds: int = 5, repeats: int = 1, time: float = 0, gap: float | None = None, prune: float | None = None,
                 normalize: NormalizeAuto = "auto", as_category: Names = None, keep: Names = None, drop: Names = None, time_limit: float | None = None,
                 random_state: Seed = None, threads: int | None = None,
                 memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        self.scoring = scoring
        self.choose = choose
        self.model = model
        self.width = width
        self.average = average
        self.folds = folds
        self.repeats = repeats
        self.time = time
        self.gap = gap
        self.prune = prune
        self.normalize = normalize
        self.as_category = as_category
        self.keep = keep
        self.drop = drop
        self.time_limit = time_limit
        self.random_state = random_state
        self.threads = threads
        self.memory = memory
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.callback = callback

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _frame(self, X: Array, y: Array) -> Any:
        """y of a frame with texts, dates or missing cells, which is taken as it is; None for everything else."""
        if table_text(X) is None:
            self._table = False
            return None
        y = column_or_1d(y, warn=True)
        self._table, self.feature_names_in_ = True, np.asarray([str(name) for name in X.columns], dtype=object)
        self.n_features_in_ = len(self.feature_names_in_)
        check_consistent_length(X, y)
        missing = sum(map(is_missing, y))
        if missing > 0:
            raise ValueError(f"y is missing in {missing} of {len(y)} rows: leave them out")
        return y

    def _choose(self, X: Any, y: Numbers, sample_weight: Array | None, **options: Any) -> None:
        if self._table:
            weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        else:  # equal examples are one with the sum of their weights, and in one fold
            X, y, weight = canonical(X, y, weights_of(sample_weight, X))
            weight = None if np.all(weight == 1) else weight
        for name in ("as_category", "keep", "drop"):
            listed = getattr(self, name)
            if listed is not None and not self._table:
                raise ValueError(f"{name} names columns of frames with texts, dates or missing cells; X is a matrix of numbers")
            options[name] = listed if listed is None or isinstance(listed, str) else ",".join(map(str, listed))
        options = {"task": self._task, "score": self.scoring, "choose": self.choose, "normalize": self.normalize, **run_options(self), **options}
        fit = commands.fit(X, y, weight, average=self.average, model=self.model, width=self.width, folds=max(2, min(self.folds, len(y))), repeats=self.repeats, time=self.time, gap=self.gap,
                           prune=self.prune, seed=seed_of(self.random_state), time_limit=self.time_limit, **options)
        self.result_, self.model_ = fit, fit.model
        self.beta_, self.cv_ = fit.chosen["beta"], fit.cv
        self.objective_, self.lower_bound_ = fit.objective, fit.lower_bound
        worth = {one["name"]: one["value"] for one in fit.importance}
        names = [one["name"] for one in fit.columns] if self._table else [str(k) for k in range(X.shape[1])]
        self.feature_importances_ = np.array([worth.get(name, 0.0) for name in names])

    def __getstate__(self) -> dict[str, Any]:
        state = dict(cast("dict[str, Any]", super().__getstate__()))
        state.pop("result_", None)
        return state

    def _rows(self, X: Array) -> Any:
        check_is_fitted(self, "model_")
        return X if self._table else validated(self, X, dtype=np.float64, accept_sparse="csr", reset=False)

    def _outputs(self, X: Array) -> Numbers:
        rows = self._rows(X)
        output: Numbers = self.model_.outputs(rows)
        return output


@documented
class FathomRegressor(RegressorMixin, Chosen):
    """A network whose penalty is chosen by cross-validation: fathom.fit for numbers."""

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Chooses and trains. X: numbers, sparse rows, or a frame with texts, dates and missing cells as it is."""
        target = self._frame(X, y)
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr", y_numeric=True, ensure_min_samples=2) if target is None else (X, target)
        self._choose(X, np.asarray(y, dtype=np.float64), sample_weight)
        return self

    def predict(self, X: Array) -> Numbers:
        """Outputs of the network, one for every row."""
        return self._outputs(X)[:, 0]


@documented
class FathomClassifier(ClassifierMixin, Chosen):
    """A network whose penalty is chosen by cross-validation: fathom.fit for classes."""

    _task: Literal["classify", "regress"] = "classify"

    def __init__(self, *, scoring: Scoring = "auto", choose: Literal["best", "one-se", "sparse"] = "best", model: Literal["auto", "relu", "gated"] = "auto",
                 width: int | None = None, average: bool = False, balance: bool = False, class_weight: ClassWeight = None, folds: int = 5, repeats: int = 1, time: float = 0, gap: float | None = None,
                 prune: float | None = None, normalize: NormalizeAuto = "auto",
                 as_category: Names = None, keep: Names = None, drop: Names = None, time_limit: float | None = None, random_state: Seed = None,
                 threads: int | None = None, memory: float | None = None, n_jobs: int | None = None,
                 verbose: bool = False, callback: Callback | None = None) -> None:
        super().__init__(scoring=scoring, choose=choose, model=model, width=width, average=average, folds=folds, repeats=repeats, time=time, gap=gap,
                         prune=prune, normalize=normalize, as_category=as_category, keep=keep, drop=drop, time_limit=time_limit, random_state=random_state,
                         threads=threads, memory=memory, n_jobs=n_jobs, verbose=verbose, callback=callback)
        self.balance = balance
        self.class_weight = class_weight

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Chooses and trains. X: numbers, sparse rows, or a frame with texts, dates and missing cells as it is."""
        target = self._frame(X, y)
        X, y = validated(self, X, y, dtype=np.float64, accept_sparse="csr") if target is None else (X, target)
        check_classification_targets(y)
        self.classes_, code = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"{type(self).__name__} needs two classes; the data contains 1 class")
        if self.class_weight is not None:
            by_class = np.asarray(compute_sample_weight(self.class_weight, y), dtype=np.float64)
            given = weights_of(sample_weight, by_class[:, None])
            sample_weight = by_class if given is None else by_class * given
        self._choose(X, code.astype(np.float64), sample_weight, balance=self.balance)
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
