/* SPDX-License-Identifier: Apache-2.0 */
/* Adapter to COIN-OR Clp (dual simplex), through its C interface. */
#include "lp_clp.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <Clp_C_Interface.h>

#include "context_internal.h"
#include "memory.h"

/* The matrix by columns, as Clp wants it. */
typedef struct columns {
    CoinBigIndex *start; /* columns + 1 */
    int *index;
    double *value;
} columns;

static void columns_free(fathom_context *context, columns *c)
{
    fathom_memory_free(context, c->start);
    fathom_memory_free(context, c->index);
    fathom_memory_free(context, c->value);
}

static fathom_status columns_create(columns *c, fathom_context *context, const fathom_lp *lp)
{
    const int64_t cells = lp->rows * lp->columns;
    *c = (columns){0};
    if (cells > INT_MAX - 1)
        return fathom_error_set(context, FATHOM_ERROR_MEMORY,
                                "a linear program of %lld x %lld is too large for its solver",
                                (long long)lp->rows, (long long)lp->columns);
    c->start = fathom_memory_alloc(context, lp->columns + 1, sizeof *c->start);
    c->index = fathom_memory_alloc(context, cells, sizeof *c->index);
    c->value = fathom_memory_alloc(context, cells, sizeof *c->value);
    if (!c->start || !c->index || !c->value)
        return FATHOM_ERROR_MEMORY;
    CoinBigIndex used = 0;
    for (int64_t k = 0; k < lp->columns; k++) {
        c->start[k] = used;
        for (int64_t i = 0; i < lp->rows; i++)
            if (lp->a[i * lp->columns + k] != 0) {
                c->index[used] = (int)i;
                c->value[used++] = lp->a[i * lp->columns + k];
            }
    }
    c->start[lp->columns] = used;
    return FATHOM_OK;
}

fathom_status fathom_lp_solve(double *value, double *x, double *dual, bool *optimal, fathom_context *context,
                              const fathom_lp *lp)
{
    columns c;
    Clp_Simplex *model = NULL;
    *optimal = false;
    *value = NAN;
    fathom_status status = columns_create(&c, context, lp);
    if (status != FATHOM_OK)
        goto done;
    model = Clp_newModel();
    if (!model) {
        status = fathom_error_set(context, FATHOM_ERROR_MEMORY, "out of memory in the linear program");
        goto done;
    }
    Clp_setLogLevel(model, 0);
    Clp_setPrimalTolerance(model, 1e-9);
    Clp_setDualTolerance(model, 1e-9);
    Clp_loadProblem(model, (int)lp->columns, (int)lp->rows, c.start, c.index, c.value, lp->column_low,
                    lp->column_high, lp->cost, lp->row_low, lp->row_high);
    *optimal = Clp_dual(model, 0) == 0 && Clp_status(model) == 0;
    if (*optimal) {
        *value = Clp_objectiveValue(model);
        if (x)
            memcpy(x, Clp_primalColumnSolution(model), (size_t)lp->columns * sizeof *x);
        if (dual)
            memcpy(dual, Clp_dualRowSolution(model), (size_t)lp->rows * sizeof *dual);
    }
done:
    if (model)
        Clp_deleteModel(model);
    columns_free(context, &c);
    return status;
}
