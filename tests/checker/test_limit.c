/* SPDX-License-Identifier: Apache-2.0 */
/* KKT points of the largest margin. */
#include "checking.h"
#include "saying.h"

/* (1, 0) + and (0, 1) -: relu(x_1) - relu(x_2) with multipliers 1, exactly, of the first layer and of
 * both. The margins are 1 / sqrt(2) and 1 / 4. */
#define HEAD " 0 2 -1\n" PLAIN("2", "2", "none") NO_GATES "claim limit\n"
#define BODY "bound 0 0 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1\nkinks 0\nend\n"
static const base first = {"csv", "1,0,1\n0,1,-1\n", 0, NULL, 0, HEAD "problem relu first\n" BODY};

static void test_relu(void **state)
{
    (void)state;
    static const variation list[] = {
        {"", "", 0, NULL},
        {"first", "both", 0, NULL},
        {"relu first", "leaky first 0", 0, NULL},
        {"relu first", "relu second", 4, "not among"},
        {"relu first", "huber first", 4, "not among"},
        {"relu first", "relu first 0", 4, "should have ended"},
        {"relu first", "leaky first", 4, "1 numbers"},
        {"relu first", "leaky first 1", 4, "not in [0, 1)"},
        {"relu first", "leaky first -1p-9", 4, "not in [0, 1)"},
        {"relu first", "leaky first 1p-9", 4, "miss the network"}, /* closed rows pull */
        {"bound 0 0 0", "bound -1 0 0", 4, "a bound is negative"},
        {"bound 0 0 0", "bound 0 -1 0", 4, "a bound is negative"},
        {"bound 0 0 0", "bound 0 0 -1", 4, "a bound is negative"},
        {"bound 0 0 0", "bound 0 0", 4, "3 numbers"},
        {"steps none none", "steps none free", 4, "without free biases"},
        {"classes none", "classes index numbers 2 -1 1", 4, "-1 and +1"},
        {"network 2\nneuron 1 1 0\nneuron -1 0 1", "network 0", 4, "an integer from 1"},
        {"neuron -1 0 1", "neuron -1 0", 4, "3 numbers"},
        {"neuron -1 0 1", "neuron 1 0 1", 4, "not every y_i f(x_i) is positive"},
        {"neuron -1 0 1", "neuron -1 0 -1", 4, "not every y_i f(x_i) is positive"}, /* p = 0 */
        {"neuron -1 0 1", "neuron -1 0 2", 4, "beyond the margin are too large"},
        {"neuron -1 0 1\nmultipliers 1 1", "neuron -1 0 2\nmultipliers 1 0", 4, "miss the network"},
        {"bound 0 0 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1",
         "bound 1 1 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 2", 0, NULL},
        {"multipliers 1 1", "multipliers 1 -1", 4, "multiplier 1 (from 0) is negative"},
        {"multipliers 1 1", "multipliers 0 0", 4, "all multipliers are 0"},
        {"multipliers 1 1", "multipliers 1 1000001p-24", 4, "miss the network"},
        {"bound 0 0 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1",
         "bound 1p-24 0 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1000001p-24", 0, NULL},
        {"kinks 0", "kinks 1 0 1 0", 0, NULL},
        {"kinks 0", "kinks 2 0 1 0 1 0 0", 0, NULL},
        {"kinks 0", "kinks 2 1 0 0 0 1 0", 4, "not in order"},
        {"kinks 0", "kinks 2 0 1 0 0 1 0", 4, "not in order"},
        {"kinks 0", "kinks 1 0 1 1p-1", 4, "miss the network"},
        {"kinks 0", "kinks 1 0 1 -1p-9", 4, "none of the function"},
        {"kinks 0", "kinks 1 0 1 3p-1", 4, "none of the function"},
        {"kinks 0", "kinks 1 0 0 1", 4, "neuron 0 is not on its kink at row 0"},
        {"kinks 0", "kinks 1 2 0 1", 4, "an integer from 0 to 1"},
        {"kinks 0", "kinks 1 0 2 1", 4, "an integer from 0 to 1"},
        {"kinks 0", "kinks 1 0 1", 4, "numbers"},
        {"bound 0 0 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1\nkinks 0",
         "bound 0 0 1\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1\nkinks 1 0 0 1", 0, NULL},
    };
    VARY(&first, list);
    /* both layers want |w| = |u| too */
    static const base both = {"csv", "1,0,1\n0,1,-1\n", 0, NULL, 0, HEAD "problem relu both\n" BODY};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"neuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1", "neuron 2 1 0\nneuron -2 0 1\nmultipliers 1p-1 1p-1",
         4, "miss the network"},
        {"relu both\nbound 0 0 0\nnetwork 2\nneuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1",
         "relu first\nbound 0 0 0\nnetwork 2\nneuron 2 1 0\nneuron -2 0 1\nmultipliers 1p-1 1p-1", 0, NULL},
    };
    VARY(&both, others);
}

/* x = 1 +, -1 -: one neuron has p = 1 and 1/2 with the slope 1/2 below 0, where the second row alone
 * holds it. */
static void test_leaky(void **state)
{
    (void)state;
    static const base leaky = {"csv",
                               "1,1\n-1,-1\n",
                               0,
                               NULL,
                               0,
                               " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
                               "claim limit\nproblem leaky first 1p-1\nbound 0 0 0\nnetwork 1\nneuron 1 "
                               "1\nmultipliers 0 2\nkinks 0\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"multipliers 0 2", "multipliers 1 0", 4, "beyond the margin"},
        {"multipliers 0 2", "multipliers 0 1", 4, "miss the network"},
    };
    VARY(&leaky, list);
}

/* What is said of it, and the model that it is of. */
static void test_said(void **state)
{
    (void)state;
#define ONE(bounds, kinks)                                                     \
    {                                                                          \
        "csv", "1,1\n-1,-1\n", 0, NULL, 0,                                     \
            " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES                       \
            "claim limit\nproblem leaky first 1p-1\nbound " bounds             \
            "\nnetwork 1\nneuron 1 1\nmultipliers 0 2\nkinks " kinks "\nend\n" \
    }
    static const base exact = ONE("0 0 0", "0"), rough = ONE("1p-1 0 0", "0"), loose = ONE("0 1 0", "0"),
                      wide = ONE("0 0 1", "1 0 1 1p-1");
    static const char own[] = "{\"kind\": \"leaky\", \"c\": [0], \"W\": [[1]], \"U\": [[1]], \"preprocess\": "
                              "{\"normalize\": \"none\", \"bias\": \"none\"}}";
    static const char other[] =
        "{\"kind\": \"relu\", \"c\": [0], \"W\": [[1]], \"U\": [[1]], \"preprocess\": "
        "{\"normalize\": \"none\", \"bias\": \"none\"}}";
    static const char two[] =
        "{\"kind\": \"relu\", \"c\": [0], \"W\": [[1], [-1]], \"U\": [[1, 0], [0, 1]], \"preprocess\": "
        "{\"normalize\": \"none\", \"bias\": \"none\"}}";
    static const saying list[] = {
        {&exact,
         "",
         "",
         {0},
         0,
         "s(t) = max(t, 0.5 t), is m / |W|, m the least y_i f(x_i) and W all u_j. Of the network with 1 "
         "neuron listed in the certificate it is >= 0.5 and <= 0.5. It is a KKT point",
         "Weak"},
        {&exact, "", "", {.explain = true}, 0, "3. W less their sum of gradients is at most 0 |W|", NULL},
        {&exact, "", "", {.json = true}, 0, "\"class\": \"limit\", \"kind\": \"first\"", NULL},
        {&exact, "", "", {.json = true}, 0, "\"residual\": 0", NULL},
        {&exact, "", "", {.expect = "class=limit kind=first bound=none neurons=1"}, 0, "accepted", NULL},
        {&exact, "", "", {.expect = "kind=both"}, 4, "kind is first", NULL},
        {&exact, "", "", {.model = own}, 0, "accepted", NULL},
        {&exact, "", "", {.model = other}, 4, "the model's kind is relu", NULL},
        {&first, "", "", {.model = two}, 0, "accepted", NULL},
        {&first, "relu first", "relu both", {.model = two}, 0, "m / |W|^2", "kink"},
        {&first,
         "neuron 1 1 0\nneuron -1 0 1\nmultipliers 1 1",
         "neuron 1 0 1\nneuron -1 1 0\nmultipliers 1 1",
         {.model = two},
         4,
         "not every",
         NULL},
        {&rough, "", "", {0}, 0, "Weak: the KKT conditions are met to more than a millionth", NULL},
        {&loose, "", "", {0}, 0, "Weak: the KKT", "is a kink"},
        {&wide,
         "",
         "",
         {0},
         0,
         "where |<u_j, x_i>| <= 1 |u_j||x_i| is a kink. Nothing is said of other networks. Weak",
         NULL},
        {&squared, "", "", {.expect = "class=limit"}, 4, "class is relu", NULL},
        {&biased, "", "", {.expect = "class=limit"}, 4, "class is relu", NULL},
    };
    SAY(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_relu), cmocka_unit_test(test_leaky),
                                       cmocka_unit_test(test_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
