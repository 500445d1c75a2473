/* The original DDASSL (Petzold) as compiled into Octave's library, called directly. DASSL has no
   switch to leave variables out of the error test: for index > 1 lambda and mu get loose
   tolerances. */
#include "peers.h"

#include <stddef.h>

static int integrate_dassl(void);

const peer_solver peer_solvers[] = {
    {"dassl", RESIDUAL, 1 << EOM | 1 << EOM2 | 1 << EOM1 | 1 << GGL, integrate_dassl},
    {0},
};

typedef void dassl_residual(double *t, double *y, double *yp, double *r, int *ires, double *rpar,
                            int *ipar);
typedef void dassl_jacobian(double *t, double *y, double *yp, double *J, double *cj, double *rpar,
                            int *ipar);
void ddassl_(dassl_residual *res, int *n, double *t, double *y, double *yp, double *tout, int *info,
             double *rtol, double *atol, int *idid, double *rwork, int *lrw, int *iwork, int *liw,
             double *rpar, int *ipar, dassl_jacobian *jac);
void xsetf_(int *level); /* message control: errors are returned, not fatal */

static void residual(double *t, double *y, double *yp, double *r, int *ires, double *rpar,
                     int *ipar)
{
    (void)ires;
    (void)rpar;
    (void)ipar;
    peer_residual(*t, y, yp, r);
}

static void jacobian(double *t, double *y, double *yp, double *J, double *cj, double *rpar,
                     int *ipar)
{
    (void)t;
    (void)yp;
    (void)rpar;
    (void)ipar;
    peer_residual_jacobian(y, *cj, J, run.n);
}

static int integrate_dassl(void)
{
    static double rwork[40 + 10 * MAX_N + MAX_N * MAX_N];
    int iwork[21 + MAX_N] = {0}, info[15] = {0};
    int lrw = (int)(sizeof rwork / sizeof *rwork), liw = (int)(sizeof iwork / sizeof *iwork);
    int n = run.n, idid = 0, ipar = 0, quiet = 0;
    double t = 0, t_end = run.problem->t_end, rtol[MAX_N], atol[MAX_N], rpar = 0;
    for (int i = 0; i < run.n; i++) {
        rtol[i] = run.tolerance;
        atol[i] = run.form == EOM1 || i < 2 * run.problem->np ? run.tolerance : 1e4;
    }
    info[1] = 1;                   /* tolerances are vectors */
    info[2] = run.on_step != NULL; /* return after every step */
    info[3] = 1;                   /* never beyond t_end */
    rwork[0] = t_end;
    info[4] = run.analytic;
    info[11] = 1; /* Octave's addition: limit of steps */
    iwork[20] = 100000000;
    xsetf_(&quiet);

    peer_clock_start();
    do {
        ddassl_(residual, &n, &t, run.y, run.yp, &t_end, info, rtol, atol, &idid, rwork, &lrw,
                iwork, &liw, &rpar, &ipar, jacobian);
        info[0] = 1;
        if (run.on_step && idid > 0)
            run.on_step(t, run.y);
    } while (idid == -1 || idid == 1);
    peer_clock_stop();

    run.steps = iwork[10];
    run.jacobians = run.decompositions = iwork[12];
    return idid < 0 ? idid : 0;
}
