#!/usr/bin/env python3
"""files.py BUILD [--planted]: no command line loses a file of the user's.

Every command with every option that names an output is told to write over its input (by its name, a link, another
spelling) and over another of its outputs: exit code 2, and every byte is as it was. Names that fathom chooses by itself
are never taken from a file that is there. What -o names is there after exit code 0. A sudden end leaves nothing unfinished. Inputs that are read late are looked for
before the run. A folder that goes during a run costs nothing: the result is in a rescue file.
--planted puts a program in fathom's place that writes over its input.
"""
import hashlib
import itertools
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA = "1,2,1\n3,4,-1\n5,6.5,1\n-1,2.5,-1\n"
QUOTED = '"a","b","my, label"\n1,2,"x"\n3,-1,"y"\n2,2,"x"\n'
COMMANDS = ["train in.csv", "path in.csv", "margin in.csv", "kernel in.csv", "cones in.csv", "geometry in.csv",
            "flow in.csv", "predict model.json in.csv", "convert model.json --to npz", "gen in.csv",
            "report result.json", "train gen:circle,n=4 --test in.csv", "train gen:circle,n=4 --rows in.csv:0:2"]
CHOSEN = [  # (command line, file that fathom would choose to write)
    ("train quoted.csv --loss logistic --certificate quoted", "quoted.csv"),
    ("train gen:gauss,n=5,d=2 --certificate in", "in.csv"),
    ("margin gen:circle,n=4 --certificate in", "in.csv"),
    ("cones gen:circle,n=4 --certificate in", "in.csv"),
    ("kernel gen:circle,n=4 --certificate in", "in.csv"),
    ("geometry gen:circle,n=4 --certificate in", "in.csv"),
    ("path gen:gauss,n=5,d=2 --points 2 --certificate in", "in.csv"),
    ("gen gen:gauss,n=5,d=2 -o new.npy", "new.labels.npy"),
]


def output_flags():
    """The flags of all options of type OUTPUT, from the tables themselves."""
    flags = set()
    for folder in ("include/fathom", "src/cli"):
        for name in os.listdir(os.path.join(ROOT, folder)):
            with open(os.path.join(ROOT, folder, name)) as file:
                flags.update(re.findall(r'X\(OUTPUT, \w+, "([\w-]+)"', file.read()))
    return sorted(flags)


def text_flags_with_files():
    """Rows that speak of a FILE and are plain texts: the check of files would not see them."""
    for folder in ("include/fathom", "src/cli"):
        for name in sorted(os.listdir(os.path.join(ROOT, folder))):
            with open(os.path.join(ROOT, folder, name)) as file:
                for flag, values in re.findall(r'X\(TEXT, \w+, "([\w-]+)", \S+, \d+, \d+, "([^"]*)"', file.read()):
                    if "FILE" in values or values == "DATA":
                        yield f"{folder}/{name}: --{flag} {values} is a TEXT, not an INPUT or OUTPUT"


def prepare(scratch):
    for name in os.listdir(scratch):
        path = os.path.join(scratch, name)
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
    for name, text in (("in.csv", DATA), ("quoted.csv", QUOTED), ("new.labels.npy", "mine"),
                       ("model.json", MODEL), ("result.json", '{"command": "train"}')):
        with open(os.path.join(scratch, name), "w") as file:
            file.write(text)
    os.link(os.path.join(scratch, "in.csv"), os.path.join(scratch, "hard.csv"))
    os.symlink("in.csv", os.path.join(scratch, "soft.csv"))


def state(scratch):
    return {name: hashlib.sha256(open(os.path.join(scratch, name), "rb").read()).hexdigest()
            for name in os.listdir(scratch) if os.path.isfile(os.path.join(scratch, name))}


def run(fathom, line, scratch):
    return subprocess.run([fathom, *shlex.split(line)], cwd=scratch, capture_output=True, text=True, timeout=60)


def refused(fathom, line, scratch):
    """What is wrong with a line that must be refused; None where all is well or the command has no such option."""
    before = state(scratch)
    done = run(fathom, line, scratch)
    after = state(scratch)
    if before != after:
        prepare(scratch)
        return f"$ fathom {line}: files changed: {sorted(k for k in {**before, **after} if before.get(k) != after.get(k))}"
    if "there is no option" in done.stderr:
        return None
    return None if done.returncode == 2 else f"$ fathom {line}: exit code {done.returncode} instead of 2: {done.stderr}"


def clashes(fathom, scratch):
    """One text per line that is not refused."""
    flags = output_flags()
    lines = 0
    for command, flag in itertools.product(COMMANDS, flags):
        target = next(w for w in reversed(command.split()) if "." in w).split(":")[0]
        names = [target] + (["./in.csv", "hard.csv", "soft.csv"] if target == "in.csv" and flag == "output" else [])
        for name in names:
            lines += 1
            yield refused(fathom, f"{command} --{flag} {name}", scratch)
    for one, other in itertools.combinations(flags, 2):
        yield refused(fathom, f"train in.csv --{one} x --{other} ./x", scratch)
    for line, _ in CHOSEN:
        yield refused(fathom, line, scratch)
    yield refused(fathom, "train gen:gauss,n=5,d=2 --certificate c -o c.csv", scratch)


def redirected(fathom, scratch):
    """What the shell puts on standard input or output is a file like others; a file without the right to write is left as it is."""
    path = os.path.join(scratch, "in.csv")
    for line, streams_ in (("train - -o in.csv", {"stdin": open(path, "rb")}), ("kernel - --save hard.csv", {"stdin": open(path, "rb")}),
                           ("flow - --until steps=2 --log soft.csv", {"stdin": open(path, "rb")}), ("train in.csv --json -o shell", {}),
                           ("margin in.csv --certificate shell", {}), ("gen in.csv -o shell", {})):
        before = state(scratch)
        with open(os.path.join(scratch, "shell"), "w") as shell:
            done = subprocess.run([fathom, *line.split(), "-q"], cwd=scratch, stdout=shell, stderr=subprocess.PIPE, text=True, timeout=60, **streams_)
        os.unlink(os.path.join(scratch, "shell"))
        for stream in streams_.values():
            stream.close()
        if done.returncode != 2 or state(scratch) != before:
            yield f"$ fathom {line}, redirected: exit code {done.returncode}, changed {state(scratch) != before}: {done.stderr}"
            prepare(scratch)
    protected = os.path.join(scratch, "protected")
    with open(protected, "w") as file:
        file.write("mine")
    os.chmod(protected, 0o444)
    os.chmod(scratch, 0o777)
    os.chmod(os.path.dirname(scratch), 0o755)
    for line in ("train in.csv -o protected", "kernel in.csv --save protected", "flow in.csv --until steps=2 --checkpoint protected"):
        try:
            done = subprocess.run([fathom, *line.split(), "-q"], cwd=scratch, capture_output=True, text=True, timeout=60,
                                  user=65534 if os.geteuid() == 0 else None)
        except OSError:  # that user cannot run the program where it lies
            break
        if open(protected).read() != "mine" or done.returncode not in (1, 126, 127) or not done.stderr:
            yield f"$ fathom {line}: exit code {done.returncode}: {done.stderr}"
    os.unlink(protected)


def unreachable(fathom, scratch):
    """An output that cannot be written is noticed before the run."""
    begin = time.monotonic()
    done = run(fathom, "flow in.csv --until wall=30 -o no/such/folder/m.json", scratch)
    if done.returncode != 1 or time.monotonic() - begin > 10:
        return f"an unreachable output: exit code {done.returncode} after {time.monotonic() - begin:.1f} s"
    return None


def read_late(fathom, scratch):
    """A state or a test set that is not there is noticed before the run; a test set that is none costs its score, not the model."""
    for command in ("flow in.csv --until wall=30", "train in.csv --method columns --gap 1e-15", "path in.csv", "fit in.csv --time 20"):
        for flag in ("test", "resume"):
            for name in ("nowhere.csv", "no/such/folder/x.csv"):
                begin = time.monotonic()
                done = run(fathom, f"{command} --{flag} {name} -q", scratch)
                if done.returncode != 5 or name not in done.stderr or "status" in done.stdout or time.monotonic() - begin > 10:
                    yield f"$ fathom {command} --{flag} {name}: exit code {done.returncode} after {time.monotonic() - begin:.1f} s: {done.stderr}"
        if command.startswith("flow"):  # it is read at the start
            continue
        out = os.path.join(scratch, "out.json")
        done = run(fathom, f"{command.replace('--time 20', '--time 0')} --test quoted.csv -o out.json -q", scratch)
        if done.returncode != 5 or not os.path.exists(out):
            yield f"$ fathom {command} --test quoted.csv -o out.json: exit code {done.returncode}, model {os.path.exists(out)}: {done.stderr}"
        if os.path.exists(out):
            os.unlink(out)


def resumed(fathom, scratch):
    """What a state names and a run that goes on from it reads is an input too: data, rows, test data."""
    for name, text in (("rows.txt", "0\n1\n2\n"), ("test.csv", DATA), ("some.txt", "1\n2\n")):
        with open(os.path.join(scratch, name), "w") as file:
            file.write(text)
    begin = "flow in.csv --rows rows.txt --test test.csv --test-rows some.txt"
    done = run(fathom, f"{begin} --until steps=2 --checkpoint state.npz -q", scratch)
    if done.returncode:
        yield f"no state: {done.stderr}"
    names = ("in.csv", "./hard.csv", "rows.txt", "test.csv", "some.txt", "state.npz")
    for name, flag in itertools.product(names, ("output", "log", "checkpoint", "save-limit")):
        if (name, flag) != ("state.npz", "checkpoint"):
            yield refused(fathom, f"flow --resume state.npz --until steps=4 --{flag} {name}", scratch)
    for line in ("flow in.csv --rows rows.txt --resume state.npz --until steps=4 -o new.json",
                 "flow --resume state.npz --until steps=4 --test in.csv --test-rows 0:2 -o test.csv"):
        done = run(fathom, f"{line} -q", scratch)  # neither reads what it writes
        if done.returncode:
            yield f"$ fathom {line}: exit code {done.returncode}: {done.stderr}"
    prepare(scratch)


def streams(fathom, scratch):
    """A state goes to a file: pipes, devices and what a descriptor leads to are refused at once."""
    pipe = os.path.join(scratch, "pipe")
    os.mkfifo(pipe)
    for command in ("train in.csv --method cells", "path in.csv --points 2", "fit in.csv --time 0", "flow in.csv --until steps=2",
                    "margin gen:gauss,n=6,d=3,target=sign --kind global"):
        for name in ("pipe", "/dev/null", "/dev/full", "/dev/stdout", "/proc/self/fd/1", "-"):
            done = run(fathom, f"{command} --checkpoint {name}", scratch)
            if done.returncode != 2 or "keeps no state" not in done.stderr:
                yield f"$ fathom {command} --checkpoint {name}: exit code {done.returncode}: {done.stderr}"
    os.unlink(pipe)


def largest(fathom, scratch):
    """Under a limit on the size of files (ulimit -f) an output that does not fit is told by its name; nothing of it is left."""
    before = set(os.listdir(scratch))
    for line, name in (("gen gen:gauss,n=300,d=5 -o far.csv", "far.csv"), ("kernel gen:gauss,n=40,d=3 --save far.npy", "far.npy"),
                       ("fit in.csv --time 0 --checkpoint far.npz", "far.npz"), ("train gen:gauss,n=30,d=9 -o far.json --beta-rel 1e-3 --effort 0.1", "far.json"),
                       ("cones gen:gauss,n=30,d=3 --list far.txt", "far.txt"), ("flow in.csv --until steps=30 --every 1 --log far.jsonl", "far.jsonl")):
        for limit in (0, 200):
            done = subprocess.run([fathom, *line.split()], cwd=scratch, capture_output=True, text=True, timeout=60,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
            if done.returncode != 1 or name not in done.stderr:
                yield f"$ ulimit -f; fathom {line}: exit code {done.returncode}: {done.stderr}"
            left = sorted(entry for entry in set(os.listdir(scratch)) - before if entry != "far.jsonl")  # a log grows line by line
            if left and left != ["far.npz"]:  # the first of several states may fit
                yield f"$ ulimit -f; fathom {line}: left {left}"
            for entry in set(os.listdir(scratch)) - before:
                os.unlink(os.path.join(scratch, entry))


def rescued(fathom, scratch):
    """The folder of the output goes during the run."""
    os.mkdir(os.path.join(scratch, "sub"))
    process = subprocess.Popen([fathom, "flow", "in.csv", "--until", "wall=2", "-o", "sub/m.json"], cwd=scratch,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    os.rmdir(os.path.join(scratch, "sub"))
    errors = process.communicate(timeout=60)[1]
    named = re.search(r"is in (.+)$", errors, re.M)
    path = named and os.path.join(scratch, named[1])
    if process.returncode != 1 or not path or not os.path.getsize(path):
        return f"no rescue: exit code {process.returncode}: {errors}"
    again = run(fathom, f"info {shlex.quote(path)}", scratch)
    os.unlink(path)
    return None if again.returncode == 0 else f"the rescue file is no model: {again.stderr}"


def kept(fathom, scratch):
    """-o is never taken and forgotten: after exit code 0 the file is there, whatever the command; an empty name is refused."""
    for command in ("train in.csv", "fit in.csv --time 0", "path in.csv --points 2", "predict model.json in.csv", "explain model.json in.csv",
                    "info model.json", "convert model.json", "margin in.csv", "margin in.csv --model model.json", "margin in.csv --experiment --trials 2",
                    "kernel in.csv", "cones in.csv", "cones in.csv --cone 1111", "geometry in.csv", "geometry in.csv --polar", "geometry in.csv --extreme basis",
                    "flow in.csv --until steps=2", "check gen:gauss,n=4,d=60 --theorem 001:3.6", "check --list", "gen in.csv", "gen --list",
                    "report result.json", "doctor", "completion bash", "manual train"):
        done = run(fathom, f"{command} -o kept.json --quiet", scratch)
        path = os.path.join(scratch, "kept.json")
        there = os.path.exists(path) and os.path.getsize(path) > 0
        good = (0, 3) if command == "doctor" else (0,)  # which may find something wrong with a busy machine
        if there != (done.returncode in good) or done.returncode not in (*good, 2):
            yield f"$ fathom {command} -o kept.json: exit code {done.returncode}, the file is {'there' if there else 'not there'}: {done.stderr}"
        if there:
            os.unlink(path)
        for flag in ("-o ''", "--certificate ''"):
            done = run(fathom, f"{command} {flag}", scratch)
            if done.returncode != 2:
                yield f"$ fathom {command} {flag}: exit code {done.returncode}: {done.stderr}"


def followed(fathom, scratch):
    """A link to a file that is not there yet stays a link, and is the same output as that file."""
    os.mkdir(os.path.join(scratch, "far"))
    for link, target in (("first", "second"), ("second", "far/third"), ("whole", os.path.join(scratch, "far", "third"))):
        os.symlink(target, os.path.join(scratch, link))
    for link in ("first", "second", "whole"):
        yield refused(fathom, f"train in.csv -o {link} --certificate far/third", scratch)
        done = run(fathom, f"train in.csv -q -o {link}", scratch)
        path = os.path.join(scratch, "far", "third")
        if done.returncode or not os.path.islink(os.path.join(scratch, link)) or not os.path.isfile(path):
            yield f"an output through the link {link}: exit code {done.returncode}: {done.stderr}"
            return
        os.unlink(path)
    os.symlink("round", os.path.join(scratch, "round"))
    done = run(fathom, "train in.csv -q -o round", scratch)
    if done.returncode != 1 or not os.path.islink(os.path.join(scratch, "round")):
        yield f"an output through a link to itself: exit code {done.returncode}: {done.stderr}"
    prepare(scratch)


def closed(fathom, scratch):
    """Streams that are closed before the start: what is printed goes to no file, and that it was lost is told by the exit code."""
    for command in ("train in.csv", "margin in.csv", "info model.json", "flow in.csv --until steps=2", "convert model.json"):
        texts = []
        for ending in ("", " >&-", " <&- >&- 2>&-"):
            path = os.path.join(scratch, "closed.json")
            done = subprocess.run(f"{shlex.quote(fathom)} {command} -o closed.json{ending}", cwd=scratch, shell=True, capture_output=True, timeout=60)
            text = open(path).read() if os.path.exists(path) else ""
            texts.append(re.sub(r'"seconds": .*|"(value|time|at)": .*', "", text.split('"progress"')[0]))
            silent = command.split()[0] in ("convert",)
            if done.returncode not in ((0, 1) if silent and ending else (1,) if ending else (0,)):
                yield f"$ fathom {command} -o closed.json{ending}: exit code {done.returncode}: {done.stderr}"
            if os.path.exists(path):
                os.unlink(path)
        if len(set(texts)) != 1 or not texts[0]:
            yield f"$ fathom {command} -o closed.json, streams closed: another file: {texts}"


def states_on_full_disks(fathom, scratch):
    """A state that cannot be written ends the run with a word about it, whatever it would have reached."""
    for line in ("margin gen:gauss,n=60,d=3,target=sign --width 50", "margin gen:gauss,n=3000,d=3,target=sign --kind linear",
                 "margin gen:gauss,n=20,d=6,target=sign --width 20 --method paper-gd", "margin gen:gauss,n=6,d=3,target=sign --kind global"):
        done = subprocess.run([fathom, *line.split(), "--checkpoint", "far.npz"], cwd=scratch, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "TMPDIR": scratch, "HOME": scratch},
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (50, 50)))
        if done.returncode != 1 or "far.npz" not in done.stderr:
            yield f"$ ulimit -f; fathom {line} --checkpoint far.npz: exit code {done.returncode}: {done.stderr}"


def interrupt(fathom, line, scratch, wait, times):
    """Starts a line, waits for its first file and `wait` seconds more, and sends Ctrl-C so many times as long as it runs: what is wrong, or None."""
    before = set(os.listdir(scratch))
    process = subprocess.Popen([fathom, *line.split()], cwd=scratch, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "TMPDIR": scratch})
    begin = time.monotonic()
    seen = last = set()
    while not seen and process.poll() is None and time.monotonic() < begin + 30:
        now = set(os.listdir(scratch)) - before
        seen, last = now & last, now  # a trial whether the folder takes files is gone at once
        time.sleep(0.001)
    seen = sorted(seen)
    time.sleep(wait)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    errors = process.communicate(timeout=60)[1]
    left = sorted(set(os.listdir(scratch)) - before)
    for name in left:
        path = os.path.join(scratch, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    if seen and process.returncode == 130 and left in ([], ["far", "far.csv"] if "--certificate far" in line else []):
        return None
    return f"$ fathom {line}, Ctrl-C {times} times after {wait} s: exit code {process.returncode}; saw {seen}, left {left}: {errors}"


def abandoned(fathom, scratch):
    """Ctrl-C, at whatever moment: exit code 130. A process that ends at once (the second Ctrl-C) takes its unfinished files along: temporary
    ones, and data beside a certificate; one that was faster than the second leaves the certificate of what it had, with its data, or nothing."""
    yield interrupt(fathom, "gen gen:gauss,n=3000000,d=20 -o far.csv", scratch, 0, 2)
    for line in ("train gen:gauss,n=900,d=40,target=teacher --certificate far --gap 1e-9",
                 "margin gen:gauss,n=300,d=30,target=sign --kind global --certificate far --gap 1e-9",
                 "train gen:gauss,n=900,d=40,target=teacher --verify --gap 1e-9"):
        for wait, times in itertools.product((0, 0.02, 0.1), (1, 2)):
            yield interrupt(fathom, line, scratch, wait, times)
    for limit in ("0.001", "0.05"):  # the interval that a limit cut is a result, with or without a proof
        done = run(fathom, f"margin gen:gauss,n=300,d=30,target=sign --kind global --certificate far --gap 1e-9 --time-limit {limit} -o far.json", scratch)
        if done.returncode != 3 or not os.path.exists(os.path.join(scratch, "far.json")):
            yield f"a margin cut after {limit} s: exit code {done.returncode}: {done.stderr}"
        for name in ("far", "far.csv", "far.json"):
            if os.path.exists(os.path.join(scratch, name)):
                os.unlink(os.path.join(scratch, name))


def repeats(fathom, scratch):
    """The same certificate twice is fine: its data has the same bytes."""
    for _ in range(2):
        done = run(fathom, "train gen:gauss,n=5,d=2 --certificate twice", scratch)
        if done.returncode:
            return f"a repeated certificate: exit code {done.returncode}: {done.stderr}"
    return None


if __name__ == "__main__":
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "made")
        os.mkdir(made)
        subprocess.run([program, "train", "gen:gauss,n=5,d=2", "-q", "-o", os.path.join(made, "m.json")], check=True)
        MODEL = open(os.path.join(made, "m.json")).read()
        if "--planted" in sys.argv:
            program = os.path.join(made, "careless")
            with open(program, "w") as script:
                script.write('#!/bin/sh\nfor word; do last=$word; done\necho lost >"$last"\n')
            os.chmod(program, 0o755)
        work = os.path.join(folder, "work")
        os.mkdir(work)
        prepare(work)
        found = [*text_flags_with_files(), *filter(None, clashes(program, work))]
        if "--planted" not in sys.argv:
            found += filter(None, (unreachable(program, work), rescued(program, work), repeats(program, work)))
            found += [*read_late(program, work), *filter(None, resumed(program, work))]
            found += [*redirected(program, work), *streams(program, work), *largest(program, work), *kept(program, work), *filter(None, followed(program, work))]
            found += [*closed(program, work), *states_on_full_disks(program, work), *filter(None, abandoned(program, work))]
    print(*found, f"{len(COMMANDS)} commands, {len(output_flags())} outputs, {len(found)} problems", sep="\n")
    sys.exit(bool(found))
