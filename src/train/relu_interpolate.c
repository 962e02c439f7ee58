/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolation on faces: the solution of a master moved so that its outputs are the targets, to rounding.
 *
 * With G (columns x N) the features, p moves by the change dp with G' dp = y - f that is least relative to S, group by group
 * s_k = sqrt(|p_k|) times the identity, or times the projection on p_k where p_k is close to a side of its cone and may
 * only change in length: dp = S^2 G K^{-1} (y - f), K = G' S^2 G. Repeated while that helps, as K may be ill-conditioned.
 * So p goes on naming the same network. Rows of K are scaled to a unit diagonal: points may differ in length by any factor.
 *
 * What that leaves is fitted by the output weights of all neurons, and of as many drawn ones as there are points where those
 * at hand do not span the rest: with Z (m x n) the atoms, Z' dW = y - f by the dW that is least relative to s_j =
 * sqrt(|w_j||u_j|). What is left is small, and so is its share of the norm.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "gemm.h"
#include "memory.h"
#include "random.h"
#include "relu_faces.h"

enum { PASSES = 20 };

/* f = G' p + c of the solution. */
static void outputs_of(double *f, const fathom_faces *a, int64_t rows)
{
    fathom_blas_gemv(f, rows, a->start[a->count], 1, fathom_transposed(a->feature, rows), a->p, 0);
    for (int64_t i = 0; i < rows; i++)
        f[i] += a->c[i / a->problem->n];
}

/* Whether p_k is close to a side of its cone. */
static bool near_side(const fathom_faces *a, int64_t k, double norm)
{
    const int64_t at = a->start[k], size = a->start[k + 1] - at;
    for (int64_t i = 0; i < a->cone_rows[k]; i++)
        if (fathom_blas_dot(a->cone[k] + i * size, a->p + at, size) < 1e-4 * norm)
            return true;
    return false;
}

/* x (the columns of group k, `count` numbers each) = S_k x. */
static void apply_scale(double *x, int64_t count, const fathom_faces *a, int64_t k, const double *scale,
                        double *work)
{
    const int64_t at = a->start[k], size = a->start[k + 1] - at;
    const double norm = fathom_blas_norm(a->p + at, size);
    if (scale[k] >= 0) {
        fathom_blas_scale(x + at * count, scale[k], size * count);
        return;
    }
    memset(work, 0, (size_t)count * sizeof *work);
    for (int64_t l = at; l < at + size; l++)
        fathom_blas_axpy(work, a->p[l] / norm, x + l * count, count);
    for (int64_t l = at; l < at + size; l++)
        for (int64_t i = 0; i < count; i++)
            x[l * count + i] = -scale[k] * a->p[l] / norm * work[i];
}

/* row (n) = 1 / |column i of x|, by which the columns of x (count x n) are scaled; 1 where there is nothing. */
static void scale_points(double *row, double *x, int64_t count, int64_t n)
{
    memset(row, 0, (size_t)n * sizeof *row);
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            row[i] = hypot(row[i], x[k * n + i]);
    for (int64_t i = 0; i < n; i++)
        row[i] = row[i] > 0 ? 1 / row[i] : 1;
    for (int64_t k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            x[k * n + i] *= row[i];
}

/* sum_k |p_k|. */
static double norm_of(const fathom_faces *a)
{
    double sum = 0;
    for (int64_t k = 0; k < a->count; k++)
        sum += fathom_blas_norm(a->p + a->start[k], a->start[k + 1] - a->start[k]);
    return sum;
}

/* scaled (columns x N) = S G; scale (faces) = s, negative where only the length may change. */
static void scale_features(double *scaled, double *scale, const fathom_faces *a, int64_t rows, double *work)
{
    const double total = norm_of(a);
    memcpy(scaled, a->feature, (size_t)(a->start[a->count] * rows) * sizeof *scaled);
    for (int64_t k = 0; k < a->count; k++) {
        const double norm = fathom_blas_norm(a->p + a->start[k], a->start[k + 1] - a->start[k]);
        scale[k] = norm > 1e-6 * total ? sqrt(norm / total) : 0;
        if (scale[k] > 0 && near_side(a, k, norm))
            scale[k] = -scale[k];
        apply_scale(scaled, rows, a, k, scale, work);
    }
}

/* r = y - f; returns its largest entry. */
static double residual(double *r, fathom_faces *a, const double *y, int64_t rows)
{
    double most = 0;
    outputs_of(a->f, a, rows);
    for (int64_t i = 0; i < rows; i++) {
        r[i] = y[i] - a->f[i];
        most = fmax(most, fabs(r[i]));
    }
    return most;
}

/* p += S^2 G K^{-1} r with the factor of K, while that helps. */
static void repair(double *left, fathom_faces *a, const double *y, const double *scaled, const double *scale,
                   const double *factor, const double *row, double *r, double *step)
{
    const int64_t rows = a->problem->n * a->problem->outputs, columns = a->start[a->count];
    *left = residual(r, a, y, rows);
    for (int pass = 0; pass<PASSES && * left> 0; pass++) {
        for (int64_t i = 0; i < rows; i++)
            r[i] *= row[i];
        fathom_blas_cholesky_solve(r, 1, factor, rows, rows, 1);
        fathom_blas_gemv(step, columns, rows, 1, fathom_plain(scaled, rows), r, 0);
        double work;
        for (int64_t k = 0; k < a->count; k++)
            apply_scale(step, 1, a, k, scale, &work);
        fathom_blas_axpy(a->p, 1, step, columns);
        const double now = residual(r, a, y, rows);
        if (!(now < 0.5 * *left)) {
            if (now > *left)
                fathom_blas_axpy(a->p, -1, step, columns);
            *left = residual(r, a, y, rows);
            return;
        }
        *left = now;
    }
}

fathom_status fathom_faces_interpolate(double *left, fathom_faces *faces, const double *y)
{
    fathom_context *context = faces->problem->context;
    const int64_t rows = faces->problem->n * faces->problem->outputs, columns = faces->start[faces->count];
    double *scaled = fathom_memory_alloc(context, columns * rows, sizeof *scaled);
    double *k = fathom_memory_alloc(context, rows * rows, sizeof *k);
    double *work = fathom_memory_alloc(context, 2 * rows + faces->count + 2 * columns, sizeof *work),
           trace = 0;
    fathom_status status = scaled && k && work ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        double *scale = work + rows, *before = scale + faces->count + columns, *row = before + columns;
        const double norm = norm_of(faces);
        memcpy(before, faces->p, (size_t)columns * sizeof *before);
        scale_features(scaled, scale, faces, rows, work);
        scale_points(row, scaled, columns, rows);
        status = fathom_gemm(k, rows, rows, rows, columns, 1, fathom_transposed(scaled, rows),
                             fathom_plain(scaled, rows), 0, context);
        for (int64_t i = 0; i < rows; i++)
            trace += k[i * rows + i];
        for (int64_t i = 0; i < rows; i++)
            k[i * rows + i] += 1e-14 * trace;
        *left = INFINITY;
        if (status == FATHOM_OK && fathom_blas_cholesky(k, rows, rows) == 0)
            repair(left, faces, y, scaled, scale, k, row, work, scale + faces->count);
        if (!(norm_of(faces) <= 2 * norm)) /* the features do not span the rest */
            memcpy(faces->p, before, (size_t)columns * sizeof *before);
    }
    FATHOM_FREE(context, scaled, k, work);
    return status;
}

/* Atoms of neurons at hand and drawn, and a constant one where it is free. */
typedef struct fitting {
    const fathom_relu_network *net;
    fathom_context *context;
    int64_t n, m, atoms; /* points; neurons; those and the constant */
    double *direction;   /* m x (d + 1): u of norm 1, and b */
    double *w;           /* atoms x outputs */
    double *z;           /* atoms x n */
    double *scaled;      /* atoms x n: s_j z_j */
    double *k;           /* n x n: the factor of Z' S^2 Z */
    double *s;           /* atoms */
    double *rest;        /* n x outputs: y - f, then K^{-1} of it */
    double *change;      /* atoms x outputs */
    double *row;         /* n: scale of the points */
} fitting;

static fathom_status fitting_open(fitting *a, const fathom_relu_network *net, int64_t drawn)
{
    const fathom_train_problem *p = net->problem;
    *a = (fitting){.net = net, .context = p->context, .n = p->n, .m = net->m + drawn};
    a->atoms = a->m + (p->constant ? 1 : 0);
    struct {
        double **block;
        int64_t size;
    } part[] = {{&a->direction, a->m * (p->d + 1)},
                {&a->w, a->atoms * p->outputs},
                {&a->z, a->atoms * a->n},
                {&a->scaled, a->atoms * a->n},
                {&a->k, a->n * a->n},
                {&a->s, a->atoms},
                {&a->rest, a->n * p->outputs},
                {&a->change, a->atoms * p->outputs},
                {&a->row, a->n}};
    bool ok = true;
    for (size_t k = 0; k < sizeof part / sizeof part[0]; k++) {
        *part[k].block = fathom_memory_zero(a->context, part[k].size, sizeof(double));
        ok = ok && *part[k].block;
    }
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void fitting_close(fitting *a)
{
    double *block[] = {a->direction, a->w, a->z, a->scaled, a->k, a->s, a->rest, a->change, a->row};
    for (size_t k = 0; k < sizeof block / sizeof block[0]; k++)
        fathom_memory_free(a->context, block[k]);
}

/* Directions and weights: the network's, then normal ones, with a free bias through a point. */
static void fill_directions(fitting *a)
{
    const fathom_train_problem *p = a->net->problem;
    const int64_t d = p->d;
    double total = 0;
    for (int64_t j = 0; j < a->m; j++) {
        double *u = a->direction + j * (d + 1);
        if (j < a->net->m) {
            const double *neuron = fathom_relu_neuron(a->net, j), norm = fathom_blas_norm(neuron, d);
            for (int64_t l = 0; l <= d; l++)
                u[l] = norm > 0 ? neuron[l] / norm : 0;
            for (int64_t k = 0; k < p->outputs; k++)
                a->w[j * p->outputs + k] = neuron[d + 1 + k] * norm;
            a->s[j] = fathom_blas_norm(a->w + j * p->outputs, p->outputs);
            total += a->s[j];
        } else {
            fathom_random_normals(u, d, fathom_context_seed(a->context), FATHOM_STREAM_START, 1U << 22,
                                  (uint64_t)(j * d));
            fathom_blas_scale(u, 1 / fathom_blas_norm(u, d), d);
            if (p->constant)
                u[d] = -fathom_blas_dot(p->x + j % a->n * d, u, d);
        }
    }
    for (int64_t j = 0; j < a->atoms; j++) /* a drawn neuron is used as gladly as a small one at hand */
        a->s[j] = j < a->net->m ? sqrt(a->s[j] / total) : j < a->m ? 0.01 : 1;
    memcpy(a->w + a->m * p->outputs, a->net->theta, (size_t)((a->atoms - a->m) * p->outputs) * sizeof *a->w);
}

/* Atoms and the factor of K; *ok is false where there is none. */
static fathom_status fill_atoms(bool *ok, fitting *a)
{
    const fathom_train_problem *p = a->net->problem;
    double trace = 0;
    for (int64_t j = 0; j < a->atoms; j++) {
        double *z = a->z + j * a->n;
        const double *u = a->direction + j * (p->d + 1);
        if (j < a->m)
            fathom_blas_gemv(z, a->n, p->d, 1, fathom_plain(p->x, p->d), u, 0);
        for (int64_t i = 0; i < a->n; i++)
            z[i] = j < a->m ? fmax(z[i] + u[p->d], 0) : 1;
        memcpy(a->scaled + j * a->n, z, (size_t)a->n * sizeof *z);
        fathom_blas_scale(a->scaled + j * a->n, a->s[j], a->n);
    }
    scale_points(a->row, a->scaled, a->atoms, a->n);
    const fathom_status status =
        fathom_gemm(a->k, a->n, a->n, a->n, a->atoms, 1, fathom_transposed(a->scaled, a->n),
                    fathom_plain(a->scaled, a->n), 0, a->context);
    for (int64_t i = 0; i < a->n; i++)
        trace += a->k[i * a->n + i];
    for (int64_t i = 0; i < a->n; i++)
        a->k[i * a->n + i] += 1e-15 * trace;
    *ok = status == FATHOM_OK && fathom_blas_cholesky(a->k, a->n, a->n) == 0;
    return status;
}

/* rest = y - Z' W; returns its largest entry. */
static double find_rest(fitting *a, const double *y)
{
    const int64_t outputs = a->net->problem->outputs;
    double most = 0;
    for (int64_t i = 0; i < a->n * outputs; i++)
        a->rest[i] = y[i % outputs * a->n + i / outputs];
    fathom_blas_gemm(a->rest, outputs, a->n, outputs, a->atoms, -1, fathom_transposed(a->z, a->n),
                     fathom_plain(a->w, outputs), 1);
    for (int64_t i = 0; i < a->n * outputs; i++)
        most = fmax(most, fabs(a->rest[i]));
    return most;
}

/* W += S^2 Z K^{-1} (y - Z' W) while the largest difference falls by half. */
static void fit_weights(fitting *a, const double *y)
{
    const int64_t outputs = a->net->problem->outputs;
    double left = find_rest(a, y);
    for (int pass = 0; pass < PASSES && left > 0; pass++) {
        for (int64_t i = 0; i < a->n * outputs; i++)
            a->rest[i] *= a->row[i / outputs];
        fathom_blas_cholesky_solve(a->rest, outputs, a->k, a->n, a->n, outputs);
        fathom_blas_gemm(a->change, outputs, a->atoms, outputs, a->n, 1, fathom_plain(a->scaled, a->n),
                         fathom_plain(a->rest, outputs), 0);
        for (int64_t j = 0; j < a->atoms; j++)
            fathom_blas_axpy(a->w + j * outputs, a->s[j], a->change + j * outputs, outputs);
        const double now = find_rest(a, y);
        if (!(now < left))
            for (int64_t j = 0; j < a->atoms; j++)
                fathom_blas_axpy(a->w + j * outputs, -a->s[j], a->change + j * outputs, outputs);
        if (!(now < 0.5 * left))
            return;
        left = now;
    }
}

fathom_status fathom_relu_network_interpolate(fathom_relu_network *net, const double *y, int64_t drawn)
{
    fitting a;
    const int64_t d = net->problem->d, outputs = net->problem->outputs;
    bool ok = false;
    fathom_status status = fitting_open(&a, net, drawn);
    if (status == FATHOM_OK) {
        fill_directions(&a);
        status = fill_atoms(&ok, &a);
    }
    if (status == FATHOM_OK && ok) {
        fit_weights(&a, y);
        net->m = 0;
        for (int64_t j = 0; j < a.m && status == FATHOM_OK; j++)
            if (fathom_blas_norm(a.w + j * outputs, outputs) > 0)
                status = fathom_relu_network_add(net, a.direction + j * (d + 1), a.direction[j * (d + 1) + d],
                                                 a.w + j * outputs);
        memcpy(net->theta, a.w + a.m * outputs, (size_t)((a.atoms - a.m) * outputs) * sizeof *a.w);
    }
    fitting_close(&a);
    return status == FATHOM_OK ? fathom_relu_network_refresh(net) : status;
}
