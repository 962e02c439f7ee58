/* SPDX-License-Identifier: Apache-2.0 */
/* --expect: what was asked against what was verified, which rows included. */
#include "saying.h"

static void test_rows(void **state)
{
    (void)state;
#define TEN "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 "
    static const base many = {
        "csv",
        "1,1\n2,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 60 " TEN TEN TEN TEN TEN "0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1 0 1\nclasses none\n"
        "steps none none 60 1\n" NO_GATES
        "claim train\nproblem relu squared 1 1\nbound none 30 0\nnetwork 0\nconstant 0\nend\n"};
    static const saying list[] = {
        {&many, "", "", {0}, 0, "About 60 rows (0:1,0:1,", NULL},
        {&many, "", "", {0}, 0, ",0:1,..) of the 2 of", ",..,"},
        {&many, "", "", {.expect = "rows=0:1"}, 4, "rows is 0:1,0:1", NULL},
        {&biased, "", "", {.expect = "rows=all"}, 0, "accepted", NULL},
        {&biased, "", "", {.expect = "rows=0:2"}, 0, "accepted", NULL},
        {&biased, "", "", {.expect = "rows=0:1,1:2"}, 0, "accepted", NULL},
        {&biased, "", "", {.expect = "rows=0:3"}, 4, "rows is all, which was not expected", NULL},
        {&biased, "", "", {.expect = "rows=1:2"}, 4, "rows is all", NULL},
        {&biased, "", "", {.expect = "rows=some"}, 4, "rows is all", NULL},
        {&biased, "", "", {.expect = "rows=0:2;"}, 4, "rows is all", NULL},
        {&biased, "rows 1 0 2", "rows 2 1 2 0 1", {.expect = "rows=all"}, 4, "rows is 1:2,0:1, which", NULL},
        {&biased, "rows 1 0 2", "rows 2 1 2 0 1", {.expect = "rows=1:2,0:1"}, 0, "accepted", NULL},
    };
    SAY(list);
}
/* Expectations are compared also where nothing is printed. */
static void test_silent(void **state)
{
    (void)state;
    static check c;
    const variation same = {"", "", 0, NULL};
    static const char hidden_asked[] = "{\"rows\": \"all\"}\0, \"beta\": 5}";
    const question asked = {.expect = "beta=5", .expect_size = 6},
                   hidden = {.expect = hidden_asked, .expect_size = sizeof hidden_asked - 1};
    char *text = text_with(&squared, &same);
    const inputs in = {text, squared.data, NULL, (int64_t)strlen(text), (int64_t)strlen(squared.data), 0};
    assert_int_equal(check_run(&c, &in, &asked, &check_limits), 4);
    assert_int_equal(check_run(&c, &in, &hidden, &check_limits), 5); /* not what is before the zero byte */
    assert_int_equal(check_run(&c, &in, &(question){.expect = "beta=4", .expect_size = 6}, &check_limits), 0);
    free(text);
}

static void test_expect(void **state)
{
    (void)state;
    static const base path = {
        "csv",
        "1,0,1\n0,1,-1\n1,1,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("3", "2", "none") NO_GATES
        "claim train\nproblem relu squared 3 4\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\n"
        "claim train\nproblem relu squared 3 5\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 "
        "2\nend\n"};
    static const base missing = {
        "csv",
        "1,1\n2,-1\n",
        0,
        NULL,
        0,
        " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES
        "claim train\nproblem relu equality 1 1\nbound none 0 0\nnetwork 0\nconstant 0\nresidual 1\nend\n"};
    static const base zero = {
        "csv", "1,1\n2,-1\n",
        0,     NULL,
        0,     " 0 1 -1\n" PLAIN("2", "1", "none") NO_GATES "claim zero\npairs 1 0 1 1\nend\n"};
    static const base three = {
        "csv",
        "1,0\n2,1\n",
        0,
        NULL,
        0,
        " 0 1 -1\nrows 1 0 2\nclasses columns numbers 2 0 1\nsteps none none 2 1\n" NO_GATES
        "claim train\nproblem relu softmax 1 1\nbound none 2 0\nnetwork 0\nconstant 0 0\nend\n"};
    static const saying list[] = {
        {&squared,
         "",
         "",
         {.expect = "class=relu loss=squared beta=4 scale=sum normalize=none bias=none rows=all bound=global "
                    "gap<=1e-6"},
         0,
         "accepted",
         NULL},
        {&squared, "", "", {.expect = "relative_gap<=0 upper<=3 lower>=3 neurons=0"}, 0, "accepted", NULL},
        {&squared, "", "", {.expect = "class=gates"}, 4, "class is relu, which was not expected", "accepted"},
        {&squared, "", "", {.expect = "bound=gates"}, 4, "bound is global", NULL},
        {&squared, "", "", {.expect = "loss=logistic"}, 4, "loss is squared", NULL},
        {&squared, "", "", {.expect = "kind=ntk"}, 4, "kind is none", NULL},
        {&squared, "", "", {.expect = "normalize=unit"}, 4, "normalize is none", NULL},
        {&squared, "", "", {.expect = "bias=free"}, 4, "bias is none", NULL},
        {&squared, "", "", {.expect = "data_sha256=00"}, 4, "data_sha256 is ", NULL},
        {&squared, "", "", {.expect = "labels_sha256=00"}, 4, "labels_sha256 is ", NULL},
        {&squared, "", "", {.expect = "neurons=1"}, 4, "neurons is 0", NULL},
        {&squared, "", "", {.expect = "upper<=2"}, 4, "upper< is 3", NULL},
        {&squared, "", "", {.expect = "lower>=4"}, 4, "lower> is 3", NULL},
        {&squared, "", "", {.expect = "gap<=-1"}, 4, "gap< is 0", NULL},
        {&squared,
         "plane 3 3\nnetwork 0\n",
         "plane 5 3\nnetwork 1\nneuron 1 1 0\n",
         {.expect = "relative_gap<=0.4"},
         0,
         "acc",
         NULL},
        {&squared,
         "plane 3 3\nnetwork 0\n",
         "plane 5 3\nnetwork 1\nneuron 1 1 0\n",
         {.expect = "relative_gap<=0.39"},
         4,
         "0.4",
         NULL},
        {&squared,
         "",
         "",
         {.expect = "n=3 d=2 gates=0 draws=0 residual<=0 weak<=1 unclear<=0 confidence=1"},
         0,
         "accepted",
         NULL},
        {&squared, "", "", {.expect = "n=2"}, 4, "n is 3, which was not expected", NULL},
        {&squared, "", "", {.expect = "d=1"}, 4, "d is 2", NULL},
        {&squared, "", "", {.expect = "d=x"}, 2, "d needs a number", NULL},
        {&squared, "", "", {.expect = "gates=1"}, 4, "gates is 0", NULL},
        {&squared, "", "", {.expect = "draws=1"}, 4, "draws is 0", NULL},
        {&squared, "", "", {.expect = "weak<=0"}, 4, "weak< is 1", NULL},
        {&squared, "", "", {.expect = "weak<=x"}, 2, "weak< needs a number", NULL},
        {&squared, "", "", {.expect = "residual<=-1"}, 4, "residual< is 0", NULL},
        {&squared, "", "", {.expect = "unclear<=-1"}, 4, "unclear< is 0", NULL},
        {&missing, "", "", {.expect = "residual<=1 weak<=3"}, 0, "accepted", NULL},
        {&missing, "", "", {.expect = "residual<=0.9"}, 4, "residual< is 1", NULL},
        {&missing, "", "", {.expect = "weak<=1"}, 4, "weak< is ", NULL},
        {&squared, "", "", {.expect = "beta=4.00000000000000000"}, 0, "accepted", NULL},
        {&squared,
         "squared 1 4",
         "squared 1 400001p-20",
         {.expect = "beta=4"},
         0,
         "accepted",
         NULL}, /* to six digits */
        {&squared,
         "squared 1 4",
         "squared 1 400001p-20",
         {.expect = "beta=4.00000000"},
         4,
         "beta is 4.0000009",
         NULL},
        {&squared,
         "squared 1 4",
         "squared 1 400001p-20",
         {.expect = "beta=0.400000095e1"},
         0,
         "accepted",
         NULL},
        {&squared, "squared 1 4", "squared 1 400001p-20", {.expect = "beta=40E-1"}, 0, "accepted", NULL},
        {&squared, "", "", {.expect = "beta=5"}, 4, "beta is 4, which", NULL},
        {&squared, "", "", {.expect = "beta=0"}, 4, "beta is 4", NULL},
        {&squared, "", "", {.expect = "beta=x"}, 2, "beta needs a number", NULL},
        {&squared, "", "", {.expect = "beta="}, 2, "beta needs a number", NULL},
        {&squared, "", "", {.expect = "beta=inf"}, 2, "beta needs a number", NULL},
        {&squared, "", "", {.expect = "beta=4,5"}, 4, "fewer claims", NULL},
        {&squared, "", "", {.expect = "scale=mean"}, 4, "scale is sum", NULL},
        {&squared, "", "", {.expect = "scale=1"}, 0, "accepted", NULL},
        {&squared, "", "", {.expect = "scale=all"}, 2, "scale needs a number", NULL},
        {&squared, "", "", {.expect = "size=3"}, 2, "there is no 'size'", NULL},
        {&squared, "", "", {.expect = "gap=3"}, 2, "there is no 'gap'", NULL},
        {&squared, "", "", {.expect = "relu"}, 2, "'relu' is not key=value", NULL},
        {&squared, "", "", {.expect = " "}, 2, "nothing is expected", NULL},
        {&squared,
         "",
         "",
         {.expect = " {\"class\": \"relu\", \"beta\": 4, \"gap<=\": 1e-6}\n"},
         0,
         "accepted",
         NULL},
        {&squared, "", "", {.expect = "{\"class\": \"gates\"}"}, 4, "class is relu", NULL},
        {&squared, "", "", {.expect = "{\"class\": \"relu\""}, 5, "'class' has no value", NULL},
        {&path, "", "", {.expect = "beta=4,5 scale=mean"}, 0, "claims=2", NULL},
        {&path, "", "", {.expect = "beta=4"}, 4, "beta is 5", NULL},
        {&path, "", "", {.expect = "beta=4,5,6"}, 4, "fewer claims", NULL},
        {&path,
         "squared 3 5\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\nend",
         "squared 3 5\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\nclaim train\nproblem relu "
         "squared 3 6\nbound plane 1 1\nnetwork 0\nconstant 0\ndual 1 1 -1 2\nend",
         {.expect = "beta=4,5"},
         4,
         "more claims",
         NULL},
        {&zero, "", "", {.expect = "class=margin kind=global bound=global"}, 0, "accepted", NULL},
        {&zero, "", "", {.expect = "kind=ntk"}, 0, "accepted", NULL},
        {&zero, "", "", {.expect = "loss=squared"}, 4, "loss is none", NULL},
        {&zero, "", "", {.expect = "scale=sum"}, 4, "scale is none", NULL},
        {&zero, "", "", {.expect = "beta=1"}, 4, "beta is 0", NULL},
        {&zero, "", "", {.explain = true}, 0, "1. the listed pairs", NULL},
        {&three, "", "", {.expect = "loss=logistic"}, 0, "accepted", NULL},
        {&three, "", "", {.expect = "loss=softmax"}, 0, "accepted", NULL},
        {&three, "", "", {.expect = "loss=hinge"}, 4, "loss is softmax", NULL},
    };
    SAY(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_silent),
                                       cmocka_unit_test(test_expect)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
