/* SPDX-License-Identifier: Apache-2.0 */
/* What pictures of small results need, in the JSON: the examples, the network, the cones. */
#include <math.h>
#include <string.h>

#include "inner/json.h"
#include "inner/model.h"
#include "members.h"
#include "picture.h"

/* Larger ones make no picture that can be read, and would bury the answer. */
enum { EXAMPLES = 500, COLUMNS = 3, NETWORK_COLUMNS = 2, NEURONS = 200, CELLS = 1000 };

/* The examples wait here for the end of the result, where they stand in nobody's way. */
static struct {
    double value[EXAMPLES * (COLUMNS + 1)]; /* x1 .. xd, y of each */
    int64_t count, columns;
    bool targets;
} examples;

/* Entry j of row i, dense or sparse. */
static double entry(const fathom_data_view *view, int64_t i, int64_t j)
{
    if (view->x)
        return view->x[i * view->ld + j];
    for (int64_t e = view->row_start[i]; e < view->row_start[i + 1]; e++)
        if (view->column[e] == j)
            return view->value[e];
    return 0;
}

void cli_picture_begin(void) { memset(&examples, 0, sizeof examples); }

void cli_picture_keep(const fathom_data_view *view)
{
    const int64_t d = view->d - (view->bias == FATHOM_BIAS_AUGMENT);
    if (view->n > EXAMPLES || d < 1 || d > COLUMNS)
        return;
    examples.count = view->n;
    examples.columns = d;
    examples.targets = view->outputs == 1;
    for (int64_t i = 0; i < view->n; i++) {
        double *row = examples.value + i * (COLUMNS + 1);
        for (int64_t j = 0; j < d; j++)
            row[j] = entry(view, i, j);
        row[COLUMNS] = examples.targets ? view->y[i] : NAN;
    }
}

fathom_status cli_picture_end(fathom_json *result)
{
    fathom_json *list, *row;
    if (examples.count == 0 || !result)
        return FATHOM_OK;
    fathom_status status = fathom_json_set_list(result, "points", &list);
    for (int64_t i = 0; i < examples.count && status == FATHOM_OK; i++) {
        const double *value = examples.value + i * (COLUMNS + 1);
        char name[] = "x1";
        status = fathom_json_append_object(list, &row);
        for (int64_t j = 0; j < examples.columns && status == FATHOM_OK; j++) {
            name[1] = (char)('1' + j);
            status = fathom_json_set_real(row, name, value[j]);
        }
        if (status == FATHOM_OK && examples.targets)
            status = fathom_json_set_real(row, "y", value[COLUMNS]);
    }
    return status;
}

fathom_status cli_picture_network(fathom_json *result, const fathom_model *model)
{
    const fathom_model_view view = fathom_model_look(model);
    const fathom_net_shape shape = fathom_net_look(view.net);
    fathom_json *network;
    if (shape.d - (view.preprocess.bias == FATHOM_BIAS_AUGMENT) > NETWORK_COLUMNS || shape.m > NEURONS)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_set_object(result, "network", &network));
    return fathom_model_set(network, model);
}

fathom_status cli_picture_cells(fathom_json *result, const fathom_gates *gates,
                                const fathom_measure_view *measure, int64_t columns)
{
    const fathom_gates_view view = fathom_gates_look(gates);
    fathom_json *list, *cell;
    char pattern[EXAMPLES + 1];
    if (columns > COLUMNS || view.n > EXAMPLES || view.m > CELLS)
        return FATHOM_OK;
    fathom_status status = fathom_json_set_list(result, "cells", &list);
    for (int64_t j = 0; j < view.m && status == FATHOM_OK; j++) {
        for (int64_t i = 0; i < view.n; i++)
            pattern[i] = (view.bits[j * view.words + i / 64] >> (i % 64)) & 1 ? '1' : '0';
        pattern[view.n] = '\0';
        status = fathom_json_append_object(list, &cell);
        FATHOM_THEN(status,
                    CLI_SET(cell, cli_text("pattern", pattern), cli_real("measure", measure->value[j]),
                            cli_real("lower", measure->lower[j]), cli_real("upper", measure->upper[j])));
    }
    return status;
}

fathom_status cli_picture_counts(fathom_json *result, const cli_count *counts, int number)
{
    fathom_json *list, *item;
    FATHOM_TRY(fathom_json_set_list(result, "counts", &list));
    for (int k = 0; k < number; k++)
        if (counts[k].count >= 0) {
            FATHOM_TRY(fathom_json_append_object(list, &item));
            FATHOM_TRY(CLI_SET(item, cli_text("name", counts[k].name), cli_real("count", counts[k].count)));
        }
    return FATHOM_OK;
}
