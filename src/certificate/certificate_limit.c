/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The claim that a network is a KKT point of the largest margin (docs/reference/certificate.md, Sec. 6).
 *
 * p_i = y_i f(x_i) of a relu or leaky network with weights u_j (d), w_j and multipliers l (n). What is left
 * of W without sum_i l_i g_i is measured in floating point, and the claim is wider by twice the rounding of
 * it: sums of depth n + d of terms |w_j| l_i |x_i|. Slopes c of pairs on a kink, |<u_j, x_i>| <= 1e-9
 * |u_j||x_i|, minimise |u_j - w_j sum_i l_i y_i c_i x_i| within [alpha, 1], one after another: every choice
 * is a Clarke gradient, and the residual of the one that is written is what is claimed. Cost n m d.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "certificate_internal.h"
#include "context_internal.h"
#include "data_internal.h"
#include "dense.h"
#include "inner/data.h"
#include "inner/flow.h"
#include "memory.h"

static const double NEAR = 1e-9;

typedef struct limit {
    fathom_context *context;
    int64_t n, d, m;
    bool both;
    double alpha;
    double *x;               /* n x d */
    const double *y, *dual;  /* n */
    fathom_net_weights net;  /* u (m x d), w (m) */
    double *slope;           /* n: of the neuron at hand */
    double *product, *left;  /* n, d */
    double *p;               /* n */
    double size, rest, mass; /* |W|^2, the residual's square, sum_ji |w_j| l_i |x_i| */
    double widest;           /* of the kinks whose slope is listed */
    int64_t kinks;
} limit;

static bool is_kink(const limit *t, const double *u, int64_t i)
{
    const double *x = t->x + i * t->d;
    return t->dual[i] > 0 &&
           fabs(t->product[i]) <= NEAR * fathom_blas_norm(u, t->d) * fathom_blas_norm(x, t->d);
}

/* left = u_j - w_j sum_i l_i y_i c_i x_i for the slopes at hand. */
static void leave(limit *t, int64_t j)
{
    const double *u = t->net.u + j * t->d, w = t->net.w[j];
    memcpy(t->left, u, (size_t)t->d * sizeof *u);
    for (int64_t i = 0; i < t->n; i++)
        fathom_blas_axpy(t->left, -w * t->dual[i] * t->y[i] * t->slope[i], t->x + i * t->d, t->d);
}

/* Products and slopes of neuron j. */
static void set_slopes(limit *t, int64_t j)
{
    enum { SWEEPS = 500 };
    const double *u = t->net.u + j * t->d, w = t->net.w[j];
    bool any = false;
    for (int64_t i = 0; i < t->n; i++) {
        t->product[i] = fathom_blas_dot(u, t->x + i * t->d, t->d);
        t->slope[i] = t->product[i] > 0 ? 1 : t->alpha;
        any = any || is_kink(t, u, i);
    }
    leave(t, j);
    for (int sweep = 0; sweep < SWEEPS && any; sweep++) {
        double moved = 0;
        for (int64_t i = 0; i < t->n; i++) {
            const double *x = t->x + i * t->d, pull = w * t->dual[i] * t->y[i],
                         length = fathom_blas_norm(x, t->d);
            if (!is_kink(t, u, i) || pull == 0 || length == 0)
                continue;
            const double step = fathom_blas_dot(t->left, x, t->d) / (pull * length * length),
                         next = fmax(t->alpha, fmin(1, t->slope[i] + step));
            fathom_blas_axpy(t->left, -pull * (next - t->slope[i]), x, t->d);
            moved = fmax(moved, fabs(next - t->slope[i]));
            t->slope[i] = next;
        }
        any = moved > DBL_EPSILON;
    }
    leave(t, j);
}

/* What neuron j adds to the sums, and to the outputs. */
static void measure(limit *t, int64_t j)
{
    const double *u = t->net.u + j * t->d, w = t->net.w[j], norm = fathom_blas_norm(u, t->d);
    double over = w;
    set_slopes(t, j);
    for (int64_t i = 0; i < t->n; i++) {
        const double length = fathom_blas_norm(t->x + i * t->d, t->d), h = t->product[i],
                     s = h < 0 ? t->alpha * h : h;
        over -= t->dual[i] * t->y[i] * s;
        t->p[i] += t->y[i] * w * s;
        t->mass += (fabs(w) + (t->both ? norm : 0)) * t->dual[i] * length;
        if (is_kink(t, u, i)) {
            t->kinks++;
            t->widest = fmax(t->widest, norm * length > 0 ? fabs(h) / (norm * length) : 0);
        }
    }
    t->rest += fathom_blas_dot(t->left, t->left, t->d) + (t->both ? over * over : 0);
    t->size += norm * norm + (t->both ? w * w : 0);
}

/* R, S and K with room for rounding; false where the network has no margin. */
static bool bounds_of(double bound[3], const limit *t)
{
    const double rounding = 4 * (double)(t->n + t->m + t->d + 16) * DBL_EPSILON;
    double least = INFINITY, total = 0, waste = 0, reach = 0;
    for (int64_t i = 0; i < t->n; i++) {
        least = fmin(least, t->p[i]);
        reach = fmax(reach, fathom_blas_norm(t->x + i * t->d, t->d));
    }
    for (int64_t i = 0; i < t->n; i++) {
        total += t->dual[i];
        waste += t->dual[i] * (t->p[i] - least);
    }
    /* |f(x)| <= |x| sum_j |w_j||u_j| bounds the rounding of p */
    double norms = 0;
    for (int64_t j = 0; j < t->m; j++)
        norms += fabs(t->net.w[j]) * fathom_blas_norm(t->net.u + j * t->d, t->d);
    if (!(least > 0) || !(total > 0) || !(t->size > 0))
        return false;
    bound[0] = sqrt(t->rest / t->size) * (1 + 1e-9) + rounding * (1 + t->mass / sqrt(t->size));
    bound[1] = waste / (total * least) * (1 + 1e-9) + rounding * reach * norms / least;
    bound[2] = t->kinks > 0 ? t->widest * (1 + 1e-9) + rounding : 0;
    return isfinite(bound[0]) && isfinite(bound[1]);
}

static fathom_status put_kinks(fathom_certificate *c, limit *t)
{
    fathom_file_print(c->file, "kinks %lld", (long long)t->kinks);
    for (int64_t j = 0; j < t->m && t->kinks > 0; j++) {
        set_slopes(t, j);
        for (int64_t i = 0; i < t->n; i++)
            if (is_kink(t, t->net.u + j * t->d, i)) {
                fathom_file_print(c->file, " %lld %lld", (long long)j, (long long)i);
                fathom_certificate_put_number(c, t->slope[i], 0);
            }
    }
    return fathom_file_print(c->file, "\n");
}

/* The lines of the claim. */
static fathom_status put_limit(fathom_certificate *c, limit *t, bool leaky)
{
    double bound[3];
    for (int64_t j = 0; j < t->m; j++)
        measure(t, j);
    if (!bounds_of(bound, t))
        return fathom_error_set(c->context, FATHOM_ERROR_USAGE,
                                "there is no certificate: not every y_i f(x_i) of this network is positive");
    FATHOM_TRY(fathom_certificate_begin(c, "limit", true, &(fathom_certificate_gates){0}));
    fathom_file_print(c->file, "problem %s %s", leaky ? "leaky" : "relu", t->both ? "both" : "first");
    if (leaky)
        fathom_certificate_put_number(c, t->alpha, 0);
    fathom_file_print(c->file, "\n");
    fathom_certificate_put_line(c, "bound", bound, 3, 0);
    fathom_file_print(c->file, "network %lld\n", (long long)t->m);
    for (int64_t j = 0; j < t->m; j++) {
        fathom_file_print(c->file, "neuron");
        fathom_certificate_put_number(c, t->net.w[j], 0);
        fathom_certificate_put_line(c, "", t->net.u + j * t->d, t->d, 0);
    }
    fathom_certificate_put_line(c, "multipliers", t->dual, t->n, 0);
    return put_kinks(c, t);
}

fathom_status fathom_certificate_add_limit(fathom_certificate *certificate, const fathom_net *net,
                                           const double *dual)
{
    const fathom_net_shape shape = fathom_net_look(net);
    const fathom_data_view view = fathom_data_look(certificate->data);
    fathom_context *context = certificate->context;
    int64_t outputs;
    limit t = {.context = context,
               .n = view.n,
               .d = view.d,
               .m = shape.m,
               .both = !shape.output_fixed,
               .dual = dual};
    const bool leaky = shape.kind == FATHOM_NET_LEAKY;
    if ((!leaky && shape.kind != FATHOM_NET_RELU) || shape.outputs != 1 || shape.hidden_bias ||
        shape.scale != FATHOM_SCALE_ONE || view.bias == FATHOM_BIAS_FREE)
        return fathom_error_set(
            context, FATHOM_ERROR_USAGE,
            "a certificate of a limit is for relu and leaky networks of one output without biases");
    t.alpha = leaky ? shape.parameter : 0;
    t.net = fathom_net_lend((fathom_net *)net);
    fathom_status status = fathom_data_code_classes(&t.y, &outputs, certificate->data);
    FATHOM_THEN(status, fathom_dense_copy(&t.x, &view, context));
    t.slope = fathom_memory_zero(context, 3 * t.n + t.d, sizeof *t.slope);
    if (status == FATHOM_OK && !t.slope)
        status = FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        t.product = t.slope + t.n, t.p = t.product + t.n, t.left = t.p + t.n;
        status = put_limit(certificate, &t, leaky);
    }
    FATHOM_FREE(context, t.x, t.slope);
    return status;
}
