// Turns the embedded results into sections: the answer in words, charts, a table of the values, how to repeat it.
"use strict";

const results = JSON.parse(document.getElementById("data").textContent);

const digits = (x, n = 6) => (x === null || x === undefined ? "unknown" : Number(x.toPrecision(n)).toString());
const percent = (x) => (x === null || x === undefined ? "unknown" : `${digits(100 * x, 3)} %`);

// What each command found, in one or two sentences; every number says what it is.
const words = {
  train: (r) => {
    const scope = { global: "over all two-layer ReLU networks of any width", gates: "over all networks on these gates" };
    const score = scores(r.score);
    const bound = r.bound === "none" ? "No lower bound was computed."
      : `It is at most ${percent(r.relative_gap)} above the smallest objective possible ${scope[r.bound] || ""}: ` +
        `objective ${digits(r.objective)}, proven lower bound ${digits(r.lower_bound)}.`;
    return `A network with ${r.neurons} neurons was trained on ${r.n} examples. ${bound}${score}`;
  },
  predict: (r) => `The model was applied to ${r.n} examples.${scores(r.score)}`,
  margin: (r) => `The ${r.kind} margin lies between ${digits(r.lower, 10)} and ${digits(r.upper, 10)}` +
    (r.exact ? " (proven)." : ` (with confidence ${percent(r.confidence)}).`),
  kernel: (r) => `The kernel's smallest eigenvalue is ${digits(r.lambda_min)}, its largest ${digits(r.lambda_max)}.`,
  reproduce: (r) => `${r.what}. The paper: ${r.claim} Found: ${r.verdict}.` + (r.note ? ` ${r.note}` : ""),
  cones: (r) => `The arrangement of ${r.n} points in dimension ${r.d} has ${r.cones} full-dimensional cones.`,
};

function scores(score) {
  if (!score || typeof score !== "object") return typeof score === "number" ? ` Score: ${digits(score)}.` : "";
  const parts = Object.entries(score).filter(([, v]) => typeof v === "number")
    .map(([k, v]) => `${k.replace(/_/g, " ")} ${k.includes("accuracy") ? percent(v) : digits(v, 4)}`);
  return parts.length ? ` Score: ${parts.join(", ")}.` : "";
}

function element(parent, tag, text, cls) {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (cls) node.className = cls;
  return parent.appendChild(node);
}

// Criteria of a reproduced figure: what was asked, what was found.
function criteria(parent, list) {
  const body = element(parent, "table");
  for (const c of list) {
    const row = element(body, "tr");
    element(row, "th", c.holds ? "holds" : "fails");
    element(row, "td", `${c.name}: ${digits(c.value)} ${c.relation} ${digits(c.limit)}`);
  }
}

// Values as rows; long lists are described by their length.
function table(parent, result) {
  const body = element(parent, "table");
  for (const [key, value] of Object.entries(result)) {
    if (key === "arguments") continue;
    const row = element(body, "tr");
    element(row, "th", key);
    const text = Array.isArray(value) ? `${value.length} entries`
      : value !== null && typeof value === "object" ? JSON.stringify(value) : String(value);
    element(row, "td", text.length > 300 ? `${text.slice(0, 300)} ...` : text);
  }
}

function chart(parent, kind, result, dark) {
  const figure = element(parent, "figure");
  const box = element(figure, "div", undefined, "chart");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", kind.alt);
  element(figure, "figcaption", kind.title);
  const spec = { $schema: "https://vega.github.io/schema/vega-lite/v5.json", width: "container", height: 280,
    background: "transparent", description: kind.alt, autosize: { type: "fit", contains: "padding" },
    data: { values: result[kind.needs] }, ...kind.spec };
  vegaEmbed(box, spec, { renderer: "svg", theme: dark ? "dark" : undefined, actions: { export: true, source: false,
    compiled: false, editor: false } });
}

const main = document.getElementById("results");
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
for (const { file, result, charts } of results) {
  const section = element(main, "section");
  element(section, "h2", result.command === "reproduce" ? result.id : `${result.command || "result"} (${file})`);
  const say = words[result.command];
  if (say) element(section, "p", say(result), "answer");
  if (Array.isArray(result.criteria)) criteria(section, result.criteria);
  for (const kind of charts) chart(section, kind, result, dark);
  table(section, result);
  if (result.arguments) {
    element(section, "p", "To repeat it:");
    element(section, "pre", ["fathom", ...result.arguments].join(" "));
  }
}
