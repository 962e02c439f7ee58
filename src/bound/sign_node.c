/* SPDX-License-Identifier: Apache-2.0 */
/* One node of the branching on signs: value, derivatives and improvement; symbols in sign_node.h. */
#include "sign_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "box_norm.h"
#include "context_internal.h"
#include "dispatch.h"
#include "joint.h"
#include "lbfgs.h"
#include "memory.h"
#include "short_rows.h"

enum { MEMORY = 8 };

static const double UNIT = 0.3; /* as in joint.c */

int64_t fathom_sign_theta_size(const fathom_sign_side *side) { return side->p->n * (side->k + 2); }

int64_t fathom_sign_theta_most(const fathom_sign_side *sides)
{
    const int64_t first = fathom_sign_theta_size(sides), second = fathom_sign_theta_size(sides + 1);
    return first > second ? first : second;
}

fathom_status fathom_sign_work_create(fathom_sign_work **given, const fathom_sign_side *sides)
{
    const fathom_objective *p = sides[0].p;
    const int64_t n = p->n, d = p->d, ld = sides[0].ld;
    const int64_t rows = n, entries = fathom_sign_theta_most(sides);
    const int64_t size = entries + 2 * n + 2, m = n + 1;
    const int64_t doubles = m + entries + 3 * m * ld + 2 * rows + 3 * ld * ld + d +
                            fathom_blas_eigen_work(d) + 2 * size + fathom_lbfgs_work(size, MEMORY) +
                            3 * size + fathom_box_norm_work(d, size);
    const int64_t integers = m + n + rows + 1 + 2 * entries + 2 * n + size;
    fathom_sign_work *a = fathom_memory_zero(p->context, 1, sizeof *a);
    *given = a;
    if (!a || !(a->block = fathom_memory_alloc(p->context, doubles + integers, sizeof(double))))
        return FATHOM_ERROR_MEMORY;
    double *at = a->block;
    double **const pieces[] = {&a->alpha,     &a->sign,   &a->base,     &a->c,     &a->g,     &a->psi,
                               &a->psi_slope, &a->moment, &a->filtered, &a->spare, &a->value, &a->lapack,
                               &a->z,         &a->lower,  &a->lbfgs,    &a->box};
    const int64_t lengths[] = {m,
                               entries,
                               m * ld,
                               m * ld,
                               m * ld,
                               rows,
                               rows,
                               ld * ld,
                               ld * ld,
                               ld * ld,
                               d,
                               fathom_blas_eigen_work(d),
                               size,
                               size,
                               fathom_lbfgs_work(size, MEMORY),
                               2 * size + fathom_box_norm_work(d, size)};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        *pieces[k] = at;
        at += lengths[k];
    }
    int64_t *next = (int64_t *)(void *)at;
    a->owner = next;
    a->first = a->owner + m;
    a->slot = a->first + rows + 1;
    a->bound = a->slot + entries;
    a->vectors = (const double **)(void *)(a->bound + n);
    a->place = (int32_t *)(void *)(a->vectors + size);
    a->to = a->place + n + n % 2;
    return FATHOM_OK;
}

void fathom_sign_work_free(fathom_sign_work *work, fathom_context *context)
{
    if (work)
        fathom_memory_free(context, work->block);
    fathom_memory_free(context, work);
}

void fathom_sign_node_fix(fathom_sign_node *node, const fathom_sign_side *side, int64_t i, int sign)
{
    const int64_t k = side->k;
    node->fixed[i] = (int8_t)sign;
    node->nu[i] = 0;
    /* |c_0 + c_i| <= |c_0| + |c_i|: with alpha_0 + alpha_i the quadratic bound does not rise either */
    node->log_alpha[0] = log(exp(node->log_alpha[0]) + exp(node->log_alpha[i + 1]));
    node->log_alpha[i + 1] = -INFINITY;
    for (int64_t e = 0; e < side->rows * k; e++) {
        if (side->column[e] != i)
            continue;
        double *theta = node->theta + e / k * (k + 2);
        theta[side->sign[e] * sign > 0 ? k : k + 1] += theta[e % k];
        theta[e % k] = 0;
    }
}

/* Columns of the open points, entries of the rows, fixed points; z from the node. */
void fathom_sign_set_up(fathom_sign_work *a, const fathom_sign_side *side, const fathom_sign_node *node)
{
    const int64_t n = side->p->n, k = side->k;
    a->side = side;
    a->unit = 1;
    a->fixed = node->fixed;
    a->columns = 1;
    a->entries = a->nus = 0;
    for (int64_t i = 0; i < n; i++) {
        a->place[i] = node->fixed[i] ? 0 : side->w[i] > 0 || side->row_of[i] >= 0 ? (int32_t)a->columns : -1;
        if (a->place[i] > 0)
            a->owner[a->columns++] = i;
        if (node->fixed[i])
            a->bound[a->nus++] = i;
    }
    for (int64_t r = 0; r < side->rows; r++) {
        a->first[r] = a->entries;
        for (int64_t l = 0; l < k + 2; l++) {
            const int64_t place = l < k ? a->place[side->column[r * k + l]] : k - l - 1;
            if (l < k && place <= 0)
                continue;
            a->to[a->entries] = (int32_t)place;
            a->sign[a->entries] = l < k ? side->sign[r * k + l] : l == k ? 1 : -1;
            a->slot[a->entries++] = r * (k + 2) + l;
        }
    }
    a->first[side->rows] = a->entries;
    a->size = a->entries + a->nus + a->columns + fathom_sign_extra(a);
}

/* The constant parts of the columns: w_k x_k of open points without a row; X'w + sum over fixed ones of e
 * w_j x_j. */
void fathom_sign_set_base(fathom_sign_work *a)
{
    const fathom_sign_side *side = a->side;
    const int64_t n = side->p->n, ld = side->ld;
    memset(a->base, 0, (size_t)(a->columns * ld) * sizeof *a->base);
    for (int64_t i = 0; i < n; i++) {
        const double *x = side->padded + i * ld;
        const double own = side->row_of[i] < 0 ? fmax(side->w[i], 0) : 0;
        fathom_blas_axpy(a->base, side->w[i] + a->fixed[i] * own, x, ld);
        if (a->place[i] > 0)
            fathom_blas_axpy(a->base + a->place[i] * ld, own, x, ld);
    }
}

/* z and its lower bounds from the node; the largest log alpha missing from it is replaced by a small one. */
void fathom_sign_load(fathom_sign_work *a, const fathom_sign_node *node)
{
    double *z = a->z;
    double top = node->log_alpha[0];
    for (int64_t e = 0; e < a->entries; e++)
        z[e] = node->theta[a->slot[e]];
    for (int64_t t = 0; t < a->nus; t++)
        z[a->entries + t] = node->nu[a->bound[t]];
    for (int64_t c = 1; c < a->columns; c++)
        top = fmax(top, node->log_alpha[a->owner[c] + 1]);
    for (int64_t c = 0; c < a->columns; c++) {
        const double own = node->log_alpha[c ? a->owner[c] + 1 : 0];
        z[a->entries + a->nus + c] = fmax(own, top - 12);
    }
    if (fathom_sign_extra(a))
        z[a->size - 1] = node->log_alpha[a->side->p->n + 1];
    for (int64_t t = 0; t < a->size; t++)
        a->lower[t] = t < a->entries + a->nus ? 0 : -INFINITY;
}

static void store(fathom_sign_node *node, const fathom_sign_work *a)
{
    for (int64_t e = 0; e < a->entries; e++)
        node->theta[a->slot[e]] = a->z[e];
    for (int64_t t = 0; t < a->nus; t++)
        node->nu[a->bound[t]] = a->z[a->entries + t];
    for (int64_t c = 0; c < a->columns; c++)
        node->log_alpha[c ? a->owner[c] + 1 : 0] = a->z[a->entries + a->nus + c];
    if (fathom_sign_extra(a))
        node->log_alpha[a->side->p->n + 1] = a->z[a->size - 1];
}

/* psi and all columns C at z. */
FATHOM_DISPATCH static void fill_columns(fathom_sign_work *a, const double *z, double bend)
{
    const fathom_sign_side *side = a->side;
    const int64_t ld = side->ld;
    const double *data = side->padded;
    memcpy(a->c, a->base, (size_t)(a->columns * ld) * sizeof *a->c);
    for (int64_t r = 0; r < side->rows; r++) {
        const int64_t i = side->point[r];
        const double *x = data + i * ld;
        double t = side->w[i];
        for (int64_t e = a->first[r]; e < a->first[r + 1]; e++)
            t += z[e];
        const double root = sqrt(t * t + bend * bend);
        a->psi[r] = (t + root) / 2;
        a->psi_slope[r] = root > 0 ? (1 + t / root) / 2 : 0;
        const double own = a->place[i] > 0 ? a->psi[r] : a->fixed[i] * a->psi[r];
        double *mine = a->c + a->place[i] * ld;
        for (int64_t l = 0; l < ld; l++)
            mine[l] += own * x[l];
        for (int64_t e = a->first[r]; e < a->first[r + 1]; e++) {
            const double theta = a->sign[e] * z[e];
            double *restrict c = a->c + (a->to[e] > 0 ? a->to[e] : 0) * ld;
            for (int64_t s = 0; s < ld; s += FATHOM_SHORT_LANES)
                for (int l = 0; l < FATHOM_SHORT_LANES; l++)
                    c[s + l] -= theta * x[s + l];
        }
    }
    for (int64_t t = 0; t < a->nus; t++) {
        const double nu = a->fixed[a->bound[t]] * z[a->entries + t];
        const double *x = data + a->bound[t] * ld;
        for (int64_t l = 0; nu != 0 && l < ld; l++)
            a->c[l] += nu * x[l];
    }
}

/* Dispatched functions are called from their own file only. */
void fathom_sign_columns(fathom_sign_work *a, const double *z, double bend) { fill_columns(a, z, bend); }

/* D of the ball from t, and M = D M D. */
void fathom_sign_ball(fathom_sign_work *a, double t)
{
    const bool bias = fathom_sign_extra(a) > 0;
    t = fmin(fmax(t, -FATHOM_JOINT_FLATTEST), FATHOM_JOINT_FLATTEST);
    a->ball[0] = bias ? sqrt(1 + exp(-t)) : 1;
    a->ball[1] = bias ? sqrt(1 + exp(t)) : 1;
}

void fathom_sign_scale(double *m, const fathom_sign_work *a)
{
    const int64_t d = a->side->p->d, ld = a->side->ld;
    for (int64_t k = 0; fathom_sign_extra(a) && k < d; k++)
        for (int64_t l = 0; l < d; l++)
            m[k * ld + l] *= a->ball[k == d - 1] * a->ball[l == d - 1];
}

/* S = sum C C'/alpha, scaled for a free bias; g = C / sqrt(alpha). log alpha and t in units. Returns sum
 * alpha. */
static double fill_moment(fathom_sign_work *a, const double *log_alpha)
{
    const int64_t ld = a->side->ld;
    double sum = 0;
    for (int64_t c = 0; c < a->columns; c++) {
        const double alpha = a->alpha[c] = exp(log_alpha[c] / a->unit), scale = 1 / sqrt(alpha);
        sum += alpha;
        for (int64_t l = 0; l < ld; l++)
            a->g[c * ld + l] = scale * a->c[c * ld + l];
    }
    fathom_short_gram(a->moment, a->g, a->columns, a->side->p->d, ld, NULL);
    fathom_sign_ball(a, fathom_sign_extra(a) ? log_alpha[a->columns] / a->unit : 0);
    fathom_sign_scale(a->moment, a);
    return sum;
}

/* g_c = W C_c / (alpha_c norm); derivatives by log alpha. */
static void slope_by_columns(fathom_sign_work *a, double *by_alpha, double sum)
{
    const int64_t d = a->side->p->d, ld = a->side->ld;
    double trace = 0;
    fathom_short_multiply(a->g, a->c, a->filtered, a->columns, d, ld, NULL);
    for (int64_t c = 0; c < a->columns; c++) {
        double quadratic = 0;
        for (int64_t l = 0; l < ld; l++)
            quadratic += a->g[c * ld + l] * a->c[c * ld + l];
        by_alpha[c] = quadratic / a->alpha[c];
        trace += by_alpha[c];
    }
    for (int64_t c = 0; c < a->columns; c++) {
        const double alpha = a->alpha[c], inverse = 1 / (alpha * trace);
        by_alpha[c] = (alpha / sum - by_alpha[c] / trace) / (2 * a->unit);
        for (int64_t l = 0; l < ld; l++)
            a->g[c * ld + l] *= inverse;
    }
    if (fathom_sign_extra(a)) { /* as in joint_price.c */
        const double tau = 1 / (a->ball[0] * a->ball[0]);
        double slope = 0;
        for (int64_t t = 0; t < a->columns * ld; t++)
            slope += (t % ld == d - 1 ? tau : tau - 1) / 2 * a->g[t] * a->c[t];
        by_alpha[a->columns] = slope / a->unit;
    }
}

/* Derivatives by Theta and nu from those by C. */
FATHOM_DISPATCH static void node_slope_by_entries(const fathom_sign_work *a, double *gradient)
{
    const fathom_sign_side *side = a->side;
    const int64_t ld = side->ld;
    for (int64_t r = 0; r < side->rows; r++) {
        const int64_t i = side->point[r];
        const double *x = side->padded + i * ld, *mine = a->g + a->place[i] * ld;
        const double own =
            fathom_short_dot(x, mine, ld) * a->psi_slope[r] * (a->place[i] > 0 ? 1 : a->fixed[i]);
        for (int64_t e = a->first[r]; e < a->first[r + 1]; e++) {
            const double *g = a->g + (a->to[e] > 0 ? a->to[e] : 0) * ld;
            const double dot = fathom_short_dot(x, g, ld);
            gradient[e] = own - a->sign[e] * dot;
        }
    }
    for (int64_t t = 0; t < a->nus; t++) {
        const double *x = side->padded + a->bound[t] * ld;
        const double dot = fathom_short_dot(x, a->g, ld);
        gradient[a->entries + t] = a->fixed[a->bound[t]] * dot;
    }
}

/* log P, smoothed. */
static double objective(void *user, double *gradient, const double *z)
{
    fathom_sign_work *a = user;
    const double *log_alpha = z + a->entries + a->nus;
    fill_columns(a, z, a->bend);
    const double sum = fill_moment(a, log_alpha);
    const double norm = fathom_short_schatten(a->filtered, a->moment, a->side->p->d, a->side->ld,
                                              a->doublings, a->spare, NULL);
    if (!isfinite(sum) || !isfinite(norm))
        return INFINITY;
    fathom_sign_scale(a->filtered, a);
    slope_by_columns(a, gradient + a->entries + a->nus, sum);
    node_slope_by_entries(a, gradient);
    return log(sum) / 2 + norm / 2 - log(2.0);
}

/* The open point of positive weight whose column the relaxed u knows least about: largest q_j (1 - r_j^2),
 * q_j^2 = C_j'W C_j, r_j the cosine with C_0. */
static int64_t choose_point(const fathom_sign_work *a)
{
    const int64_t ld = a->side->ld;
    double most = 0, first = 0;
    int64_t chosen = -1;
    for (int64_t c = 0; c < a->columns; c++) {
        const double alpha = a->alpha[c];
        double square = 0, cross = 0;
        for (int64_t l = 0; l < ld; l++) {
            square += a->g[c * ld + l] * a->c[c * ld + l];
            cross += a->g[c * ld + l] * a->c[l];
        }
        square *= alpha; /* g has the factor 1 / alpha; common factors do not matter */
        cross *= alpha;
        if (c == 0) {
            first = square;
            continue;
        }
        if (!(a->side->w[a->owner[c]] > 0) || !(a->side->p->reach[a->owner[c]] > 0))
            continue;
        const double turned = square > 0 && first > 0 ? cross * cross / (square * first) : 0;
        const double score =
            sqrt(fmax(square, 0)) * (1 - turned); /* one that vanishes is as good as another */
        if (score > most || chosen < 0) {
            most = score;
            chosen = a->owner[c];
        }
    }
    return chosen;
}

/* The same at the point where a descent has ended. */
static int64_t choose_at_end(fathom_sign_work *a)
{
    objective(a, a->lbfgs, a->z);
    return choose_point(a);
}

/* log alpha and t in z in other units. */
static void change_unit(fathom_sign_work *a, double unit)
{
    for (int64_t t = a->entries + a->nus; t < a->size; t++)
        a->z[t] *= unit / a->unit;
    a->unit = unit;
}

/* Leaves out the Theta_ij that are zero and would not grow: most of them. */
static void trim(fathom_sign_work *a, const double *gradient)
{
    int64_t kept = 0, from = 0;
    for (int64_t r = 0; r < a->side->rows; r++) {
        const int64_t end = a->first[r + 1];
        for (; from < end; from++) {
            if (a->to[from] > 0 && !(a->z[from] > 0) && gradient[from] > 0)
                continue;
            a->to[kept] = a->to[from];
            a->sign[kept] = a->sign[from];
            a->slot[kept] = a->slot[from];
            a->z[kept++] = a->z[from];
        }
        a->first[r + 1] = kept;
    }
    memmove(a->z + kept, a->z + a->entries, (size_t)(a->size - a->entries) * sizeof *a->z);
    a->entries = kept;
    a->size = kept + a->nus + a->columns + fathom_sign_extra(a);
    for (int64_t t = 0; t < a->size; t++)
        a->lower[t] = t < a->entries + a->nus ? 0 : -INFINITY;
}

/* Columns that have no alpha yet get the one they would have alone: their norm, and a little for those
 * that vanish. */
static void weigh_columns(fathom_sign_work *a, const fathom_sign_node *node)
{
    const int64_t ld = a->side->ld;
    double *log_alpha = a->z + a->entries + a->nus, mean = 0;
    fill_columns(a, a->z, a->bend);
    for (int64_t c = 0; c < a->columns; c++)
        mean += fathom_blas_norm(a->c + c * ld, ld) / (double)a->columns;
    for (int64_t c = 0; c < a->columns; c++)
        if (!(node->log_alpha[c ? a->owner[c] + 1 : 0] > -INFINITY))
            log_alpha[c] = log(fathom_blas_norm(a->c + c * ld, ld) + 0.02 * mean + 1e-300);
}

/* Whether an open point of positive weight is left that is not zero. */
static bool any_open(const fathom_sign_work *a)
{
    for (int64_t c = 1; c < a->columns; c++)
        if (a->side->w[a->owner[c]] > 0 && a->side->p->reach[a->owner[c]] > 0)
            return true;
    return false;
}

int64_t fathom_sign_node_improve(fathom_sign_node *node, const fathom_sign_side *side, int64_t steps,
                                 double aim, fathom_sign_work *a)
{
    static const double bends[2] = {0.005, 0.001};
    const int64_t n = side->p->n;
    const double end = log(aim);
    fathom_sign_set_up(a, side, node);
    fathom_sign_set_base(a);
    if (!any_open(a)) {
        fathom_sign_solve_last(node, a, aim);
        return -1;
    }
    const double mean = fathom_blas_sum_abs(side->w, n) / (double)n;
    int64_t next = -1;
    for (int k = 0; k < 2; k++) {
        const fathom_lbfgs_options options = {steps, MEMORY, 1e-5, a->lower, NULL, aim > 0 ? &end : NULL};
        a->doublings = 8 + k;
        a->bend = bends[k] * mean;
        if (k > 0)
            fathom_sign_set_up(a, side, node);
        fathom_sign_load(a, node);
        weigh_columns(a, node);
        change_unit(a, UNIT * mean);
        objective(a, a->lbfgs, a->z);
        trim(a, a->lbfgs);
        fathom_lbfgs_run(a->z, side->p->context, a->size, objective, a, &options, a->lbfgs);
        const int64_t point = choose_at_end(a);
        change_unit(a, 1);
        store(node, a);
        next = point;
    }
    return next;
}
