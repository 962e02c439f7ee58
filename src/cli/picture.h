/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures of small results need, in the JSON; larger results have none of it. */
#ifndef FATHOM_PICTURE_H
#define FATHOM_PICTURE_H

#include "fathom/fathom.h"

/* Forgets the examples of a command line before; keeps those of at most 500 rows and three columns, as the network sees
 * them; sets them as `points`, a list of {x1, x2, x3, y}. */
void cli_picture_begin(void);
void cli_picture_keep(const fathom_data_view *view);
fathom_status cli_picture_end(fathom_json *result);

/* Sets `network`, the members of a model file, where it has at most two raw columns and 200 neurons. */
fathom_status cli_picture_network(fathom_json *result, const fathom_model *model);

/* Sets `cells`, the cones as a list of {pattern, measure, lower, upper}, for points of at most three columns. */
fathom_status cli_picture_cells(fathom_json *result, const fathom_gates *gates,
                                const fathom_measure_view *measure, int64_t columns);

/* Sets `counts`, a list of {name, count}; negative ones are left out. */
typedef struct cli_count {
    const char *name;
    double count;
} cli_count;
fathom_status cli_picture_counts(fathom_json *result, const cli_count *counts, int number);

#endif
