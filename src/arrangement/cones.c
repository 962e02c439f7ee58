/* SPDX-License-Identifier: Apache-2.0 */
/* Cones counted and listed: options and result of the command. */
#include "fathom/cones.h"

#include <math.h>

#include "cone_list.h"
#include "cones_internal.h"
#include "context_internal.h"
#include "faces.h"
#include "memory.h"

#define OWNER fathom_cones_options
static const fathom_option rows[] = {FATHOM_CONES_OPTIONS(FATHOM_OPTION_ROW)};
#undef OWNER
const fathom_option_table fathom_cones_option_table =
    FATHOM_OPTION_TABLE("Cones", rows, fathom_cones_options);

/* What happens to each cone: counted, watched for the empty pattern, listed. */
typedef struct receiver {
    const fathom_hyperplanes *planes;
    fathom_cone_list *list; /* or NULL */
    uint64_t *bits;         /* words: the current cone where the empty pattern is looked for, else NULL */
    int64_t count;
    bool empty_seen;
} receiver;

static fathom_status receive(void *user, const fathom_cone_block *block)
{
    receiver *r = user;
    const int64_t words = r->planes->words;
    const int32_t *flip = block->flip;
    const uint64_t *pattern = block->pattern;
    r->count += block->count;
    for (int64_t j = 0; j < block->count && r->bits && !r->empty_seen; j++) {
        uint64_t any = 0;
        fathom_cone_block_step(r->bits, words, block->flips[j], &flip, &pattern);
        for (int64_t k = 0; k < words; k++)
            any |= r->bits[k];
        r->empty_seen = any == 0;
    }
    return r->list ? fathom_cone_list_put(r->list, block) : FATHOM_OK;
}

static fathom_status start_over(void *user)
{
    receiver *r = user;
    r->count = 0;
    r->empty_seen = false;
    return r->list ? fathom_cone_list_reset(r->list) : FATHOM_OK;
}

/* Enumerates, and lists where asked. *simple: whether the hyperplanes are in general position. */
static fathom_status enumerate(receiver *to, bool *simple, const fathom_cones_options *options)
{
    fathom_cone_list list = {0};
    const bool listed = options->list && !options->faces; /* of faces: list_faces */
    const bool witnesses = listed && options->witness == 0;
    const fathom_cone_sink sink = {
        .user = to, .witnesses = witnesses, .gaps = true, .put = receive, .reset = start_over};
    fathom_status status = FATHOM_OK;
    if (listed) {
        status = fathom_cone_list_open(&list, to->planes, options->list, witnesses);
        to->list = &list;
    }
    FATHOM_THEN(status, fathom_cones_enumerate(simple, to->planes, &sink));
    if (status == FATHOM_OK && listed)
        status = fathom_cone_list_close(&list);
    fathom_cone_list_free(&list);
    to->list = NULL;
    return status;
}

/* Number of cones without looking at them where general position is proved; otherwise by enumeration. */
static fathom_status count_only(receiver *to, bool *simple, const fathom_cones_options *options)
{
    const double cones = fathom_cover_count(to->planes->p, to->planes->r);
    const fathom_status status = fathom_simple_enumerate(simple, to->planes, NULL);
    if (status == FATHOM_OK && *simple && cones < 0x1p53) {
        to->count = (int64_t)cones;
        return FATHOM_OK;
    }
    return status == FATHOM_OK ? enumerate(to, simple, options) : status;
}

static const char *method_name(const fathom_hyperplanes *planes, bool simple, bool formula)
{
    if (!simple)
        return "restriction";
    if (formula)
        return "formula";
    return planes->r <= 2 ? "angles" : "vertices";
}

/* All sets of active points, each with a point that has it, into the list. */
static fathom_status list_faces(int64_t *count, const fathom_hyperplanes *planes,
                                const fathom_cones_options *options)
{
    fathom_cone_list list = {0};
    receiver to = {.planes = planes, .list = &list};
    const fathom_cone_sink sink = {.user = &to, .witnesses = true, .put = receive, .reset = start_over};
    fathom_status status = fathom_cone_list_open(&list, planes, options->list, options->witness == 0);
    FATHOM_THEN(status, fathom_faces_enumerate(count, planes, &sink));
    FATHOM_THEN(status, fathom_cone_list_close(&list));
    fathom_cone_list_free(&list);
    return status;
}

/*
 * In general position, without opposite points, a set U of measure zero is that of a cone beside it (points on walls
 * move to the closed side), except that of the origin, U = {}, which is new where no cone has it [margins: F4].
 */
static fathom_status count_faces(fathom_cones_result *result, const receiver *seen, bool simple,
                                 const fathom_cones_options *options)
{
    if (options->list)
        return list_faces(&result->faces, seen->planes, options);
    if (!simple || seen->planes->opposed)
        return fathom_faces_enumerate(&result->faces, seen->planes, NULL);
    result->faces = result->cones + !seen->empty_seen;
    return FATHOM_OK;
}

/* bits (words): workspace where faces are asked for, else NULL. */
static fathom_status enumerate_cells(fathom_cones_result *result, const fathom_hyperplanes *planes,
                                     const fathom_cones_options *options, uint64_t *bits)
{
    const int64_t n = planes->n, d = planes->d, least = n < d ? n : d;
    const double expected = fathom_cover_count(planes->p, planes->r);
    const bool formula = options->count && !options->list && !options->faces;
    receiver seen = {.planes = planes, .bits = bits};
    bool simple = false;
    if (expected > options->limit)
        return fathom_error_set(planes->context, FATHOM_ERROR_MEMORY,
                                "this arrangement has about %.3g cones; --limit allows %.3g", expected,
                                options->limit);
    result->hyperplanes = planes->p;
    result->rank = planes->r;
    FATHOM_TRY(formula ? count_only(&seen, &simple, options) : enumerate(&seen, &simple, options));
    /* In one dimension all nonzero points span the same hyperplane {0}, yet any one of them is independent. */
    const bool distinct = d == 1 ? planes->member_start[planes->p] == n : planes->p == n;
    *result = (fathom_cones_result){.cones = seen.count,
                                    .faces = -1,
                                    .hyperplanes = planes->p,
                                    .rank = planes->r,
                                    .general_position = simple && distinct && planes->r == least,
                                    .cover_count = fathom_cover_count(n, d),
                                    .method = method_name(planes, simple, formula)};
    return options->faces ? count_faces(result, &seen, simple, options) : FATHOM_OK;
}

fathom_status fathom_cones_run(fathom_cones_result *result, fathom_context *context, const fathom_data *data,
                               const fathom_cones_options *options)
{
    fathom_cones_options defaults;
    fathom_hyperplanes *planes = NULL;
    if (!options) {
        fathom_options_init(&defaults, &fathom_cones_option_table);
        options = &defaults;
    }
    fathom_data *decimals = NULL;
    const fathom_data_view view = fathom_data_look(data);
    *result = (fathom_cones_result){.cones = -1,
                                    .faces = -1,
                                    .hyperplanes = -1,
                                    .rank = -1,
                                    .cover_count = fathom_cover_count(view.n, view.d),
                                    .method = "none"};
    fathom_status status = fathom_options_check(context, options, &fathom_cones_option_table);
    if (status == FATHOM_OK && !options->as_doubles)
        status = fathom_data_decimals(&decimals, data);
    FATHOM_THEN(status, fathom_hyperplanes_create(&planes, context, decimals ? decimals : data));
    uint64_t *bits = NULL;
    if (status == FATHOM_OK && options->faces) {
        bits = fathom_memory_alloc(context, planes->words, sizeof *bits);
        status = bits ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    FATHOM_THEN(status, enumerate_cells(result, planes, options, bits));
    if (status == FATHOM_OK || status == FATHOM_ERROR_STOPPED)
        result->reading = decimals ? "decimals" : "doubles";
    fathom_data_free(decimals);
    fathom_memory_free(context, bits);
    fathom_hyperplanes_free(planes);
    return status;
}
