# SPDX-License-Identifier: Apache-2.0
"""Results: attributes by the names of the JSON keys, a table in a terminal, a small page in a notebook."""
from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from ._result_docs import documented

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._context import Progress
    from .model import Model

    Vector = NDArray[np.float64]


@documented
class Result:
    """What a computation found: numbers are attributes; `dict(result)` and `result.to_dict()` give them all."""

    title = "result"

    if TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any: ...  # more by the names of the JSON keys

    def __init__(self, values: dict[str, Any], course: Iterable[Progress] = ()) -> None:
        self.__dict__.update(values)
        self._keys = list(values)
        self.course = list(course)

    def update(self, **values: Any) -> None:
        """Adds to what was found.

        Parameters
        ----------
        **values : object
            more of it, by name

        Examples
        --------
        >>> import fathom
        >>> found = fathom.cones("gen:circle,n=8")
        >>> found.update(place="here")
        >>> found["place"]
        'here'
        """
        self.__dict__.update(values)
        self._keys += [key for key in values if key not in self._keys]

    def keys(self) -> list[str]:
        """Names what was found.

        Returns
        -------
        list of str
            the names, which are attributes

        Examples
        --------
        >>> import fathom
        >>> "cones" in fathom.cones("gen:circle,n=8").keys()
        True
        """
        return list(self._keys)

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def to_dict(self) -> dict[str, Any]:
        """Gives all that was found.

        Returns
        -------
        dict
            values by name

        Examples
        --------
        >>> import fathom
        >>> fathom.cones("gen:circle,n=8").to_dict()["cones"]
        8
        """
        return {key: self[key] for key in self._keys}

    def _plain(self) -> dict[str, Any]:
        """The members that are one number or text."""
        return {key: self[key] for key in self._keys if isinstance(self[key], (str, int, float))}

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row, the members that are one number or text."""
        import pandas

        return pandas.DataFrame([self._plain()])

    def plot(self, ax: Any = None) -> Any:
        """Draws best value and proven bound over the seconds of the run (matplotlib)."""
        from . import _plots

        return _plots.course(self, ax)

    def _rows(self) -> Iterator[tuple[str, str]]:
        for key in self._keys:
            value = self[key]
            if value is None or hasattr(value, "shape"):
                continue
            yield key, _brief(value)

    def __repr__(self) -> str:
        rows = list(self._rows())
        wide = max((len(key) for key, _ in rows), default=0)
        return "\n".join([f"fathom {self.title}", *(f"  {key:<{wide}}  {text}" for key, text in rows)])

    def _repr_html_(self) -> str:
        cells = "".join(f"<tr><td>{html.escape(k)}</td><td>{html.escape(v)}</td></tr>" for k, v in self._rows())
        return f"<b>fathom {self.title}</b>{chart(self.course)}<table>{cells}</table>"


def _brief(value: Any) -> str:
    """A member in a line: long lists by their length, objects by what is one number or text in them."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_brief(one)}" for key, one in value.items() if isinstance(one, (str, int, float)))
    if isinstance(value, (list, tuple)) and len(str(value)) > 80:
        return f"{len(value)} entries"
    return str(value)


def chart(course: list[Progress], width: int = 420, height: int = 180) -> str:
    """Value and bound against time as an inline picture; empty where there is nothing to draw."""
    points = [(p.seconds, p.value, p.bound) for p in course]
    known = [v for _, *pair in points for v in pair if math.isfinite(v)]
    if len(points) < 2 or not known or max(known) == min(known):
        return ""
    left, right, low, high = points[0][0], points[-1][0], min(known), max(known)
    span = (right - left) or 1

    def line(index: int, colour: str) -> str:
        at = [f"{10 + (width - 20) * (p[0] - left) / span:.1f},{10 + (height - 30) * (high - p[index]) / (high - low):.1f}"
              for p in points if math.isfinite(p[index])]
        return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(at)}"/>'

    label = f"best value and proven bound over {right:.2g} seconds, from {low:.6g} to {high:.6g}"
    return (f'<svg role="img" aria-label="{label}" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">{line(1, "#1f77b4")}{line(2, "#d95f02")}'
            f'<text x="10" y="{height - 4}" font-size="11" fill="currentColor">{label}</text></svg>')


@documented
class TrainResult(Result):
    """A network with its objective and a bound that no network of the class can beat; `model` applies it."""

    title = "train"
    status: str
    objective: float
    lower_bound: float
    gap: float
    relative_gap: float
    bound: str
    bound_method: str
    beta: float
    beta_max: float
    norm: float
    neurons: int
    iterations: int
    method: str
    score: Any
    model: Model


@documented
class FitResult(Result):
    """A network chosen by cross-validation: `model` applies it, `cv` says what to expect, `rivals` beside what."""

    title = "fit"
    task: str
    end: str
    chosen: dict[str, Any]
    cv: dict[str, Any]
    rivals: list[dict[str, Any]]
    importance: list[dict[str, Any]]
    warnings: list[str]
    objective: float
    lower_bound: float | None
    relative_gap: float | None
    neurons: int
    training: Any
    model: Model

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row per penalty that was tried."""
        import pandas

        return pandas.DataFrame(self.cv["table"])

    def plot(self, ax: Any = None) -> Any:
        """Draws the score against the penalty, and the chosen one (matplotlib)."""
        from . import _plots

        return _plots.fit(self, ax)


@documented
class PathResult(Result):
    """Training along decreasing penalties: `path` lists the points, `best` is the one that cross-validation chose."""

    title = "path"
    path: list[TrainResult]
    best: TrainResult | None
    end: str
    cv_loss: Vector | None
    cv_error: Vector | None
    fold: NDArray[np.int64] | None
    held_out: NDArray[np.float64] | None

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row per penalty."""
        import pandas

        return pandas.DataFrame(self.table())

    def plot(self, ax: Any = None) -> Any:
        """Draws the held-out loss against the penalty, without cross-validation objective and bound (matplotlib)."""
        from . import _plots

        return _plots.path(self, ax)

    def table(self) -> dict[str, list[Any]]:
        """Gives columns by name, one entry per penalty.

        Returns
        -------
        dict of lists
            beta, objective, lower_bound, neurons and more

        Examples
        --------
        >>> import fathom
        >>> len(fathom.path("gen:circle,n=8", model="gated", gates=8, points=3).table()["beta"])
        3
        """
        names = ("beta", "beta_max", "objective", "lower_bound", "relative_gap", "loss", "norm", "neurons", "status")
        columns = {name: [point[name] for point in self.path] for name in names}
        if self.cv_loss is not None and self.cv_error is not None:
            columns |= {"cv_loss": list(self.cv_loss), "cv_error": list(self.cv_error)}
        return columns

    def __len__(self) -> int:
        return len(self.path)

    def __iter__(self) -> Iterator[TrainResult]:
        return iter(self.path)


@documented
class MarginResult(Result):
    """A margin between `lower` and `upper`; `exact` where both hold always, otherwise with `confidence`."""

    title = "margin"
    kind: str
    value: float
    lower: float
    upper: float
    exact: bool
    confidence: float
    method: str
    q: Vector | None
    margins: Vector | None

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row per example: its margin under the separator and its weight q in the upper bound."""
        import pandas

        return pandas.DataFrame({"margin": self.margins, "q": self.q})

    def plot(self, ax: Any = None) -> Any:
        """Draws the margins of the examples beside the interval of the margin (matplotlib)."""
        from . import _plots

        return _plots.margin(self, ax)


@documented
class KernelResult(Result):
    """A tangent kernel matrix with proven intervals for the ends of its spectrum."""

    title = "kernel"
    matrix: NDArray[np.float64]
    lambda_min: float
    lambda_min_lower: float
    lambda_min_upper: float
    lambda_max: float
    trace: float
    condition: float | None

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): the matrix."""
        import pandas

        return pandas.DataFrame(self.matrix)

    def plot(self, ax: Any = None) -> Any:
        """Draws the matrix (matplotlib)."""
        from . import _plots

        return _plots.kernel(self, ax)


@documented
class ConesResult(Result):
    """Cones of an arrangement, counted; with their measures where those were asked for."""

    title = "cones"
    cones: int
    method: str

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row per cone with its `pattern` and measure where those were asked for, else of the counts."""
        import pandas

        if getattr(self, "measures", None) is None:
            return super().to_pandas()
        pattern = ["".join("1" if active else "0" for active in row) for row in self.patterns]
        return pandas.DataFrame({"pattern": pattern, "measure": self.measures, "lower": self.measures_lower, "upper": self.measures_upper})

    def plot(self, ax: Any = None) -> Any:
        """Draws the measures of the cones, largest first (matplotlib)."""
        from . import _plots

        return _plots.cones(self, ax)


@documented
class ConeResult(Result):
    """One cone: empty with weights that prove it, or its dimension with a point inside."""

    title = "cone"
    empty: bool
    dimension: int | None
    witness: list[int] | None
    point: Vector | None
    forced: list[int]
    weights: list[int]
    reading: str


@documented
class GeometryResult(Result):
    """Facts about the rectified ellipsoid; None where undecided."""

    title = "geometry"
    rank: int
    whitened: bool
    rank_one: bool
    spike_free: bool | None


@documented
class CheckResult(Result):
    """Hypotheses measured and bounds compared; `verdict` says whether the theorem applies."""

    title = "check"
    theorem: str
    verdict: str
    applies: bool | None
    holds: bool | None
    hypotheses: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]
    least: list[dict[str, Any]]

    @property
    def needs(self) -> list[dict[str, Any]]:
        """What `solve` and `widths` found, an older name of `least`."""
        return self.least

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row per hypothesis and comparison."""
        import pandas

        return pandas.DataFrame([{"kind": kind, **line} for kind, lines in (("hypothesis", self.hypotheses), ("comparison", self.comparisons))
                                 for line in lines])

    def plot(self, ax: Any = None) -> Any:
        """Draws what holds (matplotlib)."""
        from . import _plots

        return _plots.check(self, ax)


@documented
class FlowResult(Result):
    """The end of a run, and `trajectory`, its records: arrays by name, `to_pandas()`."""

    title = "flow"
    status: str
    steps: int
    log_loss: float
    accuracy: float
    norm: float
    model: Model
    trajectory: Trajectory

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): the trajectory, one row per record."""
        return self.trajectory.to_pandas()

    def plot(self, ax: Any = None, key: str = "log_loss", against: str | None = None) -> Any:
        """Draws a quantity of the trajectory, by default the loss, over steps or time (matplotlib)."""
        return self.trajectory.plot(ax, key, against)


@documented
class Trajectory:
    """Records of a run over time: trajectory["log_loss"] is an array, trajectory.records the plain list."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self.records = records

    def keys(self) -> list[str]:
        """Names the quantities.

        Returns
        -------
        list of str
            their names

        Examples
        --------
        >>> import fathom
        >>> "log_loss" in fathom.flow("gen:xor,n=32", width=8, until="steps=100").trajectory.keys()
        True
        """
        return list(self.records[0]) if self.records else []

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, key: str) -> NDArray[Any]:
        import numpy as np

        if self.records and key not in self.records[0]:
            raise KeyError(key)
        column = [record.get(key) for record in self.records]
        if any(isinstance(v, str) for v in column):
            return np.array(column)
        return np.array([math.nan if v is None else v for v in column], dtype=float)

    def to_pandas(self) -> Any:
        """Makes a table of it (pandas): one row per record."""
        import pandas

        return pandas.DataFrame(self.records)

    def plot(self, ax: Any = None, key: str = "log_loss", against: str | None = None) -> Any:
        """Draws one quantity over steps or time (matplotlib)."""
        from . import _plots

        return _plots.trajectory(self, ax, key, against)

    def __repr__(self) -> str:
        return f"<fathom.Trajectory: {len(self)} records of {len(self.keys())} quantities>"
