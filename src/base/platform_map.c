/* SPDX-License-Identifier: Apache-2.0 */
/* Files as memory; see platform_map.h. */
#include "platform_map.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>

#ifdef _WIN32

void *fathom_platform_map(int descriptor, int64_t size, atomic_bool *gone)
{
    (void)descriptor, (void)size, (void)gone;
    errno = 0;
    return NULL;
}

void fathom_platform_unmap(void *bytes, int64_t size) { (void)bytes, (void)size; }
bool fathom_platform_map_lost(const void *bytes) { return bytes == NULL; }
void fathom_platform_map_release(void *bytes, int64_t size) { (void)bytes, (void)size; }
double fathom_platform_mapped(void) { return NAN; }

int fathom_platform_scratch(const char **folder)
{
    *folder = "";
    errno = ENOSYS;
    return -1;
}

fathom_platform_keeper *fathom_platform_keep(void (*look)(void *user), void *user, double seconds)
{
    (void)look, (void)user, (void)seconds;
    return NULL;
}

void fathom_platform_keep_end(fathom_platform_keeper *keeper) { (void)keeper; }

#else

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { NAME = 4096, STACK = 1 << 17 };

/*
 * Mappings, for the handler of SIGBUS, which is what a process gets that reads a page of a file that is no more. While
 * there are any it is ours: a page of one of them is put in place of all its pages (zeros), and the read goes on; what else
 * comes to it goes to whom it went before.
 */
enum { REGIONS = 256 };
typedef struct region {
    _Atomic uintptr_t first; /* 0: free */
    size_t size;
    atomic_bool *gone;
    atomic_bool lost;
} region;

static region regions[REGIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count; /* of those taken */
static struct sigaction others;

static region *region_at(uintptr_t address)
{
    for (int k = 0; k < REGIONS; k++) {
        const uintptr_t first = atomic_load(&regions[k].first);
        if (first && address >= first && address - first < regions[k].size)
            return &regions[k];
    }
    return NULL;
}

static void on_missing(int number, siginfo_t *info, void *place)
{
    const int kept = errno;
    region *r = region_at((uintptr_t)info->si_addr);
    const bool filled = r && mmap((void *)atomic_load(&r->first), r->size, PROT_READ,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
    if (filled) {
        atomic_store(&r->lost, true);
        atomic_store(r->gone, true);
    } else if (others.sa_flags & SA_SIGINFO) {
        others.sa_sigaction(number, info, place);
    } else if (others.sa_handler != SIG_DFL && others.sa_handler != SIG_IGN) {
        others.sa_handler(number);
    } else {
        sigaction(number, &others, NULL); /* it comes again, and ends the process */
    }
    errno = kept;
}

/* The first mapping begins to listen, the last one ends it, unless somebody else listens by then. */
static void listen_missing(bool begins)
{
    struct sigaction own = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK}, now;
    own.sa_sigaction = on_missing;
    sigemptyset(&own.sa_mask);
    if (begins)
        sigaction(SIGBUS, &own, &others);
    else if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_sigaction == on_missing)
        sigaction(SIGBUS, &others, NULL);
}

/* A child of fork has a lock that nobody holds. */
static void take_lock(void) { pthread_mutex_lock(&lock); }
static void give_lock(void) { pthread_mutex_unlock(&lock); }
static void prepare(void) { pthread_atfork(take_lock, give_lock, give_lock); }

void *fathom_platform_map(int descriptor, int64_t size, atomic_bool *gone)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    pthread_mutex_lock(&lock);
    region *r = regions;
    while (r < regions + REGIONS && atomic_load(&r->first))
        r++;
    if (r < regions + REGIONS) {
        r->size = (size_t)size;
        r->gone = gone;
        atomic_store(&r->lost, false);
        atomic_store(&r->first, (uintptr_t)bytes);
        if (count++ == 0)
            listen_missing(true);
    }
    pthread_mutex_unlock(&lock);
    if (r < regions + REGIONS)
        return bytes;
    munmap(bytes, (size_t)size);
    errno = ENOMEM;
    return NULL;
}

bool fathom_platform_map_lost(const void *bytes)
{
    const region *r = region_at((uintptr_t)bytes);
    return r && atomic_load(&r->lost);
}

void fathom_platform_unmap(void *bytes, int64_t size)
{
    pthread_mutex_lock(&lock);
    region *r = region_at((uintptr_t)bytes);
    if (r) {
        atomic_store(&r->first, 0);
        if (--count == 0)
            listen_missing(false);
    }
    pthread_mutex_unlock(&lock);
    munmap(bytes, (size_t)size);
}

void fathom_platform_map_release(void *bytes, int64_t size) { madvise(bytes, (size_t)size, MADV_DONTNEED); }

/* The third number of statm: pages of files. */
double fathom_platform_mapped(void)
{
    char text[128];
    const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t got = file < 0 ? -1 : read(file, text, sizeof text - 1);
    double size, resident, shared;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = 0;
    return sscanf(text, "%lf %lf %lf", &size, &resident, &shared) == 3
               ? shared * (double)sysconf(_SC_PAGESIZE)
               : NAN;
}

int fathom_platform_scratch(const char **folder)
{
    const char *const folders[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    char name[NAME];
    int file = -1;
    *folder = "";
    for (size_t k = 0; k < sizeof folders / sizeof *folders && file < 0; k++) {
        if (!folders[k] || !*folders[k] ||
            snprintf(name, sizeof name, "%s/.fathom-XXXXXX", folders[k]) >= (int)sizeof name)
            continue;
        file = mkostemp(name, O_CLOEXEC);
        *folder = folders[k];
        if (file >= 0)
            unlink(name);
    }
    return file;
}

struct fathom_platform_keeper {
    void (*look)(void *user);
    void *user;
    double seconds;
    bool ended;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static void *watch(void *argument)
{
    fathom_platform_keeper *k = argument;
    pthread_mutex_lock(&k->lock);
    while (!k->ended) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        const double next = (double)until.tv_nsec + 1e9 * k->seconds;
        until.tv_sec += (time_t)(next / 1e9);
        until.tv_nsec = (long)fmod(next, 1e9);
        pthread_cond_timedwait(&k->changed, &k->lock, &until);
        if (!k->ended)
            k->look(k->user);
    }
    pthread_mutex_unlock(&k->lock);
    return NULL;
}

fathom_platform_keeper *fathom_platform_keep(void (*look)(void *user), void *user, double seconds)
{
    fathom_platform_keeper *k = calloc(1, sizeof *k);
    pthread_attr_t plain;
    sigset_t all, before;
    if (!k)
        return NULL;
    k->look = look;
    k->user = user;
    k->seconds = seconds;
    pthread_mutex_init(&k->lock, NULL);
    pthread_cond_init(&k->changed, NULL);
    pthread_attr_init(&plain);
    pthread_attr_setstacksize(&plain, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for others */
    const bool started = pthread_create(&k->thread, &plain, watch, k) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&plain);
    if (started)
        return k;
    pthread_cond_destroy(&k->changed);
    pthread_mutex_destroy(&k->lock);
    free(k);
    return NULL;
}

void fathom_platform_keep_end(fathom_platform_keeper *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&k->lock);
    k->ended = true;
    pthread_cond_signal(&k->changed);
    pthread_mutex_unlock(&k->lock);
    pthread_join(k->thread, NULL);
    pthread_cond_destroy(&k->changed);
    pthread_mutex_destroy(&k->lock);
    free(k);
}

#endif
