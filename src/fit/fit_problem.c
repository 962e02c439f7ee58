/* SPDX-License-Identifier: Apache-2.0 */
/* The problem of a fit read off data and options: task, targets in units of their own, folds. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "dense.h"
#include "fit_internal.h"
#include "inner/data.h"
#include "memory.h"
#include "number.h"
#include "random.h"

/* Integers of at most so many values, each often enough, are classes. */
enum { MOST_CLASSES = 10, LEAST_OF_CLASS = 5, MANY = 20 };

static bool is_number(const char *text)
{
    double value;
    size_t end;
    const size_t length = strlen(text);
    return fathom_number_parse(&value, &end, text, length) == FATHOM_NUMBER_OK && end == length;
}

/* Whether the target stands for classes: texts, two values, or few integers. */
static bool looks_like_classes(const fathom_data_view *view)
{
    if (view->classes < 2)
        return false;
    for (int64_t k = 0; k < view->classes; k++)
        if (!is_number(view->class_name[k]))
            return true;
    if (view->classes == 2 && view->n > 2)
        return true;
    for (int64_t k = 0; k < view->classes; k++)
        if (view->class_value[k] != floor(view->class_value[k]))
            return false;
    return view->classes <= MOST_CLASSES && view->n >= LEAST_OF_CLASS * view->classes;
}

/* ": name", the columns that could be meant instead, for messages about a target that is none. */
static void list_columns(char *list, size_t size, const fathom_schema *schema)
{
    enum { LISTED = 8 };
    *list = 0;
    for (int64_t k = 0; schema && k < schema->columns && k <= LISTED; k++) {
        const size_t used = strlen(list);
        snprintf(list + used, size - used, "%s%.40s",
                 k ? ", " : "; other columns: ", k < LISTED ? schema->column[k].name : "...");
    }
}

/* A target that says nothing, or another thing in every row, is not the one that was meant. */
static fathom_status check_target(const fit_problem *p, const fathom_data_view *view)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(p->data);
    const char *name = preprocess.target ? preprocess.target : "(the last column)";
    char list[480];
    list_columns(list, sizeof list, preprocess.schema);
    if (view->classes == 1)
        return fathom_error_set(
            p->context, FATHOM_ERROR_INPUT,
            "the target %.80s is '%.40s' in all rows: there is nothing to learn (--target "
            "NAME says which column is meant%s)",
            name, view->class_name[0], list);
    if (p->data->text && view->n >= MANY && 2 * view->classes > view->n)
        return fathom_error_set(
            p->context, FATHOM_ERROR_INPUT,
            "the target %.80s has %lld different texts in %lld rows, such as '%.40s': not "
            "classes (--target NAME says which column is meant%s; --task classify insists)",
            name, (long long)view->classes, (long long)view->n, view->class_name[0], list);
    return FATHOM_OK;
}

static fathom_status choose_task(fit_problem *p, const fathom_data_view *view)
{
    enum { AUTO, CLASSIFY };
    const int wish = p->options->task;
    if (view->outputs != 1)
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT, "fit takes one target, the data has %lld",
                                (long long)view->outputs);
    FATHOM_TRY(wish == AUTO ? check_target(p, view) : FATHOM_OK);
    const bool classes = wish == AUTO ? looks_like_classes(view) : wish == CLASSIFY;
    if (classes && view->classes < 2)
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT,
                                view->classes == 1
                                    ? "the target has one class only: there is nothing to learn"
                                    : "the target does not stand for classes");
    p->classes = classes ? view->classes : 0;
    p->task = !classes ? FATHOM_FIT_REGRESSION : p->classes == 2 ? FATHOM_FIT_BINARY : FATHOM_FIT_MULTICLASS;
    p->loss = p->task == FATHOM_FIT_REGRESSION ? FATHOM_LOSS_SQUARED
              : p->task == FATHOM_FIT_BINARY   ? FATHOM_LOSS_LOGISTIC
                                               : FATHOM_LOSS_SOFTMAX;
    p->outputs = p->task == FATHOM_FIT_MULTICLASS ? p->classes : 1;
    return FATHOM_OK;
}

fathom_status fathom_fit_set_bias(fathom_context *context, fathom_data *data,
                                  const fathom_fit_options *options)
{
    const fathom_data_view view = fathom_data_look(data);
    fit_problem p = {.context = context, .data = data, .options = options};
    FATHOM_TRY(choose_task(&p, &view));
    return fathom_data_set_bias(data, p.classes > 0 ? FATHOM_BIAS_AUGMENT : FATHOM_BIAS_FREE);
}

/* --balance: every class has the same weight. */
static fathom_status balance(fit_problem *p)
{
    fathom_data *data = p->data;
    double *sum = fathom_memory_zero(p->context, p->classes, sizeof *sum), total = 0;
    if (!data->weight && sum) {
        data->weight = fathom_memory_alloc(p->context, p->n, sizeof *data->weight);
        for (int64_t i = 0; data->weight && i < p->n; i++)
            data->weight[i] = 1;
    }
    if (!sum || !data->weight) {
        fathom_memory_free(p->context, sum);
        return FATHOM_ERROR_MEMORY;
    }
    for (int64_t i = 0; i < p->n; i++) {
        sum[(int64_t)p->target[i]] += data->weight[i];
        total += data->weight[i];
    }
    for (int64_t i = 0; i < p->n; i++)
        data->weight[i] *= total / ((double)p->classes * sum[(int64_t)p->target[i]]);
    p->weight = data->weight;
    fathom_memory_free(p->context, sum);
    return FATHOM_OK;
}

static double weight_of(const fit_problem *p, int64_t i) { return p->weight ? p->weight[i] : 1; }

/* Numbers in units of their deviation from the centre: the mean where biases are free, else 0. */
static void code_numbers(fit_problem *p, const double *y)
{
    double sum = 0, square = 0, total = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += weight_of(p, i) * y[i];
        total += weight_of(p, i);
    }
    p->centre = p->free_bias ? sum / total : 0;
    for (int64_t i = 0; i < p->n; i++)
        square += weight_of(p, i) * (y[i] - p->centre) * (y[i] - p->centre);
    p->unit = square > 0 ? sqrt(square / total) : 1;
    for (int64_t i = 0; i < p->n; i++) {
        p->target[i] = y[i];
        p->y[i] = (float)((y[i] - p->centre) / p->unit);
    }
}

static fathom_status code_targets(fit_problem *p, const fathom_data_view *view)
{
    p->y = fathom_memory_alloc(p->context, p->n * p->outputs + 64, sizeof *p->y);
    p->target = fathom_memory_alloc(p->context, p->n, sizeof *p->target);
    if (!p->y || !p->target)
        return FATHOM_ERROR_MEMORY;
    p->unit = 1;
    if (p->task == FATHOM_FIT_REGRESSION) {
        code_numbers(p, view->y);
        return FATHOM_OK;
    }
    for (int64_t i = 0; i < p->n; i++) {
        int64_t k = 0;
        while (k + 1 < p->classes && view->class_value[k] != view->y[i])
            k++;
        p->target[i] = (double)k;
        for (int64_t o = 0; o < p->outputs; o++)
            p->y[i * p->outputs + o] = p->outputs == 1 ? (k == 1 ? 1.0F : -1.0F) : (o == k ? 1.0F : 0.0F);
    }
    return p->options->balance ? balance(p) : FATHOM_OK;
}

/* Folds with equal shares of every class: the rows of a class, permuted, are dealt out in turn. */
static fathom_status cut_folds(fit_problem *p)
{
    int64_t *order = fathom_memory_alloc(p->context, p->n, sizeof *order);
    p->fold = fathom_memory_alloc(p->context, p->repeats * p->n, sizeof *p->fold);
    p->mass = fathom_memory_zero(p->context, p->parts, sizeof *p->mass);
    if (!order || !p->fold || !p->mass) {
        fathom_memory_free(p->context, order);
        return FATHOM_ERROR_MEMORY;
    }
    const int64_t classes = p->classes > 0 ? p->classes : 1;
    for (int64_t r = 0; r < p->repeats; r++) {
        int64_t dealt = 0;
        fathom_random_permutation(order, p->n, fathom_context_seed(p->context), FATHOM_STREAM_FOLD,
                                  (uint32_t)r);
        for (int64_t k = 0; k < classes; k++)
            for (int64_t a = 0; a < p->n; a++)
                if (p->classes == 0 || (int64_t)p->target[order[a]] == k) {
                    const int64_t fold = dealt++ % p->folds;
                    p->fold[r * p->n + order[a]] = (int32_t)fold;
                    p->mass[r * p->folds + fold] += weight_of(p, order[a]);
                }
    }
    for (int64_t i = 0; i < p->n; i++)
        p->total += weight_of(p, i);
    fathom_memory_free(p->context, order);
    return FATHOM_OK;
}

/* X'(Y - mean Y) as outputs x d; for y = +-1 half of it, y being twice a share. */
static void correlate(double *sum, double *mean, const fit_problem *p)
{
    const double half = p->loss == FATHOM_LOSS_LOGISTIC ? 0.5 : 1;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->outputs; k++)
            mean[k] += weight_of(p, i) * (double)p->y[i * p->outputs + k] / p->total;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->outputs; k++) {
            const double v = half * weight_of(p, i) * ((double)p->y[i * p->outputs + k] - mean[k]);
            const fathom_local_sparse *s = &p->sparse;
            for (int64_t l = 0; l < p->d && !fit_is_sparse(p); l++)
                sum[k * p->d + l] += v * p->rows[i * p->d + l];
            for (int64_t e = fit_is_sparse(p) ? s->row_start[i] : 0;
                 fit_is_sparse(p) && e < s->row_start[i + 1]; e++)
                if (s->column[e] < p->d)
                    sum[k * p->d + s->column[e]] += v * (double)s->value[e];
        }
}

/* About |A|_2, A outputs x d, by power iteration from its rows' sum of lengths: t (outputs) and s (d) are
 * room. */
static double spectral_norm(const double *a, int64_t outputs, int64_t d, double *t, double *s)
{
    double norm = 0;
    for (int64_t k = 0; k < outputs; k++)
        t[k] = k % 2 ? -1 : 1 + 0.1 * (double)k;
    for (int step = 0; step < 30; step++) {
        double across = 0, along = 0;
        memset(s, 0, (size_t)d * sizeof *s);
        for (int64_t k = 0; k < outputs; k++)
            for (int64_t l = 0; l < d; l++)
                s[l] += t[k] * a[k * d + l];
        for (int64_t k = 0; k < outputs; k++)
            across += t[k] * t[k];
        for (int64_t l = 0; l < d; l++)
            along += s[l] * s[l];
        norm = across > 0 ? sqrt(along / across) : 0;
        memset(t, 0, (size_t)outputs * sizeof *t);
        for (int64_t k = 0; k < outputs; k++)
            for (int64_t l = 0; l < d; l++)
                t[k] += s[l] * a[k * d + l] / (along > 0 ? sqrt(along) : 1);
    }
    return norm;
}

/* |X'(Y - mean Y)|_2 / 2: about the largest price of a neuron at the best constant, as relu has half of
 * what a linear unit has. The grid's scale, no more. */
static fathom_status find_largest(fit_problem *p)
{
    const int64_t size = p->outputs * p->d;
    double *sum = fathom_memory_zero(p->context, size + p->outputs + p->d, sizeof *sum);
    if (!sum)
        return FATHOM_ERROR_MEMORY;
    correlate(sum, sum + size, p);
    const double norm = spectral_norm(sum, p->outputs, p->d, sum + size, sum + size + p->outputs);
    p->largest = norm > 0 ? 0.5 * norm : 1;
    fathom_memory_free(p->context, sum);
    return FATHOM_OK;
}

/* Entries in single precision; with a free bias every row ends with an entry 1 in a column of its own. */
static fathom_status read_sparse(fit_problem *p, const fathom_data_view *view)
{
    const int64_t more = p->free_bias ? p->n : 0, entries = view->row_start[p->n] + more;
    p->value = fathom_memory_alloc(p->context, entries, sizeof *p->value);
    p->row_start = fathom_memory_alloc(p->context, p->n + 1, sizeof *p->row_start);
    p->column = fathom_memory_alloc(p->context, entries, sizeof *p->column);
    if (!p->value || !p->row_start || !p->column)
        return FATHOM_ERROR_MEMORY;
    int64_t at = 0;
    for (int64_t i = 0; i < p->n; i++) {
        p->row_start[i] = at;
        for (int64_t e = view->row_start[i]; e < view->row_start[i + 1]; e++, at++) {
            p->column[at] = view->column[e];
            p->value[at] = (float)view->value[e];
        }
        if (p->free_bias) {
            p->column[at] = (int32_t)p->d;
            p->value[at++] = 1;
        }
    }
    p->row_start[p->n] = at;
    p->sparse = (fathom_local_sparse){.row_start = p->row_start, .column = p->column, .value = p->value};
    return FATHOM_OK;
}

static fathom_status read_rows(fit_problem *p, const fathom_data_view *view)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(p->data);
    p->free_bias = view->bias == FATHOM_BIAS_FREE;
    p->columns = p->d + (p->free_bias ? 1 : 0);
    /* the shift of a column needs a place to go to */
    p->standard = preprocess.normalize == FATHOM_NORMALIZE_STANDARDIZE && view->bias != FATHOM_BIAS_NONE;
    p->moving = view->bias == FATHOM_BIAS_AUGMENT ? p->d - 1 : p->d;
    if (fathom_data_is_sparse(p->data))
        return read_sparse(p, view);
    if (view->x && view->ld == p->d) {
        p->rows = view->x;
        return FATHOM_OK;
    }
    const fathom_status status = fathom_dense_copy(&p->x, view, p->context);
    p->rows = p->x;
    return status;
}

/* Single precision has no room for everything: columns in their own units may be out of it, and squares of
 * targets out of double. */
static fathom_status check_range(const fit_problem *p)
{
    const double most_value = 1e12, most_unit = 1e100;
    double most = 0;
    for (int64_t t = 0; t < p->n * p->d && !fit_is_sparse(p); t++)
        most = fmax(most, fabs(p->rows[t]));
    for (int64_t e = 0; fit_is_sparse(p) && e < p->sparse.row_start[p->n]; e++)
        most = fmax(most, p->sparse.column[e] < p->d ? fabs((double)p->sparse.value[e]) : 0);
    if (most > 0 && !(most >= 1 / most_value && most <= most_value))
        return fathom_error_set(
            p->context, FATHOM_ERROR_INPUT,
            "fit takes values between 1e-12 and 1e12; the largest here is %.3g (--normalize "
            "standardize, or another unit)",
            most);
    if (!(p->unit >= 1 / most_unit && p->unit <= most_unit))
        return fathom_error_set(p->context, FATHOM_ERROR_INPUT,
                                "fit takes targets of deviation 1e-100 to 1e100; here it is %.3g", p->unit);
    return FATHOM_OK;
}

fathom_status fit_problem_open(fit_problem *p, fathom_context *context, fathom_data *data,
                               const fathom_fit_options *options)
{
    const fathom_data_view view = fathom_data_look(data);
    *p = (fit_problem){.context = context,
                       .data = data,
                       .options = options,
                       .n = view.n,
                       .d = view.d,
                       .weight = view.weight,
                       .folds = options->folds < view.n ? options->folds : view.n,
                       .repeats = options->repeats};
    p->parts = p->folds * p->repeats;
    fathom_status status = choose_task(p, &view);
    if (status == FATHOM_OK && (view.d < 1 || view.n < 2))
        return fathom_error_set(context, FATHOM_ERROR_INPUT,
                                "there is nothing to fit: %lld row%s, %lld column%s", (long long)view.n,
                                view.n == 1 ? "" : "s", (long long)view.d, view.d == 1 ? "" : "s");
    if (status == FATHOM_OK && options->balance && p->task == FATHOM_FIT_REGRESSION)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "--balance is for classes");
    FATHOM_THEN(status, read_rows(p, &view));
    FATHOM_THEN(status, code_targets(p, &view));
    FATHOM_THEN(status, check_range(p));
    FATHOM_THEN(status, cut_folds(p));
    return status == FATHOM_OK ? find_largest(p) : status;
}

void fit_problem_close(fit_problem *p)
{
    FATHOM_FREE(p->context, p->x, p->value, p->row_start, p->column, p->y, p->target, p->fold, p->mass);
}
