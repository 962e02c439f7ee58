# SPDX-License-Identifier: Apache-2.0
"""The objective of a network in a model file, in rational arithmetic (decimals of 60 digits for logarithms). Standard library only.

objective(model, x, y, loss, beta, divisor) gives a number that the true value is not below: every square root is rounded down."""
import math
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60
STEPS = 10**60


def root(square):
    """sqrt, rounded down."""
    return Fraction(math.isqrt(square.numerator * STEPS * STEPS // square.denominator), STEPS)


def dot(a, b): return sum((Fraction(s) * Fraction(t) for s, t in zip(a, b)), Fraction(0))
def length(v): return abs(Fraction(v[0])) if len(v) == 1 else root(dot(v, v))
def decimal(q): return Decimal(q.numerator) / Decimal(q.denominator)


def outputs(model, row):
    """f(x) of one row, the preparation of the data apart."""
    f = [Fraction(c) for c in model["c"]]
    for j in range(model["m"]):
        if model["kind"] == "gated":
            if dot(model["V"][j], row) > 0:
                w = model["W"][j]
                blocks = w if isinstance(w[0], list) else [w]
                f = [a + dot(block, row) for a, block in zip(f, blocks)]
        else:
            h = max(Fraction(0), dot(model["U"][j], row) + Fraction((model.get("b") or [0] * model["m"])[j]))
            f = [a + Fraction(w) * h for a, w in zip(f, model["W"][j])]
    return f


def flat(w): return [e for part in w for e in (part if isinstance(part, list) else [part])]


def norm(model):
    if model["kind"] == "gated":
        return sum((length(flat(w)) for w in model["W"]), Fraction(0))
    return sum((length(u) * length(w) for u, w in zip(model["U"], model["W"])), Fraction(0))


def sizes(model): return sum((abs(Fraction(e)) for e in flat(model["U"])), Fraction(0))


def loss_of(loss, f, t):
    """One row; t is a number, or the index of a class for softmax."""
    if loss == "squared":
        return (f[0] - Fraction(t)) ** 2 / 2
    if loss.split(":")[0] in ("huber", "absolute", "quantile"):
        kind, end, r = loss.split(":")[0], Fraction(float((loss + ":1").split(":")[1])), Fraction(t) - f[0]
        v = min(max(r, -end), end) if kind == "huber" else Fraction(end if r > 0 else end - 1 if kind == "quantile" else -1)
        return v * (r - v / 2) if kind == "huber" else v * r
    if loss == "hinge":
        return max(Fraction(0), 1 - Fraction(t) * f[0])
    if loss == "softmax":
        rest = sum((decimal(g - f[int(t)]).exp() for g in f), Decimal(0))
    else:
        rest = 1 + decimal(-Fraction(t) * f[0]).exp()
    return Fraction(rest.ln()) * (1 - Fraction(1, 10**50))


def objective(model, x, y, loss, beta, divisor=1, weight=None, penalised=None):
    total = sum((Fraction(w) * loss_of(loss, outputs(model, row), t)
                 for row, t, w in zip(x, y, weight or [1] * len(y))), Fraction(0))
    return total / divisor + Fraction(beta) * (norm(model) if penalised is None else penalised)
