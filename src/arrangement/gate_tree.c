/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products with all gates at once, along the gate tree.
 *
 *     sums      out_j = X' D_j v          D_j = diag of gate j's pattern (m of them), v (n)
 *     adjoint   out_i = <x_i, sum_j D_ij z_j>
 *
 * A gate's sum is its parent's plus or minus the change v_i x_i of the points flipped; the adjoint runs the other way: the sum of
 * z over a subtree is what its top's move contributes to the flipped points. O((n + m) d) instead of O(n m d).
 *
 * Layer by layer: gates of a layer are independent of each other, so that additions overlap, and a layer of a tile
 * (gate_tree_internal.h) stays in the first-level cache; 8 bytes per gate are read, the results written, and nothing else
 * moves through memory. Tiles are shared out to threads; neither their number nor their order enters a result.
 *
 * Sums are kept as pairs high + low. Every term is split beforehand into a multiple of 2^-53 M, M a power of two that no sum of
 * terms reaches (one for each column), and a rest of at most that size; so that high parts are added without rounding, in any
 * order, by plain additions, and differences along a path of K flips do not build up error [extraction of Rump-Ogita-Oishi
 * 2008, AccSum]. Each result is within
 *     2^-52 |result| + (K + n + d)^2 2^-104 S
 * of exact, S the sum of the absolute values of all terms of its column (adjoint: of all |x_ik z_jk|, and K + n + m in place of
 * K + n); norms within (d + 4) 2^-53 of that of the result, relatively.
 */
#include "gate_tree.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "dispatch.h"
#include "gate_tree_internal.h"
#include "patterns.h"

enum { LANES = 4 };

typedef double lane __attribute__((vector_size(32), may_alias));
typedef double loose_lane __attribute__((vector_size(32), may_alias, aligned(8)));
typedef int64_t bits_lane __attribute__((vector_size(32)));

#define INLINE static inline __attribute__((always_inline))

/* Gates of one layer: what a step of a walk needs. */
typedef struct stretch {
    const fathom_tree_step *step;
    int64_t count;
    int64_t shift; /* place within its layer of the first gate that `above` holds */
    int64_t width, d;
} stretch;

static double *aligned(double *p) { return (double *)(((uintptr_t)p + 63) & ~(uintptr_t)63); }

/* high + low += a, exactly in high up to the part that goes to low [two-sum]. */
static inline void add_to_pair(double *high, double *low, double a)
{
    const double sum = *high + a, part = sum - *high;
    *low += (*high - (sum - part)) + (a - part);
    *high = sum;
}

/* M for terms whose absolute values add up to `sum`: a power of two of at least 4 sum; 0 (nothing is split) where there is none. */
static double grid_of(double sum)
{
    int exponent;
    frexp(sum, &exponent);
    return sum > 0 && exponent + 2 <= 1023 ? ldexp(1, exponent + 2) : 0;
}

/* high += a's multiple of 2^-53 grid, low += the rest. */
static inline void add_term(double *high, double *low, double a, double grid)
{
    const double multiple = (grid + a) - grid;
    *high += multiple;
    *low += a - multiple;
}

/* All zeros, or all negative zeros. */
INLINE void take_sign(lane *sign, int negative)
{
    static const double zero[] = {0.0, -0.0};
    const double z = zero[negative];
    *sign = (lane){z, z, z, z};
}

/* Entry k of row i as stored, and its column. */
static inline double entry(int64_t *column, const fathom_data_view *data, int64_t i, int64_t k)
{
    const int64_t at = data->x ? 0 : data->row_start[i] + k;
    *column = data->x ? k : data->column[at];
    return data->x ? data->x[i * data->ld + k] : data->value[at];
}

static inline int64_t entries(const fathom_data_view *data, int64_t i)
{
    return data->x ? data->d : data->row_start[i + 1] - data->row_start[i];
}

/* pair += a x_i, both parts of every product. */
static void add_row(double *pair, const fathom_gate_tree *t, double a, const fathom_data_view *data,
                    int64_t i)
{
    for (int64_t k = 0; k < entries(data, i); k++) {
        int64_t c;
        const double x = entry(&c, data, i, k), product = a * x;
        add_term(pair + c, pair + t->width + c, product, t->grid[c]);
        pair[t->width + c] += fma(a, x, -product);
    }
}

/* out + out_low += sign <x_i, pair>. */
static void add_dot(double *out, double *out_low, double sign, const fathom_data_view *data, int64_t i,
                    const double *pair, int64_t width)
{
    for (int64_t k = 0; k < entries(data, i); k++) {
        int64_t c;
        const double x = sign * entry(&c, data, i, k), product = x * pair[c];
        *out_low += fma(x, pair[c], -product) + x * pair[width + c];
        add_to_pair(out, out_low, product);
    }
}

/* a += b, its sign changed where `sign` has one. */
INLINE void add_signed(lane *a, const lane *b, const lane *sign)
{
    *a += (lane)((bits_lane)*b ^ (bits_lane)*sign);
}

/* to (a pair) = from + or - by; *sum = high + low of lane l. */
INLINE void step_lane(lane *restrict sum, lane *restrict to, const lane *restrict from,
                      const lane *restrict by, const lane *sign, int l, int lanes)
{
    lane high = from[l], low = from[lanes + l];
    add_signed(&high, by + l, sign);
    add_signed(&low, by + lanes + l, sign);
    to[l] = high;
    to[lanes + l] = low;
    *sum = high + low;
}

/* Numbers i, j, k, l of a and b in a row; clang's builtin is in gcc from 12 on. */
#if defined __clang__ || __GNUC__ >= 12
#define MIX(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#else
#define MIX(a, b, i, j, k, l) __builtin_shuffle(a, b, (bits_lane){i, j, k, l})
#endif

/* *sums = (sum of the numbers of q_0, ..., of q_3). */
INLINE void sum_four(lane *sums, const lane *q)
{
    const lane a = MIX(q[0], q[1], 0, 4, 2, 6) + MIX(q[0], q[1], 1, 5, 3, 7);
    const lane b = MIX(q[2], q[3], 0, 4, 2, 6) + MIX(q[2], q[3], 1, 5, 3, 7);
    *sums = MIX(a, b, 0, 1, 4, 5) + MIX(a, b, 2, 3, 6, 7);
}

/* The lane l of a row of out; `whole` rows may write up to three numbers behind their d. */
INLINE void write_lane(double *row, const lane *sum, int l, int64_t d, bool whole)
{
    if (whole || LANES * (l + 1) <= d)
        *(loose_lane *)(row + LANES * l) = *sum;
    else
        for (int64_t k = LANES * l; k < d; k++)
            row[k] = (*sum)[k % LANES];
}

/* `count` (at most four) gates of a stretch, and their |sums|^2. */
INLINE void descend_four(lane *square, lane *restrict below, const lane *restrict above,
                         const lane *restrict change, double *restrict out,
                         const fathom_tree_step *restrict step, int64_t shift, int64_t d, const int count,
                         bool whole, const int lanes)
{
    lane own[LANES] = {{0}};
    for (int q = 0; q < count; q++) {
        const lane *from = above + ((int64_t)step[q].parent - shift) * 2 * lanes;
        const lane *by = change + (int64_t)(step[q].move >> 1) * 2 * lanes;
        lane sum, sign;
        take_sign(&sign, step[q].move & 1);
        for (int l = 0; l < lanes; l++) {
            step_lane(&sum, below + q * 2 * lanes, from, by, &sign, l, lanes);
            own[q] += sum * sum;
            if (out)
                write_lane(out + q * d, &sum, l, d, whole);
        }
    }
    sum_four(square, own);
}

/* Squares that neither over- nor underflowed: all bits, else none. */
INLINE void check_range(bits_lane *fine, const lane *square)
{
    const lane least = {0x1p-900, 0x1p-900, 0x1p-900, 0x1p-900};
    const lane most = {0x1p1000, 0x1p1000, 0x1p1000, 0x1p1000};
    *fine &= (*square > least) & (*square < most);
}

/* |high + low| of a pair, whatever its size. */
static double norm_of_pair(const double *pair, int64_t width)
{
    double largest = 0, square = 0;
    for (int64_t k = 0; k < width; k++)
        largest = fmax(largest, fabs(pair[k] + pair[width + k]));
    for (int64_t k = 0; k < width && largest > 0; k++)
        square += ((pair[k] + pair[width + k]) / largest) * ((pair[k] + pair[width + k]) / largest);
    return largest * sqrt(square);
}

/* below = the pairs of a stretch of gates, from those of the layer above; out and norm: their sums and |sums|. */
INLINE void descend(lane *restrict below, const lane *restrict above, const lane *restrict change,
                    double *restrict out, double *restrict norm, const stretch *s, const int lanes)
{
    const int64_t count = s->count, shift = s->shift, d = s->d, fours = count / LANES * LANES;
    const fathom_tree_step *step = s->step;
    bits_lane fine = {-1, -1, -1, -1};
    lane square;
    for (int64_t r = 0; r < fours; r += LANES) {
        descend_four(&square, below + r * 2 * lanes, above, change, out ? out + r * d : NULL, step + r, shift,
                     d, LANES, r + 2 * LANES <= count, lanes);
        for (int q = 0; q < LANES && norm; q++)
            norm[r + q] = sqrt(square[q]);
        check_range(&fine, &square);
    }
    for (int64_t r = fours; r < count; r++) {
        descend_four(&square, below + r * 2 * lanes, above, change, out ? out + r * d : NULL, step + r, shift,
                     d, 1, false, lanes);
        fine[0] &= -(square[0] > 0x1p-900 && square[0] < 0x1p1000);
        if (norm)
            norm[r] = sqrt(square[0]);
    }
    if (norm && !(fine[0] & fine[1] & fine[2] & fine[3]))
        for (int64_t r = 0; r < count; r++)
            norm[r] = norm_of_pair((const double *)(below + r * 2 * lanes), lanes * LANES);
}

FATHOM_DISPATCH
static void descend_any(double *below, const double *above, const double *change, double *out, double *norm,
                        const stretch *s)
{
    const int lanes = (int)(s->width / LANES);
    lane *to = (lane *)below;
    const lane *from = (const lane *)above, *by = (const lane *)change;
    if (lanes == 1)
        descend(to, from, by, out, norm, s, 1);
    else if (lanes == 2)
        descend(to, from, by, out, norm, s, 2);
    else
        descend(to, from, by, out, norm, s, lanes);
}

/* A walk downwards over the layers first .. last of one tile (or of all above the cut, tile < 0): its pairs of layer `first` are
 * above. Returns those of the last layer. */
static const double *walk_down(double *out, double *norm, const fathom_gate_tree *t, int64_t tile,
                               int64_t first, int64_t last, const double *above, double *working)
{
    const int64_t line = t->layers + 1;
    int64_t shift = tile < 0 ? 0 : t->bound[tile * line + first] - t->layer[first];
    for (int64_t l = first + 1; l <= last; l++) {
        const int64_t from = tile < 0 ? t->layer[l] : t->bound[tile * line + l];
        const int64_t end = tile < 0 ? t->layer[l + 1] : t->bound[(tile + 1) * line + l];
        const stretch s = {t->step + from, end - from, shift, t->width, t->d};
        double *below = working + (l % 2) * t->widest * 2 * t->width;
        descend_any(below, above, aligned(t->change), out ? out + from * t->d : NULL,
                    norm ? norm + from : NULL, &s);
        above = below;
        shift = from - t->layer[l];
    }
    return above;
}

/* change = v_i x_i over the points of every move; root = the sum over the points that gate 0 opens. */
static void take_changes(double *change, double *root, const fathom_gate_tree *t,
                         const fathom_data_view *data, const double *v)
{
    const int64_t pair = 2 * t->width;
    memset(t->grid, 0, (size_t)t->width * sizeof *t->grid);
    for (int64_t i = 0; i < t->n; i++)
        for (int64_t k = 0; k < entries(data, i); k++) {
            int64_t c;
            const double x = entry(&c, data, i, k);
            t->grid[c] += fabs(v[i] * x);
        }
    for (int64_t c = 0; c < t->d; c++)
        t->grid[c] = grid_of(t->grid[c]);
    memset(change, 0, (size_t)(t->moves * pair) * sizeof *change);
    memset(root, 0, (size_t)pair * sizeof *root);
    for (int64_t k = 0; k < t->moves; k++)
        for (int64_t q = t->move_start[k]; q < t->move_start[k + 1]; q++) {
            const int32_t i = t->point[q] / 2;
            add_row(change + k * pair, t, t->point[q] % 2 ? -v[i] : v[i], data, i);
        }
    for (int64_t i = 0; i < t->n; i++)
        if (fathom_pattern_bit(t->root, i))
            add_row(root, t, v[i], data, i);
}

void fathom_gate_tree_sums(double *out, double *norm, fathom_gate_tree *tree, const fathom_data_view *data,
                           const double *v)
{
    const fathom_gate_tree *t = tree;
    const int64_t pair = 2 * t->width, own = 2 * t->widest * pair;
    if (t->m == 0)
        return;
    double *working = aligned(t->working), *top = aligned(t->top);
    take_changes(aligned(t->change), working, t, data, v);
    for (int64_t k = 0; k < t->d && out; k++)
        out[k] = working[k] + working[t->width + k];
    if (norm)
        norm[0] = norm_of_pair(working, t->width);
    const double *cut = walk_down(out, norm, t, -1, 0, t->whole ? t->layers - 1 : t->cut, working, working);
    if (t->whole)
        return;
    memcpy(top, cut, (size_t)((t->layer[t->cut + 1] - t->layer[t->cut]) * pair) * sizeof *top);
#pragma omp parallel for schedule(dynamic) num_threads(t->threads) if (t->m >= 100000)
    for (int64_t tile = 0; tile < FATHOM_TREE_TILES; tile++) {
        const int64_t skip = t->bound[tile * (t->layers + 1) + t->cut] - t->layer[t->cut];
        walk_down(out, norm, t, tile, t->cut, t->layers - 1, top + skip * pair,
                  working + omp_get_thread_num() * own);
    }
}

/* above (pairs of the layer above, which hold their own z) += the children's pairs; so do the moves. */
INLINE void ascend(lane *restrict above, lane *restrict change, const lane *restrict below, const stretch *s,
                   const int lanes)
{
    for (int64_t r = 0; r < s->count; r++) {
        lane *to = above + ((int64_t)s->step[r].parent - s->shift) * 2 * lanes;
        lane *by = change + (int64_t)(s->step[r].move >> 1) * 2 * lanes;
        const lane *from = below + r * 2 * lanes;
        lane sign;
        take_sign(&sign, s->step[r].move & 1);
        for (int l = 0; l < 2 * lanes; l++) {
            to[l] += from[l];
            add_signed(by + l, from + l, &sign);
        }
    }
}

FATHOM_DISPATCH
static void ascend_any(double *above, double *change, const double *below, const stretch *s)
{
    const int lanes = (int)(s->width / LANES);
    lane *to = (lane *)above, *by = (lane *)change;
    const lane *from = (const lane *)below;
    if (lanes == 1)
        ascend(to, by, from, s, 1);
    else if (lanes == 2)
        ascend(to, by, from, s, 2);
    else
        ascend(to, by, from, s, lanes);
}

/* grid = M of every column of z. */
FATHOM_DISPATCH
static void take_grid(double *restrict grid, const double *restrict z, int64_t m, int64_t d)
{
    memset(grid, 0, (size_t)d * sizeof *grid);
    for (int64_t j = 0; j < m; j++)
        for (int64_t k = 0; k < d; k++)
            grid[k] += fabs(z[j * d + k]);
}

/* pair_r = z_r, `count` of them. */
FATHOM_DISPATCH
static void take_z(double *restrict pair, const double *restrict z, int64_t count,
                   const double *restrict grid, int64_t width, int64_t d)
{
    memset(pair, 0, (size_t)(count * 2 * width) * sizeof *pair);
    for (int64_t r = 0; r < count; r++)
        for (int64_t k = 0; k < d; k++)
            add_term(pair + r * 2 * width + k, pair + (r * 2 + 1) * width + k, z[r * d + k], grid[k]);
}

/* A walk upwards over the layers last .. first + 1 of one tile (or of all above the cut, tile < 0); `below` holds the pairs
 * of layer `last`, `top` receives those of layer `first`. */
static void walk_up(double *top, double *change, const fathom_gate_tree *t, int64_t tile, int64_t first,
                    int64_t last, const double *below, const double *z, double *working)
{
    const int64_t line = t->layers + 1;
    for (int64_t l = last; l > first; l--) {
        const int64_t from = tile < 0 ? t->layer[l] : t->bound[tile * line + l];
        const int64_t end = tile < 0 ? t->layer[l + 1] : t->bound[(tile + 1) * line + l];
        const int64_t before = tile < 0 ? t->layer[l - 1] : t->bound[tile * line + l - 1];
        const int64_t until = tile < 0 ? t->layer[l] : t->bound[(tile + 1) * line + l - 1];
        const stretch s = {t->step + from, end - from, before - t->layer[l - 1], t->width, t->d};
        double *above = l - 1 == first ? top : working + ((l - 1) % 2) * t->widest * 2 * t->width;
        take_z(above, z + before * t->d, until - before, t->grid, t->width, t->d);
        ascend_any(above, change, below, &s);
        below = above;
    }
}

/* One tile: its subtrees into `change`, their tops into `top`. */
static void add_tile(double *top, double *change, const fathom_gate_tree *t, int64_t tile, const double *z,
                     double *working)
{
    const int64_t line = t->layers + 1, last = t->layers - 1;
    const int64_t from = t->bound[tile * line + last], end = t->bound[(tile + 1) * line + last];
    double *below = last == t->cut ? top : working + (last % 2) * t->widest * 2 * t->width;
    memset(change, 0, (size_t)(t->moves * 2 * t->width) * sizeof *change);
    take_z(below, z + from * t->d, end - from, t->grid, t->width, t->d);
    walk_up(top, change, t, tile, t->cut, last, below, z, working);
}

/* The moves' sums of all tiles, in order, into those of the first. */
static void add_blocks(double *change, const fathom_gate_tree *t)
{
    const int64_t block = t->moves * 2 * t->width;
    for (int64_t tile = 1; tile < FATHOM_TREE_TILES; tile++)
        for (int64_t k = 0; k < block; k++)
            change[k] += change[tile * block + k];
}

/* out = what the moves' sums and that of the whole tree, which gate 0's points see, come to. */
static void collect(double *out, const fathom_gate_tree *t, const fathom_data_view *data,
                    const double *change, const double *whole)
{
    const int64_t pair = 2 * t->width;
    double *low = t->low;
    for (int64_t i = 0; i < t->n; i++) {
        out[i] = low[i] = 0;
        if (fathom_pattern_bit(t->root, i))
            add_dot(out + i, low + i, 1, data, i, whole, t->width);
    }
    for (int64_t k = 0; k < t->moves; k++)
        for (int64_t q = t->move_start[k]; q < t->move_start[k + 1]; q++) {
            const int32_t i = t->point[q] / 2;
            add_dot(out + i, low + i, t->point[q] % 2 ? -1 : 1, data, i, change + k * pair, t->width);
        }
    for (int64_t i = 0; i < t->n; i++)
        out[i] += low[i];
}

void fathom_gate_tree_adjoint(double *out, fathom_gate_tree *tree, const fathom_data_view *data,
                              const double *z)
{
    const fathom_gate_tree *t = tree;
    const int64_t pair = 2 * t->width, own = 2 * t->widest * pair, block = t->moves * pair;
    memset(out, 0, (size_t)t->n * sizeof *out);
    if (t->m == 0)
        return;
    double *working = aligned(t->working), *top = aligned(t->top), *change = aligned(t->change);
    take_grid(t->grid, z, t->m, t->d);
    for (int64_t k = 0; k < t->d; k++)
        t->grid[k] = grid_of(t->grid[k]);
#pragma omp parallel for schedule(dynamic) num_threads(t->threads) if (t->m >= 100000)
    for (int64_t tile = 0; tile < FATHOM_TREE_TILES; tile++) {
        const int64_t skip = t->bound[tile * (t->layers + 1) + t->cut] - t->layer[t->cut];
        add_tile(top + skip * pair, change + tile * block, t, tile, z, working + omp_get_thread_num() * own);
    }
    add_blocks(change, t);
    double *root = change + FATHOM_TREE_TILES * block;
    walk_up(root, change, t, -1, 0, t->cut, top, z, working);
    collect(out, t, data, change, t->cut == 0 ? top : root);
}
