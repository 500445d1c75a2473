/* SUBROUTINE GEOMS: one run from the arguments to IDID. Everything numerical is the solver's. */
#include "geoms.h"

#include <limits.h>
#include <string.h>

static int solve(geoms_run *run);
static dfl_status start_and_advance(geoms_run *run);
static void copy_statistics(int *iwork, const dfl_solver *solver);

void geoms_(int *np, int *nv, int *nr, int *nw, int *ns, int *nl, int *nm, int *ni, int *m, int *n,
            int *nivcond, double *x, double *t, double *tend, double *h, double *rtol, double *atol,
            int *itol, int *iopt, double *ropt, geoms_ivcond_fn *ivcond, geoms_eom_fn *eom,
            geoms_mas_fn *mas, geoms_jac_fn *jac, int *ijac, geoms_solout_fn *solout, int *iout,
            int *liwork, int *iwork, int *lrwork, double *rwork, double *rpar, int *ipar, int *ierr,
            int *idid)
{
    geoms_run run = {.call = {.np = *np,
                              .nv = *nv,
                              .nr = *nr,
                              .nw = *nw,
                              .ns = *ns,
                              .nl = *nl,
                              .nm = *nm,
                              .ni = *ni,
                              .m = *m,
                              .n = *n,
                              .nivcond = *nivcond,
                              .itol = *itol,
                              .ijac = *ijac,
                              .iout = *iout,
                              .liwork = *liwork,
                              .lrwork = *lrwork,
                              .t = *t,
                              .tend = *tend,
                              .h = *h,
                              .x = x,
                              .rtol = rtol,
                              .atol = atol,
                              .ropt = ropt,
                              .rpar = rpar,
                              .iopt = iopt,
                              .iwork = iwork,
                              .ipar = ipar,
                              .ierr = ierr,
                              .ivcond = ivcond,
                              .eom = eom,
                              .mas = mas,
                              .jac = jac,
                              .solout = solout}};
    (void)rwork; /* the solver has its own workspace */
    if (*idid < 0) {
        *idid = GEOMS_WRONG_IDID;
        geoms_report(&run.call, *idid, "set it to 0 before every call");
        return;
    }
    for (int i = 0; i < 20 && i < run.call.liwork; i++)
        iwork[i] = 0;
    *idid = solve(&run);
    *t = run.call.t;
    *h = run.call.h;
}

/* From the arguments to IDID; leaves x, t, h and iwork as the run ended. */
static int solve(geoms_run *run)
{
    geoms_call *call = &run->call;
    run->ctx = dfl_context_create();
    if (!run->ctx) {
        geoms_report(call, GEOMS_NO_MEMORY, "there is no memory");
        return GEOMS_NO_MEMORY;
    }
    int idid = geoms_check(run->ctx, call);
    if (!idid) {
        geoms_set_options(run);
        geoms_name_decomposition(call);
        dfl_status status = geoms_set_callbacks(run);
        if (!status)
            status = start_and_advance(run);
        idid = geoms_idid(run, status);
    }
    if (idid)
        geoms_report(call, idid, dfl_message(run->ctx));
    dfl_solver_free(run->solver);
    geoms_free_callbacks(run);
    dfl_context_free(run->ctx);
    return idid;
}

static dfl_status start_and_advance(geoms_run *run)
{
    geoms_call *call = &run->call;
    run->starting = true;
    dfl_status status = dfl_solver_create(&run->solver, run->ctx, &run->eom, &run->options);
    if (status)
        return status;
    status = dfl_solver_start(run->solver, call->t, call->x, &run->conditions);
    const bool started = !status || status == DFL_STOPPED;
    if (!status && !run->stopped) {
        run->starting = false;
        status = dfl_solver_advance(run->solver, call->tend);
    }
    if (started) {
        memcpy(call->x, dfl_solver_state(run->solver), (size_t)call->n * sizeof *call->x);
        call->t = dfl_solver_time(run->solver);
        call->h = run->h_next;
    }
    copy_statistics(call->iwork, run->solver);
    return status;
}

/* The manual's counters, then what it does not count. */
static void copy_statistics(int *iwork, const dfl_solver *solver)
{
    const dfl_statistics s = dfl_solver_statistics(solver);
    const long counters[] = {s.accepted,
                             s.evaluations,
                             s.mass_evaluations,
                             s.jacobians,
                             s.selector_computations,
                             s.algebraic_decompositions,
                             s.differential_decompositions,
                             s.back_substitutions,
                             s.attempts,
                             s.rejected_error,
                             s.rejected_newton,
                             s.difference_evaluations,
                             s.check_evaluations,
                             s.newton_updates,
                             s.steps_without_invariants};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        iwork[i] = counters[i] > INT_MAX ? INT_MAX : (int)counters[i];
}
