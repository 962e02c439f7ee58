#!/usr/bin/env python3
"""proof.py BUILD [--damaged N] [--long] [--planted]: the checker that is extracted from its proof says what fathom-check says.

Certificates of the lines below, of the examples of docs/reference/certificate-examples.md and forged ones (certificates.py) are put before both
programs, and N damaged copies (600): whatever fathom-check-verified accepts fathom-check accepts with the same claims, text for text, and what
fathom-check accepts the other one accepts too or says that it is too large (exit code 6). The lines of COVERED must be accepted by both.
Where Coq is installed the proofs are compiled anew, assume nothing but the axioms of the reals, and the OCaml of proof/extracted is what
they give; sources hold no Admitted, Axiom or Parameter. --long: each of a list of wrong conditions,
put into the checker's functions one at a time, makes a proof fail. --planted turns a digit of what the verified checker says.
"""
import concurrent.futures
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import certificates

ROOT = certificates.ROOT
COVERED = [  # these must be accepted by both
    "margin ray.csv",
    "margin opposite.csv",
    "margin gen:cube,d=3",
    "cones opposite.csv --cone +++++++",
    "cones opposite.csv --cone ++-+--- --as-doubles --bias augment",
    "geometry gen:gauss,n=9,d=3",
    "geometry opposite.csv --bias augment",
    "train gen:gauss,n=20,d=3,target=teacher --model gated --gates 8",
    "train gen:gauss,n=20,d=3,target=teacher --model gated --gates 8 --bias free --scale mean",
    "train gen:gauss,n=20,d=3,target=teacher --model gated --gates 8 --bias augment --normalize standardize",
    "train gen:gauss,n=20,d=3,target=sign --model gated --gates 8 --loss hinge --bias free",
    "train gen:gauss,n=20,d=3,target=sign --model gated --gates 8 --loss hinge --scale mean --normalize unit",
    "train gen:gauss,n=20,d=3,target=teacher --model gated --gates 8 --loss huber:0.3 --bias free",
    "train weighted.csv --weights w --model gated --gates 8 --loss quantile:0.8 --scale mean",
    "train weighted.csv --weights w --model gated --gates 8 --loss absolute",
    "train weighted.csv --weights w --model gated --gates 8",
    "train sparse.svm --model gated --gates 8 --normalize unit",
    "train sparse.svm --model gated --gates 8 --loss hinge --columns 9 --classes 2,7",
    "train text.csv --model gated --gates 8 --targets classes",
    "train text.csv --loss squared --model gated --gates 8 --classes yes,no",
    "train gen:circle,n=8 --model gated --gates patterns.npy",
    "train gen:gauss,n=9,d=3,target=teacher --method gates --gates 6 --gap 0.5",
    "train gen:gauss,n=9,d=3,target=sign --loss hinge --method gates --gates 12 --scale mean",
    "path gen:gauss,n=15,d=3,target=teacher --model gated --gates 6 --points 3",
    "margin gen:gauss,n=10,d=3,target=sign --width 12",
    "margin gen:xor,n=10,sd=0.2 --kind ntk-full --width 30",
    "margin gen:circle,n=8 --gates patterns.npy",
    "margin text.csv --rows yes.txt --width 5",
    "train gen:gauss,n=24,d=7,target=teacher --gap 0.3",
    "train gen:gauss,n=24,d=7,target=sign --loss hinge --gap 0.3 --bias augment --normalize standardize",
    "train gen:gauss,n=24,d=7,target=teacher --loss huber:0.5 --gap 0.3 --scale mean",
    "train gen:gauss,n=30,d=6,target=teacher --gap 0.02",
    "train gen:gauss,n=20,d=3,target=sign --model gated --gates 8 --loss logistic --bias free",
    "train gen:gauss,n=24,d=7,target=sign --loss logistic --gap 0.3 --scale mean",
    "train builtin:iris --loss logistic --model gated --gates 8 --normalize standardize",
    "train builtin:iris --loss logistic --model gated --gates 8 --bias free",
    "cones gen:gauss,n=7,d=3",
    "cones gen:cube,d=3",
    "cones gen:gauss,n=9,d=4 --bias augment",
    "train gen:gauss,n=16,d=3,target=teacher",
    "train gen:gauss,n=9,d=4,target=sign --loss hinge",
    "train gen:gauss,n=9,d=3,target=teacher --model gated --gates all",
    "train gen:gauss,n=9,d=2,target=teacher --bias free",
    "train gen:mixture1d,n=12 --bias free",
    "train gen:gauss,n=12,d=5,target=teacher --bias free --gap 0.3",
    "train builtin:iris --loss logistic --bias free --normalize standardize --rows 46:104 --beta-rel 0.7 --gap 0.5",
    "train builtin:iris --loss logistic --normalize standardize --rows 46:104 --beta-rel 0.7 --gap 0.5",
    "margin gen:gauss,n=6,d=2,target=sign --kind global",
    "margin gen:gauss,n=6,d=4,target=sign --kind global --gap 0.1",
    "geometry acute.csv",
    "train points.npy --labels points.labels.npy --model gated --gates 8 --bias augment",
    "train wide.npy --labels wide.labels.npy --model gated --gates 8 --bias free",
    "train wide.npy --labels wide.labels.npy",
    "train apart.csv --loss squared --targets classes --beta-rel 0.3",
    "train apart.csv --loss logistic --beta-rel 0.1 --scale mean",
    "cones points.npy",
    "margin gen:circle,n=8",
    "margin gen:xor,n=10,sd=0.2",
    "margin gen:line1d --bias augment",
    "margin gen:mixture1d,n=7 --bias augment",
    "margin gen:gauss,n=25,d=2,target=sign",
    "cones gen:gauss,n=5,d=3 --cone ++-+-",
    "cones opposite.csv --cone ------+",
    "cones gen:cube,d=3 --cone +--+-++-",
    "cones gen:cube,d=3 --faces",
    "cones opposite.csv --faces",
    "cones gen:circle,n=8 --faces",
    "cones gen:gauss,n=5,d=4 --faces --bias augment",
    "cones points.npy --faces",
    "kernel gen:gauss,n=6,d=3",
    "kernel opposite.csv",
    "kernel gen:cube,d=3 --bias augment",
    "kernel gen:gauss,n=6,d=3 --width 40",
    "kernel gen:circle,n=8 --gates patterns.npy",
    "kernel gen:gauss,n=30,d=5 --factor 2",
    "kernel sparse.svm --layers both",
    "kernel text.csv --normalize standardize --layers both --factor 0.3",
    "kernel opposite.csv --layers both",
    "kernel gen:gauss,n=20,d=3 --layers both",
    "margin gen:gauss,n=7,d=3,target=sign",
    "margin gen:gauss,n=16,d=3,target=sign",
    "margin wedge.csv",
    "margin gen:mixture1d,n=6",
    "margin tenths.csv --bias augment",
    "margin tenths.csv --kind linear",
    "margin far.csv --kind linear --classes 0,1 --bias augment",
    "margin origin.csv",
    "margin origin.csv --kind global --bias free",
    "flow gen:gauss,n=8,d=3,target=sign --net leaky:0.2 --width 6 --method flow",
    "flow gen:gauss,n=8,d=3,target=sign --width 20 --method flow --train first --output-weights fixed:0.5",
    "flow gen:gauss,n=4,d=4,target=sign --width 6 --method flow",
]
EXAMPLES = [("d.csv", "train d.csv --beta 0.5"), ("s.csv", "margin s.csv --width 9"), ("z.csv", "margin z.csv"), ("d.csv", "cones d.csv"),
            ("d.csv", "cones d.csv --cone --+-"), ("d.csv", "cones d.csv --faces"), ("d.csv", "kernel d.csv"), ("d.csv", "geometry d.csv")]


WRONG = [  # file, what stands there, and a wrong condition in its place: its proof must fail
    ("Zero", "dlt dzero (l_of e) && negb", "negb"),
    ("Zero", "deq q (dint (-1)) &&", ""),
    ("Zero", "dnull (dtotal (map (fun e => dtimes (l_of e) (dpoint (a_row e))) l))", "true"),
    ("Matrix", "&& marked pattern l &&", "&&"),
    ("Matrix", "dlt dzero g && dlt bound (dmul g g)", "dlt dzero g && dlt dzero (dmul g g)"),
    ("Train", "given (dle dzero yw && dle yw c) yw", "given (dle dzero yw) yw"),
    ("Train", "Some (dsub yw (ddiv_up (ddot w w) (dadd c c)))", "Some (dsub yw (ddiv_down (ddot w w) (dadd c c)))"),
    ("Train", "if dle dzero mu then Some", "if true then Some"),
    ("Train", "Some L => dle (dmul (dmul s s) L) (dmul edge edge)", "Some L => dle (dmul s L) (dmul edge edge)"),
    ("Train", "(negb free || sums_vanish o ws) &&", ""),
    ("Tree", "dmax dzero (dsum (map coef l))", "dsum (map coef l)"),
    ("Tree", "tree_ok bounded xs v (fixed ++ [(j, true)]) above && tree_ok bounded xs v (fixed ++ [(j, false)]) below",
     "tree_ok bounded xs v (fixed ++ [(j, true)]) above"),
    ("Tree", "if dle dzero a then Some (Term 0 (signed e a) x :: more) else None", "Some (Term 0 (signed e a) x :: more)"),
    ("Definite", "(0 <? p)%Z && Nat.eqb", "Nat.eqb"),
    ("Definite", "(p - d)%Z :: r", "p :: r"),
    ("Train", "given (forallb (fun a => dle dzero a) z && deq (dsum w) dzero)", "given (forallb (fun a => dle dzero a) z)"),
    ("Train", "(dadd (entropy_down c yw) (entropy_down c (dsub c yw)))", "(entropy_down c (dsub c yw))"),
    ("Logs", "(dsub done (dmul pow_minus_k (dtrim_up 300 t)))", "(dadd done (dmul pow_minus_k (dtrim_up 300 t)))"),
    ("Logs", "dneg (dmul z (ln_up (ddiv_up z c)))", "dneg (dmul z (ln_up (ddiv_down z c)))"),
    ("Tree", "dle dzero P && dle dzero lift &&", "dle dzero P &&"),
    ("Prices", "deq (dsum v) dzero && Nat.eqb (length v) (length xs) &&", "Nat.eqb (length v) (length xs) &&"),
    ("Plane", "(dle dzero B || dle (dmul B B) (dmul A C))", "(dle dzero B || dle B (dmul A C))"),
    ("Plane", "straight (products a) (products b) &&", ""),
    ("Cover", "Some (dmax x y)\n                      | _, _ => None", "Some x\n                      | _, _ => None"),
    ("Cones", "Some a, Some b => Some (a + b)%Z", "Some a, Some b => Some a"),
    ("Cones", "forallb (forallb (fun t => negb (deq t dzero))) products &&", ""),
    ("Cones", "distinct (length xs) (map (map (dlt dzero)) products) &&", ""),
    ("Spike", "dlt dzero D && reciprocal D R b &&", "dlt dzero D &&"),
    ("Spike", "&& obtuse (length R) b", ""),
    ("Orthant", "&& forallb (fun t => dlt dzero t) w &&", "&&"),
    ("Orthant", "dmul (dabs (ddot x (fst (fst b)))) (snd b)", "dmul (ddot x (fst (fst b))) (snd b)"),
    ("Orthant", "dmul (dmax dzero (ddot (snd (fst a)) (snd (fst (fst b))))) (snd b)", "dmul (ddot (snd (fst a)) (snd (fst (fst b)))) (snd b)"),
    ("Orthant", "let s2 := dmul s s in", "let s2 := s in"),
    ("Orthant", "(dmul e2 (snd a))) l.", "e2) l."),
    ("Train", "negb gated && negb free && dual_ok free o (length rows) s vs && orthant_ok", "negb gated && dual_ok free o (length rows) s vs && orthant_ok"),
    ("Train", "if Z.eqb (mantissa a) 0 then dfeeds_one w else dnull w", "if Z.eqb (mantissa a) 0 then dfeeds_one w else true"),
    ("Train", "Nat.eqb (length gate) o && output_prices", "output_prices"),
    ("Train", "if dlt dzero L then Some (double_up (ddiv_up bt L)) else None, double_down", "if dlt dzero L then Some (double_down (ddiv_down bt L)) else None, double_down"),
    ("Margins", "forallb (fun v => dle (ddot v v) done) w &&", ""),
    ("Margins", "forallb (fun t => dle dzero t) q &&", ""),
    ("Angles", "else if dle high dzero then", "else if dle low dzero then"),
    ("Angles", "(dsub done (dhalf b), dsub done (dhalf a))\n      else", "(dsub done (dhalf a), dsub done (dhalf b))\n      else"),
    ("Wide", "dmin (dmul t (fst s)) (dmul t (snd s))", "dmul t (fst s)"),
    ("Wide", "if cones_ok d g rows && signs rows", "if signs rows"),
    ("Wide", "&& all_left sides then Some h", "then Some h"),
    ("Wide", "|| forallb (in_sides sides) normals)", "|| true)"),
    ("Wide", "dle dzero (ddet a n c) && dle dzero (ddet a b n).", "dle dzero (ddet a n c)."),
    ("Wide", "between_three a b c n && deq (ddet a b n) dzero", "between_three a b c n"),
    ("Wide", "then (a, b) else (dsub done b, dsub done a)", "then (a, b) else (a, b)"),
    ("Wide", "forallb (fun x => Nat.leb (length x) 3) (map dpoint rows) &&", ""),
    ("Margins", "if forallb (fun p : orow => snd p 0%nat) (opened g 0 rows) then", "if true then"),
    ("Zero", "Some p => dnull (dpoint p) | None", "Some p => true | None"),
    ("Zero", "dsame (dpoint p) (dpoint q) && deq", "deq"),
    ("Zero", "&& deq (nth 0 (dtarget p) dzero) (dneg (nth 0 (dtarget q) dzero))", ""),
    ("Pi", "Fixpoint below (n : nat) : Z := match n with O => term_below 0 | S k => (below k + if Nat.even n then term_below n else - term_above n)%Z end.",
     "Fixpoint below (n : nat) : Z := match n with O => term_below 0 | S k => (below k + if Nat.even n then term_below n else - term_below n)%Z end."),
    ("Spectra", "(ddiv_down (ddiv_down square root) (dadd pi_high pi_high)", "(ddiv_down root (dadd pi_high pi_high)"),
    ("Spectra", "let first := by_angle (dadd t t) x z in", "let first := by_angle t x z in"),
    ("Limits", "&& dle rest (dmul (dmul R_ R_) size)", ""),
    ("Limits", "dlt dzero (dsum l) && dle waste (dmul (dmul S_ m) (dsum l)) &&", "dlt dzero (dsum l) &&"),
    ("Limits", "let h := ddot u x in dle a c && dle c done &&", "let h := ddot u x in dle a c &&"),
    ("Limits", "&& dle (dmul h h) (dmul (dmul K K) (dmul (ddot u u) (ddot x x)))", ""),
    ("Limits", "(double_up (ddiv_up m below), double_down", "(double_up (ddiv_up m root), double_down"),
    ("Dimension", "eqb (negb (dnull (dpoint r)) && deq t dzero) (dlt dzero w) &&", ""),
    ("Dimension", "&& dnull (dtotal (Matrix.combined rows l))\n", "\n"),
    ("Dimension", "None => S (nullity d (map (@tl Z) rows))", "None => nullity d (map (@tl Z) rows)"),
    ("Faces", "side true && side false", "side true"),
    ("Faces", "&& zero_row (summed l w)", ""),
    ("Faces", "distinct (length xs) sets && covers", "covers"),
    ("Spectra", "let lost := dmul (dint (Z.of_nat n)) e in", "let lost := e in"),
    ("Spectra", "(negb (dlt dzero L) || nowhere_negative n", "(true || nowhere_negative n"),
    ("Spectra", "&& forallb (fun p => balanced l (dpoint (fst (fst p)))) l", ""),
    ("Spectra", "dmul (snd p) (dabs (ddot x z)) else dzero", "dmul (snd p) (ddot x z) else dzero"),
]


def ask(program, certificate, data):
    done = subprocess.run([program, certificate, data, "--json"], capture_output=True, text=True, timeout=120)
    return done.returncode, json.loads(done.stdout) if done.stdout.startswith("{") else None, done.stdout + done.stderr


def compare(build, certificate, data, planted=False):
    """The exit code of the verified checker, and a text where it says something else than fathom-check."""
    first = ask(os.path.join(build, "fathom-check"), certificate, data)
    mine = ask(os.path.join(build, "proof", "fathom-check-verified"), certificate, data)
    if planted and mine[0] == 0:
        mine[1]["claims"][0]["statement"] = mine[1]["claims"][0]["statement"].replace("1", "7", 1)
    if mine[0] == 6 or first[0] == 6:  # not covered, or more work than the other one does
        return mine[0], None
    if mine[0] != first[0] and not (mine[0] in (4, 5) and first[0] in (4, 5)):
        return mine[0], f"exit code {mine[0]} instead of {first[0]}: {mine[2][:300]}"
    if mine[0] == 0 and mine[1] != first[1]:
        return 0, f"DIFFERENT STATEMENT\n  fathom-check: {first[1]}\n  verified:     {mine[1]}"
    return mine[0], None


EXPECTED = ["class=relu", "class=gated loss=squared", "rows=all", "rows=0:20", "scale=mean", "scale=sum bias=none", "gap<=1", "relative_gap<=1e-9", "upper<=3",
            "lower>=1", "bound=global", "bound=gates", "kind=ntk", "beta=1", "normalize=unit", "pattern=+++++++", "neurons=3", "gap", "none=1", "n=20", "d=3", "gates=8",
            "draws=0", "draws=1", "residual<=0", "residual<=1_0", "unclear<=0", "weak<=0", "weak<=-1", "confidence=1", "confidence=0.99", "seed=1", "rows=0x0:20", "gates=0x8"]


def check_expected(build, made):
    """--expect has the same exit code as that of fathom-check."""
    wrong = 0
    for line, certificate, data in made:
        for asked in EXPECTED:
            codes = [subprocess.run([program, certificate, data, "--expect", asked], capture_output=True).returncode for program in
                     (os.path.join(build, "fathom-check"), os.path.join(build, "proof", "fathom-check-verified"))]
            if codes[0] != codes[1] and codes[1] != 6:
                wrong += 1
                print(f"{line}: --expect '{asked}' ends with {codes[1]} instead of {codes[0]}")
    return wrong


def make(build, scratch, number, line):
    name = os.path.join(scratch, f"{number}.cert")
    done = subprocess.run([os.path.join(build, "fathom"), *line.split(), "--certificate", name, "--json", "--quiet"], cwd=scratch,
                          capture_output=True, text=True, timeout=120)
    if done.returncode not in (0, 3):
        return None
    return line, name, os.path.join(scratch, json.loads(done.stdout)["certificate_data"])


def check_damaged(build, scratch, made, count, seed=29):
    """Damaged copies of the shorter certificates (tests/checker/mutate.c) before the extracted checker, in one process."""
    few = [files for _, *files in made if os.path.getsize(files[0]) < 20000]
    labels = [data[:-4] + ".labels.npy" if data.endswith(".npy") else "-" for _, data in few]
    words = [word for (certificate, data), beside in zip(few, labels) for word in (certificate, data, beside)]
    mutate = subprocess.Popen([os.path.join(build, "tests", "checker", "mutate"), str(count), str(seed), "-", *words], stdout=subprocess.PIPE)
    done = subprocess.run([os.path.join(build, "proof", "each_damaged"), *labels], stdin=mutate.stdout, capture_output=True, text=True)
    print(done.stdout.strip(), done.stderr.strip())
    return mutate.wait() != 0 or done.returncode != 0 or f"{count} damaged copies" not in done.stdout


def check_packed(build, made):
    """In gzip, of every level: the same answer; cut off: unreadable."""
    wrong, program = 0, os.path.join(build, "proof", "fathom-check-verified")
    for (line, certificate, data), level in zip(made[:40:4], range(10)):
        plain = open(certificate, "rb").read()
        for content, code in ((gzip.compress(plain, level), 0), (gzip.compress(plain, level) + bytes(9), 0), (gzip.compress(plain, level)[:-3], 5),
                              (gzip.compress(plain[:50], level) + gzip.compress(plain[50:], level), 0), (gzip.compress(plain, level) + b"x", 5)):
            open(certificate + ".gz", "wb").write(content)
            first, other = ask(program, certificate, data), ask(program, certificate + ".gz", data)
            if other[0] != code or code == 0 and first != other:
                print(f"{line}: in gzip of level {level} exit code {other[0]} instead of {code}")
                wrong += 1
    return wrong


def check_model(build, scratch):
    """--model and --expect with a file: the exit codes of fathom-check."""
    wrong = 0
    for line in ("train gen:gauss,n=9,d=2,target=teacher", "train gen:gauss,n=9,d=2,target=teacher --bias free", "train text.csv --model gated --gates 4 --targets classes"):
        for model in ("m.json", "other.json"):
            if subprocess.run([os.path.join(build, "fathom"), *line.split(), "--certificate", "m.cert", "-o", model, "--quiet", *(["--beta-rel", "0.3"] * (model != "m.json"))],
                              cwd=scratch).returncode:
                wrong += 1
            os.rename(os.path.join(scratch, "m.cert"), os.path.join(scratch, model + ".cert"))
        data = "text.csv" if "text" in line else "m.cert.csv"
        open(os.path.join(scratch, "asked.json"), "w").write('{"rows": "all", "gap<=": 9}')
        for more in (["--model", "m.json", "--expect", "asked.json"], ["--model", "other.json"], ["--model", "asked.json"], ["--explain"]):
            said = [subprocess.run([program, "m.json.cert", data, *more], cwd=scratch, capture_output=True, text=True) for program in
                    (os.path.join(build, "fathom-check"), os.path.join(build, "proof", "fathom-check-verified"))]
            same = said[0].stdout == said[1].stdout or said[0].returncode or more == ["--explain"]
            if said[0].returncode != said[1].returncode or not same:
                print(f"{line}: {more}: {said[1].returncode} {said[1].stdout}\n instead of {said[0].returncode} {said[0].stdout}")
                wrong += 1
        for name in os.listdir(scratch):
            if name.startswith("m.cert."):
                os.remove(os.path.join(scratch, name))
    return wrong


def check_sources():
    wrong = 0
    for name in sorted(os.listdir(os.path.join(ROOT, "proof"))):
        if name.endswith(".v"):
            text = re.sub(r"\(\*.*?\*\)", "", open(os.path.join(ROOT, "proof", name)).read(), flags=re.S)
            for word in re.findall(r"\b(?:Admitted|admit|Axiom|Axioms|Parameter|Conjecture|Abort)\b", text):
                print(f"proof/{name} holds {word}")
                wrong += 1
    return wrong


def check_proofs(build):
    """Compiled anew in a copy; what is extracted there is what stands in the tree."""
    if not shutil.which("coqc"):
        print("skipped: no coq")
        return 0
    copy = os.path.join(build, "proofs")
    os.makedirs(os.path.join(copy, "extracted"), exist_ok=True)
    for name in os.listdir(os.path.join(ROOT, "proof")):
        path, to = os.path.join(ROOT, "proof", name), os.path.join(copy, name)
        if os.path.isfile(path) and (name.endswith(".v") or name == "Makefile") and \
                (not os.path.exists(to) or open(path).read() != open(to).read()):
            shutil.copy(path, to)
    done = subprocess.run(["make", "-j1", "all", "assumptions", "extract"], cwd=copy, capture_output=True, text=True)
    if done.returncode:
        print(f"the proofs do not compile:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return 1
    version = subprocess.run(["coqc", "--version"], capture_output=True, text=True).stdout
    for name in ("checker.ml", "checker.mli"):
        if "8.16" in version and open(os.path.join(copy, "extracted", name)).read() != open(os.path.join(ROOT, "proof", "extracted", name)).read():
            print(f"proof/extracted/{name} is not what the proofs give: make proof")
            return 1
    print("the proofs compile, and give the OCaml that is kept")
    return 0


def check_wrong(build):
    """With a wrong condition a file no longer compiles."""
    wrong = 0
    for name, right, other in WRONG:
        with tempfile.TemporaryDirectory() as copy:
            for file in os.listdir(os.path.join(build, "proofs")):
                if file.endswith(".vo") and file != name + ".vo":
                    os.symlink(os.path.join(build, "proofs", file), os.path.join(copy, file))
            text = open(os.path.join(ROOT, "proof", name + ".v")).read()
            if text.count(right) != 1:
                print(f"proof/{name}.v does not hold once: {right}")
                wrong += 1
                continue
            open(os.path.join(copy, name + ".v"), "w").write(text.replace(right, other))
            done = subprocess.run(["coqc", "-Q", ".", "Fathom", name + ".v"], cwd=copy, capture_output=True, text=True)
            if done.returncode == 0:
                print(f"proof/{name}.v compiles without its condition: {right}")
                wrong += 1
    print(f"{len(WRONG)} wrong conditions, {wrong} of them proved")
    return wrong


def check_programs(build, planted, damaged):
    wrong, made = 0, []
    with tempfile.TemporaryDirectory() as scratch:
        certificates.write_files(scratch)
        text = open(os.path.join(ROOT, "docs", "reference", "certificate-examples.md")).read()
        for name, body in re.findall(r"<!-- the file (\w+\.csv) -->\n```\n(.*?)```", text, re.S):
            open(os.path.join(scratch, name), "w").write(body)
        lines = COVERED + [line for _, line in EXAMPLES]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            certified = list(pool.map(lambda job: make(build, scratch, *job), enumerate(lines)))
        covered = 0
        for line, files in zip(lines, certified):
            if files is None:
                print(f"{line}: no certificate")
                wrong += 1
                continue
            code, why = compare(build, files[1], files[2], planted)
            if why or (code and line in COVERED):
                print(f"{line}: {why or 'exit code ' + str(code)}")
                wrong += 1
            covered += code == 0
            made += [files] * (code == 0)
        print(f"{len(lines)} certificates, {covered} covered, {wrong} judged differently")
        if planted:
            return wrong
        forged = [(d, c) for seed in range(3) for d, c, *_ in [*certificates.forgeries(seed), *certificates.matrix_forgeries(seed), *certificates.class_forgeries(seed)]]
        for number, (data, certificate) in enumerate(forged):
            files = os.path.join(scratch, f"forged{number}.cert"), os.path.join(scratch, f"forged{number}.csv")
            for path, content in zip(files, (certificate, data)):
                open(path, "wb").write(content)
            _, why = compare(build, *files)
            if why:
                wrong += 1
                print(f"forged: {why}\n{certificate.decode()}")
        print(f"{len(forged)} forged certificates")
        return wrong + check_expected(build, made[::4]) + check_packed(build, made) + check_model(build, scratch) + check_damaged(build, scratch, made, damaged)


def main():
    build, planted = os.path.abspath(sys.argv[1]), "--planted" in sys.argv
    damaged = int(sys.argv[sys.argv.index("--damaged") + 1]) if "--damaged" in sys.argv else 600
    wrong = 0 if planted else check_sources() + check_proofs(build)
    if "--long" in sys.argv and not wrong and shutil.which("coqc"):
        wrong += check_wrong(build)
    if not os.path.exists(os.path.join(build, "proof", "fathom-check-verified")):
        print("skipped: no OCaml with zarith")
        return 1 if wrong else 77
    return bool(wrong + check_programs(build, planted, damaged))


if __name__ == "__main__":
    sys.exit(main())
