#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions of the package: results against NumPy, bad arguments, models, threads, interruption, examples."""
import ctypes
import doctest
import importlib
import inspect
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import fathom
from fathom import _options

RNG = np.random.default_rng(7)
X = RNG.normal(size=(60, 4))
Y = np.maximum(X @ [1.0, -1, 0.5, 2], 0) + 0.1 * RNG.normal(size=60)
UNIT = 2.0 ** -53


def gated_objective(model, x, y, beta):
    """The objective recomputed from the weights: 1/2 |f - y|^2 + beta sum |w_j|."""
    w = model.weights
    f = ((x @ w["V"].T > 0) * (x @ (w["W"][:, 0, :] * w["rho"][:, None]).T)).sum(axis=1) + w["c"][0]
    return 0.5 * np.sum((f - y) ** 2) + beta * np.sum(np.abs(w["rho"]) * np.linalg.norm(w["W"][:, 0, :], axis=1))


class Train(unittest.TestCase):
    def test_objective_is_that_of_the_weights(self):
        fit = fathom.train(X, Y, model="gated", gates=30, beta_rel=0.05)
        again = gated_objective(fit.model, X, Y, fit.beta)
        self.assertLessEqual(abs(again - fit.objective), 1e4 * UNIT * fit.objective)
        self.assertLessEqual(fit.lower_bound, fit.objective)
        self.assertLessEqual(fit.relative_gap, 1e-6)
        self.assertEqual(dict(fit)["status"], "gates")

    def test_weights_are_repetitions(self):
        count = RNG.integers(1, 4, size=60)
        weighted = fathom.train(X, Y, count, model="gated", gates=20, gap=1e-9)
        repeated = fathom.train(np.repeat(X, count, axis=0), np.repeat(Y, count), model="gated", gates=20, gap=1e-9)
        self.assertLessEqual(weighted.lower_bound, repeated.objective)
        self.assertLessEqual(repeated.lower_bound, weighted.objective)

    def test_dual_point_proves_the_bound(self):
        """D(v) and prices recomputed; the braces of rows and neurons add up to the gap (docs/explanation/global.md)."""
        x, y = X[:14, :2], Y[:14]
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "v.npy")
            for options in ({}, {"bias": "free"}, {"scale": "mean"}):
                fit = fathom.train(x, y, save_dual=file, **options)
                v, kkt, n = fit.dual, fit.kkt, 14 if "scale" in options else 1
                np.testing.assert_array_equal(np.load(file), v)
                value = (v * n) @ y / n - (v * n) @ (v * n) / (2 * n)
                self.assertLessEqual(abs(value - fit.lower_bound), 1e-12 * fit.objective)
                w = fit.model.weights
                prices = np.abs(v @ np.maximum(x @ w["U"].T + w.get("b", 0), 0)) / np.linalg.norm(w["U"], axis=1)
                self.assertLessEqual(prices.max(), fit.beta * (1 + 1e-12))
                np.testing.assert_allclose(sorted(a["price"] for a in kkt["neurons"]), sorted(prices), rtol=1e-12)
                gap = kkt["row_gap"] + kkt["neuron_gap"]
                self.assertLessEqual(abs(gap - fit.gap), 1e-12 * fit.objective)
                if "bias" not in options:
                    self.assertTrue(kkt["unique"] and kkt["maximisers_complete"])
                    self.assertGreaterEqual(kkt["maximisers_count"], fit.neurons)

    def test_line(self):
        """The five points of 001, Prop. 3.1: penalties at which knots change, minimisers, a classifier."""
        x, y = np.arange(-2.0, 3)[:, None], np.array([1.0, -1, 1, 1, -1])
        knots = fathom.path(x, y, bias="free", points=2, knots=True).knots
        self.assertTrue(knots["complete"])
        np.testing.assert_allclose([p["from"] for p in knots["pieces"]], [2, 1.2, 8 / 9, 2 / 3, 1 / 2, 1 / 3], rtol=4 * UNIT)
        self.assertEqual([len(p["kinks"]) for p in knots["pieces"]], [0, 1, 2, 2, 2, 3])
        for beta, free, unique in ((0.3, 1, False), (1.5, 0, False), (2.5, 0, True)):  # at 1.5 a line: kinks outside are free
            family = fathom.train(x, y, bias="free", beta=beta).minimisers
            self.assertEqual((family["free_intervals"], family["unique"]), (free, unique))
        facts = fathom.train(x, y, bias="free", loss="hinge", beta=0.01).classifier
        self.assertEqual(len(facts["crossings"]), 3)
        self.assertTrue(set(facts["kinks"]) <= set(x[:, 0]))

    def test_text_classes_come_back(self):
        y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
        model = fathom.train(X, y, loss="logistic", model="gated", gates=20, beta_rel=0.01).model
        self.assertEqual(model.classes, ["no", "yes"])
        self.assertGreater(np.mean(model.predict(X) == y), 0.9)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1, atol=4 * UNIT)
        three = np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]
        model = fathom.train(X, three, loss="logistic", model="gated", gates=20, beta_rel=0.01).model
        self.assertEqual(model.predict_proba(X).shape, (60, 3))

    def test_arrays_of_every_kind_give_the_same_bits(self):
        forms = [X, np.asfortranarray(X), X[::-1][::-1], np.hstack([X, X])[:, :4], X.tolist(), X.astype(object),
                 X.astype(">f8"), np.frombuffer(X.tobytes()).reshape(X.shape)]
        first = None
        for form in forms:
            fit = fathom.train(form, Y, model="gated", gates=10)
            first = first or fit.objective
            self.assertEqual(fit.objective, first)
        narrow = fathom.train(X.astype(np.float32), Y, model="gated", gates=10)
        wide = fathom.train(X.astype(np.float32).astype(float), Y, model="gated", gates=10)
        self.assertEqual(narrow.objective, wide.objective)

    def test_threads_give_the_same_bits(self):
        fits = [fathom.train(X, Y, model="gated", gates=40, threads=t).objective for t in (1, 2)]
        self.assertEqual(fits[0], fits[1])

    def test_path(self):
        path = fathom.path(X, Y, model="gated", gates=10, points=5, cv=3)
        self.assertEqual(len(path), 5)
        self.assertEqual(len(path.cv_loss), 5)
        self.assertIn(path.best, list(path))
        self.assertTrue(all(a.beta > b.beta for a, b in zip(path, list(path)[1:])))


class FrontDoors(unittest.TestCase):
    """Whatever the program can be asked, Python can; where it is asked elsewhere, that is written here."""
    RUN = {"json", "quiet", "verbose", "help", "progress", "seed", "threads", "time_limit", "memory"}
    ELSEWHERE = {
        "gen": "Data.open(SPEC), sources()", "predict": "Model.predict, predict_proba, outputs", "explain": "Model.explain",
        "convert": "Model.save, Model.export", "completion": "of shells", "manual": "of shells",
        "train": {"output": "result.model.save"}, "fit": {"output": "result.model.save"}, "path": {"output": "result.best.model.save"},
        "margin": {"model": "Model.margins", "output": "nothing to write"},
        "kernel": {"output": "result.model.save"}, "cones": {"cone": "cone(X, pattern)", "output": "nothing to write"},
        "geometry": {"output": "nothing to write"},
        "flow": {"output": "result.model.save", "save_limit": "result.ending['model'].save", "global_margin": "margin(X, y, kind='global')"},
        "check": {"output": "nothing to write", "list": "theorems()"},
        "info": {"output": "nothing to write"}, "doctor": {"output": "nothing to write"}, "report": {},
        "reproduce": {"list": "of the program", "minutes": "of the list", "output": "folder"}}

    def test_every_option_is_reachable(self):
        from fathom_relu import program

        helped = subprocess.run([program("fathom"), "--help"], capture_output=True, text=True, check=True).stdout
        commands = [line.split()[0] for line in helped.splitlines() if re.match(r"  [a-z]+  ", line)]
        self.assertIn("train", commands)
        for command in commands:
            elsewhere = self.ELSEWHERE.get(command)
            if isinstance(elsewhere, str):
                continue
            self.assertIsNotNone(elsewhere, f"{command} cannot be asked from Python")
            function = getattr(fathom, command)
            known = set(inspect.signature(function).parameters) | {n for t in getattr(function, "tables", ()) for n in t.rows}
            text = subprocess.run([program("fathom"), command, "--help"], capture_output=True, text=True, check=True).stdout
            options = {name.replace("-", "_") for name in re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M)}
            missing = options - known - self.RUN - set(elsewhere)
            self.assertFalse(missing, f"{command}: {missing} cannot be said from Python")
            self.assertFalse(set(elsewhere) - options, f"{command}: no such option")

    def test_verification(self):
        """verify=True runs fathom-check in every function that has it, on arrays and on what is named; nothing stays."""
        x, y = X[:10, :2], np.sign(X[:10, 0] * X[:10, 1])
        with tempfile.TemporaryDirectory() as folder:
            old, os.environ["TMPDIR"] = os.environ.get("TMPDIR"), folder
            try:
                for call in (lambda: fathom.train(x, y, gap=1e-2, verify=True), lambda: fathom.path(x, y, points=3, verify=True),
                             lambda: fathom.train("gen:gauss,n=8,d=2,target=sign", loss="hinge", gap=1e-2, verify=True),
                             lambda: fathom.margin("gen:xor,n=12,sd=0.1", kind="global", verify=True),
                             lambda: fathom.cones(x, verify=True)):
                    self.assertIs(call().verified, True)
                self.assertEqual(os.listdir(folder), [])
            finally:
                os.environ.pop("TMPDIR") if old is None else os.environ.update(TMPDIR=old)
        self.assertEqual(fathom.cones(x, verify=True).cones, fathom.cones(x).cones)

    def test_certificates_of_all(self):
        x, y = X[:10, :2], np.sign(X[:10, 0] * X[:10, 1])
        with tempfile.TemporaryDirectory() as folder:
            for number, call in enumerate((lambda c: fathom.path(x, y, points=3, certificate=c), lambda c: fathom.cones(x, certificate=c),
                                           lambda c: fathom.margin(x, y, kind="global", certificate=c),
                                           lambda c: fathom.margin("gen:xor,n=12,sd=0.1", kind="global", certificate=c))):
                result = call(os.path.join(folder, f"c{number}"))
                self.assertTrue(fathom.verify(result.certificate, result.certificate_data)["accepted"])

    def test_test_sets(self):
        with self.assertRaises(fathom.InputError):
            fathom.train(X, Y, model="gated", gates=10, test="/no/such/file.csv")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "test.csv")
            np.savetxt(path, np.column_stack([X, Y]), delimiter=",", fmt="%.17g")
            fit = fathom.train(X, Y, model="gated", gates=10, test=path)
            self.assertEqual(fit.test_score, fit.score)
            self.assertAlmostEqual(fit.score["mse"], np.mean((fit.model.predict(X) - Y) ** 2), places=12)
            half = fathom.path(X, Y, model="gated", gates=10, points=3, test=path, test_rows="0:30").path[-1]
            self.assertAlmostEqual(half.test_score["mse"], np.mean((half.model.predict(X[:30]) - Y[:30]) ** 2), places=12)

    def test_ends_of_flows(self):
        """The KKT point that a run ends at, as a model: its margins are those that the multipliers of `dual` weigh."""
        run = fathom.flow("gen:circle,n=4", width=8, method="flow", ending=True, until="log_loss=-60", test="gen:circle,n=4")
        self.assertEqual(run.test_score["accuracy"], 1)
        if run.ending["found"] == 1:
            self.assertEqual(run.ending["dual"].shape, (4,))
            self.assertEqual(run.ending["model"].shape, run.model.shape)

    def test_measures(self):
        cones = fathom.cones("gen:cube,d=3", measure=True)
        self.assertEqual((cones.patterns.shape, cones.measures.shape), ((14, 8), (14,)))
        self.assertTrue(np.all(cones.measures_lower <= cones.measures) and np.all(cones.measures <= cones.measures_upper))
        self.assertAlmostEqual(cones.measures.sum(), 1, places=12)
        share = cones.measures @ cones.patterns  # every half-space has one half
        np.testing.assert_allclose(share, 0.5, atol=1e-12)


class Certificates(unittest.TestCase):
    def test_proofs_of_arrays_and_files(self):
        y = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
        with tempfile.TemporaryDirectory() as folder:
            for arguments, options in (((X, Y), {"model": "gated", "gates": 10}),
                                       ((X, Y, np.arange(60) % 3 + 1.0), {"model": "gated", "gates": 10, "normalize": "standardize"}),
                                       ((X, y), {"model": "gated", "gates": 10, "loss": "logistic", "bias": "augment"}),
                                       (("gen:gauss,n=20,d=2,target=teacher",), {"gap": 1e-2})):
                proof = os.path.join(folder, f"proof{len(os.listdir(folder))}")
                fit = fathom.train(*arguments, certificate=proof, **options)
                checked = fathom.verify(proof, fit.certificate_data)
                self.assertTrue(checked["accepted"])
                self.assertEqual(fit.model.classes, ["no", "yes"] if "loss" in options else fit.model.classes)
                self.assertLessEqual(checked["lower"], fit.objective)
                self.assertLessEqual(abs(checked["upper"] - fit.objective), 1e-9 * fit.objective)
            with open(fit.certificate_data, "a") as file:
                file.write("0,0,0\n")
            with self.assertRaises(fathom.CertificateError):
                fathom.verify(proof, fit.certificate_data)

    def test_no_file_is_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = os.path.join(folder, "mine.csv")
            text = "1,2,1\n3,4,-1\n5,6.5,1\n"
            with open(mine, "w") as file:
                file.write(text)
            for call in (lambda: fathom.train(mine, certificate=mine), lambda: fathom.train(mine, checkpoint=mine),
                         lambda: fathom.train(X, Y, certificate=mine[:-4]), lambda: fathom.cones(mine, list=mine),
                         lambda: fathom.flow(mine, log=mine), lambda: fathom.margin(X, Y, certificate=mine[:-4]),
                         lambda: fathom.train("mine\0.csv"), lambda: fathom.train(mine, threads=-3),
                         lambda: fathom.train(mine, threads=2.7), lambda: fathom.train(mine, memory=float("nan"))):
                with self.assertRaises(fathom.UsageError):
                    call()
                with open(mine) as file:
                    self.assertEqual(file.read(), text)
            self.assertEqual(os.listdir(folder), ["mine.csv"])
        with self.assertRaises(fathom.InputError):
            fathom.train(np.ma.masked_array(X, X > 1), Y)

    def test_masks_are_not_lost(self):
        """Wherever an array goes in, what is under a mask is not a value."""
        x, y, one = np.ma.masked_array(X, X > 1), np.ma.masked_array(Y, Y > np.median(Y)), np.ones(len(Y))
        weight = np.ma.masked_array(one, np.arange(len(Y)) == 0)
        model = fathom.train(X, Y).model
        for call in (lambda: fathom.train(X, y), lambda: fathom.train(X, Y, weight), lambda: fathom.train(list(x), Y), lambda: fathom.fit(X, y, time=0),
                     lambda: fathom.kernel(x), lambda: fathom.flow(X, y, until="steps=1"), lambda: model.predict(x), lambda: model.outputs(x)):
            self.assertRaises(fathom.InputError, call)
        unmasked = np.ma.masked_array(X, np.zeros_like(X, dtype=bool))
        self.assertEqual(fathom.train(unmasked, Y).objective, fathom.train(X, Y).objective)

    def test_numbers_of_threads(self):
        for threads in (-3, 4097, 2 ** 31, 10 ** 30):
            with self.assertRaises(fathom.UsageError):
                fathom.train(X, Y, threads=threads)

    def test_proof_of_a_margin(self):
        with tempfile.TemporaryDirectory() as folder:
            proof = os.path.join(folder, "proof")
            m = fathom.margin("gen:circle,n=8", width=40, certificate=proof)
            checked = fathom.verify(proof, m.certificate_data)
            self.assertTrue(checked["accepted"] and checked["lower"] <= m.upper and m.lower <= checked["upper"])


class Others(unittest.TestCase):
    def test_margins_of_a_model(self):
        X, y = np.array([[1, .2], [-1, .3], [.5, -1.], [-.4, -.7]]), np.array([1, -1, 1, -1])
        model = fathom.flow(X, y, until="steps=50", width=6).model
        m = model.margins(X, y)
        self.assertTrue(np.array_equal(m["margins"], y * model.outputs(X)[:, 0]))
        self.assertEqual(m["margin"], m["margins"].min())
        self.assertTrue(np.all(np.diff(m["q"][np.argsort(m["margins"])]) <= 0))

    def test_margin_of_circles(self):
        for n in (4, 8, 16, 40):
            m = fathom.margin(f"gen:circle,n={n}")
            truth = 1 / (n * np.cos(np.pi / n))
            self.assertTrue(m.lower <= truth * (1 + 4 * UNIT) and truth * (1 - 4 * UNIT) <= m.upper)
            self.assertEqual(m.q.shape, (n,))

    def test_kernel_is_the_closed_form(self):
        k = fathom.kernel(X)
        norm = np.linalg.norm(X, axis=1)
        angle = np.arccos(np.clip(X @ X.T / np.outer(norm, norm), -1, 1))
        np.testing.assert_allclose(k.matrix, X @ X.T * (np.pi - angle) / (2 * np.pi), atol=1e-7 * norm.max() ** 2)
        eigenvalues = np.linalg.eigvalsh(k.matrix)
        self.assertTrue(k.lambda_min_lower <= eigenvalues[0] * (1 + 1e-9) and eigenvalues[0] <= k.lambda_min_upper * (1 + 1e-9))

    def test_kernel_regression(self):
        fit = fathom.kernel(X, Y, ridge=0.5)
        alpha = np.linalg.solve(fit.matrix + 0.5 * np.eye(60), Y)
        np.testing.assert_allclose(fit.model.outputs(X)[:, 0], fit.matrix @ alpha, rtol=1e-9, atol=1e-9)

    def test_one_cone(self):
        """Every pattern of small integer points: as many cones as there are faces, each answer with its proof."""
        for seed, (n, d) in enumerate([(4, 2), (5, 3), (6, 3), (5, 4)]):
            x = np.random.default_rng(seed).integers(-2, 3, (n, d))
            found = 0
            for number in range(2**n):
                active = np.array([number >> i & 1 for i in range(n)], bool)
                one = fathom.cone(x.astype(float), active)
                sign, weights = np.where(active, 1, -1), np.array(one.weights, object)
                self.assertTrue(all(weights >= 0))
                self.assertTrue(all((weights * sign) @ x.astype(object) == 0))
                if one.empty:
                    self.assertTrue(any(weights[active] > 0))
                    continue
                found += 1
                values = x.astype(object) @ np.array(one.witness, object)
                self.assertTrue(all((values > 0) == active))
                vanish = (values == 0) & x.any(axis=1)  # the witness is in the relative interior
                self.assertEqual(one.forced, list(np.flatnonzero(vanish)))
                self.assertEqual(list(weights > 0), list(vanish))
                self.assertEqual(one.dimension, d - (np.linalg.matrix_rank(x[vanish]) if vanish.any() else 0))
            self.assertEqual(found, fathom.cones(x.astype(float), faces=True).faces)

    def test_singular_kernels(self):
        """The nullity is that of the eigenvalues, and the null vector is one."""
        circle = [[np.cos(2 * np.pi * k / 6), np.sin(2 * np.pi * k / 6)] for k in range(3)]
        cases = [np.array([[1.0, 2], [2, 4], [0, 1]]), np.array([[1.0, 0], [0, 0]]), np.array([[1.0, 2], [3, -1]]),
                 np.array([[3.0, 0], [-1, 0], [0, 2], [0, -5]]), np.array([[1.0, 1], [-2, -2], [0, 1], [0, -3], [1, -1], [-1, 1]]),
                 np.array(circle + [[-a, -b] for a, b in circle])]
        for x in cases:
            for layers in ("first", "both"):
                k = fathom.kernel(x, layers=layers)
                self.assertEqual(k.nullity, sum(np.linalg.eigvalsh(k.matrix) < 1e-12))
                if k.nullity:
                    c = np.array([float(e) for e in k.null_vector])
                    self.assertLess(abs(k.matrix @ c).max(), 1e-12 * abs(c).max())
                    self.assertEqual((k.lambda_min, k.lambda_min_upper), (0, 0))

    def test_margin_of_thin_cones(self):
        """Grids in floating point have hundreds of cones without a measure to speak of; they do not spoil the others."""
        for size in (4, 5, 6):
            x = np.array([[i / (size - 1), j / (size - 1), 1] for i in range(size) for j in range(size)])
            y = np.array([(-1.0) ** (i * j) for i in range(size) for j in range(size)])
            m, turned = fathom.margin(x, y), fathom.margin(x[:, ::-1].copy(), -y)
            for one in (m, turned):
                self.assertLess(one.upper - one.lower, 1e-7 * one.upper)
            self.assertLessEqual(max(m.lower, turned.lower), min(m.upper, turned.upper))

    def test_cones_and_geometry(self):
        self.assertEqual(fathom.cones("gen:cube,d=3").cones, 14)
        self.assertTrue(fathom.geometry(np.eye(3)).whitened)

    def test_flow_has_a_trajectory(self):
        run = fathom.flow("gen:xor,n=40", width=16, until="steps=200")
        self.assertEqual(run.steps, 200)
        loss = run.trajectory["log_loss"]
        self.assertEqual(loss[-1], run.log_loss)
        self.assertLess(loss[-1], loss[0])
        self.assertEqual(run.model.shape[1], 16)


class Models(unittest.TestCase):
    def setUp(self):
        self.fit = fathom.train(X, Y, model="gated", gates=10, normalize="standardize", bias="augment")

    def test_files_and_pickles_keep_every_bit(self):
        expected = self.fit.model.outputs(X)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("m.json", "m.npz"):
                path = os.path.join(folder, name)
                self.fit.model.save(path)
                np.testing.assert_array_equal(fathom.load(path).outputs(X), expected)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(self.fit.model)).outputs(X), expected)

    def test_exports(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("m.c", "m.onnx"):
                self.fit.model.export(os.path.join(folder, name))
                self.assertGreater(os.path.getsize(os.path.join(folder, name)), 1000)
            with self.assertRaises(fathom.UsageError):
                self.fit.model.export(os.path.join(folder, "m.txt"))

    def test_results_show_themselves(self):
        self.assertIn("objective", repr(self.fit))
        self.assertIn("<table>", self.fit._repr_html_())


class BadUse(unittest.TestCase):
    def test_arrays(self):
        nan = X.copy()
        nan[3, 1] = np.nan
        for bad in (nan, X[0], X[None], X + 1j, np.array([["a", "b"]] * 60), np.zeros((0, 4)),
                    np.zeros((60, 0)), object(), None, [[1, 2], [3]]):
            with self.assertRaises((ValueError, TypeError)):
                fathom.train(bad, Y, model="gated", gates=5)
        for bad in (Y[:5], np.full(60, np.inf), Y[None, None], np.array(["x", None] * 30, dtype=object)):
            with self.assertRaises((ValueError, TypeError)):
                fathom.train(X, bad, model="gated", gates=5)
        for bad in (-np.ones(60), np.ones(3), np.ones((60, 2)), np.full(60, np.nan)):
            with self.assertRaises(ValueError):
                fathom.train(X, Y, bad, model="gated", gates=5)

    def test_options(self):
        for bad in ({"loss": "log"}, {"beta": -1}, {"gap": "x"}, {"beta": np.nan}, {"gates": "a\0b"}, {"seed": -1},
                    {"seed": 1.5}, {"time_limit": -1}, {"loss": 3}, {"beta": [1, 2]}):
            with self.assertRaises((ValueError, TypeError)):
                fathom.train(X, Y, **{"model": "gated", "gates": 5, **bad})
        with self.assertRaisesRegex(TypeError, "did you mean 'loss'"):
            fathom.train(X, Y, los="squared")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "bad.csv")
            with open(path, "w") as file:
                file.write("a,b\n1,2\n3,x,4\n")
            with self.assertRaises(fathom.InputError) as caught:
                fathom.train(path)
            self.assertEqual((caught.exception.file, caught.exception.line), (path, 3))

    def test_files_that_the_system_refuses(self):
        """Each is an error of the package and the OSError that open() raises, also after a pickle."""
        with tempfile.TemporaryDirectory() as folder:
            missing, inside = os.path.join(folder, "missing.csv"), os.path.join(folder, "file", "inside.csv")
            with open(os.path.join(folder, "file"), "w") as file:
                file.write("a,b\n1,2\n2,3\n")
            for kind, path, call in (
                    (fathom.InputError, missing, fathom.train), (fathom.InputError, missing, fathom.load), (fathom.InputError, missing, fathom.info),
                    (fathom.InputError, missing, lambda path: fathom.train(X, Y, test=path)), (fathom.InputError, folder, fathom.train),
                    (fathom.InputError, inside, fathom.train),
                    (fathom.RunError, os.path.join(folder, "nowhere", "v.npy"), lambda path: fathom.train(X[:9], Y[:9], save_dual=path))):
                with self.assertRaises(OSError) as expected, open(path, "r" if kind is fathom.InputError else "w"):
                    pass
                with self.assertRaises(kind) as caught:
                    call(path)
                for error in (caught.exception, pickle.loads(pickle.dumps(caught.exception))):
                    self.assertIsInstance(error, kind)
                    self.assertIsInstance(error, type(expected.exception))
                    self.assertEqual((error.errno, error.strerror, error.filename, error.file),
                                     (expected.exception.errno, expected.exception.strerror, path, path))
                    self.assertTrue(str(error).startswith(path + ": cannot "), str(error))
            with self.assertRaises(fathom.FathomError) as caught:
                fathom.train(os.path.join(folder, "file"), target="c")
            self.assertNotIsInstance(caught.exception, OSError)

    def test_many_classes(self):
        with self.assertRaises((fathom.FathomError, ValueError)):
            fathom.train(X, np.arange(60), loss="logistic", model="gated", gates=5, time_limit=0)

    def test_random_arguments_never_crash(self):
        """Random keywords with random values, in a process of its own: it must end by itself."""
        code = ("import test_commands as t, random, fathom, numpy as np\n"
                "rng = random.Random(%d)\n"
                "done = sum(t.random_call(rng) for _ in range(60))\n"
                "print(done)\n")
        for seed in range(2):
            run = subprocess.run([sys.executable, "-c", code % seed], capture_output=True, text=True, timeout=300,
                                 cwd=os.path.dirname(os.path.abspath(__file__)), env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)))
            self.assertEqual(run.returncode, 0, run.stderr[-2000:])


def random_call(rng):
    """One call with arguments that may or may not make sense; True where it gave a result."""
    values = [None, 0, 1, -1, 2.5, 1e300, float("nan"), "", "all", "x" * 500, True, b"", [], {}, "1", "0.1", "gated",
              np.float32(0.5), np.arange(3), "hinge", "squared", "\x00", "2e9", "-", "first", "../x"]
    arrays = [X, X[:3], X * 1e200, X * 1e-200, np.zeros((5, 2)), X[:1], np.ones((4, 1)), X[:, :1], X.T[:, :4].copy(), None,
              np.repeat(X[:2], 3, axis=0)]
    name = rng.choice(["train", "margin", "kernel", "cones", "geometry", "flow", "path"])
    x = rng.choice(arrays)
    y = None if x is None or rng.random() < 0.2 else np.sign(np.asarray(x)[:, 0] + 0.3)
    tables = {"train": [_options.TRAIN], "path": [_options.TRAIN, _options.PATH], "margin": [_options.MARGIN],
              "kernel": [_options.KERNEL], "cones": [_options.CONES], "geometry": [_options.GEOMETRY],
              "flow": [_options.FLOW]}[name] + [_options.DATA]
    keys = [k for table in tables for k in table.rows
            if k not in ("list", "log", "checkpoint", "certificate", "resume", "labels", "rows", "test")]
    options = {rng.choice(keys): rng.choice(values) for _ in range(rng.randrange(3))}
    if name in ("train", "path"):
        options.setdefault("model", "gated")
        options.setdefault("gates", 5)
    if name == "flow":
        options.setdefault("until", "steps=5")
        options.setdefault("width", 3)
    arguments = (x,) if name in ("cones", "geometry") else (x, y)
    try:
        getattr(fathom, name)(*arguments, time_limit=0.2, **options)
        return True
    except (fathom.FathomError, TypeError, ValueError):
        return False


class Running(unittest.TestCase):
    LONG = dict(model="gated", gates=2000, gap=1e-13, beta_rel=1e-4)

    def big(self):
        rng = np.random.default_rng(1)
        x = rng.normal(size=(3000, 40))
        return x, rng.normal(size=3000)

    def test_control_c_ends_a_call(self):
        x, y = self.big()
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            fathom.train(x, y, **self.LONG, time_limit=60)
        self.assertLess(time.monotonic() - start, 30)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_progress_is_heard_may_stop_and_may_fail(self):
        heard = []
        fathom.train(X, Y, model="gated", gates=20, progress=heard.append)
        self.assertTrue(heard and heard[-1].iteration >= 1)
        x, y = self.big()
        fit = fathom.train(x, y, **self.LONG, progress=lambda record: not record.value > 0)
        self.assertEqual(fit.status, "limit")
        with self.assertRaises(ZeroDivisionError):
            fathom.train(X, Y, model="gated", gates=20, progress=lambda record: 1 / 0)

    def test_other_threads_run_meanwhile(self):
        x, y = self.big()
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.01)

        beside = threading.Thread(target=tick)
        beside.start()
        try:
            fathom.train(x, y, **self.LONG, time_limit=0.5)
        except fathom.StoppedError:
            pass
        done.set()
        beside.join()
        self.assertGreater(len(ticks), 3)

    def test_time_limit_gives_a_bound(self):
        """However slow the machine: some limit is long enough for a first result, and too short for the gap."""
        x, y = self.big()
        for limit in (0.3, 3, 30, 300):
            try:
                fit = fathom.train(x, y, **self.LONG, time_limit=limit)
            except fathom.StoppedError:
                continue
            self.assertEqual(fit.status, "limit")
            self.assertLessEqual(fit.lower_bound, fit.objective)
            return
        self.fail("no result within 300 seconds")


class Examples(unittest.TestCase):
    def test_docstrings(self):
        """That of the package; those of its names: test_types.py."""
        failed, tried = doctest.testmod(fathom)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 0)


if __name__ == "__main__":
    unittest.main()
