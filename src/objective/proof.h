/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence for lower bounds: numbers only; any values are valid evidence of something, and the checker decides of what
 * (docs/reference/certificate.md). Solvers fill a proof, src/certificate writes it.
 */
#ifndef FATHOM_PROOF_H
#define FATHOM_PROOF_H

#include "fathom/certificate.h"

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
struct fathom_proof {
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

    double *orthant; /* n: weights w > 0 of the rows that prove exact_price (no biases); NULL: none */
};

/* What a proof is made of. */
typedef enum fathom_proof_kind {
    FATHOM_PROOF_EMPTY, /* nothing but that no loss is negative */
    FATHOM_PROOF_GATES, /* the gates of a gated program */
    FATHOM_PROOF_CONES, /* prices over the cones of gates */
    FATHOM_PROOF_TREES, /* prices by trees of signs; several outputs on at most two columns: without leaves */
    FATHOM_PROOF_PLANE, /* one output, at most two columns: the checker finds the price by itself */
    FATHOM_PROOF_ORTHANT /* any outputs: weights of the rows */
} fathom_proof_kind;
fathom_proof_kind fathom_proof_kind_of(const fathom_proof *proof);

/* Gives a proof with room for v, which is zero. free(NULL) is legal. */
fathom_status fathom_proof_create(fathom_proof **proof, fathom_context *context, int64_t n, int64_t d,
                                  int64_t outputs);
void fathom_proof_free(fathom_proof *proof);

/* Copies the gates into the proof. */
fathom_status fathom_proof_set_gates(fathom_proof *proof, const fathom_gates_view *gates, bool complete);

/* Copies v (n, one output) whose price in at most two columns is at most `price`; leaves are forgotten. */
void fathom_proof_set_exact(fathom_proof *proof, const double *v, double price, double lower);

/* Copies weights of the rows (n) that prove `price` of the v that is there; leaves are forgotten. */
fathom_status fathom_proof_set_orthant(fathom_proof *proof, const double *w, double price);

/* The price of a direction of several outputs on at most two columns, which the checker finds by itself. */
fathom_status fathom_proof_add_price(fathom_proof *proof, int64_t direction, double price);

/* Room for a cover of directions. */
fathom_status fathom_proof_set_cover(fathom_proof *proof, int64_t corners, int64_t pieces);

/* Copies a leaf to the end of the list, and makes room for the prices where there is none. */
fathom_status fathom_proof_add_leaf(fathom_proof *proof, const fathom_proof_leaf *leaf);
/* Appends Theta_ij to a leaf that has room for it, unless it is 0. */
void fathom_proof_put_entry(fathom_proof_leaf *leaf, int64_t i, int64_t j, double value);

/* Forgets all leaves, and what they are about: gates, kinks, an exact price. */
void fathom_proof_drop_leaves(fathom_proof *proof);

#endif
