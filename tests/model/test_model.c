/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what they copy, what they refuse. */
#include "model_support.h"

#include "fathom/model.h"

static const char *const names[] = {"cat", "dog"};
static const double mean[2] = {1, -2}, scale[2] = {0.5, 3};

static void copies(void **state)
{
    fathom_context *context = *state;
    char first[] = "a", second[] = "b";
    const char *const columns[] = {first, second};
    fathom_preprocess pre = {
        FATHOM_NORMALIZE_STANDARDIZE, FATHOM_BIAS_AUGMENT, 2, mean, scale, columns, false, NULL, NULL};
    const fathom_classes classes = {2, names, NULL};
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 3, 2, 1, false, FATHOM_SCALE_ONE);
    fathom_model *model;
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_LOGISTIC, &pre, &classes));
    first[0] = 'z';
    const fathom_model_view view = fathom_model_look(model);
    assert_ptr_equal(view.net, net);
    assert_string_equal(view.preprocess.name[0], "a");
    assert_true(view.preprocess.mean != mean && view.preprocess.mean[1] == -2 &&
                view.preprocess.scale[1] == 3);
    assert_int_equal(view.preprocess.columns, 2);
    assert_string_equal(view.classes.name[1], "dog");
    assert_true(view.classes.value[0] == 0 && view.classes.value[1] == 1); /* names that spell no numbers */
    assert_non_null(view.training);
    fathom_model_free(model);
    fathom_model_free(NULL);
}

static void numbers_as_names(void **state)
{
    fathom_context *context = *state;
    const char *const digits[] = {"-1", "2.5"};
    const fathom_classes classes = {2, digits, NULL};
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 3, 2, 1, false, FATHOM_SCALE_ONE);
    fathom_model *model;
    assert_ok(context, fathom_model_create(&model, context, net, FATHOM_LOSS_HINGE, NULL, &classes));
    const fathom_model_view view = fathom_model_look(model);
    assert_true(view.classes.value[0] == -1 && view.classes.value[1] == 2.5);
    assert_int_equal(view.preprocess.columns, 3);
    fathom_model_free(model);
}

static void refused(fathom_context *context, fathom_loss loss, const fathom_preprocess *pre,
                    const fathom_classes *classes)
{
    fathom_net *net = model_net(context, FATHOM_NET_RELU, 3, 2, 1, false, FATHOM_SCALE_ONE);
    fathom_model *model;
    assert_int_equal(fathom_model_create(&model, context, net, loss, pre, classes), FATHOM_ERROR_INPUT);
    assert_null(model);
    fathom_net_free(net);
}

static void refusals(void **state)
{
    const fathom_preprocess narrow = {.columns = 2}, wide = {.bias = FATHOM_BIAS_AUGMENT, .columns = 3};
    const fathom_preprocess bare = {.normalize = FATHOM_NORMALIZE_STANDARDIZE, .columns = 3};
    const double zero[3] = {1, 0, 1}, undefined[3] = {1, NAN, 1}, one[3] = {1, 1, 1};
    const fathom_preprocess flat = {
        .normalize = FATHOM_NORMALIZE_STANDARDIZE, .columns = 3, .mean = one, .scale = zero};
    const fathom_preprocess lost = {
        .normalize = FATHOM_NORMALIZE_STANDARDIZE, .columns = 3, .mean = undefined, .scale = one};
    const fathom_classes three = {3, (const char *const[]){"a", "b", "c"}, NULL}, unordered = {2, names, one};
    refused(*state, FATHOM_LOSS_SQUARED, &narrow, NULL);
    refused(*state, FATHOM_LOSS_SQUARED, &wide, NULL);
    refused(*state, FATHOM_LOSS_SQUARED, &bare, NULL);
    refused(*state, FATHOM_LOSS_SQUARED, &flat, NULL);
    refused(*state, FATHOM_LOSS_SQUARED, &lost, NULL);
    refused(*state, FATHOM_LOSS_LOGISTIC, NULL, &three);
    refused(*state, FATHOM_LOSS_LOGISTIC, NULL, &unordered);
    refused(*state, (fathom_loss)12, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(numbers_as_names),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
