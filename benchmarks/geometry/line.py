#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training on the line beside general solvers, and the nearest points of all rows, one table in one run.

    benchmarks/geometry/line.py build/fathom [--quick] [--solvers OSQP,CLARABEL]

Data: n jittered places on [0,1], twenty hidden kinks, noise 0.3; squared loss, free bias, beta = 1e-4 beta_max. The peers get the
same problem as a quadratic program in the fitted values and the jumps,

    min 1/2 |z - y|^2 + beta t   s.t.  t >= sum u,  t >= (sum u + s_1 + s_{n-1})/2,  t >= (sum u - s_1 - s_{n-1})/2,  -u <= D z <= u,

through cvxpy, at most at 10^4 points: beyond, they take minutes or fail. Seconds are solve times (fathom: the whole process, reading
included). The objective of every method is recomputed here from its fitted values by the closed form of the norm, and shown with its
distance from fathom's certified lower bound. A solver that is not installed is named and skipped.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def draw(n, kind):
    rng = np.random.default_rng(1)
    t = (np.arange(n) + rng.random(n)) / n
    x = {"even": t, "uneven": np.exp(-30 * t), "offset": 1e9 + np.round(1e6 * t) / 1e3}[kind]
    y = 0.3 * rng.standard_normal(n)
    for k, w in zip(rng.random(20), 20 * (rng.random(20) - 0.5)):
        y += w * np.maximum(t - k, 0)
    return x, y


def norm(x, z):
    """max(TV, (TV + |s_1 + s_{n-1}|)/2) of the values z at sorted distinct x."""
    s = np.diff(z) / np.diff(x)
    tv = np.abs(np.diff(s)).sum()
    return max(tv, (tv + abs(s[0] + s[-1])) / 2)


def run_fathom(fathom, folder, x, y, gap, extra=()):
    path = os.path.join(folder, "line.npz")
    np.savez(path, X=x[:, None], y=y)
    begin = time.time()
    run = subprocess.run([fathom, "train", path, "--bias", "free", "--beta-rel", "1e-4", "--gap", str(gap), "--json", "-q", *extra],
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(run.stderr)
    return json.loads(run.stdout), time.time() - begin


def solve_peer(solver, x, y, beta):
    import cvxpy
    import scipy.sparse as sparse
    n, h = len(x), np.diff(x)
    slope = sparse.diags([-1 / h, 1 / h], [0, 1], shape=(n - 1, n), format="csr")
    second = slope[1:] - slope[:-1]
    z, u, t = cvxpy.Variable(n), cvxpy.Variable(n - 2), cvxpy.Variable()
    ends = (slope[0] + slope[-1]) @ z
    total = cvxpy.sum(u)
    rows = [second @ z <= u, -u <= second @ z, t >= total, t >= (total + ends) / 2, t >= (total - ends) / 2]
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(z - y) / 2 + beta * t), rows)
    options = {"OSQP": dict(eps_abs=1e-7, eps_rel=1e-7, max_iter=20000)}.get(solver, {})
    problem.solve(solver=solver, **options)
    return z.value, problem.solver_stats.solve_time


def compare(fathom, n, kind, solvers, folder):
    x, y = draw(n, kind)
    result, seconds = run_fathom(fathom, folder, x, y, 2e-7)
    lower = result["lower_bound"]
    print(f"{n:9d} {kind:7s} {'fathom':10s} {seconds:8.2f} s  objective {result['objective']:.12g}  "
          f"certified {result['relative_gap']:.2g}  neurons {result['neurons']}", flush=True)
    for solver in solvers if n <= 10000 and kind == "even" else []:
        try:
            z, seconds = solve_peer(solver, x, y, result["beta"])
        except Exception as error:  # not installed, or a failure of its own
            print(f"{n:9d} {kind:7s} {solver:10s} skipped: {str(error).splitlines()[0][:80]}", flush=True)
            continue
        value = 0.5 * np.sum((z - y) ** 2) + result["beta"] * norm(x, z) if z is not None else np.nan
        print(f"{n:9d} {kind:7s} {solver:10s} {seconds:8.2f} s  objective {value:.12g}  above the bound {value / lower - 1:.2g}",
              flush=True)


def nearest_points(fathom, folder, n, d):
    path = os.path.join(folder, "rows.npy")
    np.save(path, np.random.default_rng(2).standard_normal((n, d)))
    begin = time.time()
    run = subprocess.run([fathom, "geometry", path, "--extreme", "basis", "--json", "-q"], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    result = json.loads(run.stdout)
    print(f"{n} rows in {d} dimensions: {result['hull_vertices']} vertices and {result['extreme_count']} nearest points, "
          f"{time.time() - begin:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("fathom")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--solvers", default="OSQP,CLARABEL")
    options = parser.parse_args()
    solvers = options.solvers.split(",")
    try:
        import cvxpy  # noqa: F401
    except ImportError:
        print("cvxpy is not installed: no peers")
        solvers = []
    with tempfile.TemporaryDirectory() as folder:
        for n in (1000, 10000) if options.quick else (1000, 10000, 100000, 1000000):
            for kind in ("even", "uneven", "offset"):
                compare(options.fathom, n, kind, solvers, folder)
        nearest_points(options.fathom, folder, 400 if options.quick else 4000, 27 if options.quick else 108)


if __name__ == "__main__":
    main()
