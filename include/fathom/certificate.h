/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates: claims with proofs that a program of its own, fathom-check, verifies against the data file in exact
 * arithmetic. docs/reference/certificate.md has the format and why each check suffices.
 *
 * A solver leaves the evidence for its lower bound in a proof (numbers only; any values are valid evidence of
 * something, and the checker decides of what). The writer below turns results with proofs into a file.
 */
#ifndef FATHOM_CERTIFICATE_H
#define FATHOM_CERTIFICATE_H

#include "fathom/gates.h"
#include "fathom/json.h"
#include "fathom/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A leaf of a tree of signs: the half-spaces sign[k] <x_row[k], u> >= 0, and the multipliers that bound the price there.
 * A tree is the list of its leaves in preorder, positive half-spaces first; one leaf of depth 0 is no tree at all. */
typedef struct fathom_proof_leaf {
    int64_t output;  /* or direction of several, of the dual point, from 0; on cones the gate */
    int side;        /* +1 or -1 */
    int64_t depth;   /* rows fixed */
    int64_t *row;    /* depth, from 0 */
    int *sign;       /* depth */
    int64_t entries; /* of Theta */
    int64_t *i,
        *j;        /* entries: row from 0; column from 0, where 0 is the constant sign and j is point j - 1 */
    double *theta; /* entries */
    double *weight; /* n + 1: gamma_j = 1 / alpha_j; 0 for columns that are fixed or zero */
    double *nu;     /* depth */
    double lift;    /* free hidden biases only */
    int64_t kink;   /* where the proof has kinks: the bias is b = -<x_kink, u>; on cones the output */
} fathom_proof_leaf;

/* What proves a lower bound of training. Owned arrays; those that do not apply are NULL. */
typedef struct fathom_proof {
    fathom_context *context;
    int64_t n, d, outputs;
    int point, target, weight; /* all numbers here are about X 2^-point, y 2^-target and weights 2^-weight */
    double most_bytes;         /* of the certificate, about; 0: no limit */
    double lower;              /* the bound that v gives, for the sum of the losses */
    bool finished;             /* what follows was found as the checker finds it: */
    double claimed_upper,
        claimed_lower; /* both ends of the claim, of the problem as asked for but for the scaling above */
    double scale;      /* s: the dual point of the claim is s v */
    double residual;   /* interpolation: the largest |f - y| */
    double *u;         /* m x d: neurons moved into the cones of gates; NULL: those of the network */
    double *v;         /* outputs x n: the dual point, before it is scaled into feasibility */

    bool started;   /* v is a point to start from; evidence is still to be sought */
    double *centre; /* d: from which points are measured where a bias is free; NULL: 0 */

    double exact_price; /* of v where the checker can find it by itself (at most two columns); 0 elsewhere */
    bool planar;        /* several outputs: so are the prices of all directions, and there are no leaves */
    bool kinks;         /* free biases: a tree for every point as the kink, on the points less it; no lifts */
    double *along;      /* d + n: a direction and places on it beside which all points are; NULL: none */
    double *
        price; /* directions x 2: upper bounds on the price of v in a direction, by side (+, -); NULL: none */
    int64_t leaves, room, priced; /* places for leaves and for prices */
    fathom_proof_leaf *leaf;

    /* Several outputs: direction k < axes is e_k, or with fewer axes than outputs e_k - e_outputs; direction axes + k is share[2k] c_i +
     * share[2k + 1] c_j with i, j = parent[2k..]. Pieces cover them all, in preorder: bisected at a direction, or (-1) with a majorant l of
     * the prices at its corners. No pieces: prices add up in squares. A fan covers directions and their opposites, each with the price of
     * its own side; else the cones of (c_0, +-c_1, ..) are all there are, with the larger price of both sides. */
    int64_t axes;
    bool fan;
    int64_t corners, pieces;
    int64_t *parent, *bisect; /* corners x 2, pieces */
    double *share, *majorant; /* corners x 2, pieces x outputs */

    int64_t gates, words; /* the gates of the problem */
    uint64_t *bits;       /* gates x words */
    double *orientation;  /* gates x d, or NULL where only patterns are known */
    bool complete;        /* they are all full-dimensional cones */
    int64_t used;         /* gates with weights */
    int64_t *gate;        /* used */
    double *w;            /* used x outputs x d */
    double *c;            /* outputs */
    int64_t *exact_at; /* gates: witnesses of cones too thin for doubles, as in fathom_gates_view; or NULL */
    char *exact_text;
} fathom_proof;

/* Gives a proof with room for v, which is zero. free(NULL) is legal. */
FATHOM_API fathom_status fathom_proof_create(fathom_proof **proof, fathom_context *context, int64_t n,
                                             int64_t d, int64_t outputs);
FATHOM_API void fathom_proof_free(fathom_proof *proof);

/* Copies the gates into the proof. */
FATHOM_API fathom_status fathom_proof_set_gates(fathom_proof *proof, const fathom_gates_view *gates,
                                                bool complete);

/* Copies v (n, one output) whose price in at most two columns is at most `price`; leaves are forgotten. */
FATHOM_API void fathom_proof_set_exact(fathom_proof *proof, const double *v, double price, double lower);

/* The price of a direction of several outputs on at most two columns, which the checker finds by itself. */
FATHOM_API fathom_status fathom_proof_add_price(fathom_proof *proof, int64_t direction, double price);

/* Room for a cover of directions. */
FATHOM_API fathom_status fathom_proof_set_cover(fathom_proof *proof, int64_t corners, int64_t pieces);

/* Copies a leaf to the end of the list, and makes room for the prices where there is none. */
FATHOM_API fathom_status fathom_proof_add_leaf(fathom_proof *proof, const fathom_proof_leaf *leaf);
/* Forgets all leaves, and what they are about: gates, kinks, an exact price. */
FATHOM_API void fathom_proof_drop_leaves(fathom_proof *proof);

/* A certificate in the making. */
typedef struct fathom_certificate fathom_certificate;

/* The files that a certificate is about: plain CSV, LIBSVM or NPY (with its labels), as `options` read them. */
typedef struct fathom_certificate_source {
    const char *path;
    const char *labels; /* NULL unless NPY */
    const fathom_data_options *options;
} fathom_certificate_source;

/* Whether fathom-check reads this data as it stands: a file, not compressed, CSV without quotes or
 * categories, LIBSVM or NPY. What is not plain is first written to a file that is. Where the file cannot be
 * read: false, and the context's error, FATHOM_OK otherwise, says why. */
FATHOM_API bool fathom_certificate_plain(const fathom_data *data, const char *path,
                                         const fathom_data_options *options);

/* The files in which data that is not plain is kept beside a certificate. */
enum { FATHOM_CERTIFICATE_PATH = 4096 };
typedef struct fathom_certificate_data {
    char path[FATHOM_CERTIFICATE_PATH]; /* CERTIFICATE.csv, .svm or .npy */
    /* CERTIFICATE.labels.npy where there are several outputs, else "" */
    char labels[FATHOM_CERTIFICATE_PATH];
    bool made_path, made_labels; /* by this call; what was there with the same bytes stays as it is */
} fathom_certificate_data;

/* Writes `data` beside the certificate. A file that is there with other bytes is not touched: ERROR_USAGE. */
FATHOM_API fathom_status fathom_certificate_keep_data(fathom_certificate_data *files, const fathom_data *data,
                                                      const char *certificate);
/* Removes what that call made. */
FATHOM_API void fathom_certificate_drop_data(fathom_certificate_data *files);

/* Begins the file `path` about `data`, which was read from `source`. Nothing appears before it is closed. */
FATHOM_API fathom_status fathom_certificate_open(fathom_certificate **certificate, fathom_context *context,
                                                 const char *path, const fathom_data *data,
                                                 const fathom_certificate_source *source);

/* Before the first claim: the claims, of cones or of margin 0, are about the decimals of the data's text (fathom_data_decimals). */
FATHOM_API void fathom_certificate_read_decimals(fathom_certificate *certificate);

/* Adds the claim that these gates, all of them witnesses of cones, are all full-dimensional cones of the data. */
FATHOM_API fathom_status fathom_certificate_add_cones(fathom_certificate *certificate,
                                                      const fathom_gates *gates);

/* Adds the claim that these gates are all sets of active points, those of measure zero included. */
FATHOM_API fathom_status fathom_certificate_add_faces(fathom_certificate *certificate,
                                                      const fathom_gates *gates);

/* Adds the claim that the data matrix A is spike-free (NULL, NULL), or that it is not: point (d) and
 * combination (n) are u and c with <c, (Au)_+> > |A'c||u| (fathom_geometry_show_spike). */
FATHOM_API fathom_status fathom_certificate_add_spike(fathom_certificate *certificate, const double *point,
                                                      const double *combination);

/* Whether a file begins as a certificate does; and what it says (nothing is verified) as members of `result`: data, n, d,
 * claims with their bounds and sizes. */
FATHOM_API bool fathom_certificate_recognize(fathom_context *context, const char *path);
FATHOM_API fathom_status fathom_certificate_describe(fathom_json *result, fathom_context *context,
                                                     const char *path);

/* Makes the file appear and frees the certificate whatever happens. */
FATHOM_API fathom_status fathom_certificate_close(fathom_certificate *certificate);
/* Frees a certificate that is not to appear; free(NULL) is legal. */
FATHOM_API void fathom_certificate_abort(fathom_certificate *certificate);

#ifdef __cplusplus
}
#endif
#endif
