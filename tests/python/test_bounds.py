#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""test_bounds.py [COUNT [FIRST]]: no lower bound of training exceeds the objective of any network that a search finds.

Random problems FIRST .. FIRST + COUNT - 1 (each a function of its number): 3 to 24 rows (8 with more than two outputs) of 1 to 7 columns, 1 to 5 outputs or classes, every loss
that has a dual, no, free and augmented biases, penalties from 0.003 to 0.9 of beta_max, weights, equal rows. The bound is that of a run with
little effort. Objectives are evaluated here, from the weights: of that run's network, of one with another seed and more effort, and of descents (L-BFGS,
SciPy) from both with neurons added and from random starts. A bound above one of them by more than rounding is a fault; so is an objective that was
printed too low. The exit code counts.
"""
import os
import sys

import numpy as np

try:
    from scipy.optimize import minimize
except ImportError:
    print("SciPy is not installed: skipped")
    sys.exit(77)

import fathom

LOSSES = ["squared", "logistic", "hinge", "huber:0.7", "absolute", "quantile:0.8"]


def losses(kind, f, y):
    """sum over rows of the loss, and its derivative by f (a subgradient); y numbers, +-1, or one-hot."""
    if kind == "softmax":
        top = f.max(axis=1, keepdims=True)
        e = np.exp(f - top)
        p = e / e.sum(axis=1, keepdims=True)
        return (np.log(e.sum(axis=1)) + top[:, 0] - (y * f).sum(axis=1)), p - y
    if kind == "squared":
        return ((f - y) ** 2).sum(axis=1) / 2, f - y
    if kind == "logistic":
        return np.logaddexp(0, -y * f).sum(axis=1), -y * np.exp(-np.logaddexp(0, y * f))
    if kind == "hinge":
        return np.maximum(0, 1 - y * f).sum(axis=1), np.where(y * f < 1, -y, 0.0)
    r = y - f
    if kind.startswith("huber"):
        delta = float(kind[6:])
        small = np.abs(r) <= delta
        return np.where(small, r * r / 2, delta * (np.abs(r) - delta / 2)).sum(axis=1), -np.clip(r, -delta, delta)
    tau = float(kind[9:]) if kind.startswith("quantile") else 0.5
    scale = 1.0 if kind.startswith("quantile") else 2.0
    return scale * np.where(r > 0, tau * r, (tau - 1) * r).sum(axis=1), scale * np.where(r > 0, -tau, 1 - tau)


class Problem:
    def __init__(self, number):
        rng = np.random.default_rng(number)
        self.rng = rng
        n, d, outputs = int(rng.integers(3, 25)), int(rng.integers(1, 8)), int(rng.integers(1, 6))
        n = min(n, 8) if outputs > 2 else n  # several outputs take longest
        self.loss = LOSSES[int(rng.integers(len(LOSSES)))]
        self.bias = ["none", "free", "augment"][int(rng.integers(3))]
        self.x = rng.normal(size=(n, d)) * rng.choice([1.0, 0.1, 30.0]) + rng.choice([0.0, 1.0]) * rng.normal(size=d)
        if rng.random() < 0.2:
            self.x = np.round(self.x)
        if rng.random() < 0.2:
            self.x[n // 2] = self.x[0]
        self.weight = rng.uniform(0.2, 3, n) if rng.random() < 0.3 else None
        self.rel = float(np.exp(rng.uniform(np.log(0.003), np.log(0.9))))
        if self.loss == "logistic" and outputs > 1:
            label = np.concatenate([np.arange(outputs + 1) % n, rng.integers(0, outputs + 1, n)])[:n]
            self.kind, names = "softmax", np.unique(label)
            self.target = np.array([f"c{k}" for k in label])
            self.y = (label[:, None] == names[None, :]).astype(float)
            if len(names) == 2:
                self.kind, self.y = "logistic", np.where(label == names[1], 1.0, -1.0)[:, None]
        elif self.loss in ("logistic", "hinge"):
            label = np.where(rng.random(n) < 0.5, 1.0, -1.0)
            label[:2] = [1, -1]
            self.kind, self.y, self.target = self.loss, label[:, None], np.where(label > 0, "p", "m")
            if "m" < "p":  # classes in the order of the alphabet: the second is +1
                self.y = np.where(self.target == "p", 1.0, -1.0)[:, None]
        else:
            if self.loss != "squared":
                outputs = 1
            self.kind = self.loss
            self.y = rng.normal(size=(n, outputs))
            self.target = self.y if outputs > 1 else self.y[:, 0]

    def inputs(self):
        return np.hstack([self.x, np.ones((len(self.x), 1))]) if self.bias == "augment" else self.x

    def train(self, seed, effort):
        with np.errstate(all="ignore"):
            return fathom.train(self.x, self.target, self.weight, loss=self.loss, bias=self.bias, beta_rel=self.rel, effort=effort, seed=seed,
                                threads=1, gap=1e-6)

    def value(self, theta, m, beta):
        """Objective and slope at theta = (U, b, W, c), weight decay 1/2 (|w|^2 + |u|^2) for |w||u|: at most above it."""
        x, outputs = self.inputs(), self.y.shape[1]
        d = x.shape[1]
        u, b = theta[:m * d].reshape(m, d), theta[m * d:m * d + m]
        w = theta[m * d + m:m * d + m + m * outputs].reshape(m, outputs)
        c = theta[-outputs:]
        free = self.bias == "free"
        z = x @ u.T + (b if free else 0)
        h = np.maximum(z, 0)
        f = h @ w + (c if free else 0)
        each, slope = losses(self.kind, f, self.y)
        weight = np.ones(len(x)) if self.weight is None else self.weight
        slope = slope * weight[:, None]
        back = (slope @ w.T) * (z > 0)
        value = (each * weight).sum() + beta / 2 * ((u * u).sum() + (w * w).sum())
        gradient = np.concatenate([(back.T @ x + beta * u).ravel(), back.sum(axis=0) * free, (h.T @ slope + beta * w).ravel(),
                                   slope.sum(axis=0) * free])
        exact = (each * weight).sum() + beta * (np.linalg.norm(u, axis=1) * np.linalg.norm(w, axis=1)).sum()
        return value, gradient, exact

    def start(self, model):
        """theta of a model, its neurons balanced."""
        weights = model.weights
        outputs = self.y.shape[1]
        u, w = np.asarray(weights["U"], float), np.asarray(weights["W"], float) * np.asarray(weights["rho"], float)[:, None]
        if w.shape[1] != outputs:
            return None, 0
        m = len(u)
        b = np.asarray(weights["b"], float) if "b" in weights else np.zeros(m)
        su, sw = np.linalg.norm(u, axis=1), np.linalg.norm(w, axis=1)
        scale = np.where((su > 0) & (sw > 0), np.sqrt(sw / np.where(su > 0, su, 1)), 1.0)
        scale = np.where(scale > 0, scale, 1.0)
        c = np.asarray(weights["c"], float) if "c" in weights else np.zeros(outputs)
        return np.concatenate([(u * scale[:, None]).ravel(), b * scale, (w / scale[:, None]).ravel(), c]), m

    def grown(self, theta, m, more, size):
        d, outputs = self.inputs().shape[1], self.y.shape[1]
        parts = np.split(theta, [m * d, m * d + m, m * d + m + m * outputs]) if m else [np.zeros(0)] * 3 + [np.zeros(outputs)]
        new = [self.rng.normal(size=more * d), self.rng.normal(size=more), self.rng.normal(size=more * outputs)]
        return np.concatenate([*(np.concatenate([parts[k], size * new[k]]) for k in range(3)), parts[3]]), m + more


def least(problem, fits, beta):
    """The least objective that the searches find, and the objectives of the models as they are."""
    best, models = np.inf, []
    for fit in fits:
        theta, m = problem.start(fit.model)
        if theta is None:
            models.append(np.nan)
            continue
        exact = problem.value(theta, m, beta)[2]
        models.append(exact)
        best = min(best, exact)
        more, width = problem.grown(theta, m, 3, 0.1)
        found = minimize(lambda t: problem.value(t, width, beta)[:2], more, jac=True, method="L-BFGS-B", options={"maxiter": 60})
        best = min(best, problem.value(found.x, width, beta)[2])
    theta, m = problem.grown(np.zeros(0), 0, 12, 1.0)
    found = minimize(lambda t: problem.value(t, m, beta)[:2], theta, jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return min(best, problem.value(found.x, m, beta)[2]), models


def look(number):
    """'' or what is wrong with problem `number`."""
    problem = Problem(number)
    try:
        fits = [problem.train(1, 0.02), problem.train(2, 0.05)]
    except fathom.RunError as error:
        return f"no result: {error}"
    except (fathom.InputError, fathom.UsageError):
        return ""  # what cannot be asked: one class, targets of one value
    beta = fits[0].beta
    best, models = least(problem, fits, beta)
    room = 1e-9 * (abs(best) + 1e-3)
    for fit, exact in zip(fits, models):
        if np.isfinite(exact) and exact > fit.objective + 1e-7 * (abs(exact) + 1e-3):
            return f"objective {fit.objective} printed, {exact} evaluated"
        if fit.lower_bound > best + room and fits[0].beta == fits[1].beta:
            return f"bound {fit.lower_bound} ({fit.bound_method}), but a network has {best}"
    return ""


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4 * max(1, int(float(os.environ.get("FATHOM_TEST_EFFORT", "1"))))
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    wrong = 0
    for number in range(first, first + count):
        what = look(number)
        if what:
            wrong += 1
            problem = Problem(number)
            print(f"problem {number}: {problem.kind}, bias {problem.bias}, x {problem.x.shape}, outputs {problem.y.shape[1]}, "
                  f"beta_rel {problem.rel:.3g}: {what}", flush=True)
        if count >= 100 and (number + 1 - first) % 100 == 0:
            print(f"{number + 1 - first} problems, {wrong} wrong", flush=True)
    print(f"{count} problems, {wrong} wrong")
    return min(wrong, 100)


if __name__ == "__main__":
    sys.exit(main())
