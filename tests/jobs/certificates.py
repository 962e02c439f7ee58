#!/usr/bin/env python3
"""certificates.py BUILD [--mutations N] [--few] [--long] [--planted]: certificates of every kind, checked twice and damaged.

Each command line below writes a certificate, which fathom-check, told what was asked (--verify), and tools/check_certificate.py must both
accept with the same statements, whose bounds are those that fathom printed; N damaged copies of them (10,000) must be rejected, or accepted with a claim that is still
true (tests/checker/mutate.c); what is accepted about another problem than before is put before the second checker, which
must accept it with the same statement. Forged certificates, true and of no use (no gates, a penalty beyond beta_max, a residual as large as the targets, other
rows, another scale, ...), must be called weak or be refused by --expect with the question that they pretend to answer, and both checkers must say the same of them. 30 damaged copies (100,000 with --long, and 1,000 forgeries) are put before both checkers, which must accept the same with the same statements. --few takes every sixth line. --planted raises a claimed bound of three certificates by a billionth.
"""
import fractions
import gzip
import hashlib
import importlib.util
import json
import multiprocessing
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SECOND = os.path.join(ROOT, "tools", "check_certificate.py")
GATED = "train {} --model gated --gates 8 "
NOT_PROVED = ("sampled margins",)  # what fathom-check-verified leaves to the others
CASES = [  # command lines; the certificate's data is what --json names
    GATED.format("gen:gauss,n=20,d=3,target=teacher"),
    GATED.format("gen:gauss,n=20,d=3,target=teacher") + "--bias free --scale mean",
    GATED.format("gen:gauss,n=20,d=3,target=teacher") + "--bias augment --normalize standardize",
    GATED.format("gen:gauss,n=20,d=3,target=sign") + "--loss logistic --bias free",
    GATED.format("gen:gauss,n=20,d=3,target=sign") + "--loss logistic --normalize unit",
    GATED.format("gen:gauss,n=20,d=3,target=sign") + "--loss hinge --bias free",
    GATED.format("gen:gauss,n=20,d=3,target=sign") + "--loss hinge --scale mean",
    GATED.format("gen:gauss,n=20,d=3,target=teacher") + "--loss huber:0.3 --bias free",
    GATED.format("weighted.csv") + "--weights w --loss quantile:0.8 --scale mean",
    "train gen:gauss,n=9,d=2,target=teacher --loss absolute --gap 1e-3",
    "train gen:gauss,n=9,d=3,target=teacher --loss huber --bias free --gap 0.02",
    GATED.format("builtin:iris") + "--loss logistic --normalize standardize --bias free --rows rows.txt",
    GATED.format("builtin:iris") + "--loss logistic --rows 40:65 --scale mean",
    GATED.format("builtin:iris") + "--loss hinge --classes setosa,versicolor --rows 40:60",
    GATED.format("weighted.csv") + "--weights w",
    GATED.format("weighted.csv") + "--weights w --loss logistic --bias free",
    GATED.format("sparse.svm") + "--normalize unit",
    GATED.format("sparse.svm") + "--loss hinge --columns 9 --classes 2,7",
    GATED.format("points.npy --labels points.labels.npy") + "--bias augment",
    GATED.format("wide.npy --labels wide.labels.npy") + "--bias free",
    GATED.format("text.csv") + "--bias free",
    GATED.format("text.csv") + "--classes yes,no",
    GATED.format("text.csv") + "--loss logistic --normalize unit",
    GATED.format("text.csv") + "--targets classes",
    GATED.format("text.csv") + "--rows yes.txt --loss hinge",
    GATED.format("tenths.csv") + "--loss logistic --rows few.txt:1:8",
    GATED.format("tenths.csv") + "--classes 0.1,0.2",
    GATED.format("tenths.csv") + "--rows few.txt!4:6",
    GATED.format("below.csv") + "--loss hinge",
    "train gen:circle,n=8 --model gated --gates patterns.npy",
    "train gen:circle,n=8 --model gated --gates all",
    "train gen:gauss,n=8,d=3 --model gated --gates all",
    "train gen:gauss,n=9,d=3,target=teacher --gap 1e-3",
    "train gen:gauss,n=9,d=2,target=teacher --bias augment --normalize standardize --scale mean --gap 0.02",
    "train gen:gauss,n=9,d=3,target=sign --loss logistic --gap 0.02",
    "train gen:gauss,n=9,d=3,target=sign --loss hinge --gap 0.02 --certificate-size 1",
    "train gen:gauss,n=12,d=3,target=sign --loss hinge --gap 1e-3",
    "train weighted.csv --weights w --gap 0.02",
    "train text.csv --loss squared --gap 0.02",
    "train gen:gauss,n=2,d=3",
    "train gen:gauss,n=9,d=2,target=teacher",
    "train gen:mixture1d,n=9 --loss hinge",
    "train gen:mixture1d,n=12 --bias free",
    "train gen:line1d --bias free --loss logistic",
    "train gen:gauss,n=9,d=3,target=teacher --method gates --gates 6 --gap 0.5",
    "train gen:gauss,n=9,d=3,target=sign --loss hinge --method gates --gates 12 --scale mean",
    "train gen:gauss,n=7,d=3,target=teacher --method cells --bias augment",
    "train gen:gauss,n=9,d=3,target=teacher --bias free --gap 0.02",
    "train far.csv --bias free --gap 0.05 --time-limit 3",
    "train weighted.csv --weights w --bias free --scale mean --gap 0.05",
    "train gen:gauss,n=12,d=2,target=sign --loss hinge --bias free --gap 0.05",
    "train gen:gauss,n=12,d=3,target=sign --loss logistic --bias free --gap 0.05",
    "train gen:gauss,n=6,d=3 --loss equality --bias free --gap 0.01",
    "train wide.npy --labels wide.labels.npy",
    "train wide.npy --labels wide.labels.npy --bias free",
    "train builtin:iris --loss logistic --rows rows.txt",
    "train builtin:iris --loss logistic --rows rows.txt --bias free --scale mean",
    "train six.csv --loss logistic --gap 0.05 --effort 0.1",
    "train six.csv --loss logistic --bias free --scale mean --gap 0.05 --effort 0.1",
    "train six.npy --labels six.labels.npy --gap 0.05 --effort 0.1",
    "train seven.csv --loss logistic --gap 0.05 --effort 0.1",
    "train six.npy --labels eight.labels.npy --bias free --gap 0.05 --effort 0.1",
    "train apart.csv --loss squared --targets classes --beta-rel 0.3",
    "train apart.csv --loss logistic --beta-rel 0.1 --scale mean",
    "train apart.npy --labels apart.labels.npy --loss equality",
    "train gen:gauss,n=6,d=2 --loss equality",
    "train gen:gauss,n=6,d=3 --loss equality --gap 1e-3",
    "train gen:gauss,n=5,d=3 --loss equality --scale mean",
    "path gen:gauss,n=15,d=3,target=teacher --model gated --gates 6 --points 3",
    "margin gen:circle,n=8",
    "margin gen:xor,n=10,sd=0.2",
    "margin gen:line1d --bias augment",
    "margin gen:gauss,n=10,d=3,target=sign --width 12",
    "margin gen:xor,n=10,sd=0.2 --kind ntk-full --width 30",
    "margin gen:circle,n=8 --gates patterns.npy",
    "margin gen:cube,d=3",
    "margin gen:gauss,n=7,d=3,target=sign",
    "margin wedge.csv",
    "margin gen:gauss,n=6,d=4,target=sign --method sample --gap 0.1 --confidence 0.9",
    "margin gen:xor,n=10,sd=0.2 --method sample --gap 0.1 --seed 7 --normalize unit",
    "margin gen:gauss,n=5,d=7,target=sign --method sample --gap 0.2 --bias augment",
    "margin gen:mixture1d,n=6",
    "margin tenths.csv --bias augment",
    "margin tenths.csv --kind linear",
    "margin far.csv --kind linear --classes 0,1 --bias augment",
    "margin origin.csv",
    "margin origin.csv --kind global --bias free",
    "margin gen:xor,n=10 --kind global",
    "margin gen:gauss,n=8,d=3,target=sign --kind global --bias augment",
    "margin tenths.csv --kind global",
    "margin below.csv --kind global --bias augment",
    "margin below.csv",
    "margin text.csv --rows yes.txt --width 5",
    "margin ray.csv",
    "margin opposite.csv",
    "flow gen:gauss,n=8,d=3,target=sign --net leaky:0.2 --width 6 --method flow",
    "flow gen:gauss,n=8,d=3,target=sign --width 20 --method flow --train first --output-weights fixed:0.5",
    "flow gen:gauss,n=4,d=4,target=sign --width 6 --method flow",
    "cones gen:gauss,n=7,d=3",
    "cones gen:cube,d=3",
    "cones text.csv --classes yes,maybe",
    "cones points.npy",
    "cones gen:gauss,n=5,d=3 --cone ++-+-",
    "cones opposite.csv --cone +++++++",
    "cones opposite.csv --cone ------+",
    "cones opposite.csv --cone ++-+--- --as-doubles --bias augment",
    "kernel gen:gauss,n=6,d=3",
    "kernel text.csv --normalize standardize --layers both --factor 0.3",
    "kernel opposite.csv",
    "kernel gen:cube,d=3 --bias augment",
    "kernel gen:gauss,n=6,d=3 --width 40",
    "kernel gen:circle,n=8 --gates patterns.npy",
    "kernel sparse.svm --layers both",
    "geometry gen:gauss,n=4,d=6",
    "geometry gen:gauss,n=9,d=3",
    "geometry acute.csv",
    "geometry ray.csv --as-doubles",
    "geometry opposite.csv --bias augment",
]


def npy(shape, values):
    import struct
    keys = [f"'shape': {shape}", "'fortran_order': False", "'descr': '<f8'"]  # in one order and another: nothing says which comes first
    head = "{" + ", ".join(keys[::1 if len(values) % 4 else -1]) + ", }"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + struct.pack(f"<{len(values)}d", *values)


def write_files(scratch):
    line = lambda i: f"{(i * 7 % 11) - 5},{(i * 3 % 7) / 8 - 0.4},{i * 5 % 13 - 6.25},{1 + i % 3},{'no' if i * i % 5 < 2 else 'yes'}"
    files = {
        "rows.txt": "3, 5 7 60 61 62 62 63\n120 121 122 9",
        "far.csv": "".join(f"{1e4 * (i * 7 % 11 - 5)},{1e4 * (i * 5 % 13 - 6)},{i % 3}\n" for i in range(10)),
        "six.csv": "".join(",".join(str((i * a % 19 - 9) / 8) for a in (3, 5, 7, 11, 13, 17)) + f",{i * i % 3 + i % 2}\n" for i in range(1, 13)),
        "seven.csv": "".join(",".join(str((i * a % 19 - 9) / 8) for a in (3, 5, 7, 11, 13, 17)) + f",{i % 7}\n" for i in range(1, 15)),
        "acute.csv": "0.2,0.1,0,1\n0.1,0.2,0.1,2\n0.4,0.2,0,1\n0,0,0,3\n0,0.1,0.3,1\n",
        "apart.csv": "".join(f"{row},{label}\n" for row, label in zip(("1,1,1,1,0", "1,-1,1,-1,0", "1,1,-1,-1,0", "1,-1,-1,1,0"), "abac")),
        "wedge.csv": "1,0,1,1\n2,1,2,-1\n-4,-2,-4,1\n0,1,0,1\n",
        "origin.csv": "1,2,1\n0,0,-1\n1,2,-1\n",
        "ray.csv": "1,0,1\n2,0,-1\n0,1,1\n",
        "opposite.csv": "0.1,0.2,1\n0.3,-0.7,1\n-1.1,0.15,1\n-0.05,-0.1,-1\n-0.6,1.4,-1\n2.2,-0.3,-1\n5,5,1\n",  # 0 in their hull
        "tenths.csv": "".join(f"{i * 7 % 11 - 5},{i * 5 % 13 - 6.25},{0.1 if i * i % 5 < 2 else 0.2}\n" for i in range(10)),
        "below.csv": "1,2,-0.3\n2,3,-0.3\n-1,4,-0.3\n",  # one class alone
        "text.csv": "a,b,c,y\n" + "".join(f"{i * 7 % 11 - 5},{(i * 3 % 7) / 8 - 0.4},{i * 5 % 13 - 6.25},{('no', 'maybe', 'yes')[i * i % 7 % 3]}\n" for i in range(12)),
        "yes.txt": "3 4 10 11", "few.txt": "3, 4 5 5 6 0 9\n1 2",
        "weighted.csv": "a,b,c,w,y\n" + "".join(line(i).replace("no", "-1").replace("yes", "2") + "\n" for i in range(14)),
        "sparse.svm": "".join(f"{2 if i % 3 else 7} {1 + i % 4}:{i - 4.5} {6 + i % 3}:{(i * 7 % 5) - 2.25} # row\n" for i in range(12)),
    }
    for name, text in files.items():
        open(os.path.join(scratch, name), "w").write(text)
    values = lambda n: [((k * 37) % 23 - 11) / 7 for k in range(n)]
    binary = {"points.npy": npy((10, 3), values(30)), "points.labels.npy": npy((10,), values(10)),
              "wide.npy": npy((10, 2), values(20)), "wide.labels.npy": npy((10, 2), values(21)[1:]),
              "six.npy": npy((9, 6), values(55)[1:]), "six.labels.npy": npy((9, 2), values(18)), "eight.labels.npy": npy((9, 8), values(73)[1:]),
              "apart.npy": npy((3, 4), [0.3, 0, 0.4, 0, 0, 0.7, 0, 0, 0.4, 0, -0.3, 0]), "apart.labels.npy": npy((3, 3), [1, 0, 0, 0, 0, 0.5, 2, 0, 0]),
              "patterns.npy": npy((8, 3), [1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0])}
    for name, data in binary.items():
        open(os.path.join(scratch, name), "wb").write(data)


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w])")


def near(p, q, size=1e-9):
    return p == q or None not in (p, q) and abs(p - q) <= 1e-9 * max(abs(p), abs(q), size)


def alike(one, other):
    """Whether two checkers say the same of the claims of a certificate: the same words, and numbers that are close."""
    if len(one) != len(other):
        return False
    for a, b in zip(one, other):
        size = max(abs(a["upper"] or 0), abs(a["lower"]), 1e-9)
        words = NUMBER.sub("#", a["statement"]) == NUMBER.sub("#", b["statement"])
        numbers = all(near(float(p), float(q), size) for p, q in zip(NUMBER.findall(a["statement"]), NUMBER.findall(b["statement"])))
        members = all(near(a[key], b[key], size) if isinstance(b[key], (int, float)) else a[key] == b[key] for key in b if key != "statement")
        if not (words and numbers and members):
            return False
    return True


def ask(program, files):
    """Exit code and answer of a checker about a certificate, its data and labels ("-": none)."""
    labels = ["--labels", files[2]] if files[2] != "-" else []
    done = subprocess.run([*program, *files[:2], *labels, "--json"], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else done.stdout + done.stderr[-300:]


def make(build, scratch, number, line):
    """Writes certificate `number`; returns its files, or None with a message."""
    name = f"{number}.cert"
    done = subprocess.run([os.path.join(build, "fathom"), *shlex.split(line), "--certificate", name, "--verify", "--json", "--quiet"],
                          cwd=scratch, capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 3):
        print(f"{line}: exit code {done.returncode}: {done.stderr.strip()} {done.stdout[-300:] if done.returncode == 4 else ''}")
        return None
    result = json.loads(done.stdout)
    data = result["certificate_data"]
    labels = data[:-4] + ".labels.npy" if data.endswith(".npy") else "-"
    words = shlex.split(line)
    labels = words[words.index("--labels") + 1] if "--labels" in words else labels
    files = [os.path.join(scratch, f) if f != "-" else f for f in (name, data, labels)]
    first = ask([os.path.join(build, "fathom-check")], files)
    second = ask([sys.executable, SECOND], files)
    verified = os.path.join(build, "proof", "fathom-check-verified")
    third = ask([verified], files) if os.path.exists(verified) else first
    open_kind = third[0] == 6 and third[1]["reason"] in [f"kind not covered: {kind}" for kind in NOT_PROVED]
    if third != first and not open_kind:
        print(f"{line}\n  fathom-check: {first}\n  fathom-check-verified: {third}")
        return None
    printed = result.get("objective", result.get("lower")), result.get("lower_bound", result.get("upper"))
    good = first[0] == second[0] == 0 and alike(first[1]["claims"], second[1]["claims"])
    if good and "objective" in result and words[0] != "flow":  # what is certified is what was printed; short multipliers may prove more than that
        upper, lower = first[1]["upper"], first[1]["lower"]
        more = 1e-4 if "--certificate-size" in words else 1e-6
        good = near(upper, printed[0]) and -1e-6 * upper <= lower - printed[1] <= more * upper
    if good and "global" in words:
        good = near(first[1]["lower"], printed[0])
    if not good:
        print(f"{line}\n  fathom printed {printed}\n  fathom-check: {first}\n  second: {second}")
        return None
    return files


def load_second():
    spec = importlib.util.spec_from_file_location("second", SECOND)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def word(value):
    """A dyadic number as certificates write it."""
    value = fractions.Fraction(value)
    return f"{value.numerator:x}p-{value.denominator.bit_length() - 1}"


def forgeries(seed):
    """(data, certificate, whether it may be accepted) of certificates that answer another question than: of all rows, the least sum of
    squared losses with beta = 0.01 over all ReLU networks."""
    draw = random.Random(seed)
    n, d = draw.randint(3, 9), draw.randint(1, 3)
    rows = [[draw.gauss(0, 1) for _ in range(d + 1)] for _ in range(n)]
    data = "".join(",".join(map(repr, row)) + "\n" for row in rows).encode()
    y = [row[-1] for row in rows]
    half = sum(fractions.Fraction(t)**2 for t in y) / 2
    size = word(max(map(abs, y)))
    def text(claims, keep=f"1 0 {n}", count=n, gates="patterns 0", steps="none none", weights=-1, width=d):
        head = f"fathom-certificate 2\ndata csv {hashlib.sha256(data).hexdigest()} 0 {d} {weights}\nrows {keep}\nclasses none\n"
        return (head + f"steps {steps} {count} {width}\ngates {gates}\n" + "".join("claim train\n" + c for c in claims) + "end\n").encode()
    def zero(kind, beta, divisor=1, model="relu", v=y, value=half, network="network 0\n"):
        bound = f"problem {model} squared {word(divisor)} {word(beta)}\nbound {kind} {word(value / divisor)} {word(value / divisor)}\n"
        return bound + network + "constant 0\ndual 1 " + " ".join(map(word, v)) + "\n"
    def interpolates(residual):
        return f"problem relu equality 1 1\nbound none 0 0\nnetwork 0\nconstant 0\nresidual {residual}\n"
    none = f"problem relu squared 1 {word(0.01)}\nbound none {word(half)} 0\nnetwork 0\nconstant 0\n"
    yield data, text([zero("gates", 0.01)]), True
    yield data, text([zero("gates", 0.01, model="gated")]), True
    yield data, text([interpolates(size)]), True
    yield data, text([interpolates("4p10")]), True
    yield data, text([none]), True
    yield data, text([none, none.replace("none " + word(half), "none 0")]), False
    if d < 3:
        yield data, text([zero("plane", 1024)]), True
        yield data, text([zero("plane", 2**20, divisor=4)]), True
        own = y[:1]
        yield data, text([zero("plane", 1024, v=own, value=fractions.Fraction(own[0])**2 / 2)], "1 0 1", 1), True
    if d == 2:
        mean = text([zero("plane", 1024, v=y, value=half)], steps="unit none")
        yield data, mean, True
    yield data, text([zero("gates", 0.01), zero("gates", 0.01) + "end\n"]), False


def matrix_forgeries(seed):
    """(data, certificate, whether it may be accepted, what was asked): claims about the data matrix that are false, or true of another
    question."""
    draw = random.Random(seed)
    n, d = draw.randint(2, 6), draw.randint(2, 3)
    rows = [[draw.randint(-4, 4) for _ in range(d)] for _ in range(n)]
    rows[0][0] = draw.randint(1, 4)
    rows[1] = [2 * t for t in rows[0]] if seed % 2 else [-t for t in rows[0]]
    data = "".join(",".join(map(str, row + [0])) + "\n" for row in rows).encode()
    def text(claim, count=n, gates="patterns 0"):
        return (f"fathom-certificate 2\ndata csv {hashlib.sha256(data).hexdigest()} 0 {d} -1\nrows 1 0 {count}\nclasses none\n"
                f"steps none none {count} {d}\ngates {gates}\nclaim {claim}\nend\n").encode()
    signs = "+" + "".join(draw.choice("+-") for _ in rows[1:])
    digits = lambda p: "".join(f"{sum((c == '+') << k for k, c in enumerate(p[i:i + 4])):x}" for i in range(0, len(p), 4))
    zeros = lambda count: " ".join(["0"] * count)
    trace = sum(t * t for row in rows for t in row) / 2
    vector = " ".join(f"{t:x}" for t in [1] * n)
    wide = "class=kernel kind=first scale=1 bound=global rows=all"
    asked_cone = f"class=cone rows=all pattern={signs}"
    other = "".join("+" if c == "-" else "-" for c in signs)
    for claim, sound, asked in (
            (f"cone\ncone empty {digits(signs)}\nweights {zeros(n)}", False, asked_cone),
            (f"cone\ncone point {digits('-' * n)}\npoint {zeros(d)}\nweights {zeros(n)}", None, asked_cone),
            (f"cone\ncone empty {digits(other)}\nweights {vector}", None, asked_cone),
            (f"spectrum\nkernel first infinite 1p-14\nbound largest {word(trace + 1)} 0\nvector {vector}", True, wide),
            (f"spectrum\nkernel both infinite 1\nbound largest {word(4 * trace + 1)} 0\nvector {vector}", True, wide),
            (f"spectrum\nkernel first gates 1\ncounts 1\nbound largest 1p-9 0\nvector {vector}", True, wide),
            (f"spectrum\nkernel first infinite 1\nbound least {word(trace)} {word(trace)}\nvector {vector}", False, wide),
            (f"spectrum\nkernel first infinite 1\nbound null 0 0\nvector {vector}", None, wide + " upper<=-1"),
            (f"spike\nspike shown\npoint {' '.join(['1'] * d)}\ncombination {zeros(n)}", False, "class=spike rows=all lower>=1"),
            (f"spike\nspike free", None, "class=spike rows=all upper<=0")):
        yield data, text(claim), sound, asked
    yield data, text("spike\nspike free", 1), True, "class=spike rows=all lower>=1"
    yield data, text(f"spectrum\nkernel first infinite 1\nbound least {word(trace + 1)} 0\nvector 1", 1), True, wide


def class_forgeries(seed):
    """(data, certificate, whether it may be accepted, what was asked, exit code then): targets coded by other classes than those of the file in their order."""
    draw = random.Random(seed)
    names = draw.sample(["setosa", "versi color", "virg(inica)", "x7", "0xc3a9", "..", "a,b" if seed % 2 else "c'd"], 3)
    names = [name for name in names if "," not in name] + ["z"] * any("," in name for name in names)
    names = sorted(names, key=str.encode)
    rows = [[draw.randint(-4, 4), name] for name in names for _ in range(2)]
    data = "".join(f"{v},{name}\n" for v, name in rows).encode()
    y = lambda order: [order.index(name) for _, name in rows if name in order]
    def text(code, order):
        kept = sum(name in order for _, name in rows)
        o, half = (len(order), fractions.Fraction(kept, 2)) if code == "columns" else (1, sum(fractions.Fraction(t)**2 for t in y(order)) / 2)
        v = [int(t == k) for k in range(o) for t in y(order)] if code == "columns" else y(order)
        return (f"fathom-certificate 2\ndata csv {hashlib.sha256(data).hexdigest()} 0 1 -1\nrows 1 0 6\nclasses {code} texts {len(order)} "
                f"{' '.join(name.encode().hex() for name in order)}\nsteps none none {kept} 1\ngates patterns 0\nclaim train\n"
                f"problem gated squared 1 1\nbound gates {word(half)} {word(half)}\nnetwork 0\nconstant {' '.join(['0'] * o)}\n"
                f"dual 1 {' '.join(f'{t:x}' for t in v)}\nend\n").encode()
    shown = ",".join(name if re.fullmatch(r"(?!0x|\.\.$)[ -~]+", name) and not set(name) & set("\"\\,()") else "0x" + name.encode().hex() for name in names)
    asked = json.dumps({"class": "gated", "loss": "squared", "rows": "all", "classes": shown})
    for code in ("index", "columns"):
        for order in (names[::-1], names[1:] + names[:1], names[:2], [*names, "martian"]):
            yield data, text(code, order), True, asked, 4
        yield data, text(code, names), True, asked, 0


def check_forged(build, scratch, second, seeds):
    """Every forgery is told from an answer, and the checkers agree on it."""
    squared = "class=relu loss=squared beta=0.01 rows=all scale=sum normalize=none bias=none bound=global"
    seen = wrong = 0
    for seed in range(seeds):
        of_networks = [(*forged, squared) for forged in forgeries(seed)]
        for data, certificate, sound, asked, *answered in [*of_networks, *matrix_forgeries(seed), *class_forgeries(seed)]:
            if asked.startswith("{"):
                open(os.path.join(scratch, "asked.json"), "w").write(asked)
                asked = os.path.join(scratch, "asked.json")
            files = [os.path.join(scratch, "forged.cert"), os.path.join(scratch, "forged.csv"), "-"]
            open(files[0], "wb").write(certificate)
            open(files[1], "wb").write(data)
            code, answer = ask([os.path.join(build, "fathom-check")], files)
            expected, _ = ask([os.path.join(build, "fathom-check"), "--expect", asked], files)
            try:
                other = second.check(certificate, data, None)
            except second.Rejected:
                other = None
            same = alike(answer["claims"], other) if code == 0 and other is not None else code == 4 and other is None
            good = expected == (answered or [4])[0] and same and (sound is None or sound == (code == 0))
            seen, wrong = seen + 1, wrong + (not good)
            if not good:
                print(f"forged: exit codes {code} and {expected}, {answer}\n  second: {other}\n{certificate.decode()}")
    print(f"{seen} forged certificates, {wrong} taken for answers, or judged differently by the checkers")
    return wrong


SPELLINGS = ["0{}", "-{}", "+{}", "0x{}", "{}.0", "{}p0", "{}p00000", "{}p-0", "{}p+0", "{}P0", "{}p1024", "{}p-1080", "", "0" * 20, "{} {}", "{} 0"]


def spelled(draw, certificate):
    """Another word, line or end: numbers in other spellings and beyond the range of doubles, what is doubled, left out or behind the end."""
    lines = certificate.decode().split("\n")[:-1]
    k, kind = draw.randrange(len(lines)), draw.randrange(8)
    words = lines[k].split(" ")
    i = draw.randrange(len(words))
    if kind < 5:
        lines[k] = " ".join([*words[:i], draw.choice(SPELLINGS).format(words[i], words[i]), *words[i + 1:]])
    elif kind < 7:
        lines[k:k + 1] = [lines[k]] * (2 * (kind == 6))
    return ("\n".join(lines) + "\n" + draw.choice(["", "\n", " ", "end\n", "\0", "claim cones\n"]) * (kind == 7)).encode()


def check_spelled(build, scratch, second, count):
    """Of `count` certificates in other spellings all checkers say the same."""
    draw, wrong, accepted = random.Random(count), 0, 0
    plain = [pair[:2] for seed in range(4) for pair in [*forgeries(seed), *matrix_forgeries(seed), *class_forgeries(seed)] if pair[2] is not False]
    files = [os.path.join(scratch, name) for name in ("spelled.cert", "spelled.csv")] + ["-"]
    verified = [[path] for path in [os.path.join(build, "proof", "fathom-check-verified")] if os.path.exists(path)]
    for _ in range(count):
        data, certificate = draw.choice(plain)
        certificate = spelled(draw, certificate)
        for path, content in zip(files, (certificate, data)):
            open(path, "wb").write(content)
        code, answer = ask([os.path.join(build, "fathom-check")], files)
        try:
            other = second.check(certificate, data, None)
        except (second.Rejected, *second.UNREADABLE):
            other = None
        thirds = [ask(program, files) for program in verified]
        same = alike(answer["claims"], other) if code == 0 and other is not None else code in (4, 5) and other is None
        same = same and all(third == (code, answer) if code == 0 else third[0] in (4, 5, 6) for third in thirds)
        accepted, wrong = accepted + (code == 0), wrong + (not same)
        if not same:
            print(f"spelled: exit code {code}, {answer}\n  second: {other}\n  verified: {thirds}\n{certificate.decode()}")
    print(f"{count} certificates in other spellings, {accepted} accepted, {wrong} judged differently by the checkers")
    return wrong


BEHIND = [b"", b"\0", b"\0" * 999, b"more", b"\0more", b"\x1f", b"\x1f\x8b", b"\x1f\x8b\x08\0\0", b"\0\x1f\x8b", None]  # None: the same once more


def check_packed(build, scratch, made):
    """What follows a certificate in gzip: both checkers and the reader of certificates say the same of it."""
    files, wrong = [os.path.join(scratch, "packed.gz"), *made[1:]], 0
    whole = gzip.compress(open(made[0], "rb").read(), mtime=0)
    tails = [(whole + (whole if tail is None else tail), 0 if tail is not None and not tail.strip(b"\0") else 5 if tail else 4) for tail in BEHIND]
    cases = tails + [(whole[:cut], 5) for cut in range(2, len(whole), max(len(whole) // 7, 1))]
    for content, expected in cases:
        open(files[0], "wb").write(content)
        first, second = (ask(program, files)[0] for program in ([os.path.join(build, "fathom-check")], [sys.executable, SECOND]))
        reader = subprocess.run([os.path.join(build, "fathom"), "info", files[0]], capture_output=True).returncode
        if not first == second == expected or (reader == 0) != (expected == 0):
            wrong += 1
            print(f"gzip with {content[len(whole):][:20]} behind it: exit codes {first}, {second}, of the reader {reader}; expected {expected}")
    print(f"{len(cases)} packed certificates, {wrong} read differently")
    return wrong


def compare(build, made, count, seed):
    """Damaged copies of the shorter certificates before both checkers, the second one in this process: they accept the same
    files, with the same statements."""
    second, few = load_second(), [files for files in made if os.path.getsize(files[0]) < 6000]
    data_of = [[open(f, "rb").read() if f != "-" else None for f in files] for files in few]
    done = subprocess.Popen([os.path.join(build, "tests", "checker", "mutate"), str(count), str(seed), "-", *[w for files in few for w in files]],
                            stdout=subprocess.PIPE)
    seen, accepted, wrong = 0, 0, 0
    while line := done.stdout.readline():
        code, sample, *sizes = map(int, line.split())
        certificate, data, said = map(done.stdout.read, sizes)
        try:
            other = second.check(certificate, data, data_of[sample][2])
        except (second.Rejected, *second.UNREADABLE):
            other = None
        seen, accepted = seen + 1, accepted + (code == 0)
        if (code == 0) != (other is not None) or code == 0 and not alike(json.loads(said)["claims"], other):
            wrong += 1
            print(f"code {code} of {os.path.basename(few[sample][0])}: {said.decode()[:900]}\n  second: {str(other)[:900]}\n{certificate.decode(errors='replace')[:1500]}")
    return seen, accepted, wrong + (done.wait() != 0 or seen != count)


def compare_all(build, made, count):
    """The same in parts of 1,000 on all processors."""
    parts = [(build, made, min(1000, count - start), 1 + start // 1000) for start in range(0, count, 1000)]
    with multiprocessing.Pool(os.cpu_count() if count > 1000 else 1) as pool:
        seen, accepted, wrong = map(sum, zip(*pool.starmap(compare, parts)))
    print(f"{seen} damaged certificates before both checkers: {accepted} accepted, {wrong} judged differently")
    return wrong


def judge(folder, build):
    """What the second checker says of certificates about other problems."""
    seen = differ = 0
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".cert"):
            continue
        stem = os.path.join(folder, name[:-5])
        head = open(stem + ".cert", errors="replace").read(40)
        data = stem + (".npy" if "data npy" in head else ".data")
        os.rename(stem + ".data", data) if data.endswith(".npy") else None
        files = [stem + ".cert", data, stem + ".labels" if os.path.exists(stem + ".labels") else "-"]
        code, answer = ask([sys.executable, SECOND], files)
        seen += 1
        if code != 0 or not alike(ask([os.path.join(build, "fathom-check")], files)[1]["claims"], answer["claims"]):
            differ += 1
            print(f"accepted by fathom-check only, or with another statement: {answer}")
            print("".join(open(stem + ".cert", errors="replace").readlines()[:16])[:1500])
    return seen, differ


KEPT = [f"train builtin:iris --loss logistic --bias free --effort 0.1 {more}" for more in (
    "--rows 40:110 --beta-rel 0.7 --normalize standardize", "--rows 40:110 --beta-rel 0.5", "--rows 30:115 --beta-rel 0.6",
    "--rows 40:110 --beta-rel 0.5 --normalize standardize")]
KEPT[1:1] = ["train apart.csv --loss squared --targets classes --beta-rel 0.3", "train apart.csv --loss logistic --beta-rel 0.1"]


def check_kept(build, scratch, lines):
    """Three classes with free biases, or orthogonal rows: the bound with a certificate is that without one, to 1e-6. Returns how many are not."""
    lost = 0
    for line in lines:
        bounds = [json.loads(subprocess.run([os.path.join(build, "fathom"), *shlex.split(line + more), "--json", "--quiet"], cwd=scratch,
                                            capture_output=True, text=True).stdout)["lower_bound"] for more in ("", " --certificate kept.cert")]
        if not bounds[1] >= bounds[0] * (1 - 1e-6) > 0:
            print(f"{line}: lower bound {bounds[0]}, with a certificate {bounds[1]}")
            lost += 1
    return lost


def main():
    build = os.path.abspath(sys.argv[1])
    planted, few, long = "--planted" in sys.argv, "--few" in sys.argv, "--long" in sys.argv
    mutations = int(sys.argv[sys.argv.index("--mutations") + 1]) if "--mutations" in sys.argv else 10000
    cases = CASES[:3] if planted else CASES[::6] if few else CASES
    with tempfile.TemporaryDirectory() as scratch:
        write_files(scratch)
        made = [make(build, scratch, k, line) for k, line in enumerate(cases)]
        if None in made:
            return 1
        unread = [line for line, files in zip(cases, made)
                  if subprocess.run([os.path.join(build, "fathom"), "info", files[0]], capture_output=True).returncode]
        print(*(f"fathom info does not read the certificate of: {line}" for line in unread), f"{len(unread)} certificates that fathom info does not read", sep="\n")
        print(f"{len(made)} certificates accepted by both checkers")
        if planted:
            text = open(made[0][0]).read()
            bound, lower = re.search(r"\n(bound \w+ \S+ )([0-9a-f]+)p", text).groups()
            open(made[0][0], "w").write(text.replace(bound + lower, f"{bound}{int(lower, 16) + 2**24:x}"))
        folder = os.path.join(scratch, "other")
        os.mkdir(folder)
        words = [w for files in made for w in files]
        done = subprocess.run([os.path.join(build, "tests", "checker", "mutate"), str(mutations), "1", folder, *words],
                              capture_output=True, text=True)
        print(done.stdout.strip(), done.stderr.strip())
        seen, differ = judge(folder, build)
        differ += check_forged(build, scratch, load_second(), 48 if long else 2) + check_packed(build, scratch, made[0])
        differ += check_spelled(build, scratch, load_second(), 5000 if long else 100)
        differ += compare_all(build, made, 100000 if long else 30)
        print(f"{seen} of those about other problems put before the second checker, {differ} not accepted there")
        lost = 0 if planted or few else check_kept(build, scratch, KEPT if long else KEPT[:3])
        return done.returncode or differ + lost + len(unread) > 0


if __name__ == "__main__":
    sys.exit(main())
