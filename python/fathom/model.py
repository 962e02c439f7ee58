# SPDX-License-Identifier: Apache-2.0
"""Models: a network with all that is needed to apply it to new data."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
import weakref
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _declarations as api
from . import _options
from ._context import Context, encode_path
from ._library import lib
from ._types import Array, Path
from .data import Data, pointer, unmasked
from .errors import UsageError


class Model:
    """A trained network. `fathom.load(path)` reads one, `save` writes one; pickling keeps every bit."""

    def __init__(self, handle: Any, context: Context) -> None:
        self.handle, self.context = handle, context
        self._finalizer = weakref.finalize(self, _free, handle, context)

    @classmethod
    def load(cls, path: Path, context: Context | None = None) -> Model:
        """Reads a model file."""
        context = context or Context()
        handle = ctypes.POINTER(api.fathom_model)()
        context.call(lib.fathom_model_read, ctypes.byref(handle), context.handle, encode_path(path))
        return cls(handle, context)

    def save(self, path: Path) -> None:
        """Writes the model as JSON, or as NPZ where the name ends so."""
        self.context.call(lib.fathom_model_write, self.handle, encode_path(path))

    def export(self, path: Path, to: str | None = None, data: Array | None = None, **options: Any) -> dict[str, Any] | None:
        """Writes the model for other programs: to="c" or "onnx" (by the extension where not said).

        precision="int8" or "int16" writes integers for inputs in the ranges of the columns of `data`; the answer is then a dictionary:
        their outputs differ from the model's by at most deviation_upper (proved), somewhere by deviation_lower; bytes of constants.
        """
        to = to or os.path.splitext(os.fspath(path))[1].lstrip(".")
        writers = {"c": lib.fathom_model_export_c, "onnx": lib.fathom_model_export_onnx}
        if to not in writers:
            raise UsageError(f"to: expected c or onnx, got {to!r}")
        chosen = _options.EXPORT.make(self.context, _options.split(options, _options.EXPORT)[0])
        if chosen.precision > api.FATHOM_EXPORT_FLOAT:
            return self._export_integers(path, to, chosen, data)
        self.context.call(writers[to], self.handle, encode_path(path), ctypes.byref(chosen))
        return None

    def _export_integers(self, path: Path, to: str, chosen: Any, data: Array | None) -> dict[str, Any]:
        if to != "c" or data is None:
            raise UsageError("a model in integers is C for a box of inputs: to='c' and data, whose ranges they are")
        x, found = unmasked("data", data).astype(np.float64), api.fathom_fixed_report()
        if x.ndim != 2 or x.shape[0] == 0 or x.shape[1] != self._view.preprocess.columns:
            raise UsageError(f"data: expected rows of {self._view.preprocess.columns} columns, got {x.shape}")
        low, high = np.ascontiguousarray(x.min(axis=0)), np.ascontiguousarray(x.max(axis=0))
        self.context.call(lib.fathom_model_export_fixed, ctypes.byref(found), self.handle, encode_path(path), ctypes.byref(chosen),
                          pointer(low), pointer(high))
        return {"deviation_upper": found.upper, "deviation_lower": found.lower, "bytes": found.bytes}

    @property
    def _view(self) -> Any:
        return lib.fathom_model_look(self.handle)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(columns of the network, neurons, outputs)."""
        s = lib.fathom_net_look(self._view.net)
        return s.d, s.m, s.outputs

    @property
    def kind(self) -> str:
        """The kind of network: relu, gated, ..."""
        return str(lib.fathom_net_kind_name(lib.fathom_net_look(self._view.net).kind).decode())

    @property
    def loss(self) -> str:
        """The loss that it was trained with."""
        return str(lib.fathom_loss_name(self._view.loss).decode())

    @property
    def classes(self) -> list[str] | None:
        """Names of the classes, or None."""
        view = self._view.classes
        return [view.name[k].decode() for k in range(view.count)] or None

    @property
    def class_values(self) -> list[float] | None:
        """Numbers of the classes in the data, or None."""
        view = self._view.classes
        return [view.value[k] for k in range(view.count)] or None

    @property
    def weights(self) -> dict[str, NDArray[np.float64]]:
        """The parameters by their names in model files (copies): U, V, b, W, c, rho."""
        net = self._view.net
        s, w = lib.fathom_net_look(net), lib.fathom_net_lend(net)
        gated = s.kind == api.FATHOM_NET_GATED
        shapes = {"u": (s.m, s.d), "v": (s.m, s.d), "b": (s.m,), "c": (s.outputs,), "rho": (s.m,),
                  "w": (s.m, s.outputs, s.d) if gated else (s.m, s.outputs)}
        out = {}
        for name, shape in shapes.items():
            at = getattr(w, name)
            if at:
                key = name.upper() if name in "uvw" else name
                out[key] = np.ctypeslib.as_array(at, shape).copy() if np.prod(shape) else np.zeros(shape)
        return out

    def _predict(self, X: Data | Array) -> tuple[NDArray[np.float64], NDArray[np.int64] | None, NDArray[np.float64] | None]:
        data = X if isinstance(X, Data) else Data.like(self, X)
        handle = ctypes.POINTER(api.fathom_prediction)()
        self.context.call(lib.fathom_model_predict, ctypes.byref(handle), self.handle, data.handle)
        p = handle.contents
        try:
            output = np.ctypeslib.as_array(p.output, (p.n, p.outputs)).copy() if p.n else np.zeros((0, p.outputs))
            label = np.ctypeslib.as_array(p.label, (p.n,)).copy() if p.label and p.n else None
            chance = (np.ctypeslib.as_array(p.probability, (p.n, p.classes)).copy()
                      if p.probability and p.n else None)
        finally:
            lib.fathom_prediction_free(handle)
        return output, label, chance

    def outputs(self, X: Data | Array) -> NDArray[np.float64]:
        """f(x) for every row: n x outputs."""
        return self._predict(X)[0]

    def predict(self, X: Data | Array) -> NDArray[Any]:
        """Class names where the model classifies, otherwise the outputs (a vector where there is one)."""
        output, label, _ = self._predict(X)
        if label is not None:
            return np.array(self.classes)[label]
        return output[:, 0] if output.shape[1] == 1 else output

    def predict_proba(self, X: Data | Array) -> NDArray[np.float64]:
        """Probabilities of the classes: n x classes."""
        chance = self._predict(X)[2]
        if chance is None:
            raise UsageError(f"a model with loss {self.loss} gives no probabilities")
        return chance

    def explain(self, X: Data | Array) -> dict[str, Any]:
        """Predictions as sums, as ``fathom explain``: arrays output, base, rounding (n x outputs), columns (n x outputs x columns),
        neurons (n x outputs x neurons), label, other (numbers of classes, -1: none), lower, upper (distances to another class).

        output is base plus the sum over columns, and the constant plus the sum over neurons, up to rounding.
        """
        data = X if isinstance(X, Data) else Data.like(self, X)
        handle = ctypes.POINTER(api.fathom_explanation)()
        self.context.call(lib.fathom_model_explain, ctypes.byref(handle), self.handle, data.handle, 0, data.view.n)
        e = handle.contents
        shapes = {"output": (e.n, e.outputs), "base": (e.n, e.outputs), "rounding": (e.n, e.outputs), "label": (e.n,),
                  "column": (e.n, e.outputs, e.columns), "neuron": (e.n, e.outputs, e.neurons), "other": (e.n,), "lower": (e.n,),
                  "upper": (e.n,)}
        try:
            plural = {"column": "columns", "neuron": "neurons"}
            return {plural.get(name, name): np.ctypeslib.as_array(getattr(e, name), shape).copy() if np.prod(shape) else np.zeros(shape)
                    for name, shape in shapes.items()}
        finally:
            lib.fathom_explanation_free(handle)

    def margins(self, X: Data | Array, y: Array | None = None) -> dict[str, Any]:
        """Margins of a model with one output on two classes, as ``fathom margin --model``: a dictionary with margin, smoothed_margin,
        norm, norm_first, normalized_margin, smoothed_normalized_margin (by norm^degree), margins and q (vectors).

        X is a matrix with labels y, or Data with targets that was made like the model's.
        """
        data = X if isinstance(X, Data) else Data.like(self, X, y)
        n = lib.fathom_data_look(data.handle).n
        out, p, q = api.fathom_net_margin(), np.zeros(n), np.zeros(n)
        self.context.call(lib.fathom_net_margins, ctypes.byref(out), pointer(p), pointer(q), self.context.handle,
                          self._view.net, data.handle)
        power = out.norm_both ** out.degree if out.norm_both else float("nan")
        return {"margin": out.margin, "smoothed_margin": out.smoothed, "norm": out.norm_both,
                "norm_first": out.norm_first, "degree": out.degree, "normalized_margin": out.margin / power,
                "smoothed_normalized_margin": out.smoothed / power, "margins": p, "q": q}

    def to_dict(self) -> dict[str, Any]:
        """The members of the model file."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            self.save(path)
            with open(path) as file:
                members: dict[str, Any] = json.load(file)
                return members

    def __reduce__(self) -> tuple[Any, ...]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.npz")
            self.save(path)
            with open(path, "rb") as file:
                return _restore, (file.read(),)

    def __repr__(self) -> str:
        d, m, outputs = self.shape
        return f"<fathom.Model: {self.kind}, {d} columns, {m} neurons, {outputs} output(s)>"


def _restore(content: bytes) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.npz")
        with open(path, "wb") as file:
            file.write(content)
        return Model.load(path)


def _free(handle: Any, context: Context) -> None:
    lib.fathom_model_free(handle)


def load(path: Path) -> Model:
    """Reads a model file."""
    return Model.load(path)
