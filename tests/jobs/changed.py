#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""changed.py BUILD [--planted]: an NPY file whose rows stay in it (--map always) is cut or written to while a command runs.

No command dies of it: each ends with exit code 5 and the file's name, and leaves no output; where the file stays as it is, it ends well.
A scratch folder without room, or that is not there, is told. --planted: the file is left alone.
"""
import os
import subprocess
import sys
import tempfile
import time

ROWS, COLUMNS = 60000, 40
DATA = "big.npy --labels big.labels.npy --map always"
LINES = [  # with outputs, long enough to be met half-way
    f"train {DATA} --model gated --gates 40 --beta-rel 1e-4 --gap 1e-9 -o out.json --checkpoint state.npz",
    f"flow {DATA} --loss squared --method gd --width 20 --until steps=1000000 -o out.json",
    f"train {DATA} --model gated --gates 10 --beta-rel 1e-4 --gap 1e-12 --loss logistic -o out.json --certificate cert --normalize unit",
]
OUTPUTS = ("out.json", "state.npz", "cert", "cert.npy", "cert.csv")


def cut(path):
    os.truncate(path, 4096)


def write(path):
    with open(path, "r+b") as file:
        file.seek(-8, os.SEEK_END)
        file.write(b"\0" * 8)


def replace(path):
    """Another file of that name: the rows of the first one are still there, and the command goes on."""
    os.rename(path, "moved.npy")
    open(path, "wb").close()


def problems(fathom, line, how, planted):
    with open("kept.npy", "rb") as file:
        content = file.read()
    with open("big.npy", "wb") as file:
        file.write(content)
    # Bytes that are gone are met on the way; that others were written is seen when the command ends.
    limit = ["--time-limit", "600" if how is cut and not planted else "4"]
    process = subprocess.Popen([fathom, *line.split(), *limit, "-q", "--threads", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while process.poll() is None and "big.npy" not in "".join(mapped(process.pid)):
        time.sleep(0.01)
    time.sleep(0.3)
    if not planted:
        how("big.npy")
    said = process.communicate()[1].strip()
    left = [name for name in OUTPUTS if os.path.exists(name)]
    for name in left:
        os.unlink(name)
    if how is replace:
        if process.returncode not in (0, 3):
            yield f"$ fathom {line}: {how.__name__}: exit code {process.returncode}: {said}"
        return
    if process.returncode != 5 or "big.npy" not in said:
        yield f"$ fathom {line}: {how.__name__}: exit code {process.returncode}: {said}"
    elif [name for name in left if name != "state.npz"]:  # a state of before is one
        yield f"$ fathom {line}: {how.__name__}: left {left}"


def mapped(process):
    try:
        with open(f"/proc/{process}/maps") as file:
            return file.readlines()
    except OSError:
        return []


def main(build, *flags):
    fathom = os.path.abspath(os.path.join(build, "fathom"))
    planted = "--planted" in flags
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        subprocess.run([fathom, "gen", f"gen:gauss,n={ROWS},d={COLUMNS},target=teacher,k=3", "-o", "big.npy", "-q"], check=True)
        os.rename("big.npy", "kept.npy")
        cases = [(LINES[0], cut), (LINES[1], cut), (LINES[1], write), (LINES[1], replace)]
        if planted:
            cases = cases[:1]
        found = [problem for line, how in cases for problem in problems(fathom, line, how, planted)]
        os.chdir("/")
    print(*found, f"{len(cases)} runs with their file changed, {len(found)} problems", sep="\n")
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
