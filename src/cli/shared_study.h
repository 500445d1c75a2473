/* shared_study.h: a study that several processes share: the first one has the file, hands out cases
   and writes; all of them run cases. */
#ifndef DFL_CLI_SHARED_STUDY_H
#define DFL_CLI_SHARED_STUDY_H

#include "cli/channel.h"
#include "cli/cli.h"

#include <driftless/sweep.h>

/* The process with the file, once its threads have started: until all results are stored. `show` is
   called about ten times a second. DFL_IO. */
dfl_status cli_share(dfl_sweep *sweep, const cli_channel *channel,
                     void (*show)(dfl_sweep *sweep, const cli_arguments *arguments),
                     const cli_arguments *arguments);

/* All others: until there are no more cases. `problem`: why this process cannot help, or NULL. */
void cli_help(dfl_sweep *sweep, const cli_channel *channel, int threads, const char *problem);

#endif
