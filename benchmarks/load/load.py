#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""load.py BENCH_LOAD [--mb 100] [--digits 17] [--no-loadtxt]: how fast a CSV of numbers becomes a matrix.

Makes a CSV of normal numbers and prints megabytes of text per second of processor time (the best of several runs) and
the peak memory over the size of the final matrix, for fathom, pandas' C reader, numpy.loadtxt and cat. One thread each.
Exit code 1 where fathom stays below 200 MB/s or above twice the matrix.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

COLUMNS = 20


def make(path, megabytes, digits):
    import numpy
    random = numpy.random.default_rng(1)
    with open(path, "w") as file:
        while file.tell() < megabytes * 1e6:
            block = random.standard_normal((2000, COLUMNS))
            file.writelines(",".join(f"{value:.{digits}g}" for value in row) + "\n" for row in block)


def copy(path, repeats):
    """Best processor seconds of cat: reading alone."""
    best = float("inf")
    for _ in range(repeats):
        before = os.times()
        subprocess.run(["cat", path], check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        best = min(best, after.children_user + after.children_system - before.children_user - before.children_system)
    return max(best, 0.001)  # the clock's grain is 10 ms


# A reader in a process of its own, so that its peak memory is its own.
READER = """
import json, sys, time
{setup}
def peak():
    return max(float(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")) / 1024
base = peak()
start = time.process_time()
table = {call}
print(json.dumps(dict(seconds=time.process_time() - start, peak_mb=peak() - base)))
"""


def reader(setup, call, path, repeats):
    """Best seconds and largest peak of a Python reader; None where it is not installed."""
    program = READER.format(setup=setup, call=call)
    results = []
    for _ in range(repeats):
        done = subprocess.run([sys.executable, "-c", program, path], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
        if done.returncode:
            return None
        results.append(json.loads(done.stdout))
    return min(r["seconds"] for r in results), max(r["peak_mb"] for r in results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--mb", type=float, default=100)
    parser.add_argument("--digits", type=int, default=17)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--no-loadtxt", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbers.csv")
        make(path, arguments.mb, arguments.digits)
        megabytes = os.path.getsize(path) / 1e6
        rows = {}
        rows["cat"] = copy(path, arguments.repeats), None
        result = json.loads(subprocess.check_output([arguments.program, path, str(arguments.repeats)]))
        rows["fathom"] = result["seconds"], result["peak_mb"]
        rows["pandas.read_csv"] = reader("import pandas", "pandas.read_csv(sys.argv[1], header=None)", path, 2)
        if not arguments.no_loadtxt:
            rows["numpy.loadtxt"] = reader("import numpy", "numpy.loadtxt(sys.argv[1], delimiter=',')", path, 1)
    matrix = result["rows"] * (result["columns"] + 1) * 8 / 1e6
    print(f"CSV of {megabytes:.0f} MB, {result['rows']} x {COLUMNS} numbers of {arguments.digits} digits; "
          f"matrix {matrix:.0f} MB")
    print(f"{'reader':<18}{'seconds':>9}{'MB/s':>9}{'peak / matrix':>15}")
    for name, row in rows.items():
        if row is None:
            print(f"{name:<18}{'not installed':>18}")
            continue
        seconds, peak = row
        share = f"{peak * 1.048576 / matrix:15.2f}" if peak else f"{'':>15}"
        print(f"{name:<18}{seconds:9.3f}{megabytes / seconds:9.0f}{share}")
    good = megabytes / result["seconds"] >= 200 and result["peak_mb"] * 1.048576 <= 2 * matrix
    print("200 MB/s and twice the matrix: " + ("kept" if good else "MISSED"))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
