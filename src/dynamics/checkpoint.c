/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a run in a JSON file, written whole or not at all; a resumed run takes the same steps bit for
 * bit.
 *
 *   format "fathom flow checkpoint 2", source and data_options (the specification of the data and its options
 *     as lines; null for arrays),
 *   options (those of the run, likewise), version, method, net, parameter, width, train_first, train_output,
 *     loss, seed (text),
 *   n, d, data (hash, text), steps, evaluations, events, nonunique, time (null: beyond 1e300), log_time,
 *     last_step,
 *   controller, start_log_loss, last_log_loss, next_record, increases, climb, stiff, and hidden, hidden0 (m x
 *     h), output, output0 (m o), sliding (pairs [j, i]),
 *   modes (--accuracy reference: a digit for each pair of a unit and a plane),
 *   digest (SHA-256 of all of it: nothing else says that this is the state of such a run, since no step can be proved
 *     without being taken again).
 *
 * Where --until cut the last step short (a loss, a time or a distance that was asked for) the state is the
 * one before it: a longer run takes the whole step, with the bits of a run that was never ended there. The
 * data must be those of the first run: their hash is compared. Limits, records and --step may be new
 * (flow_resume.c).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "dynamics_internal.h"
#include "inner/json.h"
#include "json_internal.h"
#include "memory.h"
#include "option_lines.h"
#include "sha256.h"

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
bool fathom_dynamics_any_digest = false;
#endif

static const char format[] = "fathom flow checkpoint 2";

/* Integers by name: the same list writes and reads them. */
typedef struct integer_member {
    const char *key;
    int64_t *value;
} integer_member;
typedef struct real_member {
    const char *key;
    double *value;
} real_member;

enum { INTEGERS = 8, REALS = 6 };

static void list_members(integer_member integer[INTEGERS], real_member real[REALS], dynamics_state *state)
{
    const integer_member integers[INTEGERS] = {{"steps", &state->steps},
                                               {"evaluations", &state->evaluations},
                                               {"events", &state->events},
                                               {"nonunique", &state->nonunique},
                                               {"next_record", &state->next_record},
                                               {"increases", &state->increases},
                                               {"climb", &state->climb},
                                               {"stiff", &state->stiff}};
    const real_member reals[REALS] = {{"time", &state->time},
                                      {"log_time", &state->log_time},
                                      {"last_step", &state->last_step},
                                      {"controller", &state->controller},
                                      {"start_log_loss", &state->start_log_loss},
                                      {"last_log_loss", &state->last_log_loss}};
    memcpy(integer, integers, sizeof integers);
    memcpy(real, reals, sizeof reals);
}

static fathom_status set_texts(fathom_json *json, const dynamics_problem *problem)
{
    char seed[32], hash[32];
    snprintf(seed, sizeof seed, "%" PRIu64, problem->seed);
    snprintf(hash, sizeof hash, "%016" PRIx64, problem->hash);
    const char *const text[][2] = {{"format", format},
                                   {"version", fathom_version()},
                                   {"net", fathom_net_kind_name(problem->plan.kind)},
                                   {"loss", fathom_loss_name(problem->plan.loss)},
                                   {"seed", seed},
                                   {"data", hash}};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        FATHOM_TRY(fathom_json_set_text(json, text[k][0], text[k][1]));
    FATHOM_TRY(fathom_json_set_real(json, "parameter", problem->plan.parameter));
    FATHOM_TRY(fathom_json_set_integer(json, "width", problem->plan.m));
    FATHOM_TRY(fathom_json_set_bool(json, "train_first", problem->plan.first));
    return fathom_json_set_bool(json, "train_output", problem->plan.output);
}

/* Where the data came from, and how the run was asked for: what --resume needs beside the state. */
static fathom_status set_origin(fathom_json *json, const dynamics_problem *problem)
{
    fathom_flow_options kept = *problem->options;
    char *lines;
    kept.until = kept.trace_of = kept.log = kept.checkpoint = kept.resume = NULL;
    kept.every = 0;
    fathom_status status =
        fathom_option_lines_write(&lines, problem->context, &kept, &fathom_flow_option_table);
    FATHOM_THEN(status, fathom_json_set_text(json, "options", lines));
    FATHOM_THEN(status, fathom_json_set_text(json, "source", problem->source));
    FATHOM_THEN(status, fathom_json_set_text(json, "data_options", problem->data_options));
    fathom_memory_free(problem->context, lines);
    return status;
}

static fathom_status set_weights(fathom_json *json, const dynamics_problem *problem,
                                 const dynamics_state *good, const dynamics_state *start)
{
    const int64_t m = problem->m, h = problem->h, d = problem->d;
    FATHOM_TRY(fathom_json_set_matrix(json, "hidden", good->hidden, m, h, h));
    FATHOM_TRY(fathom_json_set_matrix(json, "hidden0", start->hidden0, m, h, h));
    FATHOM_TRY(fathom_json_set_vector(json, "output", good->output, m * problem->o));
    FATHOM_TRY(fathom_json_set_vector(json, "output0", start->output0, m * problem->o));
    if (problem->fixed)
        FATHOM_TRY(fathom_json_set_matrix(json, "fixed", problem->fixed, m, d, d));
    return FATHOM_OK;
}

/* Sliding pairs as a list of numbers j n + i. */
static fathom_status set_sliding(fathom_json *json, const dynamics_problem *problem,
                                 const dynamics_state *good)
{
    const int64_t pairs = problem->m * problem->n;
    int64_t count = 0;
    if (!good->sliding)
        return FATHOM_OK;
    for (int64_t k = 0; k < pairs; k++)
        count += good->sliding[k];
    double *list = fathom_memory_alloc(problem->context, count, sizeof *list);
    if (!list)
        return FATHOM_ERROR_MEMORY;
    count = 0;
    for (int64_t k = 0; k < pairs; k++)
        if (good->sliding[k])
            list[count++] = (double)k;
    const fathom_status status = fathom_json_set_vector(json, "sliding", list, count);
    fathom_memory_free(problem->context, list);
    return status;
}

/* Modes as a text of digits, pair by pair. */
static fathom_status set_modes(fathom_json *json, const dynamics_problem *problem,
                               const dynamics_state *state)
{
    const int64_t pairs = problem->m * problem->planes.count;
    if (!state->modes || pairs == 0 || state->modes[0] == DYNAMICS_UNKNOWN)
        return FATHOM_OK;
    char *text = fathom_memory_zero(problem->context, pairs + 1, 1);
    if (!text)
        return FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < pairs; k++)
        text[k] = (char)('0' + state->modes[k]);
    const fathom_status status = fathom_json_set_text(json, "modes", text);
    fathom_memory_free(problem->context, text);
    return status;
}

static fathom_status set_clocks(fathom_json *json, const dynamics_state *good)
{
    dynamics_state copy = *good;
    integer_member integer[INTEGERS];
    real_member real[REALS];
    fathom_status status = FATHOM_OK;
    list_members(integer, real, &copy);
    for (int k = 0; k < INTEGERS && status == FATHOM_OK; k++)
        status = fathom_json_set_integer(json, integer[k].key, *integer[k].value);
    for (int k = 0; k < REALS && status == FATHOM_OK; k++)
        status = fathom_json_set_real(json, real[k].key, *real[k].value);
    return status;
}

/* Bytes of a state, in one order on every machine; JSON has one word for all that is not finite. */
static void hash_numbers(fathom_sha256 *hash, const double *values, int64_t count)
{
    for (int64_t k = 0; values && k < count; k++) {
        uint64_t bits;
        unsigned char bytes[8];
        memcpy(&bits, values + k, sizeof bits);
        for (int b = 0; b < 8; b++)
            bytes[b] = (unsigned char)(!isfinite(values[k]) ? 0xff : bits >> 8 * b);
        fathom_sha256_update(hash, bytes, sizeof bytes);
    }
}

/* Texts with their ends; a member that is not there is one of its own kind. */
static void hash_texts(fathom_sha256 *hash, const fathom_json *json)
{
    static const char *const keys[] = {"format", "version", "net",    "loss",         "seed",
                                       "data",   "options", "source", "data_options", "modes"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const char *text = "\1";
        if (fathom_json_has(json, keys[k]) && !fathom_json_is_null(json, keys[k]) &&
            fathom_json_get_text(&text, json, keys[k]) != FATHOM_OK)
            text = "\2";
        fathom_sha256_update(hash, text, strlen(text) + 1);
    }
}

/* Of the texts of the file and of what its numbers became. */
static void digest(char hex[65], const fathom_json *json, const dynamics_problem *problem,
                   const dynamics_state *state, const dynamics_state *start)
{
    const int64_t m = problem->m, h = problem->h, o = problem->o;
    dynamics_state copy = *state;
    integer_member integer[INTEGERS];
    real_member real[REALS];
    fathom_sha256 hash;
    fathom_sha256_init(&hash);
    hash_texts(&hash, json);
    list_members(integer, real, &copy);
    for (int k = 0; k < INTEGERS; k++)
        hash_numbers(&hash, &(double){(double)*integer[k].value}, 1);
    for (int k = 0; k < REALS; k++)
        hash_numbers(&hash, real[k].value, 1);
    const double plan[] = {problem->plan.parameter, (double)problem->plan.m, problem->plan.first,
                           problem->plan.output};
    hash_numbers(&hash, plan, sizeof plan / sizeof *plan);
    hash_numbers(&hash, state->hidden, m * h);
    hash_numbers(&hash, start->hidden0, m * h);
    hash_numbers(&hash, state->output, m * o);
    hash_numbers(&hash, start->output0, m * o);
    hash_numbers(&hash, problem->fixed, m * problem->d);
    if (state->sliding)
        fathom_sha256_update(&hash, state->sliding, (size_t)(m * problem->n));
    fathom_sha256_finish(hex, &hash);
}

fathom_status fathom_dynamics_checkpoint_write(const dynamics_run *run)
{
    const dynamics_state *state = run->kept ? &run->before : &run->good;
    fathom_json *json;
    char hex[65];
    FATHOM_TRY(fathom_json_create(&json, run->problem->context));
    fathom_status status = set_texts(json, run->problem);
    FATHOM_THEN(status, set_origin(json, run->problem));
    FATHOM_THEN(status, set_clocks(json, state));
    FATHOM_THEN(status, set_weights(json, run->problem, state, &run->state));
    FATHOM_THEN(status, set_sliding(json, run->problem, state));
    FATHOM_THEN(status, set_modes(json, run->problem, state));
    if (status == FATHOM_OK)
        digest(hex, json, run->problem, state, &run->state);
    FATHOM_THEN(status, fathom_json_set_text(json, "digest", hex));
    FATHOM_THEN(status, fathom_json_write(json, run->problem->options->checkpoint, false));
    fathom_json_free(json);
    return status;
}

static fathom_status refuse(const dynamics_run *run, const char *text)
{
    return fathom_error_set_at(run->problem->context, FATHOM_ERROR_INPUT, run->problem->options->resume, 0, 0,
                               "%s", text);
}

/* ERROR_INPUT unless the text member `key` is `expected`. */
static fathom_status expect(const dynamics_run *run, const fathom_json *json, const char *key,
                            const char *expected, const char *message)
{
    const char *text;
    const fathom_status status = fathom_json_get_text(&text, json, key);
    return status != FATHOM_OK ? status : strcmp(text, expected) == 0 ? FATHOM_OK : refuse(run, message);
}

static fathom_status get_clocks(dynamics_state *state, const fathom_json *json)
{
    integer_member integer[INTEGERS];
    real_member real[REALS];
    fathom_status status = FATHOM_OK;
    list_members(integer, real, state);
    for (int k = 0; k < INTEGERS && status == FATHOM_OK; k++)
        status = fathom_json_get_integer(integer[k].value, json, integer[k].key);
    for (int k = 0; k < REALS && status == FATHOM_OK; k++) {
        if (fathom_json_is_null(json, real[k].key))
            *real[k].value = k == 0 ? INFINITY : NAN;
        else
            status = fathom_json_get_real(real[k].value, json, real[k].key);
    }
    return status;
}

static fathom_status get_sliding(const dynamics_run *run, uint8_t *sliding, const fathom_json *json)
{
    const dynamics_problem *problem = run->problem;
    int64_t count;
    if (!sliding)
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_count(&count, json, "sliding"));
    double *list = fathom_memory_alloc(problem->context, count, sizeof *list);
    if (!list)
        return FATHOM_ERROR_MEMORY;
    fathom_status status = fathom_json_get_vector(list, count, json, "sliding");
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        if (!(list[k] >= 0 && list[k] < (double)(problem->m * problem->n)))
            status = refuse(run, "sliding: no such pair");
        else
            sliding[(int64_t)list[k]] = 1;
    }
    fathom_memory_free(problem->context, list);
    return status;
}

/* The file of a run without --accuracy reference has none. */
static fathom_status get_modes(const dynamics_run *run, uint8_t *modes, const fathom_json *json)
{
    const size_t pairs = (size_t)(run->problem->m * run->problem->planes.count);
    const char *text;
    if (!modes || !fathom_json_has(json, "modes"))
        return FATHOM_OK;
    FATHOM_TRY(fathom_json_get_text(&text, json, "modes"));
    if (strlen(text) != pairs || strspn(text, "012") != pairs)
        return refuse(run, "modes: not those of these planes");
    for (size_t k = 0; k < pairs; k++)
        modes[k] = (uint8_t)(text[k] - '0');
    return FATHOM_OK;
}

/* Weights into the problem and the state, which have the right sizes. */
static fathom_status get_weights(dynamics_run *run, const fathom_json *json)
{
    const int64_t m = run->problem->m, h = run->problem->h, d = run->problem->d, o = run->problem->o;
    dynamics_state *state = &run->state;
    FATHOM_TRY(fathom_json_get_matrix(state->hidden, m, h, h, json, "hidden"));
    FATHOM_TRY(fathom_json_get_matrix(state->hidden0, m, h, h, json, "hidden0"));
    FATHOM_TRY(fathom_json_get_vector(state->output, m * o, json, "output"));
    FATHOM_TRY(fathom_json_get_vector(state->output0, m * o, json, "output0"));
    if (run->problem->fixed)
        FATHOM_TRY(fathom_json_get_matrix(run->problem->fixed, m, d, d, json, "fixed"));
    return FATHOM_OK;
}

/* The file must belong to these data and options. */
static fathom_status check(dynamics_run *run, const fathom_json *json)
{
    const dynamics_problem *problem = run->problem;
    char hash[32];
    int64_t width;
    snprintf(hash, sizeof hash, "%016" PRIx64, problem->hash);
    const char *kind;
    FATHOM_TRY(fathom_json_get_text(&kind, json, "format"));
    if (strcmp(kind, "fathom flow checkpoint 1") == 0)
        return refuse(run, "\"fathom flow checkpoint 1\" is older than this version and has no digest of its "
                           "content: begin anew");
    FATHOM_TRY(expect(run, json, "format", format, "not a checkpoint of fathom flow, or of a newer one"));
    FATHOM_TRY(
        expect(run, json, "data", hash, "the checkpoint belongs to other data (or another --seed of them)"));
    FATHOM_TRY(expect(run, json, "net", fathom_net_kind_name(problem->plan.kind),
                      "the checkpoint has another kind of network: give the same --net"));
    FATHOM_TRY(expect(run, json, "loss", fathom_loss_name(problem->plan.loss),
                      "the checkpoint has another loss: give the same --loss"));
    FATHOM_TRY(fathom_json_get_integer(&width, json, "width"));
    if (width != problem->plan.m)
        FATHOM_TRY(refuse(run, "the checkpoint has another number of hidden units: give the same --width"));
    return FATHOM_OK;
}

static fathom_status get_plan(dynamics_run *run, const fathom_json *json)
{
    dynamics_plan *plan = &run->problem->plan;
    const char *seed;
    char *end;
    FATHOM_TRY(fathom_json_get_text(&seed, json, "seed"));
    run->problem->seed = strtoull(seed, &end, 10);
    if (*end || end == seed || *seed == '-')
        return refuse(run, "seed: not a number");
    FATHOM_TRY(fathom_json_get_real(&plan->parameter, json, "parameter"));
    FATHOM_TRY(fathom_json_get_bool(&plan->first, json, "train_first"));
    return fathom_json_get_bool(&plan->output, json, "train_output");
}

fathom_status fathom_dynamics_checkpoint_read(dynamics_run *run)
{
    fathom_json *json;
    char hex[65];
    FATHOM_TRY(fathom_json_read(&json, run->problem->context, run->problem->options->resume));
    fathom_status status = check(run, json);
    FATHOM_THEN(status, get_plan(run, json));
    FATHOM_THEN(status, get_clocks(&run->state, json));
    FATHOM_THEN(status, get_weights(run, json));
    FATHOM_THEN(status, get_sliding(run, run->state.sliding, json));
    FATHOM_THEN(status, get_modes(run, run->state.modes, json));
    if (status == FATHOM_OK)
        digest(hex, json, run->problem, &run->state, &run->state);
    if (!fathom_dynamics_any_digest)
        FATHOM_THEN(
            status,
            expect(run, json, "digest", hex,
                   "its digest is not that of its content: the file was changed after it was written"));
    fathom_json_free(json);
    return status;
}
