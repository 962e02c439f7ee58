/* SPDX-License-Identifier: Apache-2.0 */
/* Prices: trees of signs with their leaves, free biases, several outputs, and the walk around the plane. */
#include "checking.h"

#define TREES "claim train\nproblem relu squared 1 4\nbound trees 3 0\n"
#define EMPTY "network 0\nconstant 0\n"
#define TABLE " 0 2 -1\n"

/* Any numbers prove something: prices well above p(w) = 3.16, once with every kind of entry. */
static const base tree = {
    "csv",
    "1,0,1\n0,1,-1\n1,1,2\n",
    0,
    NULL,
    0,
    TABLE PLAIN("3", "2", "none") NO_GATES TREES EMPTY
    "dual 1p-4 1 -1 2\nside 30\nsplit 1\nleaf 3 0 0 1p-3 1 2 -1p-3 2 1 1p-4\nweights 1 1 1 1 1\n"
    "split 2\nleaf 0\nweights 1 1 1 1 0 1\nleaf 0\nweights 1 1 1 1 1 0\n"
    "side 30\nleaf 1 1 0 -1\nweights 1 1 0 1\nend\n"};

static void test_leaves(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"split 2", "split 1", 4, "row 1 was split before"},
        {"split 2", "split 3", 4, "an integer"},
        {"split 2\n", "", 4, "should have ended"},
        {"split 2\nleaf 0", "leaf 0", 4, "should have ended"},
        {"side 30\nsplit", "side + 30\nsplit", 4, "is not a number"},
        {"side 30\nsplit", "side 30 30\nsplit", 4, "should have ended"},
        {"side 30\nsplit", "side\nsplit", 4, "1 numbers"},
        {"side 30\nsplit", "side -30\nsplit", 4, "a price is negative"},
        {"side 30\nsplit", "side 1\nsplit", 4, "not positive definite"},
        {"side 30\nleaf", "side 0\nleaf", 4,
         "not positive definite"},                  /* 2 P is less than the columns outside */
        {"side 30\nleaf 1 1 0 -1\nweights 1 1 0 1", /* Q < 0, and nothing else to be definite */
         "side 1p-3\nleaf 1 1 0 -1\nweights 0 0 0 0", 4, "not positive definite"},
        {"side 30\nleaf", "leaf", 4, "'side' was expected"},
        {"side 30\nsplit", "side ffff\nsplit", 4, "the dual point is priced above beta"},
        {"weights 1 1 1 1 1\n", "weights 1 1 1 -1 1\n", 4, "weight 3 is not positive"},
        {"weights 1 1 1 1 1\n", "weights 1 1 1 1\n", 4, "5 numbers"},
        {"weights 1 1 1 1 1\n", "weights 1 1 1 1 1 1\n", 4, "should have ended"},
        {"weights 1 1 1 1 1\n", "weights 1 1 1 1 -1\n", 4, "a multiplier is negative"},
        {"weights 1 1 1 1 0 1", "weights 1 1 1 1 0 -1", 4, "a multiplier is negative"},
        {"weights 1 1 1 1 0 1", "weights 1 1 1 1 1", 4, "6 numbers"},
        {"weights 1 1 0 1", "weights 1 1 0 1 0", 4, "should have ended"},
        {"weights 1 1 0 1", "weights 1 1 0", 4, "4 numbers"},
        {"leaf 3", "leaf 2", 4, "the line should have ended"},
        {"leaf 3", "leaf 4", 4, "more words"},
        {"leaf 3", "leaf 99", 4, "an integer"},
        {"leaf 3 0 0", "leaf 3 3 0", 4, "an integer from 0 to 2"},
        {"leaf 3 0 0", "leaf 3 0 4", 4, "an integer from 0 to 3"},
        {"dual 1p-4 1 -1 2", "dual 1p-4 0 0 0", 0, NULL},
        {"side 30\nsplit 1\nleaf 3 0 0 1p-3 1 2 -1p-3 2 1 1p-4\nweights 1 1 1 1", /* the joint relaxation cannot beat p(w) */
         "side 3\nsplit 1\nleaf 0\nweights 1 1 1 1", 4, "not positive definite"},
    };
    VARY(&tree, list);
}

/* v = 0 and no entry: no column at all, and any price is proved. */
static void test_empty(void **state)
{
    (void)state;
    static const base b = {"csv",
                           "1,0,1\n0,1,-1\n1,1,2\n",
                           0,
                           NULL,
                           0,
                           TABLE PLAIN("3", "2", "none") NO_GATES TREES EMPTY
                           "dual 1 0 0 0\nside 0\nleaf 0\nweights 0 0 0 0\n"
                           "side 0\nleaf 0\nweights 0 0 0 0\nend\n"};
    static const variation list[] = {{"", "", 0, NULL}, {"rows 1 0 3", "rows 3 2 3 0 1 1 2", 0, NULL}};
    VARY(&b, list);
}

static void test_bias(void **state)
{
    (void)state;
    static const base b = {"csv",
                           "1,0,1\n0,1,-1\n1,1,0\n",
                           0,
                           NULL,
                           0,
                           TABLE PLAIN("3", "2", "free") NO_GATES TREES
                           "network 1\nneuron 1p-9 1 0 1p-1\nconstant 1p-9\ndual 1p-4 1 -1 0\n"
                           "centre 1p-1 1p-1\nside 10\nleaf 0\nweights 1 1 1 1 8\nside 10\nsplit 2\nleaf 0\n"
                           "weights 1 1 1 1 0 8\nleaf 0\nweights 1 1 1 1 0 8\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"1 -1 0", "1 -1 1", 4, "does not sum to 0 over the rows"},
        {"centre 1p-1 1p-1", "centre 0 0", 0, NULL},
        {"centre 1p-1 1p-1", "centre 1p-1", 4, "more words"},
        {"centre 1p-1 1p-1", "centre 1p20 1p-1", 4, "not positive definite"},
        {"centre 1p-1 1p-1\n", "", 4, "'centre' was expected"},
        {"1 1 8", "1 1 -8", 4, "a multiplier is negative"},
        {"1 1 8", "1 1 0", 4, "not positive definite"},
        {"1 1 8", "1 1 8p90", 4, "not positive definite"},
        {"1 1 8", "1 1", 4, "5 numbers"},
        {"1 1 8", "1 1 8 8", 4, "should have ended"},
        {"1 0 8", "1 8", 4, "6 numbers"},
        {"1 0 8", "1 -1p-9 8", 4, "a multiplier is negative"},
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
    put_little_endian(data + 72, x, 32, 8), put_little_endian(labels + 72, y, 32, 8);
#define ZEROS "network 1\nneuron 0 1p-30 1 1\nconstant 0 0\n"
#define DUAL "dual 1p-1 1 1 -1 0\n"
#define LEAVES                                                       \
    "side 3\nleaf 0\nweights 1 1 1\nside 2\nleaf 0\nweights 1 1 1\n" \
    "side 2\nleaf 0\nweights 1 1 1\nside 3\nleaf 0\nweights 1 1 1\n"
#define ONE_GATE "gates orientations 1\ngate 1 1\nclaim train\nproblem relu squared 1 4\nbound gates 3 0\n"
    const base b = {"npy",  data, 104,
                    labels, 104,  "\n" PLAIN("2", "2", "none") NO_GATES TREES ZEROS DUAL LEAVES "end\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"dual 1p-1", "dual 1", 4, "priced above beta"},
        {"dual 1p-1 1 1 -1 0\nside 3\nleaf 0\nweights 1 1 1\nside 2", /* s^2 (9 + 9) <= 16 */
         "dual fp-4 1 1 -1 0\nside 3\nleaf 0\nweights 1 1 1\nside 2", 0, NULL},
        {"squared 1 4\nbound trees 3 0\n" ZEROS, "equality 1 1\nbound trees 3 0\n" ZEROS "residual 2\n", 4,
         "priced above beta"},
        {"relu squared", "relu softmax", 4, "a target of softmax is negative"},
        {"relu squared", "relu hinge", 4, "-1 and +1"},
        {"relu squared", "relu margin", 4, "-1 and +1"},
        {"classes none", "classes index numbers 2 1 0", 4, "not of this kind"},
        {"bound trees", "bound plane", 4, "one output"},
        {"bound trees", "bound cones", 4, "not witnesses"},
        {NO_GATES TREES "network 1\nneuron 0 1p-30", ONE_GATE "network 1\nneuron 1p-30 1p-30", 4,
         "feeds more than one output"},
        {NO_GATES TREES ZEROS DUAL LEAVES, ONE_GATE ZEROS DUAL "push 0\npush 0\npush 0\npush 0\n", 0, NULL},
        {NO_GATES TREES ZEROS DUAL LEAVES, ONE_GATE ZEROS DUAL "push 0\npush 0\n", 4, "'push' was expected"},
        {"claim train\nproblem relu squared 1 4\nbound trees 3 0", "claim margin\nbound units 3 0\ncounts 1",
         4, "-1 and +1"},
        {"claim train", "claim zero\npairs 1 0 1 1", 4, "-1 and +1"},
    };
    VARY(&b, list);
    const double classes[] = {0, 1, 1, 0}, twos[] = {0, 2, 1, 0}, both[] = {1, 1, 0, 1}, no[] = {0, 0, 0, 1};
    put_little_endian(labels + 72, classes, 32, 8);
    static const variation softmax[] = {{"squared 1 4\nbound trees 3 0\n" ZEROS "dual 1p-1 1 1 -1 0",
                                         "softmax 1 4\nbound trees 3 0\n" ZEROS "dual 1p-1 -1 1 1 -1", 0,
                                         NULL}};
    VARY(&b, softmax);
    static const variation bad[] = {{"relu squared", "relu softmax", 4, "do not sum to 1"}};
    put_little_endian(labels + 72, twos, 32, 8);
    VARY(&b, bad);
    put_little_endian(labels + 72, both, 32, 8);
    VARY(&b, bad);
    put_little_endian(labels + 72, no, 32, 8);
    VARY(&b, bad);
}

/* p(w) of a few points in exact numbers. */
static void price(const char *data, const char *columns, const char *steps, const char *dual,
                  const char *above, const char *below)
{
    char text[600];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text,
                 " 0 %s -1\nrows 1 0 %c\nclasses none\nsteps none %s\n" NO_GATES
                 "claim train\nproblem relu squared 1 %s\nbound plane ff -ff\n" EMPTY "dual 1 %s\nend\n",
                 columns, strchr(steps, ' ')[1], steps, k ? below : above, dual);
        const base b = {"csv", data, 0, NULL, 0, text};
        const variation v = {"", "", k ? 4 : 0, "priced above beta"};
        assert_true(vary_within(&b, &v, &check_limits));
    }
}

static void test_plane(void **state)
{
    (void)state;
    price("1,0,1\n0,1,-1\n1,1,2\n", "2", "none 3 2", "1 -1 2", "3298b08p-24",
          "3298b07p-24"); /* sqrt(10), inside an arc */
    price("1,0,1\n0,1,-1\n1,1,2\n", "2", "none 3 2", "-1 1 -2", "3298b08p-24", "3298b07p-24");
    price("1,0,1\n-1,0,0\n0,0,3\n", "2", "none 3 2", "2 3 9", "3",
          "2fffffffp-28"); /* a line, and the origin */
    price("0,1,1\n0,-1,0\n0,2,3\n", "2", "none 3 2", "2 -3 0", "3", "2fffffffp-28");
    price("1,0,1\n-1,-3,2\n", "2", "none 2 2", "1 1", "3298b08p-24", "3298b07p-24");
    price("2,1\n-1,0\n", "1", "none 2 1", "2 3", "4", "3fffffffp-28");
    price("2,1\n-1,0\n", "1", "augment 2 2", "2 3", "6",
          "5"); /* sqrt(5) and sqrt(2) apart: at most 2 sqrt(5) + ... */
    price("0,1\n1,0\n3,3\n", "1", "free 3 1", "1 -2 1", "2", "1fffffffp-28");
    /* the same points in the plane: every point in turn is the kink; and beside a line, the last point 1 away
     * from its place */
    price("0,0,1\n1,0,0\n3,0,3\n", "2", "free 3 2", "1 -2 1", "2", "1fffffffp-28");
    price("0,0,1\n1,0,0\n3,0,3\n", "2", "free 3 2", "1 -2 1\nalong 1 0 0 1 3", "2", "1fffffffp-28");
    price("0,0,1\n1,0,0\n3,0,3\n", "2", "free 3 2", "1 -2 1\nalong 1 0 0 1 2", "2", "1fffffffp-28");
    price("0,0,0,1\n1,0,0,0\n3,0,0,3\n", "3", "free 3 3", "1 -2 1\nalong 2 0 0 0 1p-1 3p-1", "2",
          "1fffffffp-28");
    static const base zero = {"csv", "0,0,1\n0,0,2\n",
                              0,     NULL,
                              0,     TABLE PLAIN("2", "2", "none") NO_GATES TREES EMPTY "dual 1 1 1\nend\n"};
    static const variation any[] = {{"bound trees", "bound plane", 0, NULL}};
    VARY(&zero, any);
    static const base space = {
        "csv", "1,0,0,1\n0,0,1,2\n",
        0,     NULL,
        0,     " 0 3 -1\n" PLAIN("2", "3", "none") NO_GATES TREES EMPTY "dual 1 1 1\nend\n"};
    static const variation wide[] = {{"bound trees", "bound plane", 4, "few columns"}};
    VARY(&space, wide);
}

/* All signs of ROWS rows, one after the other: a leaf for each, where nothing has to be proved. */
enum { ROWS = 10 };

static char *write_leaves(char *at, int depth)
{
    if (depth < ROWS) {
        at += sprintf(at, "split %d\n", depth);
        return write_leaves(write_leaves(at, depth + 1), depth + 1);
    }
    at += sprintf(at, "leaf 0\nweights");
    for (int k = 0; k < 2 * ROWS + 1; k++)
        at += sprintf(at, " 0");
    return at + sprintf(at, "\n");
}

/* What leaves leave behind is released as it gathers: all of them together take more than this. */
static void test_memory(void **state)
{
    (void)state;
    static char text[1 << 17];
    char *at = text + sprintf(text, TABLE PLAIN("10", "2", "none") NO_GATES TREES EMPTY "dual 1");
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, " 0");
    at = write_leaves(at + sprintf(at, "\nside 0\n"), 0);
    sprintf(at, "side 0\nleaf 0\nweights 0 0 0 0 0 0 0 0 0 0 0\nend\n");
    const base b = {
        "csv", "1,0,1\n0,1,0\n1,1,0\n1,2,0\n2,1,0\n1,3,0\n3,1,0\n2,3,0\n3,2,0\n1,4,0\n", 0, NULL, 0, text};
    const variation whole = {"", "", 0, NULL},
                    cut = {"leaf 0\nweights 0 0", "leaf 0\nweights 0", 4, "21 numbers"};
    const limits few = {3 << 19, check_limits.steps, 0};
    assert_true(vary_within(&b, &whole, &few));
    assert_true(vary_within(&b, &cut, &few));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_leaves), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_bias),   cmocka_unit_test(test_outputs),
                                       cmocka_unit_test(test_plane),  cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
