/* SPDX-License-Identifier: Apache-2.0 */
/* A group-sparse program by Newton's method on its barrier form; the mathematics stands in group_newton.h. */
#include "group_newton.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gemm.h"
#include "loss_row.h"
#include "memory.h"

enum { STEPS = 200, HALVINGS = 40 };

typedef struct newton {
    const fathom_group_problem *a;
    fathom_group_point *at;
    fathom_context *context;
    int64_t rows, columns, all; /* N; penalised; with the constants behind them */
    double mu;
    bool dual;                   /* solve with N x N */
    double *y;                   /* all x N: G R */
    double *scaled;              /* all x N: H^{-1/2} Y, where dual */
    double *matrix;              /* all x all or N x N */
    double *slope, *step;        /* all: minus the gradient; the step */
    double *free_curvature;      /* outputs: stands for the missing curvature of the constants */
    double *factor;              /* sum of size^2: per group the Cholesky factor of its part of H */
    int64_t *factor_at;          /* groups: where it starts */
    double *slack, *trial_slack; /* rows of C: C p */
    double *root;                /* N: curvature of the loss */
    double *trial, *trial_f;     /* all; N */
    double *z;                   /* N */
    double *kept;                /* all + 2 N: p, c, f, v of the last point on the central path */
} newton;

/* t and r of a group. */
typedef struct cone {
    double t, r;
} cone;

static cone cone_of(const newton *s, const double *p, int64_t size)
{
    const double ratio = s->mu / s->a->loss->beta;
    const double r = hypot(ratio, fathom_blas_norm(p, size));
    return (cone){ratio + r, r};
}

static bool newton_open(newton *s)
{
    const int64_t n = s->rows, m = s->all, side = s->dual ? n : m;
    const int64_t cone_rows = s->a->cone_start[s->a->groups];
    int64_t factors = 0;
    s->factor_at = fathom_memory_alloc(s->context, s->a->groups, sizeof *s->factor_at);
    if (!s->factor_at)
        return false;
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t size = s->a->start[k + 1] - s->a->start[k];
        s->factor_at[k] = factors;
        factors += size * size;
    }
    struct {
        double **block;
        int64_t size;
    } part[] = {{&s->y, m * n},
                {&s->scaled, s->dual ? m * n : 1},
                {&s->matrix, side * side},
                {&s->slope, m},
                {&s->step, m},
                {&s->free_curvature, s->a->loss->outputs},
                {&s->root, n},
                {&s->trial, m},
                {&s->trial_f, n},
                {&s->z, n},
                {&s->kept, m + 2 * n},
                {&s->factor, factors},
                {&s->slack, cone_rows},
                {&s->trial_slack, cone_rows}};
    bool ok = true;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        *part[k].block = fathom_memory_alloc(s->context, part[k].size, sizeof(double));
        ok = ok && *part[k].block;
    }
    return ok;
}

static void newton_close(newton *s)
{
    double *block[] = {s->y,     s->scaled,  s->matrix, s->slope,  s->step,  s->free_curvature, s->root,
                       s->trial, s->trial_f, s->z,      s->factor, s->slack, s->trial_slack,    s->kept};
    fathom_memory_free(s->context, s->factor_at);
    for (size_t k = 0; k < sizeof block / sizeof block[0]; k++)
        fathom_memory_free(s->context, block[k]);
}

/* The smoothing of the loss that belongs to mu: only the hinge needs one. */
static double smoothing(const newton *s) { return fathom_loss_row_of(s->a->loss->loss)->kinked ? s->mu : 0; }

/* f = G' p + c, p with the constants behind it. */
static void outputs_of(double *f, const newton *s, const double *p)
{
    const int64_t n = s->a->loss->n;
    fathom_blas_gemv(f, s->rows, s->columns, 1, fathom_transposed(s->a->feature, s->rows), p, 0);
    for (int64_t k = s->columns; k < s->all; k++)
        for (int64_t i = 0; i < n; i++)
            f[(k - s->columns) * n + i] += p[k];
}

/* C p; returns whether all are positive. */
static bool slacks_of(double *slack, const newton *s, const double *p)
{
    bool inside = true;
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at, row = s->a->cone_start[k];
        for (int64_t i = row; i < s->a->cone_start[k + 1]; i++) {
            slack[i] = fathom_blas_dot(s->a->cone[k] + (i - row) * size, p + at, size);
            inside = inside && slack[i] > 0;
        }
    }
    return inside;
}

/* The barrier function at p, f its outputs and slack = C p > 0. */
static double value_of(const newton *s, const double *p, const double *f, const double *slack)
{
    double sum = fathom_objective_loss(s->a->loss, f, smoothing(s));
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at;
        const cone c = cone_of(s, p + at, size);
        /* t^2 - |p|^2 = 2 mu t / beta */
        sum += s->a->loss->beta * c.t - s->mu * log(2 * s->mu * c.t / s->a->loss->beta);
    }
    for (int64_t i = 0; i < s->a->cone_start[s->a->groups]; i++)
        sum -= s->mu * log(slack[i]);
    return sum;
}

/* The part of H that belongs to group k, into `h` (size x size). */
static void group_curvature(double *h, const newton *s, int64_t k)
{
    const double beta = s->a->loss->beta;
    const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at, row = s->a->cone_start[k];
    const double *p = s->at->p + at;
    const cone c = cone_of(s, p, size);
    for (int64_t l = 0; l < size; l++)
        for (int64_t j = 0; j < size; j++)
            h[l * size + j] = beta / c.t * ((l == j ? 1 + 0x1p-50 : 0) - p[l] * p[j] / (c.t * c.r));
    for (int64_t i = row; i < s->a->cone_start[k + 1]; i++) {
        const double *side = s->a->cone[k] + (i - row) * size;
        const double weight = s->mu / (s->slack[i] * s->slack[i]);
        fathom_blas_ger(h, size, size, size, weight, side, side);
    }
}

/* Factors every group's part; false where rounding made one indefinite. */
static bool factor_groups(newton *s)
{
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t size = s->a->start[k + 1] - s->a->start[k];
        group_curvature(s->factor + s->factor_at[k], s, k);
        if (fathom_blas_cholesky(s->factor + s->factor_at[k], size, size) != 0)
            return false;
    }
    return true;
}

/* x (columns of `count` numbers each) = L^{-1} x, or L^{-T} x: H = L L' group by group. */
static void apply_factor(double *x, int64_t count, const newton *s, bool transposed)
{
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at;
        const double *l = s->factor + s->factor_at[k];
        fathom_blas_triangular_solve(x + at * count, count,
                                     transposed ? fathom_transposed(l, size) : fathom_plain(l, size), true,
                                     size, count);
    }
    for (int64_t k = s->columns; k < s->all; k++)
        fathom_blas_scale(x + k * count, 1 / sqrt(s->free_curvature[k - s->columns]), count);
}

/* x (all) = H^{-1} x. */
static void apply_inverse(double *x, const newton *s)
{
    apply_factor(x, 1, s, false);
    apply_factor(x, 1, s, true);
}

/* matrix += H. */
static void add_curvature(newton *s)
{
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at;
        double *h = s->factor + s->factor_at[k];
        group_curvature(h, s, k);
        for (int64_t l = 0; l < size; l++)
            fathom_blas_axpy(s->matrix + (at + l) * s->all + at, 1, h + l * size, size);
    }
    for (int64_t k = s->columns; k < s->all; k++)
        s->matrix[k * s->all + k] += s->free_curvature[k - s->columns];
}

/* Y = G R and the curvature that stands in for the constants'. */
static void weigh_features(newton *s)
{
    const fathom_objective *p = s->a->loss;
    const int64_t n = p->n, rows = s->rows;
    fathom_objective_curvature(s->root, p, s->at->f, smoothing(s));
    memcpy(s->y, s->a->feature, (size_t)(s->columns * rows) * sizeof *s->y);
    for (int64_t k = s->columns; k < s->all; k++)
        for (int64_t i = 0; i < rows; i++)
            s->y[k * rows + i] = i / n == k - s->columns ? 1 : 0;
    for (int64_t k = 0; k < s->all; k++)
        fathom_objective_root_transposed(s->y + k * rows, p, s->root);
    for (int64_t k = s->columns; k < s->all; k++)
        s->free_curvature[k - s->columns] =
            1e-8 * fathom_blas_dot(s->y + k * rows, s->y + k * rows, rows) + 1e-14;
}

/* slope = G v - h'(p), minus the gradient. */
static void find_slope(newton *s)
{
    const fathom_objective *p = s->a->loss;
    fathom_objective_residual(s->at->v, p, s->at->f, smoothing(s));
    fathom_blas_gemv(s->slope, s->columns, s->rows, 1, fathom_plain(s->a->feature, s->rows), s->at->v, 0);
    for (int64_t k = s->columns; k < s->all; k++) {
        double sum = 0;
        for (int64_t i = 0; i < p->n; i++)
            sum += s->at->v[(k - s->columns) * p->n + i];
        s->slope[k] = sum;
    }
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at;
        fathom_blas_axpy(s->slope + at, -p->beta / cone_of(s, s->at->p + at, size).t, s->at->p + at, size);
        for (int64_t i = s->a->cone_start[k]; i < s->a->cone_start[k + 1]; i++)
            fathom_blas_axpy(s->slope + at, s->mu / s->slack[i],
                             s->a->cone[k] + (i - s->a->cone_start[k]) * size, size);
    }
}

/* Factors the matrix, a little ridge added where rounding made it indefinite; false where nothing helps. */
static fathom_status factor(bool *ok, newton *s, int64_t side)
{
    double ridge = 0, trace = 0;
    int64_t minor = 1;
    for (int64_t k = 0; k < side; k++)
        trace += s->matrix[k * side + k];
    /* the strict upper triangle keeps the matrix while the lower one is factored */
    double *diagonal = s->trial_f; /* N numbers: enough only where side <= N */
    for (int64_t k = 0; k < side; k++)
        diagonal[k] = s->matrix[k * side + k];
    for (int tries = 0; tries < 8 && minor != 0; tries++) {
        for (int64_t k = 0; k < side; k++) {
            s->matrix[k * side + k] = diagonal[k] + ridge;
            for (int64_t j = 0; j < k; j++)
                s->matrix[k * side + j] = s->matrix[j * side + k];
        }
        FATHOM_TRY(fathom_cholesky_factor(&minor, s->matrix, side, side, s->context));
        ridge = ridge > 0 ? 100 * ridge : 1e-15 * trace / (double)side;
    }
    *ok = minor == 0;
    return FATHOM_OK;
}

/* C (rows x rows of op) = op op'. */
static fathom_status gram(double *c, int64_t n, int64_t inner, fathom_operand op, fathom_context *context)
{
    if ((double)n * (double)n * (double)inner < 2e6) {
        fathom_blas_syrk(c, n, n, inner, 1, op, 0);
        return FATHOM_OK;
    }
    const fathom_operand other = {op.a, op.ld, !op.transposed};
    return fathom_gemm(c, n, n, n, inner, 1, op, other, 0, context);
}

/* step = (H + Y Y')^{-1} slope through the columns. */
static fathom_status solve_columns(bool *ok, newton *s)
{
    FATHOM_TRY(gram(s->matrix, s->all, s->rows, fathom_plain(s->y, s->rows), s->context));
    add_curvature(s);
    fathom_status status = factor(ok, s, s->all);
    memcpy(s->step, s->slope, (size_t)s->all * sizeof *s->step);
    if (status == FATHOM_OK && *ok)
        fathom_cholesky_apply(s->step, 1, 1, s->matrix, s->all, s->all, s->context);
    return status;
}

/* The same through the rows: (I + Y' H^{-1} Y) z = -Y' H^{-1} slope, step = H^{-1} (slope + Y z). */
static fathom_status solve_rows(bool *ok, newton *s)
{
    memcpy(s->scaled, s->y, (size_t)(s->all * s->rows) * sizeof *s->scaled);
    *ok = factor_groups(s);
    if (!*ok)
        return FATHOM_OK;
    apply_factor(s->scaled, s->rows, s, false);
    FATHOM_TRY(gram(s->matrix, s->rows, s->all, fathom_transposed(s->scaled, s->rows), s->context));
    for (int64_t i = 0; i < s->rows; i++)
        s->matrix[i * s->rows + i] += 1;
    fathom_status status = factor(ok, s, s->rows);
    if (status != FATHOM_OK || !*ok)
        return status;
    memcpy(s->step, s->slope, (size_t)s->all * sizeof *s->step);
    apply_inverse(s->step, s);
    fathom_blas_gemv(s->z, s->rows, s->all, -1, fathom_transposed(s->y, s->rows), s->step, 0);
    fathom_cholesky_apply(s->z, 1, 1, s->matrix, s->rows, s->rows, s->context);
    memcpy(s->step, s->slope, (size_t)s->all * sizeof *s->step);
    fathom_blas_gemv(s->step, s->all, s->rows, 1, fathom_plain(s->y, s->rows), s->z, 1);
    apply_inverse(s->step, s);
    return FATHOM_OK;
}

/* 1, or most of the way to the nearest side of a cone. */
static double longest_step(newton *s)
{
    double length = 1;
    slacks_of(s->trial_slack, s, s->step);
    for (int64_t i = 0; i < s->a->cone_start[s->a->groups]; i++)
        if (s->trial_slack[i] < 0)
            length = fmin(length, -0.99 * s->slack[i] / s->trial_slack[i]);
    return length;
}

/* Moves along the step as far as the barrier function falls enough; false where it does not. */
static bool search(newton *s, double decrement, double *value)
{
    double length = longest_step(s);
    for (int k = 0; k < HALVINGS; k++, length /= 2) {
        memcpy(s->trial, s->at->p, (size_t)s->columns * sizeof *s->trial);
        memcpy(s->trial + s->columns, s->at->c, (size_t)(s->all - s->columns) * sizeof *s->trial);
        fathom_blas_axpy(s->trial, length, s->step, s->all);
        if (!slacks_of(s->trial_slack, s, s->trial))
            continue;
        outputs_of(s->trial_f, s, s->trial);
        const double next = value_of(s, s->trial, s->trial_f, s->trial_slack);
        if (!(next <= *value - 1e-4 * length * decrement + 1e-15 * fabs(*value)))
            continue;
        memcpy(s->at->p, s->trial, (size_t)s->columns * sizeof *s->trial);
        memcpy(s->at->c, s->trial + s->columns, (size_t)(s->all - s->columns) * sizeof *s->trial);
        memcpy(s->at->f, s->trial_f, (size_t)s->rows * sizeof *s->trial_f);
        memcpy(s->slack, s->trial_slack, (size_t)s->a->cone_start[s->a->groups] * sizeof *s->slack);
        *value = next;
        return true;
    }
    return false;
}

/* Newton's method at one mu; *going is false where it cannot go on, *centred where the end is not near the central path. */
static fathom_status centre(bool *going, bool *centred, newton *s, double enough)
{
    double value = value_of(s, s->at->p, s->at->f, s->slack), before = INFINITY;
    *going = true;
    *centred = false;
    while (s->at->steps < STEPS) {
        bool ok;
        s->at->steps++;
        find_slope(s);
        weigh_features(s);
        FATHOM_TRY(s->dual ? solve_rows(&ok, s) : solve_columns(&ok, s));
        const double decrement = ok ? fathom_blas_dot(s->slope, s->step, s->all) : NAN;
        *going = decrement >= 0 && isfinite(decrement);
        *centred = *going && decrement <= 0.5 * s->mu;
        if (!*going || decrement <= enough * s->mu)
            return FATHOM_OK;
        /* rounding bounds what Newton's method can reach */
        if (decrement <= 1e-13 * fabs(value) && decrement > 0.5 * before)
            return FATHOM_OK;
        before = decrement;
        if (!search(s, decrement, &value))
            return FATHOM_OK;
        if (fathom_context_stop_reason(s->context) != FATHOM_STOP_NONE) {
            *going = false;
            return FATHOM_OK;
        }
    }
    *going = false;
    return FATHOM_OK;
}

/* Copies the point to s->kept, or back. */
static void keep_point(newton *s, bool back)
{
    const struct {
        double *at;
        int64_t size;
    } part[] = {
        {s->at->p, s->columns}, {s->at->c, s->all - s->columns}, {s->at->f, s->rows}, {s->at->v, s->rows}};
    double *kept = s->kept;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        memcpy(back ? part[k].at : kept, back ? kept : part[k].at, (size_t)part[k].size * sizeof *kept);
        kept += part[k].size;
    }
}

/* sum_i c_i l + beta sum_k |p_k| at the point. */
static double objective_of(newton *s)
{
    memcpy(s->trial, s->at->p, (size_t)s->columns * sizeof *s->trial);
    memcpy(s->trial + s->columns, s->at->c, (size_t)(s->all - s->columns) * sizeof *s->trial);
    outputs_of(s->at->f, s, s->trial);
    double sum = fathom_objective_loss(s->a->loss, s->at->f, 0);
    for (int64_t k = 0; k < s->a->groups; k++)
        sum += s->a->loss->beta *
               fathom_blas_norm(s->at->p + s->a->start[k], s->a->start[k + 1] - s->a->start[k]);
    return sum;
}

/* Every group moves inside its cone by a little more than the central path's scale: Newton's method leaves a point
 * close to the boundary slowly. mu rises to where the path is as far from the optimum as that takes the point. */
static void start_inside(newton *s, double terms)
{
    const double before = objective_of(s);
    fathom_objective_residual(s->at->v, s->a->loss, s->at->f, smoothing(s));
    keep_point(s, false);
    for (int64_t k = 0; k < s->a->groups; k++) {
        const int64_t at = s->a->start[k], size = s->a->start[k + 1] - at;
        const double shift = 0.1 * fathom_blas_norm(s->at->p + at, size) + s->mu / s->a->loss->beta;
        fathom_blas_axpy(s->at->p + at, shift, s->a->inside + at, size);
    }
    s->mu = fmax(s->mu, 0.3 * (objective_of(s) - before) / terms);
    slacks_of(s->slack, s, s->at->p);
}

/* v = -l'(f) - l''(f) df with df that of the last Newton step, not taken: v moves as far as sharply curved losses let it,
 * and satisfies the dual's equations to second order. */
static void extrapolate_dual(newton *s, bool stepped)
{
    const fathom_objective *p = s->a->loss;
    find_slope(s);
    if (!stepped || fathom_loss_row_of(p->loss)->simplex)
        return;
    outputs_of(s->trial_f, s, s->step);
    fathom_objective_curvature(s->root, s->a->loss, s->at->f, smoothing(s));
    fathom_objective_root_transposed(s->trial_f, s->a->loss, s->root);
    fathom_objective_root(s->trial_f, s->a->loss, s->root);
    fathom_blas_axpy(s->at->v, -1, s->trial_f, s->rows);
    for (int64_t i = 0; i < p->n && fathom_loss_row_of(p->loss)->signs; i++) /* 0 <= y v / c <= 1 */
        s->at->v[i] = p->y[i] * fmin(fmax(p->y[i] * s->at->v[i], 0), fathom_objective_weight(p, i));
    fathom_objective_enter_box(s->at->v, p);
}

/* Along the central path down to mu = last. Where rounding ends Newton's method off the path, which makes the dual point
 * worthless, the last point on it stands, or that of the start. */
static fathom_status follow_path(newton *s, double last)
{
    bool going = true, centred = false;
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && going) {
        status = centre(&going, &centred, s, s->mu <= last ? 1e-8 : 0.3);
        if (status != FATHOM_OK || !centred)
            break;
        extrapolate_dual(s, going);
        keep_point(s, false);
        if (s->mu <= last)
            break;
        s->mu = fmax(0.1 * s->mu, last);
    }
    if (status == FATHOM_OK)
        keep_point(s, true);
    return status;
}

fathom_status fathom_group_solve(fathom_group_point *point, const fathom_group_problem *problem, double start,
                                 double gap)
{
    const fathom_objective *p = problem->loss;
    newton s = {.a = problem, .at = point, .context = p->context, .rows = p->n * p->outputs};
    const double terms = 2 * (double)problem->groups + (double)problem->cone_start[problem->groups] +
                         (fathom_loss_row_of(p->loss)->kinked ? 2 * (double)p->n : 0) + 1;
    const double last = gap / terms;
    s.columns = problem->start[problem->groups];
    s.all = s.columns + (p->constant ? p->outputs : 0);
    s.dual = s.all > s.rows;
    s.mu = fmax(start / terms, last);
    point->steps = 0;
    fathom_status status = newton_open(&s) ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        start_inside(&s, terms);
        status = follow_path(&s, last);
    }
    newton_close(&s);
    return status;
}
