/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training on the line: one column, or a matrix of rank one, with a free bias.
 *
 * Rank one, A = c a': a neuron sees a row only through <a_i, u>, so that u = a/|a| or its negative suffices and the problem is
 * that of x_i = <a_i, u> on the line [001, Cor. 3.4]. Rounding takes a matrix out of rank one: e = max_i |a_i - x_i u| (with
 * its own rounding) changes the price of v by at most e sum_i |v_i| and the outputs of a network by e times its norm;
 * both are accounted for, so that the bound is one for the matrix as it is stored.
 *
 * Interpolation is a closed form (spline_interpolate.c), all else spline_solve.c. O(n log n + n d) and O(n) per step.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "spline_interpolate.h"
#include "spline_solve.h"
#include "train_line.h"

/* Rows within this many units of rounding of a line count as on it. */
#define RANK_TOLERANCE 0x1p-48

/* The direction u (d) of the largest row; its number. */
static int64_t find_direction(double *u, const fathom_train_problem *p)
{
    int64_t largest = 0;
    for (int64_t i = 1; i < p->n; i++)
        if (p->reach[i] > p->reach[largest])
            largest = i;
    const double *row = p->x + largest * p->d;
    const double norm = fathom_blas_norm(row, p->d);
    for (int64_t k = 0; k < p->d; k++)
        u[k] = p->d == 1 || !(norm > 0) ? k == 0 : row[k] / norm;
    return largest;
}

/* x_i = <a_i, u>; the distance of row i from x_i u, rounding included. */
static double project(double *x, const double *row, const double *u, double reach, int64_t d)
{
    double square = 0;
    if (d == 1) {
        *x = row[0];
        return 0;
    }
    *x = fathom_blas_dot(row, u, d);
    for (int64_t k = 0; k < d; k++) {
        const double left = row[k] - *x * u[k];
        square += left * left;
    }
    return sqrt(square) * (1 + 0x1p-40) + (double)(d + 8) * 0x1p-51 * reach;
}

fathom_status fathom_line_applies(bool *yes, const char **why, const fathom_train_problem *problem)
{
    const fathom_train_problem *p = problem;
    const bool boxed = fathom_loss_row_of(p->loss)->boxed;
    *yes = p->outputs == 1 && p->constant && p->options->select == FATHOM_SELECT_ANY && !boxed;
    *why = boxed            ? "the closed forms of the line are for squared, logistic, hinge and equality"
           : p->outputs > 1 ? "several outputs are not on the line"
           : p->constant    ? "the line gives one optimal network, without --select"
                            : "the line needs --bias free";
    if (!*yes)
        return FATHOM_OK;
    double *u = fathom_memory_alloc(p->context, p->d, sizeof *u), x;
    if (!u)
        return FATHOM_ERROR_MEMORY;
    const double limit = RANK_TOLERANCE * (double)(p->d + 8) * p->reach[find_direction(u, p)];
    for (int64_t i = 0; i < p->n && *yes; i++)
        *yes = project(&x, p->x + i * p->d, u, p->reach[i], p->d) <= limit;
    fathom_memory_free(p->context, u);
    *why = !*yes      ? "the data has more than one dimension"
           : p->d > 1 ? "the matrix has rank one"
                      : "one dimension";
    return FATHOM_OK;
}

fathom_status fathom_line_open(fathom_line_work *line, const fathom_train_problem *p)
{
    *line = (fathom_line_work){.problem = p};
    line->u = fathom_memory_alloc(p->context, p->d, sizeof *line->u);
    double *x = line->x = fathom_memory_alloc(p->context, p->n, sizeof *x);
    fathom_status status = line->u && x ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        find_direction(line->u, p);
        for (int64_t i = 0; i < p->n; i++)
            line->excess = fmax(line->excess, project(x + i, p->x + i * p->d, line->u, p->reach[i], p->d));
        status = fathom_spline_points_open(&line->points, p->context, x, p->y, p->weight, p->n, p->loss,
                                           p->equality);
    }
    return status;
}

void fathom_line_close(fathom_line_work *line)
{
    FATHOM_FREE(line->problem->context, line->x, line->u);
    fathom_spline_points_close(&line->points);
}

/* The network in the columns of the data. */
static fathom_status give_net(fathom_net **given, const fathom_line_work *line, const fathom_spline_net *net)
{
    const int64_t d = line->problem->d;
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_RELU, .d = d, .m = net->count, .outputs = 1, .hidden_bias = true};
    FATHOM_TRY(fathom_net_create(given, line->problem->context, &shape));
    const fathom_net_weights weights = fathom_net_lend(*given);
    weights.c[0] = net->constant;
    for (int64_t j = 0; j < net->count; j++) {
        for (int64_t k = 0; k < d; k++)
            weights.u[j * d + k] = net->u[j] * line->u[k];
        weights.b[j] = -net->u[j] * net->t[j];
        weights.w[j] = net->w[j];
    }
    return FATHOM_OK;
}

/* Everything of the result that follows from the network and the bound `lower` of the sum problem. */
static fathom_status fill(fathom_train_result *result, const fathom_line_work *line,
                          const fathom_spline_net *net, double beta, double lower)
{
    const fathom_train_problem *p = line->problem;
    const double length = p->d == 1 ? 1 : fathom_blas_norm_up(line->u, p->d, 8);
    double *f = fathom_memory_alloc(p->context, line->points.n, sizeof *f);
    if (!f)
        return FATHOM_ERROR_MEMORY;
    fathom_spline_net_measure(&result->loss, &result->norm, f, net, &line->points, line->excess);
    fathom_memory_free(p->context, f);
    result->norm *= length;
    result->loss = p->equality ? 0 : result->loss / p->divisor;
    result->beta = beta / p->divisor;
    result->objective =
        p->equality ? result->norm : (result->loss + result->beta * result->norm) * (1 + 0x1p-51);
    result->lower_bound = fmax(0, fmin(lower / p->divisor, result->objective));
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = p->equality ? "closed form, exact price" : "exact price on the line";
    result->method = "line";
    result->kind = p->loss;
    result->neurons = net->count;
    fathom_train_conclude(result, p);
    return give_net(&result->net, line, net);
}

/* The place of a row among those of the line. */
static int64_t place_of(const fathom_spline_points *points, double x)
{
    int64_t low = 0, high = points->count - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        *(points->place[middle] <= x ? &low : &high) = points->place[middle] <= x ? middle : middle - 1;
    }
    return low;
}

/* The best multiple of v on merged points that the penalty allows. */
static double best_multiple(const fathom_spline_points *points, const double *v, double beta)
{
    fathom_spline_dual dual;
    double product = 0, square = 0, s = 0;
    if (fathom_spline_dual_open(&dual, points) == FATHOM_OK) {
        memcpy(dual.v, v, (size_t)points->n * sizeof *v);
        fathom_spline_dual_price(&dual, points);
        for (int64_t k = 0; k < points->n; k++) {
            product += points->y[k] * v[k];
            square += v[k] * v[k] / points->c[k];
        }
        s = square > 0 ? fmin(product / square, dual.price > 0 ? beta / dual.price : INFINITY) : 0;
    }
    fathom_spline_dual_close(&dual, points->context);
    return s;
}

/* The dual point v of the line's points as one of the rows. Squared: a place with weight C and mean m has w =
 * s v, and its rows w_i = c_i (y_i - m) + c_i w / C: the same price, and the loss within the place.
 * Interpolation: any row of a place. */
static void spread(double *row, const fathom_line_work *line, const double *v, double beta)
{
    const fathom_spline_points *points = &line->points;
    const fathom_train_problem *p = line->problem;
    const bool merged = points->loss == FATHOM_LOSS_SQUARED;
    const double s = merged && !p->equality ? best_multiple(points, v, beta) : 1;
    for (int64_t i = 0; i < points->n; i++)
        row[points->order[i]] = v[i];
    for (int64_t i = 0; i < p->n && merged && !p->equality; i++) {
        const int64_t k = place_of(points, line->x[i]);
        const double c = p->weight ? p->weight[i] : 1;
        row[i] = c * (p->y[i] - points->shift - points->y[k]) + c * (s * v[k] / points->c[k]);
    }
}

/* Evidence: the dual point of the line's bound, and the line itself. The checker finds its price. */
static fathom_status prove(fathom_train_result *result, const fathom_line_work *line, const double *v,
                           double beta)
{
    const fathom_train_problem *p = line->problem;
    const bool asked = fathom_train_proves(p->options);
    if (!asked || !(result->lower_bound > 0))
        return asked && !result->proof ? fathom_proof_create(&result->proof, p->context, p->n, p->d, 1)
                                       : FATHOM_OK;
    FATHOM_TRY(fathom_proof_create(&result->proof, p->context, p->n, p->d, 1));
    spread(result->proof->v, line, v, beta);
    result->proof->exact_price = 1; /* found anew when the claim is made */
    result->proof->lower = result->lower_bound * p->divisor;
    if (p->d == 1)
        return FATHOM_OK;
    double *along = result->proof->along = fathom_memory_alloc(p->context, p->d + p->n, sizeof *along);
    if (!along)
        return FATHOM_ERROR_MEMORY;
    memcpy(along, line->u, (size_t)p->d * sizeof *along);
    memcpy(along + p->d, line->x, (size_t)p->n * sizeof *along);
    return FATHOM_OK;
}

/* Interpolation; equal x with different targets have no interpolation. */
static fathom_status interpolate(fathom_train_result *result, const fathom_line_work *line)
{
    const fathom_spline_points *points = &line->points;
    fathom_context *context = points->context;
    fathom_spline spline = {0};
    fathom_spline_net net = {0};
    if (points->conflict[0] >= 0)
        return fathom_error_set(
            context, FATHOM_ERROR_INPUT,
            "no network interpolates: rows %lld and %lld are equal, their targets are not",
            (long long)points->conflict[0], (long long)points->conflict[1]);
    fathom_status status = fathom_spline_interpolate(&spline, points);
    if (status == FATHOM_OK && points->count > 1)
        status = fathom_spline_net_open(&net, &spline, points);
    else
        net.constant = points->y[0];
    const double lower = status == FATHOM_OK && points->count > 1
                             ? fathom_spline_interpolate_bound(&spline, points, line->excess)
                             : 0;
    FATHOM_THEN(status, fill(result, line, &net, 0, lower));
    double *v = fathom_memory_zero(context, points->n, sizeof *v);
    if (status == FATHOM_OK && !v)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && points->count > 1)
        fathom_spline_interpolate_dual(v, &spline, points);
    FATHOM_THEN(status, prove(result, line, v, 1));
    fathom_memory_free(context, v);
    fathom_spline_net_close(&net, context);
    fathom_spline_free(&spline, context);
    return status;
}

/* The price of the residual of the best constant; with `beta`, its bound too. */
static fathom_status price_constant(double *price, double *lower, double *constant, double *v, double beta,
                                    const fathom_line_work *line)
{
    const fathom_spline_points *points = &line->points;
    const fathom_objective problem = fathom_spline_problem(points, beta);
    const fathom_spline_run run = {.points = points, .beta = beta, .excess = line->excess};
    fathom_spline_dual dual;
    double *f = fathom_memory_alloc(points->context, points->n, sizeof *f);
    fathom_status status = fathom_spline_dual_open(&dual, points);
    if (status == FATHOM_OK && !f)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        fathom_objective_start(f, constant, &problem);
        fathom_objective_residual(dual.v, &problem, f, 0);
        /* hinge: the smaller class misses its margin by 2, the larger meets it; balancing does the rest */
        for (int64_t i = 0; i < points->n && points->loss == FATHOM_LOSS_HINGE; i++)
            dual.v[i] = points->c[i] * points->y[i];
        *lower = fathom_spline_bound(&dual, &run);
        *price = dual.price;
        if (v)
            memcpy(v, dual.v, (size_t)points->n * sizeof *v);
    }
    fathom_memory_free(points->context, f);
    fathom_spline_dual_close(&dual, points->context);
    return status;
}

/* The price of the residual of the best constant. */
static fathom_status find_beta_max(double *beta_max, const fathom_line_work *line)
{
    double lower, constant;
    return price_constant(beta_max, &lower, &constant, NULL, 1, line);
}

/* Where beta is at least the price of its residual, or all points are in one place, the best constant is optimal. */
static fathom_status solve_constant(fathom_train_result *result, const fathom_line_work *line, double *v,
                                    double beta)
{
    fathom_spline_net net = {0};
    double price = 0, lower = 0;
    const fathom_status status = price_constant(&price, &lower, &net.constant, v, beta, line);
    net.constant += line->points.shift;
    /* one class only: the logistic loss has its infimum 0 at infinity; these constants reach it to rounding */
    if (lower == 0 && price == 0 && line->points.loss != FATHOM_LOSS_SQUARED)
        net.constant = copysign(line->points.loss == FATHOM_LOSS_HINGE ? 2 : 800, net.constant);
    return status == FATHOM_OK ? fill(result, line, &net, beta, lower) : status;
}

static fathom_status solve_line(fathom_train_result *result, fathom_spline_run *run,
                                const fathom_line_work *line)
{
    fathom_context *context = line->problem->context;
    const bool constant = line->points.count == 1 || run->beta >= result->beta_max * line->problem->divisor;
    fathom_spline_net net = {0};
    fathom_status status = FATHOM_OK;
    run->v = fathom_memory_zero(context, line->points.n, sizeof *run->v);
    if (!run->v)
        return FATHOM_ERROR_MEMORY;
    if (constant)
        status = solve_constant(result, line, run->v, run->beta);
    else
        status = fathom_spline_solve(run);
    if (status == FATHOM_OK && !constant)
        status = fathom_spline_net_open(&net, &run->best, &line->points);
    if (status == FATHOM_OK && !constant)
        status = fill(result, line, &net, run->beta, run->lower);
    FATHOM_THEN(status, prove(result, line, run->v, run->beta));
    result->iterations = run->steps;
    fathom_spline_net_close(&net, context);
    fathom_memory_free(context, run->v);
    run->v = NULL;
    return status;
}

/* A run at penalty beta (of the sum problem), cold; and its solution as a training result, whose beta_max is set. */
static fathom_spline_run run_at(const fathom_line_work *line, double beta)
{
    return (fathom_spline_run){.points = &line->points,
                               .beta = beta,
                               .gap = line->problem->options->gap,
                               .excess = line->excess,
                               .divisor = line->problem->divisor};
}

fathom_status fathom_line_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_line_work line;
    double beta, beta_max = 0;
    fathom_status status = fathom_line_open(&line, problem);
    if (status == FATHOM_OK && problem->equality)
        status = interpolate(result, &line);
    else if (status == FATHOM_OK) {
        status = find_beta_max(&beta_max, &line);
        FATHOM_THEN(status, fathom_train_beta(&beta, problem, beta_max));
        result->beta_max = beta_max / problem->divisor;
        if (status == FATHOM_OK) {
            fathom_spline_run run = run_at(&line, beta);
            status = solve_line(result, &run, &line);
            fathom_spline_run_clear(&run);
        }
    }
    fathom_line_close(&line);
    return status;
}
