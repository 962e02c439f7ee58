/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse and least-norm networks among those of equal objective; the methods stand in relu_select.h. */
#include "relu_select.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "memory.h"

enum { NEWTON_STEPS = 60 };

/* Atoms as rows, and their weights. */
typedef struct atoms {
    int64_t n, m;
    const double *z; /* m x n */
    double *a;       /* m */
} atoms;

/* Atoms of a network, a free constant's row of ones apart: relu(X u_j + b_j) w_j' / (|u_j||w_j|), weighted a_j = |u_j||w_j|. */
typedef struct network_atoms {
    fathom_relu_network *net;
    fathom_context *context;
    int64_t n, m; /* outputs times points; neurons */
    double *z;    /* m x n */
    double *a;    /* m */
} network_atoms;

/* The atom of one neuron, of weight a > 0. */
static void fill_atom(double *z, const fathom_train_problem *p, const double *neuron, double a)
{
    const double *w = neuron + p->d + 1;
    fathom_blas_gemv(z, p->n, p->d, 1, fathom_plain(p->x, p->d), neuron, 0);
    for (int64_t i = 0; i < p->n; i++)
        z[i] = fmax(z[i] + neuron[p->d], 0);
    for (int64_t k = p->outputs - 1; k >= 0; k--) /* the first is where the others are made from */
        for (int64_t i = 0; i < p->n; i++)
            z[k * p->n + i] = z[i] * (w[k] / a);
}

static fathom_status atoms_open(network_atoms *s, fathom_relu_network *net)
{
    const fathom_train_problem *p = net->problem;
    *s = (network_atoms){.net = net, .context = p->context, .n = p->n * p->outputs, .m = net->m};
    s->z = fathom_memory_alloc(s->context, s->m * s->n, sizeof *s->z);
    s->a = fathom_memory_alloc(s->context, s->m, sizeof *s->a);
    if (!s->z || !s->a)
        return FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < s->m; j++) {
        const double *neuron = fathom_relu_neuron(net, j);
        s->a[j] = fathom_blas_norm(neuron, p->d) * fathom_blas_norm(neuron + p->d + 1, p->outputs);
        if (s->a[j] > 0)
            fill_atom(s->z + j * s->n, p, neuron, s->a[j]);
        else
            memset(s->z + j * s->n, 0, (size_t)s->n * sizeof *s->z);
    }
    return FATHOM_OK;
}

static void atoms_close(network_atoms *s) { FATHOM_FREE(s->context, s->z, s->a); }

/* Writes the weights back; neurons without weight leave. */
static fathom_status atoms_write(network_atoms *s)
{
    fathom_relu_network *net = s->net;
    const int64_t d = net->problem->d, outputs = net->problem->outputs;
    int64_t kept = 0;
    for (int64_t j = 0; j < s->m; j++) {
        double *from = fathom_relu_neuron(net, j), *into = fathom_relu_neuron(net, kept);
        const double inner = fathom_blas_norm(from, d), outer = fathom_blas_norm(from + d + 1, outputs);
        if (!(s->a[j] > 0) || !(inner * outer > 0))
            continue;
        const double root = sqrt(s->a[j]);
        for (int64_t l = 0; l <= d; l++)
            into[l] = from[l] / inner * root;
        for (int64_t l = d + 1; l <= d + outputs; l++)
            into[l] = from[l] / outer * root;
        kept++;
    }
    net->m = kept;
    return fathom_relu_network_refresh(net);
}

/* A triangular picture of the independent atoms: atom list[k] = sum_l r_kl q_l, q_l orthonormal. */
typedef struct independent {
    int64_t count;
    int64_t *list; /* most = min(m, n) */
    double *q;     /* most x n: rows q_l */
    double *r;     /* most x n: rows r_k, lower triangular */
    double *c;     /* n */
} independent;

/* Components of z along the q_l into c, what is left into q_count; returns its norm. */
static double decompose(independent *b, const double *z, int64_t n)
{
    double *rest = b->q + b->count * n;
    memset(b->c, 0, (size_t)n * sizeof *b->c);
    if (b->count < n)
        memcpy(rest, z, (size_t)n * sizeof *rest);
    else
        return 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t l = 0; l < b->count; l++) {
            const double t = fathom_blas_dot(rest, b->q + l * n, n);
            fathom_blas_axpy(rest, -t, b->q + l * n, n);
            b->c[l] += t;
        }
    return fathom_blas_norm(rest, n);
}

static void append(independent *b, int64_t atom, double left, int64_t n)
{
    fathom_blas_scale(b->q + b->count * n, 1 / left, n);
    memcpy(b->r + b->count * n, b->c, (size_t)n * sizeof *b->r);
    b->r[b->count * n + b->count] = left;
    b->list[b->count++] = atom;
}

/* Rebuilds the picture from place `first` on, `skip` left out. */
static void rebuild(independent *b, const atoms *s, int64_t first, int64_t skip)
{
    const int64_t count = b->count;
    b->count = first;
    for (int64_t k = first; k < count; k++) {
        const int64_t atom = b->list[k];
        if (k == skip)
            continue;
        const double left = decompose(b, s->z + atom * s->n, s->n);
        append(b, atom, left > 0 ? left : 1, s->n);
    }
}

/* z_j = sum_k t_k z_list[k]: weight moves along that dependence, the way that does not raise the norm, until an atom is
 * without; returns the place of that atom in the list, or -1 where it is atom j itself. */
static int64_t trade(atoms *s, independent *b, int64_t j)
{
    double norm = -1, length = INFINITY;
    int64_t leaves = -1;
    fathom_blas_triangular_solve(b->c, 1, fathom_transposed(b->r, s->n), true, b->count, 1);
    for (int64_t k = 0; k < b->count; k++)
        norm += b->c[k];
    const double way = norm <= 0 ? 1 : -1; /* 1: from atom j to the others */
    if (way > 0)
        length = s->a[j];
    for (int64_t k = 0; k < b->count; k++)
        if (way * b->c[k] < 0 && s->a[b->list[k]] < -length * way * b->c[k]) {
            length = -s->a[b->list[k]] / (way * b->c[k]);
            leaves = k;
        }
    if (!isfinite(length)) /* the norm would fall without end: rounding */
        return -1;
    for (int64_t k = 0; k < b->count; k++)
        s->a[b->list[k]] += length * way * b->c[k];
    s->a[j] -= length * way;
    s->a[leaves < 0 ? j : b->list[leaves]] = 0;
    return leaves;
}

/* Goes through the atoms; each is independent of the ones before, or one of them and it trade until one leaves. */
static void sparsify(atoms *s, independent *b)
{
    for (int64_t j = 0; j < s->m; j++) {
        const double *z = s->z + j * s->n, size = fathom_blas_norm(z, s->n);
        while (s->a[j] > 0) {
            const double left = decompose(b, z, s->n);
            if (left > 1e-9 * size) {
                append(b, j, left, s->n);
                break;
            }
            if (!(size > 0)) {
                s->a[j] = 0;
                break;
            }
            if (b->count == s->n) { /* decompose has no room to work in */
                memset(b->c, 0, (size_t)s->n * sizeof *b->c);
                for (int64_t l = 0; l < b->count; l++)
                    b->c[l] = fathom_blas_dot(z, b->q + l * s->n, s->n);
            }
            const int64_t leaves = trade(s, b, j);
            if (leaves < 0)
                break;
            rebuild(b, s, leaves, leaves);
        }
    }
}

fathom_status fathom_atoms_sparsify(double *a, fathom_context *context, int64_t m, int64_t n, const double *z)
{
    const int64_t most = m < n ? m : n;
    atoms s = {.n = n, .m = m, .z = z, .a = a};
    independent b = {0};
    b.list = fathom_memory_alloc(context, most, sizeof *b.list);
    b.q = fathom_memory_alloc(context, most * n, sizeof *b.q);
    b.r = fathom_memory_alloc(context, most * n, sizeof *b.r);
    b.c = fathom_memory_alloc(context, n, sizeof *b.c);
    const bool complete = b.list && b.q && b.r && b.c;
    if (complete)
        sparsify(&s, &b);
    FATHOM_FREE(context, b.list, b.q, b.r, b.c);
    return complete ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* a = (Z' m)_+ and the residual f - Z a; returns its norm. */
static double spread_residual(const atoms *s, double *a, double *rest, const double *m, const double *f)
{
    memcpy(rest, f, (size_t)s->n * sizeof *rest);
    for (int64_t j = 0; j < s->m; j++) {
        a[j] = fmax(fathom_blas_dot(s->z + j * s->n, m, s->n), 0);
        fathom_blas_axpy(rest, -a[j], s->z + j * s->n, s->n);
    }
    return fathom_blas_norm(rest, s->n);
}

/* Newton's method on Z (Z' m)_+ = f with a small ridge and step halving; false where it does not come to rest. */
static bool spread(atoms *s, const double *f, double *work)
{
    const int64_t n = s->n;
    double *matrix = work, *m = matrix + n * n, *step = m + n, *trial = step + n, *rest = trial + n,
           *a = rest + n;
    memset(m, 0, (size_t)n * sizeof *m);
    double left = spread_residual(s, a, rest, m, f);
    const double enough = 1e-13 * fathom_blas_norm(f, n);
    for (int k = 0; k < NEWTON_STEPS && left > enough; k++) {
        double trace = 0;
        memset(matrix, 0, (size_t)(n * n) * sizeof *matrix);
        for (int64_t j = 0; j < s->m; j++)
            if (k == 0 || a[j] > 0)
                fathom_blas_ger(matrix, n, n, n, 1, s->z + j * n, s->z + j * n);
        for (int64_t i = 0; i < n; i++)
            trace += matrix[i * n + i];
        for (int64_t i = 0; i < n; i++)
            matrix[i * n + i] += 1e-13 * trace;
        memcpy(step, rest, (size_t)n * sizeof *step);
        if (fathom_blas_cholesky(matrix, n, n) != 0)
            return false;
        fathom_blas_cholesky_solve(step, 1, matrix, n, n, 1);
        double length = 1, now = INFINITY;
        for (; length > 1e-10; length /= 2) {
            memcpy(trial, m, (size_t)n * sizeof *m);
            fathom_blas_axpy(trial, length, step, n);
            now = spread_residual(s, a, rest, trial, f);
            if (now < left)
                break;
        }
        if (!(now < left))
            break;
        memcpy(m, trial, (size_t)n * sizeof *m);
        left = now;
    }
    left = spread_residual(s, a, rest, m, f);
    memcpy(s->a, a, (size_t)s->m * sizeof *a);
    return left <= 1e3 * enough;
}

fathom_status fathom_atoms_spread(double *a, fathom_context *context, int64_t m, int64_t n, const double *z)
{
    atoms s = {.n = n, .m = m, .z = z, .a = a};
    double *work = fathom_memory_alloc(context, n * n + 4 * n + 2 * m, sizeof *work);
    double *f = fathom_memory_zero(context, n, sizeof *f);
    if (work && f) {
        double *before = work + n * n + 4 * n + m;
        memcpy(before, a, (size_t)m * sizeof *a);
        for (int64_t j = 0; j < m; j++)
            fathom_blas_axpy(f, a[j], z + j * n, n);
        if (!spread(&s, f, work))
            memcpy(a, before, (size_t)m * sizeof *a);
    }
    const fathom_status status = work && f ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_FREE(context, work, f);
    return status;
}

/* One of the two on the weights of a network. */
static fathom_status choose_weights(fathom_relu_network *net, bool spread_out)
{
    network_atoms s;
    fathom_status status = atoms_open(&s, net);
    FATHOM_THEN(status, spread_out ? fathom_atoms_spread(s.a, s.context, s.m, s.n, s.z)
                                   : fathom_atoms_sparsify(s.a, s.context, s.m, s.n, s.z));
    FATHOM_THEN(status, atoms_write(&s));
    atoms_close(&s);
    return status;
}

fathom_status fathom_relu_network_sparsify(fathom_relu_network *net) { return choose_weights(net, false); }

fathom_status fathom_relu_network_spread(fathom_relu_network *net) { return choose_weights(net, true); }
