/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include <string.h>

#include "gate_tree.h"
#include "patterns.h"
#include "random.h"

/* norm_j = scale |sum_j|, (d + 4) roundings of d squares, their sum and its root on either side. */
static void check_norms(const double *norm, const double *sum, int64_t m, int64_t d, double scale)
{
    for (int64_t j = 0; j < m; j++) {
        double size = 0;
        for (int64_t k = 0; k < d; k++)
            size = hypot(size, sum[j * d + k]);
        assert_close(norm[j], scale * size, 2 * (double)(d + 4) * UNIT_ROUNDOFF * scale * size);
    }
}

/*
 * Both products against direct sums in extended precision (64 bits): the bound of gate_tree.h, in which the second-order
 * term is below 2^-52 times the largest sum for the sizes here, plus the reference's own (n + m) 2^-64 S.
 */
static void check_products(const char *spec, int threads)
{
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    fathom_context_set_threads(context, threads);
    assert_ok(context, fathom_data_open(&data, context, spec, NULL));
    assert_ok(context, fathom_gates_enumerate(&gates, context, data));
    const fathom_gates_view g = fathom_gates_look(gates);
    const fathom_data_view x = fathom_data_look(data);
    double *v = malloc((size_t)(g.n + 1) * sizeof *v), *sums = malloc((size_t)(g.m * g.d) * sizeof *sums);
    double *z = malloc((size_t)(g.m * g.d) * sizeof *z),
           *adjoint = malloc((size_t)(g.n + 1) * sizeof *adjoint);
    double *norm = malloc((size_t)g.m * sizeof *norm);
    fathom_gate_tree *tree;
    assert_ok(context, fathom_gate_tree_create(&tree, context, &g));
    fathom_random_normals(v, g.n, 3, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(z, g.m * g.d, 3, FATHOM_STREAM_DATA, 1, 0);
    v[0] *= 0x1p40; /* sums without point 0 are differences of large ones along the tree */
    fathom_gate_tree_sums(sums, norm, tree, &x, v);
    fathom_gate_tree_adjoint(adjoint, tree, &x, z);
    for (int64_t j = 0; j < g.m; j++)
        for (int64_t k = 0; k < g.d; k++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < g.n; i++)
                if (fathom_pattern_bit(g.bits + j * g.words, i)) {
                    sum += (long double)v[i] * x.x[i * x.ld + k];
                    size += fabsl((long double)v[i] * x.x[i * x.ld + k]);
                }
            const double large = 0x1p40 * 8, second = (double)(9 * g.n * g.n) * 0x1p-104 * large;
            assert_close(sums[j * g.d + k], (double)sum,
                         4 * UNIT_ROUNDOFF * fabs((double)sum) + second +
                             (double)g.n * 0x1p-63 * (double)size);
        }
    check_norms(norm, sums, g.m, g.d, 1);
    fathom_gate_tree_sums(NULL, norm, tree, &x, v);
    check_norms(norm, sums, g.m, g.d, 1);
    for (int64_t i = 0; i < g.n; i++) /* squares of the sums would overflow, or be lost */
        v[i] *= 0x1p-40 * 0x1p600;
    fathom_gate_tree_sums(NULL, norm, tree, &x, v);
    check_norms(norm, sums, g.m, g.d, 0x1p-40 * 0x1p600);
    for (int64_t i = 0; i < g.n; i++)
        v[i] = v[i] * 0x1p-600 * 0x1p-600;
    fathom_gate_tree_sums(NULL, norm, tree, &x, v);
    check_norms(norm, sums, g.m, g.d, 0x1p-40 * 0x1p-600);
    for (int64_t i = 0; i < g.n; i++) {
        long double sum = 0, size = 0;
        for (int64_t j = 0; j < g.m; j++)
            for (int64_t k = 0; k < g.d && fathom_pattern_bit(g.bits + j * g.words, i); k++) {
                sum += (long double)z[j * g.d + k] * x.x[i * x.ld + k];
                size += fabsl((long double)z[j * g.d + k] * x.x[i * x.ld + k]);
            }
        assert_close(adjoint[i], (double)sum,
                     4 * UNIT_ROUNDOFF * fabs((double)sum) + (double)(g.m * g.d) * 0x1p-62 * (double)size);
    }
    free(v);
    free(sums);
    free(z);
    free(adjoint);
    free(norm);
    fathom_gate_tree_free(tree);
    fathom_gates_free(gates);
    fathom_data_free(data);
    fathom_context_free(context);
}

/* One hyperplane, lines, several points on one hyperplane, widths with and without a remainder; walks that are cut into tiles
 * (two threads) and such that are not. */
static void test_products(void **state)
{
    (void)state;
    const char *const specs[] = {"gen:gauss,n=30,d=3", "gen:gauss,n=12,d=5", "gen:gauss,n=10,d=9",
                                 "gen:gauss,n=1,d=1",  "gen:gauss,n=1,d=3",  "gen:gauss,n=7,d=1",
                                 "gen:gauss,n=65,d=2", "gen:gauss,n=40,d=4", "gen:circle,n=16",
                                 "gen:cube,d=4",       "gen:line1d"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        for (int threads = 1; threads <= 2; threads++)
            check_products(specs[k], threads);
}

/* Enough gates that threads are used. */
static void test_same_bits_for_every_number_of_threads(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    assert_ok(context, fathom_data_open(&data, context, "gen:gauss,n=320,d=3", NULL));
    assert_ok(context, fathom_gates_enumerate(&gates, context, data));
    const fathom_gates_view g = fathom_gates_look(gates);
    const fathom_data_view x = fathom_data_look(data);
    const size_t size = (size_t)(g.m * g.d + g.m + g.n);
    assert_true(g.m > 100000);
    double *v = malloc((size_t)g.n * sizeof *v), *first = malloc(size * sizeof *first);
    double *other = malloc(size * sizeof *other);
    fathom_random_normals(v, g.n, 3, FATHOM_STREAM_DATA, 0, 0);
    for (int threads = 1; threads <= 3; threads++) {
        fathom_gate_tree *tree;
        double *out = threads == 1 ? first : other;
        fathom_context_set_threads(context, threads);
        assert_ok(context, fathom_gate_tree_create(&tree, context, &g));
        fathom_gate_tree_sums(out, out + g.m * g.d, tree, &x, v);
        fathom_gate_tree_adjoint(out + g.m * g.d + g.m, tree, &x, out);
        if (threads > 1)
            assert_memory_equal(first, other, size * sizeof *first);
        fathom_gate_tree_free(tree);
    }
    free(v);
    free(first);
    free(other);
    fathom_gates_free(gates);
    fathom_data_free(data);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_same_bits_for_every_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
