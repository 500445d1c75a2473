/* kept.c: whether the motion keeps what `invariant` declares.

   An invariant that the equations do not keep would silently change the solution. Its rate is
   evaluated with the accelerations of the model, at the start and for two other velocities from the
   same position, since at rest every energy seems to be kept. */

#include "study/study_internal.h"

#include "linalg/linalg.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

enum { OTHER_MOTIONS = 2 };

/* Rows A a = b: those of M, of W, of gam. */
typedef struct rows_of_a {
    int count;
    double *A, *b;
    double *M, *W, *K0;
} rows_of_a;

static bool accelerations(double *a, dfl_runnable *run, double t, const double *x);
static bool solve_masses(double *a, rows_of_a *rows, dfl_runnable *run, double t, const double *x);
static bool solve_rows(double *a, rows_of_a *rows, dfl_runnable *run, double t, const double *x);
static bool add_balance(rows_of_a *rows, dfl_runnable *run, double t, const double *x);
static bool add_tree_balance(rows_of_a *rows, dfl_runnable *run, double t, const double *x);
static dfl_status check_at(dfl_runnable *run, double t, const double *x, double *a, bool moved);
static dfl_status fail_kept(const dfl_runnable *run, int row, double rate, bool moved);
static bool other_motion(double *y, dfl_runnable *run, const dfl_solver_options *options, double t,
                         const double *x, int number);

dfl_status dfl_study_check_kept(dfl_runnable *run, const dfl_solver_options *options, double t,
                                const double *x)
{
    const dfl_equations *eq = eq_of(run);
    if (eq->ne + eq->nep == 0)
        return DFL_OK;
    double *a = dfl_alloc(ctx_of(run), (size_t)eq->nv, sizeof *a);
    double *y = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *y);
    dfl_status status = a && y ? check_at(run, t, x, a, false) : DFL_NO_MEMORY;
    for (int k = 0; !status && k < OTHER_MOTIONS; k++)
        if (other_motion(y, run, options, t, x, k))
            status = check_at(run, t, y, a, true);
    dfl_free(ctx_of(run), a);
    dfl_free(ctx_of(run), y);
    return status;
}

/* False where the accelerations are not determined or memory is short: then nothing is checked. */
static bool accelerations(double *a, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const size_t nv = (size_t)eq->nv, nc = (size_t)(eq->nl + eq->nm), n0 = (size_t)eq->n0;
    if (dfl_runnable_packed(run)) {
        memcpy(a, dfl_runnable_accelerations(run, t, x), nv * sizeof *a);
        return dfl_all_finite(a, eq->nv);
    }
    rows_of_a rows = {.count = eq->nv + eq->nl + eq->nm + eq->n0};
    rows.A = dfl_alloc(ctx_of(run), (size_t)rows.count * nv, sizeof(double));
    rows.b = dfl_alloc(ctx_of(run), (size_t)rows.count, sizeof(double));
    rows.M = dfl_alloc(ctx_of(run), nv * nv, sizeof(double));
    rows.W = dfl_alloc(ctx_of(run), nc * nv, sizeof(double));
    rows.K0 = dfl_alloc(ctx_of(run), nv * n0, sizeof(double));
    const bool good = rows.A && rows.b && rows.M && rows.W && rows.K0 &&
                      (solve_masses(a, &rows, run, t, x) || solve_rows(a, &rows, run, t, x));
    double *const arrays[] = {rows.A, rows.b, rows.M, rows.W, rows.K0};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        dfl_free(ctx_of(run), arrays[i]);
    return good;
}

/* M a = f - W^T (l, m), where M is positive definite. */
static bool solve_masses(double *a, rows_of_a *rows, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const int nv = eq->nv, nc = eq->nl + eq->nm;
    double *M = rows->M;
    dfl_runnable_eom(run)->mass(M, t, x, run);
    for (int j = nv - 1; eq->flags.mass_diagonal && j >= 0; j--) {
        const double diagonal = M[j];
        M[j] = 0.0;
        M[j + j * nv] = diagonal;
    }
    dfl_blocks blocks = {.f = rows->b, .W = rows->W, .K0 = rows->K0, .bias = rows->b + nv};
    dfl_runnable_eom(run)->eval(&blocks, t, x, DFL_FORCE | DFL_DIRECTIONS | DFL_BIAS, run);
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            rows->b[j] -= rows->W[i + j * nc] * x[eq->nw + i];
    for (int j = 0; j < nv; j++) {
        memcpy(rows->A + j * rows->count, M + j * nv, (size_t)nv * sizeof *M);
        memcpy(rows->A + j * rows->count + nv, rows->W + j * nc, (size_t)nc * sizeof *M);
    }
    memcpy(a, rows->b, (size_t)nv * sizeof *a);
    return eq->n0 == 0 && LAPACKE_dposv_work(LAPACK_COL_MAJOR, 'L', nv, 1, M, nv, a, nv) == 0;
}

/* Where M is singular: the same rows, W a = -bias, and d gam/dt = 0. */
static bool solve_rows(double *a, rows_of_a *rows, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const int nv = eq->nv, nc = eq->nl + eq->nm, count = rows->count;
    dfl_lstsq *lstsq = NULL;
    int rank = 0;
    for (int i = 0; i < nc; i++)
        rows->b[nv + i] = -rows->b[nv + i];
    if (eq->n0 > 0 && !add_balance(rows, run, t, x))
        return false;
    for (int i = 0; i < count; i++) { /* units decide nothing */
        double size = 0.0;
        for (int j = 0; j < nv; j++)
            size = fmax(size, fabs(rows->A[i + j * count]));
        for (int j = 0; j < nv && size > 0.0; j++)
            rows->A[i + j * count] /= size;
        rows->b[i] = size > 0.0 ? rows->b[i] / size : 0.0;
    }
    const bool solved = !dfl_lstsq_create(&lstsq, ctx_of(run), count, nv) &&
                        dfl_lstsq_solve(a, lstsq, count, nv, rows->A, rows->b, 1e-10, &rank);
    dfl_lstsq_free(lstsq, ctx_of(run));
    return solved && rank == nv;
}

/* gam_v a = -(gam_p p' + gam_r r' + gam_t). False where gam contains what has no rate of its
   own. */
static bool add_balance(rows_of_a *rows, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    dfl_graph *graph = eq->graph;
    const int n0 = eq->n0, first = rows->count - n0, count = eq->np + eq->nr + 1;
    const int v = eq->nw + eq->nl + eq->nm + eq->nr;
    const dfl_numbers numbers = dfl_runnable_numbers(run, t, x, NULL);
    if (eq->massless.tree)
        return add_tree_balance(rows, run, t, x);
    for (int k = 0; k < n0; k++)
        if (!eq->have_jacobians || dfl_balance_is_coupled(eq) ||
            dfl_depends(graph, eq->rows.gam[k], DFL_SYM_S))
            return false;
    dfl_expr *symbols = dfl_exprs(eq, count), *rates = dfl_exprs(eq, count);
    dfl_expr *drift = dfl_exprs(eq, n0);
    double *J = dfl_alloc(ctx_of(run), (size_t)n0 * (size_t)eq->n, sizeof *J);
    bool good = symbols && rates && drift && J;
    for (int i = 0; good && i < eq->np; i++) {
        symbols[i] = dfl_equations_p(eq)[i].symbol;
        rates[i] = eq->rows.kin[i];
    }
    for (int i = 0; good && i < eq->nr; i++) {
        symbols[eq->np + i] = eq->x[v - eq->nr + i].symbol;
        rates[eq->np + i] = eq->rows.b[i];
    }
    if (good) {
        symbols[count - 1] = dfl_symbol_expr(graph, DFL_SYM_TIME, 0, "time");
        rates[count - 1] = dfl_constant(graph, 1.0);
        good = !dfl_along_exprs(drift, graph, eq->rows.gam, n0, symbols, rates, count) &&
               !dfl_numbers_values(rows->b + first, &numbers, eq, drift, n0) &&
               !dfl_numbers_matrix(J, &numbers, eq, &eq->jacobian.gam);
    }
    for (int k = 0; good && k < n0; k++) {
        rows->b[first + k] = -rows->b[first + k];
        for (int j = 0; j < eq->nv; j++)
            rows->A[first + k + j * rows->count] = J[k + (v + j) * n0];
    }
    dfl_free(ctx_of(run), symbols);
    dfl_free(ctx_of(run), rates);
    dfl_free(ctx_of(run), drift);
    dfl_free(ctx_of(run), J);
    return good;
}

/* The same where a tree of bodies has the massless directions. */
static bool add_tree_balance(rows_of_a *rows, dfl_runnable *run, double t, const double *x)
{
    const dfl_equations *eq = eq_of(run);
    const int n0 = eq->n0, first = rows->count - n0;
    double *J = dfl_alloc(ctx_of(run), (size_t)n0 * (size_t)eq->nv, sizeof *J);
    if (!J || !eq->have_jacobians || dfl_balance_is_coupled(eq)) {
        dfl_free(ctx_of(run), J);
        return false;
    }
    dfl_state_balance_rate(J, rows->b + first, run, t, x);
    for (int k = 0; k < n0; k++) {
        rows->b[first + k] = -rows->b[first + k];
        for (int j = 0; j < eq->nv; j++)
            rows->A[first + k + j * rows->count] = J[k + j * n0];
    }
    dfl_free(ctx_of(run), J);
    return true;
}

/* Drift and push must cancel; what is left may be the rounding of both, and of the value itself. */
static dfl_status check_at(dfl_runnable *run, double t, const double *x, double *a, bool moved)
{
    const dfl_equations *eq = eq_of(run);
    const int count = eq->ne + eq->nep;
    double *value = dfl_alloc(ctx_of(run), (size_t)(3 * count), sizeof *value);
    dfl_expr *exprs = dfl_exprs(eq, 3 * count);
    dfl_status status = value && exprs ? DFL_OK : DFL_NO_MEMORY;
    bool known = false;
    if (!status && accelerations(a, run, t, x)) {
        memcpy(exprs, eq->kept.drift, (size_t)count * sizeof *exprs);
        memcpy(exprs + count, eq->kept.push, (size_t)count * sizeof *exprs);
        memcpy(exprs + 2 * count, eq->rows.e, (size_t)eq->ne * sizeof *exprs);
        memcpy(exprs + 2 * count + eq->ne, eq->rows.ep, (size_t)eq->nep * sizeof *exprs);
        status = dfl_runnable_values(value, run, exprs, 3 * count, t, x, a);
        known = !status;
    }
    for (int k = 0; known && !status && k < count; k++) {
        const double drift = value[k], push = value[count + k], rate = drift + push;
        const double size = 1.0 + fabs(value[2 * count + k]);
        if (fabs(rate) > 1e-6 * (fabs(drift) + fabs(push)) + 1e-8 * size)
            status = fail_kept(run, k, rate, moved);
    }
    dfl_free(ctx_of(run), value);
    dfl_free(ctx_of(run), exprs);
    return status;
}

static dfl_status fail_kept(const dfl_runnable *run, int row, double rate, bool moved)
{
    const dfl_equations *eq = eq_of(run);
    const int number = row < eq->ne ? eq->declared.e[row] : eq->declared.ep[row - eq->ne];
    const dfl_declaration *decl = &eq->model->declarations.item[number];
    return dfl_model_fail(
        eq->model, decl->line,
        "the motion does not keep the invariant '%s': its rate is %.4g %s; make it an "
        "output, or look for the force that changes it",
        decl->name, rate, moved ? "for another velocity from the same position" : "at the start");
}

/* The state with other velocities is wanted, not a start. */
typedef struct moved_state {
    double *y;
    size_t size;
} moved_state;

static dfl_status take_state(double t, const double *x, void *user)
{
    const moved_state *to = user;
    (void)t;
    memcpy(to->y, x, to->size);
    return DFL_STOPPED;
}

/* y: the same position with other velocities that satisfy the constraints. False if there is
   none. */
static bool other_motion(double *y, dfl_runnable *run, const dfl_solver_options *options, double t,
                         const double *x, int number)
{
    const dfl_equations *eq = eq_of(run);
    const int first_v = eq->nw + eq->nl + eq->nm + eq->nr;
    const dfl_solver_options tolerances = {.rtol = options ? options->rtol : 0.0,
                                           .atol = options ? options->atol : 0.0};
    moved_state to = {y, (size_t)eq->n * sizeof *y};
    bool *held = dfl_alloc(ctx_of(run), (size_t)eq->n, sizeof *held);
    const dfl_conditions conditions = {.held = held, .completed = take_state, .user = &to};
    dfl_solver *solver = NULL;
    bool found =
        held && !dfl_solver_create(&solver, ctx_of(run), dfl_runnable_eom(run), &tolerances);
    if (found) {
        memcpy(y, x, to.size);
        for (int j = 0; j < eq->nv; j++) /* any numbers will do */
            y[first_v + j] += cos(1.0 + j + 10.0 * number) * (1.0 + fabs(x[first_v + j]));
        for (int i = first_v + eq->nv; i < eq->n; i++)
            held[i] = true;
        found = dfl_solver_start(solver, t, y, &conditions) == DFL_STOPPED;
    }
    dfl_solver_free(solver);
    dfl_free(ctx_of(run), held);
    return found;
}
