/* linearize.c: the linear equations of a model near a state, in its independent unknowns.

   On the constraints (tangent.c) the changes of (r, v, s, p) are X y. Those of accelerations, w and
   multipliers follow from the differentiated equations of motion and constraints,

       M a - dyn_z z + K0 sigma = dyn_x X y + dyn_u u          z = (w, l, m)
       K0^T a = 0
       d_z z = -(d_x X y + d_u u)
       W a + acc_z z = -acc_x X y

   where dyn = f - W^T (l, m) - M a0 is differentiated with a0 held, so that the geometric stiffness
   (W^T l)_p is part of dyn_x. The rates of the states are then rows of kin, a and b. Nothing is
   frozen: A is the derivative of the equations in independent unknowns, also during a motion. */
#include "analysis/analysis_internal.h"

#include "context/context.h"

#include <string.h>

static dfl_status check_memory(dfl_context *ctx, const dfl_eom *eom);
static dfl_status reduce(dfl_linearized *out, const dfl_local *local,
                         const dfl_input_slopes *inputs);
static dfl_status solve_motion(dfl_linearized *out, const dfl_local *local,
                               const dfl_input_slopes *inputs);
static void fill_sides(double *R, const dfl_linearized *linear, const dfl_local *local,
                       const dfl_input_slopes *inputs, int k);
static dfl_status check_solution(const double *S, double *R, const double *Z,
                                 const dfl_local *local, int k, int columns);
static dfl_status take_rates(dfl_linearized *out, const dfl_local *local,
                             const dfl_input_slopes *inputs);

dfl_status dfl_linearize(dfl_linearized *out, dfl_context *ctx, const dfl_eom *eom, double t,
                         const double *x, const dfl_inputs *inputs)
{
    const dfl_status status = dfl_linearize_now(out, ctx, eom, t, x, inputs, false);
    return status || out->kind == DFL_AT_FROZEN ? status : dfl_look_ahead(out, eom, t, x, inputs);
}

dfl_status dfl_linearize_now(dfl_linearized *out, dfl_context *ctx, const dfl_eom *eom, double t,
                             const double *x, const dfl_inputs *inputs, bool turns)
{
    dfl_local local;
    dfl_input_slopes slopes = {0};
    *out = (dfl_linearized){.ctx = ctx, .nu = inputs ? inputs->nu : 0};
    dfl_status status = check_memory(ctx, eom);
    memset(&local, 0, sizeof local);
    if (!status)
        status = dfl_local_create(&local, ctx, eom);
    if (!status)
        status = dfl_local_eval(&local, t, x);
    if (!status) {
        out->n = local.at.n;
        out->nv = eom->nv;
        status = dfl_local_inputs(&slopes, &local, inputs);
    }
    if (!status)
        status = reduce(out, &local, &slopes);
    if (!status && turns)
        status = dfl_take_turns(out, &local);
    dfl_free(ctx, slopes.dyn);
    dfl_local_clear(&local);
    return status;
}

void dfl_linearized_clear(dfl_linearized *linear)
{
    dfl_context *ctx = linear->ctx;
    if (!ctx)
        return;
    dfl_free(ctx, linear->state);
    dfl_free(ctx, linear->A);
    dfl_free(ctx, linear->B);
    dfl_free(ctx, linear->X);
    dfl_free(ctx, linear->X_a);
    dfl_free(ctx, linear->a);
    dfl_free(ctx, linear->is_cyclic);
    dfl_free(ctx, linear->moves);
    *linear = (dfl_linearized){0};
}

/* Dense matrices of all unknowns: derivatives, and those of solve_motion. */
static dfl_status check_memory(dfl_context *ctx, const dfl_eom *eom)
{
    const double limit = 2e9, n = dfl_eom_unknowns(eom), k = n - eom->np - eom->nr + eom->n0;
    const double bytes = 8 * (6 * n * n + 4 * k * k);
    return bytes <= limit ? DFL_OK
                          : dfl_fail(ctx, DFL_INVALID,
                                     "linear equations of a model with %g unknowns need about %.1f "
                                     "GB of memory; the limit is %g GB",
                                     n, bytes / 1e9, limit / 1e9);
}

static dfl_status reduce(dfl_linearized *out, const dfl_local *local,
                         const dfl_input_slopes *inputs)
{
    const size_t nv = (size_t)out->nv;
    dfl_status status = dfl_tangent(out, local);
    if (!status)
        status = solve_motion(out, local, inputs);
    if (!status && local->eom->n0 > 0)
        status = dfl_massless_states(out, local, inputs);
    if (status)
        return status;
    const size_t ny = (size_t)out->ny;
    out->A = dfl_alloc(local->ctx, ny * ny, sizeof *out->A);
    out->B = dfl_alloc(local->ctx, ny * (size_t)out->nu, sizeof *out->B);
    out->a = dfl_alloc(local->ctx, nv, sizeof *out->a);
    if (!out->A || !out->B || !out->a)
        return DFL_NO_MEMORY;
    memcpy(out->a, local->a, nv * sizeof *out->a);
    status = take_rates(out, local, inputs);
    if (!status)
        out->kind = dfl_kind_now(&out->why, out, local);
    out->changing = out->why != NULL;
    return status;
}

/* Some accelerations `i`, and what they need: forces S a. */
static void add_any_motion(double *side, const double *S, int nv, int k)
{
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < k; i++)
            side[i] += S[(size_t)j * (size_t)k + (size_t)i] * (1 + dfl_generic(0, j));
}

/* The same accelerations return, unless inertia and constraints do not determine them. */
static dfl_status check_motion(const double *found, const dfl_local *local)
{
    const int nv = local->eom->nv;
    int worst = 0;
    double most = 0;
    char name[200];
    for (int j = 0; j < nv; j++) {
        const double error = fabs(found[j] - (1 + dfl_generic(0, j)));
        worst = error > most ? j : worst;
        most = fmax(most, error);
    }
    if (most <= 1e-4)
        return DFL_OK;
    dfl_eom_name(name, sizeof name, local->eom, DFL_KIND_V, worst);
    return dfl_fail(local->ctx, DFL_SINGULAR,
                    "inertia does not determine the rate of %s at this state: coordinates are "
                    "singular here, or a direction has no mass; start elsewhere (--at), or use "
                    "other coordinates",
                    name);
}

/* Accelerations, w and multipliers for all columns of X. */
static dfl_status solve_motion(dfl_linearized *out, const dfl_local *local,
                               const dfl_input_slopes *inputs)
{
    dfl_context *ctx = local->ctx;
    const dfl_eom *eom = local->eom;
    const int nz = eom->nw + local->nc, k = eom->nv + eom->n0 + nz, columns = out->ny + out->nu;
    const size_t order = (size_t)k, sides = order * (size_t)(columns + 1);
    double *S = dfl_alloc(ctx, 2 * order * order, sizeof *S);
    double *R = dfl_alloc(ctx, 2 * sides, sizeof *R);
    dfl_status status = S && R ? DFL_OK : DFL_NO_MEMORY;
    if (!status) {
        dfl_motion_matrix(S, local);
        fill_sides(R, out, local, inputs, k);
        add_any_motion(R + order * (size_t)columns, S, eom->nv, k);
        memcpy(S + order * order, S, order * order * sizeof *S);
        memcpy(R + sides, R, sides * sizeof *R);
        status =
            dfl_least_norm(R, ctx, k, k, S, columns + 1, DFL_SCALE_BOTH, DFL_ANALYSIS_ZERO, NULL);
    }
    if (!status)
        status = check_motion(R + order * (size_t)columns, local);
    if (!status)
        status = check_solution(S + order * order, R + sides, R, local, k, columns);
    for (int j = 0; !status && j < columns; j++) {
        const double *z = R + (size_t)j * order;
        memcpy(out->X_a + (size_t)j * (size_t)eom->nv, z, (size_t)eom->nv * sizeof *z);
        memcpy(out->X + (size_t)j * (size_t)out->n, z + eom->nv + eom->n0, (size_t)nz * sizeof *z);
    }
    dfl_free(ctx, S);
    dfl_free(ctx, R);
    return status;
}

void dfl_motion_matrix(double *S, const dfl_local *local)
{
    const dfl_eom *eom = local->eom;
    const dfl_jacobian *jac = &local->jac.blocks;
    const int nv = eom->nv, n0 = eom->n0, nc = local->nc, nw = eom->nw, k = nv + n0 + nw + nc;
    const double *K0 = local->point.blocks.K0, *W = local->point.blocks.W;
    for (int j = 0; j < nv; j++) {
        double *column = S + (size_t)j * (size_t)k;
        memcpy(column, local->M + (size_t)j * (size_t)nv, (size_t)nv * sizeof *S);
        for (int i = 0; i < n0; i++)
            column[nv + i] = S[(size_t)(nv + i) * (size_t)k + (size_t)j] = K0[i * nv + j];
        memcpy(column + nv + n0 + nw, W + (size_t)j * (size_t)nc, (size_t)nc * sizeof *S);
    }
    for (int j = 0; j < nw + nc; j++) {
        double *column = S + (size_t)(nv + n0 + j) * (size_t)k;
        for (int i = 0; i < nv; i++)
            column[i] = -jac->dyn[(size_t)j * (size_t)nv + (size_t)i];
        memcpy(column + nv + n0, jac->d + (size_t)j * (size_t)nw, (size_t)nw * sizeof *S);
        memcpy(column + nv + n0 + nw, jac->acc + (size_t)j * (size_t)nc, (size_t)nc * sizeof *S);
    }
}

static void fill_sides(double *R, const dfl_linearized *linear, const dfl_local *local,
                       const dfl_input_slopes *inputs, int k)
{
    const dfl_eom *eom = local->eom;
    const dfl_jacobian *jac = &local->jac.blocks;
    const int n = linear->n, nv = eom->nv, nw = eom->nw, nc = local->nc;
    const int columns = linear->ny + linear->nu, below = nv + eom->n0;
    dfl_gemm(nv, columns, n, 1, jac->dyn, nv, linear->X, n, 0, R, k);
    dfl_gemm(nw, columns, n, -1, jac->d, nw, linear->X, n, 0, R + below, k);
    dfl_gemm(nc, columns, n, -1, jac->acc, nc, linear->X, n, 0, R + below + nw, k);
    for (int j = 0; j < linear->nu; j++) {
        double *column = R + (size_t)(linear->ny + j) * (size_t)k;
        for (int i = 0; i < nv; i++)
            column[i] += inputs->dyn[j * nv + i];
        for (int i = 0; i < nw; i++)
            column[below + i] -= inputs->d[j * nw + i];
    }
}

/* The name of equation `i` of the motion's matrix. */
static void name_equation(char *name, size_t size, const dfl_local *local, int i)
{
    const dfl_eom *eom = local->eom;
    const struct {
        int rows;
        dfl_kind kind;
    } part[] = {{eom->nv, DFL_ROW_F},
                {eom->n0, DFL_ROW_GAM},
                {eom->nw, DFL_ROW_D},
                {eom->nl, DFL_ROW_GII},
                {eom->nm, DFL_ROW_HI}};
    int k = 0;
    while (k < 4 && i >= part[k].rows)
        i -= part[k++].rows;
    dfl_eom_name(name, size, eom, part[k].kind, i);
}

/* Equations that contradict each other leave a residual R - S Z, compared with the sizes of their
   terms. R is overwritten. The balance along massless directions comes later. */
static dfl_status check_solution(const double *S, double *R, const double *Z,
                                 const dfl_local *local, int k, int columns)
{
    const int first = local->eom->n0 > 0 ? local->eom->nv : 0;
    const size_t order = (size_t)k;
    double *sizes = dfl_alloc(local->ctx, order + order * (size_t)columns, sizeof *sizes);
    if (!sizes)
        return DFL_NO_MEMORY;
    double *given = sizes + order;
    for (int i = 0; i < k; i++)
        sizes[i] = dfl_max_abs_row(S + i, k, k);
    memcpy(given, R, order * (size_t)columns * sizeof *R);
    dfl_gemm(k, columns, k, -1, S, k, Z, k, 1, R, k);
    dfl_status status = DFL_OK;
    for (int j = 0; !status && j < columns; j++) {
        const double largest = dfl_max_abs(Z + (size_t)j * order, k);
        for (int i = first; !status && i < k; i++) {
            const size_t at = (size_t)j * order + (size_t)i;
            const double size = fabs(given[at]) + sizes[i] * largest;
            char name[200];
            if (fabs(R[at]) <= 1e-6 * size || size < 1e-9)
                continue;
            name_equation(name, sizeof name, local, i);
            status = dfl_fail(local->ctx, DFL_SINGULAR,
                              "accelerations, auxiliary variables and multipliers do not follow "
                              "from small changes of the state at t = %g: row %s contradicts the "
                              "others",
                              local->t, name);
        }
    }
    dfl_free(local->ctx, sizes);
    return status;
}

void dfl_state_rates(double *rate, const dfl_linearized *linear, const dfl_local *local,
                     const dfl_input_slopes *inputs)
{
    const dfl_eom *eom = local->eom;
    const int n = linear->n, np = eom->np, nr = eom->nr, ld = np + nr, v = local->at.v;
    const int columns = linear->ny + linear->nu;
    if (eom->trivial_kinematics)
        for (int j = 0; j < columns; j++)
            memcpy(rate + (size_t)j * (size_t)ld, linear->X + (size_t)j * (size_t)n + v,
                   (size_t)np * sizeof *rate);
    else
        dfl_gemm(np, columns, n - v, 1, local->jac.blocks.kin, np, linear->X + v, n, 0, rate, ld);
    dfl_gemm(nr, columns, n, 1, local->jac.blocks.b, nr, linear->X, n, 0, rate + np, ld);
    for (int j = 0; j < linear->nu; j++)
        for (int i = 0; i < nr; i++)
            rate[(size_t)(linear->ny + j) * (size_t)ld + (size_t)(np + i)] += inputs->b[j * nr + i];
}

/* The rows of the states. */
static dfl_status take_rates(dfl_linearized *out, const dfl_local *local,
                             const dfl_input_slopes *inputs)
{
    const dfl_eom *eom = local->eom;
    const int ld = eom->np + eom->nr, ny = out->ny, columns = ny + out->nu;
    double *rate = dfl_alloc(local->ctx, (size_t)ld * (size_t)columns, sizeof *rate);
    if (!rate)
        return DFL_NO_MEMORY;
    dfl_state_rates(rate, out, local, inputs);
    for (int j = 0; j < columns; j++) {
        double *column =
            j < ny ? out->A + (size_t)j * (size_t)ny : out->B + (size_t)(j - ny) * (size_t)ny;
        for (int i = 0; i < ny; i++) {
            const int k = out->state[i];
            if (k >= local->at.p)
                column[i] = rate[(size_t)j * (size_t)ld + (size_t)(k - local->at.p)];
            else if (k >= local->at.v)
                column[i] = out->X_a[(size_t)j * (size_t)eom->nv + (size_t)(k - local->at.v)];
            else
                column[i] = rate[(size_t)j * (size_t)ld + (size_t)(eom->np + k - local->at.r)];
        }
    }
    dfl_free(local->ctx, rate);
    return DFL_OK;
}
