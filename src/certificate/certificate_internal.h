/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate in the making: its file and what the claims are about. */
#ifndef FATHOM_CERTIFICATE_INTERNAL_H
#define FATHOM_CERTIFICATE_INTERNAL_H

#include "fathom/certificate.h"
#include "fathom/loss.h"
#include "file_write.h"

struct fathom_certificate {
    fathom_context *context;
    fathom_file *file;
    fathom_data *data; /* borrowed */
    bool gates;        /* the section of gates is written */
};

/* The section of gates, once: before the first claim. bits m x words; orientation (m x d) or NULL. m = 0: none. */
fathom_status fathom_certificate_put_gates(fathom_certificate *certificate, int64_t m, int64_t words,
                                           const uint64_t *bits, const double *orientation);

/* " m 2^e", exactly. After a failure the file takes no more: the last call's status is enough. */
void fathom_certificate_put_number(fathom_certificate *certificate, double value);
void fathom_certificate_put_numbers(fathom_certificate *certificate, const double *values, int64_t count);

/* "keyword number\n". */
void fathom_certificate_put_line(fathom_certificate *certificate, const char *keyword, double value);

/* Both sides of every output with their trees; with free hidden biases (`lifted`) a leaf has its lift. */
fathom_status fathom_certificate_put_trees(fathom_certificate *certificate, const fathom_proof *proof,
                                           bool lifted);

/* What a claim about training is made from: everything borrowed. */
typedef struct fathom_claim {
    int64_t n, d, outputs;
    fathom_loss loss;
    bool equality, constant;
    const double *x; /* n x d */
    const double *y; /* n x outputs, coded for the loss */
    const double *weight;
    double beta, divisor; /* beta as claimed; N */
    double *v;            /* outputs x n: moved by settle */
} fathom_claim;

/* Makes sums that must vanish (a free constant, rows of softmax) vanish exactly, by moves of a few units in the last place
 * of the largest entry that keep v in the domain of the conjugates. */
void fathom_claim_settle(fathom_claim *claim);

/* max_j |F*(v)_j| over gates, rounded up; `sum` (outputs x d) is workspace. */
double fathom_claim_gate_norm(const fathom_claim *claim, int64_t m, int64_t words, const uint64_t *bits,
                              double *sum);

/* The best multiple s of v with s price <= N beta that stays in the domain: a double for which both hold exactly. */
double fathom_claim_scale(const fathom_claim *claim, double price);

/* Moves each of the m neurons u (m x d) into the cone of the gate that it is nearest to, towards the gate's orientation;
 * returns the largest move, relative to |u|. */
double fathom_claim_enter_cones(double *u, const fathom_claim *claim, int64_t m, const fathom_proof *proof,
                                double *trial);

/* How far rounding may put a value of about `objective`, with sum |w||u| = norm, from its exact value. */
double fathom_claim_rounding(const fathom_claim *claim, double objective, double loss, double norm,
                             int64_t neurons);

#endif
