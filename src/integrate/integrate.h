/* integrate.h: one accepted step at a time, for the solver.

   The integrator of the options is behind dfl_stepper. stepper.h says what an integrator is made
   of. */
#ifndef DFL_INTEGRATE_H
#define DFL_INTEGRATE_H

#include "formulation/formulation.h"

typedef struct dfl_stepper {
    const struct dfl_stepper_class *class; /* the operations of the integrator */
    dfl_system *sys;
    dfl_formulation *form;
    const dfl_solver_options *options;

    double t;             /* of the last accepted point */
    dfl_point here, next; /* the last accepted point and a candidate, evaluated */
    dfl_point spare;      /* for the end of a step that is taken again */
    double h;             /* proposed step, signed */
    bool stepped;         /* a step was taken since the start */
    bool again;           /* the last one is taken once more, with another size */
    bool rejected;        /* the last attempt was rejected */
    bool resumed; /* nothing is known of the field here: no step was taken since it changed */
    double t_old, h_old;           /* the last step */
    int order;                     /* of the last step; before, of the first one */
    int degree;                    /* of the polynomial that interpolates it */
    double *err;                   /* n: the last error estimate */
    struct dfl_tangents *tangents; /* derivatives that are followed, or NULL; not owned */
    double estimate;               /* its norm where the last step was accepted; 1: not known */

    struct dfl_stepper_parts *parts; /* stepper.h: the owner of ... */
    struct dfl_scale *scale;         /* ... norms, */
    struct dfl_controller *control;  /* step-size control, */
    struct dfl_newton *newton;       /* Newton's memory */
    struct dfl_failure_watch *watch; /* and what a step is watched for */
} dfl_stepper;

/* Whether an integrator is explicit: it integrates the right-hand side of a form. */
bool dfl_integrator_is_explicit(dfl_integrator integrator);

/* What the integrator of the options needs of the formulation. */
dfl_integrator_needs dfl_stepper_needs(const dfl_solver_options *options);

/* Creates the integrator of the options. On failure *out is NULL. DFL_NO_MEMORY. */
dfl_status dfl_stepper_create(dfl_stepper **out, dfl_system *sys, dfl_formulation *form,
                              const dfl_solver_options *options);
void dfl_stepper_free(dfl_stepper *st);

/* After dfl_system_decide and dfl_formulation_bind: lays out the workspace. */
void dfl_stepper_bind(dfl_stepper *st);

/* Starts at the evaluated point `here` with the proposed step h (0: an estimate when it is
   aimed). */
void dfl_stepper_start(dfl_stepper *st, double h);

/* The same where the right-hand side has changed, or the state has jumped: order and step size stay
   if the method allows it, what it remembers of the steps before is forgotten. */
void dfl_stepper_resume(dfl_stepper *st);

/* Goes back to where the last step began, which is the present point again; nothing may have been
   evaluated since the step. */
void dfl_stepper_undo(dfl_stepper *st);

/* Begins at `here` as if nothing had been before, with this step size and order. */
void dfl_stepper_restart(dfl_stepper *st, double h, int order);

/* Turns the proposed step towards t_end, which may be before the present time. */
void dfl_stepper_aim(dfl_stepper *st, double t_end);

/* Takes one accepted step that does not go beyond t_end. `attempts_left` bounds the attempts.
   On failure the last accepted point stays as it was. */
dfl_status dfl_stepper_step(dfl_stepper *st, double t_end, long *attempts_left);

/* Takes the last step once more from where it began, now to t_end inside it; its polynomial
   predicts the stages. False: the step is not accepted; the present point and the continuous output
   are as before. Not for integrators that remember earlier steps. */
bool dfl_stepper_retake(dfl_stepper *st, double t_end);

/* Whether a step depends on several earlier ones. */
bool dfl_stepper_remembers(const dfl_stepper *st);

/* x(t) inside the last step; n values. */
void dfl_stepper_interpolate(double *x, const dfl_stepper *st, double t);

/* x' (n) at an evaluated point: of r, v (if the accelerations are known) and p; zero for the
   others. */
void dfl_stepper_rates(double *xp, const dfl_stepper *st, const dfl_point *point);

/* Whether the equations give unknown i a rate at this point: not to w, l, m, nor to velocities
   along massless directions, whose accelerations forces do not determine. */
bool dfl_stepper_has_rate(const dfl_stepper *st, const dfl_point *point, int i);

/* 1/tolerance of each unknown (n), as the error test of the last step used it. */
const double *dfl_stepper_weights(const dfl_stepper *st);

/* ---- derivatives by parameters of the steps of Radau IIA and BDF in psf (tangents.c) ---- */

typedef struct dfl_tangents dfl_tangents;

/* Creates them for the present layout of the system. DFL_NO_MEMORY. */
dfl_status dfl_tangents_create(dfl_tangents **out, dfl_stepper *st,
                               const dfl_parameters *parameters);
void dfl_tangents_free(dfl_tangents *tan);

/* Makes `start` (nu x count) consistent at the evaluated point `here`. */
dfl_outcome dfl_tangents_start(dfl_tangents *tan, dfl_stepper *st, const double *start,
                               const double *tolerance);

/* The largest part of the derivatives of positions and velocities by which they were moved then; 0
   without `tolerance`, that of the user's unknowns. */
double dfl_tangents_moved(const dfl_tangents *tan);

/* xp: rates of all unknowns at the present point, from those of r, v and p. */
dfl_outcome dfl_tangents_rates(double *xp, dfl_tangents *tan, dfl_stepper *st);

/* In an attempt of a step of size h whose stages are found: the derivatives at its end, and *err,
   the estimate of their error; 1 is the tolerance. */
dfl_outcome dfl_tangents_attempt(double *err, dfl_tangents *tan, dfl_stepper *st, double h);

/* The same in a step of BDF, `st`, that another integrator has taken. */
dfl_outcome dfl_tangents_begin_past(dfl_tangents *tan, dfl_stepper *st, dfl_stepper *starter,
                                    double h);

/* In an attempt of BDF: the largest size of what the step of a degree would leave out of
   derivatives (history.h); 1 is the tolerance. */
double dfl_tangents_left_out(dfl_tangents *tan, const dfl_stepper *st, int degree);

/* Takes those of the step that was accepted last, at its end or at a time t inside it. */
dfl_outcome dfl_tangents_accept(dfl_tangents *tan, dfl_stepper *st, double t);

/* Goes back to those before the last step, which will be taken again. */
void dfl_tangents_undo(dfl_tangents *tan);

/* Whether steps are chosen for the errors of derivatives, too; they are at first. */
void dfl_tangents_control(dfl_tangents *tan, bool controlled);

/* The derivatives of all unknowns, n x count, and of the accelerations, nv x count. */
const double *dfl_tangents_values(const dfl_tangents *tan);
const double *dfl_tangents_accelerations(const dfl_tangents *tan);
int dfl_tangents_count(const dfl_tangents *tan);

/* ---- the same backwards (adjoint.c): weights of objectives instead of derivatives ---- */

typedef struct dfl_adjoint dfl_adjoint;

/* Creates a record of a run for the present layout of the system. The first parameters,
   dfl_adjoint_spare of them
   (`spare`), are none: they serve to pass instants. DFL_NO_MEMORY. */
dfl_status dfl_adjoint_create(dfl_adjoint **out, dfl_stepper *st, const dfl_parameters *parameters,
                              int spare);
void dfl_adjoint_free(dfl_adjoint *adj);
int dfl_adjoint_spare(const dfl_system *sys, int nmemory);

/* Derivatives by all parameters, and the spare ones, at starts. */
dfl_tangents *dfl_adjoint_tangents(const dfl_adjoint *adj);

/* The memory that it takes by now; steps beyond a limit go to a temporary file. */
size_t dfl_adjoint_bytes(const dfl_adjoint *adj);
void dfl_adjoint_limit(dfl_adjoint *adj, size_t bytes);

/* Before an instant, at `here`: the derivatives become a basis of what they may be. Records the
   start after it, or of the run, with the derivatives there; the step that was accepted last, as
   dfl_tangents_accept takes it; and weights of an objective there: of the user's unknowns,
   accelerations (or NULL) and memory (or NULL). */
dfl_outcome dfl_adjoint_approach(dfl_adjoint *adj);
dfl_status dfl_adjoint_start(dfl_adjoint *adj);
dfl_status dfl_adjoint_step(dfl_adjoint *adj, const dfl_tangents *tan, double t);
void dfl_adjoint_undo(dfl_adjoint *adj); /* the last step */
dfl_status dfl_adjoint_weigh(dfl_adjoint *adj, int objective, const double *x, const double *a,
                             const double *memory);

/* gradient (nof x count) += what all parameters do to the objectives. */
dfl_outcome dfl_adjoint_sweep(double *gradient, dfl_adjoint *adj, int nof);

/* Formats a line and hands it to options->log, if there is one. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void dfl_log(const dfl_solver_options *options, dfl_log_level level, const char *format, ...);

#endif
