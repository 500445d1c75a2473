/* moved_links.h: links in the axes that the recursions of dynamics.c use, and their accelerations.
 */
#ifndef DFL_DRAWING_MOVED_LINKS_H
#define DFL_DRAWING_MOVED_LINKS_H

#include "drawing/drawing_internal.h"

typedef struct dfl_moved {
    dfl_mat R;   /* from axes of the link to those used here, of links with a pose or elastic */
    dfl_mat C;   /* from the link's own axes to those of the drawing */
    bool turned; /* Q is not 1 */
    dfl_mat Q;
    dfl_vec r, axis;
    dfl_expr m;
    dfl_vec h;
    dfl_sym J;
    dfl_vec omega, alpha, a;
    dfl_vec F, N;
} dfl_moved;

/* Axes, vectors between origins, and masses of all links; `world`: in axes of the world. */
void dfl_moved_place(dfl_moved *all, dfl_drawing *drawing, bool world);
/* Angular velocities, and accelerations for v' = 0. */
void dfl_moved_accelerate(dfl_moved *all, dfl_drawing *drawing);
/* Vectors in axes of the parent, and back. */
dfl_vec dfl_moved_to_parent(dfl_graph *g, const dfl_moved *m, dfl_vec b);
dfl_vec dfl_moved_to_child(dfl_graph *g, const dfl_moved *m, dfl_vec b);
/* The rates of a link, and those for which its velocity k is 1, in the axes used here. */
void dfl_moved_rates(dfl_vec *w, dfl_vec *u, dfl_drawing *drawing, const dfl_link *link,
                     const dfl_moved *m);
void dfl_moved_unit_rates(dfl_vec *w, dfl_vec *u, dfl_drawing *drawing, const dfl_link *link, int k,
                          const dfl_moved *m);

#endif
