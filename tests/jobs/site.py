#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""site.py BUILD [--keep FOLDER] [--planted]: the documentation site is made, notebooks executed, and every link of it leads somewhere;
in Chromium, on narrow and wide windows, light and dark: axe finds nothing that keeps readers out, no page is wider than its window, the search box
finds what is asked for.

--keep leaves the site and screenshots. --planted loses a page, and the alternative text of a picture.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "tools"), os.path.join(ROOT, "tools", "site")]
import browser  # noqa: E402

PAGES = ["index.html", "explanation-bounds.html", "notebooks-teacher.html", "command-train.html", "python-reference.html", "python-ReLUClassifier.html", "header-train.html",
         "reference-glossary.html"]  # one of every kind
LOOKS = [(400, "light"), (1400, "dark")]
ASKED = {"beta_max": "explanation-|howto-|reference-json.html", "price": "explanation-global.html|explanation-bounds.html", "fathom_model_apply": "header-model.html|reference-c.html",
         "ReLUClassifierCV": "python-ReLUClassifierCV.html", "header-file": "command-convert.html"}
FIRST = 6  # of the answers must have it


def axe_script():
    """The text of axe-core, or None where it is not installed."""
    try:
        import axe_core_python
    except ImportError:
        return None
    with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js"), encoding="utf-8") as file:
        return file.read()


def judge(page, script):
    """What axe says is wrong with the page, by its rules for everyone (WCAG 2 A and AA)."""
    page.evaluate(script + "; 0")
    found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
                          ".then(r => r.violations.map(v => v.id + ': ' + v.nodes.length + ' ' + v.nodes[0].html.slice(0, 120)))")
    return found


def search(page, folder):
    """Whether the box finds what it is asked for, among the first answers."""
    page.open(os.path.join(folder, "index.html"))
    for asked, expected in ASKED.items():
        found = page.evaluate(f"""(async () => {{ const box = document.getElementById("search"); box.dispatchEvent(new Event("focus")); box.value = {asked!r};
            for (let k = 0; !window.sections && k < 200; k++) await new Promise(r => setTimeout(r, 50));
            box.dispatchEvent(new Event("input"));
            return [...document.querySelectorAll("#found a")].map(a => a.getAttribute("href")); }})()""")
        if not any(re.match(expected, link) for link in found[:FIRST]):
            yield f"search for {asked}: {found[:FIRST]}"
    page.evaluate("document.getElementById('search').value = ''; document.getElementById('search').dispatchEvent(new Event('input')); 0")


def look(folder, keep):
    """Faults of the pages in a browser."""
    script = axe_script()
    if script is None or not browser.program():
        print("axe-core or Chromium is not installed: accessibility was not looked at")
        return
    with browser.Browser() as page:
        for name in PAGES:
            if not os.path.exists(os.path.join(folder, name)):
                continue
            for width, scheme in LOOKS:
                page.look(width, scheme)
                page.open(os.path.join(folder, name))
                for fault in judge(page, script):
                    yield f"! {name} at {width}, {scheme}: {fault}"
                wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
                if wide > 0:
                    yield f"{name}: {wide} pixels wider than its window of {width}"
                if keep:
                    page.screenshot(os.path.join(keep, f"{name[:-5]}-{width}.png"))
        yield from search(page, folder)
        yield from page.faults


def plant(folder):
    os.remove(os.path.join(folder, "explanation-margins.html"))
    path = os.path.join(folder, "explanation-bounds.html")
    with open(path, encoding="utf-8") as file:
        text = re.sub(r'(<img [^>]*) alt="[^"]*"', r"\1", file.read(), count=1)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--keep")
    parser.add_argument("--planted", action="store_true")
    given = parser.parse_args()
    if given.planted:
        PAGES[:] = ["explanation-bounds.html"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.keep or scratch
        os.makedirs(folder, exist_ok=True)
        run = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "site", "make.py"), given.build, folder, *["--quick"] * given.planted],
                             capture_output=True, text=True)
        if run.returncode:
            sys.exit(run.stdout + run.stderr)
        if given.planted:
            plant(folder)
        import make

        found = [*make.check(folder), *look(folder, given.keep)]
        print(*sorted(set(found)), run.stdout.strip(), f"{len(glob.glob(os.path.join(folder, '*.html')))} pages", sep="\n")
        sys.exit(bool(found))


if __name__ == "__main__":
    main()
