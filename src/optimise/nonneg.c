/* SPDX-License-Identifier: Apache-2.0 */
/*
 * minimise q(x) = slope' (x - e) + (x - e)' H (x - e) / 2 over x >= 0: see nonneg.h.
 *
 * Method [Lawson and Hanson 1974], for singular H: a passive set of independent variables on which x > 0 minimises q; the
 * variable with the most negative gradient relative to sqrt(H_jj) enters, those that would turn negative leave on the way
 * to the new minimiser. Where the entering variable depends on the passive ones, q is linear along the dependence and
 * falls: x moves until a passive variable is 0, which leaves in exchange. q falls with every step, so no set returns.
 *
 * The passive block of H is kept as L L': a variable enters by a triangular solve and leaves by Givens rotations,
 * O(p^2) each for p passive ones, and gradients cost k p.
 */
#include "nonneg.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

enum { STEPS_PER_VARIABLE = 1, LIST = 16 };

/* Gradients below this share of their terms are zero; pivots below this share of the diagonal are zero. */
static const double FLAT = 1e-13, INDEPENDENT = 1e-12;

typedef struct passive_set {
    int64_t k, count;
    const double *h, *e;
    int64_t *index;   /* count of k: the passive variables */
    bool *out;        /* k: passive, or given up */
    double *factor;   /* k x k: L in its first rows */
    double *x;        /* k: values of the passive variables, in their order */
    double *trial;    /* k */
    double *gradient; /* k: of q at x, all variables */
    double *c;        /* k: gradient at e with 0 in place of what is not passive */
} passive_set;

/* c for variable j at e_j instead of 0 (sign 1), or at 0 instead of e_j (sign -1). */
static void shift(passive_set *s, int64_t j, double sign)
{
    if (s->e[j] > 0)
        fathom_blas_axpy(s->c, sign * s->e[j], s->h + j * s->k, s->k);
}

/* Variable j enters with value 0, c unchanged; false where it depends on the passive ones. */
static bool enter(passive_set *s, int64_t j)
{
    const int64_t p = s->count, k = s->k;
    double *row = s->factor + p * k;
    for (int64_t a = 0; a < p; a++)
        row[a] = s->h[j * k + s->index[a]];
    if (p > 0)
        fathom_blas_triangular_solve(row, 1, fathom_plain(s->factor, k), true, p, 1);
    const double full = s->h[j * k + j], left = full - (p > 0 ? fathom_blas_dot(row, row, p) : 0);
    if (!(left > INDEPENDENT * full))
        return false;
    s->out[j] = true;
    row[p] = sqrt(left);
    s->index[p] = j;
    s->x[p] = 0;
    s->count = p + 1;
    return true;
}

/* Passive variable number r leaves. */
static void leave_variable(passive_set *s, int64_t r)
{
    const int64_t p = s->count - 1, k = s->k;
    const int64_t gone = s->index[r];
    s->out[gone] = false;
    shift(s, gone, -1);
    for (int64_t i = r; i < p; i++) {
        memcpy(s->factor + i * k, s->factor + (i + 1) * k, (size_t)(i + 2) * sizeof *s->factor);
        s->index[i] = s->index[i + 1];
        s->x[i] = s->x[i + 1];
    }
    for (int64_t c = r; c < p; c++) {
        const double *top = s->factor + c * k + c;
        const double length = hypot(top[0], top[1]), cosine = top[0] / length, sine = top[1] / length;
        for (int64_t i = c; i < p; i++) {
            double *pair = s->factor + i * k + c;
            const double left = pair[0], right = pair[1];
            pair[0] = cosine * left + sine * right;
            pair[1] = cosine * right - sine * left;
        }
    }
    s->count = p;
}

/* x = (L L')^{-1} x */
static void solve_factor(const passive_set *s, double *x)
{
    fathom_blas_triangular_solve(x, 1, fathom_plain(s->factor, s->k), true, s->count, 1);
    fathom_blas_triangular_solve(x, 1, fathom_transposed(s->factor, s->k), true, s->count, 1);
}

/* trial = the minimiser on the passive set, as a step from e: small steps keep their digits. */
static void solve_passive(passive_set *s)
{
    const int64_t p = s->count;
    for (int64_t a = 0; a < p; a++)
        s->trial[a] = -s->c[s->index[a]];
    if (p > 0)
        solve_factor(s, s->trial);
    for (int64_t a = 0; a < p; a++)
        s->trial[a] += s->e[s->index[a]];
}

/* Moves to the minimiser, dropping variables that become 0 on the way. */
static void settle_variables(passive_set *s)
{
    for (;;) {
        double step = 1;
        int64_t first = -1;
        solve_passive(s);
        for (int64_t a = 0; a < s->count; a++)
            if (s->trial[a] <= 0 && s->x[a] <= step * (s->x[a] - s->trial[a])) {
                step = s->x[a] > 0 ? s->x[a] / (s->x[a] - s->trial[a]) : 0;
                first = a;
            }
        for (int64_t a = 0; a < s->count; a++)
            s->x[a] += step * (s->trial[a] - s->x[a]);
        if (first < 0)
            return;
        leave_variable(s, first);
    }
}

/* How much variable j promises: minus its gradient over sqrt(H_jj), or 0 where that is not beyond rounding. */
static double promise(const passive_set *s, int64_t j)
{
    const double diagonal = s->h[j * s->k + j];
    if (s->out[j] || !(diagonal > 0) || !(s->gradient[j] < -FLAT * fabs(s->c[j])))
        return 0;
    return -s->gradient[j] / sqrt(diagonal);
}

/* Fills `list` with the variables that promise most, best first; how many. Takes the gradient of all variables. */
static int64_t choose_entering(passive_set *s, int64_t list[LIST])
{
    double gain[LIST];
    int64_t count = 0;
    memcpy(s->gradient, s->c, (size_t)s->k * sizeof *s->c);
    for (int64_t a = 0; a < s->count; a++)
        fathom_blas_axpy(s->gradient, s->x[a] - s->e[s->index[a]], s->h + s->index[a] * s->k, s->k);
    for (int64_t j = 0; j < s->k; j++) {
        const double mine = promise(s, j);
        if (!(mine > 0) || (count == LIST && mine <= gain[LIST - 1]))
            continue;
        int64_t place = count < LIST ? count++ : LIST - 1;
        for (; place > 0 && gain[place - 1] < mine; place--) {
            gain[place] = gain[place - 1];
            list[place] = list[place - 1];
        }
        gain[place] = mine;
        list[place] = j;
    }
    return count;
}

/* The gradient of variable j alone, where x is now, and those of the passive variables, which are 0. */
static void refresh(passive_set *s, int64_t j)
{
    s->gradient[j] = s->c[j];
    for (int64_t a = 0; a < s->count; a++) {
        const int64_t l = s->index[a];
        s->gradient[j] += (s->x[a] - s->e[l]) * s->h[j * s->k + l];
        s->gradient[l] = 0;
    }
}

/* Variable j, of value xj and not passive, is sum_a y_a (passive a) to rounding. x moves by t (-y, 1), t of the sign in which q
 * falls by the given gradient, until j or a passive variable, which leaves, is 0; in the latter case j enters. */
static void replace(passive_set *s, int64_t j, double xj, const double *gradient)
{
    const int64_t p = s->count, k = s->k;
    double rate = gradient[j], *y = s->trial;
    for (int64_t a = 0; a < p; a++)
        y[a] = s->h[j * k + s->index[a]];
    if (p > 0)
        solve_factor(s, y);
    for (int64_t a = 0; a < p; a++)
        rate -= y[a] * gradient[s->index[a]];
    const double sign = rate < 0 ? 1 : -1;
    int64_t first = -1;
    double t = sign < 0 ? xj : INFINITY;
    for (int64_t a = 0; a < p; a++)
        if (sign * y[a] > 0 && s->x[a] < t * (sign * y[a])) {
            t = s->x[a] / (sign * y[a]);
            first = a;
        }
    if (first < 0 && sign > 0) { /* nothing stops it: not convex to rounding */
        s->out[j] = true;
        return;
    }
    fathom_blas_axpy(s->x, -sign * t, y, p);
    if (first < 0)
        return;
    leave_variable(s, first);
    if (enter(s, j)) {
        shift(s, j, 1);
        s->x[s->count - 1] = xj + sign * t;
    } else {
        s->out[j] = true;
    }
}

/* The passive set of e, and from there one variable after the other. */
static void run_active_set(passive_set *s, const double *slope)
{
    for (int64_t j = 0; j < s->k; j++) {
        if (!(s->e[j] > 0) || !(s->h[j * s->k + j] > 0))
            continue;
        if (enter(s, j)) {
            s->x[s->count - 1] = s->e[j];
        } else {
            shift(s, j, -1);
            replace(s, j, s->e[j], slope);
        }
    }
    settle_variables(s);
    for (int64_t step = 0; step < STEPS_PER_VARIABLE * s->k; step++) {
        int64_t list[LIST];
        const int64_t count = choose_entering(s, list);
        if (count == 0)
            return;
        for (int64_t a = 0; a < count; a++) {
            const int64_t j = list[a];
            refresh(s, j);
            if (!(promise(s, j) > 0))
                continue;
            if (enter(s, j))
                shift(s, j, 1);
            else
                replace(s, j, 0, s->gradient);
            settle_variables(s);
            s->out[j] = true; /* one that enters only to leave again does so by rounding */
        }
    }
}

fathom_status fathom_nonneg_solve(double *x, fathom_context *context, int64_t k, const double *h,
                                  const double *slope, const double *e)
{
    passive_set s = {.k = k, .h = h, .e = e};
    s.index = fathom_memory_alloc(context, k, sizeof *s.index);
    s.out = fathom_memory_zero(context, k, sizeof *s.out);
    s.factor = fathom_memory_alloc(context, k * k, sizeof *s.factor);
    s.x = fathom_memory_alloc(context, 4 * k, sizeof *s.x);
    const bool complete = s.index && s.out && s.factor && s.x;
    if (complete) {
        s.trial = s.x + k;
        s.gradient = s.trial + k;
        s.c = s.gradient + k;
        memcpy(s.c, slope, (size_t)k * sizeof *s.c);
        run_active_set(&s, slope);
        memset(x, 0, (size_t)k * sizeof *x);
        for (int64_t a = 0; a < s.count; a++)
            x[s.index[a]] = s.x[a];
    }
    FATHOM_FREE(context, s.index, s.out, s.factor, s.x);
    return complete ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}
