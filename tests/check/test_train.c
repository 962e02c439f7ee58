/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about training: every loss, both models, gates and lists of cones, and each way in which a claim can be false. */
#include "checking.h"

#define STEPS(bias, shape) "rows all\nclasses all\nnormalize none\nbias " bias "\nshape " shape "\n"
#define POINTS "1,0,1\n0,1,-1\n1,1,2\n"
#define TABLE "table 0 2 -1\n"

/* f = 0 is optimal: F = (1 + 1 + 4) / 2 = 3, w = y has D = 3 and p(w) = |(3, 1)| = 3.16. */
static const base squared = {
    "csv",
    POINTS,
    0,
    NULL,
    0,
    TABLE STEPS("none", "3 2") "gates none\nclaim train\nmodel relu\nloss squared\nscale sum\n"
                               "beta 4\nbound global\nupper 3\nlower 3\nnetwork 0\nconstant 0\n"
                               "evidence plane\ndual 1 1 -1 2\nend\n"};

static void test_squared(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"upper 3", "upper 2ffffffffffp-40", 4, "line 16: the network's objective is 3"},
        {"lower 3", "lower 3000000001p-36", 4, "line 17: the dual point gives 3"},
        {"beta 4", "beta 3", 4, "the dual point is priced above beta"},
        {"beta 4", "beta 0", 4, "line 14: this is not a problem"},
        {"beta 4", "beta -1", 4, "this is not a problem"},
        {"beta 4", "beta", 4, "1 numbers"},
        {"dual 1", "dual -1", 4, "the scale of the dual point is negative"},
        {"dual 1 1", "dual 1", 4, "3 numbers"},
        {"bound global", "bound gates", 4, "not for that bound"},
        {"bound global", "bound none", 4, "not for that bound"},
        {"evidence plane", "evidence gates", 4, "not for that bound"},
        {"loss squared", "loss logistic", 4, "3 columns"},
        {"constant 0", "constant 1", 4, "no output constant"},
        {"scale sum\nbeta 4", "scale mean\nbeta 2", 4, "line 17: the dual point gives 1"},
        {"network 0\n", "network 1\nneuron 1 1 0\n", 4, "the network's objective"}, /* 1/2 (0 + 1 + 1) + 4 */
        {"upper 3\nlower 3\nnetwork 0\n", "upper 5\nlower 3\nnetwork 1\nneuron 1 1 0\n", 0, NULL},
        {"upper 3\nlower 3\nnetwork 0\n", "upper 5\nlower 3\nnetwork 2\nneuron 1 1 0\n", 4,
         "'neuron' was expected"},
        {"network 0\n", "network 1\nneuron 1 1\n", 4, "3 numbers"},
        {"network 0\n", "network -1\n", 4, "an integer"},
    };
    VARY(&squared, list);
    static const base without = {
        "csv",
        POINTS,
        0,
        NULL,
        0,
        TABLE STEPS("none", "3 2") "gates none\nclaim train\nmodel relu\nloss squared\nscale mean\n"
                                   "beta 4\nbound none\nupper 1\nlower 0\nnetwork 0\nconstant 0\n"
                                   "evidence none\nend\n"};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"lower 0", "lower 1p-9", 4, "nothing proves"},
        {"lower 0", "lower -1", 0, NULL},
        {"bound none", "bound global", 4, "nothing proves"},
    };
    VARY(&without, others);
}

static void test_equality(void **state)
{
    (void)state;
    /* minimise R subject to f = y: y'w with p(w) <= 1, w = y / 4 */
    static const base b = {
        "csv",
        POINTS,
        0,
        NULL,
        0,
        TABLE STEPS("none", "3 2") "gates none\nclaim train\nmodel relu\nloss equality\nscale sum\n"
                                   "beta 1\nbound global\nupper 0\nlower 3p-1\nnetwork 0\nconstant 0\n"
                                   "residual 2\nevidence plane\ndual 1p-2 1 -1 2\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"residual 2", "residual 1", 4, "misses its target"},
        {"residual 2", "residual -2", 4, "misses its target"},
        {"dual 1p-2", "dual 3p-2", 4, "priced above"},
        {"scale sum", "scale mean", 4, "equality has no scale"},
        {"upper 0", "upper -1p-4000", 4, "objective"},
    };
    VARY(&b, list);
}

/* Two classes with weights: f = 0, w = c y / 2; hinge: w = c y. */
static const base logistic = {
    "csv",
    "1,0,1,1\n0,1,2,0\n1,1,3,1\n",
    0,
    NULL,
    0,
    "table 0 3 2\n" STEPS("none", "3 2") "gates none\nclaim train\nmodel relu\nloss logistic\n"
                                         "scale sum\nbeta 8\nbound global\nupper 5\nlower 4\n"
                                         "network 0\nconstant 0\nevidence plane\n"
                                         "dual 1p-1 1 -2 3\nend\n"};

static void test_classes(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"dual 1p-1", "dual 1", 4, "line 17: the dual point gives 0"}, /* at the end of the domain */
        {"dual 1p-1", "dual 3p-1", 4, "outside the domain"},
        {"1 -2 3", "-1 -2 3", 4, "entry 0 of the dual point is outside"},
        {"loss logistic", "loss softmax", 4, "1 columns"},
        {"upper 5", "upper 4", 4, "objective is 4.15"},
        {"logistic", "hinge", 4, "objective is 6"},
        {"logistic\nscale sum\nbeta 8\nbound global\nupper 5\nlower 4",
         "hinge\nscale mean\nbeta 8\nbound global\nupper 2\nlower 1", 0, NULL},
        {"logistic\nscale sum\nbeta 8\nbound global\nupper 5\nlower 4\nnetwork 0",
         "hinge\nscale sum\nbeta 8\nbound global\nupper 7f\nlower 1\nnetwork 1\nneuron 4 0 1", 0, NULL},
    };
    VARY(&logistic, list);
}

/* Three classes: f = 0, w = y - 1/2 at the label, ...: rows sum to 0. */
static const base softmax = {
    "csv",
    "1,0,7\n0,1,8\n1,1,9\n",
    0,
    NULL,
    0,
    TABLE STEPS("free", "3 2") "gates patterns 2\ngate 7\ngate 3\nclaim train\nmodel gated\nloss softmax\n"
                               "scale mean\nbeta 2\nbound gates\nupper 2\nlower 1\nnetwork 1\n"
                               "neuron 1 0 0 0 0 0 1p-20\nconstant 0 1p-9 0\nevidence gates\n"
                               "dual 1p-2 2 -1 -1 -1 2 -1 -1 -1 2\nend\n"};

static void test_softmax(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"dual 1p-2 2", "dual 1p-2 3", 4, "does not sum to 0 over the outputs"},
        {"2 -1 -1 -1 2 -1 -1 -1 2", "1 0 -1 -1 1 0 0 -1 1", 4, "the dual point gives 0.56"},
        {"2 -1 -1 -1 2 -1 -1 -1 2", "2 -1 0 -1 2 0 -1 -1 0", 4, "does not sum to 0 over the rows"},
        {"dual 1p-2", "dual 1", 4, "outside the domain"},
        {"beta 2", "beta 1p-3", 4, "the dual point is priced above beta"},
        {"bound gates", "bound global", 4, "not witnesses of cones"},
        {"neuron 1", "neuron 2", 4, "an integer from 0 to 1"},
        {"constant 0 1p-9", "constant 0 1p9", 4, "objective"},
        {"gate 3", "gate 33", 4, "a pattern of 1 digits"},
        {"gate 3", "gate 9", 4, "a pattern of 0-9"},
        {"gate 3", "gate g", 4, "a pattern of 0-9"},
        {"patterns 2", "patterns 1", 4, "'claim' was expected"},
        {"patterns 2", "patterns 3", 4, "'gate' was expected"},
        {"patterns 2", "patterns 0", 4, "an integer"},
        {"patterns 2", "patterns 999", 4, "an integer"},
    };
    VARY(&softmax, list);
}

/* All cones of three lines in the plane, one of them twice, and a zero row. */
#define CONES "gates orientations 6\ngate 2 1\ngate -1 2\ngate -2 1\ngate -2 -1\ngate 1 -2\ngate 2 -1\n"
static const base cones = {
    "csv",
    "1,0,1\n0,1,-1\n1,1,2\n-2,-2,0\n0,0,1\n",
    0,
    NULL,
    0,
    TABLE STEPS("none", "5 2") CONES
    "claim train\nmodel gated\nloss squared\nscale sum\nbeta 4\nbound global\nupper 4\nlower 3\n"
    "network 1\nneuron 0 0 0\nconstant 0\nevidence gates\ndual 1 1 -1 2 0 0\nclaim cones\ncount 6\nend\n"};

static void test_cones(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"count 6", "count 5", 4, "an integer from 6 to 6"},
        {"gate 2 1\n", "gate 1 2\n", 0, NULL},
        {"gate 2 1\n", "gate 0 1\n", 4, "not witnesses"},
        {"gate 2 1\n", "gate 3 -1\n", 4, "a cone is listed twice"},
        {"orientations 6\ngate 2 1\n", "orientations 5\n", 4, "5 cones are listed, there are 6"},
        {"beta 4", "beta 3", 4, "the dual point is priced above beta"},
    };
    VARY(&cones, list);
    static const base line = {
        "csv",
        "1,1\n-2,0\n0,1\n",
        0,
        NULL,
        0,
        "table 0 1 -1\n" STEPS("none",
                               "3 1") "gates orientations 2\ngate 1\ngate -1\nclaim cones\ncount 2\nend\n"};
    static const base none = {
        "csv", "0,0,1\n0,0,0\n",
        0,     NULL,
        0,     TABLE STEPS("none", "2 2") "gates orientations 1\ngate 1 1\nclaim cones\ncount 1\nend\n"};
    static const variation same[] = {{"", "", 0, NULL}};
    VARY(&line, same);
    VARY(&none, same);
}

/* Relu networks on the same cones; w = y has |(3, 1)| inside the first of them, less after pushing elsewhere. */
static const base pushed = {
    "csv",
    "1,0,1\n0,1,-1\n1,1,2\n",
    0,
    NULL,
    0,
    TABLE STEPS(
        "none",
        "3 2") "gates orientations 2\ngate 2 1\ngate 1 -2\nclaim train\nmodel relu\nloss squared\n"
               "scale sum\nbeta 4\nbound gates\nupper 3\nlower 3\nnetwork 0\nconstant 0\nevidence cones\n"
               "dual 1 1 -1 2\npush 0\npush 1 0 3\npush 2 1 1 2 1p-1\npush 1 0 1\nend\n"};

static void test_pushed(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"push 0", "push 1 1 1", 0, NULL},
        {"upper 3\nlower 3\nnetwork 0\n", "upper 20\nlower 3\nnetwork 2\nneuron 1 1 0\nneuron 1 1 -3\n", 0,
         NULL},
        {"upper 3\nlower 3\nnetwork 0\n", "upper 9\nlower 3\nnetwork 1\nneuron 1 -1 1\n", 4,
         "in the cone of no gate"},
        {"push 0", "push 1 0 1", 4, "line 24: the dual point is priced above beta"},
        {"beta 4", "beta 3", 4, "line 24: the dual point is priced above beta"},
        {"push 1 0 3", "push 1 0 -3", 4, "a multiplier is negative"},
        {"push 1 0 3", "push 1 3 3", 4, "an integer from 0 to 2"},
        {"push 1 0 3", "push 2 0 3", 4, "more words"},
        {"push 1 0 3", "push 1 0", 4, "1 numbers"},
        {"push 1 0 1\n", "", 4, "'push' was expected"},
        {"push 1 0 1\n", "push 1 0 1 1\n", 4, "should have ended"},
        {"bound gates", "bound global", 4, "2 cones are listed, there are 6"},
        {"bound gates", "bound none", 4, "not for that bound"},
        {"model relu", "model gated", 4, "not for that bound"},
        {"bias none", "bias free", 4, "does not sum to 0"},
        {"dual 1 1 -1 2", "dual 1p-9 1 -1 2", 4, "below what is claimed"},
    };
    VARY(&pushed, list);
    static const base biased = {
        "csv",
        "1,0,1\n0,1,-1\n1,1,0\n",
        0,
        NULL,
        0,
        TABLE STEPS("free", "3 2") "gates orientations 1\ngate 2 1\nclaim train\nmodel relu\n"
                                   "loss squared\nscale sum\nbeta 4\nbound gates\nupper 3\nlower 0\n"
                                   "network 0\nconstant 0\nevidence cones\ndual 1 1 -1 0\nend\n"};
    static const variation bias[] = {{"", "", 4, "without biases"}};
    VARY(&biased, bias);
}

/* The axes of three dimensions, and one plane more: 8 + 6 cones; and a count that takes too long. */
static void test_space(void **state)
{
    (void)state;
    char text[2000];
    strcpy(text,
           TABLE "rows all\nclasses all\nnormalize none\nbias none\nshape 4 3\ngates orientations 14\n");
    strcpy(
        text,
        "table 0 3 -1\nrows all\nclasses all\nnormalize none\nbias none\nshape 4 3\ngates orientations 14\n");
    for (int k = 0; k < 8; k++) {
        const int s[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1};
        sprintf(text + strlen(text), "gate %s5 %s4 %s4\n", s[0] < 0 ? "-" : "", s[1] < 0 ? "-" : "",
                s[2] < 0 ? "-" : "");
        if (k > 0 && k < 7) /* mixed signs: the other side of x + y + z = 0 too */
            sprintf(text + strlen(text), "gate %s%s %s%s %s%s\n", s[0] < 0 ? "-" : "",
                    s[0] * (s[0] + s[1] + s[2]) > 0 ? "1" : "9", s[1] < 0 ? "-" : "",
                    s[1] * (s[0] + s[1] + s[2]) > 0 ? "1" : "9", s[2] < 0 ? "-" : "",
                    s[2] * (s[0] + s[1] + s[2]) > 0 ? "1" : "9");
    }
    strcat(text, "claim cones\ncount 14\nend\n");
    const base space = {"csv", "1,0,0,1\n0,1,0,1\n0,0,-1,0\n1,1,1,1\n", 0, NULL, 0, text};
    static const variation same[] = {{"", "", 0, NULL}};
    VARY(&space, same);
    static const limits few = {1 << 24, 8};
    static const variation long_count = {"", "", 6, "too many to be counted"};
    assert_true(vary_within(&space, &long_count, &few));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_squared), cmocka_unit_test(test_equality),
                                       cmocka_unit_test(test_classes), cmocka_unit_test(test_softmax),
                                       cmocka_unit_test(test_cones),   cmocka_unit_test(test_pushed),
                                       cmocka_unit_test(test_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
