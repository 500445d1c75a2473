/* tangent.c: the directions in which a state may change on the constraints.

   The rows of c, g, ep determine contact variables s and dependent positions, those of gI and hv
   dependent velocities; what remains are the states. With p' = v the velocity of an independent
   position is preferred as an independent velocity. Of equally good unknowns the ones declared
   first are independent. */
#include "analysis/analysis_internal.h"

#include <string.h>

/* The rows of positions and velocities over the columns r, v, s, p of x. */
typedef struct rows {
    int m, n;       /* m = m3 + nc */
    double *A;      /* m x n */
    double *weight; /* n */
    int *pivot;     /* m: the column that row i determines, or -1 */
    int *by;        /* n: the row that determines the column, or -1 */
} rows;

static dfl_status create(rows *out, const dfl_local *local);
static void clear(rows *it, dfl_context *ctx);
static void fill(rows *it, const dfl_local *local);
static void determine(rows *it, int from, int to);
static void prefer_positions(rows *it, const dfl_eom *eom);
static void prefer_velocities(rows *it, const dfl_local *local);
static dfl_status check_contacts(const rows *it, const dfl_local *local);
static dfl_status list_states(dfl_linearized *linear, const rows *it, const dfl_local *local);
static int add_states(dfl_linearized *linear, const rows *it, int first, int count, int offset);
static void write_columns(dfl_linearized *linear, const rows *it, int offset);

dfl_status dfl_tangent(dfl_linearized *linear, const dfl_local *local)
{
    rows it;
    dfl_status status = create(&it, local);
    if (!status) {
        fill(&it, local);
        prefer_positions(&it, local->eom);
        determine(&it, 0, local->m3);
        prefer_velocities(&it, local);
        determine(&it, local->m3, it.m);
        status = check_contacts(&it, local);
    }
    if (!status)
        status = list_states(linear, &it, local);
    if (!status)
        write_columns(linear, &it, local->at.r);
    clear(&it, local->ctx);
    return status;
}

static dfl_status create(rows *out, const dfl_local *local)
{
    dfl_context *ctx = local->ctx;
    *out = (rows){.m = local->m3 + local->nc, .n = local->at.n - local->at.r};
    const size_t m = (size_t)out->m, n = (size_t)out->n;
    out->A = dfl_alloc(ctx, m * n, sizeof *out->A);
    out->weight = dfl_alloc(ctx, n, sizeof *out->weight);
    out->pivot = dfl_alloc(ctx, m, sizeof *out->pivot);
    out->by = dfl_alloc(ctx, n, sizeof *out->by);
    if (!out->A || !out->weight || !out->pivot || !out->by)
        return DFL_NO_MEMORY;
    for (int j = 0; j < out->n; j++)
        out->by[j] = -1;
    return DFL_OK;
}

static void clear(rows *it, dfl_context *ctx)
{
    dfl_free(ctx, it->A);
    dfl_free(ctx, it->weight);
    dfl_free(ctx, it->pivot);
    dfl_free(ctx, it->by);
}

static void fill(rows *it, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const int m3 = local->m3, nc = local->nc, ld = nc + eom->ne;
    const dfl_jacobian *jac = &local->jac.blocks;
    for (int j = 0; j < eom->ns + eom->np; j++)
        memcpy(it->A + (size_t)(eom->nr + eom->nv + j) * (size_t)it->m,
               jac->pos + (size_t)j * (size_t)m3, (size_t)m3 * sizeof *it->A);
    for (int j = 0; j < eom->nv + eom->ns + eom->np; j++)
        memcpy(it->A + (size_t)(eom->nr + j) * (size_t)it->m + m3,
               jac->vel + (size_t)j * (size_t)ld, (size_t)nc * sizeof *it->A);
    dfl_scale_rows(it->A, it->m, it->n);
}

static void determine(rows *it, int from, int to)
{
    const int rank = dfl_eliminate(it->pivot + from, it->A, it->m, it->n, from, to, it->weight,
                                   DFL_ANALYSIS_ZERO);
    for (int k = 0; k < rank; k++)
        it->by[it->pivot[from + k]] = from + k;
}

/* From 1/2 for the first of `count` unknowns to 1 for the last. */
static double late(int i, int count)
{
    return 0.5 * (1 + (i + 1.0) / count);
}

static void prefer_positions(rows *it, const dfl_eom *eom)
{
    double *s = it->weight + eom->nr + eom->nv, *p = s + eom->ns;
    for (int i = 0; i < eom->ns; i++)
        s[i] = 1e3;
    for (int i = 0; i < eom->np; i++)
        p[i] = late(i, eom->np);
}

/* Dependent positions have dependent velocities; so have massless directions. Of a motion with
   nonholonomic constraints those are dependent that change: a wheel that rolls in a circle has
   constant speeds otherwise. */
static void prefer_velocities(rows *it, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const int v = eom->nr, p = eom->nr + eom->nv + eom->ns;
    const double fastest = dfl_max_abs(local->a, eom->nv);
    const bool rolls =
        eom->nm > 0 && fastest > 1e-8 && dfl_max_abs(local->x + local->at.v, eom->nv) > 1e-8;
    memset(it->weight, 0, (size_t)it->n * sizeof *it->weight);
    for (int i = 0; i < eom->nv; i++) {
        const bool free = eom->trivial_kinematics && it->by[p + i] < 0;
        const bool constant = rolls && fabs(local->a[i]) <= 1e-7 * fastest;
        it->weight[v + i] = late(i, eom->nv) * (free ? 0.02 : 1) * (constant ? 1e-3 : 1);
    }
}

static dfl_status check_contacts(const rows *it, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    char name[200];
    for (int i = 0; i < eom->ns; i++)
        if (it->by[eom->nr + eom->nv + i] < 0) {
            dfl_eom_name(name, sizeof name, eom, DFL_KIND_S, i);
            return dfl_fail(local->ctx, DFL_SINGULAR,
                            "the contact variable %s does not follow from the positions", name);
        }
    return DFL_OK;
}

static dfl_status list_states(dfl_linearized *linear, const rows *it, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    dfl_context *ctx = local->ctx;
    linear->state = dfl_alloc(ctx, (size_t)it->n, sizeof *linear->state);
    if (!linear->state)
        return DFL_NO_MEMORY;
    linear->npositions = add_states(linear, it, eom->nr + eom->nv + eom->ns, eom->np, local->at.r);
    linear->nvelocities = add_states(linear, it, eom->nr, eom->nv, local->at.r);
    add_states(linear, it, 0, eom->nr, local->at.r);
    const size_t columns = (size_t)(linear->ny + linear->nu);
    linear->X = dfl_alloc(ctx, (size_t)linear->n * columns, sizeof *linear->X);
    linear->X_a = dfl_alloc(ctx, (size_t)linear->nv * columns, sizeof *linear->X_a);
    return linear->X && linear->X_a ? DFL_OK : DFL_NO_MEMORY;
}

/* Returns the number of new states. */
static int add_states(dfl_linearized *linear, const rows *it, int first, int count, int offset)
{
    const int before = linear->ny;
    for (int j = first; j < first + count; j++)
        if (it->by[j] < 0)
            linear->state[linear->ny++] = offset + j;
    return linear->ny - before;
}

/* A state changes itself by 1, and what depends on it. */
static void write_columns(dfl_linearized *linear, const rows *it, int offset)
{
    for (int k = 0; k < linear->ny; k++) {
        double *X = linear->X + (size_t)k * (size_t)linear->n;
        const double *column = it->A + (size_t)(linear->state[k] - offset) * (size_t)it->m;
        X[linear->state[k]] = 1;
        for (int j = 0; j < it->n; j++)
            if (it->by[j] >= 0)
                X[offset + j] = -column[it->by[j]];
    }
}
