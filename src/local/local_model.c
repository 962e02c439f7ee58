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

#include "float_rows.h"
#include "local.h"
#include "random.h"

enum { CHUNK = 128 };

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
    return CHUNK * (2 * inner_width(p) + 2 * p->outputs) + 4 * FATHOM_FLOAT_ROOM + p->width;
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

/* z_j = a_j where gate j is open on row i, else 0. */
static void weigh_gates(float *z, const fathom_local_problem *p, const float *a, int64_t i)
{
    for (int64_t j = 0; j < p->width; j++)
        z[j] = p->open[i * p->width + j] ? a[j] : 0;
}

/* f (rows x outputs) and h (rows x width), the activations, of rows start .. of the problem; z has room for a number of
 * each gate. */
static void forward(float *f, float *h, float *z, const fathom_local_problem *p, const float *theta,
                    int64_t start, int64_t rows)
{
    const int64_t width = inner_width(p), outputs = p->outputs;
    const float *outer = fathom_local_outer(p, theta), *c = fathom_local_constant(p, theta);
    multiply(h, p, theta, start, rows);
    for (int64_t i = 0; i < rows; i++) {
        float *row = h + i * width;
        if (p->gated)
            weigh_gates(z, p, outer, start + i);
        for (int64_t j = 0; j < p->width && !p->gated; j++)
            row[j] = row[j] > 0 ? row[j] : 0;
        for (int64_t k = 0; k < outputs; k++)
            f[i * outputs + k] =
                c[k] + (p->gated       ? fathom_float_dot_lanes(row + k * p->width, z, p->width)
                        : p->width > 0 ? fathom_float_dot_lanes(row, outer + k * width, width)
                                       : row[k]);
    }
}

/* Loss of one row, times its weight; g receives the slopes. */
static double row_loss(float *g, const fathom_local_problem *p, const float *f, const float *y, double weight)
{
    double value = 0, most = -INFINITY, total = 0;
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
    for (int64_t k = 0; k < p->outputs; k++)
        total += exp((double)f[k] - most);
    for (int64_t k = 0; k < p->outputs; k++) {
        const double share = exp((double)f[k] - most) / total;
        g[k] = (float)(weight * (share - (double)y[k]));
        value -= weight * (double)y[k] * ((double)f[k] - most - log(total));
    }
    return value;
}

/* Adds the gradient of a from slopes g of row i, and gives its slopes of h. */
static void back_through_gates(float *a_gradient, float *back, float *z, const fathom_local_problem *p,
                               const float *a, const float *h, const float *g, int64_t i)
{
    weigh_gates(z, p, a, i);
    for (int64_t k = 0; k < p->outputs; k++)
        for (int64_t j = 0; j < p->width; j++) {
            back[k * p->width + j] = g[k] * z[j];
            a_gradient[j] += p->open[i * p->width + j] ? g[k] * h[k * p->width + j] : 0;
        }
}

/* The same through neurons, or through nothing. */
static void back_through_neurons(float *outer_gradient, float *back, const fathom_local_problem *p,
                                 const float *outer, const float *h, const float *g)
{
    const int64_t width = inner_width(p);
    memset(back, 0, (size_t)width * sizeof *back);
    for (int64_t k = 0; k < p->outputs && p->width > 0; k++) {
        fathom_float_axpy(outer_gradient + k * width, g[k], h, width);
        fathom_float_axpy(back, g[k], outer + k * width, width);
    }
    for (int64_t k = 0; k < p->outputs && p->width == 0; k++)
        back[k] = g[k];
    for (int64_t j = 0; j < p->width; j++)
        back[j] = h[j] > 0 ? back[j] : 0;
}

/* Gradients from slopes g of a chunk with activations h; back has the room of h, z that of the gates. */
static void backward(float *gradient, float *back, float *z, const fathom_local_problem *p,
                     const float *theta, const float *h, const float *g, int64_t start, int64_t rows)
{
    const int64_t width = inner_width(p), outputs = p->outputs;
    const float *outer = fathom_local_outer(p, theta);
    float *outer_gradient = gradient + p->d * width, *c = outer_gradient + outer_size(p);
    for (int64_t i = 0; i < rows; i++) {
        const float *slope = g + i * outputs;
        for (int64_t k = 0; k < outputs; k++)
            c[k] += slope[k];
        if (p->gated)
            back_through_gates(outer_gradient, back + i * width, z, p, outer, h + i * width, slope,
                               start + i);
        else
            back_through_neurons(outer_gradient, back + i * width, p, outer, h + i * width, slope);
    }
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

double fathom_local_value(float *gradient, const fathom_local_problem *p, const float *theta, float *work)
{
    const int64_t width = inner_width(p);
    float *h = work, *back = h + CHUNK * width + FATHOM_FLOAT_ROOM,
          *f = back + CHUNK * width + FATHOM_FLOAT_ROOM, *g = f + CHUNK * p->outputs,
          *z = g + CHUNK * p->outputs;
    double sum = 0;
    if (gradient)
        memset(gradient, 0, (size_t)fathom_local_size(p) * sizeof *gradient);
    for (int64_t start = 0; start < p->n; start += CHUNK) {
        const int64_t rows = p->n - start < CHUNK ? p->n - start : CHUNK;
        double part = 0;
        forward(f, h, z, p, theta, start, rows);
        for (int64_t i = 0; i < rows; i++)
            part += row_loss(g + i * p->outputs, p, f + i * p->outputs, p->y + (start + i) * p->outputs,
                             p->weight ? (double)p->weight[start + i] : 1);
        sum += part;
        if (gradient)
            backward(gradient, back, z, p, theta, h, g, start, rows);
    }
    return sum + add_penalty(gradient, p, theta);
}

void fathom_local_outputs(float *f, const fathom_local_problem *p, const float *theta, const float *x,
                          int64_t rows, float *work)
{
    fathom_local_problem other = *p;
    float *z = work + CHUNK * inner_width(p) + FATHOM_FLOAT_ROOM;
    if (x) {
        other.x = x;
        other.sparse = NULL;
    }
    for (int64_t start = 0; start < rows; start += CHUNK)
        forward(f + start * p->outputs, work, z, &other, theta, start,
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
