/* SPDX-License-Identifier: Apache-2.0 */
/* Masked products against plain loops, the adjoint identity, and the same bits for every number of threads. */
#include <string.h>

#include "gate_kernels.h"
#include "random.h"
#include "testing.h"

typedef struct sample {
    fathom_gate_set set;
    int64_t outputs;
    double *x, *w, *v, *f, *g;
    uint64_t *bits;
    int64_t *index;
} sample;

static double *normals(int64_t count, uint32_t sub)
{
    double *a = malloc((size_t)(count + 1) * sizeof *a);
    fathom_random_normals(a, count, 7, FATHOM_STREAM_SAMPLE, sub, 0);
    return a;
}

/* Random bits (unused ones 0), every third gate in reverse order so that `index` matters. */
static sample make(int64_t n, int64_t d, int64_t count, int64_t outputs)
{
    sample s = {.outputs = outputs};
    const int64_t words = (n + 63) / 64;
    s.x = normals(n * d, 1);
    s.w = normals(count * outputs * d, 2);
    s.v = normals(outputs * n, 3);
    s.f = malloc((size_t)(outputs * n + 1) * sizeof(double));
    s.g = malloc((size_t)(count * outputs * d + 1) * sizeof(double));
    s.bits = calloc((size_t)(count * words + 1), sizeof(uint64_t));
    s.index = malloc((size_t)(count + 1) * sizeof(int64_t));
    for (int64_t j = 0; j < count; j++) {
        s.index[j] = count - 1 - j;
        for (int64_t i = 0; i < n; i++)
            if (fathom_random_uniform(7, FATHOM_STREAM_GATE, (uint32_t)j, (uint64_t)i) < 0.5)
                s.bits[j * words + i / 64] |= (uint64_t)1 << (i % 64);
    }
    s.set = (fathom_gate_set){n, d, s.x, d, count, words, words, n, s.bits, s.index};
    return s;
}

static void drop(sample *s)
{
    free(s->x);
    free(s->w);
    free(s->v);
    free(s->f);
    free(s->g);
    free(s->bits);
    free(s->index);
}

static bool open_at(const sample *s, int64_t j, int64_t i)
{
    return (fathom_gate_pattern(&s->set, j)[i / 64] >> (i % 64)) & 1;
}

/* |sum_k a_k - computed| <= count u sum |a_k| for any order of the sum; products add one rounding each. */
static void check_forward(const sample *s)
{
    const int64_t n = s->set.n, d = s->set.d;
    for (int64_t c = 0; c < s->outputs; c++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < s->set.count; j++)
                for (int64_t k = 0; open_at(s, j, i) && k < d; k++) {
                    const double term = s->x[i * d + k] * s->w[(j * s->outputs + c) * d + k];
                    sum += term;
                    size += fabs(term);
                }
            assert_close(s->f[c * n + i], sum, 2 * (double)(s->set.count * d + 2) * UNIT_ROUNDOFF * size);
        }
}

static void check_adjoint(const sample *s)
{
    const int64_t n = s->set.n, d = s->set.d;
    for (int64_t row = 0; row < s->set.count * s->outputs; row++)
        for (int64_t k = 0; k < d; k++) {
            double sum = 0, size = 0;
            for (int64_t i = 0; i < n; i++)
                if (open_at(s, row / s->outputs, i)) {
                    const double term = s->v[(row % s->outputs) * n + i] * s->x[i * d + k];
                    sum += term;
                    size += fabs(term);
                }
            assert_close(s->g[row * d + k], sum, 2 * (double)(n + 2) * UNIT_ROUNDOFF * size);
        }
}

/* n, d, gates, outputs: matrix products (few gates) and tables (many), and every remainder of their blocks: 64 points
 * to a word, 32 gates or points and 4 or 16 columns to a table, 512 points or gates to a tile. */
static const int64_t shapes[][4] = {{1, 1, 1, 1},     {63, 3, 5, 1},    {64, 2, 7, 2},    {65, 5, 300, 1},
                                    {257, 4, 3, 3},   {600, 7, 40, 1},  {300, 2, 20, 30}, {5, 3, 0, 2},
                                    {1, 1, 33, 1},    {2, 1, 64, 2},    {31, 12, 32, 1},  {33, 13, 31, 3},
                                    {64, 16, 64, 1},  {65, 17, 65, 2},  {513, 33, 35, 1}, {512, 1, 512, 1},
                                    {97, 20, 515, 1}, {700, 9, 37, 300}};

static void test_products_agree_with_plain_loops(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        sample s = make(shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]);
        double *work = malloc((size_t)fathom_gate_workspace(s.outputs, 1) * sizeof *work);
        fathom_gate_forward(s.f, &s.set, s.w, s.outputs, 1, work);
        fathom_gate_adjoint(s.g, &s.set, s.v, s.outputs, 1, work);
        check_forward(&s);
        check_adjoint(&s);
        free(work);
        drop(&s);
    }
}

static void test_terms_sum_to_forward(void **state)
{
    (void)state;
    sample s = make(130, 6, 9, 2);
    double *work = malloc((size_t)fathom_gate_workspace(2, 1) * sizeof *work);
    double *terms = malloc(9 * 2 * 130 * sizeof *terms);
    fathom_gate_terms(terms, &s.set, s.w, 2, NULL, 1);
    for (int64_t i = 0; i < 260; i++)
        s.f[i] = 0;
    for (int64_t row = 0; row < 18; row++)
        for (int64_t i = 0; i < 130; i++)
            s.f[row % 2 * 130 + i] += terms[row * 130 + i];
    check_forward(&s);
    free(terms);
    free(work);
    drop(&s);
}

static void check_threads(int64_t n, int64_t d, int64_t count, int64_t outputs)
{
    sample s = make(n, d, count, outputs);
    const size_t forward = (size_t)(outputs * n) * sizeof(double),
                 adjoint = (size_t)(count * outputs * d) * sizeof(double);
    double *work = malloc((size_t)fathom_gate_workspace(outputs, 3) * sizeof *work);
    double *f = malloc(forward), *g = malloc(adjoint);
    fathom_gate_forward(s.f, &s.set, s.w, outputs, 1, work);
    fathom_gate_adjoint(s.g, &s.set, s.v, outputs, 1, work);
    for (int threads = 2; threads <= 3; threads++) {
        fathom_gate_forward(f, &s.set, s.w, outputs, threads, work);
        fathom_gate_adjoint(g, &s.set, s.v, outputs, threads, work);
        assert_memory_equal(f, s.f, forward);
        assert_memory_equal(g, s.g, adjoint);
    }
    free(f);
    free(g);
    free(work);
    drop(&s);
}

static void test_same_bits_for_every_number_of_threads(void **state)
{
    (void)state;
    check_threads(1500, 20, 600, 2);
    check_threads(1500, 70, 40, 1);
    check_threads(1500, 70, 10, 2);
}

/* A closed gate hides even an infinite weight or slope: masks select, they do not multiply. Gate 0 has infinite weights and is
 * open on point 1 alone; the other gates are open on every point. */
static void check_infinities(int64_t count)
{
    double x[] = {1, -1, 2}, v[] = {1, INFINITY, 1}, f[3], g[64], w[64];
    double *work = malloc((size_t)fathom_gate_workspace(1, 1) * sizeof *work);
    uint64_t bits[64];
    for (int64_t j = 0; j < count; j++) {
        w[j] = j == 0 ? INFINITY : 1;
        bits[j] = j == 0 ? 2 : 7;
    }
    const fathom_gate_set set = {3, 1, x, 1, count, 1, 1, 3, bits, NULL};
    fathom_gate_forward(f, &set, w, 1, 1, work);
    assert_true(f[0] == (double)(count - 1) && f[2] == 2 * (double)(count - 1));
    assert_true(isinf(f[1]));
    bits[0] = 5;
    fathom_gate_adjoint(g, &set, v, 1, 1, work);
    assert_true(g[0] == 3);
    for (int64_t j = 1; j < count; j++)
        assert_true(isinf(g[j]));
    free(work);
}

static void test_closed_gates_hide_infinities(void **state)
{
    (void)state;
    check_infinities(1);
    check_infinities(64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_agree_with_plain_loops),
        cmocka_unit_test(test_terms_sum_to_forward),
        cmocka_unit_test(test_same_bits_for_every_number_of_threads),
        cmocka_unit_test(test_closed_gates_hide_infinities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
