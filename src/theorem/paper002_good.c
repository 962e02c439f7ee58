/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [002, Sec. 4]: what one step from a random start does to four clusters.
 *
 *   15  the conditions on the random start that make a run good, and how likely they are.
 *   17  R_1 on a good run, from what Lemmas 18 (units that caught an example) and 19 (those that did not) say.
 *   21  products of examples.
 *
 * In the coordinates of App. C, where there are no biases: examples (x, 1)/sqrt 2 of norm 1, alpha = 2
 * alpha_0 = 2 p^-(1/2 + beta), pre-activations N(0, sigma^2) with sigma = sqrt 2 p^-(1/2 + beta/2).
 * Pre-activations are the same in both.
 *
 * What C2, C3, C4, c and o(1) are the paper leaves open: a line that fails with a constant that the check
 * chose is undecided.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "theorem_internal.h"

static const double pi = 3.14159265358979323846;

/* Numbers of the first step in the coordinates of App. C. */
typedef struct scales {
    double p, h, alpha, sigma;
    double catch_at; /* h + 4 alpha: a unit that is so far beyond its kink caught the example */
    double chi;      /* E z 1[z >= catch_at], z ~ N(0, sigma^2) */
    double delta, r, o;
} scales;

static double cut_of(double p, double beta)
{
    return (1 / p + 8 * pow(p, -0.5 - beta)) / (sqrt(2) * pow(p, -0.5 - beta / 2));
}

/* P[z >= catch_at]: what |I_+-s| / p tends to. */
static double share_of(double p, double beta) { return erfc(cut_of(p, beta) / sqrt(2)) / 2; }

static scales scales_of(const theorem_run *run, const theorem_clusters *c, double p)
{
    const double beta = run->options->beta, cut = cut_of(p, beta);
    scales s = {.p = p, .h = 1 / p, .delta = c->overlap, .r = c->radius};
    s.alpha = 2 * pow(p, -0.5 - beta);
    s.sigma = sqrt(2) * pow(p, -0.5 - beta / 2);
    s.catch_at = s.h + 4 * s.alpha;
    s.chi = s.sigma * exp(-cut * cut / 2) / sqrt(2 * pi);
    s.o = theorem_constant(run, "o", 0.1);
    return s;
}

/* The least p, as a power of two, for which the mean of part 2 is within o of 1/2. */
static void say_scales(theorem_run *run, const scales *s)
{
    const double beta = run->options->beta;
    double p = 1;
    while (p < 1e300 && share_of(p, beta) < 0.5 - s->o)
        p *= 2;
    theorem_say(run,
                "chi %.6g; of the units of one sign a share of %.4g is to catch an example: within o = %g of "
                "1/2 from p = %.3g on",
                s->chi, share_of(s->p, beta), s->o, p);
}

/* Pre-activations of both networks, m x n each. */
typedef struct states {
    int64_t m;
    fathom_net *before, *after;
    double *z0, *z1, log_loss;
} states;

static fathom_status activations(double **z, theorem_run *run, fathom_net *net)
{
    const int64_t m = fathom_net_look(net).m, n = run->n, d = run->d;
    const fathom_net_weights w = fathom_net_lend(net);
    *z = fathom_memory_alloc(run->context, m * n, sizeof **z);
    if (!*z)
        return FATHOM_ERROR_MEMORY;
    fathom_blas_gemm(*z, n, m, n, d, 1, fathom_plain(w.u, d), fathom_transposed(run->x, d), 0);
    for (int64_t k = 0; k < m * n; k++)
        (*z)[k] += w.b[k / n];
    return FATHOM_OK;
}

static void states_clear(states *s, theorem_run *run)
{
    fathom_net_free(s->before);
    fathom_net_free(s->after);
    FATHOM_FREE(run->context, s->z0, s->z1);
    *s = (states){0};
}

/* A start and one step from it. */
static fathom_status states_make(states *s, theorem_run *run, const fathom_flow_options *options)
{
    const double bytes = 16.0 * (double)options->width * (double)run->n;
    *s = (states){.m = options->width};
    FATHOM_TRY(fathom_context_require(run->context, bytes, "the pre-activations"));
    FATHOM_TRY(theorem_first_step(&s->before, &s->after, &s->log_loss, run, options, (double)s->m / 2));
    FATHOM_TRY(activations(&s->z0, run, s->before));
    return activations(&s->z1, run, s->after);
}

/* What Lemma 15 counts, for the pre-activations of the start. */
typedef struct good_run {
    double capture;     /* part 2: max ||I_+-s| / p - 1/2| */
    double pair;        /* part 4: least share caught together by a pair of one cluster */
    double opposite;    /* part 5: largest share caught for s and active for an opposite q */
    double near;        /* part 6: largest share near the kink of the wrong sign */
    double plus, minus; /* part 1: least sum over I_+s, largest over I_-s */
} good_run;

/* Parts 1, 2 and 6 for example i. */
static void count_single(good_run *g, const theorem_run *run, const states *st, int64_t i, const scales *s)
{
    const double *a = fathom_net_lend(st->before).w, low = -s->alpha * (0.5 + 2 * (s->delta + s->r));
    double count[2] = {0, 0}, sum[2] = {0, 0}, near = 0;
    for (int64_t j = 0; j < st->m; j++) {
        const double t = st->z0[j * run->n + i];
        const int wrong = a[j] * run->y[i] < 0;
        if (t >= s->catch_at) {
            count[wrong]++;
            sum[wrong] += t;
        }
        near += wrong && t >= low && t <= s->catch_at;
    }
    g->plus = fmin(g->plus, sum[0]);
    g->minus = fmax(g->minus, sum[1]);
    g->capture = fmax(g->capture, fmax(fabs(count[0] / s->p - 0.5), fabs(count[1] / s->p - 0.5)));
    g->near = fmax(g->near, near / s->p);
}

/* Parts 4 and 5 for a pair. */
static void count_pair(good_run *g, const theorem_run *run, const int *cluster, const states *st, int64_t i,
                       int64_t q, const scales *s)
{
    const double *a = fathom_net_lend(st->before).w;
    double both[2] = {0, 0}, active[2] = {0, 0};
    for (int64_t j = 0; j < st->m; j++) {
        const double *z = st->z0 + j * run->n;
        const int wrong = a[j] * run->y[i] < 0;
        if (z[i] < s->catch_at)
            continue;
        both[wrong] += z[q] >= s->catch_at;
        active[wrong] += z[q] >= 0;
    }
    if (cluster[i] == cluster[q])
        g->pair = fmin(g->pair, fmin(both[0], both[1]) / s->p);
    if (run->y[i] != run->y[q])
        g->opposite = fmax(g->opposite, fmax(active[0], active[1]) / s->p);
}

static good_run count_all(const theorem_run *run, const int *cluster, const states *st, const scales *s)
{
    good_run g = {.pair = INFINITY, .plus = INFINITY, .minus = -INFINITY};
    for (int64_t i = 0; i < run->n; i++) {
        count_single(&g, run, st, i, s);
        for (int64_t q = 0; q < run->n; q++)
            count_pair(&g, run, cluster, st, i, q, s);
    }
    return g;
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

/* A condition of Lemma 15; vacuous where every network meets it. */
typedef struct condition {
    const char *name;
    double value;
    const char *relation;
    double required;
    bool vacuous;
} condition;
enum { CONDITIONS = 9 };

static fathom_status find_conditions(condition *out, theorem_run *run, const theorem_clusters *c,
                                     const states *st, const scales *s)
{
    const int64_t m = st->m;
    const fathom_net_weights w = fathom_net_lend(st->after);
    const good_run g = count_all(run, c->cluster, st, s);
    const double norm = sqrt(2) * hypot(fathom_blas_norm(w.u, m * run->d), fathom_blas_norm(w.b, m));
    const double size = sqrt((double)(run->d + 1) / pow(s->p, run->options->beta));
    const double pair = (1 - sqrt(s->r)) / 2 - s->o, opposite = 1.0 / 3 + s->delta / 4 + s->r + s->o;
    const double near = sqrt(2 / pi) / s->sigma * (s->h + 5 * s->alpha * (2 + s->delta + s->r));
    double slope = NAN;
    const fathom_status status = worst_slope(&slope, run, st->before);
    const condition all[CONDITIONS] = {
        {"1: least sum over I_+, beside p chi - 1", g.plus, ">=", s->p * s->chi - 1, s->p * s->chi <= 1},
        {"1: largest sum over I_-, beside p chi + 1", g.minus, "<=", s->p * s->chi + 1, false},
        {"2: largest ||I_+-| / p - 1/2|", g.capture, "<=", s->o, s->o >= 0.5},
        {"3: largest |g_0s - 1/2|", slope, "<=", s->o, s->o >= 0.5},
        {"4: least share caught by a pair of one cluster", g.pair, ">=", pair, pair <= 0},
        {"5: largest share caught and active for an opposite example", g.opposite, "<=", opposite,
         opposite >= 1},
        {"6: largest share of the wrong sign near the kink", g.near, "<=", near, near >= 1},
        {"7: |V_1|", norm, ">=", 0.6 * size, false},
        {"7: |V_1|", norm, "<=", 3 * size, false}};
    memcpy(out, all, sizeof all);
    return status;
}

/* How many conditions fail. */
static int count_failures(const condition *c)
{
    int count = 0;
    for (int k = 0; k < CONDITIONS; k++)
        count += theorem_relate(theorem_exact(c[k].value), c[k].relation, theorem_exact(c[k].required)) != 1;
    return count;
}

static void compare_conditions(theorem_run *run, const condition *c)
{
    for (int k = 0; k < CONDITIONS; k++) {
        theorem_compare(run, c[k].name, c[k].value, c[k].relation, c[k].required);
        theorem_vacuous(run, c[k].vacuous, "every network meets it");
    }
}

/* The share of good runs among draws: that of the seed, whose conditions are known, and of the seeds after
 * it. */
static fathom_status count_good(theorem_run *run, const theorem_clusters *c,
                                const fathom_flow_options *options, const scales *s, bool first)
{
    const uint64_t seed = fathom_context_seed(run->context);
    const int64_t trials = run->options->trials;
    int64_t done = 1, good = first;
    fathom_status status = FATHOM_OK;
    for (;
         done < trials && status == FATHOM_OK && fathom_context_stop_reason(run->context) == FATHOM_STOP_NONE;
         done++) {
        states st;
        condition all[CONDITIONS];
        fathom_context_set_seed(run->context, seed + (uint64_t)done);
        status = states_make(&st, run, options);
        FATHOM_THEN(status, find_conditions(all, run, c, &st, s));
        good += status == FATHOM_OK && count_failures(all) == 0;
        states_clear(&st, run);
    }
    fathom_context_set_seed(run->context, seed);
    if (done < trials)
        theorem_break(run, "the draws were cut");
    run->chance = 0; /* a share of draws is what the lemma is about */
    theorem_say(run, "%lld of %lld draws are good runs", (long long)good, (long long)done);
    theorem_compare_range(run, "probability of a good run",
                          theorem_share((double)good, (double)good, (double)done, 0.005),
                          ">=", theorem_exact(1 - run->options->delta));
    theorem_note(run, "99 % confidence from the draws");
    theorem_soften(run, theorem_is_open(run, "C3", "o"), theorem_open_text);
    return status;
}

/* Clusters, scales, the network before and after its first step, and the conditions of a good run. */
static fathom_status measure_start(theorem_clusters *clusters, condition *all, states *st, scales *s,
                                   theorem_run *run)
{
    const fathom_flow_options options = theorem_flow_options(run, "huber", 200, NULL);
    const double p = (double)options.width / 2;
    fathom_status status = theorem_assume_clusters(clusters, run, p);
    *s = scales_of(run, clusters, p);
    FATHOM_THEN(status, states_make(st, run, &options));
    return status == FATHOM_OK ? find_conditions(all, run, clusters, st, s) : status;
}

fathom_status theorem_check_002_15(theorem_run *run)
{
    const fathom_flow_options options = theorem_flow_options(run, "huber", 200, NULL);
    theorem_clusters clusters;
    condition all[CONDITIONS];
    states st = {0};
    scales s;
    fathom_status status = measure_start(&clusters, all, &st, &s, run);
    if (status == FATHOM_OK) {
        theorem_assume_huber(run, st.before);
        say_scales(run, &s);
        compare_conditions(run, all);
        if (!run->options->init)
            status = count_good(run, &clusters, &options, &s, count_failures(all) == 0);
    }
    states_clear(&st, run);
    theorem_clusters_free(&clusters, run->context);
    return status;
}

/* Sums of units after the step, over the worst example: Definition 14 and the four groups of Lemma 17. */
typedef struct sums {
    double caught, harmful, near,
        margin; /* least over I_+, largest over I_-, largest of the others of the wrong sign; least y f */
} sums;

static double unit(double z, double h) { return z < 0 ? 0 : z <= h ? z * z / (2 * h) : z - h / 2; }

static sums sum_units(const theorem_run *run, const states *st, const scales *s)
{
    const double *a = fathom_net_lend(st->before).w;
    sums out = {INFINITY, -INFINITY, -INFINITY, INFINITY};
    for (int64_t i = 0; i < run->n; i++) {
        double sum[2][2] = {{0, 0}, {0, 0}}; /* [caught][wrong] */
        for (int64_t j = 0; j < st->m; j++)
            sum[st->z0[j * run->n + i] >= s->catch_at][a[j] * run->y[i] < 0] +=
                unit(st->z1[j * run->n + i], s->h);
        out.caught = fmin(out.caught, sum[1][0]);
        out.harmful = fmax(out.harmful, sum[1][1]);
        out.near = fmax(out.near, sum[0][1]);
        out.margin = fmin(out.margin, sum[1][0] - sum[1][1] + sum[0][0] - sum[0][1]);
    }
    return out;
}

/* alpha p B / 48 of Lemma 18, B = 1 - c (Delta + sqrt r + eps) - o. */
static double gain_of(const theorem_run *run, const theorem_clusters *c, const scales *s)
{
    const double b = 1 - theorem_constant(run, "c", 29) * (s->delta + sqrt(s->r) + c->balance) - s->o;
    return s->alpha * s->p * b / 48;
}

/* The bound of Lemma 19. */
static double near_of(const scales *s)
{
    const double reach = s->h + 5 * s->alpha * (2 + s->delta + s->r);
    return sqrt(2 / pi) / s->sigma * reach * reach * s->p;
}

/* On a good run a network that was not trained has sums of at least p chi - 1 - (1/2 + o)/2 and at most p
 * chi + 1. */
static void compare_18(theorem_run *run, const theorem_clusters *c, const states *st, const scales *s)
{
    static const char *const idle = "a network that was not trained meets it on a good run";
    const sums u = sum_units(run, st, s);
    const double gain = gain_of(run, c, s), middle = s->p * s->chi;
    theorem_compare(run, "least sum over I_+ after the step", u.caught, ">=", middle + gain - 2);
    theorem_vacuous(run, gain <= 1 - (0.5 + s->o) / 2, idle);
    theorem_soften(run, theorem_is_open(run, "C3", "o"), theorem_open_text);
    theorem_compare(run, "largest sum over I_- after the step", u.harmful, "<=", middle - gain + 2);
    theorem_vacuous(run, gain <= 1, idle);
    theorem_soften(run, theorem_is_open(run, "C3", "o"), theorem_open_text);
}

/* No unit of these sums exceeds h/2 + 5 alpha after the step: it was below h + 4 alpha and moved by alpha
 * at most. */
static void compare_19(theorem_run *run, const theorem_clusters *c, const states *st, const scales *s)
{
    (void)c;
    theorem_compare(run, "largest sum of the wrong sign that did not catch", sum_units(run, st, s).near,
                    "<=", near_of(s));
    theorem_vacuous(run, near_of(s) >= s->p * (s->h / 2 + 5 * s->alpha),
                    "every network meets it: no unit exceeds h/2 + 5 alpha");
    theorem_soften(run, theorem_is_open(run, "C3", "o"), theorem_open_text);
}

/* On a good run the least margin before the step is at least ln((1/2 - o)/(1/2 + o)). */
static void compare_17(theorem_run *run, const theorem_clusters *c, const states *st, const scales *s)
{
    const double least = theorem_constant(run, "C4", 0.01) * pow(s->p, 0.5 - run->options->beta);
    const double margin = 2 * gain_of(run, c, s) - 4 - near_of(s);
    theorem_compare(run, "ln(1/R_1)", -st->log_loss, ">=", least);
    theorem_vacuous(run, least < -log(log(2)), "a network that was not trained, R = ln 2, meets it");
    theorem_soften(run, theorem_is_open(run, "C3", "C4"), theorem_open_text);
    theorem_compare(run, "least y f after the step, beside (12) to (14)", sum_units(run, st, s).margin,
                    ">=", margin);
    theorem_vacuous(run, s->o < 0.5 && margin <= log((0.5 - s->o) / (0.5 + s->o)),
                    "a network that was not trained meets it on a good run");
    theorem_soften(run, theorem_is_open(run, "C3", "o"), theorem_open_text);
}

/* Lemmas 17 to 19: a good run, then their lines. */
static fathom_status check_good(theorem_run *run, void (*compare)(theorem_run *, const theorem_clusters *,
                                                                  const states *, const scales *))
{
    theorem_clusters clusters;
    condition all[CONDITIONS];
    states st = {0};
    scales s;
    fathom_status status = measure_start(&clusters, all, &st, &s, run);
    if (status == FATHOM_OK) {
        run->chance = 0; /* on a good run they hold for certain */
        theorem_assume_huber(run, st.before);
        theorem_assume_seen(run, "conditions of Lemma 15 that fail (0: a good run)", count_failures(all), "=",
                            0);
        theorem_soften(run, theorem_is_open(run, "o", NULL), theorem_open_text);
        say_scales(run, &s);
        compare(run, &clusters, &st, &s);
    }
    states_clear(&st, run);
    theorem_clusters_free(&clusters, run->context);
    return status;
}

fathom_status theorem_check_002_17(theorem_run *run) { return check_good(run, compare_17); }
fathom_status theorem_check_002_18(theorem_run *run) { return check_good(run, compare_18); }
fathom_status theorem_check_002_19(theorem_run *run) { return check_good(run, compare_19); }

fathom_status theorem_check_002_21(theorem_run *run)
{
    const double rounding = 1e-12;
    double near = INFINITY, opposite = -INFINITY;
    theorem_clusters c;
    theorem_clusters_least least = {0};
    fathom_status status = theorem_clusters_fit(&c, run);
    FATHOM_THEN(status, theorem_clusters_bound(&least, &c, run, 1));
    for (int64_t i = 0; i < run->n && status == FATHOM_OK; i++)
        for (int64_t q = 0; q <= i; q++) { /* with itself, too: a cluster may be one example */
            const double product =
                (fathom_blas_dot(run->x + i * run->d, run->x + q * run->d, run->d) + 1) / 2;
            if (c.cluster[i] == c.cluster[q])
                near = fmin(near, product);
            if (run->y[i] != run->y[q])
                opposite = fmax(opposite, product);
        }
    if (status == FATHOM_OK) {
        const double high = (1 + c.overlap) / 2 + 2 * c.radius, low = 1 - 2 * c.radius;
        theorem_assume_range(run, "radius r of the clusters",
                             (theorem_range){c.radius < 1 ? c.radius : least.radius, c.radius}, "<",
                             theorem_exact(1));
        theorem_compare(run, "largest product of opposite labels", isinf(opposite) ? NAN : opposite,
                        "<=", high + rounding);
        theorem_note(run, isinf(opposite) ? "no two examples have opposite labels" : NULL);
        theorem_vacuous(run, high >= 1, "no product of vectors of norm 1 exceeds 1");
        theorem_compare(run, "least product within a cluster", near, ">=", low - rounding);
        theorem_vacuous(run, low <= 0, "no product of reduced examples is negative");
    }
    theorem_clusters_free(&c, run->context);
    return status;
}
