/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of a file as they are written: rows times powers of ten.
 *
 * 0.1 is no double, so that points which lie on one line on paper do not as doubles. Where every number of a text file is the
 * shortest decimal of the double it was read as (all with at most 15 digits are), the decimals are known; a row m_k 10^e_k is
 * a positive multiple of the integers m_k 10^(e_k - min e), and where these are below 2^53 they are doubles again. What
 * does not change when rows are scaled (cones, rank, parallel rows, zero margins, spike-freeness) can be asked of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data_internal.h"
#include "decimal.h"
#include "memory.h"

enum { ZEROS = 22 }; /* 10^ZEROS is a double */

/* |value| = *m 10^e with the fewest digits, m < 10^17; gives e. */
static int shortest(double *m, double value)
{
    char text[FATHOM_DECIMAL_SIZE];
    int e = 0, zeros = 0;
    bool fraction = false;
    uint64_t digits = 0;
    fathom_decimal_format(text, fabs(value));
    const char *at = text;
    for (; *at && *at != 'e'; at++) {
        fraction = fraction || *at == '.';
        if (*at == '.')
            continue;
        if (*at == '0') {
            zeros++;
        } else {
            for (; zeros > 0; zeros--)
                digits *= 10;
            digits = 10 * digits + (uint64_t)(*at - '0');
        }
        e -= fraction;
        if (digits == 0)
            zeros = 0;
    }
    *m = (double)digits;
    return digits == 0 ? 0 : e + zeros + (*at == 'e' ? atoi(at + 1) : 0);
}

/* Turns a row of doubles into integers, times a power of ten; false where they would not be doubles. */
static bool scale_row(double *row, int64_t d)
{
    double m;
    int least = 1000;
    for (int64_t k = 0; k < d; k++)
        if (row[k] != 0) {
            const int e = shortest(&m, row[k]);
            least = e < least ? e : least;
        }
    for (int64_t k = 0; k < d; k++) {
        if (row[k] == 0)
            continue;
        int up = shortest(&m, row[k]) - least;
        if (up > ZEROS || !(m < 0x1p53))
            return false;
        for (; up > 0; up--)
            m *= 10; /* exact below 2^53 */
        if (!(m < 0x1p53))
            return false;
        row[k] = copysign(m, row[k]);
    }
    return true;
}

/* A copy with dense rows and without targets. */
static fathom_status copy(fathom_data **out, const fathom_data *data)
{
    FATHOM_TRY(fathom_data_begin(out, data->context, NULL));
    FATHOM_TRY(fathom_data_shape(*out, data->n, data->d, 0));
    double *x = (*out)->x;
    if (data->x) {
        memcpy(x, data->x, (size_t)(data->n * data->d) * sizeof *x);
    } else {
        memset(x, 0, (size_t)(data->n * data->d) * sizeof *x);
        for (int64_t i = 0; i < data->n; i++)
            for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
                x[i * data->d + data->column[k]] = data->value[k];
    }
    (*out)->raw_columns = data->raw_columns;
    (*out)->raw_rows = data->n;
    (*out)->bias = data->bias;
    return FATHOM_OK;
}

fathom_status fathom_data_decimals(fathom_data **decimals, const fathom_data *data)
{
    *decimals = NULL;
    if (!data->origin.decimal || data->normalize != FATHOM_NORMALIZE_NONE || data->mean)
        return FATHOM_OK;
    fathom_data *made = NULL;
    const fathom_status status = copy(&made, data);
    bool whole = status == FATHOM_OK;
    for (int64_t i = 0; i < data->n && whole; i++)
        whole = scale_row(made->x + i * data->d, data->d);
    if (whole)
        *decimals = made;
    else
        fathom_data_free(made);
    return status;
}
