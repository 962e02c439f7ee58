// Networks as in model files, evaluated for pictures. Coordinates are those that the network sees (after
// normalisation); the constant column of "augment" is added here.
"use strict";

// sigma of "relu", "leaky:ALPHA", "huber:H".
function activationOf(text) {
  const [name, parameter] = (text || "relu").split(":"), p = Number(parameter);
  return name === "leaky" ? (z) => Math.max(z, p * z)
    : name === "huber" ? (z) => (z <= 0 ? 0 : z <= p ? z * z / (2 * p) : z - p / 2) : (z) => Math.max(z, 0);
}

// Raw columns of a model: those of its picture.
const columnsOf = (model) => model.d - (model.preprocess && model.preprocess.bias === "augment" ? 1 : 0);

// Neuron j for output k as {u, b, w, v, g}: c_k + sum_j w_j sigma(u_j.x + b_j), the constant column counted into b; a gated
// one is w_j 1[v_j.x + g_j > 0] (u_j.x + b_j).
function neuronsOf(model, k = 0) {
  const d = columnsOf(model), constant = (row) => (d < model.d ? row[d] : 0), s = model.scale ?? 1;
  return Array.from({ length: model.m }, (_, j) => {
    const w = s * (model.rho ? model.rho[j] : 1);
    if (model.kind === "gated") {
      const row = Array.isArray(model.W[j][0]) ? model.W[j][k] : model.W[j], v = model.V[j];
      return { u: row.slice(0, d), b: constant(row), w, v: v.slice(0, d), g: constant(v) };
    }
    const factor = model.kind === "scalar" ? model.b[j] : 1, row = model.U[j].map((a) => factor * a);
    return { u: row.slice(0, d), b: constant(row) + (model.b && model.kind !== "scalar" ? model.b[j] : 0), w: w * model.W[j][k] };
  });
}

const dot = (u, x) => u.reduce((sum, a, k) => sum + a * x[k], 0);

// Output k as a function of the raw columns.
function functionOf(model, k = 0) {
  const neurons = neuronsOf(model, k), act = activationOf(model.activation), c = model.c ? model.c[k] : 0;
  return (x) => neurons.reduce((f, { u, b, w, v, g }) => {
    const z = dot(u, x) + b;
    return f + w * (v ? (dot(v, x) + g > 0 ? z : 0) : act(z));
  }, c);
}

// Whether a picture of it can be drawn from its neurons.
const isDrawable = (model, d) => model && columnsOf(model) === d && ["relu", "leaky", "huber", "gated", "scalar"].includes(model.kind);

// Places on the line where the slope changes, with the function's value there.
function kinksOf(model, [low, high]) {
  const f = functionOf(model), found = [];
  for (const { u, b, w, v, g } of neuronsOf(model)) {
    const x = v ? -g / v[0] : -b / u[0];
    if (w !== 0 && Number.isFinite(x) && x >= low && x <= high) found.push({ x, value: f([x]), weight: w * u[0] });
  }
  return found.sort((a, b) => a.x - b.x);
}

// Lines f = level of a function on a grid, as segments (marching squares).
function levelLines(f, box, level, cells) {
  const [x0, x1, y0, y1] = box, dx = (x1 - x0) / cells, dy = (y1 - y0) / cells, lines = [];
  const value = (i, j) => f([x0 + i * dx, y0 + j * dy]) - level;
  let below = Array.from({ length: cells + 1 }, (_, i) => value(i, 0));
  for (let j = 0; j < cells; j++) {
    const above = Array.from({ length: cells + 1 }, (_, i) => value(i, j + 1));
    for (let i = 0; i < cells; i++) {
      const corner = [[0, 0, below[i]], [1, 0, below[i + 1]], [1, 1, above[i + 1]], [0, 1, above[i]]], cut = [];
      for (let k = 0; k < 4; k++) {
        const [ax, ay, a] = corner[k], [bx, by, b] = corner[(k + 1) % 4];
        if ((a < 0) !== (b < 0)) {
          const at = (t) => [x0 + (i + ax + t * (bx - ax)) * dx, y0 + (j + ay + t * (by - ay)) * dy];
          let low = 0, high = 1;
          for (let step = 0; step < 10; step++) {
            const t = (low + high) / 2;
            if ((f(at(t)) < level) === (a < 0)) low = t; else high = t;
          }
          cut.push(at((low + high) / 2));
        }
      }
      for (let k = 0; k + 1 < cut.length; k += 2)
        lines.push({ x: cut[k][0], y: cut[k][1], xx: cut[k + 1][0], yy: cut[k + 1][1] });
    }
    below = above;
  }
  return lines;
}

// The part of the line u.x + b = 0 inside a box, or null.
function lineInBox(u, b, [x0, x1, y0, y1]) {
  const ends = [];
  for (const x of [x0, x1]) { const y = -(b + u[0] * x) / u[1]; if (y >= y0 && y <= y1) ends.push([x, y]); }
  for (const y of [y0, y1]) { const x = -(b + u[1] * y) / u[0]; if (x > x0 && x < x1) ends.push([x, y]); }
  return ends.length < 2 ? null : { x: ends[0][0], y: ends[0][1], xx: ends[1][0], yy: ends[1][1] };
}

// An image of cells x cells points as a data address; color(x, y) gives [r, g, b, a] or null.
function imageOf(box, cells, color) {
  const [x0, x1, y0, y1] = box, canvas = document.createElement("canvas");
  canvas.width = canvas.height = cells;
  const pen = canvas.getContext("2d"), image = pen.createImageData(cells, cells);
  for (let j = 0; j < cells; j++)
    for (let i = 0; i < cells; i++) {
      const c = color(x0 + (i + 0.5) / cells * (x1 - x0), y1 - (j + 0.5) / cells * (y1 - y0));
      if (c) image.data.set(c, 4 * (j * cells + i));
    }
  pen.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
