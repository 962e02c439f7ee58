#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site.py BUILD OUTPUT: the documentation as a folder of HTML pages that need no network.

Pages: the Markdown documents, one per command (its --help), one per public header, one for the Python package from its
docstrings. Links between documents become links between pages; a link that leads nowhere stops the build.
"""
import glob
import html
import importlib
import inspect
import os
import re
import subprocess
import sys

import markdown

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHAPTERS = [  # title, documents in this order; what is in docs/ and not named here follows the last chapter
    ("Begin", ["README.md", "docs/tutorial/first-network.md"]),
    ("How to", ["docs/howto/install.md", "docs/howto/tasks.md", "docs/howto/fit.md", "docs/howto/train.md", "docs/howto/python.md",
        "docs/howto/scale.md", "docs/howto/reproduce.md", "docs/howto/recipes.md", "docs/howto/faq.md",
        "examples/README.md"]),
    ("Reference", ["docs/reference/certificate.md", "docs/reference/certificate-examples.md", "docs/reference/data.md",
        "docs/reference/networks.md", "docs/reference/c.md", "docs/reference/json.md", "docs/reference/glossary.md",
        "docs/reference/theorems.md", "docs/reference/references.md"]),
    ("Explanation", ["docs/explanation/threats.md", "docs/explanation/comparison.md", "docs/explanation/arrangement.md",
        "docs/explanation/convex-rf.md", "docs/explanation/proof.md", "docs/explanation/dynamics.md",
        "docs/explanation/explain-000.md", "docs/explanation/explain-001.md", "docs/explanation/explain-002.md",
        "docs/explanation/explain-003.md", "docs/explanation/explain-004.md", "docs/explanation/errata.md",
        "docs/explanation/geometry.md", "docs/explanation/kernels.md", "docs/explanation/global.md",
        "docs/explanation/line.md", "docs/explanation/margins.md", "docs/explanation/gated.md"]),
    ("Decisions", ["docs/decisions/README.md"]),
    ("Measured", ["docs/measured/matrix.md", "docs/measured/testing.md", "docs/measured/benchmarks.md", "docs/measured/gallery.md",
        "docs/measured/reproduction.md"]),
    ("Project", ["docs/README.md", "src/README.md", "tests/README.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]
STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --line: #d5d9de; --shade: #f4f6f8; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ec; --paper: #15181c; --line: #343a41; --shade: #1e2329; --link: #7db8ff; } }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
main { max-width: 52rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }
nav { border-bottom: 1px solid var(--line); background: var(--shade); padding: .6rem 1.2rem; font-size: .92rem; }
nav details { max-width: 52rem; margin: 0 auto; } nav ul { columns: 15rem; list-style: none; padding: 0; }
nav b { display: block; margin-top: .5rem; }
a { color: var(--link); } code, pre { font: .92em/1.45 ui-monospace, monospace; background: var(--shade); }
pre { padding: .8rem; overflow-x: auto; border: 1px solid var(--line); border-radius: 4px; } code { padding: 0 .2em; } pre code { padding: 0; }
img { max-width: 100%; height: auto; } .wide { overflow-x: auto; } table { border-collapse: collapse; } th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top; }
"""


def page_name(path):
    """The HTML file of a document."""
    return "index.html" if path == "README.md" else re.sub(r"\.md$", "", path).replace("/", "-").replace("docs-", "") + ".html"


class Site:
    def __init__(self, build, output):
        self.build, self.output = os.path.abspath(build), output
        self.pages = {}  # file: (chapter, title, body)
        named = [path for _, paths in CHAPTERS for path in paths]
        more = sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
        self.documents = {p: chapter for chapter, paths in CHAPTERS for p in paths if os.path.exists(os.path.join(ROOT, p))}
        self.documents.update({p: "Project" for p in more if p not in named})

    def link(self, source):
        """Turns targets of a document into those of the site; files that are no pages keep their place in the tree."""
        def change(target):
            path, _, anchor = target.partition("#")
            if re.match(r"\w+:", target) or not path:
                return target
            place = os.path.normpath(os.path.join(os.path.dirname(source), path))
            if place == "docs":
                place = "docs/README.md"
            if place in self.documents:
                return page_name(place) + (f"#{anchor}" if anchor else "")
            if not os.path.exists(os.path.join(ROOT, place)):
                sys.exit(f"{source} links to {target}, which is not there")
            self.copied.add(place)
            return "files/" + place
        return change

    def add_documents(self):
        self.copied = set()
        for path, chapter in self.documents.items():
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                reader = markdown.Reader(file.read(), self.link(path))
            body = reader.html()
            self.pages[page_name(path)] = (chapter, reader.title or path, body)

    def add_commands(self):
        program = os.path.join(self.build, "fathom")
        listed = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"^  (\w+) ", listed, re.M):
            text = subprocess.run([program, name, "--help"], capture_output=True, text=True).stdout
            if text:
                self.pages[f"command-{name}.html"] = (
                    "Commands", f"fathom {name}", f"<h1>fathom {name}</h1><pre>{html.escape(text)}</pre>")

    def add_headers(self):
        for path in sorted(glob.glob(os.path.join(ROOT, "include", "fathom", "*.h"))):
            name = os.path.basename(path)
            text = open(path, encoding="utf-8").read()
            body = f"<h1>fathom/{name}</h1><pre>{html.escape(text)}</pre>"
            self.pages[f"header-{name[:-2]}.html"] = ("C library", f"fathom/{name}", body)

    def add_python(self):
        sys.path.insert(0, os.path.join(self.build, "python"))
        fathom = importlib.import_module("fathom")
        parts = ["<h1>Python reference</h1>", f"<pre>{html.escape(inspect.getdoc(fathom))}</pre>"]
        for name in fathom.__all__:
            try:
                value = getattr(fathom, name)
            except ImportError:  # estimators without scikit-learn
                continue
            try:
                shown = f"{name}{inspect.signature(value)}"
            except (TypeError, ValueError):
                shown = name
            parts.append(f'<h2 id="{name}">{html.escape(shown)}</h2><pre>{html.escape(inspect.getdoc(value) or "")}</pre>')
        self.pages["python-reference.html"] = ("Use", "Python reference", "\n".join(parts))

    def menu(self):
        chapters = {}
        for file, (chapter, title, _) in self.pages.items():
            chapters.setdefault(chapter, []).append(f'<li><a href="{file}">{html.escape(title)}</a></li>')
        inner = "".join(f"<b>{chapter}</b><ul>{''.join(links)}</ul>" for chapter, links in chapters.items())
        return f'<nav><details><summary><a href="index.html">fathom</a>: all pages</summary>{inner}</details></nav>'

    def write(self):
        os.makedirs(self.output, exist_ok=True)
        menu = self.menu()
        for file, (_, title, body) in self.pages.items():
            with open(os.path.join(self.output, file), "w", encoding="utf-8") as out:
                out.write(f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
                          f'content="width=device-width, initial-scale=1"><title>{html.escape(title)}</title>'
                          f"<style>{STYLE}</style></head><body>{menu}<main>{body}</main></body></html>\n")
        for place in self.copied:
            self.copy(place)

    def copy(self, place):
        source = os.path.join(ROOT, place)
        names = [os.path.join(place, n) for n in sorted(os.listdir(source))] if os.path.isdir(source) else [place]
        target = os.path.join(self.output, "files", place)
        if os.path.isdir(source):
            os.makedirs(target, exist_ok=True)
            with open(os.path.join(target, "index.html"), "w") as out:
                out.write("<ul>" + "".join(f"<li>{html.escape(n)}</li>" for n in names) + "</ul>")
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "rb") as file, open(target, "wb") as out:
            out.write(file.read())


def check(output):
    """Every link of every page leads to a file, and to a heading where it names one; nothing comes from a network."""
    for path in glob.glob(os.path.join(output, "*.html")):
        text = open(path, encoding="utf-8").read()
        if re.search(r'(src|href)="(https?:)?//[^"]*\.(js|css|png|svg)"', text):
            yield f"{path} needs the network"
        for target in re.findall(r'(?:href|src)="([^"]+)"', text):
            if re.match(r"\w+:", target):
                continue
            file, _, anchor = html.unescape(target).partition("#")
            place = os.path.join(output, file) if file else path
            if not os.path.exists(place):
                yield f"{path} links to {target}, which is not there"
            elif anchor and f'id="{anchor}"' not in open(place, encoding="utf-8").read():
                yield f"{path} links to {target}, but there is no such heading"


def main():
    site = Site(*sys.argv[1:3])
    site.add_documents()
    site.add_commands()
    site.add_headers()
    site.add_python()
    site.write()
    found = list(check(site.output))
    print(*found, sep="\n")
    print(f"{len(site.pages)} pages in {site.output}, {len(found)} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
