# SPDX-License-Identifier: Apache-2.0
"""An ONNX file read from its bytes and run with NumPy: as much of the format as exported models use.

Written from the format's description, not from the exporter, so that the two check each other where no runtime is
installed."""
import numpy as np

NUMBERS = {1: np.float32, 7: np.int64, 11: np.float64}
KINDS = {8: object, **NUMBERS}


def fields(data):
    """The fields of a message: (number, value), a value being an integer or bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            size = varint()
            if at + size > len(data):
                raise ValueError("a field is longer than its message")
            yield key >> 3, data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {key & 7}")


def many(message, number):
    return [value for key, value in fields(message) if key == number]


def one(message, number):
    (value,) = many(message, number)
    return value


def tensor(message):
    shape = [v if v < 2 ** 63 else v - 2 ** 64 for v in many(message, 1)]
    if one(message, 2) == 8:
        return one(message, 8).decode(), np.array([text.decode() for text in many(message, 6)]).reshape(shape)
    return one(message, 8).decode(), np.frombuffer(one(message, 9), NUMBERS[one(message, 2)]).reshape(shape)


def gemm(a, b, c, transB=0):
    return a @ (b.T if transB else b) + c


def label_encoder(a, keys_strings, values_int64s, default_int64):
    codes = {key.decode(): value for key, value in zip(keys_strings, values_int64s)}
    return np.vectorize(lambda text: codes.get(text, default_int64), otypes=[np.int64])(a)


OPERATORS = {
    "IsNaN": np.isnan, "Where": np.where, "Floor": np.floor, "LabelEncoder": label_encoder,
    "Sub": np.subtract, "Div": np.divide, "Mul": np.multiply, "Add": np.add, "Max": np.maximum, "Min": np.minimum,
    "Sqrt": np.sqrt, "Equal": np.equal, "Greater": np.greater, "Gemm": gemm,
    "Relu": lambda a: np.maximum(a, 0),
    "Cast": lambda a, to: a.astype(NUMBERS[to]),
    "ArgMax": lambda a, axis: a.argmax(axis)[:, None],
    "Gather": lambda a, place: a[place],
    "Neg": np.negative, "Sigmoid": lambda a: 1 / (1 + np.exp(-a)),
    "Softmax": lambda a: np.exp(a - a.max(axis=-1, keepdims=True)) / np.exp(a - a.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True),
    "Concat": lambda *parts, axis: np.concatenate(parts, axis),
    "Reshape": lambda a, shape: a.reshape(shape),
    "ReduceSum": lambda a, axes, keepdims: a.sum(axis=tuple(axes), keepdims=bool(keepdims)),
}


def attribute(message):
    """An integer, or a list of integers or bytes, by its kind."""
    kind = one(message, 20)
    signed = lambda v: v if v < 2 ** 63 else v - 2 ** 64
    return signed(one(message, 3)) if kind == 2 else [signed(v) for v in many(message, 8)] if kind == 7 else many(message, 9)


def run(path, x):
    """Outputs of the graph in the file for x, or for a dictionary of its inputs by name, and the metadata."""
    model = open(path, "rb").read()
    graph = one(model, 7)
    values = dict(tensor(t) for t in many(graph, 5))
    for value in many(graph, 11):
        name, kind = one(value, 1).decode(), one(one(one(value, 2), 1), 1)
        values[name] = np.asarray(x[name] if isinstance(x, dict) else x, KINDS[kind])
    for node in many(graph, 1):
        attributes = {one(a, 1).decode(): attribute(a) for a in many(node, 5)}
        inputs = [values[i.decode()] for i in many(node, 1)]
        values[one(node, 2).decode()] = OPERATORS[one(node, 4).decode()](*inputs, **attributes)
    meta = {one(m, 1).decode(): one(m, 2).decode() for m in many(model, 14)}
    return {name: values[name] for name in (one(value, 1).decode() for value in many(graph, 12))}, meta
