#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_export.py FATHOM: exported C and ONNX models against NumPy and fathom predict, for every family.

The C file must compile as strict C99 without a warning, pass its self-test, and give NumPy's outputs within the bound
on rounding of compare_numpy.py; so must the ONNX graph, run by onnx_graph.py and, where it is installed, by
onnxruntime. Exits with 77 (skipped) where NumPy is missing.
"""
import csv
import ctypes
import datetime
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

import compare_numpy as plain
import onnx_graph

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

ROUNDING = {"double": 2.0 ** -53, "float": 2.0 ** -24}
STRICT = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror", "-O1"]
NAMES = ["\"a\\b?", "b \u00e9", "c"]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: code {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def make_case(rng, kind, outputs, m, normalize, augment, named):
    """A model with preprocessing, raw data, and x as the network sees it with magnitudes that rounding is relative to."""
    raw = rng.normal(size=(50, 4)) * [1, 10, 0.1, 3] + [0, 5, -1, 2]
    model = plain.make_model(rng, kind, 4 + augment, m, outputs, 1 / max(m, 1) ** 0.5, True)
    model["preprocess"] = {"normalize": normalize, "bias": "augment" if augment else "none"}
    x, size = raw, np.abs(raw)
    if normalize == "standardize":
        mean, sd = raw.mean(axis=0), raw.std(axis=0)
        model["preprocess"].update(mean=mean.tolist(), scale=sd.tolist())
        x, size = (raw - mean) / sd, (np.abs(raw) + np.abs(mean)) / sd
    elif normalize == "unit":
        raw[7] = 0
        norm = np.linalg.norm(raw, axis=1, keepdims=True)
        x = raw / np.where(norm > 0, norm, 1)
        size = np.abs(x)
    if augment:
        x, size = np.column_stack([x, np.ones(50)]), np.column_stack([size, np.ones(50)])
    if named:
        model["classes"] = NAMES[:2] if outputs == 1 else NAMES[:outputs]
        model["loss"] = "logistic" if outputs == 1 else "softmax"
    return model, raw, x, size


def bounds(model, x, size, u):
    """What rounding can do to each output; a gate that it can turn counts with all its output."""
    factor = 2 * (model["d"] + model["m"] + 8) * u
    widest = dict(model)
    if model["kind"] != "gated":
        _, terms = plain.forward({**widest, "kind": model["kind"]}, size)
        return factor * terms
    t, reach = x @ model["V"].T, size @ np.abs(model["V"]).T
    weight = np.where(np.abs(t) <= factor * reach, 1, factor * (t > 0)) * np.abs(model["scale"] * model["rho"])
    w = np.abs(model["W"].reshape(model["m"], model["outputs"], model["d"]))
    return np.einsum("ij,jkl,il->ik", weight, w, size) + factor * np.abs(model["c"])


def c_outputs(source, raw, outputs, precision, name, classes):
    """Outputs and classes of the exported function through a shared object; the self-test is run first."""
    test, shared = source[:-2] + ".test", source[:-2] + ".so"
    run("cc", *STRICT, f"-D{name}_SELF_TEST", source, "-lm", "-o", test)
    run(test)
    run("cc", *STRICT, f"-D{name}_PROBABILITY", "-fPIC", "-shared", source, "-lm", "-o", shared)
    library = ctypes.CDLL(shared)
    real = {"double": np.float64, "float": np.float32}[precision]
    x, out = np.ascontiguousarray(raw, real), np.zeros((len(raw), outputs), real)
    pointer = np.ctypeslib.ndpointer(real)
    predict = getattr(library, name + "_predict")
    predict.argtypes, predict.restype = [pointer, pointer], None
    for i in range(len(raw)):
        predict(x[i], out[i])
    if not classes:
        return out, None
    choose = getattr(library, name + "_class")
    choose.argtypes = [pointer]
    names = (ctypes.c_char_p * len(classes)).in_dll(library, name + "_class_name")
    must_be_chances(library, name, out, len(classes))
    return out, [names[choose(row)].decode() for row in out]


def must_be_chances(library, name, out, classes):
    """NAME_probability against the definition, where the file has it; far outputs do not overflow."""
    if not hasattr(library, name + "_probability"):
        return
    probability = getattr(library, name + "_probability")
    pointer = np.ctypeslib.ndpointer(out.dtype)
    probability.argtypes, probability.restype = [pointer, pointer], None
    for row in (*out, np.full_like(out[0], 500), np.full_like(out[0], -500)):
        p = np.zeros(classes, out.dtype)
        probability(np.ascontiguousarray(row), p)
        f = np.array([0.0, *row]) if len(row) == 1 else row.astype(np.float64)
        expected = np.exp(f - f.max()) / np.exp(f - f.max()).sum()
        plain.must_agree("probabilities in C", p, expected, 2e-7 + 4 * np.finfo(out.dtype).eps * (1 + np.abs(f).max()))


def must_agree_in_javascript(program, file, table, number):
    """Outputs, classes and probabilities by Node on the rows of a CSV file, read as they are, against fathom predict."""
    node = shutil.which("node")
    if node is None:
        return
    script, runner = file[:-5] + ".js", file[:-5] + ".run.js"
    run(program, "convert", file, "-o", script, "--name", "net", "--quiet")
    with open(table) as lines:
        names, *rows = csv.reader(lines)
    with open(runner, "w") as out:
        out.write(f"const net = require({json.dumps(script)});\nconst rows = {json.dumps([dict(zip(names, row)) for row in rows])};\n"
                  "console.log(JSON.stringify(rows.map((row) => { for (const name in row) if (row[name] === 'NA' || row[name] === '?') row[name] = null;\n"
                  "const out = net.predictRow(row); return [out, net.label(out), net.probabilities(out)]; })));\n")
    found = json.loads(subprocess.run([node, runner], check=True, capture_output=True, text=True).stdout)
    expected = plain.predict(program, file, table)
    value = np.array(expected["outputs"]).reshape(len(rows), -1)
    plain.must_agree(f"JavaScript, table {number}", np.array([row[0] for row in found]), value, 1e-9 * (1 + np.abs(value).max()))
    if expected.get("probabilities") is not None:
        plain.must_agree("JavaScript, probabilities", np.array([row[2] for row in found]), np.array(expected["probabilities"]), 1e-9)


def must_have_header(program, file, code, name):
    """The header beside the file: C++ takes it, and C takes both together as one."""
    header = code[:-2] + ".h"
    run(program, "convert", file, "-o", code, "--header-file", header, "--name", name, "--quiet")
    user = code[:-2] + ".user.cpp"
    with open(user, "w") as out:
        out.write(f'#include "{os.path.basename(header)}"\n#include "{os.path.basename(header)}"\n'
                  f"int main() {{ {name}_real x[{name}_INPUTS] = {{0}}, out[{name}_OUTPUTS]; {name}_predict(x, out); return 0; }}\n")
    run("cc", *STRICT, "-c", code, "-o", code[:-2] + ".user.o")
    run("g++", "-Wall", "-Wextra", "-Werror", user, code[:-2] + ".user.o", "-lm", "-o", code[:-2] + ".user")
    run(code[:-2] + ".user")


def onnx_outputs(path, raw, classes):
    """Outputs by every way there is to run the graph; the names of the classes must be in its metadata."""
    value, meta = onnx_graph.run(path, raw)
    if [meta[f"class_{k}"] for k in range(len(classes))] != classes:
        sys.exit(f"{path}: class names {meta}")
    yield value
    if onnxruntime:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        names = [one.name for one in session.get_outputs()]
        given = raw if isinstance(raw, dict) else {"x": np.asarray(raw, value["output"].dtype)}
        yield dict(zip(names, session.run(names, given)))


def must_decide(what, out, expected):
    """Labels and probabilities of a graph as fathom predict has them."""
    if list(out.get("label", [])) != (expected.get("labels") or []):
        sys.exit(f"{what}: labels differ from fathom predict")
    for key in {"probabilities"} & (set(out) | set(expected)):
        plain.must_agree(what + ", probabilities", out[key], expected[key], 1e-12)


def check(program, folder, rng, case, precision, number):
    model, raw, x, size = case
    classes = model.get("classes", [])
    file, code, graph = (os.path.join(folder, f"{number}{end}") for end in (".json", ".c", ".onnx"))
    plain.write_model(file, model)
    name = f"net{number}"
    common = ["--precision", precision, "--name", name, "--quiet"]
    run(program, "convert", file, "--to", "c", "-o", code, *common)
    run(program, "convert", file, "--to", "onnx", "-o", graph, *common)
    value, _ = plain.forward(model, x)
    allowed = bounds(model, x, size, ROUNDING[precision])
    out, labels = c_outputs(code, raw, model["outputs"], precision, name, classes)
    what = f"{model['kind']}, {model['outputs']} outputs, {precision}"
    plain.must_agree(what + ", C", out, value, allowed)
    data = os.path.join(folder, "raw.npy")
    plain.write_data(data, raw)
    expected = plain.predict(program, file, data)
    for out in onnx_outputs(graph, raw, classes):
        plain.must_agree(what + ", ONNX", out["output"], value, allowed)
        if precision == "double":
            must_decide(what + ", ONNX", out, expected)
    if precision == "double" and classes and expected["labels"] != labels:
        sys.exit(f"{what}: classes differ from fathom predict")


TRAINED = [  # data, options of training: ten models as users make them
    ("builtin:wdbc", "train --model gated --gates 30 --loss logistic --normalize standardize --bias augment"),
    ("builtin:iris", "train --model gated --gates 30 --loss logistic --normalize standardize"),
    ("builtin:iris", "train --model gated --gates 20 --normalize unit --bias augment"),
    ("gen:gauss,n=60,d=3,target=teacher", "train --gap 0.1"),
    ("gen:gauss,n=60,d=3,target=sign", "train --gap 0.2 --loss logistic --bias augment"),
    ("gen:xor,n=64", "flow --net leaky:0.1 --width 12 --until steps=50"),
    ("gen:xor,n=64", "flow --net huber --width 8 --until steps=50"),
    ("gen:xor,n=64", "flow --width 10 --until steps=50"),
    ("gen:xor,n=64", "flow --net gated --width 10 --until steps=50"),
    ("gen:xor,n=64", "flow --net scalar --width 10 --until steps=50"),
]


def check_trained(program, folder, number):
    """A trained model: exported and native outputs on its own data."""
    spec, line = TRAINED[number]
    command, *options = line.split()
    file, code, graph, table = (os.path.join(folder, f"t{number}{end}") for end in (".json", ".c", ".onnx", ".npy"))
    run(program, command, spec, *options, "-o", file, "--quiet")
    run(program, "gen", spec, "-o", table, "--quiet")
    model = {k: np.array(v) if isinstance(v, list) and k != "classes" else v for k, v in json.load(open(file)).items()}
    raw = np.load(table)
    expected = plain.predict(program, file, table)
    value = np.array(expected["outputs"])
    pre = model["preprocess"]
    mean, sd = np.array(pre.get("mean", 0.0)), np.array(pre.get("scale", 1.0))
    norm = np.linalg.norm(raw, axis=1, keepdims=True) if pre["normalize"] == "unit" else 1.0
    x, size = (raw - mean) / sd / norm, (np.abs(raw) + np.abs(mean)) / sd / norm
    if pre["bias"] == "augment":
        x, size = np.column_stack([x, np.ones(len(x))]), np.column_stack([size, np.ones(len(x))])
    allowed = bounds(model, x, size, ROUNDING["double"])
    for form, path in (("c", code), ("onnx", graph)):
        run(program, "convert", file, "--to", form, "-o", path, "--name", "net", "--quiet")
    classes = model.get("classes", [])
    out, _ = c_outputs(code, raw, model["outputs"], "double", "net", classes)
    plain.must_agree(line + ", C", out, value, allowed)
    for out in onnx_outputs(graph, raw, classes):
        plain.must_agree(line + ", ONNX", out["output"], value, allowed)
        must_decide(line, out, expected)


CITIES = ["Ulm", "Graz", 'a "b"', "", "NA"]


def messy_rows(rng, n):
    """Rows of a table as people have them: numbers, texts, codes, dates, an identifier; some cells are missing."""
    for i in range(n):
        age, code = rng.integers(18, 80), rng.integers(1, 4)
        day = f"20{rng.integers(10, 30)}-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d} {rng.integers(0, 24):02d}:30"
        yield ["" if rng.random() < 0.1 else str(age), CITIES[rng.integers(5)], str(code) if rng.random() < 0.9 else "",
               day if rng.random() < 0.9 else "", f"p{i}", f"{rng.normal() + age / 30 + code:.3f}"]


def must_agree_in_onnx(program, file, precision, rows, expected, number, seconds):
    """The graph takes the table by the names of its columns; a text that it has not seen is none of those it knows."""
    graph, real = file[:-5] + ".onnx", {"double": np.float64, "float": np.float32}[precision]
    run(program, "convert", file, "-o", graph, "--precision", precision, "--quiet")
    column = lambda values, kind: np.array(list(values), kind)[:, None]
    given = {"age": column((number(row[0]) for row in rows), real), "home town": column((row[1] for row in rows), object),
             "int": column((number(row[2]) for row in rows), real), "when": column((seconds(row[3]) for row in rows), np.float64)}
    for out in onnx_outputs(graph, given, []):
        apart = np.abs(out["output"][:, 0] - expected) / (1 + np.abs(expected))
        if not apart.max() <= (1e-9 if precision == "double" else 1e-2):
            sys.exit(f"table, ONNX, {precision}: off by {apart.max()} in row {rows[apart.argmax()]}")


def check_table(program, folder, precision):
    """The model of a table as it is: the exported function of a row against fathom predict."""
    rng = np.random.default_rng(7)
    names, rows = ["age", "home town", "int", "when", "id", "y"], list(messy_rows(rng, 120))
    table, file, code = (os.path.join(folder, "table_" + precision + end) for end in (".csv", ".json", ".c"))
    with open(table, "w") as out:
        csv.writer(out, lineterminator="\n").writerows([names, *rows])
    run(program, "train", table, "--missing", "impute", "--as-category", "int", "--normalize", "standardize", "--bias", "augment",
        "--model", "gated", "--gates", "20", "--beta-rel", "0.01", "-o", file, "--quiet")
    run(program, "convert", file, "-o", code, "--name", "net", "--precision", precision, "--quiet")
    run("cc", *STRICT, "-Dnet_SELF_TEST", code, "-lm", "-o", code[:-2] + ".test")
    run(code[:-2] + ".test")
    if precision == "double":
        must_have_header(program, file, code, "net")
        must_agree_in_javascript(program, file, table, 0)
    real = {"double": ctypes.c_double, "float": ctypes.c_float}[precision]
    members = {m: kind for kind, m in re.findall(r"^    (double |const char \*)(\w+);",
                                                     open(code).read().split("_row {")[1].split("}")[0], re.M)}
    if sorted(members) != ["age", "home_town", "int_2", "when"]:
        sys.exit(f"members of a row: {members}")
    Row = type("Row", (ctypes.Structure,), {"_fields_": [(m, ctypes.c_double if k == "double " else ctypes.c_char_p)
                                                         for m, k in members.items()]})
    shared = code[:-2] + ".so"
    run("cc", *STRICT, "-fPIC", "-shared", code, "-lm", "-o", shared)
    library = ctypes.CDLL(shared)
    number = lambda text: float(text) if text else math.nan
    seconds = lambda text: datetime.datetime.fromisoformat(text + "+00:00").timestamp() if text else math.nan
    expected = np.array(plain.predict(program, file, table)["outputs"])[:, 0]
    must_agree_in_onnx(program, file, precision, rows, expected, number, seconds)
    for row, value in zip(rows, expected):
        out = (real * 1)()
        given = Row(age=number(row[0]), home_town=row[1].encode() if row[1] not in ("", "NA") else None, int_2=number(row[2]),
                    when=seconds(row[3]))
        library.net_predict_row(ctypes.byref(given), out)
        if not abs(out[0] - value) <= (1e-9 if precision == "double" else 1e-2) * (1 + abs(value)):
            sys.exit(f"table, {precision}: {row} gives {out[0]}, fathom predict {value}")


def check_integers(program, folder, case, bits, number):
    """The exported integers on raw rows are within the proven deviation of NumPy's outputs; only ReLU networks without a norm have them."""
    model, raw, x, _ = case
    file, code, data = (os.path.join(folder, f"i{number}_{bits}{end}") for end in (".json", ".c", ".npy"))
    plain.write_model(file, model)
    plain.write_data(data, raw)
    command = [program, "convert", file, "--to", "c", "-o", code, "--precision", f"int{bits}", "--data", data, "--name", "net", "--json"]
    if model["kind"] not in ("relu", "scalar") or model["preprocess"]["normalize"] == "unit":
        if subprocess.run(command, capture_output=True).returncode != 2:
            sys.exit(f"{model['kind']} in integers is not refused")
        return
    found = json.loads(run(*command))
    test, shared = code[:-2] + ".test", code[:-2] + ".so"
    run("cc", *STRICT, "-Dnet_SELF_TEST", code, "-o", test)
    run(test)
    run("cc", *STRICT, "-fPIC", "-shared", code, "-o", shared)
    library, kind = ctypes.CDLL(shared), {8: np.int8, 16: np.int16}[bits]
    scale = float(next(line.split()[2] for line in open(code) if line.startswith("#define net_SCALE")))
    q, out = np.zeros(raw.shape[1], kind), np.zeros((len(raw), model["outputs"]), np.int64)
    library.net_quantize.argtypes = [np.ctypeslib.ndpointer(np.float64), np.ctypeslib.ndpointer(kind)]
    library.net_predict.argtypes = [np.ctypeslib.ndpointer(kind), np.ctypeslib.ndpointer(np.int64)]
    for i in range(len(raw)):
        library.net_quantize(np.ascontiguousarray(raw[i]), q)
        library.net_predict(q, out[i])
    apart = np.abs(scale * out - plain.forward(model, x)[0]).max()
    if not apart <= found["deviation_upper"] or found["deviation_lower"] > found["deviation_upper"]:
        sys.exit(f"{model['kind']}, int{bits}: off by {apart}, proved {found['deviation_upper']}")


def main():
    program, rng, number = sys.argv[1], np.random.default_rng(3), 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("relu", "leaky", "huber", "gated", "scalar"):
            for outputs, m, normalize, augment, named in ((1, 6, "none", 0, 0), (3, 9, "standardize", 1, 1),
                                                          (1, 7, "unit", 1, 1), (2, 0, "standardize", 0, 0)):
                case = make_case(rng, kind, outputs, m, normalize, augment, named)
                for bits in (8, 16):
                    check_integers(program, folder, case, bits, number)
                check(program, folder, rng, case, ("double", "float")[number % 5 == 4], number)
                number += 1
        for k in range(len(TRAINED)):
            check_trained(program, folder, k)
        for precision in ("double", "float"):
            check_table(program, folder, precision)
    print(f"{number} exported models agree with NumPy, {len(TRAINED)} trained ones with fathom predict"
          + ("" if onnxruntime else " (onnxruntime is not installed: graphs were run by NumPy)"))


if __name__ == "__main__":
    main()
