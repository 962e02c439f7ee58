#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gamma_V of sampled gates: fathom beside conic solvers through cvxpy and beside the paper's gradient descent, in one run.

    benchmarks/margin/margin.py build/fathom [--points 100] [--gates 2000,20000,100000] [--solvers CLARABEL,ECOS,SCS]

Every method gets the same points and the same gates (an n x N matrix of 0 and 1 in an NPY file); times are wall-clock seconds of the
solve, for cvxpy without its compilation. A conic solver is left out after it has taken more than --patience seconds once.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np


def fathom(program, data, gates, gap, *more):
    begin = time.time()
    out = subprocess.run([program, "margin", data, "--gates", gates, "--gap", str(gap), "--json", *more],
                         capture_output=True, text=True, check=False)
    seconds = time.time() - begin
    result = json.loads(out.stdout)
    return seconds, result["lower"], result["upper"], result["iterations"]


def conic(z, masks, solver):
    """min sum t / m over q in the simplex, |sum_i q_i M_ji z_i| <= t_j."""
    import cvxpy as cp
    n, d = z.shape
    m = masks.shape[1]
    q, t = cp.Variable(n, nonneg=True), cp.Variable(m)
    # rows of A (d, m blocks): s_jk = sum_i q_i M_ji z_ik
    s = cp.vstack([masks.T @ cp.multiply(z[:, k], q) for k in range(d)])
    problem = cp.Problem(cp.Minimize(cp.sum(t) / m), [cp.sum(q) == 1, cp.SOC(t, s, axis=0)])
    problem.get_problem_data(solver)
    begin = time.time()
    problem.solve(solver=solver)
    return time.time() - begin, problem.value


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--dimension", type=int, default=5)
    parser.add_argument("--gates", default="2000,20000,100000")
    parser.add_argument("--solvers", default="CLARABEL,ECOS,SCS")
    parser.add_argument("--patience", type=float, default=120)
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    x = rng.standard_normal((options.points, options.dimension))
    x /= np.linalg.norm(x, axis=1)[:, None]
    y = np.where(rng.random(options.points) < 0.5, -1.0, 1.0)
    solvers = [s for s in options.solvers.split(",") if s]
    with tempfile.TemporaryDirectory() as folder:
        data, gates = os.path.join(folder, "data.npz"), os.path.join(folder, "gates.npy")
        np.savez(data, X=x, y=y)
        for m in (int(text) for text in options.gates.split(",")):
            masks = (x @ rng.standard_normal((options.dimension, m)) > 0).astype(float)
            np.save(gates, masks)
            seconds, lower, upper, steps = fathom(options.program, data, gates, 1e-6)
            print(f"n {options.points} m {m}: fathom {seconds:.2f} s, {steps} iterations, [{lower:.9f}, {upper:.9f}]")
            for solver in list(solvers):
                try:
                    other, value = conic(y[:, None] * x, masks, solver)
                except Exception as error:  # a solver that is not installed or gives up
                    print(f"    {solver}: {type(error).__name__}: {error}")
                    solvers.remove(solver)
                    continue
                print(f"    {solver}: {other:.2f} s, {other / seconds:.0f} times as long, value {value:.9f}")
                if other > options.patience:
                    solvers.remove(solver)
        masks = (x @ rng.standard_normal((options.dimension, 200)) > 0).astype(float)
        np.save(gates, masks)
        ours = fathom(options.program, data, gates, 1e-6)
        theirs = fathom(options.program, data, gates, 0.1, "--method", "paper-gd", "--time-limit", "60")
        print(f"m 200: fathom to 1e-6 {ours[0]:.3f} s, {ours[3]} iterations; gradient descent of Lemma 6.1 to 1e-1 "
              f"{theirs[0]:.1f} s, {theirs[3]} iterations, [{theirs[1]:.6f}, {theirs[2]:.6f}]")


if __name__ == "__main__":
    main()
