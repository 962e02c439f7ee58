/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limited-memory BFGS with bounds in single precision, for many variables and few digits.
 *
 *     minimise f(x)  subject to  lower_i <= x_i <= upper_i
 *
 * The method of lbfgs.h: vectors are single, which halves what every step moves through memory; inner
 * products are summed in double, and f
 * is a double. f may carry a state of its own (a scaling that follows the iterates): it must stand still
 * during a line search, and is
 * told of every step that is taken. Cost per step: 4 memory size multiplications beside the evaluations.
 */
#ifndef FATHOM_LBFGS_SINGLE_H
#define FATHOM_LBFGS_SINGLE_H

#include "fathom/context.h"

/* The value at x, INFINITY outside the domain; fills the gradient where the value is finite. */
typedef double fathom_lbfgs_single_function(void *user, float *gradient, const float *x);

typedef struct fathom_lbfgs_single_options {
    int64_t iterations;
    int64_t memory;
    double decrease;            /* ends when ten steps together gain less than this times |f| */
    const float *lower, *upper; /* size; infinite where a variable is free */
    void (*taken)(void *user);  /* called after each step with the state of its evaluation, or NULL */
} fathom_lbfgs_single_options;

/* Improves x (size) in place; returns f(x). `work` holds fathom_lbfgs_single_work(size, memory) numbers.
 * Ends early when the context asks
 * to stop. */
double fathom_lbfgs_single_run(float *x, const fathom_context *context, int64_t size,
                               fathom_lbfgs_single_function *function, void *user,
                               const fathom_lbfgs_single_options *options, float *work);
int64_t fathom_lbfgs_single_work(int64_t size, int64_t memory);

#endif
