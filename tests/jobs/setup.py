#!/usr/bin/env python3
"""setup.py [--planted]: without root and sudo, tools/setup names the packages to ask for and fails.

Where all are installed it says nothing. Fedora, Arch and Homebrew are played by their query commands alone: each gets
the names of its own column. --planted claims that everything is installed.
"""
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ALL = 'shift 3; for package; do echo "$package installed"; done'  # what dpkg-query answers for every package
TOOLS = ("sh", "sed", "awk", "grep", "tr", "dirname")  # all that a system without dpkg-query is asked to have


def setup(purpose, fakes, alone=False):
    """Runs tools/setup as user 1000 with the given commands before all others, or with hardly any others."""
    fakes = {"id": "echo 1000", "sudo": "exit 1", "apt-get": "echo never; exit 9", **fakes}
    with tempfile.TemporaryDirectory() as scratch:
        for name, body in fakes.items():
            with open(os.path.join(scratch, name), "w") as file:
                file.write(f"#!/bin/sh\n{body}\n")
            os.chmod(file.name, 0o755)
        for name in TOOLS if alone else ():
            os.symlink(shutil.which(name), os.path.join(scratch, name))
        path = scratch if alone else scratch + os.pathsep + os.environ["PATH"]
        return subprocess.run([os.path.join(ROOT, "tools", "setup"), purpose], stdin=subprocess.DEVNULL, text=True,
                              env={**os.environ, "PATH": path}, capture_output=True)


def check(purpose, run, expected):
    """The run asked for what it should; an empty expectation: for nothing."""
    wrong = [word for word in expected if word not in run.stderr]
    if run.returncode != (1 if expected else 0) or wrong or (not expected and run.stdout + run.stderr):
        sys.exit(f"{purpose}: missing packages were not asked for: {wrong}, exit code {run.returncode}, "
                 f"{run.stdout}{run.stderr}")


nothing = ALL if "--planted" in sys.argv else "exit 1"
for purpose, asked, other in (("build", "libopenblas-dev", "libcmocka-dev"), ("test", "libcmocka-dev", "")):
    run = setup(purpose, {"dpkg-query": nothing})
    check(purpose, run, ["apt-get install", asked])
    if other and other in run.stderr:
        sys.exit(f"{purpose}: {other} is asked for without need")
    check(purpose, setup(purpose, {"dpkg-query": ALL}), [])
for query, words in {"rpm": ["dnf install", "flint-devel", "libcmocka-devel"],
                     "pacman": ["pacman -S", "jansson", "cmocka"],
                     "brew": ["brew install", "libomp", "cmocka"]}.items():
    check(query, setup("test", {query: "exit 1"}, alone=True), words)
    check(query, setup("test", {query: "exit 0"}, alone=True), [])
check("unknown system", setup("test", {}, alone=True), [])
# Of two names the first that the release has.
for known, expected, other in (("libflint-arb-dev", " libflint-arb-dev ", " libflint-dev "),
                               ("libflint-dev", " libflint-dev ", " libflint-arb-dev ")):
    run = setup("build", {"dpkg-query": "exit 1", "apt-cache": f'[ "$2" != {known} ] || echo "$2 | 1.0 | source"'})
    check("build", run, [expected])
    if other in run.stderr:
        sys.exit(f"both names of one thing are asked for: {run.stderr}")
