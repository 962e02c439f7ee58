/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes over all gates of a margin problem, in fixed tiles.
 *
 *     sums    s_j   = l_j(sum_i q_i M_ji z_i)                      m n d / 2 useful multiplications
 *     scores  g_i   = sum_j c_j M_ji <z_i, l_j'(w_j)>              the adjoint, the same
 *     normal  K     = sum_j A_j' (alpha_j I - beta_j u_j u_j') A_j
 *                   = (Z Z') o (M' diag(alpha a^2) M) + P'P - B'B  m n^2
 *             P_ji  = sqrt(alpha_j) M_ji <v_j, z_i>,  B_ji = sqrt(beta_j) M_ji <l_j'(u_j), z_i>
 *
 * TILE gates and BLOCK points at a time are unpacked from bits to numbers, then dense kernels do the rest:
 * at half density they waste a factor two of arithmetic and win ten in speed. Which tiles are added up in
 * which order depends on n and m alone, so the bits of the result do not depend on the number of threads.
 */
#include <math.h>
#include <string.h>

#include <omp.h>

#include "blas.h"
#include "context_internal.h"
#include "margin_bytes.h"
#include "margin_internal.h"
#include "memory.h"

enum {
    TILE = 256,  /* gates unpacked at once */
    BLOCK = 256, /* points unpacked at once; a multiple of 64 */
    MOST_CHUNKS = 8,
    MOST_TABLE = 1 << 16 /* numbers in a table of bytes: half a MB */
};

struct fathom_margin_work {
    fathom_context *context;
    int threads;
    int64_t blocks; /* of points */
    int64_t chunks; /* of tiles that are added up separately */
    bool bytes;     /* sums and scores by tables of bytes (margin_bytes.h) */
    int64_t group;  /* points in one such table, a multiple of 64 */
    double *
        table; /* (1 + threads) x bytes_size of a group: the table of sums, buckets of each thread; NULL unless bytes */
    double *tile;    /* threads x 3 x TILE x BLOCK */
    double *product; /* threads x BLOCK x d */
    double *scaled;  /* n x d: q_i z_i */
    double *lowered; /* m x d: c_j l_j'(w_j) */
    double *spread;  /* m: alpha_j a_j^2 */
    double *partial; /* chunks x n x d: scores */
    double *square;  /* chunks x pairs of blocks x 2 x BLOCK x BLOCK: normal; NULL where not asked for */
    double *gram;    /* n x n: Z Z'; NULL where not asked for */
};

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Few points leave few blocks to share out, so the gates are cut into chunks instead. */
static int64_t chunk_count(int64_t blocks, int64_t m)
{
    const int64_t tiles = (m + TILE - 1) / TILE;
    const int64_t wanted = blocks == 1 ? MOST_CHUNKS : blocks <= 4 ? 4 : 1;
    return tiles < 1 ? 1 : smaller(wanted, tiles);
}

/* First gate of chunk c; chunks end at multiples of TILE. */
static int64_t chunk_start(const fathom_margin_work *work, int64_t m, int64_t c)
{
    const int64_t tiles = (m + TILE - 1) / TILE;
    return smaller(m, tiles * c / work->chunks * TILE);
}

double fathom_margin_work_bytes(const fathom_context *context, const fathom_margin_problem *problem,
                                bool normal)
{
    const double n = (double)problem->n, d = (double)problem->d, m = (double)problem->m;
    const int64_t blocks = (problem->n + BLOCK - 1) / BLOCK;
    const double threads = fathom_context_threads(context), chunks = (double)chunk_count(blocks, problem->m),
                 pairs = (double)(blocks * (blocks + 1) / 2);
    const double tiles = threads * (3.0 * TILE * BLOCK + BLOCK * d), passes = (1 + chunks) * n * d + m * d;
    return 8 * (tiles + passes + (normal ? chunks * pairs * 2 * BLOCK * BLOCK + n * n + m : 0));
}

fathom_status fathom_margin_work_create(fathom_margin_work **work, fathom_context *context,
                                        const fathom_margin_problem *problem, bool normal)
{
    const int64_t n = problem->n, d = problem->d;
    fathom_margin_work *w = fathom_memory_zero(context, 1, sizeof *w);
    *work = w;
    if (!w)
        return FATHOM_ERROR_MEMORY;
    w->context = context;
    w->threads = fathom_context_threads(context);
    w->blocks = (n + BLOCK - 1) / BLOCK;
    w->chunks = chunk_count(w->blocks, problem->m);
    w->bytes = d <= 16 && problem->m >= 1024;
    w->group = smaller((n + 63) / 64, MOST_TABLE / (64 * 32 * d)) * 64;
    if (w->bytes)
        w->table = fathom_memory_alloc(context, (1 + (int64_t)w->threads) * fathom_bytes_size(w->group, d),
                                       sizeof(double));
    const int64_t pairs = w->blocks * (w->blocks + 1) / 2;
    w->tile = fathom_memory_alloc(context, (int64_t)w->threads * 3 * TILE * BLOCK, sizeof(double));
    w->product = fathom_memory_alloc(context, (int64_t)w->threads * BLOCK * d, sizeof(double));
    w->scaled = fathom_memory_alloc(context, n * d, sizeof(double));
    w->lowered = fathom_memory_alloc(context, problem->m * d, sizeof(double));
    w->partial = fathom_memory_alloc(context, w->chunks * n * d, sizeof(double));
    if (normal) {
        w->square = fathom_memory_alloc(context, w->chunks * pairs * 2 * BLOCK * BLOCK, sizeof(double));
        w->gram = fathom_memory_alloc(context, n * n, sizeof(double));
        w->spread = fathom_memory_alloc(context, problem->m, sizeof(double));
    }
    if ((w->bytes && !w->table) || !w->tile || !w->product || !w->scaled || !w->lowered || !w->partial ||
        (normal && (!w->square || !w->gram || !w->spread))) {
        fathom_margin_work_free(w);
        *work = NULL;
        return FATHOM_ERROR_MEMORY;
    }
    if (normal)
        fathom_blas_syrk(w->gram, n, n, d, 1, fathom_plain(problem->z, d), 0);
    return FATHOM_OK;
}

void fathom_margin_work_free(fathom_margin_work *work)
{
    if (!work)
        return;
    FATHOM_FREE(work->context, work->table, work->tile, work->product, work->scaled, work->lowered,
                work->partial, work->square, work->spread, work->gram, work);
}

/* The three tiles of workspace of the calling thread. */
static double *own_tile(const fathom_margin_work *work)
{
    return work->tile + (int64_t)omp_get_thread_num() * 3 * TILE * BLOCK;
}

/* out (rows x BLOCK) = M_ji for gates j = gate .. gate + rows and the points of block b, columns beyond n
 * zero. */
static void unpack(double *out, const fathom_margin_problem *p, int64_t gate, int64_t rows, int64_t b)
{
    static const double nibble[16][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0},
                                         {0, 0, 1, 0}, {1, 0, 1, 0}, {0, 1, 1, 0}, {1, 1, 1, 0},
                                         {0, 0, 0, 1}, {1, 0, 0, 1}, {0, 1, 0, 1}, {1, 1, 0, 1},
                                         {0, 0, 1, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}, {1, 1, 1, 1}};
    const int64_t first = b * (BLOCK / 64), last = smaller(p->words, first + BLOCK / 64);
    for (int64_t j = 0; j < rows; j++)
        for (int64_t k = first; k < last; k++) {
            const uint64_t word = p->bits[(gate + j) * p->words + k];
            double *to = out + j * BLOCK + 64 * (k - first);
            for (int c = 0; c < 16; c++)
                memcpy(to + 4 * c, nibble[word >> (4 * c) & 15], sizeof nibble[0]);
        }
}

/* Points of block b. */
static int64_t block_size(const fathom_margin_problem *p, int64_t b)
{
    return smaller(BLOCK, p->n - b * BLOCK);
}

/* s (D) = l_j(sum) */
static void lift(double *s, const fathom_margin_problem *p, int64_t j, const double *sum)
{
    const double *v = p->aim + j * p->d;
    s[0] = 0;
    for (int64_t k = 0; k < p->d; k++) {
        s[0] += v[k] * sum[k];
        s[1 + k] = p->gain[j] * sum[k];
    }
}

/* out (d) = c l_j'(w) */
static void lower(double *out, const fathom_margin_problem *p, int64_t j, double c, const double *w)
{
    for (int64_t k = 0; k < p->d; k++)
        out[k] = c * (p->aim ? w[0] * p->aim[j * p->d + k] + p->gain[j] * w[1 + k] : w[k]);
}

/* The sums of one tile of gates, from the products q_i z_i. */
static void sum_tile(double *sums, const fathom_margin_problem *p, int64_t gate, int64_t rows,
                     fathom_margin_work *work)
{
    const int64_t d = p->d;
    double *mask = own_tile(work);
    double *sum = sums + gate * d;
    for (int64_t b = 0; b < work->blocks; b++) {
        unpack(mask, p, gate, rows, b);
        fathom_blas_gemm(sum, d, rows, d, block_size(p, b), 1, fathom_plain(mask, BLOCK),
                         fathom_plain(work->scaled + b * BLOCK * d, d), b == 0 ? 0 : 1);
    }
}

/* All sums by tables of bytes, one group of points after the other. */
static void sum_bytes(double *sum, const fathom_margin_problem *p, fathom_margin_work *work)
{
    const int64_t d = p->d, tiles = (p->m + TILE - 1) / TILE;
    memset(sum, 0, (size_t)(p->m * d) * sizeof *sum);
    for (int64_t first = 0; first < p->n; first += work->group) {
        const int64_t size = smaller(work->group, p->n - first);
        fathom_bytes_table(work->table, work->scaled + first * d, size, d);
#pragma omp parallel for schedule(static) num_threads(work->threads)
        for (int64_t tile = 0; tile < tiles; tile++)
            fathom_bytes_sums(sum + tile * TILE * d, work->table,
                              p->bits + tile * TILE * p->words + first / 64, p->words,
                              smaller(TILE, p->m - tile * TILE), size, d);
    }
}

void fathom_margin_sums(double *s, const fathom_margin_problem *p, const double *q, fathom_margin_work *work)
{
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->d; k++)
            work->scaled[i * p->d + k] = q[i] * p->z[i * p->d + k];
    const int64_t tiles = (p->m + TILE - 1) / TILE;
    double *sum = p->aim ? work->lowered : s;
    if (work->bytes)
        sum_bytes(sum, p, work);
#pragma omp parallel for schedule(dynamic) num_threads(work->threads)
    for (int64_t tile = 0; tile < tiles; tile++) {
        const int64_t end = smaller(p->m, (tile + 1) * TILE);
        if (!work->bytes)
            sum_tile(sum, p, tile * TILE, end - tile * TILE, work);
        for (int64_t j = tile * TILE; j < end && p->aim; j++)
            lift(s + j * (p->d + 1), p, j, sum + j * p->d);
    }
}

/* partial (points of block b x d) = sum of M_ji lowered_j over the gates of chunk c. */
static void score_block(const fathom_margin_problem *p, int64_t b, int64_t c, fathom_margin_work *work)
{
    const int64_t d = p->d, end = chunk_start(work, p->m, c + 1), size = block_size(p, b);
    double *out = work->partial + (c * p->n + b * BLOCK) * d;
    double *product = work->product + (int64_t)omp_get_thread_num() * BLOCK * d;
    double *mask = own_tile(work);
    memset(out, 0, (size_t)(size * d) * sizeof *out);
    for (int64_t gate = chunk_start(work, p->m, c); gate < end; gate += TILE) {
        const int64_t rows = smaller(TILE, end - gate);
        unpack(mask, p, gate, rows, b);
        fathom_blas_gemm(product, d, size, d, rows, 1, fathom_transposed(mask, BLOCK),
                         fathom_plain(work->lowered + gate * d, d), 0);
        /* Added here, not by the kernel: so the depth of the sum is known (fathom_margin_depth). */
        for (int64_t k = 0; k < size * d; k++)
            out[k] += product[k];
    }
}

/* The same for the group of points from `start` on, by bytes. */
static void score_bytes(const fathom_margin_problem *p, int64_t start, int64_t c, fathom_margin_work *work)
{
    const int64_t size = smaller(work->group, p->n - start);
    const int64_t d = p->d, first = chunk_start(work, p->m, c), end = chunk_start(work, p->m, c + 1);
    double *out = work->partial + (c * p->n + start) * d;
    double *bucket = work->table + (1 + (int64_t)omp_get_thread_num()) * fathom_bytes_size(work->group, d);
    memset(out, 0, (size_t)(size * d) * sizeof *out);
    fathom_bytes_scores(out, bucket, work->lowered + first * d, p->bits + first * p->words + start / 64,
                        p->words, end - first, size, d);
}

int64_t fathom_margin_depth(const fathom_margin_problem *p, const fathom_margin_work *work)
{
    const int64_t tiles = (p->m + TILE - 1) / TILE, gates = (tiles / work->chunks + 1) * TILE;
    if (work->bytes) /* a run into a bucket, 128 buckets per point after each run, then the chunks */
        return FATHOM_BYTES_RUN + 128 * (gates / FATHOM_BYTES_RUN + 1) + work->chunks;
    return smaller(TILE, p->m) + tiles / work->chunks + 1 + work->chunks;
}

void fathom_margin_scores(double *score, const fathom_margin_problem *p, const double *weight,
                          const double *w, fathom_margin_work *work)
{
    const int64_t n = p->n, d = p->d, dimension = fathom_margin_dimension(p);
#pragma omp parallel for schedule(static) num_threads(work->threads)
    for (int64_t j = 0; j < p->m; j++)
        lower(work->lowered + j * d, p, j, weight ? weight[j] : 1, w + j * dimension);
    const int64_t blocks = work->bytes ? (n + work->group - 1) / work->group : work->blocks;
    const int64_t tasks = blocks * work->chunks;
#pragma omp parallel for schedule(dynamic) num_threads(work->threads)
    for (int64_t task = 0; task < tasks; task++)
        if (work->bytes)
            score_bytes(p, task / work->chunks * work->group, task % work->chunks, work);
        else
            score_block(p, task / work->chunks, task % work->chunks, work);
    for (int64_t i = 0; i < n; i++) {
        double total = 0;
        for (int64_t k = 0; k < d; k++) {
            double column = 0;
            for (int64_t c = 0; c < work->chunks; c++)
                column += work->partial[(c * n + i) * d + k];
            total += column * p->z[i * d + k];
        }
        score[i] = total;
    }
}

/* One of the three terms of K: rows of the masks are multiplied by sqrt(scale_j) and, where there is a
 * vector, by <vector_j, z_i>; the product of the weighed masks is added with this sign. */
typedef struct normal_term {
    const double *scale;  /* m */
    const double *vector; /* m x d, or NULL */
    double sign;
} normal_term;

/* tile (rows x BLOCK) = the weighed masks of block b; `factor` is workspace of the same shape. */
static void weigh(double *tile, double *factor, const fathom_margin_problem *p, int64_t gate, int64_t rows,
                  int64_t b, const normal_term *term)
{
    const int64_t d = p->d, size = block_size(p, b);
    unpack(tile, p, gate, rows, b);
    if (term->vector)
        fathom_blas_gemm(factor, BLOCK, rows, size, d, 1, fathom_plain(term->vector + gate * d, d),
                         fathom_transposed(p->z + b * BLOCK * d, d), 0);
    for (int64_t j = 0; j < rows; j++) {
        const double root = sqrt(term->scale[gate + j]);
        double *row = tile + j * BLOCK;
        const double *by = factor + j * BLOCK;
        if (term->vector)
            for (int64_t i = 0; i < size; i++)
                row[i] *= root * by[i];
        else
            for (int64_t i = 0; i < size; i++)
                row[i] *= root;
    }
}

/* out (BLOCK x BLOCK) += sign E_a' E_b, E_a and E_b the weighed masks of blocks a and b for one tile of
 * gates. */
static void add_term(double *out, const fathom_margin_problem *p, int64_t a, int64_t b, int64_t gate,
                     int64_t rows, const normal_term *term, fathom_margin_work *work)
{
    double *left = own_tile(work), *right = left + TILE * BLOCK, *factor = right + TILE * BLOCK;
    weigh(left, factor, p, gate, rows, a, term);
    if (a == b) {
        fathom_blas_syrk(out, BLOCK, block_size(p, a), rows, term->sign, fathom_transposed(left, BLOCK), 1);
        return;
    }
    weigh(right, factor, p, gate, rows, b, term);
    fathom_blas_gemm(out, BLOCK, block_size(p, a), block_size(p, b), rows, term->sign,
                     fathom_transposed(left, BLOCK), fathom_plain(right, BLOCK), 1);
}

/* Where the partial sums of chunk c for pair number `pair` live: M'diag()M first, the other terms after
 * it. */
static double *square_of(const fathom_margin_work *work, int64_t pair, int64_t c)
{
    return work->square + (pair * work->chunks + c) * 2 * BLOCK * BLOCK;
}

/* The pair (a, b), a <= b, with number b (b + 1) / 2 + a. */
static void pair_blocks(int64_t *a, int64_t *b, int64_t pair)
{
    *b = 0;
    while ((*b + 1) * (*b + 2) / 2 <= pair)
        ++*b;
    *a = pair - *b * (*b + 1) / 2;
}

/* Adds up all terms of one pair of blocks over one chunk of gates. term[0] is the one that meets the Gram
 * matrix. */
static void normal_chunk(const fathom_margin_problem *p, int64_t pair, int64_t c, const normal_term *term,
                         int terms, fathom_margin_work *work)
{
    int64_t a, b;
    pair_blocks(&a, &b, pair);
    double *out = square_of(work, pair, c);
    memset(out, 0, 2 * BLOCK * BLOCK * sizeof *out);
    const int64_t end = chunk_start(work, p->m, c + 1);
    for (int64_t gate = chunk_start(work, p->m, c); gate < end; gate += TILE)
        for (int k = 0; k < terms; k++)
            add_term(out + (k == 0 ? 0 : BLOCK * BLOCK), p, a, b, gate, smaller(TILE, end - gate), term + k,
                     work);
}

/* Writes both triangles of K from the partial sums of one pair of blocks, chunks in order. */
static void normal_combine(double *k, const fathom_margin_problem *p, int64_t pair, fathom_margin_work *work)
{
    const int64_t n = p->n;
    int64_t a, b;
    pair_blocks(&a, &b, pair);
    for (int64_t i = 0; i < block_size(p, a); i++)
        for (int64_t l = 0; l < block_size(p, b); l++) {
            const int64_t row = a * BLOCK + i, column = b * BLOCK + l;
            double first = 0, rest = 0;
            for (int64_t c = 0; c < work->chunks; c++) {
                const double *out = square_of(work, pair, c) + i * BLOCK + l;
                first += out[0];
                rest += out[BLOCK * BLOCK];
            }
            k[row * n + column] = k[column * n + row] = first * work->gram[row * n + column] + rest;
        }
}

fathom_status fathom_margin_normal(double *k, const fathom_margin_problem *p, const double *alpha,
                                   const double *beta, const double *u, fathom_margin_work *work)
{
    const int64_t pairs = work->blocks * (work->blocks + 1) / 2, dimension = fathom_margin_dimension(p);
    const normal_term term[3] = {
        {p->aim ? work->spread : alpha, NULL, 1}, {beta, work->lowered, -1}, {alpha, p->aim, 1}};
#pragma omp parallel for schedule(static) num_threads(work->threads)
    for (int64_t j = 0; j < p->m; j++) {
        lower(work->lowered + j * p->d, p, j, 1, u + j * dimension);
        if (p->aim)
            work->spread[j] = alpha[j] * p->gain[j] * p->gain[j];
    }
#pragma omp parallel for schedule(dynamic) num_threads(work->threads)
    for (int64_t task = 0; task < pairs * work->chunks; task++)
        if (!fathom_context_overdue(work->context))
            normal_chunk(p, task / work->chunks, task % work->chunks, term, p->aim ? 3 : 2, work);
#pragma omp parallel for schedule(dynamic) num_threads(work->threads)
    for (int64_t pair = 0; pair < pairs; pair++)
        normal_combine(k, p, pair, work);
    return fathom_context_overdue(work->context) ? fathom_context_late(work->context, "a matrix of gates")
                                                 : FATHOM_OK;
}
