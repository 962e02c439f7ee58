#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sweep.py BUILD [--trials N] [--seed S] [--keep FOLDER] [--only train|margin] [--families A,B] [--planted]: random options on awkward data (tests/support/awkward.py), judged by what must hold.

Of every run: no signal, no exit code 1, the lower bound below the objective. With a certificate: fathom-check accepts what was written, and so
does tools/check_certificate.py where the data is small; the bound is that without a certificate, or for trees not far below. Of pairs of runs on the same problem in other words (scaled by 2^k, rows or columns permuted, signs turned): the two intervals
meet, since both hold the optimum."""
import argparse, json, math, os, random, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import awkward

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GAP = 1e-6


class Sweep:
    def __init__(self, build, seed, planted, keep):
        self.build, self.seed, self.planted, self.keep, self.faults, self.runs = build, seed, planted, keep, [], 0
        self.families, self.only, self.named = awkward.FAMILIES, None, False

    def draw(self, r, more=()): return awkward.draw(r, r.choice(self.families + [f for f in more if f not in self.families]))

    def fail(self, words, why):
        self.faults.append(why)
        if self.keep:
            shutil.copy(self.file, os.path.join(self.keep, f"fault-{self.seed}-{len(self.faults)}.csv"))
        print(f"FAULT {why}\n      {' '.join(words)}", flush=True)

    def run(self, *words):
        """The exit code and the result of a command."""
        self.runs += 1
        command = [os.path.join(self.build, "fathom"), *words, "--json", "--quiet", "--threads", "1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        result = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        if done.returncode not in (0, 2, 3, 5):
            self.fail(words, f"exit code {done.returncode}: {done.stderr.strip()[-200:]}")
        if done.returncode in (0, 3):
            self.judge(words, result)
        return done.returncode, result

    def judge(self, words, result):
        low, high = ("lower_bound", "objective") if "objective" in result else ("lower", "upper")
        lower, upper = result.get(low), result.get(high)
        if self.planted and lower is not None:
            lower = upper * 2 + 1
        if lower is not None and upper is not None and not lower <= upper:
            self.fail(words, f"the lower bound {lower!r} is above {upper!r}")

    def check(self, words, code, result, second):
        """Both checkers on the certificate of a run."""
        path, data = result["certificate"], result["certificate_data"]
        programs = [[os.path.join(self.build, "fathom-check"), path, data]]
        if second:
            programs.append([sys.executable, os.path.join(TOP, "tools", "check_certificate.py"), path, data])
        for program in programs:
            done = subprocess.run(program, capture_output=True, text=True, timeout=300)
            if done.returncode:
                self.fail(words, f"exit code {code}, but {os.path.basename(program[-3])}: {done.stdout.strip()[-200:]}")
        for name in {path, data} - {self.file}:
            if os.path.exists(name):
                os.unlink(name)

    def same(self, words, one, other, by=1.0):
        """Two intervals for the same number meet."""
        low, high = ("lower_bound", "objective") if "objective" in one else ("lower", "upper")
        ends = [(r[low] * f, r[high] * f) for r, f in ((one, 1.0), (other, by)) if r.get(high) is not None]
        if len(ends) == 2 and max(e[0] for e in ends) > min(e[1] for e in ends) * (1 + 1e-13):
            self.fail(words, f"two words for one problem, two answers: {ends}")

    def room(self, x, bias, loss, family, on_gates):
        """How much less, relatively, a certificate may prove: trees that end early are not exact."""
        columns = len(x[0]) + (bias == "augment")
        exact = columns <= 2 and loss != "softmax" or family == "rank_one" and bias == "free" or on_gates
        return 3 * GAP if exact else 0.05 if bias == "free" or loss == "softmax" else 1e-3

    def others(self, r, x, y):
        """The problem in other words: name, data, the factor of beta."""
        n, d, k = len(x), len(x[0]), r.choice([-900, -545, -300, -40, 40, 300, 512, 900])
        rows, columns = r.sample(range(n), n), r.sample(range(d), d)
        yield "scaled", awkward.scaled(x, k), y, k
        yield "rows", [x[i] for i in rows], [y[i] for i in rows], 0
        yield "columns", [[row[j] for j in columns] for row in x], y, 0
        yield "signs", [[-e if j == columns[0] else e for j, e in enumerate(row)] for row in x], y, 0

    def train(self, r, folder):
        family, x, y = self.draw(r)
        loss = r.choice(["squared", "squared", "logistic", "hinge", "equality", "softmax", "huber:0.5", "absolute", "quantile:0.8"])
        y = awkward.labels(y) if loss in ("logistic", "hinge") else awkward.classes(y, 3) if loss == "softmax" else y
        bias = r.choice(["none", "augment", "free", "free"])
        model = r.choice([[], [], [], ["--method", "cells"], ["--model", "gated", "--gates", "all"],
                          ["--model", "gated", "--gates", "7"], ["--method", "columns"], ["--method", "gates", "--gates", "9"]])
        on_gates = "--method" in model and "columns" not in model
        options = ["--loss", loss.replace("softmax", "logistic"), "--bias", bias, *model, "--effort", "2"]
        options += r.choice([[], [], ["--scale", "mean"], ["--normalize", "standardize"], ["--normalize", "unit"]])
        options += [] if loss == "equality" else ["--beta-rel", r.choice(["0.5", "0.1", "0.1", "1e-2", "1e-3", "1e-5", "1.5"])]
        awkward.write(self.file, x, y)
        words = ["train", self.file, *options]
        code, plain = self.run(*words)
        if code not in (0, 3):
            return
        words += ["--certificate", os.path.join(folder, "c")]
        proved, result = self.run(*words)
        if proved in (0, 3):
            self.same(words, plain, result)
            self.check(words, proved, result, len(x) * len(x[0]) <= 12)
            if result["lower_bound"] < plain["lower_bound"] - self.room(x, bias, loss, family, on_gates) * plain["objective"]:
                self.fail(words, f"{family}: the bound {plain['lower_bound']!r} becomes {result['lower_bound']!r}")
        if "--normalize" in options or "7" in options or "9" in options:
            return
        factor = plain["beta"]
        for name, x2, y2, k in self.others(r, x, y):
            if name == "scaled" and (bias == "augment" or abs(math.frexp(factor)[1] + k) > 1000):
                continue
            awkward.write(self.file, x2, y2)
            beta = [] if loss == "equality" else ["--beta", repr(math.ldexp(factor, k))]
            rest = [o for i, o in enumerate(options) if "--beta-rel" not in (o, options[i - 1])]
            code, other = self.run("train", self.file, *rest, *beta)
            if code in (0, 3):
                by = math.ldexp(1.0, k) if loss == "equality" else 1.0
                self.same(["train", name, str(k), repr(x), repr(y), *rest, *beta], plain, other, by)

    def methods(self, r):
        """One problem by every method: one beta_max, and no global bound above an objective."""
        family, x, y = self.draw(r)
        loss = r.choice(["squared", "logistic", "hinge", "softmax", "onehot", "huber:0.5", "absolute", "quantile:0.8"])
        y = awkward.labels(y) if loss in ("logistic", "hinge") else awkward.classes(y, 3) if loss in ("softmax", "onehot") else y
        options = ["--loss", {"softmax": "logistic", "onehot": "squared"}.get(loss, loss), "--bias", r.choice(["none", "augment"])]
        options += ["--targets", "classes"] if loss == "onehot" else []
        options += ["--effort", "1", "--beta-rel", r.choice(["0.5", "0.1", "1e-2", "1e-3"])]
        awkward.write(self.file, x, y)
        words, runs = ["train", self.file, *options], []
        for method in ([], ["--method", "cells"], ["--method", "columns"], ["--method", "gates", "--gates", "9"]):
            code, result = self.run(*words, *method)
            if code in (0, 3):
                runs.append(result)
        for one in runs:
            for other in runs:
                if abs(one["beta_max"] - other["beta_max"]) > 1e-9 * one["beta_max"]:
                    self.fail(words, f"{family}: beta_max {one['beta_max']!r} by {one['method']}, {other['beta_max']!r} by {other['method']}")
                elif one["bound"] == "global" and one["lower_bound"] > other["objective"] * (1 + 1e-8):
                    self.fail(words, f"{family}: bound {one['lower_bound']!r} by {one['method']}, objective {other['objective']!r} by {other['method']}")

    def reached(self, words, code, result):
        """Exit code 0 promises the gap of the kind, or as much as the errors of measures leave."""
        width = (result["upper"] - result["lower"]) / result["upper"] if code == 0 and result["upper"] else 0
        if code == 0 and width > (1.1e-2 if result["method"] == "sample" else 0.1):
            self.fail(words, f"exit code 0, and the interval {result['lower']!r} to {result['upper']!r} is {width:.2g} wide")

    def margin(self, r, folder):
        family, x, y = self.draw(r, [] if self.named else awkward.THIN)
        x = [row if any(row) else [1.0] * len(row) for row in x]
        y = awkward.labels(y)
        options = r.choice([[], [], ["--as-doubles"], ["--kind", "global"], ["--width", "20"]])
        awkward.write(self.file, x, y)
        words = ["margin", self.file, *options, "--time-limit", "5"]
        code, plain = self.run(*words)
        if code not in (0, 3):
            return
        self.reached(words, code, plain)
        words += ["--certificate", os.path.join(folder, "c")]
        proved, result = self.run(*words)
        if proved in (0, 3) and result.get("certificate"):
            self.check(words, proved, result, len(x) * len(x[0]) <= 12)
        for name, x2, y2, k in self.others(r, x, y):
            if "--width" in options and name != "scaled":
                continue  # other gates
            awkward.write(self.file, x2, y2)
            code, other = self.run("margin", self.file, *options, "--time-limit", "5")
            if code in (0, 3):
                self.same(["margin", name, str(k), repr(x), repr(y), *options], plain, other, math.ldexp(1.0, -k))

    def classes_apart(self, r, folder):
        """Softmax far from the origin: what a network proves without a certificate it proves with one."""
        name, x, y = awkward.draw(r, awkward.offset_plane)
        awkward.write(self.file, x, awkward.classes(y, 3))
        words = ["train", self.file, "--loss", "logistic", "--bias", "augment", "--beta-rel", "0.1"]
        code, plain = self.run(*words)
        words += ["--certificate", os.path.join(folder, "c")]
        proved, result = self.run(*words)
        self.check(words, proved, result, False)
        if result["lower_bound"] < plain["lower_bound"] - 3 * GAP * plain["objective"]:
            self.fail(words, f"{name}: the bound {plain['lower_bound']!r} becomes {result['lower_bound']!r}")

    def places(self, r, folder):
        """Few places with several targets each: what is proved of the places is proved of all rows, in every direction of several outputs."""
        for places in (2, 2, 3):
            at = awkward.gauss(r, places, r.randint(2, 4))
            x = [list(row) for row in at + [r.choice(at) for _ in range(r.randint(2, 5))]]
            loss, bias, beta = r.choice(["softmax", "onehot", "squared"]), r.choice(["free", "free", "augment", "none"]), r.choice(["0.1", "0.01"])
            y = awkward.targets(r, x) if loss == "squared" else awkward.classes([r.random() for _ in x], 3)
            awkward.write(self.file, x, y)
            words = ["train", self.file, "--loss", {"softmax": "logistic", "onehot": "squared"}.get(loss, loss), "--bias", bias, "--beta-rel", beta]
            words += ["--targets", "classes"] if loss == "onehot" else []
            code, plain = self.run(*words, "--effort", "10")
            words += ["--effort", "10", "--certificate", os.path.join(folder, "c")]
            proved, result = self.run(*words)
            if (code or proved) not in (0, 3):
                continue
            self.check(words, proved, result, os.path.getsize(result["certificate"]) < 1e5)
            if result["lower_bound"] < plain["lower_bound"] - 3 * GAP * plain["objective"]:
                self.fail(words, f"{places} places, {loss}: the bound {plain['lower_bound']!r} becomes {result['lower_bound']!r}")

    def one_point(self, r, folder):
        """All rows equal, free biases: a constant is best, whatever the loss, and a certificate proves it."""
        for d in (1, 2, 3):
            x = [[r.gauss(0, 1) for _ in range(d)]] * r.randint(4, 6)
            for loss in ("squared", "logistic", "hinge", "softmax", "onehot", "huber:1", "absolute", "quantile:0.3"):
                y = awkward.targets(r, x)
                y = awkward.labels(y) if loss in ("logistic", "hinge") else awkward.classes(y, 3) if loss in ("softmax", "onehot") else y
                awkward.write(self.file, x, y)
                words = ["train", self.file, "--loss", {"softmax": "logistic", "onehot": "squared"}.get(loss, loss), "--bias", "free"]
                words += ["--targets", "classes"] if loss == "onehot" else []
                words += ["--beta-rel", "0.5", "--certificate", os.path.join(folder, "c")]
                code, result = self.run(*words)
                if code:
                    self.fail(words, f"exit code {code}: {result.get('lower_bound')!r} of {result.get('objective')!r}")
                else:
                    self.check(words, code, result, d == 1)

    def advice(self, r):
        """A run that stalls names no method that its problem refuses."""
        for bias in ("free", "augment"):
            x = [[e * (1 + k * 1e-9) for e in row] for row in awkward.gauss(r, 3, 2) for k in range(2)]
            awkward.write(self.file, x, awkward.targets(r, x))
            words = ["train", self.file, "--bias", bias, "--method", "columns", "--beta-rel", "1e-10", "--threads", "1"]
            done = subprocess.run([os.path.join(self.build, "fathom"), *words], capture_output=True, text=True, timeout=300)
            if "--method cells" in done.stdout and bias == "free":
                self.fail(words, f"cells are for problems without free biases: {done.stdout.splitlines()[0]}")

    def apart(self, r):
        """Rows over 600 orders of magnitude: an answer or a refusal, whatever is asked."""
        name, x, y = awkward.draw(r, awkward.apart)
        for command, labels in (("train", y), ("margin", awkward.labels(y)), ("cones", y), ("kernel", y), ("geometry", y)):
            awkward.write(self.file, x, labels)
            self.run(command, self.file, *(["--bias", "free"] if command == "train" else []), "--time-limit", "10")

    def go(self, trials):
        with tempfile.TemporaryDirectory() as folder:
            self.file = os.path.join(folder, "data.csv")
            for trial in range(trials):
                r = random.Random(self.seed * 1000003 + trial)
                margin = trial % 4 == 3 if not self.only else self.only == "margin"
                (self.margin if margin else self.train)(r, folder)
                if not margin:
                    self.methods(r)
            self.apart(random.Random(self.seed))
            self.one_point(random.Random(self.seed), folder)
            for trial in range(4):
                self.advice(random.Random(self.seed + trial))
            self.classes_apart(random.Random(self.seed), folder)
            self.places(random.Random(self.seed), folder)
        print(f"{self.runs} runs, {len(self.faults)} faults (seed {self.seed})")
        return 1 if self.faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--trials", type=int, default=int(24 * float(os.environ.get("FATHOM_TEST_EFFORT", "1"))))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER", help="where the data of every fault goes")
    parser.add_argument("--only", choices=["train", "margin"])
    parser.add_argument("--families", help="of tests/support/awkward.py, separated by commas")
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    sweep = Sweep(arguments.build, arguments.seed, arguments.planted, arguments.keep)
    sweep.only = arguments.only
    sweep.named = bool(arguments.families)
    if sweep.named:
        sweep.families = [f for f in awkward.FAMILIES + awkward.THIN if f.__name__ in arguments.families.split(",")]
    sys.exit(sweep.go(4 if arguments.planted else arguments.trials))
