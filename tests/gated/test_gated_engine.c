/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Newton systems that conjugate gradients cannot solve: the forms agree on solutions and Hessians where K is large, and
 * training at a small penalty, more points than are dense from the start, reaches its gap, recomputed from raw data.
 */
#include <stdlib.h>
#include <string.h>

#include "fathom/train.h"
#include "gated_engine.h"
#include "random.h"
#include "testing.h"

enum { N = 60, D = 3, M = 7, O = 2, WORDS = (N + 63) / 64 };

typedef struct instance {
    double x[N * D], reach[N], y[O * N], weight[N], f[O * N], g[O * N];
    uint64_t bits[M * WORDS];
    fathom_context *context;
    fathom_objective problem;
} instance;

static void open_instance(instance *s, bool constant)
{
    memset(s, 0, sizeof *s);
    assert_ok(NULL, fathom_context_create(&s->context, NULL));
    fathom_random_normals(s->x, N * D, 51, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(s->y, O * N, 51, FATHOM_STREAM_LABEL, 0, 0);
    fathom_random_normals(s->g, O * N, 51, FATHOM_STREAM_OUTPUT, 0, 0);
    for (int i = 0; i < N; i++) {
        s->weight[i] = 0.5 + fathom_random_uniform(51, FATHOM_STREAM_SAMPLE, 0, (uint64_t)i);
        s->reach[i] = 1e3;
    }
    for (int k = 0; k < M * N; k++)
        if (fathom_random_uniform(51, FATHOM_STREAM_GATE, 0, (uint64_t)k) < 0.5)
            s->bits[k / N * WORDS + k % N / 64] |= (uint64_t)1 << (k % N % 64);
    s->problem = (fathom_objective){.context = s->context,
                                    .n = N,
                                    .d = D,
                                    .m = M,
                                    .outputs = O,
                                    .x = s->x,
                                    .reach = s->reach,
                                    .words = WORDS,
                                    .bits = s->bits,
                                    .loss = FATHOM_LOSS_SQUARED,
                                    .y = s->y,
                                    .weight = s->weight,
                                    .beta = 1e-5,
                                    .constant = constant};
}

/* A_j' g, plain loops. */
static void adjoint_of(double *adjoint, const instance *s)
{
    memset(adjoint, 0, M * O * D * sizeof *adjoint);
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++)
            for (int k = 0; (s->bits[j * WORDS + i / 64] >> (i % 64)) & 1 && k < O * D; k++)
                adjoint[j * O * D + k] += s->g[k / D * N + i] * s->x[i * D + k % D];
}

/* One form's solution t (O x N), constants c (O) and Hessian h (M x M). */
static void run_form(double *t, double *c, double *h, instance *s, bool dense,
                     const fathom_gated_support *support)
{
    fathom_gated_engine engine;
    fathom_gated_model model;
    double adjoint[M * O * D], slope[M] = {0}, total[O] = {0};
    assert_ok(s->context, fathom_gated_engine_create(&engine, &s->problem));
    engine.few = dense;
    assert_ok(s->context, fathom_gated_engine_prepare(&engine, support, s->f, 0));
    assert_true(engine.dense == dense && (dense || engine.wide));
    memcpy(t, s->y, sizeof s->y);
    assert_ok(s->context, fathom_gated_engine_solve(t, c, &engine, total, 1e-12));
    adjoint_of(adjoint, s);
    assert_ok(s->context, fathom_gated_model_create(&model, &engine, support, adjoint, slope));
    memcpy(h, model.hessian, M * M * sizeof *h);
    fathom_gated_model_clear(&model);
    fathom_gated_engine_clear(&engine);
}

/* Two gates are newcomers. |K| is about 1e7: a loss of seven digits is what the condition allows. */
static void test_forms_agree(void **state)
{
    (void)state;
    int64_t gate[M] = {0, 1, 2, 3, 4, 5, 6};
    double eta[M] = {1, 0.5, 0, 2, 1e-3, 0, 3};
    const fathom_gated_support support = {M, gate, eta};
    const double lost = 1e8 * UNIT_ROUNDOFF;
    for (int constant = 0; constant < 2; constant++) {
        instance s;
        double t[2][O * N], c[2][O], h[2][M * M];
        open_instance(&s, constant);
        for (int form = 0; form < 2; form++)
            run_form(t[form], c[form], h[form], &s, form == 0, &support);
        for (int i = 0; i < O * N; i++)
            assert_close(t[1][i], t[0][i], lost);
        for (int k = 0; k < O; k++)
            assert_close(c[1][k], c[0][k], lost * fmax(1, fabs(c[0][k])));
        for (int j = 0; j < M; j++)
            for (int k = 0; k < M; k++)
                assert_close(h[1][j * M + k], h[0][j * M + k],
                             lost * sqrt(h[0][j * M + j] * h[0][k * M + k]));
        fathom_context_free(s.context);
    }
}

/* One gate on few points is no matter for a dense matrix, unless its systems are hard; seven gates are. */
static void test_choice_of_form(void **state)
{
    (void)state;
    int64_t gate[M] = {0, 1, 2, 3, 4, 5, 6};
    double eta[M] = {1, 1, 1, 1, 1, 1, 1};
    instance s;
    fathom_gated_engine engine;
    open_instance(&s, false);
    assert_ok(s.context, fathom_gated_engine_create(&engine, &s.problem));
    for (int hard = 0; hard < 2; hard++)
        for (int64_t count = 1; count <= M; count += M - 1) {
            engine.hard = hard;
            assert_ok(s.context, fathom_gated_engine_prepare(
                                     &engine, &(fathom_gated_support){count, gate, eta}, s.f, 0));
            assert_true(engine.few && engine.dense == (hard || count == M));
        }
    fathom_gated_engine_clear(&engine);
    fathom_context_free(s.context);
}

/* max_j |A_j' v| over all gates. */
static double dual_norm(const double *x, const double *v, int64_t n, int64_t d, const fathom_gates_view *view)
{
    double largest = 0;
    for (int64_t j = 0; j < view->m; j++) {
        double sum[32] = {0}, square = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; (view->bits[j * view->words + i / 64] >> (i % 64)) & 1 && k < d; k++)
                sum[k] += v[i] * x[i * d + k];
        for (int64_t k = 0; k < d; k++)
            square += sum[k] * sum[k];
        largest = fmax(largest, sqrt(square));
    }
    return largest;
}

/* Targets are noise and there are more weights than points: the optimum nearly interpolates. */
static void test_small_penalty(void **state)
{
    (void)state;
    enum { POINTS = 2060, COLUMNS = 20, GATES = 110 };
    double *x = malloc(POINTS * (COLUMNS + 3) * sizeof *x), *y = x + POINTS * COLUMNS, *v = y + POINTS;
    double *f = v + POINTS, loss = 0, norm = 0, product = 0, square = 0;
    fathom_context *context;
    fathom_data *data;
    fathom_gates *gates;
    fathom_train_options options;
    fathom_train_result result;
    fathom_random_normals(x, POINTS * COLUMNS, 52, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(y, POINTS, 52, FATHOM_STREAM_LABEL, 0, 0);
    assert_ok(NULL, fathom_context_create(&context, NULL));
    fathom_context_set_threads(context, 1);
    assert_ok(context, fathom_data_create(&data, context, POINTS, COLUMNS, x, COLUMNS, 1, y, NULL, NULL));
    assert_ok(context, fathom_gates_sample(&gates, context, data, test_briefly() ? GATES / 3 : GATES));
    fathom_options_init(&options, &fathom_train_option_table);
    options.model = FATHOM_TRAIN_GATED;
    options.beta_rel = 1e-3;
    assert_ok(context, fathom_train(&result, context, data, gates, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);

    const fathom_gates_view view = fathom_gates_look(gates);
    const double *w = fathom_net_lend(result.net).w;
    assert_ok(context, fathom_net_forward(f, result.net, data));
    for (int64_t i = 0; i < POINTS; i++) {
        v[i] = y[i] - f[i];
        loss += v[i] * v[i] / 2;
        product += y[i] * v[i];
        square += v[i] * v[i];
    }
    for (int64_t j = 0; j < result.neurons; j++) {
        double sum = 0;
        for (int k = 0; k < COLUMNS; k++)
            sum += w[j * COLUMNS + k] * w[j * COLUMNS + k];
        norm += sqrt(sum);
    }
    const double objective = loss + result.beta * norm;
    const double scale = fmin(product / square, result.beta / dual_norm(x, v, POINTS, COLUMNS, &view));
    const double bound = scale * product - scale * scale / 2 * square;
    assert_close(objective, result.objective, 1e4 * UNIT_ROUNDOFF * objective);
    assert_true(result.lower_bound <= objective);
    /* the residual's own bound; the run keeps the best of its steps */
    assert_true((objective - bound) / objective <= 100 * options.gap);
    fathom_train_result_clear(&result);
    fathom_gates_free(gates);
    fathom_data_free(data);
    fathom_context_free(context);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms_agree),
        cmocka_unit_test(test_choice_of_form),
        cmocka_unit_test(test_small_penalty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
