/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts live blocks and lets the n-th allocation fail. */
#ifndef FATHOM_FAULTS_H
#define FATHOM_FAULTS_H

#include "testing.h"

typedef struct faults {
    int64_t live, calls, fail_at;
} faults;

static inline void *faults_allocate(void *user, size_t size)
{
    faults *f = user;
    if (f->calls++ == f->fail_at)
        return NULL;
    f->live++;
    return malloc(size);
}

static inline void *faults_resize(void *user, void *block, size_t size)
{
    faults *f = user;
    if (f->calls++ == f->fail_at)
        return NULL;
    f->live += !block;
    return realloc(block, size);
}

static inline void faults_release(void *user, void *block)
{
    faults *f = user;
    f->live -= block != NULL;
    free(block);
}

/* Runs `job` once for every allocation that may fail, until none does: each time it must return OK or ERROR_MEMORY and
 * leave nothing behind. Returns the number of allocations of an undisturbed run. */
static inline int64_t faults_run(fathom_status (*job)(fathom_context *context, void *user), void *user)
{
    for (int64_t fail_at = 0;; fail_at++) {
        faults f = {.fail_at = fail_at};
        const fathom_allocator allocator = {faults_allocate, faults_resize, faults_release, &f};
        fathom_context *context;
        fathom_status status = fathom_context_create(&context, &allocator);
        if (status == FATHOM_OK) {
            fathom_context_set_threads(context, 1);
            status = job(context, user);
            fathom_context_free(context);
        }
        assert_true(status == FATHOM_OK || status == FATHOM_ERROR_MEMORY);
        assert_int_equal(f.live, 0);
        if (f.calls <= fail_at) {
            assert_int_equal(status, FATHOM_OK);
            return f.calls;
        }
    }
}

#endif
