/* packed.c: models whose matrices contain nonzeros only (dfl_sparsity). */
#include "eom/eom_internal.h"
#include "linalg/linalg.h"

#include "context/context.h"

#include <string.h>

enum { PATTERNS = 11 };

/* All patterns with their names and sizes. */
typedef struct sized_pattern {
    const char *name;
    const dfl_pattern *pattern;
    int rows, columns;
    bool needed;
} sized_pattern;

static void list_patterns(sized_pattern *list, const dfl_eom *eom)
{
    const dfl_sparsity *s = eom->sparsity;
    const int nc = eom->nl + eom->nm, n = dfl_eom_unknowns(eom), nv = eom->nv;
    const int sp = eom->ns + eom->np, vsp = nv + sp;
    const sized_pattern all[PATTERNS] = {{"W", &s->W, nc, nv, true},
                                         {"M", &s->M, nv, nv, eom->mass && !eom->mass_diagonal},
                                         {"d", &s->d, eom->nw, n, eom->nw > 0},
                                         {"acc", &s->acc, nc, n, true},
                                         {"vel", &s->vel, nc + eom->ne, vsp, true},
                                         {"pos", &s->pos, eom->ns + eom->nl + eom->nep, sp, true},
                                         {"b", &s->b, eom->nr, n, eom->nr > 0},
                                         {"dyn", &s->dyn, nv, n, true},
                                         {"kin", &s->kin, eom->np, vsp, !eom->trivial_kinematics},
                                         {"K0", &s->K0, nv, eom->n0, eom->n0 > 0},
                                         {"gam", &s->gam, eom->n0, n, eom->n0 > 0}};
    memcpy(list, all, sizeof all);
}

static dfl_status check_pattern(dfl_context *ctx, const sized_pattern *p)
{
    const int *start = p->pattern->column_start, *row = p->pattern->row;
    if (!start)
        return p->needed
                   ? dfl_fail(ctx, DFL_INVALID, "sparsity: the pattern of %s is missing", p->name)
                   : DFL_OK;
    if (start[0] != 0)
        return dfl_fail(ctx, DFL_INVALID, "sparsity: column_start of %s must begin with 0",
                        p->name);
    for (int j = 0; j < p->columns; j++) {
        if (start[j + 1] < start[j] || (start[j + 1] > start[j] && !row))
            return dfl_fail(ctx, DFL_INVALID, "sparsity: column %d of %s has no valid rows", j,
                            p->name);
        for (int k = start[j]; k < start[j + 1]; k++)
            if (row[k] < 0 || row[k] >= p->rows || (k > start[j] && row[k] <= row[k - 1]))
                return dfl_fail(ctx, DFL_INVALID,
                                "sparsity: the rows of column %d of %s must ascend from 0 to %d", j,
                                p->name, p->rows - 1);
    }
    return DFL_OK;
}

dfl_status dfl_packed_check(dfl_context *ctx, const dfl_eom *eom)
{
    sized_pattern list[PATTERNS];
    if (eom->contract != DFL_NATIVE || eom->mass_times || eom->residual || !eom->jacobian ||
        eom->no_bias)
        return dfl_fail(ctx, DFL_INVALID,
                        "sparsity needs the native contract with `jacobian` and bias, and `mass` "
                        "instead of mass_times and residual");
    if (eom->sparsity->following && !eom->sparsity->uncounted && eom->nl + eom->nm > 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "sparsity: `following` needs `uncounted`, the constraints that determine "
                        "these unknowns");
    list_patterns(list, eom);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < PATTERNS; i++)
        status = check_pattern(ctx, &list[i]);
    return status;
}

size_t dfl_system_mass_entries(const dfl_system *sys)
{
    const size_t nv = (size_t)sys->eom->nv;
    if (sys->mass.diagonal)
        return nv;
    return sys->packed ? dfl_pattern_entries(&sys->packed->M, sys->eom->nv) : nv * nv;
}

size_t dfl_system_W_entries(const dfl_system *sys)
{
    return sys->packed ? dfl_pattern_entries(&sys->packed->W, sys->eom->nv)
                       : (size_t)sys->nc * (size_t)sys->eom->nv;
}

size_t dfl_system_K0_entries(const dfl_system *sys)
{
    return sys->packed ? dfl_pattern_entries(&sys->packed->K0, sys->eom->n0)
                       : (size_t)sys->eom->n0 * (size_t)sys->eom->nv;
}

/* Entries first .. end-1 of column k of K0 belong to rows row[.], or, if that is NULL, to rows from
   0 on. */
typedef struct direction {
    int first, end;
    const int *row;
} direction;

static direction direction_of(const dfl_system *sys, int k)
{
    if (!sys->packed)
        return (direction){k * sys->n3, (k + 1) * sys->n3, NULL};
    const int *start = sys->packed->K0.column_start;
    return (direction){start[k], start[k + 1], sys->packed->K0.row};
}

void dfl_system_add_along(double *y, const dfl_system *sys, const double *K0, double factor,
                          const double *z)
{
    for (int k = 0; k < sys->eom->n0; k++) {
        const direction d = direction_of(sys, k);
        for (int i = d.first; i < d.end; i++)
            y[d.row ? d.row[i] : i - d.first] += factor * K0[i] * z[k];
    }
}

void dfl_system_take_along(double *z, const dfl_system *sys, const double *K0, const double *y)
{
    for (int k = 0; k < sys->eom->n0; k++) {
        const direction d = direction_of(sys, k);
        z[k] = 0;
        for (int i = d.first; i < d.end; i++)
            z[k] += K0[i] * y[d.row ? d.row[i] : i - d.first];
    }
}

bool dfl_system_is_massless(const dfl_system *sys, const double *K0, int j)
{
    for (int k = 0; k < sys->eom->n0; k++) {
        const direction d = direction_of(sys, k);
        for (int i = d.first; i < d.end; i++)
            if ((d.row ? d.row[i] : i - d.first) == j && K0[i] != 0)
                return true;
    }
    return false;
}

void dfl_system_W_row(double *out, const dfl_system *sys, const double *W, int row)
{
    for (int j = 0; j < sys->eom->nv; j++) {
        int at, k = 0;
        const int count = dfl_system_W_column(sys, j);
        if (!sys->packed)
            out[j] = dfl_system_W_entry(&at, sys, W, j, row);
        for (; sys->packed && k < count; k++) {
            const double value = dfl_system_W_entry(&at, sys, W, j, k);
            if (at == row)
                out[j] = value;
        }
    }
}

void dfl_packed_subtract_forces(double *y, const dfl_system *sys, const double *W, const double *l)
{
    const dfl_pattern *p = &sys->packed->W;
    dfl_csc_add_transposed(y, p->column_start, p->row, sys->n3, W, -1, l);
}

void dfl_packed_add_rates(double *y, const dfl_system *sys, const double *W, const double *a)
{
    const dfl_pattern *p = &sys->packed->W;
    dfl_csc_add(y, p->column_start, p->row, sys->n3, W, 1, a);
}

void dfl_packed_mass_product(double *y, const dfl_system *sys, const double *M, const double *a)
{
    const dfl_pattern *p = &sys->packed->M;
    memset(y, 0, (size_t)sys->n3 * sizeof *y);
    dfl_csc_add(y, p->column_start, p->row, sys->n3, M, 1, a);
}

dfl_status dfl_packed_jacobian_init(dfl_packed_jacobian *jac, const dfl_system *sys)
{
    dfl_jacobian *b = &jac->blocks;
    double **const block[PATTERNS] = {NULL,  NULL,    &b->d,   &b->acc, &b->vel, &b->pos,
                                      &b->b, &b->dyn, &b->kin, NULL,    &b->gam};
    sized_pattern list[PATTERNS];
    memset(jac, 0, sizeof *jac);
    list_patterns(list, sys->eom);
    for (int i = 0; i < PATTERNS; i++)
        jac->entries += block[i] ? dfl_pattern_entries(list[i].pattern, list[i].columns) : 0;
    jac->store = dfl_alloc(sys->ctx, jac->entries + 1, sizeof(double));
    jac->M = dfl_alloc(sys->ctx, dfl_system_mass_entries(sys) + 1, sizeof(double));
    double *at = jac->store;
    for (int i = 0; jac->store && i < PATTERNS; i++)
        if (block[i]) {
            *block[i] = at;
            at += dfl_pattern_entries(list[i].pattern, list[i].columns);
        }
    if (sys->eom->n0 > 0) {
        jac->K0 = dfl_alloc(sys->ctx, dfl_system_K0_entries(sys) + 1, sizeof(double));
        jac->W = dfl_alloc(sys->ctx, dfl_system_W_entries(sys) + 1, sizeof(double));
        if (!jac->K0 || !jac->W)
            return DFL_NO_MEMORY;
    }
    return jac->store && jac->M ? DFL_OK : DFL_NO_MEMORY;
}

void dfl_packed_jacobian_clear(dfl_packed_jacobian *jac, dfl_context *ctx)
{
    dfl_free(ctx, jac->store);
    dfl_free(ctx, jac->M);
    dfl_free(ctx, jac->K0);
    dfl_free(ctx, jac->W);
}

/* Names the first entry that is not finite. */
static dfl_outcome nonfinite(const dfl_packed_jacobian *jac, dfl_system *sys, double t)
{
    enum { GAM = 3, DYN = 6 }; /* blocks of dfl_stack */
    static const int stack[PATTERNS] = {-1, DYN, 0, 1, 2, 4, 5, DYN, 7, DYN, GAM};
    const dfl_jacobian *b = &jac->blocks;
    const double *const block[PATTERNS] = {NULL, jac->M, b->d,   b->acc,  b->vel, b->pos,
                                           b->b, b->dyn, b->kin, jac->K0, b->gam};
    sized_pattern list[PATTERNS];
    list_patterns(list, sys->eom);
    dfl_system_trouble(sys, DFL_STEP_NONFINITE, "jacobian", t);
    for (int i = 1; i < PATTERNS; i++) {
        const size_t count = dfl_pattern_entries(list[i].pattern, list[i].columns);
        for (size_t k = 0; k < count; k++)
            if (!isfinite(block[i][k])) {
                dfl_stack_name_row(&sys->trouble, sys->eom, stack[i], list[i].pattern->row[k]);
                return DFL_STEP_NONFINITE;
            }
    }
    return DFL_STEP_NONFINITE;
}

dfl_outcome dfl_system_packed_jacobian(dfl_packed_jacobian *jac, dfl_system *sys, double t,
                                       const double *x, const double *a)
{
    const dfl_eom *eom = sys->eom;
    const double *xu = x + sys->na;
    sys->stats->jacobians++;
    memset(jac->store, 0, jac->entries * sizeof *jac->store);
    const int rc = eom->jacobian(&jac->blocks, t, xu, a, eom->user);
    if (rc)
        return dfl_system_returned(sys, rc, "jacobian", t);
    const size_t mass = dfl_system_mass_entries(sys);
    if (sys->mass.constant) {
        memcpy(jac->M, sys->mass.M, mass * sizeof *jac->M);
    } else {
        const dfl_outcome outcome = dfl_system_mass(jac->M, sys, t, xu);
        if (outcome)
            return outcome;
    }
    if (eom->n0 > 0) {
        sys->stats->evaluations++;
        dfl_blocks out = {.W = jac->W, .K0 = jac->K0};
        const int bad = eom->eval(&out, t, xu, DFL_DIRECTIONS, eom->user);
        if (bad)
            return dfl_system_returned(sys, bad, "eval", t);
    }
    return dfl_all_finite(jac->store, (int)jac->entries) && dfl_all_finite(jac->M, (int)mass) &&
                   (eom->n0 == 0 || dfl_all_finite(jac->K0, (int)dfl_system_K0_entries(sys)))
               ? DFL_STEP_OK
               : nonfinite(jac, sys, t);
}
