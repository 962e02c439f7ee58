/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --model relu --method gates: the cone-constrained program on given gates, with its own certified gap.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j (|u_j| + |u'_j|),  f_i = sum_j D_ij <x_i, u_j - u'_j>,  u_j, u'_j in K_j
 *
 * (relu_cones.h). With all cones of the arrangement and one output this is the program over all ReLU networks [000, Sec. 6;
 * Pilanci-Ergen 2020] and the bound is global; on other gates it is that of the networks whose neurons open as one of them
 * says. With several outputs it is that of the networks whose neurons feed one output each [001, A.7.3]: sharing neurons would
 * make the price of a gate the maximum of a convex function over its cone.
 *
 * Below: every g with |Proj_{K_j}(+-F*(g)_j)| <= beta for all gates gives -sum_i l_i*(-g_i) (objective_bound.c). At each round g = -l'(f) is
 * scaled by upper bounds on ALL those projections, rounding included. Above: the network at hand, evaluated as one.
 *
 * A round: prices; directions of sides whose price exceeds beta become atoms; best weights; atoms of one side are merged;
 * Newton directions on the faces; best weights again. Observed: 5 to 15 rounds to 1e-6. Cost per round: one adjoint, one
 * projection per side with |F*(g)_j| > beta, and the systems of relu_cones_atoms.c and relu_cones_newton.c.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_cones.h"
#include "hyperplanes.h"
#include "inner/train.h"
#include "memory.h"
#include "relu_cones.h"
#include "relu_select.h"
#include "train_relu.h"

/* `auto` begins with all cones where they are at most so many, and times the square of the dimension, which a projection onto one
 * grows with, at most so much: 14 rows of many columns have 16,384 cones and take 25 s, by columns 0.4 s. */
static const double FEW_CONES = 20000, FEW_PROJECTIONS = 1e6;

enum { ENOUGH = 512, STALL = 25, MOST_SELECTED = 4096 /* numbers in f */ };

/* Where a run stands, in the scale of the sum of losses. */
typedef struct cone_state {
    double objective, bound, loss, norm;
    double proved; /* the bound as this process has seen it; a state may say more */
    double mark;   /* the gap that has to be halved, */
    int64_t since; /* rounds since it was reached */
    int64_t round;
    fathom_end end;
    bool quiet; /* rounds are not logged */
} cone_state;

fathom_status fathom_on_gates_applies(bool *yes, const char **why, const fathom_train_problem *p)
{
    *yes = !p->constant && !p->equality;
    *why = p->constant   ? "it takes --bias none or augment"
           : p->equality ? "it takes a loss, not --loss equality"
                         : "gates were given";
    return FATHOM_OK;
}

/* The directions of the sides with the largest prices above beta become atoms. */
static fathom_status add_violators(fathom_relu_cones *run)
{
    const int64_t count = fathom_relu_cones_violators(run, ENOUGH), d = run->problem->d;
    for (int64_t k = 0; k < count; k++)
        FATHOM_TRY(
            fathom_cone_atoms_add(run, run->order[k].side, run->direction + run->order[k].side * d, 0));
    return FATHOM_OK;
}

static fathom_status improve(fathom_relu_cones *run)
{
    FATHOM_TRY(add_violators(run));
    FATHOM_TRY(fathom_cone_atoms_solve(run));
    FATHOM_TRY(fathom_cone_atoms_merge(run));
    FATHOM_TRY(fathom_cone_atoms_newton(run));
    FATHOM_TRY(fathom_cone_atoms_solve(run));
    return fathom_cone_atoms_merge(run);
}

/* Sets the end where the run must stop. */
static bool ended(cone_state *s, const fathom_relu_cones *run, double gap, double divisor)
{
    fathom_context *context = run->problem->context;
    const double proved = s->objective > 0 ? (s->objective - s->proved) / s->objective : 0;
    if (s->objective - s->bound <= gap * s->objective && !(proved <= gap))
        s->bound = s->proved; /* what a state says is not enough to end on */
    const double relative = s->objective > 0 ? (s->objective - s->bound) / s->objective : 0;
    if (!s->quiet)
        fathom_log(
            context, FATHOM_LOG_DEBUG,
            "round %lld: objective %.10g, lower bound %.10g, relative gap %.3g, %lld atoms, %lld gates, "
            "%lld projections",
            (long long)s->round, s->objective / divisor, s->bound / divisor, relative,
            (long long)run->atoms.count, (long long)run->problem->m, (long long)run->projections);
    const fathom_stop stop =
        fathom_context_poll(context, "cones", s->round, s->objective / divisor, s->bound / divisor);
    s->since++;
    if (relative < s->mark / 2) {
        s->mark = relative;
        s->since = 0;
    }
    s->end = relative <= gap ? FATHOM_END_REACHED : fathom_stop_end(stop, FATHOM_END_STALLED);
    return relative <= gap || stop != FATHOM_STOP_NONE || s->since >= STALL;
}

/* States are written before the round that they lead to, and never after a round that a limit cut short. */
static fathom_status keep_state(const cone_state *s, const fathom_relu_cones *run, const char *path)
{
    const double number[FATHOM_CONES_NUMBERS] = {(double)s->round, run->smoothing, s->bound, s->mark,
                                                 (double)run->projections};
    if (!path || fathom_context_stop_reason(run->problem->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    return fathom_relu_cones_write(run, number, path);
}

static fathom_status resume(cone_state *s, fathom_relu_cones *run, const char *path)
{
    double number[FATHOM_CONES_NUMBERS];
    FATHOM_TRY(fathom_relu_cones_read(run, number, path));
    s->round = (int64_t)number[0];
    run->smoothing = number[1];
    s->bound = number[2]; /* for the course of the run; `proved` is what it finds itself */
    s->mark = number[3];  /* with a new budget of rounds without progress */
    run->projections = (int64_t)number[4];
    return FATHOM_OK;
}

static double rounded_up(const fathom_objective *p, double objective)
{
    return objective * (1 + 4 * (double)(p->n + p->d + 64) * 0x1p-53);
}

/* The best bound so far, and the dual point that gave it. */
static void take_bound(cone_state *s, fathom_relu_cones *run, double bound)
{
    const fathom_objective *p = run->problem;
    if (bound > s->proved)
        memcpy(run->best, run->g, (size_t)(p->n * p->outputs) * sizeof *run->g);
    s->proved = fmax(s->proved, bound);
    s->bound = fmax(s->bound, bound);
}

static fathom_status solve(cone_state *s, fathom_relu_cones *run, const fathom_train_options *options,
                           double divisor)
{
    const fathom_objective *p = run->problem;
    const double mass = fathom_objective_mass(p);
    fathom_status status = FATHOM_OK;
    for (; status == FATHOM_OK; s->round++) {
        double upper;
        status = keep_state(s, run, options->checkpoint);
        if (status != FATHOM_OK)
            break;
        fathom_relu_cones_price(run, p->beta, ENOUGH, &upper);
        s->objective = rounded_up(p, fathom_cone_atoms_objective(run, &s->loss, &s->norm));
        take_bound(s, run, fathom_objective_bound(p, run->g, upper));
        if (ended(s, run, options->gap, divisor))
            break;
        /* The barrier of the hinge costs about 2 mu per point, a gap that rounds cannot close: mu falls when little else is
         * left, and no further than the gap asked for needs. */
        const double barrier = 4 * run->smoothing * mass;
        if (s->objective - s->bound < barrier && barrier > options->gap * s->objective)
            run->smoothing /= 8;
        status = improve(run);
    }
    return status;
}

/* The weights among those with the same outputs that --select asks for, where the objective stays what it is up to the gap. */
static fathom_status choose_weights(cone_state *s, fathom_relu_cones *run,
                                    const fathom_train_options *options)
{
    const fathom_objective *p = run->problem;
    const int64_t count = run->atoms.count, size = p->outputs * p->n;
    const bool sparse = options->select == FATHOM_SELECT_SPARSE;
    if ((!sparse && options->select != FATHOM_SELECT_MIN_NORM) || size > MOST_SELECTED || count == 0)
        return FATHOM_OK;
    double *before = fathom_memory_alloc(p->context, count, sizeof *before), loss, norm;
    if (!before)
        return FATHOM_ERROR_MEMORY;
    memcpy(before, run->atoms.a, (size_t)count * sizeof *before);
    const fathom_status status =
        sparse ? fathom_atoms_sparsify(run->atoms.a, p->context, count, size, run->atoms.z)
               : fathom_atoms_spread(run->atoms.a, p->context, count, size, run->atoms.z);
    const double objective = rounded_up(p, fathom_cone_atoms_objective(run, &loss, &norm));
    if (objective <= fmax(s->objective, s->bound / (1 - options->gap))) {
        s->objective = objective;
        s->loss = loss;
        s->norm = norm;
    } else {
        memcpy(run->atoms.a, before, (size_t)count * sizeof *before);
    }
    fathom_memory_free(p->context, before);
    return status;
}

/* sum_j |u_j - u'_j|, the norm of all outputs' block: what the gated form of the network pays for the same outputs. */
static fathom_status gated_norm(double *norm, const fathom_relu_cones *run)
{
    const fathom_cone_atoms *atoms = &run->atoms;
    const int64_t d = run->problem->d, m = run->problem->m, block = d * run->problem->outputs;
    double *w = fathom_memory_zero(run->problem->context, m * block, sizeof *w);
    if (!w)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < atoms->count; k++)
        fathom_blas_axpy(w + atoms->side[k] / 2 * d, atoms->side[k] % 2 ? -atoms->a[k] : atoms->a[k],
                         atoms->u + k * d, d);
    *norm = 0;
    for (int64_t j = 0; j < m; j++)
        *norm += fathom_blas_norm(w + j * block, block);
    fathom_memory_free(run->problem->context, w);
    return FATHOM_OK;
}

/* Unit u_j with w_j = +-a_j at its output, the largest first. */
static fathom_status make_net(fathom_train_result *result, const fathom_relu_cones *run)
{
    const fathom_cone_atoms *atoms = &run->atoms;
    const int64_t d = run->problem->d, o = run->problem->outputs;
    for (int64_t k = 0; k < atoms->count; k++)
        result->neurons += atoms->a[k] > 0;
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = d, .m = result->neurons, .outputs = o};
    FATHOM_TRY(fathom_net_create(&result->net, run->problem->context, &shape));
    const fathom_net_weights net = fathom_net_lend(result->net);
    int64_t filled = 0;
    for (int64_t k = 0; k < atoms->count; k++) {
        if (!(atoms->a[k] > 0))
            continue;
        int64_t place = filled++;
        for (; place > 0 && fathom_blas_norm(net.w + (place - 1) * o, o) < atoms->a[k]; place--) {
            memcpy(net.w + place * o, net.w + (place - 1) * o, (size_t)o * sizeof *net.w);
            memcpy(net.u + place * d, net.u + (place - 1) * d, (size_t)d * sizeof *net.u);
        }
        memset(net.w + place * o, 0, (size_t)o * sizeof *net.w);
        net.w[place * o + fathom_side_output(run, atoms->side[k])] =
            atoms->side[k] % 2 ? -atoms->a[k] : atoms->a[k];
        memcpy(net.u + place * d, atoms->u + k * d, (size_t)d * sizeof *net.u);
    }
    return FATHOM_OK;
}

/* Whether gates or cones were asked for by name. */
static bool talks(const fathom_train_problem *problem)
{
    return problem->options->method != FATHOM_TRAIN_AUTO && !problem->silent;
}

static fathom_status fill(fathom_train_result *result, const fathom_train_problem *problem,
                          const fathom_relu_cones *run, const cone_state *s, bool complete)
{
    double norm;
    FATHOM_TRY(gated_norm(&norm, run));
    result->objective = s->objective / problem->divisor;
    result->lower_bound = fmax(s->proved, 0) / problem->divisor;
    result->beta = run->problem->beta / problem->divisor;
    result->loss = s->loss / problem->divisor;
    result->norm = s->norm;
    result->bound = complete && problem->outputs == 1 ? FATHOM_TRAIN_BOUND_GLOBAL : FATHOM_TRAIN_BOUND_GATES;
    result->bound_method =
        problem->outputs == 1 ? "cone projections" : "cone projections, one output per neuron";
    result->method = "gates";
    result->iterations = s->round;
    result->kind = problem->loss;
    result->end = s->end;
    fathom_train_judge(result, problem->options->gap);
    if (talks(problem)) { /* all cones are a means where nobody asked for gates */
        result->gates = run->problem->m;
        result->norm_inflation = norm > 0 ? s->norm / norm : 1;
        fathom_log(problem->context, FATHOM_LOG_INFO,
                   "norm %.6g, %.4g times that of the gated network with the same outputs", s->norm,
                   result->norm_inflation);
    }
    return make_net(result, run);
}

/* The dual point of the best bound as a proof. */
static fathom_status make_proof(fathom_train_result *result, const fathom_relu_cones *run,
                                const fathom_gates_view *gates, bool complete)
{
    const fathom_objective *p = run->problem;
    FATHOM_TRY(fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs));
    return fathom_global_cones_prove(result->proof, p, gates, complete, run->best);
}

/* Bytes of the prices, and of the first directions with the products among them. */
static double run_bytes(const fathom_objective *p)
{
    const double size = (double)(p->n * p->outputs),
                 atoms = fmin(ENOUGH, 2 * (double)p->m * (double)p->outputs);
    return fathom_relu_cones_bytes(p) + 8 * atoms * (atoms + 2 * size + 2 * (double)p->d);
}

static fathom_status train_on(fathom_train_result *result, const fathom_train_problem *problem,
                              const fathom_gates_view *gates, bool complete)
{
    fathom_objective program = fathom_train_on_gates(problem, gates);
    fathom_relu_cones run;
    cone_state s = {.bound = -INFINITY, .proved = -INFINITY, .mark = INFINITY, .quiet = !talks(problem)};
    double beta_max = 0;
    FATHOM_TRY(fathom_context_require(problem->context, run_bytes(&program), "training on these gates"));
    if (!s.quiet)
        fathom_log(problem->context, FATHOM_LOG_INFO,
                   "%lld points, %lld columns, %lld gates: %.3g GB, and %.3g MB per direction in use",
                   (long long)problem->n, (long long)problem->d, (long long)gates->m,
                   fathom_relu_cones_bytes(&program) / 1e9, 16e-6 * (double)(problem->n + problem->d));
    FATHOM_TRY(fathom_relu_cones_open(&run, &program));
    fathom_status status = FATHOM_OK;
    status = fathom_relu_beta_max(&beta_max, problem); /* one problem, whatever the method */
    result->beta_max = beta_max / problem->divisor;
    FATHOM_THEN(status, fathom_train_beta(&program.beta, problem, beta_max));
    if (status == FATHOM_OK && problem->options->resume)
        status = resume(&s, &run, problem->options->resume);
    FATHOM_THEN(status, solve(&s, &run, problem->options, problem->divisor));
    FATHOM_THEN(status, choose_weights(&s, &run, problem->options));
    FATHOM_THEN(status, fill(result, problem, &run, &s, complete));
    /* patterns alone: another proof, train_prove.c */
    if (status == FATHOM_OK && gates->orientation && fathom_train_proves(problem->options))
        status = make_proof(result, &run, gates, complete);
    fathom_relu_cones_close(&run);
    return status;
}

fathom_status fathom_on_gates_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    const char *text = problem->options->gates;
    const fathom_gates *gates = problem->gates;
    fathom_gates *own = NULL;
    fathom_status status = FATHOM_OK;
    if (!gates && text && strcmp(text, "grow") == 0)
        return fathom_error_set(
            problem->context, FATHOM_ERROR_USAGE,
            "--gates grow is for --model gated; --model relu --method columns grows a network");
    if (!gates)
        status = fathom_gates_open_as(&own, problem->context, problem->data, text,
                                      (fathom_gates_form)problem->options->gates_as);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(gates ? gates : own);
        status = train_on(result, problem, &view, !gates && text && strcmp(text, "all") == 0);
    }
    fathom_gates_free(own);
    return status;
}

fathom_status fathom_cells_applies(bool *yes, const char **why, const fathom_train_problem *p)
{
    const fathom_status status = fathom_on_gates_applies(yes, why, p);
    if (*yes)
        *why = "every cone of the arrangement is a gate";
    if (p->options->method != FATHOM_TRAIN_AUTO || !*yes)
        return status;
    const double count = fathom_cells_count(p), rank = (double)(p->d < p->n ? p->d : p->n);
    *yes = count <= FEW_CONES && count * rank * rank <= FEW_PROJECTIONS && !fathom_cells_too_long(p);
    *why = *yes ? "few cones, each of them a gate" : "the cones are many";
    return status;
}

double fathom_cells_count(const fathom_train_problem *p)
{
    return p->constant || p->equality || p->outputs > 1 ? INFINITY
                                                        : fathom_cover_count(p->n, p->d < p->n ? p->d : p->n);
}

/* About what a proof by all cones takes: a witness, and multipliers of both sides of every output, each. */
static double proof_bytes(const fathom_train_problem *p)
{
    const double sides = 1 + (double)p->d * (double)p->outputs;
    return 48 * sides * fathom_cover_count(p->n, p->d < p->n ? p->d : p->n);
}

bool fathom_cells_too_long(const fathom_train_problem *p)
{
    return fathom_train_proves(p->options) &&
           proof_bytes(p) > 1e6 * p->options->certificate_size; /* NaN: no limit */
}

/* All cones of the rows of the problem, which may be some of those of its data. */
static fathom_status open_cones(fathom_gates **all, const fathom_train_problem *p)
{
    const fathom_data_view view = fathom_data_look(p->data);
    if (view.n == p->n && view.d == p->d && view.x == p->x)
        return fathom_gates_enumerate(all, p->context, p->data);
    fathom_data *rows;
    fathom_status status = fathom_data_create(&rows, p->context, p->n, p->d, p->x, p->d, 0, NULL, NULL, NULL);
    FATHOM_THEN(status, fathom_gates_enumerate(all, p->context, rows));
    fathom_data_free(rows);
    return status;
}

/* Bytes of all cones of rows in general position, and of training on them. */
static double cells_bytes(const fathom_train_problem *p)
{
    const double cones = fathom_cover_count(p->n, p->d < p->n ? p->d : p->n);
    fathom_objective program = fathom_train_objective(p, 1);
    program.m = (int64_t)fmin(cones, 1e15);
    return cones * 8 * (double)((p->n + 63) / 64 + p->d + 3) + run_bytes(&program);
}

/* The same program on all cones: its optimum is that over all networks. */
fathom_status fathom_cells_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_gates *all = NULL;
    if (fathom_cells_too_long(problem))
        fathom_log(problem->context, FATHOM_LOG_WARNING,
                   "--certificate-size cannot be kept: a proof by all cones takes about %.3g MB, and nothing "
                   "of it can "
                   "be left out (--method columns trades size for gap)",
                   proof_bytes(problem) / 1e6);
    fathom_status status = open_cones(&all, problem);
    if (status == FATHOM_ERROR_MEMORY) /* of the two needs the larger one is told */
        (void)fathom_context_require(problem->context, cells_bytes(problem), "training on all cones");
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(all);
        status = train_on(result, problem, &view, true);
    }
    if (status == FATHOM_OK)
        result->method = "cells";
    fathom_gates_free(all);
    return status;
}
