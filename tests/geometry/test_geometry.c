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

/* Reference values (tests/README.md): verdict, the largest off-diagonal entry (15 digits; NaN: none) and
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

enum { ROWS = 5, COLUMNS = 6 };

/* m = inverse of the Gram matrix of the rows of a (n x COLUMNS), by elimination with pivots. */
static void invert_gram(long double m[ROWS][ROWS], const double *a, int64_t n)
{
    long double k[ROWS][ROWS] = {{0}};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) {
            for (int64_t c = 0; c < COLUMNS; c++)
                k[i][j] += (long double)a[COLUMNS * i + c] * a[COLUMNS * j + c];
            m[i][j] = i == j;
        }
    for (int64_t p = 0; p < n; p++) { /* positive definite: the diagonal will do */
        for (int64_t j = 0; j < n; j++)
            m[p][j] /= k[p][p];
        for (int64_t j = n - 1; j >= 0; j--)
            k[p][j] /= k[p][p];
        for (int64_t i = 0; i < n; i++) {
            const long double f = k[i][p];
            for (int64_t j = 0; j < n && i != p; j++) {
                m[i][j] -= f * m[p][j];
                k[i][j] -= f * k[p][j];
            }
        }
    }
}

/* Numerical maximisation of rho^2 = t_+'Mt_+ / t'Mt over t = Au: from every start with one entry 1 and another -e, e on a geometric
 * grid: rho > 1 exactly where one of them says so. */
static double maximise_ratio(long double m[ROWS][ROWS], int64_t n)
{
    long double best = 1;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (long double e = 1024; e > 0x1p-40L && i != j; e /= 4) {
                const long double whole = m[i][i] - 2 * e * m[i][j] + e * e * m[j][j];
                best = fmaxl(best, m[i][i] / whole);
            }
    return (double)sqrtl(best);
}

/* Ten thousand matrices (of which every n and both verdicts): the decision, its pair and both ends of rho. */
static void random_matrices(void **state)
{
    (void)state;
    int64_t count[ROWS + 1][2] = {{0}};
    for (int64_t trial = 0; trial < test_trials(10000); trial++) {
        double a[ROWS * COLUMNS];
        long double m[ROWS][ROWS];
        const int64_t n = 2 + trial % (ROWS - 1);
        fathom_random_normals(a, ROWS * COLUMNS, 11, FATHOM_STREAM_START, (uint32_t)trial, 0);
        for (int64_t k = 0; k < ROWS * COLUMNS; k++)
            a[k] += (double)(trial % 3); /* acute rows, so that large n have spike-free ones */
        fathom_geometry_options options;
        fathom_options_init(&options, &fathom_geometry_option_table);
        options.skip_hull = trial % 16 != 0;
        fathom_geometry g;
        fathom_data *data = NULL;
        assert_ok(context, fathom_data_create(&data, context, n, COLUMNS, a, COLUMNS, 0, NULL, NULL, NULL));
        assert_ok(context, fathom_geometry_compute(&g, context, data, &options));
        fathom_data_free(data);
        invert_gram(m, a, n);
        const double ratio = maximise_ratio(m, n);
        assert_int_equal(g.spike_free, ratio > 1 ? FATHOM_NO : FATHOM_YES);
        if (g.spike_free == FATHOM_NO)
            assert_true(m[g.pair[0]][g.pair[1]] > 0);
        /* both ends; what the search above attains is below the truth */
        assert_true(g.rho_upper * (1 + 1e-12) >= ratio && g.rho_upper >= g.rho_lower);
        assert_true(g.spike_free == FATHOM_YES ? g.rho_lower == 1 : g.rho_lower >= ratio * (1 - 1e-9));
        count[n][g.spike_free == FATHOM_YES]++;
        assert_true(options.skip_hull || g.hull_vertices == n);
    }
    for (int64_t n = 2; n <= ROWS; n++)
        assert_true(count[n][0] > 0 && count[n][1] > 0);
}

/* 001, Lemma 2.3 as printed looks only at u with (Au)_+ in the range of A; A = (1,-1)' passes it with u = 0 and is not spike-free.
 * 001, Sec. 2.2: orthonormal columns (n > d) are not spike-free, orthonormal rows (n <= d) are. */
static void printed_criteria(void **state)
{
    (void)state;
    const double one[] = {1, -1};
    assert_int_equal(compute(one, 2, 1).spike_free, FATHOM_NO);
    const double c = 1 / sqrt(2), columns[] = {c, 0, 0, 1, -c, 0}, rows[] = {c, 0, -c, 0, 1, 0};
    assert_int_equal(compute(columns, 3, 2).spike_free, FATHOM_NO);
    assert_int_equal(compute(rows, 2, 3).spike_free, FATHOM_YES);
}

/* 001, Theorem 3.4: the probability of rho > 1 does not tend to 0 with d. For n = 2 the verdict is the sign of a_1'a_2, an even
 * chance in every dimension; rho itself does tend to 1. */
static void two_rows_in_high_dimension(void **state)
{
    (void)state;
    enum { D = 1000, TRIALS = 100 };
    double a[2 * D];
    int64_t spikes = 0;
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        double dot = 0;
        fathom_random_normals(a, 2 * D, 13, FATHOM_STREAM_START, trial, 0);
        for (int64_t k = 0; k < D; k++)
            dot += a[k] * a[D + k];
        const fathom_geometry g = compute(a, 2, D);
        assert_int_equal(g.spike_free, dot < 0 ? FATHOM_NO : FATHOM_YES);
        assert_true(g.rho_upper < 1.02); /* |cos| beyond 0.19 is 6 standard deviations: 2e-9 per draw */
        spikes += dot < 0;
    }
    /* binomial(100, 1/2): outside [19, 81] with probability 2e-10 */
    assert_true(spikes > 18 && spikes < 82);
}

/* 001, Theorem 3.6: its condition implies n <= d + 1, where points in general position are a simplex: all are vertices. */
static void simplices(void **state)
{
    (void)state;
    double a[11 * 10];
    for (uint32_t trial = 0; trial < 20; trial++) {
        const int64_t d = 1 + trial % 10;
        fathom_random_normals(a, (d + 1) * d, 14, FATHOM_STREAM_START, trial, 0);
        assert_int_equal(compute(a, d + 1, d).hull_vertices, d + 1);
    }
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_matrices),
                                       cmocka_unit_test(boundary),
                                       cmocka_unit_test(random_matrices),
                                       cmocka_unit_test(printed_criteria),
                                       cmocka_unit_test(two_rows_in_high_dimension),
                                       cmocka_unit_test(simplices),
                                       cmocka_unit_test(generated)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
