/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linear functions, to compare networks with: least squares with an l1 penalty.
 *
 *     minimise  1/2 sum_i c_i |f_i - y_i|^2 + beta sum_k |w_k|_1,   f_ik = <w_k, x_i> + k_k   (k free with --bias free, else 0)
 *
 * Symbols: w_k in R^d, one per output; more than two classes are one-hot columns, two keep their values, as with convex-rf. The
 * penalty is one that the lasso of the output layer knows; small ones (--beta-rel 1e-6) leave least squares.
 * Guarantee: objective and lower bound as in lasso.c; the bound is over all linear functions.
 * The network has two ReLU neurons per output, <w, x> = relu(<w, x>) - relu(-<w, x>), so that every command takes it.
 * Cost: n d^2 for the Gram matrix. Memory: 8 d^2 bytes beside the data.
 */
#include <math.h>

#include "context_internal.h"
#include "lasso.h"
#include "train_internal.h"

/* What is asked for and not built is refused, never ignored. */
static fathom_status refuse_unsupported(const fathom_train_problem *p)
{
    const fathom_train_options *o = p->options;
    const char *what = o->loss != FATHOM_TRAIN_SQUARED  ? "only --loss squared goes"
                       : o->method != FATHOM_TRAIN_AUTO ? "no other --method than auto goes"
                       : o->gates || p->gates           ? "--gates does not go"
                       : o->select != FATHOM_SELECT_ANY ? "--select does not go"
                       : fathom_train_proves(o)
                           ? "no dual point is kept: neither a certificate nor --save-dual goes"
                       : o->checkpoint || o->resume ? "a checkpoint does not go"
                                                    : NULL;
    return what ? fathom_error_set(p->context, FATHOM_ERROR_USAGE, "%s with --model linear", what)
                : FATHOM_OK;
}

/* U = (w_1, -w_1, w_2, -w_2, ..), W = (e_1, -e_1, e_2, -e_2, ..). */
static fathom_status make_net(fathom_train_result *result, const fathom_train_problem *p,
                              const fathom_lasso_fit *fit)
{
    const int64_t d = p->d, o = p->outputs;
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = d, .m = 2 * o, .outputs = o};
    FATHOM_TRY(fathom_net_create(&result->net, p->context, &shape));
    const fathom_net_weights weights = fathom_net_lend(result->net);
    for (int64_t k = 0; k < o; k++) {
        for (int64_t l = 0; l < d; l++) {
            weights.u[2 * k * d + l] = fit->w[k * d + l];
            weights.u[(2 * k + 1) * d + l] = -fit->w[k * d + l];
        }
        weights.w[2 * k * o + k] = 1;
        weights.w[(2 * k + 1) * o + k] = -1;
        weights.c[k] = fit->k[k];
    }
    result->neurons = 2 * o;
    return FATHOM_OK;
}

static void fill_result(fathom_train_result *result, const fathom_train_problem *p,
                        const fathom_lasso_fit *fit)
{
    result->objective = fit->objective / p->divisor;
    result->loss = fit->loss / p->divisor;
    result->norm = fit->norm;
    result->lower_bound = fit->lower / p->divisor;
    result->beta = fit->beta / p->divisor;
    result->beta_max = fit->beta_max / p->divisor;
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = "linear functions";
    result->method = "linear";
    result->kind = FATHOM_LOSS_SQUARED;
    result->iterations = fit->iterations;
    result->end = fit->end;
    fathom_train_judge(result, p->options->gap);
}

fathom_status fathom_train_linear(fathom_train_result *result, const fathom_train_problem *problem)
{
    const fathom_train_problem *p = problem;
    fathom_lasso lasso = {0};
    fathom_lasso_fit fit = {0};
    FATHOM_TRY(refuse_unsupported(p));
    fathom_status status =
        fathom_context_require(p->context, 8.0 * (double)p->d * (double)p->d, "the Gram matrix");
    FATHOM_THEN(status, fathom_lasso_open(&lasso, p->context, p->x, p->n, p->d, p->weight, p->constant));
    FATHOM_THEN(status, fathom_lasso_fit_open(&fit, &lasso, p->y, p->outputs, true));
    FATHOM_THEN(status, fathom_train_beta(&fit.beta, p, fit.beta_max));
    if (status == FATHOM_OK) {
        fit.divisor = p->divisor;
        status = fathom_lasso_fit_run(&fit, p->options->gap);
    }
    if (status == FATHOM_OK)
        fill_result(result, p, &fit);
    FATHOM_THEN(status, make_net(result, p, &fit));
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    return status;
}
