/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was verified, in words: a paragraph per claim. Everything here is taken from what the checker
 * itself has read and verified, nothing from what the certificate says about itself. Bounds are rounded
 * outwards. The second checker (tools/check_certificate.py) makes the same texts.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"

enum { DIGITS = 340 }; /* more than a double takes */

static const char *const weaknesses[WEAKNESSES] = {
    "no gates are listed: nothing is said about networks with gates",
    "no lower bound is proved: what is said below holds of every problem",
    "targets may be missed by more than a millionth of the largest",
    "the listed network is no better than one without neurons",
    ("the penalty is at or above beta_max, or nearly: none of these networks is better than one without "
     "neurons"),
    "the KKT conditions are met to more than a millionth",
    "this may be false with the probability that is left, and more often where seeds or weights were tried",
};

__attribute__((format(printf, 2, 3))) static void say(claim *q, const char *format, ...)
{
    const size_t used = strlen(q->statement);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(q->statement + used, sizeof q->statement - used, format, arguments);
    va_end(arguments);
}

/* A bound in as few digits (10 to 17) as are on its side: at least (-1) or at most (1) this. */
static const char *digits(char text[DIGITS], double value, int side)
{
    int count = 10;
    do
        snprintf(text, DIGITS, "%.*g", count++, value);
    while (side * strtod(text, NULL) < side * value); /* 17 digits read back as they were */
    return text;
}

const char *check_shortest(char *text, size_t size, double value)
{
    int count = 1;
    do
        snprintf(text, size, "%.*g", count++, value);
    while (strtod(text, NULL) != value);
    return text;
}

/* The rows of the file that are kept: "all", or ranges, those that do not fit as "..". */
static void rows_of(dataset *a)
{
    char *text = a->ranges;
    size_t used = 0;
    for (int64_t first = 0, end; first < a->n; first = end) {
        for (end = first + 1; end < a->n && a->kept[end] == a->kept[end - 1] + 1;)
            end++;
        if (used + 50 < sizeof a->ranges)
            used += (size_t)snprintf(text + used, sizeof a->ranges - used, "%s%lld:%lld", first ? "," : "",
                                     (long long)a->kept[first], (long long)a->kept[end - 1] + 1);
        else
            strcpy(text + used, ",..");
        if (end - first == a->rows && a->n == a->rows)
            strcpy(text, "all");
    }
}

static void say_data(const check *c, claim *q)
{
    static const char *const formats[] = {"CSV", "LIBSVM", "NPY"};
    static const char *const codings[] = {"", "; classes are numbers 0, 1, ..",
                                          "; the two classes are -1 and +1", "; classes are unit vectors"};
    static const char *const scalings[] = {"not normalised", "rows of length 1", "columns standardized"};
    static const char *const ones[] = {"no bias", "a column of ones added", "biases free"};
    const dataset *a = &c->data;
    if (strcmp(a->ranges, "all") == 0)
        say(q, "About all %lld rows", (long long)a->n);
    else
        say(q, "About %lld rows (%s) of the %lld", (long long)a->n, a->ranges, (long long)a->rows);
    say(q, " of the %s file with SHA-256 %s", formats[a->format], a->sha);
    if (a->target >= 0)
        say(q, ", targets in column %lld from 0", (long long)a->target);
    if (a->mass_at >= 0)
        say(q, ", weights in column %lld", (long long)a->mass_at);
    if (*a->labels_sha)
        say(q, ", targets in the file with SHA-256 %s", a->labels_sha);
    say(q, "%s", codings[a->coding]);
    if (a->coding)
        say(q, " (%s)", a->names);
    say(q, "; %s; %s%s; then %lld columns. ", scalings[a->normalize], ones[a->bias],
        a->decimals ? "; decimals as they are written" : "", (long long)a->d);
}

/* The networks that the lower side of training speaks of. */
static void say_class(const check *c, claim *q)
{
    const char *biased = c->data.bias != BIAS_FREE ? ""
                         : q->gated                ? ", with any constant"
                                                   : ", with any biases";
    const char *all = q->evidence == BOUND_CONES ? ", which are all cones of the data" : "";
    if (q->gated)
        say(q, "gated network on the %lld listed gates%s%s", (long long)q->gates, all, biased);
    else if (q->evidence == BOUND_GATES)
        say(q, "two-layer ReLU network whose neurons %slie in the cones of the %lld listed gates",
            q->single ? "feed one output each and " : "", (long long)q->gates);
    else if (q->single)
        say(q, "two-layer ReLU network of any width whose neurons feed one output each");
    else
        say(q, "two-layer ReLU network of any width%s", biased);
}

static void say_network(claim *q, const char *model)
{
    say(q, "a network with %lld neuron%s, listed in the certificate", (long long)q->neurons,
        q->neurons == 1 ? "" : "s");
    if (q->is_model)
        say(q, " and number by number that of %s", model);
}

/* (1/N) sum_i c_i l(f_i, y_i). */
static void say_loss(const check *c, claim *q)
{
    static const char *const terms[] = {"|f_i - y_i|^2 / 2",
                                        "",
                                        "",
                                        "max(0, 1 - y_i f_i)",
                                        "ln(1 + exp(-y_i f_i))",
                                        "(ln sum_k exp(f_ik) - <y_i, f_i>)",
                                        "",
                                        "|y_i - f_i|"};
    char number[DIGITS];
    if (q->loss == LOSS_EQUALITY) {
        say(q, "(0 where no |f_i - y_i| is above %s, else infinite)", digits(number, q->residual, 1));
        return;
    }
    if (strcmp(q->scale, "sum") != 0)
        say(q, "(1/%.17g) ", num_nearest(q->divisor));
    say(q, "sum_i %s", c->data.mass_at >= 0 ? "c_i " : "");
    check_shortest(number, sizeof number, q->parameter);
    if (q->loss == LOSS_HUBER)
        say(q, "(max over |v| <= %s of (y_i - f_i) v - v^2 / 2)", number);
    else if (q->loss == LOSS_QUANTILE)
        say(q, "max(%s (y_i - f_i), (%s - 1) (y_i - f_i))", number, number);
    else
        say(q, "%s", terms[q->loss]);
}

static void state_train(const check *c, claim *q, const char *model)
{
    char number[DIGITS];
    say(q, "F(f) = ");
    say_loss(c, q);
    say(q, " + %.17g R(f), R the sum of %s over the neurons. ", num_nearest(q->beta),
        q->gated ? "|w_j|" : "|w_j||u_j|");
    say(q, "Upper side: F <= %s for ", digits(number, q->upper, 1));
    say_network(q, model);
    say(q, ". Lower side: F >= %s for every ", digits(number, q->lower, -1));
    say_class(c, q);
    say(q, ". Difference: %s.", digits(number, q->upper - q->lower, 1));
}

/* The loss margin: the largest margin of networks of penalty 1. */
static void state_largest(const check *c, claim *q, const char *model)
{
    char number[DIGITS];
    say(q,
        "The margin of a network f is the least y_i f(x_i) over the sum of %s over its neurons. Lower side: "
        "it is >= %s for ",
        q->gated ? "|w_j|" : "|w_j||u_j|", digits(number, q->lower, -1));
    say_network(q, model);
    say(q, ". Upper side: it is <= %s for every ",
        isfinite(q->upper) ? digits(number, q->upper, 1) : "infinity");
    say_class(c, q);
    say(q, ".");
}

static void state_margin(claim *q)
{
    char low[DIGITS], high[DIGITS];
    digits(low, q->lower, -1);
    digits(high, q->upper, 1);
    if (q->evidence == PLANE)
        say(q,
            "The margin of the first layer at infinite width, in the plane, where the %lld listed gates are "
            "all cones",
            (long long)q->gates);
    else if (q->evidence == SPACE)
        say(q,
            "The margin of the first layer at infinite width, in at most three columns, where the %lld "
            "listed gates are all cones",
            (long long)q->gates);
    else if (q->evidence == LINEAR)
        say(q, "The margin of linear functions, the largest over |w| <= 1 of the least y_i <w, x_i>");
    else if (q->evidence == UNITS)
        say(q,
            "The margin of the first layer of %lld neurons with %lld listed gates, each counted as often as "
            "stated",
            (long long)q->units, (long long)q->gates);
    else
        say(q, "The margin of both layers of %lld neurons, of which %lld are listed", (long long)q->units,
            (long long)q->gates);
    say(q, ", is >= %s, by the listed vector%s, and <= %s, by the listed weights of the rows.", low,
        q->evidence == LINEAR ? "" : "s", high);
}

static void state_sampled(claim *q)
{
    char number[DIGITS];
    say(q, "With probability %s the margin of the first layer at infinite width is ",
        check_shortest(number, sizeof number, q->confidence));
    say(q, ">= %s ", digits(number, q->lower, -1));
    say(q,
        "and <= %s, by the listed weights of the rows and %lld pairs of directions, drawn again from seed "
        "%lld "
        "and the hash of the lines before them; %lld were unclear and count against it.",
        digits(number, q->upper, 1), (long long)q->units, (long long)q->seed, (long long)q->unclear);
}

static void state_spectrum(claim *q)
{
    char number[DIGITS];
    say(q, "The matrix of the tangent kernel of %s layer%s", q->loss ? "both" : "the first",
        q->loss ? "s" : "");
    if (q->gated)
        say(q, " of %lld neurons with %lld listed gates, each counted as often as stated",
            (long long)q->units, (long long)q->gates);
    else
        say(q, " at infinite width");
    if (!arb_is_one(&q->divisor))
        say(q, ", times %.17g", num_nearest(q->divisor));
    if (q->evidence == END_NULL) {
        say(q, ": its least eigenvalue is 0, and the listed vector is in its null space, exactly.");
        return;
    }
    const bool least = q->evidence == END_LEAST;
    say(q, ": its %s eigenvalue is >= %s", least ? "least" : "largest", digits(number, q->lower, -1));
    say(q, " and <= %s; the listed vector gives the %s side.", digits(number, q->upper, 1),
        least ? "upper" : "lower");
}

static void state_cone(claim *q)
{
    enum { SHOWN = 200 };
    const char *rest = strlen(q->pattern) > SHOWN ? ".." : "";
    if (q->upper < 0)
        say(q,
            "No u has <x_i, u> > 0 for the rows with + in %.*s%s and <= 0 for the others: this cone is "
            "empty, by "
            "the listed weights.",
            SHOWN, q->pattern, rest);
    else
        say(q,
            "The cone of all u with <x_i, u> > 0 for the rows with + in %.*s%s and <= 0 for the others has "
            "dimension %.0f; the listed point is in it.",
            SHOWN, q->pattern, rest, q->upper);
}

static void state_spike(claim *q)
{
    char number[DIGITS];
    say(q, "The matrix A of these rows is %sspike-free: ", q->upper > 0 ? "" : "not ");
    if (q->upper > 0)
        say(q, "every (Au)_+ with |u| <= 1 is Av for some |v| <= 1.");
    else if (q->norm > 0)
        say(q, "for the listed u, (Au)_+ is no Av with |v| < %s |u|.", digits(number, q->norm, -1));
    else
        say(q, "for the listed u, (Au)_+ is no Av at all.");
}

static void state_zero(claim *q)
{
    if (q->evidence == ZERO_ORIGIN)
        say(q, "Row %lld of these (from 0) is 0, where every network without biases is 0. ",
            (long long)q->row[0]);
    if (q->evidence == ZERO_EQUAL)
        say(q,
            "Rows %lld and %lld of these (from 0) are equal and have opposite targets: no function has every "
            "y_i f(x_i) > 0, and every margin is 0.",
            (long long)q->row[0], (long long)q->row[1]);
    else
        say(q, "No two-layer ReLU network without biases has every y_i f(x_i) > 0, and the margin at "
               "infinite width is 0.");
}

static void state_limit(claim *q)
{
    const char *power = q->gated ? "^2" : "";
    char low[DIGITS], high[DIGITS];
    say(q, "The margin of a network f(x) = sum_j w_j s(<u_j, x>), ");
    if (q->evidence)
        say(q, "s(t) = max(t, %s t)", check_shortest(low, sizeof low, num_nearest(q->slope)));
    else
        say(q, "s(t) = max(t, 0)");
    say(q,
        ", is m / |W|%s, m the least y_i f(x_i) and W %s. Of the network with %lld neuron%s listed in the ",
        power, q->gated ? "all u_j and w_j" : "all u_j", (long long)q->neurons, q->neurons == 1 ? "" : "s");
    say(q, "certificate it is >= %s and <= %s. ", digits(low, q->lower, -1), digits(high, q->upper, 1));
    say(q,
        "It is a KKT point of the largest margin, by the listed multipliers l >= 0: |W - sum_i l_i g_i| <= "
        "%s |W| ",
        digits(low, q->residual, 1));
    say(q, "and sum_i l_i (y_i f(x_i) - m) <= %s m sum_i l_i, the g_i being Clarke gradients of y_i f(x_i)",
        digits(low, q->loss_part, 1));
    if (q->norm > 0)
        say(q, ", where |<u_j, x_i>| <= %s |u_j||x_i| is a kink", digits(low, q->norm, 1));
    say(q, ". Nothing is said of other networks.");
}

static void state_claim(const check *c, claim *q, const char *model)
{
    switch (q->kind) {
    case CLAIM_TRAIN:
        (q->loss == LOSS_MARGIN ? state_largest : state_train)(c, q, model);
        break;
    case CLAIM_MARGIN:
        state_margin(q);
        break;
    case CLAIM_SAMPLED:
        state_sampled(q);
        break;
    case CLAIM_SPECTRUM:
        state_spectrum(q);
        break;
    case CLAIM_CONE:
        state_cone(q);
        break;
    case CLAIM_SPIKE:
        state_spike(q);
        break;
    case CLAIM_ZERO:
        state_zero(q);
        break;
    case CLAIM_LIMIT:
        state_limit(q);
        break;
    case CLAIM_CONES:
        say(q,
            "The hyperplanes <x_i, u> = 0 cut the space into %lld full-dimensional cones, one around each "
            "listed "
            "orientation.",
            (long long)q->gates);
        break;
    default:
        say(q, "There are %lld sets {i : <x_i, u> > 0}, one for each listed orientation.",
            (long long)q->gates);
    }
}

/* The words of the statement that programs read. */
static void set_words(const check *c, claim *q)
{
    static const char *const classes[] = {"relu",  "margin", "kernel", "margin", "cones",
                                          "faces", "cone",   "spike",  "limit",  "margin"};
    static const char *const kinds[] = {"ntk", "ntk", "ntk-full", "ntk", "linear"};
    static const char *const losses[] = {"squared", "equality", "margin",   "hinge",   "logistic",
                                         "softmax", "huber",    "absolute", "quantile"};
    const num n = num_real((double)c->data.n);
    q->class = classes[q->kind];
    q->bound = "global";
    if (q->kind == CLAIM_MARGIN) {
        q->type = kinds[q->evidence];
        q->bound = q->evidence == UNITS || q->evidence == NEURONS ? "gates" : "global";
    }
    if (q->kind == CLAIM_SPECTRUM) {
        q->type = q->loss ? "both" : "first";
        q->bound = q->gated ? "gates" : "global";
        snprintf(q->number, sizeof q->number, "%.17g", num_nearest(q->divisor));
        q->scale = q->number;
    }
    if (q->kind == CLAIM_LIMIT) {
        q->type = q->gated ? "both" : "first";
        q->bound = "none";
    }
    if (q->kind == CLAIM_SAMPLED) {
        q->type = "ntk";
        q->bound = "sampled";
    }
    if (q->kind != CLAIM_TRAIN)
        return;
    const bool few = q->evidence == BOUND_GATES || q->single, margin = q->loss == LOSS_MARGIN;
    q->type = margin ? "global" : NULL;
    q->bound = q->evidence == BOUND_NONE ? "none" : few ? "gates" : "global";
    q->class = margin ? "margin" : q->gated ? "gated" : few ? "gates" : "relu";
    q->loss_name = losses[q->loss];
    if (q->parameter > 0) {
        char number[DIGITS];
        snprintf(q->named, sizeof q->named, "%s:%.32s", losses[q->loss],
                 check_shortest(number, sizeof number, q->parameter));
        q->loss_name = q->named;
    }
    snprintf(q->number, sizeof q->number, "%.17g", num_nearest(q->divisor));
    q->scale = arb_is_one(&q->divisor) ? "sum" : arb_equal(&q->divisor, &n) ? "mean" : q->number;
}

void check_state(check *c, const char *model)
{
    rows_of(&c->data);
    for (claim *q = c->claims; q; q = q->next) {
        int weak = 0;
        set_words(c, q);
        say_data(c, q);
        state_claim(c, q, model);
        for (int k = 0; k < WEAKNESSES; k++)
            if (q->weak >> k & 1) {
                say(q, "%s%s", weak ? "; " : " Weak: ", weaknesses[k]);
                q->weakness[weak++] = weaknesses[k];
            }
        say(q, "%s", weak ? "." : "");
    }
}
