/* gradient_forces.c: derivatives of the forces of redundant constraints.

   Multipliers l of such constraints are those of least norm: l = W z, orthogonal to the multipliers
   N without an effect, W^T N = 0. Derivatives that are followed have no part along N; the true ones
   have, since N turns: N^T l_theta = -N_theta^T l = N^T W_theta z. So a value that depends on l by
   weights o_l depends on the positions and parameters by more than its own derivatives: by r^T (W
   z)_x and r^T (W z)_theta, r = N N^T o_l, z held. */
#include "study/gradient_internal.h"

#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

/* Everything at one state. */
typedef struct forces {
    int nc, nv, ncols;      /* rows of W; velocities; unknowns, then what is followed */
    dfl_expr *rows;         /* nc: gI, hv */
    dfl_expr *symbols;      /* ncols */
    double *x;              /* n: with other velocities */
    double *W;              /* nc x nv */
    double *with, *without; /* nc x ncols: derivatives of W z + ..., and of the rest */
    double *A, *z, *r;      /* workspace; nv; nc */
    dfl_lstsq *lstsq;
} forces;

static int first_velocity(const dfl_equations *eq)
{
    return eq->nw + eq->nl + eq->nm + eq->nr;
}

static dfl_status create(forces *f, const gradient_run *it)
{
    const dfl_equations *eq = eq_of(it->run);
    dfl_context *ctx = ctx_of(it->run);
    f->nc = eq->nl + eq->nm;
    f->nv = eq->nv;
    f->ncols = eq->n + it->count;
    const size_t nc = (size_t)f->nc, nv = (size_t)f->nv, d = sizeof(double);
    f->rows = dfl_exprs(eq, f->nc);
    f->symbols = dfl_exprs(eq, f->ncols);
    f->x = dfl_alloc(ctx, (size_t)eq->n, d);
    f->W = dfl_alloc(ctx, nc * nv, d);
    f->with = dfl_alloc(ctx, nc * (size_t)f->ncols, d);
    f->without = dfl_alloc(ctx, nc * (size_t)f->ncols, d);
    f->A = dfl_alloc(ctx, nc * nv, d);
    f->z = dfl_alloc(ctx, nv, d);
    f->r = dfl_alloc(ctx, nc, d);
    if (!f->rows || !f->symbols || !f->x || !f->W || !f->with || !f->without || !f->A || !f->z ||
        !f->r)
        return DFL_NO_MEMORY;
    memcpy(f->rows, eq->rows.gI, (size_t)eq->nl * sizeof *f->rows);
    if (eq->nm > 0)
        memcpy(f->rows + eq->nl, eq->rows.hv, (size_t)eq->nm * sizeof *f->rows);
    for (int i = 0; i < eq->n; i++)
        f->symbols[i] = eq->x[i].symbol;
    for (int j = 0; j < it->count; j++)
        f->symbols[eq->n + j] = it->followed[j].symbol;
    return dfl_lstsq_create(&f->lstsq, ctx, f->nc, f->nv);
}

static void clear(forces *f, dfl_context *ctx)
{
    void *const block[] = {f->rows, f->symbols, f->x, f->W, f->with, f->without, f->A, f->z, f->r};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    if (f->lstsq)
        dfl_lstsq_free(f->lstsq, ctx);
}

/* r (nc) = b less its part in the range of W, which is W z. */
static bool remainder_of(forces *f, const double *b)
{
    memcpy(f->A, f->W, (size_t)f->nc * (size_t)f->nv * sizeof *f->A);
    memcpy(f->r, b, (size_t)f->nc * sizeof *b);
    if (!dfl_lstsq_solve(f->z, f->lstsq, f->nc, f->nv, f->A, f->r, 1e-9, NULL))
        return false;
    memcpy(f->r, b, (size_t)f->nc * sizeof *b);
    dfl_gemm(f->nc, 1, f->nv, -1, f->W, f->nc, f->z, f->nv, 1, f->r, f->nc);
    return true;
}

/* W, z for the multipliers at x, and the derivatives of W z in f->with; false: these are not those
   of least norm. */
static dfl_status evaluate(bool *least, forces *f, const gradient_run *it, double t,
                           const double *x)
{
    const dfl_equations *eq = eq_of(it->run);
    const int v = first_velocity(eq);
    const double *l = x + eq->nw;
    dfl_status status =
        dfl_runnable_slopes(f->W, it->run, f->rows, f->nc, f->symbols + v, f->nv, t, x, NULL);
    if (status)
        return status;
    *least = remainder_of(f, l) && dfl_max_abs(f->r, f->nc) <= 1e-7 * dfl_max_abs(l, f->nc);
    memcpy(f->x, x, (size_t)eq->n * sizeof *x);
    memcpy(f->x + v, f->z, (size_t)f->nv * sizeof *x);
    status =
        dfl_runnable_slopes(f->with, it->run, f->rows, f->nc, f->symbols, f->ncols, t, f->x, NULL);
    memset(f->x + v, 0, (size_t)f->nv * sizeof *x);
    if (!status)
        status = dfl_runnable_slopes(f->without, it->run, f->rows, f->nc, f->symbols, f->ncols, t,
                                     f->x, NULL);
    for (int k = 0; k < f->nc * f->ncols; k++)
        f->with[k] -= f->without[k];
    return status;
}

/* The slopes of row `row`, with what its multipliers depend on. */
static bool turn_row(totals *of, int row, forces *f, const dfl_equations *eq)
{
    const int rows = of->nrows;
    double *slopes = of->slopes + row, *weight = f->without; /* nc are enough */
    for (int i = 0; i < f->nc; i++)
        weight[i] = slopes[(size_t)(eq->nw + i) * (size_t)rows];
    if (!remainder_of(f, weight))
        return false;
    for (int k = 0; k < f->ncols; k++) {
        const int column = k < eq->n ? k : k + eq->nv; /* behind the accelerations */
        double sum = 0;
        for (int i = 0; i < f->nc; i++)
            sum += f->r[i] * f->with[(size_t)k * (size_t)f->nc + (size_t)i];
        slopes[(size_t)column * (size_t)rows] += sum;
    }
    return true;
}

dfl_status dfl_gradient_least_forces(totals *of, const gradient_run *it, double t, const double *x)
{
    forces f = {0};
    bool least = true;
    if (eq_of(it->run)->model->tree)
        return dfl_fail(ctx_of(it->run), DFL_INVALID,
                        "derivatives of the forces of redundant constraints need all equations as "
                        "expressions; use --evaluation tape");
    dfl_status status = create(&f, it);
    if (!status)
        status = evaluate(&least, &f, it, t, x);
    for (int row = 0; !status && least && row < of->nrows; row++)
        least = turn_row(of, row, &f, eq_of(it->run));
    clear(&f, ctx_of(it->run));
    return status || least
               ? status
               : dfl_fail(ctx_of(it->run), DFL_INVALID,
                          "constraints are redundant, and their forces are not those of least "
                          "norm, so that their derivatives are not determined; ask for other "
                          "outputs");
}
