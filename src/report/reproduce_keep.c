/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of items that are there already. A result carries the mark of its recipe: 64 bits of FNV-1a over the recipe's
 * text, the sizes asked for and the program's version. Where the mark is the same, the result is taken as it stands.
 */
#include "reproduce_keep.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "json_internal.h"
#include "platform.h"

static uint64_t mix(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

fathom_status fathom_reproduce_mark(char mark[FATHOM_REPRODUCE_MARK], const fathom_json *recipe, bool quick,
                                    uint64_t seed)
{
    char *text, number[32];
    FATHOM_TRY(fathom_json_text(&text, recipe, false));
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), text);
    hash = mix(mix(hash, quick ? "quick" : "full"), fathom_version());
    snprintf(number, sizeof number, " %llu", (unsigned long long)seed);
    hash = seed == 1 ? hash : mix(hash, number);
    snprintf(mark, FATHOM_REPRODUCE_MARK, "%016llx", (unsigned long long)hash);
    fathom_json_text_free(recipe, text);
    return FATHOM_OK;
}

/* How many draws met it, and the bounds. */
static fathom_status read_rate(int64_t *draws, int64_t *met, double *low, double *high,
                               const fathom_json *item)
{
    FATHOM_TRY(fathom_json_get_integer(draws, item, "draws"));
    FATHOM_TRY(fathom_json_get_integer(met, item, "met"));
    FATHOM_TRY(fathom_json_get_real(low, item, "low"));
    return fathom_json_get_real(high, item, "high");
}

/* A criterion as it was judged; an undecided value was written as null. */
static fathom_status read_criterion(fathom_reproduce_criterion *c, const fathom_json *item)
{
    const char *name, *relation;
    fathom_status status = fathom_json_get_text(&name, item, "name");
    FATHOM_THEN(status, fathom_json_get_text(&relation, item, "relation"));
    FATHOM_THEN(status, fathom_json_get_real(&c->limit, item, "limit"));
    c->undecided = fathom_json_is_null(item, "holds");
    if (status == FATHOM_OK && !c->undecided)
        status = fathom_json_get_bool(&c->holds, item, "holds");
    if (status == FATHOM_OK && fathom_json_has(item, "draws"))
        status = read_rate(&c->draws, &c->met, &c->low, &c->high, item);
    if (status != FATHOM_OK)
        return status;
    if (!fathom_json_has(item, "share") || fathom_json_get_real(&c->share, item, "share") != FATHOM_OK)
        c->share = NAN;
    if (fathom_json_get_real(&c->value, item, "value") != FATHOM_OK)
        c->value = NAN;
    const char *reading = "";
    if (fathom_json_has(item, "reading"))
        status = fathom_json_get_text(&reading, item, "reading");
    snprintf(c->name, sizeof c->name, "%s", name);
    snprintf(c->relation, sizeof c->relation, "%s", relation);
    snprintf(c->reading, sizeof c->reading, "%s", reading);
    return status;
}

static fathom_status read_reading(fathom_reproduce_reading *r, const fathom_json *item, double *confidence)
{
    const char *name, *verdict;
    FATHOM_TRY(fathom_json_get_text(&name, item, "reading"));
    FATHOM_TRY(fathom_json_get_text(&verdict, item, "verdict"));
    snprintf(r->name, sizeof r->name, "%s", name);
    r->match = strcmp(verdict, "match") == 0;
    r->undecided = strcmp(verdict, "undecided") == 0;
    if (!fathom_json_has(item, "draws"))
        return FATHOM_OK;
    FATHOM_TRY(read_rate(&r->draws, &r->draws_met, &r->low, &r->high, item));
    return fathom_json_get_real(confidence, item, "confidence");
}

static fathom_status read_readings(fathom_reproduce_outcome *outcome, fathom_json *old)
{
    fathom_json *list, *item;
    if (!fathom_json_has(old, "readings"))
        return FATHOM_OK;
    fathom_status status = fathom_json_get_list(&list, old, "readings");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(list) && k < FATHOM_REPRODUCE_READINGS;
         k++) {
        status = fathom_json_get_item(&item, list, k);
        FATHOM_THEN(status, read_reading(&outcome->reading[outcome->readings++], item, &outcome->confidence));
    }
    return status;
}

static fathom_status read_outcome(fathom_reproduce_outcome *outcome, fathom_json *old)
{
    fathom_json *list, *item;
    const char *verdict;
    FATHOM_TRY(fathom_json_get_text(&verdict, old, "verdict"));
    fathom_status status = FATHOM_OK;
    *outcome = (fathom_reproduce_outcome){
        .match = strcmp(verdict, "match") == 0, .undecided = strcmp(verdict, "undecided") == 0, .kept = true};
    if (fathom_json_has(old, "draws")) {
        status = fathom_json_get_object(&item, old, "draws");
        FATHOM_THEN(status,
                    read_rate(&outcome->draws, &outcome->draws_met, &outcome->low, &outcome->high, item));
        FATHOM_THEN(status, fathom_json_get_real(&outcome->confidence, item, "confidence"));
    }
    FATHOM_THEN(status, read_readings(outcome, old));
    if (status != FATHOM_OK || !fathom_json_has(old, "criteria"))
        return status;
    status = fathom_json_get_list(&list, old, "criteria");
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(list) && k < FATHOM_REPRODUCE_CRITERIA;
         k++) {
        status = fathom_json_get_item(&item, list, k);
        FATHOM_THEN(status, read_criterion(&outcome->criterion[outcome->count++], item));
    }
    return status;
}

bool fathom_reproduce_keep(fathom_reproduce_outcome *outcome, fathom_json *result, const char *path,
                           const char *mark)
{
    fathom_json *old;
    const char *there;
    if (!fathom_platform_readable(path) ||
        fathom_json_read(&old, fathom_json_context(result), path) != FATHOM_OK)
        return false;
    const bool kept = fathom_json_get_text(&there, old, "recipe") == FATHOM_OK && strcmp(there, mark) == 0 &&
                      read_outcome(outcome, old) == FATHOM_OK &&
                      fathom_json_set_all(result, old) == FATHOM_OK;
    fathom_json_free(old);
    return kept;
}
