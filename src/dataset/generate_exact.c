/* SPDX-License-Identifier: Apache-2.0 */
/* Generated families given by formulas: points of the circle, the cube, parities, and the papers' small examples. */
#include <math.h>

#include "context_internal.h"
#include "generate_internal.h"

/*
 * With c = 1/sqrt(d) rounded twice, e = 1 - d c^2 is exact up to 2^-106, and c + c e / 2 = 1/sqrt(d) (1 + O(e^2)):
 * the sum rounds once, to the nearest double unless 1/sqrt(d) lies within 2^-100 of a midpoint.
 */
double fathom_generate_inverse_root(double d)
{
    const double c = 1 / sqrt(d);
    const double square = c * c, square_low = fma(c, c, -square);
    const double product = d * square, product_low = fma(d, square, -product);
    const double e = ((1 - product) - product_low) - d * square_low;
    return c + c * e / 2;
}

/* (cos, sin) of pi r / (2 q), 0 <= r <= q, from the half-quadrant r <= q/2 and its mirror image. */
static void quadrant_point(double out[2], int64_t r, int64_t q)
{
    const long double half_pi = 1.57079632679489661923132169163975144L;
    const int64_t small = 2 * r <= q ? r : q - r;
    const long double angle = half_pi * ((long double)small / (long double)q);
    const double cosine = 2 * small == q ? sqrt(0.5) : (double)cosl(angle);
    const double sine = 2 * small == q ? sqrt(0.5) : (double)sinl(angle);
    out[0] = small == r ? cosine : sine;
    out[1] = small == r ? sine : cosine;
}

/* The angle is reduced in whole numbers, p/q of a turn to r/q of a quarter turn, so that equal angles up to symmetry are
 * computed from the same r: symmetries hold bit for bit, and only one rounding of the final cosine is left. */
static void circle_point(double out[2], int64_t p, int64_t q)
{
    double first[2];
    const int64_t turn = 4 * (p % q);
    quadrant_point(first, turn % q, q);
    const int64_t quarters =
        turn / q; /* each takes (a, b) to (-b, a): two of them negate every bit of sign */
    const double a = first[quarters % 2], b = first[1 - quarters % 2];
    out[0] = quarters == 1 || quarters == 2 ? -a : a;
    out[1] = quarters >= 2 ? -b : b;
}

/* Row k - 1 is point k. */
fathom_status fathom_generate_circle(fathom_data *data, const generator_input *input)
{
    const int64_t n = (int64_t)input->value[0];
    FATHOM_TRY(fathom_data_shape(data, n, 2, 1));
    for (int64_t k = 1; k <= n; k++) {
        circle_point(data->x + 2 * (k - 1), k, n);
        data->y[k - 1] = k % 2 == 0 ? 1 : -1;
    }
    return FATHOM_OK;
}

/* Room for 2^d rows; a d beyond 62 is refused like any other size that does not fit. */
static fathom_status shape_cube(fathom_data *data, double d)
{
    FATHOM_TRY(fathom_context_require(data->context, 8 * exp2(d) * (d + 1), "a set of 2^d points"));
    return fathom_data_shape(data, (int64_t)1 << (int64_t)d, (int64_t)d, 1);
}

/* All of {-c, c}^d, the last coordinate changing fastest, -c first; y = sign of the first `bits` coordinates. */
static void fill_cube(fathom_data *data, double c, int64_t bits)
{
    const int64_t d = data->d;
    for (int64_t i = 0; i < data->n && !fathom_generate_late(data, i); i++) {
        data->y[i] = 1;
        for (int64_t j = 0; j < d; j++) {
            const bool up = i >> (d - 1 - j) & 1;
            data->x[i * d + j] = up ? c : -c;
            if (j < bits && !up)
                data->y[i] = -data->y[i];
        }
    }
}

/* 2^d rows; the label is the product of all coordinates. */
fathom_status fathom_generate_cube(fathom_data *data, const generator_input *input)
{
    FATHOM_TRY(shape_cube(data, input->value[0]));
    fill_cube(data, 1, data->d);
    return FATHOM_OK;
}

/* Coordinate j of point i is c times sign number i d + j of the stream of noise. */
static void fill_random_signs(fathom_data *data, const generator_input *input, double c, int64_t bits)
{
    const int64_t d = data->d;
    bool late = false;
#pragma omp parallel for schedule(static) num_threads(fathom_context_threads(data->context)) \
    firstprivate(late)
    for (int64_t i = 0; i < data->n; i++) {
        late = late || fathom_generate_late(data, i);
        if (late)
            continue;
        double *x = data->x + i * d;
        fathom_random_uniforms(x, d, input->seed, input->noise, 0, (uint64_t)(i * d));
        data->y[i] = 1;
        for (int64_t j = 0; j < d; j++) {
            const bool up = x[j] >= 0.5;
            x[j] = up ? c : -c;
            if (j < bits && !up)
                data->y[i] = -data->y[i];
        }
    }
}

/* c = 1/sqrt(d) makes |x| = 1 up to rounding, as in [003, Sec. 1]. */
fathom_status fathom_generate_parity(fathom_data *data, const generator_input *input)
{
    const int64_t d = (int64_t)input->value[0], n = (int64_t)input->value[1], bits = (int64_t)input->value[2];
    const bool all = input->value[3] == 1;
    const double c = fathom_generate_inverse_root((double)d);
    if (bits > d)
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "gen:parity: bits takes at most d = %lld, not %lld", (long long)d,
                                (long long)bits);
    if (all && input->given[1])
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE, "gen:parity: take all=1 or n=, not both");
    FATHOM_TRY(all ? shape_cube(data, (double)d) : fathom_data_shape(data, n, d, 1));
    if (all) {
        fill_cube(data, c, bits);
        return FATHOM_OK;
    }
    fill_random_signs(data, input, c, bits);
    return FATHOM_OK;
}

/* Points to look at a network on: reach (2k - (n - 1)) / (n - 1), k = 0 .. n - 1, in every coordinate. */
fathom_status fathom_generate_grid(fathom_data *data, const generator_input *input)
{
    const int64_t d = (int64_t)input->value[0], n = (int64_t)input->value[1];
    const double rows = pow((double)n, (double)d);
    fathom_status status =
        fathom_context_require(data->context, 8 * rows * (double)(d + 1), "a grid of n^d points");
    FATHOM_THEN(status, fathom_data_shape(data, (int64_t)rows, d, 1));
    for (int64_t i = 0; status == FATHOM_OK && i < data->n; i++) {
        int64_t rest = i;
        for (int64_t l = d - 1; l >= 0; l--, rest /= n)
            data->x[i * d + l] = input->value[2] * ((double)(2 * (rest % n) - (n - 1)) / (double)(n - 1));
        data->y[i] = 0;
    }
    return status;
}

/* The counterexample to uniqueness of [001, Prop. 3.1]. */
fathom_status fathom_generate_line1d(fathom_data *data, const generator_input *input)
{
    (void)input;
    static const double y[5] = {1, -1, 1, 1, -1};
    const fathom_status status = fathom_data_shape(data, 5, 1, 1);
    for (int64_t i = 0; status == FATHOM_OK && i < 5; i++) {
        data->x[i] = (double)(i - 2);
        data->y[i] = y[i];
    }
    return status;
}

/* Keys of badkkt. */
enum { BAD_N, BAD_D, BAD_APART, BAD_WIDTH, BAD_ALPHA };
static const double degree = 3.14159265358979323846 / 180;

/* The table of the proposition's picture: angles in units of 1e-7 degrees; the last is -13.2608295, as a positive angle. */
static fathom_status make_picture(fathom_data *data)
{
    static const int64_t turn = 3600000000, angle[7] = {1590000000, 1600000000, 1610000000, 190000000,
                                                        200000000,  210000000,  3467391705};
    const fathom_status status = fathom_data_shape(data, 7, 2, 1);
    for (int64_t i = 0; status == FATHOM_OK && i < 7; i++) {
        circle_point(data->x + 2 * i, angle[i], turn);
        data->y[i] = 1;
    }
    return status;
}

/* The unit vector at an angle of the first two coordinates, tilted out of their plane by at most `tilt` degrees where d > 2. */
static void place_point(double *x, int64_t i, const generator_input *input, double angle, double tilt)
{
    const int64_t d = (int64_t)input->value[BAD_D];
    double square = 0;
    fathom_random_normals(x, d, input->seed, input->noise, 0, (uint64_t)(i * d));
    const double up =
        d > 2 ? tilt * degree * fathom_random_uniform(input->seed, input->label, 0, (uint64_t)i) : 0;
    for (int64_t l = 2; l < d; l++)
        square += x[l] * x[l];
    for (int64_t l = 2; l < d; l++)
        x[l] *= sin(up) / sqrt(square);
    x[0] = cos(up) * cos(angle * degree);
    x[1] = cos(up) * sin(angle * degree);
}

/* [003, Prop. 2.6]: two narrow cones and one more point, for which the largest linear margin is a poor KKT point: its support is v, the
 * last point of the first cone, and x' = alpha v_0 - sqrt(1 - alpha^2) v, v_0 orthogonal to v. */
fathom_status fathom_generate_badkkt(fathom_data *data, const generator_input *input)
{
    const double apart = input->value[BAD_APART], width = input->value[BAD_WIDTH],
                 turn = asin(input->value[BAD_ALPHA]) / degree;
    const int64_t n = (int64_t)input->value[BAD_N], d = (int64_t)input->value[BAD_D], first = n / 2;
    if (n == 6 && d == 2 && apart == 140 && width == 1 && input->value[BAD_ALPHA] == 0.1)
        return make_picture(data);
    if (!(apart >= 135 + 2 * width && apart <= 180 - 2 * width - turn))
        return fathom_error_set(data->context, FATHOM_ERROR_USAGE,
                                "gen:badkkt: apart must lie between 135 + 2 width = %g and 180 - 2 width - "
                                "asin(alpha) = %g degrees",
                                135 + 2 * width, 180 - 2 * width - turn);
    const fathom_status status = fathom_data_shape(data, n + 1, d, 1);
    for (int64_t i = 0; status == FATHOM_OK && i <= n; i++) {
        const int64_t size = i < first ? first : n - first, k = i < first ? i : i - first;
        const double part = size > 1 ? 2 * (double)k / (double)(size - 1) - 1 : 1;
        const double angle = (i < first ? 90 + apart / 2 : 90 - apart / 2) + width * part;
        if (i == n)
            place_point(data->x + i * d, i, input, 90 + apart / 2 + width + 180 + turn, 0);
        else
            place_point(data->x + i * d, i, input, angle, i == first - 1 ? 0 : width);
        data->y[i] = 1;
    }
    return status;
}
