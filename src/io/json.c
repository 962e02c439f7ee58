/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON through jansson: this file alone knows it.
 *
 * A fathom_json is a handle {jansson value, root}. Handles of members are chained to their root and freed with it.
 * jansson takes one pair of allocation functions per process: ours dispatch on the context that the calling thread
 * entered last, and each block carries its own allocator in front, so that it is released where it came from:
 *
 *     | fathom_allocator (32 bytes) | block that jansson sees |
 */
#include "inner/json.h"
#include "json_internal.h"

#include <jansson.h>
#include <math.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "platform.h"

enum { DIGITS = 17 };

struct fathom_json {
    json_t *value;
    fathom_json *root;
    fathom_json *next; /* the root chains the handles of its members */
    fathom_context *context;
    char *name; /* root: the file it came from, or NULL */
};

/* --- allocation ------------------------------------------------------------------------------------------- */

static _Thread_local fathom_context *current;
static _Thread_local bool exhausted; /* an allocation failed since the thread entered */
static _Thread_local bool
    parsing; /* jansson 2.14's lexer overruns its buffer where one fails: help it to the end */
static fathom_platform_once_flag once = FATHOM_PLATFORM_ONCE;

typedef struct {
    alignas(max_align_t) fathom_allocator allocator;
} block_head;

static void release_plain(void *user, void *block)
{
    (void)user;
    free(block);
}

static void *json_allocate(size_t size)
{
    fathom_allocator allocator = *fathom_context_allocator(current);
    /* unreachable: jansson asks for no more than it was given to read */
    if (size > PTRDIFF_MAX - sizeof(block_head))
        return NULL;
    block_head *head = exhausted ? NULL : allocator.allocate(allocator.user, sizeof *head + size);
    if (!head) {
        exhausted = true;
        allocator = (fathom_allocator){.release = release_plain};
        head = parsing ? malloc(sizeof *head + size) : NULL;
    }
    if (!head)
        return NULL;
    head->allocator = allocator;
    return head + 1;
}

static void json_release(void *block)
{
    if (!block)
        return;
    block_head *head = (block_head *)block - 1;
    const fathom_allocator allocator = head->allocator;
    allocator.release(allocator.user, head);
}

static void install(void) { json_set_alloc_funcs(json_allocate, json_release); }

/* Every entry that may allocate passes here. */
static void enter(fathom_context *context)
{
    fathom_platform_once(&once, install);
    current = context;
    exhausted = false;
}

static fathom_status no_memory(const fathom_json *json)
{
    return fathom_error_set(json->context, FATHOM_ERROR_MEMORY, "no memory for a JSON value");
}

/* --- handles ---------------------------------------------------------------------------------------------- */

/* A handle for `value`, whose reference it takes over also on failure. */
static fathom_json *handle(fathom_context *context, fathom_json *root, json_t *value)
{
    fathom_json *json = value ? fathom_memory_zero(context, 1, sizeof *json) : NULL;
    if (!json) {
        json_decref(value);
        return NULL;
    }
    json->context = context;
    json->value = value;
    json->root = root ? root : json;
    if (root) {
        json->next = root->next;
        root->next = json;
    }
    return json;
}

fathom_status fathom_json_create(fathom_json **object, fathom_context *context)
{
    enter(context);
    *object = handle(context, NULL, json_object());
    return *object ? FATHOM_OK : fathom_error_set(context, FATHOM_ERROR_MEMORY, "no memory for a JSON value");
}

void fathom_json_free(fathom_json *root)
{
    while (root) {
        fathom_json *next = root->next;
        json_decref(root->value);
        FATHOM_FREE(root->context, root->name, root);
        root = next;
    }
}

/* --- making ----------------------------------------------------------------------------------------------- */

/* Puts a new value, whose reference is taken over, into an object. */
static fathom_status set(fathom_json *object, const char *key, json_t *value)
{
    if (value && json_object_set_new(object->value, key, value) == 0)
        return FATHOM_OK;
    return no_memory(object);
}

static json_t *real(double value) { return isfinite(value) ? json_real(value) : json_null(); }

/* A text as a value; bytes that are no ASCII in a text that is no UTF-8 become U+FFFD. NULL where memory is short. */
static json_t *text_value(const fathom_json *owner, const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    json_t *value = text ? json_string(text) : json_null();
    if (value || exhausted)
        return value;
    char *copy = fathom_memory_alloc(owner->context, (int64_t)strlen(text), 3), *at = copy;
    if (!copy)
        return NULL;
    for (; *text; text++)
        if ((unsigned char)*text < 128) {
            *at++ = *text;
        } else {
            memcpy(at, replacement, 3);
            at += 3;
        }
    value = json_stringn(copy, (size_t)(at - copy));
    fathom_memory_free(owner->context, copy);
    return value;
}

fathom_status fathom_json_set_text(fathom_json *object, const char *key, const char *text)
{
    enter(object->context);
    return set(object, key, text_value(object, text));
}

fathom_status fathom_json_set_real(fathom_json *object, const char *key, double value)
{
    enter(object->context);
    return set(object, key, real(value));
}

fathom_status fathom_json_set_integer(fathom_json *object, const char *key, int64_t value)
{
    enter(object->context);
    return set(object, key, json_integer(value));
}

fathom_status fathom_json_set_bool(fathom_json *object, const char *key, bool value)
{
    enter(object->context);
    return set(object, key, json_boolean(value));
}

fathom_status fathom_json_set_null(fathom_json *object, const char *key)
{
    enter(object->context);
    return set(object, key, json_null());
}

static bool is_number(const json_t *value)
{
    return json_typeof(value) == JSON_INTEGER || json_typeof(value) == JSON_REAL;
}

/* Lists nested to depth `rank` of numbers that are stride[0], stride[1], ... apart, or NULL. */
static json_t *nest(const double *values, int rank, const int64_t *shape, const int64_t *stride)
{
    json_t *list = json_array();
    for (int64_t k = 0; list && k < shape[0]; k++) {
        const double *at = values + k * stride[0];
        json_t *item = rank == 1 ? real(*at) : nest(at, rank - 1, shape + 1, stride + 1);
        if (json_array_append_new(list, item) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

fathom_status fathom_json_set_vector(fathom_json *object, const char *key, const double *values,
                                     int64_t count)
{
    enter(object->context);
    return set(object, key, nest(values, 1, &count, (const int64_t[]){1}));
}

fathom_status fathom_json_set_matrix(fathom_json *object, const char *key, const double *values, int64_t rows,
                                     int64_t columns, int64_t ld)
{
    enter(object->context);
    return set(object, key, nest(values, 2, (const int64_t[]){rows, columns}, (const int64_t[]){ld, 1}));
}

fathom_status fathom_json_set_tensor(fathom_json *object, const char *key, const double *values,
                                     const int64_t shape[3])
{
    enter(object->context);
    return set(object, key, nest(values, 3, shape, (const int64_t[]){shape[1] * shape[2], shape[2], 1}));
}

fathom_status fathom_json_set_copy(fathom_json *object, const char *key, const fathom_json *value)
{
    enter(object->context);
    return set(object, key, json_deep_copy(value->value));
}

fathom_status fathom_json_set_member(fathom_json *object, const char *key, const fathom_json *other,
                                     const char *from)
{
    enter(object->context);
    json_t *value = json_object_get(other->value, from);
    return set(object, key, value ? json_deep_copy(value) : json_null());
}

fathom_status fathom_json_set_all(fathom_json *object, const fathom_json *other)
{
    const char *key;
    json_t *value;
    fathom_status status = FATHOM_OK;
    enter(object->context);
    /* unreachable: every key of jansson has a value */
    json_object_foreach(other->value, key, value)
    {
        FATHOM_THEN(status, set(object, key, json_deep_copy(value)));
    }
    return status;
}

fathom_status fathom_json_set_texts(fathom_json *object, const char *key, const char *const *texts,
                                    int64_t count)
{
    enter(object->context);
    json_t *list = json_array();
    for (int64_t k = 0; list && k < count; k++)
        if (json_array_append_new(list, text_value(object, texts[k])) != 0) {
            json_decref(list);
            list = NULL;
        }
    return set(object, key, list);
}

/* Makes the value a member and lends a handle to it. */
static fathom_status set_and_lend(fathom_json *object, const char *key, fathom_json **member, json_t *value)
{
    *member = NULL;
    fathom_json *lent = handle(object->context, object->root, json_incref(value));
    const fathom_status status = set(object, key, value);
    if (status == FATHOM_OK && lent)
        *member = lent;
    return *member ? FATHOM_OK : no_memory(object);
}

fathom_status fathom_json_set_object(fathom_json *object, const char *key, fathom_json **member)
{
    enter(object->context);
    return set_and_lend(object, key, member, json_object());
}

fathom_status fathom_json_set_list(fathom_json *object, const char *key, fathom_json **member)
{
    enter(object->context);
    return set_and_lend(object, key, member, json_array());
}

fathom_status fathom_json_append_object(fathom_json *list, fathom_json **member)
{
    enter(list->context);
    json_t *value = json_object();
    *member = handle(list->context, list->root, json_incref(value));
    const bool appended = value && json_array_append_new(list->value, value) == 0;
    return appended && *member ? FATHOM_OK : no_memory(list);
}

fathom_status fathom_json_text(char **text, const fathom_json *root, bool pretty)
{
    enter(root->context);
    *text = json_dumps(root->value,
                       JSON_REAL_PRECISION(DIGITS) | JSON_ENCODE_ANY | (pretty ? JSON_INDENT(1) : 0));
    /* unreachable: jansson 2.14 gives nothing where an allocation failed; other versions may go on */
    if (*text && exhausted) { /* jansson may go on without a part of the value */
        json_release(*text);
        *text = NULL;
    }
    return *text ? FATHOM_OK : no_memory(root);
}

void fathom_json_text_free(const fathom_json *root, char *text)
{
    (void)root;
    json_release(text);
}

fathom_context *fathom_json_context(const fathom_json *json) { return json->context; }

/* --- reading ---------------------------------------------------------------------------------------------- */

/* A text in pieces, so that limits and signals are heard in between. */
typedef struct {
    const fathom_context *context;
    const char *text;
    size_t left;
    bool late;
} parse_source;

static size_t next_piece(void *buffer, size_t size, void *user)
{
    parse_source *source = user;
    const size_t got = size < source->left ? size : source->left;
    source->late = fathom_context_overdue(source->context);
    if (source->late)
        return (size_t)-1;
    memcpy(buffer, source->text, got);
    source->text += got;
    source->left -= got;
    return got;
}

fathom_status fathom_json_parse(fathom_json **root, fathom_context *context, const char *text, size_t size,
                                const char *name)
{
    json_error_t error;
    *root = NULL;
    enter(context);
    parsing = true;
    parse_source source = {.context = context, .text = text, .left = size};
    json_t *value = json_load_callback(next_piece, &source, JSON_REJECT_DUPLICATES, &error);
    parsing = false;
    if (source.late && !value)
        return fathom_error_set_at(context, FATHOM_ERROR_STOPPED, name, 0, 0, "stopped while reading");
    if (exhausted) {
        json_decref(value);
        return fathom_error_set(context, FATHOM_ERROR_MEMORY, "no memory for a JSON value");
    }
    if (!value)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, name, error.line > 0 ? error.line : 0,
                                   error.column > 0 ? error.column : 0, "expected JSON: %s", error.text);
    fathom_json *json = handle(context, NULL, value);
    if (!json)
        return FATHOM_ERROR_MEMORY;
    json->name = fathom_memory_text(context, name);
    if (!json->name) {
        fathom_json_free(json);
        return FATHOM_ERROR_MEMORY;
    }
    *root = json;
    return FATHOM_OK;
}

static fathom_status expected(const fathom_json *object, const char *key, const char *what)
{
    return fathom_error_set_at(object->context, FATHOM_ERROR_INPUT, object->root->name, 0, 0,
                               "expected %s as \"%s\"", what, key);
}

bool fathom_json_has(const fathom_json *object, const char *key)
{
    return json_object_get(object->value, key) != NULL;
}

bool fathom_json_is_null(const fathom_json *object, const char *key)
{
    return json_is_null(json_object_get(object->value, key));
}

fathom_status fathom_json_get_text(const char **text, const fathom_json *object, const char *key)
{
    *text = json_string_value(json_object_get(object->value, key));
    return *text ? FATHOM_OK : expected(object, key, "a text");
}

fathom_status fathom_json_get_real(double *value, const fathom_json *object, const char *key)
{
    const json_t *member = json_object_get(object->value, key);
    *value = json_number_value(member);
    return json_is_number(member) ? FATHOM_OK : expected(object, key, "a number");
}

fathom_status fathom_json_get_integer(int64_t *value, const fathom_json *object, const char *key)
{
    const json_t *member = json_object_get(object->value, key);
    *value = json_integer_value(member);
    return json_is_integer(member) ? FATHOM_OK : expected(object, key, "an integer");
}

fathom_status fathom_json_get_bool(bool *value, const fathom_json *object, const char *key)
{
    const json_t *member = json_object_get(object->value, key);
    *value = json_is_true(member);
    return json_is_boolean(member) ? FATHOM_OK : expected(object, key, "true or false");
}

fathom_status fathom_json_get_count(int64_t *count, const fathom_json *object, const char *key)
{
    const json_t *member = json_object_get(object->value, key);
    *count = (int64_t)json_array_size(member);
    return json_is_array(member) ? FATHOM_OK : expected(object, key, "a list");
}

fathom_status fathom_json_get_shape(int64_t *rows, int64_t *columns, const fathom_json *object,
                                    const char *key)
{
    const json_t *member = json_object_get(object->value, key);
    const json_t *first = json_array_get(member, 0);
    *rows = (int64_t)json_array_size(member);
    *columns = (int64_t)json_array_size(first);
    for (size_t k = 0; k < json_array_size(member); k++) {
        const json_t *row = json_array_get(member, k);
        /* unreachable: a list of jansson has no NULL in it */
        if (!json_is_array(row) || json_array_size(row) != (size_t)*columns)
            return expected(object, key, "a list of lists of equal lengths");
    }
    return json_is_array(member) ? FATHOM_OK : expected(object, key, "a list of lists");
}

/* Lists nested to depth `rank` of this shape, all of numbers, into values (NULL: checked only); false where it
 * is something else. */
static bool unnest(double *values, int rank, const int64_t *shape, const int64_t *stride, const json_t *list)
{
    if (!json_is_array(list) || json_array_size(list) != (size_t)shape[0])
        return false;
    for (int64_t k = 0; k < shape[0]; k++) {
        const json_t *item = json_array_get(list, (size_t)k);
        double *at = values ? values + k * stride[0] : NULL;
        if (rank > 1 ? !unnest(at, rank - 1, shape + 1, stride + 1, item) : !is_number(item))
            return false;
        if (rank == 1 && at)
            *at = json_number_value(item);
    }
    return true;
}

static fathom_status get_array(double *values, int rank, const int64_t *shape, const int64_t *stride,
                               const fathom_json *object, const char *key)
{
    if (unnest(values, rank, shape, stride, json_object_get(object->value, key)))
        return FATHOM_OK;
    char size[80];
    int length = 0;
    for (int k = 0; k < rank; k++)
        length += snprintf(size + length, sizeof size - (size_t)length, "%s%lld", k ? " lists of " : "",
                           (long long)shape[k]);
    return fathom_error_set_at(object->context, FATHOM_ERROR_INPUT, object->root->name, 0, 0,
                               "expected a list of %s numbers as \"%s\"", size, key);
}

fathom_status fathom_json_get_vector(double *values, int64_t count, const fathom_json *object,
                                     const char *key)
{
    return get_array(values, 1, &count, (const int64_t[]){1}, object, key);
}

fathom_status fathom_json_get_matrix(double *values, int64_t rows, int64_t columns, int64_t ld,
                                     const fathom_json *object, const char *key)
{
    return get_array(values, 2, (const int64_t[]){rows, columns}, (const int64_t[]){ld, 1}, object, key);
}

fathom_status fathom_json_get_tensor(double *values, const int64_t shape[3], const fathom_json *object,
                                     const char *key)
{
    return get_array(values, 3, shape, (const int64_t[]){shape[1] * shape[2], shape[2], 1}, object, key);
}

fathom_status fathom_json_get_text_item(const char **text, const fathom_json *object, const char *key,
                                        int64_t index)
{
    const json_t *member = json_object_get(object->value, key);
    *text = index < 0 ? NULL : json_string_value(json_array_get(member, (size_t)index));
    return *text ? FATHOM_OK : expected(object, key, "a list of texts");
}

bool fathom_json_get_number_item(double *value, const fathom_json *object, const char *key, int64_t index)
{
    const json_t *list = json_object_get(object->value, key);
    const json_t *item = index < 0 ? NULL : json_array_get(list, (size_t)index);
    *value = json_number_value(item);
    return json_is_number(item);
}

/* unreachable: a value of jansson is not NULL */
bool fathom_json_is_list(const fathom_json *json) { return json_is_array(json->value); }

const char *fathom_json_stranger(const fathom_json *object, const char *const *known)
{
    const char *key;
    json_t *member;
    /* unreachable: every key of jansson has a value */
    json_object_foreach(object->value, key, member)
    {
        int64_t k = 0;
        while (known[k] && strcmp(known[k], key) != 0)
            k++;
        if (!known[k])
            return key;
    }
    return NULL;
}

const char *fathom_json_key(const fathom_json *object, int64_t index)
{
    void *at = json_object_iter(object->value);
    for (int64_t k = 0; at && k < index; k++)
        at = json_object_iter_next(object->value, at);
    return json_object_iter_key(at);
}

static fathom_status lend(fathom_json **member, fathom_json *object, json_t *value)
{
    enter(object->context);
    *member = handle(object->context, object->root, json_incref(value));
    return *member ? FATHOM_OK : no_memory(object);
}

fathom_status fathom_json_get_object(fathom_json **member, fathom_json *object, const char *key)
{
    json_t *value = json_object_get(object->value, key);
    *member = NULL;
    return json_is_object(value) ? lend(member, object, value) : expected(object, key, "an object");
}

fathom_status fathom_json_get_list(fathom_json **member, fathom_json *object, const char *key)
{
    json_t *value = json_object_get(object->value, key);
    *member = NULL;
    return json_is_array(value) ? lend(member, object, value) : expected(object, key, "a list");
}

int64_t fathom_json_count(const fathom_json *list) { return (int64_t)json_array_size(list->value); }

fathom_status fathom_json_get_item(fathom_json **object, fathom_json *list, int64_t index)
{
    json_t *value = index < 0 ? NULL : json_array_get(list->value, (size_t)index);
    *object = NULL;
    if (json_is_object(value) || json_is_array(value))
        return lend(object, list, value);
    return fathom_error_set_at(list->context, FATHOM_ERROR_INPUT, list->root->name, 0, 0,
                               "expected an object as item %lld of a list", (long long)index);
}
