/* SPDX-License-Identifier: Apache-2.0 */
/* Measures of cones: references, sums, mirror images, the kernel rebuilt, sampling within its intervals. */
#include "with_context.h"

#include <string.h>

#include "awkward.h"
#include "fathom/measure.h"
#include "random.h"

typedef struct instance {
    fathom_data *data;
    fathom_gates *gates;
    fathom_measure *measure;
    fathom_measure_view view;
} instance;

/* All cones of the points, measured by the method (0 auto, 1 exact, 2 sample). */
static instance measured(const double *x, int64_t n, int64_t d, int method)
{
    instance out;
    fathom_measure_options options;
    fathom_options_init(&options, &fathom_measure_option_table);
    options.measure_method = method;
    assert_ok(context, fathom_data_create(&out.data, context, n, d, x, d, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_gates_enumerate(&out.gates, context, out.data));
    assert_ok(context, fathom_gates_measure(&out.measure, out.gates, context, out.data, &options));
    out.view = fathom_measure_look(out.measure);
    assert_int_equal(out.view.m, fathom_gates_look(out.gates).m);
    return out;
}

static void release(instance *it)
{
    fathom_measure_free(it->measure);
    fathom_gates_free(it->gates);
    fathom_data_free(it->data);
}

static double total_error(const instance *it)
{
    double sum = 0;
    for (int64_t j = 0; j < it->view.m; j++)
        sum += it->view.upper[j] - it->view.value[j];
    return sum + 4 * (double)it->view.m * UNIT_ROUNDOFF;
}

/* The three facts, within the stated errors, which must themselves stay below `limit`. */
static void check_facts(const instance *it, double limit)
{
    const double error = total_error(it);
    assert_true(error <= limit);
    assert_close(it->view.sum, 1, error);
    assert_close(it->view.antipodal_difference, 0, error);
    assert_close(it->view.kernel_difference, 0, error + 8 * UNIT_ROUNDOFF);
    assert_int_equal(2 * it->view.antipodal_pairs, it->view.m);
    const double *weight = fathom_gates_look(it->gates).weight;
    assert_memory_equal(weight, it->view.value, (size_t)it->view.m * sizeof *weight);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Reference values F7: count, smallest, largest, sum of squares and median of the cells of portable instances. */
static void cells_agree_with_references(void **state)
{
    (void)state;
    const struct {
        int64_t n, d;
        uint64_t seed;
        int64_t count;
        double least, most, squares, median;
    } row[] = {
        {8, 2, 1, 16, 0.007011817650607509, 0.15036261139346663, 0.09157390205469843, 0.06847799581948111},
        {10, 3, 2, 92, 7.5537660723132524e-06, 0.08513404744144012, 0.038573585563002485,
         0.0034087115471792186},
        {12, 3, 6, 134, 6.989952369931488e-06, 0.07717784926629775, 0.02872627465943413,
         0.002939682013918854},
        {30, 3, 7, 872, 3.0244106503015344e-11, 0.014098205981900966, 0.0043446183864499915,
         0.00039768035151417256}};
    for (size_t k = 0; k < 4; k++) {
        double *x = portable_points(row[k].n, row[k].d, row[k].seed);
        instance it = measured(x, row[k].n, row[k].d, 1);
        check_facts(&it, 1e-12);
        assert_int_equal(it.view.m, row[k].count);
        double *sorted = malloc((size_t)it.view.m * sizeof *sorted), squares = 0;
        memcpy(sorted, it.view.value, (size_t)it.view.m * sizeof *sorted);
        qsort(sorted, (size_t)it.view.m, sizeof *sorted, ascending);
        for (int64_t j = 0; j < it.view.m; j++)
            squares += sorted[j] * sorted[j];
        const int64_t half = it.view.m / 2;
        /* the references are right to about 1e-15 absolutely */
        assert_close(sorted[0], row[k].least, 1e-15);
        assert_close(sorted[it.view.m - 1], row[k].most, 1e-14);
        assert_close(squares, row[k].squares, 1e-14);
        assert_close((sorted[half - 1] + sorted[half]) / 2, row[k].median, 1e-14);
        free(sorted);
        release(&it);
        free(x);
    }
}

/* Cube in three dimensions: 8 cones over triangles, 6 over squares [F7]. Degenerate: rays on three hyperplanes. */
static void cube_has_two_kinds_of_cones(void **state)
{
    (void)state;
    double x[24];
    for (int64_t i = 0; i < 24; i++)
        x[i] = (i / 3) >> (2 - i % 3) & 1 ? 1 : -1;
    instance it = measured(x, 8, 3, 1);
    check_facts(&it, 1e-13);
    int64_t triangles = 0;
    for (int64_t j = 0; j < it.view.m; j++) {
        const bool triangle = it.view.value[j] < 0.07;
        triangles += triangle;
        assert_close(it.view.value[j], triangle ? 0.04386991402295544 : 0.10817344796939272,
                     4 * UNIT_ROUNDOFF);
        assert_close(it.view.log_value[j], log(it.view.value[j]), 4 * UNIT_ROUNDOFF);
    }
    assert_int_equal(triangles, 8);
    assert_int_equal(it.view.m, 14);
    release(&it);
}

/* The 24 mirrors of the 24-cell's group F4 cut R^4 into 1152 congruent cones. Half-integer normals. */
static void reflection_arrangement_in_four_dimensions(void **state)
{
    (void)state;
    double x[24 * 4];
    int64_t n = 0;
    for (int i = 0; i < 4; i++, n++)
        for (int c = 0; c < 4; c++)
            x[n * 4 + c] = c == i;
    for (int s = 0; s < 8; s++, n++)
        for (int c = 0; c < 4; c++)
            x[n * 4 + c] = c > 0 && s >> (c - 1) & 1 ? -0.5 : 0.5;
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            for (int s = 0; s < 2; s++, n++)
                for (int c = 0; c < 4; c++)
                    x[n * 4 + c] = c == i ? 1 : c == j ? (s ? -1 : 1) : 0;
    assert_int_equal(n, 24);
    instance it = measured(x, 24, 4, 1);
    assert_int_equal(it.view.m, 1152);
    for (int64_t j = 0; j < it.view.m; j++)
        assert_close(it.view.value[j], 1.0 / 1152, 1e-14);
    release(&it);
}

/* d = 4 and 5 on random points: the references report 1e-9 to 1e-15; the stated errors must cover the sums. */
static void four_and_five_dimensions(void **state)
{
    (void)state;
    const int64_t shape[][3] = {{7, 4, 5}, {8, 4, 6}, {6, 5, 7}, {7, 5, 8}};
    for (size_t k = 0; k < 4; k += test_briefly() ? 2 : 1) {
        double *x = portable_points(shape[k][0], shape[k][1], (uint64_t)shape[k][2]);
        instance it = measured(x, shape[k][0], shape[k][1], 0);
        assert_string_equal(it.view.method, "simplices");
        check_facts(&it, 1e-8);
        release(&it);
        free(x);
    }
}

/* A column of another size: the facts hold within the stated errors, which stay small. */
static void scaled_columns(void **state)
{
    (void)state;
    for (int64_t d = 2; d <= 5; d++)
        for (int digits = 1; digits <= 9; digits += d == 5 || test_briefly() ? 4 : 1)
            for (int64_t n = d; n <= d + 3 - d / 2; n++)
                for (uint64_t seed = 1; seed <= (uint64_t)test_trials(1); seed++) {
                    double *x = awkward_scaled(n, d, seed + 100 * (uint64_t)n, pow(10, -digits));
                    instance it = measured(x, n, d, 1);
                    check_facts(&it, 1e-10);
                    release(&it);
                    free(x);
                }
}

/* A column that depends on others up to rounding: cones as flat as 2^-53, measured in no time all the
 * same. */
static void dependent_columns(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 5; d++)
        for (uint64_t seed = 1; seed <= (uint64_t)test_trials(1); seed++) {
            double *x = awkward_dependent(d + 1, d, seed);
            instance it = measured(x, d + 1, d, 1);
            check_facts(&it, 1e-10);
            release(&it);
            free(x);
        }
}

/* Sorted values, with room for all. */
static double *sorted_values(const instance *it)
{
    double *sorted = malloc((size_t)it->view.m * sizeof *sorted);
    memcpy(sorted, it->view.value, (size_t)it->view.m * sizeof *sorted);
    qsort(sorted, (size_t)it->view.m, sizeof *sorted, ascending);
    return sorted;
}

/* One more point, orthogonal to all others, halves every cone; a rotation keeps it. Points of integers, the last coordinate
 * over 2^bits, under the rotation by a Hadamard matrix (over 2), which is exact: R^4 against R^3. */
static void one_more_orthogonal_point(void **state)
{
    (void)state;
    enum { N = 5 };
    static const double turn[16] = {1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, 1, -1, -1, 1};
    for (int bits = 3; bits <= 33; bits += 6) {
        double flat[3 * N], x[4 * (N + 1)] = {0}, turned[4 * (N + 1)] = {0};
        double *drawn = portable_points(N, 3, (uint64_t)bits);
        for (int i = 0; i < 3 * N; i++)
            flat[i] = ldexp(round(40 * drawn[i]), i % 3 == 2 ? -bits : 0);
        for (int i = 0; i < N; i++)
            memcpy(x + 4 * i, flat + 3 * i, 3 * sizeof *x);
        x[4 * N + 3] = 1;
        for (int i = 0; i < 16 * (N + 1); i++)
            turned[i / 16 * 4 + i % 4] += x[i / 4] * turn[i / 4 % 4 * 4 + i % 4];
        instance small = measured(flat, N, 3, 1), large = measured(turned, N + 1, 4, 1);
        assert_int_equal(large.view.m, 2 * small.view.m);
        check_facts(&large, 1e-11);
        double *half = sorted_values(&small), *value = sorted_values(&large);
        for (int64_t j = 0; j < large.view.m; j++)
            assert_close(value[j], half[j / 2] / 2, total_error(&large));
        free(half);
        free(value);
        free(drawn);
        release(&small);
        release(&large);
    }
}

/* Orthonormal points in R^d: 2^n cones of measure 2^-n, whatever d: only the rank counts. */
static void rank_counts_not_dimension(void **state)
{
    (void)state;
    enum { D = 9 };
    for (int64_t n = 1; n <= 5; n++) {
        double x[5 * D] = {0};
        for (int64_t i = 0; i < n; i++) {
            x[i * D + (2 * i) % D] = 3;
            x[i * D + (2 * i + 1) % D] = i == 4 ? 0 : -4;
        }
        instance it = measured(x, n, D, 0);
        assert_int_equal(it.view.rank, n);
        assert_int_equal(it.view.m, 1 << n);
        assert_true(it.view.exact);
        for (int64_t j = 0; j < it.view.m; j++)
            assert_close(it.view.value[j], ldexp(1, (int)-n), 64 * UNIT_ROUNDOFF);
        release(&it);
    }
}

/* Two lines 1e-13 apart: the thin arcs keep relative accuracy. */
static void thin_arcs_keep_their_digits(void **state)
{
    (void)state;
    const double x[] = {1, 0, 1, 1e-13};
    const double pattern[] = {0, 1, 1, 0, 1, 1, 0, 0}, thin = 1e-13 / (2 * acos(-1));
    fathom_data *data;
    fathom_gates *gates;
    fathom_measure *measure;
    assert_ok(context, fathom_data_create(&data, context, 2, 2, x, 2, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_gates_from_patterns(&gates, context, data, 4, pattern, 2));
    assert_ok(context, fathom_gates_measure(&measure, gates, context, data, NULL));
    const double *value = fathom_measure_look(measure).value;
    assert_close(value[0], thin, 8 * UNIT_ROUNDOFF * thin);
    assert_close(value[1], thin, 8 * UNIT_ROUNDOFF * thin);
    assert_close(value[2] + value[3], 1 - 2 * thin, 4 * UNIT_ROUNDOFF);
    fathom_measure_free(measure);
    fathom_gates_free(gates);
    fathom_data_free(data);
}

/* Sampling against exact values. Intervals at confidence 1 - 1e-12 for 92 cones: false alarm below 1e-10. */
static void sampling_stays_within_its_intervals(void **state)
{
    (void)state;
    double *x = portable_points(10, 3, 2);
    instance exact = measured(x, 10, 3, 1);
    fathom_measure_options options;
    fathom_options_init(&options, &fathom_measure_option_table);
    options.measure_method = 2;
    options.samples = 20000;
    options.confidence = 1 - 1e-12;
    double *previous = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        fathom_context_set_threads(context, threads);
        fathom_measure *sampled;
        assert_ok(context, fathom_gates_measure(&sampled, exact.gates, context, exact.data, &options));
        const fathom_measure_view view = fathom_measure_look(sampled);
        assert_false(view.exact);
        /* every circle lies in the cones altogether: only rounding to 2^-40 is lost */
        assert_close(view.sum, 1, 20 * 0x1p-40);
        for (int64_t j = 0; j < view.m; j++) {
            assert_true(view.lower[j] <= exact.view.value[j] && exact.view.value[j] <= view.upper[j]);
            assert_true(view.upper[j] - view.lower[j] < 0.05);
        }
        if (previous)
            assert_memory_equal(previous, view.value, (size_t)view.m * sizeof *previous);
        free(previous);
        previous = malloc((size_t)view.m * sizeof *previous);
        memcpy(previous, view.value, (size_t)view.m * sizeof *previous);
        fathom_measure_free(sampled);
    }
    fathom_context_set_threads(context, 0);
    free(previous);
    release(&exact);
    free(x);
}

/* Rank 6 is sampled, and refused where exact measures were asked for. Orthants: 1/64 each. */
static void high_rank_is_sampled(void **state)
{
    (void)state;
    double x[36] = {0};
    for (int64_t i = 0; i < 6; i++)
        x[i * 7] = 1;
    instance it = measured(x, 6, 6, 0);
    assert_string_equal(it.view.method, "circles");
    for (int64_t j = 0; j < it.view.m; j++)
        assert_true(it.view.lower[j] <= it.view.value[j] && it.view.value[j] <= it.view.upper[j]);
    fathom_measure_options options;
    fathom_options_init(&options, &fathom_measure_option_table);
    options.measure_method = 1;
    fathom_measure *refused;
    assert_int_equal(fathom_gates_measure(&refused, it.gates, context, it.data, &options),
                     FATHOM_ERROR_USAGE);
    assert_null(refused);
    release(&it);
}

/* Patterns that no full-dimensional cone has: both of two antipodal points closed, or open. */
static void impossible_patterns_have_measure_zero(void **state)
{
    (void)state;
    const double x[] = {1, 0, -1, 0, 0, 1}, pattern[] = {0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1};
    const double expected[] = {0, 0, 0.25, 0.25};
    fathom_data *data;
    fathom_gates *gates;
    fathom_measure *measure;
    assert_ok(context, fathom_data_create(&data, context, 3, 2, x, 2, 0, NULL, NULL, NULL));
    assert_ok(context, fathom_gates_from_patterns(&gates, context, data, 4, pattern, 3));
    assert_ok(context, fathom_gates_measure(&measure, gates, context, data, NULL));
    for (int64_t j = 0; j < 4; j++)
        assert_close(fathom_measure_look(measure).value[j], expected[j], 2 * UNIT_ROUNDOFF);
    fathom_measure_free(measure);
    fathom_gates_free(gates);
    fathom_data_free(data);
}

/* Two lines of CSV, read back: pattern and numbers. */
static void measures_are_written(void **state)
{
    (void)state;
    const char *path = "test_measure.csv";
    const double x[] = {1, 0};
    instance it = measured(x, 1, 2, 0);
    assert_ok(context, fathom_measure_write(it.measure, it.gates, path));
    FILE *file = fopen(path, "r");
    char line[3][128] = {{0}};
    for (int k = 0; k < 3; k++)
        assert_non_null(fgets(line[k], sizeof line[k], file));
    fclose(file);
    remove(path);
    assert_string_equal(line[0], "pattern,measure,lower,upper,log_measure\n");
    for (int k = 1; k < 3; k++) {
        double value = 0;
        assert_true(line[k][0] == '0' || line[k][0] == '1');
        assert_int_equal(sscanf(line[k] + 1, ",%lf,", &value), 1);
        assert_true(value == 0.5);
    }
    assert_true(line[1][0] != line[2][0]);
    release(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_agree_with_references),
        cmocka_unit_test(cube_has_two_kinds_of_cones),
        cmocka_unit_test(reflection_arrangement_in_four_dimensions),
        cmocka_unit_test(four_and_five_dimensions),
        cmocka_unit_test(scaled_columns),
        cmocka_unit_test(dependent_columns),
        cmocka_unit_test(one_more_orthogonal_point),
        cmocka_unit_test(rank_counts_not_dimension),
        cmocka_unit_test(thin_arcs_keep_their_digits),
        cmocka_unit_test(sampling_stays_within_its_intervals),
        cmocka_unit_test(high_rank_is_sampled),
        cmocka_unit_test(impossible_patterns_have_measure_zero),
        cmocka_unit_test(measures_are_written),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
