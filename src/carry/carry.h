/* carry.h: a model that has left its script: tables and functions in C, written by
   engine/carried_source.c, and what runs them. No graph, no files, no printing.

   Input arrays of all programs are those of engine.h: time, x, a, parameters, inputs, levels,
   branches, discrete variables. */
#ifndef DFL_CARRY_H
#define DFL_CARRY_H

#include "carry/branching.h"
#include "symbolic/symbolic.h"

#include <driftless/solver.h>

/* ---- what is exported ---- */

typedef void (*dfl_carried_fn)(double *work, const double *const *in, double *const *out);

/* Bounds, and derivatives along directions, are computed by tapes, not by compiled functions. */
static inline bool dfl_carry_encloses(int program)
{
    return program == DFL_CARRY_SWITCHES || program == DFL_CARRY_INSTANTS ||
           program == DFL_CARRY_PULSES || program == DFL_CARRY_EVENTS;
}
static inline bool dfl_carry_differentiates(int program)
{
    return program == DFL_CARRY_ALL || program == DFL_CARRY_MASS || program == DFL_CARRY_OUTPUTS ||
           program == DFL_CARRY_SWITCHES || program == DFL_CARRY_EVENTS;
}

typedef struct dfl_carried_program {
    const dfl_tape_data *tape; /* NULL: there is none */
    dfl_carried_fn code;
    bool part; /* uses the registers of DFL_CARRY_ALL */
} dfl_carried_program;

/* Something with a name. */
typedef struct dfl_carried_name {
    const char *name;
    double value; /* of a parameter or input, or at the start */
} dfl_carried_name;

typedef struct dfl_carried {
    const char *name, *hash;
    dfl_eom eom; /* sizes and flags; the callbacks are the run's */
    int n, nparams, ninputs, nlevels, noutputs, nevents;
    const dfl_carried_name *params, *inputs, *outputs, *x;
    const char *const *rows; /* nl + nm, ne, nep, n0 names */
    const int *levels;       /* ne + nep: the level of each invariant */
    const dfl_sizes *sizes;
    const dfl_carried_program *programs; /* DFL_CARRY_PROGRAMS */
    dfl_branching_tables branching;
    dfl_carried_functions pulses, events;
    const dfl_event_kind *event_kinds;
    const char *const *event_names, *const *event_failures; /* nevents */
    bool accelerations;                                     /* outputs contain them */
    int ntables;
    const dfl_table_data *tables;
    double time;                /* s, of the start */
    const double *start;        /* n: a consistent state */
    const bool *held;           /* n: given values that stay */
    dfl_solver_options options; /* without callbacks */
    double projection; /* relative distance from the constraints at which states that are integrated
                          elsewhere are moved back */
} dfl_carried;

/* ---- one instance ---- */

typedef struct dfl_carried_run dfl_carried_run;

/* `model` must outlive it. DFL_NO_MEMORY, DFL_INVALID. */
dfl_status dfl_carried_create(dfl_carried_run **out, dfl_context *ctx, const dfl_carried *model);
void dfl_carried_free(dfl_carried_run *run);

/* Numbers of parameters and inputs. After a change the state is made consistent before it is read
   or the run advances. */
double dfl_carried_param(const dfl_carried_run *run, int index);
double dfl_carried_input(const dfl_carried_run *run, int index);
void dfl_carried_set_param(dfl_carried_run *run, int index, double value);
void dfl_carried_set_input(dfl_carried_run *run, int index, double value);

/* The value of unknown i at the next start, which keeps it. */
void dfl_carried_set_start(dfl_carried_run *run, int index, double value);
double dfl_carried_get_start(const dfl_carried_run *run, int index);

/* Whether the state waits for dfl_carried_refresh; setting numbers back may make that unnecessary.
 */
bool dfl_carried_changed(const dfl_carried_run *run);
void dfl_carried_set_changed(dfl_carried_run *run, bool changed);

/* Starts at time t with a tolerance (0: that of the export). Statuses of dfl_solver_start. */
dfl_status dfl_carried_start(dfl_carried_run *run, double t, double rtol);

/* Goes on at (t, x) as dfl_solver_meet; when something is known to happen next, as
   dfl_solver_next_instant. */
dfl_status dfl_carried_move(dfl_carried_run *run, double t, const double *x);
dfl_status dfl_carried_next_instant(double *t, dfl_carried_run *run);

/* Makes the state consistent with inputs and parameters; advances to t. DFL_STOPPED: an event ended
   the run, dfl_carried_stopped says which. Statuses of dfl_solver_advance. */
dfl_status dfl_carried_refresh(dfl_carried_run *run);
dfl_status dfl_carried_advance(dfl_carried_run *run, double t);
int dfl_carried_stopped(const dfl_carried_run *run);

/* `step` (or NULL) is called after every step of the solver; true: the run ends there, with
   DFL_STOPPED. */
typedef bool (*dfl_carried_step_fn)(double t, const double *x, void *user);
void dfl_carried_watch_steps(dfl_carried_run *run, dfl_carried_step_fn step, void *user);

double dfl_carried_time(const dfl_carried_run *run);
/* The rank of the constraints of velocities, as the solver has found it; -1 before the start. */
int dfl_carried_rank(const dfl_carried_run *run);
const double *dfl_carried_state(const dfl_carried_run *run);
/* Outputs at (t, x), noutputs; derivatives of x there, n: of r, v and p, zero of the others. */
void dfl_carried_outputs(double *out, dfl_carried_run *run, double t, const double *x);
void dfl_carried_rates(double *rate, dfl_carried_run *run, double t, const double *x);

/* With r, v and p of x (n): moves x onto all constraints, in the present branches, completes it and
   writes the derivatives as above. Statuses of dfl_solver_start. */
dfl_status dfl_carried_complete(double *rate, double *x, dfl_carried_run *run, double t);

/* The state as bytes. DFL_INVALID: before a start. */
size_t dfl_carried_saved_size(const dfl_carried_run *run);
dfl_status dfl_carried_save(void *bytes, dfl_carried_run *run);
dfl_status dfl_carried_restore(dfl_carried_run *run, const void *bytes);

/* Derivatives of what a program of dfl_carry_differentiates writes at (t, x, a), along a direction
   of all these numbers (NULL: they stay); slope[i] is NULL if that array is not wanted. */
typedef struct dfl_carried_direction {
    double t;
    const double *x, *a, *param, *input;
} dfl_carried_direction;
dfl_status dfl_carried_tangent(double *const *slope, dfl_carried_run *run, int program, double t,
                               const double *x, const double *a,
                               const dfl_carried_direction *along);

/* The equations, for forms that are integrated elsewhere. */
const dfl_eom *dfl_carried_eom(const dfl_carried_run *run);
/* Branches follow every state, or stay until dfl_carried_settle. */
void dfl_carried_lock(dfl_carried_run *run, bool locked);
bool dfl_carried_settle(dfl_carried_run *run, double t, const double *x, const double *rate);
/* Switching functions, then event functions, at (t, x). */
int dfl_carried_indicators(const dfl_carried_run *run);
void dfl_carried_indicate(double *value, dfl_carried_run *run, double t, const double *x);
dfl_status dfl_carried_indicate_tangent(double *slope, dfl_carried_run *run, double t,
                                        const double *x, const dfl_carried_direction *along);
/* What tolerances change in the switching functions there; room: n. After a start. */
void dfl_carried_noise(double *noise, double *room, dfl_carried_run *run, double t,
                       const double *x);

#endif
