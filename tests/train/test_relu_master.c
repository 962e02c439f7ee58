/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of fixed directions: the duality gap over these, recomputed from the data, and an objective that never rises. */
#include "relu_network.h"
#include "testing.h"

#include <math.h>
#include <string.h>

#include "memory.h"
#include "random.h"

enum { POINTS = 60, COLUMNS = 4, DIRECTIONS = 25 };

/* Relative; weights are settled to 1e-9 of the outputs, and the price of the dual point is off in proportion. */
static const double GAP = 1e-6;

typedef struct master_case {
    fathom_train_problem problem;
    fathom_train_options options;
    double x[POINTS * COLUMNS], y[POINTS], weight[POINTS], reach[POINTS];
} master_case;

/* Gaussian points; targets that a plane does not fit, or labels; every third seed weighted, every fourth far from the origin. */
static void make_case(master_case *c, fathom_context *context, fathom_loss loss, uint64_t seed)
{
    fathom_options_init(&c->options, &fathom_train_option_table);
    c->problem = (fathom_train_problem){.context = context,
                                        .options = &c->options,
                                        .n = POINTS,
                                        .d = COLUMNS,
                                        .outputs = 1,
                                        .x = c->x,
                                        .y = c->y,
                                        .reach = c->reach,
                                        .weight = seed % 3 ? NULL : c->weight,
                                        .loss = loss,
                                        .divisor = 1};
    fathom_random_normals(c->x, POINTS * COLUMNS, seed, FATHOM_STREAM_START, 0, 0);
    fathom_random_normals(c->y, POINTS, seed, FATHOM_STREAM_START, 1, 0);
    for (int64_t i = 0; i < POINTS; i++) {
        c->x[i * COLUMNS] += seed % 4 ? 0 : 20;
        c->reach[i] = 100; /* above all |x_i| */
        c->weight[i] = 0.5 + (double)(i % 5);
        c->y[i] += fabs(c->x[i * COLUMNS]);
        c->y[i] = loss == FATHOM_LOSS_LOGISTIC ? (c->y[i] > (seed % 4 ? 1 : 21) ? 1 : -1) : c->y[i];
    }
}

/* Direction j, |u| = 1. */
static void direction(double *u, uint64_t seed, uint64_t j)
{
    double square = 0;
    fathom_random_normals(u, COLUMNS, seed, FATHOM_STREAM_START, 2, j * COLUMNS);
    for (int l = 0; l < COLUMNS; l++)
        square += u[l] * u[l];
    for (int l = 0; l < COLUMNS; l++)
        u[l] /= sqrt(square);
}

static void add_directions(fathom_relu_network *net, fathom_context *context, uint64_t seed)
{
    for (uint64_t j = 0; j < DIRECTIONS; j++) {
        double u[COLUMNS];
        const double w = j % 2 ? -1 : 1;
        direction(u, seed, j);
        assert_ok(context, fathom_relu_network_add(net, u, 0, &w));
    }
}

/* The largest |sum_i relu(x_i'u_j) r_i| over all directions, those that left included. */
static double largest_price(const master_case *c, const double *residual, uint64_t seed)
{
    double largest = 0;
    for (uint64_t j = 0; j < DIRECTIONS; j++) {
        double u[COLUMNS], price = 0;
        direction(u, seed, j);
        for (int64_t i = 0; i < POINTS; i++) {
            double t = 0;
            for (int l = 0; l < COLUMNS; l++)
                t += c->x[i * COLUMNS + l] * u[l];
            price += t > 0 ? t * residual[i] : 0;
        }
        largest = fmax(largest, fabs(price));
    }
    return largest;
}

static void try_case(fathom_loss loss, uint64_t seed)
{
    static master_case c;
    fathom_context *context;
    fathom_relu_network net;
    double value, norm;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    make_case(&c, context, loss, seed);
    assert_ok(context, fathom_relu_network_open(&net, &c.problem, seed % 2 ? 0.05 : 3));
    add_directions(&net, context, seed);
    assert_ok(context, fathom_relu_network_refresh(&net));
    const double before = fathom_relu_network_objective(&net, &value, &norm);
    assert_ok(context, fathom_relu_network_reweight(&net));
    assert_ok(context, fathom_relu_network_refresh(&net));
    const double after = fathom_relu_network_objective(&net, &value, &norm);
    const fathom_objective problem = fathom_relu_network_problem(&net);
    const double lower =
        fathom_objective_bound(&problem, net.residual, largest_price(&c, net.residual, seed));
    assert_true(after <= before && net.m <= DIRECTIONS);
    if (!(lower <= after && after - lower <= GAP * after))
        fail_msg("loss %d, seed %d: [%.17g, %.17g]", (int)loss, (int)seed, lower, after);
    fathom_relu_network_close(&net);
    fathom_context_free(context);
}

static void weights_are_optimal(void **state)
{
    (void)state;
    for (int64_t seed = 1; seed <= test_trials(24); seed++) {
        try_case(FATHOM_LOSS_SQUARED, (uint64_t)seed);
        try_case(FATHOM_LOSS_LOGISTIC, (uint64_t)seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(weights_are_optimal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
