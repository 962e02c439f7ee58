/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Convex-RF: image classification with filters from extreme points of patches [001, Sec. 8.1, Alg. 2].
 *
 *     minimise  1/2 sum_k |B w_k + c_k 1 - y_k|^2 + beta sum_k |w_k|_1     (c free with --bias free, else 0)
 *
 * Symbols: B n x p, p = filters x cells, the pooled features of convex_rf.c; y_k the k-th class one-hot (two classes: one
 * output, the numbers as they are), w_k its weights. Filters come from rf_filters.c, without labels.
 * Guarantee: the gap is that of the output layer for these filters (lasso.c); nothing is said about other filters.
 * Cost: features 2 n places size filters flops; n p^2 for the Gram matrix. Memory: 8 (n p + p^2) bytes beside the data.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "lasso.h"
#include "memory.h"
#include "rf_filters.h"
#include "train_internal.h"

enum { IMAGES = 512 };

static fathom_status refuse(const fathom_train_problem *p, const char *what)
{
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE, "%s with --model convex-rf", what);
}

/* What is asked for and not built is refused, never ignored. */
static fathom_status refuse_unsupported(const fathom_train_problem *p)
{
    const fathom_train_options *o = p->options;
    const fathom_preprocess preprocess = fathom_data_preprocess(p->data);
    const char *what = o->loss != FATHOM_TRAIN_SQUARED          ? "only --loss squared goes"
                       : o->method != FATHOM_TRAIN_AUTO         ? "no other --method than auto goes"
                       : preprocess.bias == FATHOM_BIAS_AUGMENT ? "--bias augment does not go (free does)"
                       : preprocess.name                        ? "--categorical does not go"
                       : o->gates                               ? "--gates does not go"
                       : o->select != FATHOM_SELECT_ANY         ? "--select does not go"
                       : fathom_train_proves(o)
                           ? "no dual point is kept: neither a certificate nor --save-dual goes"
                       : o->checkpoint || o->resume ? "a checkpoint does not go"
                                                    : NULL;
    return what ? refuse(p, what) : FATHOM_OK;
}

/* The side of a square of `pixels`; 0 where there is none. */
static int64_t side_of(int64_t pixels)
{
    const int64_t side = (int64_t)llround(sqrt((double)pixels));
    return side * side == pixels ? side : 0;
}

/* "28x28", "32x32x3"; without text: a square of one plane or three. */
static fathom_status read_image(fathom_net_image *image, const fathom_train_problem *p)
{
    const fathom_train_options *o = p->options;
    long long height = 0, width = 0, channels = 1;
    char rest;
    *image = (fathom_net_image){
        .patch = o->patch, .stride = o->stride, .pool = o->pool, .average = o->pooling != 0, .epsilon = 1};
    if (o->image) {
        const int read = sscanf(o->image, "%lldx%lldx%lld%c", &height, &width, &channels, &rest);
        if (read == 4 || (read != 3 && !(sscanf(o->image, "%lldx%lld%c", &height, &width, &rest) == 2)))
            return fathom_error_set(p->context, FATHOM_ERROR_USAGE, "--image %s: expected HxW or HxWxC",
                                    o->image);
    } else {
        channels = side_of(p->d) || p->d % 3 ? 1 : 3;
        height = width = side_of(p->d / channels);
        if (height == 0)
            return fathom_error_set(
                p->context, FATHOM_ERROR_USAGE,
                "%lld columns are no square image of one plane or three: --image HxWxC says what they are",
                (long long)p->d);
    }
    image->height = height, image->width = width, image->channels = channels;
    const char *fault = fathom_rf_image_fault(image, p->d);
    if (!fault)
        return FATHOM_OK;
    return fathom_error_set(p->context, FATHOM_ERROR_USAGE, "images of %lldx%lldx%lld, %lld columns: %s",
                            height, width, channels, (long long)p->d, fault);
}

/* B (n x p), block by block. */
static fathom_status compute_features(double **b, const fathom_rf *rf, const fathom_train_problem *p)
{
    const int64_t width = rf->m * fathom_rf_cells(&rf->image);
    const fathom_data_view view = {.n = p->n, .d = p->d, .x = p->x, .ld = p->d};
    const double bytes = 8.0 * (double)width * ((double)p->n + (double)width);
    FATHOM_TRY(fathom_context_require(p->context, bytes, "the features and their Gram matrix"));
    fathom_log(p->context, FATHOM_LOG_INFO, "%lld features of %lld filters: %.2f GB beside the data",
               (long long)width, (long long)rf->m, bytes / 1e9);
    *b = fathom_memory_alloc(p->context, p->n * width, sizeof **b);
    fathom_status status = *b ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p->n && status == FATHOM_OK; i += IMAGES) {
        const int64_t last = i + IMAGES < p->n ? i + IMAGES : p->n;
        status = fathom_rf_features(*b + i * width, width, rf, &view, i, last, p->context);
        if (fathom_context_poll(p->context, "features", last, NAN, NAN) != FATHOM_STOP_NONE)
            status = fathom_error_set(p->context, FATHOM_ERROR_STOPPED,
                                      "stopped after the features of %lld images", (long long)last);
    }
    return status;
}

/* The network of the fit: filters that no output uses leave. */
static fathom_status make_net(fathom_train_result *result, const fathom_train_problem *p, const fathom_rf *rf,
                              const fathom_lasso_fit *fit)
{
    const int64_t cells = fathom_rf_cells(&rf->image), size = fathom_rf_size(&rf->image), o = p->outputs;
    fathom_net_shape shape = {
        .kind = FATHOM_NET_CONVEX_RF, .d = p->d, .m = rf->m, .outputs = o, .image = rf->image};
    bool *used = fathom_memory_zero(p->context, rf->m, sizeof *used);
    if (!used)
        return FATHOM_ERROR_MEMORY;
    shape.m = 0;
    for (int64_t j = 0; j < rf->m; j++) {
        for (int64_t k = 0; k < o; k++)
            for (int64_t q = 0; q < cells; q++)
                used[j] = used[j] || fit->w[(k * rf->m + j) * cells + q] != 0;
        shape.m += used[j];
    }
    const fathom_status status = fathom_net_create(&result->net, p->context, &shape);
    if (status == FATHOM_OK) {
        const fathom_net_weights weights = fathom_net_lend(result->net);
        int64_t m = 0;
        for (int64_t j = 0; j < rf->m; j++) {
            if (!used[j])
                continue;
            memcpy(weights.u + m * size, rf->u + j * size, (size_t)size * sizeof *weights.u);
            for (int64_t q = 0; q < cells; q++)
                for (int64_t k = 0; k < o; k++)
                    weights.w[(m * cells + q) * o + k] = fit->w[(k * rf->m + j) * cells + q];
            m++;
        }
        memcpy(weights.c, fit->k, (size_t)o * sizeof *weights.c);
    }
    fathom_memory_free(p->context, used);
    return status;
}

static void fill_result(fathom_train_result *result, const fathom_train_problem *p,
                        const fathom_lasso_fit *fit)
{
    result->objective = fit->objective / p->divisor;
    result->loss = fit->loss / p->divisor;
    result->norm = fit->norm;
    result->lower_bound = fit->lower / p->divisor;
    result->bound = FATHOM_TRAIN_BOUND_FILTERS;
    result->bound_method = "l1 output layer";
    result->method = "convex-rf";
    result->kind = FATHOM_LOSS_SQUARED;
    result->iterations = fit->iterations;
    result->end = fit->end;
    fathom_train_judge(result, p->options->gap);
}

/* The output layer on features b. */
static fathom_status fit_outputs(fathom_train_result *result, const fathom_train_problem *p,
                                 const fathom_rf *rf, const double *b)
{
    fathom_lasso lasso = {0};
    fathom_lasso_fit fit = {0};
    fathom_status status = fathom_lasso_open(&lasso, p->context, b, p->n, rf->m * fathom_rf_cells(&rf->image),
                                             p->weight, p->constant);
    FATHOM_THEN(status, fathom_lasso_fit_open(&fit, &lasso, p->y, p->outputs, true));
    FATHOM_THEN(status, fathom_train_beta(&fit.beta, p, fit.beta_max));
    if (status == FATHOM_OK) {
        fit.divisor = p->divisor;
        result->beta = fit.beta / p->divisor;
        result->beta_max = fit.beta_max / p->divisor;
        status = fathom_lasso_fit_run(&fit, p->options->gap);
    }
    if (status == FATHOM_OK)
        fill_result(result, p, &fit);
    FATHOM_THEN(status, make_net(result, p, rf, &fit));
    if (status == FATHOM_OK)
        result->neurons = fathom_net_look(result->net).m;
    fathom_lasso_fit_close(&fit);
    fathom_lasso_close(&lasso);
    return status;
}

fathom_status fathom_train_convex_rf(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_rf rf = {.m = 0};
    fathom_rf_filters filters = {0};
    double *b = NULL;
    fathom_status status = refuse_unsupported(problem);
    FATHOM_THEN(status, read_image(&rf.image, problem));
    FATHOM_THEN(status, fathom_rf_filters_make(&filters, &rf.image, problem));
    if (status == FATHOM_OK) {
        if (filters.inside > 0 || filters.drawn < problem->options->filters)
            fathom_log(
                problem->context, FATHOM_LOG_INFO,
                "%lld filters: %lld different patches with contrast, inside the hull of the others %lld",
                (long long)filters.m, (long long)filters.drawn, (long long)filters.inside);
        rf.m = filters.m;
        rf.u = filters.u;
        status = compute_features(&b, &rf, problem);
    }
    FATHOM_THEN(status, fit_outputs(result, problem, &rf, b));
    FATHOM_FREE(problem->context, b, filters.u);
    return status;
}
