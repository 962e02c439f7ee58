#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""browser.py BUILD [--planted] [--keep FOLDER]: report pages in a headless Chromium.

One page for every kind of result, at 1280 and 400 pixels, light and dark: as many charts as the program counted, none empty, none wider than
its page, names for those who do not see them, text that stands out from its ground, no message on the console, nothing asked of a network,
an answer in words and a line to repeat it; both exports work; the network that the page evaluates is that of `fathom predict`. --keep leaves
screenshots. Results made to reach out (charts that load or link, markup in every text) ask nothing of a server that listens. Skipped (77) where there is no browser. --planted looks at one result, with a chart that cannot be drawn.
"""
import csv
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import browser  # noqa: E402

RUNS = {  # page: command line; the files that a line writes come before those who read them
    "train": "train gen:outlier,n=60 --bias augment -o plane.json",
    "numbers": "train gen:gauss,n=40,d=2,target=teacher --gap 0.1 --effort 0.2",
    "line": "train gen:mixture1d,n=40 --bias free --beta-rel 0.01 -o line.json",
    "gated": "train gen:xor,n=40 --model gated --gates 20 -o gated.json",
    "path": "path gen:gauss,n=20,d=2 --points 5 --cv 3",
    "fit": "fit builtin:iris --time 0",
    "margin": "margin gen:circle,n=8",
    "experiment": "margin gen:circle,n=8 --experiment --trials 20",
    "margins": "margin gen:outlier,n=60 --bias augment --model plane.json",
    "cones2": "cones gen:gauss,n=7,d=2 --measure --faces",
    "cones3": "cones gen:gauss,n=6,d=3 --measure",
    "kernel": "kernel gen:gauss,n=30,d=5",
    "sets": "geometry gen:gauss,n=2,d=2 --polar",
    "flow": "flow gen:xor,n=40 --net leaky --width 12 --until steps=200 --trace --log flow.jsonl",
    "check": "check gen:collapse,r=3,d=4,n=12 --theorem 003:3.1",
    "predict": "predict plane.json gen:outlier,n=60",
    "images": "train gen:gauss,n=30,d=36,target=sign --model convex-rf --patch 3 --filters 5 -o image.json",
    "convert": "convert plane.json --to gated --data gen:outlier,n=60 -o other.json",
    "explain": "explain plane.json gen:outlier,n=60 --rows 0:6",
    "counts": "cones gen:gauss,n=9,d=4",
    "geometry": "geometry gen:gauss,n=20,d=4",
    "fit-numbers": "fit gen:gauss,n=60,d=3,target=teacher,noise=0.1 --time 0.5",
    "global": "margin gen:circle,n=8 --kind global",
    "gen": "gen gen:circle,n=8 -o circle.csv",
    "info": "info plane.json",
    "certificate": "train gen:circle,n=8 --certificate circle.cert",
    "reproduce": "reproduce 000:thm7.3 -o figures",
}
FILES = {"model-plane": "plane.json", "model-line": "line.json", "model-gated": "gated.json", "model-image": "image.json", "log": "flow.jsonl",
         "proof": "circle.cert", "item": "figures/000-thm7.3/result.json"}
LOOKS = [(width, scheme) for width in (1280, 400) for scheme in ("light", "dark")]

# What a page shows, as one object.
LOOK = """(() => {
  const lum = (c) => { const v = c.match(/[\\d.]+/g).slice(0, 3).map((x) => x / 255).map((x) => (x <= 0.04 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4)); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const contrast = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const ground = getComputedStyle(document.body).backgroundColor;
  const charts = [...document.querySelectorAll(".chart")].map((box) => {
    const svg = box.querySelector("svg.marks"), marks = svg ? [...svg.querySelectorAll(".mark-symbol path, .mark-line path, .mark-rect path, .mark-area path, .mark-arc path, .mark-rule line, .mark-image image")] : [];
    const texts = svg ? [...svg.querySelectorAll(".role-axis-label text, .role-axis-title text, .role-legend-label text")].filter((t) => t.textContent && getComputedStyle(t).opacity !== "0") : [];
    return { marks: marks.filter((m) => { const r = m.getBBox(); return r.width + r.height > 0; }).length, name: box.getAttribute("aria-label"), right: svg ? svg.getBoundingClientRect().right : 0, height: svg ? svg.getBoundingClientRect().height : 0,
      contrast: Math.min(99, ...texts.map((t) => contrast(getComputedStyle(t).fill, ground))), small: Math.min(99, ...texts.map((t) => parseFloat(getComputedStyle(t).fontSize))) };
  });
  return { charts, wide: document.documentElement.scrollWidth - innerWidth, answers: document.querySelectorAll(".answer").length, asked: document.querySelectorAll(".asked").length,
    repeats: document.querySelectorAll("pre").length, contrast: contrast(getComputedStyle(document.body).color, ground), text: document.body.innerText };
})()"""


def judge(name, seen, charts):
    """Faults of one look at a page that has so many charts."""
    drawn = [c for c in seen["charts"] if c["marks"] > 0]
    if len(drawn) < charts or len(drawn) < len(seen["charts"]):
        yield f"{len(drawn)} of {charts} charts have marks"
    for c in seen["charts"]:
        if not c["name"]:
            yield "a chart without a name"
        if c["contrast"] < 4.5 or c["small"] < 10:
            yield f"{c['name']}: contrast {c['contrast']:.2f}, letters of {c['small']} pixels"
        if c["height"] > 1200:
            yield f"{c['name']}: {c['height']} pixels high"
    if seen["wide"] > 0:
        yield f"{seen['wide']} pixels wider than its window"
    if seen["contrast"] < 7 or not seen["asked"]:
        yield f"contrast of its text {seen['contrast']:.2f}, {seen['asked']} questions"
    if not seen["answers"] and not name.startswith(("model", "info")):
        yield "no answer"
    if "NaN" in seen["text"] or "undefined" in seen["text"]:
        yield "words about an undefined value"


def make_pages(fathom, planted):
    """name: (page, number of charts) of every kind of result."""
    pages = {}
    for name, line in () if planted else RUNS.items():
        with open(f"{name}.result", "w") as out:
            code = subprocess.run([fathom, *line.split(), "--json", "--quiet"], stdout=out).returncode
        if code not in (0, 3):
            sys.exit(f"fathom {line}: exit code {code}")
    if planted:
        with open("planted.result", "w") as out:
            json.dump({"command": "gen", "rows": 1, "columns": 1, "t": [{"x": 1}],
                       "charts": [{"needs": "t", "title": "planted", "alt": "planted", "spec": {"mark": "no such mark"}}]}, out)
    files = {"planted": "planted.result"} if planted else {**{n: f"{n}.result" for n in RUNS}, **FILES}
    for name, file in files.items():
        run = subprocess.run([fathom, "report", file, "-o", f"{name}.html", "--json"], capture_output=True, text=True)
        if run.returncode:
            sys.exit(f"fathom report {file}: {run.stderr}")
        pages[name] = (f"{name}.html", json.loads(run.stdout)["charts"])
    return pages


def check_exports(page, name):
    """The SVG and PNG of every chart, and the menu that gives them."""
    for k in range(page.evaluate("document.querySelectorAll('.chart').length")):
        if not page.evaluate(f"Boolean(document.querySelectorAll('.chart')[{k}].view)"):
            yield f"{name}: chart {k} was not drawn"
            continue
        svg = page.evaluate(f"document.querySelectorAll('.chart')[{k}].view.toSVG()")
        png = page.evaluate(f"document.querySelectorAll('.chart')[{k}].view.toImageURL('png')")
        links = page.evaluate(f"document.querySelectorAll('.chart')[{k}].querySelectorAll('.vega-actions a').length")
        if not svg.startswith("<svg") or not png.startswith("data:image/png") or links != 2:
            yield f"{name}: chart {k} does not export ({links} links)"


def check_network(page, fathom, model, data):
    """The page's network is the program's, to rounding."""
    subprocess.run([fathom, "gen", data, "-o", "points.csv", "--quiet"], check=True)
    run = subprocess.run([fathom, "predict", model, "points.csv", "--json"], capture_output=True, text=True, check=True)
    outputs = [row[0] for row in json.loads(run.stdout)["outputs"]]
    with open("points.csv", newline="") as file:
        rows = [row[:-1] for row in csv.reader(file)]
    points = [[float(v) for v in row] for row in (rows if len(rows) == len(outputs) else rows[1:])]
    ours = page.evaluate(f"{json.dumps(points)}.map(functionOf(results[0].result.network))")
    worst = max(abs(a - b) / (1 + abs(b)) for a, b in zip(ours, outputs))
    if len(ours) != len(outputs) or not worst <= 1e-12:
        yield f"{model}: the page's network differs by {worst} from fathom predict"


def check_bounds(page):
    """Bounds of margins close in, whatever stages say of problems of their own."""
    rows = [{"stage": stage, "value": value, "bound": bound, "seconds": k} for k, (stage, value, bound) in enumerate(
        [("kernel bounds", 0.4, 0.1), ("interior point", 0.9, 0), ("interior point", 0.2, 0.19), ("sampling", 0.39, 0.12), ("sampling", 0.5, 0.11)])]
    half = [{"value": value, "bound": bound, "seconds": k} for k, (value, bound) in enumerate([(None, None), (5, None), (4, 1), (4.5, 0.5), (None, 2)])]
    for own, expected in ((rows, [[0.4, 0.1], [0.39, 0.12], [0.39, 0.12]]), (rows[:3], [[0.4, 0.1], [0.4, 0.1], [0.2, 0.19]]),
                          (half, [[5, None], [4, 1], [4, 1], [4, 2]])):
        shown = page.evaluate(f"known({json.dumps(own)}).map((r) => [r.value, r.bound])")
        if shown != expected:
            yield f"bounds over time are shown as {shown}, not {expected}"


class Listener(http.server.BaseHTTPRequestHandler):
    """Writes down whatever is asked of it."""
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(404)
        self.end_headers()

    def log_message(self, *_):
        pass


def hostile_results(base):
    """Results that try to load, link, run or leave, one attempt a chart."""
    markup = f"</script><img src={base}/markup onerror=\"fetch('{base}/handler')\"><script>fetch('{base}/script')</script>"
    x = {"x": {"field": "a", "type": "quantitative"}}
    specs = [
        {"data": {"url": f"{base}/data.json"}, "mark": "point", "encoding": x},
        {"data": {"values": [{"a": 1}]}, "mark": {"type": "image", "url": f"{base}/image.png"}, "encoding": x},
        {"data": {"values": [{"a": 1, "u": f"{base}/field.png"}]}, "mark": "image", "encoding": {**x, "url": {"field": "u"}}},
        {"data": {"values": [{"a": 1}]}, "mark": {"type": "point", "href": f"javascript:fetch('{base}/href')"}, "encoding": x},
        {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": {**x, "href": {"value": f"{base}/encoded"}}},
        {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": x,
         "usermeta": {"embedOptions": {"config": f"{base}/config.json", "patch": f"{base}/patch.json", "actions": True}}},
        {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": x, "params": [{"name": "p", "expr": f"warn('{base}/expr')"}],
         "transform": [{"lookup": "a", "from": {"data": {"url": f"{base}/lookup.csv"}, "key": "a"}}]},
        {"data": {"values": [{"a": 1}]}, "mark": "point", "encoding": x,
         "transform": [{"calculate": f"constructor.constructor('fetch(\"{base}/calculate\")')()", "as": "b"}]},
    ]
    values, far = {"values": [{"a": 1, "image": f"{base}/tooltip.png", "title": markup}]}, f"url({base}/style.png)"
    inner = {"data": {"url": f"{base}/inner.csv"}, "mark": "point", "encoding": x}
    specs += [{"data": values, kind: [inner, inner]} for kind in ("layer", "hconcat", "vconcat", "concat")]
    specs += [
        {"data": values, "facet": {"field": "a"}, "spec": inner},
        {"data": values, "repeat": ["a"], "spec": inner},
        {"data": {"name": "d"}, "datasets": {"d": f"{base}/named.json"}, "mark": "point", "encoding": x},
        {"data": {"url": f"{base}/map.json", "format": {"type": "topojson", "feature": "a"}}, "mark": "geoshape"},
        {"data": {"sequence": {"start": 0, "stop": 3, "as": "a"}}, "mark": {"type": "text", "text": markup, "href": "DATA:text/html,x"}, "encoding": x},
        {"data": values, "mark": {"type": "point", "tooltip": {"content": "data"}, "size": 1e5}, "encoding": x},
        {"data": values, "mark": {"type": "bar", "fill": far, "stroke": far, "cursor": far, "font": far}, "encoding": x, "background": far,
         "config": {"background": far, "font": f"x'; src: {far}", "view": {"fill": far, "cursor": far}, "axis": {"labelColor": far}}},
        {"data": values, "mark": "point", "encoding": x, "params": [{"name": "p", "value": 1, "bind": {"element": "body", "input": "range"}},
                                                                   {"name": "q", "bind": {"input": "url", "name": markup}}]},
        {"data": values, "mark": "point", "title": {"text": markup, "subtitle": markup}, "description": markup,
         "encoding": {"x": {"field": "a", "type": "nominal", "axis": {"title": markup, "labelExpr": f"warn('{base}/label') + '{base}/label'"}}}},
        {"$schema": f"{base}/schema.json", "data": values, "mark": "point", "encoding": {**x, "HREF": {"value": "java\tscript:alert(1)"},
         "href": {"condition": {"test": "true", "value": f" jAvAsCrIpT:fetch('{base}/condition')"}, "value": "//x/"}}},
    ]
    charts = [{"needs": "rows", "title": markup, "alt": markup, "spec": spec} for spec in specs]
    charts += [{"needs": "rows", "title": "where", "where": where, "spec": {"mark": "point"}}
               for where in ("warn(datum.a) || window", f"event.view.fetch('{base}/where')")]
    charts += [{"needs": "rows", "title": "kind", "kind": kind} for kind in ("constructor", "__proto__", "toString")]
    texts = {k: markup for k in ("status", "loss", "bound", "method", "note", "data", "version", "id", markup)}
    yield {"command": "train", "n": 1, "d": 1, "objective": 2, "lower_bound": 1, "rows": [{"a": 1, markup: markup}], **texts, "arguments": [markup],
           "charts": charts}
    for command in ("fit", "path", "margin", "cones", "kernel", "geometry", "flow", "check", "predict", "explain", "convert", "info"):
        rows = [{"a": 1, "label": markup, "class": markup, "output": markup, "neuron": markup, "pattern": markup, "columns": {markup: 1}}]
        yield {"command": command, "n": 1, "d": 1, **texts, "target": markup, "classes": [markup, f"\x1b]0;{markup}\x07"], "names": [markup], "rows": rows, "path": rows,
               "points": rows, "important": rows, "arguments": [markup, base], "hypotheses": [{"name": markup, "holds": markup}], "table": {markup: rows}}
    pages = (f"javascript:fetch('{base}/page')", f"{base}/page.html", f"//{base[7:]}/page.html", "../../etc/page.html", "\\tjavascript:alert(1).html")
    yield {"command": "reproduce", "items": [{"id": markup, "verdict": "match", "page": page, "what": markup, "claim": markup, "criteria": [
        {"name": markup, "value": 1, "relation": markup, "limit": 1, "holds": True}]} for page in pages]}


def check_hostile(page, fathom):
    """Pages of hostile results ask for nothing, link to nothing outside, and stay where they are."""
    server = http.server.HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for k, result in enumerate(hostile_results(f"http://127.0.0.1:{server.server_port}")):
        with open(f"hostile{k}.result", "w") as file:
            json.dump(result, file)
        run = subprocess.run([fathom, "report", f"hostile{k}.result", "-o", f"hostile{k}.html"], capture_output=True, text=True)
        if run.returncode:
            yield f"hostile {k}: exit code {run.returncode}: {run.stderr}"
            continue
        page.faults.clear()
        page.open(f"hostile{k}.html")
        page.evaluate("document.querySelectorAll('a').forEach((a) => { if (!a.closest('.vega-embed')) a.click(); })")
        page.evaluate("document.querySelectorAll('.vega-embed svg path, .vega-embed canvas').forEach((mark) => ['mousemove', 'mouseover', 'pointermove', "
                      "'click'].forEach((kind) => { const r = mark.getBoundingClientRect(); mark.dispatchEvent(new MouseEvent(kind, {bubbles: true, view: window, "
                      "clientX: r.x + r.width / 2, clientY: r.y + r.height / 2})); }))")
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 300))")
        links = page.evaluate("[...document.querySelectorAll('a, image')].map((a) => a.getAttribute('href') || '').filter((h) => /^[a-z]+:|^\\/|\\.\\./i.test(h) && !/^(data|blob):/.test(h))")
        yield from (f"hostile {k}: {what}" for what in (*Listener.asked, *links, *(f for f in page.faults if f.startswith("a request to"))))
        if not page.evaluate("location.href").startswith("file:") or page.evaluate("document.querySelectorAll('img').length"):
            yield f"hostile {k}: the page was left, or holds an image"
        if "spec" in json.dumps(result.get("charts", "")) and not page.evaluate("document.querySelectorAll('figure .chart svg').length"):
            yield f"hostile {k}: no chart is left on its page"
        Listener.asked.clear()
    server.shutdown()


def problems(fathom, planted, keep):
    pages = make_pages(fathom, planted)
    with browser.Browser() as page:
        for name, (file, charts) in pages.items():
            for width, scheme in LOOKS:
                page.faults.clear()
                page.look(width, scheme)
                page.open(file)
                for fault in [*judge(name, page.evaluate(LOOK), charts), *page.faults]:
                    yield f"{name}, {width} pixels, {scheme}: {fault}"
                if keep:
                    page.screenshot(os.path.join(keep, f"{name}-{width}-{scheme}.png"))
            yield from check_exports(page, name)
        if planted:
            return
        for name, data in (("plane", "gen:outlier,n=60"), ("line", "gen:mixture1d,n=40"), ("gated", "gen:xor,n=40")):
            page.open(f"model-{name}.html")
            yield from check_network(page, fathom, f"{name}.json", data)
        yield from check_bounds(page)
        yield from check_hostile(page, fathom)


if __name__ == "__main__":
    if not browser.program():
        print("no Chromium on this machine (package chromium, or FATHOM_BROWSER): skipped")
        sys.exit(77)
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    folder = os.path.abspath(sys.argv[sys.argv.index("--keep") + 1]) if "--keep" in sys.argv else None
    if folder:
        os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        found = list(problems(program, "--planted" in sys.argv, folder))
    print(*found, f"{len(RUNS) + len(FILES)} pages at {len(LOOKS)} looks, {len(found)} problems", sep="\n")
    sys.exit(bool(found))
