#!/usr/bin/env python3
"""limits_python.py NAME limit|signal: one call of the Python package that has work for minutes, ended by time_limit=1 or by Ctrl-C after a
second.

Prints what came of it (result, KeyboardInterrupt or the name of an error) and the seconds of an idle machine that it took beyond that second.
limits.py runs every one of CALLS both ways; a call that knows no time_limit is left out there.
"""
import os
import signal
import sys
import tempfile
import threading
import time

LIMIT = 1.0
# The call, with `limit` for its time_limit; S: the call knows none. X is a large matrix of normals, pipe a named pipe that nobody writes to.
CALLS = {
    "train": "fathom.train(X[:1500, :2000], X[:1500, 0], time_limit=limit)",
    "train_gates": "fathom.train(X[:, :30], X[:, 30], method='gates', gates=3000, beta=1.0, time_limit=limit)",
    "train_logistic": "fathom.train(X[:, :30], X[:, 30] > 0, loss='logistic', gap=1e-9, verify=True, time_limit=limit)",
    "train_drawn": "fathom.train('gen:gauss,n=3000000,d=40,target=teacher', time_limit=limit)",
    "fit": "fathom.fit(X[:, :30], X[:, 30] > 0, time_limit=limit, time=100)",
    "path": "fathom.path(X[:, :30], X[:, 30], model='gated', gates=2000, time_limit=limit)",
    "margin": "fathom.margin('gen:gauss,n=60,d=12,target=sign', time_limit=limit)",
    "margin_global": "fathom.margin('gen:gauss,n=40,d=5,target=sign', kind='global', gap=1e-9, time_limit=limit)",
    "kernel": "fathom.kernel('gen:gauss,n=9000,d=5', time_limit=limit)",
    "cones": "fathom.cones('gen:gauss,n=110,d=6', time_limit=limit)",
    "geometry": "fathom.geometry(X, time_limit=limit)",
    "flow": "fathom.flow(X[:, :50], X[:, 50] > 0, width=300, until='steps=1000000', time_limit=limit)",
    "check": "fathom.check('gen:xor,n=20000', theorem='002:2', width=2000, time_limit=limit)",
    "reproduce": "fathom.reproduce('001:fig1a', os.path.join(folder, 'item'), time_limit=limit)",
    "pipe": "fathom.train(pipe, time_limit=limit)",
    "data": "fathom.Data.open(pipe)",  # S
    "load": "fathom.load(pipe)",  # S
    "info": "fathom.info(pipe)",  # S
    "report": "fathom.report([pipe], os.path.join(folder, 'page.html'))",  # S
    "estimator": "fathom.ReLURegressor(time_limit=limit).fit(X[:, :30], X[:, 30])",
}
SHORT = ("geometry", "train_gates", "kernel", "info", "pipe")  # of the short form


def main(name, way):
    import numpy as np

    import fathom
    from limits import idle_seconds, queued
    if name == "estimator":
        fathom.ReLURegressor  # pylint: disable=pointless-statement  # loads scikit-learn

    with tempfile.TemporaryDirectory() as folder:
        names = {"fathom": fathom, "os": os, "folder": folder, "pipe": os.path.join(folder, "pipe"), "limit": LIMIT if way == "limit" else None,
                 "X": np.random.default_rng(1).standard_normal((3000, 2500 if name in ("geometry", "train") else 60))}
        os.mkfifo(names["pipe"])
        start, before = time.monotonic(), {}
        threading.Timer(LIMIT, lambda: before.update(queued([os.getpid()]))).start()
        if way == "signal":
            threading.Timer(LIMIT, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            eval(compile(CALLS[name], name, "eval"), names)  # pylint: disable=eval-used  # of a text, it ends the interpreter by SIGINT
            what = "result"
        except KeyboardInterrupt:
            what = "KeyboardInterrupt"
        except fathom.FathomError as error:
            what = type(error).__name__
        late = time.monotonic() - start - LIMIT
        print(what, round(idle_seconds(late, before, queued([os.getpid()])) if late > 0 else late, 2), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main(*sys.argv[1:])
