#!/usr/bin/env python3
"""keys.py BUILD [--planted]: what --json prints is one object with the documented keys, and nothing else; it and the model files written are
valid by the JSON Schemas of docs/reference (where fastjsonschema is installed).

Scripts rely on these names: they are extended, never renamed. A number may be null where it is infinite or undefined.
--planted asks for a key that no command has.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "tools"))
import reference

NUMBER, TEXT, LIST, OBJECT = (int, float, type(None)), str, list, dict
EVERY = {"command": TEXT, "seconds": NUMBER}
SHAPE = {**EVERY, "n": int, "d": int}
TRAIN = {
    **SHAPE, "status": TEXT, "objective": NUMBER, "lower_bound": NUMBER, "gap": NUMBER, "relative_gap": NUMBER,
    "bound": TEXT, "bound_method": TEXT, "beta": NUMBER, "beta_max": NUMBER, "loss": NUMBER, "norm": NUMBER,
    "neurons": int, "iterations": int, "method": TEXT, "score": OBJECT,
}
TRAIN_ONLY = {key: kind for key, kind in TRAIN.items() if key != "score"}  # no network, nothing to score
FIT = {
    **SHAPE, "task": TEXT, "target": (str, type(None)), "classes": (list, type(None)), "columns": LIST, "chosen": OBJECT, "cv": OBJECT,
    "rivals": LIST, "training": OBJECT, "objective": NUMBER, "lower_bound": NUMBER, "relative_gap": NUMBER, "neurons": int,
    "importance": LIST, "warnings": LIST, "stages": OBJECT, "end": TEXT, "candidates": LIST, "standing": LIST,
}
LINES = [  # command line, exit code, keys
    ("gen gen:xor,n=40 -o xor.csv", 0, {**EVERY, "rows": int, "columns": int}),
    ("train xor.csv --model gated --gates 20 -o model.json", 0, {**TRAIN, "network": OBJECT, "points": LIST}),
    ("train xor.csv --gap 0.5 -o relu.json", 0, TRAIN),
    ("train gen:line1d --bias free --loss equality", 0, TRAIN),
    ("train gen:whitened,n=5,d=7 --beta 0.5", 0, TRAIN),
    ("train xor.csv --method gates --gates 20", 0, {**TRAIN, "gates": int, "norm_inflation": NUMBER}),
    ("fit xor.csv --time 0 --folds 4 --test xor.csv", 0, {**FIT, "confusion": LIST, "calibration": LIST, "test": OBJECT}),
    ("fit gen:gauss,n=30,d=2,target=teacher --time 20 --gap 0.9", 0, FIT),
    ("convert model.json --to relu --data xor.csv --select min-norm -o out.json", 0,
     {**EVERY, "neurons": int, "max_difference": NUMBER, "norm_inflation": NUMBER}),
    ("train gen:whitened,n=5,d=7 --method cutting", 0, TRAIN),
    ("train builtin:iris --bias augment --targets classes --method cutting --extreme 5 --neurons 8 --effort 0", 3, TRAIN),
    ("train gen:gauss,n=8,d=3 --method cutting --loss equality", 3, {**TRAIN_ONLY, "objective": type(None)}),
    ("train gen:gauss,n=9,d=2 --save-dual v.npy", 0, {**TRAIN, "kkt": OBJECT}),
    ("train gen:line1d --bias free", 0, {**TRAIN, "minimisers": OBJECT}),
    ("train gen:line1d --bias free --loss hinge", 0, {**TRAIN, "classifier": OBJECT, "minimisers": OBJECT}),
    ("path gen:line1d --bias free --points 2 --knots", 0, {**SHAPE, "path": LIST, "knots": OBJECT}),
    ("path xor.csv --model gated --gates 20", 0, {**SHAPE, "path": LIST}),
    ("path xor.csv --model gated --gates 20 --points 3 --cv 3", 0, {**SHAPE, "path": LIST, "best": OBJECT}),
    ("geometry gen:gauss,n=6,d=2 --extreme basis", 0, {**SHAPE, "extreme": LIST}),
    ("margin xor.csv --model model.json", 0, {**SHAPE, "margins": LIST, "norm_first": NUMBER}),
    ("margin gen:circle,n=8 --save-convex convex.json", 0, {**SHAPE, "convex_gates": int, "convex_margin": NUMBER}),
    ("gen --list", 0, {**EVERY, "sources": LIST}),
    ("explain model.json builtin:iris", 5, {"command": TEXT, "error": TEXT, "code": int}),
    ("train gen:gauss,n=30,d=36,target=sign --model convex-rf --patch 3 --filters 5 -o image.json", 0, TRAIN),
    ("train xor.csv --model linear --test xor.csv --test-rows 0:10", 0, {**TRAIN, "test_score": OBJECT}),
    ("flow gen:line1d --loss squared --bias free --decay 1e-3 --targets standardize --output-weights gaussian:0.1 --until steps=5 "
     "--test gen:line1d", 0, {**SHAPE, "objective": NUMBER, "spline_deviation": NUMBER, "test_score": OBJECT}),
    ("info image.json", 0, {**EVERY, "kind": TEXT, "m": int, "height": int, "patch": int, "pooling": TEXT, "epsilon": NUMBER}),
    ("predict image.json gen:gauss,n=5,d=36,target=sign", 0, {**SHAPE, "score": OBJECT}),
    ("train xor.csv --model gated --gates 9 --certificate xor.cert --verify", 0,
     {**TRAIN, "certificate": TEXT, "certificate_data": TEXT, "verified": bool, "certificate_statement": TEXT}),
    ("info xor.cert", 0, {**EVERY, "kind": TEXT, "n": int, "d": int, "claims": LIST}),
    ("explain model.json xor.csv", 0, {**SHAPE, "rows": LIST}),
    ("predict model.json xor.csv", 0, {**SHAPE, "score": OBJECT}),
    ("info model.json", 0, {**EVERY, "kind": TEXT, "m": int, "outputs": int}),
    ("convert relu.json --to gated --data xor.csv -o gated.json", 0, {**EVERY, "neurons": int, "max_difference": NUMBER}),
    ("convert relu.json --prune 0.1 --data xor.csv -o pruned.json", 0,
     {**EVERY, "neurons": int, "max_difference": NUMBER, "pruned": int, "prune_measured": NUMBER, "prune_upper": NUMBER, "spread": NUMBER}),
    ("convert relu.json --to c --precision int8 --data xor.csv -o small.c", 0,
     {**EVERY, "deviation_upper": NUMBER, "deviation_lower": NUMBER, "bytes": int}),
    ("convert relu.json --to c -o relu.c", 0, {**EVERY, "neurons": int, "max_difference": type(None)}),
    ("reproduce --list", 0, {**EVERY, "items": LIST}),
    ("reproduce 000:thm7.3 -o figures", 0, {**EVERY, "id": TEXT, "verdict": TEXT, "criteria": LIST}),
    ("margin gen:circle,n=8", 0,
     {**SHAPE, "kind": TEXT, "value": NUMBER, "lower": NUMBER, "upper": NUMBER, "exact": bool, "method": TEXT}),
    ("margin gen:circle,n=8 --experiment --trials 20", 0, {**SHAPE, "experiment": LIST}),
    ("kernel xor.csv", 0, {**SHAPE, "eigenvalues": LIST, "lambda_min": NUMBER, "lambda_max": NUMBER, "trace": NUMBER, "condition": NUMBER, "nullity": int}),
    ("kernel gen:cube,d=3", 0, {**SHAPE, "lambda_min": NUMBER, "nullity": int, "null_vector": LIST, "null_vector_exact": TEXT}),
    ("cones gen:cube,d=3 --cone 11100000", 0, {**SHAPE, "cone": OBJECT, "reading": TEXT}),
    ("kernel gen:line1d --layers both --ridge 0 -o ntk.json", 0,
     {**SHAPE, "ridge": NUMBER, "residual": NUMBER, "rank": int, "reason": TEXT}),
    ("cones gen:circle,n=8 --faces --measure", 0,
     {**SHAPE, "cones": int, "faces": int, "general_position": bool, "cover_count": NUMBER, "measure_sum": NUMBER,
      "method": TEXT, "cells": LIST, "points": LIST}),
    ("flow gen:twogauss,n=20,d=3 --net leaky --width 6 --method flow --until log_loss=-3", 0,
     {**SHAPE, "status": TEXT, "steps": int, "evaluations": int, "time": NUMBER, "log_time": NUMBER, "log_loss": NUMBER,
      "accuracy": NUMBER, "norm": NUMBER, "margin": NUMBER, "normalized_margin": NUMBER, "smoothed_margin": NUMBER,
      "smoothed_normalized_margin": NUMBER, "activation_changes": int, "sliding_pairs": int, "rotation": LIST,
      "cluster_ratio": NUMBER, "max_angle": NUMBER, "linear_fraction": NUMBER, "nar": bool, "par": bool, "limit": OBJECT,
      "limit_angle": NUMBER, "kkt_residual": NUMBER, "par_share_w": NUMBER, "par_share_u": NUMBER, "disagreements_w": int,
      "disagreements_u": int, "test_accuracy": type(None), "test_linear_fraction": type(None)}),
    ("flow gen:twogauss,n=20,d=3 --net leaky --width 6 --until steps=9 --test gen:twogauss,n=30,d=3,test=1 --trace --log flow.jsonl",
     0, {**SHAPE, "status": TEXT, "test_accuracy": NUMBER, "test_linear_fraction": NUMBER}),
    ("flow builtin:iris --normalize standardize --net leaky --until steps=20", 0,
     {**SHAPE, "status": TEXT, "steps": int, "log_loss": NUMBER, "accuracy": NUMBER, "norm": NUMBER, "margin": NUMBER,
      "normalized_margin": NUMBER, "smoothed_margin": NUMBER, "smoothed_normalized_margin": NUMBER, "log_gradient": NUMBER,
      "activation_changes": int, "rotation": LIST, "neuron_norm": LIST, "kkt_residual": NUMBER, "increases": int}),
    ("flow gen:badkkt --width 4 --method flow --until log_loss=-20 --ending --save-limit kkt.json", 0,
     {**SHAPE, "status": TEXT, "ending": OBJECT}),
    ("flow gen:parity,d=3,all=1 --until steps=20 --global-margin", 0, {**SHAPE, "status": TEXT, "global_margin": OBJECT}),
    ("geometry gen:gauss,n=6,d=2", 0, {**SHAPE, "rank": int, "spike_free": bool, "hull_vertices": int}),
    ("check gen:collapse,r=3,d=4,n=12 --theorem 003:3.1", 0,
     {**SHAPE, "theorem": TEXT, "hypotheses": LIST, "comparisons": LIST, "verdict": TEXT, "conclusion": TEXT, "holds": bool}),
    ("check gen:parity,d=2,all=1 --theorem 003:3.3 --solve", 0, {**SHAPE, "theorem": TEXT, "least": LIST}),
    ("check --list", 0, {**EVERY, "items": LIST}),
    ("doctor", (0, 3),  # by machine
     {**EVERY, "kernels": TEXT, "best_kernels": TEXT, "peak": NUMBER, "product": NUMBER, "blas_core": TEXT, "blas_fits": bool,
      "processors": int, "allowed": int, "threads": int, "quota": NUMBER, "passive": bool, "memory": NUMBER, "memory_group": NUMBER,
      "address_space": NUMBER, "stack": NUMBER, "open_files": NUMBER, "libraries": LIST, "findings": LIST}),
]


def undescribed(line, result):
    """Members, at every depth, that docs/reference/keys.txt does not describe, or otherwise; tables of a recipe have the names that it gives them."""
    described, parts = reference.sections()
    members = {**described["every command"], **described.get(line.split()[0], {})}
    if line.startswith("reproduce"):
        result = {key: value for key, value in result.items() if key in members}
    for said in reference.undescribed(result, members, parts):
        yield f"{line}: {said} (docs/reference/keys.txt)"


def unnamed():
    """Keys that stand in the sources of commands and not in docs/reference/keys.txt: lines that no command above prints are held too."""
    described, parts = reference.sections()
    known = {key for section in (*described.values(), *parts.values()) for key in section}
    for path in sorted(glob.glob(os.path.join(reference.ROOT, "src", "cli", "*.c")) + glob.glob(os.path.join(reference.ROOT, "src", "*", "*_json.c"))):
        for key in re.findall(r"""\bcli_(?:real|integer|bool|text|vector)\("(\w+)\"""", open(path, encoding="utf-8").read()):
            if key not in known:
                yield f"{os.path.relpath(path, reference.ROOT)}: docs/reference/keys.txt does not describe {key}"


def schemas():
    """{name: validator}; a damaged result and model are refused. Empty where there is no validator."""
    try:
        import fastjsonschema
    except ImportError:
        print("fastjsonschema is not installed: schemas were not looked at")
        return {}
    found = {}
    for name, wrong in (("result", {"command": "train", "neurons": "many"}), ("model", {"format": "fathom-model-1", "kind": "gated", "d": 1, "m": 1, "outputs": 1})):
        with open(os.path.join(reference.FOLDER, f"{name}.schema.json"), encoding="utf-8") as file:
            found[name] = fastjsonschema.compile(json.load(file))
        if not invalid(found[name], wrong):
            sys.exit(f"{name}.schema.json takes {wrong}")
    return found


def models():
    """(name, contents) of the model files of this folder."""
    for name in sorted(name for name in os.listdir() if name.endswith(".json")):
        with open(name, encoding="utf-8") as file:
            yield name, json.load(file)


def invalid(validator, value):
    """What a schema has against a value, or None."""
    try:
        validator(value)
    except ValueError as error:  # of fastjsonschema
        return str(error)
    return None


def problems(fathom, planted):
    """One line per fault."""
    validators = schemas()
    if len(list(undescribed("train", {"score": {"acuracy": 1}, "neurons": "many"}))) != 2:
        yield "a member of a member that is not described was taken"
    yield from unnamed()
    for line, code, keys in LINES:
        run = subprocess.run([fathom, *line.split(), "--json"], capture_output=True, text=True)
        if run.returncode not in (code if isinstance(code, tuple) else (code,)):
            yield f"{line}: exit code {run.returncode} instead of {code}: {run.stderr}"
            continue
        result = json.loads(run.stdout)
        yield from undescribed(line, result)
        for name, value in [("result", result), *models()] if validators else ():
            fault = invalid(validators["result" if name == "result" else "model"], value)
            if fault:
                yield f"{line}: {name} is not valid by its schema: {fault}"
        wanted = {**keys, "planted": TEXT} if planted else keys
        for key, kind in wanted.items():
            if key not in result:
                yield f"{line}: key {key} is missing"
            elif not isinstance(result[key], kind):
                yield f"{line}: {key} is {result[key]!r}"


if __name__ == "__main__":
    program = os.path.join(os.path.abspath(sys.argv[1]), "fathom")
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        faults = list(problems(program, "--planted" in sys.argv))
    print(*faults, f"{len(LINES)} command lines, {len(faults)} problems", sep="\n")
    sys.exit(bool(faults))
