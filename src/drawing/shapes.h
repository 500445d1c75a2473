/* shapes.h: mechanisms draw themselves: shapes of bodies, joints and elements for the scene of the
   report.

   They are made behind the equations of the model (dfl_model_show), as declarations with
   expressions of the coordinates; they are evaluated only if a report or a result with a scene is
   written. A shape that the script has drawn under the name of a body, joint or element replaces
   the automatic one. */
#ifndef DFL_MECHANISM_SHAPES_H
#define DFL_MECHANISM_SHAPES_H

#include "drawing/bodies.h"

/* What there is to see besides bodies and joints. Points and axes are those of the drawing. */
typedef enum dfl_sight_kind {
    DFL_SEE_SPRING, /* from `at` of body A to `to` of body B */
    DFL_SEE_DISK,   /* about `axis` through `at` */
    DFL_SEE_BALL,
    DFL_SEE_WHEEL, /* an upright wheel that rolls along `axis`; `axis2` is the normal of the road */
    DFL_SEE_FRAME, /* z along `axis`, x along `axis2`; zero: axes of the drawing */
    DFL_SEE_CURVE  /* `at` is a function of `s`, which starts near `start` */
} dfl_sight_kind;

typedef struct dfl_sight {
    dfl_sight_kind kind;
    const char *name;
    int line;
    int a, b;
    dfl_vec at, to, axis, axis2;
    dfl_expr radius;
    dfl_expr s;
    double start;
} dfl_sight;

/* Keeps a copy. */
dfl_status dfl_drawing_show(dfl_drawing *drawing, const dfl_sight *sight);

/* No automatic shapes. */
void dfl_drawing_show_nothing(dfl_drawing *drawing);

/* Shapes of the script that are fixed to bodies move with them. Once, after dfl_drawing_lower.
   DFL_NO_MEMORY. */
dfl_status dfl_drawing_carry_shapes(dfl_drawing *drawing);
/* Then the automatic ones, which lie behind those of the script. Likewise. */
dfl_status dfl_drawing_shapes(dfl_drawing *drawing);

#endif
