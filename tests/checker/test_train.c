/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about training: every loss, both models, gates and lists of cones, and each way in which a claim can be false. */
#include "checking.h"

#define POINTS "1,0,1\n0,1,-1\n1,1,2\n"
#define THREE " 0 2 -1\n" PLAIN("3", "2", "none")

/* f = 0 is optimal: F = (1 + 1 + 4) / 2 = 3, w = y has D = 3 and p(w) = |(3, 1)| = 3.16. */
static const base squared = {"csv",
                             POINTS,
                             0,
                             NULL,
                             0,
                             THREE NO_GATES "claim train\nproblem relu squared 1 4\nbound plane 3 3\n"
                                            "network 0\nconstant 0\ndual 1 1 -1 2\nend\n"};

static void test_squared(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"plane 3 3", "plane 2ffffffffffp-40 3", 4, "line 9: the network's objective is 3"},
        {"plane 3 3", "plane 3 3000000001p-36", 4, "line 9: the dual point gives 3"},
        {"squared 1 4", "squared 1 3", 4, "the dual point is priced above beta"},
        {"squared 1 4", "squared 1 0", 4, "line 8: N and beta are not positive"},
        {"squared 1 4", "squared 1 -1", 4, "N and beta are not positive"},
        {"squared 1 4", "squared 0 4", 4, "N and beta are not positive"},
        {"squared 1 4", "squared -1 -4", 4, "N and beta are not positive"},
        {"squared 1 4", "squared 1", 4, "2 numbers"},
        {"squared 1 4", "squared 1 4 1", 4, "should have ended"},
        {"problem relu", "problem linear", 4, "'linear' is not among"},
        {"problem relu squared", "problem relu cubed", 4, "'cubed' is not among"},
        {"dual 1", "dual -1", 4, "the scale of the dual point is negative"},
        {"dual 1 1", "dual 1", 4, "numbers"},
        {"bound plane", "bound global", 4, "'global' is not among"},
        {"bound plane", "bound gates", 0, NULL}, /* no gates: the only network is the empty one */
        {"bound plane", "bound cones", 4, "not witnesses"},
        {"bound plane", "bound trees", 4, "'side' was expected"},
        {"bound plane 3 3", "bound none 3 3", 4, "line 9: the bound is 0, below"},
        {"bound plane 3 3", "bound none 3 0", 4, "'end' was expected"}, /* no dual point */
        {"relu squared", "gated squared", 4, "for relu networks"},
        {"squared", "logistic", 4, "-1 and +1"},
        {"squared", "hinge", 4, "-1 and +1"},
        {"squared", "margin", 4, "-1 and +1"},
        {"squared", "softmax", 4, "a target of softmax is negative"},
        {"constant 0", "constant 1", 4, "no output constant"},

        {"squared 1 4\nbound plane 3 3", "squared 3 2\nbound plane 3 3", 4, "line 9: the dual point gives 1"},
        {"squared 1 4\nbound plane 3 3", "squared 3 2\nbound plane 1 1", 0, NULL},
        {"squared 1 4\nbound plane 3 3", "squared 1p-1 8\nbound plane 6 6", 0, NULL},
        {"network 0\n", "network 1\nneuron 1 1 0\n", 4, "the network's objective"}, /* 1/2 (0 + 1 + 1) + 4 */
        {"plane 3 3\nnetwork 0\n", "plane 5 3\nnetwork 1\nneuron 1 1 0\n", 0, NULL},
        {"plane 3 3\nnetwork 0\n", "plane 5 3\nnetwork 2\nneuron 1 1 0\n", 4, "'neuron' was expected"},
        {"network 0\n", "network 1\nneuron 1 1\n", 4, "3 numbers"},
        {"network 0\n", "network -1\n", 4, "an integer"},
    };
    VARY(&squared, list);
    static const base without = {"csv",
                                 POINTS,
                                 0,
                                 NULL,
                                 0,
                                 THREE NO_GATES "claim train\nproblem relu squared 3 4\nbound none 1 0\n"
                                                "network 0\nconstant 0\nend\n"};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"none 1 0", "none 1 1p-9", 4, "line 9: the bound is 0, below"},
        {"none 1 0", "none 1 -1", 0, NULL},
        {"problem relu", "problem gated", 0, NULL},
        {"bound none", "bound plane", 4, "'dual' was expected"},
    };
    VARY(&without, others);
}

static void test_equality(void **state)
{
    (void)state;
    /* minimise R subject to f = y: y'w with p(w) <= 1, w = y / 4 */
    static const base b = {"csv",
                           POINTS,
                           0,
                           NULL,
                           0,
                           THREE NO_GATES "claim train\nproblem relu equality 1 1\nbound plane 0 3p-1\n"
                                          "network 0\nconstant 0\nresidual 2\ndual 1p-2 1 -1 2\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"residual 2", "residual 1", 4, "output 2 (from 0) of the network does not satisfy"},
        {"residual 2", "residual -2", 4, "output 0 (from 0)"},
        {"residual 2\n", "", 4, "'residual' was expected"},
        {"dual 1p-2", "dual 3p-2", 4, "priced above"},
        {"plane 0 3p-1", "plane 0 1800001p-24", 4, "the dual point gives 1.5"},
        {"plane 0", "plane -1p-4000", 4, "objective"},
        /* N and beta scale both sides: N F >= y'w where p(w) <= N beta */
        {"equality 1 1", "equality 4 1", 4, "the dual point gives 0.375"},
        {"equality 1 1\nbound plane 0 3p-1\nnetwork 0\nconstant 0\nresidual 2\ndual 1p-2",
         "equality 4 1\nbound plane 0 3p-1\nnetwork 0\nconstant 0\nresidual 2\ndual 1", 0, NULL},
        {"equality 1 1\nbound plane 0 3p-1\nnetwork 0\nconstant 0\nresidual 2\ndual 1p-2",
         "equality 1 4\nbound plane 0 6\nnetwork 0\nconstant 0\nresidual 2\ndual 1", 0, NULL},
        {"equality 1 1", "equality 1 1p-1", 4, "priced above"},
        {"equality 1 1\nbound plane 0 3p-1\nnetwork 0",
         "equality 1 2\nbound plane 2 3p-1\nnetwork 1\nneuron 1 1 0", 0, NULL}, /* beta R, not R */
        {"equality 1 1\nbound plane 0 3p-1\nnetwork 0",
         "equality 1 2\nbound plane 1 3p-1\nnetwork 1\nneuron 1 1 0", 4, "objective is 2"},
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
    " 0 3 2\nrows 1 0 3\nclasses signs numbers 2 0 1\nsteps none none 3 2\n" NO_GATES
    "claim train\nproblem relu logistic 1 8\nbound plane 5 4\n"
    "network 0\nconstant 0\ndual 1p-1 1 -2 3\nend\n"};

static void test_classes(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"dual 1p-1", "dual 1", 4, "line 9: the dual point gives 0"}, /* at the end of the domain */
        {"dual 1p-1", "dual 3p-1", 4, "outside the domain"},
        {"1 -2 3", "-1 -2 3", 4, "outside the domain of the conjugate at point 0"},
        {"logistic", "softmax", 4, "a target of softmax is negative"},
        {"plane 5", "plane 4", 4, "objective is 4.15"},
        {"logistic", "hinge", 4, "objective is 6"},
        {"signs numbers 2 0 1", "none", 4, "-1 and +1"},
        {"signs numbers 2 0 1", "index numbers 2 0 1", 4, "-1 and +1"},
        {"signs numbers 2 0 1", "columns numbers 2 0 1", 4, "-1 and +1"},
        {"logistic 1 8\nbound plane 5 4", "hinge 3 8\nbound plane 2 1", 0, NULL},
        {"logistic 1 8\nbound plane 5 4\nnetwork 0", "hinge 1 8\nbound plane 7f 1\nnetwork 1\nneuron 4 0 1",
         0, NULL},
    };
    VARY(&logistic, list);
}

/* Three classes: f = 0, w = y - 1/2 at the label, ...: rows sum to 0. */
static const base softmax = {"csv",
                             "1,0,7\n0,1,8\n1,1,9\n",
                             0,
                             NULL,
                             0,
                             " 0 2 -1\nrows 1 0 3\nclasses columns numbers 3 7 8 9\nsteps none free 3 2\n"
                             "gates patterns 2\ngate 7\ngate 3\nclaim train\nproblem gated softmax 3 2\n"
                             "bound gates 2 1\nnetwork 1\nneuron 1 0 0 0 0 0 1p-20\nconstant 0 1p-9 0\n"
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
        {"softmax 3 2", "softmax 3 1p-3", 4, "the dual point is priced above beta"},
        {"bound gates", "bound cones", 4, "not witnesses of cones"},
        {"bound gates", "bound trees", 4, "for relu networks"},
        {"bound gates", "bound plane", 4, "for relu networks"},
        {"softmax", "logistic", 4, "-1 and +1"},
        {"classes columns", "classes index", 4, "row 0 (from 0) do not sum to 1"},
        {"neuron 1", "neuron 2", 4, "an integer from 0 to 1"},
        {"constant 0 1p-9", "constant 0 1p9", 4, "objective"},
        {"gate 3", "gate 33", 4, "a pattern of 1 digits"},
        {"gate 3", "gate 9", 4, "a pattern of 0-9"},
        {"gate 3", "gate g", 4, "a pattern of 0-9"},
        {"patterns 2", "patterns 1", 4, "'claim' was expected"},
        {"patterns 2", "patterns 3", 4, "'gate' was expected"},
        {"patterns 2", "patterns 0", 4, "'claim' was expected"},
        {"patterns 2", "patterns 999", 4, "an integer"},
        {"patterns 2", "none", 4, "'none' is not among"},
        {"patterns 2", "patterns", 4, "more words"},
        {"problem gated", "problem relu", 4, "line 13: the line should have ended"},
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
    " 0 2 -1\n" PLAIN("5", "2", "none") CONES
    "claim train\nproblem gated squared 1 4\nbound cones 4 3\nnetwork 1\nneuron 0 0 0\n"
    "constant 0\ndual 1 1 -1 2 0 0\nclaim cones\nend\n"};

static void test_cones(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"bound cones", "bound gates", 0, NULL},
        {"claim cones", "claim cones 6", 4, "should have ended"},
        {"gate 2 1\n", "gate 1 2\n", 0, NULL},
        {"gate 2 1\n", "gate 0 1\n", 4, "not witnesses"},
        {"gate 2 1\n", "gate 3 -1\n", 4, "a cone is listed twice"},
        {"orientations 6\ngate 2 1\n", "orientations 5\n", 4, "5 cones are listed, there are 6"},
        {"squared 1 4", "squared 1 3", 4, "the dual point is priced above beta"},
    };
    VARY(&cones, list);
    static const base line = {
        "csv",
        "1,1\n-2,0\n0,1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN("3", "1", "none") "gates orientations 2\ngate 1\ngate -1\nclaim cones\nend\n"};
    static const base none = {
        "csv", "0,0,1\n0,0,0\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 1\ngate 1 1\nclaim cones\nend\n"};
    static const variation same[] = {{"", "", 0, NULL}};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"orientations 1\ngate 1 1\n", "orientations 0\n", 4, "0 cones are listed, there are 1"},
        {"orientations 1\ngate 1 1\n", "patterns 0\n", 4, "not witnesses"},
        {"orientations 1\ngate 1 1\n", "patterns 1\ngate 0\n", 4, "not witnesses"},
    };
    VARY(&line, same);
    VARY(&none, others);
}

/* Relu networks on the same cones; w = y has |(3, 1)| inside the first of them, less after pushing elsewhere. */
static const base pushed = {"csv",
                            POINTS,
                            0,
                            NULL,
                            0,
                            THREE "gates orientations 2\ngate 2 1\ngate 1 -2\nclaim train\n"
                                  "problem relu squared 1 4\nbound gates 3 3\nnetwork 0\nconstant 0\n"
                                  "dual 1 1 -1 2\npush 0\npush 1 0 3\npush 2 1 1 2 1p-1\npush 1 0 1\nend\n"};

static void test_pushed(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"push 0", "push 1 1 1", 0, NULL},
        {"gates 3 3\nnetwork 0\n", "gates 20 3\nnetwork 2\nneuron 1 1 0\nneuron 1 1 -3\n", 0, NULL},
        {"gates 3 3\nnetwork 0\n", "gates 9 3\nnetwork 1\nneuron 1 -1 1\n", 4, "in the cone of no gate"},
        {"push 0", "push 1 0 1", 4, "line 15: the dual point is priced above beta"},
        {"squared 1 4", "squared 1 3", 4, "line 15: the dual point is priced above beta"},
        {"push 1 0 3", "push 1 0 -3", 4, "a multiplier is negative"},
        {"push 1 0 3", "push 1 3 3", 4, "an integer from 0 to 2"},
        {"push 1 0 3", "push 2 0 3", 4, "more words"},
        {"push 1 0 3", "push 1 0", 4, "1 numbers"},
        {"push 1 0 1\n", "", 4, "'push' was expected"},
        {"push 1 0 1\n", "push 1 0 1 1\n", 4, "should have ended"},
        {"bound gates", "bound cones", 4, "2 cones are listed, there are 6"},
        {"problem relu", "problem gated", 4, "'end' was expected"}, /* gated networks have no push */
        {"none 3 2", "free 3 2", 4, "does not sum to 0"},
        {"dual 1 1 -1 2", "dual 1p-9 1 -1 2", 4, "below what is claimed"},
    };
    VARY(&pushed, list);
    static const base all = {"csv",
                             POINTS,
                             0,
                             NULL,
                             0,
                             THREE CONES "claim train\nproblem relu squared 1 4\nbound cones 3 3\n"
                                         "network 0\nconstant 0\ndual 1 1 -1 2\n"
                                         "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\n"
                                         "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\nend\n"};
    static const variation global[] = {
        {"", "", 0, NULL},
        {"cones 3 3\nnetwork 0\n", "cones 9 3\nnetwork 1\nneuron 1p-2 -1 1\n", 0, NULL},
        {"push 0\nend", "end", 4, "'push' was expected"},
        {"gate 2 -1\n", "gate 3 -1\n", 0, NULL},
        {"orientations 6\ngate 2 1\n", "orientations 5\n", 4, "5 cones are listed, there are 6"},
    };
    VARY(&all, global);
    static const base biased = {
        "csv",
        "1,0,1\n0,1,-1\n1,1,0\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("3", "2", "free") "gates orientations 1\ngate 2 1\n"
                                            "claim train\nproblem relu squared 1 4\nbound gates 3 0\n"
                                            "network 0\nconstant 0\ndual 1 1 -1 0\npush 0\npush 0\nend\n"};
    static const variation bias[] = {{"", "", 4, "without biases"}};
    VARY(&biased, bias);
}

/* Three outputs on cones: w = y has D = 3/2, and in the first cone its outputs have the prices |x_i|, the third
 * one less after pushing. Every neuron feeds one output. */
#define OUTPUTS(gates, bound, rest)                                                     \
    " 0 2 -1\nrows 1 0 3\nclasses columns numbers 3 7 8 9\nsteps none none 3 2\n" gates \
    "claim train\nproblem relu squared 1 3p-1\nbound " bound " 10 3p-1\n"               \
    "network 1\nneuron 0 1 0 1 0\nconstant 0 0 0\ndual 1 1 0 0 0 1 0 0 0 1\n"           \
    "push 0\npush 0\npush 0\npush 1 1 1\npush 0\npush 2 0 1p-1 1 1p-1\n" rest "end\n"
#define FIVE_TIMES_SIX                                                                 \
    "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\n" \
    "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\n" \
    "push 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\npush 0\n"

static void test_several(void **state)
{
    (void)state;
    static const base one = {
        "csv", "1,0,7\n0,1,8\n1,1,9\n", 0, NULL, 0, OUTPUTS("gates orientations 1\ngate 2 1\n", "gates", "")};
    static const variation listed[] = {
        {"", "", 0, NULL},
        {"neuron 0 1 0 1 0", "neuron 0 -1 0 1 0", 0, NULL},
        {"neuron 0 1 0 1 0", "neuron 0 0 0 1 0", 0, NULL},
        {"neuron 0 1 0 1 0", "neuron 0 1 1 1 0", 4, "feeds more than one output"},
        {"neuron 0 1 0 1 0", "neuron 0 1 0 -1 1", 4, "in the cone of no gate"},
        {"squared 1 3p-1", "squared 1 5p-2", 4, "line 19: the dual point is priced above beta"},
        {"push 1 1 1", "push 1 1 2", 0, NULL},
        {"push 1 1 1", "push 1 1 -1", 4, "a multiplier is negative"},
        {"push 1 1 1", "push 1 1 8", 4, "line 18: the dual point is priced above beta"},
        {"push 2 0 1p-1 1 1p-1\n", "", 4, "'push' was expected"},
        {"bound gates", "bound cones", 4, "1 cones are listed, there are 6"},
        {"steps none none", "steps none free", 4, "6 numbers were expected"},
    };
    VARY(&one, listed);
    static const base all = {
        "csv", "1,0,7\n0,1,8\n1,1,9\n", 0, NULL, 0, OUTPUTS(CONES, "cones", FIVE_TIMES_SIX)};
    static const variation single[] = {
        {"", "", 0, NULL},
        {"neuron 0 1 0 1 0", "neuron 0 1 0 -1 1", 0, NULL},
        {"neuron 0 1 0 1 0", "neuron 1 1 0 1 0", 4, "feeds more than one output"},
        {"push 0\nend", "end", 4, "'push' was expected"},
        {"orientations 6\ngate 2 1\n", "orientations 5\n", 4, "5 cones are listed, there are 6"},
    };
    VARY(&all, single);
}

/* The axes of three dimensions, and one plane more: 8 + 6 cones; and a count that takes too long. */
static void test_space(void **state)
{
    (void)state;
    char text[2000];
    strcpy(text, " 0 3 -1\n" PLAIN("4", "3", "none") "gates orientations 14\n");
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
    strcat(text, "claim cones\nend\n");
    const base space = {"csv", "1,0,0,1\n0,1,0,1\n0,0,-1,0\n1,1,1,1\n", 0, NULL, 0, text};
    static const variation same[] = {{"", "", 0, NULL}};
    VARY(&space, same);
    static const limits few = {1 << 24, 8, 0};
    static const variation long_count = {"", "", 6, "too many to be counted"};
    assert_true(vary_within(&space, &long_count, &few));
}

/* f = 0; at the ends of the box w = +-1 there is no gap. */
static void test_boxed(void **state)
{
    (void)state;
    static const base huber = {"csv",
                               POINTS,
                               0,
                               NULL,
                               0,
                               THREE NO_GATES "claim train\nproblem relu huber 1 1 4\nbound plane 5p-1 5p-1\n"
                                              "network 0\nconstant 0\ndual 1 1 -1 1\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"plane 5p-1 5p-1", "plane 4ffp-9 5p-1", 4, "the network's objective is 2.5"},
        {"plane 5p-1 5p-1", "plane 5p-1 501p-9", 4, "the dual point gives 2.5"},
        {"huber 1 1 4\nbound plane 5p-1", "huber 3p-1 1 4\nbound plane 17p-3", 0,
         NULL}, /* 1/2 + 1/2 + 15/8 */
        {"dual 1 1 -1 1", "dual 1 2 -1 1", 4, "outside the domain of the conjugate at point 0"},
        {"dual 1 1 -1 1", "dual 1 1 -2 1", 4, "outside the domain of the conjugate at point 1"},
        {"huber 1 1 4", "huber 1 1 1", 4, "priced above beta"},
        {"huber 1 1 4", "huber 1 4", 4, "2 numbers"},
        {"huber 1 1 4", "huber 0 1 4", 4, "the parameter of the loss is out of range"},
        {"huber 1 1 4", "huber -1 1 4", 4, "the parameter of the loss is out of range"},
        {"classes none", "classes columns numbers 3 -1 1 2", 4, "this loss takes one target"},
        {"huber 1 1 4\nbound plane 5p-1 5p-1", "absolute 1 4\nbound plane 4 4", 0, NULL},
        {"huber 1 1 4\nbound plane 5p-1 5p-1", "absolute 1 4\nbound plane 4 401p-8", 4,
         "the dual point gives 4"},
        {"huber 1 1 4\nbound plane 5p-1 5p-1", "absolute 1 1 4\nbound plane 4 4", 4, "should have ended"},
        {"huber 1 1 4", "quantile 1 1 4", 4, "the parameter of the loss is out of range"},
        {"huber 1 1 4", "quantile 3p-2 1 4", 4, "outside the domain of the conjugate at point 0"},
        {"huber 1 1 4\nbound plane 5p-1 5p-1\nnetwork 0\nconstant 0\ndual 1 1 -1 1",
         "quantile 3p-2 1 4\nbound plane 5p-1 5p-1\nnetwork 0\nconstant 0\ndual 1p-2 3 -1 3", 0, NULL},
        {"huber 1 1 4", "quantile 0 1 4", 4, "the parameter of the loss is out of range"},
        {"huber 1 1 4", "quantile -1p-2 1 4", 4, "the parameter of the loss is out of range"},
        {"huber 1 1 4\nbound plane 5p-1 5p-1\nnetwork 0\nconstant 0\ndual 1 1 -1 1", /* 1.5 with sides exchanged */
         "quantile 3p-2 1 4\nbound plane 9p-2 0\nnetwork 0\nconstant 0\ndual 1p-2 3 -1 3", 4,
         "the network's objective is 2.5"},
        {"huber 1 1 4\nbound plane 5p-1 5p-1\nnetwork 0\nconstant 0\ndual 1 1 -1 1", /* beyond both ends */
         "huber 1p-1 1 4\nbound plane dp-3 dp-3\nnetwork 0\nconstant 0\ndual 1p-1 1 -1 1", 0, NULL},
    };
    VARY(&huber, list);
}

/* A neuron is 0 where <x_i, u> < 0: as a linear one it would fit better. */
static void test_shut(void **state)
{
    (void)state;
    static const base one = {"csv",
                             "1,1\n-1,-1\n",
                             0,
                             NULL,
                             0,
                             " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
                             "claim train\nproblem relu squared 1 1p-2\nbound none 3p-2 0\n"
                             "network 1\nneuron 1 1\nconstant 0\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"none 3p-2", "none 1p-2", 4, "the network's objective is 0.75"},
        {"none 3p-2 0", "none 3p-2 1p-9", 4, "the bound is"},
    };
    VARY(&one, list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_squared), cmocka_unit_test(test_equality),
                                       cmocka_unit_test(test_classes), cmocka_unit_test(test_softmax),
                                       cmocka_unit_test(test_boxed),   cmocka_unit_test(test_cones),
                                       cmocka_unit_test(test_pushed),  cmocka_unit_test(test_several),
                                       cmocka_unit_test(test_space),   cmocka_unit_test(test_shut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
