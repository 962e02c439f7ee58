#!/usr/bin/env python3
"""layering.py BUILD [--planted]: the dependency rule of src/README.md, proved with the build's own include paths.

Every header of every layer is looked for from every layer, with the compiler flags of that layer: it must be found where
RULE allows it and nowhere else, and compile alone in its own layer. Besides: header names are unique, no include climbs
with "../", headers of one system (POSIX, Windows) are included by files named platform* alone, types of the C library come from a
header that is included for them (not from one that another library happens to include), public headers compile alone as C17 and as
C++17. --planted hands every layer the include path of the topmost one.
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
GROUND = ["system", "base"]
DATA = GROUND + ["io", "linalg", "dataset"]
NETS = DATA + ["arrangement", "objective", "model"]
BOUNDS = ["optimise", "gated", "price"]
PROOFS = NETS + BOUNDS + ["line", "geometry", "margin", "global", "local", "train", "cvode", "dynamics", "certificate"]
RULE = {
    "system": [], "base": ["system"], "io": GROUND, "linalg": GROUND, "dataset": GROUND + ["io", "linalg"], "arrangement": DATA,
    "objective": GROUND + ["linalg"], "model": DATA + ["arrangement", "objective"], "optimise": NETS, "local": GROUND + ["linalg"], "gated": NETS + BOUNDS[:1],
    "price": NETS + BOUNDS[:2], "line": NETS + BOUNDS[:2], "geometry": NETS + BOUNDS,
    "margin": NETS + BOUNDS + ["global"], "global": NETS + BOUNDS,
    "train": NETS + BOUNDS + ["line", "geometry", "global", "certificate", "local"], "cvode": [],
    "dynamics": NETS + ["cvode"], "certificate": NETS,
    "fit": NETS + BOUNDS + ["line", "geometry", "margin", "global", "train", "local", "certificate"],
    "theorem": PROOFS, "report": GROUND + ["io"], "job": DATA, "cli": ["system", "report"], "check": [],
}

# Headers below the C library; signal.h is the C library's, and its sig_atomic_t is all that others may use.
SYSTEM = (r"^\s*#\s*include\s*<(sys/|unistd|fcntl|pthread|spawn|poll|dlfcn|dirent|termios|libgen|sched|windows|io\.h|process|direct"
          r"|mach)")

# Types of the C library, and the headers that have them.
TYPES = {r"u?int(8|16|32|64)_t": {"stdint.h", "inttypes.h"}, r"bool": {"stdbool.h"}, r"FILE": {"stdio.h"},
         r"size_t": {"stddef.h", "stdlib.h", "string.h", "stdio.h", "time.h"}}


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


def visible(words, names):
    """Those of the header names that the include paths of a layer find; one run of the preprocessor."""
    text = "".join(f'#if __has_include("{name}")\nfound {name}\n#endif\n' for name in names)
    run = subprocess.run([*words, "-E", "-P", "-x", "c", "-"], input=text, cwd=BUILD, text=True, capture_output=True, check=True)
    return set(re.findall(r"^found (\S+)$", run.stdout, re.M))


def compile_header(words, owner, header):
    """(compiles, is the owner's, messages). The compiler lists what it read: a system header may have the same name."""
    name = os.path.basename(header)
    run = subprocess.run([*words, "-w", "-fsyntax-only", "-H", "-x", "c", "-"], input=f'#include "{name}"\n', cwd=BUILD,
                         text=True, capture_output=True)
    return run.returncode == 0, f"{owner}/{name}" in run.stderr, run.stderr


def check_pair(pair):
    """An error text, or None. A header compiles alone in its own layer, hence, as sight is transitive, in those above."""
    layer, words, owner, header, seen = pair
    name = os.path.basename(header)
    if layer != owner and owner not in RULE[layer]:
        forbidden = name in seen and compile_header(words, owner, header)[1]
        return f"{layer} must not see {name} of {owner}, but the include is found" if forbidden else None
    if name not in seen:
        return f"{layer} may include {name} of {owner}, but does not find it"
    if layer != owner:
        return None
    compiles, own, messages = compile_header(words, owner, header)
    return None if compiles and own else f"{layer} may include {name} of {owner}:\n{messages}"


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
                name = os.path.basename(path)
                if top == "src" and not name.startswith("platform") and re.search(SYSTEM, open(path).read(), re.M):
                    yield f"{path}: includes a header of one system: that belongs into src/base/platform*"


def check_types(found):
    """Every header has the headers of the types that it names, itself or by headers of this tree."""
    texts = {os.path.basename(path): open(path).read() for paths in found.values() for path in paths}

    def included(name, seen):
        seen.add(name)
        for other in re.findall(r'^\s*#\s*include\s*["<](?:fathom/)?([^">]+)', texts.get(name, ""), re.M):
            if other not in seen:
                included(other, seen)
        return seen

    for name, text in texts.items():
        words, seen = re.sub(r'/\*.*?\*/|"[^"\n]*"', "", text, flags=re.S), included(name, set())
        yield from (f"{name} names {match[0]} and includes none of {', '.join(sorted(have))}" for kind, have in TYPES.items()
                    if (match := re.search(rf"\b{kind}\b", words)) and not have & seen)


def check_all():
    found, flags = headers(), flags_by_layer(BUILD)
    names = collections.Counter(os.path.basename(path) for paths in found.values() for path in paths)
    yield from (f"{name}: {count} headers of one name" for name, count in names.items() if count > 1)
    yield from (f"src/{layer} is not in the rule" for layer in flags if layer not in RULE)
    # report.h and reproduce.h name public headers alone; the others of that layer do not compile in cli.
    yield from (f"{layer} sees {owner}, but not all that {owner} sees" for layer, seen in RULE.items()
                for owner in seen if not set(RULE[owner]) <= set(seen) and (layer, owner) != ("cli", "report"))
    yield from check_texts()
    yield from check_types(found)
    if "--planted" in sys.argv:
        top = ["-I", os.path.join(ROOT, "src", [layer for layer in RULE if found[layer]][-1])]
        flags = {layer: words + top for layer, words in flags.items()}
    sight = {layer: visible(words, names) for layer, words in flags.items()}
    pairs = [(layer, words, owner, header, sight[layer]) for layer, words in flags.items() if layer in RULE
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
