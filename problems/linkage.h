/* linkage.h: points in the plane joined by bars, the common form of nchain and fourbar. */
#ifndef DFL_PROBLEMS_LINKAGE_H
#define DFL_PROBLEMS_LINKAGE_H

#include "problems_internal.h"

/* A bar of length 1 from point ends[0] to point ends[1]; ends[0] < 0: from (anchor, 0), fixed. */
typedef struct linkage_bar {
    int ends[2];
    double anchor;
} linkage_bar;

/* The parameters of a linkage, one block of memory with everything the pointers point to. */
typedef struct linkage {
    int npoints, nbars;
    double point_mass, bar_mass, gravity;
    linkage_bar *bars;             /* to be filled in */
    double *reference_x;           /* nreferences * n values, to be filled in */
    problem_reference *references; /* nreferences, whose x already points into reference_x */
    dfl_body *bodies;              /* one per point */
    dfl_constraint_block *blocks;  /* one per bar */
    dfl_structure structure;
} linkage;

/* Fills in out->eom and allocates x0 and the linkage. After the caller has filled in the bars,
   `linkage_finish` describes the structure of the constraints. False without memory. */
bool linkage_create(problem *out, const linkage *data, int nreferences);
void linkage_finish(problem *out);

#endif
