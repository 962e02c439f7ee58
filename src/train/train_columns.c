/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Training over ALL ReLU networks by column generation: a network from above, fathom_global_bound from
 * below, in turns.
 *
 *     minimise  sum_i c_i l(f_i, y_i) + beta sum_j |w_j||u_j|,   f_i = c + sum_j w_j relu(<u_j, x_i> + b_j)
 *
 * Above, two ways. Rounds of growth: neurons whose price |V'(Xu + b)_+| at the residual V exceeds beta are
 * found by local ascent and added, weights are solved for with the directions fixed, and all parameters
 * descended together. Where the problem is small enough, rounds over faces (relu_faces.h) follow: local
 * maximisers of the price at the master's dual point give the faces, the master over their spans gives the
 * next network and dual point; this reaches relative accuracies of 1e-8 to 1e-10, where descent stalls at
 * 1e-4 to 1e-6. Below: fathom_global_bound_improve from the last dual point; a neuron met there that the
 * network lacks is added and the turn goes back. The search from above is local and proves nothing; the
 * bound from below holds for every network. [001, eq. 16-19]
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "columns_state.h"
#include "context_internal.h"
#include "global_rays.h"
#include "memory.h"
#include "price.h"
#include "relu_columns.h"
#include "relu_others.h"
#include "row_space.h"
#include "train_relu.h"

enum {
    ROUNDS = 100,
    FEW_ROUNDS = 4,
    BRIEF_ROUNDS = 8,
    LAST_ROUNDS = 12,
    SLICE_ROUNDS = 4,
    IDLE_ROUNDS = 3,
    FRUITLESS_TURNS = 2,
    TURNS = 1000
};

static const double default_effort = 60; /* for the lower side, without a time limit */
static const double SLICE_EFFORT = 8;    /* of the lower side between two states */
static const double brief = 1e-3;        /* accuracy up to which a network is looked at briefly, relative */
static const double last_look = 1e-6; /* relative accuracy of the network, however wide the gap asked for */

/* How far the network is worth improving: to a share of the gap that is open, as long as the bound may be
 * what keeps it. `value`: of the network as the turn found it, so that a turn that is resumed asks for the
 * same. */
static double worthwhile(const fathom_columns *a, double value, double share)
{
    const double finest = fmax(0.1 * a->problem->options->gap, 1e-11);
    const double open = value > 0 && isfinite(value) ? (value - a->below.lower) / value : 1;
    return fmax(finest, share * fmin(open, 1));
}

/* The state to the file of --checkpoint, unless a limit has cut short what led to it. */
static fathom_status write_state(const fathom_columns *a, const fathom_columns_turns *t)
{
    const fathom_train_problem *p = a->problem;
    const bool cut = fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
    return p->options->checkpoint && !cut ? fathom_columns_write(a, t, p->options->checkpoint) : FATHOM_OK;
}

/* Rounds of growth, in slices that states stand between. */
static fathom_status grow(fathom_columns *a, fathom_columns_turns *t, int64_t most, int64_t idle,
                          double least)
{
    fathom_status status = FATHOM_OK;
    while (status == FATHOM_OK && t->grown < most && t->idle < idle &&
           fathom_context_stop_reason(a->problem->context) == FATHOM_STOP_NONE) {
        if (t->grown > 0 && !t->below)
            status = write_state(a, t);
        FATHOM_THEN(status, fathom_columns_grow(a, &t->rounds, &t->idle, SLICE_ROUNDS, idle, least));
        t->grown += SLICE_ROUNDS;
    }
    return status;
}

/* The first bound where it waited: from the network that training began with, so that it is the same
 * whenever a run is resumed. */
static fathom_status glance_now(fathom_columns *a)
{
    if (!a->early || fathom_context_stop_reason(a->problem->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    const fathom_status status = fathom_global_bound_glance(&a->below, a->early, a->value);
    fathom_memory_free(a->problem->context, a->early);
    a->early = NULL;
    return status;
}

/* The network while the gap is wide: rounds of growth until one gains little, no faces. */
static fathom_status look_briefly(fathom_columns *a, fathom_columns_turns *t, double fine)
{
    const bool small = fathom_columns_small(a), first = !fathom_global_bound_begun(&a->below);
    const bool far = first && fathom_global_bound_glances_late(&a->below), soon = small || far;
    const double least = !first ? 0.1 * fine : far ? fmax(brief, 0.2 * fine) : brief;
    fathom_status status = FATHOM_OK;
    if (a->early) {
        status = grow(a, t, SLICE_ROUNDS, soon ? 1 : IDLE_ROUNDS, least);
        FATHOM_THEN(status, glance_now(a));
    }
    FATHOM_THEN(status, grow(a, t, small ? BRIEF_ROUNDS : ROUNDS, soon ? 1 : IDLE_ROUNDS, least));
    return status;
}

/* Whether the network, as the turn found it, has nothing to do: as far as prices tell it can gain a tenth of
 * what the bound leaves open, no more, and no neuron was met that it lacks. */
static bool network_waits(const fathom_columns *a, const fathom_columns_turns *t)
{
    const double open = t->before - a->below.lower, ideal = fathom_global_bound_ideal(&a->below);
    return isfinite(t->before) && !(a->below.met_price > (1 + brief) * a->net.beta) &&
           0.02 * open > brief * t->before && ideal > 0 && t->before - ideal < 0.1 * open;
}

/* One turn of the upper side, to a relative accuracy of `fine`. */
static fathom_status improve_network(fathom_columns *a, fathom_columns_turns *t, double fine)
{
    const double gap = a->problem->options->gap;
    const bool small = fathom_columns_small(a);
    if (a->problem->equality && a->interpolates && t->turn == 0)
        return FATHOM_OK; /* the start is bounded first */
    if (a->problem->equality)
        return fathom_columns_interpolate(a, &t->rounds, fmax(0.03 * gap, 1e-10), t->turn > 1);
    if (fathom_columns_may_cut(a)) {
        bool optimal;
        const fathom_status status = fathom_columns_cut(&optimal, a, &t->rounds, fmax(0.1 * gap, 1e-10));
        if (status != FATHOM_OK || optimal)
            return status;
    }
    /* growth only prepares the ground where faces can be afforded; where they turn out too many it goes on */
    const bool first = !fathom_global_bound_begun(&a->below) && fine > brief;
    if (fine > brief && (a->problem->outputs == 1 || (!small && fathom_global_rays_apply(&a->goal))))
        return look_briefly(a, t, fine);
    const double least = fmax(1e-6, fmin(0.1 * gap, fine));
    fathom_status status = grow(a, t, small ? FEW_ROUNDS : ROUNDS, IDLE_ROUNDS, least);
    if (!small)
        return status;
    if (status == FATHOM_OK && t->grown <= FEW_ROUNDS &&
        fathom_context_stop_reason(a->problem->context) == FATHOM_STOP_NONE) {
        status = fathom_columns_polish(a, &t->rounds, fine);
        t->grown = FEW_ROUNDS + 1; /* which tells that the faces are done with */
        t->idle = 0;
    }
    if (status == FATHOM_OK && (first || fathom_columns_too_many_faces(a)))
        status = grow(a, t, FEW_ROUNDS + LAST_ROUNDS, IDLE_ROUNDS, least);
    return status;
}

/* The state of a run that is resumed, and the glance at its start unless the bound is beyond it: always from
 * the same network, so that every part of a run makes the same. */
static fathom_status take_state(fathom_columns *a, fathom_columns_turns *t)
{
    const fathom_train_problem *p = a->problem;
    const size_t size = (size_t)(p->n * p->outputs);
    const double value = a->value;
    double *v = fathom_memory_alloc(p->context, p->n * p->outputs, sizeof *v);
    if (!v)
        return FATHOM_ERROR_MEMORY;
    memcpy(v, a->v, size * sizeof *v);
    fathom_status status = p->options->resume ? fathom_columns_read(a, t, p->options->resume) : FATHOM_OK;
    if (status == FATHOM_OK && !fathom_global_bound_begun(&a->below)) {
        if (fathom_global_bound_glances_late(&a->below)) {
            a->early = v;
            return FATHOM_OK;
        }
        status = fathom_global_bound_glance(&a->below, v, value);
    }
    fathom_memory_free(p->context, v);
    return status;
}

/* Bound and proof are opened; a run that is resumed takes over the state of its file. */
static fathom_status begin(fathom_train_result *result, fathom_columns *a, fathom_columns_turns *t)
{
    const fathom_train_problem *p = a->problem;
    const fathom_objective objective = fathom_train_objective(p, 1);
    const fathom_price_problem price = fathom_price_at(&objective, a->v, p->outputs);
    bool exact;
    fathom_status status = fathom_price_is_small(&exact, &price);
    /* an exact price costs the same for a poor network as for the best: it is proved once the network is
     * done */
    *t = (fathom_columns_turns){
        .seconds = p->brief ? p->options->effort : 2, .before = INFINITY, .share = exact ? 0 : 0.02};
    if (status == FATHOM_OK && !exact) /* three copies of the points on either side of the joint relaxation */
        status = fathom_context_require(p->context, 8 * 6.0 * (double)p->n * (double)(p->d + 1),
                                        "the bound over all networks");
    if (status == FATHOM_OK && fathom_train_proves(p->options))
        status = fathom_proof_create(&result->proof, p->context, p->n, p->d, p->outputs);
    FATHOM_THEN(status, fathom_global_bound_open(&a->below, &a->goal, result->proof));
    a->below.without_cones = p->dependent;
    if (result->proof && !isnan(p->options->certificate_size))
        result->proof->most_bytes = 1e6 * p->options->certificate_size;
    return status == FATHOM_OK ? take_state(a, t) : status;
}

/* Effort for the lower side in all: as asked; else until the time limit, and without one a minute's worth. */
static double total_effort(const fathom_train_problem *p)
{
    if (!isnan(p->options->effort))
        return p->options->effort;
    return fathom_context_has_time_limit(p->context) ? INFINITY : default_effort;
}

/* One turn of the lower side, in slices of effort that states stand between; a proof is made only once. */
static fathom_status improve_bound(fathom_columns *a, fathom_columns_turns *t)
{
    fathom_status status = FATHOM_OK;
    /* a little more than asked for: rounding must not decide */
    fathom_global_effort effort = {a->value, a->value * (1 - 0.9 * a->problem->options->gap), 0,
                                   total_effort(a->problem)};
    for (;;) {
        effort.seconds = a->below.proof ? t->seconds : fmin(t->seconds - t->spent, SLICE_EFFORT);
        status = fathom_global_bound_improve(&a->below, a->v, &effort);
        t->spent += effort.seconds;
        t->below = t->spent >= t->seconds || a->below.exhausted || a->below.lower >= effort.enough;
        if (status != FATHOM_OK || t->below ||
            fathom_context_stop_reason(a->problem->context) != FATHOM_STOP_NONE)
            return status;
        status = write_state(a, t);
        if (status != FATHOM_OK)
            return status;
    }
}

/* The sides that the turn has not been through. */
static fathom_status take_turn(fathom_columns *a, fathom_columns_turns *t)
{
    fathom_status status = FATHOM_OK;
    if (!t->above) {
        t->lower = a->below.lower;
        if (!network_waits(a, t))
            status = improve_network(a, t, worthwhile(a, t->before, t->share));
        t->above = true;
        FATHOM_THEN(status, write_state(a, t));
    }
    return status == FATHOM_OK ? improve_bound(a, t) : status;
}

/* After a turn: whether the gap is reached, or neither side moves; if not, the next turn begins. */
static bool finished(fathom_columns *a, fathom_columns_turns *t, bool insist)
{
    const double gap = a->problem->options->gap;
    if (a->below.proved >= a->value * (1 - gap))
        return true;
    if (a->below.lower >= a->value * (1 - gap)) /* what a state says is not enough to end on */
        a->below.lower = a->below.proved;
    if (a->problem->equality && !a->interpolates && t->turn >= FRUITLESS_TURNS)
        return true;
    const double little = 0.01 * (a->value - a->below.lower);
    const bool moved = t->before - a->value > little || a->below.lower - t->lower > little;
    const bool searched = !a->problem->equality || t->turn > 0; /* beyond the start */
    if (!insist && searched && a->below.exhausted && !moved &&
        !(worthwhile(a, a->value, t->share) > fmax(0.1 * gap, 1e-11)))
        return true;
    t->share *= moved ? 1 : 0.1; /* neither side gained: the network is looked at more closely */
    t->before = a->value;
    t->seconds *= 2;
    t->above = t->below = false;
    t->grown = t->idle = 0;
    t->spent = 0;
    return ++t->turn >= TURNS;
}

/* A wide gap is reached with a network that is no better than it had to be: it is improved as far as is
 * cheap. */
static fathom_status look_again(fathom_columns *a, fathom_columns_turns *t)
{
    const fathom_train_problem *p = a->problem;
    if (p->equality || !(worthwhile(a, a->value, 0) > last_look) ||
        fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE)
        return FATHOM_OK;
    t->grown = fathom_columns_small(a) ? 0 : ROUNDS - LAST_ROUNDS;
    t->idle = 0;
    return improve_network(a, t, last_look);
}

/* Which side keeps the gap open: the network, where the prices found at its best dual point leave most of the
 * gap. */
static const char *what_stands_still(const fathom_columns *a)
{
    const double open = a->value - a->below.lower, network = a->value - a->likely;
    if (a->problem->equality && !a->interpolates)
        return "no network was found that takes these targets, though no rows exclude one: rows or "
               "targets further apart, or --normalize, may decide";
    if (isfinite(network) && network > 0.5 * open && !a->problem->equality)
        return a->problem->constant
                   ? "the network no longer improves; another --seed or a larger penalty may "
                     "decide, or --normalize, which is another problem"
                   : "the network no longer improves; another --seed, --method cells or a "
                     "larger penalty may decide, or --normalize, which is another problem";
    return "the bound no longer moves; more --effort or a --time-limit goes on";
}

/* How far the joint relaxation alone could come, where its own primal tells and that is short of the
 * network. */
static void tell_limit(const fathom_columns *a)
{
    const double limit = fathom_global_bound_limit(&a->below), divisor = a->problem->divisor;
    if (a->problem->silent || !(limit > 0) || !(limit < (1 - a->problem->options->gap) * a->value))
        return;
    fathom_log(a->problem->context, FATHOM_LOG_INFO,
               "the joint relaxation cannot pass about %.5g with its lists of neighbours: beyond it only "
               "branching on "
               "signs improves the bound",
               limit / divisor);
}

/* Upper and lower side in turns until the gap is reached or neither moves. A state whose turn is over is
 * judged by the limits of this run: with a time limit or an effort given one that had stalled goes on,
 * unless it is a point of a path. */
static fathom_status alternate(fathom_train_result *result, fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    fathom_columns_turns t;
    fathom_status status = begin(result, a, &t);
    const bool kept = p->options->checkpoint && fathom_context_stop_reason(p->context) == FATHOM_STOP_NONE;
    FATHOM_THEN(status, write_state(a, &t));
    const bool insist = total_effort(p) != default_effort && !*fathom_context_part(p->context);
    bool done = status == FATHOM_OK && t.below && (p->brief || finished(a, &t, insist));
    while (!done && status == FATHOM_OK) {
        status = take_turn(a, &t);
        if (fathom_columns_stopped(a, a->below.method, t.turn + 1))
            break;
        FATHOM_THEN(status, write_state(a, &t));
        done = p->brief || finished(a, &t, false);
    }
    if (status == FATHOM_OK && done && !p->brief)
        status = look_again(a, &t);
    else if (status == FATHOM_OK && kept)
        status = fathom_columns_note_bound(a, p->options->checkpoint);
    tell_limit(a);
    const bool older = a->floor.proved > a->below.proved;
    result->iterations = t.rounds;
    result->stalled = what_stands_still(a);
    result->lower_bound = (older ? a->floor.proved : a->below.proved) / p->divisor;
    /* short multipliers raise the prices of the proof (bound/sign_proof.c): what is printed is what is
     * proved */
    if (result->proof && result->proof->most_bytes > 0 && result->proof->leaves > 0)
        result->lower_bound = fmin(result->lower_bound, result->proof->lower / p->divisor);
    result->bound = FATHOM_TRAIN_BOUND_GLOBAL;
    result->bound_method = older ? a->floor.method : a->below.method;
    return status;
}

/* beta and beta_max: the best price found at the best constant. Interpolation has neither; there the price
 * of the targets sets the scale of the first penalty. */
static fathom_status choose_beta(fathom_train_result *result, fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    double beta = 1, scale = 0;
    a->loss = fathom_relu_network_problem(&a->net);
    fathom_status status = fathom_relu_beta_max(&scale, &a->inner);
    if (status == FATHOM_OK && !p->equality)
        status = fathom_train_beta(&beta, p, scale);
    if (status != FATHOM_OK)
        return status;
    a->net.beta = beta;
    a->loss.beta = beta;
    a->goal = a->loss;
    a->penalty = scale > 0 ? 10 / scale : 1;
    a->most_penalty = 1e9 * a->penalty;
    if (p->equality) {
        a->goal.equality = true;
        a->goal.y = p->y;
        a->goal.weight = NULL;
    }
    result->beta = p->equality ? 1 : beta / p->divisor;
    result->beta_max = p->equality ? NAN : scale / p->divisor;
    status = fathom_columns_start(a);
    if (p->equality && a->interpolates)
        memcpy(a->v, a->multiplier, (size_t)(p->n * p->outputs) * sizeof *a->v);
    if (a->interpolates)
        return status;
    fathom_columns_measure(a);
    fathom_columns_residual(a);
    return status;
}

static void fill_result(fathom_train_result *result, const fathom_columns *a)
{
    const fathom_train_problem *p = a->problem;
    result->objective = fathom_relu_network_objective(&a->net, &result->loss, &result->norm) / p->divisor;
    result->loss /= p->divisor;
    if (p->equality) {
        result->objective = a->value;
        result->loss = 0;
    }
    if (p->equality && !a->interpolates && !p->silent)
        fathom_log(
            p->context, FATHOM_LOG_WARNING,
            "the network does not interpolate: the largest difference is %.3g times the largest target",
            fathom_columns_misfit(a));
    result->neurons = a->net.m;
    result->method = "columns";
    result->kind = p->loss;
    fathom_train_conclude(result, p);
}

/* Interpolation: what the network as it is given misses, at the prices of the bound: <v, y> <= norm + sum_i
 * |v_i (y_i - f_i)| for every v that is priced at 1, so that the two sides stay in order. */
static void add_misses(fathom_train_result *result, const fathom_columns *a)
{
    const fathom_global_bound *below = a->below.proved >= a->floor.proved ? &a->below : &a->floor;
    if (!isfinite(result->objective) || !below->v || !(below->price > 0) || !isfinite(below->price))
        return;
    const double terms = (double)(a->problem->d + a->net.m + 16);
    const double cost = fathom_relu_cost_of_misses(a->problem, result->net, below->v) / below->price;
    result->objective = fmax(result->objective, result->norm * (1 + terms * DBL_EPSILON) + cost);
    fathom_train_conclude(result, a->problem);
}

fathom_status fathom_columns_applies(bool *yes, const char **why, const fathom_train_problem *problem)
{
    *yes = !problem->equality || problem->n * problem->outputs <= 1500;
    *why = *yes ? "no closed form applies" : "interpolation is for at most 1500 numbers in this version";
    return FATHOM_OK;
}

static fathom_status run_columns(fathom_train_result *result, const fathom_train_problem *problem)
{
    fathom_columns a;
    fathom_status status = fathom_columns_open(&a, problem);
    FATHOM_THEN(status, choose_beta(result, &a));
    FATHOM_THEN(status, alternate(result, &a));
    fathom_context_wind_up(problem->context);
    if (status == FATHOM_ERROR_STOPPED &&
        result->bound_method) /* a step was given up: what is there stands */
        status = FATHOM_OK;
    FATHOM_THEN(status, fathom_columns_select(&a));
    if (status == FATHOM_OK)
        fill_result(result, &a);
    if (status == FATHOM_OK && result->status == FATHOM_TRAIN_CERTIFIED && !problem->silent)
        status = fathom_columns_find_other(&a);
    FATHOM_THEN(status, fathom_relu_network_give(&result->net, &a.net));
    if (status == FATHOM_OK && problem->equality)
        add_misses(result, &a);
    fathom_columns_close(&a);
    return status;
}

fathom_status fathom_columns_run(fathom_train_result *result, const fathom_train_problem *problem)
{
    const bool proved = fathom_train_proves(problem->options);
    fathom_row_space space;
    if (problem->d <= problem->n ||
        (proved && problem->n <= 2)) /* a proof in the plane is not one beyond it */
        return run_columns(result, problem);
    fathom_status status = fathom_row_space_open(&space, problem);
    FATHOM_THEN(status, run_columns(result, &space.problem));
    FATHOM_THEN(status, fathom_row_space_return(result, &space, problem));
    if (status == FATHOM_OK)
        fathom_train_conclude(result, problem);
    fathom_row_space_close(&space);
    return status;
}
