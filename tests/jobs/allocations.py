#!/usr/bin/env python3
"""allocations.py BUILD [--planted]: every command survives the failure of each of its allocations.

fail_allocation.c does the work, one command line of commands.py at a time; every command that is built has one. One thread, so that every run makes
the same allocations.
"""
import os
import subprocess
import sys
import tempfile

import commands


def main(build, planted):
    fathom = os.path.join(build, "fathom")
    lines = commands.expand(fathom, large=False)
    untested = set(commands.built_commands(fathom)) - {words[0] for words in lines}
    failed = [f"commands.py has no line for {name}" for name in sorted(untested)]
    for words in lines[:1] if planted else lines:
        with tempfile.TemporaryDirectory() as scratch:
            commands.make_fixtures(fathom, scratch)
            driver = [os.path.join(build, "tests", "jobs", "fail_allocation"), *["--planted"] * planted, *words, "--threads", "1"]
            environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
            run = subprocess.run(driver, cwd=scratch, env=environment, stdout=subprocess.PIPE, text=True)
        print("$ fathom", *words)
        print(run.stdout, flush=True)
        failed += [" ".join(words)] * (run.returncode != 0)
    return failed


if __name__ == "__main__":
    problems = main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv)
    print(*problems, sep="\n")
    sys.exit(bool(problems))
