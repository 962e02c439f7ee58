#!/usr/bin/env python3
"""memcheck.py BUILD [--planted]: the small command lines of commands.py under valgrind: no bad access, no lost block.

--planted watches the programs of tests/planted instead.
"""
import os
import subprocess
import sys
import tempfile

import commands

VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite", "--num-callers=20"]


def main(build, planted):
    fathom = os.path.join(build, "fathom")
    watched = [[os.path.join(build, "tests", "planted", "planted_" + name)] for name in ("address", "leak")]
    if not planted:
        watched = [[fathom, *words, "--threads", "2"] for words in commands.expand(fathom, large=False)]
    found = 0
    for command in watched:
        with tempfile.TemporaryDirectory() as scratch:
            commands.make_fixtures(fathom, scratch)
            run = subprocess.run([*VALGRIND, *command], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 text=True, env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"})
        print(f"exit code {run.returncode}:", *command, flush=True)
        if run.returncode not in (0, 3):
            print(run.stderr)
            found += 1
    print(f"{found} of {len(watched)} runs with memory errors")
    return found == len(watched) if planted else found


if __name__ == "__main__":
    sys.exit(int(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv)))
