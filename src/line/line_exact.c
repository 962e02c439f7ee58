/* SPDX-License-Identifier: Apache-2.0 */
/*
 * minimise  sum_k c_k (f_k - y_k)^2 / 2 + beta R(f),  R = max(TV, (TV + |E|) / 2),  over splines on the
 * places, in rational arithmetic.
 *
 * R(f) is the largest of sum_j g_j J_j + e E over |g_j| + |e| <= 1, |e| <= 1/2 (J_j jumps at the inner
 * places, E = s_1 + s_{N-1}), so that f is optimal exactly where v = c (y - f) has v'h = sum_j g_j J_j(h) + e
 * E(h) for all h, that is e = -G_N / 2, g_j = G_j + e, with
 *
 *     |g_j| + |e| <= beta,   |e| <= beta/2,   g_j + sign(g_j) |e| ... = beta sign(J_j) where J_j != 0,   and
 *     e = 0, |E| <= TV   or   e E >= 0, |E| = TV   or   |e| = beta/2, |E| >= TV.
 *
 * For given knots, signs s_j and regime f solves a tridiagonal system on the knots: the stationarity of the
 * loss plus beta times the linear function sum_j s_j J_j, or half of it and tE, or that under E = t sum_j s_j
 * J_j. So f = f0 + beta f1, every condition is linear in beta, and together they hold on an interval. The
 * search changes one thing at a time: a knot whose jump has the wrong sign leaves, a regime that does not
 * hold gives way to its neighbour, the most violated place becomes a knot. O(N) rational operations a step;
 * numbers grow to O(K) times the digits of the data for K knots.
 */
#include "line_exact.h"

#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"

mpq_t *fathom_rationals_create(fathom_context *context, int64_t count)
{
    mpq_t *q = fathom_memory_alloc(context, count > 0 ? count : 1, sizeof *q);
    for (int64_t k = 0; q && k < count; k++)
        mpq_init(q[k]);
    return q;
}

void fathom_rationals_free(fathom_context *context, mpq_t *q, int64_t count)
{
    for (int64_t k = 0; q && k < count; k++)
        mpq_clear(q[k]);
    fathom_memory_free(context, q);
}

/* --- the data ------------------------------------------------------------------------------------------- */

typedef struct {
    double x, y, c;
} row;

static int by_place(const void *a, const void *b)
{
    const double x = ((const row *)a)->x, y = ((const row *)b)->x;
    return (x > y) - (x < y);
}

/* Rows in order become places: c = sum of weights, y = sum of weighted targets over c. */
static void gather(fathom_exact_line *line, const row *rows, int64_t n)
{
    mpq_t c, y;
    mpq_inits(c, y, NULL);
    int64_t at = -1;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || rows[i].x != rows[i - 1].x) {
            line->place[++at] = rows[i].x;
            mpq_set_d(line->x[at], rows[i].x);
        }
        mpq_set_d(c, rows[i].c);
        mpq_set_d(y, rows[i].y);
        mpq_mul(y, y, c);
        mpq_add(line->c[at], line->c[at], c);
        mpq_add(line->y[at], line->y[at], y);
    }
    for (int64_t k = 0; k <= at; k++)
        mpq_div(line->y[k], line->y[k], line->c[k]);
    mpq_clears(c, y, NULL);
}

fathom_status fathom_exact_line_open(fathom_exact_line *line, fathom_context *context, const double *x,
                                     const double *y, const double *weight, int64_t n)
{
    *line = (fathom_exact_line){.context = context};
    row *rows = fathom_memory_alloc(context, n, sizeof *rows);
    if (!rows)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++)
        rows[i] = (row){x[i], y[i], weight ? weight[i] : 1};
    qsort(rows, (size_t)n, sizeof *rows, by_place);
    for (int64_t i = 0; i < n; i++)
        line->count += i == 0 || rows[i].x != rows[i - 1].x;
    line->place = fathom_memory_alloc(context, line->count, sizeof *line->place);
    line->x = fathom_rationals_create(context, line->count);
    line->c = fathom_rationals_create(context, line->count);
    line->y = fathom_rationals_create(context, line->count);
    const bool room = line->place && line->x && line->c && line->y;
    if (room)
        gather(line, rows, n);
    fathom_memory_free(context, rows);
    return room ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_exact_line_close(fathom_exact_line *line)
{
    if (!line->context)
        return;
    fathom_memory_free(line->context, line->place);
    fathom_rationals_free(line->context, line->x, line->count);
    fathom_rationals_free(line->context, line->c, line->count);
    fathom_rationals_free(line->context, line->y, line->count);
    *line = (fathom_exact_line){0};
}

fathom_status fathom_line_piece_open(fathom_line_piece *piece, const fathom_exact_line *line)
{
    *piece = (fathom_line_piece){.line = line, .regime = FATHOM_LINE_BETWEEN, .tilt = 1};
    mpq_inits(piece->low, piece->high, NULL);
    piece->knot = fathom_memory_zero(line->context, line->count, sizeof *piece->knot);
    piece->sign = fathom_memory_zero(line->context, line->count, 1);
    piece->f0 = fathom_rationals_create(line->context, line->count);
    piece->f1 = fathom_rationals_create(line->context, line->count);
    return piece->knot && piece->sign && piece->f0 && piece->f1 ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

void fathom_line_piece_close(fathom_line_piece *piece)
{
    if (!piece->line)
        return;
    fathom_context *context = piece->line->context;
    mpq_clears(piece->low, piece->high, NULL);
    FATHOM_FREE(context, piece->knot, piece->sign);
    fathom_rationals_free(context, piece->f0, piece->line->count);
    fathom_rationals_free(context, piece->f1, piece->line->count);
    *piece = (fathom_line_piece){0};
}

/* --- the system on the knots ---------------------------------------------------------------------------- */

/* K = knots + 2 nodes; h_a = x_{a+1} - x_a. All arrays have `size` numbers. */
typedef struct {
    fathom_line_piece *piece;
    int64_t size, nodes;
    int64_t *node;                /* size: places */
    mpq_t *h, *diagonal, *beside; /* H */
    mpq_t *r, *l, *g;             /* right sides, replaced by solutions */
    mpq_t *variation, *ends;      /* sum_j s_j J_j and E as linear functions of the values at the nodes */
    mpq_t *slope0, *slope1, *dual0, *dual1;   /* by place: slopes; g_j = G_j + e */
    mpq_t e0, e1, tv0, tv1, end0, end1, t, u; /* e, TV, E; room */
} work;

enum { ARRAYS = 12 };

static mpq_t **array_of(work *w, int k)
{
    mpq_t **const all[ARRAYS] = {&w->h,         &w->diagonal, &w->beside, &w->r,      &w->l,     &w->g,
                                 &w->variation, &w->ends,     &w->slope0, &w->slope1, &w->dual0, &w->dual1};
    return all[k];
}

static fathom_status work_open(work *w, fathom_line_piece *piece)
{
    fathom_context *context = piece->line->context;
    *w = (work){.piece = piece, .size = piece->line->count + 1};
    bool room = (w->node = fathom_memory_alloc(context, w->size, sizeof *w->node)) != NULL;
    for (int k = 0; k < ARRAYS; k++)
        room = (*array_of(w, k) = fathom_rationals_create(context, w->size)) != NULL && room;
    mpq_inits(w->e0, w->e1, w->tv0, w->tv1, w->end0, w->end1, w->t, w->u, NULL);
    return room ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

static void work_close(work *w)
{
    fathom_context *context = w->piece->line->context;
    fathom_memory_free(context, w->node);
    for (int k = 0; k < ARRAYS; k++)
        fathom_rationals_free(context, *array_of(w, k), w->size);
    mpq_clears(w->e0, w->e1, w->tv0, w->tv1, w->end0, w->end1, w->t, w->u, NULL);
}

/* y += a b */
static void add_product(mpq_t y, const mpq_t a, const mpq_t b, mpq_t room)
{
    mpq_mul(room, a, b);
    mpq_add(y, y, room);
}

static void set_zero(mpq_t *a, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        mpq_set_ui(a[k], 0, 1);
}

/* Place p between nodes a and a + 1: f_p = (1 - t) z_a + t z_{a+1}. */
static void add_place(work *w, int64_t a, int64_t p)
{
    const fathom_exact_line *line = w->piece->line;
    mpq_t t, s, q;
    mpq_inits(t, s, q, NULL);
    mpq_sub(t, line->x[p], line->x[w->node[a]]);
    mpq_div(t, t, w->h[a]);
    mpq_set_ui(s, 1, 1);
    mpq_sub(s, s, t);
    mpq_mul(q, line->c[p], s);
    add_product(w->diagonal[a], q, s, w->u);
    add_product(w->beside[a], q, t, w->u);
    add_product(w->r[a], q, line->y[p], w->u);
    mpq_mul(q, line->c[p], t);
    add_product(w->diagonal[a + 1], q, t, w->u);
    add_product(w->r[a + 1], q, line->y[p], w->u);
    mpq_clears(t, s, q, NULL);
}

/* a[k + 1] += s / h_k, a[k] -= s / h_k: the slope of interval k. */
static void add_slope(work *w, mpq_t *a, int64_t k, int s)
{
    mpq_set_si(w->t, s, 1);
    mpq_div(w->t, w->t, w->h[k]);
    mpq_add(a[k + 1], a[k + 1], w->t);
    mpq_sub(a[k], a[k], w->t);
}

/* H, its right side, and the linear functions sum_j s_j J_j and E. */
static void assemble(work *w)
{
    const fathom_line_piece *p = w->piece;
    const int64_t last = p->line->count - 1;
    w->nodes = 0;
    w->node[w->nodes++] = 0;
    for (int64_t k = 0; k < p->knots; k++)
        w->node[w->nodes++] = p->knot[k];
    w->node[w->nodes++] = last;
    for (int k = 0; k < 8; k++)
        set_zero(*array_of(w, k), w->nodes);
    for (int64_t a = 0; a + 1 < w->nodes; a++) {
        mpq_sub(w->h[a], p->line->x[w->node[a + 1]], p->line->x[w->node[a]]);
        for (int64_t k = w->node[a]; k < w->node[a + 1] + (a + 2 == w->nodes); k++)
            add_place(w, a, k);
    }
    for (int64_t a = 1; a + 1 < w->nodes; a++) {
        add_slope(w, w->variation, a, p->sign[w->node[a]]);
        add_slope(w, w->variation, a - 1, -p->sign[w->node[a]]);
    }
    add_slope(w, w->ends, 0, 1);
    add_slope(w, w->ends, w->nodes - 2, 1);
}

/* The factorisation of H: `diagonal` becomes pivots. */
static void factorise(work *w)
{
    for (int64_t a = 0; a + 1 < w->nodes; a++) {
        mpq_mul(w->t, w->beside[a], w->beside[a]);
        mpq_div(w->t, w->t, w->diagonal[a]);
        mpq_sub(w->diagonal[a + 1], w->diagonal[a + 1], w->t);
    }
}

/* b = H^{-1} b. */
static void solve(work *w, mpq_t *b)
{
    for (int64_t a = 0; a + 1 < w->nodes; a++) {
        mpq_div(w->t, w->beside[a], w->diagonal[a]);
        mpq_mul(w->t, w->t, b[a]);
        mpq_sub(b[a + 1], b[a + 1], w->t);
    }
    for (int64_t a = w->nodes - 1; a >= 0; a--) {
        if (a + 1 < w->nodes) {
            mpq_mul(w->t, w->beside[a], b[a + 1]);
            mpq_sub(b[a], b[a], w->t);
        }
        mpq_div(b[a], b[a], w->diagonal[a]);
    }
}

static void dot(mpq_t out, const work *w, mpq_t *a, mpq_t *b, mpq_t room)
{
    mpq_set_ui(out, 0, 1);
    for (int64_t k = 0; k < w->nodes; k++)
        add_product(out, a[k], b[k], room);
}

/* l = the linear function that beta multiplies; g = E - t sum_j s_j J_j. */
static void set_functions(work *w)
{
    const fathom_line_piece *p = w->piece;
    for (int64_t a = 0; a < w->nodes; a++) {
        mpq_set(w->l[a], w->variation[a]);
        mpq_set(w->g[a], w->ends[a]);
        if (p->regime == FATHOM_LINE_TILTED) {
            mpq_set(w->t, w->ends[a]);
            (p->tilt > 0 ? mpq_add : mpq_sub)(w->l[a], w->l[a], w->t);
            mpq_div_2exp(w->l[a], w->l[a], 1);
        }
        (p->tilt > 0 ? mpq_sub : mpq_add)(w->g[a], w->g[a], w->variation[a]);
    }
}

/* Values at the nodes, r + beta (-l), as r and l; BETWEEN: less the multiple of H^{-1} g that makes g'z =
 * 0. */
static void solve_nodes(work *w)
{
    const bool between = w->piece->regime == FATHOM_LINE_BETWEEN;
    mpq_t gg, gr, gl, part;
    mpq_inits(gg, gr, gl, part, NULL);
    factorise(w);
    set_functions(w);
    mpq_t *g = w->slope0; /* g itself, which the solution replaces */
    for (int64_t a = 0; a < w->nodes; a++)
        mpq_set(g[a], w->g[a]);
    solve(w, w->r);
    solve(w, w->l);
    for (int64_t a = 0; a < w->nodes; a++)
        mpq_neg(w->l[a], w->l[a]);
    if (between) {
        solve(w, w->g);
        dot(gg, w, g, w->g, w->t);
        dot(gr, w, g, w->r, w->t);
        dot(gl, w, g, w->l, w->t);
        mpq_div(gr, gr, gg);
        mpq_div(gl, gl, gg);
        for (int64_t a = 0; a < w->nodes; a++) {
            mpq_mul(part, gr, w->g[a]);
            mpq_sub(w->r[a], w->r[a], part);
            mpq_mul(part, gl, w->g[a]);
            mpq_sub(w->l[a], w->l[a], part);
        }
    }
    mpq_clears(gg, gr, gl, part, NULL);
}

/* f at all places from a (nodes), and the slopes. */
static void spread(mpq_t *f, mpq_t *slope, work *w, mpq_t *a)
{
    const fathom_exact_line *line = w->piece->line;
    for (int64_t k = 0; k + 1 < w->nodes; k++) {
        mpq_sub(w->t, a[k + 1], a[k]);
        mpq_div(w->t, w->t, w->h[k]);
        for (int64_t p = w->node[k]; p <= w->node[k + 1]; p++) {
            mpq_sub(w->u, line->x[p], line->x[w->node[k]]);
            mpq_mul(w->u, w->u, w->t);
            mpq_add(f[p], a[k], w->u);
            if (p < w->node[k + 1])
                mpq_set(slope[p], w->t);
        }
    }
}

/* dual = g_j = G_j - G_N / 2 at all places, e = -G_N / 2, of v = c (y - f0), or of v = -c f1. */
static void price(mpq_t *dual, mpq_t e, work *w, mpq_t *f, bool constant)
{
    const fathom_exact_line *line = w->piece->line;
    mpq_t sum, g, v;
    mpq_inits(sum, g, v, NULL);
    for (int64_t p = 0; p < line->count; p++) {
        if (p > 0) {
            mpq_sub(w->t, line->x[p], line->x[p - 1]);
            add_product(g, sum, w->t, w->u);
        }
        mpq_set(dual[p], g);
        mpq_neg(v, f[p]);
        if (constant)
            mpq_add(v, v, line->y[p]);
        add_product(sum, v, line->c[p], w->u);
    }
    mpq_div_2exp(e, g, 1);
    mpq_neg(e, e);
    for (int64_t p = 0; p < line->count; p++)
        mpq_add(dual[p], dual[p], e);
    mpq_clears(sum, g, v, NULL);
}

/* TV and E from the slopes. */
static void totals(mpq_t tv, mpq_t end, work *w, mpq_t *slope)
{
    const fathom_line_piece *p = w->piece;
    mpq_set_ui(tv, 0, 1);
    for (int64_t k = 0; k < p->knots; k++) {
        mpq_sub(w->t, slope[p->knot[k]], slope[p->knot[k] - 1]);
        (p->sign[p->knot[k]] > 0 ? mpq_add : mpq_sub)(tv, tv, w->t);
    }
    mpq_add(end, slope[0], slope[p->line->count - 2]);
}

static void solve_piece(work *w)
{
    fathom_line_piece *p = w->piece;
    assemble(w);
    solve_nodes(w);
    spread(p->f0, w->slope0, w, w->r);
    spread(p->f1, w->slope1, w, w->l);
    price(w->dual0, w->e0, w, p->f0, true);
    price(w->dual1, w->e1, w, p->f1, false);
    totals(w->tv0, w->end0, w, w->slope0);
    totals(w->tv1, w->end1, w, w->slope1);
}

/* --- conditions ----------------------------------------------------------------------------------------- */

/* What is to be changed where a condition a + b beta >= 0 fails. */
typedef enum { NOTHING, LEAVE, REGIME, ENTER } change;

typedef struct {
    change kind;
    int64_t place;
    int sign; /* of a jump, or of the tilt */
    fathom_line_regime regime;
    int tilt; /* of the first knot: the sign of e */
} remedy;

typedef struct {
    work *w;
    const __mpq_struct *beta;
    remedy best; /* of the worst violation of the first kind that has one */
    mpq_t worst;
    mpq_t a, b, value;
} judge;

/* The condition a + b beta >= 0: its limit on beta, or its remedy. */
static void demand(judge *j, const remedy *r)
{
    fathom_line_piece *p = j->w->piece;
    mpq_mul(j->value, j->b, j->beta);
    mpq_add(j->value, j->value, j->a);
    if (mpq_sgn(j->value) < 0) {
        const bool first = j->best.kind == NOTHING || r->kind < j->best.kind;
        if (first || (r->kind == j->best.kind && mpq_cmp(j->value, j->worst) < 0)) {
            j->best = *r;
            mpq_set(j->worst, j->value);
        }
        return;
    }
    if (mpq_sgn(j->b) == 0)
        return;
    mpq_div(j->value, j->a, j->b);
    mpq_neg(j->value, j->value);
    if (mpq_sgn(j->b) > 0 && mpq_cmp(j->value, p->low) > 0)
        mpq_set(p->low, j->value);
    if (mpq_sgn(j->b) < 0 && (mpq_sgn(p->high) < 0 || mpq_cmp(j->value, p->high) < 0))
        mpq_set(p->high, j->value);
}

/* s J_j >= 0 at a knot. */
static void judge_knot(judge *j, int64_t place)
{
    const int s = j->w->piece->sign[place];
    mpq_sub(j->a, j->w->slope0[place], j->w->slope0[place - 1]);
    mpq_sub(j->b, j->w->slope1[place], j->w->slope1[place - 1]);
    if (s < 0) {
        mpq_neg(j->a, j->a);
        mpq_neg(j->b, j->b);
    }
    demand(j, &(remedy){LEAVE, place, 0, j->w->piece->regime, 0});
}

/* a + b beta = beta - s g_j - t e >= 0. */
static void judge_place(judge *j, int64_t place, int s, int t)
{
    const work *w = j->w;
    mpq_set_ui(j->a, 0, 1);
    mpq_set_ui(j->b, 1, 1);
    (s > 0 ? mpq_sub : mpq_add)(j->a, j->a, w->dual0[place]);
    (s > 0 ? mpq_sub : mpq_add)(j->b, j->b, w->dual1[place]);
    (t > 0 ? mpq_sub : mpq_add)(j->a, j->a, w->e0);
    (t > 0 ? mpq_sub : mpq_add)(j->b, j->b, w->e1);
    demand(j, &(remedy){ENTER, place, s, w->piece->regime, t});
}

/* beta - 2 t e >= 0. */
static void judge_tilt(judge *j, int t)
{
    const work *w = j->w;
    mpq_mul_2exp(j->a, w->e0, 1);
    mpq_mul_2exp(j->b, w->e1, 1);
    if (t > 0) {
        mpq_neg(j->a, j->a);
        mpq_neg(j->b, j->b);
    }
    mpq_set_ui(j->value, 1, 1);
    mpq_add(j->b, j->b, j->value);
    demand(j, &(remedy){REGIME, -1, t, FATHOM_LINE_TILTED, t});
}

/* s TV + t E >= 0. */
static void judge_ends(judge *j, int s, int t, int tilt)
{
    const work *w = j->w;
    mpq_set(j->a, w->tv0);
    mpq_set(j->b, w->tv1);
    if (s < 0) {
        mpq_neg(j->a, j->a);
        mpq_neg(j->b, j->b);
    }
    (t > 0 ? mpq_add : mpq_sub)(j->a, j->a, w->end0);
    (t > 0 ? mpq_add : mpq_sub)(j->b, j->b, w->end1);
    demand(j, &(remedy){REGIME, -1, tilt, FATHOM_LINE_BETWEEN, tilt});
}

static void judge_regime(judge *j)
{
    const fathom_line_piece *p = j->w->piece;
    if (p->regime == FATHOM_LINE_BALANCED) { /* e = 0 */
        judge_ends(j, 1, 1, -1);
        judge_ends(j, 1, -1, 1);
    } else if (p->regime == FATHOM_LINE_TILTED) { /* |e| = beta/2 */
        judge_ends(j, -1, p->tilt, p->tilt);
    } else if (p->knots == 0) {
        judge_tilt(j, 1);
        judge_tilt(j, -1);
    } else { /* 0 <= t e <= beta/2 */
        judge_tilt(j, p->tilt);
        mpq_set(j->a, j->w->e0);
        mpq_set(j->b, j->w->e1);
        if (p->tilt < 0) {
            mpq_neg(j->a, j->a);
            mpq_neg(j->b, j->b);
        }
        demand(j, &(remedy){REGIME, -1, p->tilt, FATHOM_LINE_BALANCED, p->tilt});
    }
}

/* All conditions: limits of the piece, or what to change. */
static void judge_all(judge *j)
{
    fathom_line_piece *p = j->w->piece;
    j->best = (remedy){.kind = NOTHING};
    mpq_set_ui(p->low, 0, 1);
    mpq_set_si(p->high, -1, 1);
    for (int64_t k = 0; k < p->knots; k++)
        judge_knot(j, p->knot[k]);
    judge_regime(j);
    for (int64_t place = 1; place + 1 < p->line->count; place++)
        for (int k = 0; k < 4 && p->sign[place] == 0; k++)
            judge_place(j, place, k % 2 ? 1 : -1, k / 2 ? 1 : -1);
}

static void apply(fathom_line_piece *p, const remedy *r)
{
    if (r->kind == REGIME) {
        p->regime = r->regime;
        p->tilt = r->sign;
    } else {
        if (r->kind == ENTER && p->knots == 0 && p->regime == FATHOM_LINE_BETWEEN)
            p->tilt = r->tilt; /* E = 0 = TV so far: t is open */
        p->sign[r->place] = (signed char)(r->kind == ENTER ? r->sign : 0);
    }
    p->knots = 0;
    for (int64_t k = 1; k + 1 < p->line->count; k++)
        if (p->sign[k] != 0)
            p->knot[p->knots++] = k;
    if (p->knots == 0 && p->regime == FATHOM_LINE_BALANCED)
        p->regime = FATHOM_LINE_BETWEEN;
}

fathom_status fathom_line_piece_find(bool *found, fathom_line_piece *piece, const mpq_t beta)
{
    const int64_t most = 20 * piece->line->count + 100;
    work w;
    judge j = {.w = &w, .beta = beta};
    *found = false;
    if (fathom_context_stop_reason(piece->line->context) != FATHOM_STOP_NONE)
        return FATHOM_ERROR_STOPPED;
    fathom_status status = work_open(&w, piece);
    mpq_inits(j.worst, j.a, j.b, j.value, NULL);
    for (int64_t step = 0; step < most && !*found && status == FATHOM_OK; step++) {
        solve_piece(&w);
        judge_all(&j);
        *found = j.best.kind == NOTHING;
        if (!*found)
            apply(piece, &j.best);
        if (fathom_context_stop_reason(piece->line->context) != FATHOM_STOP_NONE)
            status = FATHOM_ERROR_STOPPED;
    }
    mpq_clears(j.worst, j.a, j.b, j.value, NULL);
    work_close(&w);
    return status;
}

void fathom_line_piece_slopes(mpq_t *slope, const fathom_line_piece *piece, const mpq_t beta)
{
    const fathom_exact_line *line = piece->line;
    mpq_t one, other;
    mpq_inits(one, other, NULL);
    for (int64_t k = 0; k + 1 < line->count; k++) {
        mpq_sub(one, piece->f1[k + 1], piece->f1[k]);
        mpq_mul(one, one, beta);
        mpq_sub(other, piece->f0[k + 1], piece->f0[k]);
        mpq_add(one, one, other);
        mpq_sub(other, line->x[k + 1], line->x[k]);
        mpq_div(slope[k], one, other);
    }
    mpq_clears(one, other, NULL);
}
