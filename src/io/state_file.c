/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of interrupted runs in NPZ archives: stored as they are, so that runs are resumed bit for bit. */
#include "state_file.h"

#include <stdio.h>
#include <string.h>

#include "context_internal.h"

uint64_t fathom_state_hash(uint64_t hash, const void *data, int64_t words)
{
    for (int64_t k = 0; k < words; k++) {
        uint64_t word;
        memcpy(&word, (const char *)data + 8 * k, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    return hash;
}

fathom_status fathom_state_add(fathom_npz_writer *writer, const char *name, const double *values,
                               int64_t count)
{
    return fathom_npz_add(writer, name, values, 1, &count, count);
}

fathom_status fathom_state_take(double *values, const fathom_npz *npz, fathom_context *context,
                                const char *path, const char *name, int64_t count)
{
    fathom_array array = {0};
    FATHOM_TRY(fathom_npz_get(&array, npz, name));
    fathom_status status = FATHOM_OK;
    if (array.count == count)
        memcpy(values, array.values, (size_t)count * sizeof *values);
    else
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0, "%s has %lld numbers, not %lld",
                                     name, (long long)array.count, (long long)count);
    fathom_array_free(context, &array);
    return status;
}

/* Another version of the same kind is named; "fathom gated checkpoint 2": what stands before the last space
 * is the kind. */
static fathom_status refuse_format(fathom_context *context, const char *path, const char *found,
                                   const char *format)
{
    const char *version = strrchr(format, ' ');
    const size_t kind = version ? (size_t)(version - format) + 1 : strlen(format);
    if (strncmp(found, format, kind) == 0)
        return fathom_error_set_at(
            context, FATHOM_ERROR_INPUT, path, 0, 0,
            "this is a \"%.60s\", which another version of fathom has written; this one "
            "reads \"%s\"",
            found, format);
    return fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0, "this is no \"%s\"", format);
}

/* ERROR_INPUT where the member "format" is another text, or the `count` numbers of "problem" are others
 * than these. */
static fathom_status check_problem(const fathom_npz *npz, fathom_context *context, const char *path,
                                   const char *format, const double *problem, int64_t count)
{
    char **text = NULL;
    int64_t texts = 0;
    fathom_array stored = {0};
    fathom_status status = fathom_npz_get_texts(&text, &texts, npz, "format");
    if (status == FATHOM_OK && (texts != 1 || strcmp(text[0], format) != 0))
        status = refuse_format(context, path, texts == 1 ? text[0] : "", format);
    fathom_npz_texts_free(context, text, texts);
    FATHOM_THEN(status, fathom_npz_get(&stored, npz, "problem"));
    if (status != FATHOM_OK)
        return status;
    if (stored.count != count || memcmp(stored.values, problem, (size_t)count * sizeof *problem) != 0)
        status = fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0,
                                     "the checkpoint belongs to another problem (data or options)");
    fathom_array_free(context, &stored);
    return status;
}

fathom_status fathom_state_extend(fathom_npz_writer **writer, fathom_context *context, const char *path,
                                  const char *except)
{
    const char *part = fathom_context_part(context);
    char name[64];
    fathom_npz *npz;
    FATHOM_TRY(fathom_npz_open(&npz, context, path));
    snprintf(name, sizeof name, "%s%s", part, except);
    fathom_status status = fathom_npz_create(writer, context, path);
    if (status == FATHOM_OK) {
        fathom_npz_add_all(*writer, npz, name);
        fathom_npz_writer_enter(*writer, part);
    }
    fathom_npz_close(npz);
    return status;
}

fathom_status fathom_state_begin(fathom_context *context, const char *path, const char *resume,
                                 const char *format, const double *problem, int64_t count)
{
    fathom_npz_writer *writer;
    fathom_npz *npz;
    fathom_status status = FATHOM_OK;
    fathom_context_set_part(context, NULL);
    if (resume) {
        status = fathom_state_open(&npz, context, resume, format, problem, count);
        if (status == FATHOM_OK && path)
            status = fathom_npz_create(&writer, context, path);
        if (status == FATHOM_OK && path) {
            fathom_npz_add_all(writer, npz, "/"); /* which no name begins with */
            status = fathom_npz_commit(writer);
        }
        fathom_npz_close(npz);
        return status;
    }
    if (!path)
        return FATHOM_OK;
    status = fathom_state_create(&writer, context, path, format, problem, count);
    return status == FATHOM_OK ? fathom_npz_commit(writer) : status;
}

fathom_status fathom_state_has(bool *has, fathom_context *context, const char *path)
{
    fathom_npz *npz;
    FATHOM_TRY(fathom_npz_open(&npz, context, path));
    fathom_npz_enter(npz, fathom_context_part(context));
    *has = fathom_npz_has(npz, "format");
    fathom_npz_close(npz);
    return FATHOM_OK;
}

fathom_status fathom_state_create(fathom_npz_writer **writer, fathom_context *context, const char *path,
                                  const char *format, const double *problem, int64_t count)
{
    const bool part = *fathom_context_part(context) != 0;
    FATHOM_TRY(part ? fathom_state_extend(writer, context, path, "")
                    : fathom_npz_create(writer, context, path));
    fathom_npz_add_texts(*writer, "format", &format, 1);
    fathom_state_add(*writer, "problem", problem, count);
    return FATHOM_OK;
}

fathom_status fathom_state_end(fathom_npz_writer *writer, fathom_status status)
{
    if (status == FATHOM_OK)
        return fathom_npz_commit(writer);
    fathom_npz_abort(writer);
    return status;
}

fathom_status fathom_state_open(fathom_npz **npz, fathom_context *context, const char *path,
                                const char *format, const double *problem, int64_t count)
{
    FATHOM_TRY(fathom_npz_open(npz, context, path));
    fathom_npz_enter(*npz, fathom_context_part(context));
    fathom_status status = check_problem(*npz, context, path, format, problem, count);
    if (status != FATHOM_OK) {
        fathom_npz_close(*npz);
        *npz = NULL;
    }
    return status;
}
