/* gradient_curves.c: derivatives in the rows of a run's files: of the wanted values behind the
   outputs, of every number of the scene behind the scene. */
#include "study/gradient_internal.h"

#include "declare/declare.h"

#include <string.h>

static dfl_status add_derivatives(double *outputs, double *scene, dfl_simulation *sim, double t,
                                  const double *x);
static dfl_status prepare_scene(gradient_run *it);

void dfl_gradient_curves_take(dfl_simulation *sim, const gradient_run *it)
{
    if (!it->record)
        return;
    sim->record = it->record;
    sim->more = add_derivatives;
    sim->nmore = it->nof * it->count;
    sim->nmore_scene = dfl_scene_columns(sim->eq->model) * it->count;
}

dfl_status dfl_gradient_curves_begin(gradient_run *it)
{
    return it->record && dfl_record_takes_scene(it->record) ? prepare_scene(it) : DFL_OK;
}

static dfl_status prepare_scene(gradient_run *it)
{
    const dfl_equations *eq = eq_of(it->run);
    const int count = dfl_scene_columns(eq->model);
    dfl_expr *rows = dfl_exprs(eq, count);
    it->place =
        dfl_alloc(ctx_of(it->run), (size_t)count * (size_t)(1 + it->count), sizeof *it->place);
    dfl_status status = rows && it->place ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0, next = 0; !status && i < eq->model->shapes.count; i++) {
        const dfl_shape *shape = &eq->model->shapes.item[i];
        for (int k = 0; k < shape->ncolumns; k++)
            if (!dfl_is_constant(eq->graph, shape->column[k]))
                rows[next++] = shape->column[k];
    }
    if (!status)
        status = dfl_totals_create(&it->scene, it, rows, count);
    dfl_free(ctx_of(it->run), rows);
    return status;
}

static dfl_status add_derivatives(double *outputs, double *scene, dfl_simulation *sim, double t,
                                  const double *x)
{
    gradient_run *it = sim->user;
    const int rows = it->wanted.nrows, shown = it->scene.nrows;
    double *slope = it->found + rows;
    dfl_status status = dfl_totals_evaluate(it->found, slope, &it->wanted, it, sim->solver, t, x);
    for (int i = 0; !status && i < it->nof; i++)
        for (int j = 0; j < it->count; j++)
            outputs[i * it->count + j] = slope[j * rows + it->wanted_row[i]];
    if (!status && scene && it->scene.probe)
        status =
            dfl_totals_evaluate(it->place, it->place + shown, &it->scene, it, sim->solver, t, x);
    if (!status && scene && it->scene.probe)
        memcpy(scene, it->place + shown, (size_t)shown * (size_t)it->count * sizeof *scene);
    return status;
}

dfl_status dfl_gradient_curves_close(gradient_run *it, dfl_summary *summary, dfl_status status)
{
    const dfl_status closed = it->record ? dfl_record_close(it->record, summary) : DFL_OK;
    return status ? status : closed;
}

void dfl_gradient_curves_clear(gradient_run *it)
{
    dfl_totals_clear(&it->scene, ctx_of(it->run));
    dfl_free(ctx_of(it->run), it->place);
}
