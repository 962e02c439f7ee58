#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz_python.py BUILD [--executions N] [--seed S] [--planted]: damaged models before the Python package, in one process.

N files are made from the seeds of tests/fuzz/corpus/model and from models that Python wrote, JSON and NPZ, each damaged in one to four places (checksums
of the archive set right for half of them). fathom.load must refuse with InputError or OutOfMemoryError, or give a model whose every property can be read,
that predicts numbers of the right shape, that is written and read back with the same bits, and survives a pickle. --planted foresees no refusal.
"""
import argparse
import glob
import io
import os
import pickle
import random
import sys
import tempfile
import zipfile

import fuzz

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORDS = [b"0", b"-1", b"1e999", b"null", b"[]", b"{}", b'""', b"1e308", b"9007199254740993", b"\\u0000", b"\xff", b"NaN", b"true", b"relu", b"gated"]


def damage(r, data):
    data = bytearray(data)
    for _ in range(r.randint(1, 4)):
        at = r.randrange(len(data) + 1)
        kind = r.randrange(5)
        if kind == 0 and data:
            data[at % len(data)] ^= 1 << r.randrange(8)
        elif kind == 1:
            del data[at:at + r.randint(1, 20)]
        elif kind == 2:
            data[at:at] = r.choice(WORDS)
        elif kind == 3:
            data[at:at + len(word)] = (word := r.choice(WORDS))
        else:
            other = r.randrange(len(data) + 1)
            data[at:at] = data[other:other + r.randint(1, 60)]
    return bytes(data)


def members(r, data):
    """An archive with one damaged member and true checksums."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        hit = r.choice(old.namelist())
        for name in old.namelist():
            new.writestr(name, damage(r, old.read(name)) if name == hit else old.read(name))
    return made.getvalue()


def use(fathom, numpy, model, folder):
    d, m, outputs = model.shape
    for name in dir(model):
        if not name.startswith("_"):
            getattr(model, name)
    columns = d - (getattr(model, "bias", None) == "augment")
    if d * m > 1 << 16 or not columns:
        return
    x = numpy.arange(2.0 * columns).reshape(2, columns) % 5 - 2
    try:
        got = model.outputs(x) if hasattr(model, "outputs") else model.predict(x)
    except fathom.FathomError:
        return  # columns by name, or a size that the data cannot have
    assert len(got) == 2, got
    path = os.path.join(folder, "again.npz")
    model.save(path)
    again = pickle.loads(pickle.dumps(fathom.load(path)))
    assert again.shape == (d, m, outputs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--executions", type=int, default=int(1500 * float(os.environ.get("FATHOM_TEST_EFFORT", "1"))))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--planted", action="store_true")
    arguments = parser.parse_args()
    sys.path.insert(0, os.path.join(os.path.abspath(arguments.build), "python"))
    try:
        import numpy
    except ImportError:
        print("no NumPy: skipped")
        return 77
    import fathom
    foreseen = () if arguments.planted else (fathom.InputError, fathom.OutOfMemoryError)
    r, refused, read, failed = random.Random(arguments.seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        seeds = [open(path, "rb").read() for path in sorted(glob.glob(os.path.join(ROOT, "tests", "fuzz", "corpus", "model", "*")))]
        model = fathom.train(numpy.eye(3) - 0.25, numpy.array([1.0, -1.0, 2.0])).model
        for name in ("m.json", "m.npz"):
            model.save(os.path.join(folder, name))
            seeds.append(open(os.path.join(folder, name), "rb").read())
        for k in range(arguments.executions):
            seed = r.choice(seeds)
            archive = seed[:2] == b"PK"
            data = members(r, seed) if archive and r.random() < 0.5 and zipfile.is_zipfile(io.BytesIO(seed)) else damage(r, seed)
            path = os.path.join(folder, "damaged" + (".npz" if archive else ".json"))
            with open(path, "wb") as file:
                file.write(data)
            try:
                use(fathom, numpy, fathom.load(path), folder)
                read += 1
            except foreseen:
                refused += 1
            except Exception as error:
                failed += 1
                print(f"input {k}: {type(error).__name__}: {error}", flush=True)
                if failed > 9:
                    break
    if not arguments.planted:
        fuzz.keep("models in Python", refused + read + failed)
    print(f"{refused + read + failed} executions: {refused} refused, {read} read and used, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
