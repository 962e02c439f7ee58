#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make.py BUILD OUTPUT [--quick]: the documentation as a folder of HTML pages that need no network.

Pages: the Markdown documents; the notebooks, executed, with what they print and draw; one page for every command (from its option
tables), public header (from its comments) and public name of the Python package (from its docstring). A box searches all of them.
Links between documents become links between pages; a link that leads nowhere, or a cell that fails, stops the build.
--quick does not execute the notebooks.
"""
import glob
import html
import importlib.util
import json
import os
import re
import subprocess
import sys

import headers
import markdown
import notebook
import program
import pythons

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CHAPTERS = [  # title, documents in this order; what is in docs/ and not named here follows the last chapter
    ("Begin", ["README.md", "docs/tutorial/first-network.md"]),
    ("Notebooks", []),
    ("How to", ["docs/howto/install.md", "docs/howto/tasks.md", "docs/howto/fit.md", "docs/howto/train.md", "docs/howto/python.md",
        "docs/howto/scale.md", "docs/howto/reproduce.md", "docs/howto/recipes.md", "docs/howto/faq.md",
        "examples/README.md"]),
    ("Commands", []),
    ("Python", []),
    ("C library", ["docs/reference/c.md"]),
    ("Reference", ["docs/reference/certificate.md", "docs/reference/certificate-examples.md", "docs/reference/data.md",
        "docs/reference/networks.md", "docs/reference/json.md", "docs/reference/glossary.md",
        "docs/reference/theorems.md", "docs/reference/references.md"]),
    ("Explanation", ["docs/explanation/bounds.md", "docs/explanation/threats.md", "docs/explanation/comparison.md", "docs/explanation/arrangement.md",
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
FRAME = """<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><link rel="stylesheet" href="style.css"><noscript><style>.pages {{ display: block !important; }}</style></noscript></head><body>
<a class="skip" href="#content">Skip to the text</a>
<header><button id="menu" type="button" aria-expanded="false" aria-controls="pages">Pages</button>
<a class="name" href="index.html">fathom</a><span class="version">{version}</span>
<form role="search"><input id="search" type="search" placeholder="Search (press /)" aria-label="Search the documentation" autocomplete="off"
role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"><ul id="found" role="listbox" aria-label="Found" hidden></ul></form></header>
<div class="columns"><nav class="pages" id="pages" aria-label="All pages">{menu}</nav>
<main id="content" tabindex="-1">{body}<footer><p>fathom {version}. {source}</p></footer></main>{here}</div>
<script src="search.js"></script></body></html>
"""


def page_name(path):
    """The HTML file of a document."""
    return "index.html" if path == "README.md" else re.sub(r"\.(md|ipynb)$", "", path).replace("/", "-").replace("docs-", "") + ".html"


class Page:
    """Of one file: where it stands, what it holds, where it comes from."""

    def __init__(self, chapter, title, body, source):
        self.chapter, self.title, self.body, self.source = chapter, title, body, source

    def headings(self, levels):
        """(anchor, text) of the headings of these levels."""
        found = re.findall(rf'<h([{levels}]) id="([^"]+)">(.*?)</h\1>', self.body, re.S)
        return [(anchor, html.unescape(re.sub("<[^>]*>", "", text))) for _, anchor, text in found]

    def sections(self, file):
        """What is searched: page, anchor, title, heading and text of every part under a heading."""
        for part in re.split(r"(?=<h[123][ >])", self.body):
            head = re.match(r'<h[123](?: id="([^"]*)")?>(.*?)</h[123]>', part, re.S)
            words = lambda markup: " ".join(html.unescape(re.sub("<[^>]*>", " ", markup)).split())
            text = words(part[head.end():] if head else part)
            if head or text:
                yield [file, head and head[1] or "", self.title, words(head[2]) if head else "", text]


class Site:
    def __init__(self, build, output, execute=True):
        self.build, self.output, self.execute = os.path.abspath(build), output, execute
        self.pages, self.copied = {}, set()
        named = [path for _, paths in CHAPTERS for path in paths]
        listed = lambda ending: sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, "docs", "**", ending), recursive=True))
        self.documents = {p: chapter for chapter, paths in CHAPTERS for p in paths}
        self.documents.update({p: "Project" for p in listed("*.md") if p not in named})
        self.documents.update({p: "Notebooks" for p in listed("*.ipynb")})
        self.version = subprocess.run([os.path.join(self.build, "fathom"), "--version"], capture_output=True, text=True).stdout.split()[1]

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

    def add(self, file, chapter, title, body, source):
        self.pages[file] = Page(chapter, title, body, source)

    def add_documents(self):
        for path, chapter in self.documents.items():
            if path.endswith(".md"):
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    reader = markdown.Reader(file.read(), self.link(path))
                body = reader.html()
                self.add(page_name(path), chapter, reader.title or path, body, f"Source: {path}.")

    def add_notebooks(self):
        for path in (p for p in self.documents if p.endswith(".ipynb")):
            title, body = notebook.page(os.path.join(ROOT, path), self.build if self.execute else None, self.link(path))
            self.copied.add(path)
            body += f'<p>The notebook itself: <a href="files/{path}">{os.path.basename(path)}</a>.</p>'
            self.add(page_name(path), "Notebooks", title, body, f"Source: {path}, executed when this page was made.")

    def add_made(self):
        """Pages that are made from the program, the headers and the package."""
        for chapter, made, source in (("Commands", program.pages(self.build), "Made from the program's option tables."),
                                      ("Python", pythons.pages(self.build), "Made from docstrings."),
                                      ("C library", headers.pages(), "Made from the header.")):
            for file, title, body in made:
                self.add(file, chapter, title, body, source)

    def menu(self, current):
        """All pages by chapter; that of the current page is open."""
        parts = []
        for chapter, _ in CHAPTERS:
            links = [f'<li><a href="{file}"{" aria-current=page" * (file == current)}>{html.escape(page.title)}</a></li>'
                     for file, page in self.pages.items() if page.chapter == chapter]
            opened = " open" * (chapter == self.pages[current].chapter)
            parts.append(f"<details{opened}><summary>{chapter}</summary><ul>{''.join(links)}</ul></details>")
        return "".join(parts)

    def write(self):
        os.makedirs(self.output, exist_ok=True)
        for file, page in self.pages.items():
            here = "".join(f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for anchor, text in page.headings("2"))
            here = f'<nav class="here" aria-label="On this page"><b>On this page</b><ul>{here}</ul></nav>' if here else ""
            with open(os.path.join(self.output, file), "w", encoding="utf-8") as out:
                out.write(FRAME.format(title=html.escape(f"{page.title} - fathom"), version=self.version, menu=self.menu(file), body=page.body,
                                       here=here, source=html.escape(page.source)))
        with open(os.path.join(self.output, "words.js"), "w", encoding="utf-8") as out:
            sections = [section for file, page in self.pages.items() for section in page.sections(file)]
            out.write("window.sections = " + json.dumps(sections, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/") + ";\n")
        for name in ("style.css", "search.js"):
            self.copy(os.path.relpath(os.path.join(HERE, name), ROOT), name)
        for place in self.copied:
            self.copy(place, os.path.join("files", place))

    def copy(self, place, name):
        """A file of the tree; of a folder the list of its files."""
        source, target = os.path.join(ROOT, place), os.path.join(self.output, name)
        if os.path.isdir(source):
            os.makedirs(target, exist_ok=True)
            listed = "".join(f"<li>{html.escape(n)}</li>" for n in sorted(os.listdir(source)))
            with open(os.path.join(target, "index.html"), "w") as out:
                out.write(f'<!doctype html><html lang="en"><title>{place}</title><main><h1>{place}</h1><ul>{listed}</ul></main></html>')
            return
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(source, "rb") as file, open(target, "wb") as out:
            out.write(file.read())


def check(output):
    """Every link of every page leads to a file, and to a heading where it names one; nothing comes from a network."""
    texts = {path: open(path, encoding="utf-8").read() for path in glob.glob(os.path.join(output, "*.html"))}
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in texts.items()}
    for path, text in texts.items():
        if re.search(r'(src|href)="(https?:)?//[^"]*\.(js|css|png|svg)"', text):
            yield f"{path} needs the network"
        for target in set(re.findall(r'(?:href|src)="([^"]+)"', text)):
            if re.match(r"\w+:", target):
                continue
            file, _, anchor = html.unescape(target).partition("#")
            place = os.path.join(output, file) if file else path
            if not os.path.exists(place):
                yield f"{path} links to {target}, which is not there"
            elif anchor and anchor not in anchors.get(place, ()):
                yield f"{path} links to {target}, but there is no such heading"


def main():
    missing = [name for name in notebook.PACKAGES if not importlib.util.find_spec(name)]
    if missing:
        print(f"not installed: {', '.join(missing)}: the notebooks are not executed")
    site = Site(*sys.argv[1:3], execute="--quick" not in sys.argv and not missing)
    site.add_documents()
    site.add_notebooks()
    site.add_made()
    site.write()
    found = list(check(site.output))
    print(*found, sep="\n")
    print(f"{len(site.pages)} pages in {site.output}, {len(found)} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
