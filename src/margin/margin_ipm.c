/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gamma_V by a primal-dual interior point.
 *
 *     min  sum_j rho_j t_j   over q >= 0, 1'q = 1, |s_j(q)| <= t_j        dual: W, g, z = margin(W) - g >= 0, |w_j| <= 1
 *
 * Both sides start strictly feasible (q = 1/n, W = 0) and stay so: s follows q and the margins follow W,
 * so the gap is sum rho_j t_j - g = q'z + sum_j rho_j (t_j - <s_j, w_j>) at every iterate. Each step
 * solves
 *
 *     [ K  -1 ] [dq]   [ rhs ]      K = sum_j A_j' (alpha_j I - beta_j w1_j w1_j') A_j + diag(z / q)
 *     [ 1'  0 ] [dg] = [  0  ]
 *
 * twice (Mehrotra), scaling and formulas in margin_cone.h. G is homogeneous, so K q is of the order of the
 * gap and the bordered system cancels; as 1'dq = 0, adding c 11' to K changes nothing and cures it. One
 * step of refinement with the operator form of K follows the second solve. W is carried, never rebuilt as
 * s / |s|: s_j = 0 happens.
 *
 * Cost: m n^2 + n^3 / 6 + 6 passes of m n d / 2 multiplications per iteration; 8 to 16 iterations to a
 * relative gap of 1e-9 on generic data, up to 30 where many s_j vanish. Memory: 6 m D + 3 n^2 numbers. The
 * interval returned is that of margin_certify.c. [000, Sec. 4]
 */
#include <math.h>
#include <string.h>

#include <omp.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "margin_cone.h"
#include "margin_internal.h"
#include "memory.h"

typedef struct interior {
    const fathom_margin_problem *p;
    fathom_margin_work *work;
    fathom_context *context;
    int64_t n, m, dimension;
    int threads;
    fathom_cone *cone;                /* m */
    double *s, *w, *w1, *c, *ds, *dw; /* m x D */
    double *alpha, *beta, *dt;        /* m */
    double *u;                        /* threads x D */
    double *q, *z, *margin;           /* n */
    double *dq, *dz, *dmargin, *rhs;  /* n */
    double *one, *extra;              /* n: K^{-1} 1; workspace */
    double *k;                        /* n x n: K, then its factor */
    double g, dg, border;             /* border = 1' K^{-1} 1 */
    double ridge;                     /* c of the rank-one term */
    fathom_status status;             /* of the last factorisation: not enough memory ends the run */
} interior;

static void interior_free(interior *a)
{
    void *blocks[] = {a->cone,   a->s,    a->w,   a->w1,  a->c, a->ds,    a->dw,
                      a->alpha,  a->beta, a->dt,  a->u,   a->q, a->z,     a->dq,
                      a->margin, a->dz,   a->rhs, a->one, a->k, a->extra, a->dmargin};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(a->context, blocks[k]);
    fathom_margin_work_free(a->work);
}

static double *numbers(interior *a, int64_t count)
{
    return fathom_memory_alloc(a->context, count, sizeof(double));
}

static fathom_status interior_create(interior *a, fathom_context *context, const fathom_margin_problem *p)
{
    const int64_t n = p->n, m = p->m, dimension = fathom_margin_dimension(p);
    *a = (interior){.p = p, .context = context, .n = n, .m = m, .dimension = dimension};
    a->threads = fathom_context_threads(context);
    const double own = 8 * (double)(6 * m * dimension + 3 * m + 9 * n + n * n) + (double)m * sizeof *a->cone;
    FATHOM_TRY(fathom_context_require(context, own + fathom_margin_work_bytes(context, p, true),
                                      "the interior point for this margin"));
    FATHOM_TRY(fathom_margin_work_create(&a->work, context, p, true));
    double **gate[] = {&a->s, &a->w, &a->w1, &a->c, &a->ds, &a->dw};
    double **weight[] = {&a->alpha, &a->beta, &a->dt};
    double **point[] = {&a->q, &a->z, &a->margin, &a->dq, &a->dz, &a->dmargin, &a->rhs, &a->one, &a->extra};
    bool ok = (a->cone = fathom_memory_alloc(context, m, sizeof *a->cone)) != NULL;
    for (size_t k = 0; k < sizeof gate / sizeof gate[0]; k++)
        ok = ok && (*gate[k] = numbers(a, m * dimension));
    for (size_t k = 0; k < sizeof weight / sizeof weight[0]; k++)
        ok = ok && (*weight[k] = numbers(a, m));
    for (size_t k = 0; k < sizeof point / sizeof point[0]; k++)
        ok = ok && (*point[k] = numbers(a, n));
    ok = ok && (a->u = numbers(a, a->threads * dimension)) && (a->k = numbers(a, n * n));
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static double norm(const double *x, int64_t count)
{
    double total = 0;
    for (int64_t k = 0; k < count; k++)
        total += x[k] * x[k];
    return sqrt(total);
}

/* G(q) from the sums. */
static double dual_value(const interior *a)
{
    double total = 0;
    for (int64_t j = 0; j < a->m; j++)
        total += a->p->rho[j] * norm(a->s + j * a->dimension, a->dimension);
    return total;
}

/* q = 1/n, W = 0, t_j = |s_j| + G, g = -G: strictly inside, with complementarity of the same order
 * everywhere. */
static void interior_start(interior *a)
{
    for (int64_t i = 0; i < a->n; i++) {
        a->q[i] = 1 / (double)a->n;
        a->margin[i] = 0;
    }
    fathom_margin_sums(a->s, a->p, a->q, a->work);
    double value = dual_value(a);
    if (!(value > 0)) /* q = 1/n is optimal with value 0; any positive slack will do */
        value = 1;
    memset(a->w, 0, (size_t)(a->m * a->dimension) * sizeof *a->w);
    for (int64_t j = 0; j < a->m; j++) {
        a->cone[j].rho = a->p->rho[j];
        a->cone[j].t = norm(a->s + j * a->dimension, a->dimension) + value;
    }
    a->g = -value;
    for (int64_t i = 0; i < a->n; i++)
        a->z[i] = value;
}

/* K + ridge 11' = L L'. Near the end K is singular to rounding, and which pivot turns negative is chance: a
 * shift of its diagonal helps, up to SHIFT_MOST of the trace; directions are refined with K itself. */
static bool factor_normal(interior *a)
{
    static const double SHIFT_LEAST = 1e-16, SHIFT_MOST = 1e-10, SHIFT_STEP = 100;
    const int64_t n = a->n;
    for (double shift = 0; shift <= SHIFT_MOST; shift = shift > 0 ? shift * SHIFT_STEP : SHIFT_LEAST) {
        double trace = 0;
        int64_t minor;
        a->status = fathom_margin_normal(a->k, a->p, a->alpha, a->beta, a->w1, a->work);
        if (a->status != FATHOM_OK)
            return false;
        for (int64_t i = 0; i < n; i++)
            trace += a->k[i * n + i] += a->z[i] / a->q[i];
        a->ridge = trace / ((double)n * (double)n);
        for (int64_t i = 0; i < n * n; i++)
            a->k[i] += a->ridge + (i % (n + 1) == 0 ? shift * trace : 0);
        a->status = fathom_cholesky_factor(&minor, a->k, n, n, a->context);
        if (a->status != FATHOM_OK || minor == 0)
            return a->status == FATHOM_OK;
    }
    return false;
}

/* Scales all cones and factors K. False where K is not positive definite in floating point. */
static bool factor(interior *a)
{
    const int64_t n = a->n, dimension = a->dimension;
#pragma omp parallel for schedule(static) num_threads(a->threads)
    for (int64_t j = 0; j < a->m; j++) {
        const int64_t at = j * dimension;
        fathom_cone_scale(a->cone + j, a->w1 + at, a->s + at, a->w + at, dimension);
        fathom_cone_affine(a->cone + j, a->c + at, a->w1 + at, a->w + at, dimension);
        a->alpha[j] = a->cone[j].alpha;
        a->beta[j] = a->cone[j].beta;
    }
    if (!factor_normal(a))
        return false;
    a->border = 0;
    for (int64_t i = 0; i < n; i++)
        a->one[i] = 1;
    fathom_cholesky_apply(a->one, 1, 1, a->k, n, n, a->context);
    for (int64_t i = 0; i < n; i++)
        a->border += a->one[i];
    return true;
}

/* Solves the bordered system: x (n) holds the right side on entry and dq on exit, 1'dq = sum; returns dg. */
static double bordered_solve(double *x, const interior *a, double sum)
{
    double total = 0;
    fathom_cholesky_apply(x, 1, 1, a->k, a->n, a->n, a->context);
    for (int64_t i = 0; i < a->n; i++)
        total += x[i];
    const double dg = (sum - total) / a->border;
    for (int64_t i = 0; i < a->n; i++)
        x[i] += dg * a->one[i];
    return dg;
}

/* dq, dg and ds from rhs. */
static void solve(interior *a)
{
    memcpy(a->dq, a->rhs, (size_t)a->n * sizeof *a->dq);
    a->dg = bordered_solve(a->dq, a, 0);
    fathom_margin_sums(a->ds, a->p, a->dq, a->work);
}

/* One step of refinement with K in operator form; a->dw is workspace. */
static void refine(interior *a)
{
    const int64_t dimension = a->dimension;
#pragma omp parallel for schedule(static) num_threads(a->threads)
    for (int64_t j = 0; j < a->m; j++) {
        const double *ds = a->ds + j * dimension, *w1 = a->w1 + j * dimension;
        double inner = 0;
        for (int64_t k = 0; k < dimension; k++)
            inner += w1[k] * ds[k];
        for (int64_t k = 0; k < dimension; k++)
            a->dw[j * dimension + k] = a->alpha[j] * ds[k] - a->beta[j] * inner * w1[k];
    }
    fathom_margin_scores(a->extra, a->p, NULL, a->dw, a->work);
    double sum = 0;
    for (int64_t i = 0; i < a->n; i++)
        sum += a->dq[i];
    for (int64_t i = 0; i < a->n; i++)
        a->extra[i] = a->rhs[i] + a->dg - a->extra[i] - a->z[i] / a->q[i] * a->dq[i] - a->ridge * sum;
    a->dg += bordered_solve(a->extra, a, -sum);
    for (int64_t i = 0; i < a->n; i++)
        a->dq[i] += a->extra[i];
    fathom_margin_sums(a->ds, a->p, a->dq, a->work);
}

/* dt and dw of every gate from ds. */
static void directions(interior *a)
{
    const int64_t dimension = a->dimension;
#pragma omp parallel for schedule(static) num_threads(a->threads)
    for (int64_t j = 0; j < a->m; j++) {
        const int64_t at = j * dimension;
        a->dt[j] =
            fathom_cone_direction(a->cone + j, a->dw + at, a->c + at, a->w1 + at, a->ds + at, dimension);
    }
}

/* The largest feasible step, at most 1 / `back`, times `back`. */
static double step_length(const interior *a, double back)
{
    const int64_t dimension = a->dimension;
    double most = 1 / back;
#pragma omp parallel for schedule(static) num_threads(a->threads) reduction(min : most)
    for (int64_t j = 0; j < a->m; j++) {
        const int64_t at = j * dimension;
        most = fathom_cone_step(a->cone + j, a->s + at, a->dt[j], a->ds + at, a->w + at, a->dw + at, most,
                                dimension);
    }
    for (int64_t i = 0; i < a->n; i++) {
        if (a->dq[i] < 0)
            most = fmin(most, -a->q[i] / a->dq[i]);
        if (a->dz[i] < 0)
            most = fmin(most, -a->z[i] / a->dz[i]);
    }
    return back * most;
}

/* sum_j rho_j x_j */
static double weighted(const interior *a, const double *x)
{
    double total = 0;
    for (int64_t j = 0; j < a->m; j++)
        total += a->p->rho[j] * x[j];
    return total;
}

static double primal_value(const interior *a)
{
    double total = 0;
    for (int64_t j = 0; j < a->m; j++)
        total += a->p->rho[j] * a->cone[j].t;
    return total;
}

/* The affine direction; returns sigma mu of the corrector. */
static double predict(interior *a)
{
    const double gap = primal_value(a) - a->g;
    fathom_margin_scores(a->rhs, a->p, NULL, a->c, a->work);
    for (int64_t i = 0; i < a->n; i++)
        a->rhs[i] -= a->z[i];
    solve(a);
    directions(a);
    for (int64_t i = 0; i < a->n; i++)
        a->dz[i] = -a->z[i] - a->z[i] / a->q[i] * a->dq[i];
    const double step = step_length(a, 1);
    const double after = fmax(0, gap + step * (weighted(a, a->dt) - a->dg));
    const double sigma = pow(after / gap, 3);
    return fmin(sigma, 1) * gap / (double)(a->n + a->m);
}

/* The combined direction, refined. */
static void correct(interior *a, double mu)
{
    const int64_t dimension = a->dimension;
#pragma omp parallel for schedule(static) num_threads(a->threads)
    for (int64_t j = 0; j < a->m; j++) {
        const int64_t at = j * dimension;
        fathom_cone_correct(a->cone + j, a->c + at, a->u + omp_get_thread_num() * dimension, a->w1 + at,
                            a->s + at, a->dt[j], a->ds + at, a->dw + at, mu, dimension);
    }
    fathom_margin_scores(a->rhs, a->p, NULL, a->c, a->work);
    for (int64_t i = 0; i < a->n; i++)
        a->rhs[i] += (mu - a->dq[i] * a->dz[i]) / a->q[i] - a->z[i];
    solve(a);
    refine(a);
    directions(a);
    /* What z does is taken from W itself, so that feasibility does not rest on the accuracy of the solve. */
    fathom_margin_scores(a->dmargin, a->p, a->p->rho, a->dw, a->work);
    for (int64_t i = 0; i < a->n; i++)
        a->dz[i] = a->dmargin[i] - a->dg;
}

static void advance(interior *a, double step)
{
    for (int64_t j = 0; j < a->m; j++)
        a->cone[j].t += step * a->dt[j];
    fathom_blas_axpy(a->s, step, a->ds, a->m * a->dimension);
    fathom_blas_axpy(a->w, step, a->dw, a->m * a->dimension);
    fathom_blas_axpy(a->q, step, a->dq, a->n);
    fathom_blas_axpy(a->margin, step, a->dmargin, a->n);
    a->g += step * a->dg;
    for (int64_t i = 0; i < a->n; i++)
        a->z[i] = a->margin[i] - a->g;
}

/* The best pair so far, before the certificate's rounding. */
typedef struct incumbent {
    double lower, upper;
    int64_t improved; /* iteration at which the interval last shrank by a tenth */
    double width;     /* then */
} incumbent;

/* Keeps q where G(q) is the smallest seen and W / max|w_j| where its least margin is the largest seen. */
static void record(incumbent *best, fathom_margin_pair *pair, const interior *a)
{
    const double value = dual_value(a);
    if (value < best->upper) {
        best->upper = value;
        memcpy(pair->q, a->q, (size_t)a->n * sizeof *a->q);
    }
    double least = INFINITY, longest = 0;
    for (int64_t i = 0; i < a->n; i++)
        least = fmin(least, a->margin[i]);
    for (int64_t j = 0; j < a->m; j++)
        longest = fmax(longest, norm(a->w + j * a->dimension, a->dimension));
    if (least > 0 && least / longest > best->lower) {
        best->lower = least / longest;
        for (int64_t k = 0; k < a->m * a->dimension; k++)
            pair->w[k] = a->w[k] / longest;
    }
    if (best->upper - best->lower < 0.9 * best->width) {
        best->width = best->upper - best->lower;
        best->improved = pair->iterations;
    }
}

/* Rounding has left the iterate outside: nothing more can be gained. */
static bool is_inside(const interior *a)
{
    for (int64_t i = 0; i < a->n; i++)
        if (!(a->z[i] > 0) || !(a->q[i] > 0))
            return false;
    for (int64_t j = 0; j < a->m; j++)
        if (!(a->cone[j].t > norm(a->s + j * a->dimension, a->dimension)) ||
            !(norm(a->w + j * a->dimension, a->dimension) < 1))
            return false;
    return true;
}

/* One iteration; false where it is the last one that can be made. */
static bool iterate(interior *a)
{
    if (!is_inside(a) || !factor(a))
        return false;
    const double mu = predict(a);
    correct(a, mu);
    const double step = step_length(a, 0.99);
    if (!(step > 1e-8))
        return false;
    advance(a, step);
    return true;
}

/* Where gamma_V = 0 the scaling degenerates before q has converged. Inverse iteration with A'A = sum_j
 * rho_j A_j'A_j takes q to the null space of all s_j; points whose weight turns negative there leave, held
 * at 0 by a large diagonal entry, and so on until none does. Kept where G falls. */
static fathom_status polish_zero(fathom_margin_pair *pair, interior *a, incumbent *best, double enough)
{
    enum { ROUNDS = 20 };
    const int64_t n = a->n;
    fathom_status status = FATHOM_OK;
    memset(a->beta, 0, (size_t)a->m * sizeof *a->beta);
    memset(a->extra, 0, (size_t)n * sizeof *a->extra);
    memcpy(a->q, pair->q, (size_t)n * sizeof *a->q);
    for (int round = 0; round < ROUNDS && best->upper > enough; round++) {
        int64_t minor;
        double trace = 0, sum = 0;
        status = fathom_margin_normal(a->k, a->p, a->p->rho, a->beta, a->w1, a->work);
        if (status != FATHOM_OK)
            break;
        for (int64_t i = 0; i < n; i++)
            trace += a->k[i * n + i];
        for (int64_t i = 0; i < n; i++)
            a->k[i * n + i] += trace * (a->extra[i] > 0 ? 1e6 : 1e-13);
        status = fathom_cholesky_factor(&minor, a->k, n, n, a->context);
        if (status != FATHOM_OK || minor != 0)
            break;
        for (int twice = 0; twice < 2; twice++)
            fathom_cholesky_apply(a->q, 1, 1, a->k, n, n, a->context);
        for (int64_t i = 0; i < n; i++) {
            a->extra[i] = a->extra[i] > 0 || !(a->q[i] > 0);
            sum += a->q[i] = a->extra[i] > 0 ? 0 : a->q[i];
        }
        if (!(sum > 0))
            break;
        fathom_blas_scale(a->q, 1 / sum, n);
        fathom_margin_sums(a->s, a->p, a->q, a->work);
        const double value = dual_value(a);
        if (value < best->upper) {
            best->upper = value;
            memcpy(pair->q, a->q, (size_t)n * sizeof *a->q);
        }
    }
    return status;
}

enum { NUMBERS = 6, PIECES = 9 };

/* t (m): the heights of the cones, workspace of the state alone. */
static void list_pieces(fathom_margin_piece piece[PIECES], double *number, interior *a,
                        const fathom_margin_pair *pair)
{
    const int64_t n = a->n, size = a->m * a->dimension;
    const fathom_margin_piece pieces[PIECES] = {
        {"numbers", number, NUMBERS}, {"q", a->q, n},         {"z", a->z, n},
        {"margin", a->margin, n},     {"s", a->s, size},      {"w", a->w, size},
        {"t", a->dt, a->m},           {"best_q", pair->q, n}, {"best_w", pair->w, size}};
    memcpy(piece, pieces, sizeof pieces);
}

/* The state before an iteration, the best pair recorded. */
static fathom_status write_state(const incumbent *best, const fathom_margin_pair *pair, interior *a)
{
    fathom_margin_piece piece[PIECES];
    double number[NUMBERS] = {(double)pair->iterations, a->g,       best->lower, best->upper,
                              (double)best->improved,   best->width};
    for (int64_t j = 0; j < a->m; j++)
        a->dt[j] = a->cone[j].t;
    list_pieces(piece, number, a, pair);
    return fathom_margin_keep(pair->keeper, FATHOM_MARGIN_INTERIOR, a->p, piece, PIECES);
}

/* From a state, where there is one. ds and dmargin are workspace. */
static fathom_status resume(incumbent *best, fathom_margin_pair *pair, interior *a)
{
    fathom_margin_piece piece[PIECES];
    double number[NUMBERS];
    bool resumed;
    list_pieces(piece, number, a, pair);
    FATHOM_TRY(fathom_margin_resume(&resumed, pair->keeper, FATHOM_MARGIN_INTERIOR, a->p, piece, PIECES));
    if (!resumed)
        return FATHOM_OK;
    if (!fathom_margin_is_count(number[0], 1e15) || !fathom_margin_is_count(number[4], number[0]))
        return fathom_margin_refuse(pair->keeper);
    for (int64_t j = 0; j < a->m; j++)
        a->cone[j].t = a->dt[j];
    pair->iterations = (int64_t)number[0];
    a->g = number[1];
    *best = (incumbent){number[2], number[3], (int64_t)number[4], number[5]};
    return fathom_margin_believe(pair->keeper, pair, best->lower, best->upper, a->ds, a->dmargin, a->p,
                                 a->work);
}

static void follow_path(fathom_margin_pair *pair, interior *a, const fathom_margin_target *target)
{
    enum { PATIENCE = 8 };
    const double slack = fathom_margin_slack(a->p, target, a->work);
    incumbent best = {0, INFINITY, 0, INFINITY};
    pair->outcome = FATHOM_MARGIN_STALLED;
    interior_start(a);
    pair->iterations = 0;
    a->status = resume(&best, pair, a);
    for (; a->status == FATHOM_OK; pair->iterations++) {
        record(&best, pair, a);
        a->status = write_state(&best, pair, a);
        if (a->status != FATHOM_OK)
            break;
        if (best.upper <= target->absolute) {
            pair->outcome = FATHOM_MARGIN_ZERO;
            break;
        }
        if (fathom_margin_is_reached(best.lower, best.upper, slack, target)) {
            pair->outcome = FATHOM_MARGIN_REACHED;
            break;
        }
        if (fathom_context_poll(a->context, "interior point", pair->iterations, best.upper, best.lower)) {
            pair->outcome = FATHOM_MARGIN_STOPPED;
            break;
        }
        if (pair->iterations >= target->limit || pair->iterations > best.improved + PATIENCE || !iterate(a))
            break;
    }
    if (pair->outcome == FATHOM_MARGIN_STALLED && best.lower < best.upper / 2 && a->status == FATHOM_OK) {
        a->status = polish_zero(pair, a, &best, target->absolute);
        if (best.upper <= target->absolute)
            pair->outcome = FATHOM_MARGIN_ZERO;
    }
}

fathom_status fathom_margin_interior(fathom_margin_pair *pair, fathom_context *context,
                                     const fathom_margin_problem *p, const fathom_margin_target *target)
{
    interior a;
    fathom_status status = interior_create(&a, context, p);
    if (status == FATHOM_OK) {
        memset(pair->w, 0, (size_t)(p->m * a.dimension) * sizeof *pair->w);
        follow_path(pair, &a, target);
        if (a.status == FATHOM_ERROR_STOPPED) { /* a step was given up: the best pair so far stands */
            pair->outcome = FATHOM_MARGIN_STOPPED;
            a.status = FATHOM_OK;
        }
        status = a.status;
    }
    if (status == FATHOM_OK)
        fathom_margin_finish(pair, a.s, a.margin, p, target, a.work);

    interior_free(&a);
    return status;
}
