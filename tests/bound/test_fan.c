/* SPDX-License-Identifier: Apache-2.0 */
/* Fans: they cover every direction, the value of a cone is the largest that prices allow, its derivatives, and the evidence. */
#include "testing.h"

#include <string.h>

#include "fan.h"
#include "random.h"

enum { MOST = 5, DIRECTIONS = 24 };

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
    assert_ok(context, fathom_fan_create(&fan, context, k, axis, directions, 1));
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
                    assert_true(q <= fathom_fan_cone_value(lambda, fan, fan->cone + t, price) * (1 + 1e-12));
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
                const double value = fathom_fan_cone_value(lambda, fan, cone, price);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(covers),
        cmocka_unit_test(cone_values),
        cmocka_unit_test(derivatives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
