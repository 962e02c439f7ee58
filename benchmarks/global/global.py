#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""global.py FATHOM [--only NAME,...] [--seconds S] [--restarts R] [--peer-seconds S] [--peers none]: certified training beside local training.

One line per problem: objective, certified lower bound, their ratio, neurons and seconds of `fathom train`; beside it the best of R runs of
Adam on the same non-convex objective (PyTorch, same width, sum of squares / 2 + beta/2 (|U|^2 + |w|^2), full batch, each run until 200 steps
gain less than 1e-7) and of scikit-learn's MLPRegressor at the same width and penalty, with their seconds and the runs that fitted into
--peer-seconds. `above` is how far that best value is above fathom's objective, relative (negative: below), `passed` the seconds after which
fathom's network was no worse than it. A peer that is not installed is left out, and the table says so. The target
ratio is that of the issue. Targets and inputs of real data are standardised here (mean 0, variance 1), as the
reference ratios are. Real data comes from FATHOM_SHARED or ../shared; a set that is not there is left out.
"""
import argparse
import csv
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.environ.get("FATHOM_SHARED", os.path.join(ROOT, "..", "shared")), "data")
FILES = {"diabetes": "diabetes/diabetes.csv", "boston": "boston_housing/boston_housing.csv", "abalone": "uci/abalone.csv"}
PROBLEMS = [  # name, data, beta / beta_max, gap, seconds, least ratio of bound to objective
    ("200x3", "gen:gauss,n=200,d=3", 0.1, 1e-6, 10, 1 - 1e-6),
    ("100x5", "gen:gauss,n=100,d=5", 0.1, 1e-6, 30, 1 - 1e-6),
    ("200x5", "gen:gauss,n=200,d=5", 0.1, 1e-6, 60, 1 - 1e-6),
    ("100x8", "gen:gauss,n=100,d=8", 0.2, 1e-3, 10, 1 - 1e-3),
    ("100x8 small", "gen:gauss,n=100,d=8", 0.02, 0.05, 60, 0.95),
    ("diabetes", "diabetes", 0.2, 3e-3, 5, 0.997),
    ("boston", "boston", 0.2, 3e-3, 5, 0.997),
    ("breast cancer", "builtin:wdbc", 0.2, 3e-3, 5, 0.997),
    ("abalone", "abalone", 0.2, 3e-3, 15, 0.997),
    ("diabetes small", "diabetes", 0.02, 1e-3, 15, 0.73),
    ("boston small", "boston", 0.02, 1e-3, 15, 0.93),
    ("breast cancer small", "builtin:wdbc", 0.02, 1e-3, 15, 0.95),
    ("abalone small", "abalone", 0.02, 1e-3, 15, 0.96),
    ("teacher 1000x50", "gen:gauss,n=1000,d=50,target=teacher,noise=0.3,k=5", 0.2, 1e-3, 10, 0.93),
    ("teacher 20000x50", "gen:gauss,n=20000,d=50,target=teacher,noise=0.3,k=5", 0.2, 1e-3, 60, 0.5),
]


def standardised(path, folder):
    """A copy of a CSV file with every column of mean 0 and variance 1."""
    with open(path, newline="") as stream:
        rows = [row for row in csv.reader(stream) if row]
    try:
        [float(t) for t in rows[0]]
    except ValueError:
        rows = rows[1:]
    columns = [[float(t) for t in column] for column in zip(*rows)]
    for k, column in enumerate(columns):
        mean = sum(column) / len(column)
        spread = (sum((t - mean) ** 2 for t in column) / len(column)) ** 0.5 or 1.0
        columns[k] = [(t - mean) / spread for t in column]
    copy = os.path.join(folder, os.path.basename(path))
    with open(copy, "w", newline="") as stream:
        csv.writer(stream).writerows(zip(*columns))
    return copy


def resolve(fathom, spec, folder):
    """The CSV file of a problem's data; None where a set is not there."""
    if spec in FILES:
        path = os.path.join(SHARED, FILES[spec])
        return standardised(path, folder) if os.path.exists(path) else None
    path = os.path.join(folder, "generated.csv")
    subprocess.run([fathom, "gen", spec, "-o", path], check=True, capture_output=True)
    if not spec.startswith("builtin:"):
        return path
    with open(path, newline="") as stream:  # class names to -1, +1
        rows = [row for row in csv.reader(stream) if row]
    classes = sorted({row[-1] for row in rows[1:]})
    with open(path, "w", newline="") as stream:
        csv.writer(stream).writerows(row[:-1] + [classes.index(row[-1])] for row in rows[1:])
    return standardised(path, folder)


def train(fathom, path, ratio, gap, seconds):
    run = subprocess.run([fathom, "train", path, "--beta-rel", repr(ratio), "--gap", repr(gap), "--time-limit", repr(seconds), "--json"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{path}: {run.stderr}")
    return json.loads(run.stdout)


def load(path):
    import numpy

    table = numpy.genfromtxt(path, delimiter=",")
    if not numpy.isfinite(table[0]).all():
        table = table[1:]
    return table[:, :-1], table[:, -1]


def adam(x, y, beta, width, restarts, seconds, steps=3000):
    """Best objective of at most R runs of Adam, and their number; the penalty is that of the balanced network, so values compare."""
    import torch

    torch.set_default_dtype(torch.float64)
    x, y, best, begin = torch.tensor(x), torch.tensor(y), float("inf"), time.time()
    for seed in range(restarts):
        torch.manual_seed(seed)
        u = (torch.randn(width, x.shape[1]) / x.shape[1] ** 0.5).requires_grad_()
        w = (torch.randn(width) / width ** 0.5).requires_grad_()
        optimiser = torch.optim.Adam([u, w], lr=1e-2)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, steps)
        plateau = float("inf")
        for step in range(steps):
            optimiser.zero_grad()
            value = ((torch.relu(x @ u.T) @ w - y) ** 2).sum() / 2 + beta / 2 * ((u ** 2).sum() + (w ** 2).sum())
            value.backward()
            optimiser.step()
            schedule.step()
            if step % 200 == 199:
                if time.time() - begin > seconds or plateau - float(value) < 1e-7 * float(value):
                    break
                plateau = float(value)
        with torch.no_grad():
            value = ((torch.relu(x @ u.T) @ w - y) ** 2).sum() / 2 + beta * (u.norm(dim=1) * w.abs()).sum()
        best = min(best, float(value))
        if time.time() - begin > seconds:
            break
    return best, seed + 1


def sklearn_mlp(x, y, beta, width, restarts, seconds):
    """MLPRegressor minimises 1/(2n) sum (f-y)^2 + alpha/(2n) (|U|^2 + |w|^2). Its biases cannot be switched off and are not
    penalised: with them it may go below the optimum of networks without biases, and below the bound printed."""
    import warnings

    import numpy
    from sklearn.neural_network import MLPRegressor

    warnings.simplefilter("ignore")  # the limit on iterations

    best, begin = float("inf"), time.time()
    for seed in range(restarts):
        net = MLPRegressor(hidden_layer_sizes=(width,), alpha=beta, solver="lbfgs", max_iter=1000, random_state=seed).fit(x, y)
        u, w = net.coefs_
        norm = (numpy.linalg.norm(u, axis=0) * numpy.abs(w[:, 0])).sum()
        best = min(best, ((net.predict(x) - y) ** 2).sum() / 2 + beta * norm)
        if time.time() - begin > seconds:
            break
    return best, seed + 1


def passed(result, value):
    """Seconds after which the network was no worse than `value`; "-" where it never was."""
    for record in result["progress"]:
        if record["stage"] in ("network", "faces") and record["value"] <= value * (1 + 1e-9):
            return f"{record['seconds']:.2f}"
    return f"{result['seconds']:.2f}" if result["objective"] <= value * (1 + 1e-9) else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fathom")
    parser.add_argument("--only", help="names of problems, with commas")
    parser.add_argument("--seconds", type=float, help="time limit of every run, in place of the issue's")
    parser.add_argument("--restarts", type=int, default=20)
    parser.add_argument("--peers", default="torch,sklearn")
    parser.add_argument("--peer-seconds", type=float, default=8, help="no new run of a peer after this")
    options = parser.parse_args()
    peers = [name for name in ("torch", "sklearn") if name in options.peers]
    for name in list(peers):
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed: left out")
            peers.remove(name)
    print(f"{'problem':20} {'objective':>13} {'bound/obj':>10} {'target':>9} {'neurons':>7} {'seconds':>8}  {'peers: best value, above, runs, seconds, passed'}")
    for name, spec, ratio, gap, seconds, target in PROBLEMS:
        if options.only and name not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = resolve(options.fathom, spec, folder)
            if path is None:
                print(f"{name:20} the data is not there: left out")
                continue
            r = train(options.fathom, path, ratio, gap, options.seconds or seconds)
            line = f"{name:20} {r['objective']:13.7g} {r['lower_bound'] / r['objective']:10.7f} {target:9.6f} {r['neurons']:7} {r['seconds']:8.2f} "
            for peer in peers:
                x, y = load(path)
                begin = time.time()
                fit = adam if peer == "torch" else sklearn_mlp
                best, runs = fit(x, y, r["beta"], max(r["neurons"], 1), options.restarts, options.peer_seconds)
                line += (f" | {peer} {best:.7g} {best / r['objective'] - 1:+.1e} {runs} {time.time() - begin:.1f}"
                         f" {passed(r, best)}")
            print(line, flush=True)


if __name__ == "__main__":
    main()
