#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ranks.py BUILD [--rows 1000000] [--columns 50] [--gates 200] [--ranks 2]: what ranks gain, in one run.

Gated training and branching on signs by `fathom`, by one rank of `fathom-mpi` and by several, one thread each: wall-clock seconds (for an
idle machine with a core for each rank) and their ratios. Results must have the same bits, else the exit code is 1.
"""
import argparse
import json
import os
import subprocess
import sys
import time

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "FATHOM_THREADS": "1",
               "OMP_NUM_THREADS": "1"}


def measure(build, ranks, words):
    """Seconds and what the run says of objective and bound; ranks 0: the plain program."""
    launch = ["mpirun", "--bind-to", "core", "-n", str(ranks)] if ranks else []
    program = os.path.join(build, "fathom-mpi" if ranks else "fathom")
    since = time.monotonic()
    run = subprocess.run([*launch, program, *words, "--json"], env=ENVIRONMENT, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL, text=True)
    result = json.loads(run.stdout)
    return time.monotonic() - since, (result["objective"], result["lower_bound"])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rows", type=int, default=1000000)
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--gates", type=int, default=200)
    parser.add_argument("--ranks", type=int, default=2)
    options = parser.parse_args()
    lines = {
        "gated": f"train gen:gauss,n={options.rows},d={options.columns},target=sign --model gated --gates {options.gates} "
                 "--loss logistic --beta-rel 0.1 --gap 1e-3",
        "signs": "train gen:gauss,n=100,d=8,target=teacher --normalize standardize --beta-rel 0.02 --gap 0.03",
    }
    same = True
    for name, line in lines.items():
        plain, expected = measure(options.build, 0, line.split())
        one, first = measure(options.build, 1, line.split())
        several, all_ranks = measure(options.build, options.ranks, line.split())
        same = same and expected == first == all_ranks
        print(f"{name}: fathom {plain:.2f} s, one rank {one:.2f} s ({one / plain:.3f} of it), "
              f"{options.ranks} ranks {several:.2f} s: {one / several:.2f} times one rank", flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
