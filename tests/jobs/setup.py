#!/usr/bin/env python3
"""setup.py [--planted]: without root and sudo, tools/setup names the packages to ask for and fails.

Where all are installed it says nothing. --planted claims that everything is installed.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ALL = 'shift 3; for package; do echo "$package installed"; done'  # what dpkg-query answers for every package


def setup(purpose, answer):
    """Runs tools/setup as user 1000 with a dpkg-query that answers as told."""
    fakes = {"id": "echo 1000", "sudo": "exit 1", "dpkg-query": answer, "apt-get": "echo never; exit 9"}
    with tempfile.TemporaryDirectory() as scratch:
        for name, body in fakes.items():
            with open(os.path.join(scratch, name), "w") as file:
                file.write(f"#!/bin/sh\n{body}\n")
            os.chmod(file.name, 0o755)
        return subprocess.run([os.path.join(ROOT, "tools", "setup"), purpose], stdin=subprocess.DEVNULL, text=True,
                              env={**os.environ, "PATH": scratch + os.pathsep + os.environ["PATH"]}, capture_output=True)


nothing = ALL if "--planted" in sys.argv else "exit 1"
for purpose, asked, other in (("build", "libopenblas-dev", "libcmocka-dev"), ("test", "libcmocka-dev", "")):
    run = setup(purpose, nothing)
    if run.returncode != 1 or "apt-get install" not in run.stderr or asked not in run.stderr:
        sys.exit(f"{purpose}: missing packages were not asked for: exit code {run.returncode}, {run.stderr}")
    if other and other in run.stderr:
        sys.exit(f"{purpose}: {other} is asked for without need")
    run = setup(purpose, ALL)
    if run.returncode or run.stdout + run.stderr:
        sys.exit(f"{purpose}: with everything installed: exit code {run.returncode}, {run.stdout}{run.stderr}")
