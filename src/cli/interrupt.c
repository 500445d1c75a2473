/* interrupt.c: Ctrl-C and other requests to end. */
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* The only variables of the program that are not in a handle: a signal handler can reach nothing
   else. */
static dfl_context *volatile context;
static volatile sig_atomic_t deferred, noted;

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void handle(int signal);

void cli_interrupt_catch(dfl_context *ctx)
{
    struct sigaction action = {.sa_handler = handle}, before;
    context = ctx;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaddset(&action.sa_mask, signals[i]);
    for (int i = 0; i < SIGNALS; i++) {
        const bool ignored = signals[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 &&
                             before.sa_handler == SIG_IGN;
        if (!ignored)
            sigaction(signals[i], &action, NULL);
    }
}

void cli_interrupt_release(void)
{
    context = NULL;
}

void cli_interrupt_defer(bool on)
{
    deferred = on;
}

int cli_interrupted(void)
{
    return noted ? 128 + noted : 0;
}

static void handle(int signal)
{
    dfl_context *ctx = context;
    if (deferred && !noted) {
        noted = signal;
        if (ctx)
            dfl_interrupt(ctx);
        return;
    }
    static const char text[] = "driftless: interrupted\n";
    if (ctx)
        dfl_leftovers_remove(ctx);
    const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written; /* whether anybody reads it or not */
    _exit(128 + signal);
}
