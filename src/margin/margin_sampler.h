/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a sampled margin between looks; the method stands in margin_sample.c. */
#ifndef FATHOM_MARGIN_SAMPLER_H
#define FATHOM_MARGIN_SAMPLER_H

#include "margin_circle.h"
#include "margin_result.h"

/* Shares of the probability of failure: all looks together, the bound from the training gates, looks cut
 * short. */
#define FATHOM_SHARE_LOOKS 0.85
#define FATHOM_SHARE_TRAINING 0.1
#define FATHOM_SHARE_CUT 0.05

/* What a look was drawn with: enough to draw it again. */
typedef struct fathom_look {
    int64_t number, count; /* 0: none; circles or pairs */
    double mu, value_slope;
    double *q, *slope; /* n, borrowed */
} fathom_look;

/* The looks that a state keeps: those that the two ends of the interval came from, and the last. */
enum { FATHOM_LOOK_LOWER, FATHOM_LOOK_UPPER, FATHOM_LOOK_LAST, FATHOM_LOOKS_KEPT };

typedef struct fathom_sampler {
    fathom_margin_run *run;
    int64_t n, d;
    bool full;                 /* both layers */
    double delta;              /* total probability of failure */
    fathom_margin_gates gates; /* training */
    fathom_margin_problem problem;
    fathom_margin_work *work;
    double *q, *slope, *kq, *gradient; /* n */
    double *hessian;                   /* n x n */
    double *sums, *weight;             /* m x d; 2 m */
    double *gain;                      /* both layers: a_j of the gates, whose orientations are the v_j */
    int64_t dimension;                 /* d, or d + 1 for both layers */
    fathom_circle_plan plan;
    fathom_circle_sums totals;
    double scale;       /* about gamma: sets mu and the first slopes */
    double smoothing;   /* mu / scale */
    double reach;       /* no S_q(z) is longer */
    double least, best; /* least estimated margin of the map: of this look, of all looks */
    fathom_look kept[FATHOM_LOOKS_KEPT];
    double *kept_block; /* 2 n for each of them */
    /* progress, kept in checkpoints */
    bool trained;          /* the program of the training gates was solved, not cut short */
    int64_t drawn;         /* training gates asked for */
    int64_t looks;         /* finished */
    int64_t count;         /* circles or pairs of the next or last look */
    int64_t previous;      /* of the one before it */
    double spent;          /* vectors drawn in looks */
    int64_t interruptions; /* looks that a limit cut short */
} fathom_sampler;

/* Sets `reach` for the q at hand. */
fathom_status fathom_sampler_reach(fathom_sampler *sampler);

/* Draws the next look of sampler->count fresh circles or pairs and narrows the result's interval. *whole
 * is false where a limit cut it short: then the state stays that before the look, apart from the number of
 * interruptions, and is kept. */
fathom_status fathom_sampler_look(bool *whole, fathom_sampler *sampler, double gap);

/* Draws the look again that `look` describes and narrows the interval as it did; *whole is false where a
 * limit cut that short. Leaves q and slopes of `look` behind. */
fathom_status fathom_sampler_repeat(bool *whole, fathom_sampler *sampler, const fathom_look *look,
                                    double gap);

/* Slopes for the next look, at `count` circles or pairs, from the moments of this one. */
void fathom_sampler_slopes(fathom_sampler *sampler, double count);

/* Writes the state to the file of --checkpoint where there is one. */
fathom_status fathom_sampler_write(const fathom_sampler *sampler);

/* The number of training gates of the state in the file of --resume; ERROR_INPUT where it belongs to
 * another problem. */
fathom_status fathom_sampler_resume_drawn(int64_t *drawn, fathom_margin_run *run);

/* Takes over that state; the gates are drawn and their program is solved. The looks that the interval came
 * from are drawn again: *whole is false where a limit cut that short. Where there are no looks in the file
 * yet nothing changes. */
fathom_status fathom_sampler_read(bool *whole, fathom_sampler *sampler, double gap);

#endif
