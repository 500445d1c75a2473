/* driftless/solver.h: advance the equations of motion in time without leaving the constraints. */
#ifndef DFL_SOLVER_H
#define DFL_SOLVER_H

#include <driftless/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names on the command line: "psf", "eom2", ...; "radau", "bdf", ...; never NULL. */
const char *dfl_form_name(dfl_form form);
const char *dfl_integrator_name(dfl_integrator integrator);

/* Whether every state satisfies g, gI and hv to the accuracy of Newton's iteration. */
bool dfl_form_keeps_constraints(dfl_form form);

/* Fills in the defaults of `in` (NULL: all of them) for a model and checks the ranges, as
   dfl_solver_create does. Resolving resolved options changes nothing.
   DFL_INVALID: the message names the option. */
dfl_status dfl_solver_options_resolve(dfl_solver_options *out, dfl_context *ctx, const dfl_eom *eom,
                                      const dfl_solver_options *in);

/* Creates a solver. It keeps `eom`, which must outlive it, and copies `options` (NULL: defaults);
   what the options point to must outlive it, too. The caller owns *out and frees it with
   dfl_solver_free; on failure *out is NULL. DFL_INVALID, DFL_NO_MEMORY. */
dfl_status dfl_solver_create(dfl_solver **out, dfl_context *ctx, const dfl_eom *eom,
                             const dfl_solver_options *options);

/* Frees a solver; NULL is allowed. */
void dfl_solver_free(dfl_solver *solver);

/* Starts, or starts again, at time `t0` from `x0` (n values). The values are completed consistently
   as `conditions` says (NULL: DFL_START_PROJECT, nothing held); counters begin at 0.
   DFL_INCONSISTENT: the message names the rows and the held values. DFL_INVALID, DFL_SINGULAR,
   DFL_CALLBACK, DFL_NOT_FINITE, DFL_NO_MEMORY. DFL_STOPPED: on_step or on_output stopped it. */
dfl_status dfl_solver_start(dfl_solver *solver, double t0, const double *x0,
                            const dfl_conditions *conditions);

/* Advances to time `t_end` (s), which may be before the present time. On failure the solver
   stays at the last accepted step and may be advanced again. DFL_STOPPED: a callback or a
   terminal event stopped it. DFL_NOT_CONVERGED, DFL_SINGULAR, DFL_RANK_CHANGED,
   DFL_TOO_MANY_STEPS, DFL_NOT_FINITE, DFL_CALLBACK. DFL_INVALID: before a start, or W or the
   bias is found to be wrong. */
dfl_status dfl_solver_advance(dfl_solver *solver, double t_end);

/* To be called after the callbacks' model has changed at the present time, such as an input or a
   length or a mass: positions and velocities move onto the constraints as `conditions` say (NULL:
   by the least change), accelerations, multipliers, auxiliary variables and modes of contacts
   follow. The step size is kept, counters go on. Statuses of a start. */
dfl_status dfl_solver_refresh(dfl_solver *solver, const dfl_conditions *conditions);

/* Goes on at (t, x), which another integrator has reached from the present state with the equations
   as they are, in the present branches and modes of contacts: x is moved onto the constraints by
   the least change; functions that have passed zero on the way take their other branches, events
   and samples act, contacts collide, stick or open. Statuses of a start. */
dfl_status dfl_solver_meet(dfl_solver *solver, double t, const double *x);

/* The next time at which a switching function of time alone passes zero, or a time before which
   none does; INFINITY: there is no such function. Statuses of dfl_solver_advance. */
dfl_status dfl_solver_next_instant(double *t, dfl_solver *solver);

/* The present state as bytes, of which there are dfl_solver_saved_size: restored in a solver that
   was created with the same model and options and started, it goes on with the same bits. Both
   begin anew there: the matrices and earlier steps of the trajectory that is saved are forgotten,
   too. What the callbacks remember is not part of it, nor is the time that the computation took.
   Bytes are for the same version on the same kind of machine. DFL_INVALID: before a start. */
size_t dfl_solver_saved_size(const dfl_solver *solver);
dfl_status dfl_solver_save(void *bytes, dfl_solver *solver);
dfl_status dfl_solver_restore(dfl_solver *solver, const void *bytes);

/* What the last failed start or advance is about. */
dfl_failure dfl_solver_failure(const dfl_solver *solver);

/* At the last accepted step: its time, its state (n values, owned by the solver), and the proposed
   size of the next step. */
double dfl_solver_time(const dfl_solver *solver);
const double *dfl_solver_state(const dfl_solver *solver);
double dfl_solver_step(const dfl_solver *solver);

/* The time at which the last step began, as far back as dfl_solver_interpolate reaches; the present
   time if there is no such step. */
double dfl_solver_step_begin(const dfl_solver *solver);

/* Makes the state at time `t` inside the last step the present one, on all constraints; the run
   goes on from there. Statuses of dfl_solver_interpolate. */
dfl_status dfl_solver_step_back(dfl_solver *solver, double t);

/* The order of the method in the last accepted step. Before the first step it is the order of that
   step, before a start 0. */
int dfl_solver_order(const dfl_solver *solver);

/* Evaluates the continuous output at time `t` inside the last accepted step; `project` moves the
   result onto all constraints. DFL_INVALID: `t` is outside the step, or before a start. With
   `project` also the statuses of a start. */
dfl_status dfl_solver_interpolate(double *x, dfl_solver *solver, double t, bool project);

/* The residuals at the last accepted step; inside on_step, at its `x`. Nothing is evaluated
   again. NAN for a level without rows; NAN for all levels before a start, and if eval fails at
   an event that ends the run. */
dfl_residuals dfl_solver_residuals(dfl_solver *solver);

/* The residuals at a state x inside the last accepted step, such as an interpolated one that
   on_output has: everything is evaluated there. NAN as above. */
dfl_residuals dfl_solver_residuals_at(dfl_solver *solver, double t, const double *x);

/* The absolute tolerances (n) that the next step has: those of the options or, if none are given,
   those that follow the sizes of the unknowns. Meaningful after a start. */
void dfl_solver_tolerances(double *atol, const dfl_solver *solver);

/* The statistics so far. */
dfl_statistics dfl_solver_statistics(const dfl_solver *solver);

#ifdef __cplusplus
}
#endif
#endif
