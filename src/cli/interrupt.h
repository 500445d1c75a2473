/* interrupt.h: Ctrl-C and other requests to end. */
#ifndef DFL_CLI_INTERRUPT_H
#define DFL_CLI_INTERRUPT_H

#include <driftless/program.h>

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored: nohup) end the program with status
   128 + signal, as a shell would say, and what `ctx` must not leave behind is removed. */
void cli_interrupt_catch(dfl_context *ctx);

/* Before the context is freed. */
void cli_interrupt_release(void);

/* `on`: a run is under way whose results should be closed; the first signal is noted and `ctx` is
   told (dfl_interrupted), the second one ends the program. */
void cli_interrupt_defer(bool on);

/* The exit status if a signal was noted, else 0. */
int cli_interrupted(void);

#endif
