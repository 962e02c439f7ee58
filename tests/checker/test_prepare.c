/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, classes, normalisation, bias and coding of targets. */
#include "checking.h"

#define END NO_GATES "claim zero\npairs 1 0 1 1\nend\n"

static void test_rows(void **state)
{
    (void)state;
    static const base b = {"csv", "9,3,1\n1,2,1\n2,4,-1\n",
                           0,     NULL,
                           0,     " 0 2 -1\nrows 1 1 3\nclasses none\nsteps none none 2 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"rows 1 1 3", "rows 2 1 2 2 3", 0, NULL},
        {"rows 1 1 3", "rows 2 2 3 1 2", 4, "points 0 and 1"}, /* the labels are the other way round */
        {"rows 1 1 3", "rows 2 1 2 1 2", 4, "points 0 and 1"}, /* one row twice */
        {"rows 1 1 3", "rows 2 1 3 0 1", 4, "an integer from 3 to 3"},
        {"rows 1 1 3", "rows 1 0 3", 4, "an integer from 3 to 3"},
        {"rows 1 1 3", "rows 1 1 4", 4, "line 3: an integer"},
        {"rows 1 1 3", "rows 1 3 3", 4, "no row is kept"},
        {"rows 1 1 3", "rows 1 2 1", 4, "line 3: an integer from 2 to 3"},
        {"rows 1 1 3", "rows 1 4 4", 4, "line 3: an integer from 0 to 3"},
        {"rows 1 1 3", "rows 2 2 2 1 3", 0, NULL},
        {"rows 1 1 3", "rows 1 -1 1", 4, "line 3: an integer"},
        {"rows 1 1 3", "rows 1 1", 4, "more words"},
        {"rows 1 1 3", "rows 2 1 3", 4, "more words"},
        {"rows 1 1 3", "rows 9 1 3", 4, "an integer from 0 to 5"},
        {"rows 1 1 3", "rows -1 1 3", 4, "an integer"},
        {"rows 1 1 3", "rows 0", 4, "no row is kept"},
        {"rows 1 1 3", "rows 1 1 3 2 3", 4, "should have ended"},
        {"rows 1 1 3", "rows all", 4, "an integer"},
    };
    VARY(&b, list);
}

static void test_numbers(void **state)
{
    (void)state;
    static const base b = {
        "csv", "1,1,5\n2,2,0.5\n7,7,6\n",
        0,     NULL,
        0,     " 0 2 -1\nrows 1 0 3\nclasses signs numbers 2 1p-1 5\nsteps none none 2 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"2 1p-1 5", "2 4p-3 0000000000000000000000005", 0, NULL},
        {"2 1p-1 5", "2 5 1p-1", 4, "points 0 and 1"},
        {"2 1p-1 5", "2 5", 4, "2 numbers"},
        {"2 1p-1 5", "2 1p-1 5 6", 4, "should have ended"},
        {"2 1p-1 5", "1 5", 4, "signs are for two classes"},
        {"2 1p-1 5", "3 1p-1 5 6", 4, "signs are for two classes"},
        {"2 1p-1 5", "0", 4, "signs are for two classes"},
        {"2 1p-1 5", "9 1p-1 5", 4, "an integer"},
        {"2 1p-1 5", "2 8 9", 4, "no row is kept"},
        {"signs numbers 2 1p-1 5", "index numbers 0", 4, "no row is kept"},
        {"signs numbers 2 1p-1 5", "columns numbers 0", 4, "no row is kept"},
        {"2 1p-1 5", "2 1p-1 1400001p-22", 4, "an integer from 1 to 1"}, /* 5 + 2^-22: no row has it */
        {"numbers 2 1p-1 5", "texts 2 302e35 35", 4, "not of this kind"},
        {"numbers 2 1p-1 5", "numbers", 4, "more words"},
        {"numbers 2 1p-1 5", "values 2 1p-1 5", 4, "'values' is not among"},
        {"signs numbers 2 1p-1 5", "numbers 2 1p-1 5", 4, "'numbers' is not among"},
        {"signs numbers 2 1p-1 5\nsteps none none 2", "none\nsteps none none 3", 4, "-1 and +1"},
        {"signs", "index", 4, "-1 and +1"},
        {"signs", "columns", 4, "-1 and +1"},
        {"2 1p-1 5\nsteps none none 2", "2 9 5\nsteps none none 1", 4,
         "an integer from 0 to 0"}, /* the pair */
    };
    VARY(&b, list);
}

static void test_texts(void **state)
{
    (void)state;
    static const base b = {
        "csv", "1,1,no\n2,2,so\n7,7,yes\n",
        0,     NULL,
        0,     " 0 2 -1\nrows 1 0 3\nclasses signs texts 2 736f 6e6f\nsteps none none 2 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"736f 6e6f", "6e6f 736f", 4, "points 0 and 1"},
        {"2 736f 6e6f", "2 736f", 4, "more words"},
        {"736f", "736", 4, "hexadecimal bytes"},
        {"736f", "73g0", 4, "hexadecimal bytes"},
        {"736f", "73g5", 4, "hexadecimal bytes"},
        {"736f", "7g6f", 4, "hexadecimal bytes"},
        {"736f", "736F", 4, "hexadecimal bytes"},
        {"736f", "7300", 4, "hexadecimal bytes"},
        {"2 736f 6e6f", "2  6e6f", 4, "one space"},
        {"736f", "736f6f", 4, "an integer from 1 to 1"}, /* no text has more */
        {"736f", "73", 4, "an integer from 1 to 1"},     /* or less */
        {"texts 2 736f 6e6f", "numbers 2 1 2", 4, "not of this kind"},
        {"signs texts 2 736f 6e6f\nsteps none none 2", "none\nsteps none none 3", 4, "texts are classes"},
    };
    VARY(&b, list);
}

/* How targets are coded, seen from the loss of f = 0; the mean over the rows. */
static void coding(const char *data, const char *classes, const char *shape, const char *loss,
                   const char *upper, int code, const char *message)
{
    char text[1000];
    const char *rows = strrchr(data, '\n');
    int64_t n = 0;
    for (const char *at = data; at <= rows; at++)
        n += *at == '\n';
    snprintf(text, sizeof text,
             " 0 1 -1\nrows 1 0 %lld\nclasses %s\nsteps none none %s 1\n" NO_GATES
             "claim train\nproblem relu %s %s 1\nbound none %s 0\nnetwork 0\nconstant%s\nend\n",
             (long long)n, classes, shape, loss, shape, upper, strstr(classes, "columns") ? " 0 0 0" : " 0");
    const base b = {"csv", data, 0, NULL, 0, text};
    const variation v = {"", "", code, message};
    assert_true(vary_within(&b, &v, &check_limits));
}

static void test_coding(void **state)
{
    (void)state;
    coding("1,a\n2,b\n3,a\n", "index texts 2 61 62", "3", "squared", "2aaaaaaaaap-40", 4,
           "objective is 0.1666"); /* 0, 1, 0 */
    coding("1,a\n2,b\n3,a\n", "index texts 2 62 61", "3", "squared", "5555555555p-40", 4,
           "objective is 0.3333"); /* 1, 0, 1 */
    coding("1,a\n2,b\n3,a\n", "signs texts 2 61 62", "3", "squared", "1p-1", 0, NULL);
    coding("1,a\n2,b\n3,a\n", "signs texts 2 61 62", "3", "hinge", "1", 0, NULL);
    coding("1,a\n2,b\n3,a\n", "index texts 2 61 62", "3", "hinge", "1", 4, "-1 and +1");
    coding("1,a\n2,a\n", "signs texts 2 61 62", "2", "hinge", "1", 0, NULL); /* no row of class b */
    coding("1,5\n2,5\n", "signs numbers 2 4 5", "2", "hinge", "1", 0, NULL);
    coding("1,5\n2,5\n", "index numbers 2 5 5", "2", "squared", "0", 0, NULL); /* the first counts */
    coding("1,5\n2,5\n", "index numbers 2 4 5", "2", "squared", "0", 4, "objective is 0.5");
    coding("1,5\n2,5\n", "none", "2", "hinge", "1", 4, "-1 and +1");
    coding("1,-1\n2,1\n", "none", "2", "hinge", "1", 0, NULL);
    coding("1,1\n2,2\n3,3\n", "columns numbers 3 1 2 3", "3", "softmax", "2", 0, NULL);
    coding("1,1\n2,2\n3,3\n", "columns numbers 3 1 2 3", "3", "squared", "1p-1", 0, NULL);
    coding("1,1\n2,2\n3,3\n", "columns numbers 3 1 2 4", "2", "softmax", "2", 0,
           NULL); /* one class is absent */
    coding("1,1\n2,2\n3,3\n", "columns numbers 3 1 2 3", "3", "hinge", "2", 4, "-1 and +1");
    coding("1,1\n2,2\n3,3\n", "index numbers 3 1 2 3", "3", "softmax", "2", 4, "do not sum to 1");
    coding("1,0\n2,1\n3,2\n", "index numbers 3 2 0 1", "3", "squared", "d555555555p-40", 4,
           "objective is 0.8333");
    coding("1,c\n2,b\n3,a\n", "columns texts 3 61 62 63", "3", "softmax", "2", 0, NULL);
    coding("1,1\n2,2\n3,2.5\n", "none", "3", "squared", "2", 0, NULL);
    coding("1,1\n2,2\n3,2.5\n", "none", "3", "softmax", "2", 4, "row 1 (from 0) do not sum to 1");
}

static void test_normalize(void **state)
{
    (void)state;
    static const base b = {"csv", "3,4,1\n6,8,-1\n0,0,1\n",
                           0,     NULL,
                           0,     " 0 2 -1\nrows 1 0 3\nclasses none\nsteps unit none 3 2\n" END};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"unit", "none", 0, NULL},
        {"unit", "standardize", 4, "points 0 and 1"},
        {"unit none 3 2", "unit augment 3 3", 0, NULL},
        {"unit none 3 2", "unit augment 3 2", 4, "an integer from 3 to 3"},
        {"unit none 3 2", "none augment 3 3", 4, "points 0 and 1"},
        {"unit none", "unit free", 4, "without free biases"},
        {"unit none", "unit", 4, "'3' is not among"},
        {"unit none", "centre none", 4, "'centre' is not among"},
    };
    VARY(&b, list);
    static const base constant = {
        "csv", "3,2,1\n3,6,-1\n3,4,1\n",
        0,     NULL,
        0,     " 0 2 -1\nrows 2 2 3 1 2\nclasses none\nsteps standardize none 2 2\n" END};
    static const variation standard[] = {
        {"", "", 4, "no positive combination"}, /* (0, -1), (0, 1): opposite */
        {"rows 2 2 3 1 2", "rows 1 1 2", 4, "an integer"},
    };
    VARY(&constant, standard);
    static const base large = {"csv", "1e200,1,1\n-1e200,1,-1\n",
                               0,     NULL,
                               0,     " 0 2 -1\nrows 1 0 2\nclasses none\nsteps unit none 2 2\n" END};
    static const variation outside[] = {
        {"", "", 5, "row 0 (from 0) of the normalised data"},
        {"unit", "standardize", 5, "row 0 (from 0) of the normalised data"},
    };
    VARY(&large, outside);
    static const base small = {"csv", "1e-200,1e-200,1\n2e-200,2e-200,-1\n",
                               0,     NULL,
                               0,     " 0 2 -1\nrows 1 0 2\nclasses none\nsteps unit none 2 2\n" END};
    static const variation lost[] = {
        {"", "", 5, "is not finite"},
        {"unit", "standardize", 5, "is not finite"},
        {"unit", "none", 0, NULL},
    };
    VARY(&small, lost);
}

/* Names that could be misread, and more than the statement has room for: no row needs to have them. */
static void test_names(void **state)
{
    static const char *const odd[] = {"2062", "6220", "6209", "627f", "6222", "c3a9"};
    char classes[600], plain[221], comma[221];
    (void)state;
    for (size_t k = 0; k < sizeof odd / sizeof odd[0]; k++) {
        snprintf(classes, sizeof classes, "signs texts 2 61 %s", odd[k]);
        coding("1,a\n2,a\n", classes, "2", "hinge", "1", 0, NULL);
    }
    for (size_t k = 0; k < sizeof plain - 1; k += 2) {
        memcpy(plain + k, "62", 2);
        memcpy(comma + k, "2c", 2);
    }
    plain[sizeof plain - 1] = comma[sizeof comma - 1] = 0;
    snprintf(classes, sizeof classes, "columns texts 3 %s %s 61", plain, comma);
    coding("1,a\n2,a\n3,a\n", classes, "3", "softmax", "2", 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),  cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_texts), cmocka_unit_test(test_coding),
                                       cmocka_unit_test(test_names), cmocka_unit_test(test_normalize)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
