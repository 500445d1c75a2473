/* gradient_start.c: how a consistent start changes with parameters and initial values.

   A start is the solution of a nonlinear least-squares problem with held values, which come from the
   script as numbers. So the script is loaded with values nearby, and central differences of the starts,
   which are computed to rounding, are extrapolated (Romberg, error of order 6). The solver then moves
   them onto the differentiated constraints. */
#include "study/gradient_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = 3 };

static dfl_status start_of(double *x, const gradient_run *it, dfl_runnable *run);
static dfl_status difference(double *out, gradient_run *it, const followed *by, double h);
static dfl_status start_at(double *x, gradient_run *it, const followed *by, double value);
static dfl_status check_numbers(gradient_run *it, const followed *by, dfl_runnable *other,
                                double value);

/* The value that initial(x) varies around, and by how much. */
static double increment(const gradient_run *it, const followed *by)
{
    const dfl_equations *eq = eq_of(it->run);
    const double value = by->place >= 0 ? it->x[by->place] : by->value;
    double size = fabs(value);
    for (int i = eq->nw + eq->nl + eq->nm; size == 0 && by->place >= 0 && i < eq->n; i++)
        size = fmax(size, fabs(it->x[i]));
    return 1e-2 * (size > 0 ? size : 1);
}

dfl_status dfl_gradient_start(gradient_run *it)
{
    const int n = eq_of(it->run)->n;
    dfl_status status = DFL_OK;
    double *D = dfl_alloc(ctx_of(it->run), (size_t)(LEVELS * n), sizeof *D);
    if (!D)
        return DFL_NO_MEMORY;
    status = start_of(it->x, it, it->run);
    for (int j = 0; !status && j < it->count; j++) {
        const followed *by = &it->followed[j];
        const double h = increment(it, by);
        for (int k = 0; !status && k < LEVELS; k++)
            status = difference(D + k * n, it, by, ldexp(h, -k));
        double *out = it->start + (size_t)j * (size_t)n;
        for (int i = 0; !status && i < n; i++) {
            const double a = D[n + i] + (D[n + i] - D[i]) / 3;
            const double b = D[2 * n + i] + (D[2 * n + i] - D[n + i]) / 3;
            out[i] = b + (b - a) / 15;
        }
    }
    dfl_free(ctx_of(it->run), D);
    return status;
}

/* (x(value + h) - x(value - h)) / 2h */
static dfl_status difference(double *out, gradient_run *it, const followed *by, double h)
{
    const int n = eq_of(it->run)->n;
    const double value = by->place >= 0 ? it->x[by->place] : by->value;
    const double above = value + h, below = value - h;
    double *x = dfl_alloc(ctx_of(it->run), (size_t)n, sizeof *x);
    dfl_status status = x ? start_at(out, it, by, above) : DFL_NO_MEMORY;
    if (!status)
        status = start_at(x, it, by, below);
    for (int i = 0; !status && i < n; i++)
        out[i] = (out[i] - x[i]) / (above - below);
    dfl_free(ctx_of(it->run), x);
    return status;
}

/* x (n): where a model starts. */
static dfl_status start_of(double *x, const gradient_run *it, dfl_runnable *run)
{
    const dfl_solver_options options = {.rtol = 1e-12, .atol = 1e-14};
    const double t0 = it->settings->from;
    dfl_solver *solver = NULL;
    dfl_status status = dfl_solver_create(&solver, ctx_of(run), dfl_runnable_eom(run), &options);
    if (!status)
        status = it->settings->start == DFL_START_AS_GIVEN
                     ? dfl_study_start_as_given(x, run, solver, t0)
                     : dfl_study_start(x, NULL, run, solver, &options, t0);
    dfl_solver_free(solver);
    return status;
}

/* Loads the script with one setting changed: it takes the place of the one for `by`, if there is one. */
static dfl_status load_with(dfl_loaded *out, const gradient_run *it, const followed *by,
                            const char *setting)
{
    const int own = it->nfixed > 0 ? (int)(by - it->followed) : 0;
    const int count = it->nfixed > 0 ? it->nfixed : 1;
    const char **settings = dfl_alloc(ctx_of(it->run), (size_t)count, sizeof *settings);
    if (!settings)
        return DFL_NO_MEMORY;
    for (int i = 0; i < it->nfixed; i++)
        settings[i] = it->fixed[i];
    settings[own] = setting;
    const dfl_status status = it->variation->load(out, settings, count, it->variation->user);
    dfl_free(ctx_of(it->run), settings);
    return status;
}

/* A start nearby fails: which one, and why. */
static dfl_status explain(const gradient_run *it, dfl_status status, const followed *by,
                          const char *setting)
{
    char why[1000];
    snprintf(why, sizeof why, "%s", dfl_message(ctx_of(it->run)));
    return dfl_fail(ctx_of(it->run), status,
                    "derivatives by %s need starts nearby, but with %s: %s", by->name, setting,
                    why);
}

/* x (n): the start of the script with another value. */
static dfl_status start_at(double *x, gradient_run *it, const followed *by, double value)
{
    char setting[300];
    dfl_loaded nearby = {0};
    snprintf(setting, sizeof setting, "%s=%.17g", by->name, value);
    dfl_status status = load_with(&nearby, it, by, setting);
    if (!status && nearby.eq->n != eq_of(it->run)->n)
        status = dfl_fail(ctx_of(it->run), DFL_INVALID,
                          "the model has other unknowns with %s; derivatives by it do not exist",
                          setting);
    if (!status)
        status = start_of(x, it, nearby.run);
    if (status && status != DFL_NO_MEMORY)
        status = explain(it, status, by, setting);
    if (!status && by->place < 0)
        status = check_numbers(it, by, nearby.run, value);
    dfl_loaded_clear(&nearby);
    return status;
}

/* Whether two arrays agree to rounding. */
static bool agree(const double *a, const double *b, int count)
{
    double difference = 0, size = 0;
    for (int i = 0; i < count; i++) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        size = fmax(size, fmax(fabs(a[i]), fabs(b[i])));
    }
    return difference <= 1e-10 * size + DBL_MIN;
}

/* All rows and matrices of two models of the same sizes at one state. */
static dfl_status compare_rows(bool *equal, dfl_runnable *a, dfl_runnable *b, double t,
                               const double *x)
{
    const dfl_equations *eq = eq_of(a);
    const int nc = eq->nl + eq->nm, nv = eq->nv;
    dfl_blocks of_a = {0}, of_b = {0};
    double *M = dfl_alloc(ctx_of(a), 2 * (size_t)nv * (size_t)nv, sizeof *M);
    dfl_status status = M ? dfl_state_blocks_create(&of_a, a, DFL_EVERYTHING, t, x) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_state_blocks_create(&of_b, b, DFL_EVERYTHING, t, x);
    if (!status)
        status = dfl_state_mass(M, a, t, x);
    if (!status)
        status = dfl_state_mass(M + nv * nv, b, t, x);
    *equal = !status && agree(of_a.kin, of_b.kin, eq->np) && agree(of_a.f, of_b.f, nv) &&
             agree(of_a.b, of_b.b, eq->nr) && agree(of_a.d, of_b.d, eq->nw) &&
             agree(of_a.c, of_b.c, eq->ns) && agree(of_a.g, of_b.g, eq->nl) &&
             agree(of_a.hv, of_b.hv, eq->nm) && agree(of_a.W, of_b.W, nc * nv) &&
             agree(of_a.bias, of_b.bias, nc) && agree(M, M + nv * nv, nv * nv);
    dfl_state_blocks_free(&of_a, a);
    dfl_state_blocks_free(&of_b, b);
    dfl_free(ctx_of(a), M);
    return status;
}

/* Derivatives of the rows are those of their expressions. So the model as it was loaded first, with the
   other value of the parameter, must have the rows of the model that was loaded with it; otherwise the
   script has computed with its number. */
static dfl_status check_numbers(gradient_run *it, const followed *by, dfl_runnable *other,
                                double value)
{
    const int n = eq_of(it->run)->n;
    bool equal = true;
    double *x = dfl_alloc(ctx_of(it->run), (size_t)n, sizeof *x);
    dfl_status status = x ? dfl_runnable_set(it->run, by->kind, by->index, value) : DFL_NO_MEMORY;
    for (int i = 0; !status && i < n; i++) /* any state will do */
        x[i] = it->x[i] + 0.01 * sin(1 + 3.7 * i) * (1 + fabs(it->x[i]));
    if (!status)
        status = compare_rows(&equal, it->run, other, it->settings->from + 0.1, x);
    if (x) {
        const dfl_status back = dfl_runnable_set(it->run, by->kind, by->index, by->value);
        status = status ? status : back;
    }
    dfl_free(ctx_of(it->run), x);
    if (status || equal)
        return status;
    return dfl_fail(ctx_of(it->run), DFL_INVALID,
                    "%s uses '%s' as a number outside of initial values (in a table, in a "
                    "condition of Lua, with tonumber), so derivatives by it would be wrong",
                    eq_of(it->run)->model->path, by->name);
}
