#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""testing.py BUILD [--check]: the figures of docs/measured/testing.md, from what the jobs themselves printed.

Each row of ROWS names a job and the words in which it counts. Its last output is looked for in the log of the tests (BUILD/meson-logs/testlog.json)
and of the matrix (BUILD/matrix/*.log), and kept with the commit in docs/measured/testing.json; what no log has stays as it was. Executions of the fuzz harnesses
(BUILD/fuzz/tally.json) are added to those kept, and the tally begins anew. --check writes nothing, and fails where the page is not made of the kept figures.
"""
import datetime
import glob
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEPT, PAGE = (os.path.join(ROOT, "docs", "measured", name) for name in ("testing.json", "testing.md"))
BEGIN, END = "<!-- figures: tools/testing.py -->\n", "<!-- end of figures -->\n"
ROWS = [  # what is counted, the test or row of the matrix, the words with the numbers; several matches are summed
    ("faults of files: command lines", "io_faults", r"(\d+) command lines, \d+ runs, faults injected"),
    ("faults of files: runs", "io_faults", r"command lines, (\d+) runs, faults injected"),
    *((f"faults of files: {kind}", "io_faults", rf"faults injected: .*?(\d+) {kind}") for kind in ("open", "read", "write", "fsync", "rename", "close")),
    ("faults of files: calls cut short or interrupted", "io_faults", r"(\d+) calls cut short or interrupted"),
    ("faults of files: problems", "io_faults", r"interrupted; (\d+) problems"),
    ("crashes: moments", "crashes", r"writers, (\d+) moments"),
    ("crashes: states of the disk", "crashes", r"moments, (\d+) states after a crash"),
    ("crashes: damaged files read", "crashes", r"(\d+) damaged files read"),
    ("crashes: problems", "crashes", r"damaged files read; (\d+) problems"),
    ("failing allocations: injected", "allocations", r"allocations, (\d+) of them failed in turn"),
    ("failing allocations: runs rejected", "allocations", r"failed in turn, (\d+) runs rejected"),
    ("standing sets and relations: runs", "standing", r"sets, (\d+) runs"),
    ("standing sets and relations: faults", "standing", r"runs, (\d+) faults"),
    ("random options on awkward data: runs", "sweep", r"(\d+) runs, \d+ faults \(seed"),
    ("random options on awkward data: faults", "sweep", r"runs, (\d+) faults \(seed"),
    ("certificates damaged", "certificates/all", r"(\d+) damaged certificates: "),
    ("outputs told to overwrite something: problems", "files", r"outputs, (\d+) problems"),
    ("memory said and measured: command lines", "memory", r"(\d+) command lines with their memory measured"),
    ("memory said and measured: problems", "memory", r"memory measured, (\d+) problems"),
    ("checker: lines", "coverage", r"fathom-check: (\d+) lines and"),
    ("checker: branches", "coverage", r"lines and (\d+) branches"),
    ("checker: lines not covered whole", "coverage", r"branches, (\d+) lines not covered whole"),
    ("readers: lines", "readers", r"readers: (\d+) lines and"),
    ("readers: branches", "readers", r"readers: \d+ lines and (\d+) branches"),
    ("readers: branches never taken", "readers", r"branches, (\d+) branches never taken"),
]


def outputs(build):
    """{test: what it printed last}, rows of the matrix before tests."""
    found = {}
    path = os.path.join(build, "meson-logs", "testlog.json")
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                test = json.loads(line)
                if test["result"] == "OK":
                    found[re.sub(r"^.* / ", "", test["name"])] = test.get("stdout", "")
    for path in glob.glob(os.path.join(build, "matrix", "*-long.log")):
        with open(path, errors="replace") as file:
            found[os.path.basename(path)[:-len("-long.log")]] = file.read()
    return found


def collect(kept, build):
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True).stdout.strip()
    stamp = {"commit": commit, "day": datetime.date.today().isoformat()}
    printed = outputs(build)
    for name, job, words in ROWS:
        numbers = re.findall(words, printed.get(job, ""))
        if numbers:
            kept[name] = {"value": sum(map(int, numbers)), **stamp}
    tally = os.path.join(build, "fuzz", "tally.json")
    if os.path.exists(tally):
        with open(tally) as file:
            for harness, count in json.load(file).items():
                before = kept.get("fuzz: " + harness, {"value": 0})["value"]
                kept["fuzz: " + harness] = {"value": before + count, **stamp}
        os.rename(tally, tally + ".taken")
    return kept


def table(kept):
    lines = ["| what | job | count | commit | day |\n|---|---|---|---|---|\n"]
    rows = [(name, job) for name, job, _ in ROWS] + [(name, "fuzz") for name in sorted(kept) if name.startswith("fuzz: ")]
    for name, job in rows:
        figure = kept.get(name, {"value": "not run", "commit": "", "day": ""})
        value = figure["value"]
        lines.append(f"| {name} | `{job}` | {value if isinstance(value, str) else format(value, ',')} | {figure['commit']} | {figure['day']} |\n")
    total = sum(figure["value"] for name, figure in kept.items() if name.startswith("fuzz: "))
    plain = sum(figure["value"] for name, figure in kept.items() if name.startswith("fuzz: ") and name.endswith(" without sanitizers"))
    lines.append(f"| fuzz: executions of all harnesses with ASan and UBSan | `fuzz` | {total - plain:,} | | |\n")
    lines.append(f"| fuzz: executions of all harnesses | `fuzz` | {total:,} | | |\n")
    return "".join(lines)


def main():
    check = "--check" in sys.argv
    kept = {}
    if os.path.exists(KEPT):
        with open(KEPT) as file:
            kept = json.load(file)
    if not check:
        kept = collect(kept, sys.argv[1])
    with open(PAGE) as file:
        page = file.read()
    head, rest = page.split(BEGIN)
    made = head + BEGIN + table(kept) + END + rest.split(END)[1]
    if check:
        print("docs/measured/testing.md is made of docs/measured/testing.json" if made == page else "docs/measured/testing.md: figures are not those of docs/measured/testing.json")
        return made != page
    with open(KEPT, "w") as file:
        json.dump(kept, file, indent=1, sort_keys=True)
        file.write("\n")
    with open(PAGE, "w") as file:
        file.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
