/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One neuron under frozen duals, solved exactly; see neuron_flow.c.
 *
 * The examples are planes (planes.c): no two are parallel. Their effects e_i are above_i where <v, x_i> > 0, below_i where
 * it is < 0, and between the two on the kink; g = sum_i e_i x_i. The neuron moves by v' = a g and, where the output
 * weight is trained, a' = <v, g>.
 */
#ifndef FATHOM_NEURON_FLOW_H
#define FATHOM_NEURON_FLOW_H

#include "fathom/context.h"

/* The examples as one neuron sees them; borrowed. */
typedef struct neuron_field {
    int64_t n, d;
    const double *x;       /* n x d */
    const double *squares; /* n: |x_i|^2 */
    const double *above;   /* n: e_i where <v, x_i> > 0 ... */
    const double *below;   /* n: ... and < 0 */
    bool both;             /* the output weight moves too */
    double size;           /* at least sum_i |e_i| |x_i| */
    bool open;             /* where a neuron on a ridge may go either way it goes to the active side */
} neuron_field;

/* The neuron, changed in place. */
typedef struct neuron_state {
    double *v;       /* d */
    double *a;       /* 1 */
    uint8_t *slides; /* n: held on its kink */
    int64_t events, nonunique;
} neuron_state;

/* Workspace of one thread. */
typedef struct neuron_work {
    double *z, *effect, *gx; /* n: <v, x_i>, e_i, <g, x_i> */
    double *g;               /* d */
    int64_t *boundary;       /* n: examples on the kink, `count` of them */
    int64_t count;
    double *factor, *solution; /* d x d, d: Cholesky factor of the Gram matrix of the free examples */
    int64_t *free;             /* d: independent examples between their bounds, `frees` of them */
    int64_t frees;
    double *keep;    /* n + d: effects and g before a trial */
    uint8_t *slides; /* n: for callers who keep it elsewhere */
} neuron_work;

fathom_status fathom_neuron_work_create(neuron_work *work, fathom_context *context, int64_t n, int64_t d);
void fathom_neuron_work_free(neuron_work *work, fathom_context *context);

/* Moves the neuron by time h. False where kinks follow each other without end: take a shorter step. */
bool fathom_neuron_flow(neuron_state *neuron, const neuron_field *field, double h, neuron_work *work);

/* neuron_box.c: slopes of the examples on the kink (work->boundary) for a neuron that moves with sign(a) = sign; fills
 * effect and g, and marks what slides. Returns how many choices were not unique. */
int64_t fathom_neuron_decide(neuron_state *neuron, const neuron_field *field, double sign, neuron_work *work);

#endif
