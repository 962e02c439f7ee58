# SPDX-License-Identifier: Apache-2.0
"""A program under watch_io.c: started once, run many times with chosen faults. For the jobs `io_faults` and `crashes`."""
import errno
import os
import subprocess

KINDS = ["open", "read", "write", "fsync", "rename", "close"]
NONE, RECORD = -1, -2


class Run:
    """What a run gave: exit code (negative: a signal, None: no end), calls by kind, the files of the faults, both streams."""

    def __init__(self, answer, folder):
        words = answer.split(" ", 8)
        status, self.injected = int(words[0]), int(words[1])
        self.code = None if status == -1 else os.waitstatus_to_exitcode(status)
        self.counts = dict(zip(KINDS, map(int, words[2:8])))
        self.paths = [path for path in words[8].rstrip("\n").split("\t") if path]
        self.out, self.err = (read(folder + ending) for ending in (".out", ".err"))


class Watched:
    """One program with its words; run() does them once in a folder."""

    def __init__(self, library, program, words, environment):
        ours, theirs = os.pipe(), os.pipe()
        environment = {**environment, "LD_PRELOAD": library, "FATHOM_WATCH_IO": f"{ours[0]},{theirs[1]}"}
        self.process = subprocess.Popen([program, *words], env=environment, pass_fds=(ours[0], theirs[1]),
                                        stdin=subprocess.DEVNULL)
        os.close(ours[0])
        os.close(theirs[1])
        self.requests, self.answers = os.fdopen(ours[1], "w"), os.fdopen(theirs[0])

    def run(self, folder, kind=NONE, at=0, onwards=False, error=0):
        self.requests.write(f"{kind} {at} {int(onwards)} {error} {folder}\n")
        self.requests.flush()
        answer = self.answers.readline()
        if not answer:
            raise RuntimeError("the watched program is gone")
        return Run(answer, folder)

    def close(self):
        self.requests.close()
        self.answers.close()
        self.process.wait()


def read(path):
    with open(path, "rb") as file:
        return file.read()


def state(folder):
    """The bytes of every file below a folder, by name."""
    return {os.path.relpath(os.path.join(at, name), folder): read(os.path.join(at, name))
            for at, _, names in os.walk(folder) for name in names}


def restore(folder, files):
    """Makes the folder hold these files and no others."""
    for at, folders, names in os.walk(folder, topdown=False):
        for name in names:
            os.unlink(os.path.join(at, name))
        for name in folders:
            os.rmdir(os.path.join(at, name))
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


def environment(folder):
    """One thread, no second start of the program, temporary files where they are watched."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive",
            "TMPDIR": folder, "HOME": folder}


def calls(log):
    """The records of watch_io.c: (call, offset, bytes, path)."""
    data, at = read(log), 0
    while at < len(data):
        end = data.index(b"\n", at)
        call, offset, size, path = data[at:end].decode().split(" ", 3)
        at = end + 1 + int(size)
        yield call, int(offset), data[end + 1:at], path


def apply(files, call, offset, content, path):
    """One recorded call on the bytes of files."""
    if call in ("create", "truncate"):
        files[path] = b""
    elif call == "write" and path in files:
        files[path] = files[path][:offset].ljust(offset, b"\0") + content + files[path][offset + len(content):]
    elif call in ("rename", "link") and path in files:
        files[content.decode()] = files.pop(path) if call == "rename" else files[path]
    elif call == "unlink":
        files.pop(path, None)


def versions(folder, log):
    """All that ever stood under each name of a folder: the bytes that a rename or a link gave it."""
    files, found = {}, {}
    for call, offset, content, path in calls(log):
        apply(files, call, offset, content, path)
        if call in ("rename", "link"):
            name = content.decode()
            found.setdefault(os.path.relpath(name, folder), set()).add(files.get(name))
    return found
