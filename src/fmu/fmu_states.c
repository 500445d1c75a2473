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

dfl_fmu_status dfl_fmu_rates(dfl_fmu *fmu, double *rate)
{
    const dfl_fmu_status status = dfl_fmu_complete(fmu);
    for (int k = 0; !status && k < dfl_fmu_states(fmu); k++)
        rate[k] = fmu->rate[place_of(fmu, k)];
    return status;
}

void dfl_fmu_set_time(dfl_fmu *fmu, double t)
{
    fmu->t = t;
    fmu->known = false;
}

/* Switching functions, then event functions, as they are. */
static dfl_fmu_status find_functions(dfl_fmu *fmu, double *value)
{
    const dfl_fmu_status status = dfl_fmu_complete(fmu);
    if (!status)
        dfl_carried_indicate(value, fmu->run, fmu->t, fmu->x);
    return status;
}

bool dfl_fmu_acts(const dfl_fmu *fmu, int indicator)
{
    const dfl_branching_tables *m = &fmu->model->branching;
    const int event = indicator - m->switches.count;
    return event >= 0 && m->acting && m->acting[event];
}

dfl_fmu_status dfl_fmu_indicate(dfl_fmu *fmu, double *value)
{
    const dfl_fmu_status status = find_functions(fmu, value);
    for (int i = 0; !status && i < fmu->model->branching.switches.count; i++)
        value[i] += fmu->lift[i];
    for (int i = 0; !status && i < fmu->counts.indicators; i++)
        if (dfl_fmu_acts(fmu, i)) /* its switching function says when */
            value[i] = 1;
    return status;
}

/* After an event: a function that is at zero, up to rounding, would show no change of sign if it
   went back; a part of what tolerances may change is added. */
static void lift_indicators(dfl_fmu *fmu)
{
    const dfl_branching_tables *m = &fmu->model->branching;
    if (m->switches.count == 0)
        return;
    dfl_carried_noise(fmu->lift, fmu->spare, fmu->run, fmu->t, fmu->x);
    for (int i = 0; i < m->switches.count; i++) {
        const double value = fmu->indicators[i], noise = 0.01 * fmu->lift[i];
        fmu->lift[i] = i >= m->instants.count && value < noise ? noise - fmin(value, 0) : 0;
    }
}

/* Which events have passed zero since the last completed step; one that ends the run, or fails. */
static dfl_fmu_status watch_events(dfl_fmu *fmu, bool *stopped)
{
    const dfl_carried *m = fmu->model;
    const double *value = fmu->indicators;
    dfl_fmu_status status = find_functions(fmu, fmu->indicators);
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

/* An event of the model that ends the run, as a status. */
static dfl_fmu_status report_stop(dfl_fmu *fmu, dfl_status status, bool *stopped)
{
    const int event = dfl_carried_stopped(fmu->run);
    if (status != DFL_STOPPED || event < 0)
        return dfl_fmu_report(fmu, status);
    *stopped = true;
    return fmu->model->event_failures[event]
               ? dfl_fmu_refuse(fmu, fmu->model->event_failures[event])
               : DFL_FMU_OK;
}

dfl_fmu_status dfl_fmu_update(dfl_fmu *fmu, dfl_fmu_events *out)
{
    const dfl_carried *m = fmu->model;
    *out = (dfl_fmu_events){0};
    dfl_fmu_status status = dfl_fmu_complete(fmu);
    if (!status)
        status = watch_events(fmu, &out->stopped);
    if (!status)
        status = report_stop(fmu, dfl_carried_move(fmu->run, fmu->t, fmu->x), &out->stopped);
    if (status)
        return status;
    const double *x = dfl_carried_state(fmu->run);
    out->moved = memcmp(x, fmu->state, (size_t)m->n * sizeof *x) != 0;
    memcpy(fmu->state, x, (size_t)m->n * sizeof *x);
    fmu->known = false;
    status = dfl_fmu_report(fmu, dfl_carried_next_instant(&out->next, fmu->run));
    out->timed = isfinite(out->next);
    out->next = out->timed ? out->next : 0;
    if (!status)
        status = find_functions(fmu, fmu->indicators); /* what has jumped has not passed zero */
    if (!status)
        lift_indicators(fmu);
    for (int i = 0; !status && i < m->nevents; i++)
        fmu->event[i] = fmu->indicators[m->branching.switches.count + i];
    return status;
}
