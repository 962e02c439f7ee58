/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: data of every kind ends in a certificate that fathom-check accepts, and nothing temporary stays. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fathom/fathom.h"
#include "inner/certificate.h"
#include "with_context.h"

static char folder[] = "/tmp/fathom-test-XXXXXX";
static char certificate[64];

static int make_folder(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(certificate, sizeof certificate, "%s/proof", folder);
    return set_up(state);
}

static int remove_folder(void **state) { return tear_down(state) + rmdir(folder); /* it is empty */ }

static bool is_there(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

static fathom_train_options small_training(void)
{
    fathom_train_options options;
    fathom_options_init(&options, &fathom_train_option_table);
    options.gap = 1e-3;
    options.verify = true; /* keeps a proof */
    return options;
}

/* Trains, proves and verifies; the path of the kept data in `kept` where a certificate stays. */
static void run(const fathom_job_source *source, char *kept)
{
    const fathom_train_options options = small_training();
    fathom_train_result result = {0};
    fathom_job_verdict verdict;
    fathom_job *job = NULL;
    assert_ok(context, fathom_job_open(&job, context, source));
    assert_ok(context, fathom_train(&result, context, fathom_job_look(job).data, NULL, &options));
    assert_ok(context, fathom_job_verify(&verdict, job, FATHOM_CHECKER));
    assert_int_equal(verdict.answer, FATHOM_JOB_NOT_ASKED); /* nothing is written yet */
    assert_ok(context, fathom_job_prove_train(job, &result, 1, &options));
    assert_ok(context, fathom_job_verify(&verdict, job, FATHOM_CHECKER));
    assert_int_equal(verdict.answer, source->verify ? FATHOM_JOB_ACCEPTED : FATHOM_JOB_NOT_ASKED);
    assert_true(!source->verify || strncmp(verdict.text, "accepted", 8) == 0);
    const fathom_job_view view = fathom_job_look(job);
    assert_true(!view.certificate == !source->certificate);
    snprintf(kept, FATHOM_CERTIFICATE_PATH, "%s", view.path);
    fathom_job_end(job);
    fathom_train_result_clear(&result);
}

static void test_generated(void **state)
{
    fathom_data_options options;
    char kept[FATHOM_CERTIFICATE_PATH];
    (void)state;
    fathom_options_init(&options, &fathom_data_option_table);
    for (int k = 0; k < 4; k++) {
        options.bias = k & 1 ? FATHOM_BIAS_AUGMENT : FATHOM_BIAS_NONE;
        run(&(fathom_job_source){.spec = "gen:gauss,n=8,d=2,target=teacher",
                                 .options = &options,
                                 .certificate = k & 2 ? certificate : NULL,
                                 .verify = true},
            kept);
        assert_int_equal(is_there(kept), k >> 1); /* beside a certificate that stays, else gone */
        assert_int_equal(is_there(certificate), k >> 1);
        unlink(kept);
        unlink(certificate);
    }
}

static void test_in_memory(void **state)
{
    const double x[] = {1, 2, -1, 0.5, 0.25, -2, 3, 1}, y[] = {1, -1, 0.5, 2}, weight[] = {1, 2, 1, 0.5};
    fathom_data_options plain, steps;
    fathom_data *given;
    char kept[FATHOM_CERTIFICATE_PATH];
    (void)state;
    fathom_options_init(&plain, &fathom_data_option_table);
    steps = plain;
    steps.normalize = FATHOM_NORMALIZE_STANDARDIZE;
    assert_ok(context, fathom_data_create(&given, context, 4, 2, x, 2, 1, y, weight, &plain));
    run(&(fathom_job_source){.given = given, .options = &steps, .certificate = certificate, .verify = true},
        kept);
    assert_true(is_there(kept));
    unlink(kept);
    unlink(certificate);
    fathom_data_free(given);
}

/* Points without targets keep all their columns. */
static void test_without_targets(void **state)
{
    const double x[] = {1, 2, -1, 0.5, 0.25, -2, 3, 1};
    fathom_data_options options;
    fathom_data *given;
    fathom_job *job;
    fathom_job_verdict verdict;
    (void)state;
    fathom_options_init(&options, &fathom_data_option_table);
    assert_ok(context, fathom_data_create(&given, context, 4, 2, x, 2, 0, NULL, NULL, &options));
    const fathom_job_source source = {.given = given, .options = &options, .verify = true};
    assert_ok(context, fathom_job_open(&job, context, &source));
    const fathom_data_view view = fathom_data_look(fathom_job_look(job).data);
    fathom_data *decimals;
    assert_ok(context, fathom_data_decimals(&decimals, fathom_job_look(job).data));
    assert_null(decimals); /* numbers in memory are doubles, on their way through a file too */
    assert_int_equal(view.d, 2);
    assert_int_equal(view.outputs, 0);
    for (int k = 0; k < 8; k++)
        assert_true(view.x[k / 2 * view.ld + k % 2] == x[k]);
    assert_ok(context, fathom_job_prove_cones(job, false, false));
    assert_ok(context, fathom_job_verify(&verdict, job, FATHOM_CHECKER));
    assert_int_equal(verdict.answer, FATHOM_JOB_ACCEPTED);
    fathom_job_end(job);
    fathom_data_free(given);
}

/* A job that comes to nothing leaves nothing, and its end is legal after every failure. */
static void test_failures(void **state)
{
    fathom_data_options options;
    fathom_job *job;
    char kept[96];
    (void)state;
    fathom_options_init(&options, &fathom_data_option_table);
    const char *const wrong[] = {"gen:nothing", "/no/such/file.csv"};
    for (int k = 0; k < 2; k++) {
        const fathom_job_source source = {.spec = wrong[k], .options = &options, .verify = true};
        assert_int_not_equal(fathom_job_open(&job, context, &source), FATHOM_OK);
        fathom_job_end(job);
    }
    const fathom_job_source source = {
        .spec = "gen:gauss,n=4,d=2", .options = &options, .certificate = certificate};
    assert_ok(context, fathom_job_open(&job, context, &source));
    snprintf(kept, sizeof kept, "%s.csv", certificate);
    assert_true(is_there(kept));
    assert_ok(context, fathom_job_prove_train(job, NULL, 0, NULL)); /* a path without a point */
    fathom_job_end(job);
    assert_false(is_there(kept));
    fathom_job_end(NULL);
}

/* A checker that cannot be run, one that never ends, one that rejects. */
static void test_checkers(void **state)
{
    static const struct {
        const char *script;
        fathom_status status;
        fathom_job_answer answer;
    } cases[] = {{"#!/bin/sh\nexec sleep 60\n", FATHOM_OK, FATHOM_JOB_CUT},
                 {"#!/bin/sh\necho rejected: no; exit 4\n", FATHOM_OK, FATHOM_JOB_REJECTED},
                 {"#!/bin/sh\necho broken; exit 1\n", FATHOM_ERROR_RUNTIME, FATHOM_JOB_NOT_ASKED},
                 {NULL, FATHOM_ERROR_RUNTIME, FATHOM_JOB_NOT_ASKED}};
    const fathom_train_options train = small_training();
    fathom_data_options options;
    char script[96];
    (void)state;
    fathom_options_init(&options, &fathom_data_option_table);
    snprintf(script, sizeof script, "%s/checker", folder);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        fathom_job *job;
        fathom_job_verdict verdict;
        fathom_train_result result = {0};
        const fathom_job_source source = {
            .spec = "gen:gauss,n=5,d=2,target=teacher", .options = &options, .verify = true};
        FILE *file = cases[k].script ? fopen(script, "w") : NULL;
        if (file) {
            fputs(cases[k].script, file);
            fclose(file);
            chmod(script, 0700);
        }
        assert_ok(context, fathom_job_open(&job, context, &source));
        assert_ok(context, fathom_train(&result, context, fathom_job_look(job).data, NULL, &train));
        assert_ok(context, fathom_job_prove_train(job, &result, 1, &train));
        fathom_context_start_clock(context);
        fathom_context_set_time_limit(context, 0.05);
        const fathom_status status = fathom_job_verify(&verdict, job, script);
        assert_true(fathom_context_seconds(context) < 30);
        fathom_context_set_time_limit(context, INFINITY);
        assert_int_equal(status, cases[k].status);
        assert_int_equal(verdict.answer, cases[k].answer);
        fathom_job_end(job);
        fathom_train_result_clear(&result);
        unlink(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated),       cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_without_targets), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_checkers),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
