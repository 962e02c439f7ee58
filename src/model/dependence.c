/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output along one column, the others at their means: with z = (x - mean)/scale and z_k = 0 elsewhere
 *
 *     f(z) = c + sum_j W_j relu(u_jl z + h_j),   h_j = b_j + the weight of the constant column,
 *
 * which is linear between the kinks z_j = -h_j/u_jl. The table has the ends z = -3 and 3 and every kink between them: joined by
 * straight lines it is the function itself, not a sample of it. Cost: m log m + m^2 a column.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inner/json.h"
#include "inner/model.h"
#include "memory.h"
#include "model_internal.h"
#include "net_internal.h"

static const double REACH = 3; /* standard deviations to either side */

/* The network as a function of one column. */
typedef struct along {
    const fathom_model *model;
    int64_t m, d, column;
    double *outer, *place; /* m; m + 2 */
} along;

static double height(const along *a, int64_t j)
{
    const fathom_net_weights *w = &a->model->net->weights;
    return (w->b ? w->b[j] : 0) + (a->d > a->model->columns ? w->u[j * a->d + a->model->columns] : 0);
}

static double output_at(const along *a, double z)
{
    const fathom_net_weights *w = &a->model->net->weights;
    double sum = w->c ? w->c[0] : 0;
    for (int64_t j = 0; j < a->m; j++)
        sum += a->outer[j] * fmax(0, w->u[j * a->d + a->column] * z + height(a, j));
    return sum;
}

static int by_value(const void *left, const void *right)
{
    const double x = *(const double *)left, y = *(const double *)right;
    return (x > y) - (x < y);
}

/* Ends and kinks in order; how many. */
static int64_t find_places(const along *a)
{
    int64_t count = 2;
    a->place[0] = -REACH;
    a->place[1] = REACH;
    for (int64_t j = 0; j < a->m; j++) {
        const double u = a->model->net->weights.u[j * a->d + a->column], z = -height(a, j) / u;
        if (u != 0 && fabs(z) < REACH && a->outer[j] != 0)
            a->place[count++] = z;
    }
    qsort(a->place, (size_t)count, sizeof *a->place, by_value);
    return count;
}

static fathom_status put_column(fathom_json *list, const along *a, const char *name)
{
    const double mean = a->model->mean[a->column], scale = a->model->scale[a->column];
    const int64_t count = find_places(a);
    for (int64_t k = 0; k < count; k++) {
        fathom_json *row;
        FATHOM_TRY(fathom_json_append_object(list, &row));
        FATHOM_TRY(fathom_json_set_text(row, "column", name));
        FATHOM_TRY(fathom_json_set_real(row, "value", mean + scale * a->place[k]));
        FATHOM_TRY(fathom_json_set_real(row, "deviations", a->place[k]));
        FATHOM_TRY(fathom_json_set_real(row, "output", output_at(a, a->place[k])));
        FATHOM_TRY(fathom_json_set_bool(row, "kink", k > 0 && k < count - 1));
    }
    return FATHOM_OK;
}

/* The number that a column of the table is; -1 where it is none or several. */
static int64_t find_column(const fathom_model *model, const char *name)
{
    for (int64_t l = 0; l < model->columns; l++) {
        char number[24];
        snprintf(number, sizeof number, "%lld", (long long)l);
        if (strcmp(name, model->column_name ? model->column_name[l] : number) == 0)
            return l;
    }
    return -1;
}

fathom_status fathom_model_set_dependence(fathom_json *object, const fathom_model *model,
                                          const char *const *name, int64_t names)
{
    const fathom_net_shape *shape = &model->net->shape;
    along a = {.model = model, .m = shape->m, .d = shape->d};
    fathom_json *list;
    if (shape->kind != FATHOM_NET_RELU || shape->outputs != 1 || !model->mean || !model->scale)
        return FATHOM_OK;
    a.outer = fathom_memory_alloc(model->context, 2 * shape->m + 3, sizeof *a.outer);
    fathom_status status = a.outer ? fathom_json_set_list(object, "dependence", &list) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        a.place = a.outer + shape->m + 1;
        fathom_net_output_weights(a.outer, model->net);
    }
    for (int64_t k = 0; k < names && status == FATHOM_OK; k++) {
        a.column = find_column(model, name[k]);
        if (a.column >= 0)
            status = put_column(list, &a, name[k]);
    }
    fathom_memory_free(model->context, a.outer);
    return status;
}
