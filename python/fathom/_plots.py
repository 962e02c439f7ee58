# SPDX-License-Identifier: Apache-2.0
"""Pictures of results and models by matplotlib, which is imported when the first is drawn.

Every function draws into the axes it is given, or into new ones, and returns them.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import UsageError

if TYPE_CHECKING:
    from . import results
    from ._types import Array
    from .model import Model

BLUE, ORANGE, GREY = "#1f77b4", "#d95f02", "#777777"


def axes(ax: Any) -> Any:
    """These axes, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("plots need the package matplotlib: pip install matplotlib") from None
    return pyplot.subplots()[1]


def _finish(ax: Any, x: str, y: str, legend: bool = True) -> Any:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax


def course(result: results.Result, ax: Any) -> Any:
    """Best value and proven bound over the seconds of a run."""
    points = [(p.seconds, p.value, p.bound) for p in result.course]
    if not points:
        raise UsageError("there is no course to draw: the run was over at once")
    ax = axes(ax)
    seconds, value, bound = np.array(points, dtype=np.float64).T
    ax.plot(seconds, value, color=BLUE, label="best network")
    ax.plot(seconds, bound, color=ORANGE, label="proven bound")
    return _finish(ax, "seconds", "objective")


def path(result: results.PathResult, ax: Any) -> Any:
    """Held-out loss with its standard errors against the penalty; without cross-validation objective and bound."""
    ax, beta = axes(ax), [point.beta for point in result.path]
    if result.cv_loss is not None and result.best is not None:
        ax.errorbar(beta, result.cv_loss, yerr=result.cv_error, color=BLUE, capsize=2, label="rows left out")
        ax.axvline(result.best.beta, color=ORANGE, linestyle="--", label="chosen")
    else:
        ax.plot(beta, [point.objective for point in result.path], color=BLUE, marker="o", label="network")
        ax.plot(beta, [point.lower_bound for point in result.path], color=ORANGE, marker=".", label="proven bound")
    ax.set_xscale("log")
    return _finish(ax, "penalty beta", "loss" if result.cv_loss is not None else "objective")


def fit(result: results.FitResult, ax: Any) -> Any:
    """The score of every candidate with its standard error against the penalty, and the chosen one."""
    ax, rows = axes(ax), result.candidates
    error = [row["high"] - row["score"] for row in rows]
    ax.errorbar([row["beta"] for row in rows], [row["score"] for row in rows], yerr=error, color=BLUE, capsize=2, label="rows left out")
    ax.axvline(result.chosen["beta"], color=ORANGE, linestyle="--", label="chosen")
    ax.set_xscale("log")
    return _finish(ax, "penalty beta", result.cv["score"])


def trajectory(records: results.Trajectory, ax: Any, key: str, against: str | None) -> Any:
    """One quantity of a run over its steps, or its time; a logarithm of the loss is drawn as the loss on a logarithmic scale."""
    ax = axes(ax)
    steps = against or ("steps" if "steps" in records.keys() and records["steps"][-1] > 0 else "time")
    value = records[key]
    if key == "log_loss" and value.min() > -700:
        value, key = np.exp(value), "loss"
        ax.set_yscale("log")
    ax.plot(records[steps], value, color=BLUE)
    return _finish(ax, steps, key, legend=False)


def margin(result: results.MarginResult, ax: Any) -> Any:
    """Margins of the examples under the separator, ascending, beside the interval of the margin."""
    ax = axes(ax)
    if result.margins is not None:
        ax.plot(np.arange(1, len(result.margins) + 1), np.sort(result.margins), color=BLUE, marker=".", linestyle="", label="examples")
    ax.axhspan(result.lower, result.upper, color=ORANGE, alpha=0.4)
    ax.axhline(result.value, color=ORANGE, label="margin")
    return _finish(ax, "examples", "margin")


def kernel(result: results.KernelResult, ax: Any) -> Any:
    """The kernel matrix."""
    ax = axes(ax)
    ax.figure.colorbar(ax.imshow(result.matrix), ax=ax)
    return _finish(ax, "example", "example", legend=False)


def cones(result: Any, ax: Any) -> Any:
    """Gaussian measures of the cones, largest first, with their bounds."""
    if getattr(result, "measures", None) is None:
        raise UsageError("there are no measures to draw: cones(..., measure=True) has them")
    order = np.argsort(-result.measures)
    value, ax = result.measures[order], axes(ax)
    below, above = value - result.measures_lower[order], result.measures_upper[order] - value
    ax.errorbar(np.arange(1, len(value) + 1), value, yerr=np.maximum([below, above], 0), color=BLUE, marker=".", linestyle="")
    return _finish(ax, "cone", "Gaussian measure", legend=False)


def check(result: results.CheckResult, ax: Any) -> Any:
    """Lines of a check, hypotheses above comparisons, by what is known of them."""
    lines = [*result.hypotheses, *result.comparisons]
    ax, colour = axes(ax), {True: BLUE, False: ORANGE, None: GREY}
    word = {True: "holds", False: "does not hold", None: "undecided"}
    for k, line in enumerate(lines):
        ax.barh(k, 1, color=colour[line["holds"]])
        ax.text(0.02, k, f"{line['name']}: {word[line['holds']]}", va="center", color="white", fontsize=8)
    ax.invert_yaxis()
    ax.set_axis_off()
    ax.set_title(f"{result.theorem}: {result.verdict}")
    return ax


def _box(X: NDArray[np.float64] | None, columns: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ranges of the columns with a margin of a tenth."""
    if X is None:
        return np.full(columns, -3.0), np.full(columns, 3.0)
    low, high = X.min(axis=0), X.max(axis=0)
    space = np.where(high > low, 0.1 * (high - low), 1.0)
    return low - space, high + space


def regions(model: Model, X: Array | None, y: Array | None, ax: Any, output: int) -> Any:
    """The function over its one or two columns, with every kink."""
    columns = model._view.preprocess.columns
    if columns not in (1, 2):
        raise UsageError(f"regions are drawn over one or two columns; this model has {columns}")
    if not 0 <= output < model.shape[2]:
        raise UsageError(f"output: expected 0 to {model.shape[2] - 1}, got {output}")
    rows = None if X is None else np.asarray(X, dtype=np.float64).reshape(-1, columns)
    ax = axes(ax)
    return (_line if columns == 1 else _plane)(model, rows, y, ax, output)


def _kinks(model: Model) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Directions and offsets of the hyperplanes on the raw columns; none where they are no lines there."""
    try:
        coefs, intercepts = model.layers()
    except UsageError:
        return np.zeros((model._view.preprocess.columns, 0)), np.zeros(0)
    return coefs[0], intercepts[0]


def _line(model: Model, rows: NDArray[np.float64] | None, y: Array | None, ax: Any, output: int) -> Any:
    low, high = _box(rows, 1)
    direction, offset = _kinks(model)
    moving = direction[0] != 0
    kinks = -offset[moving] / direction[0, moving]
    kinks = np.sort(kinks[(kinks > low[0]) & (kinks < high[0])])
    at = np.union1d(np.linspace(low[0], high[0], 201), kinks)  # linear in between: exact where the kinks are known
    ax.plot(at, model.outputs(at[:, None])[:, output], color=BLUE, label="network")
    if len(kinks):
        ax.plot(kinks, model.outputs(kinks[:, None])[:, output], color=ORANGE, marker="o", linestyle="", label="kinks")
    if rows is not None and y is not None and np.asarray(y).dtype.kind in "fiub":
        ax.plot(rows[:, 0], np.asarray(y, dtype=np.float64), color=GREY, marker=".", linestyle="", label="examples")
    return _finish(ax, (model.columns or ["x"])[0], "output")


def _plane(model: Model, rows: NDArray[np.float64] | None, y: Array | None, ax: Any, output: int) -> Any:
    low, high = _box(rows, 2)
    first, second = (np.linspace(low[k], high[k], 161) for k in range(2))
    grid = np.stack(np.meshgrid(first, second), axis=-1)
    value = model.outputs(grid.reshape(-1, 2))[:, output].reshape(161, 161)
    most = float(np.abs(value).max()) or 1.0
    shown = ax.contourf(first, second, value, levels=20, cmap="RdBu_r", vmin=-most, vmax=most)
    ax.figure.colorbar(shown, ax=ax)
    directions, offsets = _kinks(model)
    for direction, offset in zip(directions.T, offsets):
        if np.any(direction != 0):
            away = -offset * direction / (direction @ direction)
            ax.axline(away, away + np.array([-direction[1], direction[0]]), color=GREY, linewidth=0.6)
    if rows is not None:
        colour = None if y is None else np.unique(np.asarray(y), return_inverse=True)[1]
        ax.scatter(rows[:, 0], rows[:, 1], c=colour, s=12, edgecolors="black", linewidths=0.4)
    ax.set_xlim(low[0], high[0])
    ax.set_ylim(low[1], high[1])
    names = model.columns or ["x1", "x2"]
    return _finish(ax, names[0], names[1], legend=False)


def neurons(model: Model, ax: Any, names: Sequence[str] | None, most: int) -> Any:
    """Weights of the largest neurons on the columns, each times the size of its output weights and, for one output, their sign."""
    w, columns = model.weights, model._view.preprocess.columns
    if "U" not in w:
        raise UsageError(f"a network of kind {model.kind} has no neurons to draw")
    outer = w["W"].reshape(len(w["U"]), -1) * w.get("rho", np.ones(len(w["U"])))[:, None]
    inner = w["U"][:, :columns]
    size = np.linalg.norm(outer, axis=1) * np.linalg.norm(inner, axis=1)
    order = np.argsort(-size)[:most]
    sign = np.sign(outer[:, 0]) if outer.shape[1] == 1 else np.ones(len(outer))
    picture = (inner * (np.linalg.norm(outer, axis=1) * sign)[:, None])[order]
    ax, top = axes(ax), float(np.abs(picture).max()) if picture.size else 1.0
    shown = ax.imshow(picture, cmap="RdBu_r", vmin=-top, vmax=top, aspect="auto")
    ax.figure.colorbar(shown, ax=ax)
    labels = list(names) if names is not None else model.columns or [f"x{k + 1}" for k in range(columns)]
    ax.set_xticks(range(columns), labels[:columns], rotation=90 if columns > 6 else 0)
    ax.set_yticks(range(len(order)), [str(j) for j in order])
    share = size[order].sum() / size.sum() if size.sum() > 0 else math.nan
    ax.set_title(f"{len(order)} of {len(size)} neurons, {share:.0%} of the norm" if len(size) else "no neurons")
    return _finish(ax, "column", "neuron", legend=False)
