/* SPDX-License-Identifier: Apache-2.0 */
/* The interior point against reference values, closed forms, plain loops and a slow solver of another kind. */
#include "margin_cases.h"

#include "context_internal.h"

static const fathom_margin_target standard = {1e-9, 1e-13, 0, 200};

/* Solves; the pair's arrays are given. */
static fathom_margin_pair solve(fathom_context *context, const fathom_margin_problem *p,
                                const fathom_margin_target *target)
{
    fathom_margin_pair pair = {.q = malloc((size_t)p->n * sizeof(double)),
                               .w = malloc((size_t)(p->m * (p->d + 1)) * sizeof(double))};
    assert_ok(context, fathom_margin_interior(&pair, context, p, target));
    return pair;
}

static void pair_free(fathom_margin_pair *pair)
{
    free(pair->q);
    free(pair->w);
}

/* The interval is as narrow as asked, and its two sides follow from q and W by plain loops. */
static void check_pair(const fathom_margin_pair *pair, const fathom_margin_problem *p, double gap)
{
    double least, value, sum = 0;
    assert_true(pair->lower <= pair->upper);
    assert_true(pair->upper - pair->lower <= gap * pair->upper);
    for (int64_t i = 0; i < p->n; i++) {
        assert_true(pair->q[i] >= 0);
        sum += pair->q[i];
    }
    assert_close(sum, 1, (double)p->n * UNIT_ROUNDOFF);
    for (int64_t j = 0; j < p->m; j++) {
        double square = 0;
        for (int64_t k = 0; k < p->d; k++)
            square += pair->w[j * p->d + k] * pair->w[j * p->d + k];
        assert_true(square <= 1);
    }
    plain_sides(&least, &value, p, pair->q, pair->w);
    const double rounding = (double)(p->m + p->n + 3 * p->d) * UNIT_ROUNDOFF;
    assert_true(least >= pair->lower - rounding);
    assert_true(value <= pair->upper + rounding);
}

/* Reference values (tests/README.md), certified to 1e-12. */
static void reference_values(void **state)
{
    (void)state;
    const struct {
        int64_t n, d, m;
        uint64_t data, gates;
        double lower, upper;
    } cases[] = {{8, 2, 50, 1, 101, 0.03857964119858337, 0.03857964119858965},
                 {10, 3, 25, 2, 102, 0.056261208515524845, 0.056261208515526274},
                 {20, 5, 100, 3, 103, 0.09366464320101756, 0.09366464320109034}};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        margin_case c = case_portable(cases[k].n, cases[k].d, cases[k].data);
        fathom_margin_problem p = case_problem(&c, cases[k].m, cases[k].gates);
        fathom_margin_pair pair = solve(context, &p, &standard);
        check_pair(&pair, &p, standard.gap);
        assert_int_equal(pair.outcome, FATHOM_MARGIN_REACHED);
        assert_true(pair.lower <= cases[k].upper + 1e-14 && pair.upper >= cases[k].lower - 1e-14);
        pair_free(&pair);
        problem_free(&p);
        case_free(&c);
    }
    fathom_context_free(context);
}

/* The margin of all arcs of the plane. */
static fathom_margin_pair solve_arcs(fathom_context *context, const margin_case *c, double gap,
                                     fathom_margin_gates *gates)
{
    assert_ok(context, fathom_margin_arcs(gates, context, c->n, c->x));
    const fathom_margin_problem p = {c->n,        c->d,       gates->m, gates->words, c->z,
                                     gates->bits, gates->rho, NULL,     NULL};
    const fathom_margin_target target = {gap, 1e-13, gates->doubt, 200};
    return solve(context, &p, &target);
}

/* n = 0 mod 4: gamma = 1 / (n cos(pi / n)); n = 2: 1/2. */
static void alternating_circle(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t n = 2; n <= 400; n = n < 4 ? 4 : n < 32 ? n + 4 : 2 * n > 256 && n < 400 ? n + 48 : 2 * n) {
        margin_case c = case_circle(n);
        fathom_margin_gates gates;
        fathom_margin_pair pair = solve_arcs(context, &c, 1e-9, &gates);
        const double truth = n == 2 ? 0.5 : 1 / ((double)n * cos(acos(-1) / (double)n));
        assert_int_equal(gates.m, n);
        assert_true(pair.lower <= truth * (1 + 4 * UNIT_ROUNDOFF) &&
                    truth * (1 - 4 * UNIT_ROUNDOFF) <= pair.upper);
        assert_true(pair.upper - pair.lower <= 1e-9 * pair.upper);
        pair_free(&pair);
        fathom_margin_gates_free(context, &gates);
        case_free(&c);
    }
    fathom_context_free(context);
}

/* Reference values (tests/README.md), certified to about 1e-13. */
static void odd_circles(void **state)
{
    (void)state;
    const struct {
        int64_t n;
        double truth, error;
    } cases[] = {
        {3, 0.40957118462605635, 1e-16}, {5, 0.23410146390213141, 1e-16}, {7, 0.08996521645457686, 1e-16},
        {9, 0.0687713757811, 1e-13},     {11, 0.0525425940552, 1e-13},    {13, 0.0441455133383, 1e-13},
        {15, 0.0369528470125, 1e-13},    {17, 0.0325672452736, 1e-13},    {33, 0.0159279338949, 1e-13}};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        margin_case c = case_circle(cases[k].n);
        fathom_margin_gates gates;
        fathom_margin_pair pair = solve_arcs(context, &c, 1e-9, &gates);
        assert_true(pair.lower <= cases[k].truth + cases[k].error);
        assert_true(pair.upper >= cases[k].truth - cases[k].error);
        assert_true(pair.upper - pair.lower <= 1e-9 * pair.upper);
        pair_free(&pair);
        fathom_margin_gates_free(context, &gates);
        case_free(&c);
    }
    fathom_context_free(context);
}

/* The same bits for one thread and for three. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    double bound[2][2];
    margin_case c = case_portable(70, 4, 5);
    fathom_margin_problem p = case_problem(&c, 900, 105);
    for (int run = 0; run < 2; run++) {
        fathom_context *context;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_threads(context, run == 0 ? 1 : 3);
        fathom_margin_pair pair = solve(context, &p, &standard);
        check_pair(&pair, &p, standard.gap);
        bound[run][0] = pair.lower;
        bound[run][1] = pair.upper;
        pair_free(&pair);
        fathom_context_free(context);
    }
    assert_memory_equal(bound[0], bound[1], sizeof bound[0]);
    problem_free(&p);
    case_free(&c);
}

/* gamma_V = 0 stops on the absolute tolerance: one gate open on two equal points of opposite label. */
static void zero_is_reported(void **state)
{
    (void)state;
    const double z[4] = {0.6, 0.8, -0.6, -0.8}, rho[2] = {0.5, 0.5};
    const uint64_t bits[2] = {3, 0};
    const fathom_margin_problem p = {2, 2, 2, 1, z, bits, rho, NULL, NULL};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_margin_pair pair = solve(context, &p, &standard);
    assert_int_equal(pair.outcome, FATHOM_MARGIN_ZERO);
    assert_true(pair.lower == 0 && pair.upper <= 1e-12);
    pair_free(&pair);
    fathom_context_free(context);
}

/* Reference values of gamma_ntk on samples (F8_gamma_ntk_samples): rows (a_j, v_j), |(a_j, v_j)| < 2. */
static void lifted_gates(void **state)
{
    (void)state;
    const struct {
        int64_t n, d, m;
        uint64_t data, gates;
        double lower, upper;
    } cases[] = {{10, 3, 60, 2, 202, 0.022151430741858432, 0.02215143074186276},
                 {20, 5, 150, 3, 203, 0.06729464114049374, 0.06729464114052076}};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const int64_t d = cases[k].d, n = cases[k].n;
        margin_case c = case_portable(n, d, cases[k].data);
        double aim[150 * 5], gain[150], rho[150];
        uint64_t bits[150] = {0};
        int64_t m = 0;
        portable g = {.state = cases[k].gates};
        for (int64_t j = 0; j < cases[k].m; j++) {
            gain[m] = portable_normal(&g);
            double square = gain[m] * gain[m];
            for (int64_t l = 0; l < d; l++) {
                aim[m * d + l] = portable_normal(&g) / sqrt((double)d);
                square += aim[m * d + l] * aim[m * d + l];
            }
            if (square >= 4)
                continue;
            rho[m] = 1 / (double)cases[k].m;
            bits[m] = 0;
            for (int64_t i = 0; i < n; i++) {
                double inner = 0;
                for (int64_t l = 0; l < d; l++)
                    inner += c.x[i * d + l] * aim[m * d + l];
                bits[m] |= (uint64_t)(inner > 0) << i;
            }
            m++;
        }
        const fathom_margin_problem p = {n, d, m, 1, c.z, bits, rho, gain, aim};
        fathom_margin_pair pair = solve(context, &p, &standard);
        assert_int_equal(pair.outcome, FATHOM_MARGIN_REACHED);
        assert_true(pair.upper - pair.lower <= 1e-9 * pair.upper);
        assert_true(pair.lower <= cases[k].upper + 1e-14 && pair.upper >= cases[k].lower - 1e-14);
        pair_free(&pair);
        case_free(&c);
    }
    fathom_context_free(context);
}

/* The first-order method and the gradient descent of Lemma 6.1 find the same number. */
static void other_methods_agree(void **state)
{
    (void)state;
    margin_case c = case_portable(20, 5, 3);
    fathom_margin_problem p = case_problem(&c, 100, 103);
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const double lower = 0.09366464320101756, upper = 0.09366464320109034; /* as in reference_values */
    double q[20], w[500];
    fathom_margin_pair pair = {.q = q, .w = w};
    const fathom_margin_target fine = {1e-6, 1e-10, 0, 100000}, coarse = {0.1, 1e-10, 0, 1000000};
    assert_ok(context, fathom_margin_first_order(&pair, context, &p, &fine));
    assert_int_equal(pair.outcome, FATHOM_MARGIN_REACHED);
    check_pair(&pair, &p, fine.gap);
    assert_true(pair.lower <= upper && lower <= pair.upper);
    margin_case circle = case_circle(8);
    fathom_margin_gates gates;
    assert_ok(context, fathom_margin_arcs(&gates, context, 8, circle.x));
    const fathom_margin_problem arcs = {8, 2, gates.m, 1, circle.z, gates.bits, gates.rho, NULL, NULL};
    const double gamma = 1 / (8 * cos(acos(-1) / 8));
    assert_ok(context, fathom_margin_descent(&pair, context, &arcs, &coarse));
    assert_int_equal(pair.outcome, FATHOM_MARGIN_REACHED);
    assert_true(pair.lower <= gamma && gamma * (1 - 4 * UNIT_ROUNDOFF) <= pair.upper);
    assert_true(pair.lower >= (1 - 0.1 / 0.9) * gamma); /* Lemma 6.1 with eps / (1 - eps) */
    fathom_margin_gates_free(context, &gates);
    case_free(&circle);
    fathom_context_free(context);
    problem_free(&p);
    case_free(&c);
}

/* The working set finds what the interior point finds on all points: a positive margin (separable labels), and 0. */
static void working_set_agrees(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int random = 0; random < 2; random++) {
        margin_case c = case_portable(700, 3, 9);
        for (int64_t i = 0; i < c.n && !random; i++) { /* labels by a plane, points away from it */
            c.y[i] = c.x[3 * i] > 0 ? 1 : -1;
            c.x[3 * i] += 0.3 * c.y[i];
        }
        case_sign(&c);
        fathom_margin_problem p = case_problem(&c, 12, 109);
        fathom_margin_pair all = solve(context, &p, &standard);
        double q[700], w[36], margin[700], least, value;
        fathom_margin_pair part = {.q = q, .w = w, .margin = margin};
        assert_ok(context, fathom_margin_by_working_set(&part, context, &p, &standard));
        assert_int_equal(part.outcome, random ? FATHOM_MARGIN_ZERO : FATHOM_MARGIN_REACHED);
        assert_true(part.lower <= all.upper && all.lower <= part.upper);
        assert_true(random || part.upper - part.lower <= standard.gap * part.upper);
        plain_sides(&least, &value, &p, q, w);
        const double rounding = (double)(p.m + p.n + 3 * p.d) * UNIT_ROUNDOFF;
        assert_true(least >= part.lower - rounding && value <= part.upper + rounding);
        pair_free(&all);
        problem_free(&p);
        case_free(&c);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_values),    cmocka_unit_test(alternating_circle),
        cmocka_unit_test(odd_circles),         cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(zero_is_reported),    cmocka_unit_test(lifted_gates),
        cmocka_unit_test(other_methods_agree), cmocka_unit_test(working_set_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
