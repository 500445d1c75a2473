/* mpi_channel.c: a channel by MPI: the only file that knows of it, in a library of its own.

   MPI_Send may wait until the other process reads. Two that send to each other would wait for ever,
   so messages are copied and sent by MPI_Isend. */
#include "cli/channel.h"

#include <mpi.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A message under way. */
typedef struct one_send {
    struct one_send *next;
    MPI_Request request;
    char bytes[];
} one_send;

struct cli_sends {
    one_send *first;
};

/* Forgets those that have been read; `all`: waits for it. */
static void forget_sent(struct cli_sends *sends, bool all)
{
    for (one_send **place = &sends->first; *place;) {
        one_send *it = *place;
        int read = 1;
        if (all)
            MPI_Wait(&it->request, MPI_STATUS_IGNORE);
        else
            MPI_Test(&it->request, &read, MPI_STATUS_IGNORE);
        if (!read) {
            place = &it->next;
            continue;
        }
        *place = it->next;
        free(it);
    }
}

static bool send_bytes(const cli_channel *channel, int to, int tag, const void *bytes, size_t count)
{
    struct cli_sends *sends = channel->sends;
    forget_sent(sends, false);
    one_send *it = count <= INT_MAX ? malloc(sizeof *it + count) : NULL;
    if (!it)
        return false;
    if (count > 0)
        memcpy(it->bytes, bytes, count);
    if (MPI_Isend(it->bytes, (int)count, MPI_BYTE, to, tag, MPI_COMM_WORLD, &it->request)) {
        free(it);
        return false;
    }
    it->next = sends->first;
    sends->first = it;
    return true;
}

static bool peek(int *from, int *tag, size_t *count)
{
    MPI_Status status;
    int there = 0, bytes = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status) || !there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    *from = status.MPI_SOURCE;
    *tag = status.MPI_TAG;
    *count = (size_t)bytes;
    return true;
}

static bool read_bytes(int from, int tag, void *bytes, size_t count)
{
    return MPI_Recv(bytes, (int)count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS;
}

static void close_channel(const cli_channel *channel)
{
    forget_sent(channel->sends, true);
    free(channel->sends);
    MPI_Finalize();
}

static void abort_all(int status)
{
    MPI_Abort(MPI_COMM_WORLD, status);
}

bool driftless_channel_open(cli_channel *out)
{
    MPI_Comm beside;
    int provided;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided))
        return false;
    *out = (cli_channel){.sends = calloc(1, sizeof *out->sends),
                         .send = send_bytes,
                         .peek = peek,
                         .read = read_bytes,
                         .close = close_channel,
                         .abort = abort_all};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &beside);
    MPI_Comm_size(beside, &out->beside);
    MPI_Comm_free(&beside);
    if (out->size == 1)
        close_channel(out);
    return true;
}
