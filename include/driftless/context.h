/* driftless/context.h: status codes, the last message, and the allocator.

   Every function that can fail returns a dfl_status; the context it was given keeps one message
   that says what was wrong and what to do about it. */
#ifndef DFL_CONTEXT_H
#define DFL_CONTEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dfl_status {
    DFL_OK = 0,
    DFL_NO_MEMORY,      /* an allocation failed */
    DFL_INVALID,        /* an argument, option or description is wrong */
    DFL_INCONSISTENT,   /* initial values contradict the constraints */
    DFL_NOT_CONVERGED,  /* Newton's iteration or the step size collapsed */
    DFL_SINGULAR,       /* a matrix that must be regular is singular */
    DFL_RANK_CHANGED,   /* the rank of the constraints changed along the motion */
    DFL_TOO_MANY_STEPS, /* the limit on the number of steps was reached */
    DFL_NOT_FINITE,     /* a callback kept returning NaN or Inf */
    DFL_CALLBACK,       /* a callback asked to stop, or kept failing */
    DFL_STOPPED,        /* the output callback or a terminal event ended the run */
    DFL_IO              /* a file cannot be read or written */
} dfl_status;

/* The name of a status, such as "DFL_SINGULAR"; never NULL. */
const char *dfl_status_name(dfl_status status);

/* Message and allocator; all handles hang from one. Use one context per thread. */
typedef struct dfl_context dfl_context;

/* Where memory comes from. `alloc` returns NULL when there is none; `release` takes NULL. */
typedef struct dfl_allocator {
    void *(*alloc)(size_t bytes, void *user);
    void (*release)(void *block, void *user);
    void *user;
} dfl_allocator;

/* Creates a context on the C library's allocator. NULL when there is no memory. */
dfl_context *dfl_context_create(void);

/* Creates a context whose handles live in `allocator` (copied). NULL when there is no memory. */
dfl_context *dfl_context_create_with(const dfl_allocator *allocator);

/* Frees a context; NULL is allowed. Free all handles created with it first. */
void dfl_context_free(dfl_context *ctx);

/* The message of the last failure, "" if there was none. Never NULL; valid until the next one. */
const char *dfl_message(const dfl_context *ctx);

/* Records a message (printf format) and returns `status`. Every failure is made here. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
dfl_status
dfl_fail(dfl_context *ctx, dfl_status status, const char *format, ...);

/* Zeroed memory for `count` elements of `size` bytes. A count of 0 gives a valid pointer. On
   failure (also overflow) records DFL_NO_MEMORY's message and returns NULL. */
void *dfl_alloc(dfl_context *ctx, size_t count, size_t size);

/* Returns memory from dfl_alloc; NULL is allowed. */
void dfl_free(dfl_context *ctx, void *block);

/* Test hook: let the next `n` allocations succeed and every later one fail; negative: never
   fail. */
void dfl_context_fail_after(dfl_context *ctx, long n);

/* The number of blocks allocated and not yet freed. */
long dfl_context_live(const dfl_context *ctx);

/* Bounds of a quantity over an interval of time, and of its derivative with respect to time. */
typedef struct dfl_bounds {
    double low, high, slope_low, slope_high;
} dfl_bounds;

#ifdef __cplusplus
}
#endif
#endif
