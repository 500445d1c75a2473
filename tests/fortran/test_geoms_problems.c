/* test_geoms_problems.c: the benchmark problems through GEOMS reach their references, so every
   block of X, RDA and FX1 to FX6 is where the manual puts it.

   A problem gives forces without constraint forces, W and the bias; the routines here make of them
   what GEOMS asks for: f_dyn = f - W^T (l, m), gII and hI = W M^-1 f_dyn + bias. JAC uses central
   differences of EOM. Invariants of positions are left out, which GEOMS does not have. */
#include "geoms.h"
#include "support.h"

#include <lapacke.h>

enum { MOST = 80, MOST_ROWS = 200 };

static problem prob;
static bool psi1;

/* M in `full`, nv x nv. */
static void mass_of(double *full, double t, const double *x)
{
    const dfl_eom *eom = &prob.eom;
    const int nv = eom->nv;
    double M[MOST * MOST] = {0};
    memset(full, 0, (size_t)(nv * nv) * sizeof *full);
    if (eom->mass)
        eom->mass(M, t, x, eom->user);
    for (int i = 0; i < nv; i++)
        full[i * (nv + 1)] = !eom->mass ? 1 : eom->mass_diagonal ? M[i] : 0;
    if (eom->mass && !eom->mass_diagonal)
        memcpy(full, M, (size_t)(nv * nv) * sizeof *full);
}

/* acc = W M^-1 f_dyn + bias */
static void accelerate(double *acc, const dfl_blocks *b, double t, const double *x)
{
    const int nv = prob.eom.nv, nc = prob.eom.nl + prob.eom.nm;
    static double M[MOST * MOST];
    double a[MOST];
    lapack_int pivot[MOST];
    mass_of(M, t, x);
    memcpy(a, b->f, (size_t)nv * sizeof *a);
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, nv, 1, M, nv, pivot, a, nv), 0);
    for (int i = 0; i < nc; i++) {
        acc[i] = b->bias[i];
        for (int j = 0; j < nv; j++)
            acc[i] += b->W[j * nc + i] * a[j];
    }
}

static void eom(int *m, int *n, double *t, double *x, double *rda, int *iopt, double *ropt,
                int *ipar, double *rpar, int *ierr)
{
    const dfl_eom *e = &prob.eom;
    const dfl_layout at = dfl_eom_layout(e);
    const int nc = e->nl + e->nm;
    static double W[MOST * MOST], K0[MOST], bias[MOST], ep[MOST], gam[MOST];
    double *acc = rda + e->nw, *vel = acc + (psi1 ? 0 : nc), *pos = vel + nc + e->ne;
    dfl_blocks b = {.d = rda,
                    .gI = vel,
                    .hv = vel + e->nl,
                    .e = vel + nc,
                    .c = pos,
                    .g = pos + e->ns,
                    .b = pos + e->ns + e->nl,
                    .W = W,
                    .K0 = K0,
                    .bias = bias,
                    .ep = ep,
                    .gam = gam};
    (void)m, (void)n, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    memset(W, 0, sizeof W); /* entries that are always zero are not written */
    b.f = b.b + e->nr;
    b.kin = b.f + e->nv;
    assert_int_equal(e->eval(&b, *t, x, DFL_EVERYTHING, e->user), 0);
    if (e->trivial_kinematics)
        memcpy(b.kin, x + at.v, (size_t)e->np * sizeof *x);
    for (int j = 0; j < e->nv; j++)
        for (int i = 0; i < nc; i++)
            b.f[j] -= W[j * nc + i] * x[at.lambda + i];
    if (!psi1)
        accelerate(acc, &b, *t, x);
}

static void mas(double *t, int *nx, double *x, int *m, int *n, double *ma, int *iopt, double *ropt,
                int *ipar, double *rpar, int *ierr)
{
    (void)nx, (void)m, (void)n, (void)iopt, (void)ropt, (void)ipar, (void)rpar, (void)ierr;
    mass_of(ma, *t, x);
}

/* Minus the derivatives of RDA by column `column` of X, from central differences. */
static void column_of(double *out, int m, int n, double t, const double *x, int column)
{
    double moved[MOST], plus[MOST_ROWS];
    const double delta = 1e-6 * fmax(1, fabs(x[column]));
    memcpy(moved, x, (size_t)n * sizeof *x);
    moved[column] = x[column] + delta;
    eom(&m, &n, &t, moved, plus, NULL, NULL, NULL, NULL, NULL);
    moved[column] = x[column] - delta;
    eom(&m, &n, &t, moved, out, NULL, NULL, NULL, NULL, NULL);
    for (int i = 0; i < m; i++)
        out[i] = (out[i] - plus[i]) / (2 * delta);
}

static void jac(int *m1, int *m2, int *m3, int *m4, int *m5, int *m6, int *n1, int *n2, int *n3,
                int *n4, int *m, int *n, double *t, double *x, double *fx1, double *fx2,
                double *fx3, double *fx4, double *fx5, double *fx6, int *iopt, double *ropt,
                double *rpar, int *ipar, int *ierr)
{
    const int rows[6] = {*m1, *m2, *m3, *m4, *m5, *m6};
    const int first[6] = {0, *n1 + *n2, *n1 + *n2 + *n3, 0, 0, *n1 + *n2};
    double *const fx[6] = {fx1, fx2, fx3, fx4, fx5, fx6};
    (void)n4, (void)iopt, (void)ropt, (void)rpar, (void)ipar, (void)ierr;
    for (int j = 0; j < *n; j++) {
        double column[MOST_ROWS];
        const double *from = column;
        column_of(column, *m, *n, *t, x, j);
        for (int k = 0; k < 6; from += rows[k++])
            if (j >= first[k])
                memcpy(fx[k] + (j - first[k]) * rows[k], from, (size_t)rows[k] * sizeof *from);
    }
}

static void nothing_to_do(int *naccpt, double *told, double *t, double *x, int *n, int *nn2,
                          int *nn3, int *nn4, double *contx, double *h, double *c1m1, double *c2m1,
                          double *rpar, int *ipar, int *ierr)
{
    (void)naccpt, (void)told, (void)t, (void)x, (void)n, (void)nn2, (void)nn3, (void)nn4;
    (void)contx, (void)h, (void)c1m1, (void)c2m1, (void)rpar, (void)ipar, (void)ierr;
}

static void no_conditions(int *n, double *t, double *x, int *ncond, double *cond, int *ipar,
                          double *rpar, int *ierr)
{
    (void)n, (void)t, (void)x, (void)ncond, (void)cond, (void)ipar, (void)rpar, (void)ierr;
}

/* A problem and what is asked of it. */
typedef struct setting {
    const char *name;
    double t;     /* of the reference */
    double error; /* of positions and velocities, relative to max(1, |x|), that is allowed */
    int decompc;
} setting;

/* Runs `prob` to s->t; the state and the accepted steps come back. */
static run run_geoms(const setting *s, int ijac)
{
    dfl_eom *e = &prob.eom;
    const int nc = e->nl + e->nm;
    int n = dfl_eom_unknowns(e), zero = 0, itol = 0, liwork = 20, iwork[20], lrwork = 5 * MOST_ROWS;
    int m = e->np + e->nv + e->nr + e->nw + e->ns + e->nl + (psi1 ? 1 : 2) * nc + e->ne;
    int iopt[40] = {0}, idid = 0, ierr = 0;
    double t = prob.t0, tend = s->t, h = 1e-4, rtol = 1e-8, atol = 1e-8, ropt[40] = {0};
    double rwork[5 * MOST_ROWS], rpar = 0;
    run r = {.n = n};
    e->nep = 0;
    iopt[GEOMS_FORM - 1] = psi1;
    iopt[GEOMS_DECOMPC - 1] = s->decompc;
    memcpy(r.x, prob.x0, (size_t)n * sizeof *r.x);
    geoms_(&e->np, &e->nv, &e->nr, &e->nw, &e->ns, &e->nl, &e->nm, &e->ne, &m, &n, &zero, r.x, &t,
           &tend, &h, &rtol, &atol, &itol, iopt, ropt, no_conditions, eom, mas, jac, &ijac,
           nothing_to_do, &zero, &liwork, iwork, &lrwork, rwork, &rpar, &zero, &ierr, &idid);
    assert_int_equal(idid, 0);
    r.stats.accepted = iwork[0];
    return r;
}

/* truck: time; servo: r; friction: w; wheelset: s, and forces that depend on multipliers; sleigh:
   m; disk: l and m, quaternions; slidercrank: full M(p); pendulum_energy: e; bricard: redundant
   rows. The bounds allow for what errors of 1e-8 per step become in each motion, most in the stiff
   wheelset. */
static const setting settings[] = {{"truck", 2, 1e-6, 1},       {"servo", 1, 1e-6, 1},
                                   {"friction", 1, 1e-6, 1},    {"wheelset", 1, 5e-5, 1},
                                   {"sleigh", 5, 1e-6, 1},      {"disk", 1, 1e-5, 1},
                                   {"slidercrank", 1, 1e-5, 1}, {"pendulum_energy", 1.3, 1e-5, 1},
                                   {"bricard", 0.5, 1e-5, 3}};

static void problems_reach_their_references(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int form = 0; form <= 1; form++)
            for (int ijac = 0; ijac <= 1; ijac++) {
                setting s = settings[i];
                psi1 = form == 1;
                assert_true(problem_make(&prob, s.name, 0));
                const dfl_layout at = dfl_eom_layout(&prob.eom);
                const run r = run_geoms(&s, ijac);
                const double error = error_of(&r, &prob, s.t, at.r, at.n - at.r);
                print_message("%-15s t %-4g form %d ijac %d: %4ld steps, error %.1e\n", s.name, s.t,
                              form, ijac, r.stats.accepted, error);
                assert_true(error < s.error);
                problem_free(&prob);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(problems_reach_their_references)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
