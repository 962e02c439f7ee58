#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""claims.py BUILD [--planted] [PAGE...]: every claim that README and documents show goes through --verify.

Each shown command that proves something is run again with a certificate: it ends as it does without, its bound is no weaker where the gap was
not reached, and all three checkers take the certificate (the proved one may say that it does not cover the kind). What "holds always" must have one.
--planted: a digit of the certificate is changed.
"""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

import documents

PROVING = {"train", "path", "margin", "flow", "cones", "kernel", "geometry"}
OTHER = r"[|<>;&]|--certificate|--verify|--time-limit|--resume|--checkpoint"  # lines that prove by themselves, or end by the clock


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def bound(printed):
    """The end of the result that is proved, larger is better; None where it has none."""
    result = json.loads(printed) if printed.startswith("{") else {}
    return result.get("lower_bound", result.get("lower"))


def check(build, line, scratch, environment, planted):
    """What is wrong with the claims of one command."""
    words, certificate = shlex.split(line, comments=True), os.path.join(scratch, "claim.cert")
    options = {"cwd": scratch, "env": environment}
    plain = run([*words, "--json", "-q"], **options)
    proved = run([*words, "--json", "-q", "--certificate", certificate], **options)
    if not os.path.exists(certificate):
        if "holds always" in run(words, **options).stdout:
            yield f"holds always, but has no certificate: {proved.stderr[-300:]}"
        return
    low = bound(plain.stdout), bound(proved.stdout)
    if plain.returncode != proved.returncode:
        yield f"exit code {plain.returncode} becomes {proved.returncode} with a certificate"
    elif proved.returncode and low[0] is not None and low[1] < low[0] - 1e-9 * abs(low[0]):
        yield f"the bound {low[0]} becomes {low[1]} with a certificate"
    if planted:
        damage(certificate)
    data = os.path.join(scratch, json.loads(proved.stdout)["certificate_data"])
    for checker in checkers(build):
        done = run([*checker, certificate, data])
        if done.returncode != 0 and not (done.returncode == 6 and checker[-1].endswith("verified")):
            yield f"{os.path.basename(checker[-1])} rejects its certificate: {done.stdout[-300:]}{done.stderr[-300:]}"


def damage(certificate):
    """Another digit in the last line of numbers."""
    with open(certificate) as file:
        text = file.read()
    at = max(match.start() for match in re.finditer(r"[1-8]", text))
    with open(certificate, "w") as file:
        file.write(text[:at] + str(int(text[at]) + 1) + text[at + 1:])


def checkers(build):
    return [[path] for path in (os.path.join(build, "fathom-check"), os.path.join(build, "proof", "fathom-check-verified")) if os.path.exists(path)] + \
        [[sys.executable, os.path.join(documents.ROOT, "tools", "check_certificate.py")]]


def lines(pages):
    """(page, its files, command) of every shown command that proves something by itself."""
    for path, files, _, steps in documents.shown_blocks():
        for command, _ in steps:
            words = command.split()
            if (not pages or path in pages) and words[0] == "fathom" and words[1] in PROVING and not re.search(OTHER, command):
                yield path, files, command


def main(build, *arguments):
    build, wrong, count = os.path.abspath(build), 0, 0
    environment = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"]}
    pages = [word for word in arguments if word != "--planted"]
    for path, files, command in lines(pages):
        count += 1
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in files.items():
                with open(os.path.join(scratch, name), "w") as file:
                    file.write(text)
            for problem in check(build, command, scratch, environment, "--planted" in arguments):
                print(f"{path}: $ {command}\n  {problem}", flush=True)
                wrong += 1
        if "--planted" in arguments and wrong:
            break
    print(f"{count} commands, {wrong} problems")
    return bool(wrong or not count)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
