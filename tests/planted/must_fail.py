#!/usr/bin/env python3
"""must_fail.py PATTERN COMMAND...: succeeds where the command fails and says PATTERN (a regular expression)."""
import re
import subprocess
import sys

pattern, command = sys.argv[1], sys.argv[2:]
run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
print(run.stdout, end="")
if run.returncode == 77:
    sys.exit(77)
if run.returncode == 0:
    sys.exit("the planted bug was not found: the command succeeded")
if not re.search(pattern, run.stdout):
    sys.exit(f"the command failed, but not with /{pattern}/")
