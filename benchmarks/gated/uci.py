#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""uci.py FATHOM [--data ../shared/data/uci] [--sets NAME,...] [--gates 200] [--seeds 1]: `fathom path --cv 5` on UCI sets.

Beside scikit-learn's MLP (one hidden layer of 100, alpha by 5-fold cross-validation) and logistic regression (C by 5-fold
cross-validation). A quarter of the rows, drawn by the seed, is held out; everybody chooses its penalty on the other
three quarters and is scored on the quarter. Prints a Markdown table: test accuracy (mean over seeds), seconds, and
for fathom the largest relative gap of its path, which is certified at every point.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

SETS = "blood,breast-cancer-wisc-diag,ionosphere,pima,wine"


def load(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1].astype(int)


def run_fathom(program, train, test, gates, threads):
    with tempfile.TemporaryDirectory() as folder:
        for name, (x, y) in (("train.csv", train), ("test.csv", test)):
            rows = np.column_stack([x, y])
            np.savetxt(os.path.join(folder, name), rows, delimiter=",", fmt=["%.17g"] * x.shape[1] + ["%d"])
        start = time.time()
        done = subprocess.run([program, "path", "train.csv", "--model", "gated", "--gates", str(gates), "--loss",
                               "logistic", "--bias", "free", "--normalize", "standardize", "--cv", "5", "--test",
                               "test.csv", "--threads", str(threads), "--json", "--quiet"],
                              cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(done.stderr)
    result = json.loads(done.stdout)
    return (result["test_score"]["accuracy"], time.time() - start,
            max(point["relative_gap"] for point in result["path"]))


def run_sklearn(kind, train, test, seed):
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import GridSearchCV
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    import warnings
    warnings.simplefilter("ignore")
    if kind == "logistic":
        model = LogisticRegressionCV(cv=5, max_iter=2000)
    else:
        model = GridSearchCV(MLPClassifier((100,), max_iter=1000, random_state=seed), {"alpha": [1e-4, 1e-2, 1]}, cv=5)
    start = time.time()
    model = make_pipeline(StandardScaler(), model).fit(*train)
    return model.score(*test), time.time() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fathom")
    here = os.path.dirname(os.path.abspath(__file__))
    shared = os.environ.get("FATHOM_SHARED", os.path.join(here, "..", "..", "..", "shared"))
    parser.add_argument("--data", default=os.path.join(shared, "data", "uci"))
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--gates", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--accuracy-only", action="store_true", help="without seconds")
    options = parser.parse_args()
    if not os.path.isdir(options.data):
        print(f"uci.py: no data at {options.data}")
        return 77
    print("| set | rows x columns, classes | fathom | largest gap | MLP | logistic |")
    print("|---|---|---|---|---|---|")
    for name in options.sets.split(","):
        x, y = load(os.path.join(options.data, name + ".csv"))
        scores = {"fathom": [], "MLP": [], "logistic": []}
        for seed in range(options.seeds):
            order = np.random.default_rng(seed).permutation(len(y))
            held, kept = order[:len(y) // 4], order[len(y) // 4:]
            train, test = (x[kept], y[kept]), (x[held], y[held])
            scores["fathom"].append(run_fathom(os.path.abspath(options.fathom), train, test, options.gates,
                                               options.threads))
            for kind in ("MLP", "logistic"):
                try:
                    scores[kind].append(run_sklearn(kind, train, test, seed))
                except ImportError:
                    pass
        cells = []
        for kind in ("fathom", "MLP", "logistic"):
            if scores[kind]:
                mean = np.mean([score[:2] for score in scores[kind]], axis=0)
                cells.append(f"{mean[0]:.3f}" + ("" if options.accuracy_only else f" ({mean[1]:.1f} s)"))
            else:
                cells.append("not installed")
        gap = max(score[2] for score in scores["fathom"])
        print(f"| {name} | {x.shape[0]} x {x.shape[1]}, {len(set(y))} | {cells[0]} | {gap:.1e} | {cells[1]} | {cells[2]} |",
              flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
