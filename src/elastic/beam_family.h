/* beam_family.h: the finite elements of one family of motions of a beam; for files of elastic. */
#ifndef DFL_BEAM_FAMILY_H
#define DFL_BEAM_FAMILY_H

#include "elastic/elastic.h"

enum { DFL_GAUSS = 6 }; /* exact for polynomials of degree 11 */
extern const double dfl_gauss_place[DFL_GAUSS], dfl_gauss_weight[DFL_GAUSS]; /* on 0 ... 1 */

/* Modes of one family as vectors of the finite elements: per place of the mesh a deflection and, of
   a bending beam, its slope. */
typedef struct dfl_family_modes {
    int per_place; /* unknowns: 1 or 2 */
    int count;     /* modes */
    int nplaces;
    double *k;    /* count */
    double *X;    /* (per_place nplaces) x count */
    double *turn; /* of stations: the share of the modes in the turn that a moment there causes */
} dfl_family_modes;

/* What the modes are made of. */
typedef struct dfl_mesh {
    int nplaces;
    double *place; /* ascending, 0 to 1 */
    int *station;  /* of the task: number of the place */
} dfl_mesh;

dfl_status dfl_mesh_create(dfl_mesh *mesh, dfl_context *ctx, const dfl_beam_task *task);
void dfl_mesh_clear(dfl_mesh *mesh, dfl_context *ctx);

/* At most `most` modes of a family, by ascending stiffness; with task->interface these are the
   fixed-interface modes, beside which all static shapes are kept, and the modes are those of both
   together. */
dfl_status dfl_family_find(dfl_family_modes *out, dfl_context *ctx, const dfl_beam_task *task,
                           const dfl_mesh *mesh, dfl_beam_family family, int most);
/* The stiffnesses that `most` modes have before static shapes are added: for the choice between
   families. */
dfl_status dfl_family_stiffness(double *k, int *count, dfl_context *ctx, const dfl_beam_task *task,
                                const dfl_mesh *mesh, dfl_beam_family family, int most);
void dfl_family_clear(dfl_family_modes *modes, dfl_context *ctx);

/* Value and slope of mode i at place s (0 ... 1) of an element. */
void dfl_family_value(double *value, double *slope, const dfl_family_modes *modes,
                      const dfl_mesh *mesh, int i, int element, double s);

/* Stretch, curvature or twist per length of mode i at a place of the mesh: the mean of both
   elements. */
double dfl_family_strain(const dfl_family_modes *modes, const dfl_mesh *mesh, int i, int place);

#endif
