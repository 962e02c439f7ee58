/* SPDX-License-Identifier: Apache-2.0 */
/* Statements of [000], [001] and [002]: on data where all hypotheses hold, and on data where each fails in turn and no other does. */
#include "testing.h"

#include <stdio.h>
#include <string.h>

#include "fathom/fathom.h"

enum { MOST = 4096 };

static int setup(void **state) { return fathom_context_create((fathom_context **)state, NULL) != FATHOM_OK; }

static int teardown(void **state)
{
    fathom_context_free(*state);
    return 0;
}

/* Points with one target each. */
typedef struct points {
    int64_t n, d;
    double x[MOST], y[MOST];
} points;

typedef void maker(points *p);

/* Evenly on a circle, labels in turn. */
static void make_circle(points *p, int64_t n, double radius)
{
    const double turn = 6.283185307179586476925287;
    p->n = n, p->d = 2;
    for (int64_t i = 0; i < n; i++) {
        p->x[2 * i] = radius * cos(turn * (double)i / (double)n);
        p->x[2 * i + 1] = radius * sin(turn * (double)i / (double)n);
        p->y[i] = i % 2 ? -1 : 1;
    }
}

static void circle(points *p) { make_circle(p, 8, 1); }
static void wide_circle(points *p) { make_circle(p, 8, 1.5); }
static void odd_circle(points *p) { make_circle(p, 10, 1); }
static void one_label(points *p)
{
    make_circle(p, 8, 1);
    p->y[0] = -1;
}

/* One point four times over, two places of the circle twice each, and the circle in a plane of space. */
static void one_place(points *p)
{
    make_circle(p, 4, 1);
    for (int64_t i = 0; i < 4; i++)
        p->x[2 * i] = 1, p->x[2 * i + 1] = 0, p->y[i] = 1;
}
static void two_places(points *p)
{
    make_circle(p, 8, 1);
    for (int64_t i = 0; i < 8; i++) {
        p->x[2 * i] = p->x[2 * (i % 4)], p->x[2 * i + 1] = p->x[2 * (i % 4) + 1];
        p->y[i] = p->y[i % 4];
    }
}
static void circle_in_space(points *p)
{
    static points flat;
    make_circle(&flat, 8, 1);
    p->n = 8, p->d = 3;
    for (int64_t i = 0; i < 8; i++) {
        p->x[3 * i] = flat.x[2 * i], p->x[3 * i + 1] = flat.x[2 * i + 1], p->x[3 * i + 2] = 0;
        p->y[i] = flat.y[i];
    }
}

/* A point with both labels: no margin. */
static void torn(points *p)
{
    make_circle(p, 8, 1);
    p->x[2] = p->x[0], p->x[3] = p->x[1];
}

/* Entries `value` (both signs in turn, or one) with probability 2 k / 12, else 0; beside the makers: mean, E t^2, E t^4. */
static void make_entries(points *p, int64_t n, int64_t d, double value, int64_t k, bool both)
{
    p->n = n, p->d = d;
    for (int64_t l = 0; l < n * d; l++) {
        const int64_t draw = l * 7 % 12; /* each of 0..11 once in twelve */
        p->x[l] = draw >= 2 * k ? 0 : draw % 2 && both ? -value : value;
    }
    for (int64_t i = 0; i < n; i++)
        p->y[i] = i % 2 ? -1 : 1;
}

static void gaussian(points *p) { make_entries(p, 2, 600, sqrt(3), 2, true); } /* 0, 1, 3 */
static void shifted(points *p) { make_entries(p, 2, 600, sqrt(3), 2, false); } /* 1/sqrt 3, 1, 3 */
static void signs(points *p) { make_entries(p, 2, 600, 1, 6, true); }          /* 0, 1, 1 */
static void tall(points *p) { make_entries(p, 120, 12, sqrt(3), 2, true); }
static void many(points *p) { make_entries(p, 20, 48, sqrt(3), 2, true); }

/* 0, 1/2, 3: one entry in twelve is sqrt 6 or -sqrt 6, in turns. */
static void small(points *p)
{
    make_entries(p, 2, 600, 0, 0, true);
    for (int64_t l = 0; l < p->n * p->d; l += 12)
        p->x[l] = l / 12 % 2 ? -sqrt(6) : sqrt(6);
}

/* Rows of a matrix. */
static void make_rows(points *p, int64_t n, int64_t d, const double *x, const double *y)
{
    p->n = n, p->d = d;
    memcpy(p->x, x, (size_t)(n * d) * sizeof *x);
    memcpy(p->y, y, (size_t)n * sizeof *y);
}

static const double two_signs[] = {1, -1, 1};
static void triangle(points *p) { make_rows(p, 3, 2, (double[]){0, 0, 1, 0, 0, 1}, two_signs); }
static void inner(points *p) { make_rows(p, 3, 2, (double[]){0, 0, 1, 1, 2, 2}, two_signs); }
static void square(points *p) { make_rows(p, 2, 2, (double[]){1, 0, 0, 1}, two_signs); }
static void obtuse(points *p) { make_rows(p, 2, 2, (double[]){1, 0, -1, 1}, two_signs); }
static void acute(points *p) { make_rows(p, 2, 2, (double[]){1, 0, 1, 1}, two_signs); }
static void dependent(points *p) { make_rows(p, 3, 2, (double[]){1, 0, 0, 1, 1, 1}, two_signs); }
static void positive(points *p) { make_rows(p, 2, 2, (double[]){1, 0, 0, 1}, (double[]){1, 2}); }

/* Rows e_1 + e_2 t and the like for which the two neurons of Lemma 3.1 are not the least: K^-1 y_+ has a negative entry that
 * the other part does not make up for. */
static void costly(points *p)
{
    make_rows(p, 3, 3, (double[]){1, 0, 0, 0.9, 0.5, 0, 0.8, 0, 0.5}, (double[]){1, 0.1, -1});
}

/* Four clusters of `each` examples around the corners of a square, `wide` radians apart; `more` further ones in the first. */
static void make_clusters(points *p, int64_t each, int64_t more, double wide, double skew, double radius)
{
    int64_t i = 0;
    p->d = 2;
    for (int64_t k = 0; k < 4; k++)
        for (int64_t j = 0; j < each + (k == 0 ? more : 0); j++, i++) {
            const double angle = 1.5707963267948966 * (double)k + (k % 2 ? -skew : 0) +
                                 wide * ((double)j / (double)(each + (k == 0 ? more : 0)) - 0.5);
            p->x[2 * i] = radius * cos(angle), p->x[2 * i + 1] = radius * sin(angle);
            p->y[i] = k % 2 ? -1 : 1;
        }
    p->n = i;
}

static void corners(points *p) { make_clusters(p, 3, 0, 0.02, 0, 1); }
static void long_corners(points *p) { make_clusters(p, 3, 0, 0.02, 0, 1.25); }
static void short_corners(points *p) { make_clusters(p, 3, 0, 0.02, 0, 0.5); }
static void wide_corners(points *p) { make_clusters(p, 3, 0, 0.6, 0, 1); }
static void skew_corners(points *p) { make_clusters(p, 3, 0, 0.02, 0.3, 1); }
static void uneven_corners(points *p) { make_clusters(p, 3, 7, 0.02, 0, 1); }
static void half_planes(points *p) { make_clusters(p, 12, 0, 6, 0, 1); }
static void lonely(points *p) { make_rows(p, 1, 2, (double[]){1, 0}, two_signs); }

/* One check; options as text: those that a row sets. */
typedef struct row {
    const char *theorem;
    maker *data;
    const char *line; /* the hypothesis that fails; NULL: all hold */
    int64_t width;
    const char *constants, *init, *until;
    double beta, delta;
    int64_t trials; /* of 002:15; 3 */
    bool others;    /* whether further hypotheses may fail with it */
} row;

static void run_row(fathom_check_result *result, fathom_context *context, const row *r)
{
    static points p;
    fathom_check_options options;
    fathom_data *data;
    fathom_options_init(&options, &fathom_check_option_table);
    memset(&p, 0, sizeof p);
    r->data(&p);
    options.theorem = r->theorem, options.width = r->width, options.constants = r->constants;
    options.init = r->init, options.until = r->until;
    options.beta = r->beta > 0 ? r->beta : options.beta;
    if (strcmp(r->theorem, "002:15") == 0)
        options.trials = r->trials > 0 ? r->trials : 3;
    options.delta = r->delta > 0 ? r->delta : options.delta;
    assert_ok(context, fathom_data_create(&data, context, p.n, p.d, p.x, p.d, 1, p.y, NULL, NULL));
    assert_ok(context, fathom_check_run(result, context, data, &options));
    fathom_data_free(data);
}

/* The lines of a row: the named one fails, no other does, and the theorem is not refuted. */
static void judge_row(const row *r, const fathom_check_result *result)
{
    int failed = 0, named = 0;
    for (int64_t k = 0; k < result->hypotheses; k++) {
        const fathom_check_item *h = result->hypothesis + k;
        failed += h->holds == 0;
        named += r->line && h->holds == 0 && strncmp(h->name, r->line, strlen(r->line)) == 0;
    }
    if (r->line ? named < 1 || (failed > 1 && !r->others) || result->applies != 0 : result->applies != 1)
        fail_msg("%s, %s: %s", r->theorem, r->line ? r->line : "applies", result->conclusion);
    if (!r->line && result->holds == 0)
        fail_msg("refuted: %s", result->conclusion);
}

static void judge_rows(fathom_context *context, const row *rows, size_t count)
{
    static fathom_check_result result;
    for (size_t k = 0; k < count; k++) {
        run_row(&result, context, rows + k);
        judge_row(rows + k, &result);
    }
}

static void test_margins(void **state)
{
    static const row rows[] = {
        {.theorem = "000:6.1", .data = circle},
        {.theorem = "000:6.1", .data = torn, .line = "gamma_V"},
        {.theorem = "000:6.2", .data = torn, .line = "gamma"},
        {.theorem = "000:6.2", .data = circle, .line = "width m", .width = 6},
        {.theorem = "000:7.1", .data = circle},
        {.theorem = "000:7.1", .data = wide_circle, .line = "distance from the alternating circle"},
        {.theorem = "000:7.1", .data = one_place, .line = "distance from the alternating circle"},
        {.theorem = "000:7.1", .data = two_places, .line = "distance from the alternating circle"},
        {.theorem = "000:7.1", .data = circle_in_space, .line = "dimension d"},
        {.theorem = "000:7.2", .data = one_place, .line = "distance from the alternating circle"},
        {.theorem = "000:7.1", .data = odd_circle, .line = "n modulo 4"},
        {.theorem = "000:7.2", .data = circle},
        {.theorem = "000:7.2", .data = wide_circle, .line = "distance from the alternating circle"},
        {.theorem = "000:7.2", .data = one_label, .line = "distance from the alternating circle"},
        {.theorem = "000:7.2", .data = odd_circle, .line = "n modulo 4"},
        {.theorem = "000:7.2", .data = circle, .line = "width m", .width = 100000}};
    judge_rows(*state, rows, sizeof rows / sizeof *rows);
}

static void test_geometry(void **state)
{
    static const row rows[] = {
        {.theorem = "001:3.4", .data = gaussian},
        {.theorem = "001:3.4", .data = shifted, .line = "Gaussian entries: score of the mean"},
        {.theorem = "001:3.4", .data = small, .line = "Gaussian entries: score of the variance"},
        {.theorem = "001:3.4", .data = signs, .line = "Gaussian entries: score of the fourth moment"},
        {.theorem = "001:3.4", .data = tall, .line = "n / d"},
        {.theorem = "001:3.5", .data = triangle},
        {.theorem = "001:3.5", .data = inner, .line = "rows that are vertices"},
        {.theorem = "001:3.6", .data = gaussian},
        {.theorem = "001:3.6", .data = shifted, .line = "Gaussian entries: score of the mean"},
        {.theorem = "001:3.6", .data = small, .line = "Gaussian entries: score of the variance"},
        {.theorem = "001:3.6", .data = signs, .line = "Gaussian entries: score of the fourth moment"},
        {.theorem = "001:3.6", .data = many, .line = "d"},
        {.theorem = "001:spike-free", .data = square},
        {.theorem = "001:spike-free", .data = acute},
        {.theorem = "001:spike-free", .data = obtuse, .line = "largest off-diagonal"},
        {.theorem = "001:spike-free",
         .data = dependent,
         .line = "rank minus distinct directions",
         .others = true},
        {.theorem = "001:l0-l1", .data = square},
        {.theorem = "001:l0-l1", .data = dependent, .line = "rank of A", .others = true},
        {.theorem = "001:l0-l1", .data = positive, .line = "targets of the rarer sign"},
        {.theorem = "001:l0-l1", .data = obtuse, .line = "spike-free"},
        {.theorem = "001:l0-l1", .data = costly, .line = "least entry of K^-1"}};
    judge_rows(*state, rows, sizeof rows / sizeof *rows);
}

static void test_descent(void **state)
{
    static const row rows[] = {
        {.theorem = "002:1", .data = corners, .width = 24, .until = "steps=50"},
        {.theorem = "002:1", .data = lonely, .line = "n", .width = 24, .until = "steps=50"},
        {.theorem = "002:1", .data = long_corners, .line = "largest |x_i|", .width = 24, .until = "steps=50"},
        {.theorem = "002:1", .data = short_corners, .line = "least |x_i|", .width = 24, .until = "steps=50"},
        {.theorem = "002:1",
         .data = corners,
         .line = "R_1",
         .width = 24,
         .until = "steps=50",
         .init = "normal:0.1"},
        {.theorem = "002:1",
         .data = corners,
         .line = "R_1",
         .width = 24,
         .until = "steps=50",
         .init = "normal:30"},
        {.theorem = "002:1",
         .data = corners,
         .line = "Q_1",
         .width = 24,
         .until = "steps=50",
         .constants = "Q1=1"},
        {.theorem = "002:1",
         .data = corners,
         .line = "Q_2",
         .width = 24,
         .until = "steps=50",
         .constants = "Q2=1"},
        {.theorem = "002:a", .data = corners, .width = 24},
        {.theorem = "002:a", .data = long_corners, .line = "largest |x_i|", .width = 24},
        {.theorem = "002:a", .data = short_corners, .line = "least |x_i|", .width = 24}};
    judge_rows(*state, rows, sizeof rows / sizeof *rows);
}

/* With these constants a draw of the corners is a good run. */
#define GOOD .width = 512, .beta = 0.49, .constants = "o=0.48,C3=1,C2=0.1"

static void test_clusters(void **state)
{
    static const char *const theorem[] = {"002:2", "002:15", "002:17", "002:18", "002:19"};
    static const row rows[] = {{.data = corners, GOOD},
                               {.data = long_corners, .line = "largest |x_i|", GOOD, .others = true},
                               {.data = short_corners, .line = "least |x_i|", GOOD, .others = true},
                               {.data = lonely, .line = "n", GOOD, .others = true},
                               {.data = wide_corners, .line = "radius r", GOOD},
                               {.data = skew_corners, .line = "overlap Delta", GOOD},
                               {.data = uneven_corners, .line = "imbalance epsilon", GOOD},
                               {.data = corners,
                                .line = "p",
                                .width = 512,
                                .beta = 0.49,
                                .constants = "C3=9,C2=0.1",
                                .others = true},
                               {.data = corners, .line = "|SD", GOOD, .init = "normal:0.5", .others = true}};
    for (size_t t = 0; t < sizeof theorem / sizeof *theorem; t++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            static fathom_check_result result;
            row r = rows[k];
            r.theorem = theorem[t];
            if (t == 0) {
                r.width = 128;
                r.until = "steps=20";
                r.constants = strstr(r.constants, "C3=9") ? "C3=9,C2=0.1" : "C3=1,C2=0.1";
            }
            run_row(&result, *state, &r);
            judge_row(&r, &result);
        }
    static const row last[] = {
        {.theorem = "002:17",
         .data = corners,
         .line = "conditions of Lemma 15",
         .width = 200,
         .constants = "o=0.1"},
        {.theorem = "002:18",
         .data = corners,
         .line = "conditions of Lemma 15",
         .width = 200,
         .constants = "o=0.1"},
        {.theorem = "002:19",
         .data = corners,
         .line = "conditions of Lemma 15",
         .width = 200,
         .constants = "o=0.1"},
        {.theorem = "002:21", .data = corners},
        {.theorem = "002:21", .data = half_planes, .line = "radius r", .others = true}};
    judge_rows(*state, last, sizeof last / sizeof *last);
}

/* Networks of a file with another h, another size or another number of output weights of one sign. */
static void test_networks(void **state)
{
    static const struct {
        const char *line;
        double h, first, second; /* times 1/p, the first and the second output weight */
    } change[] = {{"|h p - 1|", 2, 1, 1},
                  {"largest ||a_j| - 1|", 1, 0.5, 1.5},
                  {"|sum of the output weights|", 1, 1, -1}};
    enum { M = 8 };
    for (size_t k = 0; k < sizeof change / sizeof *change; k++) {
        static fathom_check_result result;
        const char *path = "failures-net.json";
        const fathom_net_shape shape = {.kind = FATHOM_NET_HUBER,
                                        .d = 2,
                                        .m = M,
                                        .outputs = 1,
                                        .parameter = change[k].h * 2 / M,
                                        .hidden_bias = true,
                                        .output_fixed = true};
        fathom_net *net;
        fathom_model *model;
        assert_ok(*state, fathom_net_create(&net, *state, &shape));
        const fathom_net_weights w = fathom_net_lend(net);
        for (int j = 0; j < M; j++) {
            w.u[2 * j] = cos(j) / 100, w.u[2 * j + 1] = sin(j) / 100;
            w.w[j] = j == 0 ? change[k].first : j == 1 ? change[k].second : j < M / 2 ? 1 : -1;
        }
        assert_ok(*state, fathom_model_create(&model, *state, net, FATHOM_LOSS_LOGISTIC, NULL, NULL));
        assert_ok(*state, fathom_model_write(model, path));
        const row r = {.theorem = "002:1",
                       .data = corners,
                       .line = change[k].line,
                       .width = M,
                       .until = "steps=5",
                       .init = path,
                       .others = true};
        run_row(&result, *state, &r);
        judge_row(&r, &result);
        remove(path);
        fathom_model_free(model);
    }
}

/* What a bound says that every run meets is called vacuous, and does not decide. */
static void test_vacuous(void **state)
{
    static const struct {
        row r;
        const char *line;
    } rows[] = {
        {{.theorem = "000:7.2", .data = circle, .constants = "P=0,c0=0.0625"}, "probability"},
        {{.theorem = "001:3.4", .data = tall}, "rho(A)"},
        {{.theorem = "002:15", .data = corners, .width = 64}, "6: "},
        {{.theorem = "002:2", .data = corners, .width = 16, .until = "steps=20"}, "(b) largest t R_t"},
        {{.theorem = "002:1", .data = corners, .width = 24, .until = "steps=5", .constants = "C1=30"},
         "R_t at the end"},
        {{.theorem = "004:5.1", .data = corners, .width = 4, .until = "steps=1"}, "share of examples"},
        {{.theorem = "002:15", .data = corners, .width = 64, .constants = "o=0.5"}, "2: "},
        {{.theorem = "002:17", .data = corners, .width = 64}, "ln(1/R_1)"},
        {{.theorem = "002:18", .data = corners, .width = 64}, "least sum"},
        {{.theorem = "002:19", .data = corners, .width = 64}, "largest sum"},
        {{.theorem = "002:21", .data = half_planes}, "largest product"}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static fathom_check_result result;
        int found = 0;
        run_row(&result, *state, &rows[k].r);
        for (int64_t l = 0; l < result.comparisons; l++)
            if (strncmp(result.comparison[l].name, rows[k].line, strlen(rows[k].line)) == 0)
                found += result.comparison[l].vacuous;
        if (!found)
            fail_msg("%s: %s is not vacuous: %s", rows[k].r.theorem, rows[k].line, result.conclusion);
    }
}

/* A failure under constants that the check chose is undecided; under constants that were given it is one. */
static void test_open(void **state)
{
    static fathom_check_result result;
    row r = {.theorem = "002:15", .data = corners, .width = 64, .trials = 20};
    run_row(&result, *state, &r);
    assert_int_equal(result.holds, -1);
    const fathom_check_item *share = result.comparison + result.comparisons - 1;
    assert_string_equal(share->name, "probability of a good run");
    assert_true(share->lower == 0 && share->upper > 0 && share->upper < 0.5);
    r.constants = "C3=1,o=0.1";
    run_row(&result, *state, &r);
    assert_int_equal(result.holds, 0);
    r.delta = 1e-9; /* no number of draws decides that few fail */
    r.width = 2048, r.beta = 0.49, r.constants = "o=0.45,C3=1";
    run_row(&result, *state, &r);
    assert_int_equal(result.holds, -1);
}

/* What a statement does not read is refused. */
static void test_refused(void **state)
{
    static const struct {
        const char *theorem;
        int64_t width, trials;
        double beta, epsilon;
        const char *constants, *init;
    } rows[] = {{"002:1", 0, 5, 0, 0, NULL, NULL},     {"002:1", 0, 0, 0.3, 0, NULL, NULL},
                {"002:1", 7, 0, 0, 0, NULL, NULL},     {"002:1", 0, 0, 0, 0, "C2=1", NULL},
                {"002:1", 0, 0, 0, 0, "Q1=0", NULL},   {"002:1", 0, 0, 0, 0, "Q2=-1", NULL},
                {"002:a", 0, 0, 0, 0, "C1=1", NULL},   {"002:a", 9, 0, 0, 0, NULL, NULL},
                {"002:2", 0, 5, 0, 0, NULL, NULL},     {"002:15", 0, 0, 0, 0.5, NULL, NULL},
                {"002:15", 0, 0, 0, 0, "C4=1", NULL},  {"002:17", 0, 5, 0, 0, NULL, NULL},
                {"002:18", 0, 0, 0, 0, "C4=1", NULL},  {"002:19", 0, 0, 0, 0, "c=1", NULL},
                {"002:21", 8, 0, 0, 0, NULL, NULL},    {"002:21", 0, 0, 0, 0, NULL, "normal:1"},
                {"000:6.1", 0, 5, 0, 0, NULL, NULL},   {"000:6.2", 0, 0, 0, 0, "c=1", NULL},
                {"000:7.2", 0, 0, 0, 0.5, NULL, NULL}, {"001:3.5", 8, 0, 0, 0, NULL, NULL},
                {"001:3.6", 0, 5, 0, 0, NULL, NULL},   {"001:l0-l1", 0, 0, 0, 0, NULL, "normal:1"}};
    static points p;
    fathom_data *data;
    memset(&p, 0, sizeof p);
    corners(&p);
    assert_ok(*state, fathom_data_create(&data, *state, p.n, p.d, p.x, p.d, 1, p.y, NULL, NULL));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        static fathom_check_result result;
        fathom_check_options options;
        fathom_options_init(&options, &fathom_check_option_table);
        options.theorem = rows[k].theorem, options.width = rows[k].width, options.init = rows[k].init;
        options.constants = rows[k].constants;
        options.trials = rows[k].trials > 0 ? rows[k].trials : options.trials;
        options.beta = rows[k].beta > 0 ? rows[k].beta : options.beta;
        options.epsilon = rows[k].epsilon > 0 ? rows[k].epsilon : options.epsilon;
        if (fathom_check_run(&result, *state, data, &options) != FATHOM_ERROR_USAGE)
            fail_msg("%s takes row %d", rows[k].theorem, (int)k);
    }
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_margins),  cmocka_unit_test(test_geometry),
                                       cmocka_unit_test(test_descent),  cmocka_unit_test(test_clusters),
                                       cmocka_unit_test(test_networks), cmocka_unit_test(test_vacuous),
                                       cmocka_unit_test(test_open),     cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
