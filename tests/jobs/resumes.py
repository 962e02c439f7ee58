#!/usr/bin/env python3
"""resumes.py BUILD [--runs N] [--long] [--only WORDS] [--planted]: what a signal interrupts and a checkpoint resumes ends as if nothing had happened.

Each line is run to its end, then N times with a checkpoint and a signal (SIGTERM, SIGKILL in turn) at a random moment,
then resumed: every number that the two print is the same, bit for bit. A state without content is read back as well; nothing that
is written into a state by hand is believed; certificates go along with states. --only: lines that begin with these words. --planted changes the seed of the resumed run.
"""
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

LINES = [
    "train gen:gauss,n=400,d=15,target=teacher --model gated --gates 200 --beta-rel 1e-3",
    "train gen:gauss,n=200,d=10,target=sign --model gated --gates 100 --beta-rel 1e-2 --loss logistic",
    "train gen:gauss,n=40,d=3,target=teacher --method cells --beta-rel 1e-3",
    "train gen:gauss,n=60,d=4,target=teacher --beta-rel 1e-2 --method columns",
]
SAMPLED = "margin gen:gauss,n=20,d=8,target=sign --gap 0.03"
GLOBAL = [  # all flats visited; prices by ascent, then branching; free biases
    "margin gen:gauss,n=30,d=4,target=sign --kind global",
    "margin gen:gauss,n=40,d=8,target=sign --kind global",
    "margin gen:gauss,n=20,d=2,target=sign --kind global --bias free",
]
FINITE = [  # interior point, the paper's descent, a working set, all cells, the restarted primal-dual method
    "margin gen:gauss,n=300,d=20,target=sign --width 300",
    "margin gen:gauss,n=40,d=6,target=sign --width 40 --method paper-gd",
    "margin gen:gauss,n=3000,d=3,target=sign --kind linear",
    "margin gen:gauss,n=80,d=3,target=sign",
    "margin gen:gauss,n=2000,d=6,target=sign --width 20000 --gap 0.5",
]
PATHS = [  # their points one by one, and the best of the cross-validation
    "path gen:gauss,n=200,d=10,target=teacher --model gated --gates 100 --points 6 --cv 2",
    "path gen:gauss,n=30,d=3,target=teacher --points 4 --cv 2 --gap 1e-4",
    "path gen:gauss,n=150,d=8,target=sign --loss logistic --model gated --gates 60 --points 5 --cv 3",
    "path gen:gauss,n=50,d=5,target=teacher --points 4 --gap 2e-2 --effort 4",
]
FITS = [  # choice, explanation and last network; the clock of --time must not cut them
    "fit gen:gauss,n=60,d=3,target=teacher --time 100 --folds 4",
    "fit builtin:iris --time 100 --repeats 2 --choose one-se --average",
]
EMPTY = "train gen:gauss,n=30,d=4,target=teacher --method cells --beta-rel 1.5"
LONG = "--long" in sys.argv
KEYS = ("objective", "lower_bound", "norm", "iterations", "neurons")


def run(fathom, line, *more):
    return subprocess.run([fathom, *line.split(), "--json", "-q", *more], capture_output=True, text=True)


def numbers(result):
    """What an undisturbed run and a resumed one must share."""
    if "path" in result:
        return {f"{key} of point {k}": point[key] for k, point in enumerate([*result["path"], result["best"] or {}])
                for key in (*KEYS, "index", "cv_loss", "cv_error") if key in point}
    if "cv" in result:  # all but clocks and words of the command line
        return {key: value for key, value in result.items() if key not in ("seconds", "stages", "progress", "arguments")}
    if result.get("kind") == "global" or result.get("command") == "margin" and "asymptotic_lower" not in result:
        return {key: result[key] for key in ("lower", "upper", "iterations", "method", "status") if key in result}
    if "asymptotic_lower" in result:
        return {key: result[key] for key in ("lower", "upper", "asymptotic_lower", "asymptotic_upper", "samples", "iterations")}
    return {key: result[key] for key in KEYS}


def interrupted(fathom, line, span, number, planted):
    """The result of a run that a signal ended after about `span` seconds and that was resumed; None where it had no state yet."""
    state = "state.npz"
    if os.path.exists(state):
        os.unlink(state)
    process = subprocess.Popen([fathom, *line.split(), "--json", "-q", "--checkpoint", state], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(span)
    process.send_signal((signal.SIGTERM, signal.SIGKILL)[number % 2])
    process.wait()
    if not os.path.exists(state):
        return None
    return run(fathom, line, "--resume", state, *(["--seed", "2"] if planted else []))


def problems(fathom, runs, planted):
    random.seed(1)
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    for line in filter(lambda line: line.startswith(only), LINES + [SAMPLED] + PATHS[:4 if LONG else 3] + FITS[:2 if LONG else 1] + GLOBAL[:3 if LONG else 1]
                       + FINITE[:5 if LONG else 2]):
        begin = time.monotonic()
        whole = numbers(json.loads(run(fathom, line).stdout))
        seconds = time.monotonic() - begin
        for number in range(runs):
            done = interrupted(fathom, line, random.uniform(0.01, seconds), number, planted)
            if done is None:
                continue
            if done.returncode not in (0, 3):
                yield f"$ fathom {line}: resumed with exit code {done.returncode}: {done.stderr.strip()}"
                continue
            result = numbers(json.loads(done.stdout))
            other = [f"{key} {result.get(key)!r} instead of {whole[key]!r}" for key in whole if result.get(key) != whole[key]]
            if other:
                yield f"$ fathom {line}: resumed with {', '.join(other)}"
    yield from empty_state(fathom)
    yield from edited_bounds(fathom)
    yield from edited_looks(fathom)
    yield from edited_finite(fathom)
    yield from not_finite(fathom)
    yield from edited_path(fathom)
    yield from edited_fit(fathom)
    yield from edited_global(fathom)
    yield from flow_states(fathom)
    yield from certified_states(os.path.dirname(fathom))


FLOWS = [  # methods, precisions and networks whose states have members of their own
    "flow gen:xor,n=16 --net huber --width 6 --method gd",
    "flow gen:gauss,n=12,d=3,target=sign --width 5 --method gd --precision single",
    "flow gen:gauss,n=12,d=3,target=sign --width 5 --method sgd --precision single",
    "flow gen:gauss,n=12,d=3,target=sign --width 5 --method flow",
    "flow gen:gauss,n=12,d=3,target=sign --width 5 --net gated --method flow",
    "flow gen:gauss,n=8,d=2,target=sign --width 4 --method flow --accuracy reference",
]


def another(value):
    """What somebody might write in place of a member."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    if isinstance(value, str):
        return value[:-1] + ("0" if value[-1:] != "0" else "1") if value else "x"
    if isinstance(value, list):
        return [another(value[0]), *value[1:]] if value else [0]
    return 1.5  # null


def flow_states(fathom):
    """A flow that goes on from its state ends with the bits of one that was never ended; a state with any member changed or left out is refused."""
    for line in FLOWS if LONG else FLOWS[:2]:
        whole = json.loads(run(fathom, line, "--until", "steps=20", "--checkpoint", "whole.json").stdout)
        run(fathom, line, "--until", "steps=9", "--checkpoint", "half.json")
        run(fathom, line, "--until", "steps=20", "--resume", "half.json", "--checkpoint", "again.json")
        with open("half.json") as half, open("whole.json") as first, open("again.json") as second:
            state, once, twice = json.load(half), json.load(first), json.load(second)
        if once != twice:
            yield f"$ fathom {line}: resumed with other {', '.join(key for key in once if once[key] != twice.get(key))} (log-loss {whole['log_loss']})"
        edited = [(key, {**state, key: another(state[key])}) for key in state]
        edited += [] if not LONG else [(key, {other: value for other, value in state.items() if other != key}) for key in state]
        for key, content in edited:
            with open("edited.json", "w") as file:
                json.dump(content, file)
            done = run(fathom, line, "--until", "steps=20", "--resume", "edited.json")
            if done.returncode not in (2, 5):
                yield f"$ fathom {line}: {key} edited in its state is believed: exit code {done.returncode}"


def empty_state(fathom):
    """A network of no neurons is a state as well."""
    run(fathom, EMPTY, "--checkpoint", "empty.npz")
    done = run(fathom, EMPTY, "--resume", "empty.npz")
    if done.returncode:
        yield f"$ fathom {EMPTY}: its state is not read back: {done.stderr.strip()}"


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def store(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def edits(content):
    """States that say more than they can prove: (what, members). Doubles stand at the end of a member."""
    def number(data, at):
        start = data.index(b"\n") + 1 + at * 8
        return struct.unpack("<d", data[start:start + 8])[0]

    def with_number(name, at, value):
        data = bytearray(content[name])
        start = data.index(b"\n") + 1 + at * 8
        data[start:start + 8] = struct.pack("<d", value)
        return {**content, name: bytes(data)}

    if "floor.npy" in content:
        yield "the floor", with_number("floor.npy", 0, 1e3)
        yield "the price of the floor", with_number("floor.npy", 1, number(content["floor.npy"], 1) / 2)
    if "bound.npy" in content:  # columns: lower, price, ..
        lower, price = number(content["bound.npy"], 0), number(content["bound.npy"], 1)
        yield "the bound", with_number("bound.npy", 0, 2 * lower + 1)
        yield "a small gap", with_number("bound.npy", 0, number(content["numbers.npy"], 8))
        yield "its price", with_number("bound.npy", 1, price / 2)
        yield "the value", with_number("numbers.npy", 8, number(content["numbers.npy"], 8) / 2)
        yield "the outputs", {**content, "f.npy": content["f.npy"][:-8] + struct.pack("<d", 3.0)}
        data = content["bound_v.npy"]
        half = [0.5 * value for value in struct.unpack(f"<{(len(data) - data.index(10) - 1) // 8}d", data[data.index(10) + 1:])]
        yield "the dual point", {**content, "bound_v.npy": data[:data.index(10) + 1] + struct.pack(f"<{len(half)}d", *half)}
    elif "tight.npy" in content:  # cells: round, smoothing, bound, ..
        yield "the bound", with_number("numbers.npy", 2, 1e3)
    else:  # gates: iteration, phi, smoothing, damping, objective, bound, ..
        yield "a small gap", with_number("numbers.npy", 5, number(content["numbers.npy"], 4))
    if "tree_node.npy" in content:
        yield "a leaf", with_number("tree_node.npy", 9 * (len(content["tree_node.npy"]) // 72 - 2) + 7, 0.0)
        yield "the heap", {**content, "tree_heap.npy": content["tree_heap.npy"][:-8] + content["tree_heap.npy"][-16:-8]}


EDITED = [  # lines whose state holds a bound of each kind, and a limit that leaves a gap
    f"{LINES[0]} --gap 1e-3",
    "train gen:gauss,n=30,d=3,target=teacher --method cells --beta-rel 1e-2 --gap 1e-2",
    "train gen:gauss,n=24,d=3,target=teacher --method columns --beta-rel 1e-2 --gap 1e-3",
    "train gen:gauss,n=20,d=6,target=teacher --method columns --beta-rel 0.1 --effort 1",
    "train gen:gauss,n=20,d=6,target=sign --loss logistic --method columns --beta-rel 0.1 --effort 0.5",
    "train builtin:iris --rows 40:110 --loss squared --method columns --effort 0.5",
]


def edited_bounds(fathom):
    """Whatever is written into a state, no line says more than the truth: the best objective and bound of undisturbed runs."""
    for line in EDITED if LONG else EDITED[1:4]:
        first = json.loads(run(fathom, line, "--checkpoint", "bound.npz").stdout)
        for what, content in edits(members("bound.npz")):
            store("edited.npz", content)
            done = run(fathom, line, "--resume", "edited.npz", *([] if what == "a small gap" else ["--time-limit", "1"]))
            if done.returncode == 5:
                continue
            if done.returncode not in (0, 3):
                yield f"$ fathom {line}: {what} edited: exit code {done.returncode}: {done.stderr.strip()}"
                continue
            result = json.loads(done.stdout)
            small = what == "a small gap" and result["relative_gap"] < first["relative_gap"] / 100
            if small or result["lower_bound"] > first["objective"] * (1 + 1e-9) or result["objective"] < first["lower_bound"] * (1 - 1e-9):
                yield f"$ fathom {line}: {what} edited is believed: {done.stdout[:300]}"


def doubles(data):
    """(head, numbers) of a member."""
    start = data.index(b"\n") + 1
    return data[:start], list(struct.unpack(f"<{(len(data) - start) // 8}d", data[start:]))


def edited_looks(fathom):
    """The interval of a sampled margin is not in its state: another dual point, other numbers of looks give another interval that holds, or a refusal."""
    first = json.loads(run(fathom, SAMPLED, "--checkpoint", "look.npz").stdout)
    content = members("look.npz")
    for name in ("numbers.npy", "kept.npy", "q.npy"):
        head, values = doubles(content[name])
        for at in range(0, len(values), 1 if name == "numbers.npy" else 7):
            for value in (0.0, 2 * values[at] + 1, values[at] / 2, -1.0, float("nan"), float("inf")):
                if not LONG and (at + int(value == value and abs(value) < 1e9 and value)) % 11:
                    continue
                store("edited.npz", {**content, name: head + struct.pack(f"<{len(values)}d", *values[:at], value, *values[at + 1:])})
                done = run(fathom, SAMPLED, "--resume", "edited.npz", "--time-limit", "1")
                result = json.loads(done.stdout) if done.returncode in (0, 3) else None
                if done.returncode not in (0, 3, 5) or (result and (result["lower"] > first["upper"] or result["upper"] < first["lower"])):
                    yield f"$ fathom {SAMPLED}: number {at} of {name} set to {value} is believed: {done.returncode} {done.stdout[:300]} {done.stderr[-200:]}"


EDITED_FINITE = [  # as FINITE, small
    "margin gen:gauss,n=12,d=4,target=sign --width 20",
    "margin gen:gauss,n=10,d=4,target=sign --width 12 --method paper-gd --gap 1e-3",
    "margin gen:gauss,n=40,d=2,target=sign --kind linear",
    "margin gen:gauss,n=12,d=3,target=sign",
]


def edited_finite(fathom):
    """The interval of a finite margin is proved anew: any number of its state changed gives one that holds, or a refusal."""
    for line in EDITED_FINITE if LONG else EDITED_FINITE[::3]:
        first = json.loads(run(fathom, line, "--checkpoint", "finite.npz").stdout)
        content = members("finite.npz")
        names = [name for name in content if name not in ("format.npy", "problem.npy") and len(doubles(content[name])[1])]
        for turn, name in enumerate(names):
            head, values = doubles(content[name])
            for at in sorted({0, 1 % len(values), turn % len(values), len(values) - 1} if LONG else {turn % len(values)}):
                for value in (0.0, 2 * values[at] + 1, values[at] / 2, -1.0, float("nan"), float("inf"), 1e300)[:: 1 if LONG else 3]:
                    store("edited.npz", {**content, name: head + struct.pack(f"<{len(values)}d", *values[:at], value, *values[at + 1:])})
                    done = run(fathom, line, "--resume", "edited.npz", "--time-limit", "2")
                    result = json.loads(done.stdout) if done.returncode in (0, 3) else None
                    if done.returncode not in (0, 3, 5) or (result and (None in (result["lower"], result["upper"]) or
                                                                        result["lower"] > first["upper"] or result["upper"] < first["lower"])):
                        yield f"$ fathom {line}: number {at} of {name} set to {value} is believed: {done.returncode} {done.stdout[:300]} {done.stderr[-200:]}"


def not_finite(fathom):
    """A state of a gated run with a number that is none is refused, whichever member it is in."""
    line = "train gen:gauss,n=20,d=3,target=teacher --model gated --gates 12"
    run(fathom, line, "--checkpoint", "gated.npz")
    content = members("gated.npz")
    for name in ("v.npy", "f.npy", "c.npy", "root.npy", "best_c.npy", "best_g.npy"):
        head, values = doubles(content[name])
        for value in (float("nan"), float("-inf")):
            store("edited.npz", {**content, name: head + struct.pack(f"<{len(values)}d", *values[:-1], value)})
            done = run(fathom, line, "--resume", "edited.npz", "--time-limit", "1")
            if done.returncode != 5 and values:
                yield f"$ fathom {line}: {value} in {name}: exit code {done.returncode}: {done.stderr[-200:]}"


def edited_path(fathom):
    """What a part of a path's state claims is claimed by its point alone, and no more believed than there."""
    line = PATHS[0]
    first = json.loads(run(fathom, line, "--checkpoint", "path.npz").stdout)["path"]
    content = members("path.npz")
    for other, words in ((line.replace("points 6", "points 7"), "belongs to another problem"), (LINES[0], 'this is no "fathom gated checkpoint')):
        done = run(fathom, other, "--resume", "path.npz")
        if done.returncode != 5 or words not in done.stderr:
            yield f"$ fathom {other} --resume (another path's state): {done.returncode} {done.stderr}"
    newer = content["format.npy"].replace("1".encode("utf-32-le"), "9".encode("utf-32-le"))
    store("edited.npz", {**content, "format.npy": newer})
    done = run(fathom, line, "--resume", "edited.npz")
    if done.returncode != 5 or "another version of fathom" not in done.stderr:
        yield f"$ fathom {line}: a state of a newer version: {done.returncode} {done.stderr}"
    head, values = doubles(content["0.1.numbers.npy"])  # gates: iteration, phi, smoothing, damping, objective, bound, ..
    values[5] = values[4]
    store("edited.npz", {**content, "0.1.numbers.npy": head + struct.pack(f"<{len(values)}d", *values)})
    done = run(fathom, line, "--resume", "edited.npz")
    if done.returncode == 5:
        return
    point = json.loads(done.stdout)["path"][1]
    if point["lower_bound"] > first[1]["objective"] or point["relative_gap"] < first[1]["relative_gap"] / 100:
        yield f"$ fathom {line}: an edited bound is believed: {point}"


def edited_global(fathom):
    """The interval of a global margin is not in its state: any number of it changed gives an interval that holds, or a refusal."""
    for line in (GLOBAL[0].replace("n=30,d=4", "n=12,d=3"), GLOBAL[2].replace("n=20", "n=9"))[:2 if LONG else 1]:
        first = json.loads(run(fathom, line, "--checkpoint", "global.npz").stdout)
        content = members("global.npz")
        names = [name for name in ("numbers.npy", "b.npy", "q.npy", "upper_q.npy", "alpha.npy") if name in content]
        for turn, name in enumerate(names * (8 if LONG else 2)):
            head, values = doubles(content[name])
            at = (5 * turn + turn // len(names)) % len(values)
            for value in (0.0, 2 * values[at] + 1, values[at] / 2, -1.0, float("nan"), float("inf"), 1e300)[turn % 2:: 1 if LONG else 2]:
                store("edited.npz", {**content, name: head + struct.pack(f"<{len(values)}d", *values[:at], value, *values[at + 1:])})
                done = run(fathom, line, "--resume", "edited.npz", "--time-limit", "2")
                result = json.loads(done.stdout) if done.returncode in (0, 3) else None
                if done.returncode not in (0, 3, 5) or (result and (result["lower"] > first["upper"] or result["upper"] < first["lower"])):
                    yield f"$ fathom {line}: number {at} of {name} set to {value} is believed: {done.returncode} {done.stdout[:300]} {done.stderr[-200:]}"


def edited_fit(fathom):
    """Another network in a fit's state is measured as it is: its score is none of those that were kept, and no bound comes from it."""
    line = "fit gen:gauss,n=30,d=2,target=teacher --time 100 --folds 3"
    first = json.loads(run(fathom, line, "--checkpoint", "fit.npz").stdout)
    content = members("fit.npz")
    for name in ("part0.npy", "part2.npy"):
        head, values = doubles(content[name])
        for value, code in ((0.0, (0, 3)), (1e9, (0, 3)), (1e300, (5,)), (float("nan"), (5,))):
            store("edited.npz", {**content, name: head + struct.pack(f"<{len(values)}d", *([value] * len(values)))})
            done = run(fathom, line, "--resume", "edited.npz")
            if done.returncode not in code:
                yield f"$ fathom {line}: networks of {value}: exit code {done.returncode}: {done.stderr.strip()}"
            elif done.returncode in (0, 3):
                result = json.loads(done.stdout)
                if result["lower_bound"] > first["objective"] * (1 + 1e-9) or (name == "part2.npy" and result["cv"] == first["cv"]):
                    yield f"$ fathom {line}: networks of {value} are believed: {result['cv']}"
    for other, words in ((line.replace("folds 3", "folds 4"), "belongs to another problem"), (LINES[0], 'this is no "fathom gated checkpoint')):
        done = run(fathom, other, "--resume", "fit.npz")
        if done.returncode != 5 or words not in done.stderr:
            yield f"$ fathom {other} --resume (another fit's state): {done.returncode} {done.stderr}"


def certified_states(build):
    """A run with a certificate that is stopped and resumed is certified as well."""
    for line in ("train gen:gauss,n=40,d=3,target=teacher --beta-rel 1e-2 --method columns --gap 1e-4",
                 "train gen:gauss,n=30,d=3,target=teacher --beta-rel 1e-2 --method cells --gap 1e-4")[:2 if LONG else 1]:
        fathom = os.path.join(build, "fathom")
        name = line.split()[5]
        first, second = ["--checkpoint", f"{name}.npz", "--certificate", f"{name}.1"], f"{name}.2"
        run(fathom, line, *first, "--time-limit", "0.1")
        if not os.path.exists(f"{name}.npz"):
            run(fathom, line, *first)
        done = run(fathom, line, "--resume", f"{name}.npz", "--certificate", second)
        check = subprocess.run([os.path.join(build, "fathom-check"), second, f"{second}.csv"], capture_output=True, text=True)
        if done.returncode or check.returncode:
            yield f"$ fathom {line}: no certificate after a checkpoint: {done.stderr.strip()} {check.stdout.strip()}"


if __name__ == "__main__":
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    count = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 3
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        found = list(problems(program, count, "--planted" in sys.argv))
    print(*found, f"{len(LINES) + len(PATHS) + len(FITS) + len(GLOBAL) + len(FINITE) + 1} command lines, {count} signals each, {len(found)} problems", sep="\n")
    sys.exit(bool(found))
