/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel matrices: closed forms, the papers' formulas, exact symmetry, same bits, spectra of the data examples. */
#include "with_context.h"

#include <string.h>
#include <unistd.h>

#include "fathom/kernel.h"
#include "inner/kernel.h"
#include "array.h"
#include "portable.h"
#include "random.h"

/* The kernel matrix of points x (n x d); layers 0: first, 1: both. */
static double *kernel_of(const double *x, int64_t n, int64_t d, int layers, int64_t width, double factor)
{
    fathom_data *data;
    fathom_kernel *kernel;
    fathom_kernel_options options;
    fathom_options_init(&options, &fathom_kernel_option_table);
    options.layers = layers;
    options.width = width;
    options.factor = factor;
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_kernel_create(&kernel, context, data, &options));
    double *k = malloc((size_t)(n * n) * sizeof *k);
    assert_ok(context, fathom_kernel_fill(k, n, kernel));
    assert_int_equal(fathom_kernel_size(kernel), n);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
    return k;
}

/* <x, x'> (pi - theta) / (2 pi), theta = 2 atan2(|u - v|, |u + v|), in long double; both: with the second layer. */
static double reference(const double *x, const double *y, int64_t d, bool both)
{
    long double xx = 0, yy = 0, xy = 0, minus = 0, plus = 0;
    for (int64_t k = 0; k < d; k++) {
        xx += (long double)x[k] * x[k];
        yy += (long double)y[k] * y[k];
        xy += (long double)x[k] * y[k];
    }
    for (int64_t k = 0; k < d; k++) {
        const long double u = x[k] / sqrtl(xx), v = y[k] / sqrtl(yy);
        minus += (u - v) * (u - v);
        plus += (u + v) * (u + v);
    }
    const long double theta = 2 * atan2l(sqrtl(minus), sqrtl(plus)), pi = acosl(-1);
    const long double first = xy * (pi - theta) / (2 * pi);
    return (double)(both ? 2 * first + sqrtl(xx * yy) * sinl(theta) / (2 * pi) : first);
}

static double norm(const double *x, int64_t d)
{
    double sum = 0;
    for (int64_t k = 0; k < d; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/* The bound that kernel.h states, for every entry; symmetry to the bit. */
static void check_entries(const double *x, int64_t n, int64_t d)
{
    for (int layers = 0; layers < 2; layers++) {
        double *k = kernel_of(x, n, d, layers, 0, 1);
        const double bound = (double)(d + 10) * 0x1p-52 * (layers ? 3 : 1);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                assert_close(k[i * n + j], reference(x + i * d, x + j * d, d, layers),
                             bound * norm(x + i * d, d) * norm(x + j * d, d));
                assert_true(k[i * n + j] == k[j * n + i]);
            }
        free(k);
    }
}

static void entries_are_within_the_stated_bound(void **state)
{
    (void)state;
    const int64_t shape[][2] = {{5, 1}, {40, 2}, {300, 7}, {50, 100}};
    for (size_t s = 0; s < 4; s++) {
        const int64_t n = shape[s][0], d = shape[s][1];
        double *x = malloc((size_t)(n * d) * sizeof *x);
        fathom_random_normals(x, n * d, 11, FATHOM_STREAM_DATA, (uint32_t)s, 0);
        check_entries(x, n, d);
        free(x);
    }
}

/* Clusters: every second point is its neighbour plus 1e-8, 1e-10, ... of noise, or the negative of that. The
 * cosine alone would leave errors near 1e-8. */
static void near_parallel_points_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 60, D = 6 };
    double x[N * D], noise[N * D];
    fathom_random_normals(x, N * D, 12, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(noise, N * D, 12, FATHOM_STREAM_DATA, 1, 0);
    for (int64_t i = 1; i < N; i += 2)
        for (int64_t k = 0; k < D; k++) {
            const double near = x[(i - 1) * D + k] + pow(10, -2.0 - (double)(i % 13)) * noise[i * D + k];
            x[i * D + k] = i % 4 == 1 ? near : -3 * near;
        }
    check_entries(x, N, D);
}

/* Overflow and underflow of squared norms must not matter while the entries are representable. */
static void large_and_small_scales(void **state)
{
    (void)state;
    const double x[] = {3e70, 4e70, -1e70, 2e70}, y[] = {3e-70, 4e-70, -1e-70, 2e-70}, far[] = {3e150, 1};
    fathom_data *data;
    fathom_kernel *refused = NULL;
    fathom_kernel_options options;
    fathom_options_init(&options, &fathom_kernel_option_table);
    assert_ok(context, fathom_data_create(&data, context, 1, 2, far, 2, 0, NULL, NULL, NULL));
    assert_int_equal(fathom_kernel_create(&refused, context, data, &options), FATHOM_ERROR_INPUT);
    fathom_data_free(data);
    double *big = kernel_of(x, 2, 2, 0, 0, 1), *small = kernel_of(y, 2, 2, 0, 0, 1);
    assert_close(big[0] * 1e-140, 12.5, 12 * 0x1p-52 * 25);
    assert_close(small[0] * 1e140, 12.5, 12 * 0x1p-52 * 25);
    assert_close(big[1] * 1e-140, small[1] * 1e140, 24 * 0x1p-52 * 25);
    free(big);
    free(small);
}

/* A zero point has a zero row. */
static void zero_point_has_zero_row(void **state)
{
    (void)state;
    const double x[] = {1, 2, 0, 0, -1, 1};
    for (int layers = 0; layers < 2; layers++) {
        double *k = kernel_of(x, 3, 2, layers, 0, 1);
        for (int64_t j = 0; j < 3; j++)
            assert_true(k[3 + j] == 0 && k[3 * j + 1] == 0);
        free(k);
    }
}

static void rows_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    enum { N = 700, D = 9 };
    double *x = malloc(N * D * sizeof *x), *rows = malloc(N * N * sizeof *rows), *first = NULL;
    fathom_random_normals(x, N * D, 13, FATHOM_STREAM_DATA, 0, 0);
    for (int threads = 1; threads <= 3; threads++) {
        fathom_context_set_threads(context, threads);
        double *k = kernel_of(x, N, D, 1, 0, 1);
        if (first)
            assert_memory_equal(first, k, N * N * sizeof *k);
        free(first);
        first = k;
    }
    fathom_context_set_threads(context, 0);
    fathom_data *data;
    fathom_kernel *kernel;
    fathom_kernel_options options;
    fathom_options_init(&options, &fathom_kernel_option_table);
    options.layers = 1;
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_kernel_create(&kernel, context, data, &options));
    assert_ok(context, fathom_kernel_fill_rows(rows, N, kernel, 0, 100));
    assert_ok(context, fathom_kernel_fill_rows(rows + 100 * N, N, kernel, 100, 450));
    assert_ok(context, fathom_kernel_fill_rows(rows + 550 * N, N, kernel, 550, N - 550));
    assert_memory_equal(rows, first, N * N * sizeof *rows);
    assert_int_equal(fathom_kernel_fill_rows(rows, N, kernel, 600, 101), FATHOM_ERROR_USAGE);
    /* against itself, the kernel between two sets is the matrix again, within twice the bound of an entry */
    assert_ok(context, fathom_kernel_cross(rows, N, kernel, data));
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            assert_close(rows[i * N + j], first[i * N + j],
                         6 * (D + 10) * 0x1p-52 * norm(x + i * D, D) * norm(x + j * D, D));
    fathom_kernel_free(kernel);
    fathom_data_free(data);
    free(x);
    free(rows);
    free(first);
}

/* [001, Sec. 7] without bias: K_ij = 2 a_i a_j for equal signs, 0 otherwise: rank two. Values: convex oracles. */
static void one_dimensional_kernel_has_rank_two(void **state)
{
    (void)state;
    const double a[] = {-2, -1, 0.5, 1, 2};
    double *k = kernel_of(a, 5, 1, 1, 0, 2);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 5; j++)
            assert_close(k[i * 5 + j], a[i] * a[j] > 0 ? 2 * a[i] * a[j] : 0, 4 * 4 * UNIT_ROUNDOFF);
    fathom_spectrum s;
    assert_ok(context, fathom_spectrum_compute(&s, k, 5, 5, context));
    assert_close(s.lambda_max, 10.5, 1e-12);
    assert_true(s.lambda_min_lower <= 0 && s.lambda_min_upper >= -1e-14 && s.lambda_min_upper < 1e-12);
    free(k);
}

/* kappa(u) = u kappa_0 + kappa_1 of [001, Sec. 7] on (a, 1): the version with biases. */
static void one_dimensional_kernel_with_bias(void **state)
{
    (void)state;
    const double a[] = {-2, -1, 0, 0.5, 3};
    fathom_data_options options;
    fathom_options_init(&options, &fathom_data_option_table);
    options.bias = FATHOM_BIAS_AUGMENT;
    fathom_kernel_options kernel_options;
    fathom_options_init(&kernel_options, &fathom_kernel_option_table);
    kernel_options.layers = 1;
    kernel_options.factor = 2;
    fathom_data *data;
    fathom_kernel *kernel;
    double k[25];
    assert_ok(context, fathom_data_create(&data, context, 5, 1, a, 1, 0, NULL, NULL, &options));
    assert_ok(context, fathom_kernel_create(&kernel, context, data, &kernel_options));
    assert_ok(context, fathom_kernel_fill(k, 5, kernel));
    const double pi = acos(-1);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 5; j++) {
            if (i == j)
                continue;
            const double size = sqrt((a[i] * a[i] + 1) * (a[j] * a[j] + 1)), u = (a[i] * a[j] + 1) / size;
            const double k0 = (pi - acos(u)) / pi, k1 = (u * (pi - acos(u)) + sqrt(1 - u * u)) / pi;
            assert_close(k[i * 5 + j], size * (u * k0 + k1), 64 * UNIT_ROUNDOFF * size);
        }
    fathom_kernel_free(kernel);
    fathom_data_free(data);
}

/* lambda_min and lambda_max of H, margins oracles F6 and F1 (portable instances A, B, C), to 1e-12. */
static void spectra_of_portable_instances(void **state)
{
    (void)state;
    const struct {
        int64_t n, d;
        uint64_t seed;
        double smallest, largest;
    } instance[] = {{8, 2, 1, 0.0067631679740024955, 1.6972143446185806},
                    {10, 3, 2, 0.025342314920830188, 2.0380183779352037},
                    {20, 5, 3, 0.06096059968718813, 1.725190917126134}};
    for (size_t k = 0; k < 3; k++) {
        double *x = portable_points(instance[k].n, instance[k].d, instance[k].seed);
        double *h = kernel_of(x, instance[k].n, instance[k].d, 0, 0, 1);
        fathom_spectrum s;
        assert_ok(context, fathom_spectrum_compute(&s, h, instance[k].n, instance[k].n, context));
        assert_close(s.lambda_min, instance[k].smallest, 1e-12);
        assert_close(s.lambda_max, instance[k].largest, 1e-12);
        assert_close(s.lambda_min_upper, s.lambda_min_lower, 1e-12);
        free(x);
        free(h);
    }
}

/* Circle: H is circulant, eigenvalues sum_j h_j cos(2 pi j k / n). Even n >= 6: lambda_min = 0 [F6]. */
static void spectra_of_circles(void **state)
{
    (void)state;
    const int64_t sizes[] = {4, 5, 6, 7, 8, 12, 33, 64};
    const double pi = acos(-1);
    for (size_t k = 0; k < 8; k++) {
        const int64_t n = sizes[k];
        double *x = circle_points(n), *h = kernel_of(x, n, 2, 0, 0, 1);
        double smallest = INFINITY, largest = -INFINITY;
        for (int64_t f = 0; f < n; f++) {
            double value = 0;
            for (int64_t j = 0; j < n; j++) {
                const double angle = 2 * pi * (double)(2 * j <= n ? j : n - j) / (double)n;
                value += cos(angle) * (pi - angle) / (2 * pi) * cos(2 * pi * (double)(j * f % n) / (double)n);
            }
            smallest = fmin(smallest, value);
            largest = fmax(largest, value);
        }
        if (n % 2 == 0 && n >= 6)
            smallest = 0;
        fathom_spectrum s;
        assert_ok(context, fathom_spectrum_compute(&s, h, n, n, context));
        assert_close(s.lambda_min, smallest, 1e-12);
        assert_close(s.lambda_max, largest, 1e-12);
        /* the stored matrix is within the stated bound of H entry by entry, n times that in norm */
        const double distance = (double)n * 12 * 0x1p-52;
        assert_true(s.lambda_min_lower - distance <= smallest && smallest <= s.lambda_min_upper + distance);
        free(x);
        free(h);
    }
}

/* Cube: eigenvalue 0 once (odd functions of antipodal pairs), largest 2; unit norm: 2/3 [F6]. */
static void spectrum_of_the_cube(void **state)
{
    (void)state;
    double x[24];
    for (int64_t i = 0; i < 24; i++)
        x[i] = (i / 3) >> (2 - i % 3) & 1 ? 1 : -1;
    double *h = kernel_of(x, 8, 3, 0, 0, 1);
    fathom_spectrum s;
    assert_ok(context, fathom_spectrum_compute(&s, h, 8, 8, context));
    assert_close(s.lambda_min, 0, 1e-12);
    assert_close(s.lambda_max, 2, 1e-12);
    assert_close(s.trace, 12, 1e-12);
    assert_true(!isfinite(s.condition));
    free(h);
}

/* Finite width against its definition: <x_i, x_j> times the exact share of common gates. */
static void finite_width_counts_common_gates(void **state)
{
    (void)state;
    enum { N = 30, D = 4, M = 1000 };
    double x[N * D], v[M * D], *h;
    fathom_random_normals(x, N * D, 14, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(v, M * D, fathom_context_seed(context), FATHOM_STREAM_GATE, 0, 0);
    h = kernel_of(x, N, D, 0, M, 1);
    double *both = kernel_of(x, N, D, 1, M, 1);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++) {
            int64_t count = 0;
            double inner = 0, second = 0;
            for (int64_t k = 0; k < D; k++)
                inner += x[i * D + k] * x[j * D + k];
            for (int64_t g = 0; g < M; g++) {
                double a = 0, b = 0;
                for (int64_t k = 0; k < D; k++) {
                    a += x[i * D + k] * v[g * D + k];
                    b += x[j * D + k] * v[g * D + k];
                }
                count += a > 0 && b > 0;
                second += a > 0 && b > 0 ? a * b / M : 0;
            }
            const double size = norm(x + i * D, D) * norm(x + j * D, D);
            assert_close(h[i * N + j], inner * (double)count / M, (D + 8) * 0x1p-52 * size);
            assert_close(both[i * N + j] - h[i * N + j], second, (M + D + 8) * 0x1p-52 * size * 2);
        }
    free(h);
    free(both);
}

/* Hoeffding: each entry is |x||x'| times a mean of M draws in [-1, 1]; P(|error| > e) <= 2 exp(-M e^2 / 2) per pair.
 * With M = 20000 and e = 0.06 that is 5e-16 a pair, below 1e-12 for all pairs. */
static void finite_width_tends_to_closed_form(void **state)
{
    (void)state;
    enum { N = 40, D = 5, M = 20000 };
    double x[N * D];
    fathom_random_normals(x, N * D, 15, FATHOM_STREAM_DATA, 0, 0);
    double *h = kernel_of(x, N, D, 0, M, 1), *limit = kernel_of(x, N, D, 0, 0, 1);
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < N; j++)
            assert_close(h[i * N + j], limit[i * N + j], 0.06 * norm(x + i * D, D) * norm(x + j * D, D));
    free(h);
    free(limit);
}

/* Weighted gates by hand: two patterns with equal weights, given without orientations. */
static void given_patterns(void **state)
{
    (void)state;
    const double x[] = {1, 0, 1, 1, 0, 2}, pattern[] = {1, 1, 0, 0, 1, 1};
    const double expected[] = {0.5, 0.5, 0, 0.5, 2, 1, 0, 1, 2};
    fathom_data *data;
    fathom_gates *gates;
    fathom_kernel *kernel;
    double k[9];
    assert_ok(context, fathom_data_create(&data, context, 3, 2, x, 2, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_gates_from_patterns(&gates, context, data, 2, pattern, 3));
    assert_ok(context, fathom_kernel_create_gates(&kernel, context, data, gates, 1));
    assert_ok(context, fathom_kernel_fill(k, 3, kernel));
    for (int64_t i = 0; i < 9; i++)
        assert_close(k[i], expected[i], 16 * UNIT_ROUNDOFF);
    fathom_kernel_free(kernel);
    fathom_gates_free(gates);
    fathom_data_free(data);
}

/* The file holds the bits that fathom_kernel_fill gives, and the bounds of one pass hold the spectrum. */
static void streamed_file_holds_the_same_bits(void **state)
{
    (void)state;
    enum { N = 530, D = 3 };
    const char *path = "test_kernel.npy";
    double *x = portable_points(N, D, 9), *k = kernel_of(x, N, D, 0, 0, 1);
    fathom_data *data;
    fathom_kernel *kernel;
    fathom_kernel_summary summary;
    fathom_spectrum spectrum;
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_kernel_create(&kernel, context, data, NULL));
    for (int whole = 0; whole < 2; whole++) {
        fathom_bytes *bytes;
        fathom_array array = {0};
        assert_ok(context, whole ? fathom_kernel_write_matrix(kernel, path, k, N)
                                 : fathom_kernel_write(kernel, path, &summary));
        assert_ok(context, fathom_bytes_open(&bytes, context, path));
        assert_ok(context, fathom_npy_read(&array, bytes));
        assert_true(array.rank == 2 && array.shape[0] == N && array.shape[1] == N);
        assert_memory_equal(array.values, k, N * N * sizeof *k);
        fathom_array_free(context, &array);
        fathom_bytes_close(bytes);
    }
    assert_ok(context, fathom_spectrum_compute(&spectrum, k, N, N, context));
    assert_true(spectrum.lambda_min_lower <= summary.lambda_min_upper);
    assert_true(summary.lambda_max_lower <= spectrum.lambda_max_upper);
    assert_true(spectrum.lambda_max_lower <= summary.lambda_max_upper);
    assert_close(summary.trace, spectrum.trace, N * N * UNIT_ROUNDOFF);
    unlink(path);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
    free(x);
    free(k);
}

/* Every allocation fails once: ERROR_MEMORY, and nothing is left behind (the leak checker of the sanitizer job). */
static void *failing_allocate(void *user, size_t size)
{
    int64_t *left = user;
    return (*left)-- > 0 ? malloc(size) : NULL;
}

static void *failing_resize(void *user, void *block, size_t size)
{
    int64_t *left = user;
    return (*left)-- > 0 ? realloc(block, size) : NULL;
}

static void plain_release(void *user, void *block)
{
    (void)user;
    free(block);
}

/* Matrix and spectrum of a small finite-width kernel of both layers. */
static fathom_status whole_computation(fathom_context *own)
{
    const double x[] = {1, 0, 0, 1, 1, 1};
    fathom_kernel_options options;
    fathom_options_init(&options, &fathom_kernel_option_table);
    options.layers = 1;
    options.width = 10;
    fathom_data *data = NULL;
    fathom_kernel *kernel = NULL;
    double k[9];
    fathom_spectrum spectrum;
    fathom_status status = fathom_data_create(&data, own, 3, 2, x, 2, 0, NULL, NULL, NULL);
    if (status == FATHOM_OK)
        status = fathom_kernel_create(&kernel, own, data, &options);
    if (status == FATHOM_OK)
        status = fathom_kernel_fill(k, 3, kernel);
    if (status == FATHOM_OK)
        status = fathom_spectrum_compute(&spectrum, k, 3, 3, own);
    fathom_kernel_free(kernel);
    fathom_data_free(data);
    return status;
}

static void failed_allocations_are_reported(void **state)
{
    (void)state;
    bool done = false;
    for (int64_t limit = 0; limit < 200 && !done; limit++) {
        int64_t left = limit;
        const fathom_allocator allocator = {failing_allocate, failing_resize, plain_release, &left};
        fathom_context *own = NULL;
        fathom_status status = fathom_context_create(&own, &allocator);
        if (status == FATHOM_OK)
            status = whole_computation(own);
        assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
        done = status == FATHOM_OK;
        fathom_context_free(own);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_are_within_the_stated_bound),
        cmocka_unit_test(near_parallel_points_keep_their_digits),
        cmocka_unit_test(large_and_small_scales),
        cmocka_unit_test(zero_point_has_zero_row),
        cmocka_unit_test(rows_and_threads_give_the_same_bits),
        cmocka_unit_test(one_dimensional_kernel_has_rank_two),
        cmocka_unit_test(one_dimensional_kernel_with_bias),
        cmocka_unit_test(spectra_of_portable_instances),
        cmocka_unit_test(spectra_of_circles),
        cmocka_unit_test(spectrum_of_the_cube),
        cmocka_unit_test(finite_width_counts_common_gates),
        cmocka_unit_test(finite_width_tends_to_closed_form),
        cmocka_unit_test(given_patterns),
        cmocka_unit_test(streamed_file_holds_the_same_bits),
        cmocka_unit_test(failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
