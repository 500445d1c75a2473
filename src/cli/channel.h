/* channel.h: messages between the processes that mpirun has started. The program itself knows
   nothing of MPI: where it is started by mpirun it loads driftless_mpi.so, which is built where MPI
   is installed. */
#ifndef DFL_CLI_CHANNEL_H
#define DFL_CLI_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cli_channel {
    int rank, size;
    int beside;              /* processes on this machine */
    struct cli_sends *sends; /* under way */
    /* A message to another process, which need not wait for it: bytes are copied. False: it cannot
       be sent. */
    bool (*send)(const struct cli_channel *channel, int to, int tag, const void *bytes,
                 size_t count);
    /* Whether a message is there: from whom, of which kind, how long; then reads it. */
    bool (*peek)(int *from, int *tag, size_t *count);
    bool (*read)(int from, int tag, void *bytes, size_t count);
    /* The end of this process, once its messages have been read; all processes end with a status.
     */
    void (*close)(const struct cli_channel *channel);
    void (*abort)(int status);
} cli_channel;

/* What driftless_mpi.so has. */
typedef bool (*cli_channel_open_fn)(cli_channel *out);
bool driftless_channel_open(cli_channel *out);

/* Whether this process is one of several, with a channel to the others. False with a message in
 *problem (or NULL): it is, but there is no channel. */
bool cli_channel_find(cli_channel *out, const char **problem);

#endif
