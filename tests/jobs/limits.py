#!/usr/bin/env python3
"""limits.py BUILD [--planted] [--long]: --time-limit, Ctrl-C and SIGTERM end every command and every Python call within two seconds,
with what they have.

Every line has work for much longer than the limit of a second. It must end in time with exit code 3 (130 after a signal), print the members
named beside it, leave no half-written file under its name, no temporary file and no process behind; a command that makes nothing but a file
(none named) says in one line what was cut. reproduce ended by SIGKILL takes its children along. Bounds are in order. Short form: the limit
for all but the LONG lines, signals for some; --long: all of both. --planted leaves the limit out.

Seconds are those of an idle machine: from the time after the limit is taken what the line's threads spent in the queue of a processor
that others had (the kernel counts it, per thread: schedstat), the longest of each process; but at least what they ran, over the number of
processors, so that a line which keeps itself waiting is late. The program's own alarm counts the clock's seconds: where it ended a line
while others had the processor for most of them, the line is tried again, and after TRIES the job is skipped (77), if nothing else is wrong.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import commands

LIMIT, MORE, TRIES = 1.0, 2.0, 3
TRAIN, MARGIN, SPECTRUM = ("objective", "lower_bound"), ("lower", "upper"), ("trace", "lambda_max_lower", "lambda_max_upper")
GENERATED = "gen gen:gauss,n=4000000,d=20 -o out.csv"
ENDLESS = "flow gen:gauss,n=5000,d=50,target=sign --width 300 --until steps=1000000"
FIGURE = "reproduce 001:fig1a -o out"
LINES = {
    GENERATED: (),
    "kernel gen:gauss,n=9000,d=5": SPECTRUM,
    "train gen:gauss,n=3000,d=30,target=teacher --method gates --gates 3000 --beta 1": TRAIN,
    "train gen:gauss,n=400,d=12,target=teacher --gap 1e-9": TRAIN,
    "train gen:gauss,n=1500,d=3000,target=teacher": TRAIN,  # QR
    "path gen:gauss,n=20000,d=30,target=sign --loss logistic --model gated --gates 2000": ("path",),
    "margin gen:gauss,n=60,d=12,target=sign": MARGIN,
    "margin gen:gauss,n=40,d=5,target=sign --kind global --gap 1e-9": MARGIN,
    "cones gen:gauss,n=110,d=6 --list out.cones": (),
    "geometry gen:gauss,n=3000,d=2500": ("n",),  # SVD
    ENDLESS: ("status", "log_loss"),
    "check gen:xor,n=20000 --theorem 002:2 --width 2000": ("hypotheses",),
    FIGURE: ("id",),
}
LONG = {
    "fit gen:gauss,n=100000,d=30,target=sign -o out.json": ("objective", "chosen"),
    "gen gen:gauss,n=400000,d=20 -o out.csv": (),
    "gen gen:gauss,n=4000000,d=20 -o out.npz": (),
    "kernel gen:gauss,n=3000,d=5": SPECTRUM,
    "kernel gen:gauss,n=3000,d=5 --width 10000": SPECTRUM,
    "kernel gen:gauss,n=3000,d=5,target=teacher --ridge 0 -o out.json": SPECTRUM,
    "train gen:gauss,n=3000,d=30,target=teacher --method gates --gates 3000": TRAIN,
    "train gen:gauss,n=20000,d=50,target=teacher": TRAIN,
    "train gen:gauss,n=2000,d=1500,target=teacher": TRAIN,
    "train gen:gauss,n=20000,d=50,target=teacher --model gated --gates 3000 --beta-rel 1e-3": TRAIN,
    "train gen:gauss,n=3000,d=30,target=teacher --method cutting --beta 0.2": TRAIN,
    "train gen:gauss,n=3000,d=36,target=sign --model convex-rf --patch 3 --filters 600": TRAIN,
    "train gen:gauss,n=100,d=4,target=teacher --model gated --gates all": TRAIN,
    "train gen:gauss,n=400,d=12,target=teacher --loss equality": ("lower_bound",),
    "train gen:gauss,n=400,d=12,target=teacher --gap 1e-9 --verify": TRAIN,
    "margin gen:gauss,n=2000,d=12,target=sign": MARGIN,
    "margin gen:gauss,n=2000,d=12,target=sign --width 5000": MARGIN,
    "margin gen:gauss,n=300,d=12,target=sign --kind ntk-full": MARGIN,
    "geometry gen:gauss,n=20000,d=12": ("rank",),
    "flow gen:gauss,n=5000,d=50,target=sign --width 2000 --until steps=1000000 --method flow": ("status",),
}
SIGNALLED = ["kernel gen:gauss,n=9000,d=5", "train gen:gauss,n=1500,d=3000,target=teacher", FIGURE]

# A call of the package with a limit, and one that Ctrl-C reaches inside of LAPACK.
PYTHON = """
import os, signal, sys, threading, time
sys.path.insert(0, sys.argv[1])
from limits import idle_seconds, queued
import numpy as np
import fathom
X = np.random.default_rng(1).standard_normal((3000, 2500))
def timed(call, limit):
    start, before = time.monotonic(), {}
    threading.Timer(limit, lambda: before.update(queued([os.getpid()]))).start()
    try:
        call()
        what = "result"
    except KeyboardInterrupt:
        what = "KeyboardInterrupt"
    print(what, round(idle_seconds(time.monotonic() - start - limit, before, queued([os.getpid()])), 2), flush=True)
timed(lambda: fathom.geometry(X, time_limit=1.0), 1.0)
timed(lambda: fathom.train(X[:1500, :2000], X[:1500, 0], time_limit=1.0), 1.0)
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
timed(lambda: fathom.geometry(X), 1.0)
"""
EXPECTED = ["result", "result", "KeyboardInterrupt"]


def queued(processes):
    """{(process, thread): (seconds on a processor, seconds in its queue)}"""
    seen = {}
    for process in processes:
        try:
            for thread in os.listdir(f"/proc/{process}/task"):
                with open(f"/proc/{process}/task/{thread}/schedstat") as file:
                    seen[process, thread] = tuple(int(word) * 1e-9 for word in file.read().split()[:2])
        except (OSError, ValueError):  # it has ended
            pass
    return seen


def idle_seconds(seconds, before, after):
    """What the seconds between two accounts would have been had no other program run."""
    change = {key: [b - a for a, b in zip(before.get(key, (0, 0)), now)] for key, now in after.items()}
    waited = {}
    for (process, _), (_, queue) in change.items():
        waited[process] = max(waited.get(process, 0), queue)
    return max(seconds - sum(waited.values()), min(seconds, sum(ran for ran, _ in change.values()) / len(os.sched_getaffinity(0))))


def wait_for(process, start):
    """(idle seconds after start + LIMIT, whether others had the processor for most of the time, its output and errors) once a process
    has ended; seconds None: it has not in time."""
    before, after = None, {}
    while True:
        late = time.monotonic() - start - LIMIT
        if late >= 0:
            after.update(queued([process.pid, *others(process.pid)]))
            before = after.copy() if before is None else before
            if idle_seconds(late, before, after) > MORE + 2:
                return None, False, "", ""
        try:
            output, errors = process.communicate(timeout=min(0.05, -late) if late < 0 else 0.05)
        except subprocess.TimeoutExpired:
            continue
        late = time.monotonic() - start - LIMIT
        idle = idle_seconds(late, before or {}, after) if late > 0 else late
        return idle, late > 2 * idle, output, errors


def run(fathom, words, signal_number, planted):
    """(seconds after the limit or signal, exit code, processes and files left, standard output and error) of one line; seconds None: it had
    to be killed. None: the alarm ended it while others had the processor."""
    with tempfile.TemporaryDirectory() as scratch:
        limit = [] if signal_number or planted else ["--time-limit", str(LIMIT)]
        process = subprocess.Popen([fathom, *words, "--json", *limit], cwd=scratch, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, text=True)
        if signal_number:
            commands.until_listening(process, signal_number)
        start = time.monotonic()
        if signal_number:
            time.sleep(LIMIT)
            process.send_signal(signal_number)
        late, busy, output, errors = wait_for(process, start)
        time.sleep(0.2)
        left = others(process.pid)
        if late is None or left:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        made = [name for name in os.listdir(scratch) if name in ("out.csv", "out.npz", "out.cones", "out.json") or name.endswith(".tmp")]
    if busy and "cannot be cut short" in errors:
        return None
    return late, process.returncode, left, made, output, errors


def others(session):
    """Processes of a session that are still there."""
    found = []
    for name in os.listdir("/proc"):
        try:
            fields = open(f"/proc/{name}/stat").read().rsplit(")", 1)[1].split() if name.isdigit() else []
        except OSError:
            continue
        if fields and fields[3] == str(session) and fields[0] != "Z" and int(name) != session:
            found.append(name)
    return found


def missing(members, output, errors):
    """What a result lacks."""
    if "cannot be cut short" in errors:
        return ["ended inside a step, without a result"]
    if "what was run is kept" in errors:
        return []
    if not members:
        return [] if output.strip() or errors.count("stopped") == 1 else ["says nothing"]
    try:
        result = json.loads(output)
    except ValueError:
        return ["no result: " + errors.strip()[-100:]]
    wrong = [f"no {name}" for name in members if result.get(name) is None]
    for low, high in (("lower_bound", "objective"), ("lower", "upper"), ("lambda_max_lower", "lambda_max_upper")):
        if low in members and high in members and not wrong and not 0 <= result[low] <= result[high]:
            wrong.append(f"{low} {result[low]}, {high} {result[high]}")
    return wrong


def judge(fathom, line, members, signal_number, planted=False):
    """Whether a line is wrong; None: undecided."""
    outcome = next(filter(None, (run(fathom, line.split(), signal_number, planted) for _ in range(TRIES))), None)
    if outcome is None:
        print("undecided: others have the processor", line, sep="  ", flush=True)
        return None
    late, code, left, made, output, errors = outcome
    wrong = []
    if late is None or late > MORE:
        wrong.append("still running" if late is None else f"{late:.1f} s late")
    elif code not in ((130,) if signal_number else (0, 3)):
        wrong.append(f"exit code {code}")
    elif code:
        wrong += missing(members, output, errors)
    if left:
        wrong.append(f"processes left: {left}")
    if made and code != 0:
        wrong.append(f"half-written: {made}")
    what = signal.Signals(signal_number).name if signal_number else "limit"
    print(what, f"{late:+.1f} s" if late is not None else "never", f"exit code {code}:", line, *wrong, sep="  ", flush=True)
    return bool(wrong)


def orphans(fathom):
    """reproduce under SIGKILL: its children end too."""
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen([fathom, *FIGURE.split()], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        time.sleep(LIMIT)
        process.kill()
        process.wait()
        time.sleep(0.5)
        left = others(process.pid)
        for name in left:
            os.kill(int(name), signal.SIGKILL)
    print("SIGKILL: processes left:", left or "none")
    return bool(left)


def python_calls(build):
    """Calls of the package; its interpreter must also end well while a call that was given up still runs."""
    environment = {**os.environ, "PYTHONPATH": os.path.join(build, "python"), "FATHOM_LIBRARY": os.path.join(build, "libfathom.so.2")}
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True, check=False).returncode:
        print("Python calls: NumPy is not installed, left out")
        return 0
    done = subprocess.run([sys.executable, "-c", PYTHON, os.path.dirname(os.path.abspath(__file__))], capture_output=True, text=True, env=environment,
                          timeout=600, check=False)
    rows = [line.split() for line in done.stdout.splitlines()]
    right = done.returncode == 0 and [row[0] for row in rows] == EXPECTED and all(float(row[1]) <= MORE for row in rows)
    print("Python calls:", "; ".join(f"{what} after {late} s" for what, late in rows), f"exit code {done.returncode}", done.stderr.strip()[-200:])
    return not right


def main(build, planted, long):
    fathom = os.path.join(build, "fathom")
    if planted:
        return judge(fathom, ENDLESS, LINES[ENDLESS], 0, True)
    lines = {**LINES, **LONG} if long else LINES
    judged = [judge(fathom, line, members, 0) for line, members in lines.items()]
    judged += [judge(fathom, line, lines[line], number) for line in (lines if long else SIGNALLED) for number in (signal.SIGINT, signal.SIGTERM)]
    failed = sum(filter(None, judged)) + orphans(fathom) + python_calls(build)
    print(f"{failed} lines ran away or lost their result")
    return 1 if failed else 77 * (None in judged)


if __name__ == "__main__":
    sys.exit(int(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv, "--long" in sys.argv)))
