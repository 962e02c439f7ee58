/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a JSON object from a table. */
#include "members.h"
#include "inner/json.h"

static fathom_status set_member(fathom_json *json, const cli_member *m)
{
    switch (m->type) {
    case CLI_MEMBER_NULL:
        return fathom_json_set_null(json, m->key);
    case CLI_MEMBER_REAL:
        return fathom_json_set_real(json, m->key, m->real);
    case CLI_MEMBER_INTEGER:
        return fathom_json_set_integer(json, m->key, m->integer);
    case CLI_MEMBER_BOOL:
        return fathom_json_set_bool(json, m->key, m->integer != 0);
    case CLI_MEMBER_TEXT:
        return fathom_json_set_text(json, m->key, m->text);
    case CLI_MEMBER_VECTOR:
        return fathom_json_set_vector(json, m->key, m->vector, m->integer);
    case CLI_MEMBER_NONE:
        break;
    }
    return FATHOM_OK;
}

fathom_status cli_set(fathom_json *json, const cli_member *member, size_t count)
{
    for (size_t k = 0; k < count; k++)
        FATHOM_TRY(set_member(json, member + k));
    return FATHOM_OK;
}
