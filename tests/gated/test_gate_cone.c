/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points of gates' cones and shifted cones: optimality recomputed from raw data, bounds, empty polyhedra. */
#include <string.h>

#include "gate_cone.h"
#include "random.h"
#include "with_context.h"

enum { N = 40, D = 6 };

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t k = 0; k < d; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Gaussian points, the pattern of a Gaussian orientation, and |x_i|. */
static void draw(double *x, double *reach, uint64_t *open, double *v, int64_t n, int64_t d, uint32_t trial)
{
    fathom_random_normals(x, n * d, 3, FATHOM_STREAM_DATA, trial, 0);
    fathom_random_normals(v, d, 3, FATHOM_STREAM_GATE, trial, 0);
    memset(open, 0, (size_t)(n / 64 + 1) * sizeof *open);
    for (int64_t i = 0; i < n; i++) {
        open[i / 64] |= (uint64_t)(dot(x + i * d, v, d) > 0) << (i % 64);
        reach[i] = sqrt(dot(x + i * d, x + i * d, d)) * (1 + 0x1p-40);
    }
}

/* KKT: u = p + sum mu_i s_i x_i with mu >= 0, rows held, mu_i > 0 only where equality holds. */
static void check_optimal(const fathom_gate_cone *cone, const uint64_t *open, const double *p,
                          const double *least)
{
    double rest[D], size = sqrt(dot(p, p, cone->d)) + sqrt(dot(cone->u, cone->u, cone->d));
    assert_true(cone->exact);
    for (int64_t k = 0; k < cone->d; k++)
        rest[k] = p[k] - cone->u[k];
    for (int64_t a = 0; a < cone->count; a++) {
        const int64_t i = cone->tight[a];
        const double s = fathom_gate_side(open, i);
        assert_true(cone->mu[a] > 0);
        assert_close(s * dot(cone->x + i * cone->d, cone->u, cone->d), least ? least[i] : 0,
                     1e3 * UNIT_ROUNDOFF * cone->reach[i] * size);
        for (int64_t k = 0; k < cone->d; k++)
            rest[k] += cone->mu[a] * s * cone->x[i * cone->d + k];
        size += cone->mu[a] * cone->reach[i];
    }
    for (int64_t k = 0; k < cone->d; k++)
        assert_close(rest[k], 0, 1e3 * UNIT_ROUNDOFF * size);
    for (int64_t i = 0; i < cone->n; i++)
        assert_true(fathom_gate_side(open, i) * dot(cone->x + i * cone->d, cone->u, cone->d) >=
                    (least ? least[i] : 0) - 1e5 * UNIT_ROUNDOFF * cone->reach[i] * size);
}

/* On random cones, cold and from the rows of another projection; the bound is at least the price and close to it. */
static void test_projections_are_optimal(void **state)
{
    (void)state;
    double x[N * D], reach[N], v[D], p[2 * D], cold[D];
    uint64_t open[N / 64 + 1];
    for (uint32_t trial = 0; trial < test_trials(200); trial++) {
        const int64_t n = 1 + trial % N, d = 1 + trial % D;
        fathom_gate_cone cone;
        draw(x, reach, open, v, n, d, trial);
        fathom_random_normals(p, 2 * d, 3, FATHOM_STREAM_SAMPLE, trial, 0);
        assert_ok(context, fathom_gate_cone_open(&cone, context, n, d, x, reach));
        fathom_gate_cone_project(&cone, open, p, NULL);
        check_optimal(&cone, open, p, NULL);
        memcpy(cold, cone.u, (size_t)d * sizeof *cold);
        const double price = sqrt(dot(cold, cold, d)), bound = fathom_gate_cone_bound(&cone, open, p);
        assert_true(bound >= price * (1 - 4 * UNIT_ROUNDOFF) && bound <= price + 1e-12 * (1 + price));
        fathom_gate_cone_project(&cone, open, p + d, NULL);
        fathom_gate_cone_project(&cone, open, p, NULL);
        check_optimal(&cone, open, p, NULL);
        for (int64_t k = 0; k < d; k++)
            assert_close(cone.u[k], cold[k], 1e-11 * sqrt(dot(p, p, d)));
        fathom_gate_cone_close(&cone);
    }
}

/* {u : u and u - w in the cone}, where vertices with d tight rows and dependent rows are common. */
static void test_shifted_cones(void **state)
{
    (void)state;
    double x[N * D], reach[N], v[D], w[D], least[N];
    uint64_t open[N / 64 + 1];
    for (uint32_t trial = 0; trial < test_trials(100); trial++) {
        const int64_t n = N, d = 2 + trial % (D - 1);
        fathom_gate_cone cone;
        draw(x, reach, open, v, n, d, trial);
        fathom_random_normals(w, d, 3, FATHOM_STREAM_SAMPLE, trial, 0);
        for (int64_t i = 0; i < n; i++)
            least[i] = fmax(0, fathom_gate_side(open, i) * dot(x + i * d, w, d));
        assert_ok(context, fathom_gate_cone_open(&cone, context, n, d, x, reach));
        fathom_gate_cone_project(&cone, open, w, least);
        check_optimal(&cone, open, w, least);
        fathom_gate_cone_close(&cone);
    }
}

/* Duplicate and zero rows; a cone that is a half-line; a cone that is {0}. */
static void test_degenerate_cones(void **state)
{
    (void)state;
    const double x[] = {1, 0, 1, 0, 2, 0, 0, 0, 0, 1, 0, -1}, p[] = {3, 5}, q[] = {-3, 5};
    const double reach[] = {1, 1, 2, 0, 1, 1};
    const uint64_t right[] = {7}, line[] = {7 | 48}, none[] = {3};
    fathom_gate_cone cone;
    assert_ok(context, fathom_gate_cone_open(&cone, context, 6, 2, x, reach));
    cone.count = 0;
    fathom_gate_cone_project(&cone, line, p, NULL); /* u_1 >= 0, u_2 >= 0 and <= 0 */
    assert_true(cone.exact && fabs(cone.u[0] - 3) <= 1e-15 && fabs(cone.u[1]) <= 1e-15);
    cone.count = 0;
    fathom_gate_cone_project(&cone, right, q, NULL); /* closed rows: u_2 <= 0 and >= 0 */
    assert_true(cone.exact && fabs(cone.u[0]) <= 1e-15 && fabs(cone.u[1]) <= 1e-15);
    cone.count = 0;
    fathom_gate_cone_project(&cone, none, p, NULL); /* u_1 >= 0 and u_1 <= 0 */
    assert_true(cone.exact && fathom_gate_cone_bound(&cone, none, p) <= 1e-13);
    fathom_gate_cone_close(&cone);
}

/* An empty polyhedron: u_1 >= 1 and -u_1 >= 1. */
static void test_empty_polyhedron_is_noticed(void **state)
{
    (void)state;
    const double x[] = {1, -1}, reach[] = {1, 1}, least[] = {1, 1}, p[] = {0};
    const uint64_t open[] = {3};
    fathom_gate_cone cone;
    assert_ok(context, fathom_gate_cone_open(&cone, context, 2, 1, x, reach));
    cone.count = 0;
    fathom_gate_cone_project(&cone, open, p, least);
    assert_false(cone.exact);
    fathom_gate_cone_close(&cone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projections_are_optimal),
        cmocka_unit_test(test_shifted_cones),
        cmocka_unit_test(test_degenerate_cones),
        cmocka_unit_test(test_empty_polyhedron_is_noticed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
