/* SPDX-License-Identifier: Apache-2.0 */
/* Small files that ask for much: the end comes by a count of work, with code 6, long before it is done. */
#include <time.h>

#include "checking.h"

static uint64_t state_of_draws = 1;

static uint64_t draw(uint64_t below) /* splitmix64 */
{
    uint64_t z = state_of_draws += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) % below;
}

/* n rows of d numbers of sizes between 1e-range and 1e+range, and targets 1. */
static char *wild(int n, int d, int range)
{
    char *text = calloc((size_t)(n * (d + 1)) * 40, 1), *at = text;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < d; k++)
            at += sprintf(at, "%s0.%012llue%d,", draw(2) ? "-" : "", (unsigned long long)draw(1000000000000),
                          (int)draw((uint64_t)(2 * range + 1)) - range);
        at += sprintf(at, "1\n");
    }
    return text;
}

/* Code 6 within seconds. */
static void too_much(const base *b, const char *message)
{
    const variation same = {"", "", 6, message};
    const clock_t start = clock();
    assert_true(vary_within(b, &same, &check_limits));
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
}

/* Cones and faces of points whose sizes are far apart: their minors are long. */
static void test_cones(void **state)
{
    (void)state;
    static const char *const claims[] = {"cones", "faces"};
    for (int k = 0; k < 3; k++) {
        const int n = 18 + 2 * k, d = k < 2 ? n : 18;
        char text[300], *data = wild(n, d, 250);
        snprintf(text, sizeof text,
                 " 0 %d -1\nrows 1 0 %d\nclasses none\nsteps none none %d %d\ngates orientations 0\nclaim "
                 "%s\nend\n",
                 d, n, n, d, claims[k % 2]);
        const base b = {"csv", data, 0, NULL, 0, text};
        too_much(&b, k % 2 ? "" : "more work than files of these sizes justify");
        free(data);
    }
}

/* A leaf in very many columns, which a LIBSVM file has for the price of a number. */
static void test_columns(void **state)
{
    (void)state;
    static const base b = {
        "libsvm",
        "1 1:1\n",
        0,
        NULL,
        0,
        " 700\nrows 1 0 1\nclasses none\nsteps none none 1 700\n" NO_GATES
        "claim train\nproblem relu squared 1 4\nbound trees 1 0\nnetwork 0\nconstant 0\ndual 1 1\n"
        "side 8\nleaf 0\nweights 1 1\nside 8\nleaf 0\nweights 1 1\nend\n"};
    too_much(&b, "more work than files of these sizes justify");
}

/* Products of all pairs of rows that have a number each, in very many columns. */
static void test_orthant(void **state)
{
    (void)state;
    enum { ROWS = 300, LENGTH = 4000 };
    static char data[6 * ROWS + 1], text[LENGTH];
    for (int i = 0; i < ROWS; i++)
        strcat(data, "1 1:1\n");
    strcpy(text,
           " 3000\nrows 1 0 300\nclasses none\nsteps none none 300 3000\n" NO_GATES
           "claim train\nproblem relu squared 1 1p20\nbound orthant 1p9 0\nnetwork 0\nconstant 0\ndual 1");
    for (int line = 0; line < 2; line++) {
        for (int i = 0; i < ROWS; i++)
            strcat(text, " 1");
        strcat(text, line ? "\nend\n" : "\northant");
    }
    const base b = {"libsvm", data, 0, NULL, 0, text};
    too_much(&b, "more work than files of these sizes justify");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cones), cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_orthant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
