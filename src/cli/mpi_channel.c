/* mpi_channel.c: a channel by MPI: the only file that knows of it, in a library of its own. */
#include "cli/channel.h"

#include <mpi.h>

#include <limits.h>

static bool send_bytes(int to, int tag, const void *bytes, size_t count)
{
    return count <= INT_MAX &&
           MPI_Send(bytes, (int)count, MPI_BYTE, to, tag, MPI_COMM_WORLD) == MPI_SUCCESS;
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

static void close_channel(void)
{
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
    *out = (cli_channel){.send = send_bytes,
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
        MPI_Finalize();
    return true;
}
