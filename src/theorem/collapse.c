/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cones of collapsed data [003, Assumption 3.1]: directions beta_k of norm 1, gamma > eps > 0, and for
 * every example and every k
 *
 *     in cone k:   its label is that of the cone, <beta_k, x> >= gamma, |x - <beta_k, x> beta_k| <= gamma sqrt(eps / 2);
 *     or outside:  -<beta_k, x> >= eps; corrected: -<beta_k, x> >= |x| sin(t), cos(t) = 1 - eps, which the proof needs as well.
 *
 * For a partition into cones and fixed (gamma, eps) both are linear: <beta_k, x> >= max(gamma, sqrt(|x|^2
 * - gamma^2 eps / 2)) inside, and a lower bound of -<beta_k, x> outside. All right sides are positive, so
 * that a solution of norm below 1 can be scaled up: beta_k exists if and only if the point of least norm
 * that satisfies them has norm at most 1, which nonnegative.c decides with a certificate. gamma and eps
 * are scanned, then boxes of them halved, for the largest gamma - eps. A pair that is found is a proof.
 *
 * That there are none is proved as follows. tan of the angle between x and its beta is at most sqrt(eps/2)
 * < 1/sqrt(2): it is below 35.3 degrees. Hence two examples closer than 54.7 degrees share their cone
 * (beta of one sees the other in front), and two in one cone are closer than 70.6 degrees. Components of
 * the first relation with two labels, or wider than that, refute the assumption; so does an example x
 * without any beta of norm 1 that has <beta, x> >= |x| cos 35.3 and no example of the other label in
 * front. Every example is taken to lie in some cone, without which it has no margin. Where the components
 * of {cos > 1/3, equal labels} are those of the first relation, the partition is known, and boxes of
 * (gamma, eps) are refuted by least norms above 1 of constraints that all their points imply, or halved:
 * what stays bounds gamma - eps, and where nothing stays there are no cones.
 *
 * Directions that are given leave no choice: what is in front of beta_k is in its cone, gamma = min
 * <beta_k, x> over these pairs, and eps lies between 2 max |x - <beta_k, x> beta_k|^2 / gamma^2 and what
 * the polars allow.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "exact_cone.h"
#include "memory.h"
#include "nonnegative.h"
#include "theorem_internal.h"

enum { EPSILONS = 24, GAMMAS = 12, BOXES = 400 };
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

/* Components of {cos > level, and equal labels where `same`}; the stack has room for n. O(n^2 d). */
static fathom_status connect(search *s, double level, bool same, int64_t *stack)
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
            if (fathom_context_stop_reason(s->run->context) != FATHOM_STOP_NONE)
                return fathom_context_late(s->run->context, "the search for cones");
            for (int64_t j = 0; j < n; j++)
                if (s->label[j] < 0 && (!same || s->run->y[j] == s->run->y[k]) && cosine(s, j, k) > level)
                    s->label[stack[depth++] = j] = s->count;
        }
        s->count++;
    }
    return FATHOM_OK;
}

/* Whether no direction has example i in its cone and the other label in its polar: a least norm above 1,
 * proven. */
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
        *best = (theorem_cones){s->count, 1, gamma, eps, 1 - norm, INFINITY, NULL};
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

/* All (gamma, eps) with low <= gamma <= high, thin <= eps <= wide. */
typedef struct box {
    double low, high, thin, wide;
} box;

/* Whether some cone has no direction for any point of the box: a least norm above 1, proven. */
static fathom_status refute_box(bool *none, search *s, const box *b)
{
    const int64_t n = s->run->n, d = s->run->d;
    const double sine = s->corrected ? sqrt(b->thin * (2 - b->thin)) : 0;
    fathom_status status = FATHOM_OK;
    *none = b->high <= b->thin; /* eps < gamma */
    for (int64_t k = 0; k < s->count && status == FATHOM_OK && !*none; k++) {
        fathom_least_norm result;
        for (int64_t i = 0; i < n; i++) {
            const bool inside = s->label[i] == k;
            const double rest = s->norm[i] * s->norm[i] - b->high * b->high * b->wide / 2;
            s->c[i] = inside ? fmax(b->low, sqrt(fmax(0, rest))) : fmax(b->thin, sine * s->norm[i]);
            for (int64_t l = 0; l < d; l++)
                s->z[i * d + l] = (inside ? 1 : -1) * s->run->x[i * d + l];
        }
        status = fathom_least_norm_solve(&result, s->beta, s->multiplier, s->z, n, d, s->c, s->run->context);
        *none = status == FATHOM_OK && result.lower > 1 + 1e-9;
    }
    return status;
}

/* The box with the largest gamma - eps that it may hold. */
static int64_t pick(const box *open, int64_t count)
{
    int64_t best = 0;
    for (int64_t k = 1; k < count; k++)
        if (open[k].high - open[k].thin > open[best].high - open[best].thin)
            best = k;
    return best;
}

/* Looks at one box: refuted, or tried at its middle and its far corner and put back in two halves. */
static fathom_status halve(theorem_cones *best, search *s, box *open, int64_t *count, double size)
{
    const int64_t at = pick(open, *count);
    const box b = open[at];
    const double gamma = (b.low + b.high) / 2, middle = (b.thin + b.wide) / 2;
    bool gone;
    open[at] = open[--*count];
    fathom_status status = refute_box(&gone, s, &b);
    if (status != FATHOM_OK || gone)
        return status;
    status = attempt(best, s, gamma, middle);
    FATHOM_THEN(status, attempt(best, s, b.high, b.wide));
    const bool across = b.wide - b.thin > (b.high - b.low) / size;
    open[(*count)++] = across ? (box){b.low, b.high, b.thin, middle} : (box){b.low, gamma, b.thin, b.wide};
    open[(*count)++] = across ? (box){b.low, b.high, middle, b.wide} : (box){gamma, b.high, b.thin, b.wide};
    return status;
}

/* The largest gamma - eps of the partition at hand, eps given or free (NaN), with a bound on what no cones
 * exceed; or that it has none. Boxes are as many as the work of some seconds allows. */
static fathom_status optimise(theorem_cones *best, search *s, double eps)
{
    const double near = 1e-3, work = (double)(s->run->n * s->run->d * s->count);
    const int64_t most = (int64_t)fmin(BOXES, 4e6 / work);
    box *open = fathom_memory_alloc(s->run->context, BOXES + 2, sizeof *open);
    int64_t count = 1;
    fathom_status status = open ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (!open)
        return status;
    open[0] = (box){0, INFINITY, isnan(eps) ? 0 : eps, isnan(eps) ? 1 : eps};
    for (int64_t i = 0; i < s->run->n; i++)
        open[0].high = fmin(open[0].high, s->norm[i]);
    const double size = open[0].high;
    for (int64_t k = 0; k < most && count > 0 && status == FATHOM_OK; k++) {
        const box *first = open + pick(open, count);
        if ((best->decided == 1 && first->high - first->thin <= best->margin - best->epsilon + near * size) ||
            fathom_context_stop_reason(s->run->context) != FATHOM_STOP_NONE)
            break;
        status = halve(best, s, open, &count, size);
    }
    const double left = count > 0 ? open[pick(open, count)].high - open[pick(open, count)].thin : -INFINITY;
    if (best->decided == 1)
        best->most = fmax(left, best->margin - best->epsilon);
    else if (status == FATHOM_OK && count == 0)
        best->decided = 0;
    fathom_memory_free(s->run->context, open);
    return status;
}

/* Whether some cone of the partition has no direction with its examples strictly in front and all others
 * strictly behind: decided exactly [Gordan]. */
static fathom_status refute_strictly(bool *none, search *s)
{
    const int64_t n = s->run->n, d = s->run->d;
    fathom_status status = FATHOM_OK;
    *none = false;
    for (int64_t k = 0; k < s->count && status == FATHOM_OK && !*none; k++) {
        for (int64_t i = 0; i < n; i++)
            for (int64_t l = 0; l < d; l++)
                s->z[i * d + l] = (s->label[i] == k ? 1 : -1) * s->run->x[i * d + l];
        status = fathom_exact_cone(none, s->multiplier, NULL, s->beta, s->run->context, n, d, s->z);
    }
    if (status == FATHOM_ERROR_STOPPED) {
        *none = false;
        return FATHOM_OK;
    }
    return status;
}

/* Whether what must share a cone is all that can: then there is one partition, and it is left in s. */
static fathom_status is_unique(bool *unique, search *s, int64_t *stack)
{
    FATHOM_TRY(connect(s, widest - 1e-12, true, stack));
    const int64_t most = s->count;
    FATHOM_TRY(connect(s, forced, true, stack));
    *unique = s->count == most;
    return FATHOM_OK;
}

/* Proves that there are no cones, where it can. */
static fathom_status exclude(theorem_cones *cones, search *s, double eps)
{
    bool none = false, unique = false;
    FATHOM_TRY(connect(s, forced, false, s->label + s->run->n));
    const char *reason = refute(s);
    fathom_status status = reason ? FATHOM_OK : search_isolated(&none, s);
    if (none)
        reason = "some example has no cone without examples of the other label in front";
    if (status == FATHOM_OK && !reason)
        status = is_unique(&unique, s, s->label + s->run->n);
    if (unique) {
        status = refute_strictly(&none, s);
        if (status == FATHOM_OK && !none)
            status = optimise(cones, s, eps);
        if (none || cones->decided == 0)
            reason = "the examples have one partition, and no gamma and eps make cones of it";
    }
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
    *cones = (theorem_cones){0, -1, NAN, NAN, NAN, INFINITY, "no cones were found, and none were excluded"};
    const double level[2] = {0, forced};
    for (int k = 0; k < 2 && status == FATHOM_OK && cones->decided < 1; k++) {
        status = connect(&s, level[k], true, s.label + run->n);
        FATHOM_THEN(status, scan_all(cones, &s, epsilon));
        FATHOM_THEN(status,
                    optimise(cones, &s, epsilon)); /* finds what lies between the points of the scan, too */
        if (cones->decided == 0)                   /* this partition has no cones; others may */
            cones->decided = -1;
    }
    if (status == FATHOM_OK && cones->decided < 1)
        status = exclude(cones, &s, epsilon);
    FATHOM_FREE(run->context, s.label, s.norm);
    return status;
}

/* What one given direction says of gamma and eps, and which examples it has in its cone; false: two labels
 * are in front of it. */
typedef struct given_cone {
    double front, across,
        behind; /* least <beta, x> inside, largest distance from its line, largest eps of the polar */
} given_cone;

static bool take_direction(given_cone *g, bool *covered, const theorem_run *run, const double *beta,
                           bool corrected)
{
    const int64_t d = run->d;
    const double norm = fathom_blas_norm(beta, d);
    double label = 0;
    for (int64_t i = 0; i < run->n; i++) {
        const double *x = run->x + i * d, length = fathom_blas_norm(x, d);
        const double c = fathom_blas_dot(beta, x, d) / norm, sine = fmin(1, -c / length);
        if (c > 0 && label != 0 && label != run->y[i])
            return false;
        if (c > 0) {
            double square = 0;
            for (int64_t l = 0; l < d; l++)
                square += (x[l] - c * beta[l] / norm) * (x[l] - c * beta[l] / norm);
            g->front = fmin(g->front, c);
            g->across = fmax(g->across, sqrt(square));
            label = run->y[i];
            covered[i] = true;
        } else
            g->behind = fmin(g->behind, corrected ? fmin(-c, 1 - sqrt(1 - sine * sine)) : -c);
    }
    return true;
}

fathom_status theorem_cones_given(theorem_cones *cones, theorem_run *run, const double *beta, int64_t count,
                                  double epsilon, bool corrected)
{
    given_cone g = {INFINITY, 0, 1};
    bool *covered = fathom_memory_zero(run->context, run->n, sizeof *covered), right = true, all = true;
    if (!covered)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < count && right; k++)
        right = take_direction(&g, covered, run, beta + k * run->d, corrected);
    for (int64_t i = 0; i < run->n; i++)
        all = all && covered[i];
    fathom_memory_free(run->context, covered);
    const double rounding = 1e-12, thin = 2 * g.across * g.across / (g.front * g.front),
                 most = fmin(g.behind, g.front * (1 - rounding)),
                 chosen = !isnan(epsilon) ? epsilon : fmax(thin * (1 + rounding), fmin(1e-6, most / 2));
    const char *reason = !right ? "examples of both labels are in front of a direction that is given"
                         : !all ? "some example is in front of no direction that is given"
                         : !(thin <= most)
                             ? "the directions that are given have no epsilon: too wide, or not polar enough"
                         : !(chosen > 0 && chosen >= thin * (1 - rounding) && chosen <= most * (1 + rounding))
                             ? "epsilon is not one of those that the given directions have"
                             : NULL;
    *cones = reason ? (theorem_cones){count, 0, NAN, NAN, NAN, INFINITY, reason}
                    : (theorem_cones){count, 1, g.front, chosen, 0, INFINITY, NULL};
    return FATHOM_OK;
}

fathom_status theorem_cones_by(theorem_cones *cones, theorem_run *run, const double *beta, int64_t count,
                               double epsilon, bool corrected)
{
    return beta ? theorem_cones_given(cones, run, beta, count, epsilon, corrected)
                : theorem_cones_find(cones, run, epsilon, corrected);
}
