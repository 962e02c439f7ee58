/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Losses of r = y - f with slopes in a box: l(r) = max over -below <= v <= above of r v - q v^2 / 2.
 *
 *     huber q = 1, box +-delta; absolute q = 0, box +-1; quantile q = 0, box [tau - 1, tau]
 *
 * g = c v, v the maximiser; D(g) = <y, g> - q sum g^2 / (2 c) for -c below <= g <= c above (docs/explanation/gated.md has the
 * proof). They have one output, and no curvature where the slope jumps: Newton steps use the barrier form with
 * a = (v + below) / L, L = below + above,
 *
 *     l_mu = max over v of r v - q v^2 / 2 + mu (ln a + ln(1 - a)).
 *
 * For q = 0 it is the hinge of z = L r less below r, for q = 1 v solves r = v + mu (1 / (above - v) - 1 / (v + below)).
 */
#include <float.h>

#include "loss_exact.h"
#include "loss_internal.h"

static fathom_loss_box huber_box(double delta) { return (fathom_loss_box){delta, delta}; }
static fathom_loss_box quantile_box(double tau) { return (fathom_loss_box){1 - tau, tau}; }

static fathom_loss_box absolute_box(double unused)
{
    (void)unused;
    return (fathom_loss_box){1, 1};
}

static bool is_linear(const fathom_loss_row *row) { return row->dual == FATHOM_DUAL_LINEAR; }

/* v without smoothing, 0 on the kink of an uncurved loss; NaN of r stays. */
static double slope_at(const fathom_loss_row *row, const fathom_loss_box *box, double r)
{
    if (!is_linear(row))
        return fmin(fmax(r, -box->below), box->above);
    return r > 0 ? box->above : r < 0 ? -box->below : 0 * r;
}

static double value_at(const fathom_loss_row *row, const fathom_loss_box *box, double r)
{
    const double v = slope_at(row, box, r);
    return is_linear(row) ? r * v : v * (r - v / 2);
}

double fathom_loss_boxed(fathom_loss loss, const fathom_loss_box *box, double r)
{
    return value_at(fathom_loss_row_of(loss), box, r);
}

/* --- one example, with the parameter as preset --- */

static double value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    const fathom_loss_box box = row->box(row->preset);
    double sum = 0;
    for (int64_t k = 0; k < outputs; k++)
        sum += value_at(row, &box, y[k] - f[k]);
    return sum;
}

static double log_value(const fathom_loss_row *row, const double *f, const double *y, int64_t outputs)
{
    return log(value(row, f, y, outputs));
}

static void derivative(double *g, const fathom_loss_row *row, const double *f, const double *y,
                       int64_t outputs, double shift)
{
    const fathom_loss_box box = row->box(row->preset);
    const double factor = shift != 0 ? exp(-shift) : 1;
    for (int64_t k = 0; k < outputs; k++)
        g[k] = -factor * slope_at(row, &box, y[k] - f[k]);
}

/* --- over the data --- */

/* The maximiser v of r v - q v^2 / 2 + mu (ln a + ln(1 - a)), with its distances to both ends of the box. */
typedef struct box_point {
    double v, down, up; /* v + below, above - v */
} box_point;

/* q = 1: with t = above - v at most L / 2, above - t - r + mu / t - mu / (L - t) = 0, which falls with t. */
static double huber_distance(double above, double length, double r, double mu)
{
    const double ahead = r - above, s = hypot(ahead, 2 * sqrt(mu));
    double low = 0, high = length / 2, t = ahead > 0 ? 2 * mu / (ahead + s) : (s - ahead) / 2;
    for (int step = 0; step < 60; step++) {
        if (!(t > low && t < high))
            t = low + (high - low) / 2;
        const double rest = length - t, excess = -ahead - t + mu / t - mu / rest;
        *(excess > 0 ? &low : &high) = t;
        const double next = t + excess / (1 + mu / (t * t) + mu / (rest * rest));
        if (fabs(next - t) <= DBL_EPSILON * t || t == low + (high - low) / 2)
            break;
        t = next;
    }
    return t;
}

static box_point box_maximiser(const fathom_objective *p, double r, double mu)
{
    const fathom_loss_box *box = &p->box;
    const double length = box->below + box->above, middle = (box->above - box->below) / 2;
    double down, up;
    if (is_linear(fathom_loss_row_of(p->loss))) {
        down = length * fathom_hinge_share(length * r, mu);
        up = length * fathom_hinge_share(-length * r, mu);
    } else if (r >= middle) {
        up = huber_distance(box->above, length, r, mu);
        down = length - up;
    } else {
        down = huber_distance(box->below, length, -r, mu);
        up = length - down;
    }
    return (box_point){up < down ? box->above - up : down - box->below, down, up};
}

static double point_value(const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const double r = p->y[i] - f[i], length = p->box.below + p->box.above;
    if (smoothing == 0)
        return fathom_loss_boxed(p->loss, &p->box, r);
    const box_point at = box_maximiser(p, r, smoothing);
    const double square = is_linear(fathom_loss_row_of(p->loss)) ? 0 : at.v * at.v / 2;
    return r * at.v - square + smoothing * (log(at.down / length) + log(at.up / length));
}

static void point_residual(double *g, const fathom_objective *p, const double *f, int64_t i, double smoothing)
{
    const double r = p->y[i] - f[i], c = fathom_objective_weight(p, i);
    g[i] = c * (smoothing > 0 ? box_maximiser(p, r, smoothing).v
                              : slope_at(fathom_loss_row_of(p->loss), &p->box, r));
}

static void point_curvature(double *root, const fathom_objective *p, const double *f, int64_t i,
                            double smoothing)
{
    root[i] = 0;
    if (!(smoothing > 0))
        return;
    const box_point at = box_maximiser(p, p->y[i] - f[i], smoothing);
    const double q = is_linear(fathom_loss_row_of(p->loss)) ? 0 : 1;
    const double second = 1 / (q + smoothing * (1 / (at.down * at.down) + 1 / (at.up * at.up)));
    root[i] = sqrt(fathom_objective_weight(p, i) * second);
}

/* Where the slope of sum_i c_i l(y_i - t), which falls with t, changes its sign. */
static double best_constant(const fathom_objective *p, int64_t k)
{
    const bool linear = is_linear(fathom_loss_row_of(p->loss));
    double low = INFINITY, high = -INFINITY;
    (void)k;
    for (int64_t i = 0; i < p->n; i++) {
        low = fmin(low, p->y[i]);
        high = fmax(high, p->y[i]);
    }
    while (low < high) {
        const double t = low / 2 + high / 2;
        double slope = 0;
        if (!(t > low && t < high))
            break;
        for (int64_t i = 0; i < p->n; i++) {
            const double r = p->y[i] - t, c = fathom_objective_weight(p, i);
            slope += c * (linear ? (r > 0 ? p->box.above : -p->box.below)
                                 : fmin(fmax(r, -p->box.below), p->box.above));
        }
        *(slope > 0 ? &low : &high) = t;
    }
    return high;
}

/* That of the squared loss or of equality, with s g in the box. */
static double dual_bound(const fathom_objective *p, const double *g, const fathom_dual_sums *sums,
                         double limit)
{
    const double end = fmin(limit, fathom_objective_box_limit(p, g, sums->shift) * (1 - 16 * DBL_EPSILON));
    if (!isfinite(end)) /* g = 0 */
        return 0;
    return is_linear(fathom_loss_row_of(p->loss)) ? fathom_bound_linear(p, g, sums, end)
                                                  : fathom_bound_quadratic(p, g, sums, end);
}

/* l grows with the distance from the target; both sides where that is within the error. */
static double value_above(const fathom_objective *p, const double *f, int64_t i, double e)
{
    const double r = p->y[i] - f[i], off = fabs(r) * (1 + 2 * FATHOM_UNIT) + e,
                 few = fathom_few_above(p->outputs);
    return fathom_loss_boxed(p->loss, &p->box, fabs(r) > e ? copysign(off, r) : off) * few +
           (fabs(r) > e ? 0 : fathom_loss_boxed(p->loss, &p->box, -off) * few);
}

static double slack(const fathom_loss_row *row, const fathom_loss_pair *at)
{
    double sum = 0;
    for (int64_t k = 0; k < at->outputs; k++) {
        const double r = at->y[k] - at->f[k], w = at->v[k * at->step];
        sum +=
            at->weight * value_at(row, at->box, r) - w * r + (is_linear(row) ? 0 : w * w / (2 * at->weight));
    }
    return sum;
}

/* --- in balls --- */

/* The ends of the box, exactly: the least and the largest slope by r = y - f. */
static void exact_ends(arb_t low, arb_t high, const fathom_loss_row *row, const fathom_loss_box *box)
{
    arb_set_d(high, box->above);
    arb_neg(low, high);
    if (row->unit)
        arb_sub_si(low, high, 1, ARF_PREC_EXACT);
}

/* Whether weight low <= w <= weight high. */
static bool in_box(const fathom_loss_row *row, const fathom_loss_box *box, const arb_t w, double weight)
{
    arb_t low, high, t;
    arb_init(low), arb_init(high), arb_init(t);
    exact_ends(low, high, row, box);
    arb_set_d(t, weight);
    arb_mul(low, low, t, ARF_PREC_EXACT);
    arb_mul(high, high, t, ARF_PREC_EXACT);
    const bool inside = arb_le(low, w) && arb_le(w, high);
    arb_clear(low), arb_clear(high), arb_clear(t);
    return inside;
}

/* l(r), r = y - f: with its ends low and high for slopes, max(low r, high r), or the square between them. */
static void exact_value(arb_t sum, const fathom_loss_row *row, const fathom_loss_box *box, arb_srcptr f,
                        const double *y, int64_t outputs)
{
    arb_t r, low, high, t;
    (void)outputs;
    arb_init(r), arb_init(low), arb_init(high), arb_init(t);
    exact_ends(low, high, row, box);
    arb_set_d(r, y[0]);
    arb_sub(r, r, f, BITS);
    if (is_linear(row)) {
        arb_mul(low, low, r, BITS);
        arb_mul(high, high, r, BITS);
        arb_max(sum, low, high, BITS);
    } else { /* with v = r kept between the ends: v (r - v / 2) */
        arb_max(t, r, low, BITS);
        arb_min(t, t, high, BITS);
        arb_mul_2exp_si(sum, t, -1);
        arb_sub(sum, r, sum, BITS);
        arb_mul(sum, sum, t, BITS);
    }
    arb_clear(r), arb_clear(low), arb_clear(high), arb_clear(t);
}

static bool exact_dual(arb_t out, const fathom_loss_row *row, const fathom_loss_box *box, const arb_t w,
                       double y, double weight)
{
    fathom_exact_add_quadratic(out, w, y, weight, !is_linear(row));
    return in_box(row, box, w, weight);
}

static const fathom_loss_exact exact = {exact_value, exact_dual};

/* What the three have in common. */
#define BOXED                                                                                           \
    .targets = "finite numbers", .numbers = true, .kinked = true, .boxed = true, .value = value,        \
    .log_value = log_value, .derivative = derivative, .point = point_value, .residual = point_residual, \
    .curvature = point_curvature, .constant = best_constant, .balance = fathom_balance_sides,           \
    .bound = dual_bound, .above = value_above, .slack = slack, .exact = &exact

const fathom_loss_row fathom_loss_huber_row = {BOXED, .name = "huber", .preset = 1,
                                               .dual = FATHOM_DUAL_QUADRATIC, .box = huber_box};
const fathom_loss_row fathom_loss_absolute_row = {BOXED, .name = "absolute", .dual = FATHOM_DUAL_LINEAR,
                                                  .box = absolute_box};
const fathom_loss_row fathom_loss_quantile_row = {
    BOXED, .name = "quantile", .unit = true, .preset = 0.5, .dual = FATHOM_DUAL_LINEAR, .box = quantile_box};
