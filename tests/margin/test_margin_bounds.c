/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from the closed-form kernel: reference values, closed forms, and the truth between them. */
#include "margin_cases.h"

#include "margin_points.h"
#include "memory.h"

static void bounds_of(const margin_case *c, double *lower, double *upper, double *q)
{
    fathom_context *context;
    fathom_data *data;
    fathom_margin_points points;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    assert_ok(context, fathom_data_create(&data, context, c->n, c->d, c->x, c->d, 1, c->y, NULL, NULL));
    assert_ok(context, fathom_margin_points_create(&points, context, data, false));
    fathom_margin_kernel kernel;
    assert_ok(context, fathom_margin_kernel_create(&kernel, context, &points, data, 0, 0, 0));
    assert_ok(context, fathom_margin_kernel_bounds(lower, upper, q, context, &points, &kernel));
    fathom_memory_free(context, kernel.k);
    fathom_margin_points_free(context, &points);
    fathom_data_free(data);
    fathom_context_free(context);
}

/* Reference values (tests/README.md): kappa; gamma by exact cones where d <= 3. The solver
 * stops at a relative gap of 1e-9 in kappa^2. */
static void reference_values(void **state)
{
    (void)state;
    const struct {
        int64_t n, d;
        uint64_t seed;
        double kappa, gamma;
    } cases[] = {{8, 2, 1, 0.053265943358617035, 0.016298725056077806},
                 {10, 3, 2, 0.08699204648663197, 0.05681946727965323},
                 {20, 5, 3, 0.10525829416896126, NAN}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        margin_case c = case_portable(cases[k].n, cases[k].d, cases[k].seed);
        double lower, upper, q[20];
        bounds_of(&c, &lower, &upper, q);
        /* unit points: lower <= kappa^2 <= upper^2; the reference is a feasible point, good to 1e-7 */
        assert_true(lower <= cases[k].kappa * cases[k].kappa && upper <= cases[k].kappa * (1 + 1e-9));
        assert_true(upper * upper - lower <= 2e-9 * lower);
        assert_true(isnan(cases[k].gamma) || (lower <= cases[k].gamma && cases[k].gamma <= upper));
        case_free(&c);
    }
}

/* On the circle, n = 0 mod 4, kappa = gamma = 1 / (n cos(pi / n)), and rounding must not push the bound below. */
static void circle_is_tight(void **state)
{
    (void)state;
    for (int64_t n = 4; n <= 64; n *= 2) {
        margin_case c = case_circle(n);
        double lower, upper, q[64];
        bounds_of(&c, &lower, &upper, q);
        const double gamma = 1 / ((double)n * cos(acos(-1) / (double)n));
        assert_true(upper >= gamma * (1 - 4 * UNIT_ROUNDOFF));
        /* kappa^2 is known to (d + 2 n + 16) 2^-52, and kappa = 1 / n to first order */
        assert_close(upper, gamma, (double)(n * (2 * n + 20)) * 2 * UNIT_ROUNDOFF);
        assert_true(lower <= gamma);
        case_free(&c);
    }
}

/* The exact margin in the plane lies between the bounds, and scaling the points scales all of them. */
static void truth_lies_between(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(40); seed++) {
        margin_case c = case_portable(4 + (int64_t)(seed % 9), 2, seed);
        double lower, upper, q[16], low[2], w[64];
        fathom_margin_gates gates;
        assert_ok(context, fathom_margin_arcs(&gates, context, c.n, c.x));
        const fathom_margin_problem p = {c.n,        2,         gates.m, gates.words, c.z,
                                         gates.bits, gates.rho, NULL,    NULL};
        const fathom_margin_target target = {1e-9, 1e-13, gates.doubt, 200};
        fathom_margin_pair pair = {.q = q, .w = w};
        assert_ok(context, fathom_margin_interior(&pair, context, &p, &target));
        bounds_of(&c, &lower, &upper, q);
        assert_true(lower <= pair.upper && pair.lower <= upper);
        for (int64_t i = 0; i < 2 * c.n; i++)
            c.x[i] *= 8;
        bounds_of(&c, low, low + 1, q);
        assert_close(low[1], 8 * upper, 1e-9 * low[1]);
        fathom_margin_gates_free(context, &gates);
        case_free(&c);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_values),
        cmocka_unit_test(circle_is_tight),
        cmocka_unit_test(truth_lies_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
