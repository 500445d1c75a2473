/* zero_eigenvalues.c: where an eigenvalue is zero, or nearly, terms of higher order decide, unless
   equilibria lie next to the state. */
#include "study/study_internal.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ZEROS = 8,    /* eigenvectors along which equilibria are looked for */
    MOST_STATES = 400, /* of models whose slowest mode is always looked at */
};

/* x moved along a mode, by a part of the size of what moves most; false: nothing moves. */
static bool move_along(double *beside, const dfl_linearized *linear, const dfl_modes *modes,
                       int number, const dfl_eom *eom, const double *x, double part)
{
    const int ny = linear->ny, n = linear->n;
    const double *y = modes->shape + (size_t)modes->mode[number].vector * (size_t)ny;
    double most = 0;
    memset(beside, 0, (size_t)n * sizeof *beside);
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < n; i++)
            beside[i] += linear->X[(size_t)j * (size_t)n + (size_t)i] * y[j];
    const int first = eom->nw + eom->nl + eom->nm; /* not multipliers */
    for (int i = first; i < n; i++)
        most = fmax(most, fabs(beside[i]) / dfl_study_size(eom, x, i));
    for (int i = 0; i < n; i++)
        beside[i] = x[i] + (most > 0 ? part / most * beside[i] : 0);
    return most > 0;
}

/* Whether the state that a search ends in from `beside` is there, and not at x again. */
static bool stays(const double *found, const double *beside, const dfl_eom *eom, int n)
{
    double moved = 0;
    for (int i = n - eom->np - eom->ns - eom->nv - eom->nr; i < n; i++)
        moved = fmax(moved, fabs(found[i] - beside[i]) / dfl_study_size(eom, beside, i));
    return moved <= 0.002;
}

/* Along zero eigenvalues. A steady motion keeps all its speeds; where that is no motion, nothing is
   known. */
static dfl_status look_for_equilibria(dfl_linear_model *model, dfl_runnable *run, const double *x,
                                      const dfl_modes *modes, double *beside, double *found)
{
    const dfl_linearized *linear = &model->linear;
    dfl_context *ctx = ctx_of(run);
    const dfl_eom *eom = dfl_runnable_eom(run);
    const size_t n = (size_t)linear->n;
    const int v = eom->nw + eom->nl + eom->nm + eom->nr;
    const bool steady = linear->kind == DFL_AT_STEADY_MOTION;
    bool *moving = dfl_alloc(ctx, (size_t)eom->nv, sizeof *moving);
    const dfl_equilibrium_options options = {.moving = steady ? moving : NULL};
    dfl_status status = moving ? DFL_OK : DFL_NO_MEMORY;
    int tried = 0;
    for (int i = 0; moving && i < eom->nv; i++)
        moving[i] = fabs(x[v + i]) > 1e-10;
    for (int i = 0; !status && !linear->changing && i < modes->count && tried < MOST_ZEROS; i++) {
        const dfl_mode *mode = &modes->mode[i];
        dfl_equilibrium report;
        if (hypot(mode->re, mode->im) > mode->doubt ||
            !move_along(beside, linear, modes, i, eom, x, 0.02))
            continue;
        tried++;
        memcpy(found, beside, n * sizeof *found);
        const dfl_status result =
            dfl_equilibrium_find(found, &report, ctx, eom, model->t, &options);
        if (result == DFL_NO_MEMORY)
            status = result;
        else if (result ? !steady : !stays(found, beside, eom, (int)n))
            status =
                dfl_study_doubt(model, "an eigenvalue is zero, and there is no equilibrium next to "
                                       "this one: terms of higher order decide");
    }
    dfl_free(ctx, moving);
    return status;
}

/* Real eigenvalues above zero. */
static int growing(const dfl_modes *modes)
{
    int count = 0;
    for (int i = 0; i < modes->count; i++)
        count += modes->mode[i].im == 0 && modes->mode[i].re > modes->mode[i].doubt;
    return count;
}

/* How many there are at a state beside an equilibrium, at rest; -1: unknown. */
static dfl_status count_growing(int *count, double *beside, dfl_runnable *run, double t)
{
    dfl_context *ctx = ctx_of(run);
    dfl_linearized linear = {0};
    dfl_modes modes = {0};
    dfl_status status = dfl_state_polish(beside, ctx, dfl_runnable_eom(run), t);
    if (!status)
        status = dfl_linearize(&linear, ctx, dfl_runnable_eom(run), t, beside, NULL);
    if (!status)
        status = dfl_modes_find(&modes, ctx, linear.ny, linear.A);
    *count = status ? -1 : growing(&modes);
    dfl_modes_clear(&modes);
    dfl_linearized_clear(&linear);
    return status == DFL_NO_MEMORY ? status : DFL_OK;
}

/* Near a fold, where two equilibria meet, positions are known to half of the digits, and the
   slowest eigenvalue changes its sign within that. */
static dfl_status look_for_folds(dfl_linear_model *model, dfl_runnable *run, const double *x,
                                 const dfl_modes *modes, double *beside)
{
    const dfl_linearized *linear = &model->linear;
    const double part = 1e-5;
    double slowest = HUGE_VAL, fastest = 0;
    int number = 0;
    for (int i = 0; i < modes->count; i++) {
        const double size = hypot(modes->mode[i].re, modes->mode[i].im);
        number = size < slowest ? i : number;
        slowest = fmin(slowest, size);
        fastest = fmax(fastest, size);
    }
    if (linear->ny > MOST_STATES && slowest > 1e-4 * fastest)
        return DFL_OK;
    dfl_status status = DFL_OK;
    for (int sign = -1; !status && !linear->changing && sign <= 1; sign += 2) {
        int count = -1;
        if (!move_along(beside, linear, modes, number, dfl_runnable_eom(run), x, sign * part))
            break;
        memset(beside + eq_of(run)->nw + eq_of(run)->nl + eq_of(run)->nm + eq_of(run)->nr, 0,
               (size_t)eq_of(run)->nv * sizeof *beside);
        status = count_growing(&count, beside, run, model->t);
        if (!status && count >= 0 && count != growing(modes))
            status = dfl_study_doubt(
                model,
                "an eigenvalue is nearly zero and changes its sign next to this state: terms "
                "of higher order decide");
    }
    return status;
}

/* Marks positions on which nothing but such positions depends: place and heading, also as seen from
   a body that turns, where they depend on each other. Returns the number of all other states. */
static int mark_along(bool *along, const dfl_linearized *linear)
{
    const int ny = linear->ny;
    int others = 0;
    double most = 0;
    for (int k = 0; k < ny * ny; k++)
        most = fmax(most, fabs(linear->A[k]));
    for (int j = 0; j < ny; j++)
        along[j] = j < linear->npositions;
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < ny * ny; k++)
            if (along[k / ny] && !along[k % ny] && fabs(linear->A[k]) > 1e-12 * most) {
                along[k / ny] = false;
                more = true;
            }
    }
    for (int j = 0; j < ny; j++)
        others += !along[j];
    return others;
}

/* The modes of a steady motion without what moves along with it, which may grow with any power of
   time. */
static dfl_status find_others(dfl_modes *out, const dfl_linearized *linear)
{
    dfl_context *ctx = linear->ctx;
    const size_t ny = (size_t)linear->ny;
    bool *along = dfl_alloc(ctx, ny, sizeof *along);
    double *A = dfl_alloc(ctx, ny * ny, sizeof *A), *to = A;
    dfl_status status = along && A ? DFL_OK : DFL_NO_MEMORY;
    *out = (dfl_modes){0};
    if (!status) {
        const int others = mark_along(along, linear);
        for (size_t k = 0; k < ny * ny; k++)
            if (!along[k / ny] && !along[k % ny])
                *to++ = linear->A[k];
        status = dfl_modes_find(out, ctx, others, A);
    }
    dfl_free(ctx, along);
    dfl_free(ctx, A);
    return status;
}

/* Modes of one frequency that drive each other. */
static dfl_status judge_secular(dfl_linear_model *model, const dfl_modes *modes)
{
    const bool rests = model->linear.kind == DFL_AT_EQUILIBRIUM;
    for (int i = 0; !modes->unstable && i < modes->count; i++) {
        const dfl_mode *mode = &modes->mode[i];
        if (mode->secular && mode->hz > 0)
            return dfl_study_doubt(model,
                                   "modes of the frequency %.6g rad/s drive each other: motions of "
                                   "the linear equations grow with "
                                   "time, and terms of higher order decide",
                                   fabs(mode->im));
        if (mode->secular && rests)
            return dfl_study_doubt(
                model, "an eigenvalue is zero several times, and motions of the linear equations "
                       "grow with the square of time: terms of higher order decide");
    }
    return DFL_OK;
}

dfl_status dfl_study_judge_zeros(dfl_linear_model *model, dfl_runnable *run, const double *x,
                                 const dfl_modes *modes)
{
    const dfl_linearized *linear = &model->linear;
    dfl_context *ctx = ctx_of(run);
    const size_t n = (size_t)eq_of(run)->n;
    if (linear->changing || !linear->X || modes->count == 0 ||
        (modes->unstable && modes->indifferent))
        return DFL_OK;
    double *beside = dfl_alloc(ctx, 2 * n, sizeof *beside);
    dfl_modes others = {0};
    const bool steady = linear->kind == DFL_AT_STEADY_MOTION;
    dfl_status status = !beside ? DFL_NO_MEMORY : steady ? find_others(&others, linear) : DFL_OK;
    if (!status)
        status = judge_secular(model, steady ? &others : modes);
    dfl_modes_clear(&others);
    if (linear->changing)
        ;
    else if (!status && modes->indifferent > 0)
        status = look_for_equilibria(model, run, x, modes, beside, beside + n);
    else if (!status && linear->kind == DFL_AT_EQUILIBRIUM)
        status = look_for_folds(model, run, x, modes, beside);
    if (!status && !linear->changing && linear->kind == DFL_AT_EQUILIBRIUM)
        status = dfl_study_judge_undamped(model, run, x, modes);
    dfl_free(ctx, beside);
    return status;
}
