#!/usr/bin/env python3
"""fuzz_second.py [--executions N] [--seed S] [--planted]: damaged bytes before the second checker, in one process.

N inputs are made from the seeds of tests/fuzz/corpus: certificates about a small table, and data files under certificates with
their true hash; each is damaged in one to four places. tools/check_certificate.py must accept, reject or call the data
unreadable: any other exception is a failure, as is an input that takes more than ten seconds. With --planted the errors of
unreadable data are not foreseen.
"""
import collections
import glob
import hashlib
import os
import random
import signal
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import check_certificate as second

TABLE = b"1,0.5,1\n-2,0.25,-1\n0.125,3,1\n1,-1,-1\n"
HEAD = "fathom-certificate 2\ndata {} {} {}\n"
TAIL = "rows 2 0 1 0 2\nclasses {} augment 3 3\ngates patterns 0\nclaim zero\npairs 1 0 2 1\nend\n"
CLASSES = ["none\nsteps none", "none\nsteps unit", "none\nsteps standardize", "signs texts 2 61 62\nsteps none"]
WORDS = [b"0", b"-1", b"1p4000", b"7fffffffffffffff", b"ffffffffffffffff", b"", b" ", b"\n", b"inf", b"1 0 3", b"split 0\n",
         b"1 0 999999999999", b"bisect 1\n"]


def seeds(name):
    folder = os.path.join(ROOT, "tests", "fuzz", "corpus", name)
    return [open(path, "rb").read() for path in sorted(glob.glob(os.path.join(folder, "*")))]


def damage(draw, data, others):
    """One to four changes: a bit, a byte, a word, a piece of another seed, a piece removed or doubled."""
    data = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        at, kind = draw.randrange(len(data) + 1), draw.randrange(6)
        end = min(len(data), at + draw.randint(1, 12))
        if kind == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at:at + 1] = bytes([draw.randrange(128)])
        elif kind == 2:
            data[at:end] = draw.choice(WORDS)
        elif kind == 3:
            other = draw.choice(others)
            start = draw.randrange(len(other) + 1)
            data[at:end] = other[start:start + draw.randint(1, 40)]
        elif kind == 4:
            del data[at:end]
        else:
            data[at:at] = data[at:end]
    return bytes(data)


def inputs(draw):
    """(certificate, data, labels) without end."""
    texts, files = seeds("certificate"), seeds("checked_data")
    head = HEAD.format("csv", hashlib.sha256(TABLE).hexdigest(), "0 2 -1").encode()
    while True:
        yield head + damage(draw, draw.choice(texts), texts), TABLE, None
        data = damage(draw, draw.choice(files)[1:], files)
        sha, kind = hashlib.sha256(data).hexdigest(), draw.choice(("csv", "libsvm", "npy"))
        table = {"csv": draw.choice(("0 0 -1", "0 2 -1", "1 1 0")), "libsvm": draw.choice(("2", "99999999999")), "npy": sha}[kind]
        yield (HEAD.format(kind, sha, table) + TAIL.format(draw.choice(CLASSES))).encode(), data, data


def outcome(certificate, data, labels):
    try:
        second.check(certificate, data, labels)
        return "accepted"
    except second.Rejected:
        return "rejected"
    except second.UNREADABLE:
        return "unreadable"


def main():
    option = lambda name, preset: int(sys.argv[sys.argv.index(name) + 1]) if name in sys.argv else preset
    draw = random.Random(option("--seed", 1))
    executions, counts = option("--executions", 20000), collections.Counter()
    if "--planted" in sys.argv:
        second.UNREADABLE = ()
    for number, (certificate, data, labels) in enumerate(inputs(draw)):
        if number == executions:
            break
        signal.alarm(10)
        try:
            counts[outcome(certificate, data, labels)] += 1
        except Exception as why:
            print(f"input {number}: {type(why).__name__}: {why}\n{certificate!r}\n{data!r}")
            return 1
    signal.alarm(0)
    print(f"{sum(counts.values())} executions of the second checker: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))
    return 0


if __name__ == "__main__":
    sys.exit(main())
