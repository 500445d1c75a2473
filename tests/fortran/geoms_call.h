/* geoms_call.h: what the tests of GEOMS share: one call as a value, and a pendulum behind the
   routines.

   x = [w | l .. | v1 v2 | p1 p2]; g = |p|^2 - 1 written `rods` times, gravity `gravity`, M = 1. The
   routines of one test at a time read `model`. */
#ifndef DFL_TESTS_GEOMS_CALL_H
#define DFL_TESTS_GEOMS_CALL_H

#include "geoms.h"
#include "support.h"

enum { EOM_ROUTINE = 1, MAS_ROUTINE, JAC_ROUTINE, IVCOND_ROUTINE, SOLOUT_ROUTINE, ROUTINES };

/* The pendulum, its faults, and what its routines saw. */
typedef struct pendulum {
    double gravity;
    int rods;             /* rows of g; 0: free fall */
    bool flat;            /* nw = 1, but d = 0 */
    bool energy;          /* ni = 1 */
    bool loose;           /* the second row of gI, gII vanishes: defects differ */
    double opening;       /* after this time the second rod has another length */
    double nan_from;      /* EOM returns NaN from this time on */
    int stop_in;          /* routine that sets IERR < 0 ... */
    int stop_at;          /* ... in this call, counted from 1 */
    bool off_diagonal;    /* MAS writes nonsense beside the diagonal */
    double conditions[2]; /* of IVCOND: p1, and v1^2 + v2^2 */
    int calls[ROUTINES];  /* of each routine */
    double largest_p1;    /* that EOM saw */
    double m1;            /* that JAC saw */
    double dense_error;   /* of GEDENSOUT against the grid, over all steps */
    double first_told, first_t;
    int first_naccpt, last_naccpt;
    bool parameters_seen; /* IPAR and RPAR came through in every routine */
} pendulum;

static pendulum model;

/* Counts a call, and stops if it is due. */
static inline void enter(int routine, const int *ipar, const double *rpar, int *ierr)
{
    model.calls[routine]++;
    if (ipar[0] != 4711 || rpar[0] != 0.25)
        model.parameters_seen = false;
    if (model.stop_in == routine && model.calls[routine] >= model.stop_at)
        *ierr = -1;
}

/* Offsets of l, v, p. */
static inline int at_l(void)
{
    return model.flat;
}

static inline int at_v(void)
{
    return at_l() + model.rods;
}

static void test_eom(int *m, int *n, double *t, double *x, double *rda, int *iopt, double *ropt,
                     int *ipar, double *rpar, int *ierr)
{
    const double *l = x + at_l(), *v = x + at_v(), *p = v + 2;
    double pull = 0, f[2];
    double *acc = rda + model.flat, *vel = acc + (iopt[4] == 0 ? model.rods : 0);
    double *pos = vel + model.rods + model.energy, *dyn = pos + model.rods;
    (void)m, (void)n, (void)ropt;
    enter(EOM_ROUTINE, ipar, rpar, ierr);
    model.largest_p1 = fmax(model.largest_p1, p[0]);
    for (int i = 0; i < model.rods; i++)
        pull += i == 1 && model.loose ? 0 : l[i];
    f[0] = -2 * p[0] * pull;
    f[1] = -2 * p[1] * pull - model.gravity;
    if (model.nan_from > 0 && *t >= model.nan_from)
        f[0] = NAN;
    for (int i = 0; i < model.rods; i++) {
        const double on = i == 1 && model.loose ? 0 : 1;
        const double extra =
            i == 1 && model.opening > 0 && *t > model.opening ? *t - model.opening : 0;
        if (iopt[4] == 0)
            acc[i] = on * 2 * (v[0] * v[0] + v[1] * v[1] + p[0] * f[0] + p[1] * f[1]);
        vel[i] = on * 2 * (p[0] * v[0] + p[1] * v[1]);
        pos[i] = p[0] * p[0] + p[1] * p[1] - 1 - extra;
    }
    if (model.loose)
        pos[1] = p[0] - p[1];
    if (model.energy)
        vel[model.rods] = 0.5 * (v[0] * v[0] + v[1] * v[1]) + model.gravity * p[1];
    memcpy(dyn, f, sizeof f);
    memcpy(dyn + 2, v, 2 * sizeof *v);
}

static void test_mas(double *t, int *nx, double *x, int *m, int *n, double *ma, int *iopt,
                     double *ropt, int *ipar, double *rpar, int *ierr)
{
    (void)t, (void)nx, (void)x, (void)iopt, (void)ropt;
    enter(MAS_ROUTINE, ipar, rpar, ierr);
    assert_int_equal(*m, 2);
    assert_int_equal(*n, 2);
    ma[0] = ma[3] = 1;
    if (model.off_diagonal)
        ma[1] = ma[2] = 100;
}

/* Of the pendulum with one rod. */
static void test_jac(int *m1, int *m2, int *m3, int *m4, int *m5, int *m6, int *n1, int *n2,
                     int *n3, int *n4, int *m, int *n, double *t, double *x, double *fx1,
                     double *fx2, double *fx3, double *fx4, double *fx5, double *fx6, int *iopt,
                     double *ropt, double *rpar, int *ipar, int *ierr)
{
    const double l = x[0], *v = x + 1, *p = x + 3;
    (void)m, (void)n, (void)t, (void)fx4, (void)ropt;
    enter(JAC_ROUTINE, ipar, rpar, ierr);
    assert_int_equal(*m1, iopt[4] == 0 ? 1 : 0);
    assert_int_equal(*m2, 1);
    assert_int_equal(*m3, 1);
    assert_int_equal(*m4, 0);
    assert_int_equal(*m5, 2);
    assert_int_equal(*m6, 2);
    assert_int_equal(*n1 + 10 * *n2 + 100 * *n3 + 1000 * *n4, 2201);
    model.m1 = *m1;
    if (iopt[4] == 0) {
        const double row[5] = {4 * (p[0] * p[0] + p[1] * p[1]), -4 * v[0], -4 * v[1], 8 * l * p[0],
                               8 * l * p[1] + 2 * model.gravity};
        memcpy(fx1, row, sizeof row);
    }
    for (int i = 0; i < 2; i++) {
        fx2[i] = fx3[i] = -2 * p[i];
        fx2[2 + i] = -2 * v[i];
        fx5[i] = 2 * p[i];
        fx5[i + 2 * (3 + i)] = 2 * l;
        fx6[i + 2 * i] = -1;
    }
}

static void test_ivcond(int *n, double *t, double *x, int *ncond, double *cond, int *ipar,
                        double *rpar, int *ierr)
{
    const double *v = x + at_v(), *p = v + 2;
    (void)n, (void)t;
    enter(IVCOND_ROUTINE, ipar, rpar, ierr);
    cond[0] = p[0] - model.conditions[0];
    if (*ncond > 1)
        cond[1] = v[0] * v[0] + v[1] * v[1] - model.conditions[1];
    if (*ncond > 2)
        cond[2] = p[1] - 0.1;
}

/* Compares GEDENSOUT at the ends of the step with the grid. */
static void test_solout(int *naccpt, double *told, double *t, double *x, int *n, int *nn2, int *nn3,
                        int *nn4, double *contx, double *h, double *c1m1, double *c2m1,
                        double *rpar, int *ipar, int *ierr)
{
    static double x_old[8];
    enter(SOLOUT_ROUTINE, ipar, rpar, ierr);
    if (model.calls[SOLOUT_ROUTINE] == 1) {
        model.first_naccpt = *naccpt;
        model.first_told = *told;
        model.first_t = *t;
        memcpy(x_old, x, (size_t)*n * sizeof *x);
    }
    for (int i = 1; i <= *n; i++) {
        const double now = gedensout_(&i, t, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1);
        const double then = gedensout_(&i, told, n, nn2, nn3, nn4, t, h, contx, c1m1, c2m1);
        model.dense_error = fmax(model.dense_error, fabs(now - x[i - 1]));
        model.dense_error = fmax(model.dense_error, fabs(then - x_old[i - 1]));
    }
    memcpy(x_old, x, (size_t)*n * sizeof *x);
    model.last_naccpt = *naccpt;
}

/* The arguments of one call. */
typedef struct arguments {
    int np, nv, nr, nw, ns, nl, nm, ni, m, n, nivcond;
    double x[8], t, tend, h, rtol[8], atol[8];
    int itol, iopt[40];
    double ropt[40];
    int ijac, iout, liwork, iwork[20], lrwork, ipar[1], ierr, idid;
    double rpar[1];
} arguments;

/* Tables 3 and 4 of the paper: from the lowest point with velocity v0 to t = 5, tolerance 1e-7. */
static inline arguments swing(double v0)
{
    model = (pendulum){.gravity = 13.75, .rods = 1, .parameters_seen = true};
    arguments a = {.np = 2,
                   .nv = 2,
                   .nl = 1,
                   .m = 7,
                   .n = 5,
                   .tend = 5,
                   .h = 0.01,
                   .ijac = 1,
                   .liwork = 20,
                   .lrwork = 100,
                   .ipar = {4711},
                   .rpar = {0.25}};
    const double x0[5] = {(v0 * v0 + 13.75) / 2, v0, 0, 0, -1};
    memcpy(a.x, x0, sizeof x0);
    for (int i = 0; i < 8; i++)
        a.rtol[i] = a.atol[i] = 1e-7;
    a.iopt[GEOMS_MASSTRKT - 1] = 4;
    return a;
}

/* The same with its rod twice, derivatives by differences. */
static inline arguments doubled(void)
{
    arguments a = swing(2.8);
    const double x0[6] = {5, 5, 2.8, 0, 0, -1};
    model.rods = 2;
    a.nl = 2;
    a.n = 6;
    a.m = 10;
    a.ijac = 0;
    memcpy(a.x, x0, sizeof x0);
    return a;
}

/* Calls GEOMS with these routines instead of the pendulum's; NULL: the pendulum's. */
static inline int call_with(arguments *a, geoms_eom_fn *eom, geoms_mas_fn *mas,
                            geoms_solout_fn *solout)
{
    double rwork[100];
    geoms_(&a->np, &a->nv, &a->nr, &a->nw, &a->ns, &a->nl, &a->nm, &a->ni, &a->m, &a->n,
           &a->nivcond, a->x, &a->t, &a->tend, &a->h, a->rtol, a->atol, &a->itol, a->iopt, a->ropt,
           test_ivcond, eom ? eom : test_eom, mas ? mas : test_mas, test_jac, &a->ijac,
           solout ? solout : test_solout, &a->iout, &a->liwork, a->iwork, &a->lrwork, rwork,
           a->rpar, a->ipar, &a->ierr, &a->idid);
    return a->idid;
}

static inline int call(arguments *a)
{
    return call_with(a, NULL, NULL, NULL);
}

/* Counters of IWORK, counted from 1. */
enum {
    NACCPT = 1,
    NEOM,
    NMAS,
    NJAC,
    NSEL,
    NPDEC,
    NEDEC,
    NBSUB,
    NSTEP,
    NERJCT,
    NCRJCT,
    NDIFF,
    NCHECK,
    NUPDATES,
    NDROPPED
};

static inline int counter(const arguments *a, int number)
{
    return a->iwork[number - 1];
}

/* The energy of the pendulum per mass. */
static inline double energy_of(const arguments *a)
{
    const double *v = a->x + at_v();
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + model.gravity * v[3];
}

#endif
