/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extreme points of the rectified ellipsoid along given directions: see fathom/extreme.h.
 *
 * Basis directions: the point of conv{a_j : j != i} nearest to a_i by Wolfe's algorithm (min_norm.c); u is the unit vector from it to
 * a_i, b = -max_j a_j'u, and the output at a_i lies between the two bounds of the distance. Rows go to threads one by one; the
 * result does not depend on their number.
 *
 * Any direction v: the certified price of v (price.h), and with a free bias the largest of those of A - 1 a_k' over k, because
 * b -> v'(Au + b)_+ is piecewise linear with its largest value at a kink b = -a_k'u where sum v = 0. The neuron is then moved to
 * the maximiser of its face: with the tight rows T and the active ones D, u = P A'D v / |P A'D v|, P the projection on the
 * complement of T. (Corollary 2.1 as printed leaves out P; see docs/explanation/errata.md.)
 */
#include "fathom/extreme.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "blas.h"
#include "bytes.h"
#include "context_internal.h"
#include "dense.h"
#include "interval.h"
#include "memory.h"
#include "min_norm.h"
#include "npy_internal.h"
#include "price.h"
#include "data_scale.h"

/* A row is on the kink where |a_i'u + b| is below this share of the largest row. */
#define TIGHT 1e-9

struct fathom_extremes {
    fathom_context *context;
    int64_t n, d, count, done;
    bool free; /* hidden bias */
    double *x; /* n x d */
    double reach;
    double *v;            /* count x n: directions; NULL for basis directions */
    int64_t *row;         /* count: basis directions */
    double *u;            /* count x (d + 1): u, then b */
    fathom_extreme *list; /* count */
};

void fathom_extremes_free(fathom_extremes *e)
{
    if (!e)
        return;
    void *const block[] = {e->x, e->v, e->row, e->u, e->list};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(e->context, block[k]);
    fathom_memory_free(e->context, e);
}

int64_t fathom_extremes_count(const fathom_extremes *e) { return e->done; }

bool fathom_extremes_complete(const fathom_extremes *e) { return e->done == e->count; }

fathom_extreme fathom_extremes_get(const double **u, const fathom_extremes *e, int64_t k)
{
    *u = e->u + k * (e->d + 1);
    return e->list[k];
}

fathom_status fathom_extremes_write(const fathom_extremes *e, const char *path)
{
    fathom_file *file;
    const int64_t shape[2] = {e->done, e->d + 1};
    FATHOM_TRY(fathom_file_create(&file, e->context, path));
    fathom_status status = fathom_npy_append(file, e->u, 2, shape, e->d + 1);
    if (status == FATHOM_OK)
        return fathom_file_commit(file);
    fathom_file_abort(file);
    return status;
}

/* ---- basis directions ---- */

/* The neuron of row i; b (n x d) are the rows less their mean. */
static void solve_basis(fathom_extremes *e, int64_t k, const double *b, double reach, fathom_min_norm *w)
{
    const int64_t i = e->row[k], d = e->d;
    double *u = e->u + k * (d + 1);
    fathom_extreme *out = e->list + k;
    *out = (fathom_extreme){.row = i, .sign = 1, .method = "nearest point"};
    if (e->n == 1) { /* nothing to keep apart from: the largest output has no bound */
        *out =
            (fathom_extreme){.row = i, .sign = 1, .lower = INFINITY, .upper = INFINITY, .method = "one row"};
        return;
    }
    fathom_min_norm_solve(w, b, e->n, b + i * d, i, reach);
    out->lower = w->lower;
    out->upper = w->upper;
    if (w->upper <= fathom_min_norm_zero(d, reach)) {
        out->method = "inside";
        return;
    }
    double most = -INFINITY;
    for (int64_t c = 0; c < d; c++)
        u[c] = -w->x[c] / w->upper;
    for (int64_t j = 0; j < e->n; j++)
        if (j != i)
            most = fmax(most, fathom_blas_dot(e->x + j * d, u, d));
    u[d] = -most;
    out->bias = -most;
    out->tight = w->count;
}

/* Rows less their mean: the largest of them is as short as it gets. */
static fathom_status centre(double **b, double *reach, const fathom_extremes *e)
{
    double *mean = fathom_memory_zero(e->context, e->d, sizeof *mean);
    *b = fathom_memory_alloc(e->context, e->n * e->d, sizeof **b);
    if (mean && *b) {
        for (int64_t i = 0; i < e->n; i++)
            fathom_blas_axpy(mean, 1 / (double)e->n, e->x + i * e->d, e->d);
        *reach = 0;
        for (int64_t i = 0; i < e->n; i++) {
            for (int64_t c = 0; c < e->d; c++)
                (*b)[i * e->d + c] = e->x[i * e->d + c] - mean[c];
            *reach = fmax(*reach, fathom_blas_norm(*b + i * e->d, e->d) * (1 + 0x1p-40));
        }
    }
    fathom_memory_free(e->context, mean);
    return mean && *b ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static fathom_status run_basis(fathom_extremes *e)
{
    enum { BATCH = 64 };
    const int threads = fathom_context_threads(e->context);
    fathom_min_norm *work = fathom_memory_zero(e->context, threads, sizeof *work);
    double *b = NULL, reach = 0;
    fathom_status status = work ? centre(&b, &reach, e) : FATHOM_ERROR_MEMORY;
    for (int t = 0; t < threads && status == FATHOM_OK; t++)
        status = fathom_min_norm_open(work + t, e->context, e->n, e->d);
    while (status == FATHOM_OK && e->done < e->count) {
        const int64_t last = e->done + BATCH < e->count ? e->done + BATCH : e->count;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (int64_t k = e->done; k < last; k++)
            solve_basis(e, k, b, reach, work + omp_get_thread_num());
        e->done = last;
        if (fathom_context_poll(e->context, "extreme points", e->done, NAN, NAN) != FATHOM_STOP_NONE)
            break;
    }
    for (int t = 0; work && t < threads; t++)
        fathom_min_norm_close(work + t);
    FATHOM_FREE(e->context, work, b);
    return status;
}

/* ---- any direction ---- */

/* v'(Au + b)_+, rows less a_k where k >= 0 (then b = -a_k'u). */
static double value_at(const fathom_extremes *e, const double *v, const double *u, double b)
{
    double sum = 0;
    for (int64_t i = 0; i < e->n; i++)
        sum += v[i] * fmax(0, fathom_blas_dot(e->x + i * e->d, u, e->d) + b);
    return sum;
}

/* Moves u to the maximiser of its face; false where that is not better. `room` holds (n + 2) x d. Rows are a_i - base. */
static bool polish(fathom_extreme *out, double *u, const fathom_extremes *e, const double *v,
                   const double *base, double *room)
{
    const int64_t n = e->n, d = e->d;
    double *g = room, *row = room + d, *basis = room + 2 * d;
    int64_t rank = 0;
    memset(g, 0, (size_t)d * sizeof *g);
    out->tight = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++)
            row[c] = e->x[i * d + c] - (base ? base[c] : 0);
        const double t = fathom_blas_dot(row, u, d);
        if (t > TIGHT * e->reach)
            fathom_blas_axpy(g, v[i], row, d);
        if (fabs(t) > TIGHT * e->reach)
            continue;
        out->tight++;
        const double whole = fathom_blas_norm(row, d);
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < rank; k++)
                fathom_blas_axpy(row, -fathom_blas_dot(basis + k * d, row, d), basis + k * d, d);
        const double left = fathom_blas_norm(row, d);
        if (rank < d && left > 1e-12 * whole) {
            memcpy(basis + rank * d, row, (size_t)d * sizeof *row);
            fathom_blas_scale(basis + rank++ * d, 1 / left, d);
        }
    }
    for (int pass = 0; pass < 2; pass++)
        for (int64_t k = 0; k < rank; k++)
            fathom_blas_axpy(g, -fathom_blas_dot(basis + k * d, g, d), basis + k * d, d);
    const double length = fathom_blas_norm(g, d);
    if (!(length > 0))
        return false;
    fathom_blas_scale(g, out->sign / length, d);
    const double value = out->sign * value_at(e, v, g, base ? -fathom_blas_dot(base, g, d) : 0);
    if (!(value > out->lower))
        return false;
    out->lower = value;
    memcpy(u, g, (size_t)d * sizeof *u);
    return true;
}

/* Prices direction k against the rows less `base` (NULL: as they are); keeps the neuron where it is the best. */
static fathom_status price_shifted(fathom_extremes *e, int64_t k, const double *base, double *room)
{
    const int64_t n = e->n, d = e->d;
    fathom_extreme *out = e->list + k;
    double *shifted = room, *u = room + n * d, *best = e->u + k * (d + 1);
    double size = 0; /* sum_i |v_i| (|x_i| + |base|): no product is larger */
    const double reach = base ? fathom_blas_norm(base, d) : 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t c = 0; c < d; c++)
            shifted[i * d + c] = e->x[i * d + c] - (base ? base[c] : 0);
        size += fabs(e->v[k * n + i]) * (fathom_blas_norm(e->x + i * d, d) + reach);
    }
    /* n + 2 d + 8 roundings of the output of a neuron, of its length, and of rows less `base` */
    const double slack = (double)(n + 2 * d + 8) * 0x1p-52 * size;
    const fathom_price_problem problem = {
        .context = e->context, .n = n, .d = d, .outputs = 1, .x = shifted, .v = e->v + k * n};
    const fathom_price_options options = {.gap = 1e-9, .enough = out->lower, .excess = INFINITY};
    fathom_price_result price;
    FATHOM_TRY(fathom_price_bound(&price, u, &problem, &options));
    out->upper = fmax(out->upper, price.upper + (base ? 0x1p-52 * size : 0));
    out->method = price.method;
    if (price.lower - slack > out->lower) {
        fathom_extreme one = {.sign = price.sign, .lower = price.lower};
        polish(&one, u, e, e->v + k * n, base, room + n * d + d);
        out->lower = one.lower - slack;
        out->sign = price.sign;
        out->tight = one.tight;
        memcpy(best, u, (size_t)d * sizeof *u);
        best[d] = base ? -fathom_blas_dot(base, u, d) : 0;
        out->bias = best[d];
    }
    return FATHOM_OK;
}

static fathom_status run_along(fathom_extremes *e)
{
    double *room = fathom_memory_alloc(e->context, (2 * e->n + 4) * e->d, sizeof *room);
    fathom_status status = room ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < e->count && status == FATHOM_OK; k++) {
        fathom_extreme *out = e->list + k;
        *out = (fathom_extreme){.row = -1, .sign = 1, .method = "none"};
        if (!e->free)
            status = price_shifted(e, k, NULL, room);
        for (int64_t i = 0; i < e->n && e->free && status == FATHOM_OK; i++)
            status = price_shifted(e, k, e->x + i * e->d, room);
        FATHOM_THEN(status, fathom_interval_check(e->context, "an extreme output", out->lower, out->upper));
        if (status == FATHOM_OK)
            e->done = k + 1;
        if (fathom_context_poll(e->context, "extreme points", k + 1, out->lower, out->upper) !=
            FATHOM_STOP_NONE)
            break;
    }
    fathom_memory_free(e->context, room);
    return status;
}

/* ---- which directions ---- */

static fathom_status choose_rows(fathom_extremes *e, const char *text)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    const bool all = strcmp(text, "basis") == 0;
    if (!all && (*end || end == text || number < 0 || number >= e->n))
        return fathom_error_set(
            e->context, FATHOM_ERROR_USAGE,
            "--extreme takes basis, targets, a row from 0 to %lld or a .npy file, not \"%s\"",
            (long long)e->n - 1, text);
    e->count = all ? e->n : 1;
    e->row = fathom_memory_alloc(e->context, e->count, sizeof *e->row);
    if (!e->row)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < e->count; k++)
        e->row[k] = all ? k : number;
    return FATHOM_OK;
}

/* v (count x n) from n x count values; with a free bias less their mean. */
static fathom_status take_directions(fathom_extremes *e, const double *values, int64_t count)
{
    e->count = count;
    e->v = fathom_memory_alloc(e->context, count * e->n, sizeof *e->v);
    if (!e->v)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        double mean = 0;
        for (int64_t i = 0; i < e->n; i++)
            mean += values[i * count + k] / (double)e->n;
        for (int64_t i = 0; i < e->n; i++)
            e->v[k * e->n + i] = values[i * count + k] - (e->free ? mean : 0);
    }
    return FATHOM_OK;
}

static fathom_status read_directions(fathom_extremes *e, const char *path)
{
    fathom_bytes *bytes = NULL;
    fathom_array array = {0};
    fathom_status status = fathom_bytes_open(&bytes, e->context, path);
    FATHOM_THEN(status, fathom_npy_read(&array, bytes));
    const int64_t count = array.rank == 1 ? 1 : array.rank == 2 ? array.shape[1] : 0;
    if (status == FATHOM_OK && (count < 1 || array.shape[0] != e->n))
        status = fathom_error_set_at(
            e->context, FATHOM_ERROR_INPUT, path, 0, 0,
            "directions take an array of %lld rows, one number for each row of the data", (long long)e->n);
    for (int64_t i = 0; status == FATHOM_OK && i < e->n * count; i++)
        if (!isfinite(array.values[i]))
            status = fathom_error_set_at(e->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                         "value %lld is not finite", (long long)i);
    FATHOM_THEN(status, take_directions(e, array.values, count));
    fathom_array_free(e->context, &array);
    fathom_bytes_close(bytes);
    return status;
}

static fathom_status choose_directions(fathom_extremes *e, const fathom_data_view *view, const char *text)
{
    const size_t length = strlen(text);
    if (strcmp(text, "targets") == 0) {
        if (view->outputs < 1)
            return fathom_error_set(e->context, FATHOM_ERROR_INPUT, "the data has no targets");
        return take_directions(e, view->y, view->outputs);
    }
    if (length > 4 && strcmp(text + length - 4, ".npy") == 0)
        return read_directions(e, text);
    return choose_rows(e, text);
}

fathom_status fathom_extremes_compute(fathom_extremes **extremes, fathom_context *context,
                                      const fathom_data *data, const char *directions)
{
    const fathom_data_view view = fathom_data_look(data);
    fathom_extremes *e = fathom_memory_zero(context, 1, sizeof *e);
    *extremes = NULL;
    if (!e)
        return FATHOM_ERROR_MEMORY;
    *e = (fathom_extremes){
        .context = context, .n = view.n, .d = view.d, .free = view.bias == FATHOM_BIAS_FREE};
    fathom_status status = fathom_data_check_range(data);
    FATHOM_THEN(status, fathom_dense_copy(&e->x, &view, context));
    for (int64_t i = 0; i < e->n && status == FATHOM_OK; i++)
        e->reach = fmax(e->reach, fathom_blas_norm(e->x + i * e->d, e->d));
    FATHOM_THEN(status, choose_directions(e, &view, directions));
    if (status == FATHOM_OK) {
        e->u = fathom_memory_zero(context, e->count * (e->d + 1), sizeof *e->u);
        e->list = fathom_memory_zero(context, e->count, sizeof *e->list);
        status = e->u && e->list ? e->row ? run_basis(e) : run_along(e) : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK)
        *extremes = e;
    else
        fathom_extremes_free(e);
    return status;
}
