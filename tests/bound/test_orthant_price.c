/* SPDX-License-Identifier: Apache-2.0 */
/* Prices of several outputs in the positive orthant: above what neurons attain, and what they attain where
 * rows are orthogonal. */
#include "testing.h"

#include <string.h>

#include "orthant_price.h"
#include "random.h"

enum { ROWS = 9, COLUMNS = 9, OUTPUTS = 5 };

/* Rows at random, moved by an offset, or orthogonal ones of different lengths; the last row is 0 at times. */
static void draw_rows(double *x, int64_t n, int64_t d, bool orthogonal, uint64_t seed)
{
    const double offset = 3 * (double)(seed % 4 / 2);
    fathom_random_normals(x, n * d, seed, FATHOM_STREAM_DATA, 0, 0);
    for (int64_t i = 0; i < n && orthogonal; i++) {
        for (int64_t j = 0; j < i; j++) {
            double product = 0, square = 0;
            for (int64_t l = 0; l < d; l++) {
                product += x[i * d + l] * x[j * d + l];
                square += x[j * d + l] * x[j * d + l];
            }
            for (int64_t l = 0; l < d; l++)
                x[i * d + l] -= product / square * x[j * d + l];
        }
    }
    for (int64_t k = 0; k < n * d; k++)
        x[k] = k / d == n - 1 && seed % 5 == 0 ? 0 : orthogonal ? x[k] : x[k] + offset;
}

/* |sum_i relu(<x_i, u>) V_i| / |u|. */
static double attained(const double *x, int64_t n, int64_t d, const double *v, int64_t o, const double *u)
{
    double f[OUTPUTS] = {0}, square = 0, length = 0;
    for (int64_t i = 0; i < n; i++) {
        double t = 0;
        for (int64_t l = 0; l < d; l++)
            t += x[i * d + l] * u[l];
        for (int64_t k = 0; k < o && t > 0; k++)
            f[k] += t * v[k * n + i];
    }
    for (int64_t k = 0; k < o; k++)
        square += f[k] * f[k];
    for (int64_t l = 0; l < d; l++)
        length += u[l] * u[l];
    return sqrt(square / length);
}

/* The best of neurons at random and of those that ascend from them: u becomes sum_i D_ii <V_i, c> x_i, c
 * along the output. */
static double best_neuron(const double *x, int64_t n, int64_t d, const double *v, int64_t o, uint64_t seed)
{
    double best = 0, u[COLUMNS];
    for (uint32_t start = 0; start < 40; start++) {
        fathom_random_normals(u, d, seed, FATHOM_STREAM_SAMPLE, start, 0);
        for (int step = 0; step < 40; step++) {
            double f[OUTPUTS] = {0}, open[ROWS], next[COLUMNS] = {0}, largest = 0;
            best = fmax(best, attained(x, n, d, v, o, u));
            for (int64_t i = 0; i < n; i++) {
                double t = 0;
                for (int64_t l = 0; l < d; l++)
                    t += x[i * d + l] * u[l];
                open[i] = fmax(0, t);
                for (int64_t k = 0; k < o; k++)
                    f[k] += open[i] * v[k * n + i];
            }
            for (int64_t i = 0; i < n; i++) {
                double along = 0;
                for (int64_t k = 0; k < o; k++)
                    along += f[k] * v[k * n + i];
                for (int64_t l = 0; l < d && open[i] > 0; l++)
                    next[l] += along * x[i * d + l];
            }
            for (int64_t l = 0; l < d; l++)
                largest = fmax(largest, fabs(next[l]));
            if (!(largest > 0))
                break;
            for (int64_t l = 0; l < d; l++)
                u[l] = next[l] / largest;
        }
    }
    return best;
}

/* Weights are positive, and the price is not below that of any neuron; where rows are orthogonal and the V_i
 * lie on rays at right angles it is that of the best one: the root of the largest sum_i (|x_i||V_i|)^2 of a
 * ray. */
static void prices_above_neurons(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const int64_t trials = test_trials(60);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        double x[ROWS * COLUMNS], v[OUTPUTS * ROWS] = {0}, w[ROWS], price, exact = 0;
        const int64_t n = 2 + (int64_t)(seed % (ROWS - 1)), o = 1 + (int64_t)(seed % OUTPUTS);
        const bool orthogonal = seed % 2, rays = seed % 3 == 0;
        const int64_t d = orthogonal ? COLUMNS : 1 + (int64_t)(seed % COLUMNS);
        draw_rows(x, n, d, orthogonal, seed);
        fathom_random_normals(v, o * n, seed, FATHOM_STREAM_LABEL, 0, 0);
        for (int64_t k = 0; k < o * n && rays; k++)
            v[k] = k % n % o == k / n ? fabs(v[k]) : 0;
        assert_true(fathom_orthant_fits(n, d, o));
        assert_ok(context, fathom_orthant_price(w, &price, context, x, n, d, v, o));
        for (int64_t i = 0; i < n; i++)
            assert_true(w[i] > 0);
        const double found = best_neuron(x, n, d, v, o, seed);
        if (!(price >= found * (1 - 32 * UNIT_ROUNDOFF)))
            fail_msg("seed %d: a neuron attains %.17g, above %.17g", (int)seed, found, price);
        for (int64_t k = 0; k < o && orthogonal && rays; k++) {
            double square = 0; /* sum_i (|x_i| V_ik)^2 over the rows of ray k */
            for (int64_t i = k; i < n; i += o)
                for (int64_t l = 0; l < d; l++)
                    square += pow(x[i * d + l] * v[k * n + i], 2);
            exact = fmax(exact, sqrt(square));
        }
        if (orthogonal && rays)
            assert_close(price, exact, 1e-9 * exact); /* what 100 steps and the floor of the weights leave */
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prices_above_neurons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
