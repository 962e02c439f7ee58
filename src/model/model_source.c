/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a model file by name; see model_source.h. All that differs between JSON and NPZ is here. */
#include "model_source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "json_internal.h"
#include "memory.h"
#include "model_internal.h"
#include "npz.h"

/* More than any model that fits in memory. */
static const int64_t size_limit = INT64_C(1) << 33;

fathom_status fathom_source_refuse(const fathom_source *source, const char *name, const char *what)
{
    return fathom_error_set_at(source->context, FATHOM_ERROR_INPUT, source->file, 0, 0, "%s: expected %s",
                               name, what);
}

fathom_status fathom_source_open(fathom_source *source, fathom_bytes *bytes)
{
    fathom_context *context = fathom_bytes_context(bytes);
    *source = (fathom_source){.context = context, .file = fathom_bytes_name(bytes)};
    const unsigned char *head;
    unsigned char *text = NULL;
    size_t length;
    int64_t size;
    FATHOM_TRY(fathom_bytes_peek(bytes, &head, &length));
    if (length >= 2 && memcmp(head, "PK", 2) == 0) /* a zip archive */
        return fathom_npz_open_bytes(&source->npz, bytes);
    fathom_status status = fathom_bytes_read_all(bytes, &text, &size, size_limit);
    FATHOM_THEN(status,
                fathom_json_parse(&source->json, context, (const char *)text, (size_t)size, source->file));
    fathom_memory_free(context, text);
    return status;
}

void fathom_source_close(fathom_source *source)
{
    fathom_json_free(source->json);
    if (source->npz)
        fathom_npz_close(source->npz);
    source->json = NULL;
    source->npz = NULL;
}

bool fathom_source_has(const fathom_source *source, const char *name)
{
    if (source->npz)
        return fathom_npz_has(source->npz, name);
    return fathom_json_has(source->json, name) && !fathom_json_is_null(source->json, name);
}

/* A text of hexadecimal bytes, decoded in place; false where it is none. */
static bool decode_bytes(char *text)
{
    static const char digits[] = "0123456789abcdef";
    char *out = text;
    for (const char *at = text; *at; at += 2, out++) {
        const char *high = strchr(digits, at[0]), *low = at[1] ? strchr(digits, at[1]) : NULL;
        if (!high || !low || (high == digits && low == digits))
            return false;
        *out = (char)(16 * (high - digits) + (low - digits));
    }
    *out = 0;
    return true;
}

/* A list of any length. */
static fathom_status read_texts(char ***texts, int64_t *count, const fathom_source *source, const char *name)
{
    fathom_context *context = source->context;
    *texts = NULL;
    *count = 0;
    if (source->npz)
        return fathom_npz_get_texts(texts, count, source->npz, name);
    int64_t length;
    FATHOM_TRY(fathom_json_get_count(&length, source->json, name));
    *texts = fathom_memory_zero(context, length, sizeof **texts);
    *count = length;
    fathom_status status = *texts ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    for (int64_t k = 0; k < length && status == FATHOM_OK; k++) {
        const char *text;
        status = fathom_json_get_text_item(&text, source->json, name, k);
        if (status == FATHOM_OK && !((*texts)[k] = fathom_memory_text(context, text)))
            status = FATHOM_ERROR_MEMORY;
    }
    if (status != FATHOM_OK) {
        fathom_model_free_texts(context, *texts, length);
        *texts = NULL;
        *count = 0;
    }
    return status;
}

fathom_status fathom_source_names(char ***texts, int64_t *count, const fathom_source *source,
                                  const char *name)
{
    char key[32];
    snprintf(key, sizeof key, "%s_bytes", name);
    const bool bytes = fathom_source_has(source, key);
    fathom_status status = read_texts(texts, count, source, bytes ? key : name);
    for (int64_t k = 0; bytes && k < *count && status == FATHOM_OK; k++)
        if (!decode_bytes((*texts)[k]))
            status = fathom_source_refuse(source, key, "hexadecimal bytes");
    if (status != FATHOM_OK) {
        fathom_model_free_texts(source->context, *texts, *count);
        *texts = NULL;
        *count = 0;
    }
    return status;
}

fathom_status fathom_source_text(char **text, const fathom_source *source, const char *name)
{
    *text = NULL;
    if (!source->npz) {
        const char *lent;
        FATHOM_TRY(fathom_json_get_text(&lent, source->json, name));
        *text = fathom_memory_text(source->context, lent);
        return *text ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    }
    char **texts;
    int64_t count;
    FATHOM_TRY(fathom_npz_get_texts(&texts, &count, source->npz, name));
    fathom_status status = FATHOM_OK;
    if (count == 1) {
        *text = fathom_memory_text(source->context, texts[0]);
        status = *text ? FATHOM_OK : FATHOM_ERROR_MEMORY;
    } else {
        status = fathom_source_refuse(source, name, "one text");
    }
    fathom_npz_texts_free(source->context, texts, count);
    return status;
}

fathom_status fathom_source_real(double *value, const fathom_source *source, const char *name)
{
    if (!source->npz)
        return fathom_json_get_real(value, source->json, name);
    fathom_array array = {0};
    fathom_status status = fathom_npz_get(&array, source->npz, name);
    if (status == FATHOM_OK && array.count != 1)
        status = fathom_source_refuse(source, name, "one number");
    if (status == FATHOM_OK)
        *value = array.values[0];
    fathom_array_free(source->context, &array);
    return status;
}

fathom_status fathom_source_integer(int64_t *value, const fathom_source *source, const char *name)
{
    if (!source->npz)
        return fathom_json_get_integer(value, source->json, name);
    double number = NAN;
    FATHOM_TRY(fathom_source_real(&number, source, name));
    if (!(fabs(number) <= 0x1p53) || number != nearbyint(number))
        return fathom_source_refuse(source, name, "an integer");
    *value = (int64_t)number;
    return FATHOM_OK;
}

/* "3 x 4 numbers" */
static void describe(char text[96], int rank, const int64_t *shape)
{
    int length = 0;
    for (int k = 0; k < rank; k++)
        length +=
            snprintf(text + length, (size_t)(80 - length), "%s%lld", k ? " x " : "", (long long)shape[k]);
    strcpy(text + length, " numbers");
}

/* Reads, or with values = NULL only checks, a JSON array. */
static fathom_status json_array(double *values, const fathom_source *source, const char *name, int rank,
                                const int64_t *shape)
{
    if (rank == 1)
        return fathom_json_get_vector(values, shape[0], source->json, name);
    if (rank == 2)
        return fathom_json_get_matrix(values, shape[0], shape[1], shape[1], source->json, name);
    return fathom_json_get_tensor(values, shape, source->json, name);
}

static fathom_status npz_array(double **values, const fathom_source *source, const char *name, int rank,
                               const int64_t *shape)
{
    fathom_array array = {0};
    fathom_status status = fathom_npz_get(&array, source->npz, name);
    bool agrees = array.rank == rank;
    for (int k = 0; k < rank && agrees; k++)
        agrees = array.shape[k] == shape[k];
    if (status == FATHOM_OK && !agrees) {
        char expected[96];
        describe(expected, rank, shape);
        status = fathom_source_refuse(source, name, expected);
    }
    if (status == FATHOM_OK) {
        *values = array.values;
        array.values = NULL;
    }
    fathom_array_free(source->context, &array);
    return status;
}

fathom_status fathom_source_array(double **values, const fathom_source *source, const char *name, int rank,
                                  const int64_t *shape)
{
    *values = NULL;
    if (source->npz)
        return npz_array(values, source, name, rank, shape);
    FATHOM_TRY(json_array(NULL, source, name, rank, shape));
    int64_t count = 1;
    for (int k = 0; k < rank; k++)
        count *= shape[k]; /* every entry is there: no overflow */
    *values = fathom_memory_alloc(source->context, count, sizeof(double));
    return *values ? json_array(*values, source, name, rank, shape) : FATHOM_ERROR_MEMORY;
}

/* Parses a text that must be an object: of all JSON values only that starts with a brace. */
static fathom_status parse_object(fathom_json **object, const fathom_source *source, const char *name,
                                  const char *text)
{
    if (text[strspn(text, " \t\r\n")] != '{')
        return fathom_source_refuse(source, name, "an object");
    return fathom_json_parse(object, source->context, text, strlen(text), source->file);
}

fathom_status fathom_source_object(fathom_json **object, const fathom_source *source, const char *name)
{
    fathom_json *member;
    char *text = NULL;
    *object = NULL;
    fathom_status status;
    if (source->npz) {
        status = fathom_source_text(&text, source, name);
        FATHOM_THEN(status, parse_object(object, source, name, text));
        fathom_memory_free(source->context, text);
        return status;
    }
    status = fathom_json_get_object(&member, source->json, name);
    FATHOM_THEN(status, fathom_json_text(&text, member, false));
    FATHOM_THEN(status, parse_object(object, source, name, text));
    if (text)
        fathom_json_text_free(member, text);
    return status;
}
