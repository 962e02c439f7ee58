/* SPDX-License-Identifier: Apache-2.0 */
/* The hinge on the line in rational arithmetic: what all optimal networks have for outputs; see
 * line_hinge.c. */
#ifndef FATHOM_LINE_HINGE_H
#define FATHOM_LINE_HINGE_H

#include "line_exact.h"

/* The hinge with free biases on labelled rows, y = +-1; places are those of `line`, opened from the same
 * rows. */
typedef struct fathom_line_hinge {
    const fathom_exact_line *line; /* borrowed */
    const double *x, *y, *weight;  /* n; weight NULL: ones */
    int64_t n;
    double beta; /* > 0, for the sum of losses */
} fathom_line_hinge;

/* More places and labels than this are not tried. */
enum { FATHOM_LINE_HINGE_MOST = 60 };

/* range (places x 2): the least and the largest output of an optimal network at each place, the infinite
 * ones included; value (places): the output where the two are equal, exactly. *found is false where the
 * program is too large; ERROR_STOPPED on the context's limits. */
fathom_status fathom_line_hinge_ranges(double *range, mpq_t *value, bool *found,
                                       const fathom_line_hinge *problem);

#endif
