/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about margins: finite sets of gates, the plane, and margin 0. */
#include "checking.h"

#define STEPS(shape) "rows all\nclasses all\nnormalize none\nbias none\nshape " shape "\n"

/* One gate open on both points of (1, 0) +, (0, 1) -: z = (1, 0), (0, -1), margin 1 / sqrt(2); one of two units is open. */
static const base units = {
    "csv",
    "1,0,1\n0,1,-1\n",
    0,
    NULL,
    0,
    "table 0 2 -1\n" STEPS(
        "2 2") "gates patterns 2\ngate 3\ngate 1\nclaim margin\nupper 5b6p-12\nlower 5a7p-12\n"
               "measure units 2 1 1\nvector b504p-16 -b504p-16\nvector 0 0\ndual 1 1\nend\n"};

static void test_units(void **state)
{
    (void)state;
    static const variation list[] = {
        {"upper 5b6p-12", "upper 1", 0, NULL}, /* (sqrt(2) + 1) / 4 = 0.60 */
        {"upper 5b6p-12", "upper 9a9p-12", 0, NULL},
        {"", "", 4, "line 13: the dual point gives 0.603"},
        {"upper 5b6p-12\nlower 5a7p-12", "upper 1\nlower 5a9p-12", 4, "line 14: the vectors give 0.3535"},
        {"units 2 1 1", "units 2 2 1", 4, "an integer from 1 to 0"},
        {"units 2 1 1", "units 2 1", 4, "more words"},
        {"units 2 1 1", "units 2 1 1 1", 4, "should have ended"},
        {"units 2 1 1", "plane", 4, "not witnesses"},
        {"vector 0 0", "vector 1p-1 1", 4, "the vector is longer than 1"},
        {"dual 1 1", "dual 1 -1", 4, "entry 1 (from 0) is negative"},
        {"dual 1 1", "dual 0 0", 4, "the dual point is 0"},
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
    "table 0 2 -1\n" STEPS(
        "2 2") "gates orientations 2\ngate 1 1\ngate 1 -1\nclaim margin\nupper a22p-12\nlower 5a7p-12\n"
               "measure neurons 2 1 1p-1\nvector 0 b504p-16 -b504p-16\nvector 0 0 0\ndual 1 1\nend\n"};

static void test_neurons(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"upper a22p-12", "upper a21p-12", 4,
         "the dual point gives 0.63306"}, /* (sqrt(2) + sqrt(1 + 1/4)) / 4 */
        {"lower 5a7p-12", "lower 5a9p-12", 4, "the vectors give 0.3535"},
        {"lower 5a7p-12\nmeasure neurons 2 1 1p-1\nvector 0 b504p-16 -b504p-16", /* -<v, z> = 1 on the second point */
         "lower -1p-1\nmeasure neurons 2 1 1p-1\nvector -1 0 0", 0, NULL},
        {"neurons 2", "neurons 1", 4, "are at most 1"},
        {"neurons 2 1 1p-1", "neurons 2 1", 4, "2 numbers"},
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
    "table 0 2 -1\n" STEPS("3 2") "gates orientations 4\ngate 1 1\ngate -1 1\ngate -1 -1\ngate 1 -1\n"
                                  "claim margin\nupper 1\nlower -1\nmeasure plane\nvector 1 0\nvector 0 -1\n"
                                  "vector 0 0\nvector 1 0\ndual 1 1 0\nend\n"};

static void test_plane(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"upper 1", "upper 1b504f4p-26", 0, NULL}, /* (sqrt(2) + 1 + 1) / 8 = 0.42677670 */
        {"upper 1", "upper 1b504f3p-26", 4, "the dual point gives 0.4267"},
        {"lower -1", "lower 0", 0, NULL}, /* the row of zeros scores 0 */
        {"lower -1", "lower 1p-4000", 4, "the vectors give 0"},
        {"gate -1 1\n", "gate -1 2\n", 0, NULL},
    };
    VARY(&plane, list);
    static const base zeros = {
        "csv",
        "0,0,1\n0,0,-1\n",
        0,
        NULL,
        0,
        "table 0 2 -1\n" STEPS("2 2") "gates orientations 1\ngate 1 1\nclaim margin\nupper 0\nlower 0\n"
                                      "measure plane\nvector 1 0\ndual 1 1\nend\n"};
    static const base line = {
        "csv",
        "1,1\n-1,-1\n",
        0,
        NULL,
        0,
        "table 0 1 -1\n" STEPS(
            "2 1") "gates orientations 2\ngate 1\ngate -1\nclaim margin\nupper 1\nlower 0\n"
                   "measure plane\nvector 1\nvector 1\ndual 1 1\nend\n"};
    static const base three = {
        "csv", "1,0,0\n0,1,1\n1,1,2\n",
        0,     NULL,
        0,     "table 0 2 -1\n" STEPS("3 2") "gates none\nclaim margin\nupper 0\nlower 0\nend\n"};
    static const variation same[] = {{"", "", 0, NULL}}, not_plane[] = {{"", "", 4, "not in the plane"}};
    static const variation two[] = {{"", "", 4, "two classes"}};
    VARY(&zeros, same);
    VARY(&line, not_plane);
    VARY(&three, two);
}

/* (1, 0) +, (0, 1) -: f = relu(x_1) / 2 - relu(x_2) / 2 has the margin 1/2, v = y the price 1 of R = 1 and mass 2. */
static const base global = {
    "csv",
    "1,0,1\n0,1,-1\n",
    0,
    NULL,
    0,
    "table 0 2 -1\n" STEPS(
        "2 2") "gates none\nclaim global\nupper 1p-1\nlower 1p-1\nnetwork 2\n"
               "neuron 1 1 0\nneuron -1 0 1\nconstant 0\ndual 1 -1\nevidence plane\nend\n"};

static void test_global(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"upper 1p-1", "upper 1fffffffp-30", 4, "priced above"},
        {"upper 1p-1", "upper -1", 4, "not negative"},
        {"lower 1p-1", "lower 1000001p-25", 4, "line 12: the network has the margin 0.5, below"},
        {"neuron -1 0 1", "neuron -2 0 1", 4, "below what is claimed"},
        {"network 2\nneuron 1 1 0\nneuron -1 0 1\n", "network 0\n", 4, "below what is claimed"},
        {"dual 1 -1", "dual 1 1", 4, "entry 1 of the dual point has the wrong sign"},
        {"dual 1 -1", "dual 0 0", 4, "the dual point is 0"},
        {"dual 1 -1", "dual 1 0", 4, "priced above"},
        {"bias none", "bias free", 4, "without free biases"},
        {"evidence plane\n",
         "evidence trees\nside + 1\nleaf 1 1 0 -1\nweights 1 1 0\nside - 1\nleaf 1 0 0 -1\nweights 1 0 1\n",
         4, "not positive definite"}, /* the price is 1 exactly: the matrix is singular */
        {"upper 1p-1\nlower 1p-1\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nconstant 0\ndual 1 -1\nevidence "
         "plane\n",
         "upper 9p-4\nlower 1p-1\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nconstant 0\ndual 1 -1\nevidence "
         "trees\nside + 9p-3\n"
         "leaf 1 1 0 -1\nweights 1 1 0\nside - 9p-3\nleaf 1 0 0 -1\nweights 1 0 1\n",
         0, NULL},
    };
    VARY(&global, list);
    static const base three = {
        "csv", "1,2,1\n2,4,2\n-3,-6,3\n",
        0,     NULL,
        0,     "table 0 2 -1\n" STEPS("3 2") "gates none\nclaim global\nupper 1\nlower 0\nend\n"};
    static const variation two[] = {{"", "", 4, "two classes"}};
    VARY(&three, two);
}

static void test_zero(void **state)
{
    (void)state;
    static const base on_ray = {
        "csv", "1,2,1\n2,4,-1\n-3,-6,-1\n1,2,-1\n0,0,-1\n1,0,1\n",
        0,     NULL,
        0,     "table 0 2 -1\n" STEPS("6 2") "gates none\nclaim zero\ncombination ray 0 1\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"ray 0 1", "ray 0 3", 0, NULL},
        {"ray 0 1", "ray 1 0", 4, "points 1 and 0"},
        {"ray 0 1", "ray 0 5", 4, "points 0 and 5"},
        {"ray 0 1", "ray 0 2", 4, "points 0 and 2"},
        {"ray 0 1", "ray 0 4", 4, "points 0 and 4"},
        {"ray 0 1", "ray 5 1", 4, "points 5 and 1"},
        {"ray 0 1", "ray 0 6", 4, "an integer"},
        {"ray 0 1", "ray 6 0", 4, "an integer"},
        {"ray 0 1", "ray 0 1 1", 4, "should have ended"},
        {"ray 0 1", "pairs 1 0 2", 4, "no positive combination"},
    };
    VARY(&on_ray, list);
    static const base pairs = {
        "csv",
        "1,0,1\n-1,0,-1\n0,1,1\n0,-2,-1\n-1,-1,1\n3,3,-1\n-2,0,1\n1,0,-1\n1,1,1\n",
        0,
        NULL,
        0,
        "table 0 2 -1\n" STEPS("9 2") "gates none\nclaim zero\ncombination pairs 3 0 1 2 3 4 5\nend\n"};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"pairs 3 0 1 2 3 4 5", "pairs 2 0 1 6 7", 0, NULL},
        {"pairs 3 0 1 2 3 4 5", "pairs 2 0 1 2 3", 4, "no positive combination"},
        {"pairs 3 0 1 2 3 4 5", "pairs 3 0 1 2 3 6 7", 4, "no positive combination"},
        {"pairs 3 0 1 2 3 4 5", "pairs 4 0 1 2 3 4 5 6 7", 4, "an integer from 1 to 3"},
        {"pairs 3 0 1 2 3 4 5", "pairs 2 0 1 2 5", 4, "points 2 and 5"},
    };
    VARY(&pairs, others);
    static const base three = {
        "csv", "1,2,1\n2,4,2\n-3,-6,3\n",
        0,     NULL,
        0,     "table 0 2 -1\n" STEPS("3 2") "gates none\nclaim zero\ncombination ray 0 1\nend\n"};
    static const variation two[] = {{"", "", 4, "two classes"}};
    VARY(&three, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_units), cmocka_unit_test(test_neurons),
                                       cmocka_unit_test(test_plane), cmocka_unit_test(test_global),
                                       cmocka_unit_test(test_zero)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
