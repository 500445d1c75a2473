/* advice.c: what a user should hear about massless directions although the model runs: given velocities that
   were not the user's to give, negative damping, masses next to nothing. */
#include "model/diagnosis.h"
#include "model/equations_internal.h"
#include "model/runnable_internal.h"

#include <math.h>

static dfl_status advise_velocities(dfl_runnable *run, double t, const double *x,
                                    dfl_advice_fn tell, void *user);
static bool is_given(const dfl_equations *eq, int velocity);
static dfl_status advise_damping(dfl_runnable *run, double t, const double *x, dfl_advice_fn tell,
                                 void *user);
static void advise_mass(const dfl_runnable *run, dfl_advice_fn tell, void *user);

dfl_status dfl_runnable_advise(dfl_runnable *run, double t, const double *x, dfl_advice_fn tell,
                               void *user)
{
    dfl_status status = DFL_OK;
    advise_mass(run, tell, user);
    if (run->eq->n0 > 0)
        status = advise_velocities(run, t, x, tell, user);
    if (!status && run->eq->n0 > 0)
        status = advise_damping(run, t, x, tell, user);
    return status;
}

/* Guesses of velocities that the balance of forces has replaced. */
static dfl_status advise_velocities(dfl_runnable *run, double t, const double *x,
                                    dfl_advice_fn tell, void *user)
{
    const dfl_equations *eq = run->eq;
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    const dfl_numbers numbers = dfl_runnable_numbers(run, t, x, NULL);
    double *K0 = dfl_alloc(run->ctx, (size_t)eq->nv * (size_t)eq->n0, sizeof *K0);
    double *given = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *given);
    bool *held = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *held);
    dfl_status status =
        K0 && given && held ? dfl_numbers_matrix(K0, &numbers, eq, &eq->K0) : DFL_NO_MEMORY;
    if (!status)
        dfl_runnable_given(given, held, run);
    for (int j = 0; !status && j < eq->nv; j++) {
        double share = 0.0;
        for (int k = 0; k < eq->n0; k++)
            share = fmax(share, fabs(K0[j + k * eq->nv]));
        const double change = fabs(x[v + j] - given[v + j]);
        if (!is_given(eq, j) || share < 1e-9 || change <= 1e-6 * (1.0 + fabs(x[v + j])))
            continue;
        dfl_text text = {.ctx = run->ctx};
        dfl_text_add(&text,
                     "%s starts at %.6g, not at %.6g: it follows from the balance of forces along "
                     "a massless direction",
                     eq->x[v + j].name, x[v + j], given[v + j]);
        tell(dfl_text_string(&text), user);
        dfl_text_clear(&text);
    }
    dfl_free(run->ctx, K0);
    dfl_free(run->ctx, given);
    dfl_free(run->ctx, held);
    return status;
}

static bool is_given(const dfl_equations *eq, int velocity)
{
    for (int i = 0; i < eq->model->nstarts; i++)
        if (eq->model->starts[i].symbol == dfl_equations_v(eq)[velocity].symbol)
            return true;
    return false;
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

static void advise_mass(const dfl_runnable *run, dfl_advice_fn tell, void *user)
{
    const dfl_equations *eq = run->eq;
    if (eq->negligible < 0)
        return;
    dfl_text text = {.ctx = run->ctx};
    dfl_text_add(&text,
                 "the mass that %s moves by itself is negligible (%.1e of all it moves): set it to "
                 "0, and fast vibrations of no interest vanish",
                 dfl_equations_v(eq)[eq->negligible].name, eq->negligible_ratio);
    tell(dfl_text_string(&text), user);
    dfl_text_clear(&text);
}
