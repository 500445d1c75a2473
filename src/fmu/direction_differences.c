/* direction_differences.c: derivatives of outputs and rates along a direction of states, inputs and
   parameters where a nonlinear system gives the accelerations: central differences of two widths,
   extrapolated (Richardson), of functions that have little noise but rounding. */
#include "fmu/fmu.h"

#include <math.h>
#include <string.h>

typedef struct direction {
    const unsigned *known;
    size_t count;
    const double *seed;
    const double *x; /* the point */
} direction;

/* The knowns at their values plus `by` times the seed. */
static void shift(dfl_fmu *fmu, const direction *d, double by)
{
    for (size_t k = 0; k < d->count; k++) {
        int index;
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, d->known[k]);
        const double change = by * d->seed[k];
        if (kind == DFL_REF_INPUT)
            dfl_carried_set_input(fmu->run, index, dfl_carried_input(fmu->run, index) + change);
        else if (kind == DFL_REF_PARAM)
            dfl_carried_set_param(fmu->run, index, dfl_carried_param(fmu->run, index) + change);
        else if (kind == DFL_REF_TIME)
            fmu->t += change;
        else
            fmu->spare[index] += change;
    }
}

/* `factor` times what the unknowns are at the shifted knowns is added to `sum`. */
static bool add_values(double *sum, dfl_fmu *fmu, const direction *d, const unsigned *unknown,
                       size_t count, double by, double factor)
{
    memcpy(fmu->spare, d->x, (size_t)fmu->model->n * sizeof *fmu->spare);
    shift(fmu, d, by);
    if (dfl_fmu_evaluate(fmu, fmu->rate, fmu->spare))
        return false;
    dfl_carried_outputs(fmu->outputs, fmu->run, fmu->t, fmu->spare);
    dfl_carried_indicate(fmu->indicators, fmu->run, fmu->t, fmu->spare);
    for (size_t i = 0; i < count; i++) {
        int index;
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, unknown[i]);
        sum[i] += factor * (kind == DFL_REF_OUTPUT     ? fmu->outputs[index]
                            : kind == DFL_REF_UNKNOWN  ? fmu->spare[index]
                            : kind == DFL_REF_RATE     ? fmu->rate[index]
                            : dfl_fmu_acts(fmu, index) ? 0
                                                       : fmu->indicators[index]);
    }
    return true;
}

/* Numbers of the run as they were, to the last bit. */
static void put_back(dfl_fmu *fmu, const direction *d, const double *value)
{
    for (size_t k = 0; k < d->count; k++) {
        int index;
        const dfl_reference_kind kind = dfl_reference_find(&index, &fmu->counts, d->known[k]);
        if (kind == DFL_REF_INPUT)
            dfl_carried_set_input(fmu->run, index, value[k]);
        else if (kind == DFL_REF_PARAM)
            dfl_carried_set_param(fmu->run, index, value[k]);
        else if (kind == DFL_REF_TIME)
            fmu->t = value[k];
    }
}

dfl_fmu_status dfl_fmu_differences(dfl_fmu *fmu, const unsigned *unknown, size_t nunknown,
                                   const unsigned *known, size_t nknown, const double *seed,
                                   double *sensitivity)
{
    static const struct {
        double by, factor;
    } points[] = {{1, -1.0 / 6}, {-1, 1.0 / 6}, {0.5, 4.0 / 3}, {-0.5, -4.0 / 3}};
    double *value = dfl_alloc(fmu->ctx, nknown + (size_t)fmu->model->n, sizeof *value);
    if (!value || dfl_fmu_get(fmu, known, nknown, value)) {
        dfl_free(fmu->ctx, value);
        return dfl_fmu_refuse(fmu, "directional derivatives cannot be found here");
    }
    const bool changed = dfl_carried_changed(fmu->run);
    double *x = value + nknown, largest = 0, size = 0;
    memcpy(x, fmu->outside ? fmu->state : fmu->x, (size_t)fmu->model->n * sizeof *x);
    const direction d = {known, nknown, seed, x};
    for (size_t k = 0; k < nknown; k++) {
        largest = fmax(largest, fabs(seed[k]));
        size = fmax(size, fabs(value[k]));
    }
    const double width = largest > 0 ? 1e-3 * fmax(size, 1e-2) / largest : 1;
    bool ok = true;
    for (int i = 0; ok && largest > 0 && i < 4; i++) {
        ok = add_values(sensitivity, fmu, &d, unknown, nunknown, points[i].by * width,
                        points[i].factor / width);
        put_back(fmu, &d, value);
    }
    dfl_carried_set_changed(fmu->run, changed);
    dfl_free(fmu->ctx, value);
    return ok ? DFL_FMU_OK : DFL_FMU_ERROR;
}
