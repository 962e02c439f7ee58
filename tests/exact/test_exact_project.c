/* SPDX-License-Identifier: Apache-2.0 */
/* Projections in rational arithmetic: against the ones in doubles where those are good, and where a thin cone
 * is seen from afar against its closed form. */
#include "testing.h"

#include "exact_project.h"
#include "random.h"

enum { MOST = 10, COLUMNS = 4 };

/* |p + sum mu s x| and the least s_i <x_i, u> over |x_i||u| in doubles. */
static double length_in_doubles(double *least, const double *x, const double *c, const double *s, int64_t n,
                                int64_t d, int64_t count, const int64_t *tight, const double *mu)
{
    double u[COLUMNS] = {0}, square = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < d; k++)
            u[k] += c[i] * x[i * d + k];
    for (int64_t a = 0; a < count; a++)
        for (int64_t k = 0; k < d; k++)
            u[k] += mu[a] * s[tight[a]] * x[tight[a] * d + k];
    for (int64_t k = 0; k < d; k++)
        square += u[k] * u[k];
    *least = 0;
    for (int64_t i = 0; i < n; i++) {
        double product = 0;
        for (int64_t k = 0; k < d; k++)
            product += s[i] * x[i * d + k] * u[k];
        *least = fmin(*least, product);
    }
    return sqrt(square);
}

/* Optimality: mu >= 0, u in the cone, mu orthogonal to what is left (implied by the first two and |u|^2 = <p,
 * u>). */
static void random_cones(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(40); seed++) {
        const int64_t d = 2 + (int64_t)(seed % 3), n = d + (int64_t)(seed % 6);
        double x[MOST * COLUMNS], c[MOST], s[MOST], w[COLUMNS], mu[MOST], length, least, size = 1;
        int64_t count, tight[MOST];
        fathom_random_normals(x, n * d, seed, FATHOM_STREAM_DATA, 0, 0);
        fathom_random_normals(c, n, seed, FATHOM_STREAM_LABEL, 0, 0);
        fathom_random_normals(w, d, seed, FATHOM_STREAM_LABEL, 1, 0);
        for (int64_t i = 0; i < n; i++) {
            double side = 0;
            for (int64_t k = 0; k < d; k++) {
                side += x[i * d + k] * w[k];
                size += fabs(c[i] * x[i * d + k]);
            }
            s[i] = side > 0 ? 1 : -1;
        }
        fathom_exact_rows *rows;
        assert_ok(context, fathom_exact_rows_open(&rows, context, n, d, x));
        for (int twice = 0; twice < 2; twice++) /* nothing is left of the one before */
            assert_ok(context, fathom_exact_project(&length, &count, tight, mu, rows, c, s));
        fathom_exact_rows_close(rows);
        for (int64_t a = 0; a < count; a++) {
            assert_true(mu[a] >= 0);
            size += mu[a] * 10;
        }
        assert_true(count <= d);
        const double same = length_in_doubles(&least, x, c, s, n, d, count, tight, mu);
        assert_close(length, same, 64 * MOST * UNIT_ROUNDOFF * size);
        assert_true(least >= -64 * MOST * UNIT_ROUNDOFF * size * 10);
    }
    fathom_context_free(context);
}

/* Rows (N, 1) and (N, -1), open on the first and closed on the second: u_2 >= N |u_1|, a cone of width 2 / N.
 * p = (N, 1) has the nearest point on the ray (1, N), at 2 N / sqrt(1 + N^2), while |p| is about N. */
static void thin_cone_from_afar(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int e = 0; e <= 40; e += 8) {
        const double far = ldexp(1, e), x[4] = {far, 1, far, -1}, c[2] = {1, 0}, s[2] = {1, -1};
        const double right = 2 / sqrt(1 + 1 / far / far);
        double mu[2], length;
        int64_t count, tight[2];
        fathom_exact_rows *rows;
        assert_ok(context, fathom_exact_rows_open(&rows, context, 2, 2, x));
        assert_ok(context, fathom_exact_project(&length, &count, tight, mu, rows, c, s));
        fathom_exact_rows_close(rows);
        assert_int_equal(count, e == 0 ? 0 : 1);
        assert_true(length >= right * (1 - 4 * UNIT_ROUNDOFF));
        assert_close(length, e == 0 ? sqrt(2) : right, 32 * UNIT_ROUNDOFF * far);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_cones),
        cmocka_unit_test(thin_cone_from_afar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
