#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signatures: every option is a keyword with a type and a line of documentation, and type checkers agree with the package."""
import doctest
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import fathom
from fathom import commands, results

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = os.path.dirname(os.path.abspath(fathom.__file__))
WITH_OPTIONS = [f for f in vars(commands).values() if hasattr(f, "tables")]
RIGHT = """\
import numpy as np
import fathom

fit = fathom.train(np.ones((3, 2)), [1.0, 2.0, 3.0], loss="squared", beta_rel=0.1, gates=50, threads=2, time_limit=1.5)
bound: float = fit.objective - fit.lower_bound
names: list[str] = fit.keys()
for point in fathom.path("data.csv", model="gated", cv=5):
    fathom.load("model.json").save(point.model.kind)
try:
    fathom.margin("gen:circle,n=8", kind="ntk", progress=lambda record: record.bound < 1).q
except fathom.InputError as error:
    print(error.line)
fathom.ReLUClassifier(beta_rel=0.2).fit(np.ones((3, 2)), [0, 1, 1]).predict_proba(np.ones((1, 2))).sum()
"""
WRONG = ['fathom.train([[1.0]], [1.0], loss="sqared")', 'fathom.train([[1.0]], [1.0], bta=1)', 'fathom.kernel("x.csv").keys() + 1',
         'fathom.margin("x.csv", trials="many")', 'fathom.load(3)', 'fathom.ReLURegressor(beta="much")']


# No double blank lines, known sections in order, no deprecated directives out of place; a summary that ends in a full stop;
# parameters and returns that are there and no others, in order, with types and texts; examples.
RULES = {"GL03", "GL05", "GL06", "GL07", "GL08", "SS01", "SS02", "SS03", "PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR10", "RT01", "RT03", "EX01"}


def members(path, kind):
    """Public functions that a class defines or takes over from another of the package, by their full names."""
    for name, value in inspect.getmembers_static(kind) if hasattr(inspect, "getmembers_static") else inspect.getmembers(kind):
        own = getattr(value, "__func__", value)
        if not name.startswith("_") and inspect.isfunction(own) and own.__module__.startswith("fathom"):
            yield f"{path}.{name}"


def public():
    """Every public name with the rules that it is held to: functions, classes, methods; what is inherited counts in every class. Methods of
    estimators are those of scikit-learn, whose example is that of the class."""
    names = {}
    for path, thing in [*((f"fathom.{name}", getattr(fathom, name)) for name in fathom.__all__),
                        *((f"fathom.results.{name}", kind) for name, kind in vars(results).items()
                          if inspect.isclass(kind) and kind.__module__ == results.__name__)]:
        names[path] = RULES
        if inspect.isclass(thing):
            estimator = hasattr(thing, "get_params")
            names.update({name: RULES - {"EX01"} if estimator else RULES for name in members(path, thing)})
    return names


def sections(text):
    return re.findall(r"^(\w+)\n-+$", text, re.M)


class Signatures(unittest.TestCase):
    def test_every_option_is_a_keyword_with_a_line(self):
        untold = [f.__name__ for f in (getattr(commands, name) for name in commands.__all__) if not hasattr(f, "tables")
                  and any(p.kind is p.VAR_KEYWORD for p in inspect.signature(f).parameters.values())]
        self.assertEqual(untold, [])
        self.assertGreaterEqual(len(WITH_OPTIONS), 10)
        for function in WITH_OPTIONS:
            signature, text = inspect.signature(function), inspect.getdoc(function)
            self.assertFalse(any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()), function.__name__)
            for name in {name for table in function.tables for name in table.rows} | set(signature.parameters):
                self.assertIn(name, signature.parameters, function.__name__)
                self.assertEqual(len(re.findall(rf"^{name} : ", text, re.M)), 1, f"{function.__name__}: {name}")
            self.assertEqual(sections(text), ["Parameters", "Returns", "Examples"], function.__name__)

    def test_every_public_name_is_documented(self):
        for name in fathom.__all__:
            thing = getattr(fathom, name)
            self.assertTrue(inspect.getdoc(thing), name)
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and callable(value):
                    self.assertTrue(inspect.getdoc(value), f"{name}.{member}")

    def test_numpydoc(self):
        """By numpydoc's own rules: every parameter of every public name documented and none besides, sections in order, results, examples."""
        try:
            from numpydoc.validate import validate
        except ImportError:
            self.skipTest("numpydoc is not installed")
        names = public()
        self.assertGreater(len(names), 140)
        wrong = {name: [error for error in validate(name)["errors"] if error[0] in rules] for name, rules in names.items()}
        self.assertEqual({name: found for name, found in wrong.items() if found}, {})
        for name in fathom.__all__:
            if hasattr(getattr(fathom, name), "get_params"):
                self.assertEqual(sections(inspect.getdoc(getattr(fathom, name))), ["Parameters", "Attributes", "Examples"], name)

    def test_a_docstring_that_lacks_something_is_found(self):
        try:
            from numpydoc.validate import validate
        except ImportError:
            self.skipTest("numpydoc is not installed")
        kept, whole = fathom.load.__doc__, inspect.getdoc(fathom.load)  # indented or not: versions of Python differ
        try:
            for lacking in ("Examples\n--------", "path : path\n    the file, JSON or NPZ", "Returns\n-------"):
                self.assertIn(lacking, whole)
                fathom.load.__doc__ = whole.replace(lacking, "")
                self.assertTrue([error for error in validate("fathom.load")["errors"] if error[0] in RULES], lacking)
        finally:
            fathom.load.__doc__ = kept

    def test_examples_run(self):
        """The examples of every public name, as they stand."""
        for name in public():
            thing, text = fathom, ""
            for part in name.split(".")[1:]:
                thing = inspect.getattr_static(thing, part) if inspect.isclass(thing) else getattr(thing, part)
            text = inspect.getdoc(thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing)
            example = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.assertEqual(doctest.DocTestRunner(verbose=False).run(example).failed, 0, name)

    def test_the_stub_is_that_of_the_tables(self):
        done = subprocess.run([sys.executable, os.path.join(ROOT, "tools", "stubs.py")], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


@unittest.skipUnless(importlib.util.find_spec("mypy"), "mypy is not installed")
class Checker(unittest.TestCase):
    def mypy(self, *words):
        environment = dict(os.environ, MYPYPATH=os.path.dirname(PACKAGE))
        return subprocess.run([sys.executable, "-m", "mypy", "--config-file", os.path.join(ROOT, "pyproject.toml"), *words],
                              env=environment, capture_output=True, text=True)

    def test_package_and_programs_that_use_it(self):
        """The package passes; so does a program of a user, and each wrong line is found, by its number."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "user.py")
            with open(path, "w") as file:
                file.write(RIGHT + "".join(line + "\n" for line in WRONG))
            done = self.mypy("--cache-dir", folder, PACKAGE, path)
        found = {int(line) for line in re.findall(r"user\.py:(\d+): error", done.stdout)}
        first = RIGHT.count("\n") + 1
        self.assertEqual(found, set(range(first, first + len(WRONG))), done.stdout + done.stderr)
        self.assertEqual([line for line in done.stdout.splitlines() if "error" in line and "user.py" not in line][:-1], [])


if __name__ == "__main__":
    unittest.main()
