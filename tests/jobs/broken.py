#!/usr/bin/env python3
"""broken.py [--planted] [NAME...]: a solver with a wrong formula cannot pass fathom-check.

The sources are copied to build/broken; in turn one formula of a bound is broken there, fathom is built, and a command with
--verify must end with a rejected certificate, with bounds that contradict each other, or with a claim that is true all the
same: the solver looks at its claims exactly before it writes them. Unbroken, every command must end with an accepted one. --planted breaks
nothing, so that nothing is rejected. With names of files only their formulas are broken.
"""
import filecmp
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TREE = os.path.join(ROOT, "build", "broken")
GATED = "train gen:gauss,n=20,d=3,target={} --model gated --gates 8 --loss {}"
RELU = "train gen:gauss,n=9,d=3,target=teacher --gap {}"
JOINT = "train gen:gauss,n=40,d=6,target=teacher --beta-rel 0.2 --gap 0.03"
BUGS = [  # file of src, formula, what it becomes, command
    ("objective/objective_bound.c", "s * s / 2 * square - slack", "s * s / 2.001 * square - slack", GATED.format("teacher", "squared")),
    ("objective/objective_bound.c", "problem->beta / widened", "1.001 * problem->beta / widened", GATED.format("teacher", "squared")),
    ("objective/loss_margin.c", "return s * total * (1 -", "return 1.0001 * s * total * (1 -", GATED.format("sign", "hinge")),
    ("objective/objective_bound.c", "return best * (1 -", "return 1.0001 * best * (1 -", GATED.format("sign", "logistic")),
    ("gated/gated_newton.c", "+ p->beta * norm;", "+ 0.9999 * p->beta * norm;", GATED.format("teacher", "squared")),
    ("bound/joint_price.c", "psi = (t + root) / 2;", "psi = (t + root) / 2.2;", JOINT),
    ("bound/joint_price.c", "sqrt(fmax(top, 0) * sum) / 2", "sqrt(fmax(top, 0) * sum) / 2.1", JOINT),
    ("bound/sign_price.c", "(sqrt(top * sum) + apart) / 2", "(sqrt(top * sum) + apart) / 2.001", RELU.format(1e-4)),
    # an upper price below the attained one is dropped by the solver itself: the wrong price is handed on after that
    ("bound/global_bound.c", "offer(bound, v, result.upper, result.method);", "offer(bound, v, 0.9999 * result.upper, result.method);",
     "train gen:gauss,n=9,d=2,target=teacher"),
    ("train/relu_network.c", "*loss + net->beta * *norm", "*loss + 0.9999 * net->beta * *norm", RELU.format(0.5)),
    ("margin/margin_certify.c", "*upper = (weighted_norms(p, s)", "*upper = (0.9999 * weighted_norms(p, s)",
     "margin gen:gauss,n=9,d=3,target=sign --width 12 --gap 1e-3"),
    ("bound/global_bound.c", "offer(bound, v, result.upper, result.method);", "offer(bound, v, 0.9999 * result.upper, result.method);",
     "train gen:mixture1d,n=12 --bias free"),
    ("bound/global_sphere.c", "return sqrt(dot(l, l, s->k));", "return 0.99 * sqrt(dot(l, l, s->k));",
     "train builtin:iris --loss logistic --rows 49:101 --beta-rel 0.5 --gap 0.5"),
    ("gated/gate_cone.c", "return fathom_blas_norm(u, d) + 2 *", "return 0.9999 * fathom_blas_norm(u, d) + 2 *",
     "train gen:gauss,n=9,d=3,target=teacher --method gates --gates 12"),
    ("arrangement/gates.c", ".m = gates->m,", ".m = gates->m - (gates->m > 30),", "cones gen:gauss,n=7,d=3"),
    ("bound/sign_price.c", "(sqrt(top * sum) + apart) / 2", "(sqrt(top * sum) + apart) / 2.001",
     "margin gen:gauss,n=8,d=3,target=sign --kind global"),
    ("margin/margin_certify.c", "fmax(0, least - 4", "fmax(0, 1.0001 * least - 4", "margin gen:xor,n=10 --gap 1e-3"),
]


def copy():
    """The sources; only what differs is written, so that a second run compiles little."""
    for folder, _, names in os.walk(ROOT):
        inside = os.path.relpath(folder, ROOT)
        if inside.split(os.sep)[0].startswith(("build", ".git")) or "__pycache__" in inside:
            continue
        os.makedirs(os.path.join(TREE, inside), exist_ok=True)
        for name in names:
            source, target = os.path.join(folder, name), os.path.join(TREE, inside, name)
            if os.path.isfile(source) and not (os.path.isfile(target) and filecmp.cmp(source, target, shallow=False)):
                shutil.copy(source, target)


def build():
    if not os.path.exists(os.path.join(TREE, "build", "build.ninja")):
        subprocess.run(["meson", "setup", "build", "-Dtests=none"], cwd=TREE, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", "build", "fathom", "fathom-check", "--quiet"], cwd=TREE, check=True, stdout=subprocess.DEVNULL)


def verify(line):
    run = subprocess.run([os.path.join(TREE, "build", "fathom"), *line.split(), "--verify", "--threads", "1"],
                         capture_output=True, text=True, timeout=300)
    last = run.stdout.strip().splitlines()[-1:] or [run.stderr.strip()[-200:]]
    return run.returncode, last[0]


def ends(last):
    """(upper, lower) of what the checker accepted, or None."""
    found = re.search(r"accepted upper=(\S+) lower=(\S+)", last)
    return found and (float(found[1]), float(found[2]))


def is_caught(code, last, unbroken):
    """A wrong formula is rejected by the checker, contradicts another bound, or is mended by the solver's own exact look at its
    claim: what is accepted then is true, its ends on the right sides of those that the unbroken solver proves."""
    if code == 4 or "contradict" in last:
        return True
    broken, right = ends(last), ends(unbroken)
    return bool(broken and right and broken[1] <= right[0] and broken[0] >= right[1])


def main():
    os.makedirs(TREE, exist_ok=True)
    copy()
    build()
    failed, names = 0, [w for w in sys.argv[1:] if w.endswith(".c")]
    bugs = [bug for bug in BUGS if not names or bug[0] in names]
    whole = {}
    for line in sorted({bug[3] for bug in bugs}):
        code, last = whole[line] = verify(line)
        if "accepted" not in last:
            failed += 1
            print(f"unbroken: {line}: exit code {code}: {last}", flush=True)
    for name, formula, wrong, line in bugs:
        path = os.path.join(TREE, "src", name)
        with open(path) as file:
            text = file.read()
        if formula not in text:
            failed += 1
            print(f"{name}: the formula '{formula}' is not there any more")
            continue
        with open(path, "w") as file:
            file.write(text if "--planted" in sys.argv else text.replace(formula, wrong))
        build()
        code, last = verify(line)
        with open(path, "w") as file:
            file.write(text)
        caught = code == 4 if "--planted" in sys.argv else is_caught(code, last, whole[line][1])
        failed += not caught
        print(f"{'caught' if caught else 'NOT CAUGHT'}: {wrong} in {name}: {last}", flush=True)
        if "--planted" in sys.argv:
            break
    print(f"{len(bugs)} wrong formulas, {failed} problems")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
