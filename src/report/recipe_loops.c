/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of recipes: lists and progressions, and seeds that move with --seed. */
#include "recipe_loops.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "decimal.h"
#include "json_internal.h"

static fathom_status fail(const fathom_recipe_course *course, const fathom_recipe_loop *loop,
                          const char *what)
{
    return fathom_error_set(course->context, FATHOM_ERROR_INPUT, "the loop %.60s %s",
                            loop->name ? loop->name : "", what);
}

/* Numbers a, a + s, ... or a, a q, ... up to b; half a step beyond b counts as b, so that rounding loses
 * none. */
static fathom_status open_progression(fathom_recipe_course *course, fathom_recipe_loop *loop)
{
    static const char *const known[] = {"from", "to", "by", "times", NULL};
    fathom_json *range;
    double to;
    fathom_status status = fathom_json_get_object(&range, loop->object, loop->list);
    if (status != FATHOM_OK)
        return fail(course, loop, "needs a list of values, or {\"from\", \"to\", \"by\" or \"times\"}");
    const bool geometric = fathom_json_has(range, "times");
    if (fathom_json_stranger(range, known) || (geometric && fathom_json_has(range, "by")))
        return fail(course, loop, "takes from, to and one of by and times");
    loop->by = 1;
    status = fathom_json_get_real(&loop->from, range, "from");
    FATHOM_THEN(status, fathom_json_get_real(&to, range, "to"));
    if (status == FATHOM_OK && fathom_json_has(range, "by"))
        status = fathom_json_get_real(&loop->by, range, "by");
    if (status == FATHOM_OK && geometric)
        status = fathom_json_get_real(&loop->times, range, "times");
    if (status != FATHOM_OK)
        return status;
    const bool rising = geometric ? loop->from > 0 && loop->times > 1 : loop->by > 0;
    if (!rising || !(to >= loop->from) || !(to < 1e300))
        return fail(course, loop, "must rise from `from` to `to`");
    const double steps = geometric ? log(to / loop->from) / log(loop->times) : (to - loop->from) / loop->by;
    loop->length = steps < FATHOM_RECIPE_VALUES ? (int64_t)floor(steps + 1e-9) + 1 : FATHOM_RECIPE_VALUES + 1;
    return FATHOM_OK;
}

static fathom_status open_loop(fathom_recipe_course *course, fathom_recipe_loop *loop,
                               const fathom_recipe_run *run)
{
    fathom_json *list;
    FATHOM_TRY(fathom_json_get_text(&loop->name, loop->object, "name"));
    fathom_status status = FATHOM_OK;
    loop->is_seed = strcmp(loop->name, run->draws ? run->draws : "seed") == 0;
    loop->list = run->quick && fathom_json_has(loop->object, "quick") ? "quick" : "values";
    loop->is_list = fathom_json_get_list(&list, loop->object, loop->list) == FATHOM_OK;
    if (loop->is_list)
        status = fathom_json_get_count(&loop->length, loop->object, loop->list);
    else
        status = open_progression(course, loop);
    if (status == FATHOM_OK && loop->length < 1)
        status = fail(course, loop, "has no value");
    if (status == FATHOM_OK && loop->length > FATHOM_RECIPE_VALUES)
        status = fail(course, loop, "has more than 10000 values");
    return status;
}

fathom_status fathom_recipe_course_open(fathom_recipe_course *course, const fathom_recipe_run *run,
                                        fathom_json *step)
{
    fathom_json *list;
    *course = (fathom_recipe_course){.context = run->context, .seed = run->seed};
    if (!fathom_json_has(step, "for"))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_list(&list, step, "for");
    if (status == FATHOM_OK && fathom_json_count(list) > FATHOM_RECIPE_LOOPS)
        return fathom_error_set(run->context, FATHOM_ERROR_INPUT, "a step has more than %d loops",
                                FATHOM_RECIPE_LOOPS);
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(list); k++) {
        fathom_recipe_loop *loop = &course->loop[course->count++];
        status = fathom_json_get_item(&loop->object, list, k);
        FATHOM_THEN(status, open_loop(course, loop, run));
    }
    return status;
}

bool fathom_recipe_seed(char value[FATHOM_RECIPE_VALUE], uint64_t seed, const char *text)
{
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    const unsigned long long number = strtoull(text, &end, 10);
    if (*end || errno)
        return false;
    snprintf(value, FATHOM_RECIPE_VALUE, "%llu", (unsigned long long)(number + seed - 1));
    return true;
}

/* The number as people write it: integers without exponent. */
static void put_number(char value[FATHOM_RECIPE_VALUE], double number)
{
    if (number == floor(number) && fabs(number) < 1e15)
        snprintf(value, FATHOM_RECIPE_VALUE, "%.0f", number);
    else
        fathom_decimal_format(value, number);
}

fathom_status fathom_recipe_course_value(char value[FATHOM_RECIPE_VALUE], const fathom_recipe_course *course,
                                         int64_t k)
{
    const fathom_recipe_loop *loop = &course->loop[k];
    const char *text;
    double number = loop->times > 0 ? loop->from * pow(loop->times, (double)loop->at)
                                    : loop->from + loop->by * (double)loop->at;
    if (!loop->is_list && fabs(number - round(number)) <= 1e-9 * fabs(number))
        number = round(number); /* 10, 100, 1000 and not 999.9999999999999 */
    if (!loop->is_list || fathom_json_get_number_item(&number, loop->object, loop->list, loop->at)) {
        put_number(value, number);
    } else {
        const fathom_status status = fathom_json_get_text_item(&text, loop->object, loop->list, loop->at);
        if (status != FATHOM_OK)
            return fail(course, loop, "has a value that is neither text nor number");
        if (strlen(text) >= FATHOM_RECIPE_VALUE)
            return fail(course, loop, "has a value of more than 511 letters");
        strcpy(value, text);
    }
    if (!loop->is_seed)
        return FATHOM_OK;
    char seed[FATHOM_RECIPE_VALUE];
    memcpy(seed, value, sizeof seed);
    return fathom_recipe_seed(value, course->seed, seed)
               ? FATHOM_OK
               : fail(course, loop, "is over seeds: its values are numbers 1, 2, ...");
}

double fathom_recipe_course_size(const fathom_recipe_course *course)
{
    double size = 1;
    for (int64_t k = 0; k < course->count; k++)
        size *= (double)course->loop[k].length;
    return size;
}

bool fathom_recipe_course_next(fathom_recipe_course *course)
{
    for (int64_t k = course->count - 1; k >= 0; k--) {
        if (++course->loop[k].at < course->loop[k].length)
            return true;
        course->loop[k].at = 0;
    }
    return false;
}
