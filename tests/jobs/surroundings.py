#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""surroundings.py BUILD [--planted]: the same bytes whatever the locale, threads, rights, folders and limits around.

A few command lines (numbers read and written as CSV and JSON, a network trained, a certificate verified by the second
program) run in a plain folder, then in other surroundings; so does the library inside a process that has set its
locale. --planted expects one byte more.
"""
import os
import resource
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
LINES = [
    "gen gen:gauss,n=30,d=3,target=teacher -o data.csv",
    "train data.csv --gap 1e-3 --seed {seed} -o model.json --quiet",
    "predict model.json data.csv -o out.csv --quiet",
    "train data.csv --gap 1e-3 --verify --certificate c.cert --quiet",
    "margin gen:circle,n=8 --json",
]
FILES = ("data.csv", "model.json", "out.csv", "c.cert")
NOBODY = 65534
INSIDE = """
import locale, sys
if sys.argv[1] != "C":
    locale.setlocale(locale.LC_ALL, sys.argv[1])
    assert locale.localeconv()["decimal_point"] == ",", "the locale is not the one asked for"
import fathom
fit = fathom.train("data.csv", gap=1e-3, seed={seed})
fit.model.save("inside.json")
print(repr(fit.objective), repr(fit.lower_bound))
try:
    fathom.train("data.csv", gap="1,5")
except (ValueError, TypeError):
    print("refused")
"""


def without_time(data):
    """Output without the lines that tell seconds, and a model without where it came from."""
    return b"\n".join(line for line in data.split(b"\n") if b"second" not in line and b"time" not in line)


def run(folder, seed=1, environment=None, **options):
    """All that the command lines print and write in a folder."""
    environment = {**os.environ, **(environment or {})}
    seen = []
    for line in LINES:
        words = [os.path.join(BUILD, "fathom"), *line.format(seed=seed).split()]
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, stdin=subprocess.DEVNULL, **options)
        if done.returncode:
            return [f"{line}: exit code {done.returncode}: {done.stderr.decode(errors='replace')}".encode()]
        seen.append(without_time(done.stdout))
    return seen + [without_time(open(os.path.join(folder, name), "rb").read()) for name in FILES]


def inside(folder, name, environment, seed=1):
    """What the library gives in a Python process with a locale."""
    environment = {**os.environ, **environment, "PYTHONPATH": os.path.join(BUILD, "python")}
    done = subprocess.run([sys.executable, "-c", INSIDE.replace("{seed}", str(seed)), name], cwd=folder, env=environment,
                          capture_output=True)
    if done.returncode:
        return [done.stderr]
    return [done.stdout, without_time(open(os.path.join(folder, "inside.json"), "rb").read())]


def different(expected, seen):
    """What was seen otherwise than expected; of a run that failed, its words."""
    return seen if len(expected) != len(seen) else [b for a, b in zip(expected, seen) if a != b]


def make_locales(folder):
    """German and Turkish locales, made from their sources: no system has all of them."""
    made = {}
    for name in ("de_DE", "tr_TR"):
        path = os.path.join(folder, name + ".UTF-8")
        if subprocess.run(["localedef", "-i", name, "-f", "UTF-8", path], capture_output=True).returncode in (0, 1) \
                and os.path.isdir(path):
            made[name + ".UTF-8"] = {"LOCPATH": folder, "LC_ALL": name + ".UTF-8"}
    return made


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))


def others_may_run(program):
    """Whether the way to a program is open to others than its owner: root's own folder is not."""
    try:
        return subprocess.run([program, "--version"], user=NOBODY, capture_output=True, cwd="/", check=False).returncode == 0
    except PermissionError:
        return False


def cases(scratch):
    """name: folder and options of run."""
    plain = lambda **options: (os.path.join(scratch, "folder"), options)
    spaces = os.path.join(scratch, "a folder, it's \u00fcber")
    found = {
        "one thread": plain(environment={"OMP_NUM_THREADS": "1"}),
        "64 threads": plain(environment={"OMP_NUM_THREADS": "64"}),
        "2 GB of memory": plain(preexec_fn=limit_memory),
        "umask 077": plain(umask=0o077),
        "spaces": (spaces, {}),
        "nothing set": plain(environment={"HOME": "", "TERM": "", "TMPDIR": ""}),
        "no home": plain(environment={"HOME": "/nonexistent"}),
    }
    if os.getuid() == 0 and others_may_run(os.path.join(BUILD, "fathom")):
        found["nobody"] = (os.path.join(scratch, "theirs"), {"user": NOBODY, "environment": {"TMPDIR": "/tmp"}})
    for name, environment in make_locales(os.path.join(scratch, "locales")).items():
        found[name] = plain(environment=environment)
    return found


def main():
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o755)
        os.mkdir(os.path.join(scratch, "locales"))
        failed, home = [], os.path.join(scratch, "folder")
        os.mkdir(home)
        expected = run(home)
        if "--planted" in sys.argv:
            expected[0] += b"0"
        expected_inside = inside(home, "C", {})
        if len(expected) != len(LINES) + len(FILES) or b"refused" not in expected_inside[0]:
            sys.exit(f"the plain run failed: {expected[-1][:500]} {expected_inside[0][-2000:].decode()}")
        for name, (folder, options) in cases(scratch).items():
            os.makedirs(folder, exist_ok=True)
            if "user" in options:
                os.chown(folder, options["user"], -1)
            seen = run(folder, **options)
            differs = different(expected, seen)
            if "LOCPATH" in options.get("environment", {}):
                seen = inside(folder, name, options["environment"])
                differs += different(expected_inside, seen)
            print(f"{name}: {'the same' if not differs else 'DIFFERENT BYTES'}", flush=True)
            if differs:
                failed.append(name)
                print(differs[0][:2000].decode(errors="replace"))
        print(f"{len(failed)} surroundings with other results")
        return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
