/* shape.h: the scene of a model: what is drawn, with numbers that may change from frame to frame.

   The columns of a shape, all in world coordinates and metres; 0 as a size leaves the choice to the
   viewer:
     point      x y z  size
     line       x y z of every point  size (thickness)
     spring     x y z of both ends  size (radius)  coils
     box        pose  length width height
     cylinder   pose  radius length (along its own z axis)
     sphere     pose  three radii
     frame      pose  size
     mesh       pose  scale
   where a pose is x y z and a quaternion q0 q1 q2 q3, the scalar first, not necessarily of length 1. */
#ifndef DFL_SHAPE_H
#define DFL_SHAPE_H

#include "declare/model.h"

/* The words of the palette (Okabe and Ito), and "point", "line", ... */
enum { DFL_COLORS = 9 };
extern const char *const dfl_color_names[DFL_COLORS];
extern const char *const dfl_shape_names[DFL_SHAPE_KINDS];

/* Adds a copy of `shape` to the scene. A mesh reads `file`, a path relative to the model's folder (NULL
   otherwise). DFL_INVALID: a bad or used name, a colour that is none, a file that is refused. */
dfl_status dfl_model_shape(dfl_model *model, const dfl_shape *shape, const char *file);
/* Whether it is a colour. */
dfl_status dfl_model_check_color(const dfl_model *model, const char *name, const char *color);
void dfl_shape_clear(dfl_shape *shape, dfl_context *ctx);

/* Of all shapes together; columns that are plain numbers do not count. */
int dfl_scene_columns(const dfl_model *model);
/* No shape has a z coordinate. */
bool dfl_scene_planar(const dfl_model *model);

#endif
