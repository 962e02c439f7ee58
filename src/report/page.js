// Turns the embedded results into sections: what was asked, the answer in words, charts, tables, how to repeat it.
"use strict";

const results = JSON.parse(document.getElementById("data").textContent);

// The course of a training run without what other stages search for: values are never below the proven bound, nor bounds above
// the objective; of a fit, whose chart shows what was known by then, none above the bound that it ended with.
const courseOf = (result) => {
  const slack = 1e-6 * Math.abs(result.objective), most = result.command === "fit" ? result.lower_bound : result.objective;
  return result.progress.filter((p) => !(p.value < result.lower_bound - slack) && !(p.bound > most + slack));
};
for (const { result } of results)
  if (["train", "fit"].includes(result.command) && result.progress && Number.isFinite(result.lower_bound) && Number.isFinite(result.objective))
    result.progress = courseOf(result);

// ln(1 + time) of logs also as a power of ten, which axes show.
for (const { result } of results)
  for (const rows of Object.values(result))
    if (Array.isArray(rows)) for (const r of rows) if (r && typeof r.log_time === "number") r.log10_time = r.log_time / Math.LN10;

function element(parent, tag, text, cls) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (cls) node.className = cls;
  return parent.appendChild(node);
}

// Colours of the page, for charts.
function lookOf() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches, style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue(name).trim();
  return { dark, ink: get("--ink"), soft: get("--soft"), paper: get("--paper"), line: get("--line"),
    colors: dark ? ["#5eb8e6", "#f0807f", "#74c69d", "#c39be8", "#f0b35e", "#b8c4ce", "#e6d35c", "#e58fc2"]
      : ["#0b6e99", "#c8384b", "#2e8b57", "#7d4fae", "#b86a00", "#59636d", "#8f8200", "#b23a86"],
    strong: dark ? ["#bfe6ff", "#ffc2c0", "#b7f0cf", "#e6d0ff", "#ffe0ae", "#ffffff"] : ["#06364b", "#7d1420", "#14502f", "#41206b", "#6b3d00", "#20262b"] };
}
const configOf = (look) => ({ background: "transparent", font: "system-ui, sans-serif", view: { stroke: look.line },
  range: { category: look.colors }, mark: { color: look.colors[0] }, rule: { color: look.soft }, text: { color: look.ink },
  axis: { labelColor: look.ink, titleColor: look.ink, gridColor: look.line, domainColor: look.soft, tickColor: look.soft, labelFontSize: 12, titleFontSize: 13, titleFontWeight: 500 },
  axisX: { tickCount: { signal: "max(2, ceil(width / 80))" } }, axisY: { tickCount: { signal: "max(2, ceil(height / 50))" } },
  legend: { labelColor: look.ink, titleColor: look.ink, labelFontSize: 12, titleFontSize: 12 } });

// Rows of the tables that a chart names; a list of numbers stays one.
const tablesOf = (chart, result) => asList(chart.needs).map((name) => result[name]);

// Expressions are interpreted, never compiled: the page's policy allows no code but its own.
const interpreted = { ast: true, renderer: "svg", actions: false, tooltip: { formatTooltip } };

// A row under the mouse as a table of texts; the library's own would show a column `image` as one.
function formatTooltip(value, clean) {
  if (!value || typeof value !== "object") return clean(String(value));
  const line = ([key, v]) => `<tr><td class="key">${clean(key)}</td><td class="value">${clean(typeof v === "object" ? JSON.stringify(v) : String(v))}</td></tr>`;
  return `<table>${Object.entries(value).filter(([, v]) => v !== undefined).map(line).join("")}</table>`;
}

// The rows for which a Vega expression on `datum` is true; Vega's expressions reach nothing but the row.
async function chosen(rows, where) {
  const spec = { $schema: "https://vega.github.io/schema/vega/v5.json", width: 0, height: 0,
    data: [{ name: "rows", values: rows.map((r) => ({ ...r })), transform: [{ type: "filter", expr: where }] }] };
  const { view } = await vegaEmbed(document.createElement("div"), spec, interpreted);
  const kept = view.data("rows").map((r) => ({ ...r }));
  view.finalize();
  return kept;
}

// A specification that came with a result, without what could load, link, change how it is embedded or put its controls elsewhere on the page.
const reaching = new Set(["url", "href", "usermeta", "$schema", "config", "loader", "element"]);
const loading = /\\|(url|src|image|image-set|element)\s*\(/i; // in a style, escaped or not
function harmless(value) {
  if (Array.isArray(value)) return value.map(harmless);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).filter(([key, v]) => !reaching.has(key) && !(typeof v === "string" && loading.test(v))).map(([key, v]) => [key, harmless(v)]));
}

// A page beside this one; anything else that a result calls a page is none.
const beside = (page) => (typeof page === "string" && /^[\w-][\w./-]*\.html(#[\w.:-]*)?$/.test(page) && !page.includes("..") ? page : null);

// One panel: the specification of its kind, with data, size and colours.
async function drawPanel(box, chart, whole) {
  const names = asList(chart.needs).filter((n) => Array.isArray(whole[n]));
  const result = chart.where && names.length ? { ...whole, [names[0]]: await chosen(whole[names[0]], chart.where) } : whole;
  if (names.length && !result[names[0]].length) return false;
  const look = lookOf(), room = Math.max(220, box.clientWidth), tables = tablesOf(chart, result);
  look.room = room - 40;
  look.width = Math.min(room - 70, 440);
  look.height = look.width;
  if (chart.kind === "sphere") { look.width = Math.min(room - 30, 720); look.height = look.width / 2; }
  const made = chart.spec ? harmless(chart.spec) : kinds[chart.kind](chart, tables, look, result);
  if (!made) return false;
  const { square, ...spec } = made;
  if (spec.layer) spec.layer = spec.layer.filter((l) => !(l.data && l.data.values && l.data.values.length === 0));
  if (typeof square === "number") { look.width = Math.min(room - 30, 720); look.height = look.width * square; resize(spec, look); }
  const size = square ? { width: look.width, height: look.height } : { width: "container", height: chart.height || 280 };
  const full = { $schema: "https://vega.github.io/schema/vega-lite/v5.json", description: chart.alt, ...size,
    padding: 4, autosize: square ? { type: "pad", contains: "padding" } : { type: "fit-x", contains: "padding" },
    datasets: Object.fromEntries(names.map((n) => [n, result[n]])), data: names.length ? { name: names[0] } : { values: [] },
    ...spec, config: { ...configOf(look), ...(spec.config || {}) } };
  const options = { ...interpreted, actions: { export: { svg: true, png: true }, source: false, compiled: false, editor: false },
    downloadFileName: (chart.title || "chart").toLowerCase().replace(/[^a-z0-9]+/g, "-"), scaleFactor: 2 };
  box.view = (await vegaEmbed(box, full, options)).view;
  return true;
}
function resize(spec, look) {
  for (const l of spec.layer) if (l.mark && l.mark.type === "image") { l.mark.width = look.width; l.mark.height = look.height; }
}

// Values of a column, in order of appearance.
const valuesOf = (rows, column) => [...new Set((rows || []).map((r) => r[column]))];

// A chart as a figure; `each`: one panel for every value of that column, in all tables that have it.
const drawn = [];
function drawChart(parent, chart, result) {
  const figure = element(parent, "figure"), first = result[asList(chart.needs)[0]];
  const panels = chart.each ? valuesOf(first, chart.each).slice(0, chart.most || 16) : [null];
  element(figure, "figcaption", chart.title);
  const grid = element(figure, "div", undefined, panels.length > 1 ? "panels" : undefined);
  for (const value of panels) {
    const cell = element(grid, "div", undefined, "panel");
    const part = value === null ? result : Object.fromEntries(Object.entries(result).map(([k, rows]) => [k, Array.isArray(rows) && rows.some((r) => r && r[chart.each] !== undefined)
      ? rows.filter((r) => r[chart.each] === value) : rows]));
    if (value !== null) element(cell, "p", `${plain(chart.each)} = ${typeof value === "number" ? digits(value) : value}`, "which");
    const box = element(cell, "div", undefined, "chart");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", chart.alt || chart.title || "chart");
    drawn.push({ box, figure, draw: () => drawPanel(box, chart, part).then((there) => { if (!there) { cell.remove(); if (!grid.children.length) figure.remove(); } }) });
  }
}
const drawAll = () => Promise.all(drawn.map(({ draw, box }) => draw().catch((error) => {
  box.textContent = `This chart could not be drawn: ${error.message}`;
  console.error(error);
})));

// A number as people read it.
const cell = (v) => (v === null || v === undefined ? "" : typeof v === "number" ? digits(v, 6) : typeof v === "boolean" ? (v ? "yes" : "no")
  : typeof v === "object" ? (Array.isArray(v) ? `${v.length} entries` : "...") : String(v));

const aside = new Set(["command lines", "points", "progress", "cells", "log", "path"]);

// Rows as a table, the first ones at once and the rest on request.
function rowsTable(parent, title, rows, columns) {
  const names = columns || [...new Set(rows.slice(0, 50).flatMap((r) => Object.keys(r)))].filter((k) => rows.some((r) => r[k] === null || typeof r[k] !== "object"));
  if (!names.length) return;
  const long = rows.length > 12 || aside.has(title), holder = long ? element(parent, "details") : parent;
  if (long) element(holder, "summary", `Table: ${title} (${rows.length} rows)`);
  else if (title) element(holder, "h3", title);
  const body = element(element(holder, "div", undefined, "wide"), "table"), head = element(body, "tr");
  for (const name of names) element(head, "th", plain(name));
  for (const r of rows.slice(0, 2000)) {
    const line = element(body, "tr");
    for (const name of names) element(line, "td", cell(r[name]), typeof r[name] === "number" ? "number" : String(r[name]).length > 24 ? "long" : undefined);
  }
}

// The name of a criterion, with the reading of the paper to which it belongs.
const inReading = (c) => (c.reading ? `${c.reading}: ${c.name}` : c.name);

// Criteria of a reproduced figure: what was asked, what was found.
function criteriaTable(parent, list) {
  element(parent, "h3", "Criteria");
  const body = element(element(parent, "div", undefined, "wide"), "table"), head = element(body, "tr");
  const drawn = list.some((c) => c.draws);
  for (const name of ["", "criterion", "found", "asked", ...(drawn ? ["draws that meet it", "of all draws", "asked of them"] : [])]) element(head, "th", name);
  for (const c of list) {
    const row = element(body, "tr");
    element(row, "td", c.holds === null ? "undecided" : c.holds ? "holds" : "fails", c.holds === null ? "soft" : c.holds ? "good" : "bad");
    element(row, "td", inReading(c));
    element(row, "td", c.value === null ? "undecided" : digits(c.value), "number");
    element(row, "td", `${c.relation} ${digits(c.limit, 12)}`, "number");
    if (drawn && c.draws) {
      element(row, "td", `${c.met} of ${c.draws}`, "number");
      element(row, "td", `${digits(c.low, 3)} to ${digits(c.high, 3)}`, "number");
      element(row, "td", c.share === null ? "" : digits(c.share, 3), "number");
    }
  }
}
// How often a fresh draw of a reproduced item misses a criterion.
function missRate(parent, d, before = "") {
  element(parent, "p", `${before}${d.met} of ${d.draws} draws meet all criteria; a fresh draw misses one with probability ${digits(1 - d.high, 3)} to ${digits(1 - d.low, 3)} (each end at confidence ${d.confidence}).`);
}

// Readings of the paper, each with its verdict.
function readingList(parent, list) {
  for (const r of list) {
    const before = `Reading "${r.reading}": ${r.verdict}`;
    if (r.draws) missRate(parent, r, `${before}; `);
    else element(parent, "p", `${before}.`);
  }
}

// Single values of a result.
const hidden = new Set(["arguments", "charts", "criteria", "readings", "command", "version", "recipe"]);
function valuesTable(parent, result) {
  const rows = Object.entries(result).filter(([k, v]) => !hidden.has(k) && (typeof v !== "object" || v === null))
    .concat(Object.entries(result).flatMap(([k, v]) => (v && typeof v === "object" && !Array.isArray(v) && !["network", "sets", "model"].includes(k)
      ? Object.entries(v).filter(([, w]) => typeof w !== "object").map(([l, w]) => [`${k}.${l}`, w]) : [])));
  const holder = element(parent, "details");
  element(holder, "summary", "All values");
  const body = element(element(holder, "div", undefined, "wide"), "table");
  for (const [key, value] of rows) {
    const row = element(body, "tr");
    element(row, "th", key);
    element(row, "td", value === null ? "not known, infinite or without meaning" : typeof value === "number" ? String(value) : cell(value));
  }
}

const tableNames = (result) => Object.keys(result).filter((k) => Array.isArray(result[k]) && result[k].length && typeof result[k][0] === "object"
  && !Array.isArray(result[k][0]) && !["charts", "criteria", "readings", "tables"].includes(k));

// What to type to get this again.
const shell = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);
function repeat(parent, result) {
  const words = result.arguments || (result.command === "reproduce" && result.id ? ["reproduce", ...(result.file ? [result.file] : []), result.id, "-o", "figures", ...(result.quick ? ["--quick"] : []), ...(result.seed > 1 ? ["--seed", String(result.seed)] : [])] : null);
  if (!words) return;
  element(parent, "h3", "To repeat it");
  element(parent, "pre", ["fathom", ...words].map(shell).join(" "));
  if (result.version) element(parent, "p", `Made by fathom ${result.version}` + (result.seed === undefined ? "" : `, seed ${result.seed}`)
    + (result.seconds === undefined ? "." : `, in ${digits(result.seconds, 3)} seconds.`), "soft");
}

function section(parent, { file, result, charts }) {
  const part = element(parent, "section"), title = titleOf(result, file);
  part.id = result.id || "";
  element(part, "h2", title);
  for (const text of asList(askedOf(result))) element(part, "p", text, "asked");
  for (const text of asList(answerOf(result))) element(part, "p", text, "answer");
  if (Array.isArray(result.criteria)) criteriaTable(part, result.criteria);
  if (result.command === "reproduce" && result.draws && result.draws.draws) missRate(part, result.draws);
  if (result.command === "reproduce" && Array.isArray(result.readings)) readingList(part, result.readings);
  if (result.command === "reproduce" && Array.isArray(result.items) && result.items.some((r) => r.verdict)) return summary(part, result.items);
  for (const chart of charts) drawChart(part, chart, result);
  const shown = result.tables ? [...result.tables, { needs: "command_lines" }] : tableNames(result).map((needs) => ({ needs }));
  for (const t of shown) if (Array.isArray(result[t.needs]) && result[t.needs].length) rowsTable(part, t.title || plain(t.needs), result[t.needs], t.columns);
  valuesTable(part, result);
  repeat(part, result);
}

// Reproduced items side by side: the claim, our numbers, the verdict.
function summary(parent, list) {
  const total = (verdict) => list.filter((r) => r.verdict === verdict).length, judged = total("match") + total("differs");
  const rest = ["undecided", "none", "skipped", "failed"].filter(total).map((v) => `${total(v)} ${v}`).join(", ");
  element(parent, "p", `${total("match")} of ${judged} items match the papers' claims by their written criteria${rest ? `; ${rest}` : ""}.`, "answer");
  const body = element(element(parent, "div", undefined, "wide"), "table"), head = element(body, "tr");
  body.className = "summary";
  for (const name of ["item", "the paper's claim", "our numbers", "verdict"]) element(head, "th", name);
  for (const r of list) {
    const row = element(body, "tr"), place = element(row, "td");
    element(place, "a", r.id).href = beside(r.page) || `#${r.id}`;
    element(place, "div", r.what, "soft");
    element(row, "td", r.claim);
    const found = element(row, "td");
    for (const c of r.criteria || []) element(found, "div", `${inReading(c)}: ${c.value === null ? "undecided" : digits(c.value, 4)} (asked ${c.relation} ${digits(c.limit, 12)})`, c.holds || c.holds === null ? undefined : "bad");
    const verdict = element(row, "td");
    element(verdict, "b", r.verdict, r.verdict === "match" ? "good" : ["skipped", "undecided", "none"].includes(r.verdict) ? "soft" : "bad");
    for (const one of r.readings || []) element(verdict, "div", `${one.reading}: ${one.verdict}`, "soft");
    const why = r.verdict === "differs" ? r.why || r.note : r.verdict === "failed" ? r.error : r.missing;
    if (why && r.verdict !== "match") element(verdict, "div", why, "soft");
  }
}

const main = document.getElementById("results"), items = results.map(({ result }) => result).filter((r) => r.command === "reproduce" && r.criteria);
if (items.length > 1) summary(main, items);
for (const part of results) section(main, part);
const drawing = drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
let width = innerWidth, timer = 0;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(timer);
  timer = setTimeout(drawAll, 200);
});
