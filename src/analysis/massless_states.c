/* massless_states.c: velocities that the balance of forces along massless directions determines.

   With w and multipliers eliminated the balance reads 0 = gam_y y + gam_u u. It determines one
   velocity for each direction, v_d = D y + D_u u. Accelerations are known up to a part along K0,
   which W and M do not see; it follows from the rate of this relation, with D held: exact at
   equilibria, in steady motions, and where K0 moves no velocity that is a state. */
#include "analysis/analysis_internal.h"

#include <string.h>

/* The balance, solved: row i determines state pivot[i]. */
typedef struct balance {
    int n0, columns; /* columns = ny + nu, before */
    double *A;       /* n0 x columns */
    int *pivot;      /* n0 */
    bool *dependent; /* columns */
} balance;

static dfl_status solve_balance(balance *out, const dfl_linearized *linear, const dfl_local *local,
                                const dfl_input_slopes *inputs);
static void weigh(double *weight, const dfl_linearized *linear, const dfl_local *local);
static dfl_status complete_accelerations(dfl_linearized *linear, const balance *it,
                                         const dfl_local *local, const dfl_input_slopes *inputs);
static void substitute(double *X, int rows, const balance *it);
static void remove_states(dfl_linearized *linear, const balance *it, const dfl_local *local);

dfl_status dfl_massless_states(dfl_linearized *linear, const dfl_local *local,
                               const dfl_input_slopes *inputs)
{
    dfl_context *ctx = local->ctx;
    balance it = {.n0 = local->eom->n0, .columns = linear->ny + linear->nu};
    it.A = dfl_alloc(ctx, (size_t)it.n0 * (size_t)it.columns, sizeof *it.A);
    it.pivot = dfl_alloc(ctx, (size_t)it.n0, sizeof *it.pivot);
    it.dependent = dfl_alloc(ctx, (size_t)it.columns, sizeof *it.dependent);
    dfl_status status = it.A && it.pivot && it.dependent ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = solve_balance(&it, linear, local, inputs);
    if (!status) {
        substitute(linear->X, linear->n, &it);
        substitute(linear->X_a, linear->nv, &it);
        status = complete_accelerations(linear, &it, local, inputs);
    }
    if (!status)
        remove_states(linear, &it, local);
    dfl_free(ctx, it.A);
    dfl_free(ctx, it.pivot);
    dfl_free(ctx, it.dependent);
    return status;
}

static dfl_status solve_balance(balance *out, const dfl_linearized *linear, const dfl_local *local,
                                const dfl_input_slopes *inputs)
{
    const dfl_eom *eom = local->eom;
    const int n = linear->n, n0 = out->n0, nv = eom->nv;
    const double *K0 = local->point.blocks.K0;
    double *weight = dfl_alloc(local->ctx, (size_t)out->columns, sizeof *weight);
    if (!weight)
        return DFL_NO_MEMORY;
    dfl_gemm(n0, out->columns, n, 1, local->jac.blocks.gam, n0, linear->X, n, 0, out->A, n0);
    dfl_gemm_tn(n0, linear->nu, nv, 1, K0, nv, inputs->dyn, nv, 1,
                out->A + (size_t)linear->ny * (size_t)n0, n0);
    dfl_scale_rows(out->A, n0, out->columns);
    weigh(weight, linear, local);
    const int rank =
        dfl_eliminate(out->pivot, out->A, n0, out->columns, 0, n0, weight, DFL_ANALYSIS_ZERO);
    dfl_free(local->ctx, weight);
    if (rank < n0)
        return dfl_fail(local->ctx, DFL_SINGULAR,
                        "the balance of forces does not determine the velocities along massless "
                        "directions at t = %g; add damping or mass",
                        local->t);
    for (int k = 0; k < n0; k++)
        out->dependent[out->pivot[k]] = true;
    return DFL_OK;
}

/* Velocities without any mass are the first choice. */
static void weigh(double *weight, const dfl_linearized *linear, const dfl_local *local)
{
    const int nv = linear->nv;
    for (int k = linear->npositions; k < linear->npositions + linear->nvelocities; k++) {
        const int i = linear->state[k] - local->at.v;
        const bool light = dfl_max_abs(local->M + (size_t)i * (size_t)nv, nv) == 0;
        weight[k] = light ? 1 : 1e-3;
    }
}

/* Replaces the determined states: the columns of the others get their share. */
static void substitute(double *X, int rows, const balance *it)
{
    for (int k = 0; k < it->n0; k++) {
        const double *from = X + (size_t)it->pivot[k] * (size_t)rows;
        for (int j = 0; j < it->columns; j++) {
            const double share = -it->A[(size_t)j * (size_t)it->n0 + (size_t)k];
            double *to = X + (size_t)j * (size_t)rows;
            for (int i = 0; !it->dependent[j] && share != 0 && i < rows; i++)
                to[i] += share * from[i];
        }
    }
}

/* a += K0 kappa, so that the rate of a determined velocity is that of the other states:
   a_d - D_v a_i = D_p p' + D_r r'. */
static dfl_status complete_accelerations(dfl_linearized *linear, const balance *it,
                                         const dfl_local *local, const dfl_input_slopes *inputs)
{
    dfl_context *ctx = local->ctx;
    const dfl_eom *eom = local->eom;
    const int n0 = it->n0, nv = eom->nv, ld = eom->np + eom->nr, v = local->at.v;
    const double *K0 = local->point.blocks.K0;
    const size_t columns = (size_t)it->columns;
    double *rate = dfl_alloc(ctx, (size_t)ld * columns, sizeof *rate);
    double *C = dfl_alloc(ctx, (size_t)n0 * (size_t)n0, sizeof *C);
    double *kappa = dfl_alloc(ctx, (size_t)n0 * columns, sizeof *kappa);
    dfl_status status = rate && C && kappa ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        dfl_state_rates(rate, linear, local, inputs);
        for (int k = 0; k < n0; k++)
            for (int s = 0; s < linear->ny; s++) {
                const double D = it->A[(size_t)s * (size_t)n0 + (size_t)k]; /* 1 for v_d itself */
                const int x = linear->state[s];
                const bool velocity = x >= v && x < v + nv;
                if (D == 0)
                    continue;
                for (int i = 0; velocity && i < n0; i++)
                    C[i * n0 + k] += D * K0[i * nv + x - v];
                for (size_t j = 0; j < columns; j++)
                    kappa[j * (size_t)n0 + (size_t)k] -=
                        D * (velocity ? linear->X_a[j * (size_t)nv + (size_t)(x - v)]
                             : x < v  ? rate[j * (size_t)ld + (size_t)(eom->np + x - local->at.r)]
                                      : rate[j * (size_t)ld + (size_t)(x - local->at.p)]);
            }
        status = dfl_least_norm(kappa, ctx, n0, n0, C, it->columns, DFL_SCALE_BOTH,
                                DFL_ANALYSIS_ZERO, NULL);
    }
    if (!status)
        dfl_gemm(nv, it->columns, n0, 1, K0, nv, kappa, n0, 1, linear->X_a, nv);
    dfl_free(ctx, rate);
    dfl_free(ctx, C);
    dfl_free(ctx, kappa);
    return status;
}

static void remove_states(dfl_linearized *linear, const balance *it, const dfl_local *local)
{
    const size_t n = (size_t)linear->n, nv = (size_t)linear->nv;
    int kept = 0;
    for (int j = 0; j < it->columns; j++) {
        if (it->dependent[j])
            continue;
        memmove(linear->X + (size_t)kept * n, linear->X + (size_t)j * n, n * sizeof(double));
        memmove(linear->X_a + (size_t)kept * nv, linear->X_a + (size_t)j * nv, nv * sizeof(double));
        if (j < linear->ny)
            linear->state[kept] = linear->state[j];
        kept++;
    }
    (void)local;
    linear->ny -= it->n0;
    linear->nvelocities -= it->n0;
}
