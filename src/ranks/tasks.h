/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbered tasks, dealt to ranks: task k runs on rank k mod ranks, and its result reaches everybody.
 *
 *     fathom_tasks tasks = fathom_tasks_deal(context, count);
 *     while (fathom_tasks_next(&tasks)) {
 *         for (k = 0; k < count; k++)           (in parallel or not)
 *             if (fathom_tasks_mine(&tasks, k))
 *                 ... task k ...
 *         status = fathom_tasks_share(&tasks, status, &results);
 *     }
 *
 * A task depends on its number and on what all ranks have in common, never on another task of the same deal. With one
 * rank the loop runs once over all tasks. Where rank 0 is stopped while it waits it goes round once more over those of
 * the others, which then end early by themselves, as all tasks do after a stop.
 */
#ifndef FATHOM_TASKS_H
#define FATHOM_TASKS_H

#include "ranks.h"

typedef struct fathom_tasks {
    fathom_context *context;
    int64_t count;
    int rank, ranks, round;
} fathom_tasks;

/* How the result of a task becomes bytes and a result again; *size may differ from task to task. */
typedef struct fathom_task_results {
    int64_t (*size)(void *user, int64_t task);
    void (*put)(void *bytes, void *user, int64_t task);
    fathom_status (*take)(void *user, int64_t task, const void *bytes, int64_t size);
    void *user;
} fathom_task_results;

fathom_tasks fathom_tasks_deal(fathom_context *context, int64_t count);
bool fathom_tasks_next(fathom_tasks *tasks);

static inline bool fathom_tasks_mine(const fathom_tasks *tasks, int64_t k)
{
    return tasks->ranks == 1 || (k % tasks->ranks == tasks->rank) == (tasks->round == 1);
}

/* Everybody's results to everybody, in the order of the ranks; the first status that is not OK. */
fathom_status fathom_tasks_share(fathom_tasks *tasks, fathom_status status,
                                 const fathom_task_results *results);

/* The same for results that are pieces of one array: `bytes` for each task. */
fathom_status fathom_tasks_share_array(fathom_tasks *tasks, fathom_status status, void *array, size_t bytes);

#endif
