/* ode.h: explicit right-hand sides y' = F(t, y) of the forms, y = (r, v, p).

   Everything else is a function of the state: s from c = 0, and a, w, l, m from the saddle system
   (saddle.h) with a target for the acceleration of the constraints that depends on the form:

       explicit, psf         W a = -bias
       uode                  W a = -bias + (gII, hI at the start): l, m are integrated in the sense
                             that their differential equation, d/dt (gII, hI) = 0, is solved exactly
       baumgarte             W a = -bias - (2 alpha gI + beta^2 g, alpha hv)
       qr, svd               as explicit, after v -> v - W^+ (gI, hv), by QR or singular values
       partition, tangent    as explicit, after the dependent coordinates were found from g = 0 and
                             gI, hv = 0 for given S p and S v; S constant within a step */
#ifndef DFL_ODE_H
#define DFL_ODE_H

#include "formulation/saddle.h"

typedef struct dfl_ode {
    dfl_system *sys; /* that carries accelerations */
    const dfl_solver_options *options;
    dfl_form form;
    dfl_saddle saddle;
    double *target,
        *offset;           /* nc: of the constraints' accelerations; gII, hI at the start (uode) */
    double *change;        /* n: corrections */
    dfl_split *split;      /* of W: qr, svd; of the chosen columns: partition */
    dfl_factor *contact;   /* c_s, or gam_v K0 */
    dfl_rows_jacobian jac; /* for c_s and ep_p */
    dfl_lstsq *lstsq;      /* positions with invariants ep */
    double *rows;          /* m3 x n4 or nv x ne, and right-hand sides */
    double *S;             /* nf x nv: local coordinates */
    int nf;
    dfl_factor *local;         /* of [S; W] */
    int rank;                  /* of W, constant along the motion */
    bool *independent, *other; /* nv: the present partition, another one */
    int *dependent;            /* nv */
    bool chosen;               /* there is a partition */
} dfl_ode;

/* Whether the form has a right-hand side, and whether its states are the user's own only after the
   velocities were projected (qr, svd). */
bool dfl_ode_has(dfl_form form);
bool dfl_ode_projects(dfl_form form);

dfl_status dfl_ode_init(dfl_ode *ode, dfl_system *sys, const dfl_solver_options *options);
void dfl_ode_clear(dfl_ode *ode);
void dfl_ode_bind(dfl_ode *ode);

/* At an evaluated point where a run begins, with constraints of the given rank. */
void dfl_ode_start(dfl_ode *ode, const dfl_point *point, int rank);

/* At the beginning of a step from an evaluated point: coordinates, rows in use. */
dfl_outcome dfl_ode_begin(dfl_ode *ode, const dfl_point *point);

/* Completes the state at point->t, evaluates all blocks there and solves for what depends on it;
   rate (n values, laid out as x) gets y'. */
dfl_outcome dfl_ode_rates(double *rate, dfl_ode *ode, dfl_point *point);

/* The same for an end of a step, which is moved onto the constraints if the form says so; then all rows
   of the point are evaluated. In qr and svd the state keeps its own velocity. */
dfl_outcome dfl_ode_finish(dfl_ode *ode, dfl_point *point);

/* The same for a state that is taken as it is. */
dfl_outcome dfl_ode_settle(dfl_ode *ode, dfl_point *point);

/* rate = (0, b, a, 0, Z v) at a point that carries a, laid out as x. */
void dfl_ode_write_rates(double *rate, const dfl_system *sys, const dfl_point *point);

/* What a state does not choose: s from c = 0 for given p; velocities along massless directions from gam = 0. */
dfl_outcome dfl_ode_contact(dfl_ode *ode, dfl_point *point);
dfl_outcome dfl_ode_massless(dfl_ode *ode, dfl_point *point);

/* Moves positions (and s), then velocities onto the constraints with the least change in the metric of M.
   The saddle is factored there afterwards, and blocks W, gI, hv, g, c are evaluated. */
dfl_outcome dfl_ode_move_positions(dfl_ode *ode, dfl_point *point);
dfl_outcome dfl_ode_move_velocities(dfl_ode *ode, dfl_point *point);

/* Then velocities onto the invariants e, along the constraints; not where an invariant is degenerate. */
dfl_outcome dfl_ode_move_invariants(dfl_ode *ode, dfl_point *point);

#endif
