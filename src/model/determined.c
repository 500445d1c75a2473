/* determined.c: whether the equations determine every direction of motion and every auxiliary variable.

   The solver solves for all accelerations: every direction needs mass, a constraint, or a balance of forces
   that depends on its velocity. And it solves 0 = d for w: d_w must be regular. */
#include "model/equations_internal.h"
#include "model/runnable_internal.h"

#include "context/text.h"
#include "linalg/linalg.h"
#include "model/diagnosis.h"
#include "model/null_space.h"

static dfl_status check_mass(dfl_runnable *run, double t, const double *x);
static bool is_regular(double *M, const dfl_equations *eq);
static dfl_status check_directions(dfl_runnable *run, double t, const double *x);
static dfl_status check_damping(dfl_runnable *run, double t, const double *x);
static dfl_status fail_damping(dfl_runnable *run, const double *direction);
static dfl_status check_auxiliary(dfl_runnable *run, double t, const double *x);
static dfl_status fill_auxiliary(double *A, dfl_runnable *run, double t, const double *x);
static dfl_status fail_auxiliary(dfl_runnable *run, const double *direction);

dfl_status dfl_runnable_check_determined(dfl_runnable *run, double t, const double *x)
{
    const dfl_status status = check_mass(run, t, x);
    return status || !run->eq->nw || !run->eq->have_jacobians ? status : check_auxiliary(run, t, x);
}

static dfl_status check_mass(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    double *M = dfl_alloc(run->ctx, (size_t)eq->nv * (size_t)eq->nv, sizeof *M);
    if (!M)
        return DFL_NO_MEMORY;
    run->eom.mass(M, t, x, run);
    const bool regular = is_regular(M, eq);
    dfl_free(run->ctx, M);
    if (regular)
        return DFL_OK;
    const dfl_status status = check_directions(run, t, x);
    return status || !eq->n0 || !eq->have_jacobians ? status : check_damping(run, t, x);
}

static bool is_regular(double *M, const dfl_equations *eq)
{
    if (!eq->mass_diagonal)
        return dfl_cholesky(M, eq->nv);
    for (int j = 0; j < eq->nv; j++)
        if (!(M[j] > 0.0))
            return false;
    return true;
}

static dfl_status check_directions(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    dfl_diagnosis diagnosis = {.ctx = run->ctx};
    dfl_status status = dfl_diagnose_directions(&diagnosis, run, t, x);
    for (int k = 0; !status && k < diagnosis.ndirections; k++) {
        if (diagnosis.directions[k].balanced)
            continue;
        dfl_text text = {.ctx = run->ctx};
        dfl_print_combination(&text, eq, diagnosis.directions[k].direction);
        dfl_model_fail(
            eq->model, eq->model->kinetic_line,
            "there is no mass along %s, and no constraint holds it; add kinetic energy or "
            "mass there, or a constraint",
            dfl_text_string(&text));
        dfl_text_clear(&text);
        status = DFL_INVALID;
    }
    dfl_diagnosis_clear(&diagnosis);
    return status;
}

/* The null space of d gam / d v along the massless coordinates. */
static dfl_status check_damping(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const int n0 = eq->n0, first_v = eq->nw + eq->nl + eq->nm + eq->nr;
    double *A = dfl_alloc(run->ctx, (size_t)n0 * (size_t)n0, sizeof *A), *basis = NULL;
    double *direction = dfl_alloc(run->ctx, (size_t)eq->nv, sizeof *direction);
    int count = 0;
    dfl_status status = A && direction ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < eq->Jgam.count; k++) {
        const dfl_entry *entry = &eq->Jgam.entry[k];
        for (int j = 0; !status && j < n0; j++)
            if (entry->col == first_v + eq->massless[j])
                status =
                    dfl_runnable_values(A + entry->row + j * n0, run, &entry->expr, 1, t, x, NULL);
    }
    if (!status)
        status = dfl_null_space(&basis, &count, run->ctx, A, n0, n0);
    for (int j = 0; !status && count && j < n0; j++)
        direction[eq->massless[j]] = basis[j];
    if (!status && count)
        status = fail_damping(run, direction);
    dfl_free(run->ctx, A);
    dfl_free(run->ctx, basis);
    dfl_free(run->ctx, direction);
    return status;
}

static dfl_status fail_damping(dfl_runnable *run, const double *direction)
{
    const dfl_equations *eq = run->eq;
    dfl_text text = {.ctx = run->ctx};
    dfl_print_combination(&text, eq, direction);
    dfl_model_fail(
        eq->model, eq->model->kinetic_line,
        "there is no mass along %s, and no force that depends on this velocity; add a "
        "damper, mass or a constraint there, or make the coordinate an auxiliary variable",
        dfl_text_string(&text));
    dfl_text_clear(&text);
    return DFL_INVALID;
}

/* The null space of d_w. Where multipliers enter d, they and w are determined together: not looked at. */
static dfl_status check_auxiliary(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    const int nw = eq->nw;
    for (int k = 0; k < eq->Jd.count; k++)
        if (eq->Jd.entry[k].col >= nw && eq->Jd.entry[k].col < nw + eq->nl + eq->nm)
            return DFL_OK;
    double *A = dfl_alloc(run->ctx, (size_t)nw * (size_t)nw, sizeof *A), *basis = NULL;
    int count = 0;
    dfl_status status = A ? fill_auxiliary(A, run, t, x) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_null_space(&basis, &count, run->ctx, A, nw, nw);
    if (!status && count)
        status = fail_auxiliary(run, basis);
    dfl_free(run->ctx, A);
    dfl_free(run->ctx, basis);
    return status;
}

/* A = d_w, nw x nw. */
static dfl_status fill_auxiliary(double *A, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = run->eq;
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < eq->Jd.count; k++) {
        const dfl_entry *entry = &eq->Jd.entry[k];
        if (entry->col < eq->nw)
            status = dfl_runnable_values(A + entry->row + entry->col * eq->nw, run, &entry->expr, 1,
                                         t, x, NULL);
    }
    return status;
}

static dfl_status fail_auxiliary(dfl_runnable *run, const double *direction)
{
    const dfl_equations *eq = run->eq;
    int which = 0;
    while (direction[which] == 0.0)
        which++;
    const dfl_variable *w = &eq->x[which];
    return dfl_model_fail(
        eq->model, w->line,
        "the auxiliary equations do not determine '%s' at the start: their derivative "
        "by it vanishes; write an equation that contains it, or give another guess",
        w->name);
}
