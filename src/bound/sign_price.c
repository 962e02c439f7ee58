/* SPDX-License-Identifier: Apache-2.0 */
/* One node of the branching on signs: its price, rounded up; symbols in sign_node.h. */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "short_rows.h"
#include "sign_internal.h"

/*
 * Rounding, u = 2^-53: as in joint_price.c. Columns are off by at most (terms + 8) u of the sum of
 * absolute values, which enters as half the sum of their norms; lambda_max <= s + slack where a Cholesky
 * factorisation of s I - S runs to its end; S itself is off by (columns + d + 8) u tr S.
 */
static double column_error(const fathom_sign_work *a, const double *z)
{
    const fathom_sign_side *side = a->side;
    const int64_t n = side->p->n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += 3 * fabs(side->w[i]) * side->p->reach[i];
    for (int64_t r = 0; r < side->rows; r++)
        for (int64_t e = a->first[r]; e < a->first[r + 1]; e++)
            sum += 3 * z[e] * side->p->reach[side->point[r]];
    for (int64_t t = 0; t < a->nus; t++)
        sum += z[a->entries + t] * side->p->reach[a->bound[t]];
    return 4 * (double)(2 * n + side->k + 16) * 0x1p-53 * sum;
}

/* An upper bound on lambda_max of the moment matrix, infinite where none is found. */
static double top_eigenvalue(fathom_sign_work *a)
{
    const int64_t d = a->side->p->d, ld = a->side->ld;
    double trace = 0;
    for (int64_t l = 0; l < d; l++)
        trace += a->moment[l * ld + l];
    memcpy(a->filtered, a->moment, (size_t)(ld * ld) * sizeof *a->filtered);
    if (!isfinite(trace) || !fathom_blas_eigen_run(a->value, a->filtered, ld, d, a->lapack))
        return INFINITY;
    const double slack = fathom_cholesky_slack(d, (double)d * fmax(a->value[d - 1], 0) + trace);
    for (int attempt = 0; attempt < 20; attempt++) {
        const double s = a->value[d - 1] + ldexp(slack, attempt);
        for (int64_t k = 0; k < d; k++)
            for (int64_t l = 0; l < d; l++)
                a->filtered[k * ld + l] = (k == l ? s : 0) - a->moment[k * ld + l];
        if (fathom_blas_cholesky(a->filtered, ld, d) == 0)
            return s + slack + 2 * (double)(a->columns + d + 8) * 0x1p-53 * trace;
    }
    return INFINITY;
}

/* With a free bias every column stays in the matrix, as certificates ask for: one without alpha gets its
 * norm, which costs about what it would apart, but no less than this. */
static double least_alpha(const fathom_sign_work *a)
{
    const int64_t ld = a->side->ld;
    double most = 0;
    for (int64_t c = 0; c < a->columns; c++)
        most = fmax(most, fathom_blas_norm(a->c + c * ld, ld));
    return 1e-11 * most;
}

double fathom_sign_node_price(fathom_sign_node *node, const fathom_sign_side *side, fathom_sign_work *a)
{
    const int64_t ld = side->ld, n = side->p->n;
    fathom_sign_set_up(a, side, node);
    fathom_sign_set_base(a);
    fathom_sign_load(a, node);
    for (int64_t t = 0; t < a->entries + a->nus; t++)
        a->z[t] = fmax(a->z[t], 0);
    fathom_sign_columns(a, a->z, 0);
    /* without a free bias columns without alpha enter as they are and leave the matrix */
    double apart = 0, sum = 0;
    int64_t kept = 0;
    const bool all = fathom_sign_extra(a) > 0;
    const double least = all ? least_alpha(a) : 0;
    for (int64_t c = 0; c < a->columns; c++) {
        double *own = node->log_alpha + (c ? a->owner[c] + 1 : 0), alpha = exp(*own);
        const double norm = fathom_blas_norm(a->c + c * ld, ld);
        if (!(alpha > 0) || !(norm > 1e-9 * alpha)) {
            apart += all ? 0 : norm;
            *own = all && least > 0 ? log(fmax(norm, least)) : -INFINITY;
            alpha = exp(*own);
        }
        if (!(alpha > 0))
            continue;
        const double scale = 1 / sqrt(alpha);
        sum += alpha;
        for (int64_t l = 0; l < ld; l++)
            a->g[kept * ld + l] = scale * a->c[c * ld + l];
        kept++;
    }
    double top = 0;
    if (kept > 0) {
        fathom_short_gram(a->moment, a->g, kept, side->p->d, ld, NULL);
        fathom_sign_ball(a, a->z[a->size - 1]);
        fathom_sign_scale(a->moment, a);
        top = top_eigenvalue(a);
    }
    const double price = (sqrt(top * sum) + apart) / 2 * (1 + (double)(n + 32) * 0x1p-52);
    return price + column_error(a, a->z);
}
