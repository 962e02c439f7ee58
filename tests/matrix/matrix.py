#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""matrix.py [--again] [--table FILE] [NAME...]: what does not fit into `make test`, on machines of its own.

Each row of rows.txt names a machine (tests/matrix/machine; `here` is this one) and a command. A row that passed for the
sources of this commit is not run again: build/matrix/NAME.json says so, NAME.log has what was printed. The table of
all rows, with the commit that each was run for, is written to docs/measured/matrix.md; rows that were run in another folder stay
as that table has them, as long as their machine and command are the same. A NAME may end in `*`.
"""
import argparse
import datetime
import fnmatch
import json
import os
import re
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.join(ROOT, "tests", "matrix")
KEPT = os.path.join(ROOT, "build", "matrix")
# What a result depends on; a change elsewhere (documentation) leaves it valid.
SOURCES = ["include", "src", "checker", "tests", "tools", "python", "third_party", "Makefile", "meson.build", "meson_options.txt"]
HEAD = """# The matrix

What was run where, last; `make matrix` runs what is new and writes this table (`tests/matrix/rows.txt` has the commands).

| row | machine | command | result | minutes | commit | day |
|---|---|---|---|---|---|---|
"""


def rows():
    with open(os.path.join(HERE, "rows.txt")) as file:
        for line in file:
            words = line.split("#")[0].split(None, 2)
            if len(words) == 3:
                yield words[0], words[1], words[2].strip()


def version():
    """The commit, and the state of the sources in it."""
    git = lambda *words: subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout
    return git("rev-parse", "--short", "HEAD").strip(), git("ls-tree", "HEAD", *SOURCES)


def kept(name):
    try:
        with open(os.path.join(KEPT, name.replace("/", "-") + ".json")) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def run(name, machine, command, commit, sources):
    """Runs a row; what it prints goes to its log, what it gave is kept."""
    path = os.path.join(KEPT, name.replace("/", "-"))
    words = ["sh", "-c", command] if machine == "here" else [os.path.join(HERE, "machine"), machine, command]
    start = time.monotonic()
    with open(path + ".log", "w") as log:
        code = subprocess.run(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT).returncode
    result = {"result": {0: "passed", 77: "skipped"}.get(code, f"FAILED ({code})"), "machine": machine, "command": command,
              "minutes": round((time.monotonic() - start) / 60, 1), "commit": commit, "sources": sources,
              "day": datetime.date.today().isoformat()}
    with open(path + ".json", "w") as file:
        json.dump(result, file)
    return result


def told(path):
    """{(name, machine, command): the other cells} of the table as it is."""
    try:
        with open(path) as file:
            cells = [re.split(r" *(?<!\\)\| *", line.strip())[1:-1] for line in file if line.startswith("| ")]
    except OSError:
        cells = []
    return {tuple(c[:3]): c[3:] for c in cells if len(c) == 7}


def write_table(path):
    """The kept results as a page; what was never run says so."""
    lines, before = [], told(path)
    for name, machine, command in rows():
        r = kept(name)
        what = [name, machine, "`" + command.replace("|", "\\|") + "`"]
        results = [r.get("result", "not run"), str(r.get("minutes", "")), r.get("commit", ""), r.get("day", "")]
        if (r.get("machine"), r.get("command")) != (machine, command):
            results = before.get(tuple(what), ["not run", "", "", ""])
        lines.append("| " + " | ".join(what + results) + " |\n")
    with open(path, "w") as file:
        file.write(HEAD + "".join(lines))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--again", action="store_true", help="also what has passed for these sources")
    parser.add_argument("--table", default=os.path.join(ROOT, "docs", "measured", "matrix.md"))
    arguments = parser.parse_args()
    os.makedirs(KEPT, exist_ok=True)
    failed = []
    for name, machine, command in rows():
        if arguments.names and not any(fnmatch.fnmatch(name, pattern) for pattern in arguments.names):
            continue
        commit, sources = version()
        result = kept(name)
        same = result.get("sources") == sources and (result.get("machine"), result.get("command")) == (machine, command)
        if arguments.again or not same or result["result"] != "passed":
            print(f"{name}: ", end="", flush=True)
            result = run(name, machine, command, commit, sources)
            print(f"{result['result']}, {result['minutes']} minutes", flush=True)
        failed += [name] * result["result"].startswith("FAILED")
        write_table(arguments.table)
    write_table(arguments.table)
    print(f"{len(failed)} rows failed: {' '.join(failed)}" if failed else "no row failed", "- table in", arguments.table)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
