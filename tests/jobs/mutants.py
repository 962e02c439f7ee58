#!/usr/bin/env python3
"""mutants.py BUILD [--long] [--list] [--only NAME] [--planted]: every condition of fathom-check is held by a test.

Each condition of checker/ is left out in turn, and some test of tests/checker or command line of coverage.py must fail then:
  - a call of need, need_data or check_that; an operand of && or || in its condition, taken as true; a < or > there that becomes <= or >=
  - a statement check_..(..), left out; the least or the largest value that an integer of a file may have
The short form takes the calls alone, and is content with the first test that fails; --long takes all of them, and counts those apart
without which a forged file is let through (tests/checker/test_forged.c). What no test can see is named in BLIND with the reason. All variants are one program: conditions ask a variable of the environment whether they are left out.
--planted has no test but one.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import coverage

ROOT = coverage.ROOT
SWITCH = """#ifndef MUTANT_H
#define MUTANT_H
extern int mutant_now;
#define mutant(k) (mutant_now == (k))
#endif
"""
SWITCHED = """#include <stdlib.h>
#include "mutant.h"
int mutant_now;
__attribute__((constructor)) static void choose(void) { const char *k = getenv("MUTANT"); mutant_now = k ? atoi(k) : 0; }
"""
BLIND = {  # (file, what is left out): why no test can see it
}


def closing(text, at):
    """The place of the bracket that closes the one at `at`; texts and comments are stepped over."""
    depth = 0
    while True:
        c = text[at]
        if c in "\"'":
            end = at + 1
            while text[end] != c:
                end += 2 if text[end] == "\\" else 1
            at = end
        elif text.startswith("/*", at):
            at = text.index("*/", at) + 1
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return at
        at += 1


def split(text, start, end, words):
    """(start, end) of the parts of text[start:end] between top-level occurrences of one of `words`."""
    parts, at, first = [], start, start
    while at < end:
        if text[at] in "([{\"'" or text.startswith("/*", at):
            if text[at] in "\"'":
                quote, at = text[at], at + 1
                while text[at] != quote:
                    at += 2 if text[at] == "\\" else 1
            else:
                at = closing(text, at)
        else:
            found = next((w for w in words if text.startswith(w, at)), None)
            if found:
                parts.append((first, at))
                at += len(found) - 1
                first = at + 1
        at += 1
    return parts + [(first, end)]


def trim(text, start, end):
    while text[start].isspace():
        start += 1
    while text[end - 1].isspace():
        end -= 1
    return start, end


def atoms(text, start, end):
    """The operands of && and || of a condition, brackets opened."""
    start, end = trim(text, start, end)
    for words in (["||"], ["&&"]):
        parts = split(text, start, end, words)
        if len(parts) > 1 and len(split(text, start, end, ["?"])) == 1:
            return [atom for part in parts for atom in atoms(text, *part)]
    if text[start] == "(" and closing(text, start) == end - 1:
        return atoms(text, start + 1, end - 1)
    return [(start, end)]


class Source:
    """A file whose text gets its switches; edits are kept as (start, end, before, after)."""
    def __init__(self, path, numbers, variants):
        self.name, self.text, self.edits, self.numbers, self.variants = os.path.basename(path), open(path).read(), [], numbers, variants

    def new(self, kind, start, end):
        k = next(self.numbers)
        what = re.sub(r"\s+", " ", self.text[start:end])
        self.variants.append((k, self.name, self.text.count("\n", 0, start) + 1, kind, what))
        return k

    def wrap(self, start, end, before, after):
        self.edits.append((start, -end, before, after))

    def condition(self, start, end):
        """`true` for the whole and for every operand, and comparisons that become weaker."""
        start, end = trim(self.text, start, end)
        parts = atoms(self.text, start, end)
        if len(parts) > 1:
            for part in parts:
                self.wrap(*part, f"(mutant({self.new('operand', *part)}) || (", "))")
        for part in parts:
            sides = split(self.text, *part, ["<=", ">=", "->", "<", ">", "=="])
            sign = self.text[sides[0][1]:sides[1][0]] if len(sides) == 2 else ""
            arrows = [s for s in split(self.text, *part, ["<=", ">=", "->"])]
            if sign in ("<", ">") or len(arrows) < len(sides):  # `->` is no comparison
                for (_, a), (b, _) in zip(sides, sides[1:]):
                    if self.text[a:b] in ("<", ">"):
                        k = self.new("equal", *part)
                        self.wrap(*part, f"(mutant({k}) ? ({self.text[part[0]:a]}{self.text[a:b]}={self.text[b:part[1]]}) : (", "))")
        self.wrap(start, end, f"(mutant({self.new('call', start, end)}) || (", "))")

    def switched(self):
        """The text with all switches: inner ones are closed before outer ones."""
        opens, closes = {}, {}
        for start, end, before, after in sorted(self.edits):  # at one place the longer one opens first
            opens.setdefault(start, []).append(before)
            closes.setdefault(-end, []).insert(0, after)
        return "".join("".join(closes.get(k, [])) + "".join(opens.get(k, [])) + c for k, c in enumerate(self.text))


def variants_of(path, numbers, variants):
    s = Source(path, numbers, variants)
    for found in re.finditer(r"^\s+(need|need_data|check_that)\(", s.text, re.M):
        opened = found.end() - 1
        parts = split(s.text, opened + 1, closing(s.text, opened), [","])
        s.condition(*parts[2 if found[1] == "check_that" else 1])
    for found in re.finditer(r"\bcheck_integer\(", s.text):
        parts = split(s.text, found.end(), closing(s.text, found.end() - 1), [","])
        for part, other in zip(parts[2:], ("(-INT64_C(1) << 62)", "(INT64_C(1) << 62)")):
            start, end = trim(s.text, *part)
            if s.text[start:end] not in ("int64_t low", "int64_t high", "INT64_MAX"):
                s.wrap(start, end, f"(mutant({s.new('range', start, end)}) ? {other} : (", "))")
    for found in re.finditer(r"^\s+(check_(?!that)\w+)\(", s.text, re.M):
        start, end = found.start(1), closing(s.text, found.end() - 1) + 1
        if s.text[end] == ";":
            s.wrap(start, end, f"(void)(mutant({s.new('statement', start, end)}) || (", ", 0))")
    return s.switched()


def build_all(folder, build, only):
    flags, linked = coverage.libraries(build)
    flags = [f for f in coverage.FLAGS if f != "--coverage"] + ["-w", "-include", "mutant.h", "-I", "."] + flags
    run = lambda *words: subprocess.run(words, cwd=folder, check=True)
    numbers, variants = iter(range(1, 10**6)), []
    names = []
    for path in sorted(glob.glob(os.path.join(ROOT, "checker", "*.c"))):
        name = os.path.basename(path)
        names.append(name[:-2])
        mutable = name not in ("main.c",) and (not only or name == only + ".c")
        with open(os.path.join(folder, name), "w") as file:
            file.write(variants_of(path, numbers, variants) if mutable else open(path).read())
    for name, text in (("mutant.h", SWITCH), ("mutant.c", SWITCHED)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    run("gcc", *flags, "-c", "mutant.c", *(name + ".c" for name in names))
    objects = [name + ".o" for name in [*names, "mutant"]]
    run("gcc", "-o", "fathom-check", *objects, *linked)
    objects.remove("main.o")
    run("ar", "rcs", "libchecker.a", *objects)
    tests = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests", "checker", "test_*.c"))):
        tests.append(os.path.basename(path)[:-2])
        run("gcc", *flags, "-I", os.path.join(ROOT, "tests", "checker"), "-o", tests[-1], path, "libchecker.a", *linked)
    return variants, tests


def through(text):
    return "code 0, " in text


def passing(folder, test):
    """Seconds of a test, which passes as things are."""
    before = time.monotonic()
    subprocess.run([os.path.join(folder, test)], cwd=folder, capture_output=True, check=True)
    return time.monotonic() - before


def judge(folder, tests, variant, long):
    """"through", "noticed" or "" of one variant; the test of the same file first, then the quick ones."""
    number, name, *_ = variant
    seen = ""
    environment = {**os.environ, "MUTANT": str(number)}
    for test in sorted(tests, key=lambda test: test != "test_" + name[:-2]):
        if seen and (test == "test_work" or not long):
            break
        # Ten seconds of processor time, whatever else the machine does: a variant that does not end is noticed.
        done = subprocess.run(["sh", "-c", 'ulimit -t 10; exec "$0"', os.path.join(folder, test)], cwd=folder, capture_output=True, text=True,
                              errors="replace", env=environment)
        if done.returncode:
            seen = "noticed"
            if through(done.stdout + done.stderr):
                return "through"
    if not seen:
        for line, code, words in coverage.COMMANDS:
            done = subprocess.run([os.path.join(folder, "fathom-check"), *line.split()], cwd=folder, capture_output=True, text=True,
                                  errors="replace", env=environment)
            if done.returncode != code or words not in done.stdout + done.stderr:
                return "through" if done.returncode == 0 else "noticed"
    return seen


def main():
    build, long, planted = sys.argv[1], "--long" in sys.argv, "--planted" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else None
    with tempfile.TemporaryDirectory() as folder:
        variants, tests = build_all(folder, build, only)
        coverage.write_files(folder)
        variants = [v for v in variants if long or v[3] == "call"]
        tests = tests[:1] if planted else tests
        tests = sorted(tests, key=lambda test: passing(folder, test))
        with ThreadPoolExecutor(2) as pool:
            seen = list(pool.map(lambda v: judge(folder, tests, v, long), variants))
    missed = [v for v, s in zip(variants, seen) if not s and (v[1], v[4]) not in BLIND]
    known = sum(not s and (v[1], v[4]) in BLIND for v, s in zip(variants, seen))
    if "--list" in sys.argv:
        for (_, name, line, kind, what), s in zip(variants, seen):
            print(f"{s:8} {name}:{line}: {kind}: {what}")
    for _, name, line, kind, what in missed:
        print(f"NOT NOTICED {name}:{line}: {kind}: {what}")
    print(f"{len(variants)} conditions left out in turn: {seen.count('through')} let a forged file through that a test holds, "
          f"{seen.count('noticed')} are noticed otherwise, {known} cannot be seen, {len(missed)} are held by no test")
    return len(missed) > 0


if __name__ == "__main__":
    sys.exit(main())
