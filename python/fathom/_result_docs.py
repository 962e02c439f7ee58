# SPDX-License-Identifier: Apache-2.0
"""Documentation of the results in numpydoc's form: every attribute that a class declares has one text, that of the JSON member of its name."""
from __future__ import annotations

import inspect
from typing import TypeVar

from ._keys import MEANINGS

# What Python has besides the members of the JSON (_keys.py), or in another form.
ATTRIBUTES = {
    "applies": "whether the hypotheses hold; None: undecided",
    "best": "the point that cross-validation chose; None without it",
    "cv_error": "standard errors of the losses",
    "cv_loss": "loss on rows left out, one entry per penalty",
    "end": "why it ended: done, stalled, time limit or interrupted",
    "fold": "the part that every row was left out with",
    "held_out": "outputs on rows left out: penalties x rows x outputs",
    "margins": "of the examples under the separator",
    "matrix": "the kernel matrix, n x n",
    "model": "the network",
    "path": "one result for every penalty",
    "trajectory": "the records of the run",
}
EXAMPLES = {
    "Result": '>>> import fathom\n>>> "rank" in fathom.geometry([[1.0, 0.0], [0.0, 1.0]]).keys()\nTrue',
    "TrainResult": '>>> import fathom\n>>> fit = fathom.train("gen:circle,n=8")\n>>> fit.lower_bound <= fit.objective\nTrue',
    "FitResult": '>>> import fathom\n>>> fathom.fit("builtin:iris", time=0).task\n\'multiclass\'',
    "PathResult": '>>> import fathom\n>>> len(fathom.path("gen:circle,n=8", model="gated", gates=8, points=3))\n3',
    "MarginResult": '>>> import fathom\n>>> m = fathom.margin("gen:circle,n=8")\n>>> m.lower <= m.upper\nTrue',
    "KernelResult": '>>> import fathom\n>>> fathom.kernel("gen:circle,n=9").matrix.shape\n(9, 9)',
    "ConesResult": '>>> import fathom\n>>> fathom.cones("gen:circle,n=8").cones\n8',
    "ConeResult": '>>> import fathom\n>>> fathom.cone([[1.0, 0.0], [0.0, 1.0]], [True, False]).empty\nFalse',
    "GeometryResult": ">>> import fathom\n>>> fathom.geometry([[1.0, 0.0], [0.0, 1.0]]).rank\n2",
    "CheckResult": '>>> import fathom\n>>> fathom.check("gen:circle,n=8", theorem="000:7.2").theorem\n\'000:7.2\'',
    "FlowResult": '>>> import fathom\n>>> fathom.flow("gen:xor,n=32", width=8, until="steps=100").steps\n100',
    "Trajectory": '>>> import fathom\n>>> run = fathom.flow("gen:xor,n=32", width=8, until="steps=100")\n>>> float(run.trajectory["steps"][-1])\n100.0',
}
# A call that gives such a result, for the examples of its methods.
CALLS = {
    "Result": 'fathom.train("gen:xor,n=32")',
    "FitResult": 'fathom.fit("builtin:iris", time=0)',
    "PathResult": 'fathom.path("builtin:iris")',
    "MarginResult": 'fathom.margin("gen:circle,n=8")',
    "KernelResult": 'fathom.kernel("gen:circle,n=8")',
    "ConesResult": 'fathom.cones("gen:circle,n=8", measure=True)',
    "CheckResult": 'fathom.check("gen:circle,n=8", theorem="000:7.2")',
    "FlowResult": 'fathom.flow("gen:xor,n=32", until="steps=100")',
    "Trajectory": 'fathom.flow("gen:xor,n=32", until="steps=100").trajectory',
}
# What such methods return: a name for it in the example, its type, its words.
RETURNS = {"plot": ("axes", "Axes", "the axes"), "to_pandas": ("table", "DataFrame", "the table")}
PARAMETERS = {
    "values": "values : dict\n    what was found, by name",
    "course": "course : list of Progress\n    records of progress",
    "records": "records : list of dict\n    what was recorded, one dictionary for every time",
    "ax": "ax : Axes, optional\n    where to draw",
    "key": 'key : str, default "log_loss"\n    the quantity',
    "against": "against : str, optional\n    over which other one; steps or time where not said",
}

Kind = TypeVar("Kind", bound=type)


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"{title}\n{'-' * len(title)}\n" + "\n".join(lines)] if lines else []


def _complete(kind: type, name: str) -> None:
    """Completes the docstring of a method that draws or tabulates: its own line, parameters, what it returns, an example."""
    method = vars(kind)[name]
    variable, returned, words = RETURNS[name]
    names = [parameter for parameter in inspect.signature(method).parameters if parameter != "self"]
    example = [">>> import fathom", f">>> {variable} = {CALLS[kind.__name__]}.{name}()  # doctest: +SKIP"]
    method.__doc__ = "\n\n".join([inspect.getdoc(method) or "", *_section("Parameters", [PARAMETERS[parameter] for parameter in names]),
                                  *_section("Returns", [f"{returned}\n    {words}"]), *_section("Examples", example)]) + "\n"


def _meaning(title: str, name: str) -> str:
    """What an attribute of the result of a command means."""
    return {**MEANINGS.get(title, {}), **ATTRIBUTES}[name]


def documented(kind: Kind) -> Kind:
    """Completes the docstrings of a result: its own words, then what it is made of, its attributes, an example; its methods."""
    declared = {name: text for base in reversed(kind.__mro__) for name, text in vars(base).get("__annotations__", {}).items()}
    parameters = [PARAMETERS[name] for name in inspect.signature(kind).parameters]
    attributes = [f"{name} : {text}\n    {_meaning(getattr(kind, 'title', ''), name)}" for name, text in declared.items()]
    kind.__doc__ = "\n\n".join([inspect.getdoc(kind) or "", *_section("Parameters", parameters), *_section("Attributes", attributes),
                                *_section("Examples", [EXAMPLES[kind.__name__]])]) + "\n"
    for name in RETURNS:
        if name in vars(kind):
            _complete(kind, name)
    return kind
