/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a solver leaves behind becomes a claim: dual point settled, its price and value found as the checker will find them, the network's
 * objective too. Nothing of this is trusted by the checker; it makes the two ends of the result the two ends that are accepted.
 */
#include "claim_finish.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate_internal.h"
#include "claim_exact.h"
#include "dense.h"
#include "inner/data.h"
#include "inner/train.h"
#include "loss_row.h"
#include "memory.h"

/* Products up to which a network is evaluated in balls; beyond, rounding is estimated. */
static const double MOST_PRODUCTS = 3e7;

/* Over all cones, and about networks whose neurons feed one of several outputs each. */
bool fathom_proof_is_single(const fathom_proof *proof)
{
    return fathom_proof_kind_of(proof) == FATHOM_PROOF_CONES && proof->complete && proof->outputs > 1;
}

fathom_status fathom_claim_open(fathom_claim *claim, fathom_context *context, fathom_data *data,
                                const fathom_train_result *r, const fathom_train_options *options)
{
    const fathom_data_view view = fathom_data_look(data);
    *claim = (fathom_claim){.context = context,
                            .n = view.n,
                            .d = view.d,
                            .outputs = view.outputs,
                            .loss = r->kind,
                            .box = fathom_loss_box_of(r->kind, fathom_train_parameter(options)),
                            .parameter = fathom_train_parameter(options),
                            .equality = options->loss == FATHOM_TRAIN_EQUALITY,
                            .constant = view.bias == FATHOM_BIAS_FREE,
                            .x = view.x,
                            .y = view.y,
                            .weight = view.weight,
                            .v = r->proof->v};
    claim->beta = claim->equality ? 1 : r->beta;
    claim->divisor = options->scale && !claim->equality ? (double)view.n : 1;
    claim->coded = !fathom_loss_row_of(r->kind)->numbers || r->proof->outputs != view.outputs;
    fathom_status status = FATHOM_OK;
    if (!view.x || view.ld != view.d) {
        status = fathom_dense_copy(&claim->dense, &view, context);
        claim->x = claim->dense;
    }
    if (status == FATHOM_OK && claim->coded)
        status = fathom_data_code_classes(&claim->y, &claim->outputs, data);
    return status;
}

void fathom_claim_close(fathom_claim *claim)
{
    if (claim->context)
        fathom_memory_free(claim->context, claim->dense);
    *claim = (fathom_claim){0};
}

/* The largest distance of a point from where neurons are bounded: the origin, or with free biases any other
 * point (twice that from the first one at most). */
static double reach_of(const fathom_claim *c)
{
    double largest = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double square = 0;
        for (int64_t l = 0; l < c->d; l++)
            square += pow(c->x[i * c->d + l] - (c->constant ? c->x[l] : 0), 2);
        largest = fmax(largest, square);
    }
    return (c->constant ? 2 : 1) * sqrt(largest) * (1 + (double)(c->d + 8) * DBL_EPSILON);
}

/* Settles v; what that may add to the price of a neuron is in *moved. */
static fathom_status settle_dual(double *moved, fathom_claim *c)
{
    const int64_t size = c->n * c->outputs;
    *moved = 0;
    if (fathom_exact_balanced(c))
        return FATHOM_OK;
    double *before = fathom_memory_alloc(c->context, size, sizeof *before);
    if (!before)
        return FATHOM_ERROR_MEMORY;
    memcpy(before, c->v, (size_t)size * sizeof *before);
    fathom_claim_settle(c);
    for (int64_t k = 0; k < size; k++)
        *moved += fabs(c->v[k] - before[k]);
    *moved *= reach_of(c) * (1 + (double)(size + 8) * DBL_EPSILON);
    fathom_memory_free(c->context, before);
    return FATHOM_OK;
}

/* The price of all outputs: the largest majorant of the pieces that cover their directions, or what their prices add up to. */
static double tree_price(const fathom_proof *proof)
{
    const int64_t o = proof->outputs;
    double largest = 0;
    for (int64_t k = 0; k < proof->pieces; k++) {
        double square = 0;
        for (int64_t e = 0; e < o && proof->bisect[k] < 0; e++)
            square += proof->majorant[k * o + e] * proof->majorant[k * o + e];
        largest = fmax(largest, square);
    }
    for (int64_t k = 0; k < o && proof->pieces == 0; k++)
        largest += pow(fmax(proof->price[2 * k], proof->price[2 * k + 1]), 2);
    return sqrt(largest) * (1 + 0x1p-50);
}

double fathom_proof_price(const fathom_proof *proof)
{
    const bool found = proof->price && (proof->leaves > 0 || proof->planar);
    return proof->exact_price > 0 ? proof->exact_price : found ? tree_price(proof) : 0;
}

/* Prices of directions of at most two columns were found before v moved; a direction is at most sqrt(2)
 * long. */
static double planar_price(fathom_proof *proof, double moved)
{
    const int64_t o = proof->outputs, directions = proof->pieces > 0 ? proof->axes + proof->corners : o;
    for (int64_t k = 0; k < 2 * directions && moved > 0; k++)
        proof->price[k] = (proof->price[k] + 1.5 * moved) * (1 + 0x1p-50);
    if (moved > 0 && !fathom_claim_raise_pieces(proof))
        return INFINITY;
    return tree_price(proof);
}

/* The price of the settled v, rounded up; infinite where nothing proves one. */
static double price_of(fathom_proof *proof, const fathom_claim *c, double moved)
{
    if (proof->gates > 0)
        return fathom_exact_gates(proof, c);
    if (proof->orthant)
        return fathom_exact_orthant(proof, c);
    if (proof->planar)
        return planar_price(proof, moved);
    if (proof->leaves == 0 && c->constant && (c->d == 1 || proof->along))
        return fathom_exact_line(proof, c);
    if (proof->leaves == 0)
        return (proof->exact_price + moved) * (1 + 0x1p-50);
    return fathom_exact_trees(proof, c) ? tree_price(proof) : INFINITY;
}

/* The lower end: s and D(s v) / N. */
static fathom_status prove_below(fathom_proof *proof, fathom_claim *c)
{
    double moved = 0;
    proof->scale = proof->claimed_lower = 0;
    if (fathom_proof_kind_of(proof) == FATHOM_PROOF_EMPTY)
        return FATHOM_OK;
    FATHOM_TRY(settle_dual(&moved, c));
    const double price = price_of(proof, c, moved);
    const double s = isfinite(price) ? fathom_claim_scale(c, price) : 0;
    const double lower = s > 0 ? fathom_exact_dual(c, s) : 0;
    if (lower > 0) {
        proof->scale = s;
        proof->claimed_lower = lower;
    }
    return FATHOM_OK;
}

/* On gates the neurons must lie in their cones exactly. */
static fathom_status enter_cones(double *move, fathom_proof *proof, const fathom_claim *c,
                                 const fathom_train_result *r)
{
    *move = 0;
    if (fathom_proof_kind_of(proof) != FATHOM_PROOF_CONES || r->bound != FATHOM_TRAIN_BOUND_GATES ||
        fathom_proof_is_single(proof))
        return FATHOM_OK;
    const int64_t m = fathom_net_look(r->net).m, d = c->d;
    proof->u = fathom_memory_alloc(c->context, (m + 1) * d, sizeof *proof->u);
    if (!proof->u)
        return FATHOM_ERROR_MEMORY;
    memcpy(proof->u, fathom_net_lend(r->net).u, (size_t)(m * d) * sizeof *proof->u);
    *move = fathom_claim_enter_cones(proof->u, c, m, proof, proof->u + m * d);
    return FATHOM_OK;
}

/* The largest |f_ik - y_ik| of a relu network, rounded up. */
static double residual_of(const fathom_claim *c, const fathom_net_weights *net, int64_t m)
{
    const int64_t d = c->d, o = c->outputs;
    double largest = 0, size = 0;
    for (int64_t k = 0; k < c->n * o; k++) {
        const double *x = c->x + k / o * d;
        double f = net->c[k % o], sum = fabs(f) + fabs(c->y[k]);
        for (int64_t j = 0; j < m; j++) {
            double h = net->b ? net->b[j] : 0, reach = fabs(h);
            for (int64_t l = 0; l < d; l++) {
                h += net->u[j * d + l] * x[l];
                reach += fabs(net->u[j * d + l] * x[l]);
            }
            f += net->w[j * o + k % o] * fmax(h, 0);
            sum += fabs(net->w[j * o + k % o]) * reach;
        }
        largest = fmax(largest, fabs(f - c->y[k]));
        size = fmax(size, sum);
    }
    return largest + (double)(d + m + 8) * DBL_EPSILON * size;
}

/* The upper end: what the network attains. */
static void prove_above(fathom_proof *proof, const fathom_claim *c, const fathom_train_result *r, double move)
{
    const bool gated = fathom_proof_kind_of(proof) == FATHOM_PROOF_GATES;
    const fathom_net_shape shape = gated ? (fathom_net_shape){.m = proof->used} : fathom_net_look(r->net);
    fathom_net_weights net = {0};
    if (!gated)
        net = fathom_net_lend(r->net);
    if (proof->u)
        net.u = proof->u;
    if ((double)c->n * (double)c->d * (double)shape.m * (gated ? (double)c->outputs : 1) <= MOST_PRODUCTS) {
        proof->claimed_upper =
            fathom_exact_objective(&proof->residual, c, &net, shape.m, gated ? proof : NULL);
        return;
    }
    proof->claimed_upper =
        r->objective + fathom_claim_rounding(c, r->objective, r->loss, r->norm,
                                             r->neurons + (int64_t)ceil(move / DBL_EPSILON));
    if (c->equality)
        proof->residual = residual_of(c, &net, shape.m);
}

/* What 128 bits of ln(1 + e) may lose over all points. */
static double logarithms(const fathom_claim *c)
{
    double mass = 0;
    if (fathom_loss_row_of(c->loss)->dual != FATHOM_DUAL_ENTROPY)
        return 0;
    for (int64_t i = 0; i < c->n; i++)
        mass += c->weight ? c->weight[i] : 1;
    return 0x1p-118 * mass / c->divisor;
}

fathom_status fathom_claim_finish(fathom_train_result *result, fathom_context *context, fathom_data *data,
                                  const fathom_train_options *options)
{
    fathom_proof *proof = result->proof;
    fathom_claim claim;
    double move = 0;
    if (!proof || (proof->gates == 0 && !result->net))
        return FATHOM_OK;
    fathom_status status = fathom_claim_open(&claim, context, data, result, options);
    FATHOM_THEN(status, prove_below(proof, &claim));
    FATHOM_THEN(status, enter_cones(&move, proof, &claim, result));
    if (status == FATHOM_OK) {
        prove_above(proof, &claim, result, move);
        proof->finished = true;
        proof->claimed_lower = fmin(proof->claimed_lower, fmax(result->lower_bound, 0));
        result->lower_bound = fmin(result->lower_bound, proof->claimed_lower);
        if (isfinite(result->objective) && proof->claimed_upper >= DBL_MIN)
            result->objective = fmax(result->objective, proof->claimed_upper);
        /* a unit for enclosures of other widths, and of logarithms near 1 */
        proof->claimed_upper = nextafter(proof->claimed_upper + logarithms(&claim), INFINITY);
        proof->claimed_lower = proof->claimed_lower > 0 ? nextafter(proof->claimed_lower, 0) : 0;
    }
    fathom_claim_close(&claim);
    return status;
}
