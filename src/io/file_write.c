/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Atomic files: see the header. Bytes gather in a buffer; the first failure is kept and ends all writing.
 *
 * Where a context has tried its outputs before a run (fathom_files_check) and one of them fails after it, the bytes go
 * to a rescue file in the current, the temporary or the home folder: what is there already is copied, the rest follows.
 * The call still fails, and its text names that file.
 */
#include "file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context_internal.h"
#include "decimal.h"
#include "memory.h"

enum { BUFFER = 1 << 16, ATTEMPTS = 100, RESCUE_LIMIT = 1 << 28 };

struct fathom_file {
    fathom_context *context;
    int descriptor;
    bool in_place;        /* standard output, a device or a pipe: no temporary file */
    bool terminal;        /* control characters are shown as ? */
    bool rescued;         /* `temporary` is the rescue file and stays */
    size_t next_folder;   /* where the next rescue file is tried */
    int reason;           /* errno of the first failure */
    fathom_status status; /* the first failure */
    int64_t sent;         /* bytes that the system has */
    size_t used;
    char path[PATH_MAX];      /* symbolic links resolved */
    char temporary[PATH_MAX]; /* "" where there is none */
    unsigned char buffer[BUFFER];
};

/* Records errno's text and keeps the status for all later calls. */
static fathom_status failure(fathom_file *file)
{
    file->reason = errno;
    file->status = fathom_error_set_at(file->context,
                                       file->reason == ENOMEM ? FATHOM_ERROR_MEMORY : FATHOM_ERROR_RUNTIME,
                                       file->path, 0, 0, "cannot write: %s", strerror(file->reason));
    return file->status;
}

/* Copies the bytes that `from` holds so far. */
static bool copy_bytes(int to, int from, int64_t size)
{
    unsigned char block[BUFFER];
    for (int64_t at = 0; at < size;) {
        const ssize_t got = pread(from, block, sizeof block, (off_t)at);
        if (got <= 0 || write(to, block, (size_t)got) != got)
            return false;
        at += got;
    }
    return true;
}

/* A new file in `folder`, named after the one that failed; its path goes to `rescue`. */
static int open_rescue(char *rescue, const char *folder, const char *path)
{
    const char *slash = strrchr(path, '/');
    for (int k = 0; k < ATTEMPTS; k++) {
        const int length = snprintf(rescue, PATH_MAX, "%s/fathom-rescue-%ld-%d-%s", folder, (long)getpid(), k,
                                    slash ? slash + 1 : path);
        if (length >= PATH_MAX)
            return -1;
        const int descriptor = open(rescue, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Goes on in a rescue file, where one may be made; errno says what went wrong with the file itself. */
static bool rescue(fathom_file *file)
{
    const char *const folders[] = {".", getenv("TMPDIR"), "/tmp", getenv("HOME")};
    char path[PATH_MAX];
    const int reason = errno;
    if (!fathom_context_rescues(file->context) || file->sent > RESCUE_LIMIT)
        return false;
    while (file->next_folder < sizeof folders / sizeof folders[0]) {
        const size_t k = file->next_folder++;
        const int descriptor = folders[k] ? open_rescue(path, folders[k], file->path) : -1;
        if (descriptor < 0)
            continue;
        if (copy_bytes(descriptor, file->descriptor, file->sent)) {
            if (file->descriptor >= 0)
                close(file->descriptor);
            if (file->temporary[0])
                unlink(file->temporary);
            memcpy(file->temporary, path, sizeof path);
            file->descriptor = descriptor;
            file->reason = file->rescued ? file->reason : reason;
            file->rescued = true;
            return true;
        }
        close(descriptor);
        unlink(path);
    }
    errno = reason;
    return false;
}

/* The failure of a file whose bytes are safe elsewhere. */
static void report_rescue(fathom_file *file)
{
    file->status = fathom_error_set_at(file->context, FATHOM_ERROR_RUNTIME, file->path, 0, 0,
                                       "cannot write: %s; what was to be written is in %s",
                                       strerror(file->reason), file->temporary);
    file->temporary[0] = 0;
}

/* A new file beside the old one; it gets the old one's permissions, or those that the umask leaves. */
static bool open_temporary(fathom_file *file, const struct stat *old)
{
    for (int k = 0; k < ATTEMPTS; k++) {
        const int length =
            snprintf(file->temporary, sizeof file->temporary, "%s.%ld-%d.tmp", file->path, (long)getpid(), k);
        if (length >= (int)sizeof file->temporary) {
            errno = ENAMETOOLONG;
            break;
        }
        file->descriptor = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->descriptor >= 0)
            return !old || fchmod(file->descriptor, old->st_mode & 07777) == 0 || errno == EPERM;
        if (errno != EEXIST)
            break;
    }
    file->temporary[0] = 0;
    return false;
}

/* Decides between standard output, writing in place and a temporary file. */
static bool open_target(fathom_file *file, const char *path)
{
    struct stat old;
    if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0) {
        snprintf(file->path, sizeof file->path, "standard output");
        file->in_place = true;
        file->descriptor = STDOUT_FILENO;
        file->terminal = isatty(STDOUT_FILENO);
        return true;
    }
    if (!realpath(path, file->path) &&
        snprintf(file->path, sizeof file->path, "%s", path) >= (int)sizeof file->path) {
        errno = ENAMETOOLONG;
        return false;
    }
    const bool exists = stat(file->path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return false;
    }
    file->in_place = exists && !S_ISREG(old.st_mode);
    if (!file->in_place)
        return open_temporary(file, exists ? &old : NULL);
    file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
    return file->descriptor >= 0;
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
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode))
        return FATHOM_OK; /* a pipe's reader would see its end */
    fathom_file *file = allocate(context);
    if (!file)
        return FATHOM_ERROR_MEMORY;
    const fathom_status status = open_target(file, path) ? FATHOM_OK : failure(file);
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
        const ssize_t count = write(file->descriptor, data, size);
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

/* Larger pieces than the buffer go straight to the system. */
fathom_status fathom_file_write(fathom_file *file, const void *data, size_t size)
{
    if (size > BUFFER - file->used) {
        send(file, file->buffer, file->used);
        file->used = 0;
    }
    if (size > BUFFER) {
        send(file, data, size);
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
    char text[FATHOM_FILE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) /* formatting takes memory, too */
        return file->status == FATHOM_OK ? failure(file) : file->status;
    const size_t size = (size_t)length;
    return fathom_file_write(file, text, size < sizeof text ? size : sizeof text - 1);
}

fathom_status fathom_file_write_number(fathom_file *file, double value)
{
    char text[FATHOM_DECIMAL_SIZE];
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

/* The rename lasts only once the directory is on disk. Some file systems cannot sync a directory: no failure. */
static void sync_directory(const fathom_file *file)
{
    char copy[PATH_MAX];
    memcpy(copy, file->path, sizeof copy);
    const int directory = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
}

/* The order matters: data on disk, then the name, then the directory. A crash in between leaves the old file. */
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
        if (file->status == FATHOM_OK && fsync(file->descriptor) != 0 && !rescue(file))
            failure(file);
        if (file->status == FATHOM_OK && !file->rescued && rename(file->temporary, file->path) != 0 &&
            !rescue(file))
            failure(file);
        const int closed = close(file->descriptor);
        file->descriptor = -1;
        if (file->status == FATHOM_OK && file->rescued)
            report_rescue(file);
        else if (file->status == FATHOM_OK && closed != 0)
            failure(file);
        if (file->status == FATHOM_OK) {
            file->temporary[0] = 0;
            sync_directory(file);
        }
    }
    const fathom_status status = file->status;
    if (status != FATHOM_OK && !file->rescued) { /* other calls may have failed since, and left their text */
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
    if (file->descriptor >= 0 && file->descriptor != STDOUT_FILENO)
        close(file->descriptor);
    if (file->temporary[0])
        unlink(file->temporary);
    fathom_memory_free(file->context, file);
}

fathom_status fathom_file_write_all(fathom_context *context, const char *path, const void *data, size_t size)
{
    fathom_file *file;
    const fathom_status status = fathom_file_create(&file, context, path);
    if (status != FATHOM_OK)
        return status;
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

/* Gives a file a name that must be free. Some file systems have no links: the name is taken first, then filled. */
static bool appear(const char *temporary, const char *path)
{
    if (link(temporary, path) == 0) {
        unlink(temporary);
        return true;
    }
    if (errno == EEXIST)
        return false;
    const int taken = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (taken < 0)
        return false;
    close(taken);
    if (rename(temporary, path) == 0)
        return true;
    const int reason = errno;
    unlink(path);
    errno = reason;
    return false;
}

fathom_status fathom_file_settle(bool *made, fathom_context *context, const char *temporary, const char *path)
{
    *made = appear(temporary, path);
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
    unlink(temporary);
    return FATHOM_OK;
}
