/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include <string.h>

#include "exact_dot.h"
#include "fathom/kernel.h"
#include "fathom/gates.h"
#include "patterns.h"
#include "random.h"

static fathom_context *new_context(void)
{
    fathom_context *context;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    return context;
}

/* n points of small integers, so that many inner products vanish exactly. */
static fathom_data *integer_data(fathom_context *context, int64_t n, int64_t d, uint64_t seed)
{
    double *x = calloc((size_t)(n * d), sizeof *x);
    for (int64_t k = 0; k < n * d; k++)
        x[k] = floor(3 * fathom_random_uniform(seed, FATHOM_STREAM_DATA, 0, (uint64_t)k)) - 1;
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 0, NULL, NULL, NULL));
    free(x);
    return data;
}

/* Every bit equals the exact sign; weights sum to 1; patterns are distinct. */
static void check_gates(const fathom_gates *gates, const fathom_data *data)
{
    const fathom_gates_view g = fathom_gates_look(gates);
    const fathom_data_view x = fathom_data_look(data);
    double sum = 0;
    for (int64_t j = 0; j < g.m; j++) {
        for (int64_t i = 0; i < g.n; i++)
            assert_int_equal(fathom_pattern_bit(g.bits + j * g.words, i),
                             fathom_exact_dot_sign(g.d, x.x + i * x.ld, g.orientation + j * g.d) > 0);
        for (int64_t k = 0; k < j; k++)
            assert_int_not_equal(
                memcmp(g.bits + j * g.words, g.bits + k * g.words, (size_t)g.words * sizeof *g.bits), 0);
        sum += g.weight[j];
    }
    assert_close(sum, 1, 4 * (double)g.m * UNIT_ROUNDOFF);
}

static void test_sample(void **state)
{
    (void)state;
    fathom_context *context = new_context();
    fathom_data *data = integer_data(context, 70, 3, 1);
    fathom_gates *one, *two;
    fathom_context_set_threads(context, 1);
    assert_ok(context, fathom_gates_sample(&one, context, data, 300));
    check_gates(one, data);
    fathom_context_set_threads(context, 4);
    assert_ok(context, fathom_gates_sample(&two, context, data, 300));
    const fathom_gates_view a = fathom_gates_look(one), b = fathom_gates_look(two);
    assert_int_equal(a.m, b.m);
    assert_memory_equal(a.bits, b.bits, (size_t)(a.m * a.words) * sizeof *a.bits);
    assert_memory_equal(a.orientation, b.orientation, (size_t)(a.m * a.d) * sizeof *a.orientation);
    fathom_gates_free(two);
    /* A longer sample begins with the shorter one. */
    assert_ok(context, fathom_gates_sample(&two, context, data, 5000));
    assert_memory_equal(a.bits, fathom_gates_look(two).bits, (size_t)(a.m * a.words) * sizeof *a.bits);
    fathom_gates_free(one);
    fathom_gates_free(two);
    assert_int_equal(fathom_gates_sample(&one, context, data, 0), FATHOM_ERROR_USAGE);
    fathom_data_free(data);
    fathom_context_free(context);
}

/* Integer orientations on data hyperplanes: the strict sign decides. */
static void test_orientations(void **state)
{
    (void)state;
    enum { M = 200, D = 4, LD = 6 };
    fathom_context *context = new_context();
    fathom_data *data = integer_data(context, 300, D, 2);
    const fathom_data_view x = fathom_data_look(data);
    double v[M * LD];
    int64_t gate_of[M];
    for (int k = 0; k < M * LD; k++)
        v[k] = floor(5 * fathom_random_uniform(4, FATHOM_STREAM_DATA, 0, (uint64_t)k)) - 2;
    fathom_gates *gates;
    assert_ok(context, fathom_gates_from_orientations(&gates, context, data, M, v, LD, gate_of));
    check_gates(gates, data);
    const fathom_gates_view g = fathom_gates_look(gates);
    for (int64_t k = 0; k < M; k++)
        for (int64_t i = 0; i < g.n; i++)
            assert_int_equal(fathom_pattern_bit(g.bits + gate_of[k] * g.words, i),
                             fathom_exact_dot_sign(D, x.x + i * x.ld, v + k * LD) > 0);
    fathom_gates_free(gates);
    v[LD + 1] = INFINITY;
    assert_int_equal(fathom_gates_from_orientations(&gates, context, data, M, v, LD, NULL),
                     FATHOM_ERROR_INPUT);
    assert_null(gates);
    fathom_data_free(data);
    fathom_context_free(context);
}

static void test_patterns(void **state)
{
    (void)state;
    fathom_context *context = new_context();
    fathom_data *data = integer_data(context, 3, 2, 3);
    double p[] = {1, 0, 1, 9, 0, 0, 0, 9};
    fathom_gates *gates;
    assert_ok(context, fathom_gates_from_patterns(&gates, context, data, 2, p, 4));
    const fathom_gates_view g = fathom_gates_look(gates);
    assert_int_equal(g.m, 2);
    assert_int_equal(g.bits[0], 5);
    assert_int_equal(g.bits[1], 0);
    assert_null(g.orientation);
    fathom_gates_free(gates);
    p[1] = 0.5;
    assert_int_equal(fathom_gates_from_patterns(&gates, context, data, 2, p, 4), FATHOM_ERROR_INPUT);
    fathom_data_free(data);
    fathom_context_free(context);
}

/* An allocator that fails the n-th request. */
static int64_t countdown;

static void *failing_allocate(void *user, size_t size)
{
    (void)user;
    return countdown-- == 0 ? NULL : malloc(size);
}

static void *failing_resize(void *user, void *block, size_t size)
{
    (void)user;
    return countdown-- == 0 ? NULL : realloc(block, size);
}

static void plain_release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* Whichever allocation fails, the call says so and leaks nothing (the leak is for the sanitizer to see). */
static void test_failing_memory(void **state)
{
    (void)state;
    const fathom_allocator allocator = {failing_allocate, failing_resize, plain_release, NULL};
    fathom_context *context;
    countdown = INT64_MAX;
    assert_ok(NULL, fathom_context_create(&context, &allocator));
    fathom_data *data = integer_data(context, 10, 3, 5);
    fathom_status status = FATHOM_ERROR_MEMORY;
    for (int64_t n = 0; status != FATHOM_OK; n++) {
        fathom_gates *gates;
        countdown = n;
        status = fathom_gates_sample(&gates, context, data, 200);
        if (status != FATHOM_OK) {
            assert_int_equal(status, FATHOM_ERROR_MEMORY);
            assert_null(gates);
        } else {
            assert_true(n > 4);
        }
        fathom_gates_free(gates);
    }
    countdown = INT64_MAX;
    fathom_data_free(data);
    fathom_context_free(context);
}

/* Kernels of given gates on small integers: the null vector, exact in doubles, makes every gate's sum 0, and
 * there are at least as many
 * as points exceed equations. */
static void null_vectors(void **state)
{
    (void)state;
    enum { N = 9, D = 3, M = 2 };
    fathom_context *context;
    uint64_t random = 7;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < test_trials(30); trial++) {
        const int64_t n = 2 + trial % (N - 1);
        double x[N * D], v[M * D], vector[N];
        for (int64_t k = 0; k < N * D + M * D; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const double number = (double)(int64_t)((random >> 33) % 9) - 4;
            *(k < N * D ? x + k : v + (k - N * D)) = number;
        }
        fathom_data *data;
        fathom_gates *gates;
        int64_t nullity;
        char *text;
        assert_ok(context, fathom_data_create(&data, context, n, D, x, D, 0, NULL, NULL, NULL));
        assert_ok(context, fathom_gates_from_orientations(&gates, context, data, M, v, D, NULL));
        assert_ok(context, fathom_kernel_null_vector_gates(&nullity, vector, &text, context, data, gates));
        const fathom_gates_view view = fathom_gates_look(gates);
        assert_true(nullity >= n - D * view.m && (nullity > 0) == (text != NULL));
        double size = 0;
        for (int64_t i = 0; i < n && text; i++)
            size += fabs(vector[i]);
        assert_true(!text || size > 0);
        for (int64_t j = 0; j < view.m && text; j++)
            for (int64_t k = 0; k < D; k++) {
                double sum = 0;
                for (int64_t i = 0; i < n; i++)
                    sum += view.bits[j * view.words] >> i & 1 ? vector[i] * x[i * D + k] : 0;
                assert_true(size * 4 * N < 0x1p53 && sum == 0);
            }
        fathom_context_release(context, text);
        fathom_gates_free(gates);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sample), cmocka_unit_test(test_orientations),
                                       cmocka_unit_test(test_patterns), cmocka_unit_test(test_failing_memory),
                                       cmocka_unit_test(null_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
