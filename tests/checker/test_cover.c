/* SPDX-License-Identifier: Apache-2.0 */
/* Several outputs: prices of directions, and cones that cover all of them. */
#include "checking.h"

/* Two outputs, v = (1, 1) and (-1, 0) on the axes of the plane. All prices below are at most 3, so that p(v) <= 3 with the
 * cover, and s = 5/4 has s p <= 4; without it 3 sqrt(2) s = 5.3 is too much. */
#define SIDES "side 3\nleaf 0\nweights 1 1 1\nside 3\nleaf 0\nweights 1 1 1\n"
#define COVER "bisect 2\npiece 0 3\npiece 3 0\nbisect 3\npiece 0 -3\npiece 3 0\n"
static const base cover = {
    "csv",
    "1,0,1\n0,1,2\n",
    0,
    NULL,
    0,
    " 0 2 -1\nrows 1 0 2\nclasses columns numbers 2 1 2\nsteps none none 2 2\n" NO_GATES
    "claim train\nproblem relu squared 1 4\nbound trees 1 -20\n"
    "network 0\nconstant 0 0\ndual 5p-2 1 1 -1 0\ncover outputs 2\n" SIDES SIDES "corner 0 1 1 1\n" SIDES
    "corner 0 1 1 -1\n" SIDES COVER "end\n"};

static void test_cover(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"corner 0 1 1 1", "corner 1 0 1 1", 4, "corner 0 of this piece"}, /* the parts change places */
        {"corner 0 1 1 1", "corner 0 1 -1 -1", 0, NULL},
        {"corner 0 1 1 -1", "corner 0 1 -1 1", 0, NULL},
        {"corner 0 1 1 1", "corner 0 1 1 -1", 4, "not between"},
        {"corner 0 1 1 1", "corner 0 1 1 0", 4, "not between"},
        {"corner 0 1 1 1", "corner 0 1 0 1", 4, "not between"},
        {"corner 0 1 1 -1", "corner 0 1 1 1", 4, "not between"},
        {"corner 0 1 1 1", "corner 0 2 1 1", 4, "an integer from 0 to 1"},
        {"corner 0 1 1 1", "corner 2 1 1 1", 4, "an integer from 0 to 1"},
        {"corner 0 1 1 -1", "corner 0 2 1 -1", 4, "not on an edge"},
        {"corner 0 1 1 1", "corner 0 1 1", 4, "2 numbers"},
        {"corner 0 1 1 1", "corner 0 1 1 1 1", 4, "should have ended"},
        {"corner 0 1 1 1\nside 3", "corner 0 1 1 1\nside 1p-2", 4, "not positive definite"},
        {"corner 0 1 1 1\nside 3", "corner 0 1 1 1\nside 4", 4, "corner 0 of this piece"},
        {"outputs 2", "outputs 1", 4, "'piece' was expected"},
        {"outputs 2", "outputs 3", 4, "'corner' was expected"},
        {"outputs 2", "outputs 99999", 4, "an integer"},
        {"outputs 2", "outputs", 4, "more words"},
        {"outputs 2", "differences 2", 4, "differences are for softmax"},
        {"outputs 2", "corners 2", 4, "'corners' is not among"},
        {"cover outputs 2\n", "", 4, "priced above beta"},
        {"bisect 2", "bisect 1", 4, "an integer from 2 to 3"},
        {"bisect 2", "bisect 4", 4, "an integer from 2 to 3"},
        {"bisect 2", "bisect 3", 4, "not between"},
        {"piece 0 3", "bisect 2", 4, "not on an edge"}, /* the first corner has gone */
        {"piece 3 0", "bisect 2", 4, "not on an edge"}, /* the second */
        {"piece 0 3", "piece 0 2fffffffp-28", 4, "corner 0 of this piece has a larger price"},
        {"piece 3 0\nend", "piece 3 1p-90\nend", 4, "corner 1 of this piece has a larger price"},
        {"piece 0 3", "piece 3 0", 4, "corner 1 of this piece"},
        {"piece 0 -3", "piece 0 3", 4, "corner 0 of this piece"},
        {"piece 0 3", "piece 0 10p-2", 4, "priced above beta"}, /* the largest of all pieces counts */
        {"piece 3 0\nend", "piece 4 0\nend", 4, "priced above beta"},
        {"piece 0 3", "piece 0", 4, "2 numbers"},
        {"piece 0 3", "piece 0 3 0", 4, "should have ended"},
        {"piece 3 0\nend", "end", 4, "'piece' was expected"},
        {"piece 3 0\nend", "piece 3 0\npiece 3 0\nend", 4, "'end' was expected"},
        {"dual 5p-2", "dual 3p-1", 4, "priced above beta"},
    };
    VARY(&cover, list);
}

/* The same as a fan: the cones of (+-e_1, +-e_2), in which each side of a direction has its own price. The second output
 * alone has at most 1 and 3/2. */
#define QUARTERS                                                         \
    "bisect 2\npiece 1 2\npiece 3 0\nbisect 3\npiece -2 1\npiece -3 0\n" \
    "bisect 3\npiece 3p-1 -3p-1\npiece 3 0\nbisect 2\npiece -3p-1 -3p-1\npiece -3 0\n"
static const base fan = {"csv",
                         "1,0,1\n0,1,2\n",
                         0,
                         NULL,
                         0,
                         " 0 2 -1\nrows 1 0 2\nclasses columns numbers 2 1 2\nsteps none none 2 2\n" NO_GATES
                         "claim train\nproblem relu squared 1 4\nbound trees 1 -20\n"
                         "network 0\nconstant 0 0\ndual 5p-2 1 1 -1 0\nfan outputs 2\n" SIDES
                         "side 1\nleaf 0\nweights 1 1 1\nside 3p-1\nleaf 0\nweights 1 1 1\n"
                         "corner 0 1 1 1\n" SIDES "corner 0 1 1 -1\n" SIDES QUARTERS "end\n"};

static void test_fan(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"fan outputs", "cover outputs", 4,
         "of this piece has a larger"}, /* the larger price of both sides */
        {"side 1\nleaf 0\nweights 1 1 1\nside 3p-1", "side 5p-3\nleaf 0\nweights 1 1 1\nside 9p-3", 0, NULL},
        {"side 1\nleaf 0\nweights 1 1 1\nside 3p-1", "side 9p-3\nleaf 0\nweights 1 1 1\nside 5p-3", 4,
         "not positive definite"}, /* the sides change places */
        {"side 1\nleaf 0\nweights 1 1 1\nside 3p-1", "side 3\nleaf 0\nweights 1 1 1\nside 3p-1", 4,
         "corner 1 of this piece"},
        {"side 1\nleaf 0\nweights 1 1 1\nside 3p-1", "side 1\nleaf 0\nweights 1 1 1\nside 2", 4,
         "corner 1 of this piece"},
        {"side 1\nleaf 0\nweights 1 1 1\nside 3p-1", "side 1\nleaf 0\nweights 1 1 1\nside fp-4", 4,
         "not positive definite"},
        {"piece 1 2", "piece 1 1", 4, "corner 0 of this piece"},
        {"piece 1 2", "piece 9p-2 fp-4", 4, "corner 1 of this piece"},
        {"piece -2 1", "piece 2 1", 4, "corner 0 of this piece"},
        {"piece -3 0\nend", "piece 3 0\nend", 4, "corner 0 of this piece"},
        {"piece -3 0\nend", "piece -4 0\nend", 4, "priced above beta"}, /* the last cone counts */
        {"bisect 2\npiece -3p-1 -3p-1\npiece -3 0\n", "", 4, "'piece' was expected"},
        {"bisect 3", "bisect 2", 4, "not between"},
        {"corner 0 1 1 -1", "corner 0 1 -1 1", 0, NULL},
        {"fan outputs", "fan differences", 4, "differences are for softmax"},
        {"fan outputs 2", "fan outputs", 4, "more words"},
        {"fan outputs 2", "fan corners 2", 4, "'corners' is not among"},
    };
    VARY(&fan, list);
}

/* The sum over the outputs, and a cover without corners, which is no better. */
static void test_axes(void **state)
{
    (void)state;
    static const base axes = {
        "csv",
        "1,0,1\n0,1,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\nrows 1 0 2\nclasses columns numbers 2 1 2\nsteps none none 2 2\n" NO_GATES
        "claim train\nproblem relu squared 1 4\nbound trees 1 -20\n"
        "network 0\nconstant 0 0\ndual fp-4 1 1 -1 0\n" SIDES SIDES "end\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"dual fp-4", "dual fffp-c", 4, "is not a number"},
        {"dual fp-4", "dual f2p-8", 4, "priced above beta"}, /* 18 (121 / 128)^2 = 16.08 */
        {SIDES SIDES "end", "cover outputs 0\n" SIDES SIDES "piece 3 3\npiece 3 -3\nend", 0, NULL},
        {SIDES SIDES "end", "cover outputs 0\n" SIDES SIDES "piece 3 3\npiece 3 3\nend", 4,
         "corner 1 of this"},
        {SIDES SIDES "end", "cover outputs 0\n" SIDES SIDES "piece 3 3\nend", 4, "'piece' was expected"},
        {SIDES SIDES "end", "cover outputs 0\n" SIDES SIDES "bisect 2\nend", 4, "an integer"},
        {SIDES SIDES "end", SIDES SIDES "cover outputs 0\nend", 4, "'end' was expected"},
        {SIDES SIDES "end", SIDES "end", 4, "'side' was expected"},
    };
    VARY(&axes, list);
}

/* Softmax of two classes, v = (1, -1) and (-1, 1): the difference of the outputs alone, 2 (1, -1), has a price of at most 3, and
 * l = (3/2, -3/2), |l| / 2 = 1.06, s = 1 / 2. */
static void test_differences(void **state)
{
    (void)state;
    static const base two = {
        "csv",
        "1,0,1\n0,1,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\nrows 1 0 2\nclasses columns numbers 2 1 2\nsteps none none 2 2\n" NO_GATES
        "claim train\nproblem relu softmax 1 9p-3\nbound trees 2 1\nnetwork 0\n"
        "constant 0 0\ndual 1p-1 1 -1 -1 1\ncover differences 0\n" SIDES "piece 3p-1 -3p-1\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"9p-3", "1", 4, "priced above beta"},
        {"piece 3p-1 -3p-1", "piece 3 0", 4, "priced above beta"}, /* good as well, but longer */
        {"piece 3p-1 -3p-1", "piece 3p-1 -2fffp-13", 4, "corner 0 of this piece"},
        {"piece 3p-1 -3p-1", "piece 3", 4, "2 numbers"},
        {"piece 3p-1 -3p-1\n", "piece 3p-1 -3p-1\npiece 3p-1 -3p-1\n", 4, "'end' was expected"},
        {"piece 3p-1 -3p-1", "bisect 0", 4, "an integer"},
        {"side 3", "side 2", 4, "not positive definite"},
        {"relu softmax 1 9p-3\nbound trees 2 1", "relu squared 1 9p-3\nbound trees 2 0", 4,
         "differences are for softmax"},
        {"cover differences", "cover outputs", 4, "'side' was expected"},
        {"cover differences 0\n" SIDES, "fan differences 0\n" SIDES "piece -3p-1 3p-1\n", 4, "corner 0"},
        {"cover differences 0\n" SIDES "piece 3p-1 -3p-1\n",
         "fan differences 0\n" SIDES "piece 3p-1 -3p-1\npiece -3p-1 3p-1\n", 0, NULL},
        {"dual 1p-1 1 -1 -1 1", "dual 1p-1 1 -1 -1 0", 4, "does not sum to 0 over the outputs"},
    };
    VARY(&two, list);
    static const base three = {
        "csv",
        "1,0,1\n0,1,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\nrows 1 0 2\nclasses columns numbers 3 1 2 3\nsteps none none 2 2\n" NO_GATES
        "claim train\nproblem relu softmax 1 1\nbound trees 4 0\nnetwork 0\n"
        "constant 0 0 0\ndual 1p-4 1 0 0 1 -1 -1\ncover differences 1\n" SIDES SIDES
        "corner 0 1 1 1\nside 6\nleaf 0\nweights 1 1 1\nside 6\nleaf 0\nweights 1 1 1\n"
        "bisect 2\npiece 3 3 -3\npiece 3 3 0\npiece 3 -3 0\nend\n"};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"piece 3 -3 0\n", "bisect 2\n", 4, "not between"},
        {"piece 3 -3 0\n", "", 4, "'piece' was expected"},
        {"piece 3 -3 0\n", "piece 3 3 0\n", 4, "corner 1 of this piece"},
        {"piece 3 3 -3", "piece 3 2 0", 4, "corner 0 of this piece"},
        {"corner 0 1", "corner 0 2", 4, "an integer from 0 to 1"},
    };
    VARY(&three, others);
    static const base one = {"csv",
                             "1,1\n2,1\n",
                             0,
                             NULL,
                             0,
                             " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
                             "claim train\nproblem relu softmax 1 1\nbound trees 2 0\nnetwork 0\n"
                             "constant 0\ndual 1 0 0\ncover differences 0\nend\n"};
    static const variation none[] = {{"", "", 4, "differences are for softmax"}};
    VARY(&one, none);
}

/* One output and v = 0: cones within cones, each with the corner of the last one as its own. */
static void deep(int corners, int code, const char *message)
{
    static const char zeros[] = "side 0\nleaf 0\nweights 0 0\nside 0\nleaf 0\nweights 0 0\n";
    char *text = calloc((size_t)corners + 2, 200);
    strcpy(text, " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES
           "claim train\nproblem relu squared 1 4\nbound trees 1 0\nnetwork 0\nconstant 0\ndual 1 0\n");
    char *at = text + strlen(text);
    at += sprintf(at, "cover outputs %d\n%s", corners, zeros);
    for (int k = 0; k < corners; k++)
        at += sprintf(at, "corner %d %d 1p-1 1p-1\n%s", k, k, zeros);
    for (int k = 1; k <= corners; k++)
        at += sprintf(at, "bisect %d\n", k);
    for (int k = 0; k <= corners; k++)
        at += sprintf(at, "piece 0\n");
    strcpy(at, "end\n");
    const base b = {"csv", "1,1\n", 0, NULL, 0, text};
    const variation v = {"", "", code, message};
    assert_true(vary_within(&b, &v, &check_limits));
    free(text);
}

static void test_depth(void **state)
{
    (void)state;
    deep(0, 0, NULL);
    deep(1, 0, NULL);
    deep(1000, 0, NULL);
    deep(1001, 6, "nested too deeply");
}

/* 32 outputs of one point: 2^31 cones of axes are refused before any is read. */
static void test_many(void **state)
{
    (void)state;
    for (int outputs = 31; outputs <= 32; outputs++) {
        char *text = calloc(1, 1 << 14), *at = text;
        at += sprintf(at, " 0 1 -1\nrows 1 0 1\nclasses columns numbers %d", outputs);
        for (int k = 0; k < outputs; k++)
            at += sprintf(at, " %x", k);
        at += sprintf(at, "\nsteps none none 1 1\n" NO_GATES
                          "claim train\nproblem relu squared 1 4\nbound trees 1 0\nnetwork 0\nconstant");
        for (int k = 0; k < outputs; k++)
            at += sprintf(at, " 0");
        at += sprintf(at, "\ndual 1");
        for (int k = 0; k < outputs; k++)
            at += sprintf(at, " 0");
        at += sprintf(at, "\ncover outputs 0\n");
        for (int k = 0; k < 2 * outputs; k++)
            at += sprintf(at, "side 0\nleaf 0\nweights 0 0\n");
        sprintf(at, "end\n");
        const base b = {"csv", "1,1\n", 0, NULL, 0, text};
        const variation v = {"", "", outputs < 32 ? 4 : 6,
                             outputs < 32 ? "'piece' was expected" : "too many cones"},
                        sum = {"cover outputs 0\n", "", 0, NULL};
        assert_true(vary_within(&b, &v, &check_limits));
        assert_true(vary_within(&b, &sum, &check_limits));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cover), cmocka_unit_test(test_fan),
                                       cmocka_unit_test(test_axes),  cmocka_unit_test(test_differences),
                                       cmocka_unit_test(test_depth), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
