/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The best margin over given directions, the limit of networks whose neurons do not rotate [003, Thm 3.3],
 *
 *     max t   over alpha, |alpha|_1 <= 1,   with  sum_k alpha_k f_ki >= t,   f_ki = y_i relu(<b_k, x_i>) / |b_k|
 *     min over q in the simplex of max_k |sum_i q_i f_ki|                                            (linear duality)
 *
 * where alpha_k may have to have a given sign (then that side of |.| alone counts, and 0). Linear programs
 * over some columns; all columns are priced with their q, which gives an upper bound, and the best are
 * added until none is worth more than the program. Any alpha and any q prove their ends: both are rounded
 * outward. A round costs O(n m d) and a program of a few hundred columns, so that m may be large: features
 * are computed in tiles and not kept.
 */
#include "margin_directions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "array.h"
#include "blas.h"
#include "bytes.h"
#include "context_internal.h"
#include "exact_neurons.h"
#include "fathom/model.h"
#include "lp.h"
#include "margin_global.h"
#include "memory.h"

enum { TILE = 256, FRESH = 40, ROUNDS = 1000 };

typedef struct solver {
    const fathom_directions *p;
    fathom_context *context;
    double *length;                   /* n: |x_i| */
    double *price;                    /* m: sum_i q_i f_ki */
    double *tile;                     /* TILE x n */
    double *norm;                     /* m: |b_k| */
    int64_t *column, count, capacity; /* of the program: 2 k + (alpha_k < 0) */
    char *there;                      /* 2 m: whether it is one of them */
    double *feature;                  /* count x n, with its sign */
    int64_t feature_capacity;
    double scale;
} solver;

/* f_ki for `count` directions from `first` on, count x n. */
static void features(double *out, const solver *s, int64_t first, int64_t count)
{
    const fathom_directions *p = s->p;
    fathom_blas_gemm(out, p->n, count, p->n, p->d, 1, fathom_plain(p->b + first * p->d, p->d),
                     fathom_transposed(p->x, p->d), 0);
    for (int64_t k = 0; k < count; k++) {
        const double norm = s->norm[first + k];
        for (int64_t i = 0; i < p->n; i++)
            out[k * p->n + i] = norm > 0 ? p->y[i] * fmax(0, out[k * p->n + i]) / norm : 0;
    }
}

/* What column 2 k + side is worth; never less than 0, which alpha = 0 is. */
static double worth(const solver *s, int64_t column)
{
    const double sign = column % 2 ? -1 : 1, asked = s->p->sign ? s->p->sign[column / 2] : 0;
    return asked * sign < 0 ? 0 : sign * s->price[column / 2];
}

/* Prices all directions; the largest worth over sum_i q_i, rounded up. A feature is off by (d + 4) u
 * |x_i|, a sum by n u. */
static double price_all(solver *s, const double *q)
{
    const fathom_directions *p = s->p;
    double best = 0, sum = 0, mass = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += q[i];
        mass += q[i] * s->length[i];
    }
    for (int64_t first = 0; first < p->m; first += TILE) {
        const int64_t count = p->m - first < TILE ? p->m - first : TILE;
        if (fathom_context_stop_reason(s->context) != FATHOM_STOP_NONE)
            return INFINITY;
        features(s->tile, s, first, count);
        fathom_blas_gemv(s->price + first, count, p->n, 1, fathom_plain(s->tile, p->n), q, 0);
    }
    for (int64_t c = 0; c < 2 * p->m; c++)
        best = fmax(best, worth(s, c));
    const double u = DBL_EPSILON;
    return (best + 2 * (double)(p->d + p->n + 8) * u * mass) / (sum * (1 - (double)(p->n + 4) * u));
}

static fathom_status add_column(solver *s, int64_t column)
{
    const int64_t n = s->p->n;
    FATHOM_TRY(
        fathom_memory_grow(s->context, (void **)&s->column, &s->capacity, s->count + 1, sizeof *s->column));
    FATHOM_TRY(fathom_memory_grow(s->context, (void **)&s->feature, &s->feature_capacity, (s->count + 1) * n,
                                  sizeof *s->feature));
    features(s->feature + s->count * n, s, column / 2, 1);
    if (column % 2)
        fathom_blas_scale(s->feature + s->count * n, -1, n);
    s->column[s->count++] = column;
    s->there[column] = 1;
    return FATHOM_OK;
}

/* Adds the columns that are worth most, and more than `level`; *added says how many. */
static fathom_status add_best(int64_t *added, solver *s, double level)
{
    fathom_status status = FATHOM_OK;
    for (*added = 0; *added < FRESH && status == FATHOM_OK; ++*added) {
        int64_t best = -1;
        for (int64_t c = 0; c < 2 * s->p->m; c++)
            if (!s->there[c] && worth(s, c) > level && (best < 0 || worth(s, c) > worth(s, best)))
                best = c;
        if (best < 0)
            break;
        status = add_column(s, best);
    }
    return status;
}

/* The program over the columns so far: weights (count) and q; *solved false where it has no answer. */
static fathom_status solve_program(bool *solved, double *weight, double *q, solver *s)
{
    const int64_t n = s->p->n, rows = n + 1, columns = s->count + 1;
    double *a = fathom_memory_zero(s->context, rows * columns + 4 * columns + 3 * rows, sizeof *a), value;
    *solved = false;
    if (!a)
        return FATHOM_ERROR_MEMORY;
    double *cost = a + rows * columns, *low = cost + columns, *high = low + columns, *x = high + columns;
    double *row_low = x + columns, *row_high = row_low + rows, *dual = row_high + rows;
    for (int64_t i = 0; i < n; i++) {
        const double dust = 1e-13 * s->length[i];
        for (int64_t c = 0; c < s->count; c++) {
            const double f = s->feature[c * n + i];
            a[i * columns + c] = fabs(f) < dust ? 0 : f / s->scale;
        }
        a[i * columns + s->count] = -1;
        row_high[i] = INFINITY;
    }
    for (int64_t c = 0; c < s->count; c++)
        a[n * columns + c] = 1;
    for (int64_t c = 0; c < columns; c++)
        high[c] = INFINITY;
    row_low[n] = -INFINITY, row_high[n] = 1, cost[s->count] = -1; /* t >= 0: alpha = 0 */
    const fathom_lp lp = {rows, columns, a, cost, low, high, row_low, row_high, 1e-12};
    const fathom_status status = fathom_lp_solve(&value, x, dual, solved, s->context, &lp);
    double sum = 0;
    for (int64_t i = 0; i < n && status == FATHOM_OK && *solved; i++)
        sum += q[i] = fmax(0, dual[i]);
    *solved = *solved && sum > 0;
    for (int64_t i = 0; i < n && *solved; i++)
        q[i] /= sum;
    for (int64_t c = 0; c < s->count && *solved; c++)
        weight[c] = fmax(0, x[c]);
    fathom_memory_free(s->context, a);
    return status;
}

/* The least margin of the weights, scaled to sum at most 1, rounded down. */
static double attained(const solver *s, double *weight)
{
    const int64_t n = s->p->n;
    const double rounding = 2 * (double)(s->p->d + 2 * s->count + 8) * DBL_EPSILON;
    double sum = 0, least = INFINITY;
    for (int64_t c = 0; c < s->count; c++)
        sum += weight[c];
    if (!(sum > 0))
        return 0;
    fathom_blas_scale(weight, 1 / sum, s->count);
    for (int64_t i = 0; i < n; i++) {
        double f = 0;
        for (int64_t c = 0; c < s->count; c++)
            f += weight[c] * s->feature[c * n + i];
        least = fmin(least, f - rounding * s->length[i]);
    }
    return fmax(0, least);
}

/* One round: program, its ends, new columns. *grew: there were new ones. */
static fathom_status make_round(bool *grew, fathom_directions_margin *margin, double *alpha, double *q,
                                double *trial, solver *s)
{
    double *weight = fathom_memory_alloc(s->context, s->count, sizeof *weight);
    bool solved = false;
    int64_t added = 0;
    fathom_status status = weight ? solve_program(&solved, weight, trial, s) : FATHOM_ERROR_MEMORY;
    *grew = false;
    if (status == FATHOM_OK && solved) {
        const double least = attained(s, weight), most = price_all(s, trial);
        if (least > margin->lower) {
            margin->lower = least;
            memset(alpha, 0, (size_t)s->p->m * sizeof *alpha);
            for (int64_t c = 0; c < s->count; c++)
                alpha[s->column[c] / 2] += s->column[c] % 2 ? -weight[c] : weight[c];
        }
        if (most < margin->upper) {
            margin->upper = most;
            memcpy(q, trial, (size_t)s->p->n * sizeof *q);
        }
        if (most < INFINITY)
            status = add_best(&added, s, margin->lower * (1 + 1e-14));
        margin->used = s->count;
        const double scale = fmax(margin->lower, margin->upper / 1e3); /* so that t is of order 1 */
        *grew = added > 0 || scale < s->scale / 2;
        s->scale = scale > 0 && scale < INFINITY ? scale : s->scale;
    }
    fathom_memory_free(s->context, weight);
    return status;
}

/* The first q is uniform. */
static fathom_status begin(fathom_directions_margin *margin, double *q, double *trial, solver *s)
{
    int64_t added;
    for (int64_t i = 0; i < s->p->n; i++)
        q[i] = trial[i] = 1 / (double)s->p->n;
    margin->upper = price_all(s, trial);
    s->scale = margin->upper > 0 && margin->upper < INFINITY ? margin->upper : 1;
    return add_best(&added, s, 0);
}

static bool create(solver *s, const fathom_directions *p, fathom_context *context)
{
    *s = (solver){.p = p, .context = context, .scale = 1};
    s->length = fathom_memory_alloc(context, p->n, sizeof *s->length);
    s->price = fathom_memory_zero(context, p->m, sizeof *s->price);
    s->norm = fathom_memory_alloc(context, p->m, sizeof *s->norm);
    s->tile = fathom_memory_alloc(context, TILE * p->n, sizeof *s->tile);
    s->there = fathom_memory_zero(context, 2 * p->m, sizeof *s->there);
    if (!s->length || !s->price || !s->norm || !s->tile || !s->there)
        return false;
    for (int64_t i = 0; i < p->n; i++)
        s->length[i] = fathom_blas_norm(p->x + i * p->d, p->d);
    for (int64_t k = 0; k < p->m; k++)
        s->norm[k] = fathom_blas_norm(p->b + k * p->d, p->d);
    return true;
}

static void clear(solver *s)
{
    FATHOM_FREE(s->context, s->length, s->price, s->norm, s->tile, s->there, s->column, s->feature);
}

fathom_status fathom_directions_solve(fathom_directions_margin *margin, double *alpha, double *q,
                                      fathom_context *context, const fathom_directions *problem, double gap)
{
    solver s;
    bool grew = true;
    double *trial = fathom_memory_alloc(context, problem->n, sizeof *trial);
    fathom_status status = create(&s, problem, context) && trial ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *margin = (fathom_directions_margin){.upper = INFINITY};
    memset(alpha, 0, (size_t)problem->m * sizeof *alpha);
    FATHOM_THEN(status, begin(margin, q, trial, &s));
    while (status == FATHOM_OK && grew && s.count > 0 && margin->rounds < ROUNDS &&
           margin->upper - margin->lower > gap * margin->upper) {
        status = make_round(&grew, margin, alpha, q, trial, &s);
        if (fathom_context_poll(context, "given directions", ++margin->rounds, margin->upper, margin->lower))
            break;
    }
    clear(&s);
    fathom_memory_free(context, trial);
    return status;
}

/* The neurons of a model in the columns of the data: directions, and the signs that their output weights
 * keep. */
static fathom_status take_model(double **b, double **sign, int64_t *m, fathom_margin_run *run)
{
    fathom_model *model = NULL;
    const char *path = run->options->directions;
    FATHOM_TRY(fathom_model_read(&model, run->context, path));
    fathom_status status = FATHOM_OK;
    const fathom_net *net = fathom_model_look(model).net;
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend((fathom_net *)net); /* read only */
    const bool scalar = shape.kind == FATHOM_NET_SCALAR;
    if ((!scalar && shape.kind != FATHOM_NET_RELU) || (!scalar && shape.hidden_bias) || shape.outputs != 1 ||
        shape.d != run->points->columns) {
        status = fathom_error_set_at(run->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "expected a relu or scalar model of one output without hidden biases on "
                                     "%lld columns",
                                     (long long)run->points->columns);
    } else {
        *m = shape.m;
        *b = fathom_memory_alloc(run->context, shape.m * shape.d, sizeof **b);
        *sign = fathom_memory_alloc(run->context, shape.m, sizeof **sign);
        status = *b && *sign ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    for (int64_t j = 0; j < shape.m && status == FATHOM_OK; j++) {
        const double turn = scalar && w.b[j] < 0 ? -1 : 1;
        (*sign)[j] = w.w[j];
        for (int64_t l = 0; l < shape.d; l++)
            (*b)[j * shape.d + l] = turn * w.u[j * shape.d + l];
    }
    fathom_model_free(model);
    return status;
}

/* Rows of an NPY matrix. */
static fathom_status take_array(double **b, int64_t *m, fathom_margin_run *run)
{
    fathom_bytes *bytes = NULL;
    fathom_array array = {0};
    const char *path = run->options->directions;
    const int64_t d = run->points->columns;
    fathom_status status = fathom_bytes_open(&bytes, run->context, path);
    FATHOM_THEN(status, fathom_npy_read(&array, bytes));
    fathom_bytes_close(bytes);
    if (status == FATHOM_OK && (array.rank != 2 || array.shape[1] != d || array.shape[0] < 1))
        status =
            fathom_error_set_at(run->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                "expected directions in the rows of a matrix of %lld columns", (long long)d);
    for (int64_t k = 0; k < array.count && status == FATHOM_OK; k++)
        if (!isfinite(array.values[k]))
            status =
                fathom_error_set_at(run->context, FATHOM_ERROR_INPUT, path, 0, 0,
                                    "direction %lld has a number that is not finite", (long long)(k / d));
    if (status == FATHOM_OK) {
        *m = array.shape[0];
        *b = fathom_memory_alloc(run->context, array.count, sizeof **b);
        status = *b ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK)
        memcpy(*b, array.values, (size_t)array.count * sizeof **b);
    fathom_array_free(run->context, &array);
    return status;
}

/* The network behind the lower end, and its margins. */
static fathom_status keep_network(fathom_margin_run *run, const fathom_directions *p, double *alpha)
{
    fathom_margin_cuts cuts = {.b = fathom_memory_zero(run->context, p->m * p->d, sizeof(double)),
                               .best = alpha,
                               .used = p->m,
                               .width = p->d};
    if (!cuts.b)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < p->m; k++) {
        const double norm = fathom_blas_norm(p->b + k * p->d, p->d);
        for (int64_t l = 0; l < p->d && norm > 0; l++)
            cuts.b[k * p->d + l] = p->b[k * p->d + l] / norm;
        for (int64_t i = 0; i < p->n && alpha[k] != 0; i++)
            run->result->margin[i] +=
                alpha[k] * p->y[i] * fmax(0, fathom_blas_dot(p->x + i * p->d, cuts.b + k * p->d, p->d));
    }
    const fathom_status status = fathom_margin_keep_relu(run, &cuts);
    fathom_memory_free(run->context, cuts.b);
    return status;
}

/* Whether the margin is 0, in rational arithmetic: on the points that q weighs first, which may prove it, then on all. */
static fathom_status decide_zero(fathom_margin_run *run, const fathom_directions *p)
{
    enum { CELLS = 1 << 14 };
    fathom_margin_result *result = run->result;
    const fathom_exact_neurons neurons = {p->n, p->d, p->m, p->x, p->y, p->b, p->sign};
    bool zero = false;
    if ((p->m + 2) * (p->n + 2 * p->m + 2) > CELLS)
        return FATHOM_OK;
    char *use = fathom_memory_alloc(run->context, p->n, 1);
    result->q_exact = fathom_memory_zero(run->context, p->n, sizeof *result->q_exact);
    fathom_status status = use && result->q_exact ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n && status == FATHOM_OK; i++)
        use[i] = result->q[i] > 1e-9;
    FATHOM_THEN(status,
                fathom_exact_neurons_decide(&zero, result->q, result->q_exact, run->context, &neurons, use));
    if (status == FATHOM_OK && !zero)
        status = fathom_exact_neurons_decide(&zero, result->q, result->q_exact, run->context, &neurons, NULL);
    fathom_memory_free(run->context, use);
    if (status != FATHOM_OK)
        return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
    result->view.decided = true;
    if (zero)
        result->view.lower = result->view.upper = 0;
    result->view.reached |= zero;
    return FATHOM_OK;
}

static void state(fathom_margin_view *view)
{
    const bool positive = view->lower > 0 || (view->decided && view->upper > 0);
    view->statement =
        positive          ? "The margin is positive: a network along these directions classifies this data."
        : view->upper > 0 ? "Whether a network along these directions classifies this data is not decided."
                          : "The margin is 0: no network along these directions classifies this data.";
}

fathom_status fathom_margin_by_directions(fathom_margin_run *run)
{
    fathom_directions p = {
        .n = run->points->n, .d = run->points->d, .x = run->points->x, .y = run->points->y};
    fathom_margin_view *view = &run->result->view;
    fathom_directions_margin margin;
    double *b = NULL, *sign = NULL, *alpha = NULL;
    const double gap = fathom_margin_gap(run->options, 1e-9);
    const char *name = strrchr(run->options->directions, '.');
    const bool model = name && (strcmp(name, ".json") == 0 || strcmp(name, ".npz") == 0);
    fathom_status status = model ? take_model(&b, &sign, &p.m, run) : take_array(&b, &p.m, run);
    if (status == FATHOM_OK) {
        p.b = b, p.sign = sign;
        alpha = fathom_memory_alloc(run->context, p.m, sizeof *alpha);
        status = alpha ? fathom_directions_solve(&margin, alpha, run->result->q, run->context, &p, gap)
                       : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK) {
        view->method = "directions", view->width = p.m, view->gates = margin.used;
        view->iterations = margin.rounds;
        fathom_margin_narrow(run->result, margin.lower, margin.upper, gap);
        /* programs keep their rows to 1e-12: where no gap was asked for, that is enough, as long as it says
         * something of the margin */
        const double width = view->upper - view->lower;
        view->reached |=
            isnan(run->options->gap) && width <= 1e-11 * run->points->radius && width <= 1e-3 * view->upper;
        status = margin.lower > 0 ? keep_network(run, &p, alpha) : decide_zero(run, &p);
        state(view);
    }
    FATHOM_FREE(run->context, b, sign, alpha);
    return status;
}
