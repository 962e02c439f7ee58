#!/usr/bin/env python3
"""limits.py BUILD [--planted] [--long]: --time-limit, Ctrl-C and SIGTERM end every command and every Python call within two seconds,
with what they have.

Every line has work for much longer than the limit of a second. It must end in time with exit code 3 (130 after a signal), print the members
named beside it, leave no half-written file under its name, no temporary file and no process behind; a command that makes nothing but a file
(none named) says in one line what was cut. Where the data never come (a pipe that nobody writes to) every command says in one line that it was
reading and has no result, and with --json prints an object with that error. reproduce ended by SIGKILL takes its children along. Bounds are in order.
Short form: the limit and one of the two signals for all but the LONG lines; --long: all of both. Python calls: limits_python.py. --planted leaves the
limit out.

Seconds are those of an idle machine: from the time after the limit is taken what the line's threads spent in the queue of a processor
that others had (the kernel counts it, per thread: schedstat), the longest of each process; but at least what they ran, over the number of
processors, so that a line which keeps itself waiting is late. The program's own alarm counts so too (stop.c), but gives no more than ten
seconds for waiting: where it ended a line while others had the processor for most of the time, or they had it for
most of the second before, so that the data were not there at the limit, the line is tried again, and after TRIES the job is skipped (77), if nothing else is wrong.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import commands
import limits_python

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
    "cones gen:gauss,n=110,d=6 --list out.cones": ("cones_lower", "cones_upper"),
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
    "cones gen:gauss,n=40,d=6 --faces --measure": ("cones_lower", "cones_upper"),
    "check gen:collapse,r=3,d=4,n=200000 --theorem 003:3.2 --width 200": ("hypotheses",),
    "path gen:gauss,n=200000,d=1,target=teacher --bias free --knots": ("path",),
    "train gen:gauss,n=2000,d=4000,target=teacher --loss equality": ("lower_bound",),
    "gen gen:cube,d=24 -o out.npz": (),
    "gen gen:whitened,n=4000,d=4000 -o out.npz": (),
    "explain model.json gen:gauss,n=1000000,d=3": (),
    "predict model.json gen:gauss,n=6000000,d=3 -o out.csv": (),
    "flow gen:gauss,n=5000,d=50,target=sign --width 2000 --until steps=1000000 --method flow": ("status",),
}
# Commands that read, with - for a pipe that nobody writes to.
READING = ["train -", "fit -", "path -", "predict model.json -", "predict - data.csv", "explain model.json -", "info -", "convert - --to npz -o out.npz",
           "margin -", "margin data.csv --model -", "kernel -", "cones -", "geometry -", "flow -", "check - --theorem 002:2", "gen - -o out.csv",
           "report - -o out.html", "train - --certificate out.cert"]
SCORED = "train data.csv --test -"  # the network stands, its score is missing
EARLY = 0.3  # seconds after which these are cut


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
    """(idle seconds after start + LIMIT, whether others had the processor for most of the time before or after, its output and errors) once a process
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
        starved = max((queue for _, queue in (before or {}).values()), default=0) > LIMIT / 2  # before its limit
        return idle, late > 2 * idle or starved, output, errors


def run(fathom, words, signal_number, planted):
    """(seconds after the limit or signal, exit code, processes and files left, standard output and error) of one line; seconds None: it had
    to be killed. None: it had no result, and no processor to make one."""
    with tempfile.TemporaryDirectory() as scratch:
        commands.make_fixtures(fathom, scratch)
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
    if busy and "there is no result" in errors:
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
    if result.get("cones") is not None:  # counted before the limit, whatever came after
        members = tuple(name for name in members if not name.startswith("cones_"))
    wrong = [f"no {name}" for name in members if result.get(name) is None]
    for low, high in (("lower_bound", "objective"), ("lower", "upper"), ("lambda_max_lower", "lambda_max_upper"),
                      ("cones_lower", "cones_upper")):
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


def reading(fathom):
    """How many of the lines that wait for data, ended by the limit and by signals, do not say so. All wait at once: that takes no processor."""
    wrong = 0
    for number in (0, signal.SIGINT, signal.SIGTERM):
        with tempfile.TemporaryDirectory() as scratch:
            commands.make_fixtures(fathom, scratch)
            given, started = set(os.listdir(scratch)), {}
            pipe = os.pipe()
            for line in (*READING, SCORED):
                limit = [] if number else ["--time-limit", str(EARLY)]
                started[line] = subprocess.Popen([fathom, *line.split(), "--json", *limit], cwd=scratch, stdin=pipe[0], stdout=subprocess.PIPE,
                                                 stderr=subprocess.PIPE, text=True)
            for process in started.values():
                if number:
                    commands.until_listening(process, number)
            time.sleep(EARLY)
            for process in started.values():
                if number:
                    process.send_signal(number)
            for line, process in started.items():
                try:
                    output, errors = process.communicate(timeout=30)
                    answer = json.loads(output)
                except (subprocess.TimeoutExpired, ValueError):
                    process.kill()
                    output, errors, answer = "", "neither ended nor an object", {}
                code = 130 if number else 3
                if line == SCORED and process.returncode == code and "objective" in answer and "test_score" not in answer:
                    continue
                right = process.returncode == code and answer.get("code") == code and "standard input: " in errors and \
                    errors.count("while reading") == 1 and "there is no result" in errors and answer.get("error", "") in errors
                if not right:
                    print("reading:", line, signal.Signals(number).name if number else "limit", process.returncode, errors.strip()[-200:])
                wrong += not right
            left = set(os.listdir(scratch)) - given
            if left:
                print("reading: left behind:", *left)
            wrong += len(left)
            os.close(pipe[0])
            os.close(pipe[1])
    print(f"reading: {3 * len(READING) + 3} lines that wait for data, {wrong} wrong")
    return wrong


def python_calls(build, long):
    """How many calls of the package go wrong; each in an interpreter of its own, which must also end well while a call that was given up still runs."""
    environment = {**os.environ, "PYTHONPATH": os.path.join(build, "python"), "FATHOM_LIBRARY": os.path.join(build, "libfathom.so.2")}
    if subprocess.run([sys.executable, "-c", "import numpy"], capture_output=True, check=False).returncode:
        print("Python calls: NumPy is not installed, left out")
        return 0
    wrong, run = 0, 0
    estimators = subprocess.run([sys.executable, "-c", "import sklearn"], capture_output=True, check=False).returncode == 0
    for name, call in limits_python.CALLS.items():
        if (not long and name not in limits_python.SHORT) or (name == "estimator" and not estimators):
            continue
        for way in ("limit", "signal") if "limit" in call else ("signal",):
            done = subprocess.run([sys.executable, limits_python.__file__, name, way], capture_output=True, text=True, env=environment, timeout=600,
                                  check=False)
            what, late = (done.stdout.split() + ["nothing", "inf"])[:2]
            expected = ("result", "StoppedError") if way == "limit" else ("KeyboardInterrupt",)
            right = done.returncode == 0 and what in expected and float(late) <= MORE
            print(f"Python {name}, {way}: {what} after {late} s, exit code {done.returncode}", "" if right else done.stderr.strip()[-300:])
            wrong, run = wrong + (not right), run + 1
    print(f"Python: {run} calls ended, {wrong} wrong")
    return wrong


def main(build, planted, long):
    fathom = os.path.join(build, "fathom")
    if planted:
        return judge(fathom, ENDLESS, LINES[ENDLESS], 0, True)
    lines = {**LINES, **LONG} if long else LINES
    judged = [judge(fathom, line, members, 0) for line, members in lines.items()]
    both = (signal.SIGINT, signal.SIGTERM)
    judged += [judge(fathom, line, members, number) for k, (line, members) in enumerate(lines.items())
               for number in (both if long else both[k % 2:k % 2 + 1])]
    failed = sum(filter(None, judged)) + orphans(fathom) + reading(fathom) + python_calls(build, long)
    print(f"{len(judged)} lines cut, {failed} ran away or lost their result")
    return 1 if failed else 77 * (None in judged)


if __name__ == "__main__":
    sys.exit(int(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv, "--long" in sys.argv)))
