/* fmu_states.c: states that the caller integrates, states as bytes, derivatives. */
#include "fmu/fmu.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------- model exchange */

int dfl_fmu_states(const dfl_fmu *fmu)
{
    return fmu->model->eom.np + fmu->model->eom.nv + fmu->model->eom.nr;
}

/* The place of state k in x. */
static int place_of(const dfl_fmu *fmu, int k)
{
    const dfl_eom *eom = &fmu->model->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    if (k < eom->np)
        return at.p + k;
    return k < eom->np + eom->nv ? at.v + k - eom->np : at.r + k - eom->np - eom->nv;
}

void dfl_fmu_set_states(dfl_fmu *fmu, const double *state)
{
    for (int k = 0; k < dfl_fmu_states(fmu); k++)
        fmu->state[place_of(fmu, k)] = state[k];
    fmu->known = false;
}

void dfl_fmu_get_states(dfl_fmu *fmu, double *state)
{
    for (int k = 0; k < dfl_fmu_states(fmu); k++)
        state[k] = fmu->state[place_of(fmu, k)];
}

/* complete() of fmu.c, by reading the derivative of a variable. */
static dfl_fmu_status complete_state(dfl_fmu *fmu)
{
    const unsigned reference = dfl_value_reference(&fmu->counts, DFL_REF_RATE, 0);
    double value;
    return fmu->model->n > 0 ? dfl_fmu_get(fmu, &reference, 1, &value) : DFL_FMU_OK;
}

dfl_fmu_status dfl_fmu_rates(dfl_fmu *fmu, double *rate)
{
    const dfl_fmu_status status = complete_state(fmu);
    for (int k = 0; !status && k < dfl_fmu_states(fmu); k++)
        rate[k] = fmu->rate[place_of(fmu, k)];
    return status;
}

void dfl_fmu_set_time(dfl_fmu *fmu, double t)
{
    fmu->t = t;
    fmu->known = false;
}

dfl_fmu_status dfl_fmu_indicate(dfl_fmu *fmu, double *value)
{
    const dfl_fmu_status status = complete_state(fmu);
    if (!status)
        dfl_carried_indicate(value, fmu->run, fmu->t, fmu->x);
    return status;
}

/* Which events have passed zero since the last completed step; one that ends the run, or fails. */
static dfl_fmu_status watch_events(dfl_fmu *fmu, bool *stopped)
{
    const dfl_carried *m = fmu->model;
    const double *value = fmu->indicators;
    dfl_fmu_status status = dfl_fmu_indicate(fmu, fmu->indicators);
    for (int i = 0; !status && i < m->nevents; i++) {
        const double now = value[m->branching.switches.count + i];
        const int direction = m->event_kinds[i].direction;
        const bool passed = fmu->event[i] * now < 0 && direction * now >= 0;
        if (passed && m->event_kinds[i].terminal && m->event_failures[i])
            status = dfl_fmu_refuse(fmu, m->event_failures[i]);
        *stopped = *stopped || (passed && m->event_kinds[i].terminal);
        fmu->event[i] = now;
    }
    return status;
}

/* Of the positions of the caller from the constraints; the state is complete. */
static void find_distance(double *change, double *size, dfl_fmu *fmu)
{
    const int p = dfl_eom_layout(&fmu->model->eom).p;
    if (fmu->exchange) {
        dfl_exchange_distance(change, size, fmu->exchange, fmu->t, fmu->state);
        return;
    }
    for (int i = p; i < p + fmu->model->eom.np; i++) {
        *change = fmax(*change, fabs(fmu->x[i] - fmu->state[i]));
        *size = fmax(*size, fabs(fmu->state[i]));
    }
}

dfl_fmu_status dfl_fmu_completed(dfl_fmu *fmu, bool *event, bool *stopped)
{
    double change = 0, size = 0;
    *stopped = false;
    const dfl_fmu_status status = watch_events(fmu, stopped);
    if (!status)
        find_distance(&change, &size, fmu);
    *event = change > fmu->model->projection * (size > 0 ? size : 1);
    return status;
}

dfl_fmu_status dfl_fmu_update(dfl_fmu *fmu, bool *moved, bool *stopped)
{
    const size_t bytes = (size_t)fmu->model->n * sizeof *fmu->x;
    *moved = *stopped = false;
    dfl_fmu_status status = complete_state(fmu);
    if (!status)
        status = watch_events(fmu, stopped);
    if (!status)
        status = dfl_fmu_report(fmu, dfl_carried_move(fmu->run, fmu->t, fmu->x));
    if (status)
        return status;
    const double *x = dfl_carried_state(fmu->run);
    *moved = memcmp(x, fmu->state, bytes) != 0;
    memcpy(fmu->state, x, bytes);
    fmu->known = false;
    return DFL_FMU_OK;
}
