/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the joint relaxation: its value, derivatives and rounded price; symbols in joint.h. */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fathom/kernel.h"
#include "joint_internal.h"

/* Threads for a pass over all pairs: waking them costs more than a small pass takes. */
static int threads_for(const fathom_joint_side *a, const fathom_gated_problem *p)
{
    const int64_t work = (p->n + a->rows * a->k) * p->d;
    return work > 100000 ? fathom_context_threads(p->context) : 1;
}

/* psi_i = max(0, t), t = sigma v_i + sum_j |Theta_ij|, or the hyperbola (t + sqrt(t^2 + bend^2)) / 2 above it. */
static void fill_psi(fathom_joint_side *a, const fathom_gated_problem *p, const double *v, const double *x,
                     double bend)
{
    for (int64_t i = 0; i < p->n; i++) {
        double t = a->sigma * v[i];
        if (a->row_of[i] >= 0) {
            const double *theta = x + a->row_of[i] * (a->k + 2);
            for (int64_t l = 0; l < a->k + 2; l++)
                t += theta[l];
        }
        const double root = sqrt(t * t + bend * bend);
        a->psi[i] = (t + root) / 2;
        a->psi_slope[i] = root > 0 ? (1 + t / root) / 2 : 0;
    }
}

/* C_j = psi_j x_j - sum_i Theta_ij x_i. */
static void fill_column(fathom_joint_side *a, const fathom_gated_problem *p, const double *x, int64_t j)
{
    const int64_t d = p->d;
    double *c = a->c + (j + 1) * d;
    for (int64_t l = 0; l < d; l++)
        c[l] = a->psi[j] * p->x[j * d + l];
    for (int64_t e = a->start[j]; e < a->start[j + 1]; e++) {
        const int64_t r = a->entry[e] / a->k, l = a->entry[e] % a->k;
        const double theta = a->sign[a->entry[e]] * x[r * (a->k + 2) + l];
        const double *point = p->x + a->point[r] * d;
        for (int64_t t = 0; t < d; t++)
            c[t] -= theta * point[t];
    }
}

/* C_0 = sigma X'v - sum_i Theta_i0 x_i. */
static void fill_first(fathom_joint_side *a, const fathom_gated_problem *p, const double *v, const double *x)
{
    memset(a->c, 0, (size_t)p->d * sizeof *a->c);
    for (int64_t i = 0; i < p->n; i++) {
        double weight = a->sigma * v[i];
        if (a->row_of[i] >= 0) {
            const double *theta = x + a->row_of[i] * (a->k + 2) + a->k;
            weight -= theta[0] - theta[1];
        }
        fathom_blas_axpy(a->c, weight, p->x + i * p->d, p->d);
    }
}

static void fill_columns(fathom_joint_side *a, const fathom_gated_problem *p, const double *v,
                         const double *x)
{
    fill_first(a, p, v, x);
#pragma omp parallel for schedule(static) num_threads(threads_for(a, p))
    for (int64_t j = 0; j < p->n; j++)
        fill_column(a, p, x, j);
}

/* D M D, D = diag(ball[0], .., ball[0], ball[1]). */
static void scale_both(double *m, const double *ball, int64_t d)
{
    for (int64_t k = 0; k < d; k++)
        for (int64_t l = 0; l < d; l++)
            m[k * d + l] *= ball[k == d - 1] * ball[l == d - 1];
}

/* S = sum_j C_j C_j' / alpha_j into `moment`, scaled for a free bias; returns sum_j alpha_j. */
static double fill_moment(fathom_joint_side *a, const fathom_gated_problem *p, const double *x)
{
    const int64_t n = p->n, d = p->d;
    const double *log_alpha = x + a->rows * (a->k + 2);
    double sum = 0;
    for (int64_t j = 0; j <= n; j++) {
        const double scale = exp(-log_alpha[j] / 2);
        sum += exp(log_alpha[j]);
        for (int64_t l = 0; l < d; l++)
            a->gradient[j * d + l] = scale * a->c[j * d + l];
    }
    fathom_blas_syrk(a->moment, d, d, n + 1, 1, fathom_transposed(a->gradient, d), 0);
    a->ball[0] = a->ball[1] = 1;
    if (p->constant) {
        a->ball[0] = sqrt(1 + exp(-log_alpha[n + 1]));
        a->ball[1] = sqrt(1 + exp(log_alpha[n + 1]));
        scale_both(a->moment, a->ball, d);
    }
    return sum;
}

/* log of the Schatten norm of S; W = V diag((value / norm)^(power - 1)) V' into `filtered`. */
static double schatten(fathom_joint_side *a, int64_t d, double power, fathom_context *context)
{
    const fathom_status status = fathom_blas_eigen(a->value, a->moment, d, d, true, context);
    if (status == FATHOM_ERROR_MEMORY) /* no convergence: a trial point too far out, where S is not finite */
        a->status = status;
    if (status != FATHOM_OK || !(a->value[d - 1] > 0))
        return -INFINITY;
    const double top = a->value[d - 1];
    double sum = 0;
    for (int64_t k = 0; k < d; k++)
        sum += pow(fmax(a->value[k], 0) / top, power);
    const double ratio = pow(sum, -1 / power);
    memset(a->filtered, 0, (size_t)(d * d) * sizeof *a->filtered);
    for (int64_t k = 0; k < d; k++) {
        const double weight = pow(fmax(a->value[k], 0) / top * ratio, power - 1);
        if (weight > 1e-18)
            fathom_blas_ger(a->filtered, d, d, d, weight, a->moment + k * d, a->moment + k * d);
    }
    if (a->ball[0] != 1)
        scale_both(a->filtered, a->ball, d);
    return log(top) - log(ratio);
}

double fathom_joint_side_value(fathom_joint_side *side, const fathom_gated_problem *problem, const double *v,
                               const double *x, double bend, double power)
{
    fill_psi(side, problem, v, x, bend);
    fill_columns(side, problem, v, x);
    const double sum = fill_moment(side, problem, x);
    return log(sum) / 2 + schatten(side, problem->d, power, problem->context) / 2 - log(2.0);
}

/* gradient_j = W C_j / (alpha_j norm), and the derivatives by log alpha_j. */
static void slope_by_c(double *g_alpha, fathom_joint_side *a, const fathom_gated_problem *p, const double *x,
                       double share)
{
    const int64_t n = p->n, d = p->d;
    const double *log_alpha = x + a->rows * (a->k + 2);
    const double top = a->value[d - 1];
    double trace = 0, sum = 0;
    /* the norm again from W: tr(W S) / norm = 1 */
    for (int64_t j = 0; j <= n; j++)
        sum += exp(log_alpha[j]);
    fathom_blas_gemm(a->gradient, d, n + 1, d, d, 1, fathom_plain(a->c, d), fathom_plain(a->filtered, d), 0);
    for (int64_t j = 0; j <= n; j++)
        trace += fathom_blas_dot(a->gradient + j * d, a->c + j * d, d) * exp(-log_alpha[j]);
    const double norm = trace > 0 ? trace : top;
    for (int64_t j = 0; j <= n; j++) {
        const double inverse = exp(-log_alpha[j]) / norm;
        const double quadratic = fathom_blas_dot(a->gradient + j * d, a->c + j * d, d) * inverse;
        g_alpha[j] = share * (exp(log_alpha[j]) / sum - quadratic) / 2;
        fathom_blas_scale(a->gradient + j * d, inverse, d);
    }
    if (p->constant) { /* d log D / dt = -(1 - tau)/2 for u, tau/2 for b; sum_j gradient_j C_j is the diagonal of W S / norm */
        const double tau = 1 / (a->ball[0] * a->ball[0]);
        double slope = 0;
        for (int64_t j = 0; j <= n; j++)
            for (int64_t l = 0; l < d; l++)
                slope += (l == d - 1 ? tau : tau - 1) / 2 * a->gradient[j * d + l] * a->c[j * d + l];
        g_alpha[n + 1] = share * slope;
    }
}

void fathom_joint_side_slope(double *gv, double *gx, fathom_joint_side *side,
                             const fathom_gated_problem *problem, const double *x, double share)
{
    const int64_t d = problem->d, k = side->k;
    slope_by_c(gx + side->rows * (k + 2), side, problem, x, share);
    const double *first = side->gradient;
#pragma omp parallel for schedule(static) num_threads(threads_for(side, problem))
    for (int64_t i = 0; i < problem->n; i++) {
        const double *point = problem->x + i * d;
        const double own = side->psi_slope[i] * fathom_blas_dot(point, side->gradient + (i + 1) * d, d);
        const double linear = fathom_blas_dot(point, first, d);
        gv[i] += share * side->sigma * (own + linear);
        if (side->row_of[i] < 0)
            continue;
        double *g = gx + side->row_of[i] * (k + 2);
        for (int64_t l = 0; l < k; l++) {
            const int64_t e = side->row_of[i] * k + l;
            const double *gradient = side->gradient + (side->column[e] + 1) * d;
            g[l] = share * (own - side->sign[e] * fathom_blas_dot(point, gradient, d));
        }
        g[k] = share * (own - linear);
        g[k + 1] = share * (own + linear);
    }
}

/*
 * Rounding, u = 2^-53. psi and C are computed with relative errors of at most (terms + 3) u of the sum of absolute
 * values; the difference dC_j enters as 1/2 sum_j |dC_j|. lambda_max of the stored S has a proven upper end; S itself
 * differs from its exact value by at most (n + d + 8) u tr S in norm.
 */
static double column_error(const fathom_joint_side *a, const fathom_gated_problem *p, const double *v,
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

fathom_status fathom_joint_side_price(double *price, fathom_joint_side *side,
                                      const fathom_gated_problem *problem, const double *v, const double *x)
{
    const double u = 0x1p-53;
    const int64_t n = problem->n, d = problem->d;
    fathom_spectrum spectrum;
    fill_psi(side, problem, v, x, 0);
    fill_columns(side, problem, v, x);
    const double sum = fill_moment(side, problem, x);
    double trace = 0;
    for (int64_t l = 0; l < d; l++)
        trace += side->moment[l * d + l];
    const fathom_status status = fathom_spectrum_compute(&spectrum, side->moment, d, d, problem->context);
    if (status != FATHOM_OK)
        return status;
    const double top = spectrum.lambda_max_upper + 2 * (double)(n + d + 8) * u * trace;
    *price = sqrt(fmax(top, 0) * sum) / 2 * (1 + (double)(n + 16) * u) + column_error(side, problem, v, x);
    return FATHOM_OK;
}
