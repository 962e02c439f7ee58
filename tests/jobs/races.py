#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""races.py [--small] [WORD...]: the command lines of commands.py, on four threads, under ThreadSanitizer. For `make matrix`.

clang compiles fathom as the variant `thread`; libarcher tells the sanitizer what OpenMP orders (without it every parallel loop would be a
race). Libraries that are not compiled so are left out. A report of a race is a failure; a run that its limit stops is not. WORDs choose
commands; --small takes the small sizes.
"""
import glob
import os
import subprocess
import sys
import tempfile

import commands
import variant

SECONDS = 60


def main():
    archer = sorted(glob.glob("/usr/lib/llvm-*/lib/libarcher.so"))
    if not archer:
        print("no libarcher: skipped")
        return 77
    directory = os.path.join(variant.ROOT, variant.configure("thread"))
    variant.run(["ninja", "-C", directory, "--quiet", "fathom"])
    fathom = os.path.join(directory, "fathom")
    environment = {**os.environ, "OMP_TOOL_LIBRARIES": archer[-1], "OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1",
                   "OMP_WAIT_POLICY": "passive", "OPENBLAS_CORETYPE": os.environ.get("OPENBLAS_CORETYPE", "Haswell"),
                   "TSAN_OPTIONS": "ignore_noninstrumented_modules=1 exitcode=66"}
    os.environ.update(environment)  # for the fixtures too
    wanted = set(sys.argv[1:]) - {"--small"}
    lines = [words for words in commands.expand(fathom, large="--small" not in sys.argv) if not wanted or words[0] in wanted]
    races = 0
    for words in lines:
        with tempfile.TemporaryDirectory() as scratch:
            commands.make_fixtures(fathom, scratch)
            done = subprocess.run([fathom, *words, "--threads", "4", "--time-limit", str(SECONDS)], cwd=scratch, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
        found = done.stderr.count("WARNING: ThreadSanitizer")
        if found:
            races += 1
            print(f"$ fathom {' '.join(words)}: {found} reports\n{done.stderr[:3000]}", flush=True)
    print(f"{len(lines)} command lines on 4 threads, {races} with races")
    return races > 0


if __name__ == "__main__":
    sys.exit(main())
