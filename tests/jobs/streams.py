#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""streams.py BUILD [--planted]: an NPY file several times larger than --memory trains, predicts and scores within it, with the bits of rows that are read.

Every line runs with --memory, and without it on rows that are read. Resident at the peak is at most the limit and what the program takes
for itself (that of a small problem), SLACK more for what comes between two looks of the thread that gives memory back; without a limit the file itself is resident, so that the check can fail.
--planted: the lines are run without their limit.
"""
import os
import sys
import tempfile

ROWS, COLUMNS = 100000, 400  # 320 MB
SMALL = "train gen:gauss,n=10,d=3 --model gated --gates 5"
SLACK = 0.06  # GB
DATA = "big.npy --labels big.labels.npy"
LINES = [  # command line, GB
    (f"train {DATA} --model gated --gates 10 --beta-rel 0.1 --gap 0.3 -o OUT.json", 0.16),
    (f"train {DATA} --model gated --gates 8 --beta-rel 0.1 --gap 0.3 --normalize standardize --bias augment -o OUT.json", 0.16),
    ("predict with.json big.npy -o OUT.csv", 0.08),
    (f"flow {DATA} --loss squared --method sgd --width 5 --until steps=100 --normalize unit -o OUT.json", 0.08),
]


def run(fathom, line):
    """(gigabytes resident at the peak, exit code)."""
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(fathom, [fathom, *line.split(), "-q", "--threads", "2"])
    _, status, usage = os.wait4(child, 0)
    return usage.ru_maxrss * 1024 / 1e9, os.waitstatus_to_exitcode(status)


def problems(fathom, line, limit, planted):
    name = "with" + (".json" if "OUT.json" in line else ".csv")
    other = name.replace("with", "without")
    base = run(fathom, SMALL)[0]
    peak, code = run(fathom, line.replace("OUT.json", name).replace("OUT.csv", name) + ("" if planted else f" --memory {limit}"))
    free, again = run(fathom, line.replace("OUT.json", other).replace("OUT.csv", other) + " --map never")
    print(f"{peak:.3f} GB resident with {limit} GB, {free:.3f} without: {line}", flush=True)
    if (code, again) not in ((0, 0), (3, 3)):
        yield f"$ fathom {line}: exit codes {code} and {again}"
    elif open(name, "rb").read() != open(other, "rb").read():
        yield f"$ fathom {line}: DIFFERENT BITS"
    if peak > base + limit + SLACK:
        yield f"$ fathom {line}: {peak:.3f} GB are resident, {base:.3f} of them the program's own, with --memory {limit}"
    if free < 8e-9 * ROWS * COLUMNS:
        yield f"$ fathom {line}: the rows do not take what they should: nothing is shown"


def main(build, *flags):
    fathom = os.path.abspath(os.path.join(build, "fathom"))
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        run(fathom, f"gen gen:gauss,n={ROWS},d={COLUMNS},target=teacher,k=3 -o big.npy")
        found = [p for line, limit in LINES for p in problems(fathom, line, limit, "--planted" in flags)]
        os.chdir("/")
    print(*found, sep="\n")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
