# SPDX-License-Identifier: Apache-2.0
"""The commands as functions: train, path, margin, kernel, cones, geometry, flow, check.

X is an array, a Data object, or a text such as "data.csv" or "gen:circle,n=8"; options are those of the command line
with underscores. `seed`, `threads`, `time_limit` (seconds), `memory` (GB) and `progress` (a function of a Progress record that may
return False to stop, or True for a bar by tqdm) are common to all.
"""
from . import _options as tables
from ._arrangement import cone, cones, geometry
from ._dynamics import check, flow
from ._margins import kernel, margin
from ._programs import convert, doctor, gen, info, report, reproduce, sources, theorems, verify
from ._signatures import complete
from ._training import fit, path, train

__all__ = ["train", "fit", "path", "margin", "kernel", "cones", "cone", "geometry", "flow", "check", "info", "doctor", "report", "theorems",
           "sources", "convert", "gen", "reproduce", "verify"]

complete(train, tables.TRAIN, tables.DATA)
complete(fit, tables.FIT, tables.DATA)
complete(path, tables.TRAIN, tables.PATH, tables.DATA)
complete(margin, tables.MARGIN, tables.DATA)
complete(kernel, tables.KERNEL, tables.DATA)
complete(cones, tables.CONES, tables.MEASURE, tables.DATA)
complete(cone, tables.CONES, tables.DATA)
complete(geometry, tables.GEOMETRY, tables.DATA)
complete(flow, tables.FLOW, tables.DATA)
complete(check, tables.CHECK, tables.DATA)
