#!/usr/bin/env python3
"""layering.py BUILD [--planted]: the dependency rule of src/README.md, proved with the build's own include paths.

Every header of every layer is looked for from every layer, with the compiler flags of that layer: it is found from the layers
that use its layer, themselves or by headers they include, and from no others, and compiles alone in its own layer. No two layers use each
other. Besides: header names are unique, no include climbs
with "../", headers of one system (POSIX, Windows) are included by files named platform* alone, types of the C library come from a
header that is included for them (not from one that another library happens to include), public headers compile alone as C17 and as
C++17; public headers, examples and tests/api include nothing of include/inner; the table of layers in src/README.md is that of meson.build. --planted hands every layer the include path of the topmost one.
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
# Headers below the C library; signal.h is the C library's, and its sig_atomic_t is all that others may use.
SYSTEM = (r"^\s*#\s*include\s*<(sys/|unistd|fcntl|pthread|spawn|poll|dlfcn|dirent|termios|libgen|sched|windows|io\.h|process|direct"
          r"|mach)")

# Folders of include/, which every layer finds.
SHARED = ("fathom", "inner")

# Types of the C library, and the headers that have them.
TYPES = {r"u?int(8|16|32|64)_t": {"stdint.h", "inttypes.h"}, r"bool": {"stdbool.h"}, r"FILE": {"stdio.h"},
         r"size_t": {"stddef.h", "stdlib.h", "string.h", "stdio.h", "time.h"}}


def headers():
    """header path by layer; public ones under 'fathom', what layers and front ends share besides under 'inner'."""
    found = collections.defaultdict(list)
    for top in ("src", "include", "checker"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            found[os.path.basename(folder)] += sorted(os.path.join(folder, f) for f in files if f.endswith(".h"))
    return found


def spelling(path):
    """A header as include lines name it."""
    folder, name = os.path.split(path)
    return f"{os.path.basename(folder)}/{name}" if os.path.basename(folder) in SHARED else name


def flags_by_layer(build):
    """The compiler and its flags for one source of each layer, without the source."""
    flags = {}
    for entry in json.load(open(os.path.join(build, "compile_commands.json"))):
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT).split(os.sep)
        layer = {("src", 3): source[-2], ("checker", 2): "checker"}.get((source[0], len(source)))
        if layer:
            words = shlex.split(entry["command"])
            flags[layer] = words[: words.index("-MD")]
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


def used_layers(found):
    """layer: the layers whose headers its sources include, and the headers that those include in turn."""
    owner = {os.path.basename(path): layer for layer, paths in found.items() if layer not in SHARED for path in paths}
    includes = {}
    folders = [os.path.join(ROOT, "checker"), *(entry.path for entry in os.scandir(os.path.join(ROOT, "src")) if entry.is_dir())]
    for folder in sorted(folders):
        layer = os.path.basename(folder)
        for entry in os.scandir(folder):
            if entry.name.endswith((".c", ".h")):
                names = re.findall(r'^\s*#\s*include\s*"([^"]+)"', open(entry.path).read(), re.M)
                includes[layer, entry.name] = [name for name in names if name in owner]
    used = collections.defaultdict(set)
    for (layer, _), names in includes.items():
        todo, seen = list(names), set()
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += includes[owner[name], name]
        used[layer] |= {owner[name] for name in seen} - {layer}
    return used


def check_pair(pair):
    """An error text, or None."""
    layer, words, owner, header, seen, used = pair
    name = os.path.basename(header)
    if layer != owner and owner not in used:
        forbidden = name in seen and compile_header(words, owner, header)[1]
        return f"{layer} uses nothing of {owner}, but finds its {name}" if forbidden else None
    if name not in seen:
        return f"{layer} uses {owner}, but does not find its {name}"
    if layer != owner:
        return None
    compiles, own, messages = compile_header(words, owner, header)
    return None if compiles and own else f"{name} of {owner} does not compile alone:\n{messages}"


def check_public(header):
    """A public header stands alone, in both languages, under strict flags."""
    text = f'#include "{spelling(header)}"\nint main(void) {{ return 0; }}\n'
    strict = ["-I", os.path.join(ROOT, "include"), "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x"]
    for command in (["gcc", "-std=c17", *strict, "c", "-"], ["g++", "-std=c++17", *strict, "c++", "-"]):
        run = subprocess.run(command, input=text, text=True, capture_output=True)
        if run.returncode:
            return f"{header} does not compile alone with {command[0]}:\n{run.stderr}"
    return None


def check_texts():
    for top in ("src", "include", "checker", "tests", "examples"):
        for folder, _, files in os.walk(os.path.join(ROOT, top)):
            for path in (os.path.join(folder, f) for f in files if f.endswith((".c", ".h"))):
                if re.search(r'^\s*#\s*include\s*["<]\.\./', open(path).read(), re.M):
                    yield f'{path}: an include line climbs with "../"'
                name = os.path.basename(path)
                outside = os.path.relpath(folder, ROOT) in ("include/fathom", "tests/api", "examples")
                if outside and re.search(r'#\s*include\s*["<]inner/', open(path).read()):
                    yield f"{path}: includes what is not installed"
                if top in ("src", "checker") and not name.startswith("platform") and re.search(SYSTEM, open(path).read(), re.M):
                    yield f"{path}: includes a header of one system: that belongs into src/base/platform*"


def check_types(found):
    """Every header has the headers of the types that it names, itself or by headers of this tree."""
    texts = {spelling(path): open(path).read() for paths in found.values() for path in paths}

    def included(name, seen):
        seen.add(name)
        for other in re.findall(r'^\s*#\s*include\s*["<]([^">]+)', texts.get(name, ""), re.M):
            if other not in seen:
                included(other, seen)
        return seen

    for name, text in texts.items():
        words, seen = re.sub(r'/\*.*?\*/|"[^"\n]*"', "", text, flags=re.S), included(name, set())
        yield from (f"{name} names {match[0]} and includes none of {', '.join(sorted(have))}" for kind, have in TYPES.items()
                    if (match := re.search(rf"\b{kind}\b", words)) and not have & seen)


def check_table(meson, readme):
    """The list of layers that readers see is the list that the build obeys."""
    rows = re.search(r"^layers = \{\n(.*?)^\}", meson, re.M | re.S)[1]
    obeyed = [(name, re.findall(r"'(\w+)'", seen)) for name, seen in re.findall(r"^  '(\w+)': \[(.*)\],$", rows, re.M)]
    said = [line.split() for line in re.search(r"^```\n(.*?)^```", readme, re.M | re.S)[1].splitlines()]
    said = [(name, [layer for layer in seen if layer != "-"]) for name, *seen in said]
    yield from (f"meson.build: {name} sees {' '.join(seen) or '-'}; src/README.md does not say so" for name, seen in obeyed if (name, seen) not in said)
    yield from (f"src/README.md: {name} is no row of meson.build's layers" for name, seen in said if (name, seen) not in obeyed)


def check_all():
    found, flags = headers(), flags_by_layer(BUILD)
    names = collections.Counter(spelling(path) for paths in found.values() for path in paths)
    yield from (f"{name}: {count} headers of one name" for name, count in names.items() if count > 1)
    used = used_layers(found)
    yield from (f"{layer} and {other} use each other" for layer in used for other in used[layer] if layer < other and layer in used[other])
    yield from check_texts()
    yield from check_table(*(open(os.path.join(ROOT, name)).read() for name in ("meson.build", "src/README.md")))
    yield from check_types(found)
    if "--planted" in sys.argv:
        flags = {layer: [*words, "-I", os.path.join(ROOT, "src", "job")] for layer, words in flags.items()}
    sight = {layer: visible(words, names) for layer, words in flags.items()}
    pairs = [(layer, words, owner, header, sight[layer], used[layer]) for layer, words in flags.items()
             for owner in found if owner not in SHARED for header in found[owner]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yield from filter(None, pool.map(check_pair, pairs))
        yield from filter(None, pool.map(check_public, [path for name in SHARED for path in found[name]]))
    print(f"{len(pairs)} includes tried from {len(flags)} layers, {len(found['fathom'])} public headers")


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv[1])
    errors = list(check_all())
    print(*errors, sep="\n")
    sys.exit(bool(errors))
