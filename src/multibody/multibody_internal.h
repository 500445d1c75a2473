/* multibody_internal.h: the handle of driftless/multibody.h, shared by the files that implement
   it. */
#ifndef DFL_MULTIBODY_INTERNAL_H
#define DFL_MULTIBODY_INTERNAL_H

#include "multibody/multibody.h"

#include "linalg/linalg.h"

enum { NAME_LENGTH = 64 };

/* A spring in numbers of the tree. */
typedef struct placed_spring {
    int p, v;
    double stiffness, damping, rest;
} placed_spring;

/* What the caller provides. */
typedef struct callbacks {
    dfl_force_fn force;
    dfl_force_slopes_fn slopes;
    dfl_drive_fn drive;
    void *user;
} callbacks;

/* Workspace for matrices. For a mechanism without loops and massless directions it is allocated
   when a function first needs it, since a large tree may have no room for it. */
typedef struct matrices {
    double *K0;          /* nv x all massless directions */
    double *Tq, *Tv, *M; /* nv x nv */
    double *Y;           /* (nv + 4) x (np + nv) */
    double *W, *B, *G;   /* rows x nv; rows x all massless directions; 3 rows x nv */
    double *g;           /* rows */
} matrices;

/* Massless directions that loops hold (held_directions.c). */
typedef struct held_directions {
    int count;
    int *row, *column;  /* pivots of B */
    double *mu, *gam;   /* forces of the rows that hold them: rows; held */
    dfl_factor *factor; /* B in these rows and columns */
} held_directions;

typedef struct unknown_names {
    char (*p)[NAME_LENGTH], (*v)[NAME_LENGTH], (*row)[NAME_LENGTH];
} unknown_names;

/* Accelerations of mechanisms with loops (multibody_forward.c). */
typedef struct loop_solver loop_solver;

struct dfl_multibody {
    dfl_context *ctx;
    dfl_tree *tree;
    dfl_loops *loops;
    dfl_tree_derivatives *derivatives; /* with the matrices */
    dfl_eom eom;
    dfl_tree_ranks ranks;
    callbacks call;
    bool busy; /* a callback is running */
    int nsprings;
    placed_spring *spring;
    double t, *p, *v;      /* the state */
    double *motion;        /* what `drive` writes: 3 per driven joint */
    bool posed, moving;    /* the tree has poses, velocities of the state */
    double *tau, *a, *gam; /* nv, nv, all massless directions */
    matrices mat;
    held_directions held;
    unknown_names names;
    loop_solver *solver;
    dfl_structure structure; /* of eom: the side of its loops */
    char mirrored[128];
    const char *side_name; /* that array */
};

/* ------------------------------------------------------------------ multibody.c */

/* Moves the mechanism. Returns what `drive` returned; if that is not 0, nothing has changed. p and
   v may be those of the mechanism. */
int dfl_multibody_place(dfl_multibody *m, double t, const double *p, const double *v);

/* Poses and velocities of the tree at the state, unless they are there already. */
void dfl_multibody_pose(dfl_multibody *m);
void dfl_multibody_arrive(dfl_multibody *m);

/* tau = all applied forces at the state. Returns what `force` returned. */
int dfl_multibody_forces(double *tau, dfl_multibody *m);

/* Makes room for matrices. DFL_NO_MEMORY. */
dfl_status dfl_multibody_need_matrices(dfl_multibody *m);

/* The status of what the callback called last returned at time t. DFL_CALLBACK. */
dfl_status dfl_multibody_called(dfl_multibody *m, int result, double t);

/* DFL_INVALID inside a callback. */
dfl_status dfl_multibody_ready(dfl_multibody *m);

/* Writes the motions of driven joints at time t. Returns what `drive` returned. */
int dfl_multibody_drive(double *motion, dfl_multibody *m, double t);

/* Keeps the name of a callback that failed; returns the result. */
int dfl_multibody_note(dfl_multibody *m, int result, const char *callback);

/* Whether the quaternions in p, `stride` numbers apart, have a direction. DFL_INVALID: the message
   names the joint. */
dfl_status dfl_multibody_check_turns(dfl_multibody *m, const double *p, int stride);

/* ------------------------------------------------------------------ multibody_forward.c */

/* DFL_SINGULAR: forces do not determine accelerations. */
dfl_status dfl_multibody_massless(const dfl_multibody *m);

/* DFL_SINGULAR: M is singular at the place of the tree; `state` is a number for the message, -1:
   none. Overwrites velocities of the tree. */
dfl_status dfl_multibody_check_mass(dfl_multibody *m, double t, int state);
void dfl_multibody_free_solver(dfl_multibody *m);

/* ------------------------------------------------------------------ multibody_slopes.c */

/* m->mat.Tq, m->mat.Tv: derivatives of f - M a at the state along velocities and by v; m->mat.M:
   M. */
int dfl_multibody_derive(dfl_multibody *m, const double *a);

int dfl_multibody_eom_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                               void *user);

/* ------------------------------------------------------------------ multibody_eom.c */

void dfl_multibody_fill_eom(dfl_multibody *m);

/* Makes the names of unknowns and rows. DFL_NO_MEMORY. */
dfl_status dfl_multibody_need_names(dfl_multibody *m);

/* ------------------------------------------------------------------ held_directions.c */

/* Finds the massless directions that loops hold at the state, once. DFL_NO_MEMORY. */
dfl_status dfl_multibody_find_held(dfl_multibody *m);

/* m->a, m->gam, m->mat.K0 of the tree under tau, and m->mat.W, m->mat.B with loops, at the
   state. */
void dfl_multibody_directions(dfl_multibody *m, const double *tau);

/* K0 and gam of what loops do not hold, from those of the tree; returns their number.
   Either may be NULL. Needs m->mat.B = W K0. */
int dfl_multibody_reduce(double *K0, double *gam, dfl_multibody *m);

/* ------------------------------------------------------------------ tree_lanes.c

   The recursions of a tree for DFL_MULTIBODY_LANES states at once. The tree must outlive the lanes,
   which use its ranks and gravity. `gam` may be NULL. Forward dynamics returns as dfl_tree_forward
   does, for all states together. */
typedef struct dfl_tree_lanes dfl_tree_lanes;
dfl_status dfl_tree_lanes_create(dfl_tree_lanes **out, dfl_context *ctx, const dfl_tree *tree);
void dfl_tree_lanes_free(dfl_tree_lanes *lanes);
void dfl_tree_lanes_place(dfl_tree_lanes *lanes, const double *p, const double *drive);
const double *dfl_tree_lanes_drive(const dfl_tree_lanes *lanes);
void dfl_tree_lanes_inverse(double *tau, dfl_tree_lanes *lanes, const double *v, const double *a);
bool dfl_tree_lanes_forward(double *a, double *gam, dfl_tree_lanes *lanes, const double *v,
                            const double *tau);

#endif
