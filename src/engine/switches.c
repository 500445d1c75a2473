/* switches.c: the switches of the equations, and programs of the functions that bound their
   branches; carry/branching.c runs them. */
#include "engine/engine_internal.h"

static dfl_status collect(dfl_runnable *run);
static dfl_status keep_continued(dfl_switches *sw, dfl_context *ctx, const dfl_expr *rows,
                                 const bool *continued, int count);
static void order_functions(dfl_switches *sw, const dfl_runnable *run, bool time);
static dfl_status create_momenta(dfl_runnable *run);
static dfl_status collect_peaks(dfl_runnable *run);

static dfl_status collect(dfl_runnable *run)
{
    dfl_expr *rows;
    int count;
    dfl_status status = dfl_runnable_rows(&rows, &count, run, true);
    if (status)
        return status;
    for (int k = 0; k < run->switches.nenergies; k++)
        if (!run->switches.jumping[k].kinetic) /* M is among the rows */
            rows[count++] = run->switches.energies[k];
    dfl_expr *locked = dfl_alloc(run->ctx, (size_t)count, sizeof *locked);
    bool *continued = dfl_alloc(run->ctx, (size_t)count, sizeof *continued);
    status = locked && continued
                 ? dfl_lock(locked, continued, run->switches.lock, rows, count, true)
                 : DFL_NO_MEMORY;
    if (!status)
        status = keep_continued(&run->switches, run->ctx, rows, continued, count);
    dfl_free(run->ctx, rows);
    dfl_free(run->ctx, locked);
    dfl_free(run->ctx, continued);
    return status;
}

/* Rows that must be finite also without the continuation. */
static dfl_status keep_continued(dfl_switches *sw, dfl_context *ctx, const dfl_expr *rows,
                                 const bool *continued, int count)
{
    sw->continued = dfl_alloc(ctx, (size_t)count, sizeof *sw->continued);
    if (!sw->continued)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++)
        if (continued[i])
            sw->continued[sw->ncontinued++] = rows[i];
    return DFL_OK;
}

dfl_status dfl_switches_create(dfl_runnable *run)
{
    dfl_switches *sw = &run->switches;
    dfl_status status = dfl_locking_create(&sw->lock, run->eq->graph, NULL, 0);
    if (!status)
        sw->lock->precision = run->eq->model->precision;
    if (!status)
        status = dfl_switches_energies(run);
    if (!status)
        status = collect(run);
    if (!status)
        status = collect_peaks(run);
    if (status)
        return status;
    sw->first_contact = sw->lock->count + run->eq->model->actions.list.count;
    sw->nitems = sw->first_contact + DFL_CONTACT_ITEMS * run->eq->model->actions.touches.count;
    const size_t count = (size_t)sw->nitems;
    sw->item = dfl_alloc(run->ctx, count, sizeof *sw->item);
    sw->kinds = dfl_alloc(run->ctx, count, sizeof *sw->kinds);
    sw->watched = dfl_alloc(run->ctx, 2 * count, sizeof *sw->watched);
    if (!sw->item || !sw->kinds || !sw->watched)
        return DFL_NO_MEMORY;
    for (int i = 0; i < sw->lock->count; i++)
        sw->item[i] = sw->lock->item[i];
    dfl_actions_list(sw->item + sw->lock->count, run);
    dfl_contacts_list(sw->item + sw->first_contact, run);
    for (int i = 0; i < sw->nitems; i++)
        sw->kinds[i] = (dfl_carried_switch){(int)sw->item[i].kind, sw->item[i].spline};
    order_functions(sw, run, true);
    sw->instants = sw->count;
    order_functions(sw, run, false);
    return DFL_OK;
}

/* Steps end where an expression whose largest value is wanted has a kink or a jump. */
static dfl_status collect_peaks(dfl_runnable *run)
{
    const dfl_goals *goals = &run->eq->model->goals;
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < goals->measures.count; i++) {
        dfl_expr expr = goals->measures.item[i].expr;
        if (goals->measures.item[i].peak)
            status = dfl_lock(&expr, NULL, run->switches.lock, &expr, 1, true);
    }
    return status;
}

dfl_status dfl_runnable_branch_of(dfl_expr *out, const dfl_runnable *run, dfl_expr expr)
{
    return dfl_lock(out, NULL, run->switches.lock, &expr, 1, false);
}

static bool of_time(const dfl_runnable *run, int number)
{
    const dfl_graph *g = run->eq->graph;
    const unsigned fixed =
        1u << DFL_SYM_PARAM | 1u << DFL_SYM_INPUT | 1u << DFL_SYM_LEVEL | 1u << DFL_SYM_DISCRETE;
    const unsigned kinds = dfl_node_of(g, run->switches.item[number].source)->depends;
    return (kinds & ~fixed) == 1u << DFL_SYM_TIME;
}

/* Each switch has a function for every end of its branch; those of time alone come first. */
static void order_functions(dfl_switches *sw, const dfl_runnable *run, bool time)
{
    for (int i = 0; i < sw->nitems; i++) {
        const bool two = sw->item[i].kind != DFL_SWITCH_SIGN;
        if (of_time(run, i) != time || dfl_is_constant(run->eq->graph, sw->item[i].source))
            continue;
        for (int sense = two ? -1 : 0; sense <= 1; sense += two ? 2 : 3)
            sw->watched[sw->count++] = (dfl_carried_watch){.number = i, .sense = sense};
    }
}

dfl_status dfl_switches_prepare(dfl_runnable *run)
{
    dfl_switches *sw = &run->switches;
    const int count = sw->count;
    dfl_status status = DFL_OK;
    if (count == 0)
        return DFL_OK;
    dfl_expr *conditions = dfl_alloc(run->ctx, (size_t)count, sizeof *conditions);
    if (!conditions)
        status = DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++)
        conditions[i] = sw->item[sw->watched[i].number].condition;
    if (!status)
        status = dfl_functions_create(&sw->all, run, conditions, count);
    if (!status)
        status = dfl_functions_create(&sw->of_time, run, conditions, sw->instants);
    if (!status)
        status = dfl_program_create(&sw->unlocked, run, sw->continued, sw->ncontinued);
    dfl_free(run->ctx, conditions);
    if (!status)
        status = dfl_switches_create_energy(run);
    if (!status)
        status = dfl_switches_create_drives(run);
    return status ? status : create_momenta(run);
}

/* Momenta beyond M v, dT/dv of the energy that prescribed motions have, these motions, and
   energies: what must not jump unnoticed. */
static dfl_status create_momenta(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_model *model = eq->model;
    dfl_switches *sw = &run->switches;
    const int nv = eq->nv, count = model->motions.count;
    const int all = nv + 2 * count + sw->nenergies * (1 + eq->np);
    dfl_expr *rows = dfl_alloc(run->ctx, (size_t)all, sizeof *rows);
    dfl_expr *symbols = dfl_alloc(run->ctx, (size_t)nv, sizeof *symbols);
    dfl_expr *zero = dfl_alloc(run->ctx, (size_t)nv, sizeof *zero);
    dfl_status status = rows && symbols && zero ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < nv; i++)
        symbols[i] = dfl_equations_v(eq)[i].symbol;
    if (!status && model->energy.driven != DFL_NO_EXPR)
        status = dfl_gradient_exprs(rows, eq->graph, model->energy.driven, symbols, nv);
    if (!status)
        status = dfl_substitute_exprs(rows, eq->graph, rows, nv, symbols, zero, nv);
    for (int i = 0; !status && i < count; i++) {
        rows[nv + i] = model->motions.item[i].value;
        rows[nv + count + i] = model->motions.item[i].rate;
    }
    if (!status)
        status = dfl_switches_energy_rows(rows + nv + 2 * count, run);
    if (!status)
        status = dfl_lock(rows, NULL, sw->lock, rows, all, false);
    if (!status)
        status = dfl_program_create(&sw->momenta, run, rows, all);
    dfl_free(run->ctx, rows);
    dfl_free(run->ctx, symbols);
    dfl_free(run->ctx, zero);
    return status;
}

void dfl_switches_clear(dfl_runnable *run)
{
    dfl_switches *sw = &run->switches;
    dfl_context *ctx = run->ctx;
    dfl_functions_clear(&sw->all, ctx);
    dfl_functions_clear(&sw->of_time, ctx);
    dfl_free(ctx, sw->item);
    dfl_free(ctx, sw->kinds);
    dfl_free(ctx, sw->watched);
    dfl_free(ctx, sw->continued);
    dfl_locking_free(sw->lock);
}

int dfl_runnable_switches(const dfl_runnable *run)
{
    return run->switches.lock->count;
}

const dfl_switch *dfl_runnable_switch(bool *depends_on_time, const dfl_runnable *run, int number)
{
    *depends_on_time = of_time(run, number);
    return &run->switches.item[number];
}
