/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of losses: one row each, with its functions and with what other files may ask about it. They ask for a
 * property (are targets numbers? is there a curvature?) or call a function of the row, never for a loss by its name,
 * so that a new loss is a new row: loss_squared.c, loss_margin.c, loss_softmax.c, loss_boxed.c.
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

/* Where the dual of a kinked loss of numbers lives: -below <= g_i / c_i <= above, the slopes of the loss by r = y - f. */
typedef struct fathom_loss_box {
    double below, above;
} fathom_loss_box;

typedef struct fathom_objective fathom_objective;   /* objective.h */
typedef struct fathom_dual_sums fathom_dual_sums;   /* loss_internal.h */
typedef struct fathom_loss_exact fathom_loss_exact; /* loss_exact.h */

/* One example beside a dual point: outputs f, targets y, and v, whose entries are `step` apart. */
typedef struct fathom_loss_pair {
    const double *f, *y, *v;
    int64_t outputs, step;
    double weight;
    const fathom_loss_box *box; /* of a boxed loss */
} fathom_loss_pair;

typedef struct fathom_loss_row fathom_loss_row;
struct fathom_loss_row {
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
    bool unit;      /* the box has length 1: below is 1 - above exactly; else boxes are symmetric */
    double
        modulus; /* of strong convexity of the conjugate: 1 over the largest curvature; 0: none, or not claimed */
    double preset; /* of its parameter; 0: it has none */
    fathom_loss_dual dual;
    fathom_loss_box (*box)(double parameter); /* of a boxed loss */

    /* One example, f and y of length `outputs`: the loss, its logarithm, and g = e^{-shift} times the derivative by f,
     * without passing through the derivative itself, which may underflow. */
    double (*value)(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs);
    double (*log_value)(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs);
    void (*derivative)(double *g, const fathom_loss_row *row, const double *f, const double *y,
                       int64_t outputs, double shift);

    /* Functions of the margin p: l(p), ln l(p), ln |l'(p)|, and the p with ln l(p) = log_value; NULL where there is none. */
    double (*margin_value)(double p);
    double (*margin_log)(double p);
    double (*margin_log_slope)(double p);
    double (*margin_inverse)(double log_value);

    /* Losses with a dual, point i of the data, f and g outputs x n: l_i without its weight; g_i = -c_i l_i'; R_i of the
     * curvature l_i'' = R_i R_i'. `smoothing` > 0: their barrier form where the loss is kinked. */
    double (*point)(const fathom_objective *p, const double *f, int64_t i, double smoothing);
    void (*residual)(double *g, const fathom_objective *p, const double *f, int64_t i, double smoothing);
    void (*curvature)(double *root, const fathom_objective *p, const double *f, int64_t i, double smoothing);

    /* Output k of the best constant without neurons. */
    double (*constant)(const fathom_objective *p, int64_t k);

    /* g moved to a nearby point of the domain of the conjugates with sum_i g_ki = 0, to rounding. */
    void (*balance)(double *g, const fathom_objective *p);

    /* D(s g) for the best s <= limit that keeps s g in the domain, rounded down; see objective_bound.c. */
    double (*bound)(const fathom_objective *p, const double *g, const fathom_dual_sums *sums, double limit);

    /* l_i without its weight, rounded up, where every output of point i is off by at most e. */
    double (*above)(const fathom_objective *p, const double *f, int64_t i, double e);

    /* c l(f) + c l*(-v / c) + <v, f>: what one example adds to the gap. */
    double (*slack)(const fathom_loss_row *row, const fathom_loss_pair *at);

    const fathom_loss_exact *exact; /* both in balls, for certificates */
};

enum { FATHOM_LOSSES = FATHOM_LOSS_QUANTILE + 1 };

/* The box of a loss with its parameter (delta, tau; others have none); {0, 0} where the loss has none. */
fathom_loss_box fathom_loss_box_of(fathom_loss loss, double parameter);

/* l(r) of a kinked loss of numbers: max over -below <= v <= above of r v - q v^2 / 2, q = 1 where the dual is
 * quadratic and 0 where it is linear. */
double fathom_loss_boxed(fathom_loss loss, const fathom_loss_box *box, double r);

bool fathom_loss_known(fathom_loss loss);

/* The row of a known loss. */
const fathom_loss_row *fathom_loss_row_of(fathom_loss loss);

#endif
