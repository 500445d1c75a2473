/* sweep_json.h: the JSON object of `driftless sweep`. */
#ifndef CLI_SWEEP_JSON_H
#define CLI_SWEEP_JSON_H

#include <driftless/sweep.h>

/* Prints it to standard output. `message`: of a failure, or NULL; `sweep`: one that has ended well,
   or NULL; `how`: of intervals, or NULL. False: it is not complete; the message says why. */
bool cli_sweep_json(dfl_context *ctx, const dfl_sweep_progress *it, const char *message,
                    dfl_sweep *sweep, const dfl_bootstrap *how);

#endif
