/* SPDX-License-Identifier: Apache-2.0 */
/* From a result to a certificate that the checker accepts, with the bounds that were found; and results without a proof. */
#include "fathom/margin.h"
#include "fathom/train.h"
#include "inner/certificate.h"
#include "inner/margin.h"
#include "inner/train.h"
#include "writing.h"

#include <flint/flint.h>

#include "checker.h"

static const char *const *of_data; /* options of the data, or NULL */

/* Writes the data to a file and trains on that; the words are options of training. */
static void train_on(fathom_train_result *result, fathom_data **data, fathom_train_options *options,
                     char path[512], const char *spec, const char *const *words)
{
    fathom_data_options plain;
    fathom_data *made;
    assert_ok(context, open_data(&made, &plain, context, spec, NULL));
    snprintf(path, 512, "%s", inside("data.csv"));
    assert_ok(context, fathom_data_write(made, path));
    fathom_data_free(made);
    assert_ok(context, open_data(data, &plain, context, path, of_data));
    fathom_options_init(options, &fathom_train_option_table);
    for (; *words; words += 2)
        assert_ok(context,
                  fathom_options_set(context, options,
                                     fathom_options_find(&fathom_train_option_table, words[0]), words[1]));
    assert_ok(context, fathom_train(result, context, *data, NULL, options));
}

/* The certificate about a file, closed and through the checker. Returns its size. */
static long check_file(check *c, fathom_certificate *certificate, const char *path)
{
    inputs in = {0};
    long size, data_size;
    assert_ok(context, fathom_certificate_close(certificate));
    char *text = text_of(inside("a.cert"), &size), *table = text_of(path, &data_size);
    in.certificate = text, in.certificate_size = size;
    in.data = table, in.data_size = data_size;
    flint_cleanup(); /* the checker has its own memory for FLINT */
    if (check_run(c, &in, NULL, &check_limits) != 0)
        fail_msg("rejected: %s", c->message);
    free(text);
    free(table);
    return size;
}

static fathom_certificate *open_certificate(const fathom_data *data, const char *path)
{
    static fathom_data_options plain;
    fathom_certificate *certificate;
    fathom_options_init(&plain, &fathom_data_option_table);
    if (of_data) /* --bias free */
        plain.bias = FATHOM_BIAS_FREE;
    const fathom_certificate_source source = {path, NULL, &plain};
    assert_ok(context, fathom_certificate_open(&certificate, context, inside("a.cert"), data, &source));
    return certificate;
}

/* The certificate of a result, through the checker; returns its size. */
static long accepted(const fathom_train_result *result, const fathom_data *data,
                     const fathom_train_options *options, const char *path)
{
    static check c;
    fathom_certificate *certificate = open_certificate(data, path);
    assert_ok(context, fathom_certificate_add_train(certificate, result, options));
    const long size = check_file(&c, certificate, path);
    assert_close(c.verdict.upper, result->objective, 1e-9 * result->objective);
    assert_true(c.verdict.lower <= result->objective);
    const double room =
        isnan(options->certificate_size) ? 1e-6 : 0x1p-13; /* what is printed is what is proved */
    assert_true(c.verdict.lower >= result->lower_bound - 1e-9 * result->objective);
    assert_close(c.verdict.lower, result->lower_bound, room * result->objective);
    return size;
}

static long round_trip(const char *spec, const char *const *words)
{
    fathom_train_result result;
    fathom_train_options options;
    fathom_data *data;
    char path[512];
    train_on(&result, &data, &options, path, spec, words);
    const long size = accepted(&result, data, &options, path);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    clear_folder();
    return size;
}

static void test_round_trips(void **state)
{
    (void)state;
    static const char *const gated[] = {"model", "gated", "gates", "8", "certificate", "x", NULL};
    static const char *const hinge[] = {"model", "gated", "gates",       "6", "loss", "hinge",
                                        "scale", "mean",  "certificate", "x", NULL};
    static const char *const cones[] = {"method", "gates", "gates", "12", "certificate", "x", NULL};
    static const char *const trees[] = {"gap", "1e-3", "certificate", "x", NULL};
    static const char *const plane[] = {"certificate", "x", NULL};
    round_trip("gen:gauss,n=20,d=3,target=teacher", gated);
    round_trip("gen:gauss,n=20,d=3,target=sign", hinge);
    round_trip("gen:gauss,n=9,d=3,target=teacher", cones);
    round_trip("gen:gauss,n=9,d=3,target=teacher", trees);
    round_trip("gen:gauss,n=9,d=2,target=teacher", plane);
}

/* A certificate does not cost any of the bound: on the line, beside it, in the plane and for every kink
 * beyond. */
static void test_same_bound(void **state)
{
    (void)state;
    static const char *const biased[] = {"bias", "free", NULL};
    static const struct {
        const char *spec;
        const char *words[9];
    } list[] = {{"gen:mixture1d,n=40", {"loss", "hinge", "beta", "1"}},
                {"gen:mixture1d,n=25", {"loss", "logistic", "beta-rel", "1e-3"}},
                {"gen:mixture1d,n=25", {"loss", "equality"}},
                {"gen:rankone,n=9,d=5", {"beta-rel", "1e-3"}},
                {"gen:rankone,n=9,d=5", {"loss", "equality"}},
                {"gen:gauss,n=10,d=2,target=sign", {"loss", "hinge"}},
                {"gen:gauss,n=12,d=2,target=teacher", {"beta-rel", "1e-2"}},
                {"gen:gauss,n=4,d=6,target=teacher", {"scale", "mean"}},
                {"gen:gauss,n=7,d=3,target=sign", {"loss", "logistic"}}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        fathom_train_result plain, proved;
        fathom_train_options options;
        fathom_data *data;
        char path[512];
        const char *words[9] = {NULL};
        memcpy(words, list[k].words, sizeof words);
        of_data = biased;
        train_on(&plain, &data, &options, path, list[k].spec, words);
        fathom_data_free(data);
        int at = 0;
        while (words[at])
            at++;
        words[at] = "certificate", words[at + 1] = "x";
        train_on(&proved, &data, &options, path, list[k].spec, words);
        accepted(&proved, data, &options, path);
        if (proved.status != plain.status)
            fail_msg("%s: %.17g becomes %.17g", list[k].spec, plain.lower_bound, proved.lower_bound);
        assert_close(proved.lower_bound, plain.lower_bound, 2 * options.gap * plain.objective);
        fathom_train_result_clear(&plain);
        fathom_train_result_clear(&proved);
        fathom_data_free(data);
        clear_folder();
        of_data = NULL;
    }
}

/* Margins of every kind are answered as margins. */
static void margin_accepted(const char *spec, const char *kind, const char *width, double most)
{
    static check c;
    fathom_margin_options options;
    fathom_margin_result *margin;
    fathom_data_options plain;
    fathom_data *data;
    char path[512];
    snprintf(path, sizeof path, "%s", inside("data.csv"));
    assert_ok(context, open_data(&data, &plain, context, spec, NULL));
    assert_ok(context, fathom_data_write(data, path));
    fathom_data_free(data);
    assert_ok(context, open_data(&data, &plain, context, path, NULL));
    fathom_options_init(&options, &fathom_margin_option_table);
    assert_ok(context, fathom_options_set(context, &options,
                                          fathom_options_find(&fathom_margin_option_table, "kind"), kind));
    options.width = width;
    assert_ok(context, fathom_margin(&margin, context, data, &options));
    assert_ok(context, fathom_margin_seek_proof(margin, data));
    fathom_certificate *certificate = open_certificate(data, path);
    assert_ok(context, fathom_certificate_add_margin(certificate, margin));
    check_file(&c, certificate, path);
    const fathom_margin_view view = fathom_margin_look(margin);
    const double upper = c.verdict.upper, lower = c.verdict.lower;
    assert_close(lower, view.lower, 1e-9 * view.lower);
    assert_true(lower <= upper && upper >= view.lower && upper <= view.upper * (1 + most));
    fathom_margin_free(margin);
    fathom_data_free(data);
    clear_folder();
}

static void test_margins(void **state)
{
    (void)state;
    margin_accepted("gen:circle,n=8", "ntk", "inf", 1e-9);
    margin_accepted("gen:gauss,n=10,d=3,target=sign", "ntk", "12", 1e-9);
    margin_accepted("gen:xor,n=10", "ntk-full", "30", 1e-9);
    margin_accepted("gen:xor,n=10", "global", "inf", 1e-5);
    margin_accepted("gen:gauss,n=8,d=3,target=sign", "global", "inf", 1e-2);
    margin_accepted("gen:circle,n=6", "ntk", "inf", 0);
    margin_accepted("gen:cube,d=5", "global", "inf", 0);
}

/* Less room: a shorter file, whose claim is still accepted. */
static void test_size(void **state)
{
    (void)state;
    static const char *const large[] = {"method", "columns",     "gap", "1e-4", "effort",
                                        "3",      "certificate", "x",   NULL};
    static const char *const small[] = {"method",           "columns", "gap",         "1e-4",
                                        "effort",           "3",       "certificate", "x",
                                        "certificate-size", "0.005",   NULL};
    const long all = round_trip("gen:gauss,n=16,d=4,target=teacher", large);
    const long less = round_trip("gen:gauss,n=16,d=4,target=teacher", small);
    print_message("%ld bytes, and %ld where 5000 are asked for\n", all, less);
    assert_true(less < all);
}

static void test_refusals(void **state)
{
    (void)state;
    static const char *const words[] = {"model", "gated", "gates", "8", NULL}; /* no proof was asked for */
    fathom_train_result result;
    fathom_train_options options;
    fathom_data *data;
    fathom_certificate *certificate;
    fathom_margin_options full;
    fathom_margin_result *margin;
    char path[512];
    train_on(&result, &data, &options, path, "gen:gauss,n=8,d=3,target=sign", words);
    certificate = open_certificate(data, path);
    assert_int_equal(fathom_certificate_add_train(certificate, &result, &options), FATHOM_ERROR_USAGE);
    assert_non_null(strstr(fathom_context_error(context)->text, "no proof to write"));
    fathom_options_init(&full, &fathom_margin_option_table);
    full.method = FATHOM_MARGIN_SAMPLE; /* an interval with a confidence, which nothing proves */
    full.samples = 1000;
    assert_ok(context, fathom_margin(&margin, context, data, &full));
    assert_int_equal(fathom_certificate_add_margin(certificate, margin), FATHOM_ERROR_USAGE);
    assert_non_null(
        strstr(fathom_context_error(context)->text, "a certificate of a margin is for finite width"));
    fathom_margin_free(margin);
    fathom_certificate_abort(certificate);
    fathom_train_result_clear(&result);
    fathom_data_free(data);
    assert_int_equal(clear_folder(), 1); /* the data */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trips), cmocka_unit_test(test_margins),
                                       cmocka_unit_test(test_same_bound), cmocka_unit_test(test_size),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
