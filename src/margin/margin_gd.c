/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gamma_V by the paper's own algorithm, in its normalised form.
 *
 * Lemma 6.1 of [000]: for B >= ln(4n) / (eps gamma_V), every W with |w_j| <= B and L(W) <= 2 min L, L the sum of logistic
 * losses of the margins, has min_i margin_i(W / B) >= (1 - eps) gamma_V. gamma_V is guessed as g and halved: a W certified
 * to L <= 2 min L with min margin(W / B) >= (1 - eps) g ends the search, whether g was too large ((1 - eps) g <= gamma_V
 * follows all the same, so the lemma holds with eps / (1 - eps)) or not; otherwise g > gamma_V.
 *
 *     p_i = 1 / (1 + e^{r_i}),  r = margin(W),   w_j <- Proj_B(w_j + s_j(p) / (a^2 sum p)),   a^2 = max_i |z_i|^2 sum_j rho_j M_ji
 *
 * a^2 sum p bounds the curvature of L in the metric sum_j rho_j <.,.>; a step that does not grow with 1 / sum p needs
 * (4n)^{1/eps} iterations. Certificate: min L >= sum_i h(p_i) - B sum_j rho_j |s_j(p)|, h(p) = -p ln p - (1-p) ln(1-p), for
 * every p in [0,1]^n (Fenchel). As p falls to e^{-B gamma_V}, all is divided by max p. About ln(4n) / (2 eps gamma_V^2)
 * iterations of two passes for each guess.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_internal.h"
#include "memory.h"

typedef struct descent {
    const fathom_margin_problem *p;
    fathom_context *context;
    fathom_margin_work *work;
    int64_t n, m, dimension;
    double *s, *w;                    /* m x D */
    double *r, *share, *log_p, *best; /* n: margins, p / max p, ln p, workspace */
    double curvature;                 /* a^2 */
    int64_t iterations;
    fathom_margin_keeper *keeper;
    double state[2];      /* as in a file: iterations, guess */
    fathom_status status; /* of the last file */
} descent;

/* ln p_i = -ln(1 + e^r), without overflow. */
static double log_sigmoid(double r) { return r > 0 ? -r - log1p(exp(-r)) : -log1p(exp(r)); }

/* ln p and p / max p from the margins; returns sum p / max p. */
static double weigh(descent *a)
{
    double top = -INFINITY, sum = 0;
    for (int64_t i = 0; i < a->n; i++)
        top = fmax(top, a->log_p[i] = log_sigmoid(a->r[i]));
    for (int64_t i = 0; i < a->n; i++)
        sum += a->share[i] = exp(a->log_p[i] - top);
    return sum;
}

/* G(share) = sum_j rho_j |s_j|. */
static double norms(const descent *a)
{
    double total = 0;
    for (int64_t j = 0; j < a->m; j++)
        total += a->p->rho[j] * fathom_blas_norm(a->s + j * a->dimension, a->dimension);
    return total;
}

/* True where L(W) <= 2 min L is proven; both sides divided by max p. */
static bool is_certified(const descent *a, double bound)
{
    double loss = 0, entropy = 0, top = -INFINITY;
    for (int64_t i = 0; i < a->n; i++)
        top = fmax(top, a->log_p[i]);
    for (int64_t i = 0; i < a->n; i++) {
        const double p = exp(a->log_p[i]), r = a->r[i];
        /* ln(1 + e^{-r}) / max p; (1 - p)(-ln(1 - p)) / p tends to 1 */
        loss += r > 30 ? exp(-r - top) : log1p(exp(-r)) / exp(top);
        const double other = p > 1e-8 ? -(1 - p) * log1p(-p) / p : 1 - p;
        entropy += a->share[i] * (other - a->log_p[i]);
    }
    return loss <= 2 * (entropy - bound * norms(a));
}

/* One step: W moves along s(p) and back into the balls of radius `bound`. */
static void step(descent *a, double sum, double bound)
{
    const double length = 1 / (a->curvature * sum);
    fathom_blas_axpy(a->w, length, a->s, a->m * a->dimension);
    for (int64_t j = 0; j < a->m; j++) {
        double *w = a->w + j * a->dimension;
        const double norm = fathom_blas_norm(w, a->dimension);
        if (norm > bound)
            fathom_blas_scale(w, bound / norm, a->dimension);
    }
}

/* a^2 = max_i |z_i|^2 sum_j rho_j M_ji. */
static double curvature(const fathom_margin_problem *p)
{
    double most = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double open = 0;
        for (int64_t j = 0; j < p->m; j++)
            open += (double)(p->bits[j * p->words + i / 64] >> i % 64 & 1) * p->rho[j];
        most = fmax(most, open * fathom_blas_dot(p->z + i * p->d, p->z + i * p->d, p->d));
    }
    return most;
}

enum { PIECES = 2 };

static void list_pieces(fathom_margin_piece piece[PIECES], descent *a)
{
    piece[0] = (fathom_margin_piece){"numbers", a->state, 2};
    piece[1] = (fathom_margin_piece){"w", a->w, a->m * a->dimension};
}

/* The state before a step. */
static void keep_state(descent *a, double guess)
{
    fathom_margin_piece piece[PIECES];
    list_pieces(piece, a);
    a->state[0] = (double)a->iterations;
    a->state[1] = guess;
    a->status = fathom_margin_keep(a->keeper, FATHOM_MARGIN_DESCENT, a->p, piece, PIECES);
}

/* The guess of a file, or the one to begin with. */
static double begin(descent *a, double guess)
{
    fathom_margin_piece piece[PIECES];
    bool resumed;
    list_pieces(piece, a);
    a->status = fathom_margin_resume(&resumed, a->keeper, FATHOM_MARGIN_DESCENT, a->p, piece, PIECES);
    if (a->status != FATHOM_OK || !resumed)
        return guess;
    if (!fathom_margin_is_count(a->state[0], 1e15) || !(a->state[1] > 0 && a->state[1] <= guess))
        a->status = fathom_margin_refuse(a->keeper);
    a->iterations = (int64_t)a->state[0];
    return a->state[1];
}

/* Descends for one guess until the certificate holds. False where a limit came first. */
static bool run_guess(descent *a, double guess, double bound, int64_t limit)
{
    for (;; a->iterations++) {
        fathom_margin_scores(a->r, a->p, a->p->rho, a->w, a->work);
        const double sum = weigh(a);
        fathom_margin_sums(a->s, a->p, a->share, a->work);
        if (a->iterations % 10 == 0 && is_certified(a, bound))
            return true;
        if (a->iterations % 100 == 0)
            keep_state(a, guess);
        if (a->status != FATHOM_OK || a->iterations >= limit ||
            (a->iterations % 100 == 0 && fathom_context_poll(a->context, "gradient descent", a->iterations,
                                                             norms(a) / sum, NAN) != FATHOM_STOP_NONE))
            return false;
        step(a, sum, bound);
    }
}

/* Halves the guess until Lemma 6.1 accepts it; pair->w holds W / B and pair->q the normalised p of the last one. */
static void search(fathom_margin_pair *pair, descent *a, const fathom_margin_target *target)
{
    const double eps = target->gap, level = log(4 * (double)a->n);
    for (int64_t i = 0; i < a->n; i++)
        a->share[i] = 1 / (double)a->n;
    fathom_margin_sums(a->s, a->p, a->share, a->work);
    double guess = begin(a, norms(a));
    pair->outcome = FATHOM_MARGIN_STALLED;
    for (bool more = a->status == FATHOM_OK; more; guess /= 2) {
        const double bound = level / (eps * guess);
        more = guess > target->absolute && run_guess(a, guess, bound, target->limit);
        for (int64_t i = 0; i < a->n; i++)
            pair->q[i] = a->share[i];
        for (int64_t k = 0; k < a->m * a->dimension; k++)
            pair->w[k] = a->w[k] / bound;
        fathom_margin_certify(&pair->lower, &pair->upper, a->s, a->best, a->p, pair->q, pair->w,
                              target->doubt, a->work);
        if (more && pair->lower >= (1 - eps) * guess * (1 - 1e-12)) {
            pair->outcome = FATHOM_MARGIN_REACHED;
            const double loss = eps / (1 - eps);
            if (loss < 1)
                pair->upper = fmin(pair->upper, pair->lower / (1 - loss) * (1 + 1e-12));
            break;
        }
    }
}

fathom_status fathom_margin_descent(fathom_margin_pair *pair, fathom_context *context,
                                    const fathom_margin_problem *p, const fathom_margin_target *target)
{
    const int64_t n = p->n, dimension = fathom_margin_dimension(p);
    descent a = {
        .p = p, .context = context, .n = n, .m = p->m, .dimension = dimension, .keeper = pair->keeper};
    FATHOM_TRY(fathom_margin_work_create(&a.work, context, p, false));
    a.s = fathom_memory_alloc(context, p->m * dimension, sizeof(double));
    a.w = fathom_memory_zero(context, p->m * dimension, sizeof(double));
    double *block = fathom_memory_zero(context, 4 * n, sizeof *block);
    fathom_status status = a.s && a.w && block ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        a.r = block;
        a.share = block + n;
        a.log_p = block + 2 * n;
        a.best = block + 3 * n;
        a.curvature = curvature(p);
        search(pair, &a, target);
        pair->iterations = a.iterations;
        if (pair->margin)
            memcpy(pair->margin, a.best, (size_t)n * sizeof *a.best);
        status = a.status;
    }
    FATHOM_FREE(context, a.s, a.w, block);
    fathom_margin_work_free(a.work);
    return status;
}
