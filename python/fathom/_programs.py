# SPDX-License-Identifier: Apache-2.0
"""Commands about files, which the programs answer, and lists of what there is."""
from __future__ import annotations

import ctypes
import json
import os
import subprocess
from typing import Any, Sequence

from fathom_relu import program

from ._library import lib
from ._types import Path
from .errors import CertificateError, InputError, RunError, UsageError, failure


def _run_program(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = program(name)
    if path is None:
        raise RunError(f"the program {name} is not installed")
    return subprocess.run([path, *words, "--json"], capture_output=True, text=True, check=False)


def _answer(*words: str) -> dict[str, Any]:
    """The JSON that the program prints, or its failure."""
    done = _run_program("fathom", *words)
    if done.returncode not in (0, 3):
        kind = {2: UsageError, 4: CertificateError, 5: InputError}.get(done.returncode, RunError)
        said = json.loads(done.stdout) if done.stdout else {"error": done.stderr.strip()}
        raise failure(kind, said["error"], *(said.get(key) for key in ("file", "line", "column")))
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def info(path: Path) -> dict[str, Any]:
    """Says what a model or certificate file holds; of a certificate, what it claims, which `verify` verifies.

    Parameters
    ----------
    path : path
        the file

    Returns
    -------
    dict
        as ``fathom info --json`` prints it

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fathom.train("gen:circle,n=8", loss="logistic").model.save(folder + "/m.json")
    ...     fathom.info(folder + "/m.json")["kind"]
    'relu'
    """
    return _answer("info", os.fspath(path))


def doctor() -> dict[str, Any]:
    """Says which libraries, kernels, threads and limits this machine gives, its speed, and what is wrong with it.

    Returns
    -------
    dict
        as ``fathom doctor --json`` prints it

    Examples
    --------
    >>> import fathom
    >>> fathom.doctor()["version"] == fathom.__version__
    True
    """
    return _answer("doctor")


def report(files: Path | Sequence[Path], output: Path) -> str:
    """Makes one self-contained page of results.

    Parameters
    ----------
    files : path or list of paths
        what ``--json``, `reproduce` or a certificate left
    output : path
        the page, an HTML file

    Returns
    -------
    str
        its path

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = fathom.reproduce("000:thm7.3", folder)
    ...     fathom.report(folder + "/000-thm7.3/result.json", folder + "/page.html").endswith("page.html")
    True
    """
    files = [files] if isinstance(files, (str, os.PathLike)) else files
    _answer("report", *(os.fspath(file) for file in files), "-o", os.fspath(output))
    return os.fspath(output)


def theorems() -> dict[str, str]:
    """Lists the theorems that `check` knows.

    Returns
    -------
    dict
        their statements by their names

    Examples
    --------
    >>> import fathom
    >>> "000:7.2" in fathom.theorems()
    True
    """
    found: dict[str, str] = {}
    statement = ctypes.c_char_p()
    while name := lib.fathom_check_get(len(found), ctypes.byref(statement)):
        found[name.decode()] = (statement.value or b"").decode()
    return found


def sources() -> dict[str, str]:
    """Lists the generators and built-in data sets.

    Returns
    -------
    dict
        what they are, by their specification

    Examples
    --------
    >>> import fathom
    >>> any(spec.startswith("gen:circle") for spec in fathom.sources())
    True
    """
    found: dict[str, str] = {}
    while source := lib.fathom_data_source_get(len(found)):
        found[source.contents.spec.decode()] = source.contents.doc.decode()
    return found


def convert(model: Path, output: Path, to: str | None = None, data: Path | None = None, select: str = "any", precision: str = "double",
            name: str = "fathom_model", prune: float | None = None) -> dict[str, Any]:
    """Writes a model file in another form; of a Model, `Model.convert`, `Model.prune` and `Model.export` do the same.

    Parameters
    ----------
    model : path
        the model file
    output : path
        the file to write
    to : str, optional
        "relu", "gated", "compressed", "json", "npz", "c", "onnx" or "js"; else what the name of the file says
    data : path, optional
        a data set by its name, on which the two forms must agree
    select : str, default "any"
        gated to relu: which decomposition, "any", "sparse" or "min-norm"
    precision : str, default "double"
        numbers of exported code: "double", "float", "int16" or "int8"
    name : str, default "fathom_model"
        prefix of all names in exported code
    prune : float, optional
        drops neurons while no output on the data moves by more than this share of the outputs' spread

    Returns
    -------
    dict
        as ``fathom convert --json`` prints it

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fathom.train("gen:circle,n=8", loss="logistic").model.save(folder + "/m.json")
    ...     fathom.convert(folder + "/m.json", folder + "/m.c")["neurons"] > 0
    True
    """
    more = [] if data is None else ["--data", os.fspath(data)]
    more += [] if to is None else ["--to", to]
    more += [] if prune is None else ["--prune", repr(float(prune))]
    return _answer("convert", os.fspath(model), "-o", os.fspath(output), "--select", select, "--precision", precision, "--name", name, *more)


def gen(spec: str, output: Path, *, seed: int = 1) -> dict[str, Any]:
    """Writes a generated or built-in data set to a file; `Data.open` gives it as arrays.

    Parameters
    ----------
    spec : str
        as "gen:circle,n=8"; `sources` lists them
    output : path
        the file, its format by its ending
    seed : int, default 1
        where random draws begin

    Returns
    -------
    dict
        as ``fathom gen --json`` prints it

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fathom.gen("gen:circle,n=8", folder + "/circle.csv")["rows"]
    8
    """
    return _answer("gen", spec, "-o", os.fspath(output), "--seed", str(seed))


def reproduce(item: Path, folder: Path = "reproduce", quick: bool = False, seed: int = 1, threads: int = 0,
              time_limit: float | None = None) -> dict[str, Any]:
    """Reproduces a figure or theorem of the papers, or a file of recipes (docs/howto/recipes.md).

    Parameters
    ----------
    item : str or path
        as "000:thm7.3", or the file of recipes
    folder : path, default "reproduce"
        where its tables go
    quick : bool, default False
        a smaller instance under the same criteria
    seed : int, default 1
        seeds of the recipe move by seed - 1
    threads : int, default 0
        number of threads; 0 means all cores
    time_limit : float, optional
        seconds

    Returns
    -------
    dict
        verdict, criteria, tables; for several recipes `items`

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fathom.reproduce("000:thm7.3", folder)["verdict"]
    'match'
    """
    limit = [] if time_limit is None else ["--time-limit", str(float(time_limit))]
    return _answer("reproduce", os.fspath(item), "-o", os.fspath(folder), "--seed", str(seed), "--threads", str(int(threads)),
                   *limit, *(["--quick"] if quick else []))


def verify(certificate: Path, data: Path, labels: Path | None = None) -> dict[str, Any]:
    """Runs fathom-check on a certificate and the file it speaks of.

    Parameters
    ----------
    certificate : path
        the certificate
    data : path
        the file of examples
    labels : path, optional
        the file of targets, where they are not with the examples

    Returns
    -------
    dict
        the bounds that are proved

    Raises
    ------
    CertificateError
        where the certificate is rejected

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     data, proof = folder + "/circle.csv", folder + "/proof"
    ...     written = fathom.gen("gen:circle,n=8", data)
    ...     fit = fathom.train(data, certificate=proof)
    ...     fathom.verify(proof, data)["accepted"]
    True
    """
    more = ["--labels", os.fspath(labels)] if labels else []
    done = _run_program("fathom-check", os.fspath(certificate), os.fspath(data), *more)
    if done.returncode == 4:
        raise CertificateError(done.stderr.strip() or done.stdout.strip())
    if done.returncode:
        raise UsageError(done.stderr.strip() or f"fathom-check ended with code {done.returncode}")
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer
