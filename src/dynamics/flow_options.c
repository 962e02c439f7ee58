/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of the options of a run: --net, --output-weights, --init, --step, --until, with the defaults by network.
 *
 *            layers   output weights   hidden weights            steps                                  width
 *   relu     both     N(0, 1/m)        N(0, I/d)                 0.01                                   100   [003]
 *   scalar   both     +-m^(-1/4)       +-m^(-1/4)                0.01                                   100   [003, 3.2]
 *   leaky    first    +-0.1            1e-3 N(0, I)              0.01                                   100   [004]
 *   huber    first    +-1              (4p)^(-5/8) N(0, I)       (4p)^(-3/4), then ln^2(1/R) / p        200   [002, Sec. 5]
 *   gated    first    -                0                         0.01                                   100   [000]
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "dynamics_internal.h"
#include "loss_row.h"
#include "number.h"

/* The number that makes up all of `text`; false where it is none or not finite. */
static bool whole_number(double *value, const char *text, size_t length)
{
    size_t end;
    return fathom_number_parse(value, &end, text, length) == FATHOM_NUMBER_OK && end == length &&
           isfinite(*value);
}

/* Whether `text` is `name` or "name:NUMBER"; *value is left alone where there is no number, NaN where it is bad. */
static bool named(double *value, const char *text, const char *name)
{
    const size_t length = strlen(name);
    if (strncmp(text, name, length) != 0 || (text[length] != 0 && text[length] != ':'))
        return false;
    if (text[length] == ':' && !whole_number(value, text + length + 1, strlen(text + length + 1)))
        *value = NAN;
    return true;
}

static fathom_status refuse(fathom_context *context, const char *flag, const char *text, const char *expected)
{
    return fathom_error_set(context, FATHOM_ERROR_USAGE, "--%s %s: expected %s", flag, text, expected);
}

static fathom_status read_net(dynamics_plan *plan, fathom_context *context, const char *text)
{
    static const char *const name[] = {"relu", "leaky", "huber", "gated", "scalar"};
    static const double preset[] = {0, 0.1, -1, 0, 0}; /* huber: 1/p, once p is known */
    for (int kind = 0; kind < 5; kind++) {
        double value = preset[kind];
        if (!named(&value, text, name[kind]))
            continue;
        const bool numbered = strchr(text, ':') != NULL;
        if (isnan(value) || (numbered && kind != FATHOM_NET_LEAKY && kind != FATHOM_NET_HUBER) ||
            (kind == FATHOM_NET_LEAKY && !(value >= 0 && value <= 1)) ||
            (kind == FATHOM_NET_HUBER && numbered && !(value > 0)))
            break;
        plan->kind = (fathom_net_kind)kind;
        plan->parameter = value;
        return FATHOM_OK;
    }
    return refuse(context, "net", text,
                  "relu, leaky:A with 0 <= A <= 1, huber:H with H > 0, scalar or gated");
}

static void choose_layers(dynamics_plan *plan, int train)
{
    const bool both = plan->kind == FATHOM_NET_RELU || plan->kind == FATHOM_NET_SCALAR;
    plan->first = train != FATHOM_FLOW_TRAIN_OUTPUT;
    plan->output = train == FATHOM_FLOW_TRAIN_BOTH || train == FATHOM_FLOW_TRAIN_OUTPUT ||
                   (train == FATHOM_FLOW_TRAIN_DEFAULT && both);
}

static fathom_status read_output_weights(dynamics_plan *plan, fathom_context *context, const char *text)
{
    double value = plan->kind == FATHOM_NET_HUBER ? 1 : 0.1, sd = -1;
    plan->output_sd = NAN;
    if (!text)
        plan->fixed = plan->kind == FATHOM_NET_RELU ? NAN : value;
    else if (named(&sd, text, "gaussian") && (sd >= 0 || strcmp(text, "gaussian") == 0)) {
        plan->fixed = NAN;
        plan->output_sd = sd >= 0 ? sd : NAN;
    } else if (named(&value, text, "fixed") && value > 0)
        plan->fixed = value;
    else
        return refuse(context, "output-weights", text, "fixed:V with V > 0, gaussian or gaussian:SD");
    if (text && (plan->kind == FATHOM_NET_GATED || plan->kind == FATHOM_NET_SCALAR))
        return refuse(context, "output-weights", text, "relu, leaky or huber networks with it");
    return FATHOM_OK;
}

static fathom_status read_init(dynamics_plan *plan, fathom_context *context, const char *text)
{
    const double p = (double)plan->m / 2;
    double value = NAN;
    plan->sd = NAN;
    if (!text) {
        plan->sd = plan->kind == FATHOM_NET_LEAKY   ? 1e-3
                   : plan->kind == FATHOM_NET_HUBER ? pow(4 * p, -0.625)
                   : plan->kind == FATHOM_NET_GATED ? 0
                                                    : NAN;
        return FATHOM_OK;
    }
    if (named(&value, text, "normal")) {
        if (!(value >= 0))
            return refuse(context, "init", text, "normal:SD with SD >= 0");
        plan->sd = value;
    } else if (strcmp(text, "balanced") == 0)
        plan->balanced = true;
    else if (strcmp(text, "pytorch") != 0)
        plan->file = text;
    return FATHOM_OK;
}

static fathom_status read_step(dynamics_plan *plan, fathom_context *context, const char *text)
{
    const double p = (double)plan->m / 2;
    dynamics_step *step = &plan->step;
    double value = NAN;
    *step = (dynamics_step){DYNAMICS_STEP_CONST, 0.01, pow(4 * p, -0.75), p, 1};
    if (!text) {
        if (plan->kind == FATHOM_NET_HUBER)
            *step = (dynamics_step){DYNAMICS_STEP_LOG2, 1 / p, step->first, p, 1};
        return FATHOM_OK;
    }
    if (named(&value, text, "const") && value > 0)
        step->value = value;
    else if (named(&value, text, "log2") && (value > 0 || strcmp(text, "log2") == 0))
        *step = (dynamics_step){DYNAMICS_STEP_LOG2, value > 0 ? value : 1 / p, step->first, p, 1};
    else if (named(&value, text, "theory") && (value > 0 || strcmp(text, "theory") == 0))
        *step = (dynamics_step){DYNAMICS_STEP_THEORY, value > 0 ? value : NAN, step->first, p, 1};
    else if (strcmp(text, "lemma8") == 0)
        step->kind = DYNAMICS_STEP_LEMMA8;
    else
        return refuse(context, "step", text,
                      "const:E with E > 0, log2:Q or theory:Q with Q > 0, theory or lemma8");
    return FATHOM_OK;
}

/* The number of "name=NUMBER"; false where it has another name or no finite number. */
static bool keyed(double *value, const char *text, size_t length, const char *name)
{
    const size_t size = strlen(name);
    return length > size && strncmp(text, name, size) == 0 && text[size] == '=' &&
           whole_number(value, text + size + 1, length - size - 1);
}

/* loss, log_loss, time or distance = NUMBER as a level. */
static bool read_level(dynamics_mark *mark, const char *text, size_t length)
{
    double value;
    if (keyed(&value, text, length, "loss") && value > 0)
        *mark = (dynamics_mark){LEVEL_LOSS, log(value)};
    else if (keyed(&value, text, length, "log_loss"))
        *mark = (dynamics_mark){LEVEL_LOSS, value};
    else if (keyed(&value, text, length, "time") && value >= 0)
        *mark = (dynamics_mark){LEVEL_TIME, value};
    else if (keyed(&value, text, length, "distance") && value >= 0)
        *mark = (dynamics_mark){LEVEL_DISTANCE, value};
    else
        return false;
    return true;
}

/* One "key=value" of --until. */
static bool set_until(dynamics_until *until, const char *text, size_t length, int64_t n)
{
    dynamics_mark mark;
    double value;
    if (read_level(&mark, text, length)) {
        *(mark.kind == LEVEL_LOSS   ? &until->log_loss
          : mark.kind == LEVEL_TIME ? &until->time
                                    : &until->distance) = mark.level;
        return true;
    }
    if (keyed(&value, text, length, "wall") && value >= 0) {
        until->wall = value;
        return true;
    }
    const bool epochs = keyed(&value, text, length, "epochs");
    if ((!epochs && !keyed(&value, text, length, "steps")) || !(value >= 0 && value <= 1e15) ||
        value != floor(value))
        return false;
    until->steps = (int64_t)value * (epochs ? n : 1);
    return true;
}

static fathom_status read_until(dynamics_plan *plan, fathom_context *context,
                                const fathom_flow_options *options, int64_t n)
{
    dynamics_until *until = &plan->until;
    const char *text = options->until;
    *until = (dynamics_until){-1, NAN, NAN, NAN, NAN};
    if (!text) {
        if (options->method == FATHOM_FLOW_FLOW)
            until->log_loss = log(1e-6);
        else
            until->steps = options->method == FATHOM_FLOW_SGD ? (options->sample ? n : 100 * n) : 1000;
        return FATHOM_OK;
    }
    while (*text) {
        const size_t length = strcspn(text, ",");
        if (!set_until(until, text, length, options->method == FATHOM_FLOW_SGD ? n : 1))
            return refuse(context, "until", options->until,
                          "steps=N, epochs=N, loss=L, log_loss=L, time=T, distance=D or wall=SECONDS, "
                          "separated by commas");
        text += length + (text[length] == ',');
    }
    return FATHOM_OK;
}

/* --mark; times as ln(1 + t). */
static fathom_status read_marks(dynamics_plan *plan, fathom_context *context,
                                const fathom_flow_options *options)
{
    const char *text = options->mark;
    if (text && options->method != FATHOM_FLOW_FLOW)
        return refuse(context, "mark", text, "--method flow with it");
    while (text && *text) {
        const size_t length = strcspn(text, ",");
        dynamics_mark *mark = plan->mark + plan->marks;
        if (plan->marks == DYNAMICS_MARKS || !read_level(mark, text, length))
            return refuse(context, "mark", options->mark,
                          "at most 16 of loss=L, log_loss=L, time=T, distance=D, separated by commas");
        if (mark->kind == LEVEL_TIME)
            mark->level = log1p(mark->level);
        plan->marks++;
        text += length + (text[length] == ',');
    }
    return FATHOM_OK;
}

fathom_status fathom_dynamics_plan(dynamics_plan *plan, fathom_context *context,
                                   const fathom_flow_options *options, int64_t n)
{
    static const fathom_loss loss[] = {FATHOM_LOSS_LOGISTIC, FATHOM_LOSS_EXPONENTIAL, FATHOM_LOSS_SQUARED,
                                       FATHOM_LOSS_HINGE};
    *plan = (dynamics_plan){.loss = loss[options->loss]};
    FATHOM_TRY(read_net(plan, context, options->net ? options->net : "relu"));
    plan->m = options->width > 0 ? options->width : plan->kind == FATHOM_NET_HUBER ? 200 : 100;
    if (plan->kind == FATHOM_NET_HUBER && plan->parameter < 0)
        plan->parameter = 2 / (double)plan->m;
    choose_layers(plan, options->train);
    if (plan->kind == FATHOM_NET_GATED && plan->output)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "gated networks have no output weights to train: --train first");
    fathom_status status = read_output_weights(plan, context, options->output_weights);
    FATHOM_THEN(status, read_init(plan, context, options->init));
    FATHOM_THEN(status, read_step(plan, context, options->step));
    FATHOM_THEN(status, read_until(plan, context, options, n));
    FATHOM_THEN(status, read_marks(plan, context, options));
    if (status == FATHOM_OK && options->method != FATHOM_FLOW_GD && plan->step.kind != DYNAMICS_STEP_CONST &&
        options->step)
        status = refuse(context, "step", options->step,
                        "const:E with sgd and no steps with flow: the others need the loss of all examples");
    if (status == FATHOM_OK && options->precision &&
        (options->method == FATHOM_FLOW_FLOW ||
         (plan->kind != FATHOM_NET_RELU && plan->kind != FATHOM_NET_LEAKY)))
        status = fathom_error_set(context, FATHOM_ERROR_USAGE,
                                  "--precision single takes --method gd or sgd and relu or leaky networks");
    if (status == FATHOM_OK && options->decay > 0 && options->method == FATHOM_FLOW_FLOW)
        status = fathom_error_set(context, FATHOM_ERROR_USAGE, "--decay takes --method gd or sgd");
    if (status == FATHOM_OK && options->targets && !fathom_loss_row_of(plan->loss)->numbers)
        status = fathom_error_set(context, FATHOM_ERROR_USAGE, "--targets standardize takes --loss squared");
    if (status == FATHOM_OK && options->targets && plan->file)
        status = fathom_error_set(context, FATHOM_ERROR_USAGE,
                                  "--targets standardize takes initial weights that are drawn");
    if (plan->kind == FATHOM_NET_HUBER && options->method == FATHOM_FLOW_SGD && !options->step)
        plan->step = (dynamics_step){DYNAMICS_STEP_CONST, 0.01, 0, plan->step.p, 1};
    return status;
}
