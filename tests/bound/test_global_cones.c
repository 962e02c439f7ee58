/* SPDX-License-Identifier: Apache-2.0 */
/* Evidence over all cones: its price is at least what any neuron earns, and no more than rounding above the
 * certified price. */
#include "testing.h"

#include <float.h>
#include <math.h>

#include "global_cones.h"
#include "global_kinks.h"
#include "price.h"
#include "random.h"

enum { MOST = 9, COLUMNS = 4 };

/* The problem of n points of d columns, of which the methods read points and lengths alone. */
static fathom_objective problem_of(fathom_context *context, int64_t n, int64_t d, const double *x,
                                   const double *reach, const double *y, bool constant)
{
    return (fathom_objective){.context = context,
                              .n = n,
                              .d = d,
                              .outputs = 1,
                              .x = x,
                              .reach = reach,
                              .y = y,
                              .beta = 1,
                              .constant = constant,
                              .equality = true};
}

static void price_over_all_cones_is_exact(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const int64_t trials = test_trials(12);
    for (uint64_t seed = 1; seed <= (uint64_t)trials; seed++) {
        const int64_t d = 2 + (int64_t)(seed % 3), n = d + 1 + (int64_t)(seed % 4);
        double x[MOST * COLUMNS], v[MOST], y[MOST] = {1}, reach[MOST], u[COLUMNS + 1];
        fathom_random_normals(x, n * d, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(v, n, seed, FATHOM_STREAM_LABEL, 0, 0);
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t k = 0; k < d; k++) {
                x[i * d + k] += seed % 2 ? 30 : 0; /* away from 0: thin cones */
                sum += x[i * d + k] * x[i * d + k];
            }
            reach[i] = sqrt(sum) * (1 + 16 * DBL_EPSILON);
        }
        const fathom_objective p = problem_of(context, n, d, x, reach, y, false);
        const fathom_price_problem exact = {context, n, d, 1, x, v, false};
        const fathom_price_options options = {.method = FATHOM_PRICE_AUTO, .gap = 1e-9, .excess = INFINITY};
        fathom_price_result price;
        fathom_proof *proof;
        assert_true(fathom_global_few_cones(&p));
        assert_ok(context, fathom_price_bound(&price, u, &exact, &options));
        assert_ok(context, fathom_proof_create(&proof, context, n, d, 1));
        assert_ok(context, fathom_global_all_cones_prove(proof, &p, v));
        assert_true(proof->complete && proof->leaves == 2 * proof->gates);
        assert_true(proof->exact_price >= price.lower * (1 - 1e-12));
        double mass = 0;
        for (int64_t i = 0; i < n; i++)
            mass += fabs(v[i]) * reach[i];
        assert_true(proof->exact_price <= price.upper + 1000 * (double)n * DBL_EPSILON * mass);
        fathom_proof_free(proof);
    }
    fathom_context_free(context);
}

/* Free biases, rows of other lengths: all signs around every kink prove what branch and bound finds, however
 * little is pruned. */
static void price_over_all_signs_is_exact(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(12); seed++) {
        const int64_t d = 1 + (int64_t)(seed % 3), n = 3 + (int64_t)(seed % 4);
        double x[MOST * COLUMNS], v[MOST], y[MOST] = {1}, reach[MOST], u[COLUMNS + 1], size[MOST], sum = 0;
        fathom_random_normals(x, n * d, seed, FATHOM_STREAM_DATA, 1, 0);
        fathom_random_normals(size, n, seed, FATHOM_STREAM_DATA, 2, 0);
        fathom_random_normals(v, n, seed, FATHOM_STREAM_LABEL, 1, 0);
        for (int64_t i = 0; i < n; i++) {
            double square = 0;
            v[i] = i < n - 1 ? rint(8 * v[i]) / 8 : -sum;
            sum += v[i];
            for (int64_t k = 0; k < d; k++) {
                x[i * d + k] *= pow(10, size[i]);
                square += x[i * d + k] * x[i * d + k];
            }
            reach[i] = sqrt(square) * (1 + 16 * DBL_EPSILON);
        }
        const fathom_objective p = problem_of(context, n, d, x, reach, y, true);
        const fathom_price_problem exact = {context, n, d, 1, x, v, true};
        const fathom_price_options options = {.method = FATHOM_PRICE_AUTO, .gap = 1e-6, .excess = INFINITY};
        fathom_price_result price;
        fathom_proof *proof;
        double found;
        assert_true(fathom_global_few_signs(&p));
        assert_ok(context, fathom_price_bound(&price, u, &exact, &options));
        for (int pruned = 0; pruned < 2; pruned++) {
            assert_ok(context, fathom_proof_create(&proof, context, n, d, 1));
            assert_ok(context, fathom_global_kinks_prove(&found, proof, &p, v, pruned ? price.upper : 0));
            assert_true(proof->kinks && proof->leaves >= 2 * n && proof->price[0] == found);
            assert_true(found >= price.lower * (1 - 1e-12) && found <= price.upper * (1 + 1e-9));
            fathom_proof_free(proof);
        }
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(price_over_all_cones_is_exact),
        cmocka_unit_test(price_over_all_signs_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
