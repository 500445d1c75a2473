/* start_advice.c: advice to the user about a model that runs: a configuration that was chosen
   automatically; along massless directions, given velocities that were replaced and negative
   damping; negligible masses. */
#include "study/study_internal.h"

#include <math.h>

static dfl_status advise_choice(const dfl_runnable *run, const double *x, dfl_advice_fn tell,
                                void *user);
static dfl_status advise_velocities(dfl_runnable *run, double t, const double *x,
                                    dfl_advice_fn tell, void *user);
static dfl_status advise_damping(dfl_runnable *run, double t, const double *x, dfl_advice_fn tell,
                                 void *user);
static dfl_status advise_mass(const dfl_runnable *run, dfl_advice_fn tell, void *user);

dfl_status dfl_study_advise(dfl_runnable *run, double t, const double *x, bool chosen,
                            dfl_advice_fn tell, void *user)
{
    dfl_status status = DFL_OK;
    for (int i = 0; i < eq_of(run)->model->warnings.count; i++)
        tell(eq_of(run)->model->warnings.item[i], user);
    if (chosen)
        status = advise_choice(run, x, tell, user);
    if (!status)
        status = advise_mass(run, tell, user);
    if (!status && eq_of(run)->n0 > 0)
        status = advise_velocities(run, t, x, tell, user);
    if (!status && eq_of(run)->n0 > 0)
        status = advise_damping(run, t, x, tell, user);
    return status;
}

/* Tells a text that is complete. */
static dfl_status pass_on(dfl_text *text, dfl_advice_fn tell, void *user)
{
    const dfl_status status = text->status;
    if (!status)
        tell(dfl_text_string(text), user);
    dfl_text_clear(text);
    return status;
}

/* Several configurations are equally near to what was drawn or given. */
static dfl_status advise_choice(const dfl_runnable *run, const double *x, dfl_advice_fn tell,
                                void *user)
{
    const dfl_equations *eq = eq_of(run);
    dfl_text text = {.ctx = ctx_of(run)};
    int named = 0;
    dfl_text_add(&text, "the drawing or guess is a singular position, from which the constraints "
                        "can be closed in more than one way; the chosen one has");
    for (int i = 0; i < eq->np && named < 4; i++) {
        const dfl_variable *p = &dfl_equations_p(eq)[i];
        const double value = x[eq->n - eq->np + i];
        if (!dfl_model_mentioned(eq->model, p->symbol) && fabs(value) > 1e-6)
            dfl_text_add(&text, "%s %s = %.4g", named++ ? "," : "", p->name, value);
    }
    dfl_text_add(&text, "; guess one of these values to choose another");
    return pass_on(&text, tell, user);
}

/* Guesses of velocities that the balance of forces has replaced. */
static dfl_status advise_velocities(dfl_runnable *run, double t, const double *x,
                                    dfl_advice_fn tell, void *user)
{
    const dfl_equations *eq = eq_of(run);
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    dfl_blocks blocks;
    double *given = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *given);
    bool *held = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *held);
    dfl_status status = dfl_state_blocks_create(&blocks, run, DFL_DIRECTIONS, t, x);
    if (!given || !held)
        status = DFL_NO_MEMORY;
    if (!status)
        dfl_study_given(given, held, run);
    for (int j = 0; !status && j < eq->nv; j++) {
        double share = 0.0;
        for (int k = 0; k < eq->n0; k++)
            share = fmax(share, fabs(blocks.K0[j + k * eq->nv]));
        const double change = fabs(x[v + j] - given[v + j]);
        if (!dfl_model_mentioned(eq->model, eq->x[v + j].symbol) || share < 1e-9 ||
            change <= 1e-6 * (1.0 + fabs(x[v + j])))
            continue;
        dfl_text text = {.ctx = ctx_of(run)};
        dfl_text_add(&text,
                     "%s starts at %.6g, not at %.6g: it follows from the balance of forces along "
                     "a massless direction",
                     eq->x[v + j].name, x[v + j], given[v + j]);
        status = pass_on(&text, tell, user);
    }
    dfl_state_blocks_free(&blocks, run);
    dfl_free(ctx_of(run), given);
    dfl_free(ctx_of(run), held);
    return status;
}

static dfl_status advise_damping(dfl_runnable *run, double t, const double *x, dfl_advice_fn tell,
                                 void *user)
{
    dfl_massless_kinds kinds;
    const dfl_status status = dfl_diagnose_massless(&kinds, run, t, x);
    if (!status && kinds.negative_damping)
        tell("negative damping on a massless direction: the solution is not the limit of small "
             "masses",
             user);
    dfl_massless_kinds_clear(&kinds);
    return status;
}

static dfl_status advise_mass(const dfl_runnable *run, dfl_advice_fn tell, void *user)
{
    const dfl_equations *eq = eq_of(run);
    if (eq->massless.negligible < 0)
        return DFL_OK;
    dfl_text text = {.ctx = ctx_of(run)};
    dfl_text_add(&text,
                 "the mass that %s moves by itself is negligible (%.1e of all it moves): set it to "
                 "0 to remove fast vibrations of no interest",
                 dfl_equations_v(eq)[eq->massless.negligible].name, eq->massless.negligible_ratio);
    return pass_on(&text, tell, user);
}
