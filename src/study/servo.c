/* servo.c: motions that no input acts on directly, such as the load of a crane.

   At every time the derivative array (servo_array.h) determines accelerations and inputs from the
   state, and the part of the state that the motions determine (servo_solve.c). The rest of the
   state, if there is any, is integrated: Runge-Kutta 5(4) of J. R. Dormand and P. J. Prince (1980),
   each stage being moved onto the array. */
#include "study/study_internal.h"

#include "study/servo.h"

#include <math.h>
#include <string.h>

enum { STAGES = 7 };

static dfl_status make_room(dfl_servo *it);
static dfl_status open_level(bool *determined, dfl_servo *it, dfl_runnable *run, int level,
                             const int *inputs, int nu, const dfl_servo *lower, const double *x);
static dfl_status try_level(bool *determined, dfl_servo *it, const dfl_servo *lower,
                            const double *x, const int *inputs);
static dfl_status start_from(dfl_servo *out, dfl_runnable *run, const int *inputs, int nu,
                             const dfl_servo *like, const double *x);
static dfl_status check_internal(dfl_servo *it);
static dfl_status refuse_unstable(dfl_servo *it, const double *A);
static dfl_status check_degree(dfl_servo *it);
static dfl_status step_to(dfl_servo *it, double t);
static dfl_status runge_kutta(double *error, dfl_servo *it, double t, double h);

dfl_status dfl_servo_start(dfl_servo *out, dfl_runnable *run, const int *inputs, int nu,
                           double rtol, double t, const double *x)
{
    enum { STARTS = 3 };
    dfl_status status = DFL_INCONSISTENT;
    *out = (dfl_servo){0};
    for (int k = 0; status == DFL_INCONSISTENT && k < STARTS; k++) {
        dfl_servo_clear(out);
        status =
            start_from(out, run, inputs, nu, &(dfl_servo){.t = t, .rtol = rtol, .first = k}, x);
    }
    return status;
}

/* With the inputs' first values number like->first. */
static dfl_status start_from(dfl_servo *out, dfl_runnable *run, const int *inputs, int nu,
                             const dfl_servo *like, const double *x)
{
    const double t = like->t, rtol = like->rtol;
    dfl_status status = DFL_OK;
    bool determined = false;
    dfl_servo lower = {0};
    int best = 0, fewest = nu, open;
    *out = (dfl_servo){0};
    for (int level = 0; !status && !determined && level <= DFL_SERVO_MOST; level++) {
        dfl_servo_clear(&lower);
        lower = *out;
        *out = (dfl_servo){.t = t, .rtol = (rtol > 0 ? rtol : 1e-6) / 10, .first = like->first};
        status = open_level(&determined, out, run, level, inputs, nu, &lower, x);
        if (!status && !determined)
            status = dfl_servo_open_inputs(&open, out);
        if (!status && !determined && open < fewest) {
            fewest = open;
            best = level;
        }
    }
    dfl_servo_clear(&lower);
    if (!status && !determined && fewest < nu) { /* the shortest of the inputs that follow */
        dfl_servo_clear(out);
        *out = (dfl_servo){
            .t = t, .rtol = (rtol > 0 ? rtol : 1e-6) / 10, .spare = fewest, .first = like->first};
        status = open_level(&determined, out, run, best, inputs, nu, &lower, x);
    }
    if (!status && !determined)
        status = dfl_fail(ctx_of(run), DFL_INCONSISTENT, "the inputs cannot follow the motion: %s",
                          nu > 1 ? "four derivatives of it do not determine all of them"
                                 : "four derivatives of it do not determine the input");
    return status ? status : check_internal(out);
}

/* With equations of motion that are differentiated `level` times. */
static dfl_status open_level(bool *determined, dfl_servo *it, dfl_runnable *run, int level,
                             const int *inputs, int nu, const dfl_servo *lower, const double *x)
{
    dfl_status status = dfl_servo_array_create(&it->array, run, level, inputs, nu);
    if (!status)
        status = make_room(it);
    return status ? status : try_level(determined, it, lower, x, inputs);
}

void dfl_servo_clear(dfl_servo *servo)
{
    if (servo->array.run)
        dfl_free(ctx_of(servo->array.run), servo->X);
    dfl_servo_array_clear(&servo->array);
    *servo = (dfl_servo){0};
}

dfl_status dfl_servo_advance(dfl_servo *servo, double t)
{
    dfl_status status = DFL_OK;
    while (!status && servo->t < t) {
        status = step_to(servo, t);
        if (!status)
            status = check_degree(servo);
        if (!status && dfl_interrupted(ctx_of(servo->array.run)))
            status = DFL_STOPPED;
    }
    return status;
}

static dfl_status make_room(dfl_servo *it)
{
    const size_t n = (size_t)it->array.n, ny = (size_t)it->array.ny;
    it->X = dfl_alloc(ctx_of(it->array.run), 3 * n + STAGES * ny, sizeof *it->X);
    if (!it->X)
        return DFL_NO_MEMORY;
    it->kept = it->X + n;
    it->trial = it->kept + n;
    it->stage = it->trial + n;
    return DFL_OK;
}

/* The first values: the solution with a derivative less, or x with the inputs as they are, or
   others if u^2 and the like have no slope there. Multipliers of motions are not unknowns: they are
   and stay zero. */
static void choose_start(dfl_servo *it, const dfl_servo *lower, const double *x, const int *inputs)
{
    static const double beside[] = {0, 1, -1};
    const dfl_equations *eq = eq_of(it->array.run);
    memset(it->X, 0, (size_t)it->array.n * sizeof *x);
    memcpy(it->X, lower->X ? lower->X : x, (size_t)(lower->X ? lower->array.n : eq->n) * sizeof *x);
    for (int i = 0; !lower->X && i < it->array.nu; i++) {
        const double value = eq->model->declarations.item[inputs[i]].value;
        it->X[it->array.first_u + i] = value + beside[it->first] * fmax(1, fabs(value));
    }
    for (int i = 0; i < eq->nl; i++)
        if (dfl_is_motion(eq, i))
            it->X[eq->nw + i] = 0;
}

static dfl_status try_level(bool *determined, dfl_servo *it, const dfl_servo *lower,
                            const double *x, const int *inputs)
{
    choose_start(it, lower, x, inputs);
    const dfl_status status = dfl_servo_solve(it, it->t, it->X);
    return status ? status : dfl_servo_analyse(determined, &it->internal, it, NULL);
}

/* The motion that is left open must not grow. */
static dfl_status check_internal(dfl_servo *it)
{
    dfl_context *ctx = ctx_of(it->array.run);
    const size_t ny = (size_t)it->array.ny;
    bool determined;
    double *A = dfl_alloc(ctx, ny * ny, sizeof *A);
    dfl_status status = A ? dfl_servo_analyse(&determined, &it->internal, it, A) : DFL_NO_MEMORY;
    if (!status && it->internal > 0)
        status = refuse_unstable(it, A);
    dfl_free(ctx, A);
    return status;
}

static dfl_status refuse_unstable(dfl_servo *it, const double *A)
{
    dfl_context *ctx = ctx_of(it->array.run);
    dfl_modes modes = {0};
    dfl_status status = dfl_modes_find(&modes, ctx, it->internal, A);
    if (!status && modes.unstable > 0)
        status = dfl_inverse_refuse_growing(ctx, &modes);
    dfl_modes_clear(&modes);
    return status;
}

/* The motions must leave as many states open as at the start, and determine the inputs. */
static dfl_status check_degree(dfl_servo *it)
{
    bool determined = true;
    int internal = 0;
    const dfl_status status = dfl_servo_analyse(&determined, &internal, it, NULL);
    if (status || (determined && internal == it->internal))
        return status;
    return dfl_fail(
        ctx_of(it->array.run), DFL_INCONSISTENT,
        "the inputs cannot follow the motion at t = %g: other derivatives of it "
        "determine them than at the start, because inputs begin or cease to act on it directly "
        "there (as a trolley does on a load as soon as its rope is inclined); prescribe another "
        "output, "
        "such as the coordinate on which they act",
        it->t);
}

/* One step, not beyond t; a shorter one if it fails. */
static dfl_status step_to(dfl_servo *it, double t)
{
    const size_t n = (size_t)it->array.n;
    const double whole = t - it->t;
    double h = it->step > 0 && it->step < whole ? it->step : whole, error = 0;
    memcpy(it->kept, it->X, n * sizeof *it->X);
    for (;;) {
        const double next = h < whole ? it->t + h : t;
        const dfl_status status = runge_kutta(&error, it, next, h);
        if (status && status != DFL_INCONSISTENT)
            return status;
        const double factor = status ? 0.25 : fmin(4, fmax(0.2, 0.9 * pow(error, -0.2)));
        if (!status && error <= 1) {
            it->t = next;
            it->step = error > 0 ? factor * h : 4 * h;
            return DFL_OK;
        }
        memcpy(it->X, it->kept, n * sizeof *it->X);
        h *= factor;
        if (h < 1e-10 * fmax(1, fabs(t)))
            return status ? status
                          : dfl_fail(ctx_of(it->array.run), DFL_NOT_CONVERGED,
                                     "the motion that the prescribed ones leave open cannot be "
                                     "integrated at t = %g",
                                     it->t);
    }
}

/* From X at it->t to `t`; *error in parts of what is allowed, 0 where nothing is left open. */
static dfl_status runge_kutta(double *error, dfl_servo *it, double t, double h)
{
    static const double c[STAGES] = {0, .2, .3, .8, 8. / 9, 1, 1};
    static const double a[STAGES][STAGES - 1] = {
        {0},
        {.2},
        {3. / 40, 9. / 40},
        {44. / 45, -56. / 15, 32. / 9},
        {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
        {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
        {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
    static const double e[STAGES] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                     -17253. / 339200, 22. / 525, -1. / 40};
    dfl_servo_array *array = &it->array;
    const size_t ny = (size_t)array->ny, n = (size_t)array->n;
    const double *y = it->kept + array->first_y;
    const int stages = it->internal > 0 ? STAGES : 2;
    dfl_status status = DFL_OK;
    memcpy(it->trial, it->kept, n * sizeof *it->trial);
    *error = 0;
    for (int s = 0; !status && s < stages; s++) {
        double *z = it->trial + array->first_y;
        const bool last = s == stages - 1;
        const double at = last ? t : it->t + c[s] * h;
        for (size_t i = 0; i < ny; i++) {
            z[i] = y[i];
            for (int k = 0; k < s; k++)
                z[i] += h * (stages == 2 ? 1 : a[s][k]) * it->stage[(size_t)k * ny + i];
        }
        status = dfl_servo_solve(it, at, it->trial);
        memcpy(it->stage + (size_t)s * ny, array->rate, ny * sizeof *it->stage);
    }
    for (size_t i = 0; !status && stages == STAGES && i < ny; i++) {
        double sum = 0;
        for (int s = 0; s < STAGES; s++)
            sum += e[s] * it->stage[(size_t)s * ny + i];
        *error = fmax(*error, fabs(h * sum) / (it->rtol * (fabs(y[i]) + 1e-2)));
    }
    if (!status)
        memcpy(it->X, it->trial, n * sizeof *it->X);
    return status;
}
