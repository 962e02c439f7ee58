#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site.py BUILD [--planted]: the documentation site is made, complete, and every link of it leads somewhere.

--planted loses a page.
"""
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))


def main():
    program = os.path.join(ROOT, "tools", "site.py")
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([sys.executable, program, sys.argv[1], folder], capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stdout + run.stderr)
        if "--planted" in sys.argv:
            os.remove(os.path.join(folder, "margins.html"))
        import importlib.util

        spec = importlib.util.spec_from_file_location("site_builder", program)
        builder = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(builder)
        found = list(builder.check(folder))
        print(*found, run.stdout.strip(), sep="\n")
        sys.exit(bool(found))


if __name__ == "__main__":
    main()
