/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of X U' and the adjoint D' X over batches, dense and sparse, against loops; rows of a view. */
#include "model_support.h"

#include "hidden.h"

enum { N = 23, D = 6, M = 150 };

/* A dot product of k terms errs by at most k u sum |x y|, each side. */
static void assert_dot(double got, const double *x, int64_t dx, const double *y, int64_t dy, int64_t count)
{
    double sum = 0, size = 0;
    for (int64_t k = 0; k < count; k++) {
        sum += x[k * dx] * y[k * dy];
        size += fabs(x[k * dx] * y[k * dy]);
    }
    assert_close(got, sum, 2 * (double)count * UNIT_ROUNDOFF * size);
}

static void tiles(void **state)
{
    fathom_context *context = *state;
    model_data data = model_data_make(N, D, 0.5, 1);
    const fathom_data_view sparse = model_sparsify(&data);
    double *u = model_draw(M * (D + 1), FATHOM_STREAM_HIDDEN, 0), z[9 * 80];
    for (int kept = 0; kept < 2; kept++) {
        fathom_hidden hidden;
        assert_ok(context, fathom_hidden_open(&hidden, context, kept ? &sparse : &data.view, u, D + 1, M));
        fathom_hidden_tile(z, 80, &hidden, 4, 13, 33, 103);
        for (int64_t i = 0; i < 9; i++)
            for (int64_t j = 0; j < 70; j++)
                assert_dot(z[i * 80 + j], data.x + (4 + i) * data.view.ld, 1, u + (33 + j) * (D + 1), 1, D);
        fathom_hidden_close(&hidden, context);
    }
    free(u);
    model_data_free(&data);
}

static void adjoint_over_batches(void **state)
{
    fathom_context *context = *state;
    model_data data = model_data_make(N, D, 0.5, 2);
    const fathom_data_view sparse = model_sparsify(&data);
    double *d = model_draw(N * M, FATHOM_STREAM_TEACHER, 0),
           *target = model_draw(M * (D + 2), FATHOM_STREAM_GATE, 0);
    for (int kept = 0; kept < 2; kept++) {
        fathom_adjoint adjoint;
        const double beside = target[D];
        assert_ok(context,
                  fathom_adjoint_open(&adjoint, context, kept ? &sparse : &data.view, target, D + 2, M));
        assert_ok(context, fathom_adjoint_add(&adjoint, context, d, M, 0, 10));
        assert_ok(context, fathom_adjoint_add(&adjoint, context, d + 10 * M, M, 10, N));
        fathom_adjoint_close(&adjoint, context);
        for (int64_t j = 0; j < M; j++)
            for (int64_t l = 0; l < D; l++)
                assert_dot(target[j * (D + 2) + l], d + j, M, data.x + l, data.view.ld, N);
        assert_true(target[D] == beside); /* nothing beyond the columns */
    }
    free(d), free(target);
    model_data_free(&data);
}

static void rows_of_a_view(void **state)
{
    (void)state;
    model_data data = model_data_make(N, D, 0.5, 3);
    fathom_data_view sparse = model_sparsify(&data);
    const double y[2 * N] = {0}, weight[N] = {0};
    sparse.outputs = data.view.outputs = 2;
    sparse.y = data.view.y = y;
    sparse.weight = data.view.weight = weight;
    const fathom_data_view a = fathom_view_rows(&data.view, 5, 9), b = fathom_view_rows(&sparse, 5, 9);
    assert_true(a.n == 4 && b.n == 4 && a.x == data.x + 5 * data.view.ld && !b.x);
    assert_true(a.y == y + 10 && b.weight == weight + 5 && b.row_start == sparse.row_start + 5);
    assert_true(!fathom_view_is_sparse(&a) && fathom_view_is_sparse(&b));
    model_data_free(&data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles),
        cmocka_unit_test(adjoint_over_batches),
        cmocka_unit_test(rows_of_a_view),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
