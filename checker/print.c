/* SPDX-License-Identifier: Apache-2.0 */
/* Statements for people and as JSON, with the chain of inequalities where that is asked for. */
#include <math.h>
#include <string.h>

#include "checker.h"

/* --- explanation: the inequalities and their numbers --- */

static int explain_train(const claim *q, char text[][200])
{
    int k = 0;
    const char *high = ((q->evidence == BOUND_GATES) | q->gated) ? "the gates"
                       : q->single ? "networks whose neurons feed one output each"
                                   : "all networks";
    if (q->loss == LOSS_EQUALITY || q->loss == LOSS_MARGIN)
        snprintf(text[k++], 200, "the listed network satisfies the constraints, and R(f) <= %.17g", q->norm);
    else
        snprintf(text[k++], 200, "the listed network has loss <= %.17g and R(f) <= %.17g", q->loss_part,
                 q->norm);
    snprintf(text[k++], 200, "so F(f) = loss + beta R(f) <= %.17g, with beta = %.17g", q->objective,
             num_nearest(q->beta));
    if (q->evidence == BOUND_NONE) {
        snprintf(text[k++], 200, "no loss and no norm is negative: F >= 0");
        return k;
    }
    snprintf(text[k++], 200, "the dual point w is in the domain of the conjugates, and D(w) / N >= %.17g",
             q->dual);
    snprintf(text[k++], 200, "the price of w over %s is <= %.17g N beta, which is <= N beta", high, q->price);
    snprintf(text[k++], 200,
             "so by weak duality F >= D(w) / N for every network that the statement speaks of");
    return k;
}

static int explain_spectrum(const claim *q, char text[][200])
{
    if (q->evidence == END_NULL) {
        snprintf(text[0], 200, "the sum of v_i x_i over the rows that a gate is open on is 0 for every gate");
        snprintf(text[1], 200, "so Hv = 0; H is positive semidefinite: its least eigenvalue is 0");
        return 2;
    }
    const bool least = q->evidence == END_LEAST;
    snprintf(text[0], 200, "the listed v has v'Hv / v'v %s %.17g, which no %s eigenvalue is beyond",
             least ? "<=" : ">=", least ? q->upper : q->lower, least ? "least" : "largest");
    snprintf(text[1], 200, "H less %.17g I has %s: %s", least ? q->lower : q->upper,
             least ? "no negative pivot" : "no positive pivot",
             least ? "no eigenvalue is smaller" : "no eigenvalue is larger");
    return 2;
}

/* Claims about the data matrix itself. */
static int explain_matrix(const claim *q, char text[][200])
{
    if (q->kind == CLAIM_SPECTRUM)
        return explain_spectrum(q, text);
    if (q->kind == CLAIM_CONE && q->upper < 0) {
        snprintf(text[0], 200,
                 "the listed l >= 0 have sum_+ l_i x_i = sum_- l_i x_i, and some l_i > 0 among +");
        snprintf(text[1], 200, "a point u would make the left side of <., u> positive and the right one not");
    } else if (q->kind == CLAIM_CONE) {
        snprintf(text[0], 200, "the listed point has the signs of the pattern");
        snprintf(text[1], 200,
                 "the rows that vanish there sum up to 0 with l_i > 0, and so vanish on the cone");
    } else if (q->upper > 0) {
        snprintf(text[0], 200, "the distinct directions R of the rows are independent");
        snprintf(text[1], 200, "(RR')^{-1} has no positive entry off its diagonal");
    } else {
        snprintf(text[0], 200, "the listed u and c have <c, (Au)_+> > |A'c||u|");
        snprintf(text[1], 200, "(Au)_+ = Av would give <c, Av> = <A'c, v> <= |A'c||v|");
    }
    return 2;
}

static int explain(const claim *q, char text[][200])
{
    if (q->kind == CLAIM_TRAIN)
        return explain_train(q, text);
    if (q->kind == CLAIM_MARGIN) {
        snprintf(text[0], 200,
                 "every listed vector has length <= 1; the least score that they give is >= %.17g", q->lower);
        snprintf(text[1], 200,
                 "any weights q >= 0 bound the margin from above; the listed ones give <= %.17g", q->upper);
        return 2;
    }
    if (q->kind == CLAIM_SAMPLED) {
        snprintf(
            text[0], 200,
            "weights, slopes and stakes were fixed before %lld pairs of directions were drawn, %lld unclear",
            (long long)q->units, (long long)q->unclear);
        snprintf(text[1], 200, "if E|S| were above %.17g sum q, the upper stake would not have grown",
                 q->upper);
        snprintf(text[2], 200, "if some row had less than %.17g, its stake would not have grown", q->lower);
        snprintf(
            text[3], 200,
            "each grew to 2 / (1 - %.17g) times itself, which such stakes do with probability %.17g at most",
            q->confidence, (1 - q->confidence) / 2);
        return 4;
    }
    if (q->kind == CLAIM_LIMIT) {
        snprintf(text[0], 200, "every y_i f(x_i) > 0, and the margin is between %.17g and %.17g", q->lower,
                 q->upper);
        snprintf(text[1], 200,
                 "the multipliers are >= 0, and those beyond the margin are as small as stated");
        snprintf(text[2], 200, "W less their sum of gradients is at most %.17g |W|", q->residual);
        return 3;
    }
    if (q->kind == CLAIM_ZERO && q->evidence != ZERO_PAIRS) {
        snprintf(text[0], 200, "the rows that are named were compared number by number");
        return 1;
    }
    if (q->kind == CLAIM_ZERO) {
        snprintf(text[0], 200, "the listed pairs have labels +1 and -1, and multiples of one vector");
        snprintf(text[1], 200,
                 "on one ray, or as many pairs whose combination is 0: f takes no sign that fits all");
        return 2;
    }
    if (q->kind == CLAIM_SPECTRUM || q->kind == CLAIM_CONE || q->kind == CLAIM_SPIKE)
        return explain_matrix(q, text);
    snprintf(text[0], 200, "the %lld orientations have distinct patterns", (long long)q->gates);
    snprintf(text[1], 200, "%lld were counted anew: there are no others", (long long)q->gates);
    return 2;
}

/* --- output --- */

/* A text in lines of at most 100 columns. */
static void put_wrapped(FILE *out, const char *text)
{
    for (size_t column = 0; *text; text += *text == ' ') {
        const size_t size = strcspn(text, " ");
        const bool fits = column + 1 + size <= 100;
        if (column > 0)
            fputc(fits ? ' ' : '\n', out);
        column = column > 0 && fits ? column + 1 + size : size;
        text += fprintf(out, "%.*s", (int)size, text);
    }
    fputc('\n', out);
}

void check_print(const check *c, FILE *out, bool explained)
{
    const verdict *v = &c->verdict;
    char text[8][200];
    int weak = 0, number = 0;
    for (const claim *q = c->claims; q; q = q->next)
        weak += q->weak != 0;
    fprintf(out, "accepted upper=%.17g lower=%.17g gap=%.17g", v->upper, v->lower, v->upper - v->lower);
    if (v->claims > 1)
        fprintf(out, " claims=%lld", (long long)v->claims);
    if (weak > 0)
        fprintf(out, " weak=%d", weak);
    fprintf(out, "\n");
    for (const claim *q = c->claims; q; q = q->next) {
        fprintf(out, "\n");
        if (v->claims > 1)
            fprintf(out, "Claim %d. ", ++number);
        put_wrapped(out, q->statement);
        const int lines = explained ? explain(q, text) : 0;
        for (int k = 0; k < lines; k++)
            fprintf(out, "  %d. %s\n", k + 1, text[k]);
    }
}

static void put_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, ", \"%s\": ", key);
    if (!text) {
        fprintf(out, "null");
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if ((unsigned char)*text < 32)
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            fprintf(out, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
    }
    fputc('"', out);
}

static void put_real(FILE *out, const char *key, double value)
{
    if (isfinite(value))
        fprintf(out, ", \"%s\": %.17g", key, value);
    else
        fprintf(out, ", \"%s\": null", key);
}

static void put_claim(const check *c, FILE *out, const claim *q, bool explained)
{
    const bool trained = q->kind == CLAIM_TRAIN;
    const dataset *a = &c->data;
    static const char *const normalizations[] = {"none", "unit", "standardize"};
    static const char *const biases[] = {"none", "augment", "free"};
    char text[8][200];
    fprintf(out, "{\"n\": %lld, \"d\": %lld", (long long)a->n, (long long)a->d);
    put_text(out, "statement", q->statement);
    put_text(out, "class", q->class);
    put_text(out, "kind", q->type);
    put_text(out, "loss", q->loss_name);
    put_real(out, "beta", trained ? num_nearest(q->beta) : NAN);
    put_text(out, "scale", q->scale);
    const bool listed = trained || q->kind == CLAIM_LIMIT,
               missed = trained ? q->loss == LOSS_EQUALITY : listed;
    put_real(out, "residual", missed ? q->residual : NAN);
    put_text(out, "pattern", q->pattern);
    put_text(out, "classes", a->coding ? a->names : NULL);
    put_text(out, "normalize", normalizations[a->normalize]);
    put_text(out, "bias", biases[a->bias]);
    put_text(out, "rows", a->ranges);
    put_text(out, "data_sha256", a->sha);
    put_text(out, "labels_sha256", *a->labels_sha ? a->labels_sha : NULL);
    put_text(out, "bound", q->bound);
    put_real(out, "upper", q->upper);
    put_real(out, "lower", q->lower);
    put_real(out, "gap", q->upper - q->lower);
    put_real(out, "neurons", listed ? (double)q->neurons : NAN);
    put_real(out, "gates", (double)q->gates);
    if (q->kind == CLAIM_SAMPLED) {
        put_real(out, "confidence", q->confidence);
        put_real(out, "seed", (double)q->seed);
        put_real(out, "draws", (double)q->units);
        put_real(out, "unclear", (double)q->unclear);
    }
    fprintf(out, ", \"weak\": [");
    for (int k = 0; q->weakness[k]; k++)
        fprintf(out, "%s\"%s\"", k ? ", " : "", q->weakness[k]);
    fprintf(out, "]");
    const int lines = explained ? explain(q, text) : 0;
    for (int k = 0; k < lines; k++)
        fprintf(out, "%s\"%s\"%s", k ? ", " : ", \"explain\": [", text[k], k + 1 < lines ? "" : "]");
    fprintf(out, "}%s", q->next ? ", " : "");
}

void check_print_json(const check *c, FILE *out, bool explained)
{
    const verdict *v = &c->verdict;
    fprintf(out, "{\"accepted\": true");
    put_real(out, "upper", v->upper);
    put_real(out, "lower", v->lower);
    put_real(out, "gap", v->upper - v->lower);
    fprintf(out, ", \"claims\": [");
    for (const claim *q = c->claims; q; q = q->next)
        put_claim(c, out, q, explained);
    fprintf(out, "]}\n");
}
