/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random small problems against an independent solver: a barrier method in q alone, without cones, duals or scaling,
 *
 *     minimise  sum_j rho_j sqrt(|s_j(q)|^2 + mu^2) - tau sum_i ln q_i   over 1'q = 1,   mu = tau -> 0,
 *
 * by damped Newton steps with Gaussian elimination. Its minimiser is within n tau + mu of gamma_V = min G(q), and its value
 * G(q) is never below gamma_V, so the certified interval must contain it up to that much.
 */
#include "margin_cases.h"

enum { N = 10, D = 5, M = 40 };

static bool is_open(const fathom_margin_problem *p, int64_t j, int64_t i)
{
    return p->bits[j * p->words + i / 64] >> i % 64 & 1;
}

/* The smoothed objective at q; gradient (n) and Hessian (n x n) where not NULL. With tau = mu = 0: G(q). */
static double objective(double *gradient, double *hessian, const fathom_margin_problem *p, const double *q,
                        double mu, double tau)
{
    const int64_t n = p->n, d = p->d;
    double total = 0;
    for (int64_t i = 0; i < n && gradient; i++)
        for (int64_t k = 0; k < n; k++) {
            gradient[i] = -tau / q[i];
            hessian[i * n + k] = i == k ? tau / (q[i] * q[i]) : 0;
        }
    for (int64_t i = 0; i < n && tau > 0; i++)
        total += q[i] > 0 ? -tau * log(q[i]) : INFINITY;
    for (int64_t j = 0; j < p->m; j++) {
        double s[D] = {0}, square = mu * mu, inner[N];
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < d && is_open(p, j, i); c++)
                s[c] += q[i] * p->z[i * d + c];
        for (int64_t c = 0; c < d; c++)
            square += s[c] * s[c];
        const double root = sqrt(square);
        total += p->rho[j] * root;
        for (int64_t i = 0; i < n && gradient; i++) {
            inner[i] = 0;
            for (int64_t c = 0; c < d && is_open(p, j, i); c++)
                inner[i] += p->z[i * d + c] * s[c] / root;
            gradient[i] += p->rho[j] * inner[i];
        }
        for (int64_t i = 0; i < n && gradient; i++)
            for (int64_t k = 0; k < n; k++) {
                double dot = 0;
                for (int64_t c = 0; c < d && is_open(p, j, i) && is_open(p, j, k); c++)
                    dot += p->z[i * d + c] * p->z[k * d + c];
                hessian[i * n + k] += p->rho[j] / root * (dot - inner[i] * inner[k]);
            }
    }
    return total;
}

/* Solves a x = b (size x size, row-major) in place by elimination with pivoting; x in b. */
static void eliminate(double *a, double *b, int64_t size)
{
    for (int64_t c = 0; c < size; c++) {
        int64_t pivot = c;
        for (int64_t r = c + 1; r < size; r++)
            pivot = fabs(a[r * size + c]) > fabs(a[pivot * size + c]) ? r : pivot;
        for (int64_t k = 0; k < size; k++) {
            const double t = a[c * size + k];
            a[c * size + k] = a[pivot * size + k];
            a[pivot * size + k] = t;
        }
        const double t = b[c];
        b[c] = b[pivot];
        b[pivot] = t;
        for (int64_t r = 0; r < size; r++) {
            const double ratio = r == c ? 0 : a[r * size + c] / a[c * size + c];
            for (int64_t k = c; k < size && ratio != 0; k++)
                a[r * size + k] -= ratio * a[c * size + k];
            b[r] -= ratio * b[c];
        }
    }
    for (int64_t c = 0; c < size; c++)
        b[c] /= a[c * size + c];
}

/* One damped Newton step on the simplex; false where nothing is gained. */
static bool newton(double *q, const fathom_margin_problem *p, double mu, double tau)
{
    const int64_t n = p->n;
    double gradient[N], hessian[N * N], a[(N + 1) * (N + 1)] = {0}, b[N + 1], trial[N], step = 1;
    const double value = objective(gradient, hessian, p, q, mu, tau);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++)
            a[i * (n + 1) + k] = hessian[i * n + k];
        a[i * (n + 1) + n] = a[n * (n + 1) + i] = 1;
        b[i] = -gradient[i];
    }
    b[n] = 0;
    eliminate(a, b, n + 1);
    for (int64_t i = 0; i < n; i++)
        step = b[i] < 0 ? fmin(step, -0.99 * q[i] / b[i]) : step;
    for (int k = 0; k < 40; k++, step /= 2) {
        for (int64_t i = 0; i < n; i++)
            trial[i] = q[i] + step * b[i];
        if (objective(NULL, NULL, p, trial, mu, tau) < value) {
            memcpy(q, trial, (size_t)n * sizeof *q);
            return true;
        }
    }
    return false;
}

/* G at the last q of the barrier method. */
static double barrier_value(const fathom_margin_problem *p, double smallest)
{
    double q[N], sum = 0;
    for (int64_t i = 0; i < p->n; i++)
        q[i] = 1 / (double)p->n;
    for (double tau = 0.1; tau >= smallest; tau /= 2)
        for (int k = 0; k < 30 && newton(q, p, tau, tau); k++)
            ;
    for (int64_t i = 0; i < p->n; i++)
        sum += q[i];
    return objective(NULL, NULL, p, q, 0, 0) / sum;
}

static void random_problems(void **state)
{
    (void)state;
    /* n tau + mu = 1.1e-9 at most; a stage ends where rounding hides what a step gains, 1e-16 of a quadratic model whose
     * curvature is 1 / mu: another 1e-8 in q */
    const double smallest = 1e-10, slack = 1e-7;
    fathom_context *context;
    int64_t zeros = 0;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_set_threads(context, 1);
    for (int64_t trial = 1; trial <= test_trials(1000); trial++) {
        const int64_t n = 1 + trial % N, d = 1 + trial / 7 % D, m = 1 + trial * 13 % M;
        margin_case c = case_portable(n, d, (uint64_t)trial);
        fathom_margin_problem p = case_problem(&c, m, 7000 + (uint64_t)trial);
        double q[N], w[M * D];
        const fathom_margin_target target = {1e-8, 1e-10, 0, 200};
        fathom_margin_pair pair = {.q = q, .w = w};
        assert_ok(context, fathom_margin_interior(&pair, context, &p, &target));
        const double value = barrier_value(&p, smallest);
        /* a margin of 0 ends on the absolute tolerance; every other one at the asked gap */
        const bool ended =
            pair.outcome == FATHOM_MARGIN_ZERO ||
            (pair.outcome == FATHOM_MARGIN_REACHED && pair.upper - pair.lower <= target.gap * pair.upper);
        if (!(pair.lower <= value + slack && value - slack <= pair.upper && ended)) {
            print_error("trial %lld (n %lld, d %lld, m %lld): [%.17g, %.17g] against %.17g\n",
                        (long long)trial, (long long)n, (long long)d, (long long)m, pair.lower, pair.upper,
                        value);
            fail();
        }
        zeros += pair.outcome == FATHOM_MARGIN_ZERO;
        problem_free(&p);
        case_free(&c);
    }
    fathom_context_free(context);
    print_message("%lld margins were 0\n", (long long)zeros);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
