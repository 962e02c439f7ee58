/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the joint relaxation in single precision: columns, weights, value and derivatives; symbols and
 * method in joint_swift.c. */
#include "joint_swift.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "float_rows.h"
#include "memory.h"
#include "short_rows.h"

enum { ROWS = 128 };

static const double SMALLEST = 1e-7; /* eigenvalue of S beside its largest */

void fathom_swift_close(fathom_swift_side *a, fathom_context *context)
{
    FATHOM_FREE(context, a->x, a->log_w);
    *a = (fathom_swift_side){0};
}

fathom_status fathom_swift_open(fathom_swift_side *a, const fathom_joint_side *lists,
                                const fathom_objective *p, const double *length)
{
    const int64_t n = p->n, ld = lists->ld, plane = ld * ld;
    *a = (fathom_swift_side){.lists = lists, .length = length, .n = n, .d = p->d, .ld = ld};
    a->x = fathom_memory_zero(p->context, (4 * n + 3) * ld + 2 * n + 1 + 2 * plane + 4 * FATHOM_FLOAT_ROOM,
                              sizeof *a->x);
    a->log_w =
        fathom_memory_zero(p->context, 6 * plane + p->d + fathom_blas_eigen_work(p->d), sizeof *a->log_w);
    if (!a->x || !a->log_w)
        return FATHOM_ERROR_MEMORY;
    a->c = a->x + n * ld;
    a->cw = a->c + (n + 1) * ld;
    a->cv = a->cw + (n + 1) * ld;
    a->alpha = a->cv + (n + 1) * ld;
    a->psi_slope = a->alpha + n + 1;
    a->w = a->psi_slope + n;
    a->v = a->w + plane;
    a->moment = a->log_w + plane;
    a->filter = a->moment + plane;
    a->spare = a->filter + plane;
    a->kept = a->spare + 2 * plane;
    a->eigen = a->kept + plane;
    for (int64_t i = 0; i < n * ld; i++)
        a->x[i] = (float)(lists->padded[i] / length[i / ld]);
    return FATHOM_OK;
}

/* psi_i by a hyperbola, C_i = psi_i x_i, and C_0 = sigma X'v - sum_i Theta_i0 x_i. */
FATHOM_DISPATCH static void swift_own(fathom_swift_side *a, const double *v, const float *z, float bend)
{
    const fathom_joint_side *l = a->lists;
    const int64_t ld = a->ld, width = l->k + 2;
    double *first = a->spare;
    memset(first, 0, (size_t)ld * sizeof *first);
    for (int64_t i = 0; i < a->n; i++) {
        const float *restrict x = a->x + i * ld;
        const float weight = (float)(l->sigma * v[i] * a->length[i]);
        float *restrict c = a->c + (i + 1) * ld, t = weight, alone = weight;
        if (l->row_of[i] >= 0) {
            const float *row = z + l->row_of[i] * width;
            for (int64_t k = 0; k < width; k++)
                t += row[k];
            alone -= row[width - 2] - row[width - 1];
        }
        const float root = sqrtf(t * t + bend * bend), psi = (t + root) / 2;
        a->psi_slope[i] = root > 0 ? (1 + t / root) / 2 : 0;
        for (int64_t k = 0; k < ld; k++) {
            c[k] = psi * x[k];
            first[k] += (double)(alone * x[k]);
        }
    }
    for (int64_t k = 0; k < ld; k++)
        a->c[k] = (float)first[k];
}

/* C_j -= sum_i Theta_ij x_i. */
FATHOM_DISPATCH static void swift_entries(fathom_swift_side *a, const float *z)
{
    const fathom_joint_side *s = a->lists;
    const int64_t ld = a->ld;
    for (int64_t r = 0; r < s->rows; r++) {
        const float *restrict x = a->x + s->point[r] * ld;
        const float *row = z + r * (s->k + 2);
        for (int64_t e = 0; e < s->k; e++) {
            if (row[e] == 0)
                continue;
            const float theta = (float)s->sign[r * s->k + e] * row[e];
            float *restrict c = a->c + (s->column[r * s->k + e] + 1) * ld;
            for (int64_t t = 0; t < ld; t += FATHOM_FLOAT_LANES)
                for (int l = 0; l < FATHOM_FLOAT_LANES; l++)
                    c[t + l] -= theta * x[t + l];
        }
    }
}

/* D M D into single precision. */
static void to_single(float *to, const fathom_swift_side *a, const double *m)
{
    for (int64_t k = 0; k < a->d; k++)
        for (int64_t l = 0; l < a->d; l++)
            to[k * a->ld + l] = (float)(m[k * a->ld + l] * a->ball[k == a->d - 1] * a->ball[l == a->d - 1]);
}

/* f of the eigenvalues of the symmetric matrix in `from`: into `to`. */
static bool by_eigenvalues(double *to, fathom_swift_side *a, const double *from, double (*f)(double, double))
{
    const int64_t d = a->d, ld = a->ld;
    double *vectors = a->spare, *scaled = a->spare + ld * ld, *value = a->eigen;
    memcpy(vectors, from, (size_t)(ld * ld) * sizeof *vectors);
    if (!fathom_blas_eigen_run(value, vectors, ld, d, a->eigen + d))
        return false;
    for (int64_t k = 0; k < d; k++) {
        const double factor = f(value[k], value[d - 1]);
        for (int64_t l = 0; l < ld; l++)
            scaled[k * ld + l] = l < d ? factor * vectors[k * ld + l] : 0;
    }
    for (int64_t i = 0; i < d; i++) {
        memset(to + i * ld, 0, (size_t)ld * sizeof *to);
        for (int64_t k = 0; k < d; k++)
            for (int64_t l = 0; l < d; l++)
                to[i * ld + l] += vectors[k * ld + i] * scaled[k * ld + l];
    }
    return true;
}

static double logarithm(double value, double top) { return log(fmax(value, SMALLEST * top)); }
static double exponential(double value, double top)
{
    (void)top;
    return exp(value);
}

/* W from log W. */
bool fathom_swift_weights(fathom_swift_side *a)
{
    if (!by_eigenvalues(a->filter, a, a->log_w, exponential))
        return false;
    to_single(a->w, a, a->filter);
    return true;
}

/* One damped step of log W to its fixed point, from the last DSD. */
bool fathom_swift_follow(fathom_swift_side *a)
{
    const double q = ldexp(1, a->doublings) + 1, step = 1.6 / (q + 1);
    if (!isfinite(a->norm) || !by_eigenvalues(a->filter, a, a->moment, logarithm))
        return false;
    for (int64_t k = 0; k < a->d; k++)
        for (int64_t l = 0; l < a->d; l++) {
            double *to = a->log_w + k * a->ld + l;
            *to += step * ((q - 1) * (a->filter[k * a->ld + l] - (k == l ? a->norm : 0)) - *to);
        }
    return fathom_swift_weights(a);
}

/* alpha from W; C / sqrt(alpha) into cv; returns sum alpha, *inverse = sum 1/alpha. */
FATHOM_DISPATCH static double swift_alpha(fathom_swift_side *a, double *inverse)
{
    const int64_t ld = a->ld;
    const float e2 = (float)(a->e * a->e);
    double sum = 0;
    *inverse = 0;
    for (int64_t j = 0; j <= a->n; j++) {
        const float *restrict c = a->c + j * ld, *restrict w = a->cw + j * ld;
        float *restrict scaled = a->cv + j * ld, lane[FATHOM_FLOAT_LANES] = {0}, square = e2;
        for (int64_t t = 0; t < ld; t += FATHOM_FLOAT_LANES)
            for (int l = 0; l < FATHOM_FLOAT_LANES; l++)
                lane[l] += c[t + l] * w[t + l];
        for (int l = 0; l < FATHOM_FLOAT_LANES; l++)
            square += lane[l];
        const float alpha = sqrtf(square > 1e-30F ? square : 1e-30F), scale = 1 / sqrtf(alpha);
        a->alpha[j] = alpha;
        sum += (double)alpha;
        *inverse += 1 / (double)alpha;
        for (int64_t l = 0; l < ld; l++)
            scaled[l] = scale * c[l];
    }
    return sum;
}

/* DSD from the rows in cv: sums over chunks in single precision, added in double. */
static void fill_moment(fathom_swift_side *a)
{
    const int64_t ld = a->ld, plane = ld * ld;
    memset(a->moment, 0, (size_t)plane * sizeof *a->moment);
    for (int64_t r = 0; r <= a->n; r += ROWS) {
        const int64_t rows = a->n + 1 - r < ROWS ? a->n + 1 - r : ROWS;
        memset(a->v, 0, (size_t)plane * sizeof *a->v);
        fathom_float_multiply_transposed(a->v, a->cv + r * ld, a->cv + r * ld, rows, ld, ld);
        for (int64_t t = 0; t < plane; t++)
            a->moment[t] += (double)a->v[t];
    }
    for (int64_t k = 0; k < a->d; k++)
        for (int64_t l = 0; l <= k; l++)
            a->moment[k * ld + l] = a->moment[l * ld + k] =
                a->moment[k * ld + l] * a->ball[k == a->d - 1] * a->ball[l == a->d - 1];
}

/* alpha for W and C, then DSD and its norm; returns sum alpha. */
static double weigh(fathom_swift_side *a, double *inverse, const fathom_context *context)
{
    fathom_float_multiply(a->cw, a->c, a->w, a->n + 1, a->ld, a->ld);
    const double sum = swift_alpha(a, inverse);
    fill_moment(a);
    a->norm = fathom_short_schatten(a->filter, a->moment, a->d, a->ld, a->doublings, a->spare, context);
    return sum;
}

void fathom_swift_ball(fathom_swift_side *a, bool constant, double t)
{
    a->ball[0] = constant ? sqrt(1 + exp(-t)) : 1;
    a->ball[1] = constant ? sqrt(1 + exp(t)) : 1;
    fathom_swift_weights(a);
}

/* Steps of the fixed point at the C of z. */
void fathom_swift_settle(fathom_swift_side *a, const double *v, const float *z, float bend, int64_t steps,
                         const fathom_context *context)
{
    double inverse;
    swift_own(a, v, z, bend);
    swift_entries(a, z);
    for (int64_t k = 0; k < steps && !fathom_context_overdue(context); k++) {
        weigh(a, &inverse, context);
        if (!fathom_swift_follow(a))
            return;
    }
}

/* From one order of the norm to the next: W^((q' - 1) / (q - 1)). */
void fathom_swift_order(fathom_swift_side *a, int doublings)
{
    const double times = a->doublings > 0 ? ldexp(1, doublings - a->doublings) : 0;
    for (int64_t t = 0; t < a->ld * a->ld; t++)
        a->log_w[t] *= times;
    a->doublings = doublings;
    fathom_swift_weights(a);
}

/* log P of the side at v, z; and V. */
double fathom_swift_value(fathom_swift_side *a, const double *v, const float *z, float bend,
                          const fathom_context *context)
{
    double inverse;
    swift_own(a, v, z, bend);
    swift_entries(a, z);
    const double sum = weigh(a, &inverse, context), n = exp(a->norm) + a->e * a->e * inverse;
    return log(sum) / 2 + log(n) / 2 - log(2.0);
}

/* After that: derivatives by C into cv. */
FATHOM_DISPATCH static void swift_by_columns(fathom_swift_side *a, double sum, double n)
{
    const int64_t ld = a->ld;
    const float e2 = (float)(a->e * a->e), share = (float)(1 / sum), by_norm = (float)(1 / n);
    for (int64_t j = 0; j <= a->n; j++) {
        const float *restrict c = a->c + j * ld, *restrict w = a->cw + j * ld;
        float *restrict g = a->cv + j * ld, lane[FATHOM_FLOAT_LANES] = {0}, square = e2;
        for (int64_t t = 0; t < ld; t += FATHOM_FLOAT_LANES)
            for (int l = 0; l < FATHOM_FLOAT_LANES; l++)
                lane[l] += c[t + l] * g[t + l];
        for (int l = 0; l < FATHOM_FLOAT_LANES; l++)
            square += lane[l];
        const float alpha = a->alpha[j], h = (share - square / (alpha * alpha) * by_norm) / 2;
        const float first = by_norm / alpha, second = h / alpha;
        for (int64_t l = 0; l < ld; l++)
            g[l] = first * g[l] + second * w[l];
    }
}

/* Derivatives by v (double) and by the multipliers from those by C. */
FATHOM_DISPATCH static void swift_by_entries(double *gv, float *gz, fathom_swift_side *a, float share)
{
    const fathom_joint_side *s = a->lists;
    const int64_t ld = a->ld, width = s->k + 2;
    const float *g = a->cv;
    for (int64_t i = 0; i < a->n; i++) {
        const float *x = a->x + i * ld;
        const float own = a->psi_slope[i] * fathom_float_dot_lanes(x, g + (i + 1) * ld, ld);
        const float zero = fathom_float_dot_lanes(x, g, ld);
        const int64_t r = s->row_of[i];
        gv[i] = s->sigma * a->length[i] * (double)(share * (own + zero));
        for (int64_t e = 0; r >= 0 && e < s->k; e++) {
            const float *restrict column = g + (s->column[r * s->k + e] + 1) * ld;
            float lane[FATHOM_FLOAT_LANES] = {0};
            for (int64_t t = 0; t < ld; t += FATHOM_FLOAT_LANES)
                for (int l = 0; l < FATHOM_FLOAT_LANES; l++)
                    lane[l] += x[t + l] * column[t + l];
            const float dot =
                ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
            gz[r * width + e] = share * (own - (float)s->sign[r * s->k + e] * dot);
        }
        if (r >= 0) {
            gz[r * width + s->k] = share * (own - zero);
            gz[r * width + s->k + 1] = share * (own + zero);
        }
    }
}

/* share times the derivatives of log P; *by_ball by t. */
void fathom_swift_slope(double *gv, float *gz, float *by_ball, fathom_swift_side *a, double share)
{
    double sum = 0, inverse = 0, slope = 0;
    for (int64_t j = 0; j <= a->n; j++) {
        sum += (double)a->alpha[j];
        inverse += 1 / (double)a->alpha[j];
    }
    to_single(a->v, a, a->filter);
    fathom_float_multiply(a->cv, a->c, a->v, a->n + 1, a->ld, a->ld);
    swift_by_columns(a, sum, exp(a->norm) + a->e * a->e * inverse);
    swift_by_entries(gv, gz, a, (float)share);
    if (!by_ball)
        return;
    const double tau = 1 / (a->ball[0] * a->ball[0]);
    for (int64_t j = 0; j <= a->n; j++)
        for (int64_t l = 0; l < a->d; l++)
            slope +=
                (l == a->d - 1 ? tau : tau - 1) / 2 * (double)(a->cv[j * a->ld + l] * a->c[j * a->ld + l]);
    *by_ball = (float)(share * slope);
}
