/* interrupt.c: Ctrl-C as a flag that the run checks after every step. */
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The only variable of the program that is not in a handle: a signal handler can reach nothing
   else. */
static volatile sig_atomic_t interrupted;

static void note(int signal);

void cli_interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_interrupted(void)
{
    return interrupted != 0;
}

static void note(int signal)
{
    (void)signal;
    interrupted = 1;
}
