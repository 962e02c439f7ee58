#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""beside.py BUILD|- [--long] [--planted]: fits of fathom and of others in turns in one process; neither slows the other down.

The package is that of the build folder, or with - the one that is installed (tests/matrix/beside: the wheel). Others: NumPy
products, scikit-learn (boosted trees on OpenMP, logistic regression) and, where it is installed, PyTorch. What one library
with threads can do to another is looked at by itself, in numbers that a busy machine leaves as they are:

  idle     processor time of fathom's threads during fits of the other, in parts of what those fits need: threads that wait
           must sleep (the threads of a library are those that its own fits have started);
  threads  how many threads each library says that it uses, before the first turn and after the last;
  born     threads that are started once every library had its first fits: pools that are made anew, in every other turn
           or more often (on a busy machine a pool may get a thread late, and one that ends may still be seen);
  bits     results of fathom, with the other loaded and alone;
  cost     processor time of a fit on one thread, where nobody waits, over that in a process alone: turns of both processes
           one after the other, the least of all turns. Turns go on until the ratio is within LIMIT, PATIENCE of them at most:
           a busy machine makes some turns longer, a library that is slower beside another is so in every turn.

What the others' threads do during fits of fathom (OpenBLAS in NumPy spins for a while after a product) is printed and not
judged. The other is loaded first; --long: also after fathom, and more turns. Ends with 1 where "!" marks something;
--planted is a fathom that does all of this wrong.
"""
import argparse
import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import threading
import time

IDLE, LIMIT, PATIENCE = 0.02, 1.25, 60
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "FATHOM_THREADS")}


def with_fathom(threads):
    import numpy as np

    import fathom

    X = np.random.default_rng(1).normal(size=(300, 10))
    y = np.maximum(X[:, 0], 0) - X[:, 1] * 0.3

    def fit():
        a = fathom.train(X, y, model="gated", gates=60, threads=threads)
        b = fathom.kernel(X, y, ridge=0.0, threads=threads)
        return hashlib.sha256(repr((a.objective, a.lower_bound, b.lambda_min)).encode()).hexdigest()
    return fit


def planted_fathom(threads):
    """Spins after a fit, starts a thread for each, needs twice the time beside another, and takes its threads away."""
    fit, spinning = with_fathom(threads), []

    def spin():
        while time.process_time() < 600:
            pass

    def wrong():
        if threads > 1:
            spinning.append(threading.Thread(target=spin, daemon=True))
            spinning[-1].start()
            from threadpoolctl import threadpool_limits
            threadpool_limits(1)
            return str(len(spinning)) + fit()
        return fit() and fit() if len(sys.argv[-1].split(",")) > 1 else fit()
    return wrong


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
        for _ in range(10):
            descent.zero_grad()
            torch.nn.functional.mse_loss(net(X), y).backward()
            descent.step()
    return fit


ALL = {"fathom": with_fathom, "numpy": with_numpy, "sklearn": with_sklearn, "torch": with_torch}


def used():
    """{thread: seconds that it has run} of this process."""
    seen = {}
    for task in os.listdir("/proc/self/task"):
        try:
            with open(f"/proc/self/task/{task}/schedstat") as file:
                seen[task] = int(file.read().split()[0]) * 1e-9
        except OSError:  # it has ended
            pass
    return seen


def numbers_of_threads():
    """{library: its number of threads}, as the libraries say."""
    told = {}
    if importlib.util.find_spec("threadpoolctl"):
        from threadpoolctl import threadpool_info
        told = {p["filepath"]: p["num_threads"] for p in threadpool_info()}
    if "torch" in sys.modules:
        told["torch"] = sys.modules["torch"].get_num_threads()
    return told


class Turns:
    """Fits in turns; who started which thread, and what threads have used during whose fits."""

    def __init__(self, names, threads, planted):
        self.owner = {task: None for task in used()}
        import numpy  # noqa: F401 - which all of them load
        self.owner.update((task, "numpy") for task in used() if task not in self.owner)
        self.fits = {}
        for name in names:  # some start threads when they are loaded
            self.fits[name] = (planted_fathom if planted and name == "fathom" else ALL[name])(threads)
            self.owner.update((task, name) for task in used() if task not in self.owner)
        self.turns = 0
        self.born = []  # turns, after the first two, in which a thread was started
        self.times = {name: [] for name in names}  # processor seconds of a fit
        self.spent = {name: {other: 0.0 for other in names} for name in names}  # during fits of name, by threads of other
        self.bits, self.numbers = set(), numbers_of_threads()

    def take(self):
        born = 0
        for name, fit in self.fits.items():
            before, start = used(), time.process_time()
            result = fit()
            seconds, after = time.process_time() - start, used()
            for task in after:
                if task not in self.owner:
                    self.owner[task] = name
                    born += 1
                if self.turns > 1 and self.owner[task] in self.spent[name]:
                    self.spent[name][self.owner[task]] += after[task] - before.get(task, 0.0)
            if self.turns > 1:
                self.times[name].append(seconds)
            if name == "fathom":
                self.bits.add(result)
        if self.turns > 1:
            self.born.append(born > 0)
        self.turns += 1

    def told(self):
        now = numbers_of_threads()
        changed = {os.path.basename(k): [n, now.get(k)] for k, n in self.numbers.items() if now.get(k) != n}
        return {"born": self.born, "times": self.times, "spent": self.spent, "bits": sorted(self.bits), "changed": changed}


class Process:
    """A process that takes a turn when told to."""

    def __init__(self, names, options, threads):
        place = {} if options.build == "-" else {"PYTHONPATH": os.path.join(os.path.abspath(options.build), "python")}
        self.run = subprocess.Popen([sys.executable, __file__, options.build, "--threads", str(threads)] +
                                    ["--planted"] * options.planted + ["--inside", ",".join(names)], text=True,
                                    env={**os.environ, **place, **(ONE_THREAD if threads == 1 else {})},
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def take(self, turns=1):
        for _ in range(turns):
            self.run.stdin.write("\n")
            self.run.stdin.flush()
            told = self.run.stdout.readline()
        return json.loads(told)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run.stdin.close()
        self.run.wait()


def inside(names, options):
    turns = Turns(names, options.threads, options.planted)
    for _ in sys.stdin:
        turns.take()
        print(json.dumps(turns.told()), flush=True)


def cost(pair, options):
    """{name: least processor time in turns over that alone}, on one thread."""
    with Process(pair, options, 1) as both, Process(pair[:1], options, 1) as one, Process(pair[1:], options, 1) as two:
        for turn in range(6 if options.planted else PATIENCE):
            told = [process.take(3 if turn == 0 else 1) for process in (both, one, two)]
            if turn + 1 >= options.rounds:
                ratios = {name: min(told[0]["times"][name]) / min(alone["times"][name]) for name, alone in zip(pair, told[1:])}
                if max(ratios.values()) <= LIMIT:
                    break
    return ratios, turn + 1


def compare(pair, options):
    """Prints what a pair does to each other; how much of it is wrong."""
    other = next(name for name in pair if name != "fathom")
    with Process(pair, options, options.threads) as both:
        told = both.take(options.rounds + 2)
    with Process(["fathom"], options, options.threads) as alone:
        bits = alone.take()["bits"]
    idle, theirs = (told["spent"][a][b] / sum(told["times"][a]) for a, b in ((other, "fathom"), ("fathom", other)))
    ratios, turns = cost(pair, options)
    found = [(idle > IDLE, f"idle {100 * idle:.2f} %"), (bool(told["changed"]), f"threads changed {told['changed']}"),
             (2 * sum(told["born"]) >= len(told["born"]), f"born in {sum(told['born'])} of {len(told['born'])} turns"),
             (told["bits"] != bits, "bits " + ("differ" if told["bits"] != bits else "equal"))]
    found += [(ratio > LIMIT, f"cost of {name} {ratio:.2f}") for name, ratio in ratios.items()]
    words = [("! " if wrong else "") + text for wrong, text in found if wrong or not text.startswith("threads")]
    print(f"{' then '.join(pair)}: {', '.join(words)}; {turns} turns ({other}'s threads during fits of fathom: {100 * theirs:.0f} %)", flush=True)
    return sum(wrong for wrong, _ in found)


def main(options):
    names = [name for name in ALL if name != "fathom" and importlib.util.find_spec(name)]
    names = names[:1] if options.planted else names
    pairs = [[other, "fathom"] for other in names] + [["fathom", other] for other in names] * options.long
    wrong = sum(compare(pair, options) for pair in pairs)
    print(f"{wrong} faults beside {', '.join(names)}")
    return wrong > 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--inside")
    given = parser.parse_args()
    given.rounds = 12 if given.long else 3
    sys.exit(inside(given.inside.split(","), given) if given.inside else main(given))
