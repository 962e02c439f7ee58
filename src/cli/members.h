/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Members of a JSON object as a table: what a command prints is written as rows, in the order of the output.
 *
 *     CLI_SET(json, cli_real("gap", r->gap), cli_integer("neurons", r->neurons), cli_when(list, cli_text("list", list)))
 */
#ifndef FATHOM_MEMBERS_H
#define FATHOM_MEMBERS_H

#include "fathom/json.h"

typedef enum cli_member_type {
    CLI_MEMBER_NONE, /* left out */
    CLI_MEMBER_NULL,
    CLI_MEMBER_REAL,
    CLI_MEMBER_INTEGER,
    CLI_MEMBER_BOOL,
    CLI_MEMBER_TEXT,
    CLI_MEMBER_VECTOR
} cli_member_type;

/* One row; texts and vectors are borrowed. */
typedef struct cli_member {
    const char *key;
    cli_member_type type;
    double real;
    int64_t integer; /* or the length of the vector, or the truth */
    const char *text;
    const double *vector;
} cli_member;

static inline cli_member cli_real(const char *key, double value)
{
    return (cli_member){.key = key, .type = CLI_MEMBER_REAL, .real = value};
}

static inline cli_member cli_integer(const char *key, int64_t value)
{
    return (cli_member){.key = key, .type = CLI_MEMBER_INTEGER, .integer = value};
}

static inline cli_member cli_bool(const char *key, bool value)
{
    return (cli_member){.key = key, .type = CLI_MEMBER_BOOL, .integer = value};
}

/* A NULL text is written as null. */
static inline cli_member cli_text(const char *key, const char *value)
{
    return (cli_member){.key = key, .type = CLI_MEMBER_TEXT, .text = value};
}

static inline cli_member cli_vector(const char *key, const double *value, int64_t count)
{
    return (cli_member){.key = key, .type = CLI_MEMBER_VECTOR, .vector = value, .integer = count};
}

/* null where it is not known. */
static inline cli_member cli_known(bool known, cli_member member)
{
    member.type = known ? member.type : CLI_MEMBER_NULL;
    return member;
}

/* Left out where it does not apply. */
static inline cli_member cli_when(bool applies, cli_member member)
{
    member.type = applies ? member.type : CLI_MEMBER_NONE;
    return member;
}

/* Sets the members in their order; the first failure ends it. */
fathom_status cli_set(fathom_json *json, const cli_member *member, size_t count);

#define CLI_SET(json, ...)                             \
    cli_set((json), (const cli_member[]){__VA_ARGS__}, \
            sizeof((const cli_member[]){__VA_ARGS__}) / sizeof(cli_member))

#endif
