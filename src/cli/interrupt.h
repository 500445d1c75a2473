/* interrupt.h: Ctrl-C as a flag that the run checks after every step. */
#ifndef DFL_CLI_INTERRUPT_H
#define DFL_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM set the flag; a second one ends the program at once. */
void cli_interrupt_catch(void);
bool cli_interrupted(void);

#endif
