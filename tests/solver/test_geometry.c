/* SPDX-License-Identifier: Apache-2.0 */
/* Rank, whitening and the spike-free decision against matrices whose answers are known or found by brute force. */
#include "testing.h"

#include "fathom/geometry.h"
#include "random.h"

static fathom_context *context;

static int set_up(void **state)
{
    (void)state;
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        return -1;
    fathom_context_set_threads(context, 1); /* hundreds of tiny matrices */
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fathom_context_free(context);
    return 0;
}

static fathom_geometry compute(const double *x, int64_t n, int64_t d)
{
    fathom_geometry g;
    fathom_data *data = NULL;
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_geometry_compute(&g, context, data, NULL));
    fathom_data_free(data);
    return g;
}

/* ../shared/math/convex-oracles.json, spike_free: verdict, the largest off-diagonal entry (15 digits; NaN: none) and
 * rho as a local search found it (10 digits; NaN: not searched). */
static void known_matrices(void **state)
{
    (void)state;
    static const struct {
        int64_t n, d, rank;
        double a[9];
        fathom_verdict free;
        double entry, rho;
    } known[] = {{2, 2, 2, {1, 0, 1, 2}, FATHOM_YES, -0.559016994374947, 1},
                 {2, 2, 2, {1, 0, -1, 2}, FATHOM_NO, 0.559016994374947, 1.118033989},
                 {3, 3, 3, {1, 0, 0, 0, 2, 0, 0, 0, 3}, FATHOM_YES, 0, 1},
                 {3, 2, 1, {1, -1, 2, -2, 0.5, -0.5}, FATHOM_YES, NAN, NAN},
                 {3, 2, 1, {1, -1, -2, 2, 0.5, -0.5}, FATHOM_NO, NAN, NAN},
                 {3, 3, 3, {1, 0, 0, 1, 1, 0, 1, 1, 1}, FATHOM_YES, 0, 1},
                 {3, 3, 3, {1, 0, 0, 1, 1, 0, -1, 1, 1}, FATHOM_NO, 3.46410161513775, 1.732050808},
                 {3, 2, 2, {1, 0, 2, 0, 0, 1}, FATHOM_YES, 0, NAN},
                 {3, 2, 2, {1, 0, 0, 1, 1, 1}, FATHOM_NO, NAN, NAN},
                 {3, 2, 2, {1, 0, 0, 0, 0, 1}, FATHOM_YES, 0, NAN},
                 {3, 3, 3, {1, 0, 0, 1, 1, 0, 2, 1, 1}, FATHOM_YES, 0, 1},
                 {3, 3, 3, {2, 1, 0, 1, 2, 1, 0, 1, 2}, FATHOM_NO, 3.125, 1.428869017},
                 {2, 2, 2, {1, 0, 0.001, 1}, FATHOM_YES, -0.00100000049999988, 1},
                 {2, 2, 2, {1, 0, -0.001, 1}, FATHOM_NO, 0.00100000049999988, NAN}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const fathom_geometry g = compute(known[k].a, known[k].n, known[k].d);
        assert_int_equal(g.spike_free, known[k].free);
        assert_int_equal(g.rank, known[k].rank);
        assert_int_equal(g.rank_exact, known[k].rank);
        assert_int_equal(g.rank_one, known[k].rank == 1);
        if (!isnan(known[k].entry))
            assert_close(g.inverse_gram, known[k].entry, 1e-14 * 4); /* printed digits */
        if (!isnan(known[k].rho))
            assert_close(g.rho_lower, known[k].rho, 1e-9); /* printed digits */
        assert_true(isnan(g.rho_upper) || g.rho_upper >= g.rho_lower);
    }
}

/* Two entries of a pair exactly on the boundary, and the next double on either side of it. */
static void boundary(void **state)
{
    (void)state;
    for (int side = -1; side <= 1; side++) {
        const double a[] = {1, 0, side * 0x1p-60, 1};
        const fathom_geometry g = compute(a, 2, 2);
        /* Beyond the rounding of AA' all three are whitened; scaled rows are judged as the numbers stand. */
        const double scaled[] = {3, 0, side * 0x1p-60, 1};
        const fathom_geometry h = compute(scaled, 2, 2);
        assert_true(g.whitened && g.spike_free == FATHOM_YES);
        assert_int_equal(h.spike_free, side < 0 ? FATHOM_NO : FATHOM_YES);
        assert_int_equal(h.pair[0] >= 0, side < 0);
    }
}

/* M (n x n, n = 2 or 3) = adjugate of the Gram matrix of the rows of a (n x 4): a positive multiple of its inverse. */
static void adjugate(double m[3][3], const double *a, int64_t n)
{
    double k[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            k[i][j] = 0;
            for (int64_t c = 0; c < 4; c++)
                k[i][j] += a[4 * i + c] * a[4 * j + c];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;
            m[j][i] = k[p][r] * k[q][s] - k[p][s] * k[q][r];
        }
}

/* Lower bound on max_t t_+'Mt_+ / t'Mt: one entry 1, another -e below 0, e over a geometric grid down to 2^-40. Its
 * excess over 1 is 2 e M_ij - e^2 M_jj over t'Mt: positive for small e iff M_ij > 0. */
static double search_ratio(double m[3][3], int64_t n)
{
    double best = 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (double e = 1024; e > 0x1p-40 && i != j; e /= 2)
                best = fmax(best, m[i][i] / (m[i][i] - 2 * e * m[i][j] + e * e * m[j][j]));
    return sqrt(best);
}

static void random_matrices(void **state)
{
    (void)state;
    int64_t free_ones = 0;
    for (int64_t trial = 0; trial < test_trials(400); trial++) {
        double a[12], m[3][3];
        const int64_t n = 2 + trial % 2;
        fathom_random_normals(a, 12, 11, FATHOM_STREAM_START, (uint32_t)trial, 0);
        const fathom_geometry g = compute(a, n, 4);
        assert_int_not_equal(g.spike_free, FATHOM_UNKNOWN);
        adjugate(m, a, n);
        const double ratio = search_ratio(m, n);
        assert_int_equal(g.spike_free == FATHOM_NO, ratio > 1);
        assert_true(g.rho_upper * (1 + 1e-12) >= ratio);
        if (n == 2) { /* two rows: spike-free iff their product is not negative */
            const double dot = a[0] * a[4] + a[1] * a[5] + a[2] * a[6] + a[3] * a[7];
            assert_int_equal(g.spike_free, dot >= 0 ? FATHOM_YES : FATHOM_NO);
        }
        free_ones += g.spike_free == FATHOM_YES;
        assert_int_equal(g.hull_vertices, n);
    }
    assert_true(free_ones > 0);
}

static void generated(void **state)
{
    (void)state;
    fathom_data *data = NULL;
    fathom_geometry g;
    assert_ok(context, fathom_data_open(&data, context, "gen:whitened,n=30,d=40", NULL));
    assert_ok(context, fathom_geometry_compute(&g, context, data, NULL));
    assert_true(g.whitened && g.spike_free == FATHOM_YES && g.rank == 30 && g.hull_vertices == 30);
    fathom_data_free(data);
    assert_ok(context, fathom_data_open(&data, context, "gen:rankone,n=15,d=10", NULL));
    assert_ok(context, fathom_geometry_compute(&g, context, data, NULL));
    assert_true(g.rank_one && !g.whitened && g.hull_vertices == 2);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_matrices), cmocka_unit_test(boundary),
                                       cmocka_unit_test(random_matrices), cmocka_unit_test(generated)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
