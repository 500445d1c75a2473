/* determined.c: whether the equations determine every direction of motion and every auxiliary
   variable.

   The solver solves for all accelerations: every direction needs mass, a constraint, or a
   balance of forces that depends on its velocity. And it solves 0 = d for w: d_w must be
   regular. */

#include "linalg/linalg.h"
#include "study/study_internal.h"

#include <string.h>

static dfl_status check_mass(dfl_runnable *run, double t, const double *x);
static bool is_regular(double *M, const dfl_equations *eq);
static dfl_status check_directions(dfl_runnable *run, double t, const double *x);
static dfl_status check_damping(dfl_runnable *run, double t, const double *x);
static dfl_status fail_damping(dfl_runnable *run, const dfl_massless_kinds *kinds);
static int line_of(const dfl_equations *eq, const double *direction);
static bool list_bodies(dfl_text *text, const dfl_equations *eq, const double *direction);
static dfl_status check_auxiliary(dfl_runnable *run, double t, const double *x);
static dfl_status fill_auxiliary(double *A, dfl_runnable *run, double t, const double *x);
static dfl_status fail_auxiliary(dfl_runnable *run, const double *direction);

dfl_status dfl_study_check_determined(dfl_runnable *run, double t, const double *x)
{
    const dfl_status status = check_mass(run, t, x);
    return status || !eq_of(run)->nw || !eq_of(run)->have_jacobians || dfl_study_is_large(run)
               ? status
               : check_auxiliary(run, t, x);
}

static dfl_status check_mass(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const size_t nv = (size_t)eq->nv;
    if (dfl_study_is_large(run) && !eq->flags.mass_diagonal)
        return DFL_OK; /* the sparse saddle system of the start was regular */
    double *M = dfl_alloc(ctx_of(run), eq->flags.mass_diagonal ? nv : nv * nv, sizeof *M);
    const dfl_status evaluated = M ? dfl_state_mass(M, run, t, x) : DFL_NO_MEMORY;
    const bool regular = !evaluated && is_regular(M, eq);
    dfl_free(ctx_of(run), M);
    if (evaluated)
        return evaluated;
    if ((regular && eq->n0 == 0) || dfl_study_is_large(run))
        return DFL_OK;
    const dfl_status status = eq->n0 > 0 ? check_damping(run, t, x) : DFL_OK;
    return status ? status : check_directions(run, t, x);
}

static bool is_regular(double *M, const dfl_equations *eq)
{
    if (!eq->flags.mass_diagonal)
        return dfl_cholesky(M, eq->nv);
    for (int j = 0; j < eq->nv; j++)
        if (!(M[j] > 0.0))
            return false;
    return true;
}

static dfl_status check_directions(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    dfl_diagnosis diagnosis = {.ctx = ctx_of(run)};
    dfl_status status = dfl_diagnose_directions(&diagnosis, run, t, x);
    for (int k = 0; !status && k < diagnosis.ndirections; k++) {
        if (diagnosis.directions[k].balanced)
            continue;
        dfl_text text = {.ctx = ctx_of(run)};
        dfl_print_combination(&text, eq, diagnosis.directions[k].direction);
        dfl_model_fail(
            eq->model, eq->model->energy.kinetic_line,
            "there is no mass along %s, and no constraint holds it; add kinetic energy or "
            "mass there, or a constraint",
            dfl_text_string(&text));
        dfl_text_clear(&text);
        status = DFL_INVALID;
    }
    dfl_diagnosis_clear(&diagnosis);
    return status;
}

static dfl_status check_damping(dfl_runnable *run, double t, const double *x)
{
    if (dfl_balance_is_coupled(eq_of(run)))
        return DFL_OK;
    dfl_massless_kinds kinds;
    dfl_status status = dfl_diagnose_massless(&kinds, run, t, x);
    if (!status && kinds.direction)
        status = fail_damping(run, &kinds);
    dfl_massless_kinds_clear(&kinds);
    return status;
}

static dfl_status fail_damping(dfl_runnable *run, const dfl_massless_kinds *kinds)
{
    const dfl_equations *eq = eq_of(run);
    dfl_text text = {.ctx = ctx_of(run)};
    dfl_text_add(&text, "there is no mass along ");
    dfl_print_combination(&text, eq, kinds->direction);
    const bool bodies = list_bodies(&text, eq, kinds->direction);
    dfl_text_add(&text, ", no constraint holds it, and no force depends on this velocity");
    if (kinds->size > 0.0)
        dfl_text_add(&text, " (|d gamma/d zeta| = %.1e, needed > 1e-10 * %.1e)", kinds->damping,
                     kinds->size);
    dfl_text_add(&text, "; ");
    if (kinds->undetermined > 0)
        dfl_text_add(&text,
                     "the direction is undetermined (neither mass, damping nor stiffness): ");
    dfl_text_add(&text, "add a damper, mass or a constraint there");
    if (bodies)
        dfl_text_add(&text, ", lock the joint");
    if (kinds->undetermined == 0)
        dfl_text_add(&text,
                     ", or declare it quasistatic (its stiffness, %.1e, determines the "
                     "position)",
                     kinds->stiffness);
    dfl_model_fail(eq->model, line_of(eq, kinds->direction), "%s", dfl_text_string(&text));
    const dfl_status status = text.status ? text.status : DFL_INVALID;
    dfl_text_clear(&text);
    return status;
}

/* Of the kinetic energy, or, in a mechanism, of the first joint that moves with the direction. */
static int line_of(const dfl_equations *eq, const double *direction)
{
    for (int j = 0; j < eq->nv && !eq->model->energy.kinetic_line; j++) {
        const dfl_declaration *decl = dfl_model_owner(eq->model, dfl_equations_v(eq)[j].symbol);
        if (direction[j] != 0.0 && decl)
            return decl->line;
    }
    return eq->model->energy.kinetic_line;
}

/* The massless bodies that move with a direction, as far as the model knows them. */
static bool list_bodies(dfl_text *text, const dfl_equations *eq, const double *direction)
{
    dfl_text bodies = {.ctx = eq->model->ctx};
    int count = 0;
    for (int j = 0; j < eq->nv; j++) {
        const dfl_declaration *decl = dfl_model_owner(eq->model, dfl_equations_v(eq)[j].symbol);
        if (direction[j] != 0.0 && decl && decl->carries)
            count += dfl_list_add(&bodies, 0, decl->carries);
    }
    if (count > 0)
        dfl_text_add(text, ", which moves only the massless bodies %s", dfl_text_string(&bodies));
    dfl_text_clear(&bodies);
    return count > 0;
}

/* The null space of d_w. If multipliers enter d, they and w are determined together; this is not
   checked. */
static dfl_status check_auxiliary(dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const int nw = eq->nw;
    for (int k = 0; k < eq->jacobian.d.count; k++)
        if (eq->jacobian.d.entry[k].col >= nw && eq->jacobian.d.entry[k].col < nw + eq->nl + eq->nm)
            return DFL_OK;
    double *A = dfl_alloc(ctx_of(run), (size_t)nw * (size_t)nw, sizeof *A), *basis = NULL;
    int count = 0;
    dfl_status status = A ? fill_auxiliary(A, run, t, x) : DFL_NO_MEMORY;
    if (!status)
        status = dfl_null_space(&basis, &count, ctx_of(run), A, nw, nw);
    if (!status && count)
        status = fail_auxiliary(run, basis);
    dfl_free(ctx_of(run), A);
    dfl_free(ctx_of(run), basis);
    return status;
}

/* A = d_w, nw x nw. */
static dfl_status fill_auxiliary(double *A, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < eq->jacobian.d.count; k++) {
        const dfl_entry *entry = &eq->jacobian.d.entry[k];
        if (entry->col < eq->nw)
            status = dfl_runnable_values(A + entry->row + entry->col * eq->nw, run, &entry->expr, 1,
                                         t, x, NULL);
    }
    return status;
}

static dfl_status fail_auxiliary(dfl_runnable *run, const double *direction)
{
    const dfl_equations *eq = eq_of(run);
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
