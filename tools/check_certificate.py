#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_certificate.py CERTIFICATE DATA [--labels FILE]: fathom-check once more, from docs/certificate.md alone.

Numbers are fractions, decided exactly; roots and logarithms are decimals of 80 digits, with 1e-60 of the sum of absolute values
as error, far above what correct rounding loses. Exit code 0: accepted, 4: rejected, 5: not checked (unreadable or too big)."""
import functools, hashlib, itertools, math, re, struct, sys, zlib
from decimal import Decimal as D, getcontext
from fractions import Fraction as F

getcontext().prec, getcontext().Emax, getcontext().Emin = 80, 10**9, -10**9
PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986")
INDEX, NUMBER, LARGEST = "[0-9]{1,18}", "-?[0-9a-f]+(p-?([0-3]?[0-9]{1,3}|4000))?", 2 * 10**7  # kinds of words, entries
NPY_FORMS = dict(f8="d", f4="f", i8="q", i4="i", i2="h", i1="b", u8="Q", u4="I", u2="H", u1="B", b1="B")
UNREADABLE = (ArithmeticError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError, struct.error, zlib.error)
class Rejected(Exception): pass
def need(condition, why, error=Rejected):
    if not condition:
        raise error(why)
def real(q): return D(q.numerator) / D(q.denominator)
def plus(a, b): return [p + q for p, q in zip(a, b)]
def times(t, v): return [t * entry for entry in v]
def dot(a, b): return sum(p * q for p, q in zip(a, b) if p and q)
def square(v): return dot(v, v)
def norm(v): return real(square(v)).sqrt()
def cross(a, b): return a[0] * b[1] - a[1] * b[0]
def combine(x, v): return [dot(v, column) for column in zip(*x)]  # the sum of v_i x_i
def entropy(p): return -real(p) * real(p).ln() if p else D(0)
def above(terms, size=0): return sum(terms) + (size + sum(map(abs, terms))) * D("1e-60")
def below(terms, size=0): return -above([-t for t in terms], size)
def value(kind, word):
    need(re.fullmatch(kind, word), f"'{word[:40]}' is not {kind}")
    m, _, e = word.partition("p")
    return int(word) if kind == INDEX else int(m, 16) * F(2)**int(e or 0) if kind == NUMBER else word
class Certificate:  # its lines, and from prepare and read_gates on the data: x, y, w, n, d, bias, gates and their orientations
    def __init__(self, text): self.lines, self.at = text.split("\n"), 0
    def is_next(self, keyword): return self.lines[self.at].split(" ", 1)[0] == keyword
    def words(self, keyword):
        need(self.is_next(keyword), f"line {self.at + 1}: '{keyword}' was expected")
        self.at += 1
        return self.lines[self.at - 1].split(" ")[1:]
    def line(self, keyword, *kinds, numbers=0):  # words of these kinds, and behind them so many numbers
        words = self.words(keyword)
        need(len(words) == len(kinds) + numbers, f"line {self.at}: there are {len(words)} words")
        return list(map(value, itertools.chain(kinds, itertools.repeat(NUMBER)), words))
    def entries(self, keyword, *kinds):  # a count, and as many entries of words of these kinds
        count, *words = self.words(keyword)
        need(value(INDEX, count) * len(kinds) == len(words), f"line {self.at}: there are not {count} entries")
        return [list(map(value, kinds, entry)) for entry in zip(*[iter(words)] * len(kinds))]
# --- data: x (n x d), y (n x outputs) and perhaps weights; a field that is no finite number is None, a text is bytes ---
class Field(float):  # a number of a text, which stays with it
    def __new__(kind, text):
        made = float.__new__(kind, text)
        made.text = text
        return made
def plain(text):
    return Field(text) if re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", text) and math.isfinite(float(text)) else None
def read_csv(data, _, header, target, weights):
    target, weights = value(INDEX, target), int(value("-1|" + INDEX, weights))
    rows = [[f.strip(" \t\r") for f in r.split(",")] for r in data.decode("latin1").rstrip(" \t\r\n").split("\n")]
    need(target != weights and (value("[01]", header) == "0" or None in map(plain, rows.pop(0))), "columns, or the header")
    need(not {34, 0} & {*data} and len({len(row) for row in rows}) == 1, "this is no plain table", ValueError)
    x = [[plain(field) for k, field in enumerate(row) if k not in (target, weights)] for row in rows]
    y = [[row[target].encode("latin1") if plain(rows[0][target]) is None else plain(row[target])] for row in rows]
    return x, y, [plain(row[weights]) if weights >= 0 else 1 for row in rows]
def read_libsvm(data, _, columns):
    rows = [re.findall("[^ \t\r]+", line.split("#")[0]) for line in data.decode("latin1").split("\n")]
    rows, d = [[word.split(":") for word in row] for row in rows if row], value(INDEX, columns)
    ends = [[0, *(value(INDEX, k) for k, _ in row[1:]), d + 1] for row in rows]
    need(0 < d * len(rows) < LARGEST and all(sorted({*row}) == row for row in ends) and 0 not in data, "indices", ValueError)
    x = [{int(k): plain(field) for k, field in row[1:]} for row in rows]
    return [[row.get(k, 0.0) for k in range(1, d + 1)] for row in x], [[plain(":".join(row[0]))] for row in rows]
def read_npy(data, labels, sha):
    need(sha == hashlib.sha256(labels).hexdigest(), "the certificate is about other labels")
    return read_array(data), read_array(labels)
def read_array(data):
    end = 8 + 2 * data[6] + int.from_bytes(data[8:8 + 2 * data[6]], "little")
    head = data[8:end].decode("latin1").replace(" ", "")
    once = all(head.count(f"'{key}'") == head.count(f"'{key}':") == 1 for key in ("descr", "shape", "fortran_order"))
    need(once and not {'"', "\\"} & {*head} and re.search("'fortran_order':(True|False)", head), "an ambiguous header", ValueError)
    form, n, d = re.findall(r"'descr':'[<|](..)'.*'shape':\(([0-9]+),([0-9]*)\)", head)[0]
    flat, n, d = struct.iter_unpack("<" + NPY_FORMS[form], data[end:]), int(n), int(d or 1)
    flat = [float(v) for v, in flat if math.isfinite(v)]
    need(data[:6] == b"\x93NUMPY" and data[6] < 3 and 0 < len(flat) == n * d, "no array of finite numbers", ValueError)
    return [flat[i::n] if "'fortran_order':True" in head else flat[i * d:i * d + d] for i in range(n)]
def scaled(values, centred):  # a row over its length, or a column around its mean over its deviation; sums from left to right
    mean = 0.0 if not centred else values[0] if len({*values}) == 1 else functools.reduce(float.__add__, values) / len(values)
    values = [v - mean for v in values]
    scale = math.sqrt(functools.reduce(float.__add__, [v * v for v in values]) / (len(values) if centred else 1))
    return [v / scale if scale < math.inf else None for v in values] if any(values) else values
def whole(row):  # times the least power of ten, perhaps below 1, that makes all entries integers
    if any(row):
        row = times(F(10)**-min(-e for e in map(places, filter(None, row))), row)
    return row
def places(v):  # the least e with v 10^e an integer, for a decimal v
    e = next(e for e in itertools.count() if (v * 10**e).denominator == 1)
    return e or -next(e for e in itertools.count(1) if (v / 10**e).denominator > 1) + 1
def prepare(c, x, y, w=()):  # the rows that are kept, with their classes, after all steps
    need(None not in itertools.chain(w, *x, *y) and len(x) == len(y), "this is no table of numbers", ValueError)
    spans, words = [range(a, b) for a, b in c.entries("rows", INDEX, INDEX)], c.words("classes")
    code, names, K = words[0], words[3:], range(len(words[3:]))
    kinds = f"(index|columns{'|signs' * (len(K) == 2)}) (numbers|texts) {len(K)}"
    need(words == ["none"] or re.fullmatch(kinds, " ".join(words[:3])) and len(y[0]) == 1 and len(K)**2 < LARGEST, "classes")
    names = [bytes.fromhex(name) if words[1] == "texts" else value(NUMBER, name) for name in names]
    need(all(s.start <= s.stop <= len(x) for s in spans) and sum(map(len, spans)) * len(x[0] + y[0] + names) < LARGEST, "rows")
    keep = [i for span in spans for i in span if code == "none" or y[i][0] in names]
    codes = [[k] if code == "index" else [2 * k - 1] if code == "signs" else [j == k for j in K] for k in K]
    c.y, c.w = [[*map(F, codes[names.index(y[i][0])] if names else y[i])] for i in keep], [F(w[i] if w else 1) for i in keep]
    c.decimals = c.lines[c.at].endswith(" decimals")
    steps, c.bias, c.n, c.d = c.line("steps", "none|unit|standardize", "none|augment|free", INDEX, INDEX,
                                     *["decimals"] * c.decimals)[:4]
    need(steps == "none" or not c.decimals, "decimals are not normalised")
    x = [scaled(x[i], False) if steps == "unit" else x[i] for i in keep]
    x = list(zip(*[scaled(column, True) for column in zip(*x)])) if steps == "standardize" else x
    c.x = [[F(v.text if c.decimals and v else v) for v in row] + [F(1)] * (c.bias == "augment") for row in x]  # fails where a value is not finite
    c.x = [whole(row) for row in c.x] if c.decimals else c.x
    need(min(c.w) > 0 < len(x[0]) and [c.n, c.d] == [len(x), len(c.x[0])], "the data has another shape")
# --- gates and cones ---
def read_gates(c):
    kind, count = c.line("gates", "orientations|patterns", INDEX)
    c.turn = [c.line("gate", numbers=c.d) for _ in range(count)] if kind == "orientations" else []
    c.gates = [[dot(row, v) > 0 for row in c.x] for v in c.turn]
    for word, in [c.line("gate", "[0-9a-f]{%d}" % ((c.n + 3) // 4)) for _ in range(count - len(c.turn))]:
        c.gates.append([int(digit, 16) >> k & 1 for digit in word for k in range(4)])
        need(not any(c.gates[-1][c.n:]), "a pattern has more points")
def normal(row): return tuple(v / next(filter(None, row)) for v in row)  # the first entry other than 0 becomes 1
def distinct(rows): return sorted({normal(row) for row in rows if any(row)})
def regions(rows, d):  # cut out by distinct normals in d dimensions: each adds those that the earlier ones cut out on it
    if len(rows) <= 1 or d <= 2:
        return 2 * len(rows) or 1
    return 1 + sum(regions(distinct(plus(r, times(-r[h.index(1)], h)) for r in rows[:k]), d - 1) for k, h in enumerate(rows))
def complete(c):  # whether the gates are all the cones
    inside = len(c.turn) == len(c.gates) and all(dot(row, v) for v in c.turn for row in c.x if any(row))
    return inside and len({tuple(g) for g in c.gates}) == len(c.gates) == regions(distinct(c.x), c.d)
def arcs(normals):  # the edges of the arcs between the rays orthogonal to sorted normals, counterclockwise
    half = [(-b, a) if a else (b, a) for a, b in normals]  # from the angle 0 to below pi
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
def gate_prices(c, x, v, gated):  # relu: within the cones of the gates, for both signs, with multipliers of their rows
    for gate, sign in itertools.product(c.gates, (1,) if gated else (1, -1)):
        weights = [[sign * t * on for t, on in zip(r, gate)] for r in v]
        for i, mu in [] if gated else c.entries("push", INDEX, NUMBER):
            need(mu >= 0, "a multiplier is negative")
            weights[0][i] += mu if gate[i] else -mu
        yield sum(square(combine(x, r)) for r in weights)
def walk_prices(x, v, free):  # at the rays, and inside the arcs where the sum g over their open rows lies in them
    points = sorted((normal(row), row, t) for row, t in zip(x, v) if any(row))
    edges = arcs([h for h, _, _ in points])
    turns = [times(t if cross(a, row) > 0 else -t, row) for (a, _), (_, row, t) in zip(edges, points + points)]
    start = times(F(1, 2), functools.reduce(plus, turns[len(points):], combine(x, v)))  # rows whose second turn opens them
    for (a, b), g in zip(edges[-1:] + edges, itertools.accumulate(turns, plus, initial=start)):
        yield dot(g, a)**2 / (a[0]**2 if free else square(a))
        yield square(g) if not free and cross(a, g) * cross(g, b) > 0 else 0
def plane_prices(c, x, v, _):  # two columns with biases: every point in turn is the kink
    free, v, a, t = len(x[0]) > c.d, v[0], c.along[:c.d], c.along[c.d:]
    need(a or c.d <= 2, "this evidence is for few columns")
    if not a and free and c.d == 2:
        return (p for k in x for p in walk_prices([(row[0] - k[0], row[1] - k[1]) for row in x], v, False))
    prices = walk_prices([(*(row[:c.d] if not a else [t[i]]), F(free))[:2] for i, row in enumerate(x)], v, free)
    if not a:
        return prices
    misses = [abs(real(w)) * norm(plus(row[:c.d], times(-p, a))) for row, w, p in zip(x, v, t)]
    return [F(above([real(max(prices, default=F(0))).sqrt() * norm(a), *misses]))**2]
def tree_prices(c, x, v, _):  # the sum over the outputs, or the largest over the cones of a cover of their directions
    centre = [*c.line("centre", numbers=c.d), 0] if len(x[0]) > c.d else [0] * c.d  # sums over v do not change with it
    x = [plus(row, times(-1, centre)) for row in x]
    o, (kind, count) = len(v), c.line("cover", "outputs|differences", INDEX) if c.is_next("cover") else ("sum", 0)
    less = kind == "differences"  # outputs less the last one
    need(not (less and any(map(sum, zip(*v)))), "differences are for rows that sum to 0")
    corners = [corner(c, x, v, [F((j == k) - less * (j == o - 1)) for j in range(o)]) for k in range(o - less)]
    for _ in range(count):
        i, j, a, b = c.line("corner", INDEX, INDEX, NUMBER, NUMBER)
        corners.append(corner(c, x, v, plus(times(a, corners[i][0]), times(b, corners[j][0])), i, j, a, b))
    if kind == "sum":
        return [sum(price**2 for _, price in corners)]
    return (cone_price(c, corners, dict(enumerate([1, *t[::-1]]))) for t in itertools.product((1, -1), repeat=o - less - 1))
def corner(c, x, v, at, *parents):  # a direction of the outputs, the larger price of its two sides, and its parents
    if c.is_next("exact"):
        price, = c.line("exact", NUMBER)
        need(price >= 0 and max(plane_prices(c, c.rows, [combine(v, at)], 0), default=0) <= price**2, "a price is too low")
        return at, price, *parents
    if c.is_next("kinks"):  # without biases, on the points less every one of them
        price, w, rows = *c.line("kinks", NUMBER), combine(v, at), c.x
        need(len(x[0]) > c.d, "kinks are for free biases")
        for k in rows:
            less = [plus(row, times(-1, k)) for row in rows]
            [check_tree(c, less, times(sigma, w), price, {}) for sigma in (1, -1)]
        return at, price, *parents
    return at, max([check_tree(c, x, times(sigma, combine(v, at)), *c.line("side", NUMBER), {}) for sigma in (1, -1)]), *parents
def cone_price(c, corners, cone):  # the squared price in a cone, which is given by the signs of its corners
    if c.is_next("bisect"):
        k, = c.line("bisect", INDEX)
        _, _, i, j, a, b = corners[k]
        need(cone[i] * a * cone[j] * b > 0, "the corner is not between its parents")
        both = [*cone.items(), (k, cone[i] if a > 0 else -cone[i])]
        return max([cone_price(c, corners, {m: sign for m, sign in both if m != old}) for old in (i, j)])
    l = c.line("piece", numbers=len(corners[0][0]))
    need(all(sign * dot(l, corners[k][0]) >= corners[k][1] for k, sign in cone.items()), "a corner has a larger price")
    return square(l)
def check_tree(c, x, v, price, fixed):  # where rows are fixed to signs: two subtrees, or a leaf with a definite matrix
    if c.is_next("split"):
        j, = c.line("split", INDEX)
        need(j < c.n and j not in fixed, "there is no such row, or it is split twice")
        return max([check_tree(c, x, v, price, {**fixed, j: sign}) for sign in (1, -1)])
    n, d, entries = c.n, len(x[0]), c.entries("leaf", INDEX, INDEX, NUMBER)
    weights = c.line("weights", numbers=n + 1 + len(fixed) + d - c.d)
    gamma, nu, lift = weights[:n + 1], weights[n + 1:n + 1 + len(fixed)], weights[-1] if d > c.d else 0
    psi, column = list(v), [[F(0)] * d for _ in gamma]
    for i, _, theta in entries:
        psi[i] += abs(theta)
    terms = [(0, i, t) for i, t in enumerate(v)] + [(j, i, -theta) for i, j, theta in entries]
    terms += [(i + 1, i, max(t, 0)) for i, t in enumerate(psi)] + [(j + 1, j, t) for j, t in zip(fixed, nu)]
    for j, i, t in terms:
        j, t = (0, t * fixed[j - 1]) if j - 1 in fixed else (j, t)  # fixed: with its sign to column 0
        column[j] = plus(column[j], times(t, x[i])) if t else column[j]
    used, loose = ([(r, g) for r, g in zip(column, gamma) if any(r) and (g == 0) == zero] for zero in (False, True))
    q, a = 2 * price - F(above([norm(r) for r, _ in loose])), F(above([real(1 / g) for _, g in used]))
    need(min(q, lift, *nu, *(g for _, g in used)) >= 0 and (d == c.d or not loose), "a weight is negative, or a price too low")
    top = [q * q - a * lift * max(square(row[:c.d]) for row in x)] * c.d + [a * lift] * (d - c.d)
    m = [[top[k] * (k == l) - a * sum(g * r[k] * r[l] for r, g in used) for l in range(d)] for k in range(d if used else 0)]
    while m:  # what remains behind a pivot is the matrix less what it explains
        (pivot, *row), *m = m
        need(pivot > 0, "a matrix is not positive definite: a price is not proved")
        m = [plus(rest, times(-t / pivot, row)) for t, *rest in m]
    return price
# --- claims: what is proved above and below, and what is claimed ---
def classes(y, loss): return all(min(t) >= 0 and sum(t) == 1 if loss == "softmax" else t in ([-1], [1]) for t in y)
def read_network(c, x, o, gated, in_cones):  # outputs f (n x o) and the norms |w||u|
    f, norms = [[F(0)] * o for _ in x], []
    for _ in range(*c.line("network", INDEX)):
        if gated:
            j, *w = c.line("neuron", INDEX, numbers=o * c.d)
            gate, maps = c.gates[j], [w[k * c.d:k * c.d + c.d] for k in range(o)]
        else:
            w = c.line("neuron", numbers=o + len(x[0]))
            t, maps = [dot(row, w[o:]) for row in x], [times(a, w[o:]) for a in w[:o]]
            gate, inside = [h > 0 for h in t], (all(h * (2 * on - 1) >= 0 for h, on in zip(t, g)) for g in c.gates)
            need(not in_cones or any(inside), "a neuron lies in the cone of no gate")
        norms.append(norm(w) if gated else norm(w[:o]) * norm(w[o:o + c.d]))
        f = [plus(r, [dot(row, u) for u in maps]) if on else r for r, row, on in zip(f, x, gate)]
    constant = c.line("constant", numbers=o)
    need(c.bias == "free" or not any(constant), "there is no constant")
    return [plus(r, constant) for r in f], norms
def loss_of(loss, f, y, residual):  # equality and margin: 0 where they are satisfied
    if loss in ("logistic", "softmax"):
        return sum(real(t - dot(y, f)).exp() for t in (f if loss == "softmax" else [dot(y, f), 0])).ln()
    misses = plus(f, times(-1, y)) if loss in ("squared", "equality") else [max(1 - dot(y, f), 0)]
    need(loss in ("squared", "hinge") or max(map(abs, misses)) <= residual, "an output misses its target")
    return real(square(misses) * F(1, 2) if loss == "squared" else misses[0] * (loss == "hinge"))
def dual_term(loss, w, y, t):  # -t l*(-w / t), w in its domain
    if loss in ("squared", "equality"):
        return real(y * w - (w * w / (2 * t) if loss == "squared" else 0))
    p = y - w / t if loss == "softmax" else y * w / t
    need(p >= 0 and (p <= 1 or loss == "margin"), "the dual point is outside the domain")
    return real(t * p) if loss in ("hinge", "margin") else real(t) * (entropy(p) + (loss == "logistic") * entropy(1 - p))
def claim_train(c):
    model, loss, N, beta = c.line("problem", "relu|gated", "squared|equality|logistic|hinge|margin|softmax", NUMBER, NUMBER)
    bound, upper, lower = c.line("bound", "none|gates|cones|trees|plane", NUMBER, NUMBER)
    gated, free, n, o = model == "gated", c.bias == "free", c.n, len(c.y[0])
    need(N > 0 < beta and (loss in ("squared", "equality") or classes(c.y, loss)), "there is no such problem")
    size = real(sum(c.w) / N) * (loss in ("logistic", "softmax"))  # other terms are rational
    x = [row + [F(1)] for row in c.x] if free and not gated else c.x
    f, norms = read_network(c, x, o, gated, bound == "gates" and not gated)
    residual = sum(c.line("residual", NUMBER)) if loss == "equality" else 0
    losses = [loss_of(loss, r, t, residual) * real(weight / N) for r, t, weight in zip(f, c.y, c.w)]
    high = above(losses + times(real(beta), norms), size)
    if bound == "none":
        return high, 0, upper, lower
    scale, *v = c.line("dual", numbers=o * n + 1)
    v = [v[k * n:k * n + n] for k in range(o)]
    need(scale >= 0 and not (free and any(map(sum, v)) or loss == "softmax" and any(map(sum, zip(*v)))), "a sum is not 0")
    c.along, c.rows = c.line("along", numbers=c.d + n) if c.is_next("along") else [], x
    low = below([dual_term(loss, scale * v[k][i], c.y[i][k], c.w[i]) / real(N) for i in range(n) for k in range(o)], size)
    suited = dict(trees=not gated and len(x[0])**2 < LARGEST, plane=not gated and o == 1)
    need(suited.get(bound, gated or o == 1 and not free) and (bound != "cones" or complete(c)), "this evidence does not suit")
    prices = dict(trees=tree_prices, plane=plane_prices).get(bound, gate_prices)(c, x, v, gated)
    need(scale**2 * max(prices, default=0) <= (N * beta)**2, "the dual point is priced above N beta")
    return high, low, upper, lower
def claim_margin(c):
    kind, upper, lower = c.line("bound", "units|plane|neurons", NUMBER, NUMBER)
    m, z = len(c.gates), [times(y[0], row) for row, y in zip(c.x, c.y)]
    if kind == "plane":
        need(c.d == 2 and complete(c), "the gates are not all arcs of the plane")
        rho = [sum(angle(a, b) for a, b in arcs(distinct(c.x)) if cross(a, v) > 0 < cross(v, b)) for v in c.turn]
    else:
        units, *words = c.line("counts", *[INDEX] * (m + 1)) if kind == "units" else c.line("gains", INDEX, numbers=m)
        counts = words if kind == "units" else [1] * len(c.turn)
        need(all(counts) and len(counts) == m and sum(counts) <= units, "there are more gates, or they have no orientations")
        rho = [D(count) / units for count in counts]
    rows = [[[dot(v, p), *times(a, p)] for p in z] for v, a in zip(c.turn, words)] if kind == "neurons" else [z] * m
    vectors, q = [c.line("vector", numbers=c.d + (kind == "neurons")) for _ in rho], c.line("dual", numbers=c.n)
    need(classes(c.y, "margin") and all(square(w) <= 1 for w in vectors) and min(q) >= 0 and any(q), "vectors or weights")
    scores = [[r * real(dot(p, w)) * on for p, on in zip(z, gate)] for r, w, z, gate in zip(rho, vectors, rows, c.gates)]
    lengths = [r * norm(combine(z, [t * on for t, on in zip(q, gate)])) for r, z, gate in zip(rho, rows, c.gates)]
    return above(lengths) / real(sum(q)), min(map(below, zip(*scores)), default=0), upper, lower
def claim_zero(c):  # by Cauchy-Schwarz x_b is a multiple of x_a
    pairs, x, y = c.entries("pairs", INDEX, INDEX, NUMBER), c.x, c.y
    proper = all(y[a] > y[b] and l > 0 and dot(x[a], x[b])**2 == square(x[a]) * square(x[b]) > 0 for a, b, l in pairs)
    rest = combine([x[a] for a, _, _ in pairs], [l for _, _, l in pairs])
    enough = pairs and (any(dot(x[a], x[b]) > 0 for a, b, _ in pairs) or not any(rest))
    need(classes(y, "margin") and proper and enough, "the pairs prove nothing")
    return 0, 0, 0, 0
def claim_cones(c):
    need(complete(c), "the gates are not all cones")
    return [len(c.gates)] * 4
def claim_faces(c):  # the sign vectors of all points are the compositions of those of rays
    columns = pivots(c.x)
    x = [[row[k] for k in columns] for row in c.x]
    rays, faces = set(), [(0,) * c.n]
    for chosen in itertools.combinations(distinct(x), max(len(columns) - 1, 0)) if columns else ():
        ray = [(-1)**k * determinant([[v for l, v in enumerate(row) if l != k] for row in chosen]) for k in range(len(columns))]
        signs = [(t > 0) - (t < 0) for t in (dot(row, ray) for row in x)]
        rays |= {tuple(signs), tuple(-s for s in signs)} if any(ray) else set()
    seen = {*faces}
    for face in faces:
        new = {tuple(a or b for a, b in zip(face, ray)) for ray in rays} - seen
        seen |= new
        faces += new
        need(len(faces) * len(rays) * c.n < 100 * LARGEST, "the faces are too many", ValueError)
    sets = {tuple(s > 0 for s in face) for face in seen}
    need(len(c.turn) == len(c.gates) == len(sets) and {tuple(g) for g in c.gates} == sets, "the gates are not all sets")
    return [len(sets)] * 4
def determinant(a): return sum((-1)**k * v * determinant([r[:k] + r[k + 1:] for r in a[1:]]) for k, v in enumerate(a[0])) if a else F(1)
def pivots(rows):  # independent columns
    left, found = [list(row) for row in rows], []
    for k in range(len(rows[0])):
        row = next((row for row in left if row[k]), None)
        if row:
            found.append(k)
            left = [plus(r, times(-r[k] / row[k], row)) for r in left if r is not row]
    return found
CLAIMS = dict(train=claim_train, margin=claim_margin, zero=claim_zero, cones=claim_cones, faces=claim_faces)
def check(certificate, data, labels):  # the bounds of every claim
    c, bounds = Certificate(certificate.decode("ascii")), []
    c.line("fathom-certificate", "2")
    kind, sha, *words = c.words("data")
    need(sha == hashlib.sha256(data).hexdigest(), "the certificate is not about this data")
    prepare(c, *dict(csv=read_csv, libsvm=read_libsvm, npy=read_npy)[kind](data, labels, *words))
    read_gates(c)
    while not bounds or c.is_next("claim"):
        claim, = c.line("claim", "|".join(CLAIMS))
        need(claim in ("zero", "cones", "faces") or not c.decimals, "this claim is about doubles")
        high, low, upper, lower = CLAIMS[claim](c)
        need(high <= upper and low >= lower, f"what is proved is {high:.17g} and {low:.17g}")
        bounds.append((float(high), float(low)))
    need(c.line("end") == [] and c.lines[c.at:] == [""], "nothing should follow")
    return bounds
if __name__ == "__main__":
    try:
        paths = [word for word in sys.argv[1:] if word != "--labels"]
        paths += [paths[1][:-4] + ".labels.npy"] * (len(paths) == 2 and paths[1].endswith(".npy"))
        certificate, data, labels = [open(path, "rb").read() for path in paths] + [None] * (3 - len(paths))
        certificate = zlib.decompressobj(31).decompress(certificate, 2**30) if certificate[:2] == b"\x1f\x8b" else certificate
        for upper, lower in check(certificate, data, labels):
            print(f"accepted upper={upper:.17g} lower={lower:.17g} gap={upper - lower:.17g}")
    except (Rejected, *UNREADABLE) as why:
        print("rejected:" if isinstance(why, Rejected) else "not checked:", why)
        sys.exit(4 if isinstance(why, Rejected) else 5)
