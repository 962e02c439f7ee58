#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""progress.py BUILD [--planted]: the progress line on a terminal.

Commands run on a pseudo-terminal whose screen is kept here (carriage return, erase to the end of the line, line feed): of the progress line
nothing is left when they end, and what is on the screen is what they print to a pipe. `fit` says how much time is left, and after a quarter of its
time it is right within a factor of two, for the median of what was said; and the score of the best penalty so far. --planted: a screen that does not erase.
"""
import os
import pty
import re
import statistics
import subprocess
import sys
import time

COMMANDS = [["fit", "gen:gauss,n=4000,d=30,target=teacher,noise=0.1", "--time", "3"],
            ["train", "builtin:wdbc", "--loss", "logistic", "--normalize", "standardize", "--bias", "augment", "--beta-rel", "0.1", "--gap", "0.02"],
            ["path", "builtin:wdbc", "--model", "gated", "--gates", "50", "--loss", "logistic", "--points", "4", "--cv", "2"]]
SCORE = re.compile(r"choosing, mse [0-9.]+")
SAYS = re.compile(r"about ([0-9]+) s left")
CHANGES = re.compile(r"[0-9][0-9.e+-]*")


def run(command, **variables):
    """Text that arrived on a terminal of 100 columns, in pieces with their seconds; the whole time."""
    start = time.monotonic()
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(COLUMNS="100", NO_COLOR="1")
        os.environ.update(variables)
        os.execv(command[0], command)
    pieces = []
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        pieces.append((time.monotonic() - start, piece.decode()))
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return pieces, time.monotonic() - start, os.waitstatus_to_exitcode(status)


def screen(text, erases):
    """The lines of the screen."""
    lines, line, column, k = [], "", 0, 0
    while k < len(text):
        if text.startswith("\033[K", k):
            line = line[:column] if erases else line
            k += 3
            continue
        if text[k] == "\n":
            lines.append(line)
            line, column = "", 0
        elif text[k] == "\r":
            column = 0
        else:
            line = line[:column] + text[k] + line[column + 1:]
            column += 1
        k += 1
    return lines + ([line] if line else [])


def check_screen(command, pieces, erases):
    text = "".join(piece for _, piece in pieces)
    if "\033[K" not in text:
        return ["no progress was shown"]
    shown = [CHANGES.sub("0", line.rstrip()) for line in screen(text, erases)]
    piped = subprocess.run(command, capture_output=True, text=True, check=False)
    expected = [CHANGES.sub("0", line.rstrip()) for line in (piped.stderr + piped.stdout).splitlines()]
    return [f"the screen has a line that is none of the result: {line}" for line in shown if line and line not in expected]


def check_time(pieces, whole):
    """What was said about the time left, against what was left."""
    ratios = [int(found) / (whole - at) for at, piece in pieces for found in SAYS.findall(piece) if 0.25 * whole < at < whole - 1.5]
    if not ratios:
        return ["nothing was said about the time left"]
    middle = statistics.median(ratios)
    print(f"    time left: {len(ratios)} reports, the median said {middle:.2f} of what was left")
    return [] if 0.5 <= middle <= 2 else [f"the time left was said as {middle:.2f} of what it was"]


def main():
    build, planted = sys.argv[1], "--planted" in sys.argv
    problems = 0
    for words in COMMANDS[1:2] if planted else COMMANDS:
        command = [os.path.join(build, "fathom"), *words]
        print("$ fathom " + " ".join(words), flush=True)
        pieces, whole, code = run(command)
        found = [] if code in (0, 3) else [f"exit code {code}"]
        found += check_screen(command, pieces, not planted)
        if words[0] == "fit":
            found += check_time(pieces, whole)
            found += [] if SCORE.search("".join(piece for _, piece in pieces)) else ["no score was shown while the penalty was chosen"]
        problems += len(found)
        for problem in found:
            print("    " + problem)
    print(f"{problems} problems")
    return problems > 0


if __name__ == "__main__":
    sys.exit(main())
