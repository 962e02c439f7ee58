#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""io_faults.py BUILD [--long] [--planted] [--only WORD]: every call of every command on its files fails in turn.

The command lines are those of commands.py and LINES below, run under watch_io.c. Of each, the n-th open, read, write, fsync, rename and close
fails, for every n, once and from there on, with each error number of ERRORS, beside outputs that are new and ones that are there.
Accepted: an exit code of README.md's table, in time; where it is that of the undisturbed run, the same outputs and the same words;
otherwise a message that names the file. Inputs have the same bytes; outputs are absent, old or whole; a
rescue file is whole and named; nothing else is left. Calls that move few bytes, or are interrupted, change nothing at all.
Without --long: the lines that cover all commands and kinds of files, one error number,
once beside new outputs, onwards beside old ones. --planted takes part of an output away.
"""
import argparse
import errno
import os
import re
import shlex
import sys
import tempfile

import commands
from watching import KINDS, RECORD, Watched, environment, restore, state, versions

LINES = [  # what commands.py need not have: programs beside fathom, files of every kind read
    "fathom-check fixed.cert fixed.cert.csv",
    "fathom-check fixed.cert fixed.cert.csv --json",
    "fathom info fixed.cert",
    "fathom info fixed.npz",
    "fathom train plain.csv --target 2 --certificate out.cert",
    "fathom train packed.csv.gz --target 2 --verify",
    "fathom train fixed.svm --json",
    "fathom margin plain.npy --labels plain.labels.npy",
    "fathom train plain.npy --labels plain.labels.npy --map always --normalize unit --model gated --gates 3 -o out.json",
    "fathom predict fixed.npz data.csv",
    "fathom convert fixed.npz --to json -o out.json",
    "fathom train gen:gauss,n=9,d=6,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --resume fixed.state --checkpoint out.state",
    "fathom path gen:gauss,n=9,d=6,target=teacher --model gated --gates 5 --points 2 --resume fixed.path --checkpoint out.path",
    "fathom train gen:gauss,n=8,d=2 --gates fixed.gates.npy --model gated",
    "fathom flow gen:xor,n=8 --net huber --width 6 --until steps=30 --resume fixed.flow -o out.json",
    "fathom cones plain.csv --list out.cones --certificate out.cert",
    "fathom report result.json result.json -o out.html",
]
LONG = ["fathom reproduce 002:fig1 --quick -o out.folder"]  # starts programs of its own
FIXED = [  # beside the fixtures of commands.py
    "gen gen:gauss,n=8,d=2,target=sign -o plain.csv",
    "gen gen:gauss,n=8,d=2,target=sign -o plain.npy",
    "gen gen:gauss,n=8,d=2,target=sign -o fixed.svm",
    "convert model.json --to npz -o fixed.npz",
    "train gen:gauss,n=5,d=2,target=teacher --certificate fixed.cert",
    "train gen:gauss,n=9,d=6,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --checkpoint fixed.state",
    "path gen:gauss,n=9,d=6,target=teacher --model gated --gates 5 --points 2 --checkpoint fixed.path",
    "gen gen:gauss,n=4,d=2 -o fixed.gates.npy",
    "flow gen:xor,n=8 --net huber --width 6 --until steps=20 --checkpoint fixed.flow",
]
ERRORS = {"open": ["EMFILE", "EIO"], "read": ["EIO"], "write": ["ENOSPC", "EIO"], "fsync": ["EIO"], "rename": ["EIO"],
          "close": ["EIO"]}
MOST = 200  # problems that are listed
CODES = {0, 1, 2, 3, 4, 5, 6, 130}
SIDE = re.compile(r"\.cert\.(csv|svm|npy|labels\.npy)$")  # made exclusively: never over another file
TEMPORARY = re.compile(r"\.\d+-\d+\.tmp$")
PASSING = re.compile(r"\.\d+\.tmp")  # of the data beside a certificate, before it settles
OLD = b"what was here before\n" * 9


class Line:
    """One command line: its undisturbed runs, then its disturbed ones."""

    def __init__(self, job, program, words, scratch):
        self.job, self.words, self.folder = job, [program, *words], os.path.join(scratch, "work")
        self.names = " ".join(self.words)
        os.makedirs(self.folder, exist_ok=True)
        self.watched = Watched(job.library, os.path.join(job.build, program), words, environment(self.folder))

    def undisturbed(self, before):
        """The run without a fault; keeps which of its files and words are the same every time."""
        restore(self.folder, before)
        first = self.watched.run(self.folder)
        after = state(self.folder)
        restore(self.folder, before)
        second = self.watched.run(self.folder, RECORD)
        again = state(self.folder)
        self.versions = versions(self.folder, self.folder + ".log")  # a checkpoint is written more than once
        self.steady = {name for name in after if after[name] == again.get(name)}
        self.moving = first.out != second.out  # speeds and times
        return first, after

    def words_of(self, text):
        return re.sub(rb"[ \d.+e-]+", b" ", text) if self.moving else text

    def judge(self, run, soft, plain, before, expected):
        """What is wrong with a disturbed run: texts."""
        after = state(self.folder)
        if self.job.planted and after.keys() - before.keys():
            after[max(after.keys() - before.keys())] = b"planted"
        if run.code is None:
            yield "does not end"
        elif run.code not in CODES:
            yield f"exit code {run.code}"
        elif soft and run.code != plain.code:
            yield f"exit code {run.code} instead of {plain.code}"
        if run.code == plain.code and self.words_of(run.out) != self.words_of(plain.out):
            yield "other words on standard output"
        if run.code == plain.code and after.keys() != expected.keys():
            yield f"files {sorted(after.keys() ^ expected.keys())} differ though the exit code is {run.code}"
        names = {PASSING.sub("", TEMPORARY.sub("", os.path.basename(path))) for path in run.paths}  # as the user knows them
        names = {"a temporary file for prepared rows" if name.endswith(" (deleted)") else name for name in names}  # it has no name: its folder is told
        if run.code != plain.code and not any(name.encode() in run.err + run.out for name in names):
            yield f"the message names none of {sorted(names)}"
        if PASSING.search(run.err.decode(errors="replace")):
            yield "the message or a rescue file has a temporary name"
        yield from self.judge_files(run, before, expected, after)

    def judge_files(self, run, before, expected, after):
        for name in before.keys() | after.keys():
            now, old, new = after.get(name), before.get(name), expected.get(name)
            if name.startswith("fathom-rescue-"):
                whole = now in expected.values() or any(now in some for some in self.versions.values())
                if name.encode() not in run.err or not whole:
                    yield f"the rescue file {name} is not whole or not named"
            elif name in before and name not in self.outputs:
                if now != old:
                    yield f"the input {name} was changed"
            elif name.endswith(".jsonl") and now is not None and new.startswith(now) and now[-1:] in (b"", b"\n"):
                continue  # a log grows by whole lines
            elif now not in (old, new) and now not in self.versions.get(name, ()) and (name in self.steady or new is None):
                yield f"{name} is neither absent, old nor whole"
            elif run.code == 0 and now != new and name in self.steady:
                yield f"{name} is not new though the exit code is 0"

    def disturb(self, before, plain, expected, kind, at, onwards, error):
        """One run with a fault; whether the fault was reached."""
        restore(self.folder, before)
        run = self.watched.run(self.folder, KINDS.index(kind), at, onwards, error)
        if not run.injected:
            return False
        soft = error in (-1, errno.EINTR)
        self.job.tally["soft" if soft else kind] += run.injected
        self.job.runs += 1
        for name in re.findall(rb"is in (/\S*fathom-rescue-\S+)", run.err):
            os.unlink(name)  # where the folder takes nothing
        for text in self.judge(run, soft, plain, before, expected):
            what = "few bytes" if error < 0 else errno.errorcode[error]
            self.job.faults.append(f"$ {self.names}: {what} at {kind} {at}{' and on' * onwards} ({os.path.basename(run.paths[0])}): {text}"
                                   f" [{run.err.decode(errors='replace').strip()[-200:]}]")
        return True

    def all_faults(self, before):
        plain, expected = self.undisturbed(before)
        if plain.code not in (0, 3):
            if not self.outputs:
                self.job.faults.append(f"$ {self.names}: exit code {plain.code} undisturbed: {plain.err.decode()}")
            return set()
        made = {name for name in expected if expected[name] != before.get(name)}
        self.outputs = self.outputs | made
        for kind in KINDS:
            for name in ERRORS[kind] if self.job.long else ERRORS[kind][:1]:
                for onwards in (False, True) if self.job.long else (bool(made & before.keys()),):
                    at = 1
                    while len(self.job.faults) < self.job.most and self.disturb(before, plain, expected, kind, at, onwards, getattr(errno, name)):
                        at += 1
        if made and not self.job.tally["write"]:
            self.job.faults.append(f"$ {self.names}: nothing was watched")
        for kind in ("read", "write"):
            for error in (-1, errno.EINTR)[:1 + (self.words[0] == "fathom")]:  # the checker has no handlers that interrupt
                self.disturb(before, plain, expected, kind, 1, True, error)
        return made

    def go(self, files):
        self.outputs = set()
        made = self.all_faults(files)
        old = {name: OLD for name in made if not SIDE.search(name)}
        if old:
            self.all_faults({**files, **old})
        self.watched.close()


class Job:
    def __init__(self, build, long, planted):
        self.long, self.build, self.planted, self.faults, self.runs = long, build, planted, [], 0
        self.most = 3 if planted else MOST
        self.tally = dict.fromkeys([*KINDS, "soft"], 0)
        self.library = os.path.join(build, "tests", "jobs", "libwatch_io.so")

    def fixtures(self, scratch):
        """The files that the lines read."""
        import gzip
        import subprocess
        folder = os.path.join(scratch, "fixed")
        os.makedirs(folder)
        fathom = os.path.join(self.build, "fathom")
        commands.make_fixtures(fathom, folder)
        for line in FIXED:
            subprocess.run([fathom, *line.split(), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        files = state(folder)
        return {**files, "packed.csv.gz": gzip.compress(files["plain.csv"], mtime=0)}

    def lines(self):
        """All lines, or the first of every command and of every kind of file."""
        fathom = os.path.join(self.build, "fathom")
        every = [line.split() for line in LINES + LONG * self.long] + [["fathom", *words] for words in commands.expand(fathom, large=False)]
        seen = set()
        for words in every:
            kinds = {words[1]} | {os.path.splitext(w)[1] for w in words if w.startswith(("out", "state"))}
            if self.long or not kinds <= seen:
                yield words[0], words[1:] + ["--threads", "1"] * (words[0] == "fathom")
            seen |= kinds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--only", metavar="WORD", help="only lines that have this word")
    arguments = parser.parse_args()
    job = Job(os.path.abspath(arguments.build), arguments.long or bool(arguments.only), arguments.planted)
    count = 0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as scratch:
        files = job.fixtures(scratch)
        for program, words in job.lines():
            if arguments.only in (None, program, *words) and len(job.faults) < job.most:
                Line(job, program, words, scratch).go(files)
                count += 1
    print(*job.faults, sep="\n")
    kinds = ", ".join(f"{job.tally[kind]} {kind}" for kind in KINDS)
    print(f"{count} command lines, {job.runs} runs, faults injected: {kinds}; {job.tally['soft']} calls cut short or interrupted; "
          f"{len(job.faults)} problems")
    return bool(job.faults)


if __name__ == "__main__":
    sys.exit(main())
