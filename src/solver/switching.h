/* switching.h: branches of a model: steps end where a switching function passes zero. */
#ifndef DFL_SWITCHING_H
#define DFL_SWITCHING_H

#include "solver/crossings.h"
#include "solver/solver_internal.h"

enum { DFL_SWITCHING_HALVINGS = 3 }; /* of a step on which a crossing is not decided */

enum { DFL_MOST_COLLISIONS = 50 };

/* What has happened at the last instant, so that it can be repeated from states nearby (replay.c).
 */
typedef struct dfl_record {
    double t, *x;            /* before it; n */
    dfl_contact_mode *modes; /* of the contacts */
    int acts;                /* how often events have acted */
    int ncollisions;         /* one after the other; may be more than there is room for */
    bool together;           /* ... but for some */
    struct {
        int contact;
        bool plastic;
    } collision[DFL_MOST_COLLISIONS];
} dfl_record;

typedef struct dfl_switching {
    dfl_path path;
    dfl_search search;
    double *value, *noise; /* of the functions */
    double *probe;         /* 2 count + n: functions next to a state, and that */
    double *tolerance;     /* n: of the unknowns */
    double *rate;          /* n: of all unknowns of the integrator */
    double *frozen;        /* rates of the present branch, and room for nv */
    dfl_change change;     /* of a change of branches */
    double *before;        /* n: the state before it */
    dfl_impulses impulses; /* of a jump */
    dfl_record record;
    bool *crossed;     /* functions that pass zero at the end of the last step ... */
    bool pending;      /* ... and whether there are any ... */
    bool timed;        /* ... but at a known instant ... */
    double pending_at; /* ... the time of this point */
    double instant;    /* the next zero of a function of time; INFINITY: none before ... */
    double horizon;    /* ... this time */
    int instant_of;    /* the function */
    bool *looked;      /* functions whose small crossings are looked for ... */
    int looked_at;     /* ... and the present one */
    int halvings;      /* of the present step, because bounds decide nothing ... */
    bool told;         /* ... and whether the user knows */
    int distrusted;    /* how often the present step was too long for its multipliers */
    double last;       /* the last crossing; NAN: none */
    double resume_at;  /* the end of a fixed step that a crossing has cut; NAN: none */
    double recent;     /* time of the first of the last ... */
    long crowd;        /* ... crossings that are counted for the guard ... */
    long *crowd_of;    /* ... by functions ... */
    long faint;        /* ... of which that many had no motion between them but noise */
} dfl_switching;

dfl_status dfl_switching_init(dfl_solver *solver);
void dfl_switching_clear(dfl_solver *solver);

/* Before anything is evaluated at the start: branches by the given values. */
dfl_status dfl_switching_begin(dfl_solver *solver, double t0, const double *x0);

/* The start: completes the initial values with the branches that are valid there. */
dfl_status dfl_switching_complete(dfl_solver *solver, double t0, const double *x0,
                                  const dfl_conditions *conditions);

/* Once the start is evaluated: a function that is zero there goes by its slope. *again: a branch
   has changed, complete the start again. */
dfl_status dfl_switching_settle(bool *again, dfl_solver *solver);

/* What happens at the start itself. */
dfl_status dfl_switching_first(dfl_solver *solver);

/* Where the next step must end at the latest. */
dfl_status dfl_switching_limit(double *t_limit, dfl_solver *solver, double t_end);

/* excursions.c: the first function that becomes negative within its noise although the forces
   beyond are others; *at: 2: none. Whether function i bounds a branch. How much the rates at (t, x)
   change over a time `span` if it is taken as passed, in tolerances. */
dfl_status dfl_switching_small_crossing(double *at, dfl_solver *solver, const dfl_watched *watched);
bool dfl_switching_is_branch(const dfl_solver *solver, int i);
double dfl_switching_effect(dfl_solver *solver, int i, double t, const double *x, double span);

/* closings.c: the first gap that closes within its noise, but with a speed beyond tolerances; *at:
   2: none. */
dfl_status dfl_switching_fast_closing(double *at, dfl_solver *solver, const dfl_watched *watched);

/* After a step: if a function has passed zero, the step is taken again to end there. */
dfl_status dfl_switching_land(dfl_solver *solver);

/* trust.c: switching->path := the last step. */
void dfl_switching_path(dfl_solver *solver);

/* Whether the polynomials of multipliers show the crossings up to the part `at` of the step; if
   not, the step is taken back, and a shorter one proposed. */
dfl_status dfl_switching_trust(bool *trusted, dfl_solver *solver, double at);

/* cut.c: cuts the last step at t, where function `which` passes zero. */
dfl_status dfl_switching_cut_at(dfl_solver *solver, double t, int which);

/* Whether the equations can be evaluated where the step ends. DFL_NOT_FINITE. */
dfl_status dfl_switching_check(dfl_solver *solver);

/* After the step was reported: takes the other branches and starts there again. */
dfl_status dfl_switching_flip(dfl_solver *solver);

/* Before a run goes on that a callback has stopped: what was found at the end of the last step
   happens now, unless the run turns back (`turned`), or has moved to an event before it. */
dfl_status dfl_switching_go_on(dfl_solver *solver, bool turned);

/* Makes the state where the last step is cut the present one, if it is. */
dfl_status dfl_switching_stand_at_cut(dfl_solver *solver);

/* Once the equations have changed at the present time: takes the branches that are valid now, and
   looks for known instants again. */
dfl_status dfl_switching_catch_up(dfl_solver *solver);

/* At the present state: the functions with switching->crossed have passed zero; what follows, until
   every branch is valid. */
dfl_status dfl_switching_change(dfl_solver *solver);

/* The state after switching->change: velocities jump, accelerations, multipliers and auxiliary
   variables follow (restart.c). */
dfl_status dfl_switching_jump(dfl_solver *solver);

/* function_names.c: a function by its name; those that have crossed; the two that do so most, with
   their numbers of times. */
void dfl_switching_name(char *out, size_t size, int function, void *solver);
void dfl_switching_name_crossed(char *out, size_t size, dfl_solver *solver);
void dfl_switching_name_crowd(char *out, size_t size, dfl_solver *solver);

/* The largest jump of a velocity from `before` to solver->x, beyond tolerances; 0 if only
   directions without mass jump, which follow the forces on them (restart.c). */
double dfl_switching_jumps(dfl_solver *solver, double t, const double *before);

/* Calls on_jump before and, if the state has jumped, after a change of branches (restart.c). */
dfl_status dfl_switching_report(dfl_solver *solver, bool after);

/* Calls on_instant once functions have passed zero, and `jump` has led to solver->x
   (happenings.c). */
dfl_status dfl_switching_tell_switch(dfl_solver *solver, double t, const dfl_jump *jump);

/* backwards.c, while time runs backwards: friction sticks; contacts change or events act here.
   DFL_INVALID. */
dfl_status dfl_switching_refuse_sticking(const dfl_solver *solver);
dfl_status dfl_switching_refuse_actions(dfl_solver *solver);

/* What passes zero at the present instant: the function that was found, and all that have the other
   sign just after it (instants.c). */
dfl_status dfl_switching_mark_instants(dfl_solver *solver);

/* The first zero of a function of time within `span` from the present time: instant, instant_of;
   horizon: how far this reaches (instants.c). */
dfl_status dfl_switching_look_ahead(dfl_solver *solver, double span);

/* The functions at the present point, or where the step is cut: switching->value (landing.c). */
dfl_status dfl_switching_values(dfl_solver *solver);
/* search.bounds: their slopes there, along the direction of the run (landing.c). */
dfl_status dfl_switching_slopes(dfl_solver *solver);

/* Callbacks of a search, `user` is the solver; ten times what tolerances may change is no crossing
   (landing.c). */
int dfl_switching_eval(double *value, int count, double t, const double *x, void *user);
int dfl_switching_enclose(dfl_bounds *value, int count, const dfl_bounds *t, const dfl_bounds *x,
                          void *user);
int dfl_switching_noise(double *noise, double t, const double *x, void *user);

/* replay.c: the present instant, before anything happens. Once it has: whether the state may jump;
   how the state (n) and then the memory of events after it change with parameter `column`, if the
   state before it changes by `along` (n) and its time by `instant`. DFL_INVALID: it cannot be
   repeated. */
void dfl_record_begin(dfl_solver *solver);
bool dfl_record_jumps(const dfl_solver *solver);
dfl_status dfl_record_slopes(double *out, dfl_solver *solver, int column, const double *along,
                             double instant);

/* DFL_CALLBACK: the message for a callback that stops. */
dfl_status dfl_switching_stopped(const dfl_solver *solver, const char *name);

#endif
