#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py BUILD [--trials N] [--seed S] [--keep FOLDER] [--planted]: what commands print for people, on awkward data (tests/support/awkward.py).

No number in words that only programmers know (nan, inf). A printed objective, and the one in the model file, is at least the value of the
network in the file in rational arithmetic (tests/support/exactly.py), the printed lower bound is not above it, and the printed gap covers their difference."""
import argparse, json, math, os, random, re, shutil, subprocess, sys, tempfile
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import awkward, exactly

STRANGE = re.compile(r"(?<![\w.])[-+]?(nan|inf)(?!\w)", re.IGNORECASE)
NUMBER = r"([-+0-9.e]+)"


class Words:
    def __init__(self, build, seed, planted, keep):
        self.build, self.seed, self.planted, self.keep, self.faults, self.runs = build, seed, planted, keep, 0, 0

    def fail(self, words, why):
        self.faults += 1
        if self.keep:
            shutil.copy(self.file, os.path.join(self.keep, f"words-{self.seed}-{self.faults}.csv"))
        print(f"FAULT {why}\n      {' '.join(words)}", flush=True)

    def run(self, *words):
        """The exit code and the text of a command."""
        self.runs += 1
        command = [os.path.join(self.build, "fathom"), *words, "--threads", "1"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        text = done.stdout + done.stderr
        if self.planted:
            text += "beta_max nan\n"
        if done.returncode not in (0, 1, 2, 3, 5):
            self.fail(words, f"exit code {done.returncode}: {done.stderr.strip()[-200:]}")
        for line in text.splitlines():
            if STRANGE.search(line):
                self.fail(words, f"no words for people: {line}")
        return done.returncode, text

    def judge(self, words, text, model, value):
        """The printed line, the file's number and the true value (not above the network's)."""
        line = re.search(rf"^objective +{NUMBER}", text, re.M)
        lower = re.search(rf"^lower bound +{NUMBER}", text, re.M)
        gap = re.search(rf"^gap +{NUMBER}", text, re.M)
        kept = model["training"]["objective"]
        if kept is None or not line:
            return
        printed = Fraction(float(line[1]))
        if printed < Fraction(kept) or Fraction(kept) < value:
            self.fail(words, f"printed {line[1]}, kept {kept!r}, but the network has {float(value)!r} (+ {float(value - Fraction(kept)):.3g})")
        if lower and Fraction(float(lower[1])) > Fraction(model["training"]["lower_bound"]):
            self.fail(words, f"the printed lower bound {lower[1]} is above {model['training']['lower_bound']!r}")
        if gap and Fraction(float(gap[1])) < Fraction(model["training"]["gap"]):
            self.fail(words, f"the printed gap {gap[1]} is below {model['training']['gap']!r}")

    def targets(self, r, loss, y):
        if loss in ("logistic", "hinge"):
            return r.choice([awkward.labels(y), awkward.labels(y), [1.0] * len(y)])
        return awkward.classes(y, 3) if loss == "softmax" else r.choice([y, y, y, [0.5] * len(y), [0.0] * len(y)])

    def coded(self, loss, y):
        """As the loss sees them."""
        values = sorted(set(y))
        if loss == "softmax" and len(values) > 2:
            return loss, [values.index(t) for t in y]
        if loss in ("logistic", "hinge", "softmax"):
            return loss.replace("softmax", "logistic"), [1.0 if t == max(values) and (len(values) > 1 or t > 0) else -1.0 for t in y]
        return loss, y

    def train(self, r, folder):
        _, x, y = awkward.draw(r)
        loss = r.choice(["squared", "squared", "logistic", "hinge", "equality", "softmax", "huber:0.5", "absolute", "quantile:0.8"])
        bias = r.choice(["none", "augment", "free"])
        model = r.choice([[], [], ["--method", "cells"], ["--model", "gated", "--gates", "all"], ["--model", "gated", "--gates", "7"],
                          ["--method", "columns"], ["--method", "gates", "--gates", "9"], ["--model", "linear"], ["--method", "cutting"]])
        y = self.targets(r, loss, y)
        scale = r.choice([[], [], ["--scale", "mean"]])
        weights = r.random() < 0.3
        mass = [r.choice([0, 0.5, 1, 3]) for _ in y] if weights else [1] * len(y)
        mass[0] = 2 if weights else 1
        with open(self.file, "w") as file:
            for row, w, t in zip(x, mass, y):
                file.write(",".join(map(repr, [*row, *([w] if weights else []), t])) + "\n")
        out = os.path.join(folder, "model.json")
        words = ["train", self.file, "--loss", loss.replace("softmax", "logistic"), "--bias", bias, *model, *scale, "--effort", "1", "-o", out]
        words += ["--weights", str(len(x[0]))] if weights else []
        words += [] if loss == "equality" else ["--beta-rel", r.choice(["0.5", "0.1", "1e-2", "1e-4", "1.5"])]
        code, text = self.run(*words)
        if code not in (0, 3) or not os.path.exists(out):
            return
        with open(out) as file:
            net = json.load(file)
        os.unlink(out)
        kept = [(row + [1.0] if bias == "augment" else row, w, t) for row, w, t in zip(x, mass, y) if w > 0]
        rows, mass, y = map(list, zip(*kept))
        if loss == "equality" or net["training"]["objective"] is None:
            value = exactly.norm(net) if loss == "equality" else Fraction(0)
        else:
            kind, coded = self.coded(loss, y)
            value = exactly.objective(net, rows, coded, kind, net["training"]["beta"], len(y) if scale else 1, mass,
                                      exactly.sizes(net) / 2 if "linear" in model else None)
        self.judge(words, text, net, value)

    def others(self, r, folder):
        """One line of another command."""
        _, x, y = awkward.draw(r)
        labels = r.choice([awkward.labels(y), [1.0] * len(y)])
        y, words = r.choice([
            (y, ["path", self.file, "--points", "3", "--bias", "free", "--effort", "1"]),
            (labels, ["path", self.file, "--points", "2", "--loss", "logistic", "--cv", "2", "--effort", "1"]),
            (labels, ["margin", self.file, "--time-limit", "2"]),
            (labels, ["margin", self.file, "--kind", "global", "--time-limit", "2"]),
            (labels, ["margin", self.file, "--width", "5"]),
            (labels, ["margin", self.file, "--kind", "ntk-full", "--samples", "200"]),
            (y, ["kernel", self.file]), (y, ["kernel", self.file, "--layers", "both", "--width", "9"]),
            (y, ["cones", self.file, "--measure", "--time-limit", "2"]),
            (y, ["geometry", self.file, "--extreme", "basis", "--time-limit", "2"]),
            (y, ["geometry", self.file, "--extreme", "targets", "--bias", "free", "--time-limit", "2"]),
            (labels, ["flow", self.file, "--width", "4", "--until", "steps=5"]),
            (y, ["flow", self.file, "--width", "4", "--loss", "squared", "--until", "steps=5"]),
            (labels, ["flow", self.file, "--width", "4", "--method", "flow", "--until", "steps=5", "--net", "leaky"]),
            (labels, ["check", self.file, "--theorem", r.choice(["000:6.2", "002:2", "003:3.2", "004:6.2"]), "--until", "steps=5", "--width", "4"]),
        ])
        awkward.write(self.file, x, y)
        self.run(*words)

    def classifier(self, r):
        """The hinge on the line: support and sign changes against the outputs of all optimal networks, which are exact."""
        x = r.choice([lambda: sorted(r.sample(range(-9, 10), r.randint(2, 9))), lambda: [row[0] for row in awkward.spaced(r)],
                      lambda: [10.0**6 + r.gauss(0, 1) for _ in range(6)]])()
        y = [r.choice([-1.0, 1.0]) for _ in x]
        y[0], y[-1] = -1.0, 1.0
        awkward.write(self.file, [[float(t)] for t in x], y)
        words = ["train", self.file, "--loss", "hinge", "--bias", "free", "--beta-rel", r.choice(["1e-3", "0.05", "0.1", "0.3", "0.6", "0.9"])]
        self.runs += 1
        done = subprocess.run([os.path.join(self.build, "fathom"), *words, "--json", "--quiet"], capture_output=True, text=True, timeout=60)
        result = json.loads(done.stdout)
        support, spread = set(result["classifier"]["support"]), max(x) - min(x)
        for t in result["classifier"]["crossings"]:
            if abs(t - x[0]) > 1e6 * spread:
                self.fail(words, f"a sign change at {t!r}, {abs(t - x[0]) / spread:.3g} times as far as the rows")
        outputs = {place: ends for place, *ends in result.get("minimisers", {}).get("values", [])}
        for i, (t, label) in enumerate(zip(x, y)):
            least, largest = outputs.get(t, (None, None))
            ends = sorted(label * e for e in (least, largest)) if None not in (least, largest) else (-math.inf, math.inf)
            if ends[1] <= 1 and i not in support or ends[0] > 1 + 1e-5 and i in support:
                self.fail(words, f"row {i}: y f in {ends} for all optimal networks, support {sorted(support)}")

    def model_of_nothing(self, folder):
        """A network without neurons, looked at in every way."""
        awkward.write(self.file, [[1.0, 0.0], [0.0, 1.0]], [1.0, -1.0])
        out = os.path.join(folder, "model.json")
        self.run("train", self.file, "--loss", "logistic", "--beta", "100", "-o", out)
        for words in (["margin", self.file, "--model", out], ["predict", out, self.file], ["info", out]):
            self.run(*words)

    def go(self, trials):
        with tempfile.TemporaryDirectory() as folder:
            self.file = os.path.join(folder, "data.csv")
            self.model_of_nothing(folder)
            for trial in range(trials):
                r = random.Random(self.seed * 1000003 + trial)
                (self.others if trial % 3 == 2 else self.train)(r, folder)
                self.classifier(r)
        print(f"{self.runs} runs, {self.faults} faults (seed {self.seed})")
        return 1 if self.faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--trials", type=int, default=int(45 * float(os.environ.get("FATHOM_TEST_EFFORT", "1"))))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER", help="where the data of every fault goes")
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    words = Words(arguments.build, arguments.seed, arguments.planted, arguments.keep)
    sys.exit(words.go(1 if arguments.planted else arguments.trials))
