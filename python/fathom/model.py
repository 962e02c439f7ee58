# SPDX-License-Identifier: Apache-2.0
"""Models: a network with all that is needed to apply it to new data."""
from __future__ import annotations

import ctypes
import json
import os
import tempfile
import weakref
from typing import Any, Sequence

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
    """A trained network: `fathom.load(path)` reads one, `save` writes one; pickling keeps every bit.

    Parameters
    ----------
    handle : pointer
        the library's own model, which it takes over; `load` and `from_arrays` make models
    context : Context
        where its calls run

    Attributes
    ----------
    shape : tuple of int
        columns of the network, neurons, outputs
    kind : str
        relu, gated, leaky, huber, scalar, ntk or convex-rf
    scale : str
        the factor before the sum over neurons: 1, 1/m or 1/sqrt(m)
    columns : list of str or None
        names of the columns that the network was trained on
    loss : str
        the loss that it was trained with
    classes : list of str or None
        names of the classes
    class_values : list of float or None
        numbers of the classes in the data
    weights : dict of arrays
        the parameters by their names in model files

    Examples
    --------
    >>> import fathom
    >>> model = fathom.train("gen:circle,n=8", loss="logistic").model
    >>> model.kind, model.predict([[1.0, 0.0]]).shape
    ('relu', (1,))
    """

    def __init__(self, handle: Any, context: Context) -> None:
        self.handle, self.context = handle, context
        self._finalizer = weakref.finalize(self, _free, handle, context)

    @classmethod
    def load(cls, path: Path, context: Context | None = None) -> Model:
        """Reads a model file.

        Parameters
        ----------
        path : path
            the file, JSON or NPZ
        context : Context, optional
            where its calls run

        Returns
        -------
        Model
            the model

        Examples
        --------
        >>> import fathom, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fathom.Model.from_arrays([[1.0]], [1.0]).save(folder + "/m.json")
        ...     fathom.Model.load(folder + "/m.json").kind
        'relu'
        """
        context = context or Context()
        handle = ctypes.POINTER(api.fathom_model)()
        context.call(lib.fathom_model_read, ctypes.byref(handle), context.handle, encode_path(path))
        return cls(handle, context)

    @classmethod
    def from_arrays(cls, U: Array, W: Array, *, rho: Array | None = None, b: Array | None = None, c: Array | None = None,
                    V: Array | None = None, kind: str = "relu", parameter: float = 0.0, loss: str = "squared",
                    classes: Sequence[str] | None = None, context: Context | None = None) -> Model:
        """Makes a model of the network f(x) = c + sum_j rho_j W_j sigma(<U_j, x> + b_j).

        Parameters
        ----------
        U : m x d
            orientations; of a gated network those of its gates unless V is given
        W : m, m x outputs, or for gated networks m x d, m x outputs x d
            output weights
        rho : m, optional
            factors of the neurons, 1 where not given
        b : m, optional
            hidden biases (of `kind="scalar"` the inner weights)
        c : outputs, optional
            constants of the outputs
        V : m x d, optional
            gates of a gated network
        kind : str
            "relu", "leaky" (slope `parameter`), "huber" (width `parameter`), "scalar" or "gated"
        parameter : float, default 0
            of leaky and huber
        loss : str
            how outputs are read: "squared" as numbers, "logistic", "hinge" as scores of `classes`
        classes : sequence of str, optional
            names of the classes
        context : Context, optional
            where its calls run

        Returns
        -------
        Model
            the model

        Examples
        --------
        >>> import fathom
        >>> net = fathom.Model.from_arrays([[1.0, 0.0], [-1.0, 0.0]], [1.0, 1.0])
        >>> net.predict([[3.0, 0.0], [-2.0, 5.0]]).tolist()
        [3.0, 2.0]
        """
        context = context or Context()
        own = _Parameters(kind, U, W, rho, b, c, V)
        shape = api.fathom_net_shape(kind=_kinds().index(own.kind), parameter=float(parameter), d=own.d, m=own.m, outputs=own.outputs,
                                     hidden_bias=own.has_biases)
        net, handle = ctypes.POINTER(api.fathom_net)(), ctypes.POINTER(api.fathom_model)()
        context.call(lib.fathom_net_create, ctypes.byref(net), context.handle, ctypes.byref(shape))
        try:
            context.call(lib.fathom_net_assign, net, ctypes.byref(own.struct()))
            names = [str(name).encode() for name in classes or ()]
            values = (ctypes.c_double * len(names))(*range(len(names)))
            listed = api.fathom_classes(len(names), ctypes.cast((ctypes.c_char_p * len(names))(*names), ctypes.POINTER(ctypes.c_char_p)),
                                        ctypes.cast(values, ctypes.POINTER(ctypes.c_double)))
            context.call(lib.fathom_model_create, ctypes.byref(handle), context.handle, net, _loss(loss), None, ctypes.byref(listed))
        except BaseException:
            lib.fathom_net_free(net)
            raise
        return cls(handle, context)

    def convert(self, to: str, data: Data | Array | None = None, select: str = "any") -> Model:
        """Makes the same function in another form.

        Parameters
        ----------
        to : str
            "gated" (the same outputs everywhere), "relu" or "compressed" (the same on `data`)
        data : matrix or Data, optional
            where the two must agree
        select : str, default "any"
            which decomposition into the cones of its gates a gated network has as a ReLU network: "any", "sparse" or "min-norm"

        Returns
        -------
        Model
            the new model

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0, 0.0]], [1.0]).convert("gated").kind
        'gated'
        """
        forms, ways = ("gated", "relu", "compressed"), ("any", "sparse", "min-norm")
        if to not in forms:
            raise UsageError(f"to: expected one of {', '.join(forms)}, got {to!r}")
        if select not in ways:
            raise UsageError(f"select: expected one of {', '.join(ways)}, got {select!r}")
        if to == self.kind:
            return self._with(None)
        if to != "gated" and data is None:
            raise UsageError(f"to={to!r} agrees with the model on data only: data says which")
        rows = None if data is None else data if isinstance(data, Data) else Data.like(self, data)
        net, old, inflation = ctypes.POINTER(api.fathom_net)(), self._view.net, ctypes.c_double(1)
        if to == "gated":
            self.context.call(lib.fathom_net_to_gated, ctypes.byref(net), self.context.handle, old)
        elif to == "compressed" and rows is not None:
            self.context.call(lib.fathom_net_compress, ctypes.byref(net), self.context.handle, old, rows.handle)
        elif rows is not None:
            self.context.call(lib.fathom_net_decompose, ctypes.byref(net), ctypes.byref(inflation), self.context.handle, old, rows.handle,
                              ways.index(select))
        return self._with(net)

    def prune(self, data: Data | Array, share: float) -> tuple[Model, dict[str, Any]]:
        """Drops neurons that hardly move the outputs, those first that move them least; each leaves its mean in the constants.

        Parameters
        ----------
        data : matrix or Data
            the rows whose outputs count
        share : float
            most that an output on the data may move, as a share of the spread of the outputs there

        Returns
        -------
        model : Model
            the smaller network
        report : dict
            `pruned` (neurons dropped), `spread`, `prune_measured` (how far outputs on the data moved) and `prune_upper`: how far they
            can move wherever every column is within its range on the data, proved; NaN for kernels and networks on images

        Examples
        --------
        >>> import fathom
        >>> net = fathom.Model.from_arrays([[1.0], [-1.0], [2.0]], [1.0, 1.0, 1e-6])
        >>> small, report = net.prune([[-1.0], [0.0], [1.0]], 1e-3)
        >>> small.shape, report["pruned"], report["prune_upper"] < 3e-6
        ((1, 2, 1), 1, True)
        """
        rows = data if isinstance(data, Data) else Data.like(self, data)
        net, found = ctypes.POINTER(api.fathom_net)(), api.fathom_prune_report()
        self.context.call(lib.fathom_net_prune, ctypes.byref(net), ctypes.byref(found), self.context.handle, self._view.net, rows.handle,
                          float(share))
        return self._with(net), {"pruned": found.dropped, "spread": found.spread, "prune_measured": found.lower, "prune_upper": found.upper}

    def _with(self, net: Any) -> Model:
        """This model with another network, which it takes over; None: a copy."""
        if net is None:
            return _restore(self.__reduce__()[1][0])
        view, handle = self._view, ctypes.POINTER(api.fathom_model)()
        try:
            self.context.call(lib.fathom_model_create, ctypes.byref(handle), self.context.handle, net, view.loss,
                              ctypes.byref(view.preprocess), ctypes.byref(view.classes))
        except BaseException:
            lib.fathom_net_free(net)
            raise
        return Model(handle, self.context)

    def layers(self) -> tuple[list[NDArray[np.float64]], list[NDArray[np.float64]]]:
        """Gives the layers of a ReLU network on the raw columns, all scales folded in, as scikit-learn's MLP has them.

        Returns
        -------
        coefs : list of arrays
            weights: f(x) = relu(x @ coefs[0] + intercepts[0]) @ coefs[1] + intercepts[1]
        intercepts : list of arrays
            biases

        Examples
        --------
        >>> import fathom
        >>> coefs, intercepts = fathom.Model.from_arrays([[1.0, 2.0]], [3.0]).layers()
        >>> coefs[0].shape, coefs[1].shape
        ((2, 1), (1, 1))
        """
        view, w = self._view.preprocess, self.weights
        if self.kind != "relu" or view.normalize == api.FATHOM_NORMALIZE_UNIT:
            raise UsageError("layers are those of ReLU networks whose rows are not normalised")
        columns, (_, m, outputs) = view.columns, self.shape
        U, b = w["U"], w.get("b", np.zeros(m))
        b = b + U[:, columns] if view.bias == api.FATHOM_BIAS_AUGMENT else b
        inner = U[:, :columns]
        if view.mean:
            mean, spread = (np.ctypeslib.as_array(at, (columns,)) for at in (view.mean, view.scale))
            inner = inner / spread
            b = b - inner @ mean
        scale = {"1": 1.0, "1/m": 1 / max(m, 1), "1/sqrt(m)": max(m, 1) ** -0.5}[self.scale]
        outer = scale * w.get("rho", np.ones(m))[:, None] * w["W"].reshape(m, outputs)
        return [inner.T.copy(), outer], [b, w.get("c", np.zeros(outputs))]

    def gradient(self, X: Data | Array, y: Array, loss: str | None = None, mean: bool = False) -> dict[str, Any]:
        """Computes the loss on these rows and its derivatives.

        Parameters
        ----------
        X : matrix or Data
            the rows
        y : vector or matrix
            numbers, or for losses of classes -1 and 1, one column per output
        loss : str, optional
            that of the model where not said
        mean : bool, default False
            the mean of the losses instead of their sum

        Returns
        -------
        dict
            `value`, and arrays U, b, W, c like `weights`

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0]], [2.0]).gradient([[3.0]], [5.0])["W"].tolist()
        [[3.0]]
        """
        data = X if isinstance(X, Data) else Data.like(self, X)
        d, m, outputs = self.shape
        y = np.ascontiguousarray(unmasked("y", y).astype(np.float64))
        if y.shape not in ((data.view.n,), (data.view.n, outputs)) or y.size != data.view.n * outputs:
            raise UsageError(f"y: expected {data.view.n} rows of {outputs} numbers, got {y.shape}")
        shapes = {key: value.shape for key, value in self.weights.items() if key not in ("V", "rho")}
        found = {key: np.zeros(shape) for key, shape in shapes.items()}
        into = api.fathom_net_weights(**{key.lower(): pointer(array) for key, array in found.items()})
        value = ctypes.c_double()
        self.context.call(lib.fathom_net_gradient, ctypes.byref(value), ctypes.byref(into), self._view.net, data.handle, pointer(y),
                          self._view.loss if loss is None else _loss(loss), bool(mean))
        return {"value": value.value, **found}

    def plot_regions(self, X: Array | None = None, y: Array | None = None, ax: Any = None, output: int = 0) -> Any:
        """Draws the function over one or two columns with every kink (matplotlib).

        Parameters
        ----------
        X, y : arrays, optional
            examples to draw too
        ax : Axes, optional
            where to draw
        output : int, default 0
            which output

        Returns
        -------
        Axes
            the axes

        Examples
        --------
        >>> import fathom
        >>> model = fathom.train("gen:xor,n=32").model
        >>> axes = model.plot_regions()  # doctest: +SKIP
        """
        from . import _plots

        return _plots.regions(self, X, y, ax, output)

    def plot_neurons(self, ax: Any = None, names: Sequence[str] | None = None, most: int = 20) -> Any:
        """Draws the largest neurons as rows of a picture (matplotlib).

        Weights on the columns (standardised where the model standardises), signed by what the neuron adds.

        Parameters
        ----------
        ax : Axes, optional
            where to draw
        names : sequence of str, optional
            names of the columns
        most : int, default 20
            number of neurons

        Returns
        -------
        Axes
            the axes

        Examples
        --------
        >>> import fathom
        >>> model = fathom.train("gen:xor,n=32").model
        >>> axes = model.plot_neurons()  # doctest: +SKIP
        """
        from . import _plots

        return _plots.neurons(self, ax, names, most)

    def info(self) -> dict[str, Any]:
        """Says what ``fathom info`` says of the model's file.

        Returns
        -------
        dict
            kind, sizes, columns, classes, norms and more

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0]], [2.0]).info()["kind"]
        'relu'
        """
        from .commands import info

        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.json")
            self.save(path)
            return info(path)

    def save(self, path: Path) -> None:
        """Writes the model to a file.

        Parameters
        ----------
        path : path
            JSON, or NPZ where the name ends so

        Examples
        --------
        >>> import fathom, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     fathom.Model.from_arrays([[1.0]], [2.0]).save(folder + "/m.npz")
        """
        self.context.call(lib.fathom_model_write, self.handle, encode_path(path))

    def export(self, path: Path, to: str | None = None, data: Array | None = None, **options: Any) -> dict[str, Any] | None:
        """Writes the model for other programs: C, ONNX or JavaScript.

        Parameters
        ----------
        path : path
            the file
        to : str, optional
            "c", "onnx" or "js"; by the extension where not said
        data : matrix, optional
            rows whose ranges are those of the inputs of a model in integers
        **options : str
            those of ``fathom convert``: `precision` ("double", "float", "int16" or "int8"), `name`, `header_file`

        Returns
        -------
        dict or None
            of integers: their outputs differ from the model's by at most `deviation_upper` (proved), somewhere by `deviation_lower`;
            `bytes` of constants

        Examples
        --------
        >>> import fathom, tempfile
        >>> model = fathom.Model.from_arrays([[1.0, 2.0]], [3.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.export(folder + "/m.c", precision="int16", data=[[0.0, 0.0], [1.0, 1.0]])["deviation_upper"] < 1e-3
        True
        """
        to = to or os.path.splitext(os.fspath(path))[1].lstrip(".")
        writers = {"c": lib.fathom_model_export_c, "onnx": lib.fathom_model_export_onnx, "js": lib.fathom_model_export_js}
        if to not in writers:
            raise UsageError(f"to: expected c, onnx or js, got {to!r}")
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
    def scale(self) -> str:
        """The factor before the sum over neurons: 1, 1/m or 1/sqrt(m)."""
        return str(lib.fathom_net_scale_name(lib.fathom_net_look(self._view.net).scale).decode())

    @property
    def columns(self) -> list[str] | None:
        """Names of the columns that the network was trained on, texts and missing cells coded; None where they have none."""
        view = self._view.preprocess
        return [view.name[k].decode() for k in range(view.columns)] if view.name else None

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
        """Applies the network.

        Parameters
        ----------
        X : matrix, table or Data
            the rows

        Returns
        -------
        array
            f(x) for every row: n x outputs

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0]], [2.0]).outputs([[3.0]]).tolist()
        [[6.0]]
        """
        return self._predict(X)[0]

    def predict(self, X: Data | Array) -> NDArray[Any]:
        """Predicts.

        Parameters
        ----------
        X : matrix, table or Data
            the rows

        Returns
        -------
        array
            names of classes where the model classifies, otherwise the outputs (a vector where there is one)

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0]], [2.0]).predict([[3.0]]).tolist()
        [6.0]
        """
        output, label, _ = self._predict(X)
        if label is not None:
            return np.array(self.classes)[label]
        return output[:, 0] if output.shape[1] == 1 else output

    def predict_proba(self, X: Data | Array) -> NDArray[np.float64]:
        """Gives the probabilities of the classes.

        Parameters
        ----------
        X : matrix, table or Data
            the rows

        Returns
        -------
        array
            n x classes

        Examples
        --------
        >>> import fathom
        >>> model = fathom.Model.from_arrays([[1.0]], [2.0], loss="logistic", classes=["no", "yes"])
        >>> model.predict_proba([[0.0]]).tolist()
        [[0.5, 0.5]]
        """
        chance = self._predict(X)[2]
        if chance is None:
            raise UsageError(f"a model with loss {self.loss} gives no probabilities")
        return chance

    def explain(self, X: Data | Array) -> dict[str, Any]:
        """Writes predictions as sums, as ``fathom explain`` does.

        Parameters
        ----------
        X : matrix, table or Data
            the rows

        Returns
        -------
        dict of arrays
            output, base, rounding (n x outputs), columns (n x outputs x columns), neurons (n x outputs x neurons), label, other (numbers of
            classes, -1: none), lower, upper (distances to another class). output is base plus the sum over columns, and the constant plus
            the sum over neurons, up to rounding

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0, 1.0]], [2.0]).explain([[3.0, 4.0]])["columns"].tolist()
        [[[6.0, 8.0]]]
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
        """Computes the margins of a model with one output on two classes, as ``fathom margin --model`` does.

        Parameters
        ----------
        X : matrix or Data
            the rows; Data has targets and was made like the model's
        y : vector, optional
            labels of the matrix

        Returns
        -------
        dict
            margin, smoothed_margin, norm, norm_first, degree, normalized_margin, smoothed_normalized_margin (by norm^degree), margins
            and q (vectors)

        Examples
        --------
        >>> import fathom
        >>> model = fathom.Model.from_arrays([[1.0], [-1.0]], [1.0, -1.0], loss="logistic", classes=["no", "yes"])
        >>> model.margins([[2.0], [-3.0]], ["yes", "no"])["margin"]
        2.0
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
        """Gives the members of the model file.

        Returns
        -------
        dict
            as in the JSON file

        Examples
        --------
        >>> import fathom
        >>> fathom.Model.from_arrays([[1.0]], [2.0]).to_dict()["kind"]
        'relu'
        """
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


def _kinds() -> list[str]:
    return [lib.fathom_net_kind_name(kind).decode() for kind in range(api.FATHOM_NET_SCALAR + 1)]


def _loss(name: str) -> int:
    """The number of a loss."""
    names = [lib.fathom_loss_name(loss).decode() for loss in range(api.FATHOM_LOSS_QUANTILE + 1)]
    if name not in names:
        raise UsageError(f"loss: expected one of {', '.join(names)}, got {name!r}")
    return names.index(name)


class _Parameters:
    """Arrays of a network in the library's shapes, checked against each other."""

    def __init__(self, kind: str, U: Array, W: Array, rho: Array | None, b: Array | None, c: Array | None, V: Array | None) -> None:
        known = [name for name in _kinds() if name in ("relu", "leaky", "huber", "scalar", "gated")]
        if kind not in known:
            raise UsageError(f"kind: expected one of {', '.join(known)}, got {kind!r}")
        gated = kind == "gated"
        u, w = _doubles("U", U), _doubles("W", W)
        if u.ndim != 2:
            raise UsageError(f"U: expected a matrix with one row per neuron, got {u.ndim} dimension(s)")
        self.kind, (self.m, self.d) = kind, u.shape
        plain = 2 if gated else 1  # dimensions of W where there is one output
        w = w[:, None] if w.ndim == plain else w
        self.outputs = w.shape[1] if w.ndim == plain + 1 else 0
        self.arrays: dict[str, NDArray[np.float64]] = {}
        if gated:
            self._take("V", V if V is not None else U, (self.m, self.d))
        else:
            self._take("U", u, (self.m, self.d))
        self._take("W", w, (self.m, self.outputs, self.d) if gated else (self.m, self.outputs))
        self._take("rho", np.ones(self.m) if rho is None else rho, (self.m,))
        if b is not None:
            self._take("b", b, (self.m,))
        self._take("c", np.zeros(self.outputs) if c is None else np.atleast_1d(_doubles("c", c)), (self.outputs,))
        self.has_biases = b is not None and kind != "scalar"

    def _take(self, name: str, values: Array, shape: tuple[int, ...]) -> None:
        array = _doubles(name, values)
        if array.shape != shape or 0 in shape[1:]:
            raise UsageError(f"{name}: expected an array of shape {shape}, got {array.shape}")
        self.arrays[name] = array

    def struct(self) -> Any:
        return api.fathom_net_weights(**{name.lower(): pointer(array) for name, array in self.arrays.items()})


def _doubles(name: str, values: Array) -> NDArray[np.float64]:
    return np.ascontiguousarray(unmasked(name, values).astype(np.float64))


def _restore(content: bytes) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.npz")
        with open(path, "wb") as file:
            file.write(content)
        return Model.load(path)


def _free(handle: Any, context: Context) -> None:
    lib.fathom_model_free(handle)


def load(path: Path) -> Model:
    """Reads a model file.

    Parameters
    ----------
    path : path
        the file, JSON or NPZ

    Returns
    -------
    Model
        the model

    Examples
    --------
    >>> import fathom, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fathom.Model.from_arrays([[1.0]], [1.0]).save(folder + "/m.json")
    ...     fathom.load(folder + "/m.json").shape
    (1, 1, 1)
    """
    return Model.load(path)
