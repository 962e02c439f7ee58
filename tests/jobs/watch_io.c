/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library for LD_PRELOAD between a program and the system: it fails chosen calls on files, or records them.
 *
 * With FATHOM_WATCH_IO=IN,OUT in the environment the program's main is not entered. Requests come as lines
 * from the descriptor IN, each is answered by a line to OUT, and each runs main once in a forked child, so
 * that the program is loaded once:
 *
 *     KIND AT ONWARDS ERROR FOLDER     ->     STATUS INJECTED OPEN READ WRITE FSYNC RENAME CLOSE PATHS
 *
 * The child works in FOLDER, its standard output and error in FOLDER.out and FOLDER.err. Calls on files of
 * FOLDER and on standard output are counted by kind. The AT-th of kind KIND (with ONWARDS all from there on)
 * fails with errno ERROR; where ERROR is -1, it moves few bytes instead; EINTR hits every other call. PATHS
 * are the files of the faults, each between tabs. KIND -1 fails nothing; -2 appends what changes files to
 * FOLDER.log: a line "CALL OFFSET SIZE PATH" and SIZE bytes, for renames those of the new name. STATUS is
 * that of waitpid, -1 after SECONDS without an end. Streams of the C library on watched files, stdout first,
 * are replaced by ones that call these functions.
 */
/* Both names of every call are defined below. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#undef _FORTIFY_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OPEN, READ, WRITE, FSYNC, RENAME, CLOSE, KINDS };
enum { RECORD = -2, FEW = 1000, SECONDS = 20 };

typedef int main_function(int, char **, char **);

/* Of the C library, in no header. */
int __open_2(const char *, int);
int __open64_2(const char *, int);
ssize_t __read_chk(int, void *, size_t, size_t);
int __libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

/* What parent and child share. */
typedef struct {
    int kind, onwards, error;
    long at;
    atomic_long injected, count[KINDS];
    char folder[PATH_MAX], paths[1 << 16];
} plan;

static plan *the_plan; /* in the child alone */
static int log_descriptor = -1;
static main_function *real_main;

/* The file that a descriptor is open on; "standard output" for that. */
static const char *path_of(char *path, int descriptor)
{
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = 0;
    return descriptor == 1 ? "standard output" : path;
}

/* A name as given, with its folder. */
static const char *absolute(char *path, const char *name)
{
    if (name[0] == '/')
        return name;
    snprintf(path, PATH_MAX, "%.2000s/%.2000s", the_plan ? the_plan->folder : "", name);
    return path;
}

static bool watched(const char *path)
{
    const size_t size = the_plan ? strlen(the_plan->folder) : 0;
    if (!the_plan || strcmp(path, "standard output") == 0)
        return the_plan != NULL;
    return strncmp(path, the_plan->folder, size) == 0 && (path[size] == '/' || path[size] == 0);
}

/* Counts a call; whether it is to be disturbed. */
static bool due(int kind, const char *path)
{
    if (!watched(path))
        return false;
    plan *p = the_plan;
    const long number = atomic_fetch_add(&p->count[kind], 1) + 1;
    if (p->kind != kind || number < p->at || (!p->onwards && number > p->at))
        return false;
    if (p->error == EINTR && (number - p->at) % 2)
        return false;
    atomic_fetch_add(&p->injected, 1);
    const size_t used = strlen(p->paths);
    char one[PATH_MAX + 2];
    snprintf(one, sizeof one, "\t%s\t", path);
    if (!strstr(p->paths, one) && used + strlen(one) < sizeof p->paths)
        memcpy(p->paths + used, one, strlen(one) + 1);
    errno = p->error;
    return true;
}

/* The same where a fault can only be a failure. */
static bool fails(int kind, const char *path) { return due(kind, path) && the_plan->error > 0; }

static void record(const char *call, const char *path, off_t offset, const void *bytes, size_t size)
{
    char line[PATH_MAX + 100];
    if (log_descriptor < 0 || !watched(path))
        return;
    const int reason = errno;
    const int length = snprintf(line, sizeof line, "%s %lld %zu %s\n", call, (long long)offset, size, path);
    if (syscall(SYS_write, log_descriptor, line, (size_t)length) != length ||
        (size_t)syscall(SYS_write, log_descriptor, bytes, size) != size)
        abort();
    errno = reason;
}

static int open_at(int folder, const char *name, int flags, mode_t mode)
{
    char place[PATH_MAX];
    const char *path = folder == AT_FDCWD ? absolute(place, name) : name;
    if (fails(OPEN, path))
        return -1;
    const bool fresh = log_descriptor >= 0 && syscall(SYS_access, path, F_OK) != 0;
    const int descriptor = (int)syscall(SYS_openat, folder, name, flags, mode);
    if (descriptor >= 0 && (flags & O_CREAT) && fresh)
        record("create", path, 0, "", 0);
    else if (descriptor >= 0 && (flags & O_TRUNC))
        record("truncate", path, 0, "", 0);
    return descriptor;
}

/* The mode is there only where a file may be made. */
#define OPEN_MODE(flags, last)             \
    mode_t mode = 0;                       \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list arguments;                 \
        va_start(arguments, last);         \
        mode = va_arg(arguments, mode_t);  \
        va_end(arguments);                 \
    }

int open(const char *name, int flags, ...)
{
    OPEN_MODE(flags, flags)
    return open_at(AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
    OPEN_MODE(flags, flags)
    return open_at(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...)
{
    OPEN_MODE(flags, flags)
    return open_at(folder, name, flags, mode);
}

int openat64(int folder, const char *name, int flags, ...)
{
    OPEN_MODE(flags, flags)
    return open_at(folder, name, flags, mode);
}

int __open_2(const char *name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }
int __open64_2(const char *name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }

/* How many bytes a disturbed or undisturbed call moves; -1 for none. */
static ssize_t allowed(int kind, int descriptor, size_t size)
{
    char place[PATH_MAX];
    if (!the_plan || descriptor == 2 || !due(kind, path_of(place, descriptor)))
        return (ssize_t)size;
    return the_plan->error > 0 ? -1 : size < 2 ? (ssize_t)size : size < FEW ? (ssize_t)size / 2 : FEW;
}

ssize_t read(int descriptor, void *bytes, size_t size)
{
    const ssize_t most = allowed(READ, descriptor, size);
    return most < 0 ? -1 : syscall(SYS_read, descriptor, bytes, (size_t)most);
}

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset)
{
    const ssize_t most = allowed(READ, descriptor, size);
    return most < 0 ? -1 : syscall(SYS_pread64, descriptor, bytes, (size_t)most, offset);
}

ssize_t pread64(int descriptor, void *bytes, size_t size, off_t offset)
{
    return pread(descriptor, bytes, size, offset);
}

ssize_t __read_chk(int descriptor, void *bytes, size_t size, size_t room)
{
    (void)room;
    return read(descriptor, bytes, size);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    char place[PATH_MAX];
    const ssize_t most = allowed(WRITE, descriptor, size);
    const bool append = log_descriptor >= 0 && (fcntl(descriptor, F_GETFL) & O_APPEND);
    const off_t offset = log_descriptor >= 0 ? lseek(descriptor, 0, append ? SEEK_END : SEEK_CUR) : 0;
    const ssize_t done = most < 0 ? -1 : syscall(SYS_write, descriptor, bytes, (size_t)most);
    if (done > 0 && log_descriptor >= 0)
        record("write", path_of(place, descriptor), offset, bytes, (size_t)done);
    return done;
}

static int synchronise(int descriptor, long call)
{
    char place[PATH_MAX];
    const char *path = path_of(place, descriptor);
    if (fails(FSYNC, path))
        return -1;
    record("fsync", path, 0, "", 0);
    return (int)syscall(call, descriptor);
}

int fsync(int descriptor) { return synchronise(descriptor, SYS_fsync); }
int fdatasync(int descriptor) { return synchronise(descriptor, SYS_fdatasync); }

int rename(const char *from, const char *to)
{
    char one[PATH_MAX], other[PATH_MAX];
    if (fails(RENAME, absolute(other, to)))
        return -1;
    const int code = renameat(AT_FDCWD, from, AT_FDCWD, to);
    if (code == 0)
        record("rename", absolute(one, from), 0, absolute(other, to), strlen(absolute(other, to)));
    return code;
}

int link(const char *from, const char *to)
{
    char one[PATH_MAX], other[PATH_MAX];
    if (fails(RENAME, absolute(other, to)))
        return -1;
    const int code = linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
    if (code == 0)
        record("link", absolute(one, from), 0, absolute(other, to), strlen(absolute(other, to)));
    return code;
}

int unlink(const char *name)
{
    char place[PATH_MAX];
    const int code = unlinkat(AT_FDCWD, name, 0);
    if (code == 0)
        record("unlink", absolute(place, name), 0, "", 0);
    return code;
}

/* A close that fails has closed all the same, as on Linux. */
int close(int descriptor)
{
    char place[PATH_MAX];
    const bool bad = the_plan && descriptor != 2 && fails(CLOSE, path_of(place, descriptor));
    const int code = (int)syscall(SYS_close, descriptor);
    if (bad)
        errno = the_plan->error;
    return bad ? -1 : code;
}

/* A program that would start itself anew for another environment goes on as it is: the next one would not be
 * watched. */
int execv(const char *program, char *const *words)
{
    if (!the_plan)
        return execve(program, words, environ);
    errno = EACCES;
    return -1;
}

/* Streams: the cookie is the descriptor. */
static ssize_t stream_read(void *cookie, char *bytes, size_t size)
{
    return read((int)(intptr_t)cookie, bytes, size);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size)
{
    ssize_t done = 0; /* as the C library does: on, until all is out or a call fails */
    while ((size_t)done < size) {
        const ssize_t count = write((int)(intptr_t)cookie, bytes + done, size - (size_t)done);
        if (count < 0 && errno == EINTR)
            continue; /* handlers restart calls (SA_RESTART): streams never see it */
        if (count <= 0)
            return done; /* less than asked for is a failure */
        done += count;
    }
    return done;
}

static int stream_close(void *cookie) { return close((int)(intptr_t)cookie); }

static FILE *stream(int descriptor, const char *mode)
{
    const cookie_io_functions_t calls = {stream_read, stream_write, NULL, stream_close};
    return descriptor < 0 ? NULL : fopencookie((void *)(intptr_t)descriptor, mode, calls);
}

FILE *fopen(const char *name, const char *mode)
{
    char place[PATH_MAX];
    static FILE *(*real)(const char *, const char *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    if (!the_plan || !watched(absolute(place, name)) || mode[0] != 'r' || strchr(mode, '+'))
        return real(name, mode);
    return stream(open(name, O_RDONLY), mode);
}

FILE *fopen64(const char *name, const char *mode) { return fopen(name, mode); }

/* In the child: streams, folder, limits; then the program itself. */
static void enter(plan *p, int argc, char **argv, char **environment)
{
    char name[PATH_MAX + 8];
    static const char *const endings[] = {".out", ".err"};
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s%s", p->folder, endings[k]);
        const int descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (descriptor < 0 || dup2(descriptor, k + 1) < 0)
            _exit(99);
        close(descriptor);
    }
    snprintf(name, sizeof name, "%s.log", p->folder);
    if (p->kind == RECORD)
        log_descriptor = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    unsetenv("FATHOM_WATCH_IO");
    unsetenv("LD_PRELOAD"); /* its children are not disturbed */
    if (chdir(p->folder) != 0)
        _exit(99);
    the_plan = p;
    stdout = stream(1, "w");
    exit(real_main(argc, argv, environment));
}

/* Waits for the child, which is killed where it does not end. */
static int await(pid_t child)
{
    int status = -1;
    const int descriptor = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd end = {descriptor, POLLIN, 0};
    const bool ended = poll(&end, 1, SECONDS * 1000) == 1;
    if (!ended)
        kill(child, SIGKILL);
    waitpid(child, &status, 0);
    syscall(SYS_close, descriptor);
    return ended ? status : -1;
}

static int serve(int argc, char **argv, char **environment)
{
    plan *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int in, out;
    if (p == MAP_FAILED || sscanf(getenv("FATHOM_WATCH_IO"), "%d,%d", &in, &out) != 2)
        return 99;
    FILE *requests = fdopen(in, "r");
    memset(p, 0, sizeof *p);
    while (fscanf(requests, "%d %ld %d %d %4000s", &p->kind, &p->at, &p->onwards, &p->error, p->folder) ==
           5) {
        const pid_t child = fork();
        if (child == 0)
            enter(p, argc, argv, environment);
        const int status = await(child);
        dprintf(out, "%d %ld", status, (long)p->injected);
        for (int k = 0; k < KINDS; k++)
            dprintf(out, " %ld", (long)p->count[k]);
        dprintf(out, " %s\n", p->paths);
        memset(p, 0, sizeof *p);
    }
    return 0;
}

int __libc_start_main(main_function *program, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*unload)(void), void *stack)
{
    static int (*real)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return real(getenv("FATHOM_WATCH_IO") ? serve : program, argc, argv, init, fini, unload, stack);
}
