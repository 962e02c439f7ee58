/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Margins that are finite programs: where the gates come from, and which solver takes them.
 *
 * At infinite width the gates are all full-dimensional cones C with rho_C their Gaussian measures: gamma_V = gamma
 * [000, Thm 4.2]. Errors of the measures move the interval by their sum times max |x_i| (margin_certify.c).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fathom/measure.h"
#include "fathom/model.h"
#include "inner/gates.h"
#include "margin_full.h"
#include "margin_result.h"
#include "memory.h"

double fathom_margin_gap(const fathom_margin_options *options, double preset)
{
    return isnan(options->gap) ? preset : options->gap;
}

/* Beyond 5e10 multiplications per iteration the interior point gives way to the first-order method. */
static bool is_large(int64_t n, int64_t m)
{
    const double points = (double)n;
    return (double)m * points * points + points * points * points / 6 > 5e10;
}

/* At most m D + 1 points carry weight: where there are many more, a working set of them is solved. */
static bool has_idle_points(int64_t n, int64_t size) { return n > 200 && n > 4 * size; }

/* A copy of count numbers of 8 bytes, in *out; NULL stays NULL. */
static fathom_status copy(void *out, fathom_context *context, const void *from, int64_t count)
{
    void *block = from ? fathom_memory_alloc(context, count, 8) : NULL;
    memcpy(out, &block, sizeof block); /* *out is a pointer to doubles or words */
    if (from && !block)
        return FATHOM_ERROR_MEMORY;
    if (block)
        memcpy(block, from, (size_t)count * 8);
    return FATHOM_OK;
}

/* *out (m x columns) = rows of d numbers in the coordinates of the data, shortened so that rounding makes none longer. */
static fathom_status lift_rows(double **out, const fathom_margin_run *run, const double *rows, int64_t m,
                               int64_t d)
{
    const int64_t columns = run->points->columns;
    if (!rows || d == columns)
        return copy(out, run->context, rows, m * d);
    *out = fathom_memory_alloc(run->context, m * columns, sizeof **out);
    if (!*out)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < m; j++)
        fathom_margin_points_lift(*out + j * columns, run->points, rows + j * d);
    fathom_blas_scale(*out, 1 - run->points->slack / run->points->radius, m * columns);
    return FATHOM_OK;
}

/* Keeps gates and separator for a certificate; both layers are never reduced to the row space. */
static fathom_status keep_proof(fathom_margin_run *run, const fathom_margin_gates *gates, const double *gain,
                                const fathom_margin_pair *pair)
{
    fathom_context *context = run->context;
    fathom_margin_result *result = run->result;
    const int64_t m = gates->m;
    FATHOM_FREE(context, result->w, result->gain);
    fathom_margin_gates_free(context, &result->gates);
    result->gates = (fathom_margin_gates){.m = m, .words = gates->words, .d = run->points->columns};
    result->solved_lower = fmax(0, pair->lower - 2 * run->points->slack);
    result->solved_upper = pair->upper + 2 * run->points->slack;
    fathom_status status = copy(&result->gain, context, gain, m);
    if (status == FATHOM_OK && gain)
        status = copy(&result->w, context, pair->w, m * (gates->d + 1));
    else if (status == FATHOM_OK)
        status = lift_rows(&result->w, run, pair->w, m, run->points->d);
    FATHOM_THEN(status, copy(&result->gates.bits, context, gates->bits, m * gates->words));
    FATHOM_THEN(status, copy(&result->gates.rho, context, gates->rho, m));
    FATHOM_THEN(status, lift_rows(&result->gates.orientation, run, gates->orientation, m, gates->d));
    return status;
}

/* Whether gates are given or drawn, or one is open everywhere: a margin of 0 is not decided before. */
static bool is_finite(const fathom_margin_result *result)
{
    return result->view.width != 0 || result->view.kind == FATHOM_MARGIN_LINEAR;
}

/* Where the interval comes near 0, says exactly whether gamma_V is 0. Cells with measures are decided before
 * (margin_zero.c), and beyond the sizes below, or when the time is up, it stays open. */
static fathom_status decide_gates(fathom_margin_run *run, const fathom_margin_problem *problem,
                                  const fathom_margin_pair *pair)
{
    enum { POINTS = 400, NUMBERS = 1 << 22 };
    fathom_margin_result *result = run->result;
    bool zero;
    if (!is_finite(result) || !(pair->upper <= 1e-6 * run->points->radius) || problem->n > POINTS ||
        problem->n * problem->m * problem->d > NUMBERS)
        return FATHOM_OK;
    result->q_exact = fathom_memory_zero(run->context, problem->n, sizeof *result->q_exact);
    if (!result->q_exact)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status =
        fathom_margin_gates_decide(&zero, result->q, result->q_exact, run->context, problem);
    if (status != FATHOM_OK)
        return status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
    result->view.decided = true;
    if (zero)
        result->view.lower = result->view.upper = 0;
    result->view.reached |= zero;
    return FATHOM_OK;
}

/* gamma_V of gates; with `gain` both layers are trained and orientations are the v_j. */
static fathom_status solve_gates(fathom_margin_run *run, const fathom_margin_gates *gates, const double *gain)
{
    const fathom_margin_points *points = run->points;
    fathom_margin_result *result = run->result;
    fathom_context *context = run->context;
    const bool descent = run->options->method == FATHOM_MARGIN_PAPER_GD;
    const bool idle = has_idle_points(points->n, gates->m * (gain ? points->d + 1 : points->d));
    const bool large = !idle && is_large(points->n, gates->m);
    const double gap = fathom_margin_gap(run->options, descent ? 0.1 : large ? 1e-4 : 1e-9);
    const fathom_margin_problem problem = {.n = points->n,
                                           .d = points->d,
                                           .m = gates->m,
                                           .words = gates->words,
                                           .z = points->z,
                                           .bits = gates->bits,
                                           .rho = gates->rho,
                                           .gain = gain,
                                           .aim = gain ? gates->orientation : NULL};
    /* At infinite width a margin that is 0 has been found so before: nothing small stands for 0. */
    const fathom_margin_target target = {gap, is_finite(result) ? 1e-10 * points->radius : 0, gates->doubt,
                                         descent ? 5000000
                                         : large ? 100000
                                                 : 200};
    fathom_margin_keeper keeper = {context, run->options->checkpoint, run->options->resume, 0.2, 0};
    fathom_margin_pair pair = {.q = result->q, .margin = result->margin, .keeper = &keeper};
    pair.w = fathom_memory_alloc(context, problem.m * fathom_margin_dimension(&problem), sizeof(double));
    if (!pair.w)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = descent ? fathom_margin_descent(&pair, context, &problem, &target)
                           : idle  ? fathom_margin_by_working_set(&pair, context, &problem, &target)
                           : large ? fathom_margin_first_order(&pair, context, &problem, &target)
                                   : fathom_margin_interior(&pair, context, &problem, &target);
    if (status == FATHOM_OK) {
        result->view.gates = problem.m;
        result->view.iterations += pair.iterations;
        /* By default no more is asked for than the errors of the measures leave, and no less than of a
         * sampled margin. */
        const double left = 4 * points->radius * gates->doubt / fmax(pair.upper, DBL_MIN);
        const double rest = isnan(run->options->gap) ? fmin(left, 1e-2) : 0;
        fathom_margin_narrow(result, pair.lower, pair.upper, gap + rest);
        result->view.reached |= pair.outcome == FATHOM_MARGIN_REACHED;
        status = decide_gates(run, &problem, &pair);
    }
    if (status == FATHOM_OK) {
        status = fathom_margin_keep_gated(run, gates, gain, pair.w);
        FATHOM_THEN(status, keep_proof(run, gates, gain, &pair));
    }
    fathom_memory_free(context, pair.w);
    return status;
}

static const char *method_name(const fathom_margin_run *run, const char *otherwise)
{
    return run->options->method == FATHOM_MARGIN_PAPER_GD ? "paper-gd" : otherwise;
}

/* Cones of next to no measure leave the program, which they would only make ill-conditioned: what they weigh
 * is doubt. */
static void drop_thin(fathom_margin_gates *gates)
{
    const double least = 0x1p-56;
    int64_t kept = 0;
    for (int64_t j = 0; j < gates->m; j++) {
        if (gates->rho[j] < least) {
            gates->doubt += gates->rho[j] * (1 + 0x1p-40);
            continue;
        }
        memmove(gates->bits + kept * gates->words, gates->bits + j * gates->words,
                (size_t)gates->words * sizeof *gates->bits);
        memmove(gates->orientation + kept * gates->d, gates->orientation + j * gates->d,
                (size_t)gates->d * sizeof *gates->orientation);
        gates->rho[kept++] = gates->rho[j];
    }
    gates->m = kept;
}

fathom_status fathom_margin_by_arcs(fathom_margin_run *run)
{
    fathom_margin_gates gates;
    fathom_status status = fathom_margin_arcs(&gates, run->context, run->points->n, run->points->x);
    run->result->view.method = method_name(run, "arcs");
    if (status == FATHOM_OK) {
        drop_thin(&gates);
        status = solve_gates(run, &gates, NULL);
    }
    fathom_margin_gates_free(run->context, &gates);
    return status;
}

/* Gives all cones, measured, as gates with the sum of their errors as doubt. */
static fathom_status measured_cones(fathom_margin_gates *gates, fathom_margin_run *run)
{
    fathom_context *context = run->context;
    fathom_gates *cones = NULL;
    fathom_measure *measure = NULL;
    fathom_measure_options options;
    fathom_options_init(&options, &fathom_measure_option_table);
    options.measure_method = 1; /* exact */
    fathom_status status = fathom_gates_enumerate(&cones, context, run->inner);
    FATHOM_THEN(status, fathom_gates_measure(&measure, cones, context, run->inner, &options));
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(cones);
        status = fathom_margin_gates_take(gates, context, &view);
    }
    if (status == FATHOM_OK) {
        const fathom_measure_view view = fathom_measure_look(measure);
        for (int64_t j = 0; j < view.m; j++)
            gates->doubt +=
                fmax(view.upper[j] - view.value[j], view.value[j] - view.lower[j]) * (1 + DBL_EPSILON);
    }
    fathom_measure_free(measure);
    fathom_gates_free(cones);
    return status;
}

/* Where the measures of the cones contradict themselves, great circles do it; where the time is up, the
 * interval so far stands. */
static fathom_status without_cones(fathom_margin_run *run, fathom_status status)
{
    if (status == FATHOM_ERROR_STOPPED)
        return FATHOM_OK;
    if (status != FATHOM_ERROR_RUNTIME || run->options->method != FATHOM_MARGIN_AUTO)
        return status;
    fathom_log(run->context, FATHOM_LOG_WARNING, "sampled instead: %s",
               fathom_context_error(run->context)->text);
    return fathom_margin_sample(run, fathom_margin_gap(run->options, 1e-2));
}

fathom_status fathom_margin_by_cones(fathom_margin_run *run)
{
    fathom_margin_gates gates = {0};
    fathom_status status = measured_cones(&gates, run);
    if (status == FATHOM_OK) {
        run->result->view.method = method_name(run, "cells");
        drop_thin(&gates);
        status = solve_gates(run, &gates, NULL);
    } else {
        status = without_cones(run, status);
    }
    fathom_margin_gates_free(run->context, &gates);
    return status;
}

/* Both layers, `width` neurons drawn from the seed. */
static fathom_status by_neurons(fathom_margin_run *run)
{
    fathom_margin_gates gates = {0};
    double *gain = NULL;
    if (run->options->gates)
        return fathom_error_set(
            run->context, FATHOM_ERROR_USAGE,
            "--kind ntk-full draws its neurons: --gates does not go with it, --width does");
    fathom_status status = fathom_full_draw(&gates, &gain, run->context, run->data, run->result->view.width);
    run->result->view.method = method_name(run, "gates");
    FATHOM_THEN(status, solve_gates(run, &gates, gain));
    fathom_margin_gates_free(run->context, &gates);
    fathom_memory_free(run->context, gain);
    return status;
}

/* A name that a model has: it ends in .json or .npz. */
static bool names_model(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && (strcmp(path + length - 5, ".json") == 0 || strcmp(path + length - 4, ".npz") == 0);
}

/* The gates of a model: v_j and rho_j of a gated network, the u_j of a relu network with equal weights. */
static fathom_status gates_of_model(fathom_gates **gates, fathom_margin_run *run)
{
    fathom_model *model = NULL;
    FATHOM_TRY(fathom_model_read(&model, run->context, run->options->gates));
    fathom_status status = FATHOM_OK;
    const fathom_net *net = fathom_model_look(model).net;
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights weights = fathom_net_lend((fathom_net *)net); /* read only */
    const bool gated = shape.kind == FATHOM_NET_GATED;
    bool weighted = false; /* equal weights are those of an average */
    for (int64_t j = 1; j < shape.m && gated; j++)
        weighted |= weights.rho[j] != weights.rho[0];
    int64_t *gate_of = fathom_memory_alloc(run->context, shape.m, sizeof *gate_of);
    if (!gate_of)
        status = FATHOM_ERROR_MEMORY;
    else if ((!gated && shape.kind != FATHOM_NET_RELU) || shape.hidden_bias ||
             shape.d != run->points->columns)
        status = fathom_error_set_at(run->context, FATHOM_ERROR_INPUT, run->options->gates, 0, 0,
                                     "expected a gated or relu model without hidden biases on %lld columns",
                                     (long long)run->points->columns);
    else
        status = fathom_gates_from_orientations(gates, run->context, run->data, shape.m,
                                                gated ? weights.v : weights.u, shape.d, gate_of);
    if (status == FATHOM_OK && weighted)
        status = fathom_gates_weigh(*gates, weights.rho, shape.m, gate_of);
    run->result->view.gates_as = "model";
    run->result->view.width = shape.m;
    run->result->weighted = weighted;
    fathom_memory_free(run->context, gate_of);
    fathom_model_free(model);
    return status;
}

/* Gates from a file, with their number, weights, and how they were read. */
static fathom_status read_gates(fathom_gates **gates, fathom_margin_run *run)
{
    const fathom_margin_options *options = run->options;
    fathom_gates_form form = (fathom_gates_form)options->gates_as;
    if (names_model(options->gates) && !options->gates_weights)
        return gates_of_model(gates, run);
    const fathom_status status = fathom_gates_read_as(gates, &run->result->view.width, &form, run->context,
                                                      run->data, options->gates, options->gates_weights);
    run->result->view.gates_as = fathom_gates_form_name(form);
    run->result->weighted = options->gates_weights;
    return status;
}

/* A linear function is a network on one gate that is open on all examples. */
fathom_status fathom_margin_linear(fathom_margin_run *run)
{
    const int64_t n = run->points->n, words = (n + 63) / 64;
    fathom_margin_gates gates = {.m = 1, .words = words, .d = run->points->d};
    gates.bits = fathom_memory_zero(run->context, words, sizeof *gates.bits);
    gates.rho = fathom_memory_zero(run->context, 1, sizeof *gates.rho);
    fathom_status status = gates.bits && gates.rho ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++)
        gates.bits[i / 64] |= (uint64_t)1 << i % 64;
    if (status == FATHOM_OK)
        gates.rho[0] = 1;
    run->result->view.method = method_name(run, "interior point");
    FATHOM_THEN(status, solve_gates(run, &gates, NULL));
    fathom_margin_gates_free(run->context, &gates);
    return status;
}

fathom_status fathom_margin_by_gates(fathom_margin_run *run)
{
    if (run->options->kind == FATHOM_MARGIN_NTK_FULL)
        return by_neurons(run);
    fathom_gates *given = NULL;
    fathom_margin_gates gates = {0};
    fathom_margin_view *view = &run->result->view;
    fathom_status status = run->options->gates
                               ? read_gates(&given, run)
                               : fathom_gates_sample(&given, run->context, run->data, view->width);
    if (status == FATHOM_OK) {
        const fathom_gates_view all = fathom_gates_look(given);
        status = fathom_margin_gates_take(&gates, run->context, &all);
    }
    fathom_gates_free(given);
    view->method = method_name(run, "gates");
    FATHOM_THEN(status, solve_gates(run, &gates, NULL));
    fathom_margin_gates_free(run->context, &gates);
    return status;
}
