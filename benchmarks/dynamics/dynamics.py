#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Descent and SGD beside PyTorch in float64, gradient flow beside fixed-step descent and an adaptive ODE solver, in one run.

    benchmarks/dynamics/dynamics.py build/fathom [--scale 1] [--limit 60]

Steps: the same network, data, loss and step for both, one thread each, best of three; seconds per step are the difference of two runs of
different length, so that starting a program does not count. Flow: parity in d = 20, n = 64, width 16, until the mean loss is 1e-6 and e^-100;
what is counted are evaluations of the gradient on all examples. The plain solver (SciPy, without events) gets --limit seconds.
A peer that is not installed is left out with a word.
"""
import argparse
import json
import subprocess
import time

import numpy as np


def flow(program, *words):
    out = subprocess.run([program, "flow", *words, "--json"], capture_output=True, text=True, check=False)
    if not out.stdout:
        raise SystemExit(out.stderr)
    return json.loads(out.stdout)


def seconds_per_step(run, few, many):
    """Best of three of (time of `many` steps - time of `few`) / their difference."""
    best = float("inf")
    for _ in range(3):
        times = []
        for steps in (few, many):
            begin = time.perf_counter()
            run(steps)
            times.append(time.perf_counter() - begin)
        best = min(best, (times[1] - times[0]) / (many - few))
    return best


def torch_descent(torch, x, y, m, single):
    """Steps of gradient descent, or on one example after the other, on both layers of a ReLU network."""
    n, d = x.shape
    features, labels = torch.tensor(x), torch.tensor(y)
    first = torch.randn(m, d, dtype=torch.float64).div_(d**0.5).requires_grad_()
    second = torch.randn(m, dtype=torch.float64).div_(m**0.5).requires_grad_()
    optimiser = torch.optim.SGD([first, second], lr=0.01)

    def run(steps):
        for t in range(steps):
            rows = slice(t % n, t % n + 1) if single else slice(None)
            optimiser.zero_grad(set_to_none=True)
            outputs = torch.relu(features[rows] @ first.T) @ second
            torch.nn.functional.softplus(-labels[rows] * outputs).mean().backward()
            optimiser.step()

    return run


def compare_steps(program, scale):
    try:
        import torch
        torch.set_num_threads(1)
    except ImportError:
        torch = None
        print("PyTorch is not installed: its columns are left out")
    rows = [("gd", 64, 16, 20, 20000), ("gd", 128, 200, 3, 5000), ("gd", 500, 100, 20, 2000), ("gd", 2000, 1000, 200, 20),
            ("sgd", 1000, 100, 50, 200000), ("sgd", 1000, 1000, 200, 10000)]
    print(f"{'method':8}{'n':>6}{'m':>6}{'d':>5}{'fathom s/step':>16}{'torch s/step':>16}{'ratio':>8}")
    for method, n, m, d, steps in rows:
        many = max(20, int(steps * scale))
        spec = f"gen:gauss,n={n},d={d},target=sign"
        base = [spec, "--width", str(m), "--method", method, "--threads", "1", "--every", "1000000000"]
        mine = seconds_per_step(lambda k: flow(program, *base, "--until", f"steps={k}"), many // 10, many)
        line = f"{method:8}{n:6}{m:6}{d:5}{mine:16.3g}"
        if torch:
            rng = np.random.default_rng(1)
            x, y = rng.standard_normal((n, d)), np.where(rng.random(n) < 0.5, 1.0, -1.0)
            less = max(20, many // (10 if method == "sgd" else 4))
            peer = seconds_per_step(torch_descent(torch, x, y, m, method == "sgd"), less // 10, less)
            line += f"{peer:16.3g}{peer / mine:8.1f}"
        print(line, flush=True)


def parity(d=20, n=64, m=16, seed=1):
    rng = np.random.default_rng(seed)
    x = np.where(rng.random((n, d)) < 0.5, 1.0, -1.0) / d**0.5
    return x, d * x[:, 0] * x[:, 1], rng.standard_normal((m, d)) / d**0.5, rng.standard_normal(m) / m**0.5


class Solver:
    """dW/dtau = gradient of the smoothed margin, as a plain right-hand side: kinks are not known to the solver."""

    def __init__(self, limit):
        self.x, self.y, self.v, self.a = parity()
        self.count, self.end, self.log_loss = 0, time.perf_counter() + limit, 0.0

    def field(self, _, w):
        m, d = self.v.shape
        v, a = w[:m * d].reshape(m, d), w[m * d:]
        self.count += 1
        if time.perf_counter() > self.end:
            raise TimeoutError
        z = self.x @ v.T
        p = self.y * (np.maximum(z, 0) @ a)
        log_l = np.where(p > 30, -p, np.log(np.logaddexp(0, -p)))
        top = log_l.max()
        log_sum = top + np.log(np.exp(log_l - top).sum())
        self.log_loss = log_sum - np.log(len(p))
        log_q = -np.logaddexp(0, p) - np.where(log_sum < -30, log_sum, np.log(-np.expm1(-np.exp(min(log_sum, 30.0)))))
        force = np.exp(log_q) * self.y
        gate = (z > 0) * force[:, None]
        return np.concatenate([(a[:, None] * (gate.T @ self.x)).ravel(), (np.maximum(z, 0) * force[:, None]).sum(0)])


def plain_solver(limit, level):
    try:
        from scipy.integrate import RK45
    except ImportError:
        print("SciPy is not installed: the plain solver is left out")
        return
    s = Solver(limit)
    start = np.concatenate([s.v.ravel(), s.a])
    solver = RK45(s.field, 0, start, 1e9, rtol=1e-8, atol=1e-10)
    try:
        while solver.status == "running" and s.log_loss > level:
            solver.step()
        print(f"  RK45 without events, rtol 1e-8: {s.count} evaluations, tau = {solver.t:.4g}, ln R = {s.log_loss:.4g}")
    except TimeoutError:
        print(f"  RK45 without events, rtol 1e-8: not there after {s.count} evaluations and {limit:g} s: tau = {solver.t:.4g}, "
              f"ln R = {s.log_loss:.4g}")


def compare_flow(program, limit):
    base = ["gen:parity,d=20,n=64", "--width", "16", "--threads", "1"]
    for level in (np.log(1e-6), -100.0):
        print(f"flow to ln R = {level:.5g}, parity d = 20, n = 64, m = 16")
        reference = flow(program, *base, "--method", "flow", "--accuracy", "reference", "--until", f"log_loss={level}")
        for accuracy in ("fast", "default", "reference"):
            begin = time.perf_counter()
            r = flow(program, *base, "--method", "flow", "--accuracy", accuracy, "--until", f"log_loss={level}")
            error = abs(r["normalized_margin"] / reference["normalized_margin"] - 1)
            print(f"  {accuracy:10} {r['evaluations']:8} evaluations {time.perf_counter() - begin:8.2f} s, margin off by {error:.1e}")
        # Descent with steps eta reaches time t after t / eta of them: counted by extrapolation from the flow's own clock.
        eta = 0.01
        print(f"  descent, eta = {eta}: about e^{reference['log_time'] - np.log(eta):.4g} evaluations (its time over eta)")
        plain_solver(limit, level)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the numbers of steps")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the plain solver")
    options = parser.parse_args()
    compare_steps(options.program, options.scale)
    compare_flow(options.program, options.limit)


if __name__ == "__main__":
    main()
