/* radau.h: Radau IIA with three stages, order 5: one accepted step at a time. */
#ifndef DFL_RADAU_H
#define DFL_RADAU_H

#include "formulation/formulation.h"
#include "integrate/control.h"
#include "integrate/norm.h"

enum { DFL_RADAU_STAGES = 3 };

typedef struct dfl_radau {
    dfl_system *sys;
    dfl_formulation *form;
    const dfl_solver_options *options;
    dfl_scale scale;
    dfl_controller control;

    double t;             /* of the last accepted point */
    dfl_point here, next; /* the last accepted point and a candidate, evaluated */
    dfl_point stage[DFL_RADAU_STAGES];
    double h;             /* proposed step, signed */
    double t_old, h_cont; /* the step that `cont` belongs to */
    bool have_cont;
    double *cont;                   /* n lanes: interpolation coefficients */
    double *Z, *Z0, *W, *dW, *rows; /* lanes */
    double *XP, *YP;                /* lanes of x' and of T^-1 x' */
    double *x_ref, *a_ref, *err, *y;

    double faccon, theta; /* Newton's memory */
    bool need_matrix;     /* new derivatives are needed */
    bool matrix_at_start; /* they belong to the start of a step: of this one, or ... */
    bool matrix_old;      /* ... of an earlier one and were kept: renewed when an attempt fails */
    int kept;             /* steps that the matrix has served already */
    double h_factored;    /* step size of E; 0: none */
    bool rejected;        /* the last attempt was rejected */
    int singular_in_row;
    double *flip; /* nc x nc and workspace of the eigenvalues */
    int flip_work;
    int flips;     /* how many directions of the constraints vanished in the last step ... */
    double t_flip; /* ... and when */
    double h_flip, t_beyond; /* the step that first showed it, and its end */
    double drift;            /* of W since the last decomposition */
    bool undetermined;       /* forces depend on redundant multipliers */
    int violated;            /* a row that turned out not to be redundant, or -1 */
} dfl_radau;

dfl_status dfl_radau_init(dfl_radau *ra, dfl_system *sys, dfl_formulation *form,
                          const dfl_solver_options *options);
void dfl_radau_bind(dfl_radau *ra);
void dfl_radau_clear(dfl_radau *ra);

/* Starts at the evaluated point `here` with the proposed step h (0: an estimate when it is aimed). */
void dfl_radau_start(dfl_radau *ra, double h);

/* Turns the proposed step towards t_end, which may lie before the present time. */
void dfl_radau_aim(dfl_radau *ra, double t_end);

/* Takes one accepted step that does not go beyond t_end. `attempts_left` bounds the attempts.
   On failure the last accepted point stays as it was. */
dfl_status dfl_radau_step(dfl_radau *ra, double t_end, long *attempts_left);

/* x(t) inside the last step; n values. */
void dfl_radau_interpolate(double *x, const dfl_radau *ra, double t);

#endif
