/* leftovers.c: what a signal asks for, and what it must not leave behind.

   A signal handler may call all but dfl_leftover_path and dfl_leftover_processes: it finds entries
   that are complete, because `used` is set last, and calls only what POSIX allows there. */
#define _POSIX_C_SOURCE 200809L
#include "context/context_internal.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 100, NAP = 10 }; /* how often and how long, ms, we wait for processes to end */

static int note(dfl_context *ctx, const char *path, int group);

void dfl_interrupt(dfl_context *ctx)
{
    ctx->interrupted = 1;
}

bool dfl_interrupted(const dfl_context *ctx)
{
    return ctx->interrupted != 0 || (ctx->over && ctx->over(ctx->over_user));
}

void dfl_interrupted_by(dfl_context *ctx, bool (*over)(void *user), void *user)
{
    ctx->over = over;
    ctx->over_user = user;
}

int dfl_leftover_path(dfl_context *ctx, const char *path)
{
    return note(ctx, path, 0);
}

int dfl_leftover_processes(dfl_context *ctx, int group)
{
    return note(ctx, NULL, group);
}

static int note(dfl_context *ctx, const char *path, int group)
{
    for (int i = 0; i < DFL_LEFTOVERS; i++) {
        dfl_leftover *place = &ctx->leftovers[i];
        if (place->used)
            continue;
        place->path = path;
        place->group = group;
        place->used = 1;
        return i;
    }
    return -1;
}

void dfl_leftover_drop(dfl_context *ctx, int number)
{
    if (number >= 0)
        ctx->leftovers[number].used = 0;
}

void dfl_leftovers_remove(dfl_context *ctx)
{
    for (int i = 0; i < DFL_LEFTOVERS; i++)
        if (ctx->leftovers[i].used && !ctx->leftovers[i].path)
            dfl_end_processes(ctx->leftovers[i].group);
    for (int i = 0; i < DFL_LEFTOVERS; i++)
        if (ctx->leftovers[i].used && ctx->leftovers[i].path)
            unlink(ctx->leftovers[i].path);
    for (int i = 0; i < DFL_LEFTOVERS; i++)
        if (ctx->leftovers[i].used && ctx->leftovers[i].path)
            rmdir(ctx->leftovers[i].path);
}

void dfl_end_processes(int group)
{
    kill(-group, SIGTERM);
    for (int i = 0; i < PATIENCE; i++) {
        if (waitpid(group, NULL, WNOHANG) != 0) {
            kill(-group, SIGKILL); /* those that the first one has left behind */
            return;
        }
        poll(NULL, 0, NAP);
    }
    kill(-group, SIGKILL);
    waitpid(group, NULL, 0);
}
