# SPDX-License-Identifier: Apache-2.0
"""Pages of the commands: the tables of options that `fathom COMMAND --help` prints, as tables."""
import html
import os
import re
import subprocess

from markdown import slug


def rows(lines):
    """(option, doc) of the lines of one section: an option, its text on the same line or on those below it."""
    found = []
    for line in lines:
        option = re.match(r"  (-\S+(?: \S+)?)(?:  +(.*))?$", line)
        if option:
            found.append([option[1], option[2] or ""])
        elif found:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return found


def sections(text):
    """(title, lines) of a help text: the usage and summary first, under no title."""
    title, lines = "", []
    for line in text.split("\n"):
        if re.match(r"\S.*:$", line):
            yield title, lines
            title, lines = line[:-1], []
        else:
            lines.append(line)
    yield title, lines


def section(title, lines):
    table = rows(lines)
    if table:
        body = "".join(f"<tr><td><code>{html.escape(option)}</code></td><td>{html.escape(doc)}</td></tr>" for option, doc in table)
        body = f'<div class="wide" tabindex="0" role="group" aria-label="table"><table><thead><tr><th>option</th><th>what it says</th></tr></thead><tbody>{body}</tbody></table></div>'
    else:
        body = f'<pre tabindex="0"><code>{html.escape(chr(10).join(line[2:] for line in lines).strip())}</code></pre>'
    return f'<h2 id="{slug(title)}">{html.escape(title)}</h2>{body}'


def page(name, text):
    (_, head), *rest = sections(text)
    usage, *summary = [line for line in head if line.strip()]
    shown = html.escape(usage.removeprefix("usage: "))
    return (f"command-{name}.html", f"fathom {name}",
            f'<h1 id="top">fathom {name}</h1><p>{html.escape(" ".join(summary))}</p><pre tabindex="0"><code>{shown}</code></pre>'
            + "".join(section(title, lines) for title, lines in rest))


def pages(build):
    """(file, title, body) of every command."""
    tell = lambda *words: subprocess.run([os.path.join(build, "fathom"), *words, "--help"], capture_output=True, text=True, check=True).stdout
    for name in re.findall(r"^  (\w+) ", tell(), re.M):
        yield page(name, tell(name))
    check = subprocess.run([os.path.join(build, "fathom-check"), "--help"], capture_output=True, text=True).stdout
    yield ("command-fathom-check.html", "fathom-check",
           f'<h1 id="top">fathom-check</h1><pre tabindex="0"><code>{html.escape(check)}</code></pre>')
