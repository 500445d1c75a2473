/* grow.h: arrays that grow one element at a time. */
#ifndef DFL_GROW_H
#define DFL_GROW_H

#include <driftless/context.h>

/* The array with room for one element of `size` bytes more than `count`; *max is the room so far.
   NULL without memory: then `array` is unchanged. */
void *dfl_grow(dfl_context *ctx, void *array, int *max, int count, size_t size);

#endif
