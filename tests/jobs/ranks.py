#!/usr/bin/env python3
"""ranks.py BUILD [--planted] [--long]: fathom-mpi with several ranks gives the bits of fathom, and ends well whatever happens.

Lines of every command that deals tasks, with 1, 2, 3, 4 and 7 ranks (--long: and 16, and more lines) on this machine, against the plain program: what is
printed and what is written; `progress` is what rank 0 has seen. Then: a rank that is killed ends the job within seconds; limits end all ranks with a result; a state is resumed with other
numbers of ranks; ranks that have other data or another command are found out. Skipped where there is no fathom-mpi or no mpirun. --planted changes
the seed together with the number of ranks.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import threads

SKIP = 77
LINES = [
    "margin gen:gauss,n=8,d=3,target=sign --method sample --samples 2000",
    "margin gen:circle,n=8 --experiment --trials 5",
    "path gen:gauss,n=40,d=3,target=teacher --model gated --gates 10 --points 4 --cv 5 -o out.json",
    "path gen:gauss,n=20,d=3,target=teacher --points 2 --cv 3 --effort 1 -o out.json",
    "path gen:mixture1d,n=40 --bias free --loss logistic --points 3 --cv 2 -o out.json",
    "fit gen:xor,n=40 --time 0 --folds 4 --average -o out.json",
    "kernel gen:gauss,n=600,d=4 -o out.npy",
    "train gen:gauss,n=30,d=6,target=teacher --gap 0.01 --effort 1 --certificate out.cert -o out.json",
]
LONG = [
    "train gen:gauss,n=60,d=8,target=sign --loss hinge --gap 0.1 --effort 2",
    "margin gen:gauss,n=30,d=3,target=sign --kind ntk-full --samples 20000",
    "fit builtin:wdbc --time 0 -o out.json",
    "path builtin:iris --model gated --gates 100 --loss logistic --bias free --cv 5",
    "kernel gen:gauss,n=2000,d=40",
]
STATE = "path gen:gauss,n=40,d=3,target=teacher --model gated --gates 10 --points 4 --cv 4"
ENDLESS = "margin gen:gauss,n=30,d=8,target=sign --method sample --samples 1000000000 --gap 1e-9"
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none", "FATHOM_THREADS": "1"}


def launch(ranks, program, words):
    return ["mpirun", "-n", str(ranks), program, *words] if ranks else [program, *words]


def outcome(build, ranks, words, planted=False):
    """(exit code, result, bytes of every file written); ranks 0: the plain program."""
    program = os.path.join(build, "fathom-mpi" if ranks else "fathom")
    seed = str(1 + ranks if planted else 1)
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(launch(ranks, program, [*words, "--json", "--seed", seed]), cwd=scratch, env=ENVIRONMENT, text=True,
                             capture_output=True, stdin=subprocess.DEVNULL)
        files = {name: open(os.path.join(scratch, name), "rb").read() for name in sorted(os.listdir(scratch))}
    result = json.loads(run.stdout) if run.stdout else run.stderr
    return run.returncode, threads.without(result, ("seconds", "stages", "arguments", "progress")), files


def same_bits(build, counts, lines, planted):
    failed = 0
    for line in lines:
        reference = outcome(build, 0, line.split())
        others = [ranks for ranks in counts if outcome(build, ranks, line.split(), planted) != reference]
        print("DIFFERENT BITS" if others else "same bits", f"(exit code {reference[0]}):", line, *others, flush=True)
        failed += bool(others) or reference[0] not in (0, 3)
    return failed


def say(good, what, run=None):
    print("as it should:" if good else "NOT AS IT SHOULD:", what, flush=True)
    if not good and run:
        print(run.returncode, run.stdout, run.stderr, sep="\n")
    return not good


def children(process):
    """The processes that a process has started, and those that these have."""
    found = open(f"/proc/{process}/task/{process}/children").read().split()
    return found + [c for child in found for c in children(child)]


def killed(program):
    """A follower is killed: mpirun ends soon and says so."""
    job = subprocess.Popen(launch(3, program, ENDLESS.split()), env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        until = time.monotonic() + 60
        ranks = []
        while time.monotonic() < until and len(ranks) < 3:
            time.sleep(1)
            ranks = [c for c in children(job.pid) if "fathom-mpi" in open(f"/proc/{c}/cmdline").read()]
        time.sleep(2)
        os.kill(int(ranks[-1]), signal.SIGKILL)
        text = job.communicate(timeout=60)[1]
    finally:
        job.kill()
    return say(job.returncode != 0 and "signal 9" in text, f"a killed rank ends the job: exit code {job.returncode}")


def limited(program):
    run = subprocess.run(launch(3, program, [*ENDLESS.split(), "--time-limit", "2", "--json"]), env=ENVIRONMENT, text=True, capture_output=True)
    good = run.returncode == 3 and run.stdout.count('"command"') == 1 and json.loads(run.stdout)["lower"] <= json.loads(run.stdout)["upper"]
    return say(good, "a limit ends all ranks with one result", run)


def resumed(build, program):
    """A state of three ranks, cut or whole, gives the same bits with two and with the plain program."""
    failed = 0
    reference = outcome(build, 0, STATE.split())[:2]
    with tempfile.TemporaryDirectory() as scratch:
        state = os.path.join(scratch, "state.npz")
        subprocess.run(launch(3, program, [*STATE.split(), "--checkpoint", state]), env=ENVIRONMENT, capture_output=True, check=True)
        for ranks in (2, 0, 4):
            copy = shutil.copy(state, os.path.join(scratch, "copy.npz"))
            again = outcome(build, ranks, [*STATE.split(), "--resume", copy, "--checkpoint", copy])
            failed += say(without_course(again[:2]) == without_course(reference), f"a state of 3 ranks resumed with {ranks or 'the plain program'}")
    return failed


def without_course(result):
    """How a resumed run came to its numbers is its own affair."""
    return result[0], threads.without(result[1], ("iterations",))


def unlike(build, program):
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for k, name in enumerate(("a", "b")):
            os.mkdir(os.path.join(scratch, name))
            subprocess.run([os.path.join(build, "fathom"), "gen", "gen:gauss,n=9,d=2,target=sign",
                            "--seed", str(k + 1), "-q", "-o", os.path.join(scratch, name, "data.csv")], check=True)
        words = ["train", "data.csv", "--model", "gated", "--gates", "5"]
        where = [("-wdir", os.path.join(scratch, name)) for name in ("a", "b")]
        run = subprocess.run(["mpirun", "-n", "1", *where[0], program, *words, ":", "-n", "1", *where[1], program, *words],
                             env=ENVIRONMENT, text=True, capture_output=True)
        failed += say(run.returncode == 5 and "rank 1 has data other than those of rank 0" in run.stderr, "other data are found out", run)
        os.remove(os.path.join(scratch, "b", "data.csv"))
        run = subprocess.run(["mpirun", "-n", "1", *where[0], program, *words, ":", "-n", "1", *where[1], program, *words],
                             env=ENVIRONMENT, text=True, capture_output=True)
        failed += say(run.returncode == 5 and run.stderr.count("cannot open") == 1 and "rank 1 on " in run.stderr, "a file that one rank has not", run)
        run = subprocess.run(["mpirun", "-n", "1", *where[0], program, *words, ":", "-n", "1", *where[0], program, *words, "--seed", "2"],
                             env=ENVIRONMENT, text=True, capture_output=True)
        failed += say(run.returncode == 1 and "another command" in run.stderr, "another command is found out", run)
    return failed


def piped(build, program):
    """Standard input reaches all ranks."""
    table = subprocess.run([os.path.join(build, "fathom"), "gen", "gen:gauss,n=20,d=2,target=sign", "-o", "-"], text=True, capture_output=True).stdout
    words = ["path", "-", "--model", "gated", "--gates", "5", "--points", "3", "--cv", "2", "--json"]
    runs = [subprocess.run(launch(ranks, program if ranks else os.path.join(build, "fathom"), words), input=table, env=ENVIRONMENT, text=True,
                           capture_output=True) for ranks in (0, 3)]
    results = [threads.without(json.loads(run.stdout or "{}"), ("seconds", "arguments", "progress")) for run in runs]
    return say(results[0] == results[1] and results[0], "standard input reaches all ranks", runs[1])


def main(build, planted, long):
    program = os.path.join(build, "fathom-mpi")
    if not os.path.exists(program) or not shutil.which("mpirun"):
        print("skipped: there is no fathom-mpi or no mpirun here")
        return SKIP
    if planted:
        return same_bits(build, (2,), LINES[:1], True)
    failed = same_bits(build, (1, 2, 3, 4, 7) if not long else (1, 2, 3, 4, 7, 16), LINES + (LONG if long else []), False)
    return failed + killed(program) + limited(program) + resumed(build, program) + unlike(build, program) + piped(build, program)


if __name__ == "__main__":
    count = main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv, "--long" in sys.argv)
    sys.exit(count if count == SKIP else bool(count))
