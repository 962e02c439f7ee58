#!/usr/bin/env python3
"""documents.py BUILD [--planted]: what the documents say is so.

Every source file is compiled, has its sentence in src/README.md, begins with its licence and is laid out by
clang-format; every unit test and harness is compiled; links lead somewhere; every command stands in README.md and has
an example. Blocks of Markdown files print what they show: lines after "$ " are run in an empty directory and give this
output, where "..." stands for any text; after the remark "compared to D digits; WORDS to E; ..." line breaks may fall
elsewhere and numbers agree to D significant digits, those beside one of the words to E (0: any number). Sessions of Python (">>> ") share one interpreter per file. Other blocks
name the job that runs them, or the reason why none does; "the file NAME" before a block makes it a file for the sessions of its page. --planted adds a file that nobody wrote about.
"""
import collections
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
    """src/README.md names every C file once, and no other, in the section of its folder."""
    sections = re.split(r"^## (\w+)", open(os.path.join(ROOT, "src", "README.md")).read(), flags=re.M)
    place = lambda folder: folder if folder == "checker" else f"src/{folder}"
    rows = [f"{place(folder)}/{name}" for folder, text in zip(sections[1::2], sections[2::2])
            for name in re.findall(r"^\| `([\w.]+)`", text, flags=re.M)]
    described = set(rows)
    yield from (f"src/README.md describes {path} more than once" for path in sorted(described) if rows.count(path) > 1)
    present = set(tracked("src/**/*.c", "checker/*.c") + ["src/base/planted.c"] * planted)
    yield from (f"{path} has no sentence in src/README.md" for path in sorted(present - described))
    yield from (f"src/README.md describes {path}, which is not there" for path in sorted(described - present)
                if not os.path.exists(os.path.join(ROOT, path)))


def check_lists(build, planted):
    """Every source, unit test and harness is compiled; a lost line of a meson.build would go unnoticed."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        compiled = {os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT) for entry in json.load(file)}
    present = set(tracked("src/*/*.c", "checker/*.c", "tests/*/test_*.c", "tests/fuzz/fuzz_*.c") + ["src/base/planted.c"] * planted)
    yield from (f"{path} is compiled by no meson.build" for path in sorted(present - compiled))


def check_sources():
    for path in tracked("src/**/*.[ch]", "checker/*.[ch]", "include/**/*.h", "tests/**/*.[ch]", "examples/**/*.c"):
        text = open(os.path.join(ROOT, path), encoding="utf-8").read()
        if not text.startswith("/* SPDX-License-Identifier: Apache-2.0 */\n"):
            yield f"{path} does not begin with its licence"
        if not text.isascii():
            yield f"{path} is not ASCII"


def check_dispatch():
    """Functions with FATHOM_DISPATCH have names of their own (src/linalg/dispatch.h)."""
    text = "".join(open(os.path.join(ROOT, path)).read() for path in tracked("src/**/*.c"))
    names = collections.Counter(re.findall(r"^FATHOM_DISPATCH [^;{(]*?(\w+)\(", text, re.M))
    yield from (f"{count} dispatched functions are called {name}" for name, count in names.items() if count > 1)


def check_layout():
    """clang-format has nothing to change, in the version that .clang-format names: others lay out otherwise."""
    version = re.search(r"version (\d+)", subprocess.run(["clang-format", "--version"], capture_output=True, text=True, check=True).stdout)
    wanted = re.search(r"# clang-format (\d+)", open(os.path.join(ROOT, ".clang-format")).read()).group(1)
    if version.group(1) != wanted:
        print(f"layout: clang-format {version.group(1)} is here, {wanted} is asked for: not looked at")
        return
    sources = tracked("src/**/*.[ch]", "checker/*.[ch]", "include/**/*.h", "tests/**/*.[ch]", "examples/**/*.c", "benchmarks/**/*.c")
    run = subprocess.run(["clang-format", "--dry-run", *sources], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in sorted(set(re.findall(r"^(\S+?):\d+:", run.stderr, re.M))):
        yield f"{path}: make format would change its layout"


def check_links():
    for path in tracked("**/*.md"):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", open(os.path.join(ROOT, path)).read()):
            if not os.path.exists(os.path.join(ROOT, os.path.dirname(path), target)):
                yield f"{path} links to {target}, which is not there"


def check_reference():
    """Pages that are made from the headers are what they make."""
    run = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "reference.py")], capture_output=True, text=True)
    yield from run.stderr.splitlines()


def check_commands(fathom):
    readme = open(os.path.join(ROOT, "README.md")).read()
    for name in commands.built_commands(fathom):
        if f"`fathom {name}" not in readme:
            yield f"README.md does not name the command {name}"
        if "\nExample:\n" not in commands.command_help(fathom, name):
            yield f"fathom {name} --help shows no example"


def blocks(path):
    """(remark, language, text) of the fenced blocks of a page; the remark is the comment on the line before it."""
    return re.findall(r"^(?:<!-- ([^\n]*) -->\n)?```(\w*)\n(.*?)^```", open(os.path.join(ROOT, path)).read(), re.M | re.S)


def check_blocks():
    """A block with commands is run: as a console session, a Python session, by a job that its remark names, or not for a reason."""
    for path in tracked("**/*.md"):
        if re.search(r"^    \$ ", open(os.path.join(ROOT, path)).read(), re.M):
            yield f"{path}: commands stand in an indented block, where they are not run"
        for remark, language, text in blocks(path):
            job = re.fullmatch(r"run by (\S+)", remark)
            session = text.startswith(">>> " if language == "python" else "$ ")
            if job and not os.path.exists(os.path.join(ROOT, job[1])):
                yield f"{path}: {job[1]}, which is to run a block, is not there"
            if language and not session and not job and not re.match("not run: .|the file .", remark):
                yield f"{path}: a block is neither a session nor says what runs it:\n{text}"


def shown_blocks():
    """(page, its files by name, the remark, steps) of every console session that is run."""
    for path in tracked("**/*.md"):
        files = {remark.removeprefix("the file "): text for remark, _, text in blocks(path) if remark.startswith("the file ")}
        for remark, language, text in blocks(path):
            if language != "python" and text.startswith("$ ") and not re.match("not run: .|run by ", remark):
                yield path, files, remark, re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M)


def rounded(text):
    """Texts are compared with numbers cut at the fifth decimal: beyond it processors may differ."""
    return re.sub(r"(\d\.\d{5})\d+", r"\1", text.strip())


NUMBER = re.compile(r"(?<![\w.-])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w-])")
HASH = re.compile(r"\b[0-9a-f]{64}\b")


def precision(remark):
    """(digits, digits by word) of a remark "compared to ..."; None where it is another."""
    found = re.fullmatch(r"compared to (\d+) digits((?:; [^;]+ to \d+)*)", remark)
    if not found:
        return None
    words = re.findall(r"; ([^;]+) to (\d+)", found[2])
    return int(found[1]), {word: int(digits) for names, digits in words for word in names.split(", ")}


def close(shown, printed, digits):
    """Whether two numbers agree to so many significant digits."""
    a, b = float(shown), float(printed)
    return digits == 0 or abs(a - b) <= 0.5 * 10.0 ** (1 - digits) * max(abs(a), abs(b))


def same(shown, printed, digits, by_word):
    """Whether two texts are one but for line breaks, hashes and digits of numbers beyond those that count."""
    flat = [" ".join(HASH.sub("HASH", text).split()) for text in (shown, printed)]
    if NUMBER.sub("#", flat[0]) != NUMBER.sub("#", flat[1]):
        return False
    for a, b in zip(NUMBER.finditer(flat[0]), NUMBER.finditer(flat[1])):
        before, after = re.sub(r"[^\w<>=+-]+$", "", flat[0][:a.start()]), re.sub(r"^[^\w%]+", "", flat[0][a.end():])
        count = next((d for word, d in by_word.items() if before.endswith(word) or after.startswith(word)), digits)
        if not close(a[0], b[0], count):
            return False
    return True


def check_shown(build):
    environment = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"]}
    for path, files, remark, steps in shown_blocks():
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in files.items():
                with open(os.path.join(scratch, name), "w") as file:
                    file.write(text)
            for command, shown in steps:
                run = subprocess.run(command, shell=True, cwd=scratch, env=environment, text=True, capture_output=True)
                pattern = re.compile(re.escape(rounded(shown)).replace(r"\.\.\.", ".*"), re.S)
                printed = run.stdout, run.stderr + run.stdout  # a page may show the log, or leave it out
                if precision(remark):
                    right = any(same(shown, text, *precision(remark)) for text in printed)
                else:
                    right = any(pattern.fullmatch(rounded(text)) for text in printed)
                if not right:
                    yield f"{path} shows\n$ {command}\n{shown}but this is printed:\n{printed[1]}"


SESSION = """import doctest, sys
text = sys.stdin.read()
test = doctest.DocTestParser().get_doctest(text, {}, sys.argv[1], sys.argv[1], 0)
sys.exit(bool(doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed))"""


def check_sessions(build):
    """Python sessions of each page, with the package of the build tree."""
    environment = {**os.environ, "PYTHONPATH": os.path.join(build, "python")}
    for path in tracked("**/*.md"):
        sessions = [text for remark, language, text in blocks(path) if language == "python" and text.startswith(">>> ")]
        if not sessions:
            continue
        with tempfile.TemporaryDirectory() as scratch:
            run = subprocess.run([sys.executable, "-c", SESSION, path], input="\n".join(sessions), cwd=scratch,
                                 env=environment, capture_output=True, text=True)
        if run.returncode:
            yield f"{path} shows a Python session that runs otherwise:\n{run.stdout}{run.stderr}"


def check_comparison():
    """What the comparison of numbers must find, and must not."""
    words = {"gap": 0, "accuracy": 3}
    for shown, printed, right in [("a 1.234", "a\n 1.2341", True), ("a 1.234", "a 1.3", False), ("gap 1", "gap 7e-9", True), ("a 1 b", "a 1 c", False),
                                  ("accuracy 0.98", "accuracy 0.99", False), ("accuracy 0.981", "accuracy 0.9812", True), ("a 1 2", "a 1", False),
                                  ("x-256 a", "x-257 a", False), ("loss 0", "loss 0.001", False)]:
        if same(shown, printed, 2, words) != right:
            yield f"documents.py takes {shown!r} and {printed!r} for {'different' if right else 'the same'}"


if __name__ == "__main__":
    directory = os.path.abspath(sys.argv[1])
    found = [*check_map("--planted" in sys.argv), *check_lists(directory, "--planted" in sys.argv),
             *check_sources(), *check_dispatch(), *check_links(), *check_reference(), *check_blocks(), *check_comparison()]
    if "--planted" not in sys.argv:  # what takes long
        found += [*check_layout(), *check_commands(os.path.join(directory, "fathom")), *check_shown(directory), *check_sessions(directory)]
    print(*found, sep="\n")
    print(f"{len(found)} problems")
    sys.exit(bool(found))
