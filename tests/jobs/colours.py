#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""colours.py BUILD [--planted]: colours on a terminal, and only there.

On a pseudo-terminal the words that say how a run ended, the names of commands and the beginning of an error are coloured, and without the
sequences the text is that of a pipe. There is none in a pipe (standard output or standard error), with --json, where NO_COLOR has a value, and
where TERM is dumb, empty or unset. --planted: NO_COLOR is forgotten.
"""
import os
import re
import subprocess
import sys
import tempfile

from progress import run

COLOUR = re.compile(r"\033\[([0-9]*)m")
CASES = [  # words, what is painted
    ("train gen:circle,n=6 --beta-rel 0.1 --loss squared --progress never".split(), ["\033[32mcertified\033[0m"]),
    ("train gen:circle,n=6 --beta-rel 0.5 --loss squared --verify --certificate proof --progress never".split(), ["\033[33maccepted\033[0m upper="]),
    ("train gen:gauss,n=9,d=2 --beta-rel 0.5 --loss squared --verify --certificate other --progress never".split(), ["\033[32maccepted\033[0m upper="]),
    ("train builtin:wdbc --loss logistic --time-limit 0 --gap 1e-12 --progress never".split(), ["\033[33mlimit\033[0m"]),
    ("flow gen:circle,n=6 --method gd --loss squared --step const:1e9 --until steps=99 --progress never".split(), ["\033[31mdiverged\033[0m", "\033[31mfathom:\033[0m "]),
    ("train nowhere.csv".split(), ["\033[31mfathom:\033[0m nowhere.csv"]),
    (["traim"], ["\033[31mfathom:\033[0m there is no command"]),
    (["--help"], ["  \033[1mtrain\033[0m       ", "  \033[1mreproduce\033[0m   "]),
    ("train --help".split(), ["usage: fathom \033[1mtrain\033[0m DATA"]),
]
PLAIN = [{"NO_COLOR": "1"}, {"NO_COLOR": "0"}, {"TERM": "dumb"}, {"TERM": ""}]
USUAL = {"TERM": "xterm", "NO_COLOR": ""}  # an empty NO_COLOR is none


def shown(command, **variables):
    pieces, _, _ = run(command, **{**USUAL, **variables})
    return "".join(piece for _, piece in pieces).replace("\r\n", "\n")


def check_case(command, painted):
    """A terminal and two pipes; what takes time or changes with it is left out of the comparison."""
    text = shown(command)
    problems = [f"not on the terminal: {part!r}" for part in painted if part not in text]
    piped = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **USUAL}, check=False)
    if "\033" in piped.stdout + piped.stderr:
        problems.append("colours in a pipe")
    if sorted(COLOUR.sub("", text).splitlines()) != sorted((piped.stdout + piped.stderr).splitlines()):
        problems.append("the text of the terminal is not that of the pipe")
    return problems


def check_plain(command, planted):
    """Where nobody wants them: also with one of the two streams in a file, and with --json."""
    found = []
    for variables in PLAIN:
        if "\033[" in shown(command, **({} if planted else variables)):
            found.append(f"colours that were not asked for: {variables}")
    if "\033[" in shown([*command, "--json"]):
        found.append("colours that were not asked for: --json")
    with tempfile.TemporaryDirectory() as folder:
        for stream in ("1", "2"):
            path = os.path.join(folder, stream)
            text = shown(["/bin/sh", "-c", f'exec "$@" {stream}>{path}', "sh", *command])
            with open(path) as file:
                kept = file.read()
            if "\033[" in kept or (stream == "1" and "\033[" in text):
                found.append(f"colours that were not asked for: stream {stream} is a file")
    return found


def main():
    build, planted = os.path.abspath(sys.argv[1]), "--planted" in sys.argv
    program, problems = os.path.join(build, "fathom"), 0
    folder = tempfile.TemporaryDirectory()
    os.chdir(folder.name)
    for words, painted in CASES:
        print("$ fathom " + " ".join(words), flush=True)
        found = check_plain([program, *words], planted) + check_case([program, *words], painted)
        problems += len(found)
        for problem in found:
            print("    " + problem)
    print(f"{problems} problems")
    return problems > 0


if __name__ == "__main__":
    sys.exit(main())
