/* adjoint_step.c: backwards over a step. */
#include "integrate/adjoint.h"

#include <math.h>
#include <string.h>

/* Everything at the stages of the recorded step, and its transposed map. */
static dfl_outcome linearize(dfl_adjoint *adj, const dfl_recorded *entry)
{
    dfl_tangents *wide = adj->wide;
    const dfl_coefficients *rk = entry->step.rk;
    const int n = adj->sys->n, width = rk->width;
    const double *x = dfl_adjoint_numbers(adj, entry), *Z = x ? x + n : NULL;
    dfl_outcome outcome =
        x ? DFL_STEP_OK : dfl_system_trouble(adj->sys, DFL_STEP_STOP, "file", entry->step.t);
    memcpy(wide->linear.selection, entry->step.selection->bytes,
           dfl_formulation_selection_size(adj->st->form));
    dfl_formulation_select(wide->linear.twin, wide->linear.selection);
    for (int k = 0; !outcome && k < rk->stages; k++) {
        dfl_point *stage = &wide->stage[k];
        stage->t = wide->tangent[k].t = entry->step.t + rk->c[k] * entry->step.h;
        for (int i = 0; i < n; i++)
            stage->x[i] = x[i] + Z[i * width + k];
        outcome = dfl_tangents_linearize(
            stage, &wide->jac[k], adj->parameters.products ? NULL : &wide->slopes[k], wide,
            adj->parameters.slopes, dfl_tangents_stage_rates(wide, rk, entry->step.h, Z, k));
    }
    return outcome ? outcome
                   : dfl_linear_step_build(&wide->linear, rk, entry->step.h, wide->stage, wide->jac,
                                           true);
}

/* Weights of the derivatives at the stages and, in adj->y, at the start of the step, from those
   where it ends or is cut. */
static void spread(dfl_adjoint *adj, const dfl_recorded *entry, const double *x)
{
    const dfl_coefficients *rk = entry->step.rk;
    const int n = adj->sys->n, last = rk->stages - 1;
    double l[DFL_RADAU_STAGES] = {0}, rest = 1;
    l[last] = 1;
    if (!isnan(entry->step.until))
        dfl_coefficients_basis(l, rk, (entry->step.until - entry->step.t) / entry->step.h);
    for (int k = 0; k <= last; k++) {
        rest -= l[k];
        for (int i = 0; i < n; i++)
            adj->wide->tangent[k].x[i] = l[k] * x[i];
    }
    for (int i = 0; i < n; i++)
        adj->y[i] = rest * x[i];
}

/* Weights of the accelerations at the end: carried ones are unknowns, others M^-1 f_dyn; what f_dyn
   has gets to `force`. */
static void spread_accelerations(double *force, dfl_adjoint *adj, const double *a, int last)
{
    const dfl_system *sys = adj->sys;
    const dfl_rows_jacobian *jac = &adj->wide->jac[last];
    const int nv = sys->n3;
    double *x = adj->wide->tangent[last].x;
    memset(force, 0, (size_t)nv * sizeof *force);
    for (int i = 0; i < nv && sys->carried; i++)
        x[i] += a[i];
    if (sys->carried)
        return;
    for (int i = 0; i < nv; i++)
        force[i] = a[i] / jac->M[i];
    dfl_gemm_tn(sys->nu, 1, nv, 1, jac->blocks.dyn, nv, force, nv, 1, x + sys->na, sys->nu);
}

/* The weights of all rows at stage k for objective `of`, and of the levels of invariants. */
static void keep_weights(dfl_adjoint *adj, int k, int of, const double *force)
{
    const dfl_system *sys = adj->sys;
    const int ne = sys->eom->ne, nep = sys->eom->nep;
    const dfl_point *weight = &adj->wide->tangent[k];
    dfl_jacobian column = dfl_parameter_slopes_column(&adj->weight[k], sys, of);
    double *level = adj->level + of * (ne + nep);
    dfl_rows_weights(&column, weight, &adj->wide->jac[k], sys);
    for (int i = 0; force && i < sys->n3; i++)
        column.dyn[i] += force[i];
    for (int i = 0; i < ne; i++)
        level[i] -= weight->alg[sys->row.e + i];
    for (int i = 0; i < nep; i++)
        level[ne + i] -= weight->alg[sys->m1 + sys->m2 + sys->m3 - nep + i];
}

/* Adds what the parameters and the memory do at stage k to all objectives. */
static dfl_outcome add_products(dfl_adjoint *adj, int k)
{
    const dfl_parameters *by = &adj->parameters;
    const dfl_system *sys = adj->sys;
    const dfl_point *stage = &adj->wide->stage[k];
    for (int of = 0; !by->products && by->slopes && of < adj->nof; of++) {
        const dfl_jacobian column = dfl_parameter_slopes_column(&adj->weight[k], sys, of);
        dfl_parameter_products(adj->sum + (size_t)of * (size_t)by->count, &adj->wide->slopes[k],
                               &column, sys, by->count);
    }
    const int rc = by->products ? by->products(adj->sum, &adj->weight[k], adj->nof, stage->t,
                                               stage->x + sys->na, stage->a, by->user)
                                : 0;
    return rc ? dfl_system_returned(adj->sys, rc, "products", stage->t) : DFL_STEP_OK;
}

/* What the steps have found for the memory belongs to its weights. */
static void move_memory(dfl_adjoint *adj)
{
    const int count = adj->parameters.count, nm = adj->parameters.nmemory;
    for (int of = 0; of < adj->nof; of++)
        for (int i = 0; i < nm; i++) {
            double *found = &adj->sum[(size_t)of * (size_t)(count + nm) + (size_t)(count + i)];
            adj->memory[of * nm + i] += *found;
            *found = 0;
        }
}

dfl_outcome dfl_adjoint_back_step(dfl_adjoint *adj, const dfl_recorded *entry)
{
    const dfl_system *sys = adj->sys;
    const int n = sys->n, nv = sys->n3, last = entry->step.rk->stages - 1;
    double *force = adj->wide->err; /* n: workspace */
    dfl_outcome outcome = linearize(adj, entry);
    for (int of = 0; !outcome && of < adj->nof; of++) {
        double *x = adj->x + of * n, *a = adj->a + of * nv;
        spread(adj, entry, x);
        spread_accelerations(force, adj, a, last);
        dfl_linear_step_transpose(adj->wide->tangent, &adj->wide->linear, adj->y);
        for (int k = 0; k <= last; k++)
            keep_weights(adj, k, of, k == last ? force : NULL);
        memcpy(x, adj->y, (size_t)n * sizeof *x);
        memset(a, 0, (size_t)nv * sizeof *a);
    }
    for (int k = 0; !outcome && k <= last; k++)
        outcome = add_products(adj, k);
    move_memory(adj);
    return outcome;
}
