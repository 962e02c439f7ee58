#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compare_numpy.py FATHOM: fathom predict against NumPy, for every family of networks.

Models are written here, as JSON and as NPZ, not by fathom; data as NPY, CSV and LIBSVM. Every output must agree to
2 (d + m + 8) u times the sum of the absolute values of its terms (docs/reference/networks.md), u = 2^-53; classes must be equal;
probabilities and scores agree to a few roundings. Exits with 77 (skipped) where NumPy is missing.
"""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed: skipped")
    sys.exit(77)

U = 2.0 ** -53
PARAMETER = {"leaky": 0.1, "huber": 0.5}


def make_model(rng, kind, d, m, outputs, scale, bias):
    """A model file's members as NumPy arrays and plain values."""
    name = {"gated": "gate", "scalar": "relu"}.get(kind, kind)
    model = {"format": "fathom-model-1", "kind": kind, "d": d, "m": m, "outputs": outputs, "scale": scale,
             "activation": name + (f":{PARAMETER[kind]!r}" if kind in PARAMETER else ""),
             "c": rng.normal(size=outputs), "rho": rng.normal(size=m)}
    if kind == "gated":
        model["V"] = rng.normal(size=(m, d))
        model["W"] = rng.normal(size=(m, d) if outputs == 1 else (m, outputs, d))
    else:
        model["U"] = rng.normal(size=(m, d))
        model["W"] = rng.normal(size=(m, outputs))
        if bias or kind == "scalar":
            model["b"] = rng.normal(size=m)
    return model


def forward(model, x):
    """Outputs by the definition, and the sum of the absolute values of the terms of each."""
    factor = model["scale"] * model["rho"]
    if model["kind"] == "gated":
        w = model["W"].reshape(model["m"], model["outputs"], model["d"])
        gate = (x @ model["V"].T > 0) * factor
        value = np.einsum("ij,jkl,il->ik", gate, w, x)
        size = np.einsum("ij,jkl,il->ik", np.abs(gate), np.abs(w), np.abs(x))
    else:
        t, reach = x @ model["U"].T, np.abs(x) @ np.abs(model["U"]).T
        if model["kind"] == "scalar":
            t, reach = t * model["b"], reach * np.abs(model["b"])
        elif "b" in model:
            t, reach = t + model["b"], reach + np.abs(model["b"])
        p = PARAMETER.get(model["kind"], 0)
        h = {"leaky": lambda: np.maximum(t, p * t),
             "huber": lambda: np.where(t <= 0, 0, np.where(t <= p, t * t / (2 * p or 1), t - p / 2))}.get(
                 model["kind"], lambda: np.maximum(t, 0))()
        value = (h * factor) @ model["W"]
        size = (reach * np.abs(factor)) @ np.abs(model["W"])
    return model["c"] + value, np.abs(model["c"]) + size


def write_model(path, model):
    if path.endswith(".npz"):
        np.savez(path, **{k: json.dumps(v) if isinstance(v, dict) else np.array(v) for k, v in model.items()})
    else:
        with open(path, "w") as file:
            json.dump({k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in model.items()}, file)


def write_data(path, x, y=None):
    if path.endswith(".npy"):
        np.save(path, x)
    elif path.endswith(".libsvm"):
        with open(path, "w") as file:
            for row, label in zip(x, y):
                file.write(f"{label} " + " ".join(f"{k + 1}:{v!r}" for k, v in enumerate(row.tolist()) if v) + "\n")
    else:
        with open(path, "w") as file:
            for i, row in enumerate(x.tolist()):
                file.write(",".join(map(repr, row)) + (f",{y[i]}" if y is not None else "") + "\n")


def predict(program, model, data, *options):
    done = subprocess.run([program, "predict", model, data, "--json", *options], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"predict {model} {data}: code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def must_agree(what, got, expected, bound):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    if got.shape != expected.shape or not np.all(np.abs(got - expected) <= bound):
        worst = np.max(np.abs(got - expected) / bound) if got.shape == expected.shape else got.shape
        sys.exit(f"{what}: differs from NumPy by {worst} of the bound")


def check_families(program, folder, rng):
    """Outputs of every family: dense and sparse, JSON and NPZ, one output and three, the three scales."""
    count = 0
    for kind in ("relu", "leaky", "huber", "gated", "scalar"):
        for n, d, m, outputs in ((7, 3, 5, 1), (150, 6, 40, 3), (5, 2, 0, 1)):
            scale = (1.0, 1 / max(m, 1), 1 / max(m, 1) ** 0.5)[count % 3]
            model = make_model(rng, kind, d, m, outputs, scale, count % 2)
            x = np.where(rng.uniform(size=(n, d)) < 0.7, rng.normal(size=(n, d)), 0)
            x[:, -1] = rng.normal(size=n)  # LIBSVM: the last column must be there
            value, size = forward(model, x)
            for data in ("x.npy", "x.csv", "x.libsvm"):
                file = os.path.join(folder, "model" + (".json", ".npz")[count % 2])
                write_model(file, model)
                data = os.path.join(folder, data)
                write_data(data, x, [0.5] * n if data.endswith("libsvm") else None)
                options = ["--threads", str(1 + count % 2)]
                got = predict(program, file, data, *options)["outputs"]
                must_agree(f"{kind} {n}x{d}, m = {m}, {data}", got, value, 2 * (d + m + 8) * U * size)
                count += 1
    return count


def check_conversion(program, folder, rng):
    """JSON to NPZ and back: the numbers that NumPy reads are the same bits, and a second round the same bytes."""
    for kind, outputs in (("relu", 2), ("leaky", 1), ("huber", 1), ("gated", 1), ("gated", 3), ("scalar", 1)):
        model = make_model(rng, kind, 3, 4, outputs, 1.0, True)
        names = [os.path.join(folder, name) for name in ("0.json", "1.npz", "2.json", "3.npz", "4.json")]
        write_model(names[0], model)
        for source, target in zip(names, names[1:]):
            form = target.rsplit(".", 1)[1]
            done = subprocess.run([program, "convert", source, "--to", form, "-o", target, "--quiet"],
                                  capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"convert to {form}: code {done.returncode}: {done.stderr}")
        archive, text = np.load(names[1]), json.load(open(names[2]))
        for key in ("U", "V", "b", "W", "c", "rho"):
            if key in model and not (np.array_equal(archive[key], model[key]) and np.array_equal(text[key], model[key])):
                sys.exit(f"{kind}: {key} has changed on the way through NPZ and JSON")
        for first, second in ((1, 3), (2, 4)):
            if open(names[first], "rb").read() != open(names[second], "rb").read():
                sys.exit(f"{kind}: {names[first]} and {names[second]} differ")


def softmax(f):
    e = np.exp(f - f.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def check_classes(program, folder, rng):
    """Preprocessing, classes, probabilities and scores: two classes by one output, three by three."""
    for outputs, names in ((1, ["cat", "dog"]), (3, ["ant", "bee", "cow"])):
        raw = rng.normal(size=(60, 4)) * [1, 10, 0.1, 3] + [0, 5, -1, 2]
        mean, sd = raw.mean(axis=0), raw.std(axis=0)
        model = make_model(rng, "relu", 5, 9, outputs, 1.0, True)
        model.update(classes=names, preprocess={"normalize": "standardize", "bias": "augment",
                                                "mean": mean.tolist(), "scale": sd.tolist()})
        x = np.column_stack([(raw - mean) / sd, np.ones(60)])
        f, size = forward(model, x)
        odds = np.column_stack([np.zeros(60), f]) if outputs == 1 else f
        label = rng.integers(len(names), size=60)
        data, file = os.path.join(folder, "labelled.csv"), os.path.join(folder, "classes.npz")
        write_data(data, raw, [names[k] for k in label])
        write_model(file, model)
        got = predict(program, file, data)
        error = 2 * (5 + 9 + 16) * U * size.max()
        must_agree("outputs", got["outputs"], f, error)
        chosen = odds.argmax(axis=1)
        if got["labels"] != [names[k] for k in chosen]:
            sys.exit("labels differ from NumPy")
        must_agree("probabilities", got["probabilities"], softmax(odds), error + 8 * U)
        must_agree("accuracy", got["score"]["accuracy"], np.mean(chosen == label), 4 * U)
        entropy = -np.log(softmax(odds)[np.arange(60), label])
        must_agree("cross_entropy", got["score"]["cross_entropy"], entropy.mean(), error + 64 * U * (1 + entropy.max()))


def main():
    program, rng = sys.argv[1], np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        count = check_families(program, folder, rng)
        check_classes(program, folder, rng)
        check_conversion(program, folder, rng)
    print(f"{count} predictions of five families agree with NumPy")


if __name__ == "__main__":
    main()
