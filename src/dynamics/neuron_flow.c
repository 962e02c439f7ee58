/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exact motion of one neuron while the duals q are frozen.
 *
 *     v' = a g,  a' = <v, g> (or 0),  g = sum_i e_i x_i, constant between events.
 *
 * Output weight fixed: a straight line; z_i = <v, x_i> vanishes at -z_i / (a <g, x_i>).
 * Both trained, u = g / |g|, w = <v, u>:  a(h) = a cosh(|g| h) + w sinh(|g| h),  v(h) = v + phi u,
 *     phi(h) = w (cosh(|g| h) - 1) + a sinh(|g| h): the part of v across g and a^2 - |v|^2 are conserved. z_i(h) = z_i +
 *     phi <u, x_i>, and phi moves with the sign of a: the next event has the smallest |phi_i| = |z_i / <u, x_i>| on that
 *     side, at h = ln((w_e + a_e) / (w + a)) / |g|, w_e = w + phi, a_e = sgn(a) sqrt(a^2 + 2 w phi + phi^2). Before that,
 *     a may vanish, at h = artanh(-a / w) / |g|, and valleys become ridges. In one dimension with |a| = |v| (scalar networks as they
 *     start) both are multiplied by e^(+-|g| h) for ever: what falls towards 0 must not leave it again on the other side.
 *
 * At an event all examples with |z_i| <= kink |v| |x_i| enter the decision of neuron_box.c. Guarantee:
 * exact up to rounding. Cost: 3 n d multiply-adds per event.
 */
#include "neuron_flow.h"

#include <math.h>

#include "blas.h"
#include "memory.h"

static const double kink = 1e-13;
enum { EVENTS = 200, EVENTS_PER_EXAMPLE = 20 };

fathom_status fathom_neuron_work_create(neuron_work *work, fathom_context *context, int64_t n, int64_t d)
{
    *work = (neuron_work){0};
    work->z = fathom_memory_zero(context, n, sizeof(double));
    work->effect = fathom_memory_zero(context, n, sizeof(double));
    work->gx = fathom_memory_zero(context, n, sizeof(double));
    work->g = fathom_memory_zero(context, d, sizeof(double));
    work->boundary = fathom_memory_zero(context, n, sizeof(int64_t));
    work->factor = fathom_memory_zero(context, d * d, sizeof(double));
    work->solution = fathom_memory_zero(context, d, sizeof(double));
    work->free = fathom_memory_zero(context, d, sizeof(int64_t));
    work->keep = fathom_memory_zero(context, n + d, sizeof(double));
    work->slides = fathom_memory_zero(context, n, 1);
    const bool ok = work->z && work->effect && work->gx && work->g && work->boundary && work->factor &&
                    work->solution && work->free && work->keep && work->slides;
    return ok ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_neuron_work_free(neuron_work *work, fathom_context *context)
{
    FATHOM_FREE(context, work->z, work->effect, work->gx, work->g, work->boundary, work->factor, work->keep,
                work->slides, work->solution, work->free);
    *work = (neuron_work){0};
}

/* Lists the examples on their kink and sets their z to 0. */
static void find_boundary(const neuron_state *neuron, const neuron_field *field, neuron_work *work)
{
    const double near = kink * fathom_blas_norm(neuron->v, field->d);
    const bool tiny = near < 1e-140; /* squares would vanish */
    work->count = 0;
    for (int64_t i = 0; i < field->n; i++)
        if (neuron->slides[i] || (tiny ? fabs(work->z[i]) <= near * sqrt(field->squares[i])
                                       : work->z[i] * work->z[i] <= near * near * field->squares[i])) {
            work->z[i] = 0;
            work->boundary[work->count++] = i;
        }
}

/* The side to which a moves: its sign, or that of a' = <v, g> where it is 0. */
static double side(const neuron_state *neuron, const neuron_field *field, const neuron_work *work)
{
    double rate = 0;
    if (*neuron->a != 0 || !field->both)
        return (*neuron->a > 0) - (*neuron->a < 0);
    for (int64_t i = 0; i < field->n; i++)
        rate += (work->z[i] > 0 ? field->above[i] : field->below[i]) * work->z[i];
    return (rate > 0) - (rate < 0);
}

/* The smallest phi >= 0 at which an example reaches its kink when z moves along direction * gx; infinite:
 * none. */
static double first_kink(const neuron_state *neuron, const neuron_field *field, const neuron_work *work,
                         double direction)
{
    double first = INFINITY;
    for (int64_t i = 0; i < field->n; i++) {
        const double rate = direction * work->gx[i], z = work->z[i];
        if (z == 0 || neuron->slides[i] || !(z > 0 ? rate < 0 : rate > 0))
            continue;
        first = fmin(first, -z / rate);
    }
    return first;
}

/* One straight piece: at most h; returns its length. v moves by a g. */
static double go_straight(neuron_state *neuron, const neuron_field *field, neuron_work *work, double h)
{
    const double a = *neuron->a;
    const double step = fmin(h, first_kink(neuron, field, work, a));
    fathom_blas_axpy(neuron->v, a * step, work->g, field->d);
    fathom_blas_axpy(work->z, a * step, work->gx, field->n);
    return step;
}

/* Time at which phi (of the sign of a, a not yet past 0) is reached. */
static double time_of(double phi, double a, double w, double sign, double norm)
{
    const double a_end = sign * sqrt(fmax(0, a * a + 2 * w * phi + phi * phi)), w_end = w + phi;
    if (fabs(w + a) >= fabs(w - a))
        return log((w_end + a_end) / (w + a)) / norm;
    return log((w - a) / (w_end - a_end)) / norm;
}

/* One hyperbolic piece. A vanishing output weight is an event, too. */
static double go_hyperbolic(neuron_state *neuron, const neuron_field *field, neuron_work *work, double h,
                            double sign)
{
    const double norm = fathom_blas_norm(work->g, field->d), a = *neuron->a;
    if (!(norm > 0) || sign == 0)
        return h;
    const double w = fathom_blas_dot(neuron->v, work->g, field->d) / norm;
    /* A pure mode: neither ever vanishes, nor does rounding part them. */
    if (field->d == 1 && fabs(neuron->v[0]) == fabs(a)) {
        const double factor = exp((a * w > 0 ? norm : -norm) * h);
        *neuron->a *= factor, neuron->v[0] *= factor;
        fathom_blas_scale(work->z, factor, field->n);
        return h;
    }
    const double reach = norm * first_kink(neuron, field, work, sign); /* |phi| of the next kink */
    const bool vanishes = a != 0 && a * w < 0 && fabs(w) > fabs(a);
    const double turn = vanishes ? fabs(w) - sqrt((w - a) * (w + a)) : INFINITY; /* |phi| where a = 0 */
    double event = INFINITY;
    if (reach < turn)
        event = time_of(sign * reach, a, w, sign, norm);
    else if (vanishes)
        event = atanh(-a / w) / norm;
    const bool whole = !(event < h);
    const double step = whole ? h : fmax(event, 0), half = sinh(norm * step / 2);
    const double sine = sinh(norm * step), rise = 2 * half * half; /* cosh - 1 */
    double phi = w * rise + a * sine;
    if (!whole)
        phi = reach < turn ? sign * reach : sign * turn;
    *neuron->a = !whole && !(reach < turn) ? 0 : a + (a * rise + w * sine);
    fathom_blas_axpy(neuron->v, phi / norm, work->g, field->d);
    fathom_blas_axpy(work->z, phi / norm, work->gx, field->n);
    return step;
}

/* v back onto the kinks that hold it: rounding would let it drift. */
static void settle_on_kinks(neuron_state *neuron, const neuron_field *field)
{
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < field->n; i++)
            if (neuron->slides[i] && field->squares[i] > 0) {
                const double *x = field->x + i * field->d;
                fathom_blas_axpy(neuron->v, -fathom_blas_dot(x, neuron->v, field->d) / field->squares[i], x,
                                 field->d);
            }
}

bool fathom_neuron_flow(neuron_state *neuron, const neuron_field *field, double h, neuron_work *work)
{
    const int64_t most = EVENTS + EVENTS_PER_EXAMPLE * field->n;
    double left = h;
    fathom_blas_gemv(work->z, field->n, field->d, 1, fathom_plain(field->x, field->d), neuron->v, 0);
    for (int64_t event = 0; event < most; event++) {
        find_boundary(neuron, field, work);
        const double sign = side(neuron, field, work);
        neuron->nonunique += fathom_neuron_decide(neuron, field, sign, work);
        fathom_blas_gemv(work->gx, field->n, field->d, 1, fathom_plain(field->x, field->d), work->g, 0);
        left -= field->both ? go_hyperbolic(neuron, field, work, left, sign)
                            : go_straight(neuron, field, work, left);
        if (!(left > 0)) {
            settle_on_kinks(neuron, field);
            return true;
        }
        neuron->events++;
    }
    return false;
}
