/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Normalisation and the bias column, as fixed sequences of IEEE double operations (docs/reference/data.md): a
 * checker that repeats them gets the same bits. All sums run from left to right, without fused operations.
 *
 *   standardize, column j:  m_j = (x_0j + x_1j + ...) / n;  v_j = ((x_0j - m_j)^2 + ...) / n;  s_j = sqrt(v_j);
 *                           x_ij <- (x_ij - m_j) / s_j.
 *                           All values equal: m_j = that value and s_j = 1, so that the column becomes 0 exactly.
 *   unit, row i:            r_i = sqrt(x_i0^2 + x_i1^2 + ...);  x_ij <- x_ij / r_i;  a zero row stays.
 *   augment:                a last column of ones, after normalisation.
 *
 * Sparse rows stay sparse under unit and augment (absent zeros change no sum); standardize makes them dense.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "columns_internal.h"
#include "context_internal.h"
#include "inner/data.h"
#include "memory.h"

fathom_preprocess fathom_data_preprocess(const fathom_data *data)
{
    return (fathom_preprocess){
        .normalize = data->normalize,
        .bias = data->bias,
        .columns = data->raw_columns,
        .mean = data->mean,
        .scale = data->scale,
        .name = data->names == data->raw_columns ? (const char *const *)data->name : NULL,
        .one_hot = data->categorical,
        .target = data->target_name,
        .schema = data->schema,
    };
}

const fathom_schema *fathom_data_schema(const fathom_data *data) { return data->schema; }

/* Sparse rows to a dense matrix, where there is room for it. */
static fathom_status make_dense(fathom_data *data)
{
    if (data->x)
        return FATHOM_OK;
    fathom_context *context = data->context;
    const double bytes = 8 * (double)data->n * (double)data->d;
    FATHOM_TRY(fathom_context_require(context, bytes, "standardizing makes sparse data dense, which"));
    data->x = fathom_memory_zero(context, data->n * data->d, sizeof *data->x);
    if (!data->x)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
            data->x[i * data->d + data->column[k]] = data->value[k];
    FATHOM_FREE(context, data->row_start, data->column, data->value);
    data->row_start = NULL;
    data->column = NULL;
    data->value = NULL;
    return FATHOM_OK;
}

/* out_j (d) = the mean over rows of x_ij, or of (x_ij - shift_j)^2 where shift is given. Rows are the
 * outer loop: each column is still summed in the order of its rows, at the rate of memory. */
static void column_means(double *out, const fathom_data *data, const double *shift)
{
    memset(out, 0, (size_t)data->d * sizeof *out);
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->x + i * data->d;
        fathom_context_passed_row(data->context, i);
        for (int64_t j = 0; j < data->d; j++) {
            const double centred = shift ? x[j] - shift[j] : 0;
            out[j] += shift ? centred * centred : x[j];
        }
    }
    for (int64_t j = 0; j < data->d; j++)
        out[j] /= (double)data->n;
}

/* Statistics of constant columns: mean is the value itself, scale is 1. */
static void settle_constant_columns(fathom_data *data)
{
    for (int64_t j = 0; j < data->d; j++) {
        const double first = data->x[j];
        int64_t i = 1;
        while (i < data->n && data->x[i * data->d + j] == first)
            i++;
        if (i == data->n) {
            data->mean[j] = first;
            data->scale[j] = 1;
        }
    }
}

/* Squares of numbers beyond 1e154 or below 1e-154 are none. */
static fathom_status refuse_scale(const fathom_data *data, int64_t j)
{
    char name[32];
    snprintf(name, sizeof name, "%lld (from 0)", (long long)j);
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "column %.80s cannot be standardized: mean %g, deviation %g (another unit, or "
                               "leave it out)",
                               data->name && j < data->names ? data->name[j] : name, data->mean[j],
                               data->scale[j]);
}

/* mean and scale of the data's own columns. */
static fathom_status measure_columns(fathom_data *data)
{
    data->mean = fathom_memory_alloc(data->context, data->d, sizeof *data->mean);
    data->scale = fathom_memory_alloc(data->context, data->d, sizeof *data->scale);
    if (!data->mean || !data->scale)
        return FATHOM_ERROR_MEMORY;
    column_means(data->mean, data, NULL);
    column_means(data->scale, data, data->mean);
    for (int64_t j = 0; j < data->d; j++)
        data->scale[j] = sqrt(data->scale[j]);
    settle_constant_columns(data);
    for (int64_t j = 0; j < data->d; j++)
        if (!(isfinite(data->mean[j]) && isfinite(data->scale[j]) && data->scale[j] > 0))
            return refuse_scale(data, j);
    return FATHOM_OK;
}

/* x_ij <- (x_ij - m_j) / s_j: a subtraction and a division, never a product with 1 / s_j, which would
 * round twice. */
static bool standardize_row(double *x, void *user, int64_t i)
{
    const fathom_data *data = user;
    (void)i;
    for (int64_t j = 0; j < data->d; j++)
        x[j] = (x[j] - data->mean[j]) / data->scale[j];
    return true;
}

static void standardize(fathom_data *data)
{
    for (int64_t i = 0; i < data->n && !data->mapped; i++)
        standardize_row(data->x + i * data->d, data, i);
}

/* Divides count values by their norm. False where the norm of a nonzero row over- or underflows. */
static bool normalize_row(double *value, int64_t count, bool *zero)
{
    double sum = 0;
    *zero = true;
    for (int64_t k = 0; k < count; k++) {
        sum += value[k] * value[k];
        *zero = *zero && value[k] == 0;
    }
    if (*zero)
        return true;
    const double norm = sqrt(sum);
    for (int64_t k = 0; k < count; k++)
        value[k] /= norm;
    return norm > 0 && isfinite(norm);
}

static fathom_status refuse_norm(const fathom_data *data, int64_t i)
{
    return fathom_error_set_at(data->context, FATHOM_ERROR_INPUT, data->source, 0, 0,
                               "row %lld (from 0) has a norm outside the range of double", (long long)i);
}

static void warn_of_zeros(const fathom_data *data, int64_t zeros)
{
    if (zeros > 0)
        fathom_log(data->context, FATHOM_LOG_WARNING, "%lld rows are zero and were not normalised",
                   (long long)zeros);
}

/* Row by row over stored values; a row without any is a zero row. Mapped rows follow with the bias. */
static fathom_status normalize_rows(fathom_data *data)
{
    int64_t zeros = 0;
    for (int64_t i = 0; i < data->n && !data->mapped; i++) {
        bool zero;
        const int64_t first = data->x ? i * data->d : data->row_start[i];
        const int64_t count = data->x ? data->d : data->row_start[i + 1] - first;
        if (!normalize_row((data->x ? data->x : data->value) + first, count, &zero))
            return refuse_norm(data, i);
        zeros += zero;
    }
    warn_of_zeros(data, zeros);
    return FATHOM_OK;
}

/* Mapped rows on their way to rows of norm 1. */
typedef struct mapped_rows {
    fathom_data *data;
    int64_t zeros;
} mapped_rows;

static bool normalize_mapped(double *row, void *user, int64_t i)
{
    mapped_rows *m = user;
    bool zero;
    if (!normalize_row(row, m->data->d, &zero)) {
        refuse_norm(m->data, i);
        return false;
    }
    m->zeros += zero;
    return true;
}

/* All that is done to mapped rows, in one pass. */
static fathom_status change_mapped(fathom_data *data, fathom_normalize normalize, fathom_bias bias)
{
    mapped_rows rows = {data, 0};
    const fathom_data_change change[] = {{NULL, NULL}, {normalize_mapped, &rows}, {standardize_row, data}};
    const int64_t columns = data->d + (bias == FATHOM_BIAS_AUGMENT);
    if (normalize != FATHOM_NORMALIZE_NONE || columns > data->d)
        FATHOM_TRY(fathom_data_rebuild(data, columns, &change[normalize]));
    warn_of_zeros(data, rows.zeros);
    data->d = columns;
    return FATHOM_OK;
}

/* A last column of ones in the dense matrix. */
static fathom_status augment_dense(fathom_data *data)
{
    const int64_t n = data->n, d = data->d;
    const double bytes = 8 * (double)n * ((double)d + 1);
    FATHOM_TRY(fathom_context_require(data->context, bytes, "the bias column"));
    FATHOM_TRY(fathom_memory_resize(data->context, (void **)&data->x, n * (d + 1), sizeof *data->x));
    for (int64_t i = n - 1; i >= 0; i--) { /* from the end: rows move to the right */
        memmove(data->x + i * (d + 1), data->x + i * d, (size_t)d * sizeof *data->x);
        data->x[i * (d + 1) + d] = 1;
    }
    data->d = d + 1;
    return FATHOM_OK;
}

/* A last column of ones in the sparse matrix. */
static fathom_status augment_sparse(fathom_data *data)
{
    const int64_t n = data->n, d = data->d, entries = data->row_start[n] + n;
    if (d >= INT32_MAX)
        return fathom_error_set(data->context, FATHOM_ERROR_INPUT, "no room for a bias column: %lld columns",
                                (long long)d);
    FATHOM_TRY(fathom_memory_resize(data->context, (void **)&data->column, entries, sizeof *data->column));
    FATHOM_TRY(fathom_memory_resize(data->context, (void **)&data->value, entries, sizeof *data->value));
    for (int64_t i = n - 1; i >= 0; i--) {
        const int64_t from = data->row_start[i], to = from + i, count = data->row_start[i + 1] - from;
        memmove(data->column + to, data->column + from, (size_t)count * sizeof *data->column);
        memmove(data->value + to, data->value + from, (size_t)count * sizeof *data->value);
        data->column[to + count] = (int32_t)d;
        data->value[to + count] = 1;
    }
    for (int64_t i = 0; i <= n; i++)
        data->row_start[i] += i;
    data->d = d + 1;
    return FATHOM_OK;
}

/* The bias column where asked for; records what was done. */
static fathom_status finish(fathom_data *data, fathom_normalize normalize, fathom_bias bias)
{
    data->normalize = normalize;
    data->bias = bias;
    data->raw_columns = data->d;
    if (data->mapped)
        return change_mapped(data, normalize, bias);
    if (bias != FATHOM_BIAS_AUGMENT)
        return FATHOM_OK;
    return data->x ? augment_dense(data) : augment_sparse(data);
}

/* Own statistics. */
fathom_status fathom_data_set_bias(fathom_data *data, fathom_bias bias)
{
    if (data->bias == FATHOM_BIAS_AUGMENT)
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "the data has its constant column already");
    if (data->mapped) { /* rows have been normalised */
        FATHOM_TRY(change_mapped(data, FATHOM_NORMALIZE_NONE, bias));
        data->bias = bias;
        return FATHOM_OK;
    }
    return finish(data, data->normalize, bias);
}

bool fathom_data_is_sparse(const fathom_data *data)
{
    return data->row_start && 4 * (double)data->row_start[data->n] <= (double)data->n * (double)data->d;
}

/* auto: rows that are sparse stay so where a dense copy would be large; smaller ones gain more by it, bounds over all networks
 * among others. */
static const double LARGE_COPY = 1 << 25; /* numbers: 268 MB */

static fathom_normalize settle(const fathom_data *data, fathom_normalize normalize)
{
    if (normalize != FATHOM_NORMALIZE_AUTO)
        return normalize;
    return fathom_data_is_sparse(data) && (double)data->n * (double)data->d > LARGE_COPY
               ? FATHOM_NORMALIZE_UNIT
               : FATHOM_NORMALIZE_STANDARDIZE;
}

fathom_status fathom_data_prepare(fathom_data *data, fathom_normalize normalize, fathom_bias bias)
{
    fathom_status status = FATHOM_OK;
    normalize = settle(data, normalize);
    if (normalize == FATHOM_NORMALIZE_UNIT)
        status = normalize_rows(data);
    if (normalize == FATHOM_NORMALIZE_STANDARDIZE) {
        status = make_dense(data);
        FATHOM_THEN(status, measure_columns(data));
        if (status == FATHOM_OK)
            standardize(data);
    }
    return status == FATHOM_OK ? finish(data, normalize, bias) : status;
}

/* Copies the statistics of the model. */
static fathom_status copy_statistics(fathom_data *data, const fathom_preprocess *preprocess)
{
    data->mean = fathom_memory_alloc(data->context, data->d, sizeof *data->mean);
    data->scale = fathom_memory_alloc(data->context, data->d, sizeof *data->scale);
    if (!data->mean || !data->scale)
        return FATHOM_ERROR_MEMORY;
    memcpy(data->mean, preprocess->mean, (size_t)data->d * sizeof *data->mean);
    memcpy(data->scale, preprocess->scale, (size_t)data->d * sizeof *data->scale);
    return FATHOM_OK;
}

/* The model's statistics, on its columns. */
fathom_status fathom_data_prepare_like(fathom_data *data, const fathom_preprocess *preprocess)
{
    fathom_status status = data->schema ? FATHOM_OK : fathom_data_fit_columns(data, preprocess);
    if (status == FATHOM_OK && preprocess->normalize == FATHOM_NORMALIZE_UNIT)
        status = normalize_rows(data);
    if (status == FATHOM_OK && preprocess->normalize == FATHOM_NORMALIZE_STANDARDIZE) {
        status = make_dense(data);
        FATHOM_THEN(status, copy_statistics(data, preprocess));
        if (status == FATHOM_OK)
            standardize(data);
    }
    return status == FATHOM_OK ? finish(data, preprocess->normalize, preprocess->bias) : status;
}
