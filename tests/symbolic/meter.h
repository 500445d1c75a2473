/* meter.h: an allocator that knows how much is in use; the size of a block stands in front of
   it. */
#ifndef DFL_TESTS_METER_H
#define DFL_TESTS_METER_H

#include <stdlib.h>

#include <driftless/driftless.h>

typedef struct meter {
    size_t now, most;
} meter;

static inline void *metered_alloc(size_t bytes, void *user)
{
    meter *m = user;
    size_t *block = malloc(bytes + 2 * sizeof *block);
    if (!block)
        return NULL;
    block[0] = bytes;
    m->now += bytes;
    if (m->now > m->most)
        m->most = m->now;
    return block + 2;
}

static inline void metered_release(void *block, void *user)
{
    meter *m = user;
    if (!block)
        return;
    m->now -= ((size_t *)block)[-2];
    free((size_t *)block - 2);
}

/* A context whose memory `m` meters. */
static inline dfl_context *metered_context(meter *m)
{
    *m = (meter){0};
    return dfl_context_create_with(
        &(dfl_allocator){.alloc = metered_alloc, .release = metered_release, .user = m});
}

#endif
