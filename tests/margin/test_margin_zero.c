/* SPDX-License-Identifier: Apache-2.0 */
/* The exact decision whether the margin is 0, on data where the answer is known, and its certificates. */
#include "margin_cases.h"

#include <gmp.h>

#include "exact_cone.h"
#include "memory.h"
#include "margin_zero.h"

#include "exact_dot.h"
#include "fathom/margin.h"

/* The pairs: labels +1 and -1 on one ray, or on opposite ones with integers l > 0 and sum l x_a = 0 exactly.
 * */
static void check_pairs(const margin_case *c, const fathom_margin_decision *decision)
{
    mpq_t sum, term, weight;
    mpq_inits(sum, term, weight, NULL);
    assert_int_equal(decision->pairs > 0, decision->zero);
    assert_true(decision->first < 0 || decision->pairs == 1);
    for (int64_t j = 0; j < c->d; j++) {
        mpq_set_ui(sum, 0, 1);
        for (int64_t k = 0; k < decision->pairs; k++) {
            const double *a = c->x + decision->pair[2 * k] * c->d,
                         *b = c->x + decision->pair[2 * k + 1] * c->d;
            double dot = 0;
            for (int64_t l = 0; l < c->d; l++)
                dot += a[l] * b[l];
            assert_true(c->y[decision->pair[2 * k]] > 0 && c->y[decision->pair[2 * k + 1]] < 0);
            assert_true(fathom_exact_parallel(a, b, c->d) && (dot > 0) == (decision->first >= 0));
            assert_int_equal(mpq_set_str(weight, decision->weight[k], 16), 0);
            assert_true(mpq_sgn(weight) > 0 && mpz_cmp_ui(mpq_denref(weight), 1) == 0);
            mpq_set_d(term, a[j]);
            mpq_mul(term, term, weight);
            mpq_add(sum, sum, term);
        }
        assert_true(mpq_sgn(sum) == 0 || decision->first >= 0);
    }
    mpq_clears(sum, term, weight, NULL);
}

static fathom_margin_decision decide(const margin_case *c, double *q, double *witness)
{
    fathom_context *context;
    fathom_margin_decision decision;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    assert_ok(context, fathom_margin_decide(&decision, q, witness, context, c->n, c->d, c->x, c->y));
    check_pairs(c, &decision);
    fathom_margin_pairs_free(context, decision.pairs, decision.pair, decision.weight);
    fathom_context_free(context);
    return decision;
}

/* Where the answer is zero, every sum of the certificate vanishes to rounding at random gates. */
static void check_certificate(const margin_case *c, const double *q)
{
    fathom_margin_problem p = case_problem(c, 50, 17);
    double *w = calloc((size_t)(p.m * p.d), sizeof *w), least, value, sum = 0, largest = 0;
    plain_sides(&least, &value, &p, q, w);
    for (int64_t i = 0; i < c->n; i++) {
        sum += q[i];
        double square = 0;
        for (int64_t k = 0; k < c->d; k++)
            square += c->x[i * c->d + k] * c->x[i * c->d + k];
        largest = fmax(largest, sqrt(square));
    }
    assert_close(sum, 1, (double)c->n * UNIT_ROUNDOFF);
    assert_close(value, 0, 8 * (double)(c->n + c->d) * UNIT_ROUNDOFF * largest);
    free(w);
    problem_free(&p);
}

/* n = 2 mod 4, n >= 6: zero; every other circle: positive. */
static void circles(void **state)
{
    (void)state;
    for (int64_t n = 2; n <= 40; n++) {
        margin_case c = case_circle(n);
        double q[40], witness[2];
        const fathom_margin_decision decision = decide(&c, q, witness);
        assert_int_equal(decision.zero, n % 4 == 2 && n >= 6);
        assert_int_equal(decision.first, -1);
        if (decision.zero)
            check_certificate(&c, q);
        case_free(&c);
    }
}

/* Parity of all d bits: zero for odd d >= 3. Two of d bits: positive. */
static void cubes(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 7; d++) {
        double q[128], witness[7];
        margin_case full = case_parity(d, d, 1), sparse = case_parity(d, 2, 1 / sqrt((double)d));
        const fathom_margin_decision decision = decide(&full, q, witness);
        assert_int_equal(decision.zero, d % 2 == 1);
        if (decision.zero)
            check_certificate(&full, q);
        assert_false(decide(&sparse, q, witness).zero);
        case_free(&full);
        case_free(&sparse);
    }
}

/* Two points on one ray with opposite labels are found among random points, whatever their lengths. */
static void contradictions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < (uint64_t)test_trials(200); seed++) {
        margin_case c = case_portable(30, 4, seed);
        double q[30], witness[4];
        assert_false(decide(&c, q, witness).zero);
        const int64_t a = (int64_t)(seed % 30), b = (int64_t)((seed / 30 + 7 + seed % 30) % 30);
        for (int64_t k = 0; k < 4; k++)
            c.x[b * 4 + k] = ldexp(c.x[a * 4 + k], (int)(seed % 9) - 4);
        c.y[b] = -c.y[a];
        case_sign(&c);
        const fathom_margin_decision decision = decide(&c, q, witness);
        assert_true(decision.zero);
        assert_int_equal(decision.first, c.y[a] > 0 ? a : b);
        assert_int_equal(decision.second, c.y[a] > 0 ? b : a);
        check_certificate(&c, q);
        case_free(&c);
    }
}

/* Antipodal opposite labels at 0, 120 and 240 degrees up to a rational perturbation of 2^-40 across the
 * boundary: the
 * hull of (1, t), (-1, t), (0, -1) holds 0 for every t > 0 and not for t < 0, however small. */
static void decision_is_exact(void **state)
{
    (void)state;
    const double small = 0x1p-900;
    for (int sign = -1; sign <= 1; sign++) {
        const double t = sign * small;
        double q[6], witness[2];
        margin_case c = case_create(6, 2);
        const double x[12] = {1, t, -1, t, 0, -1, -1, -t, 1, -t, 0, 1};
        memcpy(c.x, x, sizeof x);
        for (int i = 0; i < 6; i++)
            c.y[i] = i < 3 ? 1 : -1;
        case_sign(&c);
        const fathom_margin_decision decision = decide(&c, q, witness);
        /* t = 0: points 0 and 4 are the same ray with opposite labels */
        assert_int_equal(decision.zero, sign >= 0);
        assert_int_equal(decision.first >= 0, sign == 0);
        case_free(&c);
    }
}

/* Gordan: vectors in an open half space have a witness; with minus a combination of two of them, 0 is in the
 * hull. */
static void alternatives(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(100); seed++) {
        portable g = {.state = seed};
        enum { K = 9, D = 3 };
        double p[K * D], h[D], lambda[K], sum[D] = {0};
        bool zero;
        for (int j = 0; j < K; j++) {
            p[j * D] = 0x1p-20 * (1 + floor(0x1p20 * portable_uniform(&g)));
            for (int k = 1; k < D; k++) /* multiples of 2^-20: the combination below is exact */
                p[j * D + k] = 0x1p-20 * rint(0x1p20 * portable_normal(&g));
        }
        assert_ok(context, fathom_exact_cone(&zero, lambda, NULL, h, context, K, D, p));
        assert_false(zero);
        for (int j = 0; j < K; j++)
            assert_true(h[0] * p[j * D] + h[1] * p[j * D + 1] + h[2] * p[j * D + 2] > 0);
        for (int k = 0; k < D; k++)
            p[(K - 1) * D + k] = -(2 * p[k] + p[D + k]);
        assert_ok(context, fathom_exact_cone(&zero, lambda, NULL, h, context, K, D, p));
        assert_true(zero);
        for (int j = 0; j < K; j++) {
            assert_true(lambda[j] >= 0);
            for (int k = 0; k < D; k++)
                sum[k] += lambda[j] * p[j * D + k];
        }
        for (int k = 0; k < D; k++)
            assert_close(sum[k], 0, 16 * K * UNIT_ROUNDOFF);
    }
    fathom_context_free(context);
}

/* The integers solve every equation exactly where the margin is 0, and there are none where it is not. */
static void check_integers(bool zero, char *const *integer, const fathom_margin_problem *p)
{
    double *column = calloc((size_t)p->n, sizeof *column);
    int64_t positive = 0;
    for (int64_t i = 0; i < p->n; i++)
        positive += integer[i] != NULL;
    assert_int_equal(positive > 0, zero);
    for (int64_t e = 0; e < p->m * p->d && zero; e++) {
        for (int64_t i = 0; i < p->n; i++)
            column[i] = p->bits[e / p->d * p->words + i / 64] >> i % 64 & 1 ? p->z[i * p->d + e % p->d] : 0;
        assert_true(fathom_exact_sum_is_zero(integer, column, p->n));
    }
    free(column);
}

/* gamma_V of random gates on circles and on grids: 0 is decided exactly, and q makes every sum vanish; not 0
 * agrees with the interior point. A point that no gate opens makes it 0. */
static void gates_are_decided(void **state)
{
    (void)state;
    fathom_context *context;
    int zeros = 0, others = 0;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t trial = 0; trial < (uint64_t)test_trials(60); trial++) {
        margin_case c = trial % 3 == 0   ? case_circle(6 + 2 * (int64_t)(trial % 5))
                        : trial % 3 == 1 ? case_parity(3, 3, 1)
                                         : case_portable(6, 3, trial);
        fathom_margin_problem p = case_problem(&c, 3 + (int64_t)(trial % 17), trial);
        double *q = calloc((size_t)c.n, sizeof *q), *w = calloc((size_t)(p.m * p.d), sizeof *w), least, value;
        char **integer = calloc((size_t)c.n, sizeof *integer);
        bool zero;
        assert_ok(context, fathom_margin_gates_decide(&zero, q, integer, context, &p));
        check_integers(zero, integer, &p);
        for (int64_t i = 0; i < c.n; i++)
            fathom_memory_free(context, integer[i]);
        free(integer);
        plain_sides(&least, &value, &p, q, w);
        if (zero) {
            zeros++;
            assert_true(value <= 1e-14);
        } else { /* a network exists: the interior point finds a positive margin */
            fathom_margin_pair pair = {.q = q, .w = w};
            const fathom_margin_target target = {1e-6, 0, 0, 200};
            assert_ok(context, fathom_margin_interior(&pair, context, &p, &target));
            assert_true(pair.lower > 0);
            others++;
        }
        problem_free(&p);
        case_free(&c);
        free(q);
        free(w);
    }
    assert_true(10 * zeros >= test_trials(60) && 10 * others >= test_trials(60));
    fathom_context_free(context);
}

/* Each pair of neurons is 0 or has the sign of y_i, by exact gates, and some pair has it. */
static void check_convex(const fathom_net *net, int64_t n, int64_t d, const double *x, const double *y)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights weights = fathom_net_lend((fathom_net *)net); /* read only */
    for (int64_t i = 0; i < n; i++) {
        double total = 0;
        for (int64_t j = 0; j < shape.m; j += 2) {
            const bool a = fathom_exact_dot_sign(d, weights.v + j * d, x + i * d) > 0;
            const bool b = fathom_exact_dot_sign(d, weights.v + (j + 1) * d, x + i * d) > 0;
            const int sign = fathom_exact_dot_sign(d, weights.w + j * d, x + i * d) * (a - b);
            assert_true(sign * y[i] >= 0);
            total += sign * y[i];
        }
        assert_true(total > 0);
    }
}

/* Data without contradictory rays, many lines with opposite labels: the gates of the convex network have a
 * positive margin, decided
 * exactly, also where the margin is 0. */
static void convex_networks(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(24); seed++) {
        enum { PAIRS = 5 };
        const int64_t d = 1 + (int64_t)(seed % 4), n = 2 * PAIRS;
        double x[4 * n], y[n];
        portable g = {.state = seed};
        for (int64_t i = 0; i < n; i += 2) {
            double *row = x + i * d, size = 0;
            do { /* rows of small integers, or of 53 bits */
                size = 0;
                for (int64_t k = 0; k < d; k++) {
                    const double r = 2 * portable_normal(&g);
                    row[k] = seed % 3 == 0 ? r : round(r);
                    size += fabs(row[k]);
                }
            } while (size == 0);
            for (int64_t k = 0; k < d; k++) /* on the ray of the first row all labels are its own */
                row[d + k] = -2 * row[k];
            y[i] = d == 1 ? (row[0] > 0 ? 1 : -1) : 1;
            y[i + 1] = -y[i];
            for (int64_t l = 0; l < i; l++) { /* rays that came up before keep their label */
                for (int64_t s = i; s < i + 2; s++)
                    if (fathom_exact_parallel(x + l * d, x + s * d, d)) {
                        double product = 0;
                        for (int64_t k = 0; k < d; k++)
                            product += x[l * d + k] * x[s * d + k];
                        y[s] = product > 0 ? y[l] : y[s];
                    }
            }
        }
        fathom_data *data;
        fathom_net *net;
        assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 1, y, NULL, NULL));
        assert_ok(context, fathom_margin_convex(&net, context, data));
        check_convex(net, n, d, x, y);
        fathom_net_free(net);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

/* Copies of one row that differ by 1e-8 to 1e-11 of it, in decimals whose products nearly cancel, with labels of their own. */
static void convex_near_copies(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(20); seed++) {
        enum { N = 5, MOST = 5 };
        const int64_t d = 2 + (int64_t)(seed % 4);
        double x[N * MOST], y[N], base[MOST];
        portable g = {.state = seed};
        const double step = pow(10, -8 - (double)(seed % 3));
        for (int64_t k = 0; k < d; k++)
            base[k] = round(4 * portable_normal(&g)) + 9 * (k == 0) + 1e-8 * round(3 * portable_normal(&g));
        for (int64_t i = 0; i < N; i++) {
            y[i] = portable_normal(&g) > 0 ? 1 : -1;
            for (int64_t k = 0; k < d; k++)
                x[i * d + k] = base[k] + step * round(3 * portable_normal(&g));
            for (int64_t l = 0; l < i; l++)
                y[i] = fathom_exact_parallel(x + l * d, x + i * d, d) ? y[l] : y[i];
        }
        fathom_data *data;
        fathom_net *net;
        assert_ok(context, fathom_data_create(&data, context, N, d, x, d, 1, y, NULL, NULL));
        assert_ok(context, fathom_margin_convex(&net, context, data));
        check_convex(net, N, d, x, y);
        fathom_net_free(net);
        fathom_data_free(data);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles),         cmocka_unit_test(cubes),
        cmocka_unit_test(contradictions),  cmocka_unit_test(decision_is_exact),
        cmocka_unit_test(alternatives),    cmocka_unit_test(gates_are_decided),
        cmocka_unit_test(convex_networks), cmocka_unit_test(convex_near_copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
