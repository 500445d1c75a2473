/* directional.c: derivatives of outputs, unknowns and rates along a direction of states, inputs,
   parameters and time at one instant: of the tapes, by the chain rule, where linear equations give
   the accelerations; otherwise by differences. */
#include "fmu/fmu.h"

#include <string.h>

typedef struct slopes {
    double *room;
    double *x, *param, *input, t;           /* the direction */
    double *point;                          /* where it begins */
    double *done, *rate, *out, *indicators; /* derivatives of unknowns, their rates, outputs, ... */
} slopes;

static bool is_state(const dfl_fmu *fmu, int index)
{
    return index >= dfl_eom_layout(&fmu->model->eom).r;
}

/* Whether there are such derivatives; otherwise it says so. */
static bool may_derive(dfl_fmu *fmu, const unsigned *unknown, size_t nunknown,
                       const unsigned *known, size_t nknown)
{
    bool may = true;
    int index;
    for (size_t i = 0; i < nunknown; i++) {
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, unknown[i]);
        may = may && kind >= DFL_REF_OUTPUT && kind < DFL_REF_NONE;
    }
    for (size_t k = 0; k < nknown; k++) {
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, known[k]);
        may = may && (kind <= DFL_REF_INPUT || (kind == DFL_REF_UNKNOWN && is_state(fmu, index)));
    }
    if (!may)
        dfl_fmu_refuse(fmu, "a directional derivative of or by a variable that has none");
    return may;
}

static bool make_slopes(slopes *s, dfl_fmu *fmu)
{
    const dfl_carried *m = fmu->model;
    const size_t n = (size_t)m->n;
    s->room = dfl_alloc(
        fmu->ctx, 4 * n + (size_t)(m->nparams + m->ninputs + m->noutputs + fmu->counts.indicators),
        sizeof *s->room);
    if (!s->room)
        return false;
    s->x = s->room;
    s->point = s->x + n;
    s->done = s->point + n;
    s->rate = s->done + n;
    s->out = s->rate + n;
    s->param = s->out + m->noutputs;
    s->input = s->param + m->nparams;
    s->indicators = s->input + m->ninputs;
    return true;
}

static void take_seed(slopes *s, const dfl_fmu *fmu, const unsigned *known, size_t count,
                      const double *seed)
{
    for (size_t k = 0; k < count; k++) {
        int index;
        switch (dfl_reference_find(&index, &fmu->counts, known[k])) {
        case DFL_REF_TIME:
            s->t += seed[k];
            break;
        case DFL_REF_PARAM:
            s->param[index] += seed[k];
            break;
        case DFL_REF_INPUT:
            s->input[index] += seed[k];
            break;
        default:
            s->x[index] += seed[k];
        }
    }
}

/* All derivatives. x and rate of the instance are not those of its state afterwards. */
static bool derive(slopes *s, dfl_fmu *fmu)
{
    const dfl_layout at = dfl_eom_layout(&fmu->model->eom);
    dfl_carried_direction along = {s->t, s->x, NULL, s->param, s->input};
    memcpy(fmu->spare, s->point, (size_t)fmu->model->n * sizeof *fmu->spare);
    if (dfl_fmu_evaluate(fmu, fmu->rate, fmu->spare) ||
        !dfl_exchange_tangent(s->rate, s->done, fmu->exchange, fmu->run, fmu->t, s->point,
                              fmu->spare, &along))
        return false;
    along.x = s->done;
    along.a = s->rate + at.v;
    return !dfl_carried_tangent(&s->out, fmu->run, DFL_CARRY_OUTPUTS, fmu->t, fmu->spare,
                                fmu->rate + at.v, &along) &&
           !dfl_carried_indicate_tangent(s->indicators, fmu->run, fmu->t, fmu->spare, &along);
}

static dfl_fmu_status derive_exactly(dfl_fmu *fmu, const unsigned *unknown, size_t nunknown,
                                     const unsigned *known, size_t nknown, const double *seed,
                                     double *sensitivity)
{
    slopes s = {.room = NULL};
    bool ok = make_slopes(&s, fmu);
    if (ok) {
        memcpy(s.point, fmu->outside ? fmu->state : fmu->x, (size_t)fmu->model->n * sizeof *s.x);
        take_seed(&s, fmu, known, nknown, seed);
        ok = derive(&s, fmu);
    }
    for (size_t i = 0; ok && i < nunknown; i++) {
        int index;
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, unknown[i]);
        sensitivity[i] = kind == DFL_REF_OUTPUT     ? s.out[index]
                         : kind == DFL_REF_UNKNOWN  ? s.done[index]
                         : kind == DFL_REF_RATE     ? s.rate[index]
                         : dfl_fmu_acts(fmu, index) ? 0
                                                    : s.indicators[index];
    }
    dfl_free(fmu->ctx, s.room);
    return ok ? DFL_FMU_OK : dfl_fmu_refuse(fmu, "a directional derivative cannot be found here");
}

dfl_fmu_status dfl_fmu_directional(dfl_fmu *fmu, const unsigned *unknown, size_t nunknown,
                                   const unsigned *known, size_t nknown, const double *seed,
                                   double *sensitivity)
{
    if (!may_derive(fmu, unknown, nunknown, known, nknown) || dfl_fmu_complete(fmu))
        return DFL_FMU_ERROR;
    memset(sensitivity, 0, nunknown * sizeof *sensitivity);
    const dfl_fmu_status status = (fmu->exchange ? derive_exactly : dfl_fmu_differences)(
        fmu, unknown, nunknown, known, nknown, seed, sensitivity);
    fmu->known = fmu->reported = false;
    return status;
}
