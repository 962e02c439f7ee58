/* SPDX-License-Identifier: Apache-2.0 */
/* What the event-locked Runge-Kutta method shares: the field on fixed modes, its events, and the change of modes. */
#ifndef FATHOM_REFERENCE_H
#define FATHOM_REFERENCE_H

#include "dynamics_internal.h"
#include "neuron_flow.h"

/* Modes of a pair (neuron j, plane i). */
enum { REFERENCE_CLOSED, REFERENCE_OPEN, REFERENCE_SLIDES };

/* The unknowns are one vector: V (m x d), a (m), ln(1 + t). */
typedef struct reference {
    dynamics_run *run;
    const fathom_planes *planes;
    int64_t n, count, m, d, size; /* examples, planes, units, inputs; size = m d + m + 1 */
    double alpha;
    bool both;
    uint8_t *mode;     /* m x count */
    double *slope;     /* count x m: 1, alpha, or 0 where the pair slides */
    double *z, *push;  /* count x m: <v_j, u_i>; effects by mode, 0 where the pair slides (room for n x m) */
    double *f, *force; /* n: outputs; q_i y_i */
    double *above;     /* count: effects on neurons in front of the planes ... */
    double *below;     /* count: ... and behind them (planes.c) */
    double total;      /* sum_i |force_i| |x_i| */
    double *g;         /* m x d: sum_i push_ij u_i */
    double *
        basis; /* rows of length d: orthonormal bases of the planes on which a neuron slides, one after the other */
    int64_t *first, basis_room; /* m + 1: where they begin */
    double patience; /* forces count as inside up to this many times rounding: grows where events tie */
    double log_loss, log_rate; /* ln R and ln(dt / dtau) of the last evaluation */
    neuron_work work;
} reference;

fathom_status fathom_reference_create(reference *r, dynamics_run *run);
void fathom_reference_free(reference *r);

/* Modes by the signs of z, sliding pairs as the state says; neurons that stand on kinks decide where to go
 * (those of a resumed run have done so); and the bases. */
fathom_status fathom_reference_begin(reference *r, double *w);

/* Slope of the unit j at example i, whose plane may be seen from behind; 0 where the pair slides. */
double fathom_reference_slope(const reference *r, int64_t i, int64_t j);

/* out = dw/dtau; counts an evaluation. */
fathom_status fathom_reference_field(double *out, reference *r, const double *w);

/* An event: what must not become negative. */
typedef enum reference_kind {
    EVENT_SIDE,
    EVENT_FORCE,
    EVENT_SIGN,
    EVENT_LOSS,
    EVENT_TIME,
    EVENT_DISTANCE
} reference_kind;
typedef struct reference_event {
    reference_kind kind;
    int64_t j, i;
    double value, tolerance; /* at the state of the search; what counts as 0 */
} reference_event;

/* The value of an event at w, whose field was evaluated last. */
double fathom_reference_value(reference *r, const double *w, const reference_event *event);

/* Calls `found` with every event that is violated at w, whose field was evaluated last. */
typedef void reference_visitor(void *user, const reference_event *event);
void fathom_reference_search(reference *r, const double *w, reference_visitor *found, void *user);

/* Carries out an event at w: new modes of its neuron, v back on its kinks. */
fathom_status fathom_reference_switch(reference *r, double *w, const reference_event *event);

/* reference_late.c: one chunk of the late flow from w, whose field was evaluated last; false in *moved where an event or the
 * integrator ended it before: w is then as it was. */
fathom_status fathom_reference_late(bool *moved, reference *r, double *w);

#endif
