/* SPDX-License-Identifier: Apache-2.0 */
/* Local descent: values against sums in double, gradients against differences, descent that descends, weight decay that is the path norm. */
#include "testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "float_rows.h"
#include "local.h"
#include "random.h"

enum { N = 150, D = 5, OUTPUTS = 3, WIDTH = 8, SIZE = 4096, ROOM = 200000 };

enum { KINDS = 36 }; /* losses, biases, networks, linear functions, gates, dense and sparse rows */

static float x[N * D + FATHOM_FLOAT_ROOM], y[N * OUTPUTS], weight[N], theta[SIZE], work[ROOM];
static unsigned char open_gates[N * WIDTH];
static float entry[N * D];
static int32_t column[N * D];
static int64_t row_start[N + 1], row_number[N];
static fathom_local_sparse sparse_rows = {row_start, row_number, column, entry, 0};

/* The rows of x in compressed form, the last first. */
static void compress(void)
{
    int64_t count = 0;
    for (int64_t r = 0; r < N; r++) {
        const int64_t i = N - 1 - r;
        row_start[r] = count;
        row_number[i] = r;
        for (int64_t l = 0; l < D; l++)
            if (x[i * D + l] != 0) {
                column[count] = (int32_t)l;
                entry[count++] = x[i * D + l];
            }
    }
    row_start[N] = count;
}

static const fathom_loss LOSSES[] = {FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_SOFTMAX, FATHOM_LOSS_SQUARED};

/* One of every kind: three losses, networks, linear functions and gates, with and without free biases, dense and sparse. */
static fathom_local_problem draw(uint32_t trial)
{
    const fathom_loss loss = LOSSES[trial % 3];
    const int64_t outputs = loss == FATHOM_LOSS_LOGISTIC ? 1 : OUTPUTS;
    const bool biased = trial / 3 % 2, gated = trial / 6 % 3 == 2, sparse = trial / 18 % 2;
    for (int64_t t = 0; t < N * D; t++)
        x[t] = biased && t % D == D - 1 ? 1
               : sparse && t % 3 == 0
                   ? 0
                   : (float)fathom_random_normal(3, FATHOM_STREAM_DATA, trial, (uint64_t)t);
    for (int64_t t = 0; t < N * WIDTH; t++)
        open_gates[t] = fathom_random_uniform(4, FATHOM_STREAM_GATE, trial, (uint64_t)t) > 0.5;
    compress();
    for (int64_t i = 0; i < N; i++) {
        const int64_t class =
            (int64_t)(3 * fathom_random_uniform(3, FATHOM_STREAM_LABEL, trial, (uint64_t)i));
        weight[i] = (float)(0.5 + fathom_random_uniform(3, FATHOM_STREAM_SAMPLE, trial, (uint64_t)i));
        for (int64_t k = 0; k < outputs; k++)
            y[i * outputs + k] = loss == FATHOM_LOSS_LOGISTIC  ? (class > 0 ? 1.0F : -1.0F)
                                 : loss == FATHOM_LOSS_SOFTMAX ? (k == class ? 1.0F : 0.0F)
                                                               : (float)class - 0.3F * (float)k;
    }
    return (fathom_local_problem){.n = N,
                                  .d = D,
                                  .outputs = outputs,
                                  .x = x,
                                  .y = y,
                                  .weight = weight,
                                  .loss = loss,
                                  .width = trial / 6 % 3 == 1 ? 0 : WIDTH,
                                  .gated = gated,
                                  .open = open_gates,
                                  .sparse = sparse ? &sparse_rows : NULL,
                                  .free_last = biased,
                                  .constant = biased,
                                  .beta = 0.7};
}

/* The naive twin: everything in double, one row after the other, from the definition. */
static double twin(const fathom_local_problem *p, const float *at)
{
    const int64_t width = p->gated       ? p->width * p->outputs
                          : p->width > 0 ? p->width
                                         : fathom_float_width(p->outputs);
    const float *outer = fathom_local_outer(p, at), *c = fathom_local_constant(p, at);
    double value = 0, square = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double f[OUTPUTS], target[OUTPUTS];
        for (int64_t k = 0; k < p->outputs; k++) {
            f[k] = (double)c[k];
            target[k] = (double)p->y[i * p->outputs + k];
        }
        for (int64_t j = 0; j < width; j++) {
            double h = 0;
            for (int64_t l = 0; l < p->d; l++)
                h += (double)at[l * width + j] * (double)p->x[i * p->d + l];
            for (int64_t k = 0; k < p->outputs; k++)
                f[k] += p->gated       ? (j / p->width == k && p->open[i * p->width + j % p->width]
                                              ? h * (double)outer[j % p->width]
                                              : 0)
                        : p->width > 0 ? fmax(h, 0) * (double)outer[k * width + j]
                        : k == j       ? h
                                       : 0;
        }
        value += (double)p->weight[i] * fathom_loss_value(p->loss, f, target, p->outputs);
    }
    for (int64_t t = 0; t < (p->d - (p->free_last ? 1 : 0)) * width; t++)
        square += (double)at[t] * (double)at[t];
    for (int64_t t = 0; t < p->width * (p->gated ? 1 : p->outputs); t++)
        square += (double)outer[t] * (double)outer[t];
    return value + 0.5 * p->beta * square;
}

/* Single precision over N rows of D products: a few hundred roundings of 6e-8. */
static void values_agree_with_the_twin(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < KINDS; trial++) {
        const fathom_local_problem p = draw(trial);
        fathom_local_start(theta, &p, 5, trial);
        assert_true(fathom_local_room(&p) <= ROOM && fathom_local_size(&p) <= SIZE);
        const double expected = twin(&p, theta);
        assert_close(fathom_local_value(NULL, &p, theta, work), expected, 500 * 6e-8 * expected);
    }
}

/* Central differences of the twin: exact to step^2, kinks of a few rows aside. */
static void gradients_agree_with_differences(void **state)
{
    (void)state;
    static float gradient[SIZE], at[SIZE];
    for (uint32_t trial = 0; trial < KINDS; trial++) {
        const fathom_local_problem p = draw(trial);
        const int64_t size = fathom_local_size(&p), constants = size - p.outputs;
        fathom_local_start(theta, &p, 5, trial);
        fathom_local_value(gradient, &p, theta, work);
        for (int64_t t = 0; t < size; t++) {
            const float step = 0.00000762939453125F;
            memcpy(at, theta, sizeof at);
            at[t] = theta[t] + step;
            const double above = twin(&p, at), up = (double)at[t];
            at[t] = theta[t] - step;
            const double slope = (above - twin(&p, at)) / (up - (double)at[t]);
            if (t >= constants && !p.constant)
                assert_true(gradient[t] == 0);
            else if (p.width > 0 || t >= constants || t % fathom_float_width(p.outputs) < p.outputs)
                assert_close((double)gradient[t], slope, 0.02 * fmax(1, fabs(slope)));
        }
    }
}

/* Steps never go up, and more steps go no higher; the balanced form: at the end |u_j| = |w_j| nearly, so that weight decay is the
 * path norm. */
static void descent_descends_to_balance(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint32_t trial = 0; trial < 6; trial++) {
        const fathom_local_problem p = draw(trial);
        fathom_local_start(theta, &p, 5, trial);
        double before = fathom_local_value(NULL, &p, theta, work);
        for (int k = 0; k < 8; k++) {
            const double now = fathom_local_descend(theta, &p, context, 40, work);
            assert_true(now <= before);
            before = now;
        }
        double decay = 0, path = 0;
        for (int64_t j = 0; j < p.width; j++) {
            double u = 0, w = 0;
            for (int64_t l = 0; l < p.d - (p.free_last ? 1 : 0); l++)
                u += pow((double)theta[l * p.width + j], 2);
            for (int64_t k = 0; k < p.outputs; k++)
                w += pow((double)fathom_local_outer(&p, theta)[k * p.width + j], 2);
            decay += (u + w) / 2;
            path += sqrt(u * w);
        }
        assert_true(path <= decay * (1 + 1e-9) && decay <= path * 1.05 + 1e-3);
    }
    fathom_context_free(context);
}

/* A path keeps every point that it is asked for and goes around the others. */
static void paths_pass_over_dropped_points(void **state)
{
    (void)state;
    static float path[4 * SIZE], once[4 * SIZE];
    fathom_context *context;
    const double beta[] = {0.1, 0.5, 1, 4};
    const bool keep[] = {true, false, true, true};
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    const fathom_local_problem p = draw(3);
    const int64_t size = fathom_local_size(&p);
    assert_int_equal(fathom_local_path(path, &p, context, beta, keep, 4, 20, 10, 1, 0, work), 4);
    assert_memory_equal(path, path + size, (size_t)size * sizeof *path); /* left as the one before */
    assert_int_equal(fathom_local_path(once, &p, context, beta, keep, 4, 20, 10, 1, 0, work), 4);
    assert_memory_equal(path, once, (size_t)(4 * size) * sizeof *path);
    fathom_context_interrupt(context);
    assert_int_equal(fathom_local_path(once, &p, context, beta, NULL, 4, 20, 10, 1, 0, work), 1);
    fathom_context_free(context);
}

/* A stop is heard inside an evaluation; a path that is stopped before it knows one value is the best constant, not a start at
 * random. */
static void a_stop_leaves_the_constant(void **state)
{
    (void)state;
    fathom_context *context;
    const double beta[] = {0.1, 0.5};
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_context_interrupt(context);
    for (uint32_t trial = 0; trial < KINDS; trial++) {
        static float path[2 * SIZE], before[SIZE];
        fathom_local_problem p = draw(trial);
        const int64_t size = fathom_local_size(&p);
        fathom_local_start(theta, &p, 5, trial);
        assert_true(isfinite(fathom_local_value(NULL, &p, theta, work)));
        p.context = context;
        assert_true(isinf(fathom_local_value(NULL, &p, theta, work)));
        memcpy(before, theta, sizeof before);
        assert_true(isinf(fathom_local_descend(theta, &p, context, 20, work)));
        assert_memory_equal(before, theta, (size_t)size * sizeof *theta);
        assert_int_equal(fathom_local_path(path, &p, context, beta, NULL, 2, 20, 10, 5, trial, work), 1);
        for (int64_t t = 0; t < size; t++)
            assert_true(path[t] == (t < size - p.outputs ? 0 : theta[t]));
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_agree_with_the_twin),  cmocka_unit_test(gradients_agree_with_differences),
        cmocka_unit_test(descent_descends_to_balance), cmocka_unit_test(paths_pass_over_dropped_points),
        cmocka_unit_test(a_stop_leaves_the_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
