/* inverse_internal.h: shared by the files of inverse dynamics. */
#ifndef DFL_INVERSE_INTERNAL_H
#define DFL_INVERSE_INTERNAL_H

#include "study/servo.h"
#include "study/study_internal.h"

#include <driftless/analysis.h>

/* One run along the motions. */
typedef struct dfl_pursuit {
    dfl_inverse *out;
    dfl_runnable *run;
    const dfl_settings *settings;
    dfl_solver *solver;
    bool nonlinear; /* forces are not proportional to inputs */
    bool followed;  /* out->tau has the drives of the last row */
    bool *held;     /* initial values that the script wants to be kept */
    int *mode;      /* of each contact at the last row, or NULL before the first */
    bool indirect;  /* the inputs do not act where motions are prescribed */
    int lacking;    /* a velocity along which they do not, or -1 */
    dfl_servo servo;
    dfl_inverse_fn row;
    void *user;
    double *history;     /* where drives go instead of rows, or NULL */
    double *W, *force;   /* of the other constraints, nv */
    double *B, *b, *d;   /* derivatives by the inputs */
    double *multipliers; /* their change */
    bool checked;        /* paths are smooth enough */
    double *branch;      /* of each switch at the first row */
    double growth;       /* of what motions leave open, at the start */
} dfl_pursuit;

/* path_breaks.c: the lowest derivative by time below number `orders` of a row that jumps during the
   run; row -1: none. */
typedef struct dfl_path_break {
    int row, order;
    double t;
} dfl_path_break;
dfl_status dfl_path_breaks(dfl_path_break *out, const dfl_pursuit *it, const dfl_expr *rows,
                           int count, int orders);

/* inverse_checks.c: paths, when the equations of motion are differentiated `level` times; switches
   of forces that are differentiated; what inputs that act directly leave open, at the start (t,
   out->x) and at the end. DFL_INCONSISTENT, DFL_SINGULAR: it cannot be followed. */
dfl_status dfl_inverse_check_paths(dfl_pursuit *it, int level);
dfl_status dfl_inverse_check_switches(dfl_pursuit *it, double t);
dfl_status dfl_inverse_check_open_motion(dfl_pursuit *it, double t);
dfl_status dfl_inverse_check_end(dfl_pursuit *it, double t);

/* inverse_drives.c: their names and numbers; whether inputs act where motions are prescribed, at
   (t, out->x), as forces that are proportional to them; the drives there: of inputs, and of
   coordinates without inputs; the powers of inputs. */
dfl_status dfl_drives_list(dfl_inverse *out, const dfl_equations *eq);
dfl_status dfl_drives_act(bool *directly, dfl_pursuit *it, double t);
dfl_status dfl_drives_of_inputs(dfl_pursuit *it, double t);
dfl_status dfl_drives_of_coordinates(dfl_pursuit *it, double t);
dfl_status dfl_drives_power(dfl_pursuit *it, double t);

/* inverse_newton.c: out->tau and the change of multipliers for the forces it->force in addition to
   those of the present inputs, and `wanted` with it->W, it->B. DFL_INCONSISTENT: there are none. */
dfl_status dfl_drives_by_newton(dfl_pursuit *it, int *worst, const dfl_drive_forces *wanted,
                                double t);

/* Powers of inputs: of the force that each one adds to that of the others. */
dfl_status dfl_drives_power_added(dfl_pursuit *it, double t);

/* inverse_notices.c: initial values that motions have changed; contacts that change their modes
   between rows, so that drives may jump. */
dfl_status dfl_inverse_note_start(dfl_pursuit *it);
dfl_status dfl_inverse_note_contacts(dfl_pursuit *it, double t);

#endif
