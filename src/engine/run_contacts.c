/* run_contacts.c: contacts and friction of a run: their modes are discrete variables, which switch rows
   of the equations on and off; functions that end a mode. */
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
        dfl_expr c[CONTACT_ITEMS] = {one, one, one};
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
        for (int k = 0; k < CONTACT_ITEMS; k++)
            items[CONTACT_ITEMS * i + k] = (dfl_switch){
                .kind = DFL_SWITCH_SIGN, .source = c[k], .condition = c[k], .branch = DFL_NO_EXPR};
    }
}

dfl_status dfl_run_contacts_create(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    dfl_run_contacts *all = &run->contacts;
    const size_t n = (size_t)model->actions.touches.count, d = sizeof(double);
    all->contacts = dfl_alloc(run->ctx, n, sizeof *all->contacts);
    all->value = dfl_alloc(run->ctx, 2 * n, d);
    all->noise = dfl_alloc(run->ctx, 2 * n, d);
    all->law = dfl_alloc(run->ctx, 4 * n, d);
    all->contact = dfl_alloc(run->ctx, (size_t)run->switches.count, sizeof *all->contact);
    if (!all->contacts || !all->value || !all->noise || !all->law || !all->contact)
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
    }
    for (int i = 0; i < run->switches.count; i++) {
        const int item = run->switches.watched[i].number - run->switches.first_contact;
        all->contact[i] = item < 0 ? -1 : 2 * (item / CONTACT_ITEMS) + (item % CONTACT_ITEMS > 0);
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
    dfl_free(run->ctx, all->value);
    dfl_free(run->ctx, all->noise);
    dfl_free(run->ctx, all->law);
    dfl_free(run->ctx, all->contact);
}

void dfl_runnable_contacts(dfl_contact_state *out, const dfl_runnable *run, double t,
                           const double *x)
{
    const dfl_run_contacts *all = &run->contacts;
    double *value = all->value, *law = all->law;
    dfl_runnable_evaluate(&all->motion.values, run, t, x, NULL, &value);
    dfl_runnable_evaluate(&all->laws, run, t, x, NULL, &law);
    for (int i = 0; i < run->eq->model->actions.touches.count; i++)
        out[i] = (dfl_contact_state){.gap = value[2 * i],
                                     .slip = value[2 * i + 1],
                                     .load = law[4 * i],
                                     .limit = law[4 * i + 1],
                                     .restitution = law[4 * i + 2],
                                     .friction = law[4 * i + 3]};
}

static int contact_states(dfl_contact_state *out, double t, const double *x,
                          const double *tolerance, void *user)
{
    const dfl_runnable *run = user;
    const dfl_run_contacts *all = &run->contacts;
    dfl_runnable_contacts(out, run, t, x);
    dfl_functions_noise(all->noise, &all->motion, run, t, x, tolerance);
    for (int i = 0; i < run->eq->model->actions.touches.count; i++) {
        out[i].gap_noise = all->noise[2 * i];
        out[i].slip_noise = all->noise[2 * i + 1];
    }
    return 0;
}

static int set_modes(const dfl_contact_mode *modes, void *user)
{
    dfl_runnable *run = user;
    double *discrete = run->actions.discrete;
    for (int i = 0; i < run->eq->model->actions.touches.count; i++) {
        const dfl_touch *touch = &run->eq->model->actions.touches.item[i];
        discrete[touch->closed] = modes[i].closed;
        discrete[touch->stick] = modes[i].stick;
        discrete[touch->sense] = modes[i].sense;
        if (touch->directions < 2)
            continue;
        discrete[touch->along[0]] = modes[i].along[0];
        discrete[touch->along[1]] = modes[i].along[1];
        discrete[touch->speed] = modes[i].sense ? modes[i].speed : 1;
    }
    dfl_runnable_prepare(run);
    dfl_actions_mask(run);
    return 0;
}

void dfl_run_contacts_describe(dfl_switch_options *out, dfl_runnable *run)
{
    out->contact = run->contacts.contact;
    out->contacts = (dfl_contact_options){.count = run->eq->model->actions.touches.count,
                                          .contacts = run->contacts.contacts,
                                          .eval = contact_states,
                                          .set = set_modes};
}
