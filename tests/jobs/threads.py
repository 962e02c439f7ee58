#!/usr/bin/env python3
"""threads.py BUILD [--planted]: the same bits with 1, 2 and 3 threads, in what is printed and what is written.

Only `seconds` and the recorded `arguments` may differ. --planted changes the seed together with the number of threads.
"""
import json
import os
import subprocess
import sys
import tempfile

import commands


def without(value, keys):
    """A JSON value without the members that may differ."""
    if isinstance(value, dict):
        return {key: without(member, keys) for key, member in value.items() if key not in keys}
    return [without(item, keys) for item in value] if isinstance(value, list) else value


def outcome(fathom, words, threads, planted):
    """(exit code, result, bytes of every file written)."""
    with tempfile.TemporaryDirectory() as scratch:
        commands.make_fixtures(fathom, scratch)
        fixtures = set(os.listdir(scratch))
        seed = threads if planted else 1
        run = subprocess.run([fathom, *words, "--json", "--threads", str(threads), "--seed", str(seed)], cwd=scratch,
                             capture_output=True, text=True)
        files = {name: open(os.path.join(scratch, name), "rb").read()
                 for name in sorted(set(os.listdir(scratch)) - fixtures)}
    result = json.loads(run.stdout) if run.stdout else run.stderr
    return run.returncode, without(result, ("seconds", "arguments")), files


def main(build, planted):
    fathom = os.path.join(build, "fathom")
    failed = 0
    for words in commands.expand(fathom, large=True):
        if words[0] in ("completion", "manual"):
            continue
        reference = outcome(fathom, words, 1, planted)
        same = all(outcome(fathom, words, threads, planted) == reference for threads in (2, 3))
        print("same bits" if same else "DIFFERENT BITS", f"(exit code {reference[0]}): fathom", *words, flush=True)
        failed += not same or reference[0] not in (0, 3)
    return failed


if __name__ == "__main__":
    sys.exit(bool(main(os.path.abspath(sys.argv[1]), "--planted" in sys.argv)))
