/* SPDX-License-Identifier: Apache-2.0 */
/* Families of a prescribed structure, against the structure. */
#include "dataset_testing.h"

static double dot(const double *a, const double *b, int64_t d)
{
    double sum = 0;
    for (int64_t j = 0; j < d; j++)
        sum += a[j] * b[j];
    return sum;
}

static void whitened_rows_are_orthonormal(void **state)
{
    static const char *const spec[] = {"gen:whitened", "gen:whitened,n=40,d=40", "gen:whitened,n=1,d=1"};
    for (int k = 0; k < 3; k++) {
        fathom_data *data = open_plain(*state, spec[k]);
        const fathom_data_view v = fathom_data_look(data);
        for (int64_t i = 0; i < v.n; i++)
            for (int64_t l = 0; l < v.n; l++) /* Gram-Schmidt twice: a small multiple of d roundings */
                assert_close(dot(v.x + i * v.d, v.x + l * v.d, v.d), i == l,
                             4 * (double)(v.d + 2) * UNIT_ROUNDOFF);
        fathom_data_free(data);
    }
}

/* Every 2 x 2 minor vanishes up to the rounding of its four products. */
static void rank_one_minors_vanish(void **state)
{
    fathom_data *data = open_plain(*state, "gen:rankone");
    const fathom_data_view v = fathom_data_look(data);
    assert_true(v.n == 15 && v.d == 10 && v.classes == 0);
    for (int64_t i = 1; i < v.n; i++)
        for (int64_t j = 1; j < v.d; j++) {
            const double a = v.x[0] * v.x[i * v.d + j], b = v.x[j] * v.x[i * v.d];
            assert_close(a, b, 8 * UNIT_ROUNDOFF * fabs(a));
        }
    fathom_data_free(data);
}

/* [003, Ass. 3.1]: means over a direction's points give it up to the noise; here the noise-free parts are recovered
 * by projection: c in [0.8, 0.98] along its own direction, at most 0.05 across. The direction of class k is found as
 * the Cholesky factor of the simplex's Gram matrix. */
static void collapse(void **state)
{
    enum { R = 5, D = 6, N = 50 };
    double b[R][D] = {{0}};
    for (int k = 0; k < R; k++)
        for (int j = 0; j <= k && j < R - 1; j++) {
            double sum = k == j ? 1 : -1.0 / (R - 1);
            for (int l = 0; l < j; l++)
                sum -= b[k][l] * b[j][l];
            b[k][j] = k == j ? sqrt(sum) : sum / b[j][j];
        }
    fathom_data *data = open_plain(*state, "gen:collapse,r=5,d=6,n=50");
    const fathom_data_view v = fathom_data_look(data);
    const double rounding = 20 * UNIT_ROUNDOFF;
    double least = 1, most = 0;
    for (int i = 0; i < N; i++) {
        const double *x = v.x + i * D, *own = b[i % R];
        const double along = dot(x, own, D), across = sqrt(fmax(0, dot(x, x, D) - along * along));
        assert_true(along >= 0.8 - rounding && along <= 0.98 + rounding && across <= 0.05 + 1e3 * rounding);
        assert_true(v.y[i] == (i % R % 2 ? -1 : 1));
        least = fmin(least, across);
        most = fmax(most, across);
    }
    assert_true(least < 0.02 &&
                most > 0.03); /* 50 uniforms on [0, 0.05] miss an end with probability 2e-9 at most */
    fathom_data_free(data);
}

/* d = r - 1 is the smallest dimension; in one dimension nothing is across. */
static void collapse_in_few_dimensions(void **state)
{
    fathom_data *data = open_plain(*state, "gen:collapse,r=2,d=1,n=4");
    const fathom_data_view v = fathom_data_look(data);
    for (int i = 0; i < 4; i++)
        assert_true(v.x[i] * v.y[i] >= 0.8 && v.x[i] * v.y[i] <= 0.98);
    fathom_data_free(data);
    fathom_data_free(open_plain(*state, "gen:collapse,r=3,d=2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        data_test(whitened_rows_are_orthonormal),
        data_test(rank_one_minors_vanish),
        data_test(collapse),
        data_test(collapse_in_few_dimensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
