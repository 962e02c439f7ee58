/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine gives fathom: kernels, BLAS, threads, limits, speed, and what is wrong with it. */
#ifndef FATHOM_DOCTOR_H
#define FATHOM_DOCTOR_H

#include <stdbool.h>

#include "fathom/status.h"

enum {
    FATHOM_DOCTOR_LIBRARIES = 32,
    FATHOM_DOCTOR_NAME = 128,
    FATHOM_DOCTOR_FINDINGS = 8,
    FATHOM_DOCTOR_TEXT = 256
};

/* All texts are held inside. Limits are INFINITY where there is none. */
typedef struct fathom_doctor {
    const char *kernels;      /* at work in products: avx512, avx2, plain; static text */
    const char *best_kernels; /* those that this processor can run best */
    double peak;    /* operations per second of one thread in registers, measured; 0: not measured */
    double product; /* operations per second of one product of 256 x 256 x 256, measured */
    char blas_core
        [FATHOM_DOCTOR_NAME]; /* whose kernels the BLAS under LAPACK has chosen; "": it does not say */
    const char *fitting_core; /* the one that fits this processor, in OpenBLAS's words; NULL: not known */
    bool blas_fits;           /* false: it has chosen a core below what the processor offers */
    int processors, allowed, asked, threads; /* of the machine, by affinity, by environment, in use */
    double quota;                            /* processors' worth of time of the control group */
    bool passive;                            /* threads without work sleep */
    double memory, memory_group, address_space, stack, open_files;
    int libraries;
    char library[FATHOM_DOCTOR_LIBRARIES]
                [FATHOM_DOCTOR_NAME]; /* file names of what is loaded, with versions */
    int findings;
    char finding[FATHOM_DOCTOR_FINDINGS][FATHOM_DOCTOR_TEXT]; /* what is wrong, and what to do */
} fathom_doctor;

/* Looks around; with `measure` also loads what is loaded late (CVODE) and times products, some 50 milliseconds. */
FATHOM_API void fathom_doctor_look(fathom_doctor *doctor, bool measure);

/* The BLAS under LAPACK (eigenvalues, QR, singular values) chooses its kernels when it is loaded, and an old
 * one takes a new processor for one of long ago. NULL where it has chosen well or does not say; else the
 * core, static text, that it should be given as environment variable OPENBLAS_CORETYPE before the program
 * starts (or before the library is loaded, by dlopen). The program fathom and the Python package do so by
 * themselves; a program linked to the library asks here and may start itself again. */
FATHOM_API const char *fathom_doctor_core_wanted(void);

#endif
