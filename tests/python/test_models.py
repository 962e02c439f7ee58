#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Models from arrays and in other forms, sparse rows, arrays in place of files, tables and pictures of results."""
import importlib.util
import unittest

import numpy as np

import fathom

RANDOM = np.random.default_rng(7)
KINDS = {"relu": lambda t, p: np.maximum(t, 0), "leaky": lambda t, p: np.maximum(t, p * t),
         "huber": lambda t, p: np.where(t <= 0, 0, np.where(t <= p, t * t / (2 * p), t - p / 2))}


def has(name):
    return importlib.util.find_spec(name) is not None


def draw(kind, d, m, outputs):
    """Parameters of a random network and its function by the definition."""
    U, W, rho, c = RANDOM.normal(size=(m, d)), RANDOM.normal(size=(m, outputs)), RANDOM.uniform(0.5, 2, m), RANDOM.normal(size=outputs)
    b = RANDOM.normal(size=m)
    sigma = KINDS[kind]
    return dict(U=U, W=W, rho=rho, b=b, c=c), lambda X: c + (rho * sigma(X @ U.T + b, 0.25)) @ W


class Arrays(unittest.TestCase):
    def test_networks_are_their_arrays(self):
        for kind in KINDS:
            for d, m, outputs in ((1, 1, 1), (3, 5, 2), (2, 9, 3)):
                arrays, function = draw(kind, d, m, outputs)
                net = fathom.Model.from_arrays(kind=kind, parameter=0 if kind == "relu" else 0.25, **arrays)
                X = RANDOM.normal(size=(20, d))
                scale = 1 + np.abs(function(X)).max()
                np.testing.assert_allclose(net.outputs(X), function(X), rtol=0, atol=100 * m * d * 2.3e-16 * scale)
                for name, value in arrays.items():
                    np.testing.assert_array_equal(net.weights[name], value)

    def test_gated_networks(self):
        V, W = RANDOM.normal(size=(4, 3)), RANDOM.normal(size=(4, 3))
        X = RANDOM.normal(size=(10, 3))
        by_hand = ((X @ V.T > 0) * (X @ W.T)).sum(axis=1)
        for net in (fathom.Model.from_arrays(V, W, kind="gated"), fathom.Model.from_arrays(np.zeros((4, 3)), W, V=V, kind="gated")):
            np.testing.assert_allclose(net.predict(X), by_hand, atol=1e-13)

    def test_classes(self):
        net = fathom.Model.from_arrays([[1.0], [-1.0]], [1.0, -1.0], loss="logistic", classes=["left", "right"])
        self.assertEqual(net.predict([[2.0], [-2.0]]).tolist(), ["right", "left"])
        self.assertAlmostEqual(net.predict_proba([[2.0]])[0, 1], 1 / (1 + np.exp(-2)), 14)

    def test_wrong_shapes_are_named(self):
        good, _ = draw("relu", 2, 3, 1)
        for name, value in (("W", np.ones((4, 1))), ("rho", np.ones(2)), ("b", np.ones((3, 1))), ("c", [1.0, 2.0]), ("U", [1.0, 2.0])):
            with self.assertRaises(fathom.UsageError, msg=name) as caught:
                fathom.Model.from_arrays(**{**good, name: value})
            self.assertIn(name + ":", str(caught.exception))
        self.assertRaises(fathom.UsageError, fathom.Model.from_arrays, [[1.0]], [1.0], kind="tanh")
        self.assertRaises(fathom.FathomError, fathom.Model.from_arrays, [[np.nan]], [1.0])

    def test_gradient(self):
        """Central differences away from kinks, in every parameter."""
        arrays, _ = draw("relu", 2, 3, 2)
        X, y = RANDOM.normal(size=(8, 2)), RANDOM.normal(size=(8, 2))
        value = lambda a: np.sum((fathom.Model.from_arrays(**a).outputs(X) - y) ** 2) / 2
        found = fathom.Model.from_arrays(**arrays).gradient(X, y)
        self.assertAlmostEqual(found["value"], value(arrays), 12)
        for name in ("U", "W", "b", "c"):
            step = np.zeros_like(arrays[name])
            step.flat[0] = 1e-6
            slope = (value({**arrays, name: arrays[name] + step}) - value({**arrays, name: arrays[name] - step})) / 2e-6
            self.assertAlmostEqual(found[name].flat[0], slope, delta=1e-6 * (1 + abs(slope)))

    def test_gradient_of_every_loss(self):
        """Losses by the names that training takes, on made and on trained models: central differences of the value."""
        arrays, _ = draw("relu", 2, 3, 1)
        X, signs = RANDOM.normal(size=(8, 2)), np.where(RANDOM.normal(size=8) > 0, 1.0, -1.0)
        for loss in ("squared", "logistic", "exponential", "hinge", "huber", "absolute", "quantile"):
            model = fathom.Model.from_arrays(**arrays, loss=loss)
            self.assertEqual(model.loss, loss)
            found, step = model.gradient(X, signs), np.full_like(arrays["c"], 1e-6)
            ends = [fathom.Model.from_arrays(**{**arrays, "c": arrays["c"] + way * step}).gradient(X, signs, loss=loss)["value"] for way in (1, -1)]
            slope = (ends[0] - ends[1]) / 2e-6
            self.assertAlmostEqual(found["c"].flat[0], slope, delta=1e-6 * (1 + abs(slope)))
        self.assertRaises(fathom.UsageError, fathom.Model.from_arrays, **arrays, loss="hubert")

    def test_layers_are_the_network_on_raw_columns(self):
        X, y = 5 + 3 * RANDOM.normal(size=(30, 2)), RANDOM.normal(size=30)
        for normalize in ("none", "standardize"):
            for bias in ("none", "augment", "free"):
                model = fathom.train(X, y, normalize=normalize, bias=bias, beta_rel=0.05, effort=0.1, gap=0.1).model
                coefs, intercepts = model.layers()
                output = np.maximum(X @ coefs[0] + intercepts[0], 0) @ coefs[1] + intercepts[1]
                np.testing.assert_allclose(output, model.outputs(X), atol=1e-10 * (1 + np.abs(output).max()))
        unit = fathom.train(X, y, normalize="unit", beta_rel=0.5, effort=0.1, gap=0.1).model
        self.assertRaises(fathom.UsageError, unit.layers)


class Forms(unittest.TestCase):
    def test_other_forms_have_the_same_outputs(self):
        X, y = RANDOM.normal(size=(20, 3)), RANDOM.normal(size=20)
        model = fathom.train(X, y, model="gated", gates=15).model
        relu = model.convert("relu", X, select="sparse")
        self.assertEqual((relu.kind, relu.convert("gated").kind), ("relu", "gated"))
        for other in (relu, relu.convert("gated"), model.convert("compressed", X), model.convert("gated")):
            np.testing.assert_allclose(other.outputs(X), model.outputs(X), atol=1e-8)
        self.assertRaises(fathom.UsageError, model.convert, "relu")
        self.assertRaises(fathom.UsageError, model.convert, "tanh", X)

    def test_arrays_in_place_of_files(self):
        X, y = RANDOM.normal(size=(20, 3)), RANDOM.normal(size=20)
        gates = RANDOM.normal(size=(6, 3))
        patterns = (X @ gates.T > 0).astype(float)
        by_rows = fathom.train(X, y, model="gated", gates=gates, gates_as="rows")
        by_patterns = fathom.train(X, y, model="gated", gates=patterns, gates_as="patterns")
        self.assertAlmostEqual(by_rows.objective, by_patterns.objective, 8)
        self.assertEqual(fathom.kernel(X, gates=gates, gates_as="rows").matrix.shape, (20, 20))
        first = fathom.flow("gen:xor,n=16", width=8, until="steps=20")
        again = fathom.flow("gen:xor,n=16", width=8, init=first.model, until="steps=0")
        self.assertAlmostEqual(again.log_loss, first.log_loss, 12)

    @unittest.skipUnless(has("scipy"), "SciPy is not installed")
    def test_sparse_rows_are_rows(self):
        from scipy import sparse
        for form in (sparse.csr_matrix, sparse.coo_matrix, sparse.csc_matrix):
            dense = RANDOM.normal(size=(25, 12)) * (RANDOM.uniform(size=(25, 12)) < 0.3)
            y = np.where(dense.sum(axis=1) > 0, "more", "less")
            fits = [fathom.train(X, y, model="gated", gates=10, normalize=normalize) for normalize in ("none", "standardize")
                    for X in (dense, form(dense))]
            for one, other in (fits[:2], fits[2:]):
                self.assertAlmostEqual(one.objective, other.objective, delta=1e-6 * one.objective)
                np.testing.assert_allclose(other.model.outputs(form(dense)), other.model.outputs(dense), atol=1e-13)  # sums in another order
        twice = sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 3))
        np.testing.assert_array_equal(fathom.Data(twice).X, [[0, 3, 0], [0, 0, 0]])


class Held(unittest.TestCase):
    def test_outputs_of_rows_left_out(self):
        """They are those of a network trained without the fold, and give the loss that is printed."""
        X, y = RANDOM.normal(size=(60, 2)), RANDOM.normal(size=60)
        angle = np.arange(6) * np.pi / 3  # gates far enough apart to differ on the rows of every fold: only then is the network one
        gates = np.column_stack([np.cos(angle), np.sin(angle)])
        options = dict(model="gated", gates=gates, gates_as="rows", gap=1e-8)
        path = fathom.path(X, y, points=3, cv=4, **options)
        self.assertEqual(sorted(np.bincount(path.fold)), [15, 15, 15, 15])
        for k, point in enumerate(path):
            self.assertAlmostEqual(np.mean((path.held_out[k, :, 0] - y) ** 2) / 2, path.cv_loss[k], 12)
            out = path.fold == 1
            without = fathom.train(X[~out], y[~out], beta=point.beta * 45 / 60, **options).model
            np.testing.assert_allclose(without.predict(X[out]), path.held_out[k, out, 0], atol=1e-2 * np.abs(y).max())
        self.assertIsNone(fathom.path(X, y, points=2, **options).held_out)


RESULTS = {
    "train": lambda: fathom.train("gen:gauss,n=30,d=3,target=teacher", model="gated", gates=20),
    "path": lambda: fathom.path("gen:gauss,n=30,d=3,target=teacher", model="gated", gates=20, points=3),
    "cv": lambda: fathom.path("gen:gauss,n=30,d=3,target=teacher", model="gated", gates=20, points=3, cv=3),
    "fit": lambda: fathom.fit("builtin:iris", time=0, folds=2), "margin": lambda: fathom.margin("gen:circle,n=8"),
    "kernel": lambda: fathom.kernel("gen:circle,n=9"), "cones": lambda: fathom.cones("gen:circle,n=8", measure=True),
    "check": lambda: fathom.check("gen:circle,n=8", theorem="000:7.2"), "flow": lambda: fathom.flow("gen:xor,n=16", width=8, until="steps=20"),
}
ROWS = {"train": 1, "path": 3, "cv": 3, "fit": 8, "margin": 8, "kernel": 9, "cones": 8, "check": None, "flow": None}


class Shown(unittest.TestCase):
    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_tables(self):
        for name, make in RESULTS.items():
            result = make()
            frame = result.to_pandas()
            self.assertEqual(len(frame), ROWS[name] or len(frame), name)
            self.assertGreater(frame.shape[1], 0, name)
        self.assertEqual(len(fathom.cones("gen:circle,n=8").to_pandas()), 1)

    @unittest.skipUnless(has("matplotlib"), "matplotlib is not installed")
    def test_pictures(self):
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
        for name, make in RESULTS.items():
            result = make()
            axes = pyplot.subplots()[1]
            self.assertIs(result.plot(axes), axes, name)
            axes.figure.canvas.draw()
        for d in (1, 2):
            X = RANDOM.normal(size=(20, d))
            model = fathom.train(X, np.abs(X[:, 0]), bias="free", effort=0.1, gap=0.1).model
            model.plot_regions(X, X[:, 0]).figure.canvas.draw()
            model.plot_neurons().figure.canvas.draw()
        self.assertRaises(fathom.UsageError, fathom.Model.from_arrays(np.ones((1, 3)), [1.0]).plot_regions)
        pyplot.close("all")

    @unittest.skipIf(has("matplotlib"), "matplotlib is installed")
    def test_without_matplotlib(self):
        with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
            fathom.margin("gen:circle,n=8").plot()


if __name__ == "__main__":
    unittest.main()
