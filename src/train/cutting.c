/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cutting-plane algorithms of paper 001, as printed: Algorithm 1 (no bias), Algorithm 3 (free biases) and their
 * vector-output versions (A.7).
 *
 *     (16)  minimise 1/2 |sum_j z_j w_j - y|^2 + beta sum_j |w_j|      (4)  minimise sum_j |w_j|, sum_j z_j w_j = y
 *     (15)  price:  z = Xu,  Xu >= 0,  |u| <= 1,  largest |v'Xu|       dual point v: y - f, or that of (4)
 *
 * Symbols: X n x d, v outputs x n, z_j = (X u_j + b_j)_+ in R^n, w_j in R^outputs.
 * Method. v = y (with free biases: around its mean); each round prices v by (15), adds the two neurons that it finds and
 * solves (16) or (4) on all neurons so far, which gives the next v; it ends when no price exceeds beta (1 + gap).
 *
 *  - (15) is a projection: the best u is that of +-X'v on the cone {Xu >= 0}, scaled to 1, and its length is the price.
 *  - With free biases the constraint Xu + b >= 0 is met by b = -min_i x_i'u, and 1'v = 0: u = +-X'v / |X'v|.
 *  - Several outputs, (50): |V'Xu| is convex in u, so u <- P(X'V V'Xu) / |.| ascends; started from the (15) of each output
 *    (A.7.3) on both sides. A local maximum; nothing is claimed from it.
 *  - (4) with several outputs is the l1 version of A.7.3: a linear program per output on shared neurons, priced one by one.
 *  - (4) has an unbounded dual as long as y is not in the span of the z_j: v is then the residual of least squares, a
 *    direction in which that dual grows. The paper is silent on this.
 *
 * Guarantee: none for the problem over all networks, as only neurons that are active on ALL points are looked at; the
 * network is a network all the same, so its objective is an upper bound. Exact where X is spike-free [001, Prop. 3.2].
 */
#include "cutting.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "lasso.h"
#include "lp.h"
#include "memory.h"

enum { ROUNDS = 300, IDLE = 50, ASCENTS = 50 };

/* Singular values below this share of the largest do not count, remainders below that one are interpolated. */
static const double SPAN = 1e-10, INTERPOLATED = 1e-9;

/* Activations below this share of the largest count as 0 in linear programs. */
static const double DUST = 1e-13;

/* A projection shorter than this share of what was projected is 0. */
static const double VANISHED = 1e-11;

fathom_status fathom_cutting_open(fathom_cutting *cut, const fathom_train_problem *problem)
{
    const int64_t n = problem->n, d = problem->d, o = problem->outputs;
    fathom_context *context = problem->context;
    *cut = (fathom_cutting){.problem = problem, .beta = 1};
    cut->constant = fathom_memory_zero(context, o, sizeof *cut->constant);
    cut->v = fathom_memory_alloc(context, o * n, sizeof *cut->v);
    cut->work = fathom_memory_alloc(context, 3 * (d + n) + o, sizeof *cut->work);
    if (!cut->constant || !cut->v || !cut->work)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < o; k++) {
        double mean = 0, mass = 0;
        for (int64_t i = 0; i < n && problem->constant; i++) {
            mass += problem->weight ? problem->weight[i] : 1;
            mean += (problem->weight ? problem->weight[i] : 1) * problem->y[k * n + i];
        }
        for (int64_t i = 0; i < n; i++)
            cut->v[k * n + i] = (problem->weight ? problem->weight[i] : 1) *
                                (problem->y[k * n + i] - (mass > 0 ? mean / mass : 0));
    }
    cut->all = fathom_memory_zero(context, (n + 63) / 64, sizeof *cut->all);
    if (!cut->all)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        cut->all[i / 64] |= UINT64_C(1) << (i % 64);
    return fathom_gate_cone_open(&cut->cone, context, n, d, problem->x, problem->reach);
}

void fathom_cutting_close(fathom_cutting *cut)
{
    if (!cut->problem)
        return;
    void *const block[] = {cut->u, cut->z, cut->w, cut->constant, cut->v, cut->work, cut->all};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(cut->problem->context, block[k]);
    fathom_gate_cone_close(&cut->cone);
    *cut = (fathom_cutting){0};
}

/* u = the projection of g on the cone, or g itself where biases are free; returns |u|, 0 where it vanishes beside g. */
static double project(double *u, fathom_cutting *cut, const double *g)
{
    const int64_t d = cut->problem->d;
    if (!cut->problem->constant) {
        cut->cone.count = 0; /* no guess */
        fathom_gate_cone_project(&cut->cone, cut->all, g, NULL);
    }
    memcpy(u, cut->problem->constant ? g : cut->cone.u, (size_t)d * sizeof *u);
    const double norm = fathom_blas_norm(u, d);
    return norm > VANISHED * fathom_blas_norm(g, d) ? norm : 0;
}

/* The same, scaled to length 1. */
static double admit_unit(double *u, fathom_cutting *cut, const double *g)
{
    const double norm = project(u, cut, g);
    fathom_blas_scale(u, norm > 0 ? 1 / norm : 0, cut->problem->d);
    return norm;
}

/* g = X'V V'Xu. */
static void pull_back(double *g, const fathom_cutting *cut, const double *u, double *work)
{
    const fathom_train_problem *p = cut->problem;
    double *xu = work, *vxu = work + p->n;
    fathom_blas_gemv(xu, p->n, p->d, 1, fathom_plain(p->x, p->d), u, 0);
    fathom_blas_gemv(vxu, p->outputs, p->n, 1, fathom_plain(cut->v, p->n), xu, 0);
    fathom_blas_gemv(xu, p->n, p->outputs, 1, fathom_transposed(cut->v, p->n), vxu, 0);
    fathom_blas_gemv(g, p->d, p->n, 1, fathom_transposed(p->x, p->d), xu, 0);
}

/* Ascends |V'Xu| from u; returns its value there. */
static double ascend(double *u, fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    double *g = cut->work + p->d, *next = g + p->d, *work = next + p->d, value = 0;
    for (int k = 0; k < ASCENTS; k++) {
        pull_back(g, cut, u, work);
        const double now = sqrt(fmax(fathom_blas_dot(u, g, p->d), 0));
        if (!(now > value * (1 + 1e-12)))
            break;
        value = now;
        if (!(admit_unit(next, cut, g) > 0))
            break;
        memcpy(u, next, (size_t)p->d * sizeof *u);
    }
    return value;
}

/* Keeps a neuron where it is among the two best. */
static void keep_neuron(double *u, double *price, const double *found, double value, int64_t d)
{
    if (!(value > price[1]))
        return;
    const int at = value > price[0] ? 0 : 1;
    if (at == 0) {
        memcpy(u + d + 1, u, (size_t)d * sizeof *u);
        price[1] = price[0];
    }
    memcpy(u + at * (d + 1), found, (size_t)d * sizeof *u);
    price[at] = value;
}

/* b = -min_i x_i'u with free biases, else 0. */
static double bias_of(const fathom_cutting *cut, const double *u)
{
    const fathom_train_problem *p = cut->problem;
    double least = INFINITY;
    for (int64_t i = 0; i < p->n && p->constant; i++)
        least = fmin(least, fathom_blas_dot(p->x + i * p->d, u, p->d));
    return p->constant ? -least : 0;
}

void fathom_cutting_price(double *u, double *price, fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    double *g = cut->work + p->d, *found = cut->work;
    price[0] = price[1] = 0;
    memset(u, 0, (size_t)(2 * (p->d + 1)) * sizeof *u);
    for (int64_t k = 0; k < 2 * p->outputs; k++) {
        fathom_blas_gemv(g, p->d, p->n, k % 2 ? -1 : 1, fathom_transposed(p->x, p->d), cut->v + k / 2 * p->n,
                         0);
        double value = admit_unit(found, cut, g);
        if (value > 0 && p->outputs > 1 && !p->equality)
            value = ascend(found, cut);
        keep_neuron(u, price, found, value, p->d);
    }
    for (int k = 0; k < 2; k++)
        u[k * (p->d + 1) + p->d] = price[k] > 0 ? bias_of(cut, u + k * (p->d + 1)) : 0;
}

/* Room for one more neuron. */
static fathom_status make_room(fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t wanted = 2 * cut->m + 8;
    void *u = cut->u, *z = cut->z, *w = cut->w;
    if (cut->m < cut->capacity)
        return FATHOM_OK;
    fathom_status status = fathom_memory_resize(p->context, &u, wanted * (p->d + 1), sizeof *cut->u);
    cut->u = u;
    FATHOM_THEN(status, fathom_memory_resize(p->context, &z, wanted * p->n, sizeof *cut->z));
    cut->z = z;
    FATHOM_THEN(status, fathom_memory_resize(p->context, &w, wanted * p->outputs, sizeof *cut->w));
    cut->w = w;
    if (status == FATHOM_OK)
        cut->capacity = wanted;
    return status;
}

fathom_status fathom_cutting_add(fathom_cutting *cut, const double *u)
{
    const fathom_train_problem *p = cut->problem;
    FATHOM_TRY(make_room(cut));
    double *z = cut->z + cut->m * p->n;
    memcpy(cut->u + cut->m * (p->d + 1), u, (size_t)(p->d + 1) * sizeof *u);
    memset(cut->w + cut->m * p->outputs, 0, (size_t)p->outputs * sizeof *cut->w);
    fathom_blas_gemv(z, p->n, p->d, 1, fathom_plain(p->x, p->d), u, 0);
    for (int64_t i = 0; i < p->n; i++)
        z[i] = z[i] + u[p->d] > 0 ? z[i] + u[p->d] : 0;
    cut->m++;
    return FATHOM_OK;
}

static double largest(const double *x, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; k++)
        most = fmax(most, fabs(x[k]));
    return most > 0 ? most : 1;
}

/* (4) for output q on the neurons so far as a linear program in w = w_+ - w_-, activations and targets scaled to 1;
 * *feasible: whether they interpolate. */
static fathom_status solve_equality(bool *feasible, fathom_cutting *cut, int64_t q)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n, m = cut->m, free = p->constant, columns = 2 * m + free;
    const double zs = largest(cut->z, m * n), ys = largest(p->y + q * n, n);
    fathom_context *context = p->context;
    double *a = fathom_memory_alloc(context, n * columns, sizeof *a), value;
    double *side = fathom_memory_alloc(context, 4 * columns + n, sizeof *side);
    double *x = side ? side + 3 * columns : NULL, *y = side ? side + 4 * columns : NULL;
    fathom_status status = a && side ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < columns && status == FATHOM_OK; j++) {
        side[j] = j < 2 * m;                           /* cost */
        side[columns + j] = j < 2 * m ? 0 : -INFINITY; /* lower */
        side[2 * columns + j] = INFINITY;              /* upper */
        for (int64_t i = 0; i < n; i++) {
            const double z = j == 2 * m ? 1 : cut->z[j % m * n + i] / zs;
            /* what rounding left of a tight row would mislead the scaling of the linear program */
            a[i * columns + j] = z < DUST ? 0 : j < m || j == 2 * m ? z : -z;
            y[i] = p->y[q * n + i] / ys;
        }
    }
    if (status == FATHOM_OK) {
        const fathom_lp lp = {n, columns, a, side, side + columns, side + 2 * columns, y, y, 1e-9};
        status = fathom_lp_solve(&value, x, cut->v + q * n, feasible, context, &lp);
    }
    if (status == FATHOM_OK && *feasible) {
        fathom_blas_scale(cut->v + q * n, 1 / zs, n);
        for (int64_t j = 0; j < m; j++)
            cut->w[j * p->outputs + q] = (x[j] - x[m + j]) * (ys / zs);
        cut->constant[q] = free ? x[2 * m] * ys : 0;
        cut->value += value * (ys / zs);
    }
    FATHOM_FREE(context, a, side);
    return status;
}

/* The features of the neurons so far (n x m) as a fit of `outputs` outputs from number q on; all to be closed. */
static fathom_status open_fit(fathom_lasso_fit *fit, fathom_lasso *lasso, double **b,
                              const fathom_cutting *cut, int64_t q, int64_t outputs)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n, m = cut->m;
    *b = fathom_memory_alloc(p->context, n * m, sizeof **b);
    if (!*b)
        return FATHOM_ERROR_MEMORY;
    fathom_transpose(*b, m, cut->z, n, m, n);
    FATHOM_TRY(fathom_lasso_open(lasso, p->context, *b, n, m, p->weight, p->constant));
    return fathom_lasso_fit_open(fit, lasso, p->y + q * n, outputs, false);
}

/* v (n) = the residual of a fit in units of its penalty, scaled until no neuron's price exceeds 1; returns v'y. */
static double dual_of(double *v, const fathom_lasso_fit *fit, const double *z, int64_t m)
{
    const int64_t n = fit->lasso->n;
    double price = fit->beta;
    for (int64_t j = 0; j < m; j++)
        price = fmax(price, fabs(fathom_blas_dot(z + j * n, fit->residual, n)));
    memcpy(v, fit->residual, (size_t)n * sizeof *v);
    fathom_blas_scale(v, 1 / price, n);
    return fathom_blas_dot(v, fit->y, n);
}

/* Of all dual points of (4) for output q the shortest, or nearly so: the optimal v of a linear program is seldom unique, and
 * a corner of many is a poor place to price at. maximise v'y - e |v|^2 / 2 has it for small e, by the residual of the
 * lasso with the penalty e; e falls until v'y is the optimum `value` to the gap. */
static fathom_status shorten(fathom_cutting *cut, int64_t q, double value, double gap)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n;
    fathom_lasso lasso = {0};
    fathom_lasso_fit fit = {0};
    double *b = NULL, *v = fathom_memory_alloc(p->context, n, sizeof *v), reached = 0;
    fathom_status status = v ? open_fit(&fit, &lasso, &b, cut, q, 1) : FATHOM_ERROR_MEMORY;
    for (double e = 1e-2; e > 1e-9 && status == FATHOM_OK && reached < value * (1 - gap / 4); e /= 10) {
        fit.beta = e * fit.beta_max;
        status = fathom_lasso_fit_run(&fit, 1e-4 * gap);
        if (status == FATHOM_OK)
            reached = dual_of(v, &fit, cut->z, cut->m);
    }
    if (status == FATHOM_OK && reached >= value * (1 - gap / 4))
        memcpy(cut->v + q * n, v, (size_t)n * sizeof *v);
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    FATHOM_FREE(p->context, b, v);
    return status;
}

/* What least squares on the neurons leaves of y, by the left singular vectors u (n x k) of their activations. */
static void project_out(double *left, const double *y, const double *u, const double *s, int64_t n, int64_t k)
{
    memcpy(left, y, (size_t)n * sizeof *left);
    for (int twice = 0; twice < 2; twice++)
        for (int64_t l = 0; l < k && s[l] > SPAN * s[0]; l++) {
            double c = 0;
            for (int64_t i = 0; i < n; i++)
                c += u[i * k + l] * left[i];
            for (int64_t i = 0; i < n; i++)
                left[i] -= c * u[i * k + l];
        }
}

/* v = what least squares leaves of every output; *most is the longest remainder beside its y. */
static fathom_status take_remainder(double *most, fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n, m = cut->m + p->constant, k = n < m ? n : m;
    double *a = fathom_memory_alloc(p->context, n * m, sizeof *a);
    double *s = fathom_memory_alloc(p->context, k + n * k + k * m, sizeof *s);
    fathom_status status = a && s ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *most = 0;
    if (status == FATHOM_OK) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++)
                a[i * m + j] = j < cut->m ? cut->z[j * n + i] : 1;
        status = fathom_blas_svd(s, s + k, s + k + n * k, a, m, n, m, p->context);
    }
    for (int64_t q = 0; q < p->outputs && status == FATHOM_OK; q++) {
        project_out(cut->v + q * n, p->y + q * n, s + k, s, n, k);
        const double size = fathom_blas_norm(p->y + q * n, n);
        if (size > 0)
            *most = fmax(*most, fathom_blas_norm(cut->v + q * n, n) / size);
    }
    FATHOM_FREE(p->context, a, s);
    return status;
}

/* (16) on the neurons so far. */
static fathom_status solve_penalised(fathom_cutting *cut, double gap)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n, m = cut->m, o = p->outputs;
    fathom_lasso lasso = {0};
    fathom_lasso_fit fit = {0};
    double *b = NULL;
    fathom_status status = open_fit(&fit, &lasso, &b, cut, 0, o);
    if (status == FATHOM_OK) {
        fit.beta = cut->beta;
        fit.divisor = p->divisor;
        if (m > 0)
            memcpy(fit.w, cut->w, (size_t)(m * o) * sizeof *fit.w); /* new neurons start at 0 */
        status = fathom_lasso_fit_run(&fit, gap);
    }
    if (status == FATHOM_OK) {
        if (m > 0)
            memcpy(cut->w, fit.w, (size_t)(m * o) * sizeof *fit.w);
        memcpy(cut->constant, fit.k, (size_t)o * sizeof *fit.k);
        memcpy(cut->v, fit.residual, (size_t)(o * n) * sizeof *fit.residual);
        cut->value = fit.objective;
    }
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    fathom_memory_free(p->context, b);
    return status;
}

/* The restricted problem and its dual point. */
static fathom_status solve_restricted(bool *feasible, fathom_cutting *cut, double gap)
{
    double left;
    *feasible = true;
    if (!cut->problem->equality)
        return solve_penalised(cut, 0.01 * gap);
    FATHOM_TRY(take_remainder(&left, cut));
    fathom_status status = FATHOM_OK;
    *feasible = left <= INTERPOLATED;
    cut->value = 0;
    for (int64_t q = 0; q < cut->problem->outputs && *feasible && status == FATHOM_OK; q++) {
        const double before = cut->value;
        status = solve_equality(feasible, cut, q);
        if (status == FATHOM_OK && *feasible && cut->value > before)
            status = shorten(cut, q, cut->value - before, gap);
    }
    return status;
}

fathom_status fathom_cutting_run(fathom_cutting *cut, double gap)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t d = p->d;
    double *u = fathom_memory_alloc(p->context, 2 * (d + 1), sizeof *u), price[2], best = INFINITY;
    fathom_status status = u ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    const double reach = largest(p->reach, p->n);
    int64_t idle = 0;
    bool feasible = !p->equality || fathom_blas_norm(p->y, p->n * p->outputs) == 0, ran_dry = false;
    cut->value = feasible ? 0 : INFINITY;
    cut->end = FATHOM_CUTTING_STALLED;
    if (!p->equality && status == FATHOM_OK) /* the constant and neurons that are there already */
        status = solve_penalised(cut, gap);
    else if (cut->m > 0 && status == FATHOM_OK)
        status = solve_restricted(&feasible, cut, gap);
    const int64_t most = p->options->neurons > 0 ? p->options->neurons : INT64_MAX;
    for (cut->rounds = 0; cut->rounds < ROUNDS && idle < IDLE && status == FATHOM_OK; cut->rounds++) {
        if (cut->m >= most) {
            cut->end = FATHOM_CUTTING_FULL;
            break;
        }
        fathom_cutting_price(u, price, cut);
        cut->violation = price[0] / cut->beta;
        /* while (4) is infeasible, any neuron with a price is worth adding */
        const double least =
            feasible ? cut->beta * (1 + gap) : SPAN * largest(cut->v, p->n * p->outputs) * reach;
        ran_dry = !(price[0] > least);
        if (ran_dry)
            break;
        for (int k = 0; k < 2 && status == FATHOM_OK; k++)
            if (price[k] > least && cut->m < most)
                status = fathom_cutting_add(cut, u + k * (d + 1));
        FATHOM_THEN(status, solve_restricted(&feasible, cut, gap));
        const double value = feasible ? cut->value : INFINITY;
        idle = value < best * (1 - 1e-3 * gap) || !feasible ? 0 : idle + 1;
        best = fmin(best, value);
        if (fathom_context_poll(p->context, "cutting planes", cut->rounds + 1, value / p->divisor, NAN) !=
            FATHOM_STOP_NONE) {
            cut->end = FATHOM_CUTTING_STOPPED;
            break;
        }
    }
    if (ran_dry)
        cut->end = FATHOM_CUTTING_OPTIMAL;
    if (!feasible && cut->end != FATHOM_CUTTING_STOPPED)
        cut->end = FATHOM_CUTTING_INFEASIBLE;
    fathom_memory_free(p->context, u);
    return status;
}

double fathom_cutting_price_above(fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    double *g = cut->work + p->d, *found = cut->work, square = 0, scale = 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        double price = 0;
        for (int side = -1; side <= 1; side += 2) {
            fathom_blas_gemv(g, p->d, p->n, side, fathom_transposed(p->x, p->d), cut->v + k * p->n, 0);
            project(found, cut, g);
            price = fmax(price, fathom_gate_cone_bound(&cut->cone, cut->all, g));
        }
        square += price * price;
        for (int64_t i = 0; i < p->n; i++)
            scale += fabs(cut->v[k * p->n + i]) * p->reach[i];
    }
    const double u = DBL_EPSILON;
    return sqrt(square) * (1 + (double)(p->outputs + 8) * u) + (double)(p->n + p->d + 8) * u * scale;
}

fathom_status fathom_cutting_has_neuron(bool *some, const fathom_cutting *cut)
{
    const fathom_train_problem *p = cut->problem;
    const int64_t n = p->n, d = p->d;
    double *side = fathom_memory_zero(p->context, 3 * d + 2 * n, sizeof *side), value;
    bool optimal;
    *some = true;
    if (!side)
        return FATHOM_ERROR_MEMORY;
    double scale = 0;
    for (int64_t i = 0; i < n; i++) {
        fathom_blas_axpy(side, -1, p->x + i * d, d); /* cost: -1'X */
        side[3 * d + n + i] = INFINITY;
        scale += fathom_blas_norm(p->x + i * d, d);
    }
    for (int64_t k = 0; k < d; k++)
        side[d + k] = -1, side[2 * d + k] = 1;
    const fathom_lp lp = {n, d, p->x, side, side + d, side + 2 * d, side + 3 * d, side + 3 * d + n, 1e-9};
    const fathom_status status = fathom_lp_solve(&value, NULL, NULL, &optimal, p->context, &lp);
    if (status == FATHOM_OK && optimal)
        *some = -value > 1e-9 * scale;
    fathom_memory_free(p->context, side);
    return status;
}
