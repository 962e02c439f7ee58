#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""standing.py BUILD [--long] [--seed S] [--planted]: standing sets of awkward data through every command, and relations that must hold between runs.

Sets: scales from 1e-300 to 1e300, one row, more columns than rows, equal and nearly equal rows, zeros, subnormal numbers, ... through every command,
and every option of `train`, `path`, `margin` and `cones` with --verify: an answer or a refusal with exit code 2 or 5, every number of it finite, bounds in order,
every certificate accepted. Relations (train and margin have more of them in sweep.py): data scaled by 2^k, rows or columns permuted, signs
turned, a row twice with half its weight, a column of ones beside --bias augment: the same answer, or the one that follows. --long: all pairs of
sets and options. --planted changes an answer."""
import argparse, itertools, json, math, os, random, sys, tempfile

import sweep
from sweep import awkward

LIMIT = ["--time-limit", "5"]
COMMANDS = {  # command: options that are tried on every set
    "train": ["", "--bias free", "--bias augment --normalize standardize"],
    "path": ["--points 2 --effort 1"],
    "margin": ["", "--kind global", "--width 9", "--kind ntk-full --samples 500"],
    "cones": ["", "--measure --samples 500", "--faces"],
    "kernel": ["", "--layers both", "--ridge 0.1", "--width 9"],
    "geometry": ["", "--extreme basis", "--normalize unit"],
    "flow": ["--until steps=5", "--until steps=5 --method sgd", "--until steps=3 --method flow", "--net huber:1 --until steps=5 --width 4",
             "--loss squared --until steps=5 --targets standardize"],
    "check": ["--theorem 001:spike-free", "--theorem 003:1.1", "--theorem 000:6.1 --width 4", "--theorem 004:4.1 --until steps=5"],
}
TRAIN = ["--loss squared", "--loss logistic", "--loss hinge", "--loss huber:0.5", "--loss quantile:0.8", "--loss equality", "--bias augment", "--bias free", "--scale mean",
         "--normalize unit", "--normalize standardize", "--model linear", "--model gated --gates all", "--model gated --gates 7",
         "--method cells", "--method columns --effort 1", "--method cutting --effort 1", "--method gates --gates all", "--method closed",
         "--select sparse", "--select min-norm", "--targets classes", "--beta-rel 1.5", "--beta-rel 1e-6", "--beta 0", "--gap 0.5", "--features 1",
         "--rows 0:1", "--certificate-size 0.001"]
VERIFIED = {
    "train": TRAIN,
    "path": ["--points 2 " + options for options in ("", "--bias free", "--cv 2", "--loss logistic", "--model gated --gates all")],
    "margin": ["", "--kind global", "--width 9", "--bias augment", "--normalize unit", "--as-doubles", "--gap 0.5", "--method sample --samples 500"],
    "cones": ["", "--faces", "--bias augment", "--as-doubles", "--count", "--normalize unit"],
}


def sets(r):
    """Name, rows and targets of every standing set."""
    x = awkward.gauss(r, 5, 2)
    y = awkward.targets(r, x)
    for k in (-300, -200, -150, -30, 30, 100, 150, 200, 300):
        size = 10.0**k
        yield f"x*1e{k}", [[e * size for e in row] for row in x], y
        yield f"y*1e{k}", x, [t * size for t in y]
    for n, d in ((1, 1), (1, 2), (1, 5), (2, 5), (3, 7)):
        some = awkward.gauss(r, n, d)
        yield f"{n}x{d}", some, awkward.targets(r, some)
    for family in (awkward.equal_rows, awkward.near_rows, awkward.zero_row, awkward.antipodes, awkward.rank_one, awkward.grid):
        yield awkward.draw(r, family)
    yield "equal rows, other targets", [x[0], x[0], x[1]], [1.0, -1.0, 2.0]
    yield "next to each other", [[e, 1.0] for e in (1.0, math.nextafter(1.0, 2), math.nextafter(1.0, 0))], [1.0, -1.0, 1.0]
    yield "zeros", [[0.0, 0.0]] * 3, [1.0, -1.0, 1.0]
    yield "zero targets", x, [0.0] * 5
    yield "one class", x, [1.0] * 5
    yield "subnormal", [[5e-324, -1e-310], [1e-320, 3e-308], [-5e-324, 2e-315]], [1.0, -1.0, 1.0]
    yield "largest", [[1.7e308, -1.7e308], [1e308, 1.6e308], [-1.7e308, 0.0]], [1.0, -1.0, 1.0]
    yield "both ends", [[5e-324, 1.7e308], [1.7e308, 5e-324], [1.0, 1.0]], [1.0, -1.0, 1.0]
    yield "negative zeros", [[-0.0, 1.0], [0.0, -1.0], [1.0, -0.0]], [1.0, -1.0, 1.0]
    yield "large integers", [[2.0**53, 1.0], [2.0**53 - 1, 1.0], [-2.0**53, 3.0]], [1.0, -1.0, 1.0]


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return itertools.chain.from_iterable(map(numbers, value))
    return [value] if isinstance(value, float) else []


class Standing(sweep.Sweep):
    def judge(self, words, result):
        super().judge(words, result)
        for point in result.get("path", []):
            super().judge(words, point)
        if not all(map(math.isfinite, numbers(result))):
            self.fail(words, "a number is not finite")

    def fail(self, words, why):
        super().fail(words, f"{self.name}: {why}")

    def put(self, x, y):
        awkward.write(self.file, x, y)

    def on_set(self, name, x, y, command, options):
        self.name = name
        self.put(x, awkward.labels(y) if command in ("margin", "check") or "logistic" in options or "hinge" in options else y)
        self.run(command, self.file, *options.split(), *LIMIT)

    def verified(self, name, x, y, command, options):
        """What was proved is checked at once; a second run gives the same answer without."""
        self.on_set(name, x, y, command, options + " --verify")

    def all_sets(self, r, long):
        """Every set through every command; each option once with --verify, or everywhere."""
        every = list(sets(r))
        tries = [(command, options) for command in COMMANDS for options in COMMANDS[command]]
        proofs = [(command, options) for command in VERIFIED for options in VERIFIED[command]]
        if not long:  # each option once, and every set
            some = itertools.cycle(r.sample(every, len(every)))
            tries, proofs = ([(*next(some), t) for t in kind] for kind in (tries, proofs))
        else:
            tries, proofs = ([(*some, t) for some in every for t in kind] for kind in (tries, proofs))
        for name, x, y, (command, options) in tries:
            self.on_set(name, x, y, command, options)
        for name, x, y, (command, options) in proofs:
            self.verified(name, x, y, command, options)

    def answers(self, command, *options):
        """What a command says about the data in the file: {name: (lower, upper)}; None where it was refused."""
        code, result = self.run(command, self.file, *options, *LIMIT)
        if code not in (0, 3):
            return None
        found = {}
        if command == "path":
            for k, point in enumerate(result.get("path", [])):
                found[f"objective {k}"] = (point["lower_bound"], point["objective"])
        if command in ("train", "margin"):
            low, high = ("lower_bound", "objective") if command == "train" else ("lower", "upper")
            found[high] = (result.get(low), result.get(high))
        if command == "kernel":
            for name in ("lambda_min", "lambda_max"):
                found[name] = (result.get(name + "_lower"), result.get(name + "_upper"))
        for name in ("cones", "rank", "rank_exact", "hyperplanes", "general_position", "spike_free", "rank_one", "faces", "conflict"):
            if result.get(name) is not None and not isinstance(result[name], (list, dict, str)):
                found[name] = (float(result[name]),) * 2
        found = {name: ends for name, ends in found.items() if None not in ends}  # a limit may leave an end open
        if self.planted:
            found = {name: (a + 1000, b + 1000) if self.runs % 2 else (a, b) for name, (a, b) in found.items()}
        return found

    def compare(self, words, one, other, by=1.0):
        """Two intervals for one number meet, up to the rounding of `by`; what only one run decided is left out."""
        if one is None or other is None:
            return
        for name in one.keys() & other.keys():
            factor = by if name in ("upper", "lambda_min", "lambda_max") else 1.0
            (a, b), (c, d) = one[name], (other[name][0] * factor, other[name][1] * factor)
            room = 1e-13 * max(abs(b), abs(d))
            if max(a, c) > min(b, d) + room:
                self.fail(words, f"{name}: [{a!r}, {b!r}] and [{c!r}, {d!r}] for one problem in two words")

    def relations(self, r):
        """One problem and its other words, for every command whose answer follows."""
        self.name, x, y = awkward.draw(r)
        command, options = r.choice([("path", ["--points", "2", "--effort", "1"]), ("margin", []), ("cones", []), ("kernel", []), ("geometry", []),
                                     ("kernel", ["--layers", "both"]), ("margin", ["--kind", "global"]), ("cones", ["--faces"])])
        if command == "margin":
            y = awkward.labels(y)
            x = [row if any(row) else [1.0] * len(row) for row in x]
        self.put(x, y)
        plain = self.answers(command, *options)
        for name, x2, y2, k in self.others(r, x, y):
            if k and command == "path":
                k, x2 = 0, x  # its penalties are relative: the objective is that of the row before
            self.put(x2, y2)
            degree = {"margin": 1, "kernel": 2}.get(command, 0)
            if abs(degree * k) < 900 and options != ["--layers", "both"] or not k:
                self.compare([command, name, str(k), repr(x), repr(y), *options], plain, self.answers(command, *options),
                             math.ldexp(1.0, -degree * k))
        self.twice(r, command, options, x, y, plain)
        self.ones(command, options, x, y)

    def twice(self, r, command, options, x, y, plain):
        """A row twice changes no cone and no margin, nor, with half its weight each, an objective."""
        i = r.randrange(len(x))
        if command in ("cones", "margin"):
            self.put(x + [x[i]], y + [y[i]])
            other = self.answers(command, *options)
            for name in ("general_position", "cover_count"):
                (other or {}).pop(name, None)
            self.compare([command, "twice", repr(x), repr(y), str(i), *options], plain, other)
        weights = [1.0] * len(x)
        for loss in ("squared", "logistic"):
            labels = awkward.labels(y) if loss == "logistic" else y
            words = ["--loss", loss, "--weights", str(len(x[0])), "--effort", "1", "--beta", "0.25"]
            self.put([row + [w] for row, w in zip(x, weights)], labels)
            one = self.answers("train", *words)
            halves = [0.5 if j == i else w for j, w in enumerate(weights)] + [0.5]
            self.put([row + [w] for row, w in zip(x + [x[i]], halves)], labels + [labels[i]])
            self.compare(["train", "halves", repr(x), repr(labels), str(i), *words], one, self.answers("train", *words))

    def ones(self, command, options, x, y):
        """A column of ones is what --bias augment adds."""
        if command == "path":
            return
        self.put(x, y)
        one = self.answers(command, *options, "--bias", "augment")
        self.put([row + [1.0] for row in x], y)
        self.compare([command, "ones", repr(x), repr(y), *options], one, self.answers(command, *options))

    def predictions(self, r, folder):
        """Outputs of a model on rows in another order, and on data and weights scaled by 2^k against each other: the same bits."""
        n, d, m, k = 7, 3, 4, r.choice([-300, -20, 20, 300])
        x, u = awkward.gauss(r, n, d), awkward.gauss(r, m, d)
        w = awkward.gauss(r, m, 1)
        order = r.sample(range(n), n)
        outputs = []
        for rows, factor in ((x, 0), ([x[i] for i in order], 0), (awkward.scaled(x, k), -k)):
            model = {"format": "fathom-model-1", "kind": "relu", "activation": "relu", "d": d, "m": m, "outputs": 1,
                     "U": awkward.scaled(u, factor), "W": w}
            path, out = os.path.join(folder, "m.json"), os.path.join(folder, "out.csv")
            with open(path, "w") as file:
                json.dump(model, file)
            with open(self.file, "w") as file:
                file.writelines(",".join(map(repr, row)) + "\n" for row in rows)
            code, _ = self.run("predict", path, self.file, "-o", out)
            outputs.append(open(out).read().split("\n")[1:-1] if code == 0 else None)
        if outputs[0] != outputs[2] or [outputs[0][i] for i in order] != outputs[1]:
            self.fail(["predict", repr(x), repr(u), repr(w)], f"other bits: {outputs}")

    def trajectories(self, r):
        """The loss of `flow` is a mean: rows in another order, or all of them twice, give the same steps up to rounding."""
        self.name, x = "gauss", awkward.gauss(r, 6, 3)
        y = [r.choice([-1.0, 1.0]) for _ in range(5)] + [1.0]
        y[0] = -1.0
        order = r.sample(range(6), 6)
        for options in (["--width", "5"], ["--width", "5", "--method", "flow"], ["--net", "leaky", "--width", "6"], ["--net", "gated", "--width", "5"]):
            seen = []
            words = [(x, y), ([x[i] for i in order], [y[i] for i in order]), (x + x, y + y)]
            for rows, labels in words[:2 if "flow" in options else 3]:  # the steps of a flow are chosen by its error
                self.put(rows, labels)
                code, result = self.run("flow", self.file, *options, "--until", "steps=4", *LIMIT)
                seen.append([result[key] for key in ("log_loss", "norm", "margin")] if code in (0, 3) else None)
            if self.planted:
                seen[1] = None
            if None in seen or any(abs(a - b) > 1e-10 * (1 + abs(a)) for other in seen[1:] for a, b in zip(seen[0], other)):
                self.fail(["flow", repr(x), repr(y), *options], f"another trajectory for rows in other words: {seen}")

    def explanations(self, r, folder):
        """Rows explained in another order have the same contributions, and a model converted to NPZ and back the same outputs: bit for bit."""
        self.name, x, u = "gauss", awkward.gauss(r, 5, 3), awkward.gauss(r, 4, 3)
        model = {"format": "fathom-model-1", "kind": "relu", "activation": "relu", "d": 3, "m": 4, "outputs": 1, "U": u, "W": awkward.gauss(r, 4, 1)}
        path, other = os.path.join(folder, "m.json"), os.path.join(folder, "m.npz")
        with open(path, "w") as file:
            json.dump(model, file)
        order, seen = r.sample(range(5), 5), []
        self.run("convert", path, "--to", "npz", "-o", other)
        for rows, name in ((x, path), ([x[i] for i in order], path), (x, other)):
            with open(self.file, "w") as file:
                file.writelines(",".join(map(repr, row)) + "\n" for row in rows)
            code, result = self.run("explain", name, self.file)
            seen.append([(row["output"], row["columns"], row["neurons"]) for row in result["rows"]] if code == 0 else None)
        if None in seen or [seen[0][i] for i in order] != seen[1] or seen[0] != seen[2]:
            self.fail(["explain", repr(x), repr(model)], f"other contributions: {seen}")

    def go(self, trials, long):
        with tempfile.TemporaryDirectory() as folder:
            self.file = os.path.join(folder, "data.csv")
            if not self.planted:
                self.all_sets(random.Random(self.seed), long)
            for trial in range(trials):
                self.relations(random.Random(self.seed * 1000003 + trial))
            self.predictions(random.Random(self.seed), folder)
            for trial in range(max(1, trials // 10)):
                self.trajectories(random.Random(self.seed * 7919 + trial))
                self.explanations(random.Random(self.seed * 7919 + trial), folder)
        print(f"{len(COMMANDS) + 1} commands, {len(list(sets(random.Random(1))))} sets, {self.runs} runs, {len(self.faults)} faults (seed {self.seed})")
        return 1 if self.faults else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    job = Standing(os.path.abspath(arguments.build), arguments.seed, arguments.planted, arguments.keep)
    trials = 2 if arguments.planted else arguments.trials if arguments.trials is not None else 200 if arguments.long else 3
    sys.exit(job.go(trials, arguments.long))
