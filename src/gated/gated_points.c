/* SPDX-License-Identifier: Apache-2.0 */
/* Products of the gated program with dense or sparse points: see gated_points.h, gate_kernels.c,
 * gate_sparse.c. */
#include "gated_points.h"

static fathom_gate_set dense_set(const fathom_objective *p, fathom_gated_list list)
{
    const uint64_t *bits = list.index ? p->bits : p->bits + list.first * p->words;
    return (fathom_gate_set){p->n, p->d, p->x, p->d, list.count, p->words, bits, list.index};
}

fathom_sparse_gates fathom_gated_sparse_set(const fathom_objective *p, fathom_gated_list list)
{
    const uint64_t *bits = list.index ? p->bits : p->bits + list.first * p->words;
    return (fathom_sparse_gates){p->sparse, list.count, p->words, bits, list.index};
}

int64_t fathom_gated_workspace(const fathom_objective *p, int threads)
{
    return p->sparse ? fathom_sparse_gate_workspace(p->n, p->d) : fathom_gate_workspace(p->outputs, threads);
}

void fathom_gated_adjoint(double *g, const fathom_objective *p, fathom_gated_list list, const double *v,
                          int64_t outputs, int threads, double *workspace)
{
    if (p->sparse) {
        const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
        fathom_sparse_gate_adjoint(g, &gates, v, outputs, threads, workspace);
        return;
    }
    const fathom_gate_set set = dense_set(p, list);
    fathom_gate_adjoint(g, &set, v, outputs, threads, workspace);
}

void fathom_gated_forward(double *f, const fathom_objective *p, fathom_gated_list list, const double *w,
                          int64_t outputs, int threads, double *workspace)
{
    if (p->sparse) {
        const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
        fathom_sparse_gate_forward(f, &gates, w, outputs, threads, workspace);
        return;
    }
    const fathom_gate_set set = dense_set(p, list);
    fathom_gate_forward(f, &set, w, outputs, threads, workspace);
}

void fathom_gated_norms(double *norm, const fathom_objective *p, fathom_gated_list list, const double *v,
                        int threads, double *workspace)
{
    const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
    fathom_sparse_gate_norms(norm, &gates, v, p->outputs, threads, workspace);
}

void fathom_gated_terms(double *t, const fathom_objective *p, fathom_gated_list list, const double *adjoint,
                        const double *scale, int threads, double *workspace)
{
    if (p->sparse) {
        const fathom_sparse_gates gates = fathom_gated_sparse_set(p, list);
        fathom_sparse_gate_terms(t, &gates, adjoint, p->outputs, scale, threads, workspace);
        return;
    }
    const fathom_gate_set set = dense_set(p, list);
    fathom_gate_terms(t, &set, adjoint, p->outputs, scale, threads);
}
