# SPDX-License-Identifier: Apache-2.0
"""Certificates: proofs about a plain file, which arrays and other sources are first written to.

Certificate("c", X, y, weight, options, context) gives `data`, read back from the file that the proof will speak of: X itself
where it is a plain file, else c.csv (c.npy with c.labels.npy where there are several targets).
"""
import ctypes
import os

from . import _declarations as api
from . import _options as tables
from ._context import encode_path
from ._library import lib
from .data import Data, as_data


class Certificate:
    def __init__(self, path, X, y, sample_weight, options, context):
        self.path, self.context, self.options = os.fspath(path), context, dict(options)
        self.written = False
        self.source = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
        self.kept, names = api.fathom_certificate_data(), None
        if self.source is None or not self._plain():
            names = self._write(X, y, sample_weight)
        self.data = Data.open(self.source, context=context, **self.options)
        self.data.names = names

    def _chosen(self):
        return tables.DATA.make(self.context, self.options)

    def _plain(self):
        """Whether the file is one that the checker reads as it stands."""
        data = Data.open(self.source, context=self.context, **self.options)
        chosen = self._chosen()
        plain = lib.fathom_certificate_plain(data.handle, encode_path(self.source), ctypes.byref(chosen))
        self.context.check(lib.fathom_context_error(self.context.handle).contents.status)
        return plain

    def _write(self, X, y, sample_weight):
        """Writes the data as it is before all steps; returns the names of classes that were texts."""
        steps = ("normalize", "bias", "classes", "rows")
        reading = {k: v for k, v in self.options.items() if k not in steps}
        raw = as_data(X, y, sample_weight, context=self.context, **reading)
        view = raw.view
        self.options = {k: v for k, v in self.options.items() if k in steps}
        self.context.call(lib.fathom_certificate_keep_data, ctypes.byref(self.kept), raw.handle, encode_path(self.path))
        self.source = os.fsdecode(self.kept.path)
        if self.kept.labels:
            self.options["labels"] = os.fsdecode(self.kept.labels)
        if view.weight:
            self.options["weights"] = str(view.d)
        if not view.x:
            self.options["columns"] = view.d
        return raw.names

    def write(self, add, *arguments):
        """The file, with the claim that add(certificate, ...) puts into it."""
        chosen, handle = self._chosen(), ctypes.POINTER(api.fathom_certificate)()
        labels = self.options.get("labels")
        source = api.fathom_certificate_source(encode_path(self.source), labels and encode_path(labels),
                                               ctypes.pointer(chosen))
        self.context.call(lib.fathom_certificate_open, ctypes.byref(handle), self.context.handle,
                          encode_path(self.path), self.data.handle, ctypes.byref(source))
        try:
            self.context.call(add, handle, *arguments)
        except BaseException:
            lib.fathom_certificate_abort(handle)
            raise
        self.context.call(lib.fathom_certificate_close, handle)
        self.written = True

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        """The data that this call wrote goes where no certificate came to speak of it."""
        if not self.written:
            lib.fathom_certificate_drop_data(ctypes.byref(self.kept))
