/* study.h: what is done with a model that can be evaluated: settings, a consistent start, one run,
   a comparison of several runs, and a diagnosis. */
#ifndef DFL_STUDY_H
#define DFL_STUDY_H

#include "context/context.h"
#include "engine/engine.h"
#include "result/result.h"
#include "settings/settings.h"
#include "study/gradient.h"
#include "study/inverse.h"
#include "study/linear_model.h"
#include "study/optimize.h"
#include "study/simulation.h"
#include "study/trends.h"

/* Names separated by commas; the caller clears *out also after a failure. DFL_INVALID:
   a name is empty. */
typedef struct dfl_name_list {
    int count;
    char *text;
    const char **name;
} dfl_name_list;
dfl_status dfl_name_list_split(dfl_name_list *out, dfl_context *ctx, const char *list);
void dfl_name_list_clear(dfl_name_list *names, dfl_context *ctx);

/* The expression and name of an output that is declared, or of a variable; `option` is for the
   message. */
dfl_status dfl_study_output(dfl_expr *expr, const char **found, dfl_runnable *run,
                            const char *option, const char *name);

/* ---- settings ---- */

/* How the script has to lower a mechanism, so that it can be evaluated as chosen. */
dfl_dynamics dfl_choices_dynamics(const dfl_choices *choices);
/* The same in joint coordinates, for analyses of the model. */
dfl_dynamics dfl_choices_joint_dynamics(const dfl_choices *choices);

/* Models with at least this number of velocities and constraints have sparse matrices, if they can:
   those whose matrix condenses (formulation/condensed.h), and others. */
enum { DFL_CONDENSED_FROM = 32, DFL_SPARSE_FROM = 60 };

/* The model ready for the solver, with dense or sparse matrices as chosen. DFL_INVALID: sparse ones
   were chosen and are not possible. */
dfl_status dfl_study_runnable(dfl_runnable **out, const dfl_equations *eq,
                              const dfl_choices *choices);

/* The equations of a run, and the model ready for it: as above, but where form and matrices allow
   it, forces that jump with a speed may hold it (dfl_model_slide), which changes the model. What
   was made stays also after a failure. */
dfl_status dfl_study_derive(dfl_equations **eq, dfl_runnable **run, dfl_model *model,
                            const dfl_choices *choices);

/* How a model is run: the caller overrides the script, the script the default. */
typedef struct dfl_settings {
    double from, to; /* `to` is NAN if it is not given */
    const char *form, *method;
    dfl_evaluation evaluation;
    dfl_start_mode start;      /* completed or as given */
    dfl_solver_options solver; /* without callbacks and events; defaults filled in */
    dfl_choices said;          /* the caller's choices, then the script's, then default words */
} dfl_settings;

/* DFL_INVALID: a word that does not exist, a number out of range, settings that exclude each
   other. */
dfl_status dfl_settings_resolve(dfl_settings *out, const dfl_choices *choices, dfl_runnable *run);

/* The settings that are stored with results; returns their number. They point into `settings`. */
int dfl_settings_describe(dfl_fact out[DFL_MOST_SETTINGS], const dfl_settings *settings);

/* DFL_INVALID, with the list of all, unless there is a method of this name; `said` names the
   option. */
dfl_status dfl_settings_check_method(dfl_context *ctx, const char *said, const char *name);

/* DFL_INVALID unless the run has an end and a length. */
dfl_status dfl_settings_check_end(const dfl_settings *settings, const dfl_choices *choices,
                                  const dfl_model *model);

/* Writes the switches of a model, and the events and samples of time that act, one line each or the
   items of a JSON list: the expression that decides, its place in the script, and where it depends
   linearly on time alone the (first) instants between from and to. DFL_NO_MEMORY. */
dfl_status dfl_study_list_switches(dfl_text *text, dfl_runnable *run, double from, double to,
                                   bool json);

/* ---- the start alone ---- */

/* Where a run of the script starts. */
typedef struct dfl_start_state {
    double time; /* s */
    double *x;   /* n: completed initial values, or those of the script if that is not possible */
    double *levels; /* the values of the invariants there, in order of declaration; or 0 */
    char *problem;  /* why the values could not be completed, or NULL */
    int rank; /* of the constraints of velocities; nl + nm if rows are switched or it is not known
               */
    double misfit; /* the part of their size up to which constraints may depend on each other */
} dfl_start_state;

/* Finds it; the caller clears *out also after a failure. `choices`: what is said beside the script
   (`from`, `redundant`), or NULL. DFL_NO_MEMORY. */
dfl_status dfl_start_state_find(dfl_start_state *out, const dfl_equations *eq,
                                const dfl_choices *choices);
void dfl_start_state_clear(dfl_start_state *state, dfl_context *ctx);

/* ---- a consistent start ---- */

/* Values of all variables from a file with JSON by name, as guesses in place of the script's
   initial values. DFL_INVALID: a name is missing, or unknown. */
dfl_status dfl_study_start_from(dfl_runnable *run, const char *path);

/* The initial values of the script: x (n, missing ones 0) and which are held. */
void dfl_study_given(double *x, bool *held, const dfl_runnable *run);

/* Completes the initial values without the invariants, takes the levels of these there and
   starts the solver. `options` are the solver's. `corrected` (n, may be NULL) gets the completed
   state. *chosen (may be NULL): several configurations are equally near to the given positions,
   and one was taken. A failure names the rows and held values in conflict, the direction without
   mass, or the function that was evaluated outside its domain, with its line. */
dfl_status dfl_study_start(double *corrected, bool *chosen, dfl_runnable *run, dfl_solver *solver,
                           const dfl_solver_options *options, double t0);

/* Starts the solver with the values of the script as they are, missing ones 0, and takes the levels
   of invariants there. `given` (n) gets the values. */
dfl_status dfl_study_start_as_given(double *given, dfl_runnable *run, dfl_solver *solver,
                                    double t0);

/* Reports what a user should know about a start at x, one sentence each: the configuration that was
   chosen and, along massless directions, given velocities that the balance of forces has replaced,
   negative damping, negligible masses. DFL_NO_MEMORY. */
dfl_status dfl_study_advise(dfl_runnable *run, double t, const double *x, bool chosen,
                            dfl_advice_fn tell, void *user);

/* Names springs and dampers, or coordinates that forces hold, so stiff at the start x that their
   limit is a constraint, for a run to t_end (NAN: unknown). DFL_NO_MEMORY. */
dfl_status dfl_study_stiff_elements(dfl_runnable *run, double t, double t_end, const double *x,
                                    dfl_advice_fn tell, void *user);

/* Adds what only the model knows to the message of a failure at (t, x): file and line, the function
   that was evaluated outside its domain. Returns `status`, or a better one. */
dfl_status dfl_study_explain(dfl_runnable *run, dfl_status status, double t, const double *x);

/* ---- several forms, methods and tolerances side by side ---- */

/* What theory says about a form of a model. */
typedef struct dfl_form_facts {
    const char
        *consistent; /* initial values without which there is no solution: "p v lambda", ... */
    int index;       /* differentiation index */
    bool positions;  /* the solutions lie on the position constraints, ... */
    bool velocities; /* ... and on those of velocities */
} dfl_form_facts;

/* The outcome of one run. Missing numbers are NAN. */
typedef struct dfl_trial {
    dfl_form form;
    const char *method;
    double tolerance;
    bool refused; /* the combination is impossible, or the start failed */
    bool completed;
    char message[240];                /* why not */
    double seconds;                   /* inside the solver, the shortest of a few runs */
    double error_p, error_v, error_l; /* the largest of each kind at the end, scaled */
    dfl_statistics statistics;
    double levels[DFL_LEVELS]; /* largest residuals */
    double energy_drift;
} dfl_trial;

typedef struct dfl_comparison {
    /* set by the caller; the lists belong to it */
    dfl_context *ctx;
    dfl_runnable *run;
    const dfl_equations *eq;
    dfl_choices choices; /* of every run; form, method, tolerances are varied */
    int nforms, nmethods, ntolerances;
    const dfl_form *forms;
    const char *const *methods;
    const double *tolerances;
    double limit; /* s: a run that takes longer is given up; 0 means none */
    void (*progress)(int done, int of, const dfl_trial *next, void *user); /* or NULL */
    bool (*interrupt)(void *user); /* asked after every step; or NULL */
    void *user;

    double from, to;
    int dimension_all; /* of all states: np + nv + nr, less lengths of quaternions and massless v */
    int dimension_positions;  /* lost by the position constraints ... */
    int dimension_velocities; /* ... and by those of velocities */
    const char *evaluation;   /* of all runs: "native", or "tape" where there is no compiler */
    double deadline;          /* of the present run, as a time of the clock */
    double reference_tolerance;
    double
        uncertainty; /* of the reference: the difference from a run with ten times its tolerance */
    dfl_trial *trials; /* nforms x nmethods x ntolerances, tolerances innermost */
    int ntrials;       /* that were run */
    bool interrupted;
} dfl_comparison;

/* Runs everything. DFL_INVALID or another failure: the reference solution cannot be computed.
   DFL_STOPPED: interrupted; the trials so far are there. The caller clears it in any case. */
dfl_status dfl_compare(dfl_comparison *comparison);
void dfl_comparison_clear(dfl_comparison *comparison);

/* What holds for the model that is compared: without holonomic constraints there is no index 3. */
dfl_form_facts dfl_comparison_facts(const dfl_comparison *comparison, dfl_form form);

/* The dimension of the manifold on which the solutions of a form lie. */
int dfl_comparison_dimension(const dfl_comparison *comparison, dfl_form form);

/* The larger of the errors of positions and velocities. */
double dfl_trial_error(const dfl_trial *trial);

/* The largest residual of constraints on velocities: hidden and nonholonomic ones. */
double dfl_trial_velocity(const dfl_trial *trial);

/* A table for people, an object of JSON, and panels of curves as one SVG or as a page with the
   table. */
void dfl_comparison_text(dfl_text *text, const dfl_comparison *comparison);
void dfl_comparison_json(dfl_text *text, const dfl_comparison *comparison);
void dfl_comparison_plot(dfl_text *text, const dfl_comparison *comparison);
void dfl_comparison_page(dfl_text *text, const dfl_comparison *comparison);

/* ---- what `driftless check` reports about a model at its start ---- */

/* A set of constraints that depend on each other: rows of W (numbers as in dfl_equations). */
typedef struct dfl_dependent_set {
    int count;
    int *rows;
    double *coefficient;  /* sum coefficient[i] * row[i] = 0; the last one is 1 */
    double contradiction; /* this sum of the constraints, if no start was found; 0: they agree */
} dfl_dependent_set;

/* A direction of velocity without mass that no constraint holds. */
typedef struct dfl_free_direction {
    double *direction; /* nv */
    bool balanced;     /* its balance of forces is part of the equations and determines its speed */
} dfl_free_direction;

/* The largest residual of one level, and its row. */
typedef struct dfl_level_residual {
    const char
        *level; /* "position", "velocity", "nonholonomic", "contact", "auxiliary", "massless" */
    double residual;
    int row;          /* within its kind */
    const char *name; /* of the row's declaration */
} dfl_level_residual;

typedef struct dfl_diagnosis {
    dfl_context *ctx;
    int dof_by_count; /* nv - nl - nm, without rows that are off at the start */
    int dof_by_rank;  /* nv - rank W */
    int rank;         /* of W */
    int found;        /* the same as the solver found it at the start, if it succeeded */
    int allowed;      /* the same where constraints need not fit exactly (`redundant`), or -1 */
    int nsets;
    dfl_dependent_set *sets;
    bool *redundant; /* nl + nm: rows that may be left out (redundant_rows.c) */
    int ndirections;
    dfl_free_direction *directions;
    dfl_level_residual given[8]; /* of the values as given */
    int ngiven;
    dfl_status start; /* of completing the initial values; its message follows */
    bool chosen;      /* of dfl_study_start */
    char *start_message;
    double *x_given, *x; /* n: before and after; x is NAN where start failed */
    double rtol, *atol;  /* n: absolute tolerances at the start; NAN where it failed */
    dfl_touching *modes; /* of the contacts at the start; NULL: none, or not looked for */
} dfl_diagnosis;

/* Everything, at the start of the run; `options` give tolerances and form (NULL: defaults). */
dfl_status dfl_diagnose(dfl_diagnosis *out, dfl_runnable *run, const dfl_solver_options *options,
                        double t0);

/* The same with advice, which becomes notes of the model, modes and stiff elements: all that
   `driftless check` says, as words or JSON. */
dfl_status dfl_study_check(dfl_diagnosis *out, dfl_runnable *run, const dfl_settings *settings);
void dfl_diagnosis_text(dfl_text *text, dfl_runnable *run, const dfl_settings *settings,
                        const dfl_diagnosis *diagnosis);
void dfl_diagnosis_json(dfl_text *text, dfl_runnable *run, const dfl_settings *settings,
                        const dfl_diagnosis *diagnosis);

/* 0: ready to run; 1: the initial values cannot be completed; 2: the model does not determine its
   motion, since a direction has no balance of forces either, whatever the start. */
int dfl_diagnosis_verdict(const dfl_diagnosis *diagnosis);
const char *dfl_verdict_text(int verdict);

/* One sentence about a set, about the joint whose first redundant row is `row`, about a direction;
   its kind: "redundant", "contradictory", "massless", "undetermined"; NULL: nothing is to be said.
 */
const char *dfl_describe_set(dfl_text *text, const dfl_equations *eq, const dfl_dependent_set *set);
const char *dfl_describe_joint(dfl_text *text, const dfl_equations *eq,
                               const dfl_diagnosis *diagnosis, int row);
const char *dfl_describe_direction(dfl_text *text, const dfl_equations *eq,
                                   const dfl_free_direction *direction);
const char *dfl_constraint_name(const dfl_equations *eq, int row);

/* After that: modes at the start, as a run would begin; out->start and its message if it would not.
   From then on the equations keep their branches. Then writes a line, or the item of a JSON list,
   for each contact. */
dfl_status dfl_diagnose_modes(dfl_diagnosis *out, dfl_runnable *run,
                              const dfl_solver_options *options, double t0);
void dfl_study_list_modes(dfl_text *text, const dfl_runnable *run, const dfl_diagnosis *diagnosis,
                          bool json);
void dfl_diagnosis_clear(dfl_diagnosis *diagnosis);

/* Only the sets of dependent constraints, at (t, x). out->ctx must be set. */
dfl_status dfl_diagnose_sets(dfl_diagnosis *out, dfl_runnable *run, double t, const double *x);

/* Only the directions, at (t, x). out->ctx must be set. */
dfl_status dfl_diagnose_directions(dfl_diagnosis *out, dfl_runnable *run, double t,
                                   const double *x);

/* What determines the motion along massless directions. */
typedef struct dfl_massless_kinds {
    dfl_context *ctx;
    int first_order;       /* by forces that depend on their speed */
    int quasistatic;       /* by stiffness alone */
    int undetermined;      /* by nothing */
    bool negative_damping; /* the solution is not the limit of small masses */
    double *direction;     /* nv: the first one that is not of first order, or NULL */
    double damping,
        size; /* its d gam / d zeta, and the largest derivative of a force by a velocity */
    double stiffness;
} dfl_massless_kinds;

/* Classifies them at (t, x). */
dfl_status dfl_diagnose_massless(dfl_massless_kinds *out, dfl_runnable *run, double t,
                                 const double *x);
void dfl_massless_kinds_clear(dfl_massless_kinds *kinds);

/* Whether the balance of forces depends on the speed along a massless direction, directly or
   through w or multipliers; true without derivatives. */
dfl_status dfl_direction_is_damped(bool *out, dfl_runnable *run, double t, const double *x,
                                   const double *direction);

/* Appends a direction of velocities as text: "der(x)", "der(x) - 0.5 der(y)". */
void dfl_print_combination(dfl_text *text, const dfl_equations *eq, const double *direction);

/* The redundant rows of one joint. */
typedef struct dfl_redundant_joint {
    const char *name; /* of its first row */
    int length;       /* of the joint's own name within it */
    int count, of;
    const char *meaning[12]; /* of the redundant ones */
} dfl_redundant_joint;

/* Fills the joint of constraint row `row` if the row is the first redundant one of its joint;
   otherwise, also for rows that belong to no joint, returns false. */
bool dfl_redundant_joint_of(dfl_redundant_joint *out, const dfl_equations *eq,
                            const dfl_diagnosis *diagnosis, int row);

/* Marks the redundant rows of W: the last ones that can be left out. */
dfl_status dfl_diagnose_redundant(dfl_diagnosis *out, const dfl_equations *eq);

/* Sets and redundant rows with the rows that are on in the present modes, instead of those found
   before. */
dfl_status dfl_diagnose_rows_again(dfl_diagnosis *out, dfl_runnable *run, double t0);

/* Frees the sets, and forgets the redundant rows. */
void dfl_diagnosis_clear_sets(dfl_diagnosis *diagnosis);

/* Finds the contradictory sets: the sum of a set's rows, which no motion changes, is not zero at
   (t, x). */
dfl_status dfl_diagnose_contradictions(dfl_diagnosis *out, dfl_runnable *run, double t,
                                       const double *x, double tolerance);

#endif
