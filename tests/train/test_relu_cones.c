/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReLU networks with several outputs on given gates, judged from raw data; states that are resumed; selected networks.
 */
#include "on_cones.h"

/* At least max {<p, u> : u in the gate's cone, |u| <= 1}: |p + sum_i mu_i s_i x_i| for mu >= 0 by coordinate descent, the largest
 * step of a sweep first below `accuracy`. */
static double naive_price(const instance *s, const uint64_t *open, const double *p, double accuracy)
{
    double *mu = calloc((size_t)s->n, sizeof *mu), r[16], norm = 0, largest = INFINITY;
    assert_true(s->d <= 16);
    memcpy(r, p, (size_t)s->d * sizeof *r);
    for (int sweep = 0; sweep < 100000 && largest > accuracy; sweep++) {
        largest = 0;
        for (int64_t i = 0; i < s->n; i++) {
            const double side = (open[i / 64] >> (i % 64)) & 1 ? 1 : -1, *x = s->x + i * s->d;
            double inner = 0, square = 0;
            for (int64_t k = 0; k < s->d; k++) {
                inner += side * x[k] * r[k];
                square += x[k] * x[k];
            }
            const double step = fmax(-inner / square, -mu[i]);
            mu[i] += step;
            for (int64_t k = 0; k < s->d; k++)
                r[k] += step * side * x[k];
            largest = fmax(largest, fabs(step) * sqrt(square));
        }
    }
    for (int64_t k = 0; k < s->d; k++)
        norm += r[k] * r[k];
    free(mu);
    return sqrt(norm);
}

/* The largest naive price over all gates and both signs at v, n numbers `stride` apart. */
static double naive_prices(const instance *s, const fathom_gates_view *view, const double *v, int64_t stride)
{
    double most = 0, p[16];
    for (int64_t g = 0; g < view->m; g++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const uint64_t *open = view->bits + g * view->words;
            memset(p, 0, sizeof p);
            for (int64_t i = 0; i < s->n; i++)
                for (int64_t k = 0; k < s->d; k++)
                    if ((open[i / 64] >> (i % 64)) & 1)
                        p[k] += sign * v[i * stride] * s->x[i * s->d + k];
            most = fmax(most, naive_price(s, open, p, 1e-10));
        }
    return most;
}

enum { ROWS = 60, CLASSES = 3 };

/* Three classes, and gates for them. */
static void open_classes(instance *s, fathom_gates **gates)
{
    open_instance(s, ROWS, 3, 31, false, true, NULL);
    for (int64_t i = 0; i < ROWS; i++)
        s->y[i] = s->x[i * 3] > 0.5 ? 2 : s->y[i] > 0 ? 1 : 0;
    fathom_data_free(s->data);
    assert_ok(s->context,
              fathom_data_create(&s->data, s->context, ROWS, 3, s->x, 3, 1, s->y, s->weight, NULL));
    assert_ok(s->context, fathom_gates_sample(gates, s->context, s->data, 15));
}

/* Softmax: the gap once more from U, W and the data. v = c (Y - P), scaled until no gate's price in any output exceeds beta. */
static void test_softmax_gap_recomputed_from_raw_data(void **state)
{
    (void)state;
    instance s;
    fathom_gates *gates;
    fathom_train_result result;
    open_classes(&s, &gates);
    const fathom_gates_view view = fathom_gates_look(gates);
    fathom_train_options options = cone_options(FATHOM_TRAIN_LOGISTIC, 0.5, NULL);
    assert_ok(s.context, fathom_train(&result, s.context, s.data, gates, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);
    assert_int_equal(result.kind, FATHOM_LOSS_SOFTMAX);
    check_patterns(&s, &result, &view);
    const fathom_net_weights net = fathom_net_lend(result.net);
    double v[ROWS * CLASSES] = {0}, objective = 0, price = 0, bound = 0;
    for (int64_t j = 0; j < result.neurons; j++) {
        double norm = 0, most = 0, all = 0;
        for (int64_t k = 0; k < 3; k++)
            norm += net.u[j * 3 + k] * net.u[j * 3 + k];
        for (int64_t k = 0; k < CLASSES; k++) {
            most = fmax(most, fabs(net.w[j * CLASSES + k]));
            all += fabs(net.w[j * CLASSES + k]);
        }
        assert_true(most == all); /* one output each */
        objective += result.beta * sqrt(norm) * most;
        for (int64_t i = 0; i < ROWS; i++) {
            double t = 0;
            for (int64_t k = 0; k < 3; k++)
                t += net.u[j * 3 + k] * s.x[i * 3 + k];
            for (int64_t k = 0; k < CLASSES; k++)
                v[i * CLASSES + k] += net.w[j * CLASSES + k] * fmax(t, 0);
        }
    }
    for (int64_t i = 0; i < ROWS; i++) { /* f becomes v */
        double *f = v + i * CLASSES, sum = 0;
        for (int64_t k = 0; k < CLASSES; k++)
            sum += exp(f[k]);
        objective += s.weight[i] * (log(sum) - f[(int)s.y[i]]);
        for (int64_t k = 0; k < CLASSES; k++)
            f[k] = s.weight[i] * ((k == (int)s.y[i]) - exp(f[k]) / sum);
    }
    for (int64_t k = 0; k < CLASSES; k++)
        price = fmax(price, naive_prices(&s, &view, v + k, CLASSES));
    const double scale = fmin(1, result.beta / price);
    for (int64_t i = 0; i < ROWS * CLASSES; i++) {
        const double weight = s.weight[i / CLASSES];
        const double q = (i % CLASSES == (int)s.y[i / CLASSES]) - scale * v[i] / weight;
        bound -= q > 0 ? weight * q * log(q) : 0;
    }
    assert_close(objective, result.objective, 1e4 * UNIT_ROUNDOFF * objective);
    assert_true((objective - bound) / objective <= 2 * options.gap);
    assert_true(result.lower_bound <= objective * (1 + 1e4 * UNIT_ROUNDOFF));
    fathom_train_result_clear(&result);
    fathom_gates_free(gates);
    close_instance(&s);
}

/* Squared loss on two outputs, each neuron feeding one: two programs side by side. */
static void test_outputs_are_programs_side_by_side(void **state)
{
    (void)state;
    instance s;
    fathom_gates *gates;
    fathom_data *both, *one;
    fathom_train_result result, part;
    double y[2 * 50], half[50], sum = 0, below = 0;
    open_instance(&s, 50, 4, 13, false, false, NULL);
    for (int64_t i = 0; i < 50; i++) {
        y[2 * i] = s.y[i];
        y[2 * i + 1] = sin(3 * s.x[4 * i]) + s.x[4 * i + 1];
    }
    assert_ok(s.context, fathom_gates_sample(&gates, s.context, s.data, 25));
    const fathom_train_options options = cone_options(FATHOM_TRAIN_SQUARED, 0.7, NULL);
    assert_ok(s.context, fathom_data_create(&both, s.context, 50, 4, s.x, 4, 2, y, NULL, NULL));
    assert_ok(s.context, fathom_train(&result, s.context, both, gates, &options));
    assert_int_equal(result.status, FATHOM_TRAIN_ON_GATES);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < 50; i++)
            half[i] = y[2 * i + k];
        assert_ok(s.context, fathom_data_create(&one, s.context, 50, 4, s.x, 4, 1, half, NULL, NULL));
        assert_ok(s.context, fathom_train(&part, s.context, one, gates, &options));
        sum += part.objective;
        below += part.lower_bound;
        fathom_train_result_clear(&part);
        fathom_data_free(one);
    }
    assert_true(result.lower_bound <= sum && below <= result.objective);
    assert_close(result.objective, sum, 2 * options.gap * sum);
    fathom_train_result_clear(&result);
    fathom_data_free(both);
    fathom_gates_free(gates);
    close_instance(&s);
}

static bool stop_at_third_round(void *user, const fathom_progress *progress)
{
    (void)user;
    return progress->iteration >= 2;
}

/* A run that is interrupted, and resumed from its checkpoint, ends with the bits of one that was not. */
static void check_resume(const instance *s, const fathom_gates *gates, fathom_train_options options)
{
    fathom_train_result whole, part, resumed;
    fathom_context *fresh;
    const char *path = "test_train_cones_checkpoint.npz";
    assert_ok(s->context, fathom_train(&whole, s->context, s->data, gates, &options));
    options.checkpoint = path;
    fathom_context_set_progress(s->context, stop_at_third_round, NULL);
    assert_ok(s->context, fathom_train(&part, s->context, s->data, gates, &options));
    assert_int_equal(part.end, FATHOM_END_INTERRUPTED);
    options.checkpoint = NULL;
    options.resume = path;
    assert_ok(NULL, fathom_context_create(&fresh, NULL));
    assert_ok(fresh, fathom_train(&resumed, fresh, s->data, gates, &options));
    assert_memory_equal(&whole.lower_bound, &resumed.lower_bound, sizeof(double));
    assert_int_equal(whole.neurons, resumed.neurons);
    assert_int_equal(whole.iterations, resumed.iterations);
    assert_memory_equal(fathom_net_lend(whole.net).u, fathom_net_lend(resumed.net).u,
                        (size_t)(whole.neurons * s->d) * sizeof(double));
    fathom_train_result_clear(&resumed);
    options.beta *= 2;
    assert_int_equal(fathom_train(&resumed, fresh, s->data, gates, &options), FATHOM_ERROR_INPUT);
    fathom_train_result_clear(&whole);
    fathom_train_result_clear(&part);
    fathom_context_free(fresh);
    remove(path);
}

static void test_resumed_runs_give_the_same_bits(void **state)
{
    (void)state;
    for (int loss = FATHOM_TRAIN_SQUARED; loss <= FATHOM_TRAIN_HINGE; loss++) {
        instance s;
        fathom_gates *gates;
        if (loss == FATHOM_TRAIN_LOGISTIC)
            open_classes(&s, &gates);
        else {
            open_instance(&s, 60, 3, 31, loss == FATHOM_TRAIN_HINGE, false, NULL);
            assert_ok(s.context, fathom_gates_sample(&gates, s.context, s.data, 15));
        }
        check_resume(&s, gates, cone_options((fathom_train_loss)loss, 0.2, NULL));
        fathom_gates_free(gates);
        close_instance(&s);
    }
}

/* Selected networks have the same outputs and objective, to the gap; the sparse one has no more neurons than any. */
static void test_selected_networks_are_optimal_too(void **state)
{
    (void)state;
    instance s;
    fathom_gates *gates;
    fathom_train_result any, sparse, least;
    open_classes(&s, &gates);
    fathom_train_options options = cone_options(FATHOM_TRAIN_LOGISTIC, 0.05, NULL);
    assert_ok(s.context, fathom_train(&any, s.context, s.data, gates, &options));
    options.select = FATHOM_SELECT_SPARSE;
    assert_ok(s.context, fathom_train(&sparse, s.context, s.data, gates, &options));
    options.select = FATHOM_SELECT_MIN_NORM;
    assert_ok(s.context, fathom_train(&least, s.context, s.data, gates, &options));
    assert_true(sparse.neurons <= any.neurons);
    assert_true(sparse.relative_gap <= options.gap && least.relative_gap <= options.gap);
    double before = 0, after = 0;
    for (int64_t j = 0; j < any.neurons * CLASSES; j++)
        before += pow(fathom_net_lend(any.net).w[j], 2);
    for (int64_t j = 0; j < least.neurons * CLASSES; j++)
        after += pow(fathom_net_lend(least.net).w[j], 2);
    assert_true(after <= before * (1 + 1e-9));
    fathom_train_result_clear(&any);
    fathom_train_result_clear(&sparse);
    fathom_train_result_clear(&least);
    fathom_gates_free(gates);
    close_instance(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_gap_recomputed_from_raw_data),
        cmocka_unit_test(test_outputs_are_programs_side_by_side),
        cmocka_unit_test(test_resumed_runs_give_the_same_bits),
        cmocka_unit_test(test_selected_networks_are_optimal_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
