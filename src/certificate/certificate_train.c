/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about training: the problem, the network, the dual point and the evidence for its feasibility. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate_internal.h"
#include "context_internal.h"
#include "fathom/train.h"
#include "memory.h"

/* What settling a dual point may do to its price, relatively. */
static const double EXACT = 0x1p-36;

/* The numbers of a claim, and what is freed with it. */
typedef struct work {
    fathom_claim claim;
    bool coded; /* the targets are classes as -1 and +1 or as columns */
    double *dense, *v;
    double *u;   /* neurons moved into the cones of gates, or NULL */
    double move; /* by so much, relatively */
    double scale;
} work;

/* Sparse or padded rows as dense ones. */
static fathom_status open_points(work *w, fathom_certificate *c)
{
    const fathom_data_view view = fathom_data_look(c->data);
    fathom_claim *claim = &w->claim;
    claim->n = view.n;
    claim->d = view.d;
    claim->weight = view.weight;
    claim->constant = view.bias == FATHOM_BIAS_FREE;
    claim->x = view.x;
    if (view.x)
        return FATHOM_OK;
    claim->x = w->dense = fathom_memory_zero(c->context, view.n * view.d, sizeof *w->dense);
    for (int64_t i = 0; w->dense && i < view.n; i++)
        for (int64_t k = view.row_start[i]; k < view.row_start[i + 1]; k++)
            w->dense[i * view.d + view.column[k]] = view.value[k];
    return w->dense ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static fathom_status open_work(work *w, fathom_certificate *c, const fathom_train_result *r,
                               const fathom_train_options *options)
{
    const fathom_data_view view = fathom_data_look(c->data);
    fathom_claim *claim = &w->claim;
    fathom_status status = open_points(w, c);
    if (status != FATHOM_OK)
        return status;
    claim->loss = r->kind;
    claim->equality = options->loss == FATHOM_TRAIN_EQUALITY;
    claim->beta = claim->equality ? 1 : r->beta;
    claim->divisor = options->scale && !claim->equality ? (double)view.n : 1;
    claim->outputs = view.outputs;
    claim->y = view.y;
    w->coded = r->kind != FATHOM_LOSS_SQUARED || r->proof->outputs != view.outputs;
    if (w->coded)
        status = fathom_data_code_classes(&claim->y, &claim->outputs, c->data);
    if (status != FATHOM_OK)
        return status;
    const int64_t size = claim->n * claim->outputs;
    claim->v = w->v = fathom_memory_alloc(c->context, size, sizeof *w->v);
    if (!w->v)
        return FATHOM_ERROR_MEMORY;
    memcpy(w->v, r->proof->v, (size_t)size * sizeof *w->v);
    return FATHOM_OK;
}

/* The proof is that of a relu network on gates: multipliers for both sides of every cone. */
static bool on_cones(const fathom_proof *proof) { return proof->gates > 0 && proof->leaves > 0; }

static bool is_gated(const fathom_proof *proof) { return proof->gates > 0 && !on_cones(proof); }

/* The checker, or the multipliers of cones, find the price of v itself. */
static bool exact(const fathom_proof *proof)
{
    return on_cones(proof) || (proof->gates == 0 && proof->leaves == 0);
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

/* The largest price over outputs and sides, or over gates. */
static fathom_status find_scale(work *w, fathom_certificate *c, const fathom_proof *proof)
{
    double price = 0;
    if (exact(proof)) {
        fathom_claim_settle(&w->claim); /* moves v by rounding only */
        price = proof->exact_price * (1 + EXACT);
    } else if (proof->gates > 0) {
        double *sum = fathom_memory_alloc(c->context, w->claim.d, sizeof *sum);
        if (!sum)
            return FATHOM_ERROR_MEMORY;
        fathom_claim_settle(&w->claim);
        price = fathom_claim_gate_norm(&w->claim, proof->gates, proof->words, proof->bits, sum);
        fathom_memory_free(c->context, sum);
    } else {
        fathom_claim_settle(&w->claim); /* the prices have room for it */
        price = tree_price(proof);
    }
    w->scale = fathom_claim_scale(&w->claim, price);
    return FATHOM_OK;
}

/* Nothing is known but that no loss is negative. */
static bool without_evidence(const fathom_train_result *r)
{
    const fathom_proof *proof = r->proof;
    return r->bound == FATHOM_TRAIN_BOUND_NONE ||
           (proof->gates == 0 && proof->leaves == 0 && !(proof->exact_price > 0));
}

/* On gates the neurons must lie in their cones exactly. */
static fathom_status enter_cones(work *w, fathom_certificate *c, const fathom_train_result *r)
{
    if (!on_cones(r->proof) || r->bound != FATHOM_TRAIN_BOUND_GATES)
        return FATHOM_OK;
    const int64_t m = fathom_net_look(r->net).m, d = w->claim.d;
    w->u = fathom_memory_alloc(c->context, (m + 1) * d, sizeof *w->u);
    if (!w->u)
        return FATHOM_ERROR_MEMORY;
    memcpy(w->u, fathom_net_lend(r->net).u, (size_t)(m * d) * sizeof *w->u);
    w->move = fathom_claim_enter_cones(w->u, &w->claim, m, r->proof, w->u + m * d);
    return FATHOM_OK;
}

/* What proves the bound, as the checker calls it. */
static const char *bound_kind(const fathom_train_result *r)
{
    if (without_evidence(r))
        return "none";
    if (r->proof->gates > 0)
        return r->bound == FATHOM_TRAIN_BOUND_GATES ? "gates" : "cones";
    return exact(r->proof) ? "plane" : "trees";
}

fathom_status fathom_certificate_put_bound(fathom_certificate *c, const char *kind, double upper,
                                           double lower)
{
    fathom_file_print(c->file, "bound %s", kind);
    return fathom_certificate_put_line(c, "", (const double[]){upper, lower}, 2);
}

static fathom_status put_problem(fathom_certificate *c, const work *w, const fathom_train_result *r,
                                 const fathom_train_options *options)
{
    static const char *const losses[] = {"squared", "logistic", "hinge", "equality"};
    const fathom_proof *proof = r->proof;
    const fathom_claim *claim = &w->claim;
    const double rounding = fathom_claim_rounding(claim, r->objective, r->loss, r->norm,
                                                  r->neurons + (int64_t)ceil(w->move / DBL_EPSILON));
    /* the price of an exact proof was raised by EXACT, which costs D as much at most */
    const double share = exact(proof) ? 1 - 2 * EXACT : 1;
    const double lower =
        without_evidence(r) ? 0 : fmin(r->lower_bound, share * proof->lower / claim->divisor);
    fathom_file_print(c->file, "problem %s %s", is_gated(proof) ? "gated" : "relu",
                      r->kind == FATHOM_LOSS_SOFTMAX ? "softmax" : losses[options->loss]);
    fathom_certificate_put_line(c, "", (const double[]){claim->divisor, claim->beta}, 2);
    return fathom_certificate_put_bound(c, bound_kind(r), r->objective + rounding,
                                        lower > rounding ? lower - rounding : 0);
}

fathom_status fathom_certificate_put_network(fathom_certificate *c, const fathom_net_weights *net,
                                             const fathom_net_shape *shape, bool lifted)
{
    const int64_t d = shape->d, o = shape->outputs;
    fathom_status status = fathom_file_print(c->file, "network %lld\n", (long long)shape->m);
    for (int64_t j = 0; j < shape->m && status == FATHOM_OK; j++) {
        fathom_file_print(c->file, "neuron");
        fathom_certificate_put_numbers(c, net->w + j * o, o);
        fathom_certificate_put_numbers(c, net->u + j * d, d);
        if (lifted)
            fathom_certificate_put_number(c, net->b ? net->b[j] : 0);
        status = fathom_file_print(c->file, "\n");
    }
    return fathom_certificate_put_line(c, "constant", net->c, o);
}

/* Of every gate in use its number and weights. */
static fathom_status put_gated(fathom_certificate *c, const fathom_proof *proof, int64_t o)
{
    const int64_t size = o * proof->d;
    fathom_status status = fathom_file_print(c->file, "network %lld\n", (long long)proof->used);
    for (int64_t j = 0; j < proof->used && status == FATHOM_OK; j++) {
        fathom_file_print(c->file, "neuron %lld", (long long)proof->gate[j]);
        status = fathom_certificate_put_line(c, "", proof->w + j * size, size);
    }
    return fathom_certificate_put_line(c, "constant", proof->c, o);
}

static fathom_status put_network(fathom_certificate *c, const work *w, const fathom_train_result *r)
{
    if (is_gated(r->proof))
        return put_gated(c, r->proof, w->claim.outputs);
    const fathom_net_shape shape = fathom_net_look(r->net);
    fathom_net_weights net = fathom_net_lend(r->net);
    net.u = w->u ? w->u : net.u;
    return fathom_certificate_put_network(c, &net, &shape, w->claim.constant);
}

/* The largest |f_ik - y_ik| of a relu network, rounded up. */
static double residual_of(const work *w, const fathom_train_result *r)
{
    const fathom_claim *claim = &w->claim;
    const int64_t d = claim->d, o = claim->outputs, m = fathom_net_look(r->net).m;
    const fathom_net_weights net = fathom_net_lend(r->net);
    double largest = 0, size = 0;
    for (int64_t i = 0; i < claim->n; i++)
        for (int64_t k = 0; k < o; k++) {
            double f = net.c[k], sum = fabs(net.c[k]) + fabs(claim->y[i * o + k]);
            for (int64_t j = 0; j < m; j++) {
                double h = net.b ? net.b[j] : 0, reach = fabs(h);
                for (int64_t l = 0; l < d; l++) {
                    h += net.u[j * d + l] * claim->x[i * d + l];
                    reach += fabs(net.u[j * d + l] * claim->x[i * d + l]);
                }
                f += net.w[j * o + k] * fmax(h, 0);
                sum += fabs(net.w[j * o + k]) * reach;
            }
            largest = fmax(largest, fabs(f - claim->y[i * o + k]));
            size = fmax(size, sum);
        }
    return largest + (double)(d + m + 8) * DBL_EPSILON * size;
}

/* Lines of one leaf after those of the splits that are new since the leaf before (`previous`, or NULL). */
static fathom_status put_leaf(fathom_certificate *c, const fathom_proof_leaf *leaf,
                              const fathom_proof_leaf *previous, int64_t n, bool lifted)
{
    int64_t common = 0;
    while (previous && common < previous->depth && common < leaf->depth &&
           previous->row[common] == leaf->row[common] && previous->sign[common] == leaf->sign[common])
        common++;
    for (int64_t k = common + (previous != NULL); k < leaf->depth; k++)
        fathom_file_print(c->file, "split %lld\n", (long long)leaf->row[k]);
    fathom_status status = fathom_file_print(c->file, "leaf %lld", (long long)leaf->entries);
    for (int64_t k = 0; k < leaf->entries && status == FATHOM_OK; k++) {
        status = fathom_file_print(c->file, " %lld %lld", (long long)leaf->i[k], (long long)leaf->j[k]);
        fathom_certificate_put_number(c, leaf->theta[k]);
    }
    fathom_file_print(c->file, "\nweights");
    fathom_certificate_put_numbers(c, leaf->weight, n + 1);
    fathom_certificate_put_numbers(c, leaf->nu, leaf->depth);
    return fathom_certificate_put_line(c, "", &leaf->lift, lifted);
}

/* Both sides of a direction of the outputs with their trees. */
static fathom_status put_sides(fathom_certificate *c, const fathom_proof *proof, int64_t direction,
                               bool lifted)
{
    fathom_status status = FATHOM_OK;
    for (int side = 0; side < 2 && status == FATHOM_OK; side++) {
        const fathom_proof_leaf *previous = NULL;
        status = fathom_certificate_put_line(c, "side", proof->price + 2 * direction + side, 1);
        for (int64_t l = 0; l < proof->leaves && status == FATHOM_OK; l++) {
            const fathom_proof_leaf *leaf = proof->leaf + l;
            if (leaf->output != direction || (leaf->side < 0) != (side == 1))
                continue;
            status = put_leaf(c, leaf, previous, proof->n, lifted);
            previous = leaf;
        }
    }
    return status;
}

/* Directions between the axes, and the pieces that cover them all. */
static fathom_status put_cover(fathom_certificate *c, const fathom_proof *proof, bool lifted)
{
    const int64_t o = proof->outputs;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < proof->corners && status == FATHOM_OK; k++) {
        fathom_file_print(c->file, "corner %lld %lld", (long long)proof->parent[2 * k],
                          (long long)proof->parent[2 * k + 1]);
        fathom_certificate_put_line(c, "", proof->share + 2 * k, 2);
        status = put_sides(c, proof, proof->axes + k, lifted);
    }
    for (int64_t k = 0; k < proof->pieces && status == FATHOM_OK; k++)
        status = proof->bisect[k] < 0
                     ? fathom_certificate_put_line(c, "piece", proof->majorant + k * o, o)
                     : fathom_file_print(c->file, "bisect %lld\n", (long long)proof->bisect[k]);
    return status;
}

/* From where the points of a free bias are measured. */
static fathom_status put_centre(fathom_certificate *c, const fathom_proof *proof)
{
    const int64_t d = fathom_data_look(c->data).d;
    if (proof->centre)
        return fathom_certificate_put_line(c, "centre", proof->centre, d);
    fathom_file_print(c->file, "centre");
    for (int64_t k = 0; k < d; k++)
        fathom_file_print(c->file, " 0");
    return fathom_file_print(c->file, "\n");
}

fathom_status fathom_certificate_put_trees(fathom_certificate *c, const fathom_proof *proof, bool lifted)
{
    const bool covered = proof->pieces > 0;
    const int64_t axes = covered ? proof->axes : proof->outputs;
    fathom_status status = FATHOM_OK;
    if (lifted)
        status = put_centre(c, proof);
    if (covered && status == FATHOM_OK)
        status =
            fathom_file_print(c->file, "cover %s %lld\n", axes < proof->outputs ? "differences" : "outputs",
                              (long long)proof->corners);
    for (int64_t k = 0; k < axes && status == FATHOM_OK; k++)
        status = put_sides(c, proof, k, lifted);
    return covered && status == FATHOM_OK ? put_cover(c, proof, lifted) : status;
}

/* For every gate and sign the tight rows and their multipliers. */
static fathom_status put_cones(fathom_certificate *c, const fathom_proof *proof)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < proof->leaves && status == FATHOM_OK; k++) {
        const fathom_proof_leaf *leaf = proof->leaf + k;
        fathom_file_print(c->file, "push %lld", (long long)leaf->depth);
        for (int64_t l = 0; l < leaf->depth; l++) {
            fathom_file_print(c->file, " %lld", (long long)leaf->row[l]);
            fathom_certificate_put_number(c, leaf->nu[l]);
        }
        status = fathom_file_print(c->file, "\n");
    }
    return status;
}

fathom_status fathom_certificate_put_dual(fathom_certificate *c, double s, const double *v, int64_t count)
{
    fathom_file_print(c->file, "dual");
    fathom_certificate_put_number(c, s);
    return fathom_certificate_put_line(c, "", v, count);
}

static fathom_status put_evidence(fathom_certificate *c, const work *w, const fathom_train_result *r)
{
    const fathom_proof *proof = r->proof;
    if (without_evidence(r))
        return FATHOM_OK;
    const fathom_status status =
        fathom_certificate_put_dual(c, w->scale, w->v, w->claim.n * w->claim.outputs);
    if (status != FATHOM_OK || proof->leaves == 0)
        return status;
    return on_cones(proof) ? put_cones(c, proof) : fathom_certificate_put_trees(c, proof, w->claim.constant);
}

fathom_status fathom_certificate_add_train(fathom_certificate *certificate, const fathom_train_result *result,
                                           const fathom_train_options *options)
{
    fathom_context *context = certificate->context;
    work w = {0};
    const fathom_proof *proof = result->proof;
    if (!proof || (proof->gates == 0 && !result->net))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "this result has no proof to write");
    fathom_status status = open_work(&w, certificate, result, options);
    if (status == FATHOM_OK)
        status = find_scale(&w, certificate, proof);
    if (status == FATHOM_OK)
        status = enter_cones(&w, certificate, result);
    const fathom_certificate_gates gates = {proof->gates, proof->words, proof->bits, proof->orientation};
    if (status == FATHOM_OK)
        status = fathom_certificate_begin(certificate, "train", w.coded, &gates);
    if (status == FATHOM_OK)
        status = put_problem(certificate, &w, result, options);
    if (status == FATHOM_OK)
        status = put_network(certificate, &w, result);
    if (status == FATHOM_OK && w.claim.equality) {
        const double residual = residual_of(&w, result);
        status = fathom_certificate_put_line(certificate, "residual", &residual, 1);
    }
    if (status == FATHOM_OK)
        status = put_evidence(certificate, &w, result);
    fathom_memory_free(context, w.dense);
    fathom_memory_free(context, w.v);
    fathom_memory_free(context, w.u);
    return status;
}
