/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of local pricing; see relu_pricing.h. */
#include "relu_pricing.h"

#include <math.h>
#include <string.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "random.h"

/* Two found neurons closer than this are one. */
static const double apart = 1e-9;

void fathom_pricing_open(fathom_pricing *pricing, const fathom_train_problem *problem)
{
    *pricing = (fathom_pricing){.problem = problem, .width = problem->d + (problem->constant ? 1 : 0)};
}

void fathom_pricing_close(fathom_pricing *pricing)
{
    if (!pricing->problem)
        return;
    FATHOM_FREE(pricing->problem->context, pricing->u, pricing->sign, pricing->value);
    *pricing = (fathom_pricing){.problem = pricing->problem};
}

void fathom_pricing_clear(fathom_pricing *pricing) { pricing->count = 0; }

static fathom_status reserve(fathom_pricing *a, int64_t more)
{
    fathom_context *context = a->problem->context;
    if (a->count + more <= a->capacity)
        return FATHOM_OK;
    const int64_t next = 2 * a->capacity + more;
    FATHOM_TRY(fathom_memory_resize(context, (void **)&a->u, next * a->width, sizeof *a->u));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&a->sign, next, sizeof *a->sign));
    FATHOM_TRY(fathom_memory_resize(context, (void **)&a->value, next, sizeof *a->value));
    a->capacity = next;
    return FATHOM_OK;
}

fathom_status fathom_pricing_draw(fathom_pricing *pricing, int64_t count)
{
    fathom_pricing *a = pricing;
    const fathom_train_problem *p = a->problem;
    const uint64_t seed = fathom_context_seed(p->context);
    /* an ascent takes time in proportion to the data: fewer of them where it is large */
    const double affordable = 4e6 / ((double)p->n * (double)p->d);
    if ((double)count > affordable)
        count = affordable > 8 ? (int64_t)affordable / 8 * 8 : 8;
    FATHOM_TRY(reserve(a, count));
    const uint32_t round = a->round++;
    for (int64_t k = 0; k < count; k++, a->count++) {
        double *u = a->u + a->count * a->width;
        const double pick = fathom_random_uniform(seed, FATHOM_STREAM_START, round, (uint64_t)k);
        const double *point = p->x + (int64_t)(pick * (double)p->n) * p->d;
        a->sign[a->count] = k % 2 ? -1 : 1;
        if (k % 4 < 2)
            fathom_random_normals(u, p->d, seed, FATHOM_STREAM_START, round, (uint64_t)((count + k) * p->d));
        else
            memcpy(u, point, (size_t)p->d * sizeof *u);
        if (k % 8 >= 6)
            fathom_blas_scale(u, -1, p->d);
        if (p->constant) /* on the kink of a point: the ascent moves it from there */
            u[p->d] = k % 4 < 2 ? -fathom_blas_dot(point, u, p->d) : 0;
    }
    return FATHOM_OK;
}

fathom_status fathom_pricing_start(fathom_pricing *pricing, const double *neuron, double sign)
{
    FATHOM_TRY(reserve(pricing, 1));
    memcpy(pricing->u + pricing->count * pricing->width, neuron, (size_t)pricing->width * sizeof *neuron);
    pricing->sign[pricing->count++] = sign;
    return FATHOM_OK;
}

fathom_status fathom_pricing_start_network(fathom_pricing *pricing, const fathom_relu_network *net)
{
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < net->m && status == FATHOM_OK; j++) {
        const double *neuron = fathom_relu_neuron(net, j);
        status = fathom_pricing_start(pricing, neuron, neuron[pricing->problem->d + 1] < 0 ? -1 : 1);
    }
    return status;
}

static void swap_candidates(fathom_pricing *a, int64_t j, int64_t k)
{
    const double sign = a->sign[j], value = a->value[j];
    a->sign[j] = a->sign[k];
    a->value[j] = a->value[k];
    a->sign[k] = sign;
    a->value[k] = value;
    for (int64_t l = 0; l < a->width && j != k; l++) {
        const double t = a->u[j * a->width + l];
        a->u[j * a->width + l] = a->u[k * a->width + l];
        a->u[k * a->width + l] = t;
    }
}

/* Whether candidate k is one of the first `count`. */
static bool repeats(const fathom_pricing *a, int64_t count, int64_t k)
{
    const bool sided = a->problem->outputs == 1;
    for (int64_t j = 0; j < count; j++) {
        double far = 0;
        if (sided && a->sign[j] != a->sign[k])
            continue;
        for (int64_t l = 0; l < a->width && far <= apart; l++)
            far = fmax(far, fabs(a->u[j * a->width + l] - a->u[k * a->width + l]) /
                                fmax(1, fabs(a->u[k * a->width + l])));
        if (far <= apart)
            return true;
    }
    return false;
}

/* By falling price; nothing and repetitions leave. */
static void rank(fathom_pricing *a)
{
    int64_t kept = 0;
    for (;;) {
        int64_t best = -1;
        for (int64_t k = kept; k < a->count; k++)
            if (a->value[k] > 0 && (best < 0 || a->value[k] > a->value[best]))
                best = k;
        if (best < 0)
            break;
        if (repeats(a, kept, best))
            swap_candidates(a, best, --a->count);
        else
            swap_candidates(a, best, kept++);
    }
    a->count = kept;
}

fathom_status fathom_pricing_run(fathom_pricing *pricing, const double *v)
{
    const fathom_train_problem *p = pricing->problem;
    const fathom_ascent ascent = {
        .n = p->n, .d = p->d, .x = p->x, .v = v, .outputs = p->outputs, .bias = p->constant};
    FATHOM_TRY(
        fathom_ascent_run(pricing->u, pricing->value, pricing->sign, pricing->count, &ascent, p->context));
    rank(pricing);
    pricing->best = pricing->count > 0 ? pricing->value[0] : 0;
    return FATHOM_OK;
}

void fathom_pricing_neuron(double *neuron, const fathom_pricing *pricing, int64_t k)
{
    const int64_t d = pricing->problem->d;
    neuron[d] = 0;
    memcpy(neuron, pricing->u + k * pricing->width, (size_t)pricing->width * sizeof *neuron);
}
