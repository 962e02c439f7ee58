/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Awkward data for training: what users have and solvers dislike. Every member is a function of its seed.
 *
 * Rows are Gaussian, on a grid (copies, points in line), in antipodal pairs, or with columns of different sizes, then moved by an
 * offset; targets are numbers or labels.
 */
#ifndef FATHOM_TEST_AWKWARD_TRAINING_H
#define FATHOM_TEST_AWKWARD_TRAINING_H

#include <stdbool.h>

#include "random.h"

enum { AWKWARD_ROWS = 30, AWKWARD_COLUMNS = 3 };

typedef struct awkward {
    int64_t n, d;
    double offset;
    int family; /* 0 Gaussian, 1 grid, 2 antipodes, 3 columns of different sizes */
    double x[AWKWARD_ROWS * AWKWARD_COLUMNS], y[AWKWARD_ROWS];
} awkward;

/* A number in [0, count) for choice `what` of a seed. */
static inline int64_t awkward_choice(uint64_t seed, uint32_t what, int64_t count)
{
    return (int64_t)(fathom_random_uniform(seed, FATHOM_STREAM_SAMPLE, what, 0) * (double)count);
}

static inline void awkward_rows(awkward *a, uint64_t seed)
{
    fathom_random_normals(a->x, a->n * a->d, seed, FATHOM_STREAM_DATA, 0, 0);
    for (int64_t k = 0; k < a->n * a->d; k++) {
        const int64_t i = k / a->d, l = k % a->d;
        if (a->family == 1)
            a->x[k] = round(2 * a->x[k]) / 2;
        if (a->family == 2 && i >= a->n / 2 && i - a->n / 2 < a->n / 2)
            a->x[k] = -a->x[(i - a->n / 2) * a->d + l];
        if (a->family == 3)
            a->x[k] *= pow(10, (double)awkward_choice(seed, 10 + (uint32_t)l, 5) - 2);
    }
    for (int64_t k = 0; k < a->n * a->d; k++)
        a->x[k] += a->offset;
}

/* n from `least` to 30, d from 1 to 3, an offset of 0, 10, 100 or 1000; labels +-1 of both kinds where asked for. */
static inline void awkward_draw(awkward *a, uint64_t seed, int64_t least, bool labels)
{
    static const double offset[] = {0, 0, 10, 100, 1000};
    a->n = least + awkward_choice(seed, 0, AWKWARD_ROWS + 1 - least);
    a->d = 1 + awkward_choice(seed, 1, AWKWARD_COLUMNS);
    a->offset = offset[awkward_choice(seed, 2, 5)];
    a->family = (int)awkward_choice(seed, 3, 4);
    awkward_rows(a, seed);
    fathom_random_normals(a->y, a->n, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (int64_t i = 0; labels && i < a->n; i++)
        a->y[i] = i == 0 ? 1 : i == 1 || a->y[i] < 0 ? -1 : 1;
}

#endif
