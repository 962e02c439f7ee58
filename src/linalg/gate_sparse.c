/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masked products over gates for sparse points.
 *
 *     X n x d sparse points, D n x m gates as bits, V o x n, W m x o x d
 *     F*(V)_jc = sum_i D_ij v_ci x_i     adjoint, by columns of X:  entry k is  sum over i in column k of
 * x_ik z_i
 *     F(W)_ci  = sum_j D_ij <x_i, w_jc>  forward, by rows of X
 *
 * Gates and outputs go through in tiles of up to MOST pairs (j, c), the lanes: z_i holds the numbers D_ij
 * v_ci of a point side by side, so that every entry of X meets one short run of numbers, twice: when the
 * columns are summed up, and when rows meet what was summed. Weights of size o d exist for the gates of one
 * tile only (d x lanes numbers); norms need not even those.
 *
 * Guarantee: the sums of a column and of a row run over their entries in ascending order, those of tiles in
 * their order and squares by blocks of COLUMNS columns: the bits do not depend on the number of threads.
 * Every product x_ik v_ci passes at most as many roundings as its column has entries, every x_ik w_jck as
 * many as its row has, and one for each tile. Cost: one multiply-add per entry and lane for the adjoint,
 * and for the forward product of rows on which a gate of the tile is open.
 */
#include "gate_sparse.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "context_internal.h"
#include "dispatch.h"

enum { MOST = 32, LANES = 4, COLUMNS = 512, ROWS = 256, GRAM = 8 };

/* Four lanes, wherever they lie. */
typedef double four __attribute__((vector_size(32), aligned(8)));

/* Pairs (gate, output) of a tile: gates gate .. gate + gates, outputs first .. first + outputs; lane of a
 * pair: j outputs + c. */
typedef struct tile {
    int64_t gate, gates, first, outputs;
    int64_t lanes; /* gates x outputs rounded up to whole vectors */
} tile;

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* The number of tiles, and tile number t, of `count` gates with `outputs` outputs. */
static int64_t gates_of_tile(int64_t outputs) { return outputs < MOST ? MOST / outputs : 1; }

static int64_t tiles_of(int64_t count, int64_t outputs)
{
    const int64_t step = gates_of_tile(outputs), down = (count + step - 1) / step;
    return down * ((outputs + MOST - 1) / MOST);
}

static tile tile_at(int64_t t, int64_t count, int64_t outputs)
{
    const int64_t step = gates_of_tile(outputs), across = (outputs + MOST - 1) / MOST;
    const int64_t gate = t / across * step, first = t % across * MOST;
    tile own = {gate, min64(step, count - gate), first, min64(MOST, outputs - first), 0};
    own.lanes = (own.gates * own.outputs + LANES - 1) / LANES * LANES;
    return own;
}

static const uint64_t *pattern_of(const fathom_sparse_gates *g, int64_t position)
{
    return g->bits + (g->index ? g->index[position] : position) * g->words;
}

static int64_t column_blocks(int64_t d) { return (d + COLUMNS - 1) / COLUMNS; }

/* z (n x MOST), a (d x MOST), squares (blocks x MOST). */
int64_t fathom_sparse_gate_workspace(int64_t n, int64_t d) { return MOST * (n + d + column_blocks(d)); }

/* z_i = the tile's D_ij v_ci times `unit` for the points of one block. */
static void fill_block(double *z, const fathom_sparse_gates *g, const tile *t, const double *v, double unit,
                       int64_t start)
{
    const int64_t n = g->points->row.n, end = min64(start + ROWS, n);
    memset(z + start * t->lanes, 0, (size_t)((end - start) * t->lanes) * sizeof *z);
    for (int64_t j = 0; j < t->gates; j++) {
        const uint64_t *pattern = pattern_of(g, t->gate + j);
        for (int64_t i = start; i < end; i++)
            for (int64_t c = 0; (pattern[i / 64] >> (i % 64)) & 1 && c < t->outputs; c++)
                z[i * t->lanes + j * t->outputs + c] = v[(t->first + c) * n + i] * unit;
    }
}

/* sum (lanes / LANES vectors) = sum over the entries of line k of `m` of their value times the lanes of
 * their column in z. */
static inline __attribute__((always_inline)) void line_times(four *sum, const fathom_csr *m, int64_t k,
                                                             const double *z, int64_t lanes)
{
    for (int64_t l = 0; l < lanes / LANES; l++)
        sum[l] = (four){0};
    for (int64_t e = m->row_start[k]; e < m->row_start[k + 1]; e++) {
        const four *line = (const four *)(const void *)(z + m->column[e] * lanes);
        const double x = m->value[e];
        for (int64_t l = 0; l < lanes / LANES; l++)
            sum[l] += x * line[l];
    }
}

/* Columns first .. last of the tile's adjoint: into a, and their squares into `square` (either may be
 * NULL). */
static inline __attribute__((always_inline)) void columns_times(double *a, double *square,
                                                                const fathom_csr *column, int64_t first,
                                                                int64_t last, const double *z, int64_t lanes)
{
    four sum[MOST / LANES], total[MOST / LANES];
    for (int64_t l = 0; l < lanes / LANES; l++)
        total[l] = (four){0};
    for (int64_t k = first; k < last; k++) {
        line_times(sum, column, k, z, lanes);
        for (int64_t l = 0; l < lanes / LANES; l++)
            total[l] += sum[l] * sum[l];
        if (a)
            memcpy(a + k * lanes, sum, (size_t)lanes * sizeof *a);
    }
    if (square)
        memcpy(square, total, (size_t)lanes * sizeof *square);
}

/* The same with the number of lanes known to the compiler. */
#define FOR_LANES(call)      \
    switch (lanes / LANES) { \
    case 1:                  \
        call(4);             \
        break;               \
    case 2:                  \
        call(8);             \
        break;               \
    case 3:                  \
        call(12);            \
        break;               \
    case 4:                  \
        call(16);            \
        break;               \
    case 5:                  \
        call(20);            \
        break;               \
    case 6:                  \
        call(24);            \
        break;               \
    case 7:                  \
        call(28);            \
        break;               \
    default:                 \
        call(32);            \
        break;               \
    }

FATHOM_DISPATCH
static void gather_columns(double *a, double *square, const fathom_csr *column, int64_t first, int64_t last,
                           const double *z, int64_t lanes){
#define CALL(width) columns_times(a, square, column, first, last, z, width)
    FOR_LANES(CALL)
#undef CALL
}

/* dot (lanes) = the products of row i with the tile's columns a. */
FATHOM_DISPATCH
    static void meet_row(double *dot, const fathom_csr *row, int64_t i, const double *a, int64_t lanes)
{
    four sum[MOST / LANES];
#define CALL(width)                    \
    line_times(sum, row, i, a, width); \
    memcpy(dot, sum, width * sizeof *dot)
    FOR_LANES(CALL)
#undef CALL
}

/* Threads that are worth waking for one pass over the entries. */
static int useful(const fathom_sparse_points *points, const tile *t, int threads)
{
    return fathom_threads_worth((double)(points->row.row_start[points->row.n] * t->lanes), threads);
}

/* The tile's adjoint of unit v: a (d x lanes), and the squares of blocks of columns; either may be NULL. */
static void gather(double *a, double *square, const fathom_sparse_gates *g, const tile *t, const double *v,
                   double unit, int threads, double *z)
{
    const fathom_csr *column = &g->points->column;
    const int64_t n = g->points->row.n, d = g->points->row.d, blocks = column_blocks(d);
    const int useful_threads = useful(g->points, t, threads);
#pragma omp parallel for schedule(static) num_threads(useful_threads)
    for (int64_t start = 0; start < n; start += ROWS)
        fill_block(z, g, t, v, unit, start);
#pragma omp parallel for schedule(dynamic) num_threads(useful_threads)
    for (int64_t b = 0; b < blocks; b++)
        gather_columns(a, square ? square + b * t->lanes : NULL, column, b * COLUMNS,
                       min64((b + 1) * COLUMNS, d), z, t->lanes);
}

/* The workspace in its parts. */
typedef struct room {
    double *z, *a, *square;
} room;

static room take_room(const fathom_sparse_gates *g, double *workspace)
{
    const int64_t n = g->points->row.n, d = g->points->row.d;
    return (room){workspace, workspace + MOST * n, workspace + MOST * (n + d)};
}

/* Squares of numbers below this may vanish, those above the other may overflow. */
static const double LEAST = 0x1p-300, LARGEST = 0x1p+300;

/* A power of two that brings the largest |v| near 1; 1 where there is none, or it is in no danger. */
static double unit_of(const double *v, int64_t count)
{
    double largest = 0;
    for (int64_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(v[k]));
    return largest > 0 && (largest < LEAST || largest > LARGEST) && isfinite(largest)
               ? ldexp(1, -(largest < 0x1p-1000 ? -1000 : ilogb(largest)))
               : 1;
}

/* norm += the squares of the tile's gates, block by block. */
static void add_squares(double *norm, const double *square, const tile *t, int64_t blocks)
{
    for (int64_t j = 0; j < t->gates; j++) {
        double sum = 0;
        for (int64_t b = 0; b < blocks; b++)
            for (int64_t c = 0; c < t->outputs; c++)
                sum += square[b * t->lanes + j * t->outputs + c];
        norm[t->gate + j] += sum;
    }
}

void fathom_sparse_gate_norms(double *norm, const fathom_sparse_gates *g, const double *v, int64_t outputs,
                              int threads, double *workspace)
{
    const room r = take_room(g, workspace);
    const double unit = unit_of(v, outputs * g->points->row.n);
    memset(norm, 0, (size_t)g->count * sizeof *norm);
    for (int64_t k = 0; k < tiles_of(g->count, outputs); k++) {
        const tile t = tile_at(k, g->count, outputs);
        gather(NULL, r.square, g, &t, v, unit, threads, r.z);
        add_squares(norm, r.square, &t, column_blocks(g->points->row.d));
    }
    for (int64_t j = 0; j < g->count; j++)
        norm[j] = sqrt(norm[j]) / unit;
}

void fathom_sparse_gate_adjoint(double *out, const fathom_sparse_gates *g, const double *v, int64_t outputs,
                                int threads, double *workspace)
{
    const room r = take_room(g, workspace);
    const int64_t d = g->points->row.d;
    for (int64_t k = 0; k < tiles_of(g->count, outputs); k++) {
        const tile t = tile_at(k, g->count, outputs);
        gather(r.a, NULL, g, &t, v, 1, threads, r.z);
        for (int64_t j = 0; j < t.gates; j++)
            for (int64_t c = 0; c < t.outputs; c++) {
                double *line = out + ((t.gate + j) * outputs + t.first + c) * d;
                for (int64_t l = 0; l < d; l++)
                    line[l] = r.a[l * t.lanes + j * t.outputs + c];
            }
    }
}

/* Whether a gate of the tile is open on point i. */
static bool any_open(const fathom_sparse_gates *g, const tile *t, int64_t i)
{
    for (int64_t j = 0; j < t->gates; j++)
        if ((pattern_of(g, t->gate + j)[i / 64] >> (i % 64)) & 1)
            return true;
    return false;
}

/* f += sum_j scale_j D_ij <x_i, a_jc> over the gates of the tile; scale may be NULL. */
static void spread(double *f, const fathom_sparse_gates *g, const tile *t, const double *a,
                   const double *scale, int threads)
{
    const fathom_csr *row = &g->points->row;
    const int64_t n = row->n;
#pragma omp parallel for schedule(dynamic) num_threads(useful(g->points, t, threads))
    for (int64_t start = 0; start < n; start += ROWS)
        for (int64_t i = start; i < min64(start + ROWS, n); i++) {
            double dot[MOST];
            if (!any_open(g, t, i))
                continue;
            meet_row(dot, row, i, a, t->lanes);
            for (int64_t j = 0; j < t->gates; j++) {
                const bool open = (pattern_of(g, t->gate + j)[i / 64] >> (i % 64)) & 1;
                const double size = scale ? scale[t->gate + j] : 1;
                for (int64_t c = 0; open && c < t->outputs; c++)
                    f[(t->first + c) * n + i] += size * dot[j * t->outputs + c];
            }
        }
}

void fathom_sparse_gate_forward(double *f, const fathom_sparse_gates *g, const double *w, int64_t outputs,
                                int threads, double *workspace)
{
    const room r = take_room(g, workspace);
    const int64_t n = g->points->row.n, d = g->points->row.d;
    memset(f, 0, (size_t)(outputs * n) * sizeof *f);
    for (int64_t k = 0; k < tiles_of(g->count, outputs); k++) {
        const tile t = tile_at(k, g->count, outputs);
        memset(r.a, 0, (size_t)(d * t.lanes) * sizeof *r.a);
        for (int64_t j = 0; j < t.gates; j++)
            for (int64_t c = 0; c < t.outputs; c++) {
                const double *line = w + ((t.gate + j) * outputs + t.first + c) * d;
                for (int64_t l = 0; l < d; l++)
                    r.a[l * t.lanes + j * t.outputs + c] = line[l];
            }
        spread(f, g, &t, r.a, NULL, threads);
    }
}

void fathom_sparse_gate_through(double *f, const fathom_sparse_gates *g, const fathom_sparse_gates *from,
                                const double *scale, const double *v, int64_t outputs, int threads,
                                double *workspace)
{
    const room r = take_room(from, workspace);
    memset(f, 0, (size_t)(outputs * g->points->row.n) * sizeof *f);
    for (int64_t k = 0; k < tiles_of(from->count, outputs); k++) {
        const tile t = tile_at(k, from->count, outputs);
        gather(r.a, NULL, from, &t, v, 1, threads, r.z);
        spread(f, g, &t, r.a, scale, threads);
    }
}

/* The terms of one tile. */
static void place_terms(double *p, const fathom_sparse_gates *g, const tile *t, int64_t outputs,
                        const double *a, const double *scale, int threads)
{
    const fathom_csr *row = &g->points->row;
    const int64_t n = row->n;
#pragma omp parallel for schedule(dynamic) num_threads(useful(g->points, t, threads))
    for (int64_t start = 0; start < n; start += ROWS)
        for (int64_t i = start; i < min64(start + ROWS, n); i++) {
            double dot[MOST] = {0};
            const double size = scale ? scale[i] : 1;
            if (any_open(g, t, i))
                meet_row(dot, row, i, a, t->lanes);
            for (int64_t j = 0; j < t->gates; j++) {
                const bool open = (pattern_of(g, t->gate + j)[i / 64] >> (i % 64)) & 1;
                for (int64_t c = 0; c < t->outputs; c++)
                    p[((t->gate + j) * outputs + t->first + c) * n + i] =
                        open ? dot[j * t->outputs + c] * size : 0;
            }
        }
}

void fathom_sparse_gate_terms(double *p, const fathom_sparse_gates *g, const double *v, int64_t outputs,
                              const double *scale, int threads, double *workspace)
{
    const room r = take_room(g, workspace);
    for (int64_t k = 0; k < tiles_of(g->count, outputs); k++) {
        const tile t = tile_at(k, g->count, outputs);
        gather(r.a, NULL, g, &t, v, 1, threads, r.z);
        place_terms(p, g, &t, outputs, r.a, scale, threads);
    }
}

void fathom_sparse_gram_rows(double *gram, int64_t ld, fathom_csr rows, int64_t first, int64_t last,
                             double *table)
{
    double dot[MOST];
    for (int64_t i = first; i < last; i++)
        for (int64_t e = rows.row_start[i]; e < rows.row_start[i + 1]; e++)
            table[(int64_t)rows.column[e] * GRAM + i - first] = rows.value[e];
    for (int64_t l = first; l < rows.n; l++) {
        meet_row(dot, &rows, l, table, GRAM);
        for (int64_t i = first; i < last && i <= l; i++)
            gram[i * ld + l] = dot[i - first];
    }
    for (int64_t i = first; i < last; i++)
        for (int64_t e = rows.row_start[i]; e < rows.row_start[i + 1]; e++)
            table[(int64_t)rows.column[e] * GRAM + i - first] = 0;
}
