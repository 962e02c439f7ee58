/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points in several blocks: products agree with plain loops, and Newton systems that are solved by several
 * ranks, each with its
 * own points, have the bits of one rank.
 */
#include "fake_ranks.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"
#include "random.h"

enum { N = 33000, D = 3, M = 5, O = 2, WORDS = (N + 63) / 64, USED = 4 };

typedef struct instance {
    double x[N * D], reach[N], y[O * N], f[O * N], v[O * N], t[O * N];
    uint64_t bits[M * WORDS];
    fathom_objective problem;
} instance;

/* Freed by the caller. */
static instance *make_instance(fathom_context *context, fathom_loss loss, bool constant)
{
    instance *s = calloc(1, sizeof *s);
    if (!s)
        exit(EXIT_FAILURE);
    fathom_random_normals(s->x, N * D, 61, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(s->y, O * N, 61, FATHOM_STREAM_LABEL, 0, 0);
    fathom_random_normals(s->v, O * N, 61, FATHOM_STREAM_OUTPUT, 0, 0);
    for (int i = 0; i < N; i++)
        s->reach[i] = 10;
    for (int i = 0; i < O * N; i++)
        s->y[i] = s->y[i] > 0 ? 1 : -1;
    for (int64_t k = 0; k < (int64_t)M * N; k++)
        if (fathom_random_uniform(61, FATHOM_STREAM_GATE, 0, (uint64_t)k) < 0.5)
            s->bits[k / N * WORDS + k % N / 64] |= (uint64_t)1 << (k % N % 64);
    s->problem = (fathom_objective){.context = context,
                                    .n = N,
                                    .d = D,
                                    .m = M,
                                    .outputs = O,
                                    .x = s->x,
                                    .reach = s->reach,
                                    .words = WORDS,
                                    .bits = s->bits,
                                    .loss = loss,
                                    .y = s->y,
                                    .beta = 100,
                                    .constant = constant};
    return s;
}

static bool is_open(const instance *s, int64_t j, int64_t i)
{
    return (s->bits[j * WORDS + i / 64] >> (i % 64)) & 1;
}

static void adjoint_is_the_sum_over_all_points(void **state)
{
    fathom_context *context;
    (void)state;
    assert_ok(NULL, fathom_context_create(&context, NULL));
    instance *s = make_instance(context, FATHOM_LOSS_SQUARED, false);
    static double g[M * O * D], sum[M * O * D], size[M * O * D];
    const fathom_objective *p = &s->problem;
    double *work = fathom_memory_alloc(context, fathom_gated_workspace(p, 1), sizeof *work);
    assert_non_null(work);
    memset(sum, 0, sizeof sum);
    memset(size, 0, sizeof size);
    for (int64_t j = 0; j < M; j++)
        for (int64_t i = 0; i < N; i++)
            for (int64_t k = 0; is_open(s, j, i) && k < O * D; k++) {
                const double term = s->v[k / D * N + i] * s->x[i * D + k % D];
                sum[j * O * D + k] += term;
                size[j * O * D + k] += fabs(term);
            }
    fathom_gated_adjoint(g, p, (fathom_gated_list){M, 0, NULL}, s->v, O, 1, work);
    for (int k = 0; k < M * O * D; k++)
        assert_true(fabs(g[k] - sum[k]) <= 2 * N * DBL_EPSILON * size[k]);
    assert_true(fathom_gated_dealt(p).blocks > 1);
    fathom_memory_free(context, work);
    fathom_context_free(context);
    free(s);
}

/* What one rank finds: t and c of a system, the Hessian of a model, and the target of an undamped step. */
typedef struct findings {
    double t[O * N], c[O], hessian[M * M], target[M], change;
} findings;

static findings *all_findings; /* of every rank; shared */
static fathom_loss loss_of_story;

static fathom_status solve_story(fathom_context *context, fake_notes *notes, int rank)
{
    instance *s = make_instance(context, loss_of_story, true);
    findings *found = &all_findings[rank];
    int64_t gate[M] = {0, 1, 2, 3, 4};
    double eta[M] = {0.5, 0.25, 1, 2, 0}, slope[M] = {0.1, -0.2, 0.05, -0.1, -0.3}, total[O] = {0, 0};
    static double adjoint[M * O * D];
    const fathom_gated_support support = {USED, gate, eta}, candidates = {M, gate, eta};
    fathom_gated_engine engine;
    fathom_gated_model model = {0};
    (void)notes;
    fathom_status status = fathom_gated_engine_create(&engine, &s->problem);
    FATHOM_THEN(status, fathom_gated_engine_prepare(&engine, &support, s->f, 0));
    memcpy(found->t, s->v, sizeof found->t);
    FATHOM_THEN(status, fathom_gated_engine_solve(found->t, found->c, &engine, total, 1e-3));
    if (status == FATHOM_OK)
        fathom_gated_adjoint(adjoint, &s->problem, (fathom_gated_list){M, 0, NULL}, s->v, O, 1,
                             engine.workspace);
    FATHOM_THEN(status, fathom_gated_model_create(&model, &engine, &candidates, adjoint, slope));
    if (status == FATHOM_OK)
        memcpy(found->hessian, model.hessian, sizeof found->hessian);
    FATHOM_THEN(status, fathom_gated_model_target(found->target, &found->change, &model, slope, 0));
    FATHOM_THEN(status, fathom_rows_failure());
    fathom_gated_model_clear(&model);
    fathom_gated_engine_clear(&engine);
    free(s);
    return status;
}

static void ranks_have_the_bits_of_one(void **state)
{
    static const fathom_loss losses[] = {FATHOM_LOSS_SQUARED, FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_SOFTMAX};
    const size_t bytes = FAKE_MOST * sizeof *all_findings;
    findings *first = malloc(sizeof *first);
    (void)state;
    assert_non_null(first);
    all_findings = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(all_findings != MAP_FAILED);
    for (size_t l = 0; l < sizeof losses / sizeof losses[0]; l++)
        for (int ranks = 1; ranks <= 3; ranks++) {
            loss_of_story = losses[l];
            memset(all_findings, 0, bytes);
            fake_notes *notes = fake_run(solve_story, ranks);
            if (ranks == 1)
                memcpy(first, all_findings, sizeof *first);
            for (int r = 0; r < ranks; r++) {
                assert_int_equal(notes->status[r], FATHOM_OK);
                assert_memory_equal(&all_findings[r], first, sizeof *first);
            }
            assert_true(isfinite(first->change) && first->hessian[0] > 0);
            fake_forget(notes);
        }
    munmap(all_findings, bytes);
    free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adjoint_is_the_sum_over_all_points),
        cmocka_unit_test(ranks_have_the_bits_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
