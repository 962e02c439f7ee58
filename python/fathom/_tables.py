# SPDX-License-Identifier: Apache-2.0
"""Frames of pandas, polars and Arrow, and Parquet and Feather files, as CSV texts that the library reads as it reads files."""
from __future__ import annotations

import csv
import io
import os
import re
from typing import Any

import numpy as np

from .errors import InputError, failure


def table_text(X: Any, plain_too: bool = False) -> str | None:
    """The CSV text of a frame with texts, dates or missing cells, with `plain_too` of every frame; None for everything else."""
    if hasattr(X, "to_csv") and hasattr(X, "dtypes"):
        plain = not plain_too and all(isinstance(dtype, np.dtype) and dtype.kind in "fiub" for dtype in X.dtypes)
        if plain and not np.isnan(X.to_numpy(dtype=np.float64)).any():
            return None
        return str(X.to_csv(index=False))
    if hasattr(X, "write_csv") and hasattr(X, "schema"):
        return str(X.write_csv())
    if hasattr(X, "to_batches") and hasattr(X, "column_names"):
        return _arrow_text(X)
    return None


def categories_of(X: Any) -> list[str]:
    """Columns that the frame itself has as categories, by name, or by number where the name holds a comma."""
    kinds = [str(kind) for kind in (X.schema.types if hasattr(X, "to_batches") else X.dtypes)]
    found = [k for k, kind in enumerate(kinds) if kind == "category" or kind.startswith(("dictionary", "Categorical", "Enum"))]
    names = [str(X.column_names[k] if hasattr(X, "to_batches") else X.columns[k]) for k in found]
    return [str(k) if "," in name else name for k, name in zip(found, names)]


def is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _arrow_text(table: Any) -> str:
    from pyarrow import csv as arrow_csv  # type: ignore[import-not-found,import-untyped,unused-ignore]
    buffer = io.BytesIO()
    arrow_csv.write_csv(table, buffer)
    return buffer.getvalue().decode()


def read_columnar(path: Any) -> str | None:
    """The CSV text of a Parquet or Feather file; None where the name is another."""
    name = os.fspath(path)
    if not isinstance(name, str) or not name.endswith((".parquet", ".feather", ".arrow")):
        return None
    try:
        if name.endswith(".parquet"):
            from pyarrow import parquet as reader  # type: ignore[import-not-found,import-untyped,unused-ignore]
        else:
            from pyarrow import feather as reader  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        raise InputError(f"{name}: Parquet and Feather files need the package pyarrow") from None
    try:
        return _arrow_text(reader.read_table(name))
    except OSError as error:
        raise failure(InputError, f"cannot open: {os.strerror(error.errno) if error.errno else error}", name) from None


def _cell(value: Any) -> str:
    """A value of a vector as a quoted cell."""
    missing = is_missing(value)
    value = value.item() if hasattr(value, "item") else value
    text = "" if missing else repr(value) if isinstance(value, float) else str(value)
    return '"' + text.replace('"', '""') + '"'


def free_name(text: str, wanted: str) -> str:
    """A name for one more column of a CSV text: the wanted one, unless a column has it already or it could be taken for a column's number."""
    names = next(csv.reader(io.StringIO(text)), [])
    name = "target" if re.fullmatch(r"\s*[-+]?\d+\s*", wanted) else wanted
    while name in names:
        name += "_"
    return name


def with_column(text: str, name: str, values: Any) -> str:
    """A CSV text with one more column."""
    rows, more = list(csv.reader(io.StringIO(text))), list(values)
    if len(more) != len(rows) - 1:
        raise InputError(f"{name}: {len(more)} rows, X has {len(rows) - 1}")
    lines = [",".join([*map(_cell, row), _cell(value)]) for row, value in zip(rows, [name, *more])]
    return "\n".join(lines) + "\n"
