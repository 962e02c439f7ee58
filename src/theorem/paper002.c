/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [002]: gradient descent on Huberized networks, 2p units with output weights +-1, hidden biases.
 *
 *   1   from any V_1 with R_1 small, h = 1/p and steps Q_1 ln^2(1/R_t), Q_1 <= Q~_1: R_t <= R_1 / (Q_2 (t - 1) + 1).
 *   2   four clusters: one step from a random start gives R_1 < exp(-C4 p^(1/2 - beta)), and R_t <= C6 d / (p^(1 - 3 beta) t).
 *   15  the conditions on the random start that make a run good.
 *
 * Theorem 1 asks for R_1 <= n^-(1 + C_1). What its proof uses is Lemma 10, rho >= 5/6, which by its inequality (5) and concavity
 * follows from [(1 - e^{-s}) ln(1/(e^s - 1)) - s] / (s ln(n/s)) >= 5/6 at s = n R: the largest such R is the threshold here, and C_1 =
 * 19.66 (the least constant for all n) only where it is asked for by --constants C1=... . Without --init V_1 is made: descent until the
 * data is separated, then V scaled until R_1 is at the threshold.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "theorem_internal.h"

/* The bound of rho from inequality (5) at mean loss R. */
static double rho_bound(double n, double loss)
{
    const double s = n * loss;
    return (-expm1(-s) * -log(expm1(s)) / n - loss) / (loss * -log(loss));
}

/* The largest R_1 from which the bound is at least 5/6 for every smaller loss, by bisection in ln R. */
static double threshold(const theorem_run *run)
{
    const double n = (double)run->n, c1 = theorem_constant(run, "C1", NAN);
    double low = -700, high = -log(n) - 1;
    if (!isnan(c1))
        return pow(n, -(1 + c1));
    for (int step = 0; step < 200; step++) {
        const double middle = (low + high) / 2;
        *(rho_bound(n, exp(middle)) >= 5.0 / 6 ? &low : &high) = middle;
    }
    return exp(low);
}

/* The worst of the watched quantities along a run. */
typedef struct watch {
    double i1, i2, i3, rho, first, lemma6, lemma7, last;
    double i1_second; /* the largest R_t t: part (b) of Theorem 2 */
} watch;

static void observe(void *user, const fathom_flow_record *r)
{
    watch *w = user;
    if (r->steps == 0)
        w->first = r->log_loss;
    w->last = r->log_loss;
    if (r->steps > 0) { /* at t = 1 these are 1 by definition */
        w->i1 = fmax(w->i1, r->i1);
        w->i3 = fmin(w->i3, r->i3);
    }
    w->i2 = fmax(w->i2, r->lemma8);
    w->rho = fmin(w->rho, r->rho);
    w->lemma6 = fmax(w->lemma6, r->lemma6);
    w->lemma7 = fmax(w->lemma7, r->lemma7);
    w->i1_second = fmax(w->i1_second, exp(r->log_loss) * (double)(r->steps + 1));
}

static watch fresh(void)
{
    return (watch){.i1 = -INFINITY, .i3 = INFINITY, .rho = INFINITY, .first = NAN, .last = NAN};
}

/* What was never seen is not known. */
static double seen(double value) { return isinf(value) ? NAN : value; }

static double log_loss_of(fathom_flow_result *result) { return result->end.log_loss; }

/* ln R of a network whose hidden layer is scaled by `factor` (from `base`), measured by a run of no steps. */
static fathom_status loss_at(double *log_loss, theorem_run *run, const fathom_flow_options *options,
                             fathom_net *net, const double *base, double factor)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    fathom_flow_options none = *options;
    fathom_flow_result result;
    for (int64_t k = 0; k < shape.m * shape.d; k++)
        w.u[k] = factor * base[k];
    for (int64_t j = 0; j < shape.m; j++)
        w.b[j] = factor * base[shape.m * shape.d + j];
    none.until = "steps=0";
    const fathom_status status = fathom_flow_watch(&result, run->context, run->data, &none, net, NULL, NULL);
    if (status != FATHOM_OK)
        return status;
    *log_loss = log_loss_of(&result);
    fathom_flow_result_clear(&result);
    return FATHOM_OK;
}

/* Scales V until ln R is just below `target`: doubling, then bisection. */
static fathom_status scale_to(theorem_run *run, const fathom_flow_options *options, fathom_net *net,
                              double target)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t size = shape.m * shape.d;
    double *base = fathom_memory_alloc(run->context, size + shape.m, sizeof *base), low = 0, high = 1,
           now = INFINITY;
    fathom_status status = base ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (base) {
        memcpy(base, w.u, (size_t)size * sizeof *base);
        memcpy(base + size, w.b, (size_t)shape.m * sizeof *base);
    }
    while (status == FATHOM_OK && high < 1e12) {
        status = loss_at(&now, run, options, net, base, high);
        if (now <= target)
            break;
        low = high, high *= 2;
    }
    for (int step = 0; step < 40 && status == FATHOM_OK; step++) {
        status = loss_at(&now, run, options, net, base, (low + high) / 2);
        *(now <= target ? &high : &low) = (low + high) / 2;
    }
    if (status == FATHOM_OK)
        status = loss_at(&now, run, options, net, base, high);
    fathom_memory_free(run->context, base);
    return status;
}

/* V_1: that of --init, or a separating one scaled to the threshold. */
static fathom_status find_start(fathom_net **net, theorem_run *run, const fathom_flow_options *options,
                                double most)
{
    fathom_flow_options prepare = *options;
    fathom_flow_result result;
    char until[64];
    snprintf(until, sizeof until, "steps=20000,log_loss=%.17g", -log(10 * (double)run->n));
    prepare.step = "lemma8";
    prepare.until = run->options->init ? "steps=0" : until;
    fathom_status status = fathom_flow_watch(&result, run->context, run->data, &prepare, NULL, NULL, NULL);
    if (status == FATHOM_OK && (result.status == FATHOM_FLOW_INTERRUPTED ||
                                fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE))
        theorem_break(run, "the start was not finished");
    if (status != FATHOM_OK)
        return status;
    *net = result.net;
    result.net = NULL;
    const bool separated = result.end.margin > 0;
    fathom_flow_result_clear(&result);
    if (!run->options->init)
        theorem_say(
            run, separated
                     ? "V_1: descent by the steps of Lemma 8 until the data is separated, then scaled to the "
                       "threshold of R_1 (--init gives another)"
                     : "V_1: the end of 20000 steps of Lemma 8, which do not separate the data");
    return run->options->init || !separated ? FATHOM_OK : scale_to(run, options, *net, log(most));
}

static fathom_status check_1(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "huber", 200, "steps=1000");
    const double most = threshold(run), rounding = 1e-10;
    watch w = fresh();
    fathom_net *net = NULL;
    fathom_flow_result result;
    theorem_assume(run, "n", (double)run->n, ">=", 2);
    fathom_status status = find_start(&net, run, &options, most);
    options.step = "theory", options.every = 5, options.init = NULL;
    if (status == FATHOM_OK)
        status = theorem_flow(&result, run, &options, net, observe, &w);
    fathom_net_free(net);
    if (status != FATHOM_OK)
        return status;
    fathom_flow_result_clear(&result);
    theorem_assume_seen(run, "R_1", exp(w.first), "<=", most * (1 + rounding));
    theorem_compare(run, "(I1) largest R_t (Q_2 (t-1) + 1) / R_1, t > 1", seen(w.i1), "<=", 1 + rounding);
    theorem_compare(run, "(I2) largest 30 p alpha_t R_t", w.i2, "<=", 1 + rounding);
    theorem_compare(run, "(I3) least ln^2(1/R_t)/|V_t| relative to t = 1, t > 1", seen(w.i3),
                    ">=", 1 - rounding);
    theorem_compare(run, "Lemma 6: largest |Hess R| / (p R), estimated", w.lemma6, "<=", 5);
    theorem_compare(run, "Lemma 7: largest |grad R| / (sqrt(2p) min(R, 1))", w.lemma7, "<=", 1 + rounding);
    theorem_compare(run, "Lemma 10: least rho_t", seen(w.rho), ">=", 5.0 / 6);
    return FATHOM_OK;
}

/* Hypotheses on the clusters, shared by Theorem 2 and Lemma 15. */
static void assume_clusters(theorem_run *run, const theorem_clusters *c)
{
    const double c2 = theorem_constant(run, "C2", 0.1);
    theorem_assume(run, "radius r of the clusters", c->radius, "<", c2);
    theorem_assume(run, "overlap Delta of opposite centers", c->overlap, "<", c2);
    theorem_assume(run, "imbalance epsilon of the clusters", c->balance, "<", c2);
}

/* The start of Theorem 2: V ~ N(0, sigma^2), sigma = p^-(1/2 + beta/2), then one step of p^-(1/2 + beta). Two networks. */
static fathom_status first_step(fathom_net **before, fathom_net **after, double *log_loss, theorem_run *run,
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
        const fathom_status status = theorem_flow(&result, run, &o, NULL, NULL, NULL);
        if (status != FATHOM_OK)
            return status;
        *net = result.net;
        *log_loss = log_loss_of(&result);
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
            status = first_step(&before, &after, gain + k, run, &wide, size);
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
    theorem_vacuous(run, least < -log(log(2)), "a network that was not trained, R = ln 2, meets it");
    return run->options->init ? FATHOM_OK : compare_growth(run, options, p, first);
}

static fathom_status check_2(theorem_run *run)
{
    fathom_flow_options options = theorem_flow_options(run, "huber", 200, "steps=1000");
    const double p = (double)options.width / 2, beta = run->options->beta, d = (double)(run->d + 1);
    const double c3 = theorem_constant(run, "C3", 2), c6 = theorem_constant(run, "C6", 1000);
    theorem_clusters clusters;
    watch w = fresh();
    fathom_net *before = NULL, *after = NULL;
    fathom_flow_result result;
    double first = NAN;
    fathom_status status = theorem_clusters_fit(&clusters, run);
    if (status == FATHOM_OK) {
        theorem_assume(run, "n", (double)run->n, ">=", 4);
        assume_clusters(run, &clusters);
        theorem_assume(run, "p", p, ">=", pow(log((double)run->n * d / run->options->delta), c3));
        theorem_chance(run, run->options->delta);
        status = first_step(&before, &after, &first, run, &options, p);
    }
    if (status == FATHOM_OK)
        status = compare_first(run, &options, p, first);
    options.step = "theory", options.init = NULL;
    if (status == FATHOM_OK)
        status = theorem_flow(&result, run, &options, after, observe, &w);
    if (status == FATHOM_OK) {
        theorem_compare(run, "(b) largest t R_t", w.i1_second, "<=", c6 * d / pow(p, 1 - 3 * beta));
        theorem_compare(run, "Lemma 10: least rho_t", seen(w.rho), ">=", 5.0 / 6);
        fathom_flow_result_clear(&result);
    }
    fathom_net_free(before);
    fathom_net_free(after);
    theorem_clusters_free(&clusters, run->context);
    return status;
}

/* What Lemma 15 counts, for the pre-activations z (m x n) of the start. */
typedef struct good_run {
    double capture;     /* part 2: max ||I_+-s| / p - 1/2| */
    double pair;        /* part 4: least share caught together by a pair of one cluster */
    double opposite;    /* part 5: largest share caught for s and active for an opposite q */
    double near;        /* part 6: largest share near the kink of the wrong sign */
    double plus, minus; /* part 1: least sum over I_+s, largest over I_-s */
} good_run;

/* Parts 1, 2 and 6 for example s. */
static void count_single(good_run *g, const theorem_run *run, const double *z, const double *a, int64_t m,
                         int64_t s, double h, double step, double spread)
{
    const double p = (double)m / 2, catch_at = h + 4 * step;
    double count[2] = {0, 0}, sum[2] = {0, 0}, near = 0;
    for (int64_t j = 0; j < m; j++) {
        const double t = z[j * run->n + s];
        const int wrong = a[j] * run->y[s] < 0;
        if (t >= catch_at) {
            count[wrong]++;
            sum[wrong] += t;
        }
        near += wrong && t >= -step * (0.5 + 2 * spread) && t <= catch_at;
    }
    g->plus = fmin(g->plus, sum[0]);
    g->minus = fmax(g->minus, sum[1]);
    g->capture = fmax(g->capture, fmax(fabs(count[0] / p - 0.5), fabs(count[1] / p - 0.5)));
    g->near = fmax(g->near, near / p);
}

/* Parts 4 and 5 for a pair. */
static void count_pair(good_run *g, const theorem_run *run, const int *cluster, const double *z,
                       const double *a, int64_t m, int64_t s, int64_t q, double catch_at)
{
    const double p = (double)m / 2;
    double both[2] = {0, 0}, active[2] = {0, 0};
    for (int64_t j = 0; j < m; j++) {
        const int wrong = a[j] * run->y[s] < 0;
        if (!(z[j * run->n + s] >= catch_at))
            continue;
        both[wrong] += z[j * run->n + q] >= catch_at;
        active[wrong] += z[j * run->n + q] >= 0;
    }
    if (cluster[s] == cluster[q])
        g->pair = fmin(g->pair, fmin(both[0], both[1]) / p);
    if (run->y[s] != run->y[q])
        g->opposite = fmax(g->opposite, fmax(active[0], active[1]) / p);
}

static fathom_status count_all(good_run *g, theorem_run *run, const theorem_clusters *c, fathom_net *net,
                               double h, double step)
{
    const int64_t m = fathom_net_look(net).m, n = run->n, d = run->d;
    const fathom_net_weights w = fathom_net_lend(net);
    double *z = fathom_memory_alloc(run->context, m * n, sizeof *z);
    *g = (good_run){.pair = INFINITY, .plus = INFINITY, .minus = -INFINITY};
    if (!z)
        return FATHOM_ERROR_MEMORY;
    fathom_blas_gemm(z, n, m, n, d, 1, fathom_plain(w.u, d), fathom_transposed(run->x, d), 0);
    for (int64_t k = 0; k < m * n; k++)
        z[k] += w.b[k / n];
    for (int64_t s = 0; s < n; s++) {
        count_single(g, run, z, w.w, m, s, h, step, c->overlap + c->radius);
        for (int64_t q = 0; q < n; q++)
            count_pair(g, run, c->cluster, z, w.w, m, s, q, h + 4 * step);
    }
    fathom_memory_free(run->context, z);
    return FATHOM_OK;
}

/* max_s |g_0s - 1/2|, part 3. */
static fathom_status worst_slope(double *worst, theorem_run *run, fathom_net *net)
{
    double *f = fathom_memory_alloc(run->context, run->n, sizeof *f);
    if (!f)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = fathom_net_forward(f, net, run->data);
    *worst = 0;
    for (int64_t i = 0; i < run->n && status == FATHOM_OK; i++)
        *worst = fmax(*worst, fabs(1 / (1 + exp(run->y[i] * f[i])) - 0.5));
    fathom_memory_free(run->context, f);
    return status;
}

static void compare_good(theorem_run *run, const theorem_clusters *c, const good_run *g, double p,
                         double slope, double norm)
{
    const double o = theorem_constant(run, "o", 0.1), beta = run->options->beta, h = 1 / p;
    const double step = pow(p, -0.5 - beta), sigma = pow(p, -0.5 - beta / 2), d = (double)(run->d + 1);
    const double pi = 3.14159265358979323846;
    /* chi = E z 1[z >= h + 4 alpha_0] of a pre-activation, N(0, 2 sigma^2) with the bias */
    const double spread = sqrt(2) * sigma, cut = (h + 4 * step) / spread;
    const double chi = spread * exp(-cut * cut / 2) / sqrt(2 * pi);
    theorem_compare(run, "1: least sum over I_+, beside p chi - 1", g->plus, ">=", p * chi - 1);
    theorem_compare(run, "1: largest sum over I_-, beside p chi + 1", g->minus, "<=", p * chi + 1);
    theorem_compare(run, "2: largest ||I_+-| / p - 1/2|", g->capture, "<=", o);
    theorem_compare(run, "3: largest |g_0s - 1/2|", slope, "<=", o);
    theorem_compare(run, "4: least share caught by a pair of one cluster", g->pair,
                    ">=", (1 - sqrt(c->radius)) / 2 - o);
    theorem_compare(run, "5: largest share caught and active for an opposite example", g->opposite,
                    "<=", 1.0 / 3 + c->overlap / 4 + c->radius + o);
    theorem_compare(run, "6: largest share of the wrong sign near the kink", g->near,
                    "<=", sqrt(2 / pi) / sigma * (h + 5 * step * (2 + c->overlap + c->radius)));
    theorem_compare(run, "7: |V_1|", norm, ">=", 0.6 * sqrt(d / pow(p, beta)));
    theorem_compare(run, "7: |V_1|", norm, "<=", 3 * sqrt(d / pow(p, beta)));
}

static fathom_status check_15(theorem_run *run)
{
    const fathom_flow_options options = theorem_flow_options(run, "huber", 200, NULL);
    const double p = (double)options.width / 2, c3 = theorem_constant(run, "C3", 2);
    theorem_clusters clusters;
    fathom_net *before = NULL, *after = NULL;
    good_run good;
    double first, slope = NAN;
    fathom_status status = theorem_clusters_fit(&clusters, run);
    if (status == FATHOM_OK) {
        assume_clusters(run, &clusters);
        theorem_assume(run, "p", p,
                       ">=", pow(log((double)run->n * (double)(run->d + 1) / run->options->delta), c3));
        theorem_chance(run, run->options->delta);
        status = first_step(&before, &after, &first, run, &options, p);
    }
    if (status == FATHOM_OK)
        status = count_all(&good, run, &clusters, before, 1 / p, pow(p, -0.5 - run->options->beta));
    if (status == FATHOM_OK)
        status = worst_slope(&slope, run, before);
    if (status == FATHOM_OK) {
        const fathom_net_weights w = fathom_net_lend(after);
        const int64_t m = options.width;
        const double norm = hypot(fathom_blas_norm(w.u, m * run->d), fathom_blas_norm(w.b, m));
        compare_good(run, &clusters, &good, p, slope, norm);
    }
    fathom_net_free(before);
    fathom_net_free(after);
    theorem_clusters_free(&clusters, run->context);
    return status;
}

const theorem_row theorem_rows_002[] = {
    {"002:1", false, check_1,
     "From R_1 small enough, h = 1/p and steps Q_1 ln^2(1/R_t), Q_1 <= Q~_1: R_t <= R_1 / (Q_2 (t - 1) + 1) "
     "for all t.",
     "biases double the step: Q_1 is that of the reduced coordinates. R_1 <= n^-(1+C1) is replaced by what "
     "the proof uses, the "
     "largest R for which inequality (5) gives rho >= 5/6 (C1 >= 19.66 would be needed for all n; "
     "--constants C1=... asks for it)",
     THEOREM_UNIT_SPHERE | THEOREM_EVEN, "width,init,until", "C1"},
    {"002:2", false, check_2,
     "Four clusters: after one step R_1 < exp(-C4 p^(1/2-beta)), and then R_t <= C6 d / (p^(1-3 beta) t).",
     "C2 (0.1), C3 (2), C4 (0.01), C6 (1000) are left open by the paper; the biases count as a dimension; "
     "steps have Q_1 <= "
     "e^2/(120 p), halved by the reduction of biases",
     THEOREM_UNIT_SPHERE | THEOREM_EVEN, "width,delta,beta,init,until", "C2,C3,C4,C6"},
    {"002:15", false, check_15,
     "Lemma 15: with probability 1 - delta a random start satisfies the seven conditions of a good run.",
     "part 4 is checked for pairs, which is what its proof shows and the theorem needs; o(1) is the constant "
     "o (0.1)",
     THEOREM_UNIT_SPHERE | THEOREM_EVEN, "width,delta,beta,init", "C2,C3,o"},
    {NULL, false, NULL, NULL, NULL, 0, NULL, NULL}};
