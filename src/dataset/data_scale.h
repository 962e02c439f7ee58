/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data in the middle of the range of double: x = 2^point x', y = 2^target y', c = 2^weight c' (sample weights).
 *
 * Squares of numbers beyond 2^+-511 overflow or vanish, and a bound that is computed from them is false. Every problem of this
 * library is homogeneous in X, in targets that are numbers, and in weights; so it is solved for x', y', c', whose largest entries lie in
 * [1/2, 1), and its answer is scaled back. Multiplication by powers of two is exact; what cannot be scaled exactly, and rows,
 * columns or weights that are still 2^-240 of the largest or less, are refused. Data of ordinary size is left alone.
 */
#ifndef FATHOM_DATA_SCALE_H
#define FATHOM_DATA_SCALE_H

#include "fathom/data.h"

typedef struct fathom_data_scale {
    int point, target, weight;
} fathom_data_scale;

/* The scale of the data; of its targets where they are numbers to fit (`targets`), else 0. ERROR_INPUT with the row or column
 * where no scale brings it into range. O(n d). */
fathom_status fathom_data_find_scale(fathom_data_scale *scale, const fathom_data *data, bool targets);

/* Whether anything is to be scaled. */
static inline bool fathom_data_scale_needed(const fathom_data_scale *scale)
{
    return scale->point || scale->target || scale->weight;
}

/* Gives the scaled data: preprocessing, classes and all else as in `data`. */
fathom_status fathom_data_scaled(fathom_data **given, const fathom_data *data,
                                 const fathom_data_scale *scale);

/* For what is not homogeneous or not scaled: ERROR_INPUT where entries are beyond 2^+-240 or rows and columns differ by more. */
fathom_status fathom_data_check_range(const fathom_data *data);

/* value 2^e; *exact becomes false where that is rounded or overflows. */
double fathom_scale_exactly(double value, int e, bool *exact);

#endif
