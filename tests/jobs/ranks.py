#!/usr/bin/env python3
"""ranks.py BUILD [--planted] [--long]: fathom-mpi with several ranks gives the bits of fathom, and ends well whatever happens.

Lines of every command that deals tasks, with 1, 2, 3, 4 and 7 ranks, some of several threads (--long: and 16 ranks, and more lines) on this machine, against the plain program: what is
printed and what is written; `progress` is what rank 0 has seen. Then: a rank that is killed ends the job within seconds; --time-limit and Ctrl-C end all ranks with one result; a state is resumed with other
numbers of ranks; ranks that have other data or another command are found out. Last, ranks on three hosts over TCP: network namespaces behind a bridge, inside
namespaces of this job's own, which end with it whatever happens (root alone). Skipped where there is no fathom-mpi or no mpirun. --planted changes
the seed together with the number of ranks.
"""
import json
import os
import shlex
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
    "train gen:gauss,n=70000,d=3,target=sign --model gated --gates 8 --loss logistic --beta-rel 0.05 --gap 1e-4 -o out.json",
]
LONG = [
    "train gen:gauss,n=60,d=8,target=sign --loss hinge --gap 0.1 --effort 2",
    "margin gen:gauss,n=30,d=3,target=sign --kind ntk-full --samples 20000",
    "fit builtin:wdbc --time 0 -o out.json",
    "path builtin:iris --model gated --gates 100 --loss logistic --bias free --cv 5",
    "train gen:gauss,n=100000,d=10,target=teacher --model gated --gates 40 --beta-rel 0.02 --bias free -o out.json",
    "train gen:gauss,n=50000,d=4,target=sign --model gated --gates 12 --loss hinge --beta-rel 0.02 --gap 1e-3",
    "kernel gen:gauss,n=2000,d=40",
]
SECONDS = 30  # within which, on a busy machine too, a job ends that has a reason to
STATE = "path gen:gauss,n=40,d=3,target=teacher --model gated --gates 10 --points 4 --cv 4"
ENDLESS = "margin gen:gauss,n=30,d=8,target=sign --method sample --samples 1000000000 --gap 1e-9"
# UCX, below some MPIs, complains on standard output unless it is told where to (a machine without /sys).
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "FATHOM_THREADS": "1",
               "UCX_LOG_FILE": "stderr"}
# More ranks than cores, none of them bound to one: options that Open MPI 4 and 5 both know.
ANY_NUMBER = ["--map-by", "slot:OVERSUBSCRIBE", "--bind-to", "none"]
# Settings of the part that starts ranks have one name in Open MPI 4 (OMPI_MCA_), another in 5 (PRTE_MCA_); each passes over the other's.
PATIENT = {"OMPI_MCA_odls_base_sigkill_timeout": "3", "PRTE_MCA_odls_base_sigkill_timeout": "3"}


# (ranks, threads of each)
MIXTURES = [(1, 1), (2, 3), (3, 2), (4, 1), (7, 1)]
LONG_MIXTURES = [(2, 1), (3, 1), (4, 4), (16, 1), (16, 2)]
HOSTS = 3
# What ends together with the process that it is for: networks, names of networks, processes.
APART = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
# In place of ssh: agent HOST COMMAND, with a name and a place for temporary files that are this host's alone.
AGENT = """#!/bin/sh
export TMPDIR="$(dirname "$0")/host${1##*.}" HOST="host${1##*.}"
shift
exec ip netns exec "$HOST" unshare --uts sh -c 'hostname "$HOST" && eval "$*"' sh "$@"
"""


def launch(ranks, program, words, options=ANY_NUMBER):
    return ["mpirun", *options, "-n", str(ranks), program, *words] if ranks else [program, *words]


def outcome(build, ranks, words, planted=False, mpirun=launch, each=1):
    """(exit code, result, bytes of every file written) of ranks of so many threads each; ranks 0: the plain program."""
    program = os.path.join(build, "fathom-mpi" if ranks else "fathom")
    seed = str(1 + ranks if planted else 1)
    with tempfile.TemporaryDirectory() as scratch:
        run = subprocess.run(mpirun(ranks, program, [*words, "--json", "--seed", seed]), cwd=scratch,
                             env={**ENVIRONMENT, "FATHOM_THREADS": str(each)}, text=True, capture_output=True, stdin=subprocess.DEVNULL)
        files = {name: open(os.path.join(scratch, name), "rb").read() for name in sorted(os.listdir(scratch))}
    result = json.loads(run.stdout) if run.stdout else run.stderr
    return run.returncode, threads.without(result, ("seconds", "stages", "arguments", "progress")), files


def same_bits(build, mixtures, lines, planted):
    failed = 0
    for line in lines:
        reference = outcome(build, 0, line.split())
        others = [f"{ranks} x {each}" for ranks, each in mixtures if outcome(build, ranks, line.split(), planted, each=each) != reference]
        print("DIFFERENT BITS" if others else "same bits", f"(exit code {reference[0]}):", line, *others, flush=True)
        failed += bool(others) or reference[0] not in (0, 3)
    return failed


def say(good, what, run=None):
    print("as it should:" if good else "NOT AS IT SHOULD:", what, flush=True)
    if not good and run:
        print(run.returncode, run.stdout, run.stderr, sep="\n")
    return not good


def children(process):
    """The processes that a process has started, on whatever thread, and those that these have."""
    threads_of = os.listdir(f"/proc/{process}/task")
    found = [child for thread in threads_of for child in open(f"/proc/{process}/task/{thread}/children").read().split()]
    return found + [c for child in found for c in children(child)]


def under_way(job, count):
    """The ranks of a job, once all have begun."""
    until = time.monotonic() + 60
    ranks = []
    while time.monotonic() < until and len(ranks) < count and job.poll() is None:
        time.sleep(0.5)
        ranks = [c for c in children(job.pid) if "fathom-mpi" in open(f"/proc/{c}/cmdline").read().split("\0")[0]]
    time.sleep(2)
    return [int(rank) for rank in ranks]


def killed(command, victims):
    """A follower is killed: mpirun ends soon and says so. `victims` finds followers of a job that is under way."""
    job = subprocess.Popen(command, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        os.kill(victims(job)[-1], signal.SIGKILL)
        since = time.monotonic()
        text = job.communicate(timeout=60)[1]
    finally:
        job.kill()
    seconds = time.monotonic() - since
    # mpirun has seen the signal, or between hosts first a rank that misses the other one (Open MPI 5).
    good = job.returncode != 0 and ("signal 9" in text or "Socket closed" in text) and seconds < SECONDS
    return say(good, f"a killed rank ends the job: exit code {job.returncode}", subprocess.CompletedProcess(command, job.returncode, "", text))


def is_one_result(text):
    """Whether a text is one result of ENDLESS that was stopped, its bounds in order."""
    if text.count('"command"') != 1:
        return False
    result = json.loads(text)
    return result["status"] == "limit" and result["lower"] <= result["upper"]


def limited(program):
    since = time.monotonic()
    run = subprocess.run(launch(3, program, [*ENDLESS.split(), "--time-limit", "2", "--json"]), env=ENVIRONMENT, text=True, capture_output=True)
    good = run.returncode == 3 and is_one_result(run.stdout) and time.monotonic() - since < 2 + SECONDS
    return say(good, "a limit ends all ranks with one result", run)


def runs(process):
    """Whether a process is there and no zombie, which nobody has asked for its end."""
    try:
        return open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def asks_first():
    """Whether this mpirun, interrupted, lets ranks end by themselves before it kills them (Open MPI 4 and 5; the release candidates of 6 kill at once)."""
    with tempfile.TemporaryDirectory() as scratch:
        begun, asked = (os.path.join(scratch, name) for name in ("begun", "asked"))
        rank = """trap 'echo > "$1"; exit' INT TERM; echo > "$0"; while :; do sleep 0.1; done"""
        job = subprocess.Popen(["mpirun", *ANY_NUMBER, "-n", "1", "sh", "-c", rank, begun, asked], env={**ENVIRONMENT, **PATIENT},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + SECONDS
            while not os.path.exists(begun) and time.monotonic() < until:
                time.sleep(0.1)
            job.send_signal(signal.SIGINT)
            job.wait(timeout=SECONDS)
            while not os.path.exists(asked) and time.monotonic() < until:
                time.sleep(0.1)
        finally:
            job.kill()
        return os.path.exists(asked)


def interrupted(program):
    """Ctrl-C: mpirun asks all ranks to end and kills those that are left after so many seconds. Open MPI 4 passes on what they print until
    then; 5 does not, and may end before them: their result is the file. Where it does not ask, nothing but whole files is left."""
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "result.json")
        command = launch(3, program, [*ENDLESS.split(), "-o", path])
        job = subprocess.Popen(command, env={**ENVIRONMENT, **PATIENT}, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            ranks = under_way(job, 3)
            job.send_signal(signal.SIGINT)
            since = time.monotonic()
            output, errors = job.communicate(timeout=60)
            while any(map(runs, ranks)) and time.monotonic() - since < SECONDS:
                time.sleep(0.1)
        finally:
            job.kill()
        left = [rank for rank in ranks if runs(rank)]
        written = os.listdir(scratch)
        good = len(ranks) == 3 and not left and written in ([], ["result.json"]) and (not written or is_one_result(open(path).read()))
    what = "one result" if written or asks_first() else "none: this mpirun kills them without asking"
    good = good and (written or what != "one result")
    return say(good, f"Ctrl-C ends all ranks with {what}", subprocess.CompletedProcess(command, job.returncode, output, errors))


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
        for rank in (0, 1):
            os.mkdir(os.path.join(scratch, str(rank)))
            subprocess.run([os.path.join(build, "fathom"), "gen", "gen:gauss,n=9,d=2,target=sign",
                            "--seed", str(rank + 1), "-q", "-o", os.path.join(scratch, str(rank), "data.csv")], check=True)

        def differing(before):
            """Two ranks after each has done something of its own."""
            words = ["sh", "-c", f'{before} && exec "$0" train data.csv --model gated --gates 5 $words', program]
            return subprocess.run(["mpirun", *ANY_NUMBER, "-n", "2", *words], cwd=scratch, env=ENVIRONMENT, text=True, capture_output=True)

        run = differing("cd $OMPI_COMM_WORLD_RANK")
        failed += say(run.returncode == 5 and "rank 1 has data other than those of rank 0" in run.stderr, "other data are found out", run)
        os.remove(os.path.join(scratch, "1", "data.csv"))
        run = differing("cd $OMPI_COMM_WORLD_RANK")
        failed += say(run.returncode == 5 and run.stderr.count("cannot open") == 1 and "rank 1 on " in run.stderr, "a file that one rank has not", run)
        run = differing('cd 0 && words="--seed $OMPI_COMM_WORLD_RANK"')
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


def ip(words):
    subprocess.run(["ip", *words.split()], check=True)


def make_hosts():
    """host1, host2, ... with addresses 10.0.0.1, ... at one bridge, in namespaces that are ours alone."""
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    ip("link add bridge type bridge")
    ip("link set bridge up")
    for k in range(1, HOSTS + 1):
        ip(f"netns add host{k}")
        ip(f"link add port{k} type veth peer name net netns host{k}")
        ip(f"link set port{k} master bridge up")
        ip(f"-n host{k} address add 10.0.0.{k}/24 dev net")
        ip(f"-n host{k} link set net up")
        ip(f"-n host{k} link set lo up")


def write_agent(folder):
    agent = os.path.join(folder, "agent")
    with open(agent, "w") as file:
        file.write(AGENT)
    os.chmod(agent, 0o700)
    for k in range(1, HOSTS + 1):
        os.mkdir(os.path.join(folder, f"host{k}"))
    return agent


def on_hosts(agent):
    """How to launch ranks in turns on all hosts, from the first."""
    hosts = ",".join(f"10.0.0.{k}" for k in range(1, HOSTS + 1))
    network = "10.0.0.0/24"
    options = ["--host", hosts, "--map-by", "node:OVERSUBSCRIBE", "--bind-to", "none"]
    settings = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": network,
                "OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": agent, "OMPI_MCA_oob_tcp_if_include": network,
                "PRTE_MCA_plm": "ssh", "PRTE_MCA_plm_ssh_agent": agent, "PRTE_MCA_prte_if_include": network}

    def mpirun(ranks, program, words):
        command = launch(ranks, program, words, options)
        return ["env", *(f"{name}={value}" for name, value in settings.items()), agent, "host.1", shlex.join(command)] if ranks else command
    return mpirun


def ranks_of(host):
    """Ranks that run on a host."""
    processes = subprocess.run(["ip", "netns", "pids", host], text=True, capture_output=True, check=True).stdout.split()
    return [int(p) for p in processes if "fathom-mpi" in open(f"/proc/{p}/cmdline").read().split("\0")[0]]


def begun_on(host):
    """Ranks on a host, once there are some."""
    until = time.monotonic() + 60
    while not ranks_of(host) and time.monotonic() < until:
        time.sleep(0.5)
    time.sleep(2)
    return ranks_of(host)


def inside(build):
    """The part that runs apart: ranks as hosts."""
    program = os.path.join(build, "fathom-mpi")
    make_hosts()
    with tempfile.TemporaryDirectory() as folder:
        mpirun = on_hosts(write_agent(folder))
        failed = 0
        for line in (LINES[0], LINES[2], LINES[7]):
            reference = outcome(build, 0, line.split())
            others = [ranks for ranks in (3, 5) if outcome(build, ranks, line.split(), mpirun=mpirun) != reference]
            print("DIFFERENT BITS" if others else "same bits", f"on {HOSTS} hosts:", line, *others, flush=True)
            failed += bool(others)
        return failed + killed(mpirun(3, program, ENDLESS.split()), lambda job: begun_on("host3"))


def hosts(build):
    """Runs that part, where namespaces can be made."""
    probe = "mount -t tmpfs none /run && ip netns add host && ip link add port type veth peer name net netns host && ip link add bridge type bridge"
    able = os.geteuid() == 0 and shutil.which("unshare") and shutil.which("ip")
    if not able or subprocess.run([*APART, "sh", "-c", probe], capture_output=True).returncode != 0:
        print("skipped: ranks on several hosts need root, iproute2 and the right to make network namespaces")
        return 0
    return subprocess.run([*APART, sys.executable, os.path.abspath(__file__), build, "--inside"]).returncode


def main(build, planted, long):
    program = os.path.join(build, "fathom-mpi")
    if not os.path.exists(program) or not shutil.which("mpirun"):
        print("skipped: there is no fathom-mpi or no mpirun here")
        return SKIP
    if "--inside" in sys.argv:
        return inside(build)
    if planted:
        return same_bits(build, [(2, 1)], LINES[:1], True)
    failed = same_bits(build, MIXTURES + (LONG_MIXTURES if long else []), LINES + (LONG if long else []), False)
    return failed + killed(launch(3, program, ENDLESS.split()), lambda job: under_way(job, 3)) + limited(program) + interrupted(program) + resumed(build, program) \
        + unlike(build, program) + piped(build, program) + hosts(build)


if __name__ == "__main__":
    count = main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv, "--long" in sys.argv)
    sys.exit(count if count == SKIP else bool(count))
