/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points of polytopes: known distances, recomputed certificates, vertices of hulls. */
#include "with_context.h"

#include <string.h>

#include "blas.h"
#include "hull.h"
#include "min_norm.h"

/* The generator of some reference values (tests/README.md): sums of twelve uniforms. */
static double draw(uint64_t *s)
{
    double sum = 0;
    for (int k = 0; k < 12; k++) {
        *s = *s * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*s >> 11) * 0x1p-53;
    }
    return sum - 6;
}

static double reach_of(const double *b, int64_t n, int64_t d)
{
    double reach = 0;
    for (int64_t i = 0; i < n; i++)
        reach = fmax(reach, fathom_blas_norm(b + i * d, d) * (1 + 0x1p-40));
    return reach;
}

/* Distance of point i from the others: expected, and bracketed by bounds recomputed from x and the weights. */
static void check_point(fathom_min_norm *w, const double *b, int64_t n, int64_t d, int64_t i, double expected)
{
    const double reach = reach_of(b, n, d), zero = fathom_min_norm_zero(d, reach);
    double sum = 0, x[32] = {0}, least = INFINITY;
    fathom_min_norm_solve(w, b, n, b + i * d, i, reach);
    assert_close(w->upper, expected, zero);
    assert_true(w->lower <= w->upper && (expected == 0 || w->lower >= expected - zero));
    for (int64_t k = 0; k < w->count; k++) {
        assert_true(w->weight[k] >= 0 && w->index[k] != i);
        sum += w->weight[k];
        for (int64_t c = 0; c < d; c++)
            x[c] += w->weight[k] * (b[w->index[k] * d + c] - b[i * d + c]);
    }
    assert_close(sum, 1, 8 * (double)(d + 1) * UNIT_ROUNDOFF);
    assert_close(fathom_blas_norm(x, d), w->upper, zero);
    for (int64_t j = 0; j < n && expected > 0; j++) {
        double product = 0;
        for (int64_t c = 0; c < d; c++)
            product += x[c] * (b[j * d + c] - b[i * d + c]);
        least = j == i ? least : fmin(least, product / fathom_blas_norm(x, d));
    }
    assert_true(w->lower <= least + zero);
}

static void plane(void **state)
{
    (void)state;
    static const double b[] = {0, 0, 1, 0, 0, 1, 1, 1, 2, 0.5, 0.4, 0.4};
    const double expected[] = {sqrt(0.32), 1 / sqrt(17), sqrt(0.5), 1 / sqrt(17), 1, 0};
    fathom_min_norm w;
    assert_ok(context, fathom_min_norm_open(&w, context, 6, 2));
    for (int64_t i = 0; i < 6; i++)
        check_point(&w, b, 6, 2, i, expected[i]);
    fathom_min_norm_close(&w);
}

/* First five distances of random sets, from an independent nonnegative least squares (printed to 15 digits). */
static void random_sets(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        int64_t n, d;
        double distance[5];
    } set[] = {
        {51,
         30,
         5,
         {0.256995692422646, 3.04876666170227, 0.803294909490625, 0.87915478962605, 0.754790228738939}},
        {52,
         100,
         27,
         {2.96878197470652, 4.33863351301103, 3.17847696333702, 2.92683214151127, 3.98868168783172}},
        {53, 12, 3, {0, 0, 0.713084150136747, 0.610350967778848, 0.70974829483973}}};
    double b[2700];
    for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
        fathom_min_norm w;
        uint64_t seed = set[k].seed;
        for (int64_t c = 0; c < set[k].n * set[k].d; c++)
            b[c] = draw(&seed);
        assert_ok(context, fathom_min_norm_open(&w, context, set[k].n, set[k].d));
        for (int64_t i = 0; i < 5; i++)
            check_point(&w, b, set[k].n, set[k].d, i, set[k].distance[i]);
        fathom_min_norm_close(&w);
    }
}

/* A 5 x 5 x 5 grid, every point twice, far from the origin: its 8 corners and nothing else. */
static void grid(void **state)
{
    (void)state;
    double x[250 * 3];
    signed char vertex[250];
    fathom_hull_count count;
    for (int64_t i = 0; i < 250; i++) {
        const int64_t p = i / 2;
        x[3 * i] = (double)(p % 5);
        x[3 * i + 1] = 1024 + (double)(p / 5 % 5);
        x[3 * i + 2] = (double)(p / 25) - 1024;
    }
    assert_ok(context, fathom_hull_vertices(&count, vertex, x, 250, 3, 3, context));
    assert_int_equal(count.vertices, 8);
    assert_int_equal(count.undecided, 0);
    for (int64_t i = 0; i < 250; i++) {
        const int64_t p = i / 2;
        const bool corner = (p % 5) % 4 == 0 && (p / 5 % 5) % 4 == 0 && (p / 25) % 4 == 0;
        assert_int_equal(vertex[i], corner && i % 2 == 0);
    }
}

/* Verdicts of the hull agree with the distance of each point from all others, for one thread and for three. */
static void hull_against_distances(void **state)
{
    (void)state;
    double b[400 * 4];
    signed char vertex[400], again[400];
    uint64_t seed = 7;
    fathom_min_norm w;
    fathom_hull_count count;
    for (int64_t k = 0; k < 1600; k++)
        b[k] = draw(&seed);
    fathom_context_set_threads(context, 3);
    assert_ok(context, fathom_hull_vertices(&count, vertex, b, 400, 4, 4, context));
    fathom_context_set_threads(context, 1);
    assert_ok(context, fathom_hull_vertices(&count, again, b, 400, 4, 4, context));
    assert_memory_equal(vertex, again, sizeof vertex);
    assert_int_equal(count.undecided, 0);
    assert_ok(context, fathom_min_norm_open(&w, context, 400, 4));
    for (int64_t i = 0; i < 400; i++) {
        fathom_min_norm_solve(&w, b, 400, b + 4 * i, i, reach_of(b, 400, 4));
        assert_int_equal(vertex[i], w.lower > 0);
    }
    fathom_min_norm_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plane), cmocka_unit_test(random_sets),
                                       cmocka_unit_test(grid), cmocka_unit_test(hull_against_distances)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
