/* SPDX-License-Identifier: Apache-2.0 */
/* Global bounds by the joint relaxation and branching on signs; the method stands in global_search.h. */
#include "global_search.h"

#include <math.h>
#include <string.h>

#include "ascent.h"
#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "random.h"

enum { STARTS = 32, CHUNK = 64 };

static const double close_enough = 1.03; /* price proved / price found at which t grows */
static const double stride = 0.125;      /* of t */
static const double lowering = 0.88;     /* by which some hundred nodes multiply the price of a root */
static const double rate = 2e9;          /* operations per second of effort */
static const double dearest = 5; /* seconds of effort that a node may cost; beyond, branching gains nothing */
static const double most_bytes = 2e9; /* of multipliers */

/* Neighbours of the joint relaxation: fewer where n is large, so that its vectors stay within bounds. */
static int64_t neighbours_for(const fathom_objective *p)
{
    return fathom_joint_is_large(p) ? 20 : p->n <= 5000 ? 80 : p->n <= 12000 ? 30 : 12;
}

/* Estimated operations of improving one node. */
static double node_cost(const fathom_objective *p)
{
    const double n = (double)p->n, d = (double)p->d;
    return 130 * (n * 60 * d / 4 + 2 * n * d * d + 12 * d * d * d + n * 200);
}

int64_t fathom_global_search_nodes(const fathom_objective *problem, double seconds)
{
    return 2 + (int64_t)(seconds * rate / node_cost(problem));
}

fathom_status fathom_global_search_price(double *found, const fathom_objective *p, const double *v)
{
    const fathom_ascent ascent = {
        .n = p->n, .d = p->d, .x = p->x, .v = v, .outputs = p->outputs, .bias = p->constant};
    const int64_t d = p->d, width = fathom_ascent_width(&ascent);
    double *u = fathom_memory_zero(p->context, STARTS * (width + 2), sizeof *u);
    if (!u)
        return FATHOM_ERROR_MEMORY;
    double *value = u + STARTS * width, *sign = value + STARTS;
    for (int64_t k = 0; k < STARTS; k++) {
        sign[k] = k % 2 ? -1 : 1;
        if (k % 4 < 2)
            fathom_random_normals(u + k * width, d, fathom_context_seed(p->context), FATHOM_STREAM_START,
                                  1U << 21, (uint64_t)(k * d));
        else
            memcpy(u + k * width, p->x + k * p->n / STARTS * d, (size_t)d * sizeof *u);
    }
    const fathom_status status = fathom_ascent_run(u, value, sign, STARTS, &ascent, p->context);
    *found = 0;
    for (int64_t k = 0; k < STARTS && status == FATHOM_OK; k++)
        *found = fmax(*found, value[k]);
    fathom_memory_free(p->context, u);
    return status;
}

void fathom_global_search_free(fathom_global_search *a)
{
    if (!a)
        return;
    fathom_context *context = a->problem->context;
    fathom_joint_free(a->joint);
    fathom_sign_tree_close(&a->tree);
    FATHOM_FREE(context, a->v_joint, a);
}

fathom_status fathom_global_search_create(fathom_global_search **search, const fathom_objective *p,
                                          const fathom_objective *plain)
{
    const int64_t n = p->n;
    fathom_global_search *a = *search = fathom_memory_zero(p->context, 1, sizeof *a);
    if (!a)
        return FATHOM_ERROR_MEMORY;
    a->problem = p;
    a->plain = plain;
    a->v_joint = fathom_memory_alloc(p->context, 4 * n, sizeof *a->v_joint);
    if (!a->v_joint)
        return FATHOM_ERROR_MEMORY;
    a->residual = a->v_joint + n;
    a->v = a->residual + n;
    a->origin = a->v + n;
    return FATHOM_OK;
}

fathom_status fathom_global_search_join(fathom_global_search *a)
{
    return fathom_joint_create(&a->joint, a->problem, a->origin, neighbours_for(a->problem));
}

/* The joint relaxation from the residual. */
static fathom_status start(fathom_global_search **search, const fathom_objective *p,
                           const fathom_objective *plain, const double *residual,
                           const fathom_global_effort *effort, fathom_global_offer *offer, void *user,
                           fathom_proof *proof)
{
    const int64_t n = p->n;
    const fathom_joint_options options = {.neighbours = neighbours_for(p),
                                          .enough = effort->enough,
                                          .value = effort->value,
                                          .divisor = p->divisor > 0 ? p->divisor : 1,
                                          .proof = proof};
    fathom_joint_result result = {0, INFINITY};
    fathom_status status = FATHOM_OK;
    if (!*search) {
        FATHOM_TRY(fathom_global_search_create(search, p, plain));
        for (int k = 0; k < 4; k++)
            memcpy((*search)->v_joint + k * n, residual, (size_t)n * sizeof *residual);
        status = fathom_global_search_join(*search);
    }
    fathom_global_search *a = *search;
    FATHOM_THEN(status, fathom_joint_run(&result, a->v_joint, a->joint, &options));
    a->joined = true;
    if (status == FATHOM_OK && result.price < INFINITY)
        offer(user, a->v_joint, result.price, "joint relaxation");
    return status;
}

fathom_status fathom_global_search_glance(fathom_global_search **search, const fathom_objective *p,
                                          const fathom_objective *plain, const double *residual, double value,
                                          fathom_joint_result *result, fathom_proof *proof)
{
    const int64_t n = p->n;
    const fathom_joint_options options = {.neighbours = neighbours_for(p),
                                          .enough = INFINITY,
                                          .value = value,
                                          .divisor = p->divisor > 0 ? p->divisor : 1,
                                          .proof = proof,
                                          .brief = true};
    FATHOM_TRY(fathom_global_search_create(search, p, plain));
    for (int k = 0; k < 4; k++)
        memcpy((*search)->v_joint + k * n, residual, (size_t)n * sizeof *residual);
    FATHOM_TRY(fathom_global_search_join(*search));
    return fathom_joint_run(result, (*search)->v_joint, (*search)->joint, &options);
}

/* v(t) = (1 - t) v_J + t c v*. */
static void mix(double *v, const fathom_global_search *a, double t)
{
    for (int64_t i = 0; i < a->problem->n; i++)
        v[i] = (1 - t) * a->v_joint[i] + t * a->even * a->residual[i];
    fathom_objective_balance(v, a->problem);
}

/* v(t) with the tree on it. */
static fathom_status move(fathom_global_search *a, double t)
{
    a->t = t;
    a->last = false;
    mix(a->v, a, t);
    FATHOM_TRY(fathom_global_search_price(&a->found, a->plain, a->v));
    return fathom_sign_tree_move(&a->tree, a->v);
}

/* c, which makes the prices of both ends equal, so that t is a share. */
static fathom_status even_ends(fathom_global_search *a)
{
    double at_joint = 0, at_residual = 0;
    fathom_status status = fathom_global_search_price(&at_joint, a->plain, a->v_joint);
    FATHOM_THEN(status, fathom_global_search_price(&at_residual, a->plain, a->residual));
    a->even = at_residual > 0 ? at_joint / at_residual : 0;
    a->ideal = status == FATHOM_OK ? fathom_objective_bound(a->problem, a->residual, at_residual) : 0;
    return status;
}

/* What a move of v may promise: half of what is missing, or a little. */
static double halfway(double lower, double value) { return fmax((lower + value) / 2, 1.03 * lower); }

/* The next t of the grid k stride, k = first, ..: the one whose v(t) would give the best bound with the price found there, among those whose
 * promise is at most `limit`: multipliers follow a short move and are useless after a long one. Where all
 * promise more, the first; *next = t where none promises more than `lower`. */
static fathom_status choose_move(double *next, fathom_global_search *a, int64_t first, double lower,
                                 double limit)
{
    const fathom_objective *p = a->problem;
    double *v = fathom_memory_alloc(p->context, p->n, sizeof *v), best = lower;
    fathom_status status = v ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    *next = a->t;
    for (int64_t k = first; (double)k * stride <= 1 && status == FATHOM_OK; k++) {
        double found;
        mix(v, a, (double)k * stride);
        status = fathom_global_search_price(&found, a->plain, v);
        const double promise = status == FATHOM_OK ? fathom_objective_bound(p, v, found) : 0;
        if (!(promise > best) || (best > lower && promise > limit))
            continue;
        best = promise;
        *next = (double)k * stride;
    }
    fathom_memory_free(p->context, v);
    return status;
}

/* Where bounds go: the best of them, the receiver of all, and the evidence. */
typedef struct outlet {
    const double *lower;
    fathom_global_offer *offer;
    void *user;
    fathom_proof *proof;
} outlet;

/* A tree at v(t), its roots improved; its bound is offered, and its evidence kept where it is the best. */
static fathom_status plant(fathom_global_search *a, double t, const outlet *out)
{
    fathom_status status = fathom_sign_tree_open(&a->tree, a->problem, a->joint);
    FATHOM_THEN(status, move(a, t));
    FATHOM_THEN(status, fathom_sign_tree_grow(&a->tree, a->found, 2, INFINITY));
    a->work += node_cost(a->problem) * (double)a->tree.evaluations;
    const double before = *out->lower;
    if (status == FATHOM_OK)
        out->offer(out->user, a->v, fathom_sign_tree_price(&a->tree), "branching on signs");
    if (status == FATHOM_OK && out->proof && *out->lower > before)
        status = fathom_sign_tree_prove(out->proof, &a->tree);
    return status;
}

/* The bound that a tree at v(t) may reach: branching lowers the price of its roots by some percent, never below what was found. */
static double prospect(const fathom_global_search *a)
{
    return fathom_objective_bound(a->problem, a->v,
                                  fmax(a->found, lowering * fathom_sign_tree_price(&a->tree)));
}

/* The tree whose t = 0, 1/4, 1/2, 3/4 has the best prospect. A limit leaves the trees that were not tried. */
static fathom_status choose_tree(fathom_global_search *a, const outlet *out)
{
    fathom_sign_tree kept = {0};
    double best = -INFINITY, at = 0, found = 0;
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < 4 && status == FATHOM_OK; k++) {
        if (k > 0 && fathom_context_stop_reason(a->problem->context) != FATHOM_STOP_NONE)
            break;
        status = plant(a, k / 4.0, out);
        if (status != FATHOM_OK || !(prospect(a) > best))
            fathom_sign_tree_close(&a->tree);
        if (!a->tree.problem)
            continue;
        fathom_sign_tree_close(&kept);
        best = prospect(a);
        at = a->t;
        found = a->found;
        kept = a->tree;
        a->tree = (fathom_sign_tree){0};
    }
    a->tree = kept;
    a->t = at;
    a->found = found;
    mix(a->v, a, at);
    return status;
}

/* Opens the tree, or takes up a residual that has changed: v(t) follows where that promises a tenth of what is missing. */
static fathom_status take_up(fathom_global_search *a, const double *residual, double missing,
                             const outlet *out)
{
    const size_t bytes = (size_t)a->problem->n * sizeof *residual;
    const bool first = !a->tree.problem;
    if (!first && memcmp(a->residual, residual, bytes) == 0)
        return FATHOM_OK;
    memcpy(a->residual, residual, bytes);
    a->last = false;
    fathom_status status = even_ends(a);
    if (status != FATHOM_OK || first)
        return status == FATHOM_OK ? choose_tree(a, out) : status;
    double found = 0, *v = fathom_memory_alloc(a->problem->context, a->problem->n, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    mix(v, a, a->t);
    status = fathom_global_search_price(&found, a->plain, v);
    const bool follows =
        status == FATHOM_OK && fathom_objective_bound(a->problem, v, found) >
                                   fathom_objective_bound(a->problem, a->v, a->found) + missing / 10;
    fathom_memory_free(a->problem->context, v);
    return follows ? move(a, a->t) : status;
}

/* Whether the tree at v(t) is done: its price is close to what was found, or cannot be lowered. */
static bool settled(const fathom_global_search *a, double aim)
{
    if (fathom_sign_tree_price(&a->tree) <= aim)
        return true;
    const fathom_tree_node *top = a->tree.node + a->tree.heap[0];
    return !top->stale && top->next < 0;
}

/* From v(t), which is settled, to the next t if one promises more; the proof of what is left behind is kept. */
static fathom_status walk_on(fathom_global_search *a, double lower, double value, fathom_proof *proof)
{
    double next;
    fathom_status status = choose_move(&next, a, 1 + (int64_t)(a->t / stride), lower, halfway(lower, value));
    a->last = status == FATHOM_OK && next == a->t;
    if (status != FATHOM_OK || a->last)
        return status;
    if (proof)
        status = fathom_sign_tree_prove(proof, &a->tree);
    return status == FATHOM_OK ? move(a, next) : status;
}

fathom_status fathom_global_search_run(bool *exhausted, fathom_global_search **search,
                                       const fathom_objective *p, const fathom_objective *plain,
                                       const double *residual, const fathom_global_effort *effort,
                                       const double *lower, fathom_global_offer *offer, void *user,
                                       fathom_proof *proof)
{
    fathom_status status = FATHOM_OK;
    *exhausted = false;
    if (!*search || !(*search)->joined)
        status = start(search, p, plain, residual, effort, offer, user, proof);
    fathom_global_search *a = *search;
    const double cost = node_cost(p), divisor = p->divisor > 0 ? p->divisor : 1;
    const double end = a ? a->work + effort->seconds * rate : 0;
    const double gap = fmax(1e-9, (effort->value - effort->enough) / effort->value);
    const double most = proof && proof->most_bytes > 0 ? fmin(most_bytes, proof->most_bytes / 3) : most_bytes;
    bool better = false; /* the bound at v(t) has no proof yet */
    if (cost > dearest * rate)
        *exhausted = true;
    if (status == FATHOM_OK && *lower < effort->enough && !*exhausted)
        status = take_up(a, residual, effort->value - *lower, &(outlet){lower, offer, user, proof});
    while (status == FATHOM_OK && *lower < effort->enough && a->work < end && !*exhausted) {
        const double aim = a->found * (a->t < 1 && !a->last ? close_enough : 1 + gap / 4);
        const bool done = settled(a, aim);
        *exhausted =
            (done && (a->t >= 1 || a->last)) || a->tree.bytes >= most || a->work >= effort->total * rate;
        if (*exhausted)
            break;
        if (done) {
            status = walk_on(a, *lower, effort->value, better ? proof : NULL);
            better = better && a->last;
            if (a->last)
                continue;
            a->work += cost * 0.02 * (double)a->tree.nodes;
        } else {
            const int64_t before = a->tree.evaluations;
            const int64_t chunk = (int64_t)fmax(2, fmin(CHUNK, (end - a->work) / cost));
            status = fathom_sign_tree_grow(&a->tree, aim, chunk, most);
            a->work += cost * (double)(a->tree.evaluations - before + 1);
        }
        const double before = *lower;
        if (status == FATHOM_OK)
            offer(user, a->v, fathom_sign_tree_price(&a->tree), "branching on signs");
        better = better || (proof && *lower > before);
        if (fathom_context_poll(p->context, "branching on signs", a->tree.evaluations,
                                effort->value / divisor, *lower / divisor) != FATHOM_STOP_NONE)
            break;
    }
    if (status == FATHOM_OK && better)
        status = fathom_sign_tree_prove(proof, &a->tree);
    return status;
}
