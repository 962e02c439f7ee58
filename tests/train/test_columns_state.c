/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training over all ReLU networks, interrupted and resumed: the same bits as in one go, wherever it was interrupted, for every
 * lower side (exact prices, the joint relaxation, the tree, output by output), loss and bias; files of other problems and
 * damaged ones are refused.
 */
#include "testing.h"

#include <math.h>
#include <unistd.h>
#include <stdio.h>
#include <string.h>

#include "fathom/train.h"
#include "npz.h"
#include "random.h"

static const char *const path = "test_columns_state.npz";

typedef struct trial {
    int64_t n, d, outputs;
    int loss, bias;
    double beta_rel, gap;
} trial;

static const trial trials[] = {
    {40, 3, 1, FATHOM_TRAIN_SQUARED, FATHOM_BIAS_NONE, 0.1, 1e-6},
    {12, 2, 1, FATHOM_TRAIN_EQUALITY, FATHOM_BIAS_FREE, NAN, 1e-6},
    {30, 7, 1, FATHOM_TRAIN_SQUARED, FATHOM_BIAS_NONE, 0.1, 1e-2},
    {30, 7, 1, FATHOM_TRAIN_LOGISTIC, FATHOM_BIAS_NONE, 0.4, 3e-2},
    {24, 6, 1, FATHOM_TRAIN_HINGE, FATHOM_BIAS_FREE, 0.3, 1e-2},
    {20, 4, 2, FATHOM_TRAIN_SQUARED, FATHOM_BIAS_NONE, 0.2, 0.1},
    {16, 6, 1, FATHOM_TRAIN_SQUARED, FATHOM_BIAS_NONE, 0.05, 1e-3},
    {9, 12, 1, FATHOM_TRAIN_SQUARED, FATHOM_BIAS_FREE, 0.2, 1e-2},
};

/* Calls of the progress function, the last of them by the lower side (the network is looked at once more when the gap is reached), and the
 * one that interrupts (-1: none). */
typedef struct counter {
    int64_t calls, below, stop;
} counter;

static bool tick(void *user, const fathom_progress *progress)
{
    counter *c = user;
    c->calls++;
    if (strcmp(progress->stage, "network") != 0 && strcmp(progress->stage, "faces") != 0)
        c->below = c->calls;
    return c->calls == c->stop;
}

static fathom_train_options options_of(const trial *t)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.method = FATHOM_TRAIN_COLUMNS;
    options.loss = t->loss;
    options.gap = t->gap;
    if (!isnan(t->beta_rel))
        options.beta_rel = t->beta_rel;
    return options;
}

/* A run: the context that its network lives in, and what came of it. */
typedef struct run {
    fathom_context *context;
    fathom_train_result result;
    fathom_status status;
    int64_t calls;
} run;

/* Trains on data drawn from `seed`; `stop` as in the counter. */
static void train(run *r, const trial *t, const fathom_train_options *options, int64_t stop, uint64_t seed)
{
    double x[240], y[40];
    counter c = {0, 0, stop};
    fathom_data *data;
    fathom_data_options how;
    fathom_options_init(&how, &fathom_data_option_table);
    how.bias = t->bias;
    const int64_t size = t->n * t->outputs;
    assert_true(t->n * t->d <= 240 && size <= 40);
    fathom_random_normals(x, t->n * t->d, seed, FATHOM_STREAM_DATA, 0, 0);
    fathom_random_normals(y, size, seed, FATHOM_STREAM_LABEL, 0, 0);
    for (int64_t i = 0; i < size && (t->loss == FATHOM_TRAIN_LOGISTIC || t->loss == FATHOM_TRAIN_HINGE); i++)
        y[i] = y[i] < 0 ? -1 : 1;
    assert_int_equal(fathom_context_create(&r->context, NULL), FATHOM_OK);
    fathom_context_set_threads(r->context, 1);
    fathom_context_set_progress(r->context, tick, &c);
    assert_ok(r->context,
              fathom_data_create(&data, r->context, t->n, t->d, x, t->d, t->outputs, y, NULL, &how));
    r->status = fathom_train(&r->result, r->context, data, NULL, options);
    r->calls = c.below;
    fathom_data_free(data);
}

static void end(run *r)
{
    if (r->status == FATHOM_OK)
        fathom_train_result_clear(&r->result);
    fathom_context_free(r->context);
}

static void same_bits(const run *one, const run *other)
{
    const fathom_train_result *a = &one->result, *b = &other->result;
    const fathom_net_shape shape = fathom_net_look(a->net);
    const fathom_net_weights w = fathom_net_lend(a->net), z = fathom_net_lend(b->net);
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->neurons, b->neurons);
    assert_int_equal(a->iterations, b->iterations);
    assert_string_equal(a->bound_method, b->bound_method);
    assert_memory_equal(&a->objective, &b->objective, sizeof(double));
    assert_memory_equal(&a->lower_bound, &b->lower_bound, sizeof(double));
    assert_int_equal(shape.m, fathom_net_look(b->net).m);
    assert_memory_equal(w.u, z.u, (size_t)(shape.m * shape.d) * sizeof(double));
    assert_memory_equal(w.w, z.w, (size_t)(shape.m * shape.outputs) * sizeof(double));
    if (shape.hidden_bias)
        assert_memory_equal(w.b, z.b, (size_t)shape.m * sizeof(double));
}

/* Whether the file of a run that is under way holds a tree. */
static bool has_tree(fathom_context *context)
{
    fathom_npz *npz;
    assert_ok(context, fathom_npz_open(&npz, context, path));
    const bool has = fathom_npz_has(npz, "tree_node");
    fathom_npz_close(npz);
    return has;
}

/* Interrupted on the way, then once more, then left to end; every third problem with less than the usual effort. */
static void resumed_runs_give_the_same_bits(void **state)
{
    (void)state;
    bool tree = false;
    int interrupted = 0; /* before the gap was reached */
    const size_t step = test_briefly() ? 3 : 1;
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k += step) {
        fathom_train_options options = options_of(trials + k);
        run whole, first, second, last;
        train(&whole, trials + k, &options, -1, 3);
        assert_ok(whole.context, whole.status);
        options.checkpoint = path;
        unlink(path);
        train(&first, trials + k, &options, 1 + whole.calls * (k % 2 ? 4 : 8) / 9, 3);
        if (access(path, F_OK) != 0) { /* ended while it looked for its start, before there was a state */
            end(&first);
            train(&first, trials + k, &options, 1 + whole.calls * 8 / 9, 3);
        }
        assert_ok(first.context, first.status);
        assert_int_equal(first.result.end == FATHOM_END_INTERRUPTED,
                         first.result.status == FATHOM_TRAIN_LIMIT);
        interrupted += first.result.end == FATHOM_END_INTERRUPTED;
        options.resume = path;
        train(&second, trials + k, &options, 1 + whole.calls / 8, 3);
        assert_ok(second.context, second.status);
        tree = tree || has_tree(second.context);
        options.checkpoint = NULL;
        train(&last, trials + k, &options, -1, 3);
        assert_ok(last.context, last.status);
        same_bits(&whole, &last);
        end(&whole);
        end(&first);
        end(&second);
        end(&last);
    }
    assert_true(interrupted >= 5 || step > 1);
    assert_true(tree || step > 1); /* one of them at least was in the middle of branching */
    remove(path);
}

/* The bound of a run that is cut short anywhere is not lost: a run that is resumed, and stopped at once, has it. */
static void bounds_of_interrupted_runs_stay(void **state)
{
    (void)state;
    skip_if_brief();
    for (int part = 1; part < 8; part += test_briefly() ? 4 : 2) {
        const trial *t = trials + (part < 4 ? 2 : 4);
        fathom_train_options options = options_of(t);
        run whole, first, second;
        train(&whole, t, &options, -1, 3);
        options.checkpoint = path;
        train(&first, t, &options, 1 + whole.calls * part / 8, 3);
        assert_ok(first.context, first.status);
        options.resume = path;
        train(&second, t, &options, 1, 3);
        assert_ok(second.context, second.status);
        assert_true(second.result.lower_bound >= first.result.lower_bound);
        assert_true(second.result.lower_bound <= whole.result.objective);
        end(&second);
        train(&second, t, &options, 1, 3); /* and once more */
        assert_ok(second.context, second.status);
        assert_true(second.result.lower_bound >= first.result.lower_bound);
        end(&whole);
        end(&first);
        end(&second);
    }
    remove(path);
}

/* The state at a normal end: resumed with the same gap there is nothing to do, with a smaller one the run goes on. */
static void finished_runs_go_on_with_another_gap(void **state)
{
    (void)state;
    fathom_train_options options = options_of(trials + 2);
    run wide, again, narrow;
    options.gap = 0.05;
    options.checkpoint = path;
    train(&wide, trials + 2, &options, -1, 3);
    assert_ok(wide.context, wide.status);
    options.checkpoint = NULL;
    options.resume = path;
    train(&again, trials + 2, &options, -1, 3);
    assert_ok(again.context, again.status);
    same_bits(&wide, &again);
    options.gap = 0.01;
    train(&narrow, trials + 2, &options, -1, 3);
    assert_ok(narrow.context, narrow.status);
    assert_int_equal(narrow.result.status, FATHOM_TRAIN_CERTIFIED);
    assert_true(narrow.result.relative_gap <= 0.01);
    assert_true(narrow.result.lower_bound >= wide.result.lower_bound);
    end(&wide);
    end(&again);
    end(&narrow);
    remove(path);
}

static void refused(const trial *t, const fathom_train_options *options, uint64_t seed)
{
    run r;
    train(&r, t, options, -1, seed);
    assert_int_equal(r.status, FATHOM_ERROR_INPUT);
    end(&r);
}

/* Replaces the file by its first `size` bytes (0: all) with 64 of them changed: more than what an archive does not check, its
 * times. */
static void damage(long size, long at)
{
    char bytes[200000];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t read = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true((size_t)size <= read && at + 64 <= (long)read);
    size = size ? size : (long)read;
    for (long k = at; k < at + 64; k++)
        bytes[k] = (char)(bytes[k] ^ 0x55);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
    fclose(file);
}

static void foreign_and_damaged_files_are_refused(void **state)
{
    (void)state;
    fathom_train_options options = options_of(trials + 2), other;
    run r;
    options.checkpoint = path;
    train(&r, trials + 2, &options, -1, 3);
    assert_ok(r.context, r.status);
    end(&r);
    options.checkpoint = NULL;
    options.resume = path;
    refused(trials + 2, &options, 4); /* other data */
    other = options;
    other.beta_rel = 0.31;
    refused(trials + 2, &other, 3);
    trial biased = trials[2];
    biased.bias = FATHOM_BIAS_FREE;
    refused(&biased, &options, 3);
    damage(0, 200); /* in the first member, which is always read: a checksum of the archive */
    refused(trials + 2, &options, 3);
    damage(3000, 100);
    refused(trials + 2, &options, 3);
    other = options;
    other.resume = "no_such_file.npz";
    train(&r, trials + 2, &other, -1, 3);
    assert_int_not_equal(r.status, FATHOM_OK);
    end(&r);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_runs_give_the_same_bits),
        cmocka_unit_test(bounds_of_interrupted_runs_stay),
        cmocka_unit_test(finished_runs_go_on_with_another_gap),
        cmocka_unit_test(foreign_and_damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
