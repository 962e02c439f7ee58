/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several ranks without MPI: processes of one test that send messages and bytes through pairs of sockets.
 *
 * Every rank, rank 0 too, is a child, for a rank is a process (src/ranks/ranks.c). What they find goes to
 * memory that all share, and the test that started them judges it. A rank that hangs is ended by its alarm,
 * which the test sees.
 */
#ifndef FATHOM_FAKE_RANKS_H
#define FATHOM_FAKE_RANKS_H

#include "testing.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ranks.h"

enum { FAKE_MOST = 7, FAKE_TASKS = 64, FAKE_LIMIT = 60 };

/* What ranks have to say to the test. */
typedef struct fake_notes {
    fathom_status status[FAKE_MOST];
    char text[FAKE_MOST][480];
    atomic_int runs[FAKE_MOST][FAKE_TASKS]; /* how often a rank ran a task */
    double values[FAKE_MOST][FAKE_TASKS];   /* results that it has */
    int64_t taken[FAKE_MOST][FAKE_TASKS];   /* others' tasks in the order in which it got them */
    int stop[FAKE_MOST], takes[FAKE_MOST];
    bool several[FAKE_MOST], left[FAKE_MOST], returned[FAKE_MOST];
    atomic_int begun;
} fake_notes;

static fathom_ranks fake;
static fake_notes *fake_all;
static int fake_words[FAKE_MOST][FAKE_MOST],
    fake_bytes[FAKE_MOST][FAKE_MOST]; /* [a][b]: a's end of what it shares with b */

static void fake_send(int to, const fathom_ranks_message *message)
{
    if (send(fake_words[fake.rank][to], message, sizeof *message, 0) != (ssize_t)sizeof *message)
        _exit(2);
}

static bool fake_receive(fathom_ranks_message *message, int from)
{
    return recv(fake_words[fake.rank][from], message, sizeof *message, MSG_DONTWAIT) ==
           (ssize_t)sizeof *message;
}

static void fake_spread(void *bytes, int64_t size, int from)
{
    for (int r = 0; r < fake.count; r++) {
        const bool gives = fake.rank == from && r != from, takes = fake.rank != from && r == from;
        char *at = bytes, *end = at + size;
        while ((gives || takes) && at < end) {
            const ssize_t done = gives ? write(fake_bytes[from][r], at, (size_t)(end - at))
                                       : read(fake_bytes[fake.rank][from], at, (size_t)(end - at));
            if (done <= 0)
                _exit(3);
            at += done;
        }
    }
}

static void fake_leave(void)
{
    fake_all->left[fake.rank] = true;
    _exit(0);
}

static void fake_connect(int ends[FAKE_MOST][FAKE_MOST], int count, int kind)
{
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            int pair[2];
            assert_int_equal(socketpair(AF_UNIX, kind, 0, pair), 0);
            ends[a][b] = pair[0];
            ends[b][a] = pair[1];
        }
}

static void fake_disconnect(int ends[FAKE_MOST][FAKE_MOST], int count)
{
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            if (a != b)
                close(ends[a][b]);
}

/* What one rank does; what it returns, and says about it, is noted. */
typedef fathom_status fake_story(fathom_context *context, fake_notes *notes, int rank);

/* One rank's life. */
static void fake_live(fake_story *story, int rank, int count)
{
    fathom_context *context;
    alarm(FAKE_LIMIT);
    fake = (fathom_ranks){.rank = rank,
                          .count = count,
                          .place = "here",
                          .send = fake_send,
                          .receive = fake_receive,
                          .spread = fake_spread,
                          .leave = fake_leave};
    if (fathom_context_create(&context, NULL) != FATHOM_OK)
        _exit(4);
    fathom_ranks_use(&fake);
    const fathom_status status = story(context, fake_all, rank);
    fake_all->returned[rank] = true;
    fake_all->status[rank] = status;
    if (status != FATHOM_OK) {
        snprintf(fake_all->text[rank], sizeof fake_all->text[rank], "%s",
                 fathom_context_error(context)->text);
        fathom_ranks_note(fake_all->text[rank]);
    }
    fathom_ranks_end(fathom_status_exit_code(status));
    fathom_context_free(context);
    _exit(0);
}

/* Runs a story with so many ranks; gives what they noted (fake_forget). All have ended by themselves. */
static fake_notes *fake_run(fake_story *story, int count)
{
    pid_t children[FAKE_MOST];
    fake_all = mmap(NULL, sizeof *fake_all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(fake_all != MAP_FAILED);
    fake_connect(fake_words, count, SOCK_DGRAM);
    fake_connect(fake_bytes, count, SOCK_STREAM);
    for (int r = 0; r < count; r++) {
        children[r] = fork();
        if (children[r] == 0)
            fake_live(story, r, count);
        assert_true(children[r] > 0);
    }
    for (int r = 0; r < count; r++) {
        int status = -1;
        assert_int_equal(waitpid(children[r], &status, 0), children[r]);
        if (status != 0)
            print_error("rank %d of %d: wait status %d\n", r, count, status);
        assert_int_equal(status, 0);
        assert_int_equal(fake_all->left[r], r > 0); /* whoever follows leaves, and only then ends */
    }
    fake_disconnect(fake_words, count);
    fake_disconnect(fake_bytes, count);
    return fake_all;
}

static void fake_forget(fake_notes *notes) { munmap(notes, sizeof *notes); }

#endif
