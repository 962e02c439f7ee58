#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""seeds.py BUILD: writes the seeds of the harnesses whose inputs fathom itself writes (checkpoint, cones, describe); after a change of format."""
import os
import shutil
import subprocess
import sys
import tempfile

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
TRAIN = "train gen:gauss,n=7,d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --checkpoint FILE"
SEEDS = [  # harness, name, first byte, command line
    ("checkpoint", "flow", b"f", "flow gen:xor,n=8 --net huber --width 6 --until steps=20 --checkpoint FILE"),
    ("checkpoint", "cells", b"a", TRAIN),
    ("checkpoint", "columns", b"c", TRAIN + " --method columns"),
    ("checkpoint", "margin", b"m", "margin gen:gauss,n=6,d=3,target=sign --kind ntk-full --samples 200 --checkpoint FILE"),
    ("checkpoint", "path", b"p", "path gen:gauss,n=7,d=3,target=teacher --model gated --gates 4 --points 2 --checkpoint FILE"),
    ("cones", "witnesses", b"", "cones gen:gauss,n=5,d=3 --list FILE"),
    ("cones", "patterns", b"", "cones gen:gauss,n=9,d=2 --witness no --list FILE"),
    ("cones", "faces", b"", "cones gen:parity,d=2,all=1 --faces --list FILE"),
    ("describe", "train", b"", "train gen:gauss,n=5,d=2,target=teacher --certificate FILE"),
    ("describe", "gated", b"", "train gen:gauss,n=5,d=2,target=teacher --model gated --gates 4 --certificate FILE"),
    ("describe", "margin", b"", "margin gen:circle,n=4 --certificate FILE"),
    ("describe", "global", b"", "margin gen:circle,n=4 --kind global --certificate FILE"),
    ("describe", "cones", b"", "cones gen:circle,n=4 --certificate FILE"),
]

if __name__ == "__main__":
    fathom = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    for harness in {seed[0] for seed in SEEDS}:
        shutil.rmtree(os.path.join(CORPUS, harness), ignore_errors=True)
        os.makedirs(os.path.join(CORPUS, harness))
    for harness, name, first, line in SEEDS:
        with tempfile.TemporaryDirectory() as scratch:
            words = [word.replace("FILE", "out") for word in line.split()]
            code = subprocess.run([fathom, *words, "--quiet", "--threads", "1"], cwd=scratch, stdout=subprocess.DEVNULL).returncode
            if code not in (0, 3):
                sys.exit(f"fathom {line}: exit code {code}")
            with open(os.path.join(scratch, "out"), "rb") as made, open(os.path.join(CORPUS, harness, name), "wb") as seed:
                seed.write(first + made.read())
