#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference.py [--write]: docs/reference/c.md, the C interface as the public headers state it, and docs/reference/json.md, the members of
what --json prints, from docs/reference/keys.txt; the same for programs in docs/reference/result.schema.json, and for Python in
python/fathom/_keys.py.

Every function, type and option list of include/fathom/*.h with the comment that stands before it. Without --write: says whether the pages are
what the headers and the list give, exit code 1 where not.
"""
import glob
import json
import os
import re
import sys
import typing

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(ROOT, "docs", "reference")
HEAD = """# The C interface

Made from the headers by `tools/reference.py --write`. A program includes `fathom/fathom.h`, which names all of them, and links with what
`pkg-config --cflags --libs fathom` prints; [examples](../../examples/README.md) are programs to begin with. Functions that can fail return a
`fathom_status`; what went wrong is in the context (`fathom_context_error`). Options are structs that `fathom_options_init` fills with
their defaults and `fathom_options_set` changes by name; their rows are those of the command line (`fathom COMMAND --help`).
"""


KEYS_HEAD = """# What --json prints

Made from `keys.txt` by `tools/reference.py --write`. One object; keys are added, never renamed. A number is null where it is
infinite or undefined. In Python the same names are attributes of the results. JSON Schemas for programs: [results](result.schema.json),
[model files](model.schema.json).
"""
KINDS = {"number": (int, float), "integer": int, "text": str, "yes/no": bool, "list": list, "object": dict, "null": type(None)}


class Member(typing.NamedTuple):
    """A row of keys.txt: kinds such as "list of point or null", the part that describes the objects in it or None, its unit or "", its meaning."""

    kind: str
    part: str | None
    unit: str
    meaning: str

    def is_kind(self, value):
        names = {name.split(" of ")[0] for name in self.kind.split(" or ")}
        return isinstance(value, bool) <= ("yes/no" in names) and any(isinstance(value, KINDS[name]) for name in [*names, "null"])


def sections():
    """({command: {key: Member}}, {part: {key: Member}}); what all commands have is under "every command". `+ part` is all of that part."""
    commands, parts = {}, {}
    for line in open(os.path.join(FOLDER, "keys.txt"), encoding="utf-8"):
        line = line.strip()
        if line.startswith("["):
            open_part = commands.setdefault(line[1:-1], {})
        elif line.startswith("("):
            open_part = parts.setdefault(line[1:-1], {})
        elif line.startswith("+ "):
            open_part.update(parts.get(line[2:]) or commands[line[2:]])
        elif line and not line.startswith("#"):
            key, kind, meaning = line.split(" | ")
            kind, _, unit = kind.partition(", ")
            part = re.search(r" of (.*?)(?: or |$)", kind)
            open_part[key] = Member(kind, part.group(1) if part else None, unit, meaning)
    return commands, parts


def undescribed(value, members, parts, where=""):
    """What a value has that its rows do not describe, or otherwise. Members without a part may be anything of their kind."""
    for key, one in value.items():
        if key not in members:
            yield f"{where}{key} is not described"
            continue
        row = members[key]
        if not row.is_kind(one):
            yield f"{where}{key} is described as {row.kind}, not {one!r:.60}"
        inside = [] if row.part is None else [one] if isinstance(one, dict) else one if isinstance(one, list) else []
        for entry in inside:
            yield from undescribed(entry, parts[row.part], parts, f"{where}{key}.")


def table(members):
    lines = ["| key | kind | meaning |\n|---|---|---|"]
    for key, row in members.items():
        kind = re.sub(r" of (.*?)( or |$)", lambda found: f" of [{found.group(1)}](#{found.group(1).replace(' ', '-')}){found.group(2)}", row.kind)
        lines.append(f"| `{key}` | {kind}{', ' if row.unit else ''}{row.unit} | {plain(row.meaning)} |")
    return lines


def keys_page():
    commands, parts = sections()
    lines = []
    for command, members in commands.items():
        lines += [f"\n## {'Every command' if command == 'every command' else 'fathom ' + command}\n", *table(members)]
    lines += ["\n## Parts\n\nObjects that stand in others, by the names that the tables above give them."]
    for part, members in parts.items():
        lines += [f"\n### {part}\n", *table(members)]
    return KEYS_HEAD + "\n".join(lines) + "\n"


def python_keys():
    """python/fathom/_keys.py: what the attributes of results mean."""
    commands, parts = sections()
    lines = ["# SPDX-License-Identifier: Apache-2.0", '"""What the members of results mean, by command. Made from docs/reference/keys.txt by tools/reference.py --write."""',
             "from __future__ import annotations", "", "MEANINGS: dict[str, dict[str, str]] = {"]
    for command, members in {**commands, "cone": {**parts["cone"], "reading": commands["cones"]["reading"]}}.items():
        lines += [f"    {json.dumps(command)}: {{", *(f"        {json.dumps(key)}: {json.dumps(row.meaning)}," for key, row in members.items()), "    },"]
    return "\n".join([*lines, "}"]) + "\n"


def schema():
    """A JSON Schema of what --json prints: members by command. Others may follow, and any may be null."""
    names = {"number": "number", "integer": "integer", "text": "string", "yes/no": "boolean", "list": "array", "object": "object", "null": "null"}

    def typed(members):
        found = {}
        for key, row in members.items():
            kinds = {names[kind.split(" of ")[0]] for kind in row.kind.split(" or ")} | {"null"}
            found[key] = {"type": sorted(kinds), "description": row.meaning + (f" ({row.unit})" if row.unit else "")}
            inside = {"$ref": f"#/definitions/{row.part.replace(' ', '_')}"} if row.part else {}
            if row.part and "array" in kinds:
                found[key]["items"] = inside
            elif row.part:
                found[key] = {"description": found[key]["description"], "anyOf": [inside, {"type": "null"}]}
        return found

    commands, parts = sections()
    every, *others = commands.items()
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "What fathom prints with --json", "type": "object", "required": ["command"],
            "properties": typed(every[1]),
            "allOf": [{"if": {"properties": {"command": {"const": command}, "error": False}}, "then": {"properties": typed(members)}}
                      for command, members in others],
            "definitions": {part.replace(" ", "_"): {"type": "object", "properties": typed(members)} for part, members in parts.items()}}


def compact(value):
    """JSON with one line for every object that fits."""
    text = json.dumps(value, indent=1)
    for _ in range(3):  # from the inside
        text = re.sub(r"([\[{])\n\s+([^\[\]{}\n]*(?:\n[^\[\]{}\n]*|[\[{][^\[\]{}\n]*[\]}][^\[\]{}\n]*)*?)\n\s+([\]}])",
                      lambda found: found.group(1) + re.sub(r"\n\s*", " ", found.group(2)) + found.group(3), text)
    return text + "\n"


def words(comment):
    """The text of a comment on one line, without stars; sketches of formulas (lines indented by more) end it."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.strip().removeprefix("/*").removesuffix("*/").split("\n")]
    kept = []
    for line in lines:
        if kept and (not line.strip() or line.startswith("  ")):
            break
        if line.strip():
            kept.append(line.strip())
    return " ".join(kept)


def plain(text):
    """For a cell of Markdown: no character means anything."""
    return re.sub(r"(?<!\\)([|<>*_\[\]])", r"\\\1", text)


def pieces(text):
    """(comment or "", declaration) of a header in order; what the preprocessor reads is left out."""
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = text.replace('extern "C" {', "")
    pattern = re.compile(r"(/\*(?:[^*]|\*(?!/))*\*/)|([^;{}/]+(?:\{(?:[^{}]|\{[^{}]*\})*\}[^;{}]*)?;)|([{}])|/", re.S)
    comment = ""
    for found in pattern.finditer(text):
        if found.group(1):
            comment = found.group(1)
        elif found.group(2):
            yield comment, " ".join(re.sub(r"/\*(?:[^*]|\*(?!/))*\*/", "", found.group(2)).split())
            comment = ""


def section(path):
    name = os.path.basename(path)
    text = open(path, encoding="utf-8").read()
    first, *rest = re.findall(r"/\*(?:[^*]|\*(?!/))*\*/", text)[1:2] or [""]
    del rest
    functions, types = [], []
    for comment, declaration in pieces(text[text.index("#define"):]):
        call = re.match(r"FATHOM_API (.*);$", declaration)
        if call:
            functions.append((call.group(1), words(comment)))
        kind = re.match(r"typedef (struct|enum) (\w+)(?: \{.*\} \w+)?", declaration)
        if kind:
            types.append((kind.group(2), words(comment)))
    options = re.findall(r"^FATHOM_OPTIONS_STRUCT\((\w+)", text, re.M)
    yield f"\n## fathom/{name}\n"
    yield plain(words(first)) + "\n" if first else ""
    if types or options:
        listed = [f"`{name}`" + (f" ({plain(said)})" if said else "") for name, said in types]
        yield "Types: " + "; ".join(listed + [f"`{name}` (options)" for name in options]) + ".\n"
    if functions:
        yield "| function | what it does |\n|---|---|"
        said = ""
        for call, comment in functions:
            said = comment or ("as above" if said else "")
            yield f"| `{call.replace('|', '/')}` | {plain(said)} |"


def page():
    headers = sorted(glob.glob(os.path.join(ROOT, "include", "fathom", "*.h")))
    lines = [line for path in headers if not path.endswith("/fathom.h") for line in section(path)]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    stale = []
    for name, made in (("c.md", page()), ("json.md", keys_page()), ("result.schema.json", compact(schema())),
                       (os.path.join(ROOT, "python", "fathom", "_keys.py"), python_keys())):
        path = os.path.join(FOLDER, name)
        if "--write" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != made:
            stale.append(f"{os.path.relpath(path, ROOT)} is not what its source says: tools/reference.py --write")
    sys.exit("\n".join(stale) or None)
