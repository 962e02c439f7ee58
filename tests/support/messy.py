# SPDX-License-Identifier: Apache-2.0
"""Messy tables: random columns of known kinds, written in a random dialect, with the numbers that reading them must give.

make(seed) gives (bytes of a CSV file, kinds by name, matrix, target): the twin of src/dataset/schema_*.c, which knows what
each column is because it made it.
"""
import datetime
import random
import statistics

MISSING = ["", "NA", "?", "null", "n/a", "NaN", "-"]


def _number(rng, n):
    cells = [round(rng.gauss(50, 20), 3) for _ in range(n)]
    before, behind = rng.choice([("", "")] * 4 + [("$", ""), ("€ ", ""), ("EUR ", ""), ("", " kg"), ("", "cm"), ("", " m/s"), ("", " °C"), ("", " USD")])
    return cells, [before + str(c) + behind for c in cells]


def _date(rng, n):
    form = rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M", "%d %b %Y", "%d-%b-%y", "%B %d, %Y", "%m/%d/%y", "%d.%m.%y"])
    cells = [datetime.datetime(2019, 1, 1) + datetime.timedelta(days=rng.randrange(900), minutes=rng.randrange(1440) if "H" in form else 0)
             for _ in range(n)]
    return cells, [c.strftime(form) for c in cells]


def _category(rng, n):
    texts = rng.sample(["red", "green", "blue", "dark grey", "O'Neil", "Zürich"], rng.randint(2, 5))
    cells = [texts[k] if k < len(texts) else rng.choice(texts) for k in range(n)]
    return cells, cells


def _parts(date):
    start, end = datetime.datetime(date.year, 1, 1), datetime.datetime(date.year + 1, 1, 1)
    year = date.year + (date - start).total_seconds() / (end - start).total_seconds()
    return [year, float(date.month), float(date.isoweekday()), (date - datetime.datetime(date.year, date.month, date.day)).total_seconds() / 3600]


def _median(values):
    values = sorted(values)
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return low + (high - low) / 2 if isinstance(low, datetime.datetime) else statistics.median(values)


def _design(kind, cells):
    """Columns of numbers of one column; None is a missing cell."""
    there = [c for c in cells if c is not None]
    indicator = [[float(c is None) for c in cells]] if len(there) < len(cells) else []
    if kind == "number":
        return [[_median(there) if c is None else c for c in cells]] + indicator
    if kind == "category":
        return [[float(c == text) for c in cells] for text in sorted(set(there), key=lambda t: t.encode())] + indicator
    parts = [_parts(_median(there) if c is None else c) for c in cells]
    seen = [_parts(c) for c in there]
    return [[p[k] for p in parts] for k in range(4) if len({p[k] for p in seen}) > 1] + indicator


def make(seed):
    rng = random.Random(seed)
    n = rng.randint(60, 120)
    makers = {"number": _number, "date": _date, "category": _category}
    kinds = [rng.choice(list(makers)) for _ in range(rng.randint(2, 5))] + ["number", "identifier", "constant", "name"]
    rng.shuffle(kinds)
    names, headed, written, numbers = [], [], [], []
    doubled = rng.random() < 0.2  # columns of one name
    for k, kind in enumerate(kinds):
        names.append({"identifier": "id", "constant": "always", "name": "who"}.get(kind, f"{kind} {k}"))
        headed.append("twice" if kind in makers and doubled else names[-1])
        if headed[-1] == "twice":
            names[-1] = "twice" if "twice" not in names else f"twice ({headed.count('twice')})"
        if kind in makers:
            cells, texts = makers[kind](rng, n)
            gone = [rng.random() < 0.05 for _ in range(n)] if rng.random() < 0.7 else [False] * n
            gone[:6] = [False] * 6
            cells = [None if g else c for c, g in zip(cells, gone)]
            texts = [rng.choice(MISSING) if g else t for t, g in zip(texts, gone)]
            numbers += _design(kind, cells)
        else:
            first = rng.randint(0, 1)  # fewer than 200 rows
            texts = {"identifier": [str(first + i) for i in range(n)], "constant": ["7"] * n, "name": [f"person {i}" for i in range(n)]}[kind]
        written.append(texts)
    target = [rng.choice(["yes", "no"]) for _ in range(n)]
    target[:2] = ["yes", "no"]
    separator = rng.choice([",", ";", "\t", "|"])
    comma = separator == ";" and rng.random() < 0.7
    rows = [[t.replace(".", ",") if comma and kind == "number" else t for t, kind in zip(row, kinds)] for row in zip(*written)]
    quote = lambda t: f'"{t}"' if separator in t or rng.random() < 0.05 else t
    lines = [separator.join(map(quote, row)) for row in [[*headed, "label"], *[[*row, y] for row, y in zip(rows, target)]]]
    end = rng.choice(["\n", "\r\n", "\r"])
    if rng.random() < 0.2:
        lines = [line + separator for line in lines]
    text = end.join(lines) + end
    encoded = rng.choice([b"\xef\xbb\xbf" + text.encode(), text.encode(), text.encode("utf-16"), text.encode("utf-16-le"), text.encode("utf-16-be")])
    kind_of = {name: "identifier" if kind == "name" else kind for name, kind in zip(names, kinds)}
    return encoded, kind_of, [list(row) for row in zip(*numbers)], [float(y == "yes") for y in target]
