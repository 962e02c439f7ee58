/* SPDX-License-Identifier: Apache-2.0 */
/*
 * [000]: gates drawn at random, the margin gamma_V on them, and its limit gamma of infinite width.
 *
 *   6.1  B >= ln(4n) / (eps gamma_V) and L(W) <= 2 min L over |w_j| <= B: the margin of W / B is in [(1 - eps) gamma_V, gamma_V].
 *   6.2  m >= 2 (eps gamma)^-2 ln(2n / delta): |gamma_V - gamma| <= eps gamma with probability 1 - delta; E gamma_V <= gamma.
 *   7.2  alternating circle, 4 | n, m <= c_0 / gamma^2: for a fixed separator v some example is wrong with constant probability on
 *        m drawn gates.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "random.h"
#include "theorem_internal.h"

static const double pi = 3.14159265358979323846;
enum { LOOK = 256 }; /* gates between two looks at the clock */

/* The margin found by the paper's own descent on `width` gates; NaN where it did not get there. */
static fathom_status descend(double *margin, theorem_run *run, int64_t width, double epsilon)
{
    fathom_margin_options options;
    fathom_margin_view view;
    fathom_options_init(&options, &fathom_margin_option_table);
    options.method = FATHOM_MARGIN_PAPER_GD;
    options.gap = epsilon;
    FATHOM_TRY(theorem_margin_by(&view, run, &options, width));
    *margin = view.reached ? view.lower : NAN;
    return FATHOM_OK;
}

static fathom_status check_6_1(theorem_run *run)
{
    const int64_t width = run->options->width > 0 ? run->options->width : 200;
    const double epsilon = run->options->epsilon;
    double found = NAN;
    theorem_range gamma;
    const char *note;
    fathom_status status = theorem_margin(&gamma, &note, run, FATHOM_MARGIN_NTK, width, 1e-6);
    if (status == FATHOM_OK && gamma.lower > 0)
        status = descend(&found, run, width, epsilon);
    if (status != FATHOM_OK)
        return status;
    theorem_assume_range(run, "gamma_V", gamma, ">", theorem_exact(0));
    theorem_note(run, note);
    theorem_assume(run, "epsilon", epsilon, "<=", 1);
    if (gamma.lower > 0)
        theorem_assume(run, "L(W) <= 2 min L reached (1: certified)", isnan(found) ? NAN : 1, "=", 1);
    theorem_compare_range(run, "margin of W / B", theorem_exact(found),
                          ">=", (theorem_range){(1 - epsilon) * gamma.lower, (1 - epsilon) * gamma.upper});
    theorem_vacuous(run, epsilon >= 1, "epsilon is 1");
    theorem_compare_range(run, "margin of W / B", theorem_exact(found),
                          "<=", (theorem_range){gamma.lower * (1 + 1e-12), gamma.upper * (1 + 1e-12)});
    return FATHOM_OK;
}

/* Draws of gamma_V, and what is counted of them. */
typedef struct draws {
    int64_t done, surely, perhaps;  /* within epsilon gamma for every gamma of its interval, and for some */
    double low, high, sum, squares; /* of both ends of gamma_V, of its middle and the square of that */
} draws;

/* The t with P[|T| <= t] = 99 % for Student's T with k degrees of freedom: T = sqrt(k) tan(theta), theta of
 * density proportional to cos^(k-1) [Student 1908]. Infinite for k < 1. */
static double student(double k)
{
    enum { PANELS = 4096 };
    double whole = 0, part = 0;
    int at = 0;
    if (k < 1)
        return INFINITY;
    for (int l = 0; l < PANELS; l++)
        whole += pow(cos((l + 0.5) / PANELS * pi / 2), k - 1);
    while (part < 0.99 * whole)
        part += pow(cos((at++ + 0.5) / PANELS * pi / 2), k - 1);
    return sqrt(k) * tan((double)at / PANELS * pi / 2);
}

/* E gamma_V from draws that are taken for normal, beside gamma. Refuted is the line only where no
 * distribution allows it: one of m gates changes gamma_V = min_q (1/m) sum_j |s_j(q)| by X/m at most, X =
 * max |x_i| >= |s_j|, so that the mean of N draws is within X sqrt(ln(200)/(2 N m)) of E gamma_V with
 * probability 99 % [McDiarmid 1989]. */
static void compare_mean(theorem_run *run, const draws *d, double m, theorem_range gamma)
{
    const double count = (double)d->done, mean = d->sum / count,
                 variance = fmax(0, d->squares - count * mean * mean) / fmax(1, count - 1),
                 error = student(count - 1) * sqrt(variance / count),
                 safe = run->reach * sqrt(log(200) / (2 * count * m));
    theorem_compare_range(run, "E gamma_V",
                          isfinite(error) ? (theorem_range){d->low / count - error, d->high / count + error}
                                          : theorem_exact(NAN),
                          "<=", gamma);
    theorem_note(run, isfinite(error) ? "99 % of Student's t" : "one draw says nothing about a mean");
    theorem_soften(run, d->low / count - safe <= gamma.upper, "more draws are needed");
}

static fathom_status draw_margins(draws *d, theorem_run *run, theorem_range gamma, int64_t width)
{
    const uint64_t seed = fathom_context_seed(run->context);
    const double epsilon = run->options->epsilon;
    fathom_status status = FATHOM_OK;
    *d = (draws){0};
    while (d->done < run->options->trials && status == FATHOM_OK &&
           fathom_context_stop_reason(run->context) == FATHOM_STOP_NONE) {
        theorem_range one;
        const char *note;
        fathom_context_set_seed(run->context, seed + 1 + (uint64_t)d->done);
        status = theorem_margin(&one, &note, run, FATHOM_MARGIN_NTK, width, 1e-3);
        if (status != FATHOM_OK)
            break;
        const double value = (one.lower + one.upper) / 2;
        d->surely += one.lower >= (1 - epsilon) * gamma.upper && one.upper <= (1 + epsilon) * gamma.lower;
        d->perhaps += one.upper >= (1 - epsilon) * gamma.lower && one.lower <= (1 + epsilon) * gamma.upper;
        d->low += one.lower, d->high += one.upper, d->sum += value, d->squares += value * value;
        d->done++;
    }
    fathom_context_set_seed(run->context, seed);
    if (d->done < run->options->trials)
        theorem_break(run, "the draws were cut");
    return status;
}

/* Hoeffding's width for sums of vectors of norm at most X = max |x_i|: m >= 2 X^2 (eps gamma)^-2
 * ln(2n/delta). */
static fathom_status check_6_2(theorem_run *run)
{
    const double most = run->d <= 2 ? 1e7 / (double)run->n : 4096; /* in the plane equal gates merge */
    const double epsilon = run->options->epsilon, delta = run->options->delta;
    theorem_range gamma;
    const char *note;
    draws d;
    FATHOM_TRY(theorem_margin(&gamma, &note, run, FATHOM_MARGIN_NTK, 0, 0.01));
    const double factor = 2 * run->reach * run->reach / (epsilon * epsilon) * log(2 * (double)run->n / delta);
    const theorem_range needed = {factor / (gamma.upper * gamma.upper), factor / (gamma.lower * gamma.lower)};
    const int64_t width =
        run->options->width > 0 ? run->options->width : (int64_t)fmin(ceil(needed.upper), most);
    theorem_assume_range(run, "gamma", gamma, ">", theorem_exact(0));
    theorem_note(run, note);
    if (!(gamma.lower > 0))
        return FATHOM_OK;
    if (run->options->width == 0)
        theorem_say(run, "width %lld", (long long)width);
    theorem_assume_range(run, "width m", theorem_exact((double)width), ">=", needed);
    fathom_status status = draw_margins(&d, run, gamma, width);
    const double count = (double)d.done;
    theorem_compare_range(run, "probability of |gamma_V - gamma| <= epsilon gamma",
                          theorem_share((double)d.surely, (double)d.perhaps, count, 0.005),
                          ">=", theorem_exact(1 - delta));
    theorem_note(run, "99 % confidence from the draws");
    compare_mean(run, &d, (double)width, gamma);
    return status;
}

/* How far the examples of a plane are from the alternating circle, in steps of 2 pi/n along it and in
 * radius: each from the
 * nearest place of its label (the label of the first is that of its place), and at least 1 where a place has
 * no example. */
static fathom_status circle_error(double *worst, const theorem_run *run)
{
    const int64_t n = run->n;
    double sign = 0;
    uint8_t *taken = fathom_memory_zero(run->context, n, 1);
    *worst = 0;
    if (!taken)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const double *x = run->x + 2 * i;
        const double turn = atan2(x[1], x[0]) / (2 * pi) * (double)n;
        double k = round(turn);
        const double label = run->y[i] * (fmod(fabs(k), 2) == 0 ? 1 : -1);
        sign = sign == 0 ? label : sign;
        k += label == sign ? 0 : turn > k ? 1 : -1;
        *worst = fmax(*worst, fmax(fabs(turn - k), fabs(hypot(x[0], x[1]) - 1)));
        taken[(int64_t)fmod(k + 2 * (double)n, (double)n)] = 1;
    }
    for (int64_t k = 0; k < n; k++)
        *worst = taken[k] ? *worst : fmax(*worst, 1);
    fathom_memory_free(run->context, taken);
    return FATHOM_OK;
}

/* What Lemmas 7.1 and 7.2 assume; *holds: the data is the alternating circle. */
static fathom_status assume_circle(bool *holds, theorem_run *run)
{
    double error;
    *holds = run->d == 2;
    if (!*holds) {
        theorem_assume(run, "dimension d", (double)run->d, "=", 2);
        return FATHOM_OK;
    }
    FATHOM_TRY(circle_error(&error, run));
    theorem_assume(run, "distance from the alternating circle", error, "<=", 1e-9);
    theorem_assume(run, "n modulo 4", (double)(run->n % 4), "=", 0);
    *holds = error <= 1e-9 && run->n % 4 == 0;
    return FATHOM_OK;
}

/* The gate of the separator that opens on the same examples as z; -1: none. */
static int64_t gate_of(const double *z, const theorem_run *run, const fathom_net_weights *w, int64_t m)
{
    for (int64_t j = 0; j < m; j++) {
        bool same = true;
        for (int64_t i = 0; i < run->n && same; i++) {
            const double *x = run->x + 2 * i;
            same = (x[0] * z[0] + x[1] * z[1] > 0) == (x[0] * w->v[2 * j] + x[1] * w->v[2 * j + 1] > 0);
        }
        if (same)
            return j;
    }
    return -1;
}

/* wrong[i] counts the draws of m gates on which the fixed separator misses example i; *done: how many there
 * were. */
static fathom_status draw(int64_t *done, int64_t *wrong, theorem_run *run, fathom_net *net, int64_t width)
{
    const fathom_net_weights w = fathom_net_lend(net);
    const int64_t m = fathom_net_look(net).m, n = run->n;
    double *sum = fathom_memory_alloc(run->context, n, sizeof *sum);
    if (!sum)
        return FATHOM_ERROR_MEMORY;
    for (*done = 0; *done < run->options->trials; ++*done) {
        const int64_t trial = *done;
        bool cut = false;
        memset(sum, 0, (size_t)n * sizeof *sum);
        for (int64_t s = 0; s < width && !cut; s++) {
            double z[2];
            cut = s % LOOK == 0 && fathom_context_stop_reason(run->context) != FATHOM_STOP_NONE;
            fathom_random_normals(z, 2, fathom_context_seed(run->context), FATHOM_STREAM_SAMPLE,
                                  (uint32_t)trial, (uint64_t)(2 * s));
            const int64_t j = gate_of(z, run, &w, m);
            for (int64_t i = 0; j >= 0 && i < n; i++) {
                const double *x = run->x + 2 * i;
                if (x[0] * z[0] + x[1] * z[1] > 0)
                    sum[i] += run->y[i] * (w.w[2 * j] * x[0] + w.w[2 * j + 1] * x[1]);
            }
        }
        if (cut) {
            theorem_break(run, "the draws were cut");
            break;
        }
        for (int64_t i = 0; i < n; i++)
            wrong[i] += sum[i] <= 0;
    }
    fathom_memory_free(run->context, sum);
    return FATHOM_OK;
}

/* Draws for the separator of an exact margin. */
static fathom_status draw_all(int64_t *done, double *most, theorem_range *gamma, theorem_run *run, double c0)
{
    fathom_margin_result *result;
    fathom_net *net = NULL;
    FATHOM_TRY(fathom_margin(&result, run->context, run->data, NULL));
    *gamma = (theorem_range){fathom_margin_look(result).lower, fathom_margin_look(result).upper};
    fathom_status status = fathom_margin_separator(&net, result);
    fathom_margin_free(result);
    int64_t *wrong = status == FATHOM_OK ? fathom_memory_zero(run->context, run->n, sizeof *wrong) : NULL;
    if (status == FATHOM_OK && !wrong)
        status = FATHOM_ERROR_MEMORY;
    const int64_t width =
        run->options->width > 0 ? run->options->width : (int64_t)fmax(1, c0 / (gamma->upper * gamma->upper));
    if (status == FATHOM_OK) {
        theorem_assume_range(
            run, "width m", theorem_exact((double)width),
            "<=", (theorem_range){c0 / (gamma->upper * gamma->upper), c0 / (gamma->lower * gamma->lower)});
        status = draw(done, wrong, run, net, width);
    }
    for (int64_t i = 0; status == FATHOM_OK && i < run->n; i++)
        *most = fmax(*most, (double)wrong[i]);
    fathom_memory_free(run->context, wrong);
    fathom_net_free(net);
    return status;
}

static fathom_status check_7_2(theorem_run *run)
{
    const double c0 = theorem_constant(run, "c0", 0.0625), probability = theorem_constant(run, "P", 0.1);
    theorem_range gamma = {NAN, NAN};
    double most = 0;
    int64_t done = 0;
    bool holds;
    FATHOM_TRY(assume_circle(&holds, run));
    if (!holds)
        return FATHOM_OK;
    FATHOM_TRY(draw_all(&done, &most, &gamma, run, c0));
    theorem_assume_range(run, "gamma", gamma, ">", theorem_exact(0));
    theorem_compare_range(run, "probability that the worst example is wrong",
                          theorem_share(most, most, (double)done, 0.005 / (double)run->n),
                          ">=", theorem_exact(probability));
    theorem_note(run, "99 % confidence from the draws, whichever example is the worst");
    theorem_vacuous(run, probability <= 0, "a probability is not negative");
    theorem_soften(run, theorem_is_open(run, "c0", "P"), theorem_open_text);
    return FATHOM_OK;
}

/* Over the cones of the separator: E Z_i, E |Z_i| where Z_i < 0, and Var Z_i, Z_i = y_i <v(z), x_i>
 * 1[<x_i, z> > 0]. */
static void moments(double out[3], const theorem_run *run, fathom_net *net, int64_t i)
{
    const fathom_net_weights w = fathom_net_lend(net);
    const double *x = run->x + 2 * i;
    double square = 0;
    out[0] = out[1] = 0;
    for (int64_t j = 0; j < fathom_net_look(net).m; j++) {
        if (!(x[0] * w.v[2 * j] + x[1] * w.v[2 * j + 1] > 0))
            continue;
        const double z = run->y[i] * (w.w[2 * j] * x[0] + w.w[2 * j + 1] * x[1]);
        out[0] += w.rho[j] * z;
        out[1] += w.rho[j] * fmax(0, -z);
        square += w.rho[j] * z * z;
    }
    out[2] = square - out[0] * out[0];
}

/* Part (2) for the best map, which is one of the fixed ones; part (1): n gamma is bounded from both sides. */
static fathom_status check_7_1(theorem_run *run)
{
    const double n = (double)run->n;
    fathom_margin_result *result;
    fathom_net *net = NULL;
    double ratio = INFINITY, spread = 0, m[3];
    bool holds;
    FATHOM_TRY(assume_circle(&holds, run));
    if (!holds)
        return FATHOM_OK;
    FATHOM_TRY(fathom_margin(&result, run->context, run->data, NULL));
    const theorem_range g = {fathom_margin_look(result).lower, fathom_margin_look(result).upper};
    fathom_status status = fathom_margin_separator(&net, result);
    fathom_margin_free(result);
    for (int64_t i = 0; i < run->n && status == FATHOM_OK; i++) {
        moments(m, run, net, i);
        if (m[0] / (m[1] * g.lower) < ratio) {
            ratio = m[0] / (m[1] * g.lower);
            spread = m[2] * g.lower * g.lower / (m[0] * m[0]);
        }
    }
    if (status == FATHOM_OK) {
        theorem_compare_range(run, "(1) n gamma, beside 1/cos(pi/n)",
                              (theorem_range){n * g.lower, n * g.upper},
                              ">=", theorem_exact((1 - 1e-9) / cos(pi / n)));
        theorem_compare(run, "(2) least E Z_i / (gamma E |Z_i| 1[Z_i < 0]) of the best map", ratio,
                        "<=", theorem_constant(run, "c", 12));
        theorem_soften(run, theorem_is_open(run, "c", NULL), theorem_open_text);
        theorem_compare(run, "(2) Var(Z_i) gamma^2 / E(Z_i)^2 there", spread,
                        ">=", theorem_constant(run, "V", 0.1));
        theorem_soften(run, theorem_is_open(run, "V", NULL), theorem_open_text);
    }
    fathom_net_free(net);
    return status;
}

const theorem_row theorem_rows_000[] = {
    {"000:6.1", false, check_6_1,
     "Every W with |w_j| <= B and L(W) <= 2 min L, B >= ln(4n)/(eps gamma_V), has a margin of W/B between "
     "(1 - eps) gamma_V and gamma_V.",
     NULL, 0, "width,epsilon", NULL},
    {"000:6.2", false, check_6_2,
     "With m >= 2 (eps gamma)^-2 ln(2n/delta) Gaussian gates |gamma_V - gamma| <= eps gamma with probability "
     "1 - delta, and E "
     "gamma_V <= gamma.",
     "the paper's width c (eps delta gamma)^-2 ln(n/eps) is replaced by the one that its proof gives with "
     "the constants",
     0, "width,epsilon,delta,trials", NULL},
    {"000:7.1", false, check_7_1,
     "On the alternating circle gamma is of order 1/n, and every fixed map has an example with E Z <= c "
     "gamma E |Z| 1[Z < 0] and "
     "Var Z >= V E(Z)^2/gamma^2.",
     "gamma = 1/(n cos(pi/n)); c (default 12) and V (default 0.1) are left open by the paper; measured on "
     "the "
     "best map",
     0, NULL, "c,V"},
    {"000:7.2", false, check_7_2,
     "On the alternating circle a fixed separator fails on some example with constant probability when m <= "
     "c0/gamma^2 gates are "
     "drawn.",
     "c0 (default 1/16) and the probability P (default 0.1) are left open by the paper; failing means a sum "
     "<= 0",
     0, "width,trials", "c0,P"},
    {NULL, false, NULL, NULL, NULL, 0, NULL, NULL}};
