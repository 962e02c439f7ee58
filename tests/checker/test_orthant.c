/* SPDX-License-Identifier: Apache-2.0 */
/* Prices in the positive orthant by weights of the rows: every condition, and the least price that they
 * prove. */
#include "checking.h"

#define TABLE " 0 2 -1\n"
#define CLAIM(n, problem) NO_GATES "claim train\nproblem " problem "\nbound orthant 1p7 0\n"
#define EMPTY "network 0\nconstant 0\n"

/* Rows 2 e_1 and 3 e_2, and a row of zeros; V = (3, 4, 7), and w = V makes every quotient
 * (B |G| w)_i / w_i = 180, the squared price. */
static const base one = {"csv",
                         "2,0,8\n0,3,8\n0,0,8\n",
                         0,
                         NULL,
                         0,
                         TABLE PLAIN("3", "2", "none") CLAIM("3", "relu squared 1 f") EMPTY
                         "dual 1 3 4 7\northant 3 4 7\nend\n"};

static void test_one_output(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL}, /* 180 <= 15^2 */
        {"1 f\n", "1 d\n", 4, "priced above beta"},
        {"1 f\n", "1 6b6p-7\n", 0, NULL}, /* 13.421875^2 = 180.15 */
        {"1 f\n", "1 6b5p-7\n", 4, "priced above beta"},
        {"orthant 3 4 7", "orthant 3 4 1", 4, "priced above beta"},
        {"dual 1 3 4 7", "dual 1 3 -4 7", 0, NULL}, /* signs apart: no product of theirs counts */
        {"dual 1 3 4 7", "dual 2 3 4 7", 4, "priced above beta"},
        {"orthant 3 4 7", "orthant 3 4 0", 4, "weight 2 of the orthant is not positive"},
        {"orthant 3 4 7", "orthant -3 -4 -7", 4, "weight 0 of the orthant is not positive"},
        {"orthant 3 4 7", "orthant 3 4", 4, "3 numbers"},
        {"orthant 3 4 7", "orthant 3 4 7 7", 4, "should have ended"},
        {"\northant 3", "\nleaf 3", 4, "'orthant' was expected"},
        {"relu squared", "gated squared", 4, "this evidence is for relu networks"},
    };
    VARY(&one, list);
}

/* With a free bias a neuron is longer than its u: no weights prove a price. */
static void test_free_bias(void **state)
{
    (void)state;
    static const base b = {"csv",
                           "2,0,8\n0,3,-8\n",
                           0,
                           NULL,
                           0,
                           TABLE PLAIN("2", "2", "free") CLAIM("2", "relu squared 1 ff") EMPTY
                           "dual 1 1 -1\northant 1 "
                           "1\nend\n"};
    static const variation list[] = {
        {"", "", 4, "without biases"},
    };
    VARY(&b, list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_output),
        cmocka_unit_test(test_free_bias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
