/* SPDX-License-Identifier: Apache-2.0 */
/* The global margin: its pricing, max over |b| = 1 of |F_q(b)|, F_q(b) = sum_i q_i y_i relu(<b, x_i>), and its linear
 * program. With free biases neurons are (b, c), relu(<b, x_i> + c), |b| = 1, and sum_i q_i y_i = 0. */
#ifndef FATHOM_MARGIN_GLOBAL_H
#define FATHOM_MARGIN_GLOBAL_H

#include "margin_flats.h"
#include "margin_result.h"

/* Pricing; `found` neurons with the largest |F_q|, in descending order. */
typedef struct fathom_flat_search {
    fathom_margin_run *run; /* borrowed */
    int64_t width;          /* numbers of a neuron: d, or d + 1 with a free bias */
    bool all;               /* all flats are visited: upper is the maximum, up to rounding */
    fathom_flats flats;     /* where all */
    double upper; /* max_b |F_q(b)| is at most this; INFINITY where the context asked to stop first */
    int64_t found;
    double *value;     /* found */
    double *direction; /* found x width */
    const double *q;   /* of the last call */
    double *pull;      /* n x d: q_i y_i (x_i - centre) */
    int64_t centre;    /* that of pull; -1 for 0, -2 before the first */
    double reach;      /* sum_i |pull_i|, rounded up: F_q moves by no more per unit of b */
    double *sum;       /* S_C of the cones of one flat */
    double *work;      /* 4 x width */
    uint32_t calls;    /* of the ascent */
} fathom_flat_search;

/* Lists flats where they are few enough. Where the context asks to stop meanwhile, or cones cannot be listed, prices are
 * searched for by ascent. */
fathom_status fathom_flat_search_create(fathom_flat_search *search, fathom_margin_run *run);
void fathom_flat_search_free(fathom_flat_search *search);

/* Prices q (n, in the simplex; balanced to rounding with free biases). */
fathom_status fathom_flat_price(fathom_flat_search *search, const double *q);

/* The linear program over the neurons found so far. */
typedef struct fathom_margin_cuts {
    fathom_margin_run *run;
    fathom_context *context;
    const fathom_margin_points *points;
    int64_t n, d, width;
    double *b; /* count x width: neurons */
    int64_t count, capacity;
    double *feature; /* count x n: y_i relu(<b_k, x_i> + c_k) */
    int64_t feature_capacity;
    double *q, *margin; /* n */
    double *length;     /* n: |x_i| */
    double *best;       /* weights of the best network so far, of the first `used` neurons; behind them and
                         * a constant all of that again as the program gave it, for states */
    double constant;    /* its constant, with free biases */
    int64_t used;
    double scale; /* features are divided by it, so that the optimum is of order 1 */
} fathom_margin_cuts;

fathom_status fathom_margin_cuts_create(fathom_margin_cuts *cuts, fathom_margin_run *run);
void fathom_margin_cuts_free(fathom_margin_cuts *cuts);

/* Adds a neuron (width), unless it is there already; *added may be NULL. */
fathom_status fathom_margin_cuts_add(fathom_margin_cuts *cuts, const double *b, bool *added);

/* Solves the program: q from its dual, in the simplex and balanced with free biases; its network, where it is the best so far,
 * narrows the result's interval from below. Where the program has no answer q stays and nothing else changes. */
fathom_status fathom_margin_cuts_solve(fathom_margin_cuts *cuts, double gap);

/* Judges a network: alpha (count, then the constant; room for as much again), scaled to |alpha|_1 = 1, is taken
 * over where its least margin, rounded down, is the best so far. */
void fathom_margin_cuts_judge(fathom_margin_cuts *cuts, double **alpha, double gap);

/* Where the rounds of cutting planes stand. */
typedef struct fathom_cut_rounds {
    int64_t number, improved; /* from 1; the last with a better network */
    double best;              /* its margin */
    bool grew;                /* neurons came in the last round */
    double saved;             /* when the state was written last */
} fathom_cut_rounds;

/* States of global margins (margin_global_state.c): written to the file of --checkpoint where the last one is some
 * time ago; read from that of --resume. */
fathom_status fathom_global_state_write(const fathom_margin_cuts *cuts, const fathom_flat_search *search,
                                        fathom_cut_rounds *rounds);
fathom_status fathom_global_state_read(fathom_margin_cuts *cuts, fathom_flat_search *search,
                                       fathom_cut_rounds *rounds, double gap);

/* Scales q (n) to sum 1; with free biases both labels to 1/2 each, as sum_i q_i y_i = 0 asks for. */
void fathom_margin_cuts_balance(double *q, const fathom_margin_points *points);

/* Keeps the best network as the separator. */
fathom_status fathom_margin_keep_relu(fathom_margin_run *run, const fathom_margin_cuts *cuts);

/* gamma_gl to the relative width asked for, else 1e-5, or 1e-2 where flats are too many to visit. */
fathom_status fathom_margin_global(fathom_margin_run *run);

#endif
