/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims about margins (finite gate sets, up to three columns, linear, global, margin 0) and about lists of cones.
 *
 * The global margin is 1 / min R over networks with y_i f_i >= 1: its claim is one about training with the loss `margin`.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate_internal.h"
#include "claim_exact.h"
#include "context_internal.h"
#include "data_scale.h"
#include "fathom/margin.h"
#include "inner/certificate.h"
#include "inner/margin.h"
#include "memory.h"
#include "patterns.h"

/* Pairs of points, each with its integer. */
static fathom_status put_zero(fathom_certificate *c, const fathom_margin_evidence *e)
{
    FATHOM_TRY(fathom_certificate_begin(c, "zero", true, &(fathom_certificate_gates){0}));
    fathom_file_print(c->file, "pairs %lld", (long long)e->pairs);
    for (int64_t k = 0; k < e->pairs; k++) {
        fathom_file_print(c->file, " %lld %lld ", (long long)e->pair[2 * k], (long long)e->pair[2 * k + 1]);
        fathom_file_write(c->file, e->weight[k], strlen(e->weight[k]));
    }
    return fathom_file_print(c->file, "\n");
}

/* A row that is 0, or two equal ones with opposite labels (origin < 0). */
static fathom_status put_rows(fathom_certificate *c, const fathom_margin_evidence *e)
{
    FATHOM_TRY(fathom_certificate_begin(c, "zero", true, &(fathom_certificate_gates){0}));
    if (e->origin >= 0)
        return fathom_file_print(c->file, "origin %lld\n", (long long)e->origin);
    return fathom_file_print(c->file, "equal %lld %lld\n", (long long)e->equal[0], (long long)e->equal[1]);
}

/* Rounding of the bounds beyond what they account for already: the measures of arcs are recomputed by the checker. */
static double widen(const fathom_margin_evidence *e)
{
    return (double)(e->n + e->m + e->d + 64) * DBL_EPSILON * e->upper;
}

/* There is nothing to write: the search of a kind that has certificates was cut, or the kind has none. */
static fathom_status refuse(const fathom_certificate *c, const fathom_margin_result *result)
{
    const fathom_margin_view view = fathom_margin_look(result);
    const bool proves = view.kind == FATHOM_MARGIN_GLOBAL && view.width == 0 &&
                        fathom_data_look(c->data).bias != FATHOM_BIAS_FREE;
    if (proves && fathom_context_stop_reason(c->context) != FATHOM_STOP_NONE)
        return fathom_error_set(c->context, FATHOM_ERROR_STOPPED,
                                "stopped before there was a proof of the margin");
    return fathom_error_set(
        c->context, FATHOM_ERROR_USAGE,
        "a certificate of a margin is for finite width (--width M, --gates FILE; equal weights), linear "
        "functions, the first layer, global margins without free biases that are "
        "positive, or margin 0 by opposite points");
}

/* sum_j |w_j||u_j|, to rounding. */
static double norm_of(const fathom_net_weights *net, const fathom_net_shape *shape)
{
    double norm = 0;
    for (int64_t j = 0; j < shape->m; j++) {
        double square = 0;
        for (int64_t k = 0; k < shape->d; k++)
            square += net->u[j * shape->d + k] * net->u[j * shape->d + k];
        norm += fabs(net->w[j]) * sqrt(square);
    }
    return norm;
}

/* w (m) = the output weights times a number for which y_i f(x_i) >= 1 exactly on the points of the claim; *norm is then sum_j
 * |w_j||u_j|, rounded up. 0 where no number does that. */
static void scale_network(double *w, double *norm, const fathom_claim *claim, const fathom_net *network)
{
    const fathom_net_shape shape = fathom_net_look(network);
    fathom_net_weights net = fathom_net_lend((fathom_net *)network);
    const double rounding = 2 * (double)(shape.d + shape.m + 16) * DBL_EPSILON;
    double least = INFINITY, radius = 0;
    for (int64_t i = 0; i < claim->n; i++) {
        const double *x = claim->x + i * claim->d;
        double f = 0, square = 0;
        for (int64_t j = 0; j < shape.m; j++) {
            double h = 0;
            for (int64_t l = 0; l < claim->d; l++)
                h += net.u[j * claim->d + l] * x[l];
            f += net.w[j] * fmax(h, 0);
        }
        for (int64_t l = 0; l < claim->d; l++)
            square += x[l] * x[l];
        least = fmin(least, claim->y[i] * f);
        radius = fmax(radius, sqrt(square));
    }
    least -= rounding * norm_of(&net, &shape) * radius; /* of f, and of the products below */
    for (int64_t j = 0; j < shape.m; j++)
        w[j] = net.w[j] * ((1 + 4 * DBL_EPSILON) / least);
    net.w = w;
    *norm = least > 0 ? norm_of(&net, &shape) * (1 + rounding) : 0;
}

/* A global margin: the network, the dual point v with y_i v_i >= 0, and what proves its price. With X = 2^a X' the network of
 * margin 1 is 2^-a times that on X'. */
static fathom_status put_global(fathom_certificate *c, const fathom_margin_evidence *e, const double *w,
                                double norm, double price)
{
    const fathom_net_shape shape = fathom_net_look(e->net);
    fathom_net_weights net = fathom_net_lend((fathom_net *)e->net);
    const fathom_proof *proof = e->proof;
    const bool trees = proof->leaves > 0;
    const double s = (1 - 8 * DBL_EPSILON) / price;
    const fathom_proof_shift shift = fathom_proof_shifts(proof, true);
    double mass = 0;
    for (int64_t i = 0; i < e->n; i++)
        mass += fabs(proof->v[i]);
    net.w = (double *)w;
    FATHOM_TRY(fathom_certificate_begin(c, "train", true, &(fathom_certificate_gates){0}));
    fathom_file_print(c->file, "problem relu margin 1 1\n");
    fathom_certificate_put_bound(c, trees ? "trees" : "plane", norm,
                                 s * mass * (1 - (double)(e->n + 64) * DBL_EPSILON), shift.value);
    fathom_certificate_put_network(c, &net, &shape, false, shift.value);
    fathom_status status = fathom_certificate_put_dual(c, s, proof->v, e->n, &shift);
    return trees && status == FATHOM_OK ? fathom_certificate_put_trees(c, proof, false, &shift) : status;
}

/* The claim of a global margin, all of it found on data in range. */
static fathom_status add_global(fathom_certificate *c, const fathom_margin_evidence *e,
                                const fathom_margin_result *margin)
{
    const fathom_data_scale scale = {.point = e->proof->point};
    const int64_t m = fathom_net_look(e->net).m;
    fathom_proof *proof = (fathom_proof *)e->proof;
    fathom_data *scaled = NULL;
    fathom_claim claim = {0};
    double norm = 0, price = INFINITY, *w = fathom_memory_alloc(c->context, m, sizeof *w);
    fathom_status status = w ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && scale.point)
        status = fathom_data_scaled(&scaled, c->data, &scale);
    if (status == FATHOM_OK) {
        fathom_train_options options;
        const fathom_train_result result = {.kind = FATHOM_LOSS_HINGE, .proof = proof, .beta = 1};
        fathom_options_init(&options, &fathom_train_option_table);
        status = fathom_claim_open(&claim, c->context, scaled ? scaled : c->data, &result, &options);
    }
    if (status == FATHOM_OK) {
        scale_network(w, &norm, &claim, e->net);
        if (proof->leaves == 0)
            price = proof->exact_price * (1 + 0x1p-40);
        else if (fathom_exact_trees(proof, &claim))
            price = fmax(proof->price[0], proof->price[1]);
        status = norm > 0 && isfinite(price) ? put_global(c, e, w, norm, price) : refuse(c, margin);
    }
    fathom_claim_close(&claim);
    fathom_data_free(scaled);
    fathom_memory_free(c->context, w);
    return status;
}

/* The weights of the points: integers where they make a margin 0. */
static fathom_status put_weights(fathom_certificate *c, const fathom_margin_evidence *e)
{
    if (!e->q_exact)
        return fathom_certificate_put_line(c, "dual", e->q, e->n, 0);
    fathom_file_print(c->file, "dual");
    for (int64_t i = 0; i < e->n; i++) {
        const char *word = e->q_exact[i] ? e->q_exact[i] : "0";
        fathom_file_print(c->file, " ");
        fathom_file_write(c->file, word, strlen(word));
    }
    return fathom_file_print(c->file, "\n");
}

/* The margin of finitely many gates. */
static fathom_status put_units(fathom_certificate *c, const fathom_margin_evidence *e)
{
    const fathom_certificate_gates gates = {e->m, e->words, e->bits, e->orientation, NULL, NULL};
    const int64_t size = e->d + !!e->gain;
    fathom_status status = fathom_certificate_begin(c, "margin", true, &gates);
    FATHOM_THEN(status, fathom_certificate_put_bound(c, e->gain ? "neurons" : "units", e->upper + widen(e),
                                                     fmax(e->lower - widen(e), 0), 0));
    fathom_file_print(c->file, "%s %lld", e->gain ? "gains" : "counts", (long long)e->width);
    for (int64_t j = 0; j < e->m && !e->gain; j++)
        fathom_file_print(c->file, " %lld", (long long)llround(e->rho[j] * (double)e->width));
    fathom_certificate_put_line(c, "", e->gain, e->gain ? e->m : 0, 0);
    for (int64_t j = 0; j < e->m && status == FATHOM_OK; j++)
        status = fathom_certificate_put_line(c, "vector", e->w + j * size, size, 0);
    return status == FATHOM_OK ? put_weights(c, e) : status;
}

/* The vector of every cone: that of the gate with its pattern, or 0 where no gate has it (open on no point,
 * or of no length in floating point). */
static fathom_status put_vectors(fathom_certificate *c, const fathom_margin_evidence *e,
                                 const fathom_gates_view *cones)
{
    const double none[3] = {0, 0, 0}; /* as many columns as cones are measured in */
    fathom_pattern_index index;
    fathom_status status = fathom_pattern_index_init(&index, c->context, e->words);
    for (int64_t j = 0; j < e->m && status == FATHOM_OK; j++)
        status = fathom_pattern_index_add(&index, e->bits);
    for (int64_t k = 0; k < cones->m && status == FATHOM_OK; k++) {
        const int64_t j = fathom_pattern_index_find(&index, e->bits, cones->bits + k * cones->words);
        status = fathom_certificate_put_line(c, "vector", j < 0 ? none : e->w + e->d * j, e->d, 0);
    }
    fathom_pattern_index_free(&index);
    return status;
}

/* The margin of linear functions: one gate that is open everywhere. */
static fathom_status put_linear(fathom_certificate *c, const fathom_margin_evidence *e)
{
    const fathom_certificate_gates gates = {1, e->words, e->bits, NULL, NULL, NULL};
    fathom_status status = fathom_certificate_begin(c, "margin", true, &gates);
    FATHOM_THEN(status, fathom_certificate_put_bound(c, "linear", e->upper + widen(e),
                                                     fmax(e->lower - widen(e), 0), 0));
    FATHOM_THEN(status, fathom_certificate_put_line(c, "vector", e->w, e->d, 0));
    return status == FATHOM_OK ? put_weights(c, e) : status;
}

/* The margin of all cones. The checker wants every cone with a witness, which is an integer vector where
 * doubles do not do. */
static fathom_status put_cones(fathom_certificate *c, const fathom_margin_evidence *e)
{
    fathom_gates *gates = NULL;
    FATHOM_TRY(fathom_gates_enumerate(&gates, c->context, c->data));
    const fathom_gates_view cones = fathom_gates_look(gates);
    fathom_status status = fathom_certificate_begin(
        c, "margin", true,
        &(fathom_certificate_gates){cones.m, cones.words, cones.bits, cones.orientation, cones.exact_at,
                                    cones.exact_text});
    if (status == FATHOM_OK)
        status = fathom_certificate_put_bound(c, e->d == 2 ? "plane" : "space", e->upper + widen(e),
                                              fmax(e->lower - widen(e), 0), 0);
    FATHOM_THEN(status, put_vectors(c, e, &cones));
    fathom_gates_free(gates);
    return status == FATHOM_OK ? put_weights(c, e) : status;
}

/* The margin of finitely many gates, of linear functions, or of all cones. */
static fathom_status put_margin(fathom_certificate *c, const fathom_margin_evidence *e)
{
    return e->linear ? put_linear(c, e) : e->width > 0 ? put_units(c, e) : put_cones(c, e);
}

fathom_status fathom_certificate_add_margin(fathom_certificate *certificate,
                                            const fathom_margin_result *result)
{
    const fathom_margin_evidence e = fathom_margin_prove(result);
    if (e.pairs > 0) {
        certificate->decimals = e.decimals;
        return put_zero(certificate, &e);
    }
    if (e.origin >= 0 || e.equal[0] >= 0)
        return put_rows(certificate, &e);
    if (!e.proof || (e.proof->leaves == 0 && !(e.proof->exact_price > 0)))
        return e.w && e.bits ? put_margin(certificate, &e) : refuse(certificate, result);
    return add_global(certificate, &e, result);
}

static fathom_status add_gates(fathom_certificate *certificate, const char *claim, const fathom_gates *gates)
{
    const fathom_gates_view view = fathom_gates_look(gates);
    return fathom_certificate_begin(certificate, claim, certificate->coded,
                                    &(fathom_certificate_gates){view.m, view.words, view.bits,
                                                                view.orientation, view.exact_at,
                                                                view.exact_text});
}

fathom_status fathom_certificate_add_cones(fathom_certificate *certificate, const fathom_gates *gates)
{
    return add_gates(certificate, "cones", gates);
}

fathom_status fathom_certificate_add_faces(fathom_certificate *certificate, const fathom_gates *gates)
{
    return add_gates(certificate, "faces", gates);
}
