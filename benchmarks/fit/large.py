#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""large.py BUILD [--sets NAME,...] [--methods NAME,...] [--data FOLDER] [--keep FILE] [--threads N]: fathom.fit beside peers on larger sets.

magic (every fifth row is left out), a9a, ijcnn1, mnist and news20_bydate with their own test rows: accuracy and log-loss on those, processor seconds of choosing and
fitting, two threads unless --threads says otherwise. LIBLINEAR is logistic regression, one class against the rest where there are several, C of .1, 1, 10 by three folds; HistGB as it comes, its early end included,
and not on news20, whose rows would be made dense. Both behind standardised columns where rows are dense, rows of norm 1 where they are sparse, pixels over 255. --keep FILE holds what was
measured (JSON), so that a run may be made in portions.
"""
import argparse
import gzip
import json
import lzma
import os
import bz2
import sys
import time
import warnings

THREADS = sys.argv[sys.argv.index("--threads") + 1] if "--threads" in sys.argv[:-1] else "2"
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = THREADS  # before NumPy is there
import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer, StandardScaler

OPEN = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}


def libsvm(folder, train, test, columns, filled):
    """Rows and labels of two files; dense where `filled`."""
    out = []
    for name in (train, test):
        X, y = load_svmlight_file(OPEN[name.rsplit(".", 1)[1]](os.path.join(folder, name)), n_features=columns)
        out += [X.toarray() if filled else X, y.astype(int)]
    return out


def images(folder, part):
    with gzip.open(os.path.join(folder, f"mnist/{part}-images-idx3-ubyte.gz")) as file:
        pixels = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784) / 255
    with gzip.open(os.path.join(folder, f"mnist/{part}-labels-idx1-ubyte.gz")) as file:
        return pixels, np.frombuffer(file.read(), np.uint8, offset=8).astype(int)


def magic(folder):
    rows = np.genfromtxt(gzip.open(os.path.join(folder, "uci/magic.csv.gz"), "rt"), delimiter=",", skip_header=1)
    X, y, test = rows[:, :-1], rows[:, -1].astype(int), np.arange(len(rows)) % 5 == 0
    return X[~test], y[~test], X[test], y[test]


SETS = {
    "magic": magic,
    "a9a": lambda folder: libsvm(folder, "a9a/a9a.gz", "a9a/a9a.t.gz", 123, False),
    "ijcnn1": lambda folder: libsvm(folder, "ijcnn1/ijcnn1.bz2", "ijcnn1/ijcnn1.t.bz2", 22, True),
    "mnist": lambda folder: images(folder, "train") + images(folder, "t10k"),
    "news20_bydate": lambda folder: libsvm(folder, "news20_bydate/train.svm.xz", "news20_bydate/test.svm.xz", 130107, False),
}


def linear(X, y):
    model = LogisticRegression(solver="liblinear", max_iter=200)
    scale = "norm" if sparse.issparse(X) else "pixels" if X.shape[1] == 784 else "standard"
    before = {"norm": [Normalizer()], "pixels": [], "standard": [StandardScaler()]}[scale]
    model = OneVsRestClassifier(model) if len(np.unique(y)) > 2 else model
    steps = make_pipeline(*before, model)
    last = steps.steps[-1][0] + ("__estimator__C" if isinstance(model, OneVsRestClassifier) else "__C")
    return GridSearchCV(steps, {last: [0.1, 1, 10]}, scoring="neg_log_loss", cv=3).fit(X, y)


def boosted(X, y):
    return HistGradientBoostingClassifier(random_state=1).fit(X.toarray() if sparse.issparse(X) else X, y)


def measure(method, fathom, X, y, rows, target):
    """Accuracy, log-loss and seconds; what was chosen."""
    start, chosen = time.process_time(), ""
    if method == "fathom":
        found = fathom.fit(X, y, time=0, threads=int(THREADS), task="classify", normalize="none" if X.shape[1] == 784 else "auto")
        chance, chosen = found.model.predict_proba(rows), f"{found.chosen['model']} {found.chosen['width']}"
    else:
        model = (linear if method == "LIBLINEAR" else boosted)(X, y)
        chance = model.predict_proba(rows.toarray() if method == "HistGB" and sparse.issparse(rows) else rows)
    seconds = time.process_time() - start
    chance = np.clip(chance, 1e-15, 1)
    chance /= chance.sum(1, keepdims=True)
    return accuracy_score(target, np.unique(y)[chance.argmax(1)]), log_loss(target, chance), seconds, chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default="fathom,LIBLINEAR,HistGB")
    parser.add_argument("--data", default=os.path.join(os.environ.get("FATHOM_SHARED", "../shared"), "data"))
    parser.add_argument("--keep")
    parser.add_argument("--threads")
    asked = parser.parse_args()
    sys.path.insert(0, os.path.join(asked.build, "python"))
    import fathom

    warnings.simplefilter("ignore")
    kept = json.load(open(asked.keep)) if asked.keep and os.path.exists(asked.keep) else {}
    print("| set | rows | method | test accuracy | test log-loss | processor seconds |\n|---|---|---|---|---|---|")
    for name in asked.sets.split(","):
        data = SETS[name](asked.data)
        for method in asked.methods.split(","):
            if method == "HistGB" and name == "news20_bydate":
                continue
            if method not in kept.setdefault(name, {}):
                kept[name][method] = measure(method, fathom, *data)
                if asked.keep:
                    json.dump(kept, open(asked.keep, "w"))
            right, loss, seconds, chosen = kept[name][method]
            print(f"| {name} | {data[0].shape[0]:,} x {data[0].shape[1]:,} | {method}{' (' + chosen + ')' if chosen else ''} | {right:.4f} | {loss:.4f} | {seconds:.1f} |",
                  flush=True)


if __name__ == "__main__":
    main()
