/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the joint relaxation: its value, derivatives and rounded price; symbols in joint.h. */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "fathom/kernel.h"
#include "joint_internal.h"
#include "memory.h"
#include "short_rows.h"

/* Orders of the norm by which alpha is found, from smooth to sharp, and steps at each. */
static const struct {
    int doublings, steps;
} weighings[] = {{3, 15}, {4, 15}, {5, 20}, {6, 30}};

/* psi_i = max(0, t), t = sigma v_i + sum_j |Theta_ij|, or the hyperbola (t + sqrt(t^2 + bend^2)) / 2 above
 * it; C_i = psi_i x_i; C_0 = sigma X'v. */
static void fill_own(fathom_joint_side *a, const fathom_objective *p, const double *v, const double *z,
                     double bend)
{
    const int64_t n = p->n, ld = a->ld;
    memset(a->c, 0, (size_t)ld * sizeof *a->c);
    for (int64_t i = 0; i < n; i++) {
        const double *x = a->padded + i * ld, weight = a->sigma * v[i];
        const int64_t r = a->row_of[i];
        double *c = a->c + (i + 1) * ld, t = weight;
        for (int64_t e = r < 0 ? 0 : a->first[r]; r >= 0 && e < a->first[r + 1]; e++)
            t += z[e];
        const double root = sqrt(t * t + bend * bend), psi = (t + root) / 2;
        a->psi[i] = psi;
        a->psi_slope[i] = root > 0 ? (1 + t / root) / 2 : 0;
        for (int64_t l = 0; l < ld; l++) {
            c[l] = psi * x[l];
            a->c[l] += weight * x[l];
        }
    }
}

/* C_j -= sum_i Theta_ij x_i. */
FATHOM_DISPATCH static void add_entries(fathom_joint_side *a, const double *z)
{
    const int64_t ld = a->ld;
    for (int64_t r = 0; r < a->rows; r++) {
        const double *restrict x = a->padded + a->point[r] * ld;
        for (int64_t e = a->first[r]; e < a->first[r + 1]; e++) {
            const double theta = a->turn[e] * z[e];
            double *restrict c = a->c + a->to[e] * ld;
            for (int64_t t = 0; t < ld; t += FATHOM_SHORT_LANES)
                for (int l = 0; l < FATHOM_SHORT_LANES; l++)
                    c[t + l] -= theta * x[t + l];
        }
    }
}

/* D M D, D = diag(ball[0], .., ball[0], ball[1]). */
static void scale_both(double *m, const double *ball, int64_t d, int64_t ld)
{
    for (int64_t k = 0; k < d; k++)
        for (int64_t l = 0; l < d; l++)
            m[k * ld + l] *= ball[k == d - 1] * ball[l == d - 1];
}

/* S = sum_j C_j C_j' / alpha_j into `moment`, scaled for a free bias; returns sum_j alpha_j. log_alpha and
 * t are given in units. */
static double fill_moment(fathom_joint_side *a, const fathom_objective *p, const double *log_alpha,
                          double unit)
{
    const int64_t n = p->n, ld = a->ld;
    const double t = p->constant ? log_alpha[n + 1] / unit : 0;
    double sum = 0;
    for (int64_t j = 0; j <= n; j++) {
        const double alpha = exp(log_alpha[j] / unit), scale = 1 / sqrt(alpha);
        a->alpha[j] = alpha;
        sum += alpha;
        for (int64_t l = 0; l < ld; l++)
            a->gradient[j * ld + l] = scale * a->c[j * ld + l];
    }
    fathom_short_gram(a->moment, a->gradient, n + 1, p->d, ld, p->context);
    a->ball[0] = a->ball[1] = 1;
    if (p->constant) {
        a->ball[0] = sqrt(1 + exp(-t));
        a->ball[1] = sqrt(1 + exp(t));
        scale_both(a->moment, a->ball, p->d, ld);
    }
    return sum;
}

void fathom_joint_side_columns(fathom_joint_side *side, const fathom_objective *problem, const double *v,
                               const double *z, double bend)
{
    fill_own(side, problem, v, z, bend);
    add_entries(side, z);
}

double fathom_joint_side_value(fathom_joint_side *side, const fathom_objective *problem, const double *v,
                               const double *z, double bend, int doublings)
{
    fathom_joint_side_columns(side, problem, v, z, bend);
    const double sum = fill_moment(side, problem, z + side->entries, side->unit);
    const double norm = fathom_short_schatten(side->filtered, side->moment, problem->d, side->ld, doublings,
                                              side->spare, problem->context);
    if (problem->constant)
        scale_both(side->filtered, side->ball, problem->d, side->ld);
    return log(sum) / 2 + norm / 2 - log(2.0);
}

/* gradient_j = W C_j / (alpha_j norm), and the derivatives by log alpha_j. */
static void slope_by_c(double *g_alpha, fathom_joint_side *a, const fathom_objective *p, double share)
{
    const int64_t n = p->n, d = p->d, ld = a->ld;
    double trace = 0, sum = 0;
    fathom_short_multiply(a->gradient, a->c, a->filtered, n + 1, d, ld, p->context);
    for (int64_t j = 0; j <= n; j++) { /* the norm again from W: tr(W S) */
        double quadratic = 0;
        for (int64_t l = 0; l < ld; l++)
            quadratic += a->gradient[j * ld + l] * a->c[j * ld + l];
        g_alpha[j] = quadratic / a->alpha[j];
        trace += g_alpha[j];
        sum += a->alpha[j];
    }
    for (int64_t j = 0; j <= n; j++) {
        const double inverse = 1 / (a->alpha[j] * trace);
        g_alpha[j] = share / a->unit * (a->alpha[j] / sum - g_alpha[j] / trace) / 2;
        for (int64_t l = 0; l < ld; l++)
            a->gradient[j * ld + l] *= inverse;
    }
    if (p->constant) { /* d log D / dt = -(1 - tau)/2 for u, tau/2 for b; sum_j gradient_j C_j is the diagonal of W S / norm */
        const double tau = 1 / (a->ball[0] * a->ball[0]);
        double slope = 0;
        for (int64_t j = 0; j <= n; j++)
            for (int64_t l = 0; l < d; l++)
                slope += (l == d - 1 ? tau : tau - 1) / 2 * a->gradient[j * ld + l] * a->c[j * ld + l];
        g_alpha[n + 1] = share / a->unit * slope;
    }
}

/* Derivatives by v and by the entries at work from those by C. */
FATHOM_DISPATCH static void slope_by_entries(double *gv, double *gz, fathom_joint_side *a, int64_t n,
                                             double share)
{
    const int64_t ld = a->ld;
    const double *g = a->gradient;
    for (int64_t i = 0; i < n; i++) {
        const double *x = a->padded + i * ld;
        const double own = a->psi_slope[i] * fathom_short_dot(x, g + (i + 1) * ld, ld);
        const int64_t r = a->row_of[i];
        a->own[i] = own;
        gv[i] = share * a->sigma * (own + fathom_short_dot(x, g, ld));
        for (int64_t e = r < 0 ? 0 : a->first[r]; r >= 0 && e < a->first[r + 1]; e++)
            gz[e] = share * (own - a->turn[e] * fathom_short_dot(x, g + a->to[e] * ld, ld));
    }
}

void fathom_joint_side_slope(double *gv, double *gz, fathom_joint_side *side, const fathom_objective *problem,
                             double share)
{
    slope_by_c(gz + side->entries, side, problem, share);
    slope_by_entries(gv, gz, side, problem->n, share);
}

double fathom_joint_side_growth(const fathom_joint_side *side, int64_t r, int64_t l)
{
    const int64_t e = r * side->k + l, ld = side->ld, i = side->point[r];
    return side->sign[e] *
               fathom_short_dot(side->padded + i * ld, side->gradient + (side->column[e] + 1) * ld, ld) -
           side->own[i];
}

/*
 * Rounding, u = 2^-53. psi and C are computed with relative errors of at most (terms + 3) u of the sum of
 * absolute values; the difference dC_j enters as 1/2 sum_j |dC_j|. lambda_max of the stored S has a proven
 * upper end; S itself differs from its exact value by at most (n + d + 8) u tr S in norm.
 */
static double column_error(const fathom_joint_side *a, const fathom_objective *p, const double *v,
                           const double *x)
{
    const double u = 0x1p-53;
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double weight = fabs(v[i]) + a->psi[i], terms = (double)p->n;
        if (a->row_of[i] >= 0)
            for (int64_t l = 0; l < a->k + 2; l++)
                weight += 2 * x[a->row_of[i] * (a->k + 2) + l];
        terms += (double)(a->k + 8);
        sum += terms * u * weight * p->reach[i];
    }
    return 8 * sum;
}

/* psi and C at all variables x of the side, as they are. */
static fathom_status columns_at(fathom_joint_side *a, const fathom_objective *p, const double *v,
                                const double *x)
{
    fathom_joint_side_pack(a, x, FATHOM_JOINT_POSITIVE);
    double *z = fathom_memory_alloc(p->context, a->entries + 1, sizeof *z);
    if (!z)
        return FATHOM_ERROR_MEMORY;
    for (int64_t e = 0; e < a->entries; e++)
        z[e] = x[a->slot[e]];
    fathom_joint_side_columns(a, p, v, z, 0);
    fathom_memory_free(p->context, z);
    return FATHOM_OK;
}

/* One damped step of the fixed point alpha_j = sqrt(C_j'W C_j), W = (S / |S|_q)^(q - 1), in logarithms; sum alpha stays. */
static bool weigh_once(double *log_alpha, fathom_joint_side *a, const fathom_objective *p, int doublings)
{
    const int64_t n = p->n, ld = a->ld;
    const double step = 1.6 / (2 + ldexp(1, doublings)), sum = fill_moment(a, p, log_alpha, 1);
    double wanted = 0;
    if (!isfinite(fathom_short_schatten(a->filtered, a->moment, p->d, ld, doublings, a->spare, p->context)))
        return false;
    if (p->constant)
        scale_both(a->filtered, a->ball, p->d, ld);
    fathom_short_multiply(a->gradient, a->c, a->filtered, n + 1, p->d, ld, p->context);
    for (int64_t j = 0; j <= n; j++) {
        a->alpha[j] = sqrt(fmax(fathom_short_dot(a->gradient + j * ld, a->c + j * ld, ld), 0));
        wanted += a->alpha[j];
    }
    if (!(wanted > 0) || fathom_context_overdue(p->context))
        return false;
    for (int64_t j = 0; j <= n; j++)
        log_alpha[j] += step * (log(fmax(a->alpha[j], 1e-300) * (sum / wanted)) - log_alpha[j]);
    return true;
}

fathom_status fathom_joint_side_weigh(double *x, fathom_joint_side *side, const fathom_objective *problem,
                                      const double *v, const double *lower, const double *upper)
{
    const int64_t from = side->rows * (side->k + 2);
    FATHOM_TRY(columns_at(side, problem, v, x));
    for (size_t k = 0; k < sizeof weighings / sizeof weighings[0]; k++)
        for (int t = 0; t < weighings[k].steps; t++)
            if (!weigh_once(x + from, side, problem, weighings[k].doublings))
                return FATHOM_OK;
    for (int64_t j = from; j <= from + problem->n; j++)
        x[j] = fmin(fmax(x[j], lower[j]), upper[j]);
    return FATHOM_OK;
}

fathom_status fathom_joint_side_price(double *price, fathom_joint_side *side, const fathom_objective *problem,
                                      const double *v, const double *x)
{
    const double u = 0x1p-53;
    const int64_t n = problem->n, d = problem->d, ld = side->ld;
    fathom_spectrum spectrum;
    FATHOM_TRY(columns_at(side, problem, v, x));
    const double sum = fill_moment(side, problem, x + side->rows * (side->k + 2), 1);
    if (fathom_context_overdue(problem->context)) /* the moment may be a part of itself */
        return fathom_context_late(problem->context, "the price of a dual point");
    double trace = 0;
    for (int64_t l = 0; l < d; l++)
        trace += side->moment[l * ld + l];
    *price = INFINITY;
    if (!isfinite(trace) || !isfinite(sum)) /* weights that a search has driven out of range prove nothing */
        return FATHOM_OK;
    FATHOM_TRY(fathom_spectrum_compute(&spectrum, side->moment, ld, d, problem->context));
    const double top = spectrum.lambda_max_upper + 2 * (double)(n + d + 8) * u * trace;
    *price = sqrt(fmax(top, 0) * sum) / 2 * (1 + (double)(n + 16) * u) + column_error(side, problem, v, x);
    return FATHOM_OK;
}
