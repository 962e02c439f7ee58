/* SPDX-License-Identifier: Apache-2.0 */
#include "testing.h"

#include <string.h>

#include "gate_tree.h"
#include "patterns.h"
#include "random.h"

/*
 * Both products against direct sums in extended precision (64 bits): the bound of gate_tree.h, in which the second-order
 * term is below 2^-52 times the largest sum for the sizes here, plus the reference's own (n + m) 2^-64 S.
 */
static void check_products(const char *spec)
{
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    assert_ok(context, fathom_data_open(&data, context, spec, NULL));
    assert_ok(context, fathom_gates_enumerate(&gates, context, data));
    const fathom_gates_view g = fathom_gates_look(gates);
    const fathom_data_view x = fathom_data_look(data);
    double *v = malloc((size_t)(g.n + 1) * sizeof *v), *sums = malloc((size_t)(g.m * g.d) * sizeof *sums);
    double *z = malloc((size_t)(g.m * g.d) * sizeof *z),
           *adjoint = malloc((size_t)(g.n + 1) * sizeof *adjoint);
    double *work = malloc((size_t)(2 * g.m * g.d + g.n) * sizeof *work);
    fathom_random_normals(v, g.n, 3, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(z, g.m * g.d, 3, FATHOM_STREAM_DATA, 1, 0);
    v[0] *= 0x1p40; /* sums without point 0 are differences of large ones along the tree */
    fathom_gate_tree_sums(sums, work, &g, &x, v);
    fathom_gate_tree_adjoint(adjoint, work, &g, &x, z);
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
    free(work);
    fathom_gates_free(gates);
    fathom_data_free(data);
    fathom_context_free(context);
}

static void test_products(void **state)
{
    (void)state;
    check_products("gen:gauss,n=30,d=3");
    check_products("gen:gauss,n=12,d=5");
    check_products("gen:circle,n=16");
    check_products("gen:cube,d=4");
    check_products("gen:line1d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
