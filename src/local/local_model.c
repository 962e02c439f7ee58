/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objective, gradient and outputs of small networks and linear functions in single precision.
 *
 * Rows go in chunks of CHUNK: H = X U', f = c + W relu(H), slopes g of the losses, then W's gradient g
 * relu(H)', and U's X'(W'g masked by H > 0). Sums over rows: within a chunk in single precision, values
 * over all rows in double.
 */
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "float_rows.h"
#include "local.h"
#include "local_layers.h"
#include "random.h"

enum { CHUNK = 128, HELD = 64 }; /* HELD: outputs whose exponentials are formed once */

/* Columns of the first matrix: neurons, gates by outputs, or outputs rounded up. */
static int64_t inner_width(const fathom_local_problem *p)
{
    if (p->gated)
        return p->width * p->outputs;
    return p->width > 0 ? p->width : fathom_float_width(p->outputs);
}

static int64_t outer_size(const fathom_local_problem *p) { return p->width * (p->gated ? 1 : p->outputs); }

int64_t fathom_local_size(const fathom_local_problem *p)
{
    return p->d * inner_width(p) + outer_size(p) + p->outputs;
}

const float *fathom_local_outer(const fathom_local_problem *p, const float *theta)
{
    return theta + p->d * inner_width(p);
}

const float *fathom_local_constant(const fathom_local_problem *p, const float *theta)
{
    return fathom_local_outer(p, theta) + outer_size(p);
}

/* Workspace of one chunk: H, then slopes, outputs. */
static int64_t chunk_room(const fathom_local_problem *p)
{
    return CHUNK * (2 * inner_width(p) + 2 * p->outputs) + 4 * FATHOM_FLOAT_ROOM;
}

enum { MEMORY = 8 };

int64_t fathom_local_room(const fathom_local_problem *p)
{
    return chunk_room(p) + (2 * MEMORY + 5) * fathom_local_size(p);
}

/* h (rows x width) = rows start .. of the problem times U'. */
static void multiply(float *h, const fathom_local_problem *p, const float *theta, int64_t start, int64_t rows)
{
    const int64_t width = inner_width(p);
    const fathom_local_sparse *s = p->sparse;
    if (!s) {
        fathom_float_multiply(h, p->x + start * p->d, theta, rows, p->d, width);
        return;
    }
    memset(h, 0, (size_t)(rows * width) * sizeof *h);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t row = s->row[start + i], end = s->row_start[row + 1] - s->trim;
        for (int64_t e = s->row_start[row]; e < end; e++)
            fathom_float_axpy(h + i * width, s->value[e], theta + s->column[e] * width, width);
    }
}

/* gradient (d x width) += X' back of the same rows. */
static void multiply_transposed(float *gradient, const fathom_local_problem *p, const float *back,
                                int64_t start, int64_t rows)
{
    const int64_t width = inner_width(p);
    const fathom_local_sparse *s = p->sparse;
    if (!s) {
        fathom_float_multiply_transposed(gradient, p->x + start * p->d, back, rows, p->d, width);
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        const int64_t row = s->row[start + i], end = s->row_start[row + 1] - s->trim;
        for (int64_t e = s->row_start[row]; e < end; e++)
            fathom_float_axpy(gradient + s->column[e] * width, s->value[e], back + i * width, width);
    }
}

static fathom_local_layer layer_of(const fathom_local_problem *p, const float *theta)
{
    return (fathom_local_layer){.outputs = p->outputs,
                                .width = p->width,
                                .w = fathom_local_outer(p, theta),
                                .c = fathom_local_constant(p, theta)};
}

/* f (rows x outputs) and h (rows x width), the activations, of rows start .. of the problem. */
static void forward(float *f, float *h, const fathom_local_problem *p, const float *theta, int64_t start,
                    int64_t rows)
{
    const int64_t width = inner_width(p), outputs = p->outputs;
    const fathom_local_layer layer = layer_of(p, theta);
    multiply(h, p, theta, start, rows);
    if (p->gated)
        fathom_local_gate(f, h, p->open + start * p->width, &layer, rows);
    else if (p->width > 0)
        fathom_local_rectify(f, h, &layer, rows);
    for (int64_t i = 0; i < rows && p->width == 0; i++)
        for (int64_t k = 0; k < outputs; k++)
            f[i * outputs + k] = layer.c[k] + h[i * width + k];
}

/* Loss of one row, times its weight; g receives the slopes. */
static double row_loss(float *g, const fathom_local_problem *p, const float *f, const float *y, double weight)
{
    double value = 0, most = -INFINITY, total = 0, held[HELD];
    if (p->loss == FATHOM_LOSS_LOGISTIC) {
        const double margin = (double)y[0] * (double)f[0], tail = exp(-fabs(margin));
        g[0] = (float)(-weight * (double)y[0] * (margin > 0 ? tail : 1) / (1 + tail));
        return weight * (log1p(tail) + (margin > 0 ? 0 : -margin));
    }
    if (p->loss == FATHOM_LOSS_SQUARED) {
        for (int64_t k = 0; k < p->outputs; k++) {
            const double left = (double)f[k] - (double)y[k];
            g[k] = (float)(weight * left);
            value += 0.5 * weight * left * left;
        }
        return value;
    }
    for (int64_t k = 0; k < p->outputs; k++)
        most = fmax(most, (double)f[k]);
    for (int64_t k = 0; k < p->outputs; k++) {
        const double e = exp((double)f[k] - most);
        held[k < HELD ? k : 0] = e;
        total += e;
    }
    const double logarithm = log(total);
    for (int64_t k = 0; k < p->outputs; k++) {
        const double e = p->outputs <= HELD ? held[k] : exp((double)f[k] - most);
        g[k] = (float)(weight * (e / total - (double)y[k]));
        value -= weight * (double)y[k] * ((double)f[k] - most - logarithm);
    }
    return value;
}

/* Gradients from slopes g of a chunk with activations h; back has the room of h. */
static void backward(float *gradient, float *back, const fathom_local_problem *p, const float *theta,
                     const float *h, const float *g, int64_t start, int64_t rows)
{
    const int64_t width = inner_width(p), outputs = p->outputs;
    const fathom_local_layer layer = layer_of(p, theta);
    float *outer_gradient = gradient + p->d * width, *c = outer_gradient + outer_size(p);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < outputs; k++)
            c[k] += g[i * outputs + k];
    if (p->gated)
        fathom_local_gate_back(outer_gradient, back, h, g, p->open + start * p->width, &layer, rows);
    else if (p->width > 0)
        fathom_local_rectify_back(outer_gradient, back, h, g, &layer, rows);
    for (int64_t i = 0; i < rows && p->width == 0; i++)
        for (int64_t j = 0; j < width; j++)
            back[i * width + j] = j < outputs ? g[i * outputs + j] : 0;
    multiply_transposed(gradient, p, back, start, rows);
}

/* beta/2 |theta|^2 without what is not penalised, and its gradient. */
static double add_penalty(float *gradient, const fathom_local_problem *p, const float *theta)
{
    const int64_t width = inner_width(p), inner = (p->d - (p->free_last ? 1 : 0)) * width;
    const float *outer = fathom_local_outer(p, theta);
    if (gradient) {
        fathom_float_axpy(gradient, (float)p->beta, theta, inner);
        fathom_float_axpy(gradient + p->d * width, (float)p->beta, outer, outer_size(p));
        if (!p->constant)
            memset(gradient + p->d * width + outer_size(p), 0, (size_t)p->outputs * sizeof *gradient);
    }
    return 0.5 * p->beta *
           (fathom_float_dot(theta, theta, inner) + fathom_float_dot(outer, outer, outer_size(p)));
}

/* Whether whoever may cut the descent short has. */
static bool stopped(const fathom_local_problem *p)
{
    return p->context && fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE;
}

double fathom_local_value(float *gradient, const fathom_local_problem *p, const float *theta, float *work)
{
    const int64_t width = inner_width(p);
    float *h = work, *back = h + CHUNK * width + FATHOM_FLOAT_ROOM,
          *f = back + CHUNK * width + FATHOM_FLOAT_ROOM, *g = f + CHUNK * p->outputs;
    double sum = 0;
    if (gradient)
        memset(gradient, 0, (size_t)fathom_local_size(p) * sizeof *gradient);
    for (int64_t start = 0; start < p->n; start += CHUNK) {
        const int64_t rows = p->n - start < CHUNK ? p->n - start : CHUNK;
        double part = 0;
        if (stopped(p))
            return INFINITY;
        forward(f, h, p, theta, start, rows);
        for (int64_t i = 0; i < rows; i++)
            part += row_loss(g + i * p->outputs, p, f + i * p->outputs, p->y + (start + i) * p->outputs,
                             p->weight ? (double)p->weight[start + i] : 1);
        sum += part;
        if (gradient)
            backward(gradient, back, p, theta, h, g, start, rows);
    }
    return sum + add_penalty(gradient, p, theta);
}

void fathom_local_outputs(float *f, const fathom_local_problem *p, const float *theta, const float *x,
                          int64_t rows, float *work)
{
    fathom_local_problem other = *p;
    if (x) {
        other.x = x;
        other.sparse = NULL;
    }
    for (int64_t start = 0; start < rows; start += CHUNK)
        forward(f + start * p->outputs, work, &other, theta, start,
                rows - start < CHUNK ? rows - start : CHUNK);
}

/* The constant that minimises the losses: class shares as logarithms, or the mean. */
static void start_constant(float *c, const fathom_local_problem *p)
{
    double total = 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        double sum = 0;
        total = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const double weight = p->weight ? (double)p->weight[i] : 1;
            sum += weight * (double)p->y[i * p->outputs + k];
            total += weight;
        }
        const double mean = total > 0 ? sum / total : 0;
        if (p->loss == FATHOM_LOSS_LOGISTIC)
            c[k] = (float)fmax(-5, fmin(5, log((1 + mean) / (1 - mean))));
        else
            c[k] = (float)(p->loss == FATHOM_LOSS_SOFTMAX ? fmax(-5, log(mean)) : mean);
    }
}

void fathom_local_start(float *theta, const fathom_local_problem *p, uint64_t seed, uint32_t draw)
{
    const int64_t size = fathom_local_size(p), inner = p->d * inner_width(p);
    const double down = 1 / sqrt((double)p->d), out = 1 / sqrt((double)(p->width > 0 ? p->width : 1));
    memset(theta, 0, (size_t)size * sizeof *theta);
    if (p->width > 0) {
        for (int64_t t = 0; t < inner; t++)
            theta[t] = (float)(down * fathom_random_normal(seed, FATHOM_STREAM_HIDDEN, draw, (uint64_t)t));
        for (int64_t t = 0; t < outer_size(p); t++)
            theta[inner + t] =
                (float)(out * fathom_random_normal(seed, FATHOM_STREAM_OUTPUT, draw, (uint64_t)t));
    }
    if (p->constant)
        start_constant(theta + size - p->outputs, p);
}
