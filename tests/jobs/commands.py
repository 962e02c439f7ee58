"""The command lines that several jobs run: at least one for every command that is built.

A line may use the files of FIXTURES; what it writes is named out*. {n} is replaced by a small number of examples where
every allocation fails in turn or valgrind watches, and by the larger one where thread counts are compared.
"""
import functools
import os
import re
import shlex
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

FIXTURES = [  # run in this order; "> FILE" keeps standard output
    "gen gen:gauss,n=12,d=3,target=teacher -o mapped.npy",
    "gen gen:gauss,n=12,d=3,target=sign -o data.csv",
    "kernel gen:circle,n=6 --json > result.json",
]
MODEL = """{"format": "fathom-model-1", "kind": "relu", "activation": "relu", "d": 3, "m": 2, "outputs": 1,
"U": [[1, 0.5, -1], [-2, 0.25, 1]], "b": [0, 0.125], "W": [[1], [-3]], "c": [0.5]}"""
LINES = [  # command line, small n, large n
    ("gen gen:gauss,n={n},d=4,target=teacher,noise=0.1 -o out.csv", 9, 20000),
    ("gen gen:xor,n={n} -o out.npz", 9, 20000),
    ("gen --list", 1, 1),
    ("doctor --quiet", 1, 1),  # its text has measured rates
    ("reproduce --list", 1, 1),
    ("gen builtin:iris -o out.svm", 1, 1),
    ("cones gen:gauss,n={n},d=3 --list out.cones", 5, 200),
    ("cones gen:parity,d={n},all=1 --faces", 2, 4),
    ("cones gen:cube,d=3 --cone 11100000", 1, 1),
    ("train mapped.npy --labels mapped.labels.npy --map always --normalize unit --bias augment --model gated --gates 4 -o out.json", 1, 1),
    ("kernel gen:gauss,n={n},d=4", 8, 500),
    ("kernel gen:gauss,n={n},d=4 --layers both --width 200 -o out.npy", 8, 500),
    ("kernel gen:gauss,n={n},d=4,target=teacher --ridge 0.1 -o out.json", 2, 400),
    ("kernel gen:gauss,n={n},d=4,target=teacher --ridge 0 --layers both -o out.npz --save out.npy", 2, 400),
    ("cones gen:gauss,n={n},d=3 --faces --measure", 4, 8),
    ("margin gen:circle,n={n}", 8, 40),
    ("margin gen:circle,n={n} --certificate out.cert", 8, 16),
    ("cones gen:circle,n={n} --certificate out.cert", 8, 16),
    ("train gen:gauss,n={n},d=2,target=teacher --certificate out.cert", 5, 20),
    ("train gen:gauss,n={n},d=3,target=sign --model gated --loss logistic --gates 9 --certificate out.cert", 10, 30),
    ("margin gen:circle,n={n} --kind global", 8, 24),
    ("train gen:gauss,n={n},d=3,target=teacher --model linear --bias free -o out.json", 8, 2000),
    ("flow gen:gauss,n={n},d=1,target=teacher --loss squared --bias free --targets standardize --decay 1e-3 --width 6 --until steps=20 "
     "--test gen:gauss,n=9,d=1,test=1 -o out.json", 5, 200),
    ("margin gen:gauss,n={n},d=3,target=sign --save-dual out.npy --save-separator out.json", 8, 20),
    ("margin gen:gauss,n={n},d=3,target=sign --method sample --samples 2000", 8, 40),
    ("margin gen:circle,n={n} --width 20", 8, 40),
    ("margin gen:circle,n={n} --save-convex out.json", 6, 14),
    ("margin gen:gauss,n={n},d=3,target=sign --kind ntk-full --gap 1e-3", 4, 6),
    ("margin gen:twogauss,n={n},d=2 --kind linear", 8, 30),
    ("margin gen:circle,n={n} --experiment --trials 5", 8, 16),
    ("margin gen:parity,d=6,n={n} --kind global --gap 0.9 --save-separator out.json", 8, 24),
    ("margin gen:gauss,n={n},d=3,target=sign --kind ntk-full --samples 2000 --checkpoint out.npz", 8, 30),
    ("margin data.csv --model model.json", 1, 1),
    ("train gen:gauss,n={n},d=2,target=teacher -o out.json", 5, 60),
    ("train gen:gauss,n={n},d=6,target=teacher --beta-rel 0.3 --gap 0.1 --effort 1 --checkpoint state.npz", 9, 24),
    ("train gen:gauss,n={n},d=2,target=sign --loss logistic --bias augment --save-dual out.npy", 5, 40),
    ("train gen:gauss,n={n},d=2 --loss equality --bias free --select sparse", 4, 12),
    ("train gen:gauss,n={n},d=3,target=teacher --model gated --gates 20 -o out.json", 10, 300),
    ("train gen:xor,n={n} --model gated --loss logistic --gates 10 --bias augment", 10, 300),
    ("train gen:gauss,n={n},d=3,target=teacher --model gated --gates all", 6, 30),
    ("train gen:gauss,n={n},d=3,target=teacher --method gates --gates 20 -o out.json", 10, 200),
    ("train gen:gauss,n={n},d=2,target=sign --method gates --gates all --loss hinge", 6, 30),
    ("train builtin:iris --rows 0:{n} --method gates --gates 10 --loss logistic --select sparse", 110, 150),
    ("train gen:gauss,n={n},d=4 --method cutting --beta 0.2 -o out.json", 4, 12),
    ("train gen:whitened,n={n},d=40 --method cutting --loss equality -o out.json", 3, 30),
    ("train gen:gauss,n={n},d=4 --method cutting --bias augment --extreme 6 --neurons 9 --effort 0 -o out.json", 8, 40),
    ("train gen:gauss,n={n},d=36,target=sign --model convex-rf --patch 3 --filters 6 --beta-rel 0.05 -o out.json", 8, 200),
    ("train gen:mixture1d,n={n} --bias free --loss hinge -o out.json", 6, 3000),
    ("train gen:rankone,n={n},d=3 --bias free --loss equality", 6, 2000),
    ("train gen:whitened,n={n},d=20 --beta 0.3", 5, 15),
    ("fit gen:xor,n={n} --time 0 --folds 4 --average -o out.json", 12, 300),
    ("fit gen:gauss,n={n},d=2,target=teacher --time 20 --gap 0.9 --folds 2 --prune 0.1 -o out.json", 8, 60),
    ("path gen:mixture1d,n={n} --bias free --points 2 --knots", 5, 30),
    ("path gen:mixture1d,n={n} --bias free --loss logistic --points 3 --cv 2 -o out.json", 6, 300),
    ("path gen:gauss,n={n},d=3,target=teacher --model gated --gates 10 --points 4 --cv 2 -o out.json", 8, 100),
    ("flow gen:xor,n={n} --net huber --width 6 --until steps=20 -o out.json --checkpoint out.state", 8, 500),
    ("flow gen:gauss,n={n},d=3,target=teacher --width 6 --loss squared --method sgd --until epochs=3", 8, 500),
    ("flow gen:xor,n={n} --net leaky --width 6 --method sgd --until steps=20", 6, 300),
    ("flow gen:xor,n={n} --net leaky --width 60 --precision single --until steps=20 --checkpoint out.state", 6, 300),
    ("flow gen:gauss,n={n},d=3,target=teacher --width 6 --loss squared --method sgd --precision single --until epochs=3", 8, 500),
    ("flow gen:twogauss,n={n},d=2 --net leaky --width 6 --until steps=9 --test gen:twogauss,d=2,test=1 --trace --log steps.jsonl", 6, 200),
    ("flow gen:parity,d=5,n={n} --width 6 --method flow --until steps=20", 6, 60),
    ("flow builtin:iris --rows 45:{n} --width 7 --until steps=20 -o out.json --checkpoint out.state", 105, 150),
    ("flow builtin:iris --rows 45:{n} --net gated --width 7 --method sgd --until steps=20", 105, 150),
    ("flow gen:twogauss,n={n},d=2 --width 6 --until steps=20 --global-margin", 6, 60),
    ("flow gen:twogauss,n={n},d=2 --width 3 --until steps=20 --ending --save-limit out.json", 6, 60),
    ("check gen:collapse,r=3,d=4,n={n} --theorem 003:3.2 --width 6 --until steps=30", 6, 60),
    ("check gen:xor,n={n} --theorem 002:2 --width 6 --until steps=10", 8, 100),
    ("check gen:twogauss,n={n},d=3 --theorem 004:6.2 --width 6 --until steps=30", 8, 60),
    ("check gen:whitened,n={n},d=50 --theorem 001:l0-l1", 5, 40),
    ("geometry gen:gauss,n={n},d=3", 5, 200),
    ("geometry gen:gauss,n={n},d=2 --extreme basis --whiten out.npy -o out2.npy", 5, 200),
    ("geometry gen:gauss,n={n},d=2 --bias free --extreme targets", 4, 12),
    ("geometry gen:gauss,n=2,d={n} --polar -o out.csv", 2, 3),
    ("geometry gen:line1d", 1, 1),
    ("predict model.json data.csv -o out.csv", 1, 1),
    ("explain model.json data.csv --rows 0:3", 1, 1),
    ("info model.json", 1, 1),
    ("convert model.json --to npz -o out.npz", 1, 1),
    ("convert model.json --prune 0.5 --data data.csv -o out.json", 1, 1),
    ("convert model.json --to c -o out.c --header-file out.h", 1, 1),
    ("convert model.json --to js -o out.js", 1, 1),
    ("convert model.json --to c -o out.c", 1, 1),
    ("convert model.json --to onnx --precision float -o out.onnx", 1, 1),
    ("report result.json -o out.html", 1, 1),
    ("completion bash", 1, 1),
    ("completion columns data.csv", 1, 1),
    ("manual gen", 1, 1),
]


def expand(fathom, large):
    """The command lines as lists of words; those of commands that are not in this version are left out."""
    built = built_commands(fathom)
    lines = [shlex.split(line.format(n=big if large else small)) for line, small, big in LINES]
    return [words for words in lines if words[0] in built]


@functools.cache
def fixtures(fathom):
    """Name and bytes of a model and of every file that the fixtures' command lines leave."""
    with tempfile.TemporaryDirectory() as scratch:
        for line in FIXTURES:
            line, _, kept = line.partition(" > ")
            words = shlex.split(line)
            if words[0] in built_commands(fathom):
                with open(os.path.join(scratch, kept) if kept else os.devnull, "w") as output:
                    subprocess.run([fathom, *words], cwd=scratch, check=True, stdout=output)
        files = {name: open(os.path.join(scratch, name), "rb").read() for name in os.listdir(scratch)}
    return {**files, "model.json": MODEL.encode()}


def until_listening(process, number):
    """Waits until a process answers a signal by itself: on a busy machine a program may need seconds for its start."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                if int(re.search(r"^SigCgt:\s*(\w+)", file.read(), re.M).group(1), 16) >> (number - 1) & 1:
                    return
        except OSError:
            pass
        time.sleep(0.01)


def make_fixtures(fathom, directory):
    for name, data in fixtures(fathom).items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)


@functools.cache
def built_commands(fathom):
    """Names of the commands that this version has."""
    text = subprocess.run([fathom, "--help"], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^  ([a-z]+)  ", text, re.M)
    return [name for name in names if "not in this version" not in command_help(fathom, name)]


def command_help(fathom, name):
    return subprocess.run([fathom, name, "--help"], check=True, capture_output=True, text=True).stdout
