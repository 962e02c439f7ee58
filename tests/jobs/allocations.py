#!/usr/bin/env python3
"""allocations.py BUILD [--planted]: every command survives the failure of each of its allocations.

fail_allocation.c does the work, one command line of commands.py at a time; every command that is built has one. One thread, so that every run makes
the same allocations. Then address space is made scarce: buffers of the BLAS, stacks of threads.
"""
import json
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
    return failed + ([] if planted or sanitized(build) else list(spaces(fathom)))


def sanitized(build):
    """Whether the build is one of AddressSanitizer, which needs terabytes of address space for itself."""
    with open(os.path.join(build, "meson-info", "intro-buildoptions.json")) as file:
        return any(o["name"] == "b_sanitize" and "address" in o["value"] for o in json.load(file))


def spaces(fathom):
    """Little address space (ulimit -v, kB): a result or exit code 6 in time, whatever the libraries do without; where there is enough, the result."""
    for line in ("kernel gen:gauss,n=100,d=3", "train gen:gauss,n=9,d=3,target=teacher", "margin gen:circle,n=8"):
        for size in (110000, 200000, 300000, 400000, 1500000):
            run = f"ulimit -v {size}; exec timeout -s KILL 20 {fathom} {line} -q --threads 2"
            code = subprocess.run(["sh", "-c", run], stderr=subprocess.DEVNULL).returncode
            if code not in ((0,) if size > 1e6 else (0, 6)):
                yield f"{line} in {size} kB of address space: exit code {code}"


if __name__ == "__main__":
    problems = main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv)
    print(*problems, sep="\n")
    sys.exit(bool(problems))
