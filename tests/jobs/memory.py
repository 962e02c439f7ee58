#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""memory.py BUILD [--long] [--planted]: what a command says that it would need is what it takes, within 20 %.

Each line runs without a limit, and what was resident at its peak, less that of a small problem, is what it takes. With --memory of seven tenths
of that it is refused before the work with "would need N GB" (and what is in use already), which must be within 20 % of it; with 13 tenths it runs. Under
a limit no more is resident than that, and a line that has a second way, of less memory, goes it. Sizes are
such that the few MB which libraries take for themselves are little. Smaller ones, of some MB in all, are held against the least --memory with which
they run. --long: a grid of sizes. --planted halves what was said.
"""
import os
import random
import re
import sys
import tempfile

SMALL = {"train": "gen:gauss,n=10,d=3", "path": "gen:gauss,n=10,d=3 --points 2", "kernel": "gen:gauss,n=10,d=3", "margin": "gen:gauss,n=10,d=3,target=sign",
         "cones": "gen:gauss,n=10,d=3", "flow": "gen:gauss,n=10,d=3,target=sign --until steps=1", "fit": "gen:gauss,n=20,d=3 --time 0"}
SHORT = 3  # lines whose first size is in the short form
LINES = [  # template, sizes
    ("kernel gen:gauss,n={},d={}", [(2200, 20), (3000, 100), (2500, 400)]),
    ("margin gen:gauss,n={},d={},target=sign --width {} --gap 0.9 --time-limit 2", [(500, 50, 4000), (1000, 30, 6000), (300, 100, 5000)]),
    ("flow gen:gauss,n={},d={},target=sign --width {} --until steps=2", [(3000, 50, 1000), (1000, 300, 2000), (8000, 10, 800)]),
    ("margin gen:gauss,n={},d={},target=sign --gap 0.9 --time-limit 3", [(2000, 10), (3000, 5)]),
    ("flow gen:gauss,n={},d={},target=sign --width {} --until steps=2 --method sgd", [(3000, 50, 1000), (2000, 200, 1500)]),
    ("flow gen:gauss,n={},d={},target=sign --width {} --until steps=1 --method flow --net scalar", [(40, 5, 200000), (200, 5, 40000)]),
    ("flow gen:gauss,n={},d={},target=sign --width {} --until steps=1 --method flow --net gated", [(40, 5, 200000), (200, 5, 40000)]),
    ("flow gen:gauss,n={},d={},target=sign --width {} --until steps=1 --method flow", [(40, 5, 200000), (200, 5, 40000)]),
    ("train gen:gauss,n={},d={},target=teacher --model gated --gates {} --gap 0.5", [(20000, 100, 500), (40000, 60, 300)]),
    ("train gen:gauss,n={},d={},target=teacher --method cells --gap 0.9", [(40, 5), (400, 3)]),
    ("path gen:gauss,n={},d={},target=teacher --model gated --gates {} --points 2 --ratio 0.5 --gap 0.5", [(20000, 100, 300), (40000, 60, 300)]),
    ("fit gen:gauss,n={},d={},target=teacher --time 0 --time-limit 2", [(20000, 200), (50000, 100)]),
    ("margin gen:gauss,n={},d={},target=sign --kind global --gap 0.9 --time-limit 20", [(400, 3), (60, 4), (30, 5)]),
]
# These have a faster way that takes more memory; with half of it they go the other one.
YIELDING = [
    "path gen:gauss,n=2500,d=50,target=teacher --model gated --gates 100 --points 1 --gap 0.5",
    "train SPARSE --loss logistic --model gated --gates 20 --gap 0.5",
]
# Of these a few MB are what the least --memory is, found by bisection: rows, columns, gates.
FEW = "train gen:gauss,n={},d={},target=teacher --model gated --gates {} --gap 0.5"
SIZES = [(300, 20, 30), (390, 20, 300), (700, 20, 100), (300, 200, 100), (1000, 50, 300), (1500, 5, 60)]
LEAST = [  # the first in the short form
    *(FEW.format(*size) for size in SIZES),
    "train builtin:iris --model gated --gates 100 --gap 0.5",
    "train builtin:iris --model gated --gates 10 --gap 0.5 --loss squared",
    "train gen:gauss,n=900,d=30,target=sign --loss logistic --bias free --model gated --gates 30 --gap 0.1",
    "train SPARSE --rows 0:500 --loss logistic --model gated --gates 50 --gap 0.5",
]
NEAR = 1.25  # and 1 / NEAR


def run(fathom, line, *more):
    """(gigabytes resident at the peak, exit code, what it said)."""
    into, out = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(out, 2)
        os.execv(fathom, [fathom, *line.split(), *more, "-q", "--threads", "2"])
    os.close(out)
    with os.fdopen(into) as file:
        said = file.read()
    _, status, usage = os.wait4(child, 0)
    return usage.ru_maxrss * 1024 / 1e9, os.waitstatus_to_exitcode(status), said.strip()


def write_sparse(path):
    """12,000 rows of 40 numbers in 3,000 columns; a run on a quarter of them may take the products of all its rows."""
    random.seed(1)
    with open(path, "w") as file:
        for _ in range(12000):
            cells = " ".join(f"{column}:{random.random():.3f}" for column in sorted(random.sample(range(1, 3001), 40)))
            file.write(f"{random.choice(('+1', '-1'))} {cells}\n")


def needed(said, limit):
    """What is in use and what would be needed more, in GB; None where nothing is said."""
    found = re.search(r"would need ([0-9.e+-]+) GB; ([0-9.e+-]+) GB are available", said)
    return float(found[1]) + limit - float(found[2]) if found else None


def problems(fathom, line, planted):
    base = run(fathom, f"{line.split()[0]} {SMALL[line.split()[0]]}")[0]
    peak, code, said = run(fathom, line)
    takes = peak - base
    if code not in (0, 3):
        yield f"$ fathom {line}: exit code {code}: {said}"
        return
    limit = 0.7 * takes
    peak, code, said = run(fathom, line, "--memory", repr(limit))
    total = needed(said, limit)
    if planted and total:
        total /= 2
    if code != 6 or total is None:
        yield f"$ fathom {line} --memory {limit:.3f}: exit code {code} and no estimate, where {takes:.3f} GB are taken: {said}"
    elif not takes / NEAR <= total <= takes * NEAR:
        yield f"$ fathom {line}: {total:.3f} GB were said, {takes:.3f} are taken"
    yield from refused(fathom, line, base, 1.3 * takes, takes)


def refused(fathom, line, base, limit, takes):
    """Problems of a line with memory enough."""
    peak, code, said = run(fathom, line, "--memory", repr(limit))
    if code not in (0, 3):
        yield f"$ fathom {line} --memory {limit:.3f}: refused, where {takes:.3f} GB are taken: {said}"
    elif peak - base > limit:
        yield f"$ fathom {line} --memory {limit:.3f}: {peak - base:.3f} GB were resident"


def least(fathom, line, planted):
    """Problems of a line's estimate, held against the least limit with which it runs."""
    low, high, total = 1e-3, 1.0, None  # refused, runs
    while high / low > 1.01:
        limit = (low * high) ** 0.5
        _, code, said = run(fathom, line, "--memory", repr(limit))
        low, high = (limit, high) if code == 6 else (low, limit)
        total = needed(said, limit) or total
    total = total or needed(run(fathom, line, "--memory", repr(0.95 * high))[2], 0.95 * high)  # steps may have left it out
    if planted and total:
        total /= 2
    if total is None:
        yield f"$ fathom {line}: no estimate before a run that takes {high:.5f} GB"
    elif not high / NEAR <= total <= high * NEAR:
        yield f"$ fathom {line}: {total:.5f} GB were said, and it runs with {high:.5f}"


def unyielding(fathom, line):
    """Problems of a line that could do with half of what it takes."""
    base = run(fathom, f"{line.split()[0]} {SMALL[line.split()[0]]}")[0]
    takes = run(fathom, line)[0] - base
    yield from refused(fathom, line, base, 0.5 * takes, takes)


if __name__ == "__main__":
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    long, planted = "--long" in sys.argv, "--planted" in sys.argv
    lines = [template.format(*size) for template, sizes in (LINES if long else LINES[:SHORT]) for size in (sizes if long else sizes[:1])]
    small = LEAST if long else LEAST[:1]
    found = [problem for line in (lines[:1] if planted else lines) for problem in problems(program, line, planted)]
    with tempfile.TemporaryDirectory() as scratch:
        sparse = os.path.join(scratch, "sparse.svm")
        write_sparse(sparse)
        found += [problem for line in small for problem in least(program, line.replace("SPARSE", sparse), planted)]
        if not planted:
            found += [problem for line in YIELDING for problem in unyielding(program, line.replace("SPARSE", sparse))]
    print(*found, f"{len(lines + small)} command lines with their memory measured, {len(found)} problems", sep="\n")
    sys.exit(len(found) > 1 if planted else bool(found))  # the bug is found in both ways
