/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, classes, normalisation, bias and coding of targets. */
#include "checking.h"

#define END "gates none\nclaim zero\ncombination ray 0 1\nend\n"

static void test_rows(void **state)
{
    (void)state;
    static const base b = {
        "csv", "9,3,1\n1,2,1\n2,4,-1\n",
        0,     NULL,
        0,     "table 0 2 -1\nrows range 1 3\nclasses all\nnormalize none\nbias none\nshape 2 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"range 1 3", "list 2 1 2", 0, NULL},
        {"range 1 3", "list 2 2 1", 4, "points 0 and 1"}, /* the labels are the other way round */
        {"range 1 3", "range 1 4", 4, "an integer from 2 to 3"},
        {"range 1 3", "range 3 3", 4, "an integer from 0 to 2"},
        {"range 1 3", "list", 4, "more words"},
        {"range 1 3", "list 9 1 2", 4, "an integer from 0 to 5"},
        {"range 1 3", "list 0", 4, "no row is kept"},
        {"range 1 3", "list 2 1 3", 4, "an integer from 0 to 2"},
        {"range 1 3", "list 2 1 2 0", 4, "should have ended"},
        {"range 1 3", "all", 4, "an integer from 3 to 3"},
    };
    VARY(&b, list);
}

static void test_classes(void **state)
{
    (void)state;
    static const base numbers = {
        "csv", "1,1,5\n2,2,0.5\n7,7,6\n",
        0,     NULL,
        0,     "table 0 2 -1\nrows all\nclasses numbers 5 1p-1\nnormalize none\nbias none\nshape 2 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"5 1p-1", "1p-1 5", 4, "points 0 and 1"},
        {"5 1p-1", "5", 4, "2 numbers"},
        {"5 1p-1", "8 9", 4, "no row is kept"},
        {"numbers 5 1p-1", "texts 35 36", 4, "not of this kind"},
        {"numbers 5 1p-1", "all", 4, "an integer from 3 to 3"},
    };
    VARY(&numbers, list);
    static const base texts = {
        "csv", "1,1,no\n2,2,so\n7,7,yes\n",
        0,     NULL,
        0,     "table 0 2 -1\nrows all\nclasses texts 6e6f 736f\nnormalize none\nbias none\nshape 2 2\n" END};
    static const variation others[] = {
        {"", "", 0, NULL},
        {"6e6f", "6e6", 4, "hexadecimal bytes"},
        {"6e6f", "6eg0", 4, "hexadecimal bytes"},
        {"6e6f", "6e00", 4, "hexadecimal bytes"},
        {"texts 6e6f 736f", "numbers 1 2", 4, "not of this kind"},
    };
    VARY(&texts, others);
}

/* How targets are coded, seen from the loss of f = 0 with `evidence none`. */
static void coding(const char *data, const char *steps, const char *loss, const char *upper, int code,
                   const char *message)
{
    char text[500];
    snprintf(
        text, sizeof text,
        "table 0 1 -1\nrows all\nclasses all\n%sgates none\nclaim train\nmodel relu\nloss %s\nscale mean\n"
        "beta 1\nbound none\nupper %s\nlower 0\nnetwork 0\nconstant%s\nevidence none\nend\n",
        steps, loss, upper, strcmp(loss, "softmax") == 0 ? " 0 0 0" : " 0");
    const base b = {"csv", data, 0, NULL, 0, text};
    const variation v = {"", "", code, message};
    assert_true(vary_within(&b, &v, &check_limits));
}

#define PLAIN(shape) "normalize none\nbias none\nshape " shape "\n"

static void test_coding(void **state)
{
    (void)state;
    coding("1,a\n2,b\n3,a\n", PLAIN("3 1"), "squared", "2aaaaaaaaap-40", 4,
           "objective is 0.1666"); /* 0, 1, 0 */
    coding("1,a\n2,b\n3,a\n", PLAIN("3 1"), "hinge", "1", 0, NULL);
    coding("1,a\n2,a\n", PLAIN("2 1"), "hinge", "1", 0, NULL);
    coding("1,5\n2,5\n", PLAIN("2 1"), "hinge", "1", 0, NULL);
    coding("1,-5\n2,-5\n", PLAIN("2 1"), "hinge", "1", 0, NULL);
    coding("1,1\n2,2\n3,3\n", PLAIN("3 1"), "softmax", "2", 0, NULL);
    coding("1,1\n2,2\n3,2.5\n", PLAIN("3 1"), "softmax", "2", 5, "no classes");
    coding("1,a\n2,b\n3,c\n", PLAIN("3 1"), "softmax", "2", 0, NULL);
    coding("1,1\n2,2\n3,2.5\n", PLAIN("3 1"), "squared", "2", 0, NULL);
    char data[3000] = "";
    for (int i = 0; i < 300; i++) /* 25 classes of 12: one in ten rows at most */
        sprintf(data + strlen(data), "1,%d\n", i % 25);
    coding(data, PLAIN("300 1"), "hinge", "2", 4, "25 columns");
    data[strlen("1,9\n") * 10 + strlen("1,19\n") * 90] = 0; /* the first 107 rows: 25 classes are too many */
    *strrchr(data, '\n') = 0;
    coding(data, PLAIN("107 1"), "hinge", "2", 5, "no classes");
}

/* 20,000 rows: classes are at most 1000. */
static void test_many_classes(void **state)
{
    (void)state;
    char *data = calloc(20000, 8);
    for (int i = 0; i < 12000; i++)
        sprintf(data + strlen(data) * 0 + (size_t)i * 6, "1,%03d\n", i % 1000);
    coding(data, PLAIN("12000 1"), "hinge", "2", 4, "1000 columns");
    free(data);
}

static void test_normalize(void **state)
{
    (void)state;
    static const base b = {
        "csv", "3,4,1\n6,8,-1\n0,0,1\n",
        0,     NULL,
        0,     "table 0 2 -1\nrows all\nclasses all\nnormalize unit\nbias none\nshape 3 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"unit", "none", 0, NULL},
        {"unit", "standardize", 4, "points 0 and 1"},
        {"unit\nbias none\nshape 3 2", "unit\nbias augment\nshape 3 3", 0, NULL},
        {"unit\nbias none\nshape 3 2", "none\nbias augment\nshape 3 3", 4, "points 0 and 1"},
        {"bias none", "bias free", 0, NULL},
    };
    VARY(&b, list);
    static const base constant = {
        "csv",
        "3,2,1\n3,6,-1\n3,4,1\n",
        0,
        NULL,
        0,
        "table 0 2 -1\nrows list 2 2 1\nclasses all\nnormalize standardize\nbias none\nshape 2 2\n" END};
    static const variation standard[] = {
        {"", "", 4, "points 0 and 1"}, /* (0, -1), (0, 1) */
        {"list 2 2 1", "list 1 1", 4, "an integer"},
    };
    VARY(&constant, standard);
    static const base large = {
        "csv", "1e200,1,1\n-1e200,1,-1\n",
        0,     NULL,
        0,     "table 0 2 -1\nrows all\nclasses all\nnormalize unit\nbias none\nshape 2 2\n" END};
    static const variation outside[] = {
        {"", "", 5, "row 0 (from 0) of the data is too large"},
        {"unit", "standardize", 5, "column 0 (from 0) of the data is too large"},
    };
    VARY(&large, outside);
    static const base small = {
        "csv", "1e-200,1e-200,1\n2e-200,2e-200,-1\n",
        0,     NULL,
        0,     "table 0 2 -1\nrows all\nclasses all\nnormalize unit\nbias none\nshape 2 2\n" END};
    static const variation lost[] = {
        {"", "", 5, "is not finite"},
        {"unit", "standardize", 5, "is not finite"},
        {"unit", "none", 0, NULL},
    };
    VARY(&small, lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_classes),
                                       cmocka_unit_test(test_coding), cmocka_unit_test(test_many_classes),
                                       cmocka_unit_test(test_normalize)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
