/* context_internal.h: a context, inside the module. */
#ifndef DFL_CONTEXT_INTERNAL_H
#define DFL_CONTEXT_INTERNAL_H

#include "context/context.h"

#include <signal.h>

enum { DFL_MESSAGE_SIZE = 1024, DFL_LEFTOVERS = 64 };

/* Something that an ended program must not leave behind: a file or folder, or processes. */
typedef struct dfl_leftover {
    volatile sig_atomic_t used; /* set last, cleared first: a signal handler reads it */
    const char *path;           /* NULL: processes */
    int group;                  /* of processes */
} dfl_leftover;

struct dfl_context {
    dfl_allocator allocator;
    long live;    /* blocks handed out and not returned */
    long allowed; /* allocations that may still succeed; negative: no limit */
    char message[DFL_MESSAGE_SIZE];
    volatile sig_atomic_t interrupted;
    bool (*over)(void *user); /* asked as well (dfl_interrupted_by), or NULL */
    void *over_user;
    dfl_leftover leftovers[DFL_LEFTOVERS];
};

#endif
