/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training of gated networks on a set of gates: gates, penalty, Newton run, network.
 *
 * The bound is that of the program on the given gates. It is global where the gates are all cones of the
 * arrangement (--gates all): other gates add no function on the data. Memory: 8 n^2 bytes for n <= 2048
 * points, a sixteenth more for the subsamples that they start from, and 8 n (d + k) while a system is made,
 * and 8 (n (2 d + 8 o) + (m + 2 k) o d + n k o) + n m / 8 beyond, o outputs, k gates in
 * use; there 8 min(n, k d)^2 more, 1.2 GB at the most, where the penalty is too small for conjugate
 * gradients. Sparse rows: 8 n^2 bytes where K is a matrix (gated_kernel.c), 8 (32 (n + d) + 20 n o + n k o)
 * and 12 bytes for every entry, thrice, and then 8 (o + 1) d for each gate of the network. Stated before
 * the run.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gated_checkpoint.h"
#include "gated_select.h"
#include "inner/train.h"
#include "memory.h"
#include "train_internal.h"

/* Bytes of a network of k gates, and of the copy of its directions that products with sparse rows take. */
static double network_bytes(const fathom_objective *p, double k)
{
    return 8 * k * (double)p->d * (double)(p->outputs + 2);
}

/* Bytes of a run where up to k gates are in use. */
static double memory_need(const fathom_objective *p, double k)
{
    const double n = (double)p->n, d = (double)p->d, m = (double)p->m, o = (double)p->outputs;
    const double coarse = (double)fathom_gated_coarse_rows(p),
                 copied = coarse < floor(n / 4) ? coarse * 4 / 3 : n;
    const double sums = (double)fathom_rows_room(fathom_gated_dealt(p), fathom_gated_sum_most(p));
    if (fathom_gated_few(p))
        return fathom_gated_few_bytes(p, k);
    return 8 * (copied * d + d * d + 12 * n * o + (m + 3 * k) * o * d + 2 * n * k * o + k * k * 2 + sums) +
           n * m / 8;
}

/* Sparse rows: bytes of what is there already: rows and columns, targets, gates with their orientations. */
static double sparse_held(const fathom_objective *p)
{
    const double m = (double)p->m, n = (double)p->n;
    return 24 * (double)p->sparse->row.row_start[p->n] + 8 * (m + 1) * (double)p->d +
           16 * n * (double)p->outputs + n * m / 8;
}

/* Sparse rows: bytes of products and of the vectors of a run. */
static double sparse_always(const fathom_objective *p)
{
    const double n = (double)p->n;
    return 8 * (32.1 * (n + (double)p->d) + 8 * n * (double)p->outputs);
}

/* Sparse rows: bytes of a run with k candidates, and of the network of k gates that is left of it. */
static double sparse_need(const fathom_objective *p, double k, double gates)
{
    const double n = (double)p->n, o = (double)p->outputs, entries = (double)p->sparse->row.row_start[p->n];
    const double side = fathom_objective_scalar_root(p) ? n : n * o,
                 width = (double)fathom_gated_heavy_width(p);
    const double rows = k + (p->constant ? o : 0);
    const double kernel =
        fathom_gated_few(p) || fathom_gated_kernel_pays(p) ? fathom_gated_kernel_bytes(p) : 0;
    const double systems =
        kernel + (fathom_gated_few(p) ? 8 * side * side : 8 * width * (width + 512 + rows * o));
    const double steps = systems + 12 * entries + 8 * (12 * n * o + n * o * rows + 3 * rows * rows + n * k);
    return sparse_always(p) + fmax(steps, network_bytes(p, gates));
}

/* Said for sparse rows, with what is held already: what training takes, and what the network takes, which
 * may be more and is known by the gate. */
static fathom_status sparse_memory(const fathom_objective *p)
{
    const double candidates = fmin((double)p->m, fmax(32, 7.5e7 / (double)(p->n * p->outputs)));
    const double held = sparse_held(p), network = network_bytes(p, 1);
    fathom_log(
        p->context, FATHOM_LOG_INFO,
        "%lld points, %lld columns, %.3g %% of the numbers, %lld outputs, %lld gates: about %.3g GB, or "
        "%.3g GB and %.3g GB for each gate of the network where that is more",
        (long long)p->n, (long long)p->d,
        100 * (double)p->sparse->row.row_start[p->n] / ((double)p->n * (double)p->d), (long long)p->outputs,
        (long long)p->m, (held + sparse_need(p, candidates, 0)) / 1e9, (held + sparse_always(p)) / 1e9,
        network / 1e9);
    return fathom_context_require(p->context, sparse_need(p, fmin(candidates, 32), 1),
                                  "training on these gates");
}

fathom_status fathom_train_gates_memory(const fathom_objective *p)
{
    if (p->sparse)
        return sparse_memory(p);
    const double use = fmin(fmin((double)p->m, 1024), fmax(32, 7.5e7 / (double)(p->n * p->outputs)));
    const double bytes = memory_need(p, floor(use)), more = fathom_gated_hard_bytes(p, floor(use));
    char hard[80] = "";
    if (more > 0)
        snprintf(hard, sizeof hard, ", %.3g GB more where the penalty is small", more / 1e9);
    fathom_log(p->context, FATHOM_LOG_INFO,
               "%lld points, %lld columns, %lld outputs, %lld gates: about %.3g GB with %.0f gates in use%s",
               (long long)p->n, (long long)p->d, (long long)p->outputs, (long long)p->m, bytes / 1e9,
               floor(use), hard);
    return fathom_context_require(p->context,
                                  fathom_gated_few(p) ? fathom_gated_few_least(p) : memory_need(p, 1),
                                  "training on these gates");
}

fathom_objective fathom_train_on_gates(const fathom_train_problem *p, const fathom_gates_view *gates)
{
    fathom_objective problem = fathom_train_objective(p, 1);
    problem.m = gates->m;
    problem.words = gates->words;
    problem.bits = gates->bits;
    problem.tree = gates->parent && problem.x ? gates : NULL;
    return problem;
}

/* The network of the best point: gates with weights other than zero. */
static fathom_status make_net(fathom_train_result *result, fathom_gated_run *run,
                              const fathom_gates_view *gates)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d;
    if (!gates->orientation)
        return FATHOM_OK;
    const fathom_net_shape shape = {
        .kind = FATHOM_NET_GATED, .d = p->d, .m = result->neurons, .outputs = p->outputs};
    FATHOM_TRY(fathom_net_create(&result->net, p->context, &shape));
    const fathom_net_weights net = fathom_net_lend(result->net);
    int64_t at = 0;
    for (int64_t j = 0; j < run->best.count; j++) {
        if (!(run->best_size[j] > 0))
            continue;
        memcpy(net.v + at * p->d, gates->orientation + run->best.gate[j] * p->d,
               (size_t)p->d * sizeof(double));
        fathom_gated_run_weights(net.w + at++ * block, run, j);
    }
    memcpy(net.c, run->best_c, (size_t)p->outputs * sizeof(double));
    return FATHOM_OK;
}

/* The evidence for a certificate: dual point, gates, weights. */
static fathom_status make_proof(fathom_train_result *result, fathom_gated_run *run,
                                const fathom_gates_view *gates, bool complete)
{
    const fathom_objective *p = run->problem;
    const int64_t block = p->outputs * p->d, count = run->best.count;
    FATHOM_TRY(fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs));
    FATHOM_TRY(fathom_proof_set_gates(result->proof, gates, complete));
    fathom_proof *proof = result->proof;
    proof->gate = fathom_memory_alloc(p->context, count, sizeof *proof->gate);
    proof->w = fathom_memory_alloc(p->context, count * block, sizeof *proof->w);
    proof->c = fathom_memory_alloc(p->context, p->outputs, sizeof *proof->c);
    if (!proof->gate || !proof->w || !proof->c)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < count; j++) {
        if (!(run->best_size[j] > 0))
            continue;
        proof->gate[proof->used] = run->best.gate[j];
        fathom_gated_run_weights(proof->w + proof->used++ * block, run, j);
    }
    memcpy(proof->c, run->best_c, (size_t)p->outputs * sizeof(double));
    if (run->best_g_bound > -INFINITY)
        memcpy(proof->v, run->best_g, (size_t)(p->n * p->outputs) * sizeof(double));
    proof->lower = fmax(run->best_g_bound, 0);
    return FATHOM_OK;
}

/* The run's numbers in the problem's own scale. */
fathom_status fathom_train_fill(fathom_train_result *result, const fathom_train_problem *problem,
                                fathom_gated_run *run, const fathom_gates_view *gates, bool complete)
{
    const fathom_objective *p = run->problem;
    fathom_gated_engine_rest(&run->engine);
    for (int64_t j = 0; j < run->best.count; j++) {
        const double size = run->best_size[j];
        result->norm += size;
        result->neurons += size > 0;
    }
    result->objective = run->objective / problem->divisor;
    result->lower_bound = fmax(run->bound, 0) / problem->divisor;
    result->beta = p->beta / problem->divisor;
    result->loss = result->objective - result->beta * result->norm;
    result->bound = complete ? FATHOM_TRAIN_BOUND_GLOBAL : FATHOM_TRAIN_BOUND_GATES;
    result->bound_method = "dual";
    result->method = "gates";
    result->iterations = run->iteration;
    result->gates = p->m;
    result->kind = p->loss;
    result->end = run->end;
    fathom_train_judge(result, problem->options->gap);
    if (fathom_train_proves(problem->options)) {
        FATHOM_TRY(make_proof(result, run, gates, complete));
    }
    return make_net(result, run, gates);
}

fathom_status fathom_train_on(fathom_train_result *result, double *residual,
                              const fathom_train_problem *problem, const fathom_gates_view *gates,
                              bool complete)
{
    fathom_objective gated = fathom_train_on_gates(problem, gates);
    fathom_gated_run run;
    FATHOM_TRY(fathom_train_gates_memory(&gated));
    FATHOM_TRY(fathom_gated_run_create(&run, &gated));
    const double beta_max = fathom_gated_beta_max(&run);
    result->beta_max = beta_max / problem->divisor;
    fathom_status status = isinf(beta_max) ? fathom_context_late(problem->context, "the largest penalty")
                                           : fathom_train_beta(&gated.beta, problem, beta_max);
    run.checkpoint = problem->options->checkpoint;
    FATHOM_THEN(status, problem->options->resume ? fathom_gated_run_read(&run, problem->options->resume)
                                                 : fathom_gated_run_start(&run, NULL));
    FATHOM_THEN(status, fathom_gated_run_solve(&run, problem->options->gap));
    if (status == FATHOM_OK)
        status =
            fathom_gated_select(&run, (fathom_train_select)problem->options->select, problem->options->gap);
    FATHOM_THEN(status, fathom_train_fill(result, problem, &run, gates, complete));
    if (status == FATHOM_OK && residual)
        memcpy(residual, run.g, (size_t)(problem->n * problem->outputs) * sizeof *residual);
    fathom_gated_run_clear(&run);
    return status;
}

fathom_status fathom_train_gated(fathom_train_result *result, const fathom_train_problem *problem)
{
    const fathom_gates *gates = problem->gates;
    const char *text = problem->options->gates;
    fathom_gates *own = NULL;
    fathom_status status = FATHOM_OK;
    if (problem->equality)
        return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                "--loss equality is for --model relu; a gated model takes the other losses");
    if (problem->options->method != FATHOM_TRAIN_AUTO && problem->options->method != FATHOM_TRAIN_GATES)
        return fathom_error_set(problem->context, FATHOM_ERROR_USAGE,
                                "--model gated takes --method auto or gates");
    if (!gates && text && strcmp(text, "grow") == 0)
        return fathom_train_grow(result, problem);
    if (!gates)
        status = fathom_gates_open_as(&own, problem->context, problem->data, text,
                                      (fathom_gates_form)problem->options->gates_as);
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(gates ? gates : own);
        status = fathom_train_on(result, NULL, problem, &view, !gates && text && strcmp(text, "all") == 0);
    }
    fathom_gates_free(own);
    return status;
}
