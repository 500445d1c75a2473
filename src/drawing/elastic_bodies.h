/* elastic_bodies.h: bodies that bend: a frame of reference, elastic coordinates NAME.q1, ..., and
   nodes, where joints and forces act.

   A node is a body without mass in the drawing. The first joint that holds the frame or a node is
   the one that the elastic body hangs on. */
#ifndef DFL_DRAWING_ELASTIC_BODIES_H
#define DFL_DRAWING_ELASTIC_BODIES_H

#include "drawing/bodies.h"
#include "elastic/elastic.h"

/* Numbers of `modal` are in units of `mass` and `length`, about the point `at`, in these axes of
   the drawing: a length is multiplied by `length`, and so is every quotient of a field of second
   order divided by it. For bodies given in numbers both are 1. */
typedef struct dfl_drawn_elastic {
    int line;
    const char *name, *color;
    bool hidden;
    double magnify; /* of deflections that are shown; 0 means 1 */
    const dfl_modal_body *modal;
    const char *const *node_names; /* of those that are not points of the outline */
    dfl_vec at, axes[3];
    dfl_expr mass, length;
    dfl_expr rotary;       /* inertia of the section about the axis x, for twists; 0: none */
    const double *twist;   /* n: mean of the modes that are twists, else 0; NULL: none */
    const bool *twists;    /* n: which modes are twists; NULL: none */
    const bool *massless;  /* n: modes without inertia, which follow their loads; NULL: none */
    const dfl_expr *K, *D; /* n n: stiffness and damping */
    bool smooth;           /* modes begin without vibrations */
    double soft; /* (rad/s)^2, of the slowest mode, if turning does not stiffen the body; else 0 */
} dfl_drawn_elastic;

/* *out: the number of the body that is its frame of reference. */
dfl_status dfl_drawing_elastic(int *out, dfl_drawing *drawing, const dfl_drawn_elastic *drawn);

/* The body of a node by its name, or -1; the point of the drawing where it is. */
int dfl_drawing_node(const dfl_drawing *drawing, int frame, const char *name);
/* Appends the names of the nodes of a frame. */
dfl_status dfl_drawing_list_nodes(dfl_text *out, const dfl_drawing *drawing, int frame);
dfl_vec dfl_drawing_node_point(const dfl_drawing *drawing, int node);
bool dfl_drawing_is_elastic(const dfl_drawing *drawing, int body); /* a frame or a node */
bool dfl_drawing_is_elastic_frame(const dfl_drawing *drawing, int body);
/* Replaces the frame of an elastic body by its node at a point of the drawing. DFL_INVALID: there
   is none; the message has the nearest ones. */
dfl_status dfl_drawing_need_node(int *body, const dfl_drawing *drawing, const char *call,
                                 const char *name, dfl_vec at);

/* Displacement of a node in the frame, in axes of the elastic body. */
dfl_vec dfl_drawing_deflection(dfl_drawing *drawing, int node);
/* Force along a beam, moments of bending along y and z, or torque, in its section at a node. Of a
   frame: of its beam `beam`, from 1, which ends at this node; 0: of the first one that does. */
dfl_expr dfl_drawing_beam_load(const dfl_drawing *drawing, int node, dfl_beam_family family,
                               int beam);
/* How many beams, or whether this one, have a section at a node. */
int dfl_drawing_count_beams(const dfl_drawing *drawing, int node, int beam);
/* q_k and its velocity; false: there is none. */
bool dfl_drawing_elastic_coordinate(dfl_expr *q, dfl_expr *v, const dfl_drawing *drawing, int frame,
                                    int k);

#endif
