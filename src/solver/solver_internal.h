/* solver_internal.h: one trajectory in progress, inside the solver module. */
#ifndef DFL_SOLVER_INTERNAL_H
#define DFL_SOLVER_INTERNAL_H

#include "initial/initial.h"
#include "integrate/integrate.h"

#include <driftless/solver.h>

struct dfl_solver {
    dfl_context *ctx;
    const dfl_eom *eom;
    dfl_solver_options options; /* resolved */
    dfl_statistics stats;
    int doubts; /* in a row, about W and bias (watch.c) */
    dfl_system sys;
    dfl_formulation *form;
    dfl_stepper *stepper;
    dfl_initial initial;
    struct {
        double *atol, *size; /* n each: absolute tolerances that follow sizes, and these sizes */
        double *unit;        /* n: of what is known alone */
        double *level;       /* 2 (n + 2): per kind, workspace */
        double *rates;       /* n: of velocities and dynamic variables, |v'| and |r'| */
        double *move;        /* 2 n: workspace */
        const double *given; /* n: while sizes are taken */
        double rate;         /* 1/s: of the slowest kind of motion at the start */
    } sizes;
    double
        *raised; /* 2 n: rtol and atol of each unknown, if rounding does not allow the given ones */
    bool started;
    bool pivoting_told;  /* that KLU was needed */
    dfl_failure failure; /* of the last start or advance */
    double t0;
    long outputs;              /* the next grid point is t0 + sense outputs every */
    double *x, *x_event;       /* n each: interpolated states */
    double *watched;           /* 2 nc: rows of W times velocities, see watch.c */
    double *x_stop;            /* n: the state at a located event */
    double *value, *value_old; /* events at the ends of an interval */
    double *value_probe;
    double *value_near; /* 2 events.count: a little after and before them */
    double sense;       /* of the last advance, +1 or -1 in time; 0: outputs, value_old are stale */
    bool fresh;         /* value_old is of a start */
    bool unreported;    /* a callback stopped the run before the last step was reported */
    double reported;    /* up to here events were looked for */
    bool event_found;   /* events at `event_time` are not yet met ... */
    bool approached;    /* ... but x_stop is their state, ... */
    int stopping;       /* ... the first terminal one of them is this, -1: none, ... */
    bool landed;        /* ... and the last step ends there */
    double event_time;  /* of the last events ... */
    signed char *found; /* ... +1 rising, -1 falling, 0 not one of them */
    double t_end;       /* of the present advance */
    double cut;         /* where the last step is to end, before its end; NAN: it is whole ... */
    double *x_cut;      /* ... and the state there */
    struct {
        struct dfl_tangents *tangents; /* or NULL: none are followed */
        struct dfl_adjoint *adjoint;   /* or NULL: steps are not recorded */
        bool off_event;                /* the run has ended at an event where no step ends */
        dfl_parameters parameters;
        double *values;              /* n x count, of the user's unknowns */
        double *rates, *before;      /* n each: x' and x before branches change */
        double *instant;             /* count: of the time at which they do */
        double *slack;               /* count: how far several of them differ */
        double *slope;               /* count: workspace */
        struct dfl_other_set *other; /* of all parameters, while steps are recorded (recording.c) */
    } derivatives;
    double *saved; /* nv + n0 + n: accelerations and a state that is saved or restored */
    struct dfl_switching *switching; /* branches of the model, or NULL */
    struct dfl_contacts *contacts;   /* or NULL */
    struct dfl_watching *watching;   /* events with bounds, or NULL */
    const dfl_point *present; /* where residuals are taken: `here`, but `next` while on_step is
                                 called for an event inside the step; NULL: eval has failed there */
};

/* DFL_INVALID: a form that does not go with the integrator, with the reason. */
dfl_status dfl_combination_check(dfl_context *ctx, dfl_form form, dfl_integrator integrator);

/* DFL_INVALID: a form that does not go with the model, with the reason. */
dfl_status dfl_form_check(dfl_context *ctx, const dfl_solver_options *options, const dfl_eom *eom);

/* Raises tolerances that rounding does not allow (tolerance_floor.c). */
dfl_status dfl_solver_raise_tolerances(dfl_solver *solver);

/* Absolute tolerances that follow the sizes of the unknowns (sizes.c), if none are given: room for
   them; sizes at a start at x of the user, completed from `given`, with accelerations, forces and W
   of `start` (NULL: not known yet); larger ones after an accepted step. */
dfl_status dfl_solver_sizes_init(dfl_solver *solver);
void dfl_solver_sizes_clear(dfl_solver *solver);
dfl_status dfl_solver_sizes_take(dfl_solver *solver, const double *given, const double *x,
                                 const dfl_point *start);
void dfl_solver_sizes_grow(dfl_solver *solver);

/* later (n): the largest |v'| and |r'| of the state at the start, there and at a few later times of
   the run, with the branches that hold then (probe.c). */
dfl_status dfl_solver_probe_later(double *later, dfl_solver *solver);

/* change (nv): by how much accelerations change if the start is moved by Z `move` (nv). False: they
   cannot be evaluated. */
bool dfl_solver_probe_moved(double *change, dfl_solver *solver, const double *move);

/* +1 forward, -1 backward in time. */
static inline double dfl_solver_direction(const dfl_solver *solver)
{
    return solver->stepper->h_old < 0 ? -1 : 1;
}

/* What users call an event, for messages (function_names.c). */
enum { DFL_SWITCH_NAME = 160 }; /* bytes of a name in messages */
void dfl_solver_event_name(char *out, size_t size, int event, void *solver);

/* The events first met between `reported` and `to`, in the last step: event_found, event_time,
   found. value_old and `reported` move along. */
dfl_status dfl_solver_find_events(dfl_solver *solver, double to);

/* Calls on_event at the present point for events that have acted there: met[i] = +1, -1. */
dfl_status dfl_solver_meet_acting(dfl_solver *solver, const signed char *met);

/* The same for the impact of a contact, falling; event -1: nothing is called. */
dfl_status dfl_solver_meet_impact(dfl_solver *solver, int event);

/* Outputs and events of the last accepted step. DFL_STOPPED if a callback or terminal event
   stops. */
dfl_status dfl_solver_report_step(dfl_solver *solver);

/* Whether steps and rows of the options lead from t to t_end at all (solver_options.c).
   DFL_INVALID: an option is too small, which the message names. */
dfl_status dfl_solver_check_reach(const dfl_solver *solver, double t, double t_end);

/* Before an advance towards t_end: finishes the report of a step that a callback interrupted, or
   turns outputs and events to the new direction. */
dfl_status dfl_solver_report_again(dfl_solver *solver, double t_end);

/* The first calls of on_step and on_output, and the events' first signs. */
dfl_status dfl_solver_report_start(dfl_solver *solver);

/* The last call of on_output of an advance, unless the grid has just had one there. */
dfl_status dfl_solver_report_end(dfl_solver *solver);

/* The event functions at (t, x) of the user. DFL_CALLBACK, DFL_NOT_FINITE. */
dfl_status dfl_solver_event_values(double *value, dfl_solver *solver, double t, const double *x);

/* Repeats the last step, in which event number `event` was found at event_time, so that it ends at
   the zero of the event; event_time is then this time (stop.c). False: not possible. */
bool dfl_solver_land(dfl_solver *solver, int event);

/* atol + rtol |x| of every unknown of the user at x. */
void dfl_solver_tolerances_at(double *tolerance, const dfl_solver *solver, const double *x);

/* Whether dependent constraints stay dependent next to the start, solver->x (rank_nearby.c).
   DFL_SINGULAR: they do not, with the positions to change. */
dfl_status dfl_solver_check_rank(dfl_solver *solver, double t0);

/* Derivatives by parameters (derivatives.c): after an accepted step; before and after branches
   change (switch_derivatives.c), also at the start; forgets them; the message where they cannot be
   evaluated. */
dfl_status dfl_solver_follow_step(dfl_solver *solver);
dfl_status dfl_solver_approach_switch(dfl_solver *solver);
dfl_status dfl_solver_leave_switch(dfl_solver *solver);
dfl_status dfl_solver_leave_start(dfl_solver *solver);

/* The last step will be taken again: follow it then. */
void dfl_solver_unfollow_step(dfl_solver *solver);
/* recording.c: the derivatives by all parameters take the place of those that are followed, or give
   it back; instants are passed with them, too, while steps are recorded. */
void dfl_solver_swap_derivatives(dfl_solver *solver);
void dfl_solver_forget_record(dfl_solver *solver);
dfl_status dfl_solver_recorded_approach(dfl_solver *solver);
dfl_status dfl_solver_recorded_leave(dfl_solver *solver);

/* switch_derivatives.c: the derivatives of the time at which functions pass zero; through the
   instant. */
dfl_status dfl_solver_find_instant(dfl_solver *solver);
dfl_status dfl_solver_pass_instant(dfl_solver *solver);
void dfl_solver_forget_derivatives(dfl_solver *solver);
dfl_status dfl_solver_derivatives_failed(dfl_solver *solver, dfl_outcome outcome);

/* Dependent rows without those that are off (beginning.c). */
int dfl_solver_redundant(const dfl_solver *solver);

/* Keeps what has failed for dfl_solver_failure; returns the status. */
dfl_status dfl_solver_note_failure(dfl_solver *solver, dfl_status status);

/* Makes solver->x, completed or projected by `initial`, the present point at time t, evaluated. */
dfl_status dfl_solver_place_start(dfl_solver *solver, double t);

/* Lays out formulation and integrator for the present decision of the system, with solver->x in
   `here`, and decides ranks. */
dfl_status dfl_solver_lay_out(dfl_solver *solver, double t);

/* dfl_solver_interpolate without a check of t. */
dfl_status dfl_solver_continuous(double *x, dfl_solver *solver, double t, bool project);

/* After an accepted step, now and then: whether W and the bias are the derivatives of gI and hv
   (watch.c). DFL_INVALID, DFL_CALLBACK. */
dfl_status dfl_solver_watch_derivatives(dfl_solver *solver);

/* Takes the residuals of the present point into the largest ones. */
void dfl_solver_note_residuals(dfl_solver *solver);

/* Evaluates everything at (t, x) of the user, in stepper->next. False: that fails. */
bool dfl_solver_evaluate_beside(dfl_solver *solver, double t, const double *x);

/* Makes that point the present one and starts the integrator anew there. */
void dfl_solver_stand_beside(dfl_solver *solver);

#endif
