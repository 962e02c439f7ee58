/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of losses in balls, rounded up, and beside dual points: the value is that of doubles; l(f) + l*(-v) + vf is at least 0
 * and 0 at the slope; outside the domain nothing is said; a value rounded up is above the loss of all outputs that are near. */
#include <float.h>

#include "loss_exact.h"
#include "objective.h"
#include "random.h"
#include "testing.h"

enum { O = 3 };

static const struct {
    fathom_loss loss;
    double parameter;
} kinds[] = {{FATHOM_LOSS_SQUARED, 0},   {FATHOM_LOSS_LOGISTIC, 0}, {FATHOM_LOSS_HINGE, 0},
             {FATHOM_LOSS_SOFTMAX, 0},   {FATHOM_LOSS_HUBER, 0.4},  {FATHOM_LOSS_ABSOLUTE, 0},
             {FATHOM_LOSS_QUANTILE, 0.1}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* One example: outputs, targets, weight, and a dual point on the way from 0 to the slope's. */
typedef struct {
    const fathom_loss_row *row;
    fathom_objective problem;
    double f[O], y[O], v[O], weight;
} example;

static void draw(example *a, int kind, uint32_t trial)
{
    double z[3 * O];
    fathom_random_normals(z, 3 * O, 11, FATHOM_STREAM_TEST_DATA, trial, 0);
    a->row = fathom_loss_row_of(kinds[kind].loss);
    a->weight = exp(z[0]);
    const int64_t outputs = a->row->simplex ? O : 1;
    a->problem = (fathom_objective){.n = 1,
                                    .outputs = outputs,
                                    .loss = kinds[kind].loss,
                                    .box = fathom_loss_box_of(kinds[kind].loss, kinds[kind].parameter),
                                    .y = a->y,
                                    .weight = &a->weight,
                                    .divisor = 1};
    for (int64_t k = 0; k < outputs; k++) {
        a->f[k] = 3 * z[O + k];
        a->y[k] = a->row->simplex ? k == trial % O : a->row->signs ? (z[2 * O] > 0 ? 1 : -1) : z[2 * O + k];
    }
    a->row->residual(a->v, &a->problem, a->f, 0, 0);
}

/* The loss of outputs f in balls, without the weight: its lower (side < 0) or upper end. */
static double loss_of(const example *a, const double *f, int side)
{
    arb_ptr at = _arb_vec_init(O);
    arb_t sum;
    arb_init(sum);
    set_all(at, f, a->problem.outputs);
    a->row->exact->value(sum, a->row, &a->problem.box, at, a->y, a->problem.outputs);
    const double end = end_of(sum, side);
    _arb_vec_clear(at, O);
    arb_clear(sum);
    return end;
}

/* sum_k -c l*(-s v_k / c), s v_k exactly; false outside the domain. */
static bool dual_of(arb_t sum, const example *a, double s)
{
    bool inside = true;
    arb_t w, t;
    arb_init(w), arb_init(t);
    arb_zero(sum);
    for (int64_t k = 0; k < a->problem.outputs && inside; k++) {
        arb_set_d(w, s);
        arb_set_d(t, a->v[k]);
        arb_mul(w, w, t, ARF_PREC_EXACT);
        inside = a->row->exact->add_dual(sum, a->row, &a->problem.box, w, a->y[k], a->weight);
    }
    arb_clear(w), arb_clear(t);
    return inside;
}

static void values(void **state)
{
    (void)state;
    example a;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(200); trial++)
        for (int kind = 0; kind < KINDS; kind++) {
            draw(&a, kind, trial);
            const double value = a.row->point(&a.problem, a.f, 0, 0), size = 1 + fabs(a.f[0]) + fabs(a.y[0]);
            assert_true(loss_of(&a, a.f, 1) >= loss_of(&a, a.f, -1));
            assert_true(fabs(value - loss_of(&a, a.f, 1)) <= 64 * DBL_EPSILON * (fabs(value) + size * size));
        }
}

static void rounded_up(void **state)
{
    (void)state;
    example a;
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(200); trial++)
        for (int kind = 0; kind < KINDS; kind++) {
            draw(&a, kind, trial);
            for (double e = 0x1p-52; e < 1; e *= 0x1p10) {
                const double above = a.row->above(&a.problem, a.f, 0, e);
                double near[O];
                for (int corner = 0; corner < 8; corner++) {
                    for (int k = 0; k < O; k++) /* 7/8: f +- e is rounded itself */
                        near[k] = a.f[k] + (corner >> k & 1 ? e : -e) * 0.875;
                    assert_true(above >= loss_of(&a, near, 1));
                }
                const double loss = loss_of(&a, a.f, 1), size = 1 + loss + fabs(a.f[0]) + fabs(a.y[0]);
                assert_true(above <= loss + 4 * (e + 64 * DBL_EPSILON) *
                                                size); /* and no further than slopes make it */
            }
        }
}

static void pairs(void **state)
{
    (void)state;
    example a;
    arb_t dual;
    arb_init(dual);
    for (uint32_t trial = 0; trial < (uint32_t)test_trials(200); trial++)
        for (int kind = 0; kind < KINDS; kind++) {
            draw(&a, kind, trial);
            double least = INFINITY, product = 0;
            for (int64_t k = 0; k < a.problem.outputs; k++)
                product += a.v[k] * a.f[k];
            for (int part = 0; part <= 8;
                 part++) { /* (1 - 2^-40) v is inside where v is on the boundary to rounding */
                const double s = part / 8.0 * (1 - 0x1p-40);
                double v[O];
                for (int64_t k = 0; k < a.problem.outputs; k++)
                    v[k] = s * a.v[k];
                const fathom_loss_pair at = {.f = a.f,
                                             .y = a.y,
                                             .v = v,
                                             .outputs = a.problem.outputs,
                                             .step = 1,
                                             .weight = a.weight,
                                             .box = &a.problem.box};
                assert_true(dual_of(dual, &a, s));
                const double lost = a.weight * loss_of(&a, a.f, 1) - end_of(dual, -1) + s * product;
                const double size = a.weight * (1 + loss_of(&a, a.f, 1)) + fabs(product) +
                                    fabs(end_of(dual, -1)) + a.weight * a.y[0] * a.y[0];
                const double rounding = 256 * DBL_EPSILON * size;
                assert_true(lost >= -rounding);
                assert_true(fabs(lost - a.row->slack(a.row, &at)) <= rounding);
                least = fmin(least, lost / size);
            }
            assert_true(least <= 0x1p-36); /* at the slope both sides meet; s is 2^-40 short of it */
            if (!a.row->numbers || a.row->boxed) {
                const double far = 4 * a.weight / (fabs(a.v[0]) > 0 ? fabs(a.v[0]) : INFINITY);
                assert_true(a.v[0] == 0 || !dual_of(dual, &a, far));
            }
        }
    arb_clear(dual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(rounded_up),
                                       cmocka_unit_test(pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
