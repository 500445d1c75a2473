/* run_branching.c: switches, actions and contacts of a run as tables, and what carry/branching.h
   makes of them. */
#include "engine/engine_internal.h"

static dfl_status name_motions(dfl_runnable *run);
static void list_programs(dfl_runnable *run);
static void fill_tables(dfl_runnable *run);

static void evaluate(double *out, int number, double t, const double *x, void *user)
{
    const dfl_runnable *run = user;
    if (run->carried[number])
        dfl_runnable_evaluate(run->carried[number], run, t, x, NULL, &out);
}

static void enclose(dfl_bounds *out, int number, const dfl_bounds *t, const dfl_bounds *x,
                    void *user)
{
    const dfl_switches *sw = &((const dfl_runnable *)user)->switches;
    dfl_functions_bounds(out, number == DFL_CARRY_INSTANTS ? &sw->of_time : &sw->all, t, x);
}

static void prepare(void *user)
{
    dfl_runnable_prepare(user);
}

static void set_levels(double t, const double *x, void *user)
{
    dfl_runnable_set_levels(user, t, x);
}

static void refuse(int line, const char *message, void *user)
{
    dfl_model_fail(((const dfl_runnable *)user)->eq->model, line, "%s", message);
}

dfl_status dfl_run_branching_create(dfl_runnable *run)
{
    const dfl_branching_host host = {.evaluate = evaluate,
                                     .enclose = enclose,
                                     .prepare = prepare,
                                     .set_levels = set_levels,
                                     .refuse = refuse,
                                     .exchange = run->foreign ? dfl_foreign_exchange : NULL,
                                     .run = run};
    const dfl_status status = name_motions(run);
    if (status)
        return status;
    list_programs(run);
    fill_tables(run);
    return dfl_branching_create(&run->branching, run->ctx, &run->tables, run->eq->graph, &host);
}

void dfl_run_branching_clear(dfl_runnable *run)
{
    dfl_branching_clear(&run->branching, run->ctx);
    dfl_free(run->ctx, run->motion_names);
    dfl_free(run->ctx, run->motion_lines);
}

static dfl_status name_motions(dfl_runnable *run)
{
    const dfl_model *model = run->eq->model;
    const size_t count = (size_t)model->motions.count;
    run->motion_names = dfl_alloc(run->ctx, count, sizeof *run->motion_names);
    run->motion_lines = dfl_alloc(run->ctx, count, sizeof *run->motion_lines);
    if (!run->motion_names || !run->motion_lines)
        return DFL_NO_MEMORY;
    for (int i = 0; i < model->motions.count; i++) {
        run->motion_names[i] = model->motions.item[i].name;
        run->motion_lines[i] = model->motions.item[i].line;
    }
    return DFL_OK;
}

/* Those that have a tape. */
static void list_programs(dfl_runnable *run)
{
    const struct {
        int number;
        const program *program;
    } all[] = {{DFL_CARRY_ALL, &run->all},
               {DFL_CARRY_MASS, &run->mass},
               {DFL_CARRY_JACOBIAN, &run->jacobian},
               {DFL_CARRY_OUTPUTS, &run->outputs},
               {DFL_CARRY_MOMENTA, &run->switches.momenta},
               {DFL_CARRY_UNLOCKED, &run->switches.unlocked},
               {DFL_CARRY_SWITCHES, &run->switches.all.values},
               {DFL_CARRY_SWITCH_SLOPES, &run->switches.all.slopes},
               {DFL_CARRY_INSTANTS, &run->switches.of_time.values},
               {DFL_CARRY_INSTANT_SLOPES, &run->switches.of_time.slopes},
               {DFL_CARRY_ACTIONS, &run->actions.values},
               {DFL_CARRY_MASKS, &run->actions.masks},
               {DFL_CARRY_GAPS, &run->contacts.motion.values},
               {DFL_CARRY_GAP_SLOPES, &run->contacts.motion.slopes},
               {DFL_CARRY_LAWS, &run->contacts.laws}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        run->carried[all[i].number] = all[i].program->tape ? all[i].program : NULL;
    for (int i = 0; i < SINGLE_BLOCKS; i++)
        run->carried[DFL_CARRY_BLOCK + i] = &run->single[i];
}

static void fill_tables(dfl_runnable *run)
{
    const dfl_equations *eq = run->eq;
    const dfl_switches *sw = &run->switches;
    const dfl_actions *actions = &eq->model->actions;
    const bool any = sw->count > 0;
    run->tables = (dfl_branching_tables){.n = eq->n,
                                         .nv = eq->nv,
                                         .np = eq->np,
                                         .nrows = eq->nl + eq->nm,
                                         .nswitches = sw->lock->count,
                                         .nactions = actions->list.count,
                                         .ncontacts = actions->touches.count,
                                         .kinds = sw->kinds,
                                         .watched = sw->watched,
                                         .switches = sw->all.table,
                                         .instants = sw->of_time.table,
                                         .gaps = run->contacts.motion.table,
                                         .ncontinued = any ? sw->ncontinued : 0,
                                         .nmotions = any ? eq->model->motions.count : 0,
                                         .ndiscretes = actions->discretes.count,
                                         .motions = run->motion_names,
                                         .lines = run->motion_lines,
                                         .nenergies = any ? sw->nenergies : 0,
                                         .energies = sw->jumping,
                                         .first = run->actions.first,
                                         .before = run->actions.before,
                                         .actions = run->actions.table,
                                         .contacts = run->contacts.contacts,
                                         .modes = run->contacts.modes,
                                         .acting = run->actions.acting,
                                         .masked = run->actions.masked};
}

void dfl_runnable_lock(dfl_switch_options *out, dfl_runnable *run, dfl_switch_name_fn name)
{
    run->branching.host.name = name;
    dfl_branching_lock(out, &run->branching);
}

void dfl_runnable_unlock(dfl_runnable *run)
{
    run->branching.locked = false;
}

void dfl_runnable_follow(dfl_runnable *run, double t, const double *x)
{
    dfl_branching_follow(&run->branching, t, x);
}

bool dfl_runnable_row_is_off(const dfl_runnable *run, int row)
{
    return run->branching.off[row];
}

void dfl_runnable_contacts(dfl_contact_state *out, const dfl_runnable *run, double t,
                           const double *x)
{
    dfl_branching_contacts(out, &run->branching, t, x);
}
