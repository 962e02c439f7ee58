/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The price of several outputs, p(V) = max over |c| = 1 of q(c), from prices q(c) = p(V c) of directions c (docs/reference/certificate.md, Sec. 5).
 *
 * q is a norm. Alone, the prices P_k of the outputs give q(c) <= sum_k |c_k| P_k <= |P|. Otherwise cones cover all directions up to their sign:
 * those of (a_1, +-a_2, ..), and with a cone of corners g_1, g_2, .. also its two parts, where one of g_i, g_j becomes a g_i + b g_j, a, b > 0.
 * The axes a_k are e_k, or e_k - e_o where rows of V sum to 0 (softmax) and c without its mean has the same price and is no longer.
 * In a cone of which <l, g_k> >= q(g_k) for all k, q(c) <= sum_k mu_k q(g_k) <= <l, c> <= |l| for c = sum_k mu_k g_k, mu >= 0, |c| = 1.
 * A fan has the cones of (+-a_1, +-a_2, ..): q is then the price of one side, which is sublinear, and -g has the price of the other side of g.
 */
#include <string.h>

#include "checker.h"

enum { DEEPEST = 1000 }; /* cones within cones */

typedef struct corner {
    num *at;           /* outputs */
    num price[2];      /* of V at, its sides + and -; of a cover the larger one twice */
    int64_t parent[2]; /* at = a at_i + b at_j, and the signs of a and b */
    int sign[2];
} corner;

/* A cone: its corners, up to their signs. */
typedef struct cone {
    int64_t *corner; /* count */
    int *sign;
    int64_t count;
} cone;

/* The evidence for the prices of a corner. */
static void read_prices(check *c, const train *t, corner *new, bool fan)
{
    check_direction(new->price, c, t, new->at);
    if (!fan)
        new->price[0] = new->price[1] =
            num_at_most(new->price[0], new->price[1]) ? new->price[1] : new->price[0];
}

/* "corner i j a b" and its prices. */
static void read_corner(check *c, const train *t, corner *list, int64_t k, bool fan)
{
    corner *new = list + k;
    for (int half = 0; half < 2; half++)
        new->parent[half] = check_integer(c, half ? NULL : "corner", 0, k - 1);
    const num *share = check_numbers(c, NULL, 2);
    new->at = check_alloc(c, c->data.outputs, sizeof *new->at);
    for (int half = 0; half < 2; half++) {
        new->sign[half] = num_sign(share[half]);
        for (int64_t e = 0; e < c->data.outputs; e++)
            num_mul_to(new->at + e, share[half], list[new->parent[half]].at[e]);
    }
    read_prices(c, t, new, fan);
}

/* The largest |l|^2 over the parts of a cone. */
static num read_cone(check *c, const corner *list, int64_t corners, const cone *g, int depth)
{
    const int64_t o = c->data.outputs;
    num largest = {0}, t = {0};
    if (!check_line_is(c, "bisect")) {
        const num *l = check_numbers(c, "piece", o);
        for (int64_t k = 0; k < g->count; k++) {
            num_dot(&t, l, list[g->corner[k]].at, o);
            need(c, num_at_most(list[g->corner[k]].price[g->sign[k] < 0], num_times(t, g->sign[k])),
                 "corner %lld of this piece has a larger price", (long long)k);
        }
        num_dot(&largest, l, l, o);
        return largest;
    }
    const int64_t at = check_integer(c, "bisect", g->count, corners - 1);
    int64_t place[2] = {-1, -1};
    for (int64_t k = 0; k < 2 * g->count; k++)
        if (g->corner[k / 2] == list[at].parent[k % 2])
            place[k % 2] = k / 2;
    check_that(c, 6, depth < DEEPEST, "cones are nested too deeply");
    need(c, place[0] >= 0 && place[1] >= 0, "the corner is not on an edge of this piece");
    const int turn = g->sign[place[0]] * list[at].sign[0];
    need(c, turn * g->sign[place[1]] * list[at].sign[1] > 0, "the corner is not between two of this piece");
    for (int half = 0; half < 2; half++) {
        const int64_t old = g->corner[place[half]];
        const int sign = g->sign[place[half]];
        g->corner[place[half]] = at;
        g->sign[place[half]] = turn;
        t = read_cone(c, list, corners, g, depth + 1);
        largest = num_at_most(t, largest) ? largest : t;
        g->corner[place[half]] = old;
        g->sign[place[half]] = sign;
    }
    return largest;
}

/* The cones of all axes with their signs, that of the first axis too in a fan: the largest |l|^2. */
static num read_cover(check *c, const corner *list, int64_t axes, int64_t corners, bool fan)
{
    const cone g = {check_alloc(c, c->data.outputs, sizeof *g.corner),
                    check_alloc(c, c->data.outputs, sizeof *g.sign), axes};
    num largest = {0};
    check_that(c, 6, axes < 32, "there are too many cones of axes");
    for (int64_t signs = 0; signs < INT64_C(1) << axes; signs += fan ? 1 : 2) {
        for (int64_t k = 0; k < axes; k++) {
            g.corner[k] = k;
            g.sign[k] = signs >> k & 1 ? -1 : 1;
        }
        const num one = read_cone(c, list, corners, &g, 0);
        largest = num_at_most(one, largest) ? largest : one;
    }
    return largest;
}

void check_trees(check *c, const train *t)
{
    const int64_t o = c->data.outputs;
    const bool fan = check_line_is(c, "fan"), covered = fan || check_line_is(c, "cover"),
               differences = covered && check_choice(c, fan ? "fan" : "cover", "outputs differences");
    const int64_t axes = o - differences,
                  corners = axes + (covered ? check_integer(c, NULL, 0, (int64_t)strlen(c->rest)) : 0);
    corner *list = check_alloc(c, corners, sizeof *list);
    num square = {0};
    need(c, axes > 0 && (!differences || t->loss == LOSS_SOFTMAX), "differences are for softmax");
    for (int64_t k = 0; k < axes; k++) {
        list[k].at = check_alloc(c, o, sizeof *list->at);
        list[k].at[o - 1] = num_real(-differences);
        list[k].at[k] = num_real(1);
        read_prices(c, t, list + k, fan);
        num_mul_to(&square, list[k].price[0], list[k].price[0]);
    }
    for (int64_t k = axes; k < corners; k++)
        read_corner(c, t, list, k, fan);
    check_price(c, t, covered ? read_cover(c, list, axes, corners, fan) : square, num_real(1));
}
