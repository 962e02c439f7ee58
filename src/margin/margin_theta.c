/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The margin of both layers under a given map theta, in closed form [003, Prop. 1.5 and 1.6].
 *
 * With w = (a, v), r u = v, |u| = 1, all cut off at |w| = 2:
 *
 *     hidden   theta = (0, sgn(a) U(v)),  U(v) = sum_j rho_j w_j 1[<g_j, v> > 0]   (a gated network; U =
 *     ubar: g = ubar and -ubar)
 *              E <theta, grad_i> = E|a| y_i sum_j rho_j <w_j, x_i> P(<g_j,v> > 0, <x_i,v> > 0),   P = (pi -
 *              angle) / 2 pi
 *     output   theta = (sgn <ubar, v>, 0)
 *              E <theta, grad_i> = y_i <ubar, x_i> E r E|u_1| / 2   (relu(t) = (t + |t|) / 2, and the even
 *              part has mean 0)
 *
 * |U| <= 1 almost everywhere is asked for: the longest U over the cones of the g_j, or sum_j rho_j |w_j|
 * where they are too many,
 * divides theta where it is above 1. ubar is the separator of the linear margin.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "fathom/model.h"
#include "hyperplanes.h"
#include "margin_result.h"
#include "memory.h"

enum { THETA_BEST, THETA_HIDDEN, THETA_OUTPUT, THETA_PARITY };

/* U(v): m gates in R^d. */
typedef struct theta_map {
    int64_t m, d;
    double *gate, *w; /* m x d */
} theta_map;

static fathom_status map_create(theta_map *out, fathom_context *context, int64_t m, int64_t d)
{
    *out = (theta_map){.m = m, .d = d, .gate = fathom_memory_zero(context, 2 * m * d, sizeof *out->gate)};
    out->w = out->gate ? out->gate + m * d : NULL;
    return out->gate ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* ubar and -ubar, each with the weight ubar. */
static fathom_status map_linear(theta_map *out, fathom_margin_run *run)
{
    fathom_margin_options options = *run->options;
    fathom_margin_result *linear = NULL;
    options.kind = FATHOM_MARGIN_LINEAR;
    options.theta = THETA_BEST;
    options.gap = NAN;
    fathom_status status = map_create(out, run->context, 2, run->points->d);
    FATHOM_THEN(status, fathom_margin(&linear, run->context, run->data, &options));
    if (status == FATHOM_OK && !(fathom_margin_look(linear).lower > 0))
        status = fathom_error_set(run->context, FATHOM_ERROR_INPUT,
                                  "--theta hidden and output need data that a linear function classifies");
    if (status == FATHOM_OK) { /* the shortest sum_i q_i z_i is a multiple of ubar */
        const fathom_margin_view view = fathom_margin_look(linear);
        double *u = out->gate;
        for (int64_t i = 0; i < view.n; i++)
            fathom_blas_axpy(u, view.q[i], run->points->z + i * out->d, out->d);
        fathom_blas_scale(u, 1 / fathom_blas_norm(u, out->d), out->d);
        for (int64_t k = 0; k < out->d; k++) {
            out->w[k] = out->w[out->d + k] = u[k];
            out->gate[out->d + k] = -u[k];
        }
    }
    fathom_margin_free(linear);
    return status;
}

/* Whether every label is the sign of x_a x_b. */
static bool is_parity(const fathom_margin_points *points, int64_t a, int64_t b)
{
    bool all = true;
    for (int64_t i = 0; i < points->n && all; i++) {
        const double *x = points->x + i * points->d;
        all = x[a] != 0 && x[b] != 0 && ((x[a] > 0) == (x[b] > 0)) == (points->y[i] > 0);
    }
    return all;
}

/* 1/2 sum of beta 1[<beta, v> > 0] over beta = (+-1, +-1) / sqrt 2 in two coordinates, negative where their
 * signs differ. */
static fathom_status map_parity(theta_map *out, fathom_margin_run *run)
{
    const int64_t d = run->points->d;
    fathom_status status = map_create(out, run->context, 4, d);
    for (int64_t a = 0; a < d && status == FATHOM_OK; a++)
        for (int64_t b = a + 1; b < d; b++)
            if (is_parity(run->points, a, b)) {
                for (int j = 0; j < 4; j++) {
                    out->gate[j * d + a] = j & 1 ? -sqrt(0.5) : sqrt(0.5);
                    out->gate[j * d + b] = j & 2 ? -sqrt(0.5) : sqrt(0.5);
                    const double sign = j == 0 || j == 3 ? 0.5 : -0.5;
                    out->w[j * d + a] = sign * out->gate[j * d + a];
                    out->w[j * d + b] = sign * out->gate[j * d + b];
                }
                return FATHOM_OK;
            }
    return status != FATHOM_OK
               ? status
               : fathom_error_set(run->context, FATHOM_ERROR_INPUT,
                                  "--theta parity: no two columns have the labels as their parity");
}

/* The gates and weights of a gated model. */
static fathom_status map_model(theta_map *out, fathom_margin_run *run)
{
    fathom_model *model = NULL;
    FATHOM_TRY(fathom_model_read(&model, run->context, run->options->theta_model));
    fathom_status status = FATHOM_OK;
    const fathom_net *net = fathom_model_look(model).net;
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_net_weights weights = fathom_net_lend((fathom_net *)net); /* read only */
    if (shape.kind != FATHOM_NET_GATED || shape.outputs != 1 || shape.hidden_bias ||
        shape.d != run->points->d)
        status = fathom_error_set_at(run->context, FATHOM_ERROR_INPUT, run->options->theta_model, 0, 0,
                                     "expected a gated model with one output on %lld columns",
                                     (long long)run->points->d);
    FATHOM_THEN(status, map_create(out, run->context, shape.m, shape.d));
    for (int64_t k = 0; k < shape.m * shape.d && status == FATHOM_OK; k++) {
        out->gate[k] = weights.v[k];
        out->w[k] = weights.rho[k / shape.d] * weights.w[k];
    }
    fathom_model_free(model);
    return status;
}

/* |U| on the cones of the gates, the longest; or sum_j |w_j| where these are too many. */
static fathom_status longest(double *out, fathom_context *context, const theta_map *map)
{
    fathom_data *data = NULL;
    fathom_gates *cones = NULL;
    double sum = 0;
    for (int64_t j = 0; j < map->m; j++)
        sum += fathom_blas_norm(map->w + j * map->d, map->d);
    *out = sum;
    if (fathom_cover_count(map->m, map->d) > 1e5)
        return FATHOM_OK;
    double *total = fathom_memory_alloc(context, map->d, sizeof *total);
    fathom_status status =
        total ? fathom_data_create(&data, context, map->m, map->d, map->gate, map->d, 0, NULL, NULL, NULL)
              : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, fathom_gates_enumerate(&cones, context, data));
    if (status == FATHOM_OK) {
        const fathom_gates_view view = fathom_gates_look(cones);
        *out = 0;
        for (int64_t c = 0; c < view.m; c++) {
            memset(total, 0, (size_t)map->d * sizeof *total);
            for (int64_t j = 0; j < map->m; j++)
                if (view.bits[c * view.words + j / 64] >> j % 64 & 1)
                    fathom_blas_axpy(total, 1, map->w + j * map->d, map->d);
            *out = fmax(*out, fathom_blas_norm(total, map->d));
        }
        *out += (double)(map->m + map->d) * 0x1p-52 * sum; /* rounding */
    }
    fathom_gates_free(cones);
    fathom_data_free(data);
    fathom_memory_free(context, total);
    return status;
}

/* The angle between a and b, to some 8 roundings: 2 atan(|a/|a| - b/|b|| / |a/|a| + b/|b||) [Kahan]. */
static double angle(const double *a, const double *b, int64_t d)
{
    const double na = fathom_blas_norm(a, d), nb = fathom_blas_norm(b, d);
    double minus = 0, plus = 0;
    for (int64_t k = 0; k < d; k++) {
        const double m = a[k] / na - b[k] / nb, p = a[k] / na + b[k] / nb;
        minus += m * m;
        plus += p * p;
    }
    return 2 * atan2(sqrt(minus), sqrt(plus));
}

/* y_i <w_j, x_i> P summed over gates, and the sum of sizes. */
static double average(double *size, const theta_map *map, const double *z, const double *x)
{
    const double pi = acos(-1);
    double sum = 0;
    *size = 0;
    for (int64_t j = 0; j < map->m; j++) {
        const double *gate = map->gate + j * map->d, *w = map->w + j * map->d;
        if (fathom_blas_norm(gate, map->d) > 0 && fathom_blas_norm(x, map->d) > 0)
            sum += fathom_blas_dot(w, z, map->d) * (pi - angle(gate, x, map->d)) / (2 * pi);
        *size += fathom_blas_norm(w, map->d) * fathom_blas_norm(x, map->d);
    }
    return sum;
}

/* The least margin of the map, `factor` times the averages, into the result. */
static void set_margin(fathom_margin_run *run, const theta_map *map, double factor, double doubt, bool output)
{
    const int64_t d = map->d;
    fathom_margin_result *result = run->result;
    double lower = INFINITY, upper = INFINITY;
    int64_t least = 0;
    for (int64_t i = 0; i < run->points->n; i++) {
        const double *z = run->points->z + i * d, *x = run->points->x + i * d;
        double size;
        double value = average(&size, map, z, x);
        if (output) /* both gates together: <ubar, z> / 2 */
            value = fathom_blas_dot(map->w, z, d) / 2;
        const double error = size * (doubt + factor * (double)(d + map->m + 24) * 0x1p-51);
        result->margin[i] = factor * value;
        least = factor * value - error < lower ? i : least;
        lower = fmin(lower, factor * value - error);
        upper = fmin(upper, factor * value + error);
    }
    result->q[least] = 1;
    result->view.lower = lower;
    result->view.upper = upper;
    result->view.method = "theta";
    result->view.gates = map->m;
    result->view.reached = true;
    result->view.statement = lower > 0
                                 ? "The margin of this theta is positive: gamma_ntk is at least as large."
                             : upper > 0 ? "The margin of this theta is 0 to rounding."
                                         : "The margin of this theta is not positive.";
}

fathom_status fathom_margin_of_theta(fathom_margin_run *run)
{
    const int64_t d = run->points->d;
    const int theta = run->options->theta;
    theta_map map = {0};
    double length = 1, slope;
    fathom_status status = fathom_full_table_create(&run->table, run->context, d);
    FATHOM_THEN(status, run->options->theta_model ? map_model(&map, run)
                        : theta == THETA_PARITY   ? map_parity(&map, run)
                                                  : map_linear(&map, run));
    if (status == FATHOM_OK && theta != THETA_OUTPUT)
        status = longest(&length, run->context, &map);
    if (status == FATHOM_OK) {
        const fathom_full_table *table = &run->table;
        const double half = (double)d / 2, turned = exp(lgamma(half) - lgamma(half + 0.5)) / sqrt(acos(-1));
        double a, b;
        fathom_full_look_up(&a, &b, table, 0);
        slope = theta == THETA_OUTPUT ? table->r * turned : b;
        const double doubt = theta == THETA_OUTPUT ? table->doubt : table->error_g;
        set_margin(run, &map, slope / fmax(1, length), doubt, theta == THETA_OUTPUT);
    }
    fathom_memory_free(run->context, map.gate);
    return status;
}
