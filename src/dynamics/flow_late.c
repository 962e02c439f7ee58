/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The late flow as a stiff system,
 *
 *     dc/dx = e^x q(p_0 + K c),      du/dx = e^{x + l - u},  l = ln(dt/dtau) = ln n - ln Q,
 *
 * with the dense Jacobian -e^x (D - s qq') K, D = diag(q_i s_i), s_i = 1/(1 + e^{-p_i}) and s the same at the
 * smoothed margin (exponential loss: 1), and dl/dc = s Kq.
 */
#include "flow_late.h"

#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "memory.h"
#include "stiff.h"

typedef struct late_state {
    const fathom_late *late;
    double *p, *q, *f, *image; /* n: margins, duals, outputs, K q */
    double log_loss, log_rate, smoothed;
    int64_t evaluations;
    bool failed; /* no memory in a callback */
} late_state;

/* Margins, duals and their summary at c. */
static void find(late_state *s, const double *c)
{
    const fathom_late *late = s->late;
    const int64_t n = late->n;
    fathom_loss_summary summary = {.log_mean = NAN, .log_q = NAN, .smoothed_margin = NAN};
    memcpy(s->p, late->margin, (size_t)n * sizeof(double));
    fathom_blas_gemv(s->p, n, n, 1, fathom_plain(late->kernel, n), c, 1);
    for (int64_t i = 0; i < n; i++)
        s->f[i] = late->y[i] * s->p[i];
    s->failed =
        s->failed || fathom_loss_summarize(&summary, s->q, FATHOM_SLOPE_DUAL, late->context, late->loss, s->f,
                                           late->y, late->weight, n, 1) != FATHOM_OK;
    for (int64_t i = 0; i < n; i++)
        s->q[i] = fabs(s->q[i]);
    s->log_loss = summary.log_mean;
    s->log_rate = log((double)n) - summary.log_q;
    s->smoothed = summary.smoothed_margin;
    s->evaluations++;
}

static bool rate(double *rates, double x, const double *c, void *user)
{
    late_state *s = user;
    const int64_t n = s->late->n;
    const double scale = exp(x);
    find(s, c);
    for (int64_t i = 0; i < n; i++)
        rates[i] = scale * s->q[i];
    rates[n] = exp(fmin(700, x + s->log_rate - c[n]));
    return !s->failed && !isnan(s->log_loss);
}

static double sigmoid(const late_state *s, double p)
{
    return s->late->loss == FATHOM_LOSS_LOGISTIC ? 1 / (1 + exp(-p)) : 1;
}

static bool jacobian(double *columns, double x, const double *state, void *user)
{
    late_state *s = user;
    const int64_t n = s->late->n;
    const double *k = s->late->kernel, scale = exp(x);
    find(s, state);
    fathom_blas_gemv(s->image, n, n, 1, fathom_plain(k, n), s->q, 0);
    const double t = sigmoid(s, s->smoothed), clock = exp(fmin(700, x + s->log_rate - state[n]));
    for (int64_t j = 0; j < n; j++) {
        double *column = columns + j * (n + 1);
        for (int64_t i = 0; i < n; i++)
            column[i] = -scale * s->q[i] * (sigmoid(s, s->p[i]) * k[i * n + j] - t * s->image[j]);
        column[n] = clock * t * s->image[j];
    }
    double *last = columns + n * (n + 1);
    memset(last, 0, (size_t)n * sizeof *last);
    last[n] = -clock;
    return !s->failed;
}

/* The loss and the time that were asked for. */
static bool target(double *value, double x, const double *state, void *user)
{
    late_state *s = user;
    (void)x;
    find(s, state);
    value[0] = isnan(s->late->log_loss_end) ? 1 : s->log_loss - s->late->log_loss_end;
    value[1] = isnan(s->late->log_time_end) ? 1 : s->late->log_time_end - state[s->late->n];
    return !s->failed;
}

fathom_status fathom_late_run(bool *done, double *c, double *u, double *x, int64_t *evaluations,
                              const fathom_late *late, double x1)
{
    const int64_t n = late->n;
    late_state s = {.late = late};
    const fathom_stiff system = {n + 1, 2, &s, rate, jacobian, target};
    fathom_stiff_run *run = NULL;
    *done = false;
    FATHOM_TRY(fathom_stiff_find(&run, late->context));
    double *block = fathom_memory_zero(late->context, 5 * n + 1, sizeof *block);
    if (!block)
        return FATHOM_ERROR_MEMORY;
    s.p = block, s.q = s.p + n, s.f = s.q + n, s.image = s.f + n;
    double *state = s.image + n;
    memcpy(state, c, (size_t)n * sizeof(double));
    state[n] = *u;
    *done = run(state, x, &system, x1);
    if (*done) {
        memcpy(c, state, (size_t)n * sizeof(double));
        *u = state[n];
    }
    *evaluations += s.evaluations;
    fathom_memory_free(late->context, block);
    return s.failed ? FATHOM_ERROR_MEMORY : FATHOM_OK;
}
