/* The formulations EoM, EoM2, EoM1, GGL and UODE of a problem as user functions for the solvers.
   The pendulum has its own, written out, because for it a general function would cost more than the
   mechanics. */
#include "peers.h"

#include <string.h>

static double pendulum_constraint(peer_form form, const double *y);
static void pendulum_rhs(const double *y, double *f);
static void pendulum_jacobian(const double *y, double *J, int ld);
static void constraint_rows(double *c, double *c2, const double *g, const double *G,
                            const double *gt, const double *gamma, const double *v,
                            const double *a);
static void add_product(double *y, int m, int n, const double *A, const double *x);
static void add_transposed(double *y, int m, int n, double s, const double *A, const double *x);

peer_run run;

void peer_rhs(double t, const double *y, double *f)
{
    run.evaluations++;
    if (run.problem == &peer_pendulum) {
        pendulum_rhs(y, f);
        return;
    }
    const int np = run.problem->np, nl = run.problem->nl;
    const peer_form form = run.form;
    double M[MAX_P * MAX_P], force[MAX_P], g[MAX_L], G[MAX_L * MAX_P], gt[MAX_L], gamma[MAX_L];
    double a[MAX_P];
    const double *v = y + np, *lambda = y + run.lambda;
    run.problem->eval(t, y, v, run.with_a ? M : NULL, force, form == EOM || form == GGL ? g : NULL,
                      G, form == EOM2 || form == GGL ? gt : NULL, form == EOM1 ? gamma : NULL);
    memcpy(f, v, (size_t)np * sizeof *f);
    if (form == GGL)
        add_transposed(f, nl, np, -1, G, y + run.mu);
    if (run.with_a) { /* v' = a, 0 = M a - f + G^T lambda */
        double *row = f + 2 * np;
        memcpy(a, y + 2 * np, (size_t)np * sizeof *a);
        memcpy(f + np, a, (size_t)np * sizeof *f);
        for (int i = 0; i < np; i++)
            row[i] = -force[i];
        add_product(row, np, np, M, a);
        add_transposed(row, nl, np, 1, G, lambda);
    } else { /* M v' = f - G^T lambda */
        memcpy(f + np, force, (size_t)np * sizeof *f);
        add_transposed(f + np, nl, np, -1, G, lambda);
        for (int i = 0; i < np; i++)
            a[i] = f[np + i] / run.problem->mass[i];
    }
    constraint_rows(f + run.lambda, f + run.mu, g, G, gt, gamma, v, a);
}

/* For Andrews' mechanism the usual approximation for index 3: only the blocks M, G and G^T. */
void peer_rhs_jacobian(double t, const double *y, double *J, int ld)
{
    run.jacobians++;
    if (run.problem == &peer_pendulum) {
        pendulum_jacobian(y, J, ld);
        return;
    }
    const int np = run.problem->np, nl = run.problem->nl;
    double M[MAX_P * MAX_P], G[MAX_L * MAX_P];
    run.problem->eval(t, y, y + np, M, NULL, NULL, G, NULL, NULL);
    for (int j = 0; j < run.n; j++)
        memset(J + j * ld, 0, (size_t)run.n * sizeof *J);
    for (int i = 0; i < 2 * np; i++)
        J[i + (i + np) * ld] = 1;
    for (int i = 0; i < np; i++) {
        for (int j = 0; j < np; j++)
            J[2 * np + i + (2 * np + j) * ld] = M[i * np + j];
        for (int j = 0; j < nl; j++) {
            J[2 * np + i + (run.lambda + j) * ld] = G[j * np + i];
            J[run.lambda + j + i * ld] = G[j * np + i];
        }
    }
}

bool peer_has_jacobian(void)
{
    return run.problem == &peer_pendulum ||
           (run.problem == &peer_andrews && run.layout == MASS_FORM && run.form == EOM);
}

void peer_mass_diagonal(double *D)
{
    const int np = run.problem->np;
    memset(D, 0, (size_t)run.n * sizeof *D);
    for (int i = 0; i < np; i++) {
        D[i] = 1;
        D[np + i] = run.with_a ? 1 : run.problem->mass[i];
    }
}

void peer_residual(double t, const double *y, const double *yp, double *r)
{
    run.evaluations++;
    if (run.problem == &peer_pendulum) {
        pendulum_rhs(y, r);
        for (int i = 0; i < 4; i++)
            r[i] = yp[i] - r[i];
        return;
    }
    const int np = run.problem->np, nl = run.problem->nl;
    const peer_form form = run.form;
    double M[MAX_P * MAX_P], f[MAX_P], g[MAX_L], G[MAX_L * MAX_P], gt[MAX_L], gamma[MAX_L];
    const double *v = y + np;
    run.problem->eval(t, y, v, M, f, form == EOM || form == GGL ? g : NULL, G,
                      form == EOM2 || form == GGL ? gt : NULL, form == EOM1 ? gamma : NULL);
    for (int i = 0; i < np; i++) {
        r[i] = yp[i] - v[i];
        r[np + i] = -f[i];
    }
    if (form == GGL)
        add_transposed(r, nl, np, 1, G, y + run.mu);
    add_product(r + np, np, np, M, yp + np);
    add_transposed(r + np, nl, np, 1, G, y + run.lambda);
    constraint_rows(r + run.lambda, r + run.mu, g, G, gt, gamma, v, yp + np);
}

/* The pendulum only. */
void peer_residual_jacobian(const double *y, double cj, double *J, int ld)
{
    run.jacobians++;
    pendulum_jacobian(y, J, ld);
    for (int j = 0; j < run.n; j++)
        for (int i = 0; i < 4; i++)
            J[i + j * ld] = -J[i + j * ld];
    for (int i = 0; i < 4; i++)
        J[i + i * ld] += cj;
}

void peer_ode(double t, const double *y, double *f)
{
    run.evaluations++;
    if (run.problem == &peer_pendulum) {
        const double p2 = y[0] * y[0] + y[1] * y[1], v2 = y[2] * y[2] + y[3] * y[3];
        const double l = (v2 - peer_gravity * y[1]) / p2;
        f[0] = y[2];
        f[1] = y[3];
        f[2] = -l * y[0];
        f[3] = -peer_gravity - l * y[1];
        return;
    }
    const int np = run.problem->np;
    double lambda[MAX_L];
    memcpy(f, y + np, (size_t)np * sizeof *f);
    peer_accelerations(f + np, lambda, run.problem, t, y, y + np);
}

void peer_index_counts(int count[3])
{
    const int np = run.problem->np, rest = run.n - 2 * np;
    count[0] = run.form == EOM1 ? run.n : run.form == EOM ? np : 2 * np;
    count[1] = run.form == EOM1 ? 0 : run.form == EOM ? np : rest;
    count[2] = run.form == EOM ? rest : 0;
}

static double pendulum_constraint(peer_form form, const double *y)
{
    const double *p = y, *v = y + 2;
    if (form == EOM2)
        return 2 * (p[0] * v[0] + p[1] * v[1]);
    if (form == EOM1)
        return 2 * (v[0] * v[0] + v[1] * v[1] - peer_gravity * p[1] -
                    2 * y[4] * (p[0] * p[0] + p[1] * p[1]));
    return p[0] * p[0] + p[1] * p[1] - 1;
}

/* y = (p1, p2, v1, v2, lambda, [mu]) */
static void pendulum_rhs(const double *y, double *f)
{
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -2 * y[0] * y[4];
    f[3] = -peer_gravity - 2 * y[1] * y[4];
    if (run.form == GGL) {
        f[0] -= 2 * y[0] * y[5];
        f[1] -= 2 * y[1] * y[5];
        f[4] = pendulum_constraint(EOM2, y);
        f[5] = pendulum_constraint(EOM, y);
    } else {
        f[4] = pendulum_constraint(run.form, y);
    }
}

static void pendulum_jacobian(const double *y, double *J, int ld)
{
    const double *p = y, *v = y + 2;
    const double l = y[4];
    for (int j = 0; j < run.n; j++)
        memset(J + j * ld, 0, (size_t)run.n * sizeof *J);
    J[2 * ld] = J[1 + 3 * ld] = 1;
    J[2] = J[3 + ld] = -2 * l;
    J[2 + 4 * ld] = -2 * p[0];
    J[3 + 4 * ld] = -2 * p[1];
    if (run.form == GGL) {
        J[0] = J[1 + ld] = -2 * y[5];
        J[5 * ld] = -2 * p[0];
        J[1 + 5 * ld] = -2 * p[1];
        J[5] = 2 * p[0];
        J[5 + ld] = 2 * p[1];
    }
    for (int i = 0; i < 2; i++) {
        double *by_p = &J[4 + i * ld], *by_v = &J[4 + (2 + i) * ld];
        if (run.form == EOM) {
            *by_p = 2 * p[i];
        } else if (run.form == EOM1) {
            *by_p = -8 * l * p[i] - (i == 1 ? 2 * peer_gravity : 0);
            *by_v = 4 * v[i];
        } else {
            *by_p = 2 * v[i];
            *by_v = 2 * p[i];
        }
    }
    if (run.form == EOM1)
        J[4 + 4 * ld] = -4 * (p[0] * p[0] + p[1] * p[1]);
}

/* c: the rows beside lambda; c2: with GGL, those beside mu. */
static void constraint_rows(double *c, double *c2, const double *g, const double *G,
                            const double *gt, const double *gamma, const double *v, const double *a)
{
    const int np = run.problem->np, nl = run.problem->nl;
    const size_t bytes = (size_t)nl * sizeof *c;
    if (run.form == EOM) {
        memcpy(c, g, bytes);
    } else if (run.form == EOM1) {
        memcpy(c, gamma, bytes);
        add_product(c, nl, np, G, a);
    } else {
        memcpy(c, gt, bytes);
        add_product(c, nl, np, G, v);
        if (run.form == GGL)
            memcpy(c2, g, bytes);
    }
}

/* y += A x, A m x n and row-major */
static void add_product(double *y, int m, int n, const double *A, const double *x)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[i] += A[i * n + j] * x[j];
}

/* y += s A^T x */
static void add_transposed(double *y, int m, int n, double s, const double *A, const double *x)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            y[j] += s * A[i * n + j] * x[i];
}
