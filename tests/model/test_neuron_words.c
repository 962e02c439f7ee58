/* SPDX-License-Identifier: Apache-2.0 */
/* Neurons in words: a neuron whose opening is known by hand, and random ones that change sign where the words say. */
#include "model_support.h"

#include <stdlib.h>
#include <string.h>

#include "fathom/model.h"
#include "inner/model.h"

static const char *const columns[] = {"age", "chol"};
static const double mean[] = {1, 2}, width[] = {4, 1};

static fathom_model *standardised(fathom_context *context, int64_t m, const double *u, const double *b,
                                  const double *w)
{
    const fathom_preprocess how = {.normalize = FATHOM_NORMALIZE_STANDARDIZE,
                                   .bias = FATHOM_BIAS_FREE,
                                   .columns = 2,
                                   .mean = mean,
                                   .scale = width,
                                   .name = columns};
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 2, m, 1, true, FATHOM_SCALE_ONE);
    for (int64_t j = 0; j < m; j++) {
        memcpy(net->weights.u + 2 * j, u + 2 * j, 2 * sizeof *u);
        net->weights.b[j] = b[j];
        net->weights.w[j] = w[j];
        net->weights.rho[j] = 1;
    }
    fathom_model *model;
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_SQUARED, &how, NULL));
    return model;
}

/* The list as text; freed by the caller. */
static char *words(fathom_context *context, const fathom_model *model, int64_t most)
{
    fathom_json *object;
    char *text;
    assert_ok(context, fathom_json_create(&object, context));
    assert_ok(context, fathom_model_set_neurons(object, model, most));
    assert_ok(context, fathom_json_text(&text, object, false));
    char *copy = strdup(text);
    fathom_json_text_free(object, text);
    fathom_json_free(object);
    return copy;
}

/* t = 2 (age - 1)/4 - (chol - 2) + 1/2 > 0 where age - 2 chol > -4; the other, larger one where chol < 5 alone. */
static void known(void **state)
{
    fathom_context *context = *state;
    const double u[] = {2, -1, 0, -3}, b[] = {0.5, 9}, w[] = {1, -5};
    fathom_model *model = standardised(context, 2, u, b, w);
    char *text = words(context, model, 10);
    const char *first = strstr(text, "chol < 5"), *second = strstr(text, "age - 2 chol > -4");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    assert_non_null(strstr(text, "-15")); /* five times three for each unit of chol */
    free(text);
    text = words(context, model, 1);
    assert_null(strstr(text, "age"));
    free(text);
    fathom_model_free(model);
}

/* "age - 0.3 chol > 41": the factor of chol, the sign and the number. */
static void parse(const char *text, double *slope, char *sign, double *threshold)
{
    const char *at = strstr(text, "age");
    assert_non_null(at);
    const double side = at[4] == '-' ? -1 : 1;
    *slope = side * (at[6] == 'c' ? 1 : atof(at + 6));
    at = strstr(at, "chol") + 5;
    *sign = *at;
    *threshold = atof(at + 2);
}

/* On the line that the words draw the neuron is 0, to the digits that they give. */
static void drawn(void **state)
{
    fathom_context *context = *state;
    for (uint32_t sub = 0; sub < 50; sub++) {
        double u[4], slope, threshold;
        char sign;
        fathom_random_normals(u, 4, 3, FATHOM_STREAM_HIDDEN, sub, 0);
        u[0] = copysign(fabs(u[0]) + fabs(u[1]), u[0]); /* age leads */
        fathom_model *model = standardised(context, 1, u, u + 2, u + 3);
        char *text = words(context, model, 1);
        parse(text, &slope, &sign, &threshold);
        const double chol = 3, age = threshold - slope * chol;
        const double size = fabs(u[0] * threshold / 4) + fabs(u[1]) * 5 + fabs(u[2]) + 1;
        assert_close(u[0] * (age - 1) / 4 + u[1] * (chol - 2) + u[2], 0, 5e-3 * size);
        assert_int_equal(sign, u[0] > 0 ? '>' : '<');
        free(text);
        fathom_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known), cmocka_unit_test(drawn)};
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
