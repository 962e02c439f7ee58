/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic files: see the header. Bytes gather in a buffer; the first failure is kept and ends all writing.
 *
 * Where a context has tried its outputs before a run (fathom_files_check) and one of them fails after it,
 * the bytes go to a rescue file in the current, the temporary or the home folder: what is there already is
 * copied, the rest follows. The call still fails, and its text names that file.
 */
#include "file_write.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "context_internal.h"
#include "decimal.h"
#include "leftovers.h"
#include "memory.h"
#include "platform.h"
#include "ranks.h"

enum { BUFFER = 1 << 16, ATTEMPTS = 100, RESCUE_LIMIT = 1 << 28 };
static const char NOWHERE[] = "/dev/null";
static const size_t MOST = 1 << 23; /* bytes of one write: signals and limits are heard in between */

struct fathom_file {
    fathom_context *context;
    int descriptor;
    bool in_place;        /* standard output, a device or a pipe: no temporary file */
    bool terminal;        /* control characters are shown as ? */
    bool rescued;         /* `temporary` is the rescue file and stays */
    size_t next_folder;   /* where the next rescue file is tried */
    int reason;           /* errno of the first failure */
    int leftover;         /* the temporary file among those that a sudden end removes */
    fathom_status status; /* the first failure */
    int64_t sent;         /* bytes that the system has */
    fathom_sha256 *hash;  /* of what is written, or NULL */
    size_t used;
    char path[FATHOM_PLATFORM_PATH];      /* symbolic links resolved */
    char shown[FATHOM_PLATFORM_PATH];     /* as the user knows it: without the middle of a temporary name */
    char temporary[FATHOM_PLATFORM_PATH]; /* "" where there is none */
    unsigned char buffer[BUFFER];
};

void fathom_file_passing(char middle[FATHOM_FILE_MIDDLE])
{
    snprintf(middle, FATHOM_FILE_MIDDLE, ".%ld.tmp", fathom_platform_process());
}

/* A file that is written under a temporary name of this process, "c.123.tmp.csv" (fathom_file_passing), is
 * told of and rescued by the name that it is to have, "c.csv". */
static void set_shown(fathom_file *file)
{
    char middle[FATHOM_FILE_MIDDLE];
    fathom_file_passing(middle);
    snprintf(file->shown, sizeof file->shown, "%s", file->path);
    char *at = strstr(file->shown, middle);
    if (at)
        memmove(at, at + strlen(middle), strlen(at + strlen(middle)) + 1);
}

/* Records errno's text and keeps the status for all later calls. */
static fathom_status failure(fathom_file *file)
{
    file->reason = errno;
    file->status = fathom_error_set_at(file->context,
                                       file->reason == ENOMEM ? FATHOM_ERROR_MEMORY : FATHOM_ERROR_RUNTIME,
                                       file->shown, 0, 0, "cannot write: %s", strerror(file->reason));
    return file->status;
}

/* Copies the bytes that `from` holds so far. */
static bool copy_bytes(int to, int from, int64_t size)
{
    unsigned char block[BUFFER];
    for (int64_t at = 0; at < size;) {
        const int64_t got = fathom_platform_read_at(from, block, sizeof block, at);
        if (got <= 0 || fathom_platform_write(to, block, (size_t)got) != got)
            return false;
        at += got;
    }
    return true;
}

/* A new file in `folder`, named after the one that failed; its path goes to `rescue`. */
static int open_rescue(char *rescue, const char *folder, const char *path)
{
    for (int k = 0; k < ATTEMPTS; k++) {
        const int length = snprintf(rescue, FATHOM_PLATFORM_PATH, "%s/fathom-rescue-%ld-%d-%s", folder,
                                    fathom_platform_process(), k, fathom_platform_name(path));
        if (length >= FATHOM_PLATFORM_PATH)
            return -1;
        const int descriptor = fathom_platform_open(rescue, FATHOM_PLATFORM_NEW);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Goes on in a rescue file, where one may be made; errno says what went wrong with the file itself. */
static bool rescue(fathom_file *file)
{
    char path[FATHOM_PLATFORM_PATH];
    const int reason = errno;
    if (!fathom_context_rescues(file->context) || file->sent > RESCUE_LIMIT)
        return false;
    for (const char *folder; (folder = fathom_platform_refuge(file->next_folder)) != NULL;) {
        file->next_folder++;
        const int descriptor = *folder ? open_rescue(path, folder, file->shown) : -1;
        if (descriptor < 0)
            continue;
        if (copy_bytes(descriptor, file->descriptor, file->sent)) {
            if (file->descriptor >= 0)
                fathom_platform_close(file->descriptor);
            if (file->temporary[0])
                fathom_platform_remove(file->temporary);
            fathom_leftover_drop(file->leftover);
            file->leftover = 0;
            memcpy(file->temporary, path, sizeof path);
            file->descriptor = descriptor;
            file->reason = file->rescued ? file->reason : reason;
            file->rescued = true;
            file->in_place = false;
            return true;
        }
        fathom_platform_close(descriptor);
        fathom_platform_remove(path);
    }
    errno = reason;
    return false;
}

/* The failure of a file whose bytes are safe elsewhere. */
static void report_rescue(fathom_file *file)
{
    file->status = fathom_error_set_at(file->context, FATHOM_ERROR_RUNTIME, file->shown, 0, 0,
                                       "cannot write: %s; what was to be written is in %s",
                                       strerror(file->reason), file->temporary);
    file->temporary[0] = 0;
}

/* A new file beside the old one; it gets the old one's permissions, or those that the umask leaves. */
static bool open_temporary(fathom_file *file, const fathom_platform_file *old)
{
    for (int k = 0; k < ATTEMPTS; k++) {
        const int length = snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%d.tmp", file->path,
                                    fathom_platform_process(), k);
        if (length >= (int)sizeof file->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        fathom_leftover_hold();
        file->descriptor = fathom_platform_open(file->temporary, FATHOM_PLATFORM_NEW);
        const int reason = errno;
        if (file->descriptor >= 0)
            file->leftover = fathom_leftover_add(file->temporary);
        fathom_leftover_release();
        errno = reason;
        if (file->descriptor >= 0)
            return !old || fathom_platform_give_rights(file->descriptor, old) || errno == EPERM;
        if (errno != EEXIST)
            break;
    }
    file->temporary[0] = 0;
    return false;
}

/* A device or a pipe; whoever is to read a named pipe is waited for until a limit or a signal, and PATIENCE longer. */
static bool open_stream(fathom_file *file)
{
    const double PATIENCE = 0.5; /* seconds */
    double since = INFINITY;
    while ((file->descriptor = fathom_platform_open(file->path, FATHOM_PLATFORM_WRITE)) < 0 &&
           errno == EAGAIN) {
        const double now = fathom_clock_seconds();
        if (now > since + PATIENCE) {
            errno = EPIPE;
            break;
        }
        if (isinf(since) && fathom_context_stop_reason(file->context) != FATHOM_STOP_NONE)
            since = now;
        fathom_platform_nap();
    }
    return file->descriptor >= 0;
}

/* Decides between standard output, writing in place and a temporary file. */
static bool open_target(fathom_file *file, const char *path)
{
    fathom_platform_file old;
    if (!fathom_ranks_lead()) /* rank 0 writes it */
        path = NOWHERE;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        snprintf(file->path, sizeof file->path, "standard output");
        set_shown(file);
        file->in_place = true;
        file->descriptor = FATHOM_PLATFORM_OUTPUT;
        file->terminal = fathom_platform_is_terminal(FATHOM_PLATFORM_OUTPUT);
        return true;
    }
    const int reason = fathom_platform_resolve(file->path, path) ? 0 : errno;
    if (reason && snprintf(file->path, sizeof file->path, "%s", path) >= (int)sizeof file->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    set_shown(file);
    if (reason == ELOOP) { /* a link that leads to itself would be replaced */
        errno = reason;
        return false;
    }
    const bool exists = fathom_platform_look(&old, file->path);
    if (exists && old.kind == FATHOM_PLATFORM_FOLDER) {
        errno = EISDIR;
        return false;
    }
    file->in_place = exists && old.kind == FATHOM_PLATFORM_STREAM;
    if (!file->in_place)
        return open_temporary(file, exists ? &old : NULL);
    return open_stream(file);
}

/* A file that is about to be opened. */
static fathom_file *allocate(fathom_context *context)
{
    fathom_file *file = fathom_memory_alloc(context, 1, sizeof *file);
    if (!file)
        return NULL;
    memset(file, 0, offsetof(fathom_file, buffer));
    file->context = context;
    file->descriptor = -1;
    return file;
}

fathom_status fathom_file_try(fathom_context *context, const char *path)
{
    fathom_platform_file old;
    if (fathom_platform_look(&old, path) && old.kind == FATHOM_PLATFORM_STREAM)
        return FATHOM_OK; /* a pipe's reader would see its end */
    fathom_file *file = allocate(context);
    if (!file)
        return FATHOM_ERROR_MEMORY;
    bool good = open_target(file, path);
    if (good && fathom_platform_look(&old, file->path) && old.kind == FATHOM_PLATFORM_REGULAR &&
        !fathom_platform_writable(file->path)) {
        errno = EACCES; /* its owner has protected it, and a new file would take its name */
        good = false;
    }
    const fathom_status status = good ? FATHOM_OK : failure(file);
    fathom_file_abort(file);
    return status;
}

fathom_status fathom_file_create(fathom_file **file, fathom_context *context, const char *path)
{
    fathom_file *f = allocate(context);
    *file = NULL;
    if (!f)
        return FATHOM_ERROR_MEMORY;
    if (!open_target(f, path) && !rescue(f)) {
        const fathom_status status = failure(f);
        fathom_file_abort(f);
        return status;
    }
    *file = f;
    return FATHOM_OK;
}

/* A terminal obeys control characters, C1 codes of two bytes included: they become question marks. */
static void disarm(unsigned char *data, size_t size)
{
    for (size_t k = 0; k < size; k++)
        if ((data[k] < 0x20 && data[k] != '\n' && data[k] != '\t') || data[k] == 0x7f ||
            (data[k] == 0xc2 && k + 1 < size && data[k + 1] < 0xa0))
            data[k] = '?';
}

/* Hands bytes to the system, all of them or a failure. */
static void send(fathom_file *file, const unsigned char *data, size_t size)
{
    while (size > 0 && file->status == FATHOM_OK) {
        const int64_t count = fathom_platform_write(file->descriptor, data, size);
        if (count < 0) {
            if (errno == EINTR && !fathom_context_interrupted(file->context))
                continue;
            if (file->in_place || !rescue(file))
                failure(file);
        } else {
            file->sent += count;
            data += count;
            size -= (size_t)count;
        }
    }
}

static void late(fathom_file *file)
{
    file->status = fathom_error_set_at(file->context, FATHOM_ERROR_STOPPED, file->shown, 0, 0,
                                       "stopped while writing; no file is left");
}

/* Larger pieces than the buffer go straight to the system. */
void fathom_file_watch(fathom_file *file, fathom_sha256 *hash) { file->hash = hash; }

fathom_status fathom_file_write(fathom_file *file, const void *data, size_t size)
{
    if (file->hash)
        fathom_sha256_update(file->hash, data, size);
    if (size > BUFFER - file->used) {
        send(file, file->buffer, file->used);
        file->used = 0;
        if (file->status == FATHOM_OK && fathom_context_overdue(file->context))
            late(file);
    }
    if (size > BUFFER) {
        for (size_t at = 0; at < size && file->status == FATHOM_OK; at += MOST) {
            send(file, (const unsigned char *)data + at, size - at < MOST ? size - at : MOST);
            if (file->status == FATHOM_OK && size - at > MOST && fathom_context_overdue(file->context))
                late(file);
        }
    } else if (size > 0) {
        memcpy(file->buffer + file->used, data, size);
        if (file->terminal)
            disarm(file->buffer + file->used, size);
        file->used += size;
    }
    return file->status;
}

fathom_status fathom_file_print(fathom_file *file, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) /* formatting takes memory, too */
        return file->status == FATHOM_OK ? failure(file) : file->status;
    if ((size_t)length < sizeof text)
        return fathom_file_write(file, text, (size_t)length);
    char *whole = fathom_memory_alloc(file->context, length + 1, 1);
    if (!whole)
        return file->status == FATHOM_OK ? file->status = FATHOM_ERROR_MEMORY : file->status;
    va_start(arguments, format);
    vsnprintf(whole, (size_t)length + 1, format, arguments);
    va_end(arguments);
    const fathom_status status = fathom_file_write(file, whole, (size_t)length);
    fathom_memory_free(file->context, whole);
    return status;
}

fathom_status fathom_file_write_number(fathom_file *file, double value)
{
    char text[FATHOM_DECIMAL_SIZE];
    if (file->status != FATHOM_OK)
        return file->status; /* digits cost more than bytes */
    return fathom_file_write(file, text, fathom_decimal_format(text, value));
}

fathom_status fathom_file_write_doubles(fathom_file *file, const double *values, int64_t count)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int64_t k = 0; k < count; k++) {
        uint64_t bits;
        memcpy(&bits, values + k, sizeof bits);
        bits = __builtin_bswap64(bits);
        fathom_file_write(file, &bits, sizeof bits);
    }
    return file->status;
#else
    return fathom_file_write(file, values, (size_t)count * sizeof *values);
#endif
}

/* The order matters: data on disk, then the name, then the directory. A crash in between leaves the old
 * file. The rename lasts only once the directory is on disk; some file systems cannot sync one: no
 * failure. */
fathom_status fathom_file_commit(fathom_file *file)
{
    const fathom_status settled = fathom_context_settle(file->context, FATHOM_OK);
    if (settled != FATHOM_OK) {
        fathom_file_abort(file);
        return settled;
    }
    send(file, file->buffer, file->used);
    file->used = 0;
    if (!file->in_place) {
        if (file->status == FATHOM_OK && !fathom_platform_sync(file->descriptor) && !rescue(file))
            failure(file);
        if (file->status == FATHOM_OK && !file->rescued &&
            !fathom_platform_rename(file->temporary, file->path) && !rescue(file))
            failure(file);
        const bool closed = fathom_platform_close(file->descriptor);
        file->descriptor = -1;
        if (file->status == FATHOM_OK && file->rescued)
            report_rescue(file);
        else if (file->status == FATHOM_OK && !closed)
            failure(file);
        if (file->status == FATHOM_OK) {
            file->temporary[0] = 0;
            fathom_platform_sync_folder(file->path);
        }
    }
    const fathom_status status = file->status;
    if (status != FATHOM_OK && status != FATHOM_ERROR_STOPPED &&
        !file->rescued) { /* other calls may have failed since, and left their text */
        errno = file->reason;
        failure(file);
    }
    fathom_file_abort(file);
    return status;
}

void fathom_file_abort(fathom_file *file)
{
    if (!file)
        return;
    if (file->descriptor >= 0 && file->descriptor != FATHOM_PLATFORM_OUTPUT)
        fathom_platform_close(file->descriptor);
    if (file->temporary[0])
        fathom_platform_remove(file->temporary);
    fathom_leftover_drop(file->leftover);
    fathom_memory_free(file->context, file);
}

fathom_status fathom_file_write_all(fathom_context *context, const char *path, const void *data, size_t size)
{
    fathom_file *file;
    FATHOM_TRY(fathom_file_create(&file, context, path));
    fathom_file_write(file, data, size);
    return fathom_file_commit(file);
}

/* Whether two files hold the same bytes. */
static bool same_bytes(const char *a, const char *b)
{
    unsigned char one[4096], other[4096];
    FILE *first = fopen(a, "rb"), *second = fopen(b, "rb");
    bool same = first && second;
    for (size_t got = sizeof one; same && got == sizeof one;) {
        got = fread(one, 1, sizeof one, first);
        same = fread(other, 1, sizeof other, second) == got && memcmp(one, other, got) == 0 && !ferror(first);
    }
    if (first)
        fclose(first);
    if (second)
        fclose(second);
    return same;
}

/* Gives a file a name that must be free. Some file systems have no links: the name is taken first, then
 * filled. */
static bool appear(const char *temporary, const char *path)
{
    if (fathom_platform_link(temporary, path)) {
        fathom_platform_remove(temporary);
        return true;
    }
    if (errno == EEXIST)
        return false;
    const int taken = fathom_platform_open(path, FATHOM_PLATFORM_NEW);
    if (taken < 0)
        return false;
    fathom_platform_close(taken);
    if (fathom_platform_rename(temporary, path))
        return true;
    const int reason = errno;
    fathom_platform_remove(path);
    errno = reason;
    return false;
}

fathom_status fathom_file_settle(bool *made, int *leftover, fathom_context *context, const char *temporary,
                                 const char *path)
{
    *made = false;
    *leftover = 0;
    if (!fathom_ranks_lead())
        return FATHOM_OK;
    fathom_leftover_hold();
    *made = appear(temporary, path);
    const int reason = errno;
    *leftover = *made ? fathom_leftover_add(path) : 0;
    fathom_leftover_release();
    errno = reason;
    if (*made)
        return FATHOM_OK;
    if (errno != EEXIST)
        return fathom_error_set_at(context, FATHOM_ERROR_RUNTIME, path, 0, 0, "cannot write: %s",
                                   strerror(errno));
    if (!same_bytes(temporary, path))
        return fathom_error_set_at(
            context, FATHOM_ERROR_USAGE, path, 0, 0,
            "is there already with other bytes, which would be lost; give the certificate "
            "another name or move that file");
    fathom_platform_remove(temporary);
    return FATHOM_OK;
}
