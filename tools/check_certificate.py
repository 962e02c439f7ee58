#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_certificate.py CERTIFICATE DATA [--labels FILE]: fathom-check once more, from docs/certificate.md alone.

Python's standard library only. Numbers are fractions, and conditions are decided exactly; values with roots and
logarithms are decimals of 80 digits (whose sqrt, ln and exp are correctly rounded) with 1e-60 of the sum of absolute
values as their error, far above what the operations lose. Exit code 0: accepted, 4: rejected, 5: unreadable data.
"""
import functools, gzip, hashlib, itertools, math, operator, re, struct, sys
from decimal import Decimal as D, getcontext
from fractions import Fraction as F

sys.setrecursionlimit(10**4)  # a tree as deep has over 10^8 words: n + 1 weights in each of more than n leaves
getcontext().prec, getcontext().Emax, getcontext().Emin = 80, 10**9, -10**9
PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986")
NPY_FORMS = dict(f8="d", f4="f", i8="q", i4="i", i2="h", i1="b", u8="Q", u4="I", u2="H", u1="B", b1="B")
UNREADABLE = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError, struct.error)  # from damaged files
class Rejected(Exception): pass

def need(condition, why, error=Rejected):
    if not condition:
        raise error(why)
def real(q): return D(q.numerator) / D(q.denominator)
def total(terms): return sum(terms, F(0))
def plus(a, b): return [p + q for p, q in zip(a, b)]
def dot(a, b): return total(p * q for p, q in zip(a, b) if p and q)
def square(v): return dot(v, v)
def norm(v): return real(square(v)).sqrt()
def cross(a, b): return a[0] * b[1] - a[1] * b[0]
def combine(x, v): return [dot(v, column) for column in zip(*x)]  # the sum of v_i x_i
def opened(gate, v): return [t * on for on, t in zip(gate, v)]  # 0 where the gate is closed
def entropy(p): return -real(p) * real(p).ln() if p else D(0)
def above(terms, size=0): return sum(terms) + (size + sum(map(abs, terms))) * D("1e-60")
def below(terms, size=0): return -above([-t for t in terms], size)
def pivots(m):  # of a symmetric matrix, with the rest of their rows: what remains is the matrix less what they explain
    while m:
        (p, *row), *rest = m
        yield p, row
        m = [[s - r[0] / p * t for s, t in zip(r[1:], row)] for r in rest]

# --- lines of words, read by their kinds: n a number m 2^e, i an index, w any word ---
def number(word):
    parts = re.fullmatch("(-?[0-9a-f]{1,16})(p(-?[0-9]{1,4}))?", word)
    need(parts and abs(int(parts[1], 16)) < 2**63 and abs(int(parts[3] or 0)) <= 4000, f"'{word}' is no number")
    return int(parts[1], 16) * F(2)**int(parts[3] or 0)
def index(word):
    need(re.fullmatch("[0-9]{1,18}", word), f"'{word}' is no index")
    return int(word)
KINDS = dict(n=number, i=index, w=str)
class Certificate:
    """The lines, and from prepare and read_gates on the data: x, y, w, n, d, bias, texts, gates, turn, inside."""
    def __init__(self, text): self.lines, self.at = text.split("\n"), 0
    def is_next(self, keyword): return self.lines[self.at].split(" ")[0] == keyword
    def line(self, keyword, kinds, more=""):  # words of these kinds, behind them of the kinds `more` again and again
        need(self.is_next(keyword) and self.at + 1 < len(self.lines), f"line {self.at + 1}: '{keyword}' was expected")
        words, self.at = self.lines[self.at].split(" ")[1:], self.at + 1
        kinds += more * ((len(words) - len(kinds)) // len(more or " "))
        need(len(words) == len(kinds) and "" not in words, f"line {self.at}: there are {len(words)} words")
        return [KINDS[kind](word) for kind, word in zip(kinds, words)]
    def one(self, keyword, kind): return self.line(keyword, kind)[0]
    def choice(self, keyword, *among, more=""):  # one of these words; with `more` also the words behind it
        word, *others = self.line(keyword, "w", more)
        need(word in among, f"line {self.at}: '{word}' is not among {among}")
        return [word, *others] if more else word
    def entries(self, keyword, kinds):  # a count, and as many entries of these kinds
        count, *values = self.line(keyword, "i", kinds)
        need(count * len(kinds) == len(values), f"line {self.at}: there are not {count} entries")
        return zip(*[iter(values)] * len(kinds))

# --- data: x (n x d), y (n x outputs), weights or None; a field that is no finite number is None ---
def plain(text):
    parts = re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", text)
    return float(text) if parts and math.isfinite(float(text)) else None
def read_csv(c, data, _):
    rows = [[f.strip(" \t\r") for f in r.split(",")] for r in data.decode("latin1").rstrip(" \t\r\n").split("\n")]
    header, target, weights = (int(word) for word in c.line("table", "iiw"))
    need(header < 2 and -1 <= weights != target and max(target, weights) < len(rows[0]), "no such columns")
    need(not header or None in map(plain, rows.pop(0)), "the first line is no header")
    need(not {34, 0} & {*data} and len({len(row) for row in rows}) == 1, "this is no plain table", ValueError)
    read = str if plain(rows[0][target]) is None else plain
    x = [[plain(field) for k, field in enumerate(row) if k not in (target, weights)] for row in rows]
    return x, [[read(row[target])] for row in rows], [plain(row[weights]) for row in rows] if weights >= 0 else None
def read_libsvm(c, data, _):
    rows = [row for row in (line.split("#")[0].split() for line in data.decode("latin1").split("\n")) if row]
    d, pairs = c.one("table", "i"), [[word.split(":") for word in row[1:]] for row in rows]
    ends = [[0, *(index(k) for k, _ in row), d + 1] for row in pairs]
    need(all(sorted({*row}) == row for row in ends) and 0 < d * len(rows) < 10**8, "indices", ValueError)
    x = [{int(k): plain(value) for k, value in row} for row in pairs]
    return [[row.get(k, 0.0) for k in range(1, d + 1)] for row in x], [[plain(row[0])] for row in rows], None
def read_npy(c, data, labels):
    need(c.one("labels", "w") == hashlib.sha256(labels).hexdigest(), "the certificate is about other labels")
    return read_array(data), read_array(labels), None
def read_array(data):
    start = 8 + 2 * data[6]
    end = start + int.from_bytes(data[8:start], "little")
    head = data[start:end].decode("latin1").replace(" ", "")
    form, shape = re.search("'descr':'[<|](..)'", head)[1], re.search(r"'shape':\(([0-9]+),([0-9]*)\)", head)
    flat, n, d = struct.iter_unpack("<" + NPY_FORMS[form], data[end:]), int(shape[1]), int(shape[2] or 1)
    flat = [float(v) for v, in flat if math.isfinite(v)]
    need(data[:6] == b"\x93NUMPY" and data[6] < 3 and 0 < len(flat) == n * d, "no array of finite numbers", ValueError)
    return [flat[i::n] if "'fortran_order':True" in head else flat[i * d:i * d + d] for i in range(n)]
def scaled(values, centred):
    """A row over its length, or a column around its mean over its deviation; sums run from left to right."""
    running = functools.partial(functools.reduce, operator.add)
    mean = 0.0 if not centred else values[0] if min(values) == max(values) else running(values, 0.0) / len(values)
    values = [v - mean for v in values]
    scale = math.sqrt(running((v * v for v in values), 0.0) / (len(values) if centred else 1))
    return [v / scale if scale < math.inf else None for v in values] if any(values) else values
def prepare(c, x, y, w):
    """The rows that are kept, with their classes, after all steps."""
    kind, *rows = c.choice("rows", "all", "range", "list", more="i")
    need(len(rows) == (rows[0] + 1 if kind == "list" else dict(all=0, range=2)[kind]), "rows")
    keep = range(len(x)) if kind == "all" else range(*rows) if kind == "range" else rows[1:]
    kind, *pair = c.choice("classes", "all", "texts", "numbers", more="ww")
    if kind != "all":
        need((kind == "texts") == isinstance(y[0][0], str) and len(pair) + len(y[0]) == 3, "classes")
        pair = [bytes.fromhex(word).decode("latin1") if kind == "texts" else number(word) for word in pair]
        keep, y = [i for i in keep if y[i][0] in pair], [[-1.0 if t[0] == pair[1] else 1.0] for t in y]
    need(keep and (kind != "all" or not pair), "no row is kept")
    x, y, c.w = [x[i] for i in keep], [y[i] for i in keep], [F(w[i] if w else 1) for i in keep]
    c.texts, order = isinstance(y[0][0], str), sorted({t[0] for t in y})
    c.y = [[F(order.index(v) if c.texts else v) for v in t] for t in y]
    kind, c.bias = c.choice("normalize", "none", "unit", "standardize"), c.choice("bias", "none", "augment", "free")
    x = [scaled(row, False) for row in x] if kind == "unit" else x
    x = list(zip(*[scaled(column, True) for column in zip(*x)])) if kind == "standardize" else x
    c.x = [[F(v) for v in row] + [F(1)] * (c.bias == "augment") for row in x]  # fails where a value is not finite
    c.n, c.d = c.line("shape", "ii")
    need(min(c.w) > 0 < len(x[0]) and [c.n, c.d] == [len(x), len(c.x[0])], "the data has another shape")
def classes(c):
    """Targets of losses of classes and of margins: two classes as -1 and +1, more as one-hot rows."""
    values, most = sorted({t[0] for t in c.y}), max(20, min(1000, c.n // 10))
    if len(c.y[0]) > 1:
        need(all(sorted(t) == [0] * (len(t) - 1) + [1] for t in c.y), "the targets are not one-hot")
        return c.y
    need(c.texts or len(values) <= 2 or len(values) <= most and all(v == v // 1 for v in values), "no classes")
    positive = values[-1] if len(values) == 2 or c.texts or values[0] > 0 else None
    return [[F(t[0] == v) for v in values] if len(values) > 2 else [F(1 if t[0] == positive else -1)] for t in c.y]

# --- gates and cones ---
def read_gates(c):
    kind, *count = c.choice("gates", "none", "orientations", "patterns", more="i")
    need(len(count) == (kind != "none") and count != [0], "gates")
    lines = [c.line("gate", "n" * c.d if kind == "orientations" else "w") for _ in range(sum(count))]
    c.turn, c.gates = lines if kind == "orientations" else [], []
    signs = [[dot(row, v) if any(row) else -1 for row in c.x] for v in c.turn]
    c.inside = bool(signs) and not any(0 in row for row in signs)
    for word, in lines if kind == "patterns" else []:
        c.gates.append([int(digit, 16) >> k & 1 for digit in word for k in range(4)])
        need(re.fullmatch("[0-9a-f]{%d}" % ((c.n + 3) // 4), word) and not any(c.gates[-1][c.n:]), "no pattern")
    c.gates = [gate[:c.n] for gate in c.gates] or [[t > 0 for t in row] for row in signs]
def distinct(rows):  # normals up to their length, in order: the first entry other than 0 becomes 1
    return sorted({tuple(v / next(filter(None, r)) for v in r) for r in rows if any(r)})
def count_cones(rows):  # deletion and restriction; rows are distinct normals
    if len(rows) <= 1 or len(rows[0]) <= 2:
        return 2 * len(rows) or 1
    return 1 + sum(count_cones(distinct([r[i] - r[p] * h[i] for i in range(len(h)) if i != p] for r in rows[:k]))
                   for k, (h, p) in enumerate((h, h.index(1)) for h in rows))
def complete(c):  # whether the gates are all the cones
    return c.inside and len({tuple(g) for g in c.gates}) == len(c.gates) == count_cones(distinct(c.x))
def arcs(x):  # the edges of all arcs between the rays orthogonal to the rows of x, counterclockwise
    half = [(-b, a) if a else (b, a) for a, b in distinct(x)]  # from the angle 0 to below pi
    rays = half + [(-a, -b) for a, b in half]
    return list(zip(rays, rays[1:] + rays[:1]))
def angle(a, b):  # from a counterclockwise to b, over 2 pi
    if dot(a, b) <= 0:
        return D("0.25") + angle((-a[1], a[0]), b)
    t = real(cross(a, b) / dot(a, b))
    for _ in range(60):  # halving: t is below 1e-17 in the end, and four terms are all there is to 80 digits
        t = t / (1 + (1 + t * t).sqrt())
    return (t - t**3 / 3 + t**5 / 5 - t**7 / 7) * 2**59 / PI

# --- evidence: squared prices of v (outputs x n), the largest of which bounds p(v)^2; free biases: a column of ones ---
def gate_prices(c, x, v): return [total(square(combine(x, opened(g, r))) for r in v) for g in c.gates]
def cone_prices(c, x, v):
    """Within the cone of every gate, for both signs, with multipliers of the rows that bound it."""
    need(len(v) == 1 and x is c.x, "this evidence is for one output without biases")
    sides = [(g, [sign * t for t in opened(g, v[0])]) for g in c.gates for sign in (1, -1)]
    for g, weights in sides:
        for i, t in c.entries("push", "in"):
            need(t >= 0, "a multiplier is negative")
            weights[i] += t if g[i] else -t
    return [square(combine(x, weights)) for _, weights in sides]
def plane_prices(c, x, v):
    """At the rays, and inside the arcs where the gradient lies in them."""
    need(len(v) == 1 and len(x[0]) <= 2, "this evidence is for one output and few columns")
    free, x, squares = len(x[0]) > c.d, [(*row, F(0))[:2] for row in x], []
    for a, b in arcs(x):
        m = plus(a, b) if cross(a, b) > 0 else (-a[1], a[0])  # between them
        g = combine(x, opened([dot(row, m) > 0 for row in x], v[0]))
        inside = not free and cross(a, g) * cross(g, b) > 0
        squares += [dot(g, a)**2 / (a[0]**2 if free else square(a)), square(g) if inside else 0]
    return squares
def tree_prices(c, x, v):
    """The sum over outputs of the larger price, squared."""
    prices = []
    for r, mark in itertools.product(v, "+-"):
        prices += c.choice("side", mark, more="n")[1:]
        check_tree(c, x, r if mark == "+" else [-t for t in r], *prices[-1:], {})
    return [sum(max(pair)**2 for pair in zip(prices[::2], prices[1::2]))]
def check_tree(c, x, v, price, fixed):
    """The price of v where the rows that are fixed have these signs: two subtrees, or a leaf with a definite matrix."""
    if c.is_next("split"):
        j = c.one("split", "i")
        need(j < c.n and j not in fixed, "there is no such row, or it is split twice")
        return [check_tree(c, x, v, price, {**fixed, j: sign}) for sign in (1, -1)]
    d, entries, gamma = len(x[0]), [*c.entries("leaf", "iin")], c.line("weights", "n" * (c.n + 1))
    nu, lift = c.line("multipliers", "n" * len(fixed)) if fixed else [], c.one("lift", "n") if d > c.d else 0
    psi, column = list(v), [[F(0)] * d for _ in gamma]
    for i, _, t in entries:
        psi[i] += abs(t)
    terms = [(0, i, t) for i, t in enumerate(v)] + [(j, i, -t) for i, j, t in entries]
    terms += [(i + 1, i, max(t, 0)) for i, t in enumerate(psi)] + [(j + 1, j, t) for j, t in zip(fixed, nu)]
    for j, i, t in terms:
        j, t = (0, t * fixed[j - 1]) if j - 1 in fixed else (j, t)  # fixed: with its sign to column 0
        column[j] = plus(column[j], [t * value for value in x[i]]) if t else column[j]
    used, loose = ([(r, g) for r, g in zip(column, gamma) if any(r) and (g == 0) == zero] for zero in (False, True))
    need(all(g > 0 for _, g in used) and (d == c.d or not loose), "a weight is not positive")
    q, a = 2 * price - F(above([norm(r) for r, _ in loose])), F(above([real(1 / g) for _, g in used]))
    need(min(price, q, lift, *nu) >= 0, "a multiplier is negative, or the columns outside the matrix are too long")
    diagonal = [q * q - a * lift * max(square(row[:c.d]) for row in x)] * c.d + [a * lift] * (d - c.d)
    moment = lambda k, l: total(g * r[k] * r[l] for r, g in used)
    m = [[diagonal[k] * (k == l) - a * moment(k, l) for l in range(d)] for k in range(d)]
    need(not used or all(p > 0 for p, _ in pivots(m)), "a matrix is not positive definite: a price is not proved")
PRICES = dict(gates=gate_prices, cones=cone_prices, trees=tree_prices, plane=plane_prices)

# --- claims: (upper, lower) of each ---
def read_network(c, x, o, gated, on_gates):
    """Outputs f (n x o) and the norms |w||u|; neurons that must lie in the cones of gates do."""
    f, norms = [[F(0)] * o for _ in x], []
    for _ in range(c.one("network", "i")):
        gate, *w = c.line("neuron", "i" + "n" * (o * c.d)) if gated else [0, *c.line("neuron", "n" * (o + len(x[0])))]
        t = [0] * c.n if gated else [dot(row, w[o:]) for row in x]
        inside = any(all(h >= 0 if on else h <= 0 for h, on in zip(t, g)) for g in c.gates)
        need(inside or not on_gates, "a neuron lies in the cone of no gate")
        if gated:
            terms = [[dot(row, w[k * c.d:]) * on for k in range(o)] for row, on in zip(x, c.gates[gate])]
        else:
            terms = [[a * max(h, 0) for a in w[:o]] for h in t]
        norms.append(norm(w) if gated else norm(w[:o]) * norm(w[o:o + c.d]))
        f = [plus(*pair) for pair in zip(f, terms)]
    constant = c.line("constant", "n" * o)
    need(c.bias == "free" or not any(constant), "there is no constant")
    return [plus(r, constant) for r in f], norms
def loss_of(loss, f, y):
    if loss in ("squared", "hinge"):
        return real(square(plus(f, [-t for t in y])) / 2 if loss == "squared" else max(1 - f[0] * y[0], F(0)))
    others = [-y[0] * f[0]] if loss == "logistic" else [a - f[y.index(1)] for a, b in zip(f, y) if b != 1]
    return (1 + sum(real(t).exp() for t in others)).ln()
def dual_term(loss, w, y, t):  # -t l*(-w / t), w in its domain
    if loss in ("squared", "equality"):
        return real(y * w - (w * w / (2 * t) if loss == "squared" else 0))
    p = y - w / t if loss == "softmax" else y * w / t
    need(p >= 0 and (loss == "softmax" or p <= 1), "the dual point is outside the domain")
    return real(t * p) if loss == "hinge" else real(t) * (entropy(p) + (entropy(1 - p) if loss == "logistic" else 0))
def claim_train(c):
    gated = c.choice("model", "relu", "gated") == "gated"
    loss = c.choice("loss", "squared", "equality", "logistic", "hinge", "softmax")
    N, beta = dict(sum=1, mean=c.n)[c.choice("scale", "sum", "mean")], c.one("beta", "n")
    bound, upper, lower = c.choice("bound", "none", "gates", "global"), c.one("upper", "n"), c.one("lower", "n")
    equality, regression, n, size = loss == "equality", loss in ("squared", "equality"), c.n, real(total(c.w))
    y = c.y if regression else classes(c)
    o, limit = len(y[0]), 1 if equality else N * beta
    need(beta > 0 and not (equality and N > 1) and (regression or (loss == "softmax") == (o > 1)), "no such problem")
    x = [row + [F(1)] for row in c.x] if c.bias == "free" and not gated else c.x
    f, norms = read_network(c, x, o, gated, bound == "gates" and not gated)
    misses = [abs(a - b) for r, t in zip(f, y) for a, b in zip(r, t)]
    need(not equality or max(misses) <= c.one("residual", "n"), "the residual is larger")
    losses = [] if equality else [loss_of(loss, *fy) * real(t) / N for *fy, t in zip(f, y, c.w)]
    high = above(losses + [r * (1 if equality else real(beta)) for r in norms], size)
    need(high <= upper, "the network's objective is above the claim")
    kinds = ["none"] if bound == "none" else ["gates"] if gated else ["cones"] if bound == "gates" else list(PRICES)[1:]
    kind = c.choice("evidence", *kinds)
    if kind == "none":
        need(lower <= 0, "nothing proves a positive bound")
        return high, 0
    need(bound == "gates" or kind in ("trees", "plane") or complete(c), "the gates are not all cones")
    scale, *v = c.line("dual", "n" * (o * n + 1))
    v = [v[k * n:k * n + n] for k in range(o)]
    need(scale >= 0 and not (c.bias == "free" and any(map(sum, v))), "the dual point does not sum to 0")
    need(loss != "softmax" or not any(map(sum, zip(*v))), "rows of the dual point do not sum to 0")
    low = below([dual_term(loss, scale * v[k][i], y[i][k], c.w[i]) / N for i in range(n) for k in range(o)], size)
    need(low >= lower, "the dual point's value is below the claim")
    need(scale**2 * max(PRICES[kind](c, x, v), default=0) <= limit**2, "the dual point is priced above beta")
    return high, low
def claim_global(c):
    upper, lower, y = c.one("upper", "n"), c.one("lower", "n"), classes(c)
    need(len(y[0]) == 1 and c.bias != "free" and upper >= 0, "two classes, no free biases")
    f, norms = read_network(c, c.x, 1, False, False)
    low, v = min(real(a[0] * b[0]) for a, b in zip(f, y)), c.line("dual", "n" * c.n)
    low, mass = below([low / above(norms) if low > 0 else low / below(norms)]), total(map(abs, v))
    need(low >= lower, "the network's margin is below the claim")
    need(mass > 0 and all(a * b[0] >= 0 for a, b in zip(v, y)), "the dual point has the wrong signs")
    prices = PRICES[c.choice("evidence", "trees", "plane")](c, c.x, [v])
    need(max(prices, default=0) <= (upper * mass)**2, "the dual point is priced above the claim")
    return upper, low
def measure(c):
    """The weights rho of the gates: counts over their number, or in the plane the angles of all arcs over 2 pi; and the
    weights a of both layers' neurons, else []."""
    kind, *words = c.choice("measure", "units", "plane", "neurons", more="w")
    if kind == "plane":
        need(not words and c.d == 2 and complete(c), "the gates are not all arcs of the plane")
        return [sum([angle(a, b) for a, b in arcs(c.x) if cross(a, v) > 0 < cross(v, b)][:1]) for v in c.turn], []
    gain = [number(word) for word in words[1:]] if kind == "neurons" else []
    units, *times = [index(words[0]), *(1 for _ in gain)] if gain else [index(word) for word in words]
    need(len(times) == len(c.gates) and min(units, *times) > 0 and sum(times) <= units, "counts of the gates")
    return [D(t) / units for t in times], gain
def claim_margin(c):
    upper, lower, y, (rho, gain) = c.one("upper", "n"), c.one("lower", "n"), classes(c), measure(c)
    need(len(y[0]) == 1, "a margin is about two classes")
    z = [[t * label for t in row] for row, (label,) in zip(c.x, y)]
    vectors, q = [c.line("vector", "n" * (c.d + bool(gain))) for _ in rho], c.line("dual", "n" * c.n)
    need(all(square(w) <= 1 for w in vectors) and min(q) >= 0 and any(q), "a vector is too long, or a weight negative")
    prices = gate_prices(c, z, [q])
    if gain:  # theta_0 relu(<v, x>) + a <theta', x> on open gates, and the length of (<v, S>, a S)
        vectors = [plus([w[0] * t for t in v], [a * t for t in w[1:]]) for w, v, a in zip(vectors, c.turn, gain)]
        heights = [dot(v, combine(z, opened(g, q))) for v, g in zip(c.turn, c.gates)]
        prices = [h * h + a * a * price for h, a, price in zip(heights, gain, prices)]
        need(len(c.turn) == len(gain), "neurons have orientations")
    low = min(below([r * real(dot(p, w)) for r, w, g in zip(rho, vectors, c.gates) if g[i]]) for i, p in enumerate(z))
    high = above([r * real(price).sqrt() / real(total(q)) for r, price in zip(rho, prices)])
    need(low >= lower and high <= upper, "the vectors give less, or the dual point more than is claimed")
    return high, low
def claim_zero(c):
    y, (kind, *points) = classes(c), c.choice("combination", "ray", "pairs", more="i")
    count, sign = (points.pop(0), -1) if kind == "pairs" else (1, 1)
    need(len(y[0]) == 1 and 0 < count <= c.d + 1 and len(points) == 2 * count, "two classes, pairs of points")
    for a, b in zip(points[::2], points[1::2]):
        side = dot(c.x[a], c.x[b]) * sign
        need(y[a][0] > 0 > y[b][0] and side > 0 and side**2 == square(c.x[a]) * square(c.x[b]), "no such pair")
    *steps, (last, _) = pivots([[dot(c.x[a], c.x[b]) for b in points[::2]] for a in points[::2]])
    relation = [F(1)]  # the kernel of the points' products, which has one dimension
    for p, row in reversed(steps):
        relation.insert(0, -dot(row, relation) / p)
    need(kind == "ray" or last == 0 < min(relation), "0 is no positive combination of the points")
    return 0, 0
def claim_cones(c):
    need(c.one("count", "i") == len(c.gates) and complete(c), "the cones are others")
    return len(c.gates), len(c.gates)
CLAIMS = dict(train=claim_train, margin=claim_margin, zero=claim_zero, cones=claim_cones, **{"global": claim_global})
READERS = {"csv": read_csv, "libsvm": read_libsvm, "npy": read_npy}

def check(certificate, data, labels):
    """The bounds of every claim."""
    c, bounds = Certificate(certificate.decode("ascii")), []
    need(c.one("fathom-certificate", "w") == "1", "version")
    kind, sha = c.choice("data", *READERS, more="w")
    need(sha == hashlib.sha256(data).hexdigest(), "the certificate is not about this data")
    prepare(c, *READERS[kind](c, data, labels))
    read_gates(c)
    while not bounds or c.is_next("claim"):
        bounds.append(tuple(map(float, CLAIMS[c.choice("claim", *CLAIMS)](c))))
    need(c.line("end", "") == [] and c.lines[c.at:] == [""], "nothing should follow")
    return bounds
def main():
    paths = [w for w in sys.argv[1:] if w != "--labels"]
    paths += [paths[1][:-4] + ".labels.npy"] * (len(paths) == 2 and paths[1].endswith(".npy"))
    certificate, data, labels = [open(p, "rb").read() for p in paths] + [None] * (3 - len(paths))
    try:
        text = gzip.decompress(certificate) if certificate[:2] == b"\x1f\x8b" else certificate
        for upper, lower in check(text, data, labels):
            print(f"accepted upper={upper:.17g} lower={lower:.17g} gap={upper - lower:.17g}")
    except (Rejected, *UNREADABLE) as why:
        status, word = (4, "rejected:") if isinstance(why, Rejected) else (5, "not checked:")
        sys.exit(print(word, why) or status)
if __name__ == "__main__":
    main()
