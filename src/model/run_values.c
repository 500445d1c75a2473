/* run_values.c: the values of a run by number: states and outputs as in results, inputs,
   parameters. */
#include "model/run_internal.h"

#include <math.h>
#include <string.h>

dfl_status dfl_run_list_values(dfl_run *run)
{
    const dfl_model *model = run->derived.model;
    const int inputs = model->count[DFL_AN_INPUT], count = inputs + model->count[DFL_A_PARAM];
    dfl_status status = dfl_columns_create(&run->columns, run->derived.eq);
    if (status)
        return status;
    run->settable = dfl_alloc(run->ctx, (size_t)count, sizeof *run->settable);
    run->number = dfl_alloc(run->ctx, (size_t)count, sizeof *run->number);
    run->x = dfl_alloc(run->ctx, (size_t)run->derived.eq->n, sizeof *run->x);
    run->inside = dfl_alloc(run->ctx, (size_t)run->derived.eq->n, sizeof *run->inside);
    run->outputs = dfl_alloc(run->ctx, (size_t)run->columns.m, sizeof *run->outputs);
    if (!run->settable || !run->number || !run->x || !run->inside || !run->outputs)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->declarations.count; i++) {
        const dfl_declaration *decl = &model->declarations.item[i];
        const int place = decl->kind == DFL_AN_INPUT  ? decl->index
                          : decl->kind == DFL_A_PARAM ? inputs + decl->index
                                                      : -1;
        if (place >= 0) {
            run->settable[place] = decl;
            run->number[place] = decl->value;
        }
    }
    run->nvalues = run->columns.n + run->columns.m + count;
    return DFL_OK;
}

void dfl_run_clear_values(dfl_run *run)
{
    dfl_columns_clear(&run->columns, run->ctx);
    dfl_free(run->ctx, run->settable);
    dfl_free(run->ctx, run->number);
    dfl_free(run->ctx, run->x);
    dfl_free(run->ctx, run->inside);
    dfl_free(run->ctx, run->outputs);
}

/* ------------------------------------------------------------------------------- names */

int dfl_run_values(const dfl_run *run)
{
    return run ? run->nvalues : 0;
}

static dfl_value_kind kind_of(const char *name)
{
    static const char *const names[] = {"position", "velocity",  "dynamic",
                                        "contact",  "auxiliary", "multiplier"};
    int kind = 0;
    while (kind < 5 && strcmp(names[kind], name))
        kind++;
    return (dfl_value_kind)kind;
}

dfl_value_info dfl_run_value(const dfl_run *run, int number)
{
    if (!run || number < 0 || number >= run->nvalues)
        return (dfl_value_info){.name = "", .unit = ""};
    const int n = run->columns.n, columns = n + run->columns.m;
    if (number < columns)
        return (dfl_value_info){.name = run->columns.names[number],
                                .unit = run->columns.units[number],
                                .kind = number < n ? kind_of(run->columns.kinds[number])
                                                   : DFL_VALUE_OUTPUT};
    const dfl_declaration *decl = run->settable[number - columns];
    return (dfl_value_info){.name = decl->name,
                            .unit = decl->unit ? decl->unit : "",
                            .kind = decl->kind == DFL_AN_INPUT ? DFL_VALUE_INPUT : DFL_VALUE_PARAM};
}

int dfl_run_find(const dfl_run *run, const char *name)
{
    for (int i = 0; run && name && i < run->nvalues; i++)
        if (!strcmp(dfl_run_value(run, i).name, name))
            return i;
    return -1;
}

/* ------------------------------------------------------------------------------- values */

double dfl_run_get(dfl_run *run, int number)
{
    if (!run || number < 0 || number >= run->nvalues)
        return NAN;
    const int n = run->columns.n, columns = n + run->columns.m;
    if (number >= columns)
        return run->number[number - columns];
    if (!run->started || dfl_run_refresh(run))
        return NAN;
    const double *x = dfl_run_state(run), t = dfl_run_now(run);
    if (number < n)
        return x[run->columns.place[number]];
    if (!(run->known_at == t)) {
        dfl_runnable_outputs(run->outputs, run->derived.runnable, t, x);
        run->known_at = t;
    }
    return run->outputs[number - n];
}

dfl_status dfl_run_set(dfl_run *run, int number, double value)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    const int columns = run->columns.n + run->columns.m;
    if (number < 0 || number >= run->nvalues)
        return dfl_fail(
            run->ctx, DFL_INVALID,
            "there is no value with the number %d; dfl_run_find gives -1 for names that "
            "do not exist",
            number);
    if (number < columns)
        return dfl_fail(run->ctx, DFL_INVALID, "'%s' is neither an input nor a parameter",
                        dfl_run_value(run, number).name);
    const dfl_declaration *decl = run->settable[number - columns];
    if (!isfinite(value))
        return dfl_fail(run->ctx, DFL_INVALID, "'%s' cannot be %g; give a finite number",
                        decl->name, value);
    const dfl_status status =
        dfl_runnable_set(run->derived.runnable, decl->kind, decl->index, value);
    if (status)
        return status;
    run->number[number - columns] = value;
    run->changed = true;
    return DFL_OK;
}

/* Invariants keep what they are after the change. */
static dfl_status take_levels(double t, const double *x, void *user)
{
    dfl_runnable_set_levels(((dfl_run *)user)->derived.runnable, t, x);
    return DFL_OK;
}

dfl_status dfl_run_refresh(dfl_run *run)
{
    const dfl_conditions conditions = {.completed = take_levels, .user = run};
    if (!run->changed || !run->started)
        return DFL_OK;
    dfl_status status = dfl_run_settle(run);
    if (!status)
        status = dfl_solver_refresh(run->sim.solver, &conditions);
    run->known_at = NAN;
    run->changed = status != DFL_OK;
    return status;
}

double dfl_run_time(const dfl_run *run)
{
    return run && run->started ? dfl_run_now(run) : NAN;
}

dfl_status dfl_run_interpolate(double *values, dfl_run *run, double t, bool project)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (!run->started || !values)
        return dfl_fail(run->ctx, DFL_INVALID,
                        run->started ? "the values are NULL; give room for all columns but outputs"
                                     : "the run has not started");
    const dfl_status status = dfl_solver_interpolate(run->x, run->sim.solver, t, project);
    for (int i = 0; !status && i < run->columns.n; i++)
        values[i] = run->x[run->columns.place[i]];
    return status;
}

/* ------------------------------------------------------------------------------- proof */

dfl_residuals dfl_run_residuals(dfl_run *run)
{
    static const dfl_residuals unknown = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!run || !run->started || dfl_run_refresh(run))
        return unknown;
    return isnan(run->shown) ? dfl_solver_residuals(run->sim.solver)
                             : dfl_solver_residuals_at(run->sim.solver, run->shown, run->inside);
}

double dfl_run_energy(dfl_run *run)
{
    return run && run->started && !dfl_run_refresh(run)
               ? dfl_runnable_energy(run->derived.runnable, dfl_run_now(run), dfl_run_state(run))
               : NAN;
}

dfl_statistics dfl_run_statistics(const dfl_run *run)
{
    return run && run->started ? dfl_solver_statistics(run->sim.solver) : (dfl_statistics){0};
}

/* ------------------------------------------------------------------------------- saving */

size_t dfl_run_saved_size(const dfl_run *run)
{
    return run && run->started ? dfl_simulation_saved_size(&run->sim) : 0;
}

dfl_status dfl_run_save(void *bytes, dfl_run *run)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (!bytes)
        return dfl_fail(run->ctx, DFL_INVALID,
                        "the bytes are NULL; give dfl_run_saved_size of them");
    dfl_status status = dfl_run_outside(run);
    if (!status)
        status = run->started
                     ? dfl_run_refresh(run)
                     : dfl_fail(run->ctx, DFL_INVALID, "the run has not started: nothing to save");
    if (!status)
        status = dfl_run_settle(run);
    return status ? status : dfl_simulation_save(bytes, &run->sim);
}

void dfl_run_take_numbers(dfl_run *run)
{
    const dfl_numbers now = dfl_runnable_numbers(run->derived.runnable, 0, NULL, NULL);
    for (int i = 0; i < run->nvalues - run->columns.n - run->columns.m; i++)
        run->number[i] = run->settable[i]->kind == DFL_AN_INPUT
                             ? now.input[run->settable[i]->index]
                             : now.param[run->settable[i]->index];
}

dfl_status dfl_run_restore(dfl_run *run, const void *bytes, size_t size)
{
    if (!run)
        return DFL_INVALID; /* there is no place for a message */
    if (!run->started || !bytes)
        return dfl_fail(run->ctx, DFL_INVALID,
                        run->started ? "the bytes are NULL; give those of dfl_run_save"
                                     : "start the run before it is restored");
    if (dfl_run_outside(run))
        return DFL_INVALID;
    const dfl_status status = dfl_simulation_restore(&run->sim, bytes, size);
    run->known_at = NAN;
    if (!status) {
        run->shown = NAN;
        run->stop_ahead = false;
    }
    run->changed = false;
    dfl_run_take_numbers(run);
    return status;
}
