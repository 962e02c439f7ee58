/* SPDX-License-Identifier: Apache-2.0 */
/* Largest values of norms on spheres: against singular values; prices of several outputs: against the exact walk in the plane, and in space
 * against alternating maximisation. */
#include "global_outputs.h"
#include "global_sphere.h"
#include "price.h"
#include "random.h"
#include "testing.h"

#include <math.h>
#include <string.h>

enum { ROWS = 12, MOST = FATHOM_SPHERE_MOST };

typedef struct norm {
    int64_t k;
    double m[MOST * MOST];
    double work;
} norm;

/* |M c| */
static fathom_status norm_of(double *above, void *user, const double *c)
{
    norm *a = user;
    double square = 0;
    for (int64_t i = 0; i < a->k; i++) {
        double sum = 0;
        for (int64_t j = 0; j < a->k; j++)
            sum += a->m[i * a->k + j] * c[j];
        square += sum * sum;
    }
    *above = sqrt(square);
    a->work += 1;
    return FATHOM_OK;
}

/* The largest singular value, by the power method on M'M squared ten times. */
static double largest(const norm *a)
{
    const int64_t k = a->k;
    double g[MOST * MOST], h[MOST * MOST], scale = 0;
    for (int64_t i = 0; i < k * k; i++) {
        g[i] = 0;
        for (int64_t l = 0; l < k; l++)
            g[i] += a->m[l * k + i / k] * a->m[l * k + i % k];
    }
    for (int step = 0; step < 40; step++) { /* trace(G^(2^s))^(1/2^s) */
        double trace = 0;
        for (int64_t i = 0; i < k; i++)
            trace += g[i * k + i];
        scale += ldexp(log(trace), -step);
        for (int64_t i = 0; i < k * k; i++)
            g[i] /= trace;
        for (int64_t i = 0; i < k * k; i++) {
            h[i] = 0;
            for (int64_t l = 0; l < k; l++)
                h[i] += g[i / k * k + l] * g[l * k + i % k];
        }
        memcpy(g, h, (size_t)(k * k) * sizeof *g);
    }
    return exp(scale / 2);
}

static void bounds_hold_the_largest_value(void **state)
{
    fathom_context *context;
    (void)state;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < test_trials(60); trial++) {
        norm a = {.k = 1 + trial % MOST};
        const double gap = trial % 2 ? 1e-2 : 1e-5;
        double bound;
        fathom_random_normals(a.m, a.k * a.k, 5, FATHOM_STREAM_SAMPLE, 0, (uint64_t)(9 * trial));
        if (trial % 7 == 0) /* nearly all of it in one direction */
            for (int64_t j = 1; j < a.k; j++)
                a.m[j] = a.m[0] * (double)j * 1e-3;
        assert_ok(context,
                  fathom_sphere_bound(&bound, context, a.k, NULL, norm_of, &a, gap, &a.work, 1e6, NULL));
        const double truth = largest(&a);
        assert_true(bound >= truth * (1 - 1e-12));
        assert_true(bound <= truth * (1 + gap + 1e-11));
        const double values = a.work;
        a.work = 0; /* cut short it holds all the same */
        assert_ok(context,
                  fathom_sphere_bound(&bound, context, a.k, NULL, norm_of, &a, gap, &a.work, 4, NULL));
        assert_true(bound >= truth * (1 - 1e-12) && a.work <= fmax(4, (double)a.k));
        assert_true(values <= (a.k == 1 ? 1 : a.k == 2 ? 60 : 4000));
    }
    fathom_context_free(context);
}

/* A cover as a certificate has it: its directions, and the piece that is read next. */
typedef struct cover {
    const fathom_proof *proof;
    const norm *a;
    double at[400][MOST];
    int64_t next, found;
} cover;

static double determinant(const double *const *g, int64_t k)
{
    if (k == 1)
        return g[0][0];
    if (k == 2)
        return g[0][0] * g[1][1] - g[0][1] * g[1][0];
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += g[0][c] * (g[1][(c + 1) % 3] * g[2][(c + 2) % 3] - g[1][(c + 2) % 3] * g[2][(c + 1) % 3]);
    return sum;
}

/* Whether c is a combination of the corners with no negative weight. */
static bool inside(double corner[MOST][MOST], const double *c, int64_t k)
{
    const double *g[MOST];
    bool all = true;
    for (int64_t e = 0; e < k; e++)
        g[e] = corner[e];
    const double whole = determinant(g, k);
    for (int64_t e = 0; e < k; e++) {
        g[e] = c;
        all = all && determinant(g, k) / whole >= -1e-9;
        g[e] = corner[e];
    }
    return all;
}

/* Reads the pieces of a cone of these directions up to signs; where c lies in one, its majorant is above the norm. */
static void walk(cover *w, int64_t corner[MOST], int sign[MOST], const double *c)
{
    const int64_t k = w->a->k, piece = w->next++, middle = w->proof->bisect[piece];
    if (middle < 0) {
        double g[MOST][MOST], above, product = 0;
        for (int64_t e = 0; e < k * k; e++)
            g[e / k][e % k] = sign[e / k] * w->at[corner[e / k]][e % k];
        for (int64_t e = 0; e < k; e++)
            product += w->proof->majorant[piece * k + e] * c[e];
        norm copy = *w->a;
        norm_of(&above, &copy, c);
        if (inside(g, c, k)) {
            w->found++;
            assert_true(product >= above * (1 - 1e-9));
        }
        return;
    }
    for (int half = 0; half < 2; half++) {
        int64_t parts[MOST];
        int signs[MOST];
        memcpy(parts, corner, sizeof parts);
        memcpy(signs, sign, sizeof signs);
        for (int64_t e = 0; e < k; e++)
            if (corner[e] == w->proof->parent[2 * (middle - k) + half]) {
                parts[e] = middle;
                signs[e] = sign[e] * (w->proof->share[2 * (middle - k) + half] > 0 ? 1 : -1);
            }
        walk(w, parts, signs, c);
    }
}

static void covers_are_told(void **state)
{
    fathom_context *context;
    (void)state;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < test_trials(20); trial++) {
        norm a = {.k = 1 + trial % MOST};
        const double slanted[] = {1, 0, 0.5, sqrt(0.75)}, *axis = trial % 6 == 1 ? slanted : NULL;
        double bound, most = 0, c[MOST];
        fathom_proof *proof;
        assert_ok(context, fathom_proof_create(&proof, context, 1, 1, a.k));
        fathom_random_normals(a.m, a.k * a.k, 6, FATHOM_STREAM_SAMPLE, 0, (uint64_t)(9 * trial));
        assert_ok(context,
                  fathom_sphere_bound(&bound, context, a.k, axis, norm_of, &a, 1e-3, &a.work, 300, proof));
        cover w = {.proof = proof, .a = &a};
        for (int64_t e = 0; e < a.k * a.k; e++)
            w.at[e / a.k][e % a.k] = axis ? axis[e] : e / a.k == e % a.k;
        for (int64_t e = 0; e < proof->corners * a.k; e++)
            for (int half = 0; half < 2; half++) {
                const int64_t k = e / a.k;
                w.at[a.k + k][e % a.k] +=
                    proof->share[2 * k + half] * w.at[proof->parent[2 * k + half]][e % a.k];
            }
        for (int64_t p = 0; p < proof->pieces; p++) {
            double square = 0;
            for (int64_t e = 0; e < a.k && proof->bisect[p] < 0; e++)
                square += proof->majorant[p * a.k + e] * proof->majorant[p * a.k + e];
            most = fmax(most, sqrt(square));
        }
        assert_true(fabs(most - bound) <= 1e-12 * bound);
        for (int64_t sample = 0; sample < 40; sample++) {
            fathom_random_normals(c, a.k, 8, FATHOM_STREAM_SAMPLE, 0, (uint64_t)(100 * trial + sample));
            w.found = w.next = 0;
            for (int64_t signs = 0; signs < INT64_C(1) << (a.k - 1); signs++)
                for (double side = 1; side >= -1; side -= 2) {
                    const int64_t start = w.next;
                    int64_t corner[MOST] = {0, 1, 2};
                    int sign[MOST] = {1, signs & 1 ? -1 : 1, signs & 2 ? -1 : 1};
                    double turned[MOST];
                    for (int64_t e = 0; e < a.k; e++)
                        turned[e] = side * c[e];
                    walk(&w, corner, sign, turned);
                    w.next = side > 0 ? start : w.next;
                }
            assert_true(w.found > 0 && w.next == proof->pieces);
        }
        fathom_proof_free(proof);
    }
    fathom_context_free(context);
}

/* |V'(Xu)_+|, and the output direction c that gives it. */
static double value_at(double *c, const fathom_objective *p, const double *v, const double *u)
{
    double square = 0;
    for (int64_t k = 0; k < p->outputs; k++) {
        c[k] = 0;
        for (int64_t i = 0; i < p->n; i++) {
            double t = 0;
            for (int64_t l = 0; l < p->d; l++)
                t += p->x[i * p->d + l] * u[l];
            c[k] += t > 0 ? v[k * p->n + i] * t : 0;
        }
        square += c[k] * c[k];
    }
    return sqrt(square);
}

/* The best of some starts of: c for u, then the best u for V c. A value that is attained. */
static double alternate(const fathom_objective *p, const double *v)
{
    double best = 0;
    for (uint64_t start = 0; start < 12; start++) {
        double u[4], c[MOST], w[ROWS], value = 0, before;
        fathom_random_normals(u, p->d, 6, FATHOM_STREAM_START, 0, 8 * start);
        const double length = sqrt(u[0] * u[0] + u[1] * u[1] + (p->d > 2 ? u[2] * u[2] : 0));
        for (int64_t l = 0; l < p->d; l++)
            u[l] /= length;
        do {
            before = value;
            value = value_at(c, p, v, u);
            best = fmax(best, value);
            for (int64_t i = 0; i < p->n; i++) {
                w[i] = 0;
                for (int64_t k = 0; k < p->outputs; k++)
                    w[i] += v[k * p->n + i] * c[k];
            }
            const fathom_price_problem one = {p->context, p->n, p->d, 1, p->x, w, false};
            const fathom_price_options options = {.gap = 1e-6, .excess = INFINITY};
            fathom_price_result result;
            assert_ok(p->context, fathom_price_bound(&result, u, &one, &options));
        } while (value > before * (1 + 1e-10) && value > 0);
    }
    return best;
}

static void prices_of_several_outputs(void **state)
{
    fathom_context *context;
    (void)state;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (int64_t trial = 0; trial < test_trials(8); trial++) {
        double x[ROWS * 3], v[ROWS * MOST], price, reach[ROWS];
        const int64_t d = 2 + trial % 2, o = 2 + trial / 2 % 2;
        const double gap = 1e-5;
        fathom_random_normals(x, ROWS * d, 7, FATHOM_STREAM_DATA, 0, (uint64_t)(100 * trial));
        fathom_random_normals(v, ROWS * o, 7, FATHOM_STREAM_LABEL, 0, (uint64_t)(100 * trial));
        for (int64_t i = 0; i < ROWS && trial % 5 == 0; i++) /* sums over outputs vanish, as for softmax */
            v[(o - 1) * ROWS + i] = o == 2 ? -v[i] : -v[i] - v[ROWS + i];
        for (int64_t i = 0; i < ROWS; i++)
            reach[i] = sqrt(x[i * d] * x[i * d] + x[i * d + 1] * x[i * d + 1] +
                            (d > 2 ? x[i * d + 2] * x[i * d + 2] : 0)) *
                       (1 + 1e-14);
        const fathom_objective p = {
            .context = context, .n = ROWS, .d = d, .outputs = o, .x = x, .reach = reach, .y = v, .beta = 1};
        assert_ok(context, fathom_global_outputs_price(&price, &p, &p, v, gap, 60));
        const double attained = alternate(&p, v);
        assert_true(price >= attained * (1 - 1e-12));
        assert_true(price <= attained * (1 + 2 * gap)); /* the gap of directions and that of each price */
        if (d == 2) {
            const fathom_price_problem all = {context, ROWS, d, o, x, v, false};
            const fathom_price_options options = {.excess = INFINITY};
            fathom_price_result exact;
            double u[3];
            assert_ok(context, fathom_price_bound(&exact, u, &all, &options));
            assert_true(price >= exact.lower * (1 - 1e-12) && price <= exact.upper * (1 + 2 * gap));
        }
    }
    fathom_context_free(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_the_largest_value),
                                       cmocka_unit_test(covers_are_told),
                                       cmocka_unit_test(prices_of_several_outputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
