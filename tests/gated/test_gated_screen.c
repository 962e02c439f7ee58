/* SPDX-License-Identifier: Apache-2.0 */
/* Screened gates: bounds stay above norms recomputed by plain loops, and no gate above beta is ever left out. */
#include <string.h>

#include "gated_screen.h"
#include "random.h"
#include "testing.h"

enum { N = 70, D = 3, M = 40, WORDS = (N + 63) / 64 };

/* |X' D_j g'|, o outputs. */
static double norm_of(const double *x, const uint64_t *pattern, const double *g, int64_t outputs)
{
    double square = 0;
    for (int64_t c = 0; c < outputs; c++)
        for (int k = 0; k < D; k++) {
            double sum = 0;
            for (int i = 0; i < N; i++)
                sum += (pattern[i / 64] >> (i % 64)) & 1 ? g[c * N + i] * x[i * D + k] : 0;
            square += sum * sum;
        }
    return sqrt(square);
}

/* A walk of dual points whose steps shrink, as those of a converging method: every step is checked. */
static void test_no_violating_gate_is_left_out(void **state)
{
    (void)state;
    double x[N * D], reach[N], g[2 * N], step[2 * N], norm[M];
    uint64_t bits[M * WORDS];
    bool used[M] = {false};
    fathom_context *context;
    int64_t skipped = 0;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    fathom_random_normals(x, N * D, 41, FATHOM_STREAM_DATA, 0, 0);
    for (int i = 0; i < N; i++)
        reach[i] = sqrt(x[i * D] * x[i * D] + x[i * D + 1] * x[i * D + 1] + x[i * D + 2] * x[i * D + 2]) *
                   (1 + 0x1p-40);
    memset(bits, 0, sizeof bits);
    for (int k = 0; k < M * N; k++)
        if (fathom_random_uniform(41, FATHOM_STREAM_GATE, 0, (uint64_t)k) < 0.5)
            bits[k / N * WORDS + k % N / 64] |= (uint64_t)1 << (k % N % 64);
    used[3] = true;
    for (int64_t outputs = 1; outputs <= 2; outputs++) {
        fathom_gated_screen screen;
        fathom_objective p = {.context = context,
                              .n = N,
                              .d = D,
                              .m = M,
                              .outputs = outputs,
                              .x = x,
                              .reach = reach,
                              .words = WORDS,
                              .bits = bits,
                              .beta = 1};
        assert_ok(context, fathom_gated_screen_create(&screen, &p));
        assert_non_null(screen.upper);
        fathom_random_normals(g, outputs * N, 41, FATHOM_STREAM_LABEL, 0, 0);
        for (int j = 0; j < M; j++)
            p.beta = fmax(p.beta, 0.9 * norm_of(x, bits + j * WORDS, g, outputs));
        for (uint32_t round = 0; round < 30; round++) {
            const int64_t count = fathom_gated_screen_list(&screen, &p, g, used);
            bool listed[M] = {false};
            for (int64_t k = 0; k < count; k++)
                listed[screen.index[k]] = true;
            assert_true(listed[3] && (round > 0 || count == M));
            for (int j = 0; j < M; j++) {
                norm[j] = norm_of(x, bits + j * WORDS, g, outputs);
                assert_true(screen.upper[j] >= norm[j] * (1 - 1e-14));
                assert_true(listed[j] || norm[j] <= p.beta);
            }
            skipped += M - count;
            fathom_gated_screen_take(&screen, &p, g, norm, count, false);
            fathom_random_normals(step, outputs * N, 41, FATHOM_STREAM_SAMPLE, round, 0);
            for (int64_t i = 0; i < outputs * N; i++)
                g[i] += 0.2 * pow(0.7, round) * step[i];
        }
        fathom_gated_screen_clear(&screen, context);
    }
    assert_true(skipped > 30 * M / 2); /* it does screen */
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_violating_gate_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
