/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fathom-mpi: mpirun -n P fathom-mpi COMMAND ..., the commands of fathom by P processes; the only file that knows MPI.
 *
 * Everything goes through the back end of ranks.h. Threads that look for a word of rank 0 inside tasks take turns
 * (MPI_THREAD_SERIALIZED). Ranks that do not lead print nothing. Children of a rank, which inherit its environment,
 * are no ranks.
 */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fathom/doctor.h"
#include "platform_program.h"
#include "ranks.h"

enum { TAG = 1, FAILED = 1 };
static const int64_t MOST = 1 << 30; /* bytes of one broadcast: counts are int */
static const char *const CHILD = "FATHOM_RANKS_CHILD";

static atomic_flag busy = ATOMIC_FLAG_INIT;

static void send_message(int to, const fathom_ranks_message *message)
{
    MPI_Send(message, sizeof *message, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static bool receive_message(fathom_ranks_message *message, int from)
{
    int there = 0;
    if (atomic_flag_test_and_set(&busy))
        return false;
    MPI_Iprobe(from, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there)
        MPI_Recv(message, sizeof *message, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    atomic_flag_clear(&busy);
    return there;
}

static void spread(void *bytes, int64_t size, int from)
{
    for (int64_t at = 0; at < size; at += MOST)
        MPI_Bcast((char *)bytes + at, (int)(size - at < MOST ? size - at : MOST), MPI_BYTE, from,
                  MPI_COMM_WORLD);
}

static void leave(void)
{
    MPI_Finalize();
    platform_end(0, NULL);
}

/* What must be the same everywhere for the same bits. */
typedef struct identity {
    char version[32], kernels[32], core[FATHOM_DOCTOR_NAME], words[4096];
} identity;

static void identify(identity *own, int argc, char **argv)
{
    fathom_doctor doctor;
    memset(own, 0, sizeof *own);
    fathom_doctor_look(&doctor, false);
    snprintf(own->version, sizeof own->version, "%s", fathom_version());
    snprintf(own->kernels, sizeof own->kernels, "%s", doctor.kernels);
    snprintf(own->core, sizeof own->core, "%s", doctor.blas_core);
    for (int k = 1; k < argc; k++) {
        const size_t used = strlen(own->words);
        snprintf(own->words + used, sizeof own->words - used, " %s", argv[k]);
    }
}

/* A line on standard error where two ranks are not alike; whether they are. */
static bool compare(const identity *first, const identity *other, int rank, const char *place)
{
    const struct {
        const char *what, *a, *b;
    } rows[] = {{"version", first->version, other->version},
                {"kernels", first->kernels, other->kernels},
                {"kernels of the BLAS", first->core, other->core},
                {"command", first->words, other->words}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
        if (strcmp(rows[k].a, rows[k].b) != 0) {
            fprintf(stderr, "fathom-mpi: rank %d on %s has another %s, '%s', than rank 0, '%s'\n", rank,
                    place, rows[k].what, rows[k].b, rows[k].a);
            return false;
        }
    return true;
}

/* Whether all ranks are alike; rank 0 says which is not. */
static bool are_alike(const fathom_ranks *ranks, int argc, char **argv)
{
    static identity own, other;
    int alike = 1;
    identify(&own, argc, argv);
    for (int r = 1; r < ranks->count; r++) {
        char place[MPI_MAX_PROCESSOR_NAME];
        if (ranks->rank == r) {
            MPI_Send(&own, sizeof own, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
            MPI_Send(ranks->place, MPI_MAX_PROCESSOR_NAME, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
        } else if (ranks->rank == 0) {
            MPI_Recv(&other, sizeof other, MPI_BYTE, r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(place, sizeof place, MPI_BYTE, r, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            alike = alike && compare(&own, &other, r, place);
        }
    }
    MPI_Bcast(&alike, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return alike;
}

/* Whether a command has tasks to deal; the others run on rank 0. */
static bool deals(const char *command)
{
    static const char *const names[] = {"train", "fit", "path", "margin", "kernel", "cones"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (command && strcmp(command, names[k]) == 0)
            return true;
    return false;
}

static int run(int argc, char **argv)
{
    static char place[MPI_MAX_PROCESSOR_NAME];
    static fathom_ranks ranks = {
        .place = place, .send = send_message, .receive = receive_message, .spread = spread, .leave = leave};
    int length;
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.count);
    MPI_Get_processor_name(place, &length);
    if (!are_alike(&ranks, argc, argv))
        return ranks.rank == 0 ? FAILED : 0;
    if (ranks.rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        return FAILED;
    fathom_ranks_use(&ranks);
    if (!deals(argv[1]))
        fathom_ranks_part();
    const int exit_code = cli_main(argc, argv, NULL);
    fathom_ranks_end(exit_code);
    return exit_code;
}

int main(int argc, char **argv)
{
    int given;
    cli_start(argv);
    if (getenv(CHILD))
        return cli_main(argc, argv, NULL);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS ||
        given < MPI_THREAD_SERIALIZED) {
        fprintf(stderr, "fathom-mpi: this MPI does not let threads take turns (MPI_THREAD_SERIALIZED)\n");
        return FAILED;
    }
    platform_set_variable(CHILD, "1");
    const int exit_code = run(argc, argv);
    MPI_Finalize();
    return exit_code;
}
