/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as one JavaScript file without dependencies, for pages and for Node: the numbers of export_net.h
 * and of the schema as one object, and a few functions over it.
 *
 *     NAME.predict(x)         outputs of raw columns, in the order of the sums of exported C
 *     NAME.encode(row)        columns of a row of the table, an object by the names of its columns
 *     NAME.predictRow(row)    both
 *     NAME.label(out)         number of a class in NAME.classes
 *     NAME.probabilities(out)
 */
#include <string.h>

#include "context_internal.h"
#include "decimal.h"
#include "export_net.h"
#include "export_text.h"
#include "fathom/schema.h"
#include "file_write.h"
#include "loss_row.h"
#include "model_internal.h"
#include "model_names.h"

typedef struct js_writer {
    fathom_file *file;
    const fathom_model *model;
    const fathom_export_net *net;
    const char *name;
} js_writer;

/* A text in quotes; "<" is escaped so that the file can stand inside a page. */
static void put_text(fathom_file *file, const char *text)
{
    fathom_file_print(file, "\"");
    for (const char *at = text; *at; at++) {
        const unsigned char byte = (unsigned char)*at;
        if (byte < 32 || byte == '"' || byte == '\\' || byte == '<' || byte == 127)
            fathom_file_print(file, "\\u%04x", byte);
        else
            fathom_file_print(file, "%c", byte);
    }
    fathom_file_print(file, "\"");
}

static void put_number(fathom_file *file, double value)
{
    char text[FATHOM_DECIMAL_SIZE];
    fathom_decimal_format(text, value);
    fathom_file_print(file, "%s", text);
}

static void put_numbers(const js_writer *w, const char *key, const double *value, int64_t count)
{
    fathom_file_print(w->file, "    %s: [", key);
    for (int64_t k = 0; k < count; k++) {
        fathom_file_print(w->file, k % 8 || count <= 8 ? k ? ", " : "" : k ? ",\n      " : "\n      ");
        put_number(w->file, value[k]);
    }
    fathom_file_print(w->file, "],\n");
}

static void put_texts(const js_writer *w, const char *key, const char *const *text, int64_t count)
{
    fathom_file_print(w->file, "%s: [", key);
    for (int64_t k = 0; k < count; k++) {
        fathom_file_print(w->file, k ? ", " : "");
        put_text(w->file, text[k]);
    }
    fathom_file_print(w->file, "]");
}

/* What becomes of the columns of the table, as export_schema.c has it in C. */
static void put_columns(const js_writer *w)
{
    const fathom_schema *schema = w->model->schema;
    fathom_file_print(w->file, "    columns: %s\n", schema ? "[" : "null,");
    for (int64_t k = 0; schema && k < schema->columns; k++) {
        const fathom_column *column = &schema->column[k];
        const bool category = column->as == FATHOM_COLUMN_CATEGORY;
        if (column->width == 0)
            continue;
        fathom_file_print(w->file, "      {name: ");
        put_text(w->file, column->name);
        fathom_file_print(w->file, ", as: \"%s\", indicator: %s, ",
                          category                           ? column->spelled ? "spelled" : "category"
                          : column->as == FATHOM_COLUMN_DATE ? "date"
                                                             : "number",
                          column->indicator ? "true" : "false");
        if (category) {
            put_texts(w, "is", column->category, column->categories);
        } else {
            fathom_file_print(w->file, "parts: %d, median: ", (int)column->parts);
            put_number(w->file, column->median);
        }
        fathom_file_print(w->file, "},\n");
    }
    if (schema)
        fathom_file_print(w->file, "    ],\n");
}

static void put_model(const js_writer *w)
{
    static const char *const normalize[] = {"none", "unit", "standardize"};
    const fathom_export_net *e = w->net;
    const fathom_model *model = w->model;
    const fathom_loss_row *loss = fathom_loss_row_of(model->loss);
    const double middle = loss->numbers && model->classes
                              ? model->class_value[0] / 2 + model->class_value[model->classes - 1] / 2
                              : 0;
    fathom_file_print(
        w->file,
        "// A two-layer %s network, written by fathom %s: %lld inputs, %lld neurons, %lld output%s.\n"
        "\"use strict\";\nconst %s = (() => {\n  const model = {\n    kind: \"%s\", parameter: ",
        fathom_kind_names[e->kind], fathom_version(), (long long)e->d, (long long)e->m, (long long)e->outputs,
        e->outputs == 1 ? "" : "s", w->name, fathom_kind_names[e->kind]);
    put_number(w->file, e->parameter);
    fathom_file_print(w->file,
                      ", normalize: \"%s\", inputs: %lld, neurons: %lld, outputs: %lld,\n    loss: \"%s\", "
                      "probable: %s, threshold: ",
                      normalize[model->normalize], (long long)e->d, (long long)e->m, (long long)e->outputs,
                      fathom_loss_name(model->loss),
                      model->classes && loss->probabilities ? "true" : "false");
    put_number(w->file, middle);
    fathom_file_print(w->file, ",\n    ");
    put_texts(w, "classes", (const char *const *)model->class_name, model->classes);
    fathom_file_print(w->file, ",\n");
    put_numbers(w, "mean", model->mean, model->mean ? e->d : 0);
    put_numbers(w, "scale", model->scale, model->scale ? e->d : 0);
    put_numbers(w, "hidden", e->hidden, e->m * e->d);
    put_numbers(w, "hiddenShift", e->hidden_shift, e->m);
    put_numbers(w, "output", e->output, e->m * e->outputs * e->width);
    put_numbers(w, "outputShift", e->output_shift, e->output_shift ? e->m * e->outputs : 0);
    put_numbers(w, "constant", e->constant, e->outputs);
    put_columns(w);
    fathom_file_print(w->file, "  };\n");
}

/* The functions, the same for every model. */
static const char predict[] =
    "  const prepare = (x) => {\n"
    "    if (model.normalize === \"standardize\") return x.map((v, i) => (v - model.mean[i]) / "
    "model.scale[i]);\n"
    "    if (model.normalize !== \"unit\") return x;\n"
    "    const norm = Math.sqrt(x.reduce((sum, v) => sum + v * v, 0)) || 1;\n"
    "    return x.map((v) => v / norm);\n"
    "  };\n"
    "  const dot = (from, at, shift, z) => z.reduce((sum, v, i) => sum + from[at * model.inputs + i] * v, "
    "shift);\n"
    "  const activate = (t) => {\n"
    "    const h = model.parameter;\n"
    "    if (model.kind === \"leaky\") return t > 0 ? t : h * t;\n"
    "    if (model.kind === \"huber\") return t <= 0 ? 0 : t < h ? t * t / (2 * h) : t - h / 2;\n"
    "    return t > 0 ? t : 0;\n"
    "  };\n"
    "  const predict = (x) => {\n"
    "    if (x.length !== model.inputs) throw new RangeError(`expected ${model.inputs} numbers, got "
    "${x.length}`);\n"
    "    const z = prepare(Array.from(x)), out = model.constant.slice();\n"
    "    for (let j = 0; j < model.neurons; j++) {\n"
    "      const t = dot(model.hidden, j, model.hiddenShift[j], z);\n"
    "      if (model.kind === \"gated\" && !(t > 0)) continue;\n"
    "      for (let k = 0; k < model.outputs; k++) {\n"
    "        const at = j * model.outputs + k;\n"
    "        out[k] += model.kind === \"gated\" ? dot(model.output, at, model.outputShift[at], z) : "
    "model.output[at] * activate(t);\n"
    "      }\n"
    "    }\n"
    "    return out;\n"
    "  };\n"
    "  const label = (out) => out.length === 1 ? Number(out[0] > model.threshold)\n"
    "    : out.reduce((best, v, k) => (v > out[best] ? k : best), 0);\n"
    "  const probabilities = (out) => {\n"
    "    if (!model.probable) return null;\n"
    "    const factor = model.loss === \"exponential\" ? 2 : 1;\n"
    "    if (out.length === 1) return [1 / (1 + Math.exp(factor * out[0])), 1 / (1 + Math.exp(-factor * "
    "out[0]))];\n"
    "    const most = Math.max(...out), share = out.map((v) => Math.exp(v - most)), sum = share.reduce((a, "
    "b) => a + b, 0);\n"
    "    return share.map((v) => v / sum);\n"
    "  };\n";
static const char encode[] =
    "  const yearStart = (year) => Date.UTC(2000, 0, 1) / 1000 + 86400 * (365 * (year - 2000) + "
    "Math.floor((year - 1) / 4)\n"
    "    - Math.floor((year - 1) / 100) + Math.floor((year - 1) / 400) - 484);\n"
    "  const dateParts = (seconds) => {\n"
    "    const date = new Date(1000 * seconds), year = date.getUTCFullYear(), day = Math.floor(seconds / "
    "86400);\n"
    "    const first = yearStart(year);\n"
    "    return [year + (seconds - first) / (yearStart(year + 1) - first), date.getUTCMonth() + 1,\n"
    "      day + 3 - 7 * Math.floor((day + 3) / 7) + 1, (seconds - 86400 * day) / 3600];\n"
    "  };\n"
    "  const seconds = (v) => v instanceof Date ? v.getTime() / 1000 : typeof v === \"string\" ? "
    "Date.parse(v) / 1000 : Number(v);\n"
    "  const isMissing = (v) => v === undefined || v === null || v === \"\" || Number.isNaN(v);\n"
    "  const encode = (row) => {\n"
    "    const x = [];\n"
    "    for (const column of model.columns) {\n"
    "      const cell = row[column.name], missing = isMissing(cell);\n"
    "      if (column.is) {\n"
    "        const same = column.as === \"spelled\" ? (text) => Number(text) === Number(cell) : (text) => "
    "text === String(cell);\n"
    "        for (const text of column.is) x.push(Number(!missing && same(text)));\n"
    "      } else if (column.as === \"date\") {\n"
    "        const part = dateParts(missing ? column.median : seconds(cell));\n"
    "        for (let p = 0; p < 4; p++) if (column.parts >> p & 1) x.push(part[p]);\n"
    "      } else {\n"
    "        x.push(missing ? column.median : Number(cell));\n"
    "      }\n"
    "      if (column.indicator) x.push(Number(missing));\n"
    "    }\n"
    "    return x;\n"
    "  };\n"
    "  const predictRow = (row) => predict(encode(row));\n";

static fathom_status write_file(js_writer *w, const char *path)
{
    const bool table = w->model->schema != NULL;
    FATHOM_TRY(fathom_file_create(&w->file, w->model->context, path));
    put_model(w);
    fathom_file_print(w->file, "%s%s", predict, table ? encode : "");
    fathom_file_print(w->file,
                      "  return {model, classes: model.classes, predict, label, probabilities%s};\n})();\n"
                      "if (typeof module !== \"undefined\") module.exports = %s;\n",
                      table ? ", encode, predictRow" : "", w->name);
    return fathom_file_commit(w->file);
}

fathom_status fathom_model_export_js(const fathom_model *model, const char *path,
                                     const fathom_export_options *options)
{
    fathom_export_options defaults;
    fathom_export_net net = {0};
    fathom_options_init(&defaults, &fathom_export_option_table);
    options = options ? options : &defaults;
    js_writer w = {.model = model, .net = &net, .name = options->name};
    if (options->precision != FATHOM_EXPORT_DOUBLE)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE, "numbers of JavaScript are doubles");
    fathom_status status = fathom_export_check_name(model, options->name);
    FATHOM_THEN(status, fathom_export_net_open(&net, model, options));
    FATHOM_THEN(status, write_file(&w, path));
    fathom_export_net_close(&net, model->context);
    return status;
}
