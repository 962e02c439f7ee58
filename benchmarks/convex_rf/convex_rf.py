#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""convex_rf.py FATHOM [--data mnist,cifar] [--train N] [--filters P] [--seeds S] [--full]: Convex-RF beside its baselines.

Test accuracy on MNIST and on the CIFAR-10 subset (one batch of five) with filters that are extreme points of patches
[001, Alg. 2], the patches themselves, or Gaussian directions, and of least squares on the raw pixels. The penalty is chosen once per
method on the last fifth of the training rows (seed 1), then everything is trained on all rows for S seeds: mean and sample standard
deviation over seeds; "binomial" is the standard error that a finite test set alone leaves. Peak memory is that of the
largest run. --full: all training rows, 400 filters, 5 seeds (minutes); the default is a small run of the same form.
The data comes from FATHOM_SHARED or ../shared; without it the benchmark says so and ends.
"""
import argparse
import gzip
import json
import lzma
import os
import resource
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.environ.get("FATHOM_SHARED", os.path.join(ROOT, "..", "shared")), "data")
SETS = {  # training file and labels, test file and labels, rows, test rows
    "mnist": ("mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz",
              "mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz", 60000, 10000),
    "cifar": ("cifar10/data_batch_1.bin.xz", None, "cifar10/test_batch.bin.xz", None, 10000, 10000),
}
PENALTIES = ["1e-2", "3e-3", "1e-3", "3e-4"]
SOURCES = ["extreme", "patches", "random"]


def fathom(program, *words):
    run = subprocess.run([program, *words, "--json"], capture_output=True, text=True)
    if run.returncode not in (0, 3):
        sys.exit(f"{' '.join(words)}: {run.stderr}")
    return json.loads(run.stdout)


def labels(path):
    return ["--labels", os.path.join(SHARED, path)] if path else []


def train(program, name, rows, filters, source, penalty, seed, model):
    images, targets = SETS[name][:2]
    return fathom(program, "train", os.path.join(SHARED, images), *labels(targets), "--rows", rows,
                  "--model", "convex-rf", "--bias", "free", "--filters", str(filters), "--filter-source", source,
                  "--beta-rel", penalty, "--gap", "1e-4", "--seed", str(seed), "-o", model)


def accuracy(program, model, images, targets, rows=None):
    words = ["predict", model, os.path.join(SHARED, images), *labels(targets), "-o", os.devnull]
    return fathom(program, *words, *(["--rows", rows] if rows else []))["score"]["accuracy"]


def choose(program, name, n, filters, source, model):
    """The penalty with the best accuracy on the last fifth of the training rows."""
    images, targets = SETS[name][:2]
    fit, held = f"0:{n - n // 5}", f"{n - n // 5}:{n}"
    best = (-1, None)
    for penalty in PENALTIES:
        train(program, name, fit, filters, source, penalty, 1, model)
        best = max(best, (accuracy(program, model, images, targets, held), penalty))
    return best[1]


def read(numpy, name, images, targets):
    """Pixels in 0..1 with a constant column, and labels, straight from the files."""
    raw = (lzma if name == "cifar" else gzip).open(os.path.join(SHARED, images)).read()
    if name == "cifar":
        table = numpy.frombuffer(raw, numpy.uint8).reshape(-1, 3073)
        x, y = table[:, 1:], table[:, 0]
    else:
        x = numpy.frombuffer(raw, numpy.uint8, offset=16).reshape(-1, 784)
        y = numpy.frombuffer(gzip.open(os.path.join(SHARED, targets)).read(), numpy.uint8, offset=8)
    return numpy.hstack([x / 255, numpy.ones((len(y), 1))]), y


def pixels(name, n):
    """Ridge least squares on pixels, one-hot; the ridge chosen like the penalties above."""
    try:
        import numpy as np
    except ImportError:
        print("  pixels   numpy is not importable, left out")
        return None
    (x, y), (xt, yt) = (read(np, name, *SETS[name][k:k + 2]) for k in (0, 2))
    x, y, fit = x[:n], y[:n], n - n // 5

    def score(xf, yf, xs, ys, ridge):
        w = np.linalg.solve(xf.T @ xf + ridge * np.eye(xf.shape[1]), xf.T @ np.eye(10)[yf])
        return float(np.mean(np.argmax(xs @ w, axis=1) == ys))

    ridge = max((1e-2, 1, 1e2, 1e3), key=lambda r: score(x[:fit], y[:fit], x[fit:], y[fit:], r))
    return score(x, y, xt, yt, ridge)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("fathom")
    parser.add_argument("--data", default="mnist,cifar")
    parser.add_argument("--train", type=int, default=1000)
    parser.add_argument("--filters", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    program = os.path.abspath(options.fathom)
    if not os.path.isdir(os.path.join(SHARED, "mnist")):
        print(f"no data under {SHARED}: set FATHOM_SHARED; skipped")
        return
    filters, seeds = (400, 5) if options.full else (options.filters, options.seeds)
    with tempfile.TemporaryDirectory() as scratch:
        model = os.path.join(scratch, "model.npz")
        for name in options.data.split(","):
            n = SETS[name][4] if options.full else min(options.train, SETS[name][4])
            tested = SETS[name][5]
            print(f"{name}: {n} training images, {filters} filters, {seeds} seeds, {tested} test images")
            for source in SOURCES:
                penalty = choose(program, name, n, filters, source, model)
                start, scores = time.time(), []
                for seed in range(1, seeds + 1):
                    train(program, name, f"0:{n}", filters, source, penalty, seed, model)
                    scores.append(accuracy(program, model, SETS[name][2], SETS[name][3]))
                mean = sum(scores) / seeds
                spread = (sum((s - mean) ** 2 for s in scores) / max(seeds - 1, 1)) ** 0.5
                print(f"  {source:8} {100 * mean:6.2f} +- {100 * spread:.2f} %  (binomial {100 * (mean * (1 - mean) / tested) ** 0.5:.2f}), "
                      f"beta/beta_max {penalty}, {(time.time() - start) / seeds:.0f} s each", flush=True)
            score = pixels(name, n)
            if score is not None:
                print(f"  {'pixels':8} {100 * score:6.2f} %           (binomial {100 * (score * (1 - score) / tested) ** 0.5:.2f}), least squares")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
