/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells along a line, their sign patterns and witnesses.
 *
 * Walking the line of T upwards, the signs outside T change by one hyperplane per cut. The cell whose lowest point is
 * the cut with s has the signs of the edge above the cut, and on T those of fathom_line_side.
 *
 * A witness is the middle of that edge, moved inside: walls W (T, and h_0 where the level lies in it) with sides
 * sigma, dual vectors b_k (W_l(b_k) = [k = l], least norm), inward direction sum_k sigma_k b_k, followed for half the
 * way to the first hyperplane. It counts only once every sign has been verified on the doubles that are handed out:
 * by a rounding bound, else exactly.
 */
#include "simple.h"

#include <math.h>
#include <string.h>

#include "dispatch.h"
#include "memory.h"

enum {
    ATTEMPTS = 40, /* halvings of the way inside before a cell counts as too thin */
    LANES = 16     /* independent partial minima */
};

fathom_status fathom_cell_maker_init(fathom_cell_maker *maker, const fathom_line_frame *frame)
{
    fathom_context *context = frame->planes->context;
    const int64_t p = frame->planes->p;
    memset(maker, 0, sizeof *maker);
    maker->trail =
        (fathom_cone_trail){.context = context, .words = frame->planes->words, .d = frame->planes->d};
    const fathom_status status = fathom_line_init(&maker->line, frame);
    maker->bits = fathom_memory_alloc(context, frame->planes->words, sizeof *maker->bits);
    maker->sign = fathom_memory_alloc(context, p, sizeof *maker->sign);
    maker->value = fathom_memory_alloc(context, p, sizeof *maker->value);
    maker->slope = fathom_memory_alloc(context, p, sizeof *maker->slope);
    return status == FATHOM_OK && maker->bits && maker->sign && maker->value && maker->slope
               ? FATHOM_OK
               : FATHOM_ERROR_MEMORY;
}

void fathom_cell_maker_free(fathom_cell_maker *maker)
{
    if (!maker->line.frame)
        return;
    fathom_context *context = maker->line.frame->planes->context;
    FATHOM_FREE(context, maker->bits, maker->sign, maker->value, maker->slope);
    fathom_cone_trail_free(&maker->trail);
    fathom_line_free(&maker->line);
}

/* Changes the side of hyperplane h. */
static void flip(fathom_cell_maker *maker, int64_t h)
{
    maker->sign[h] = -maker->sign[h];
    fathom_hyperplanes_toggle(maker->line.frame->planes, maker->bits, h);
}

/* The same, noted in the trail. */
static void flip_noted(fathom_cell_maker *maker, int64_t h)
{
    const fathom_hyperplanes *planes = maker->line.frame->planes;
    flip(maker, h);
    for (int64_t k = planes->member_start[h]; k < planes->member_start[h + 1]; k++)
        fathom_cone_trail_flip(&maker->trail, planes->member[k]);
}

/* Pattern and signs with every hyperplane on its positive side. */
static void start_positive(fathom_cell_maker *maker)
{
    const fathom_hyperplanes *planes = maker->line.frame->planes;
    memset(maker->bits, 0, (size_t)planes->words * sizeof *maker->bits);
    for (int64_t k = 0; k < planes->member_start[planes->p]; k++)
        if (planes->side[k] > 0)
            maker->bits[planes->member[k] / 64] |= (uint64_t)1 << (planes->member[k] % 64);
    for (int64_t h = 0; h < planes->p; h++)
        maker->sign[h] = 1;
}

/* Gauss-Jordan with row exchanges on an m x m matrix beside the identity; the inverse lands in `inverse`. */
static void invert(double inverse[][FATHOM_MINORS_LARGEST], double gram[][FATHOM_MINORS_LARGEST], int64_t m)
{
    for (int64_t k = 0; k < m; k++)
        for (int64_t l = 0; l < m; l++)
            inverse[k][l] = k == l;
    for (int64_t k = 0; k < m; k++) {
        int64_t best = k;
        for (int64_t l = k + 1; l < m; l++)
            if (fabs(gram[l][k]) > fabs(gram[best][k]))
                best = l;
        for (int64_t c = 0; c < m; c++) {
            const double g = gram[k][c], v = inverse[k][c];
            gram[k][c] = gram[best][c], gram[best][c] = g;
            inverse[k][c] = inverse[best][c], inverse[best][c] = v;
        }
        const double pivot = gram[k][k] != 0 ? gram[k][k] : 1;
        for (int64_t l = 0; l < m; l++) {
            const double factor = l == k ? 0 : gram[l][k] / pivot;
            for (int64_t c = 0; c < m && factor != 0; c++) {
                gram[l][c] -= factor * gram[k][c];
                inverse[l][c] -= factor * inverse[k][c];
            }
        }
        for (int64_t c = 0; c < m; c++) {
            gram[k][c] /= pivot;
            inverse[k][c] /= pivot;
        }
    }
}

/* The walls at the placed line's edges and their dual vectors b = W' (W W')^{-1}. */
static void find_walls(fathom_cell_maker *maker, int64_t level)
{
    const fathom_line *line = &maker->line;
    const int64_t r = line->frame->planes->r;
    const double *h = line->frame->planes->scaled;
    double gram[FATHOM_MINORS_LARGEST][FATHOM_MINORS_LARGEST],
        inverse[FATHOM_MINORS_LARGEST][FATHOM_MINORS_LARGEST];
    maker->walls = 0;
    for (int64_t k = 0; k < line->size; k++)
        maker->wall[maker->walls++] = line->t_set[k];
    if (level > 0)
        maker->wall[maker->walls++] = 0;
    for (int64_t k = 0; k < maker->walls; k++)
        for (int64_t l = 0; l < maker->walls; l++) {
            gram[k][l] = 0;
            for (int64_t c = 0; c < r; c++)
                gram[k][l] += h[maker->wall[k] * r + c] * h[maker->wall[l] * r + c];
        }
    invert(inverse, gram, maker->walls);
    for (int64_t k = 0; k < maker->walls; k++)
        for (int64_t c = 0; c < r; c++) {
            maker->dual[k][c] = 0;
            for (int64_t l = 0; l < maker->walls; l++)
                maker->dual[k][c] += inverse[k][l] * h[maker->wall[l] * r + c];
        }
}

/* The first step at which value + step * slope vanishes in an entry; INFINITY where none does. Minima are kept in
 * independent lanes so that the loop runs at the rate of the vector unit. */
FATHOM_DISPATCH
static double first_zero(const double *restrict value, const double *restrict slope, int64_t p)
{
    double lane[LANES], first = INFINITY;
    for (int l = 0; l < LANES; l++)
        lane[l] = INFINITY;
    int64_t i = 0;
    for (; i + LANES <= p; i += LANES)
        for (int l = 0; l < LANES; l++) {
            const double step = -value[i + l] / slope[i + l], positive = step > 0 ? step : INFINITY;
            lane[l] = positive < lane[l] ? positive : lane[l];
        }
    for (; i < p; i++) {
        const double step = -value[i] / slope[i];
        first = step > 0 && step < first ? step : first;
    }
    for (int l = 0; l < LANES; l++)
        first = lane[l] < first ? lane[l] : first;
    return first;
}

/* The least sign_i value_i. */
FATHOM_DISPATCH
static double least_agreement(const double *restrict value, const double *restrict sign, int64_t p)
{
    double lane[LANES], least = INFINITY;
    for (int l = 0; l < LANES; l++)
        lane[l] = INFINITY;
    int64_t i = 0;
    for (; i + LANES <= p; i += LANES)
        for (int l = 0; l < LANES; l++) {
            const double v = value[i + l] * sign[i + l];
            lane[l] = v < lane[l] ? v : lane[l];
        }
    for (; i < p; i++)
        least = value[i] * sign[i] < least ? value[i] * sign[i] : least;
    for (int l = 0; l < LANES; l++)
        least = lane[l] < least ? lane[l] : least;
    return least;
}

/* Whether z (r, scaled coordinates) lies strictly inside the current cell. Spoils maker->value. */
static bool verified(fathom_cell_maker *maker, const double *z)
{
    const fathom_hyperplanes *planes = maker->line.frame->planes;
    double size = 0;
    for (int64_t c = 0; c < planes->r; c++)
        size += fabs(z[c]);
    const double bound = (double)(planes->r + 2) * 0x1p-52 * size;
    fathom_line_products(maker->value, maker->line.frame, z);
    const double least = least_agreement(maker->value, maker->sign, planes->p);
    if (least > bound)
        return true;
    if (!(least >= -bound))
        return false;
    for (int64_t i = 0; i < planes->p; i++) {
        const double v = maker->value[i] * maker->sign[i];
        if (!(v > bound)) {
            double row[FATHOM_MINORS_LARGEST];
            memcpy(row, planes->scaled + i * planes->r, (size_t)planes->r * sizeof *row);
            fathom_integer whole[FATHOM_MINORS_LARGEST] = {0};
            fathom_integers_from_doubles(whole, row, planes->r);
            const int sign = fathom_integers_dot_sign(whole, z, planes->r);
            if (sign != (int)maker->sign[i])
                return false;
        }
    }
    return true;
}

/* A point in scaled coordinates (r) as one of the data (d). */
static void hand_out(double *z, const fathom_hyperplanes *planes, const double *point)
{
    memset(z, 0, (size_t)planes->d * sizeof *z);
    for (int64_t c = 0; c < planes->r; c++)
        z[planes->column[c]] = point[c] * planes->column_scale[c];
}

/* The witness near the point `middle` (r) of an edge of the current cell, into z (d, data coordinates). */
static bool find_witness(fathom_cell_maker *maker, double *z, const double *middle)
{
    const fathom_hyperplanes *planes = maker->line.frame->planes;
    const int64_t r = planes->r;
    double inside[FATHOM_MINORS_LARGEST], point[FATHOM_MINORS_LARGEST], size = 0, way = 0;
    for (int64_t c = 0; c < r; c++) {
        inside[c] = 0;
        for (int64_t k = 0; k < maker->walls; k++)
            inside[c] += maker->sign[maker->wall[k]] * maker->dual[k][c];
        size += fabs(middle[c]);
        way += fabs(inside[c]);
    }
    double step = 1;
    if (maker->walls > 0) {
        fathom_line_products(maker->value, maker->line.frame, middle);
        fathom_line_products(maker->slope, maker->line.frame, inside);
        for (int64_t k = 0; k < maker->walls; k++)
            maker->value[maker->wall[k]] = maker->slope[maker->wall[k]] = 1;
        step = fmin(first_zero(maker->value, maker->slope, planes->p) / 2, size / way);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++, step /= 2) {
        for (int64_t c = 0; c < r; c++)
            point[c] = (middle[c] + step * inside[c]) / size;
        if (verified(maker, point)) {
            hand_out(z, planes, point);
            return true;
        }
    }
    return false;
}

/* The middle of the edge above cut number k of the order. */
static void edge_middle(double *middle, const fathom_line *line, int64_t k)
{
    const double t = line->t[line->order[k]];
    double at = t + 1 + fabs(t);
    if (k + 1 < line->cuts)
        at = t + (line->t[line->order[k + 1]] - t) / 2;
    for (int64_t c = 0; c < line->frame->planes->r; c++)
        middle[c] = line->w[c] + at * line->u[c];
}

/* The witness of the current cell, above cut number k of the line. */
static bool witness_above(fathom_cell_maker *maker, double *z, int64_t k)
{
    double point[FATHOM_MINORS_LARGEST];
    const fathom_hyperplanes *planes = maker->line.frame->planes;
    if (maker->line.level->j == 0 && ((maker->above && fathom_plane_witness(point, maker, k)) ||
                                      (planes->r == 2 && fathom_sector_witness(point, maker, k)))) {
        hand_out(z, planes, point);
        return true;
    }
    if (maker->walls < 0)
        find_walls(maker, maker->line.level->j);
    edge_middle(point, &maker->line, k);
    return find_witness(maker, z, point);
}

/* Puts T on the sides of the cell above the cut with s. */
static bool turn_sides(fathom_cell_maker *maker, int64_t s)
{
    for (int64_t k = 0; k < maker->line.size; k++) {
        const int side = fathom_line_side(&maker->line, k, s);
        if (side == 0)
            return false;
        if (side != (int)maker->sign[maker->line.t_set[k]])
            flip_noted(maker, maker->line.t_set[k]);
    }
    return true;
}

/* NaN in place of a witness, where the sink allows it. */
static bool leave_gap(const fathom_cell_maker *maker, double *z)
{
    for (int64_t c = 0; c < maker->trail.d && maker->gaps; c++)
        z[c] = NAN;
    return maker->gaps;
}

bool fathom_cell_maker_walk(fathom_cell_maker *maker, bool witnesses, bool *thin)
{
    fathom_line *line = &maker->line;
    fathom_cone_trail *trail = &maker->trail;
    const int64_t last = line->size > 0 ? line->t_set[line->size - 1] : 0;
    bool first = true;
    fathom_line_prepare_sides(line);
    maker->walls = -1; /* found when first needed */
    start_positive(maker);
    for (int64_t k = 0; k < line->cuts; k++)
        if (line->alpha_sign[line->order[k]] > 0) /* far below all cuts h_i has the sign of -alpha_i */
            flip(maker, line->order[k]);
    for (int64_t k = 0; k < line->cuts && trail->status == FATHOM_OK; k++) {
        const int32_t s = line->order[k];
        flip_noted(maker, s);
        if (s <= last)
            continue;
        if (!turn_sides(maker, s))
            return false;
        double *z = fathom_cone_trail_add(trail, maker->bits, first, witnesses);
        first = false;
        if (z && !witness_above(maker, z, k) && !leave_gap(maker, z)) {
            *thin = true;
            return false;
        }
    }
    trail->pending = 0;
    return true;
}

bool fathom_cell_maker_last(fathom_cell_maker *maker, const fathom_line_level *level, bool witnesses,
                            bool *thin)
{
    fathom_line *line = &maker->line;
    const int64_t r = line->frame->planes->r;
    const double *row[FATHOM_MINORS_LARGEST];
    double ray[FATHOM_MINORS_LARGEST];
    fathom_minors_start(line->value, line->bound);
    for (int64_t k = 0; k < level->j; k++) {
        fathom_minors_add(line->value, line->bound, &line->frame->sets, k, level->fixed[k]);
        row[k] = level->fixed[k];
    }
    for (int64_t c = 0; c < r; c++)
        ray[c] = ((r - 1 - c) % 2 == 0 ? 1 : -1) * line->value[(((uint32_t)1 << r) - 1) ^ (uint32_t)1 << c];
    row[r - 1] = level->chart;
    const int toward = fathom_exact_determinant_sign(row, r) * (int)level->chart_sign;
    start_positive(maker);
    for (int64_t i = level->j > 0 ? 1 : 0; i < line->frame->planes->p && toward != 0; i++) {
        row[r - 1] = line->frame->planes->scaled + i * r;
        const int sign = fathom_exact_determinant_sign(row, r) * toward;
        if (sign == 0)
            return false;
        if (sign < 0)
            flip(maker, i);
    }
    for (int64_t c = 0; c < r; c++)
        ray[c] *= toward;
    line->size = 0;
    find_walls(maker, level->j);
    double *z = fathom_cone_trail_add(&maker->trail, maker->bits, true, witnesses);
    *thin = z && toward != 0 && !find_witness(maker, z, ray) && !leave_gap(maker, z);
    return toward != 0 && !*thin;
}
