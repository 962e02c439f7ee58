# SPDX-License-Identifier: Apache-2.0
"""Pages of the public headers: what tools/reference.py reads in them, and the header itself."""
import glob
import html
import os
import sys

import markdown

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tools"))
import reference  # noqa: E402


def pages():
    """(file, title, body) of every public header."""
    for path in sorted(glob.glob(os.path.join(ROOT, "include", "fathom", "*.h"))):
        name = os.path.basename(path)
        told = "\n".join(reference.section(path)).replace("\n## ", "\n# ", 1)
        with open(path, encoding="utf-8") as file:
            text = html.escape(file.read())
        body = markdown.Reader(told, lambda target: target).html()
        yield (f"header-{name[:-2]}.html", f"fathom/{name}",
               f'{body}<h2 id="source">The header</h2><pre tabindex="0"><code>{text}</code></pre>')
