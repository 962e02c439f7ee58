/* SPDX-License-Identifier: Apache-2.0 */
/* Training on the line, step by step, for training at one penalty and along a path: see train_line.c. */
#ifndef FATHOM_TRAIN_LINE_H
#define FATHOM_TRAIN_LINE_H

#include "spline_solve.h"
#include "train_relu.h"

/* A training problem reduced to the line. */
typedef struct fathom_line_work {
    const fathom_train_problem *problem; /* borrowed */
    fathom_spline_points points;
    double *x;     /* n: places of the rows on the line */
    double *u;     /* d: the direction of the line, of length 1 */
    double excess; /* largest distance of a row from the line */
} fathom_line_work;

fathom_status fathom_line_open(fathom_line_work *line, const fathom_train_problem *problem);
void fathom_line_close(fathom_line_work *line);

#endif
