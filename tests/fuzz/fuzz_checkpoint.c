/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the checkpoint of a run, which goes on from there or refuses: the first byte says of which
 * command. Checksums of archive members are set right first, since nothing random passes them. What a resumed
 * run claims is held against an interval for the optimum from a run of its own: a lower bound above it, or an
 * objective below it, would be a claim that was believed.
 */
#include "fuzzing.h"

#include <string.h>
#include <zlib.h>

#include "dynamics_internal.h"
#include "fathom/flow.h"
#include "fathom/margin.h"
#include "fathom/train.h"

static uint32_t number(const uint8_t *at, int size)
{
    uint32_t value = 0;
    for (int k = 0; k < size; k++)
        value |= (uint32_t)at[k] << (8 * k);
    return value;
}

static void put(uint8_t *at, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(value >> (8 * k));
}

/* Every entry of the central directory: the checksum of its stored bytes, there and in its local header. */
static void set_checksums(uint8_t *file, size_t size)
{
    for (size_t at = 0; at + 46 <= size; at++) {
        if (memcmp(file + at, "PK\1\2", 4) != 0 || number(file + at + 10, 2) != 0)
            continue;
        const size_t local = number(file + at + 42, 4), stored = number(file + at + 20, 4);
        if (local > size || size - local < 30)
            continue;
        const size_t start = local + 30 + number(file + local + 26, 2) + number(file + local + 28, 2);
        if (start > size || stored > size - start)
            continue;
        const uint32_t sum = (uint32_t)crc32(0, file + start, (uInt)stored);
        put(file + at + 16, sum);
        put(file + local + 14, sum);
    }
}

/* From here on so many seconds: what is looked for shows when a state is read and first used. */
static void limit(fathom_context *context, double seconds)
{
    fathom_context_start_clock(context);
    fathom_context_set_time_limit(context, seconds);
}

/* The problems, as tests/fuzz/seeds.py runs them. */
static fathom_data *open_data(fathom_context *context, const char *spec)
{
    fathom_data *data;
    limit(context, 60); /* that of the input before has passed */
    must_hold(fathom_data_open(&data, context, spec, NULL) == FATHOM_OK);
    return data;
}

static fathom_status resume_flow(fathom_context *context, const char *path)
{
    static fathom_data *data;
    fathom_flow_options options;
    fathom_flow_result result = {0};
    if (!data)
        data = open_data(context, "gen:xor,n=8");
    fathom_options_init(&options, &fathom_flow_option_table);
    options.net = "huber";
    options.width = 6;
    options.until = "steps=30";
    options.resume = path;
    limit(context, 0.05);
    const fathom_status status = fathom_flow_run(&result, context, data, &options);
    if (status == FATHOM_OK)
        fathom_flow_result_clear(&result);
    return status;
}

static fathom_status resume_train(fathom_context *context, const char *path, int method)
{
    static fathom_data *data;
    static double lower, upper; /* of the optimum */
    fathom_train_options options;
    fathom_train_result result = {0};
    fathom_options_init(&options, &fathom_train_option_table);
    options.beta_rel = 0.3;
    if (!data) {
        data = open_data(context, "gen:gauss,n=7,d=3,target=teacher");
        fathom_context_set_time_limit(context, 60);
        must_hold(fathom_train(&result, context, data, NULL, &options) == FATHOM_OK);
        lower = result.lower_bound;
        upper = result.objective;
        fathom_train_result_clear(&result);
    }
    options.gap = 0.1;
    options.effort = 1;
    options.method = method;
    options.resume = path;
    limit(context, 0.05);
    const fathom_status status = fathom_train(&result, context, data, NULL, &options);
    if (status != FATHOM_OK)
        return status;
    must_hold(result.lower_bound <= upper * (1 + 1e-12) && result.objective >= lower * (1 - 1e-12));
    fathom_train_result_clear(&result);
    return FATHOM_OK;
}

enum { POINTS = 2 };

static fathom_status resume_path(fathom_context *context, const char *file)
{
    static fathom_data *data;
    static double lower[POINTS], upper[POINTS]; /* of the optima */
    fathom_train_options options;
    fathom_path_options path;
    fathom_path_result result;
    fathom_options_init(&options, &fathom_train_option_table);
    fathom_options_init(&path, &fathom_path_option_table);
    path.points = POINTS;
    options.model = FATHOM_TRAIN_GATED;
    options.gates = "4";
    if (!data) {
        data = open_data(context, "gen:gauss,n=7,d=3,target=teacher");
        fathom_context_set_time_limit(context, 60);
        must_hold(fathom_path(&result, context, data, NULL, &options, &path) == FATHOM_OK);
        must_hold(result.count == POINTS);
        for (int k = 0; k < POINTS; k++) {
            lower[k] = result.point[k].lower_bound;
            upper[k] = result.point[k].objective;
        }
        fathom_path_result_clear(&result, context);
    }
    options.resume = file;
    limit(context, 0.05);
    const fathom_status status = fathom_path(&result, context, data, NULL, &options, &path);
    if (status != FATHOM_OK)
        return status;
    for (int64_t k = 0; k < result.count; k++)
        must_hold(result.point[k].lower_bound <= upper[k] * (1 + 1e-12) &&
                  result.point[k].objective >= lower[k] * (1 - 1e-12));
    fathom_path_result_clear(&result, context);
    return FATHOM_OK;
}

static fathom_status resume_margin(fathom_context *context, const char *path)
{
    static fathom_data *data;
    fathom_margin_options options;
    fathom_margin_result *result;
    if (!data)
        data = open_data(context, "gen:gauss,n=6,d=3,target=sign");
    fathom_options_init(&options, &fathom_margin_option_table);
    options.kind = FATHOM_MARGIN_NTK_FULL;
    options.samples = 200;
    options.resume = path;
    limit(context, 0.002); /* a look at samples takes 25 ms */
    const fathom_status status = fathom_margin(&result, context, data, &options);
    if (status == FATHOM_OK)
        fathom_margin_free(result);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    if (size == 0)
        return 0;
    uint8_t *file = malloc(size);
    must_hold(file);
    memcpy(file, data + 1, size - 1);
    set_checksums(file, size - 1);
    const char *path = fuzz_file(file, size - 1);
    free(file);
    fathom_context_set_threads(context, 1);
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    fathom_dynamics_any_digest = true;
#endif
    const fathom_status status = data[0] == 'f'   ? resume_flow(context, path)
                                 : data[0] == 'm' ? resume_margin(context, path)
                                 : data[0] == 'p' ? resume_path(context, path)
                                 : data[0] == 'c' ? resume_train(context, path, FATHOM_TRAIN_COLUMNS)
                                                  : resume_train(context, path, FATHOM_TRAIN_AUTO);
    must_hold(status == FATHOM_OK || status == FATHOM_ERROR_RUNTIME ||
              fathom_context_error(context)->text[0]);
    return 0;
}
