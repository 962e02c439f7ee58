/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the optimum found is the only one: a second network of the same objective, or nothing.
 *
 * At an optimum all neurons have the price beta at its residual v, and so may neurons that the network lacks. Atoms z_j of price beta
 * satisfy <v, z_j> = beta: weights a >= 0 of network and others together with sum_j a_j z_j = f have one and the same norm <v, f> / beta, hence one and the
 * same objective. Where the atoms are dependent there is a family of them [001, Sec. 6, Figure 12]. The weights of least sum of squares give
 * another member, whose objective is then evaluated like that of every network: nothing is said unless it is the same to 1e-9, with a part of the
 * norm on other neurons. Where no atom is missing, one that the others make up for may leave. That there is no other optimum is never claimed: prices are
 * searched locally.
 */
#include "relu_others.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "relu_select.h"

enum { STARTS = 256, MOST_ADDED = 64 };

static const double as_good = 1e-9;                /* relative difference of objectives that counts as none */
static const double at_price = 1e-7;               /* and of a price from beta */
static const double same = 1 - 1e-6;               /* cosine above which two neurons are one */
static const double moved = 1e-2;                  /* part of the norm that has to sit elsewhere */
static const double near = 0.99, less_near = 0.96; /* cosines of 8 and 16 degrees */

/* The neuron of the network that is along (u, b) on the same side; NULL where there is none. */
static const double *find(const fathom_relu_network *net, const double *neuron, double sign)
{
    const int64_t d = net->problem->d;
    const double length = fathom_blas_norm(neuron, d + 1);
    for (int64_t j = 0; j < net->m; j++) {
        const double *one = fathom_relu_neuron(net, j);
        if (sign * one[d + 1] > 0 &&
            fathom_blas_dot(one, neuron, d + 1) >= same * length * fathom_blas_norm(one, d + 1))
            return one;
    }
    return NULL;
}

/* The neurons of price beta that the network lacks, with hardly any weight. */
static fathom_status add_others(fathom_columns *a)
{
    fathom_status status = FATHOM_OK;
    int64_t added = 0;
    double loss, norm;
    fathom_relu_network_objective(&a->net, &loss, &norm);
    for (int64_t k = 0; k < a->pricing.count && added < MOST_ADDED && status == FATHOM_OK; k++) {
        if (!(fabs(a->pricing.value[k] / a->net.beta - 1) <= at_price))
            continue;
        fathom_pricing_neuron(a->neuron, &a->pricing, k);
        if (find(&a->trial, a->neuron, a->pricing.sign[k]))
            continue;
        const double w = a->pricing.sign[k] * 1e-12 * norm;
        status = fathom_relu_network_add(&a->trial, a->neuron, a->neuron[a->problem->d], &w);
        added++;
    }
    return status;
}

/* The norm of the neurons within an angle of (u, b), on the same side. */
static double mass_near(const fathom_relu_network *net, const double *neuron, double cosine)
{
    const int64_t d = net->problem->d;
    const double length = fathom_blas_norm(neuron, d + 1);
    double mass = 0;
    for (int64_t j = 0; j < net->m; j++) {
        const double *one = fathom_relu_neuron(net, j);
        const bool close =
            fathom_blas_dot(one, neuron, d + 1) >= cosine * length * fathom_blas_norm(one, d + 1);
        mass += close && neuron[d + 1] * one[d + 1] > 0 ? fathom_blas_norm(one, d) * fabs(one[d + 1]) : 0;
    }
    return mass;
}

/* A part of the norm that sits elsewhere in the trial network: near a direction it has so much more than the network has in twice the
 * distance, so that neurons that are but slightly turned count for nothing. 0 where the objectives differ. */
static double moved_part(const fathom_columns *a, double value)
{
    double part = 0, loss, norm;
    const double other = fathom_relu_network_objective(&a->trial, &loss, &norm);
    if (!(fabs(other - value) <= as_good * value && norm > 0))
        return 0;
    for (int64_t j = 0; j < a->trial.m; j++) {
        const double *one = fathom_relu_neuron(&a->trial, j);
        part = fmax(part, (mass_near(&a->trial, one, near) - mass_near(&a->net, one, less_near)) / norm);
    }
    return part;
}

/* A trial network: with the neurons that the network lacks and the least sum of squares; or with none that the others make up for. */
static fathom_status make_other(fathom_columns *a, bool more)
{
    fathom_status status = fathom_relu_network_copy(&a->trial, &a->net);
    if (status == FATHOM_OK && more)
        status = add_others(a);
    if (status != FATHOM_OK || (more && a->trial.m == a->net.m))
        return status;
    return more ? fathom_relu_network_spread(&a->trial) : fathom_relu_network_sparsify(&a->trial);
}

fathom_status fathom_columns_find_other(fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    double loss, norm, part = 0;
    if (p->equality || p->outputs > 1 || a->net.m == 0 || !fathom_columns_small(a) ||
        fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    const double value = fathom_relu_network_objective(&a->net, &loss, &norm);
    fathom_status status = fathom_columns_price(a, STARTS);
    for (int more = 1; more >= 0 && status == FATHOM_OK && part < moved; more--) {
        status = make_other(a, more);
        if (status == FATHOM_OK)
            part = moved_part(a, value);
    }
    if (status == FATHOM_OK && part >= moved)
        fathom_log(
            p->context, FATHOM_LOG_INFO,
            "not unique to the accuracy of the gap: a network of %lld neurons has the objective %.12g too, "
            "with %.3g %% of its norm elsewhere",
            (long long)a->trial.m, fathom_relu_network_objective(&a->trial, &loss, &norm) / p->divisor,
            100 * part);
    return status;
}
