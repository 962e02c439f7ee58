/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Figures and tables of the papers, reproduced: recipes of runs, tables made of their results, criteria, charts.
 *
 * A recipe states what the paper claims, the command lines to run, and criteria (an expression, a relation, a number)
 * written down before the run that they judge. docs/howto/reproduce.md describes the form. Recipes whose data are not part of the program
 * look for them in the folder FATHOM_SHARED (or the current one), and are skipped where they are not there.
 */
#ifndef FATHOM_REPRODUCE_H
#define FATHOM_REPRODUCE_H

#include "fathom/json.h"

/* One item; texts are borrowed from the list. */
typedef struct fathom_reproduce_item {
    const char *id, *paper, *what;
    double seconds;       /* of processor time that its runs took when it was measured; NaN: not measured */
    double quick_seconds; /* the same with the smaller sizes */
    bool estimated;       /* the recipe says so: seconds were not measured since it changed */
    const char *estimated_from; /* how they were estimated; empty: not said */
    bool quick;                 /* whether it is one of those that `all` runs with the smaller sizes */
} fathom_reproduce_item;

typedef struct fathom_reproduce fathom_reproduce;

/* Gives the list of all recipes of the papers. */
fathom_status fathom_reproduce_create(fathom_reproduce **list, fathom_context *context);

/* Gives the recipes of a file: one (an object) or a list of them, of the form that docs/howto/reproduce.md states.
 * Whatever is not of that form, has a name that nothing knows or is too large is ERROR_INPUT, and the text
 * says where. */
fathom_status fathom_reproduce_read(fathom_reproduce **list, fathom_context *context, const char *path);

void fathom_reproduce_free(fathom_reproduce *list);
int64_t fathom_reproduce_count(const fathom_reproduce *list);
fathom_status fathom_reproduce_get(fathom_reproduce_item *item, const fathom_reproduce *list, int64_t index);

/* Runs the program with these words (the command first) and leaves what it prints in the file `output`;
 * output NULL: says whether such a command line can be run, without running it. */
typedef fathom_status fathom_reproduce_runner(void *user, const char *const *words, int64_t count,
                                              const char *output);

/* How a criterion was judged: its value over all rows and, where the recipe has draws, on how many of them it
 * is met. */
typedef struct fathom_reproduce_criterion {
    char name[160], relation[4];
    double value, limit;
    bool holds, undecided;    /* undecided: neither yes nor no */
    int64_t draws, met, open; /* draws; those that meet it; those whose value is undefined */
    double share;             /* of the draws that was asked for; NaN: the value over all rows decides */
    double low, high;         /* bounds of the probability that a fresh draw meets it */
    char reading[40];         /* of the paper, to which it belongs; "": to all */
} fathom_reproduce_criterion;

enum { FATHOM_REPRODUCE_CRITERIA = 32, FATHOM_REPRODUCE_READINGS = 4 };

/* A reading of what a paper leaves open, judged by its own criteria and by those of all readings. */
typedef struct fathom_reproduce_reading {
    char name[40];
    bool match, undecided;
    int64_t draws, draws_met;
    double low, high;
} fathom_reproduce_reading;

typedef struct fathom_reproduce_outcome {
    bool match;     /* all criteria hold; where there are readings, all those of one of them */
    bool undecided; /* some criterion is neither met nor missed, and none is missed; or stopped */
    bool stopped;   /* by the time limit: no criterion was judged */
    bool skipped;   /* a file of shared data is not there; nothing was run */
    bool kept;      /* the result was there already, of the same recipe; nothing was run */
    char missing[1024];
    int64_t draws, draws_met; /* draws, and those that meet all criteria */
    double low, high,
        confidence; /* bounds of the probability that a fresh draw meets all, each at this confidence */
    int64_t count;
    fathom_reproduce_criterion criterion[FATHOM_REPRODUCE_CRITERIA];
    int64_t readings; /* 0: the recipe has none; else draws, draws_met, low and high are those of each */
    fathom_reproduce_reading reading[FATHOM_REPRODUCE_READINGS];
} fathom_reproduce_outcome;

/* Asks the runner about all command lines of item `index` without running one, and writes nothing.
 * ERROR_INPUT names the step that it refused. */
fathom_status fathom_reproduce_try(const fathom_reproduce *list, int64_t index, const char *folder,
                                   bool quick, fathom_reproduce_runner *runner, void *user);

/* Reproduces item `index` in `folder`, which exists: the outputs of all runs (those that are there already,
 * with the same words, are not run again), result.json and page.html. A result.json of the same recipe,
 * sizes, seed and version is kept as it is. `result`, an empty object, receives id, paper, what, claim,
 * verdict ("match", "differs", "undecided" or "skipped"), criteria, the tables and the charts. `quick`: the
 * smaller sizes where a recipe has them. Seeds of the recipe move by the context's seed less 1; at its time
 * limit what there is is written, undecided. */
fathom_status fathom_reproduce_run(fathom_reproduce_outcome *outcome, fathom_json *result,
                                   const fathom_reproduce *list, int64_t index, const char *folder,
                                   bool quick, fathom_reproduce_runner *runner, void *user);

/* Adds to a list what a summary says of an item: id, paper, what, claim, criteria, verdict, and the address of its page. */
fathom_status fathom_reproduce_summary_add(fathom_json *list, const fathom_json *result, const char *page);

/* Writes folder/summary.json and folder/index.html; the summary's member `items` is such a list. */
fathom_status fathom_reproduce_summary_write(const fathom_json *summary, const char *folder);

#endif
