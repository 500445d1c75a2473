/* RADAU5 (Hairer and Wanner) and DDASPK 2.0, the Fortran routines inside deSolve's shared object,
   called directly: no R interpreter is involved. */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

static int integrate_radau5(void);
static int integrate_radau5_m1(void);
static int integrate_daspk(void);

/* radau5-m1: p' = v (and v' = a) are eliminated from the linear algebra, options M1 and M2. */
const peer_solver peer_solvers[] = {
    {"radau5", MASS_FORM, 1 << EOM | 1 << EOM2 | 1 << EOM1 | 1 << GGL, integrate_radau5},
    {"radau5-m1", MASS_FORM, 1 << EOM | 1 << EOM2 | 1 << EOM1, integrate_radau5_m1},
    {"daspk", RESIDUAL, 1 << EOM | 1 << EOM2 | 1 << EOM1 | 1 << GGL, integrate_daspk},
    {0},
};

/* The Fortran codes send their messages to R's console, which does not exist here. */
void Rprintf(const char *format, ...);
void Rf_warning(const char *format, ...);
void Rf_error(const char *format, ...);

void Rprintf(const char *format, ...)
{
    (void)format;
}

void Rf_warning(const char *format, ...)
{
    (void)format;
}

void Rf_error(const char *format, ...)
{
    (void)format;
    exit(3);
}

/* ---- RADAU5 ---- */

typedef void radau_rhs(int *n, double *x, double *y, double *f, double *rpar, int *ipar);
typedef void radau_jacobian(int *n, double *x, double *y, int *ml, int *mu, double *J, int *ld,
                            double *rpar, int *ipar); /* ml, mu: deSolve's addition */
typedef void radau_mass(int *n, double *am, int *lmas, double *rpar, int *ipar);
typedef void radau_output(int *number, double *x_old, double *x, double *y, double *cont, int *lrc,
                          int *n, double *rpar, int *ipar, int *stop);
void radau5_(int *n, radau_rhs *fcn, double *x, double *y, double *xend, double *h, double *rtol,
             double *atol, int *itol, radau_jacobian *jac, int *ijac, int *mljac, int *mujac,
             radau_mass *mas, int *imas, int *mlmas, int *mumas, radau_output *solout, int *iout,
             double *work, int *lwork, int *iwork, int *liwork, double *rpar, int *ipar, int *idid);

static int first_row; /* M1: rows before it are trivial */

static void radau_f(int *n, double *x, double *y, double *f, double *rpar, int *ipar)
{
    (void)n;
    (void)rpar;
    (void)ipar;
    peer_rhs(*x, y, f);
}

static void radau_j(int *n, double *x, double *y, int *ml, int *mu, double *J, int *ld,
                    double *rpar, int *ipar)
{
    (void)n;
    (void)ml;
    (void)mu;
    (void)rpar;
    (void)ipar;
    if (first_row == 0) {
        peer_rhs_jacobian(*x, y, J, *ld);
        return;
    }
    double full[MAX_N * MAX_N];
    peer_rhs_jacobian(*x, y, full, run.n);
    for (int j = 0; j < run.n; j++)
        for (int i = first_row; i < run.n; i++)
            J[i - first_row + j * *ld] = full[i + j * run.n];
}

static void radau_m(int *n, double *am, int *lmas, double *rpar, int *ipar)
{
    (void)n;
    (void)lmas;
    (void)rpar;
    (void)ipar;
    double D[MAX_N];
    peer_mass_diagonal(D);
    for (int i = first_row; i < run.n; i++)
        am[i - first_row] = D[i];
}

static void radau_step(int *number, double *x_old, double *x, double *y, double *cont, int *lrc,
                       int *n, double *rpar, int *ipar, int *stop)
{
    (void)number;
    (void)x_old;
    (void)cont;
    (void)lrc;
    (void)n;
    (void)rpar;
    (void)ipar;
    (void)stop;
    run.on_step(*x, y);
}

static int radau5(int m1)
{
    static double work[MAX_N * (5 * MAX_N + 12) + 20];
    int iwork[3 * MAX_N + 20] = {0}, counts[3];
    int lwork = (int)(sizeof work / sizeof *work), liwork = (int)(sizeof iwork / sizeof *iwork);
    int n = run.n, rows = run.n - m1, zero = 0, one = 1, analytic = run.analytic;
    int watched = run.on_step != NULL;
    int ipar = 0, idid = 0;
    double x = 0, x_end = run.problem->t_end, h = run.problem->first_step, rpar = 0;
    double rtol = run.tolerance, atol = run.tolerance;
    memset(work, 0, 20 * sizeof *work);
    first_row = m1;
    peer_index_counts(counts);
    iwork[1] = 100000000; /* steps */
    memcpy(iwork + 4, counts, sizeof counts);
    iwork[8] = m1;
    iwork[9] = m1 ? run.problem->np : 0;

    peer_clock_start();
    radau5_(&n, radau_f, &x, run.y, &x_end, &h, &rtol, &atol, &zero, radau_j, &analytic, &rows,
            &rows, radau_m, &one, &zero, &zero, radau_step, &watched, work, &lwork, iwork, &liwork,
            &rpar, &ipar, &idid);
    peer_clock_stop();

    run.jacobians = iwork[14];
    run.steps = iwork[15];
    run.decompositions = iwork[18];
    return idid < 0 ? idid : 0;
}

static int integrate_radau5(void)
{
    return radau5(0);
}

static int integrate_radau5_m1(void)
{
    return radau5(run.with_a ? 2 * run.problem->np : run.problem->np);
}

/* ---- DASPK ---- */

typedef void daspk_residual(double *t, double *y, double *yp, double *cj, double *r, int *ires,
                            double *rpar, int *ipar);
typedef void daspk_jacobian(double *t, double *y, double *yp, double *J, double *cj, double *rpar,
                            int *ipar);
typedef void daspk_precondition(void);
void ddaspk_(daspk_residual *res, int *n, double *t, double *y, double *yp, double *tout, int *info,
             double *rtol, double *atol, int *idid, double *rwork, int *lrw, int *iwork, int *liw,
             double *rpar, int *ipar, daspk_jacobian *jac, daspk_precondition *psol);

static void daspk_r(double *t, double *y, double *yp, double *cj, double *r, int *ires,
                    double *rpar, int *ipar)
{
    (void)cj;
    (void)ires;
    (void)rpar;
    (void)ipar;
    peer_residual(*t, y, yp, r);
}

static void daspk_j(double *t, double *y, double *yp, double *J, double *cj, double *rpar,
                    int *ipar)
{
    (void)t;
    (void)yp;
    (void)rpar;
    (void)ipar;
    peer_residual_jacobian(y, *cj, J, run.n);
}

static void no_preconditioner(void)
{
}

static int integrate_daspk(void)
{
    static double rwork[50 + 10 * MAX_N + MAX_N * MAX_N];
    int iwork[40 + 3 * MAX_N] = {0}, info[25] = {0};
    int lrw = (int)(sizeof rwork / sizeof *rwork), liw = (int)(sizeof iwork / sizeof *iwork);
    int n = run.n, ipar = 0, idid = 0;
    double t = 0, t_end = run.problem->t_end, rtol = run.tolerance, atol = run.tolerance, rpar = 0;
    peer_index_counts(info + 20);  /* deSolve's addition: error weights by index */
    info[2] = run.on_step != NULL; /* return after every step */
    info[3] = 1;                   /* never beyond t_end */
    rwork[0] = t_end;
    info[4] = run.analytic;
    info[15] = run.form != EOM1; /* lambda and mu are left out of the error test */
    for (int i = 0; i < run.n; i++)
        iwork[40 + i] = i < 2 * run.problem->np ? 1 : -1;

    peer_clock_start();
    do { /* -1: 500 steps done; 1: one step of several */
        ddaspk_(daspk_r, &n, &t, run.y, run.yp, &t_end, info, &rtol, &atol, &idid, rwork, &lrw,
                iwork, &liw, &rpar, &ipar, daspk_j, no_preconditioner);
        info[0] = 1;
        if (run.on_step && idid > 0)
            run.on_step(t, run.y);
    } while (idid == -1 || idid == 1);
    peer_clock_stop();

    run.steps = iwork[10];
    run.jacobians = run.decompositions = iwork[12];
    return idid < 0 ? idid : 0;
}
