/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds of local pricing: neurons of high price at a dual point, by ascent (ascent.h) from drawn starts and from
 * neurons at hand. The prices found are lower bounds on p(v).
 */
#ifndef FATHOM_RELU_PRICING_H
#define FATHOM_RELU_PRICING_H

#include "relu_network.h"

typedef struct fathom_pricing {
    const fathom_train_problem *problem; /* borrowed */
    int64_t count, capacity, width;      /* width: d, or d + 1 with a free bias */
    double *u;            /* capacity x width: found neurons, |u| = 1; zero where nothing was found */
    double *sign, *value; /* capacity: side (one output) and price */
    double best;          /* the largest price of the last round */
    uint32_t round;       /* of draws so far */
} fathom_pricing;

void fathom_pricing_open(fathom_pricing *pricing, const fathom_train_problem *problem);
void fathom_pricing_close(fathom_pricing *pricing);

/* Empties the list of starts. */
void fathom_pricing_clear(fathom_pricing *pricing);

/* Starts: at most `count` drawn ones (fewer for large data, 8 at least), points of the data and Gaussian directions in turn, on both sides; or a neuron (u, then b)
 * on one side. */
fathom_status fathom_pricing_draw(fathom_pricing *pricing, int64_t count);
fathom_status fathom_pricing_start(fathom_pricing *pricing, const double *neuron, double sign);

/* All neurons of a network as starts. */
fathom_status fathom_pricing_start_network(fathom_pricing *pricing, const fathom_relu_network *net);

/* Ascends from all starts at v (outputs x n), and ranks what was found: by falling price, repetitions left out. */
fathom_status fathom_pricing_run(fathom_pricing *pricing, const double *v);

/* Neuron k as d + 1 numbers. */
void fathom_pricing_neuron(double *neuron, const fathom_pricing *pricing, int64_t k);

#endif
