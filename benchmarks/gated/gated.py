#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gated.py FATHOM [--families a,a2,c1,c2] [--limit 120] [--threads 1]: gated training against other solvers.

The same data, gates and penalty for everybody, one machine, one run. For each family and solver: seconds until the
objective is within 1e-2, 1e-4 and 1e-6 of the optimum (relative), and the final certified gap where the solver has
one. The optimum is the best lower bound found, so that nobody is judged by an optimum of their own. fathom's seconds
count from the start of the process, reading of the data included. A line that starts with "!" says where fathom is
not the fastest to 1e-6.

Families (objective: mean of losses + beta sum |w_j|, columns of unit norm):
  a   n=1000  d=50  500 gates  teacher of 10 neurons, noise 0.1, beta 1e-3     a2  the same, beta 1e-5
  b   n=5000  d=100 1000 gates, beta 1e-3                                      b2  the same, beta 1e-4
  c1  breast cancer 569 x 30, 500 gates, beta 1e-3                             c2  digits 1797 x 64, +1 where >= 5
  e   n=20000 d=200 2000 gates, beta 1e-3                                      s   n=200 d=10 40 gates, beta 1e-3
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

LEVELS = (1e-2, 1e-4, 1e-6)
SHAPES = {"a": (1000, 50, 500, 1e-3), "a2": (1000, 50, 500, 1e-5), "b": (5000, 100, 1000, 1e-3),
          "b2": (5000, 100, 1000, 1e-4), "e": (20000, 200, 2000, 1e-3), "s": (200, 10, 40, 1e-3)}


def teacher(n, d, random):
    x = random.standard_normal((n, d))
    u = random.standard_normal((10, d)) / np.sqrt(d)
    y = np.maximum(x @ u.T, 0) @ random.standard_normal(10)
    return x, (y - y.mean()) / y.std() + 0.1 * random.standard_normal(n)


def family(name):
    """x, y, orientations (gates x d), beta."""
    random = np.random.default_rng(17)
    if name in SHAPES:
        n, d, m, beta = SHAPES[name]
        x, y = teacher(n, d, random)
    else:
        from sklearn import datasets
        m, beta = 500, 1e-3
        if name == "c1":
            x, label = datasets.load_breast_cancer(return_X_y=True)
            x, y = (x - x.mean(0)) / x.std(0), 2.0 * label - 1
        else:
            x, label = datasets.load_digits(return_X_y=True)
            x, y = x / 16, np.where(label >= 5, 1.0, -1.0)
    norm = np.linalg.norm(x, axis=0)
    x = np.ascontiguousarray(x / np.where(norm > 0, norm, 1))
    return x, y, random.standard_normal((m, x.shape[1])), beta


class Trace:
    """(seconds, objective) as a solver improves, its lower bound, and how it ended."""

    def __init__(self):
        self.points, self.bound, self.note = [], -np.inf, ""

    def add(self, seconds, objective):
        self.points.append((seconds, objective))

    def best(self):
        return min((value for _, value in self.points), default=np.inf)

    def reach(self, optimum, level):
        for seconds, value in self.points:
            if value <= optimum * (1 + level):
                return seconds
        return None


def run_fathom(program, x, y, v, beta, limit, threads):
    trace = Trace()
    with tempfile.TemporaryDirectory() as folder:
        np.savez(os.path.join(folder, "data.npz"), X=x, y=y)
        np.save(os.path.join(folder, "gates.npy"), v)
        command = [program, "train", "data.npz", "--model", "gated", "--gates", "gates.npy", "--beta", repr(beta),
                   "--scale", "mean", "--threads", str(threads), "--time-limit", str(limit), "--json", "--quiet"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        trace.note = done.stderr.strip()
        return trace
    result = json.loads(done.stdout)
    for point in result.get("progress", []):
        trace.add(point["seconds"], point["value"])
    trace.add(result["seconds"], result["objective"])
    trace.bound = result["lower_bound"]
    trace.note = f"certified gap {result['relative_gap']:.1e}, {result['neurons']} gates"
    return trace


def run_fista(x, y, v, beta, limit):
    """Accelerated proximal gradient with restarts and a duality gap, in NumPy."""
    n, m = len(y), len(v)
    gates = (x @ v.T > 0).astype(float)
    forward = lambda w: np.einsum("ij,ij->i", gates, x @ w.T) if n * m < 2e6 else (gates * (x @ w.T)).sum(1)
    adjoint = lambda r: (gates * r[:, None]).T @ x
    probe = np.random.default_rng(1).standard_normal(x.shape[1] * m).reshape(m, -1)
    for _ in range(30):
        probe = adjoint(forward(probe))
        lipschitz = np.linalg.norm(probe)
        probe /= lipschitz
    lipschitz *= 1.02
    w = z = np.zeros((m, x.shape[1]))
    t, trace, start = 1.0, Trace(), time.time()
    for step in range(100000):
        residual = y - forward(z)
        moved = z + adjoint(residual) / lipschitz
        size = np.linalg.norm(moved, axis=1, keepdims=True)
        new = moved * np.maximum(0, 1 - n * beta / lipschitz / np.maximum(size, 1e-300))
        later = (1 + np.sqrt(1 + 4 * t * t)) / 2
        if np.sum((z - new) * (new - w)) > 0:
            later, t = 1.0, 1.0
        z, w, t = new + (t - 1) / later * (new - w), new, later
        if step % 10 == 9:
            residual = y - forward(w)
            value = (residual @ residual / 2) / n + beta * np.linalg.norm(w, axis=1).sum()
            trace.add(time.time() - start, value)
            scale = min(max(residual @ y, 0) / (residual @ residual),
                        n * beta / np.linalg.norm(adjoint(residual), axis=1).max())
            trace.bound = max(trace.bound, (scale * residual @ y - scale**2 / 2 * residual @ residual) / n)
            if value - trace.bound <= 1e-6 * value or time.time() - start > limit:
                trace.note = f"gap {(value - trace.bound) / value:.1e}, {step + 1} steps"
                return trace
    return trace


def run_clarabel(x, y, v, beta, limit):
    """The same program as a second-order cone program; small problems only."""
    import cvxpy
    n, m = len(y), len(v)
    trace = Trace()
    if n * m * x.shape[1] > 2e5:
        trace.note = "not tried: too large"
        return trace
    gates = x @ v.T > 0
    start = time.time()
    w = [cvxpy.Variable(x.shape[1]) for _ in range(m)]
    f = sum((gates[:, j, None] * x) @ w[j] for j in range(m))
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(f - y) / (2 * n) + beta * sum(cvxpy.norm(u) for u in w)))
    problem.solve(solver=cvxpy.CLARABEL, time_limit=limit)
    weights = np.array([u.value for u in w])
    residual = y - (gates * (x @ weights.T)).sum(1)
    trace.add(time.time() - start, residual @ residual / (2 * n) + beta * np.linalg.norm(weights, axis=1).sum())
    trace.note = problem.status
    return trace


def run_design(package, x, y, v, beta, limit):
    """adelie or skglm on the explicit n x (gates d) design."""
    n, d, m = len(y), x.shape[1], len(v)
    trace = Trace()
    if 8.0 * n * m * d > 8e9:
        trace.note = "not tried: design matrix beyond 8 GB"
        return trace
    design = np.asfortranarray(((x @ v.T > 0)[:, :, None] * x[:, None, :]).reshape(n, m * d))
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        start = time.time()
        if package == "adelie":
            import adelie
            state = adelie.grpnet(X=design, glm=adelie.glm.gaussian(y), groups=np.arange(0, m * d, d), alpha=1,
                                  penalty=np.ones(m), lmda_path=[beta], intercept=False, tol=tolerance,
                                  progress_bar=False)
            weights = state.betas.toarray()[-1]
        else:
            import skglm
            weights = skglm.GroupLasso(groups=d, alpha=beta, fit_intercept=False, tol=tolerance).fit(design, y).coef_
        seconds = time.time() - start
        residual = y - design @ weights
        trace.add(seconds, residual @ residual / (2 * n) +
                  beta * np.linalg.norm(weights.reshape(m, d), axis=1).sum())
        if seconds > limit:
            break
    trace.note = "no certificate"
    return trace


def line(name, trace, optimum):
    cells = []
    for level in LEVELS:
        seconds = trace.reach(optimum, level)
        cells.append("      -" if seconds is None else f"{seconds:7.2f}")
    above = (trace.best() - optimum) / optimum
    print(f"  {name:10s} {' '.join(cells)}   {above:9.1e}   {trace.note}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fathom")
    parser.add_argument("--families", default="s,a,a2,c1,c2")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    failed = False
    for name in options.families.split(","):
        x, y, v, beta = family(name)
        solvers = {"fathom": lambda: run_fathom(os.path.abspath(options.fathom), x, y, v, beta, options.limit,
                                                options.threads),
                   "FISTA": lambda: run_fista(x, y, v, beta, options.limit),
                   "Clarabel": lambda: run_clarabel(x, y, v, beta, options.limit)}
        for package in ("adelie", "skglm"):
            solvers[package] = lambda package=package: run_design(package, x, y, v, beta, options.limit)
        print(f"{name}: n={len(y)} d={x.shape[1]} gates={len(v)} beta={beta:g} (mean)")
        print(f"  {'solver':10s} {'1e-2':>7s} {'1e-4':>7s} {'1e-6':>7s}   {'above opt':>9s}   note")
        traces = {}
        for solver, run in solvers.items():
            try:
                traces[solver] = run()
            except ImportError:
                print(f"  {solver:10s} not installed")
        optimum = max(trace.bound for trace in traces.values())
        for solver, trace in traces.items():
            line(solver, trace, optimum)
        own = traces["fathom"].reach(optimum, 1e-6)
        failed = failed or own is None
        for solver, trace in traces.items():
            other = trace.reach(optimum, 1e-6)
            if solver != "fathom" and other is not None and (own is None or other < 10 * own):
                print(f"! {solver} needs {other:.2f} s to 1e-6: less than ten times fathom's")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
