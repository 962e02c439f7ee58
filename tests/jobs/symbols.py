#!/usr/bin/env python3
"""symbols.py BUILD [--planted]: libfathom.so exports exactly what the public headers declare FATHOM_API.

--planted looks at one header fewer.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def declared_in(path):
    """Names declared FATHOM_API: the last word before a parenthesis, a bracket or the end."""
    text = re.sub(r"/\*.*?\*/", "", open(path).read(), flags=re.S)
    text = re.sub(r"^[ \t]*#.*(?:\\\n.*)*", "", text, flags=re.M)
    for declaration in re.findall(r"FATHOM_API\s+([^;{]*)", text):
        yield re.search(r"(\w+)\s*(?:[(\[]|$)", declaration.strip()).group(1)


library = os.path.join(sys.argv[1], "libfathom.so")
listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
names = {line.split()[-1] for line in listing.splitlines()}
exported = {name for name in names if not name.startswith(".gomp_critical_user_fathom_")}  # locks that gcc makes
headers = sorted(glob.glob(os.path.join(ROOT, "include", "fathom", "*.h")))
declared = {name for path in headers["--planted" in sys.argv:] for name in declared_in(path)}
print(f"{len(exported)} symbols exported, {len(declared)} declared")
for name in sorted(exported - declared):
    print(f"{name} is exported but not declared")
for name in sorted(declared - exported):
    print(f"{name} is declared but not exported")
sys.exit(exported != declared)
