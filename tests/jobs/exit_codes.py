#!/usr/bin/env python3
"""exit_codes.py BUILD [--planted]: a table of command lines with the exit code and the message that each must give.

Besides: a command that fails leaves no file behind, and --json prints nothing but JSON. --planted puts a program that
always succeeds in fathom's place.
"""
import gzip
import json
import os
import re
import resource
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import time

import commands


def npy(shape, data=b"", dtype="<f8"):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


FILES = {
    "good.csv": b"1,2,1\n3,4,-1\n5,6.5,1\n",
    "shut.npy": npy((2, 2), struct.pack("<4d", -1, -2, -3, -1)),
    "ray.csv": b"1,2,1\n2,4,-1\n1,-1,1\n",
    "escape.csv": b"a\x1b]0;t\x07,b,y\n1,2,u\x1b[2J\n3,4,\xff\xfe\n5,6,u\x1b[2J\n1,7,\xff\xfe\n",
    "ragged.csv": b"1,2,3\n4,5\n",
    "good.json": b'{"command": "train", "n": 1}',
    "list.json": b'[{"command": "train"}]\n',
    "object.json": b'{"a": 1}\n',
    "foreign.json": b'{"command": "ls"}\n',
    "outside.json": b'{"id": "a", "steps": [{"name": "t", "run": "gen gen:circle -o ../x.csv", "keep": ["rows"]}]}\n',
    "again.json": b'{"id": "a", "steps": [{"name": "t", "run": "reproduce all", "keep": ["items"]}]}\n',
    "option.json": b'{"id": "a", "steps": [{"name": "t", "run": "margin gen:circle,n=8 --widht 3", "keep": ["value"]}]}\n',
    "clash.json": b'{"id": "a", "steps": [{"name": "t", "run": "train gen:circle,n=8 -o {folder}/t-1.json", "keep": ["gap"]}]}\n',
    "runs.json": b'{"id": "a", "steps": [{"name": "t", "run": "gen gen:circle,n={n}", "for": [{"name": "n", "values": {"from": 1, "to": 1e6}}], "keep": []}]}\n',
    "chartless.json": b'{"charts": 3}\n',
    "torn.json": b'{"command": "train",\n "n": }\n',
    "foreign.jsonl": b'{"steps": 1}\n{"b": 2}\n',
    "nan.csv": b"1,2,3\n1,nan,3\n",
    "inf.csv": b"1,2,3\n-inf,2,3\n",
    "overflow.csv": b"1,2,3\n1,2e999,3\n",
    "text.csv": b"1,2,3\n1,abc,3\n",
    "empty.csv": b"",
    "header.csv": b"a,b,c\n",
    "twice.csv": b"a,a,b\n1,2,3\n",
    "zero.svm": b"+1 1:1\n-1 0:1 2:1\n",
    "descending.svm": b"+1 2:1 1:1\n",
    "huge.svm": b"+1 2147483648:1\n",
    "colon.svm": b"+1 3\n",
    "cut.csv.gz": gzip.compress(b"1,2,3\n" * 5000)[:-20],
    "false.csv.gz": b"1,2,3\n",
    "cut.npy": npy("(3, 2)", b"\0" * 40),
    "negative.npy": npy("(-3, 2)"),
    "absurd.npy": npy("(1000000000000, 1000000000000)"),
    "object.npy": npy("(1, 2)", b"\0" * 16, "|O"),
    "absurd-ubyte": bytes([0, 0, 8, 3]) + b"\xff" * 12,
    "model.json": b'{"format": 1, "kind": "re',
    "newer.json": b'{"format": "fathom-model-999", "kind": "relu"}',
    "width.json": b'{"format": "fathom-model-1", "kind": "relu", "d": 2, "m": 1, "outputs": 1, "U": [[1]], "W": [[1]]}',
    "linear.json": b'{"format": "fathom-model-1", "kind": "relu", "d": 1, "m": 1, "outputs": 1, "U": [[1]], "W": [[1]]}',
}
READ = "kernel {}"
TABLE = [  # command line, exit code, what standard error (or, on success, standard output) must match
    ("--version", 0, r"^fathom \d+\.\d+\.\d+$"),
    ("--help", 0, r"^  gen "),
    ("train --help", 0, r"^With --model convex-rf:\n(?s:.)*^  --patch N +side of a patch(?s:.*)^Data:\n"),
    ("fit --help", 0, r"\A(?s:(?!convex-rf).)*\Z"),
    ("--help", 0, r"^  fathom-check\n(?s:.*)^  fathom-check-verified\n(?s:.*)^  fathom-mpi\n"),
    ("gen --help", 0, r"usage: fathom gen"),
    ("", 2, r""),
    ("doctor extra", 2, r"too many"),
    ("nosuch", 2, r"there is no command 'nosuch'"),
    ("gne", 2, r"did you mean gen\?"),
    ("gen --nosuch x", 2, r"nosuch"),
    ("gen gen:circle,n=8 --json", 2, r"-o"),
    ("gen gen:circle,n=8", 0, r"^x1,x2,y$"),
    ("gen gen:circel,n=8", 2, r"did you mean 'circle'\?"),
    ("gen builtin:wdcb", 2, r"did you mean 'wdbc'\?"),
    ("version", 0, r"^fathom \d"),
    ("-v", 0, r"^fathom \d"),
    ("--hepl", 2, r"did you mean --help\?"),
    ("train good.csv --loss sqaured", 2, r"did you mean 'squared'\?"),
    ("train good.csv --beta-rel -1", 2, r"--beta-rel takes a number from 0 on, not '-1'"),
    ("train good.csv --gap 2", 2, r"--gap takes a number from 0 to 1, not '2'"),
    ("train good.csv --beta 1 --beta-rel=0.5", 2, r"--beta and --beta-rel"),
    ("gen gen:circle,n=8 -o out.csv --seed x", 2, r"seed"),
    ("gen gen:circle,n=8 -o out.csv --threads -1", 2, r"threads"),
    ("gen gen:circle,n=8 -o out.csv --progress maybe", 2, r"auto"),
    ("gen gen:nosuch -o out.csv", 2, r"nosuch"),
    ("gen builtin:nosuch -o out.csv", 2, r"nosuch"),
    ("gen gen:circle,n=x -o out.csv", 2, r"n"),
    ("train good.csv --model gated --gates 3 --certificate good.cert --verify", 0, r"fathom-check accepted"),
    ("margin gen:gauss,n=9,d=4,target=sign --certificate no.cert", 2, r"certificate of a margin"),
    ("margin gen:gauss,n=5,d=3,target=sign --certificate space.cert --verify", 0, r"fathom-check accepted"),
    ("flow gen:gauss,n=4,d=4,target=sign --width 6 --method flow --certificate flow.cert --verify", 0, r"fathom-check accepted"),
    ("flow gen:circle,n=6 --width 2 --until steps=2 --certificate no.cert", 3, r"--certificate no.cert: not written: not all examples"),
    ("flow --resume good.csv --certificate no.cert", 2, r"go with DATA"),
    ("train good.csv --model gated --gates 3 --certificate no/such/c.cert", 1, r"c\.cert"),
    ("kernel gen:gauss,n=5,d=3 --width 9 --layers both --certificate no.cert", 2, r"certificate of a kernel of both layers"),
    ("geometry gen:whitened,n=5,d=7 --verify", 2, r"decided to rounding alone"),
    ("cones gen:gauss,n=4,d=3 --cone ++-+ --certificate cone.cert --verify", 0, r"fathom-check accepted upper=3 lower=3"),
    ("train gen:whitened,n=4,d=6 --checkpoint c.npz", 2, r"belong to --method columns"),
    ("train gen:gauss,n=9,d=3 --method cutting --checkpoint c.npz", 2, r"that of --method columns"),
    ("path gen:gauss,n=9,d=3 --points 3 --checkpoint p.npz", 0, r"neurons"),
    ("fit gen:xor,n=20 --time 0 --score r2", 2, r"--score r2 is for numbers"),
    ("fit gen:xor,n=20 --time 0 --certificate out.cert", 2, r"as it was trained: --time 0"),
    ("fit gen:gauss,n=20,d=2 --time 0 --balance", 2, r"--balance is for classes"),
    ("fit gen:xor,n=20,sd=0 --time 0 --bias none --folds 100", 0, r"20 folds"),
    ("path gen:gauss,n=9,d=3 --resume good.csv", 5, r"good\.csv"),
    ("train gen:gauss,n=9,d=3 --checkpoint c.npz --certificate c.cert", 0, r"certified"),
    ("train gen:gauss,n=9,d=2 --save-dual v.npy", 0, r"unique +yes"),
    ("train gen:gauss,n=9,d=2 --model linear --save-dual v.npy", 2, r"no dual point is kept"),
    ("path gen:gauss,n=9,d=2 --points 2 --knots", 2, r"exact knots are those of the squared loss"),
    ("path gen:gauss,n=9,d=2 --save-dual v.npy", 2, r"--save-dual is for train"),
    ("train gen:gauss,n=9,d=3 --checkpoint c.npz", 0, r"certified"),
    ("train gen:gauss,n=9,d=3 --resume good.csv", 5, r"good\.csv"),
    ("train gen:gauss,n=9,d=3 --resume nosuch.npz", 5, r"nosuch\.npz"),
    ("train good.csv --method gates --gates grow", 2, r"grow is for --model gated"),
    ("train good.csv --method gates --bias free", 2, r"--bias none or augment"),
    ("train gen:gauss,n=9,d=3 --method cells", 0, r"certified"),
    ("train gen:gauss,n=9,d=3 --method cells --bias free", 2, r"--bias none or augment"),
    ("train gen:gauss,n=8,d=3 --loss equality", 0, r"certified"),
    ("train gen:gauss,n=12,d=2 --beta 0.5 --bias free --select sparse", 0, r"certified"),
    ("train gen:gauss,n=9,d=3 --beta 0", 2, r"without a penalty"),
    ("train gen:whitened,n=4,d=6 --method cutting", 0, r"certified"),
    ("train gen:gauss,n=8,d=3 --method cutting --loss equality", 3, r"restriction is infeasible"),
    ("train gen:gauss,n=8,d=3 --method cutting --loss equality -o out.json", 2, r"infeasible: there is no model"),
    ("train gen:gauss,n=20,d=3 --method cutting --beta 0.5", 3, r"no neuron is active on all points"),
    ("train gen:gauss,n=20,d=3 --method cutting --extreme 9 --neurons 10 --effort 0", 3, r"nothing but the extreme points"),
    ("train gen:gauss,n=20,d=3 --extreme 3", 2, r"--extreme is for --method cutting"),
    ("train gen:gauss,n=20,d=3 --model gated --neurons 3", 2, r"--neurons is for --method cutting"),
    ("train gen:gauss,n=20,d=3 --method cutting --loss equality --neurons 3", 2, r"--neurons is for --loss squared"),
    ("train gen:xor,n=20 --method cutting --loss hinge", 2, r"--loss squared or equality"),
    ("train gen:xor,n=20 --loss huber:-1", 2, r"--delta takes a number"),
    ("train gen:xor,n=20 --loss absolute --tau 0.3", 2, r"--tau is for --loss quantile"),
    ("train gen:whitened,n=5,d=7 --loss absolute --method closed", 2, r"closed forms are for squared"),
    ("path good.csv --model gated --pool 3", 2, r"--pool is for --model convex-rf"),
    ("train escape.csv --loss logistic --time-limit 5", 0, "certified"),
    ("train escape.csv --target 0", 5, r"escape\.csv"),
    ("train escape.csv --target a\x1b[1m", 2, r"no column 'a\\x1b\[1m'"),
    ("report good.json -o /dev/full", 1, "/dev/full: cannot write: No space left"),
    ("report list.json -o out.html", 5, r"list\.json:1:1: no result of fathom: expected one JSON object"),
    ("report object.json -o out.html", 5, r"object\.json:1:1: no result of fathom"),
    ("report foreign.json -o out.html", 5, r"foreign\.json:1:1: no result of fathom: its command is ls"),
    ("report chartless.json -o out.html", 5, r'chartless\.json: expected a list as "charts"'),
    ("report torn.json -o out.html", 5, r"torn\.json:2:7: expected JSON"),
    ("report foreign.jsonl -o out.html", 5, r"foreign\.jsonl:2:1: no record of a flow"),
    ("report good.csv -o out.html", 5, r"good\.csv:1:1: expected JSON"),
    ("geometry good.csv --extreme 1000000", 2, r"--extreme takes basis"),
    ("geometry gen:gauss,n=3,d=2 --polar", 2, r"two rows; the data has 3"),
    ("geometry good.csv --extreme missing.npy", 5, r"missing.npy"),
    ("train good.csv --method closed", 2, r"closed forms need|not orthogonal"),
    ("train gen:rankone,n=9,d=2 --bias free", 0, r"certified"),
    ("train good.csv --patch 3", 2, r"--patch is for --model convex-rf"),
    ("train good.csv --model convex-rf", 2, r"columns are no square image|--image"),
    ("train gen:gauss,n=9,d=36,target=sign --model convex-rf --loss hinge", 2, r"--loss squared"),
    ("train gen:gauss,n=9,d=36 --model convex-rf --image 6x7", 2, r"6x7x1, 36 columns"),
    ("train gen:gauss,n=9,d=36 --model convex-rf --patch 9", 2, r"patch must fit"),
    ("train gen:gauss,n=9,d=36 --model convex-rf --filters 20 --pool 1 --json", 0, r'"status": "filters"'),
    ("gen gen:circle,n=8,q=3 -o out.csv", 2, r"q"),
    ("gen gen:circle,n=8 -o out.csv", 0, r"8 rows, 3 columns"),
    ("gen gen:gauss,n=1000000000,d=1000000 -o out.csv", 6, r"would need [\d.e+]+ GB"),
    ("cones gen:circle,n=8 --faces", 0, r"^faces +17 "),
    ("cones gen:cube,d=3 --faces --certificate faces.cert --verify", 0, r"fathom-check accepted upper=51 lower=51"),
    ("cones gen:gauss,n=3000,d=5", 6, r"this arrangement has about 6\.74e\+12 cones"),
    ("cones gen:circle,n=8 --list no/such/out.cones", 1, r"out\.cones"),
    (READ.format("good.csv"), 0, r"^lambda_min "),
    (READ.format("nosuch.csv"), 5, r"nosuch\.csv: .*[Nn]o such file"),
    (READ.format("ragged.csv"), 5, r"ragged\.csv:2:\d+: "),
    (READ.format("nan.csv"), 5, r"nan\.csv:2:3: "),
    (READ.format("inf.csv"), 5, r"inf\.csv:2:1: "),
    (READ.format("overflow.csv"), 5, r"overflow\.csv:2:3: "),
    (READ.format("text.csv"), 5, r"text\.csv:2:3: "),
    (READ.format("empty.csv"), 5, r"empty\.csv"),
    (READ.format("header.csv"), 5, r"header\.csv"),
    (READ.format("twice.csv"), 5, r"twice\.csv:1:3: "),
    (READ.format("zero.svm"), 5, r"zero\.svm:2:4: "),
    (READ.format("descending.svm"), 5, r"descending\.svm:1:8: "),
    (READ.format("huge.svm"), 5, r"huge\.svm:1:4: "),
    (READ.format("colon.svm"), 5, r"colon\.svm:1:\d+: "),
    (READ.format("cut.csv.gz"), 5, r"cut\.csv\.gz"),
    (READ.format("false.csv.gz"), 5, r"false\.csv\.gz"),
    (READ.format("cut.npy"), 5, r"cut\.npy"),
    (READ.format("negative.npy"), 5, r"negative\.npy"),
    (READ.format("absurd.npy"), 5, r"absurd\.npy"),
    (READ.format("object.npy"), 5, r"object\.npy"),
    (READ.format("absurd-ubyte"), 5, r"absurd-ubyte"),
    ("info model.json", 5, r"model\.json:1:\d+: "),
    ("info newer.json", 5, r"newer\.json: .*newer"),
    ("predict width.json good.csv", 5, r"width\.json: .*U"),
    ("predict nosuch.json good.csv", 5, r"nosuch\.json: "),
    ("explain nosuch.json good.csv", 5, r"nosuch\.json: "),
    ("explain linear.json good.csv", 5, r"columns"),
    ("explain linear.json", 2, r"MODEL DATA"),
    ("margin good.csv --gap nan", 2, r"gap"),
    ("margin gen:circle,n=6 --save-separator none.json", 0, r"^interval +\[0, 0\]"),
    ("margin gen:circle,n=6 --save-separator none.json --save-convex out.json", 0, r"convex network +\d+ gates"),
    ("margin ray.csv --save-convex none.json", 0, r"convex network +none written: examples 0 and 1"),
    ("margin good.csv --gates shut.npy --gates-as orientations", 0, r"^interval +\[0, 0\]"),
    ("margin gen:circle,n=8 --width 60", 0, r"margin of these gates"),
    ("margin good.csv --bias free", 2, r"--bias augment"),
    ("margin gen:circle,n=8 --checkpoint out.npz", 0, r"margin"),
    ("margin gen:circle,n=8 --kind ntk-full --checkpoint out.npz", 2, r"where it is sampled"),
    ("margin gen:circle,n=6 --experiment", 2, r"positive margin"),
    ("margin gen:circle,n=8 --method sample --resume nosuch.npz", 5, r"nosuch\.npz"),
    ("kernel -", 5, r"standard input"),
    ("kernel good.csv --ridge 1", 2, r"-o MODEL"),
    ("kernel gen:line1d --layers both --ridge 0 -o out.json", 0, r"not inverted: rank 2 of 5"),
    ("kernel good.csv --gates nosuch.npy", 5, r"nosuch\.npy"),
    ("convert width.json --to gated -o out.json", 5, r"width\.json"),
    ("check gen:parity,d=2,all=1 --theorem 003:3.2 --epsilon 0.1", 2, r"--epsilon: 003:3.2 does not use it"),  # at its default
    ("check gen:parity,d=2,all=1 --theorem 003:1.1 --trials=20", 2, r"--trials: 003:1.1 does not use it"),
    ("check gen:parity,d=2,all=1 --theorem 003:2.4 --solve --epsilon 0.1", 2, r"--epsilon: --solve of 003:2.4 does not use it"),
    ("check gen:parity,d=2,all=1 --theorem 003:2.3 --solve --constants t=9", 2, r"--constants t: --solve of 003:2.3 reads no constants"),
    ("reproduce 000:lemma7.2 -o out", 2, r"000:lemma7\.1"),
    ("reproduce", 2, r"ID"),
    ("reproduce nosuch.json", 5, r"nosuch\.json"),
    ("reproduce outside.json -o out", 5, r"outside\.json: recipe a, steps 1: --output writes inside \{folder\}"),
    ("reproduce again.json -o out", 5, r"again\.json: recipe a, steps 1: a recipe cannot run the command reproduce"),
    ("reproduce option.json -o out", 5, r"option\.json: recipe a, steps 1: there is no option 'widht'"),
    ("reproduce clash.json -o out", 5, r"clash\.json: recipe a, steps 1: out/a/t-1\.json is where the step t keeps its results"),
    ("reproduce runs.json -o out", 5, r"runs\.json: recipe a, steps 1: the loop n has more than"),
    ("reproduce torn.json -o out", 5, r"torn\.json:2:7: expected JSON"),
    ("reproduce option.json b -o out", 2, r"no item b"),
    ("reproduce 000:thm7.3 000:cones", 2, r"file of recipes"),
    ("reproduce 000:thm7.3 -o nosuch/folder", 1, r"nosuch"),
    ("convert linear.json --to c --name 2b -o out.c", 2, r"identifier"),
    ("convert linear.json --to c --precision int8 -o out.c", 2, r"--to c --data DATA"),
    ("convert linear.json --to onnx --precision int8 --data good.csv -o out.onnx", 2, r"--to c --data DATA"),
    ("convert linear.json --to js --precision float -o out.js", 2, r"doubles"),
    ("completion tcsh", 2, r"bash, zsh, fish"),
    ("completion bash good.csv", 2, r"one shell"),
    ("completion columns nosuch.csv", 5, r"nosuch\.csv"),
    ("convert linear.json --prune 0.1 -o out.json", 2, r"--data DATA says which"),
    ("convert linear.json --prune 1.5 --data good.csv -o out.json", 2, r"--prune"),
    ("convert linear.json --to c -o out.js", 2, r"--to js"),
    ("convert linear.json -o out.py", 2, r"\.onnx or \.js"),
    ("convert linear.json --to onnx -o out.onnx --header-file out.h", 2, r"--header-file goes with --to c"),
    ("convert linear.json --to c -o out.c --header-file out.c", 2, r"out\.c"),
    ("convert linear.json --to onnx -o nosuch/out.onnx", 1, r"nosuch/out\.onnx"),
    ("cones gen:gauss,n=200,d=60", 6, r"."),
    ("check good.csv", 2, r"--theorem"),
    ("check", 2, r"DATA"),
    ("check good.csv --theorem 002:nosuch", 2, r"no such theorem"),
    ("check gen:circle,n=8 --theorem 002:1 --constants C1", 2, r"NAME=VALUE"),
    ("check gen:circle,n=12 --theorem 000:7.2 --trials 3", 0, r"^verdict +applies"),
    ("train gen:gauss,n=3,d=7,target=teacher --method columns --effort 1 --verify", 0, r"accepted"),
    ("train gen:gauss,n=4,d=9,target=teacher --loss equality --verify", 0, r"accepted"),
    ("train gen:rankone,n=4,d=6 --method columns --effort 1 --verify", 0, r"accepted"),
    ("train gen:gauss,n=5,d=9,target=teacher --normalize standardize --method columns --effort 1 --verify", 0, r"accepted"),
    ("flow gen:gauss,n=20,d=3,target=teacher --loss squared --step const:3", 3, r"smaller --step"),
    ("flow gen:gauss,n=20,d=3 --method flow --decay 1", 2, r"--decay takes"),
    ("flow gen:gauss,n=20,d=3,target=sign --method flow --precision single", 2, r"--precision single takes"),
    ("flow gen:gauss,n=20,d=3,target=sign --targets standardize", 2, r"takes --loss squared"),
    ("train gen:gauss,n=20,d=3 --model linear --gates 3", 2, r"--gates does not go with --model linear"),
    ("flow", 2, r"DATA \(or --resume"),
    ("flow gen:xor,n=8 --until steps=2 --test gen:gauss,n=9,d=3,target=sign", 5, r"3 columns|columns"),
    ("flow --resume good.csv", 5, r"good\.csv"),
    ("flow builtin:iris --method flow", 2, r"takes two classes; these are 3"),
    ("flow builtin:iris --loss hinge", 2, r"hinge loss takes two classes"),
    ("flow builtin:iris --net gated --train both", 2, r"--train first"),
    ("flow builtin:iris --until steps=5 --global-margin", 0, r"^global +not compared"),
    *((f"flow gen:gauss,n=40,d=5,target=sign --net {net} --method {method} --width 1000000000 --memory 8", 6, r"would need [\d.e+]+ GB")
      for net in ("relu", "leaky", "scalar", "gated") for method in ("flow", "gd", "sgd")),
    ("flow gen:gauss,n=40,d=5,target=sign --net huber --method sgd --width 1000000000 --memory 8", 6, r"would need [\d.e+]+ GB"),
    ("flow gen:gauss,n=40,d=5,target=sign --net huber --method flow --width 1000000000", 2, r"huber: gd with small steps"),
    ("flow gen:gauss,n=40,d=5,target=sign --loss squared --method flow --width 1000000000", 2, r"logistic or the exponential loss"),
    ("gen good.csv -o nosuch/out.csv", 1, r"nosuch/out\.csv"),
    ("gen good.csv -o folder.csv", 1, r"folder.csv"),
]
# Command lines that no machine finishes within the second after which they are interrupted; they end with 130.
LONG = ["train gen:gauss,n=20000,d=60 --model gated --gates 8000 --beta-rel 1e-5 --gap 1e-9",
        "train gen:gauss,n=200,d=20,target=teacher --beta 0.02",
        "flow gen:gauss,n=20,d=3,target=sign --until steps=1000000000000",
        "margin gen:gauss,n=60,d=6,target=sign --method sample --gap 1e-12"]


def run(fathom, words, scratch, **options):
    return subprocess.run([fathom, *words], cwd=scratch, capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, **options)


def missing(fathom, words):
    """A command that is not built says so, whatever it is given."""
    known = words and re.fullmatch("[a-z]+", words[0]) and fathom != "true" and "--help" not in words
    return known and "not in this version" in subprocess.run([fathom, words[0], "--help"], capture_output=True,
                                                             text=True).stdout


def check_row(fathom, line, code, pattern, scratch):
    """What is wrong with one row of the table, or None."""
    before = set(os.listdir(scratch))
    words = shlex.split(line)
    if missing(fathom, words):
        code, pattern = 2, ""
    done = run(fathom, words, scratch)
    written = set(os.listdir(scratch)) - before
    for name in written:
        os.remove(os.path.join(scratch, name))
    text = done.stdout if code == 0 else done.stderr
    if done.returncode != code:
        return f"exit code {done.returncode} instead of {code}\n{done.stderr}"
    if not re.search(pattern, text, re.M):
        return f"/{pattern}/ is not in\n{text}"
    if re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.stdout + done.stderr):
        return f"control characters in {done.stdout + done.stderr!r}"
    if code and written:
        return f"a failed command left {written}"
    return None


def check_json(fathom, line, scratch):
    """With --json, standard output is one JSON object, after a failure with its message and exit code."""
    done = run(fathom, [*shlex.split(line), "--json"], scratch)
    try:
        answer = json.loads(done.stdout)
        if done.returncode in (0, 3):
            return None if isinstance(answer, dict) and "error" not in answer else "not an object of a result"
        return None if answer["code"] == done.returncode and answer["error"] in done.stderr else f"another error: {done.stdout}"
    except json.JSONDecodeError as error:
        return f"not JSON: {error}"


def check_full_disk(fathom, scratch):
    """A file that may not grow behaves as a full disk does; /dev/full refuses standard output."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    if missing(fathom, ["gen"]):
        return
    done = run(fathom, ["gen", "gen:gauss,n=1000,d=5", "-o", "full.csv"], scratch, preexec_fn=limit)
    if done.returncode != 1 or "full.csv" not in done.stderr:
        yield f"full disk: exit code {done.returncode}, {done.stderr}"
    if any("full.csv" in name for name in os.listdir(scratch)):
        yield "full disk: a partial file is left"
    with open("/dev/full", "w") as full:
        code = subprocess.run([fathom, "gen", "--list"], stdout=full, stderr=subprocess.DEVNULL).returncode
    if code != 1:
        yield f"standard output full: exit code {code} instead of 1"


def check_interrupt(fathom, line, scratch):
    process = subprocess.Popen([fathom, *shlex.split(line)], cwd=scratch, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
    commands.until_listening(process, signal.SIGINT)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1]
    return None if process.returncode == 130 else f"exit code {process.returncode} instead of 130\n{errors}"


def problems(fathom):
    with tempfile.TemporaryDirectory() as scratch:
        for name, data in FILES.items():
            with open(os.path.join(scratch, name), "wb") as file:
                file.write(data)
        os.mkdir(os.path.join(scratch, "folder.csv"))
        for line, code, pattern in TABLE:
            for wrong in (check_row(fathom, line, code, pattern, scratch),
                          check_json(fathom, line, scratch) if "-o" in line else None):
                if wrong:
                    yield f"$ fathom {line}\n{wrong}"
        for line in LONG:
            wrong = check_interrupt(fathom, line, scratch)
            if wrong:
                yield f"$ fathom {line}   (interrupted)\n{wrong}"
        yield from check_full_disk(fathom, scratch)


if __name__ == "__main__":
    found = list(problems("true" if "--planted" in sys.argv else os.path.join(os.path.abspath(sys.argv[1]), "fathom")))
    print(*found, sep="\n")
    print(f"{len(TABLE) + len(LONG)} command lines, {len(found)} problems")
    sys.exit(bool(found))
