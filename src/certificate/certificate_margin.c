/* SPDX-License-Identifier: Apache-2.0 */
/* Claims about margins (finite gate sets, the plane, margin 0) and about lists of cones. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "certificate_internal.h"
#include "context_internal.h"
#include "fathom/margin.h"
#include "memory.h"

/* The cosine of the angle between rows a and b. */
static double cosine(const double *x, int64_t d, int64_t a, int64_t b)
{
    double dot = 0, left = 0, right = 0;
    for (int64_t k = 0; k < d; k++) {
        dot += x[a * d + k] * x[b * d + k];
        left += x[a * d + k] * x[a * d + k];
        right += x[b * d + k] * x[b * d + k];
    }
    return dot / sqrt(left) / sqrt(right);
}

/* The other point of a pair with q > 0 and label -1: the one that is most nearly opposite to point a. */
static int64_t partner(const fathom_margin_evidence *e, int64_t a)
{
    int64_t best = -1;
    double least = INFINITY;
    for (int64_t b = 0; b < e->n; b++)
        if (e->q[b] > 0 && e->y[b] < 0 && cosine(e->x, e->d, a, b) < least) {
            least = cosine(e->x, e->d, a, b);
            best = b;
        }
    return best;
}

/* Points of label +1 with q > 0, each with its partner. */
static fathom_status put_zero(fathom_certificate *c, const fathom_margin_evidence *e)
{
    fathom_certificate_put_gates(c, 0, 0, NULL, NULL);
    fathom_file_print(c->file, "claim zero\n");
    if (e->first >= 0)
        return fathom_file_print(c->file, "combination ray %lld %lld\n", (long long)e->first,
                                 (long long)e->second);
    int64_t count = 0;
    for (int64_t a = 0; a < e->n; a++)
        count += e->q[a] > 0 && e->y[a] > 0;
    fathom_file_print(c->file, "combination pairs %lld", (long long)count);
    for (int64_t a = 0; a < e->n; a++)
        if (e->q[a] > 0 && e->y[a] > 0)
            fathom_file_print(c->file, " %lld %lld", (long long)a, (long long)partner(e, a));
    return fathom_file_print(c->file, "\n");
}

/* Rounding of the bounds beyond what they account for already: the measures of arcs are recomputed by the checker. */
static double widen(const fathom_margin_evidence *e)
{
    return (double)(e->n + e->m + e->d + 64) * DBL_EPSILON * e->upper;
}

/* The arc on which all points are open, where there is one; the arc opposite to it opens none and is not among the gates,
 * but the checker counts it. -1: the gates are all arcs. */
static int64_t full_arc(const fathom_margin_evidence *e)
{
    for (int64_t j = 0; e->width == 0 && e->orientation && j < e->m; j++) {
        int64_t open = 0;
        for (int64_t i = 0; i < e->n; i++)
            open += (int64_t)(e->bits[j * e->words + i / 64] >> (i % 64) & 1);
        if (open == e->n)
            return j;
    }
    return -1;
}

/* The gates, and with `full` >= 0 the one opposite to it. */
static fathom_status put_gates(fathom_certificate *c, const fathom_margin_evidence *e, int64_t full)
{
    if (full < 0)
        return fathom_certificate_put_gates(c, e->m, e->words, e->bits, e->orientation);
    double *all = fathom_memory_alloc(c->context, (e->m + 1) * e->d, sizeof *all);
    if (!all)
        return FATHOM_ERROR_MEMORY;
    memcpy(all, e->orientation, (size_t)(e->m * e->d) * sizeof *all);
    for (int64_t k = 0; k < e->d; k++)
        all[e->m * e->d + k] = -e->orientation[full * e->d + k];
    const fathom_status status = fathom_certificate_put_gates(c, e->m + 1, e->words, e->bits, all);
    fathom_memory_free(c->context, all);
    return status;
}

/* The least y_i f(x_i) over sum_j |w_j||u_j| of the network, rounded down. */
static fathom_status least_margin(double *least, fathom_certificate *c, const fathom_margin_evidence *e,
                                  const double *y)
{
    const fathom_data_view view = fathom_data_look(c->data);
    const fathom_net_shape shape = fathom_net_look(e->net);
    const fathom_net_weights net = fathom_net_lend((fathom_net *)e->net);
    double norm = 0, radius = 0, *f = fathom_memory_alloc(c->context, view.n, sizeof *f);
    fathom_status status = f ? fathom_net_forward(f, e->net, c->data) : FATHOM_ERROR_MEMORY;
    for (int64_t j = 0; j < shape.m; j++) {
        double square = 0;
        for (int64_t k = 0; k < shape.d; k++)
            square += net.u[j * shape.d + k] * net.u[j * shape.d + k];
        norm += fabs(net.w[j]) * sqrt(square);
    }
    *least = INFINITY;
    for (int64_t i = 0; i < view.n && status == FATHOM_OK; i++) {
        double square = 0;
        for (int64_t k = view.x ? 0 : view.row_start[i]; k < (view.x ? view.d : view.row_start[i + 1]); k++)
            square +=
                view.x ? view.x[i * view.d + k] * view.x[i * view.d + k] : view.value[k] * view.value[k];
        radius = fmax(radius, sqrt(square));
        *least = fmin(*least, y[i] * f[i]);
    }
    *least = *least / norm - 2 * (double)(shape.d + shape.m + 16) * DBL_EPSILON * radius;
    fathom_memory_free(c->context, f);
    return status;
}

/* A global margin: the network, the dual point v with y_i v_i >= 0, and what proves its price. */
static fathom_status put_global(fathom_certificate *c, const fathom_margin_evidence *e)
{
    const fathom_net_shape shape = fathom_net_look(e->net);
    const fathom_net_weights net = fathom_net_lend((fathom_net *)e->net);
    const fathom_proof *proof = e->proof;
    const bool trees = proof->leaves > 0;
    const double price = trees ? fmax(proof->price[0], proof->price[1]) : proof->exact_price * (1 + 0x1p-36);
    double mass = 0, least;
    const double *y;
    int64_t outputs;
    fathom_status status = fathom_data_code_classes(&y, &outputs, c->data);
    if (status == FATHOM_OK)
        status = least_margin(&least, c, e, y);
    if (status != FATHOM_OK)
        return status;
    for (int64_t i = 0; i < e->n; i++)
        mass += fabs(proof->v[i]);
    fathom_certificate_put_gates(c, 0, 0, NULL, NULL);
    fathom_file_print(c->file, "claim global\n");
    fathom_certificate_put_line(c, "upper", price / mass * (1 + (double)(e->n + 64) * DBL_EPSILON));
    fathom_certificate_put_line(c, "lower", least);
    fathom_file_print(c->file, "network %lld\n", (long long)shape.m);
    for (int64_t j = 0; j < shape.m; j++) {
        fathom_file_print(c->file, "neuron");
        fathom_certificate_put_number(c, net.w[j]);
        fathom_certificate_put_numbers(c, net.u + j * shape.d, shape.d);
        fathom_file_print(c->file, "\n");
    }
    fathom_file_print(c->file, "constant 0\ndual");
    fathom_certificate_put_numbers(c, proof->v, e->n);
    status = fathom_file_print(c->file, "\nevidence %s\n", trees ? "trees" : "plane");
    return trees && status == FATHOM_OK ? fathom_certificate_put_trees(c, proof, false) : status;
}

fathom_status fathom_certificate_add_margin(fathom_certificate *certificate,
                                            const fathom_margin_result *result)
{
    fathom_certificate *c = certificate;
    const fathom_margin_evidence e = fathom_margin_prove(result);
    if (e.zero)
        return put_zero(c, &e);
    if (e.proof && (e.proof->leaves > 0 || e.proof->exact_price > 0))
        return put_global(c, &e);
    if (!e.w || !e.bits)
        return fathom_error_set(
            c->context, FATHOM_ERROR_USAGE,
            "a certificate of a margin is for finite width (--width M, --gates FILE), two columns, "
            "global margins that are positive, or margin 0");
    const int64_t full = full_arc(&e);
    const fathom_status status = put_gates(c, &e, full);
    if (status != FATHOM_OK)
        return status;
    fathom_file_print(c->file, "claim margin\n");
    fathom_certificate_put_line(c, "upper", e.upper + widen(&e));
    fathom_certificate_put_line(c, "lower", fmax(e.lower - widen(&e), 0));
    if (e.width > 0) {
        fathom_file_print(c->file, "measure %s %lld", e.gain ? "neurons" : "units", (long long)e.width);
        for (int64_t j = 0; j < e.m && !e.gain; j++)
            fathom_file_print(c->file, " %lld", (long long)llround(e.rho[j] * (double)e.width));
        fathom_certificate_put_numbers(c, e.gain, e.gain ? e.m : 0);
        fathom_file_print(c->file, "\n");
    } else {
        fathom_file_print(c->file, "measure plane\n");
    }
    for (int64_t j = 0; j < e.m; j++) {
        fathom_file_print(c->file, "vector");
        fathom_certificate_put_numbers(c, e.w + j * (e.d + !!e.gain), e.d + !!e.gain);
        fathom_file_print(c->file, "\n");
    }
    if (full >= 0)
        fathom_file_print(c->file, "vector 0 0\n");
    fathom_file_print(c->file, "dual");
    fathom_certificate_put_numbers(c, e.q, e.n);
    return fathom_file_print(c->file, "\n");
}

fathom_status fathom_certificate_add_cones(fathom_certificate *certificate, const fathom_gates *gates)
{
    const fathom_gates_view view = fathom_gates_look(gates);
    const fathom_status status =
        fathom_certificate_put_gates(certificate, view.m, view.words, view.bits, view.orientation);
    if (status != FATHOM_OK)
        return status;
    return fathom_file_print(certificate->file, "claim cones\ncount %lld\n", (long long)view.m);
}
