#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The distribution: programs, `python -m fathom`, and what is said where another package named fathom is in the way."""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import fathom
import fathom_relu

PACKAGE = os.path.dirname(os.path.abspath(fathom.__file__))


def python(code, folder, *places):
    """What an interpreter prints, with `places` before all others on its path."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=folder,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(places)})
    return run.stdout + run.stderr


class Programs(unittest.TestCase):
    def test_module_runs_the_program(self):
        run = subprocess.run([sys.executable, "-m", "fathom", "--version"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.stdout.strip(), "fathom " + fathom.__version__)

    def test_programs_are_found(self):
        for name in ("fathom", "fathom-check"):
            run = subprocess.run([fathom_relu.program(name), "--version"], capture_output=True, text=True, timeout=60)
            self.assertEqual(run.stdout.strip(), name + " " + fathom.__version__)
        self.assertIsNone(fathom_relu.program("no-such-program-of-fathom"))


IN_PLACE = """
import importlib.util, sys, types

class Finder:  # as meson-python's: sources where they are written, what was made in the build tree
    def find_spec(self, name, path=None, target=None):
        place = {places!r}.get(name)
        folder = [place[0]] if place and place[1].endswith("__init__.py") else None
        return place and importlib.util.spec_from_file_location(name, place[1], submodule_search_locations=folder)

Finder.__module__ = "_fathom_relu_editable_loader"
sys.meta_path.insert(0, Finder())
import fathom, fathom_relu
print(fathom.__version__, fathom.cones("gen:cube,d=2").cones, fathom_relu.program("fathom-check"))
"""


class InPlace(unittest.TestCase):
    def test_sources_apart_from_what_was_made(self):
        """pip install -e: the package lies in the sources, declarations, library and programs in a build tree."""
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "python", "fathom"))
            places = {"fathom_relu": ("", shutil.copy(fathom_relu.__file__, os.path.join(folder, "python")))}
            for name in os.listdir(PACKAGE):
                whole = os.path.join(PACKAGE, name)
                if name.endswith(".py"):
                    mine = whole if name == "_declarations.py" else shutil.copy(whole, os.path.join(folder, "python", "fathom"))
                    places["fathom" if name == "__init__.py" else "fathom." + name[:-3]] = ("nowhere", mine)
            said = python(IN_PLACE.format(places=places), folder, os.path.dirname(np.__path__[0]))
            self.assertEqual(said.split(), [fathom.__version__, "4", fathom_relu.program("fathom-check")])


class Shadows(unittest.TestCase):
    """Other packages named fathom: a file, a folder, one that fails, and one whose files replaced some of ours."""

    def test_another_package_before_ours(self):
        places = {"fathom.py": "x = 1\n", "fathom/__init__.py": "from .schema import Schema\n"}
        for name, text in places.items():
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
                shutil.copy(fathom_relu.__file__, os.path.join(folder, "fathom_relu.py"))
                said = python("from fathom_relu import fathom", folder, folder)
                self.assertIn("which is not the package of fathom-relu", said)
                self.assertIn("pip uninstall fathom", said)

    def test_ours_is_given(self):
        self.assertIs(fathom_relu.fathom, fathom)

    def test_replaced_files(self):
        for text in (None, "class FathomException(Exception):\n    pass\n"):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                shutil.copy(fathom_relu.__file__, os.path.join(folder, "fathom_relu.py"))
                os.mkdir(os.path.join(folder, "fathom"))
                for name in os.listdir(PACKAGE):
                    if name.endswith(".py") and name != "errors.py":
                        shutil.copy(os.path.join(PACKAGE, name), os.path.join(folder, "fathom", name))
                if text:
                    with open(os.path.join(folder, "fathom", "errors.py"), "w") as file:
                        file.write(text)
                self.assertIn("pip install --force-reinstall fathom-relu", python("import fathom", folder, folder))


class Beside(unittest.TestCase):
    """Fits beside NumPy's products in one process: NumPy keeps its threads, whether the BLAS is shared with it or not."""

    CODE = """if True:
        import numpy as np
        from threadpoolctl import threadpool_info

        def threads():
            return sorted((p["filepath"], p["num_threads"]) for p in threadpool_info() if p["user_api"] == "blas")

        A = np.random.default_rng(0).normal(size=(300, 300))
        product = A @ A
        before = threads()
        import fathom

        for _ in range(3):
            fathom.train(A[:, :5], A[:, 5], model="gated", gates=40, threads=2)
            assert np.allclose(A @ A, product)
        after = threads()
        assert all(pair in after for pair in before), (before, after)
        print("done")
        """

    def test_threads_of_others_are_theirs(self):
        if not importlib.util.find_spec("threadpoolctl"):
            self.skipTest("threadpoolctl is not installed")
        run = subprocess.run([sys.executable, "-c", self.CODE], capture_output=True, text=True, timeout=240)
        self.assertEqual(run.stdout, "done\n", run.stderr)


class Environment(unittest.TestCase):
    """The library is loaded with kernels that fit the processor, and the environment is as before; so are the threads of a shared BLAS.
    A BLAS that NumPy brought along (Debian's) has chosen its kernels by then."""

    CODE = """if True:
        import ctypes, os
        import numpy as np

        def loaded():
            try:
                return ctypes.CDLL("libopenblas.so.0", mode=os.RTLD_NOLOAD)
            except OSError:
                return None

        chosen, before = loaded(), dict(os.environ)
        import fathom
        from fathom._library import lib

        assert dict(os.environ) == before, set(os.environ.items()) ^ set(before.items())
        lib.fathom_doctor_core_wanted.restype = ctypes.c_char_p
        assert chosen or lib.fathom_doctor_core_wanted() is None, lib.fathom_doctor_core_wanted()
        shared = loaded()
        if shared:
            shared.openblas_set_num_threads(2)
            threads = shared.openblas_get_num_threads()
        X = np.random.default_rng(0).normal(size=(60, 3))
        fathom.kernel(X, X[:, 0], ridge=0.0)
        assert not shared or shared.openblas_get_num_threads() == threads
        print("done")
        """

    def test_left_as_it_was(self):
        for core in (None, ""):
            environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_CORETYPE"}
            if core is not None:
                environment["OPENBLAS_CORETYPE"] = core
            run = subprocess.run([sys.executable, "-c", self.CODE], capture_output=True, text=True, timeout=240, env=environment)
            self.assertEqual(run.stdout, "done\n", run.stderr)


class Forks(unittest.TestCase):
    """A fit after fork, where the parent has run one on several threads: the same bits, and no hanging."""

    CODE = """if True:
        import multiprocessing, sys
        import numpy as np
        import fathom

        X = np.random.default_rng(3).normal(size=(400, 6))
        y = np.maximum(X[:, 0], 0) - X[:, 1]

        def fit(threads):
            return fathom.train(X, y, model="gated", gates=60, threads=threads).objective

        def fit_in_fit(threads):
            with fork.Pool(1) as pool:
                return fit(threads), pool.map(fit, [threads])[0]

        fork = multiprocessing.get_context("fork")
        alone = fit(1)
        assert fit(4) == alone
        with fork.Pool(2) as pool:
            assert pool.map(fit, [4, 3, 2, 1]) == [alone] * 4
        assert fit(3) == alone
        child = fork.Process(target=lambda: sys.exit(fit_in_fit(2) != (alone, alone)))
        child.start()
        child.join()
        assert child.exitcode == 0
        print("done")
        """

    @unittest.skipUnless(hasattr(os, "fork"), "no fork here")
    def test_fit_after_fork(self):
        run = subprocess.run([sys.executable, "-c", self.CODE], capture_output=True, text=True, timeout=240)
        self.assertEqual(run.stdout, "done\n", run.stderr)


if __name__ == "__main__":
    unittest.main()
