# SPDX-License-Identifier: Apache-2.0
"""python -m fathom: the program, with its arguments."""
from fathom_relu import run_fathom

run_fathom()
