/* Block 1 with packed matrices: f_dyn - M a - K0 sigma = 0, K0^T a = 0, d = 0, W a + bias = 0 for
   a, sigma, w, l, m at a state whose positions and velocities are known, by Newton's method with a
   sparse LU. Rows that depend on others keep their multipliers; then all are reduced to those of
   least norm. */
#include "initial/packed_start.h"

#include "context/context.h"

#include <string.h>

static const double nothing = 1e-10; /* of the units: where all forces vanish rounding is left */

/* Entries of one source: in the list of places, one after another. */
typedef struct places {
    dfl_place_of_entry *list;
    int count;
} places;

static void place(places *out, int row, int column)
{
    if (out->list)
        out->list[out->count] = (dfl_place_of_entry){row, column};
    out->count++;
}

/* Columns first .. last-1 of a block that are unknowns here, at `row`; rows of accelerations that
   are left out have no entries. */
static void place_block(places *out, const dfl_initial *init, const dfl_pattern *p, int last,
                        int row, int column, bool accelerations)
{
    for (int j = 0; p->column_start && j < last; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            place(out, accelerations && init->packed->left_out[p->row[k]] ? -1 : row + p->row[k],
                  column + j);
}

/* The same block transposed, at row `row` of the first columns. */
static void place_transposed(places *out, const dfl_pattern *p, int last, int row)
{
    for (int j = 0; p->column_start && j < last; j++)
        for (int k = p->column_start[j]; k < p->column_start[j + 1]; k++)
            place(out, row + j, p->row[k]);
}

/* All of them, in the order in which `fill` reads the numbers. */
static void place_all(places *out, const dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_sparsity *s = sys->packed;
    const int nv = sys->n3, wlm = sys->eom->nw + sys->nc, acc = sys->row.acc;
    for (int j = 0; sys->mass.diagonal && j < nv; j++)
        place(out, j, j);
    if (!sys->mass.diagonal)
        place_block(out, init, &s->M, nv, 0, 0, false);
    place_block(out, init, &s->K0, sys->eom->n0, 0, nv, false);
    place_transposed(out, &s->K0, sys->eom->n0, nv);
    place_block(out, init, &s->dyn, wlm, 0, sys->na, false);
    place_block(out, init, &s->d, wlm, sys->row.d, sys->na, false);
    place_block(out, init, &s->acc, wlm, acc, sys->na, true);
    place_block(out, init, &s->W, nv, acc, 0, true);
    for (int i = 0; i < sys->nc; i++)
        place(out, init->packed->left_out[i] ? acc + i : -1, sys->at.l + i);
}

static void add_numbers(double *value, const int **at, const double *source, size_t count,
                        double factor)
{
    for (size_t k = 0; k < count; k++, ++*at)
        if (**at >= 0)
            value[**at] += source ? factor * source[k] : factor;
}

static void fill(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    const dfl_sparsity *s = sys->packed;
    dfl_packed_start *ps = init->packed;
    const dfl_jacobian *b = &ps->jac.blocks;
    const int wlm = sys->eom->nw + sys->nc;
    const int *at = ps->at;
    memset(ps->value, 0, (size_t)ps->matrix.start[ps->matrix.columns] * sizeof(double));
    add_numbers(ps->value, &at, ps->jac.M, dfl_system_mass_entries(sys), -1);
    add_numbers(ps->value, &at, ps->jac.K0, dfl_system_K0_entries(sys), -1);
    add_numbers(ps->value, &at, ps->jac.K0, dfl_system_K0_entries(sys), 1);
    add_numbers(ps->value, &at, b->dyn, dfl_pattern_entries(&s->dyn, wlm), 1);
    add_numbers(ps->value, &at, b->d, dfl_pattern_entries(&s->d, wlm), 1);
    add_numbers(ps->value, &at, b->acc, dfl_pattern_entries(&s->acc, wlm), 1);
    add_numbers(ps->value, &at, init->point.blocks.W, dfl_system_W_entries(sys), 1);
    add_numbers(ps->value, &at, NULL, (size_t)sys->nc, 1);
}

/* The pattern for the rows that are left out now. */
static dfl_status lay_out(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    dfl_context *ctx = sys->ctx;
    dfl_packed_start *ps = init->packed;
    const int n = sys->n1;
    if (ps->lu && !memcmp(ps->left_out, ps->laid_out_for, (size_t)sys->nc))
        return DFL_OK;
    dfl_packed_saddle_clear(init);
    places all = {0};
    place_all(&all, init);
    const size_t room = (size_t)all.count + 1;
    all = (places){.list = dfl_alloc(ctx, room, sizeof *all.list)};
    int *entry = dfl_alloc(ctx, room, sizeof *entry), kept = 0;
    ps->at = dfl_alloc(ctx, room, sizeof *ps->at);
    ps->value = dfl_alloc(ctx, room, sizeof(double));
    ps->right = dfl_alloc(ctx, (size_t)n + 1, sizeof(double));
    dfl_status status =
        all.list && entry && ps->at && ps->value && ps->right ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        place_all(&all, init);
        for (int k = 0; k < all.count; k++) {
            ps->at[k] = all.list[k].row < 0 ? -1 : kept;
            if (all.list[k].row >= 0)
                all.list[kept++] = all.list[k];
        }
        status = dfl_csc_create(&ps->matrix, entry, ctx, n, n, all.list, kept);
    }
    for (int k = 0; !status && k < all.count; k++)
        ps->at[k] = ps->at[k] < 0 ? -1 : entry[ps->at[k]];
    dfl_free(ctx, all.list);
    dfl_free(ctx, entry);
    if (!status)
        status = dfl_sparse_lu_create(&ps->lu, ctx, &ps->matrix, false, NULL);
    memcpy(ps->laid_out_for, ps->left_out, (size_t)sys->nc);
    return status;
}

void dfl_packed_saddle_clear(dfl_initial *init)
{
    dfl_context *ctx = init->sys.ctx;
    dfl_packed_start *ps = init->packed;
    dfl_sparse_lu_free(ps->lu);
    dfl_csc_clear(&ps->matrix, ctx);
    dfl_free(ctx, ps->at);
    dfl_free(ctx, ps->value);
    dfl_free(ctx, ps->right);
    ps->lu = NULL;
    ps->at = NULL;
    ps->value = ps->right = NULL;
}

/* One step of Newton's method; *relative: its size compared with the unknowns. */
static dfl_status step(double *relative, dfl_initial *init)
{
    dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    const int n = sys->n1;
    double size = 0, largest = 0;
    const dfl_status status = dfl_packed_start_evaluate(init);
    if (status)
        return status;
    fill(init);
    for (int i = 0; i < n; i++)
        ps->right[i] = -init->point.alg[i];
    for (int i = 0; i < sys->nc; i++)
        if (ps->left_out[i])
            ps->right[sys->row.acc + i] = 0; /* it stays what it is */
    if (!dfl_sparse_lu_factor(ps->lu, ps->value) || !dfl_sparse_lu_solve(ps->right, ps->lu)) {
        init->failure = DFL_FAILURE_MULTIPLIERS;
        return dfl_fail(sys->ctx, DFL_INCONSISTENT,
                        "accelerations, multipliers and auxiliary variables are not determined at "
                        "the start, t = %g: a direction may have neither mass nor constraint",
                        init->point.t);
    }
    for (int i = 0; i < n; i++) {
        init->x[i] += ps->right[i];
        size = fmax(size, fabs(ps->right[i]));
        const double *unit = dfl_system_units(sys, i);
        largest = fmax(largest, fmax(fabs(init->x[i]), nothing * (unit ? *unit : 1)));
    }
    *relative = largest > 0 ? size / largest : 0;
    return DFL_OK;
}

/* Newton's method, with multipliers of rows that are left out as they are. */
static dfl_status iterate(dfl_initial *init)
{
    enum { MOST = 30 };
    const dfl_eom *eom = init->sys.eom;
    const bool linear = eom->forces_free_of_multipliers && eom->nw == 0;
    double relative = 0, last = INFINITY;
    dfl_status status = DFL_OK;
    for (int it = 0; !status && it < MOST; it++) {
        status = step(&relative, init);
        if (relative <= 1e-14 || (it > 0 && linear) ||
            (relative <= 1e-10 && relative >= 0.5 * last))
            break;
        last = relative;
    }
    init->converged = init->converged && relative <= (linear ? 1e-4 : 1e-8);
    return status;
}

dfl_status dfl_packed_least_rows(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    return ps->least ? DFL_OK
                     : dfl_least_rows_create(&ps->least, sys->ctx, &ps->W, sys->packed->uncounted);
}

/* Multipliers of least norm with the same force W^T (l, m). */
static dfl_status take_least(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_start *ps = init->packed;
    const double *W = init->point.blocks.W;
    double *l = init->x + sys->at.l;
    const dfl_status status = dfl_packed_least_rows(init);
    if (status)
        return status;
    dfl_packed_take_units(init);
    memset(ps->dx, 0, (size_t)sys->n3 * sizeof *ps->dx);
    dfl_csc_add_transposed(ps->dx, ps->W.start, ps->W.row, sys->n3, W, 1, l);
    if (dfl_least_rows_factor(ps->least, ps->D, W))
        dfl_least_rows_solve(l, ps->least, ps->dx);
    return DFL_OK;
}

dfl_status dfl_packed_saddle_complete(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    int undetermined = 0;
    dfl_status status = dfl_packed_start_dependent(&undetermined, init);
    if (!status)
        status = lay_out(init);
    if (sys->n1 == 0 || status)
        return status;
    for (int i = 0; i < sys->nc; i++)
        if (init->packed->left_out[i])
            init->x[sys->at.l + i] = 0;
    status = iterate(init);
    if (status || undetermined == 0)
        return status;
    status = take_least(init);
    return status || sys->eom->forces_free_of_multipliers ? status : iterate(init);
}
