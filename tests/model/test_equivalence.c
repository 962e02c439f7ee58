/* SPDX-License-Identifier: Apache-2.0 */
/* Standard and convex networks that compute the same: values, gradients [000, Lemma 5.1 corrected], the cube. */
#include "with_context.h"

#include <string.h>

#include "fathom/equivalence.h"
#include "fathom/gates.h"
#include "portable.h"
#include "random.h"

enum { N = 12, D = 3 };

static fathom_data *random_data(void)
{
    fathom_data *data;
    double *x = portable_points(N, D, 6);
    assert_ok(context, fathom_data_create(&data, context, N, D, x, D, 0, NULL, NULL, NULL));
    free(x);
    return data;
}

/* A network with Gaussian parameters; standard ones with signs as output weights where `signs`. */
static fathom_net *random_net(fathom_net_kind kind, int64_t m, int64_t outputs, fathom_net_scale scale,
                              bool signs)
{
    fathom_net *net;
    const fathom_net_shape shape = {.kind = kind, .d = D, .m = m, .outputs = outputs, .scale = scale};
    assert_ok(context, fathom_net_create(&net, context, &shape));
    const fathom_net_weights w = fathom_net_lend(net);
    const bool gated = kind == FATHOM_NET_GATED;
    fathom_random_normals(gated ? w.v : w.u, m * D, 21, FATHOM_STREAM_HIDDEN, 0, 0);
    fathom_random_normals(w.w, gated ? m * outputs * D : m * outputs, 21, FATHOM_STREAM_OUTPUT, 0, 0);
    for (int64_t j = 0; j < m * outputs && signs; j++)
        w.w[j] = w.w[j] < 0 ? -1 : 1;
    for (int64_t k = 0; k < outputs; k++)
        w.c[k] = 0.25 * (double)(k + 1);
    return net;
}

/* Largest sum of absolute values of the terms of an output: rounding errors are multiples of 2^-53 of it. */
static double term_size(const fathom_net *net, const fathom_data *data)
{
    const fathom_net_shape s = fathom_net_look(net);
    const fathom_net_weights w = fathom_net_lend((fathom_net *)(uintptr_t)net);
    const fathom_data_view view = fathom_data_look(data);
    const bool gated = s.kind == FATHOM_NET_GATED;
    const double scale = s.scale == FATHOM_SCALE_ONE    ? 1
                         : s.scale == FATHOM_SCALE_MEAN ? 1 / (double)s.m
                                                        : 1 / sqrt((double)s.m);
    double most = 0;
    for (int64_t i = 0; i < view.n; i++)
        for (int64_t o = 0; o < s.outputs; o++) {
            double sum = fabs(w.c[o]);
            for (int64_t j = 0; j < s.m; j++)
                for (int64_t k = 0; k < s.d; k++)
                    sum += fabs(scale * w.rho[j] * view.x[i * view.ld + k] *
                                (gated ? w.w[(j * s.outputs + o) * s.d + k]
                                       : w.w[j * s.outputs + o] * w.u[j * s.d + k]));
            most = fmax(most, sum);
        }
    return most;
}

/* The two networks agree on the data to (terms + 8) roundings of the sizes of their terms. */
static void assert_equivalent(const fathom_net *a, const fathom_net *b, const fathom_data *data)
{
    double difference;
    assert_ok(context, fathom_net_difference(&difference, a, b, data));
    const double terms = (double)((fathom_net_look(a).m + fathom_net_look(b).m) * D + 8);
    assert_close(difference, 0, terms * UNIT_ROUNDOFF * (term_size(a, data) + term_size(b, data)));
}

/* T_1 holds for all x: fresh points as well. */
static void standard_to_convex_everywhere(void **state)
{
    (void)state;
    fathom_data *data = random_data(), *fresh;
    double x[200 * D];
    fathom_random_normals(x, 200 * D, 22, FATHOM_STREAM_DATA, 0, 0);
    assert_ok(context, fathom_data_create(&fresh, context, 200, D, x, D, 0, NULL, NULL, NULL));
    for (int64_t outputs = 1; outputs <= 3; outputs++) {
        fathom_net *net = random_net(FATHOM_NET_RELU, 20, outputs, FATHOM_SCALE_SQRT, false), *gated;
        assert_ok(context, fathom_net_to_gated(&gated, context, net));
        assert_int_equal(fathom_net_look(gated).kind, FATHOM_NET_GATED);
        assert_int_equal(fathom_net_look(gated).m, 20);
        assert_equivalent(net, gated, data);
        assert_equivalent(net, gated, fresh);
        fathom_net_free(net);
        fathom_net_free(gated);
    }
    fathom_data_free(data);
    fathom_data_free(fresh);
}

/* Width 2m with scale 1/(2m): without the erratum's factor 2 the outputs would be halved. */
static void convex_to_standard_on_the_data(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    const fathom_net_scale scales[] = {FATHOM_SCALE_ONE, FATHOM_SCALE_MEAN, FATHOM_SCALE_SQRT};
    for (int k = 0; k < 3; k++)
        for (int64_t outputs = 1; outputs <= 2; outputs++) {
            fathom_net *gated = random_net(FATHOM_NET_GATED, 15, outputs, scales[k], false), *relu;
            assert_ok(context, fathom_net_to_relu(&relu, context, gated, data));
            assert_int_equal(fathom_net_look(relu).kind, FATHOM_NET_RELU);
            assert_int_equal(fathom_net_look(relu).m, 15 * (outputs + 1));
            assert_int_equal(fathom_net_look(relu).scale, scales[k]);
            assert_equivalent(gated, relu, data);
            fathom_net_free(gated);
            fathom_net_free(relu);
        }
    fathom_data_free(data);
}

/* An orientation on a data hyperplane: refused, with the pair. */
static void orientation_on_a_hyperplane_is_refused(void **state)
{
    (void)state;
    const double x[] = {1, 1, 0, 0, 0, 0, 1, 2, 3}, v[] = {1, 1, 1, 1, -1, 0.5};
    fathom_data *data;
    assert_ok(context, fathom_data_create(&data, context, 3, D, x, D, 0, NULL, NULL, NULL));
    fathom_net *net = random_net(FATHOM_NET_GATED, 2, 1, FATHOM_SCALE_ONE, false), *relu;
    memcpy(fathom_net_lend(net).v, v, sizeof v);
    assert_int_equal(fathom_net_to_relu(&relu, context, net, data), FATHOM_ERROR_INPUT);
    assert_null(relu);
    assert_non_null(strstr(fathom_context_error(context)->text, "i = 0, j = 1, <x_i, v_j> = 0"));
    fathom_net_lend(net).v[5] = 0.5;
    fathom_net_lend(net).v[4] = -0.75;
    assert_ok(context, fathom_net_to_relu(&relu, context, net, data));
    assert_equivalent(net, relu, data);
    fathom_net_free(relu);
    fathom_net_free(net);
    fathom_data_free(data);
}

/* Lemma 3.3: at most as many gates as cones (134 for 12 general points in space), shares that add up to 1. */
static void convex_compression(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    for (int64_t outputs = 1; outputs <= 2; outputs++) {
        fathom_net *net = random_net(FATHOM_NET_GATED, 1000, outputs, FATHOM_SCALE_MEAN, false), *small;
        fathom_gates *gates;
        assert_ok(context, fathom_net_compress(&small, context, net, data));
        assert_ok(context, fathom_gates_from_orientations(&gates, context, data, 1000, fathom_net_lend(net).v,
                                                          D, NULL));
        assert_int_equal(fathom_net_look(small).m, fathom_gates_look(gates).m);
        assert_true(fathom_net_look(small).m <= 134);
        assert_equivalent(net, small, data);
        double sum = 0;
        for (int64_t j = 0; j < fathom_net_look(small).m; j++) {
            sum += fathom_net_lend(small).rho[j];
            assert_close(fathom_net_lend(small).rho[j], fathom_gates_look(gates).weight[j],
                         1000 * UNIT_ROUNDOFF);
        }
        assert_close(sum, 1, 2000 * UNIT_ROUNDOFF);
        fathom_gates_free(gates);
        fathom_net_free(small);
        fathom_net_free(net);
    }
    fathom_data_free(data);
}

/* Lemma 3.4 with a'_j: at most two neurons per cone. */
static void standard_compression(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    for (int signs = 0; signs < 2; signs++) {
        fathom_net *net = random_net(FATHOM_NET_RELU, 1000, 1, FATHOM_SCALE_MEAN, signs), *small;
        assert_ok(context, fathom_net_compress(&small, context, net, data));
        assert_true(fathom_net_look(small).m <= 2 * 134);
        assert_equivalent(net, small, data);
        for (int64_t j = 0; j < fathom_net_look(small).m; j++)
            assert_true(fabs(fathom_net_lend(small).w[j]) == 1);
        fathom_net_free(small);
        fathom_net_free(net);
    }
    fathom_data_free(data);
}

/* Appendix A: f_S with W equals f_0 with W / sqrt(m). */
static void scalings_of_appendix_a(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    const fathom_net_kind kinds[] = {FATHOM_NET_RELU, FATHOM_NET_GATED};
    for (int k = 0; k < 2; k++) {
        fathom_net *mean = random_net(kinds[k], 16, 1, FATHOM_SCALE_MEAN, true);
        fathom_net *root = random_net(kinds[k], 16, 1, FATHOM_SCALE_MEAN, true);
        assert_ok(context, fathom_net_rescale(root, FATHOM_SCALE_SQRT));
        assert_int_equal(fathom_net_look(root).scale, FATHOM_SCALE_SQRT);
        if (kinds[k] == FATHOM_NET_RELU)
            assert_close(fathom_net_lend(root).u[5], fathom_net_lend(mean).u[5] / 4, UNIT_ROUNDOFF);
        assert_equivalent(mean, root, data);
        fathom_net_free(mean);
        fathom_net_free(root);
    }
    fathom_data_free(data);
}

/* The standard network of a gradient test with its loss gradient by U, and the three convex relatives. */
typedef struct family {
    fathom_data *data;
    double y[N];
    fathom_net *net;         /* (W, a), m neurons */
    double gradient[40 * D]; /* L_S'(W, a) */
} family;

enum { M = 40 };

static family random_family(void)
{
    family f = {.data = random_data(), .net = random_net(FATHOM_NET_RELU, M, 1, FATHOM_SCALE_MEAN, true)};
    for (int64_t i = 0; i < N; i++)
        f.y[i] = i % 3 ? 1 : -1;
    const fathom_net_weights gradient = {.u = f.gradient};
    assert_ok(context, fathom_net_gradient(NULL, &gradient, f.net, f.data, f.y, FATHOM_LOSS_LOGISTIC, false));
    return f;
}

static void family_free(family *f)
{
    fathom_net_free(f->net);
    fathom_data_free(f->data);
}

/* (2): L'(V, T_1(W, a)) = T_1(L_S'(W, a)), rows a_j L_S'(W, a)_j. */
static void gradients_commute_with_t1(void **state)
{
    (void)state;
    family f = random_family();
    fathom_net *gated;
    double gradient[M * D];
    const fathom_net_weights into = {.w = gradient};
    assert_ok(context, fathom_net_to_gated(&gated, context, f.net));
    assert_ok(context, fathom_net_gradient(NULL, &into, gated, f.data, f.y, FATHOM_LOSS_LOGISTIC, false));
    for (int64_t k = 0; k < M * D; k++)
        assert_close(gradient[k], fathom_net_lend(f.net).w[k / D] * f.gradient[k], 256 * UNIT_ROUNDOFF);
    fathom_net_free(gated);
    family_free(&f);
}

/* Rows of T_2 (signed mean over neurons of a cone) or T_3 (mean over neurons of a cone and a sign) of the gradient,
 * the class of a neuron being that of the compressed network whose row has its pattern and sign. */
static void mean_over_classes(double *mean, int64_t *size, const family *f, bool signed_mean)
{
    int64_t gate_of[M], number[2 * M], count = 0;
    fathom_gates *gates;
    const fathom_net_weights w = fathom_net_lend(f->net);
    assert_ok(context, fathom_gates_from_orientations(&gates, context, f->data, M, w.u, D, gate_of));
    fathom_gates_free(gates);
    memset(number, 0xff, sizeof number);
    memset(mean, 0, M * D * sizeof *mean);
    memset(size, 0, M * sizeof *size);
    for (int64_t j = 0; j < M; j++) {
        int64_t *at = number + 2 * gate_of[j] + (!signed_mean && w.w[j] < 0);
        *at = *at < 0 ? count++ : *at;
        size[*at]++;
        for (int64_t k = 0; k < D; k++)
            mean[*at * D + k] += (signed_mean ? w.w[j] : 1) * f->gradient[j * D + k];
    }
    for (int64_t k = 0; k < count * D; k++)
        mean[k] /= (double)size[k / D];
}

/* (3) and (4) corrected: L'(V', T_2, rho)_j = m rho_j T_2(L_S')_j, and the same with T_3: m rho_j is the number of
 * neurons in the class. */
static void gradients_commute_with_t2_and_t3(void **state)
{
    (void)state;
    for (int standard = 0; standard < 2; standard++) {
        family f = random_family();
        fathom_net *gated = NULL, *small;
        double gradient[M * D], mean[M * D];
        int64_t size[M], shared = 0;
        const fathom_net_weights into = {.u = standard ? gradient : NULL, .w = standard ? NULL : gradient};
        assert_ok(context, fathom_net_to_gated(&gated, context, f.net));
        assert_ok(context, fathom_net_compress(&small, context, standard ? f.net : gated, f.data));
        assert_ok(context, fathom_net_gradient(NULL, &into, small, f.data, f.y, FATHOM_LOSS_LOGISTIC, false));
        mean_over_classes(mean, size, &f, !standard);
        for (int64_t k = 0; k < fathom_net_look(small).m * D; k++) {
            assert_close(gradient[k], (double)size[k / D] * mean[k], 256 * UNIT_ROUNDOFF);
            assert_close(fathom_net_lend(small).rho[k / D], (double)size[k / D] / M, 64 * UNIT_ROUNDOFF);
            shared += size[k / D] > 1;
        }
        assert_true(shared > 0); /* otherwise the factor m rho_j would not be seen */
        fathom_net_free(gated);
        fathom_net_free(small);
        family_free(&f);
    }
}

/* (5): a step that keeps all patterns gives the same loss in all four networks. */
static void small_steps_keep_the_equivalence(void **state)
{
    (void)state;
    family f = random_family();
    fathom_net *gated, *small_gated, *small;
    double *u = fathom_net_lend(f.net).u, before[M * D];
    memcpy(before, u, sizeof before);
    for (int64_t k = 0; k < M * D; k++)
        u[k] -= 1e-6 * M * f.gradient[k];
    assert_ok(context, fathom_net_to_gated(&gated, context, f.net));
    memcpy(fathom_net_lend(gated).v, before, sizeof before); /* orientations stay where they were */
    assert_equivalent(f.net, gated, f.data);
    assert_ok(context, fathom_net_compress(&small_gated, context, gated, f.data));
    assert_equivalent(f.net, small_gated, f.data);
    assert_ok(context, fathom_net_compress(&small, context, f.net, f.data));
    assert_equivalent(f.net, small, f.data);
    fathom_net_free(gated);
    fathom_net_free(small_gated);
    fathom_net_free(small);
    family_free(&f);
}

static fathom_data *cube(double *y)
{
    double x[24];
    fathom_data *data;
    for (int64_t i = 0; i < 8; i++) {
        for (int64_t k = 0; k < 3; k++)
            x[3 * i + k] = i >> k & 1 ? -1 : 1;
        y[i] = x[3 * i] * x[3 * i + 1] * x[3 * i + 2];
    }
    assert_ok(context, fathom_data_create(&data, context, 8, 3, x, 3, 0, NULL, NULL, NULL));
    return data;
}

/* Theorem 7.3 corrected: y f = 1/8 exactly; and its gates lie on data hyperplanes, so that it has no standard form. */
static void cube_network_classifies_the_cube(void **state)
{
    (void)state;
    double y[8], f[8];
    fathom_data *data = cube(y);
    fathom_net *net, *relu;
    assert_ok(context, fathom_net_create_cube(&net, context));
    assert_ok(context, fathom_net_forward(f, net, data));
    for (int64_t i = 0; i < 8; i++)
        assert_true(y[i] * f[i] == 0.125);
    assert_int_equal(fathom_net_to_relu(&relu, context, net, data), FATHOM_ERROR_INPUT);
    /* as printed: v_6 without its minus sign, w_5 .. w_8 negated; four points are then not right */
    const fathom_net_weights w = fathom_net_lend(net);
    for (int64_t k = 0; k < 3; k++)
        w.v[15 + k] = -w.v[15 + k];
    for (int64_t j = 4; j < 8; j++)
        w.w[3 * j] = -w.w[3 * j];
    assert_ok(context, fathom_net_forward(f, net, data));
    int64_t right = 0;
    for (int64_t i = 0; i < 8; i++)
        right += y[i] * f[i] > 0;
    assert_int_equal(right, 2);
    fathom_net_free(net);
    fathom_data_free(data);
}

/* The certificate that no standard network classifies the cube: sum_i y_i relu(<x_i, w>) = 0 for every w. On each of the
 * 14 full-dimensional cones it is linear, <S, w> with S = sum of y_i x_i over open points = 0 exactly; by continuity
 * everywhere. Then sum_i y_i f(x_i) = c sum_i y_i = 0, and some y_i f(x_i) <= 0. The cones are taken from 4000 Gaussian
 * orientations: one is missed with probability below 14 (1 - 0.0438)^4000 < 1e-76. */
static void no_standard_network_classifies_the_cube(void **state)
{
    (void)state;
    double y[8];
    fathom_data *data = cube(y);
    const fathom_data_view view = fathom_data_look(data);
    fathom_gates *gates;
    assert_ok(context, fathom_gates_sample(&gates, context, data, 4000));
    const fathom_gates_view g = fathom_gates_look(gates);
    assert_int_equal(g.m, 14);
    for (int64_t j = 0; j < g.m; j++)
        for (int64_t k = 0; k < 3; k++) {
            double sum = 0;
            for (int64_t i = 0; i < 8; i++)
                sum += g.bits[j] >> i & 1 ? y[i] * view.x[i * view.ld + k] : 0;
            assert_true(sum == 0);
        }
    double total = 0;
    for (int64_t i = 0; i < 8; i++)
        total += y[i];
    assert_true(total == 0);
    fathom_gates_free(gates);
    fathom_data_free(data);
}

/* What the printed statements would give, each wrong by far more than rounding: Theorem 3.1's converse with rows not
 * doubled, Lemma 3.4 without a'_j, T_2 without a_j, and (3) without the factor m rho_j. */
static void printed_statements_fail(void **state)
{
    (void)state;
    family f = random_family();
    fathom_net *gated, *relu, *small;
    double difference = 0, gradient[M * D], mean[M * D], off = 0;
    int64_t size[M];
    assert_ok(context, fathom_net_to_gated(&gated, context, f.net));
    assert_ok(context, fathom_net_to_relu(&relu, context, gated, f.data));
    for (int64_t j = 0; j < 2 * M; j++)
        fathom_net_lend(relu).w[j] /= 2;
    assert_ok(context, fathom_net_difference(&difference, gated, relu, f.data));
    assert_true(difference > 1e-3);
    fathom_net_free(relu);
    assert_ok(context, fathom_net_compress(&small, context, f.net, f.data));
    for (int64_t j = 0; j < fathom_net_look(small).m; j++)
        fathom_net_lend(small).w[j] = 1;
    assert_ok(context, fathom_net_difference(&difference, f.net, small, f.data));
    assert_true(difference > 1e-3);
    fathom_net_free(small);
    assert_ok(context, fathom_net_compress(&small, context, gated, f.data));
    const fathom_net_weights into = {.w = gradient};
    assert_ok(context, fathom_net_gradient(NULL, &into, small, f.data, f.y, FATHOM_LOSS_LOGISTIC, false));
    mean_over_classes(mean, size, &f, true);
    for (int64_t k = 0; k < fathom_net_look(small).m * D; k++)
        off = fmax(off, fabs(gradient[k] - mean[k]));
    assert_true(off > 1e-3);
    fathom_net_free(small);
    memcpy(fathom_net_lend(gated).w, fathom_net_lend(f.net).u, M * D * sizeof(double));
    assert_ok(context, fathom_net_compress(&small, context, gated, f.data));
    assert_ok(context, fathom_net_difference(&difference, f.net, small, f.data));
    assert_true(difference > 1e-3);
    fathom_net_free(small);
    fathom_net_free(gated);
    family_free(&f);
}

static void wrong_kinds_are_refused(void **state)
{
    (void)state;
    fathom_data *data = random_data();
    fathom_net *leaky, *gated = random_net(FATHOM_NET_GATED, 3, 1, FATHOM_SCALE_ONE, false), *out;
    const fathom_net_shape shape = {.kind = FATHOM_NET_LEAKY, .d = D, .m = 2, .outputs = 1, .parameter = 0.1};
    assert_ok(context, fathom_net_create(&leaky, context, &shape));
    assert_int_equal(fathom_net_to_gated(&out, context, leaky), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_net_to_gated(&out, context, gated), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_net_to_relu(&out, context, leaky, data), FATHOM_ERROR_USAGE);
    assert_int_equal(fathom_net_compress(&out, context, leaky, data), FATHOM_ERROR_USAGE);
    fathom_net_free(leaky);
    fathom_net_free(gated);
    fathom_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_to_convex_everywhere),
        cmocka_unit_test(convex_to_standard_on_the_data),
        cmocka_unit_test(orientation_on_a_hyperplane_is_refused),
        cmocka_unit_test(convex_compression),
        cmocka_unit_test(standard_compression),
        cmocka_unit_test(scalings_of_appendix_a),
        cmocka_unit_test(gradients_commute_with_t1),
        cmocka_unit_test(gradients_commute_with_t2_and_t3),
        cmocka_unit_test(small_steps_keep_the_equivalence),
        cmocka_unit_test(cube_network_classifies_the_cube),
        cmocka_unit_test(no_standard_network_classifies_the_cube),
        cmocka_unit_test(printed_statements_fail),
        cmocka_unit_test(wrong_kinds_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
