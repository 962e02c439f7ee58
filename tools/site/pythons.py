# SPDX-License-Identifier: Apache-2.0
"""Pages of the Python package: one for every public name, its docstring in numpydoc's form laid out."""
import importlib
import inspect
import html
import os
import re
import sys

CODE = re.compile(r"``(.+?)``|`(.+?)`")


def inline(text):
    """A line of a docstring, code in it as code."""
    return CODE.sub(lambda m: f"<code>{m[1] or m[2]}</code>", html.escape(text, quote=False))


def blocks(lines):
    """Paragraphs, and examples (>>>) as code."""
    for part in re.split(r"\n\s*\n", inspect.cleandoc("\n".join(lines))):
        if part.lstrip().startswith(">>>"):
            yield f'<pre tabindex="0"><code>{html.escape(part)}</code></pre>'
        elif part.strip():
            yield f"<p>{inline(part)}</p>"


def entries(lines):
    """`name : kind` and the indented text below it, as a list of definitions."""
    items, text = [], []
    for line in [*lines, None]:
        if line is not None and (line.startswith(" ") or not line.strip()):
            text.append(line)
            continue
        if items:
            items[-1] += f"<dd>{''.join(blocks(text))}</dd>"
        text = []
        if line is not None:
            name, _, kind = line.partition(" : ")
            items.append(f"<dt><code>{html.escape(name)}</code>" + (f' <span class="kind">{html.escape(kind)}</span>' if kind else "") + "</dt>")
    return f"<dl>{''.join(items)}</dl>"


def documentation(text, level):
    """A docstring: its summary, and a heading for every section."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", text, flags=re.M)
    out = "".join(blocks(parts[0].split("\n")))
    for title, body in zip(parts[1::2], parts[2::2]):
        lines = body.strip("\n").split("\n")
        listed = title in ("Parameters", "Attributes", "Returns", "Raises", "Yields")
        out += f"<h{level}>{title}</h{level}>" + (entries(lines) if listed else "".join(blocks(lines)))
    return out


def signature(name, value):
    """name(parameters), one parameter a line where there are many; annotations are left to the type checkers."""
    try:
        given = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return name
    plain = [str(p.replace(annotation=p.empty)) for p in given if p.name != "self"]
    first = next((k for k, p in enumerate(given) if p.kind is p.KEYWORD_ONLY), None)
    if first is not None:
        plain.insert(first - ("self" in [p.name for p in given]), "*")
    line = f"{name}({', '.join(plain)})"
    return line if len(line) < 90 else f"{name}(\n    " + ",\n    ".join(plain) + ")"


def members(kind):
    """Public methods and properties, those of private bases included."""
    for name in sorted(dir(kind)):
        value = inspect.getattr_static(kind, name)
        own = getattr(inspect.unwrap(getattr(value, "fget", None) or getattr(value, "__func__", value)), "__module__", "") or ""
        if not name.startswith("_") and own.startswith("fathom") and not inspect.isclass(value):
            yield name, value


def member(name, value):
    if isinstance(value, property):
        return f'<h3 id="{name}"><code>{name}</code></h3>' + documentation(inspect.getdoc(value) or "", 4)
    plain = getattr(value, "__func__", value)
    return (f'<h3 id="{name}"><code>{name}</code></h3><pre tabindex="0"><code>{html.escape(signature(name, plain))}</code></pre>'
            + documentation(inspect.getdoc(plain) or "", 4))


def page(name, value):
    body = f'<h1 id="top">fathom.{name}</h1><pre tabindex="0"><code>{html.escape(signature(name, value))}</code></pre>'
    body += documentation(inspect.getdoc(value) or "", 2)
    listed = [member(*one) for one in members(value)] if inspect.isclass(value) else []
    body += '<h2 id="members">Methods and properties</h2>' + "".join(listed) if listed else ""
    return f"python-{name}.html", name, re.sub(r"<h2>(\w+)</h2>", lambda m: f'<h2 id="{m[1].lower()}">{m[1]}</h2>', body)


def pages(build):
    """(file, title, body) of the package and of each of its names; estimators where scikit-learn is there."""
    sys.path.insert(0, os.path.join(build, "python"))
    fathom = importlib.import_module("fathom")
    found = []
    for name in fathom.__all__:
        try:
            found.append((name, getattr(fathom, name)))
        except ImportError:
            continue
    results = importlib.import_module("fathom.results")
    found += [(f"results.{name}", kind) for name, kind in vars(results).items() if inspect.isclass(kind) and kind.__module__ == results.__name__]
    first = lambda value: (inspect.getdoc(value) or "").split("\n\n")[0].replace("\n", " ")
    rows = "".join(f'<tr><td><a href="python-{n}.html"><code>{n}</code></a></td><td>{inline(first(v))}</td></tr>' for n, v in found)
    body = (f'<h1 id="top">The Python package</h1>{documentation(inspect.getdoc(fathom), 2)}<h2 id="names">Names</h2>'
            f'<div class="wide" tabindex="0" role="group" aria-label="table"><table><thead><tr><th>name</th><th>what it is</th></tr></thead><tbody>{rows}</tbody></table></div>')
    yield "python-reference.html", "All names", body
    for name, value in found:
        yield page(name, value)
