/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Closed forms: rows that are orthogonal and equally long, every loss; independent rows, interpolation.
 *
 * AA' = g^2 I (n <= d): (Au)_+ over |u| <= 1 are the t >= 0 with |t| <= g, and where the targets lie on rays
 * under right or obtuse angles (closed_parts.h; one output: always) the problem falls into one for each ray,
 * of the form
 *     minimise sum_i c_i l_i(f_i) + b |f|,  b = beta / g,
 * whose neuron is A'f. Without sample weights this is, for one output, the closed form of the papers' Lemmas
 * 3.1, 3.2.
 *
 * Independent rows (n <= d): two neurons A^+ y_+ and A^+ y_- interpolate, the fewest possible [001, Lemma
 * 3.1]. With K = AA', q_s = K^{-1} y_s / |A^+ y_s|, their norm |A^+ y_+| + |A^+ y_-| is the least one of all
 * networks where A is spike-free and q_+ + q_- >= 0 [001, Lemma 3.2]: v = q_+ where y >= 0, -q_- elsewhere,
 * is below q_+ and above -q_-, hence v'(Au)_+ <= 1. In general
 *     p(v) <= rho max_s |A'(v_s + w_s)| for any w_s >= 0, v_s = v or -v,  and   p(v) <= sigma_max max(|v_+|, |v_-|),
 * which gives the bounds that are printed; the network is the same. Several outputs: a neuron A^+ r_k for
 * each ray, and the second bound, which is exact for orthogonal rows of equal length. O(n^2 (d + outputs)).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "closed_parts.h"
#include "context_internal.h"
#include "gemm.h"
#include "memory.h"
#include "spike.h"
#include "train_relu.h"

/* Largest |AA'/g^2 - I| of rows that count as orthogonal, and of n d for the test of it. */
#define WHITENED 1e-12

typedef struct closed {
    const fathom_train_problem *p;
    double *gram; /* n x n */
    fathom_closed_parts parts;
    double *f, *v;   /* outputs x n: values; the dual point */
    double *along;   /* n: the dual point along the axes of its parts */
    double *u, *w;   /* parts x d: a neuron for each; their norms */
    double g, sigma; /* AA' = g^2 I to rounding; at least the largest singular value */
    double error;    /* largest |AA' - g^2 I| entry */
} closed;

/* *apart: whether the targets fall into parts, without which there is nothing else. */
static fathom_status open(closed *a, bool *apart, const fathom_train_problem *p)
{
    const int64_t n = p->n, d = p->d;
    *a = (closed){.p = p};
    fathom_status status = fathom_closed_parts_open(&a->parts, apart, p);
    if (status == FATHOM_OK && *apart)
        status =
            fathom_context_require(p->context, 8.0 * (double)n * (double)n, "the Gram matrix of the rows");
    if (status != FATHOM_OK || !*apart)
        return status;
    a->gram = fathom_memory_alloc(p->context, n * n, sizeof *a->gram);
    a->f = fathom_memory_zero(p->context, (2 * p->outputs + 1) * n + a->parts.count * (d + 1), sizeof *a->f);
    if (!a->gram || !a->f)
        return FATHOM_ERROR_MEMORY;
    a->v = a->f + n * p->outputs;
    a->along = a->v + n * p->outputs;
    a->u = a->along + n;
    a->w = a->u + a->parts.count * d;
    status =
        fathom_gemm(a->gram, n, n, n, d, 1, fathom_plain(p->x, d), fathom_transposed(p->x, d), 0, p->context);
    double sum = 0, largest = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a->gram[i * n + i];
    for (int64_t i = 0; i < n; i++) {
        double row = 0;
        for (int64_t j = 0; j < n; j++) {
            a->error = fmax(a->error, fabs(a->gram[i * n + j] - (i == j ? sum / (double)n : 0)));
            row += fabs(a->gram[i * n + j]);
        }
        largest = fmax(largest, row); /* Gershgorin */
    }
    a->g = sqrt(sum / (double)n);
    a->sigma = sqrt(largest * (1 + (double)(n + d + 8) * DBL_EPSILON));
    return status;
}

static void close(closed *a)
{
    fathom_closed_parts_close(&a->parts);
    FATHOM_FREE(a->p->context, a->gram, a->f);
}

/* Rows of equal length to rounding: what orthogonal ones must be, seen in O(n). */
static bool equal_rows(const fathom_train_problem *p)
{
    for (int64_t i = 1; i < p->n; i++)
        if (!(fabs(p->reach[i] - p->reach[0]) <= 1e-12 * p->reach[0]))
            return false;
    return p->reach[0] > 0;
}

/* `auto` takes the two neurons of interpolation only where they are the shortest, which the run itself
 * proves. */
static fathom_status prove_interpolation(bool *yes, const char **why, const fathom_train_problem *p)
{
    fathom_train_result result = {0};
    const fathom_status status = fathom_closed_run(&result, p);
    *yes = status == FATHOM_OK && result.status == FATHOM_TRAIN_CERTIFIED;
    *why = *yes ? "independent rows, neurons of least norm"
                : "few neurons interpolate, but longer ones than needed (--method closed)";
    fathom_train_result_clear(&result);
    return status;
}

fathom_status fathom_closed_applies(bool *yes, const char **why, const fathom_train_problem *p)
{
    closed a;
    bool apart;
    *yes = false;
    *why = fathom_loss_row_of(p->loss)->boxed ? "closed forms are for squared, logistic, hinge and equality"
           : p->constant                      ? "beyond one dimension the closed forms have no free bias"
           : p->n > p->d                      ? "closed forms need at most as many rows as columns"
                                              : "the rows are not orthogonal and equally long";
    if (fathom_loss_row_of(p->loss)->boxed || p->constant || p->n > p->d || (!p->equality && !equal_rows(p)))
        return FATHOM_OK;
    fathom_status status = open(&a, &apart, p);
    if (status == FATHOM_OK && !apart) {
        *why = "two targets are neither parallel nor at a right or obtuse angle";
    } else if (status == FATHOM_OK && p->equality) {
        *yes = fathom_blas_cholesky(a.gram, p->n, p->n) == 0;
        for (int64_t i = 0; i < p->n && *yes; i++)
            *yes = a.gram[i * (p->n + 1)] > 1e-7 * p->reach[i];
        *why = *yes ? "independent rows" : "the rows are not independent";
    } else if (status == FATHOM_OK && a.error <= WHITENED * a.g * a.g) {
        *yes = true;
        *why = "orthogonal rows of equal length";
    }
    close(&a);
    return status == FATHOM_OK && *yes && p->equality && p->options->method == FATHOM_TRAIN_AUTO
               ? prove_interpolation(yes, why, p)
               : status;
}

/* Solves part k for b; its neuron A'f, and its part of V along its axis. */
static void solve_part(closed *a, int64_t k, double b)
{
    const fathom_train_problem *p = a->p;
    const fathom_closed_parts *parts = &a->parts;
    memset(a->f, 0, (size_t)p->n * sizeof *a->f);
    const double norm = fathom_closed_parts_solve(a->f, a->along, parts, k, b);
    double *u = a->u + k * p->d;
    memset(u, 0, (size_t)p->d * sizeof *u);
    if (norm > 0) {
        fathom_blas_gemv(u, p->d, p->n, 1, fathom_transposed(p->x, p->d), a->f, 0);
        fathom_blas_scale(u, 1 / fathom_blas_norm(u, p->d), p->d);
    }
    a->w[k] = norm / a->g;
}

/* V_i = along_i axis_part(i). */
static void set_dual(closed *a)
{
    const int64_t n = a->p->n, o = a->p->outputs;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < o; l++)
            a->v[l * n + i] =
                a->parts.part[i] < 0 ? 0 : a->along[i] * a->parts.axis[a->parts.part[i] * o + l];
}

/* p(V) <= sigma_max max |V't| over t >= 0, |t| <= 1, rounded up. */
static double price(const closed *a) { return a->sigma * fathom_closed_parts_price(a->v, a->p, a->f); }

/* Outputs of the neurons on the data, into f. */
static void forward(closed *a)
{
    const fathom_train_problem *p = a->p;
    memset(a->f, 0, (size_t)(p->n * p->outputs) * sizeof *a->f);
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < a->parts.count; k++) {
            const double h = a->w[k] * fmax(0, fathom_blas_dot(p->x + i * p->d, a->u + k * p->d, p->d));
            for (int64_t l = 0; l < p->outputs; l++)
                a->f[l * p->n + i] += h * a->parts.axis[k * p->outputs + l];
        }
}

static fathom_status give(fathom_train_result *result, const closed *a)
{
    const int64_t d = a->p->d, o = a->p->outputs;
    fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = d, .outputs = o};
    for (int64_t k = 0; k < a->parts.count; k++)
        shape.m += a->w[k] != 0;
    FATHOM_TRY(fathom_net_create(&result->net, a->p->context, &shape));
    const fathom_net_weights weights = fathom_net_lend(result->net);
    for (int64_t k = 0, j = 0; k < a->parts.count; k++) {
        if (a->w[k] == 0)
            continue;
        memcpy(weights.u + j * d, a->u + k * d, (size_t)d * sizeof *weights.u);
        for (int64_t l = 0; l < o; l++)
            weights.w[j * o + l] = a->w[k] * a->parts.axis[k * o + l];
        j++;
    }
    result->neurons = shape.m;
    return FATHOM_OK;
}

/* Values of the network, judged against `lower` (of the sum problem). */
static fathom_status fill(fathom_train_result *result, closed *a, double beta, double lower, const char *how)
{
    const fathom_train_problem *p = a->p;
    const fathom_objective problem = fathom_train_objective(p, beta);
    const double terms = (double)(p->n + p->d + p->outputs + 16), up = 1 + 4 * terms * 0x1p-53;
    result->norm = 0;
    for (int64_t k = 0; k < a->parts.count; k++)
        result->norm += a->w[k] * fathom_blas_norm(a->u + k * p->d, p->d);
    forward(a);
    result->loss = p->equality ? 0 : fathom_objective_loss(&problem, a->f, 0) / p->divisor;
    result->beta = p->equality ? 0 : beta / p->divisor;
    result->objective = p->equality ? result->norm * up : (result->loss + result->beta * result->norm) * up;
    result->lower_bound = fmax(0, fmin(lower / (p->equality ? 1 : p->divisor), result->objective));
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = how;
    result->method = "closed";
    result->kind = p->loss;
    fathom_train_judge(result, p->options->gap);
    result->end = result->status == FATHOM_TRAIN_LIMIT ? FATHOM_END_STALLED : FATHOM_END_REACHED;
    return give(result, a);
}

/* The leaf of one side of docs/reference/certificate.md, Sec. 5, where it is exact: t = +-v, a = t_+, Theta_i0 = t_i
 * where t_i < 0, so that C_0 = A'a and C_i = a_i x_i, with weights 1 / |<C, u>| at the u = A'a / (g |a|)
 * that attains the price g |a|. */
static double make_leaf(fathom_proof_leaf *leaf, const closed *a, double sign)
{
    const int64_t n = a->p->n;
    double norm = 0;
    leaf->entries = 0;
    for (int64_t i = 0; i < n; i++)
        norm = hypot(norm, fmax(0, sign * a->v[i]));
    leaf->weight[0] = norm > 0 ? 1 / (a->g * norm) : 0;
    for (int64_t i = 0; i < n; i++) {
        const double t = sign * a->v[i];
        leaf->weight[i + 1] = t > 1e-16 * norm ? norm / (a->g * t * t) : 0;
        if (t < 0) {
            leaf->i[leaf->entries] = i;
            leaf->theta[leaf->entries++] = t;
        }
    }
    return a->sigma * norm * (1 + (double)(n + 64) * 0x1p-48);
}

static fathom_status make_proof(fathom_train_result *result, const closed *a, double beta)
{
    fathom_context *context = a->p->context;
    const int64_t n = a->p->n;
    const fathom_objective problem = fathom_train_objective(a->p, beta);
    int64_t *place = fathom_memory_zero(context, 2 * n, sizeof *place);
    double *value = fathom_memory_zero(context, 2 * n + 1, sizeof *value);
    fathom_status status =
        place && value ? fathom_proof_create(&result->proof, context, n, a->p->d, 1) : FATHOM_ERROR_MEMORY;
    for (int side = 0; side < 2 && status == FATHOM_OK; side++) {
        fathom_proof_leaf leaf = {.side = side ? -1 : 1,
                                  .i = place,
                                  .j = place + n, /* all 0: the constant sign */
                                  .theta = value,
                                  .weight = value + n};
        const double bound = make_leaf(&leaf, a, leaf.side);
        status = fathom_proof_add_leaf(result->proof, &leaf);
        if (status == FATHOM_OK)
            result->proof->price[side] = bound;
    }
    if (status == FATHOM_OK) {
        memcpy(result->proof->v, a->v, (size_t)n * sizeof *a->v);
        result->proof->lower = fathom_objective_bound_priced(
            &problem, a->v, fmax(result->proof->price[0], result->proof->price[1]));
    }
    FATHOM_FREE(context, place, value);
    return status;
}

/* Leaves V for fathom_train_prove, which finds the evidence. */
static fathom_status start_proof(fathom_train_result *result, const closed *a)
{
    const fathom_train_problem *p = a->p;
    const fathom_status status = fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs);
    if (status == FATHOM_OK) {
        memcpy(result->proof->v, a->v, (size_t)(p->n * p->outputs) * sizeof *a->v);
        result->proof->started = true;
    }
    return status;
}

/* Orthogonal rows of equal length. */
static fathom_status run_whitened(fathom_train_result *result, closed *a)
{
    const fathom_train_problem *p = a->p;
    double beta, beta_max = 0;
    for (int64_t k = 0; k < a->parts.count; k++)
        beta_max = fmax(beta_max, a->g * fathom_closed_parts_slope(&a->parts, k));
    FATHOM_TRY(fathom_train_beta(&beta, p, beta_max));
    result->beta_max = beta_max / p->divisor;
    for (int64_t k = 0; k < a->parts.count; k++)
        solve_part(a, k, beta / a->g);
    set_dual(a);
    const fathom_objective problem = fathom_train_objective(p, beta);
    FATHOM_TRY(fill(result, a, beta, fathom_objective_bound_priced(&problem, a->v, price(a)),
                    "closed form of orthogonal rows"));
    if (fathom_train_proves(p->options))
        FATHOM_TRY(p->outputs == 1 ? make_proof(result, a, beta) : start_proof(result, a));
    return FATHOM_OK;
}

/* q = K^{-1} r_k and A^+ r_k = A'q for the sizes r_k of part k, the latter into u, scaled to 1; returns |A^+
 * r_k|, 0 where r_k = 0. `q` holds n. */
static double dual_part(closed *a, double *q, int64_t k)
{
    const fathom_train_problem *p = a->p;
    double *u = a->u + k * p->d;
    bool any = false;
    for (int64_t i = 0; i < p->n; i++) {
        q[i] = a->parts.part[i] == k ? a->parts.size[i] : 0;
        any = any || q[i] > 0;
    }
    fathom_blas_cholesky_solve(q, 1, a->gram, p->n, p->n, 1);
    fathom_blas_gemv(u, p->d, p->n, 1, fathom_transposed(p->x, p->d), q, 0);
    const double norm = any ? fathom_blas_norm(u, p->d) : 0;
    fathom_blas_scale(any ? u : q, any ? 1 / norm : 0, any ? p->d : p->n);
    if (any)
        fathom_blas_scale(q, 1 / norm, p->n);
    return norm;
}

/* max_s |A'(v_s + w_s)|, v_+ + w_+ = max(v, q_+), v_- + w_- = max(-v, q_-), rounded up; `room` holds n +
 * d. */
static double restricted_price(const closed *a, double *const q[2], double *room)
{
    const fathom_train_problem *p = a->p;
    double largest = 0;
    for (int side = 0; side < 2; side++) {
        double size = 0;
        for (int64_t i = 0; i < p->n; i++) {
            room[i] = fmax(side ? -a->v[i] : a->v[i], q[side][i]);
            size += fabs(room[i]) * p->reach[i];
        }
        fathom_blas_gemv(room + p->n, p->d, p->n, 1, fathom_transposed(p->x, p->d), room, 0);
        const double norm = fathom_blas_norm(room + p->n, p->d);
        largest =
            fmax(largest, norm * (1 + DBL_EPSILON * (double)p->d) + (double)(p->n + 8) * DBL_EPSILON * size);
    }
    return largest;
}

/* <V, Y> less its rounding. */
static double product(const closed *a)
{
    double sum = 0, size = 0;
    for (int64_t i = 0; i < a->p->n * a->p->outputs; i++) {
        sum += a->v[i] * a->p->y[i];
        size += fabs(a->v[i] * a->p->y[i]);
    }
    return sum - (double)(a->p->n * a->p->outputs + 8) * DBL_EPSILON * size;
}

/* The simple bound sum_k |r_k| / sigma_max, from V_i = r_i / |r_k| on part k. */
static double simple_bound(closed *a)
{
    for (int64_t k = 0; k < a->parts.count; k++) {
        double norm = 0;
        for (int64_t i = 0; i < a->p->n; i++)
            norm = hypot(norm, a->parts.part[i] == k ? a->parts.size[i] : 0);
        for (int64_t i = 0; i < a->p->n; i++)
            if (a->parts.part[i] == k)
                a->along[i] = a->parts.size[i] / norm;
    }
    set_dual(a);
    const double largest = price(a);
    return largest > 0 ? product(a) / largest * (1 - 4 * DBL_EPSILON) : 0;
}

/* The bound of Lemma 3.2 for one output, times rho; -1 for several. `room` holds 3 n + d. */
static fathom_status spike_bound(double *bound, const char **how, closed *a, double *room)
{
    const fathom_train_problem *p = a->p;
    fathom_geometry spike = {.n = p->n, .d = p->d, .rank_one = p->n == 1};
    double *const q[2] = {room, room + p->n};
    *bound = -1;
    if (p->outputs > 1)
        return FATHOM_OK;
    spike.whitened_error = a->error <= WHITENED && fabs(a->g - 1) <= WHITENED ? a->error : INFINITY;
    FATHOM_TRY(fathom_spike_decide(&spike, p->x, p->n, p->d, p->context));
    for (int64_t i = 0; i < p->n; i++)
        a->v[i] = p->y[i] >= 0 ? q[0][i] : -q[1][i];
    const double rho = spike.spike_free == FATHOM_YES ? 1 : spike.rho_upper;
    *bound = product(a) / (rho * restricted_price(a, q, room + 2 * p->n)) * (1 - 4 * DBL_EPSILON);
    *how = spike.spike_free == FATHOM_YES ? "spike-free, dual of Lemma 3.2" : "dual of Lemma 3.2 and rho";
    return FATHOM_OK;
}

/* Interpolation with independent rows. */
static fathom_status run_interpolation(fathom_train_result *result, closed *a)
{
    const fathom_train_problem *p = a->p;
    const char *how = "largest singular value";
    double *room = fathom_memory_alloc(p->context, 3 * p->n + p->d, sizeof *room), exact = -1, simple = -1;
    fathom_status status = room ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && fathom_blas_cholesky(a->gram, p->n, p->n) != 0)
        status = fathom_error_set(p->context, FATHOM_ERROR_RUNTIME, "the rows are not independent");
    for (int64_t k = 0; k < a->parts.count && status == FATHOM_OK; k++)
        a->w[k] = dual_part(a, room + (p->outputs == 1 ? k * p->n : 0), k);
    FATHOM_THEN(status, spike_bound(&exact, &how, a, room));
    if (status == FATHOM_OK) {
        memcpy(room, a->v, (size_t)p->n * sizeof *room);
        simple = simple_bound(a);
        if (exact > simple)
            memcpy(a->v, room, (size_t)p->n * sizeof *room);
        status = fill(result, a, 0, fmax(exact, simple), exact > simple ? how : "largest singular value");
    }
    if (status == FATHOM_OK && fathom_train_proves(p->options))
        status = start_proof(result, a);
    fathom_memory_free(p->context, room);
    return status;
}

fathom_status fathom_closed_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    closed a;
    bool apart;
    fathom_status status = open(&a, &apart, problem);
    if (status == FATHOM_OK && !apart)
        status =
            fathom_error_set(problem->context, FATHOM_ERROR_RUNTIME, "the targets do not fall into parts");
    FATHOM_THEN(status, problem->equality ? run_interpolation(result, &a) : run_whitened(result, &a));
    close(&a);
    return status;
}
