/* mesh.h: triangles from files below the model's folder. */
#ifndef DFL_MESH_H
#define DFL_MESH_H

#include "declare/declare.h"

/* Reads `file`, an STL (text or binary) or OBJ file given relative to the folder of the script
   of the model. *out (dfl_free) has 9 numbers per triangle. DFL_INVALID: the path leads out of the
   folder, even through links, and the model has limits; the file cannot be read, is not a mesh, or
   has more than 100 000 triangles. */
dfl_status dfl_mesh_read(float **out, int *count, const dfl_model *model, const char *file);

#endif
