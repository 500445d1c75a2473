/* run_foreign.c: controllers that are FMUs: at every sample the FMU is led there with the values of
   the last one, takes the present values and gives its own. Each has a process of its own from the
   first sample of a run on. */
#include "engine/engine_internal.h"

#include "guest/guest.h"

#include <math.h>

struct dfl_run_foreign {
    dfl_guest *guest; /* NULL: it has not begun */
    double t;         /* where it is */
    double *value;
};

dfl_status dfl_foreign_create(dfl_runnable *run)
{
    const dfl_actions *all = &run->eq->model->actions;
    if (all->foreigns.count == 0)
        return DFL_OK;
    run->foreign = dfl_alloc(run->ctx, (size_t)all->foreigns.count, sizeof *run->foreign);
    for (int i = 0; run->foreign && i < all->foreigns.count; i++) {
        const dfl_foreign *f = &all->foreigns.item[i];
        run->foreign[i].value = dfl_alloc(run->ctx, (size_t)(f->inputs.count + f->outputs.count),
                                          sizeof *run->foreign[i].value);
        if (!run->foreign[i].value)
            return DFL_NO_MEMORY;
    }
    return run->foreign ? DFL_OK : DFL_NO_MEMORY;
}

static void end_all(dfl_runnable *run)
{
    for (int i = 0; run->foreign && i < run->eq->model->actions.foreigns.count; i++) {
        dfl_guest_free(run->foreign[i].guest);
        run->foreign[i].guest = NULL;
    }
}

void dfl_foreign_clear(dfl_runnable *run)
{
    end_all(run);
    for (int i = 0; run->foreign && i < run->eq->model->actions.foreigns.count; i++)
        dfl_free(run->ctx, run->foreign[i].value);
    dfl_free(run->ctx, run->foreign);
}

static dfl_status begin(struct dfl_run_foreign *it, dfl_context *ctx, const dfl_foreign *f,
                        double t)
{
    dfl_status status = dfl_guest_open(&it->guest, ctx, &f->archive);
    if (!status && f->params.count > 0)
        status = dfl_guest_set(it->guest, f->params.item, f->params.count, f->values.item);
    if (!status && f->inputs.count > 0)
        status = dfl_guest_set(it->guest, f->inputs.item, f->inputs.count, it->value);
    return status ? status : dfl_guest_start(it->guest, t, NAN, NAN);
}

static dfl_status go_on(struct dfl_run_foreign *it, dfl_context *ctx, const dfl_foreign *f,
                        double t)
{
    double reached;
    bool ended;
    if (t < it->t)
        return dfl_fail(ctx, DFL_CALLBACK, "it cannot go back from t = %.10g s", it->t);
    dfl_status status =
        t > it->t ? dfl_guest_step(it->guest, it->t, t - it->t, &reached, &ended) : DFL_OK;
    if (!status && t > it->t && ended)
        status = dfl_fail(ctx, DFL_CALLBACK, "it has ended the simulation");
    if (!status && f->inputs.count > 0)
        status = dfl_guest_set(it->guest, f->inputs.item, f->inputs.count, it->value);
    return status;
}

/* What comes out must be numbers. */
static dfl_status take_outputs(double *discrete, const int *target, struct dfl_run_foreign *it,
                               dfl_context *ctx, const dfl_foreign *f)
{
    double *value = it->value + f->inputs.count;
    dfl_status status = f->outputs.count > 0
                            ? dfl_guest_get(it->guest, f->outputs.item, f->outputs.count, value)
                            : DFL_OK;
    for (int i = 0; !status && i < f->outputs.count; i++) {
        if (!isfinite(value[i]))
            return dfl_fail(ctx, DFL_CALLBACK, "its output number %d is not finite", i + 1);
        discrete[-1 - target[i]] = value[i];
    }
    return status;
}

int dfl_foreign_exchange(int action, double t, double *discrete, void *user)
{
    dfl_runnable *run = user;
    if (action < 0) {
        end_all(run);
        return 0;
    }
    const dfl_carried_action *table = &run->actions.table[action];
    const dfl_model *model = run->eq->model;
    const dfl_foreign *f = &model->actions.foreigns.item[table->foreign - 1];
    struct dfl_run_foreign *it = &run->foreign[table->foreign - 1];
    for (int i = 0; i < f->inputs.count; i++)
        it->value[i] = discrete[-1 - table->target[i]];
    dfl_status status = it->guest ? go_on(it, run->ctx, f, t) : begin(it, run->ctx, f, t);
    if (!status)
        status = take_outputs(discrete, table->target + f->inputs.count, it, run->ctx, f);
    it->t = t;
    if (status)
        dfl_model_fail(model, model->actions.list.item[action].line, "fmu '%s' at t = %.10g s: %s",
                       f->name, t, dfl_message(run->ctx));
    return status != DFL_OK;
}
