/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers in the plane, without sampling.
 *
 * On an arc C of directions u = (cos t, sin t), from < t < to, S = S_q(u) is constant, and (margin_full.c)
 *
 *     gamma_ntk = min_q sum_C phi_C(S_C(q)),   phi_C(S) = |S| / (2 pi) int_C h(t - t_S) dt,   h(t) = g(|cos
 *       t|),  S = |S| (cos t_S, sin t_S).
 *
 * With I an antiderivative of h, which has the period pi and a singularity c^2 ln c at pi/2 + k pi alone, and
 * h' = -A cos sin:
 *
 *     phi = |S| f,   grad phi = f s + f' s_perp,   Hess phi = (f + f'') / |S| s_perp s_perp',   s = S / |S|,
 *     f = (I(b) - I(a)) / 2 pi,   f' = (h(a) - h(b)) / 2 pi,   f'' = (h'(b) - h'(a)) / 2 pi,   a = from -
 *       t_S,  b = to - t_S.
 *
 * grad phi is the sum over the arc of the optimal theta at q, so that min_i sum_{C open at i} <grad phi_C,
 * z_i> is a lower bound for every q. S_C may vanish at the optimum: phi is replaced by sqrt(phi^2 + (m
 * r_C)^2), r_C = |C| / 2 pi, whose gradient is that of a shorter theta, still admissible. Newton's method for
 * this and a barrier -m sum_i ln q_i on the simplex, m -> 0: at the minimum the two bounds are m (1 + n)
 * apart. I is kept on panels that shrink towards the singularity like a geometric sequence, four
 * Gauss-Legendre nodes each. Cost: n^3 per step. [003, Assumption 1.3]
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_full.h"
#include "margin_result.h"
#include "memory.h"

/* By the square of Newton's step per m: from the first on it is taken as it is, at the second a level of the
 * barrier ends. */
static const double NEAR = 0.05, CENTRED = 1e-13;

enum { PANELS = 600, NODES = 4 };
static const double SHRINK = 0.05; /* panel k: pi/2 e^{-k SHRINK} down to the next */
static const double NODE[NODES] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                   0.8611363115940526};
static const double WEIGHT[NODES] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                     0.3478548451374538};

typedef struct plane {
    fathom_context *context;
    const fathom_margin_points *points;
    fathom_margin_gates arcs;
    double *integral; /* PANELS + 1: of h from the singularity to distance pi/2 e^{-k SHRINK} */
    double *gradient; /* n: of the smoothed sum */
    double *hessian;  /* n x n */
    double *pull;     /* m x 2: the theta of each arc, summed up */
    double value;     /* sum_C phi_C, not smoothed */
    double smooth;    /* the smoothed one */
} plane;

/* h at distance s of the singularity, c = sin s. */
static double height(double s)
{
    double a, b;
    const double c = fmax(sin(s), 1e-12);
    fathom_full_integrate(&a, &b, 2, c);
    return c * c * a + b;
}

static double gauss(double from, double to)
{
    double sum = 0;
    for (int k = 0; k < NODES; k++)
        sum += WEIGHT[k] * height((from + to) / 2 + (to - from) / 2 * NODE[k]);
    return sum * (to - from) / 2;
}

static double panel_end(int64_t k) { return acos(-1) / 2 * exp(-SHRINK * (double)k); }

/* int_0^s of h from the singularity, 0 <= s <= pi/2. */
static double from_singularity(const plane *p, double s)
{
    if (!(s > panel_end(PANELS)))
        return s * height(0);
    int64_t k = (int64_t)(-log(s / (acos(-1) / 2)) / SHRINK);
    k = k < 0 ? 0 : k > PANELS - 1 ? PANELS - 1 : k;
    return p->integral[k + 1] + gauss(panel_end(k + 1), s);
}

/* An antiderivative of h at t, and h and h' there. */
static void look(double *integral, double *h, double *slope, const plane *p, double t)
{
    const double pi = acos(-1), turns = round((t - pi / 2) / pi), r = t - pi / 2 - turns * pi, s = fabs(r);
    double a, b;
    const double c = fmax(fabs(sin(r)), 1e-12);
    fathom_full_integrate(&a, &b, 2, c);
    *h = c * c * a + b;
    *slope = -a * cos(t) * sin(t);
    *integral = 2 * turns * p->integral[0] + (r < 0 ? -1 : 1) * from_singularity(p, s);
}

static fathom_status plane_create(plane *p, fathom_context *context, const fathom_margin_points *points)
{
    const int64_t n = points->n;
    *p = (plane){.context = context, .points = points};
    fathom_status status = fathom_margin_arcs(&p->arcs, context, n, points->x);
    if (status != FATHOM_OK)
        return status;
    p->integral = fathom_memory_alloc(context, PANELS + 1 + n + 2 * p->arcs.m, sizeof *p->integral);
    p->hessian = fathom_memory_alloc(context, n * n, sizeof *p->hessian);
    if (!p->integral || !p->hessian)
        return FATHOM_ERROR_MEMORY;
    p->gradient = p->integral + PANELS + 1;
    p->pull = p->gradient + n;
    p->integral[PANELS] = panel_end(PANELS) * height(0);
    for (int64_t k = PANELS - 1; k >= 0; k--)
        p->integral[k] = p->integral[k + 1] + gauss(panel_end(k + 1), panel_end(k));
    return FATHOM_OK;
}

static void plane_free(plane *p)
{
    fathom_margin_gates_free(p->context, &p->arcs);
    fathom_memory_free(p->context, p->integral);
    fathom_memory_free(p->context, p->hessian);
}

/* phi, its gradient (2) and its Hessian (2 x 2) for arc j at S. */
static double price_arc(double *gradient, double *hessian, const plane *p, int64_t j, const double *S)
{
    const double pi = acos(-1), length = hypot(S[0], S[1]), half = pi * p->arcs.rho[j];
    memset(gradient, 0, 2 * sizeof *gradient);
    memset(hessian, 0, 4 * sizeof *hessian);
    if (!(length > 0))
        return 0;
    const double middle =
        atan2(p->arcs.orientation[2 * j + 1], p->arcs.orientation[2 * j]) - atan2(S[1], S[0]);
    double integral[2], h[2], slope[2];
    look(integral, h, slope, p, middle - half);
    look(integral + 1, h + 1, slope + 1, p, middle + half);
    const double f = (integral[1] - integral[0]) / (2 * pi), f1 = (h[0] - h[1]) / (2 * pi),
                 f2 = (slope[1] - slope[0]) / (2 * pi);
    const double s[2] = {S[0] / length, S[1] / length}, t[2] = {-s[1], s[0]};
    for (int k = 0; k < 2; k++) {
        gradient[k] = f * s[k] + f1 * t[k];
        for (int l = 0; l < 2; l++)
            hessian[2 * k + l] = fmax(0, f + f2) / length * t[k] * t[l];
    }
    return length * f;
}

static bool is_open(const plane *p, int64_t j, int64_t i)
{
    return p->arcs.bits[j * p->arcs.words + i / 64] >> i % 64 & 1;
}

/* Values, gradient and, where `second`, Hessian at q for the smoothing m. */
static void evaluate(plane *p, const double *q, double m, bool second)
{
    const int64_t n = p->points->n;
    const double *z = p->points->z;
    p->value = p->smooth = 0;
    memset(p->gradient, 0, (size_t)n * sizeof *p->gradient);
    if (second)
        memset(p->hessian, 0, (size_t)(n * n) * sizeof *p->hessian);
    for (int64_t j = 0; j < p->arcs.m; j++) {
        double S[2] = {0, 0}, g[2], k[4], *pull = p->pull + 2 * j;
        for (int64_t i = 0; i < n; i++)
            if (is_open(p, j, i))
                S[0] += q[i] * z[2 * i], S[1] += q[i] * z[2 * i + 1];
        const double phi = price_arc(g, k, p, j, S), soft = m * p->arcs.rho[j];
        const double root = sqrt(phi * phi + soft * soft), share = root > 0 ? phi / root : 0;
        p->value += phi;
        p->smooth += root;
        pull[0] = share * g[0];
        pull[1] = share * g[1];
        const double bend = root > 0 ? soft * soft / (root * root * root) : 0;
        for (int64_t i = 0; i < n; i++) {
            if (!is_open(p, j, i))
                continue;
            p->gradient[i] += pull[0] * z[2 * i] + pull[1] * z[2 * i + 1];
            const double r[2] = {share * (k[0] * z[2 * i] + k[1] * z[2 * i + 1]) +
                                     bend * g[0] * (g[0] * z[2 * i] + g[1] * z[2 * i + 1]),
                                 share * (k[2] * z[2 * i] + k[3] * z[2 * i + 1]) +
                                     bend * g[1] * (g[0] * z[2 * i] + g[1] * z[2 * i + 1])};
            for (int64_t l = 0; l <= i && second; l++)
                if (is_open(p, j, l))
                    p->hessian[i * n + l] += r[0] * z[2 * l] + r[1] * z[2 * l + 1];
        }
    }
}

/* Both bounds at q, into the result where they are better; `slack` per unit of length covers rounding and
 * quadrature. */
static void judge(plane *p, fathom_margin_run *run, const double *q, double gap)
{
    fathom_margin_result *result = run->result;
    const int64_t n = p->points->n;
    const double slack = 1e-13 * (double)(n + 16);
    const double upper = p->value + slack * fathom_margin_mass(p->points, q);
    double lower = INFINITY;
    for (int64_t i = 0; i < n; i++)
        lower = fmin(lower, p->gradient[i] - slack * fathom_blas_norm(p->points->x + 2 * i, 2));
    if (lower > result->view.lower)
        memcpy(result->margin, p->gradient, (size_t)n * sizeof *p->gradient);
    if (upper < result->view.upper)
        memcpy(result->q, q, (size_t)n * sizeof *q);
    fathom_margin_narrow(result, lower, upper, gap);
}

/* The Newton direction (n) of the smoothed sum less m sum ln q_i on sum q = 1; work (n x n + n). Returns the
 * square of its length in the Hessian's norm, or 0 where the Hessian is not positive definite. */
static double newton(double *step, double *work, const plane *p, const double *q, double m)
{
    const int64_t n = p->points->n;
    double *other = work + n * n, up = 0, down = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t l = 0; l <= i; l++)
            work[i * n + l] = work[l * n + i] = p->hessian[i * n + l];
        work[i * n + i] = (work[i * n + i] + m / (q[i] * q[i])) * (1 + 1e-13); /* definite to rounding */
        step[i] = -p->gradient[i] + m / q[i];
        other[i] = 1;
    }
    if (fathom_blas_cholesky(work, n, n) != 0)
        return 0;
    fathom_blas_cholesky_solve(step, 1, work, n, n, 1);
    fathom_blas_cholesky_solve(other, 1, work, n, n, 1);
    for (int64_t i = 0; i < n; i++) {
        up += step[i];
        down += other[i];
    }
    fathom_blas_axpy(step, -up / down, other, n);
    for (int64_t i = 0; i < n; i++)
        square += (m / q[i] - p->gradient[i]) * step[i];
    return square;
}

static double merit(const plane *p, const double *q, double m)
{
    double total = p->smooth;
    for (int64_t i = 0; i < p->points->n; i++)
        total -= m * log(q[i]);
    return total;
}

/* q moves by a damped step, or near the minimum by a whole one; false where nothing is gained. trial (n). */
static bool move(plane *p, double *q, double *trial, const double *step, double m, bool near)
{
    const int64_t n = p->points->n;
    const double before = merit(p, q, m);
    double length = 1;
    for (int64_t i = 0; i < n; i++)
        if (step[i] < 0)
            length = fmin(length, -0.95 * q[i] / step[i]);
    for (int tries = 0; tries < 30; tries++, length /= 2) {
        for (int64_t i = 0; i < n; i++)
            trial[i] = q[i] + length * step[i];
        evaluate(p, trial, m, false);
        if (near || merit(p, trial, m) < before) {
            memcpy(q, trial, (size_t)n * sizeof *q);
            return true;
        }
    }
    return false;
}

fathom_status fathom_margin_full_plane(fathom_margin_run *run, double gap)
{
    enum { LEVELS = 40, STEPS = 40 };
    const int64_t n = run->points->n;
    fathom_margin_view *view = &run->result->view;
    double *q = fathom_memory_alloc(run->context, 3 * n + n * n + n, sizeof *q);
    plane p = {.context = run->context};
    fathom_status status = q ? plane_create(&p, run->context, run->points) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        double *trial = q + n, *step = q + 2 * n, *work = q + 3 * n, m = view->upper;
        for (int64_t i = 0; i < n; i++)
            q[i] = 1 / (double)n;
        view->method = "arcs";
        view->gates = p.arcs.m;
        for (int level = 0; level < LEVELS && !view->reached; level++, m /= 6) {
            for (int k = 0; k < STEPS; k++) {
                evaluate(&p, q, m, true);
                judge(&p, run, q, gap);
                view->iterations++;
                const double square = newton(step, work, &p, q, m);
                if (!(square > CENTRED * m) || !move(&p, q, trial, step, m, square < NEAR * m))
                    break;
            }
            if (fathom_context_poll(run->context, "arcs", view->iterations, view->upper, view->lower) ||
                m * (double)n < 1e-3 * gap * view->lower)
                break;
        }
    }
    plane_free(&p);
    fathom_memory_free(run->context, q);
    return status;
}
