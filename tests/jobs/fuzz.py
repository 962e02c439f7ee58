#!/usr/bin/env python3
"""fuzz.py [--seconds S | --executions N] [--fast] [--planted] [NAME...]: runs the harnesses of tests/fuzz under libFuzzer, ASan and UBSan.

Each starts from its seeds (tests/fuzz/corpus/NAME) and from what earlier runs found (build/fuzz/NAME); an input that
crashes, leaks, hangs or takes more than 1 GB stays in build/fuzz as NAME-crash-... . Executions of all runs are summed by harness in
build/fuzz/tally.json, from where tools/testing.py takes them to docs/measured/testing.md. --fast runs them without sanitizers and without counters of
branches, five to thirty times as fast: short mutations of the seeds and of what was found before, counted apart; then all of those once with sanitizers. --planted runs the harness with
a bug that only a search can reach.
"""
import argparse
import glob
import json
import os
import re
import resource
import subprocess
import sys

import variant

# No stack is kept with every block, few freed blocks are held back: half as many executions again, and what is found is the same.
QUICK = {"ASAN_OPTIONS": "malloc_context_size=1:quarantine_size_mb=8"}
# Inputs of these need not be longer than that to reach everything.
LONGEST = {"number": 1024, "spec": 1024, "rows": 2048, "libsvm": 8192, "idx": 4096, "npy": 8192}
FUZZ = os.path.join(variant.ROOT, "build", "fuzz")


PLAIN = " without sanitizers"  # in names of the tally
FAST = ("-keep_seed=1", "-len_control=0", "-max_len=512")  # nothing says which inputs are new: all seeds are kept


def run(harness, limit, *more):
    """(executions, seconds of one processor, exit code) of one harness."""
    name = os.path.basename(harness)[len("fuzz_"):]
    found = os.path.join(FUZZ, name)
    os.makedirs(found, exist_ok=True)
    seeds = os.path.join(variant.ROOT, "tests", "fuzz", "corpus", name)
    command = [harness, limit, "-timeout=20", "-rss_limit_mb=1024", "-malloc_limit_mb=1024",
               f"-max_len={LONGEST.get(name, 65536)}", "-reload=0", "-print_final_stats=1", *more, f"-artifact_prefix={FUZZ}/{name}-", found]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command + [seeds] * os.path.isdir(seeds), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env={**QUICK, **os.environ})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    executions = re.search(r"number_of_executed_units:\s*(\d+)", done.stdout)
    if done.returncode:
        print(done.stdout[-4000:])
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return int(executions.group(1)) if executions else 0, seconds, done.returncode


def keep(name, executions):
    """Adds to the sum over all runs so far; returns that of all harnesses."""
    os.makedirs(FUZZ, exist_ok=True)
    path = os.path.join(FUZZ, "tally.json")
    tally = {}
    if os.path.exists(path):
        with open(path) as file:
            tally = json.load(file)
    tally[name] = tally.get(name, 0) + executions
    with open(path + ".new", "w") as file:
        json.dump(tally, file, indent=1, sort_keys=True)
    os.replace(path + ".new", path)
    return sum(tally.values())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, help="of each harness; else 2")
    parser.add_argument("--executions", type=int, help="of each harness, however long that takes")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    if arguments.fast:
        fast = os.path.join(variant.ROOT, variant.build("fuzz-fast", "harnesses"), "tests")
    directory = os.path.join(variant.ROOT, variant.build("sanitize", "harnesses"), "tests")
    pattern = "planted/fuzz_*" if arguments.planted else "fuzz/fuzz_*"
    harnesses = sorted(path for path in glob.glob(os.path.join(directory, pattern)) if os.path.isfile(path))
    if not harnesses:
        sys.exit(f"no harness {pattern} in {directory}")
    limit = f"-runs={arguments.executions}" if arguments.executions else f"-max_total_time={arguments.seconds or (20 if arguments.planted else 2)}"
    total, ever, failed = 0, 0, []
    for harness in harnesses:
        name = os.path.basename(harness)[len("fuzz_"):]
        if arguments.names and name not in arguments.names:
            continue
        for program, most, kept in [(harness.replace(directory, fast), limit, name + PLAIN), (harness, "-runs=0", name)] if arguments.fast else [(harness, limit, name)]:
            executions, seconds, code = run(program, most, *(FAST if kept != name else ()))
            total += executions
            ever = 0 if arguments.planted else keep(kept, executions)
            print(f"{kept}: {executions} executions, {executions / max(seconds, 1e-3):.0f} a second of one processor, {'ok' if code == 0 else 'FAILED'}",
                  flush=True)
            failed += [kept] * (code != 0)
    print(f"{total} executions ({ever} since the tally was taken), {len(failed)} harnesses failed {' '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
