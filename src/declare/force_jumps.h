/* force_jumps.h: what a model declares, on the two sides of a switch. */
#ifndef DFL_FORCE_JUMPS_H
#define DFL_FORCE_JUMPS_H

#include "declare/declare.h"

typedef struct dfl_sides_of {
    int count, nforces; /* forces, then declarations; 0 where these have no expression */
    dfl_expr *row;      /* as they are */
    dfl_expr *plus, *minus;
    int *line;
    bool *free; /* it may jump */
    int nv;
    dfl_expr *velocity, *slope; /* nv: all velocities, and d c / d velocity */
} dfl_sides_of;

dfl_status dfl_sides_of_create(dfl_sides_of *out, const dfl_model *model);
void dfl_sides_of_clear(dfl_sides_of *sides, dfl_context *ctx);
/* The model gets the rows. */
void dfl_sides_of_store(dfl_model *model, const dfl_sides_of *sides);

/* How the two sides differ where c = 0. */
typedef struct dfl_force_jump {
    double size;   /* the largest difference; 0 for dampers that are steeper on one side */
    bool acts;     /* forces that jump act on velocities of c, as far as that can be seen */
    bool friction; /* forces only, and they act against c: f+ - f- = -2 F (dc/dv)^T, F > 0 */
} dfl_force_jump;

/* At some states: parameters have their values, positions are near their start, everything else is
   arbitrary. */
dfl_status dfl_force_jump_find(dfl_force_jump *out, const dfl_model *model,
                               const dfl_sides_of *sides, dfl_expr c);

#endif
