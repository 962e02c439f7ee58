/* SPDX-License-Identifier: Apache-2.0 */
/* Margins in at most three columns, of linear functions, and rows that make a margin 0. */
#include "saying.h"

/* The axes of space: eight octants of an eighth each. With q = (1, 1, 1) an octant that is open on k rows
 * has |S| = sqrt(k). */
static const base octants = {
    "csv",
    "1,0,0,1\n0,1,0,1\n0,0,1,-1\n",
    0,
    NULL,
    0,
    " 0 3 -1\n" PLAIN("3", "3",
                      "none") "gates orientations 8\ngate 1 1 1\ngate 1 1 -1\ngate 1 -1 1\ngate 1 -1 -1\n"
                              "gate -1 1 1\ngate -1 1 -1\ngate -1 -1 1\ngate -1 -1 -1\n"
                              "claim margin\nbound space 6p-4 5fp-8\n"
                              "vector 93cdp-16 93cdp-16 -93cdp-16\nvector b504p-16 b504p-16 0\n"
                              "vector b504p-16 0 -b504p-16\nvector 1 0 0\n"
                              "vector 0 b504p-16 -b504p-16\nvector 0 1 0\nvector 0 0 -1\n"
                              "vector 0 0 0\ndual 1 1 1\nend\n"};

static void test_octants(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"6p-4", "17eeb91p-26", 0, NULL}, /* (3 + 3 sqrt(2) + sqrt(3)) / 24 */
        {"6p-4", "17eeb90p-26", 4, "the dual point gives 0.37394"},
        {"5fp-8", "17eea60p-26", 0, NULL},
        {"5fp-8", "17eeb60p-26", 4, "the vectors give 0.37394"},
        {"gate 1 1 1\n", "gate 5 1 2p-9\n", 0, NULL}, /* any point inside */
        {"gate 1 1 1\n", "gate 1 1 0\n", 4, "not witnesses"},
        {"gate 1 1 1\n", "gate 1 1 -2\n", 4, "listed twice"},
        {"8\ngate 1 1 1\n", "7\n", 4, "7 cones are listed, there are 8"},
        {"orientations 8\ngate 1 1 1\n", "orientations 9\ngate 1 1 1\ngate 1 1 1\n", 4, "listed twice"},
        {"bound space", "bound plane", 4, "not in the plane"},
        {"vector 1 0 0", "vector 1 1 0", 4, "longer than 1"},
        {"dual 1 1 1", "dual 1 1 -1", 4, "negative"},
        {"steps none none", "steps none free", 4, "without free biases"},
    };
    VARY(&octants, list);
}

/* Cells of other shapes. All rows in a plane: wedges, an eighth and three eighths of the sphere. Parallel
 * rows and one that is 0 change nothing. One direction: half the sphere. One or two columns are taken
 * with zeros. */
static void test_wedges(void **state)
{
    (void)state;
    static const base wedges = {
        "csv",
        "1,0,0,1\n1,1,0,-1\n-2,-2,0,1\n0,0,0,1\n",
        0,
        NULL,
        0,
        " 0 3 -1\n" PLAIN(
            "4", "3", "none") "gates orientations 4\ngate 2 1 0\ngate 1 -2 5\ngate -1 2 0\ngate -2 -1 -7\n"
                              "claim margin\nbound space 1 -1\nvector 0 -1 0\nvector 0 -1 0\n"
                              "vector 0 0 0\nvector 0 0 1\ndual 1 1 0 0\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"space 1", "space 15a827ap-26", 0, NULL}, /* (3 / 8 + 1 / 8 + sqrt(2) / 8) / 2 = 0.33838 */
        {"space 1", "space 15a8279p-26", 4, "the dual point gives 0.33838"},
        {"space 1 -1", "space 1 0", 0, NULL}, /* the row of zeros scores 0; rows 0, 3 / 8, 1 / 4 */
        {"space 1 -1", "space 1 1p-99", 4, "the vectors give 0"},
    };
    static const base line = {
        "csv",
        "1,1\n-3,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN("2", "1", "none") "gates orientations 2\ngate 1\ngate -1\nclaim margin\n"
                                            "bound space 1p-1 1p-2\nvector 1\nvector 1\ndual 1 0\nend\n"};
    static const variation halves[] = {
        {"", "", 4, "the dual point gives"}, /* one half, enclosed */
        {"space 1p-1", "space 80001p-14", 0, NULL},
        {"space 1p-1", "space 80001p-20", 0, NULL},
        {"space 1p-1 1p-2", "space 1 7ffffp-20", 0, NULL},
        {"space 1p-1 1p-2", "space 1 80001p-20", 4, "the vectors give 0.4999"},
    };
    static const base nothing = {
        "csv",
        "0,0,1\n0,0,-1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 1\ngate 1 1\nclaim margin\n"
                                            "bound space 0 0\nvector 1 0\ndual 1 1\nend\n"};
    static const base four = {
        "csv",
        "1,0,0,1,1\n0,0,0,1,-1\n",
        0,
        NULL,
        0,
        " 0 4 -1\n" PLAIN("2", "4", "none") "gates orientations 1\ngate 1 1 1 1\nclaim margin\n"
                                            "bound space 1 0\nvector 1 0 0 0\ndual 1 1\nend\n"};
    static const variation same[] = {{"", "", 0, NULL}}, many[] = {{"", "", 4, "more than three columns"}};
    VARY(&wedges, list);
    VARY(&line, halves);
    VARY(&nothing, same);
    VARY(&four, many);
}

/* Five points: the least of <w, z_i> with w = (1, 1) / sqrt(2) is 1 / sqrt(2), as q says. */
static void test_linear(void **state)
{
    (void)state;
    static const base linear = {
        "csv",
        "1,0,1\n0,-1,-1\n3,4,1\n-5,-1,-1\n2,2,1\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN(
            "5", "2",
            "none") "gates patterns 1\ngate f1\nclaim margin\n"
                    "bound linear b505p-16 b504p-16\nvector b504p-16 b504p-16\ndual 1 1 0 0 0\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"linear b505p-16", "linear b504p-16", 4, "the dual point gives 0.70710"},
        {"b505p-16 b504p-16\nvector", "b505p-16 b505p-16\nvector", 4, "the vectors give 0.7070"},
        {"gate f1", "gate e1", 4, "open on all points"},
        {"patterns 1\ngate f1", "patterns 2\ngate f1\ngate f1", 4, "open on all points"},
        {"patterns 1\ngate f1\n", "patterns 0\n", 4, "open on all points"},
        {"patterns 1\ngate f1", "orientations 1\ngate 1 1", 4, "open on all points"},
        {"vector b504p-16", "vector b506p-16", 4, "longer than 1"},
        {"dual 1 1 0 0 0", "dual 0 0 0 0 0", 4, "the dual point is 0"},
    };
    VARY(&linear, list);
}

static void test_rows(void **state)
{
    (void)state;
    static const base rows = {
        "csv", "1,2,1\n0,0,-1\n1,2,-1\n1,0,1\n1,2,1\n0,2,-1\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("6", "2", "none") NO_GATES "claim zero\norigin 1\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"origin 1", "origin 0", 4, "not as this proof"},
        {"origin 1", "origin 3", 4, "not as this proof"},
        {"origin 1", "origin 5", 4, "not as this proof"},
        {"origin 1", "origin 6", 4, "an integer from 0 to 5"},
        {"origin 1", "origin", 4, "more words"},
        {"origin 1", "origin 1 1", 4, "should have ended"},
        {"steps none none 6 2\ngates patterns 0\nclaim zero\norigin 1",
         "steps none free 6 2\ngates patterns 0\nclaim zero\norigin 1", 4, "without free biases"},
        {"steps none none 6 2\ngates patterns 0\nclaim zero\norigin 1",
         "steps none augment 6 3\ngates patterns 0\nclaim zero\norigin 1", 4, "not as this proof"},
        {"origin 1", "equal 0 2", 0, NULL},
        {"origin 1", "equal 2 0", 0, NULL},
        {"origin 1", "equal 0 4", 4, "not as this proof"},
        {"origin 1", "equal 0 1", 4, "not as this proof"},
        {"origin 1", "equal 3 1", 4, "not as this proof"},
        {"origin 1", "equal 0 5", 4, "not as this proof"},
        {"origin 1", "equal 0", 4, "more words"},
        {"origin 1", "equal 0 6", 4, "an integer from 0 to 5"},
        {"steps none none 6 2\ngates patterns 0\nclaim zero\norigin 1",
         "steps none free 6 2\ngates patterns 0\nclaim zero\nequal 0 2", 0, NULL},
        {"rows 1 0 6\nclasses none\nsteps none none 6",
         "rows 1 0 5\nclasses index numbers 2 -1 1\nsteps none none 5", 4, "-1 and +1"},
    };
    VARY(&rows, list);
}

/* What is said of them. */
static void test_said(void **state)
{
    (void)state;
    static const base rows = {
        "csv", "1,2,1\n0,0,-1\n1,2,-1\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES "claim zero\norigin 1\nend\n"};
    static const base linear = {
        "csv",
        "1,1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN(
            "1", "1",
            "none") "gates patterns 1\ngate 1\nclaim margin\nbound linear 1 1\nvector 1\ndual 1\nend\n"};
    static const base decimals = {
        "csv",
        "1,1\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 1 0 1\nclasses none\nsteps none none 1 1 decimals\n" NO_GATES "claim limit\nend\n"};
    static const saying list[] = {
        {&octants,
         "",
         "",
         {0},
         0,
         "The margin of the first layer at infinite width, in at most three columns, where the 8 listed "
         "gates are all cones, is >= 0.37394",
         NULL},
        {&octants, "", "", {.expect = "class=margin kind=ntk bound=global"}, 0, "accepted", NULL},
        {&linear,
         "",
         "",
         {.expect = "class=margin kind=linear bound=global"},
         0,
         "The margin of linear functions, the largest over |w| <= 1 of the least y_i <w, x_i>, is >= 1, by "
         "the listed vector, and <= 1",
         NULL},
        {&rows,
         "",
         "",
         {.explain = true},
         0,
         "Row 1 of these (from 0) is 0, where every network without biases is 0. No two-layer",
         "equal"},
        {&rows, "", "", {.explain = true}, 0, "1. the rows that are named were compared", NULL},
        {&rows,
         "origin 1",
         "equal 0 2",
         {.explain = true},
         0,
         "Rows 0 and 2 of these (from 0) are equal and have opposite targets: no function has every y_i "
         "f(x_i) > 0, and every margin is 0.",
         "No two-layer"},
        {&decimals, "", "", {0}, 4, "this claim is about doubles", NULL},
        {&squared, "", "", {.expect = "class=margin"}, 4, "class is relu", NULL},
        {&biased, "", "", {.expect = "class=margin"}, 4, "class is relu", NULL},
    };
    SAY(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_octants), cmocka_unit_test(test_wedges),
                                       cmocka_unit_test(test_linear), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
