#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fit.py BUILD [--sets NAME,...] [--methods NAME,...] [--data FOLDER] [--keep FILE]: nested five-fold cross-validation of fathom.fit beside peers.

Every method chooses its parameters inside each of five outer folds, the same for all, and predicts the rows left out: accuracy, log-loss
and AUC over them, processor seconds of all five fits, one thread. Needs NumPy and scikit-learn; LightGBM where it is there. FOLDER has the UCI
sets as CSV files, target last. --keep FILE holds what was measured (JSON), so that a run may be made in portions; delete it to measure anew.
"""
import argparse
import json
import os
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

try:
    from lightgbm import LGBMClassifier
except ImportError:
    LGBMClassifier = None

SETS = ["wine", "conn-bench-sonar-mines-rocks", "hepatitis", "parkinsons", "statlog-heart", "ionosphere", "pima", "blood", "credit-approval",
        "seeds", "breast-cancer-wisc-diag", "breast-cancer-wisc-prog", "haberman-survival", "ilpd-indian-liver", "mammographic",
        "statlog-german-credit", "tic-tac-toe", "vertebral-column-2clases", "contrac", "glass"]
FOLDS = StratifiedKFold(5, shuffle=True, random_state=1)


def grid(model, folds, **values):
    """A model behind standardised columns, its parameters chosen by log-loss."""
    name = type(model).__name__.lower()
    return GridSearchCV(make_pipeline(StandardScaler(), model), {f"{name}__{key}": value for key, value in values.items()},
                        scoring="neg_log_loss", cv=StratifiedKFold(folds, shuffle=True, random_state=2))


def methods(fathom):
    boosting = HistGradientBoostingClassifier(random_state=1)
    found = {
        "fathom": lambda: fathom.FathomClassifier(threads=1),
        "fathom, averaged": lambda: fathom.FathomClassifier(threads=1, average=True),
        "SVC": lambda: grid(SVC(probability=True, random_state=1), 5, C=[0.3, 1, 10, 100], gamma=["scale", 0.01, 0.1]),
        "MLP": lambda: grid(MLPClassifier(50, solver="lbfgs", max_iter=200, random_state=1), 3, alpha=[0.01, 0.1, 1, 10, 30]),
        "logistic": lambda: grid(LogisticRegression(max_iter=1000), 5, C=list(10.0 ** np.arange(-4, 5))),
        "HistGB": lambda: grid(boosting, 3, learning_rate=[0.03, 0.1], max_leaf_nodes=[4, 31]),
    }
    if LGBMClassifier:
        found["LightGBM"] = lambda: grid(LGBMClassifier(verbose=-1, n_jobs=1, random_state=1), 3, learning_rate=[0.03, 0.1], num_leaves=[4, 31])
    return found


def nested(make, X, y):
    """accuracy, log-loss, AUC of rows left out, processor seconds."""
    classes = np.unique(y)
    chance, start = np.zeros((len(y), len(classes))), time.process_time()
    for train, test in FOLDS.split(X, y):
        chance[test] = make().fit(X[train], y[train]).predict_proba(X[test])
    seconds = time.process_time() - start
    chance = np.clip(chance, 1e-15, 1)
    area = roc_auc_score(y, chance[:, 1]) if len(classes) == 2 else roc_auc_score(y, chance, multi_class="ovr", average="macro")
    return accuracy_score(y, classes[chance.argmax(1)]), log_loss(y, chance / chance.sum(1, keepdims=True)), area, seconds


def ranks(values):
    """Mean ranks over sets, ties shared: methods x sets x (accuracy, log-loss, AUC, seconds) gives methods x 3."""
    order = np.stack([-values[:, :, 0], values[:, :, 1], -values[:, :, 2]], 2)
    return (1 + (order[:, None] > order[None]).sum(1) + 0.5 * ((order[:, None] == order[None]).sum(1) - 1)).mean(1)


def summary(values, chosen):
    print("\n| method | accuracy | log-loss | AUC | mean rank: accuracy | log-loss | AUC | seconds |\n|---|---|---|---|---|---|---|---|")
    for method, of, rank in zip(chosen, values, ranks(values)):
        mean = of.mean(0)
        print(f"| {method} | {mean[0]:.4f} | {mean[1]:.4f} | {mean[2]:.4f} | {rank[0]:.2f} | {rank[1]:.2f} | {rank[2]:.2f} | {of[:, 3].sum():.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--methods", default="")
    parser.add_argument("--data", default=os.path.join(os.environ.get("FATHOM_SHARED", "../shared"), "data", "uci"))
    parser.add_argument("--keep")
    asked = parser.parse_args()
    sys.path.insert(0, os.path.join(asked.build, "python"))
    import fathom

    warnings.simplefilter("ignore")
    chosen = {name: make for name, make in methods(fathom).items() if not asked.methods or name in asked.methods.split(",")}
    kept = json.load(open(asked.keep)) if asked.keep and os.path.exists(asked.keep) else {}
    print("| set, log-loss | rows | " + " | ".join(chosen) + " |")
    print("|---" * (2 + len(chosen)) + "|")
    for name in asked.sets.split(","):
        rows = np.genfromtxt(os.path.join(asked.data, name + ".csv"), delimiter=",", skip_header=1)
        X, y = rows[:, :-1], rows[:, -1].astype(int)
        for method, make in chosen.items():
            if method not in kept.setdefault(name, {}):
                kept[name][method] = nested(make, X, y)
                if asked.keep:
                    json.dump(kept, open(asked.keep, "w"))
        print(f"| {name} | {len(y)} | " + " | ".join(f"{kept[name][method][1]:.3f}" for method in chosen) + " |", flush=True)
    summary(np.array([[kept[name][method] for name in asked.sets.split(",")] for method in chosen]), chosen)


if __name__ == "__main__":
    main()
