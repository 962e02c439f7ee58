#!/usr/bin/env python3
"""symbols.py BUILD [--planted|--write]: libfathom.so.2 exports exactly what the public headers declare FATHOM_API and, for the program
and the package for Python, what others declare FATHOM_PROGRAM; and of the former all that debian/libfathom2.symbols says was released under this soname: where one is gone, the soname must change.

--write adds what is new to that file, as of the version at hand. --planted looks at one header fewer.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def declared_in(path, word="FATHOM_API"):
    """Names declared FATHOM_API: the last word before a parenthesis, a bracket or the end."""
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    text = re.sub(r"^[ \t]*#.*(?:\\\n.*)*", "", text, flags=re.M)
    for declaration in re.findall(word + r"\s+([^;{]*)", text):
        yield re.search(r"(\w+)\s*(?:[(\[]|$)", declaration.strip()).group(1)


TAKEN = {"libfathom.so.1"}  # Debian's libfathom1, which reads tables of chess
RELEASED = os.path.join(ROOT, "debian", "libfathom2.symbols")


def released():
    """{name: first version} of the symbols file, and the soname that it is about."""
    lines = open(RELEASED).read().splitlines() if os.path.exists(RELEASED) else []
    soname = lines[0].split()[0] if lines else "libfathom.so.2"
    return {line.split("@")[0].strip(): line.split()[1] for line in lines[1:] if "(optional" not in line}, soname


def write(names, soname):
    """The symbols file in dpkg-gensymbols' form; the locks of gcc are not part of the interface."""
    version = re.search(r"^  version: '([^']+)'", open(os.path.join(ROOT, "meson.build")).read(), re.M).group(1)
    known, _ = released()
    with open(RELEASED, "w") as file:
        file.write(f"{soname} libfathom2 #MINVER#\n (optional|regex)\"^\\.gomp_critical_user_\" 0.2.0\n")
        file.writelines(f" (optional){name}@Base {version}\n" for name in sorted(private))
        file.writelines(f" {name}@Base {known.get(name, version)}\n" for name in sorted(names))


library = os.path.join(sys.argv[1], "libfathom.so")
sections = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
soname = re.search(r"SONAME.*\[(.*)\]", sections).group(1)
listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
names = {line.split()[-1] for line in listing.splitlines()}
exported = {name for name in names if not name.startswith(".gomp_critical_user_fathom_")}  # locks that gcc makes
headers = sorted(glob.glob(os.path.join(ROOT, "include", "fathom", "*.h")))
declared = {name for path in headers["--planted" in sys.argv:] for name in declared_in(path)}
inside = glob.glob(os.path.join(ROOT, "src", "*", "*.h")) + glob.glob(os.path.join(ROOT, "include", "inner", "*.h"))
private = {name for path in inside for name in declared_in(path, "FATHOM_PROGRAM")}
for name in sorted(private - exported):
    print(f"{name} is declared for the program but not exported")
missing = private - exported
exported -= private
print(f"{len(exported)} symbols exported, {len(declared)} declared; {len(private)} more for the program")
for name in sorted(exported - declared):
    print(f"{name} is exported but not declared")
for name in sorted(declared - exported):
    print(f"{name} is declared but not exported")
if "--write" in sys.argv:
    write(exported, soname)
known, stated = released()
gone = [name for name in known if name.startswith("fathom_") and name not in exported]
for name in gone:
    print(f"{name} was released as part of {stated} and is gone")
if soname != stated:
    print(f"the library is {soname}, the symbols file says {stated}")
if soname in TAKEN:
    print(f"{soname} is the name of another library")
print(f"{len(exported - set(known))} symbols are new since the file was written")
sys.exit(exported != declared or bool(missing) or bool(gone) or soname != stated or soname in TAKEN)
