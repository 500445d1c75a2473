/* context.c: the last message and the allocator behind every handle.

   A block is over-allocated so that its address can be rounded up to DFL_ALIGNMENT bytes, which
   lets the compiler's vector loads of matrices stay within a cache line; the address the
   allocator gave is stored just before the block. The message lives inside the context, so
   recording a failure never needs memory. */
#include "context/context_internal.h"

#include <assert.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DFL_ALIGNMENT = 64,
    DFL_OVERHEAD = DFL_ALIGNMENT + sizeof(void *) /* of a block, in bytes */
};

static void *library_alloc(size_t bytes, void *user);
static void library_release(void *block, void *user);
static bool may_allocate(dfl_context *ctx);
static void *take_block(dfl_context *ctx, size_t bytes);

const char *dfl_status_name(dfl_status status)
{
    switch (status) {
    case DFL_OK:
        return "DFL_OK";
    case DFL_NO_MEMORY:
        return "DFL_NO_MEMORY";
    case DFL_INVALID:
        return "DFL_INVALID";
    case DFL_INCONSISTENT:
        return "DFL_INCONSISTENT";
    case DFL_NOT_CONVERGED:
        return "DFL_NOT_CONVERGED";
    case DFL_SINGULAR:
        return "DFL_SINGULAR";
    case DFL_RANK_CHANGED:
        return "DFL_RANK_CHANGED";
    case DFL_TOO_MANY_STEPS:
        return "DFL_TOO_MANY_STEPS";
    case DFL_NOT_FINITE:
        return "DFL_NOT_FINITE";
    case DFL_CALLBACK:
        return "DFL_CALLBACK";
    case DFL_STOPPED:
        return "DFL_STOPPED";
    case DFL_IO:
        return "DFL_IO";
    }
    return "unknown status";
}

dfl_context *dfl_context_create(void)
{
    return dfl_context_create_with(
        &(dfl_allocator){.alloc = library_alloc, .release = library_release});
}

dfl_context *dfl_context_create_with(const dfl_allocator *allocator)
{
    dfl_context *ctx = allocator->alloc(sizeof *ctx, allocator->user);
    if (!ctx)
        return NULL;
    *ctx = (dfl_context){.allocator = *allocator, .allowed = -1};
    return ctx;
}

void dfl_context_free(dfl_context *ctx)
{
    if (!ctx)
        return;
    const dfl_allocator allocator = ctx->allocator; /* the context is one of its blocks */
    allocator.release(ctx, allocator.user);
}

const char *dfl_message(const dfl_context *ctx)
{
    return ctx->message;
}

dfl_status dfl_fail(dfl_context *ctx, dfl_status status, const char *format, ...)
{
    assert(status != DFL_OK);
    char text[DFL_MESSAGE_SIZE]; /* the arguments may contain the previous message */
    va_list args;
    va_start(args, format);
    if (vsnprintf(text, sizeof text, format, args) < 0)
        text[0] = '\0';
    va_end(args);
    dfl_visible(ctx->message, sizeof ctx->message, text);
    return status;
}

void *dfl_alloc(dfl_context *ctx, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - DFL_OVERHEAD) / size) {
        dfl_fail(ctx, DFL_NO_MEMORY, "%zu elements of %zu bytes exceed the address space", count,
                 size);
        return NULL;
    }
    void *block = may_allocate(ctx) ? take_block(ctx, count * size) : NULL;
    if (!block)
        dfl_fail(ctx, DFL_NO_MEMORY, "no memory for %zu elements of %zu bytes", count, size);
    return block;
}

void dfl_free(dfl_context *ctx, void *block)
{
    if (!block)
        return;
    assert(ctx->live > 0);
    ctx->live--;
    ctx->allocator.release(((void **)block)[-1], ctx->allocator.user);
}

void dfl_context_fail_after(dfl_context *ctx, long n)
{
    ctx->allowed = n;
}

long dfl_context_live(const dfl_context *ctx)
{
    return ctx->live;
}

static void *library_alloc(size_t bytes, void *user)
{
    (void)user;
    return malloc(bytes);
}

static void library_release(void *block, void *user)
{
    (void)user;
    free(block);
}

/* Counts down what dfl_context_fail_after allows. */
static bool may_allocate(dfl_context *ctx)
{
    if (ctx->allowed == 0)
        return false;
    if (ctx->allowed > 0)
        ctx->allowed--;
    return true;
}

/* A zeroed, aligned block with the allocator's own address in front of it. */
static void *take_block(dfl_context *ctx, size_t bytes)
{
    char *base = ctx->allocator.alloc(bytes + DFL_OVERHEAD, ctx->allocator.user);
    if (!base)
        return NULL;
    const uintptr_t first = (uintptr_t)base + sizeof(void *);
    const size_t shift = (DFL_ALIGNMENT - first % DFL_ALIGNMENT) % DFL_ALIGNMENT;
    char *block = base + sizeof(void *) + shift;
    ((void **)(void *)block)[-1] = base;
    memset(block, 0, bytes);
    ctx->live++;
    return block;
}
