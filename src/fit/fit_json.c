/* SPDX-License-Identifier: Apache-2.0 */
/* A fit as members of a JSON object (docs/howto/fit.md). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit_internal.h"
#include "inner/fit.h"
#include "inner/json.h"
#include "inner/schema.h"

/* Runs a step unless one before has failed. */
#define STEP(call)               \
    do {                         \
        if (status == FATHOM_OK) \
            status = (call);     \
    } while (0)

/* Scores that are defined, "log_loss": 0.2, "log_loss_se": 0.01. */
static fathom_status set_scores(fathom_json *object, const fathom_fit_estimate *score)
{
    static const char *const name[] = {"log_loss", "accuracy", "auc", "mse", "r2", "mae"};
    static const char *const error[] = {"log_loss_se", "accuracy_se", "auc_se", "mse_se", "r2_se", "mae_se"};
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < FATHOM_FIT_SCORES; k++)
        if (!isnan(score[k].mean)) {
            STEP(fathom_json_set_real(object, name[k], score[k].mean));
            STEP(fathom_json_set_real(object, error[k], score[k].se));
        }
    return status;
}

static fathom_status set_chosen(fathom_json *object, const fathom_fit_result *r, const fathom_data *data)
{
    static const char *const normalize[] = {"none", "unit", "standardize"};
    static const char *const bias[] = {"none", "augment", "free"};
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    fathom_json *chosen;
    fathom_status status = fathom_json_set_object(object, "chosen", &chosen);
    STEP(fathom_json_set_text(chosen, "model", r->candidate[r->chosen].gated ? "gated" : "relu"));
    STEP(fathom_json_set_integer(chosen, "width", r->candidate[r->chosen].width));
    STEP(fathom_json_set_text(chosen, "normalize", normalize[preprocess.normalize]));
    STEP(fathom_json_set_text(chosen, "bias", bias[preprocess.bias]));
    STEP(fathom_json_set_text(chosen, "loss", fathom_loss_name(r->train.kind)));
    STEP(fathom_json_set_real(chosen, "beta", r->train.beta));
    STEP(fathom_json_set_real(chosen, "beta_rel", r->train.beta / r->train.beta_max));
    STEP(fathom_json_set_integer(chosen, "index", r->chosen));
    return status;
}

static fathom_status set_cv(fathom_json *object, const fathom_fit_result *r)
{
    fathom_json *cv, *table, *one;
    const fathom_fit_estimate *own = r->candidate[r->chosen].score;
    fathom_status status = fathom_json_set_object(object, "cv", &cv);
    STEP(fathom_json_set_text(cv, "score", fathom_fit_score_text(r->score)));
    STEP(fathom_json_set_real(cv, "mean", own[r->score].mean));
    STEP(fathom_json_set_real(cv, "se", own[r->score].se));
    STEP(fathom_json_set_integer(cv, "folds", r->folds));
    STEP(fathom_json_set_integer(cv, "repeats", r->repeats));
    STEP(set_scores(cv, own));
    STEP(fathom_json_set_list(cv, "table", &table));
    for (int64_t k = 0; k < r->count; k++) {
        STEP(fathom_json_append_object(table, &one));
        STEP(fathom_json_set_text(one, "model", r->candidate[k].gated ? "gated" : "relu"));
        STEP(fathom_json_set_integer(one, "width", r->candidate[k].width));
        STEP(fathom_json_set_real(one, "beta", r->candidate[k].beta));
        STEP(fathom_json_set_bool(one, "dropped", r->candidate[k].dropped));
        STEP(set_scores(one, r->candidate[k].score));
    }
    return status;
}

static fathom_status set_rivals(fathom_json *object, const fathom_fit_result *r)
{
    fathom_json *list, *one;
    fathom_status status = fathom_json_set_list(object, "rivals", &list);
    for (int64_t k = 0; k < r->rivals; k++) {
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_text(one, "name", r->rival[k].name));
        STEP(fathom_json_set_real(one, "mean", r->rival[k].score[r->score].mean));
        STEP(fathom_json_set_real(one, "se", r->rival[k].score[r->score].se));
        STEP(set_scores(one, r->rival[k].score));
    }
    return status;
}

/* What a point of the picture stands for: "all folds", with its kind where there are several. */
static void set_series(char *name, size_t size, const fathom_fit_result *r, int64_t k)
{
    const fathom_fit_candidate *one = r->candidate + k;
    const char *on = one->dropped ? "two folds, then dropped" : "all folds";
    if (r->count > FATHOM_FIT_POINTS)
        snprintf(name, size, "%lld %s, %s", (long long)one->width, one->gated ? "gates" : "neurons", on);
    else
        snprintf(name, size, "%s", on);
}

/* The tables behind pictures: the score that decided against the penalty, and beside the rivals. */
static fathom_status set_pictures(fathom_json *object, const fathom_fit_result *r)
{
    fathom_json *list, *one;
    char name[80];
    fathom_status status = fathom_json_set_list(object, "candidates", &list);
    for (int64_t k = 0; k < r->count; k++) {
        const fathom_fit_estimate *score = r->candidate[k].score + r->score;
        if (isnan(score->mean))
            continue;
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_real(one, "beta", r->candidate[k].beta));
        STEP(fathom_json_set_real(one, "score", score->mean));
        STEP(fathom_json_set_real(one, "low", score->mean - score->se));
        STEP(fathom_json_set_real(one, "high", score->mean + score->se));
        set_series(name, sizeof name, r, k);
        STEP(fathom_json_set_text(one, "on", name));
        STEP(fathom_json_set_bool(one, "dropped", r->candidate[k].dropped));
        STEP(fathom_json_set_bool(one, "chosen", k == r->chosen));
    }
    STEP(fathom_json_set_list(object, "standing", &list));
    for (int64_t k = -1; k < r->rivals && r->rivals > 0; k++) {
        const fathom_fit_estimate *score =
            (k < 0 ? r->candidate[r->chosen].score : r->rival[k].score) + r->score;
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_text(one, "name", k < 0 ? "network" : r->rival[k].name));
        STEP(fathom_json_set_real(one, "score", score->mean));
        STEP(fathom_json_set_real(one, "se", score->se));
    }
    return status;
}

static fathom_status set_importance(fathom_json *object, const fathom_fit_result *r)
{
    fathom_json *list, *one;
    fathom_status status = fathom_json_set_list(object, "importance", &list);
    for (int64_t k = 0; k < r->columns; k++) {
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_text(one, "name", r->column[k].name));
        STEP(fathom_json_set_real(one, "value", r->column[k].value));
        STEP(fathom_json_set_real(one, "se", r->column[k].se));
    }
    return status;
}

/* Rows left out by true and predicted class, and by predicted probability. */
static fathom_status set_tables(fathom_json *object, const fathom_fit_result *r, const fathom_data *data)
{
    const fathom_classes classes = fathom_data_classes(data);
    fathom_json *list, *one;
    fathom_status status = FATHOM_OK;
    if (!r->confusion)
        return FATHOM_OK;
    STEP(fathom_json_set_list(object, "confusion", &list));
    for (int64_t k = 0; k < r->classes * r->classes; k++) {
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_text(one, "class", classes.name[k / r->classes]));
        STEP(fathom_json_set_text(one, "predicted", classes.name[k % r->classes]));
        STEP(fathom_json_set_integer(one, "count", r->confusion[k]));
    }
    STEP(fathom_json_set_list(object, "calibration", &list));
    for (int64_t k = 0; k < r->bins; k++)
        if (r->bin[k].count > 0) {
            STEP(fathom_json_append_object(list, &one));
            STEP(fathom_json_set_real(one, "predicted", r->bin[k].predicted));
            STEP(fathom_json_set_real(one, "observed", r->bin[k].observed));
            STEP(fathom_json_set_integer(one, "count", r->bin[k].count));
        }
    return status;
}

/* The ROC curve of two classes, or what was predicted and observed. */
static fathom_status set_curve(fathom_json *object, const fathom_fit_result *r)
{
    const bool numbers = r->task == FATHOM_FIT_REGRESSION;
    fathom_json *list, *one;
    fathom_status status = FATHOM_OK;
    if (!r->curve)
        return FATHOM_OK;
    STEP(fathom_json_set_list(object, numbers ? "left_out" : "roc", &list));
    for (int64_t k = 0; k < r->curve_points; k++) {
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_real(one, numbers ? "predicted" : "false_positive", r->curve[k].x));
        STEP(fathom_json_set_real(one, numbers ? "observed" : "true_positive", r->curve[k].y));
        if (numbers)
            STEP(fathom_json_set_real(one, "residual", r->curve[k].y - r->curve[k].x));
    }
    return status;
}

/* How much a better network could still gain, as two bars. */
static fathom_status set_gain(fathom_json *object, const fathom_fit_result *r)
{
    fathom_json *list, *one;
    fathom_status status = FATHOM_OK;
    if (r->train.bound == FATHOM_TRAIN_BOUND_NONE || !(r->train.lower_bound > 0))
        return FATHOM_OK;
    STEP(fathom_json_set_list(object, "gain", &list));
    STEP(fathom_json_append_object(list, &one));
    STEP(fathom_json_set_text(one, "name", "this network"));
    STEP(fathom_json_set_real(one, "objective", r->train.objective));
    STEP(fathom_json_append_object(list, &one));
    STEP(fathom_json_set_text(one, "name",
                              r->train.bound == FATHOM_TRAIN_BOUND_GATES
                                  ? "no network on these gates is below this"
                                  : "no network is below this"));
    STEP(fathom_json_set_real(one, "objective", r->train.lower_bound));
    return status;
}

/* Columns of the table, as the data's own columns tell of them. */
static fathom_status set_columns(fathom_json *object, const fathom_data *data)
{
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    fathom_json *list, *one = NULL;
    char name[256], before[256] = "";
    if (preprocess.schema)
        return fathom_schema_describe(object, preprocess.schema);
    fathom_status status = fathom_json_set_list(object, "columns", &list);
    for (int64_t l = 0; l < preprocess.columns; l++) {
        const char *equals = preprocess.name && preprocess.one_hot ? strchr(preprocess.name[l], '=') : NULL;
        if (preprocess.name)
            snprintf(name, sizeof name, "%.*s",
                     equals ? (int)(equals - preprocess.name[l]) : (int)sizeof name - 1, preprocess.name[l]);
        else
            snprintf(name, sizeof name, "%lld", (long long)l);
        if (equals && strcmp(name, before) == 0)
            continue;
        memcpy(before, name, sizeof before);
        STEP(fathom_json_append_object(list, &one));
        STEP(fathom_json_set_text(one, "name", name));
        STEP(fathom_json_set_text(one, "kind", equals ? "category" : "number"));
        STEP(fathom_json_set_text(one, "use", equals ? "one column per category" : "as it is"));
        STEP(fathom_json_set_integer(one, "missing", 0));
    }
    return status;
}

static fathom_status set_network(fathom_json *object, const fathom_fit_result *r)
{
    const bool bounded = r->train.bound != FATHOM_TRAIN_BOUND_NONE;
    fathom_json *stages;
    fathom_status status = fathom_json_set_real(object, "objective", r->train.objective);
    STEP(fathom_json_set_real(object, "lower_bound", bounded ? r->train.lower_bound : NAN));
    STEP(fathom_json_set_real(object, "relative_gap", bounded ? r->train.relative_gap : NAN));
    STEP(fathom_json_set_text(object, "bound", fathom_train_bound_text(r->train.bound)));
    STEP(fathom_json_set_text(object, "bound_method", r->train.bound_method));
    STEP(fathom_json_set_integer(object, "neurons", r->train.neurons));
    STEP(fathom_json_set_bool(object, "averaged", r->averaged));
    STEP(fathom_json_set_integer(object, "pruned", r->pruned));
    STEP(fathom_json_set_real(object, "prune_growth", r->growth));
    STEP(fathom_json_set_texts(object, "warnings", (const char *const *)r->warning, r->warnings));
    STEP(fathom_json_set_object(object, "stages", &stages));
    STEP(fathom_json_set_real(stages, "choosing", r->choosing));
    STEP(fathom_json_set_real(stages, "explaining", r->explaining));
    STEP(fathom_json_set_real(stages, "refitting", r->refitting));
    return status;
}

fathom_status fathom_fit_set(fathom_json *object, const fathom_fit_result *r, const fathom_data *data)
{
    static const char *const end[] = {"done", "stalled", "time limit", "interrupted"};
    const fathom_preprocess preprocess = fathom_data_preprocess(data);
    const fathom_classes classes = fathom_data_classes(data);
    fathom_status status = fathom_json_set_text(object, "task", fathom_fit_task_text(r->task));
    STEP(fathom_json_set_text(object, "end", end[r->end]));
    STEP(fathom_json_set_text(object, "target", preprocess.target));
    if (r->task == FATHOM_FIT_REGRESSION)
        STEP(fathom_json_set_null(object, "classes"));
    else
        STEP(fathom_json_set_texts(object, "classes", classes.name, classes.count));
    STEP(set_columns(object, data));
    STEP(set_chosen(object, r, data));
    STEP(set_cv(object, r));
    STEP(set_rivals(object, r));
    STEP(set_network(object, r));
    STEP(set_pictures(object, r));
    STEP(set_importance(object, r));
    STEP(set_tables(object, r, data));
    STEP(set_curve(object, r));
    STEP(set_gain(object, r));
    return status;
}
