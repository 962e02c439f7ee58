#!/usr/bin/env python3
"""documents.py BUILD [--planted]: what the documents say is so.

Every source file is compiled, has its sentence in src/README.md, begins with its licence and is laid out by
clang-format; every unit test and harness is compiled; links lead somewhere; every command stands in README.md and has an example; and the blocks of a Markdown file that follow a line
<!-- run --> print what they show: lines after "$ " are run in an empty directory and give this standard output; "..."
stands for any text; those in Python are sessions (">>> ") of one interpreter per file. --planted adds a file that nobody wrote about.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import commands

ROOT = commands.ROOT


def tracked(*patterns):
    """Files of the tree that match; build directories and the like are not part of it."""
    names = [os.path.relpath(path, ROOT) for pattern in patterns
             for path in glob.glob(os.path.join(ROOT, pattern), recursive=True)]
    return sorted(name for name in names if not name.startswith(("build", "demo", "install")))


def check_map(planted):
    """src/README.md names every C file, and no other, in the section of its folder."""
    sections = re.split(r"^## (\w+)", open(os.path.join(ROOT, "src", "README.md")).read(), flags=re.M)
    described = {f"src/{folder}/{name}" for folder, text in zip(sections[1::2], sections[2::2])
                 for name in re.findall(r"^\| `([\w.]+)`", text, flags=re.M)}
    present = set(tracked("src/**/*.c") + ["src/base/planted.c"] * planted)
    yield from (f"{path} has no sentence in src/README.md" for path in sorted(present - described))
    yield from (f"src/README.md describes {path}, which is not there" for path in sorted(described - present)
                if not os.path.exists(os.path.join(ROOT, path)))


def check_lists(build, planted):
    """Every source, unit test and harness is compiled; a lost line of a meson.build would go unnoticed."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        compiled = {os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT) for entry in json.load(file)}
    present = set(tracked("src/*/*.c", "tests/*/test_*.c", "tests/fuzz/fuzz_*.c") + ["src/base/planted.c"] * planted)
    yield from (f"{path} is compiled by no meson.build" for path in sorted(present - compiled))


def check_sources():
    for path in tracked("src/**/*.[ch]", "include/**/*.h", "tests/**/*.[ch]", "examples/**/*.c"):
        text = open(os.path.join(ROOT, path), encoding="utf-8").read()
        if not text.startswith("/* SPDX-License-Identifier: Apache-2.0 */\n"):
            yield f"{path} does not begin with its licence"
        if not text.isascii():
            yield f"{path} is not ASCII"


def check_layout():
    """clang-format has nothing to change."""
    sources = tracked("src/**/*.[ch]", "include/**/*.h", "tests/**/*.[ch]", "examples/**/*.c", "benchmarks/**/*.c")
    run = subprocess.run(["clang-format", "--dry-run", *sources], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in sorted(set(re.findall(r"^(\S+?):\d+:", run.stderr, re.M))):
        yield f"{path}: make format would change its layout"


def check_links():
    for path in tracked("**/*.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", open(os.path.join(ROOT, path)).read()):
            if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), target)):
                yield f"{path} links to {target}, which is not there"


def check_commands(fathom):
    readme = open(os.path.join(ROOT, "README.md")).read()
    for name in commands.built_commands(fathom):
        if f"`fathom {name}" not in readme:
            yield f"README.md does not name the command {name}"
        if "\nExample:\n" not in commands.command_help(fathom, name):
            yield f"fathom {name} --help shows no example"


def shown_blocks():
    for path in tracked("**/*.md"):
        for block in re.findall(r"^<!-- run -->\n```\w*\n(.*?)^```", open(os.path.join(ROOT, path)).read(), re.M | re.S):
            yield path, re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)


def rounded(text):
    """Texts are compared with numbers cut at the fifth decimal: beyond it processors may differ."""
    return re.sub(r"(\d\.\d{5})\d+", r"\1", text.strip())


def check_shown(build):
    environment = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"]}
    for path, steps in shown_blocks():
        with tempfile.TemporaryDirectory() as scratch:
            for command, shown in steps:
                run = subprocess.run(command, shell=True, cwd=scratch, env=environment, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                pattern = re.escape(rounded(shown)).replace(r"\.\.\.", ".*")
                if not re.fullmatch(pattern, rounded(run.stdout), re.S):
                    yield f"{path} shows\n$ {command}\n{shown}but this is printed:\n{run.stdout}"


SESSION = """import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, sys.argv[1], sys.argv[1], 0)
sys.exit(bool(doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed))"""


def check_sessions(build):
    """Python sessions of each page, with the package of the build tree."""
    environment = {**os.environ, "PYTHONPATH": os.path.join(build, "python")}
    for path in tracked("**/*.md"):
        blocks = re.findall(r"^<!-- run -->\n```python\n(.*?)^```", open(os.path.join(ROOT, path)).read(), re.M | re.S)
        if not blocks:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            run = subprocess.run([sys.executable, "-c", SESSION, path], input="\n".join(blocks), cwd=scratch,
                                 env=environment, capture_output=True, text=True)
        if run.returncode:
            yield f"{path} shows a Python session that runs otherwise:\n{run.stdout}{run.stderr}"


if __name__ == "__main__":
    directory = os.path.abspath(sys.argv[1])
    found = [*check_map("--planted" in sys.argv), *check_lists(directory, "--planted" in sys.argv),
             *check_sources(), *check_layout(), *check_links(),
             *check_commands(os.path.join(directory, "fathom")), *check_shown(directory), *check_sessions(directory)]
    print(*found, sep="\n")
    print(f"{len(found)} problems")
    sys.exit(bool(found))
