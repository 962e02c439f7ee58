#!/usr/bin/env python3
"""compare.py OLD NEW [WORD...]: JSON of about 200 command lines from two programs, bit for bit but for times.

OLD and NEW are two `fathom` programs. A change that is to leave results alone is run against the program of before; what differs is
printed with the command line. Words choose the lines that contain them all.
"""
import concurrent.futures
import itertools
import json
import os
import subprocess
import sys
import tempfile

TIMES = {"seconds", "time", "elapsed", "wall", "total_seconds", "version", "cpu_seconds"}


def lines():
    """The command lines; FILE stands for a file that the line writes and the next program overwrites."""
    shapes = ["n=9,d=1", "n=12,d=2", "n=16,d=3", "n=30,d=6"]
    numbers, signs = ["teacher", "linear"], ["sign"]
    losses = [("squared", numbers), ("logistic", signs), ("hinge", signs), ("equality", ["teacher"])]
    for shape, (loss, targets), bias in itertools.product(shapes, losses, ("none", "free", "augment")):
        for target in targets:
            data = f"gen:gauss,{shape},target={target} --bias {bias} --loss {loss}"
            yield f"train {data} --gap 1e-3 --effort 0.3"
            if loss != "equality":
                yield f"train {data} --model gated --gates 20 --beta-rel 0.05"
    for (loss, targets), method in itertools.product(losses, ("cells", "columns", "cutting", "gates", "closed")):
        yield (f"train gen:gauss,n=10,d=2,target={targets[0]} --loss {loss} --method {method} --gap 1e-4 --effort 0.3"
               f"{' --gates 30' if method == 'gates' else ''}")
    for loss, targets in losses[:3]:
        data = f"gen:gauss,n=14,d=2,target={targets[0]} --loss {loss}"
        yield f"train {data} --scale mean --beta 0.01 --effort 0.3 --gap 1e-3"
        yield f"train {data} --gap 1e-3 --effort 0.3 --save-dual {{folder}}/dual.npy"
        yield f"train {data} --gap 1e-3 --effort 0.3 --certificate {{folder}}/c.cert --verify"
        yield f"train {data} --model gated --gates 9 --certificate {{folder}}/c.cert --verify"
        yield f"train {data} --select sparse --effort 0.3 --gap 1e-3"
        yield f"path {data} --points 4 --cv 3 --effort 0.3 --gap 1e-2"
        yield f"path gen:gauss,n=14,d=1,target={targets[0]} --bias free --loss {loss} --points 5"
        yield f"train {data} --test gen:gauss,n=20,d=2,target={targets[0]},seed=3 -o {{folder}}/model.json --effort 0.3 --gap 1e-2"
    for data in ("builtin:iris", "builtin:wine"):
        for loss in ("logistic", "squared"):
            yield f"train {data} --rows 0:40 --loss {loss} --targets classes --model gated --gates 10 --beta-rel 0.2"
            yield f"train {data} --model linear --loss squared --targets classes"
    for loss in ("logistic", "exponential", "squared", "hinge"):
        for net in ("relu", "leaky:0.1", "huber:0.5", "gated"):
            yield f"flow gen:gauss,n=10,d=3,target=sign --net {net} --width 8 --loss {loss} --until steps=30"
        yield f"flow gen:gauss,n=10,d=3,target=sign --method flow --width 6 --loss {loss} --until time=2"
    for kind in ("ntk", "global"):
        for shape in ("n=8,d=2", "n=12,d=3"):
            yield f"margin gen:gauss,{shape},target=sign --kind {kind} --gap 1e-2"


def clean(value):
    """Without times."""
    if isinstance(value, dict):
        return {key: clean(part) for key, part in value.items() if key not in TIMES}
    return [clean(part) for part in value] if isinstance(value, list) else value


def answer(program, line):
    with tempfile.TemporaryDirectory() as folder:
        words = [program, *line.format(folder=folder).split(), "--json", "--threads", "1"]
        run = subprocess.run(words, capture_output=True, text=True)
        files = {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}
        text = run.stdout.replace(folder, "")
    try:
        text = clean(json.loads(text))
    except ValueError:
        pass
    return run.returncode, text, files


def compare(line):
    old, new = (answer(program, line) for program in sys.argv[1:3])
    return None if old == new else f"DIFFERS {line}\n  old {old}\n  new {new}", old[0]


if __name__ == "__main__":
    chosen = [line for line in lines() if all(word in line for word in sys.argv[3:])]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(compare, chosen))
    different = [text for text, _ in results if text]
    print(*different, sep="\n")
    print(f"{len(chosen)} command lines, {sum(code == 0 for _, code in results)} with exit code 0, {len(different)} differ")
    sys.exit(bool(different))
