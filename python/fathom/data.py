# SPDX-License-Identifier: Apache-2.0
"""Data sets: arrays, files and generated families in the form that the library works on."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _declarations as api
from . import _options
from ._context import Context, encode_path
from ._library import lib
from ._tables import categories_of, free_name, read_columnar, table_text, with_column
from .errors import InputError

if TYPE_CHECKING:
    from ._types import Array, Path, Table
    from .model import Model

_POINTER = ctypes.POINTER(ctypes.c_double)


def pointer(array: NDArray[np.float64]) -> Any:
    return array.ctypes.data_as(_POINTER)


def unmasked(name: str, values: Array) -> NDArray[Any]:
    """An array; one with masked values, or a list of such, is refused: numpy.asarray would take what is under the mask."""
    parts = values if isinstance(values, (list, tuple)) else [values]
    if any(np.ma.isMaskedArray(part) and np.ma.getmaskarray(part).any() for part in parts):
        raise InputError(f"{name}: masked values are missing; fill or drop them first")
    return np.asarray(values)


def _numbers(name: str, values: Array) -> NDArray[np.float64]:
    """An array of doubles; what is no array of real numbers is refused."""
    array = unmasked(name, values)
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"{name}: expected numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise InputError(f"{name}: expected real numbers, got {array.dtype}")
    return array if array.dtype == np.float64 else array.astype(np.float64)


def matrix(name: str, values: Array) -> NDArray[np.float64]:
    """A two-dimensional array of doubles with rows of contiguous numbers, not copied where it is one already."""
    array = _numbers(name, values)
    if array.ndim != 2:
        raise InputError(f"{name}: expected a matrix with one row per example, got {array.ndim} dimension(s)")
    rows, columns = array.strides
    ready = array.flags.aligned and array.dtype.isnative and columns == 8 and rows % 8 == 0 and rows >= 8 * array.shape[1]
    return array if ready else np.ascontiguousarray(array)


def is_sparse(X: Any) -> bool:
    """Whether X is a sparse matrix of SciPy."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def sparse_rows(X: Any) -> Any:
    """X as compressed rows of doubles with ascending columns, a copy where it was not."""
    rows = X.tocsr()
    if rows.dtype.kind not in "fiub":
        raise InputError(f"X: expected real numbers, got {rows.dtype}")
    if rows.dtype != np.float64:
        rows = rows.astype(np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is X else rows
        rows.sum_duplicates()
    return rows


def _rows(x: Any) -> tuple[Any, ...]:
    """The arguments that stand for a matrix, dense or sparse."""
    if not is_sparse(x):
        return x.shape[0], x.shape[1], pointer(x), x.strides[0] // 8
    start, column = np.ascontiguousarray(x.indptr, dtype=np.int64), np.ascontiguousarray(x.indices, dtype=np.int32)
    value = np.ascontiguousarray(x.data, dtype=np.float64)
    rows = api.fathom_sparse_rows(x.shape[0], x.shape[1], start.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)),
                                  column.ctypes.data_as(ctypes.POINTER(ctypes.c_int32)), pointer(value))
    rows.kept = start, column, value
    return (ctypes.byref(rows),)


def _numbered(values: list[float]) -> Any:
    """The library's list of classes that have their numbers as names."""
    names = (ctypes.c_char_p * len(values))(*(repr(value).encode() for value in values))
    numbers = (ctypes.c_double * len(values))(*values)
    classes = api.fathom_classes(len(values), ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p)), ctypes.cast(numbers, _POINTER))
    classes.kept = names, numbers
    return classes


class Labels:
    """Targets as numbers, and the names of the classes where they were texts."""

    def __init__(self, y: Array) -> None:
        array = unmasked("y", y)
        self.names: list[str] | None = None
        texts = array.dtype.kind == "U" or (array.dtype == object and all(isinstance(v, str) for v in array.flat))
        if texts and array.ndim == 1 and array.size:
            names, array = np.unique(array.astype(str), return_inverse=True)
            self.names = [str(name) for name in names]
        self.y = np.ascontiguousarray(_numbers("y", array))
        if self.y.ndim not in (1, 2):
            raise InputError(f"y: expected a vector, or a matrix with one row per example, got {self.y.ndim} dimensions")

    @property
    def outputs(self) -> int:
        return 1 if self.y.ndim == 1 else self.y.shape[1]


class Data:
    """Examples with targets and weights, as the library holds them.

    `Data.open("data.csv")` takes whatever the command line takes: files, builtin:NAME, gen:NAME,...

    Parameters
    ----------
    X : matrix or table
        one row per example: what numpy.asarray makes a matrix of, a sparse matrix of SciPy, or a frame of pandas or polars with texts,
        dates and missing cells
    y : vector or matrix, optional
        targets: numbers, or names of classes
    sample_weight : vector, optional
        one weight >= 0 per example
    context : Context, optional
        where its calls run
    **options : object
        those of the command line: normalize, bias, rows, classes, ...

    Attributes
    ----------
    X : array
        the matrix as the library sees it (a copy)
    y : array or None
        the targets (a copy)
    columns : list of dict or None
        what the columns of a table were
    view : object
        the library's own view of the data

    Examples
    --------
    >>> import fathom
    >>> fathom.Data.open("gen:circle,n=8").X.shape
    (8, 2)
    >>> fathom.Data([[1.0, 2.0]], [3.0]).y.tolist()
    [3.0]
    """

    def __init__(self, X: Array, y: Array | None = None, sample_weight: Array | None = None, *, context: Context | None = None,
                 **options: Any) -> None:
        self.context = context or Context()
        table = table_text(X)
        if table is not None:
            left = {name for key in ("target", "drop", "exclude") for name in str(options.get(key) or "").split(",")}
            named = [name for name in str(options.get("as_category") or "").split(",") if name]
            named += [name for name in categories_of(X) if name not in left and name not in named]
            self._take_table(table, y, sample_weight, {**options, "as_category": ",".join(named) or None})
            return
        x = sparse_rows(X) if is_sparse(X) else matrix("X", X)
        labels = None if y is None else Labels(y)
        weight = None if sample_weight is None else np.ascontiguousarray(_numbers("sample_weight", sample_weight))
        for name, array in (("y", labels.y if labels else None), ("sample_weight", weight)):
            if array is not None and array.shape[0] != x.shape[0]:
                raise InputError(f"{name}: {array.shape[0]} rows, X has {x.shape[0]}")
        if weight is not None and weight.ndim != 1:
            raise InputError("sample_weight: expected a vector")
        self.names = labels.names if labels else None
        chosen = _options.DATA.make(self.context, _options.split(options, _options.DATA)[0])
        create = lib.fathom_data_create_sparse if is_sparse(X) else lib.fathom_data_create
        self._take(create, *_rows(x), labels.outputs if labels else 0, pointer(labels.y) if labels else None,
                   None if weight is None else pointer(weight), ctypes.byref(chosen))

    def _take_table(self, text: str, y: Array | None, sample_weight: Array | None, options: dict[str, Any]) -> None:
        """A table as it is: options as on the command line, but missing cells are imputed unless told otherwise."""
        self.names = None
        options = {"missing": "impute", "header": "yes", **{name: value for name, value in options.items() if value is not None}}
        if sample_weight is not None:
            name = free_name(text, "sample weight")
            text, options["weights"] = with_column(text, name, sample_weight), name
        if y is not None:
            target = free_name(text, str(getattr(y, "name", None) or "target"))
            text, options["target"] = with_column(text, target, y), target
        chosen = _options.DATA.make(self.context, _options.split(options, _options.DATA)[0])
        raw = text.encode()
        self._take(lib.fathom_data_open_text, b"the table", raw, len(raw), ctypes.byref(chosen), None, None)

    @classmethod
    def open(cls, spec: Path, *, context: Context | None = None, **options: Any) -> Data:
        """Opens the data set that a DATA text of the command line names; Parquet and Feather files where pyarrow is there.

        Parameters
        ----------
        spec : path
            a file, "builtin:iris", "gen:circle,n=8"; `sources` lists the last two
        context : Context, optional
            where its calls run
        **options : object
            those of the command line: target, normalize, bias, rows, ...

        Returns
        -------
        Data
            the examples

        Examples
        --------
        >>> import fathom
        >>> fathom.Data.open("builtin:iris", rows="0:10").X.shape
        (10, 4)
        """
        self = cls.__new__(cls)
        self.context, self.names = context or Context(), None
        columnar = read_columnar(spec)
        if columnar is not None:
            self._take_table(columnar, None, None, options)
            return self
        chosen = _options.DATA.make(self.context, _options.split(options, _options.DATA)[0])
        self._take(lib.fathom_data_open, encode_path(spec), ctypes.byref(chosen))
        return self

    @classmethod
    def borrow(cls, handle: Any, context: Context, names: list[str] | None = None) -> Data:
        """Makes Data of what somebody else frees, later.

        Parameters
        ----------
        handle : pointer
            the library's own
        context : Context
            where its calls run
        names : list of str, optional
            names of the classes

        Returns
        -------
        Data
            the examples

        Examples
        --------
        >>> import fathom
        >>> whole = fathom.Data([[1.0, 2.0]], [3.0])
        >>> fathom.Data.borrow(whole.handle, whole.context).X.shape
        (1, 2)
        """
        self = cls.__new__(cls)
        self.context, self.names, self.handle = context, names, handle
        return self

    @classmethod
    def like(cls, model: Model, X: Array | Path, y: Array | None = None) -> Data:
        """Treats data as the training data of a model was.

        Parameters
        ----------
        model : Model
            the model
        X : matrix, table or path
            rows, a table, or what a DATA text of the command line names
        y : vector or matrix, optional
            targets

        Returns
        -------
        Data
            the examples

        Examples
        --------
        >>> import fathom
        >>> model = fathom.train("gen:circle,n=8", normalize="standardize", bias="augment").model
        >>> fathom.Data.like(model, [[1.0, 0.0]]).X.shape
        (1, 3)
        """
        self = cls.__new__(cls)
        self.context, self.names = model.context, None
        view = lib.fathom_model_look(model.handle)
        treated = (ctypes.byref(view.preprocess), ctypes.byref(view.classes))
        named = isinstance(X, (str, os.PathLike))
        table = read_columnar(X) if named else table_text(X, plain_too=bool(view.preprocess.schema))
        if named and table is None:
            self._take(lib.fathom_data_open_like, encode_path(X), None, *treated)
            return self
        if table is not None and (named or view.preprocess.schema):
            if y is not None:
                target = view.preprocess.target.decode() if view.preprocess.target else "target"
                table = with_column(table, target, y)
            raw, chosen = table.encode(), _options.DATA.make(self.context, {"header": "yes"})
            self._take(lib.fathom_data_open_text, b"the table", raw, len(raw), ctypes.byref(chosen), *treated)
            return self
        x, labels = sparse_rows(X) if is_sparse(X) else matrix("X", X), None if y is None else Labels(y)
        classes = view.classes
        if labels and labels.names:
            known = {name: k for k, name in enumerate(model.classes or [])}
            numbers = [known.get(name, -1) for name in labels.names]
            if -1 in numbers:
                raise InputError(f"y: the model has no class {labels.names[numbers.index(-1)]!r}")
            values = np.array(model.class_values)[numbers]
            labels.y = values[labels.y.astype(np.int64)]
            classes = _numbered(model.class_values or [])  # y has their numbers, and no names
        create = lib.fathom_data_create_sparse_like if is_sparse(X) else lib.fathom_data_create_like
        self._take(create, *_rows(x),
                   labels.outputs if labels else 0, pointer(labels.y) if labels else None, None,
                   ctypes.byref(view.preprocess), ctypes.byref(classes))
        return self

    def _take(self, create: Any, *arguments: Any) -> None:
        handle = ctypes.POINTER(api.fathom_data)()
        self.context.call(create, ctypes.byref(handle), self.context.handle, *arguments)
        self.handle = handle
        self._finalizer = weakref.finalize(self, _free, handle, self.context)

    @property
    def view(self) -> Any:
        """The library's own view of the data."""
        return lib.fathom_data_look(self.handle)

    @property
    def X(self) -> NDArray[np.float64]:
        """The matrix as the library sees it (a copy)."""
        view = self.view
        if not view.x:
            return self._dense(view)
        whole = np.ctypeslib.as_array(view.x, (view.n, view.ld)) if view.n else np.zeros((0, view.ld))
        return whole[:, :view.d].copy()

    @staticmethod
    def _dense(view: Any) -> NDArray[np.float64]:
        start = np.ctypeslib.as_array(view.row_start, (view.n + 1,))
        out = np.zeros((view.n, view.d))
        if start[-1] > 0:
            row = np.repeat(np.arange(view.n), np.diff(start))
            out[row, np.ctypeslib.as_array(view.column, (start[-1],))] = np.ctypeslib.as_array(view.value, (start[-1],))
        return out

    @property
    def y(self) -> NDArray[np.float64] | None:
        """The targets (a copy); None where there are none."""
        view = self.view
        if not view.outputs:
            return None
        y = np.ctypeslib.as_array(view.y, (view.n, view.outputs)).copy()
        return y[:, 0] if view.outputs == 1 else y

    @property
    def columns(self) -> list[dict[str, Any]] | None:
        """What the columns of a table were: dictionaries of name, kind, use, missing and width; None for plain numbers."""
        schema = lib.fathom_data_schema(self.handle)
        if not schema:
            return None
        return [{"name": c.name.decode(), "kind": lib.fathom_column_kind_name(c.kind).decode(), "use": c.use.decode(),
                 "missing": c.missing, "width": c.width} for c in schema.contents.column[:schema.contents.columns]]

    def __repr__(self) -> str:
        view = self.view
        return f"<fathom.Data: {view.n} examples, {view.d} columns, {view.outputs} target(s)>"


def _free(handle: Any, context: Context) -> None:
    lib.fathom_data_free(handle)


def as_data(X: Table, y: Array | None = None, sample_weight: Array | None = None, context: Context | None = None,
            **options: Any) -> Data:
    """X itself where it is Data, the data set that it names where it is a text, otherwise arrays."""
    if isinstance(X, Data):
        if y is not None or sample_weight is not None or any(v is not None for v in options.values()):
            raise TypeError("Data already has its targets, weights and options")
        return X
    if isinstance(X, (str, os.PathLike)):
        if y is not None or sample_weight is not None:
            raise TypeError("a data set that is named brings its own targets and weights")
        return Data.open(X, context=context, **options)
    return Data(X, y, sample_weight, context=context, **options)
