/* Velocities along massless directions with packed matrices: they follow from gam = 0, and W K0 =
   0, so that constraints do not notice. Newton's method with [1 -K0; gam_v 0] (dv, z) = (0, -gam).
 */
#include "initial/packed_start.h"

#include "context/context.h"

#include <math.h>

static dfl_status lay_out(dfl_initial *init);
static void fill(dfl_initial *init);

void dfl_packed_massless_clear(dfl_initial *init)
{
    dfl_context *ctx = init->sys.ctx;
    dfl_packed_massless *m = &init->packed->massless;
    dfl_sparse_lu_free(m->lu);
    dfl_csc_clear(&m->matrix, ctx);
    dfl_free(ctx, m->at);
    dfl_free(ctx, m->value);
    dfl_free(ctx, m->right);
}

dfl_status dfl_packed_massless_balance(dfl_initial *init)
{
    enum { MOST = 50 };
    const dfl_system *sys = &init->sys;
    dfl_packed_massless *m = &init->packed->massless;
    const int nv = sys->n3, n0 = sys->eom->n0;
    double relative = 0, last = INFINITY;
    dfl_status status = m->lu || n0 == 0 ? DFL_OK : lay_out(init);
    for (int it = 0; !status && n0 > 0 && it < MOST; it++) {
        status = dfl_packed_start_evaluate(init);
        if (status)
            return status;
        fill(init);
        for (int i = 0; i < nv + n0; i++)
            m->right[i] = i < nv ? 0 : -init->point.blocks.gam[i - nv];
        if (!dfl_sparse_lu_factor(m->lu, m->value) || !dfl_sparse_lu_solve(m->right, m->lu)) {
            init->failure = DFL_FAILURE_VELOCITY;
            return dfl_fail(
                sys->ctx, DFL_INCONSISTENT,
                "the balance of forces does not determine the velocities along massless "
                "directions at the start, t = %g",
                init->point.t);
        }
        const double largest = dfl_max_abs(init->x + sys->at.v, nv);
        for (int j = 0; j < nv; j++)
            init->x[sys->at.v + j] += m->right[j];
        relative = dfl_max_abs(m->right, nv) / fmax(largest, 1e-3);
        if (relative <= 1e-14 || (relative <= 1e-10 && relative >= 0.5 * last))
            break;
        last = relative;
    }
    init->converged = init->converged && relative <= 1e-8;
    return status;
}

/* Places of all entries, in the order in which `fill` reads the numbers; returns how many. */
static int list_places(dfl_place_of_entry *list, const dfl_system *sys)
{
    const dfl_pattern *K0 = &sys->packed->K0, *gam = &sys->packed->gam;
    const int nv = sys->n3, v = sys->at.v - sys->na;
    int count = 0;
    for (int j = 0; j < nv; j++)
        list[count++] = (dfl_place_of_entry){j, j};
    for (int k = 0; k < sys->eom->n0; k++)
        for (int i = K0->column_start[k]; i < K0->column_start[k + 1]; i++)
            list[count++] = (dfl_place_of_entry){K0->row[i], nv + k};
    for (int j = 0; j < nv; j++)
        for (int i = gam->column_start[v + j]; i < gam->column_start[v + j + 1]; i++)
            list[count++] = (dfl_place_of_entry){nv + gam->row[i], j};
    return count;
}

static dfl_status lay_out(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    dfl_context *ctx = sys->ctx;
    dfl_packed_massless *m = &init->packed->massless;
    const int nv = sys->n3, order = nv + sys->eom->n0;
    const size_t room = (size_t)nv + dfl_system_K0_entries(sys) +
                        dfl_pattern_entries(&sys->packed->gam, sys->nu) + 1;
    dfl_place_of_entry *list = dfl_alloc(ctx, room, sizeof *list);
    m->at = dfl_alloc(ctx, room, sizeof *m->at);
    m->value = dfl_alloc(ctx, room, sizeof(double));
    m->right = dfl_alloc(ctx, (size_t)order, sizeof(double));
    dfl_status status = list && m->at && m->value && m->right ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_csc_create(&m->matrix, m->at, ctx, order, order, list, list_places(list, sys));
    if (!status)
        status = dfl_sparse_lu_create(&m->lu, ctx, &m->matrix, false, NULL);
    dfl_free(ctx, list);
    return status;
}

static void fill(dfl_initial *init)
{
    const dfl_system *sys = &init->sys;
    dfl_packed_massless *m = &init->packed->massless;
    const dfl_pattern *gam = &sys->packed->gam;
    const int nv = sys->n3, v = sys->at.v - sys->na, n0 = (int)dfl_system_K0_entries(sys);
    int next = 0;
    for (int j = 0; j < nv; j++)
        m->value[m->at[next++]] = 1;
    for (int k = 0; k < n0; k++)
        m->value[m->at[next++]] = -init->packed->jac.K0[k];
    for (int k = gam->column_start[v]; k < gam->column_start[v + nv]; k++)
        m->value[m->at[next++]] = init->packed->jac.blocks.gam[k];
}
