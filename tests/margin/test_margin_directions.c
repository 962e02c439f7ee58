/* SPDX-License-Identifier: Apache-2.0 */
/* The best margin over given directions: both ends recomputed from alpha and q, planted answers, files and refusals. */
#include "margin_cases.h"

#include <stdio.h>

#include "fathom/margin.h"
#include "margin_directions.h"

/* min_i of alpha's network and max_k of q's prices, from the definition, in long double. */
static void recompute(double *lower, double *upper, const fathom_directions *p, const double *alpha,
                      const double *q)
{
    long double least = INFINITY, most = 0, norm = 0, sum = 0;
    for (int64_t k = 0; k < p->m; k++)
        norm += fabsl(alpha[k]);
    for (int64_t i = 0; i < p->n; i++)
        sum += q[i];
    for (int64_t i = 0; i < p->n; i++) {
        long double f = 0;
        for (int64_t k = 0; k < p->m; k++) {
            long double z = 0, b = 0;
            for (int64_t l = 0; l < p->d; l++) {
                z += (long double)p->b[k * p->d + l] * p->x[i * p->d + l];
                b += (long double)p->b[k * p->d + l] * p->b[k * p->d + l];
            }
            f += b > 0 && z > 0 ? alpha[k] * p->y[i] * z / sqrtl(b) : 0;
        }
        least = fminl(least, f);
    }
    for (int64_t k = 0; k < p->m; k++) {
        long double price = 0;
        for (int64_t i = 0; i < p->n; i++) {
            long double z = 0, b = 0;
            for (int64_t l = 0; l < p->d; l++) {
                z += (long double)p->b[k * p->d + l] * p->x[i * p->d + l];
                b += (long double)p->b[k * p->d + l] * p->b[k * p->d + l];
            }
            price += b > 0 && z > 0 ? q[i] * p->y[i] * z / sqrtl(b) : 0;
        }
        const double sign = p->sign ? p->sign[k] : 0;
        most = fmaxl(most, sign > 0 ? price : sign < 0 ? -price : fabsl(price));
        if (sign * alpha[k] < 0)
            fail_msg("alpha %d has the wrong sign", (int)k);
    }
    assert_true(norm <= 1 + 1e-12L);
    *lower = (double)fmaxl(0, least), *upper = (double)(most / sum);
}

/* Random data and directions of many sizes, some of them 0 or repeated; the interval closes, and both of its ends are proven. */
static void random_ends(void **state)
{
    fathom_context *context;
    (void)state;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    portable g = {.state = 20};
    for (int trial = 0; trial < 40; trial++) {
        const int64_t n = 2 + trial % 17, d = 1 + trial % 5, m = 1 + (trial * 37) % 300;
        double *x = malloc((size_t)(n * d) * sizeof *x), *y = malloc((size_t)n * sizeof *y);
        double *b = malloc((size_t)(m * d) * sizeof *b), *sign = malloc((size_t)m * sizeof *sign);
        double *alpha = malloc((size_t)m * sizeof *alpha), *q = malloc((size_t)n * sizeof *q), lower, upper;
        for (int64_t k = 0; k < n * d; k++)
            x[k] = portable_normal(&g) * (trial % 7 ? 1 : 1e-3);
        for (int64_t i = 0; i < n; i++)
            y[i] = portable_uniform(&g) < 0.5 ? -1 : 1;
        for (int64_t k = 0; k < m * d; k++)
            b[k] = trial % 6 == 5 && k / d == 0 ? 0 : portable_normal(&g) * pow(10, (double)(k / d % 7) - 3);
        for (int64_t k = 0; k < m; k++)
            sign[k] = portable_normal(&g);
        fathom_directions_margin margin;
        const fathom_directions p = {n, d, m, x, y, b, trial % 2 ? sign : NULL};
        assert_ok(context, fathom_directions_solve(&margin, alpha, q, context, &p, 1e-9));
        recompute(&lower, &upper, &p, alpha, q);
        assert_true(margin.lower <= lower && upper <= margin.upper && margin.lower <= margin.upper);
        double radius = 0; /* programs keep their rows to 1e-12 of their terms */
        for (int64_t k = 0; k < n * d; k++)
            radius = fmax(radius, sqrt((double)d) * fabs(x[k]));
        if (!(margin.upper - margin.lower <= 1e-9 * margin.upper + 4e-12 * radius))
            fail_msg("trial %d: [%.17g, %.17g]", trial, margin.lower, margin.upper);
        free(x), free(y), free(b), free(sign), free(alpha), free(q);
    }
    fathom_context_free(context);
}

static void write_matrix(const char *path, fathom_context *context, int64_t rows, int64_t columns,
                         const double *values)
{
    (void)context;
    FILE *file = fopen(path, "wb");
    char header[118];
    const int length =
        snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                 (int)rows, (int)columns);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[117] = '\n';
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, sizeof header, file);
    fwrite(values, sizeof *values, (size_t)(rows * columns), file);
    fclose(file);
}

/* Parity along the four diagonals of its two bits: 1 / sqrt(8 d), all that any network has; files that do not fit are refused. */
static void files(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_data *data;
    fathom_margin_options options;
    fathom_margin_result *result;
    const char *path = "directions.npy";
    const double b[] = {1, 1, 0, 0, 2, -2, 0, 0, -1, 1, 0, 0, -3, -3, 0, 0};
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_options_init(&options, &fathom_margin_option_table);
    assert_ok(context, fathom_data_open(&data, context, "gen:parity,d=4,all=1", NULL));
    write_matrix(path, context, 4, 4, b);
    options.kind = FATHOM_MARGIN_GLOBAL, options.directions = path;
    assert_ok(context, fathom_margin(&result, context, data, &options));
    const fathom_margin_view view = fathom_margin_look(result);
    assert_true(view.reached && view.exact && view.lower <= 1 / sqrt(32) && 1 / sqrt(32) <= view.upper);
    assert_true(view.upper - view.lower <= 1e-9);
    fathom_margin_free(result);
    options.kind = FATHOM_MARGIN_NTK;
    assert_int_equal(fathom_margin(&result, context, data, &options), FATHOM_ERROR_USAGE);
    options.kind = FATHOM_MARGIN_GLOBAL, options.width = "5";
    assert_int_equal(fathom_margin(&result, context, data, &options), FATHOM_ERROR_USAGE);
    options.width = "inf";
    write_matrix(path, context, 8, 2, b);
    assert_int_equal(fathom_margin(&result, context, data, &options), FATHOM_ERROR_INPUT);
    remove(path);
    fathom_data_free(data);
    fathom_context_free(context);
}

/* The margin along m directions of n points in the plane. */
static fathom_margin_view along(fathom_margin_result **result, fathom_context *context, const char *csv,
                                int64_t m, const double *b)
{
    fathom_data *data;
    fathom_margin_options options;
    FILE *file = fopen("directions.csv", "w");
    assert_non_null(file);
    fputs(csv, file);
    fclose(file);
    write_matrix("directions.npy", context, m, 2, b);
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = FATHOM_MARGIN_GLOBAL, options.directions = "directions.npy";
    assert_ok(context, fathom_data_open(&data, context, "directions.csv", NULL));
    assert_ok(context, fathom_margin(result, context, data, &options));
    fathom_data_free(data);
    remove("directions.csv");
    remove("directions.npy");
    return fathom_margin_look(*result);
}

/* Whether a margin is 0 is decided exactly: of points at a distance e = 10^-k that two neurons tell apart it is about e/6, of equal
 * ones, of a point that no neuron reaches and of rows whose neurons depend on each other it is 0. Either the interval is narrow
 * against its upper end, or it is not called reached. */
static void zero(void **state)
{
    (void)state;
    fathom_context *context;
    fathom_margin_result *result;
    const double two[] = {1, 0, 1, 1}, away[] = {-1, 0, 0, -1}, three[] = {1, 0, 0, 1, 1, 1};
    char csv[200];
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int k = 1; k <= 17; k++) {
        snprintf(csv, sizeof csv, "1,1e-20,1\n1,1e-%d,-1\n", k);
        const fathom_margin_view view = along(&result, context, csv, 2, two);
        const double truth = pow(10, -k) / (2 * (1 + sqrt(2))); /* to first order */
        assert_true(view.lower <= truth * 1.2 && truth * 0.8 <= view.upper);
        assert_non_null(strstr(view.statement, "is positive"));
        assert_true(!view.reached || view.upper - view.lower <= 1e-3 * view.upper);
        assert_true(view.reached || k > 8);
        fathom_margin_free(result);
    }
    const struct {
        const char *csv;
        int64_t m;
        const double *b;
    } none[] = {{"1,2,1\n1,2,-1\n", 2, two},
                {"0.1,0.7,1\n0.3,0.2,-1\n", 2, away},
                {"0.1,0,1\n0,0.1,1\n0.1,0.1,-1\n", 3, three},
                {"0.25,0.5,1\n0.75,1.5,-1\n", 3, three}};
    for (size_t t = 0; t < sizeof none / sizeof *none; t++) {
        const fathom_margin_view view = along(&result, context, none[t].csv, none[t].m, none[t].b);
        assert_true(view.reached && view.lower == 0);
        assert_true(view.upper == 0 && view.q_exact);
        assert_non_null(strstr(view.statement, "margin is 0"));
        fathom_margin_free(result);
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_ends), cmocka_unit_test(files),
                                       cmocka_unit_test(zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
