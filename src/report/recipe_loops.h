/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of a step: {"name": "width", "values": VALUES, "quick": VALUES}.
 *
 * VALUES is a list of texts and numbers, or {"from": a, "to": b, "by": s}: a, a + s, ... up to b (s = 1 where
 * it is not given), or {"from": a, "to": b, "times": q}: a, a q, ... up to b. The values of the loop over
 * draws are seeds: with --seed S all move by S - 1, so that S = 1 gives those that stand there.
 */
#ifndef FATHOM_RECIPE_LOOPS_H
#define FATHOM_RECIPE_LOOPS_H

#include "recipe.h"

enum { FATHOM_RECIPE_LOOPS = 8, FATHOM_RECIPE_VALUE = 512, FATHOM_RECIPE_VALUES = 10000 };

typedef struct fathom_recipe_loop {
    const char *name;
    fathom_json *object;
    const char *list; /* values, or quick */
    int64_t length, at;
    bool is_list, is_seed;
    double from, by, times; /* where it is no list */
} fathom_recipe_loop;

typedef struct fathom_recipe_course {
    fathom_context *context;
    uint64_t seed;
    int64_t count;
    fathom_recipe_loop loop[FATHOM_RECIPE_LOOPS];
} fathom_recipe_course;

/* The loops of a step, at their first values. ERROR_INPUT says what is wrong with them. */
fathom_status fathom_recipe_course_open(fathom_recipe_course *course, const fathom_recipe_run *run,
                                        fathom_json *step);

/* The value of loop k where it stands. */
fathom_status fathom_recipe_course_value(char value[FATHOM_RECIPE_VALUE], const fathom_recipe_course *course,
                                         int64_t k);

/* How many combinations there are; the next one, false where there is none. */
double fathom_recipe_course_size(const fathom_recipe_course *course);
bool fathom_recipe_course_next(fathom_recipe_course *course);

/* The seed that stands for seed number `text` (1: --seed itself), as text; false where it is no such
 * number. */
bool fathom_recipe_seed(char value[FATHOM_RECIPE_VALUE], uint64_t seed, const char *text);

#endif
