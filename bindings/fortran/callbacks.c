/* The user's routines EOM, MAS, JAC, IVCOND and SOLOUT as callbacks of the solver, and GEDENSOUT.

   Layouts (manual, RDA and FX1 to FX6): the blocks of RDA follow each other as d, gII, hI | gI, hv,
   e | c, g | b | f_dyn | f_kin; gII and hI are missing with IOPT(5) = 1. The derivatives have the
   same rows and the opposite sign. */
#include "geoms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static int mass(double *M, double t, const double *x, void *user);
static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user);
static int condition(double *residual, double t, const double *x, void *user);
static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user);
static void on_log(dfl_log_level level, const char *text, void *user);
static const char *name_of(dfl_kind kind, int index, void *user);

/* c_1 - 1 and c_2 - 1 of Radau IIA: Hairer and Wanner 1996, IV.5. */
static double c1m1(void)
{
    return (4 - sqrt(6)) / 10 - 1;
}

static double c2m1(void)
{
    return (4 + sqrt(6)) / 10 - 1;
}

/* The sizes of FX1 to FX6. */
static void derivative_sizes(size_t size[6], const geoms_run *run)
{
    const geoms_blocks *b = &run->blocks;
    const size_t n = (size_t)run->call.n, n34 = (size_t)(b->n3 + b->n4), n4 = (size_t)b->n4;
    const size_t sizes[6] = {(size_t)b->m1 * n, (size_t)b->m2 * n34, (size_t)b->m3 * n4,
                             (size_t)b->m4 * n, (size_t)b->m5 * n,   (size_t)b->m6 * n34};
    memcpy(size, sizes, sizeof sizes);
}

dfl_status geoms_set_callbacks(geoms_run *run)
{
    const geoms_call *call = &run->call;
    const size_t n = (size_t)call->n, nv = (size_t)call->nv, d = sizeof(double);
    size_t size[6];
    run->eom.eval = eval;
    run->eom.mass = mass;
    run->eom.jacobian = call->ijac == 1 ? jacobian : NULL;
    run->eom.name = name_of;
    run->conditions.condition = condition;
    run->options.output.on_step = on_step;
    run->options.log = geoms_iopt(call, GEOMS_LUN) > 0 ? on_log : NULL;
    run->eom.user = run->options.user = run->conditions.user = run;
    run->rda = dfl_alloc(run->ctx, (size_t)call->m, d);
    run->mass = dfl_alloc(run->ctx, nv * nv, d);
    run->contx = dfl_alloc(run->ctx, 4 * n, d);
    run->probe = dfl_alloc(run->ctx, n, d);
    if (!run->rda || !run->mass || !run->contx || !run->probe)
        return DFL_NO_MEMORY;
    derivative_sizes(size, run);
    for (int i = 0; i < 6; i++)
        if (!(run->fx[i] = dfl_alloc(run->ctx, call->ijac == 1 ? size[i] : 0, d)))
            return DFL_NO_MEMORY;
    return DFL_OK;
}

void geoms_free_callbacks(geoms_run *run)
{
    dfl_free(run->ctx, run->rda);
    dfl_free(run->ctx, run->mass);
    dfl_free(run->ctx, run->contx);
    dfl_free(run->ctx, run->probe);
    for (int i = 0; i < 6; i++)
        dfl_free(run->ctx, run->fx[i]);
}

/* 0 to go on; -1, now and from now on, if the routine that was just called wants to stop. */
static int check_stop(geoms_run *run, int idid)
{
    if (*run->call.ierr < 0 && !run->stopped)
        run->stopped = idid;
    return run->stopped ? -1 : 0;
}

/* Takes `count` entries of RDA. */
static const double *take(double *block, const double *rda, int count)
{
    memcpy(block, rda, (size_t)count * sizeof *block);
    return rda + count;
}

/* Whether the present evaluation is one for differences. */
static bool differencing(geoms_run *run)
{
    const long before = run->differences;
    run->differences = dfl_solver_statistics(run->solver).difference_evaluations;
    return run->differences != before;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    geoms_run *run = user;
    const geoms_call *call = &run->call;
    const bool initialising = run->starting && geoms_iopt(call, GEOMS_IVCNSST) == 0;
    const int where = differencing(run) ? GEOMS_STOP_EOM_DIFFERENCES : GEOMS_STOP_EOM;
    int m = call->m, n = call->n;
    (void)need; /* EOM writes everything */
    if (run->stopped)
        return -1;
    memset(run->rda, 0, (size_t)m * sizeof *run->rda);
    call->eom(&m, &n, &t, (double *)x, run->rda, call->iopt, call->ropt, call->ipar, call->rpar,
              call->ierr);
    if (check_stop(run, initialising ? GEOMS_STOP_EOM_START : where))
        return -1;
    const double *rda = take(out->d, run->rda, call->nw);
    if (geoms_iopt(call, GEOMS_FORM) == 0)
        rda = take(out->bias, rda, call->nl + call->nm);
    rda = take(out->gI, rda, call->nl);
    rda = take(out->hv, rda, call->nm);
    rda = take(out->e, rda, call->ni);
    rda = take(out->c, rda, call->ns);
    rda = take(out->g, rda, call->nl);
    rda = take(out->b, rda, call->nr);
    rda = take(out->f, rda, call->nv);
    take(out->kin, rda, call->np);
    return 0;
}

/* MAS writes a full matrix also where it is diagonal. */
static int mass(double *M, double t, const double *x, void *user)
{
    geoms_run *run = user;
    const geoms_call *call = &run->call;
    const bool diagonal = run->eom.mass_diagonal;
    const size_t nv = (size_t)call->nv;
    double *full = diagonal ? run->mass : M;
    int nx = call->n, rows = call->nv, columns = call->nv;
    if (run->stopped)
        return -1;
    memset(full, 0, nv * nv * sizeof *full);
    call->mas(&t, &nx, (double *)x, &rows, &columns, full, call->iopt, call->ropt, call->ipar,
              call->rpar, call->ierr);
    for (size_t i = 0; diagonal && i < nv; i++)
        M[i] = full[i * (nv + 1)];
    return check_stop(run, GEOMS_STOP_MAS);
}

/* out := -rows first .. first+rows-1 of FX (leading dimension ld) */
static void negate(double *out, const double *fx, int ld, int first, int rows, size_t columns)
{
    for (size_t j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            out[j * (size_t)rows + (size_t)i] = -fx[j * (size_t)ld + (size_t)(first + i)];
}

static int jacobian(dfl_jacobian *out, double t, const double *x, const double *a, void *user)
{
    geoms_run *run = user;
    const geoms_call *call = &run->call;
    geoms_blocks b = run->blocks;
    const int nc = call->nl + call->nm;
    const size_t columns = (size_t)call->n, columns_v = (size_t)(b.n3 + b.n4);
    size_t size[6];
    int m = call->m, n = call->n;
    (void)a; /* the accelerations are eliminated in RDA */
    if (run->stopped)
        return -1;
    derivative_sizes(size, run);
    for (int i = 0; i < 6; i++)
        memset(run->fx[i], 0, size[i] * sizeof(double));
    call->jac(&b.m1, &b.m2, &b.m3, &b.m4, &b.m5, &b.m6, &b.n1, &b.n2, &b.n3, &b.n4, &m, &n, &t,
              (double *)x, run->fx[0], run->fx[1], run->fx[2], run->fx[3], run->fx[4], run->fx[5],
              call->iopt, call->ropt, call->rpar, call->ipar, call->ierr);
    b = run->blocks;
    negate(out->d, run->fx[0], b.m1, 0, call->nw, columns);
    if (geoms_iopt(call, GEOMS_FORM) == 0)
        negate(out->acc, run->fx[0], b.m1, call->nw, nc, columns);
    negate(out->vel, run->fx[1], b.m2, 0, b.m2, columns_v);
    negate(out->pos, run->fx[2], b.m3, 0, b.m3, (size_t)b.n4);
    negate(out->b, run->fx[3], b.m4, 0, b.m4, columns);
    negate(out->dyn, run->fx[4], b.m5, 0, b.m5, columns);
    negate(out->kin, run->fx[5], b.m6, 0, b.m6, columns_v);
    return check_stop(run, GEOMS_STOP_JAC);
}

static int condition(double *residual, double t, const double *x, void *user)
{
    geoms_run *run = user;
    const geoms_call *call = &run->call;
    int n = call->n, count = call->nivcond;
    if (run->stopped)
        return -1;
    call->ivcond(&n, &t, (double *)x, &count, residual, call->ipar, call->rpar, call->ierr);
    return check_stop(run, GEOMS_STOP_IVCOND);
}

/* CONTX: Newton's divided differences of the cubic through the interpolant at s = 0, c_2 - 1, c_1 -
   1 and -1, where s = (tout - t)/h; the solver's own interpolant is this cubic. */
static void set_contx(geoms_run *run, double t_old, double t, const double *x)
{
    const int n = run->call.n;
    const double s[3] = {c2m1(), c1m1(), -1}, h = t - t_old;
    double *c0 = run->contx, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n, *y = run->probe;
    memset(c0, 0, 4 * (size_t)n * sizeof *c0);
    memcpy(c0, x, (size_t)n * sizeof *c0);
    if (run->points == 0)
        return;
    if (dfl_solver_interpolate(y, run->solver, t + s[0] * h, false))
        return;
    for (int i = 0; i < n; i++)
        c1[i] = (y[i] - c0[i]) / s[0];
    if (dfl_solver_interpolate(y, run->solver, t + s[1] * h, false))
        return;
    for (int i = 0; i < n; i++)
        c2[i] = ((y[i] - c0[i]) / s[1] - c1[i]) / (s[1] - s[0]);
    if (dfl_solver_interpolate(y, run->solver, t_old, false))
        return;
    for (int i = 0; i < n; i++)
        c3[i] = (((y[i] - c0[i]) / s[2] - c1[i]) / (s[2] - s[0]) - c2[i]) / (s[2] - s[1]);
}

static int on_step(dfl_solver *solver, double t_old, double t, const double *x, void *user)
{
    geoms_run *run = user;
    const geoms_call *call = &run->call;
    int accepted = run->points, n = call->n, nn2 = 2 * n, nn3 = 3 * n, nn4 = 4 * n;
    double h = t == t_old ? 1 : t - t_old, first = c1m1(), second = c2m1();
    if (run->points > 0)
        run->h_next = dfl_solver_step(solver);
    if (call->iout == 1) {
        set_contx(run, t_old, t, x);
        call->solout(&accepted, &t_old, &t, (double *)x, &n, &nn2, &nn3, &nn4, run->contx, &h,
                     &first, &second, call->rpar, call->ipar, call->ierr);
        check_stop(run, GEOMS_STOP_SOLOUT);
    }
    run->points++;
    return run->stopped ? -1 : 0;
}

double gedensout_(int *i, double *tout, int *n, int *nn2, int *nn3, int *nn4, double *t, double *h,
                  double *contx, double *c1, double *c2)
{
    const double s = (*tout - *t) / *h, *c = contx + *i - 1;
    (void)nn4;
    return c[0] + s * (c[*n] + (s - *c2) * (c[*nn2] + (s - *c1) * c[*nn3]));
}

static void on_log(dfl_log_level level, const char *text, void *user)
{
    const geoms_run *run = user;
    char line[512];
    if (level == DFL_LOG_DEBUG)
        return;
    snprintf(line, sizeof line, "GEOMS: %s", text);
    geoms_write(&run->call, line);
}

/* Names as a Fortran program counts: g(1), lambda(2), ... */
static const char *name_of(dfl_kind kind, int index, void *user)
{
    geoms_run *run = user;
    const char *letters = kind == DFL_ROW_HV    ? "h"
                          : kind == DFL_ROW_F   ? "f_dyn"
                          : kind == DFL_ROW_KIN ? "f_kin"
                                                : dfl_kind_name(kind);
    snprintf(run->name, sizeof run->name, "%s(%d)", letters, index + 1);
    return run->name;
}
