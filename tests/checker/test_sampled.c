/* SPDX-License-Identifier: Apache-2.0 */
/* Margins from directions that are drawn again. */
#include "checking.h"
#include "saying.h"

/* One row 1, labelled 1: every pair has |S| + |S'| = 1, X = 1/2 and W = 1/2 (nearly, for mu), and the margin is
 * 1/2. With U = 3/4 and stake 2 the upper side grows by 3/2 a draw, with L = 1/4 and stake 1 the row by 5/4, and
 * both need 2 / (1 - 1/2) = 4. */
#define HEAD " 0 1 -1\n" PLAIN("1", "1", "none") NO_GATES "claim sampled\n"
#define BODY "weights 1p-20 1\nslopes 0 0\nstakes 2 1\ndraws 5 1p-1 7\nbound sampled 3p-2 1p-2\nend\n"
static const base one = {"csv", "1,1\n", 0, NULL, 0, HEAD BODY};

static void test_bets(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"1p-1 7", "1p-1 6", 4, "do not prove that a row has the lower bound"}, /* 1.25^6 = 3.8 */
        {"stakes 2 1", "stakes 1p-1 1", 4, "do not prove the upper bound"},     /* 1.125^7 = 2.3 */
        {"sampled 3p-2", "sampled 5p-3", 0, NULL},
        {"sampled 3p-2", "sampled 9p-4", 4, "do not prove the upper bound"},
        {"sampled 3p-2", "sampled 1p-1", 4, "do not prove the upper bound"},
        {"3p-2 1p-2", "3p-2 5p-4", 4, "do not prove that a row has the lower bound"},
        {"3p-2 1p-2", "3p-2 -1", 4, "a margin is at least 0"},
        {"draws 5 1p-1", "draws 5 3p-2", 4, "do not prove that a row"}, /* 2 / (1 - 3/4) = 8 */
        /* what a draw may cost: X <= 1, W >= -1/2 */
        {"stakes 2 1", "stakes 4 1", 0, NULL},
        {"stakes 2 1", "stakes 40001p-16 1", 4, "stake 0 (from 0) may be lost"},
        {"stakes 2 1", "stakes 2 5p-2", 0, NULL},
        {"stakes 2 1", "stakes 2 3p-1", 4, "stake 1 (from 0) may be lost"},
        /* with slopes: X = 1/2 - B / 2 <= 1 / 4B, q'Kq = 1/2; W = 1/2 - b / 2 >= -max(1, b) / 2 */
        {"slopes 0 0", "slopes 1 0", 0, NULL},
        {"slopes 0 0", "slopes 2 0", 0, NULL},
        {"slopes 0 0\nstakes 2", "slopes 2 0\nstakes 3", 4, "stake 0 (from 0) may be lost"},
        {"slopes 0 0", "slopes 0 1", 0, NULL},
        {"slopes 0 0", "slopes 0 4", 0, NULL},
        {"slopes 0 0\nstakes 2 1", "slopes 0 4\nstakes 2 9p-1", 4, "stake 1 (from 0) may be lost"},
        /* a lower bound of 0 needs no draws, the upper one does */
        {"stakes 2 1\ndraws 5 1p-1 7\nbound sampled 3p-2 1p-2",
         "stakes 2 0\ndraws 5 1p-1 7\nbound sampled 3p-2 0", 0, NULL},
        {"stakes 2 1\ndraws 5 1p-1 7\nbound sampled 3p-2 1p-2",
         "stakes 0 0\ndraws 5 1p-1 7\nbound sampled 3p-2 0", 4, "the upper bound"},
        {"draws 5", "draws 6", 0, NULL}, /* here every seed has the same draws */
    };
    VARY(&one, list);
}

static void test_words(void **state)
{
    (void)state;
    static const variation list[] = {
        {"weights 1p-20 1", "weights 1p-20", 4, "more words"},
        {"weights 1p-20 1", "weights 1p-20 1 1", 4, "should have ended"},
        {"weights 1p-20 1", "weights 0 1", 4, "or mu is"},
        {"weights 1p-20 1", "weights -1 1", 4, "or mu is"},
        {"weights 1p-20 1", "weights 1p-20 0", 4, "all weights are 0"},
        {"weights 1p-20 1", "weights 1p-20 -1", 4, "are negative"},
        {"slopes 0 0", "slopes -1p-99 0", 4, "are negative"},
        {"slopes 0 0", "slopes 0 -1p-99", 4, "are negative"},
        {"stakes 2 1", "stakes -1 1", 4, "are negative"},
        {"stakes 2 1", "stakes 2 -1", 4, "are negative"},
        {"draws 5", "draws -1", 4, "an integer from 0"},
        {"draws 5", "draws 9007199254740992", 0, NULL},
        {"draws 5", "draws 9007199254740993", 4, "an integer from 0"},
        {"draws 5 1p-1", "draws 5 0", 4, "between 0 and 1"},
        {"draws 5 1p-1", "draws 5 1", 4, "between 0 and 1"},
        {"draws 5 1p-1 7", "draws 5 1p-1 0", 4, "an integer from 1"},
        {"draws 5 1p-1 7", "draws 5 1p-1 7 1", 4, "should have ended"},
        {"draws 5 1p-1 7", "draws 5 1p-1", 4, "more words"},
        {"draws 5 1p-1 7", "draws 5 1p-1 1099511627776", 6, "more work"},
        {"draws 5 1p-1 7", "draws 5 1p-1 1099511627777", 4, "an integer from 1"},
        {"bound sampled", "bound units", 4, "not among"},
        {"sampled 3p-2 1p-2", "sampled 3p-2", 4, "more words"},
        {"sampled 3p-2 1p-2", "sampled 3p-2 1p-2 0", 4, "should have ended"},
        {"steps none none", "steps none free", 4, "without free biases"},
        {"classes none", "classes index numbers 1 1", 4, "-1 and +1"},
        {"none none 1 1", "none none 1 1 decimals", 4, "about doubles"},
    };
    VARY(&one, list);
    static const base zero = {"csv", "0,1\n", 0, NULL, 0, HEAD BODY};
    static const variation same[] = {{"", "", 4, "row 0 (from 0) is 0"}};
    VARY(&zero, same);
}

/* Rows (1, 0, 0) and (0, 1, 0), 1/2 each: of a pair of directions either one opens both rows, X = root(1/2) / 2, or
 * each opens its own, X = 1/2. The product of the upper side tells how many of 64 are which: 36 and 28, as another
 * implementation of the generator has it (tools/check_certificate.py), needs U >= 463608 2^-20; 35 would need 466018, and
 * 37 no more than 461192. */
static const base two = {"csv",
                         "1,0,0,1\n0,1,0,1\n",
                         0,
                         NULL,
                         0,
                         " 0 3 -1\n" PLAIN("2", "3", "none") NO_GATES
                         "claim sampled\nweights 1p-20 1p-1 1p-1\nslopes 0 0 0\nstakes 1 0 0\ndraws 11 1p-1 "
                         "64\nbound sampled 713b8p-20 0\nend\n"};

static void test_draws(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"713b8p-20", "71228p-20", 4, "the upper bound"},
        /* the key is a hash of the lines before the draws: the same numbers in other words are other draws */
        {"weights 1p-20", "weights 4p-22", 4, "the upper bound"},
        {"713b8p-20 0", "713b8p-20 1p-99", 4, "that a row has the lower bound"}, /* its stake is 0 */
    };
    VARY(&two, list);
    /* three pairs of coordinates, and a row with the label -1 */
    static const base five = {
        "csv",
        "1,0,0,0,0,1\n0,-1,0,0,0,-1\n",
        0,
        NULL,
        0,
        " 0 5 -1\n" PLAIN("2", "5", "none") NO_GATES
        "claim sampled\nweights 1p-20 1p-1 1p-1\nslopes 0 0 0\nstakes 1 0 0\ndraws 11 1p-1 "
        "64\nbound sampled 9p-4 0\nend\n"};
    static const variation same[] = {{"", "", 0, NULL}, {"9p-4", "3p-3", 4, "the upper bound"}};
    VARY(&five, same);
}

/* Words of a few bits alone leave signs, discs and lengths open: such draws count as the worst. */
static void test_unclear(void **state)
{
    (void)state;
    static const variation proved = {"", "", 0, NULL}, lost = {"", "", 4, "the upper bound"};
    static const base wide = {
        "csv",
        "1,0,0,1\n0,1,0,1\n",
        0,
        NULL,
        0,
        " 0 3 -1\n" PLAIN("2", "3", "none") NO_GATES
        "claim sampled\nweights 1p-20 1p-1 1p-1\nslopes 0 0 0\nstakes 1 0 0\ndraws 11 1p-1 "
        "64\nbound sampled 5p-3 0\nend\n"};
    for (int bits = 1; bits < 64; bits++) {
        const limits most = {check_limits.bytes, check_limits.steps, 64 - bits};
        assert_true(vary_within(&wide, bits > 5 ? &proved : &lost, &most));
    }
}

static void test_statement(void **state)
{
    (void)state;
    static const saying list[] = {
        {&one, "", "", {0}, 0, "accepted upper=0.75 lower=0.25 gap=0.5 weak=1 ", NULL},
        {&one,
         "",
         "",
         {0},
         0,
         "With probability 0.5 the margin of the first layer at infinite width is >= 0.25 and <= 0.75, by "
         "the listed "
         "weights of the rows and 7 pairs of directions, drawn again from seed 5 and the hash of the lines "
         "before "
         "them; 0 were unclear and count against it. Weak: this may be false",
         NULL},
        {&one, "", "", {.explain = true}, 0, "1. weights, slopes and stakes were fixed before 7 pairs", NULL},
        {&one, "", "", {.explain = true}, 0, "4. each grew to 2 / (1 - 0.5) times itself", NULL},
        {&one,
         "",
         "",
         {.json = true},
         0,
         "\"confidence\": 0.5, \"seed\": 5, \"draws\": 7, \"unclear\": 0, ",
         NULL},
        {&one, "", "", {.json = true}, 0, "\"class\": \"margin\", \"kind\": \"ntk\"", NULL},
        {&one,
         "",
         "",
         {.expect = "class=margin kind=ntk bound=sampled seed=5 confidence=0.5"},
         0,
         "accepted",
         NULL},
        {&one, "", "", {.expect = "bound=global"}, 4, "bound is sampled", NULL},
        {&one, "", "", {.expect = "seed=6"}, 4, "seed is another", NULL},
        {&one, "", "", {.expect = "confidence=0.500001"}, 4, "confidence is 0.5", NULL},
        {&one, "", "", {.expect = "confidence=1"}, 4, "confidence is 0.5", NULL},
        {&squared, "", "", {.expect = "confidence=1"}, 0, "accepted", "confidence"},
        {&squared, "", "", {.expect = "confidence=0.99"}, 4, "confidence is 1", NULL},
        {&squared, "", "", {.expect = "seed=0"}, 4, "seed is none", NULL},
    };
    SAY(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bets),    cmocka_unit_test(test_words),     cmocka_unit_test(test_draws),
        cmocka_unit_test(test_unclear), cmocka_unit_test(test_statement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
