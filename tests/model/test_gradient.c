/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of every family and loss: the naive twin (one example, one unit at a time), central differences away
 * from kinks, sparse data, weights, batches, threads. */
#include "model_support.h"

#include "activation.h"
#include "fathom/loss.h"

/* Room for the gradient of one network, cut into the members that the family has. */
typedef struct room {
    double *block;
    fathom_net_weights at;
} room;

static room room_make(const fathom_net *net)
{
    room r = {.block = malloc((size_t)(net->parameters + 1) * sizeof(double))};
    assert_non_null(r.block);
    for (int64_t k = 0; k < net->parameters; k++)
        r.block[k] = NAN; /* every entry must be written */
    const fathom_net_weights *w = &net->weights;
    r.at = (fathom_net_weights){.u = w->u ? r.block + (w->u - net->block) : NULL,
                                .b = w->b ? r.block + (w->b - net->block) : NULL,
                                .w = r.block + (w->w - net->block),
                                .c = r.block + (w->c - net->block)};
    return r;
}

/* Whether parameter k of the block is differentiated (rho and V are not). */
static bool differentiated(const fathom_net *net, int64_t k)
{
    const double *p = net->block + k;
    const int64_t v = net->weights.v ? net->shape.m * net->shape.d : 0;
    return p < net->weights.rho && !(net->weights.v && p >= net->weights.v && p < net->weights.v + v);
}

/* Adds the share of one example with slopes g by the definition; `size` collects absolute values. */
static void naive_backward(double *grad, double *size, const fathom_net *net, const double *x,
                           const double *g)
{
    const fathom_net_shape *s = &net->shape;
    const fathom_net_weights *w = &net->weights;
    const double scale = fathom_net_scale_value(s);
    const bool scalar = s->kind == FATHOM_NET_SCALAR;
    double part;
#define ADD(pointer, term, magnitude) \
    (grad[(pointer)-net->block] += (term), size[(pointer)-net->block] += fabs(magnitude))
    for (int64_t k = 0; k < s->outputs; k++)
        ADD(w->c + k, g[k], g[k]);
    for (int64_t j = 0; j < s->m; j++) {
        const double factor = scale * w->rho[j];
        if (s->kind == FATHOM_NET_GATED) {
            if (naive_dot(w->v + j * s->d, x, s->d, &part) > 0)
                for (int64_t k = 0; k < s->outputs; k++)
                    for (int64_t l = 0; l < s->d; l++)
                        ADD(w->w + (j * s->outputs + k) * s->d + l, factor * g[k] * x[l],
                            factor * g[k] * x[l]);
            continue;
        }
        const double z = naive_dot(w->u + j * s->d, x, s->d, &part);
        const double bias = w->b ? w->b[j] : 0, t = scalar ? bias * z : z + bias;
        const double reach = scalar ? fabs(bias) * part : part + fabs(bias);
        double slope = 0, total = 0;
        for (int64_t k = 0; k < s->outputs; k++) {
            const double a = w->w[j * s->outputs + k];
            ADD(w->w + j * s->outputs + k, factor * naive_sigma(s, t) * g[k], factor * reach * g[k]);
            slope += factor * a * g[k] * fathom_activation_slope(s->kind, s->parameter, t);
            /* the slope of huber is t/h, with the error of t */
            total += fabs(factor * a * g[k]) * (s->kind == FATHOM_NET_HUBER ? 1 + reach / s->parameter : 1);
        }
        for (int64_t l = 0; l < s->d; l++)
            ADD(w->u + j * s->d + l, slope * x[l] * (scalar ? bias : 1), total * x[l] * (scalar ? bias : 1));
        if (w->b)
            ADD(w->b + j, slope * (scalar ? z : 1), total * (scalar ? part : 1));
    }
#undef ADD
}

static double *targets(fathom_loss loss, int64_t n, int64_t outputs)
{
    double *y = model_draw(n * outputs, FATHOM_STREAM_TEACHER, 0);
    for (int64_t i = 0; i < n * outputs && loss != FATHOM_LOSS_SQUARED; i++)
        y[i] = loss == FATHOM_LOSS_SOFTMAX ? (i / outputs) % outputs == i % outputs : y[i] > 0 ? 1 : -1;
    return y;
}

/* Compares with the naive twin; slopes g come from the outputs of the network itself, n (outputs + 2) roundings. */
static void compare(const double *grad, double value, const fathom_net *net, const fathom_data_view *dense,
                    const double *y, fathom_loss loss, double total)
{
    const int64_t o = net->shape.outputs, n = dense->n;
    double *expected = calloc((size_t)net->parameters, sizeof(double)),
           *size = calloc((size_t)net->parameters, sizeof(double));
    double *f = malloc((size_t)(n * o) * sizeof(double)), *g = malloc((size_t)o * sizeof(double)), sum = 0,
           error = 0;
    assert_true(expected && size && f && g);
    assert_ok(net->context, fathom_net_forward_view(f, net, dense));
    for (int64_t i = 0; i < n; i++) {
        const double weight = (dense->weight ? dense->weight[i] : 1) / total;
        sum += weight * fathom_loss_value(loss, f + i * o, y + i * o, o);
        fathom_loss_derivative(g, loss, f + i * o, y + i * o, o);
        for (int64_t k = 0; k < o; k++) {
            g[k] *= weight;
            double reach;
            naive_forward(net, dense->x + i * dense->ld, k, &reach);
            error = fmax(error, reach);
        }
        naive_backward(expected, size, net, dense->x + i * dense->ld, g);
    }
    /* two forward passes may differ by the bound of forward.c; a loss's second derivative here is at most its own
     * slope or 1, so slopes differ by that much relative to 1 + |g| */
    const double roundings = 4 * (double)(net->shape.d + net->shape.m + n + 8) * UNIT_ROUNDOFF;
    assert_close(value, sum, roundings * (1 + error) * (1 + fabs(sum)));
    for (int64_t k = 0; k < net->parameters; k++)
        if (differentiated(net, k))
            assert_close(grad[k], expected[k],
                         roundings * (1 + error) * (size[k] + fabs(expected[k]) + 1 / total));
    free(expected), free(size), free(f), free(g);
}

static void check(fathom_context *context, fathom_net_kind kind, fathom_loss loss, int64_t n, int64_t d,
                  int64_t m, int64_t outputs, int form)
{
    fathom_net *net = model_net(context, kind, d, m, outputs, form & 1, (fathom_net_scale)(form % 3));
    for (int64_t k = 0; k < net->parameters; k++)
        net->block[k] *= 0.5; /* keeps exponential losses moderate */
    model_data data = model_data_make(n, d, 0.7, (uint32_t)form);
    double *y = targets(loss, n, outputs), *weight = model_draw(n, FATHOM_STREAM_LABEL, 9), total = 0;
    for (int64_t i = 0; i < n; i++)
        total += weight[i] = fabs(weight[i]);
    const bool weighted = form & 2, mean = form & 4;
    fathom_data_view sparse = model_sparsify(&data);
    if (weighted)
        data.view.weight = sparse.weight = weight;
    room one = room_make(net), three = room_make(net);
    for (int kept = 0; kept < 2; kept++) {
        double value, again;
        fathom_context_set_threads(context, 1);
        assert_ok(context,
                  fathom_net_gradient_view(&value, &one.at, net, kept ? &sparse : &data.view, y, loss, mean));
        compare(one.block, value, net, &data.view, y, loss, mean ? weighted ? total : (double)n : 1);
        fathom_context_set_threads(context, 3);
        assert_ok(context, fathom_net_gradient_view(&again, &three.at, net, kept ? &sparse : &data.view, y,
                                                    loss, mean));
        assert_true(value == again);
        for (int64_t k = 0; k < net->parameters; k++)
            assert_true(one.block[k] == three.block[k] || !differentiated(net, k));
    }
    free(one.block), free(three.block), free(y), free(weight);
    model_data_free(&data);
    fathom_net_free(net);
}

static void every_family_and_loss(void **state)
{
    for (int k = 0; k < MODEL_KINDS; k++)
        for (int loss = FATHOM_LOSS_SQUARED; loss <= FATHOM_LOSS_SOFTMAX; loss++)
            for (int form = 0; form < 8; form++)
                check(*state, model_kinds[k], (fathom_loss)loss, 12, 4, 6,
                      loss == FATHOM_LOSS_SOFTMAX ? 3 : 1 + form % 2, form);
}

/* More than one tile, block and batch. */
static void borders(void **state)
{
    for (int k = 0; k < MODEL_KINDS; k++) {
        check(*state, model_kinds[k], FATHOM_LOSS_LOGISTIC, 130, 3, 258, 1, 0);
        check(*state, model_kinds[k], FATHOM_LOSS_SQUARED, 4200, 2, 3, 2, 5);
    }
}

static double loss_at(fathom_net *net, const fathom_data_view *view, const double *y, fathom_loss loss)
{
    double value;
    const fathom_net_weights nothing = {0};
    assert_ok(net->context, fathom_net_gradient_view(&value, &nothing, net, view, y, loss, true));
    return value;
}

/* Central differences with step h; a difference that straddles a kink is recognised by its two one-sided halves, which
 * then disagree by far more than h, and is left out. At most a tenth may be. */
static void central_differences(void **state)
{
    fathom_context *context = *state;
    const double h = 1e-6;
    for (int k = 0; k < MODEL_KINDS; k++)
        for (int loss = FATHOM_LOSS_SQUARED; loss <= FATHOM_LOSS_SOFTMAX; loss++) {
            fathom_net *net = model_net(context, model_kinds[k], 3, 4, 2, true, FATHOM_SCALE_SQRT);
            model_data data = model_data_make(6, 3, 1, 5);
            double *y = targets((fathom_loss)loss, 6, 2);
            room r = room_make(net);
            double value, skipped = 0, tried = 0;
            assert_ok(context,
                      fathom_net_gradient_view(&value, &r.at, net, &data.view, y, (fathom_loss)loss, true));
            for (int64_t p = 0; p < net->parameters; p++) {
                if (!differentiated(net, p))
                    continue;
                const double was = net->block[p];
                net->block[p] = was + h;
                const double up = loss_at(net, &data.view, y, (fathom_loss)loss);
                net->block[p] = was - h;
                const double down = loss_at(net, &data.view, y, (fathom_loss)loss);
                net->block[p] = was;
                const double right = (up - value) / h, left = (value - down) / h;
                const double curvature = 1e3 * h * (1 + fabs(value)); /* second derivatives below 1e3 here */
                tried++;
                if (fabs(right - left) > curvature)
                    skipped++;
                else
                    assert_close(r.block[p], (up - down) / (2 * h),
                                 1e4 * h * h * (1 + fabs(value)) +
                                     64 * UNIT_ROUNDOFF * (1 + fabs(value)) / h);
            }
            assert_true(skipped <= tried / 10);
            free(r.block), free(y);
            model_data_free(&data);
            fathom_net_free(net);
        }
}

/* backward with the slopes of the mean loss is the gradient of the mean loss; with those of ln R, R times smaller. */
static void backward_from_slopes(void **state)
{
    fathom_context *context = *state;
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 3, 7, 1, true, FATHOM_SCALE_ONE);
    model_data data = model_data_make(9, 3, 1, 6);
    double *y = targets(FATHOM_LOSS_LOGISTIC, 9, 1), f[9], slope[9], value;
    room direct = room_make(net), log_space = room_make(net);
    fathom_loss_summary s;
    assert_ok(context,
              fathom_net_gradient_view(&value, &direct.at, net, &data.view, y, FATHOM_LOSS_LOGISTIC, true));
    assert_ok(context, fathom_net_forward_view(f, net, &data.view));
    assert_ok(context, fathom_loss_summarize(&s, slope, FATHOM_SLOPE_LOG, context, FATHOM_LOSS_LOGISTIC, f, y,
                                             NULL, 9, 1));
    assert_ok(context, fathom_net_backward_view(&log_space.at, net, &data.view, slope));
    double size = 0;
    for (int64_t k = 0; k < net->parameters; k++)
        size = differentiated(net, k) ? fmax(size, fabs(direct.block[k])) : size;
    for (int64_t k = 0; k < net->parameters; k++)
        if (differentiated(net, k))
            assert_close(log_space.block[k] * value, direct.block[k], 256 * UNIT_ROUNDOFF * size);
    free(direct.block), free(log_space.block), free(y);
    model_data_free(&data);
    fathom_net_free(net);
}

/* One gradient step trajectory of a Huberized network (reference values, tests/README.md). */
static void huber_trajectory(void **state)
{
    fathom_context *context = *state;
    const fathom_net_shape shape = {.kind = FATHOM_NET_HUBER,
                                    .d = 2,
                                    .m = 4,
                                    .outputs = 1,
                                    .parameter = 0.5,
                                    .hidden_bias = true,
                                    .output_fixed = true};
    double u[8] = {0.3, 0.1, -0.2, 0.05, 0.1, 0.4, -0.1, -0.3}, b[4] = {0.05, 0.02, -0.01, 0.03};
    double w[4] = {1, 1, -1, -1};
    const double x[8] = {1, 0, -1, 0, 0, 1, 0, -1}, y[4] = {1, 1, -1, -1};
    const double loss[6] = {0.6470054873843121, 0.6431523084686361, 0.6391363363284036,
                            0.6347235526010004, 0.629857921713134,  0.6244726074568768};
    const double norm[6] = {0.19461008693620174, 0.20137080881865355, 0.20810593112354514,
                            0.21516624647949767, 0.22256962422172635, 0.2303348987446236};
    const double end[8] = {0.35544572042372397,  0.07807647234183956, -0.23709109626625433,
                           0.03919020511017975,  0.08518271422421259, 0.4616604673932525,
                           -0.07966873370819356, -0.3524862724744725};
    const fathom_data_view view = {.n = 4, .d = 2, .x = x, .ld = 2};
    fathom_net *net;
    assert_ok(context, fathom_net_create(&net, context, &shape));
    assert_ok(context, fathom_net_assign(net, &(fathom_net_weights){.u = u, .b = b, .w = w}));
    const double bound = 64 * UNIT_ROUNDOFF; /* six steps on numbers below one */
    for (int t = 0; t < 6; t++) {
        double gu[8], gb[4], value, square = 0;
        const fathom_net_weights gradient = {.u = gu, .b = gb};
        assert_ok(context,
                  fathom_net_gradient_view(&value, &gradient, net, &view, y, FATHOM_LOSS_LOGISTIC, true));
        const double step = t == 0 ? 0.1 : log(1 / value) * log(1 / value) / 2;
        for (int k = 0; k < 8; k++)
            net->weights.u[k] -= step * gu[k], square += gu[k] * gu[k];
        for (int k = 0; k < 4; k++)
            net->weights.b[k] -= step * gb[k], square += gb[k] * gb[k];
        assert_close(value, loss[t], bound);
        assert_close(sqrt(square), norm[t], bound);
    }
    for (int k = 0; k < 8; k++)
        assert_close(net->weights.u[k], end[k], bound);
    fathom_net_free(net);
}

static void refusals(void **state)
{
    fathom_context *context = *state;
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 2, 1, 1, false, FATHOM_SCALE_ONE);
    const double x[2] = {1, 2}, y = 0.5;
    const fathom_data_view view = {.n = 1, .d = 2, .x = x, .ld = 2},
                           narrow = {.n = 1, .d = 1, .x = x, .ld = 1};
    double room_for[2];
    const fathom_net_weights nothing = {0}, bias = {.b = room_for}, gates = {.v = room_for};
    assert_int_equal(fathom_net_gradient_view(NULL, &nothing, net, &narrow, &y, FATHOM_LOSS_SQUARED, true),
                     FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_net_gradient_view(NULL, &nothing, net, &view, &y, FATHOM_LOSS_LOGISTIC, true),
                     FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_net_gradient_view(NULL, &bias, net, &view, &y, FATHOM_LOSS_SQUARED, true),
                     FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_net_gradient_view(NULL, &gates, net, &view, &y, FATHOM_LOSS_SQUARED, true),
                     FATHOM_ERROR_USAGE);
    double bad[2] = {1, NAN};
    assert_int_equal(fathom_net_assign(net, &(fathom_net_weights){.u = bad}), FATHOM_ERROR_INPUT);
    assert_int_equal(fathom_net_assign(net, &(fathom_net_weights){.v = bad}), FATHOM_ERROR_INPUT);
    fathom_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_family_and_loss), cmocka_unit_test(borders),
        cmocka_unit_test(central_differences),   cmocka_unit_test(backward_from_slopes),
        cmocka_unit_test(huber_trajectory),      cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
