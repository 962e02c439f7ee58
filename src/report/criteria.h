/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Criteria of a recipe, judged.
 *
 * A criterion {"name", "value", "relation", "limit"} asks whether an expression over the tables stands in a
 * relation to a number. Where the recipe names its draws ("draws": "seed", a loop whose values are seeds),
 * the expression is also evaluated for each draw by itself, on the rows of that draw: k of N draws meet the
 * criterion, and P, the probability that a fresh draw does, lies above `low` and below `high`, each at the
 * confidence (0.95) of Clopper and Pearson. With "share": s (of the criterion, or of the recipe for all of
 * them) the draws decide: for s < 1 `yes` where low >= s, `no` where high < s, else undecided; for s = 1 a
 * draw that misses it refutes it. Without a share, or with "share": null, the value over all rows decides.
 * NaN decides nothing: such a draw counts as missed in `low` and as met in `high`.
 */
#ifndef FATHOM_CRITERIA_H
#define FATHOM_CRITERIA_H

#include "reproduce.h"

/* Judges the criteria of a recipe on the tables of its result, and sets `criteria`, `draws` (where there are
 * any) and `verdict` there. */
fathom_status fathom_criteria_judge(fathom_reproduce_outcome *outcome, fathom_json *result,
                                    fathom_json *recipe);

/* match, differs, undecided, skipped; none: the recipe has no criteria. */
const char *fathom_criteria_verdict(const fathom_reproduce_outcome *outcome);

#endif
