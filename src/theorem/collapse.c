/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones of collapsed data [003, Assumption 3.1]: directions beta_k of norm 1, gamma > eps > 0, and for every example and every k
 *
 *     in cone k:   its label is that of the cone, <beta_k, x> >= gamma, |x - <beta_k, x> beta_k| <= gamma sqrt(eps / 2);
 *     or outside:  -<beta_k, x> >= eps; corrected: -<beta_k, x> >= |x| sin(t), cos(t) = 1 - eps, which the proof needs as well.
 *
 * For a partition into cones and fixed (gamma, eps) both are linear: <beta_k, x> >= max(gamma, sqrt(|x|^2 - gamma^2 eps / 2)) inside, and
 * a lower bound of -<beta_k, x> outside. All right sides are positive, so that a solution of norm below 1 can be scaled up: beta_k exists if
 * and only if the point of least norm that satisfies them has norm at most 1, which nonnegative.c decides with a certificate.
 * gamma and eps are scanned; the pair with the largest gamma - eps is kept. A pair that is found is a proof.
 *
 * That there are none is proved as follows. tan of the angle between x and its beta is at most sqrt(eps/2) < 1/sqrt(2): it is below 35.3
 * degrees. Hence two examples closer than 54.7 degrees share their cone (beta of one sees the other in front), and two in one cone are closer
 * than 70.6 degrees. Components of the first relation with two labels, or wider than that, refute the assumption; so does an example x without any
 * beta of norm 1 that has <beta, x> >= |x| cos 35.3 and no example of the other label in front. Every example is taken to lie in some cone,
 * without which it has no margin.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "nonnegative.h"
#include "theorem_internal.h"

enum { EPSILONS = 24, GAMMAS = 12 };
static const double forced = 0.57735026918962573; /* cos 54.7 degrees = sin 35.3 = 1 / sqrt 3 */
static const double widest = 1.0 / 3;             /* cos 70.6 degrees */

typedef struct search {
    theorem_run *run;
    int64_t count;        /* cones */
    int64_t *label;       /* n: cone of example i */
    double *norm;         /* n: |x_i| */
    double *z, *c, *beta; /* n x d, n, d */
    double *multiplier;   /* n */
    bool corrected;
} search;

static double cosine(const search *s, int64_t i, int64_t j)
{
    const int64_t d = s->run->d;
    return fathom_blas_dot(s->run->x + i * d, s->run->x + j * d, d) / (s->norm[i] * s->norm[j]);
}

/* Components of {cos > level, and equal labels where `same`}; the stack has room for n. */
static void connect(search *s, double level, bool same, int64_t *stack)
{
    const int64_t n = s->run->n;
    s->count = 0;
    for (int64_t i = 0; i < n; i++)
        s->label[i] = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t depth = 0;
        if (s->label[i] >= 0)
            continue;
        s->label[stack[depth++] = i] = s->count;
        while (depth > 0) {
            const int64_t k = stack[--depth];
            for (int64_t j = 0; j < n; j++)
                if (s->label[j] < 0 && (!same || s->run->y[j] == s->run->y[k]) && cosine(s, j, k) > level)
                    s->label[stack[depth++] = j] = s->count;
        }
        s->count++;
    }
}

/* Whether no direction has example i in its cone and the other label in its polar: a least norm above 1, proven. */
static fathom_status isolate(bool *none, search *s, int64_t i)
{
    const int64_t d = s->run->d;
    const double *x = s->run->x;
    fathom_least_norm result;
    int64_t rows = 0;
    for (int64_t j = 0; j < s->run->n; j++) {
        const bool own = j == i;
        if (!own && s->run->y[j] == s->run->y[i])
            continue;
        s->c[rows] = own ? s->norm[i] * sqrt(2.0 / 3) : 0;
        for (int64_t l = 0; l < d; l++)
            s->z[rows * d + l] = (own ? 1 : -1) * x[j * d + l];
        rows++;
    }
    const fathom_status status =
        fathom_least_norm_solve(&result, s->beta, s->multiplier, s->z, rows, d, s->c, s->run->context);
    *none = status == FATHOM_OK && result.lower > 1 + 1e-9;
    return status;
}

/* Whether some example has no cone at all. */
static fathom_status search_isolated(bool *none, search *s)
{
    fathom_status status = FATHOM_OK;
    *none = false;
    for (int64_t i = 0; i < s->run->n && status == FATHOM_OK && !*none; i++)
        if (fathom_context_stop_reason(s->run->context) == FATHOM_STOP_NONE)
            status = isolate(none, s, i);
    return status;
}

/* Why components of the forced relation cannot be cones; NULL: they can. */
static const char *refute(const search *s)
{
    const double rounding = 1e-12;
    for (int64_t i = 0; i < s->run->n; i++)
        for (int64_t j = 0; j < i; j++) {
            if (s->label[i] != s->label[j])
                continue;
            if (s->run->y[i] != s->run->y[j])
                return "examples of both labels must share a cone";
            if (cosine(s, i, j) < widest - rounding)
                return "examples that must share a cone are more than 70.6 degrees apart";
        }
    return NULL;
}

/* The least norm of a direction of cone k; infinite where there is none. */
static fathom_status least(double *norm, search *s, int64_t k, double gamma, double eps)
{
    const int64_t n = s->run->n, d = s->run->d;
    const double sine = s->corrected ? sqrt(eps * (2 - eps)) : 0;
    fathom_least_norm result;
    for (int64_t i = 0; i < n; i++) {
        const bool inside = s->label[i] == k;
        const double across = gamma * gamma * eps / 2;
        s->c[i] = inside ? fmax(gamma, sqrt(fmax(0, s->norm[i] * s->norm[i] - across)))
                         : fmax(eps, sine * s->norm[i]);
        for (int64_t l = 0; l < d; l++)
            s->z[i * d + l] = (inside ? 1 : -1) * s->run->x[i * d + l];
    }
    const fathom_status status =
        fathom_least_norm_solve(&result, s->beta, s->multiplier, s->z, n, d, s->c, s->run->context);
    *norm = result.upper;
    return status;
}

/* The largest least norm over the cones; stops where one exceeds `enough`. */
static fathom_status worst(double *norm, search *s, double gamma, double eps, double enough)
{
    fathom_status status = FATHOM_OK;
    *norm = 0;
    for (int64_t k = 0; k < s->count && status == FATHOM_OK && *norm <= enough; k++) {
        double one;
        status = least(&one, s, k, gamma, eps);
        *norm = fmax(*norm, one);
    }
    return status;
}

/* Keeps (gamma, eps) where cones exist and gamma - eps is larger than before. */
static fathom_status attempt(theorem_cones *best, search *s, double gamma, double eps)
{
    double norm;
    const bool better = !(best->decided == 1) || gamma - eps > best->margin - best->epsilon;
    if (!(eps < gamma) || !better || fathom_context_stop_reason(s->run->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    const fathom_status status = worst(&norm, s, gamma, eps, 1 + 1e-12);
    if (status == FATHOM_OK && norm <= 1 + 1e-12)
        *best = (theorem_cones){s->count, 1, gamma, eps, 1 - norm, NULL};
    return status;
}

/* All gamma of a scan for one eps: up to the least norm, beyond which nothing can be inside. */
static fathom_status scan(theorem_cones *best, search *s, double eps)
{
    double shortest = INFINITY;
    fathom_status status = FATHOM_OK;
    for (int64_t i = 0; i < s->run->n; i++)
        shortest = fmin(shortest, s->norm[i]);
    const double knee = shortest / sqrt(1 + eps / 2);
    for (int k = 0; k <= GAMMAS && status == FATHOM_OK; k++)
        status = attempt(best, s, knee + (shortest - knee) * k / GAMMAS, eps);
    for (int k = 1; k < GAMMAS && status == FATHOM_OK; k++)
        status = attempt(best, s, knee * (1 - (double)k / GAMMAS), eps);
    return status;
}

static fathom_status scan_all(theorem_cones *best, search *s, double eps)
{
    fathom_status status = FATHOM_OK;
    if (!isnan(eps))
        return scan(best, s, eps);
    for (int k = 0; k < EPSILONS && status == FATHOM_OK; k++)
        status = scan(best, s, 1e-6 * pow(0.95e6, (double)k / (EPSILONS - 1)));
    return status;
}

static bool create(search *s, theorem_run *run)
{
    const int64_t n = run->n, d = run->d;
    s->label = fathom_memory_alloc(run->context, 2 * n, sizeof *s->label);
    s->norm = fathom_memory_alloc(run->context, 3 * n + n * d + d, sizeof *s->norm);
    if (!s->label || !s->norm)
        return false;
    s->c = s->norm + n, s->multiplier = s->c + n, s->z = s->multiplier + n, s->beta = s->z + n * d;
    for (int64_t i = 0; i < n; i++)
        s->norm[i] = fathom_blas_norm(run->x + i * d, d);
    return true;
}

/* Proves that there are no cones, where it can. */
static fathom_status exclude(theorem_cones *cones, search *s)
{
    bool none = false;
    connect(s, forced, false, s->label + s->run->n);
    const char *reason = refute(s);
    const fathom_status status = reason ? FATHOM_OK : search_isolated(&none, s);
    if (none)
        reason = "some example has no cone without examples of the other label in front";
    if (reason) {
        cones->reason = reason;
        cones->decided = 0;
    }
    return status;
}

fathom_status theorem_cones_find(theorem_cones *cones, theorem_run *run, double epsilon, bool corrected)
{
    search s = {.run = run, .corrected = corrected};
    fathom_status status = create(&s, run) ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *cones = (theorem_cones){0, -1, NAN, NAN, NAN, "no cones were found, and none were excluded"};
    const double level[2] = {0, forced};
    for (int k = 0; k < 2 && status == FATHOM_OK && cones->decided < 1; k++) {
        connect(&s, level[k], true, s.label + run->n);
        status = scan_all(cones, &s, epsilon);
    }
    if (status == FATHOM_OK && cones->decided < 1)
        status = exclude(cones, &s);
    fathom_memory_free(run->context, s.label);
    fathom_memory_free(run->context, s.norm);
    return status;
}
