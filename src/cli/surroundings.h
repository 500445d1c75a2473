/* surroundings.h: what the program finds when it starts. */
#ifndef DFL_CLI_SURROUNDINGS_H
#define DFL_CLI_SURROUNDINGS_H

#include <stdbool.h>

/* Signals, threads and memory, before anything else. False: the program cannot work here; a message
   says why. */
bool cli_prepare(char **argv);

#endif
