#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`flow --method gd` and `sgd` against the definition: every kind of network, both samplings, all losses, weights, decay, biases, every rule of steps; --precision single.

The twin works in long double. Weights may differ by the rounding of a run in double: at most 8 units a step of the largest weight, and of a run in single precision as many units of 2^-24. The
order of examples comes from a generator of its own."""
import json
import os
import tempfile
import unittest

import numpy as np

import fathom

LONG = np.longdouble
EFFORT = float(os.environ.get("FATHOM_TEST_EFFORT", "1"))


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(second >> 32) ^ c[1] ^ k[0], second & 0xFFFFFFFF, (first >> 32) ^ c[3] ^ k[1], first & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c


def uniform(seed, stream, sub, index):
    w, k = philox([index // 2 & 0xFFFFFFFF, index // 2 >> 32, stream, sub], [seed & 0xFFFFFFFF, seed >> 32]), index % 2
    return (((w[2 * k + 1] << 32 | w[2 * k]) >> 11) + 0.5) * 2.0**-53


def permutation(n, seed, epoch):
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(uniform(seed, 4, epoch, n - 1 - i) * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


class Twin:
    """u (m x d; scalar: m x 1), b (m, or zeros that stay), a (m x o); gated: fixed gates and u alone. `rows` is what the first layer sees of example i."""

    def __init__(self, net, x, y, weight, loss, train):
        self.kind, _, parameter = net["activation"].partition(":")
        self.parameter = LONG(float(parameter)) if parameter else LONG(0)
        self.x, self.y, self.weight, self.loss, self.train, self.kind = x.astype(LONG), y, weight, loss, train, net["kind"]
        self.bias = "b" in net and self.kind != "scalar"
        self.b = np.array(net.get("b", np.zeros(net["m"])), LONG) if self.kind != "scalar" else np.zeros(net["m"], LONG)
        if self.kind == "gated":
            self.gate = (x @ np.array(net["V"]).T > 0).astype(LONG)
            self.u, self.a = np.array(net["W"], LONG), np.ones((net["m"], 1), LONG)
        elif self.kind == "scalar":
            self.gate = self.x @ np.array(net["U"], LONG).T
            self.u, self.a = np.array(net["b"], LONG)[:, None], np.array(net["W"], LONG)
        else:
            self.u, self.a = np.array(net["U"], LONG), np.array(net["W"], LONG)

    def unit(self, i):
        """sigma and its slope before each neuron, and what the slope of its weights is multiplied with: a row, or one number a neuron."""
        if self.kind == "scalar":
            z = self.u[:, 0] * self.gate[i]
            return np.maximum(z, 0), (z > 0).astype(LONG), self.gate[i][:, None]
        z = self.u @ self.x[i] + self.b
        if self.kind == "gated":
            return self.gate[i] * z, self.gate[i], self.x[i]
        if self.kind == "huber":
            h = self.parameter
            return np.where(z < 0, 0, np.where(z <= h, z * z / (2 * h), z - h / 2)), np.clip(z / h, 0, 1), self.x[i]
        return np.where(z > 0, z, self.parameter * z), np.where(z > 0, 1, self.parameter), self.x[i]

    def slope(self, i, f):
        if len(f) > 1:
            e = np.exp(f - f.max())
            return e / e.sum() - (np.arange(len(f)) == self.y[i])
        y, f = LONG(self.y[i]), f[0]
        return np.array([{"logistic": lambda: -y / (1 + np.exp(y * f)), "exponential": lambda: -y * np.exp(-y * f), "squared": lambda: f - y, "hinge": lambda: -y if y * f < 1 else LONG(0)}[self.loss]()])

    def gradient(self, i):
        s, t, row = self.unit(i)
        q = self.slope(i, s @ self.a) * self.weight[i]
        pull = (self.a @ q) * t
        return pull[:, None] * row, pull, np.outer(s, q)

    def mean_loss(self):
        return np.mean([np.log1p(np.exp(-self.y[i] * (self.unit(i)[0] @ self.a)[0])) for i in range(len(self.x))])

    def step(self, i, eta, decay):
        """On example i, or on all of them (None)."""
        n, first, output = len(self.x), self.train != "output", self.train != "first" and self.kind != "gated"
        keep = 1 - eta * LONG(decay)
        if i is not None:
            self.u, self.a = self.u * keep if first else self.u, self.a * keep if output else self.a
            g = self.gradient(i)
        else:
            parts = [self.gradient(k) for k in range(n)]
            g = [sum(p[k] for p in parts) / n for k in range(3)]
            self.u, self.a = self.u * keep if first else self.u, self.a * keep if output else self.a
        if first:
            self.u = self.u - eta * g[0]
            self.b = self.b - eta * g[1] if self.bias else self.b
        if output:
            self.a = self.a - eta * g[2]

    def off(self, weights, unit):
        rho = np.array(weights["rho"])[:, None]
        if self.kind == "gated":
            pairs = [(self.u, np.reshape(weights["W"], self.u.shape) * rho)]
        elif self.kind == "scalar":
            pairs = [(self.u[:, 0], weights["b"]), (self.a, weights["W"] * rho)]
        else:
            pairs = [(self.u, weights["U"]), (self.a, weights["W"] * rho)] + ([(self.b, weights["b"])] if self.bias else [])
        largest = max(np.abs(own).max() for own, _ in pairs)
        return float(max(np.abs(own - np.reshape(theirs, own.shape)).max() for own, theirs in pairs) / largest / unit)


def network(kind, m, d, outputs, bias, rng):
    net = {"format": "fathom-model-1", "kind": kind, "d": d, "m": m, "outputs": outputs, "scale": 1.0, "c": [0.0] * outputs, "rho": [1.0] * m,
           "activation": {"leaky": "leaky:0.3", "huber": "huber:0.4", "gated": "gate"}.get(kind, "relu")}
    direction = rng.normal(size=(m, d))
    if kind == "gated":
        return net | {"V": direction.tolist(), "W": rng.normal(size=(m, d)).tolist()}
    if kind == "scalar":
        return net | {"U": (direction / np.linalg.norm(direction, axis=1)[:, None]).tolist(), "b": rng.normal(size=m).tolist(), "W": rng.normal(size=(m, 1)).tolist()}
    net |= {"U": (direction / np.sqrt(d)).tolist(), "W": (rng.normal(size=(m, outputs)) / np.sqrt(m)).tolist()}
    return net | {"b": (0.3 * rng.normal(size=m)).tolist()} if bias or kind == "huber" else net


def single(net):
    round_ = lambda v: np.asarray(v, np.float32).astype(float).tolist()
    return net | {key: round_(net[key]) for key in ("U", "W", "b") if key in net}


class Descent(unittest.TestCase):
    def run_one(self, seed, kind, method, precision="double", rule=None):
        rng = np.random.default_rng(seed)
        n, d, m, steps = int(rng.integers(3, 14)), int(rng.integers(1, 12)), 2 * int(rng.integers(1, 20)), int(rng.integers(1, 30))
        outputs = 3 if kind in ("relu", "leaky", "huber") and not rule and rng.random() < 0.25 else 1
        loss = str(rng.choice(["logistic", "squared", "hinge", "exponential"])) if outputs == 1 and not rule else "logistic"
        train = "first" if kind == "gated" else str(rng.choice(["first", "both", "output"]))
        bias = kind in ("relu", "leaky") and rng.random() < 0.4
        x, y = rng.normal(size=(n, d)) / np.sqrt(d), rng.choice([-1.0, 1], size=n)
        y[:2] = 1, -1
        if outputs == 3:
            y = np.concatenate([[0, 1, 2], rng.integers(0, 3, n - 3)])
        elif loss == "squared":
            y = rng.normal(size=n)
        weight = rng.uniform(0.3, 2, n) if rng.random() < 0.3 and not rule else np.ones(n)
        fresh, decay, draw = method == "sgd" and rng.random() < 0.4, float(rng.choice([0, 0, 0.2])) if not rule else 0.0, int(rng.integers(1, 2**40))
        steps = min(steps, n) if fresh else steps
        net = network(kind, m, d, outputs, bias, rng)
        options = {"sample": "fresh" if fresh else "epochs"} if method == "sgd" else {}
        with tempfile.TemporaryDirectory() as folder:
            start = os.path.join(folder, "start.json")
            with open(start, "w") as file:
                json.dump(net, file)
            data = fathom.Data(x, y, None if (weight == 1).all() else weight, bias="free" if bias else "none")
            run = fathom.flow(data, net=net["activation"] if kind in ("leaky", "huber") else kind, width=m, init=start, method=method,
                              train="default" if kind == "gated" else train, loss=loss, step=rule or "const:0.01", until=f"steps={steps}", decay=decay, precision=precision,
                              seed=draw, threads=1, **options)
        if run.status == "diverged":  # and says so
            return 0
        self.assertEqual((run.status, run.steps), ("reached", steps))
        self.compared += 1
        rounded = precision == "single"
        twin = Twin(single(net) if rounded else net, x.astype(np.float32) if rounded else x, y, weight / weight.mean(), loss, train)
        reach = float(np.sqrt((x**2).sum(1).max() + (1 if kind == "huber" or bias else 0)))
        p, first, size = float((twin.a**2).sum() / 2), twin.mean_loss() if rule else None, float((twin.u**2).sum() + (twin.b**2).sum())
        for t in range(steps):
            i = None if method == "gd" else t if fresh else permutation(n, draw, t // n)[t % n]
            twin.step(i, LONG(0.01) if not rule else self.length(rule, t, twin.mean_loss(), first, p, reach, size, m), decay)
        return twin.off(run.model.weights, 2.0**-24 if rounded else 2.0**-53) / steps

    @staticmethod
    def length(rule, t, now, first, p, reach, size, m):
        """Steps of docs/explanation/dynamics.md."""
        name, _, q = rule.partition(":")
        if name == "log2":
            return LONG(2 * m)**LONG(-0.75) if t == 0 else LONG(float(q)) * np.log(now)**2
        if name == "lemma8":
            return 1 / (30 * p * reach**2 * now)
        most = np.log(1 / first)
        return LONG(float(q)) * np.log(now)**2 if q else np.log(now)**2 * min(1 / (30 * p * reach**2 * first * most**2), 108 * size / (125 * first * most**4), np.exp(LONG(2)) / (120 * p * reach**2))

    def judge(self, *arguments):
        self.assertLess(self.run_one(*arguments), 8, arguments)

    def setUp(self):
        self.compared = 0

    def tearDown(self):
        self.assertGreater(self.compared, 30 * EFFORT)

    def test_kinds(self):
        for seed in range(int(8 * EFFORT)):
            for kind in ("relu", "leaky", "huber", "scalar", "gated"):
                for method in ("gd", "sgd"):
                    self.judge(1000 + seed, kind, method)

    def test_single(self):
        for seed in range(int(10 * EFFORT)):
            for kind in ("relu", "leaky"):
                for method in ("gd", "sgd"):
                    self.judge(2000 + seed, kind, method, "single")

    def test_rules(self):
        for seed in range(int(3 * EFFORT)):
            for kind in ("relu", "leaky", "huber"):
                for rule in ("log2:0.05", "theory", "theory:0.03", "lemma8"):
                    self.judge(3000 + seed, kind, "gd", "double", rule)


class Starts(unittest.TestCase):
    """--init FILE: what a run cannot take from a file it refuses, instead of leaving it out."""
    X, Y = np.random.default_rng(3).normal(size=(8, 3)), np.array([1.0, -1] * 4)

    def begin(self, change, **options):
        net = network("relu", 4, 3, 1, True, np.random.default_rng(4)) | change
        with tempfile.TemporaryDirectory() as folder:
            start = os.path.join(folder, "start.json")
            with open(start, "w") as file:
                json.dump(net, file)
            return fathom.flow(self.X, self.Y, width=4, init=start, bias="free", until="steps=1", threads=1, **options)

    def test_constant(self):
        self.assertEqual(self.begin({}).steps, 1)
        with self.assertRaisesRegex(fathom.InputError, "output constant 0.5"):
            self.begin({"c": [0.5]})

    def test_rows(self):
        unit = {"preprocess": {"normalize": "unit", "bias": "free"}}
        self.assertEqual(self.begin(unit, normalize="unit").steps, 1)
        self.assertEqual(self.begin({}, normalize="unit").steps, 1)
        with self.assertRaisesRegex(fathom.InputError, "normalize unit leaves them"):
            self.begin(unit)

    def test_range_of_single(self):
        for factor, word in ((1e30, "longest example"), (1e-30, "longest example")):
            with self.assertRaisesRegex(fathom.UsageError, word):
                fathom.flow(self.X * factor, self.Y, width=4, precision="single", until="steps=1")
        for size in ("1e-30", "1e30"):
            with self.assertRaisesRegex(fathom.UsageError, "hidden weight"):
                fathom.flow(self.X, self.Y, width=4, precision="single", init="normal:" + size, until="steps=1")
        self.assertEqual(fathom.flow(self.X, self.Y, width=4, precision="single", init="normal:1e-12", until="steps=1").steps, 1)


if __name__ == "__main__":
    unittest.main()
