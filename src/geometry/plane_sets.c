/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rectified ellipsoid of two rows, its hull and its polar set as pieces of boundary; the whitening transform.
 *
 * K = AA' = (a b; b c), D = ac - b^2. A B_2 is the ellipse E = {t'K^{-1}t <= 1}; Q = {t_+ : t in E} is E in the quadrant and, where b < 0, two
 * spikes along the axes to (sqrt a, 0) and (0, sqrt c), because then the ellipse has its rightmost point below the axis.
 *   hull    b >= 0: Q itself. b < 0: tangents from the spikes' ends touch E at K v with v as below; where b <= -sqrt(ac)/2 the
 *           triangle of 0 and the two ends contains everything.
 *   polar   {v : v'z <= 1 for z in Q}: h(v) = sqrt(v'Kv) where the maximiser Kv/sqrt(v'Kv) is in the quadrant, else a spike's end
 *           or the point of E on the axis. b < 0: the line v_1 = 1/sqrt a meets v'Kv = 1 at v_2 = -2b/(c sqrt a). b >= 0: the arc ends
 *           where (Kv)_2 = 0, at v = (c, -b)/sqrt(c D). Rays go down and to the left, as all z are nonnegative.
 * D = 0 (rank one, judged to rounding) leaves segments alone. [001, Sec. 2.2, 2.3, Fig. 2-4]
 */
#include <math.h>
#include <string.h>

#include "blas.h"
#include "context_internal.h"
#include "dense.h"
#include "fathom/extreme.h"
#include "inner/extreme.h"
#include "file_write.h"
#include "memory.h"
#include "npy_internal.h"

/* A boundary in the making. */
typedef struct boundary {
    fathom_piece *piece;
    int *count;
} boundary;

static void add(boundary out, fathom_piece_kind kind, double x0, double y0, double x1, double y1,
                const double *m)
{
    fathom_piece *p = out.piece + (*out.count)++;
    *p = (fathom_piece){kind, {x0, y0}, {x1, y1}, {0, 0, 0}};
    if (m)
        memcpy(p->matrix, m, sizeof p->matrix);
}

/* Rank one, and rows that are zero: z runs over one segment, or over two on the axes. */
static void flat_sets(fathom_plane_sets *s, boundary q, boundary hull, boundary polar)
{
    const double x = sqrt(s->gram[0]), y = sqrt(s->gram[2]);
    const boundary both[2] = {q, hull};
    const bool apart = s->gram[1] < 0;
    for (int k = 0; k < 2; k++) {
        add(both[k], FATHOM_PIECE_SEGMENT, 0, 0, x, apart ? 0 : y, NULL);
        if (apart && k == 1)
            add(both[k], FATHOM_PIECE_SEGMENT, x, 0, 0, y, NULL);
        if (apart)
            add(both[k], FATHOM_PIECE_SEGMENT, 0, y, 0, 0, NULL);
    }
    if (apart) {
        add(polar, FATHOM_PIECE_RAY, 1 / x, 1 / y, 0, -1, NULL);
        add(polar, FATHOM_PIECE_RAY, 1 / x, 1 / y, -1, 0, NULL);
    } else if (x > 0 || y > 0) { /* the half plane v'z <= 1, z = (x, y) */
        const double square = x * x + y * y;
        add(polar, FATHOM_PIECE_RAY, x / square, y / square, y, -x, NULL);
        add(polar, FATHOM_PIECE_RAY, x / square, y / square, -y, x, NULL);
    }
}

/* b >= 0: no spikes. */
static void acute_sets(const fathom_plane_sets *s, double det, boundary q, boundary hull, boundary polar)
{
    const double a = s->gram[0], b = s->gram[1], c = s->gram[2];
    const double inverse[3] = {c / det, -b / det, a / det}, x = sqrt(det / c), y = sqrt(det / a);
    const boundary both[2] = {q, hull};
    for (int k = 0; k < 2; k++) {
        add(both[k], FATHOM_PIECE_SEGMENT, 0, 0, x, 0, NULL);
        add(both[k], FATHOM_PIECE_ARC, x, 0, 0, y, inverse);
        add(both[k], FATHOM_PIECE_SEGMENT, 0, y, 0, 0, NULL);
    }
    const double first[2] = {sqrt(c / det), -b / sqrt(c * det)},
                 last[2] = {-b / sqrt(a * det), sqrt(a / det)};
    add(polar, FATHOM_PIECE_RAY, first[0], first[1], 0, -1, NULL);
    add(polar, FATHOM_PIECE_ARC, first[0], first[1], last[0], last[1], s->gram);
    add(polar, FATHOM_PIECE_RAY, last[0], last[1], -1, 0, NULL);
}

/* b < 0: a spike on each axis. */
static void obtuse_sets(const fathom_plane_sets *s, double det, boundary q, boundary hull, boundary polar)
{
    const double a = s->gram[0], b = s->gram[1], c = s->gram[2], x = sqrt(a), y = sqrt(c);
    const double inverse[3] = {c / det, -b / det, a / det};
    add(q, FATHOM_PIECE_SEGMENT, 0, 0, x, 0, NULL);
    add(q, FATHOM_PIECE_SEGMENT, x, 0, sqrt(det / c), 0, NULL);
    add(q, FATHOM_PIECE_ARC, sqrt(det / c), 0, 0, sqrt(det / a), inverse);
    add(q, FATHOM_PIECE_SEGMENT, 0, sqrt(det / a), 0, y, NULL);
    add(q, FATHOM_PIECE_SEGMENT, 0, y, 0, 0, NULL);
    add(hull, FATHOM_PIECE_SEGMENT, 0, 0, x, 0, NULL);
    if (2 * b <= -x * y) {
        add(hull, FATHOM_PIECE_SEGMENT, x, 0, 0, y, NULL);
        add(polar, FATHOM_PIECE_RAY, 1 / x, 1 / y, 0, -1, NULL);
        add(polar, FATHOM_PIECE_RAY, 1 / x, 1 / y, -1, 0, NULL);
    } else {
        const double first[2] = {1 / x, -2 * b / (c * x)}, last[2] = {-2 * b / (a * y), 1 / y};
        const double from[2] = {a * first[0] + b * first[1], b * first[0] + c * first[1]};
        const double to[2] = {a * last[0] + b * last[1], b * last[0] + c * last[1]};
        add(hull, FATHOM_PIECE_SEGMENT, x, 0, from[0], from[1], NULL);
        add(hull, FATHOM_PIECE_ARC, from[0], from[1], to[0], to[1], inverse);
        add(hull, FATHOM_PIECE_SEGMENT, to[0], to[1], 0, y, NULL);
        add(polar, FATHOM_PIECE_RAY, first[0], first[1], 0, -1, NULL);
        add(polar, FATHOM_PIECE_ARC, first[0], first[1], last[0], last[1], s->gram);
        add(polar, FATHOM_PIECE_RAY, last[0], last[1], -1, 0, NULL);
    }
    add(hull, FATHOM_PIECE_SEGMENT, 0, y, 0, 0, NULL);
}

fathom_status fathom_plane_sets_compute(fathom_plane_sets *sets, fathom_context *context,
                                        const fathom_data *data)
{
    const fathom_data_view view = fathom_data_look(data);
    double *x;
    *sets = (fathom_plane_sets){0};
    if (view.n != 2)
        return fathom_error_set(context, FATHOM_ERROR_USAGE,
                                "--polar draws the sets of two rows; the data has %lld (--rows A:B)",
                                (long long)view.n);
    FATHOM_TRY(fathom_dense_copy(&x, &view, context));
    sets->gram[0] = fathom_blas_dot(x, x, view.d);
    sets->gram[1] = fathom_blas_dot(x, x + view.d, view.d);
    sets->gram[2] = fathom_blas_dot(x + view.d, x + view.d, view.d);
    fathom_memory_free(context, x);
    const double product = sets->gram[0] * sets->gram[2], det = product - sets->gram[1] * sets->gram[1];
    const boundary q = {sets->rectified, &sets->rectified_count}, hull = {sets->hull, &sets->hull_count};
    const boundary polar = {sets->polar, &sets->polar_count};
    if (!(det > (double)(view.d + 8) * 0x1p-50 * product))
        flat_sets(sets, q, hull, polar);
    else if (sets->gram[1] >= 0)
        acute_sets(sets, det, q, hull, polar);
    else
        obtuse_sets(sets, det, q, hull, polar);
    return FATHOM_OK;
}

/* Along an arc x'Mx = 1 points are those of the chord, scaled to the ellipse: the chord of an arc shorter than half an ellipse does
 * not pass 0. */
void fathom_piece_trace(double *points, int64_t count, const fathom_piece *piece, double reach)
{
    const double *m = piece->matrix;
    for (int64_t k = 0; k < count; k++) {
        const double t = count > 1 ? (double)k / (double)(count - 1) : 0;
        double *p = points + 2 * k;
        for (int c = 0; c < 2; c++)
            p[c] = piece->kind == FATHOM_PIECE_RAY ? piece->from[c] + t * reach * piece->to[c]
                                                   : (1 - t) * piece->from[c] + t * piece->to[c];
        if (piece->kind == FATHOM_PIECE_ARC) {
            const double length = sqrt(m[0] * p[0] * p[0] + 2 * m[1] * p[0] * p[1] + m[2] * p[1] * p[1]);
            p[0] /= length;
            p[1] /= length;
        }
    }
}

static void write_pieces(fathom_file *file, const char *name, const fathom_piece *piece, int count,
                         double reach)
{
    enum { POINTS = 65 };
    double points[2 * POINTS];
    for (int k = 0; k < count; k++) {
        const int64_t each = piece[k].kind == FATHOM_PIECE_ARC ? POINTS : 2;
        fathom_piece_trace(points, each, piece + k, reach);
        for (int64_t i = 0; i < each; i++)
            fathom_file_print(file, "%s,%d,%.17g,%.17g\n", name, k, points[2 * i], points[2 * i + 1]);
    }
}

fathom_status fathom_plane_sets_write(const fathom_plane_sets *sets, fathom_context *context,
                                      const char *path)
{
    fathom_file *file;
    FATHOM_TRY(fathom_file_create(&file, context, path));
    /* rays as far as the ends of the other pieces are from 0, twice */
    double reach = 1;
    for (int k = 0; k < sets->polar_count; k++)
        reach = fmax(reach, 2 * hypot(sets->polar[k].from[0], sets->polar[k].from[1]));
    fathom_file_print(file, "set,piece,x,y\n");
    write_pieces(file, "rectified", sets->rectified, sets->rectified_count, reach);
    write_pieces(file, "hull", sets->hull, sets->hull_count, reach);
    write_pieces(file, "polar", sets->polar, sets->polar_count, reach);
    return fathom_file_commit(file);
}

/* W = V S^{-1} from the singular value decomposition, d x rank. */
static fathom_status make_whitening(double *w, int64_t *rank, const double *x, int64_t n, int64_t d,
                                    fathom_context *context)
{
    const int64_t least = n < d ? n : d;
    double *sigma = fathom_memory_alloc(context, least, sizeof *sigma);
    double *copy = fathom_memory_alloc(context, n * d, sizeof *copy);
    double *left = fathom_memory_alloc(context, n * least, sizeof *left);
    double *right = fathom_memory_alloc(context, least * d, sizeof *right);
    fathom_status status = sigma && copy && left && right ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    if (status == FATHOM_OK) {
        memcpy(copy, x, (size_t)(n * d) * sizeof *copy);
        status = fathom_blas_svd(sigma, left, right, copy, d, n, d, context);
    }
    *rank = 0;
    for (int64_t k = 0; k < least && status == FATHOM_OK; k++)
        *rank += sigma[k] > (double)(n > d ? n : d) * 0x1p-52 * sigma[0];
    for (int64_t k = 0; k < *rank; k++)
        for (int64_t c = 0; c < d; c++)
            w[c * *rank + k] = right[k * d + c] / sigma[k];
    void *const block[] = {sigma, copy, left, right};
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        fathom_memory_free(context, block[k]);
    return status;
}

/* The largest |B B' - I|, B = X W (n x rank), in O(n^2 rank). */
static double whitened_error(const double *x, const double *w, double *b, int64_t n, int64_t d, int64_t rank)
{
    double error = 0;
    fathom_blas_gemm(b, rank, n, rank, d, 1, fathom_plain(x, d), fathom_plain(w, rank), 0);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            error = fmax(error, fabs(fathom_blas_dot(b + i * rank, b + j * rank, rank) - (i == j)));
    return error;
}

fathom_status fathom_whitening_write(double *error, fathom_context *context, const fathom_data *data,
                                     const char *path)
{
    const fathom_data_view view = fathom_data_look(data);
    const int64_t n = view.n, d = view.d, least = n < d ? n : d;
    double *x = NULL, *w = fathom_memory_alloc(context, d * least, sizeof *w);
    double *b = fathom_memory_alloc(context, n * least, sizeof *b);
    int64_t rank = 0;
    fathom_file *file;
    fathom_status status = w && b ? fathom_dense_copy(&x, &view, context) : FATHOM_ERROR_MEMORY;
    FATHOM_THEN(status, make_whitening(w, &rank, x, n, d, context));
    *error = NAN;
    if (status == FATHOM_OK && n == rank)
        *error = whitened_error(x, w, b, n, d, rank);
    FATHOM_THEN(status, fathom_file_create(&file, context, path));
    if (status == FATHOM_OK) {
        const int64_t shape[2] = {d, rank};
        status = fathom_npy_append(file, w, 2, shape, rank > 0 ? rank : 1);
        if (status == FATHOM_OK)
            status = fathom_file_commit(file);
        else
            fathom_file_abort(file);
    }
    FATHOM_FREE(context, x, w, b);
    return status;
}
