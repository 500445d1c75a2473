/* grow.c: the room doubles, so that n elements cost O(n). */
#include "context/context.h"

#include <string.h>

void *dfl_grow(dfl_context *ctx, void *array, int *max, int count, size_t size)
{
    if (count < *max)
        return array;
    const int room = *max ? 2 * *max : 16;
    void *larger = dfl_alloc(ctx, (size_t)room, size);
    if (!larger)
        return NULL;
    if (array)
        memcpy(larger, array, (size_t)count * size);
    dfl_free(ctx, array);
    *max = room;
    return larger;
}
