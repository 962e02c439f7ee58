/* SPDX-License-Identifier: Apache-2.0 */
#include "with_context.h"

#include <string.h>

#include <flint/fmpz.h>

#include "awkward.h"
#include "cones_internal.h"
#include "exact_dot.h"
#include "faces.h"
#include "fathom/cones.h"
#include "patterns.h"
#include "random.h"
#include "restriction.h"

static fathom_data *make_data(int64_t n, int64_t d, const double *x)
{
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, n, d, x, d, 0, NULL, NULL, NULL));
    return data;
}

/* Every gate: bits exact at its orientation and orientation on no hyperplane; tree: parent before child, flips are the
 * differences, and these are the points of one hyperplane. */
static void check_tree(const fathom_gates *gates, const fathom_data *data)
{
    const fathom_gates_view g = fathom_gates_look(gates);
    const fathom_data_view x = fathom_data_look(data);
    uint64_t pattern[8];
    assert_true(g.words <= 8);
    for (int64_t j = 0; j < g.m; j++) {
        for (int64_t i = 0; i < g.n; i++) {
            const int sign = fathom_exact_dot_sign(g.d, x.x + i * x.ld, g.orientation + j * g.d);
            double size = 0;
            for (int64_t k = 0; k < g.d; k++)
                size += fabs(x.x[i * x.ld + k]);
            assert_true(sign != 0 || size == 0);
            assert_int_equal(fathom_pattern_bit(g.bits + j * g.words, i), sign > 0);
        }
        assert_true(g.parent[j] < j && (g.parent[j] >= 0) == (j > 0));
        if (j == 0)
            continue;
        memcpy(pattern, g.bits + g.parent[j] * g.words, (size_t)g.words * sizeof *pattern);
        for (int64_t k = g.flip_start[j]; k < g.flip_start[j + 1]; k++)
            pattern[g.flip[k] / 64] ^= (uint64_t)1 << (g.flip[k] % 64);
        assert_memory_equal(pattern, g.bits + j * g.words, (size_t)g.words * sizeof *pattern);
        const double *first = x.x + g.flip[g.flip_start[j]] * x.ld;
        for (int64_t k = g.flip_start[j] + 1; k < g.flip_start[j + 1]; k++)
            for (int64_t a = 0; a < g.d; a++)
                for (int64_t b = 0; b < a; b++) {
                    const double *other = x.x + g.flip[k] * x.ld;
                    const double left[2] = {first[a], -first[b]}, right[2] = {other[b], other[a]};
                    assert_int_equal(fathom_exact_dot_sign(2, left, right), 0);
                }
    }
    assert_int_equal(g.flip_start[0], 0);
}

/* Number of cones with the tree checked. */
static int64_t count_gates(const fathom_data *data)
{
    fathom_gates *gates;
    assert_ok(context, fathom_gates_enumerate(&gates, context, data));
    check_tree(gates, data);
    const int64_t m = fathom_gates_look(gates).m;
    fathom_gates_free(gates);
    return m;
}

typedef struct tally {
    int64_t count;
} tally;

static fathom_status tally_put(void *user, const fathom_cone_block *block)
{
    ((tally *)user)->count += block->count;
    return FATHOM_OK;
}

static fathom_status tally_reset(void *user)
{
    ((tally *)user)->count = 0;
    return FATHOM_OK;
}

/* Cones by restriction alone, whatever the position. */
static int64_t count_restriction(const fathom_data *data)
{
    fathom_hyperplanes *planes;
    tally total = {0};
    const fathom_cone_sink sink = {&total, true, true, tally_put, tally_reset};
    assert_ok(context, fathom_hyperplanes_create(&planes, context, data));
    assert_ok(context, fathom_restriction_enumerate(planes, &sink));
    fathom_hyperplanes_free(planes);
    return total.count;
}

/* Cones where some may be too thin for a point in double precision. */
static int64_t count_patterns(const fathom_data *data)
{
    fathom_hyperplanes *planes;
    tally total = {0};
    bool general;
    const fathom_cone_sink sink = {&total, true, true, tally_put, tally_reset};
    assert_ok(context, fathom_hyperplanes_create(&planes, context, data));
    assert_ok(context, fathom_cones_enumerate(&general, planes, &sink));
    assert_true(general);
    fathom_hyperplanes_free(planes);
    return total.count;
}

static int64_t count_faces(const fathom_data *data)
{
    fathom_hyperplanes *planes;
    int64_t count;
    assert_ok(context, fathom_hyperplanes_create(&planes, context, data));
    assert_ok(context, fathom_faces_enumerate(&count, planes, NULL));
    fathom_hyperplanes_free(planes);
    return count;
}

/* The exact sign of <x, z> for d integers in hexadecimal. */
static int text_sign(const double *x, const char *text, int64_t d)
{
    fathom_integer row[8] = {0};
    fmpz_t sum, entry;
    fmpz_init(sum);
    fmpz_init(entry);
    fathom_integers_from_doubles(row, x, d);
    for (int64_t c = 0; c < d; c++, text += strcspn(text, " ") + 1) {
        char word[4096] = {0};
        assert_true(strcspn(text, " ") < sizeof word);
        memcpy(word, text, strcspn(text, " "));
        assert_int_equal(fmpz_set_str(entry, word, 16), 0);
        fmpz_addmul(sum, row + c, entry);
    }
    const int sign = fmpz_sgn(sum);
    fmpz_clear(sum);
    fmpz_clear(entry);
    fathom_integers_clear(row, 8);
    return sign;
}

/* All cones as gates: as many as are counted, distinct, each with a witness that has its pattern exactly, in doubles or in
 * integers. Gives the number of those in integers. */
static int64_t check_witnesses(const fathom_data *data)
{
    const fathom_data_view x = fathom_data_look(data);
    fathom_gates *gates;
    fathom_cones_result counted;
    int64_t thin = 0;
    assert_ok(context, fathom_cones_run(&counted, context, data, NULL));
    assert_ok(context, fathom_gates_enumerate(&gates, context, data));
    const fathom_gates_view g = fathom_gates_look(gates);
    assert_int_equal(g.m, counted.cones);
    for (int64_t j = 0; j < g.m; j++) {
        const char *text = g.exact_at && g.exact_at[j] >= 0 ? g.exact_text + g.exact_at[j] : NULL;
        thin += text != NULL;
        for (int64_t i = 0; i < g.n; i++) {
            const int sign = text ? text_sign(x.x + i * x.ld, text, g.d)
                                  : fathom_exact_dot_sign(g.d, x.x + i * x.ld, g.orientation + j * g.d);
            assert_int_equal(sign, fathom_pattern_bit(g.bits + j * g.words, i) ? 1 : -1);
        }
        for (int64_t k = 0; k < j; k++)
            assert_true(memcmp(g.bits + j * g.words, g.bits + k * g.words, (size_t)g.words * 8) != 0);
    }
    fathom_gates_free(gates);
    return thin;
}

/* Rows that are dependent, equal or opposite up to their last bits. */
static void test_thin(void **state)
{
    (void)state;
    int64_t thin = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)test_trials(2); seed++)
        for (int64_t d = 2; d <= 4; d++) {
            double *x[8] = {NULL};
            int count = 0;
            if (d > 2)
                x[count++] = awkward_dependent(6, d, seed);
            for (int digits = 8; digits <= 16; digits += 4)
                for (int opposite = 0; opposite < 2; opposite++)
                    x[count++] = awkward_pairs(6, d, seed, pow(10, -digits), opposite);
            for (int k = 0; k < count; k++) {
                fathom_data *data = make_data(6, d, x[k]);
                thin += check_witnesses(data);
                fathom_data_free(data);
                free(x[k]);
            }
        }
    double *grid = awkward_grid(4);
    fathom_data *data = make_data(16, 3, grid);
    thin += check_witnesses(data);
    fathom_data_free(data);
    free(grid);
    assert_true(thin > 0); /* the families do what they are for */
}

/* Random data are in general position: Cover's number, by both methods, for all n <= 12, d <= 5. */
static void test_cover(void **state)
{
    (void)state;
    double x[12 * 5];
    for (int64_t n = 1; n <= 12; n++)
        for (int64_t d = 1; d <= 5; d++) {
            fathom_random_normals(x, n * d, 11, FATHOM_STREAM_DATA, (uint32_t)d, 0);
            fathom_data *data = make_data(n, d, x);
            double expected = 0, binomial = 1;
            for (int64_t k = 0; k < d && k < n; k++) {
                expected += 2 * binomial;
                binomial = binomial * (double)(n - 1 - k) / (double)(k + 1);
            }
            if (d == 1)
                expected = 2;
            assert_int_equal(count_gates(data), (int64_t)expected);
            assert_int_equal(count_restriction(data), (int64_t)expected);
            fathom_data_free(data);
        }
}

/*
 * Brute force on integer data: S_0 and the full-dimensional cones by all sign vectors that integer directions realise.
 * For points in {-1, 0, 1}^d every face of the arrangement contains an integer point with entries at most B in size:
 * its extreme rays are minors of such matrices (at most 2 for d = 3, after division by common factors at most 2 in
 * each entry), and the sum of at most all rays of one face lies inside it. The box is taken generously.
 */
enum { BOX = 7 };

static void brute_force(int64_t *full, int64_t *all, int64_t n, const double *x)
{
    static uint8_t seen_full[1 << 9], seen[1 << 9];
    memset(seen_full, 0, sizeof seen_full);
    memset(seen, 0, sizeof seen);
    for (int a = -BOX; a <= BOX; a++)
        for (int b = -BOX; b <= BOX; b++)
            for (int c = -BOX; c <= BOX; c++) {
                int open = 0, on = 0;
                for (int64_t i = 0; i < n; i++) {
                    const double v = x[3 * i] * a + x[3 * i + 1] * b + x[3 * i + 2] * c;
                    open |= (v > 0) << i;
                    on |= v == 0 && (x[3 * i] != 0 || x[3 * i + 1] != 0 || x[3 * i + 2] != 0);
                }
                seen[open] = 1;
                if (!on)
                    seen_full[open] = 1;
            }
    *full = *all = 0;
    for (int u = 0; u < 1 << 9; u++) {
        *full += seen_full[u];
        *all += seen[u];
    }
}

/* Nine points of {-1, 0, 1}^3, most of them dependent, zero or parallel. */
static void test_degenerate(void **state)
{
    (void)state;
    for (int64_t trial = 0; trial < test_trials(60); trial++) {
        double x[27];
        const int64_t n = 1 + trial % 9;
        for (int k = 0; k < 27; k++)
            x[k] = floor(3 * fathom_random_uniform((uint64_t)trial, FATHOM_STREAM_DATA, 0, (uint64_t)k)) - 1;
        fathom_data *data = make_data(n, 3, x);
        int64_t full, all;
        brute_force(&full, &all, n, x);
        assert_int_equal(count_gates(data), full);
        assert_int_equal(count_restriction(data), full);
        assert_int_equal(count_faces(data), all);
        fathom_data_free(data);
    }
}

/* Resonance arrangements: all nonzero 0/1 vectors of R^d. Regions: OEIS A034997. */
static void test_resonance(void **state)
{
    (void)state;
    const int64_t regions[] = {0, 2, 6, 32, 370, 11292};
    for (int64_t d = 1; d <= 5; d++) {
        double x[31 * 5];
        const int64_t n = (1 << d) - 1;
        for (int64_t k = 0; k < n; k++)
            for (int64_t c = 0; c < d; c++)
                x[k * d + c] = (double)((k + 1) >> c & 1);
        fathom_data *data = make_data(n, d, x);
        assert_int_equal(count_gates(data), regions[d]);
        fathom_data_free(data);
    }
}

/* |S_0| of the circle is 2n + 1 for even n >= 4, of the 3-cube 51 (14 full-dimensional): margins.md, F4. */
static void test_oracles(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        int64_t full, all;
    } row[] = {{"gen:circle,n=2", 2, 3},    {"gen:circle,n=4", 4, 9},   {"gen:circle,n=5", 10, 11},
               {"gen:circle,n=6", 6, 13},   {"gen:circle,n=7", 14, 15}, {"gen:circle,n=8", 8, 17},
               {"gen:circle,n=16", 16, 33}, {"gen:cube,d=2", 4, 9},     {"gen:cube,d=3", 14, 51}};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        fathom_data *data;
        assert_ok(context, fathom_data_open(&data, context, row[k].spec, NULL));
        assert_int_equal(count_gates(data), row[k].full);
        assert_int_equal(count_faces(data), row[k].all);
        fathom_data_free(data);
    }
}

/* Antipodal pairs of p generic points in R^p: 2^p cones, 3^p sets (each pair: either side, or neither). */
static void test_antipodal(void **state)
{
    (void)state;
    for (int64_t p = 1; p <= 4; p++) {
        double x[32];
        fathom_random_normals(x, p * p, 5, FATHOM_STREAM_DATA, 0, 0);
        for (int64_t k = 0; k < p * p; k++)
            x[p * p + k] = -x[k];
        fathom_data *data = make_data(2 * p, p, x);
        assert_int_equal(count_gates(data), 1 << p);
        assert_int_equal(count_faces(data), (int64_t)pow(3, (double)p));
        fathom_data_free(data);
    }
}

/* Rows scaled over the whole range of doubles, rank below d, zero rows: the arrangement is the same. */
static void test_scales(void **state)
{
    (void)state;
    const double base[][2] = {{1, 2}, {3, -1}, {1, 1}, {0, 0}, {-2, 5}};
    const double factor[] = {0x1p900, 0x1p-1000, 1, 1, -0x1p-500};
    double x[15];
    for (int i = 0; i < 5; i++)
        for (int c = 0; c < 3; c++) /* the third column is the sum of the others */
            x[3 * i + c] = factor[i] * (c < 2 ? base[i][c] : base[i][0] + base[i][1]);
    fathom_data *data = make_data(5, 3, x);
    assert_int_equal(count_gates(data), 8);
    fathom_data_free(data);
    const double zero[6] = {0};
    data = make_data(2, 3, zero);
    assert_int_equal(count_gates(data), 1);
    assert_int_equal(count_faces(data), 1);
    fathom_data_free(data);
    const double wide[] = {1, 0x1p-900, 0x1p-900, 1, 1, 1, 1, -0x1p-300, 0};
    data = make_data(3, 3, wide);
    assert_int_equal(count_gates(data), 8);
    fathom_data_free(data);
}

/* A triple that is dependent up to the last bit, and one that is dependent exactly: only the second merges a cell. */
static void test_near_degenerate(void **state)
{
    (void)state;
    double x[] = {0.1, 0.2, 0.7, 0.3, -0.4, 0.5, 0, 0, 0, 0.6, 0.6, -0.1};
    for (int c = 0; c < 3; c++)
        x[6 + c] = x[c] + x[3 + c];
    const double exact[] = {1, 2, 7, 3, -4, 5, 4, -2, 12, 6, 6, -1};
    fathom_data *data = make_data(4, 3, x);
    const double *row[3] = {x, x + 3, x + 6};
    assert_int_not_equal(fathom_exact_determinant_sign(row, 3), 0);
    assert_int_equal(count_patterns(data), 14);
    assert_int_equal(count_restriction(data), 14); /* with integer witnesses */
    fathom_data_free(data);
    data = make_data(4, 3, exact);
    assert_int_equal(count_gates(data), 12);
    fathom_data_free(data);
}

/* The same bits for every number of threads, in both methods. */
static void test_threads(void **state)
{
    (void)state;
    double x[60];
    fathom_random_normals(x, 60, 21, FATHOM_STREAM_DATA, 0, 0);
    for (int degenerate = 0; degenerate < 2; degenerate++) {
        for (int c = 0; c < 4 && degenerate;
             c++) /* the last point becomes twice the sum of the first two, rounded */
            x[56 + c] = floor(8 * x[c]) + floor(8 * x[4 + c]), x[c] = floor(8 * x[c]),
                   x[4 + c] = floor(8 * x[4 + c]);
        fathom_data *data = make_data(15, 4, x);
        fathom_gates *one, *four;
        fathom_context_set_threads(context, 1);
        assert_ok(context, fathom_gates_enumerate(&one, context, data));
        fathom_context_set_threads(context, 4);
        assert_ok(context, fathom_gates_enumerate(&four, context, data));
        const fathom_gates_view a = fathom_gates_look(one), b = fathom_gates_look(four);
        assert_int_equal(a.m, b.m);
        assert_memory_equal(a.bits, b.bits, (size_t)(a.m * a.words) * sizeof *a.bits);
        assert_memory_equal(a.orientation, b.orientation, (size_t)(a.m * a.d) * sizeof *a.orientation);
        assert_memory_equal(a.parent, b.parent, (size_t)a.m * sizeof *a.parent);
        fathom_gates_free(one);
        fathom_gates_free(four);
        fathom_data_free(data);
    }
}

/* Too many cones are refused before anything is allocated, with their number. */
static void test_refusal(void **state)
{
    (void)state;
    fathom_data *data;
    fathom_gates *gates;
    assert_ok(context, fathom_data_open(&data, context, "gen:gauss,n=3000,d=5", NULL));
    assert_int_equal(fathom_gates_enumerate(&gates, context, data), FATHOM_ERROR_MEMORY);
    assert_non_null(strstr(fathom_context_error(context)->text, "this arrangement has about 6.74e+12 cones"));
    assert_null(gates);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover),      cmocka_unit_test(test_thin),
        cmocka_unit_test(test_degenerate), cmocka_unit_test(test_resonance),
        cmocka_unit_test(test_oracles),    cmocka_unit_test(test_antipodal),
        cmocka_unit_test(test_scales),     cmocka_unit_test(test_near_degenerate),
        cmocka_unit_test(test_threads),    cmocka_unit_test(test_refusal)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
