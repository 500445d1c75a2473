/* engine.h: a model ready for the solver: its equations as tapes or native code behind a dfl_eom.

   Input arrays of every tape: 0 time, 1 x, 2 a, 3 parameters, 4 inputs, 5 levels of invariants, 6
   branches of switches, 7 discrete variables. */
#ifndef DFL_ENGINE_H
#define DFL_ENGINE_H

#include "derive/derive.h"
#include "symbolic/symbolic.h"

#include <driftless/options.h>

enum {
    DFL_IN_TIME,
    DFL_IN_X,
    DFL_IN_A,
    DFL_IN_PARAM,
    DFL_IN_INPUT,
    DFL_IN_LEVEL,
    DFL_IN_BRANCH,
    DFL_IN_DISCRETE,
    DFL_IN_ARRAYS
};

/* How expressions are evaluated. Automatic: on the tape, and by native code as soon as that saves
   time. Recursion: a recursion evaluates the masses of a mechanism (declare.h), the rest is
   automatic. */
typedef enum dfl_evaluation {
    DFL_EVAL_AUTO,
    DFL_EVAL_TAPE,
    DFL_EVAL_NATIVE,
    DFL_EVAL_RECURSION
} dfl_evaluation;

typedef struct dfl_runnable dfl_runnable;

/* Creates it with the parameter values of the model. _packed: matrices contain nonzeros only, for a
   solver with sparse matrices; dfl_runnable_unpackable(eq) must be NULL, otherwise it is the
   reason, as in
   "... because it keeps invariants". */
dfl_status dfl_runnable_create(dfl_runnable **out, const dfl_equations *eq);
dfl_status dfl_runnable_create_packed(dfl_runnable **out, const dfl_equations *eq);
const char *dfl_runnable_unpackable(const dfl_equations *eq);
bool dfl_runnable_packed(const dfl_runnable *run);
/* Its matrices in results: "dense", "sparse" or, once it is called so, "tree". */
const char *dfl_runnable_matrices(const dfl_runnable *run);
void dfl_runnable_call_tree(dfl_runnable *run);
void dfl_runnable_free(dfl_runnable *run);

/* Receives one sentence for the user. */
typedef void (*dfl_advice_fn)(const char *text, void *user);

/* Chooses the evaluation, before a run. *native: native code is used from the start. `tell` (may be
   NULL) is called before compiling if that takes seconds. Native code that does not give the
   numbers of the tape is not used, and `tell` says so. DFL_INVALID: DFL_EVAL_NATIVE is wanted, but
   the compiler fails; the tape is used. DFL_NO_MEMORY. */
dfl_status dfl_runnable_compile(bool *native, dfl_runnable *run, dfl_evaluation how,
                                const dfl_native_options *options, dfl_advice_fn tell, void *user);

/* A state at which native code is compared with the tape; without one, only some arbitrary state.
 */
dfl_status dfl_runnable_remember(dfl_runnable *run, double t, const double *x);

/* What a run has done so far. */
typedef struct dfl_run_progress {
    double share;                        /* of the interval of time, in [0, 1] */
    long evaluations, masses, jacobians; /* calls of eval, mass and jacobian */
} dfl_run_progress;

/* Changes an automatic run to native code if that saves time in the rest of it. Call it after
   steps; a call that changes nothing costs almost nothing. Results stay the same to the last bit.
   `tell` as above. If the compiler fails, the run stays on the tape; that is not a failure.
   DFL_NO_MEMORY. */
dfl_status dfl_runnable_consider_native(dfl_runnable *run, const dfl_run_progress *done,
                                        const dfl_native_options *options, dfl_advice_fn tell,
                                        void *user);

/* The equations for the solver; valid as long as `run`. Not to be shared between threads. */
const dfl_eom *dfl_runnable_eom(const dfl_runnable *run);

const dfl_equations *dfl_runnable_equations(const dfl_runnable *run);
dfl_context *dfl_runnable_context(const dfl_runnable *run);

/* The numbers of a state; `a` may be NULL. */
dfl_numbers dfl_runnable_numbers(const dfl_runnable *run, double t, const double *x,
                                 const double *a);

/* Sets a parameter or input (by its declaration's index within its kind). A tree of bodies is built
   anew if its numbers change; DFL_INVALID: they are not valid, and the former value is kept.
   DFL_NO_MEMORY. */
dfl_status dfl_runnable_set(dfl_runnable *run, dfl_declared kind, int index, double value);

/* Writes the outputs in order of declaration; the energy T + V (NAN if unknown); the event
   functions. */
void dfl_runnable_outputs(double *out, dfl_runnable *run, double t, const double *x);
double dfl_runnable_energy(dfl_runnable *run, double t, const double *x);
void dfl_runnable_events(double *value, dfl_runnable *run, double t, const double *x);
/* By how much the model's doubts are exceeded, and behind these numbers what each of them is
   compared with, for accelerations `a`; no doubt: nothing is written. */
void dfl_runnable_doubts(double *excess, dfl_runnable *run, double t, const double *x,
                         const double *a);
/* Whether constraint row `row` (of nl + nm) is 0 = 0 at present: a contact that is open, friction
   that slips, a constraint that is not active. */
bool dfl_runnable_row_is_off(const dfl_runnable *run, int row);

/* Of the event functions: bounds over an interval, and how much they change with tolerances. */
void dfl_runnable_event_bounds(dfl_bounds *value, const dfl_runnable *run, const dfl_bounds *t,
                               const dfl_bounds *x);
void dfl_runnable_event_noise(double *noise, const dfl_runnable *run, double t, const double *x,
                              const double *tolerance);

/* Writes the columns of all shapes, one shape after another, without columns that are plain
   numbers: dfl_scene_columns(model) numbers. */
void dfl_runnable_scene(double *out, dfl_runnable *run, double t, const double *x);

/* Sets redundant_each to the tolerances of the joints (owned by the runnable), NULL if there are
   none. DFL_NO_MEMORY. */
dfl_status dfl_runnable_tolerances(dfl_constraint_options *out, dfl_runnable *run);
/* The largest part of their size up to which constraints may depend on each other. */
double dfl_runnable_misfit(const dfl_runnable *run, const dfl_constraint_options *constraints);
/* Whether rows of constraints are switched off and on. */
bool dfl_runnable_masked(const dfl_runnable *run);

/* Sets the independent coordinates of a partition (flags or combinations, owned by the runnable)
   from names, separated by commas: a position includes its velocity, if it has one; speeds are
   named. If one of them is a sum such as 0.6*x + 0.8*y, all are combinations of positions.
   DFL_INVALID: there is no such name. */
dfl_status dfl_runnable_independent(dfl_constraint_options *out, dfl_runnable *run,
                                    const char *names);

/* What a run remembers besides the unknowns: parameters, inputs, levels, discrete variables and
   branches. Restoring: DFL_INVALID, DFL_NO_MEMORY as for dfl_runnable_set. */
size_t dfl_runnable_saved_size(const dfl_runnable *run);
void dfl_runnable_save(void *bytes, const dfl_runnable *run);
dfl_status dfl_runnable_restore(dfl_runnable *run, const void *bytes);

/* Sets the levels of invariants to their values at (t, x). */
void dfl_runnable_set_levels(dfl_runnable *run, double t, const double *x);

/* From now on the equations keep the branches of select, abs, sign, min, max, floor and tables
   until the solver changes them through `out`; before, they follow every state. `name` is called
   with the runnable and writes what users call a function; NULL: numbers. */
void dfl_runnable_lock(dfl_switch_options *out, dfl_runnable *run, dfl_switch_name_fn name);
/* They follow every state again; contacts keep their modes. */
void dfl_runnable_unlock(dfl_runnable *run);

/* The functions of time alone in the equations, for the solver. */
void dfl_runnable_pulses(dfl_pulse_options *out, dfl_runnable *run);

/* The number of switches, and each of them, or behind them what lets the actions of the model act;
 *of_time: it depends on time alone. */
int dfl_runnable_switches(const dfl_runnable *run);
const dfl_switch *dfl_runnable_switch(bool *of_time, const dfl_runnable *run, int number);

/* What a switching function of the solver belongs to: a switch, an event or sample that acts (of
   the model's list of actions), or a contact. */
typedef enum dfl_owner_kind {
    DFL_OWNER_SWITCH,
    DFL_OWNER_ACTION,
    DFL_OWNER_CONTACT
} dfl_owner_kind;
typedef struct dfl_owner {
    dfl_owner_kind kind;
    int number;
} dfl_owner;
int dfl_runnable_functions(const dfl_runnable *run); /* how many there are */
dfl_owner dfl_runnable_owner(const dfl_runnable *run, int function);
dfl_expr dfl_runnable_condition(const dfl_runnable *run, int function); /* what passes zero */

/* An expression on the present branches of the run: of those that are largest values of optimize{},
   whose switches are watched, at an instant the value of the side on which the run is. */
dfl_status dfl_runnable_branch_of(dfl_expr *out, const dfl_runnable *run, dfl_expr expr);

/* The present branch of a switch; the present mode of a contact. */
double dfl_runnable_branch(const dfl_runnable *run, int number);
dfl_contact_mode dfl_runnable_mode(const dfl_runnable *run, int contact);
/* Gaps, loads and limits of all contacts of the model (out has room for each) at a state. */
void dfl_runnable_contacts(dfl_contact_state *out, const dfl_runnable *run, double t,
                           const double *x);

/* The energy T + V in the present branches, for both sides of an instant; NAN: unknown. */
double dfl_runnable_branch_energy(const dfl_runnable *run, double t, const double *x);
/* The same of drives whose motion may have kinks: their number, their names; the momentum along
   each, the rate of its motion and the motion, 3 numbers each. In the places of multipliers x has
   impulses. */
int dfl_runnable_drives(const dfl_runnable *run);
const char *dfl_runnable_drive_name(const dfl_runnable *run, int drive);
void dfl_runnable_drive_momenta(double *out, const dfl_runnable *run, double t, const double *x);

/* All blocks at (t, x), those of `need` evaluated, and all derivatives there (if the equations have
   Jacobians); zeroed memory that the functions below free. DFL_NO_MEMORY. */
dfl_status dfl_state_blocks_create(dfl_blocks *out, dfl_runnable *run, unsigned need, double t,
                                   const double *x);
void dfl_state_blocks_free(dfl_blocks *blocks, const dfl_runnable *run);
dfl_status dfl_state_jacobian_create(dfl_jacobian *out, dfl_runnable *run, double t,
                                     const double *x, const double *a);
void dfl_state_jacobian_free(dfl_jacobian *jacobian, const dfl_runnable *run);

/* M at (t, x), nv x nv in zeroed memory, or nv entries if the model's M is diagonal. DFL_NO_MEMORY.
 */
dfl_status dfl_state_mass(double *M, dfl_runnable *run, double t, const double *x);

/* With a tree of bodies: the rate of the balance along its massless directions, 0 = gam' =
   rows a + drift (n0 x nv, n0); all zero where forces contain variables without a known rate (w,
   s). */
void dfl_state_balance_rate(double *rows, double *drift, dfl_runnable *run, double t,
                            const double *x);

/* Where tapes find symbols in the input arrays above: DFL_SYM_KINDS places. */
void dfl_runnable_places(dfl_place *places, const dfl_equations *eq);

/* Evaluates an arbitrary set of expressions of the model once, at (t, x, a) (a may be NULL): for
   reports, not for speed. DFL_NO_MEMORY. */
dfl_status dfl_runnable_values(double *out, dfl_runnable *run, const dfl_expr *exprs, int count,
                               double t, const double *x, const double *a);

/* The accelerations that belong to a state, if expressions or outputs of the model contain any;
   else NULL. They belong to the runnable, until the next call. */
const double *dfl_runnable_accelerations(dfl_runnable *run, double t, const double *x);

/* Expressions with their derivatives by symbols, prepared once: `values` (nrows) and `slopes`
   (nrows x ncols) at a state; `a` may be NULL if none of them depends on accelerations.
   DFL_NO_MEMORY. */
typedef struct dfl_probe dfl_probe;
dfl_status dfl_probe_create(dfl_probe **out, dfl_runnable *run, const dfl_expr *rows, int nrows,
                            const dfl_expr *symbols, int ncols);
void dfl_probe_free(dfl_probe *probe);
void dfl_probe_evaluate(double *values, double *slopes, const dfl_probe *probe, double t,
                        const double *x, const double *a);

/* Derivatives of such expressions by symbols, nrows x ncols. DFL_NO_MEMORY. */
dfl_status dfl_runnable_slopes(double *out, dfl_runnable *run, const dfl_expr *rows, int nrows,
                               const dfl_expr *symbols, int ncols, double t, const double *x,
                               const double *a);

/* Derivatives of all rows by symbols of parameters and inputs, of which a runnable has one set:
   *out is for dfl_solver_follow (driftless/gradient.h). DFL_INVALID: a mass or a place of a body
   depends on one of them and belongs to a tree of bodies. DFL_NO_MEMORY. */
dfl_status dfl_runnable_parameters(dfl_parameters *out, dfl_runnable *run, const dfl_expr *symbols,
                                   int count);

/* After it, the same along a direction (as many numbers as there are parameters): derivatives with
   one column. The products of the set above work from now on. */
dfl_status dfl_runnable_direction(dfl_parameters *out, dfl_runnable *run, const double *direction);

/* After dfl_runnable_parameters, before a run: the derivatives of all discrete variables at the
   start by `count` parameters behind `spare` ones. */
void dfl_runnable_begin_memory(dfl_runnable *run, const double *slopes, int spare, int count);

/* Discrete variables that depend on them, with their present derivatives, *count x parameters, or
   along the direction if there is one. */
void dfl_runnable_memory(const dfl_expr **symbols, const double **slopes, int *count,
                         const dfl_runnable *run);

/* Appends the model as C source: tables and functions for carry/carry.h, and the macro
   CARRIED_PARTS, fields of dfl_carried. DFL_INVALID: it has something that cannot be carried;
   dfl_runnable_uncarried says what, or is NULL. DFL_NO_MEMORY. */
dfl_status dfl_runnable_carry(dfl_text *text, dfl_runnable *run);
const char *dfl_runnable_uncarried(const dfl_runnable *run);

/* Inputs by the numbers of their declarations. DFL_INVALID: one of them is part of a constraint,
   of kinematics, or of the numbers of a tree of bodies, and so must not change. */
dfl_status dfl_runnable_check_inputs(const dfl_runnable *run, const int *inputs, int count);

/* Derivatives of f - M a (nv x count), b (nr x count) and d (nw x count) by such inputs. */
dfl_status dfl_runnable_input_slopes(double *dyn, double *b, double *d, dfl_runnable *run,
                                     const int *inputs, int count, double t, const double *x,
                                     const double *a);

#endif
