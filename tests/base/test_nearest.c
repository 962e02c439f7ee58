/* SPDX-License-Identifier: Apache-2.0 */
/* Mistyped words: every slip of one letter finds its word, and what is far from all finds none. */
#include "testing.h"

#include <string.h>

#include "fathom/options.h"
#include "inner/options.h"
#include "nearest.h"

static const char *const words[] = {"squared", "logistic", "hinge",  "equality",  "augment",    "standardize",
                                    "cutting", "columns",  "circle", "mixture1d", "time-limit", NULL};

static void expect(const char *typed, const char *meant)
{
    const char *found = fathom_word_nearest(typed, words);
    if (!meant)
        assert_null(found);
    else if (!found || strcmp(found, meant) != 0)
        fail_msg("'%s' gave %s in place of %s", typed, found ? found : "nothing", meant);
}

/* One letter dropped, doubled, changed, or exchanged with the next, at every place of every word. */
static void slips(void **state)
{
    (void)state;
    for (int k = 0; words[k]; k++) {
        const char *word = words[k];
        const size_t length = strlen(word);
        for (size_t at = 0; at < length; at++) {
            char typed[32];
            snprintf(typed, sizeof typed, "%.*s%s", (int)at, word, word + at + 1);
            expect(typed, word);
            snprintf(typed, sizeof typed, "%.*s%c%s", (int)at, word, word[at], word + at);
            expect(typed, word);
            snprintf(typed, sizeof typed, "%s", word);
            typed[at] = '#';
            expect(typed, word);
            snprintf(typed, sizeof typed, "%s", word);
            if (at + 1 < length) {
                typed[at] = word[at + 1];
                typed[at + 1] = word[at];
            }
            expect(typed, word);
        }
    }
}

static void nothing_is_near(void **state)
{
    (void)state;
    expect("", NULL);
    expect("x", NULL);
    expect("softmax", NULL);
    expect("hi", NULL); /* short words are near to everything that is short */
    char endless[1000];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    expect(endless, NULL);
}

static void hint(void **state)
{
    (void)state;
    char text[FATHOM_HINT_SIZE];
    fathom_nearest nearest = fathom_nearest_begin("hinge,", 5);
    assert_string_equal(fathom_nearest_hint(text, &nearest, "; none"), "; none");
    fathom_nearest_try(&nearest, "hing|others", 4);
    assert_string_equal(fathom_nearest_hint(text, &nearest, ""), "; did you mean 'hing'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(slips), cmocka_unit_test(nothing_is_near),
                                       cmocka_unit_test(hint)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
