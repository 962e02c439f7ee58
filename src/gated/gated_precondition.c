/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preconditioner of the iterative Newton systems.
 *
 * With e = eta / beta, D diag(e) D' = u u' + (a positive semidefinite rest), u = D e / sqrt(sum e): the
 * common part of the gates. Hence
 *
 *     T = I + R' K R  ~  diag + Y Y',   Y_i = r_i u_i x_i (n x d),   diag_i = 1 + r_i^2 |x_i|^2 ((D e)_i - u_i^2),
 *
 * exact on the part of K that is linear in x, which holds its large eigenvalues; the rest is nearly diagonal for
 * spread-out gates. For softmax r_i^2 is the mean diagonal of R R'. Where few gates are in use, or systems are hard, nothing
 * is left out: diag = 1, Y_i = r_i (sqrt(e_j) D_ij x_i)_j (n x k d), whose rows are made when needed, n (k d)^2 + (k d)^3 / 3
 * operations for the factorisation and (k d)^2 numbers for its factor.
 *
 * Sparse points of many columns: the HEAVY columns with the largest sums of squares stand in y, what the
 * others hold counts as diagonal, diag_i = 1 + r_i^2 (|x_i|^2 ((D e)_i - u_i^2) + light_i u_i^2): in texts
 * a few common words hold nearly all.
 *
 * Everything is scaled by diag^{-1/2} from both sides: T^ = diag^{-1/2} T diag^{-1/2}, P^ = I + Y^ Y^' with Y^_i = low_i y_i. P^^{-1} costs
 * 4 n times the width of y per output, once I + Y^' Y^ is factorised.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"

enum { STRIP = 64, TILE = 512, ALL = 1024, HEAVY = 512 }; /* up to ALL columns stand in y, or HEAVY */

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* r_i^2, or for softmax the mean diagonal of R R'. */
static double root_square(const fathom_gated_engine *engine, int64_t i)
{
    const fathom_objective *p = engine->problem;
    if (fathom_objective_scalar_root(p))
        return engine->root[i] * engine->root[i];
    double sum = 0;
    for (int64_t k = 0; k < p->outputs; k++)
        sum += engine->root[k * p->n + i] * (1 - engine->root[k * p->n + i]);
    return fathom_objective_weight(p, i) * sum / (double)p->outputs;
}

int64_t fathom_gated_heavy_width(const fathom_objective *problem)
{
    return problem->d <= ALL ? problem->d : HEAVY;
}

/* A column and the sum of its squares. */
typedef struct ranked_column {
    double square;
    int64_t column;
} ranked_column;

static int compare_squares(const void *a, const void *b)
{
    const ranked_column *left = a, *right = b;
    if (left->square != right->square)
        return left->square < right->square ? 1 : -1;
    return (left->column > right->column) - (left->column < right->column);
}

/* place (d) = the number of a heavy column among them, -1 of others. */
static fathom_status choose_heavy(int32_t *place, const fathom_objective *p, int64_t width)
{
    const fathom_csr *column = &p->sparse->column;
    ranked_column *ranked = fathom_memory_alloc(p->context, p->d, sizeof *ranked);
    if (!ranked)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < p->d; k++) {
        ranked[k] = (ranked_column){0, k};
        for (int64_t e = column->row_start[k]; e < column->row_start[k + 1]; e++)
            ranked[k].square += column->value[e] * column->value[e];
    }
    if (width < p->d)
        qsort(ranked, (size_t)p->d, sizeof *ranked, compare_squares);
    for (int64_t k = 0; k < p->d; k++)
        place[ranked[k].column] = k < width ? (int32_t)k : -1;
    fathom_memory_free(p->context, ranked);
    return FATHOM_OK;
}

/* The entries of heavy columns, row by row; counted where value is NULL. Returns how many there are. */
static int64_t copy_heavy(fathom_gated_heavy *heavy, const fathom_objective *p, const int32_t *place)
{
    const fathom_csr *row = &p->sparse->row;
    int64_t count = 0;
    for (int64_t i = 0; i < p->n; i++) {
        heavy->row_start[i] = count;
        heavy->light[i] = 0;
        for (int64_t e = row->row_start[i]; e < row->row_start[i + 1]; e++) {
            const int32_t at = place[row->column[e]];
            if (at < 0)
                heavy->light[i] += row->value[e] * row->value[e];
            else if (heavy->value) {
                heavy->column[count] = at;
                heavy->value[count] = row->value[e];
            }
            count += at >= 0;
        }
    }
    heavy->row_start[p->n] = count;
    return count;
}

fathom_status fathom_gated_heavy_create(fathom_gated_heavy *heavy, const fathom_objective *p)
{
    fathom_context *context = p->context;
    const int64_t width = fathom_gated_heavy_width(p);
    int32_t *place = fathom_memory_alloc(context, p->d, sizeof *place);
    *heavy = (fathom_gated_heavy){.rows = {.n = p->n, .d = width}};
    heavy->row_start = fathom_memory_alloc(context, p->n + 1, sizeof *heavy->row_start);
    heavy->light = fathom_memory_alloc(context, p->n, sizeof *heavy->light);
    fathom_status status = place && heavy->row_start && heavy->light ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, choose_heavy(place, p, width));
    if (status == FATHOM_OK) {
        const int64_t count = copy_heavy(heavy, p, place);
        heavy->column = fathom_memory_alloc(context, count, sizeof *heavy->column);
        heavy->value = fathom_memory_alloc(context, count, sizeof *heavy->value);
        status = heavy->column && heavy->value ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    if (status == FATHOM_OK)
        copy_heavy(heavy, p, place);
    heavy->rows.row_start = heavy->row_start;
    heavy->rows.column = heavy->column;
    heavy->rows.value = heavy->value;
    fathom_memory_free(context, place);
    return status;
}

void fathom_gated_heavy_clear(fathom_gated_heavy *heavy, fathom_context *context)
{
    FATHOM_FREE(context, heavy->row_start, heavy->column, heavy->value, heavy->light);
    *heavy = (fathom_gated_heavy){0};
}

/* row (block, zeroed) = size x_i, or its heavy columns. */
static void place_row(double *row, const fathom_csr *rows, int64_t i, double size)
{
    for (int64_t e = rows->row_start[i]; e < rows->row_start[i + 1]; e++)
        row[rows->column[e]] = size * rows->value[e];
}

void fathom_gated_factor_rows(double *tile, const fathom_gated_engine *engine, int64_t first, int64_t points)
{
    const fathom_objective *p = engine->problem;
    const fathom_csr *rows = !p->sparse ? NULL : engine->wide ? &p->sparse->row : &engine->heavy.rows;
    const int64_t d = p->d, width = engine->width;
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (int64_t i = 0; i < points; i++) {
        const double *x = rows ? NULL : p->x + (first + i) * d, low = engine->low[first + i];
        double *row = tile + i * width;
        if (rows)
            memset(row, 0, (size_t)width * sizeof *row);
        for (int64_t j = 0; j < (engine->wide ? engine->support.count : 1); j++) {
            double size = low;
            if (engine->wide) {
                const uint64_t word =
                    p->bits[engine->support.gate[j] * p->words + (first + i) / 64] >> ((first + i) % 64);
                size = word & 1 ? low * sqrt(engine->support.eta[j] / p->beta) : 0;
            }
            if (rows && size != 0)
                place_row(row + j * d, rows, first + i, size);
            for (int64_t k = 0; !rows && k < d; k++)
                row[j * d + k] = size * x[k];
        }
    }
}

/* Rows top .. top + high of Y^' Y^, up to the diagonal. */
typedef struct square_part {
    fathom_gated_engine *engine;
    double *tile;
    int64_t top, high;
} square_part;

/* What a block of points adds to them; ends early at a limit. */
static void add_square(double *inner, void *user, fathom_row_range range)
{
    const square_part *part = user;
    fathom_gated_engine *engine = part->engine;
    const int64_t d = engine->width, end = part->top + part->high;
    for (int64_t point = range.first; point < range.end && !engine->cut; point += TILE) {
        const int64_t points = min64(TILE, range.end - point);
        fathom_gated_factor_rows(part->tile, engine, point, points);
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
        for (int64_t top = part->top; top < end; top += STRIP)
            fathom_blas_gemm(inner + (top - part->top) * d, d, min64(STRIP, end - top), min64(top + STRIP, d),
                             points, 1, fathom_transposed(part->tile + top, d), fathom_plain(part->tile, d),
                             point > range.first);
        engine->cut =
            engine->wide && fathom_context_stop_reason(engine->problem->context) != FATHOM_STOP_NONE;
    }
}

/* inner = Cholesky factor of I + Y^' Y^, Y^_i = low_i y_i, whose rows pass through `tile`. */
static fathom_status factor_inner(fathom_gated_engine *engine, double *tile)
{
    const fathom_objective *p = engine->problem;
    const int64_t d = engine->width, room = fathom_gated_sum_most(p) / d;
    const fathom_rows rows = fathom_gated_dealt(p);
    const int64_t step = rows.blocks == 1 || d <= room ? d : room > STRIP ? room / STRIP * STRIP : room;
    double *inner = engine->inner;
    for (int64_t top = 0; top < d && !engine->cut; top += step) {
        square_part part = {engine, tile, top, min64(step, d - top)};
        fathom_rows_sum(inner + top * d, part.high * d, p->context, rows, add_square, &part,
                        fathom_gated_sum_room(p, engine->threads, engine->workspace));
    }
    int64_t minor = 0;
    for (int64_t j = 0; j < d; j++)
        inner[j * d + j] += 1;
    const fathom_status status =
        engine->cut ? FATHOM_OK : fathom_cholesky_factor_until(&minor, &engine->cut, inner, d, d, p->context);
    if (status != FATHOM_OK || minor == 0)
        return status;
    return fathom_error_set(p->context, FATHOM_ERROR_RUNTIME,
                            "numerical breakdown: the preconditioner is not positive definite");
}

/* total_i = (D e)_i; returns the sum of e. */
static double open_weight(double *total, const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    double sum = 0;
    memset(total, 0, (size_t)p->n * sizeof *total);
    for (int64_t j = 0; j < engine->support.count; j++) {
        const uint64_t *pattern = p->bits + engine->support.gate[j] * p->words;
        const double e = engine->support.eta[j] / p->beta;
        sum += e;
        for (int64_t i = 0; i < p->n; i++)
            total[i] += (pattern[i / 64] >> (i % 64)) & 1 ? e : 0;
    }
    return sum;
}

/* scale, low and y of the part of K that is linear in x. */
static fathom_status take_common(fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    double *total = fathom_memory_alloc(p->context, p->n, sizeof *total);
    if (!total)
        return FATHOM_ERROR_MEMORY;
    const double sum = open_weight(total, engine);
    engine->width = p->sparse ? engine->heavy.rows.d : p->d;
    engine->wide = false;
    for (int64_t i = 0; i < p->n; i++) {
        const double common = sum > 0 ? total[i] * total[i] / sum : 0, square = root_square(engine, i);
        const double light = p->sparse ? common * square * engine->heavy.light[i] : 0;
        const double rest = fmax(0, total[i] - common) * square * p->reach[i] * p->reach[i] + light;
        engine->scale[i] = 1 / sqrt(1 + rest);
        engine->low[i] = engine->scale[i] * sqrt(square * common);
    }
    fathom_memory_free(p->context, total);
    return FATHOM_OK;
}

/* The same of all of K. */
static void take_all(fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    engine->width = engine->support.count * p->d;
    engine->wide = true;
    for (int64_t i = 0; i < p->n; i++) {
        engine->scale[i] = 1;
        engine->low[i] = engine->root[i];
    }
}

fathom_status fathom_gated_iterative_prepare(fathom_gated_engine *engine, bool wide)
{
    const fathom_objective *p = engine->problem;
    fathom_status status = FATHOM_OK;
    if (wide)
        take_all(engine);
    else
        status = take_common(engine);
    if (status != FATHOM_OK)
        return status;
    fathom_memory_free(p->context, engine->inner);
    engine->inner = fathom_memory_alloc(p->context, engine->width * engine->width, sizeof(double));
    double *tile = fathom_memory_alloc(p->context, TILE * engine->width, sizeof *tile);
    status = tile && engine->inner ? factor_inner(engine, tile) : FATHOM_ERROR_MEMORY;
    fathom_memory_free(p->context, tile);
    return status;
}

/* Block j of narrow times sqrt(eta_j / beta). */
static void scale_blocks(double *narrow, const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    for (int64_t j = 0; j < engine->support.count; j++)
        fathom_blas_scale(narrow + j * p->d, sqrt(engine->support.eta[j] / p->beta), p->d);
}

/* What a block of rows adds to X' work. */
typedef struct narrow_part {
    const fathom_objective *p;
    const double *work;
} narrow_part;

static void add_narrow(double *narrow, void *user, fathom_row_range range)
{
    const narrow_part *part = user;
    const int64_t d = part->p->d;
    fathom_blas_gemv(narrow, d, range.end - range.first, 1,
                     fathom_transposed(part->p->x + range.first * d, d), part->work + range.first, 0);
}

/* narrow (width) = y' work and work (n) = y narrow, in a rank's own rows. */
static void narrow_of(double *narrow, const fathom_gated_engine *engine, const double *work)
{
    const fathom_objective *p = engine->problem;
    const fathom_gated_support *s = &engine->support;
    if (!engine->wide) {
        narrow_part part = {p, work};
        fathom_rows_sum(narrow, p->d, p->context, fathom_gated_dealt(p), add_narrow, &part,
                        fathom_gated_sum_room(p, engine->threads, engine->workspace));
        return;
    }
    fathom_gated_adjoint(narrow, p, (fathom_gated_list){s->count, 0, s->gate}, work, 1, engine->threads,
                         engine->workspace);
    scale_blocks(narrow, engine);
}

static void work_of(double *work, const fathom_gated_engine *engine, double *narrow)
{
    const fathom_objective *p = engine->problem;
    const fathom_gated_support *s = &engine->support;
    if (!engine->wide) {
        for (fathom_row_range range = {-1, -1}; fathom_rows_next(&range, fathom_gated_dealt(p), p->context);)
            fathom_blas_gemv(work + range.first, range.end - range.first, p->d, 1,
                             fathom_plain(p->x + range.first * p->d, p->d), narrow, 0);
        return;
    }
    scale_blocks(narrow, engine);
    fathom_gated_forward_own(work, p, (fathom_gated_list){s->count, 0, s->gate}, narrow, 1, engine->threads,
                             engine->workspace);
}

int64_t fathom_gated_precondition_room(const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const int64_t plain = p->n + engine->width, heavy = 2 * p->outputs * engine->width;
    return p->sparse && !engine->wide && heavy > plain ? heavy : plain;
}

/* The same with y_i the heavy columns of sparse rows: outputs side by side, each on one thread. */
static void precondition_heavy(double *x, const fathom_gated_engine *engine, double *work)
{
    const fathom_objective *p = engine->problem;
    const fathom_csr *rows = &engine->heavy.rows;
    const int64_t n = p->n, width = engine->width, o = p->outputs;
    double *line = work + o * width; /* outputs x width; work itself is width x outputs */
    const int threads = fathom_threads_worth((double)(rows->row_start[n] * o), engine->threads);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = 0; k < o; k++) {
        double *own = line + k * width;
        memset(own, 0, (size_t)width * sizeof *own);
        for (int64_t i = 0; i < n; i++) {
            const double size = engine->low[i] * x[k * n + i];
            for (int64_t e = rows->row_start[i]; e < rows->row_start[i + 1]; e++)
                own[rows->column[e]] += size * rows->value[e];
        }
        for (int64_t l = 0; l < width; l++)
            work[l * o + k] = own[l];
    }
    fathom_cholesky_apply(work, o, o, engine->inner, width, width, p->context);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int64_t k = 0; k < o; k++) {
        double *own = line + k * width;
        for (int64_t l = 0; l < width; l++)
            own[l] = work[l * o + k];
        for (int64_t i = 0; i < n; i++) {
            double dot = 0;
            for (int64_t e = rows->row_start[i]; e < rows->row_start[i + 1]; e++)
                dot += rows->value[e] * own[rows->column[e]];
            x[k * n + i] -= engine->low[i] * dot;
        }
    }
}

void fathom_gated_precondition(double *x, const fathom_gated_engine *engine, double *work)
{
    const fathom_objective *p = engine->problem;
    const int64_t n = p->n, d = engine->width;
    const fathom_row_range own = fathom_rows_own(fathom_gated_dealt(p));
    double *narrow = work + n;
    if (p->sparse && !engine->wide) {
        precondition_heavy(x, engine, work);
        return;
    }
    for (int64_t k = 0; k < p->outputs; k++) {
        for (int64_t i = own.first; i < own.end; i++)
            work[i] = engine->low[i] * x[k * n + i];
        narrow_of(narrow, engine, work);
        fathom_cholesky_apply(narrow, 1, 1, engine->inner, d, d, p->context);
        work_of(work, engine, narrow);
        for (int64_t i = own.first; i < own.end; i++)
            x[k * n + i] -= engine->low[i] * work[i];
    }
}

void fathom_gated_scale_lines(double *x, const fathom_gated_engine *engine, fathom_row_range range)
{
    for (int64_t k = 0; k < engine->problem->outputs; k++)
        for (int64_t i = range.first; i < range.end; i++)
            x[k * engine->problem->n + i] *= engine->scale[i];
}
