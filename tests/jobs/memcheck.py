#!/usr/bin/env python3
"""memcheck.py BUILD [--planted]: the small command lines of commands.py under valgrind: no bad access, no lost block.

One valgrind watches each_line.c, which runs every line in a copy of itself. --planted watches the programs of tests/planted instead.
"""
import os
import subprocess
import sys
import tempfile

import commands

VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--show-leak-kinds=definite", "--num-callers=20"]
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}


def planted(build):
    """Exit codes and reports of the planted bugs."""
    for name in ("address", "leak"):
        program = os.path.join(build, "tests", "planted", "planted_" + name)
        run = subprocess.run([*VALGRIND, program], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        yield name, run.returncode, run.stderr


def lines(build):
    """Those of the command lines, each in a folder of its own."""
    fathom = os.path.join(build, "fathom")
    with tempfile.TemporaryDirectory() as scratch, open(os.path.join(scratch, "reports"), "w+") as reports:
        watched = subprocess.Popen([*VALGRIND, os.path.join(build, "tests", "jobs", "each_line")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=reports, text=True, env=ENVIRONMENT)
        for k, words in enumerate(commands.expand(fathom, large=False)):
            folder = os.path.join(scratch, str(k))
            os.mkdir(folder)
            commands.make_fixtures(fathom, folder)
            watched.stdin.write("\t".join([folder, *words, "--threads", "2"]) + "\n")
            watched.stdin.flush()
            answer = watched.stdout.readline()
            yield " ".join(words), int(answer.split()[-1]) if answer else 1, reports.read()
        watched.stdin.close()
        yield "each_line", watched.wait(), reports.read()


def main(build, plant):
    found = count = 0
    for name, code, report in planted(build) if plant else lines(build):
        print(f"exit code {code}: {name}", flush=True)
        count += 1
        if code not in (0, 3):
            print(report)
            found += 1
    print(f"{found} of {count} runs with memory errors")
    return found == count if plant else found


if __name__ == "__main__":
    sys.exit(int(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv)))
