/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about margins: finite sets of gates, the plane, all networks, and margin 0. */
#include "checking.h"

/* One gate open on both points of (1, 0) +, (0, 1) -: z = (1, 0), (0, -1), margin 1 / sqrt(2); one of two units is open. */
static const base units = {
    "csv",
    "1,0,1\n0,1,-1\n",
    0,
    NULL,
    0,
    " 0 2 -1\n" PLAIN("2", "2", "none") "gates patterns 2\ngate 3\ngate 1\nclaim margin\n"
                                        "bound units 1 5a7p-12\ncounts 2 1 1\n"
                                        "vector b504p-16 -b504p-16\nvector 0 0\ndual 1 1\nend\n"};

static void test_units(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL}, /* above: (sqrt(2) + 1) / 4 = 0.60 */
        {"steps none none", "steps none free", 4, "without free biases"},
        {"units 1", "units 9a9p-12", 0, NULL},
        {"units 1", "units 9a7p-12", 4, "line 10: the dual point gives 0.603"},
        {"5a7p-12", "5a9p-12", 4, "line 10: the vectors give 0.3535"},
        {"units 1 5a7p-12", "units 1", 4, "2 numbers"},
        {"units 1 5a7p-12", "units 1 0 0", 4, "should have ended"},
        {"bound units", "bound gates", 4, "'gates' is not among"},
        {"counts 2 1 1", "counts 3 1 1", 4, "the vectors give 0.2356"},
        {"counts 2 1 1", "counts 2 2 1", 4, "an integer from 1 to 0"},
        {"counts 2 1 1", "counts 2 0 1", 4, "an integer from 1 to 2"},
        {"counts 2 1 1", "counts 0 1 1", 4, "an integer"},
        {"counts 2 1 1", "counts 2 1", 4, "more words"},
        {"counts 2 1 1", "counts 2 1 1 1", 4, "should have ended"},
        {"counts 2 1 1", "gains 2 1 1", 4, "'counts' was expected"},
        {"bound units 1 5a7p-12\ncounts 2 1 1\n", "bound plane 1 5a7p-12\n", 4, "not witnesses"},
        {"vector 0 0", "vector 1p-1 1", 4, "the vector is longer than 1"},
        {"vector 0 0\n", "", 4, "'vector' was expected"},
        {"dual 1 1", "dual 1 -1", 4, "entry 1 (from 0) is negative"},
        {"dual 1 1", "dual 0 0", 4, "the dual point is 0"},
        {"dual 1 1", "dual 1", 4, "2 numbers"},
    };
    VARY(&units, list);
}

/* Neurons (1, (1, 1)) and (1/2, (1, -1)) of both layers: the first gate is open on both points, the second on the first. */
static const base neurons = {
    "csv",
    "1,0,1\n0,1,-1\n",
    0,
    NULL,
    0,
    " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 2\ngate 1 1\ngate 1 -1\nclaim margin\n"
                                        "bound neurons a22p-12 5a7p-12\ngains 2 1 1p-1\n"
                                        "vector 0 b504p-16 -b504p-16\nvector 0 0 0\ndual 1 1\nend\n"};

static void test_neurons(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"a22p-12", "a21p-12", 4, "the dual point gives 0.63306"}, /* (sqrt(2) + sqrt(1 + 1/4)) / 4 */
        {"5a7p-12", "5a9p-12", 4, "the vectors give 0.3535"},
        {"5a7p-12\ngains 2 1 1p-1\nvector 0 b504p-16 -b504p-16", /* -<v, z> = 1 on the second point */
         "-1p-1\ngains 2 1 1p-1\nvector -1 0 0", 0, NULL},
        {"gains 2", "gains 1", 4, "an integer from 2 to"},
        {"gains 2 1 1p-1", "gains 2 1", 4, "2 numbers"},
        {"gains 2 1 1p-1", "gains 2 1 1p-1 1", 4, "should have ended"},
        {"gains 2 1 1p-1", "counts 2 1 1", 4, "'gains' was expected"},
        {"orientations 2\ngate 1 1\ngate 1 -1", "patterns 2\ngate 3\ngate 1", 4, "neurons have orientations"},
        {"vector 0 b504p-16 -b504p-16", "vector 1 b504p-16 0", 4, "longer than 1"},
        {"vector 0 0 0", "vector 0 0", 4, "3 numbers"},
    };
    VARY(&neurons, list);
}

/* All arcs of the axes: a quarter each. */
static const base plane = {
    "csv",
    "1,0,1\n0,1,-1\n0,0,1\n",
    0,
    NULL,
    0,
    " 0 2 -1\n" PLAIN("3", "2", "none") "gates orientations 4\ngate 1 1\ngate -1 1\ngate -1 -1\ngate 1 -1\n"
                                        "claim margin\nbound plane 1 -1\nvector 1 0\nvector 0 -1\n"
                                        "vector 0 0\nvector 1 0\ndual 1 1 0\nend\n"};

static void test_plane(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"plane 1", "plane 1b504f4p-26", 0, NULL}, /* (sqrt(2) + 1 + 1) / 8 = 0.42677670 */
        {"plane 1", "plane 1b504f3p-26", 4, "the dual point gives 0.4267"},
        {"plane 1 -1", "plane 1 0", 0, NULL}, /* the row of zeros scores 0 */
        {"plane 1 -1", "plane 1 1p-4000", 4, "the vectors give 0"},
        {"gate -1 1\n", "gate -1 2\n", 0, NULL},
        {"orientations 4\ngate 1 1\n", "orientations 3\n", 4, "3 cones are listed, there are 4"},
    };
    VARY(&plane, list);
    static const base zeros = {
        "csv",
        "0,0,1\n0,0,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 1\ngate 1 1\nclaim margin\n"
                                            "bound plane 0 0\nvector 1 0\ndual 1 1\nend\n"};
    static const base line = {
        "csv",
        "1,1\n-1,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN("2", "1", "none") "gates orientations 2\ngate 1\ngate -1\nclaim margin\n"
                                            "bound plane 1 0\nvector 1\nvector 1\ndual 1 1\nend\n"};
    static const base three = {"csv",
                               "1,0,0\n0,1,1\n1,1,2\n",
                               0,
                               NULL,
                               0,
                               " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES
                               "claim margin\nbound units 0 0\ncounts 1\ndual 1 1 1\nend\n"};
    static const variation same[] = {{"", "", 0, NULL}}, not_plane[] = {{"", "", 4, "not in the plane"}};
    static const variation two[] = {
        {"", "", 4, "-1 and +1"},
        {"classes none", "classes columns numbers 3 0 1 2", 4, "-1 and +1"},
        {"classes none\nsteps none none 3", "classes signs numbers 2 1 2\nsteps none none 2", 4,
         "should have ended"},
    };
    VARY(&zeros, same);
    VARY(&line, not_plane);
    VARY(&three, two);
}

/* (1, 0) +, (0, 1) -: f = relu(x_1) - relu(x_2) has y f = 1 and R = 2; w = y has the price 1 and y'w = 2. The largest
 * margin of a network with R <= 1 is 1 / 2. */
static const base global = {"csv",
                            "1,0,1\n0,1,-1\n",
                            0,
                            NULL,
                            0,
                            " 0 2 -1\n" PLAIN("2", "2", "none") NO_GATES
                            "claim train\nproblem relu margin 1 1\nbound plane 2 2\nnetwork 2\n"
                            "neuron 1 1 0\nneuron -1 0 1\nconstant 0\ndual 1 1 -1\nend\n"};

#define NETWORK "network 2\nneuron 1 1 0\nneuron -1 0 1\nconstant 0\n"

static void test_global(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"plane 2 2", "plane 1fffffffp-28 2", 4, "line 9: the network's objective is 2"},
        {"plane 2 2", "plane 2 2000001p-24", 4, "line 9: the dual point gives 2, below"},
        {"neuron -1 0 1", "neuron -fffffffp-28 0 1", 4, "constraint"}, /* y f = 1 - 2^-28 */
        {"neuron -1 0 1", "neuron 1 0 1", 4, "constraint"},
        {"neuron -1 0 1", "neuron -1 0 2", 4, "the network's objective is 3"},
        {"plane 2 2\nnetwork 2\nneuron 1 1 0", "plane 3 2\nnetwork 2\nneuron 2 1 0", 0, NULL},
        {NETWORK, "network 0\nconstant 0\n", 4, "constraint"},
        {"dual 1 1 -1", "dual 1 1 1", 4, "outside the domain of the conjugate at point 1"},
        {"dual 1 1 -1", "dual 1 -1 -1", 4, "outside the domain of the conjugate at point 0"},
        {"dual 1 1 -1", "dual -1 -1 1", 4, "the scale of the dual point is negative"},
        {"dual 1 1 -1", "dual 0 1 -1", 4, "the dual point gives 0"},
        {"dual 1 1 -1", "dual 1 2 0", 4, "priced above"},
        {"dual 1 1 -1", "dual 1000001p-24 1 -1", 4, "priced above"},
        {"plane 2 2\n" NETWORK "dual 1 1 -1", "plane 2 0\n" NETWORK "dual 1 0 0", 0, NULL},
        {"margin 1 1", "margin 2 1", 4, "the dual point gives 1"},
        {"margin 1 1\nbound plane 2 2\n" NETWORK "dual 1", "margin 2 1\nbound plane 2 2\n" NETWORK "dual 2",
         0, NULL},
        {"margin 1 1\nbound plane 2 2\n" NETWORK "dual 1", "margin 1 2\nbound plane 4 4\n" NETWORK "dual 2",
         0, NULL},
        {"margin 1 1", "margin 1 2", 4, "the network's objective is 4"},
        {"bound plane 2 2\n" NETWORK "dual 1 1 -1\n", "bound none 2 0\n" NETWORK, 0, NULL},
        {"none 2 2", "free 2 2", 4, "4 numbers"},
        {"bound plane 2 2\n" NETWORK "dual 1 1 -1\n",
         "bound trees 2 2\n" NETWORK
         "dual 1 1 -1\nside 1\nleaf 1 1 0 -1\nweights 1 1 0\nside 1\nleaf 1 0 0 -1\nweights 1 0 1\n",
         4, "not positive definite"}, /* the price is 1 exactly: the matrix is singular */
        {"bound plane 2 2\n" NETWORK "dual 1 1 -1\n",
         "bound trees 2 e3p-7\n" NETWORK "dual e3p-8 1 -1\n" /* 227 / 256 * 9 / 8 < 1 */
         "side 9p-3\nleaf 1 1 0 -1\nweights 1 1 0\nside 9p-3\nleaf 1 0 0 -1\nweights 1 0 1\n",
         0, NULL},
    };
    VARY(&global, list);
    /* gated networks: x_1 on the first gate, -x_2 on the second; w = y has the norms 1 and 1 */
    static const base gated = {
        "csv",
        "1,0,1\n0,1,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2",
                          "none") "gates patterns 2\ngate 1\ngate 2\n"
                                  "claim train\nproblem gated margin 1 1\nbound gates 2 2\nnetwork 2\n"
                                  "neuron 0 1 0\nneuron 1 0 -1\nconstant 0\ndual 1 1 -1\nend\n"};
    static const variation for_gates[] = {
        {"", "", 0, NULL},
        {"neuron 1 0 -1", "neuron 1 0 -fp-4", 4, "constraint"},
        {"dual 1", "dual 2", 4, "priced above"},
    };
    VARY(&gated, for_gates);
    static const base three = {"csv",
                               "1,2,1\n2,4,2\n-3,-6,3\n",
                               0,
                               NULL,
                               0,
                               " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES
                               "claim train\nproblem relu margin 1 1\nbound none 1 0\nend\n"};
    static const variation two[] = {
        {"", "", 4, "-1 and +1"},
        {"classes none", "classes columns numbers 3 1 2 3", 4, "-1 and +1"},
    };
    VARY(&three, two);
}

static void test_zero(void **state)
{
    (void)state;
    static const base on_ray = {
        "csv", "1,2,1\n2,4,-1\n-3,-6,-1\n1,2,-1\n0,0,-1\n1,0,1\n0,0,1\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("7", "2", "none") NO_GATES "claim zero\npairs 1 0 1 1\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"1 0 1 1", "1 0 3 1p-9", 0, NULL},
        {"1 0 1 1", "1 1 0 1", 4, "points 1 and 0"},
        {"1 0 1 1", "1 1 3 1", 4, "points 1 and 3"}, /* on a ray, with one label */
        {"1 0 1 1", "1 0 0 1", 4, "points 0 and 0"},
        {"1 0 1 1", "1 0 5 1", 4, "points 0 and 5"},
        {"1 0 1 1", "1 0 4 1", 4, "points 0 and 4"},
        {"1 0 1 1", "1 6 1 1", 4, "points 6 and 1"},
        {"1 0 1 1", "1 5 1 1", 4, "points 5 and 1"},
        {"1 0 1 1", "1 0 7 1", 4, "an integer"},
        {"1 0 1 1", "1 7 0 1", 4, "an integer"},
        {"1 0 1 1", "1 0 1 1 1", 4, "should have ended"},
        {"1 0 1 1", "1 0 1", 4, "numbers"},
        {"1 0 1 1", "1 0 1 0", 4, "not as this proof"},
        {"1 0 1 1", "1 0 1 -1", 4, "not as this proof"},
        {"1 0 1 1", "0", 4, "no positive combination"},
        {"1 0 1 1", "2 0 1 1", 4, "more words"},
        {"1 0 1 1", "99 0 1 1", 4, "an integer"},
        {"1 0 1 1", "1 0 2 1", 4, "no positive combination"},
        {"1 0 1 1", "2 0 2 1 0 1 1", 0, NULL}, /* one pair on a ray is enough */
        {"1 0 1 1", "2 0 1 1 0 2 1", 0, NULL},
        {"1 0 1 1", "2 0 1 1 0 5 1", 4, "points 0 and 5"},
        {"pairs 1 0 1 1", "pairs", 4, "more words"},
    };
    VARY(&on_ray, list);
    static const base pairs = {
        "csv", "1,0,1\n-1,0,-1\n0,1,1\n0,-2,-1\n-1,-1,1\n3,3,-1\n-2,0,1\n1,0,-1\n1,1,1\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("9", "2", "none") NO_GATES "claim zero\npairs 3 0 1 1 2 3 1 4 5 1\nend\n"};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"3 0 1 1 2 3 1 4 5 1", "3 0 1 3p-1 2 3 3p-1 4 5 3p-1", 0, NULL},
        {"3 0 1 1 2 3 1 4 5 1", "2 0 1 2 6 7 1", 0, NULL},
        {"3 0 1 1 2 3 1 4 5 1", "2 0 1 1 6 7 1", 4, "no positive combination"},
        {"3 0 1 1 2 3 1 4 5 1", "2 0 1 1 2 3 1", 4, "no positive combination"},
        {"3 0 1 1 2 3 1 4 5 1", "3 0 1 1 2 3 1 6 7 1", 4, "no positive combination"},
        {"3 0 1 1 2 3 1 4 5 1", "3 0 1 1 2 3 1 4 5 1000001p-24", 4, "no positive combination"},
        {"3 0 1 1 2 3 1 4 5 1", "4 0 1 3 2 3 1 4 5 1 6 7 1", 0, NULL}, /* more than one relation */
        {"3 0 1 1 2 3 1 4 5 1", "2 0 1 1 2 5 1", 4, "points 2 and 5"},
        {"3 0 1 1 2 3 1 4 5 1", "3 0 1 1 2 3 1 4 5 -1", 4, "points 4 and 5"},
    };
    VARY(&pairs, others);
    static const base three = {
        "csv", "1,2,1\n2,4,2\n-3,-6,3\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES "claim zero\npairs 1 0 1 1\nend\n"};
    static const variation two[] = {
        {"", "", 4, "-1 and +1"},
        {"classes none", "classes columns numbers 3 1 2 3", 4, "-1 and +1"},
        {"classes none\nsteps none none 3", "classes signs numbers 2 2 1\nsteps none none 2", 0, NULL},
    };
    VARY(&three, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_neurons),
                                       cmocka_unit_test(test_plane), cmocka_unit_test(test_global),
                                       cmocka_unit_test(test_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
