/* SPDX-License-Identifier: Apache-2.0 */
/* Products with all gates along the gate tree: see gate_tree.h. */
#include "gate_tree.h"

#include <math.h>
#include <string.h>

#include "dispatch.h"
#include "patterns.h"

/* high + low += a, exactly in high up to the part that goes to low. */
static inline void add_to_pair(double *high, double *low, double a)
{
    const double sum = *high + a, part = sum - *high;
    *low += (*high - (sum - part)) + (a - part);
    *high = sum;
}

/* high + low += a b. */
static inline void add_product(double *high, double *low, double a, double b)
{
    const double product = a * b;
    *low += fma(a, b, -product);
    add_to_pair(high, low, product);
}

/* (high + low)[k] += a x[k]. */
FATHOM_DISPATCH
static void add_dense_row(double *restrict high, double *restrict low, double a, const double *restrict x,
                          int64_t d)
{
    for (int64_t k = 0; k < d; k++)
        add_product(high + k, low + k, a, x[k]);
}

/* high + low += a x_i. */
static void add_row(double *high, double *low, double a, const fathom_data_view *data, int64_t i)
{
    if (data->x) {
        add_dense_row(high, low, a, data->x + i * data->ld, data->d);
        return;
    }
    for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++)
        add_product(high + data->column[k], low + data->column[k], a, data->value[k]);
}

void fathom_gate_tree_sums(double *out, double *work, const fathom_gates_view *gates,
                           const fathom_data_view *data, const double *v)
{
    const int64_t d = gates->d;
    const size_t row = (size_t)d * sizeof *out;
    for (int64_t j = 0; j < gates->m; j++) {
        const uint64_t *bits = gates->bits + j * gates->words;
        const int64_t parent = gates->parent[j];
        double *high = out + j * d, *low = work + j * d;
        if (parent < 0) {
            memset(high, 0, row);
            memset(low, 0, row);
            for (int64_t i = 0; i < gates->n; i++)
                if (fathom_pattern_bit(bits, i))
                    add_row(high, low, v[i], data, i);
            continue;
        }
        memcpy(high, out + parent * d, row);
        memcpy(low, work + parent * d, row);
        for (int64_t k = gates->flip_start[j]; k < gates->flip_start[j + 1]; k++) {
            const int32_t i = gates->flip[k];
            add_row(high, low, fathom_pattern_bit(bits, i) ? v[i] : -v[i], data, i);
        }
    }
    for (int64_t k = 0; k < gates->m * d; k++)
        out[k] += work[k];
}

/* out + out_low += sign <x_i, high + low>. */
FATHOM_DISPATCH
static void add_dense_dot(double *out, double *out_low, double sign, const double *x, const double *high,
                          const double *low, int64_t d)
{
    for (int64_t k = 0; k < d; k++) {
        add_product(out, out_low, sign * x[k], high[k]);
        *out_low += sign * x[k] * low[k];
    }
}

static void add_dot(double *out, double *out_low, double sign, const fathom_data_view *data, int64_t i,
                    const double *high, const double *low)
{
    if (data->x) {
        add_dense_dot(out, out_low, sign, data->x + i * data->ld, high, low, data->d);
        return;
    }
    for (int64_t k = data->row_start[i]; k < data->row_start[i + 1]; k++) {
        add_product(out, out_low, sign * data->value[k], high[data->column[k]]);
        *out_low += sign * data->value[k] * low[data->column[k]];
    }
}

void fathom_gate_tree_adjoint(double *out, double *work, const fathom_gates_view *gates,
                              const fathom_data_view *data, const double *z)
{
    const int64_t d = gates->d, size = gates->m * d;
    double *high = work, *low = work + size, *out_low = low + size;
    memcpy(high, z, (size_t)size * sizeof *z);
    memset(low, 0, (size_t)size * sizeof *low);
    memset(out, 0, (size_t)gates->n * sizeof *out);
    memset(out_low, 0, (size_t)gates->n * sizeof *out_low);
    for (int64_t j = gates->m - 1; j >= 0; j--) { /* children come after their parents */
        const uint64_t *bits = gates->bits + j * gates->words;
        const int64_t parent = gates->parent[j];
        const double *h = high + j * d, *l = low + j * d;
        if (parent < 0) {
            for (int64_t i = 0; i < gates->n; i++)
                if (fathom_pattern_bit(bits, i))
                    add_dot(out + i, out_low + i, 1, data, i, h, l);
            continue;
        }
        for (int64_t k = 0; k < d; k++) {
            add_to_pair(high + parent * d + k, low + parent * d + k, h[k]);
            low[parent * d + k] += l[k];
        }
        /* The whole subtree opens or closes point i where its top does. */
        for (int64_t k = gates->flip_start[j]; k < gates->flip_start[j + 1]; k++) {
            const int32_t i = gates->flip[k];
            add_dot(out + i, out_low + i, fathom_pattern_bit(bits, i) ? 1 : -1, data, i, h, l);
        }
    }
    for (int64_t i = 0; i < gates->n; i++)
        out[i] += out_low[i];
}
