#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py WHEEL PYTHON [REQUIREMENT...]: installs the wheel into a new environment of that Python, with the requirements
(numpy==1.21.*, scikit-learn==1.2.*, ...) from the package index, and looks at what a user would.

Import below 0.3 s (of the processor's time: the machine may be busy), both programs and `python -m fathom`, the README's
Python block, a fit after fork and one interleaved with NumPy's and scikit-learn's threads, and, where scikit-learn is
there, its checks of every estimator. Prints one line; ends with 1 and the reason where something fails, with 77 where the wheel is
older than the sources and tests of this tree, which ask for what it cannot have.
"""
import calendar
import os
import re
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

IMPORT = "import time, resource; import fathom; u = resource.getrusage(resource.RUSAGE_SELF); print(u.ru_utime + u.ru_stime)"
VERSIONS = """if True:
    import platform, numpy
    try:
        import sklearn
    except ImportError:
        sklearn = None
    print("CPython", platform.python_version(), "NumPy", numpy.__version__, "scikit-learn", sklearn and sklearn.__version__)
"""


# Loads the module of CVODE.
LATE_FLOW = "flow gen:parity,d=3 --method flow --accuracy reference --train first --width 8 --until log_loss=-500".split()


def must(command, **options):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if run.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{run.stdout[-3000:]}")
    return run.stdout


def python_block():
    """The README's session as doctest text, from the fence that begins with `>>> import fathom`."""
    text = open(os.path.join(ROOT, "README.md"), encoding="utf-8").read()
    return re.search(r"```python\n(>>> import fathom.*?)```", text, re.S).group(1)


def is_older(wheel):
    """Whether what the wheel is made from has changed since: its files carry the time of the commit that it was built from."""
    run = subprocess.run(["git", "-C", ROOT, "log", "-1", "--format=%ct", "--", "include", "python", "src", "tests/python"],
                         stdout=subprocess.PIPE, text=True)
    made = max(calendar.timegm(info.date_time) for info in zipfile.ZipFile(wheel).infolist())
    return run.stdout.strip() != "" and int(run.stdout) > made + 2  # archives count in steps of two seconds


def main(wheel, python, *requirements):
    if is_older(wheel):
        print(f"{wheel} is older than these sources: make wheel")
        sys.exit(77)
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "FATHOM_", "LD_", "OMP_"))}
    with tempfile.TemporaryDirectory() as scratch:
        def inside(*command):
            return must(command, cwd=scratch, env=clean).strip()

        must([python, "-m", "venv", os.path.join(scratch, "env")])
        here = os.path.join(scratch, "env", "bin")
        own = os.path.join(here, "python")
        inside(own, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", os.path.abspath(wheel), *requirements)
        who = inside(own, "-c", VERSIONS)
        seconds = min(float(inside(own, "-c", IMPORT)) for _ in range(3))
        if seconds > 0.3:
            sys.exit(f"{who}: the import takes {seconds:.2f} s")
        version = inside(own, "-m", "fathom", "--version")
        if inside(os.path.join(here, "fathom"), "--version") != version:
            sys.exit(f"{who}: program and package differ")
        inside(os.path.join(here, "fathom-check"), "--version")
        inside(os.path.join(here, "fathom"), *LATE_FLOW)
        with open(os.path.join(scratch, "block.txt"), "w") as file:
            file.write(python_block())
        inside(own, "-m", "doctest", "-o", "ELLIPSIS", "block.txt")
        for name in ("distribution", "estimators") if any("scikit" in r for r in requirements) else ("distribution",):
            inside(own, os.path.join(ROOT, "tests", "python", f"test_{name}.py"))
        print(f"{who}, import {seconds:.2f} s: passed", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
