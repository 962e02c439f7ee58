/* SPDX-License-Identifier: Apache-2.0 */
/* Generated families with a prescribed structure: orthonormal rows, rank one, narrow cones around a simplex. */
#include <math.h>

#include "context_internal.h"
#include "generate_internal.h"

/* <a, b>, from left to right. */
static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

/* x <- x - <x, q> q */
static void remove_direction(double *x, const double *q, int64_t d)
{
    const double along = dot(x, q, d);
    for (int64_t j = 0; j < d; j++)
        x[j] -= along * q[j];
}

/* Gives x the norm `norm`; a zero vector stays. */
static void scale_to(double *x, double norm, int64_t d)
{
    const double length = sqrt(dot(x, x, d));
    for (int64_t j = 0; j < d; j++)
        x[j] = length > 0 ? x[j] * (norm / length) : 0;
}

/*
 * Rows of a Gaussian matrix, made orthonormal in their order: the factor Q of X' = QR with positive diagonal of R.
 * Gram-Schmidt, every row twice ("twice is enough": orthogonal to working precision). Cost 2 n^2 d.
 */
fathom_status fathom_generate_whitened(fathom_data *data, const generator_input *input)
{
    const int64_t n = (int64_t)input->value[0], d = (int64_t)input->value[1];
    if (n > d)
        return fathom_error_set(
            data->context, FATHOM_ERROR_USAGE,
            "gen:whitened: n takes at most d = %lld (there are no more orthonormal rows), not %lld",
            (long long)d, (long long)n);
    FATHOM_TRY(fathom_data_shape(data, n, d, 1));
    fathom_random_normals(data->x, n * d, input->seed, input->noise, 0, 0);
    fathom_random_normals(data->y, n, input->seed, input->label, 0, 0);
    for (int64_t i = 0; i < n && !fathom_generate_late(data, 0); i++) { /* a row takes 4 i d operations */
        for (int pass = 0; pass < 2; pass++)
            for (int64_t l = 0; l < i; l++)
                remove_direction(data->x + i * d, data->x + l * d, d);
        scale_to(data->x + i * d, 1, d);
    }
    return FATHOM_OK;
}

/* x_ij = c_i a_j: c is sub-stream 0 and a sub-stream 1 of the noise. */
fathom_status fathom_generate_rankone(fathom_data *data, const generator_input *input)
{
    const int64_t n = (int64_t)input->value[0], d = (int64_t)input->value[1];
    FATHOM_TRY(fathom_data_shape(data, n, d, 1));
    fathom_random_normals(data->y, n, input->seed, input->label, 0, 0);
    for (int64_t i = 0; i < n && !fathom_generate_late(data, i); i++) {
        const double c = fathom_random_normal(input->seed, input->noise, 0, (uint64_t)i);
        double *x = data->x + i * d;
        fathom_random_normals(x, d, input->seed, input->noise, 1, 0);
        for (int64_t j = 0; j < d; j++)
            x[j] *= c;
    }
    return FATHOM_OK;
}

/*
 * Coordinate j of vertex k of the regular simplex of r unit vectors in R^(r-1), <b_k, b_l> = -1/(r-1): the Cholesky
 * factor of its Gram matrix,
 *     b_kj = -sqrt(r / ((r-1)(r-j)(r-j-1))) for j < k,  b_kk = sqrt(r (r-k-1) / ((r-1)(r-k))),  0 for j > k.
 */
static double simplex_coordinate(int64_t r, int64_t k, int64_t j)
{
    const double s = (double)r, t = (double)(r - j);
    if (j > k || j >= r - 1)
        return 0;
    if (j == k)
        return sqrt(s * (t - 1) / ((s - 1) * t));
    return -sqrt(s / ((s - 1) * t * (t - 1)));
}

/* Point i: x = c b_k + z with k = i mod r; z is Gaussian (numbers i d ..), made orthogonal to b_k and scaled. */
static void collapse_point(double *x, int64_t i, int64_t d, int64_t r, const generator_input *input)
{
    const double c = 0.8 + 0.18 * fathom_random_uniform(input->seed, input->label, 0, 2 * (uint64_t)i);
    const double norm = 0.05 * fathom_random_uniform(input->seed, input->label, 0, 2 * (uint64_t)i + 1);
    fathom_random_normals(x, d, input->seed, input->noise, 0, (uint64_t)(i * d));
    for (int pass = 0; pass < 2; pass++) { /* the second pass removes what rounding left of the first */
        double along = 0;
        for (int64_t j = 0; j < d; j++)
            along += x[j] * simplex_coordinate(r, i % r, j);
        for (int64_t j = 0; j < d; j++)
            x[j] -= along * simplex_coordinate(r, i % r, j);
    }
    if (d == 1) /* nothing is orthogonal to b_k */
        x[0] = 0;
    scale_to(x, norm, d);
    for (int64_t j = 0; j < d; j++)
        x[j] += c * simplex_coordinate(r, i % r, j);
}

/* Labels alternate over the directions, so that each cone of [003, Ass. 3.1] is pure and the others lie in its polar:
 * <b_k, b_l> = -1/(r-1) < 0. */
fathom_status fathom_generate_collapse(fathom_data *data, const generator_input *input)
{
    const int64_t r = (int64_t)input->value[0], d = (int64_t)input->value[1], n = (int64_t)input->value[2];
    if (r > d + 1)
        return fathom_error_set(
            data->context, FATHOM_ERROR_USAGE,
            "gen:collapse: r takes at most d + 1 = %lld (a simplex has no more vertices), not %lld",
            (long long)(d + 1), (long long)r);
    FATHOM_TRY(fathom_data_shape(data, n, d, 1));
    for (int64_t i = 0; i < n && !fathom_generate_late(data, i); i++) {
        collapse_point(data->x + i * d, i, d, r, input);
        data->y[i] = i % r % 2 == 0 ? 1 : -1;
    }
    return FATHOM_OK;
}
