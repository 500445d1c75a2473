/* undamped_modes.c: modes that neither grow nor decay in the linear equations. At rest, forces that
   depend on velocities by terms of higher order, such as 0.1*v^3, still drive them; those that
   brake leave the verdict. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

enum {
    MOST_MODES = 10,   /* that are tried */
    MOST_STATES = 400, /* of models that are tried */
    PHASES = 4
};

static bool is_undamped(const dfl_mode *mode)
{
    return mode->im > mode->doubt && fabs(mode->re) <= mode->doubt;
}

/* x moved in a mode at some phase, so that what moves most does so by a part of its size. */
static void move_in_mode(double *beside, const dfl_linear_model *model, const dfl_modes *modes,
                         int number, const dfl_eom *eom, const double *x, double phase)
{
    const int n = model->linear.n, first = eom->nw + eom->nl + eom->nm;
    double most = 0;
    for (int i = 0; i < n; i++) {
        double re, im;
        dfl_mode_change(&re, &im, &model->linear, modes, number, i);
        beside[i] = re * cos(phase) - im * sin(phase);
        if (i >= first)
            most = fmax(most, hypot(re, im) / dfl_study_size(eom, x, i));
    }
    for (int i = 0; i < n; i++)
        beside[i] = x[i] + (most > 0 ? 1e-3 / most * beside[i] : 0);
}

dfl_status dfl_study_judge_undamped(dfl_linear_model *model, dfl_runnable *run, const double *x,
                                    const dfl_modes *modes)
{
    dfl_context *ctx = ctx_of(run);
    const dfl_eom *eom = dfl_runnable_eom(run);
    const dfl_linearized *linear = &model->linear;
    double *beside = dfl_alloc(ctx, (size_t)linear->n, sizeof *beside);
    dfl_status status = beside ? DFL_OK : DFL_NO_MEMORY;
    const bool bound = eom->nl + eom->nm + eom->nw + eom->ns > 0;
    int tried = 0;
    if (modes->unstable || linear->ny > MOST_STATES)
        tried = MOST_MODES;
    for (int i = 0; !status && !linear->changing && i < modes->count && tried < MOST_MODES; i++) {
        if (!is_undamped(&modes->mode[i]))
            continue;
        tried++;
        for (int k = 0; !status && !linear->changing && k < PHASES; k++) {
            double part;
            move_in_mode(beside, model, modes, i, eom, x, k * 3.14159265358979323846 / PHASES);
            const dfl_status beyond = bound ? dfl_state_polish(beside, ctx, eom, model->t) : DFL_OK;
            const dfl_status found =
                beyond ? beyond : dfl_odd_power(&part, ctx, eom, model->t, beside);
            if (found == DFL_NO_MEMORY)
                status = found;
            else if (!found && part > 1e-9)
                status = dfl_study_doubt(model,
                                         "the mode of %.6g rad/s has no damping, and forces drive "
                                         "it by terms of higher order, which decide",
                                         modes->mode[i].im);
        }
    }
    dfl_free(ctx, beside);
    return status;
}
