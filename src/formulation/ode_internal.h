/* ode_internal.h: explicit right-hand sides y' = F(t, y) of the forms, y = (r, v, p), and their use
   as a formulation.

   Everything else is a function of the state: s from c = 0, and a, w, l, m from the saddle system
   (saddle.h) with a target for the acceleration of the constraints that depends on the form:

       explicit, psf         W a = -bias
       uode                  W a = -bias + (gII, hI at the start): l, m are integrated in the sense
                             that their differential equation, d/dt (gII, hI) = 0, is solved exactly
       baumgarte             W a = -bias - (2 alpha gI + beta^2 g, alpha hv)
       qr, svd               as explicit, after v -> v - W^+ (gI, hv), by QR or singular values
       partition, tangent    as explicit, after the dependent coordinates were found from g = 0 and
                             gI, hv = 0 for given S p and S v; S constant within a step
       separation            as explicit, after the dependent velocities were found from gI, hv = 0
                             for given S v */
#ifndef DFL_ODE_INTERNAL_H
#define DFL_ODE_INTERNAL_H

#include "formulation/reduced.h"
#include "formulation/saddle.h"

struct dfl_ode {
    dfl_system *sys; /* that carries accelerations */
    const dfl_solver_options *options;
    dfl_form form;
    double least; /* corrections below it have no weight in the tolerances */
    dfl_saddle saddle;
    double *target,
        *offset;           /* nc: of the constraints' accelerations; gII, hI at the start (uode) */
    double *change;        /* n: corrections */
    dfl_split *split;      /* of W: qr, svd; of the chosen columns: partition */
    dfl_factor *contact;   /* c_s, or gam_v K0 */
    dfl_rows_jacobian jac; /* for c_s and ep_p */
    dfl_lstsq *lstsq;      /* positions with invariants ep */
    double *rows;          /* m3 x n4, nv x ne or nf x nf, and right-hand sides */
    double *S, *candidate; /* nf x nv: local coordinates, others */
    dfl_split *angles;     /* of S and the free directions: separation */
    int nf;
    dfl_factor *local;         /* of [S; W] */
    int rank;                  /* of W, constant along the motion */
    bool *independent, *other; /* nv: the present partition, another one */
    int *dependent;            /* nv */
    bool chosen;               /* there is a partition */
};

dfl_status dfl_ode_init(dfl_ode *ode, dfl_system *sys, const dfl_solver_options *options);
void dfl_ode_clear(dfl_ode *ode);
void dfl_ode_bind(dfl_ode *ode);

/* At an evaluated point where a run begins, with constraints of the given rank. */
void dfl_ode_start(dfl_ode *ode, const dfl_point *point, int rank);

/* Moves velocities onto the constraints, after dfl_ode_move_positions. */
dfl_outcome dfl_ode_move_velocities(dfl_ode *ode, dfl_point *point);

/* Local coordinates (ode_local.c): chosen at the beginning of a step; p and v completed from them,
   with blocks g, gI, hv, W evaluated at these positions. */
dfl_outcome dfl_ode_local_begin(dfl_ode *ode, const dfl_point *point);
dfl_outcome dfl_ode_local_complete(dfl_ode *ode, dfl_point *point);

/* Parts of it: the partition that the user or pivoting chooses, and its rows or the user's
   combinations; the factors of [S; W]; change = [S; W]^-1 (0, -rows) with the first `count` rows,
   whose largest entry is returned. */
void dfl_ode_chosen_partition(bool *independent, dfl_ode *ode, const dfl_point *point);
void dfl_ode_partition_rows(double *S, const dfl_ode *ode, const bool *independent);
dfl_outcome dfl_ode_local_factor(dfl_ode *ode, const dfl_point *point);
double dfl_ode_local_correction(dfl_ode *ode, const double *rows, int count);

/* Separation (ode_separation.c): T chosen at the beginning of a step; velocities completed from T
   v, with blocks gI, hv, W evaluated. */
dfl_outcome dfl_ode_separation_begin(dfl_ode *ode, const dfl_point *point);
dfl_outcome dfl_ode_separate(dfl_ode *ode, dfl_point *point);

#endif
