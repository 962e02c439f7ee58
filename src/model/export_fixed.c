/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ReLU network as one C99 file of integers, with the proven deviation from the network over its box in
 * its head.
 *
 * NAME_predict takes integers and gives integers; only NAME_quantize, which a program may leave out, has
 * floating-point numbers.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "decimal.h"
#include "export_text.h"
#include "fixed.h"
#include "loss_row.h"
#include "memory.h"
#include "model_internal.h"
#include "random.h"

enum { TEST_ROWS = 8, BOXES = 4000 };
static const double WORK = 2e9; /* multiplications of the search for the bound, about a second */

typedef struct writer {
    fathom_file *file;
    const fathom_model *model;
    const fathom_fixed *fixed;
    const fathom_fixed_report *report;
    const char *name;
} writer;

static const char *type_of(int bits) { return bits == 8 ? "int8_t" : "int16_t"; }

static void put_reals(const writer *w, const char *what, const double *values, int64_t count)
{
    char text[FATHOM_DECIMAL_SIZE];
    fathom_file_print(w->file, "%s_CONST double %s_%s[%lld] = {", w->name, w->name, what, (long long)count);
    for (int64_t k = 0; k < count; k++) {
        fathom_decimal_format(text, values[k]);
        fathom_file_print(w->file, "%s%s,", k % 6 ? " " : "\n    ", text);
    }
    fathom_file_print(w->file, "\n};\n");
}

static void put_integers(const writer *w, const char *type, const char *what, const int32_t *values,
                         int64_t count)
{
    fathom_file_print(w->file, "%s_CONST %s %s_%s[%lld] = {", w->name, type, w->name, what,
                      (long long)(count ? count : 1));
    for (int64_t k = 0; k < count; k++)
        fathom_file_print(w->file, "%s%ld,", k % 16 ? " " : "\n    ", (long)values[k]);
    fathom_file_print(w->file, "%s};\n", count ? "\n" : "0");
}

static void put_head(const writer *w)
{
    const fathom_fixed *f = w->fixed;
    const char *n = w->name;
    char bound[FATHOM_DECIMAL_SIZE], scale[FATHOM_DECIMAL_SIZE];
    fathom_decimal_format(bound, w->report->upper);
    fathom_decimal_format(scale, f->scale);
    fathom_file_print(
        w->file,
        "/* A two-layer ReLU network in integers of %d bits, written by fathom %s: %lld inputs, %lld "
        "neurons, %lld output%s. C99.\n"
        " *\n *     void %s_quantize(const double x[%lld], %s_input q[%lld]);   not with %s_INTEGERS\n"
        " *     void %s_predict(const %s_input q[%lld], int64_t out[%lld]);\n%s%s%s"
        " *\n * For all inputs of the box middle - %lld step <= x <= middle + %lld step, %s_SCALE * out "
        "differs from the network's\n"
        " * output by at most %s. This bound is proved, rounding of inputs included.\n"
        " * Define %s_CONST to place the constants elsewhere, %s_SELF_TEST to make a program that tests "
        "itself. */\n",
        f->bits, fathom_version(), (long long)f->d, (long long)f->m, (long long)f->outputs,
        f->outputs == 1 ? "" : "s", n, (long long)f->d, n, (long long)f->d, n, n, n, (long long)f->d,
        (long long)f->outputs, w->model->classes ? " *     int " : "", w->model->classes ? n : "",
        w->model->classes ? "_class(const int64_t out[]); number of a name in the list of classes\n" : "",
        (long long)f->most, (long long)f->most, n, bound, n, n);
    fathom_file_print(
        w->file,
        "#include <stdint.h>\n#ifdef %s_SELF_TEST\n#include <stdio.h>\n#endif\n\n"
        "#ifndef %s_CONST\n#define %s_CONST static const\n#endif\n#ifndef %s_API\n#define %s_API\n#endif\n\n"
        "enum { %s_INPUTS = %lld, %s_NEURONS = %lld, %s_OUTPUTS = %lld };\ntypedef %s %s_input;\n"
        "#define %s_SCALE %s%s\n#define %s_DEVIATION %s%s\n\n",
        n, n, n, n, n, n, (long long)f->d, n, (long long)f->m, n, (long long)f->outputs, type_of(f->bits), n,
        n, scale, strpbrk(scale, ".e") ? "" : ".0", n, bound, strpbrk(bound, ".e") ? "" : ".0");
}

static void put_constants(const writer *w)
{
    const fathom_fixed *f = w->fixed;
    put_integers(w, type_of(f->bits), "hidden", f->k, f->m * f->d);
    put_integers(w, "int32_t", "shift", f->b, f->m);
    put_integers(w, "int16_t", "output", f->w, f->m * f->outputs);
    fathom_file_print(w->file, "%s_CONST int64_t %s_constant[%lld] = {", w->name, w->name,
                      (long long)f->outputs);
    for (int64_t k = 0; k < f->outputs; k++)
        fathom_file_print(w->file, "%sINT64_C(%lld)", k ? ", " : "", (long long)f->constant[k]);
    fathom_file_print(w->file, "};\n");
}

static void put_functions(const writer *w)
{
    const fathom_fixed *f = w->fixed;
    const char *n = w->name, *wide = f->bits == 8 ? "int32_t" : "int64_t";
    fathom_file_print(w->file,
                      "\n%s_API void %s_predict(const %s_input *q, int64_t *out)\n{\n    int i, j, k;\n"
                      "    for (k = 0; k < %s_OUTPUTS; k++)\n        out[k] = %s_constant[k];\n"
                      "    for (j = 0; j < %s_NEURONS; j++) {\n        %s t = %s_shift[j];\n"
                      "        for (i = 0; i < %s_INPUTS; i++)\n"
                      "            t += (%s)%s_hidden[(long)j * %s_INPUTS + i] * q[i];\n"
                      "        for (k = 0; k < %s_OUTPUTS && t > 0; k++)\n"
                      "            out[k] += (int64_t)%s_output[j * %s_OUTPUTS + k] * t;\n    }\n}\n",
                      n, n, n, n, n, n, wide, n, n, wide, n, n, n, n, n);
    fathom_file_print(w->file, "\n#ifndef %s_INTEGERS\n", n);
    put_reals(w, "middle", f->middle, f->d);
    put_reals(w, "step", f->step, f->d);
    fathom_file_print(w->file,
                      "\n%s_API void %s_quantize(const double *x, %s_input *q)\n{\n    int i;\n"
                      "    for (i = 0; i < %s_INPUTS; i++) {\n"
                      "        const double t = (x[i] - %s_middle[i]) / %s_step[i];\n"
                      "        q[i] = (%s_input)(t >= %lld ? %lld : t <= -%lld ? -%lld : t < 0 ? t - 0.5 : t "
                      "+ 0.5);\n    }\n}\n"
                      "#endif\n",
                      n, n, n, n, n, n, n, (long long)f->most, (long long)f->most, (long long)f->most,
                      (long long)f->most);
}

/* The rule of fathom_model_predict on out; a threshold is that of SCALE out, in integers. */
static void put_classes(const writer *w)
{
    const fathom_model *model = w->model;
    const char *n = w->name;
    if (!model->classes)
        return;
    fathom_export_put_class_names(w->file, model, n);
    fathom_file_print(w->file, "\n%s_API int %s_class(const int64_t *out)\n{\n", n, n);
    if (w->fixed->outputs > 1) {
        fathom_file_print(
            w->file,
            "    int k, best = 0;\n    for (k = 1; k < %s_OUTPUTS; k++)\n        if (out[k] > out[best])\n"
            "            best = k;\n    return best;\n}\n",
            n);
        return;
    }
    const double middle = fathom_loss_row_of(model->loss)->numbers
                              ? model->class_value[0] / 2 + model->class_value[model->classes - 1] / 2
                              : 0;
    fathom_file_print(w->file, "    return out[0] > INT64_C(%lld);\n}\n",
                      llrint(floor(middle / w->fixed->scale)));
}

/* Random inputs of the box with the network's outputs. */
static fathom_status put_self_test(const writer *w)
{
    const fathom_fixed *f = w->fixed;
    fathom_context *context = w->model->context;
    double *x = fathom_memory_alloc(context, TEST_ROWS * (f->d + f->outputs) + f->d + 1, sizeof *x);
    if (!x)
        return FATHOM_ERROR_MEMORY;
    double *out = x + TEST_ROWS * f->d, *q = out + TEST_ROWS * f->outputs;
    const uint64_t seed = fathom_context_seed(context);
    for (int64_t row = 0; row < TEST_ROWS; row++) {
        for (int64_t i = 0; i < f->d; i++) {
            const double u =
                fathom_random_uniform(seed, FATHOM_STREAM_TEST_DATA, 0, (uint64_t)(row * f->d + i));
            q[i] = (2 * u - 1) * (double)f->most;
            x[row * f->d + i] = f->middle[i] + f->step[i] * q[i];
        }
        for (int64_t k = 0; k < f->outputs; k++)
            out[row * f->outputs + k] = fathom_fixed_exact(f, q, k);
    }
    const char *n = w->name;
    fathom_file_print(w->file, "\n#ifdef %s_SELF_TEST\n", n);
    put_reals(w, "test_x", x, TEST_ROWS * f->d);
    put_reals(w, "test_f", out, TEST_ROWS * f->outputs);
    fathom_file_print(
        w->file,
        "\nint main(void)\n{\n    int row, k, failed = 0;\n    %s_input q[%s_INPUTS];\n    int64_t "
        "out[%s_OUTPUTS];\n"
        "    for (row = 0; row < %d; row++) {\n        %s_quantize(%s_test_x + row * %s_INPUTS, q);\n"
        "        %s_predict(q, out);\n        for (k = 0; k < %s_OUTPUTS; k++) {\n"
        "            const double error = %s_SCALE * (double)out[k] - %s_test_f[row * %s_OUTPUTS + k];\n"
        "            failed += !(error <= %s_DEVIATION && -error <= %s_DEVIATION);\n        }\n    }\n"
        "    printf(\"%%d outputs compared, %%d outside the bound\\n\", %d * %s_OUTPUTS, failed);\n"
        "    return failed != 0;\n}\n#endif\n",
        n, n, n, TEST_ROWS, n, n, n, n, n, n, n, n, n, n, TEST_ROWS, n);
    fathom_memory_free(context, x);
    return FATHOM_OK;
}

static fathom_status write_file(writer *w, const char *path)
{
    FATHOM_TRY(fathom_file_create(&w->file, w->model->context, path));
    put_head(w);
    put_constants(w);
    put_functions(w);
    put_classes(w);
    fathom_status status = put_self_test(w);
    if (status == FATHOM_OK)
        return fathom_file_commit(w->file);
    fathom_file_abort(w->file);
    return status;
}

/* Bounds over all outputs, and what the constants take. */
static fathom_status measure(fathom_fixed_report *report, const fathom_fixed *f, fathom_context *context)
{
    const double each = (double)(f->outputs * (f->m + 1) * (f->d + 1));
    const int64_t boxes = (int64_t)fmax(1, fmin(BOXES, WORK / each));
    *report = (fathom_fixed_report){.bytes = f->m * f->d * f->bits / 8 + 4 * f->m + 2 * f->m * f->outputs +
                                             8 * f->outputs};
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < f->outputs && status == FATHOM_OK; k++) {
        double lower = 0, upper = 0;
        status = fathom_fixed_deviation(&lower, &upper, f, context, k, boxes);
        report->lower = fmax(report->lower, lower), report->upper = fmax(report->upper, upper);
    }
    return status;
}

fathom_status fathom_model_export_fixed(fathom_fixed_report *report, const fathom_model *model,
                                        const char *path, const fathom_export_options *options,
                                        const double *low, const double *high)
{
    fathom_context *context = model->context;
    fathom_export_net net = {0};
    fathom_fixed fixed = {0};
    if (!options || options->precision <= FATHOM_EXPORT_FLOAT)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "integers are --precision int16 or int8");
    const int bits = options->precision == FATHOM_EXPORT_INT8 ? 8 : 16;
    fathom_status status = fathom_export_check_name(model, options->name);
    FATHOM_THEN(status, fathom_export_net_open(&net, model, options));
    FATHOM_THEN(status, fathom_fixed_open(&fixed, model, &net, bits, low, high));
    FATHOM_THEN(status, measure(report, &fixed, context));
    writer w = {.model = model, .fixed = &fixed, .report = report, .name = options->name};
    FATHOM_THEN(status, write_file(&w, path));
    fathom_fixed_close(&fixed, context);
    fathom_export_net_close(&net, context);
    return status;
}
