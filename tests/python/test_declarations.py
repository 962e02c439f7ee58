#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The generated declarations against the compiler: every struct has the size and offsets that C gives it."""
import ctypes
import os
import subprocess
import tempfile
import unittest

from fathom import _declarations as api
from fathom._library import lib, version

INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")


def structs():
    for name, kind in vars(api).items():
        if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and getattr(kind, "_fields_", None):
            yield name, kind


class Declarations(unittest.TestCase):
    def test_layout_is_that_of_the_compiler(self):
        lines = []
        for name, kind in structs():
            lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
            lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in kind._fields_]
        source = '#include <stddef.h>\n#include <stdio.h>\n#include "inner/inner.h"\nint main(void) {%s}' % "".join(lines)
        with tempfile.TemporaryDirectory() as folder:
            path, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
            with open(path, "w") as file:
                file.write(source)
            subprocess.run(["cc", "-I", INCLUDE, path, "-o", program], check=True)
            printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        expected = dict(line.split() for line in printed.splitlines())
        found = {}
        for name, kind in structs():
            found[name] = str(ctypes.sizeof(kind))
            found.update({f"{name}.{field}": str(getattr(kind, field).offset) for field, _ in kind._fields_})
        self.assertGreater(len(found), 200)
        self.assertEqual(found, expected)

    def test_every_function_is_exported(self):
        for name in api.FUNCTIONS:
            self.assertTrue(hasattr(lib, name), name)

    def test_version(self):
        import fathom

        self.assertEqual(fathom.__version__, version)


if __name__ == "__main__":
    unittest.main()
