/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [004]: leaky ReLU networks, k units with output weight +v and k with -v, both fixed; slope alpha below
 * the kink.
 *
 *   4.1  linearly separable data: SGD in epochs reaches mean loss eps within M(n, eps) updates.
 *   5.1  sign N(x) = sign <w - u, x> where |<w - u, x>| >= 2 r |x|; w, u the mean neurons, r the largest distance from them. The sharp
 *        constant is (1 - alpha)/(1 + alpha) in place of 2.
 *   6.1  flow that has R < ln 2 / n and then stays in an agreement regime becomes perfectly clustered.
 *   6.2  moreover smoothed margin > sqrt(k) alpha v max |x| and V_beta^+ = V_beta^- = {}: the regime is the perfect one, and the
 *        directions tend to the solution of the hard-margin program (7).
 *
 * V_beta^+ is not empty if and only if max over x in S_- of dist(0, conv(S_+ and x)) >= beta: one
 * nearest-point problem per example.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "min_norm.h"
#include "random.h"
#include "theorem_internal.h"

/* Texts of the options of a run. */
typedef struct texts {
    char net[32], weights[32];
} texts;

/* v: --constants v=V, or that of [004]. */
static double weight_of(const theorem_run *run) { return theorem_constant(run, "v", 0.1); }

/* Leaky networks with the slope and the output weights asked for. */
static fathom_flow_options leaky(const theorem_run *run, texts *text, const char *until)
{
    snprintf(text->net, sizeof text->net, "leaky:%.17g", run->options->slope);
    snprintf(text->weights, sizeof text->weights, "fixed:%.17g", weight_of(run));
    fathom_flow_options options = theorem_flow_options(run, text->net, 100, until);
    options.output_weights = text->weights;
    return options;
}

/* The network has k units with output weight v and k with -v; one from a file may have others. */
static void assume_weights(theorem_run *run, fathom_net *net)
{
    const int64_t m = fathom_net_look(net).m;
    const double *a = fathom_net_lend(net).w, v = weight_of(run);
    double worst = 0;
    int64_t positive = 0;
    for (int64_t j = 0; j < m; j++) {
        worst = fmax(worst, fabs(fabs(a[j]) / v - 1));
        positive += a[j] > 0;
    }
    theorem_assume(run, "output weights +-v: largest ||a_j| / v - 1|", worst, "<=", 1e-12);
    theorem_assume(run, "units with positive output weight, of all", (double)positive / (double)m, "=", 0.5);
}

static void assume_slope(theorem_run *run)
{
    theorem_assume(run, "slope alpha", run->options->slope, ">", 0);
    theorem_assume(run, "slope alpha", run->options->slope, "<", 1);
}

/* max_j |w_j|. */
static double largest_norm(fathom_net *net)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    double norm = 0;
    for (int64_t j = 0; j < shape.m; j++)
        norm = fmax(norm, fathom_blas_norm(w.u + j * shape.d, shape.d));
    return norm;
}

/* max_j |w_j(0)|. */
static fathom_status first_norm(double *norm, theorem_run *run, const fathom_flow_options *options)
{
    fathom_flow_options none = *options;
    fathom_flow_result result;
    none.until = "steps=0";
    FATHOM_TRY(theorem_flow_plain(&result, run, &none, NULL, NULL, NULL));
    *norm = largest_norm(result.net);
    assume_weights(run, result.net);
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

/* M(n, eps), with |w*| the norm of the separator of margin 1 [004, eq. 26]; `share` = 1, or .27846 for the
 * sharper term. */
static double update_bound(const theorem_run *run, double n, double w, double r0, double k, double eta,
                           double share, double epsilon)
{
    const double v = weight_of(run), rx = run->reach, alpha = run->options->slope;
    const double e = 1 + (1 + 2 * v * v * rx * rx * eta * k * n) / epsilon;
    return (rx * rx / (alpha * alpha) + share / (k * eta * v * v * alpha * alpha)) * w * w * n * n * e * e +
           sqrt(r0 * (8 * k * k * eta * eta * v * v * rx * rx + 8 * k * eta)) * pow(w * n * e, 1.5) /
               (2 * k * pow(eta * v * alpha, 1.5)) +
           2 * r0 * w * n * e / (eta * v * alpha) + n;
}

fathom_status theorem_updates(double *updates, theorem_run *run)
{
    const double eta = isnan(run->options->step) ? 0.01 : run->options->step;
    texts text;
    theorem_range linear;
    double r0;
    fathom_flow_options options = leaky(run, &text, NULL);
    fathom_status status = theorem_linear_margin(&linear, run);
    *updates = INFINITY;
    FATHOM_THEN(status, first_norm(&r0, run, &options));
    if (status != FATHOM_OK)
        return status;
    assume_slope(run);
    theorem_assume_range(run, "linear margin", linear, ">", theorem_exact(0));
    if (linear.lower > 0)
        *updates = update_bound(run, (double)run->n, 1 / linear.lower, r0, (double)options.width / 2, eta, 1,
                                run->options->epsilon);
    return FATHOM_OK;
}

/* Updates, of step eta, until the loss was first seen at 16 and 4 times epsilon. */
enum { LEVELS = 2 };
typedef struct levels {
    double log_loss[LEVELS], steps[LEVELS], eta;
} levels;

static void observe_levels(void *user, const fathom_flow_record *r)
{
    levels *l = user;
    for (int k = 0; k < LEVELS; k++)
        if (isnan(l->steps[k]) && r->log_loss <= l->log_loss[k] && theorem_is_whole(r, l->eta))
            l->steps[k] = (double)r->steps;
}

/* Updates of a run until loss epsilon; NaN where it ended for another reason, or with a part of a step. */
static double updates_of(const fathom_flow_result *result, double epsilon, double eta)
{
    const bool there = result->status == FATHOM_FLOW_REACHED && result->end.log_loss <= log(epsilon) + 1e-9 &&
                       theorem_is_whole(&result->end, eta);
    return there ? (double)result->end.steps : NAN;
}

/* Updates to loss epsilon on the first n examples, which any separator of all separates; NaN where they
 * have one label. */
static fathom_status count_part(double *updates, theorem_run *run, const fathom_flow_options *options,
                                double eta, int64_t n)
{
    theorem_run part = *run;
    fathom_flow_options o = *options;
    fathom_flow_result result;
    int64_t i = 1;
    *updates = NAN;
    while (i < n && run->y[i] == run->y[0])
        i++;
    if (i >= n || run->broken)
        return FATHOM_OK;
    FATHOM_TRY(
        fathom_data_create(&part.data, run->context, n, run->d, run->x, run->d, 1, run->y, NULL, NULL));
    part.n = n, o.every = n;
    fathom_status status = theorem_flow(&result, &part, &o, NULL, NULL, NULL);
    if (status == FATHOM_OK) {
        *updates = updates_of(&result, run->options->epsilon, eta);
        fathom_flow_result_clear(&result);
    }
    run->broken = part.broken;
    fathom_data_free(part.data);
    return status;
}

/* How updates grow with n and 1/epsilon, beside M; `early` of them led to 4 epsilon. */
static fathom_status compare_growth(theorem_run *run, const fathom_flow_options *options, double w, double r0,
                                    double eta, double done, double early)
{
    const double k = (double)options->width / 2, epsilon = run->options->epsilon, n = (double)run->n;
    const double bound = update_bound(run, floor(n / 4), w, r0, k, eta, 1, epsilon),
                 all = update_bound(run, n, w, r0, k, eta, 1, epsilon),
                 few = update_bound(run, n, w, r0, k, eta, 1, 4 * epsilon);
    double seen;
    const fathom_status status = count_part(&seen, run, options, eta, run->n / 4);
    if (status == FATHOM_OK && !isnan(seen))
        theorem_compare(run, "updates on the first n/4 examples, beside M(n/4, epsilon)", seen, "<=", bound);
    if (early > 0 && done > 0)
        theorem_say(run, "from 4 epsilon to epsilon updates grow as epsilon^%.2f, M as epsilon^%.2f",
                    -log(done / early) / log(4), -log(all / few) / log(4));
    if (seen > 0 && done > 0)
        theorem_say(run, "from n/4 to n they grow as n^%.2f, M as n^%.2f", log(done / seen) / log(4),
                    log(all / bound) / log(4));
    return status;
}

static fathom_status check_4_1(theorem_run *run)
{
    const double eta = isnan(run->options->step) ? 0.01 : run->options->step;
    texts text;
    char until[256], step[64];
    theorem_range linear;
    double r0 = NAN;
    fathom_flow_result result;
    const char *given = run->options->until ? run->options->until : "epochs=100000";
    if (strlen(given) + 40 > sizeof until)
        return fathom_error_set(run->context, FATHOM_ERROR_USAGE, "--until %s: too long", given);
    snprintf(until, sizeof until, "%s,loss=%.17g", given, run->options->epsilon); /* the last loss counts */
    snprintf(step, sizeof step, "const:%.17g", eta);
    fathom_flow_options options = leaky(run, &text, until);
    options.method = FATHOM_FLOW_SGD;
    options.until = until;
    options.step = step;
    options.every = run->n;
    FATHOM_TRY(theorem_linear_margin(&linear, run));
    FATHOM_TRY(first_norm(&r0, run, &options));
    assume_slope(run);
    theorem_assume_range(run, "linear margin", linear, ">", theorem_exact(0));
    if (!(linear.lower > 0))
        return FATHOM_OK;
    const double epsilon = run->options->epsilon;
    levels l = {{log(16 * epsilon), log(4 * epsilon)}, {NAN, NAN}, eta};
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, observe_levels, &l));
    const double k = (double)options.width / 2, done = updates_of(&result, epsilon, eta);
    theorem_compare(run, "updates to loss epsilon, beside M(n, epsilon)", done,
                    "<=", update_bound(run, (double)run->n, 1 / linear.lower, r0, k, eta, 1, epsilon));
    theorem_compare(
        run, "the same beside the sharper bound", done,
        "<=", update_bound(run, (double)run->n, 1 / linear.lower, r0, k, eta, 0.27846454276107380, epsilon));
    theorem_compare(run, "updates to loss 16 epsilon, beside M(n, 16 epsilon)", l.steps[0],
                    "<=", update_bound(run, (double)run->n, 1 / linear.lower, r0, k, eta, 1, 16 * epsilon));
    theorem_note(run, "at the end of an epoch");
    theorem_compare(run, "updates to loss 4 epsilon, beside M(n, 4 epsilon)", l.steps[1],
                    "<=", update_bound(run, (double)run->n, 1 / linear.lower, r0, k, eta, 1, 4 * epsilon));
    theorem_note(run, "at the end of an epoch");
    fathom_flow_result_clear(&result);
    return compare_growth(run, &options, 1 / linear.lower, r0, eta, done, l.steps[1]);
}

/* Two mean neurons and the radius of a network. */
typedef struct means {
    double *difference; /* d: w - u */
    double radius;
    double rounding; /* |<w - u, x>| / |x| below which its sign, or that of the output, is not known */
} means;

/* The output is v k (mean_j phi(<w_j, x>) - mean_j phi(<u_j, x>)): sums of m products of size |w_j| |x|
 * round it by less than v k alpha `rounding` |x|, and <w - u, x> by less than `rounding` |x|; phi rises by
 * alpha at least. */
static void find_means(means *m, double *mean, fathom_net *net, double alpha)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t d = shape.d;
    double count[2] = {0, 0};
    memset(mean, 0, (size_t)(2 * d) * sizeof *mean);
    for (int64_t j = 0; j < shape.m; j++) {
        const int group = w.w[j] < 0;
        fathom_blas_axpy(mean + group * d, 1, w.u + j * d, d);
        count[group]++;
    }
    for (int group = 0; group < 2; group++)
        fathom_blas_scale(mean + group * d, 1 / fmax(count[group], 1), d);
    m->radius = 0;
    for (int64_t j = 0; j < shape.m; j++) {
        double sum = 0;
        for (int64_t l = 0; l < d; l++) {
            const double e = w.u[j * d + l] - mean[(w.w[j] < 0) * d + l];
            sum += e * e;
        }
        m->radius = fmax(m->radius, sqrt(sum));
    }
    for (int64_t l = 0; l < d; l++)
        m->difference[l] = mean[l] - mean[d + l];
    m->rounding = 4 * (double)(shape.m + d) * 0x1p-53 * largest_norm(net) / alpha;
}

/* Counts points inside the region of the theorem (constant `factor`) and those of them with the wrong
 * sign. */
static void count_region(double *inside, double *wrong, const means *m, const double *x, const double *f,
                         int64_t n, int64_t d, double factor)
{
    for (int64_t i = 0; i < n; i++) {
        const double z = fathom_blas_dot(m->difference, x + i * d, d);
        if (!(fabs(z) > (factor * m->radius * (1 + 1e-12) + m->rounding) * fathom_blas_norm(x + i * d, d)))
            continue;
        ++*inside;
        *wrong += !(z * f[i] > 0);
    }
}

/* The data, then Gaussian points of its size. */
static fathom_status probe(theorem_run *run, fathom_net *net, const means *m)
{
    const int64_t d = run->d, count = 1000 * run->options->trials;
    const double alpha = run->options->slope, sharp = (1 - alpha) / (1 + alpha);
    double *x = fathom_memory_alloc(run->context, count * d + count + run->n, sizeof *x), *f = x + count * d;
    double inside[2] = {0, 0}, wrong[2] = {0, 0}, share[2] = {0, 0}, miss[2] = {0, 0};
    fathom_data *data = NULL;
    if (!x)
        return FATHOM_ERROR_MEMORY;
    fathom_random_normals(x, count * d, fathom_context_seed(run->context), FATHOM_STREAM_SAMPLE, 0, 0);
    fathom_status status = fathom_net_forward(f + count, net, run->data);
    FATHOM_THEN(status, fathom_data_create(&data, run->context, count, d, x, d, 0, NULL, NULL, NULL));
    FATHOM_THEN(status, fathom_net_forward(f, net, data));
    for (int k = 0; k < 2 && status == FATHOM_OK; k++) {
        count_region(inside + k, wrong + k, m, x, f, count, d, k ? sharp : 2);
        count_region(share + k, miss + k, m, run->x, f + count, run->n, d, k ? sharp : 2);
    }
    theorem_compare(run, "points in the region with another sign, of all probes and examples",
                    wrong[0] + miss[0], "=", 0);
    theorem_vacuous(run, inside[0] + share[0] == 0, "no probe and no example is in the region");
    theorem_compare(run, "the same with the sharp constant", wrong[1] + miss[1], "=", 0);
    theorem_vacuous(run, inside[1] + share[1] == 0, "no probe and no example is in the region");
    theorem_compare(run, "share of examples in the region", share[0] / (double)run->n, ">=", 0);
    theorem_vacuous(run, true, "a number to read, not a bound");
    theorem_compare(run, "share of examples with the sharp constant", share[1] / (double)run->n,
                    ">=", share[0] / (double)run->n);
    theorem_vacuous(run, true, "a number to read, not a bound");
    fathom_data_free(data);
    fathom_memory_free(run->context, x);
    return status;
}

static fathom_status check_5_1(theorem_run *run)
{
    texts text;
    fathom_flow_options options = leaky(run, &text, "epochs=100");
    fathom_flow_result result;
    options.method = FATHOM_FLOW_SGD;
    assume_slope(run);
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, NULL, NULL));
    fathom_status status = FATHOM_OK;
    double *block = fathom_memory_alloc(run->context, 3 * run->d, sizeof *block);
    means m = {.difference = block};
    if (!block)
        status = FATHOM_ERROR_MEMORY;
    else if (!fathom_net_look(result.net).hidden_bias) {
        assume_weights(run, result.net);
        find_means(&m, block + run->d, result.net, run->options->slope);
        status = probe(run, result.net, &m);
    }
    fathom_memory_free(run->context, block);
    fathom_flow_result_clear(&result);
    return status;
}

enum { RECORDS = 512 };

/* What is watched along the flow. */
typedef struct watch {
    double level;      /* ln(ln 2 / n) */
    double threshold;  /* condition 3 of Theorem 6.2 */
    bool warm, regime; /* R < ln 2 / n was reached; in an agreement regime since the last record outside */
    bool margin;       /* condition 3 was met in it */
    double entry;      /* ln R when it was entered */
    double beta;       /* the least group margin since R was the square root of what it is at the end */
    int64_t records;   /* of the regime: ln R and group margins, the oldest dropped */
    double history[RECORDS][2];
    double ratio[2];    /* cluster ratio at the entry and at the end */
    int par;            /* at the end */
    double angle, top;  /* to the predicted limit at the end; the largest smoothed margin in the regime */
    double first_angle; /* at the entry */
} watch;

static void observe(void *user, const fathom_flow_record *r)
{
    watch *w = user;
    const bool inside = r->log_loss < w->level && r->nar == 1;
    w->warm = w->warm || r->log_loss < w->level;
    if (inside && !w->regime) {
        w->entry = r->log_loss;
        w->ratio[0] = r->cluster_ratio;
        w->first_angle = r->limit_angle;
        w->records = 0;
        w->margin = false;
        w->top = -INFINITY;
    }
    w->regime = inside;
    if (inside) {
        double *place = w->history[w->records++ % RECORDS];
        place[0] = r->log_loss, place[1] = r->group_margin;
        w->top = fmax(w->top, r->smoothed_normalized_margin);
        w->margin = w->margin || r->smoothed_normalized_margin > w->threshold;
    }
    w->ratio[1] = r->cluster_ratio;
    w->par = r->par;
    w->angle = r->limit_angle;
}

/* A theorem about all later times may begin at any of them: at ln R half of the last one. */
static double lasting_beta(const watch *w)
{
    const int64_t count = w->records < RECORDS ? w->records : RECORDS;
    const double last = count > 0 ? w->history[(w->records - 1) % RECORDS][0] : NAN;
    double beta = count > 0 ? INFINITY : NAN;
    for (int64_t k = 0; k < count; k++)
        if (w->history[k][0] <= last / 2)
            beta = fmin(beta, w->history[k][1]);
    return beta;
}

/* The flow of Theorems 6.1 and 6.2, and their first two conditions. */
static fathom_status follow_flow(watch *w, fathom_flow_limit *limit, theorem_run *run)
{
    texts text;
    fathom_flow_options options = leaky(run, &text, "log_loss=-10000");
    fathom_flow_result result;
    options.method = FATHOM_FLOW_FLOW;
    *w = (watch){.level = log(log(2) / (double)run->n),
                 .threshold =
                     sqrt((double)options.width / 2) * run->options->slope * weight_of(run) * run->reach,
                 .entry = NAN,
                 .beta = NAN,
                 .ratio = {NAN, NAN},
                 .angle = NAN,
                 .top = NAN,
                 .first_angle = NAN};
    FATHOM_TRY(theorem_flow(&result, run, &options, NULL, observe, w));
    *limit = result.limit;
    const bool whole = !run->broken;
    assume_weights(run, result.net);
    if (!whole)
        w->ratio[1] = w->angle = NAN, w->par = -1;
    fathom_flow_result_clear(&result);
    w->beta = w->regime ? lasting_beta(w) : NAN;
    if (!w->regime)
        w->top = NAN;
    assume_slope(run);
    theorem_assume(run, "R < ln 2 / n was reached (1: yes)", w->warm || whole ? w->warm : NAN, "=", 1);
    theorem_soften(run, true, theorem_finite_text);
    theorem_assume(run, "in an agreement regime at the end of the run (1: yes)", whole ? w->regime : NAN, "=",
                   1);
    theorem_soften(run, true, theorem_finite_text);
    return FATHOM_OK;
}

static fathom_status check_6_1(theorem_run *run)
{
    watch w;
    fathom_flow_limit limit;
    FATHOM_TRY(follow_flow(&w, &limit, run));
    if (w.regime)
        theorem_compare_limit(run, "r / |w - u| at the end, beside that of the entry",
                              theorem_exact(w.ratio[1]), "<=", theorem_exact(w.ratio[0]));
    theorem_compare_limit(run, "r / |w - u| at the end", theorem_exact(w.ratio[1]),
                          "<=", theorem_exact(theorem_constant(run, "clustered", 1e-3)));
    return FATHOM_OK;
}

/* beta* of V^+ (sign 1) or V^- (-1): max over x of the other class of dist(0, conv(own class and x)). */
static fathom_status emptiness(double *lower, double *upper, theorem_run *run, double sign)
{
    const int64_t n = run->n, d = run->d;
    double *row = fathom_memory_zero(run->context, (n + 1) * d + d, sizeof *row), *origin = row + (n + 1) * d;
    fathom_min_norm w;
    int64_t count = 0;
    *lower = *upper = 0;
    if (!row)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = fathom_min_norm_open(&w, run->context, n + 1, d);
    for (int64_t i = 0; i < n; i++)
        if (sign * run->y[i] > 0)
            memcpy(row + count++ * d, run->x + i * d, (size_t)d * sizeof *row);
    for (int64_t i = 0; i < n && status == FATHOM_OK; i++) {
        if (sign * run->y[i] > 0)
            continue;
        memcpy(row + count * d, run->x + i * d, (size_t)d * sizeof *row);
        fathom_min_norm_solve(&w, row, count + 1, origin, -1, run->reach);
        *lower = fmax(*lower, w.lower);
        *upper = fmax(*upper, w.upper);
    }
    fathom_min_norm_close(&w);
    fathom_memory_free(run->context, row);
    return status;
}

static fathom_status check_6_2(theorem_run *run)
{
    static const char *const lasting = "not so; the regime may not last as long as it is taken to";
    watch w;
    fathom_flow_limit limit;
    double lower[2], upper[2];
    FATHOM_TRY(follow_flow(&w, &limit, run));
    FATHOM_TRY(emptiness(lower, upper, run, 1));
    FATHOM_TRY(emptiness(lower + 1, upper + 1, run, -1));
    theorem_assume(run, "smoothed margin in the regime, sqrt(k) alpha v max |x|", w.top, ">", w.threshold);
    const double given = theorem_constant(run, "beta", NAN), beta = isnan(given) ? w.beta : given;
    if (!isnan(given))
        theorem_assume_seen(run, "beta of the regime, beside the one that is given", w.beta, ">=", given);
    theorem_assume_range(run, "beta, beside the largest with V_beta^+ not empty", theorem_exact(beta), ">",
                         (theorem_range){lower[0], upper[0]});
    theorem_assume_range(run, "beta, beside the largest with V_beta^- not empty", theorem_exact(beta), ">",
                         (theorem_range){lower[1], upper[1]});
    theorem_compare(run, "perfect agreement at the end (1: yes)", w.par < 0 ? NAN : (double)w.par, "=", 1);
    theorem_soften(run, true, lasting);
    theorem_compare(run, "program (7) consistent (1: yes)",
                    limit.par_consistent < 0 ? NAN : (double)limit.par_consistent, "=", 1);
    theorem_soften(run, true, lasting);
    theorem_compare_limit(run, "degrees from the predicted directions", theorem_exact(w.angle),
                          "<=", theorem_exact(theorem_constant(run, "angle", 0.2)));
    return FATHOM_OK;
}

const theorem_row theorem_rows_004[] = {
    {"004:4.1", false, check_4_1,
     "On linearly separable data SGD reaches mean loss epsilon within M(n, epsilon) updates.",
     "<= epsilon, as the proof gives; beside it the bound with max x/(1 + e^x) = .27846 in place of 1",
     THEOREM_EVEN | THEOREM_NO_BIAS, "width,epsilon,slope,step,init,until", "v"},
    {"004:5.1", false, check_5_1,
     "Where |<w - u, x>| >= 2 r |x| the network has the sign of the linear classifier <w - u, x>.",
     "strictly larger; the sharp constant (1 - alpha)/(1 + alpha) is checked beside the paper's 2",
     THEOREM_EVEN | THEOREM_NO_BIAS, "width,slope,init,until,trials", "v"},
    {"004:6.1", false, check_6_1,
     "Flow that reaches R < ln 2 / n and stays in an agreement regime becomes perfectly clustered.",
     "ln 2 / n, not 1 / n: with logistic loss the smoothed margin is positive only then. What holds at the "
     "end of the run is taken to last",
     THEOREM_EVEN | THEOREM_NO_BIAS, "width,slope,init,until", "v,clustered"},
    {"004:6.2", false, check_6_2,
     "If moreover the smoothed margin exceeds sqrt(k) alpha v max |x| and V_beta^+ and V_beta^- are empty, "
     "the flow ends in the perfect "
     "regime with the directions of program (7).",
     "ln 2 / n, not 1 / n; the margin is the smoothed one over |W|; program (7) is the limit only where it "
     "is consistent",
     THEOREM_EVEN | THEOREM_NO_BIAS, "width,slope,init,until", "v,angle,beta"},
    {NULL, false, NULL, NULL, NULL, 0, NULL, NULL}};
