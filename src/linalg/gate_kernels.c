/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Masked products over gates, faster than a matrix product.
 *
 *     X n x d points, D n x m gates as bits, W m x o x d weights, V o x n
 *     F(W)_ci  = sum_j D_ij <x_i, w_jc> = <x_i, (D W_c)_i>      forward
 *     F*(V)_jc = sum_i D_ij v_ci x_i    = (D' diag(v_c) X)_j    adjoint
 *
 * Both are products of the bits D or D' with a matrix of numbers, 2 n m o d operations if done as such. Tables of subset
 * sums (gate_tables.c) do them with one addition for four multiply-adds. Loops, from the outside:
 *
 *     tiles of TILE rows of the result (adjoint: gates, forward: points), in parallel
 *     BLOCK inner indices (points or gates): their bits are packed into words of 32, for the forward product transposed
 *     outputs, and 16 columns of X or W: the tile's sums, TILE x 16, stay in the second-level cache
 *     32 inner indices: their lines v_ci x_i or w_jc are tabulated, and all rows of the tile updated
 *
 * The forward product ends each block with the scalar products with x_i. Nothing of size n m is ever stored but the bits.
 * With few gates tables do not pay; tiles of POINTS x ROWS (ROWS counts pairs of gate and output) go through dgemm:
 *
 *     forward: T = W_tile X_tile' by dgemm, then f += masked column sums of T
 *     adjoint: T = bits of the tile expanded times v, then g_tile += T X_tile by dgemm
 *
 * Guarantee: the order of the sums within an entry depends on n, m, d alone, so that the bits of the result do not depend on
 * the number of threads. Every product v_ci x_ik D_ij of the adjoint passes at most n + 1 roundings, every x_ik w_jck of the
 * forward product at most m + d. What a closed gate hides may be infinite.
 */
#include "gate_kernels.h"

#include <omp.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "gate_tables.h"

/* Fewer gates than these go through dgemm: measured. */
enum { FEW_FORWARD = 16, FEW_ADJOINT = 32 };

enum { POINTS = 256, ROWS = 256 };
enum { TILE = 512, BLOCK = 512, LINES = FATHOM_TABLE_LINES, COLUMNS = FATHOM_TABLE_COLUMNS, DOTS = 4 };

/* One thread's share of the workspace, for tables. */
typedef struct room {
    double *table;  /* FATHOM_TABLE_ROOM */
    double *line;   /* LINES x COLUMNS */
    double *sum;    /* TILE x COLUMNS */
    double *dot;    /* TILE x DOTS */
    uint32_t *bits; /* BLOCK / LINES x TILE: bit b of word r of line h is row r, inner index LINES h + b */
} room;

enum {
    LINE_ROOM = LINES * COLUMNS,
    SUM_ROOM = TILE * COLUMNS,
    DOT_ROOM = TILE * DOTS,
    BITS_ROOM = BLOCK / LINES * TILE / 2,
    ALIGNED = 8
};
enum { TABLES_ROOM = FATHOM_TABLE_ROOM + LINE_ROOM + SUM_ROOM + DOT_ROOM + BITS_ROOM + ALIGNED };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* sum[i] += p[i] where bit i is set. */
FATHOM_DISPATCH
static void masked_add(double *restrict sum, const double *restrict p, const uint64_t *restrict bits,
                       int64_t count)
{
    for (int64_t start = 0; start < count; start += 64) {
        const uint64_t word = bits[start / 64];
        const int64_t end = min64(64, count - start);
        for (int64_t i = 0; i < end; i++)
            sum[start + i] += (word >> i) & 1 ? p[start + i] : 0.0;
    }
}

/* out[i] = v[i] where bit i is set, else 0. */
FATHOM_DISPATCH
static void masked_copy(double *restrict out, const double *restrict v, const uint64_t *restrict bits,
                        int64_t count)
{
    for (int64_t start = 0; start < count; start += 64) {
        const uint64_t word = bits[start / 64];
        const int64_t end = min64(64, count - start);
        for (int64_t i = 0; i < end; i++)
            out[start + i] = (word >> i) & 1 ? v[start + i] : 0.0;
    }
}

/* Gates per tile of a matrix product: as many as give about ROWS rows. */
static int64_t gates_per_tile(int64_t outputs) { return outputs < ROWS ? ROWS / outputs : 1; }

/* Threads that are worth waking. */
static int useful(const fathom_gate_set *set, int64_t outputs, int threads)
{
    return fathom_threads_worth((double)(set->n * set->d) * (double)(set->count * outputs), threads);
}

int64_t fathom_gate_workspace(int64_t outputs, int threads)
{
    const int64_t tile = gates_per_tile(outputs) * outputs * POINTS;
    return (int64_t)threads * (tile > TABLES_ROOM ? tile : TABLES_ROOM);
}

static room take_room(double *workspace)
{
    room r;
    r.table = (double *)(((uintptr_t)workspace + 63) & ~(uintptr_t)63);
    r.line = r.table + FATHOM_TABLE_ROOM;
    r.sum = r.line + LINE_ROOM;
    r.dot = r.sum + SUM_ROOM;
    r.bits = (uint32_t *)(void *)(r.dot + DOT_ROOM);
    return r;
}

/* Columns of a pass with `left` to go, rounded up to whole vectors. */
static int64_t padded(int64_t left)
{
    return (min64(left, COLUMNS) + FATHOM_TABLE_LANES - 1) / FATHOM_TABLE_LANES * FATHOM_TABLE_LANES;
}

/* line (LINES x width, packed) = scale_b a_b (count of `left` rows, leading dimension ld), padded with zeros; scale may be
 * NULL. Rows are further apart than the processor's own prefetching looks: those of the next call are asked for. */
FATHOM_DISPATCH
static void take_lines(double *restrict line, int64_t width, const double *restrict a, int64_t ld,
                       int64_t left, int64_t columns, const double *restrict scale)
{
    const int64_t count = min64(LINES, left);
    if (columns < width || count < LINES)
        memset(line, 0, (size_t)(LINES * width) * sizeof *line);
    for (int64_t b = 0; b < count; b++) {
        const double s = scale ? scale[b] : 1;
        const double *next = a + (b + LINES < left ? b + LINES : b) * ld;
        __builtin_prefetch(next);
        __builtin_prefetch(next + columns - 1);
        if (columns == COLUMNS)
            for (int64_t k = 0; k < COLUMNS; k++)
                line[b * COLUMNS + k] = s * a[b * ld + k];
        else
            for (int64_t k = 0; k < columns; k++)
                line[b * width + k] = s * a[b * ld + k];
    }
}

/* The bits of gates gate .. gate + gates over the block of points from `point` on, as words over points. */
static void pack_points(const room *r, const fathom_gate_set *set, int64_t gate, int64_t gates, int64_t point)
{
    const int64_t words = min64(BLOCK / 64, set->words - point / 64);
    for (int64_t j = 0; j < gates; j++) {
        const uint64_t *pattern = fathom_gate_pattern(set, gate + j) + point / 64;
        for (int64_t w = 0; w < words; w++) {
            r->bits[2 * w * TILE + j] = (uint32_t)pattern[w];
            r->bits[(2 * w + 1) * TILE + j] = (uint32_t)(pattern[w] >> 32);
        }
    }
}

/* The bits of the points point .. point + TILE over the block of gates from `gate` on, as words over gates. */
static void pack_gates(const room *r, const fathom_gate_set *set, int64_t point, int64_t gate)
{
    const int64_t words = min64(TILE / 64, set->words - point / 64), gates = min64(BLOCK, set->count - gate);
    for (int64_t h = 0; h < gates; h += LINES) {
        const uint64_t *line[LINES];
        const int64_t lines = min64(LINES, gates - h);
        for (int64_t b = 0; b < lines; b++)
            line[b] = fathom_gate_pattern(set, gate + h + b) + point / 64;
        fathom_bits_transpose(r->bits + h / LINES * TILE, line, lines, words);
    }
}

/* A rectangle of g: gates gate .. gate + gates of output c, columns from k on. */
typedef struct part {
    int64_t gate, gates, c, k;
} part;

/* g += or = the block of points from `point` on; the bits are packed. */
static void adjoint_block(double *g, const fathom_gate_set *set, const double *v, int64_t outputs,
                          const part *p, int64_t point, const room *r)
{
    const int64_t columns = min64(COLUMNS, set->d - p->k), width = padded(columns), ld = outputs * set->d;
    const int64_t points = min64(BLOCK, set->n - point);
    double *corner = g + (p->gate * outputs + p->c) * set->d + p->k;
    memset(r->sum, 0, (size_t)(p->gates * width) * sizeof *r->sum);
    for (int64_t j = 0; j < p->gates && point > 0; j++)
        memcpy(r->sum + j * width, corner + j * ld, (size_t)columns * sizeof *g);
    for (int64_t h = 0; h < points; h += LINES) {
        const int64_t i = point + h;
        take_lines(r->line, width, set->x + i * set->ldx + p->k, set->ldx, points - h, columns,
                   v + p->c * set->ldv + i);
        fathom_table_add(r->sum, p->gates, width, r->bits + h / LINES * TILE, r->line,
                         min64(LINES, points - h), r->table);
    }
    for (int64_t j = 0; j < p->gates; j++)
        memcpy(corner + j * ld, r->sum + j * width, (size_t)columns * sizeof *g);
}

/* g over one tile of gates and the passes first .. last of its columns (pass = output and COLUMNS columns). */
static void adjoint_tables(double *g, const fathom_gate_set *set, const double *v, int64_t outputs,
                           int64_t gate, int64_t first, int64_t last, double *workspace)
{
    const room r = take_room(workspace);
    const int64_t gates = min64(TILE, set->count - gate), passes = (set->d + COLUMNS - 1) / COLUMNS;
    for (int64_t point = 0; point < set->n; point += BLOCK) {
        pack_points(&r, set, gate, gates, point);
        for (int64_t pass = first; pass < last; pass++) {
            const part p = {gate, gates, pass / passes, pass % passes * COLUMNS};
            adjoint_block(g, set, v, outputs, &p, point, &r);
        }
    }
}

/* dot_i (DOTS of them) += <x_i, sum_i> over `columns` columns, column k into dot_i,k mod DOTS. */
FATHOM_DISPATCH
static void add_dots(double *restrict dot, const double *restrict x, int64_t ldx, const double *restrict sum,
                     int64_t width, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++) {
        double *own = dot + i * DOTS;
        if (columns == COLUMNS)
            for (int64_t k = 0; k < COLUMNS; k += DOTS)
                for (int64_t l = 0; l < DOTS; l++)
                    own[l] += x[i * ldx + k + l] * sum[i * COLUMNS + k + l];
        else
            for (int64_t k = 0; k < columns; k++)
                own[k % DOTS] += x[i * ldx + k] * sum[i * width + k];
    }
}

/* dot over a tile of points += the block of gates from `gate` on, output c, columns from k on; the bits are packed. */
static void forward_block(const fathom_gate_set *set, const double *w, int64_t outputs, int64_t c, int64_t k,
                          int64_t point, int64_t gate, const room *r)
{
    const int64_t columns = min64(COLUMNS, set->d - k), width = padded(columns), ld = outputs * set->d;
    const int64_t points = min64(TILE, set->n - point), gates = min64(BLOCK, set->count - gate);
    memset(r->sum, 0, (size_t)(points * width) * sizeof *r->sum);
    for (int64_t h = 0; h < gates; h += LINES) {
        take_lines(r->line, width, w + (gate + h) * ld + c * set->d + k, ld, gates - h, columns, NULL);
        fathom_table_add(r->sum, points, width, r->bits + h / LINES * TILE, r->line, min64(LINES, gates - h),
                         r->table);
    }
    add_dots(r->dot, set->x + point * set->ldx + k, set->ldx, r->sum, width, points, columns);
}

/* f over one tile of points, all gates in order. */
static void forward_tables(double *f, const fathom_gate_set *set, const double *w, int64_t outputs,
                           int64_t point, double *workspace)
{
    const room r = take_room(workspace);
    const int64_t points = min64(TILE, set->n - point);
    for (int64_t gate = 0; gate < set->count; gate += BLOCK) {
        pack_gates(&r, set, point, gate);
        for (int64_t c = 0; c < outputs; c++) {
            memset(r.dot, 0, (size_t)(points * DOTS) * sizeof *r.dot);
            for (int64_t k = 0; k < set->d; k += COLUMNS)
                forward_block(set, w, outputs, c, k, point, gate, &r);
            for (int64_t i = 0; i < points; i++) {
                const double *dot = r.dot + i * DOTS;
                double *to = f + c * set->ldv + point + i;
                *to = (gate > 0 ? *to : 0) + ((dot[0] + dot[1]) + (dot[2] + dot[3]));
            }
        }
    }
}

/* f over one tile of points, few gates: by matrix products. */
static void forward_few(double *f, const fathom_gate_set *set, const double *w, int64_t outputs,
                        int64_t point, double *tile)
{
    const int64_t points = min64(POINTS, set->n - point), step = gates_per_tile(outputs);
    for (int64_t c = 0; c < outputs; c++)
        memset(f + c * set->ldv + point, 0, (size_t)points * sizeof *f);
    for (int64_t gate = 0; gate < set->count; gate += step) {
        const int64_t gates = min64(step, set->count - gate);
        fathom_blas_gemm(tile, POINTS, gates * outputs, points, set->d, 1,
                         fathom_plain(w + gate * outputs * set->d, set->d),
                         fathom_transposed(set->x + point * set->ldx, set->ldx), 0);
        for (int64_t row = 0; row < gates * outputs; row++) {
            const uint64_t *pattern = fathom_gate_pattern(set, gate + row / outputs);
            masked_add(f + (row % outputs) * set->ldv + point, tile + row * POINTS, pattern + point / 64,
                       points);
        }
    }
}

void fathom_gate_forward(double *f, const fathom_gate_set *set, const double *w, int64_t outputs, int threads,
                         double *workspace)
{
    const int64_t size = fathom_gate_workspace(outputs, 1);
    const bool few = set->count < FEW_FORWARD;
    const int64_t step = few ? POINTS : TILE;
#pragma omp parallel for schedule(dynamic) num_threads(useful(set, outputs, threads))
    for (int64_t point = 0; point < set->n; point += step) {
        double *own = workspace + omp_get_thread_num() * size;
        if (few)
            forward_few(f, set, w, outputs, point, own);
        else
            forward_tables(f, set, w, outputs, point, own);
    }
}

/* g over one tile of gates, few of them: by matrix products. */
static void adjoint_few(double *g, const fathom_gate_set *set, const double *v, int64_t outputs, int64_t gate,
                        double *tile)
{
    const int64_t gates = min64(gates_per_tile(outputs), set->count - gate);
    for (int64_t point = 0; point < set->n; point += POINTS) {
        const int64_t points = min64(POINTS, set->n - point);
        for (int64_t row = 0; row < gates * outputs; row++)
            masked_copy(tile + row * POINTS, v + (row % outputs) * set->ldv + point,
                        fathom_gate_pattern(set, gate + row / outputs) + point / 64, points);
        fathom_blas_gemm(g + gate * outputs * set->d, set->d, gates * outputs, set->d, points, 1,
                         fathom_plain(tile, POINTS), fathom_plain(set->x + point * set->ldx, set->ldx),
                         point > 0);
    }
}

void fathom_gate_adjoint(double *g, const fathom_gate_set *set, const double *v, int64_t outputs, int threads,
                         double *workspace)
{
    const int64_t size = fathom_gate_workspace(outputs, 1);
    const bool few = set->count < FEW_ADJOINT;
    const int64_t step = few ? gates_per_tile(outputs) : TILE;
    const int64_t tiles = (set->count + step - 1) / step;
    /* Few tiles: their columns are shared out as well. */
    const int64_t passes = few ? 1 : (set->d + COLUMNS - 1) / COLUMNS * outputs;
    const int64_t shares = tiles > 0 ? min64(passes, (4 * (int64_t)threads + tiles - 1) / tiles) : 1;
    if (set->n == 0)
        memset(g, 0, (size_t)(set->count * outputs * set->d) * sizeof *g);
#pragma omp parallel for schedule(dynamic) num_threads(useful(set, outputs, threads))
    for (int64_t t = 0; t < tiles * shares; t++) {
        double *own = workspace + omp_get_thread_num() * size;
        const int64_t gate = t / shares * step, share = t % shares;
        if (few)
            adjoint_few(g, set, v, outputs, gate, own);
        else
            adjoint_tables(g, set, v, outputs, gate, passes * share / shares, passes * (share + 1) / shares,
                           own);
    }
}

/* The terms of one tile of gates, in place of T. */
static void terms_tile(double *p, const fathom_gate_set *set, const double *w, int64_t outputs,
                       const double *scale, int64_t gate)
{
    const int64_t rows = min64(gates_per_tile(outputs), set->count - gate) * outputs;
    for (int64_t point = 0; point < set->n; point += POINTS) {
        const int64_t points = min64(POINTS, set->n - point);
        double *tile = p + gate * outputs * set->ldv + point;
        fathom_blas_gemm(tile, set->ldv, rows, points, set->d, 1,
                         fathom_plain(w + gate * outputs * set->d, set->d),
                         fathom_transposed(set->x + point * set->ldx, set->ldx), 0);
        for (int64_t row = 0; row < rows; row++) {
            const uint64_t *pattern = fathom_gate_pattern(set, gate + row / outputs) + point / 64;
            double *line = tile + row * set->ldv;
            for (int64_t i = 0; i < points; i++)
                line[i] = (pattern[i / 64] >> (i % 64)) & 1 ? line[i] * (scale ? scale[point + i] : 1) : 0.0;
        }
    }
}

void fathom_gate_terms(double *p, const fathom_gate_set *set, const double *w, int64_t outputs,
                       const double *scale, int threads)
{
    const int64_t step = gates_per_tile(outputs);
#pragma omp parallel for schedule(dynamic) num_threads(useful(set, outputs, threads))
    for (int64_t gate = 0; gate < set->count; gate += step)
        terms_tile(p, set, w, outputs, scale, gate);
}
