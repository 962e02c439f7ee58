/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sparse least squares judged from raw data: objective, optimality conditions and gap are recomputed with plain loops.
 * With exact arithmetic a relative gap e leaves |B'r| - beta and the like at sqrt(e); conditions are held to that.
 */
#include <string.h>

#include "lasso.h"
#include "random.h"
#include "testing.h"

enum { N = 40, P = 25, O = 3 };

typedef struct instance {
    int64_t n, p, o;
    double b[N * P], y[O * N], weight[N];
    bool weighted, constant, separate;
} instance;

/* Features like those of neurons: rectified, correlated, some equal, some 0, one constant. */
static void fill(instance *s, uint32_t trial)
{
    double z[N * P], shared[N];
    *s = (instance){.n = N, .p = P, .o = O};
    fathom_random_normals(z, N * P, 5, FATHOM_STREAM_DATA, trial, 0);
    fathom_random_normals(shared, N, 5, FATHOM_STREAM_DATA, trial, N * P);
    fathom_random_normals(s->y, O * N, 5, FATHOM_STREAM_LABEL, trial, 0);
    for (int i = 0; i < N; i++) {
        s->weight[i] = 0.5 + fathom_random_uniform(5, FATHOM_STREAM_SAMPLE, trial, (uint64_t)i);
        for (int j = 0; j < P; j++)
            s->b[i * P + j] = fmax(z[i * P + j] + shared[i], 0);
        s->b[i * P + 3] = s->b[i * P + 2];
        s->b[i * P + 4] = 0;
        s->b[i * P + 5] = 2;
    }
    s->weighted = trial & 1, s->constant = trial & 2, s->separate = trial & 4;
}

static double weight_at(const instance *s, int64_t i) { return s->weighted ? s->weight[i] : 1; }

static double weight_of(const fathom_lasso_fit *fit, int64_t j, int64_t q)
{
    const int64_t t = q / fit->width;
    return fit->w[(t * fit->lasso->p + j) * fit->width + q % fit->width];
}

/* r (o x n) = c (y - f), and the objective. */
static double objective(double *r, const instance *s, const fathom_lasso_fit *fit)
{
    double sum = 0;
    for (int64_t q = 0; q < s->o; q++)
        for (int64_t i = 0; i < s->n; i++) {
            double f = fit->k[q];
            for (int64_t j = 0; j < s->p; j++)
                f += s->b[i * s->p + j] * weight_of(fit, j, q);
            r[q * s->n + i] = weight_at(s, i) * (s->y[q * s->n + i] - f);
            sum += r[q * s->n + i] * (s->y[q * s->n + i] - f) / 2;
        }
    for (int64_t j = 0; j < s->p; j++) {
        double square = 0;
        for (int64_t q = 0; q < s->o; q++) {
            square = s->separate ? 0 : square;
            square += weight_of(fit, j, q) * weight_of(fit, j, q);
            sum += s->separate || q == s->o - 1 ? fit->beta * sqrt(square) : 0;
        }
    }
    return sum;
}

/* w_j != 0: B_j'r = beta w_j / |w_j|; otherwise |B_j'r| <= beta; the constant leaves sum_i r_i = 0. */
static void check_conditions(const instance *s, const fathom_lasso_fit *fit, const double *r, double slack)
{
    const int64_t width = fit->width;
    for (int64_t t = 0; t < fit->tasks; t++)
        for (int64_t j = 0; j < s->p; j++) {
            double price = 0, norm = 0, away = 0, product[O];
            for (int64_t k = 0; k < width; k++) {
                product[k] = 0;
                for (int64_t i = 0; i < s->n; i++)
                    product[k] += s->b[i * s->p + j] * r[(t * width + k) * s->n + i];
                price = hypot(price, product[k]);
                norm = hypot(norm, weight_of(fit, j, t * width + k));
            }
            assert_true(price <= fit->beta + slack);
            for (int64_t k = 0; k < width && norm > 0; k++)
                away = hypot(away, product[k] - fit->beta * weight_of(fit, j, t * width + k) / norm);
            assert_true(away * norm <= slack); /* complementarity, weighted by the size of w_j */
        }
    for (int64_t q = 0; q < s->o && s->constant; q++) {
        double sum = 0;
        for (int64_t i = 0; i < s->n; i++)
            sum += r[q * s->n + i];
        assert_close(sum, 0, 100 * N * UNIT_ROUNDOFF * N);
    }
}

static void solve(const instance *s, double share, double gap)
{
    fathom_context *context;
    fathom_lasso lasso;
    fathom_lasso_fit fit;
    double r[O * N];
    assert_ok(NULL, fathom_context_create(&context, NULL));
    assert_ok(context, fathom_lasso_open(&lasso, context, s->b, s->n, s->p, s->weighted ? s->weight : NULL,
                                         s->constant));
    assert_ok(context, fathom_lasso_fit_open(&fit, &lasso, s->y, s->o, s->separate));
    fit.beta = share * fit.beta_max;
    assert_ok(context, fathom_lasso_fit_run(&fit, gap));
    assert_int_equal(fit.end, FATHOM_END_REACHED);
    const double value = objective(r, s, &fit);
    assert_true(fit.lower <= fit.objective && fit.objective - fit.lower <= gap * fit.objective);
    assert_true(value <= fit.objective); /* rounded up */
    /* by no more than rounding: an output errs by (P + 4) 2u (|k| + max b |w|_1), a loss by |r| times that */
    double rounding = 100 * (N + P) * UNIT_ROUNDOFF * value, length = 0, reach = 0;
    for (int64_t k = 0; k < s->p * s->o; k++)
        length += fabs(fit.w[k]);
    for (int64_t k = 0; k < s->n * s->p; k++)
        reach = fmax(reach, s->b[k]);
    for (int64_t k = 0; k < s->n * s->o; k++)
        rounding += 4 * (P + 4) * UNIT_ROUNDOFF * fabs(r[k]) * (fabs(fit.k[k / s->n]) + reach * length);
    assert_close(value, fit.objective, rounding);
    /* strong convexity in f: |f - f*|^2 / 2 <= gap objective, |b_j| <= |b_j|_2 */
    double longest = 0;
    for (int64_t j = 0; j < s->p; j++) {
        double square = 0;
        for (int64_t i = 0; i < s->n; i++)
            square += 1.5 * s->b[i * s->p + j] * s->b[i * s->p + j];
        longest = fmax(longest, sqrt(square));
    }
    check_conditions(s, &fit, r, 2 * longest * sqrt(2 * gap * value) + 2 * gap * value);
    for (int64_t j = 0; share >= 1 && j < fit.tasks * lasso.p * fit.width; j++)
        assert_true(fit.w[j] == 0);
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    fathom_context_free(context);
}

static void conditions(void **state)
{
    (void)state;
    static const double share[] = {0.3, 0.03, 0.001, 1.01};
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(16); trial++)
        for (int k = 0; k < 4; k++) {
            instance s;
            fill(&s, trial);
            solve(&s, share[k], s.separate ? 1e-10 : 1e-7);
        }
}

/* No feature, one example, one feature. */
static void small(void **state)
{
    (void)state;
    for (int p = 0; p < 3; p++)
        for (int n = 1; n < 4; n++) {
            instance s;
            fill(&s, 0);
            s.n = n, s.p = p, s.o = 1, s.separate = true;
            fathom_context *context;
            fathom_lasso lasso;
            fathom_lasso_fit fit;
            assert_ok(NULL, fathom_context_create(&context, NULL));
            assert_ok(context, fathom_lasso_open(&lasso, context, s.b, n, p, NULL, false));
            assert_ok(context, fathom_lasso_fit_open(&fit, &lasso, s.y, 1, true));
            fit.beta = p ? 0.1 * fit.beta_max + 0x1p-30 : 1;
            assert_ok(context, fathom_lasso_fit_run(&fit, 1e-9));
            assert_int_equal(fit.end, FATHOM_END_REACHED);
            fathom_lasso_fit_close(&fit);
            fathom_lasso_close(&lasso);
            fathom_context_free(context);
        }
}

/* A fit of three targets by one feature. */
static void open_feature(fathom_lasso_fit *fit, fathom_lasso *lasso, fathom_context **context,
                         const double b[3], const double y[3])
{
    assert_ok(NULL, fathom_context_create(context, NULL));
    assert_ok(*context, fathom_lasso_open(lasso, *context, b, 3, 1, NULL, false));
    assert_ok(*context, fathom_lasso_fit_open(fit, lasso, y, 1, true));
}

/* One feature has a closed form: w = (b'y - beta)_+ / b'b, optimum known; the interval must contain it. */
static void closed_form(void **state)
{
    (void)state;
    const double b[3] = {1, 2, 2}, y[3] = {3, 1, 5}, beta = 6; /* b'y = 15, b'b = 9, w = 1 */
    fathom_context *context;
    fathom_lasso lasso;
    fathom_lasso_fit fit;
    open_feature(&fit, &lasso, &context, b, y);
    assert_close(fit.beta_max, 15, 0);
    fit.beta = beta;
    assert_ok(context, fathom_lasso_fit_run(&fit, 1e-12));
    assert_close(fit.w[0], 1, 8 * UNIT_ROUNDOFF);
    assert_true(fit.lower <= 13 && fit.objective >= 13); /* ((3-1)^2 + (1-2)^2 + (5-2)^2) / 2 + 6 = 7 + 6 */
    assert_close(fit.lower, fit.objective, 1e-12 * 13);
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    fathom_context_free(context);
}

/* A start that overshoots: the residual points away from y, so that its best multiple is negative and must be kept feasible
 * like any other. b'y = 18, b'b = 9: w = (18 - beta) / 9. */
static void overshoot(void **state)
{
    (void)state;
    const double b[3] = {1, 2, 2}, y[3] = {2, 4, 4}, beta = 0.125;
    fathom_context *context;
    fathom_lasso lasso;
    fathom_lasso_fit fit;
    open_feature(&fit, &lasso, &context, b, y);
    fit.beta = beta;
    fit.w[0] = 2.02;
    assert_ok(context, fathom_lasso_fit_run(&fit, 1e-12));
    assert_int_equal(fit.end, FATHOM_END_REACHED);
    assert_close(fit.w[0], (18 - beta) / 9, 8 * UNIT_ROUNDOFF);
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions), cmocka_unit_test(small),
                                       cmocka_unit_test(closed_form), cmocka_unit_test(overshoot)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
