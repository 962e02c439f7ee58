#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_certificate.py CERTIFICATE DATA [--labels FILE]: fathom-check once more, from docs/certificate.md alone.

Python's standard library only. Numbers are fractions, and conditions are decided exactly; values with roots and logarithms are
decimals of 80 digits (whose sqrt, ln and exp are correctly rounded) with 1e-60 of the sum of absolute values as their error,
far above what the operations can lose. Exit code 0: accepted, 4: rejected, 5: the data cannot be read.
"""
import functools, gzip, hashlib, math, operator, re, struct, sys
from decimal import Decimal as D, getcontext
from fractions import Fraction as F

getcontext().prec, getcontext().Emax, getcontext().Emin = 80, 10**9, -10**9
PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986")
CLASSES = ("logistic", "hinge", "softmax")
UNREADABLE = (AssertionError, ArithmeticError, LookupError, TypeError, ValueError, struct.error)  # of bad data

class Rejected(Exception): pass

def need(condition, why):
    if not condition:
        raise Rejected(why)

def real(q): return D(q.numerator) / D(q.denominator)
def total(terms): return sum(terms, F(0))
def dot(a, b): return total(p * q for p, q in zip(a, b) if p and q)
def norm(v): return real(dot(v, v)).sqrt()
def entropy(p): return -real(p) * real(p).ln() if p else D(0)
def upward(value): return F(value * (1 + D("1e-70")))  # a fraction that is at least this positive decimal
def below(terms, size=0): return sum(terms) - (size + sum(map(abs, terms))) * D("1e-60")
def above(terms, size=0): return sum(terms) + (size + sum(map(abs, terms))) * D("1e-60")

# --- lines of words ---
class Lines:
    def __init__(self, text): self.lines, self.at = text.split("\n"), 0
    def is_next(self, keyword): return self.lines[self.at].split(" ")[0] == keyword
    def next(self, keyword, count=None):
        need(self.at + 1 < len(self.lines) and self.is_next(keyword), f"line {self.at + 1}: '{keyword}' was expected")
        words, self.at = self.lines[self.at].split(" ")[1:], self.at + 1
        need("" not in words and count in (None, len(words)), f"line {self.at}: the words are not as expected")
        return words
    def choice(self, keyword, *among):
        word, = self.next(keyword, 1)
        need(word in among, f"line {self.at}: '{word}'")
        return word
    def counted(self, keyword, **counts):
        """A kind and as many words as it must have."""
        kind, *words = self.next(keyword)
        need(kind in counts and counts[kind] in (None, len(words)), f"line {self.at}: '{kind}'")
        return kind, words
    def numbers(self, keyword, count): return [number(w) for w in self.next(keyword, count)]
    def number(self, keyword): return self.numbers(keyword, 1)[0]
    def integer(self, keyword, low, high): return integer(self.next(keyword, 1)[0], low, high)

def number(word):
    parts = re.fullmatch("(-?[0-9a-f]{1,16})(p(-?[0-9]{1,4}))?", word)
    need(parts and abs(int(parts[1], 16)) < 2**63 and abs(int(parts[3] or 0)) <= 4000, f"'{word}' is no number")
    return int(parts[1], 16) * F(2)**int(parts[3] or 0)

def integer(word, low, high):
    need(re.fullmatch("-?[0-9]{1,18}", word) and low <= int(word) <= high, f"'{word}' is no such integer")
    return int(word)

# --- data: x (n x d), y (n x outputs), weights or None; a field that is no finite number is None ---
def plain(text):
    good = re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text) and math.isfinite(float(text))
    return float(text) if good else None

def read_csv(c, text):
    rows = [[f.strip(" \t\r") for f in row.split(",")] for row in text.rstrip(" \t\r\n").split("\n")]
    header, target, weights = (integer(w, -1, len(rows[0]) - 1) for w in c.next("table", 3))
    need(header in (0, 1) and target >= 0 and target != weights, "no such column")
    need(not header or len(rows) > 1 and None in map(plain, rows[0]), "the first line is no header")
    assert '"' not in text and "\0" not in text and all(len(r) == len(rows[0]) for r in rows[header:])
    rows = rows[header:]
    y = [[r[target] if plain(rows[0][target]) is None else plain(r[target])] for r in rows]
    x = [[plain(v) for k, v in enumerate(r) if k not in (target, weights)] for r in rows]
    return x, y, [plain(r[weights]) for r in rows] if weights >= 0 else None

def read_libsvm(c, text):
    rows = [row.split("#")[0].split() for row in text.split("\n") if row.split("#")[0].strip()]
    pairs = [[re.fullmatch("([0-9]{1,10}):(.*)", t) for t in r[1:]] for r in rows]
    indices = [[int(p[1]) for p in r] for r in pairs]
    columns, widest = c.integer("table", -1, 2**31), max(max(r, default=0) for r in indices)
    d = columns if columns > 0 else widest
    assert widest <= d < 10**8 / len(rows) and all([0] + r == sorted({0, *r}) for r in indices)
    filled = [{int(p[1]): plain(p[2]) for p in r} for r in pairs]
    return [[r.get(k, 0.0) for k in range(1, d + 1)] for r in filled], [[plain(r[0])] for r in rows], None

def read_npy(data):
    wide = 2 * data[6]
    start = 8 + wide + int.from_bytes(data[8:8 + wide], "little")
    head = data[8 + wide:start].decode("latin1").replace(" ", "")
    kind, shape = re.search("'descr':'[<|](..)'", head)[1], re.search(r"'shape':\(([0-9]+),([0-9]*)\)", head)
    form = dict(f8="d", f4="f", i8="q", i4="i", i2="h", i1="b", u8="Q", u4="I", u2="H", u1="B", b1="B")[kind]
    flat, n, d = [float(v) for v, in struct.iter_unpack("<" + form, data[start:])], int(shape[1]), int(shape[2] or 1)
    assert data[:6] == b"\x93NUMPY" and wide < 5 and 0 < len(flat) == n * d and all(map(math.isfinite, flat))
    order = (lambda i, j: j * n + i) if "'fortran_order':True" in head else (lambda i, j: i * d + j)
    return [[flat[order(i, j)] for j in range(d)] for i in range(n)]

def running(values): return functools.reduce(operator.add, values, 0.0)  # from left to right, each sum rounded

def normalize(x, kind):
    if kind == "unit":
        sums = [running(v * v for v in row) for row in x]
        assert all(map(math.isfinite, sums))
        return [[v / math.sqrt(t) if any(row) else v for v in row] for row, t in zip(x, sums)]
    columns = list(zip(*x))
    for j, column in enumerate(columns if kind == "standardize" else []):
        same = min(column) == max(column)
        mean = column[0] if same else running(column) / len(x)
        scale = 1.0 if same else math.sqrt(running((v - mean) * (v - mean) for v in column) / len(x))
        assert math.isfinite(scale)
        columns[j] = [(v - mean) / scale for v in column]
    return list(zip(*columns))

def prepare(c, s, x, y, w):
    kind, words = c.counted("rows", all=0, range=2, list=None)
    bounds = [integer(v, 0, len(x)) for v in words]
    keep = range(len(x)) if kind == "all" else range(*bounds) if kind == "range" else bounds[1:]
    need(kind != "list" or bounds[:1] == [len(keep)], "rows")
    kind, words = c.counted("classes", all=0, texts=2, numbers=2)
    if words:
        need(isinstance(y[0][0], str) == (kind == "texts") and len(y[0]) == 1, "classes")
        pair = [bytes.fromhex(v).decode("latin1") if kind == "texts" else number(v) for v in words]
        keep, y = [i for i in keep if y[i][0] in pair], [[-1.0 if r[0] == pair[1] else 1.0] for r in y]
    need(len(keep) > 0 and max(keep) < len(x), "rows")
    x, y, w = [x[i] for i in keep], [y[i] for i in keep], [w[i] for i in keep] if w else [1] * len(keep)
    s.texts, order = isinstance(y[0][0], str), sorted({r[0] for r in y})
    s.y, s.w = [[float(order.index(r[0]))] for r in y] if s.texts else y, [F(v) for v in w]
    x, s.bias = normalize(x, c.choice("normalize", "none", "unit", "standardize")), c.choice("bias", "none", "augment", "free")
    s.x = [[F(v) for v in row] + [F(1)] * (s.bias == "augment") for row in x]  # fails where a value is not finite
    s.n, s.d = len(s.x), len(s.x[0])
    assert min(s.w) > 0 and None not in sum(s.y, [])
    need([integer(v, 1, 2**40) for v in c.next("shape", 2)] == [s.n, s.d], "shape")

def code(s, loss):
    """Targets as the loss (or a margin) wants them: two classes as -1 and +1, more as one-hot rows."""
    values, most = sorted({r[0] for r in s.y}), max(20, min(1000, s.n // 10))
    if loss in ("squared", "equality") or len(s.y[0]) > 1:
        assert loss in ("squared", "equality") or all(sorted(r) == [0] * (len(r) - 1) + [1] for r in s.y)
        return [[F(v) for v in r] for r in s.y]
    assert s.texts or len(values) <= 2 or (len(values) <= most and all(v == math.floor(v) for v in values))
    if len(values) > 2:
        return [[F(r[0] == v) for v in values] for r in s.y]
    return [[F(1 if (r[0] == values[1] if len(values) == 2 else s.texts or r[0] > 0) else -1)] for r in s.y]

# --- gates and cones ---
def read_gates(c, s):
    kind, words = c.counted("gates", none=0, orientations=1, patterns=1)
    lines = [c.next("gate", s.d if kind == "orientations" else 1) for _ in range(integer(words[0], 1, len(c.lines)) if words else 0)]
    s.turn = [[number(w) for w in line] for line in lines] if kind == "orientations" else []
    signs = [[dot(row, v) if any(row) else -1 for row in s.x] for v in s.turn]
    s.gates, s.inside = [[i for i in range(s.n) if r[i] > 0] for r in signs], bool(signs) and not any(0 in r for r in signs)
    for word, in lines if kind == "patterns" else []:
        need(re.fullmatch("[0-9a-f]{%d}" % ((s.n + 3) // 4), word) and int(word[-1], 16) >> (s.n - 1) % 4 + 1 == 0, "pattern")
        s.gates.append([i for i in range(s.n) if int(word[i // 4], 16) >> i % 4 & 1])

def distinct(rows):
    """Normals up to their length: the first entry other than 0 becomes 1."""
    return sorted({tuple(v / next(filter(None, r)) for v in r) for r in rows if any(r)})

def count_cones(rows):
    """Deletion and restriction; rows are distinct normals."""
    if len(rows) <= 1 or len(rows[0]) <= 2:
        return 1 if not rows else 2 if len(rows[0]) == 1 else 2 * len(rows)
    pivots = [next(i for i, v in enumerate(h) if v) for h in rows]
    return 1 + sum(count_cones(distinct([r[i] - r[p] * h[i] / h[p] for i in range(len(h)) if i != p] for r in rows[:k]))
                   for k, (h, p) in enumerate(zip(rows, pivots)))

def all_cones(s):
    need(s.inside and len({tuple(g) for g in s.gates}) == len(s.gates) == count_cones(distinct(s.x)), "the cones are others")

# --- prices of neurons ---
def positive(m):
    """All pivots of a symmetric matrix are positive."""
    while m:
        (p, *row), *rest = m
        need(p > 0, "a matrix is not positive definite: a price is not proved")
        m = [[a - r[0] / p * b for a, b in zip(r[1:], row)] for r in rest]

def check_cones(c, s, w, scale, limit):
    """Within the cone of every gate, for both signs, with multipliers of the rows that bound it."""
    for g, sign in [(g, sign) for g in s.gates for sign in (1, -1)]:
        count, *words = c.next("push")
        pairs = [(integer(i, 0, s.n - 1), number(t)) for i, t in zip(words[::2], words[1::2])]
        need(len(words) == 2 * integer(count, 0, len(words)) and all(t >= 0 for _, t in pairs), "push")
        terms = [(i, sign * w[i]) for i in g] + [(i, scale * t if i in g else -scale * t) for i, t in pairs]
        sums = [total(t * s.x[i][l] for i, t in terms) for l in range(s.d)]
        need(dot(sums, sums) <= limit**2, "a neuron in a cone is priced above beta")

def check_leaf(c, s, x, v, sign, price, path):
    (count, *words), fixed, n, d = c.next("leaf"), dict(path), s.n, len(x[0])
    need(len(words) == 3 * integer(count, 0, len(words)), "entries")
    entries = [(integer(i, 0, n - 1), integer(j, 0, n), number(t)) for i, j, t in zip(*[iter(words)] * 3)]
    gamma, nu = c.numbers("weights", n + 1), c.numbers("multipliers", len(path)) if path else []
    lift = c.number("lift") if d > s.d else 0
    need(min([lift, *nu]) >= 0, "a multiplier is negative")
    psi, column = [sign * t for t in v], [[F(0)] * d for _ in range(n + 1)]
    def put(j, weight, i):
        j, weight = (0, weight * fixed[j - 1]) if j - 1 in fixed else (j, weight)  # fixed: with its sign to column 0
        column[j] = [a + weight * b for a, b in zip(column[j], x[i])] if weight else column[j]
    for i, t in enumerate(psi):
        put(0, t, i)
    for i, j, t in entries:
        psi[i] += abs(t)
        put(j, -t, i)
    for j, t in [(j, max(t, 0)) for j, t in enumerate(psi)] + [(j, t) for (j, _), t in zip(path, nu)]:
        put(j + 1, t, j)
    used = [(r, g) for r, g in zip(column, gamma) if any(r)]
    need(all(g > 0 or g == 0 and d == s.d for _, g in used), "a weight is not positive")
    q = 2 * price - total(upward(norm(r)) for r, g in used if g == 0)
    need(q >= 0, "the columns outside the matrix are too long")
    used = [(r, g) for r, g in used if g]
    a, radius = total(upward(real(1 / g)) for _, g in used), max(dot(row[:s.d], row[:s.d]) for row in x)
    diagonal = [q * q - a * lift * radius] * s.d + [a * lift] * (d - s.d)
    moment = [[total(g * t[k] * t[r] for t, g in used) for r in range(d)] for k in range(d)]
    positive([[diagonal[k] * (r == k) - a * moment[k][r] for r in range(d)] for k in range(d)] if used else [])

def check_tree(c, s, x, v, sign, price):
    path = [(None, -1)]  # rows and their signs, behind the root
    while path:
        while c.is_next("split"):
            path.append((c.integer("split", 0, s.n - 1), 1))
            need(len(dict(path)) == len(path), "a row is split twice")
        check_leaf(c, s, x, v, sign, price, path[1:])
        while path and path[-1][1] < 0:
            path.pop()
        path[-1:] = [(j, -1) for j, _ in path[-1:]]

def check_trees(c, s, x, v):
    """The sum over outputs of the larger price, squared."""
    prices = []
    for k in range(2 * len(v)):
        mark, price = c.next("side", 2)
        prices.append(number(price))
        need(mark == "+-"[k % 2] and prices[-1] >= 0, "side")
        check_tree(c, s, x, v[k // 2], 1 - k % 2 * 2, prices[-1])
    return sum(max(pair)**2 for pair in zip(prices[::2], prices[1::2]))

def cross(a, b): return a[0] * b[1] - a[1] * b[0]

def arcs(x):
    """The edges of all arcs between the rays orthogonal to the rows of x, counterclockwise."""
    half = lambda r: (r[1], r[0]) < (0, 0)
    order = functools.cmp_to_key(lambda a, b: half(a) - half(b) or (cross(b, a) > 0) - (cross(b, a) < 0))
    rays = sorted((r for a, b in distinct(x) for r in ((-b, a), (b, -a))), key=order)
    return list(zip(rays, rays[1:] + rays[:1]))

def check_plane(s, x, w, limit):
    """Prices at rays, and inside the arcs where the gradient lies in them."""
    need(len(w) == 1 and len(x[0]) <= 2, "plane")
    free, x = len(x[0]) > s.d, [(*r, F(0))[:2] for r in x]
    for a, b in arcs(x):
        m = (a[0] + b[0], a[1] + b[1]) if cross(a, b) > 0 else (-a[1], a[0])  # between them
        g = [total(t * r[k] for r, t in zip(x, w[0]) if dot(r, m) > 0) for k in (0, 1)]
        need(dot(g, a)**2 <= limit**2 * (a[0]**2 if free else dot(a, a)), "a neuron is priced above beta")
        need(free or cross(a, g) * cross(g, b) <= 0 or dot(g, g) <= limit**2, "a neuron is priced above beta")

# --- claims: (upper, lower) of each ---
def read_network(c, s, x, o, gated, on_gates=False):
    """Outputs f (n x o) and the norms |w||u|; neurons that must lie in the cones of gates do."""
    f, norms = [[F(0)] * o for _ in x], []
    for _ in range(c.integer("network", 0, len(c.lines))):
        words = c.next("neuron", 1 + o * s.d if gated else o + len(x[0]))
        gate, values = integer(words[0], 0, len(s.gates) - 1) if gated else None, [number(w) for w in words[gated:]]
        w, u = values[:o], values[o:]
        norms.append(norm(values) if gated else norm(w) * norm(u[:s.d]))
        for i in s.gates[gate] if gated else range(s.n):
            step = [dot(x[i], values[k * s.d:]) for k in range(o)] if gated else [max(dot(x[i], u), 0) * t for t in w]
            f[i] = [a + b for a, b in zip(f[i], step)]
        signs = [dot(row, u) for row in x] if on_gates else []
        need(not on_gates or any(all(t >= 0 if i in g else t <= 0 for i, t in enumerate(signs)) for g in s.gates), "no cone")
    constant = c.numbers("constant", o)
    need(s.bias == "free" or not any(constant), "there is no constant")
    return [[a + b for a, b in zip(r, constant)] for r in f], norms

def loss_of(loss, f, y):
    if loss in ("squared", "hinge"):
        return real(total((a - b)**2 for a, b in zip(f, y)) / 2 if loss == "squared" else max(1 - f[0] * y[0], F(0)))
    others = [-y[0] * f[0]] if loss == "logistic" else [a - f[y.index(1)] for k, a in enumerate(f) if k != y.index(1)]
    return (1 + sum(real(t).exp() for t in others)).ln()

def dual_term(loss, w, y, t):
    """-t l*(-w / t), w in its domain."""
    if loss not in CLASSES:
        return real(y * w - (w * w / (2 * t) if loss == "squared" else 0))
    p = y - w / t if loss == "softmax" else y * w / t
    need(p >= 0 and (loss == "softmax" or p <= 1), "the dual point is outside the domain")
    return real(t * p) if loss == "hinge" else real(t) * (entropy(p) + (entropy(1 - p) if loss == "logistic" else 0))

def claim_train(c, s):
    gated, loss = c.choice("model", "relu", "gated") == "gated", c.choice("loss", "squared", "equality", *CLASSES)
    N, beta = s.n if c.choice("scale", "sum", "mean") == "mean" else 1, c.number("beta")
    bound, upper, lower = c.choice("bound", "none", "gates", "global"), c.number("upper"), c.number("lower")
    y, equality = code(s, loss), loss == "equality"
    o, n, limit = len(y[0]), s.n, F(1) if equality else N * beta
    need(beta > 0 and not (equality and N > 1) and (loss == "softmax") == (o > 1 and loss in CLASSES), "problem")
    x = [row + [F(1)] for row in s.x] if s.bias == "free" and not gated else s.x
    f, norms = read_network(c, s, x, o, gated, bound == "gates" and not gated)
    if equality:
        need(max(abs(a - b) for r, t in zip(f, y) for a, b in zip(r, t)) <= c.number("residual"), "residual")
    values = [] if equality else [loss_of(loss, *fy) * real(t) / N for *fy, t in zip(f, y, s.w)]
    high = above(values + [r * (1 if equality else real(beta)) for r in norms], real(total(s.w)))
    need(high <= real(upper) * (1 - D("1e-70")), "the network's objective is above the claim")
    kind = c.choice("evidence", "none", "gates", "cones", "trees", "plane")
    need((kind == "none") == (bound == "none") and (bound != "gates" or kind in ("gates", "cones")), "evidence")
    if kind == "none":
        need(lower <= 0, "no evidence")
        return high, 0
    need((kind == "gates") == gated, "evidence")
    if kind in ("gates", "cones") and bound == "global":
        all_cones(s)
    scale, *v = c.numbers("dual", o * n + 1)
    v = [v[k * n:k * n + n] for k in range(o)]
    w = [[scale * t for t in r] for r in v]
    need(scale >= 0 and not (s.bias == "free" and any(map(sum, v))), "the dual point does not sum to 0")
    need(loss != "softmax" or not any(map(sum, zip(*v))), "rows of the dual point do not sum to 0")
    low = below([dual_term(loss, w[k][i], y[i][k], s.w[i]) / N for i in range(n) for k in range(o)], real(total(s.w)))
    need(low >= real(lower) * (1 + D("1e-70")), "the dual point's value is below the claim")
    if kind == "plane":
        check_plane(s, x, w, limit)
    if kind == "trees":
        need(scale**2 * check_trees(c, s, x, v) <= limit**2, "the dual point is priced above beta")
    if kind == "cones":
        need(o == 1 and x is s.x, "one output without biases")
        check_cones(c, s, w[0], scale, limit)
    for g in s.gates if gated else []:
        sums = [total(w[k][i] * x[i][l] for i in g) for k in range(o) for l in range(s.d)]
        need(dot(sums, sums) <= limit**2, "a gate's constraint is violated")
    return high, low

def claim_global(c, s):
    upper, lower, y = c.number("upper"), c.number("lower"), code(s, "margin")
    need(len(y[0]) == 1 and s.bias != "free" and upper >= 0, "two classes, no free biases")
    f, norms = read_network(c, s, s.x, 1, False)
    low, v = min(real(a[0] * b[0]) for a, b in zip(f, y)), c.numbers("dual", s.n)
    low = below([low / above(norms) if low > 0 else low / below(norms)])
    need(low >= real(lower), "the network's margin is below the claim")
    mass = total(map(abs, v))
    need(mass > 0 and all(a * b[0] >= 0 for a, b in zip(v, y)), "the dual point has the wrong signs")
    if c.choice("evidence", "trees", "plane") == "plane":
        check_plane(s, s.x, [v], upper * mass)
    else:
        need(check_trees(c, s, s.x, [v]) <= (upper * mass)**2, "the dual point is priced above the claim")
    return upper, low

def arc(edges, v):
    """The angle of the arc around v, over 2 pi."""
    a, b = next((a, b) for a, b in edges if cross(a, v) > 0 and cross(v, b) > 0)
    turns, x, y = 0, real(dot(a, b)), real(cross(a, b))
    while x <= 0:  # a quarter turn back
        turns, x, y = turns + 1, y, -x
    t = abs(y / x)
    for _ in range(60):  # halving: t is below 1e-17 in the end, and four terms are all there is to 80 digits
        t = t / (1 + (1 + t * t).sqrt())
    angle = (t - t**3 / 3 + t**5 / 5 - t**7 / 7) * 2**60
    return (angle / PI * (1 if y >= 0 else -1) + D(turns) / 2) / 2

def claim_margin(c, s):
    upper, lower, y, (kind, words) = c.number("upper"), c.number("lower"), code(s, "margin"), c.counted("measure", units=None, plane=0)
    need(len(y[0]) == 1 and (kind == "units" or s.d == 2), "measure")
    units, *times = [integer(w, 1, 2**40) for w in words] if kind == "units" else [0] * (1 + len(s.gates))
    need(len(times) == len(s.gates) and sum(times) <= units, "units")
    if kind == "plane":
        all_cones(s)
    edges = arcs(s.x) if kind == "plane" else []
    rho = [D(t) / units for t in times] if units else [arc(edges, v) if edges else D(0) for v in s.turn]
    score = [[] for _ in s.x]
    for g, r in zip(s.gates, rho):
        w = c.numbers("vector", s.d)
        need(dot(w, w) <= 1, "a vector is longer than 1")
        for i in g:
            score[i].append(r * real(y[i][0] * dot(s.x[i], w)))
    low, q = min(map(below, score)), c.numbers("dual", s.n)
    sums = [[total(y[i][0] * q[i] * s.x[i][l] for i in g) for l in range(s.d)] for g in s.gates]
    need(low >= real(lower) and min(q) >= 0 and any(q), "the vectors give less than is claimed")
    high = above([r * norm(t) / real(total(q)) for r, t in zip(rho, sums)])
    need(high <= real(upper), "the dual point gives more than is claimed")
    return high, low

def claim_zero(c, s):
    y, (kind, words) = code(s, "margin"), c.counted("combination", ray=2, pairs=None)
    count = integer(words.pop(0), 1, s.d + 1) if kind == "pairs" else 1
    point = [integer(w, 0, s.n - 1) for w in words]
    need(len(y[0]) == 1 and len(point) == 2 * count, "pairs")
    for a, b in zip(point[::2], point[1::2]):
        p, q = s.x[a], s.x[b]
        side = dot(p, q) * (1 if kind == "ray" else -1)
        need(y[a][0] > 0 > y[b][0] and side > 0 and side**2 == dot(p, p) * dot(q, q), "points")
    m = [list(r) for r in zip(*[s.x[a] for a in point[::2]])]
    for j in range(count - 1):  # the one relation between the points: all columns but the last are pivots
        p = next((r for r in range(j, s.d) if m[r][j]), None)
        need(p is not None, "relation")
        m[j], m[p] = m[p], m[j]
        m = [[a - r[j] / m[j][j] * b for a, b in zip(r, m[j])] if i != j else r for i, r in enumerate(m)]
    need(kind == "ray" or all(r[-1] / r[i] < 0 if i < count - 1 else r[-1] == 0 for i, r in enumerate(m)), "relation")
    return 0, 0

def claim_cones(c, s):
    need(len(s.gates) == c.integer("count", 1, 2**52), "count")
    all_cones(s)
    return len(s.gates), len(s.gates)

def check(certificate, data, labels):
    """The bounds of every claim."""
    claims = {"train": claim_train, "margin": claim_margin, "zero": claim_zero, "cones": claim_cones, "global": claim_global}
    c, s, bounds = Lines(certificate.decode("ascii")), type("State", (), {})(), []
    need(c.next("fathom-certificate", 1) == ["1"], "version")
    kind, sha = c.next("data", 2)
    need(kind in ("csv", "libsvm", "npy") and sha == hashlib.sha256(data).hexdigest(), "the certificate is not about this data")
    if kind == "npy":
        need(c.next("labels", 1)[0] == hashlib.sha256(labels).hexdigest(), "labels")
        prepare(c, s, read_npy(data), read_npy(labels), None)
    else:
        prepare(c, s, *(read_csv if kind == "csv" else read_libsvm)(c, data.decode("latin1")))
    read_gates(c, s)
    while not bounds or c.is_next("claim"):
        bounds.append(tuple(map(float, claims[c.choice("claim", *claims)](c, s))))
    c.next("end", 0)
    need(c.lines[c.at:] == [""], "nothing should follow")
    return bounds

def main():
    paths = [w for w in sys.argv[1:] if w != "--labels"]
    paths += [paths[1][:-4] + ".labels.npy"] * (len(paths) == 2 and paths[1].endswith(".npy"))
    certificate, data, labels = [open(p, "rb").read() for p in paths] + [None] * (3 - len(paths))
    try:
        for upper, lower in check(gzip.decompress(certificate) if certificate[:2] == b"\x1f\x8b" else certificate, data, labels):
            print(f"accepted upper={upper:.17g} lower={lower:.17g} gap={upper - lower:.17g}")
    except Rejected as why:
        sys.exit(print("rejected:", why) or 4)
    except UNREADABLE as why:
        sys.exit(print("not checked:", why) or 5)

if __name__ == "__main__":
    main()
