#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wheel.py [--planted]: builds the wheel, installs it into a new virtual environment, and runs the package's tests there.

The environment sees the NumPy and scikit-learn of the interpreter at hand (that of the tests) but nothing of the build
tree. Skipped (77) where meson-python is not installed. --planted leaves the library out of the installed package.
"""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTS = os.path.join(ROOT, "tests", "python")

# Loads the module of CVODE.
LATE_FLOW = "flow gen:parity,d=3 --method flow --accuracy reference --train first --width 8 --until log_loss=-500".split()


def builder():
    """An interpreter that can build wheels and run the result."""
    for python in (sys.executable, "/usr/bin/python3"):
        probe = subprocess.run([python, "-c", "import mesonpy, numpy, pip, venv"], capture_output=True)
        if probe.returncode == 0:
            return python
    print("meson-python, pip or NumPy is not installed: skipped")
    sys.exit(77)


def must(*command, **options):
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if run.returncode:
        sys.exit(f"failed: {' '.join(command)}\n{run.stdout[-3000:]}")
    return run.stdout


def lend(python, inside):
    """What one interpreter has installed can be imported by the other, after its own."""
    places = must(python, "-c", "import sys; print(*[p for p in sys.path if p.endswith('-packages')], sep='\\n')")
    own = must(inside, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    with open(os.path.join(own, "lent.pth"), "w") as file:
        file.write(places)


def main():
    python = builder()
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "FATHOM_", "LD_", "MESON", "NINJA"))}
    with tempfile.TemporaryDirectory() as scratch:
        wheels, place = os.path.join(scratch, "wheels"), os.path.join(scratch, "environment")
        must(python, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "-w", wheels, ROOT,
             cwd=scratch, env=clean)
        must(python, "-m", "venv", place)
        inside = os.path.join(place, "bin", "python")
        lend(python, inside)
        (wheel,) = glob.glob(os.path.join(wheels, "fathom_relu-*.whl"))
        must(inside, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel, cwd=scratch, env=clean)
        if "--planted" in sys.argv:
            for library in glob.glob(os.path.join(place, "lib", "*", "site-packages", "fathom", "libfathom.so*")):
                os.remove(library)
        where = must(inside, "-c", "import fathom; print(fathom.__file__)", cwd=scratch, env=clean).strip()
        if not where.startswith(place):
            sys.exit(f"the tests would run {where}, not the wheel")
        tests = os.path.join(scratch, "tests")
        shutil.copytree(TESTS, tests)
        print(must(inside, "test_commands.py", cwd=tests, env=clean).strip().splitlines()[-1])
        print(must(os.path.join(place, "bin", "fathom"), "--version", cwd=scratch, env=clean).strip())
        must(os.path.join(place, "bin", "fathom"), *LATE_FLOW, cwd=scratch, env=clean)


if __name__ == "__main__":
    main()
