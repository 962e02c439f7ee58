#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gamma_V of random gates: fathom beside conic solvers through cvxpy and the paper's gradient descent, one table in one run.

    benchmarks/margin/margin.py build/fathom [--quick] [--patience 120] [--solvers CLARABEL,ECOS,SCS]

Points are uniform on the sphere, labels fair coins, gates Gaussian; every method gets the same files. Each run is a process of
its own: seconds are its solve (conic solvers: without cvxpy's compilation; fathom: the whole process, reading included), memory its
peak. The certified gap (upper - lower) / upper is recomputed here from the q and W that a solver returns, normalised into the simplex
and the unit balls, so that none is taken at its word; fathom's is its own proven interval. A method that needs more than --patience
seconds is left out from then on, and a solver that is not installed is named and skipped.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np


def child(command, patience):
    """JSON that a process prints, its seconds and peak memory in MB; None where it does not end in time."""
    begin = time.time()
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        while True:
            pid, _, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.time() - begin > patience:
                process.kill()
                os.wait4(process.pid, 0)
                return None, time.time() - begin, float("nan")
            time.sleep(0.005)
        seconds = time.time() - begin
        out.seek(0)
        text = out.read()
    return (json.loads(text) if text.strip() else None), seconds, usage.ru_maxrss / 1024


def make(folder, n, d, m, seed=1):
    """Points and an n x m matrix of 0 and 1 in files."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    x /= np.linalg.norm(x, axis=1)[:, None]
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0)
    data, gates = os.path.join(folder, "data.npz"), os.path.join(folder, "gates.npy")
    np.savez(data, X=x, y=y)
    np.save(gates, (x @ rng.standard_normal((d, m)) > 0).astype(np.uint8))
    return data, gates


def certified(z, masks, q, w):
    """Both sides from q and W (m x d), each made feasible first."""
    m = masks.shape[1]
    q = np.maximum(q, 0)
    q /= q.sum()
    upper = np.linalg.norm(masks.T @ (q[:, None] * z), axis=1).sum() / m
    w = w / np.maximum(1, np.linalg.norm(w, axis=1))[:, None]
    lower = ((masks @ w) * z).sum(axis=1).min() / m
    return lower, upper


def peer(data, gates, solver):
    """The second-order cone program by cvxpy; prints JSON."""
    import cvxpy as cp
    arrays = np.load(data)
    z, masks = arrays["y"][:, None] * arrays["X"], np.load(gates).astype(float)
    n, d = z.shape
    m = masks.shape[1]
    q, t = cp.Variable(n, nonneg=True), cp.Variable(m)
    s = cp.vstack([masks.T @ cp.multiply(z[:, k], q) for k in range(d)])
    cone = cp.SOC(t, s, axis=0)
    problem = cp.Problem(cp.Minimize(cp.sum(t) / m), [cp.sum(q) == 1, cone])
    problem.get_problem_data(solver)
    exact = {"CLARABEL": {"tol_gap_rel": 1e-6, "tol_gap_abs": 1e-9}, "ECOS": {"reltol": 1e-6, "abstol": 1e-9},
             "SCS": {"eps_abs": 1e-7, "eps_rel": 1e-7, "max_iters": 100000}}.get(solver, {})
    begin = time.time()
    problem.solve(solver=solver, **exact)
    seconds = time.time() - begin
    w = np.zeros((m, d))
    dual = cone.dual_value
    if dual is not None:
        w = -m * np.asarray(dual[1]).reshape(d, m, order="F").T
        if ((masks @ w) * z).sum() < 0:
            w = -w
    lower, upper = certified(z, masks, q.value, w)
    print(json.dumps({"seconds": seconds, "lower": lower, "upper": upper, "iterations": problem.solver_stats.num_iters}))


def row(name, n, m, seconds, lower, upper, memory, note=""):
    gap = (upper - lower) / upper if upper > 0 else 0
    print(f"{name:12s} {n:6d} {m:7d} {seconds:9.3f} s  gap {gap:8.1e}  {memory:7.0f} MB  {note}", flush=True)


def fathom(options, data, gates, gap, *more):
    return child([options.program, "margin", data, "--gates", gates, "--gap", str(gap), "--json", "--quiet", *more],
                 options.patience)


def beside_conic(options, folder):
    solvers = [s for s in options.solvers.split(",") if s]
    for m in [500, 2000] if options.quick else [2000, 20000, 100000]:
        data, gates = make(folder, 100, 5, m)
        ours, seconds, memory = fathom(options, data, gates, 1e-6)
        if ours is None:
            print(f"fathom: nothing within {options.patience} s")
            continue
        row("fathom", 100, m, seconds, ours["lower"], ours["upper"], memory, f"{ours['iterations']} iterations")
        for solver in list(solvers):
            theirs, whole, memory = child([sys.executable, __file__, "--peer", solver, data, gates], options.patience)
            if theirs is None:
                print(f"{solver}: not installed, failed, or not done within {options.patience:g} s ({whole:.1f} s)")
                solvers.remove(solver)
                continue
            row(solver, 100, m, theirs["seconds"], theirs["lower"], theirs["upper"], memory,
                f"{theirs['seconds'] / seconds:.0f} times as long")


def beside_descent(options, folder):
    """Lemma 6.1 to eps, and fathom to the gap that the lemma certifies and to 1e-6."""
    for n, d, m, eps in [(20, 3, 500, 0.1)] + ([] if options.quick else [(20, 3, 500, 0.01), (100, 5, 1000, 0.1)]):
        data, gates = make(folder, n, d, m)
        ours, seconds, memory = fathom(options, data, gates, 1e-6)
        row("fathom", n, m, ours["seconds"], ours["lower"], ours["upper"], memory, f"{ours['iterations']} iterations")
        theirs, whole, memory = fathom(options, data, gates, eps, "--method", "paper-gd", "--time-limit",
                                       str(options.patience - 5))
        if theirs is None:
            print("paper-gd: nothing in time")
            continue
        done = "" if theirs["status"] == "reached" else "NOT REACHED: at least "
        row("paper-gd", n, m, theirs["seconds"], theirs["lower"], theirs["upper"], memory,
            f"{theirs['iterations']} iterations for eps {eps:g}, {done}{theirs['seconds'] / ours['seconds']:.0f} times as long")


def large(options, folder):
    sizes = [(300, 10, 2000)] if options.quick else [(1000, 10, 10000), (2000, 20, 4000), (5000, 10, 5000), (5000, 10, 100000)]
    for n, d, m in sizes:
        data, gates = make(folder, n, d, m)
        for gap in (1e-2, 1e-4, 1e-6):
            ours, seconds, memory = fathom(options, data, gates, gap, "--time-limit", str(options.patience - 5))
            if ours is None:
                print(f"fathom {n} {m}: nothing within {options.patience:g} s")
                break
            row("fathom", n, m, seconds, ours["lower"], ours["upper"], memory,
                f"{ours['iterations']} iterations, asked {gap:g}: {ours['status']}")
            if ours["status"] != "reached":
                break


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "--peer":
        peer(sys.argv[3], sys.argv[4], sys.argv[2])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--solvers", default="CLARABEL,ECOS,SCS")
    parser.add_argument("--patience", type=float, default=600)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        print("beside conic solvers, to 1e-6")
        beside_conic(options, folder)
        print("beside the gradient descent of Lemma 6.1 (seconds inside the process)")
        beside_descent(options, folder)
        print("large problems")
        large(options, folder)


if __name__ == "__main__":
    main()
