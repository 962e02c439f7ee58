/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about training: the problem, the network, the dual point and the evidence for its feasibility. */
#include "certificate_internal.h"
#include "context_internal.h"
#include "inner/certificate.h"
#include "inner/train.h"

fathom_proof_shift fathom_proof_shifts(const fathom_proof *proof, bool equality)
{
    const int a = proof->point, b = proof->target, g = proof->weight;
    if (equality) /* D is linear: v may stand as it is, and s takes all */
        return (fathom_proof_shift){.value = b - a, .scale = -a, .point = a, .target = b};
    return (fathom_proof_shift){.value = g + 2 * b, .dual = g + b, .point = a, .weight = b - a, .target = b};
}

/* Nothing is known but that no loss is negative. */
static bool without_evidence(const fathom_train_result *r)
{
    return r->bound == FATHOM_TRAIN_BOUND_NONE || fathom_proof_kind_of(r->proof) == FATHOM_PROOF_EMPTY ||
           !(r->proof->claimed_lower > 0);
}

/* What proves the bound, as the checker calls it. */
static const char *bound_kind(const fathom_train_result *r)
{
    if (without_evidence(r))
        return "none";
    if (r->proof->gates > 0)
        return r->bound != FATHOM_TRAIN_BOUND_GATES || fathom_proof_is_single(r->proof) ? "cones" : "gates";
    const fathom_proof_kind kind = fathom_proof_kind_of(r->proof);
    return kind == FATHOM_PROOF_PLANE ? "plane" : kind == FATHOM_PROOF_ORTHANT ? "orthant" : "trees";
}

fathom_status fathom_certificate_put_bound(fathom_certificate *c, const char *kind, double upper,
                                           double lower, int shift)
{
    fathom_file_print(c->file, "bound %s", kind);
    return fathom_certificate_put_line(c, "", (const double[]){upper, lower}, 2, shift);
}

static fathom_status put_problem(fathom_certificate *c, const fathom_claim *claim,
                                 const fathom_train_result *r, const fathom_proof_shift *shift)
{
    const fathom_proof *proof = r->proof;
    fathom_file_print(c->file, "problem %s %s",
                      fathom_proof_kind_of(proof) == FATHOM_PROOF_GATES ? "gated" : "relu",
                      claim->equality ? "equality" : fathom_loss_name(r->kind));
    const bool one = claim->parameter != 0;
    fathom_certificate_put_line(c, "",
                                (const double[]){one ? claim->parameter : claim->divisor,
                                                 one ? claim->divisor : claim->beta, claim->beta},
                                one ? 3 : 2, 0);
    return fathom_certificate_put_bound(c, bound_kind(r), proof->claimed_upper,
                                        without_evidence(r) ? 0 : proof->claimed_lower, shift->value);
}

fathom_status fathom_certificate_put_network(fathom_certificate *c, const fathom_net_weights *net,
                                             const fathom_net_shape *shape, bool lifted, int shift)
{
    const int64_t d = shape->d, o = shape->outputs;
    fathom_status status = fathom_file_print(c->file, "network %lld\n", (long long)shape->m);
    for (int64_t j = 0; j < shape->m && status == FATHOM_OK; j++) {
        fathom_file_print(c->file, "neuron");
        fathom_certificate_put_numbers(c, net->w + j * o, o, shift);
        fathom_certificate_put_numbers(c, net->u + j * d, d, 0);
        if (lifted)
            fathom_certificate_put_number(c, net->b ? net->b[j] : 0, 0);
        status = fathom_file_print(c->file, "\n");
    }
    return fathom_certificate_put_line(c, "constant", net->c, o, 0);
}

/* Of every gate in use its number and weights. */
static fathom_status put_gated(fathom_certificate *c, const fathom_proof *proof, int64_t o,
                               const fathom_proof_shift *shift)
{
    const int64_t size = o * proof->d;
    fathom_status status = fathom_file_print(c->file, "network %lld\n", (long long)proof->used);
    for (int64_t j = 0; j < proof->used && status == FATHOM_OK; j++) {
        fathom_file_print(c->file, "neuron %lld", (long long)proof->gate[j]);
        status = fathom_certificate_put_line(c, "", proof->w + j * size, size, shift->weight);
    }
    return fathom_certificate_put_line(c, "constant", proof->c, o, shift->target);
}

static fathom_status put_network(fathom_certificate *c, const fathom_claim *claim,
                                 const fathom_train_result *r, const fathom_proof_shift *shift)
{
    if (fathom_proof_kind_of(r->proof) == FATHOM_PROOF_GATES)
        return put_gated(c, r->proof, claim->outputs, shift);
    const fathom_net_shape shape = fathom_net_look(r->net);
    fathom_net_weights net = fathom_net_lend(r->net);
    net.u = r->proof->u ? r->proof->u : net.u;
    return fathom_certificate_put_network(c, &net, &shape, claim->constant, 0);
}

/* Lines of one leaf after those of the splits that are new since the leaf before (`previous`, or NULL). */
static fathom_status put_leaf(fathom_certificate *c, const fathom_proof_leaf *leaf,
                              const fathom_proof_leaf *previous, int64_t n, bool lifted,
                              const fathom_proof_shift *shift)
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
        fathom_certificate_put_number(c, leaf->theta[k], shift->dual);
    }
    fathom_file_print(c->file, "\nweights");
    fathom_certificate_put_numbers(c, leaf->weight, n + 1, 0);
    fathom_certificate_put_numbers(c, leaf->nu, leaf->depth, shift->dual);
    return fathom_certificate_put_line(c, "", &leaf->lift, lifted, 2 * shift->dual);
}

/* The tree of one side of a direction, and of one kink where the proof has kinks. */
static fathom_status put_tree(fathom_certificate *c, const fathom_proof *proof, int64_t direction,
                              int64_t kink, int side, bool lifted, const fathom_proof_shift *shift)
{
    const fathom_proof_leaf *previous = NULL;
    fathom_status status = FATHOM_OK;
    for (int64_t l = 0; l < proof->leaves && status == FATHOM_OK; l++) {
        const fathom_proof_leaf *leaf = proof->leaf + l;
        if (leaf->output != direction || (leaf->side < 0) != (side == 1) ||
            (proof->kinks && leaf->kink != kink))
            continue;
        status = put_leaf(c, leaf, previous, proof->n, lifted, shift);
        previous = leaf;
    }
    return status;
}

/* Both sides of a direction of the outputs with their trees. */
static fathom_status put_sides(fathom_certificate *c, const fathom_proof *proof, int64_t direction,
                               bool lifted, const fathom_proof_shift *shift)
{
    fathom_status status = FATHOM_OK;
    if (proof->planar)
        return fathom_certificate_put_line(c, "exact", proof->price + 2 * direction, 1,
                                           shift->dual + shift->point);
    if (proof->kinks) {
        status = fathom_certificate_put_line(c, "kinks", proof->price + 2 * direction, 1,
                                             shift->dual + shift->point);
        for (int64_t tree = 0; tree < 2 * proof->n && status == FATHOM_OK; tree++)
            status = put_tree(c, proof, direction, tree / 2, (int)(tree % 2), false, shift);
        return status;
    }
    for (int side = 0; side < 2 && status == FATHOM_OK; side++) {
        status = fathom_certificate_put_line(c, "side", proof->price + 2 * direction + side, 1,
                                             shift->dual + shift->point);
        FATHOM_THEN(status, put_tree(c, proof, direction, 0, side, lifted, shift));
    }
    return status;
}

/* Directions between the axes, and the pieces that cover them all. */
static fathom_status put_cover(fathom_certificate *c, const fathom_proof *proof, bool lifted,
                               const fathom_proof_shift *shift)
{
    const int64_t o = proof->outputs;
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < proof->corners && status == FATHOM_OK; k++) {
        fathom_file_print(c->file, "corner %lld %lld", (long long)proof->parent[2 * k],
                          (long long)proof->parent[2 * k + 1]);
        fathom_certificate_put_line(c, "", proof->share + 2 * k, 2, 0);
        status = put_sides(c, proof, proof->axes + k, lifted, shift);
    }
    for (int64_t k = 0; k < proof->pieces && status == FATHOM_OK; k++)
        status = proof->bisect[k] < 0
                     ? fathom_certificate_put_line(c, "piece", proof->majorant + k * o, o,
                                                   shift->dual + shift->point)
                     : fathom_file_print(c->file, "bisect %lld\n", (long long)proof->bisect[k]);
    return status;
}

/* From where the points of a free bias are measured. */
static fathom_status put_centre(fathom_certificate *c, const fathom_proof *proof, int shift)
{
    const int64_t d = fathom_data_look(c->data).d;
    if (proof->centre)
        return fathom_certificate_put_line(c, "centre", proof->centre, d, shift);
    fathom_file_print(c->file, "centre");
    for (int64_t k = 0; k < d; k++)
        fathom_file_print(c->file, " 0");
    return fathom_file_print(c->file, "\n");
}

fathom_status fathom_certificate_put_trees(fathom_certificate *c, const fathom_proof *proof, bool lifted,
                                           const fathom_proof_shift *shift)
{
    const bool covered = proof->pieces > 0;
    const int64_t axes = covered ? proof->axes : proof->outputs;
    fathom_status status = FATHOM_OK;
    if (lifted)
        status = put_centre(c, proof, shift->point);
    if (covered && status == FATHOM_OK)
        status =
            fathom_file_print(c->file, "%s %s %lld\n", proof->fan ? "fan" : "cover",
                              axes < proof->outputs ? "differences" : "outputs", (long long)proof->corners);
    for (int64_t k = 0; k < axes && status == FATHOM_OK; k++)
        status = put_sides(c, proof, k, lifted, shift);
    return covered && status == FATHOM_OK ? put_cover(c, proof, lifted, shift) : status;
}

/* For every gate, output and sign the tight rows and their multipliers. */
static fathom_status put_cones(fathom_certificate *c, const fathom_proof *proof, int shift)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < proof->leaves && status == FATHOM_OK; k++) {
        const fathom_proof_leaf *leaf = proof->leaf + k;
        fathom_file_print(c->file, "push %lld", (long long)leaf->depth);
        for (int64_t l = 0; l < leaf->depth; l++) {
            fathom_file_print(c->file, " %lld", (long long)leaf->row[l]);
            fathom_certificate_put_number(c, leaf->nu[l], shift);
        }
        status = fathom_file_print(c->file, "\n");
    }
    return status;
}

fathom_status fathom_certificate_put_dual(fathom_certificate *c, double s, const double *v, int64_t count,
                                          const fathom_proof_shift *shift)
{
    fathom_file_print(c->file, "dual");
    fathom_certificate_put_number(c, s, shift->scale);
    return fathom_certificate_put_line(c, "", v, count, shift->dual);
}

/* The line beside which the points are: of length about 1, and places on it. */
static fathom_status put_along(fathom_certificate *c, const fathom_proof *proof, int shift)
{
    const int64_t d = fathom_data_look(c->data).d;
    fathom_file_print(c->file, "along");
    fathom_certificate_put_numbers(c, proof->along, d, 0);
    return fathom_certificate_put_line(c, "", proof->along + d, proof->n, shift);
}

static fathom_status put_evidence(fathom_certificate *c, const fathom_claim *claim,
                                  const fathom_train_result *r, const fathom_proof_shift *shift)
{
    const fathom_proof *proof = r->proof;
    if (without_evidence(r))
        return FATHOM_OK;
    fathom_status status =
        fathom_certificate_put_dual(c, proof->scale, proof->v, claim->n * claim->outputs, shift);
    if (status == FATHOM_OK && proof->along)
        status = put_along(c, proof, shift->point);
    if (status != FATHOM_OK || fathom_proof_kind_of(proof) == FATHOM_PROOF_PLANE ||
        fathom_proof_kind_of(proof) == FATHOM_PROOF_GATES)
        return status;
    if (fathom_proof_kind_of(proof) == FATHOM_PROOF_ORTHANT)
        return fathom_certificate_put_line(c, "orthant", proof->orthant, proof->n, 0);
    return fathom_proof_kind_of(proof) == FATHOM_PROOF_CONES
               ? put_cones(c, proof, shift->dual)
               : fathom_certificate_put_trees(c, proof, claim->constant, shift);
}

fathom_status fathom_certificate_add_train(fathom_certificate *certificate, const fathom_train_result *result,
                                           const fathom_train_options *options)
{
    fathom_context *context = certificate->context;
    const fathom_proof *proof = result->proof;
    fathom_claim claim;
    if (!proof || !proof->finished || (proof->gates == 0 && !result->net))
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "this result has no proof to write");
    if (proof->claimed_lower >
        proof->claimed_upper) /* a network that misses its targets is shorter than any that does not */
        return fathom_error_set(
            context, FATHOM_ERROR_RUNTIME,
            "no certificate: the network misses its targets, so that its norm bounds nothing");
    fathom_status status = fathom_claim_open(&claim, context, certificate->data, result, options);
    const fathom_proof_shift shift = fathom_proof_shifts(proof, claim.equality);
    const fathom_certificate_gates gates = {proof->gates,       proof->words,    proof->bits,
                                            proof->orientation, proof->exact_at, proof->exact_text};
    FATHOM_THEN(status, fathom_certificate_begin(certificate, "train", claim.coded, &gates));
    FATHOM_THEN(status, put_problem(certificate, &claim, result, &shift));
    FATHOM_THEN(status, put_network(certificate, &claim, result, &shift));
    if (status == FATHOM_OK && claim.equality)
        status = fathom_certificate_put_line(certificate, "residual", &proof->residual, 1, shift.target);
    FATHOM_THEN(status, put_evidence(certificate, &claim, result, &shift));
    fathom_claim_close(&claim);
    return status;
}
