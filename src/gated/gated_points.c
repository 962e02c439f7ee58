/* SPDX-License-Identifier: Apache-2.0 */
/* Products of the gated program with dense or sparse points: see gated_points.h, gate_kernels.c,
 * gate_sparse.c. */
#include "gated_points.h"

#include "blas.h"

/* Numbers of a sum over the points, unless one gate has more: what all gates have, and products of GATES of them with each
 * other, within these bounds; longer sums are made part by part. */
enum { SUM_LEAST = 1 << 14, SUM_MOST = 1 << 19, GATES = 512 };

/* The gates over some of the rows; `outputs` vectors over all of them lie n apart. */
static fathom_gate_set dense_set(const fathom_objective *p, fathom_gated_list list, fathom_row_range range)
{
    const int64_t n = range.end - range.first, words = (n + 63) / 64;
    const uint64_t *bits = (list.index ? p->bits : p->bits + list.first * p->words) + range.first / 64;
    return (fathom_gate_set){
        n, p->d, p->x + range.first * p->d, p->d, list.count, words, p->words, p->n, bits, list.index};
}

fathom_rows fathom_gated_dealt(const fathom_objective *p)
{
    return p->sparse ? fathom_rows_whole(p->n) : fathom_rows_cut(p->n);
}

fathom_sparse_gates fathom_gated_sparse_set(const fathom_objective *p, fathom_gated_list list)
{
    const uint64_t *bits = list.index ? p->bits : p->bits + list.first * p->words;
    return (fathom_sparse_gates){p->sparse, list.count, p->words, bits, list.index};
}

static int64_t kernel_workspace(const fathom_objective *p, int threads)
{
    return p->sparse ? fathom_sparse_gate_workspace(p->n, p->d) : fathom_gate_workspace(p->outputs, threads);
}

int64_t fathom_gated_sum_most(const fathom_objective *p)
{
    const int64_t block = p->outputs * p->d, side = (p->m < GATES ? p->m : GATES) + p->outputs;
    const int64_t all = p->m * block > side * side ? p->m * block : side * side;
    const int64_t some = all < SUM_LEAST ? SUM_LEAST : all < SUM_MOST ? all : SUM_MOST;
    return block > some ? block : some;
}

int64_t fathom_gated_workspace(const fathom_objective *p, int threads)
{
    return kernel_workspace(p, threads) + fathom_rows_room(fathom_gated_dealt(p), fathom_gated_sum_most(p));
}

double *fathom_gated_sum_room(const fathom_objective *p, int threads, double *workspace)
{
    return workspace + kernel_workspace(p, threads);
}

/* What a block of rows adds to an adjoint. */
typedef struct adjoint_part {
    const fathom_objective *p;
    fathom_gated_list list;
    const double *v;
    int64_t outputs;
    int threads;
    double *workspace;
} adjoint_part;

static void add_adjoint(double *g, void *user, fathom_row_range range)
{
    const adjoint_part *part = user;
    const fathom_gate_set set = dense_set(part->p, part->list, range);
    fathom_gate_adjoint(g, &set, part->v + range.first, part->outputs, part->threads, part->workspace);
}

void fathom_gated_adjoint(double *g, const fathom_objective *p, fathom_gated_list list, const double *v,
                          int64_t outputs, int threads, double *workspace)
{
    if (p->sparse) {
        const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
        fathom_sparse_gate_adjoint(g, &gates, v, outputs, threads, workspace);
        return;
    }
    const fathom_rows rows = fathom_gated_dealt(p);
    const int64_t block = outputs * p->d, most = fathom_gated_sum_most(p) / block;
    const int64_t step = rows.blocks > 1 && list.count > most ? most : list.count;
    for (int64_t first = 0; first < list.count; first += step) {
        const int64_t count = list.count - first < step ? list.count - first : step;
        adjoint_part part = {p,       {count, list.first + first, list.index ? list.index + first : NULL},
                             v,       outputs,
                             threads, workspace};
        fathom_rows_sum(g + first * block, count * block, p->context, rows, add_adjoint, &part,
                        fathom_gated_sum_room(p, threads, workspace));
    }
}

void fathom_gated_forward_own(double *f, const fathom_objective *p, fathom_gated_list list, const double *w,
                              int64_t outputs, int threads, double *workspace)
{
    if (p->sparse) {
        const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
        fathom_sparse_gate_forward(f, &gates, w, outputs, threads, workspace);
        return;
    }
    const fathom_rows rows = fathom_gated_dealt(p);
    for (fathom_row_range range = {-1, -1}; fathom_rows_next(&range, rows, p->context);) {
        const fathom_gate_set set = dense_set(p, list, range);
        fathom_gate_forward(f + range.first, &set, w, outputs, threads, workspace);
    }
}

void fathom_gated_forward(double *f, const fathom_objective *p, fathom_gated_list list, const double *w,
                          int64_t outputs, int threads, double *workspace)
{
    do
        fathom_gated_forward_own(f, p, list, w, outputs, threads, workspace);
    while (!fathom_rows_gather(f, outputs, p->context, fathom_gated_dealt(p)));
}

/* What a block of rows adds to a scalar product: one run of numbers where it is all rows. */
typedef struct dot_part {
    const double *x, *y;
    int64_t n, outputs;
} dot_part;

static void add_dot(double *sum, void *user, fathom_row_range range)
{
    const dot_part *part = user;
    const int64_t count = range.end - range.first;
    if (count == part->n) {
        *sum = fathom_blas_dot(part->x, part->y, part->outputs * part->n);
        return;
    }
    *sum = 0;
    for (int64_t k = 0; k < part->outputs; k++)
        *sum +=
            fathom_blas_dot(part->x + k * part->n + range.first, part->y + k * part->n + range.first, count);
}

double fathom_gated_dot(const double *x, const double *y, const fathom_objective *p, double *room)
{
    double sum;
    dot_part part = {x, y, p->n, p->outputs};
    fathom_rows_sum(&sum, 1, p->context, fathom_gated_dealt(p), add_dot, &part, room);
    return sum;
}

void fathom_gated_norms(double *norm, const fathom_objective *p, fathom_gated_list list, const double *v,
                        int threads, double *workspace)
{
    const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
    fathom_sparse_gate_norms(norm, &gates, v, p->outputs, threads, workspace);
}

void fathom_gated_terms(double *t, const fathom_objective *p, fathom_gated_list list, const double *adjoint,
                        const double *scale, fathom_row_range range, int threads, double *workspace)
{
    if (p->sparse) {
        const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
        fathom_sparse_gate_terms(t, &gates, adjoint, p->outputs, scale, threads, workspace);
        return;
    }
    const fathom_gate_set set = dense_set(p, list, range);
    fathom_gate_terms(t + range.first, &set, adjoint, p->outputs, scale ? scale + range.first : NULL,
                      threads);
}
