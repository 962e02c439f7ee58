#!/usr/bin/env python3
"""recipes.py BUILD [--planted]: recipes of others, and recipes that were interrupted.

Hostile recipes (paths, endless loops, deep nesting, long texts, other programs) end with exit code 5 and the file's name before anything is run,
within seconds and little memory; nothing is written beside the folder that was asked for. A recipe that signals end again and again, and that is
started again each time, has the result of one that nobody disturbed, bit for bit; what was finished is not run again, what was cut or damaged is. Paths may have blanks.
--planted resumes with another seed.
"""
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

SECONDS, BYTES = 20, 2 << 30  # of processor time and address space that a hostile recipe may take


def recipe(**more):
    return {"id": "a", "steps": [{"name": "t", "run": "margin gen:circle,n=8", "keep": ["value"]}], **more}


def step(**more):
    return recipe(steps=[{"name": "t", "run": "margin gen:circle,n=8", "keep": ["value"], **more}])


def run(line, **more):
    return step(run=line, **more)


def loop(values, line="margin gen:circle,n={n}"):
    return run(line, **{"for": [{"name": "n", "values": values}]})


def criterion(value):
    return recipe(criteria=[{"name": "c", "value": value, "relation": ">", "limit": 0}])


def nested(depth):
    return '{"id": "a", "charts": ' + "[" * depth + "]" * depth + "}"


PATHS = ["../x.csv", "/tmp/fathom-hostile.csv", "{folder}/../x.csv", "{folder}/a/../../../x.csv", "{folder}/.x", "{folder}/", "{folder}/a/x.csv", "-", "x.csv"]
HOSTILE = {  # what it tries: the recipe, as an object or as text
    **{f"output {p}": run(f"gen gen:circle,n=8 -o {p}") for p in PATHS},
    **{f"glued output {p}": run(f"gen gen:circle,n=8 --output={p}") for p in PATHS[:3]},
    **{f"model {p}": run(f"train gen:circle,n=8 -o {p}") for p in PATHS[:4]},
    **{f"log {p}": run(f"flow gen:circle,n=8 --log {p}") for p in PATHS[:4] + ["-"]},
    **{f"certificate {p}": run(f"train gen:circle,n=8 --certificate {p}") for p in PATHS[:4]},
    **{f"checkpoint {p}": run(f"flow gen:circle,n=8 --checkpoint {p}") for p in PATHS[:3]},
    **{f"written {p}": recipe(steps=[{"write": p, "text": "x"}]) for p in ("../x", "/tmp/fathom-hostile", "a/b", ".x", "..", "", "result.json", "page.html", "x" * 300)},
    **{f"read {p}": recipe(steps=[{"name": "t", "read": p}]) for p in ("/etc/passwd", "../secret.csv", "{folder}/../secret.csv", "{folder}/../../secret.csv", "secret.csv")},
    **{f"id {i!r}": recipe(id=i) for i in ("../x", "..", ".", "", "a/b", "x" * 200, "a\nb", "a\u001b[2J")},
    **{f"step {i!r}": step(name=i) for i in ("../x", "", "a/b", "x" * 300, "a.b", "charts", "criteria")},
    "output by a loop": loop(["../../x"], "gen gen:circle,n=8 -o {folder}/{n}"),
    "words by a loop": loop(["8 -o ../x.csv"], "gen gen:circle,n={n}"),
    "hole by a loop": loop(["{folder}/../x.csv"], "gen gen:circle,n=8 -o {n}"),
    **{f"command {c!r}": run(c) for c in ("sh -c ls", "/bin/sh", "reproduce all", "completion bash", "doctor", "--help", "", "margin --help", "manual", "margin;ls gen:circle", "$(ls)")},
    "all numbers": loop({"from": 1, "to": 1e15}),
    "no step": loop({"from": 1, "to": 2, "step": 0}),
    "a step back": loop({"from": 1, "to": 2, "step": -1}),
    "a tiny step": loop({"from": 0, "to": 1, "step": 1e-18}),
    "times one": loop({"from": 1, "to": 2, "times": 1}),
    "times almost one": loop({"from": 1, "to": 2, "times": 1.0000000001}),
    "times nothing": loop({"from": 1, "to": 2, "times": 0}),
    "an infinite loop": '{"id": "a", "steps": [{"name": "t", "run": "margin gen:circle,n={n}", "for": [{"name": "n", "values": {"from": 1, "to": 1e999}}], "keep": ["value"]}]}',
    "loops in loops": run("margin gen:circle,n=8 --seed {a}", **{"for": [{"name": c, "values": {"from": 1, "to": 1000}} for c in "abcdefgh"]}),
    "too many loops": run("margin gen:circle,n=8", **{"for": [{"name": f"a{k}", "values": [1]} for k in range(20)]}),
    "steps without end": recipe(steps=[{"name": f"t{k}", "run": "margin gen:circle,n=8", "keep": ["value"]} for k in range(5000)]),
    "recipes without end": [recipe(id=f"a{k}") for k in range(5000)],
    "one folder twice": [recipe(id="a:b"), recipe(id="a-b")],
    "a deep list": nested(1000000),
    "deep objects": '{"a":' * 300000 + "1" + "}" * 300000,
    "deep brackets": criterion("(" * 100000 + "1" + ")" * 100000),
    "deep signs": criterion("-" * 200000 + "1"),
    "a deep call": criterion("abs(" * 50000 + "1" + ")" * 50000),
    "a long sum": criterion("1" + "+1" * 500000),
    "a long power": criterion("2" + "^2" * 300000),
    "a long line": run("margin gen:circle,n=8 " + "--seed 1 " * 100000),
    "a long word": run("margin gen:circle,n=" + "8" * 1000000),
    "a long name": recipe(what="x" * (5 << 20)),
    "a hole without end": run("margin {" + "n" * 100000),
    "no text": "\x00\x01\x02",
    "a torn text": '{"id": "a", "steps": [{"name": "t", "ru',
    "bytes that are no text": b'{"id": "\xff\xfe"}',
    "a number for a list": recipe(steps=3),
    "a text for a step": recipe(steps=["margin"]),
    "no steps": recipe(steps=[]),
    "numbers for texts": {"id": 3, "steps": [{"name": 4, "run": 5}]},
}


def limited():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tree(folder):
    """Every file with its content."""
    return {os.path.join(place, name): open(os.path.join(place, name), "rb").read() for place, _, names in os.walk(folder) for name in names}


def hostile(fathom):
    for name, content in HOSTILE.items():
        with tempfile.TemporaryDirectory() as scratch:
            inner = os.path.join(scratch, "inner")
            os.mkdir(inner)
            with open(os.path.join(inner, "bad.json"), "wb") as file:
                file.write(content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode())
            for place in (scratch, inner):
                with open(os.path.join(place, "secret.csv"), "w") as file:
                    file.write("1,2\n")
            before = tree(scratch)
            done = subprocess.run([fathom, "reproduce", "bad.json", "-o", "out", "-q"], cwd=inner, capture_output=True, preexec_fn=limited, stdin=subprocess.DEVNULL)
            text = done.stderr.decode(errors="replace")
            if done.returncode != 5 or "bad.json" not in text:
                yield f"{name}: exit code {done.returncode}: {text.strip()[:200]!r}"
            if re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text):
                yield f"{name}: control characters in {text[:200]!r}"
            if tree(scratch) != before:
                yield f"{name}: files changed: {sorted(set(tree(scratch)) ^ set(before))[:3]}"
    if os.path.exists("/tmp/fathom-hostile.csv") or os.path.exists("/tmp/fathom-hostile"):
        yield "a file was written outside"


STATES = {
    "id": "s", "draws": "seed", "share": 0.5,
    "steps": [
        {"name": "start", "run": "flow gen:xor,n=16 --net huber --width 20 --until steps=5 -o {folder}/start.json", "keep": ["log_loss"]},
        {"name": "f", "run": "flow gen:xor,n=64 --net huber --width {width} --until steps=500 --every 100 --seed {seed}",
         "for": [{"name": "width", "values": [20, 40]}, {"name": "seed", "values": {"from": 1, "to": 4}}], "keep": ["log_loss", "norm"], "also": [{"name": "curve", "log": ["steps", "log_loss"]}]},
    ],
    "criteria": [{"name": "c", "value": "max(f.log_loss)", "relation": "<", "limit": 0}],
}
RUNS = 9


def result(folder):
    with open(os.path.join(folder, "s", "result.json")) as file:
        return {key: value for key, value in json.load(file).items() if key != "processor_seconds"}


def outputs(folder):
    """Finished runs and when they were written."""
    place = os.path.join(folder, "s")
    names = [name for name in os.listdir(place) if re.fullmatch(r"(f|start)-\d+\.json", name)] if os.path.isdir(place) else []
    return {name: os.stat(os.path.join(place, name)).st_mtime_ns for name in names}


def interrupted(fathom, planted):
    with open("states.json", "w") as file:
        json.dump(STATES, file)
    line = [fathom, "reproduce", "states.json", "-q"]
    subprocess.run([*line, "-o", "whole"], check=True, stdout=subprocess.DEVNULL)
    whole = result("whole")
    for number, sent in enumerate((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)):
        folder, kept = f"cut{number}", {}
        for goal in (2, 5, 8):  # end it once so many runs are there
            process = subprocess.Popen([*line, "-o", folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and len(outputs(folder)) < goal:
                time.sleep(0.005)
            process.send_signal(sent)
            process.wait()
            again = [name for name, when in kept.items() if outputs(folder).get(name) != when]
            if again:
                yield f"{sent.name}: run again though finished: {again}"
            kept = outputs(folder)
        if number == 2 and len(kept) > 1:  # a kept run that was damaged, and what a run that was cut left behind
            with open(os.path.join(folder, "s", sorted(kept)[0]), "r+") as file:
                file.truncate(20)
            with open(os.path.join(folder, "s", "f-7.json.part"), "w") as file:
                file.write("{}")
        done = subprocess.run([*line, "-o", folder, *(["--seed", "2"] if planted else [])], capture_output=True, text=True)
        if done.returncode != 0 or len(outputs(folder)) != RUNS:
            yield f"{sent.name}: exit code {done.returncode}, {len(outputs(folder))} runs: {done.stderr.strip()}"
        elif json.dumps(result(folder)).replace(folder, "whole") != json.dumps(whole):
            yield f"{sent.name}: a resumed recipe gives DIFFERENT BITS"


def elsewhere(fathom):
    """A folder whose path has blanks: lines name files in it, loops have values of several words."""
    steps = [{"name": "data", "run": "gen gen:circle,n=8 -o {folder}/c.csv", "keep": ["rows"]},
             {"name": "t", "run": "margin {folder}/c.csv {how}", "keep": ["value"],
              "for": [{"name": "how", "values": ["--kind ntk", "--kind linear --threads 1"]}]}]
    with open("places.json", "w") as file:
        json.dump({"id": "p", "steps": steps}, file)
    done = subprocess.run([fathom, "reproduce", "places.json", "-q", "-o", "a folder of mine"], capture_output=True, text=True)
    if done.returncode != 0 or not os.path.exists("a folder of mine/p/t-1.json"):
        yield f"blanks in a path: exit code {done.returncode}: {done.stderr.strip()}"


def main(build, planted):
    fathom = os.path.join(build, "fathom")
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        faults = list(interrupted(fathom, planted)) + ([] if planted else [*hostile(fathom), *elsewhere(fathom)])
        os.chdir("/")
    print("\n".join(faults))
    print(f"{len(HOSTILE)} hostile recipes, 3 interrupted ones: {len(faults)} faults")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv))
