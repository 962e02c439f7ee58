/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a claim: the words of every kind, what is weak, what was expected, and whose network it is. */
#include "checking.h"

/* A certificate with a part replaced, what is asked, the code, and words of what is said. */
typedef struct saying {
    const base *b;
    const char *from, *to;
    question asked;
    int code;
    const char *words, *never; /* never: words that must not be there, or NULL */
} saying;

/* All that is said, or the message. */
static char *say(const saying *s, int *code)
{
    static check c;
    const variation v = {s->from, s->to, 0, NULL};
    char *text = text_with(s->b, &v), *said = calloc(20000, 1);
    const inputs in = {text,
                       s->b->data,
                       s->b->labels,
                       (int64_t)strlen(text),
                       s->b->size ? s->b->size : (int64_t)strlen(s->b->data),
                       s->b->labels_size};
    question asked = s->asked;
    asked.out = tmpfile();
    asked.model_size = asked.model ? (int64_t)strlen(asked.model) : 0;
    asked.expect_size = asked.expect ? (int64_t)strlen(asked.expect) : 0;
    *code = check_run(&c, &in, &asked, &check_limits);
    rewind(asked.out);
    if (fread(said, 1, 19999, asked.out) == 0)
        strcpy(said, c.message);
    for (char *at = said; *at && !asked.json; at++)
        *at = *at == '\n' ? ' ' : *at;
    fclose(asked.out);
    free(text);
    return said;
}

static void check_sayings(const saying *list, size_t count)
{
    size_t wrong = 0;
    for (size_t k = 0; k < count; k++) {
        int code;
        char *said = say(list + k, &code);
        const bool good = code == list[k].code && strstr(said, list[k].words) &&
                          !(list[k].never && strstr(said, list[k].never));
        if (!good)
            print_error("%zu: '%s' -> '%s', expect %s: code %d: %s\n  instead of %d, '%s'\n", k, list[k].from,
                        list[k].to, list[k].asked.expect ? list[k].asked.expect : "-", code, said,
                        list[k].code, list[k].words);
        wrong += !good;
        free(said);
    }
    assert_int_equal(wrong, 0);
}
#define SAY(list) check_sayings(list, sizeof(list) / sizeof(list)[0])

/* f = 0 is optimal: F = 3. */
static const base squared = {"csv",
                             "1,0,1\n0,1,-1\n1,1,2\n",
                             0,
                             NULL,
                             0,
                             " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES
                             "claim train\nproblem relu squared 1 4\nbound plane 3 3\n"
                             "network 0\nconstant 0\ndual 1 1 -1 2\nend\n"};

/* One neuron with free biases; no lower bound. */
static const base biased = {"csv",
                            "1,1\n2,-1\n",
                            0,
                            NULL,
                            0,
                            " 0 1 -1\n" PLAIN("2", "1", "free") NO_GATES
                            "claim train\nproblem relu squared 1 1\nbound none 100 0\n"
                            "network 1\nneuron 3 1p-1 -1p-2\nconstant 1p-1\nend\n"};

static void test_training(void **state)
{
    (void)state;
    static const saying list[] = {
        {&squared,
         "",
         "",
         {0},
         0,
         "accepted upper=3 lower=3 gap=0 weak=1  About all 3 rows of the CSV file",
         NULL},
        {&squared,
         "",
         "",
         {0},
         0,
         "targets in column 2 from 0; not normalised; no bias; then 2 columns. F(f) = sum_i |f_i - y_i|^2 / "
         "2 + 4 R(f), R the sum of |w_j||u_j| over the neurons. Upper side: F <= 3 for a network with 0 "
         "neurons, listed in the certificate. Lower side: F >= 3 for every two-layer ReLU network of any "
         "width. Difference: 0. Weak: the penalty is at or above beta_max",
         "no gates"},
        {&squared,
         "bound plane",
         "bound gates",
         {0},
         0,
         "whose neurons lie in the cones of the 0 listed gates. Difference: 0. Weak: no gates are listed: "
         "nothing is said about networks with gates. ",
         "beta_max"},
        {&squared,
         "plane 3 3\nnetwork 0\n",
         "plane 5 3\nnetwork 1\nneuron 1 1 0\n",
         {0},
         0,
         "for a network with 1 neuron, listed",
         "Weak: the listed"},
        {&squared,
         "squared 1 4\nbound plane 3 3",
         "squared 3 2\nbound plane 1 1",
         {0},
         0,
         "F(f) = (1/3) sum_i",
         NULL},
        {&squared,
         "squared 1 4\nbound plane 3 3",
         "squared 1p-1 8\nbound plane 6 6",
         {0},
         0,
         "F(f) = (1/0.5) sum_i",
         NULL},
        {&biased, "", "", {0}, 0, "no lower bound is proved", "beta_max"},
        {&biased, "", "", {0}, 0, "biases free; then 1 columns", NULL},
        {&biased, "", "", {0}, 0, "two-layer ReLU network of any width, with any biases", NULL},
        {&biased,
         "none 100 0\nnetwork 1\nneuron 3 1p-1 -1p-2\nconstant 1p-1",
         "none 100 0\nnetwork 0\nconstant 0",
         {0},
         0,
         "the listed network is no better than one without neurons.",
         NULL},
        {&biased, "squared", "logistic", {0}, 0, "sum_i ln(1 + exp(-y_i f_i)) + 1 R(f)", NULL},
        {&biased, "squared", "hinge", {0}, 0, "sum_i max(0, 1 - y_i f_i) + 1 R(f)", NULL},
        {&biased,
         "squared 1 1\nbound none 100 0",
         "equality 1 1\nbound none 100 0",
         {0},
         4,
         "'residual' was expected",
         NULL},
        {&biased, "constant 1p-1\n", "constant 1p-1\nresidual 0\n", {0}, 4, "'end' was expected", NULL},
    };
    SAY(list);
}

/* Interpolation: what is missed is stated, and lowers the bound by its price. */
static void test_residual(void **state)
{
    (void)state;
    static const base exact = {"csv",
                               "1,1\n",
                               0,
                               NULL,
                               0,
                               " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES
                               "claim train\nproblem relu equality 1 1\nbound plane 1 1\n"
                               "network 1\nneuron 1 1\nconstant 0\nresidual 0\ndual 1 1\nend\n"};
    static const saying list[] = {
        {&exact, "", "", {0}, 0, "accepted upper=1 lower=1 gap=0  About", "Weak"},
        {&exact, "", "", {0}, 0, "F(f) = (0 where no |f_i - y_i| is above 0, else infinite) + 1 R(f)", NULL},
        {&exact, "residual 0", "residual 1p-30", {0}, 0, "lower=0.99999999906867743 ", "Weak"},
        {&exact,
         "neuron 1 1\nconstant 0\nresidual 0",
         "neuron 1p-1 1\nconstant 0\nresidual 1p-1",
         {0},
         0,
         "accepted upper=0.5 lower=0.5 gap=0 weak=1",
         NULL},
        {&exact,
         "neuron 1 1\nconstant 0\nresidual 0",
         "neuron 1p-1 1\nconstant 0\nresidual 1p-1",
         {0},
         0,
         "Weak: targets may be missed by more than a millionth of the largest.",
         NULL},
        {&exact,
         "plane 1 1\nnetwork 1\nneuron 1 1\nconstant 0\nresidual 0",
         "plane 1 1\nnetwork 0\nconstant 0\nresidual 4",
         {0},
         0,
         "accepted upper=0 lower=0 gap=0 weak=1",
         NULL},
        {&exact, "plane", "none", {.explain = true}, 4, "the bound is 0", NULL},
    };
    SAY(list);
    static const base zero = {"csv",
                              "1,0\n",
                              0,
                              NULL,
                              0,
                              " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES
                              "claim train\nproblem relu equality 1 1\nbound none 0 0\n"
                              "network 0\nconstant 0\nresidual 0\nend\n"};
    static const saying zeros[] = {
        {&zero, "", "", {0}, 0, "holds of every problem; the penalty is at or above", NULL},
        {&zero,
         "",
         "",
         {.explain = true},
         0,
         "1. the listed network satisfies the constraints, and R(f) <= 0   2. so F(f) = loss + beta R(f) <= "
         "0, with beta = 1   3. no loss and no norm is negative: F >= 0",
         NULL},
    };
    SAY(zeros);
    static const saying more[] = {
        {&exact, "", "", {.json = true}, 0, "\"residual\": 0, \"normalize\"", NULL}};
    SAY(more);
}

/* The objective without neurons, by its closed forms: the empty network is no better, and one with a neuron is worse. */
static void test_none(void **state)
{
    (void)state;
    static const base two = {"csv",
                             "1,1\n2,-1\n3,-1\n",
                             0,
                             NULL,
                             0,
                             " 0 1 -1\n" PLAIN("3", "1", "none") NO_GATES
                             "claim train\nproblem relu logistic 1 1\nbound none 10 0\n"
                             "network 0\nconstant 0\nend\n"};
    static const base free_hinge = {"csv",
                                    "1,1\n2,-1\n3,-1\n",
                                    0,
                                    NULL,
                                    0,
                                    " 0 1 -1\n" PLAIN("3", "1", "free") NO_GATES
                                    "claim train\nproblem relu hinge 1 1\nbound none 10 0\n"
                                    "network 0\nconstant -1\nend\n"};
    static const base three = {
        "csv",
        "1,0\n2,1\n3,2\n4,2\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 1 0 4\nclasses columns numbers 3 0 1 2\nsteps none free 4 1\n" NO_GATES
        "claim train\nproblem relu softmax 1 1\nbound none 10 0\nnetwork 0\nconstant 0 0 0\nend\n"};
    static const saying list[] = {
        {&two, "", "", {0}, 0, "no better than one without neurons", NULL},
        {&two,
         "network 0",
         "network 1\nneuron 1 1",
         {0},
         0,
         "no better than one",
         NULL}, /* wrong on two: above 3 ln 2 */
        {&two, "network 0", "network 1\nneuron -1p-4 1", {0}, 0, "weak=1", "no better"}, /* 2.02 < 3 ln 2 */
        {&two, "logistic", "hinge", {0}, 0, "no better than one without neurons", NULL},
        {&free_hinge, "", "", {0}, 0, "accepted upper=2 lower=0", NULL}, /* 2 min(1, 2) */
        {&free_hinge, "", "", {0}, 0, "no better than one without neurons", NULL},
        {&free_hinge,
         "classes none",
         "classes signs numbers 2 1 -1",
         {0},
         0,
         "accepted upper=4 lower=0",
         NULL},
        {&free_hinge,
         "classes none",
         "classes signs numbers 2 1 -1",
         {0},
         0,
         "the two classes are -1 and +1",
         NULL},
        {&free_hinge, "hinge", "logistic", {0}, 0, "no better", NULL},
        {&free_hinge,
         "hinge 1 1\nbound none 10 0\nnetwork 0\nconstant -1",
         "logistic 1 1\nbound none 10 0\nnetwork 0\nconstant -b17217f7d1cfp-48",
         {0},
         0,
         "no better than one",
         NULL},
        {&three, "", "", {0}, 0, "classes are unit vectors; not normalised; biases free", NULL},
        {&three, "constant 0 0 0", "constant 0 0 b17217f7d1cfp-48", {0}, 0, "no better than one", NULL},
        {&three, "free", "none", {0}, 0, "sum_i (ln sum_k exp(f_ik) - <y_i, f_i>) + 1 R(f)", NULL},
        {&three,
         "softmax 1 1\nbound none 10 0\nnetwork 0\nconstant 0 0 0",
         "squared 1 1\nbound none 10 0\nnetwork 0\nconstant 0 0 0",
         {0},
         0,
         "accepted",
         NULL},
    };
    SAY(list);
}

static void test_others(void **state)
{
    (void)state;
    static const base weighted = {"csv",
                                  "1,5,1\n2,1,-1\n",
                                  0,
                                  NULL,
                                  0,
                                  " 0 2 1\n" PLAIN("2", "1", "none") NO_GATES
                                  "claim train\nproblem relu margin 1 2\nbound none 8 0\n"
                                  "network 2\nneuron 3 1\nneuron -1 0\nconstant 0\nend\n"};
    static const base signs = {"csv",
                               "1,0,1\n0,1,-1\n",
                               0,
                               NULL,
                               0,
                               " 0 2 -1\n" PLAIN("2", "2", "none") NO_GATES
                               "claim train\nproblem relu margin 1 2\nbound none 4 0\n"
                               "network 2\nneuron 1 1 0\nneuron -1 0 1\nconstant 0\nend\n"};
    static const base gated = {
        "csv",
        "1,0,1\n0,1,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "free") "gates orientations 1\ngate 1 1\nclaim train\n"
                                            "problem gated squared 1 1\nbound none 10 0\nnetwork 1\n"
                                            "neuron 0 1 -1\nconstant 0\nend\n"};
    static const base units = {
        "csv",
        "1,0,1\n0,1,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 2\ngate 1 1\ngate 1 -1\nclaim margin\n"
                                            "bound units 1 5a7p-12\ncounts 2 1 1\n"
                                            "vector b504p-16 -b504p-16\nvector 0 0\ndual 1 1\nend\n"};
    static const base zero = {
        "csv",
        "1,1\n1,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 2 0 2 0 1\nclasses none\nsteps none augment 3 2 decimals\n" NO_GATES
        "claim zero\npairs 1 0 1 1\nend\n"};
    static const base cones = {
        "csv",
        "1,0,1\n0,1,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 4\ngate 1 1\ngate 1 -1\n"
                                            "gate -1 1\ngate -1 -1\nclaim cones\nend\n"};
    static const base libsvm = {
        "libsvm",
        "1 1:1\n-1 2:1\n",
        0,
        NULL,
        0,
        " 2\nrows 1 1 2\nclasses none\nsteps unit none 1 2\n" NO_GATES
        "claim train\nproblem relu squared 1 1\nbound none 1 0\n"
        "network 0\nconstant 0\nclaim train\nproblem relu squared 1 2\nbound none 1 0\n"
        "network 0\nconstant 0\nend\n"};
    static const saying list[] = {
        {&signs, "", "", {.explain = true}, 0, "1. the listed network satisfies the constraints", NULL},
        {&signs, "", "", {0}, 0, "accepted upper=inf lower=0.5 gap=inf weak=1", NULL},
        {&signs,
         "",
         "",
         {0},
         0,
         "The margin of a network f is the least y_i f(x_i) over the sum of |w_j||u_j| over its neurons. "
         "Lower side: it is >= 0.5 for a network with 2 neurons, listed in the certificate. Upper side: it "
         "is <= infinity for every two-layer ReLU network of any width.",
         NULL},
        {&signs, "bound none 4 0", "bound plane 4 7p-2", {0}, 4, "'dual' was expected", NULL},
        {&signs,
         "bound none 4 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nconstant 0\n",
         "bound plane 4 7p-2\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nconstant 0\ndual 1 1 -1\n",
         {0},
         0,
         "accepted upper=1 lower=0.5",
         NULL},
        {&signs,
         "",
         "",
         {.json = true},
         0,
         "\"class\": \"margin\", \"kind\": \"global\", \"loss\": \"margin\", \"beta\": 2,",
         NULL},
        {&signs,
         "",
         "",
         {.json = true},
         0,
         "\"upper\": null, \"lower\": 0.5, \"gap\": null, \"neurons\": 2",
         NULL},
        {&weighted, "margin", "squared", {0}, 4, "the network's objective", NULL},
        {&weighted,
         "margin 1 2\nbound none 8 0",
         "squared 1 1\nbound none 80 0",
         {0},
         0,
         "weights in column 1; not",
         NULL},
        {&weighted,
         "margin 1 2\nbound none 8 0",
         "squared 1 1\nbound none 80 0",
         {0},
         0,
         "sum_i c_i |f_i - y_i|^2 / 2",
         NULL},
        {&gated, "", "", {0}, 0, "for every gated network on the 1 listed gates, with any constant", NULL},
        {&gated, "", "", {0}, 0, "R the sum of |w_j| over the neurons", NULL},
        {&gated,
         "free",
         "none",
         {.explain = true},
         0,
         "for every gated network on the 1 listed gates. Diff",
         NULL},
        {&gated,
         "gated squared 1 1\nbound none 10 0",
         "gated margin 1 1\nbound none 2 0",
         {0},
         0,
         "over the sum of |w_j| over its neurons",
         NULL},
        {&units,
         "",
         "",
         {0},
         0,
         "The margin of the first layer of 2 neurons with 2 listed gates, each counted as often as stated, "
         "is >=",
         NULL},
        {&units,
         "",
         "",
         {.json = true},
         0,
         "\"class\": \"margin\", \"kind\": \"ntk\", \"loss\": null, \"beta\": null, \"scale\": null",
         NULL},
        {&units,
         "",
         "",
         {.explain = true},
         0,
         "1. every listed vector has length <= 1; the least score",
         NULL},
        {&units,
         "bound units 1 5a7p-12\ncounts 2 1 1\nvector b504p-16 -b504p-16\nvector 0 0",
         "bound neurons 2 0\ngains 2 1 1\nvector 0 0 0\nvector 0 0 0",
         {0},
         0,
         "The margin of both layers of 2 neurons, of which 2 are listed",
         NULL},
        {&units,
         "2\ngate 1 1\ngate 1 -1\nclaim margin\nbound units 1 5a7p-12\ncounts 2 1 1\nvector b504p-16 "
         "-b504p-16\nvector 0 0",
         "0\nclaim margin\nbound units 0 0\ncounts 2",
         {0},
         0,
         "Weak: no gates are listed",
         NULL},
        {&cones,
         "claim cones",
         "claim margin\nbound plane 1 0\nvector 0 0\nvector 0 0\nvector 0 0\nvector 0 0\ndual 1 1",
         {0},
         0,
         "The margin of the first layer at infinite width, in the plane, where the 4 listed gates are all "
         "cones",
         NULL},
        {&cones,
         "claim cones",
         "claim margin\nbound plane 1 0\nvector 0 0\nvector 0 0\nvector 0 0\nvector 0 0\ndual 1 1",
         {.json = true},
         0,
         "\"bound\": \"global\"",
         NULL},
        {&cones, "", "", {0}, 0, "cut the space into 4 full-dimensional cones", NULL},
        {&cones,
         "",
         "",
         {.explain = true},
         0,
         "1. the 4 orientations have distinct patterns   2. 4 were counted anew: there are no others",
         NULL},
        {&cones, "", "", {.json = true, .explain = true}, 0, "\"explain\": [\"the 4 orientations", NULL},
        {&cones,
         "claim cones",
         "claim faces",
         {0},
         0,
         "There are 4 sets {i : <x_i, u> > 0}, one for each",
         NULL},
        {&cones,
         "claim cones",
         "claim train\nproblem gated squared 1 4\nbound cones 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1",
         {0},
         0,
         "on the 4 listed gates, which are all cones of the data.",
         NULL},
        {&cones,
         "claim cones",
         "claim train\nproblem gated squared 1 4\nbound cones 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1",
         {.json = true},
         0,
         "\"class\": \"gated\"",
         NULL},
        {&cones,
         "claim cones",
         "claim train\nproblem gated squared 1 4\nbound gates 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1",
         {.explain = true},
         0,
         "over the gates is <= 0.353",
         NULL},
        {&cones,
         "claim cones",
         "claim train\nproblem relu squared 1 4\nbound gates 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1\npush "
         "0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0",
         {.json = true, .explain = true},
         0,
         "\"class\": \"gates\"",
         NULL},
        {&cones,
         "claim cones",
         "claim train\nproblem gated squared 1 4\nbound cones 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1",
         {.explain = true},
         0,
         "over the gates is",
         NULL},
        {&zero, "", "", {0}, 0, "About 3 rows (0:2,0:1) of the 2 of the CSV file", NULL},
        {&zero,
         "",
         "",
         {0},
         0,
         "a column of ones added; decimals as they are written; then 2 columns. No two-layer ReLU network "
         "without biases",
         NULL},
        {&libsvm,
         "",
         "",
         {0},
         0,
         "claims=2 weak=2  Claim 1. About 1 rows (1:2) of the 2 of the LIBSVM file",
         NULL},
        {&libsvm, "", "", {0}, 0, "Claim 2. About", NULL},
        {&libsvm,
         "",
         "",
         {.json = true},
         0,
         "\"weak\": [\"no lower bound is proved: what is said below holds of every problem\", \"the listed "
         "network",
         NULL},
        {&libsvm,
         "squared 1 2\nbound none 1",
         "squared 1 2\nbound none 0",
         {0},
         4,
         "line 14: the network's objective is 0.5",
         "accepted"},
    };
    SAY(list);
}

static void test_rows(void **state)
{
    (void)state;
#define TEN "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 "
    static const base many = {
        "csv",
        "1,1\n2,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 60 " TEN TEN TEN TEN TEN "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1\nclasses none\n"
        "steps none none 60 1\n" NO_GATES
        "claim train\nproblem relu squared 1 1\nbound none 30 0\nnetwork 0\nconstant 0\nend\n"};
    static const saying list[] = {
        {&many, "", "", {0}, 0, "About 60 rows (0:1,0:1,", NULL},
        {&many, "", "", {0}, 0, ",0:1,..) of the 2 of", ",..,"},
        {&many, "", "", {.expect = "rows=0:1"}, 4, "rows is 0:1,0:1", NULL},
        {&biased, "", "", {.expect = "rows=all"}, 0, "accepted", NULL},
        {&biased, "", "", {.expect = "rows=0:2"}, 0, "accepted", NULL},
        {&biased, "", "", {.expect = "rows=0:1,1:2"}, 0, "accepted", NULL},
        {&biased, "", "", {.expect = "rows=0:3"}, 4, "rows is all, which was not expected", NULL},
        {&biased, "", "", {.expect = "rows=1:2"}, 4, "rows is all", NULL},
        {&biased, "", "", {.expect = "rows=some"}, 4, "rows is all", NULL},
        {&biased, "", "", {.expect = "rows=0:2;"}, 4, "rows is all", NULL},
        {&biased, "rows 1 0 2", "rows 2 1 2 0 1", {.expect = "rows=all"}, 4, "rows is 1:2,0:1, which", NULL},
        {&biased, "rows 1 0 2", "rows 2 1 2 0 1", {.expect = "rows=1:2,0:1"}, 0, "accepted", NULL},
    };
    SAY(list);
}

/* Expectations are compared also where nothing is printed. */
static void test_silent(void **state)
{
    (void)state;
    static check c;
    const variation same = {"", "", 0, NULL};
    const question asked = {.expect = "beta=5", .expect_size = 6};
    char *text = text_with(&squared, &same);
    const inputs in = {text, squared.data, NULL, (int64_t)strlen(text), (int64_t)strlen(squared.data), 0};
    assert_int_equal(check_run(&c, &in, &asked, &check_limits), 4);
    assert_int_equal(check_run(&c, &in, &(question){.expect = "beta=4", .expect_size = 6}, &check_limits), 0);
    free(text);
}

static void test_expect(void **state)
{
    (void)state;
    static const base path = {
        "csv",
        "1,0,1\n0,1,-1\n1,1,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES
        "claim train\nproblem relu squared 3 4\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\n"
        "claim train\nproblem relu squared 3 5\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 "
        "2\nend\n"};
    static const base zero = {
        "csv", "1,1\n2,-1\n",
        0,     NULL,
        0,     " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim zero\npairs 1 0 1 1\nend\n"};
    static const base three = {
        "csv",
        "1,0\n2,1\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 1 0 2\nclasses columns numbers 2 0 1\nsteps none none 2 1\n" NO_GATES
        "claim train\nproblem relu softmax 1 1\nbound none 2 0\nnetwork 0\nconstant 0 0\nend\n"};
    static const saying list[] = {
        {&squared,
         "",
         "",
         {.expect = "class=relu loss=squared beta=4 scale=sum normalize=none bias=none rows=all bound=global "
                    "gap<=1e-6"},
         0,
         "accepted",
         NULL},
        {&squared, "", "", {.expect = "relative_gap<=0 upper<=3 lower>=3 neurons=0"}, 0, "accepted", NULL},
        {&squared, "", "", {.expect = "class=gates"}, 4, "class is relu, which was not expected", "accepted"},
        {&squared, "", "", {.expect = "bound=gates"}, 4, "bound is global", NULL},
        {&squared, "", "", {.expect = "loss=logistic"}, 4, "loss is squared", NULL},
        {&squared, "", "", {.expect = "kind=ntk"}, 4, "kind is none", NULL},
        {&squared, "", "", {.expect = "normalize=unit"}, 4, "normalize is none", NULL},
        {&squared, "", "", {.expect = "bias=free"}, 4, "bias is none", NULL},
        {&squared, "", "", {.expect = "data_sha256=00"}, 4, "data_sha256 is ", NULL},
        {&squared, "", "", {.expect = "labels_sha256=00"}, 4, "labels_sha256 is ", NULL},
        {&squared, "", "", {.expect = "neurons=1"}, 4, "neurons is 0", NULL},
        {&squared, "", "", {.expect = "upper<=2"}, 4, "upper< is 3", NULL},
        {&squared, "", "", {.expect = "lower>=4"}, 4, "lower> is 3", NULL},
        {&squared, "", "", {.expect = "gap<=-1"}, 4, "gap< is 0", NULL},
        {&squared,
         "plane 3 3\nnetwork 0\n",
         "plane 5 3\nnetwork 1\nneuron 1 1 0\n",
         {.expect = "relative_gap<=0.4"},
         0,
         "acc",
         NULL},
        {&squared,
         "plane 3 3\nnetwork 0\n",
         "plane 5 3\nnetwork 1\nneuron 1 1 0\n",
         {.expect = "relative_gap<=0.39"},
         4,
         "0.4",
         NULL},
        {&squared, "", "", {.expect = "beta=4.00000000000000000"}, 0, "accepted", NULL},
        {&squared,
         "squared 1 4",
         "squared 1 400001p-20",
         {.expect = "beta=4"},
         0,
         "accepted",
         NULL}, /* to six digits */
        {&squared,
         "squared 1 4",
         "squared 1 400001p-20",
         {.expect = "beta=4.00000000"},
         4,
         "beta is 4.0000009",
         NULL},
        {&squared,
         "squared 1 4",
         "squared 1 400001p-20",
         {.expect = "beta=0.400000095e1"},
         0,
         "accepted",
         NULL},
        {&squared, "squared 1 4", "squared 1 400001p-20", {.expect = "beta=40E-1"}, 0, "accepted", NULL},
        {&squared, "", "", {.expect = "beta=5"}, 4, "beta is 4, which", NULL},
        {&squared, "", "", {.expect = "beta=0"}, 4, "beta is 4", NULL},
        {&squared, "", "", {.expect = "beta=x"}, 2, "beta needs a number", NULL},
        {&squared, "", "", {.expect = "beta="}, 2, "beta needs a number", NULL},
        {&squared, "", "", {.expect = "beta=inf"}, 2, "beta needs a number", NULL},
        {&squared, "", "", {.expect = "beta=4,5"}, 4, "fewer claims", NULL},
        {&squared, "", "", {.expect = "scale=mean"}, 4, "scale is sum", NULL},
        {&squared, "", "", {.expect = "scale=1"}, 0, "accepted", NULL},
        {&squared, "", "", {.expect = "scale=all"}, 2, "scale needs a number", NULL},
        {&squared, "", "", {.expect = "size=3"}, 2, "there is no 'size'", NULL},
        {&squared, "", "", {.expect = "gap=3"}, 2, "there is no 'gap'", NULL},
        {&squared, "", "", {.expect = "relu"}, 2, "'relu' is not key=value", NULL},
        {&squared, "", "", {.expect = " "}, 2, "nothing is expected", NULL},
        {&squared,
         "",
         "",
         {.expect = " {\"class\": \"relu\", \"beta\": 4, \"gap<=\": 1e-6}\n"},
         0,
         "accepted",
         NULL},
        {&squared, "", "", {.expect = "{\"class\": \"gates\"}"}, 4, "class is relu", NULL},
        {&squared, "", "", {.expect = "{\"class\": \"relu\""}, 5, "'class' has no value", NULL},
        {&path, "", "", {.expect = "beta=4,5 scale=mean"}, 0, "claims=2", NULL},
        {&path, "", "", {.expect = "beta=4"}, 4, "beta is 5", NULL},
        {&path, "", "", {.expect = "beta=4,5,6"}, 4, "fewer claims", NULL},
        {&path,
         "squared 3 5\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\nend",
         "squared 3 5\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\nclaim train\nproblem relu "
         "squared 3 6\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\nend",
         {.expect = "beta=4,5"},
         4,
         "more claims",
         NULL},
        {&zero, "", "", {.expect = "class=margin kind=global bound=global"}, 0, "accepted", NULL},
        {&zero, "", "", {.expect = "kind=ntk"}, 0, "accepted", NULL},
        {&zero, "", "", {.expect = "loss=squared"}, 4, "loss is none", NULL},
        {&zero, "", "", {.expect = "scale=sum"}, 4, "scale is none", NULL},
        {&zero, "", "", {.expect = "beta=1"}, 4, "beta is 0", NULL},
        {&zero, "", "", {.explain = true}, 0, "1. the listed pairs", NULL},
        {&three, "", "", {.expect = "loss=logistic"}, 0, "accepted", NULL},
        {&three, "", "", {.expect = "loss=softmax"}, 0, "accepted", NULL},
        {&three, "", "", {.expect = "loss=hinge"}, 4, "loss is softmax", NULL},
    };
    SAY(list);
}

#define STEPS(normalize, bias) "\"preprocess\": {\"normalize\": \"" normalize "\", \"bias\": \"" bias "\"}"
#define NETWORK "\"kind\": \"relu\", \"U\": [[0.5]], \"W\": [[3.0]], \"b\": [-0.25], \"c\": [0.5]"

static void test_model(void **state)
{
    (void)state;
    static const base gated = {
        "csv",
        "1,0,1\n0,1,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 2\ngate 1 1\ngate 1 -1\nclaim train\n"
                                            "problem gated squared 1 1\nbound none 10 0\nnetwork 1\n"
                                            "neuron 0 1 -1\nconstant 0\nend\n"};
    static const base relu = {"csv",
                              "1,1\n2,-1\n",
                              0,
                              NULL,
                              0,
                              " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
                              "claim train\nproblem relu squared 1 1\nbound none 100 0\n"
                              "network 1\nneuron 3 1p-1\nconstant 0\nclaim zero\npairs 1 0 1 1\nend\n"};
#define GATED(v, w) \
    "{\"kind\": \"gated\", \"V\": " v ", \"W\": " w ", \"c\": [0.0], " STEPS("none", "none") "}"
    static const saying list[] = {
        {&biased,
         "",
         "",
         {.model = "{" NETWORK ", " STEPS("none", "free") "}", .model_name = "m.json"},
         0,
         "listed in the certificate and number by number that of m.json.",
         NULL},
        {&biased,
         "",
         "",
         {.model = " { " NETWORK
                   " , \"training\" : {\"a\": [1, {\"b\": \"]}\\\"\"}]},\n" STEPS("none", "free") " } \n",
          .model_name = "\"\\\n",
          .json = true},
         0,
         "number by number that of \\\"\\\\\\u000a.",
         NULL},
        {&biased,
         "neuron 3",
         "neuron 3000000000000001p-60",
         {.model = "{" NETWORK ", " STEPS("none", "free") "}"},
         4,
         "neuron 0 (from 0) of the model is not the one",
         NULL},
        {&biased,
         "1p-1 -1p-2",
         "1p-2 -1p-2",
         {.model = "{" NETWORK ", " STEPS("none", "free") "}"},
         4,
         "neuron 0",
         NULL},
        {&biased,
         "1p-1 -1p-2",
         "1p-1 1p-2",
         {.model = "{" NETWORK ", " STEPS("none", "free") "}"},
         4,
         "neuron 0",
         NULL},
        {&biased,
         "constant 1p-1",
         "constant 1",
         {.model = "{" NETWORK ", " STEPS("none", "free") "}"},
         4,
         "the model's constant",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{" NETWORK ", " STEPS("unit", "free") "}"},
         4,
         "the model's normalize is unit, the certificate's is none",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{" NETWORK ", " STEPS("none", "none") "}"},
         4,
         "the model's bias is none, the certificate's is free",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{" NETWORK ", \"preprocess\": {\"bias\": \"free\"}}"},
         4,
         "the model's normalize is missing",
         NULL},
        {&biased, "", "", {.model = "{" NETWORK "}"}, 5, "no member 'preprocess'", NULL},
        {&biased,
         "",
         "",
         {.model = "{\"kind\": \"gated\", " STEPS("none", "free") "}"},
         4,
         "the model's kind is gated",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{\"kind\": \"relu\", " STEPS("none", "free") "}"},
         4,
         "the model's W has 0 numbers, the certificate's has 1",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{\"kind\": \"relu\", \"W\": [[3.0, 1]], " STEPS("none", "free") "}"},
         4,
         "the model's W has 2 numbers",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{\"kind\": \"relu\", \"W\": [[x]], " STEPS("none", "free") "}"},
         5,
         "W holds something other",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{\"kind\": \"relu\", \"W\": [[1e]], " STEPS("none", "free") "}"},
         5,
         "W holds something other",
         NULL},
        {&biased,
         "",
         "",
         {.model = "{\"kind\": \"relu\", \"W\": [[1e999]], " STEPS("none", "free") "}"},
         5,
         "W holds something other",
         NULL},
        {&biased, "", "", {.model = "[1]"}, 5, "the model is not a JSON object", NULL},
        {&biased, "", "", {.model = "{}"}, 5, "member 0 has no name", NULL},
        {&biased, "", "", {.model = "{\"a"}, 5, "member 0 has no name", NULL},
        {&biased, "", "", {.model = "{\"a\" 1}"}, 5, "member 0 has no name", NULL},
        {&biased, "", "", {.model = "{\"a\": 1,}"}, 5, "member 1 has no name", NULL},
        {&biased, "", "", {.model = "{\"a\": }"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": 1"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": \"1"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": [\"1"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": [1}"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": [1"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": \"1\" 2}"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": \"\\"}, 5, "'a' has no value", NULL},
        {&biased, "", "", {.model = "{\"a\": 1, \"a\": 2}"}, 5, "has 'a' twice", NULL},
        {&biased, "", "", {.model = "{\"a\": 1} 2"}, 5, "nothing should follow", NULL},
        {&relu,
         "",
         "",
         {.model = "{\"kind\": \"relu\", " STEPS("none", "none") "}"},
         4,
         "the one network of a certificate",
         NULL},
        {&relu,
         "network 1\nneuron 3 1p-1\nconstant 0\nclaim zero\npairs 1 0 1 1\n",
         "network 1\nneuron 3 1p-1\nconstant 0\n",
         {.model = "{\"kind\": \"relu\", \"U\": [[0.5]], \"W\": [3], \"c\": [0], " STEPS("none", "none") "}",
          .model_name = "m"},
         0,
         "that of m.",
         NULL},
        {&gated,
         "",
         "",
         {.model = GATED("[[2, 0.5]]", "[[1, -1]]"), .model_name = "m"},
         0,
         "that of m.",
         NULL},
        {&gated, "", "", {.model = GATED("[[2, -0.5]]", "[[1, -1]]")}, 4, "neuron 0", NULL},
        {&gated, "", "", {.model = GATED("[[2, 0.5]]", "[[1, -2]]")}, 4, "neuron 0", NULL},
        {&gated, "", "", {.model = GATED("[[2, 0.5]]", "[[2, -1]]")}, 4, "neuron 0", NULL},
        {&gated, "", "", {.model = GATED("[[-1, 1]]", "[[1, -1]]")}, 4, "neuron 0", NULL},
        {&gated,
         "claim train\nproblem gated squared 1 1\nbound none 10 0\nnetwork 1\nneuron 0 1 -1\nconstant 0\n",
         "claim margin\nbound units 1 0\ncounts 2 1 1\nvector 0 0\nvector 0 0\ndual 1 1\n",
         {.model = GATED("[[2, 0.5]]", "[[1, -2]]")},
         4,
         "the one network",
         NULL},
    };
    SAY(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_training), cmocka_unit_test(test_residual),
                                       cmocka_unit_test(test_none),     cmocka_unit_test(test_others),
                                       cmocka_unit_test(test_rows),     cmocka_unit_test(test_expect),
                                       cmocka_unit_test(test_model),    cmocka_unit_test(test_silent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
