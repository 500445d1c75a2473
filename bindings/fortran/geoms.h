/* geoms.h: the subroutine GEOMS of Fortran programs over the solver.

   Only geoms_ and gedensout_ are called from outside (gfortran's names; every argument is an
   address, INTEGER is int, there are no hidden arguments). The names of arguments and options are
   those of the manual: Steinbrecher 2007, appendix A. */
#ifndef DFL_GEOMS_H
#define DFL_GEOMS_H

#include <driftless/driftless.h>

/* The user's routines. */
typedef void geoms_eom_fn(int *m, int *n, double *t, double *x, double *rda, int *iopt,
                          double *ropt, int *ipar, double *rpar, int *ierr);
typedef void geoms_mas_fn(double *t, int *nx, double *x, int *m, int *n, double *ma, int *iopt,
                          double *ropt, int *ipar, double *rpar, int *ierr);
typedef void geoms_jac_fn(int *m1, int *m2, int *m3, int *m4, int *m5, int *m6, int *n1, int *n2,
                          int *n3, int *n4, int *m, int *n, double *t, double *x, double *fx1,
                          double *fx2, double *fx3, double *fx4, double *fx5, double *fx6,
                          int *iopt, double *ropt, double *rpar, int *ipar, int *ierr);
typedef void geoms_ivcond_fn(int *n, double *t, double *x, int *ncond, double *cond, int *ipar,
                             double *rpar, int *ierr);
typedef void geoms_solout_fn(int *naccpt, double *told, double *t, double *x, int *n, int *nn2,
                             int *nn3, int *nn4, double *contx, double *h, double *c1m1,
                             double *c2m1, double *rpar, int *ipar, int *ierr);

void geoms_(int *np, int *nv, int *nr, int *nw, int *ns, int *nl, int *nm, int *ni, int *m, int *n,
            int *nivcond, double *x, double *t, double *tend, double *h, double *rtol, double *atol,
            int *itol, int *iopt, double *ropt, geoms_ivcond_fn *ivcond, geoms_eom_fn *eom,
            geoms_mas_fn *mas, geoms_jac_fn *jac, int *ijac, geoms_solout_fn *solout, int *iout,
            int *liwork, int *iwork, int *lrwork, double *rwork, double *rpar, int *ipar, int *ierr,
            int *idid);

/* Component i of the continuous output at tout in [told, t], from what SOLOUT is given. */
double gedensout_(int *i, double *tout, int *n, int *nn2, int *nn3, int *nn4, double *t, double *h,
                  double *contx, double *c1m1, double *c2m1);

/* Writes n characters, given by their codes, as a line on unit lun (message.f). */
void dflmsg_(int *lun, int *n, int *codes);

/* The codes of IDID that are set here; 0 is success. */
enum {
    GEOMS_WRONG_DATA = -1001,
    GEOMS_WRONG_IDID = -1002,
    GEOMS_NO_MEMORY = -1003, /* not in the manual, whose program never allocates */
    GEOMS_STOP_SOLOUT = -1101,
    GEOMS_STOP_EOM = -1102,
    GEOMS_STOP_MAS = -1103,
    GEOMS_STOP_JAC = -1104,
    GEOMS_INCONSISTENT = -1105,
    GEOMS_BACKWARD = -1106,
    GEOMS_SINGULAR_QR = -1114,
    GEOMS_SINGULAR_LU = -1115,
    GEOMS_TOO_MANY_STEPS = -1117,
    GEOMS_STEP_TOO_SMALL = -1118,
    GEOMS_STOP_EOM_DIFFERENCES = -1201,
    GEOMS_QR_RANK = -1400, /* -1, -2, -3 for FX1, FX2, FX3 */
    GEOMS_STOP_EOM_START = -2101,
    GEOMS_STOP_IVCOND = -2102,
    GEOMS_CONTRADICTION = -2104,
    GEOMS_NO_CONVERGENCE = -2105,
    GEOMS_UNDETERMINED = -2106,
    GEOMS_RANK_CHANGED = -2401,
    GEOMS_DEFECT_FX2 = -2402,
    GEOMS_DEFECT_FX3 = -2403,
    GEOMS_SVD = -2404,
    GEOMS_LU_RANK = -2600 /* -1, -2, -3 as above */
};

/* Positions of the options in IOPT and ROPT, counted from 1 as in the manual. */
enum {
    GEOMS_LUN = 2,
    GEOMS_NIT,
    GEOMS_STARTN,
    GEOMS_FORM,
    GEOMS_NMAX,
    GEOMS_NUMBERING, /* not in the manual: 1 = DECOMPC is numbered as in its option list */
    GEOMS_PRED,
    GEOMS_NWTMAT,
    GEOMS_NWTUPD,
    GEOMS_DECOMPC,
    GEOMS_DECOMPD,
    GEOMS_SELCOMP,
    GEOMS_AUTONOM,
    GEOMS_MASSTRKT,
    GEOMS_RIGID,  /* not in the manual: 1 = invariants are never dropped */
    GEOMS_IVCNSST /* 2 is not in the manual: without conditions values are only checked */
};
enum {
    GEOMS_UROUND = 1,
    GEOMS_SAFE,
    GEOMS_THET,
    GEOMS_FNEWT,
    GEOMS_QUOT1,
    GEOMS_QUOT2,
    GEOMS_HMAX,
    GEOMS_FACL,
    GEOMS_FACR
};

/* What the caller gave. */
typedef struct geoms_call {
    int np, nv, nr, nw, ns, nl, nm, ni, m, n, nivcond;
    int itol, ijac, iout, liwork, lrwork;
    double t, tend, h;
    double *x, *rtol, *atol, *ropt, *rpar;
    int *iopt, *iwork, *ipar, *ierr;
    geoms_ivcond_fn *ivcond;
    geoms_eom_fn *eom;
    geoms_mas_fn *mas;
    geoms_jac_fn *jac;
    geoms_solout_fn *solout;
} geoms_call;

/* The rows of RDA and of the derivatives, and the columns of X, in blocks. */
typedef struct geoms_blocks {
    int m1, m2, m3, m4, m5, m6, n1, n2, n3, n4;
} geoms_blocks;

/* One call of GEOMS. */
typedef struct geoms_run {
    geoms_call call;
    geoms_blocks blocks;
    dfl_context *ctx;
    dfl_solver *solver;
    dfl_eom eom;
    dfl_solver_options options;
    dfl_conditions conditions;
    double *rda, *mass, *fx[6], *contx, *probe; /* what the user's routines fill, and SOLOUT gets */
    bool starting;                              /* inside dfl_solver_start */
    int points;                                 /* reported by on_step, the start included */
    double h_next;                              /* proposed at the last accepted step */
    long differences;                           /* evaluations for differences so far */
    int stopped;                                /* IDID of the user's routine that stopped, or 0 */
    char name[32];
} geoms_run;

/* An option by its number in the manual. */
static inline int geoms_iopt(const geoms_call *call, int number)
{
    return call->iopt[number - 1];
}

static inline double geoms_ropt(const geoms_call *call, int number)
{
    return call->ropt[number - 1];
}

/* IOPT(11) as 1 LU, 2 QR, 3 SVD. */
static inline int geoms_decompc(const geoms_call *call)
{
    const int given = geoms_iopt(call, GEOMS_DECOMPC);
    if (geoms_iopt(call, GEOMS_NUMBERING) == 1)
        return given + 1;
    return given == 0 ? 1 : given;
}

/* check.c: 0, or the IDID of what is wrong with the arguments, with a message in ctx. */
int geoms_check(dfl_context *ctx, const geoms_call *call);

/* options.c: the blocks of a checked call. */
geoms_blocks geoms_blocks_of(const geoms_call *call);

/* options.c: the model, the options and the conditions of the run, without callbacks. */
void geoms_set_options(geoms_run *run);

/* callbacks.c: the user's routines as callbacks. Room for what they fill is taken from ctx. */
dfl_status geoms_set_callbacks(geoms_run *run);
void geoms_free_callbacks(geoms_run *run);

/* outcome.c: IDID for a status of the solver, and what is written on unit IOPT(2). */
int geoms_idid(const geoms_run *run, dfl_status status);
void geoms_report(const geoms_call *call, int idid, const char *message);
void geoms_name_decomposition(const geoms_call *call);
void geoms_write(const geoms_call *call, const char *text);

#endif
