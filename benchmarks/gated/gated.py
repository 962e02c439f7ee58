#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gated.py FATHOM [--families s,k,a,a2,b,b2,c1,c2,c1l,c2l,d,i,e] [--limit 8] [--threads 1] [--output FILE]: gated training and its peers.

The same data, gates and penalty for everybody, one machine, one run. For each family and solver: seconds until the
objective is within 1e-2, 1e-4 and 1e-6 of the optimum (relative), and the final certified gap where the solver has
one. The optimum is the best lower bound found, so that nobody is judged by an optimum of their own. fathom's seconds
count from the start of the process, reading of the data included. Peers that are not importable are named and skipped:
scnn (its default stop), a NumPy FISTA, adelie, skglm, and cvxpy with Clarabel on small problems. scikit-learn can express
none of these problems (it has no group norm), but the case of one column, where the group norm is an absolute value:
family `k`, its Lasso and its logistic regression with the penalty l1 being the peers. A line that starts with "!" says where a target fails: fathom certified to 1e-6 in
less time than scnn needs for its default answer, and ten times faster than anybody else to 1e-6.

Every peer runs in a process of its own that ends after 1.5 times the limit and 8 seconds for imports; what it had found by then counts. Each
solver's result is added to FILE (one JSON object per line) as soon as it is there, and a second run with the same FILE does
only what is missing. The table is printed family by family.

Families (objective: mean of losses + beta sum |w_j|, columns of unit norm):
  a   n=1000  d=50  500 gates  teacher of 10 neurons, noise 0.1, beta 1e-3     a2  the same, beta 1e-5
  b   n=5000  d=100 1000 gates, beta 1e-3                                      b2  the same, beta 1e-4
  c1  breast cancer 569 x 30, 500 gates, beta 1e-3                             c2  digits 1797 x 64, +1 where >= 5
  e   n=20000 d=200 2000 gates, beta 1e-3                                      e2  n=40000 d=200 3000 gates
  c1l, c2l  the same two with the logistic loss                                s   n=200 d=10 40 gates, beta 1e-3
  d   n=500 d=20 200 gates, cone constraints (--model relu --method gates)     k   n=2000 d=1, 500 random patterns
  i   n=3000 d=40 2000 gates, targets that are noise, a thousandth of the smallest beta without neurons: nearly interpolates
"""
import argparse
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

LEVELS = (1e-2, 1e-4, 1e-6)
GRACE = 8  # seconds, for imports and compilation of peers
SHAPES = {"a": (1000, 50, 500, 1e-3), "a2": (1000, 50, 500, 1e-5), "b": (5000, 100, 1000, 1e-3),
          "b2": (5000, 100, 1000, 1e-4), "e": (20000, 200, 2000, 1e-3), "s": (200, 10, 40, 1e-3),
          "d": (500, 20, 200, 1e-3), "e2": (40000, 200, 3000, 1e-3)}


def teacher(n, d, random):
    x = random.standard_normal((n, d))
    u = random.standard_normal((10, d)) / np.sqrt(d)
    y = np.maximum(x @ u.T, 0) @ random.standard_normal(10)
    return x, (y - y.mean()) / y.std() + 0.1 * random.standard_normal(n)


class Problem:
    """Data x, y; gates as orientations v (gates x d) or patterns (n x gates); beta; loss; whether neurons stay in cones."""

    def __init__(self, name):
        random = np.random.default_rng(17)
        self.name, self.loss, self.cones = name, "logistic" if name.endswith("l") else "squared", name == "d"
        self.beta, m = 1e-3, 500
        if name in SHAPES:
            n, d, m, self.beta = SHAPES[name]
            x, self.y = teacher(n, d, random)
        elif name == "k":
            x, self.y = random.standard_normal((2000, 1)), random.standard_normal(2000)
        elif name == "i":
            m, x, self.y = 2000, random.standard_normal((3000, 40)), random.standard_normal(3000)
        else:
            from sklearn import datasets
            if name.startswith("c1"):
                x, label = datasets.load_breast_cancer(return_X_y=True)
                x, self.y = (x - x.mean(0)) / x.std(0), 2.0 * label - 1
            else:
                x, label = datasets.load_digits(return_X_y=True)
                x, self.y = x / 16, np.where(label >= 5, 1.0, -1.0)
        norm = np.linalg.norm(x, axis=0)
        self.x = np.ascontiguousarray(x / np.where(norm > 0, norm, 1))
        self.v = random.standard_normal((m, self.x.shape[1]))
        self.gates = random.random((len(x), m)) < 0.5 if name == "k" else self.x @ self.v.T > 0
        self.n, self.d, self.m = len(x), self.x.shape[1], m
        if name == "i":
            self.beta = 1e-3 * np.linalg.norm((self.gates * self.y[:, None]).T @ self.x, axis=1).max() / self.n

    def point_loss(self, f):
        if self.loss == "squared":
            return ((self.y - f)**2).mean() / 2
        return np.logaddexp(0, -self.y * f).mean()

    def residual(self, f):
        """-l'(f), of the sum of losses."""
        return self.y - f if self.loss == "squared" else self.y / (1 + np.exp(self.y * f))

    def dual(self, r, s):
        """Value of the dual at s r, over n."""
        if self.loss == "squared":
            return (s * r @ self.y - s**2 / 2 * r @ r) / self.n
        a = np.clip(s * self.y * r, 0, 1)
        return -(np.where(a > 0, a * np.log(np.where(a > 0, a, 1)), 0) +
                 np.where(a < 1, (1 - a) * np.log1p(-np.where(a < 1, a, 0)), 0)).mean()

    def value(self, w):
        """Objective of weights (gates x d)."""
        return self.point_loss((self.gates * (self.x @ w.T)).sum(1)) + self.beta * np.linalg.norm(w, axis=1).sum()

    def design(self):
        return np.asfortranarray((self.gates[:, :, None] * self.x[:, None, :]).reshape(self.n, self.m * self.d))


class Trace:
    """(seconds, objective) as a solver improves, its lower bound, and how it ended; `path`: a file that points go to as well."""

    path = None  # set in the processes of peers, whose traces survive them

    def __init__(self, **known):
        self.points, self.bound, self.note = [], -np.inf, ""
        self.certified = self.default_stop = None
        self.__dict__.update(known)

    def add(self, seconds, objective):
        self.points.append((float(seconds), float(objective)))
        if Trace.path:
            self.store(Trace.path)

    def store(self, path):
        fields = dict(self.__dict__, bound=float(self.bound) if np.isfinite(self.bound) else None)
        with open(path + ".new", "w") as file:
            json.dump(fields, file)
        os.replace(path + ".new", path)

    @staticmethod
    def load(fields):
        return Trace(**dict(fields, bound=-np.inf if fields["bound"] is None else fields["bound"]))

    def best(self):
        return min((value for _, value in self.points), default=np.inf)

    def reach(self, optimum, level):
        for seconds, value in self.points:
            if value <= optimum * (1 + level):
                return seconds
        return None


def run_fathom(program, problem, limit, threads):
    trace = Trace()
    with tempfile.TemporaryDirectory() as folder:
        np.savez(os.path.join(folder, "data.npz"), X=problem.x, y=problem.y)
        np.save(os.path.join(folder, "gates.npy"), problem.gates.astype(float) if problem.name == "k" else problem.v)
        command = [program, "train", "data.npz", "--gates", "gates.npy", "--beta", repr(problem.beta), "--loss",
                   problem.loss, "--scale", "mean", "--threads", str(threads), "--time-limit", str(limit), "--json",
                   "--quiet", "--model", *(["relu", "--method", "gates"] if problem.cones else ["gated"])]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        trace.note = done.stderr.strip()
        return trace
    result = json.loads(done.stdout)
    for point in result.get("progress", []):
        trace.add(point["seconds"], point["value"])
    trace.add(result["seconds"], result["objective"])
    trace.bound = result["lower_bound"]
    trace.certified = result["seconds"] if result["relative_gap"] <= 1e-6 else None
    trace.note = f"certified gap {result['relative_gap']:.1e}, {result['neurons']} neurons"
    return trace


def run_fista(problem, limit):
    """Accelerated proximal gradient with restarts and a duality gap, in NumPy."""
    x, n, m, beta = problem.x, problem.n, problem.m, problem.beta
    gates = problem.gates.astype(float)
    forward = lambda w: np.einsum("ij,ij->i", gates, x @ w.T)
    adjoint = lambda r: (gates * r[:, None]).T @ x
    probe = np.random.default_rng(1).standard_normal(x.shape[1] * m).reshape(m, -1)
    start = time.time()
    for _ in range(30):
        probe = adjoint(forward(probe))
        lipschitz = np.linalg.norm(probe)
        probe /= lipschitz
    lipschitz *= 1.02 * (1 if problem.loss == "squared" else 0.25)
    w = z = np.zeros((m, x.shape[1]))
    t, trace = 1.0, Trace()
    for step in range(100000):
        moved = z + adjoint(problem.residual(forward(z))) / lipschitz
        size = np.linalg.norm(moved, axis=1, keepdims=True)
        new = moved * np.maximum(0, 1 - n * beta / lipschitz / np.maximum(size, 1e-300))
        later = (1 + np.sqrt(1 + 4 * t * t)) / 2
        if np.sum((z - new) * (new - w)) > 0:
            later, t = 1.0, 1.0
        z, w, t = new + (t - 1) / later * (new - w), new, later
        if step % 10 == 9:
            f = forward(w)
            residual = problem.residual(f)
            value = problem.point_loss(f) + beta * np.linalg.norm(w, axis=1).sum()
            trace.add(time.time() - start, value)
            limit_scale = n * beta / np.linalg.norm(adjoint(residual), axis=1).max()
            best = (residual @ problem.y) / (residual @ residual) if problem.loss == "squared" else 1
            trace.bound = max(trace.bound, problem.dual(residual, min(max(best, 0), limit_scale)))
            if value - trace.bound <= 1e-6 * value or time.time() - start > limit:
                trace.note = f"gap {(value - trace.bound) / value:.1e}, {step + 1} steps"
                return trace
    return trace


def run_clarabel(problem, limit):
    """The same program as a second-order cone program; small problems only."""
    import cvxpy
    x, n, m, beta = problem.x, problem.n, problem.m, problem.beta
    trace = Trace()
    if n * m * x.shape[1] > 2e5 and not problem.cones or problem.loss != "squared":
        trace.note = "not tried: too large"
        return trace
    start = time.time()
    side = np.where(problem.gates, 1.0, -1.0)
    w = [[cvxpy.Variable(x.shape[1]) for _ in range(m)] for _ in range(2 if problem.cones else 1)]
    f = sum((problem.gates[:, j, None] * x) @ (w[0][j] - (w[1][j] if problem.cones else 0)) for j in range(m))
    cones = [(side[:, j, None] * x) @ u >= 0 for half in w for j, u in enumerate(half)] if problem.cones else []
    norm = sum(cvxpy.norm(u) for half in w for u in half)
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(f - problem.y) / (2 * n) + beta * norm), cones)
    program.solve(solver=cvxpy.CLARABEL, time_limit=limit)
    if program.value is None:
        trace.note = program.status
        return trace
    trace.add(time.time() - start, program.value)
    trace.note = f"{program.status}, its own value"
    return trace


def run_design(package, problem, limit):
    """adelie or skglm on the explicit n x (gates d) design."""
    n, d, m, y = problem.n, problem.d, problem.m, problem.y
    trace = Trace()
    if 8.0 * n * m * d > 8e9 or problem.cones or (package == "skglm" and problem.loss != "squared"):
        trace.note = "not tried: " + ("cannot express it" if problem.cones or 8.0 * n * m * d <= 8e9
                                      else "design matrix beyond 8 GB")
        return trace
    if package == "adelie":  # imports and compilation are not counted
        import adelie
    else:
        import skglm
        skglm.GroupLasso(groups=2, alpha=0.1, fit_intercept=False).fit(np.asfortranarray(np.eye(4)), np.ones(4))
    design = problem.design()
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        start = time.time()
        if package == "adelie":
            glm = (adelie.glm.gaussian(y) if problem.loss == "squared" else adelie.glm.binomial((y + 1) / 2))
            state = adelie.grpnet(X=design, glm=glm, groups=np.arange(0, m * d, d), alpha=1, penalty=np.ones(m),
                                  lmda_path=[problem.beta], intercept=False, tol=tolerance, progress_bar=False)
            weights = state.betas.toarray()[-1]
        else:
            weights = skglm.GroupLasso(groups=d, alpha=problem.beta, fit_intercept=False,
                                       tol=tolerance).fit(design, y).coef_
        seconds = time.time() - start
        trace.add(seconds, problem.value(weights.reshape(m, d)))
        if seconds > limit:
            break
    trace.note = "no certificate"
    return trace


def run_sklearn(problem, limit):
    """Lasso, where groups have one column."""
    from sklearn.linear_model import Lasso
    trace = Trace()
    if problem.d != 1 or problem.loss != "squared":
        trace.note = "cannot express it"
        return trace
    design = problem.design()
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        start = time.time()
        model = Lasso(alpha=problem.beta, fit_intercept=False, tol=tolerance, max_iter=100000).fit(design, problem.y)
        trace.add(time.time() - start, problem.value(model.coef_.reshape(-1, 1)))
        if time.time() - start > limit:
            break
    trace.note = "own gap only"
    return trace


def run_scnn(problem, limit):
    """scnn's own stop with its defaults: uncertified. Its unit columns and lambda are ours."""
    import scnn.models
    import scnn.optimize
    import scnn.solvers
    from scnn.metrics import Metrics
    from scnn.regularizers import NeuronGL1
    trace = Trace()
    if problem.loss != "squared" or problem.name == "k":
        trace.note = "cannot express it"
        return trace
    kind = scnn.models.ConvexReLU if problem.cones else scnn.models.ConvexGatedReLU
    model = kind(problem.v.T.copy())
    solver = scnn.solvers.AL(model) if problem.cones else scnn.solvers.RFISTA(model)
    start = time.time()
    model, _ = scnn.optimize.optimize_model(model, solver, Metrics(), problem.x, problem.y.reshape(-1, 1),
                                            regularizer=NeuronGL1(problem.beta), return_convex=True, unitize_data=False)
    seconds = time.time() - start
    # it reorders the gates: outputs by its own model (violations of the cones are forgiven), norms from its weights
    norm = sum(np.linalg.norm(np.asarray(part, dtype=float), axis=-1).sum() for part in model.parameters)
    trace.add(seconds, problem.point_loss(np.asarray(model(problem.x), dtype=float).ravel()) + problem.beta * norm)
    trace.default_stop = seconds
    trace.note = "default stop, says success"
    return trace


def line(name, trace, optimum):
    cells = []
    for level in LEVELS:
        seconds = trace.reach(optimum, level)
        cells.append("      -" if seconds is None else f"{seconds:7.2f}")
    above = (trace.best() - optimum) / optimum
    print(f"  {name:10s} {' '.join(cells)}   {above:9.1e}   {trace.note}", flush=True)


def isolated(run, limit):
    """The trace of run() in a process of its own, which is ended after 1.5 times the limit and the grace."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")

        def work():
            Trace.path = path
            try:
                trace = run()
            except ImportError:
                trace = Trace(note="not importable: skipped")
            except Exception as error:  # a peer that fails is a result, not the end
                trace = Trace(note=f"failed: {str(error)[:80]}")
            trace.store(path)

        process = multiprocessing.get_context("fork").Process(target=work)
        process.start()
        process.join(1.5 * limit + GRACE)
        late = process.is_alive()
        if late:
            process.kill()
            process.join()
        if not os.path.exists(path):
            return Trace(note="nothing within the limit" if late else "died")
        with open(path) as file:
            trace = Trace.load(json.load(file))
        trace.note += "; ended by the limit" if late else ""
        return trace


class Results:
    """Traces by family and solver, kept in a file of JSON lines; without a file, in memory."""

    def __init__(self, path, key):
        self.path, self.key, self.known = path, key, {}
        if path and os.path.exists(path):
            with open(path) as file:
                for text in file:
                    entry = json.loads(text)
                    if entry["key"] == key:
                        self.known[entry["family"], entry["solver"]] = Trace.load(entry["trace"])

    def get(self, family, solver, run):
        if (family, solver) not in self.known:
            trace = self.known[family, solver] = run()
            if self.path:
                fields = dict(trace.__dict__, bound=float(trace.bound) if np.isfinite(trace.bound) else None)
                with open(self.path, "a") as file:
                    file.write(json.dumps({"key": self.key, "family": family, "solver": solver, "trace": fields}) + "\n")
        return self.known[family, solver]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fathom")
    parser.add_argument("--families", default="s,k,a,a2,b,b2,c1,c2,c1l,c2l,d,i,e")
    parser.add_argument("--limit", type=float, default=8)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", help="file of results that grows, and that a later run continues")
    options = parser.parse_args()
    results = Results(options.output, [options.limit, options.threads])
    failed = False
    for name in options.families.split(","):
        problem = Problem(name)
        peers = {"FISTA": lambda limit: run_fista(problem, limit),
                 "Clarabel": lambda limit: run_clarabel(problem, limit),
                 "scikit": lambda limit: run_sklearn(problem, limit),
                 "scnn": lambda limit: run_scnn(problem, limit),
                 "adelie": lambda limit: run_design("adelie", problem, limit),
                 "skglm": lambda limit: run_design("skglm", problem, limit)}
        if problem.cones:
            del peers["FISTA"]
        print(f"{name}: n={problem.n} d={problem.d} gates={problem.m} beta={problem.beta:g} (mean), {problem.loss}")
        print(f"  {'solver':10s} {'1e-2':>7s} {'1e-4':>7s} {'1e-6':>7s}   {'above opt':>9s}   note", flush=True)
        solvers = {"fathom": lambda: run_fathom(os.path.abspath(options.fathom), problem, 6 * options.limit,
                                                options.threads)}
        for peer, run in peers.items():
            solvers[peer] = lambda run=run: isolated(lambda: run(options.limit), options.limit)
        failed = compare({solver: (lambda solver=solver, run=run: results.get(name, solver, run))
                          for solver, run in solvers.items()}) or failed
    return 1 if failed else 0


def compare(solvers):
    """One family: a line per solver, and the targets that fail; true where fathom itself fell short."""
    traces = {}
    for solver, run in solvers.items():
        traces[solver] = run()
    optimum = max(trace.bound for trace in traces.values())
    for solver, trace in traces.items():
        line(solver, trace, optimum)
    own, certified = traces["fathom"].reach(optimum, 1e-6), traces["fathom"].certified
    for solver, trace in traces.items():
        other = trace.reach(optimum, 1e-6)
        if solver != "fathom" and other is not None and (own is None or other < 10 * own):
            print(f"! {solver} needs {other:.2f} s to 1e-6: less than ten times fathom's")
        if trace.default_stop is not None and (certified is None or certified > trace.default_stop):
            print(f"! scnn stops after {trace.default_stop:.2f} s, before fathom is certified to 1e-6")
    return own is None or certified is None


if __name__ == "__main__":
    sys.exit(main())
