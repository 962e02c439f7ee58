#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the template of report pages: page.py OUT.html PAGE.html LICENCE SCRIPT...

The scripts are joined, compressed and written in digits of base 85, a third of their size; the page's own first script unpacks
them. A content security policy names both by their hashes: nothing else runs on a page, whatever its results say.
"""
import base64
import gzip
import hashlib
import re
import sys

def digits(data):
    """In base 85, without the digit that could end a script element; page.html has the digits in order."""
    return base64.b85encode(data).replace(b"<", b",").decode()


def hashed(script):
    """As a policy names a script [CSP 3, Sec. 2.3.1]."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() + "'"


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main():
    out, page, licence, *scripts = sys.argv[1:]
    page, joined = text(page), "\n".join(text(path) for path in scripts)
    unpack = re.search(r"<script>(.*?)</script>", page, re.S).group(1)
    policy = ("default-src 'none'; script-src " + hashed(unpack) + " " + hashed(joined) +
              "; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'")
    packed = gzip.compress(joined.encode(), 9, mtime=0)
    for hole, filling in (("/*POLICY*/", policy), ("/*LICENCE*/", text(licence)), ("/*SCRIPTS*/", digits(packed))):
        before, after = page.split(hole)
        page = before + filling + after
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        file.write(page)


main()
