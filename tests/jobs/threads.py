#!/usr/bin/env python3
"""threads.py BUILD [--planted] [--long]: the same bits whatever the number of threads, in what is printed and what is written.

The commands of commands.py with 1, 2 and 3 threads, and the first example of README.md. --long: also every line that README.md and the
pages of docs/ show and that benchmarks/ time, with 1, 2, 3 and 8 threads, three times each, while other processes keep the processors
busy. Only `seconds`, times in texts and the recorded `arguments` may differ. --planted, on the first lines, changes the seed together with the number of threads.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import commands
import documents

SKIPPED = ("completion", "manual", "doctor")  # nothing is computed, or the machine is what they tell about
FIRST = "train builtin:wdbc --loss logistic --normalize standardize --bias augment --beta-rel 0.05 --gap 0.01"
BENCHMARKS = [  # small members of the families that benchmarks/ time
    "train gen:gauss,n=200,d=10,target=teacher --model gated --gates 40",
    "train gen:gauss,n=300,d=1,target=teacher --model gated --gates 100",
    "train gen:gauss,n=100,d=5,target=teacher --gap 0.05",
    "train gen:gauss,n=60,d=8,target=sign --loss hinge --gap 0.1 --effort 2",
    "train builtin:iris --loss logistic --bias augment --gap 0.3 --effort 2",
    "path builtin:wdbc --rows 0:200 --loss logistic --normalize standardize --model gated --gates 50",
    "flow gen:gauss,n=500,d=20,target=sign --width 100 --method gd --until steps=50",
    "flow gen:xor,n=128 --width 200 --until log_loss=-5",
    "flow gen:gauss,n=2000,d=20,target=sign --width 300 --method gd --precision single --until steps=50",
    "margin gen:gauss,n=20,d=4,target=sign",
    "margin gen:gauss,n=14,d=3,target=sign --kind global",
    "cones gen:gauss,n=60,d=5",
    "kernel gen:gauss,n=700,d=100",
]


def without(value, keys):
    """A JSON value without the members that may differ."""
    if isinstance(value, dict):
        return {key: without(member, keys) for key, member in value.items() if key not in keys}
    return [without(item, keys) for item in value] if isinstance(value, list) else value


def outcome(fathom, words, threads, planted):
    """(exit code, result, bytes of every file written)."""
    with tempfile.TemporaryDirectory() as scratch:
        commands.make_fixtures(fathom, scratch)
        fixtures = set(os.listdir(scratch))
        seed = threads if planted else 1
        run = subprocess.run([fathom, *words, "--json", "--threads", str(threads), "--seed", str(seed)], cwd=scratch,
                             capture_output=True, text=True)
        files = {name: open(os.path.join(scratch, name), "rb").read()
                 for name in sorted(set(os.listdir(scratch)) - fixtures)}
    result = json.loads(run.stdout) if run.stdout else run.stderr
    return run.returncode, without(result, ("seconds", "stages", "arguments")), files


def texts(build, steps, threads):
    """Exit codes and texts of the lines of a block, run one after the other in an empty folder, times of day left out."""
    environment = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"], "FATHOM_THREADS": str(threads)}
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for command, _ in steps:
            run = subprocess.run(command, shell=True, cwd=scratch, env=environment, text=True, capture_output=True)
            found.append((command, run.returncode, re.sub(r"\d[\d.e+-]* s\b|\"seconds\": \S+|seconds +\S+", "TIME", run.stdout)))
    return found


def report(same, code, what):
    print("same bits" if same else "DIFFERENT BITS", f"(exit code {code}):", what, flush=True)
    return not same or code not in (0, 3)


def short(build, planted):
    fathom, failed = os.path.join(build, "fathom"), 0
    lines = [words for words in commands.expand(fathom, large=True) if words[0] not in SKIPPED]
    for words in [FIRST.split(), *lines[:3 if planted else None]]:
        reference = outcome(fathom, words, 1, planted)
        same = all(outcome(fathom, words, threads, planted) == reference for threads in (2, 3))
        failed += report(same, reference[0], " ".join(["fathom", *words]))
    return failed


def long(build):
    fathom, failed = os.path.join(build, "fathom"), 0
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        for line in BENCHMARKS:
            reference = outcome(fathom, line.split(), 1, False)
            same = all(outcome(fathom, line.split(), threads, False) == reference for threads in (1, 2, 3, 8) * 3)
            failed += report(same, reference[0], "fathom " + line)
        for path, files, _, steps in documents.shown_blocks():
            if files or any(word in command for command, _ in steps for word in SKIPPED + ("--time-limit", " --time ")):  # a limit may cut
                continue
            reference = texts(build, steps, 1)
            same = all(texts(build, steps, threads) == reference for threads in (1, 2, 3, 8) * 3)
            failed += report(same, 0, f"{path}: {steps[0][0]}")
    finally:
        for process in load:
            process.kill()
    return failed


if __name__ == "__main__":
    directory = os.path.abspath(sys.argv[1])
    sys.exit(bool(short(directory, "--planted" in sys.argv) + (long(directory) if "--long" in sys.argv else 0)))
