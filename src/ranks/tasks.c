/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered tasks: see the header. What a rank sends is, for each of its tasks in order, a size and as many bytes. */
#include "tasks.h"

#include <string.h>

#include "context_internal.h"
#include "memory.h"
#include "ranks_internal.h"

enum { FIRST = 1, AGAIN, DONE };

fathom_tasks fathom_tasks_deal(fathom_context *context, int64_t count)
{
    fathom_tasks tasks = {.context = context, .count = count, .ranks = 1};
    if (!fathom_ranks_several())
        return tasks;
    fathom_context_stop_reason(context); /* rank 0 parts here where a limit has passed */
    tasks.ranks = fathom_ranks_count();
    tasks.rank = fathom_ranks_rank();
    return tasks;
}

bool fathom_tasks_next(fathom_tasks *tasks)
{
    if (tasks->round == 0)
        tasks->round = FIRST;
    if (tasks->round != DONE && tasks->ranks > 1)
        fathom_ranks_enter(true);
    return tasks->round != DONE;
}

/* Whether a task was dealt to a rank. */
static bool is_dealt(const fathom_tasks *tasks, int64_t k, int rank) { return k % tasks->ranks == rank; }

static int64_t own_size(const fathom_tasks *tasks, const fathom_task_results *results)
{
    int64_t size = 0;
    for (int64_t k = 0; k < tasks->count; k++)
        if (is_dealt(tasks, k, tasks->rank))
            size += (int64_t)sizeof size + results->size(results->user, k);
    return size;
}

static void put_own(char *to, const fathom_tasks *tasks, const fathom_task_results *results)
{
    for (int64_t k = 0; k < tasks->count; k++) {
        if (!is_dealt(tasks, k, tasks->rank))
            continue;
        const int64_t size = results->size(results->user, k);
        memcpy(to, &size, sizeof size);
        results->put(to + sizeof size, results->user, k);
        to += (int64_t)sizeof size + size;
    }
}

static fathom_status take_others(const char *from, const fathom_tasks *tasks,
                                 const fathom_task_results *results, int rank)
{
    fathom_status status = FATHOM_OK;
    for (int64_t k = 0; k < tasks->count && status == FATHOM_OK; k++) {
        int64_t size;
        if (!is_dealt(tasks, k, rank))
            continue;
        memcpy(&size, from, sizeof size);
        status = results->take(results->user, k, from + sizeof size, size);
        from += (int64_t)sizeof size + size;
    }
    return status;
}

/* The sizes of what all ranks have to send, and the room that the largest takes. */
static fathom_status make_room(char **room, int64_t **sizes, const fathom_tasks *tasks,
                               const fathom_task_results *results)
{
    fathom_context *context = tasks->context;
    int64_t largest = 0;
    *sizes = fathom_memory_zero(context, tasks->ranks, sizeof **sizes);
    int64_t own = own_size(tasks, results), size;
    for (int r = 0; r < tasks->ranks; r++) {
        size = r == tasks->rank ? own : 0;
        fathom_ranks_spread(&size, sizeof size, r);
        largest = size > largest ? size : largest;
        if (*sizes)
            (*sizes)[r] = size;
    }
    *room = fathom_memory_alloc(context, largest, 1);
    return *sizes && *room ? FATHOM_OK : FATHOM_ERROR_MEMORY;
}

/* Everybody's results to everybody, after a meeting. */
static fathom_status exchange(bool *parted, const fathom_tasks *tasks, const fathom_task_results *results)
{
    char *room = NULL;
    int64_t *sizes = NULL;
    fathom_status status = make_room(&room, &sizes, tasks, results), taken = FATHOM_OK;
    status = fathom_ranks_meet(parted, tasks->context, tasks->count, status);
    for (int r = 0; r < tasks->ranks && status == FATHOM_OK && !*parted; r++) {
        if (r == tasks->rank)
            put_own(room, tasks, results);
        fathom_ranks_spread(room, sizes[r], r);
        if (r != tasks->rank && taken == FATHOM_OK)
            taken = take_others(room, tasks, results, r);
    }
    FATHOM_FREE(tasks->context, room, sizes);
    return status == FATHOM_OK ? taken : status;
}

fathom_status fathom_tasks_share(fathom_tasks *tasks, fathom_status status,
                                 const fathom_task_results *results)
{
    bool parted = false;
    if (tasks->ranks > 1)
        fathom_ranks_enter(false);
    if (tasks->ranks > 1 && tasks->round == FIRST) {
        status = fathom_ranks_meet(&parted, tasks->context, tasks->count, status);
        if (status == FATHOM_OK && !parted)
            status = exchange(&parted, tasks, results);
    }
    tasks->round = parted && status == FATHOM_OK ? AGAIN : DONE;
    return status;
}

/* Pieces of an array as results. */
typedef struct pieces {
    char *array;
    size_t bytes;
} pieces;

static int64_t piece_size(void *user, int64_t task)
{
    (void)task;
    return (int64_t)((const pieces *)user)->bytes;
}

static void piece_put(void *bytes, void *user, int64_t task)
{
    const pieces *p = user;
    memcpy(bytes, p->array + (size_t)task * p->bytes, p->bytes);
}

static fathom_status piece_take(void *user, int64_t task, const void *bytes, int64_t size)
{
    const pieces *p = user;
    memcpy(p->array + (size_t)task * p->bytes, bytes, (size_t)size);
    return FATHOM_OK;
}

fathom_status fathom_tasks_share_array(fathom_tasks *tasks, fathom_status status, void *array, size_t bytes)
{
    pieces all = {array, bytes};
    const fathom_task_results results = {piece_size, piece_put, piece_take, &all};
    return fathom_tasks_share(tasks, status, &results);
}
