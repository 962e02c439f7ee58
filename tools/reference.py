#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reference.py [--write]: docs/reference/c.md, the C interface as the public headers state it, and docs/reference/json.md, the members of
what --json prints, from docs/reference/keys.txt; the same for programs in docs/reference/result.schema.json.

Every function, type and option list of include/fathom/*.h with the comment that stands before it. Without --write: says whether the pages are
what the headers and the list give, exit code 1 where not.
"""
import glob
import json
import os
import re
import sys

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


def keys():
    """{command: {key: (kind, meaning)}}; those of every command under "every command"."""
    found = {}
    for line in open(os.path.join(FOLDER, "keys.txt"), encoding="utf-8"):
        if line.startswith("["):
            part = found.setdefault(line.strip()[1:-1], {})
        elif line.strip() and not line.startswith("#"):
            key, kind, meaning = line.strip().split(" | ")
            part[key] = (kind, meaning)
    return found


def is_kind(value, kind):
    """Whether a value is of a kind such as "number or null"."""
    names = kind.split(" or ")
    return isinstance(value, bool) <= ("yes/no" in names) and any(isinstance(value, KINDS[name]) for name in [*names, "null"])


def keys_page():
    lines = []
    for command, members in keys().items():
        lines.append(f"\n## {'Every command' if command == 'every command' else 'fathom ' + command}\n\n| key | kind | meaning |\n|---|---|---|")
        lines += [f"| `{key}` | {kind} | {plain(meaning)} |" for key, (kind, meaning) in members.items()]
    return KEYS_HEAD + "\n".join(lines) + "\n"


def schema():
    """A JSON Schema of what --json prints: members by command. Others may follow, and any may be null."""
    names = {"number": "number", "integer": "integer", "text": "string", "yes/no": "boolean", "list": "array", "object": "object", "null": "null"}

    def typed(members):
        kinds = {key: sorted({names[kind] for kind in said.split(" or ")} | {"null"}) for key, (said, _) in members.items()}
        return {key: {"type": kinds[key], "description": members[key][1]} for key in members}

    every, *commands = keys().items()
    return {"$schema": "http://json-schema.org/draft-07/schema#", "title": "What fathom prints with --json", "type": "object", "required": ["command"],
            "properties": typed(every[1]),
            "allOf": [{"if": {"properties": {"command": {"const": command}, "error": False}}, "then": {"properties": typed(members)}}
                      for command, members in commands]}


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
    for name, made in (("c.md", page()), ("json.md", keys_page()), ("result.schema.json", json.dumps(schema(), indent=1) + "\n")):
        path = os.path.join(FOLDER, name)
        if "--write" in sys.argv:
            with open(path, "w", encoding="utf-8") as file:
                file.write(made)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != made:
            stale.append(f"docs/reference/{name} is not what its source says: tools/reference.py --write")
    sys.exit("\n".join(stale) or None)
