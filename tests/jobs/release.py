#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""release.py [--planted]: `make dist` gives the same bytes twice, every file of the archive is in the SPDX list with its checksum,
and NOTICE names every library of that list. Skipped (77) outside of a git clone.

--planted changes a byte of an archived file.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def make(folder):
    run = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "dist.py"), folder], capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))}


def compare_list(archive, listed, planted):
    """Complaints about files of the archive and entries of the list that do not fit."""
    wanted = {entry["fileName"]: entry["checksums"][1]["checksumValue"] for entry in listed["files"]}
    with tarfile.open(archive) as tree:
        for member in tree.getmembers():
            data = tree.extractfile(member).read()
            path = "./" + member.name.split("/", 1)[1]
            found = hashlib.sha256(data + (b"x" if planted and path == "./README.md" else b"")).hexdigest()
            if wanted.pop(path, None) != found:
                yield f"{path} is not what the list says"
    yield from (f"{path} is listed but not there" for path in wanted)


def check_signature(folder):
    """A key of one minute signs the checksums; a changed file and a changed list are refused."""
    sign = lambda *words: subprocess.run([os.path.join(ROOT, "tools", "sign"), folder, *words], capture_output=True, env=environment).returncode
    with tempfile.TemporaryDirectory(dir="/tmp") as home:
        environment = {**os.environ, "GNUPGHOME": home}
        subprocess.run(["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "release@example.org", "ed25519", "sign", "1d"],
                       env=environment, check=True, capture_output=True)
        if sign("release@example.org") or sign():
            yield "a signed release is not accepted"
        for name in (next(n for n in os.listdir(folder) if n.endswith(".tar.gz")), "SHA256SUMS"):
            with open(os.path.join(folder, name), "ab") as file:
                file.write(b" ")
            if not sign():
                yield f"{name} was changed, and the signature is accepted"
            with open(os.path.join(folder, name), "rb+") as file:
                file.truncate(os.path.getsize(file.name) - 1)
        subprocess.run(["gpgconf", "--kill", "all"], env=environment)


def main(planted):
    if not shutil.which("git") or subprocess.run(["git", "-C", ROOT, "rev-parse"], capture_output=True).returncode:
        print("not a git clone: skipped")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as scratch:
        first, second = make(os.path.join(scratch, "a")), make(os.path.join(scratch, "b"))
        wrong = [f"{name} differs between two runs" for name in first if first[name] != second.get(name)]
        (archive,) = [name for name in first if name.endswith(".tar.gz")]
        (listing,) = [name for name in first if name.endswith(".spdx.json")]
        listed = json.loads(first[listing])
        wrong += compare_list(os.path.join(scratch, "a", archive), listed, planted)
        if shutil.which("gpg"):
            wrong += check_signature(os.path.join(scratch, "a"))
    notice = open(os.path.join(ROOT, "NOTICE")).read()
    wrong += [f"NOTICE does not name {package['name']}" for package in listed["packages"][1:] if package["name"] not in notice]
    print("\n".join(wrong) or f"{len(listed['files'])} files, {len(listed['packages']) - 1} libraries, the same bytes twice")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main("--planted" in sys.argv)
