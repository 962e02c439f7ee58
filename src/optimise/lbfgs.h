/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limited-memory BFGS with bounds on the variables.
 *
 *     minimise f(x)  subject to  lower_i <= x_i <= upper_i
 *
 * Variables at their bound whose gradient points outwards are held; the others move along the two-loop direction of
 * the last `memory` steps, projected on the bounds, with a weak Wolfe search [Lewis, Overton 2013], which also serves
 * functions with kinks. Cost per step: 4 memory size multiplications beside the evaluations.
 */
#ifndef FATHOM_LBFGS_H
#define FATHOM_LBFGS_H

#include "fathom/context.h"

/* The value at x, INFINITY outside the domain; fills the gradient where the value is finite. */
typedef double fathom_lbfgs_function(void *user, double *gradient, const double *x);

typedef struct fathom_lbfgs_options {
    int64_t iterations;
    int64_t memory;
    double decrease;     /* ends when ten steps together gain less than this times |f| */
    const double *lower; /* size, or NULL: unbounded; -INFINITY where a variable is free */
    const double *upper; /* the same from above */
    const double *aim;   /* NULL, or a value at which to end */
} fathom_lbfgs_options;

/* Improves x (size) in place; *value receives f(x). Ends early when the context asks to stop. */
fathom_status fathom_lbfgs_minimize(double *x, double *value, fathom_context *context, int64_t size,
                                    fathom_lbfgs_function *function, void *user,
                                    const fathom_lbfgs_options *options);

/* The same without allocation, for many small problems side by side: `work` holds fathom_lbfgs_work(size, memory) doubles.
 * Returns f(x). */
double fathom_lbfgs_run(double *x, const fathom_context *context, int64_t size,
                        fathom_lbfgs_function *function, void *user, const fathom_lbfgs_options *options,
                        double *work);
int64_t fathom_lbfgs_work(int64_t size, int64_t memory);

#endif
