/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow on fixed modes: with the set of open pairs and the sliding pairs B_j of every neuron frozen,
 *
 *     dv_j/dtau = a_j P_j g_j,   da_j/dtau = <v_j, g_j>,   g_j = sum_{i not in B_j} e_ji u_i,
 *
 * u_i the planes of the examples, e_ji = above_i or below_i their effects (planes.c), P_j the projection off span{u_i : i
 * in B_j}, is analytic. B_j is independent (neuron_box.c): the effects t_k that hold its pairs
 * solve U_B U_B' t = -U_B g_j. Planes that depend on B_j stay on their kink as well, at an end of their
 * interval. Events: an open or closed pair reaches its kink; a holding effect leaves the interval between below_k
 * and above_k; an output weight vanishes; and the loss or the time that was asked for. Modes after an event:
 * the box problem of neuron_box.c.
 */
#include <math.h>
#include <string.h>

#include "gemm.h"
#include "memory.h"
#include "reference.h"

static const double kink = 1e-13; /* |z| relative to |v||x| that counts as 0 */

fathom_status fathom_reference_create(reference *r, dynamics_run *run)
{
    const dynamics_problem *problem = run->problem;
    fathom_context *context = problem->context;
    const int64_t n = problem->n, m = problem->m, d = problem->d, count = problem->planes.count;
    *r = (reference){.run = run,
                     .planes = &problem->planes,
                     .n = n,
                     .count = count,
                     .m = m,
                     .d = d,
                     .size = m * d + m + 1,
                     .alpha = problem->plan.kind == FATHOM_NET_LEAKY ? problem->plan.parameter : 0,
                     .both = problem->plan.output,
                     .patience = 1};
    r->mode = fathom_memory_zero(context, m * count, 1);
    r->slope = fathom_memory_zero(context, (2 * count + n) * m, sizeof(double));
    r->f = fathom_memory_zero(context, 2 * n + 2 * count, sizeof(double));
    r->g = fathom_memory_zero(context, m * d, sizeof(double));
    r->first = fathom_memory_zero(context, m + 1, sizeof *r->first);
    const bool ok = r->mode && r->slope && r->f && r->g && r->first;
    if (!ok)
        return FATHOM_ERROR_MEMORY;
    r->z = r->slope + count * m, r->push = r->z + count * m;
    r->force = r->f + n, r->above = r->force + n, r->below = r->above + count;
    return fathom_neuron_work_create(&r->work, context, n, d);
}

void fathom_reference_free(reference *r)
{
    fathom_context *context = r->run->problem->context;
    FATHOM_FREE(context, r->mode, r->slope, r->f, r->g, r->first, r->basis);
    fathom_neuron_work_free(&r->work, context);
}

double fathom_reference_slope(const reference *r, int64_t i, int64_t j)
{
    const int64_t k = r->planes->of[i];
    if (k < 0 || r->mode[j * r->count + k] == REFERENCE_SLIDES)
        return 0;
    const double slope = r->slope[k * r->m + j];
    return r->planes->factor[i] > 0 ? slope : 1 + r->alpha - slope;
}

/* Appends an orthonormal basis of the planes on which neuron j slides; returns how many rows. */
static int64_t append_basis(reference *r, int64_t j, double *rows)
{
    const int64_t d = r->d;
    int64_t count = 0;
    for (int64_t i = 0; i < r->count && count < d; i++) {
        double *b = rows + count * d;
        if (r->mode[j * r->count + i] != REFERENCE_SLIDES)
            continue;
        memcpy(b, r->planes->unit + i * d, (size_t)d * sizeof(double));
        for (int pass = 0; pass < 2; pass++)
            for (int64_t k = 0; k < count; k++)
                fathom_blas_axpy(b, -fathom_blas_dot(b, rows + k * d, d), rows + k * d, d);
        const double norm = fathom_blas_norm(b, d);
        if (!(norm > 1e-12))
            continue;
        fathom_blas_scale(b, 1 / norm, d);
        count++;
    }
    return count;
}

/* Slopes of the modes of neuron j, and what slides, for all examples; returns how many planes slide. */
static int64_t apply_neuron(reference *r, int64_t j)
{
    uint8_t *sliding = r->run->state.sliding + j * r->n;
    int64_t slides = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const uint8_t mode = r->mode[j * r->count + i];
        slides += mode == REFERENCE_SLIDES;
        r->slope[i * r->m + j] = mode == REFERENCE_OPEN ? 1 : mode == REFERENCE_SLIDES ? 0 : r->alpha;
    }
    for (int64_t i = 0; i < r->n; i++)
        sliding[i] = r->planes->of[i] >= 0 && r->mode[j * r->count + r->planes->of[i]] == REFERENCE_SLIDES;
    return slides;
}

/* Slopes and bases of the modes at hand. */
static fathom_status apply_modes(reference *r)
{
    const int64_t d = r->d;
    for (int64_t j = 0; j < r->m; j++) {
        const int64_t slides = apply_neuron(r, j);
        if (slides > 0) {
            const fathom_status status =
                fathom_memory_grow(r->run->problem->context, (void **)&r->basis, &r->basis_room,
                                   (r->first[j] + d) * d, sizeof(double));
            if (status != FATHOM_OK)
                return status;
        }
        r->first[j + 1] = r->first[j] + (slides > 0 ? append_basis(r, j, r->basis + r->first[j] * d) : 0);
    }
    return FATHOM_OK;
}

/* v_j without its part in the span of its sliding examples. */
static void project_off(const reference *r, double *v, int64_t j)
{
    for (int64_t k = r->first[j]; k < r->first[j + 1]; k++)
        fathom_blas_axpy(v, -fathom_blas_dot(v, r->basis + k * r->d, r->d), r->basis + k * r->d, r->d);
}

/* z of all planes. */
static fathom_status find_places(reference *r, const double *w)
{
    return fathom_gemm(r->z, r->m, r->count, r->m, r->d, 1, fathom_plain(r->planes->unit, r->d),
                       fathom_transposed(w, r->d), 0, r->run->problem->context);
}

/* Outputs: sums over units seen from the front, and with all slopes exchanged from behind. */
static void find_outputs(reference *r, const double *a)
{
    const int64_t m = r->m;
    memset(r->f, 0, (size_t)r->n * sizeof(double));
    for (int64_t k = 0; k < r->count; k++) {
        double front = 0, behind = 0;
        for (int64_t j = 0; j < m; j++) {
            const double s = r->slope[k * m + j], az = a[j] * r->z[k * m + j];
            const bool slides = r->mode[j * r->count + k] == REFERENCE_SLIDES;
            front += s * az;
            behind += slides ? 0 : (1 + r->alpha - s) * az;
        }
        r->work.z[k] = front, r->work.gx[k] = behind;
    }
    for (int64_t i = 0; i < r->n; i++)
        if (r->planes->of[i] >= 0)
            r->f[i] =
                r->planes->factor[i] * (r->planes->factor[i] > 0 ? r->work.z : r->work.gx)[r->planes->of[i]];
}

/* z, outputs and forces at w. */
static fathom_status find_forces(reference *r, const double *w)
{
    const dynamics_problem *problem = r->run->problem;
    const int64_t n = r->n;
    fathom_loss_summary summary;
    FATHOM_TRY(find_places(r, w));
    find_outputs(r, w + r->m * r->d);
    fathom_status status = fathom_loss_summarize(&summary, r->force, FATHOM_SLOPE_DUAL, problem->context,
                                                 problem->plan.loss, r->f, problem->y, problem->weight, n, 1);
    for (int64_t i = 0; i < n; i++)
        r->force[i] = -r->force[i];
    r->total = fathom_planes_gather(r->above, r->below, r->planes, r->force, n, r->alpha);
    r->log_loss = summary.log_mean;
    r->log_rate = log((double)n) - summary.log_q;
    r->run->state.evaluations++;
    return status;
}

/* The effect of plane k on neuron j; 0 where the pair slides. */
static double effect_of(const reference *r, int64_t j, int64_t k)
{
    const uint8_t mode = r->mode[j * r->count + k];
    return mode == REFERENCE_OPEN ? r->above[k] : mode == REFERENCE_CLOSED ? r->below[k] : 0;
}

fathom_status fathom_reference_field(double *out, reference *r, const double *w)
{
    const int64_t m = r->m, d = r->d;
    const double *a = w + m * d;
    FATHOM_TRY(find_forces(r, w));
    memset(out, 0, (size_t)r->size * sizeof(double));
    for (int64_t k = 0; k < r->count; k++)
        for (int64_t j = 0; j < m; j++) {
            const double push = effect_of(r, j, k);
            r->push[k * m + j] = push;
            if (r->both)
                out[m * d + j] += push * r->z[k * m + j];
        }
    fathom_status status = fathom_gemm(r->g, d, m, d, r->count, 1, fathom_transposed(r->push, m),
                                       fathom_plain(r->planes->unit, d), 0, r->run->problem->context);
    for (int64_t j = 0; j < m; j++) {
        fathom_blas_axpy(out + j * d, a[j], r->g + j * d, d);
        project_off(r, out + j * d, j);
    }
    out[r->size - 1] = exp(fmin(700, r->log_rate - w[r->size - 1]));
    return status;
}

/* The forces t that hold the sliding pairs of neuron j, into work->solution in the order of work->free; how many. */
static int64_t holding_forces(reference *r, int64_t j)
{
    const int64_t d = r->d;
    const double *x = r->planes->unit, *g = r->g + j * d;
    int64_t count = 0;
    for (int64_t i = 0; i < r->count && count < d; i++)
        if (r->mode[j * r->count + i] == REFERENCE_SLIDES)
            r->work.free[count++] = i;
    for (int64_t b = 0; b < count; b++) {
        const double *row = x + r->work.free[b] * d;
        r->work.solution[b] = -fathom_blas_dot(row, g, d);
        for (int64_t c = 0; c <= b; c++)
            r->work.factor[b * count + c] = fathom_blas_dot(row, x + r->work.free[c] * d, d);
    }
    if (count > 0 && fathom_blas_cholesky(r->work.factor, count, count) != 0)
        return 0;
    fathom_blas_cholesky_solve(r->work.solution, 1, r->work.factor, count, count, 1);
    return count;
}

/* How far t is inside the interval between two ends. */
static double room(double t, double one, double other)
{
    return fmin(t - fmin(one, other), fmax(one, other) - t);
}

static double side_value(const reference *r, int64_t j, int64_t i)
{
    const double z = r->z[i * r->m + j];
    return r->mode[j * r->count + i] == REFERENCE_OPEN ? z : -z;
}

/* |W - W(0)| at w. */
static double distance_of(const reference *r, const double *w)
{
    dynamics_state state = r->run->state;
    state.hidden = (double *)w, state.output = (double *)w + r->m * r->d;
    return fathom_dynamics_distance(r->run->problem, &state);
}

double fathom_reference_value(reference *r, const double *w, const reference_event *event)
{
    const dynamics_until *until = &r->run->problem->plan.until;
    const int64_t j = event->j;
    switch (event->kind) {
    case EVENT_SIDE:
        return side_value(r, j, event->i);
    case EVENT_SIGN:
        return w[r->m * r->d + j] * (double)event->i;
    case EVENT_LOSS:
        return r->log_loss - until->log_loss;
    case EVENT_TIME:
        return log1p(until->time) - w[r->size - 1];
    case EVENT_DISTANCE:
        return until->distance - distance_of(r, w);
    default:
        break;
    }
    const int64_t count = holding_forces(r, j);
    for (int64_t b = 0; b < count; b++)
        if (r->work.free[b] == event->i)
            return room(r->work.solution[b], r->above[event->i], r->below[event->i]);
    return 0;
}

/* Events of the pairs of one neuron. */
static void search_neuron(reference *r, const double *w, int64_t j, reference_visitor *found, void *user)
{
    const double tolerance = kink * fathom_blas_norm(w + j * r->d, r->d),
                 hold = r->patience * 1e-12 * r->total;
    for (int64_t i = 0; i < r->count; i++) {
        if (r->mode[j * r->count + i] == REFERENCE_SLIDES || side_value(r, j, i) >= -tolerance)
            continue;
        const reference_event event = {EVENT_SIDE, j, i, side_value(r, j, i), tolerance};
        found(user, &event);
    }
    if (r->first[j + 1] == r->first[j])
        return;
    const int64_t count = holding_forces(r, j);
    for (int64_t b = 0; b < count; b++) {
        const int64_t i = r->work.free[b];
        const double value = room(r->work.solution[b], r->above[i], r->below[i]);
        const reference_event event = {EVENT_FORCE, j, i, value, hold};
        if (value < -hold)
            found(user, &event);
    }
}

void fathom_reference_search(reference *r, const double *w, reference_visitor *found, void *user)
{
    const dynamics_until *until = &r->run->problem->plan.until;
    const double *a = w + r->m * r->d, *before = r->run->state.output;
    for (int64_t j = 0; j < r->m; j++) {
        search_neuron(r, w, j, found, user);
        const reference_event sign = {EVENT_SIGN, j, before[j] > 0 ? 1 : -1, -fabs(a[j]), 1e-15};
        if (r->both && a[j] * before[j] < 0)
            found(user, &sign);
    }
    const reference_event loss = {EVENT_LOSS, 0, 0, r->log_loss - until->log_loss,
                                  1e-12 * fmax(1, fabs(until->log_loss))};
    const double end = log1p(until->time);
    const reference_event time = {EVENT_TIME, 0, 0, end - w[r->size - 1], 1e-13 * fmin(1, end)};
    if (loss.value < -loss.tolerance)
        found(user, &loss);
    if (time.value < -time.tolerance)
        found(user, &time);
    if (isnan(until->distance))
        return;
    const reference_event distance = {EVENT_DISTANCE, 0, 0, until->distance - distance_of(r, w),
                                      1e-12 * until->distance};
    if (distance.value < -distance.tolerance)
        found(user, &distance);
}

/* The side to which a moves: its sign, or that of its derivative <v, g>. */
static double side_of(const reference *r, double a, int64_t j)
{
    double rate = 0;
    for (int64_t i = 0; i < r->count && a == 0; i++)
        rate += effect_of(r, j, i) * r->z[i * r->m + j];
    return a != 0 ? (a > 0 ? 1 : -1) : (rate > 0) - (rate < 0);
}

/* The end of the interval at which the force of a sliding pair has arrived. */
static uint8_t release_mode(reference *r, const reference_event *event)
{
    const double above = r->above[event->i], below = r->below[event->i];
    const int64_t count = holding_forces(r, event->j);
    for (int64_t b = 0; b < count; b++)
        if (r->work.free[b] == event->i)
            return fabs(r->work.solution[b] - above) < fabs(r->work.solution[b] - below) ? REFERENCE_OPEN
                                                                                         : REFERENCE_CLOSED;
    return REFERENCE_SLIDES;
}

/* Modes of the pairs of neuron j that stand on their kink (and of `also`, -1: none); true where one changed.
 * Forces and z are those of w. */
static bool decide(reference *r, double *w, int64_t j, int64_t also)
{
    const int64_t m = r->m, d = r->d;
    double *v = w + j * d, *a = w + m * d + j;
    uint8_t *mode = r->mode + j * r->count;
    neuron_work *work = &r->work;
    neuron_state one = {v, a, work->slides, 0, 0};
    const neuron_field field = {.n = r->count,
                                .d = d,
                                .x = r->planes->unit,
                                .squares = r->planes->squares,
                                .above = r->above,
                                .below = r->below,
                                .both = r->both,
                                .size = r->total,
                                .open = r->run->problem->plan.open};
    const double near = 10 * kink * fathom_blas_norm(v, d);
    bool changed = false;
    work->count = 0;
    for (int64_t i = 0; i < r->count; i++) {
        const double z = r->z[i * m + j];
        const bool on = mode[i] == REFERENCE_SLIDES || fabs(z) <= near || i == also;
        work->z[i] = on ? 0 : z;
        if (on)
            work->boundary[work->count++] = i;
    }
    if (work->count == 0)
        return false;
    r->run->state.nonunique += fathom_neuron_decide(&one, &field, side_of(r, *a, j), work);
    for (int64_t b = 0; b < work->count; b++) {
        const int64_t i = work->boundary[b];
        const uint8_t before = mode[i];
        mode[i] = one.slides[i]                    ? REFERENCE_SLIDES
                  : work->effect[i] == r->above[i] ? REFERENCE_OPEN
                                                   : REFERENCE_CLOSED;
        changed = changed || mode[i] != before;
    }
    return changed;
}

fathom_status fathom_reference_begin(reference *r, double *w)
{
    fathom_status status = find_places(r, w);
    for (int64_t k = 0; k < r->m * r->count; k++)
        r->mode[k] = r->z[k % r->count * r->m + k / r->count] > 0 ? REFERENCE_OPEN : REFERENCE_CLOSED;
    for (int64_t j = 0; j < r->m; j++)
        for (int64_t i = 0; i < r->n; i++)
            if (r->run->state.sliding[j * r->n + i] && r->planes->of[i] >= 0)
                r->mode[j * r->count + r->planes->of[i]] = REFERENCE_SLIDES;
    FATHOM_THEN(status, apply_modes(r));
    FATHOM_THEN(status, find_forces(r, w));
    r->run->state.evaluations--; /* it is made again */
    const uint8_t *known = r->run->state.modes;
    const bool decided = r->m * r->count > 0 && known[0] != DYNAMICS_UNKNOWN;
    if (decided)
        memcpy(r->mode, known, (size_t)(r->m * r->count));
    for (int64_t j = 0; j < r->m && status == FATHOM_OK && !decided; j++)
        decide(r, w, j, -1);
    return status == FATHOM_OK ? apply_modes(r) : status;
}

fathom_status fathom_reference_switch(reference *r, double *w, const reference_event *event)
{
    const int64_t j = event->j;
    if (event->kind >= EVENT_LOSS)
        return FATHOM_OK;
    if (event->kind == EVENT_SIGN)
        w[r->m * r->d + j] = 0;
    const uint8_t release = event->kind == EVENT_FORCE ? release_mode(r, event) : REFERENCE_SLIDES;
    const bool changed = decide(r, w, j, event->kind == EVENT_SIDE ? event->i : -1);
    if (event->kind == EVENT_FORCE && !changed)
        r->mode[j * r->count + event->i] = release; /* located to rounding: the box problem still holds it */
    if (event->kind == EVENT_SIDE && !changed &&
        w[r->m * r->d + j] * (r->above[event->i] - r->below[event->i]) < 0)
        r->mode[j * r->count + event->i] =
            REFERENCE_SLIDES; /* of dependent planes another one holds from here on */
    r->run->state.events++;
    const fathom_status status = apply_modes(r);
    project_off(r, w + j * r->d, j);
    return status;
}
