/* SPDX-License-Identifier: Apache-2.0 */
/* Inside fathom: what proves a margin. */
#ifndef FATHOM_INNER_MARGIN_H
#define FATHOM_INNER_MARGIN_H

#include "fathom/margin.h"
#include "inner/certificate.h"
#include "inner/program.h"

/* What proves the interval of a result; borrowed from it, NULL where it has none of that kind. */
typedef struct fathom_margin_evidence {
    int64_t n, d, m, words;
    double lower, upper;
    const double *q; /* n: the dual point of the upper bound */
    const char *const
        *q_exact;              /* n: where that is 0, a multiple of it in integers, hexadecimal, NULL for 0 */
    bool linear;               /* one gate, open on all points */
    const uint64_t *bits;      /* m x words: distinct gates */
    const double *orientation; /* m x d */
    const double *rho;         /* m: their weights, multiples of 1 / width */
    const double *w;           /* m x d: the separator of the lower bound, |w_j| <= 1 */
    const double *gain;    /* both layers: the m neurons are (gain_j, orientation_j), and w is m x (d + 1) */
    int64_t width;         /* gates before equal ones were merged; 0: all cones with their measures */
    const fathom_net *net; /* of a global margin: the network of the lower end, */
    const fathom_proof *proof; /* and what proves the price of the dual point of the upper end */
    int64_t pairs;       /* the margin is 0: points of label +1 and -1 on one ray, or on opposite ones, */
    const int64_t *pair; /* pairs x 2, */
    const char *const *weight; /* with integers l > 0, hexadecimal: sum l x = 0 over those of label +1 */
    int64_t origin, equal[2]; /* rows that make it 0 by themselves: one that is 0, two equal ones; -1: none */
    bool decimals;            /* of the rows of fathom_data_decimals */
    bool sampled;             /* of the first layer: q and mu are a map whose margin can be drawn, */
    double mu;                /* on X 2^-point, */
    int point;
    double confidence, gap; /* as they were asked for, */
    uint64_t seed;          /* from this seed */
} fathom_margin_evidence;
FATHOM_PROGRAM fathom_margin_evidence fathom_margin_prove(const fathom_margin_result *result);

/* Seeks evidence for the upper end of a global margin of this data, for fathom_margin_prove; nothing for
 * other kinds. */
fathom_status fathom_margin_seek_proof(fathom_margin_result *result, fathom_data *data);

/* Puts the interval that a proof has in place of the one that was sampled, after so many more samples. */
void fathom_margin_replace(fathom_margin_result *result, double lower, double upper, int64_t samples);

/* Adds the claim that a sampled margin lies in an interval with the asked confidence, which directions that are drawn for it
 * prove; that interval takes the place of the result's. */
fathom_status fathom_certificate_add_sampled(fathom_certificate *certificate, fathom_margin_result *result);

/* Adds the claim lower <= margin <= upper, or that the margin is 0, to a certificate. ERROR_USAGE where
 * the result's interval has no proof of this kind: sampled or by measures beyond the plane. */
fathom_status fathom_certificate_add_margin(fathom_certificate *certificate,
                                            const fathom_margin_result *result);

#endif
