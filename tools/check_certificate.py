#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_certificate.py CERTIFICATE DATA [--labels FILE] [--json]: fathom-check once more, from docs/reference/certificate.md alone.

Numbers are fractions, decided exactly; roots and logarithms are decimals of 80 digits, with 1e-60 of the sum of absolute values
as error, far above what correct rounding loses. Exit code 0: accepted, 4: rejected, 5: not checked, 6: too large."""
import functools, hashlib, itertools, json, math, operator, re, struct, sys, zlib
from decimal import Decimal as D, getcontext
from fractions import Fraction as F

getcontext().prec, getcontext().Emax, getcontext().Emin = 80, 10**9, -10**9
PI = D("3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986")
INDEX, NUMBER, LARGEST = "[0-9]{1,18}", "-?[0-9a-f]+(p-?([0-3]?[0-9]{1,3}|4000))?", 2 * 10**7  # kinds of words, entries
NPY_FORMS = dict(f8="d", f4="f", i8="q", i4="i", i2="h", i1="b", u8="Q", u4="I", u2="H", u1="B", b1="B")
UNREADABLE = (ArithmeticError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError, struct.error, zlib.error)
class Rejected(Exception): pass
class TooLarge(ValueError): pass
WORK = [0, 0]  # digits multiplied, and how many may be
def work(more):  # what the sizes of the files justify
    WORK[0] += more
    need(WORK[0] <= WORK[1], "this is more work than files of these sizes justify", TooLarge)
def need(condition, why, error=Rejected):
    if not condition:
        raise error(why)
def real(q): return q if isinstance(q, D) else D(q.numerator) / D(q.denominator)
def exact(*terms): return not any(isinstance(t, D) for t in terms)
def product(a, b): return a * b if exact(a, b) else real(a) * real(b)  # fractions stay exact
def root(q):
    a, b = math.isqrt(q.numerator), math.isqrt(q.denominator)
    return F(a, b) if a * a == q.numerator and b * b == q.denominator else real(q).sqrt()
def plus(a, b): return [p + q for p, q in zip(a, b)]
def times(t, v): return [t * entry for entry in v]
def dot(a, b): return sum(p * q for p, q in zip(a, b) if p and q)
def square(v): return dot(v, v)
def norm(v): return root(F(square(v)))
def cross(a, b): return a[0] * b[1] - a[1] * b[0]
def combine(x, v): return [dot(v, column) for column in zip(*x)]  # the sum of v_i x_i
def entropy(p): return -real(p) * real(p).ln() if p and p != 1 else F(0)
def above(terms, size=0):  # what is exact stays so
    if exact(*terms):
        return F(sum(terms))
    terms = [*map(real, terms)]
    return sum(terms) + (size + sum(map(abs, terms))) * D("1e-60")
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
SOURCE = {}  # where the data came from: for the statement
def read_csv(data, _, header, target, weights):
    target, weights = value(INDEX, target), int(value("-1|" + INDEX, weights))
    SOURCE.update(target=target, weights=weights)
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
    SOURCE.update(labels_sha256=sha)
    return read_array(data), read_array(labels)
def read_array(data):
    end = 8 + 2 * data[6] + int.from_bytes(data[8:8 + 2 * data[6]], "little")
    head = data[8:end].decode("latin1").replace(" ", "")
    once = all(head.count(f"'{key}'") == head.count(f"'{key}':") == 1 for key in ("descr", "shape", "fortran_order"))
    need(once and not {'"', "\\"} & {*head} and re.search("'fortran_order':(True|False)", head), "an ambiguous header", ValueError)
    (form,), ((n, d),) = re.findall(r"'descr':'[<|](..)'", head), re.findall(r"'shape':\(([0-9]+),([0-9]*)\)", head)
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
    kinds = f"(index|columns{'|signs' * (len(K) == 2)}) (numbers|texts) (?=[0-9]{{1,18}}$)0*{len(K)}"
    need(words == ["none"] or re.fullmatch(kinds, " ".join(words[:3])) and len(y[0]) == 1 and len(K)**2 < LARGEST, "classes")
    names = [bytes.fromhex(name) if words[1] == "texts" else value(NUMBER, name) for name in names]
    need(all(s.start <= s.stop <= len(x) for s in spans) and sum(map(len, spans)) * len(x[0] + y[0] + names) < LARGEST, "rows")
    keep = [i for span in spans for i in span if code == "none" or y[i][0] in names]
    codes = [[k] if code == "index" else [2 * k - 1] if code == "signs" else [j == k for j in K] for k in K]
    SOURCE.update(rows=len(x), kept=keep, coding=code, classes=joined(map(class_name, names)) if code != "none" else None)
    c.y, c.w = [[*map(F, codes[names.index(y[i][0])] if names else y[i])] for i in keep], [F(w[i] if w else 1) for i in keep]
    c.decimals = c.lines[c.at].endswith(" decimals")
    steps, c.bias, c.n, c.d = c.line("steps", "none|unit|standardize", "none|augment|free", INDEX, INDEX,
                                     *["decimals"] * c.decimals)[:4]
    need(steps == "none" or not c.decimals, "decimals are not normalised")
    SOURCE.update(normalize=steps)
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
    work(sum(v.numerator.bit_length() + v.denominator.bit_length() + 64 for row in rows for v in row) / 64 * len(rows))
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
def corner_angle(a, b, c):  # at a, of the spherical triangle: between the planes of a, b and of a, c, over 2 pi
    p, q = outer(a, b), outer(a, c)
    return angle((D(1), D(0)), (real(F(dot(p, q))), real(norm(a)) * real(abs(F(dot(p, c))))))
def outer(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
def cells(c):  # shares of the sphere of the gates, which are all cones in at most three columns: by triangles with their edges
    full = lambda row: [*row, F(0), F(0)][:3]
    rows, share, at = [full(row) for row in c.x], [[] for _ in c.turn], {tuple(gate): j for j, gate in enumerate(c.gates)}
    normals = distinct(rows)
    for h in normals:
        p = h.index(1)
        others = [plus(g, times(-g[p], h)) for g in normals if g != h]
        for ends in arcs(distinct([[*g[:p], *g[p + 1:]] for g in others] + [[F(1), F(0)], [F(0), F(1)]])):
            a, b = ([*e[:p], -dot([*h[:p], *h[p + 1:]], e), *e[p:]] for e in ends)
            signs = [dot(row, plus(a, b)) for row in rows]
            for side in (1, -1):
                j = at[tuple(t > 0 or t == 0 and side * dot(row, h) > 0 for t, row in zip(signs, rows))]
                v = full(c.turn[j])
                share[j].append((corner_angle(v, a, b) + corner_angle(a, v, b) + corner_angle(b, v, a)) / 2 - D("0.25"))
            work(1000)
    return [sum(parts, D(0)) for parts in share]
# --- evidence: squared prices of v (outputs x n), the largest of which bounds p(v)^2; free biases: a column of ones ---
def gate_prices(c, x, v, gated):  # relu: within the cones of the gates, output by output, for both signs, with multipliers of their rows
    for gate, part, sign in itertools.product(c.gates, [v] if gated else [[r] for r in v], (1,) if gated else (1, -1)):
        weights = [[sign * t * on for t, on in zip(r, gate)] for r in part]
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
    misses = [product(abs(w), norm(plus(row[:c.d], times(-p, a)))) for row, w, p in zip(x, v, t)]
    return [F(above([product(root(F(max(prices, default=0))), norm(a)), *misses]))**2]
def tree_prices(c, x, v, _):  # the sum over the outputs, or the largest over the cones of a cover of their directions
    centre = [*c.line("centre", numbers=c.d), 0] if len(x[0]) > c.d else [0] * c.d  # sums over v do not change with it
    x = [plus(row, times(-1, centre)) for row in x]
    fan = c.is_next("fan")  # cones of both signs of every axis, and of either side its own price
    o, (kind, count) = len(v), c.line("fan" if fan else "cover", "outputs|differences", INDEX) if fan or c.is_next("cover") else ("sum", 0)
    less = kind == "differences"  # outputs less the last one
    need(not (less and any(map(sum, zip(*v)))), "differences are for rows that sum to 0")
    corners = [corner(c, x, v, [F((j == k) - less * (j == o - 1)) for j in range(o)]) for k in range(o - less)]
    for _ in range(count):
        i, j, a, b = c.line("corner", INDEX, INDEX, NUMBER, NUMBER)
        corners.append(corner(c, x, v, plus(times(a, corners[i][0]), times(b, corners[j][0])), i, j, a, b))
    corners = corners if fan else [(at, [max(price)] * 2, *parents) for at, price, *parents in corners]
    if kind == "sum":
        return [sum(price[0]**2 for _, price in corners)]
    signs = ([1, *t[::-1]] if not fan else t[::-1] for t in itertools.product((1, -1), repeat=o - less - 1 + fan))
    return (cone_price(c, corners, dict(enumerate(t))) for t in signs)
def orthant_prices(c, x, v, _):  # sum_j max(0, <V_i, V_j>) sum_l |<x_j, x_l>| w_l / w_i
    w, (x, size), (rows, scale) = c.line("orthant", numbers=c.n), integers(x), integers([*zip(*v)])
    need(min(w) > 0, "a weight is not positive")
    masses = [sum(abs(dot(p, q)) * t for q, t in zip(x, w)) for p in x]
    return [sum(max(dot(a, b), 0) * mass for b, mass in zip(rows, masses)) / (size * scale)**2 / t for a, t in zip(rows, w)]
def corner(c, x, v, at, *parents):  # a direction of the outputs, the prices of its two sides, and its parents
    if c.is_next("exact"):
        price, = c.line("exact", NUMBER)
        need(price >= 0 and max(plane_prices(c, c.rows, [combine(v, at)], 0), default=0) <= price**2, "a price is too low")
        return at, [price, price], *parents
    if c.is_next("kinks"):  # without biases, on the points less every one of them
        price, w, rows = *c.line("kinks", NUMBER), combine(v, at), c.x
        need(len(x[0]) > c.d, "kinks are for free biases")
        for k in rows:
            less = [plus(row, times(-1, k)) for row in rows]
            [check_tree(c, less, times(sigma, w), price, {}) for sigma in (1, -1)]
        return at, [price, price], *parents
    return at, [check_tree(c, x, times(sigma, combine(v, at)), *c.line("side", NUMBER), {}) for sigma in (1, -1)], *parents
def cone_price(c, corners, cone):  # the squared price in a cone, which is given by the signs of its corners
    if c.is_next("bisect"):
        k, = c.line("bisect", INDEX)
        _, _, i, j, a, b = corners[k]
        need(cone[i] * a * cone[j] * b > 0, "the corner is not between its parents")
        both = [*cone.items(), (k, cone[i] if a > 0 else -cone[i])]
        return max([cone_price(c, corners, {m: sign for m, sign in both if m != old}) for old in (i, j)])
    l = c.line("piece", numbers=len(corners[0][0]))
    need(all(sign * dot(l, corners[k][0]) >= corners[k][1][sign < 0] for k, sign in cone.items()), "a corner has a larger price")
    return square(l)
def check_tree(c, x, v, price, fixed):  # where rows are fixed to signs: two subtrees, or a leaf with a definite matrix
    if c.is_next("split"):
        j, = c.line("split", INDEX)
        need(j < c.n and j not in fixed, "there is no such row, or it is split twice")
        return max([check_tree(c, x, v, price, {**fixed, j: sign}) for sign in (1, -1)])
    n, d, entries = c.n, len(x[0]), c.entries("leaf", INDEX, INDEX, NUMBER)
    weights = c.line("weights", numbers=n + 1 + len(fixed) + d - c.d)
    gamma, nu, lift = weights[:n + 1], weights[n + 1:n + 1 + len(fixed)], weights[-1] if d > c.d else 0
    psi = list(v)
    for i, _, theta in entries:
        psi[i] += abs(theta)
    terms = [(0, i, t) for i, t in enumerate(v)] + [(j, i, -theta) for i, j, theta in entries]
    terms += [(i + 1, i, max(t, 0)) for i, t in enumerate(psi)] + [(j + 1, j, t) for j, t in zip(fixed, nu)]
    (grid, size), ((sizes,), scale), column = integers(x), integers([[t for _, _, t in terms]]), [[0] * d for _ in gamma]
    for (j, i, _), t in zip(terms, sizes):
        j, t = (0, t * fixed[j - 1]) if j - 1 in fixed else (j, t)  # fixed: with its sign to column 0
        column[j] = plus(column[j], times(t, grid[i])) if t else column[j]
    unit = F(1, size * scale)
    used, loose = ([(r, g) for r, g in zip(column, gamma) if any(r) and (g == 0) == zero] for zero in (False, True))
    q, a = 2 * price - F(above([norm(times(unit, r)) for r, _ in loose])), F(above([real(1 / g) for _, g in used]))
    need(min(q, lift, *nu, *(g for _, g in used)) >= 0 and (d == c.d or not loose), "a weight is negative, or a price too low")
    top = [q * q - a * lift * max(square(row[:c.d]) for row in x)] * c.d + [a * lift] * (d - c.d)
    (sizes,), scale = integers([[g for _, g in used]])
    left, right = ([*zip(*rows)] for rows in ([times(g, r) for (r, _), g in zip(used, sizes)], [r for r, _ in used]))
    need(is_positive([[top[k] * (k == l) - a * unit**2 / scale * dot(p, r) for l, r in enumerate(right)] for k, p in enumerate(left)]),
         "a matrix is not positive definite: a price is not proved")
    return price
def integers(rows):  # over one denominator
    common = math.lcm(*(t.denominator for row in rows for t in row))
    return [[t.numerator * (common // t.denominator) for t in row] for row in rows], common
def is_positive(m):  # by its 192 leading bits, less what those cut off may be: a matrix with entries in [0, 1) has no eigenvalue below -d
    m, _ = integers(m)
    cut = max(0, max((t.bit_length() for row in m for t in row), default=0) - 192)
    return cut and minors_positive([[(t >> cut) - (k == l) * len(m) for l, t in enumerate(row)] for k, row in enumerate(m)]) or minors_positive(m)
def minors_positive(m):  # the leading minors, each from those before it: they divide what is left without a rest
    last = 1
    while m and m[0][0] > 0:
        (pivot, *row), *m = m
        m, last = [[(pivot * p - t * q) // last for p, q in zip(rest, row)] for t, *rest in m], pivot
    return not m
# --- claims: what is proved above and below, and what is claimed ---
def classes(y, loss): return all(min(t) >= 0 and sum(t) == 1 if loss == "softmax" else t in ([-1], [1]) for t in y)
def read_network(c, x, o, gated, in_cones):  # outputs f (n x o) and the norms |w||u|
    f, norms, c.single = [[F(0)] * o for _ in x], [], True  # every neuron feeds one output
    for _ in range(*c.line("network", INDEX)):
        if gated:
            j, *w = c.line("neuron", INDEX, numbers=o * c.d)
            gate, maps = c.gates[j], [w[k * c.d:k * c.d + c.d] for k in range(o)]
        else:
            w = c.line("neuron", numbers=o + len(x[0]))
            t = [dot(row, w[o:]) for row in x]
            gate, inside = [h > 0 for h in t], (all(h * (2 * on - 1) >= 0 for h, on in zip(t, g)) for g in c.gates)
            need(not in_cones or any(inside), "a neuron lies in the cone of no gate")
            c.single = c.single and sum(a != 0 for a in w[:o]) <= 1
        norms.append(norm(w) if gated else product(norm(w[:o]), norm(w[o:o + c.d])))
        outputs = [[dot(row, u) for u in maps] for row in x] if gated else [times(h, w[:o]) for h in t]
        f = [plus(r, more) if on else r for r, more, on in zip(f, outputs, gate)]
    c.neurons, constant = len(norms), c.line("constant", numbers=o)
    need(c.bias == "free" or not any(constant), "there is no constant")
    return [plus(r, constant) for r in f], norms
BOXED, BOX = ("huber", "absolute", "quantile"), [F(0), F(1)]  # losses of r = y - f with slopes in a box, and the box of this claim
def box(loss, end=F(1)):
    low = end - 1 if loss == "quantile" else -end if loss in BOXED else F(0)
    need(loss not in BOXED or low < 0 < end, "the parameter of the loss is out of range")
    return [low, end]
def boxed_loss(loss, r):
    if loss != "huber":
        return r * (BOX[1] if r > 0 else BOX[0])
    v = min(max(r, BOX[0]), BOX[1])
    return v * (r - v / 2)
def boxed_none(c, loss, free):  # the slope of the sum falls: a constant where it changes its sign, in doubles as fathom-check has it
    y, w, (first, last) = [float(t[0]) for t in c.y], [*map(float, c.w)], map(float, BOX)
    low, high = (min(y), max(y)) if free else (0.0, 0.0)
    for _ in range(100):
        middle = low / 2 + high / 2
        slopes = [min(max(t - middle, first), last) if loss == "huber" else last if t - middle > 0 else first for t in y]
        if functools.reduce(float.__add__, [a * v for a, v in zip(w, slopes)], 0.0) > 0:
            low = middle
        else:
            high = middle
    return real(sum(a * boxed_loss(loss, t[0] - F(high)) for a, t in zip(c.w, c.y)))
def loss_of(loss, f, y, residual):  # equality and margin: 0 where they are satisfied
    if loss in BOXED:
        return F(boxed_loss(loss, y[0] - f[0]))
    if loss in ("logistic", "softmax"):
        return sum(real(t - dot(y, f)).exp() for t in (f if loss == "softmax" else [dot(y, f), 0])).ln()
    misses = plus(f, times(-1, y)) if loss in ("squared", "equality") else [max(1 - dot(y, f), 0)]
    need(loss in ("squared", "hinge") or max(map(abs, misses)) <= residual, "an output misses its target")
    return F(square(misses) * F(1, 2) if loss == "squared" else misses[0] * (loss == "hinge"))
def dual_term(loss, w, y, t):  # -t l*(-w / t), w in its domain
    if loss in BOXED:
        need(t * BOX[0] <= w <= t * BOX[1], "the dual point is outside the domain")
        return F(y * w - (w * w / (2 * t) if loss == "huber" else 0))
    if loss in ("squared", "equality"):
        return F(y * w - (w * w / (2 * t) if loss == "squared" else 0))
    p = y - w / t if loss == "softmax" else y * w / t
    need(p >= 0 and (p <= 1 or loss == "margin"), "the dual point is outside the domain")
    return F(t * p) if loss in ("hinge", "margin") else real(t) * real(entropy(p)) + (loss == "logistic") * real(t) * real(entropy(1 - p))
def without_neurons(c, loss):  # the least loss of a constant, or of 0 where that is not free; None: it meets no constraint
    free, total, o = c.bias == "free", sum(c.w), len(c.y[0])
    if loss in BOXED:
        return boxed_none(c, loss, free)
    sums = [sum(w * y[k] for w, y in zip(c.w, c.y)) for k in range(o)]
    rest = sum(w * square(y) for w, y in zip(c.w, c.y)) - free * square(sums) / total
    parts = sums if loss == "softmax" else [(total + sums[0]) / 2, (total - sums[0]) / 2]
    if loss in ("squared", "equality", "margin"):
        return real(rest / 2) if loss == "squared" else D(0) if loss == "equality" and not rest else None
    if loss == "hinge":
        return real(2 * min(parts) if free else total)
    return sum(real(total) * real(entropy(p / total)) for p in parts) if free else real(total) * D(len(parts)).ln()
def claim_train(c):
    has = c.lines[c.at].split(" ")[2:3] in (["huber"], ["quantile"])  # a parameter
    model, loss, *ends, N, beta = c.line("problem", "relu|gated", "squared|equality|logistic|hinge|margin|softmax|huber|absolute|quantile",
                                         *[NUMBER] * (2 + has))
    BOX[:] = box(loss, *ends)
    bound, upper, lower = c.line("bound", "none|gates|cones|trees|plane|orthant", NUMBER, NUMBER)
    gated, free, n, o = model == "gated", c.bias == "free", c.n, len(c.y[0])
    need(N > 0 < beta and (loss in BOXED and o == 1 or loss in ("squared", "equality") or loss not in BOXED and classes(c.y, loss)), "there is no such problem")
    size = real(sum(c.w) / N) * (loss in ("logistic", "softmax"))  # other terms are rational
    x = [row + [F(1)] for row in c.x] if free and not gated else c.x
    f, norms = read_network(c, x, o, gated, bound == "gates" and not gated)
    residual = sum(c.line("residual", NUMBER)) if loss == "equality" else 0
    losses = [product(loss_of(loss, r, t, residual), weight / N) for r, t, weight in zip(f, c.y, c.w)]
    high = above(losses + [product(beta, norm) for norm in norms], size)
    need(loss != "quantile" or sayable(*ends) < 1, "the parameter of the loss cannot be told from 1")
    c.facts = dict(model=model, loss=loss, parameter=[shortest(sayable(end)) for end in ends], divisor=N, beta=beta, evidence=bound, neurons=c.neurons, residual=residual)
    sayable(N), sayable(beta), sayable(residual)
    none, weak = without_neurons(c, loss), [WEAK["bound"]] * (bound == "none")
    weak += [WEAK["residual"]] * (loss == "equality" and residual > F(1e-6) * max(abs(t) for y in c.y for t in y))
    weak += [WEAK["gates"]] * (bound == "gates" and not c.gates)
    def facts(low):  # what is shown: with a residual of a relaxed problem, for margins of the margin
        low = max(low, F(0))
        if none is not None and none / real(N) <= real(high) * D(1 + 1e-6) and WEAK["gates"] not in weak:
            weak.append(WEAK["penalty" if real(low) >= none / real(N) * D(1 - 1e-6) else "network"])
        shown = (real(beta) / real(low) if low else math.inf, real(beta) / real(high)) if loss == "margin" else (high, low)
        c.facts.update(shown=shown, weak=sorted(weak, key=[*WEAK.values()].index))
    if bound == "none":
        facts(F(0))
        return high, 0, upper, lower
    scale, *v = c.line("dual", numbers=o * n + 1)
    v = [v[k * n:k * n + n] for k in range(o)]
    need(scale >= 0 and not (free and any(map(sum, v)) or loss == "softmax" and any(map(sum, zip(*v)))), "a sum is not 0")
    c.along, c.rows = c.line("along", numbers=c.d + n) if c.is_next("along") else [], x
    terms = [product(dual_term(loss, scale * v[k][i], c.y[i][k], c.w[i]), 1 / N) for i in range(n) for k in range(o)]
    low = below(terms, size if any(terms) else 0)
    facts(below([low, -residual * scale * sum(abs(t) for r in v for t in r) / N]) if residual else low)
    suited = dict(trees=not gated and len(x[0])**2 < LARGEST, plane=not gated and o == 1, orthant=not gated and not free)
    need(suited.get(bound, gated or c.single and not free) and (bound != "cones" or complete(c)), "this evidence does not suit")
    prices = dict(trees=tree_prices, plane=plane_prices, orthant=orthant_prices).get(bound, gate_prices)(c, x, v, gated)
    need(scale**2 * max(prices, default=0) <= (N * beta)**2, "the dual point is priced above N beta")
    return high, low, upper, lower
def claim_margin(c):
    kind, upper, lower = c.line("bound", "units|plane|neurons|space|linear", NUMBER, NUMBER)
    need(c.bias != "free", "biases are free")
    m, z, units = len(c.gates), [times(y[0], row) for row, y in zip(c.x, c.y)], 0
    if kind == "plane":
        need(c.d == 2 and complete(c), "the gates are not all arcs of the plane")
        rho = [sum(angle(a, b) for a, b in arcs(distinct(c.x)) if cross(a, v) > 0 < cross(v, b)) for v in c.turn]
    elif kind == "space":
        need(c.d <= 3 and complete(c), "the gates are not all cones of at most three columns")
        rho = cells(c)
    elif kind == "linear":
        need(m == 1 and all(c.gates[0][:c.n]), "the gate of a linear function is open on all points")
        rho = [F(1)]
    else:
        units, *words = c.line("counts", *[INDEX] * (m + 1)) if kind == "units" else c.line("gains", INDEX, numbers=m)
        counts = words if kind == "units" else [1] * len(c.turn)
        need(all(counts) and len(counts) == m and sum(counts) <= units > 0, "there are more gates, or they have no orientations")
        rho = [F(count, units) for count in counts]
    rows = [[[dot(v, p), *times(a, p)] for p in z] for v, a in zip(c.turn, words)] if kind == "neurons" else [z] * m
    vectors, q = [c.line("vector", numbers=c.d + (kind == "neurons")) for _ in rho], c.line("dual", numbers=c.n)
    need(classes(c.y, "margin") and all(square(w) <= 1 for w in vectors) and min(q) >= 0 and any(q), "vectors or weights")
    scores = [[product(r, F(dot(p, w))) * on for p, on in zip(z, gate)] for r, w, z, gate in zip(rho, vectors, rows, c.gates)]
    lengths = [product(r, norm(combine(z, [t * on for t, on in zip(q, gate)]))) for r, z, gate in zip(rho, rows, c.gates)]
    c.facts = dict(evidence=kind, units=units, weak=[WEAK["gates"]] * (not m))
    return product(above(lengths), 1 / sum(q)), min(map(below, zip(*scores)), default=F(0)), upper, lower
def claim_zero(c):  # by Cauchy-Schwarz x_b is a multiple of x_a; or a row is 0; or two equal rows have opposite labels
    named = next((word for word in ("origin", "equal") if c.is_next(word)), None)
    if named:
        a, b = [*c.line(named, *[INDEX] * (1 + (named == "equal"))), 0][:2]
        same = not any(c.x[a]) and c.bias != "free" if named == "origin" else c.x[a] == c.x[b] and c.y[a] != c.y[b]
        need(classes(c.y, "margin") and same, "the rows prove nothing")
        c.facts = dict(evidence=named, rows=(a, b))
        return 0, 0, 0, 0
    pairs, x, y = c.entries("pairs", INDEX, INDEX, NUMBER), c.x, c.y
    proper = all(y[a] > y[b] and l > 0 and dot(x[a], x[b])**2 == square(x[a]) * square(x[b]) > 0 for a, b, l in pairs)
    rest = combine([x[a] for a, _, _ in pairs], [l for _, _, l in pairs])
    enough = pairs and (any(dot(x[a], x[b]) > 0 for a, b, _ in pairs) or not any(rest))
    need(classes(y, "margin") and proper and enough and c.bias != "free", "the pairs prove nothing")
    return 0, 0, 0, 0
def claim_cones(c):
    need(complete(c), "the gates are not all cones")
    return [len(c.gates)] * 4
def claim_cone(c):  # one cone: empty by weights, or its dimension by a point of it and the rows that vanish with it
    kind, digits = c.line("cone", "empty|point", "[0-9a-f]{%d}" % ((c.n + 3) // 4))
    active = [int(digit, 16) >> k & 1 for digit in digits for k in range(4)]
    need(not any(active[c.n:]), "the pattern has more points")
    c.facts = dict(pattern="".join("+" if on else "-" for on in active[:c.n]))
    t = [dot(row, z) for row in c.x] if kind == "point" and (z := c.line("point", numbers=c.d)) else []
    l = c.line("weights", numbers=c.n)
    need(min(l) >= 0 and not any(combine(c.x, [-w if kind == "empty" and not on else w for w, on in zip(l, active)])), "weights")
    if kind == "empty":
        need(any(w and on for w, on in zip(l, active)), "no active row has a weight")
        return [-1] * 4
    forced = [row for row, h in zip(c.x, t) if any(row) and not h]
    need(all((h > 0) == bool(on) for h, on in zip(t, active)), "the point is on the wrong side of a row")
    need([w > 0 for w in l] == [any(row) and not h for row, h in zip(c.x, t)], "weights of rows that vanish")
    return [c.d - (len(pivots(forced)) if forced else 0)] * 4
def claim_spectrum(c):  # an end of the spectrum of the kernel matrix h: a vector on one side, pivots on the other
    layers, width, factor = c.line("kernel", "first|both", "infinite|gates", NUMBER)
    m, n, gates = len(c.gates), c.n, width == "gates"
    units, *counts = c.line("counts", *[INDEX] * (m + 1)) if gates else [0]
    end, upper, lower = c.line("bound", "least|largest|null", NUMBER, NUMBER)
    v = c.line("vector", numbers=n)
    need(factor > 0 and any(v) and all(counts) and sum(counts) <= units >= gates and not (gates and layers == "both"), "a kernel")
    sayable(factor)
    c.facts = dict(evidence=end, layers=layers, factor=factor, gated=gates, units=units, weak=[WEAK["gates"]] * (gates and not m))
    if end == "null":
        sums = [combine(c.x, [t * on for t, on in zip(v, gate)]) for gate in (c.gates if gates else [[1] * n])]
        sides = lambda r: sum(t * abs(dot(row, r)) for t, row in zip(v, c.x) if dot(row, r)**2 == square(row) * square(r))
        need(not any(map(any, sums)) and (gates or not any(map(sides, c.x))), "the vector is not in the null space")
        return 0, 0, upper, lower
    work(n**3 + 100 * n * n)
    def entry(p, q):
        inner, sizes = dot(c.x[p], c.x[q]), square(c.x[p]) * square(c.x[q])
        if gates:
            return factor * inner * sum(F(k, units) for gate, k in zip(c.gates, counts) if gate[p] and gate[q])
        if not sizes:
            return F(0)
        height = real(root(F(sizes - inner * inner)))
        back = angle((D(1), D(0)), (-real(inner), height))  # (pi - theta) / (2 pi)
        return real(factor) * ((2 * real(inner) * back + height / (2 * PI)) if layers == "both" else real(inner) * back)
    h = [[entry(p, q) for q in range(p + 1)] for p in range(n)]
    h = [[F(h[max(p, q)][min(p, q)]) for q in range(n)] for p in range(n)]
    terms = [real(s * t * h[p][q]) for p, s in enumerate(v) for q, t in enumerate(v) if s and t]
    if gates:
        high = low = F(dot(v, [dot(row, v) for row in h])) / square(v)
    else:
        high, low = above(terms) / real(square(v)), below(terms) / real(square(v))
    if end == "largest":
        definite([[(p == q) * upper - h[p][q] for q in range(n)] for p in range(n)])
        return upper, low, upper, lower
    definite([[h[p][q] - (p == q) * lower for q in range(n)] for p in range(n if lower > 0 else 0)])
    return high, max(lower, F(0)), upper, lower
def definite(a):  # in decimals: a pivot is certainly positive
    a, error = [[real(t) for t in row] for row in a], D("1e-60") * (1 + max([abs(real(t)) for row in a for t in row], default=0))
    while a:
        (pivot, *row), *a = a
        need(pivot > error, "a matrix is not positive definite")
        a = [[r - t / pivot * s for r, s in zip(rest, row)] for t, *rest in a]
def claim_spike(c):
    kind, = c.line("spike", "shown|free")
    if kind == "shown":  # <l, (Xu)_+> > |X'l||u|
        u, l = c.line("point", numbers=c.d), c.line("combination", numbers=c.n)
        gained, most = dot(l, [max(dot(row, u), 0) for row in c.x]), square(combine(c.x, l)) * square(u)
        need(gained > 0 and gained**2 > most, "no spike is shown")
        c.facts = dict(norm=outward(root(F(gained**2) / most), -1) if most else 0)
        return [0] * 4
    rows = sorted({tuple(times(1 / abs(next(filter(None, row))), row)) for row in c.x if any(row)})
    m = len(rows)
    need(m <= c.d, "more directions than columns")
    work(m**4 * sum(v.numerator.bit_length() + v.denominator.bit_length() + 64 for row in rows for v in row) / 64 / max(m * c.d, 1))
    a = [[dot(p, q) for q in rows] + [F(k == l) for l in range(m)] for k, p in enumerate(rows)]
    for k in range(m):  # Gauss and Jordan; a Gram matrix of independent rows has positive pivots
        need(a[k][k] > 0, "the rows are dependent")
        a[k] = times(1 / a[k][k], a[k])
        a = [row if l == k else plus(row, times(-row[k], a[k])) for l, row in enumerate(a)]
    need(all(a[k][m + l] <= 0 for k in range(m) for l in range(m) if k != l), "an entry of the inverse is positive")
    return [1] * 4
def claim_faces(c):  # the sign vectors of all points are the compositions of those of rays
    columns = pivots(c.x)
    x = [[row[k] for k in columns] for row in c.x]
    rays, faces = set(), [(0,) * c.n]
    length = sum(v.numerator.bit_length() + v.denominator.bit_length() for row in x for v in row) / 64 + len(x)
    for chosen in itertools.combinations(distinct(x), max(len(columns) - 1, 0)) if columns else ():
        work(length * math.factorial(min(len(columns), 20)))
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
def claim_limit(c):  # a KKT point of the largest margin: residual, slack, and which pairs may count as kinks
    leaky = c.lines[c.at].split(" ")[1:2] == ["leaky"]
    kind, layers, *slope = c.line("problem", "relu|leaky", "first|both", *[NUMBER] * leaky)
    (alpha,), (residual, slack, kink), n = slope or [F(0)], c.line("bound", numbers=3), c.n
    m, = c.line("network", INDEX)
    neurons = [c.line("neuron", numbers=1 + c.d) for _ in range(m)]
    dual, kinks = c.line("multipliers", numbers=n), c.entries("kinks", INDEX, INDEX, NUMBER)
    places = [(j, i) for j, i, _ in kinks]
    need(0 <= alpha < 1 and min(residual, slack, kink) >= 0 and m > 0 and c.bias != "free" and classes(c.y, "margin"), "there is no such problem")
    need(places == sorted({*places}) and all(j < m and i < n and alpha <= t <= 1 for j, i, t in kinks), "kinks")
    products = [[dot(row, u) for row in c.x] for _, *u in neurons]
    need(all(products[j][i]**2 <= kink**2 * square(neurons[j][1:]) * square(c.x[i]) for j, i in places), "a pair is on no kink")
    y, bent = [t for t, in c.y], lambda h: h if h > 0 else alpha * h
    p = [t * sum(w * bent(row[i]) for (w, *_), row in zip(neurons, products)) for i, t in enumerate(y)]
    least, slopes, left = min(p), {(j, i): t for j, i, t in kinks}, F(0)
    need(least > 0 and min(dual) >= 0 and any(dual), "multipliers, or a row on the wrong side")
    need(sum(l * (t - least) for l, t in zip(dual, p)) <= slack * least * sum(dual), "multipliers beyond the margin")
    for j, (w, *u) in enumerate(neurons):
        pulls = [l * t * slopes.get((j, i), 1 if products[j][i] > 0 else alpha) for i, (l, t) in enumerate(zip(dual, y))]
        left += square(plus(u, times(-w, combine(c.x, pulls))))
        left += (w - sum(l * t * bent(h) for l, t, h in zip(dual, y, products[j])))**2 if layers == "both" else 0
    size = sum(square(neuron if layers == "both" else neuron[1:]) for neuron in neurons)
    need(left <= residual**2 * size, "the multipliers miss the network")
    rough = max(residual, slack, kink if kinks else 0) > F(1e-6)
    sayable(residual), sayable(slack), sayable(kink if kinks else 0)
    need(sayable(alpha) < 1, "the slope cannot be told from 1")
    c.facts = dict(evidence="none", layers=layers, slope=slope, neurons=m, bounds=(residual, slack, kink if kinks else 0), weak=[WEAK["limit"]] * rough)
    margin = least / size if layers == "both" else real(least) / real(norm([F(t) for neuron in neurons for t in neuron[1:]]))
    return margin, margin, margin, margin
def philox(key, *x):  # philox4x32-10: two words of 64 bits
    for k in range(10):
        a, b, (p, q) = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2], ((t + k * step) & M32 for t, step in zip(key, (0x9E3779B9, 0xBB67AE85)))
        x = (b >> 32) ^ x[1] ^ p, b & M32, (a >> 32) ^ x[3] ^ q, a & M32
    return x[1] << 32 | x[0], x[3] << 32 | x[2]
M32 = 2**32 - 1
def direction(key, k, d):  # in integers, with its error in every coordinate: (u, error), or None where a word lies on a border
    pairs, u, error, place = (d + 1) // 2, [], 8, (k & M32, k >> 32)
    cuts = [0, *sorted([w for j in range(pairs // 2) for w in philox(key, *place, j, M32)][:pairs - 1]), 2**64]
    for j in range(pairs):
        for t in itertools.count():
            a, b = (2 * w + 1 - 2**64 for w in philox(key, *place, j, t))
            s = a * a + b * b
            if s < 2**128 + 2**67:
                break
        length = cuts[j + 1] - cuts[j] if pairs > 1 else 2**64
        if s > 2**128 - 2**67 or not s >> 80 or length < 2**16:
            return None
        radius = math.isqrt((length << 224) // s)
        u += [radius * a >> 64, radius * b >> 64]
        error += 8 * (abs(u[-1]) + abs(u[-2])) // min(length if pairs > 1 else 2**64, math.isqrt(s)) + 8
    return u[:d], error
def claim_sampled(c):  # bets on pairs of directions that are drawn again: X, and W_i of every row, as the page has them
    n, d, y = c.n, c.d, [t[0] for t in c.y]
    need(classes(c.y, "margin") and c.bias != "free" and all(map(any, c.x)), "there is no such margin")
    (mu, *q), (b, *slopes), (stake, *stakes) = (c.line(word, numbers=n + 1) for word in ("weights", "slopes", "stakes"))
    need(mu > 0 and min(b, stake, *q, *slopes, *stakes) >= 0 and any(q), "weights, slopes and stakes")
    seed, level, draws = c.line("draws", INDEX, NUMBER, INDEX)
    sha = hashlib.sha256("".join(line + "\n" for line in c.lines[:c.at]).encode()).hexdigest()
    key = int(sha[:8], 16), int(sha[8:16], 16)
    _, upper, lower = c.line("bound", "sampled", NUMBER, NUMBER)
    need(0 < level < 1 and seed <= 2**53 and 1 <= draws <= 2**40 and lower >= 0, "a probability, or the draws")
    need(4 * draws * (n + 2) * (d + 2) <= 9 * 10**7 + 10 * WORK[1], "this is more work than files of these sizes justify", TooLarge)
    z = [times(t, row) for t, row in zip(y, c.x)]
    share = lambda p, r: angle((D(1), D(0)), (-real(dot(p, r)), real(root(F(square(p) * square(r) - dot(p, r)**2)))))
    kernel = [sum((real(t * dot(z[i], z[k])) * share(c.x[i], c.x[k]) for k, t in enumerate(q)), D(0)) for i in range(n)]
    reach = (sum(real(t) * real(norm(row)) for t, row in zip(q, z)) + real(norm(combine(z, q)))) / 2
    goal = real(upper * sum(q)) - real(b) * sum(real(t) * k for t, k in zip(q, kernel))
    goals = [real(lower) - real(t) * k for t, k in zip(slopes, kernel)]
    worst = 1 + real(stake) * (goal - (min(reach, real(1 / (4 * b))) if b else reach))
    worsts = [1 - real(l) * (real(norm(row)) * max(D(1), real(t) * reach) / 2 + g) for l, row, t, g in zip(stakes, z, slopes, goals)]
    need(min(worst, *worsts) >= 0, "a stake may be lost, and more")
    (rows, unit), (weights, part) = integers(c.x), integers([q])
    signed, largest = [[int(t) * v for v in row] for t, row in zip(y, rows)], [max(map(abs, row)) for row in rows]
    weighted = [[t * v for v in row] for t, row in zip(weights[0], signed)]
    total, one, half = [*map(sum, zip(*weighted))], D(1) / (unit * part), D(1) / (2 * unit * unit * part)
    capital, capitals, unclear = D(1), [D(1)] * n, 0
    mu, b, slopes, stake, stakes = real(mu) ** 2, real(b), [*map(real, slopes)], real(stake), [*map(real, stakes)]
    getcontext().prec = 40  # factors near 1: a draw loses 1e-38 of them
    for k in range(draws):
        drawn = direction(key, k, d)
        heights = [sum(map(operator.mul, row, drawn[0])) for row in rows] if drawn else [0]
        if not drawn or any(abs(t) <= most * drawn[1] for t, most in zip(heights, largest)):
            unclear, capital, capitals = unclear + 1, capital * worst, [*map(operator.mul, capitals, worsts)]
            continue
        first = [*map(sum, zip(*(row for row, t in zip(weighted, heights) if t > 0)))] or [0] * d
        sides = [first, [s - t for s, t in zip(total, first)]]
        squares = [sum(t * t for t in side) * one * one for side in sides]
        value = sum(t.sqrt() - b * t for t in squares) / 2
        capital *= 1 + stake * (goal - value)
        inverse = [1 / (t + mu).sqrt() for t in squares]
        for i, t in enumerate(heights):
            side = t <= 0
            w = sum(map(operator.mul, signed[i], sides[side])) * half
            capitals[i] *= 1 + stakes[i] * (w * (inverse[side] - slopes[i]) - goals[i])
    getcontext().prec = 80
    enough = 2 / real(1 - level) * (1 + D("1e-24"))
    need(capital >= enough and (lower == 0 or min(capitals) >= enough), "the draws do not prove it")
    c.facts = dict(evidence="sampled", seed=seed, confidence=outward(level, -1), draws=draws, unclear=unclear, weak=[WEAK["chance"]])
    return upper, lower, upper, lower
CLAIMS = dict(train=claim_train, margin=claim_margin, spectrum=claim_spectrum, zero=claim_zero, cones=claim_cones, faces=claim_faces,
              cone=claim_cone, spike=claim_spike, limit=claim_limit, sampled=claim_sampled)
# --- what was verified, in words (fathom-check makes the same texts) ---
WEAK = dict(gates="no gates are listed: nothing is said about networks with gates",
            bound="no lower bound is proved: what is said below holds of every problem",
            residual="targets may be missed by more than a millionth of the largest",
            network="the listed network is no better than one without neurons",
            penalty="the penalty is at or above beta_max, or nearly: none of these networks is better than one without neurons",
            limit="the KKT conditions are met to more than a millionth",
            chance="this may be false with the probability that is left, and more often where seeds or weights were tried")
LOSSES = dict(huber="(max over |v| <= {0} of (y_i - f_i) v - v^2 / 2)", absolute="|y_i - f_i|", quantile="max({0} (y_i - f_i), ({0} - 1) (y_i - f_i))",
              squared="|f_i - y_i|^2 / 2", hinge="max(0, 1 - y_i f_i)", logistic="ln(1 + exp(-y_i f_i))",
              softmax="(ln sum_k exp(f_ik) - <y_i, f_i>)")
CODES = dict(none="", index="; classes are numbers 0, 1, ..", signs="; the two classes are -1 and +1", columns="; classes are unit vectors")
STEPS = dict(none="not normalised", unit="rows of length 1", standardize="columns standardized")
BIASES = dict(none="no bias", augment="a column of ones added", free="biases free")
def shortest(x): return next(t for k in range(1, 18) for t in [f"{x:.{k}g}"] if float(t) == x)
def outward(x, side):  # a double beyond x
    near = float(x)
    return math.nextafter(near, side * math.inf) if math.isfinite(near) and side * (F(near) - F(x)) < 0 else near
def sayable(x):  # a number that statements repeat is one of the normal range of doubles
    need(not x or F(2)**-1022 <= abs(x) < 2**1024 - 2**970, "a number is beyond the range of doubles")
    return float(x)
def digits(x, side):  # as few digits as are on this side
    return next(t for k in range(10, 18) for t in [f"{x:.{k}g}"] if side * float(t) >= side * x)
def class_name(name):  # a text that could be misread in hexadecimal digits
    if not isinstance(name, bytes):
        return shortest(float(name) if abs(name) < 2**1024 - 2**970 else math.copysign(math.inf, name))
    return name.decode() if re.fullmatch(rb"(?! |0x|\.\.$)[ -~]+(?<! )", name) and not set(name) & set(b'"\\,()') else "0x" + name.hex()
def joined(names):  # those that do not fit as ".."
    text = ""
    for k, name in enumerate(names):
        fits = len(text) + len(name) + 1 < 150
        text += "," * (k > 0) + (name if fits else "..")
        if not fits or len(text) >= 150:
            break
    return text
def ranges(kept, rows):
    starts = [k for k in range(len(kept)) if not k or kept[k] != kept[k - 1] + 1] + [len(kept)]
    text = ""
    for a, b in zip(starts, starts[1:]):
        text = text + f"{',' * (a > 0)}{kept[a]}:{kept[b - 1] + 1}" if len(text) + 50 < 200 else text + ",.." * (not text.endswith(",.."))
    return "all" if kept == list(range(rows)) else text
def state(c, kind, sha, number, upper, lower):  # a claim as fathom-check --json has it
    s, f, train, m = SOURCE, c.facts, kind == "train", len(c.gates)
    rows, evidence, loss, gated = ranges(s["kept"], s["rows"]), f.get("evidence"), f.get("loss"), f.get("model") == "gated"
    text = f"About all {c.n} rows" if rows == "all" else f"About {c.n} rows ({rows}) of the {s['rows']}"
    text += f" of the {number.upper()} file with SHA-256 {sha}"
    text += f", targets in column {s['target']} from 0" if "target" in s else ""
    text += f", weights in column {s['weights']}" if s.get("weights", -1) >= 0 else ""
    text += f", targets in the file with SHA-256 {s['labels_sha256']}" if "labels_sha256" in s else ""
    text += f"{CODES[s['coding']]}{' (' + s['classes'] + ')' if s['classes'] is not None else ''}; {STEPS[s['normalize']]}; {BIASES[c.bias]}{'; decimals as they are written' * c.decimals}; then {c.d} columns. "
    several = train and not gated and len(c.y[0]) > 1
    norm = "|w_j|" if gated else "|w_j||u_j|"
    network = f"a network with {f.get('neurons')} neuron{'s' * (f.get('neurons') != 1)}, listed in the certificate"
    biased = "" if c.bias != "free" else ", with any constant" if gated else ", with any biases"
    every = (f"gated network on the {m} listed gates{', which are all cones of the data' * (evidence == 'cones')}{biased}" if gated else
             f"two-layer ReLU network whose neurons {'feed one output each and ' * several}lie in the cones of the {m} listed gates" if evidence == "gates" else
             "two-layer ReLU network of any width whose neurons feed one output each" if evidence == "cones" and several else
             f"two-layer ReLU network of any width{biased}")
    scale = None if not train else "sum" if f["divisor"] == 1 else "mean" if f["divisor"] == c.n else f"{float(f['divisor']):.17g}"
    if loss == "margin":
        top = digits(upper, 1) if math.isfinite(upper) else "infinity"
        text += (f"The margin of a network f is the least y_i f(x_i) over the sum of {norm} over its neurons. Lower side: it is >= {digits(lower, -1)} "
                 f"for {network}. Upper side: it is <= {top} for every {every}.")
    elif train:
        part = (f"(0 where no |f_i - y_i| is above {digits(outward(f['residual'], 1), 1)}, else infinite)" if loss == "equality" else
                f"(1/{float(f['divisor']):.17g}) " * (scale != "sum") + f"sum_i {'c_i ' * (s.get('weights', -1) >= 0)}{LOSSES[loss].format(*f['parameter'])}")
        text += (f"F(f) = {part} + {float(f['beta']):.17g} R(f), R the sum of {norm} over the neurons. Upper side: F <= {digits(upper, 1)} for {network}. "
                 f"Lower side: F >= {digits(lower, -1)} for every {every}. Difference: {digits(upper - lower, 1)}.")
    elif kind == "margin":
        text += dict(plane=f"The margin of the first layer at infinite width, in the plane, where the {m} listed gates are all cones",
                     space=f"The margin of the first layer at infinite width, in at most three columns, where the {m} listed gates are all cones",
                     linear="The margin of linear functions, the largest over |w| <= 1 of the least y_i <w, x_i>",
                     units=f"The margin of the first layer of {f['units']} neurons with {m} listed gates, each counted as often as stated",
                     neurons=f"The margin of both layers of {f['units']} neurons, of which {m} are listed")[evidence]
        text += f", is >= {digits(lower, -1)}, by the listed vector{'s' * (evidence != 'linear')}, and <= {digits(upper, 1)}, by the listed weights of the rows."
    elif kind == "sampled":
        text += (f"With probability {shortest(f['confidence'])} the margin of the first layer at infinite width is >= {digits(lower, -1)} and <= {digits(upper, 1)}, "
                 f"by the listed weights of the rows and {f['draws']} pairs of directions, drawn again from seed {f['seed']} and the hash of the lines before them; "
                 f"{f['unclear']} were unclear and count against it.")
    elif kind == "spectrum":
        least = evidence == "least"
        text += f"The matrix of the tangent kernel of {'both layers' if f['layers'] == 'both' else 'the first layer'} "
        text += f"of {f['units']} neurons with {m} listed gates, each counted as often as stated" if f["gated"] else "at infinite width"
        text += f", times {float(f['factor']):.17g}" * (f["factor"] != 1)
        text += (": its least eigenvalue is 0, and the listed vector is in its null space, exactly." if evidence == "null" else
                 f": its {evidence} eigenvalue is >= {digits(lower, -1)} and <= {digits(upper, 1)}; the listed vector gives the {'upper' if least else 'lower'} side.")
        scale = f"{float(f['factor']):.17g}"
    elif kind == "cone":
        signs = f["pattern"][:200] + ".." * (c.n > 200)
        text += (f"No u has <x_i, u> > 0 for the rows with + in {signs} and <= 0 for the others: this cone is empty, by the listed weights." if upper < 0 else
                 f"The cone of all u with <x_i, u> > 0 for the rows with + in {signs} and <= 0 for the others has dimension {upper:.0f}; the listed point is in it.")
    elif kind == "spike":
        text += f"The matrix A of these rows is {'' if upper > 0 else 'not '}spike-free: "
        text += ("every (Au)_+ with |u| <= 1 is Av for some |v| <= 1." if upper > 0 else
                 f"for the listed u, (Au)_+ is no Av with |v| < {digits(f['norm'], -1)} |u|." if f["norm"] else "for the listed u, (Au)_+ is no Av at all.")
    elif kind == "limit":
        up = lambda x: digits(outward(x, 1), 1)
        text += f"The margin of a network f(x) = sum_j w_j s(<u_j, x>), s(t) = max(t, {shortest(float(f['slope'][0])) + ' t' if f['slope'] else 0})"
        text += f", is m / |W|{'^2' * (f['layers'] == 'both')}, m the least y_i f(x_i) and W all u_j{' and w_j' * (f['layers'] == 'both')}. "
        text += f"Of the network with {f['neurons']} neuron{'s' * (f['neurons'] != 1)} listed in the certificate it is >= {digits(lower, -1)} and <= {digits(upper, 1)}. "
        text += f"It is a KKT point of the largest margin, by the listed multipliers l >= 0: |W - sum_i l_i g_i| <= {up(f['bounds'][0])} |W| and sum_i l_i (y_i f(x_i) - m) "
        text += f"<= {up(f['bounds'][1])} m sum_i l_i, the g_i being Clarke gradients of y_i f(x_i)"
        text += f", where |<u_j, x_i>| <= {up(f['bounds'][2])} |u_j||x_i| is a kink" if f["bounds"][2] else ""
        text += ". Nothing is said of other networks."
    elif evidence == "equal":
        text += "Rows {} and {} of these (from 0) are equal and have opposite targets: no function has every y_i f(x_i) > 0, and every margin is 0.".format(*f["rows"])
    else:
        text += f"Row {f['rows'][0]} of these (from 0) is 0, where every network without biases is 0. " if evidence == "origin" else ""
        text += dict(zero="No two-layer ReLU network without biases has every y_i f(x_i) > 0, and the margin at infinite width is 0.",
                     cones=f"The hyperplanes <x_i, u> = 0 cut the space into {m} full-dimensional cones, one around each listed orientation.",
                     faces=f"There are {m} sets {{i : <x_i, u> > 0}}, one for each listed orientation.")[kind]
    weak = f.get("weak", [])
    text += f" Weak: {'; '.join(weak)}." if weak else ""
    few = evidence in ("gates", "units", "neurons") or evidence == "cones" and several or f.get("gated", False)
    name = dict(cones="cones", faces="faces", cone="cone", spike="spike", limit="limit", spectrum="kernel", zero="margin", margin="margin", sampled="margin").get(kind)
    name = name or ("margin" if loss == "margin" else "gated" if gated else "gates" if few else "relu")
    finite = lambda x: x if math.isfinite(x) else None
    return dict(n=c.n, d=c.d, statement=text, **{"class": name}, loss=":".join([loss, *f["parameter"]]) if train else loss, beta=float(f["beta"]) if train else None, scale=scale,
                normalize=s["normalize"], bias=c.bias, rows=rows, data_sha256=sha, bound=evidence if evidence in ("none", "sampled") else "gates" if few else "global",
                upper=finite(upper), lower=lower, gap=finite(upper - lower), neurons=f.get("neurons"), weak=weak, pattern=f.get("pattern"), classes=s["classes"],
                **{key: f[key] for key in ("confidence", "seed", "draws", "unclear") if key in f})
def check(certificate, data, labels):  # the bounds and the statement of every claim
    c, bounds = Certificate(certificate.decode("ascii")), []
    SOURCE.clear()
    WORK[:] = 0, 10**6 + len(certificate) * (len(data) + len(labels or b""))
    c.line("fathom-certificate", "2")
    kind, sha, *words = c.words("data")
    if "bytes" in words:
        lengths, words = words[words.index("bytes") + 1:], words[:words.index("bytes")]
        have = [len(data)] + [len(labels) if labels is not None else -1] * (kind == "npy")
        need([value(INDEX, length) for length in lengths] == have, "the certificate is about data of another length")
    need(sha == hashlib.sha256(data).hexdigest(), "the certificate is not about this data")
    prepare(c, *dict(csv=read_csv, libsvm=read_libsvm, npy=read_npy)[kind](data, labels, *words))
    read_gates(c)
    while not bounds or c.is_next("claim"):
        claim, = c.line("claim", "|".join(CLAIMS))
        need(claim in ("zero", "cones", "faces", "cone", "spike") or not c.decimals, "this claim is about doubles")
        c.facts = {}
        high, low, upper, lower = CLAIMS[claim](c)
        need(high <= upper and low >= lower, f"what is proved is {real(high):.17g} and {real(low):.17g}")
        shown = c.facts.get("shown", (high, low))
        need(all(t in (0, math.inf) or abs(t) < 2**1024 - 2**970 for t in shown), "a bound is beyond the range of doubles")
        bounds.append(state(c, claim, sha, kind, *map(outward, shown, (1, -1))))
    need(c.line("end") == [] and c.lines[c.at:] == [""], "nothing should follow")
    return bounds
def unpacked(rest):  # all members of a gzip file, and perhaps zeros behind them
    text = b""
    while rest[:2] == b"\x1f\x8b":
        member = zlib.decompressobj(31)
        text += member.decompress(rest, 2**30)
        need(member.eof, "the file is cut, or too large", ValueError)
        rest = member.unused_data
    need(not rest.strip(b"\0"), "other bytes follow the gzip data", ValueError)
    return text
if __name__ == "__main__":
    try:
        paths = [word for word in sys.argv[1:] if word not in ("--labels", "--json")]
        paths += [paths[1][:-4] + ".labels.npy"] * (len(paths) == 2 and paths[1].endswith(".npy"))
        certificate, data, labels = [open(path, "rb").read() for path in paths] + [None] * (3 - len(paths))
        certificate = unpacked(certificate) if certificate[:2] == b"\x1f\x8b" else certificate
        claims = check(certificate, data, labels)
        last, weak = claims[-1], sum(bool(claim["weak"]) for claim in claims)
        if "--json" in sys.argv:
            print(json.dumps(dict(accepted=True, upper=last["upper"], lower=last["lower"], gap=last["gap"], claims=claims)))
        else:
            show = lambda key: f"{key}={math.inf if last[key] is None else last[key]:.17g}"
            print("accepted", *map(show, ("upper", "lower", "gap")), *[f"claims={len(claims)}"] * (len(claims) > 1), *[f"weak={weak}"] * (weak > 0))
            print(*("\n" + claim["statement"] for claim in claims), sep="\n")
    except (Rejected, *UNREADABLE) as why:
        print("rejected:" if isinstance(why, Rejected) else "not checked:", why)
        sys.exit(4 if isinstance(why, Rejected) else 6 if isinstance(why, TooLarge) else 5)
