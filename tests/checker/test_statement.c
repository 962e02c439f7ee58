/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a claim: the words of every kind, what is weak, and which rows it is about. */
#include "saying.h"

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
         "squared 1 4\nbound plane 3 3\nnetwork 0\nconstant 0\ndual 1 1 -1 2",
         "huber 3p-2 1 4\nbound plane 3 0\nnetwork 0\nconstant 0\ndual 1p-1 1 -1 1",
         {0},
         0,
         "F(f) = sum_i (max over |v| <= 0.75 of (y_i - f_i) v - v^2 / 2) + 4 R(f)",
         NULL},
        {&biased,
         "squared 1 1",
         "huber 1p-1 1 1",
         {.expect = "loss=huber:0.5"},
         0,
         "(max over |v| <= 0.5 of (y_i - f_i) v - v^2 / 2) + 1 R(f)",
         NULL},
        {&biased,
         "squared 1 1",
         "quantile 3p-2 1 1",
         {.expect = "loss=quantile:0.75"},
         0,
         "F(f) = sum_i max(0.75 (y_i - f_i), (0.75 - 1) (y_i - f_i)) + 1 R(f)",
         NULL},
        {&biased,
         "squared 1 1",
         "quantile 1p-2 1 1",
         {.expect = "loss=quantile:0.75"},
         4,
         "loss is quantile:0.25",
         NULL},
        {&biased, /* of constants 1 is the best: 1/4 of 2 */
         "squared 1 1\nbound none 100 0\nnetwork 1\nneuron 3 1p-1 -1p-2\nconstant 1p-1",
         "quantile 3p-2 1 1\nbound none 100 0\nnetwork 0\nconstant 1",
         {0},
         0,
         "the listed network is no better than one without neurons",
         NULL},
        {&biased,
         "squared 1 1\nbound none 100 0\nnetwork 1\nneuron 3 1p-1 -1p-2\nconstant 1p-1",
         "huber 1p-1 1 1\nbound none 100 0\nnetwork 0\nconstant 0",
         {0},
         0,
         "the listed network is no better than one without neurons",
         NULL},
        {&biased, "squared 1 1", "absolute 1 1", {0}, 0, "F(f) = sum_i |y_i - f_i| + 1 R(f)", NULL},
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
        {&exact, "", "", {.json = true}, 0, "\"residual\": 0, \"pattern\": null", NULL}};
    SAY(more);
}

/* What a statement repeats, and its bounds, lie in the normal range of doubles: it never says 0 or infinity of another number. */
static void test_said(void **state)
{
    (void)state;
    static const base kernel = {
        "csv",
        "1,1\n-1,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
        "claim spectrum\nkernel first infinite 1\nbound largest 4 0\nvector 1 0\nend\n"};
    static const base limit = {"csv",
                               "1,0,1\n0,1,1\n",
                               0,
                               NULL,
                               0,
                               " 0 2 -1\n" PLAIN("2", "2", "none") NO_GATES
                               "claim limit\nproblem relu first\nbound 0 0 0\nnetwork 2\nneuron 1 1 "
                               "0\nneuron 1 0 1\nmultipliers 1 1\nkinks 0\nend\n"};
    static const base missing = {
        "csv",
        "1,1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES
        "claim train\nproblem relu equality 1 1\nbound none 0 0\nnetwork 0\nconstant 0\nresidual 1\nend\n"};
    static const char range[] = "a number is beyond the range of doubles";
    static const saying list[] = {
        {&squared, "squared 1 4", "squared 1 1p1023", {0}, 0, "accepted", NULL},
        {&squared, "squared 1 4", "squared 1 1p1024", {0}, 4, range, NULL},
        {&squared, "squared 1 4", "squared 1 1p-1022", {0}, 4, "priced above", NULL},
        {&squared, "squared 1 4", "squared 1 1p-1023", {0}, 4, range, NULL},
        {&squared, "squared 1 4", "squared 1p-1023 4", {0}, 4, range, NULL},
        {&squared, "squared 1 4", "squared 1p1024 4", {0}, 4, range, NULL},
        {&squared, "squared 1 4", "huber 1p1024 1 4", {0}, 4, range, NULL},
        {&squared, "squared 1 4", "quantile 1p-1023 1 4", {0}, 4, range, NULL},
        {&squared, "squared 1 4", "quantile ffffffffffffffffp-64 1 4", {0}, 4, "told from 1", NULL},
        {&squared,
         "plane 3 3\nnetwork 0\n",
         "plane 1p3999 3\nnetwork 1\nneuron 1p1500 1 0\n",
         {0},
         4,
         "a bound is beyond",
         NULL},
        {&missing, "residual 1", "residual 1p1023", {0}, 0, "accepted", NULL},
        {&missing, "residual 1", "residual 1p1024", {0}, 4, range, NULL},
        {&kernel, "", "", {0}, 0, "accepted", NULL},
        {&kernel, "infinite 1\n", "infinite 1p-1023\n", {0}, 4, range, NULL},
        {&kernel,
         "infinite 1\nbound largest 4",
         "infinite 1p1020\nbound largest 1p1022",
         {0},
         0,
         "accepted",
         NULL},
        {&kernel,
         "infinite 1\nbound largest 4",
         "infinite 1p1020\nbound largest 1p1022",
         {.json = true},
         0,
         "e+306",
         "null, \"lower\""},
        {&limit, "", "", {0}, 0, "accepted", NULL},
        {&limit, "bound 0 0", "bound 1p1024 0", {0}, 4, range, NULL},
        {&limit, "bound 0 0", "bound 0 1p1024", {0}, 4, range, NULL},
        {&limit, "bound 0 0 0", "bound 0 0 1p1024", {0}, 0, "accepted", NULL}, /* no kink is listed */
        {&limit, "bound 0 0 0\n", "bound 0 0 1p1024\n", {0}, 0, "accepted", "inf"},
        {&limit,
         "relu first\nbound 0",
         "leaky first ffffffffffffffffp-64\nbound 1",
         {0},
         4,
         "told from 1",
         NULL},
        {&limit, "relu first\nbound 0", "leaky first 1p-1023\nbound 1", {0}, 4, range, NULL},
    };
    SAY(list);
    /* <w, x> = -2.3e308 */
    static const base far = {
        "csv",
        "1.7e308,1.7e308,1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("1", "2", "none") "gates patterns 1\ngate 1\n"
                                            "claim margin\nbound units 1p1030 -1p1030\ncounts 1 1\nvector "
                                            "-bp-4 -bp-4\ndual 1\nend\n"};
    static const base named = {
        "csv",
        "1,..\n2,0x61\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 1 0 2\nclasses signs texts 2 2e2e 30783631\nsteps none none 2 1\n" NO_GATES
        "claim train\nproblem relu squared 1 1\nbound none 1 0\nnetwork 0\nconstant 0\nend\n"};
    static const saying others[] = {
        {&far, "", "", {0}, 4, "a bound is beyond the range of doubles", NULL},
        {&named, "", "", {0}, 0, "the two classes are -1 and +1 (0x2e2e,0x30783631)", NULL},
    };
    SAY(others);
    static const saying kinks[] = {
        {&limit,
         "bound 0 0 0\nnetwork 2\nneuron 1 1 0\nneuron 1 0 1\nmultipliers 1 1\nkinks 0",
         "bound 1 0 1p1024\nnetwork 2\nneuron 1 1 0\nneuron 1 0 1\nmultipliers 1 1\nkinks 1 0 1 1",
         {0},
         4,
         range,
         NULL},
    };
    SAY(kinks);
}

/* Integers have at most 18 digits, and -1 is the one below 0; exponents have at most four. */
static void test_words(void **state)
{
    (void)state;
    static const saying list[] = {
        {&squared, "rows 1 0 3", "rows 000000000000000001 0 3", {0}, 0, "accepted", NULL},
        {&squared, "rows 1 0 3", "rows 0000000000000000001 0 3", {0}, 4, "an integer from", NULL},
        {&squared, " 0 2 -1\n", " 0 2 -01\n", {0}, 4, "an integer from", NULL},
        {&squared, " 0 2 -1\n", " 0 2 -0\n", {0}, 4, "an integer from", NULL},
        {&squared, "squared 1 4", "squared 1p0000 4", {0}, 0, "accepted", NULL},
        {&squared, "squared 1 4", "squared 1p00000 4", {0}, 4, "is not a number", NULL},
    };
    SAY(list);
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
         "the two classes are -1 and +1 (1,-1)",
         NULL},
        {&free_hinge, "hinge", "logistic", {0}, 0, "no better", NULL},
        {&free_hinge,
         "hinge 1 1\nbound none 10 0\nnetwork 0\nconstant -1",
         "logistic 1 1\nbound none 10 0\nnetwork 0\nconstant -b17217f7d1cfp-48",
         {0},
         0,
         "no better than one",
         NULL},
        {&three, "", "", {0}, 0, "classes are unit vectors (0,1,2); not", NULL},
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
    static const base several = {
        "csv",
        "1,0,7\n0,1,8\n",
        0,
        NULL,
        0,
        " 0 2 -1\nrows 1 0 2\nclasses columns numbers 2 7 8\nsteps none none 2 2\n"
        "gates orientations 4\ngate 1 1\ngate 1 -1\ngate -1 1\ngate -1 -1\nclaim train\n"
        "problem relu squared 1 4\nbound cones 1 1\nnetwork 0\nconstant 0 0\ndual 1 1 0 0 1\n"
        "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\n"
        "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\nend\n"};
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
        {&several, "", "", {.json = true, .explain = true}, 0, "\"class\": \"gates\"", NULL},
        {&several, "", "", {0}, 0, "of any width whose neurons feed one output each", NULL},
        {&several, "", "", {.explain = true}, 0, "over networks whose neurons feed one output each is", NULL},
        {&several, "bound cones", "bound gates", {0}, 0, "neurons feed one output each and lie in", NULL},
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
int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_training), cmocka_unit_test(test_said),
                                       cmocka_unit_test(test_words),    cmocka_unit_test(test_residual),
                                       cmocka_unit_test(test_none),     cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
