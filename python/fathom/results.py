# SPDX-License-Identifier: Apache-2.0
"""Results: attributes by the names of the JSON keys, a table in a terminal, a small page in a notebook."""
import html
import math


class Result:
    """What a computation found. Numbers are attributes; `dict(result)` and `result.to_dict()` give them all."""

    title = "result"

    def __init__(self, values, course=()):
        self.__dict__.update(values)
        self._keys = list(values)
        self.course = list(course)

    def update(self, **values):
        """More of what was found."""
        self.__dict__.update(values)
        self._keys += [key for key in values if key not in self._keys]

    def keys(self):
        return list(self._keys)

    def __getitem__(self, key):
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def to_dict(self):
        return {key: self[key] for key in self._keys}

    def _rows(self):
        for key in self._keys:
            value = self[key]
            if value is None or hasattr(value, "shape"):
                continue
            yield key, f"{value:.10g}" if isinstance(value, float) else str(value)

    def __repr__(self):
        rows = list(self._rows())
        wide = max((len(key) for key, _ in rows), default=0)
        return "\n".join([f"fathom {self.title}", *(f"  {key:<{wide}}  {text}" for key, text in rows)])

    def _repr_html_(self):
        cells = "".join(f"<tr><td>{html.escape(k)}</td><td>{html.escape(v)}</td></tr>" for k, v in self._rows())
        return f"<b>fathom {self.title}</b>{chart(self.course)}<table>{cells}</table>"


def chart(course, width=420, height=180):
    """Value and bound against time as an inline picture; empty where there is nothing to draw."""
    points = [(p.seconds, p.value, p.bound) for p in course]
    known = [v for _, *pair in points for v in pair if math.isfinite(v)]
    if len(points) < 2 or not known or max(known) == min(known):
        return ""
    left, right, low, high = points[0][0], points[-1][0], min(known), max(known)
    span = (right - left) or 1

    def line(index, colour):
        at = [f"{10 + (width - 20) * (p[0] - left) / span:.1f},{10 + (height - 30) * (high - p[index]) / (high - low):.1f}"
              for p in points if math.isfinite(p[index])]
        return f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{" ".join(at)}"/>'

    label = f"best value and proven bound over {right:.2g} seconds, from {low:.6g} to {high:.6g}"
    return (f'<svg role="img" aria-label="{label}" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">{line(1, "#1f77b4")}{line(2, "#d95f02")}'
            f'<text x="10" y="{height - 4}" font-size="11" fill="currentColor">{label}</text></svg>')


class TrainResult(Result):
    """A network with its objective and a bound that no network of the class can beat; `model` applies it."""

    title = "train"


class PathResult(Result):
    """Training along decreasing penalties: `path` lists the points, `best` is the one that cross-validation chose."""

    title = "path"

    def __len__(self):
        return len(self.path)

    def __iter__(self):
        return iter(self.path)


class MarginResult(Result):
    title = "margin"


class KernelResult(Result):
    title = "kernel"


class ConesResult(Result):
    title = "cones"


class ConeResult(Result):
    title = "cone"


class GeometryResult(Result):
    title = "geometry"


class CheckResult(Result):
    """Hypotheses measured and bounds compared; `verdict` says whether the theorem applies."""

    title = "check"


class FlowResult(Result):
    """The end of a run, and `trajectory`, its records: arrays by name, `to_pandas()`."""

    title = "flow"


class Trajectory:
    """Records of a run over time: trajectory["log_loss"] is an array, trajectory.records the plain list."""

    def __init__(self, records):
        self.records = records

    def keys(self):
        return list(self.records[0]) if self.records else []

    def __len__(self):
        return len(self.records)

    def __getitem__(self, key):
        import numpy as np

        if self.records and key not in self.records[0]:
            raise KeyError(key)
        column = [record.get(key) for record in self.records]
        if any(isinstance(v, str) for v in column):
            return np.array(column)
        return np.array([math.nan if v is None else v for v in column], dtype=float)

    def to_pandas(self):
        """A pandas DataFrame, one row per record."""
        import pandas

        return pandas.DataFrame(self.records)

    def __repr__(self):
        return f"<fathom.Trajectory: {len(self)} records of {len(self.keys())} quantities>"
