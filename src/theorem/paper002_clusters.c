/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [002, Thm 2]: four clusters; R_1 < exp(-C4 p^(1/2 - beta)) after one step from a random start, then R_t <= C6 d / (p^(1 - 3 beta) t).
 * Also what its lemmas (paper002_good.c) share with it: hypotheses and the first step.
 */
#include <math.h>
#include <stdio.h>

#include "theorem_internal.h"

const char *const theorem_open_text =
    "the theorem is about some constants: with those that the check chose it fails";

bool theorem_is_open(const theorem_run *run, const char *first, const char *second)
{
    return isnan(theorem_constant(run, first, NAN)) || (second && isnan(theorem_constant(run, second, NAN)));
}

/* Hypotheses on the clusters, shared by Theorem 2 and Lemma 15. */
static fathom_status assume_clusters(theorem_run *run, const theorem_clusters *c)
{
    const double c2 = theorem_constant(run, "C2", 0.1);
    theorem_clusters_least least;
    const fathom_status status = theorem_clusters_bound(&least, c, run, c2);
    const struct {
        const char *name;
        theorem_range value;
    } line[] = {{"radius r of the clusters", {least.radius, c->radius}},
                {"overlap Delta of opposite centers", {least.overlap, c->overlap}},
                {"imbalance epsilon of the clusters", {least.balance, c->balance}}};
    for (size_t k = 0; k < sizeof line / sizeof *line && status == FATHOM_OK; k++) {
        const bool open = line[k].value.lower < line[k].value.upper && line[k].value.upper >= c2;
        theorem_assume_range(run, line[k].name, open ? line[k].value : theorem_exact(line[k].value.upper),
                             "<", theorem_exact(c2));
        theorem_note(run, open ? "of the clusters that were found, and what others may have" : NULL);
        theorem_soften(run, theorem_is_open(run, "C2", NULL), theorem_open_text);
    }
    return status;
}

/* The start that the theorem speaks of is drawn here; --init normal:SD may have another deviation, a file is no draw. */
static void assume_start(theorem_run *run, double p)
{
    const double sigma = pow(p, -0.5 - run->options->beta / 2);
    double sd = NAN;
    if (!run->options->init)
        return;
    if (sscanf(run->options->init, "normal:%lf", &sd) != 1)
        sd = NAN;
    theorem_assume(run, "|SD / p^-(1/2 + beta/2) - 1| of the start", fabs(sd / sigma - 1), "<=", 1e-12);
    theorem_note(run, isnan(sd) ? "a start that is given is no draw" : NULL);
}

fathom_status theorem_first_step(fathom_net **before, fathom_net **after, double *log_loss, theorem_run *run,
                                 const fathom_flow_options *options, double p)
{
    const double beta = run->options->beta;
    fathom_flow_options o = *options;
    fathom_flow_result result;
    char init[64], step[64];
    snprintf(init, sizeof init, "normal:%.17g", pow(p, -0.5 - beta / 2));
    snprintf(step, sizeof step, "const:%.17g", pow(p, -0.5 - beta));
    if (!o.init)
        o.init = init;
    o.step = step;
    for (int count = 0; count < 2; count++) {
        fathom_net **net = count ? after : before;
        o.until = count ? "steps=1" : "steps=0";
        FATHOM_TRY(theorem_flow(&result, run, &o, NULL, NULL, NULL));
        *net = result.net;
        *log_loss = result.end.log_loss;
        result.net = NULL;
        fathom_flow_result_clear(&result);
    }
    return FATHOM_OK;
}

/* C_4 of part (a), measured: ln(1/R_1) after one step for p, 4 p and 16 p, and the slope from the first to
 * the last as a function of p^(1/2 - beta). A network that was not trained has R = ln 2 whatever p is: slope
 * 0. */
static fathom_status compare_growth(theorem_run *run, const fathom_flow_options *options, double p,
                                    double first)
{
    enum { SIZES = 3 };
    const double beta = run->options->beta;
    double x[SIZES], gain[SIZES] = {-first};
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < SIZES && status == FATHOM_OK; k++) {
        fathom_flow_options wide = *options;
        fathom_net *before = NULL, *after = NULL;
        const double size = ldexp(p, 2 * k);
        x[k] = pow(size, 0.5 - beta);
        wide.width = (int64_t)(2 * size);
        if (k > 0) {
            status = theorem_first_step(&before, &after, gain + k, run, &wide, size);
            gain[k] = -gain[k];
        }
        fathom_net_free(before);
        fathom_net_free(after);
    }
    if (status != FATHOM_OK)
        return status;
    if (!run->broken)
        theorem_say(run, "(a) ln(1/R_1) is %.6g at p = %g, %.6g at %g, %.6g at %g: C4 < %.4g there", gain[0],
                    p, gain[1], 4 * p, gain[2], 16 * p,
                    fmin(fmin(gain[0] / x[0], gain[1] / x[1]), gain[2] / x[2]));
    theorem_compare(run, "(a) C4 measured: slope of ln(1/R_1) in p^(1/2-beta) from p to 16 p",
                    (gain[2] - gain[0]) / (x[2] - x[0]), ">", theorem_constant(run, "C4", 0));
    return FATHOM_OK;
}

/* Part (a): after one step. */
static fathom_status compare_first(theorem_run *run, const fathom_flow_options *options, double p,
                                   double first)
{
    const double least = theorem_constant(run, "C4", 0.01) * pow(p, 0.5 - run->options->beta);
    theorem_compare(run, "(a) ln(1/R_1)", -first, ">", least);
    theorem_soften(run, theorem_is_open(run, "C3", "C4"), theorem_open_text);
    theorem_vacuous(run, least < -log(log(2)), "a network that was not trained, R = ln 2, meets it");
    return run->options->init ? FATHOM_OK : compare_growth(run, options, p, first);
}

/* The largest R_t t of a run, and the least rho, over its whole steps Q_1 ln^2(1/R_t). */
typedef struct later {
    double product, rho, steps;
    double p, reach, rate, last; /* of the reduced coordinates; Q_1; ln R_t of the record before */
} later;

static void observe(void *user, const fathom_flow_record *r)
{
    later *w = user;
    if (r->steps == 0)
        w->rate = theorem_rate_most(r, w->p, w->reach);
    if (!theorem_is_whole(r, w->rate * w->last * w->last / (w->reach * w->reach)))
        return;
    w->last = r->log_loss;
    w->product = fmax(w->product, exp(r->log_loss) * (double)(r->steps + 1));
    w->rho = fmin(w->rho, r->rho);
    w->steps = (double)r->steps;
}

fathom_status theorem_assume_clusters(theorem_clusters *clusters, theorem_run *run, double p)
{
    const double d = (double)(run->d + 1), n = (double)run->n;
    FATHOM_TRY(theorem_clusters_fit(clusters, run));
    theorem_assume(run, "n", n, ">=", 4);
    FATHOM_TRY(assume_clusters(run, clusters));
    theorem_assume(run, "p", p, ">=", pow(log(n * d / run->options->delta), theorem_constant(run, "C3", 2)));
    theorem_soften(run, theorem_is_open(run, "C3", NULL), theorem_open_text);
    assume_start(run, p);
    theorem_chance(run, run->options->delta);
    return FATHOM_OK;
}

/* Part (b): descent from the network after the first step. */
static fathom_status compare_later(theorem_run *run, fathom_flow_options options, fathom_net *after)
{
    const double p = (double)options.width / 2, beta = run->options->beta, d = (double)(run->d + 1);
    later w = {.rho = INFINITY, .p = p, .reach = hypot(run->reach, 1)};
    fathom_flow_result result;
    options.step = "theory", options.init = NULL, options.every = 1;
    FATHOM_TRY(theorem_flow(&result, run, &options, after, observe, &w));
    fathom_flow_result_clear(&result);
    const double most = theorem_constant(run, "C6", 1000) * d / pow(p, 1 - 3 * beta);
    theorem_compare(run, "(b) largest t R_t", w.product, "<=", most);
    theorem_soften(run, theorem_is_open(run, "C3", "C6"), theorem_open_text);
    theorem_vacuous(run, (w.steps + 1) * log(2) <= most,
                    "a network that was not trained, R = ln 2, meets it for so few steps");
    theorem_compare(run, "Lemma 10: least rho_t", isinf(w.rho) ? NAN : w.rho, ">=", 5.0 / 6);
    return FATHOM_OK;
}

fathom_status theorem_check_002_2(theorem_run *run)
{
    const fathom_flow_options options = theorem_flow_options(run, "huber", 200, "steps=1000");
    const double p = (double)options.width / 2;
    theorem_clusters clusters;
    fathom_net *before = NULL, *after = NULL;
    double first = NAN;
    fathom_status status = theorem_assume_clusters(&clusters, run, p);
    FATHOM_THEN(status, theorem_first_step(&before, &after, &first, run, &options, p));
    if (status == FATHOM_OK) {
        theorem_assume_huber(run, before);
        status = compare_first(run, &options, p, first);
    }
    if (status == FATHOM_OK && first < 0)
        status = compare_later(run, options, after);
    else if (status == FATHOM_OK)
        theorem_say(run, "no run after the first step: its steps need R_1 < 1");
    fathom_net_free(before);
    fathom_net_free(after);
    theorem_clusters_free(&clusters, run->context);
    return status;
}
