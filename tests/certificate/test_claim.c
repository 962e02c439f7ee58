/* SPDX-License-Identifier: Apache-2.0 */
/* Dual points made feasible exactly: sums that vanish, scales that stay inside, norms that are bounds. */
#include <float.h>
#include <string.h>

#include "certificate_internal.h"
#include "claim_exact.h"
#include "random.h"
#include "testing.h"

enum { N = 40, D = 3, O = 3 };

typedef struct sample {
    double x[N * D], y[N * O], v[N * O], before[N * O], weight[N];
    fathom_claim claim;
} sample;

/* Gaussian points; targets numbers, signs or one-hot rows; a dual point in the domain of the loss. */
static void draw(sample *s, fathom_loss loss, bool constant, uint32_t trial)
{
    const int64_t outputs = loss == FATHOM_LOSS_SOFTMAX ? O : 1;
    double noise[N * O];
    fathom_random_normals(s->x, N * D, 5, FATHOM_STREAM_DATA, trial, 0);
    fathom_random_normals(noise, N * O, 5, FATHOM_STREAM_LABEL, trial, 0);
    for (int64_t i = 0; i < N; i++) {
        s->weight[i] = 0.5 + (double)(i % 3);
        double p[O], sum = 0;
        for (int64_t k = 0; k < O; k++)
            sum += p[k] = exp(noise[i * O + k]);
        for (int64_t k = 0; k < outputs; k++) {
            const double a = 0.05 + 0.9 / (1 + exp(noise[i * O + k]));
            const double sign = i % 2 ? 1 : -1;
            s->y[i * outputs + k] = loss == FATHOM_LOSS_SOFTMAX   ? k == i % O
                                    : loss == FATHOM_LOSS_SQUARED ? noise[i]
                                                                  : sign;
            s->v[k * N + i] = loss == FATHOM_LOSS_SOFTMAX   ? s->weight[i] * ((k == i % O) - p[k] / sum)
                              : loss == FATHOM_LOSS_SQUARED ? noise[i]
                                                            : sign * a * s->weight[i];
        }
    }
    memcpy(s->before, s->v, sizeof s->v);
    s->claim = (fathom_claim){.n = N,
                              .d = D,
                              .outputs = outputs,
                              .loss = loss,
                              .constant = constant,
                              .x = s->x,
                              .y = s->y,
                              .weight = s->weight,
                              .beta = 0.5,
                              .divisor = 1,
                              .v = s->v};
}

/* Of doubles on one grid: exact. */
static double sum_of(const double *v, int64_t count, int64_t step)
{
    long double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += v[k * step];
    return (double)sum;
}

static void test_settle(void **state)
{
    (void)state;
    static const fathom_loss losses[] = {FATHOM_LOSS_SQUARED, FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_HINGE};
    sample s;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(30); trial++) {
        draw(&s, losses[trial % 3], true, trial);
        if (trial % 3 == 0) /* the sum is at the level of rounding, as the solver leaves it */
            for (int64_t i = 0, last = N - 1; i < last; i++)
                s.v[last] = i == 0 ? -s.v[i] : s.v[last] - s.v[i];
        memcpy(s.before, s.v, sizeof s.v);
        fathom_claim_settle(&s.claim);
        assert_true(sum_of(s.v, N, 1) == 0);
        for (int64_t i = 0; i < N; i++)
            assert_true(s.v[i] * s.before[i] >= 0 &&
                        fabs(s.v[i]) <= fabs(s.before[i])); /* signs and ends survive */
    }
}

static void test_settle_rows(void **state)
{
    (void)state;
    sample s;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(30); trial++) {
        draw(&s, FATHOM_LOSS_SOFTMAX, false, trial);
        fathom_claim_settle(&s.claim);
        for (int64_t i = 0; i < N; i++) {
            assert_true(sum_of(s.v + i, O, N) == 0);
            for (int64_t k = 0; k < O; k++) { /* c p >= 0, and nothing moved by more than the grid */
                assert_true(s.weight[i] * s.y[i * O + k] - s.v[k * N + i] >= 0);
                assert_close(s.v[k * N + i], s.before[k * N + i], 0x1p-40);
            }
        }
    }
}

/* The multiple stays in the domain and below the price, in exact products (long double holds those of two doubles with few
 * bits; here: rounding down was by more than a rounding). */
static void test_scale(void **state)
{
    (void)state;
    static const fathom_loss losses[] = {FATHOM_LOSS_SQUARED, FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_HINGE,
                                         FATHOM_LOSS_SOFTMAX};
    sample s;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(40); trial++) {
        draw(&s, losses[trial % 4], false, trial);
        fathom_claim_settle(&s.claim);
        const double price = 0.25 * (1 + trial % 7), scale = fathom_claim_scale(&s.claim, price);
        assert_true(scale >= 0 && (long double)scale * price <= s.claim.beta);
        for (int64_t k = 0; trial % 4 && k < N * s.claim.outputs; k++) {
            const bool softmax = trial % 4 == 3;
            const long double w = (long double)scale * s.v[k], y = s.y[k % N * s.claim.outputs + k / N];
            assert_true(softmax ? y * s.weight[k % N] - w >= 0 : y * w >= 0 && y * w <= s.weight[k % N]);
        }
    }
    draw(&s, FATHOM_LOSS_HINGE, false, 0);
    memset(s.v, 0, sizeof s.v);
    assert_true(fathom_claim_scale(&s.claim, 0) == 0); /* nothing limits it, and nothing is gained */
}

static void test_gate_norm(void **state)
{
    (void)state;
    uint64_t bits[] = {0x5555555555, 0xffffffffff, 0};
    const fathom_proof proof = {.n = N, .d = D, .outputs = 1, .gates = 3, .words = 1, .bits = bits};
    sample s;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(20); trial++) {
        draw(&s, FATHOM_LOSS_SQUARED, false, trial);
        long double largest = 0;
        for (int j = 0; j < 3; j++) {
            long double total[D] = {0}, square = 0;
            for (int64_t i = 0; i < N; i++)
                for (int64_t l = 0; (bits[j] >> i & 1) && l < D; l++)
                    total[l] += (long double)s.v[i] * s.x[i * D + l];
            for (int64_t l = 0; l < D; l++)
                square += total[l] * total[l];
            largest = square > largest ? square : largest;
        }
        const double norm = fathom_exact_gates(&proof, &s.claim);
        assert_true((long double)norm * norm >= largest);
        assert_close(norm, (double)sqrtl(largest), 1e4 * DBL_EPSILON * (1 + norm));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_settle), cmocka_unit_test(test_settle_rows),
                                       cmocka_unit_test(test_scale), cmocka_unit_test(test_gate_norm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
