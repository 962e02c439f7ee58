/* SPDX-License-Identifier: Apache-2.0 */
/* Branching on signs: never below the true price, at it when nothing is left to split; the same tree for all thread counts. */
#include "testing.h"

#include <string.h>

#include "joint_internal.h"
#include "price_brute.h"
#include "random.h"
#include "sign_tree.h"

enum { POINTS = 40, DIM = 6 };

typedef struct instance {
    fathom_objective problem;
    double x[POINTS * DIM], y[POINTS], reach[POINTS], v[POINTS];
} instance;

static void make(instance *a, fathom_context *context, int64_t n, int64_t d, uint32_t trial)
{
    fathom_random_normals(a->x, n * d, 21, FATHOM_STREAM_START, trial, 0);
    fathom_random_normals(a->y, n, 22, FATHOM_STREAM_START, trial, 0);
    for (int64_t k = 0; trial % 4 == 3 && k < n * d; k++)
        a->x[k] = round(a->x[k]); /* ties, duplicates, zero rows */
    for (int64_t i = 0; i < n; i++) {
        double square = 0;
        for (int64_t l = 0; l < d; l++)
            square += a->x[i * d + l] * a->x[i * d + l];
        a->reach[i] = sqrt(square) * (1 + 8 * UNIT_ROUNDOFF);
        a->v[i] = a->y[i];
    }
    a->problem = (fathom_objective){.context = context,
                                    .n = n,
                                    .d = d,
                                    .outputs = 1,
                                    .x = a->x,
                                    .reach = a->reach,
                                    .loss = FATHOM_LOSS_SQUARED,
                                    .y = a->y,
                                    .beta = 0.5};
}

static void open_tree(fathom_sign_tree *tree, const instance *a)
{
    fathom_joint *joint;
    assert_ok(a->problem.context, fathom_joint_create(&joint, &a->problem, a->v, 8));
    assert_ok(a->problem.context, fathom_sign_tree_open(tree, &a->problem, joint));
    assert_ok(a->problem.context, fathom_sign_tree_move(tree, a->v));
    fathom_joint_free(joint);
}

/* At every stage the price is at least p(v); at the end it is p(v) to the accuracy of multipliers in single precision. */
static void assert_closes(fathom_sign_tree *tree, const instance *a, uint32_t trial)
{
    const double p = brute_price(a->problem.n, a->problem.d, a->x, a->v);
    for (int k = 0; k < 40; k++) {
        assert_true(fathom_sign_tree_price(tree) >= p);
        assert_ok(a->problem.context, fathom_sign_tree_grow(tree, p * (1 + 1e-6), 8, 1e9));
    }
    if (!(fathom_sign_tree_price(tree) <= p * (1 + 2e-6)))
        print_error("trial %u: price %.12g, bound %.12g\n", trial, p, fathom_sign_tree_price(tree));
    assert_true(fathom_sign_tree_price(tree) <= p * (1 + 2e-6));
}

static void closes_on_the_price(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint32_t trial = 0; trial < test_trials(60); trial++) {
        instance a;
        fathom_sign_tree tree;
        make(&a, context, 7, 2 + trial % 2, trial);
        open_tree(&tree, &a);
        assert_closes(&tree, &a, trial);
        fathom_sign_tree_close(&tree);
    }
    fathom_context_free(context);
}

/* The same after moves to dual points of other signs: weights that became negative need multipliers as well. */
static void closes_after_moves(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    for (uint32_t trial = 0; trial < test_trials(40); trial++) {
        instance a;
        fathom_sign_tree tree;
        make(&a, context, 8, 2 + trial % 2, trial);
        open_tree(&tree, &a);
        assert_ok(context, fathom_sign_tree_grow(&tree, 0, 20, 1e9));
        for (uint32_t move = 1; move < 4; move++) {
            fathom_random_normals(a.v, a.problem.n, 24, FATHOM_STREAM_START, trial, move * 100);
            assert_ok(context, fathom_sign_tree_move(&tree, a.v));
            assert_closes(&tree, &a, trial);
        }
        fathom_sign_tree_close(&tree);
    }
    fathom_context_free(context);
}

/* The leaves of both trees cover the ball: a random direction lies in exactly one leaf of each, and its value is at most
 * that leaf's bound. */
static void leaves_bound_their_part(void **state)
{
    (void)state;
    fathom_context *context;
    assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
    instance a;
    fathom_sign_tree tree;
    make(&a, context, POINTS, DIM, 1);
    open_tree(&tree, &a);
    assert_ok(context, fathom_sign_tree_grow(&tree, 0, 60, 1e9));
    assert_true(tree.nodes > 40);
    for (uint32_t trial = 0; trial < test_trials(2000); trial++) {
        double u[DIM], norm = 0;
        fathom_random_normals(u, DIM, 23, FATHOM_STREAM_START, trial, 0);
        for (int l = 0; l < DIM; l++)
            norm += u[l] * u[l];
        for (int l = 0; l < DIM; l++)
            u[l] /= sqrt(norm);
        const double value = brute_value(POINTS, DIM, a.x, a.v, u);
        int hits[2] = {0, 0};
        for (int64_t k = 0; k < tree.nodes; k++) {
            bool inside = tree.node[k].leaf;
            for (int64_t at = k; inside && tree.node[at].parent >= 0; at = tree.node[at].parent) {
                double t = 0;
                for (int l = 0; l < DIM; l++)
                    t += a.x[tree.node[at].point * DIM + l] * u[l];
                inside = (t > 0 ? 1 : -1) == tree.node[at].sign;
            }
            if (!inside)
                continue;
            hits[tree.node[k].side]++;
            assert_true((tree.node[k].side ? -value : value) <= tree.node[k].bound);
        }
        assert_int_equal(hits[0], 1);
        assert_int_equal(hits[1], 1);
    }
    fathom_sign_tree_close(&tree);
    fathom_context_free(context);
}

/* The same bits for one and two threads. */
static void same_tree_for_every_thread_count(void **state)
{
    (void)state;
    double price[2];
    int64_t nodes[2];
    for (int k = 0; k < 2; k++) {
        fathom_context *context;
        instance a;
        fathom_sign_tree tree;
        assert_int_equal(fathom_context_create(&context, NULL), FATHOM_OK);
        fathom_context_set_threads(context, k + 1);
        make(&a, context, 30, 5, 2);
        open_tree(&tree, &a);
        assert_ok(context, fathom_sign_tree_grow(&tree, 0, 40, 1e9));
        price[k] = fathom_sign_tree_price(&tree);
        nodes[k] = tree.nodes;
        fathom_sign_tree_close(&tree);
        fathom_context_free(context);
    }
    assert_true(price[0] == price[1]);
    assert_int_equal(nodes[0], nodes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closes_on_the_price),
        cmocka_unit_test(closes_after_moves),
        cmocka_unit_test(leaves_bound_their_part),
        cmocka_unit_test(same_tree_for_every_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
