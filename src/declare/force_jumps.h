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

/* How the two sides differ where c = 0, at some states: parameters have their values, positions are
   near their start, everything else is arbitrary. *out has what is compared. */
dfl_status dfl_force_jump_create(dfl_force_jump *out, const dfl_model *model,
                                 const dfl_sides_of *sides, dfl_expr c);
/* Whether all motions of a model that has other values would still slide alike; it gets the numbers
   of its jumps. */
dfl_status dfl_model_slides_alike(bool *same, dfl_model *model);
void dfl_force_jump_clear(dfl_force_jump *jump, dfl_context *ctx);
/* With the present values of parameters and starts. */
dfl_status dfl_force_jump_find(dfl_force_jump *jump, const dfl_model *model);

#endif
