/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Neighbours for the joint relaxation where points are many.
 *
 * The k points of the other sign with the largest |cos| to a row, by all pairs in tiles of TILE x TILE in
 * single precision: n^2 d operations at
 * the speed of a matrix product; a tile whose largest number does not reach a row's k-th so far is passed
 * over. Angles are taken after x -> (X'X/n)^(-1/4) x,
 * halfway to coordinates without correlation: lists found so gave better bounds than those of the points as
 * they are or fully whitened
 * (a prototype on magic: 2021 beside 1980 and 1911 after equal effort). Which lists are used is a matter of strength alone:
 * every list is valid.
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dispatch.h"
#include "float_rows.h"
#include "joint_internal.h"
#include "memory.h"

enum { TILE = 64 };

static const double FLATTEST = 1e-6; /* eigenvalue of X'X beside its largest */

/* m (d x d) = (X'X)^(-1/4) up to a factor. */
static fathom_status find_metric(double *m, const fathom_objective *p)
{
    const int64_t d = p->d;
    double *gram = fathom_memory_zero(p->context, d * d + d, sizeof *gram);
    if (!gram)
        return FATHOM_ERROR_MEMORY;
    double *value = gram + d * d;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < d; k++)
            if (p->x[i * d + k] != 0)
                fathom_blas_axpy(gram + k * d, p->x[i * d + k], p->x + i * d, d);
    const fathom_status status = fathom_blas_eigen(value, gram, d, d, true, p->context);
    memset(m, 0, (size_t)(d * d) * sizeof *m);
    for (int64_t k = 0; k < d && status == FATHOM_OK; k++) {
        const double times = pow(fmax(value[k], FLATTEST * value[d - 1]) / fmax(value[d - 1], 1e-300), -0.25);
        for (int64_t i = 0; i < d; i++)
            fathom_blas_axpy(m + i * d, times * gram[k * d + i], gram + k * d, d);
    }
    fathom_memory_free(p->context, gram);
    return status;
}

/* Unit rows M x_i / |M x_i| of the points with sigma v_i of the sign of `side`, in their order; names: their
 * points. */
static void put_rows(float *to, const fathom_objective *p, const double *m, const int64_t *name,
                     int64_t count, int64_t ld, double *row)
{
    const int64_t d = p->d;
    for (int64_t r = 0; r < count; r++) {
        const double *x = p->x + name[r] * d;
        for (int64_t k = 0; k < d; k++)
            row[k] = fathom_blas_dot(m + k * d, x, d);
        const double size = fathom_blas_norm(row, d);
        for (int64_t k = 0; k < d; k++)
            to[r * ld + k] = size > 0 ? (float)(row[k] / size) : 0;
    }
}

/* Tiles of TILE points, each ld x TILE. */
static void pack_tiles(float *to, const float *rows, int64_t count, int64_t ld)
{
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = 0; k < ld; k++)
            to[(j / TILE * ld + k) * TILE + j % TILE] = rows[j * ld + k];
}

FATHOM_DISPATCH static float near_largest(const float *h)
{
    float most[16] = {0}, top = 0;
    for (int t = 0; t < TILE; t += 16)
        for (int l = 0; l < 16; l++) {
            const float size = fabsf(h[t + l]);
            most[l] = size > most[l] ? size : most[l];
        }
    for (int l = 0; l < 16; l++)
        top = most[l] > top ? most[l] : top;
    return top;
}

/* The lists of TILE rows from r on. */
static void search_rows(fathom_joint_side *a, const float *rows, const float *tiles, const int64_t *name,
                        int64_t others, int64_t r, int64_t ld)
{
    float h[TILE * TILE + FATHOM_FLOAT_ROOM];
    const int64_t height = a->rows - r < TILE ? a->rows - r : TILE;
    int64_t count[TILE] = {0};
    for (int64_t j = 0; j < others; j += TILE) {
        fathom_float_multiply(h, rows + r * ld, tiles + j * ld, height, ld, TILE);
        for (int64_t i = 0; i < height; i++) {
            const float *one = h + i * TILE;
            if (count[i] == a->k && !((double)near_largest(one) > a->cosine[(r + i) * a->k]))
                continue;
            for (int64_t t = 0; t < TILE && j + t < others; t++)
                fathom_joint_side_offer(a, r + i, count + i, fabs((double)one[t]), (int32_t)name[j + t]);
        }
    }
}

fathom_status fathom_joint_side_near(fathom_joint_side *a, const fathom_objective *p, const double *v)
{
    fathom_context *context = p->context;
    const int64_t d = p->d, ld = fathom_float_width(d);
    int64_t others = 0, *name = fathom_memory_alloc(context, p->n, sizeof *name);
    for (int64_t i = 0; i < p->n && name; i++)
        if (a->sigma * v[i] > 0)
            name[others++] = i;
    const int64_t tiles = (others + TILE - 1) / TILE;
    const int64_t room = (a->rows + others + tiles * TILE) * ld + 4 * FATHOM_FLOAT_ROOM;
    double *m = fathom_memory_alloc(context, d * d + d, sizeof *m);
    float *rows = fathom_memory_zero(context, room, sizeof *rows);
    fathom_status status = name && m && rows ? find_metric(m, p) : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        float *far = rows + a->rows * ld, *packed = far + others * ld;
        put_rows(rows, p, m, a->point, a->rows, ld, m + d * d);
        put_rows(far, p, m, name, others, ld, m + d * d);
        pack_tiles(packed, far, others, ld);
#pragma omp parallel for schedule(dynamic, 1) num_threads(fathom_context_threads(context))
        for (int64_t r = 0; r < a->rows; r += TILE)
            if (!fathom_context_overdue(context))
                search_rows(a, rows, packed, name, others, r, ld);
    }
    FATHOM_FREE(context, name, m, rows);
    return status;
}
