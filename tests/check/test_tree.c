/* SPDX-License-Identifier: Apache-2.0 */
/* Prices: trees of signs with their leaves, free biases, several outputs, and the walk around the plane. */
#include "checking.h"

#define PROBLEM(bias, shape, network)                                                                       \
    "rows all\nclasses all\nnormalize none\nbias " bias "\nshape " shape                                    \
    "\ngates none\nclaim train\nmodel relu\nloss squared\nscale sum\nbeta 4\nbound global\nupper 3\nlower " \
    "0\n" network "evidence trees\n"
#define EMPTY "network 0\nconstant 0\n"

/* Any numbers prove something: prices well above p(w) = 3.16, once with every kind of entry. */
static const base tree = {
    "csv",
    "1,0,1\n0,1,-1\n1,1,2\n",
    0,
    NULL,
    0,
    "table 0 2 -1\n" PROBLEM(
        "none", "3 2",
        EMPTY) "dual 1p-4 1 -1 2\n"
               "side + 30\nsplit 1\nleaf 3 0 0 1p-3 1 2 -1p-3 2 1 1p-4\nweights 1 1 1 1\nmultipliers 1\n"
               "split 2\nleaf 0\nweights 1 1 1 1\nmultipliers 0 1\nleaf 0\nweights 1 1 1 1\nmultipliers 1 0\n"
               "side - 30\nleaf 1 1 0 -1\nweights 1 1 0 1\nend\n"};

static void test_leaves(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"split 2", "split 1", 4, "row 1 was split before"},
        {"split 2", "split 3", 4, "an integer"},
        {"split 2\n", "", 4, "should have ended"},
        {"side + 30", "side - 30", 4, "not among"},
        {"side - 30", "side + 30", 4, "not among"},
        {"side + 30", "side + -30", 4, "a price is negative"},
        {"side + 30", "side + 1", 4, "not positive definite"},
        {"side - 30", "side - 0", 4, "not positive definite"}, /* 2 P is less than the columns outside */
        {"side + 30", "side + ffff", 4, "the dual point is priced above beta"},
        {"weights 1 1 1 1", "weights 1 1 1 -1", 4, "weight 3 is not positive"},
        {"weights 1 1 1 1", "weights 1 1 1", 4, "4 numbers"},
        {"multipliers 1\n", "multipliers -1\n", 4, "a multiplier is negative"},
        {"multipliers 1\n", "", 4, "'multipliers' was expected"},
        {"leaf 3", "leaf 2", 4, "the line should have ended"},
        {"leaf 3", "leaf 4", 4, "more words"},
        {"leaf 3", "leaf 99", 4, "an integer"},
        {"leaf 3 0 0", "leaf 3 3 0", 4, "an integer from 0 to 2"},
        {"leaf 3 0 0", "leaf 3 0 4", 4, "an integer from 0 to 3"},
        {"dual 1p-4 1 -1 2", "dual 1p-4 0 0 0", 0, NULL},
        {"side + 30\nsplit 1\nleaf 3 0 0 1p-3 1 2 -1p-3 2 1 1p-4\nweights 1 1 1 1", /* the joint relaxation cannot beat p(w) */
         "side + 3\nsplit 1\nleaf 0\nweights 1 1 1 1", 4, "not positive definite"},
    };
    VARY(&tree, list);
}

/* v = 0 and no entry: no column at all, and any price is proved. */
static void test_empty(void **state)
{
    (void)state;
    static const base b = {
        "csv",
        "1,0,1\n0,1,-1\n1,1,2\n",
        0,
        NULL,
        0,
        "table 0 2 -1\n" PROBLEM("none", "3 2", EMPTY) "dual 1 0 0 0\nside + 0\nleaf 0\nweights 0 0 0 0\n"
                                                       "side - 0\nleaf 0\nweights 0 0 0 0\nend\n"};
    static const variation list[] = {{"", "", 0, NULL}, {"rows all", "rows list 3 2 0 1", 0, NULL}};
    VARY(&b, list);
}

static void test_bias(void **state)
{
    (void)state;
    static const base b = {
        "csv",
        "1,0,1\n0,1,-1\n1,1,0\n",
        0,
        NULL,
        0,
        "table 0 2 -1\n" PROBLEM(
            "free", "3 2",
            "network 1\nneuron 1p-9 1 0 1p-1\nconstant 1p-9\n") "dual 1p-4 1 -1 0\n"
                                                                "side + 10\nleaf 0\nweights 1 1 1 1\nlift "
                                                                "8\nside - 10\nleaf 0\nweights 1 1 1 1\nlift "
                                                                "8\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"1 -1 0", "1 -1 1", 4, "does not sum to 0 over the rows"},
        {"lift 8", "lift -8", 4, "the lift is negative"},
        {"lift 8", "lift 0", 4, "not positive definite"},
        {"lift 8", "lift 8p90", 4, "not positive definite"},
        {"lift 8\n", "", 4, "'lift' was expected"},
        {"weights 1 1 1 1", "weights 1 0 1 1", 4, "weight 1 is not positive"},
    };
    VARY(&b, list);
}

/* Two outputs: P^2 = 9 + 9 (the larger of each pair) against (4 / s)^2 = 4096 / 4. */
static void test_outputs(void **state)
{
    (void)state;
    static const double x[] = {1, 0, 0, 1}, y[] = {1, -1, 1, 0};
    static const char head[] =
        "\x93NUMPY\x01\x00\x3e\x00{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }    \n";
    char data[200], labels[200];
    memcpy(data, head, 72), memcpy(labels, head, 72);
    memcpy(data + 72, x, 32), memcpy(labels + 72, y, 32);
    const base b = {
        "npy",
        data,
        104,
        labels,
        104,
        PROBLEM("none", "2 2",
                "network 1\nneuron 0 1p-30 1 1\nconstant 0 0\n") "dual 1p-1 1 1 -1 0\n"
                                                                 "side + 3\nleaf 0\nweights 1 1 1\nside - "
                                                                 "2\nleaf 0\nweights 1 1 1\n"
                                                                 "side + 2\nleaf 0\nweights 1 1 1\nside - "
                                                                 "3\nleaf 0\nweights 1 1 1\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"dual 1p-1", "dual 1", 4, "priced above beta"},
        {"squared\nscale sum\nbeta 4\nbound global\nupper 3\nlower 0\nnetwork 1\nneuron 0 1p-30 1 "
         "1\nconstant 0 0\n",
         "equality\nscale sum\nbeta 4\nbound global\nupper 3\nlower 0\nnetwork 1\nneuron 0 1p-30 1 "
         "1\nconstant 0 0\nresidual 2\n",
         4, "priced above beta"},
        {"loss squared", "loss softmax", 5, "not one-hot"},
        {"classes all", "classes numbers 1 2", 4, "not of this kind"},
        {"evidence trees", "evidence plane", 4, "one output and few columns"},
        {"evidence trees", "evidence cones", 4, "not witnesses"},
        {"bound global\nupper 3\nlower 0\nnetwork 1\nneuron 0 1p-30 1 1\nconstant 0 0\nevidence trees",
         "bound gates\nupper 3\nlower 0\nnetwork 0\nconstant 0 0\nevidence cones", 4, "one output without"},
    };
    VARY(&b, list);
    const double classes[] = {0, 1, 1, 0}, twos[] = {0, 2, 1, 0}, both[] = {1, 1, 0, 1};
    memcpy(labels + 72, classes, 32);
    static const variation softmax[] = {
        {"loss squared\nscale sum\nbeta 4\nbound global\nupper 3\nlower 0\nnetwork 1\nneuron 0 1p-30 1 1\n"
         "constant 0 0\nevidence trees\ndual 1p-1 1 1 -1 0\n",
         "loss softmax\nscale sum\nbeta 4\nbound global\nupper 3\nlower 0\nnetwork 1\nneuron 0 1p-30 1 1\n"
         "constant 0 0\nevidence trees\ndual 1p-1 -1 1 1 -1\n",
         0, NULL},
        {"claim train\nmodel relu", "claim margin\nupper 1", 4, "'lower'"},
        {"claim train\nmodel relu", "claim margin\nupper 1\nlower 0\n", 4, "two classes"}};
    VARY(&b, softmax);
    memcpy(labels + 72, twos, 32);
    static const variation bad[] = {{"loss squared", "loss softmax", 5, "not one-hot"}};
    VARY(&b, bad);
    memcpy(labels + 72, both, 32);
    VARY(&b, bad);
}

/* p(w) of a few points in exact numbers. */
static void price(const char *data, const char *columns, const char *bias, const char *shape,
                  const char *dual, const char *above, const char *below)
{
    char text[600];
    for (int k = 0; k < 2; k++) {
        snprintf(
            text, sizeof text,
            "table 0 %s -1\nrows all\nclasses all\nnormalize none\nbias %s\nshape %s\ngates none\nclaim "
            "train\nmodel relu\n"
            "loss squared\nscale sum\nbeta %s\nbound global\nupper ff\nlower -ff\nnetwork 0\nconstant 0\n"
            "evidence plane\ndual 1 %s\nend\n",
            columns, bias, shape, k ? below : above, dual);
        const base b = {"csv", data, 0, NULL, 0, text};
        const variation v = {"", "", k ? 4 : 0, "priced above beta"};
        assert_true(vary_within(&b, &v, &check_limits));
    }
}

static void test_plane(void **state)
{
    (void)state;
    price("1,0,1\n0,1,-1\n1,1,2\n", "2", "none", "3 2", "1 -1 2", "3298b08p-24",
          "3298b07p-24"); /* sqrt(10), inside an arc */
    price("1,0,1\n0,1,-1\n1,1,2\n", "2", "none", "3 2", "-1 1 -2", "3298b08p-24", "3298b07p-24");
    price("1,0,1\n-1,0,0\n0,0,3\n", "2", "none", "3 2", "2 3 9", "3",
          "2fffffffp-28"); /* a line, and the origin */
    price("0,1,1\n0,-1,0\n0,2,3\n", "2", "none", "3 2", "2 -3 0", "3", "2fffffffp-28");
    price("1,0,1\n-1,-3,2\n", "2", "none", "2 2", "1 1", "3298b08p-24", "3298b07p-24");
    price("2,1\n-1,0\n", "1", "none", "2 1", "2 3", "4", "3fffffffp-28");
    price("2,1\n-1,0\n", "1", "augment", "2 2", "2 3", "6",
          "5"); /* sqrt(5) and sqrt(2) apart: at most 2 sqrt(5) + ... */
    price("0,1\n1,0\n3,3\n", "1", "free", "3 1", "1 -2 1", "2", "1fffffffp-28");
    const base zero = {"csv", "0,0,1\n0,0,2\n",
                       0,     NULL,
                       0,     "table 0 2 -1\n" PROBLEM("none", "2 2", EMPTY) "dual 1 1 1\nend\n"};
    static const variation any[] = {{"upper 3\nlower 0\nnetwork 0\nconstant 0\nevidence trees",
                                     "upper 3\nlower 0\nnetwork 0\nconstant 0\nevidence plane", 0, NULL}};
    VARY(&zero, any);
    const base space = {"csv", "1,0,0,1\n0,0,1,2\n",
                        0,     NULL,
                        0,     "table 0 3 -1\n" PROBLEM("none", "2 3", EMPTY) "dual 1 1 1\nend\n"};
    static const variation wide[] = {{"evidence trees", "evidence plane", 4, "few columns"}};
    VARY(&space, wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_leaves), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_bias), cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
