/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a recipe: a command line with holes, run for all combinations of the values of its loops.
 *
 *     {"name": "m", "run": "margin gen:circle,n={n}", "for": [{"name": "n", "values": ["4", "8"], "quick": ["4"]}],
 *      "keep": ["lower", "upper", "score.accuracy"], "log": ["log_loss"]}
 *
 * Each run adds a row to the table `name`: the loop values, and the numbers under `keep` (score.accuracy becomes
 * score_accuracy, rotation.3 the fourth number of a list rotation_3). With `log` the run is a flow with --log, and the rows are those of its log. {folder} is the place of
 * the item's files, {shared} that of data which is not part of the program.
 */
#ifndef FATHOM_RECIPE_H
#define FATHOM_RECIPE_H

#include "fathom/reproduce.h"

enum { FATHOM_RECIPE_LOOPS = 3, FATHOM_RECIPE_WORDS = 64, FATHOM_RECIPE_TEXT = 4096 };

/* What running a step needs. */
typedef struct fathom_recipe_run {
    fathom_context *context;
    const char *folder;
    bool quick;
    fathom_reproduce_runner *runner;
    void *user;
} fathom_recipe_run;

/* The folder of shared data: FATHOM_SHARED, or ../shared. */
const char *fathom_recipe_shared(void);

/* Runs a step and adds its table to `tables`. */
fathom_status fathom_recipe_step(fathom_json *tables, fathom_json *step, const fathom_recipe_run *run);

#endif
