#!/usr/bin/env python3
"""resumes.py BUILD [--runs N] [--planted]: what a signal interrupts and a checkpoint resumes ends as if nothing had happened.

Each line is run to its end, then N times with a checkpoint and a signal (SIGTERM, SIGKILL in turn) at a random moment,
then resumed: every number that the two print is the same, bit for bit. A state without content is read back as well, and
an edited bound is not believed. --planted changes the seed of the resumed run.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile

LINES = [
    "train gen:gauss,n=400,d=15,target=teacher --model gated --gates 200 --beta-rel 1e-3",
    "train gen:gauss,n=200,d=10,target=sign --model gated --gates 100 --beta-rel 1e-2 --loss logistic",
    "train gen:gauss,n=40,d=3,target=teacher --method cells --beta-rel 1e-3",
    "train gen:gauss,n=60,d=4,target=teacher --beta-rel 1e-2 --method columns",
]
EMPTY = "train gen:gauss,n=30,d=4,target=teacher --method cells --beta-rel 1.5"
KEYS = ("objective", "lower_bound", "norm", "iterations", "neurons")


def run(fathom, line, *more):
    return subprocess.run([fathom, *line.split(), "--json", "-q", *more], capture_output=True, text=True)


def interrupted(fathom, line, span, number, planted):
    """The result of a run that a signal ended after about `span` seconds and that was resumed; None where it had no state yet."""
    state = "state.npz"
    if os.path.exists(state):
        os.unlink(state)
    process = subprocess.Popen([fathom, *line.split(), "--json", "-q", "--checkpoint", state], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(span)
    process.send_signal((signal.SIGTERM, signal.SIGKILL)[number % 2])
    process.wait()
    if not os.path.exists(state):
        return None
    return run(fathom, line, "--resume", state, *(["--seed", "2"] if planted else []))


def problems(fathom, runs, planted):
    random.seed(1)
    for line in LINES:
        begin = time.monotonic()
        whole = json.loads(run(fathom, line).stdout)
        seconds = time.monotonic() - begin
        for number in range(runs):
            done = interrupted(fathom, line, random.uniform(0.01, seconds), number, planted)
            if done is None:
                continue
            if done.returncode not in (0, 3):
                yield f"$ fathom {line}: resumed with exit code {done.returncode}: {done.stderr.strip()}"
                continue
            result = json.loads(done.stdout)
            other = [f"{key} {result[key]!r} instead of {whole[key]!r}" for key in KEYS if result[key] != whole[key]]
            if other:
                yield f"$ fathom {line}: resumed with {', '.join(other)}"
    yield from empty_state(fathom)
    yield from edited_bound(fathom)


def empty_state(fathom):
    """A network of no neurons is a state as well."""
    run(fathom, EMPTY, "--checkpoint", "empty.npz")
    done = run(fathom, EMPTY, "--resume", "empty.npz")
    if done.returncode:
        yield f"$ fathom {EMPTY}: its state is not read back: {done.stderr.strip()}"


def edited_bound(fathom):
    """The bound that stands in the state of a gated run, raised by hand."""
    line = f"{LINES[0]} --gap 1e-3"
    first = json.loads(run(fathom, line, "--checkpoint", "bound.npz").stdout)
    with zipfile.ZipFile("bound.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    numbers = bytearray(members["numbers.npy"])
    at = len(numbers) - 10 * 8 + 5 * 8  # iteration, phi, smoothing, damping, objective, bound, ..
    numbers[at:at + 8] = numbers[at - 8:at]  # the objective itself
    with zipfile.ZipFile("edited.npz", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, bytes(numbers) if name == "numbers.npy" else data)
    done = run(fathom, line, "--resume", "edited.npz")
    if done.returncode == 0 and json.loads(done.stdout)["relative_gap"] < first["relative_gap"] / 100:
        yield f"an edited bound is believed: {done.stdout[:400]}"


if __name__ == "__main__":
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    count = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 3
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        found = list(problems(program, count, "--planted" in sys.argv))
    print(*found, f"{len(LINES)} command lines, {count} signals each, {len(found)} problems", sep="\n")
    sys.exit(bool(found))
