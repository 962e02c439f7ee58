/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a call, compared before it runs: see the header. */
#include "inner/files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "context_internal.h"
#include "file_write.h"
#include "platform.h"

/* What a text names: a file that is there, a name in a folder, or no file at all. */
typedef struct {
    enum { NOTHING, EXISTING, NEW } kind;
    fathom_platform_file file;       /* itself, or its folder */
    char name[FATHOM_PLATFORM_NAME]; /* of a new file in its folder */
} identity;

static bool is_stream(const char *path) { return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0; }

/* The file that a text names by itself; false where there is none. */
static bool find_existing(identity *id, const char *path)
{
    fathom_platform_file found;
    if (!fathom_platform_look(&found, path))
        return false;
    *id = (identity){.kind = EXISTING, .file = found};
    return true;
}

/* "FILE:A:B" and "FILE,more": the longest prefix before a colon or comma that is a file. */
static bool find_prefix(identity *id, const char *path)
{
    char prefix[FATHOM_PLATFORM_PATH];
    if ((size_t)snprintf(prefix, sizeof prefix, "%s", path) >= sizeof prefix)
        return false;
    for (size_t k = strlen(prefix); k-- > 1;)
        if (prefix[k] == ':' || prefix[k] == ',') {
            prefix[k] = 0;
            if (find_existing(id, prefix) && id->file.kind == FATHOM_PLATFORM_REGULAR)
                return true;
        }
    return false;
}

/* A file that is not there yet: its folder and its name. */
static void find_new(identity *id, const char *path)
{
    char folder[FATHOM_PLATFORM_PATH], target[FATHOM_PLATFORM_PATH];
    path = fathom_platform_resolve(target, path) ? target : path; /* a link to a file that is not there yet */
    const char *name = fathom_platform_name(path);
    const size_t length = (size_t)(name - path);
    fathom_platform_file found;
    if (length + 2 >= sizeof folder || strlen(name) >= sizeof id->name)
        return;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2); /* "", "/", "C:" and "a/" alike name a folder with it */
    if (!fathom_platform_look(&found, folder))
        return;
    *id = (identity){.kind = NEW, .file = found};
    snprintf(id->name, sizeof id->name, "%s", name);
}

static identity identify(const fathom_file_use *use)
{
    identity id = {.kind = NOTHING};
    const bool reads = use->purpose == FATHOM_FILE_READ || use->purpose == FATHOM_FILE_RESUME;
    if (reads && use->path && strcmp(use->path, "-") == 0) /* a file, where the shell has put one there */
        find_existing(&id, "/dev/stdin");
    if (!use->path || is_stream(use->path))
        return id;
    if (!find_existing(&id, use->path) && !(reads && find_prefix(&id, use->path)) && !reads)
        find_new(&id, use->path);
    return id;
}

/* Devices and pipes keep nothing that could be lost. */
static bool same_file(const identity *a, const identity *b)
{
    if (a->kind == NOTHING || a->kind != b->kind || a->file.device != b->file.device ||
        a->file.number != b->file.number)
        return false;
    return a->kind == EXISTING ? a->file.kind == FATHOM_PLATFORM_REGULAR : strcmp(a->name, b->name) == 0;
}

/* Whether one file may have both uses. */
static bool compatible(fathom_file_purpose a, fathom_file_purpose b)
{
    const bool reads_a = a == FATHOM_FILE_READ || a == FATHOM_FILE_RESUME;
    const bool reads_b = b == FATHOM_FILE_READ || b == FATHOM_FILE_RESUME;
    if (reads_a && reads_b)
        return true;
    if (a == FATHOM_FILE_BESIDE || b == FATHOM_FILE_BESIDE)
        return reads_a || reads_b || a == b;
    return (a == FATHOM_FILE_RESUME && b == FATHOM_FILE_CHECKPOINT) ||
           (a == FATHOM_FILE_CHECKPOINT && b == FATHOM_FILE_RESUME);
}

static fathom_status compare(fathom_context *context, const fathom_file_use *a, const fathom_file_use *b)
{
    if (compatible(a->purpose, b->purpose))
        return FATHOM_OK;
    const identity one = identify(a), other = identify(b);
    if (!same_file(&one, &other))
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_USAGE,
                            "%s and %s name the same file, %s; it would be lost: give another name", a->name,
                            b->name, b->path);
}

/* A state is replaced again and again, and read back: pipes and devices keep none. */
static fathom_status check_state(fathom_context *context, const fathom_file_use *use)
{
    identity id;
    if (use->purpose != FATHOM_FILE_CHECKPOINT || !use->path ||
        (!is_stream(use->path) && !(find_existing(&id, use->path) && id.file.kind == FATHOM_PLATFORM_STREAM)))
        return FATHOM_OK;
    return fathom_error_set(context, FATHOM_ERROR_USAGE,
                            "%s names %s, a stream or device that keeps no state: give a file", use->name,
                            use->path);
}

/* An output is tried by making its temporary file, which goes again. */
static fathom_status try_output(fathom_context *context, const fathom_file_use *use)
{
    if (!use->path || is_stream(use->path) ||
        (use->purpose != FATHOM_FILE_WRITE && use->purpose != FATHOM_FILE_CHECKPOINT))
        return FATHOM_OK;
    if (!*use->path)
        return fathom_error_set(context, FATHOM_ERROR_USAGE, "%s has an empty name: give a file", use->name);
    return fathom_file_try(context, use->path);
}

/* An input that is read late, a state or a test set, is looked for before the run: what that found would be
 * lost. */
static fathom_status try_input(fathom_context *context, const fathom_file_use *use)
{
    const bool state = use->purpose == FATHOM_FILE_RESUME,
               test = use->purpose == FATHOM_FILE_READ && strcmp(use->name, "test") == 0;
    if ((!state && !test) || !use->path || is_stream(use->path) ||
        (test && (strncmp(use->path, "gen:", 4) == 0 || strncmp(use->path, "builtin:", 8) == 0)))
        return FATHOM_OK;
    const identity id = identify(use);
    if (id.kind == NOTHING)
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, use->path, 0, 0, "cannot open: %s",
                                   strerror(errno ? errno : ENOENT));
    if (fathom_platform_exists(use->path) && !fathom_platform_readable(use->path))
        return fathom_error_set_at(context, FATHOM_ERROR_INPUT, use->path, 0, 0, "cannot open: %s",
                                   strerror(EACCES));
    return FATHOM_OK;
}

fathom_status fathom_files_check(fathom_context *context, const fathom_file_use *use, int64_t count)
{
    fathom_status status = FATHOM_OK;
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = 0; k < j && status == FATHOM_OK; k++)
            status = compare(context, use + k, use + j);
    for (int64_t j = 0; j < count && status == FATHOM_OK; j++)
        status = check_state(context, use + j);
    for (int64_t j = 0; j < count && status == FATHOM_OK; j++)
        status = try_input(context, use + j);
    for (int64_t j = 0; j < count && status == FATHOM_OK; j++)
        status = try_output(context, use + j);
    if (status == FATHOM_OK)
        fathom_context_set_rescues(context, true);
    return status;
}

int64_t fathom_options_files(fathom_file_use *use, int64_t most, const void *options,
                             const fathom_option_table *table)
{
    int64_t count = 0;
    for (int64_t k = 0; k < table->count; k++) {
        const fathom_option *row = table->rows + k;
        const bool reads = row->type == FATHOM_OPTION_INPUT;
        if (!reads && row->type != FATHOM_OPTION_OUTPUT)
            continue;
        const char *path = *(const char *const *)((const char *)options + row->offset);
        if (!path)
            continue;
        const bool state = strcmp(row->name, reads ? "resume" : "checkpoint") == 0;
        if (count < most)
            use[count] = (fathom_file_use){path, row->name,
                                           reads ? (state ? FATHOM_FILE_RESUME : FATHOM_FILE_READ)
                                                 : (state ? FATHOM_FILE_CHECKPOINT : FATHOM_FILE_WRITE)};
        count++;
    }
    return count;
}
