#!/usr/bin/env python3
"""coretypes.py BUILD [--planted] [--long]: numerical unit tests pass whatever kernels and whatever BLAS are at work.

Kinds of arithmetic: every core of OpenBLAS that this processor can run (OPENBLAS_CORETYPE), every kernel of fathom's own
(FATHOM_KERNELS), the reference BLAS and BLIS where they are installed (loaded before OpenBLAS). A failure is a fault of a method, never of a
tolerance. Short form: a few tests under the kinds that differ most. --long: all numerical tests under all kinds, and the table of both.
The program itself runs on a core that fits the processor unless it is told another one, and `fathom doctor` tells the truth about it.
--planted puts a LAPACK before the true one whose eigenvalues are all 0.
"""
import ctypes.util
import glob
import json
import os
import subprocess
import sys
import tempfile
import time

CORES = {  # name: what the processor must have
    "Prescott": "pni", "Nehalem": "sse4_2", "Sandybridge": "avx", "Haswell": "avx2", "Zen": "avx2", "SkylakeX": "avx512f",
    "Cooperlake": "avx512_bf16",
}
KERNELS = {"plain": "", "avx2": "avx2", "avx512": "avx512f"}
OTHERS = {"reference": "blas/libblas.so.3", "blis": "blis*/libblas.so.3"}
LAYERS = "linalg optimise gated price line geometry global margin train model dynamics arrangement theorem certificate".split()
SHORT_TESTS = "linalg_blas linalg_lapack linalg_cholesky optimise_lp_clp margin_margin_random margin_margin_global gated_lasso price_price".split()
SHORT_KINDS = "Prescott Haswell plain reference".split()


def flags():
    """Words that say what the processor has; none where that is not known."""
    try:
        with open("/proc/cpuinfo") as lines:
            return next((set(line.split()) for line in lines if line.startswith("flags")), set())
    except OSError:
        return set()


def core_of(environment):
    """The core that OpenBLAS takes in an environment, or None where there is no OpenBLAS."""
    name = ctypes.util.find_library("openblas")
    code = (f"import ctypes; f = ctypes.CDLL({name!r}).openblas_get_corename; f.restype = ctypes.c_char_p; "
            "print(f().decode())")
    run = subprocess.run([sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True)
    return run.stdout.strip() if name and run.returncode == 0 else None


def kinds():
    """Name and environment of every kind of arithmetic that can be had here."""
    have, found = flags(), {}
    for name, flag in CORES.items():
        if flag in have and (core_of({"OPENBLAS_CORETYPE": name}) or "").lower() == name.lower():
            found[name] = {"OPENBLAS_CORETYPE": name}
    for name, flag in KERNELS.items():
        if not flag or flag in have:
            found[name] = {"FATHOM_KERNELS": name}
    for name, pattern in OTHERS.items():
        for path in sorted(glob.glob("/usr/lib/*/" + pattern))[:1]:
            found[name] = {"LD_PRELOAD": path}
    return found


def tests(build, chosen):
    found = []
    for layer in LAYERS:
        found += sorted(glob.glob(os.path.join(build, "tests", f"test_{layer}_*")))
    found = [path for path in found if os.access(path, os.X_OK) and os.path.isfile(path) and "coverage" not in path]
    return [path for path in found if not chosen or os.path.basename(path)[5:] in chosen]


def passes(path, environment):
    start = time.monotonic()
    run = subprocess.run([path], env={**os.environ, "OMP_WAIT_POLICY": "passive", **environment}, capture_output=True, text=True)
    if run.returncode != 0:
        print(run.stdout + run.stderr)
    return run.returncode == 0, time.monotonic() - start


def wrong_library(folder):
    """A library with an eigenvalue routine that leaves zeros and says that all went well."""
    source, library = os.path.join(folder, "wrong.c"), os.path.join(folder, "libwrong.so")
    with open(source, "w") as out:
        out.write("int LAPACKE_dsyevd_work(int layout, char job, char part, int n, double *a, int lda, double *w)\n"
                  "{ for (int k = 0; k < n; k++) w[k] = 0; return layout * 0 + job * 0 + part * 0 + lda * 0 + (a == w); }\n")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def told(build, environment):
    """What `fathom doctor` says about the BLAS in an environment: its core, whether it fits, the finding about it."""
    around = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
    run = subprocess.run([os.path.join(build, "fathom"), "doctor", "--json"], env={**around, **environment}, capture_output=True,
                         text=True, timeout=60)
    said = json.loads(run.stdout)
    return said["blas_core"].lower(), said["blas_fits"], any("LAPACK" in text or "CORETYPE" in text for text in said["findings"])


def program_misses(build, every):
    """Environments in which the program runs on another core than it should, or says another one than it runs on."""
    asked = {name: environment for name, environment in every.items() if "OPENBLAS_CORETYPE" in environment}
    wrong = 0
    for name, environment in {"": {}, "empty": {"OPENBLAS_CORETYPE": ""}, "passive": {"OMP_WAIT_POLICY": "passive"}, **asked}.items():
        core, fits, finding = told(build, environment)
        if finding == fits or (core != name.lower() if name in asked else not fits):
            print(f"fathom doctor with {environment}: core {core!r}, fits {fits}, a finding {finding}")
            wrong += 1
    if "reference" in every and told(build, every["reference"])[0]:
        print("fathom doctor names a core of OpenBLAS although the reference BLAS is at work")
        wrong += 1
    return wrong


def main(build, planted, long):
    every = kinds()
    chosen = every if long else {name: every[name] for name in SHORT_KINDS if name in every}
    with tempfile.TemporaryDirectory() as scratch:
        if planted:
            chosen = {"planted": {"LD_PRELOAD": wrong_library(scratch)}}
        return judge(build, chosen, None if long else SHORT_TESTS) or program_misses(build, every)


def judge(build, chosen, names):
    table, failed = [], 0
    for path in tests(build, names):
        row = [os.path.basename(path)[5:]]
        for name, environment in chosen.items():
            good, seconds = passes(path, environment)
            failed += not good
            row.append(f"{seconds:.1f}" if good else "FAILED")
        table.append(row)
        print(" | ".join(row), flush=True)
    print("\n| test (seconds) | " + " | ".join(chosen) + " |\n|" + "---|" * (1 + len(chosen)))
    for row in table:
        print("| " + " | ".join(row) + " |")
    print(f"{len(table)} tests under {len(chosen)} kinds of arithmetic, {failed} failed")
    return failed or not table


if __name__ == "__main__":
    sys.exit(bool(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv, "--long" in sys.argv)))
