/* run_contacts.c: contacts and friction of a run: functions that end a mode, tables and programs
   for carry/branching_contacts.c. */
#include "engine/engine_internal.h"

static dfl_status create_programs(dfl_runnable *run);
static int row_of(const dfl_equations *eq, int declaration);

static dfl_expr mode_of(const dfl_runnable *run, int discrete)
{
    return run->eq->model->actions.discretes.item[discrete].symbol;
}

/* on ? a : b for a mode that is 1 or 0. */
static dfl_expr choose(dfl_graph *g, dfl_expr on, dfl_expr a, dfl_expr b)
{
    return dfl_add(g, dfl_mul(g, on, a), dfl_mul(g, dfl_sub(g, dfl_constant(g, 1), on), b));
}

/* limit^2 - |mu|^2, for two directions */
static dfl_expr left_on_surface(const dfl_runnable *run, const dfl_touch *touch)
{
    dfl_graph *g = run->eq->graph;
    dfl_expr left = dfl_mul(g, touch->limit, touch->limit);
    for (int k = 0; k < 2; k++) {
        const dfl_expr mu = run->eq->model->declarations.item[touch->tangent[k]].symbol;
        left = dfl_sub(g, left, dfl_mul(g, mu, mu));
    }
    return left;
}

/* Positive while the mode lasts: N of a closed contact or its gap; the friction that is left while
   it sticks, in both directions, or the slip in its sense. */
void dfl_contacts_list(dfl_switch *items, const dfl_runnable *run)
{
    dfl_graph *g = run->eq->graph;
    const dfl_model *model = run->eq->model;
    const dfl_expr one = dfl_constant(g, 1);
    for (int i = 0; i < model->actions.touches.count; i++) {
        const dfl_touch *touch = &model->actions.touches.item[i];
        dfl_expr c[DFL_CONTACT_ITEMS] = {one, one, one};
        if (touch->normal >= 0)
            c[0] = choose(g, mode_of(run, touch->closed), touch->load, touch->gap);
        if (touch->directions > 0) {
            const dfl_expr mu = model->declarations.item[touch->tangent[0]].symbol;
            const dfl_expr stick = mode_of(run, touch->stick), sense = mode_of(run, touch->sense);
            const dfl_expr slips = choose(g, dfl_mul(g, sense, sense), touch->sliding, one);
            dfl_expr left = dfl_sub(g, touch->limit, mu);
            if (touch->directions == 2)
                left = left_on_surface(run, touch);
            else
                c[2] = choose(g, stick, dfl_add(g, touch->limit, mu), one);
            c[1] = choose(g, stick, left, slips);
        }
        for (int k = 0; k < DFL_CONTACT_ITEMS; k++)
            items[DFL_CONTACT_ITEMS * i + k] = (dfl_switch){
                .kind = DFL_SWITCH_SIGN, .source = c[k], .condition = c[k], .branch = DFL_NO_EXPR};
    }
}

dfl_status dfl_run_contacts_create(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    dfl_run_contacts *all = &run->contacts;
    const size_t n = (size_t)model->actions.touches.count;
    all->contacts = dfl_alloc(run->ctx, n, sizeof *all->contacts);
    all->modes = dfl_alloc(run->ctx, n, sizeof *all->modes);
    if (!all->contacts || !all->modes)
        return DFL_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const dfl_touch *touch = &model->actions.touches.item[i];
        all->contacts[i] = (dfl_contact){.name = touch->name,
                                         .normal = row_of(run->eq, touch->normal),
                                         .tangent = row_of(run->eq, touch->tangent[0]),
                                         .event = touch->event,
                                         .directions = touch->directions};
        if (all->contacts[i].tangent >= 0)
            all->contacts[i].tangent -= run->eq->nl;
        all->modes[i] = (dfl_carried_mode){touch->closed,
                                           touch->stick,
                                           touch->sense,
                                           {touch->along[0], touch->along[1]},
                                           touch->speed};
    }
    return create_programs(run);
}

static int row_of(const dfl_equations *eq, int declaration)
{
    for (int i = 0; declaration >= 0 && i < eq->nl + eq->nm; i++)
        if (eq->declared.row[i] == declaration)
            return i;
    return -1;
}

static dfl_status create_programs(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    const int n = model->actions.touches.count;
    dfl_expr *rows = dfl_alloc(run->ctx, 6 * (size_t)n, sizeof *rows), *laws = rows + 2 * n;
    if (!rows)
        return DFL_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        const dfl_touch *touch = &model->actions.touches.item[i];
        rows[2 * i] = touch->normal >= 0 ? touch->gap : 0;
        rows[2 * i + 1] = touch->directions > 0 ? touch->slip[0] : 0;
        laws[4 * i] = touch->load;
        laws[4 * i + 1] = touch->limit;
        laws[4 * i + 2] = touch->restitution;
        laws[4 * i + 3] = touch->coefficient;
    }
    dfl_status status = dfl_functions_create(&run->contacts.motion, run, rows, 2 * n);
    if (!status)
        status = dfl_program_create(&run->contacts.laws, run, laws, 4 * n);
    dfl_free(run->ctx, rows);
    return status;
}

void dfl_run_contacts_clear(dfl_runnable *run)
{
    dfl_run_contacts *all = &run->contacts;
    dfl_functions_clear(&all->motion, run->ctx);
    dfl_free(run->ctx, all->contacts);
    dfl_free(run->ctx, all->modes);
}
