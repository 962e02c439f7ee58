/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model as one C99 file: constants, a function from raw columns to outputs, and a self-test.
 *
 * The self-test stores a few examples with the outputs of fathom_net_forward and, for each output, a bound
 * on how far two evaluations of the same sums in any order can be apart: with k = 2 (d + m + 8) roundings
 * of size u on the way,
 *
 *     |f - f'| <= k u (|c| + sum_j |A_j| (sum_i |H_ji| X_i + |h_j|)),   X_i = (|x_i| + |mean_i|) / scale_i,
 *
 * plus |<A_j, x> + g_j| for every gate whose product is itself within rounding of zero.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "export_net.h"
#include "export_schema.h"
#include "export_text.h"
#include "file_write.h"
#include "loss_row.h"
#include "memory.h"
#include "model_internal.h"
#include "model_names.h"
#include "random.h"

enum { TEST_ROWS = 4 };

/* What all parts of the file need. */
typedef struct writer {
    fathom_file *file;
    const fathom_model *model;
    const fathom_export_net *net;
    const char *name;
    bool narrow; /* float */
} writer;

static void put_number(const writer *w, double value) { fathom_export_put_number(w->file, value, w->narrow); }

static void put_array(const writer *w, const char *what, const double *values, int64_t count)
{
    if (!values || !count)
        return;
    fathom_file_print(w->file, "%s_CONST %s_real %s_%s[%lld] = {", w->name, w->name, w->name, what,
                      (long long)count);
    for (int64_t k = 0; k < count; k++) {
        fathom_file_print(w->file, k % 6 ? " " : "\n    ");
        put_number(w, values[k]);
        fathom_file_print(w->file, ",");
    }
    fathom_file_print(w->file, "\n};\n");
}

static bool has_probabilities(const fathom_model *model);

static void put_head(const writer *w)
{
    const fathom_export_net *e = w->net;
    const char *n = w->name;
    const fathom_schema *schema = w->model->schema;
    const bool root =
        w->model->normalize == FATHOM_NORMALIZE_UNIT || (schema && fathom_export_has_dates(schema));
    fathom_file_print(
        w->file,
        "/* A two-layer %s network, written by fathom %s: %lld inputs, %lld neurons, %lld output%s. "
        "C99.\n *\n"
        " *     void %s_predict(const %s_real x[%lld], %s_real out[%lld]);\n",
        fathom_kind_names[e->kind], fathom_version(), (long long)e->d, (long long)e->m, (long long)e->outputs,
        e->outputs == 1 ? "" : "s", n, n, (long long)e->d, n, (long long)e->outputs);
    if (w->model->classes)
        fathom_file_print(w->file,
                          " *     int %s_class(const %s_real out[%lld]); number of a name in %s_class_name\n",
                          n, n, (long long)e->outputs, n);
    if (has_probabilities(w->model))
        fathom_file_print(
            w->file,
            " *     void %s_probability(const %s_real out[%lld], %s_real p[%lld]); with -D%s_PROBABILITY\n",
            n, n, (long long)e->outputs, n, (long long)w->model->classes, n);
    if (schema)
        fathom_file_print(
            w->file, " *     void %s_predict_row(const %s_row *row, %s_real out[%lld]); a row of the table\n",
            n, n, n, (long long)e->outputs);
    fathom_file_print(
        w->file,
        " *\n * Define %s_CONST to place the constants elsewhere, %s_SELF_TEST to make a program\n"
        " * that tests itself, and %s_API to change the linkage of the functions. */\n",
        n, n, n);
    if (has_probabilities(w->model) && !root)
        fathom_file_print(w->file, "#ifdef %s_PROBABILITY\n#include <math.h>\n#endif\n", n);
    fathom_file_print(
        w->file,
        "%s%s#ifdef %s_SELF_TEST\n#include <stdio.h>\n#endif\n\n"
        "#ifndef %s_CONST\n#define %s_CONST static const\n#endif\n#ifndef %s_API\n#define %s_API\n#endif\n\n"
        "enum { %s_INPUTS = %lld, %s_NEURONS = %lld, %s_OUTPUTS = %lld };\ntypedef %s %s_real;\n\n",
        root ? "#include <math.h>\n" : "", schema ? "#include <string.h>\n" : "", n, n, n, n, n, n,
        (long long)e->d, n, (long long)e->m, n, (long long)e->outputs, w->narrow ? "float" : "double", n);
}

static void put_constants(const writer *w)
{
    const fathom_export_net *e = w->net;
    put_array(w, "mean", w->model->mean, e->d);
    put_array(w, "scale", w->model->scale, e->d);
    put_array(w, "hidden", e->hidden, e->m * e->d);
    put_array(w, "hidden_shift", e->hidden_shift, e->m);
    put_array(w, "output", e->output, e->m * e->outputs * e->width);
    put_array(w, "output_shift", e->output_shift, e->output_shift ? e->m * e->outputs : 0);
    put_array(w, "constant", e->constant, e->outputs);
}

/* x, as the network sees it, into z. */
static void put_normalize(const writer *w)
{
    const char *n = w->name;
    fathom_file_print(w->file,
                      "\n%s_API void %s_predict(const %s_real *x, %s_real *out)\n{\n    int i, j, k;\n"
                      "    %s_real z[%s_INPUTS];\n",
                      n, n, n, n, n, n);
    if (w->model->normalize == FATHOM_NORMALIZE_UNIT)
        fathom_file_print(
            w->file,
            "    %s_real norm = 0;\n    for (i = 0; i < %s_INPUTS; i++)\n        norm += x[i] * x[i];\n"
            "    norm = norm > 0 ? %s(norm) : 1;\n",
            n, n, w->narrow ? "sqrtf" : "sqrt");
    fathom_file_print(w->file, "    for (i = 0; i < %s_INPUTS; i++)\n", n);
    if (w->model->normalize == FATHOM_NORMALIZE_UNIT)
        fathom_file_print(w->file, "        z[i] = x[i] / norm;\n");
    else if (w->model->normalize == FATHOM_NORMALIZE_STANDARDIZE)
        fathom_file_print(w->file, "        z[i] = (x[i] - %s_mean[i]) / %s_scale[i];\n", n, n);
    else
        fathom_file_print(w->file, "        z[i] = x[i];\n");
    fathom_file_print(w->file, "    for (k = 0; k < %s_OUTPUTS; k++)\n        out[k] = %s_constant[k];\n", n,
                      n);
}

/* t becomes sigma(t). */
static void put_activation(const writer *w)
{
    fathom_file_print(w->file, "        t = ");
    if (w->net->kind == FATHOM_NET_HUBER) {
        fathom_file_print(w->file, "t <= 0 ? 0 : t < ");
        put_number(w, w->net->parameter);
        fathom_file_print(w->file, " ? t * t / (2 * ");
        put_number(w, w->net->parameter);
        fathom_file_print(w->file, ") : t - ");
        put_number(w, w->net->parameter);
        fathom_file_print(w->file, " / 2;\n");
    } else if (w->net->kind == FATHOM_NET_LEAKY) {
        fathom_file_print(w->file, "t > 0 ? t : ");
        put_number(w, w->net->parameter);
        fathom_file_print(w->file, " * t;\n");
    } else {
        fathom_file_print(w->file, "t > 0 ? t : 0;\n");
    }
}

static void put_plain_output(const writer *w)
{
    const char *n = w->name;
    put_activation(w);
    fathom_file_print(
        w->file,
        "        for (k = 0; k < %s_OUTPUTS; k++)\n            out[k] += %s_output[j * %s_OUTPUTS + k] * t;\n"
        "    }\n}\n",
        n, n, n);
}

static void put_gated_output(const writer *w)
{
    const char *n = w->name;
    fathom_file_print(
        w->file,
        "        if (!(t > 0))\n            continue;\n        for (k = 0; k < %s_OUTPUTS; k++) {\n"
        "            const long row = (long)j * %s_OUTPUTS + k;\n            t = %s_output_shift[row];\n"
        "            for (i = 0; i < %s_INPUTS; i++)\n                t += %s_output[row * %s_INPUTS + i] * "
        "z[i];\n"
        "            out[k] += t;\n        }\n    }\n}\n",
        n, n, n, n, n, n);
}

static void put_predict(const writer *w)
{
    const char *n = w->name;
    put_normalize(w);
    if (!w->net->m) {
        fathom_file_print(w->file, "    (void)j;\n    (void)z;\n}\n");
        return;
    }
    fathom_file_print(w->file,
                      "    for (j = 0; j < %s_NEURONS; j++) {\n        %s_real t = %s_hidden_shift[j];\n"
                      "        for (i = 0; i < %s_INPUTS; i++)\n"
                      "            t += %s_hidden[(long)j * %s_INPUTS + i] * z[i];\n",
                      n, n, n, n, n, n);
    if (w->net->kind == FATHOM_NET_GATED)
        put_gated_output(w);
    else
        put_plain_output(w);
}

/* The rule of fathom_model_predict. */
static void put_classes(const writer *w)
{
    const fathom_model *model = w->model;
    const char *n = w->name;
    if (!model->classes)
        return;
    fathom_export_put_class_names(w->file, model, n);
    fathom_file_print(w->file, "\n%s_API int %s_class(const %s_real *out)\n{\n", n, n, n);
    if (w->net->outputs == 1) {
        fathom_file_print(w->file, "    return out[0] > ");
        put_number(w, fathom_loss_row_of(model->loss)->numbers
                          ? model->class_value[0] / 2 + model->class_value[model->classes - 1] / 2
                          : 0);
        fathom_file_print(w->file, ";\n}\n");
        return;
    }
    fathom_file_print(
        w->file,
        "    int k, best = 0;\n    for (k = 1; k < %s_OUTPUTS; k++)\n        if (out[k] > out[best])\n"
        "            best = k;\n    return best;\n}\n",
        n);
}

static bool has_probabilities(const fathom_model *model)
{
    return model->classes && fathom_loss_row_of(model->loss)->probabilities;
}

/* Probabilities of the classes by the rule of fathom_model_predict, for who can call exp. */
static void put_probability(const writer *w)
{
    const char *n = w->name, *exponential = w->narrow ? "expf" : "exp";
    if (!has_probabilities(w->model))
        return;
    fathom_file_print(
        w->file, "\n#ifdef %s_PROBABILITY\n%s_API void %s_probability(const %s_real *out, %s_real *p)\n{\n",
        n, n, n, n, n);
    if (w->net->outputs == 1)
        fathom_file_print(
            w->file, "    p[1] = 1 / (1 + %s(%s-out[0]));\n    p[0] = 1 / (1 + %s(%sout[0]));\n}\n#endif\n",
            exponential, w->model->loss == FATHOM_LOSS_EXPONENTIAL ? "2 * " : "", exponential,
            w->model->loss == FATHOM_LOSS_EXPONENTIAL ? "2 * " : "");
    else
        fathom_file_print(
            w->file,
            "    const int best = %s_class(out);\n    int k;\n    %s_real sum = 0;\n"
            "    for (k = 0; k < %s_OUTPUTS; k++)\n        sum += p[k] = %s(out[k] - out[best]);\n"
            "    for (k = 0; k < %s_OUTPUTS; k++)\n        p[k] /= sum;\n}\n#endif\n",
            n, n, n, exponential, n);
}

/* Examples, their outputs, and the bound on rounding of each output. */
typedef struct self_test {
    double *x, *f, *bound; /* TEST_ROWS x d, outputs, outputs */
    double *size;          /* 2 d, work */
} self_test;

static fathom_status test_outputs(self_test *t, const writer *w)
{
    fathom_model_view view = fathom_model_look(w->model);
    fathom_data *data;
    view.preprocess.schema = NULL; /* the columns are there already */
    FATHOM_TRY(fathom_data_create_like(&data, w->model->context, TEST_ROWS, w->net->d, t->x, w->net->d, 0,
                                       NULL, NULL, &view.preprocess, &view.classes));
    fathom_status status = fathom_net_forward(t->f, view.net, data);
    fathom_data_free(data);
    return status;
}

/* One example as the network sees it, z, and the magnitudes X that its rounding is relative to. */
static void test_sizes(double *z, double *size, const double *x, const writer *w)
{
    const fathom_model *model = w->model;
    double norm = 0;
    for (int64_t i = 0; i < w->net->d; i++)
        norm += x[i] * x[i];
    norm = model->normalize == FATHOM_NORMALIZE_UNIT && norm > 0 ? sqrt(norm) : 1;
    for (int64_t i = 0; i < w->net->d; i++) {
        z[i] = model->mean ? (x[i] - model->mean[i]) / model->scale[i] : x[i] / norm;
        size[i] = model->mean ? (fabs(x[i]) + fabs(model->mean[i])) / model->scale[i] : fabs(z[i]);
    }
}

/* sum_i |a_i| X_i + |shift|. */
static double reach(const double *a, const double *size, int64_t d, double shift)
{
    double sum = fabs(shift);
    for (int64_t i = 0; i < d; i++)
        sum += fabs(a[i]) * size[i];
    return sum;
}

/* Whether rounding of size `most` can turn the gate. */
static bool gate_may_turn(const fathom_export_net *e, int64_t j, const double *z, double most)
{
    double t = e->hidden_shift[j];
    for (int64_t i = 0; i < e->d; i++)
        t += e->hidden[j * e->d + i] * z[i];
    return fabs(t) <= most;
}

static void test_bounds(self_test *t, const writer *w, int64_t row)
{
    const fathom_export_net *e = w->net;
    double *bound = t->bound + row * e->outputs, *z = t->size + e->d;
    const double unit = 2 * (double)(e->d + e->m + 8) * (w->narrow ? 0x1p-24 : 0x1p-53);
    test_sizes(z, t->size, t->x + row * e->d, w);
    for (int64_t k = 0; k < e->outputs; k++)
        bound[k] = unit * fabs(e->constant[k]);
    for (int64_t j = 0; j < e->m; j++) {
        const double hidden = reach(e->hidden + j * e->d, t->size, e->d, e->hidden_shift[j]);
        const bool turns = e->output_shift && gate_may_turn(e, j, z, unit * hidden);
        for (int64_t k = 0; k < e->outputs; k++) {
            const int64_t at = j * e->outputs + k;
            const double out = e->output_shift
                                   ? reach(e->output + at * e->d, t->size, e->d, e->output_shift[at])
                                   : fabs(e->output[at]) * hidden;
            bound[k] += turns ? out : unit * out;
        }
    }
}

static fathom_status test_open(self_test *t, const writer *w)
{
    const int64_t d = w->net->d, outputs = w->net->outputs;
    fathom_context *context = w->model->context;
    t->x = fathom_memory_alloc(context, TEST_ROWS * (d + 2 * outputs) + 2 * d, sizeof *t->x);
    if (!t->x)
        return FATHOM_ERROR_MEMORY;
    t->f = t->x + TEST_ROWS * d;
    t->bound = t->f + TEST_ROWS * outputs;
    t->size = t->bound + TEST_ROWS * outputs;
    fathom_random_normals(t->x, TEST_ROWS * d, fathom_context_seed(context), FATHOM_STREAM_TEST_DATA, 0, 0);
    for (int64_t k = 0; k < TEST_ROWS * d; k++) {
        const double raw =
            w->model->mean ? w->model->mean[k % d] + w->model->scale[k % d] * t->x[k] : t->x[k];
        t->x[k] = w->narrow ? (double)(float)raw : raw;
    }
    const fathom_status status = test_outputs(t, w);
    for (int64_t row = 0; row < TEST_ROWS && status == FATHOM_OK; row++)
        test_bounds(t, w, row);
    return status;
}

static void put_self_test(const writer *w, const self_test *t)
{
    const int64_t d = w->net->d, outputs = w->net->outputs;
    const char *n = w->name;
    fathom_file_print(w->file, "\n#ifdef %s_SELF_TEST\n", n);
    put_array(w, "test_x", t->x, TEST_ROWS * d);
    put_array(w, "test_f", t->f, TEST_ROWS * outputs);
    put_array(w, "test_bound", t->bound, TEST_ROWS * outputs);
    fathom_file_print(
        w->file,
        "\nint main(void)\n{\n    int row, k, failed = 0;\n    %s_real out[%s_OUTPUTS];\n"
        "    for (row = 0; row < %d; row++) {\n        %s_predict(%s_test_x + row * %s_INPUTS, out);\n"
        "        for (k = 0; k < %s_OUTPUTS; k++) {\n            const int at = row * %s_OUTPUTS + k;\n"
        "            const %s_real error = out[k] > %s_test_f[at] ? out[k] - %s_test_f[at] : %s_test_f[at] - "
        "out[k];\n"
        "            failed += !(error <= %s_test_bound[at]);\n        }\n    }\n"
        "    printf(\"%%d outputs compared, %%d outside their bound\\n\", %d * %s_OUTPUTS, failed);\n"
        "    return failed != 0;\n}\n#endif\n",
        n, n, TEST_ROWS, n, n, n, n, n, n, n, n, n, n, TEST_ROWS, n);
}

static fathom_status write_file(writer *w, const char *path, const self_test *test)
{
    FATHOM_TRY(fathom_file_create(&w->file, w->model->context, path));
    fathom_status status = FATHOM_OK;
    put_head(w);
    put_constants(w);
    put_predict(w);
    put_classes(w);
    put_probability(w);
    if (w->model->schema)
        status = fathom_export_put_schema(w->file, w->model->context, w->model->schema, w->name);
    put_self_test(w, test);
    if (status == FATHOM_OK)
        return fathom_file_commit(w->file);
    fathom_file_abort(w->file);
    return status;
}

/* The declarations of all that the file defines, for C and C++. */
static fathom_status write_header(writer *w, const char *path)
{
    const fathom_export_net *e = w->net;
    const char *n = w->name;
    FATHOM_TRY(fathom_file_create(&w->file, w->model->context, path));
    fathom_file_print(
        w->file,
        "/* Declarations of %s.c's functions, written by fathom %s. */\n#ifndef %s_HEADER\n#define "
        "%s_HEADER\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "enum { %s_INPUTS = %lld, %s_NEURONS = %lld, %s_OUTPUTS = %lld };\ntypedef %s %s_real;\n\n"
        "void %s_predict(const %s_real *x, %s_real *out);\n",
        n, fathom_version(), n, n, n, (long long)e->d, n, (long long)e->m, n, (long long)e->outputs,
        w->narrow ? "float" : "double", n, n, n, n);
    if (w->model->classes)
        fathom_file_print(
            w->file, "extern const char *const %s_class_name[%lld];\nint %s_class(const %s_real *out);\n", n,
            (long long)w->model->classes, n, n);
    if (has_probabilities(w->model))
        fathom_file_print(
            w->file, "void %s_probability(const %s_real *out, %s_real *p); /* with -D%s_PROBABILITY */\n", n,
            n, n, n);
    fathom_status status = FATHOM_OK;
    if (w->model->schema) {
        status = fathom_export_put_row(w->file, w->model->context, w->model->schema, n);
        fathom_file_print(w->file,
                          "void %s_encode(const %s_row *row, %s_real *x);\n"
                          "void %s_predict_row(const %s_row *row, %s_real *out);\n",
                          n, n, n, n, n, n);
    }
    fathom_file_print(w->file, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    if (status == FATHOM_OK)
        return fathom_file_commit(w->file);
    fathom_file_abort(w->file);
    return status;
}

fathom_status fathom_model_export_c(const fathom_model *model, const char *path,
                                    const fathom_export_options *options)
{
    fathom_export_options defaults;
    fathom_export_net net = {0};
    self_test test = {0};
    fathom_options_init(&defaults, &fathom_export_option_table);
    options = options ? options : &defaults;
    writer w = {.model = model, .net = &net, .name = options->name, .narrow = options->precision == 1};
    if (options->precision > FATHOM_EXPORT_FLOAT)
        return fathom_error_set(model->context, FATHOM_ERROR_USAGE,
                                "integers need a box of inputs: fathom_model_export_fixed (--data DATA)");
    fathom_status status = fathom_export_check_name(model, options->name);
    FATHOM_THEN(status, fathom_export_net_open(&net, model, options));
    FATHOM_THEN(status, test_open(&test, &w));
    FATHOM_THEN(status, write_file(&w, path, &test));
    if (status == FATHOM_OK && options->header)
        status = write_header(&w, options->header);
    fathom_memory_free(model->context, test.x);
    fathom_export_net_close(&net, model->context);
    return status;
}
