/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stiff systems dy/dx = f(x, y) by CVODE, in plain arrays. Nothing else of the library is seen from here: the
 * code is a module of its own, which only those load who integrate such a system (src/dynamics/stiff.c).
 */
#ifndef FATHOM_CVODE_H
#define FATHOM_CVODE_H

#include <stdbool.h>
#include <stdint.h>

/* Callbacks return false where there is no value; the integration then ends. */
typedef struct fathom_stiff {
    int64_t size; /* numbers of y */
    int targets;  /* numbers of `target` */
    void *user;   /* handed to the callbacks */
    bool (*rate)(double *rate, double x, const double *y, void *user);
    bool (*jacobian)(double *columns, double x, const double *y,
                     void *user);                                         /* df_i/dy_j at [j * size + i] */
    bool (*target)(double *value, double x, const double *y, void *user); /* ends where one of them is 0 */
} fathom_stiff;

/* From *x to x1 at most; y and *x receive the end. False where the integrator gave up before, or had no
 * memory. */
typedef bool fathom_stiff_run(double *y, double *x, const fathom_stiff *system, double x1);

/* The one function of the module (src/base/module.c). */
#if defined(__GNUC__) && !defined(_WIN32)
__attribute__((visibility("default")))
#endif
fathom_stiff_run fathom_cvode_run;

#endif
