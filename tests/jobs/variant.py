#!/usr/bin/env python3
"""variant.py NAME [--long]: builds fathom as VARIANTS[NAME] says in build/variants/NAME and runs the unit tests there.

Every variant turns warnings into errors. Before the build, each kind of planted warning (tests/planted/warning.c) must
stop the compiler under the variant's own flags. The sanitized build also runs allocations.py: there the blocks of
third-party libraries are watched too. Directories are kept, so that a second run compiles only what changed. --long: the effort of an ordinary build.
"""
import fcntl
import json
import os
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SANITIZE = ["-Db_sanitize=address,undefined", "-Db_lundef=false"]
# Name: compiler, options of meson setup, whether to run the unit tests.
VARIANTS = {
    "gcc": ("gcc", ["-Dbuildtype=release", "-Dtests=none"], False),
    "clang": ("clang", ["-Dbuildtype=release"], True),
    # Unit tests and fuzz harnesses. Little optimisation, lines alone for the debugger: compiled in two thirds of the processor time.
    "sanitize": ("clang", ["-Dbuildtype=debug", "-Doptimization=1", "-Dfuzz=true", *SANITIZE, "-Dc_args=-fno-sanitize-recover=all -g1"], True),
    "coverage": ("gcc", ["-Dbuildtype=debug", "-Db_coverage=true"], True),
    "thread": ("clang", ["-Dbuildtype=debugoptimized", "-Dtests=none", "-Db_sanitize=thread", "-Db_lundef=false"], False),
    "fuzz-fast": ("clang", ["-Dbuildtype=release", "-Dfuzz=true", "-Db_lundef=false", "-Dc_args=-fno-sanitize=fuzzer-no-link"], False),
}
# Sanitized code runs several times slower: fewer random trials. One thread for OpenBLAS, as tests run side by side.
# The OpenMP library of clang keeps blocks of its threads to the end.
ENVIRONMENT = {"FATHOM_TEST_EFFORT": "0.2", "OPENBLAS_NUM_THREADS": "1",
               "LSAN_OPTIONS": f"suppressions={ROOT}/tests/support/leaks.supp:print_suppressions=0"}


def run(command, **options):
    print("+", " ".join(command), flush=True)
    if subprocess.run(command, cwd=ROOT, **options).returncode:
        sys.exit(f"failed: {' '.join(command)}")


def configure(name):
    """The variant's directory, configured anew where its options have changed."""
    directory = os.path.join("build", "variants", name)
    compiler, options, _ = VARIANTS[name]
    tests = [] if any(option.startswith("-Dtests=") for option in options) else ["-Dtests=unit"]
    options = [*tests, "-Dwerror=true", *options]
    stamp = os.path.join(ROOT, directory, ".options")
    if os.path.exists(stamp) and open(stamp).read() == repr((compiler, options)):
        return directory
    again = ["--wipe"] if os.path.exists(os.path.join(ROOT, directory, "build.ninja")) else []
    run(["meson", "setup", directory, *options, *again], env={**os.environ, "CC": compiler, "CXX": {"gcc": "g++", "clang": "clang++"}[compiler]}, stdout=subprocess.DEVNULL)
    with open(stamp, "w") as file:
        file.write(repr((compiler, options)))
    return directory


def check_warnings(directory):
    """Compiles the planted warnings as if they were a file of the base layer."""
    with open(os.path.join(ROOT, directory, "compile_commands.json")) as file:
        commands = {os.path.basename(entry["file"]): entry for entry in json.load(file)}
    entry = commands["context.c"]
    words = shlex.split(entry["command"])
    words = words[: words.index("-MD")]
    source = os.path.join(ROOT, "tests", "planted", "warning.c")
    with tempfile.TemporaryDirectory() as scratch:
        for number in range(5):
            compiled = subprocess.run(
                [*words, f"-DWARNING={number}", "-o", os.path.join(scratch, "warning.o"), "-c", source],
                cwd=entry["directory"], capture_output=True, text=True)
            if (compiled.returncode != 0) != (number != 0):
                sys.exit(f"planted warning {number}: exit code {compiled.returncode}\n{compiled.stderr}")


def build(name, *targets):
    """The variant's directory, built, or these targets of it; jobs that want the same one at the same time wait for each other."""
    os.makedirs(os.path.join(ROOT, "build", "variants"), exist_ok=True)
    with open(os.path.join(ROOT, "build", "variants", f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        directory = configure(name)
        check_warnings(directory)
        run(["ninja", "-C", directory, "--quiet", *targets])
    return directory


if __name__ == "__main__":
    target = build(sys.argv[1])
    if "--long" in sys.argv:
        ENVIRONMENT["FATHOM_TEST_EFFORT"] = "1"
    if VARIANTS[sys.argv[1]][2]:
        run(["meson", "test", "-C", target, "--no-rebuild", "--print-errorlogs", "--suite", "unit", "--num-processes", "2"],
            env={**os.environ, **ENVIRONMENT})
    if sys.argv[1] == "sanitize":
        run(["tests/jobs/allocations.py", target], env={**os.environ, **ENVIRONMENT})
