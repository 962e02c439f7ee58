/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a recipe: a command line with holes, run for all combinations of the values of its loops.
 *
 *     {"name": "m", "run": "train gen:outlier,n={n}", "for": [{"name": "n", "values": ["40", "80"], "quick":
 *       ["40"]}],
 *      "keep": ["objective", "score.accuracy", "network"], "also": [{"name": "points", "rows": "points"}]}
 *
 * Each run adds rows to the table `name`; all rows begin with the values of the loops. Which rows:
 *     keep   one row: these members of the result, numbers, texts or whatever they are (score.accuracy
 *       becomes
 *            score_accuracy, rotation.3 the fourth number of a list, rotation_3)
 *     rows   one row per item of a list of the result (a path such as sets.hull): objects with all members or
 *       those
 *            of `keep`; numbers as {index, value}; lists of numbers as {index, x1, x2, ...}
 *     log    the run is a flow with --log; one row per record ("last": true: the last one), these members;
 *       with "each":
 *            ["trace.x1", ...] one row per number of these lists, with its index
 * `also` takes further tables from the same runs: {"name", and keep, rows or log}. A step with "read": FILE
 * instead of `run` takes a JSON file that another step wrote, with neither keep nor rows as one column
 * `model`; or a CSV file (.csv) with a header, whose lines become rows (all columns, or `keep`) with their
 * index. {"write": "two.json", "json": OBJECT} (or "text": TEXT) writes a file into the item's folder, for
 * the steps that follow. {folder} is the place of the item's files, {shared} that of data which is not part
 * of the program, {seed} without a loop of that name the seed asked for. Loops stand in recipe_loops.h.
 *
 * Rules of `derive` add a column to a table, or make a table with a row for each group of rows of another:
 *     {"table": "m", "column": "loss", "value": "exp(m.log_loss)"}
 *     {"table": "need", "from": "m", "by": ["d"], "columns": [{"column": "samples", "value":
 *       "min(m.steps)"}]}
 * where the expressions of the second form see of the table `from` the rows of one group, of the others all.
 *
 * Charts draw tables: {"kind": "lines", "needs": "m", "x": "n", "y": ["objective"], "title": ..., "alt":
 * ...}. `needs` names one table or a list of them; a chart without its tables is left out. The kinds stand in
 * docs/howto/reproduce.md, their code in charts.js and pictures.js; "spec" instead of a kind is Vega-Lite in which
 * the first table is the data and the others are {"data": {"name": TABLE}}.
 */
#ifndef FATHOM_RECIPE_H
#define FATHOM_RECIPE_H

#include "reproduce.h"

enum { FATHOM_RECIPE_WORDS = 64, FATHOM_RECIPE_TEXT = 4096 };

/* What running a step needs. */
typedef struct fathom_recipe_run {
    fathom_context *context;
    const char *folder;
    bool quick;
    uint64_t seed;     /* --seed: seeds of the recipe move by seed - 1 */
    const char *draws; /* the loop over seeds; NULL: seed */
    fathom_reproduce_runner *runner;
    void *user;
    fathom_json *steps; /* of the recipe, for checks; or NULL */
} fathom_recipe_run;

/* The folder of shared data: FATHOM_SHARED, or the current one. */
const char *fathom_recipe_shared(void);

/* Runs a step and adds its table to `tables`. */
fathom_status fathom_recipe_step(fathom_json *tables, fathom_json *step, const fathom_recipe_run *run);

/* Tries a step without running it: all loops, holes and, where there is a runner, all command lines. */
fathom_status fathom_recipe_try(fathom_json *step, const fathom_recipe_run *run);

/* Follows a rule of `derive` (recipe_rules.c). */
fathom_status fathom_recipe_rule(fathom_json *tables, fathom_json *rule);

#endif
