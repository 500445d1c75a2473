/* tree_engine.c: the tree of bodies of a model in the blocks of its equations: programs evaluate
   what is declared as expressions, the tree adds masses, forces and rows of loops. */
#include "engine/tree_engine.h"

#include "engine/engine_internal.h"
#include "engine/massless_blocks.h"

#include <string.h>

struct dfl_tree_engine {
    dfl_runnable *run;
    dfl_tree_state *state;
    dfl_massless_blocks *massless; /* NULL unless massless directions are left */
    double *gam;                   /* n0 */
    double *driven;                /* prescribed motions of joints, 3 numbers each */
};

static void place(dfl_tree_engine *engine, double t, const double *x);
static void add_time(double *drift, dfl_tree_engine *engine, double t, const double *x);

dfl_status dfl_tree_engine_create(dfl_tree_engine **out, dfl_runnable *run)
{
    const dfl_numbers numbers = dfl_runnable_numbers(run, 0.0, NULL, NULL);
    *out = NULL;
    dfl_tree_engine *engine = dfl_alloc(run->ctx, 1, sizeof *engine);
    if (!engine)
        return DFL_NO_MEMORY;
    engine->run = run;
    engine->driven =
        dfl_alloc(run->ctx, (size_t)(3 * run->eq->model->tree->ndrives), sizeof *engine->driven);
    engine->gam = dfl_alloc(run->ctx, (size_t)run->eq->n0, sizeof *engine->gam);
    dfl_status status = engine->driven && engine->gam
                            ? dfl_tree_state_create(&engine->state, run->eq, &numbers)
                            : DFL_NO_MEMORY;
    if (!status && run->eq->n0 > 0)
        status = dfl_massless_blocks_create(&engine->massless, run, engine->state);
    if (status)
        dfl_tree_engine_free(engine);
    else
        *out = engine;
    return status;
}

void dfl_tree_engine_free(dfl_tree_engine *engine)
{
    if (!engine)
        return;
    dfl_context *ctx = engine->run->ctx;
    dfl_massless_blocks_free(engine->massless);
    dfl_tree_state_free(engine->state);
    dfl_free(ctx, engine->driven);
    dfl_free(ctx, engine->gam);
    dfl_free(ctx, engine);
}

dfl_status dfl_tree_engine_update(dfl_tree_engine *engine)
{
    const dfl_numbers numbers = dfl_runnable_numbers(engine->run, 0.0, NULL, NULL);
    return dfl_tree_state_update(engine->state, &numbers);
}

dfl_tree_state *dfl_tree_engine_state(const dfl_tree_engine *engine)
{
    return engine->state;
}

static void place(dfl_tree_engine *engine, double t, const double *x)
{
    dfl_runnable_evaluate(&engine->run->drives, engine->run, t, x, NULL, &engine->driven);
    dfl_tree_state_place(engine->state, x, engine->driven);
}

int dfl_tree_engine_eval(dfl_blocks *out, dfl_tree_engine *engine, double t, const double *x,
                         unsigned need)
{
    const unsigned added = DFL_FORCE | DFL_POSITION | DFL_VELOCITY | DFL_DIRECTIONS | DFL_BIAS;
    if (!(need & added))
        return 0;
    place(engine, t, x);
    dfl_tree_state_rows(out, engine->state, need);
    if (need & DFL_FORCE)
        dfl_tree_state_forces(out->f, engine->state);
    if (engine->massless && need & (DFL_VELOCITY | DFL_DIRECTIONS))
        return dfl_massless_blocks_eval(out, engine->massless, t, x, need);
    return 0;
}

void dfl_tree_engine_mass(double *M, dfl_tree_engine *engine, double t, const double *x)
{
    place(engine, t, x);
    dfl_tree_state_mass(M, engine->state);
}

int dfl_tree_engine_jacobian(dfl_jacobian *out, dfl_tree_engine *engine, double t, const double *x,
                             const double *a)
{
    place(engine, t, x);
    dfl_tree_state_slopes(out->dyn, engine->state, a, x + engine->run->eq->nw);
    dfl_tree_state_row_slopes(out, engine->state);
    return engine->massless ? dfl_massless_blocks_jacobian(out->gam, engine->massless, t, x) : 0;
}

void dfl_tree_engine_balance_rate(double *rows, double *drift, dfl_tree_engine *engine, double t,
                                  const double *x)
{
    const dfl_equations *eq = engine->run->eq;
    place(engine, t, x);
    if (!dfl_balance_depends(eq, 1U << DFL_SYM_W | 1U << DFL_SYM_S) &&
        !dfl_massless_blocks_rate(rows, drift, engine->massless, t, x)) {
        if (!eq->flags.autonomous)
            add_time(drift, engine, t, x);
        return;
    }
    memset(rows, 0, (size_t)eq->n0 * (size_t)eq->nv * sizeof *rows);
    memset(drift, 0, (size_t)eq->n0 * sizeof *drift);
}

/* The derivative of gam by time at a fixed state, from differences of fourth order. */
static void add_time(double *drift, dfl_tree_engine *engine, double t, const double *x)
{
    const double step = 1e-4, weight[] = {1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12};
    for (int k = 0; k < 5; k++) {
        const double at = t + (k - 2) * step;
        if (k == 2)
            continue;
        place(engine, at, x);
        dfl_massless_blocks_eval(&(dfl_blocks){.gam = engine->gam}, engine->massless, at, x,
                                 DFL_VELOCITY);
        for (int i = 0; i < engine->run->eq->n0; i++)
            drift[i] += weight[k] * engine->gam[i] / step;
    }
}
