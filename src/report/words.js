// Results in words: what was asked, and what was found; every number says what it is.
"use strict";

const digits = (x, n = 6) => (x === null || x === undefined ? "unknown" : Number(Number(x).toPrecision(n)).toString());
// A bound in n digits, rounded outwards: side 1 from above, -1 from below.
const outward = (x, side, n = 12) => {
  if (x === null || x === undefined) return "unknown";
  const near = Number(Number(x).toPrecision(n)), unit = 10 ** (Math.floor(Math.log10(Math.abs(x) || 1)) + 1 - n);
  return digits((near - x) * side >= 0 ? near : near + side * unit, n);
};
const percent = (x) => (x === null || x === undefined ? "unknown" : `${digits(100 * x, 3)} %`);
const percentAtMost = (x) => `${outward(100 * x, 1, 3)} %`;
const count = (n, noun) => `${n} ${noun}${n === 1 ? "" : "s"}`;
const argument = (r, name) => { const k = (r.arguments || []).indexOf(name); return k < 0 ? undefined : r.arguments[k + 1]; };
const source = (r) => (r.arguments || []).find((a, k) => k > 0 && !a.startsWith("-") && !r.arguments[k - 1].startsWith("-")) || "the data";
const scopes = { global: "over all two-layer ReLU networks of any width", gates: "over all networks on these gates", filters: "over all output layers on these filters" };

function scores(score, on = "the training data") {
  if (!score || typeof score !== "object") return "";
  const parts = Object.entries(score).filter(([, v]) => typeof v === "number")
    .map(([k, v]) => `${k.replace(/_/g, " ")} ${k.includes("accuracy") ? percent(v) : digits(v, 4)}`);
  return parts.length ? ` On ${on}: ${parts.join(", ")}.` : "";
}

// How far an objective can be from the best one.
function boundWords(r) {
  if (r.objective === undefined) return "";
  if (r.objective === null) return "No network was found.";
  if (r.bound === "none" || r.lower_bound === null) return `Its objective is ${digits(r.objective)}; no lower bound was proven.`;
  return `Its objective is ${outward(r.objective, 1, 6)}, and none below ${outward(r.lower_bound, -1, 6)} exists ${scopes[r.bound] || ""} (proven by ${r.bound_method || r.method}): ` +
    `no better one lowers it by more than ${percentAtMost(r.relative_gap)}.`;
}

// What a claim of a certificate says; U and L are its bounds as they stand there.
const claims = {
  train: (c) => {
    const network = `${c.model === "gated" ? "a gated network" : "a ReLU network"} with ${count(c.network, c.model === "gated" ? "gate" : "neuron")}`;
    const scope = c.bound === "global" ? "no two-layer ReLU network of any width" : "no network on these gates";
    if (c.loss === "margin") return `The largest margin of ReLU networks of norm 1 lies between ${outward(1 / c.upper, -1)}, that of ${network}, and ${outward(1 / c.lower, 1)}.`;
    const has = c.loss === "equality" ? `There is ${network} of norm ${outward(c.upper, 1)} that misses no target by more than ${digits(c.residual, 3)}`
      : `There is ${network} whose objective (${c.loss} loss, ${c.scale}, plus β = ${digits(c.beta)} times its norm) is at most ${outward(c.upper, 1)}`;
    return has + (c.bound === "none" ? "; no lower bound is claimed." : `, and ${scope}${c.loss === "equality" ? " that meets the targets" : ""} has less than ${outward(c.lower, -1)}: the gap is ${digits(c.upper - c.lower, 3)}.`);
  },
  margin: (c) => `The margin ${c.measure === "plane" ? "at infinite width" : "of these gates"} lies between ${outward(c.lower, -1)} and ${outward(c.upper, 1)}.`,
  zero: () => "The margin is 0: no ReLU network without bias classifies this data.",
  spectrum: (c) => (c.measure === "null" ? "The kernel's matrix is singular: the listed vector is in its null space, exactly."
    : `The ${c.measure} eigenvalue of the kernel's matrix (${c.layers === "both" ? "both layers" : "first layer"}, ${c.width === "gates" ? "the listed gates" : "infinite width"}, factor ${digits(c.factor)}) lies between ${outward(c.lower, -1)} and ${outward(c.upper, 1)}.`),
  cone: (c) => (c.cone === "empty" ? "This cone is empty: no direction has these signs." : "This cone is not empty, and its dimension is proved."),
  spike: (c) => (c.spike === "free" ? "The data matrix is spike-free." : "The data matrix is not spike-free: a direction shows it."),
  faces: (c) => `There are exactly ${count(c.count, "set")} of active points, those that are listed.`,
  cones: (c) => `The hyperplanes of the points cut space into exactly ${count(c.count, "full-dimensional cone")}, those that are listed.`,
};

// What is recomputed for it, in exact arithmetic, before it is accepted.
const proofs = {
  gates: () => "one norm for every gate shows that no gate earns more than its penalty at the dual point",
  cones: () => "one norm for every cone shows the same, and the cones are counted anew, so that none is missing",
  plane: () => "the largest price of a neuron at the dual point is found anew along the whole circle",
  trees: (c) => `${count(c.leaves, "part")} of the space of neurons, which cover all of it, ${c.leaves === 1 ? "has" : "have"} a matrix each that is shown to be positive definite: no neuron earns more than its penalty`,
  none: () => "no loss and no norm is negative",
};
function proofOf(c) {
  if (c.claim === "train") return `The listed network is evaluated; the dual point lies in its domain and gives the lower bound; ${(proofs[c.evidence] || proofs.none)(c)}.`;
  if (c.claim === "margin") return "The listed vectors give the lower end, the listed weights of the points the upper one.";
  if (c.claim === "spectrum") return c.measure === "null" ? "The sums over every set of parallel rows, and over all, vanish." : "The listed vector gives one side, positive pivots of the shifted matrix the other.";
  if (c.claim === "cone") return "The listed weights combine the rows to 0, and a listed point has these signs.";
  if (c.claim === "spike") return "The listed direction gains more than its length allows, or the inverse Gram matrix has no positive entry off its diagonal.";
  return c.claim === "zero" ? "The listed pairs of points lie on common lines, and their combination vanishes." : "Every cone has a witness, no two are the same, and they are counted anew.";
}

const asked = {
  train: (r) => `The two-layer network of least loss plus penalty (β = ${digits(r.beta)}) on ${source(r)}: ${r.n} examples, ${count(r.d, "column")}.`,
  fit: (r) => `A network for ${source(r)}, its penalty chosen by cross-validation: ${r.n} examples, ${count((r.columns || []).length, "column")}.`,
  path: (r) => `Networks along decreasing penalties on ${source(r)}: ${r.n} examples, ${count(r.d, "column")}.`,
  predict: (r) => `The outputs of ${r.arguments ? r.arguments[1] : "a model"} on ${r.n} examples.`,
  explain: (r) => `The outputs of ${r.arguments ? r.arguments[1] : "a model"} on ${count((r.rows || []).length, "row")} as sums over columns and neurons.`,
  margin: (r) => (r.kind === "model" ? `The margins of a model on ${r.n} examples.` : `How well a ${r.kind === "global" ? "ReLU network" : "network near its start"} can separate ${source(r)}: the ${r.kind} margin of ${r.n} examples.`),
  kernel: (r) => `The tangent kernel of ${source(r)} (${r.layers === "both" ? "both layers" : "first layer"}, width ${r.width}) and its spectrum.`,
  cones: (r) => `The cones into which the hyperplanes of ${r.n} points in ${count(r.d, "dimension")} cut the space of neurons.`,
  geometry: (r) => `Facts about the rectified ellipsoid of ${source(r)}: ${r.n} rows, ${count(r.d, "column")}.`,
  flow: (r) => `Training by ${r.method || "gradient descent"} on ${source(r)}: ${r.n} examples, ${count(r.d, "column")}.`,
  check: (r) => `Theorem ${r.theorem} on this data: are its hypotheses met, and does its conclusion hold? ${r.statement || ""}`,
  reproduce: (r) => (r.what ? `The paper: ${r.claim}` : r.items ? "Figures, tables and theorems of the five papers: what each claims, what fathom finds." : ""),
  convert: (r) => `The model ${r.arguments ? r.arguments[1] : ""} as ${argument(r, "--to") || "another kind"}.`,
  gen: (r) => `Generated data: ${r.arguments ? r.arguments[1] : ""}.`,
  certificate: (r) => `What the certificate claims about ${r.n} examples in ${count(r.d, "column")} (after normalisation ${r.normalize}, bias ${r.bias}), and what fathom-check recomputes from the data file, which it knows by its SHA-256, before it accepts that.`,
  info: (r) => `What the file ${r.arguments ? r.arguments[1] : ""} holds: ${r.kind}` + (r.m === undefined ? "." : `, ${count(r.m, "hidden unit")}, ${count(r.outputs, "output")}, ${count(r.d, "input")}.`),
  model: (r) => `The network in this file: ${r.kind}, ${count(r.m, "hidden unit")}, ${count(r.outputs, "output")}, ${count(r.d, "input")}.`,
  log: (r) => `The course of a training run: ${count(r.log.length, "record")}.`,
};

const hypotheses = (r) => (r.hypotheses || []).filter((h) => h.holds !== true).map((h) => h.name);

const answers = {
  train: (r) => `${r.neurons === undefined ? "" : `A network with ${count(r.neurons, "neuron")}. `}${boundWords(r)}${scores(r.score)}${scores(r.test_score, "the test data")}`,
  fit: (r) => `On rows left out: ${r.cv.score} ${digits(r.cv.mean, 4)} ± ${digits(r.cv.se, 2)}` +
    (r.rivals || []).map((rival) => `; ${rival.name} ${digits(rival.mean, 4)} ± ${digits(rival.se, 2)}`).join("") +
    `. A network with ${count(r.neurons, "neuron")}. ${boundWords(r)}${scores(r.training)}` + (r.warnings || []).map((w) => ` Warning: ${w}.`).join(""),
  path: (r) => {
    const worst = Math.max(...r.path.map((p) => p.relative_gap ?? Infinity));
    return `${count(r.path.length, "network")}, from β = ${digits(r.path[0].beta)} to ${digits(r.path[r.path.length - 1].beta)}` +
      (Number.isFinite(worst) ? `; no objective can be lowered by more than ${percentAtMost(worst)} ${scopes[r.path[0].bound] || ""}.` : ".") +
      (r.best ? ` Cross-validation chooses β = ${digits(r.best.beta)}.` : "") + scores(r.score);
  },
  predict: (r) => scores(r.score, "this data").trim() || "There are no targets to compare with.",
  explain: (r) => {
    const away = (r.rows || []).map((one) => one.nearest && one.nearest.lower).filter((v) => v > 0);
    return "Each output is its base and what the columns add, exact but for rounding." + (away.length ? ` Another class is at least ${outward(Math.min(...away), -1, 4)} away from every row that has a distance.` : "");
  },
  margin: (r) => (r.kind === "model" ? `The smallest margin is ${digits(r.margin, 8)}; divided by the norm of the weights it is ${digits(r.normalized_margin, 8)}.`
    : `The margin lies between ${outward(r.lower, -1)} and ${outward(r.upper, 1)}, ${r.exact ? "both proven" : `with confidence ${percent(r.confidence)}`}. ${r.statement || ""}`),
  kernel: (r) => `The smallest eigenvalue is ${digits(r.lambda_min)} (proven to lie between ${outward(r.lambda_min_lower, -1)} and ${outward(r.lambda_min_upper, 1)}), the largest ${digits(r.lambda_max)}: condition ${digits(r.condition, 4)}.`,
  cones: (r) => `${count(r.cones, "full-dimensional cone")} (counted exactly${r.general_position ? "; in general position, as Cover's formula says" : `; in general position there would be ${digits(r.cover_count, 12)}`})` +
    (r.faces === null || r.faces === undefined ? "." : `, ${r.faces} sets of active points in all.`) +
    (r.measure_sum === undefined ? "" : ` Their Gaussian measures lie between ${digits(r.measure_least)} and ${digits(r.measure_most)} and add up to 1${r.measure_sum === 1 ? "" : ` ${r.measure_sum < 1 ? "-" : "+"} ${digits(Math.abs(r.measure_sum - 1), 2)}`}.`),
  geometry: (r) => `Rank ${r.rank}; ${r.whitened ? "whitened" : "not whitened"}; ${r.spike_free === true ? "spike-free" : r.spike_free === false ? "not spike-free" : "whether it is spike-free was not decided"} (${r.spike_method}); ${r.hull_vertices ?? "an unknown number of"} rows are vertices of their convex hull.`,
  flow: (r) => `It ended as ${r.status} (${r.reason}) after ${count(r.steps, "step")}: loss e^${digits(r.log_loss)} = ${digits(Math.exp(r.log_loss), 4)}` +
    (r.accuracy === null ? "." : `, ${percent(r.accuracy)} of the examples right.`) + (r.normalized_margin === null ? "" : ` The normalised margin is ${digits(r.normalized_margin)}.`) +
    " These numbers describe this run; they are measured, not bounds.",
  check: (r) => `${r.conclusion}${hypotheses(r).length ? `. Not met: ${hypotheses(r).join("; ")}` : ""}.${r.correction ? ` Read as: ${r.correction}.` : ""}`,
  reproduce: (r) => (r.verdict ? `Found: ${r.verdict}.${r.note ? ` ${r.note}` : ""}${r.why && r.verdict !== "match" ? ` ${r.why}` : ""}${r.quick ? " (Quick sizes.)" : ""}` : ""),
  convert: (r) => `${count(r.neurons, "neuron")}` + (r.max_difference === null ? "." : `; outputs differ by at most ${digits(r.max_difference, 3)} on the data.`),
  gen: (r) => `${count(r.rows, "row")}, ${count(r.columns, "column")}.`,
  certificate: (r) => (r.claims || []).filter((c) => claims[c.claim]).flatMap((c) => [claims[c.claim](c), `What fathom-check verifies: ${proofOf(c)}`]),
  model: (r) => (r.training && r.training.objective !== undefined ? boundWords(r.training) : ""),
  log: (r) => {
    const end = r.log[r.log.length - 1];
    return `After ${count(end.steps, "step")} the loss is e^${digits(end.log_loss)}` + (end.accuracy === null ? "." : `, ${percent(end.accuracy)} of the examples are right.`) + " Measured on this run.";
  },
};

const say = (table, r) => (table[r.command] ? table[r.command](r) : "");
const askedOf = (r) => say(asked, r) || [];
// What fathom-check said of a result's certificate, and how to ask it again.
const proofWords = (r) => [
  ...(r.verified === undefined ? [] : [r.verified ? "fathom-check, a program of its own, accepted the certificate." : r.verified === null ? "fathom-check was stopped before its end: nothing is verified." : "fathom-check rejected the certificate."]),
  ...(r.certificate_statement ? [`What it verified: ${r.certificate_statement}`] : []),
  ...(r.certificate ? [`To check it again: fathom-check ${r.certificate} ${r.certificate_data}`] : []),
];
const answerOf = (r) => [].concat(say(answers, r) || [], proofWords(r));
const titleOf = (r, file) => (r.command === "reproduce" && r.items ? "Reproduction" : r.command === "reproduce" && r.id ? `${r.id}: ${r.what}` : `${r.command || "result"} (${file.split("/").pop()})`);
