#!/usr/bin/env python3
"""allocations.py BUILD [--planted]: every command survives the failure of each of its allocations.

fail_allocation.c does the work, one command line of commands.py at a time; every command that is built has one. One thread, so that every run makes
the same allocations. Then address space is made scarce: buffers of the BLAS, stacks of threads.
"""
import json
import os
import shlex
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


def confined(fathom, line, size, seconds):
    """The exit code in so many kB of address space (ulimit -v); killed after so many seconds."""
    run = f"ulimit -v {size}; exec timeout -s KILL {seconds} {shlex.quote(fathom)} {line}"
    return subprocess.run(["sh", "-c", run], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def spaces(fathom):
    """Little address space: a result or exit code 6 in time, whatever the libraries do without; where there is enough, the result.
    Debian 13's OpenBLAS tries for ever, before main, where it finds no 128 MB. The flow is a late one, for which CVODE is loaded."""
    for size in (110000, 200000, 300000, 400000, 1500000):
        for line in ("kernel gen:gauss,n=100,d=3", "train gen:gauss,n=9,d=3,target=teacher", "margin gen:circle,n=8",
                     "flow gen:parity,d=3 --method flow --accuracy reference --train first --width 8 --until log_loss=-500"):
            code = confined(fathom, f"{line} -q --threads 2", size, 20)
            if code not in ((0,) if size > 1e6 else (0, 6)):
                yield f"{line} in {size} kB of address space: exit code {code}"


if __name__ == "__main__":
    problems = main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv)
    print(*problems, sep="\n")
    sys.exit(bool(problems))
