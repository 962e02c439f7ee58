/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line of a chart and the order of its cuts: see line.h.
 *
 * The minors of the rows F, T give the two-form D(x, y) = det[F, T, x, y] = x' P y. Then u = +-P' a, w = +-P_k, the row
 * of P at the largest entry k of u (so that a(w) = |u_k|), and
 *     beta_i alpha_j - beta_j alpha_i = orientation a(w) D(i, j),
 * so that t_i < t_j when orientation D(i, j) alpha_i alpha_j > 0: the exact comparison where the computed t do not
 * settle it. Cuts are sorted by computed t, then by insertion with certain comparisons, which costs O(p) where the
 * computed order was right.
 */
#include "line.h"

#include <math.h>
#include <string.h>

#include "dispatch.h"
#include "memory.h"
#include "random.h"

enum { INSERTION_LIMIT = 48 }; /* cuts up to which plain insertion sorts */

static const double SMALLEST = 1e-290; /* covers what underflow can lose */

fathom_status fathom_line_frame_init(fathom_line_frame *frame, const fathom_hyperplanes *planes)
{
    const int64_t p = planes->p, r = planes->r;
    *frame = (fathom_line_frame){.planes = planes};
    FATHOM_TRY(fathom_minor_sets_init(&frame->sets, planes->context, r));
    frame->column = fathom_memory_alloc(planes->context, p * r, sizeof *frame->column);
    frame->direction = fathom_memory_alloc(planes->context, r * r, sizeof *frame->direction);
    if (!frame->column || !frame->direction)
        return FATHOM_ERROR_MEMORY;
    for (int64_t i = 0; i < p; i++)
        for (int64_t c = 0; c < r; c++)
            frame->column[c * p + i] = planes->scaled[i * r + c];
    /* Odd multiples of 2^-20 in (-1, 1): generic with probability 1 - O(2^-20) per determinant. */
    for (int64_t k = 0; k < r * r; k++) {
        const double v = fathom_random_uniform(0, FATHOM_STREAM_START, 0, (uint64_t)k);
        frame->direction[k] = (2 * floor(v * 0x1p20) + 1) * 0x1p-20 - 1;
    }
    return FATHOM_OK;
}

void fathom_line_frame_free(fathom_line_frame *frame)
{
    fathom_minor_sets_free(&frame->sets, frame->planes->context);
    FATHOM_FREE(frame->planes->context, frame->column, frame->direction);
}

fathom_status fathom_line_init(fathom_line *line, const fathom_line_frame *frame)
{
    fathom_context *context = frame->planes->context;
    const int64_t p = frame->planes->p, minors = (int64_t)1 << frame->planes->r;
    *line = (fathom_line){.frame = frame};
    line->value = fathom_memory_alloc(context, minors, sizeof *line->value);
    line->bound = fathom_memory_alloc(context, minors, sizeof *line->bound);
    line->alpha = fathom_memory_alloc(context, p, sizeof *line->alpha);
    line->beta = fathom_memory_alloc(context, p, sizeof *line->beta);
    line->t = fathom_memory_alloc(context, p, sizeof *line->t);
    line->t_error = fathom_memory_alloc(context, p, sizeof *line->t_error);
    line->alpha_sign = fathom_memory_alloc(context, p, sizeof *line->alpha_sign);
    line->order = fathom_memory_alloc(context, p, sizeof *line->order);
    line->spare = fathom_memory_alloc(context, p, sizeof *line->spare);
    line->key = fathom_memory_alloc(context, p, sizeof *line->key);
    line->spare_key = fathom_memory_alloc(context, p, sizeof *line->spare_key);
    return line->value && line->bound && line->alpha && line->beta && line->t && line->t_error &&
                   line->alpha_sign && line->order && line->spare && line->key && line->spare_key
               ? FATHOM_OK
               : FATHOM_ERROR_MEMORY;
}

void fathom_line_free(fathom_line *line)
{
    fathom_context *context = line->frame->planes->context;
    FATHOM_FREE(context, line->value, line->bound, line->alpha, line->beta, line->t, line->t_error,
                line->alpha_sign, line->order, line->spare, line->key, line->spare_key);
}

void fathom_line_level_set(fathom_line_level *level, const fathom_line_frame *frame, int64_t j)
{
    const int64_t r = frame->planes->r;
    level->j = j;
    for (int64_t k = 0; k < j; k++)
        level->fixed[k] = k == 0 ? frame->planes->scaled : frame->direction + (k - 1) * r;
    level->chart = j == 0 ? frame->planes->scaled : frame->direction + (j - 1) * r;
    level->chart_sign = j == 0 ? 1 : -1;
    level->direction = frame->direction + j * r;
}

/* out (p) = sum_c v_c x_c with x_c the columns (p each). */
FATHOM_DISPATCH
static void combine_columns(double *restrict out, const double *restrict x, int64_t p, int64_t r,
                            const double *restrict v)
{
    for (int64_t i = 0; i < p; i++)
        out[i] = v[0] * x[i];
    for (int64_t c = 1; c < r; c++)
        for (int64_t i = 0; i < p; i++)
            out[i] += v[c] * x[c * p + i];
}

void fathom_line_products(double *out, const fathom_line_frame *frame, const double *v)
{
    combine_columns(out, frame->column, frame->planes->p, frame->planes->r, v);
}

static const double *row_of(const fathom_line *line, int64_t i)
{
    return line->frame->planes->scaled + i * line->frame->planes->r;
}

/* Sign of det[F, T, x, y]. */
static int exact_two_form(const fathom_line *line, const double *x, const double *y)
{
    const double *row[FATHOM_MINORS_LARGEST];
    int64_t count = 0;
    for (int64_t k = 0; k < line->level->j; k++)
        row[count++] = line->level->fixed[k];
    for (int64_t k = 0; k < line->size; k++)
        row[count++] = row_of(line, line->t_set[k]);
    row[count++] = x;
    row[count++] = y;
    return fathom_exact_determinant_sign(row, count);
}

/* Minors of the rows F, T without row number `skip` of T (-1: none); gives their number. */
static int64_t collect_minors(fathom_line *line, int64_t skip)
{
    const fathom_minor_sets *sets = &line->frame->sets;
    int64_t m = 0;
    fathom_minors_start(line->value, line->bound);
    for (int64_t k = 0; k < line->level->j; k++)
        fathom_minors_add(line->value, line->bound, sets, m++, line->level->fixed[k]);
    for (int64_t k = 0; k < line->size; k++)
        if (k != skip)
            fathom_minors_add(line->value, line->bound, sets, m++, row_of(line, line->t_set[k]));
    return m;
}

/* Entry (a, b) of the two-form's matrix P: (-1)^(a+b+1) times the minor without the columns a < b. */
static double two_form(const fathom_line *line, int64_t a, int64_t b, double *bound)
{
    const int64_t r = line->frame->planes->r;
    if (a == b) {
        *bound = 0;
        return 0;
    }
    const uint32_t set = (((uint32_t)1 << r) - 1) ^ (uint32_t)1 << a ^ (uint32_t)1 << b;
    const bool minus = ((a + b + 1) % 2 != 0) != (a > b);
    *bound = line->bound[set];
    return minus ? -line->value[set] : line->value[set];
}

/* u (before its orientation), w and their error bounds for products with rows of entries at most 1. */
static void find_basis(fathom_line *line)
{
    const int64_t r = line->frame->planes->r;
    double u_size = 0, w_size = 0, bound;
    int64_t best = 0;
    for (int64_t b = 0; b < r; b++) {
        double sum = 0;
        for (int64_t a = 0; a < r; a++) {
            const double chart = line->level->chart_sign * line->level->chart[a];
            sum += chart * two_form(line, a, b, &bound);
            u_size += fabs(chart) * bound;
        }
        line->u[b] = sum;
        if (fabs(sum) > fabs(line->u[best]))
            best = b;
    }
    const double sign = line->u[best] > 0 ? -1 : 1; /* D(e_k, a) = -u_k must become positive */
    for (int64_t b = 0; b < r; b++) {
        line->w[b] = sign * two_form(line, best, b, &bound);
        w_size += bound;
    }
    line->u_error = fathom_minors_error(r) * u_size + SMALLEST;
    line->w_error = fathom_minors_error(r) * w_size + SMALLEST;
}

/* Makes g(u) > 0; false where it vanishes. */
static bool orient(fathom_line *line)
{
    const int64_t r = line->frame->planes->r;
    double rise = 0;
    for (int64_t c = 0; c < r; c++)
        rise += line->level->direction[c] * line->u[c];
    int sign = rise > 0 ? 1 : -1;
    if (!(fabs(rise) > line->u_error))
        sign =
            exact_two_form(line, line->level->chart, line->level->direction) * (int)line->level->chart_sign;
    line->orientation = sign;
    for (int64_t c = 0; c < r; c++)
        line->u[c] *= sign;
    return sign != 0;
}

/* t, its error and the key by which to sort, for all hyperplanes. Where alpha is not certain the error is infinite. */
FATHOM_DISPATCH
static void find_cuts(fathom_line *line)
{
    const int64_t p = line->frame->planes->p;
    const double ue = line->u_error, we = line->w_error;
    for (int64_t i = 0; i < p; i++) {
        const double alpha = line->alpha[i], t = -line->beta[i] / alpha;
        const double room = fabs(alpha) - ue;
        line->t[i] = t;
        line->t_error[i] =
            room > 0 ? (we + fabs(t) * ue) / room * (1 + 0x1p-40) + fabs(t) * 0x1p-50 : INFINITY;
    }
}

/* t_i < t_j, certainly; *vanishes is set where they coincide. */
static bool cut_before(const fathom_line *line, int32_t i, int32_t j, bool *vanishes)
{
    const double gap = line->t[j] - line->t[i], error = line->t_error[i] + line->t_error[j];
    if (gap > error)
        return true;
    if (gap < -error)
        return false;
    const int sign = exact_two_form(line, row_of(line, i), row_of(line, j)) * line->orientation *
                     line->alpha_sign[i] * line->alpha_sign[j];
    *vanishes = *vanishes || sign == 0;
    return sign > 0;
}

/* Unsigned integers in the order of the doubles. */
static uint64_t order_key(double t)
{
    uint64_t bits;
    memcpy(&bits, &t, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Sorts order[0 .. cuts) by the upper 32 bits of their keys: four stable passes of 8 bits. */
static void radix_sort(fathom_line *line)
{
    int64_t count[4][257] = {{0}};
    const int64_t m = line->cuts;
    for (int64_t k = 0; k < m; k++)
        for (int pass = 0; pass < 4; pass++)
            count[pass][(line->key[k] >> (32 + 8 * pass) & 255) + 1]++;
    for (int pass = 0; pass < 4; pass++) {
        int64_t *start = count[pass];
        for (int b = 0; b < 256; b++)
            start[b + 1] += start[b];
        for (int64_t k = 0; k < m; k++) {
            const int64_t to = start[line->key[k] >> (32 + 8 * pass) & 255]++;
            line->spare[to] = line->order[k];
            line->spare_key[to] = line->key[k];
        }
        int32_t *const order = line->order;
        uint64_t *const key = line->key;
        line->order = line->spare;
        line->key = line->spare_key;
        line->spare = order;
        line->spare_key = key;
    }
}

/* Insertion with certain comparisons; false where two cuts coincide. */
static bool insertion_sort(fathom_line *line)
{
    int32_t *order = line->order;
    bool vanishes = false;
    for (int64_t k = 1; k < line->cuts && !vanishes; k++) {
        const int32_t i = order[k];
        int64_t at = k;
        while (at > 0 && !cut_before(line, order[at - 1], i, &vanishes) && !vanishes) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = i;
    }
    return !vanishes;
}

/* Exact signs of alpha, and the list of hyperplanes that cut the line: all but T, h_0 where it is fixed or the chart. */
static bool list_cuts(fathom_line *line)
{
    int64_t next = 0;
    line->cuts = 0;
    for (int64_t i = 1; i < line->frame->planes->p; i++) {
        if (next < line->size && line->t_set[next] == i) {
            next++;
            continue;
        }
        int sign = line->alpha[i] > 0 ? 1 : -1;
        if (!(fabs(line->alpha[i]) > line->u_error))
            sign = exact_two_form(line, line->level->chart, row_of(line, i)) * line->orientation *
                   (int)line->level->chart_sign;
        if (sign == 0)
            return false;
        line->alpha_sign[i] = (int8_t)sign;
        line->key[line->cuts] = order_key(line->t[i]);
        line->order[line->cuts++] = (int32_t)i;
    }
    return true;
}

bool fathom_line_place(fathom_line *line, const fathom_line_level *level)
{
    line->level = level;
    line->size = line->frame->planes->r - 2 - level->j;
    collect_minors(line, -1);
    find_basis(line);
    if (!orient(line))
        return false;
    fathom_line_products(line->alpha, line->frame, line->u);
    fathom_line_products(line->beta, line->frame, line->w);
    find_cuts(line);
    if (!list_cuts(line))
        return false;
    if (line->cuts > INSERTION_LIMIT)
        radix_sort(line);
    return insertion_sort(line);
}

/*
 * With the dual vectors b_k of T (T_l(b_k) = [k = l], F b_k = 0, a(b_k) = 0) the edge of the cell that leaves T_k is
 * e_k = b_k - h_s(b_k)/alpha_s u, and the cell lies where g rises along it: on the side
 *     sign g(e_k) = sign(alpha_s) sign h_s(q_k),    q_k = g(b_k) u - g(u) b_k.
 * F, a, g and T without T_k vanish on q_k, and T_k(q_k) < 0: q_k = -(-1)^(size-1-k) orientation times the vector of
 * det[F, T \ T_k, a, g, .], because g(u) = orientation det[F, T, a, g] > 0.
 */
void fathom_line_prepare_sides(fathom_line *line)
{
    const int64_t r = line->frame->planes->r;
    const uint32_t all = ((uint32_t)1 << r) - 1;
    for (int64_t k = 0; k < line->size; k++) {
        int64_t m = collect_minors(line, k);
        fathom_minors_add(line->value, line->bound, &line->frame->sets, m++, line->level->chart);
        fathom_minors_add(line->value, line->bound, &line->frame->sets, m, line->level->direction);
        const bool even = (line->size - 1 - k) % 2 == 0;
        const double sign = (even ? -1 : 1) * line->orientation * line->level->chart_sign;
        double size = 0;
        for (int64_t c = 0; c < r; c++) {
            const uint32_t set = all ^ (uint32_t)1 << c;
            line->q[k][c] = ((r - 1 - c) % 2 == 0 ? sign : -sign) * line->value[set];
            size += line->bound[set];
        }
        line->q_error[k] = fathom_minors_error(r) * size + SMALLEST;
    }
}

/* Sign of h_s(q_k) by an exact determinant. */
static int exact_side(const fathom_line *line, int64_t k, int64_t s)
{
    const double *row[FATHOM_MINORS_LARGEST];
    int64_t count = 0;
    for (int64_t l = 0; l < line->level->j; l++)
        row[count++] = line->level->fixed[l];
    for (int64_t l = 0; l < line->size; l++)
        if (l != k)
            row[count++] = row_of(line, line->t_set[l]);
    row[count++] = line->level->chart;
    row[count++] = line->level->direction;
    row[count++] = row_of(line, s);
    const bool even = (line->size - 1 - k) % 2 == 0;
    return fathom_exact_determinant_sign(row, count) * (even ? -1 : 1) * line->orientation *
           (int)line->level->chart_sign;
}

int fathom_line_side(const fathom_line *line, int64_t k, int64_t s)
{
    const double *h = row_of(line, s);
    double sum = 0;
    for (int64_t c = 0; c < line->frame->planes->r; c++)
        sum += h[c] * line->q[k][c];
    int sign = sum > 0 ? 1 : -1;
    if (!(fabs(sum) > line->q_error[k]))
        sign = exact_side(line, k, s);
    return sign * line->alpha_sign[s];
}
