/* The matrix zeta E - J of the sparse form: its pattern, its numbers, its factors (sparse_form.h).
 */
#include "formulation/sparse_form.h"

#include <string.h>

/* The places of the matrix, while they are listed; with `list` NULL they are only counted. */
typedef struct listing {
    dfl_sparse_form *form;
    dfl_place_of_entry *list;
    int count;
} listing;

static void list_all(listing *out);

/* Begins a part; its places follow. */
static void begin_part(listing *out, const double *source, double *into, double factor)
{
    dfl_sparse_form *form = out->form;
    form->part[form->nparts++] =
        (dfl_sparse_part){.source = source, .into = into, .factor = factor, .first = out->count};
}

static void place(listing *out, int row, int column)
{
    if (out->list)
        out->list[out->count] = (dfl_place_of_entry){row, column};
    out->count++;
    out->form->part[out->form->nparts - 1].count++;
}

/* Whether a row of the matrix is that of a redundant constraint. */
static bool is_dropped(const dfl_sparse_form *form, int row)
{
    const bool rates = row >= form->row.acc && row < form->row.e;
    const bool positions = row >= form->row.g && row < form->row.ep;
    return (rates && form->dropped[(row - form->row.acc) % form->base.sys->nc]) ||
           (positions && form->dropped[row - form->row.g]);
}

/* A block of derivatives with the first row and column in the matrix; columns first .. last-1 of
   its pattern, rows below `rows`. Entries of dropped rows go to (0, 0), times nothing. */
static void list_block(listing *out, const double *source, const dfl_pattern *p, int first,
                       int last, int row, int column, double factor)
{
    dfl_sparse_form *form = out->form;
    if (!p->column_start)
        return;
    begin_part(out, source + p->column_start[first], form->J, factor);
    for (int j = first; j < last; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) {
            const bool none = is_dropped(form, row + p->row[k]);
            place(out, none ? -1 : row + p->row[k], column + j - first);
        }
}

/* The same transposed; only rows below `rows` of the block that are not dropped. */
static void list_transposed(listing *out, const double *source, const dfl_pattern *p, int columns,
                            int rows, int row, int column, double factor)
{
    begin_part(out, source, out->form->J, factor);
    for (int j = 0; j < columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) {
            const bool none = p->row[k] >= rows || out->form->dropped[p->row[k]];
            place(out, none ? -1 : row + j, column + p->row[k]);
        }
}

/* The last rows of a block, those of invariants, transposed: rows from `first` on, columns from
   `skip` on. */
static void list_invariants(listing *out, const double *source, const dfl_pattern *p, int skip,
                            int columns, int first, int row, int column)
{
    begin_part(out, source + p->column_start[skip], out->form->J, -1);
    for (int j = skip; j < skip + columns; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            place(out, p->row[k] < first ? -1 : row + j - skip, column + p->row[k] - first);
}

static void list_identity(listing *out, double *into, int row, int column, int count, double factor)
{
    begin_part(out, NULL, into, factor);
    for (int i = 0; i < count; i++)
        place(out, row + i, column + i);
}

static void list_mass(listing *out, double *into, int row, int column, double factor)
{
    const dfl_system *sys = out->form->base.sys;
    const dfl_pattern *p = &sys->packed->M;
    begin_part(out, out->form->jac.M, into, factor);
    for (int j = 0; j < sys->n3; j++) {
        if (sys->mass.diagonal)
            place(out, row + j, column + j);
        for (int k = sys->mass.diagonal ? 0 : p->column_start[j];
             !sys->mass.diagonal && k < p->column_start[j + 1]; k++)
            place(out, row + p->row[k], column + j);
    }
}

static void list_differential(listing *out)
{
    dfl_sparse_form *form = out->form;
    const dfl_system *sys = form->base.sys;
    const dfl_eom *eom = sys->eom;
    const dfl_sparsity *s = sys->packed;
    const dfl_jacobian *b = &form->jac.blocks;
    const int nv = eom->nv, v = sys->at.v;
    list_mass(out, form->E, 0, v, 1);
    list_mass(out, form->J, 0, 0, 1);
    list_transposed(out, b->vel, &s->vel, nv, sys->nc, 0, form->tau, -1);
    const bool weighted = form->condensed && eom->trivial_kinematics;
    if (weighted) /* rows times M */
        list_mass(out, form->E, form->row.kin, sys->at.p, 1);
    else
        list_identity(out, form->E, form->row.kin, sys->at.p, eom->np, 1);
    list_identity(out, form->E, form->row.b, sys->at.r, eom->nr, 1);
    if (eom->trivial_kinematics) {
        if (weighted)
            list_mass(out, form->J, form->row.kin, v, 1);
        else
            list_identity(out, form->J, form->row.kin, v, nv, 1);
        list_transposed(out, b->vel, &s->vel, nv, eom->nl, form->row.kin, form->eta, -1);
    } else {
        list_block(out, b->kin, &s->kin, 0, nv + sys->n4, form->row.kin, v, 1);
        list_block(out, b->kin, &s->kin, 0, nv, form->row.kin, form->u, -1);
        list_transposed(out, b->vel, &s->vel, nv, eom->nl, form->row.u, form->eta, 1);
        if (form->condensed)
            list_mass(out, form->J, form->row.u, form->u, -1);
        else
            list_identity(out, form->J, form->row.u, form->u, nv, -1);
    }
    if (eom->nr > 0)
        list_block(out, b->b, &s->b, 0, sys->nu, form->row.b, sys->na, 1);
    if (eom->ne > 0)
        list_invariants(out, b->vel, &s->vel, 0, nv, sys->nc, 0, form->kappa);
    if (eom->nep > 0)
        list_invariants(out, b->pos, &s->pos, eom->ns, eom->np, eom->ns + eom->nl, form->row.kin,
                        form->pi);
}

/* W in the rows of accelerations. */
static void list_rates(listing *out)
{
    dfl_sparse_form *form = out->form;
    const dfl_pattern *p = &form->base.sys->packed->vel;
    begin_part(out, form->jac.blocks.vel, form->J, 1);
    for (int j = 0; j < form->base.sys->n3; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) {
            const bool none = p->row[k] >= form->base.sys->nc || form->dropped[p->row[k]];
            place(out, none ? -1 : form->row.acc + p->row[k], j);
        }
}

static void list_algebraic(listing *out)
{
    dfl_sparse_form *form = out->form;
    const dfl_system *sys = form->base.sys;
    const dfl_eom *eom = sys->eom;
    const dfl_sparsity *s = sys->packed;
    const dfl_jacobian *b = &form->jac.blocks;
    const int nv = eom->nv;
    list_mass(out, form->J, form->row.a, 0, -1);
    list_block(out, b->dyn, &s->dyn, 0, sys->nu, form->row.a, sys->na, 1);
    if (eom->nw > 0)
        list_block(out, b->d, &s->d, 0, sys->nu, form->row.d, sys->na, 1);
    list_block(out, b->acc, &s->acc, 0, sys->nu, form->row.acc, sys->na, 1);
    list_rates(out);
    list_block(out, b->vel, &s->vel, 0, nv + sys->n4, form->row.vel, sys->at.v, 1);
}

/* Directions without mass: forces along them in rows of dynamics, K0^T a, their balance. */
static void list_massless(listing *out)
{
    dfl_sparse_form *form = out->form;
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *p = &sys->packed->K0;
    const int n0 = sys->eom->n0, entries = (int)dfl_pattern_entries(p, n0);
    const int row[] = {0, form->row.a}, column[] = {form->nu, sys->n3};
    for (int i = 0; i < 2; i++)
        list_block(out, form->jac.K0, p, 0, n0, row[i], column[i], -1);
    begin_part(out, form->jac.K0, form->J, 1);
    for (int k = 0, j = 0; k < entries; k++) {
        while (k == p->column_start[j + 1])
            j++;
        place(out, form->row.sigma + j, p->row[k]);
    }
    list_block(out, form->jac.blocks.gam, &sys->packed->gam, 0, sys->nu, form->row.gam, sys->na, 1);
}

/* Rows c, which are not next to g in the matrix, and g, ep. */
static void list_positions(listing *out)
{
    dfl_sparse_form *form = out->form;
    const dfl_system *sys = form->base.sys;
    const dfl_pattern *p = &sys->packed->pos;
    const int ns = sys->eom->ns;
    begin_part(out, form->jac.blocks.pos, form->J, 1);
    for (int j = 0; j < sys->n4; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++) {
            const int i = p->row[k];
            const bool none = i >= ns && i < ns + sys->eom->nl && form->dropped[i - ns];
            place(out, none ? -1 : i < ns ? form->row.c + i : form->row.g + i - ns, sys->at.sp + j);
        }
}

/* Multipliers of dropped rows are zero. */
static void list_dropped(listing *out)
{
    dfl_sparse_form *form = out->form;
    const dfl_system *sys = form->base.sys;
    begin_part(out, NULL, form->J, 1);
    for (int i = 0; i < sys->nc; i++) {
        if (!form->dropped[i])
            continue;
        place(out, form->row.acc + i, sys->at.l + i);
        place(out, form->row.vel + i, form->tau + i);
        if (i < sys->eom->nl)
            place(out, form->row.g + i, form->eta + i);
    }
}

static void list_all(listing *out)
{
    dfl_sparse_form *form = out->form;
    form->nparts = out->count = 0;
    list_differential(out);
    list_algebraic(out);
    list_positions(out);
    if (form->base.sys->eom->n0 > 0)
        list_massless(out);
    list_identity(out, form->J, form->row.e, form->kappa, form->base.sys->eom->ne, 0);
    if (form->base.defect > 0)
        list_dropped(out);
}

/* The pattern of places that are there; at[k] := -1 for those that are not. */
static dfl_status make_pattern(dfl_sparse_form *form, dfl_place_of_entry *list, int count)
{
    dfl_context *ctx = form->base.sys->ctx;
    int *at = dfl_alloc(ctx, (size_t)count + 1, sizeof *at), kept = 0;
    if (!at)
        return DFL_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        form->at[k] = list[k].row < 0 ? -1 : kept;
        if (list[k].row >= 0)
            list[kept++] = list[k];
    }
    dfl_status status =
        dfl_csc_create(&form->matrix, at, ctx, form->order, form->order, list, kept);
    for (int k = 0; !status && k < count; k++)
        form->at[k] = form->at[k] < 0 ? -1 : at[form->at[k]];
    dfl_free(ctx, at);
    return status;
}

/* Not before they are needed: a condensed matrix may serve all steps. */
static dfl_status create_factors(dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    const size_t entries = (size_t)form->matrix.start[form->order];
    dfl_status status = DFL_OK;
    for (int k = 0; !status && 2 * k < form->base.needs.stages; k++) {
        form->value[k] = dfl_alloc(ctx, entries * (k > 0 ? 2 : 1) + 1, sizeof(double));
        status = form->value[k]
                     ? dfl_sparse_lu_create(&form->lu[k], ctx, &form->matrix, k > 0, form->lu[0])
                     : DFL_NO_MEMORY;
    }
    if (status) /* the next matrix begins anew */
        dfl_sparse_matrix_clear(form);
    return status;
}

static dfl_status create_matrix(dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    dfl_sparse_matrix_clear(form);
    listing count = {.form = form};
    list_all(&count);
    listing all = {.form = form, .list = dfl_alloc(ctx, (size_t)count.count + 1, sizeof *all.list)};
    form->at = dfl_alloc(ctx, (size_t)count.count + 1, sizeof *form->at);
    form->E = dfl_alloc(ctx, (size_t)count.count + 1, sizeof(double));
    form->J = dfl_alloc(ctx, (size_t)count.count + 1, sizeof(double));
    dfl_status status = all.list && form->at && form->E && form->J ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        list_all(&all);
        status = make_pattern(form, all.list, all.count);
    }
    dfl_free(ctx, all.list);
    return status;
}

dfl_status dfl_sparse_matrix_renew(dfl_sparse_form *form)
{
    if (!form->alone && !form->condensed)
        return create_matrix(form);
    dfl_sparse_matrix_clear(form);
    return DFL_OK;
}

void dfl_sparse_matrix_clear(dfl_sparse_form *form)
{
    dfl_context *ctx = form->base.sys->ctx;
    for (int k = DFL_SPARSE_FACTORS - 1; k >= 0; k--) {
        dfl_sparse_lu_free(form->lu[k]);
        dfl_free(ctx, form->value[k]);
        form->lu[k] = NULL;
        form->value[k] = NULL;
    }
    dfl_csc_clear(&form->matrix, ctx);
    dfl_free(ctx, form->at);
    dfl_free(ctx, form->E);
    dfl_free(ctx, form->J);
    form->at = NULL;
    form->E = form->J = NULL;
}

/* Rows of invariants that are not in use: kappa = 0. */
static void suspend_invariants(dfl_sparse_form *form)
{
    const dfl_csc *A = &form->matrix;
    const int first = form->row.e, ne = form->base.sys->eom->ne;
    for (int j = 0; form->base.nactive < ne && j < A->columns; j++)
        for (int k = A->start[j]; k < A->start[j + 1]; k++) {
            const int i = A->row[k] - first;
            if (i >= 0 && i < ne && !form->invariants.active[i])
                form->J[k] = j == form->kappa + i;
        }
}

void dfl_sparse_matrix_assemble(dfl_sparse_form *form)
{
    const size_t size = (size_t)form->matrix.start[form->order] * sizeof(double);
    memset(form->E, 0, size);
    memset(form->J, 0, size);
    for (int p = 0; p < form->nparts; p++) {
        const dfl_sparse_part *part = &form->part[p];
        const int *at = form->at + part->first;
        for (int k = 0; k < part->count; k++)
            if (at[k] >= 0)
                part->into[at[k]] += part->source ? part->factor * part->source[k] : part->factor;
    }
    suspend_invariants(form);
}

dfl_outcome dfl_sparse_matrix_factor(dfl_sparse_form *form, int stages)
{
    const dfl_shifts *zeta = &form->base.shifts;
    bool good = true;
    form->factored = stages;
    form->base.sys->stats->pivoted++;
    if ((!form->matrix.start && create_matrix(form)) || (!form->lu[0] && create_factors(form)))
        return dfl_system_part_trouble(form->base.sys, DFL_STEP_SINGULAR, DFL_FAILURE_NEWTON_MATRIX,
                                       0);
    dfl_sparse_matrix_assemble(form);
    const int entries = form->matrix.start[form->order];
    for (int i = 0; i < entries; i++)
        form->value[0][i] = zeta->re[0] * form->E[i] - form->J[i];
    good = dfl_sparse_lu_factor(form->lu[0], form->value[0]);
    for (int k = 1; good && 2 * k < stages; k++) {
        double *value = form->value[k];
        for (int i = 0; i < entries; i++) {
            value[2 * i] = zeta->re[2 * k] * form->E[i] - form->J[i];
            value[2 * i + 1] = zeta->im[2 * k] * form->E[i];
        }
        good = dfl_sparse_lu_factor(form->lu[k], value);
    }
    return good ? DFL_STEP_OK
                : dfl_system_part_trouble(form->base.sys, DFL_STEP_SINGULAR,
                                          DFL_FAILURE_NEWTON_MATRIX, 0);
}
