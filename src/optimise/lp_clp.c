/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adapter to COIN-OR Clp, through its C interface.
 *
 * Clp scales a program and calls it solved where the scaled one is, within its tolerance; of the program that was asked for,
 * rows may then be violated by thousands of tolerances (rows that are nearly parallel, as cutting planes make them), and which
 * ones depends on rounding. So every answer is judged here, on the program as given: by how much x leaves its rows and bounds,
 * and by how much cost'x exceeds the value of the dual. Where that is more than the tolerance asked for, further attempts
 * start from the basis so far (primal simplex without scaling, then without perturbation, then from nothing), and the best one is given.
 */
#include "lp_clp.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <Clp_C_Interface.h>

#include "context_internal.h"
#include "memory.h"

enum { ATTEMPTS = 4 };

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

/* Excess of `value` over [low, high], relative to the size of what it was summed from. */
static double outside(double value, double size, double low, double high)
{
    return fmax(0, fmax(low - value, value - high)) / fmax(1, size);
}

/* By how much x leaves rows and bounds. */
static double primal_error(const fathom_lp *lp, const double *x)
{
    double worst = 0;
    for (int64_t k = 0; k < lp->columns; k++)
        worst = fmax(worst, outside(x[k], 1, lp->column_low[k], lp->column_high[k]));
    for (int64_t i = 0; i < lp->rows; i++) {
        double value = 0, size = 0;
        for (int64_t k = 0; k < lp->columns; k++) {
            value += lp->a[i * lp->columns + k] * x[k];
            size += fabs(lp->a[i * lp->columns + k] * x[k]);
        }
        worst = fmax(worst, outside(value, size, lp->row_low[i], lp->row_high[i]));
    }
    return worst;
}

/* What a multiplier earns at the bound that it pushes against, added to *value; returns what is lost where there is none. */
static double earn(double *value, double *size, double multiplier, double low, double high)
{
    const double bound = multiplier > 0 ? low : high;
    if (!isfinite(bound))
        return fabs(multiplier);
    *value += multiplier * bound;
    *size += fabs(multiplier * bound);
    return 0;
}

/* By how much the multipliers leave the dual, or cost'x its value:
 *     cost'x >= sum_i (dual_i row bound_i) + sum_k (r_k column bound_k),   r = cost - A'dual. */
static double dual_error(const fathom_lp *lp, const double *x, const double *dual)
{
    double value = 0, size = 1, worst = 0, cost = 0;
    for (int64_t i = 0; i < lp->rows; i++)
        worst = fmax(worst, earn(&value, &size, dual[i], lp->row_low[i], lp->row_high[i]));
    for (int64_t k = 0; k < lp->columns; k++) {
        double reduced = lp->cost[k], terms = 1 + fabs(lp->cost[k]);
        for (int64_t i = 0; i < lp->rows; i++) {
            reduced -= dual[i] * lp->a[i * lp->columns + k];
            terms += fabs(dual[i] * lp->a[i * lp->columns + k]);
        }
        worst = fmax(worst, earn(&value, &size, reduced, lp->column_low[k], lp->column_high[k]) / terms);
        cost += lp->cost[k] * x[k];
        size += fabs(lp->cost[k] * x[k]);
    }
    return fmax(worst, (cost - value) / size);
}

/* One more attempt on a model that may hold a basis. */
static void attempt(Clp_Simplex *model, int number)
{
    if (number == 0) {
        Clp_dual(model, 0);
        return;
    }
    Clp_scaling(model, 0);
    if (number >= 2)
        Clp_setPerturbation(model, 102);
    if (number == 3)
        Clp_initialPrimalSolve(model);
    else
        Clp_primal(model, 0);
}

/* The model's solution where it is better than the best so far. */
static void take(double *value, double *x, double *dual, double *error, Clp_Simplex *model,
                 const fathom_lp *lp)
{
    const double *primal = Clp_primalColumnSolution(model), *rows = Clp_dualRowSolution(model);
    const double here = fmax(primal_error(lp, primal), dual_error(lp, primal, rows));
    if (Clp_status(model) != 0 || !(here < *error))
        return;
    *error = here;
    *value = Clp_objectiveValue(model);
    if (x)
        memcpy(x, primal, (size_t)lp->columns * sizeof *x);
    if (dual)
        memcpy(dual, rows, (size_t)lp->rows * sizeof *dual);
}

fathom_status fathom_lp_solve(double *value, double *x, double *dual, bool *optimal, fathom_context *context,
                              const fathom_lp *lp)
{
    columns c;
    Clp_Simplex *model = NULL;
    double error = INFINITY;
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
    Clp_setPrimalTolerance(model, lp->tolerance);
    Clp_setDualTolerance(model, lp->tolerance);
    Clp_loadProblem(model, (int)lp->columns, (int)lp->rows, c.start, c.index, c.value, lp->column_low,
                    lp->column_high, lp->cost, lp->row_low, lp->row_high);
    for (int k = 0; k < ATTEMPTS && !(error <= 2 * lp->tolerance); k++) {
        attempt(model, k);
        take(value, x, dual, &error, model, lp);
    }
    *optimal = error < INFINITY;
done:
    if (model)
        Clp_deleteModel(model);
    columns_free(context, &c);
    return status;
}
