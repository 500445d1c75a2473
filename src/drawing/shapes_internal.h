/* shapes_internal.h: what the files that draw mechanisms share. */
#ifndef DFL_MECHANISM_SHAPES_INTERNAL_H
#define DFL_MECHANISM_SHAPES_INTERNAL_H

#include "drawing/drawing_internal.h"
#include "drawing/shapes.h"
#include "declare/declare.h"

/* A point of a body where a joint, an element or the mass is, and its place in the drawing. */
typedef struct dfl_spot {
    int body;
    dfl_vec at;
    double x[3];
} dfl_spot;

typedef struct dfl_stage {
    dfl_drawing *drawing;
    int nown; /* shapes of the script, the first ones of the model */
    dfl_spot *spots;
    int nspots;
    double size;    /* of the drawing: its diagonal, m */
    double *thick;  /* per body: of its bars, or 0 */
    bool *round;    /* per body: it rolls, so that a wheel shows it */
    double down[3]; /* unit vector, against the normals of the ground */
} dfl_stage;

/* shape_parts.c: shapes in terms of points and poses of bodies. Names are made of two parts; where
   the script has drawn under that name, nothing happens. Sizes are numbers. */
typedef struct dfl_label {
    const char *name, *part; /* part: ".ground" or "" */
    const char *color;       /* NULL: chosen by the viewer */
    int line;
} dfl_label;

dfl_status dfl_add_line(const dfl_stage *stage, dfl_label label, const dfl_spot *points, int count,
                        double thickness);
/* ... with a bending moment at each point, which its colours show; NULL: none. */
dfl_status dfl_add_colored_line(const dfl_stage *stage, dfl_label label, const dfl_spot *points,
                                int count, double thickness, const dfl_expr *moments);
dfl_status dfl_add_spring(const dfl_stage *stage, dfl_label label, const dfl_spot ends[2],
                          double radius);
/* A shape of a kind with a pose, its centre at `spot`, turned by `turn` relative to the body;
   `sizes` as in declare.h. */
dfl_status dfl_add_posed(const dfl_stage *stage, dfl_label label, dfl_shape_kind kind,
                         const dfl_spot *spot, const double turn[4], const double *sizes,
                         int nsizes);

/* Whether one of the first `count` shapes has this name. */
bool dfl_is_drawn(const dfl_model *model, int count, const char *name);

/* That of the script, or the next of a palette. */
const char *dfl_body_color(const dfl_drawing *drawing, int body);

/* Points and pose of a shape of the script, given in the drawing, move with the body. */
dfl_status dfl_carry_shape(dfl_drawing *drawing, dfl_shape *shape, int body);

/* The numbers of a point or an axis with the present parameters; false: not known, or no memory
   (*status). */
bool dfl_stage_values(double *out, dfl_status *status, const dfl_stage *stage, const dfl_expr *e,
                      int count);

/* shape_geometry.c: quaternions, the scalar first: the shortest turn from axis k of coordinates to
   a direction; of axes given as rows. */
void dfl_turn_axis(double q[4], int k, const double direction[3]);
void dfl_turn_axes(double q[4], const double axes[9]);
/* The uniform box with this mass and inertia (xx yy zz xy xz yz): edges and turn. False if there is
   none. */
bool dfl_inertia_box(double size[3], double q[4], double mass, const double inertia[6]);

/* shape_bodies.c, shape_joints.c, shape_elements.c */
dfl_status dfl_show_bodies(const dfl_stage *stage);
dfl_status dfl_show_joints(const dfl_stage *stage);
dfl_status dfl_show_elastics(const dfl_stage *stage); /* shape_elastic.c */
dfl_status dfl_show_grounds(const dfl_stage *stage);
dfl_status dfl_show_elements(const dfl_stage *stage);

#endif
