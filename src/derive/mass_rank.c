/* mass_rank.c: which velocities have no mass left once others are eliminated.

   The decision is taken once, at the start and near it, and kept: a rank that is lower only at the
   start is a singular position. mass_pivots.h says when a pivot vanishes. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"
#include "derive/mass_pivots.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

_Static_assert((int)DFL_MASS_COPIES == (int)DFL_TRIALS, "one copy of M per trial");

/* Parts of a massless motion below this one, measured by mass, are rounding. */
static const double support_ratio = 1e-9;

static const unsigned state_kinds = 1U << DFL_SYM_P | 1U << DFL_SYM_S | 1U << DFL_SYM_TIME;

static dfl_status take_copies(dfl_mass_copies *out, const dfl_trials *trials, int count);
static dfl_status create_lists(dfl_elimination *out, dfl_context *ctx, int nv);
static void eliminate_all(dfl_elimination *out, dfl_mass_copies *copies);
static dfl_status refuse_negative(const dfl_equations *eq, const dfl_mass_copies *copies);
static void mark_support(dfl_elimination *el, const dfl_mass_copies *copies);
static dfl_status collect_directions(double **basis, int *count, dfl_context *ctx,
                                     const dfl_elimination *el, const dfl_mass_copies *copies);

/* M at the start by its nonzeros, with a diagonal, and room for its numbers. */
typedef struct packed_mass {
    dfl_csc pattern, no_rows;
    int *at, *diagonal; /* entries of M in the pattern */
    double *value, *packed;
    dfl_expr *exprs;
    dfl_saddle_ldl *ldl;
} packed_mass;

static void clear_packed(packed_mass *m, dfl_context *ctx)
{
    dfl_saddle_ldl_free(m->ldl);
    dfl_csc_clear(&m->pattern, ctx);
    dfl_csc_clear(&m->no_rows, ctx);
    void *const blocks[] = {m->at, m->value, m->packed, m->exprs};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
}

static dfl_status create_packed(packed_mass *out, const dfl_equations *eq)
{
    const dfl_sparse *M = &eq->M;
    dfl_context *ctx = eq->model->ctx;
    const size_t room = (size_t)M->count + (size_t)eq->nv + 1;
    dfl_place_of_entry *place = dfl_alloc(ctx, room, sizeof *place);
    *out = (packed_mass){.at = dfl_alloc(ctx, room, sizeof *out->at),
                         .value = dfl_alloc(ctx, room, sizeof *out->value),
                         .packed = dfl_alloc(ctx, room, sizeof *out->packed),
                         .exprs = dfl_alloc(ctx, room, sizeof *out->exprs)};
    dfl_status status =
        place && out->at && out->value && out->packed && out->exprs ? DFL_OK : DFL_NO_MEMORY;
    for (int k = 0; !status && k < M->count; k++) {
        place[k] = (dfl_place_of_entry){M->entry[k].row, M->entry[k].col};
        out->exprs[k] = M->entry[k].expr;
    }
    for (int j = 0; !status && j < eq->nv; j++)
        place[M->count + j] = (dfl_place_of_entry){j, j};
    out->diagonal = out->at ? out->at + M->count : NULL;
    if (!status)
        status =
            dfl_csc_create(&out->pattern, out->at, ctx, eq->nv, eq->nv, place, M->count + eq->nv);
    if (!status)
        status = dfl_csc_create(&out->no_rows, NULL, ctx, 0, eq->nv, place, 0);
    if (!status)
        status = dfl_saddle_ldl_create(&out->ldl, ctx, &out->pattern, &out->no_rows);
    dfl_free(ctx, place);
    return status;
}

/* Velocities of joints between bodies with absolute coordinates need no mass. */
static bool needs_mass(const dfl_equations *eq, int velocity)
{
    return !dfl_model_owner(eq->model, dfl_equations_v(eq)[velocity].symbol)->follows;
}

/* Large mass matrices are sparse: whether M without `dfl_mass_light` of its diagonal is still
   positive definite at the start, so that no pivot is below this part of it. False: not known. */
static dfl_status regular_at_once(bool *out, const dfl_trials *trials)
{
    enum { LARGE = 60 };
    const dfl_equations *eq = trials->eq;
    packed_mass m;
    double none = 0;
    *out = false;
    if ((eq->nv < LARGE && !eq->placing) || !trials->usable[0])
        return DFL_OK;
    dfl_status status = create_packed(&m, eq);
    const dfl_numbers numbers = dfl_trials_numbers(trials, 0);
    if (!status)
        status = dfl_numbers_values(m.value, &numbers, eq, m.exprs, eq->M.count);
    for (int k = 0; !status && k < eq->M.count; k++)
        m.packed[m.at[k]] = m.value[k];
    for (int j = 0; !status && j < eq->nv; j++) {
        double *diagonal = &m.packed[m.diagonal[j]];
        *diagonal = *diagonal == 0 && !needs_mass(eq, j) ? 1 : *diagonal * (1 - dfl_mass_light);
    }
    *out = !status && dfl_all_finite(m.value, eq->M.count) &&
           dfl_saddle_ldl_factor(m.ldl, m.packed, &none, 0, NULL);
    clear_packed(&m, eq->model->ctx);
    return status;
}

dfl_status dfl_elimination_regular(bool *out, const dfl_trials *trials)
{
    dfl_status tried = regular_at_once(out, trials);
    if (!tried && trials->eq->placing && trials->usable[0])
        tried = dfl_masses_are_held(out, trials);
    if (tried || *out || trials->eq->placing)
        return tried;
    dfl_mass_copies copies;
    const dfl_status status = take_copies(&copies, trials, 1);
    *out = !status && copies.A[0];
    for (int k = 0; *out && k < copies.nv; k++) {
        const int pivot = dfl_mass_choose(&copies);
        *out = pivot >= 0 && dfl_mass_worst(&copies, pivot) > dfl_mass_light;
        if (*out)
            dfl_mass_eliminate(&copies, pivot);
        *out = *out && copies.negative == 0;
    }
    dfl_mass_copies_clear(&copies, trials->eq->model->ctx);
    return status;
}

dfl_status dfl_elimination_create(dfl_elimination *out, const dfl_trials *trials)
{
    dfl_context *ctx = trials->eq->model->ctx;
    dfl_mass_copies copies;
    dfl_status status = create_lists(out, ctx, trials->eq->nv);
    const dfl_status taken = take_copies(&copies, trials, DFL_TRIALS);
    if (!status)
        status = taken;
    if (!status && (copies.A[0] || copies.A[1] || copies.A[2])) {
        eliminate_all(out, &copies);
        mark_support(out, &copies);
    }
    if (copies.indefinite) /* not a mass matrix: the start will say so */
        out->nfree = 0;
    if (!status && copies.negative > 0)
        status = refuse_negative(trials->eq, &copies);
    dfl_mass_copies_clear(&copies, ctx);
    if (status)
        dfl_elimination_clear(out, ctx);
    return status;
}

/* The line of a term mass(u, v, ...) between two velocities; 0: there is none. */
static int line_between(const dfl_equations *eq, int i, int j)
{
    const dfl_expr u = dfl_equations_v(eq)[i].symbol, v = dfl_equations_v(eq)[j].symbol;
    for (int k = 0; k < eq->model->masses.count; k++) {
        const dfl_contribution *m = &eq->model->masses.item[k];
        if ((m->u == u && m->v == v) || (m->u == v && m->v == u))
            return m->line;
    }
    return eq->model->energy.kinetic_line;
}

/* The velocity whose mass together with that of i is too large for the masses of both: M_ij^2 >
   M_ii M_jj; -1: none. */
static int coupled_too_much(const double *M, int nv, int i)
{
    for (int j = 0; j < nv; j++)
        if (j != i && M[i * nv + j] * M[i * nv + j] > M[i * nv + i] * M[j * nv + j])
            return j;
    return -1;
}

static dfl_status refuse_negative(const dfl_equations *eq, const dfl_mass_copies *copies)
{
    const int i = copies->negative - 1, nv = eq->nv;
    const dfl_model *model = eq->model;
    const dfl_variable *v = dfl_equations_v(eq);
    const dfl_declaration *declared = dfl_model_owner(model, v[i].symbol);
    const int line = model->energy.kinetic_line;
    const double *M = copies->M[0] ? copies->M[0] : copies->M[1] ? copies->M[1] : copies->M[2];
    const int j = M[i * nv + i] > 0 ? coupled_too_much(M, nv, i) : -1;
    if (j >= 0)
        return dfl_model_fail(
            model, line_between(eq, i, j),
            "the mass between %s and %s, %g, is too large for their own masses, "
            "%g and %g: some motion of both has negative kinetic energy; its square "
            "must be less than their product",
            v[j].name, v[i].name, M[i * nv + j], M[j * nv + j], M[i * nv + i]);
    if (M[i * nv + i] > 0)
        return dfl_model_fail(
            model, line,
            "the mass matrix is not positive: some motion of %s together with "
            "others has negative kinetic energy; check the masses between velocities",
            v[i].name);
    return dfl_model_fail(model,
                          line > 0   ? line
                          : declared ? declared->line
                                     : 0,
                          "the mass along %s is negative: a motion along it has negative kinetic "
                          "energy; give masses that are 0 or more, also with --set",
                          v[i].name);
}

void dfl_elimination_clear(dfl_elimination *elimination, dfl_context *ctx)
{
    dfl_free(ctx, elimination->order);
    dfl_free(ctx, elimination->free);
    dfl_free(ctx, elimination->after);
    dfl_free(ctx, elimination->support);
    *elimination = (dfl_elimination){0};
}

dfl_status dfl_mass_null_space(double **basis, int *count, dfl_context *ctx, const double *M,
                               int nv)
{
    dfl_mass_copies copies;
    dfl_elimination el;
    const size_t size = (size_t)nv * (size_t)nv;
    *basis = NULL;
    dfl_status status = create_lists(&el, ctx, nv);
    const dfl_status created = dfl_mass_copies_create(&copies, ctx, nv);
    double *copy = dfl_mass_copies_add(&copies, ctx, 0);
    if (!status)
        status = created || !copy ? DFL_NO_MEMORY : DFL_OK;
    if (!status && !dfl_all_finite(M, nv * nv))
        status = dfl_fail(ctx, DFL_NOT_FINITE, "the mass matrix contains NaN or Inf");
    if (!status) {
        memcpy(copy, M, size * sizeof *copy);
        status = dfl_mass_copies_begin(&copies, ctx);
    }
    if (!status && copies.A[0])
        eliminate_all(&el, &copies);
    if (!status && (copies.indefinite || !copies.A[0])) /* not a mass matrix */
        status = dfl_null_space(basis, count, ctx, copy, nv, nv);
    else if (!status)
        status = collect_directions(basis, count, ctx, &el, &copies);
    dfl_mass_copies_clear(&copies, ctx);
    dfl_elimination_clear(&el, ctx);
    return status;
}

static dfl_status create_lists(dfl_elimination *out, dfl_context *ctx, int nv)
{
    *out = (dfl_elimination){.nv = nv, .negligible = -1, .ratio = 1.0};
    out->order = dfl_alloc(ctx, (size_t)nv, sizeof(int));
    out->free = dfl_alloc(ctx, (size_t)nv, sizeof(int));
    out->after = dfl_alloc(ctx, (size_t)nv, sizeof(int));
    out->support = dfl_alloc(ctx, (size_t)nv, 1);
    return out->order && out->free && out->after && out->support ? DFL_OK : DFL_NO_MEMORY;
}

/* M at the first `count` trials that are usable. */
static dfl_status take_copies(dfl_mass_copies *out, const dfl_trials *trials, int count)
{
    const dfl_equations *eq = trials->eq;
    dfl_context *ctx = eq->model->ctx;
    dfl_status status = dfl_mass_copies_create(out, ctx, eq->nv);
    for (int k = 0; !status && k < eq->M.count; k++) {
        const dfl_entry *entry = &eq->M.entry[k];
        if (entry->row == entry->col)
            out->moving[entry->row] =
                (dfl_node_of(eq->graph, entry->expr)->depends & state_kinds) != 0;
    }
    for (int k = 0; !status && k < count; k++) {
        const dfl_numbers numbers = dfl_trials_numbers(trials, k);
        if (!trials->usable[k])
            continue;
        double *M = dfl_mass_copies_add(out, ctx, k);
        status = M ? dfl_numbers_matrix(M, &numbers, eq, &eq->M) : DFL_NO_MEMORY;
    }
    return status ? status : dfl_mass_copies_begin(out, ctx);
}

static void eliminate_all(dfl_elimination *out, dfl_mass_copies *copies)
{
    for (;;) {
        for (int i = 0; i < copies->nv; i++)
            if (dfl_mass_release(copies, i)) {
                out->free[out->nfree] = i;
                out->after[out->nfree++] = copies->rank;
            }
        const int pivot = dfl_mass_choose(copies);
        if (pivot < 0)
            return;
        const double ratio = dfl_mass_largest(copies, pivot);
        if (ratio < dfl_mass_light && ratio < out->ratio) {
            out->ratio = ratio;
            out->negligible = pivot;
        }
        out->order[out->rank++] = pivot;
        dfl_mass_eliminate(copies, pivot);
    }
}

/* Pivots whose part in a massless motion, measured by mass, is not rounding, in any copy. */
static void mark_support(dfl_elimination *el, const dfl_mass_copies *copies)
{
    const size_t nv = (size_t)el->nv;
    double *y = copies->k;
    bool seen = false;
    for (int copy = 0; copy < DFL_MASS_COPIES; copy++) {
        if (!copies->A[copy] || copies->given_up[copy])
            continue;
        seen = true;
        for (int f = 0; f < el->nfree; f++) {
            double largest = 0.0;
            dfl_mass_direction(y, copies, copy, el->free[f], el->after[f]);
            for (size_t i = 0; i < nv; i++) {
                y[i] = fabs(y[i]) * sqrt(fabs(copies->M[copy][i * (nv + 1)]));
                largest = fmax(largest, y[i]);
            }
            for (int k = 0; k < el->after[f]; k++)
                if (y[el->order[k]] > support_ratio * largest)
                    el->support[el->order[k]] = 1;
        }
    }
    if (!seen)
        memset(el->support, 1, nv);
}

/* One column per free velocity, as numbers. */
static dfl_status collect_directions(double **basis, int *count, dfl_context *ctx,
                                     const dfl_elimination *el, const dfl_mass_copies *copies)
{
    const size_t nv = (size_t)el->nv;
    *basis = dfl_alloc(ctx, nv * (size_t)el->nfree, sizeof **basis);
    *count = el->nfree;
    for (int f = 0; *basis && f < el->nfree; f++)
        dfl_mass_direction(*basis + (size_t)f * nv, copies, 0, el->free[f], el->after[f]);
    return *basis ? DFL_OK : DFL_NO_MEMORY;
}
