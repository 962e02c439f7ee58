# SPDX-License-Identifier: Apache-2.0
"""The programs that come with the package: fathom and fathom-check."""
import os
import sys


def _run(name):
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    if not os.path.exists(program):
        sys.exit(f"{name} is not part of this installation")
    os.execv(program, [name, *sys.argv[1:]])


def fathom():
    _run("fathom")


def check():
    _run("fathom-check")
