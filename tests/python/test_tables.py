#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables as they are: messy files against their twins, models on tables whose columns stand in another order, frames."""
import os
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

    def test_frames(self):
        text = "a,b,when\n" + "".join(f"{i % 5 if i % 7 else ''},{'red' if i % 3 else 'green'},2020-01-{i % 20 + 1:02d}\n" for i in range(40))
        y = ["yes" if i % 2 else "no" for i in range(40)]
        result = fathom.train(Frame(text), y, loss="logistic", bias="free", normalize="standardize", beta_rel=0.6, gap=0.05)
        model = result.model
        swapped = "\n".join(",".join(reversed(line.split(","))) for line in text.split())
        np.testing.assert_array_equal(model.predict(Frame(text)), model.predict(Frame(swapped)))
        with self.assertRaises(fathom.InputError):
            model.predict(np.zeros((2, 3)))

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
