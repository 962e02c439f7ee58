#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""practice.py FATHOM [--only NAME,...] [--at S,...] [--certificate]: certified gaps at the penalty that cross-validation picks.

One line per set: the relative gap after 2, 10 and 30 processor seconds (--at) of `fathom train --loss logistic --normalize standardize
--bias augment --threads 1`, and the second at which the first bound stood. Processor seconds are those of the child, read when it
reports: a busy machine changes nothing. The run has a time limit that it never meets, and is interrupted after the last of --at.
beta / beta_max stands beside the name; five-fold cross-validation picked it. Sets of several classes are fitted with the softmax loss. With
--certificate the evidence is kept, written and checked. Data come from FATHOM_SHARED or ../shared; a set that is not there is left out.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.environ.get("FATHOM_SHARED", os.path.join(ROOT, "..", "shared")), "data", "uci")
SETS = [  # name, file, beta / beta_max
    ("credit", "credit-approval", 0.03), ("tic-tac-toe", "tic-tac-toe", 0.003), ("mammographic", "mammographic", 0.01),
    ("ilpd", "ilpd-indian-liver", 0.03), ("german", "statlog-german-credit", 0.1),
    ("sonar", "conn-bench-sonar-mines-rocks", 0.03), ("heart", "statlog-heart", 0.1), ("hepatitis", "hepatitis", 0.1),
    ("pima", "pima", 0.1), ("blood", "blood", 0.01), ("haberman", "haberman-survival", 0.03),
    ("parkinsons", "parkinsons", 0.003), ("breast-cancer", "breast-cancer", 0.1), ("ionosphere", "ionosphere", 0.03),
    ("wdbc", "breast-cancer-wisc-diag", 0.01), ("vertebral", "vertebral-column-2clases", 0.01),
    ("magic", "magic", 0.003), ("ijcnn1", "../ijcnn1/ijcnn1.bz2", 0.003), ("a9a", "../a9a/a9a.gz", 0.003),
    ("iris (3)", "builtin:iris", 0.01), ("wine (3)", "wine", 0.003), ("seeds (3)", "seeds", 0.01),
    ("teaching (3)", "teaching", 0.03), ("contrac (3)", "contrac", 0.03), ("glass (6)", "glass", 0.03),
    ("yeast (10)", "yeast", 0.03),
]
REPORT = re.compile(rb"(?:value ([-+.\deE]+))?  bound ([-+.\deE]+)|value ([-+.\deE]+)")


def processor_seconds(pid):
    """User and system time of a process; None where it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as stream:
            fields = stream.read().rsplit(b")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def reports(fathom, path, rel, seconds, more):
    """(processor seconds, value, bound) of every report until `seconds` are over, and of the end; the bound never falls."""
    child = subprocess.Popen([fathom, "train", path, "--loss", "logistic", "--normalize", "standardize", "--bias", "augment",
                              "--beta-rel", str(rel), "--threads", "1", "--time-limit", "100000", "--progress", "always",
                              "--gap", "1e-3", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    value, bound, found, text, now = float("inf"), 0.0, [], b"", 0.0
    while True:
        piece = os.read(child.stderr.fileno(), 4096)
        now = processor_seconds(child.pid) or now
        text += piece
        *lines, text = text.split(b"\r")
        for line in lines:
            for match in REPORT.finditer(line):
                value = min(value, float(match[1] or match[3] or "inf"))
                bound = max(bound, float(match[2] or "-inf"))
                found.append((now, value, bound))
        if not piece:
            break
        if now > seconds:
            child.send_signal(signal.SIGINT)
    answer = child.stdout.read()
    child.wait()
    last = [re.search(name + rb" +([-+.\deE]+)", answer) for name in (b"objective", b"lower bound")]
    if all(last):
        found.append((now, float(last[0][1]), float(last[1][1])))
    return found


def gap_at(found, seconds):
    """The gap of the last report up to then; None before the first."""
    before = [(value, bound) for now, value, bound in found if now <= seconds]
    return 1 - before[-1][1] / before[-1][0] if before else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("fathom")
    parser.add_argument("--only", default="")
    parser.add_argument("--at", default="2,10,30")
    parser.add_argument("--certificate", action="store_true")
    options = parser.parse_args()
    at = [float(s) for s in options.at.split(",")]
    print("set".ljust(24) + "first bound" + "".join(f"{s:>9g} s" for s in at) + "   objective", flush=True)
    for name, stem, rel in SETS:
        paths = (f"{SHARED}/{stem}.csv", f"{SHARED}/{stem}.csv.gz", f"{SHARED}/{stem}")
        path = stem if stem.startswith("builtin:") else next((p for p in paths if os.path.exists(p)), None)
        if path is None or (options.only and name.split()[0] not in options.only.split(",")):
            continue
        with tempfile.TemporaryDirectory() as place:
            found = reports(options.fathom, path, rel, at[-1],
                            ["--certificate", f"{place}/c", "--verify"] if options.certificate else [])
        first = next((now for now, _, bound in found if bound > 0), float("nan"))
        gaps = [gap_at(found, s) for s in at]
        print(f"{name} {rel:g}".ljust(24) + f"{first:11.2f}"
              + "".join("          -" if g is None else f"{g:11.4f}" for g in gaps)
              + (f"   {found[-1][1]:.6g} after {found[-1][0]:.3g} s" if found else ""), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
