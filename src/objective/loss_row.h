/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of losses: one row each, with what other files may ask about it. They ask for a property (are targets
 * numbers? is there a curvature?), never for a loss by its name, so that a new loss is a new row.
 */
#ifndef FATHOM_LOSS_ROW_H
#define FATHOM_LOSS_ROW_H

#include "fathom/loss.h"

/* The form of D(g) = -sum_i c_i l*(-g_i / c_i), the dual of the sum of losses. */
typedef enum fathom_loss_dual {
    FATHOM_DUAL_NONE,      /* no convex solver takes this loss */
    FATHOM_DUAL_QUADRATIC, /* <y, g> - sum g^2 / (2 c) */
    FATHOM_DUAL_ENTROPY,   /* sum c H(a) */
    FATHOM_DUAL_LINEAR     /* <y, g> */
} fathom_loss_dual;

typedef struct fathom_loss_row {
    const char *name;    /* in model files, options and certificates */
    const char *targets; /* what it takes, for messages */
    bool numbers;        /* targets are numbers; else classes */
    bool signs;          /* targets are -1 or +1, one output: a function of the margin y f */
    bool simplex;        /* targets are one-hot rows: the dual's are differences of distributions */
    /* outputs are log odds: the loss never vanishes, and its logarithm is what one follows */
    bool probabilities;
    bool halved;    /* what outputs tend to is half the log odds */
    bool kinked;    /* no curvature: Newton steps smooth it by a barrier on the box of its dual */
    bool quadratic; /* the same curvature everywhere */
    bool boxed;     /* kinked, of numbers: a function of r = y - f with slopes in a box */
    double preset;  /* of its parameter; 0: it has none */
    fathom_loss_dual dual;
} fathom_loss_row;

enum { FATHOM_LOSSES = FATHOM_LOSS_QUANTILE + 1 };

/* Where the dual of a kinked loss of numbers lives: -below <= g_i / c_i <= above, the slopes of the loss by r = y - f. */
typedef struct fathom_loss_box {
    double below, above;
} fathom_loss_box;

/* The box of a loss with its parameter (delta, tau; others have none); {0, 0} where the loss has none. */
fathom_loss_box fathom_loss_box_of(fathom_loss loss, double parameter);

/* l(r) of a kinked loss of numbers: max over -below <= v <= above of r v - q v^2 / 2, q = 1 where the dual is
 * quadratic and 0 where it is linear. */
double fathom_loss_boxed(fathom_loss loss, const fathom_loss_box *box, double r);

bool fathom_loss_known(fathom_loss loss);

/* The row of a known loss. */
const fathom_loss_row *fathom_loss_row_of(fathom_loss loss);

#endif
