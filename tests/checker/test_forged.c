/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forged certificates: each states something false that only one condition of the checker keeps out. Without
 * it the file would be accepted, which tests/jobs/mutants.py tries.
 */
#include "checking.h"

/* One row x = 1 with the target 1, or as it is said. */
#define ROW(claim) " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES "claim train\n" claim "end\n"
#define NOTHING "network 0\nconstant 0\n"

typedef struct forged {
    base file;
    const char *message;
} forged;

static const forged list[] = {
    /* l(0) = 1 is the best for beta = 2, but w = 2, outside the domain, would give 2 */
    {{"csv", "1,1\n", 0, NULL, 0, ROW("problem relu hinge 1 2\nbound plane 2 2\n" NOTHING "dual 1 2\n")},
     "outside the domain"},
    {{"csv", "1,1\n", 0, NULL, 0, ROW("problem relu absolute 1 2\nbound plane 2 2\n" NOTHING "dual 1 2\n")},
     "outside the domain"},
    {{"csv", "1,-1\n", 0, NULL, 0, ROW("problem relu absolute 1 2\nbound plane 2 2\n" NOTHING "dual 1 -2\n")},
     "outside the domain"},
    /* a multiplier of the wrong sign takes the price of the other: x = 1 and 16, w = 1 and -1/16 */
    {{"csv", "1,1\n16,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
      "claim train\nproblem relu hinge 1 1p-9\nbound plane 1p-9 fp-4\nnetwork 1\nneuron 1 1\nconstant "
      "0\ndual 1 1 -1p-4\nend\n"},
     "outside the domain"},
    /* so it does in the cone of a gate */
    {{"csv", "1,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("1", "1", "none") "gates orientations 2\ngate 1\ngate -1\nclaim train\n"
                                          "problem relu squared 1 1p-9\nbound cones 1p-1 1p-1\n" NOTHING
                                          "dual 1 1\npush 1 0 -1\npush 1 0 1\npush 0\npush 0\nend\n"},
     "a multiplier is negative"},
    /* a price that is called exact, and is 1 */
    {{"csv", "1,1\n", 0, NULL, 0,
      " 0 1 -1\nrows 1 0 1\nclasses columns numbers 2 1 2\nsteps none none 1 1\n" NO_GATES
      "claim train\nproblem relu squared 1 1p-9\nbound trees 1p-1 1p-1\nnetwork 0\nconstant 0 0\ndual 1 1 "
      "0\nexact 0\nexact 0\nend\n"},
     "priced above"},
    /* <c, (Au)_+> = |A'c||u| is no spike: (Au)_+ is A u */
    {{"csv", "1,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES "claim spike\nspike shown\npoint 1\ncombination 1\nend\n"},
     ""},
    /* a negative penalty has no least objective, nor has a negative N */
    {{"csv", "1,1\n", 0, NULL, 0,
      ROW("problem relu squared 1 -1\nbound plane 1p-1 1p-1\n" NOTHING "dual 1 1\n")},
     "not positive"},
    {{"csv", "1,1\n", 0, NULL, 0,
      ROW("problem relu squared -1 -1\nbound plane -1p-1 -1p-1\n" NOTHING "dual 1 1\n")},
     "not positive"},
    /* points that are far from the line: what is left of N beta is negative, its square is not */
    {{"csv", "0,1,1\n", 0, NULL, 0,
      " 0 2 -1\n" PLAIN("1", "2", "none") NO_GATES
      "claim train\nproblem relu squared 1 1p-3\nbound plane 1p-1 1p-1\n" NOTHING
      "dual 1 1\nalong 1 0 0\nend\n"},
     "too far from the line"},
    /* weights of both signs: 3 z_1 - z_2 = 0 */
    {{"csv", "1,1\n3,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1",
                        "none") "gates patterns 1\ngate 3\nclaim margin\nbound units 0 0\ncounts 1 1\n"
                                "vector 1\ndual 3 -1\nend\n"},
     "negative"},
    /* a linear function that is blind on one row, or that counts twice */
    {{"csv", "1,1\n3,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") "gates patterns 1\ngate 2\nclaim margin\nbound linear 0 0\n"
                                          "vector 1\ndual 1 0\nend\n"},
     "open on all points"},
    {{"csv", "1,1\n3,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1",
                        "none") "gates patterns 2\ngate 3\ngate 0\nclaim margin\nbound linear 1 1p-1\n"
                                "vector 1\nvector 1\ndual 1 0\nend\n"},
     "open on all points"},
    /* no u has u > 0 and -u > 0; a point on the wrong side of the second row shows a cone of dimension 1 */
    {{"csv", "1,1\n-1,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim cone\ncone point 3\npoint 1\nweights 0 0\nend\n"},
     "wrong side"},
    /* 0 opens no row, and is in no cone: as many patterns as cones, and not theirs */
    {{"csv", "1,1\n-1,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") "gates orientations 2\ngate 1\ngate 0\nclaim cones\nend\n"},
     "not witnesses"},
    /* rows that are not 0, and rows that are not equal */
    {{"csv", "1,1\n2,-1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim zero\norigin 1\nend\n"},
     "not as this proof"},
    {{"csv", "1,1\n2,-1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim zero\nequal 0 1\nend\n"},
     "not as this proof"},
    /* a column of ones: row 0 is (0, 1) */
    {{"csv", "0,1\n2,-1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "free") NO_GATES "claim zero\norigin 0\nend\n"},
     "without free biases"},
    /* a pair of one label: f(x) > 0 on both is possible */
    {{"csv", "1,1\n2,1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim zero\npairs 1 0 1 1\nend\n"},
     "not as this proof"},
    {{"csv", "1,-1\n2,-1\n", 0, NULL, 0,
      " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim zero\npairs 1 0 1 1\nend\n"},
     "not as this proof"},
};

static void test_forged(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++)
        wrong += !vary_within(&list[k].file, &(variation){"", "", 4, list[k].message}, &check_limits);
    assert_int_equal(wrong, 0);
}

/* What libraries allocate counts too: a number of 80,000 digits, in little more memory than its text. */
static void test_library_memory(void **state)
{
    (void)state;
    enum { DIGITS = 80000 };
    char *text = calloc(DIGITS + 1000, 1), *digits = calloc(DIGITS + 1, 1);
    memset(digits, 'f', DIGITS);
    snprintf(text, DIGITS + 1000, ROW("problem relu squared 1 1\nbound none %s 0\n" NOTHING), digits);
    const base file = {"csv", "1,1\n", 0, NULL, 0, text};
    const variation fits = {"", "", 0, NULL}, large = {"", "", 6, "of memory"};
    const limits most = {DIGITS + 30000, check_limits.steps, 0};
    assert_true(vary_within(&file, &fits, &check_limits));
    assert_true(vary_within(&file, &large, &most));
    free(text);
    free(digits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forged), cmocka_unit_test(test_library_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
