// Chart kinds that draw geometry in the plane: functions, regions, arrangements, sets, trajectories, filters. Axes of equal
// units have `square`.
"use strict";

// Tables of a role: a name in the chart, or the member of that name; a model in a row stands under `model` or `network`.
const role = (chart, name, result) => (chart[name] === false ? undefined : result[chart[name] || name]);
const modelsOf = (chart, result) => {
  const value = role(chart, "model", result) || result.network || (result.format && result);
  return asList(value).map((row) => (row.format ? { model: row } : { ...row, model: row.model || row.network })).filter((row) => row.model);
};
const classOf = (y) => (y > 0 ? "positive" : "negative or 0");

// A network on the line, its kinks, and the examples. `color`: the column that tells several networks apart. `curve`: a
// table {x, value} instead of networks.
kinds.function = (chart, tables, look, result) => {
  const models = modelsOf(chart, result).filter(({ model }) => isDrawable(model, 1)), given = role(chart, "curve", result) || [];
  const points = (role(chart, "points", result) || []).map((p) => ({ x: p.x ?? p.x1, y: p.y })).filter((p) => p.x !== undefined);
  const all = [...points.map((p) => p.x), ...given.map((p) => p.x), ...models.flatMap(({ model }) => (points.length ? [] : kinksOf(model, [-1e6, 1e6]).map((k) => k.x)))];
  if (!models.length && !given.length) return null;
  const low = Math.min(...(all.length ? all : [-1])), high = Math.max(...(all.length ? all : [1])), edge = given.length ? 0 : 0.15 * (high - low) || 1;
  const range = [low - edge, high + edge], curve = [...given], kinks = [];
  for (const row of models) {
    const f = functionOf(row.model), name = chart.color ? { [chart.color]: row[chart.color] } : {}, at = kinksOf(row.model, range);
    const places = [...Array.from({ length: 301 }, (_, k) => range[0] + k / 300 * (range[1] - range[0])), ...at.map((k) => k.x)].sort((a, b) => a - b);
    curve.push(...places.map((x) => ({ x, value: f([x]), ...name })));
    kinks.push(...at.map((k) => ({ ...k, ...name })));
  }
  const x = axis(chart, "x", "x"), y = axis(chart, "y", "value", { title: chart.ytitle ?? "f(x)" });
  return { data: { values: curve }, layer: [
    { mark: { type: "line", strokeWidth: 2 }, encoding: { x, y, ...groups(chart, [], curve, look) } },
    { data: { values: kinks.length <= 100 ? kinks : [] }, mark: { type: "point", shape: "diamond", filled: false, size: 70, strokeWidth: 2 }, encoding: { x, y, ...groups(chart, [], curve, look),
      tooltip: [{ field: "x", title: "kink at", format: ".5g" }, { field: "value", format: ".5g" }, { field: "weight", title: "slope added", format: ".4g" }] } },
    { data: { values: points }, mark: { type: "circle", size: 45, color: look.ink, opacity: 0.75 }, encoding: { x, y: { ...y, field: "y" } } },
    ...rules(chart, look)] };
};

// The box of a picture: around the points, with equal units.
function boxOf(points, model) {
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  if (!points.length) return [-2, 2, -2, 2];
  const cx = (Math.min(...xs) + Math.max(...xs)) / 2, cy = (Math.min(...ys) + Math.max(...ys)) / 2;
  const r = 0.58 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys)) || 1;
  return [cx - r, cx + r, cy - r, cy + r];
}
const plane = (chart, box) => ({
  x: { field: "x", type: "quantitative", scale: { domain: [box[0], box[1]], nice: false, zero: false }, title: chart.xtitle ?? "x1" },
  y: { field: "y", type: "quantitative", scale: { domain: [box[2], box[3]], nice: false, zero: false }, title: chart.ytitle ?? "x2" } });
const picture = (url, box, look) => ({ data: { values: [{ url, x: (box[0] + box[1]) / 2, y: (box[2] + box[3]) / 2 }] },
  mark: { type: "image", width: look.width, height: look.height, aspect: false }, encoding: { url: { field: "url", type: "nominal" } } });
const segments = (values, mark, more) => ({ data: { values }, mark: { type: "rule", clip: true, ...mark },
  encoding: { x2: { field: "xx" }, y2: { field: "yy" }, ...more } });

// Regions of a network of two columns: shade by output, the line where the class changes, neurons, examples.
kinds.regions = (chart, tables, look, result) => {
  const row = modelsOf(chart, result).find(({ model }) => isDrawable(model, 2));
  if (!row) return null;
  const { model } = row, points = (role(chart, "points", result) || []).map((p) => ({ x: p.x1, y: p.x2, class: p.y }));
  const box = chart.box || boxOf(points.map((p) => [p.x, p.y])), outputs = model.outputs;
  const middle = model.loss === "squared" && model.class_values ? (model.class_values[0] + model.class_values[1]) / 2 : 0;
  const f = Array.from({ length: outputs }, (_, k) => functionOf(model, k)), at = (x) => f.map((g) => g(x));
  const wins = (v) => v.indexOf(Math.max(...v)), sizes = [];
  for (let k = 0; k < 400; k++) sizes.push(Math.abs(f[0]([box[0] + (k % 20) / 19 * (box[1] - box[0]), box[2] + Math.floor(k / 20) / 19 * (box[3] - box[2])]) - middle));
  const size = sizes.sort((a, b) => a - b)[340] || 1, shade = look.colors.map((c) => [1, 3, 5].map((k) => parseInt(c.slice(k, k + 2), 16)));
  const url = imageOf(box, 140, (x, y) => {
    const v = at([x, y]);
    if (outputs > 1) return [...shade[wins(v) % shade.length], 110];
    if (v[0] === middle) return null;
    return [...shade[v[0] > middle ? 0 : 1], 25 + 5 * Math.round(24 * Math.min(1, Math.abs(v[0] - middle) / size))];
  });
  const border = outputs > 1 ? [] : levelLines(f[0], box, middle, 60), neurons = neuronsOf(model), lines = [], rays = [];
  const through = neurons.every(({ b, g }) => !b && !g), most = Math.max(...neurons.map(({ u, w }) => Math.abs(w) * Math.hypot(...u)), 1e-300);
  for (const { u, b, w, v, g } of neurons.slice(0, 500)) {
    const part = Math.abs(w) * Math.hypot(...u) / most, sign = w > 0 ? "adds" : "subtracts", t = v || u, r = Math.hypot(...t);
    if (part < 1e-6 || !r) continue;
    const line = lineInBox(t, v ? g : b, box);
    if (line && !through) lines.push({ ...line, sign, part });
    const long = 0.45 * (box[1] - box[0]) * Math.sqrt(part);
    if (through) rays.push({ x: 0, y: 0, xx: t[0] / r * long, yy: t[1] / r * long, sign, part });
  }
  const two = { scale: { domain: ["adds", "subtracts"], range: [look.colors[0], look.colors[1]] }, legend: lines.length + rays.length && !v2(model) ? { ...legend, title: "neuron" } : null };
  const classes = [...new Set(points.map((p) => p.class))].sort((a, b) => b - a), few = classes.length <= 6;
  return { square: true, encoding: plane(chart, box), layer: [picture(url, box, look),
    segments(lines, { strokeDash: [3, 3], strokeWidth: 1.5 }, { color: { field: "sign", type: "nominal", title: "neuron", ...two }, opacity: { field: "part", type: "quantitative", scale: { domain: [0, 1], range: [0.35, 1] }, legend: null } }),
    segments(rays, { strokeWidth: 2.5 }, { color: { field: "sign", type: "nominal", title: "neuron", ...two } }),
    segments(border, { strokeWidth: 2.5, color: look.ink }),
    { data: { values: points }, mark: { type: "point", filled: true, size: 48, opacity: 1, stroke: look.paper, strokeWidth: 0.8 }, encoding: {
      fill: few ? { field: "class", type: "nominal", scale: { domain: classes, range: look.strong }, legend: { ...legend, title: "target" } }
        : { field: "class", type: "quantitative", legend: { ...legend, title: "target", gradientLength: Math.min(200, look.width / 3) } },
      ...(few ? { shape: { field: "class", type: "nominal", scale: { domain: classes, range: ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"] }, legend: { ...legend, title: "target" } } } : {}),
      tooltip: [{ field: "x" }, { field: "y" }, { field: "class", title: "target" }] } }] };
};
const v2 = (model) => model.kind === "gated";

// Colours of a measure between 0 and `most`, from the page to a strong tone.
const tint = (look, part) => [...[1, 3, 5].map((k) => parseInt(look.colors[0].slice(k, k + 2), 16)), Math.round(20 + 225 * part)];
const pattern = (points, u) => points.map((p) => (dot(p, u) > 0 ? 1 : 0)).join("");
const measures = (cells) => new Map((cells || []).map((c) => [c.pattern, c.measure]));

// Cones of an arrangement in the plane: directions u around the circle, cut where u.x_i = 0, shaded by Gaussian measure.
kinds.arrangement = (chart, tables, look, result) => {
  const rows = role(chart, "points", result) || [], points = rows.map((p) => [p.x1, p.x2]).filter((p) => Math.hypot(...p) > 0);
  if (!points.length || rows[0].x3 !== undefined || rows[0].x2 === undefined) return null;
  const known = measures(role(chart, "cells", result)), turn = 2 * Math.PI, cuts = new Set();
  for (const [a, b] of points) for (const s of [1, -1]) cuts.add(Number(((Math.atan2(-s * a, s * b) + turn) % turn).toPrecision(12)));
  const angle = [...cuts].sort((a, b) => a - b), radius = look.width / 2 / 1.35;
  const sectors = angle.map((from, k) => {
    const to = k + 1 < angle.length ? angle[k + 1] : angle[0] + turn, mid = (from + to) / 2, key = pattern(points, [Math.cos(mid), Math.sin(mid)]);
    const measure = known.get(key) ?? (to - from) / turn;
    return { from: turn / 4 - to, to: turn / 4 - from, measure, pattern: key, x: 1.17 * Math.cos(mid), y: 1.17 * Math.sin(mid), text: measure.toPrecision(3), wide: to - from > 0.16 };
  });
  const dots = rows.map((p) => ({ r: Math.hypot(p.x1, p.x2), ...p })).filter((p) => p.r > 0).map((p) => ({ x: p.x1 / p.r, y: p.x2 / p.r, class: p.y }));
  const box = [-1.35, 1.35, -1.35, 1.35], none = { axis: null };
  return { square: true, config: { view: { stroke: null } }, layer: [
    { data: { values: sectors }, mark: { type: "arc", outerRadius: radius, innerRadius: 0, stroke: look.soft, strokeWidth: 1 }, encoding: {
      theta: { field: "from", type: "quantitative", scale: null }, theta2: { field: "to" },
      color: { field: "measure", type: "quantitative", scale: { domainMin: 0, range: [look.paper, look.colors[0]], interpolate: "rgb" }, legend: { ...legend, title: "measure" } },
      tooltip: [{ field: "pattern", title: "active points" }, { field: "measure", format: ".6g" }] } },
    ...(sectors.length <= 40 ? [{ data: { values: sectors.filter((s) => s.wide) }, mark: { type: "text", fontSize: 11, color: look.ink }, encoding: { ...plane(chart, box), text: { field: "text", type: "nominal" } } }] : []),
    { data: { values: dots }, mark: { type: "point", filled: true, size: 60, opacity: 1 }, encoding: { x: { ...plane(chart, box).x, ...none }, y: { ...plane(chart, box).y, ...none },
      ...(dots[0].class === undefined || new Set(dots.map((p) => p.class)).size > 6 ? {} : { shape: { field: "class", type: "nominal", legend: { ...legend, title: "target" } } }), fill: { value: look.colors[1] } } }] };
};

// The same in three dimensions: the sphere of directions from both sides, great circles u.x_i = 0.
kinds.sphere = (chart, tables, look, result) => {
  const rows = role(chart, "points", result) || [], points = rows.map((p) => [p.x1, p.x2, p.x3]).filter((p) => Math.hypot(...p) > 0);
  if (!points.length || rows[0].x3 === undefined) return null;
  const known = measures(role(chart, "cells", result)), most = Math.max(...known.values(), 1e-9), box = [-1.1, 3.3, -1.1, 1.1];
  const place = (x, y) => (x < 1.1 ? [x, y, 1] : [2.2 - x, y, -1]), shift = (u) => (u[2] >= 0 ? u[0] : 2.2 - u[0]);
  const url = imageOf(box, 400, (x, y) => {
    const [a, b, side] = place(x, y), rest = 1 - a * a - b * b;
    return rest < 0 ? null : tint(look, (known.get(pattern(points, [a, b, side * Math.sqrt(rest)])) ?? 0) / most);
  });
  const circles = points.slice(0, 60).flatMap((p, id) => {
    const r = Math.hypot(...p), n = p.map((c) => c / r), t = Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const e = [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]], l = Math.hypot(...e), a = e.map((c) => c / l);
    const b = [n[1] * a[2] - n[2] * a[1], n[2] * a[0] - n[0] * a[2], n[0] * a[1] - n[1] * a[0]], at = (s) => a.map((c, k) => Math.cos(s) * c + Math.sin(s) * b[k]);
    return Array.from({ length: 120 }, (_, k) => [at(k * Math.PI / 60), at((k + 1) * Math.PI / 60)])
      .filter(([u, v]) => (u[2] >= 0) === (v[2] >= 0)).map(([u, v]) => ({ x: shift(u), y: u[1], xx: shift(v), yy: v[1], id }));
  });
  const dots = rows.map((p) => [p.x1, p.x2, p.x3].map((c) => c / Math.hypot(p.x1, p.x2, p.x3))).map((u, k) => ({ x: shift(u), y: u[1], example: k }));
  const names = [{ x: 0, y: 1.04, text: "front" }, { x: 2.2, y: 1.04, text: "back (mirrored)" }], flat = plane(chart, box);
  return { square: 0.5, config: { view: { stroke: null } }, encoding: { x: { ...flat.x, axis: null }, y: { ...flat.y, axis: null } }, layer: [picture(url, box, look),
    segments(circles, { color: look.soft, strokeWidth: 1 }), { data: { values: names }, mark: { type: "text", dy: -6, color: look.soft }, encoding: { text: { field: "text", type: "nominal" } } },
    { data: { values: dots }, mark: { type: "circle", size: 40, color: look.colors[1], opacity: 1 }, encoding: { tooltip: { field: "example" } } }] };
};

// Boundaries in the plane: pieces {kind: segment|arc|ray, from, to|direction, matrix}; an arc has z'Mz = 1.
function tracePieces(pieces, far) {
  return pieces.flatMap((p) => {
    if (p.kind === "segment") return [p.from, p.to];
    if (p.kind === "ray") return [p.from, [p.from[0] + far * p.direction[0], p.from[1] + far * p.direction[1]]];
    const [a, b, c] = p.matrix, start = Math.atan2(p.from[1], p.from[0]);
    let turn = Math.atan2(p.to[1], p.to[0]) - start;
    if (turn > Math.PI) turn -= 2 * Math.PI;
    if (turn < -Math.PI) turn += 2 * Math.PI;
    return Array.from({ length: 61 }, (_, k) => {
      const s = start + k / 60 * turn, x = Math.cos(s), y = Math.sin(s), r = 1 / Math.sqrt(a * x * x + 2 * b * x * y + c * y * y);
      return [r * x, r * y];
    });
  });
}

// Outlines of sets: those of `geometry --polar` (`sets`: which of rectified, hull, polar), or a table {x, y, set}.
kinds.sets = (chart, tables, look, result) => {
  const found = role(chart, "from", result) || tables[0], source = Array.isArray(found) && found[0] && found[0].sets ? found[0].sets : found;
  const names = { rectified: "rectified ellipsoid", hull: "convex hull", polar: "polar set" };
  let outline = [];
  if (Array.isArray(source)) outline = source.map((r, order) => ({ set: "set", ...r, order }));
  else
    for (const key of asList(chart.sets || ["rectified", "hull"])) {
      const ends = source[key].flatMap((p) => [p.from, ...(p.to ? [p.to] : [])]), far = 3 * Math.max(...ends.map((p) => Math.hypot(...p)), 1e-9);
      outline.push(...tracePieces(source[key], far).map(([x, y], order) => ({ x, y, set: names[key], order })));
    }
  const points = (role(chart, "points", result) || []).map((p) => ({ x: p.x ?? p.x1, y: p.y_axis ?? p.x2 ?? p.y, text: p.label }));
  const ends = Array.isArray(source) ? [] : asList(chart.sets).flatMap((key) => source[key].flatMap((p) => [p.from, p.to])).filter((p) => p), r = Math.max(...ends.map((p) => Math.hypot(...p)));
  const shown = chart.sets === "polar" ? [[r, r], [-r / 2, -r / 2]] : outline.map((p) => [p.x, p.y]); // it goes on without end
  const box = chart.box || boxOf([...shown, ...(chart.points ? points.map((p) => [p.x, p.y]) : [])]);
  const words = legendOf([...new Set(outline.map((p) => p.set))], look);
  return { square: true, encoding: plane(chart, box), layer: [
    { data: { values: outline }, mark: { type: "line", strokeWidth: 2.5, clip: true }, encoding: { order: { field: "order", type: "quantitative" },
      color: { field: "set", type: "nominal", sort: null, legend: words }, strokeDash: { field: "set", type: "nominal", sort: null, legend: words } } },
    ...(chart.points ? [{ data: { values: points }, mark: { type: "circle", size: 60, color: look.ink, opacity: 1, clip: true } }] : [])] };
};

// Sets of three rows A in space, as surfaces t(e) e over directions e of the first octant. `set`: `rectified`, {(Au)+ : |u| <= 1}, which is
// t = 1/|A^-1 e| inside the octant and longer on its faces and axes where A is not spike-free; `hull` with 0, and `polar`, t = 1/h(e), both
// from its support function h over the points that are drawn (an approximation from inside).

// The shortest u with A_on u = e_on and A_off u <= 0: the shortest of A_T u = e_T over sets T of rows that hold `on`, if the others are <= 0.
function shortest(a, e) {
  const on = [0, 1, 2].filter((k) => e[k] > 0), off = [0, 1, 2].filter((k) => !(e[k] > 0));
  let best = null;
  for (let pick = 0; pick < 1 << off.length; pick++) {
    const rows = [...on, ...off.filter((_, k) => pick >> k & 1)], gram = rows.map((i) => rows.map((j) => dot(a[i], a[j])));
    const c = solve(gram, rows.map((i) => e[i]));
    if (!c) continue;
    const u = [0, 1, 2].map((k) => rows.reduce((sum, i, at) => sum + c[at] * a[i][k], 0));
    if (off.every((i) => dot(a[i], u) <= 1e-9) && (!best || dot(u, u) < dot(best, best))) best = u;
  }
  return best;
}

// x of M x = b by elimination with pivots, or null where M is singular.
function solve(matrix, b) {
  const m = matrix.map((row, k) => [...row, b[k]]), n = m.length;
  for (let k = 0; k < n; k++) {
    const pivot = m.slice(k).reduce((best, row, i) => (Math.abs(row[k]) > Math.abs(m[best][k]) ? k + i : best), k);
    [m[k], m[pivot]] = [m[pivot], m[k]];
    if (Math.abs(m[k][k]) < 1e-12) return null;
    for (let i = 0; i < n; i++) if (i !== k) { const f = m[i][k] / m[k][k]; for (let j = k; j <= n; j++) m[i][j] -= f * m[k][j]; }
  }
  return m.map((row, k) => row[n] / row[k]);
}

// Directions (i, j, k)/N of the octant on lines along its three sides: lists of directions.
function octant(count) {
  const lines = [];
  for (let side = 0; side < 3; side++)
    for (let fixed = 0; fixed < count; fixed++)
      lines.push(Array.from({ length: count - fixed + 1 }, (_, k) => { const e = [0, 0, 0]; e[side] = fixed; e[(side + 1) % 3] = k; e[(side + 2) % 3] = count - fixed - k; return e.map((v) => v / count); }));
  return lines;
}

// min over v with <v, e> = 1 of the convex h(v), by steps along directions orthogonal to e that halve where none descends.
function within(h, e) {
  const side = e[0] < 0.9 * Math.hypot(...e) ? [1, 0, 0] : [0, 1, 0], norm = dot(e, e), flat = (v) => v.map((x, k) => x - dot(v, e) / norm * e[k]);
  const one = flat(side), two = [e[1] * one[2] - e[2] * one[1], e[2] * one[0] - e[0] * one[2], e[0] * one[1] - e[1] * one[0]];
  let v = e.map((x) => x / norm), best = h(v);
  for (let step = 1 / Math.sqrt(norm); step > 1e-4; step /= 2)
    for (let tries = 0, moved = true; moved && tries < 40; tries++) {
      moved = false;
      for (const d of [one, two]) for (const sign of [-1, 1]) {
        const next = v.map((x, k) => x + sign * step * d[k] / Math.hypot(...d)), value = h(next);
        if (value < best - 1e-12) { v = next; best = value; moved = true; }
      }
    }
  return best;
}

kinds.solid = (chart, tables, look) => {
  const a = tables[0].map((r) => [r.x1, r.x2, r.x3]);
  if (a.length !== 3 || a.some((row) => row.some((v) => !Number.isFinite(v)))) return null;
  const scaled = (e, t) => e.map((v) => v * t), inside = (e) => { const u = solve(a, e); return u ? 1 / Math.hypot(...u) : 0; };
  const whole = (e) => { const u = shortest(a, e); return u ? 1 / Math.hypot(...u) : 0; }, grid = octant(16);
  const cloud = [[0, 0, 0], ...grid.flat().map((e) => scaled(e, whole(e)))], h = (v) => Math.max(...cloud.map((p) => dot(p, v)));
  const reach = chart.set === "polar" ? (e) => 1 / h(e) : chart.set === "hull" ? (e) => within(h, e) : inside;
  const name = { rectified: "inside the octant", hull: "convex hull", polar: "polar set" }[chart.set];
  const lines = grid.map((line) => ({ set: name, line: line.map((e) => scaled(e, reach(e))) }));
  const edge = [0, 1, 2].map((side) => Array.from({ length: 41 }, (_, k) => { const e = [0, 0, 0]; e[(side + 1) % 3] = k / 40; e[(side + 2) % 3] = 1 - k / 40; return e; }));
  if (chart.set === "rectified")
    for (const line of edge) lines.push({ set: "on faces and axes", line: [[0, 0, 0], ...line.map((e) => scaled(e, whole(e))), [0, 0, 0]] });
  const long = 1.12 * Math.max(...lines.flatMap((l) => l.line.flat())), turn = 38 * Math.PI / 180, rise = 24 * Math.PI / 180;
  const see = ([x, y, z]) => ({ x: y * Math.cos(turn) - x * Math.sin(turn), y: z * Math.cos(rise) - Math.sin(rise) * (x * Math.cos(turn) + y * Math.sin(turn)) });
  const flat = lines.flatMap((l, id) => l.line.map((p, order) => ({ ...see(p), id, order, set: l.set })));
  const axes = [0, 1, 2].flatMap((k) => { const end = [0, 0, 0]; end[k] = long; return [{ ...see([0, 0, 0]), id: k, order: 0 }, { ...see(end), id: k, order: 1, text: `row ${k + 1}` }]; });
  const box = boxOf([...flat, ...axes].map((p) => [p.x, p.y])), words = [...new Set(flat.map((p) => p.set))], where = plane(chart, box);
  for (const k of ["x", "y"]) where[k] = { ...where[k], axis: null };
  return { square: true, encoding: where, layer: [
    { data: { values: axes }, mark: { type: "line", strokeWidth: 1.5, color: look.soft }, encoding: { detail: { field: "id" }, order: { field: "order", type: "quantitative" } } },
    { data: { values: axes.filter((p) => p.text) }, mark: { type: "text", color: look.ink, dy: -9, fontSize: 12 }, encoding: { text: { field: "text" } } },
    { data: { values: flat }, mark: { type: "line", strokeWidth: 1.4, opacity: 0.85 }, encoding: { detail: { field: "id" }, order: { field: "order", type: "quantitative" },
      color: { field: "set", type: "nominal", sort: null, scale: { domain: words, range: [look.colors[0], look.colors[1]].slice(0, words.length) }, legend: words.length > 1 ? legendOf(words, look) : null } } }] };
};

// Ways of neurons in the plane: rows {x, y, id} in order, or the log of `flow --trace` (lists x1, x2, a over the neurons); a
// ring where each starts, a disc where it ends.
kinds.trajectories = (chart, tables, look, result) => {
  const log = tables[0], list = chart.column || "trace";
  const rows = chart.x ? log.map((r, order) => ({ x: r[chart.x], y: r[chart.y], id: r[chart.id], group: chart.color ? r[chart.color] : "", order }))
    : log.flatMap((r, order) => (r[list] ? r[list].x1 : []).slice(0, 200).map((x, id) => ({ x, y: r[list].x2 ? r[list].x2[id] : r[list].a[id], id, group: r[list].a[id] > 0 ? "adds" : "subtracts", order })));
  if (!rows.length) return null;
  const unit = chart.directions ? (p) => { const r = Math.hypot(p.x, p.y) || 1; return { ...p, x: p.x / r, y: p.y / r }; } : (p) => p, way = rows.map(unit);
  const points = (role(chart, "points", result) || []).map((p) => ({ x: p.x1, y: p.x2, class: p.y })).filter((p) => p.y !== undefined);
  const box = chart.box || boxOf(way.concat(chart.fit === false ? [] : []).map((p) => [p.x, p.y])), first = new Map(), last = new Map();
  for (const p of way) { if (!first.has(p.id)) first.set(p.id, p); last.set(p.id, p); }
  const several = new Set(way.map((p) => p.group)).size > 1, color = several ? { color: { field: "group", type: "nominal", title: chart.color ? label(chart, chart.color) : "neuron", legend: { ...legend, title: chart.color ? label(chart, chart.color) : "neuron" } } } : {};
  return { square: true, encoding: plane(chart, box), layer: [
    ...(chart.points ? [{ data: { values: points }, mark: { type: "point", size: 40, clip: true, color: look.soft }, encoding: { shape: { field: "class", type: "nominal", legend: { ...legend, title: "target" } } } }] : []),
    { data: { values: way }, mark: { type: "line", strokeWidth: 1.3, opacity: 0.65, clip: true }, encoding: { detail: { field: "id" }, order: { field: "order", type: "quantitative" }, ...color } },
    { data: { values: [...first.values()] }, mark: { type: "point", size: 26, clip: true, filled: false }, encoding: color },
    { data: { values: [...last.values()] }, mark: { type: "circle", size: 46, clip: true, opacity: 1 }, encoding: color }] };
};

// Filters or patches as small images: `images` is a list of pixel lists (planes one after the other), each `height` x `width`.
kinds.images = (chart, tables, look, result) => {
  const model = modelsOf(chart, result).map((r) => r.model).find((m) => m.kind === "convex-rf"), column = chart.column || "pixels";
  const list = (model ? model.U : tables[0].map((r) => (Array.isArray(r) ? r : r[column]))).slice(0, chart.most || 64);
  const h = model ? model.patch : chart.height || Math.round(Math.sqrt(list[0].length / (chart.channels || 1))), channels = model ? model.channels : chart.channels || 1;
  const w = model ? model.patch : chart.width || list[0].length / channels / h, across = Math.ceil(Math.sqrt(list.length * 1.6)), down = Math.ceil(list.length / across);
  const canvas = document.createElement("canvas");
  canvas.width = across * (w + 1) - 1; canvas.height = down * (h + 1) - 1;
  const pen = canvas.getContext("2d");
  list.forEach((pixels, k) => {
    const low = Math.min(...pixels), range = Math.max(...pixels) - low || 1, image = pen.createImageData(w, h);
    for (let i = 0; i < h * w; i++) {
      const tone = (c) => 255 * (pixels[(channels === 3 ? c : 0) * h * w + i] - low) / range;
      image.data.set([tone(0), tone(1), tone(2), 255], 4 * i);
    }
    pen.putImageData(image, (k % across) * (w + 1), Math.floor(k / across) * (h + 1));
  });
  const big = document.createElement("canvas"), zoom = Math.max(1, Math.floor(640 / canvas.width));
  big.width = canvas.width * zoom; big.height = canvas.height * zoom;
  const brush = big.getContext("2d");
  brush.imageSmoothingEnabled = false;
  brush.drawImage(canvas, 0, 0, big.width, big.height);
  const box = [0, 1, 0, 1], flat = plane(chart, box);
  return { square: canvas.height / canvas.width, encoding: { x: { ...flat.x, axis: null }, y: { ...flat.y, axis: null } }, layer: [picture(big.toDataURL(), box, look)] };
};
