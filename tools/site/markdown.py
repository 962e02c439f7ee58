# SPDX-License-Identifier: Apache-2.0
"""Markdown to HTML, as much of it as the documents use: headings, paragraphs, lists, tables, code, links, emphasis."""
import html
import re


def slug(text):
    """The anchor of a heading: as GitHub makes it."""
    plain = re.sub(r"[`*]|<[^>]*>", "", text).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


def inline(text, link):
    """Code, links, emphasis; `link` maps the target of a link to another."""
    kept = []

    def keep(fragment):
        kept.append(fragment)
        return f"\0{len(kept) - 1}\0"

    text = re.sub(r"(`+)(.+?)\1", lambda m: keep(f"<code>{html.escape(m[2].strip())}</code>"), text)
    text = re.sub(r"\\([|*_`\[\]#])", lambda m: keep(html.escape(m[1])), text)
    text = re.sub(r"<(https?://[^>]+)>", lambda m: keep(f'<a href="{html.escape(m[1])}">{html.escape(m[1])}</a>'), text)
    text = html.escape(text, quote=False)
    text = re.sub(r"!\[([^\]]+)\]\(([^)\s]+)\)",
                  lambda m: keep(f'<img src="{html.escape(link(m[2]))}" alt="{m[1].replace(chr(34), "&quot;")}" loading="lazy">'), text)
    text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", lambda m: f'<a href="{html.escape(link(m[2]))}">{m[1]}</a>', text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^\s*][^*]*?)\*(?!\w)", r"<em>\1</em>", text)
    while "\0" in text:
        text = re.sub("\0(\\d+)\0", lambda m: kept[int(m[1])], text)
    return text


def cells(line):
    """The cells of a table row; bars inside code or after a backslash do not divide."""
    line = line.strip().strip("|") if not line.strip().endswith("\\|") else line.strip().lstrip("|")
    parts, part, code = [], "", False
    for at, letter in enumerate(line):
        code ^= letter == "`"
        if letter == "|" and not code and line[at - 1] != "\\":
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return [*parts, part.strip()]


class Reader:
    """Lines of one document, taken block by block."""

    def __init__(self, text, link):
        self.lines = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S).split("\n")
        self.link, self.out, self.at, self.title, self.headings = link, [], 0, "", {}

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def take(self, pattern):
        """Lines from here on that match."""
        taken = []
        while self.peek() is not None and re.match(pattern, self.peek()):
            taken.append(self.peek())
            self.at += 1
        return taken

    def code(self):
        language = self.peek().strip("`").strip()
        self.at += 1
        taken = self.take(r"(?!```)")
        self.at += 1
        self.out.append(f'<pre class="{html.escape(language)}" tabindex="0"><code>{html.escape(chr(10).join(taken))}</code></pre>')

    def heading(self):
        level, text = re.match(r"(#+)\s+(.*)", self.peek()).groups()
        self.at += 1
        anchor, self.title = slug(text), self.title or re.sub("`", "", text)
        again = self.headings[anchor] = self.headings.get(anchor, -1) + 1
        anchor += f"-{again}" * (again > 0)  # the second of a name, as GitHub counts
        self.out.append(f'<h{len(level)} id="{anchor}">{inline(text, self.link)}</h{len(level)}>')

    def table(self):
        rows = [cells(line) for line in self.take(r"\s*\|")]
        head, body = rows[0], rows[2:]
        self.out.append('<div class="wide" tabindex="0" role="group" aria-label="table"><table><thead><tr>' + "".join(f"<th>{inline(c, self.link)}</th>" for c in head)
                        + "</tr></thead><tbody>")
        for row in body:
            self.out.append("<tr>" + "".join(f"<td>{inline(c, self.link)}</td>" for c in row) + "</tr>")
        self.out.append("</tbody></table></div>")

    def list(self):
        """Items of one level; lines that are indented belong to the item above and may be a list themselves."""
        kind = "ol" if re.match(r"\d+[.)] ", self.peek()) else "ul"
        self.out.append(f"<{kind}>")
        while self.peek() is not None and re.match(r"([-*]|\d+[.)]) ", self.peek()):
            first = re.sub(r"^([-*]|\d+[.)])\s+", "", self.peek())
            self.at += 1
            rest = self.take(r"\s+\S|(?![-*] |\d+[.)] |#|\||```)\S")
            inner = Reader("\n".join([first, *(re.sub(r"^ {2,4}", "", line) for line in rest)]), self.link)
            body = re.sub("^<p>(.*?)</p>", r"\1", inner.html(), count=1, flags=re.S)
            self.out.append(f"<li>{body}</li>")
            while self.peek() == "" and self.at + 1 < len(self.lines) and re.match(r"([-*]|\d+[.)]) ", self.lines[self.at + 1]):
                self.at += 1
        self.out.append(f"</{kind}>")

    def paragraph(self):
        taken = self.take(r"(?!```|#+ |\s*\||[-*] |\d+[.)] |\s*$)")
        if not taken:  # nothing else took the line
            taken = [self.peek()]
            self.at += 1
        self.out.append(f"<p>{inline(chr(10).join(taken), self.link)}</p>")

    def html(self):
        while self.peek() is not None:
            line = self.peek()
            if not line.strip():
                self.at += 1
            elif line.startswith("```"):
                self.code()
            elif re.match(r"#+ ", line):
                self.heading()
            elif re.match(r"\s*\|", line) and self.at + 1 < len(self.lines) and re.match(r"\s*\|[\s:|-]+$", self.lines[self.at + 1]):
                self.table()
            elif re.match(r"([-*]|\d+[.)]) ", line):
                self.list()
            elif re.match(r" {4}\S", line):
                self.out.append(f"<pre tabindex='0'><code>{html.escape(chr(10).join(l[4:] for l in self.take(r' {4}|$')).rstrip())}</code></pre>")
            else:
                self.paragraph()
        return "\n".join(self.out)
