/* Names of bodies and joints, by a table: thousands of them are declared in linear time.

   Open addressing. A body has its number + 1 in the table, a joint minus that; those
   declared since the last question are entered when the next one is asked. */
#include "drawing/drawing_internal.h"

#include "context/context.h"

#include <string.h>

enum { FIRST_SIZE = 64 };

static const char *name_of(const dfl_drawing *drawing, int entry)
{
    return entry > 0 ? drawing->bodies[entry - 1].name : drawing->joints[-entry - 1].name;
}

/* The place of a name, or the empty one where it belongs. */
static uint32_t place_of(const dfl_drawing *drawing, const char *name)
{
    const uint32_t mask = (uint32_t)drawing->names.size - 1;
    uint32_t h = dfl_name_hash(name, strlen(name));
    while (drawing->names.entry[h & mask] &&
           strcmp(name_of(drawing, drawing->names.entry[h & mask]), name) != 0)
        h++;
    return h & mask;
}

/* A table at most half full when all names are in it. */
static dfl_status make_room(dfl_drawing *drawing)
{
    int size = drawing->names.size ? drawing->names.size : FIRST_SIZE;
    while (size < 2 * (drawing->nbodies + drawing->njoints + 1))
        size *= 2;
    if (size == drawing->names.size)
        return DFL_OK;
    dfl_free(drawing->ctx, drawing->names.entry);
    drawing->names.entry = dfl_alloc(drawing->ctx, (size_t)size, sizeof *drawing->names.entry);
    drawing->names.size = drawing->names.entry ? size : 0;
    drawing->names.bodies = drawing->names.joints = 0;
    return drawing->names.entry ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_drawing_find_name(int *entry, dfl_drawing *drawing, const char *name)
{
    const dfl_status status = make_room(drawing);
    *entry = 0;
    if (status)
        return status;
    for (int *i = &drawing->names.bodies; *i < drawing->nbodies; ++*i)
        drawing->names.entry[place_of(drawing, drawing->bodies[*i].name)] = *i + 1;
    for (int *i = &drawing->names.joints; *i < drawing->njoints; ++*i)
        drawing->names.entry[place_of(drawing, drawing->joints[*i].name)] = -(*i + 1);
    *entry = drawing->names.entry[place_of(drawing, name)];
    return DFL_OK;
}
