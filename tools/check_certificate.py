#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_certificate.py CERTIFICATE DATA [--labels FILE]: fathom-check once more, from docs/certificate.md alone.

Python's standard library only. Numbers are fractions, and conditions are decided exactly; values with roots and logarithms are
decimals of 80 digits (whose sqrt, ln and exp are correctly rounded) with 1e-60 of the sum of absolute values as their error,
far above what the operations can lose. Exit code 0: accepted, 4: rejected, 5: the data cannot be read.
"""
import functools, gzip, hashlib, itertools, math, operator, re, struct, sys
from decimal import Decimal as D, getcontext
from fractions import Fraction as F

sys.setrecursionlimit(10**4)  # a tree as deep has over 10^8 words: n + 1 weights in each of more than n leaves
getcontext().prec, getcontext().Emax, getcontext().Emin = 80, 10**9, -10**9
PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986")
CLASSES = ("logistic", "hinge", "softmax")
NPY_FORMS = dict(f8="d", f4="f", i8="q", i4="i", i2="h", i1="b", u8="Q", u4="I", u2="H", u1="B", b1="B")
UNREADABLE = (AssertionError, ArithmeticError, LookupError, RecursionError, TypeError, ValueError, struct.error)  # of bad data
class Rejected(Exception): pass

def need(condition, why):
    if not condition:
        raise Rejected(why)
def real(q): return D(q.numerator) / D(q.denominator)
def total(terms): return sum(terms, F(0))
def dot(a, b): return total(p * q for p, q in zip(a, b) if p and q)
def square(v): return dot(v, v)
def norm(v): return real(square(v)).sqrt()
def cross(a, b): return a[0] * b[1] - a[1] * b[0]
def combine(x, v): return [dot(v, column) for column in zip(*x)]  # the sum of v_i x_i
def opened(gate, v): return [t * on for on, t in zip(gate, v)]  # 0 where the gate is closed
def entropy(p): return -real(p) * real(p).ln() if p else D(0)
def below(terms, size=0): return sum(terms) - (size + sum(map(abs, terms))) * D("1e-60")
def above(terms, size=0): return sum(terms) + (size + sum(map(abs, terms))) * D("1e-60")

# --- lines of words ---
def number(word):
    parts = re.fullmatch("(-?[0-9a-f]{1,16})(p(-?[0-9]{1,4}))?", word)
    need(parts and abs(int(parts[1], 16)) < 2**63 and abs(int(parts[3] or 0)) <= 4000, f"'{word}' is no number")
    return int(parts[1], 16) * F(2)**int(parts[3] or 0)
def integer(word, low, high):
    need(re.fullmatch("-?[0-9]{1,18}", word) and low <= int(word) <= high, f"'{word}' is no such integer")
    return int(word)

class Certificate:
    """The lines, and from prepare and read_gates on the data: x, y, w, n, d, bias, texts, gates, turn, inside."""
    def __init__(self, text): self.lines, self.at = text.split("\n"), 0
    def is_next(self, keyword): return self.lines[self.at].split(" ")[0] == keyword
    def next(self, keyword, count=None):
        need(self.at + 1 < len(self.lines) and self.is_next(keyword), f"line {self.at + 1}: '{keyword}' was expected")
        words, self.at = self.lines[self.at].split(" ")[1:], self.at + 1
        need("" not in words and count in (None, len(words)), f"line {self.at}: the words are not as expected")
        return words
    def counted(self, keyword, **counts):  # a kind and as many words as it must have
        kind, *words = self.next(keyword) or [None]
        need(kind in counts and counts[kind] in (None, len(words)), f"line {self.at}: '{kind}'")
        return kind, words
    def entries(self, keyword, *ends):  # a count and as many entries: an integer below each of the ends and a number
        (count, *words), size = self.next(keyword) or [""], len(ends) + 1
        need(len(words) == size * integer(count, 0, len(words)), f"line {self.at}: entries")
        return [(*[integer(w, 0, end - 1) for w, end in zip(e, ends)], number(e[-1])) for e in zip(*[iter(words)] * size)]
    def choice(self, keyword, *among): return self.counted(keyword, **dict.fromkeys(among, 0))[0]
    def numbers(self, keyword, count): return [number(w) for w in self.next(keyword, count)]
    def number(self, keyword): return self.numbers(keyword, 1)[0]
    def integer(self, keyword, low, high): return integer(self.next(keyword, 1)[0], low, high)

# --- data: x (n x d), y (n x outputs), weights or None; a field that is no finite number is None ---
def plain(text):
    parts = re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text)
    return float(text) if parts and math.isfinite(float(text)) else None

def read_csv(c, data, _):
    fields = [[f.strip(" \t\r") for f in line.split(",")] for line in data.decode("latin1").rstrip(" \t\r\n").split("\n")]
    header, target, weights = (integer(w, -1, len(fields[0]) - 1) for w in c.next("table", 3))
    need(header in (0, 1) and target >= 0 and target != weights, "no such column")
    need(not header or len(fields) > 1 and None in map(plain, fields[0]), "the first line is no header")
    assert b'"' not in data and b"\0" not in data and all(len(r) == len(fields[0]) for r in fields[header:])
    rows = [[plain(f) for f in r] for r in fields[header:]]
    y = [[r[target]] for r in (fields[header:] if rows[0][target] is None else rows)]
    x = [[v for k, v in enumerate(r) if k not in (target, weights)] for r in rows]
    return x, y, [r[weights] for r in rows] if weights >= 0 else None

def read_libsvm(c, data, _):
    rows = [r for r in (line.split("#")[0].split() for line in data.decode("latin1").split("\n")) if r]
    pairs = [[re.fullmatch("([0-9]{1,10}):(.*)", t) for t in r[1:]] for r in rows]
    x, columns = [{int(p[1]): plain(p[2]) for p in r} for r in pairs], c.integer("table", -1, 2**31)
    widest = max(max(r, default=0) for r in x)
    d = columns if columns > 0 else widest
    assert widest <= d < 10**8 / len(rows) and all([0, *(int(p[1]) for p in r)] == sorted({0, *k}) for r, k in zip(pairs, x))
    return [[r.get(k, 0.0) for k in range(1, d + 1)] for r in x], [[plain(r[0])] for r in rows], None
def read_npy(c, data, labels):
    need(c.next("labels", 1)[0] == hashlib.sha256(labels).hexdigest(), "labels")
    return read_array(data), read_array(labels), None

def read_array(data):
    start = 8 + 2 * data[6]
    end = start + int.from_bytes(data[8:start], "little")
    head = data[start:end].decode("latin1").replace(" ", "")
    kind, shape = re.search("'descr':'[<|](..)'", head)[1], re.search(r"'shape':\(([0-9]+),([0-9]*)\)", head)
    flat, n, d = [float(v) for v, in struct.iter_unpack("<" + NPY_FORMS[kind], data[end:])], int(shape[1]), int(shape[2] or 1)
    assert data[:6] == b"\x93NUMPY" and data[6] < 3 and 0 < len(flat) == n * d and all(map(math.isfinite, flat))
    return [flat[i::n] if "'fortran_order':True" in head else flat[i * d:i * d + d] for i in range(n)]

def running(values): return functools.reduce(operator.add, values, 0.0)  # from left to right, each sum rounded

def scaled(values, centred):
    """A row over its length, or a column around its mean over its deviation."""
    mean = 0.0 if not centred else values[0] if min(values) == max(values) else running(values) / len(values)
    values = [v - mean for v in values]
    scale = math.sqrt(running(v * v for v in values) / (len(values) if centred else 1))
    assert math.isfinite(scale)
    return [v / scale for v in values] if any(values) else values

def prepare(c, x, y, w):
    """The rows that are kept, with their classes, after all steps."""
    kind, words = c.counted("rows", all=0, range=2, list=None)
    bounds, (choice, pair) = [integer(v, 0, len(x)) for v in words], c.counted("classes", all=0, texts=2, numbers=2)
    keep = range(len(x)) if kind == "all" else range(*bounds) if kind == "range" else bounds[1:]
    if pair:
        need(isinstance(y[0][0], str) == (choice == "texts") and len(y[0]) == 1, "classes")
        pair = [bytes.fromhex(v).decode("latin1") if choice == "texts" else number(v) for v in pair]
        keep, y = [i for i in keep if y[i][0] in pair], [[-1.0 if r[0] == pair[1] else 1.0] for r in y]
    need(len(keep) > 0 and max(keep) < len(x) and (kind != "list" or bounds[0] == len(bounds) - 1), "rows")
    x, y, c.w = [x[i] for i in keep], [y[i] for i in keep], [F(w[i] if w else 1) for i in keep]
    c.texts, order = isinstance(y[0][0], str), sorted({r[0] for r in y})
    c.y = [[float(order.index(r[0]))] for r in y] if c.texts else y
    kind, c.bias = c.choice("normalize", "none", "unit", "standardize"), c.choice("bias", "none", "augment", "free")
    x = [scaled(row, False) for row in x] if kind == "unit" else x
    x = list(zip(*[scaled(column, True) for column in zip(*x)])) if kind == "standardize" else x
    assert min(c.w) > 0 and None not in sum(c.y, []) and len(x[0]) > 0
    c.x = [[F(v) for v in row] + [F(1)] * (c.bias == "augment") for row in x]  # fails where a value is not finite
    c.n, c.d = len(c.x), len(c.x[0])
    need([integer(v, 1, 2**40) for v in c.next("shape", 2)] == [c.n, c.d], "shape")

def code(c, loss):
    """Targets as the loss (or a margin) wants them: two classes as -1 and +1, more as one-hot rows."""
    values, most, regression = sorted({r[0] for r in c.y}), max(20, min(1000, c.n // 10)), loss in ("squared", "equality")
    if regression or len(c.y[0]) > 1:
        assert regression or all(sorted(r) == [0] * (len(r) - 1) + [1] for r in c.y)
        return [[F(v) for v in r] for r in c.y]
    assert c.texts or len(values) <= 2 or (len(values) <= most and all(v == math.floor(v) for v in values))
    if len(values) > 2:
        return [[F(r[0] == v) for v in values] for r in c.y]
    return [[F(1 if (r[0] == values[1] if len(values) == 2 else c.texts or r[0] > 0) else -1)] for r in c.y]

# --- gates and cones ---
def read_gates(c):
    kind, words = c.counted("gates", none=0, orientations=1, patterns=1)
    count, width = integer(*words, 1, len(c.lines)) if words else 0, c.d if kind == "orientations" else 1
    lines = [c.next("gate", width) for _ in range(count)]
    c.turn = [[number(w) for w in line] for line in lines] if kind == "orientations" else []
    signs = [[dot(row, v) if any(row) else -1 for row in c.x] for v in c.turn]
    c.gates, c.inside = [[t > 0 for t in r] for r in signs], bool(signs) and not any(0 in r for r in signs)
    for word, in lines if kind == "patterns" else []:
        need(re.fullmatch("[0-9a-f]{%d}" % ((c.n + 3) // 4), word) and int(word[-1], 16) >> (c.n - 1) % 4 + 1 == 0, "pattern")
        c.gates.append([int(word[i // 4], 16) >> i % 4 & 1 for i in range(c.n)])
def distinct(rows):
    """Normals up to their length, in order: the first entry other than 0 becomes 1."""
    return sorted({tuple(v / next(filter(None, r)) for v in r) for r in rows if any(r)})

def count_cones(rows):
    """Deletion and restriction; rows are distinct normals."""
    if len(rows) <= 1 or len(rows[0]) <= 2:
        return 2 * len(rows) or 1
    return 1 + sum(count_cones(distinct([r[i] - r[p] * h[i] for i in range(len(h)) if i != p] for r in rows[:k]))
                   for k, (h, p) in enumerate((h, h.index(1)) for h in rows))
def complete(c):
    """Whether the gates are all the cones."""
    return c.inside and len({tuple(g) for g in c.gates}) == len(c.gates) == count_cones(distinct(c.x))
def arcs(x):
    """The edges of all arcs between the rays orthogonal to the rows of x, counterclockwise."""
    half = [(-b, a) if a else (b, a) for a, b in distinct(x)]  # from the angle 0 to below pi
    rays = half + [(-a, -b) for a, b in half]
    return list(zip(rays, rays[1:] + rays[:1]))

def angle(a, b):
    """From a counterclockwise to b, over 2 pi."""
    if dot(a, b) <= 0:
        return D("0.25") + angle((-a[1], a[0]), b)
    t = real(cross(a, b) / dot(a, b))
    for _ in range(60):  # halving: t is below 1e-17 in the end, and four terms are all there is to 80 digits
        t = t / (1 + (1 + t * t).sqrt())
    return (t - t**3 / 3 + t**5 / 5 - t**7 / 7) * 2**59 / PI

# --- evidence: squared prices of v (outputs x n), the largest of which bounds p(v)^2 ---
def gate_prices(c, x, v): return [total(square(combine(x, opened(g, r))) for r in v) for g in c.gates]

def cone_prices(c, x, v):
    """Within the cone of every gate, for both signs, with multipliers of the rows that bound it."""
    need(len(v) == 1 and x is c.x, "one output without biases")
    sides = [(g, [sign * t for t in opened(g, v[0])]) for g in c.gates for sign in (1, -1)]
    for g, weights in sides:
        for i, t in c.entries("push", c.n):
            need(t >= 0, "push")
            weights[i] += t if g[i] else -t
    return [square(combine(x, weights)) for _, weights in sides]

def plane_prices(c, x, v):
    """At the rays, and inside the arcs where the gradient lies in them."""
    need(len(v) == 1 and len(x[0]) <= 2, "plane")
    free, x, squares = len(x[0]) > c.d, [(*r, F(0))[:2] for r in x], []
    for a, b in arcs(x):
        m = (a[0] + b[0], a[1] + b[1]) if cross(a, b) > 0 else (-a[1], a[0])  # between them
        g = combine(x, opened([dot(r, m) > 0 for r in x], v[0]))
        inside = not free and cross(a, g) * cross(g, b) > 0
        squares += [dot(g, a)**2 / (a[0]**2 if free else square(a)), square(g) if inside else 0]
    return squares

def tree_prices(c, x, v):
    """The sum over outputs of the larger price, squared."""
    prices = []
    for r, sign in itertools.product(v, (1, -1)):
        mark, price = c.next("side", 2)
        prices.append(number(price))
        need(mark == "- +"[1 + sign] and prices[-1] >= 0, "side")
        check_tree(c, x, [sign * t for t in r], prices[-1], {})
    return [sum(max(pair)**2 for pair in zip(prices[::2], prices[1::2]))]

def check_tree(c, x, v, price, fixed):
    """The price of v where the rows that are fixed have these signs: two subtrees, or a leaf with a positive definite matrix."""
    if c.is_next("split"):
        j = c.integer("split", 0, c.n - 1)
        need(j not in fixed, "a row is split twice")
        for sign in (1, -1):
            fixed[j] = sign
            check_tree(c, x, v, price, fixed)
        del fixed[j]
        return
    d, entries, gamma = len(x[0]), c.entries("leaf", c.n, c.n + 1), c.numbers("weights", c.n + 1)
    nu, lift = c.numbers("multipliers", len(fixed)) if fixed else [], c.number("lift") if d > c.d else 0
    need(min([lift, *nu]) >= 0, "a multiplier is negative")
    psi, column = list(v), [[F(0)] * d for _ in gamma]
    for i, _, t in entries:
        psi[i] += abs(t)
    terms = [(0, i, t) for i, t in enumerate(v)] + [(j, i, -t) for i, j, t in entries]
    terms += [(i + 1, i, max(t, 0)) for i, t in enumerate(psi)] + [(j + 1, j, t) for j, t in zip(fixed, nu)]
    for j, i, t in terms:
        j, t = (0, t * fixed[j - 1]) if j - 1 in fixed else (j, t)  # fixed: with its sign to column 0
        column[j] = [a + t * b for a, b in zip(column[j], x[i])] if t else column[j]
    used, loose = ([(r, g) for r, g in zip(column, gamma) if any(r) and (g == 0) == zero] for zero in (False, True))
    q, a = 2 * price - F(above([norm(r) for r, _ in loose])), F(above([real(1 / g) for _, g in used if g > 0]))
    need(all(g > 0 for _, g in used) and (d == c.d or not loose), "a weight is not positive")
    need(q >= 0, "the columns outside the matrix are too long")
    diagonal = [q * q - a * lift * max(square(row[:c.d]) for row in x)] * c.d + [a * lift] * (d - c.d)
    m = [[diagonal[k] * (k == l) - a * total(g * r[k] * r[l] for r, g in used) for l in range(d)] for k in range(d)] if used else []
    while m:  # all pivots are positive
        (p, *row), *rest = m
        need(p > 0, "a matrix is not positive definite: a price is not proved")
        m = [[s - r[0] / p * t for s, t in zip(r[1:], row)] for r in rest]

# --- claims: (upper, lower) of each ---
def read_network(c, x, o, gated, on_gates):
    """Outputs f (n x o) and the norms |w||u|; neurons that must lie in the cones of gates do."""
    f, norms = [[F(0)] * o for _ in x], []
    for _ in range(c.integer("network", 0, len(c.lines))):
        words = c.next("neuron", 1 + o * c.d if gated else o + len(x[0]))
        values = [number(w) for w in words[gated:]]
        w, u = values[:o], values[o:]
        norms.append(norm(values) if gated else norm(w) * norm(u[:c.d]))
        gate = c.gates[integer(words[0], 0, len(c.gates) - 1)] if gated else [dot(row, u) > 0 for row in x]
        matrix = [values[k * c.d:][:c.d] for k in range(o)] if gated else [[a * b for b in u] for a in w]
        need(not on_gates or any(all(dot(r, u) * (1 if on else -1) >= 0 for r, on in zip(x, g)) for g in c.gates), "no cone")
        f = [[a + dot(row, r) for a, r in zip(out, matrix)] if on else out for out, row, on in zip(f, x, gate)]
    constant = c.numbers("constant", o)
    need(c.bias == "free" or not any(constant), "there is no constant")
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

def claim_train(c):
    gated, loss = c.choice("model", "relu", "gated") == "gated", c.choice("loss", "squared", "equality", *CLASSES)
    N, beta = c.n if c.choice("scale", "sum", "mean") == "mean" else 1, c.number("beta")
    bound, upper, lower = c.choice("bound", "none", "gates", "global"), c.number("upper"), c.number("lower")
    y, size, equality = code(c, loss), real(total(c.w)), loss == "equality"
    n, o, limit = c.n, len(y[0]), 1 if equality else N * beta
    need(beta > 0 and not (equality and N > 1) and (loss == "softmax") == (o > 1 and loss in CLASSES), "problem")
    x = [row + [F(1)] for row in c.x] if c.bias == "free" and not gated else c.x
    f, norms = read_network(c, x, o, gated, bound == "gates" and not gated)
    need(not equality or max(abs(a - b) for r, t in zip(f, y) for a, b in zip(r, t)) <= c.number("residual"), "residual")
    losses = [] if equality else [loss_of(loss, *fy) * real(t) / N for *fy, t in zip(f, y, c.w)]
    high = above(losses + [r * (1 if equality else real(beta)) for r in norms], size)
    need(high <= upper, "the network's objective is above the claim")
    if bound == "none":
        need(c.choice("evidence", "none") and lower <= 0, "no evidence")
        return high, 0
    kind = c.choice("evidence", *["gates"] if gated else ["cones"] if bound == "gates" else ["cones", "trees", "plane"])
    need(bound == "gates" or kind in ("trees", "plane") or complete(c), "the cones are others")
    scale, *v = c.numbers("dual", o * n + 1)
    v = [v[k * n:k * n + n] for k in range(o)]
    need(scale >= 0 and not (c.bias == "free" and any(map(sum, v))), "the dual point does not sum to 0")
    need(loss != "softmax" or not any(map(sum, zip(*v))), "rows of the dual point do not sum to 0")
    low = below([dual_term(loss, scale * v[k][i], y[i][k], c.w[i]) / N for i in range(n) for k in range(o)], size)
    need(low >= lower, "the dual point's value is below the claim")
    prices = {"gates": gate_prices, "cones": cone_prices, "trees": tree_prices, "plane": plane_prices}[kind](c, x, v)
    need(scale**2 * max(prices, default=0) <= limit**2, "the dual point is priced above beta")
    return high, low

def claim_global(c):
    upper, lower, y = c.number("upper"), c.number("lower"), code(c, "margin")
    need(len(y[0]) == 1 and c.bias != "free" and upper >= 0, "two classes, no free biases")
    f, norms = read_network(c, c.x, 1, False, False)
    low, v = min(real(a[0] * b[0]) for a, b in zip(f, y)), c.numbers("dual", c.n)
    low, mass = below([low / above(norms) if low > 0 else low / below(norms)]), total(map(abs, v))
    need(low >= lower, "the network's margin is below the claim")
    need(mass > 0 and all(a * b[0] >= 0 for a, b in zip(v, y)), "the dual point has the wrong signs")
    prices = (tree_prices if c.choice("evidence", "trees", "plane") == "trees" else plane_prices)(c, c.x, [v])
    need(max(prices, default=0) <= (upper * mass)**2, "the dual point is priced above the claim")
    return upper, low

def claim_margin(c):
    upper, lower, y = c.number("upper"), c.number("lower"), code(c, "margin")
    kind, words = c.counted("measure", units=1 + len(c.gates), plane=0)
    units, *times = [integer(w, 1, 2**40) for w in words] if kind == "units" else [1]
    need(len(y[0]) == 1 and (kind == "units" or c.d == 2 and complete(c)) and sum(times) <= units, "measure")
    edges, z = arcs(c.x) if kind == "plane" else [], [[t * label for t in row] for row, (label,) in zip(c.x, y)]
    angles = (next((angle(a, b) for a, b in edges if cross(a, v) > 0 < cross(v, b)), D(0)) for v in c.turn)
    rho = [D(t) / units for t in times] if kind == "units" else list(angles)
    vectors, q = [c.numbers("vector", c.d) for _ in c.gates], c.numbers("dual", c.n)
    need(all(square(w) <= 1 for w in vectors), "a vector is longer than 1")
    low = min(below([r * real(dot(p, w)) for r, w, g in zip(rho, vectors, c.gates) if g[i]]) for i, p in enumerate(z))
    need(low >= lower and min(q) >= 0 and any(q), "the vectors give less than is claimed")
    high = above([r * norm(combine(z, opened(g, q))) / real(total(q)) for r, g in zip(rho, c.gates)])
    need(high <= upper, "the dual point gives more than is claimed")
    return high, low

def claim_zero(c):
    y, (kind, words) = code(c, "margin"), c.counted("combination", ray=2, pairs=None)
    count = integer(words.pop(0), 1, c.d + 1) if kind == "pairs" else 1
    point = [integer(w, 0, c.n - 1) for w in words]
    need(len(y[0]) == 1 and len(point) == 2 * count, "pairs")
    for a, b in zip(point[::2], point[1::2]):
        side = dot(c.x[a], c.x[b]) * (1 if kind == "ray" else -1)
        need(y[a][0] > 0 > y[b][0] and side > 0 and side**2 == square(c.x[a]) * square(c.x[b]), "points")
    m = list(zip(*[c.x[a] for a in point[::2]]))
    for j in range(count - 1):  # the one relation between the points: all columns but the last are pivots
        m[j:] = sorted(m[j:], key=lambda r: r[j] == 0)
        need(m[j][j], "relation")
        m = [[a - r[j] / m[j][j] * b for a, b in zip(r, m[j])] if i != j else r for i, r in enumerate(m)]
    need(kind == "ray" or all(r[-1] / r[i] < 0 if i < count - 1 else r[-1] == 0 for i, r in enumerate(m)), "relation")
    return 0, 0

def claim_cones(c):
    need(c.integer("count", 1, 2**52) == len(c.gates) and complete(c), "the cones are others")
    return len(c.gates), len(c.gates)

def check(certificate, data, labels):
    """The bounds of every claim."""
    claims = {"train": claim_train, "margin": claim_margin, "zero": claim_zero, "cones": claim_cones, "global": claim_global}
    readers = {"csv": read_csv, "libsvm": read_libsvm, "npy": read_npy}
    c, bounds = Certificate(certificate.decode("ascii")), []
    need(c.next("fathom-certificate", 1) == ["1"], "version")
    kind, sha = c.next("data", 2)
    need(kind in readers and sha == hashlib.sha256(data).hexdigest(), "the certificate is not about this data")
    prepare(c, *readers[kind](c, data, labels))
    read_gates(c)
    while not bounds or c.is_next("claim"):
        bounds.append(tuple(map(float, claims[c.choice("claim", *claims)](c))))
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
    except (Rejected, *UNREADABLE) as why:
        status, word = (4, "rejected:") if isinstance(why, Rejected) else (5, "not checked:")
        sys.exit(print(word, why) or status)

if __name__ == "__main__":
    main()
