/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as JSON: what parses is written, parses again, and is then written the same. */
#include "fuzzing.h"

#include <string.h>

#include "json_internal.h"

static char *write_text(const fathom_json *json)
{
    char *text;
    must_hold(fathom_json_text(&text, json, false) == FATHOM_OK);
    return text;
}

static void round_trip(fathom_context *context, fathom_json *first)
{
    fathom_json *second;
    char *text = write_text(first);
    must_hold(fathom_json_parse(&second, context, text, strlen(text), "again") == FATHOM_OK);
    char *again = write_text(second);
    must_hold(strcmp(text, again) == 0);
    fathom_json_text_free(first, text);
    fathom_json_text_free(second, again);
    fathom_json_free(second);
}

/* The getters of a model file. */
static void read_members(fathom_json *json)
{
    double values[6];
    int64_t rows, columns, integer;
    const char *text;
    fathom_json *member;
    if (fathom_json_get_shape(&rows, &columns, json, "U") == FATHOM_OK && rows == 2 && columns == 3)
        fathom_json_get_matrix(values, 2, 3, 3, json, "U");
    fathom_json_get_vector(values, 2, json, "b");
    fathom_json_get_text(&text, json, "kind");
    fathom_json_get_text_item(&text, json, "classes", 1);
    fathom_json_get_integer(&integer, json, "d");
    fathom_json_get_object(&member, json, "preprocess");
    if (fathom_json_get_list(&member, json, "path") == FATHOM_OK)
        fathom_json_get_item(&member, member, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fathom_context *context = fuzz_context();
    fathom_json *json;
    const fathom_status status = fathom_json_parse(&json, context, (const char *)data, size, "input");
    if (status == FATHOM_OK) {
        round_trip(context, json);
        read_members(json);
    } else {
        check_failure(context, status);
    }
    fathom_json_free(json);
    return 0;
}
