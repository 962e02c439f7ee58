/* SPDX-License-Identifier: Apache-2.0 */
/* Data scaled by powers of two into the middle of the range of double; see data_scale.h. */
#include "data_scale.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "data_internal.h"
#include "memory.h"

/* Largest entries between 2^-ORDINARY and 2^ORDINARY are left alone; others may be 2^-DEEPEST of them. */
enum { ORDINARY = 32, DEEPEST = 240, NOTHING = INT_MIN };

double fathom_scale_exactly(double value, int e, bool *exact)
{
    const double scaled = ldexp(value, e);
    if (isfinite(value) && ldexp(scaled, -e) != value)
        *exact = false;
    return scaled;
}

/* The exponent e with 2^(e-1) <= |value| < 2^e; NOTHING for 0. */
static int exponent_of(double value)
{
    int e;
    frexp(value, &e);
    return value == 0 ? NOTHING : e;
}

enum { BLOCK = 1 << 17 }; /* numbers between two looks at the memory of files */

/* Of finite numbers. */
static double larger(double a, double b) { return a > b ? a : b; }

static int largest_exponent(const double *values, int64_t count, fathom_context *context)
{
    double largest = 0;
    for (int64_t first = 0; first < count; first += BLOCK) {
        const int64_t end = count - first < BLOCK ? count : first + BLOCK;
        for (int64_t k = first; k < end; k++)
            largest = larger(largest, fabs(values[k]));
        fathom_context_passed(context);
    }
    return exponent_of(largest);
}

static int scale_of(int exponent)
{
    return exponent == NOTHING || (exponent >= -ORDINARY && exponent <= ORDINARY) ? 0 : exponent;
}

static fathom_status refuse(const fathom_data *data, const char *what, int64_t number, double size)
{
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "%s %lld (from 0) has no entry beyond %.3g, more than 10^72 times less than "
                               "the largest of the data: out of range",
                               what, (long long)number, size);
}

/* Of every row or column the largest entry must not be too small beside `top`, unless all are 0. */
static fathom_status check_parts(const fathom_data *data, const char *what, const double *largest,
                                 int64_t count, int top)
{
    for (int64_t k = 0; k < count; k++)
        if (largest[k] > 0 && exponent_of(largest[k]) < top - DEEPEST)
            return refuse(data, what, k, largest[k]);
    return FATHOM_OK;
}

/* largest (n + d) = the largest entry of every row, then of every column. */
static void find_largest(double *largest, const fathom_data *data)
{
    double *column = largest + data->n;
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t first = data->x ? i * data->d : data->row_start[i];
        const int64_t end = data->x ? first + data->d : data->row_start[i + 1];
        fathom_context_passed_row(data->context, i);
        for (int64_t k = first; k < end; k++) {
            const double size = fabs(data->x ? data->x[k] : data->value[k]);
            const int64_t j = data->x ? k - first : data->column[k];
            largest[i] = larger(largest[i], size);
            column[j] = larger(column[j], size);
        }
    }
}

static fathom_status check_points(const fathom_data *data, int top)
{
    double *largest = fathom_memory_zero(data->context, data->n + data->d, sizeof *largest);
    if (!largest)
        return FATHOM_ERROR_MEMORY;
    find_largest(largest, data);
    fathom_status status = check_parts(data, "row", largest, data->n, top);
    FATHOM_THEN(status, check_parts(data, "column", largest + data->n, data->d, top));
    fathom_memory_free(data->context, largest);
    return status;
}

fathom_status fathom_data_find_scale(fathom_data_scale *scale, const fathom_data *data, bool targets)
{
    const int64_t count = data->x ? data->n * data->d : data->row_start[data->n];
    const int point = largest_exponent(data->x ? data->x : data->value, count, data->context);
    const int weight = data->weight ? largest_exponent(data->weight, data->n, data->context) : NOTHING;
    *scale = (fathom_data_scale){
        .point = scale_of(point),
        .target = targets && data->y
                      ? scale_of(largest_exponent(data->y, data->n * data->outputs, data->context))
                      : 0,
        .weight = scale_of(weight)};
    FATHOM_TRY(check_points(data, point));
    if (data->weight)
        FATHOM_TRY(check_parts(data, "the weight of row", data->weight, data->n, weight));
    return FATHOM_OK;
}

fathom_status fathom_data_check_range(const fathom_data *data)
{
    fathom_data_scale scale;
    const fathom_status status = fathom_data_find_scale(&scale, data, false);
    if (status != FATHOM_OK || (scale.point >= -DEEPEST && scale.point <= DEEPEST))
        return status;
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "the largest entry is near 2^%d, and this takes squares of squares: scale the "
                               "data into 2^+-%d",
                               scale.point, DEEPEST);
}

/* A copy of count items, in *out; NULL stays NULL. */
static fathom_status copy(void *out, fathom_context *context, const void *from, int64_t count, size_t size)
{
    void *block = from ? fathom_memory_alloc(context, count, size) : NULL;
    memcpy(out, &block, sizeof block); /* *out is a pointer to some type */
    if (from && !block)
        return FATHOM_ERROR_MEMORY;
    if (block && count > 0)
        memcpy(block, from, (size_t)count * size);
    return FATHOM_OK;
}

/* The same for numbers, times 2^-e. */
static fathom_status copy_scaled(double **out, const fathom_data *data, const double *from, int64_t count,
                                 int e, const char *what)
{
    bool exact = true;
    const fathom_status status = copy(out, data->context, from, count, sizeof *from);
    for (int64_t k = 0; status == FATHOM_OK && e != 0 && from && k < count; k++) {
        (*out)[k] = fathom_scale_exactly(from[k], -e, &exact);
        if (!exact)
            return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                                       "the %s %g is out of range beside others", what, from[k]);
    }
    return status;
}

/* Texts of the list, each owned; *number becomes their count once there is room. */
static fathom_status copy_texts(char ***out, int64_t *number, fathom_context *context, char *const *from,
                                int64_t count)
{
    *out = from ? fathom_memory_zero(context, count, sizeof **out) : NULL;
    *number = *out ? count : 0;
    if (from && !*out)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; from && k < count; k++) {
        (*out)[k] = fathom_memory_text(context, from[k]);
        if (!(*out)[k])
            return FATHOM_ERROR_MEMORY;
    }
    return FATHOM_OK;
}

static fathom_status copy_numbers(fathom_data *made, const fathom_data *data, const fathom_data_scale *scale)
{
    const int64_t count = data->x ? data->n * data->d : data->row_start[data->n];
    FATHOM_TRY(copy_scaled(&made->x, data, data->x, count, scale->point, "value"));
    FATHOM_TRY(copy_scaled(&made->value, data, data->value, count, scale->point, "value"));
    FATHOM_TRY(copy_scaled(&made->y, data, data->y, data->n * data->outputs, scale->target, "target"));
    FATHOM_TRY(copy_scaled(&made->weight, data, data->weight, data->n, scale->weight, "weight"));
    FATHOM_TRY(copy(&made->row_start, data->context, data->row_start, data->n + 1, sizeof *data->row_start));
    FATHOM_TRY(copy(&made->column, data->context, data->column, count, sizeof *data->column));
    FATHOM_TRY(copy(&made->mean, data->context, data->mean, data->raw_columns, sizeof *data->mean));
    return copy(&made->scale, data->context, data->scale, data->raw_columns, sizeof *data->scale);
}

static fathom_status copy_names(fathom_data *made, const fathom_data *data, const fathom_data_scale *scale)
{
    fathom_context *context = data->context;
    fathom_status status =
        copy_texts(&made->class_name, &made->classes, context, data->class_name, data->classes);
    if (status == FATHOM_OK)
        status =
            copy_scaled(&made->class_value, data, data->class_value, data->classes, scale->target, "class");
    FATHOM_THEN(status, copy_texts(&made->name, &made->names, context, data->name, data->names));
    const char *const from[] = {data->target_name, data->options};
    char **const to[] = {&made->target_name, &made->options};
    for (int k = 0; k < 2 && status == FATHOM_OK; k++) {
        *to[k] = from[k] ? fathom_memory_text(context, from[k]) : NULL;
        status = from[k] && !*to[k] ? FATHOM_ERROR_MEMORY : FATHOM_OK;
    }
    return status;
}

fathom_status fathom_data_scaled(fathom_data **given, const fathom_data *data, const fathom_data_scale *scale)
{
    fathom_data *made;
    *given = NULL;
    FATHOM_TRY(fathom_data_begin(&made, data->context, data->source));
    char *source = made->source;
    *made = *data; /* all that is not owned; what is follows */
    made->origin.decimal = false;
    made->source = source;
    made->mapped = NULL;
    made->x = made->value = made->y = made->weight = made->mean = made->scale = NULL;
    made->class_value = made->coded = made->counts = NULL;
    made->row_start = NULL;
    made->column = NULL;
    made->class_name = made->name = NULL;
    made->classes = made->names = 0;
    made->target_name = made->options = NULL;
    fathom_status status = copy_names(made, data, scale);
    FATHOM_THEN(status, copy_numbers(made, data, scale));
    if (status == FATHOM_OK)
        *given = made;
    else
        fathom_data_free(made);
    return status;
}
