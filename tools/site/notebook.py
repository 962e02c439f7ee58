#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Notebooks, executed without Jupyter: notebook.py FILE.ipynb BUILD prints what the cells give.

The files are nbformat 4 without outputs. Cells of code run in order in one fresh interpreter, in a folder of their own beside copies of
docs/notebooks/*.csv; a line that begins with ! goes to the shell, as in Jupyter. What a cell prints, its last expression and its figures are its
output. A cell whose metadata has "expect" must print or give a text that this regular expression finds.
"""
import ast
import base64
import contextlib
import glob
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

PACKAGES = ("lightgbm", "matplotlib", "pandas", "sklearn")  # that the notebooks use


def joined(source):
    return source if isinstance(source, str) else "".join(source)


def cells(path):
    """(kind, source, expected) of every cell; a file that is not nbformat 4 without outputs is refused."""
    with open(path, encoding="utf-8") as file:
        book = json.load(file)
    if book.get("nbformat") != 4 or "kernelspec" not in book.get("metadata", {}):
        sys.exit(f"{path}: expected nbformat 4 with a kernelspec")
    for cell in book["cells"]:
        if cell["cell_type"] not in ("markdown", "code") or cell.get("outputs") or not cell.get("id"):
            sys.exit(f"{path}: expected cells of text or code, each with an id and without outputs")
        yield cell["cell_type"], joined(cell["source"]), cell["metadata"].get("expect")


def shell(line):
    """What a command prints; a command that fails is an error."""
    run = subprocess.run(line, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(run.stdout, end="")
    if run.returncode:
        raise RuntimeError(f"exit code {run.returncode}: {line}")


def figures():
    """Open figures of matplotlib as PNG, which are closed."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    plt = sys.modules["matplotlib.pyplot"]
    for number in plt.get_fignums():
        out = io.BytesIO()
        plt.figure(number).savefig(out, format="png", dpi=80, bbox_inches="tight")
        title = plt.figure(number).axes[0].get_title() if plt.figure(number).axes else ""
        yield {"png": base64.b64encode(out.getvalue()).decode(), "alt": title or "figure"}
    plt.close("all")


def run_cell(source, names):
    """Outputs of one cell: texts, tables, pictures."""
    source = re.sub(r"^!(.*)$", lambda m: f"__shell__({m[1]!r})", source, flags=re.M)
    tree, out, printed = ast.parse(source), [], io.StringIO()
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    if printed.getvalue():
        out.append({"text": printed.getvalue()})
    drawn = list(figures())
    if value is not None and not drawn:
        rich = getattr(value, "_repr_html_", None)
        out.append({"html": rich(), "text": repr(value)} if rich else {"text": repr(value)})
    return out + drawn


def execute(path):
    """In the folder at hand: prints a list of outputs for every cell of code as JSON."""
    os.environ["MPLBACKEND"] = "Agg"
    names, found = {"__name__": "__main__", "__shell__": shell}, []
    for kind, source, expected in cells(path):
        if kind == "code":
            try:
                found.append(run_cell(source, names))
            except Exception:
                sys.exit(f"{path}: a cell failed:\n{source}\n{traceback.format_exc()}")
            told = "\n".join(output.get("text", "") for output in found[-1])
            if expected and not re.search(expected, told):
                sys.exit(f"{path}: a cell gives\n{told}\nwhere {expected!r} was expected:\n{source}")
    json.dump(found, sys.stdout)


def outputs(path, build):
    """The same from an interpreter of its own, in a folder of its own."""
    environment = dict(os.environ, PYTHONPATH=os.path.join(build, "python"), PATH=build + os.pathsep + os.environ["PATH"], PYTHONWARNINGS="ignore")
    with tempfile.TemporaryDirectory() as folder:
        for name in glob.glob(os.path.join(os.path.dirname(path), "*.csv")):
            shutil.copy(name, folder)
        run = subprocess.run([sys.executable, os.path.abspath(__file__), "--execute", os.path.abspath(path)], cwd=folder, env=environment,
                             capture_output=True, text=True)
    if run.returncode:
        sys.exit(run.stderr)
    return json.loads(run.stdout)


def shown(output):
    if "png" in output:
        return f'<img src="data:image/png;base64,{output["png"]}" alt="{html.escape(output["alt"])}">'
    if "html" in output:
        return f'<div class="wide" tabindex="0" role="group" aria-label="output">{output["html"]}</div>'
    return f'<pre tabindex="0"><code>{html.escape(output["text"].rstrip())}</code></pre>'


def page(path, build, link):
    """(title, body) of the notebook, executed with a build unless that is None."""
    import markdown

    given, body, title = iter(outputs(path, build) if build else ()), [], ""
    for kind, source, _ in cells(path):
        if kind == "markdown":
            reader = markdown.Reader(source, link)
            body.append(reader.html())
            title = title or reader.title
            continue
        results = "".join(shown(output) for output in next(given, ()))
        body.append(f'<div class="cell"><pre class="given" tabindex="0"><code>{html.escape(source)}</code></pre>'
                    + (f'<div class="shown">{results}</div>' if results else "") + "</div>")
    return title, "\n".join(body)


if __name__ == "__main__":
    if sys.argv[1] == "--execute":
        execute(sys.argv[2])
    else:
        for result in outputs(sys.argv[1], os.path.abspath(sys.argv[2])):
            for one in result:
                print(one.get("text", "(picture)").rstrip())
