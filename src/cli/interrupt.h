/* interrupt.h: Ctrl-C as a question that the run asks after every step. */
#ifndef DFL_CLI_INTERRUPT_H
#define DFL_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM are noted; a second one ends the program at once. */
void cli_interrupt_catch(void);
bool cli_interrupted(void);

#endif
