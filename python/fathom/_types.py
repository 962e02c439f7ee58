# SPDX-License-Identifier: Apache-2.0
"""Names of types in signatures."""
import os
from typing import Any, Callable, Optional, Sequence, Union

from ._context import Progress
from .data import Data

Path = Union[str, "os.PathLike[str]"]
Array = Any  # what numpy.asarray makes an array of: lists, arrays, data frames
Table = Union[Data, Path, Array]
Value = Union[str, int, float, "os.PathLike[str]", Sequence[Any]]
Listener = Union[bool, Callable[[Progress], Optional[bool]]]
