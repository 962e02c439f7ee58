/* SPDX-License-Identifier: Apache-2.0 */
/* Products over gates of sparse points against plain loops over the same points, dense; the same bits for
 * every number of threads. */
#include <string.h>

#include "gate_sparse.h"
#include "random.h"
#include "testing.h"

typedef struct sample {
    int64_t n, d, count, outputs, words;
    double *x; /* n x d, with the zeros */
    int64_t *row_start, *column_start, *index;
    int32_t *column, *row;
    double *value, *by_column, *v, *w, *work;
    uint64_t *bits;
    fathom_sparse_points points;
    fathom_sparse_gates gates;
} sample;

static void *room(int64_t count, size_t size) { return calloc((size_t)(count + 1), size); }

static double draw(uint32_t sub, int64_t k)
{
    return fathom_random_uniform(11, FATHOM_STREAM_SAMPLE, sub, (uint64_t)k);
}

/* Some columns and rows are empty, one column in seven is full; gates in reverse order, so that `index`
 * matters. */
static sample make(int64_t n, int64_t d, int64_t count, int64_t outputs)
{
    sample s = {.n = n, .d = d, .count = count, .outputs = outputs, .words = (n + 63) / 64};
    int64_t entries = 0;
    s.x = room(n * d, sizeof *s.x);
    s.row_start = room(n + 1, sizeof *s.row_start);
    s.column = room(n * d, sizeof *s.column);
    s.value = room(n * d, sizeof *s.value);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < d; k++) {
            const double share = i % 5 == 3 ? 0 : k % 7 == 0 ? 1 : k % 3 == 0 ? 0 : 0.2;
            if (draw(1, i * d + k) >= share)
                continue;
            s.x[i * d + k] = s.value[entries] = draw(2, i * d + k) - 0.4;
            s.column[entries++] = (int32_t)k;
        }
        s.row_start[i + 1] = entries;
    }
    s.column_start = room(d + 1, sizeof *s.column_start);
    s.row = room(entries, sizeof *s.row);
    s.by_column = room(entries, sizeof *s.by_column);
    s.points.row = (fathom_csr){n, d, s.row_start, s.column, s.value};
    fathom_csr_transpose(s.column_start, s.row, s.by_column, s.points.row);
    s.points.column = (fathom_csr){d, n, s.column_start, s.row, s.by_column};
    s.bits = room(count * s.words, sizeof *s.bits);
    s.index = room(count, sizeof *s.index);
    for (int64_t j = 0; j < count; j++) {
        s.index[j] = count - 1 - j;
        for (int64_t i = 0; i < n; i++)
            s.bits[j * s.words + i / 64] |= (uint64_t)(draw(3, j * n + i) < 0.4) << (i % 64);
    }
    s.v = room(outputs * n, sizeof *s.v);
    s.w = room(count * outputs * d, sizeof *s.w);
    for (int64_t k = 0; k < outputs * n; k++)
        s.v[k] = draw(4, k) - 0.5;
    for (int64_t k = 0; k < count * outputs * d; k++)
        s.w[k] = draw(5, k) - 0.5;
    s.work = room(fathom_sparse_gate_workspace(n, d), sizeof *s.work);
    return s;
}

/* Points into the sample, which may have been moved. */
static const fathom_sparse_gates *gates_of(sample *s)
{
    s->gates = (fathom_sparse_gates){&s->points, s->count, s->words, s->bits, s->index};
    return &s->gates;
}

static void drop(sample *s)
{
    void *blocks[] = {s->x,      s->row_start, s->column_start, s->index,
                      s->column, s->row,       s->value,        s->by_column,
                      s->v,      s->w,         s->work,         s->bits};
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++)
        free(blocks[k]);
}

static bool open_at(const sample *s, int64_t j, int64_t i)
{
    return (s->bits[s->index[j] * s->words + i / 64] >> (i % 64)) & 1;
}

/* F*(V)_jck by its definition; *size = the sum of the sizes of its terms. */
static double adjoint_at(const sample *s, int64_t j, int64_t c, int64_t k, double *size)
{
    double sum = 0;
    *size = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (open_at(s, j, i)) {
            sum += s->v[c * s->n + i] * s->x[i * s->d + k];
            *size += fabs(s->v[c * s->n + i] * s->x[i * s->d + k]);
        }
    return sum;
}

/* n, d, gates, outputs: one lane to all of them, more outputs than lanes, blocks of rows and columns and
 * one more. */
static const int64_t shapes[][4] = {{1, 1, 1, 1},    {63, 3, 5, 1},   {64, 2, 7, 2},    {65, 30, 40, 1},
                                    {257, 9, 3, 3},  {300, 20, 9, 7}, {5, 3, 0, 2},     {20, 513, 33, 1},
                                    {30, 40, 4, 20}, {40, 7, 3, 33},  {12, 1100, 2, 70}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static void check_adjoint(sample *s)
{
    const int64_t block = s->outputs * s->d;
    double *g = room(s->count * block, sizeof *g), *norm = room(s->count, sizeof *norm);
    fathom_sparse_gate_adjoint(g, gates_of(s), s->v, s->outputs, 2, s->work);
    fathom_sparse_gate_norms(norm, gates_of(s), s->v, s->outputs, 2, s->work);
    for (int64_t j = 0; j < s->count; j++) {
        double square = 0;
        for (int64_t k = 0; k < block; k++) {
            double size;
            const double value = adjoint_at(s, j, k / s->d, k % s->d, &size);
            assert_close(g[j * block + k], value, 2 * (double)(s->n + 2) * UNIT_ROUNDOFF * size);
            square += g[j * block + k] * g[j * block + k];
        }
        assert_close(norm[j], sqrt(square), (double)(block + 4) * UNIT_ROUNDOFF * sqrt(square));
    }
    free(g);
    free(norm);
}

static void check_forward(sample *s)
{
    double *f = room(s->outputs * s->n, sizeof *f);
    fathom_sparse_gate_forward(f, gates_of(s), s->w, s->outputs, 2, s->work);
    for (int64_t c = 0; c < s->outputs; c++)
        for (int64_t i = 0; i < s->n; i++) {
            double sum = 0, size = 0;
            for (int64_t j = 0; j < s->count; j++)
                for (int64_t k = 0; open_at(s, j, i) && k < s->d; k++) {
                    const double term = s->x[i * s->d + k] * s->w[(j * s->outputs + c) * s->d + k];
                    sum += term;
                    size += fabs(term);
                }
            assert_close(f[c * s->n + i], sum, 2 * (double)(s->count * s->d + 2) * UNIT_ROUNDOFF * size);
        }
    free(f);
}

/* Terms of A_j A_j' v and their sum with sizes, from the computed adjoint. */
static void check_terms(sample *s)
{
    const int64_t n = s->n, o = s->outputs, d = s->d;
    double *g = room(s->count * o * d, sizeof *g), *p = room(s->count * o * n, sizeof *p),
           *f = room(o * n, sizeof *f), *size = room(s->count, sizeof *size);
    for (int64_t j = 0; j < s->count; j++)
        size[j] = 0.5 + (double)j;
    fathom_sparse_gate_adjoint(g, gates_of(s), s->v, o, 1, s->work);
    fathom_sparse_gate_terms(p, gates_of(s), s->v, o, s->v, 2, s->work);
    fathom_sparse_gate_through(f, gates_of(s), gates_of(s), size, s->v, o, 2, s->work);
    for (int64_t c = 0; c < o; c++)
        for (int64_t i = 0; i < n; i++) {
            double sum = 0, all = 0;
            for (int64_t j = 0; j < s->count; j++) {
                double term = 0, most = 0;
                for (int64_t k = 0; k < d && open_at(s, j, i); k++) {
                    term += s->x[i * d + k] * g[(j * o + c) * d + k];
                    most += fabs(s->x[i * d + k] * g[(j * o + c) * d + k]);
                }
                assert_close(p[(j * o + c) * n + i], term * s->v[i],
                             2 * (double)(d + 4) * UNIT_ROUNDOFF * most);
                sum += size[j] * term;
                all += size[j] * most;
            }
            assert_close(f[c * n + i], sum, 2 * (double)(s->count + d + 4) * UNIT_ROUNDOFF * all);
        }
    free(g);
    free(p);
    free(f);
    free(size);
}

static void check_gram(const sample *s)
{
    double *gram = room(s->n * s->n, sizeof *gram), *table = room(8 * s->d, sizeof *table);
    for (int64_t first = 0; first < s->n; first += 8)
        fathom_sparse_gram_rows(gram, s->n, s->points.row, first, first + 8 < s->n ? first + 8 : s->n, table);
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t l = i; l < s->n; l++) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < s->d; k++) {
                sum += s->x[i * s->d + k] * s->x[l * s->d + k];
                size += fabs(s->x[i * s->d + k] * s->x[l * s->d + k]);
            }
            assert_close(gram[i * s->n + l], sum, 2 * (double)(s->d + 2) * UNIT_ROUNDOFF * size);
        }
    for (int64_t k = 0; k < 8 * s->d; k++)
        assert_true(table[k] == 0);
    free(gram);
    free(table);
}

static void test_products_agree_with_plain_loops(void **state)
{
    (void)state;
    for (int k = 0; k < SHAPES; k++) {
        sample s = make(shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]);
        check_adjoint(&s);
        check_forward(&s);
        check_terms(&s);
        check_gram(&s);
        drop(&s);
    }
}

/* Sums of squares beyond the range of double are no danger: norms scale with v. */
static void test_norms_of_any_size(void **state)
{
    (void)state;
    sample s = make(70, 40, 9, 3);
    double plain[9], scaled[9];
    fathom_sparse_gate_norms(plain, gates_of(&s), s.v, 3, 1, s.work);
    static const int exponents[] = {-900, -400, 400, 900};
    for (size_t e = 0; e < 4; e++) {
        for (int64_t k = 0; k < 3 * s.n; k++)
            s.v[k] = ldexp(draw(4, k) - 0.5, exponents[e]);
        fathom_sparse_gate_norms(scaled, gates_of(&s), s.v, 3, 1, s.work);
        for (int j = 0; j < 9; j++)
            assert_close(ldexp(scaled[j], -exponents[e]), plain[j], 8 * UNIT_ROUNDOFF * plain[j]);
    }
    drop(&s);
}

static void test_same_bits_for_every_number_of_threads(void **state)
{
    (void)state;
    sample s = make(2000, 1500, 37, 4);
    const int64_t size = s.outputs * s.n;
    double *one = room(size + s.count, sizeof *one), *more = room(size + s.count, sizeof *more), scale[37];
    for (int j = 0; j < 37; j++)
        scale[j] = 1.0 / (j + 1);
    fathom_sparse_gate_through(one, gates_of(&s), gates_of(&s), scale, s.v, s.outputs, 1, s.work);
    fathom_sparse_gate_norms(one + size, gates_of(&s), s.v, s.outputs, 1, s.work);
    for (int threads = 2; threads <= 5; threads++) {
        fathom_sparse_gate_through(more, gates_of(&s), gates_of(&s), scale, s.v, s.outputs, threads, s.work);
        fathom_sparse_gate_norms(more + size, gates_of(&s), s.v, s.outputs, threads, s.work);
        assert_memory_equal(one, more, (size_t)(size + s.count) * sizeof *one);
    }
    free(one);
    free(more);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products_agree_with_plain_loops),
        cmocka_unit_test(test_norms_of_any_size),
        cmocka_unit_test(test_same_bits_for_every_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
