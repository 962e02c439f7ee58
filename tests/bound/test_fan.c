/* SPDX-License-Identifier: Apache-2.0 */
/* Fans: they cover every direction, the value of a cone is the largest that prices allow, its derivatives,
 * and the evidence; blocks too. */
#include "testing.h"

#include <string.h>

#include "fan.h"
#include "random.h"

enum { MOST = 5, ALL = FATHOM_FAN_ALL, DIRECTIONS = 24 };

/* Axes of the coordinates, or turned towards each other. */
static fathom_fan *open_fan(fathom_context *context, int64_t k, bool skew, int64_t directions)
{
    double axis[MOST * MOST] = {0};
    fathom_fan *fan;
    for (int64_t a = 0; a < k; a++) {
        double square = 0;
        for (int64_t e = 0; e < k; e++) {
            axis[a * k + e] = (a == e) + (skew ? 0.3 : 0);
            square += axis[a * k + e] * axis[a * k + e];
        }
        for (int64_t e = 0; e < k; e++)
            axis[a * k + e] /= sqrt(square);
    }
    assert_ok(context, fathom_fan_create(&fan, context, k, axis, NULL, directions, 1));
    return fan;
}

static double ray_at(const fathom_fan *fan, int32_t ray, int64_t e)
{
    return (ray & 1 ? -1 : 1) * fan->c[ray / 2 * fan->k + e];
}

/* Coordinates of c in the rays of a cone: G^-1 of its products with them. */
static void coordinates(double *mu, const fathom_fan *fan, const fathom_fan_cone *cone, const double *c)
{
    const int64_t k = fan->k;
    for (int64_t a = 0; a < k; a++) {
        mu[a] = 0;
        for (int64_t b = 0; b < k; b++)
            for (int64_t e = 0; e < k; e++)
                mu[a] += cone->gram[(k + a) * k + b] * ray_at(fan, cone->ray[b], e) * c[e];
    }
}

/* q(c) = |c|_1 + <s, c> is sublinear: bounded by the fan's bound in every direction, whose cone says so. */
static void covers(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t k = 1; k <= MOST; k++) {
        fathom_fan *fan = open_fan(context, k, k % 2 == 0, k < 3 ? 2 + 3 * k : DIRECTIONS);
        double slant[MOST], price[2 * DIRECTIONS], lambda[MOST], mu[MOST];
        fathom_random_normals(slant, k, 7, FATHOM_STREAM_DATA, 0, 0);
        for (int64_t ray = 0; ray < 2 * fan->directions; ray++) {
            price[ray] = 0;
            for (int64_t e = 0; e < k; e++)
                price[ray] +=
                    fabs(ray_at(fan, (int32_t)ray, e)) + 0.3 * slant[e] * ray_at(fan, (int32_t)ray, e);
            price[ray] = fmax(price[ray], 0);
        }
        const double bound = fathom_fan_bound(fan, price);
        for (int trial = 0; trial < 200; trial++) {
            double c[MOST], length = 0, q = 0;
            int found = 0;
            fathom_random_normals(c, k, 8, FATHOM_STREAM_DATA, (uint32_t)trial, 0);
            for (int64_t e = 0; e < k; e++)
                length += c[e] * c[e];
            for (int64_t e = 0; e < k; e++) {
                c[e] /= sqrt(length);
                q += fabs(c[e]) + 0.3 * slant[e] * c[e];
            }
            for (int64_t t = 0; t < fan->cones; t++) {
                bool inside = fan->cone[t].middle < 0;
                for (int64_t a = 0; a < k && inside; a++) {
                    coordinates(mu, fan, fan->cone + t, c);
                    inside = mu[a] >= 0;
                }
                found += inside;
                if (inside)
                    assert_true(q <= fathom_fan_cone_value(lambda, fan->cone + t, price) * (1 + 1e-12));
            }
            assert_int_equal(found, 1);
            assert_true(q <= bound);
        }
        fathom_fan_free(fan);
    }
    fathom_context_free(context);
}

/* lambda >= 0, G lambda >= P with equality where lambda > 0: the value is the largest there is; and it is the largest of many mu. */
static void cone_values(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t k = 2; k <= MOST; k++) {
        fathom_fan *fan = open_fan(context, k, true, k);
        for (int trial = 0; trial < 100; trial++) {
            double price[2 * MOST], lambda[MOST], p[MOST];
            fathom_random_normals(price, 2 * k, 9, FATHOM_STREAM_DATA, (uint32_t)(100 * k + trial), 0);
            for (int64_t ray = 0; ray < 2 * k; ray++)
                price[ray] = fabs(price[ray]) * (trial % 3 == 0 && ray % 4 == 1 ? 0 : 1);
            for (int64_t t = 0; t < fan->cones; t++) {
                const fathom_fan_cone *cone = fan->cone + t;
                const double value = fathom_fan_cone_value(lambda, cone, price);
                for (int64_t a = 0; a < k; a++) {
                    double product = 0;
                    p[a] = price[cone->ray[a]];
                    for (int64_t b = 0; b < k; b++)
                        product += cone->gram[a * k + b] * lambda[b];
                    assert_true(lambda[a] >= 0 && product >= p[a] - 1e-12);
                    assert_true(lambda[a] == 0 || product <= p[a] + 1e-12);
                    assert_true(value >= p[a] * (1 - 1e-12));
                }
            }
        }
        fathom_fan_free(fan);
    }
    fathom_context_free(context);
}

/* Central differences of the smoothed value by log P. */
static void derivatives(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t k = 1; k <= 4; k++) {
        fathom_fan *fan = open_fan(context, k, k == 3, 9);
        double price[18], share[18], unused[18];
        const double h = 1e-6;
        fathom_random_normals(price, 2 * fan->directions, 5, FATHOM_STREAM_DATA, (uint32_t)k, 0);
        for (int64_t ray = 0; ray < 2 * fan->directions; ray++)
            price[ray] = 1 + 0.1 * fabs(price[ray]);
        const double value = fathom_fan_smooth(share, fan, price, 40);
        assert_true(exp(value) >= fathom_fan_bound(fan, price) * (1 - 1e-11));
        for (int64_t ray = 0; ray < 2 * fan->directions; ray++) {
            const double kept = price[ray];
            price[ray] = kept * exp(h);
            const double up = fathom_fan_smooth(unused, fan, price, 40);
            price[ray] = kept * exp(-h);
            const double down = fathom_fan_smooth(unused, fan, price, 40);
            price[ray] = kept;
            assert_close((up - down) / (2 * h), share[ray], 1e-7);
        }
        fathom_fan_free(fan);
    }
    fathom_context_free(context);
}

/* A fan of blocks: axes of the coordinates, those of the same number in `block` together. */
static fathom_fan *open_blocks(fathom_context *context, int64_t k, const int64_t *block)
{
    double axis[ALL * ALL] = {0};
    fathom_fan *fan;
    for (int64_t a = 0; a < k; a++)
        axis[a * k + a] = 1;
    assert_ok(context, fathom_fan_create(&fan, context, k, axis, block, INT64_MAX, 0.5));
    return fan;
}

/* q(c) = |c|_1 + <s, c> + |c|, which is sublinear. */
static double sublinear(const double *c, const double *slant, int64_t k)
{
    double sum = 0, square = 0;
    for (int64_t e = 0; e < k; e++) {
        sum += fabs(c[e]) + 0.3 * slant[e] * c[e];
        square += c[e] * c[e];
    }
    return fmax(sum + sqrt(square), 0);
}

/* Where a told cover has c: the corners of its pieces by number, with their signs. */
typedef struct told {
    const fathom_proof *proof;
    const fathom_fan *fan;
    const double *price, *c;
    int64_t k, next, inside;
    int32_t ray[ALL];
    double largest; /* |l| of the pieces */
} told;

/* Whether c = sum of mu g with mu >= 0 for the rays of this cone, by Cramer's way: elimination of (g_1, ..,
 * g_k) mu = c. */
static bool contains(const told *a)
{
    double m[ALL][ALL + 1];
    for (int64_t e = 0; e < a->k; e++) {
        for (int64_t g = 0; g < a->k; g++)
            m[e][g] = ray_at(a->fan, a->ray[g], e);
        m[e][a->k] = a->c[e];
    }
    for (int64_t p = 0; p < a->k; p++) {
        int64_t top = p;
        for (int64_t e = p + 1; e < a->k; e++)
            top = fabs(m[e][p]) > fabs(m[top][p]) ? e : top;
        for (int64_t g = 0; g <= a->k; g++) {
            const double t = m[p][g];
            m[p][g] = m[top][g];
            m[top][g] = t;
        }
        for (int64_t e = 0; e < a->k; e++) {
            const double times = e == p ? 0 : m[e][p] / m[p][p];
            for (int64_t g = p; g <= a->k; g++)
                m[e][g] -= times * m[p][g];
        }
    }
    bool inside = true;
    for (int64_t p = 0; p < a->k; p++)
        inside = inside && m[p][a->k] / m[p][p] > 0;
    return inside;
}

/* The tree that is next, as a checker reads it: corners between their parents, pieces with <l, g> >= P_g. */
static void walk(told *a)
{
    const fathom_proof *proof = a->proof;
    const int64_t at = a->next++, middle = proof->bisect[at], axes = proof->axes;
    if (middle < 0) {
        const double *l = proof->majorant + at * proof->outputs;
        double square = 0;
        for (int64_t g = 0; g < a->k; g++) {
            double product = 0;
            for (int64_t e = 0; e < a->k; e++)
                product += l[e] * ray_at(a->fan, a->ray[g], e);
            assert_true(product >= a->price[a->ray[g]]);
        }
        for (int64_t e = 0; e < a->k; e++)
            square += l[e] * l[e];
        a->largest = fmax(a->largest, sqrt(square));
        a->inside += contains(a);
        return;
    }
    int64_t place[2] = {-1, -1};
    for (int64_t g = 0; g < a->k; g++)
        for (int half = 0; half < 2; half++)
            if (a->ray[g] / 2 == proof->parent[2 * (middle - axes) + half])
                place[half] = g;
    assert_true(place[0] >= 0 && place[1] >= 0 && place[0] != place[1]);
    int sign[2];
    for (int half = 0; half < 2; half++)
        sign[half] =
            (a->ray[place[half]] & 1 ? -1 : 1) * (proof->share[2 * (middle - axes) + half] > 0 ? 1 : -1);
    assert_int_equal(sign[0], sign[1]);
    for (int half = 0; half < 2; half++) {
        const int32_t old = a->ray[place[half]];
        a->ray[place[half]] = (int32_t)(2 * middle + (sign[0] < 0));
        walk(a);
        a->ray[place[half]] = old;
    }
}

/* The evidence of a fan of blocks is a cover without blocks: every direction is in one piece, and the
 * largest |l| is the bound. */
static void told_blocks(void **state)
{
    (void)state;
    static const int64_t pattern[][ALL] = {{0, 1, 1, 0},          {0, 0, 1}, {2, 0, 1, 1, 0}, {0, 0, 0, 1, 1},
                                           {0, 1, 2, 0, 1, 2, 3}, {0, 1, 2}};
    static const int64_t dimensions[] = {4, 3, 5, 5, 7, 3};
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (size_t t = 0; t < sizeof dimensions / sizeof *dimensions; t++) {
        const int64_t k = dimensions[t];
        fathom_fan *fan = open_blocks(context, k, pattern[t]);
        fathom_proof *proof;
        double slant[ALL], price[4 * ALL * ALL], c[ALL];
        assert_true(2 * fan->directions <= (int64_t)(sizeof price / sizeof *price));
        fathom_random_normals(slant, k, 7, FATHOM_STREAM_DATA, 0, 0);
        for (int64_t ray = 0; ray < 2 * fan->directions; ray++) {
            for (int64_t e = 0; e < k; e++)
                c[e] = ray_at(fan, (int32_t)ray, e);
            price[ray] = sublinear(c, slant, k);
        }
        const double bound = fathom_fan_bound(fan, price);
        assert_ok(context, fathom_proof_create(&proof, context, 1, 1, k));
        assert_ok(context, fathom_fan_tell(proof, fan, price));
        proof->axes = k;
        assert_true((double)proof->pieces == fathom_fan_pieces(fan));
        for (uint32_t trial = 0; trial < 20; trial++) {
            told a = {.proof = proof, .fan = fan, .price = price, .c = c, .k = k};
            double square = 0;
            fathom_random_normals(c, k, 8, FATHOM_STREAM_DATA, trial, 0);
            for (int64_t signs = 0; signs < INT64_C(1) << k; signs++) {
                for (int64_t e = 0; e < k; e++)
                    a.ray[e] = (int32_t)(2 * e + (signs >> e & 1));
                walk(&a);
            }
            for (int64_t e = 0; e < k; e++)
                square += c[e] * c[e];
            assert_int_equal(a.inside, 1);
            assert_int_equal(a.next, proof->pieces);
            assert_true(a.largest <= bound && a.largest >= bound * (1 - 1e-12));
            assert_true(sublinear(c, slant, k) <= bound * sqrt(square));
        }
        fathom_proof_free(proof);
        fathom_fan_free(fan);
    }
    fathom_context_free(context);
}

/* Blocks: central differences of the smoothed value, which is no less than the bound, by log P; and no price
 * counts where it is 0. */
static void derivatives_of_blocks(void **state)
{
    (void)state;
    static const int64_t block[] = {0, 1, 1, 0, 2};
    enum { K = 5 };
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    fathom_fan *fan = open_blocks(context, K, block);
    double price[4 * K], share[4 * K], unused[4 * K];
    const double h = 1e-6;
    assert_int_equal(fan->directions, 9);
    fathom_random_normals(price, 18, 5, FATHOM_STREAM_DATA, 1, 0);
    for (int64_t ray = 0; ray < 18; ray++)
        price[ray] = 1 + 0.1 * fabs(price[ray]);
    const double value = fathom_fan_smooth(share, fan, price, 40);
    assert_true(exp(value) >= fathom_fan_bound(fan, price) * (1 - 1e-11));
    for (int64_t ray = 0; ray < 18; ray++) {
        const double kept = price[ray];
        price[ray] = kept * exp(h);
        const double up = fathom_fan_smooth(unused, fan, price, 40);
        price[ray] = kept * exp(-h);
        const double down = fathom_fan_smooth(unused, fan, price, 40);
        price[ray] = kept;
        assert_close((up - down) / (2 * h), share[ray], 1e-7);
    }
    for (int64_t ray = 0; ray < 18; ray++) /* a block without any price */
        price[ray] = fan->within[ray / 2] == 1 ? 0 : price[ray];
    assert_true(isfinite(fathom_fan_smooth(share, fan, price, 40)) && share[2 * 1] == 0);
    memset(price, 0, sizeof price);
    assert_true(fathom_fan_smooth(share, fan, price, 40) == -INFINITY && fathom_fan_bound(fan, price) == 0);
    fathom_fan_free(fan);
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers),      cmocka_unit_test(cone_values),           cmocka_unit_test(derivatives),
        cmocka_unit_test(told_blocks), cmocka_unit_test(derivatives_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
