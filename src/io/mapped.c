/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices that stay in a file: see the header. */
#include "mapped.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "platform.h"
#include "platform_map.h"

/* Seconds between two looks; bytes that are always left to files. */
static const double LOOK = 0.002, LEAST = 0x1p24;

struct fathom_mapped {
    fathom_ground ground; /* first */
    fathom_context *context;
    int descriptor;              /* of a named file, -1 otherwise */
    fathom_platform_file opened; /* what it was */
    char *path;
    void *bytes;
    int64_t size, offset;
    fathom_platform_keeper *keeper;
};

/* Matrices that are mapped now, and the bytes of files in memory before the first of them. */
static fathom_platform_mutex lock = FATHOM_PLATFORM_MUTEX;
static int64_t open_ones;
static double before;

static void count(int64_t more)
{
    fathom_platform_mutex_lock(&lock);
    if (open_ones == 0)
        before = fathom_platform_mapped();
    open_ones += more;
    fathom_platform_mutex_unlock(&lock);
}

/* Gives the file's memory back where that of all of them is more than half of what is left. */
static void look(const fathom_mapped *m)
{
    const double held = fathom_platform_mapped() - before, room = fathom_context_room(m->context);
    if (!(held <= fmax(room / 2, LEAST)))
        fathom_platform_map_release(m->bytes, m->size);
}

static void look_again(void *user) { look(user); }

/* Whoever reads looks as well: on a busy machine the thread that keeps may wait for its turn. */
static void passed(fathom_ground *ground) { look((const fathom_mapped *)ground); }

static fathom_status changed(const fathom_mapped *m, const char *what)
{
    return fathom_error_set_at(m->context, FATHOM_ERROR_INPUT,
                               m->path ? m->path : "a temporary file of prepared rows", 0, 0,
                               "%s while rows were read from it; there is no result%s", what,
                               m->path ? " (--map never reads all of them at the start)" : "");
}

/* Whether the bytes are those that were there: none was missing, and a named file was not written to. */
static bool holds(fathom_ground *ground)
{
    const fathom_mapped *m = (const fathom_mapped *)ground;
    fathom_platform_file now;
    if (fathom_platform_map_lost(m->bytes))
        return changed(m, "was cut, or could not be read,") == FATHOM_OK;
    return m->descriptor < 0 ||
           (fathom_platform_look_open(&now, m->descriptor) && now.size == m->opened.size &&
            now.changed == m->opened.changed) ||
           changed(m, "was changed") == FATHOM_OK;
}

fathom_status fathom_mapped_check(fathom_mapped *mapped)
{
    return holds(&mapped->ground) ? FATHOM_OK : FATHOM_ERROR_INPUT;
}

/* *mapped = NULL where the system maps nothing. Of a named file it keeps the descriptor, where all is well. */
static fathom_status map(fathom_mapped **mapped, fathom_context *context, const char *path, int descriptor,
                         int64_t offset, int64_t size)
{
    fathom_mapped *m = fathom_memory_zero(context, 1, sizeof *m);
    *mapped = NULL;
    if (!m)
        return FATHOM_ERROR_MEMORY;
    *m = (fathom_mapped){
        .ground = {.holds = holds}, .context = context, .descriptor = -1, .size = size, .offset = offset};
    if (path && !(m->path = fathom_memory_text(context, path))) {
        fathom_memory_free(context, m);
        return FATHOM_ERROR_MEMORY;
    }
    m->bytes = fathom_platform_map(descriptor, size, fathom_context_gone(context));
    if (!m->bytes) {
        FATHOM_FREE(context, m->path, m);
        return FATHOM_OK;
    }
    if (path) {
        m->descriptor = descriptor;
        fathom_platform_look_open(&m->opened, descriptor);
    }
    count(1);
    if (fathom_context_counts_memory(context)) {
        m->keeper = fathom_platform_keep(look_again, m, LOOK);
        m->ground.passed = passed;
    }
    fathom_context_ground(context, &m->ground);
    *mapped = m;
    return FATHOM_OK;
}

fathom_status fathom_mapped_open(fathom_mapped **mapped, fathom_context *context, const char *path,
                                 const fathom_platform_file *known, int64_t offset)
{
    fathom_platform_file file;
    *mapped = NULL;
    const int descriptor = fathom_platform_open(path, FATHOM_PLATFORM_READ);
    if (descriptor < 0)
        return FATHOM_OK;
    fathom_status status = FATHOM_OK;
    if (!fathom_platform_look_open(&file, descriptor) || file.device != known->device ||
        file.number != known->number || file.size != known->size || file.changed != known->changed)
        status =
            fathom_error_set_at(context, FATHOM_ERROR_INPUT, path, 0, 0, "was changed while it was read");
    else if (file.kind == FATHOM_PLATFORM_REGULAR && offset < file.size)
        status = map(mapped, context, path, descriptor, offset, file.size);
    if (!*mapped)
        fathom_platform_close(descriptor);
    return status;
}

void fathom_mapped_close(fathom_mapped *m)
{
    if (!m)
        return;
    fathom_platform_keep_end(m->keeper);
    fathom_context_ground_end(m->context, &m->ground);
    fathom_platform_unmap(m->bytes, m->size);
    if (m->descriptor >= 0)
        fathom_platform_close(m->descriptor);
    FATHOM_FREE(m->context, m->path, m);
    count(-1);
}

void *fathom_mapped_numbers(const fathom_mapped *mapped) { return (char *)mapped->bytes + mapped->offset; }

static fathom_status fail(const fathom_scratch *s, const char *what)
{
    return fathom_error_set_at(
        s->context, FATHOM_ERROR_RUNTIME, s->folder, 0, 0,
        "cannot %s a temporary file for prepared rows (TMPDIR names another folder): %s", what,
        strerror(errno));
}

fathom_status fathom_scratch_open(fathom_scratch *s, fathom_context *context)
{
    *s = (fathom_scratch){.context = context};
    s->descriptor = fathom_platform_scratch(&s->folder);
    return s->descriptor < 0 ? fail(s, "make") : FATHOM_OK;
}

fathom_status fathom_scratch_write(fathom_scratch *s, const double *values, int64_t count)
{
    const char *from = (const char *)values;
    for (int64_t left = count * (int64_t)sizeof *values; left > 0;) {
        const int64_t done = fathom_platform_write(s->descriptor, from, (size_t)left);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return fail(s, "write");
        from += done;
        left -= done;
        s->written += done;
    }
    return FATHOM_OK;
}

fathom_status fathom_scratch_map(fathom_mapped **mapped, fathom_scratch *s)
{
    FATHOM_TRY(map(mapped, s->context, NULL, s->descriptor, 0, s->written));
    return *mapped ? FATHOM_OK : fail(s, "map");
}

void fathom_scratch_close(fathom_scratch *s)
{
    if (s->descriptor >= 0)
        fathom_platform_close(s->descriptor);
    s->descriptor = -1;
}
