#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dist.py [FOLDER]: the release of the last commit, in FOLDER (dist): a source archive that is also Python's sdist, its SPDX
list of files and libraries, and the checksums of everything there. The same commit gives the same bytes.

Refuses where the files that state the version do not agree.
"""
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What states the version, and how.
STATED = {
    "meson.build": r"^  version: '([^']+)'",
    "include/fathom/version.h": r'^#define FATHOM_VERSION_TEXT "([^"]+)"',
    "CITATION.cff": r"^version: (\S+)",
    "CHANGELOG.md": r"^## (\S+)",
    "debian/changelog": r"^fathom-relu \(([^)]+)\)",
    "packaging/conda/meta.yaml": r'set version = "([^"]+)"',
    "packaging/homebrew/fathom-relu.rb": r"fathom_relu-([0-9.]+)\.tar\.gz",
}
# Libraries that the programs link, with the licences under which they come; NOTICE says the same in words.
LIBRARIES = {
    "OpenBLAS": "BSD-3-Clause", "LAPACKE": "BSD-3-Clause", "Clp": "EPL-2.0", "CoinUtils": "EPL-2.0", "FLINT": "LGPL-2.1-or-later",
    "GMP": "LGPL-3.0-or-later OR GPL-2.0-or-later", "MPFR": "LGPL-3.0-or-later", "jansson": "MIT", "SUNDIALS": "BSD-3-Clause",
    "zlib": "Zlib", "liblzma": "0BSD", "bzip2": "bzip2-1.0.6", "zstd": "BSD-3-Clause", "libgomp": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "Random123": "BSD-3-Clause",
}


def licence(path):
    """The licence of a file of the tree."""
    if path.startswith("third_party/vega/") and not path.endswith(("README.md", "meson.build")):
        return "BSD-3-Clause"
    if path.startswith("src/dataset/builtin/") and path.endswith(".csv"):
        return "CC-BY-4.0"
    return "Apache-2.0"


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, stdout=subprocess.PIPE).stdout


def versions():
    """{file: version} of the commit."""
    found = {}
    for path, pattern in STATED.items():
        text = git("show", "HEAD:" + path).decode()
        found[path] = re.search(pattern, text, re.M).group(1)
    return found


def metadata(version):
    """What an sdist says about itself."""
    project = git("show", "HEAD:pyproject.toml").decode()
    value = {key: re.search(rf"^{key} = '([^']*)'", project, re.M).group(1)
             for key in ("name", "description", "requires-python")}
    return (f"Metadata-Version: 2.1\nName: {value['name']}\nVersion: {version}\nSummary: {value['description']}\n"
            f"License: Apache-2.0\nRequires-Python: {value['requires-python']}\n"
            "Description-Content-Type: text/markdown\n\n" + git("show", "HEAD:README.md").decode())


def archive(name, version, seconds):
    """The tree as a gzipped tar file, and its files as {path: bytes}."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "--format=tar", "HEAD"))) as tree:
        files = {m.name: (m.mode, tree.extractfile(m).read()) for m in tree.getmembers() if m.isfile()}
    files["PKG-INFO"] = (0o644, metadata(version).encode())
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as out:
        for path in sorted(files):
            member = tarfile.TarInfo(f"{name}/{path}")
            member.mode, member.mtime, member.size = 0o755 if files[path][0] & 0o100 else 0o644, seconds, len(files[path][1])
            out.addfile(member, io.BytesIO(files[path][1]))
    squeezed = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=squeezed, mode="wb", mtime=seconds, compresslevel=9) as out:
        out.write(packed.getvalue())
    return squeezed.getvalue(), {path: data for path, (_, data) in files.items()}


def spdx(name, version, files, digest, seconds):
    """SPDX 2.3: the files with checksums and licences, the libraries as packages that ours depends on."""
    def element(kind, text):
        return f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", text)

    listed = [{"fileName": "./" + path, "SPDXID": f"SPDXRef-File-{k}", "licenseConcluded": licence(path), "copyrightText": "NOASSERTION",
               "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(files[path]).hexdigest()},
                             {"algorithm": "SHA256", "checksumValue": hashlib.sha256(files[path]).hexdigest()}]}
              for k, path in enumerate(sorted(files))]
    own = {"name": "fathom-relu", "SPDXID": "SPDXRef-Package", "versionInfo": version, "downloadLocation": "NOASSERTION",
           "licenseDeclared": "Apache-2.0", "licenseConcluded": "Apache-2.0 AND BSD-3-Clause AND CC-BY-4.0",
           "copyrightText": "Copyright The fathom authors", "filesAnalyzed": False,
           "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    others = [{"name": title, "SPDXID": element("Library", title), "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
               "licenseDeclared": terms, "licenseConcluded": terms, "copyrightText": "NOASSERTION"}
              for title, terms in LIBRARIES.items()]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-Package"}]
    relations += [{"spdxElementId": "SPDXRef-Package", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": p["SPDXID"]} for p in others]
    relations += [{"spdxElementId": "SPDXRef-Package", "relationshipType": "CONTAINS", "relatedSpdxElement": f["SPDXID"]} for f in listed]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"urn:sha256:{digest}", "creationInfo": {"created": created, "creators": ["Tool: tools/dist.py"]},
            "packages": [own, *others], "files": listed, "relationships": relations}


def main(folder):
    stated = versions()
    if len(set(stated.values())) != 1:
        sys.exit(f"these versions differ: {stated}")
    version = stated["meson.build"]
    name, seconds = f"fathom_relu-{version}", int(git("log", "-1", "--format=%ct"))
    packed, files = archive(name, version, seconds)
    os.makedirs(folder, exist_ok=True)
    document = spdx(name, version, files, hashlib.sha256(packed).hexdigest(), seconds)
    made = {f"{name}.tar.gz": packed, f"{name}.spdx.json": (json.dumps(document, indent=1) + "\n").encode()}
    for path, data in made.items():
        with open(os.path.join(folder, path), "wb") as file:
            file.write(data)
    with open(os.path.join(folder, "SHA256SUMS"), "w") as sums:
        for path in sorted(os.listdir(folder)):
            if path.startswith(name) and path != "SHA256SUMS":
                with open(os.path.join(folder, path), "rb") as file:
                    sums.write(f"{hashlib.sha256(file.read()).hexdigest()}  {path}\n")
    print(f"{folder}/{name}.tar.gz  {len(packed)} bytes, {len(files)} files")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "dist"))
