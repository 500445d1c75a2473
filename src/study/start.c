/* start.c: initial values, from those of the script to a consistent state.

   Invariants keep the values that they have at the start, so they cannot help to find it: the
   solver completes the values without them and then asks for their levels. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

/* One start; `user` of its conditions. */
typedef struct start_call {
    dfl_runnable *run;
    const dfl_solver_options *options;
    dfl_sides sides;
    double *completed; /* the state, once it is found */
    bool refused;      /* it was, with a message that needs no explanation */
} start_call;

static int eval_sides(double *value, double t, const double *x, void *user);
static dfl_status take_levels(double t, const double *x, void *user);
static dfl_status start_nearby(bool *moved, dfl_solver *solver, dfl_runnable *run, double t0,
                               const double *x, const dfl_conditions *conditions);
static bool move_unmentioned(double *x, const dfl_equations *eq, int attempt);

void dfl_study_given(double *x, bool *held, const dfl_runnable *run)
{
    const dfl_equations *eq = eq_of(run);
    memset(x, 0, (size_t)eq->n * sizeof *x);
    memset(held, 0, (size_t)eq->n * sizeof *held);
    dfl_equations_given(x, held, eq);
}

dfl_status dfl_study_start(double *corrected, bool *chosen, dfl_runnable *run, dfl_solver *solver,
                           const dfl_solver_options *options, double t0)
{
    const dfl_equations *eq = eq_of(run);
    bool moved = false;
    double *x = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *x);
    bool *held = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *held);
    start_call call = {.run = run, .options = options};
    dfl_conditions conditions = {
        .held = held, .side = eval_sides, .completed = take_levels, .user = &call};
    dfl_status status = x && held ? dfl_sides_create(&call.sides, &conditions, run) : DFL_NO_MEMORY;
    if (!status) {
        dfl_study_given(x, held, run);
        status = dfl_solver_start(solver, t0, x, &conditions);
        if (status && dfl_solver_failure(solver) == DFL_FAILURE_GUESS)
            status = start_nearby(&moved, solver, run, t0, x, &conditions);
        if (!status)
            status = dfl_study_smooth_start(run, solver, t0, x, &conditions);
        if (status && status != DFL_STOPPED && !call.refused && status != DFL_INVALID)
            status = dfl_study_explain(run, status, t0, call.completed ? call.completed : x);
    }
    if (!status)
        status = dfl_study_check_limits(run, t0, dfl_solver_state(solver));
    if (chosen)
        *chosen = moved;
    if (corrected && (!status || status == DFL_STOPPED))
        memcpy(corrected, dfl_solver_state(solver), (size_t)eq->n * sizeof *corrected);
    dfl_sides_clear(&call.sides, ctx_of(run));
    dfl_free(ctx_of(run), call.completed);
    dfl_free(ctx_of(run), x);
    dfl_free(ctx_of(run), held);
    return status;
}

static int eval_sides(double *value, double t, const double *x, void *user)
{
    const start_call *call = user;
    return dfl_sides_eval(value, &call->sides, call->run, t, x);
}

/* The completed state: what only the model can check, and the levels of its invariants. */
static dfl_status take_levels(double t, const double *x, void *user)
{
    start_call *call = user;
    dfl_runnable *run = call->run;
    const size_t n = (size_t)eq_of(run)->n;
    if (!call->completed) /* there may be several attempts */
        call->completed = dfl_alloc(ctx_of(run), n, sizeof *call->completed);
    if (!call->completed)
        return DFL_NO_MEMORY;
    memcpy(call->completed, x, n * sizeof *x);
    dfl_status status = dfl_study_check_determined(run, t, x);
    if (!status && eq_of(run)->energy != DFL_NO_EXPR && !isfinite(dfl_runnable_energy(run, t, x))) {
        status =
            dfl_fail(ctx_of(run), DFL_NOT_FINITE,
                     "the energy of the model is not a finite number at t = %.10g; its numbers "
                     "may be too large: choose other units",
                     t);
        status = dfl_study_explain(run, status, t, x);
    }
    if (!status) {
        dfl_runnable_set_levels(run, t, x);
        status = dfl_study_check_kept(run, call->options, t, x);
    }
    call->refused = status != DFL_OK;
    return status;
}

dfl_status dfl_study_start_as_given(double *given, dfl_runnable *run, dfl_solver *solver, double t0)
{
    const dfl_conditions as_given = {.mode = DFL_START_AS_GIVEN};
    bool *held = dfl_alloc(ctx_of(run), (size_t)eq_of(run)->n, sizeof *held);
    if (!held)
        return DFL_NO_MEMORY;
    dfl_study_given(given, held, run);
    dfl_free(ctx_of(run), held);
    dfl_runnable_set_levels(run, t0, given);
    dfl_status status = dfl_solver_start(solver, t0, given, &as_given);
    if (!status)
        return dfl_study_check_limits(run, t0, given);
    return status != DFL_STOPPED ? dfl_study_explain(run, status, t0, given) : status;
}

/* No correction leads away from the positions, such as those of a drawing at a dead centre: moves
   positions that the script does not mention a little, angles first. If that fails as well, the
   message is that of the first attempt. */
static dfl_status start_nearby(bool *moved, dfl_solver *solver, dfl_runnable *run, double t0,
                               const double *x, const dfl_conditions *conditions)
{
    enum { ATTEMPTS = 4 };
    const int n = eq_of(run)->n;
    double *y = dfl_alloc(ctx_of(run), (size_t)n, sizeof *y);
    char *message = dfl_copy_string(ctx_of(run), dfl_message(ctx_of(run)));
    dfl_status status = y && message ? DFL_INCONSISTENT : DFL_NO_MEMORY;
    for (int k = 0; status == DFL_INCONSISTENT && k < ATTEMPTS; k++) {
        memcpy(y, x, (size_t)n * sizeof *y);
        if (move_unmentioned(y, eq_of(run), k))
            status = dfl_solver_start(solver, t0, y, conditions);
    }
    *moved = !status;
    if (status == DFL_INCONSISTENT)
        dfl_fail(ctx_of(run), status, "%s", message);
    dfl_free(ctx_of(run), message);
    dfl_free(ctx_of(run), y);
    return status;
}

/* Moves positions that the script does not mention by up to 0.1, each by another amount; lengths
   only in later attempts. False: there are none. */
static bool move_unmentioned(double *x, const dfl_equations *eq, int attempt)
{
    bool any = false;
    for (int i = 0; i < eq->np; i++) {
        const dfl_variable *p = &dfl_equations_p(eq)[i];
        const dfl_declaration *decl = dfl_model_owner(eq->model, p->symbol);
        const bool length = decl->unit && !strcmp(decl->unit, "m");
        if (dfl_model_mentioned(eq->model, p->symbol) || (length && attempt < 2))
            continue;
        const double part = fmod(0.618 * (i + 1), 1); /* of the golden section */
        const double sign = attempt % 2 && i % 2 ? -1 : 1;
        x[eq->n - eq->np + i] += 0.1 * sign * (0.3 + 0.7 * part);
        any = true;
    }
    return any;
}
