#!/usr/bin/env python3
"""layering.py BUILD [--planted]: the dependency rule of src/README.md, proved with the build's own include paths.

Every header of every layer is included from every layer, with the compiler flags of that layer: it must compile where
RULE allows it and must not be found otherwise. Besides: header names are unique, no include climbs with "../", public
headers compile alone as C17 and as C++17. --planted hands every layer the include path of the topmost one.
"""
import collections
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# layer: the layers whose headers it may include, beside its own and the public ones.
GROUND = ["base"]
DATA = GROUND + ["io", "linalg", "dataset"]
NETS = DATA + ["arrangement", "model"]
PROOFS = NETS + ["solver", "dynamics", "certificate"]
RULE = {
    "base": [], "io": GROUND, "linalg": GROUND, "dataset": GROUND + ["io", "linalg"], "arrangement": DATA,
    "model": DATA + ["arrangement"], "solver": NETS, "dynamics": NETS, "certificate": NETS,
    "theorem": PROOFS, "report": PROOFS + ["theorem"], "cli": [], "check": [],
}


def headers():
    """header path by layer; public ones under 'fathom'."""
    found = collections.defaultdict(list)
    for top in ("src", "include"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            found[os.path.basename(folder)] += sorted(os.path.join(folder, f) for f in files if f.endswith(".h"))
    return found


def flags_by_layer(build):
    """The compiler and its flags for one source of each layer, without the source."""
    flags = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT).split(os.sep)
        if source[0] == "src" and len(source) == 3:
            words = shlex.split(entry["command"])
            flags[source[1]] = words[: words.index("-MD")]
    return flags


def check_pair(pair):
    """An error text, or None. The compiler lists what it read: a system header may have the same name."""
    layer, words, owner, header = pair
    name = os.path.basename(header)
    run = subprocess.run([*words, "-w", "-fsyntax-only", "-H", "-x", "c", "-"], input=f'#include "{name}"\n', cwd=BUILD,
                         text=True, capture_output=True)
    seen = f"{owner}/{name}" in run.stderr
    if layer == owner or owner in RULE[layer]:
        return f"{layer} may include {name} of {owner}:\n{run.stderr}" if run.returncode or not seen else None
    return f"{layer} must not see {name} of {owner}, but the include compiles" if seen else None


def check_public(header):
    """A public header stands alone, in both languages, under strict flags."""
    text = f'#include "fathom/{os.path.basename(header)}"\nint main(void) {{ return 0; }}\n'
    strict = ["-I", os.path.join(ROOT, "include"), "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x"]
    for command in (["gcc", "-std=c17", *strict, "c", "-"], ["g++", "-std=c++17", *strict, "c++", "-"]):
        run = subprocess.run(command, input=text, text=True, capture_output=True)
        if run.returncode:
            return f"{header} does not compile alone with {command[0]}:\n{run.stderr}"
    return None


def check_texts():
    for top in ("src", "include", "tests"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for path in (os.path.join(folder, f) for f in files if f.endswith((".c", ".h"))):
                if re.search(r'^\s*#\s*include\s*["<]\.\./', open(path).read(), re.M):
                    yield f'{path}: an include line climbs with "../"'


def check_all():
    found, flags = headers(), flags_by_layer(BUILD)
    names = collections.Counter(os.path.basename(path) for paths in found.values() for path in paths)
    yield from (f"{name}: {count} headers of one name" for name, count in names.items() if count > 1)
    yield from (f"src/{layer} is not in the rule" for layer in flags if layer not in RULE)
    yield from check_texts()
    if "--planted" in sys.argv:
        top = ["-I", os.path.join(ROOT, "src", [layer for layer in RULE if found[layer]][-1])]
        flags = {layer: words + top for layer, words in flags.items()}
    pairs = [(layer, words, owner, header) for layer, words in flags.items() if layer in RULE
             for owner in RULE for header in found[owner]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from filter(None, pool.map(check_pair, pairs))
        yield from filter(None, pool.map(check_public, found["fathom"]))
    print(f"{len(pairs)} includes tried from {len(flags)} layers, {len(found['fathom'])} public headers")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    errors = list(check_all())
    print(*errors, sep="\n")
    sys.exit(bool(errors))
