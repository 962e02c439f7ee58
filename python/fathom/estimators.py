# SPDX-License-Identifier: Apache-2.0
"""Estimators for scikit-learn, with the bounds of their fits: objective_, lower_bound_, gap_.

Here are those of one penalty; those that choose it are in _on_path.py and _chosen.py, tangent kernels in _kernel_ridge.py.
"""
from __future__ import annotations

from typing import Any

from ._chosen import FathomClassifier, FathomRegressor
from ._estimator_docs import documented
from ._fitting import Base, Bias, Callback, ClassWeight, Classifier, Layers, NormalizeAuto, Regressor, Scale, Seed
from ._kernel_ridge import NTKClassifier, NTKRegressor
from ._on_path import GatedReLUClassifierCV, GatedReLURegressorCV, ReLUClassifierCV, ReLURegressorCV
from ._types import Path, Value

__all__ = ["FathomRegressor", "FathomClassifier", "ReLURegressor", "ReLUClassifier", "GatedReLURegressor", "GatedReLUClassifier",
           "ReLURegressorCV", "ReLUClassifierCV", "GatedReLURegressorCV", "GatedReLUClassifierCV", "NTKRegressor", "NTKClassifier"]


class _ReLU(Base):
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


@documented
class ReLURegressor(Layers, _ReLU, Regressor):
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
class ReLUClassifier(Layers, _ReLU, Classifier):
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


class _Gated(Base):
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
class GatedReLURegressor(_Gated, Regressor):
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
class GatedReLUClassifier(_Gated, Classifier):
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
