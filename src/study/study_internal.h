/* study_internal.h: what a start checks and how failures are explained. */
#ifndef DFL_STUDY_INTERNAL_H
#define DFL_STUDY_INTERNAL_H

#include "study/study.h"

#include "derive/derive.h"

static inline const dfl_equations *eq_of(const dfl_runnable *run)
{
    return dfl_runnable_equations(run);
}

static inline dfl_context *ctx_of(const dfl_runnable *run)
{
    return dfl_runnable_context(run);
}

/* Whether dense matrices of the model's size, for a diagnosis, would cost more than a run. */
static inline bool dfl_study_is_large(const dfl_runnable *run)
{
    return dfl_runnable_packed(run) && eq_of(run)->n > 1000;
}

/* smooth_start.c: after a start from x with these conditions: coordinates that begin smoothly are
   moved to where their accelerations vanish, and the solver is started again. DFL_NOT_CONVERGED;
   DFL_INVALID: they have initial values. */
dfl_status dfl_study_smooth_start(dfl_runnable *run, dfl_solver *solver, double t0, const double *x,
                                  const dfl_conditions *conditions);

/* sides.c: which of several solutions of the constraints a start looks for. */
typedef struct dfl_sides {
    dfl_expr *exprs;
    const char **names;
} dfl_sides;

/* Takes the sides of the model; adds their number and names to `conditions`. The caller clears
   `out`, which begins as {0}, also after a failure. */
dfl_status dfl_sides_create(dfl_sides *out, dfl_conditions *conditions, const dfl_runnable *run);
void dfl_sides_clear(dfl_sides *sides, dfl_context *ctx);

/* Writes the values of all sides; returns as dfl_condition_fn. */
int dfl_sides_eval(double *value, const dfl_sides *sides, dfl_runnable *run, double t,
                   const double *x);

/* DFL_INVALID: an invariant is not kept by the motion, at (t, x) or with other velocities there. */
dfl_status dfl_study_check_kept(dfl_runnable *run, const dfl_solver_options *options, double t,
                                const double *x);

/* Adds to the message of a failed start, or of dependent constraints, prescribed motions that
   contradict each other at (t, x). Returns `status`, or DFL_NO_MEMORY. */
dfl_status dfl_explain_motions(dfl_runnable *run, dfl_status status, double t, const double *x);

/* Whether auxiliary variables or multipliers enter the balance along massless directions: then
   all of them are determined together. */
bool dfl_balance_is_coupled(const dfl_equations *eq);

/* DFL_INVALID names a direction that has neither mass nor constraint nor a damped balance of
   forces, or an auxiliary variable that its equations leave open. */
dfl_status dfl_study_check_determined(dfl_runnable *run, double t, const double *x);

/* limits.c: where tables end. */

/* DFL_INVALID: at (t, x) the argument of a table is outside, and the model does not allow it. */
dfl_status dfl_study_check_limits(dfl_runnable *run, double t, const double *x);
/* The declaration of an event by its number. */
const dfl_declaration *dfl_study_event(const dfl_model *model, int event);

/* How a run that sim->stop_event has stopped has ended: DFL_OK, or DFL_INVALID if the event is such
   a limit. */
dfl_status dfl_study_end_at_event(dfl_summary *summary, dfl_simulation *sim);
/* Reports signals that do not cover the run. */
void dfl_study_advise_signals(const dfl_model *model, const dfl_settings *settings,
                              dfl_advice_fn tell, void *user);

/* tolerances.c: room for them; the largest values so far; whether the run, which has ended, had a
   given atol that is too large for some variable. */
dfl_status dfl_study_tolerances_create(dfl_simulation *sim);
void dfl_study_note_largest(dfl_simulation *sim, const double *x);
void dfl_study_warn_coarse(const dfl_simulation *sim, dfl_advice_fn tell, void *user);

/* doubts.c: room; says what is doubtful at a state, each once; velocities have jumped; says what
   was neglected at the end. */
dfl_status dfl_study_doubts_create(dfl_simulation *sim);
void dfl_study_doubts_clear(dfl_simulation *sim);
void dfl_study_look_for_doubts(dfl_simulation *sim, double t, const double *x);
void dfl_study_forget_velocities(dfl_simulation *sim);
void dfl_study_tell_neglected(dfl_simulation *sim);

/* jump_rows.c: room for the row before a jump; keeps it; stores it, unless it was stored already.
 */
dfl_status dfl_study_jumps_create(dfl_simulation *sim);
void dfl_study_jumps_clear(dfl_simulation *sim);
void dfl_study_keep_row(dfl_simulation *sim, double t, const double *x);
bool dfl_study_store_kept(dfl_simulation *sim);

/* callbacks_of_run.c: all callbacks of the solver; what a row has besides the state; a row, unless
   the last one was there, and a step to all files, false: the run has to stop; a message, a notice;
   the first failure of a writer is kept. */
void dfl_study_listen(dfl_solver_options *options, dfl_simulation *sim);
void dfl_study_evaluate_row(double *outputs, double *scene, dfl_simulation *sim, double t,
                            const double *x);
bool dfl_study_store_row(dfl_simulation *sim, double t, const double *x);
bool dfl_study_store_step(dfl_simulation *sim, double t_old, double t, double energy);
void dfl_study_tell(dfl_log_level level, const char *text, void *sim);
void dfl_study_notice(const char *text, void *sim);
void dfl_study_note_trouble(dfl_simulation *sim, dfl_status status);

/* trends.c: the start; a step that the solver has just taken; the state after a jump. */
void dfl_study_trends_begin(dfl_simulation *sim, double t, const double *x);
void dfl_study_trends_step(dfl_simulation *sim, double t_old, double t, const double *x);
void dfl_study_trends_jump(dfl_simulation *sim, double t, const double *x);

/* row_checks.c: energy and residuals of a row, before it is stored; the largest of all interpolated
   rows join those of the steps. */
void dfl_study_check_row(dfl_simulation *sim, double t, const double *x);
void dfl_study_check_outputs(dfl_simulation *sim, double t); /* of the row; warns */
void dfl_study_add_rows(dfl_statistics *statistics, const dfl_simulation *sim);

/* A named expression of the script (parts.c). */
typedef struct dfl_study_part {
    const char *name; /* NULL: none */
    int line;
    dfl_expr expr;
} dfl_study_part;

/* All of them; free *out. DFL_NO_MEMORY. */
dfl_status dfl_study_parts(dfl_study_part **out, int *count, const dfl_runnable *run);
/* The first one that contains an expression; name NULL: none, or no memory. */
dfl_study_part dfl_study_part_containing(const dfl_runnable *run, dfl_expr expr);
/* Whether `sought` is below `root`; false also without memory. */
bool dfl_study_contains(const dfl_runnable *run, dfl_expr root, dfl_expr sought);

/* switch_naming.c: what is compared with the borders of a switch; where it stands; both in words.
 */
dfl_expr dfl_study_switch_argument(const dfl_graph *graph, const dfl_switch *item);
dfl_study_part dfl_study_switch_part(dfl_runnable *run, const dfl_switch *item);
void dfl_study_name_switch(dfl_text *text, dfl_runnable *run, int number);

/* The inputs of a model, in lines or as members of a list (input_list.c). */
void dfl_study_list_inputs(dfl_text *text, const dfl_equations *eq, bool json);
/* What a switching function of the solver belongs to; `user` is the dfl_runnable. */
void dfl_study_name_function(char *out, size_t size, int function, void *user);

/* start_modes.c: a mode as records have it. */
dfl_touching dfl_study_touching(dfl_contact_mode mode);

/* switch_records.c: names of what may happen at instants; what happens there; the modes at the
   start. */
dfl_status dfl_study_switches_create(dfl_simulation *sim);
void dfl_study_switches_clear(dfl_simulation *sim);
int dfl_study_on_instant(const dfl_instant *instant, void *sim);

/* drive_impulses.c: impulses of drives of joints without coordinate. Names are appended to `names`;
   the momenta before an instant; then sim->switched.drives.impulse, the momenta are those after it.
   Whether a motion has a kink there. */
dfl_status dfl_study_drives_create(dfl_simulation *sim, const char **names);
void dfl_study_drives_clear(dfl_simulation *sim);
void dfl_study_drives_begin(dfl_simulation *sim, double t, const double *x);
bool dfl_study_drives_jump(dfl_simulation *sim, const dfl_instant *instant);
void dfl_study_store_modes(dfl_simulation *sim, double t);
/* The number of the record of what an event at time t has just done, or -1. */
int dfl_study_done_by_event(dfl_simulation *sim, double t);

/* The message about an operation that leaves its domain at (t, x); DFL_OK: there is none
   (explain_domain.c). */
dfl_status dfl_explain_domain(dfl_runnable *run, dfl_status status, double t, const double *x);

/* operating_point.c: DFL_INVALID: `option` names a variable that does not exist. */
dfl_status dfl_study_unknown_name(const dfl_runnable *run, const char *option, const char *name);

/* equilibrium_contacts.c: DFL_NOT_CONVERGED if a contact pulls, is penetrated or sticks too much at
   an equilibrium; adds to the message of a search that failed that contacts keep their modes. */
dfl_status dfl_study_check_contacts(dfl_runnable *run, double t, const double *x);
dfl_status dfl_study_name_contacts(dfl_runnable *run, dfl_status failure);
/* judgement.c: stability is not judged, and why; the size of unknown i, of its own or 1.
   DFL_NO_MEMORY. */
dfl_status dfl_study_doubt(dfl_linear_model *model, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
double dfl_study_size(const dfl_eom *eom, const double *x, int i);

/* Writes which contact is at the end of its mode at the state, or "". DFL_NO_MEMORY. */
dfl_status dfl_study_contact_edge(char *out, size_t size, dfl_runnable *run, double t,
                                  const double *x);

#endif
