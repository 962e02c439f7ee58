// Chart kinds: each turns a chart {kind, needs, ...} and the result's tables into a Vega-Lite specification. The vocabulary
// is described in docs/howto/reproduce.md. `look` holds the colours of the page (light or dark) and the size of the panel.
"use strict";

const asList = (x) => (x === undefined || x === null ? [] : Array.isArray(x) ? x : [x]);
const plain = (name) => String(name).replace(/_/g, " ");
const label = (chart, column) => (chart.names && chart.names[column]) || plain(column);
const scale = (type) => (type === "log" ? { type, nice: false } : { type: type || "linear", zero: false });
const axis = (chart, which, field, more) => ({ field, type: "quantitative", scale: scale(chart[`${which}scale`]),
  title: chart[`${which}title`] ?? label(chart, field), axis: { labelOverlap: "greedy" }, ...more });
const legend = { orient: "top", direction: "horizontal", columns: 2, labelLimit: 400, title: null, symbolLimit: 12 };

// Columns y1, y2 ... below each other: {quantity, amount}.
function fold(chart, columns) {
  const names = JSON.stringify(Object.fromEntries(columns.map((c) => [c, label(chart, c)])));
  return [{ fold: columns, as: ["key", "amount"] }, { filter: "isValid(datum.amount) && isFinite(datum.amount)" },
    { calculate: `(${names})[datum.key]`, as: "quantity" }];
}

// Lines at fixed places: [{"y": 1, "label": "1"}, {"x": 0.5}].
const rules = (chart, look) => asList(chart.rules).map((r) => ({
  data: { values: [r] }, layer: [
    { mark: { type: "rule", strokeDash: [5, 4], color: look.soft }, encoding: { [r.x === undefined ? "y" : "x"]: { datum: r.x ?? r.y } } },
    ...(r.label ? [{ mark: { type: "text", align: "left", dx: 4, dy: -6, color: look.soft, text: r.label },
      encoding: r.x === undefined ? { y: { datum: r.y }, x: { value: 0 } } : { x: { datum: r.x }, y: { value: 12 } } }] : [])] }));

// A legend of these words, in as many columns as there is room for.
const legendOf = (words, look, title = null) => ({ ...legend, title,
  columns: Math.max(1, Math.floor(look.room / (8 * Math.max(4, ...words.map((w) => String(w).length)) + 36))) });

// What lines, points and bars share: colour by a column, or by the folded quantity.
function groups(chart, columns, rows, look) {
  if (chart.color) {
    const values = [...new Set(rows.map((r) => r[chart.color]))], title = label(chart, chart.color);
    return { color: { field: chart.color, type: "nominal", title, sort: null, legend: legendOf(values, look, title) } };
  }
  return columns.length < 2 ? {} : { color: { field: "quantity", type: "nominal", sort: null, title: null, legend: legendOf(columns.map((c) => label(chart, c)), look) } };
}

const tooltips = (chart, rows) => Object.keys(rows[0] || {}).filter((k) => typeof rows[0][k] !== "object").slice(0, 10)
  .map((field) => ({ field, title: plain(field), ...(typeof rows[0][field] === "number" ? { format: ".6g" } : {}) }));

const kinds = {};

// Points that no line joins.
const loners = (chart, alone, shared, value, rows) => [
  ...(chart.low ? [{ transform: [{ filter: alone }], mark: { type: "rule", strokeWidth: 2, opacity: 0.5 },
    encoding: { ...shared, y: axis(chart, "y", chart.low, { title: value.title }), y2: { field: chart.high } } }] : []),
  { transform: [{ filter: alone }], mark: { type: "point", filled: true, size: 50, opacity: 1 }, encoding: { ...shared, y: value, tooltip: tooltips(chart, rows) } }];

// Lines over x: one or several columns y, or one per value of `color`. `low`, `high`: a band. `average`: mean and standard
// deviation of rows with the same x. `order`: the column along which points are joined. `alone`: a column; where it is true points stand
// alone, with a rule from `low` to `high` in place of the band. `mark`: a column; rings where it is true (`markSize`).
kinds.lines = (chart, tables, look) => {
  const columns = asList(chart.y), rows = tables[0], several = columns.length > 1, y = several ? "amount" : columns[0];
  const shared = { x: axis(chart, "x", chart.x, { type: chart.xtype || "quantitative" }), ...groups(chart, columns, rows, look) };
  const value = axis(chart, "y", y, { title: chart.ytitle ?? (several ? null : label(chart, y)) });
  const reaches = (test) => rows.some((r) => columns.some((c) => typeof r[c] === "number" && test(r[c])));
  if (chart.ymin !== undefined && reaches((v) => v > chart.ymin) && reaches((v) => v < chart.ymin)) value.scale = { ...value.scale, domainMin: chart.ymin };
  if (several && chart.color) shared.strokeDash = { field: "quantity", type: "nominal", sort: null, title: null, legend: legendOf(columns.map((c) => label(chart, c)), look) };
  const mean = chart.average ? { aggregate: "mean" } : {};
  const layer = [], alone = chart.alone && `datum[${JSON.stringify(chart.alone)}]`, joined = alone ? { transform: [{ filter: `!${alone}` }] } : {};
  if (chart.low) layer.push({ ...joined, mark: { type: "area", opacity: 0.2 }, encoding: { ...shared, y: axis(chart, "y", chart.low, { title: value.title }), y2: { field: chart.high } } });
  if (chart.average) layer.push({ mark: { type: "errorband", extent: "stdev", opacity: 0.2 }, encoding: { ...shared, y: value } });
  layer.push({ ...joined, mark: { type: "line", point: chart.points ?? rows.length <= 60, interpolate: chart.interpolate || "linear", clip: true },
    encoding: { ...shared, y: { ...value, ...mean }, ...(chart.order ? { order: { field: chart.order } } : {}),
      ...(chart.average ? {} : { tooltip: tooltips(chart, rows) }) } });
  if (alone) layer.push(...loners(chart, alone, shared, value, rows));
  if (chart.mark) layer.push({ transform: [{ filter: `datum[${JSON.stringify(chart.mark)}]` }], mark: { type: "point", size: chart.markSize ?? 220, strokeWidth: chart.markSize ? 1.5 : 3, color: look.ink },
    encoding: { x: shared.x, y: value } });
  const finite = ["x"].map((k) => `isValid(datum[${JSON.stringify(chart[k])}])`).join(" && ");
  return { transform: [...(several ? fold(chart, columns) : [{ filter: `isValid(datum[${JSON.stringify(y)}])` }]),
    { filter: finite }, ...(chart.yscale === "log" ? [{ filter: `datum[${JSON.stringify(y)}] > 0` }] : []),
    ...(chart.xscale === "log" ? [{ filter: `datum[${JSON.stringify(chart.x)}] > 0` }] : [])], layer: [...layer, ...rules(chart, look)] };
};

// The same as points; `size` and `shape` are columns, `diagonal` draws y = x.
kinds.points = (chart, tables, look) => {
  const columns = asList(chart.y), rows = tables[0], several = columns.length > 1, y = several ? "amount" : columns[0];
  const positive = (on, field) => (on === "log" ? [{ filter: `datum[${JSON.stringify(field)}] > 0` }] : []);
  const all = rows.flatMap((r) => [r[chart.x], ...columns.map((c) => r[c])]).filter((v) => Number.isFinite(v) && (chart.yscale !== "log" || v > 0));
  const ends = [Math.min(...all), Math.max(...all)];
  return { layer: [
    ...(chart.diagonal ? [{ data: { values: ends.map((v) => ({ v })) }, mark: { type: "line", strokeDash: [5, 4], color: look.soft },
      encoding: { x: { field: "v", type: "quantitative" }, y: { field: "v", type: "quantitative" } } }] : []),
    { transform: [...(several ? fold(chart, columns) : []), ...positive(chart.xscale, chart.x), ...positive(chart.yscale, y)],
      mark: { type: "point", filled: true, size: 50, opacity: 0.8 }, encoding: { x: axis(chart, "x", chart.x, { type: chart.xtype || "quantitative" }),
        y: axis(chart, "y", y, { title: chart.ytitle ?? (several ? null : label(chart, y)) }), ...groups(chart, columns, rows, look),
        ...(chart.size ? { size: { field: chart.size, type: "quantitative" } } : {}),
        ...(chart.shape ? { shape: { field: chart.shape, type: "nominal", legend } } : {}), tooltip: tooltips(chart, rows) } },
    ...rules(chart, look)] };
};

// Bars over the values of x, side by side for several columns y or values of `color`; `error`: a column of half-widths, or
// [low, high].
kinds.bars = (chart, tables, look) => {
  const columns = asList(chart.y), rows = tables[0], several = columns.length > 1, y = several ? "amount" : columns[0];
  const by = chart.color || (several ? "quantity" : null), x = { field: chart.x, type: "ordinal", sort: chart.sort ?? null,
    title: chart.xtitle ?? label(chart, chart.x), axis: { labelAngle: chart.labelAngle ?? 0, labelOverlap: true, labelLimit: 120 } };
  const shared = { x, ...(by ? { xOffset: { field: by, type: "nominal", sort: null } } : {}) };
  const quote = (c) => `datum[${JSON.stringify(c)}]`, error = asList(chart.error);
  const spread = error.length === 2 ? error.map(quote) : error.length === 1 ? ["-", "+"].map((s) => `${quote(y)} ${s} ${quote(error[0])}`) : null;
  const title = chart.ytitle ?? (several ? null : label(chart, y));
  return { transform: several ? fold(chart, columns) : [], layer: [
    { mark: { type: "bar", tooltip: true }, encoding: { ...shared, y: { ...axis(chart, "y", y, { title }), scale: chart.yscale === "log" ? { type: "log" } : { ...scale(chart.yscale), zero: true } },
      ...(chart.yscale === "log" ? { y2: { datum: Math.min(...rows.flatMap((r) => columns.map((c) => r[c])).filter((v) => v > 0)) / 2 } } : {}),
      ...groups(chart, columns, rows, look), tooltip: tooltips(chart, rows) } },
    ...(spread ? [{ transform: [{ calculate: spread[0], as: "low" }, { calculate: spread[1], as: "high" }],
      mark: { type: "rule", strokeWidth: 2, color: look.ink }, encoding: { ...shared, y: { field: "low", type: "quantitative", title }, y2: { field: "high" } } }] : []),
    ...rules(chart, look)] };
};

// One bar of the values y of the rows in rising order: the first up to its value, with its name (column x), then from each to the next, `rest`.
kinds.segments = (chart, tables, look) => {
  const sorted = tables[0].filter((r) => Number.isFinite(r[chart.y])).sort((a, b) => a[chart.y] - b[chart.y]);
  const rows = sorted.map((r, k) => ({ part: k > 0 ? chart.rest : plain(r[chart.x]), low: k > 0 ? sorted[k - 1][chart.y] : 0, high: r[chart.y] }));
  const parts = [...new Set(rows.map((r) => r.part))];
  return { data: { values: rows }, height: 44, mark: { type: "bar", height: 30 }, encoding: {
    x: { field: "low", type: "quantitative", title: chart.xtitle ?? label(chart, chart.y), axis: { labelOverlap: "greedy" } }, x2: { field: "high" },
    color: { field: "part", type: "nominal", title: null, sort: null, scale: { domain: parts, range: [look.soft, look.colors[0]] }, legend: legendOf(parts, look) },
    tooltip: tooltips({}, rows) } };
};

// Names below each other, as many lines as they have; `names` may hold line breaks.
const nameAxis = (field, sort) => ({ field, type: "nominal", title: null, sort, axis: { labelExpr: "split(datum.label, '\\n')", labelLimit: 200, labelLineHeight: 14, ticks: false } });

// Rows of marks, a row for every value of y: all values x as small points, their mean with one standard deviation to either side.
kinds.spread = (chart, tables, look) => {
  const rows = tables[0].map((r) => ({ ...r, [chart.y]: label(chart, r[chart.y]) })), sort = [...new Set(rows.map((r) => r[chart.y]))];
  const y = nameAxis(chart.y, sort), x = (field) => axis(chart, "x", field, { title: chart.xtitle ?? label(chart, chart.x) });
  return { data: { values: rows }, height: 40 * sort.length, layer: [
    { mark: { type: "point", size: 30, opacity: 0.6, color: look.soft }, encoding: { x: x(chart.x), y, tooltip: tooltips(chart, rows) } },
    { transform: [{ aggregate: [{ op: "mean", field: chart.x, as: "mean" }, { op: "stdev", field: chart.x, as: "deviation" }], groupby: [chart.y] },
      { calculate: "datum.mean - datum.deviation", as: "low" }, { calculate: "datum.mean + datum.deviation", as: "high" }],
      layer: [{ mark: { type: "rule", strokeWidth: 3, color: look.colors[0] }, encoding: { x: x("low"), x2: { field: "high" }, y } },
        { mark: { type: "point", filled: true, size: 90, opacity: 1 }, encoding: { x: x("mean"), y, tooltip: [{ field: chart.y }, { field: "mean", format: ".4g" }, { field: "deviation", format: ".4g" }] } }] }] };
};

// Columns x of differences, a row each: mean and two standard errors to either side, beside 0.
kinds.differences = (chart, tables, look) => {
  const columns = asList(chart.x), names = columns.map((c) => label(chart, c)), y = nameAxis("quantity", names), words = ["above 0", "not decided", "below 0"];
  const x = (field) => axis(chart, "x", field, { title: chart.xtitle ?? "difference, mean and two standard errors" });
  const color = { field: "verdict", type: "nominal", title: null, scale: { domain: words, range: [look.colors[0], look.soft, look.colors[1]] }, legend: legendOf(words, { ...look, room: look.room - 200 }) };
  return { height: 44 * names.length, transform: [...fold(chart, columns),
    { aggregate: [{ op: "mean", field: "amount", as: "mean" }, { op: "stderr", field: "amount", as: "error" }], groupby: ["quantity"] },
    { calculate: "datum.mean - 2 * datum.error", as: "low" }, { calculate: "datum.mean + 2 * datum.error", as: "high" },
    { calculate: `datum.low > 0 ? '${words[0]}' : datum.high < 0 ? '${words[2]}' : '${words[1]}'`, as: "verdict" }], layer: [
    { mark: { type: "rule", strokeDash: [5, 4], color: look.soft }, encoding: { x: { datum: 0 } } },
    { mark: { type: "rule", strokeWidth: 3 }, encoding: { x: x("low"), x2: { field: "high" }, y, color } },
    { mark: { type: "point", filled: true, size: 90, opacity: 1 }, encoding: { x: x("mean"), y, color, tooltip: [{ field: "quantity" }, { field: "mean", format: ".4g" }, { field: "error", format: ".4g" }] } }] };
};

// Best value and proven bound over the seconds of a run.
// `best`: what was known by then, the least value and the largest bound; of a sampled margin, what its inner problems say is about these.
const known = (rows) => {
  const own = rows.some((r) => r.stage === "sampling") ? rows.filter((r) => ["sampling", "kernel bounds"].includes(r.stage)) : rows;
  let value = null, bound = null;
  const best = (known, now, which) => (Number.isFinite(now) ? (known === null ? now : which(known, now)) : known);
  return own.filter((r) => Number.isFinite(r.value) || Number.isFinite(r.bound)).map((r) => {
    value = best(value, r.value, Math.min);
    bound = best(bound, r.bound, Math.max);
    return { ...r, value, bound };
  });
};
kinds.bound = (chart, tables, look) => {
  const best = chart.best ? known(tables[0]) : [], rows = best.length ? best : tables[0];
  return { data: { values: rows }, ...kinds.lines({ x: "seconds", y: ["value", "bound"], ytitle: "objective", interpolate: "step-after",
    names: { value: "best value", bound: "proven bound" }, ...chart }, [rows], look) };
};

// |value - bound| relative to the larger, on a logarithmic axis.
kinds.gap = (chart, tables, look) => {
  const rows = tables[0].map((r) => ({ ...r, gap: Math.abs(r.value - r.bound) / Math.max(Math.abs(r.value), Math.abs(r.bound)) }))
    .filter((r) => r.value !== null && r.bound !== null && r.gap > 0);
  if (rows.length < 2) return null;
  return { data: { values: rows }, ...kinds.lines({ x: "seconds", y: "gap", ytitle: "relative gap", yscale: "log", ...chart }, [rows], look) };
};

// Quantiles over x: `q` is a list column (from smallest to largest), or names of columns; bands around the median.
kinds.quantiles = (chart, tables, look) => {
  const rows = tables[0].map((r) => {
    const q = Array.isArray(chart.q) ? chart.q.map((c) => r[c]) : r[chart.q];
    return q && q.some((v) => v !== null) ? Object.assign({ x: r[chart.x] }, ...q.map((v, k) => ({ [`q${k}`]: v }))) : null;
  }).filter((r) => r);
  if (!rows.length) return null;
  const last = Object.keys(rows[0]).length - 2, middle = last / 2, bands = [];
  const y = (field) => axis(chart, "y", field, { title: chart.ytitle ?? plain(chart.q) }), x = axis(chart, "x", "x", { title: chart.xtitle ?? label(chart, chart.x) });
  for (let k = 0; k < middle; k++)
    bands.push({ mark: { type: "area", opacity: 0.18, color: look.colors[0] }, encoding: { x, y: y(`q${k}`), y2: { field: `q${last - k}` } } });
  return { data: { values: rows }, layer: [...bands, { mark: { type: "line", color: look.colors[0], strokeWidth: 2.5, point: rows.length < 3 }, encoding: { x, y: y(`q${middle}`) } },
    ...rules(chart, look)] };
};

// Numbers in falling order against their rank: `value` is their column, or the table is a list of numbers.
kinds.spectrum = (chart, tables, look) => {
  const numbers = tables[0].map((r) => (typeof r === "object" ? r[chart.y || "value"] : r)).filter((v) => Number.isFinite(v));
  const rows = numbers.sort((a, b) => b - a).map((value, k) => ({ rank: k + 1, value })), positive = rows.every((r) => r.value > 0);
  return { data: { values: rows }, ...kinds.points({ x: "rank", y: "value", yscale: positive ? "log" : "linear", ytitle: "eigenvalue", ...chart }, [rows], look) };
};

// How often values fall where: a column, several columns, or a list of numbers.
kinds.histogram = (chart, tables, look) => {
  const rows = tables[0].map((r) => (Array.isArray(r) ? { value: r[0] } : typeof r === "object" ? r : { value: r })), x = chart.x || "value";
  return { data: { values: rows }, layer: [{ mark: { type: "bar", tooltip: true }, encoding: {
    x: { field: x, type: "quantitative", bin: { maxbins: chart.bins || 30 }, title: chart.xtitle ?? label(chart, x) },
    y: { aggregate: "count", type: "quantitative", title: "examples" }, ...groups(chart, [], rows, look) } }, ...rules(chart, look)] };
};
