/* SPDX-License-Identifier: Apache-2.0 */
/* Global lower bounds for every upper side, by rank and size of the data; the interface stands in
 * global_bound.h. */
#include "global_bound.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "global_cones.h"
#include "global_direction.h"
#include "global_kinks.h"
#include "global_lift.h"
#include "global_outputs.h"
#include "global_rays.h"
#include "global_search.h"
#include "hyperplanes.h"
#include "joint_internal.h"
#include "loss_row.h"
#include "memory.h"
#include "price.h"

/* n^2 d up to which every point is the kink of a tree of its own. */
static const double MOST_KINKS = 2e4;

/* Cones, those of all kinks together, whose projections are looked at. */
static const double MOST_KINK_CONES = 2000;

/* n^2 d up to which a glance is one, and its neighbours. */
static const double MOST_GLANCED = 5e7;
/* n^2 d up to which a search may begin with a glance where points are many: seconds, for their neighbours. */
static const double MOST_BEGUN = 2e11;
enum { GLANCE_NEIGHBOURS = 20 };

static const char rays_method[] = "rays of outputs";

/* Of effort for branching from them. */
static const double rays_seconds = 6;

fathom_status fathom_global_bound_open(fathom_global_bound *bound, const fathom_objective *problem,
                                       fathom_proof *proof)
{
    const int64_t n = problem->n * problem->outputs;
    *bound = (fathom_global_bound){
        .problem = problem, .method = "no loss is negative", .price = INFINITY, .proof = proof};
    bound->v = fathom_memory_zero(problem->context, n, sizeof *bound->v);
    bound->met = fathom_memory_zero(problem->context, problem->d + 1, sizeof *bound->met);
    if (!bound->v || !bound->met)
        return FATHOM_ERROR_MEMORY;
    if (!problem->constant)
        return FATHOM_OK;
    if (proof && !proof->centre)
        proof->centre = fathom_memory_alloc(problem->context, problem->d, sizeof *proof->centre);
    if (proof && !proof->centre)
        return FATHOM_ERROR_MEMORY;
    return fathom_global_lift(&bound->lifted, problem, proof ? proof->centre : NULL);
}

fathom_status fathom_global_bound_reserve(fathom_global_bound *bound)
{
    const fathom_objective *p = bound->problem;
    if (!bound->origin)
        bound->origin = fathom_memory_zero(p->context, p->n * p->outputs + 1, sizeof *bound->origin);
    return bound->origin ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* The problem in the form that bounds on prices take. */
static const fathom_objective *form(const fathom_global_bound *bound)
{
    return bound->lifted ? bound->lifted : bound->problem;
}

void fathom_global_bound_close(fathom_global_bound *bound)
{
    if (!bound->problem)
        return;
    fathom_memory_free(bound->problem->context, bound->v);
    fathom_memory_free(bound->problem->context, bound->met);
    fathom_memory_free(bound->problem->context, bound->origin);
    fathom_global_search_free(bound->search);
    fathom_global_search_free(bound->ahead);
    fathom_global_lift_free(bound->lifted);
    *bound = (fathom_global_bound){0};
}

/* Softmax: entries beside the label, -c p <= 0, rounded towards 0 to multiples of a power of two, the
 * label's minus their sum: rows sum to 0 exactly, as certificates need them, so that prices found here are
 * prices there. */
static void settle_rows(double *v, const fathom_objective *p)
{
    int e;
    frexp(fathom_blas_sum_abs(v, p->n * p->outputs), &e);
    const double unit = ldexp(1, e - 51);
    for (int64_t i = 0; i < p->n; i++) {
        int64_t label = -1;
        double sum = 0;
        for (int64_t k = 0; k < p->outputs; k++)
            label = p->y[k * p->n + i] == 1 ? k : label;
        for (int64_t k = 0; k < p->outputs && label >= 0; k++) {
            double *one = v + k * p->n + i;
            *one = k == label ? 0 : fmin(trunc(*one / unit) * unit, 0);
            sum += *one;
        }
        if (label >= 0)
            v[label * p->n + i] = -sum;
    }
}

/* The residual moved into the dual domain: for classification 0 <= y v <= c. */
static void enter_domain(double *v, const fathom_objective *p, const double *residual)
{
    memcpy(v, residual, (size_t)(p->n * p->outputs) * sizeof *v);
    const bool labels = !p->equality && p->outputs == 1 && fathom_loss_row_of(p->loss)->signs;
    for (int64_t i = 0; labels && i < p->n; i++)
        v[i] = p->y[i] * fmin(fmax(p->y[i] * v[i], 0), fathom_objective_weight(p, i));
    if (!p->equality)
        fathom_objective_enter_box(v, p);
    fathom_objective_balance(v, p);
    if (!p->equality && fathom_loss_row_of(p->loss)->simplex)
        settle_rows(v, p);
    if (!p->equality && p->outputs == 1) /* one class, or one side, at zero balances both away */
        fathom_objective_wake_dual(v, p);
}

/* Keeps v with its price where its bound is better. */
static void keep_dual(fathom_global_bound *bound, const double *v, double lower, double price,
                      const char *method)
{
    const fathom_objective *p = form(bound);
    bound->proved = fmax(bound->proved, lower);
    if (!(lower > bound->lower))
        return;
    bound->lower = lower;
    bound->price = price;
    bound->method = method;
    memcpy(bound->v, v, (size_t)(p->n * p->outputs) * sizeof *v);
}

/* The same with the bound that a computed price gives. */
static void offer(fathom_global_bound *bound, const double *v, double price, const char *method)
{
    keep_dual(bound, v, price < INFINITY ? fathom_objective_bound(form(bound), v, price) : -INFINITY, price,
              method);
}

/* The largest price of v with which its bound is at least `wanted`; 0 where no price is small enough. */
static double price_for(const fathom_objective *p, const double *v, double wanted)
{
    double low = 0, high = 4 * p->beta;
    if (!(fathom_objective_bound(p, v, p->beta / 64) >= wanted))
        return 0;
    for (int k = 0; k < 40; k++) {
        const double middle = (low + high) / 2;
        *(fathom_objective_bound(p, v, middle) >= wanted ? &low : &high) = middle;
    }
    return low;
}

/* Small rank: the price of v itself, to a tenth of the gap that is wanted, and the neuron that has it. */
static fathom_status meet_exactly(fathom_price_result *result, fathom_global_bound *bound, const double *v,
                                  const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const fathom_price_problem price = fathom_price_at(p, v, p->outputs);
    const double gap = fmax(1e-12, (effort->value - effort->enough) / effort->value);
    const fathom_price_options options = {.method = FATHOM_PRICE_AUTO,
                                          .gap = gap / 10,
                                          .enough = price_for(form(bound), v, effort->enough),
                                          .excess = p->beta};
    FATHOM_TRY(fathom_price_bound(result, bound->met, &price, &options));
    bound->met_price = result->lower;
    bound->met_sign = result->sign;
    if (!p->constant)
        bound->met[p->d] = 0;
    return FATHOM_OK;
}

/* The same as a bound. */
static fathom_status bound_exactly(fathom_global_bound *bound, const double *v,
                                   const fathom_global_effort *effort)
{
    fathom_price_result result;
    FATHOM_TRY(meet_exactly(&result, bound, v, effort));
    const double before = bound->lower;
    offer(bound, v, result.upper, result.method);
    if (bound->proof && bound->lower > before && fathom_global_in_plane(bound->problem))
        fathom_proof_set_exact(bound->proof, v, result.upper, bound->lower);
    bound->exhausted = true;
    return FATHOM_OK;
}

static void take_offer(void *user, const double *v, double price, const char *method)
{
    offer(user, v, price, method);
}

/* The proof of the bound and this one change places, but for the centre. */
static void replace_proof(fathom_global_bound *bound, fathom_proof *proof)
{
    const fathom_proof old = *bound->proof;
    *bound->proof = *proof;
    bound->proof->centre = old.centre;
    *proof = old;
    proof->centre = NULL;
}

/* Every size: the joint relaxation and branching on signs. Their evidence replaces what is there where
 * their bound is better. */
static fathom_status bound_by_search(fathom_global_bound *bound, const double *v,
                                     const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const double before = bound->lower;
    fathom_proof *proof = NULL;
    fathom_status status = FATHOM_OK;
    if (bound->proof)
        status = fathom_proof_create(&proof, p->context, p->n, p->d, 1);
    if (status == FATHOM_OK && proof)
        proof->most_bytes = bound->proof->most_bytes;
    if (!bound->search) {
        bound->search = bound->ahead;
        bound->ahead = NULL;
    }
    FATHOM_THEN(status, fathom_global_search_run(&bound->exhausted, &bound->search, form(bound), p, v, effort,
                                                 &bound->lower, take_offer, bound, proof));
    if (status == FATHOM_OK && proof && bound->lower > before)
        replace_proof(bound, proof);
    fathom_proof_free(proof);
    return status;
}

bool fathom_global_bound_begun(const fathom_global_bound *bound)
{
    return bound->search || (isfinite(bound->price) && !bound->glanced);
}

double fathom_global_bound_limit(const fathom_global_bound *bound)
{
    return bound->search && bound->search->joint ? bound->search->joint->limit : 0;
}

double fathom_global_bound_ideal(const fathom_global_bound *bound)
{
    return bound->search ? bound->search->ideal : 0;
}

/* The joint relaxation with few neighbours and steps; v is the start, then the dual point. */
static fathom_status glance_at(fathom_joint_result *result, fathom_global_bound *bound, double *v,
                               double value, fathom_proof *proof)
{
    const fathom_objective *p = bound->problem;
    const fathom_joint_options options = {.neighbours = GLANCE_NEIGHBOURS,
                                          .enough = INFINITY,
                                          .value = value,
                                          .divisor = p->divisor > 0 ? p->divisor : 1,
                                          .brief = true,
                                          .proof = proof};
    return fathom_joint_improve(result, v, form(bound), &options);
}

/* Its first stage where points are many; the search goes on from there. */
static fathom_status glance_far(fathom_joint_result *result, fathom_global_bound *bound, double *v,
                                double value, fathom_proof *proof)
{
    const fathom_objective *p = bound->problem;
    const fathom_status status =
        fathom_global_search_glance(&bound->ahead, form(bound), p, v, value, result, proof);
    if (bound->ahead && bound->ahead->v_joint)
        memcpy(v, bound->ahead->v_joint, (size_t)p->n * sizeof *v);
    return status;
}

bool fathom_global_bound_glances_late(const fathom_global_bound *bound)
{
    return bound->problem->outputs == 1 && !bound->problem->equality && fathom_joint_is_large(form(bound));
}

fathom_status fathom_global_bound_glance(fathom_global_bound *bound, const double *residual, double value)
{
    const fathom_objective *p = bound->problem;
    const fathom_price_problem price = fathom_price_at(p, residual, p->outputs);
    bool small;
    fathom_status status = fathom_price_is_small(&small, &price);
    const double work = (double)p->n * (double)p->n * (double)p->d;
    const bool large = fathom_joint_is_large(form(bound));
    if (status != FATHOM_OK || small || p->outputs > 1 || p->equality || (work > MOST_GLANCED && !large) ||
        work > MOST_BEGUN)
        return status;
    const double before = bound->lower;
    fathom_joint_result result = {0, INFINITY};
    fathom_proof *proof = NULL;
    double *v = fathom_memory_alloc(p->context, p->n, sizeof *v);
    status = v ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && bound->proof)
        status = fathom_proof_create(&proof, p->context, p->n, p->d, 1);
    if (status == FATHOM_OK) {
        enter_domain(v, p, residual);
        status = (large ? glance_far : glance_at)(&result, bound, v, value, proof);
    }
    if (status == FATHOM_OK && result.price < INFINITY)
        offer(bound, v, result.price, "joint relaxation");
    if (status == FATHOM_OK && proof && bound->lower > before) {
        proof->most_bytes = bound->proof->most_bytes;
        replace_proof(bound, proof);
    }
    bound->glanced = true;
    fathom_proof_free(proof);
    fathom_memory_free(p->context, v);
    return status;
}

/* To which directions of outputs are told apart: a quarter of the gap that is wanted. */
static double outputs_gap(const fathom_global_effort *effort)
{
    return fmax(1e-7, (effort->value - effort->enough) / effort->value / 4);
}

/* v moved into the domain, in place: several outputs. */
static void settle_outputs(double *v, const fathom_objective *p)
{
    fathom_objective_balance(v, p);
    if (!p->equality && fathom_loss_row_of(p->loss)->simplex)
        settle_rows(v, p);
}

/* The relaxation on rays of output directions, from the origin. Its evidence replaces what is there where
 * its bound is better. */
static fathom_status run_rays(fathom_global_bound *bound, const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const fathom_rays_options options = {
        .enough = effort->enough, .value = effort->value, .enter = settle_outputs};
    const double before = bound->lower, limited = bound->proof ? bound->proof->most_bytes : 0;
    fathom_joint_result result = {0, INFINITY};
    fathom_proof *proof = NULL;
    double *w = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *w);
    fathom_status status = w ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && bound->proof)
        status = fathom_proof_create(&proof, p->context, p->n, p->d, p->outputs);
    if (status == FATHOM_OK) {
        memcpy(w, bound->origin, (size_t)(p->n * p->outputs) * sizeof *w);
        status = fathom_global_rays_run(&result, w, form(bound), p, limited > 0 ? 0 : rays_seconds, &options,
                                        proof);
    }
    if (status == FATHOM_OK && result.price < INFINITY)
        offer(bound, w, result.price, rays_method);
    if (status == FATHOM_OK && proof && bound->lower > before) {
        proof->most_bytes = bound->proof->most_bytes;
        replace_proof(bound, proof);
    }
    fathom_proof_free(proof);
    fathom_memory_free(p->context, w);
    return status;
}

/* The same from v, unless the network has gained little since it was done. */
static fathom_status bound_by_rays(bool *done, fathom_global_bound *bound, const double *v,
                                   const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const int64_t size = p->n * p->outputs;
    *done = fathom_global_rays_apply(p) &&
            !(bound->origin && bound->origin[size] - effort->value < 0.02 * (effort->value - bound->lower));
    if (!*done)
        return FATHOM_OK;
    const fathom_status status = fathom_global_bound_reserve(bound);
    if (status != FATHOM_OK)
        return status;
    memcpy(bound->origin, v, (size_t)size * sizeof *v);
    bound->origin[size] = effort->value;
    return run_rays(bound, effort);
}

/* Several outputs beyond the plane. */
static fathom_status bound_outputs(fathom_global_bound *bound, const double *v,
                                   const fathom_global_effort *effort)
{
    double price;
    const double gap = outputs_gap(effort);
    const fathom_status status =
        fathom_global_outputs_price(&price, form(bound), bound->problem, v, gap, effort->total);
    const double before = bound->lower;
    if (status == FATHOM_OK)
        offer(bound, v, price, "directions of outputs");
    if (bound->lower > before) {
        bound->fine = gap;
        bound->total = effort->total;
    }
    bound->exhausted = true;
    return status;
}

/* Softmax: rows as settle_rows leaves them, the label's entry at most the weight. */
static fathom_status in_simplices(bool *inside, const fathom_objective *p, const double *v)
{
    const int64_t size = p->n * p->outputs;
    double *settled = fathom_memory_alloc(p->context, size, sizeof *settled);
    if (!settled)
        return FATHOM_ERROR_MEMORY;
    memcpy(settled, v, (size_t)size * sizeof *v);
    settle_rows(settled, p);
    *inside = true;
    for (int64_t i = 0; i < size; i++)
        *inside =
            *inside && isfinite(v[i]) && settled[i] == v[i] && v[i] <= fathom_objective_weight(p, i % p->n);
    fathom_memory_free(p->context, settled);
    return FATHOM_OK;
}

/* Whether v, from a file, is a point of the dual domain as the bounds take it. */
static fathom_status in_domain(bool *inside_domain, const fathom_objective *p, const double *v)
{
    if (!p->equality && fathom_loss_row_of(p->loss)->simplex)
        return in_simplices(inside_domain, p, v);
    bool inside = true;
    const bool labels = !p->equality && fathom_loss_row_of(p->loss)->signs;
    for (int64_t i = 0; i < p->n * p->outputs; i++)
        inside = inside && isfinite(v[i]) && !(labels && p->y[i] * v[i] < 0);
    *inside_domain = inside;
    return FATHOM_OK;
}

/* A bound by rays from a file: it is found again from where they began. */
static fathom_status confirm_rays(fathom_global_bound *bound)
{
    const fathom_objective *p = bound->problem;
    const double told = bound->lower;
    bool finite = true;
    for (int64_t k = 0; k < p->n * p->outputs; k++)
        finite = finite && isfinite(bound->origin[k]);
    bound->lower = bound->proved = 0;
    const fathom_status status =
        finite ? run_rays(bound, &(fathom_global_effort){.value = NAN, .enough = told}) : FATHOM_OK;
    bound->proved = fmin(told, bound->lower);
    bound->lower = told;
    return status;
}

fathom_status fathom_global_bound_confirm(fathom_global_bound *bound, double price)
{
    if (bound->origin && bound->lower > 0 && strcmp(bound->method, rays_method) == 0)
        return confirm_rays(bound);
    const fathom_objective *p = bound->problem;
    const fathom_price_problem at = fathom_price_at(p, bound->v, p->outputs);
    const fathom_price_options finest = {.method = FATHOM_PRICE_AUTO,
                                         .gap = 1e-13, /* a little below: what is left open is rounded up */
                                         .enough = bound->price * (1 - 1e-10),
                                         .excess = INFINITY};
    fathom_price_result result = {.upper = price};
    bool small = false, inside = false;
    bound->proved = 0;
    const fathom_status domain = in_domain(&inside, p, bound->v);
    if (domain != FATHOM_OK || !(bound->lower > 0) || !inside)
        return domain;
    double *met = fathom_memory_alloc(p->context, p->d + 1, sizeof *met);
    fathom_status status = met ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && isinf(price))
        status = fathom_price_is_small(&small, &at);
    if (status == FATHOM_OK && small)
        status = fathom_price_bound(&result, met, &at, &finest);
    else if (status == FATHOM_OK && isinf(price) && p->outputs > 1)
        status = fathom_global_outputs_price(&result.upper, form(bound), p, bound->v, fmax(1e-7, bound->fine),
                                             bound->total);
    fathom_memory_free(p->context, met);
    /* a price that the file does not understate gives its bound, bit for bit */
    const double proved = fmax(result.upper, bound->price);
    if (status == FATHOM_OK && proved < INFINITY)
        bound->proved = fmin(bound->lower, fathom_objective_bound(form(bound), bound->v, proved));
    return status;
}

/* The same with evidence to a gap, which replaces what is there where the bound is better. */
static fathom_status prove_outputs_to(fathom_global_bound *bound, const double *v, double gap, double seconds)
{
    const fathom_objective *p = bound->problem;
    const double before = bound->lower;
    fathom_proof *proof;
    double price = INFINITY;
    fathom_status status = fathom_proof_create(&proof, p->context, p->n, p->d, p->outputs);
    if (status == FATHOM_OK)
        proof->most_bytes = bound->proof->most_bytes;
    FATHOM_THEN(status, fathom_global_outputs_prove(&price, proof, form(bound), p, v, gap, seconds));
    if (status == FATHOM_OK)
        offer(bound, proof->v, price, "directions of outputs");
    if (status == FATHOM_OK && bound->lower > before)
        replace_proof(bound, proof);
    fathom_proof_free(proof);
    return status;
}

/* Fine evidence that a limit cuts short proves little: coarse evidence comes first where there is a limit. */
static fathom_status prove_outputs(fathom_global_bound *bound, const double *v,
                                   const fathom_global_effort *effort)
{
    static const double coarse[] = {0.1, 3e-3};
    const fathom_context *context = bound->problem->context;
    const double gap = outputs_gap(effort);
    fathom_status status = FATHOM_OK;
    for (int k = 0; k < 2 && fathom_context_has_time_limit(context) && status == FATHOM_OK; k++)
        if (gap < coarse[k])
            status = prove_outputs_to(bound, v, coarse[k], effort->total / 10);
    FATHOM_THEN(status, prove_outputs_to(bound, v, gap, effort->total));
    bound->exhausted = true;
    return status;
}

/* Several outputs: the dual point moves with rays where prices are not exact; once the network stands still
 * the directions of its residual are looked at. */
static fathom_status bound_several(fathom_global_bound *bound, const double *v,
                                   const fathom_global_effort *effort, bool exact)
{
    bool done = false;
    const fathom_status status = exact ? FATHOM_OK : bound_by_rays(&done, bound, v, effort);
    bound->exhausted = false;
    if (status != FATHOM_OK || done || bound->lower >= effort->enough)
        return status;
    return bound->proof ? prove_outputs(bound, v, effort) : bound_outputs(bound, v, effort);
}

/* The proof is kept where it gives more than there was `before`. */
static void take_kinks(fathom_global_bound *bound, fathom_proof *proof, const double *v, double before)
{
    if (!bound->proof || !(bound->lower > before))
        return;
    memcpy(proof->v, v, (size_t)bound->problem->n * sizeof *v);
    proof->lower = bound->lower;
    replace_proof(bound, proof);
}

/* The same on few points, where trees leave a gap: all signs around every kink. */
static fathom_status prove_signs(fathom_global_bound *bound, const double *v,
                                 const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const double before = bound->lower, aim = price_for(form(bound), v, effort->enough);
    double price = INFINITY;
    fathom_proof *proof;
    FATHOM_TRY(fathom_proof_create(&proof, p->context, p->n, p->d, 1));
    const fathom_status status = fathom_global_kinks_prove(&price, proof, p, v, aim);
    if (status == FATHOM_OK) {
        offer(bound, v, price, "all signs around every kink");
        take_kinks(bound, proof, v, before);
    }
    fathom_proof_free(proof);
    return status;
}

/* Free biases beyond the plane at small rank: trees for every kink, to the exact price. */
static fathom_status prove_kinks(fathom_global_bound *bound, const double *v,
                                 const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const fathom_price_problem exact = fathom_price_at(p, v, 1);
    const double gap = outputs_gap(effort) / 3, before = bound->lower;
    const fathom_price_options options = {.method = FATHOM_PRICE_AUTO, .gap = gap, .excess = INFINITY};
    double price = INFINITY, work = 0, *w = fathom_memory_alloc(p->context, p->n, sizeof *w);
    fathom_price_result result;
    fathom_proof *proof = NULL;
    fathom_status status =
        w ? fathom_price_bound(&result, bound->met, &exact, &options) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK && fathom_objective_bound(form(bound), v, result.upper) > before) {
        status = fathom_proof_create(&proof, p->context, p->n, p->d, 1);
        if (status == FATHOM_OK) {
            memcpy(w, v, (size_t)p->n * sizeof *w);
            status = fathom_direction_prove_kinks(&price, proof, p, w, 0, result.upper * (1 + gap), 0, &work);
        }
    }
    if (status == FATHOM_OK && proof) {
        offer(bound, v, price, "a tree for every kink");
        take_kinks(bound, proof, v, before);
    }
    fathom_proof_free(proof);
    fathom_memory_free(p->context, w);
    return status;
}

/* Few cones, one output, no free bias: each of them is listed with its projection. */
static fathom_status prove_cones(fathom_global_bound *bound, const double *v)
{
    const fathom_objective *p = bound->problem;
    const double before = bound->lower;
    fathom_proof *proof;
    fathom_status status = fathom_proof_create(&proof, p->context, p->n, p->d, 1);
    FATHOM_THEN(status, fathom_global_all_cones_prove(proof, p, v));
    if (status == FATHOM_OK)
        keep_dual(bound, v, proof->lower, proof->exact_price, "projections on all cones");
    if (status == FATHOM_OK && bound->proof && bound->lower > before)
        replace_proof(bound, proof);
    fathom_proof_free(proof);
    bound->exhausted = !bound->proof && status == FATHOM_OK;
    return status == FATHOM_ERROR_RUNTIME || status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

/* Whether rounding may be what keeps the price of v above what is wanted: near rows and rows far from the
 * origin have terms that cancel. */
static bool rounding_hides(const fathom_objective *p, const double *v, const fathom_global_effort *effort)
{
    double mass = 0;
    for (int64_t i = 0; i < p->n; i++)
        mass += fabs(v[i]) * p->reach[i];
    const double gap = fmax(1e-12, (effort->value - effort->enough) / effort->value);
    return (double)(p->n + 256) * DBL_EPSILON * mass > 0.1 * gap * p->beta;
}

/* Free biases: with b on the kink of x_k the rows are x_i - x_k, and their cones are few. What the
 * differences lose to rounding counts in full. */
static fathom_status price_kink(double *price, const fathom_objective *p, const double *v, int64_t k,
                                double *shifted, double *reach)
{
    double lost = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double error = 0;
        for (int64_t l = 0; l < p->d; l++) {
            const double a = p->x[i * p->d + l], b = p->x[k * p->d + l], d = a - b, back = d - a;
            shifted[i * p->d + l] = d;
            error += fabs((a - (d - back)) - (b + back));
        }
        reach[i] = fathom_blas_norm_up(shifted + i * p->d, p->d, 4);
        lost += fabs(v[i]) * error;
    }
    fathom_objective one = *p;
    fathom_proof *proof;
    one.constant = false;
    one.x = shifted;
    one.reach = reach;
    fathom_status status = fathom_proof_create(&proof, p->context, p->n, p->d, 1);
    FATHOM_THEN(status, fathom_global_all_cones_prove(proof, &one, v));
    if (status == FATHOM_OK)
        *price = fmax(*price, proof->exact_price + lost * (1 + (double)p->n * DBL_EPSILON));
    fathom_proof_free(proof);
    return status;
}

/* w (n) = v on a grid on which sums are exact, with the sum 0. */
static void balance_exactly(double *w, const double *v, int64_t n)
{
    int e;
    frexp(fathom_blas_sum_abs(v, n), &e);
    const double unit = ldexp(1, e - 51);
    double sum = 0;
    int64_t largest = 0;
    for (int64_t i = 0; i < n; i++) {
        w[i] = rint(v[i] / unit) * unit;
        sum += w[i];
        largest = fabs(w[i]) > fabs(w[largest]) ? i : largest;
    }
    w[largest] -= sum;
}

static fathom_status price_kinks(fathom_global_bound *bound, const double *v)
{
    const fathom_objective *p = bound->problem;
    const double before = bound->lower;
    double price = 0, *w = fathom_memory_alloc(p->context, p->n * (p->d + 2), sizeof *w);
    fathom_status status = w ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK)
        balance_exactly(w, v, p->n);
    for (int64_t k = 0; k < p->n && status == FATHOM_OK; k++)
        status = price_kink(&price, p, w, k, w + p->n, w + p->n * (p->d + 1));
    if (status == FATHOM_OK)
        keep_dual(bound, w, fathom_objective_bound_priced(p, w, price), price, "projections on all cones");
    if (status == FATHOM_OK && bound->proof && bound->lower > before)
        fathom_proof_set_exact(bound->proof, w, price, bound->lower);
    fathom_memory_free(p->context, w);
    return status == FATHOM_ERROR_RUNTIME || status == FATHOM_ERROR_STOPPED ? FATHOM_OK : status;
}

/* Small rank; where rounding hides the price, cones decide it in rational arithmetic (global_cones.c). */
static fathom_status bound_small(fathom_global_bound *bound, const double *v,
                                 const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    const fathom_status status = bound_exactly(bound, v, effort);
    if (status != FATHOM_OK || p->outputs > 1 || bound->without_cones || bound->lower >= effort->enough ||
        !(p->equality || rounding_hides(p, v, effort)))
        return status;
    if (fathom_global_few_cones(p))
        return prove_cones(bound, v);
    return p->constant && (!bound->proof || fathom_global_in_plane(p)) &&
                   (double)p->n * fathom_cover_count(p->n - 1, p->d) <= MOST_KINK_CONES
               ? price_kinks(bound, v)
               : status;
}

/* Evidence by cones; where it leaves a gap, the neuron that the network lacks. */
static fathom_status prove_and_meet(fathom_global_bound *bound, const double *v,
                                    const fathom_global_effort *effort)
{
    fathom_price_result result;
    FATHOM_TRY(prove_cones(bound, v));
    return bound->lower >= effort->enough ? FATHOM_OK : meet_exactly(&result, bound, v, effort);
}

/* Whether n trees are affordable. */
static bool few_kinks(const fathom_objective *p)
{
    return p->constant && p->outputs == 1 && (double)p->n * (double)p->n * (double)p->d <= MOST_KINKS;
}

fathom_status fathom_global_bound_improve(fathom_global_bound *bound, const double *residual,
                                          const fathom_global_effort *effort)
{
    const fathom_objective *p = bound->problem;
    double *v = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    enter_domain(v, p, residual);
    const fathom_price_problem price = fathom_price_at(p, v, p->outputs);
    bool small;
    bound->met_price = 0;
    fathom_status status = fathom_price_is_small(&small, &price);
    const bool exact = small;
    if (bound->proof)
        small = p->outputs == 1 && fathom_global_in_plane(p);
    /* interpolation meets its neurons elsewhere (relu_cuts.c), and takes data that subdivision is slow on */
    const bool cones = (bound->proof ? !(bound->proof->most_bytes > 0) : p->equality) &&
                       !bound->without_cones && !fathom_global_in_plane(p) && fathom_global_few_cones(p);
    if (status == FATHOM_OK && cones)
        status = exact && !p->equality ? prove_and_meet(bound, v, effort) : prove_cones(bound, v);
    else if (status == FATHOM_OK && small)
        status = bound_small(bound, v, effort);
    else if (status == FATHOM_OK && p->outputs > 1)
        status = bound_several(bound, v, effort, exact);
    else if (status == FATHOM_OK && bound->proof && exact && few_kinks(p))
        status = prove_kinks(bound, v, effort);
    if (status == FATHOM_OK && !small && bound->lower < effort->enough && fathom_global_few_signs(p))
        status = prove_signs(bound, v, effort);
    const bool search = status == FATHOM_OK && p->outputs == 1 && !small && !(cones && bound->exhausted);
    if (search && !(bound->lower >= effort->enough))
        status = bound_by_search(bound, v, effort);
    fathom_memory_free(p->context, v);
    return status;
}
