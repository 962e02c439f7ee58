/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: every family and form survives JSON and NPZ bit for bit; every fault is refused with file and member;
 * every allocation may fail. */
#include "inner/json.h"
#include "model_support.h"

#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "faults.h"
#include "json_internal.h"
#include "model_internal.h"

static const char *const extensions[] = {".json", ".npz"};

static void temporary(char path[64], const char *extension)
{
    snprintf(path, 64, "/tmp/fathom-model-%ld%s", (long)getpid(), extension);
}

/* Numbers that are hard to write: subnormal, negative zero, largest, a third. */
static void put_hard_numbers(fathom_net *net)
{
    const double hard[] = {5e-324, -0.0, 1.7976931348623157e308, 1.0 / 3, -2.2250738585072014e-308, 0.1};
    for (int64_t k = 0; k < net->parameters && k < 6; k++)
        net->block[net->parameters - 1 - k] = hard[k];
}

static fathom_model *make_model(fathom_context *context, fathom_net_kind kind, int64_t m, int64_t outputs,
                                int form)
{
    static const double mean[3] = {0.1, -1e-300, 3}, scale[3] = {1, 0.3, 1e300};
    static const char *const columns[] = {"size", "colour=red \"x\"", "\xc3\xa9t\xc3\xa9"};
    static const char *const classes[] = {"cat", "d\xe9g", "\xe2\x82\xac", "\xff"};
    const bool standard = form & 1;
    const fathom_preprocess pre = {standard ? FATHOM_NORMALIZE_STANDARDIZE : FATHOM_NORMALIZE_UNIT,
                                   FATHOM_BIAS_AUGMENT,
                                   3,
                                   standard ? mean : NULL,
                                   standard ? scale : NULL,
                                   form & 2 ? columns : NULL,
                                   (form & 3) == 3,
                                   (form & 6) == 6 ? "ti\xe9p" : NULL,
                                   NULL};
    const fathom_classes named = {outputs == 1 ? 2 : outputs, classes, NULL}, none = {0};
    fathom_net *net = model_net(context, kind, 4, m, outputs, form & 2, (fathom_net_scale)(form % 3));
    put_hard_numbers(net);
    fathom_model *model;
    const fathom_loss loss =
        form & 4 ? outputs == 1 ? FATHOM_LOSS_HINGE : FATHOM_LOSS_SOFTMAX : FATHOM_LOSS_SQUARED;
    assert_ok(context, fathom_model_create(&model, context, net, loss, &pre, form & 4 ? &named : &none));
    assert_ok(context, fathom_json_set_real(model->training, "objective", 1.0 / 7));
    return model;
}

static void assert_same_texts(const char *const *a, const char *const *b, int64_t count)
{
    assert_true(!a == !b);
    for (int64_t k = 0; a && k < count; k++)
        assert_string_equal(a[k], b[k]);
}

static void assert_same(const fathom_model *a, const fathom_model *b)
{
    const fathom_model_view u = fathom_model_look(a), v = fathom_model_look(b);
    const fathom_net_shape s = u.net->shape, t = v.net->shape;
    assert_true(s.kind == t.kind && s.d == t.d && s.m == t.m && s.outputs == t.outputs &&
                s.parameter == t.parameter && s.hidden_bias == t.hidden_bias);
    assert_true(fathom_net_scale_value(&s) == fathom_net_scale_value(&t));
    assert_int_equal(u.net->parameters, v.net->parameters);
    assert_memory_equal(u.net->block, v.net->block, (size_t)u.net->parameters * sizeof(double));
    assert_true(u.loss == v.loss && u.preprocess.normalize == v.preprocess.normalize &&
                u.preprocess.bias == v.preprocess.bias && u.preprocess.columns == v.preprocess.columns);
    assert_true(!u.preprocess.mean == !v.preprocess.mean);
    if (u.preprocess.mean) {
        assert_memory_equal(u.preprocess.mean, v.preprocess.mean, 3 * sizeof(double));
        assert_memory_equal(u.preprocess.scale, v.preprocess.scale, 3 * sizeof(double));
    }
    assert_same_texts(u.preprocess.name, v.preprocess.name, u.preprocess.columns);
    assert_int_equal(u.preprocess.one_hot, v.preprocess.one_hot);
    assert_same_texts(&u.preprocess.target, &v.preprocess.target, u.preprocess.target ? 1 : 0);
    assert_true(!u.preprocess.target == !v.preprocess.target);
    assert_int_equal(u.classes.count, v.classes.count);
    assert_same_texts(u.classes.name, v.classes.name, u.classes.count);
    double objective;
    assert_ok(NULL, fathom_json_get_real(&objective, v.training, "objective"));
    assert_true(objective == 1.0 / 7);
}

static void check_round_trip(fathom_context *context, fathom_model *model)
{
    for (int e = 0; e < 2; e++) {
        char path[64];
        fathom_model *back;
        temporary(path, extensions[e]);
        assert_ok(context, fathom_model_write(model, path));
        assert_ok(context, fathom_model_read(&back, context, path));
        assert_same(model, back);
        fathom_model_free(back);
        unlink(path);
    }
    fathom_model_free(model);
}

static void round_trips(void **state)
{
    for (int k = 0; k < MODEL_KINDS; k++)
        for (int form = 0; form < 8; form++) {
            check_round_trip(*state, make_model(*state, model_kinds[k], 5, 1, form));
            check_round_trip(*state, make_model(*state, model_kinds[k], 3, 4, form));
            check_round_trip(*state, make_model(*state, model_kinds[k], 0, 2, form));
        }
}

static void undefined_weights_are_not_written(void **state)
{
    fathom_context *context = *state;
    fathom_model *model = make_model(context, FATHOM_NET_RELU, 2, 1, 0);
    for (int e = 0; e < 2; e++) {
        char path[64];
        temporary(path, extensions[e]);
        model->net->block[0] = e ? NAN : INFINITY;
        assert_int_equal(fathom_model_write(model, path), FATHOM_ERROR_INPUT);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    fathom_model_free(model);
}

static fathom_status read_text(fathom_model **model, fathom_context *context, const char *text)
{
    fathom_bytes *bytes;
    assert_ok(context, fathom_bytes_open_memory(&bytes, context, text, strlen(text), "model.json"));
    const fathom_status status = fathom_model_read_bytes(model, bytes);
    fathom_bytes_close(bytes);
    return status;
}

/* Only what must be there: the rest has defaults. */
static void small_file(void **state)
{
    fathom_context *context = *state;
    fathom_model *model;
    assert_ok(context, read_text(&model, context,
                                 "{\"format\": 1, \"kind\": \"relu\", \"d\": 2, \"m\": 1, \"outputs\": 1,"
                                 " \"U\": [[1, -2]], \"W\": [[3]], \"classes\": [\"no\", \"yes\"]}"));
    const fathom_model_view view = fathom_model_look(model);
    assert_true(view.net->weights.rho[0] == 1 && view.net->weights.c[0] == 0 && !view.net->weights.b);
    assert_true(view.net->weights.u[1] == -2 && view.loss == FATHOM_LOSS_LOGISTIC);
    assert_int_equal(view.preprocess.columns, 2);
    fathom_model_free(model);
}

/* A good file with one piece replaced must be refused with a message that has `word` in it. */
static void refuse(fathom_context *context, const char *piece, const char *by, const char *word)
{
    static const char good[] =
        "{\"format\": \"fathom-model-1\", \"kind\": \"leaky\", \"activation\": \"leaky:0.5\", "
        "\"d\": 2, \"m\": 1, \"outputs\": 1, \"scale\": 1, \"U\": [[1, -2]], \"b\": [4], "
        "\"W\": [[3]], \"c\": [5], \"rho\": [1], \"loss\": \"logistic\", \"preprocess\": "
        "{\"normalize\": \"standardize\", \"bias\": \"augment\", \"mean\": [0], \"scale\": [1]}, "
        "\"classes\": [\"a\", \"b\"], \"class_values\": [0, 1], \"training\": {}}";
    const char *at = strstr(good, piece);
    assert_non_null(at);
    char text[1024];
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, by, at + strlen(piece));
    fathom_model *model;
    const fathom_status status = read_text(&model, context, text);
    const fathom_error *error = fathom_context_error(context);
    if (status != FATHOM_ERROR_INPUT || !strstr(error->text, word) || !error->file ||
        strcmp(error->file, "model.json") != 0)
        fail_msg("%s: status %d, %s: %s", by, (int)status, error->file ? error->file : "no file",
                 error->text);
    assert_null(model);
}

static void faults_are_named(void **state)
{
    refuse(*state, "fathom-model-1", "fathom-model-3", "newer");
    refuse(*state, "\"fathom-model-1\"", "7", "newer");
    refuse(*state, "fathom-model-1", "fathom-model-x", "format");
    refuse(*state, "\"format\": \"fathom-model-1\", ", "", "format");
    refuse(*state, "\"fathom-model-1\"", "0", "format");
    refuse(*state, "\"leaky\"", "\"transformer\"", "kind");
    refuse(*state, "leaky:0.5", "leaky", "activation");
    refuse(*state, "leaky:0.5", "leaky:0.5x", "activation");
    refuse(*state, "leaky:0.5", "leaky:nan", "activation");
    refuse(*state, "leaky:0.5", "leaky:2", "slope");
    refuse(*state, "leaky:0.5", "huber:0.5", "activation");
    refuse(*state, "\"d\": 2", "\"d\": 3", "\"U\"");
    refuse(*state, "\"d\": 2", "\"d\": 2.5", "\"d\"");
    refuse(*state, "\"d\": 2", "\"d\": 0", "d: expected");
    refuse(*state, "\"d\": 2", "\"d\": -1", "d: expected");
    refuse(*state, "\"d\": 2", "\"d\": 4611686018427387904", "d: expected");
    refuse(*state, "\"m\": 1", "\"m\": 1000000000000", "\"U\"");
    refuse(*state, "\"outputs\": 1", "\"outputs\": 1000000000000", "\"W\"");
    refuse(*state, "\"scale\": 1,", "\"scale\": 0.7,", "scale");
    refuse(*state, "[[1, -2]]", "[[1, \"x\"]]", "\"U\"");
    refuse(*state, "[[1, -2]]", "[[1, null]]", "\"U\"");
    refuse(*state, "[[1, -2]]", "[1, -2]", "\"U\"");
    refuse(*state, "[[1, -2]]", "[[1, -2], [1, 2]]", "\"U\"");
    refuse(*state, "[[1, -2]]", "[[1, 1e999]]", "JSON");
    refuse(*state, "[[1, -2]]", "[[1, NaN]]", "JSON");
    refuse(*state, "\"c\": [5]", "\"c\": [5, 6]", "\"c\"");
    refuse(*state, "\"U\"", "\"V\"", "\"U\"");
    refuse(*state, "\"rho\"", "\"V\"", "V");
    refuse(*state, "\"logistic\"", "\"cubic\"", "loss");
    refuse(*state, "\"standardize\"", "\"whiten\"", "normalize");
    refuse(*state, "\"augment\"", "\"none\"", "\"mean\"");
    refuse(*state, "\"mean\": [0], ", "", "mean");
    refuse(*state, "\"scale\": [1]}", "\"scale\": [0]}", "scale");
    refuse(*state, "\"scale\": [1]}", "\"scale\": [1], \"names\": [\"a\", \"b\"]}", "names");
    refuse(*state, "[\"a\", \"b\"]", "[\"a\", 3]", "\"classes\"");
    refuse(*state, "[\"a\", \"b\"]", "[\"a\", \"b\"], \"classes_bytes\": [\"61\", \"6\"]",
           "hexadecimal bytes");
    refuse(*state, "[\"a\", \"b\"]", "[\"a\", \"b\"], \"classes_bytes\": [\"61\", \"00\"]",
           "hexadecimal bytes");
    refuse(*state, "[\"a\", \"b\"]", "[\"a\", \"b\", \"c\"]", "class_values");
    refuse(*state, "[0, 1]", "[1, 1]", "ascend");
    refuse(*state, "\"training\": {}", "\"training\": []", "\"training\"");
    refuse(*state, "\"training\": {}}", "\"training\": {}", "JSON");
    refuse(*state, "\"m\": 1,", "\"m\": 1, \"m\": 1,", "JSON");
}

static void other_files_are_refused(void **state)
{
    fathom_context *context = *state;
    fathom_model *model;
    assert_int_equal(read_text(&model, context, ""), FATHOM_ERROR_INPUT);
    assert_int_equal(read_text(&model, context, "[]"), FATHOM_ERROR_INPUT);
    assert_int_equal(read_text(&model, context, "{}"), FATHOM_ERROR_INPUT);
    assert_int_equal(read_text(&model, context, "PK\x03\x04 and no more"), FATHOM_ERROR_INPUT);
    assert_int_not_equal(fathom_model_read(&model, context, "/no/such/model.json"), FATHOM_OK);
    assert_null(model);
}

/* Writes and reads once, under an allocator of the caller. */
static fathom_status write_and_read(fathom_context *context, void *user)
{
    const char *path = user;
    fathom_model *model = NULL, *again = NULL;
    fathom_status status = fathom_model_read(&model, context, path);
    if (status == FATHOM_OK)
        status = fathom_model_write(model, path);
    if (status == FATHOM_OK)
        status = fathom_model_read(&again, context, path);
    fathom_model_free(model);
    fathom_model_free(again);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    for (int e = 0; e < 2; e++) {
        char path[64];
        temporary(path, extensions[e]);
        fathom_model *model = make_model(*state, FATHOM_NET_GATED, 2, 2, 7);
        assert_ok(*state, fathom_model_write(model, path));
        fathom_model_free(model);
        assert_true(faults_run(write_and_read, path) > 20);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips),
        cmocka_unit_test(undefined_weights_are_not_written),
        cmocka_unit_test(small_file),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, model_setup, model_teardown);
}
