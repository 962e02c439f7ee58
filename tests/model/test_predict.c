/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions and scores worked out by hand on networks that are a linear function: relu(t) - relu(-t) = t. */
#include "model_support.h"

#include "fathom/model.h"
#include "faults.h"

/* A model with f_k(x) = slope_k x on one column. */
static fathom_model *linear(fathom_context *context, fathom_loss loss, int64_t outputs, const double *slope,
                            const fathom_classes *classes)
{
    const fathom_net_shape shape = {.kind = FATHOM_NET_RELU, .d = 1, .m = 2, .outputs = outputs};
    fathom_net *net;
    fathom_model *model;
    assert_ok(context, fathom_net_create(&net, context, &shape));
    net->weights.u[0] = 1, net->weights.u[1] = -1;
    for (int64_t k = 0; k < outputs; k++)
        net->weights.w[k] = slope[k], net->weights.w[outputs + k] = -slope[k];
    assert_ok(context, fathom_model_create(&model, context, net, loss, NULL, classes));
    return model;
}

static fathom_data *points(fathom_context *context, const fathom_model *model, int64_t n, const double *x,
                           int64_t outputs, const double *y, const double *weight)
{
    const fathom_model_view view = fathom_model_look(model);
    fathom_data *data;
    assert_ok(context, fathom_data_create_like(&data, context, n, 1, x, 1, outputs, y, weight,
                                               &view.preprocess, &view.classes));
    return data;
}

static const fathom_classes pair = {2, (const char *const[]){"-1", "1"}, NULL};

static void two_classes(void **state)
{
    fathom_context *context = *state;
    const double one = 1, x[4] = {-2, 0, 3, 800}, y[4] = {-1, 1, 1, -1}, weight[4] = {1, 1, 1, 0.5};
    fathom_model *model = linear(context, FATHOM_LOSS_LOGISTIC, 1, &one, &pair);
    fathom_data *data = points(context, model, 4, x, 1, y, weight);
    fathom_prediction *p;
    fathom_score s;
    assert_ok(context, fathom_model_predict(&p, model, data));
    const int64_t label[4] = {0, 0, 1, 1};
    for (int i = 0; i < 4; i++) {
        assert_true(p->output[i] == x[i]);
        assert_int_equal(p->label[i], label[i]);
        assert_close(p->probability[2 * i + 1], 1 / (1 + exp(-x[i])), 4 * UNIT_ROUNDOFF);
        assert_close(p->probability[2 * i] + p->probability[2 * i + 1], 1, 4 * UNIT_ROUNDOFF);
    }
    assert_ok(context, fathom_model_score(&s, model, data, p));
    assert_close(s.accuracy, 2 / 3.5, 4 * UNIT_ROUNDOFF);
    /* the last one is wrong by 800 nats, although its probability underflows to 0 */
    const double entropy = (log1p(exp(-2)) + log(2) + log1p(exp(-3)) + 0.5 * 800) / 3.5;
    assert_close(s.cross_entropy, entropy, 8 * UNIT_ROUNDOFF * entropy);
    assert_true(isnan(s.r2) && isnan(s.mse));
    fathom_prediction_free(p), fathom_data_free(data), fathom_model_free(model);
}

static void many_classes(void **state)
{
    fathom_context *context = *state;
    const double slope[3] = {1, 2, -1}, x[3] = {1, -1, 0}, y[3] = {1, 2, 2};
    const fathom_classes three = {3, (const char *const[]){"0", "1", "2"}, NULL};
    fathom_model *model = linear(context, FATHOM_LOSS_SOFTMAX, 3, slope, &three);
    fathom_data *data = points(context, model, 3, x, 1, y, NULL);
    fathom_prediction *p;
    fathom_score s;
    assert_ok(context, fathom_model_predict(&p, model, data));
    assert_true(p->label[0] == 1 && p->label[1] == 2 && p->label[2] == 0); /* the first of equals */
    const double z = exp(1) + exp(2) + exp(-1), w = exp(-1) + exp(-2) + exp(1);
    assert_close(p->probability[1], exp(2) / z, 8 * UNIT_ROUNDOFF);
    assert_close(p->probability[6], 1.0 / 3, 8 * UNIT_ROUNDOFF);
    assert_ok(context, fathom_model_score(&s, model, data, p));
    assert_close(s.accuracy, 2.0 / 3, 4 * UNIT_ROUNDOFF);
    assert_close(s.cross_entropy, (log(z / exp(2)) + log(w / exp(1)) + log(3)) / 3, 16 * UNIT_ROUNDOFF);
    fathom_prediction_free(p), fathom_data_free(data), fathom_model_free(model);
}

static void numbers(void **state)
{
    fathom_context *context = *state;
    const double one = 1, x[4] = {0, 1, 2, 3}, y[4] = {0.5, 1, 2.25, 3}, flat[4] = {1.5, 1.5, 1.5, 1.5};
    fathom_model *model = linear(context, FATHOM_LOSS_SQUARED, 1, &one, NULL);
    fathom_data *data = points(context, model, 4, x, 1, y, NULL);
    fathom_prediction *p;
    fathom_score s;
    assert_ok(context, fathom_model_predict(&p, model, data));
    assert_true(p->classes == 0 && !p->label && !p->probability);
    assert_ok(context, fathom_model_score(&s, model, data, p));
    const double residual = 0.25 + 0.0625, center = 6.75 / 4;
    double spread = 0;
    for (int i = 0; i < 4; i++)
        spread += (y[i] - center) * (y[i] - center);
    assert_true(s.mse == residual / 4 && isnan(s.accuracy) && isnan(s.cross_entropy));
    assert_close(s.r2, 1 - residual / spread, 8 * UNIT_ROUNDOFF);
    fathom_data_free(data);
    data = points(context, model, 4, x, 1, flat, NULL);
    assert_ok(context, fathom_model_score(&s, model, data, p));
    assert_true(isnan(s.r2) && s.mse == 1.25); /* nothing to explain: undefined, not -inf */
    fathom_data_free(data);
    data = points(context, model, 4, x, 0, NULL, NULL);
    assert_int_equal(fathom_model_score(&s, model, data, p), FATHOM_ERROR_INPUT);
    fathom_prediction_free(p), fathom_data_free(data), fathom_model_free(model);
}

/* The squared loss on two numbers decides at their middle, and is scored as numbers and as classes. */
static void squared_on_two_values(void **state)
{
    fathom_context *context = *state;
    const double one = 1, x[3] = {0.4, 0.6, 0.1}, y[3] = {0, 1, 1};
    const fathom_classes bits = {2, (const char *const[]){"0", "1"}, NULL};
    fathom_model *model = linear(context, FATHOM_LOSS_SQUARED, 1, &one, &bits);
    fathom_data *data = points(context, model, 3, x, 1, y, NULL);
    fathom_prediction *p;
    fathom_score s;
    assert_ok(context, fathom_model_predict(&p, model, data));
    assert_true(p->label[0] == 0 && p->label[1] == 1 && p->label[2] == 0 && !p->probability);
    assert_ok(context, fathom_model_score(&s, model, data, p));
    assert_close(s.accuracy, 2.0 / 3, 4 * UNIT_ROUNDOFF);
    assert_true(s.mse > 0 && isnan(s.cross_entropy));
    fathom_prediction_free(p), fathom_data_free(data), fathom_model_free(model);
}

/* Undefined outputs are wrong, not right by chance. */
static void undefined_outputs(void **state)
{
    fathom_context *context = *state;
    const double one = 1, x[2] = {1, -1}, y[2] = {1, -1};
    fathom_model *model = linear(context, FATHOM_LOSS_LOGISTIC, 1, &one, &pair);
    fathom_data *data = points(context, model, 2, x, 1, y, NULL);
    fathom_model_look(model).net->weights.c[0] = NAN;
    fathom_prediction *p;
    fathom_score s;
    assert_ok(context, fathom_model_predict(&p, model, data));
    assert_true(p->label[0] == -1 && p->label[1] == -1 && isnan(p->probability[0]));
    assert_ok(context, fathom_model_score(&s, model, data, p));
    assert_true(s.accuracy == 0 && isnan(s.cross_entropy));
    fathom_prediction_free(p), fathom_data_free(data), fathom_model_free(model);
}

static fathom_status predict_and_score(fathom_context *context, void *user)
{
    (void)user;
    const fathom_net_shape shape = {.kind = FATHOM_NET_GATED, .d = 1, .m = 2, .outputs = 2};
    const double x[2] = {1, -1}, y[4] = {1, 0, 0, 1};
    const fathom_classes two = {2, (const char *const[]){"a", "b"}, NULL};
    fathom_net *net = NULL;
    fathom_model *model = NULL;
    fathom_data *data = NULL;
    fathom_prediction *p = NULL;
    fathom_score s;
    double slope[4] = {1, 2, 3, 4}, w[4], c[2];
    fathom_status status = fathom_net_create(&net, context, &shape);
    if (status == FATHOM_OK)
        status = fathom_model_create(&model, context, net, FATHOM_LOSS_SOFTMAX, NULL, &two);
    if (status != FATHOM_OK) {
        fathom_net_free(net);
        return status;
    }
    status = fathom_data_create(&data, context, 2, 1, x, 1, 2, y, NULL, NULL);
    if (status == FATHOM_OK)
        status = fathom_model_predict(&p, model, data);
    if (status == FATHOM_OK)
        status = fathom_model_score(&s, model, data, p);
    const fathom_net_weights gradient = {.w = w, .c = c};
    if (status == FATHOM_OK)
        status = fathom_net_gradient(NULL, &gradient, net, data, y, FATHOM_LOSS_SOFTMAX, true);
    if (status == FATHOM_OK)
        status = fathom_net_backward(&gradient, net, data, slope);
    fathom_prediction_free(p), fathom_data_free(data), fathom_model_free(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(faults_run(predict_and_score, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_classes),       cmocka_unit_test(many_classes),
        cmocka_unit_test(numbers),           cmocka_unit_test(squared_on_two_values),
        cmocka_unit_test(undefined_outputs), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
