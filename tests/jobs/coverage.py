#!/usr/bin/env python3
"""coverage.py BUILD [--planted] [--readers]: every branch of fathom-check is taken by its tests.

The sources of checker/ are compiled for gcov, the unit tests of tests/checker and the command lines below run, and what
gcov counts must be 100% of lines and branches, none excluded. --planted leaves out all command lines but one.

--readers: the same count for what turns foreign bytes into tables, numbers and documents (READERS), under the tests of src/io and of
numbers: all of them. A line after a comment "unreachable: REASON" is a guard against what cannot happen, as the reason says; such lines
are counted apart.
"""
import glob
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLAGS = ["-std=c17", "-O0", "-g", "--coverage", "-D_GNU_SOURCE", "-ffp-contract=off", "-DLARGEST=1500000",
         '-DFATHOM_VERSION="coverage"', "-I", os.path.join(ROOT, "checker")]
GOOD = ("fathom-certificate 2\ndata csv {} 0 1 -1\nrows 1 0 2\nclasses none\nsteps none none 2 1\ngates patterns 0\n"
        "claim zero\npairs 1 0 1 1\nend\n")
NPY = "fathom-certificate 2\ndata npy {} {}\n" + GOOD.split("-1\n", 1)[1]


def write_files(folder):
    import hashlib
    digest = lambda data: hashlib.sha256(data).hexdigest()
    npy = lambda values: (b"\x93NUMPY\x01\x00\x3e\x00" + "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }".ljust(61).encode()
                          + b"\n" + bytes(values))
    data = b"1,1\n2,-1\n"
    files = {"good.cert": GOOD.format(digest(data)).encode(), "data.csv": data, "x.npy": npy([1, 2]), "x.labels.npy": npy([1, 255]),
             "odd.cert": GOOD.format(digest(data)).replace("gates patterns", 'gates "\\\x01').encode(),
             "asked.json": b'{"class": "margin", "rows": "all"}', "long.cert": b"a" * 4000000, "empty": b"", "a": data}
    files["good.cert.gz"], files["data.csv.gz"] = gzip.compress(files["good.cert"]), gzip.compress(data)
    files["cut.cert.gz"] = files["good.cert.gz"][:60]
    files["behind.cert.gz"] = files["good.cert.gz"] + b"more"
    files["npy.cert"] = NPY.format(digest(files["x.npy"]), digest(files["x.labels.npy"])).encode()
    sized = lambda text, words: text.replace(b"\nrows", b" bytes " + words + b"\nrows")
    files |= {"sized.cert": sized(files["good.cert"], b"9"), "other.cert": sized(files["good.cert"], b"8"),
              "odd-size.cert": sized(files["good.cert"], b"9 9"), "sized-npy.cert": sized(files["npy.cert"], b"74 74"),
              "other-npy.cert": sized(files["npy.cert"], b"74 75"), "bare.cert": b"fathom-certificate 2\ndata csv\n",
              "wide.cert": b"fathom-certificate 2\n" + b"d" * 1000 + b"\n"}
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)


READERS = ["base/number", *("io/" + name for name in (
    "array", "bytes", "cifar", "csv", "csv_columns", "csv_dialect", "csv_field", "csv_finish", "csv_head", "csv_record", "csv_sheet", "csv_unit", "decoder_bzip2", "decoder_lzma", "decoder_zlib", "decoder_zstd", "dictionary", "encoding", "idx",
    "json", "json_file", "libsvm", "npy", "npz", "table", "text", "utf32"))]

COMMANDS = [  # arguments, exit code, words of the output
    ("good.cert data.csv", 0, "accepted upper=0"),
    ("good.cert.gz data.csv --json", 0, '"accepted": true, "upper": 0, "lower": 0, "gap": 0, "claims": [{'),
    ("good.cert data.csv --explain --expect class=margin", 0, "1. the listed pairs"),
    ("good.cert data.csv --expect asked.json", 0, "accepted"),
    ("good.cert data.csv --expect class=relu", 4, "rejected: class is margin"),
    ("good.cert data.csv --expect missing", 5, "missing cannot be read"),
    ("good.cert data.csv --model asked.json", 5, "no member"),
    ("good.cert data.csv --model missing", 5, "missing cannot be read"),
    ("npy.cert x.npy", 0, "accepted"),
    ("sized.cert data.csv", 0, "accepted"),
    ("sized.cert a.gz", 5, "a.gz cannot be read"),
    ("sized.cert long.cert", 4, "rejected: long.cert is longer than the data of this certificate"),
    ("other.cert data.csv", 4, "line 2: the certificate is about data of 8 bytes, not of 9"),
    ("odd-size.cert data.csv", 4, "line 2: the line should have ended"),
    ("bare.cert data.csv", 4, "line 2: more words"),
    ("wide.cert data.csv", 4, "line 2: 'data' was expected"),
    ("sized-npy.cert x.npy", 0, "accepted"),
    ("sized-npy.cert data.csv", 4, "not of 9"),
    ("sized-npy.cert x.npy --labels missing.npy", 4, "--labels FILE"),
    ("other-npy.cert x.npy", 4, "data of 149 bytes, not of 148"),
    ("npy.cert x.npy --json", 0, '"labels_sha256": "'),
    ("npy.cert x.npy --labels x.labels.npy", 0, "accepted"),
    ("npy.cert x.npy --labels missing.npy", 4, "--labels FILE"),
    ("good.cert a", 0, "accepted"),
    ("odd.cert data.csv", 4, "rejected: line 6"),
    ("odd.cert data.csv --json", 4, '"reason": "line 6: \'\'\'?\' is'),
    ("good.cert data.csv.gz", 5, "not checked: data.csv.gz cannot be read"),
    ("missing data.csv --json", 5, '"reason": "missing cannot be read'),
    ("cut.cert.gz data.csv", 5, "cannot be read"),
    ("behind.cert.gz data.csv", 5, "cannot be read"),
    (". data.csv", 5, "cannot be read"),
    ("long.cert data.csv", 5, "too large"),
    ("empty data.csv", 4, "rejected"),
    ("good.cert", 2, "usage"),
    ("good.cert data.csv more", 2, "usage"),
    ("good.cert --labels", 2, "usage"),
    ("good.cert data.csv --other", 2, "usage"),
    ("--help", 0, "usage: fathom-check"),
    ("--version", 0, "fathom-check coverage"),
]


def libraries(build):
    """Headers and libraries as the build found them: what its own commands for the checker and its tests name."""
    commands = subprocess.run(["ninja", "-C", build, "-t", "commands", "fathom-check", "tests/checker/test_checker_words"],
                              check=True, capture_output=True, text=True).stdout
    words = [*dict.fromkeys(word for line in commands.splitlines() for word in shlex.split(line))]
    return ([w for w in words if w.startswith(("-I/", "-isystem", "-L")) and ROOT not in w],
            [w for w in words if w.startswith("-l") or w.endswith((".so", ".dylib"))])


def compile_all(folder, build):
    """Objects of the sources once, linked to every test."""
    flags, linked = libraries(build)
    flags = FLAGS + flags
    run = lambda *words: subprocess.run(words, cwd=folder, check=True)
    sources = sorted(glob.glob(os.path.join(ROOT, "checker", "*.c")))
    run("gcc", *flags, "-c", *sources)
    objects = [os.path.basename(s)[:-2] + ".o" for s in sources]
    run("gcc", *flags, "-o", "fathom-check", *objects, *linked)
    objects.remove("main.o")
    tests = sorted(glob.glob(os.path.join(ROOT, "tests", "checker", "test_*.c")))
    for test in tests:  # the tests themselves are not measured
        name = os.path.basename(test)[:-2]
        run("gcc", *[f for f in flags if f != "--coverage"], "-c", test, "-o", name + ".o")
        run("gcc", "--coverage", "-o", name, name + ".o", *objects, *linked)
    return [os.path.basename(t)[:-2] for t in tests]


def run_commands(folder, commands):
    failed = 0
    for line, code, words in commands:
        done = subprocess.run([os.path.join(folder, "fathom-check"), *line.split()], cwd=folder, capture_output=True, text=True)
        if done.returncode != code or words not in done.stdout + done.stderr:
            failed += 1
            print(f"fathom-check {line}: exit code {done.returncode} instead of {code}: {done.stdout}{done.stderr}")
    with open("/dev/full", "w") as full:
        done = subprocess.run([os.path.join(folder, "fathom-check"), "good.cert", "data.csv"], cwd=folder, stdout=full)
    if done.returncode != 1:
        failed += 1
        print(f"fathom-check > /dev/full: exit code {done.returncode} instead of 1")
    return failed


GUARD = re.compile(r"/\* unreachable: \S.* \*/$")


def guards(name):
    """Numbers of the lines of a source that only guard: the one after the comment, and what an `if` there guards."""
    with open(os.path.join(ROOT, name)) as file:
        lines = file.read().split("\n")
    found = set()
    for k in (k + 1 for k, line in enumerate(lines) if GUARD.search(line)):
        indent = len(lines[k]) - len(lines[k].lstrip())
        found.add(k + 1)
        inside = k + 1
        while lines[k].lstrip().startswith("if (") and len(lines[inside]) - len(lines[inside].lstrip()) > indent:
            inside += 1
            found.add(inside)
    return found


def missing(folder, measured=("checker",), guarded=None):
    """Lines and branches that were never taken, and how many there are, in sources whose names begin so. Lines that guard go into the list `guarded` where there is one."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", "--branch-probabilities", *glob.glob(os.path.join(folder, "*.gcda"))],
                          cwd=folder, capture_output=True, text=True, check=True)
    lines = branches = 0
    never = [f"{os.path.basename(s)} was never run" for s in glob.glob(os.path.join(folder, "*.gcno"))
             if not os.path.exists(s[:-2] + "da")]
    for document in done.stdout.strip().splitlines():
        for file in json.loads(document)["files"]:
            name = os.path.relpath(file["file"], ROOT)
            if not name.startswith(tuple(measured)):
                continue
            for line in file["lines"]:
                lines, branches = lines + 1, branches + len(line["branches"])
                taken = [b["count"] > 0 for b in line["branches"]]
                if guarded is not None and line["line_number"] in guards(name):
                    guarded.append(f"{name}:{line['line_number']}")
                    continue
                if line["count"] == 0 or not all(taken):
                    never.append(f"{name}:{line['line_number']}: {taken.count(False)} of {len(taken)} branches never taken")
    return lines, branches, never


def readers(build):
    """READERS measured, the rest of the layers as built: tests linked to both."""
    build = os.path.abspath(build)
    flags, linked = libraries(build)
    flags = ["-std=c17", "-O0", "-g", "-D_GNU_SOURCE", "-I", os.path.join(ROOT, "include"), "-I", os.path.join(build, "src", "base"),
             *(word for name in ("src/system", "src/base", "src/io", "tests/support", "tests/io") for word in ("-I", os.path.join(ROOT, name))),
             f'-DFATHOM_SOURCE_ROOT="{ROOT}"', *flags]
    names = ["tests/base/test_number.c", *sorted(os.path.relpath(path, ROOT) for path in glob.glob(os.path.join(ROOT, "tests", "io", "test_*.c")))]
    failed = open_branches = 0
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *words: subprocess.run(words, cwd=folder, check=True)
        run("gcc", *flags, "--coverage", "-c", *(os.path.join(ROOT, "src", name + ".c") for name in READERS))
        objects = [os.path.basename(name) + ".o" for name in READERS]
        archives = ["-Wl,--start-group", *(os.path.join(build, f"libfathom-{name}.a") for name in ("io", "base", "system")), "-Wl,--end-group"]
        for test in names:
            name = os.path.basename(test)[:-2]
            run("gcc", *flags, "-c", os.path.join(ROOT, test))
            run("gcc", "--coverage", "-fopenmp", "-o", name, name + ".o", *objects, *archives, *linked, "-lz", "-llzma", "-lbz2", "-lzstd", "-ljansson", "-lm")
            done = subprocess.run([os.path.join(folder, name)], capture_output=True, text=True, env={**os.environ, "TMPDIR": folder})
            if done.returncode:
                failed += 1
                print(name, done.stdout[-2000:], done.stderr[-2000:])
        guarded = []
        lines, branches, never = missing(folder, [f"src/{name}.c" for name in READERS], guarded)
    print("\n".join(never))
    open_branches = sum(int(line.split(": ")[1].split()[0]) for line in never if ": " in line)
    print(f"readers: {lines} lines and {branches} branches, {open_branches} branches never taken, {len(guarded)} lines that guard, {failed} failures")
    return failed > 0 or len(never) > 0


def main():
    if "--readers" in sys.argv:
        return readers(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        tests = compile_all(folder, sys.argv[1])
        write_files(folder)
        failed = run_commands(folder, COMMANDS[:1] if "--planted" in sys.argv else COMMANDS)
        for test in tests:
            done = subprocess.run([os.path.join(folder, test)], capture_output=True, text=True)
            if done.returncode:
                failed += 1
                print(test, done.stdout[-2000:], done.stderr[-2000:])
        lines, branches, never = missing(folder)
    print("\n".join(never))
    print(f"fathom-check: {lines} lines and {branches} branches, {len(never)} lines not covered whole, {failed} failures")
    return failed > 0 or len(never) > 0


if __name__ == "__main__":
    sys.exit(main())
