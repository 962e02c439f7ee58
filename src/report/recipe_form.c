/* SPDX-License-Identifier: Apache-2.0 */
/* Members of recipes: their kinds, sizes and names. */
#include "recipe_form.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "json_internal.h"

enum { WORD = 60, EXPRESSION = 4000 };

fathom_status form_refuse(const form_checker *c, const char *format, ...)
{
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fathom_error_set_at(c->context, FATHOM_ERROR_INPUT, c->file, 0, 0, "%s: %s", c->place, text);
}

/* What a getter or a parser found wrong, with the place before it. */
fathom_status form_pass(const form_checker *c, fathom_status status)
{
    char text[600];
    if (status != FATHOM_ERROR_INPUT && status != FATHOM_ERROR_USAGE)
        return status;
    snprintf(text, sizeof text, "%s", fathom_context_error(c->context)->text);
    return form_refuse(c, "%s", text);
}

fathom_status form_only(const form_checker *c, const fathom_json *object, const char *const *known)
{
    if (fathom_json_is_list(object))
        return form_refuse(c, "an object is expected, not a list");
    const char *stranger = fathom_json_stranger(object, known);
    return stranger ? form_refuse(c, "nothing reads the member \"%.100s\"", stranger) : FATHOM_OK;
}

/* A word of letters, digits and underscores. */
static bool is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length > 0 && length <= WORD && !text[length] && !isdigit((unsigned char)*text);
}

/* Letters, digits and the signs of `others`, not beginning with a dot. */
bool form_is_plain(const char *text, const char *others)
{
    size_t length = 0;
    while (text[length] && (isalnum((unsigned char)text[length]) || strchr(others, text[length])))
        length++;
    return length > 0 && length <= 100 && !text[length] && *text != '.';
}

fathom_status form_name(const char **name, const form_checker *c, const fathom_json *object, const char *key)
{
    const fathom_status status = fathom_json_get_text(name, object, key);
    if (status != FATHOM_OK)
        return form_pass(c, status);
    return is_name(*name)
               ? FATHOM_OK
               : form_refuse(c, "\"%s\" is a name of at most %d letters, digits and underscores, not %.80s",
                             key, WORD, *name);
}

/* A list that need not be there, of `least` to `most` items; *list NULL where it is not. */
fathom_status form_list(fathom_json **list, const form_checker *c, fathom_json *object, const char *key,
                        int64_t least, int64_t most)
{
    *list = NULL;
    if (!fathom_json_has(object, key) && least == 0)
        return FATHOM_OK;
    const fathom_status status = fathom_json_get_list(list, object, key);
    if (status != FATHOM_OK)
        return form_pass(c, status);
    const int64_t count = fathom_json_count(*list);
    return count >= least && count <= most
               ? FATHOM_OK
               : form_refuse(c, "\"%s\" has %lld items; %lld to %lld can be there", key, (long long)count,
                             (long long)least, (long long)most);
}

/* A list of texts that need not be there. */
fathom_status form_texts(const form_checker *c, fathom_json *object, const char *key, int64_t most)
{
    fathom_json *list;
    const char *text;
    FATHOM_TRY(form_list(&list, c, object, key, 0, most));
    for (int64_t k = 0; list && k < fathom_json_count(list); k++)
        FATHOM_TRY(form_pass(c, fathom_json_get_text_item(&text, object, key, k)));
    return FATHOM_OK;
}

fathom_status form_optional_texts(const form_checker *c, const fathom_json *object, const char *const *key)
{
    const char *text;
    fathom_status status = FATHOM_OK;
    for (; *key && status == FATHOM_OK; key++)
        if (fathom_json_has(object, *key))
            status = form_pass(c, fathom_json_get_text(&text, object, *key));
    return status;
}

/* A number that need not be there, or null, from least to most. */
fathom_status form_real(const form_checker *c, const fathom_json *object, const char *key, double least,
                        double most)
{
    double value;
    if (!fathom_json_has(object, key) || fathom_json_is_null(object, key))
        return FATHOM_OK;
    const fathom_status status = fathom_json_get_real(&value, object, key);
    if (status != FATHOM_OK)
        return form_pass(c, status);
    return value >= least && value <= most
               ? FATHOM_OK
               : form_refuse(c, "\"%s\" is %g; %g to %g can be there", key, value, least, most);
}

/* A table of this name from here on. */
fathom_status form_table(form_checker *c, const char *name)
{
    static const char *const reserved[] = {"id",        "paper",         "what",
                                           "claim",     "note",          "why",
                                           "quick",     "charts",        "tables",
                                           "criteria",  "verdict",       "recipe",
                                           "command",   "command_lines", "missing",
                                           "seconds",   "draws",         "stopped",
                                           "version",   "seed",          "error",
                                           "arguments", "items",         "page",
                                           "progress",  "network",       "processor_seconds",
                                           "file"};
    for (size_t k = 0; k < sizeof reserved / sizeof *reserved; k++)
        if (strcmp(reserved[k], name) == 0)
            return form_refuse(c, "no table can be called %s", name);
    return fathom_recipe_names_table(&c->names, name);
}

fathom_status form_known(const form_checker *c, const char *name)
{
    return fathom_recipe_names_known(&c->names, name)
               ? FATHOM_OK
               : form_refuse(c, "there is no table %.80s so far", name);
}

/* The columns that a list of the rule names. */
fathom_status form_columns(form_checker *c, fathom_json *rule, const char *table, const char *key)
{
    int64_t count = 0;
    const char *path;
    fathom_status status = fathom_json_has(rule, key) ? fathom_json_get_count(&count, rule, key) : FATHOM_OK;
    for (int64_t k = 0; k < count && status == FATHOM_OK; k++) {
        status = fathom_json_get_text_item(&path, rule, key, k);
        FATHOM_THEN(status, fathom_recipe_names_column(&c->names, table, path));
    }
    return status;
}

/* "needs": one table or a list of them. */
fathom_status form_needs(const form_checker *c, fathom_json *object)
{
    const char *name;
    fathom_json *list;
    if (fathom_json_get_text(&name, object, "needs") == FATHOM_OK)
        return form_known(c, name);
    fathom_status status = form_list(&list, c, object, "needs", 1, FORM_COLUMNS);
    for (int64_t k = 0; status == FATHOM_OK && k < fathom_json_count(list); k++) {
        status = form_pass(c, fathom_json_get_text_item(&name, object, "needs", k));
        FATHOM_THEN(status, form_known(c, name));
    }
    return status;
}

/* An expression that parses and names known tables and functions; `one`: it gives one number. */
fathom_status form_expression(const form_checker *c, const fathom_json *object, const char *key, bool one)
{
    const char *text;
    int64_t count;
    fathom_status status = fathom_json_get_text(&text, object, key);
    if (status == FATHOM_OK && strlen(text) > EXPRESSION)
        return form_refuse(c, "an expression has more than %d letters", EXPRESSION);
    FATHOM_THEN(status, fathom_recipe_names_try(&count, &c->names, text));
    if (status != FATHOM_OK)
        return form_pass(c, status);
    return one && count != 1
               ? form_refuse(
                     c,
                     "one number is asked for, and this is a column (max, mean, ... give a number): %.200s",
                     text)
               : FATHOM_OK;
}
