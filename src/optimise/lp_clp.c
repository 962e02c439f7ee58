/* SPDX-License-Identifier: Apache-2.0 */
/* Adapter to COIN-OR Clp, through its C interface. */
#include "lp.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <Clp_C_Interface.h>

#include "context_internal.h"
#include "guard.h"
#include "lp_watch.h"
#include "memory.h"

/* The matrix by columns, as Clp wants it. */
typedef struct columns {
    CoinBigIndex *start; /* columns + 1 */
    int *index;
    double *value;
} columns;

static void columns_free(fathom_context *context, columns *c)
{
    FATHOM_FREE(context, c->start, c->index, c->value);
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

/* Clp ends the process where a scaled cost is 1e25 or more. Costs from 2^40 on are divided by a power of two, which is exact; where
 * entries or costs span more than WIDE the program is not scaled. */
static const double LARGE = 0x1p40, WIDE = 1e20;

static double largest(const double *number, int64_t count)
{
    double most = 0;
    for (int64_t k = 0; k < count; k++)
        most = fmax(most, fabs(number[k]));
    return most;
}

/* Whether costs, divided by `unit`, stay far from 1e25 under any scaling of rows and columns. */
static bool may_scale(const fathom_lp *lp, double unit)
{
    const double most = fmax(1, largest(lp->a, lp->rows * lp->columns));
    double least = 1;
    for (int64_t k = 0; k < lp->rows * lp->columns; k++)
        least = lp->a[k] != 0 ? fmin(least, fabs(lp->a[k])) : least;
    return most / least * fmax(1, largest(lp->cost, lp->columns) / unit) <= WIDE;
}

/* One run of Clp: everything that may throw happens in `run`. */
typedef struct attempt {
    const fathom_context *context;
    const fathom_lp *lp;
    const columns *c;
    fathom_lp_way way;
    double unit;        /* of costs: a power of two */
    const double *cost; /* in that unit */
    double *value, *x, *dual;
    Clp_Simplex *model;
    fathom_lp_answer answer;
} attempt;

/* More steps than any program of this size has needed: the primal simplex may not end where numbers are
 * large. */
static int most_steps(const fathom_lp *lp)
{
    return (int)fmin(1e8, 1e4 + 100.0 * (double)(lp->rows + lp->columns));
}

static void load(attempt *t)
{
    const fathom_lp *lp = t->lp;
    Clp_setMaximumIterations(t->model, most_steps(lp));
    Clp_setLogLevel(t->model, 0);
    Clp_setPrimalTolerance(t->model, lp->tolerance);
    Clp_setDualTolerance(t->model, lp->tolerance);
    if (t->way == FATHOM_LP_PRIMAL || !may_scale(lp, t->unit))
        Clp_scaling(t->model, 0); /* none: numbers of rounding among others mislead every other */
    else if (t->way == FATHOM_LP_SCALED) {
        Clp_scaling(t->model, 1);           /* equilibrium */
        Clp_setPerturbation(t->model, 102); /* never */
    }
    Clp_loadProblem(t->model, (int)lp->columns, (int)lp->rows, t->c->start, t->c->index, t->c->value,
                    lp->column_low, lp->column_high, t->cost, lp->row_low, lp->row_high);
}

/* True where a solution of `count` numbers is one; in `unit` to `out` unless that is NULL. */
static bool take_solution(double *out, const double *solution, int64_t count, double unit)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(unit * solution[k]))
            return false;
    for (int64_t k = 0; k < count && out; k++)
        out[k] = unit * solution[k];
    return true;
}

static bool is_overdue(const void *user)
{
    const attempt *t = user;
    return fathom_context_overdue(t->context);
}

static void run_clp(void *user)
{
    attempt *t = user;
    t->model = Clp_newModel();
    if (!t->model)
        return;
    load(t);
    fathom_lp_watch(t->model, is_overdue, t);
    if (t->way == FATHOM_LP_DUAL)
        Clp_dual(t->model, 0);
    else
        Clp_primal(t->model, 0);
    const int verdict = Clp_status(t->model); /* 0 optimal, 1 infeasible, 2 unbounded, 3 and more: stopped */
    *t->value = Clp_objectiveValue(t->model);
    if (verdict == 0 && take_solution(t->value, t->value, 1, t->unit) &&
        take_solution(t->x, Clp_primalColumnSolution(t->model), t->lp->columns, 1) &&
        take_solution(t->dual, Clp_dualRowSolution(t->model), t->lp->rows, t->unit))
        t->answer = FATHOM_LP_OPTIMAL;
    else if (verdict == 1 || verdict == 2)
        t->answer = verdict == 1 ? FATHOM_LP_INFEASIBLE : FATHOM_LP_UNBOUNDED;
}

static void end(void *user)
{
    attempt *t = user;
    if (t->model)
        Clp_deleteModel(t->model);
}

/* The costs in the attempt's unit: the program's own where they are not large, else in `own`. */
static fathom_status set_cost(attempt *t, double **own, fathom_context *context)
{
    const fathom_lp *lp = t->lp;
    const double most = largest(lp->cost, lp->columns);
    *own = NULL;
    t->unit = most > LARGE && isfinite(most) ? ldexp(1, ilogb(most)) : 1;
    t->cost = lp->cost;
    if (t->unit == 1)
        return FATHOM_OK;
    *own = fathom_memory_alloc(context, lp->columns, sizeof **own);
    if (!*own)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < lp->columns; k++)
        (*own)[k] = lp->cost[k] / t->unit;
    t->cost = *own;
    return FATHOM_OK;
}

fathom_status fathom_lp_clp(fathom_lp_answer *answer, double *value, double *x, double *dual,
                            fathom_context *context, const fathom_lp *lp, fathom_lp_way way)
{
    columns c;
    double *cost = NULL;
    fathom_status status = columns_create(&c, context, lp);
    attempt t = {.context = context,
                 .lp = lp,
                 .c = &c,
                 .way = way,
                 .value = value,
                 .x = x,
                 .dual = dual,
                 .answer = FATHOM_LP_UNSOLVED};
    FATHOM_THEN(status, set_cost(&t, &cost, context));
    if (status == FATHOM_OK) {
        const fathom_guarded thrown = fathom_guard(run_clp, &t);
        if (thrown ==
            FATHOM_GUARD_QUIET) /* else the model may be half made, and Clp frees it twice: it stays */
            fathom_guard(end, &t);
        if (thrown == FATHOM_GUARD_MEMORY || !t.model)
            status = fathom_error_set(context, FATHOM_ERROR_MEMORY, "out of memory in the linear program");
        if (thrown != FATHOM_GUARD_QUIET)
            t.answer = FATHOM_LP_UNSOLVED;
        if (status == FATHOM_OK && t.answer == FATHOM_LP_UNSOLVED && is_overdue(&t))
            status = fathom_context_late(context, "a linear program");
    }
    columns_free(context, &c);
    fathom_memory_free(context, cost);
    *answer = t.answer;
    return status;
}
