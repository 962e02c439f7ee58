#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_certificate.py CERTIFICATE DATA [--labels FILE]: fathom-check once more, from docs/certificate.md alone.

Python's standard library only. Conditions are decided in integers; values with roots and logarithms are decimals of 80
digits (whose sqrt, ln and exp are correctly rounded) with 1e-60 of the sum of absolute values as their error, far above
what the operations can lose. Exit code 0: accepted, 4: rejected, 5: the data cannot be read.
"""
import gzip, hashlib, math, struct, sys
from decimal import Decimal as D, getcontext
from fractions import Fraction as F
from functools import cmp_to_key
from math import floor, gcd, isfinite

getcontext().prec, getcontext().Emax, getcontext().Emin = 80, 10**9, -10**9

class Rejected(Exception): pass
class State: pass

def need(condition, why):
    if not condition:
        raise Rejected(why)

def real(q): return D(q.numerator) / D(q.denominator)
def dot(a, b): return sum(p * q for p, q in zip(a, b) if p and q)
def entropy(p): return -real(p) * real(p).ln() if p else D(0)

def grid(values):
    """Integers and their common denominator, a power of 2."""
    den = max(v.denominator for v in values)
    return [v.numerator * (den // v.denominator) for v in values], den

class Value:
    """A sum of decimals and its error."""
    def __init__(self): self.sum, self.size = D(0), D(0)

    def add(self, term, size=0):
        self.sum, self.size = self.sum + term, self.size + abs(term) + abs(size)

    def ends(self): return self.sum - self.size * D("1e-60"), self.sum + self.size * D("1e-60")

class Lines:
    def __init__(self, text):
        need(text.endswith("\n"), "the last line is not whole")
        self.lines, self.at = text[:-1].split("\n"), 0

    def next(self, keyword, count=None):
        need(self.at < len(self.lines), f"'{keyword}' is missing")
        words = self.lines[self.at].split(" ")
        self.at += 1
        need(words[0] == keyword and "" not in words, f"line {self.at}: '{keyword}' was expected")
        need(count is None or len(words) == count + 1, f"line {self.at}: {count} words were expected")
        return words[1:]

    def is_next(self, keyword): return self.at < len(self.lines) and self.lines[self.at].split(" ")[0] == keyword
    def choice(self, keyword, *words):
        word, = self.next(keyword, 1)
        need(word in words, f"line {self.at}: '{word}'")
        return word
    def number(self, keyword): return number(self.next(keyword, 1)[0])

def number(word):
    m, p, e = word.partition("p")
    digits, power = m[m.startswith("-"):], e[e.startswith("-"):]
    need(0 < len(digits) <= 16 and set(digits) <= set("0123456789abcdef") and int(digits, 16) < 2**63, f"'{word}'")
    need(not p or (0 < len(power) <= 4 and set(power) <= set("0123456789") and int(power) <= 4000), f"'{word}'")
    return int(m, 16) * F(2)**int(e or 0)

def integer(word, low, high):
    need(set(word[word.startswith("-"):]) <= set("0123456789") and word[-1] != "-" and low <= int(word) <= high, word)
    return int(word)

# --- data ---
def plain(text):
    try:
        value = float(text) if text and set(text) <= set("+-0123456789.eE") else math.nan
    except ValueError:
        return None
    return value if isfinite(value) else None

def read_csv(c, text):
    header, target, weights = (integer(w, -1, 2**31) for w in c.next("table", 3))
    rows = [[f.strip(" \t\r") for f in row.split(",")] for row in text.rstrip(" \t\r\n").split("\n")]
    assert '"' not in text and len({len(r) for r in rows}) == 1
    need(0 <= target < len(rows[0]) and weights < len(rows[0]) and weights != target, "no such column")
    names = [plain(f) is None and f != "" for f in rows[0]]
    below = rows[1] if len(rows) > 1 else []
    need(header == (all(names) or any(a and plain(b) is not None for a, b in zip(names, below))), "header")
    rows = rows[header:]
    y = [r[target] if plain(rows[0][target]) is None else plain(r[target]) for r in rows]
    w = [plain(r[weights]) for r in rows] if weights >= 0 else None
    return [[plain(v) for k, v in enumerate(r) if k not in (target, weights)] for r in rows], [[v] for v in y], w

def read_libsvm(c, text):
    rows = [row.split("#")[0].split() for row in text.split("\n") if row.split("#")[0].strip()]
    pairs = [[t.split(":") for t in r[1:]] for r in rows]
    d = integer(c.next("table", 1)[0], -1, 2**31)
    d = d if d > 0 else max(int(p[0]) for r in pairs for p in r)
    x = [[0.0] * d for _ in rows]
    for line, r in zip(x, pairs):
        assert [int(k) for k, _ in r] == sorted({int(k) for k, _ in r})
        for k, v in r:
            line[int(k) - 1] = plain(v)
    return x, [[plain(r[0])] for r in rows], None

def read_npy(data):
    wide = 2 if data[6] == 1 else 4
    start = 8 + wide + int.from_bytes(data[8:8 + wide], "little")
    head = data[8 + wide:start].decode("latin1").replace(" ", "")
    field = lambda key: head.split(f"'{key}':")[1]
    size = [int(v) for v in field("shape")[1:].split(")")[0].split(",") if v] + [1]
    form = dict(f8="d", f4="f", i8="q", i4="i", i2="h", i1="b", u8="Q", u4="I", u2="H", u1="B", b1="?")[field("descr")[2:4]]
    flat = [float(v[0]) for v in struct.iter_unpack("<" + form, data[start:])]
    n, d = size[:2]
    assert len(flat) == n * d
    return [[flat[j * n + i] if field("fortran_order")[0] == "T" else flat[i * d + j] for j in range(d)] for i in range(n)]

def normalize(x, kind):
    for row in x if kind == "unit" else []:
        total = 0.0
        for v in row:
            total += v * v
        row[:] = [v / math.sqrt(total) for v in row] if any(row) else row
    for j in range(len(x[0]) if kind == "standardize" else 0):
        mean, variance, column = 0.0, 0.0, [row[j] for row in x]
        for v in column:
            mean += v
        mean /= len(x)
        for v in column:
            variance += (v - mean) * (v - mean)
        same = min(column) == max(column)
        mean, scale = (column[0], 1.0) if same else (mean, math.sqrt(variance / len(x)))
        for row in x:
            row[j] = (row[j] - mean) / scale

def prepare(c, x, y, w):
    words = c.next("rows")
    bounds = [integer(v, 0, len(x)) for v in words[1:]]
    keep = {"all": range(len(x)), "range": range(*bounds[:2]) if len(bounds) == 2 else [], "list": bounds[1:]}[words[0]]
    need(words[0] != "list" or bounds[0] == len(keep) and max(keep) < len(x), "rows")
    words = c.next("classes")
    if words[0] != "all":
        pair = [bytes.fromhex(v).decode("latin1") if words[0] == "texts" else float(number(v)) for v in words[1:]]
        keep, y = [i for i in keep if y[i][0] in pair], [[1.0 if r[0] == pair[0] else -1.0] for r in y]
    need(len(keep) > 0, "no rows")
    x, y, w = [list(x[i]) for i in keep], [y[i] for i in keep], [w[i] for i in keep] if w else None
    assert not any(v is None for r in x + y + [w or []] for v in r) and (not w or min(w) > 0)
    texts = isinstance(y[0][0], str)
    order = sorted({r[0] for r in y}) if texts else None
    normalize(x, c.choice("normalize", "none", "unit", "standardize"))
    bias = c.choice("bias", "none", "augment", "free")
    x = [row + [1.0] * (bias == "augment") for row in x]
    assert all(isfinite(v) for r in x for v in r)
    return x, [[float(order.index(r[0]))] for r in y] if texts else y, w, bias, texts

def code(y, loss, texts):
    values, most = sorted({r[0] for r in y}), max(20, min(1000, len(y) // 10))
    if loss in ("squared", "equality") or len(y[0]) > 1:
        assert loss in ("squared", "equality") or all(sorted(r) == [0] * (len(r) - 1) + [1] for r in y)
        return [[F(v) for v in r] for r in y]
    assert texts or len(values) <= 2 or (len(values) <= most and all(v == floor(v) for v in values))
    if len(values) > 2:
        return [[F(r[0] == v) for v in values] for r in y]
    return [[F(1 if (texts or values[0] > 0 if len(values) == 1 else r[0] == values[1]) else -1)] for r in y]

# --- claims ---
def read_gates(c, s):
    words = c.next("gates")
    s.gates, s.turn, s.full = [], [], words[0] == "orientations"
    for _ in range(0 if words == ["none"] else integer(words[1], 1, 2**40)):
        if words[0] == "orientations":
            s.turn.append(grid([number(w) for w in c.next("gate", s.d)])[0])
            signs = [dot(row, s.turn[-1]) if any(row) else -1 for row in s.x]
            s.gates.append([i for i in range(s.n) if signs[i] > 0])
            s.full = s.full and 0 not in signs
        else:
            word, = c.next("gate", 1)
            need(len(word) == (s.n + 3) // 4 and set(word) <= set("0123456789abcdef"), "pattern")
            s.gates.append([i for i in range(4 * len(word)) if int(word[i // 4], 16) >> i % 4 & 1])
            need(not s.gates[-1] or s.gates[-1][-1] < s.n, "pattern")

def count_cones(rows):
    """Deletion and restriction; rows are distinct normals."""
    if len(rows) <= 1 or len(rows[0]) <= 2:
        return 1 if not rows else 2 if len(rows[0]) == 1 else 2 * len(rows)
    total = 1
    for k, h in enumerate(rows):
        p = next(i for i, v in enumerate(h) if v)
        total += count_cones(distinct([[r[i] * h[p] - r[p] * h[i] for i in range(len(h)) if i != p] for r in rows[:k]]))
    return total

def distinct(rows):
    out = set()
    for r in rows:
        if any(r):
            g = gcd(*r) * (1 if next(v for v in r if v) > 0 else -1)
            out.add(tuple(v // g for v in r))
    return sorted(out)

def all_cones(s):
    need(s.full and len({tuple(g) for g in s.gates}) == len(s.gates) == count_cones(distinct(s.x)), "cones")

def positive(m):
    """M = L L' + R with R diagonally dominant; L is guessed, the identity is checked."""
    d, top = len(m), max(abs(v) for r in m for v in r).bit_length()
    m = [[v << 60 >> top for v in r] for r in m]  # rounded down: each eigenvalue moves by at most d
    shift, low = 4.0 * d * d * 2.0**-52 * max(m[k][k] for k in range(d)) + 4 * d, [[0.0] * d for _ in m]
    for k in range(d):
        for r in range(k + 1):
            t = float(m[k][r]) - (shift if r == k else 0) - sum(low[k][l] * low[r][l] for l in range(r))
            need(r < k or t > 0, "a matrix is not positive semidefinite")
            low[k][r] = math.sqrt(t) if r == k else t / low[r][r]
    low = [[round(v * 2**20) for v in r] for r in low]
    rest = [[(m[max(k, r)][min(k, r)] << 40) - dot(low[k], low[r]) for r in range(d)] for k in range(d)]
    need(all(rest[k][k] - (2 * d << 40) >= sum(map(abs, rest[k])) - abs(rest[k][k]) for k in range(d)), "semidefinite")

def check_leaf(c, s, x, v, sign, price, path):
    words = c.next("leaf")
    count, fixed, n, d = integer(words[0], 0, len(words) // 3), dict(path), s.n, len(x[0])
    need(len(words) == 3 * count + 1, "entries")
    entry = [(integer(words[k], 0, n - 1), integer(words[k + 1], 0, n), number(words[k + 2])) for k in range(1, 3 * count, 3)]
    gamma = [number(w) for w in c.next("weights", n + 1)]
    nu = [number(w) for w in c.next("multipliers", len(path))] if path else []
    lift = c.number("lift") if d > s.d else 0
    need(all(t >= 0 for t in nu) and lift >= 0, "a multiplier is negative")
    numbers, _ = grid([sign * t for t in v] + [t for _, _, t in entry] + nu)
    scale = grid(v + [t for _, _, t in entry] + nu)[1] * s.den  # C is in units of 1 / scale
    psi, column = numbers[:n], [[0] * d for _ in range(n + 1)]

    def put(j, weight, i):
        target, weight = (0, weight * fixed[j - 1]) if j - 1 in fixed else (j, weight)
        if weight:
            column[target] = [a + weight * b for a, b in zip(column[target], x[i])]
    for i in range(n):
        put(0, numbers[i], i)
    for (i, j, _), t in zip(entry, numbers[n:]):
        psi[i] += abs(t)
        put(j, -t, i)
    for j in range(n):
        put(j + 1, max(psi[j], 0), j)
    for (j, e), t in zip(path, numbers[n + count:]):
        put(0, e * t, j)
    rest = sum(math.isqrt(dot(r, r)) + 1 for r, g in zip(column, gamma) if any(r) and g == 0)  # |C_j| outside the matrix
    used = [j for j in range(n + 1) if any(column[j]) and gamma[j] != 0]
    margin = 2 * price - F(rest, scale)
    need(all(gamma[j] > 0 for j in used) and margin >= 0 and (d == s.d or not rest), "a weight is not positive")
    if not used:
        return
    weights, unit = grid([gamma[j] for j in used])
    a = sum((F(-(-2**190 * gamma[j].denominator // gamma[j].numerator), 2**190) for j in used), F(0))  # >= sum 1 / gamma
    moment = [[sum(w * column[j][k] * column[j][r] for w, j in zip(weights, used)) for r in range(d)] for k in range(d)]
    radius = max(dot(row[:s.d], row[:s.d]) for row in x) / F(s.den)**2 if d > s.d else 0
    top, last = margin**2 - a * lift * radius, a * lift
    size = lambda t: t.numerator.bit_length() - t.denominator.bit_length()
    q = (size(top) - size(last)) // 2 if d > s.d and top > 0 and last > 0 else 0  # the last row and column are scaled by 2^q
    matrix = [[((last if d > s.d and k == d - 1 else top) if r == k else 0) - a * F(moment[k][r], unit * scale**2)
               for r in range(d)] for k in range(d)]
    matrix = [[v * F(2)**(q * ((k == d - 1) + (r == d - 1))) for r, v in enumerate(row)] for k, row in enumerate(matrix)]
    positive([r for r in zip(*[iter(grid([v for r in matrix for v in r])[0])] * d)])

def check_tree(c, s, x, v, sign, price):
    path = []
    while True:
        while c.is_next("split"):
            j = integer(c.next("split", 1)[0], 0, s.n - 1)
            need(j not in dict(path), "a row is split twice")
            path.append((j, 1))
        check_leaf(c, s, x, v, sign, price, path)
        while path and path[-1][1] < 0:
            path.pop()
        if not path:
            return
        path[-1] = (path[-1][0], -1)

def claim_train(c, s):
    model, loss = c.choice("model", "relu", "gated"), c.choice("loss", "squared", "logistic", "hinge", "softmax", "equality")
    N, beta = s.n if c.choice("scale", "sum", "mean") == "mean" else 1, c.number("beta")
    bound, upper, lower = c.choice("bound", "none", "gates", "global"), c.number("upper"), c.number("lower")
    y, n, weight, above, below = code(s.y, loss, s.texts), s.n, [F(w) for w in s.w or [1] * s.n], Value(), Value()
    o, equality, free = len(y[0]), loss == "equality", s.bias == "free"
    need(beta > 0 and not (equality and N > 1) and (loss == "softmax") == (o > 1 and loss in ("logistic", "softmax")), "problem")
    x = [row + [s.den] for row in s.x] if free and model == "relu" else s.x
    f = [[F(0)] * o for _ in range(n)]
    for _ in range(integer(c.next("network", 1)[0], 0, 2**40)):
        words, block = c.next("neuron"), o * s.d if model == "gated" else len(x[0])
        head = 1 if model == "gated" else o
        need(len(words) == head + block, "neuron")
        u, den = grid([number(w) for w in words[head:]])
        if model == "gated":
            for i in s.gates[integer(words[0], 0, len(s.gates) - 1)]:
                f[i] = [a + F(dot(x[i], u[k * s.d:]), den * s.den) for k, a in enumerate(f[i])]
            above.add(D(dot(u, u)).sqrt() / den * (1 if equality else real(beta)))
            continue
        w = [number(t) for t in words[:o]]
        above.add((real(dot(w, w)) * dot(u[:s.d], u[:s.d])).sqrt() / den * (1 if equality else real(beta)))
        for i in range(n):
            h = F(max(dot(x[i], u), 0), den * s.den)
            f[i] = [a + h * b for a, b in zip(f[i], w)]
    constant = [number(w) for w in c.next("constant", o)]
    need(free or not any(constant), "there is no constant")
    f = [[a + b for a, b in zip(r, constant)] for r in f]
    if equality:
        need(max(abs(a - b) for r, t in zip(f, y) for a, b in zip(r, t)) <= c.number("residual"), "residual")
    for fi, yi, w in zip(f, y, weight) if not equality else []:
        if loss == "squared":
            term = real(sum((a - b)**2 for a, b in zip(fi, yi)) / 2)
        elif loss == "hinge":
            term = real(max(1 - fi[0] * yi[0], F(0)))
        else:
            others = [-yi[0] * fi[0]] if loss == "logistic" else [a - fi[yi.index(1)] for a in fi if a is not fi[yi.index(1)]]
            term = (1 + sum(real(t).exp() for t in others)).ln()
        above.add(term * real(w) / N, real(w) / N)
    need(above.ends()[1] <= real(upper) * (1 - D("1e-70")), "the network's objective is above the claim")
    kind = c.choice("evidence", "none", "gates", "trees", "plane")
    if kind == "none":
        need(lower <= 0 and bound == "none", "no evidence")
        return float(above.ends()[1]), 0.0
    need((kind == "gates") == (model == "gated") and bound != "none" and (model == "gated" or bound == "global"), "evidence")
    if model == "gated" and bound == "global":
        all_cones(s)
    scale, *v = [number(w) for w in c.next("dual", o * n + 1)]
    need(scale >= 0, "scale")
    v = [v[k * n:k * n + n] for k in range(o)]
    need(loss != "softmax" or not any(map(sum, zip(*v))), "rows of the dual point do not sum to 0")
    need(not free or not any(map(sum, v)), "the dual point does not sum to 0")
    for i in range(n):
        for k in range(o):
            w, t = scale * v[k][i], weight[i]
            p = y[i][k] - w / t if loss == "softmax" else y[i][k] * w / t
            need(loss in ("squared", "equality") or 0 <= p and (loss == "softmax" or p <= 1), "outside the domain")
            if loss in ("softmax", "logistic"):
                below.add(real(t) * (entropy(p) + (entropy(1 - p) if loss == "logistic" else 0)) / N, real(t) / N)
            else:
                below.add(real((y[i][k] * w - (w * w / (2 * t) if loss == "squared" else 0)) / N))
    need(below.ends()[0] >= real(lower) * (1 + D("1e-70")), "the dual point's value is below the claim")
    limit, total = (F(1) if equality else N * beta), F(0)
    if kind == "gates":
        z, den = grid([t for r in v for t in r])
        for g in s.gates:
            sums = [sum(z[k * n + i] * x[i][l] for i in g) for k in range(o) for l in range(s.d)]
            need(scale**2 * F(dot(sums, sums), (den * s.den)**2) <= limit**2, "a gate's constraint is violated")
    elif kind == "plane":
        need(o == 1, "plane")
        check_plane(s, v[0], scale, limit)
    else:
        for k in range(o):
            prices = []
            for sign, mark in ((1, "+"), (-1, "-")):
                word, price = c.next("side", 2)
                prices.append(number(price))
                need(word == mark and prices[-1] >= 0, "side")
                check_tree(c, s, x, v[k], sign, prices[-1])
            total += max(prices)**2
        need(scale**2 * total <= limit**2, "the dual point is priced above beta")
    return float(above.ends()[1]), float(below.ends()[0])

def cross(a, b): return a[0] * b[1] - a[1] * b[0]

def arcs(x):
    """The edges of all arcs between the rays orthogonal to the rows of x, counterclockwise."""
    rays = distinct(x)
    rays = [r for a, b in rays for r in ((-b, a), (b, -a))]
    half = lambda r: (r[1], r[0]) < (0, 0)
    rays.sort(key=cmp_to_key(lambda a, b: half(a) - half(b) or (cross(b, a) > 0) - (cross(b, a) < 0)))
    return list(zip(rays, rays[1:] + rays[:1]))

def check_plane(s, v, scale, limit):
    """Prices at kinks, and inside the arcs where the gradient lies in them."""
    fits = lambda h, length: need(scale**2 * h * h <= limit**2 * length, "a neuron is priced above beta")
    if s.bias == "free":
        need(s.d == 1, "plane")
        for (a,), sign in [(r, e) for r in s.x for e in (1, -1)]:
            fits(sum(w * max(sign * (b - a), 0) for (b,), w in zip(s.x, v)) / s.den, 1)
        return
    need(s.d <= 2, "plane")
    x = [list(r) + [0] * (2 - s.d) for r in s.x]
    for a, b in arcs(x):
        m = (a[0] + b[0], a[1] + b[1]) if cross(a, b) > 0 else (-a[1], a[0])  # between them
        g = [sum(w * r[k] for r, w in zip(x, v) if dot(r, m) > 0) / s.den for k in (0, 1)]
        fits(dot(g, a), dot(a, a))
        if cross(a, g) * cross(g, b) > 0:
            fits(dot(g, g), dot(g, g))

def arc(edges, v):
    """The angle of the arc around v, over 2 pi."""
    right, left = next((a, b) for a, b in edges if cross(a, v) > 0 and cross(v, b) > 0)
    turn, (x, y) = 0, (D(dot(left, right)), D(cross(right, left)))
    while x <= 0 and not (x == 0 == y):  # a quarter turn back
        turn, (x, y) = turn + 1, (y, -x)
    t = abs(y / x)
    for _ in range(60):  # halving: t is below 1e-17 in the end, and t^3 / 3 - t^5 / 5 is all there is to 80 digits
        t = t / (1 + (1 + t * t).sqrt())
    angle = (t - t**3 / 3 + t**5 / 5 - t**7 / 7) * 2**60
    return (angle / PI * (1 if y >= 0 else -1) + D(turn) / 2) / 2

PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986")

def claim_margin(c, s):
    upper, lower, y, (kind, *words) = c.number("upper"), c.number("lower"), code(s.y, "hinge", s.texts), c.next("measure")
    need(len(y[0]) == 1 and kind in ("units", "plane"), "two classes")
    if kind == "units":
        units, *times = [integer(w, 1, 2**40) for w in words]
        need(len(times) == len(s.gates) and sum(times) <= units, "units")
        rho = [D(t) / units for t in times]
    else:
        need(s.d == 2 and not words, "plane")
        all_cones(s)
        edges = arcs(s.x)
        rho = [arc(edges, v) for v in s.turn]
    score = [Value() for _ in s.x]
    for g, r in zip(s.gates, rho):
        w, den = grid([number(t) for t in c.next("vector", s.d)])
        need(dot(w, w) <= den * den, "a vector is longer than 1")
        for i in g:
            score[i].add(r * D(int(y[i][0]) * dot(s.x[i], w)) / (den * s.den))
    need(min(v.ends()[0] for v in score) >= real(lower), "the vectors give less than is claimed")
    q, den = grid([number(t) for t in c.next("dual", s.n)])
    need(min(q) >= 0 and any(q), "dual")
    value = Value()
    for g, r in zip(s.gates, rho):
        sums = [sum(int(y[i][0]) * q[i] * s.x[i][l] for i in g) for l in range(s.d)]
        value.add(r * D(dot(sums, sums)).sqrt() / (sum(q) * s.den))
    need(value.ends()[1] <= real(upper), "the dual point gives more than is claimed")
    return float(value.ends()[1]), float(min(v.ends()[0] for v in score))

def claim_zero(c, s):
    y, (kind, *words) = code(s.y, "hinge", s.texts), c.next("combination")
    need(kind in ("ray", "pairs") and len(y[0]) == 1, "combination")
    point = [integer(w, 0, s.n - 1) for w in (words if kind == "ray" else words[1:])]
    need(len(point) == (2 if kind == "ray" else 2 * integer(words[0], 1, s.d + 1)), "pairs")
    for a, b in zip(point[::2], point[1::2]):
        p, q = s.x[a], s.x[b]
        parallel = all(p[i] * q[j] == p[j] * q[i] for i in range(s.d) for j in range(i))
        need(y[a][0] > 0 > y[b][0] and parallel and dot(p, q) * (1 if kind == "ray" else -1) > 0, "points")
    if kind == "pairs":  # the one relation between the points, by Cramer's rule over fractions, is positive
        m = [[F(s.x[a][k]) for a in point[::2]] for k in range(s.d)]
        rank, k = 0, len(m[0])
        for j in range(k):
            p = next((r for r in range(rank, s.d) if m[r][j]), None)
            need((p is None) == (j == k - 1), "relation")
            if p is not None:
                m[rank], m[p] = m[p], m[rank]
                m = [[a - r[j] / m[rank][j] * b for a, b in zip(r, m[rank])] if i != rank else r for i, r in enumerate(m)]
                rank += 1
        need(all(m[r][k - 1] / m[r][r] < 0 for r in range(k - 1)), "relation")
    return 0.0, 0.0

def claim_cones(c, s):
    need(len(s.gates) == integer(c.next("count", 1)[0], 1, 2**52), "count")
    all_cones(s)
    return float(len(s.gates)), float(len(s.gates))

def check(certificate, data, labels):
    c, s = Lines(certificate.decode("ascii")), State()
    need(c.next("fathom-certificate", 1) == ["1"], "version")
    kind, sha = c.next("data", 2)
    need(sha == hashlib.sha256(data).hexdigest(), "the certificate is not about this data")
    if kind == "npy":
        need(c.next("labels", 1)[0] == hashlib.sha256(labels).hexdigest(), "labels")
        table = read_npy(data), read_npy(labels), None
    else:
        table = (read_csv if kind == "csv" else read_libsvm)(c, data.decode("latin1"))
    x, s.y, s.w, s.bias, s.texts = prepare(c, *table)
    s.n, s.d = len(x), len(x[0])
    need(c.next("shape") == [str(s.n), str(s.d)], "shape")
    flat, s.den = grid([F(v) for r in x for v in r])
    s.x = [flat[i * s.d:i * s.d + s.d] for i in range(s.n)]
    read_gates(c, s)
    while True:
        kind = c.choice("claim", "train", "margin", "zero", "cones")
        upper, lower = {"train": claim_train, "margin": claim_margin, "zero": claim_zero, "cones": claim_cones}[kind](c, s)
        print(f"accepted upper={upper:.17g} lower={lower:.17g} gap={upper - lower:.17g}")
        if not c.is_next("claim"):
            break
    c.next("end", 0)
    need(c.at == len(c.lines), "nothing should follow")

def main():
    paths = [w for w in sys.argv[1:] if w != "--labels"]
    certificate, data = (open(p, "rb").read() for p in paths[:2])
    labels = open(paths[2] if len(paths) > 2 else paths[1][:-4] + ".labels.npy", "rb").read() if paths[1][-4:] == ".npy" else None
    try:
        check(gzip.decompress(certificate) if certificate[:2] == b"\x1f\x8b" else certificate, data, labels)
    except Rejected as why:
        sys.exit(print("rejected:", why) or 4)
    except (AssertionError, ValueError, LookupError, ArithmeticError) as why:
        sys.exit(print("not checked:", why) or 5)

if __name__ == "__main__":
    main()
