/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fit: the rule of the choice, scores against their definitions, folds with their share of every class, and the whole on data of every
 * task: better than a constant where there is something to learn, bounds in order, the same bits for any number of threads.
 */
#include "testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit_internal.h"
#include "float_rows.h"
#include "memory.h"
#include "random.h"

enum { RELU = 1, GATED }; /* --model */

static fathom_context *context;

static int open_context(void **state)
{
    (void)state;
    return fathom_context_create(&context, NULL) == FATHOM_OK ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    fathom_context_free(context);
    return 0;
}

static fathom_data *open_data(const char *spec, const fathom_fit_options *options)
{
    fathom_data *data;
    fathom_data_options prepare;
    fathom_options_init(&prepare, &fathom_data_option_table);
    prepare.normalize = FATHOM_NORMALIZE_STANDARDIZE;
    prepare.bias = FATHOM_BIAS_FREE;
    assert_int_equal(fathom_data_open(&data, context, spec, &prepare), FATHOM_OK);
    assert_int_equal(fathom_fit_set_bias(context, data, options), FATHOM_OK);
    return data;
}

static fathom_fit_options defaults(void)
{
    fathom_fit_options options;
    fathom_options_init(&options, &fathom_fit_option_table);
    options.time = 0;
    return options;
}

/* Penalties ascend; losses fall and rise. One standard error is 0.1. */
static void the_rule_takes_what_it_says(void **state)
{
    (void)state;
    fathom_fit_candidate table[5] = {{0}};
    const double loss[] = {0.5, 0.3, 0.2, 0.25, 0.4};
    for (int k = 0; k < 5; k++) {
        table[k].score[FATHOM_FIT_LOG_LOSS] = (fathom_fit_estimate){loss[k], 0.1};
        table[k].score[FATHOM_FIT_ACCURACY] = (fathom_fit_estimate){1 - loss[k], 0.01};
    }
    assert_int_equal(fit_pick(table, 5, FATHOM_FIT_LOG_LOSS, FATHOM_FIT_BEST), 2);
    assert_int_equal(fit_pick(table, 5, FATHOM_FIT_ACCURACY, FATHOM_FIT_BEST), 2);
    assert_int_equal(fit_pick(table, 5, FATHOM_FIT_LOG_LOSS, FATHOM_FIT_ONE_SE), 3);
    assert_int_equal(fit_pick(table, 5, FATHOM_FIT_ACCURACY, FATHOM_FIT_ONE_SE), 2);
    table[2].dropped = true;
    assert_int_equal(fit_pick(table, 5, FATHOM_FIT_LOG_LOSS, FATHOM_FIT_BEST), 3);
    for (int k = 0; k < 5; k++)
        table[k].score[FATHOM_FIT_LOG_LOSS].mean = NAN; /* nothing is known */
    assert_int_equal(fit_pick(table, 5, FATHOM_FIT_LOG_LOSS, FATHOM_FIT_BEST), 2);
}

/* Every fold has its share of every class, to one. */
static void folds_are_stratified(void **state)
{
    (void)state;
    fathom_fit_options options = defaults();
    options.repeats = 3;
    fathom_data *data = open_data("builtin:iris", &options);
    fit_problem p;
    assert_int_equal(fit_problem_open(&p, context, data, &options), FATHOM_OK);
    assert_int_equal(p.task, FATHOM_FIT_MULTICLASS);
    for (int64_t r = 0; r < 3; r++) {
        int64_t count[3][5] = {{0}};
        for (int64_t i = 0; i < p.n; i++)
            count[(int)p.target[i]][p.fold[r * p.n + i]]++;
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 5; a++)
                assert_int_equal(count[k][a], 10);
    }
    assert_memory_not_equal(p.fold, p.fold + p.n, (size_t)p.n * sizeof *p.fold);
    fit_problem_close(&p);
    fathom_data_free(data);
}

/* The ROC curve of drawn outputs: its area by trapezes is the share of pairs in order, ties as half. */
static void the_curve_has_the_area_of_its_pairs(void **state)
{
    (void)state;
    const fathom_fit_options options = defaults();
    fathom_data *data = open_data("gen:xor,n=60", &options);
    fit_problem p;
    static float f[60];
    fathom_fit_result result = {0};
    assert_int_equal(fit_problem_open(&p, context, data, &options), FATHOM_OK);
    const fit_candidates c = {.problem = &p, .points = 1, .output = f};
    double pairs = 0, ordered = 0, area = 0;
    for (int64_t i = 0; i < 60; i++)
        f[i] = (float)(floor(4 * fathom_random_normal(5, FATHOM_STREAM_SAMPLE, 0, (uint64_t)i)) / 4 +
                       0.5 * p.target[i]);
    for (int64_t i = 0; i < 60; i++)
        for (int64_t k = 0; k < 60; k++)
            if (p.target[i] > 0 && !(p.target[k] > 0)) {
                pairs++;
                ordered += f[i] > f[k] ? 1 : f[i] == f[k] ? 0.5 : 0;
            }
    assert_int_equal(fit_curve(&result, &c), FATHOM_OK);
    assert_close(result.curve[0].x + result.curve[0].y, 0, 0);
    assert_close(result.curve[result.curve_points - 1].x + result.curve[result.curve_points - 1].y, 2, 0);
    for (int64_t k = 1; k < result.curve_points; k++)
        area += (result.curve[k].x - result.curve[k - 1].x) * (result.curve[k].y + result.curve[k - 1].y) / 2;
    assert_close(area, ordered / pairs, 1e-12);
    fathom_memory_free(context, result.curve);
    fit_problem_close(&p);
    fathom_data_free(data);
}

/* Log-loss, accuracy and AUC of drawn outputs against sums over rows and over all pairs. */
static void scores_agree_with_their_definitions(void **state)
{
    (void)state;
    const fathom_fit_options options = defaults();
    fathom_data *data = open_data("gen:xor,n=60", &options);
    fit_problem p;
    static float f[60];
    fathom_fit_estimate score[FATHOM_FIT_SCORES];
    assert_int_equal(fit_problem_open(&p, context, data, &options), FATHOM_OK);
    for (int64_t i = 0; i < 60; i++) /* ties among them */
        f[i] = (float)(floor(4 * fathom_random_normal(2, FATHOM_STREAM_SAMPLE, 0, (uint64_t)i)) / 4 +
                       0.5 * p.target[i]);
    assert_int_equal(fit_score(score, &p, f, 60, p.folds, 1, true), FATHOM_OK);
    double loss = 0, right = 0, area = 0, folds[5] = {0}, square = 0;
    for (int64_t i = 0; i < 60; i++) {
        const double one = log(1 + exp(p.target[i] > 0 ? -(double)f[i] : (double)f[i]));
        loss += one / 60;
        right += (f[i] > 0) == (p.target[i] > 0) ? 1.0 / 60 : 0;
        folds[p.fold[i]] += one;
    }
    for (int a = 0; a < 5; a++) {
        double pairs = 0, ordered = 0, count = 0;
        for (int64_t i = 0; i < 60; i++) {
            count += p.fold[i] == a;
            for (int64_t j = 0; j < 60; j++)
                if (p.fold[i] == a && p.fold[j] == a && p.target[i] > p.target[j]) {
                    pairs++;
                    ordered += f[i] > f[j] ? 1 : f[i] == f[j] ? 0.5 : 0;
                }
        }
        area += ordered / pairs / 5;
        square += pow(folds[a] / count - loss, 2);
    }
    assert_close(score[FATHOM_FIT_LOG_LOSS].mean, loss, 200 * UNIT_ROUNDOFF * loss);
    assert_close(score[FATHOM_FIT_LOG_LOSS].se, sqrt(square / 20), 1e-12);
    assert_close(score[FATHOM_FIT_ACCURACY].mean, right, 200 * UNIT_ROUNDOFF);
    assert_close(score[FATHOM_FIT_AUC].mean, area, 200 * UNIT_ROUNDOFF);
    assert_true(isnan(score[FATHOM_FIT_MSE].mean));
    fit_problem_close(&p);
    fathom_data_free(data);
}

/* Several classes: each against the rest by its probability, in every fold, as the share of pairs in order; without areas all but
 * they are the same. */
static void areas_of_several_classes_are_shares_of_pairs(void **state)
{
    (void)state;
    const fathom_fit_options options = defaults();
    fathom_data *data = open_data("builtin:iris", &options);
    fit_problem p;
    static float f[150 * 3];
    fathom_fit_estimate score[FATHOM_FIT_SCORES], plain[FATHOM_FIT_SCORES];
    assert_int_equal(fit_problem_open(&p, context, data, &options), FATHOM_OK);
    for (uint32_t trial = 0; trial < 4; trial++) {
        double area = 0;
        for (int64_t t = 0; t < 450; t++) /* of 0 both signs, ties, and values far apart */
            f[t] = (float)(pow(10, 2 * (trial % 3)) *
                           floor(2 * fathom_random_normal(4, FATHOM_STREAM_SAMPLE, trial, (uint64_t)t)) *
                           (t % 2 ? 0.5 : -0.5));
        for (int64_t t = 0; t < 15; t++) { /* fold a, class k, pairs (i, j) */
            const int64_t a = t % 5, k = t / 5;
            double pairs = 0, ordered = 0;
            for (int64_t i = 0; i < p.n; i++)
                for (int64_t j = 0; j < p.n; j++)
                    if (p.fold[i] == a && p.fold[j] == a && (int64_t)p.target[i] == k &&
                        (int64_t)p.target[j] != k) {
                        const double x = fit_probability(&p, f + i * 3, k),
                                     y = fit_probability(&p, f + j * 3, k);
                        pairs++;
                        ordered += x > y ? 1 : x == y ? 0.5 : 0;
                    }
            area += ordered / pairs / 15;
        }
        assert_int_equal(fit_score(score, &p, f, 450, p.folds, 1, true), FATHOM_OK);
        assert_close(score[FATHOM_FIT_AUC].mean, area, 400 * UNIT_ROUNDOFF);
        assert_int_equal(fit_score(plain, &p, f, 450, p.folds, 1, false), FATHOM_OK);
        assert_true(isnan(plain[FATHOM_FIT_AUC].mean));
        assert_true(plain[FATHOM_FIT_LOG_LOSS].mean == score[FATHOM_FIT_LOG_LOSS].mean &&
                    plain[FATHOM_FIT_ACCURACY].mean == score[FATHOM_FIT_ACCURACY].mean);
    }
    fit_problem_close(&p);
    fathom_data_free(data);
}

/* The worse side of two, as a score. */
static bool better(const fathom_fit_result *r, const fathom_fit_rival *rival)
{
    return r->candidate[r->chosen].score[r->score].mean < rival->score[r->score].mean;
}

static void what_is_there_is_learned(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        fathom_fit_task task;
    } cases[] = {{"gen:xor,n=200,sd=0.3", FATHOM_FIT_BINARY},
                 {"builtin:iris", FATHOM_FIT_MULTICLASS},
                 {"gen:gauss,n=200,d=3,target=teacher,noise=0.1", FATHOM_FIT_REGRESSION}};
    for (int k = 0; k < 3; k++) {
        fathom_fit_options options = defaults();
        fathom_fit_result r;
        options.time = 0.2;
        fathom_data *data = open_data(cases[k].spec, &options);
        assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
        assert_int_equal(r.task, cases[k].task);
        assert_int_equal(r.rivals, 2);
        assert_true(better(&r, r.rival));
        if (k != 1) /* not linear */
            assert_true(better(&r, r.rival + 1));
        assert_true(r.train.lower_bound <= r.train.objective);
        assert_true(r.train.objective <=
                    r.train.loss + r.train.beta * r.train.norm + 1e-9 * r.train.objective);
        fathom_fit_result_clear(&r, context);
        fathom_data_free(data);
    }
}

/* Pure noise: the largest penalty, or none better than a constant, and a word about it. */
static void noise_is_called_noise(void **state)
{
    (void)state;
    fathom_fit_options options = defaults();
    fathom_fit_result r;
    fathom_data *data = open_data("gen:gauss,n=120,d=5,target=sign", &options);
    assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
    assert_true(r.warnings > 0);
    fathom_fit_result_clear(&r, context);
    fathom_data_free(data);
}

static bool warns_of(const fathom_fit_result *r, const char *words)
{
    for (int64_t k = 0; k < r->warnings; k++)
        if (strstr(r->warning[k], words))
            return true;
    return false;
}

/* Logistic in x0 + x1 where `bend` is 0, in |x0| - x1 where it is 1; one label in `rare` is the first. */
static fathom_data *make_labels(uint64_t seed, int bend, int rare, const fathom_fit_options *options)
{
    enum { N = 300 };
    double x[N * 3], y[N];
    fathom_data *data;
    fathom_data_options prepare;
    fathom_options_init(&prepare, &fathom_data_option_table);
    prepare.normalize = FATHOM_NORMALIZE_STANDARDIZE;
    for (uint64_t i = 0; i < N; i++) {
        for (uint64_t l = 0; l < 3; l++)
            x[i * 3 + l] = fathom_random_normal(seed, FATHOM_STREAM_DATA, 0, i * 3 + l);
        const double f = bend ? 4 * (fabs(x[i * 3]) - 0.7) - x[i * 3 + 1] : x[i * 3] + x[i * 3 + 1];
        const double noise = fathom_random_uniform(seed, FATHOM_STREAM_LABEL, 0, i);
        y[i] = rare ? (i % (uint64_t)rare == 0 ? 0 : 1) : (noise < 1 / (1 + exp(-f)) ? 1 : 0);
    }
    assert_int_equal(fathom_data_create(&data, context, N, 3, x, 3, 1, y, NULL, &prepare), FATHOM_OK);
    assert_int_equal(fathom_fit_set_bias(context, data, options), FATHOM_OK);
    return data;
}

/* Where a line says all there is to say, a word about it; where classes bend, none. Nearly one class: a word, but
 * for --balance. False alarms: bends lead by more than ten standard errors. */
static void what_a_line_says_is_called_linear(void **state)
{
    (void)state;
    skip_if_brief();
    for (uint64_t seed = 1; seed <= 4; seed++) {
        fathom_fit_options options = defaults();
        fathom_fit_result r;
        for (int bend = 0; bend < 2; bend++) {
            fathom_data *data = make_labels(seed, bend, 0, &options);
            assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
            assert_true(warns_of(&r, "linear function") == !bend);
            assert_false(warns_of(&r, "accuracy says little"));
            fathom_fit_result_clear(&r, context);
            fathom_data_free(data);
        }
        options.balance = seed % 2 == 0;
        fathom_data *data = make_labels(seed, 0, 20, &options);
        assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
        assert_true(warns_of(&r, "accuracy says little") == !options.balance);
        fathom_fit_result_clear(&r, context);
        fathom_data_free(data);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    skip_if_brief();
    double objective[3], mean[3];
    for (int t = 0; t < 3; t++) {
        const fathom_fit_options options = defaults();
        fathom_fit_result r;
        fathom_context_set_threads(context, 1 + 2 * t);
        fathom_data *data = open_data("builtin:wdbc", &options);
        assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
        objective[t] = r.train.objective;
        mean[t] = r.candidate[r.chosen].score[FATHOM_FIT_LOG_LOSS].mean;
        fathom_fit_result_clear(&r, context);
        fathom_data_free(data);
    }
    assert_true(objective[0] == objective[1] && objective[1] == objective[2]);
    assert_true(mean[0] == mean[1] && mean[1] == mean[2]);
}

/* Networks without a fold are rewritten for the columns of all rows: their outputs stay, to single precision. Neurons and gates. */
static void networks_of_folds_keep_their_outputs(void **state)
{
    (void)state;
    skip_if_brief();
    fathom_fit_options options = defaults();
    fathom_data *data = open_data("builtin:wdbc", &options);
    fit_problem p;
    fit_candidates kind[FIT_KINDS];
    int64_t kinds;
    static float x[600 * 32 + FATHOM_FLOAT_ROOM], f[600], work[300000];
    int64_t row[600];
    for (options.model = RELU; options.model <= GATED; options.model++) {
        options.width = 24;
        assert_int_equal(fit_problem_open(&p, context, data, &options), FATHOM_OK);
        assert_int_equal(fit_kinds_open(kind, &kinds, &p), FATHOM_OK);
        assert_int_equal(kinds, 1);
        assert_true(kind->gated == (options.model == GATED));
        assert_int_equal(fit_run_parts(kind, -1, p.parts, "choosing"), FATHOM_OK);
        fathom_local_problem local = fit_local_problem(kind);
        local.open = kind->open;
        assert_true(fathom_local_room(&local) <= 300000);
        for (int64_t i = 0; i < p.n; i++)
            row[i] = i;
        fit_rows(x, kind, row, p.n);
        for (int64_t part = 0; part < p.parts; part++) {
            fathom_local_outputs(f, &local, fit_network(kind, part, 3), x, p.n, work);
            for (int64_t i = 0; i < p.n; i++)
                if (p.fold[i] == part)
                    assert_close((double)f[i], (double)fit_outputs(kind, 0, 3)[i],
                                 1e-3 * (1 + fabs((double)f[i])));
        }
        fit_kinds_close(kind, kinds);
        fit_problem_close(&p);
    }
    fathom_data_free(data);
}

/* Data of 200 rows, a fifth of the numbers there, as sparse rows or filled up. */
static fathom_data *open_sparse(bool sparse, bool numbers, fathom_bias bias)
{
    enum { ROWS = 200, COLUMNS = 20, FEW = 4 };
    static double x[ROWS * COLUMNS], y[ROWS], value[ROWS * FEW];
    static int64_t start[ROWS + 1];
    static int32_t column[ROWS * FEW];
    fathom_data *data;
    fathom_data_options prepare;
    fathom_options_init(&prepare, &fathom_data_option_table);
    prepare.bias = (int)bias;
    memset(x, 0, sizeof x);
    for (int64_t i = 0; i < ROWS; i++) {
        double sum = 0.3 * fathom_random_normal(8, FATHOM_STREAM_LABEL, 0, (uint64_t)i);
        for (int64_t e = 0; e < FEW; e++) {
            const int64_t l =
                5 * e + (int64_t)(5 * fathom_random_uniform(8, FATHOM_STREAM_GATE, (uint32_t)e, (uint64_t)i));
            value[i * FEW + e] = fathom_random_normal(8, FATHOM_STREAM_DATA, (uint32_t)e, (uint64_t)i);
            column[i * FEW + e] = (int32_t)l;
            x[i * COLUMNS + l] = value[i * FEW + e];
            sum += fabs(value[i * FEW + e]) - 0.8;
        }
        start[i] = i * FEW;
        y[i] = numbers ? sum : sum > 0;
    }
    start[ROWS] = ROWS * FEW;
    const fathom_sparse_rows rows = {ROWS, COLUMNS, start, column, value};
    assert_int_equal(
        sparse ? fathom_data_create_sparse(&data, context, &rows, 1, y, NULL, &prepare)
               : fathom_data_create(&data, context, ROWS, COLUMNS, x, COLUMNS, 1, y, NULL, &prepare),
        FATHOM_OK);
    return data;
}

/* Numbers or classes, neurons or gates, every bias: sparse rows are scored as the same rows filled up are, to single precision over
 * a hundred steps, and stay sparse. */
static void sparse_rows_say_what_dense_ones_say(void **state)
{
    (void)state;
    skip_if_brief();
    for (int trial = 0; trial < 8; trial++) {
        fathom_fit_options options = defaults();
        fathom_fit_result r[2];
        const bool numbers = trial / 2 % 2;
        options.model = trial % 2 ? GATED : RELU;
        for (int sparse = 0; sparse < 2; sparse++) {
            fathom_data *data =
                open_sparse(sparse, numbers, trial / 4 ? FATHOM_BIAS_FREE : FATHOM_BIAS_AUGMENT);
            assert_int_equal(fathom_fit(r + sparse, context, data, &options), FATHOM_OK);
            assert_true((fathom_data_look(data).x == NULL) == sparse);
            fathom_data_free(data);
        }
        const fathom_fit_score score = numbers ? FATHOM_FIT_MSE : FATHOM_FIT_LOG_LOSS;
        for (int64_t k = 0; k < r->count; k++) {
            const fathom_fit_estimate one = r[0].candidate[k].score[score],
                                      other = r[1].candidate[k].score[score];
            if (!r[0].candidate[k].dropped && !r[1].candidate[k].dropped)
                assert_close(one.mean, other.mean, 0.1 * one.mean);
        }
        if (r[0].chosen == r[1].chosen)
            assert_close(r[0].train.objective, r[1].train.objective, 0.05 * r[0].train.objective);
        assert_true(r[1].train.net && isfinite(r[1].train.objective));
        for (int sparse = 0; sparse < 2; sparse++)
            fathom_fit_result_clear(r + sparse, context);
    }
}

/* The same networks on sparse rows and on the same rows filled up: columns are worth the same, to single precision. */
static void columns_of_sparse_rows_are_worth_the_same(void **state)
{
    (void)state;
    skip_if_brief();
    for (int trial = 0; trial < 6; trial++) {
        fathom_fit_options options = defaults();
        fit_problem p[2];
        fit_candidates kind[2][FIT_KINDS];
        fathom_fit_result r[2] = {{0}};
        fathom_data *data[2];
        int64_t kinds;
        options.model = trial % 2 ? GATED : RELU;
        for (int s = 0; s < 2; s++) {
            data[s] = open_sparse(s, trial / 4, trial / 2 % 2 ? FATHOM_BIAS_FREE : FATHOM_BIAS_AUGMENT);
            assert_int_equal(fit_problem_open(p + s, context, data[s], &options), FATHOM_OK);
            assert_int_equal(fit_kinds_open(kind[s], &kinds, p + s), FATHOM_OK);
            kind[s]->chosen = 3;
            if (s == 0)
                assert_int_equal(fit_run_parts(kind[0], -1, p->parts, "choosing"), FATHOM_OK);
            else
                memcpy(kind[1]->network, kind[0]->network,
                       (size_t)((1 + p->parts) * kind[0]->points * kind[0]->size) * sizeof *kind[0]->network);
            assert_int_equal(fit_explain(r + s, kind[s]), FATHOM_OK);
        }
        assert_true(r[0].columns == 20 && r[1].columns == 20);
        for (int64_t k = 0; k < 20; k++) {
            int64_t j = 0;
            while (j < 20 && strcmp(r[0].column[k].name, r[1].column[j].name) != 0)
                j++;
            assert_true(j < 20);
            assert_close(r[0].column[k].value, r[1].column[j].value, 1e-4);
            assert_close(r[0].column[k].se, r[1].column[j].se, 1e-4);
        }
        assert_true(r[1].column[0].value > 0.02);
        for (int s = 0; s < 2; s++) {
            fathom_fit_result_clear(r + s, context);
            fit_kinds_close(kind[s], kinds);
            fit_problem_close(p + s);
            fathom_data_free(data[s]);
        }
    }
}

/* On gates: the program ends no higher than the candidate, above its own bound; averages and pruned networks are measured. */
static void gates_are_solved_and_bounded(void **state)
{
    (void)state;
    static const char *const spec[] = {"builtin:wdbc", "builtin:iris", "gen:gauss,n=120,d=4,target=teacher"};
    for (int t = test_briefly(); t < (test_briefly() ? 2 : 3); t++) {
        fathom_fit_options options = defaults();
        fathom_fit_result candidate, solved, mean;
        options.model = GATED;
        fathom_data *data = open_data(spec[t], &options);
        assert_int_equal(fathom_fit(&candidate, context, data, &options), FATHOM_OK);
        assert_int_equal(candidate.train.bound, FATHOM_TRAIN_BOUND_NONE);
        options.time = 1000; /* no clock decides */
        assert_int_equal(fathom_fit(&solved, context, data, &options), FATHOM_OK);
        assert_int_equal(solved.chosen, candidate.chosen);
        assert_int_equal(solved.train.bound, FATHOM_TRAIN_BOUND_GATES);
        assert_true(solved.train.lower_bound <= solved.train.objective && solved.train.relative_gap <= 0.01);
        assert_true(solved.train.lower_bound <= candidate.train.objective);
        assert_true(solved.train.objective <= candidate.train.objective * 1.01);
        options.average = true;
        options.prune = 0.05;
        assert_int_equal(fathom_fit(&mean, context, data, &options), FATHOM_OK);
        assert_true(mean.averaged && mean.train.objective >= solved.train.lower_bound);
        assert_int_equal(fathom_net_look(mean.train.net).kind, FATHOM_NET_GATED);
        fathom_fit_result_clear(&candidate, context);
        fathom_fit_result_clear(&solved, context);
        fathom_fit_result_clear(&mean, context);
        fathom_data_free(data);
    }
}

/* Many rows: all kinds run on the first folds, those without a point that may be the best go no further, and the choice is the best
 * of what is left; the same bits for any number of threads. */
static void kinds_are_chosen_by_the_folds(void **state)
{
    (void)state;
    skip_if_brief();
    double objective[2];
    for (int t = 0; t < 2; t++) {
        const fathom_fit_options options = defaults();
        fathom_fit_result r;
        fathom_context_set_threads(context, 1 + 2 * t);
        fathom_data *data = open_data("gen:xor,n=5200", &options);
        assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
        assert_int_equal(r.count, FIT_KINDS * FIT_POINTS);
        assert_true(r.candidate[0].width == FIT_WIDTH && r.candidate[FIT_POINTS].width == FIT_WIDE &&
                    r.candidate[2 * FIT_POINTS].gated);
        assert_false(r.candidate[r.chosen].dropped);
        for (int64_t k = 0; k < r.count; k++)
            if (!r.candidate[k].dropped)
                assert_true(r.candidate[k].score[FATHOM_FIT_LOG_LOSS].mean >=
                            r.candidate[r.chosen].score[FATHOM_FIT_LOG_LOSS].mean);
        assert_int_equal(fathom_net_look(r.train.net).kind,
                         r.candidate[r.chosen].gated ? FATHOM_NET_GATED : FATHOM_NET_RELU);
        objective[t] = r.train.objective;
        fathom_fit_result_clear(&r, context);
        fathom_data_free(data);
    }
    assert_true(objective[0] == objective[1]);
}

/* Three classes: a column in which each has an interval of its own gives them away; with two rows exchanged it does not. */
static void a_column_that_tells_all_classes_is_named(void **state)
{
    (void)state;
    for (int trial = 0; trial < 6; trial++) {
        static double x[90 * 3], y[90];
        const fathom_fit_options options = defaults();
        fathom_data *data;
        fathom_fit_result r;
        for (int i = 0; i < 90; i++) {
            y[i] = (i + trial) % 3;
            for (int l = 0; l < 3; l++)
                x[i * 3 + l] =
                    fathom_random_normal(6, FATHOM_STREAM_DATA, (uint32_t)trial, (uint64_t)(i * 3 + l));
            x[i * 3 + trial % 3] =
                fmod(2 * y[i] + trial, 5) +
                0.9 * fathom_random_uniform(6, FATHOM_STREAM_SAMPLE, (uint32_t)trial, (uint64_t)i);
        }
        if (trial >= 3) { /* the first row has a value that is another class's */
            const int other = (int)y[0] == (int)y[1] ? 2 : 1;
            x[trial % 3] = x[other * 3 + trial % 3];
        }
        assert_int_equal(fathom_data_create(&data, context, 90, 3, x, 3, 1, y, NULL, NULL), FATHOM_OK);
        assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
        assert_true(warns_of(&r, "alone tells all classes apart") == (trial < 3));
        fathom_fit_result_clear(&r, context);
        fathom_data_free(data);
    }
}

/* Rows that stand in several folds are as many as a comparison of all pairs says. */
static void copies_are_counted(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 5; trial++) {
        enum { ROWS = 80 };
        static double x[ROWS * 2], y[ROWS];
        const fathom_fit_options options = defaults();
        fathom_data *data;
        fit_problem p;
        fathom_fit_result r = {0};
        char said[64];
        int64_t copies = 0;
        for (int64_t t = 0; t < 2 * ROWS; t++)
            x[t] =
                floor((2 << (2 * trial)) * fathom_random_uniform(6, FATHOM_STREAM_DATA, trial, (uint64_t)t));
        for (int64_t i = 0; i < ROWS; i++)
            y[i] = fathom_random_normal(6, FATHOM_STREAM_SAMPLE, trial, (uint64_t)i);
        assert_int_equal(fathom_data_create(&data, context, ROWS, 2, x, 2, 1, y, NULL, NULL), FATHOM_OK);
        assert_int_equal(fit_problem_open(&p, context, data, &options), FATHOM_OK);
        for (int64_t i = 0; i < ROWS; i++) {
            bool apart = false;
            for (int64_t k = 0; k < ROWS; k++)
                apart =
                    apart || (x[2 * i] == x[2 * k] && x[2 * i + 1] == x[2 * k + 1] && p.fold[i] != p.fold[k]);
            copies += apart;
        }
        snprintf(said, sizeof said, "%lld of %d rows have equal rows", (long long)copies, ROWS);
        assert_int_equal(fit_warn_of_data(&r, &p), FATHOM_OK);
        assert_true(warns_of(&r, copies > 0 ? said : "equal rows") == (copies > 0));
        fathom_fit_result_clear(&r, context);
        fit_problem_close(&p);
        fathom_data_free(data);
    }
}

/* An interruption before the start still leaves a network, no worse than one without neurons. */
static void an_interruption_leaves_a_network(void **state)
{
    (void)state;
    const fathom_fit_options options = defaults();
    fathom_fit_result r;
    fathom_data *data = open_data("builtin:wdbc", &options);
    fathom_context_interrupt(context);
    assert_int_equal(fathom_fit(&r, context, data, &options), FATHOM_OK);
    assert_int_equal(r.end, FATHOM_END_INTERRUPTED);
    assert_non_null(r.train.net);
    assert_true(r.train.objective <= 569 * log(2) * (1 + 4 * 569 * UNIT_ROUNDOFF));
    fathom_fit_result_clear(&r, context);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_takes_what_it_says),
        cmocka_unit_test_setup_teardown(folds_are_stratified, open_context, close_context),
        cmocka_unit_test_setup_teardown(the_curve_has_the_area_of_its_pairs, open_context, close_context),
        cmocka_unit_test_setup_teardown(scores_agree_with_their_definitions, open_context, close_context),
        cmocka_unit_test_setup_teardown(areas_of_several_classes_are_shares_of_pairs, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(copies_are_counted, open_context, close_context),
        cmocka_unit_test_setup_teardown(what_is_there_is_learned, open_context, close_context),
        cmocka_unit_test_setup_teardown(noise_is_called_noise, open_context, close_context),
        cmocka_unit_test_setup_teardown(what_a_line_says_is_called_linear, open_context, close_context),
        cmocka_unit_test_setup_teardown(threads_do_not_matter, open_context, close_context),
        cmocka_unit_test_setup_teardown(networks_of_folds_keep_their_outputs, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_column_that_tells_all_classes_is_named, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(sparse_rows_say_what_dense_ones_say, open_context, close_context),
        cmocka_unit_test_setup_teardown(columns_of_sparse_rows_are_worth_the_same, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(gates_are_solved_and_bounded, open_context, close_context),
        cmocka_unit_test_setup_teardown(kinds_are_chosen_by_the_folds, open_context, close_context),
        cmocka_unit_test_setup_teardown(an_interruption_leaves_a_network, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
