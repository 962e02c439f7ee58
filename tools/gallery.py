#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gallery.py BUILD [MINUTES]: the pictures of docs/measured/gallery/ and the page docs/measured/gallery.md, from runs of the program and a headless Chromium.

Every picture is a chart of a report page, as SVG where that is small and as PNG where it is not. Results of reproduced items are taken from
BUILD/gallery, so that a second call makes only what has changed; items that take longer than MINUTES (1) at quick sizes are left out.
"""
import base64
import json
import os
import re
import subprocess
import sys
import tempfile

import browser

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NUMBER = r"-?\d+\.\d{3,}(?:e-?\d+)?"
PANELS = {"001:fig2-5": (0, 1, 2, 6, 7, 8)}  # which panels of an item are shown, where they are not the first two
LIMIT, WIDTH = 60_000, 620  # bytes of a picture; pixels of the page it is taken from

# name, command line, what to report on (None: what it prints), which chart, a sentence
PICTURES = [
    ("regions", "train gen:outlier,n=60 --bias augment", None, 0,
     "The network of least loss plus penalty on two groups and one point far off, proven to be within a millionth of the best."),
    ("bound", "train gen:gauss,n=30,d=6,target=teacher --gap 1e-3 --time-limit 8", None, 0,
     "Value and proven bound of a training run over time."),
    ("function", "train gen:mixture1d,n=40 --bias free --beta-rel 0.01", None, 0,
     "The best function on the line is piecewise linear, with kinks at data points [001]."),
    ("gated", "train gen:xor,n=40 --model gated --gates 20", None, 0,
     "A gated network on four clusters: linear on each side of its gates, not continuous [000]."),
    ("path", "path gen:gauss,n=20,d=2 --points 12", None, 1, "Objective and proven bound along the penalty."),
    ("neurons", "path gen:gauss,n=20,d=2 --points 12", None, 2, "A larger penalty needs fewer neurons."),
    ("cones", "cones gen:gauss,n=7,d=2 --measure", None, 0,
     "Seven points cut the directions of a neuron into fourteen cones; the number is the Gaussian measure of each [000]."),
    ("sphere", "cones gen:gauss,n=6,d=3 --measure", None, 0,
     "The same in three dimensions: 32 cones on the sphere, from both sides."),
    ("failures", "margin gen:circle,n=8 --experiment --trials 60", None, 0,
     "Random gates fail until the width passes 1/gamma² [000, Theorem 7.2]."),
    ("spectrum", "kernel gen:gauss,n=60,d=5", None, 0, "Eigenvalues of the tangent kernel."),
    ("ellipsoid", "geometry gen:gauss,n=2,d=2 --polar --seed 6", None, 0,
     "The rectified ellipsoid of two rows and its convex hull [001, Figures 2 to 5]."),
    ("polar", "geometry gen:gauss,n=2,d=2 --polar --seed 6", None, 1, "Its polar set, in which the dual variable lies."),
    ("loss", "flow gen:twogauss,n=60,d=2 --net leaky:0.1 --width 20 --method flow --until log_loss=-12 --trace --log flow.jsonl", "flow.jsonl", 0,
     "Gradient flow of a leaky network: the loss over logarithmic time [004]."),
    ("margins", None, "flow.jsonl", 1, "Its margins over logarithmic time."),
    ("rotation", None, "flow.jsonl", 2, "How far its neurons turn: median and quantiles of the cosine to the start [003]."),
    ("norms", None, "flow.jsonl", 3, "Norms of its neurons, relative to the largest."),
    ("trajectories", None, "flow.jsonl", 4, "Where its neurons go: two groups, each along one direction [004]."),
    ("filters", "train gen:gauss,n=60,d=144,target=sign --model convex-rf --patch 5 --filters 24 -o image.json", "image.json", 0,
     "Filters from extreme points of patches (here of noise) [001, Section 8.1]."),
]


def run(program, line):
    """What a command line prints as JSON; codes 0 and 3 have a result."""
    done = subprocess.run([program, *line.split(), "--json", "--quiet"], capture_output=True, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"fathom {line}: {done.stderr}")
    return done.stdout


def small(svg):
    """The same picture on paper of its own, without names of single marks and with coordinates to a hundredth."""
    svg = re.sub(r' (aria-[a-z]+|role|pointer-events)="[^"]*"', "", svg)
    svg = re.sub(r' (d|transform|x1|x2|y1|y2|x|y)="([^"]*)"',
                 lambda m: f' {m[1]}="{re.sub(NUMBER, lambda n: format(round(float(n[0]), 2), "g"), m[2])}"', svg)
    return re.sub(r"(<svg[^>]*>)", r'\1<rect width="100%" height="100%" fill="#fdfdfc"/>', svg, count=1)


def take(page, program, result, chart):
    """One chart of the report on a result, as (ending, bytes)."""
    subprocess.run([program, "report", result, "-o", "page.html", "--quiet"], check=True)
    page.open("page.html")
    view = f"document.querySelectorAll('.chart')[{chart}].view"
    svg = small(page.evaluate(f"{view}.toSVG()"))
    if len(svg.encode()) <= LIMIT:
        return "svg", svg.encode()
    for scale in (1, 0.7, 0.5, 0.35):
        png = page.evaluate(f"""{view}.background("#fdfdfc").runAsync().then((v) => v.toImageURL("png", {scale}))""")
        data = base64.b64decode(png.split(",")[1])
        if len(data) <= LIMIT:
            break
    return "png", data


def write(name, ending, data):
    if len(data) > LIMIT:
        sys.exit(f"{name}.{ending} has {len(data)} bytes")
    for old in ("svg", "png"):
        path = os.path.join(ROOT, "docs", "measured", "gallery", f"{name}.{old}")
        if os.path.exists(path):
            os.remove(path)
    with open(os.path.join(ROOT, "docs", "measured", "gallery", f"{name}.{ending}"), "wb") as file:
        file.write(data)
    return f"gallery/{name}.{ending}"


def commands(page, program):
    """Blocks of the page for PICTURES."""
    line = ""
    for name, command, source, chart, words in PICTURES:
        if command:
            line = command
            with open("result.json", "w") as out:
                out.write(run(program, command))
        place = write(name, *take(page, program, source or "result.json", chart))
        yield f"![{words}]({place})\n\n{words} `fathom {line}`\n"


def items(page, program, folder, minutes):
    """One block per reproduced item: claim, verdict, its charts."""
    for item in json.loads(run(program, "reproduce --list"))["items"]:
        if not item["quick"] or (item["quick_minutes"] or 0) > minutes:
            continue
        try:
            result = json.loads(run(program, f"reproduce {item['id']} -o {folder} --quick"))
        except SystemExit as fault:  # the others have pictures all the same
            print(fault)
            continue
        found = "; ".join(f"{c['name']} {c['value']:.4g} ({c['relation']} {c['limit']:.10g})" for c in result.get("criteria", []) if c["value"] is not None)
        if result["verdict"] == "skipped":
            continue
        place = item["id"].replace(":", "-")
        file = os.path.join(folder, place, "result.json")
        count = json.loads(run(program, f"report {file} -o page.html"))["charts"]
        panels = PANELS.get(item["id"], range(min(count, 2)))
        pictures = [(place if k == 0 else f"{place}-{k + 1}", *take(page, program, file, k)) for k in panels]
        shown = [write(*p) for p in pictures if len(p[2]) <= LIMIT]
        yield (f"### {item['id']}: {item['what']}\n\n" + "".join(f"![{item['what']}]({s})\n\n" for s in shown)
               + f"The paper: {result['claim']} Found (quick sizes): **{result['verdict']}**. {found}.\n")


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    folder = os.path.join(os.path.abspath(sys.argv[1]), "gallery")
    if not browser.program():
        sys.exit("no Chromium on this machine (package chromium, or FATHOM_BROWSER)")
    os.makedirs(os.path.join(ROOT, "docs", "measured", "gallery"), exist_ok=True)
    os.makedirs(folder, exist_ok=True)
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    os.environ["FATHOM_SHARED"] = os.path.abspath(os.environ.get("FATHOM_SHARED", os.path.join(ROOT, "..", "shared")))
    with tempfile.TemporaryDirectory() as scratch, browser.Browser() as page:
        os.chdir(scratch)
        page.look(WIDTH, "light")
        first, second = list(commands(page, program)), list(items(page, program, folder, float(sys.argv[2]) if len(sys.argv) > 2 else 1))
    with open(os.path.join(ROOT, "docs", "measured", "gallery.md"), "w", encoding="utf-8") as out:
        out.write("# Gallery\n\nPictures of report pages (`fathom report`), made by `make gallery`. On the pages themselves they follow the light or dark "
                  "mode of the reader, tell values under the pointer, and can be saved as SVG or PNG.\n\n## Results of commands\n\n"
                  + "\n".join(first) + "\n## Figures and theorems of the papers\n\n" + "\n".join(second))
    print(f"{len(first) + len(second)} blocks in docs/measured/gallery.md")


if __name__ == "__main__":
    main()
