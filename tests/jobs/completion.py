#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""completion.py BUILD [--planted]: what bash completes on lines of fathom: commands, options, words of choices, names of data sets, columns of the
file on the line. Names of columns are the file's and are never run. zsh and fish, where they are there, read their scripts without complaint.
--planted: a column that is not in the file is looked for.
"""
import os
import shutil
import subprocess
import sys
import tempfile

TABLE = "age,colour of hair,inc$(touch ran)ome,label\n1,red,3,yes\n2,blue,4,no\n3,red,,yes\n"
SCRIPT = """source <(fathom completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=(); _fathom
printf '%s\\n' "${COMPREPLY[@]}" """
CASES = [  # words, what is among the answers, what is not
    (["fathom", "tr"], ["train"], ["path"]),
    (["fathom", "train", "t.csv", "--beta"], ["--beta", "--beta-rel"], ["--gap"]),
    (["fathom", "train", "t.csv", "--model", ""], ["relu", "gated"], ["--model"]),
    (["fathom", "train", "gen:ci"], ["gen:circle"], ["gen:cube"]),
    (["fathom", "train", "builtin:i"], ["builtin:iris"], ["builtin:wdbc"]),
    (["fathom", "train", "t.csv", "--target", ""], ["age", r"colour\ of\ hair", r"inc\$\(touch\ ran\)ome", "label"], []),
    (["fathom", "train", "t.csv", "--target", "a"], ["age"], ["label"]),
    (["fathom", "fit", "t.csv", "--exclude", "age,l"], [r"age\,label"], ["label"]),
    (["fathom", "fit", "packed.csv.gz", "--weights", ""], ["age", "label"], []),
    (["fathom", "fit", "builtin:iris", "--target", "sep"], ["sepal_length", "sepal_width"], ["species"]),
    (["fathom", "fit", "nowhere.csv", "--target", ""], [], ["age"]),
]


def problems(build, planted):
    environment = {**os.environ, "PATH": build + os.pathsep + os.environ["PATH"]}
    cases = CASES + [(["fathom", "train", "t.csv", "--target", ""], ["height"], [])] * planted
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "t.csv"), "w") as file:
            file.write(TABLE)
        subprocess.run("gzip -c t.csv > packed.csv.gz", shell=True, cwd=folder, check=True)
        for words, wanted, others in cases:
            run = subprocess.run(["bash", "-c", SCRIPT, "bash", *words], cwd=folder, env=environment, capture_output=True, text=True)
            found = run.stdout.split("\n")
            if run.stderr or not set(wanted) <= set(found) or set(others) & set(found):
                yield f"{' '.join(words)}: completed by {found}, {wanted} is missing, or {others} is there; {run.stderr}"
        if os.path.exists(os.path.join(folder, "ran")):
            yield "a name of a column was run"
        for shell in ("zsh", "fish"):
            if shutil.which(shell):
                script = subprocess.run([os.path.join(build, "fathom"), "completion", shell], capture_output=True, check=True).stdout
                run = subprocess.run([shell, "-n"], input=script, capture_output=True)
                if run.returncode or run.stderr:
                    yield f"{shell}: {run.stderr.decode()}"


if __name__ == "__main__":
    found = list(problems(os.path.abspath(sys.argv[1]), "--planted" in sys.argv))
    print(*found, sep="\n")
    print(f"{len(found)} problems")
    sys.exit(bool(found))
