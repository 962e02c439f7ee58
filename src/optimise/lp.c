/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear programs, until somebody answers.
 *
 * A simplex code in floating point may stop for trouble of its own, call a program infeasible that is not, or call a point
 * optimal that is not: it scales the program and judges the scaled one, and numbers of rounding or rows that are nearly
 * parallel (as cutting planes make them) spoil the scaling. So every answer is judged here, on the program as given: by how
 * much x leaves its rows and bounds, and by how much cost'x exceeds the value of the dual. Each way is tried in turn until
 * that is within the tolerance asked for; the best is given. A verdict of infeasible or unbounded counts once a second way says
 * the same. Rational arithmetic has the last word where the program is small and no other answer is any good; elsewhere the
 * best optimum claimed is better than none, since it is a proposal to everybody.
 */
#include "lp.h"

#include <math.h>
#include <string.h>

#include "memory.h"

/* An optimum no better than this is not taken for one while there is another way. */
static const double ROUGH = 1e-7;

fathom_status fathom_lp_try(fathom_lp_answer *answer, double *value, double *x, double *dual,
                            fathom_context *context, const fathom_lp *lp, fathom_lp_way way)
{
    return way == FATHOM_LP_EXACT ? fathom_lp_exact(answer, value, x, dual, context, lp)
                                  : fathom_lp_clp(answer, value, x, dual, context, lp, way);
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

/* The best answer so far. */
typedef struct best {
    double error, value;
    double *x, *dual; /* columns, rows */
} best;

/* Takes an optimum over where it is better. */
static void offer(best *b, const fathom_lp *lp, double value, const double *x, const double *dual, bool exact)
{
    const double error = exact ? 0 : fmax(primal_error(lp, x), dual_error(lp, x, dual));
    if (!(error < b->error))
        return;
    b->error = error;
    b->value = value;
    memcpy(b->x, x, (size_t)lp->columns * sizeof *x);
    memcpy(b->dual, dual, (size_t)lp->rows * sizeof *dual);
}

/* The ways in turn; x and dual are workspace. */
static fathom_status search(best *b, double *x, double *dual, fathom_context *context, const fathom_lp *lp)
{
    const double enough = 2 * lp->tolerance;
    int infeasible = 0, unbounded = 0;
    for (int way = 0; way < FATHOM_LP_WAYS; way++) {
        fathom_lp_answer answer;
        double value;
        if (b->error <= enough || (way == FATHOM_LP_EXACT && b->error <= ROUGH) || infeasible == 2 ||
            unbounded == 2)
            break;
        FATHOM_TRY(fathom_lp_try(&answer, &value, x, dual, context, lp, (fathom_lp_way)way));
        infeasible += answer == FATHOM_LP_INFEASIBLE;
        unbounded += answer == FATHOM_LP_UNBOUNDED;
        if (answer == FATHOM_LP_OPTIMAL)
            offer(b, lp, value, x, dual, way == FATHOM_LP_EXACT);
        else if (way == FATHOM_LP_EXACT && answer != FATHOM_LP_UNSOLVED)
            b->error = INFINITY; /* whatever was claimed before */
    }
    return FATHOM_OK;
}

fathom_status fathom_lp_solve(double *value, double *x, double *dual, bool *optimal, fathom_context *context,
                              const fathom_lp *lp)
{
    const int64_t size = lp->rows + lp->columns;
    double *work = fathom_memory_alloc(context, 2 * size, sizeof *work);
    *optimal = false;
    *value = NAN;
    if (!work)
        return FATHOM_ERROR_MEMORY;
    best b = {INFINITY, NAN, work, work + lp->columns};
    const fathom_status status = search(&b, work + size, work + size + lp->columns, context, lp);
    *optimal = status == FATHOM_OK && b.error < INFINITY;
    *value = *optimal ? b.value : NAN;
    if (*optimal && x)
        memcpy(x, b.x, (size_t)lp->columns * sizeof *x);
    if (*optimal && dual)
        memcpy(dual, b.dual, (size_t)lp->rows * sizeof *dual);
    fathom_memory_free(context, work);
    return status;
}
