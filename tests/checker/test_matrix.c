/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about the data matrix: one cone, the ends of a kernel's spectrum, spike-free or not. */
#include "saying.h"

/* x_2 = x_0 + x_1: no u is positive on it alone. */
static const base empty = {
    "csv", "1,0,0\n0,1,0\n1,1,0\n0,0,0\n",
    0,     NULL,
    0,     " 0 2 -1\n" PLAIN("4", "2", "none") NO_GATES "claim cone\ncone empty 4\nweights 1 1 1 5\nend\n"};

/* x_1 = -x_0: both vanish on the cone, which is a ray. */
static const base ray = {"csv",
                         "1,0,0\n-1,0,0\n0,1,0\n0,0,0\n",
                         0,
                         NULL,
                         0,
                         " 0 2 -1\n" PLAIN("4", "2", "none") NO_GATES
                         "claim cone\ncone point 4\npoint 0 1\nweights 1 1 0 0\nend\n"};

static void test_cone(void **state)
{
    (void)state;
    static const variation emptied[] = {
        {"", "", 0, NULL},
        {"weights 1 1 1 5", "weights 2 2 2 0", 0, NULL},
        {"weights 1 1 1 5", "weights 1 1 2 5", 4, "line 9: the weights do not combine the rows to 0"},
        {"weights 1 1 1 5", "weights 1 1 1 -5", 4, "weight 3 (from 0) is negative"},
        {"weights 1 1 1 5", "weights 0 0 0 5", 4, "no active row has a weight"},
        {"weights 1 1 1 5", "weights 1 1 1", 4, "4 numbers"},
        {"weights 1 1 1 5", "weights 1 1 1 5 0", 4, "should have ended"},
        {"cone empty 4", "cone empty 8", 4, "the weights do not combine"},
        {"cone empty 4\nweights 1 1 1 5", "cone empty 8\nweights 0 0 0 1", 0, NULL}, /* <0, u> > 0 */
        {"cone empty 4", "cone empty 14", 4, "a pattern of 1 digits"},
        {"cone empty 4", "cone empty g", 4, "a pattern of 0-9"},
        {"cone empty 4", "cone full 4", 4, "is not among"},
        {"cone empty 4", "cone empty", 4, "more words"},
        {"cone empty 4", "cone empty 4 4", 4, "should have ended"},
    };
    static const variation points[] = {
        {"", "", 0, NULL},
        {"point 0 1", "point 1 1", 4, "the point is on the wrong side of row 0 (from 0)"},
        {"point 0 1", "point 0 0", 4, "the point is on the wrong side of row 2"},
        {"weights 1 1 0 0", "weights 0 0 0 0", 4, "row 0 (from 0) vanishes at the point or has a weight"},
        {"weights 1 1 0 0", "weights 1 1 0 1", 4, "row 3 (from 0) vanishes"},
        {"weights 1 1 0 0", "weights 1 2 0 0", 4, "do not combine"},
        {"cone point 4\npoint 0 1\nweights 1 1 0 0", "cone point 5\npoint 1 1\nweights 0 0 0 0", 0, NULL},
        {"point 0 1", "point 0", 4, "2 numbers"},
    };
    VARY(&empty, emptied);
    VARY(&ray, points);
}

/* A cone of many rows is stated with its first signs. */
static void test_cone_said(void **state)
{
    (void)state;
    static const saying list[] = {
        {&empty, "", "", {.explain = true}, 0, "in --+- and <= 0 for the others: this cone is empty", NULL},
        {&empty, "", "", {.explain = true}, 0, "1. the listed l >= 0 have", NULL},
        {&ray, "", "", {.explain = true}, 0, "has dimension 1; the listed point is in it.", ".."},
        {&ray, "", "", {.explain = true}, 0, "2. the rows that vanish there", NULL},
        {&ray, "", "", {.json = true}, 0, "\"class\": \"cone\", \"kind\": null", NULL},
        {&ray, "", "", {.json = true}, 0, "\"pattern\": \"--+-\"", NULL},
        {&ray, "", "", {.expect = "class=cone pattern=--+- lower>=1 upper<=1"}, 0, "accepted", NULL},
        {&ray, "", "", {.expect = "pattern=-++-"}, 4, "pattern is --+-, which was not expected", NULL},
    };
    SAY(list);
}

/* Rows (1, 0) 202 times: the pattern is stated with its first 200 signs. */
static void test_long_cone(void **state)
{
    (void)state;
    enum { ROWS = 202 };
    static char rows[6 * ROWS + 1], text[1000];
    for (int k = 0; k < ROWS; k++)
        strcat(rows, "1,0,0\n");
    strcpy(text, " 0 2 -1\n" PLAIN("202", "2", "none") NO_GATES "claim cone\ncone point ");
    for (int k = 0; k < ROWS / 4; k++)
        strcat(text, "f");
    strcat(text, "3\npoint 1 0\nweights");
    for (int k = 0; k < ROWS; k++)
        strcat(text, " 0");
    strcat(text, "\nend\n");
    const base many = {"csv", rows, 0, NULL, 0, text};
    const saying list[] = {{&many, "", "", {0}, 0, "+.. and <= 0 for the others has dimension 2", NULL}};
    SAY(list);
}

#define KERNEL(lines) \
    " 0 2 -1\n" PLAIN("3", "2", "none") "gates patterns 2\ngate 7\ngate 6\nclaim spectrum\n" lines "end\n"

/* Rows (1, 0), (0, 1), (1, 1). First layer: H = [1/2, 0, 3/8; 0, 1/2, 3/8; 3/8, 3/8, 1]; the quotient of
 * (1, 1, -1) is 1/6. */
static const base least = {"csv", "1,0,0\n0,1,0\n1,1,0\n",
                           0,     NULL,
                           0,     KERNEL("kernel first infinite 1\nbound least 1p-2 1p-4\nvector 1 1 -1\n")};
static const base largest = {"csv", "1,0,0\n0,1,0\n1,1,0\n",
                             0,     NULL,
                             0,     KERNEL("kernel both infinite 1\nbound largest 3 2\nvector 1 1 2\n")};
static const base counted = {
    "csv", "1,0,0\n0,1,0\n1,1,0\n",
    0,     NULL,
    0,     KERNEL("kernel first gates 2\ncounts 4 1 2\nbound largest 5 1\nvector 1 1 1\n")};

/* A row of zeros has an eigenvalue 0. */
static const base zeros = {"csv",
                           "0,0,0\n1,0,0\n",
                           0,
                           NULL,
                           0,
                           " 0 2 -1\n" PLAIN("2", "2", "none") NO_GATES
                           "claim spectrum\nkernel first infinite 1\n"
                           "bound least 0 0\nvector 1 0\nend\n"};

static void test_ends(void **state)
{
    (void)state;
    static const variation none[] = {
        {"", "", 0, NULL},
        {"vector 1 0", "vector 1 1", 4, "the vector gives 0.25"},
    };
    VARY(&zeros, none);
    static const variation low[] = {
        {"", "", 0, NULL},
        {"1p-2 1p-4", "1p-2 0", 0, NULL},
        {"1p-2 1p-4", "1p-2 -1", 0, NULL},
        {"1p-2 1p-4", "1p-2 2", 4, "line 12: that no eigenvalue is smaller is not proved"},
        {"1p-2 1p-4", "1p-2 2cp-8", 4, "that no eigenvalue is smaller"}, /* it is 0.1636.. */
        {"1p-2 1p-4", "1p-2 29p-8", 0, NULL},
        {"1p-2 1p-4", "1p-3 0", 4, "line 11: the vector gives 0.1666"},
        {"vector 1 1 -1", "vector 0 0 0", 4, "the vector is 0"},
        {"vector 1 1 -1", "vector 1 1", 4, "3 numbers"},
        {"infinite 1", "infinite 0", 4, "the factor is not positive"},
        {"infinite 1", "infinite", 4, "1 numbers"},
        {"infinite 1", "infinite 1 1", 4, "should have ended"},
        {"bound least", "bound units", 4, "is not among"},
        {"kernel first", "kernel second", 4, "is not among"},
        {"kernel first infinite", "kernel both gates", 4, "a kernel of gates is one of the first layer"},
    };
    static const variation high[] = {
        {"", "", 0, NULL},
        {"largest 3 2", "largest 2 0", 4, "line 12: that no eigenvalue is larger is not proved"},
        {"largest 3 2", "largest 3 3", 4, "the vector gives 2."},
        {"kernel both", "kernel first", 4, "the vector gives 1."},
    };
    static const variation shares[] = {
        {"", "", 0, NULL},
        {"counts 4 1 2", "counts 4 1 4", 4, "an integer from 1 to 3"},
        {"counts 4 1 2", "gains 4 1 2", 4, "'counts' was expected"},
        {"largest 5", "largest 1", 4, "that no eigenvalue is larger"},
        {"gates patterns 2\ngate 7\ngate 6\nclaim spectrum\nkernel first gates 2\ncounts 4 1 2\nbound "
         "largest 5 1",
         "gates patterns 0\nclaim spectrum\nkernel first gates 2\ncounts 4\nbound largest 1p-4 0", 0, NULL},
    };
    VARY(&least, low);
    VARY(&largest, high);
    VARY(&counted, shares);
}

/* Opposite rows whose sum with (1, 1, -1) vanishes; row 6 is 0, row 7 is twice row 0. */
static const base null = {
    "csv",
    "1,0,0\n-1,0,0\n0,1,0\n0,-2,0\n1,1,0\n-1,-1,0\n0,0,0\n2,0,0\n",
    0,
    NULL,
    0,
    " 0 2 -1\n" PLAIN("8", "2", "none") "gates patterns 2\ngate 11\ngate 0c\n"
                                        "claim spectrum\nkernel both infinite 1\nbound null 0 0\n"
                                        "vector 2 -2 2 -1 -2 2 7 0\nend\n"};

static void test_null(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"vector 2 -2 2 -1 -2 2 7 0", "vector 2 0 0 0 0 0 0 -1", 0, NULL},
        {"vector 2 -2 2 -1 -2 2 7 0", "vector 0 0 0 0 0 0 1 0", 0, NULL},
        {"vector 2 -2 2 -1 -2 2 7 0", "vector 0 0 0 0 0 0 0 0", 4, "the vector is 0"},
        {"vector 2 -2 2 -1 -2 2 7 0", "vector 1 1 0 0 0 0 0 0", 4,
         "rows parallel to row 0 (from 0) do not cancel"},
        {"vector 2 -2 2 -1 -2 2 7 0", "vector 1 -1 0 0 0 0 0 0", 4, "not in the null space"},
        {"vector 2 -2 2 -1 -2 2 7 0", "vector 0 0 2 -1 0 0 0 0", 4, "not in the null space"},
        {"null 0 0", "null 0 1", 4, "the kernel gives 0, below what is claimed"},
        {"null 0 0", "null -1 0", 4, "the vector gives 0, above what is claimed"},
        {"kernel both infinite 1\n", "kernel first gates 1\ncounts 2 1 1\n", 4, "not in the null space"},
        /* gate 0 is open on rows 0 and 4, gate 1 on rows 6 and 7 */
        {"kernel both infinite 1\nbound null 0 0\nvector 2 -2 2 -1 -2 2 7 0",
         "kernel first gates 1\ncounts 2 1 1\nbound null 0 0\nvector 0 1 1 0 0 0 1 0", 0, NULL},
    };
    VARY(&null, list);
}

static void test_spectrum_said(void **state)
{
    (void)state;
    static const saying list[] = {
        {&least,
         "",
         "",
         {.explain = true},
         0,
         "first layer at infinite width: its least eigenvalue is >= 0.0625 and <= 0.166666",
         ", times"},
        {&least, "", "", {.explain = true}, 0, "2. H less 0.0625 I has no negative pivot", NULL},
        {&largest,
         "",
         "",
         {.explain = true},
         0,
         "both layers at infinite width: its largest eigenvalue",
         NULL},
        {&largest, "", "", {.explain = true}, 0, "H less 3 I has no positive pivot", NULL},
        {&counted,
         "",
         "",
         {0},
         0,
         "first layer of 4 neurons with 2 listed gates, each counted as often as stated, times 2: its",
         "Weak"},
        {&counted,
         "gates patterns 2\ngate 7\ngate 6\nclaim spectrum\nkernel first gates 2\ncounts 4 1 2\nbound "
         "largest 5 1",
         "gates patterns 0\nclaim spectrum\nkernel first gates 2\ncounts 4\nbound largest 1p-4 0",
         {0},
         0,
         "Weak: no gates are listed",
         NULL},
        {&null,
         "",
         "",
         {.explain = true},
         0,
         "its least eigenvalue is 0, and the listed vector is in its null",
         NULL},
        {&null, "", "", {.explain = true}, 0, "so Hv = 0; H is positive semidefinite", NULL},
        {&least, "", "", {.expect = "class=kernel kind=first scale=1 bound=global"}, 0, "accepted", NULL},
        {&least, "", "", {.expect = "scale=2"}, 4, "scale is 1, which was not expected", NULL},
        {&counted, "", "", {.expect = "class=kernel kind=first scale=2 bound=gates"}, 0, "accepted", NULL},
        {&counted, "", "", {.expect = "bound=global"}, 4, "bound is gates", NULL},
        {&largest,
         "",
         "",
         {.json = true},
         0,
         "\"class\": \"kernel\", \"kind\": \"both\", \"loss\": null",
         NULL},
    };
    SAY(list);
}

#define SPIKE(n, lines) " 0 2 -1\n" PLAIN(n, "2", "none") NO_GATES "claim spike\n" lines "end\n"

/* Two rows with an acute angle are spike-free; multiples and zeros do not matter. */
static const base acute = {"csv", "2,1,0\n1,2,0\n4,2,0\n0,0,0\n", 0, NULL, 0, SPIKE("4", "spike free\n")};
static const base obtuse = {"csv", "1,0,0\n-2,1,0\n", 0, NULL, 0, SPIKE("2", "spike free\n")};
static const base shown = {
    "csv", "1,0,0\n-2,1,0\n", 0, NULL, 0, SPIKE("2", "spike shown\npoint 1 1\ncombination 5 2\n")};
static const base opposite = {
    "csv", "1,0,0\n-1,0,0\n", 0, NULL, 0, SPIKE("2", "spike shown\npoint 1 1\ncombination 1 1\n")};

static void test_spike(void **state)
{
    (void)state;
    static const variation free_of[] = {
        {"", "", 0, NULL},
        {"spike free", "spike none", 4, "is not among"},
        {"spike free", "spike free 1", 4, "should have ended"},
        {"spike free", "spike shown\npoint 1 -1\ncombination 1 0 0 0", 4, "show no spike"},
    };
    static const variation not_free[] = {
        {"", "", 4, "positive entry off its diagonal"},
    };
    static const variation spikes[] = {
        {"", "", 0, NULL},
        {"point 1 1", "point 0 0", 4, "show no spike"},
        {"point 1 1", "point 1", 4, "2 numbers"},
        {"combination 5 2", "combination -5 -2", 4, "show no spike"},
        {"combination 5 2", "combination 1 0", 4, "show no spike"},
        {"combination 5 2", "combination 5", 4, "2 numbers"},
        {"spike shown\npoint 1 1\ncombination 5 2", "spike free", 4, "positive entry off"},
    };
    static const variation dependent[] = {
        {"", "", 0, NULL},
        {"spike shown\npoint 1 1\ncombination 1 1", "spike free", 4, "the rows are dependent"},
    };
    static const base three = {"csv", "1,0,0\n0,1,0\n1,1,0\n", 0, NULL, 0, SPIKE("3", "spike free\n")};
    static const variation more[] = {{"", "", 4, "more directions of rows than columns"}};
    VARY(&acute, free_of);
    VARY(&obtuse, not_free);
    VARY(&shown, spikes);
    VARY(&opposite, dependent);
    VARY(&three, more);
}

static void test_spike_said(void **state)
{
    (void)state;
    static const saying list[] = {
        {&acute, "", "", {.explain = true}, 0, "is spike-free: every (Au)_+", "not spike"},
        {&acute, "", "", {.explain = true}, 0, "2. (RR')^{-1} has no positive entry", NULL},
        {&shown,
         "",
         "",
         {.explain = true},
         0,
         "is not spike-free: for the listed u, (Au)_+ is no Av with |v| < 1.58",
         NULL},
        {&shown, "", "", {.explain = true}, 0, "1. the listed u and c have", NULL},
        {&opposite, "", "", {0}, 0, "is not spike-free: for the listed u, (Au)_+ is no Av at all.", NULL},
        {&acute, "", "", {.expect = "class=spike lower>=1"}, 0, "accepted", NULL},
        {&shown, "", "", {.expect = "class=spike lower>=1"}, 4, "was not expected", NULL},
    };
    SAY(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cone),      cmocka_unit_test(test_cone_said),
                                       cmocka_unit_test(test_long_cone), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_null),      cmocka_unit_test(test_spectrum_said),
                                       cmocka_unit_test(test_spike),     cmocka_unit_test(test_spike_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
