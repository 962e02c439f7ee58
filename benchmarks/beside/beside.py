#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""beside.py BUILD|- [--rounds 12] [--threads 2]: fits of fathom and of others in turns in one process, neither slowing the other down.

The package is that of the build folder, or with - the one that is installed (tests/matrix/beside: the wheel). Everybody has a process of its own first, then fathom and one of them take turns in one: libraries with threads of their own (OpenMP, OpenBLAS) meet there, and
waiting threads that spin, or numbers of threads that one sets for all, would show. Times are processor seconds of the whole process, all
threads, and by the clock; the smallest of the rounds, alone and in turns measured next to each other: what other programs of the
machine do only adds (threads of others that spin while they wait for a processor), what one library does to the other is
there in every round. Others: NumPy products, scikit-learn (logistic regression, boosted trees on OpenMP) and, where it is
installed, PyTorch. "!" marks whoever needs more than 1.25 times the processor time that he needs alone; then the exit code is 1.
"""
import argparse
import importlib.util
import json
import os
import subprocess
import sys
import time

LIMIT = 1.25


def with_fathom(threads):
    import numpy as np

    import fathom

    X = np.random.default_rng(1).normal(size=(600, 12))
    y = np.maximum(X[:, 0], 0) - X[:, 1] * 0.3

    def fit():
        fathom.train(X, y, model="gated", gates=120, threads=threads)
        fathom.kernel(X, y, ridge=0.0, threads=threads)
    return fit


def with_numpy(threads):
    import numpy as np

    A = np.random.default_rng(2).normal(size=(250, 250))
    return lambda: np.linalg.eigh(A @ A.T)


def with_sklearn(threads):
    import numpy as np
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression

    X = np.random.default_rng(3).normal(size=(600, 10))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)

    def fit():
        HistGradientBoostingClassifier(max_iter=5).fit(X, y)
        LogisticRegression().fit(X, y)
    return fit


def with_torch(threads):
    import torch

    torch.manual_seed(0)
    X, y = torch.randn(2000, 50), torch.randn(2000, 1)

    def fit():
        net = torch.nn.Sequential(torch.nn.Linear(50, 200), torch.nn.ReLU(), torch.nn.Linear(200, 1))
        descent = torch.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(30):
            descent.zero_grad()
            torch.nn.functional.mse_loss(net(X), y).backward()
            descent.step()
    return fit


ALL = {"fathom": with_fathom, "numpy": with_numpy, "sklearn": with_sklearn, "torch": with_torch}


def take_turns(names, rounds, threads):
    """{name: [(processor seconds, seconds)]}: one fit each in turns, after one that is not counted."""
    fits = {name: ALL[name](threads) for name in names}
    seen = {name: [] for name in names}
    for turn in range(rounds + 1):
        for name, fit in fits.items():
            used, start = time.process_time(), time.perf_counter()
            fit()
            if turn:
                seen[name].append((time.process_time() - used, time.perf_counter() - start))
    return seen


def surroundings(build):
    """The environment of a process that sees the package."""
    return dict(os.environ) if build == "-" else {**os.environ, "PYTHONPATH": os.path.join(os.path.abspath(build), "python")}


def in_process(names, options):
    run = subprocess.run([sys.executable, __file__, options.build, "--rounds", str(options.rounds), "--threads", str(options.threads),
                          "--inside", ",".join(names)], stdout=subprocess.PIPE, text=True, check=True,
                         env=surroundings(options.build))
    return json.loads(run.stdout)


def main(options):
    names = [name for name in ALL if name == "fathom" or importlib.util.find_spec(name)]
    print(f"{'with':20} {'':8} {'alone':>18} {'in turns':>18} {'ratio':>6}   (processor and clock seconds)")
    slow = 0
    for other in names[1:]:
        for pair in (["fathom", other], [other, "fathom"]):  # whoever is loaded first
            together = in_process(pair, options)
            for name in pair:
                alone = in_process([name], options)
                a, t = ([min(times[k] for times in seen[name]) for k in (0, 1)] for seen in (alone, together))
                worse = t[0] > LIMIT * a[0]
                slow += worse
                print(f"{' then '.join(pair):20}{'!' if worse else ' '}{name:8} {a[0]:9.4f} {a[1]:8.4f} {t[0]:9.4f} {t[1]:8.4f} "
                      f"{t[0] / a[0]:6.2f}", flush=True)
    return slow > 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--inside")
    given = parser.parse_args()
    if given.inside:
        print(json.dumps(take_turns(given.inside.split(","), given.rounds, given.threads)))
        sys.exit(0)
    sys.exit(main(given))
