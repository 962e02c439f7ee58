#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables as they are: messy files against their twins, models on tables whose columns stand in another order, frames."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import fathom
from fathom.data import Data

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import messy


class Frame:
    """The part of a pandas frame that is looked at."""

    def __init__(self, text):
        self.text, self.dtypes = text, [np.dtype(object)]

    def to_csv(self, index):
        return self.text


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "messy.csv")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        return self.path

    def test_twins(self):
        for seed in range(60):
            text, kinds, numbers, target = messy.make(seed)
            data = Data.open(self.write(text), missing="impute")
            self.assertEqual({c["name"]: c["kind"] for c in data.columns}, kinds, seed)
            self.assertEqual(data.X.shape, np.shape(numbers), seed)
            np.testing.assert_allclose(data.X, numbers, rtol=1e-13, atol=1e-9, err_msg=str(seed))
            np.testing.assert_array_equal(data.y, target)

    def table(self, seed, target):
        """A file of two columns of numbers and a target, which is a function of the row's number and its first value."""
        rng = np.random.default_rng(seed)
        n = int(rng.integers(30, 80))
        rows = rng.normal(size=(n, 2))
        return self.write(("first,second,what\n" + "".join(f"{a:.3f},{b:.3f},{target(i, a)}\n" for i, (a, b) in enumerate(rows))).encode())

    def test_targets_that_are_none(self):
        """A target that is always the same, or another text in every row, is refused by its name, with the other columns; told so, fit obeys."""
        for seed in range(3):
            for target in ("same", "7", lambda i, a: f"person {i}", lambda i, a: f"2020-{i % 12 + 1:02d}-{i // 12 + 1:02d}"):
                path = self.table(seed, target if callable(target) else lambda i, a, text=target: text)
                with self.assertRaisesRegex(fathom.InputError, "target what .*first, second"):
                    fathom.fit(path, time=0)
            self.assertEqual(fathom.fit(self.table(seed, lambda i, a: 7), time=0, task="regress").task, "regression")

    def test_targets_with_units(self):
        for unit in ("{} kg", "${}", "{:.1f} EUR"):
            found = fathom.fit(self.table(1, lambda i, a: unit.format(round(100 + 10 * a))), time=0, task="auto")
            self.assertEqual(found.task, "regression")

    def test_warnings(self):
        """Rare classes in one line, classes that differ in case, few rows; AUC of a constant is a half whatever a fold lacks."""
        found = fathom.fit(self.table(1, lambda i, a: f"c{i % 6}" if i < 12 else "No" if a > 0 else "no"), time=0)
        self.assertIn("6 of 8 classes have fewer than 10 examples: their scores say little", found.warnings)
        self.assertTrue(any("No and no differ in case" in text for text in found.warnings))
        self.assertEqual(found.rivals[0]["auc"], 0.5)
        rare = fathom.fit(self.table(2, lambda i, a: "rare" if i < 3 else "common"), time=0)
        self.assertEqual(rare.rivals[0]["auc"], 0.5)
        few = fathom.fit(self.write(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(9))), time=0)
        self.assertTrue(any("9 rows are few" in text for text in few.warnings))

    def test_loss_of_a_plain_call(self):
        """Texts are classes, numbers are numbers, whatever way they come; what is asked for is done."""
        for target, kind in ((lambda i, a: "up" if a > 0 else "down", "logistic"), (lambda i, a: "abc"[i % 3], "softmax"),
                             (lambda i, a: a > 0, "logistic"), (lambda i, a: int(a > 0), "squared"), (lambda i, a: round(a, 2), "squared")):
            path = self.table(3, target)
            with open(path) as file:
                rows = [line.split(",") for line in file.read().split()[1:]]
            y = [row[2] for row in rows]
            X = np.array([row[:2] for row in rows], dtype=float)
            for data in ((path,), (X, y if kind != "squared" else np.array(y, dtype=float))):
                self.assertEqual(fathom.train(*data, beta_rel=0.5, gap=0.1).model.loss, kind)
                self.assertEqual(fathom.path(*data, points=2, gap=0.1).path[0].model.loss, kind)
                self.assertEqual(fathom.train(*data, loss="auto", model="gated", gates=5, beta_rel=0.5).model.loss, kind)
                self.assertEqual(fathom.train(*data, loss="squared", beta_rel=0.5, gap=0.1).model.loss, "squared")

    def test_dependence(self):
        """Rows of `dependence` are the network with the other columns at their means, and it is linear between them."""
        for seed, target in ((4, lambda i, a: "up" if abs(a) > 0.6 else "down"), (5, lambda i, a: round(abs(a) + 0.01 * i, 3))):
            path, model_path = self.table(seed, target), os.path.join(self.folder.name, "model.json")
            run = subprocess.run([sys.executable, "-m", "fathom", "fit", path, "--time", "0", "--json", "-o", model_path], capture_output=True, check=True)
            rows = json.loads(run.stdout)["dependence"]
            model = fathom.Model.load(model_path)
            means = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(0, 1)).mean(0)
            for place, name in enumerate(("first", "second")):
                own = [row for row in rows if row["column"] == name]
                if not own:
                    continue
                value = np.array([row["value"] for row in own])
                output = np.array([row["output"] for row in own])
                between = (value[1:] + value[:-1]) / 2
                for x, f in ((value, output), (between, (output[1:] + output[:-1]) / 2)):
                    X = np.tile(means, (len(x), 1))
                    X[:, place] = x
                    np.testing.assert_allclose(np.ravel(model.outputs(X)), f, rtol=1e-9, atol=1e-9 * np.abs(output).max())

    def test_onnx_says_what_it_takes(self):
        """The columns by name where the table has more than plain numbers; nothing where it has not."""
        model_path, graph = (os.path.join(self.folder.name, name) for name in ("model.json", "model.onnx"))
        for data, named in ((messy.make(3)[0], True), (b"a,b\n" + b"".join(b"%d,%d\n" % (i % 7, i % 3 + i % 7) for i in range(40)), False)):
            path = self.write(data)
            found = fathom.fit(path, time=0, task="auto")
            found.model.save(model_path)
            run = subprocess.run([sys.executable, "-m", "fathom", "convert", model_path, "-o", graph], capture_output=True, check=True, text=True)
            used = sum(column["use"].split(":")[0] != "dropped" for column in found.columns)
            self.assertEqual(f"inputs       {used} columns of the table by name" in run.stdout, named, run.stdout)

    def test_files_are_predicted_by_name(self):
        """A model takes the name of a file, or of generated data, where it takes rows; what a fit prints fits on a screen."""
        for seed in range(3):
            path = self.write(messy.make(seed)[0])
            found = fathom.fit(path, time=0, task="auto")
            np.testing.assert_array_equal(found.model.outputs(path), found.model.outputs(Data.like(found.model, path)))
            found.model.save(os.path.join(self.folder.name, "model.json"))
            run = subprocess.run([sys.executable, "-m", "fathom", "predict", os.path.join(self.folder.name, "model.json"), path, "--json"],
                                 capture_output=True, check=True)
            np.testing.assert_array_equal(np.ravel(found.model.outputs(path)), np.ravel(json.loads(run.stdout)["outputs"]))
            self.assertLess(max(map(len, repr(found).splitlines())), 600)
        model = fathom.train("gen:xor,n=40", loss="logistic", gap=0.2).model
        self.assertEqual(len(model.predict("gen:xor,n=8")), 8)

    def test_frames(self):
        text = "a,b,when\n" + "".join(f"{i % 5 if i % 7 else ''},{'red' if i % 3 else 'green'},2020-01-{i % 20 + 1:02d}\n" for i in range(40))
        y = ["yes" if i % 2 else "no" for i in range(40)]
        result = fathom.train(Frame(text), y, loss="logistic", bias="free", normalize="standardize", beta_rel=0.6, gap=0.05)
        model = result.model
        swapped = "\n".join(",".join(reversed(line.split(","))) for line in text.split())
        np.testing.assert_array_equal(model.predict(Frame(text)), model.predict(Frame(swapped)))
        with self.assertRaises(fathom.InputError):
            model.predict(np.zeros((2, 3)))

    def test_frames_of_pandas(self):
        """Texts, missing cells, nullable and category types; whatever the name of y is, y is the target, in fit and in predictions."""
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        for seed in range(3):
            rng = np.random.default_rng(seed)
            frame = pandas.DataFrame({"a": rng.normal(size=60), "b": rng.integers(0, 9, 60), "colour": rng.choice(["red", "blue"], 60)})
            y = pandas.Series(np.where(frame["colour"] == "red", 3.0, -3.0) + rng.normal(size=60) / 10)
            frame.loc[3, "a"] = np.nan
            nullable = frame.astype({"a": "Float64", "b": "Int64", "colour": "string"})
            nullable.loc[5, "b"] = pandas.NA
            numbered = frame.set_axis(range(3), axis=1)
            for table in (frame, nullable, frame.astype({"colour": "category"}), numbered):
                names = [str(name) for name in table.columns]
                for name in (None, "a", "b", 1, "-1", 2.5, "sample weight", 'a,"b'):
                    found = fathom.fit(table, y.rename(name), np.ones(60), time=0, folds=2)
                    self.assertEqual([column["name"] for column in found.columns], names, name)
                    self.assertNotIn(found.target, names)
                    self.assertGreater(found.cv["r2"], 0.98, name)
                    self.assertLess(np.abs(found.model.predict(table) - y).max(), 1.5)

    def test_categories_of_frames(self):
        """What a frame has as a category is one, also where its values are numbers; others go by content."""
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        for seed in range(4):
            rng = np.random.default_rng(seed)
            name = ["k", "a,b", "0", "k k"][seed]
            code = rng.integers(0, 5, 80)
            frame = pandas.DataFrame({"x": rng.normal(size=80), name: pandas.Categorical(code), "n": code})
            y = pandas.Series(np.where(code % 2 == 0, 3.0, -3.0) + rng.normal(size=80) / 10)
            for table in (frame, frame.assign(t=y)):
                options = {"target": "t"} if "t" in table else {}
                found = fathom.fit(table, None if options else y, time=0, folds=2, **options)
                self.assertEqual([column["kind"] for column in found.columns], ["number", "category", "number"])
                self.assertGreater(found.cv["r2"], 0.98)
            fit = fathom.FathomRegressor(folds=2, drop=["n"]).fit(frame, y)
            self.assertGreater(fit.score(frame, y), 0.99)
            np.testing.assert_array_equal(fit.predict(frame.astype({name: int})), fit.predict(frame))
            with self.assertRaisesRegex(ValueError, "y is missing in 2 of 80 rows"):
                fathom.FathomClassifier().fit(frame, pandas.Series(np.where(code > 2, "u", "v"), dtype="string").mask(np.arange(80) < 2))

    def test_frames_of_polars(self):
        try:
            import polars
        except ImportError:
            self.skipTest("polars is not installed")
        rng = np.random.default_rng(4)
        frame = polars.DataFrame({"a": [None, *rng.normal(size=59)], "colour": [str(c) for c in rng.choice(["red", "blue"], 60)]})
        y = np.where(frame["colour"].to_numpy() == "red", 3.0, -3.0)
        for table in (frame, frame.with_columns(polars.col("colour").cast(polars.Categorical))):
            found = fathom.fit(table, polars.Series("a", y + rng.normal(size=60) / 10), time=0, folds=2)
            self.assertEqual([column["name"] for column in found.columns], ["a", "colour"])
            self.assertGreater(found.cv["r2"], 0.98)

    def test_arrays_by_their_method(self):
        """Whatever NumPy makes an array of by __array__, as tensors of other packages are, is one: X, y and weights."""
        class Tensor:
            def __init__(self, values):
                self.values, self.shape = values, values.shape

            def __array__(self, dtype=None, copy=None):
                return self.values.astype(dtype or self.values.dtype)

            def __len__(self):
                return len(self.values)

        rng = np.random.default_rng(3)
        X, weight = rng.normal(size=(40, 2)).astype(np.float32), rng.uniform(0.5, 2, 40)
        for y in (X[:, 0] > 0, np.where(X[:, 1] > 0, 3, 5), X[:, 0] - X[:, 1]):
            plain = fathom.train(X, y, weight, model="gated", gates=8)
            other = fathom.train(Tensor(X), Tensor(y), Tensor(weight), model="gated", gates=8)
            self.assertEqual(other.objective, plain.objective)
            np.testing.assert_array_equal(other.model.outputs(Tensor(X)), plain.model.outputs(X))
            self.assertEqual(fathom.fit(Tensor(X), Tensor(y), time=0, folds=2).objective, fathom.fit(X, y, time=0, folds=2).objective)

    def test_arrays(self):
        X = np.arange(24.0).reshape(8, 3) % 7
        X[2, 1] = np.nan
        data = Data(X, np.arange(8.0), missing="impute")
        self.assertEqual(data.X.shape, (8, 4))
        self.assertEqual(data.X[2, 1], np.median(np.delete(X[:, 1], 2)))
        with self.assertRaises(fathom.InputError):
            Data(X, np.arange(8.0))


if __name__ == "__main__":
    unittest.main()
