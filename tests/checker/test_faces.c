/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of active points, decimals as they are written, and kinks of free biases. */
#include "checking.h"

/* Five rows in general position in space: 22 sets of active points, each with a point of its own. */
#define FIVE "1,0,0,1\n0,1,0,1\n0,0,1,1\n1,1,1,1\n1,2,4,1\n"
#define SETS                                                                         \
    "gate 0 0 0\ngate 0 0 1\ngate 0 1 0\ngate 1 0 0\ngate 0 1 1\ngate 1 0 1\n"       \
    "gate 1 1 0\ngate 1 1 1\ngate -1 0 1\ngate -1 1 0\ngate 0 1 -1\ngate 1 -1 0\n"   \
    "gate 0 -2 1\ngate 0 2 -1\ngate 1 1 -1\ngate 2 -1 0\ngate -2 1 1\ngate 1 -2 1\n" \
    "gate 1 1 -2\ngate 1 -3 1\ngate -6 1 1\ngate 4 -4 1\n"

static void test_sets(void **state)
{
    (void)state;
    static const base five = {
        "csv", FIVE, 0,
        NULL,  0,    " 0 3 -1\n" PLAIN("5", "3", "none") "gates orientations 22\n" SETS "claim faces\nend\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"gate 0 0 1\n", "gate 0 0 2\n", 0, NULL},
        {"gate 0 0 1\n", "gate 0 1 0\n", 4, "listed twice"},
        {"orientations 22\ngate 0 0 0\n", "orientations 21\n", 4, "21 sets are listed, there are 22"},
        {"steps none none 5 3\n", "steps none none 5 3 decimals\n", 0, NULL},
    };
    VARY(&five, list);
    limits few = check_limits;
    few.steps = 14;
    static const variation rays = {"", "", 6, "the rays are too many"},
                           faces = {"", "", 6, "the faces are too many"};
    assert_true(vary_within(&five, &rays, &few));
    few.steps =
        150; /* ten pairs of rows at 15 steps each, but not all compositions in a hundred times as many */
    static const base wide = {
        "csv", FIVE "2,-3,5,1\n-4,1,3,1\n5,2,-1,1\n",
        0,     NULL,
        0,     " 0 3 -1\n" PLAIN("8", "3", "none") "gates patterns 0\nclaim faces\nend\n"};
    few.steps = 28 * 24;
    assert_true(vary_within(&wide, &faces, &few));
}

/* Rows that span nothing, parallel rows, columns that depend on others. */
static void test_degenerate(void **state)
{
    (void)state;
    static const base none = {
        "csv", "0,0,1\n0,0,1\n",
        0,     NULL,
        0,     " 0 2 -1\n" PLAIN("2", "2", "none") "gates orientations 1\ngate 0 0\nclaim faces\nend\n"};
    static const variation all[] = {
        {"", "", 0, NULL},
        {"orientations 1\ngate 0 0\n", "patterns 0\n", 4, "0 sets are listed, there are 1"},
        {"orientations 1\ngate 0 0\n", "patterns 1\ngate 0\n", 4, "no points"}};
    VARY(&none, all);
    static const base parallel = {
        "csv", "0,1,1,1\n0,2,2,1\n0,-1,-1,1\n0,1,0,1\n0,0,0,1\n",
        0,     NULL,
        0,     " 0 3 -1\n" PLAIN("5", "3", "none") "gates patterns 0\nclaim faces\nend\n"};
    static const variation count[] = {{"", "", 4, "0 sets are listed, there are 6"}};
    VARY(&parallel, count);
}

/* Words as numbers: signs, fractions, exponents, zeros, absent entries, sizes that are too different. */
static void test_decimals(void **state)
{
    (void)state;
    static const char text[] = "gates patterns 0\nclaim faces\nend\n";
    char words[400];
    snprintf(words, sizeof words, " 0 2 -1\n" PLAIN("3", "3", "augment") "%s", text);
    base b = {"csv", "1.50,-20e-1,1\n+.5,1E1,1\n0.0,0,1\n", 0, NULL, 0, words};
    const variation list[] = {
        {"3 3\n", "3 3 decimals\n", 4, "sets are listed"},
        {"3 3\ngates", "3 3 decimals\ngates", 4, "0 sets are listed"},
        {"none augment 3 3\n", "unit augment 3 3 decimals\n", 4, "not normalised"},
        {"claim faces", "claim train", 4, ""},
        {"3 3\ngates patterns 0\nclaim faces", "3 3 decimals\ngates patterns 0\nclaim train", 4,
         "about doubles"},
    };
    VARY(&b, list);
    b.data = "1e-4000,1,1\n+.5,1E1,1\n0.0,0,1\n";
    static const variation apart[] = {{"3 3\n", "3 3 decimals\n", 6, "too different"}};
    VARY(&b, apart);
    static const base sparse = {"libsvm",
                                "1 1:0.1 3:2\n-1 2:1e1\n",
                                0,
                                NULL,
                                0,
                                " 3\nrows 1 0 2\nclasses none\nsteps none none 2 3 decimals\n"
                                "gates patterns 0\nclaim faces\nend\n"};
    static const variation absent[] = {{"", "", 4, "0 sets are listed, there are 4"}};
    VARY(&sparse, absent);
}

/* Free biases in space: two trees for the points less each of them. */
static void test_kinks(void **state)
{
    (void)state;
    static const base b = {
        "csv",
        "1,2,1,1\n0,1,3,2\n2,0,1,-1\n",
        0,
        NULL,
        0,
        " 0 3 -1\n"
        "rows 1 0 3\n"
        "classes none\n"
        "steps none free 3 3\n"
        "gates orientations 0\n"
        "claim train\n"
        "problem relu squared 1 1024f40bf1d539p-50\n"
        "bound trees 93e061f320fd5p-50 93ae812499d61p-50\n"
        "network 1\n"
        "neuron 1a01ec8a3a7e6bp-56 -ab284a37ac183p-52 1d2b1f5a6b2731p-54 12cdac9317dcb1p-53 "
        "2e5d81247e881p-47\n"
        "constant 1a9cbf4d4b84d3p-71\n"
        "dual 1fc52369a2a3ffp-53 29d58c9ab5411p-51 4be46893cc69p-46 -c19e5dc24e131p-51\n"
        "centre 1 1 d555555555555p-51\n"
        "kinks 410b7554db43dp-48\n"
        "leaf 2 2 1 2479245d4defbp-51 2 2 4e929cb28011bp-50\n"
        "weights 1f643ff43a3443p-55 5e4feb2ae53c1p-50 11820052690851p-54 608872cdb0bdfp-46\n"
        "leaf 2 0 3 29d58c9ab5411p-51 1 3 4be46893cc69p-46\n"
        "weights 1f665ed9907f55p-55 18c6c6d7ac0479p-48 18c6c6d7ac0479p-48 1f665ed9907f55p-55\n"
        "leaf 2 2 2 1aaeaa460f7c01p-60 2 1 18191d0e03b2e5p-52\n"
        "weights fb32f29665c65p-54 fc6566c6fc65dp-54 10b1760d87ee21p-48 631a738f4fd49p-46\n"
        "leaf 2 0 3 29d58c9ab5411p-51 1 3 4be46893cc69p-46\n"
        "weights 1f665ed9907f55p-55 18c6c6d7ac0479p-48 18c6c6d7ac0479p-48 1f665ed9907f55p-55\n"
        "leaf 2 2 1 c19e5dc24e131p-52 2 2 c19e5dc24e131p-52\n"
        "weights 1f63e28cf21d4dp-55 52dada850599dp-50 4721268b7c0fp-48 300d437ea0099p-45\n"
        "leaf 2 0 3 29d58c9ab5411p-51 1 3 4be46893cc69p-46\n"
        "weights 1f665ed9907f55p-55 18c6c6d7ac0479p-48 18c6c6d7ac0479p-48 1f665ed9907f55p-55\n"
        "end\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"kinks ", "kinks -", 4, "kinks are for free biases"},
        {"steps none free", "steps none none", 4, ""},
    };
    VARY(&b, list);
}

/* In other places than their own: kinks without biases, lines that are none or too far away. */
static void test_misplaced(void **state)
{
    (void)state;
    static const base kinks = {
        "csv",
        "1,0,1\n0,1,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("2", "2", "none") NO_GATES
        "claim train\nproblem relu squared 1 4\nbound trees 3 0\nnetwork 0\nconstant 0\n"
        "dual 1 1 1\nkinks 1\nend\n"};
    static const variation here[] = {{"", "", 4, "kinks are for free biases"}};
    VARY(&kinks, here);
    static const base line = {
        "csv",
        "0,0,1\n1,0,0\n3,0,3\n",
        0,
        NULL,
        0,
        " 0 2 -1\n" PLAIN("3", "2", "free") NO_GATES
        "claim train\nproblem relu squared 1 2\nbound plane ff -ff\nnetwork 0\nconstant 0\n"
        "dual 1 1 -2 1\nalong 1 0 0 1 3\nend\n"};
    static const variation lines[] = {{"", "", 0, NULL},
                                      {"along 1 0", "along 0 0", 4, "too far from the line"},
                                      {"0 1 3\n", "0 1 9\n", 4, "too far from the line"}};
    VARY(&line, lines);
    /* 2 rows of one column as bytes: a binary file has no decimals */
    char npy[2][75];
    for (int k = 0; k < 2; k++) {
        snprintf(npy[k], sizeof npy[k], "%cNUMPY%c%c%c%c%-61s\n", 0x93, 1, 1, 0x3e, 1,
                 "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }");
        npy[k][7] = npy[k][9] = 0;
        npy[k][72] = 1;
        npy[k][73] = (char)(k ? -1 : 2);
    }
    const base binary = {"npy",  npy[0], 74,
                         npy[1], 74,     "\n" PLAIN("2", "1", "none") NO_GATES "claim faces\nend\n"};
    static const variation words[] = {
        {"none 2 1\n", "none 2 1 decimals\n", 4, "decimals are those of a text"},
        {"none 2 1\n", "none 2 1 doubles\n", 4, ""}};
    VARY(&binary, words);
}

/* Three classes in the plane: prices in directions of outputs, found by the checker itself. */
static void test_exact(void **state)
{
    (void)state;
    static const base b = {
        "csv",
        "1,0.5,0\n0,1,1\n-1,2,2\n",
        0,
        NULL,
        0,
        " 0 2 -1\n"
        "rows 1 0 3\n"
        "classes columns numbers 3 0 1 1p1\n"
        "steps none none 3 2\n"
        "gates orientations 0\n"
        "claim train\n"
        "problem relu softmax 1 16ed95027dc82bp-52\n"
        "bound trees d283b47d48441p-50 d2772c1f7bafbp-50\n"
        "network 1\n"
        "neuron -db7e39d1c23cbp-56 -83f598f8794b9p-58 1f8f7401fc11f1p-57 -f646977bdb63bp-53 "
        "381c1fd848b23p-50\n"
        "constant 0 0 0\n"
        "dual fe892ffbbede3p-52 555555555555p-47 -5158b8c27b63p-48 -4b4709721919p-48 -555555555555p-48 "
        "ab572621277bp-48 -5356e5b2bc9bp-48 -555555555555p-48 -b3fcdabd583p-45 27a77bc9356dp-46\n"
        "cover differences 1\n"
        "exact 101a458da69523p-51\n"
        "exact 29185d656724fp-49\n"
        "corner 0 1 b504f333f9de7p-52 -b504f333f9de7p-52\n"
        "exact 5a827999fd15dp-51\n"
        "piece 1d3defad44a34bp-53 17b4db704560bfp-55 -8cac9a2557edfp-51\n"
        "bisect 2\n"
        "piece f451711bb5ed5p-54 -185d747722818dp-53 10bae8ee44d223p-53\n"
        "piece 101a458da6a7b1p-52 10000000000149p-104 -80d22c6d353d9p-51\n"
        "end\n"};
    static const variation list[] = {
        {"", "", 0, NULL},
        {"exact ", "exact -", 4, "a price is negative"},
    };
    VARY(&b, list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),  cmocka_unit_test(test_degenerate), cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_kinks), cmocka_unit_test(test_misplaced),  cmocka_unit_test(test_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
