#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""crashes.py BUILD [--long] [--planted]: the power fails at every moment of every writer, and readers meet what is left.

Writers run under watch_io.c, which records their calls. For every prefix of these the disk is rebuilt as a file system may leave it: entries of
folders that were not synchronised are lost from any point on, or all but the last; bytes that were not synchronised are dropped, torn in the middle, or there
without those before them. Every name of an output must then be absent, or have the bytes of the old file or of a version that was written whole; a log
has whole lines of it, and no temporary name is taken for one.
Then readers meet files cut at many places, and with a tail of zeros, as disks leave that lie about synchronising: refused
(exit code 4 or 5), or what the whole file gives. --planted leaves out the calls to fsync.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

import commands
from watching import RECORD, Watched, calls, environment, read, restore, state

WRITERS = [  # a command line for every kind of file
    "gen gen:gauss,n={n},d=3,target=sign -o out.csv",
    "gen gen:gauss,n={n},d=3,target=sign -o out.npy",
    "gen gen:gauss,n={n},d=3,target=sign -o out.npz",
    "gen gen:gauss,n={n},d=3,target=sign -o out.svm",
    "train gen:gauss,n={n},d=2,target=teacher -o out.json --certificate out.cert",
    "margin gen:circle,n=8 --certificate out.cert --save-separator out.json --save-dual out.npy",
    "cones gen:gauss,n={n},d=2 --list out.cones",
    "train gen:gauss,n={n},d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --checkpoint out.state",
    "train gen:gauss,n={n},d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --method columns --checkpoint out.state",
    "flow gen:xor,n=8 --net huber --width 6 --until steps=40 --checkpoint out.state --log out.jsonl -o out.npz",
    "margin gen:gauss,n=6,d=3,target=sign --kind ntk-full --samples 200 --checkpoint out.state",
    "kernel gen:gauss,n={n},d=3 --save out.npy",
    "convert model.json --to onnx -o out.onnx",
    "convert model.json --to c -o out.c",
    "report result.json -o out.html",
    "predict model.json data.csv -o out.csv",
]
READERS = [  # how a file is made, its name, how it is read; FILE is the damaged one
    ("train gen:gauss,n=7,d=3,target=teacher -o m.json", "m.json", "predict FILE data.csv"),
    ("convert model.json --to npz -o m.npz", "m.npz", "predict FILE data.csv"),
    ("train gen:gauss,n=5,d=2,target=teacher --certificate c", "c", "fathom-check FILE c.csv"),
    ("train gen:gauss,n=5,d=2,target=teacher --certificate c", "c.csv", "fathom-check c FILE"),
    ("train gen:gauss,n=7,d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --checkpoint s", "s",
     "train gen:gauss,n=7,d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --resume FILE"),
    ("train gen:gauss,n=7,d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --method columns --checkpoint s", "s",
     "train gen:gauss,n=7,d=3,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --method columns --resume FILE"),
    ("flow gen:xor,n=8 --net huber --width 6 --until steps=20 --checkpoint s", "s", "flow gen:xor,n=8 --net huber --width 6 --until steps=30 --resume FILE"),
    ("margin gen:gauss,n=6,d=3,target=sign --kind ntk-full --samples 200 --checkpoint s", "s",
     "margin gen:gauss,n=6,d=3,target=sign --kind ntk-full --samples 200 --resume FILE"),
    ("gen gen:gauss,n=7,d=3,target=sign -o x.npz", "x.npz", "kernel FILE"),
    ("kernel gen:circle,n=6 --save k.npy", "k.npy", "kernel FILE"),
    ("kernel gen:circle,n=6 --json -o r.json", "result.json", "report FILE -o page.html"),
]
TEMPORARY = re.compile(r"\.\d+-\d+\.tmp$")
OLD = b"what was here before\n" * 9


class Disk:
    """Names, and the calls on the bytes of each file: what was synchronised, and what was not."""

    def __init__(self, files):
        self.names, self.pending = {name: k for k, name in enumerate(files)}, []
        self.safe, self.open = dict(enumerate(files.values())), {k: [] for k in range(len(files))}
        self.current = dict(self.names)  # as the running program sees it

    def call(self, call, offset, content, path, folder):
        if call == "create":
            self.current[path] = len(self.safe)
            self.safe[self.current[path]], self.open[self.current[path]] = b"", []
            self.pending.append({path: self.current[path]})
        elif call == "write" and path in self.current:
            self.open[self.current[path]].append((offset, content))
        elif call == "truncate" and path in self.current:
            self.open[self.current[path]].append((0, None))
        elif call == "fsync" and path in self.current:
            self.safe[self.current[path]] = written(self.safe[self.current[path]], self.open[self.current[path]])
            self.open[self.current[path]] = []
        elif call == "fsync" and path == folder:
            for change in self.pending:
                self.names.update(change)
            self.pending = []
        elif call in ("rename", "link") and path in self.current:
            change = {content.decode(): self.current[path], **({path: None} if call == "rename" else {})}
            self.change(change)
        elif call == "unlink":
            self.change({path: None})

    def change(self, change):
        self.current.update(change)
        self.current = {name: file for name, file in self.current.items() if file is not None}
        self.pending.append(change)

    def left(self):
        """Every state that a crash may leave now: {name: bytes}."""
        some = self.pending
        for kept in [*(some[:k] for k in range(len(some) + 1)), some[-1:]]:
            names = dict(self.names)
            for change in kept:
                names.update(change)
            for damage in (lambda w: w, lambda w: [], without_first, torn):
                yield {name: written(self.safe[file], damage(self.open[file])) for name, file in names.items() if file is not None}


def without_first(writes):
    """All but the first; a file system empties a file before it writes to it again."""
    return [(at, part) for k, (at, part) in enumerate(writes) if part is None or k > 0 and writes[k - 1][1] is not None]


def torn(writes):
    """The last of them in part."""
    return [*writes[:-1], *((at, content and content[:len(content) // 2]) for at, content in writes[-1:])]


def written(content, writes):
    for offset, part in writes:
        content = b"" if part is None else content[:offset].ljust(offset, b"\0") + part + content[offset + len(part):]
    return content


class Job:
    def __init__(self, build, long, planted):
        self.build, self.long, self.planted, self.problems, self.states, self.moments = build, long, planted, [], 0, 0
        self.readings = 0

    def writer(self, line, fixtures, scratch):
        folder = os.path.join(scratch, "work")
        os.makedirs(folder, exist_ok=True)
        words = [*line.format(n=6).split(), "--threads", "1"]
        watched = Watched(os.path.join(self.build, "tests", "jobs", "libwatch_io.so"), os.path.join(self.build, "fathom"), words, environment(folder))
        restore(folder, fixtures)
        watched.run(folder, RECORD)
        made = state(folder).keys() - fixtures.keys()
        for old in ({}, {name: OLD for name in made if not re.search(r"\.cert\.", name)}):
            before = {**fixtures, **old}
            restore(folder, before)
            run = watched.run(folder, RECORD)
            if run.code not in (0, 3):
                self.problems.append(f"$ fathom {line}: exit code {run.code}: {run.err.decode()}")
                continue
            moments = self.moments
            self.replay(line, folder, before, state(folder))
            if self.moments == moments:
                self.problems.append(f"$ fathom {line}: nothing was recorded")
        watched.close()

    def replay(self, line, folder, before, after):
        disk = Disk({os.path.join(folder, name): content for name, content in before.items()})
        whole, seen = {}, set()
        files = {os.path.join(folder, name): content for name, content in before.items()}
        for call, offset, content, path in calls(folder + ".log"):
            disk.call("none" if call == "fsync" and self.planted else call, offset, content, path, folder)
            if call in ("rename", "link"):
                name = content.decode()
                whole.setdefault(name, set()).add(written(disk.safe[disk.current[name]], disk.open[disk.current[name]]))
            self.moments += 1
            for left in disk.left():
                key = tuple(sorted((name, hash(content)) for name, content in left.items()))
                if key not in seen:
                    seen.add(key)
                    self.states += 1
                    self.judge(line, call, left, files, whole, after, folder)

    def judge(self, line, call, left, before, whole, after, folder):
        for name in left.keys() | before.keys():
            now, old = left.get(name), before.get(name)
            lines = after.get(os.path.relpath(name, folder), b"") if name.endswith(".jsonl") else None
            if now == old or now in whole.get(name, ()) or TEMPORARY.search(name):
                continue
            if lines is not None:  # a log grows in place: its reader takes whole lines
                end = now.rfind(b"\n") + 1
                if lines.startswith(now[:end]) or not now.strip(b"\0") or b"\0" in now:
                    continue
            self.problems.append(f"$ fathom {line}: after {call}: {os.path.basename(name)} is neither old nor whole: {now and now[:60]!r}")
            return

    def reader(self, made, name, line, fixtures, scratch):
        folder = os.path.join(scratch, "read")
        os.makedirs(folder, exist_ok=True)
        restore(folder, fixtures)
        subprocess.run([os.path.join(self.build, "fathom"), *made.split(), "-q"], cwd=folder, stdout=subprocess.DEVNULL)
        whole = read(os.path.join(folder, name))
        target = "damaged" + os.path.splitext(name)[1]
        program = "fathom-check" if line.startswith("fathom-check") else "fathom"
        words = [target if w == "FILE" else w for w in line.split() if w != "fathom-check"]
        words += ["--threads", "1"] * (program == "fathom")
        watched = Watched(os.path.join(self.build, "tests", "jobs", "libwatch_io.so"), os.path.join(self.build, program), words, environment(folder))
        files = state(folder)
        restore(folder, {**files, target: whole})
        good = watched.run(folder)
        page = state(folder).get("page.html")
        if good.code not in (0, 3):
            self.problems.append(f"$ {program} {line}: exit code {good.code} for the whole file: {good.err.decode()}")
        for kind, content in self.damages(whole, name):
            with open(os.path.join(folder, target), "wb") as file:
                file.write(content)
            run = watched.run(folder)
            self.readings += 1
            same = run.code == good.code and run.out == good.out and state(folder).get("page.html") == page
            if not same and run.code not in (4, 5):
                self.problems.append(f"$ {program} {line}: {name} {kind}: exit code {run.code}: {run.err.decode(errors='replace')[-200:]}")
        watched.close()

    def damages(self, whole, name):
        """Cut, and with zeros behind the cut. The numbers of an NPY file have no checksum: its head alone is damaged so."""
        pieces = 200 if self.long else 12
        for k in range(pieces):
            cut = len(whole) * k // pieces
            yield f"cut at byte {cut}", whole[:cut]
            if not name.endswith(".npy") or cut < whole.index(b"\n"):
                yield f"zeros from byte {cut}", whole[:cut].ljust(len(whole), b"\0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    job = Job(os.path.abspath(arguments.build), arguments.long, arguments.planted)
    fathom = os.path.join(job.build, "fathom")
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as scratch:
        fixtures = commands.fixtures(fathom)
        for line in WRITERS[:2] if arguments.planted else WRITERS:
            job.writer(line, fixtures, scratch)
        for row in [] if arguments.planted else READERS:
            job.reader(*row, fixtures, scratch)
    print(*job.problems, sep="\n")
    print(f"{len(WRITERS)} writers, {job.moments} moments, {job.states} states after a crash; {job.readings} damaged files read; {len(job.problems)} problems")
    return bool(job.problems)


if __name__ == "__main__":
    sys.exit(main())
