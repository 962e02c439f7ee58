#!/usr/bin/env python3
"""limits.py BUILD [--planted] [--long]: --time-limit, Ctrl-C and SIGTERM end every command within two seconds, whatever it does.

Every line has work for much longer than the limit of a second. It must end in time with exit code 3 (130 after a signal), leave no half-written
file under its name and no process behind; reproduce ended by SIGKILL takes its children along. Short form: the limit for each, signals for
some; --long: all. --planted leaves the limit out.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

LIMIT, MORE = 1.0, 2.0
LINES = [
    "gen gen:gauss,n=4000000,d=20 -o out.csv",
    "kernel gen:gauss,n=9000,d=5",
    "train gen:gauss,n=3000,d=30,target=teacher --method gates --gates 3000",
    "train gen:gauss,n=400,d=12,target=teacher --gap 1e-9",
    "train gen:gauss,n=20000,d=50,target=teacher --model gated --gates 3000 --beta-rel 1e-3",
    "path gen:gauss,n=20000,d=30,target=sign --loss logistic --model gated --gates 2000",
    "margin gen:gauss,n=60,d=12,target=sign",
    "margin gen:gauss,n=40,d=5,target=sign --kind global --gap 1e-9",
    "cones gen:gauss,n=110,d=6 --list out.cones",
    "geometry gen:gauss,n=20000,d=12",
    "flow gen:gauss,n=5000,d=50,target=sign --width 2000 --until steps=1000000",
    "check gen:xor,n=20000 --theorem 002:2 --width 2000",
    "reproduce 001:fig1a -o out",
]
SIGNALLED = [1, 3, 12]
ENDLESS = LINES[10]


def run(fathom, words, signal_number, planted):
    """(seconds after the limit or signal, exit code, what it left) of one line; None: it had to be killed."""
    with tempfile.TemporaryDirectory() as scratch:
        limit = [] if signal_number or planted else ["--time-limit", str(LIMIT)]
        process = subprocess.Popen([fathom, *words, *limit], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   start_new_session=True)
        start = time.monotonic()
        try:
            if signal_number:
                time.sleep(LIMIT)
                process.send_signal(signal_number)
            process.communicate(timeout=LIMIT + MORE + 2)
            late = time.monotonic() - start - LIMIT
        except subprocess.TimeoutExpired:
            late = None
        time.sleep(0.2)
        left = others(process.pid)
        if late is None or left:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        made = [name for name in ("out.csv", "out.cones") if os.path.exists(os.path.join(scratch, name))]
    return late, process.returncode, left, made


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


def judge(line, signal_number, outcome):
    late, code, left, made = outcome
    wrong = []
    if late is None or late > MORE:
        wrong.append("still running" if late is None else f"{late:.1f} s late")
    elif code not in ((130,) if signal_number else (0, 3)):
        wrong.append(f"exit code {code}")
    if left:
        wrong.append(f"processes left: {left}")
    if made and code != 0:
        wrong.append(f"half-written: {made}")
    what = signal.Signals(signal_number).name if signal_number else "limit"
    print(what, f"{late:+.1f} s" if late is not None else "never", f"exit code {code}:", line, *wrong, flush=True)
    return bool(wrong)


def orphans(fathom):
    """reproduce under SIGKILL: its children end too."""
    with tempfile.TemporaryDirectory() as scratch:
        process = subprocess.Popen([fathom, *LINES[12].split()], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
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


def main(build, planted, long):
    fathom = os.path.join(build, "fathom")
    if planted:
        return judge(ENDLESS, 0, run(fathom, ENDLESS.split(), 0, True))
    failed = sum(judge(line, 0, run(fathom, line.split(), 0, False)) for line in LINES)
    for line in LINES if long else [LINES[k] for k in SIGNALLED]:
        for number in (signal.SIGINT, signal.SIGTERM):
            failed += judge(line, number, run(fathom, line.split(), number, False))
    failed += orphans(fathom)
    print(f"{failed} lines ran away")
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv, "--long" in sys.argv)))
