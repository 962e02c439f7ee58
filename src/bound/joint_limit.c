/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What no dual point and no multipliers of the joint relaxation can pass: a point of its own primal.
 *
 * Let G be positive semidefinite with tr G = 1, x_0, .., x_n vectors with x_j'G^-1 x_j <= 1, and for side
 * sigma (rows: the points of negative weight, each
 * with its list of neighbours)
 *
 *     f_i = (<a_i, x_0> + h_i)/2,   h_i = max(0, <a_i, x_i>) where i is no row,   h_i = max over j = 0 and
 * its list of |<a_i, x_j>| where it is one.
 *
 * Then sigma v'f <= P_sigma for all v of these signs, Theta on these lists and alpha: sigma v_i <= psi_i -
 * sum_j |Theta_ij|, psi_i h_i <= psi_i <a_i, x_i> (a row
 * may take x_i = G a_i/|a_i|_G, which has <a_i, x_i> = |a_i|_G >= |<a_i, x_j>|; elsewhere x_i = 0 serves
 * where <a_i, x_i> < 0) and -|Theta_ij| h_i <= -Theta_ij <a_i, x_j>, hence
 * 2 sigma v'f <= sum_j <C_j, x_j> <= sum_j |C_j|_G <= sqrt(sum_j alpha_j tr G S) <= 2 P_sigma. With f = r_+
 * f_+ - r_- f_-, r >= 0, and s <= beta/P,
 * by Fenchel and Young
 *
 *     D(s v) <= sum_i l_i(f_i) + s v'f <= sum_i l_i(f_i) + beta (r_+ + r_-).
 *
 * The x_j of the search are x_j = G C_j/|C_j|_G, G = W/tr W: at an optimum both sides are equal. The limit
 * holds for these lists; it is computed in
 * single precision and told, not used in a proof. Cost n k d, then a search over r_+ and r_-.
 */
#include <math.h>

#include "float_rows.h"
#include "joint_swift.h"
#include "memory.h"

enum { ROUNDS = 6, STEPS = 40 };

/* x_j = W C_j / (alpha_j sqrt(tr W)), alpha_j >= |C_j|_W: into cv. */
static void fill_directions(fathom_swift_side *a)
{
    double trace = 0;
    for (int64_t k = 0; k < a->d; k++)
        trace += (double)a->w[k * a->ld + k];
    for (int64_t j = 0; j <= a->n; j++) {
        const float scale = (float)(1 / ((double)a->alpha[j] * sqrt(trace)));
        for (int64_t l = 0; l < a->ld; l++)
            a->cv[j * a->ld + l] = scale * a->cw[j * a->ld + l];
    }
}

void fathom_swift_primal(double *f, fathom_swift_side *a)
{
    const fathom_joint_side *s = a->lists;
    const int64_t ld = a->ld;
    fill_directions(a);
    for (int64_t i = 0; i < a->n; i++) {
        const float *x = a->x + i * ld;
        const int64_t r = s->row_of[i];
        const float zero = fathom_float_dot_lanes(x, a->cv, ld);
        float h = r >= 0 ? fabsf(zero) : fmaxf(0, fathom_float_dot_lanes(x, a->cv + (i + 1) * ld, ld));
        for (int64_t e = 0; r >= 0 && e < s->k; e++)
            h = fmaxf(h, fabsf(fathom_float_dot_lanes(x, a->cv + (s->column[r * s->k + e] + 1) * ld, ld)));
        f[i] = a->length[i] * (double)(zero + h) / 2;
    }
}

/* sum_i l_i(r_+ f_+ - r_- f_-) + beta (r_+ + r_-); f: f_+, f_-, room. */
static double value_at(const fathom_objective *p, double *f, const double r[2])
{
    double *sum = f + 2 * p->n;
    for (int64_t i = 0; i < p->n; i++)
        sum[i] = r[0] * f[i] - r[1] * f[p->n + i];
    return fathom_objective_loss(p, sum, 0) + p->beta * (r[0] + r[1]);
}

double fathom_swift_limit(const fathom_objective *p, double *f)
{
    double r[2] = {0, 0}, best = value_at(p, f, r);
    const double most = best / p->beta; /* where beta r alone is as much */
    for (int round = 0; round < 2 * ROUNDS; round++) {
        double *one = r + round % 2, low = 0, high = most;
        const double kept = *one;
        for (int step = 0; step < STEPS; step++) { /* convex in *one */
            double third[2];
            for (int k = 0; k < 2; k++) {
                *one = low + (high - low) * (k ? 0.55 : 0.45);
                third[k] = value_at(p, f, r);
            }
            *(third[0] < third[1] ? &high : &low) =
                third[0] < third[1] ? low + (high - low) * 0.55 : low + (high - low) * 0.45;
        }
        *one = (low + high) / 2;
        const double value = value_at(p, f, r);
        if (value < best)
            best = value;
        else
            *one = kept;
    }
    return best;
}
