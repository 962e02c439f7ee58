#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The estimators under scikit-learn's own checks, and in its tools. Skipped where scikit-learn is not installed.

The checks fit hundreds of times: those of all networks under a larger penalty, which needs fewer neurons, unless FATHOM_TEST_EFFORT is 4 or more.
"""
import os
import pickle
import sys
import unittest
import warnings

import numpy as np

try:
    import sklearn
    from sklearn.base import clone
    from sklearn.datasets import load_breast_cancer, load_diabetes
    from sklearn.exceptions import ConvergenceWarning, SkipTestWarning
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.metrics import balanced_accuracy_score, make_scorer
    from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils import estimator_checks
except ImportError:
    print("scikit-learn is not installed: skipped")
    sys.exit(77)

import fathom

SHORT = float(os.environ.get("FATHOM_TEST_EFFORT", "1")) < 4
NAMES = ["FathomRegressor", "FathomClassifier", "GatedReLURegressor", "GatedReLUClassifier", "NTKRegressor", "NTKClassifier",
         "ReLURegressor", "ReLUClassifier", "GatedReLURegressorCV", "GatedReLUClassifierCV", "ReLURegressorCV", "ReLUClassifierCV"]
# Fifteen rows of thirty columns, three times, each with all of its cones: long. The other CV forms, which share the code, are put before it.
LONG = {(name, f"check_sample_weight_equivalence_on_{kind}_data") for name in ("ReLURegressorCV", "ReLUClassifierCV") for kind in ("dense", "sparse")}

# Twenty to fifty processor seconds each under that penalty, on a busy machine: under a larger one.
COARSE = {("ReLUClassifier", f"check_{what}") for what in ("dtype_object", "estimator_sparse_array", "estimator_sparse_matrix")}


def checks(estimator):
    """(estimator, check) pairs of every version of scikit-learn."""
    if hasattr(estimator_checks, "estimator_checks_generator"):
        return estimator_checks.estimator_checks_generator(estimator)
    return estimator_checks.check_estimator(estimator, generate_only=True)


def fails_by_itself(check, estimator, error):
    """Whether scikit-learn's own estimator fails a check with the same words: nobody passes it here (1.3 cannot map what it
    pickles where NumPy's OpenBLAS takes the processor for a Prescott)."""
    own = (LogisticRegression if hasattr(estimator, "predict_proba") else LinearRegression)()
    try:
        check.func(type(own).__name__, own, **check.keywords)
    except Exception as other:
        return (type(other), str(other)) == (type(error), str(error))
    return False


class Checks(unittest.TestCase):
    def test_every_check_of_scikit_learn(self):
        for name in NAMES:
            count = broken = 0
            penalty = {"beta_rel": 0.3} if SHORT and name.startswith("ReLU") else {}
            if name.endswith("CV"):
                penalty = {"points": 2, "ratio": 0.3, "cv": 2}
            if SHORT and name in ("ReLURegressorCV", "ReLUClassifierCV"):
                penalty = {"points": 1, "ratio": 0.3, "cv": 2, "effort": 0.01} | ({"ratio": 0.5, "gap": 0.1} if "Class" in name else {})
            for estimator, check in checks(getattr(fathom, name)(threads=1, **penalty)):
                if SHORT and (name, check.func.__name__) in LONG:
                    continue
                if SHORT and (name, check.func.__name__) in COARSE:
                    estimator = clone(estimator).set_params(beta_rel=0.6)
                with self.subTest(name=name, check=str(check)), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        check(estimator)
                    except unittest.SkipTest:
                        continue
                    except Exception as error:
                        if not fails_by_itself(check, estimator, error):
                            raise
                        broken += 1
                        continue
                    count += 1
            print(f"{name}: {count} checks of scikit-learn {sklearn.__version__}" + f", {broken} that its own fail" * (broken > 0))
            self.assertLess(broken, 3)
            self.assertGreater(count, 30)


class Use(unittest.TestCase):
    def test_classifier_in_a_search(self):
        x, y = load_breast_cancer(return_X_y=True)
        pipeline = make_pipeline(StandardScaler(), fathom.GatedReLUClassifier(gates=20, gap=1e-3))
        search = GridSearchCV(pipeline, {"gatedreluclassifier__beta_rel": [0.3, 0.03]}, cv=3).fit(x, y)
        self.assertGreater(search.best_score_, 0.93)
        again = pickle.loads(pickle.dumps(search.best_estimator_))
        np.testing.assert_array_equal(again.predict_proba(x), search.best_estimator_.predict_proba(x))

    def test_weights_of_classes(self):
        """Weights by class are weights of their examples; balanced ones move the border to the rare class's good."""
        rng = np.random.default_rng(5)
        X, y = np.vstack([rng.normal(0, 1, (60, 2)), rng.normal(1, 1, (8, 2))]), np.repeat(["often", "rare"], [60, 8])
        for kind in (fathom.ReLUClassifier, fathom.GatedReLUClassifier):
            by_class = kind(beta_rel=0.2, class_weight={"often": 1, "rare": 3}).fit(X, y)
            by_row = kind(beta_rel=0.2).fit(X, y, sample_weight=np.where(y == "rare", 3.0, 1.0))
            np.testing.assert_array_equal(by_class.decision_function(X), by_row.decision_function(X))
            plain, balanced = kind(beta_rel=0.2).fit(X, y), kind(beta_rel=0.2, class_weight="balanced").fit(X, y)
            self.assertGreater((balanced.predict(X) == "rare").sum(), (plain.predict(X) == "rare").sum())

    def test_masks_are_not_lost(self):
        rng = np.random.default_rng(3)
        x = rng.normal(size=(20, 2))
        y, mask = x[:, 0], np.arange(20) == 4
        masked, hidden, weight = np.ma.masked_array(x, x > 1), np.ma.masked_array(y, mask), np.ma.masked_array(np.ones(20), mask)
        fit = fathom.GatedReLURegressor(gates=5).fit(x, y)
        for call in (lambda: fathom.GatedReLURegressor(gates=5).fit(masked, y), lambda: fathom.GatedReLURegressor(gates=5).fit(x, hidden),
                     lambda: fathom.GatedReLURegressor(gates=5).fit(x, y, weight), lambda: fit.predict(masked)):
            self.assertRaises(fathom.InputError, call)

    def test_bounds_are_attributes(self):
        x, y = load_diabetes(return_X_y=True)
        fit = fathom.GatedReLURegressor(gates=30).fit(StandardScaler().fit_transform(x), y)
        self.assertLessEqual(fit.lower_bound_, fit.objective_)
        self.assertLessEqual(fit.gap_, 1e-6 * fit.objective_)
        self.assertIsNone(fit.certificate_)

    def test_the_path_chooses(self):
        """The penalty is the best of the path by the scorer, and the network that of this penalty on all rows."""
        rng = np.random.default_rng(8)
        X = rng.normal(size=(60, 2))
        y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
        for scoring in (None, "roc_auc", "accuracy", make_scorer(balanced_accuracy_score)):
            fit = fathom.GatedReLUClassifierCV(gates=20, points=4, cv=3, scoring=scoring, n_jobs=1).fit(X, y)
            self.assertEqual(fit.best_index_, int(np.argmax(fit.cv_results_["mean_test_score"])))
            self.assertEqual(fit.beta_, fit.cv_results_["beta"][fit.best_index_])
            plain = fathom.GatedReLUClassifier(gates=20, beta=fit.beta_, n_jobs=1).fit(X, y)
            self.assertAlmostEqual(plain.objective_, fit.objective_, delta=3e-6 * fit.objective_)
            self.assertGreater(fit.score(X, y), 0.9)
        fit = fathom.ReLURegressorCV(points=3, cv=3, scoring="r2").fit(X, X[:, 0] * X[:, 1], sample_weight=rng.uniform(1, 2, 60))
        self.assertGreater(fit.best_score_, 0.8)
        self.assertEqual(set(pickle.loads(pickle.dumps(fit)).cv_results_), set(fit.cv_results_))

    def test_gaps_are_told(self):
        x, y = load_diabetes(return_X_y=True)
        fit = fathom.GatedReLURegressor(gates=30, beta_rel=0.01, gap=1e-12, time_limit=0.05)
        with self.assertWarnsRegex(ConvergenceWarning, "the gap is .* was asked for"):
            fit.fit(x, y)
        self.assertEqual(fit.status_, "limit")
        self.assertAlmostEqual(fit.relative_gap_, fit.gap_ / fit.objective_, 12)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(fathom.GatedReLURegressor(gates=10, gap=1e-3).fit(x, y).status_, "gates")

    def test_weights_are_those_of_a_perceptron(self):
        rng = np.random.default_rng(2)
        X = 3 + rng.normal(size=(40, 2))
        y = np.digitize(X[:, 0], [2.5, 3.5])
        fit = fathom.ReLUClassifier(beta_rel=0.2).fit(X, y)
        (inner, outer), (first, last) = fit.coefs_, fit.intercepts_
        np.testing.assert_allclose(np.maximum(X @ inner + first, 0) @ outer + last, fit.decision_function(X), atol=1e-9)
        self.assertFalse(hasattr(fathom.ReLUClassifier(), "coefs_"))
        self.assertFalse(hasattr(fathom.ReLURegressor(normalize="unit", beta_rel=0.5).fit(X, X[:, 0]), "coefs_"))

    def test_sparse_texts(self):
        texts = ["red apple pie", "green apple", "red car", "fast car race", "apple tart", "car park"] * 4
        y = ["food", "food", "car", "car", "food", "car"] * 4
        fit = make_pipeline(TfidfVectorizer(), fathom.GatedReLUClassifier(gates=20, beta_rel=0.03)).fit(texts, y)
        self.assertEqual(fit.score(texts, y), 1)
        rows = TfidfVectorizer().fit_transform(texts)
        one = fathom.GatedReLUClassifier(gates=20).fit(rows, y)
        other = fathom.GatedReLUClassifier(gates=20, normalize="none").fit(rows.toarray(), y)
        self.assertAlmostEqual(one.objective_, other.objective_, delta=1e-5 * other.objective_)

    def test_sparse_rows_are_chosen_from(self):
        rng, rows = np.random.default_rng(8), {}
        from scipy import sparse
        X = np.where(rng.random((80, 12)) < 0.2, rng.normal(size=(80, 12)), 0.0)
        y = np.where(X[:, 0] + X[:, 1] > X[:, 2], "up", "down")
        for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):  # merged in an order of their own: other folds than dense rows
            fit = fathom.FathomClassifier(folds=3, threads=1).fit(form(X), y)
            rows[form.__name__] = fit.predict_proba(form(X))
            self.assertEqual(fit.feature_importances_.shape, (12,))
            np.testing.assert_array_equal(rows[form.__name__], rows["csr_matrix"])
            np.testing.assert_array_equal(fit.predict_proba(X), rows["csr_matrix"])
        number = fathom.FathomRegressor(folds=3, threads=1).fit(sparse.csr_array(X), X[:, 0])
        self.assertGreater(number.score(sparse.csr_array(X), X[:, 0]), 0.9)
        texts = ["good film", "bad film", "good plot", "bad plot"] * 10
        words = make_pipeline(TfidfVectorizer(), fathom.FathomClassifier(folds=3, threads=1)).fit(texts, ["+", "-"] * 20)
        self.assertEqual(words.predict(["good good", "bad"]).tolist(), ["+", "-"])

    def test_weights_of_classes_in_a_choice(self):
        rng = np.random.default_rng(9)
        X, weight = rng.normal(size=(90, 2)), rng.uniform(0.5, 2, 90)
        y = np.where(X[:, 0] > 1, "few", "many")
        by_class = np.where(y == "few", 3.0, 0.5)
        for given in (None, weight):
            one = fathom.FathomClassifier(folds=3, threads=1, class_weight={"few": 3, "many": 0.5}).fit(X, y, given)
            two = fathom.FathomClassifier(folds=3, threads=1).fit(X, y, by_class if given is None else by_class * given)
            np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))

    def test_routing_of_weights(self):
        rng = np.random.default_rng(10)
        X, weight = rng.normal(size=(60, 2)), rng.integers(0, 3, 60).astype(float)
        y = X[:, 0] * X[:, 1] > 0
        with sklearn.config_context(enable_metadata_routing=True):
            for kind in (fathom.FathomClassifier(folds=3, threads=1), fathom.GatedReLUClassifier(gates=10, gap=1e-3, threads=1)):
                asked = clone(kind).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
                pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asked).fit(X, y, sample_weight=weight)
                direct = clone(kind).fit(StandardScaler().fit_transform(X), y, weight)
                np.testing.assert_array_equal(pipeline.predict_proba(X), direct.predict_proba(StandardScaler().fit_transform(X)))
                scores = cross_validate(asked, X, y, cv=3, params={"sample_weight": weight})["test_score"]
                for score, (train, test) in zip(scores, StratifiedKFold(3).split(X, y)):
                    self.assertEqual(score, clone(kind).fit(X[train], y[train], weight[train]).score(X[test], y[test], weight[test]))

    def test_threads_and_listeners(self):
        X = np.random.default_rng(4).normal(size=(30, 2))
        heard = []
        kind = fathom.GatedReLURegressor
        fits = [kind(gates=30, callback=heard.append, n_jobs=n).fit(X, X[:, 0] ** 2).predict(X) for n in (1, 2, -1)]
        np.testing.assert_array_equal(fits[0], fits[1])
        np.testing.assert_array_equal(fits[0], fits[2])
        self.assertTrue(heard)
        self.assertRaises(ValueError, kind(threads=1, n_jobs=1).fit, X, X[:, 0])
        self.assertRaises(ValueError, kind(n_jobs=0).fit, X, X[:, 0])

    def test_warm_start_goes_on(self):
        x, y = load_diabetes(return_X_y=True)
        x = StandardScaler().fit_transform(x)
        fit = fathom.GatedReLURegressor(gates=30, gap=1e-3, warm_start=True).fit(x, y)
        before = fit.gap_
        fit.set_params(gap=1e-9).fit(x, y)
        self.assertLess(fit.gap_, before)
        fit.fit(x[:100], y[:100])  # another problem: starts anew
        self.assertEqual(fit.n_features_in_, 10)

    def test_names_of_columns(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = pandas.DataFrame({"a": [0.0, 1, 2, 3], "b": [1.0, 0, 1, 0]})
        fit = fathom.NTKRegressor().fit(frame, [0.0, 1, 2, 3])
        self.assertEqual(list(fit.feature_names_in_), ["a", "b"])

    def test_frames_as_they_are(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        rng = np.random.default_rng(6)
        frame = pandas.DataFrame({"a": rng.normal(size=60), "colour": rng.choice(["red", "blue"], 60)})
        y = np.where((frame["a"] > 0) == (frame["colour"] == "red"), "yes", "no")
        frame.loc[::7, "a"] = np.nan
        fit = fathom.FathomClassifier(folds=3).fit(frame, y)
        self.assertGreater(fit.score(frame, y), 0.85)
        whole = frame["a"].notna()
        np.testing.assert_array_equal(fit.predict(frame[whole]), fit.predict(frame)[whole])
        self.assertEqual(fit.feature_importances_.shape, (2,))
        frame["number"] = np.arange(60)
        with_all = fathom.FathomClassifier(folds=3, keep=["number"], drop=["colour"], as_category=["number"]).fit(frame, y)
        used = {one["name"]: one["width"] for one in with_all.result_.columns}
        self.assertEqual((used["colour"] if "colour" in used else 0, used["number"]), (0, 60))
        with self.assertRaises(ValueError):
            fathom.FathomClassifier(keep=["0"]).fit(np.eye(10), np.arange(10) % 2)


if __name__ == "__main__":
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    unittest.main()
