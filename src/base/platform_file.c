/* SPDX-License-Identifier: Apache-2.0 */
/* Files as the system has them. Paths are in the encoding that the system hands to a program: on Windows, the
 * code page of the process. */
#include "platform.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32

#include <fcntl.h>
#include <io.h>
#include <limits.h>
#include <sys/stat.h>
#include <windows.h>

/* errno of the last failure of Windows itself; the calls of its C library set their own. */
static void set_errno(void)
{
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_PATH_NOT_FOUND:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_NAME:
        errno = ENOENT;
        return;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS:
        errno = EEXIST;
        return;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION:
    case ERROR_WRITE_PROTECT:
        errno = EACCES;
        return;
    case ERROR_DISK_FULL:
    case ERROR_HANDLE_DISK_FULL:
        errno = ENOSPC;
        return;
    case ERROR_TOO_MANY_OPEN_FILES:
        errno = EMFILE;
        return;
    case ERROR_NOT_ENOUGH_MEMORY:
        errno = ENOMEM;
        return;
    default:
        errno = EIO;
    }
}

static bool done(BOOL code)
{
    if (!code)
        set_errno();
    return code;
}

bool fathom_platform_exists(const char *path) { return _access(path, 0) == 0; }
bool fathom_platform_readable(const char *path) { return _access(path, 4) == 0; }
bool fathom_platform_writable(const char *path) { return _access(path, 2) == 0; }

static bool look_at(fathom_platform_file *file, HANDLE handle)
{
    BY_HANDLE_FILE_INFORMATION found;
    *file = (fathom_platform_file){.kind = FATHOM_PLATFORM_STREAM};
    if (GetFileType(handle) != FILE_TYPE_DISK)
        return true;
    if (!done(GetFileInformationByHandle(handle, &found)))
        return false;
    file->kind =
        found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FATHOM_PLATFORM_FOLDER : FATHOM_PLATFORM_REGULAR;
    file->device = found.dwVolumeSerialNumber;
    file->number = (uint64_t)found.nFileIndexHigh << 32 | found.nFileIndexLow;
    file->size = (int64_t)((uint64_t)found.nFileSizeHigh << 32 | found.nFileSizeLow);
    file->changed =
        (int64_t)((uint64_t)found.ftLastWriteTime.dwHighDateTime << 32 | found.ftLastWriteTime.dwLowDateTime);
    return true;
}

/* A handle to look at a file or a folder, which others may go on using. */
static HANDLE handle_of(const char *path)
{
    return CreateFileA(path, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                       FILE_FLAG_BACKUP_SEMANTICS, NULL);
}

bool fathom_platform_look(fathom_platform_file *file, const char *path)
{
    const HANDLE handle = handle_of(path);
    if (!done(handle != INVALID_HANDLE_VALUE))
        return false;
    const bool seen = look_at(file, handle);
    CloseHandle(handle);
    return seen;
}

bool fathom_platform_look_open(fathom_platform_file *file, int descriptor)
{
    return look_at(file, (HANDLE)_get_osfhandle(descriptor));
}

/* Opened so that the file can be renamed meanwhile, as elsewhere. */
int fathom_platform_open(const char *path, fathom_platform_purpose purpose)
{
    static const struct {
        DWORD access, creation;
        int flags;
    } ways[] = {
        [FATHOM_PLATFORM_READ] = {GENERIC_READ, OPEN_EXISTING, _O_RDONLY},
        [FATHOM_PLATFORM_WRITE] = {GENERIC_WRITE, OPEN_EXISTING, _O_WRONLY},
        [FATHOM_PLATFORM_APPEND] = {FILE_APPEND_DATA | SYNCHRONIZE, OPEN_ALWAYS, _O_WRONLY | _O_APPEND},
        [FATHOM_PLATFORM_NEW] = {GENERIC_READ | GENERIC_WRITE | DELETE, CREATE_NEW, _O_RDWR},
    };
    const HANDLE handle =
        CreateFileA(path, ways[purpose].access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                    ways[purpose].creation, FILE_ATTRIBUTE_NORMAL, NULL);
    if (!done(handle != INVALID_HANDLE_VALUE))
        return -1;
    const int descriptor = _open_osfhandle((intptr_t)handle, ways[purpose].flags | _O_BINARY | _O_NOINHERIT);
    if (descriptor < 0)
        CloseHandle(handle);
    return descriptor;
}

int fathom_platform_duplicate(int descriptor) { return _dup(descriptor); }
bool fathom_platform_close(int descriptor) { return _close(descriptor) == 0; }

static unsigned portion(size_t size) { return size < INT_MAX ? (unsigned)size : INT_MAX; }

/* Pipes are waited for by reading them. */
bool fathom_platform_await(int descriptor, double seconds)
{
    (void)descriptor, (void)seconds;
    return true;
}

int64_t fathom_platform_read(int descriptor, void *data, size_t size)
{
    return _read(descriptor, data, portion(size));
}

int64_t fathom_platform_read_at(int descriptor, void *data, size_t size, int64_t offset)
{
    const int64_t now = _lseeki64(descriptor, 0, SEEK_CUR);
    if (now < 0 || _lseeki64(descriptor, offset, SEEK_SET) < 0)
        return -1;
    const int64_t got = _read(descriptor, data, portion(size));
    return _lseeki64(descriptor, now, SEEK_SET) < 0 ? -1 : got;
}

int64_t fathom_platform_write(int descriptor, const void *data, size_t size)
{
    return _write(descriptor, data, portion(size));
}

bool fathom_platform_sync(int descriptor) { return _commit(descriptor) == 0; }
void fathom_platform_sync_folder(const char *path) { (void)path; } /* MoveFileEx has written it */

bool fathom_platform_rename(const char *from, const char *to)
{
    return done(MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH));
}

bool fathom_platform_link(const char *from, const char *to) { return done(CreateHardLinkA(to, from, NULL)); }

/* A new file has those of its folder. */
bool fathom_platform_give_rights(int descriptor, const fathom_platform_file *from)
{
    (void)descriptor, (void)from;
    return true;
}

bool fathom_platform_remove(const char *path) { return done(DeleteFileA(path)); }

bool fathom_platform_resolve(char *resolved, const char *path)
{
    static const char plain[] = "\\\\?\\", shared[] = "\\\\?\\UNC\\";
    const HANDLE handle = handle_of(path);
    if (!done(handle != INVALID_HANDLE_VALUE))
        return false;
    const DWORD length = GetFinalPathNameByHandleA(handle, resolved, FATHOM_PLATFORM_PATH, 0);
    CloseHandle(handle);
    if (!done(length > 0 && length < FATHOM_PLATFORM_PATH))
        return false;
    if (strncmp(resolved, plain, strlen(plain)) == 0 && strncmp(resolved, shared, strlen(shared)) != 0)
        memmove(resolved, resolved + strlen(plain), length + 1 - strlen(plain));
    return true;
}

const char *fathom_platform_name(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/' || *at == '\\' || *at == ':')
            name = at + 1;
    return name;
}

const char *fathom_platform_refuge(size_t k)
{
    const char *const folders[] = {".", getenv("TEMP"), getenv("TMP"), getenv("USERPROFILE")};
    if (k >= sizeof folders / sizeof *folders)
        return NULL;
    return folders[k] ? folders[k] : "";
}

bool fathom_platform_is_terminal(int descriptor) { return _isatty(descriptor); }

#else

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

bool fathom_platform_exists(const char *path) { return access(path, F_OK) == 0; }
bool fathom_platform_readable(const char *path) { return access(path, R_OK) == 0; }
bool fathom_platform_writable(const char *path) { return access(path, W_OK) == 0; }

#ifdef __APPLE__
#define CHANGED(found) (found)->st_mtimespec
#else
#define CHANGED(found) (found)->st_mtim
#endif

static bool take_found(fathom_platform_file *file, int code, const struct stat *found)
{
    if (code != 0)
        return false;
    *file = (fathom_platform_file){
        .kind = S_ISREG(found->st_mode)   ? FATHOM_PLATFORM_REGULAR
                : S_ISDIR(found->st_mode) ? FATHOM_PLATFORM_FOLDER
                                          : FATHOM_PLATFORM_STREAM,
        .device = (uint64_t)found->st_dev,
        .number = (uint64_t)found->st_ino,
        .size = (int64_t)found->st_size,
        .changed = (int64_t)CHANGED(found).tv_sec * 1000000000 + CHANGED(found).tv_nsec,
        .rights = (unsigned)found->st_mode & 07777,
    };
    return true;
}

bool fathom_platform_look(fathom_platform_file *file, const char *path)
{
    struct stat found;
    return take_found(file, stat(path, &found), &found);
}

bool fathom_platform_look_open(fathom_platform_file *file, int descriptor)
{
    struct stat found;
    return take_found(file, fstat(descriptor, &found), &found);
}

int fathom_platform_open(const char *path, fathom_platform_purpose purpose)
{
    static const int flags[] = {
        [FATHOM_PLATFORM_READ] = O_RDONLY,
        [FATHOM_PLATFORM_WRITE] = O_WRONLY,
        [FATHOM_PLATFORM_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
        [FATHOM_PLATFORM_NEW] = O_RDWR | O_CREAT | O_EXCL,
    };
    if (purpose != FATHOM_PLATFORM_READ && purpose != FATHOM_PLATFORM_WRITE)
        return open(path, flags[purpose] | O_CLOEXEC, 0666);
    /* A named pipe without a process at its other end is waited for where limits are heard, not here. */
    const int descriptor = open(path, flags[purpose] | O_CLOEXEC | O_NONBLOCK, 0666);
    struct stat found;
    if (descriptor < 0 && errno == ENXIO)
        errno = stat(path, &found) == 0 && S_ISFIFO(found.st_mode) ? EAGAIN : ENXIO;
    const int now = descriptor < 0 ? -1 : fcntl(descriptor, F_GETFL);
    if (now >= 0)
        (void)fcntl(descriptor, F_SETFL, now & ~O_NONBLOCK);
    return descriptor;
}

bool fathom_platform_await(int descriptor, double seconds)
{
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    const int ready = poll(&one, 1, (int)(1e3 * seconds));
    return ready > 0 || (ready < 0 && errno != EINTR);
}

int fathom_platform_duplicate(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }
bool fathom_platform_close(int descriptor) { return close(descriptor) == 0; }

int64_t fathom_platform_read(int descriptor, void *data, size_t size) { return read(descriptor, data, size); }

int64_t fathom_platform_read_at(int descriptor, void *data, size_t size, int64_t offset)
{
    return pread(descriptor, data, size, (off_t)offset);
}

int64_t fathom_platform_write(int descriptor, const void *data, size_t size)
{
    return write(descriptor, data, size);
}

/* On macOS fsync leaves the bytes in the disk's own cache. */
bool fathom_platform_sync(int descriptor)
{
#ifdef F_FULLFSYNC
    if (fcntl(descriptor, F_FULLFSYNC) == 0)
        return true;
#endif
    return fsync(descriptor) == 0;
}

void fathom_platform_sync_folder(const char *path)
{
    char copy[FATHOM_PLATFORM_PATH];
    if ((size_t)snprintf(copy, sizeof copy, "%s", path) >= sizeof copy)
        return;
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        fsync(folder);
        close(folder);
    }
}

bool fathom_platform_rename(const char *from, const char *to) { return rename(from, to) == 0; }
bool fathom_platform_link(const char *from, const char *to) { return link(from, to) == 0; }

bool fathom_platform_give_rights(int descriptor, const fathom_platform_file *from)
{
    return fchmod(descriptor, (mode_t)from->rights) == 0;
}

bool fathom_platform_remove(const char *path) { return unlink(path) == 0; }

bool fathom_platform_resolve(char *resolved, const char *path)
{
    _Static_assert(FATHOM_PLATFORM_PATH >= PATH_MAX, "realpath writes up to PATH_MAX bytes");
    enum { LINKS = 40 };
    char at[FATHOM_PLATFORM_PATH], next[FATHOM_PLATFORM_PATH], target[FATHOM_PLATFORM_PATH];
    if (realpath(path, resolved))
        return true;
    if (errno != ENOENT || (size_t)snprintf(at, sizeof at, "%s", path) >= sizeof at)
        return false;
    for (int k = 0; k < LINKS; k++) { /* links to what is not there yet */
        const ssize_t length = readlink(at, target, sizeof target - 1);
        if (length < 0)
            return k > 0 && errno == ENOENT && strcpy(resolved, at) != NULL;
        target[length] = 0;
        const int folder = target[0] == '/' ? 0 : (int)(fathom_platform_name(at) - at);
        if ((size_t)snprintf(next, sizeof next, "%.*s%s", folder, at, target) >= sizeof next)
            return false;
        memcpy(at, next, sizeof at);
    }
    return false;
}

const char *fathom_platform_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *fathom_platform_refuge(size_t k)
{
    const char *const folders[] = {".", getenv("TMPDIR"), "/tmp", getenv("HOME")};
    if (k >= sizeof folders / sizeof *folders)
        return NULL;
    return folders[k] ? folders[k] : "";
}

bool fathom_platform_is_terminal(int descriptor) { return isatty(descriptor); }

#endif
