/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures and tables of the papers, reproduced: recipes of runs, tables made of their results, criteria, charts.
 *
 * A recipe states what the paper claims, the command lines to run, and criteria (an expression, a relation, a number)
 * written down before the run that they judge. docs/reproduce.md describes the form. Recipes whose data are not part of the program
 * look for them in the folder FATHOM_SHARED (../shared), and are skipped where they are not there.
 */
#ifndef FATHOM_REPRODUCE_H
#define FATHOM_REPRODUCE_H

#include "fathom/json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One item; texts are borrowed from the list. */
typedef struct fathom_reproduce_item {
    const char *id, *paper, *what;
    double minutes;       /* expected, on two cores */
    double quick_minutes; /* the same with the smaller sizes */
    bool quick;           /* whether it is one of those that `all` runs with the smaller sizes */
} fathom_reproduce_item;

typedef struct fathom_reproduce fathom_reproduce;

/* Gives the list of all recipes. */
FATHOM_API fathom_status fathom_reproduce_create(fathom_reproduce **list, fathom_context *context);
FATHOM_API void fathom_reproduce_free(fathom_reproduce *list);
FATHOM_API int64_t fathom_reproduce_count(const fathom_reproduce *list);
FATHOM_API fathom_status fathom_reproduce_get(fathom_reproduce_item *item, const fathom_reproduce *list,
                                              int64_t index);

/* Runs the program with these words (the command first) and leaves what it prints in the file `output`. */
typedef fathom_status fathom_reproduce_runner(void *user, const char *const *words, int64_t count,
                                              const char *output);

/* How a criterion was judged. */
typedef struct fathom_reproduce_criterion {
    char name[160], relation[4];
    double value, limit;
    bool holds;
} fathom_reproduce_criterion;

enum { FATHOM_REPRODUCE_CRITERIA = 16 };

typedef struct fathom_reproduce_outcome {
    bool match;   /* all criteria hold */
    bool skipped; /* a file of shared data is not there; nothing was run */
    bool kept;    /* the result was there already, of the same recipe; nothing was run */
    char missing[1024];
    int64_t count;
    fathom_reproduce_criterion criterion[FATHOM_REPRODUCE_CRITERIA];
} fathom_reproduce_outcome;

/* Reproduces item `index` in `folder`, which exists: the outputs of all runs (those that are there already, with the same
 * words, are not run again), result.json and page.html. A result.json of the same recipe, sizes and version is kept as it is. `result`, an empty object, receives id, paper, what, claim,
 * verdict ("match", "differs" or "skipped"), criteria, the tables and the charts. `quick`: the smaller sizes where a recipe has them. */
FATHOM_API fathom_status fathom_reproduce_run(fathom_reproduce_outcome *outcome, fathom_json *result,
                                              const fathom_reproduce *list, int64_t index, const char *folder,
                                              bool quick, fathom_reproduce_runner *runner, void *user);

/* Adds to a list what a summary says of an item: id, paper, what, claim, criteria, verdict, and the address of its page. */
FATHOM_API fathom_status fathom_reproduce_summary_add(fathom_json *list, const fathom_json *result,
                                                      const char *page);

/* Writes folder/summary.json and folder/index.html; the summary's member `items` is such a list. */
FATHOM_API fathom_status fathom_reproduce_summary_write(const fathom_json *summary, const char *folder);

#ifdef __cplusplus
}
#endif
#endif
