# SPDX-License-Identifier: Apache-2.0
"""Awkward data, drawn from a seed: what users have and solvers do not like. Standard library only.

draw(random) gives (name, X, y): a list of rows and targets that are numbers; labels(y) makes two classes of them, classes(y, k) more."""
import math


def gauss(r, n, d):
    return [[r.gauss(0, 1) for _ in range(d)] for _ in range(n)]


def targets(r, x):
    u, v = ([r.gauss(0, 1) for _ in x[0]] for _ in "uv")
    relu = lambda w, row: max(0.0, sum(a * b for a, b in zip(w, row)))
    size = max(abs(e) for row in x for e in row) or 1.0
    return [(relu(u, row) - relu(v, row)) / size + 0.1 * r.gauss(0, 1) for row in x]


def plain(r): return gauss(r, r.randint(3, 9), r.randint(1, 3))
def one_row(r): return gauss(r, 1, r.randint(1, 3))
def one_column(r): return gauss(r, r.randint(2, 12), 1)
def wide(r): return gauss(r, r.randint(2, 4), r.randint(5, 7))
def equal_rows(r): return [list(row) for row in gauss(r, r.randint(2, 4), r.randint(1, 3)) for _ in range(2)]
def copies(r):  # every row several times, with targets of its own, or none
    return [list(row) for row in gauss(r, r.randint(1, 4), r.randint(1, 3)) for _ in range(r.randint(1, 4))]
def multiples(r):
    return [[t * e for e in row] for row in gauss(r, r.randint(1, 3), r.randint(1, 3)) for t in (1, 2.0**r.randint(-3, 3), r.uniform(0.1, 9))]
def near_rows(r):
    return [[e * (1 + k * 10.0**-r.randint(6, 13)) for e in row] for row in gauss(r, 3, r.randint(1, 3)) for k in range(2)]
def offset(r):
    move = 10.0**r.randint(1, 6)
    return [[e + move for e in row] for row in gauss(r, r.randint(3, 7), r.randint(1, 3))]
def offset_plane(r):
    move = 10.0**r.randint(3, 6)
    return [[e + move for e in row] for row in gauss(r, r.randint(5, 8), 2)]
def constant_column(r): return [row + [2.5] for row in gauss(r, r.randint(3, 7), r.randint(1, 2))]
def zero_row(r): return gauss(r, r.randint(2, 6), r.randint(1, 3)) + [[0.0] * 3]
def spaced(r):  # on the line, distances over three orders
    at, rows = 0.0, []
    for _ in range(r.randint(4, 14)):
        at += 10.0**r.uniform(-2, 1)
        rows.append([at])
    return rows
def rank_one(r):
    a = [r.gauss(0, 1) for _ in range(r.randint(2, 5))]
    return [[c * e for e in a] for c in (r.gauss(0, 1) for _ in range(r.randint(3, 9)))]
def grid(r): return [[float(a), float(b)] for a in range(r.randint(2, 3)) for b in range(r.randint(2, 3))]
def antipodes(r): return [[s * e for e in row] for row in gauss(r, r.randint(2, 3), 2) for s in (1, -1)]
def thin_column(r): return [row[:-1] + [row[-1] * 10.0**-r.randint(3, 7)] for row in gauss(r, r.randint(4, 7), r.randint(2, 3))]

def thin_cones(r):  # in the plane: rows that are parallel or antiparallel up to their last bits, some of them in their decimals
    base = r.choice([gauss(r, r.randint(2, 3), 2), [[r.randint(1, 9) / 10, r.randint(-9, 9) / 10] for _ in range(3)]])
    return [[s * e * f for e in row] for row in base for s, f in ((1, 1), (r.choice([1, -1]), r.choice([3, 0.1, 1 / 3, 1 + 2**-51])))]
def depend(r):  # columns that depend linearly on others in floating point alone
    return [row[:-1] + [0.1 * row[0] + 0.3 * row[1]] for row in gauss(r, r.randint(4, 6), r.randint(3, 4))]


FAMILIES = [plain, one_row, one_column, wide, equal_rows, copies, multiples, near_rows, offset, constant_column, zero_row, spaced, rank_one, grid,
            antipodes, thin_column]
def thinner(r):  # two columns that are next to nothing, of other sizes
    return [[row[0], row[1] * 1e-11, row[2] * 10.0**-r.randint(12, 14)] for row in gauss(r, r.randint(3, 6), 3)]
THIN = [thin_cones, depend, thinner]  # for cones and margins
# Out of range: refused, or right.
def apart(r): return [[e * 10.0**k for e in row] for row, k in zip(gauss(r, 5, 4), (269, -10, 134, 98, 241))]


def draw(r, family=None):
    family = family or r.choice(FAMILIES)
    x = family(r)
    width = min(map(len, x))
    x = [row[:width] for row in x]
    return family.__name__, x, targets(r, x)


def labels(y):
    middle = sorted(y)[len(y) // 2]
    return [1.0 if t >= middle else -1.0 for t in y]


def classes(y, k):
    order = sorted(range(len(y)), key=lambda i: y[i])
    rank = {i: j for j, i in enumerate(order)}
    return [float(rank[i] * k // len(y)) for i in range(len(y))]


def scaled(x, k): return [[math.ldexp(e, k) for e in row] for row in x]


def write(path, x, y):
    with open(path, "w") as file:
        for row, t in zip(x, y):
            file.write(",".join(map(repr, [*row, t])) + "\n")
