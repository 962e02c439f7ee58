# SPDX-License-Identifier: Apache-2.0
"""What the library gives, as Python values: numbers and texts of structs, arrays, models."""
from __future__ import annotations

import ctypes
import json
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from . import _declarations as api
from . import results
from ._context import encode_path
from ._library import lib
from .errors import UsageError
from .model import Model

if TYPE_CHECKING:
    from ._context import Context
    from ._types import Path
    from .data import Data

VERDICT = [False, True, None]  # -1, the last: undecided
END = ["reached", "stalled", "time", "interrupted"]


def plain(struct: Any, words: dict[str, Callable[[Any], Any]] | None = None, skip: Sequence[str] = ()) -> dict[str, Any]:
    """The fields of a result struct that are numbers or texts, by name; `words` turns enumerations into texts."""
    out: dict[str, Any] = {}
    for name, *_ in struct._fields_:
        value = getattr(struct, name)
        if name in skip:
            continue
        if words and name in words:
            value = words[name](value)
        if isinstance(value, bytes):
            value = value.decode(errors="replace")
        if isinstance(value, (bool, int, float, str)) or value is None:
            out[name] = value
        elif isinstance(value, ctypes.Structure):
            out[name] = plain(value)
        elif isinstance(value, ctypes.Array):
            out[name] = np.array(value)
    return out


def vector(pointer: Any, count: int) -> Any:
    return np.ctypeslib.as_array(pointer, (count,)).copy() if pointer and count else None


def read_json(context: Context, fill: Callable[[Any], None]) -> Any:
    """What `fill` sets in a JSON object, as Python values."""
    handle, text = ctypes.POINTER(api.fathom_json)(), ctypes.c_char_p()
    context.call(lib.fathom_json_create, ctypes.byref(handle), context.handle)
    try:
        fill(handle)
        context.call(lib.fathom_json_text, ctypes.byref(text), handle, False)
        try:
            return json.loads((text.value or b"").decode())
        finally:
            lib.fathom_json_text_free(handle, text)
    finally:
        lib.fathom_json_free(handle)


def make_model(context: Context, net: Any, loss: int, data: Data) -> Model:
    """A model that takes the network over."""
    model = ctypes.POINTER(api.fathom_model)()
    preprocess, classes = lib.fathom_data_preprocess(data.handle), lib.fathom_data_classes(data.handle)
    try:
        context.call(lib.fathom_model_create, ctypes.byref(model), context.handle, net, loss, ctypes.byref(preprocess),
                     ctypes.byref(classes))
    except BaseException:
        lib.fathom_net_free(net)
        raise
    return Model(model, context)


def take_model(result: Any, data: Data) -> Model | None:
    """The model of a training result, which loses its network to it; names of classes that were texts are kept."""
    handle = ctypes.POINTER(api.fathom_model)()
    context = data.context
    if not result.net:
        return None
    if data.names is None or result.kind == api.FATHOM_LOSS_SQUARED:
        context.call(lib.fathom_train_make_model, ctypes.byref(handle), context.handle, ctypes.byref(result), data.handle)
    else:
        count = len(data.names)
        names = (ctypes.c_char_p * count)(*(name.encode() for name in data.names))
        values = (ctypes.c_double * count)(*range(count))
        # Declared as `const char *const *`: ctypes wants the plain pointer type.
        classes = api.fathom_classes(count, ctypes.cast(names, ctypes.POINTER(ctypes.c_char_p)),
                                     ctypes.cast(values, ctypes.POINTER(ctypes.c_double)))
        preprocess = lib.fathom_data_preprocess(data.handle)
        context.call(lib.fathom_model_create, ctypes.byref(handle), context.handle, result.net, result.kind,
                     ctypes.byref(preprocess), ctypes.byref(classes))
        result.net = None
    return Model(handle, context)


def take_net(owner: Any) -> Any:
    """The network of a struct, which loses it; a member read from a struct is a view of it, so its address is copied."""
    net = ctypes.cast(ctypes.cast(owner.net, ctypes.c_void_p), ctypes.POINTER(api.fathom_net))
    owner.net = None
    return net


def train_words() -> dict[str, Callable[[Any], Any]]:
    return {"status": lambda v: lib.fathom_train_status_text(v).decode(),
            "bound": lambda v: lib.fathom_train_bound_text(v).decode(), "end": END.__getitem__,
            "kind": lambda v: lib.fathom_loss_name(v).decode()}


def train_result(result: Any, data: Data, **more: Any) -> results.TrainResult:
    values = plain(result, train_words(), skip=("net",)) | more
    values["model"] = take_model(result, data)
    return results.TrainResult(values, data.context.course)


def dual_point(result: Any, data: Data, chosen: Any) -> dict[str, Any]:
    """The dual point of a training result, also written to the file that save_dual names, and the table of its conditions."""
    context, summary = data.context, api.fathom_train_kkt()
    n, outputs = ctypes.c_int64(), ctypes.c_int64()
    lib.fathom_proof_shape(ctypes.byref(n), ctypes.byref(outputs), result.proof)
    v = np.empty((n.value, outputs.value))
    asked = context.handle, ctypes.byref(result)
    context.call(lib.fathom_train_get_dual, v.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), *asked, ctypes.byref(chosen))
    context.call(lib.fathom_train_write_dual, ctypes.byref(result), context.handle, ctypes.byref(chosen), chosen.save_dual)
    kkt = read_json(context, lambda object: context.call(lib.fathom_train_set_kkt, ctypes.byref(summary), object, *asked,
                                                     data.handle, ctypes.byref(chosen)))
    return {"dual": v[:, 0] if outputs.value == 1 else v, "kkt": kkt}


def line_facts(result: Any, data: Data, chosen: Any) -> dict[str, Any]:
    """What the line adds: all minimisers (interpolation, squared loss, hinge), sign changes, kinks and support points of classifiers."""
    context, more = data.context, {}
    if chosen.loss in (api.FATHOM_TRAIN_LOGISTIC, api.FATHOM_TRAIN_HINGE):
        facts = api.fathom_line_classifier()
        more = {"classifier": read_json(context, lambda object: context.call(
            lib.fathom_line_classifier_set, ctypes.byref(facts), object, context.handle, result.net, data.handle, result.kind))}
    if result.kind not in (api.FATHOM_LOSS_SQUARED, api.FATHOM_LOSS_HINGE):
        return more
    found = api.fathom_minimisers()
    if chosen.loss == api.FATHOM_TRAIN_EQUALITY:
        context.call(lib.fathom_minimisers_compute, ctypes.byref(found), context.handle, data.handle, 1000)
    elif lib.fathom_data_look(data.handle).n <= 200:
        context.call(lib.fathom_minimisers_compute_at, ctypes.byref(found), context.handle, data.handle, ctypes.byref(chosen),
                     result.beta, 1000)
    try:
        if not (found.applies and found.exists):
            return more
        outputs = {"values": vector(found.values, 3 * found.places).reshape(-1, 3)} if found.places else {}
        if found.places and not found.fixed:
            return more | {"minimisers": outputs | {"unique": False}}
        values = plain(found, skip=("applies", "exists", "free", "free_kept", "free_count", "places", "fixed", "values")) | outputs
        free = vector(found.free, 4 * found.free_kept)
        return more | {"minimisers": values | {"free_intervals": found.free_count,
                                        "free": np.empty((0, 4)) if free is None else free.reshape(-1, 4)}}
    finally:
        lib.fathom_minimisers_clear(ctypes.byref(found), context.handle)


def held_out(result: Any) -> dict[str, Any]:
    """Of a path under cross-validation: the fold of every row, and what the networks without it say of the row at every penalty."""
    if not result.held_out or result.best < 0:
        return {"fold": None, "held_out": None}
    outputs = vector(result.held_out, result.count * result.rows * result.outputs)
    return {"fold": vector(result.fold, result.rows), "held_out": outputs.reshape(result.count, result.rows, result.outputs)}


def margin_values(view: Any) -> dict[str, Any]:
    values = plain(view, {"kind": ["ntk", "ntk-full", "global", "linear"].__getitem__})
    values["value"] = (view.lower + view.upper) / 2
    values["q"], values["margins"] = vector(view.q, view.n), vector(view.margin, view.n)
    values.pop("margin", None)
    return values


def separator_model(handle: Any, data: Data, path: Path) -> Model | None:
    """The network of the lower bound as a model, written to a file; None where the margin is 0."""
    net = ctypes.POINTER(api.fathom_net)()
    try:
        data.context.call(lib.fathom_margin_separator, ctypes.byref(net), handle)
    except UsageError:
        return None
    model = make_model(data.context, net, api.FATHOM_LOSS_LOGISTIC, data)
    model.save(path)
    return model


def convex_model(data: Data, path: Path) -> Model:
    """A gated network that classifies, as a model, written to a file."""
    net = ctypes.POINTER(api.fathom_net)()
    data.context.call(lib.fathom_margin_convex, ctypes.byref(net), data.context.handle, data.handle)
    model = make_model(data.context, net, api.FATHOM_LOSS_LOGISTIC, data)
    model.save(path)
    return model


def experiment_rows(handle: Any, data: Data, trials: int) -> list[dict[str, Any]]:
    """The rows of Theorem 7.2's table."""
    rows, row = [], api.fathom_margin_experiment_row()
    for kappa in (1 / 64, 1 / 16, 1 / 4, 1, 2, 4):
        data.context.call(lib.fathom_margin_experiment, ctypes.byref(row), handle, data.handle, kappa, int(trials))
        if row.trials == 0:
            break
        rows.append(plain(row))
    return rows


def read_gates(data: Data, gates: Path, gates_as: str, count: Any = None) -> Any:
    """The gates of an NPY file, to be freed; their number in the file goes to `count`."""
    context = data.context
    forms = [lib.fathom_gates_form_name(form).decode() for form in range(api.FATHOM_GATES_ROWS + 1)]
    if gates_as not in forms:
        raise UsageError(f"gates_as: expected one of {', '.join(forms)}, got {gates_as!r}")
    form, read = ctypes.c_int(forms.index(gates_as)), ctypes.POINTER(api.fathom_gates)()
    context.call(lib.fathom_gates_read_as, ctypes.byref(read), count, ctypes.byref(form), context.handle, data.handle,
                 encode_path(gates), None)
    return read


def create_kernel(chosen: Any, data: Data, gates: Path | None, gates_as: str) -> Any:
    context, handle = data.context, ctypes.POINTER(api.fathom_kernel)()
    if gates is None:
        context.call(lib.fathom_kernel_create, ctypes.byref(handle), context.handle, data.handle, ctypes.byref(chosen))
        return handle
    if chosen.layers == 1 or chosen.width > 0:
        raise UsageError("gates goes with neither width nor layers='both'")
    read = read_gates(data, gates, gates_as)
    try:
        context.call(lib.fathom_kernel_create_gates, ctypes.byref(handle), context.handle, data.handle, read, chosen.factor)
    finally:
        lib.fathom_gates_free(read)
    return handle


def fit_kernel(handle: Any, data: Data, ridge: float, values: dict[str, Any]) -> Model:
    context, net, fit = data.context, ctypes.POINTER(api.fathom_net)(), api.fathom_regression()
    context.call(lib.fathom_kernel_fit, ctypes.byref(net), ctypes.byref(fit), handle, data.handle, float(ridge))
    values.update(plain(fit))
    return make_model(context, net, api.FATHOM_LOSS_SQUARED, data)


def null_vector(chosen: Any, data: Data, n: int, gates: Path | None, gates_as: str) -> dict[str, Any]:
    """Whether the kernel of infinite width, or of given gates, is singular, exactly, and a null vector in integers."""
    if chosen.width > 0:
        return {}
    context, nullity, vector, text = data.context, ctypes.c_int64(), np.empty(n), ctypes.c_char_p()
    at = vector.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    found = ctypes.byref(nullity), at, ctypes.byref(text), context.handle, data.handle
    if gates is None:
        context.call(lib.fathom_kernel_null_vector, *found)
    else:
        read = read_gates(data, gates, gates_as)
        try:
            context.call(lib.fathom_kernel_null_vector_gates, *found, read)
        finally:
            lib.fathom_gates_free(read)
    if nullity.value < 0:
        return {}
    exact = [int(word) for word in text.value.split()] if text.value else None
    lib.fathom_context_release(context.handle, ctypes.cast(text, ctypes.c_void_p))
    return {"nullity": nullity.value, "null_vector": exact}


def measure_cones(data: Data, chosen: Any, how: Any, path: Path | None) -> dict[str, Any]:
    """Patterns and measures of all cones, of the decimals unless the data is to be read as doubles."""
    context = data.context
    decimals, gates = ctypes.POINTER(api.fathom_data)(), ctypes.POINTER(api.fathom_gates)()
    handle = ctypes.POINTER(api.fathom_measure)()
    enumerate_gates = lib.fathom_gates_enumerate_faces if chosen.faces else lib.fathom_gates_enumerate
    try:
        if not chosen.as_doubles:
            context.call(lib.fathom_data_decimals, ctypes.byref(decimals), data.handle)
        rows = decimals if decimals else data.handle
        context.call(enumerate_gates, ctypes.byref(gates), context.handle, rows)
        context.call(lib.fathom_gates_measure, ctypes.byref(handle), gates, context.handle, rows, ctypes.byref(how))
        if path is not None:
            context.call(lib.fathom_measure_write, handle, gates, encode_path(path))
        view, of = lib.fathom_measure_look(handle), lib.fathom_gates_look(gates)
        words = np.ctypeslib.as_array(of.bits, (of.m, of.words)).astype("<u8").view(np.uint8)
        return {"patterns": np.unpackbits(words, axis=1, bitorder="little")[:, :of.n].astype(bool),
                "measures": vector(view.value, view.m), "measures_lower": vector(view.lower, view.m),
                "measures_upper": vector(view.upper, view.m), "measure_method": view.method.decode(),
                "measure_exact": view.exact, "measure_sum": view.sum, "measure_confidence": view.confidence,
                "antipodal_difference": view.antipodal_difference, "kernel_difference": view.kernel_difference}
    finally:
        lib.fathom_measure_free(handle)
        lib.fathom_gates_free(gates)
        lib.fathom_data_free(decimals)


def flow_values(result: Any, data: Data) -> dict[str, Any]:
    values = {"status": lib.fathom_flow_status_text(result.status).decode(), "reason": result.reason.decode(),
              "method": result.method.decode(), "events": result.events, "nonunique": result.nonunique,
              "limit": plain(result.limit), "ending": plain(result.ending, skip=("net", "escape", "dual")),
              **plain(result.end)}
    if result.ending.net:
        values["ending"]["dual"] = vector(result.ending.dual, data.view.n)
        values["ending"]["model"] = make_model(data.context, take_net(result.ending), result.loss, data)
    values["model"] = make_model(data.context, take_net(result), result.loss, data) if result.net else None
    return values
