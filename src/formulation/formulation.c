/* Life of a formulation, dispatch to its implementation, and what the base answers. */
#include "formulation/chart.h"

static const dfl_form_class *class_of(const dfl_form_traits *traits, const dfl_system *sys)
{
    return sys->packed     ? &dfl_sparse_form_class
           : traits->ode   ? &dfl_ode_form_class
           : traits->plain ? &dfl_plain_class
                           : &dfl_projected_class;
}

/* Whether a step integrates local coordinates. Orthogonal rows that are renewed with every
   decomposition are none: W itself, which is watched, turns no further than they do. */
static bool chosen_elsewhere(const dfl_solver_options *options, const dfl_form_traits *traits,
                             const dfl_system *sys)
{
    if (traits->plain || sys->packed)
        return false;
    if (options->form == DFL_SEPARATION)
        return dfl_coordinates_are_fixed(options) ||
               options->constraints.renewal == DFL_RENEW_NEVER;
    if (traits->ode || options->form == DFL_TANGENT)
        return options->form == DFL_PARTITION || options->form == DFL_TANGENT;
    return options->constraints.selectors != DFL_ORTHOGONAL ||
           options->constraints.renewal == DFL_RENEW_ON_CHANGE;
}

dfl_status dfl_formulation_create(dfl_formulation **out, dfl_system *sys,
                                  const dfl_solver_options *options, dfl_integrator_needs needs)
{
    const dfl_form_traits *traits = dfl_form_traits_with(options, needs.right_hand_side);
    const dfl_form_class *class = class_of(traits, sys);
    *out = NULL;
    dfl_system_ask(sys, traits->acceleration != DFL_ACC_PROJECTED,
                   dfl_form_requirements(traits, sys->eom));
    dfl_formulation *form = dfl_alloc(sys->ctx, 1, class->size);
    if (!form)
        return DFL_NO_MEMORY;
    form->class = class;
    form->sys = sys;
    form->options = options;
    form->traits = traits;
    form->needs = needs;
    dfl_status status = class->init(form);
    if (!status && chosen_elsewhere(options, traits, sys))
        status = dfl_chart_init(form);
    if (status)
        dfl_formulation_free(form);
    else
        *out = form;
    return status;
}

void dfl_formulation_free(dfl_formulation *form)
{
    if (!form)
        return;
    form->class->clear(form);
    dfl_chart_clear(form);
    dfl_free(form->sys->ctx, form);
}

void dfl_formulation_bind(dfl_formulation *form)
{
    const int ne = form->sys->eom->ne;
    form->defect = 0;
    form->nactive = ne;
    form->secure = ne == 0 || form->options->constraints.rigid_invariants;
    form->class->bind(form);
    dfl_chart_bind(form);
}

int dfl_formulation_rank(const dfl_formulation *form)
{
    return form->rank2;
}

int dfl_formulation_redundant(const dfl_formulation *form)
{
    return form->defect;
}

double dfl_formulation_misfit(const dfl_formulation *form)
{
    return form->misfit;
}

int dfl_formulation_rank_expected(const dfl_formulation *form)
{
    return form->rank2 + form->sys->eom->n0 + form->nactive;
}

int dfl_formulation_invariants(const dfl_formulation *form)
{
    return form->nactive;
}

const char *dfl_formulation_pivoting(const dfl_formulation *form)
{
    return form->pivoting;
}

double dfl_formulation_weakest(const dfl_formulation *form)
{
    return form->weakest;
}

const dfl_form_traits *dfl_formulation_traits(const dfl_formulation *form)
{
    return form->traits;
}

const dfl_shifts *dfl_formulation_shifts(const dfl_formulation *form)
{
    return &form->shifts;
}

bool dfl_formulation_reads_rates(const dfl_formulation *form)
{
    return form->reads_rates;
}

bool dfl_formulation_combines(const dfl_formulation *form)
{
    return form->combines;
}

bool dfl_formulation_stagewise(const dfl_formulation *form)
{
    return form->stagewise;
}

bool dfl_formulation_has_undetermined(const dfl_formulation *form)
{
    return form->defect > 0 && !form->sys->psi1;
}

bool dfl_formulation_matrix_serves(const dfl_formulation *form)
{
    const bool ends = form->mean_with && form->options->constraints.selectors == DFL_USER;
    return form->secure && form->defect == 0 && !ends;
}

void dfl_formulation_mean_with(dfl_formulation *form, const dfl_point *start)
{
    form->mean_with = start;
}

/* Every unknown is algebraic or differential; redundant and dropped rows add to both counts. */
int dfl_formulation_room(const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    return sys->m1 + sys->m2 + sys->m3 + sys->n2 + sys->n3 + sys->n4 + sys->nc;
}

dfl_outcome dfl_formulation_linearize(dfl_formulation *form, double t, const double *x,
                                      const double *a, bool update)
{
    return form->class->linearize(form, t, x, a, update);
}

dfl_outcome dfl_formulation_factor(dfl_formulation *form, int ncomplex, const double *zeta)
{
    const int stages = 1 + 2 * ncomplex;
    form->sys->stats->differential_decompositions++;
    form->width = dfl_lanes_width(stages);
    dfl_shifts_set(&form->shifts, stages, zeta);
    return form->class->factor(form, stages);
}

void dfl_formulation_begin_iteration(dfl_formulation *form)
{
    if (form->class->begin_iteration)
        form->class->begin_iteration(form);
}

dfl_outcome dfl_formulation_residual(double *rows, dfl_formulation *form, const dfl_point *points,
                                     int count, const double *transform, const double *yp,
                                     const double *xp)
{
    return form->class->residual(rows, form, points, count, transform, yp, xp);
}

dfl_outcome dfl_formulation_mixed_residual(double *rows, dfl_formulation *form,
                                           const dfl_point *differential,
                                           const dfl_point *algebraic, double weight,
                                           const double *yp, const double *xp)
{
    return form->class->mixed(rows, form, differential, algebraic, weight, yp, xp);
}

bool dfl_formulation_increments(const dfl_formulation *form)
{
    return form->class->increment != NULL;
}

dfl_outcome dfl_formulation_increment(double *squares, dfl_formulation *form,
                                      const dfl_stages *stages, double *rows)
{
    form->sys->stats->back_substitutions++;
    return form->class->increment(squares, form, stages, rows);
}

void dfl_formulation_solve(double *dx, dfl_formulation *form, double *rows)
{
    form->sys->stats->back_substitutions++;
    form->class->solve(dx, form, rows);
}

dfl_outcome dfl_formulation_defect(double *err, dfl_formulation *form, const dfl_point *point,
                                   const double *y)
{
    return form->class->defect(err, form, point, y);
}

void dfl_formulation_minimum_norm(double *X, const dfl_formulation *form)
{
    if (form->class->minimum_norm)
        form->class->minimum_norm(X, form);
}

dfl_outcome dfl_formulation_renew_selectors(bool *changed, dfl_formulation *form, double t,
                                            const double *x, bool later)
{
    *changed = false;
    return form->class->renew_selectors ? form->class->renew_selectors(changed, form, t, x, later)
                                        : DFL_STEP_OK;
}

bool dfl_formulation_suspend(dfl_formulation *form)
{
    return form->class->suspend && form->class->suspend(form);
}

void dfl_formulation_accepted(dfl_formulation *form)
{
    if (form->class->accepted)
        form->class->accepted(form);
}

const double *dfl_formulation_acceleration_rows(dfl_formulation *form, const dfl_point *point)
{
    return form->class->acceleration_rows(form, point);
}
