#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Huber, absolute and quantile losses against programs that others solve: linear ones by SciPy's HiGHS, Huber's by L-BFGS-B.

With one column and given gates the penalty is a sum of absolute values, and training is a linear program (Huber: a quadratic one). Over all
ReLU networks of the plane a fine list of directions is a linear program too, whose value is an upper bound that the network must reach
and the lower bound must not pass. Skipped where SciPy is not installed.
"""
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    from scipy.optimize import linprog, minimize
except ImportError:
    print("SciPy is not installed: skipped")
    sys.exit(77)

import fathom

EFFORT = max(1, int(float(os.environ.get("FATHOM_TEST_EFFORT", "1"))))
LOSSES = {"absolute": (1.0, 1.0), "quantile:0.8": (0.2, 0.8), "quantile:0.1": (0.9, 0.1)}


def linear_optimum(features, y, weight, beta, below, above, constant):
    """min sum_i c_i (above r_+ + below r_-) + beta |a|_1 over a and, where it is free, a constant."""
    n, m = features.shape
    ones = np.ones((n, 2)) * [1, -1] * constant
    matrix = np.hstack([features, -features, ones, np.eye(n), -np.eye(n)])
    cost = np.concatenate([np.full(2 * m, beta), [0, 0], above * weight, below * weight])
    return linprog(cost, A_eq=matrix, b_eq=y, method="highs").fun


def huber_optimum(features, y, weight, beta, delta, constant):
    """The same for Huber's loss, over the positive and the negative parts of a."""
    m = features.shape[1]

    def value(z):
        r = y - features @ (z[:m] - z[m:2 * m]) - constant * z[-1]
        v = np.clip(r, -delta, delta)
        slope = features.T @ (weight * v)
        return weight @ (v * (r - v / 2)) + beta * z[:-1].sum(), np.concatenate([beta - slope, beta + slope, [-constant * (weight @ v)]])
    found = minimize(value, np.zeros(2 * m + 1), jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * m) + [(None, None)],
                     options={"ftol": 1e-15, "gtol": 1e-12, "maxiter": 5000, "maxfun": 10000})
    return found.fun


def data(seed, n, d, outliers=True):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    y = np.abs(X).sum(1) + 0.3 * random.normal(size=n)
    y[::5] += 6 * outliers * random.normal(size=y[::5].shape)
    return X, y, random.uniform(0.5, 2, n), (random.random((n, 12)) < 0.5).astype(float)


class Gated(unittest.TestCase):
    def solve(self, seed, loss, bias):
        X, y, weight, gates = data(seed, 25, 1)
        beta = 0.05 * np.abs((gates * X).T @ y).max()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gates.npy")
            np.save(path, gates)
            fit = fathom.train(X, y, weight, loss=loss, bias=bias, model="gated", gates=path, gates_as="patterns", beta=beta, gap=1e-6)
        return fit, np.unique(gates * X, axis=1), y, weight, beta, bias == "free"

    def test_linear_programs(self):
        for seed in range(EFFORT):
            for loss, (below, above) in LOSSES.items():
                for bias in ("none", "free"):
                    fit, features, y, weight, beta, free = self.solve(seed, loss, bias)
                    best = linear_optimum(features, y, weight, beta, below, above, free)
                    with self.subTest(seed=seed, loss=loss, bias=bias):
                        self.assertLessEqual(fit.lower_bound, best * (1 + 1e-7))
                        self.assertGreaterEqual(fit.objective, best * (1 - 1e-7))
                        self.assertLessEqual(fit.objective, best * (1 + 1e-5))

    def test_huber(self):
        for seed in range(EFFORT):
            for delta in (0.1, 1.0, 50.0):
                for bias in ("none", "free"):
                    fit, features, y, weight, beta, free = self.solve(seed, f"huber:{delta}", bias)
                    best = huber_optimum(features, y, weight, beta, delta, free)
                    with self.subTest(seed=seed, delta=delta, bias=bias):
                        self.assertLessEqual(fit.lower_bound, best * (1 + 1e-5))
                        self.assertGreaterEqual(fit.objective, best * (1 - 1e-5))
                        self.assertLessEqual(fit.objective, best * (1 + 1e-5))

    def test_a_large_delta_is_the_squared_loss(self):
        for bias in ("none", "free", "augment"):
            X, y, weight, _ = data(5, 30, 3)
            fits = [fathom.train(X, y, weight, loss=loss, bias=bias, model="gated", gates=20, beta=0.5) for loss in ("squared", "huber:1e4")]
            self.assertLess(abs(fits[0].objective - fits[1].objective), 3e-6 * fits[0].objective)
        again = fathom.train(X, y, weight, loss="huber", delta=1e4, bias=bias, model="gated", gates=20, beta=0.5)
        self.assertEqual(again.objective, fits[1].objective)


class ReLU(unittest.TestCase):
    def test_directions_of_the_plane(self):
        angles = np.linspace(0, 2 * np.pi, 1000, endpoint=False)
        directions = np.stack([np.cos(angles), np.sin(angles)])
        for seed in range(EFFORT):
            X, y, weight, _ = data(seed, 9, 2)
            features = np.maximum(X @ directions, 0)
            for loss, (below, above) in LOSSES.items():
                beta = 0.1 * np.abs(features.T @ (weight * np.sign(y))).max() * min(below, above)
                best = linear_optimum(features, y, weight, beta, below, above, False)
                for method in ("columns", "cells"):
                    fit = fathom.train(X, y, weight, loss=loss, method=method, beta=beta, gap=1e-4)
                    with self.subTest(seed=seed, loss=loss, method=method):
                        self.assertLessEqual(fit.lower_bound, best)
                        self.assertLessEqual(fit.objective, best * (1 + 1e-4))
                        f = fit.model.outputs(X)[:, 0]
                        value = weight @ np.maximum(above * (y - f), below * (f - y))
                        self.assertLess(abs(value - fit.loss), 1e-9 * max(1, value))

    def test_huber_directions(self):
        angles = np.linspace(0, 2 * np.pi, 100, endpoint=False)
        X, y, weight, _ = data(3, 9, 2)
        features = np.maximum(X @ np.stack([np.cos(angles), np.sin(angles)]), 0)
        best = huber_optimum(features, y, weight, 0.4, 0.5, False)
        for method in ("columns", "cells"):
            fit = fathom.train(X, y, weight, loss="huber:0.5", method=method, beta=0.4, gap=1e-4)
            self.assertLessEqual(fit.lower_bound, best * (1 + 1e-6))
            self.assertLessEqual(fit.objective, best * (1 + 1e-4))

    def test_one_dimension_biases_and_paths(self):
        X, y, weight, _ = data(1, 12, 1)
        for loss in ("quantile:0.8", "huber:0.5"):
            fit = fathom.train(X, y, weight, loss=loss, bias="free", beta_rel=0.1, gap=1e-3)
            self.assertEqual(fit.status, "certified")
            path = fathom.path(X, y, weight, loss=loss, bias="free", points=3, cv=3, gap=1e-2)
            self.assertTrue(all(point.lower_bound <= point.objective * (1 + 1e-12) for point in path.path))
            self.assertTrue(np.all(np.isfinite(path.cv_loss)))


class Fronts(unittest.TestCase):
    def test_refusals(self):
        X, y, weight, _ = data(2, 10, 2)
        for options, words in (({"loss": "huber", "method": "closed"}, "closed forms"), ({"loss": "absolute", "method": "cutting"}, "cutting planes"),
                               ({"loss": "absolute", "tau": 0.2}, "tau is for loss quantile"), ({"loss": "quantile:1.5"}, "tau takes"),
                               ({"loss": "squared", "delta": 2.0}, "delta is for loss huber"), ({"loss": "absolute:2"}, "loss takes one of"),
                               ({"loss": "absolute", "targets": "classes"}, "targets classes is not for"),
                               ({"loss": "huber:0"}, "delta takes"), ({"loss": "huber", "model": "linear"}, "squared")):
            with self.subTest(**options), self.assertRaisesRegex(fathom.FathomError, words):
                fathom.train(X, y, weight, **options)
        with self.assertRaisesRegex(fathom.FathomError, "takes one target"):
            fathom.train(X, np.stack([y, y], 1), loss="absolute")

    def test_resume_knows_the_parameter(self):
        X, y, weight, _ = data(2, 20, 3)
        with tempfile.TemporaryDirectory() as folder:
            for model in ({"model": "gated", "gates": 20}, {"method": "columns"}, {"method": "cells"}):
                state = os.path.join(folder, "state")
                options = dict(beta=0.3, gap=1e-3, **model)
                fit = fathom.train(X, y, weight, loss="huber:0.5", checkpoint=state, **options)
                again = fathom.train(X, y, weight, loss="huber:0.5", resume=state, **options)
                self.assertLessEqual(again.objective, fit.objective * (1 + 1e-9))
                with self.assertRaises(fathom.FathomError):
                    fathom.train(X, y, weight, loss="huber:0.6", resume=state, **options)

    def test_certificates(self):
        X, y, weight, _ = data(4, 9, 2)
        checker = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools", "check_certificate.py")
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "data.csv")
            np.savetxt(table, np.column_stack([X, y]), delimiter=",")
            for loss in (*LOSSES, "huber:0.3"):
                for bias in ("none", "free"):
                    for more in ({}, {"model": "gated", "gates": 5}):
                        proof = os.path.join(folder, "proof")
                        fit = fathom.train(table, loss=loss, bias=bias, gap=1e-3, certificate=proof, verify=True, **more)
                        run = subprocess.run([sys.executable, checker, proof, table, "--json"], capture_output=True, text=True)
                        self.assertEqual(run.returncode, 0, run.stdout)
                        self.assertIn(f'"loss": "{loss}"', run.stdout)
                        self.assertGreater(fit.lower_bound, 0)

    def test_estimators(self):
        try:
            import sklearn  # noqa: F401
        except ImportError:
            self.skipTest("scikit-learn is not installed")
        X, y, _, _ = data(6, 60, 2)
        clean = np.abs(X).sum(1)
        for estimator in (fathom.ReLURegressor, fathom.GatedReLURegressor):
            errors = [np.abs(estimator(loss=loss, beta_rel=0.02).fit(X, y).predict(X) - clean).mean() for loss in ("squared", "huber:0.3", "absolute")]
            self.assertLess(max(errors[1:]), errors[0])  # outliers pull less
            self.assertEqual(estimator(loss="absolute").get_params()["loss"], "absolute")
        fit = fathom.GatedReLURegressor(loss="quantile:0.9", beta_rel=0.05, bias="free").fit(X, y)
        self.assertLess(abs((y <= fit.predict(X)).mean() - 0.9), 0.15)


if __name__ == "__main__":
    unittest.main()
