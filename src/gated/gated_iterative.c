/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterative form of the Newton systems, for many points: nothing of size n^2 is stored.
 *
 * The preconditioner P^ = I + Y^ Y^' of T^ = diag^{-1/2} T diag^{-1/2} is that of gated_precondition.c.
 *
 * Newton direction. For the free candidates F and the fixed ones N (x_j = 0) the step (dt, d eta) solves
 *
 *     minimise dt' T dt / 2 - (sum_N eta_j a_j)' dt   subject to a_j' dt = slope_j, j in F,      a_j = R' b_j,
 *
 * whose multipliers are d eta_F. Conjugate gradients in the null space of the constraints with the constraint
 * preconditioner [P^ A'; A 0] (Gould, Hribar, Nocedal 2001): as many steps as T^ needs, usually 5 to 30, each of
 * 4 n k d operations. F comes from the small quadratic program with P^ in the place of T^.
 *
 * All vectors over the points, the rows of A among them, are kept in a rank's own rows alone (rows.h) until the solution is
 * gathered: a step tells other ranks scalar products, X' times a vector and A_j' times a vector, never one over the points.
 * Where rank 0 is left alone meanwhile, the iteration ends: a limit was reached.
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "blas.h"
#include "cholesky.h"
#include "context_internal.h"
#include "gated_engine.h"
#include "memory.h"

enum { STRIP = 32, TILE = 512 };

static int64_t min64(int64_t a, int64_t b) { return a < b ? a : b; }

/* Constraints A t = a (rows x size, size = outputs n) and the vectors of the iteration. */
typedef struct null_space {
    fathom_gated_engine *engine;
    fathom_row_range own; /* this rank's points */
    int64_t size, rows;
    const double *matrix;  /* rows x size */
    double *small;         /* rows x rows: Cholesky factor of A P^^{-1} A' */
    double *multiplier;    /* rows */
    double *r, *z, *p, *q; /* size each */
    double *moved;         /* rows */
    double *narrow;        /* workspace of the preconditioner */
    double *w;             /* support x outputs x d; dense points */
} null_space;

/* Whether other ranks have this one's part of the points, and it theirs, no more. */
static bool is_alone(const null_space *s)
{
    const fathom_row_range own = fathom_rows_own(fathom_gated_dealt(s->engine->problem));
    return own.first != s->own.first || own.end != s->own.end;
}

/* The room for sums over the points. */
static double *sum_room(const fathom_gated_engine *engine)
{
    return fathom_gated_sum_room(engine->problem, engine->threads, engine->workspace);
}

/* y = x, y = 0 and y += alpha x in this rank's points. */
static void copy_own(double *y, const double *x, const fathom_objective *p, fathom_row_range own)
{
    for (int64_t k = 0; k < p->outputs; k++)
        memcpy(y + k * p->n + own.first, x + k * p->n + own.first, (size_t)(own.end - own.first) * sizeof *y);
}

static void clear_own(double *y, const fathom_objective *p, fathom_row_range own)
{
    for (int64_t k = 0; k < p->outputs; k++)
        memset(y + k * p->n + own.first, 0, (size_t)(own.end - own.first) * sizeof *y);
}

static void add_own(double *y, double alpha, const double *x, const fathom_objective *p, fathom_row_range own)
{
    for (int64_t k = 0; k < p->outputs; k++)
        fathom_blas_axpy(y + k * p->n + own.first, alpha, x + k * p->n + own.first, own.end - own.first);
}

/* p = factor p - z in this rank's points. */
static void turn_own(double *p, double factor, const null_space *s)
{
    const fathom_objective *problem = s->engine->problem;
    for (int64_t k = 0; k < problem->outputs; k++)
        for (int64_t i = k * problem->n + s->own.first; i < k * problem->n + s->own.end; i++)
            p[i] = factor * p[i] - s->z[i];
}

static double dot_own(const double *x, const double *y, const null_space *s)
{
    return fathom_gated_dot(x, y, s->engine->problem, sum_room(s->engine));
}

/* y = T^ x. */
static void apply(double *y, null_space *s, const double *x)
{
    fathom_gated_engine *engine = s->engine;
    const fathom_objective *p = engine->problem;
    const fathom_row_range own = s->own;
    double *copy = s->z;
    copy_own(copy, x, p, own);
    fathom_gated_scale_lines(copy, engine, own);
    fathom_objective_root_range(copy, p, engine->root, false, own.first, own.end);
    fathom_gated_engine_gram_own(y, s->w, engine, copy);
    fathom_objective_root_range(y, p, engine->root, true, own.first, own.end);
    fathom_gated_scale_lines(y, engine, own);
    for (int64_t k = 0; k < p->outputs; k++)
        for (int64_t i = own.first; i < own.end; i++)
            y[k * p->n + i] += engine->scale[i] * engine->scale[i] * x[k * p->n + i];
}

/* y += alpha A' x. */
static void add_rows(double *y, const null_space *s, double alpha, const double *x)
{
    const fathom_objective *p = s->engine->problem;
    for (int64_t k = 0; s->rows > 0 && k < p->outputs; k++) {
        const int64_t first = k * p->n + s->own.first;
        fathom_blas_gemv(y + first, s->own.end - s->own.first, s->rows, alpha,
                         fathom_transposed(s->matrix + first, s->size), x, 1);
    }
}

/* What a block of points adds to A z: one product where it is all points. */
static void add_moved(double *moved, void *user, fathom_row_range range)
{
    const null_space *s = user;
    const fathom_objective *p = s->engine->problem;
    const int64_t points = range.end - range.first;
    if (points == p->n) {
        fathom_blas_gemv(moved, s->rows, s->size, 1, fathom_plain(s->matrix, s->size), s->z, 0);
        return;
    }
    for (int64_t k = 0; k < p->outputs; k++) {
        const int64_t first = k * p->n + range.first;
        fathom_blas_gemv(moved, s->rows, points, 1, fathom_plain(s->matrix + first, s->size), s->z + first,
                         k > 0);
    }
}

/* z = the projection of P^^{-1} r; r -= A' mu and multiplier -= mu, so that r stays small as the method converges. */
static double project(null_space *s)
{
    const fathom_objective *p = s->engine->problem;
    copy_own(s->z, s->r, p, s->own);
    fathom_gated_precondition(s->z, s->engine, s->narrow);
    if (s->rows > 0) {
        fathom_rows_sum(s->moved, s->rows, p->context, fathom_gated_dealt(p), add_moved, s,
                        sum_room(s->engine));
        fathom_cholesky_apply(s->moved, 1, 1, s->small, s->rows, s->rows, s->engine->problem->context);
        add_rows(s->r, s, -1, s->moved);
        fathom_blas_axpy(s->multiplier, -1, s->moved, s->rows);
        copy_own(s->z, s->r, p, s->own);
        fathom_gated_precondition(s->z, s->engine, s->narrow);
    }
    return dot_own(s->r, s->z, s);
}

/* small = Cholesky factor of h restricted to the rows, with a ridge that keeps dependent constraints harmless;
 * *regular = false where it has none even so. */
static fathom_status factor_small(bool *regular, double *small, int64_t rows, fathom_context *context)
{
    double trace = 0;
    for (int64_t a = 0; a < rows; a++)
        trace += small[a * rows + a];
    for (int64_t a = 0; a < rows; a++)
        small[a * rows + a] += 64 * DBL_EPSILON * trace + DBL_MIN;
    int64_t minor;
    const fathom_status status = fathom_cholesky_factor(&minor, small, rows, rows, context);
    *regular = status == FATHOM_OK && minor == 0;
    return status;
}

/* t = argmin t' T^ t / 2 - b' t subject to A t = a; on entry t holds b. s->multiplier: T^ t + A' multiplier = b.
 * Whether the tolerance was reached. */
static bool run_own(double *t, null_space *s, const double *a, double tolerance)
{
    const fathom_objective *p = s->engine->problem;
    copy_own(s->q, t, p, s->own); /* b */
    memset(t, 0, (size_t)s->size * sizeof *t);
    if (s->rows > 0) {
        memcpy(s->moved, a, (size_t)s->rows * sizeof *a);
        fathom_cholesky_apply(s->moved, 1, 1, s->small, s->rows, s->rows, s->engine->problem->context);
        add_rows(t, s, 1, s->moved);
        fathom_gated_precondition(t, s->engine, s->narrow);
        memset(s->multiplier, 0, (size_t)s->rows * sizeof *s->multiplier);
        apply(s->r, s, t);
    } else {
        clear_own(s->r, p, s->own);
    }
    add_own(s->r, -1, s->q, p, s->own);
    double rz = project(s);
    const double end = tolerance * tolerance * rz;
    clear_own(s->p, p, s->own);
    turn_own(s->p, 0, s);
    while (rz > end && s->engine->patience-- > 0) {
        apply(s->q, s, s->p);
        const double curvature = dot_own(s->p, s->q, s);
        if (!(curvature > 0) || fathom_context_stop_reason(p->context) != FATHOM_STOP_NONE || is_alone(s))
            return false;
        add_own(t, rz / curvature, s->p, p, s->own);
        add_own(s->r, rz / curvature, s->q, p, s->own);
        const double next = project(s);
        turn_own(s->p, next / rz, s);
        rz = next;
    }
    if (rz > end)
        fathom_gated_engine_tire(s->engine);
    return rz <= end;
}

/* The same with t on every rank; what rank 0, left alone, lacks of it is 0, as everything is that the iteration starts from. */
static bool null_space_run(double *t, null_space *s, const double *a, double tolerance)
{
    const fathom_objective *p = s->engine->problem;
    const bool reached = run_own(t, s, a, tolerance);
    return !is_alone(s) && fathom_rows_gather(t, p->outputs, p->context, fathom_gated_dealt(p)) && reached;
}

static void null_space_clear(null_space *s)
{
    fathom_context *context = s->engine->problem->context;
    void *blocks[] = {s->small, s->multiplier, s->r, s->z, s->p, s->q, s->moved, s->narrow, s->w};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        fathom_memory_free(context, blocks[k]);
}

static fathom_status null_space_init(null_space *s, fathom_gated_engine *engine, const double *matrix,
                                     int64_t rows)
{
    const fathom_objective *p = engine->problem;
    fathom_context *context = p->context;
    const int64_t size = p->outputs * p->n, block = p->outputs * p->d;
    *s = (null_space){.engine = engine,
                      .own = fathom_rows_own(fathom_gated_dealt(p)),
                      .size = size,
                      .rows = rows,
                      .matrix = matrix};
    s->small = fathom_memory_alloc(context, rows * rows, sizeof(double));
    s->multiplier = fathom_memory_alloc(context, rows, sizeof(double));
    s->moved = fathom_memory_alloc(context, rows, sizeof(double));
    s->r = fathom_memory_alloc(context, size, sizeof(double));
    s->z = fathom_memory_alloc(context, size, sizeof(double));
    s->p = fathom_memory_alloc(context, size, sizeof(double));
    s->q = fathom_memory_alloc(context, size, sizeof(double));
    s->narrow = fathom_memory_alloc(context, fathom_gated_precondition_room(engine), sizeof(double));
    s->w = fathom_memory_alloc(context, p->sparse ? 0 : engine->support.count * block, sizeof(double));
    if (s->small && s->multiplier && s->moved && s->r && s->z && s->p && s->q && s->narrow && s->w)
        return FATHOM_OK;
    null_space_clear(s);
    return FATHOM_ERROR_MEMORY;
}

/* Rows of A, rows x outputs n, with room for TILE points of Y^. */
typedef struct gram_part {
    const fathom_gated_engine *engine;
    const double *matrix;
    int64_t rows;
    double *tile;
} gram_part;

/* What a block of points adds to A Y^. */
static void add_narrow_rows(double *narrow, void *user, fathom_row_range range)
{
    const gram_part *part = user;
    const fathom_gated_engine *engine = part->engine;
    const int64_t n = engine->problem->n, d = engine->width, o = engine->problem->outputs;
    for (int64_t point = range.first; point < range.end; point += TILE) {
        const int64_t points = min64(TILE, range.end - point);
        fathom_gated_factor_rows(part->tile, engine, point, points);
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
        for (int64_t task = 0; task < (part->rows + STRIP - 1) / STRIP * o; task++) {
            const int64_t top = task / o * STRIP, k = task % o;
            fathom_blas_gemm(narrow + top * o * d + k * d, o * d, min64(STRIP, part->rows - top), d, points,
                             1, fathom_plain(part->matrix + (top * o + k) * n + point, o * n),
                             fathom_plain(part->tile, d), point > range.first);
        }
    }
}

/* What a block of points adds to A A': one product where it is all points. */
static void add_rows_squared(double *h, void *user, fathom_row_range range)
{
    const gram_part *part = user;
    const fathom_objective *p = part->engine->problem;
    const int64_t rows = part->rows, size = p->outputs * p->n;
    const bool whole = range.end - range.first == p->n;
    const int64_t lines = whole ? 1 : p->outputs, columns = whole ? size : range.end - range.first;
#pragma omp parallel for schedule(dynamic) num_threads(part->engine->threads)
    for (int64_t top = 0; top < rows; top += STRIP)
        for (int64_t k = 0; k < lines; k++) {
            const double *corner = part->matrix + k * p->n + range.first;
            fathom_blas_gemm(h + top * rows, rows, min64(STRIP, rows - top), rows, columns, 1,
                             fathom_plain(corner + top * size, size), fathom_transposed(corner, size), k > 0);
        }
}

/* How sums of so many numbers are made: those that take too much room not block by block. */
static fathom_rows rows_for(const fathom_objective *p, int64_t count)
{
    return count <= fathom_gated_sum_most(p) ? fathom_gated_dealt(p) : fathom_rows_whole(p->n);
}

/* narrow (rows x outputs width) = A Y^, as many rows at once as there is room for. */
static void narrow_rows(double *narrow, gram_part all)
{
    const fathom_objective *p = all.engine->problem;
    const int64_t wide = p->outputs * all.engine->width, size = p->outputs * p->n;
    const fathom_rows rows = rows_for(p, wide);
    const int64_t step = rows.blocks > 1 ? min64(all.rows, fathom_gated_sum_most(p) / wide) : all.rows;
    for (int64_t top = 0; top < all.rows; top += step) {
        gram_part part = {all.engine, all.matrix + top * size, min64(step, all.rows - top), all.tile};
        fathom_rows_sum(narrow + top * wide, part.rows * wide, p->context, rows, add_narrow_rows, &part,
                        sum_room(all.engine));
    }
}

/* h (rows x rows) = A A' - N N', N (rows x outputs width) = B C^{-T} block by block, C = inner; B is given in `narrow`. */
static void schur_gram(double *h, gram_part all, double *narrow)
{
    const fathom_gated_engine *engine = all.engine;
    const fathom_objective *p = engine->problem;
    const int64_t d = engine->width, o = p->outputs, wide = o * d, rows = all.rows;
    fathom_rows_sum(h, rows * rows, p->context, rows_for(p, rows * rows), add_rows_squared, &all,
                    sum_room(engine));
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
    for (int64_t task = 0; task < (rows + STRIP - 1) / STRIP * o; task++) {
        const int64_t top = task / o * STRIP;
        fathom_blas_triangular_solve_right(narrow + top * wide + task % o * d, wide,
                                           fathom_transposed(engine->inner, d), true, d,
                                           min64(STRIP, rows - top));
    }
#pragma omp parallel for schedule(dynamic) num_threads(engine->threads)
    for (int64_t top = 0; top < rows; top += STRIP) {
        const int64_t high = min64(STRIP, rows - top);
        fathom_blas_gemm(h + top * rows, rows, high, rows, wide, -1, fathom_plain(narrow + top * wide, wide),
                         fathom_transposed(narrow, wide), 1);
    }
}

/* narrow -= z and square_j = |z_j|^2 for the candidates in use, whose rows are a_j = Y z_j, z_j = A_j' g / (beta
 * sqrt(e_j)) on block j and 0 elsewhere. `own` holds outputs x d numbers for sparse points. */
static void place_used(double *narrow, double *square, const fathom_gated_engine *engine,
                       const fathom_gated_support *candidates, const double *adjoint, double *own)
{
    const fathom_objective *p = engine->problem;
    const int64_t d = p->d, o = p->outputs, width = engine->width;
    int64_t block = 0;
    for (int64_t j = 0; j < candidates->count; j++) {
        square[j] = 0;
        if (!(candidates->eta[j] > 0))
            continue;
        const double scale = 1 / (p->beta * sqrt(candidates->eta[j] / p->beta));
        if (p->sparse)
            fathom_gated_adjoint(own, p, (fathom_gated_list){1, candidates->gate[j], NULL}, adjoint, o,
                                 engine->threads, engine->workspace);
        const double *g = p->sparse ? own : adjoint + j * o * d;
        for (int64_t k = 0; k < o; k++)
            for (int64_t a = 0; a < d; a++) {
                const double z = scale * g[k * d + a];
                narrow[(j * o + k) * width + block * d + a] -= z;
                square[j] += z * z;
            }
        block++;
    }
}

/* h (rows x rows) = A P^^{-1} A' = A A' - N N', N = A Y^ C^{-T} block by block.
 *
 * With all of K in the preconditioner the rows in use are in the range of Y, A A' and N N' nearly cancel, and the same is
 * computed as  z' z - z' M^{-1} z  between two of them and  z' M^{-1} Y' a  between one of them and another row, M = I + Y' Y =
 * C C'. Their rows of `matrix` become 0. */
static fathom_status constraint_gram(double *h, fathom_gated_engine *engine, double *matrix, int64_t rows,
                                     const fathom_gated_support *candidates, const double *adjoint)
{
    const fathom_objective *p = engine->problem;
    const int64_t wide = p->outputs * engine->width, size = p->outputs * p->n;
    const int64_t count = candidates && engine->wide ? candidates->count : 0;
    const fathom_row_range range = fathom_rows_own(fathom_gated_dealt(p));
    double *narrow = fathom_memory_alloc(p->context, rows * wide, sizeof *narrow);
    double *tile = fathom_memory_alloc(p->context, TILE * engine->width, sizeof *tile);
    double *square = fathom_memory_alloc(p->context, count, sizeof *square);
    double *own =
        fathom_memory_alloc(p->context, p->sparse && count > 0 ? p->outputs * p->d : 0, sizeof *own);
    const bool complete = narrow && tile && square && own;
    if (complete) {
        for (int64_t j = 0; j < count; j++)
            if (candidates->eta[j] > 0)
                clear_own(matrix + j * size, p, range);
        const gram_part part = {engine, matrix, rows, tile};
        narrow_rows(narrow, part);
        if (count > 0)
            place_used(narrow, square, engine, candidates, adjoint, own);
        schur_gram(h, part, narrow);
        for (int64_t j = 0; j < count; j++)
            h[j * rows + j] += square[j];
    }
    FATHOM_FREE(p->context, narrow, tile, square, own);
    return complete ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* rows (outputs x outputs n): diag^{-1/2} R' 1_k, the constraints of a free constant. */
static void constant_rows(double *rows, const fathom_gated_engine *engine)
{
    const fathom_objective *p = engine->problem;
    const int64_t size = p->outputs * p->n;
    const fathom_row_range own = fathom_rows_own(fathom_gated_dealt(p));
    for (int64_t k = 0; k < p->outputs; k++) {
        clear_own(rows + k * size, p, own);
        for (int64_t i = own.first; i < own.end; i++)
            rows[k * size + k * p->n + i] = 1;
        fathom_objective_root_range(rows + k * size, p, engine->root, true, own.first, own.end);
        fathom_gated_scale_lines(rows + k * size, engine, own);
    }
}

fathom_status fathom_gated_iterative_solve(double *t, double *c, fathom_gated_engine *engine,
                                           const double *total, double tolerance)
{
    const fathom_objective *p = engine->problem;
    const int64_t rows = p->constant ? p->outputs : 0, size = p->outputs * p->n;
    double *matrix = fathom_memory_alloc(p->context, rows * size, sizeof *matrix);
    null_space s;
    fathom_status status = matrix ? null_space_init(&s, engine, matrix, rows) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        if (rows > 0) {
            constant_rows(matrix, engine);
            status = constraint_gram(s.small, engine, matrix, rows, NULL, NULL);
            bool regular = true;
            FATHOM_THEN(status, factor_small(&regular, s.small, rows, p->context));
            if (status == FATHOM_OK && !regular)
                status = fathom_error_set(p->context, FATHOM_ERROR_RUNTIME,
                                          "numerical breakdown: the constant's equations are singular");
        }
        if (status == FATHOM_OK) {
            const fathom_row_range all = {0, p->n};
            fathom_gated_scale_lines(t, engine, all);
            null_space_run(t, &s, total, tolerance);
            fathom_gated_scale_lines(t, engine, all);
            memcpy(c, s.multiplier, (size_t)rows * sizeof *c);
        }
        null_space_clear(&s);
    }
    fathom_memory_free(p->context, matrix);
    return status;
}

/* lines (count x outputs x n) = diag^{-1/2} R' b_j. */
static void candidate_rows(double *lines, const fathom_gated_engine *engine,
                           const fathom_gated_support *candidates, const double *adjoint)
{
    const fathom_objective *p = engine->problem;
    const int64_t size = p->outputs * p->n;
    const bool scalar = fathom_objective_scalar_root(p);
    const fathom_gated_list list = {candidates->count, 0, candidates->gate};
    const fathom_row_range own = fathom_rows_own(fathom_gated_dealt(p));
    fathom_gated_terms(lines, p, list, adjoint, scalar ? engine->root : NULL, own, engine->threads,
                       engine->workspace);
#pragma omp parallel for schedule(static) num_threads(engine->threads)
    for (int64_t j = 0; j < candidates->count; j++) {
        if (!scalar)
            fathom_objective_root_range(lines + j * size, p, engine->root, true, own.first, own.end);
        for (int64_t k = 0; k < p->outputs; k++)
            for (int64_t i = own.first; i < own.end; i++)
                lines[j * size + k * p->n + i] *= engine->scale[i] / p->beta;
    }
}

/* h (count x count): the candidates' block of the Gram matrix g (rows x rows) with the last rows - count rows, those
 * of the constant, eliminated. */
static void eliminate_constant(double *h, double *g, int64_t rows, int64_t count)
{
    for (int64_t last = rows - 1; last >= count; last--) {
        const double pivot = g[last * rows + last];
        for (int64_t a = 0; pivot > 0 && a < last; a++)
            fathom_blas_axpy(g + a * rows, -g[a * rows + last] / pivot, g + last * rows, last);
    }
    for (int64_t a = 0; a < count; a++)
        memcpy(h + a * count, g + a * rows, (size_t)count * sizeof *h);
}

/* Compacts the rows of free candidates (target > 0) and of the constant to the front of `matrix`, after b (size) has
 * received the sum of eta_j a_j over the fixed ones. Returns how many rows there are. */
static int64_t split_rows(double *b, double *matrix, double *a, int64_t *position, const double *target,
                          const fathom_gated_support *candidates, const double *slope, int64_t rows,
                          const fathom_objective *p)
{
    const int64_t size = p->outputs * p->n;
    const fathom_row_range own = fathom_rows_own(fathom_gated_dealt(p));
    int64_t kept = 0;
    clear_own(b, p, own);
    for (int64_t j = 0; j < rows; j++) {
        const double *line = matrix + j * size;
        if (j < candidates->count && !(target[j] > 0)) {
            add_own(b, candidates->eta[j], line, p, own);
            continue;
        }
        a[kept] = j < candidates->count ? slope[j] : 0;
        position[kept] = j;
        if (kept != j)
            copy_own(matrix + kept * size, line, p, own);
        kept++;
    }
    return kept;
}

/* model->shift = R diag^{-1/2} t (t is used up) and the multipliers of the constant's rows. */
static fathom_status keep_shift(fathom_gated_model *model, double *t, const double *constants)
{
    const fathom_objective *p = model->engine->problem;
    const int64_t size = p->outputs * p->n;
    model->shift = fathom_memory_zero(p->context, size + p->outputs, sizeof *model->shift);
    if (!model->shift)
        return FATHOM_ERROR_MEMORY;
    fathom_gated_scale_lines(t, model->engine, (fathom_row_range){0, p->n});
    fathom_objective_root(t, p, model->engine->root);
    memcpy(model->shift, t, (size_t)size * sizeof *t);
    if (p->constant)
        memcpy(model->shift + size, constants, (size_t)p->outputs * sizeof *constants);
    return FATHOM_OK;
}

/* target_F = eta_F + d eta_F by the null-space method; entries that come out negative become 0. The model's rows are
 * used up. */
fathom_status fathom_gated_iterative_refine(double *target, fathom_gated_model *model, const double *slope)
{
    fathom_gated_engine *engine = model->engine;
    const fathom_objective *p = engine->problem;
    const fathom_gated_support *candidates = model->candidates;
    const int64_t size = p->outputs * p->n, rows = model->rows;
    double *matrix = model->matrix;
    double *b = fathom_memory_alloc(p->context, size + rows, sizeof *b);
    int64_t *position = fathom_memory_alloc(p->context, rows, sizeof *position);
    fathom_status status = b && position ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        double *a = b + size;
        null_space s;
        const int64_t kept = split_rows(b, matrix, a, position, target, candidates, slope, rows, p);
        status = null_space_init(&s, engine, matrix, kept);
        if (status == FATHOM_OK) {
            for (int64_t j = 0; j < kept; j++)
                for (int64_t k = 0; k < kept; k++)
                    s.small[j * kept + k] = model->gram[position[j] * rows + position[k]];
            bool regular;
            status = factor_small(&regular, s.small, kept, p->context);
            if (regular) {
                const bool reached = null_space_run(b, &s, a, engine->forcing);
                for (int64_t j = 0; j < kept; j++)
                    if (position[j] < candidates->count)
                        target[position[j]] = fmax(0, candidates->eta[position[j]] + s.multiplier[j]);
                if (reached)
                    status = keep_shift(model, b, s.multiplier + kept - (rows - candidates->count));
            }
            null_space_clear(&s);
        }
    }
    FATHOM_FREE(p->context, b, position);
    return status;
}

fathom_status fathom_gated_iterative_model(fathom_gated_model *model, const double *adjoint)
{
    fathom_gated_engine *engine = model->engine;
    const fathom_objective *p = engine->problem;
    const int64_t count = model->candidates->count, rows = count + (p->constant ? p->outputs : 0);
    const int64_t size = p->outputs * p->n;
    double *copy = fathom_memory_alloc(p->context, rows * rows, sizeof *copy);
    model->rows = rows;
    model->matrix = fathom_memory_alloc(p->context, rows * size, sizeof *model->matrix);
    model->gram = fathom_memory_alloc(p->context, rows * rows, sizeof *model->gram);
    fathom_status status = copy && model->matrix && model->gram ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        candidate_rows(model->matrix, engine, model->candidates, adjoint);
        if (p->constant)
            constant_rows(model->matrix + count * size, engine);
        status = constraint_gram(model->gram, engine, model->matrix, rows, model->candidates, adjoint);
    }
    if (status == FATHOM_OK) {
        memcpy(copy, model->gram, (size_t)(rows * rows) * sizeof *copy);
        eliminate_constant(model->hessian, copy, rows, count);
    }
    if (engine->wide) { /* the Hessian is exact: nothing to refine */
        fathom_memory_free(p->context, model->matrix);
        model->matrix = NULL;
    }
    fathom_memory_free(p->context, copy);
    return status;
}
