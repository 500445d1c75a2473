/* drive_impulses.c: impulses of drives whose joints have no coordinate.

   A drive gives what the momentum along its motion gains over an instant, beyond what constraints
   and contacts give: it is seen where a motion has a kink, also if no velocity jumps, and where
   bodies that it carries collide. */
#include "study/study_internal.h"

#include "declare/declare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOMENTUM, RATE, MOTION, NUMBERS }; /* of dfl_runnable_drive_momenta */

static bool velocities_jump(const dfl_equations *eq, const dfl_instant *instant);
static void take_impulses(dfl_simulation *sim, const dfl_instant *instant);
static void take_contact(double *x, const dfl_simulation *sim, const dfl_instant *instant);
static bool has_kink(const dfl_simulation *sim, double t);

dfl_status dfl_study_drives_create(dfl_simulation *sim, const char **names)
{
    const size_t count = (size_t)dfl_runnable_drives(sim->run);
    sim->switched.drives.names = dfl_alloc(sim->ctx, count, sizeof *sim->switched.drives.names);
    sim->switched.drives.before = dfl_alloc(sim->ctx, (2 * NUMBERS + 1) * count, sizeof(double));
    sim->switched.drives.state = dfl_alloc(sim->ctx, (size_t)sim->eq->n, sizeof(double));
    if (!sim->switched.drives.names || !sim->switched.drives.before || !sim->switched.drives.state)
        return DFL_NO_MEMORY;
    sim->switched.drives.after = sim->switched.drives.before + NUMBERS * count;
    sim->switched.drives.impulse = sim->switched.drives.before + 2 * NUMBERS * count;
    for (size_t i = 0; i < count; i++) {
        dfl_text text = {.ctx = sim->ctx};
        dfl_text_add(&text, "%s.drive", dfl_runnable_drive_name(sim->run, (int)i));
        names[i] = sim->switched.drives.names[i] =
            text.status ? NULL : dfl_copy_string(sim->ctx, dfl_text_string(&text));
        dfl_text_clear(&text);
        if (!names[i])
            return DFL_NO_MEMORY;
    }
    return DFL_OK;
}

void dfl_study_drives_clear(dfl_simulation *sim)
{
    for (int i = 0; sim->switched.drives.names && i < dfl_runnable_drives(sim->run); i++)
        dfl_free(sim->ctx, sim->switched.drives.names[i]);
    dfl_free(sim->ctx, sim->switched.drives.names);
    dfl_free(sim->ctx, sim->switched.drives.before);
    dfl_free(sim->ctx, sim->switched.drives.state);
}

void dfl_study_drives_begin(dfl_simulation *sim, double t, const double *x)
{
    const dfl_equations *eq = sim->eq;
    double *state = sim->switched.drives.state;
    if (dfl_runnable_drives(sim->run) == 0)
        return;
    memcpy(state, x, (size_t)eq->n * sizeof *state);
    memset(state + eq->nw, 0, (size_t)(eq->nl + eq->nm) * sizeof *state);
    dfl_runnable_drive_momenta(sim->switched.drives.before, sim->run, t, state);
}

bool dfl_study_drives_jump(dfl_simulation *sim, const dfl_instant *instant)
{
    if (dfl_runnable_drives(sim->run) == 0)
        return false;
    take_impulses(sim, instant);
    const bool kink = has_kink(sim, instant->t);
    const bool told = !kink || velocities_jump(sim->eq, instant);
    const double *impulse = sim->switched.drives.impulse;
    for (int i = 0; i < dfl_runnable_drives(sim->run) && !told; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "the motion of '%.60s' has a kink at t = %.10g: its drive has an impulse of %.4g",
                 dfl_runnable_drive_name(sim->run, i), instant->t, impulse[i]);
        if (impulse[i] != 0)
            dfl_study_tell(DFL_LOG_WARNING, text, sim);
    }
    dfl_study_drives_begin(sim, instant->t, instant->after);
    return kink;
}

/* The solver warns of these. */
static bool velocities_jump(const dfl_equations *eq, const dfl_instant *instant)
{
    const int first = eq->nw + eq->nl + eq->nm + eq->nr;
    bool jump = false;
    for (int i = first; i < first + eq->nv; i++) {
        const double was = instant->before[i], is = instant->after[i];
        jump = jump || fabs(is - was) > 1e-9 * fmax(fabs(is), fabs(was));
    }
    return jump;
}

/* Zero where they are rounding, or where the impulses of constraints are not known. */
static void take_impulses(dfl_simulation *sim, const dfl_instant *instant)
{
    const dfl_equations *eq = sim->eq;
    const int count = dfl_runnable_drives(sim->run), rows = eq->nl + eq->nm;
    const bool known = instant->rows || rows == 0 || !velocities_jump(eq, instant);
    double *state = sim->switched.drives.state, *after = sim->switched.drives.after, size = 0;
    const double *before = sim->switched.drives.before;
    memcpy(state, instant->after, (size_t)eq->n * sizeof *state);
    memset(state + eq->nw, 0, (size_t)rows * sizeof *state);
    if (instant->rows)
        memcpy(state + eq->nw, instant->rows, (size_t)rows * sizeof *state);
    if (instant->contact >= 0)
        take_contact(state, sim, instant);
    dfl_runnable_drive_momenta(after, sim->run, instant->t, state);
    for (int i = 0; i < count; i++)
        size = fmax(size, fmax(fabs(before[NUMBERS * i]), fabs(after[NUMBERS * i])));
    for (int i = 0; i < count; i++) {
        const double impulse = after[NUMBERS * i] - before[NUMBERS * i];
        sim->switched.drives.impulse[i] = known && fabs(impulse) > 1e-9 * size ? impulse : 0;
    }
}

/* A contact's impulse is that of its force, the opposite of its multiplier. */
static void take_contact(double *x, const dfl_simulation *sim, const dfl_instant *instant)
{
    const dfl_equations *eq = sim->eq;
    const dfl_touch *touch = &eq->model->actions.touches.item[instant->contact];
    if (touch->normal >= 0)
        x[eq->nw + eq->model->declarations.item[touch->normal].index] = -instant->impulse[0];
    for (int k = 0; k < 2; k++)
        if (touch->tangent[k] >= 0)
            x[eq->nw + eq->nl + eq->model->declarations.item[touch->tangent[k]].index] =
                -instant->impulse[1 + k];
}

/* A change of speed beyond the rounding of a motion that has come to its present value. */
static bool has_kink(const dfl_simulation *sim, double t)
{
    const double *before = sim->switched.drives.before, *after = sim->switched.drives.after;
    const double past = t - sim->settings->from;
    bool kink = false;
    for (int i = 0; i < NUMBERS * dfl_runnable_drives(sim->run); i += NUMBERS) {
        const double was = before[i + RATE], is = after[i + RATE];
        const double usual = past > 0 ? fabs(after[i + MOTION]) / past : INFINITY;
        kink = kink || fabs(is - was) > 1e-9 * (fmax(fabs(is), fabs(was)) + usual);
    }
    return kink;
}
