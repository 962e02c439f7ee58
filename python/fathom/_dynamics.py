# SPDX-License-Identifier: Apache-2.0
"""Commands that run gradient flows and hold theorems against them: flow, check."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
import warnings
from typing import Any

from . import _declarations as api
from . import _options as tables
from . import results
from ._call import arrays_as_files, outputs, start
from ._job import score_test
from ._library import lib
from ._types import Array, Listener, Path, Table
from ._values import VERDICT, flow_values, plain


@arrays_as_files
def flow(X: Table, y: Array | None = None, *, certificate: Path | None = None, verify: bool = False, seed: int = 1,
         threads: int = 0, time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
         **options: Any) -> results.FlowResult:
    """Gradient descent, SGD or gradient flow, with its trajectory.

    Parameters
    ----------
    certificate : path, optional
        file for a proof that the network in whose pattern the run ends is a KKT point of the largest margin
    verify : bool, default False
        puts the proof before fathom-check

    Returns
    -------
    FlowResult
        the end of the run, its `model` and its `trajectory`

    Examples
    --------
    >>> import fathom
    >>> run = fathom.flow("gen:xor,n=32", width=8, until="steps=100")
    >>> len(run.trajectory) > 1
    True
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split(options, tables.FLOW, tables.DATA)
    result, proves = api.fathom_flow_result(), certificate is not None or verify
    own.update({"ending": True} if proves else {})
    started = start(X, y, None, run, data_options, (tables.FLOW, own), outputs(certificate=certificate), certificate=certificate, verify=verify)
    with started as job, job.data.context.lock, tempfile.TemporaryDirectory() as folder:
        data, context = job.data, job.data.context
        log = own.setdefault("log", os.path.join(folder, "log.jsonl"))
        chosen = tables.FLOW.make(context, own)
        try:
            context.call(lib.fathom_flow_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
            if result.ending.found == 1:
                job.prove(lib.fathom_job_prove_limit, result.ending.net, result.ending.dual)
            elif proves:
                warnings.warn(f"no certificate: {(result.ending.reason or b'the run was cut off').decode()}", stacklevel=3)
            values = flow_values(result, data)
            if own.get("test") is not None:
                values["test_score"] = score_test(values["model"], own["test"], own.get("test_rows"), data_options)
        finally:
            lib.fathom_flow_result_clear(ctypes.byref(result))
        with open(log) as file:
            records = [json.loads(line) for line in file]
        values["trajectory"] = results.Trajectory([r for r in records if "steps" in r])
        return job.finish(results.FlowResult(values, context.course))


@arrays_as_files
def check(X: Table, y: Array | None = None, theorem: str | None = None, *, seed: int = 1, threads: int = 0,
          time_limit: float | None = None, progress: Listener | None = None, memory: float | None = None,
          **options: Any) -> results.CheckResult:
    """Measures the hypotheses of a theorem on the data, evaluates its bound, and compares it with a run.

    Parameters
    ----------
    theorem : str
        which one, as "003:2.2"; `theorems` lists them

    Returns
    -------
    CheckResult
        `hypotheses`, `comparisons`, and whether the theorem `applies` and its conclusion `holds`: True, False or None (undecided)

    Examples
    --------
    >>> import fathom
    >>> fathom.check("gen:circle,n=8", theorem="000:7.2").theorem
    '000:7.2'
    """
    run = dict(seed=seed, threads=threads, time_limit=time_limit, progress=progress, memory=memory)
    own, data_options = tables.split({"theorem": theorem, **options}, tables.CHECK, tables.DATA)
    result = api.fathom_check_result()
    with start(X, y, None, run, data_options, (tables.CHECK, own)) as job, job.data.context.lock:
        data, context = job.data, job.data.context
        chosen = tables.CHECK.make(context, own)
        context.call(lib.fathom_check_run, ctypes.byref(result), context.handle, data.handle, ctypes.byref(chosen))
        values = plain(result, skip=("hypotheses", "comparisons", "hypothesis", "comparison", "needs", "need"))
        values["verdict"] = lib.fathom_check_verdict(ctypes.byref(result)).decode()
    for name, count, items in (("hypotheses", result.hypotheses, result.hypothesis),
                               ("comparisons", result.comparisons, result.comparison), ("least", result.needs, result.need)):
        values[name] = [plain(items[k], {"holds": VERDICT.__getitem__}) for k in range(count)]
    values["applies"], values["holds"] = VERDICT[result.applies], VERDICT[result.holds]
    return results.CheckResult(values, context.course)
