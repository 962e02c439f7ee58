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
    return cells, [str(c) for c in cells]


def _date(rng, n):
    form = rng.choice(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d %H:%M"])
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
    names, columns, written, numbers = [], [], [], []
    for k, kind in enumerate(kinds):
        names.append({"identifier": "id", "constant": "always", "name": "who"}.get(kind, f"{kind} {k}"))
        if kind in makers:
            cells, texts = makers[kind](rng, n)
            gone = [rng.random() < 0.05 for _ in range(n)] if rng.random() < 0.7 else [False] * n
            gone[:6] = [False] * 6
            cells = [None if g else c for c, g in zip(cells, gone)]
            texts = [rng.choice(MISSING) if g else t for t, g in zip(texts, gone)]
            numbers += _design(kind, cells)
        else:
            first = rng.randint(0, 1)
            texts = {"identifier": [str(first + i) for i in range(n)], "constant": ["7"] * n, "name": [f"person {i}" for i in range(n)]}[kind]
        written.append(texts)
    target = [rng.choice(["yes", "no"]) for _ in range(n)]
    target[:2] = ["yes", "no"]
    separator = rng.choice([",", ";", "\t", "|"])
    comma = separator == ";" and rng.random() < 0.7
    rows = [[t.replace(".", ",") if comma and kind == "number" else t for t, kind in zip(row, kinds)] for row in zip(*written)]
    quote = lambda t: f'"{t}"' if separator in t or rng.random() < 0.05 else t
    lines = [separator.join(map(quote, row)) for row in [[*names, "label"], *[[*row, y] for row, y in zip(rows, target)]]]
    text = rng.choice(["\n", "\r\n"]).join(lines) + "\n"
    encoded = b"\xef\xbb\xbf" * rng.randint(0, 1) + text.encode()
    kind_of = {name: "identifier" if kind == "name" else kind for name, kind in zip(names, kinds)}
    return encoded, kind_of, [list(row) for row in zip(*numbers)], [float(y == "yes") for y in target]
