/* SPDX-License-Identifier: Apache-2.0 */
/* A certificate in the making: its file and what the claims are about. */
#ifndef FATHOM_CERTIFICATE_INTERNAL_H
#define FATHOM_CERTIFICATE_INTERNAL_H

#include "fathom/loss.h"
#include "fathom/net.h"
#include "fathom/train.h"
#include "inner/certificate.h"
#include "file_write.h"
#include "loss_row.h"
#include "proof.h"
#include "sha256.h"

struct fathom_certificate {
    fathom_context *context;
    fathom_file *file;
    fathom_data *data;  /* borrowed */
    bool picked;        /* two classes of several are kept, as -1 and +1 */
    bool decimals;      /* claims are about the numbers as they are written */
    fathom_sha256 hash; /* of the file so far */
    int64_t data_bytes; /* of the data's file */
    bool begun, coded;  /* there is a claim; it is about classes as -1 and +1 or as columns */
};

/* m gates: patterns m x words, and orientations (m x d) or NULL. */
typedef struct fathom_certificate_gates {
    int64_t m, words;
    const uint64_t *bits;
    const double *orientation;
    const int64_t *exact_at; /* as in fathom_gates_view, or NULL */
    const char *exact_text;
} fathom_certificate_gates;

/* Begins a claim; before the first one the targets (`coded`: for a loss of classes), steps and gates. */
fathom_status fathom_certificate_begin(fathom_certificate *certificate, const char *claim, bool coded,
                                       const fathom_certificate_gates *gates);

/* " m 2^e", exactly: a value times 2^shift. After a failure the file takes no more: the last call's status is enough. */
void fathom_certificate_put_number(fathom_certificate *certificate, double value, int shift);
void fathom_certificate_put_numbers(fathom_certificate *certificate, const double *values, int64_t count,
                                    int shift);

/* "keyword numbers..\n". */
fathom_status fathom_certificate_put_line(fathom_certificate *certificate, const char *keyword,
                                          const double *values, int64_t count, int shift);

/* By which powers of two the numbers of a proof about scaled data (data_scale.h) are multiplied where it is written. */
typedef struct fathom_proof_shift {
    int value;  /* objective and bound */
    int dual;   /* v, and all multipliers of points */
    int scale;  /* s */
    int point;  /* X, centres, hidden biases */
    int weight; /* of gated networks */
    int target; /* y, constants */
} fathom_proof_shift;
fathom_proof_shift fathom_proof_shifts(const fathom_proof *proof, bool equality);

/* The lines of a claim about training: "bound kind upper lower"; a relu network with o outputs, its hidden biases where they
 * are free (`lifted`); "dual s v", v having `count` numbers. */
fathom_status fathom_certificate_put_bound(fathom_certificate *certificate, const char *kind, double upper,
                                           double lower, int shift);
fathom_status fathom_certificate_put_network(fathom_certificate *certificate, const fathom_net_weights *net,
                                             const fathom_net_shape *shape, bool lifted, int shift);
fathom_status fathom_certificate_put_dual(fathom_certificate *certificate, double s, const double *v,
                                          int64_t count, const fathom_proof_shift *shift);

/* Both sides of every output with their trees; with free hidden biases (`lifted`) a leaf has its lift. */
fathom_status fathom_certificate_put_trees(fathom_certificate *certificate, const fathom_proof *proof,
                                           bool lifted, const fathom_proof_shift *shift);

/* What a claim about training is made from: all borrowed but `dense`. */
typedef struct fathom_claim {
    fathom_context *context;
    int64_t n, d, outputs;
    fathom_loss loss;
    fathom_loss_box box; /* of a boxed loss; `parameter` is what its ends are made of, exactly */
    double parameter;
    bool equality, constant;
    const double *x; /* n x d */
    const double *y; /* n x outputs, coded for the loss */
    const double *weight;
    double beta, divisor; /* beta as claimed, 1 for equality; N */
    double *v;            /* outputs x n: moved by settle */
    bool coded;           /* the targets are classes as -1 and +1 or as columns */
    double *dense;        /* rows that are sparse or padded in the data, or NULL */
} fathom_claim;

/* The claim of a result with a proof about this data. */
fathom_status fathom_claim_open(fathom_claim *claim, fathom_context *context, fathom_data *data,
                                const fathom_train_result *result, const fathom_train_options *options);
void fathom_claim_close(fathom_claim *claim);

/* Over all cones, and about networks whose neurons feed one of several outputs each. */
bool fathom_proof_is_single(const fathom_proof *proof);

/* The price of v that the proof gives; 0 where it has none. */
double fathom_proof_price(const fathom_proof *proof);

/* Makes sums that must vanish (a free constant, rows of softmax) vanish exactly, by moves of a few units in the last place
 * of the largest entry that keep v in the domain of the conjugates. */
void fathom_claim_settle(fathom_claim *claim);

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
