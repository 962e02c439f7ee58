/* SPDX-License-Identifier: Apache-2.0 */
/* fathom fit DATA: from a table to a network, chosen by cross-validation, with its bound and what to
 * expect of it. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "certified.h"
#include "commands.h"
#include "inner/fit.h"
#include "inner/model.h"
#include "inner/schema.h"
#include "picture.h"

enum { SHOWN = 5, NEURONS = 20, ALONG = 4 }; /* columns and classes on a line; neurons in words; curves */

static const double WEAK = 0.3; /* gaps beyond it say little */

/* "a 12, b 7, c 3 and 4 more" */
typedef struct line {
    char text[1024];
    size_t used;
} line;

FATHOM_PRINTF(2, 3) static void add(line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int got = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, arguments);
    va_end(arguments);
    l->used += got > 0 ? (size_t)got : 0;
    l->used = l->used < sizeof l->text ? l->used : sizeof l->text - 1;
}

/* What columns of the table are, and those that are not used. */
static void say_schema(const cli_invocation *invocation, const fathom_schema *schema)
{
    static const char *const plural[][2] = {
        {"number", "numbers"}, {"category", "categories"}, {"date", "dates"}};
    int64_t count[FATHOM_COLUMN_CONSTANT + 1] = {0}, missing = 0, within = 0, named = 0;
    line l = {"", 0}, dropped = {"", 0};
    for (int64_t k = 0; k < schema->columns; k++) {
        const fathom_column *column = schema->column + k;
        missing += column->missing;
        within += column->missing > 0;
        if (column->width > 0)
            count[column->as]++;
        else if (named++ < SHOWN)
            add(&dropped, "%s%s (%s)", dropped.used ? ", " : "", column->name,
                fathom_column_kind_name(column->kind));
    }
    for (int k = 0; k <= FATHOM_COLUMN_DATE; k++)
        if (count[k] > 0)
            add(&l, "%s%lld %s", l.used ? ", " : "", (long long)count[k], plural[k][count[k] > 1]);
    if (missing > 0)
        add(&l, "; %lld missing cell%s in %lld column%s", (long long)missing, missing == 1 ? "" : "s",
            (long long)within, within == 1 ? "" : "s");
    cli_say_block(invocation, "columns      %s", l.used ? l.text : "none used");
    if (named > 0)
        cli_say_block(invocation, "not used     %s%s (--keep NAME keeps one)", dropped.text,
                      named > SHOWN ? " and others" : "");
}

/* What was read. */
static void say_data(const cli_invocation *invocation, const fathom_fit_result *r, const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    line l = {"", 0};
    const int64_t columns = preprocess.schema ? preprocess.schema->columns : preprocess.columns;
    add(&l, "%lld row%s, %lld column%s; target ", (long long)view.n, view.n == 1 ? "" : "s",
        (long long)columns, columns == 1 ? "" : "s");
    if (!preprocess.target && preprocess.schema && preprocess.schema->target >= 0)
        add(&l, "column %lld", (long long)preprocess.schema->target);
    else
        add(&l, "%s", preprocess.target ? preprocess.target : "given");
    for (int64_t k = 0; r->seen && k < r->classes && k < SHOWN; k++)
        add(&l, "%s %s (%lld)", k ? "," : ":", classes.name[k], (long long)r->seen[k]);
    if (r->classes > SHOWN)
        add(&l, " and %lld more classes", (long long)(r->classes - SHOWN));
    if (r->task == FATHOM_FIT_REGRESSION)
        add(&l, ", a number");
    cli_say_block(invocation, "data         %s", l.text);
    if (preprocess.schema)
        say_schema(invocation, preprocess.schema);
}

/* "auc 0.9955 +- 0.0028": two digits of the error, the mean as far as they go; without the error where it is not
 * known. */
static void add_score(line *l, const fathom_fit_estimate *score, fathom_fit_score which)
{
    const double mean = score[which].mean, se = score[which].se;
    add(l, "%s ", fathom_fit_score_text(which));
    if (!isfinite(se)) {
        add(l, "%.4g", mean);
    } else if (se > 0 && se >= 1e-7 && se < 1e6 && fabs(mean) < 1e9) {
        const int places = se < 9.5 ? 1 - (int)floor(log10(se)) : 0;
        add(l, "%.*f +- %.*f", places, mean, places, se);
    } else {
        add(l, "%.4g +- %.2g", mean, se);
    }
}

/* All scores that there are, the one that decided first. */
static void add_scores(line *l, const fathom_fit_estimate *score, fathom_fit_score first)
{
    add_score(l, score, first);
    for (int k = 0; k < FATHOM_FIT_SCORES; k++)
        if (k != (int)first && !isnan(score[k].mean)) {
            add(l, ", ");
            add_score(l, score, (fathom_fit_score)k);
        }
}

/* Candidates first .. last-1 are of the kind of candidate k. */
static void find_kind(int64_t *first, int64_t *last, const fathom_fit_result *r, int64_t k)
{
    const fathom_fit_candidate *c = r->candidate;
    for (*first = k; *first > 0 && c[*first - 1].gated == c[k].gated && c[*first - 1].width == c[k].width;)
        (*first)--;
    for (*last = k + 1; *last < r->count && c[*last].gated == c[k].gated && c[*last].width == c[k].width;)
        (*last)++;
}

/* The best score of candidates first .. last-1, NaN where none is known; *dropped: on two folds, all of them. */
static double best_of(bool *dropped, const fathom_fit_result *r, int64_t first, int64_t last)
{
    const bool higher =
        r->score == FATHOM_FIT_ACCURACY || r->score == FATHOM_FIT_AUC || r->score == FATHOM_FIT_R2;
    double best = NAN;
    *dropped = true;
    for (int64_t k = first; k < last; k++) {
        const double score = r->candidate[k].score[r->score].mean;
        *dropped = *dropped && r->candidate[k].dropped;
        best = isnan(best) || (higher ? score > best : score < best) ? score : best;
    }
    return best;
}

/* Where there are several: each kind, the others with their best. */
static void say_kinds(const cli_invocation *invocation, const fathom_fit_result *r)
{
    line l = {"", 0};
    for (int64_t first = 0, last; first < r->count; first = last) {
        bool dropped;
        find_kind(&first, &last, r, first);
        const double best = best_of(&dropped, r, first, last);
        add(&l, "%s%lld %s", l.used ? ", " : "", (long long)r->candidate[first].width,
            r->candidate[first].gated ? "sampled gates" : "neurons");
        if (r->chosen >= first && r->chosen < last)
            add(&l, " (chosen)");
        else if (!isnan(best))
            add(&l, " (%s %.4g%s)", fathom_fit_score_text(r->score), best, dropped ? " on two folds" : "");
    }
    if (r->count > FATHOM_FIT_POINTS)
        cli_say_block(invocation, "tried        %s", l.text);
}

static void say_choice(const cli_invocation *invocation, const fathom_fit_result *r, const fathom_data *data)
{
    static const char *const normalize[] = {"columns as they are", "rows of norm 1", "standardised columns"};
    static const char *const bias[] = {"no bias", "constant column", "free biases"};
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_fit_estimate *own = r->candidate[r->chosen].score;
    int64_t first, last, dropped = 0;
    find_kind(&first, &last, r, r->chosen);
    for (int64_t k = first; k < last; k++)
        dropped += r->candidate[k].dropped;
    cli_say_block(invocation, "chosen       %s network, %s loss, %s, %s",
                  r->candidate[r->chosen].gated ? "gated" : "ReLU", fathom_loss_name(r->train.kind),
                  normalize[preprocess.normalize], bias[preprocess.bias]);
    say_kinds(invocation, r);
    cli_say_block(invocation,
                  "penalty      beta %.6g, number %lld of %lld from %.3g to %.3g (%lld dropped early)",
                  r->train.beta, (long long)(r->chosen - first + 1), (long long)(last - first),
                  r->candidate[first].beta, r->candidate[last - 1].beta, (long long)dropped);
    line l = {"", 0};
    if (isnan(own[r->score].mean)) {
        cli_say(invocation, "expected     not known: stopped before two folds were done");
        return;
    }
    add_scores(&l, own, r->score);
    cli_say_block(invocation, "expected     %s", l.text);
    cli_say(invocation, "             on rows left out, %lld folds%s; +- is one standard error",
            (long long)r->folds, r->repeats > 1 ? ", repeated" : "");
    for (int64_t k = r->rivals - 1; k >= 0; k--) {
        line one = {"", 0};
        add_scores(&one, r->rival[k].score, r->score);
        cli_say_block(invocation, "%-12s %s", r->rival[k].name, one.text);
    }
}

/* The bound in words. */
static void say_bound(const cli_invocation *invocation, const fathom_fit_result *r,
                      const fathom_fit_options *options)
{
    const fathom_train_result *t = &r->train;
    const bool gated = r->candidate[r->chosen].gated;
    cli_say(invocation, "network      %lld %s%s, objective %s", (long long)t->neurons,
            gated ? "gates with weights" : "neurons",
            r->averaged ? ", the mean of the network and those of the folds" : "",
            cli_above(t->objective, 8).text);
    if (r->pruned > 0)
        cli_say(invocation, "             after %lld %s%s were dropped: the objective %s by %.2g %%",
                (long long)r->pruned, gated ? "gate" : "neuron", r->pruned == 1 ? "" : "s",
                r->growth < 0 ? "fell" : "grew", 100 * fabs(r->growth));
    if (t->bound == FATHOM_TRAIN_BOUND_NONE || !(t->lower_bound > 0))
        cli_say_block(invocation, "proof        none %s: how much better one could be is not known%s",
                      options->time > 0 ? "found" : "asked for",
                      options->time > 0 && t->method && strcmp(t->method, "descent") == 0 &&
                              r->end == FATHOM_END_REACHED
                          ? " (rows are sparse: --model gated has bounds)"
                          : "");
    else
        cli_say_block(
            invocation,
            t->bound == FATHOM_TRAIN_BOUND_GATES
                ? "proof        no network on these gates lowers this objective by more than %s %%%s"
                : "proof        no network of any width lowers this objective by more than %s %%%s",
            cli_above(100 * t->relative_gap, 2).text,
            t->relative_gap > WEAK ? ": that is little to know, more --time may say more" : "");
}

/* A column without a name has its number. */
static bool is_number(const char *name) { return name[strspn(name, "0123456789")] == 0; }

static void say_columns(const cli_invocation *invocation, const fathom_fit_result *r)
{
    line l = {"", 0};
    for (int64_t k = 0; k < r->columns && k < SHOWN; k++)
        if (r->column[k].value > 0)
            add(&l, "%s%s%s %.3g", k ? ", " : "", is_number(r->column[k].name) ? "column " : "",
                r->column[k].name, r->column[k].value);
    if (l.used > 0)
        cli_say_block(invocation, "important    %s (growth of the %s when permuted)", l.text,
                      r->task == FATHOM_FIT_REGRESSION ? "mse" : "log-loss");
}

/* How far shares are from what was predicted, over rows. */
static void say_calibration(const cli_invocation *invocation, const fathom_fit_result *r)
{
    double sum = 0, count = 0;
    for (int64_t k = 0; k < r->bins; k++) {
        sum += (double)r->bin[k].count * fabs(r->bin[k].predicted - r->bin[k].observed);
        count += (double)r->bin[k].count;
    }
    if (count > 0)
        cli_say(invocation, "calibration  probabilities are off by %.3f on average (rows left out, %d bins)",
                sum / count, FATHOM_FIT_BINS);
}

static void say_warnings(const cli_invocation *invocation, const fathom_fit_result *r)
{
    for (int64_t k = 0; k < r->warnings; k++)
        cli_say_block(invocation, "warning      %s", r->warning[k]);
    if (r->end != FATHOM_END_REACHED)
        cli_say(invocation, "stopped      %s before the choice was made: this is the best so far",
                r->end == FATHOM_END_TIME ? "by the time limit" : "by the user");
}

/* The output along the most important columns. */
static fathom_status set_dependence(const cli_invocation *invocation, const fathom_fit_result *r,
                                    const fathom_model *model)
{
    const char *name[ALONG];
    int64_t names = 0;
    for (int64_t k = 0; k < r->columns && names < ALONG; k++)
        if (r->column[k].value > 0)
            name[names++] = r->column[k].name;
    return names > 0 ? fathom_model_set_dependence(invocation->result, model, name, names) : FATHOM_OK;
}

/* Model, its scores, its file. */
static fathom_status finish_fit(cli_invocation *invocation, fathom_fit_result *r, const fathom_data *data,
                                const fathom_fit_options *options)
{
    fathom_model *model = NULL;
    fathom_json *training;
    FATHOM_TRY(fathom_train_make_model(&model, invocation->context, &r->train, data));
    fathom_status status = FATHOM_OK;
    training = fathom_model_look(model).training;
    if (training)
        status = cli_set_train(training, &r->train);
    if (status == FATHOM_OK && invocation->run.output) /* before anything that may fail */
        status = fathom_model_write(model, invocation->run.output);
    FATHOM_THEN(status, cli_score_on(invocation, model, data, "training", "training"));
    if (status == FATHOM_OK && options->test)
        status = cli_score_test(invocation, "test", model, options->test, options->test_rows);
    FATHOM_THEN(status, cli_picture_network(invocation->result, model));
    FATHOM_THEN(status, fathom_model_set_neurons(invocation->result, model, NEURONS));
    FATHOM_THEN(status, set_dependence(invocation, r, model));
    if (status == FATHOM_OK && invocation->run.output)
        cli_say(invocation, "model        %s", invocation->run.output);
    fathom_model_free(model);
    return status;
}

static int exit_of(const fathom_fit_result *r, const fathom_fit_options *options)
{
    if (r->end == FATHOM_END_INTERRUPTED || r->train.end == FATHOM_END_INTERRUPTED)
        return EXIT_INTERRUPTED;
    const bool missed = !isnan(options->gap) && r->train.status == FATHOM_TRAIN_LIMIT;
    return r->end != FATHOM_END_REACHED || missed ? EXIT_LIMIT : 0;
}

static fathom_status say_all(cli_invocation *invocation, fathom_fit_result *r, const fathom_data *data,
                             const fathom_fit_options *options)
{
    FATHOM_TRY(fathom_fit_set(invocation->result, r, data));
    cli_progress_end();
    say_data(invocation, r, data);
    say_choice(invocation, r, data);
    say_calibration(invocation, r);
    say_columns(invocation, r);
    say_bound(invocation, r, options);
    say_warnings(invocation, r);
    return FATHOM_OK;
}

fathom_status cli_run_fit(cli_invocation *invocation, int *exit_code)
{
    fathom_job *job = NULL;
    fathom_data *data = NULL;
    fathom_fit_result result = {0};
    fathom_train_options train;
    const fathom_fit_options *options = cli_options(invocation, &fathom_fit_option_table);
    fathom_status status = cli_job_open(&job, invocation, options->certificate, options->verify);
    if (status == FATHOM_OK) {
        data = fathom_job_look(job).data;
        if (!cli_is_given(invocation, "bias"))
            status = fathom_fit_set_bias(invocation->context, data, options);
        fathom_job_set_bias(job, fathom_data_preprocess(data).bias);
    }
    FATHOM_THEN(status, fathom_fit(&result, invocation->context, data, options));
    FATHOM_THEN(status, say_all(invocation, &result, data, options));
    if (status == FATHOM_OK) {
        fathom_fit_train_options(&train, &result, options);
        *exit_code = exit_of(&result, options);
        status = fathom_job_prove_train(job, &result.train, 1, &train);
    }
    FATHOM_THEN(status, finish_fit(invocation, &result, data, options));
    status = cli_job_close(job, invocation, status, exit_code);
    fathom_fit_result_clear(&result, invocation->context);
    return status;
}
