/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse rows times dense: equal to loops over the full matrix, whose zeros change no sum. */
#include "testing.h"

#include "random.h"
#include "sparse.h"

enum { N = 17, D = 11, COLUMNS = 5, LD = 6 };

typedef struct fixture {
    double full[N * D], value[N * D];
    int64_t row_start[N + 1];
    int32_t column[N * D];
    fathom_csr csr;
} fixture;

/* About a third of the entries; row 3 is empty. */
static void fill(fixture *f)
{
    int64_t entries = 0;
    for (int64_t i = 0; i < N; i++) {
        f->row_start[i] = entries;
        for (int64_t j = 0; j < D; j++) {
            const bool kept =
                i != 3 && fathom_random_uniform(1, FATHOM_STREAM_LABEL, 0, (uint64_t)(i * D + j)) < 0.35;
            f->full[i * D + j] =
                kept ? fathom_random_normal(1, FATHOM_STREAM_DATA, 0, (uint64_t)(i * D + j)) : 0;
            if (kept) {
                f->value[entries] = f->full[i * D + j];
                f->column[entries++] = (int32_t)j;
            }
        }
    }
    f->row_start[N] = entries;
    f->csr = (fathom_csr){N, D, f->row_start, f->column, f->value};
}

static void times(void **state)
{
    (void)state;
    fixture f;
    fill(&f);
    double b[D * LD], c[N * LD];
    fathom_random_normals(b, D * LD, 1, FATHOM_STREAM_DATA, 1, 0);
    for (int k = 0; k < N * LD; k++)
        c[k] = NAN; /* overwritten */
    fathom_csr_times(c, LD, f.csr, 2, N, b, LD, COLUMNS);
    for (int i = 2; i < N; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double sum = 0, size = 0;
            for (int k = 0; k < D; k++) {
                sum += f.full[i * D + k] * b[k * LD + j];
                size += fabs(f.full[i * D + k] * b[k * LD + j]);
            }
            assert_close(c[(i - 2) * LD + j], sum, 2 * D * UNIT_ROUNDOFF * size);
        }
        assert_true(isnan(c[(i - 2) * LD + COLUMNS])); /* nothing beyond the columns asked for */
    }
}

static void transposed_times(void **state)
{
    (void)state;
    fixture f;
    fill(&f);
    double b[N * LD], c[D * LD] = {0};
    fathom_random_normals(b, N * LD, 1, FATHOM_STREAM_DATA, 2, 0);
    c[0] = 1; /* accumulates */
    fathom_csr_transposed_times(c, LD, f.csr, 0, 5, b, LD, COLUMNS);
    fathom_csr_transposed_times(c, LD, f.csr, 5, N, b + 5 * LD, LD, COLUMNS);
    for (int k = 0; k < D; k++)
        for (int j = 0; j < COLUMNS; j++) {
            double sum = k == 0 && j == 0, size = sum;
            for (int i = 0; i < N; i++) {
                sum += f.full[i * D + k] * b[i * LD + j];
                size += fabs(f.full[i * D + k] * b[i * LD + j]);
            }
            assert_close(c[k * LD + j], sum, 2 * N * UNIT_ROUNDOFF * size);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times),
        cmocka_unit_test(transposed_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
