#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`flow --accuracy reference` against an integrator of its own, on data with parallel examples: repeated, opposite, parity.

dW/dt = -grad R, R = (1/n) sum_i ln(1 + e^(-y_i f(x_i))), f(x) = sum_j a_j relu(<v_j, x>). Every pair of a neuron and a hyperplane has a mode, +1 or -1 (its side) or
0 (held on the kink); on fixed modes the field is smooth and is integrated by the pair of Dormand and Prince; after an event all modes of the neuron's kinks are tried,
and exactly one has to be consistent with the velocity that it gives."""
import itertools
import json
import os
import tempfile
import unittest

import numpy as np

import fathom

NODES = [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9], [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
         [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656]]
FIFTH = [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0]
FOURTH = [5179 / 57600, 0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40]
NEAR = -1e-14


class Twin:
    def __init__(self, x, y, v, a):
        self.y, (self.n, self.d), self.m = y, x.shape, len(a)
        length = np.linalg.norm(x, axis=1)
        cosine = (x / length[:, None]) @ (x / length[:, None]).T
        first = [int(np.flatnonzero(np.abs(np.abs(row) - 1) < 1e-12)[0]) for row in cosine]  # the example that stands for its plane
        planes = sorted(set(first))
        self.u = x[planes] / length[planes, None]
        self.of = np.array([planes.index(k) for k in first])
        self.c = length * np.sign(cosine[np.arange(self.n), first])
        self.sides = [np.where(np.arange(len(planes))[:, None] == self.of, np.maximum(s * self.c, 0) * s, 0) for s in (1, -1)]
        self.state = np.concatenate([v.ravel(), a])
        self.sign = np.sign(a)
        self.mode = np.sign(v @ self.u.T).astype(int)

    def split(self, state):
        return state[:self.m * self.d].reshape(self.m, self.d), state[self.m * self.d:]

    def forces(self, state):
        """Sums of f_i c_i over the examples on either side of each plane, f_i = y_i |l'(p_i)|/n, and sum_i f_i relu(z_ij)."""
        v, a = self.split(state)
        z = np.where(self.mode == 0, 0, v @ self.u.T)[:, self.of] * self.c
        act = np.where(self.mode[:, self.of] * self.c > 0, z, 0)
        f = self.y / (1 + np.exp(self.y * (a @ act))) / self.n
        return self.sides[0] @ f, self.sides[1] @ f, act @ f

    def slopes(self, mode, above, below):
        """s_k: examples on the positive side of plane k have slope s_k, the others 1 - s_k; where it is held <g, u_k> = 0 gives s_k."""
        s, held = np.where(mode > 0, 1.0, 0.0), np.flatnonzero(mode == 0)
        if len(held):
            t = np.linalg.solve(self.u[held] @ self.u[held].T, -self.u[held] @ ((s * above + (1 - s) * below) @ self.u))
            s[held] = t / (above - below)[held]
        return s

    def field(self, state):
        above, below, rise = self.forces(state)
        self.s = np.array([self.slopes(mode, above, below) for mode in self.mode])
        g = (self.s * above + (1 - self.s) * below) @ self.u
        return np.concatenate([(self.split(state)[1][:, None] * g).ravel(), rise])

    def decide(self, j, planes):
        above, below, _ = self.forces(self.state)
        a, good = self.split(self.state)[1][j], []
        for trial in itertools.product((1, -1, 0), repeat=len(planes)):
            mode = self.mode[j].copy()
            mode[planes] = trial
            s = self.slopes(mode, above, below)
            speed = a * self.u[planes] @ ((s * above + (1 - s) * below) @ self.u)
            if all(0 <= s[k] <= 1 if t == 0 else t * r > 0 for t, r, k in zip(trial, speed, planes)):
                good.append(mode)
        assert len(good) == 1, f"{len(good)} consistent modes: the flow is not unique"
        self.mode[j] = good[0]

    def events(self, state):
        v, a = self.split(state)
        self.field(state)
        kinks = np.where(self.mode == 0, np.minimum(self.s, 1 - self.s), (v @ self.u.T) * self.mode)
        return np.column_stack([kinks, a * self.sign]) < NEAR

    def step(self, h):
        k = []
        for row in NODES:
            k.append(self.field(self.state + h * sum((c * q for c, q in zip(row, k)), np.zeros_like(self.state))))
        new = self.state + h * sum(b * q for b, q in zip(FIFTH, k))
        k.append(self.field(new))
        return new, h * np.linalg.norm(sum((b - c) * q for b, c, q in zip(FIFTH, FOURTH, k)))

    def settle(self):
        v, _ = self.split(self.state)
        for j, k in zip(*np.nonzero(self.mode == 0)):
            v[j] -= (v[j] @ self.u[k]) * self.u[k]

    def meet(self, h):
        """To the first event of a step of length h, and the modes after it."""
        low, high = 0.0, h
        for _ in range(55):
            middle = (low + high) / 2
            low, high = (low, middle) if self.events(self.step(middle)[0]).any() else (middle, high)
        new = self.step(high)[0]
        hit = self.events(new)
        self.state = new
        for j in np.flatnonzero(hit.any(axis=1)):
            self.sign[j] *= -1 if hit[j, -1] else 1
            planes = np.flatnonzero((self.mode[j] == 0) | hit[j, :-1])
            self.mode[j, planes] = 0
            self.settle()
            if len(planes):
                self.decide(j, planes)
        return high

    def run(self, time):
        t, h = 0.0, 1e-3
        for _ in range(2000):
            if t >= time:
                return np.column_stack([*self.split(self.state)])
            h = min(h, time - t)
            new, error = self.step(h)
            allowed = 1e-12 * (1 + np.linalg.norm(new))
            if error > allowed:
                h *= max(0.2, 0.9 * (allowed / error) ** 0.2)
            elif self.events(new).any():
                h = self.meet(h)
                t, h = t + h, max(h, 1e-8)
            else:
                self.state, t = new, t + h
                self.settle()
                h *= min(4, 0.9 * (allowed / max(error, 1e-300)) ** 0.2)
        raise AssertionError("too many steps")


def draw(kind, n, d, rng):
    if kind == "parity":
        x = rng.choice([-1.0, 1], size=(n, d)) / np.sqrt(d)
        return x, np.sign(x[:, 0] * x[:, 1])
    base = rng.normal(size=(n // 3, d))
    factor = {"repeated": [1.0], "opposite": [1.0, -1], "both": [1, -1, 2, -0.5]}[kind]
    return base[np.arange(n) % len(base)] * rng.choice(factor, size=(n, 1)), rng.choice([-1.0, 1], size=n)


def along_margin(n, d, m, rng):
    """Data of largest margin along the first axis, some of it opposite; balanced neurons along that axis."""
    x = rng.normal(size=(n, d))
    y = np.sign(x[:, 0])
    x[:, 0] = y * (1 + np.abs(x[:, 0]) * rng.integers(0, 2, size=n))
    x[1], y[1], x[2], y[2] = [1, *-x[0, 1:]], 1, [-1, *x[0, 1:]], -1
    x[0], y[0] = [1, *x[0, 1:]], 1
    sign, size = np.where(np.arange(m) % 2, -1.0, 1), 0.3 + rng.random(m)
    return x, y, (sign * size)[:, None] * np.eye(1, d), sign * size


class Reference(unittest.TestCase):
    def compare(self, x, y, v, a, time):
        m, d = v.shape
        model = {"format": "fathom-model-1", "kind": "relu", "activation": "relu", "d": d, "m": m, "outputs": 1, "scale": 1.0, "U": v.tolist(), "W": a[:, None].tolist(), "c": [0.0],
                 "rho": [1.0] * m, "loss": "logistic", "preprocess": {"normalize": "none", "bias": "none"}, "classes": ["-1", "1"], "class_values": [-1.0, 1.0]}
        with tempfile.TemporaryDirectory() as folder:
            start = os.path.join(folder, "start.json")
            with open(start, "w") as file:
                json.dump(model, file)
            run = fathom.flow(x, y, width=m, method="flow", accuracy="reference", init=start, until=f"time={time}", threads=1)
        self.assertEqual((run.status, run.nonunique), ("reached", 0))
        end = Twin(x, y, v, a).run(time)
        found = run.model.weights
        off = np.linalg.norm(np.column_stack([found["U"], np.ravel(found["W"])]) - end) / np.linalg.norm(end)
        self.assertLess(off, 1e-10)  # what docs/explanation/dynamics.md claims
        return run.events

    def test_parallel(self):
        events = 0
        for seed in range(int(8 * float(os.environ.get("FATHOM_TEST_EFFORT", "1")))):
            rng = np.random.default_rng(100 + seed)
            n, d, m = ((12, 3, 4), (18, 4, 6), (15, 5, 5), (9, 2, 5))[seed % 4]
            x, y = draw(("parity", "repeated", "opposite", "both")[(seed + seed // 4) % 4], n, d, rng)
            v, a = rng.normal(size=(m, d)) / np.sqrt(d), rng.normal(size=m) / np.sqrt(m)
            with self.subTest(seed=seed):
                events += self.compare(x, y, v, np.sign(a) * np.linalg.norm(v, axis=1) if seed % 3 == 0 else a, 6.0)
        self.assertGreater(events, 0)

    def test_along_margin(self):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            with self.subTest(seed=seed):
                self.compare(*along_margin(12 + seed, 2 + seed, 4 + seed, rng), 8.0)


if __name__ == "__main__":
    unittest.main()
