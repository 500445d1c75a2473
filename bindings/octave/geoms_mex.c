/* geoms_mex.c: the gateway behind geoms.m:

       [t, x, info, failure] = geoms_mex(problem, tspan, x0, options, trap, takes_need)

   It only translates: the struct `problem` into a dfl_eom, `options` into dfl_solver_options, the
   user's functions into callbacks, and the run into arrays. */
#include "geoms_mex.h"

#include <math.h>
#include <stdio.h>

static dfl_status read_arguments(geoms_run *run, const mxArray *prhs[]);
static dfl_status read_times(geoms_run *run, const mxArray *tspan);
static dfl_status read_start(geoms_run *run, const mxArray *x0);
static dfl_status integrate(geoms_run *run);
static const char *ending(geoms_run *run, dfl_status status, char *text, size_t size);
static void hand_over(mxArray *plhs[], geoms_run *run, dfl_status status, const char *message);

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    (void)nlhs;
    if (nrhs != 6) {
        mexErrMsgIdAndTxt("driftless:invalid", "geoms_mex is called by geoms.m only");
        return;
    }
    dfl_context *ctx = gateway_context();
    geoms_run *run = ctx ? dfl_alloc(ctx, 1, sizeof *run) : NULL;
    if (!run) {
        mexErrMsgIdAndTxt("driftless:no_memory", "there is no memory");
        return;
    }
    char text[GATEWAY_TEXT];
    run->gw.ctx = ctx;
    run->gw.trap = prhs[4];
    run->takes_need = mxIsLogicalScalarTrue(prhs[5]);
    dfl_status status = read_arguments(run, prhs);
    if (!status)
        status = integrate(run);
    hand_over(plhs, run, status, ending(run, status, text, sizeof text));
    dfl_solver_free(run->solver);
    /* all else that was allocated goes back to the interpreter when this returns */
}

static dfl_status read_arguments(geoms_run *run, const mxArray *prhs[])
{
    dfl_status status = geoms_read_problem(run, prhs[0]);
    if (!status)
        status = read_times(run, prhs[1]);
    if (!status)
        status = read_start(run, prhs[2]);
    if (!status)
        status = geoms_read_options(run, prhs[3]);
    return status;
}

static dfl_status read_times(geoms_run *run, const mxArray *tspan)
{
    dfl_context *ctx = run->gw.ctx;
    const int count = (int)mxGetNumberOfElements(tspan);
    char why[GATEWAY_WHY];
    if (count < 2)
        return dfl_fail(ctx, DFL_INVALID, "tspan has %d entries; give [start, end] or more times",
                        count);
    run->ntimes = count;
    run->times = dfl_alloc(ctx, (size_t)count, sizeof *run->times);
    if (!run->times)
        return DFL_NO_MEMORY;
    if (!gateway_copy(run->times, why, tspan, count, 1))
        return dfl_fail(ctx, DFL_INVALID, "tspan %s", why);
    const double *t = run->times;
    for (int i = 0; i < count; i++)
        if (!isfinite(t[i]))
            return dfl_fail(ctx, DFL_INVALID, "tspan(%d) is %g", i + 1, t[i]);
    for (int i = 1; i < count; i++)
        if (!((t[i] - t[i - 1]) * (t[1] - t[0]) > 0))
            return dfl_fail(ctx, DFL_INVALID,
                            "tspan(%d) = %g follows %g; the times must all rise or all fall", i + 1,
                            t[i], t[i - 1]);
    return DFL_OK;
}

static dfl_status read_start(geoms_run *run, const mxArray *x0)
{
    dfl_context *ctx = run->gw.ctx;
    char why[GATEWAY_WHY];
    run->x0 = dfl_alloc(ctx, (size_t)run->n, sizeof *run->x0);
    if (!run->x0)
        return DFL_NO_MEMORY;
    if (!gateway_copy(run->x0, why, x0, run->n, 1))
        return dfl_fail(ctx, DFL_INVALID, "x0 %s: [w; lambda; mu; r; v; s; p]", why);
    for (int i = 0; i < run->n; i++)
        if (!isfinite(run->x0[i]))
            return dfl_fail(ctx, DFL_INVALID, "x0(%d) is %g; give a number", i + 1, run->x0[i]);
    return DFL_OK;
}

static dfl_status integrate(geoms_run *run)
{
    geoms_set_model(run);
    dfl_status status = geoms_set_callbacks(run);
    if (!status)
        status = dfl_solver_create(&run->solver, run->gw.ctx, &run->eom, &run->options);
    if (!status)
        status = dfl_solver_start(run->solver, run->times[0], run->x0, &run->conditions);
    if (!status)
        status = dfl_solver_advance(run->solver, run->times[run->ntimes - 1]);
    return status;
}

/* The message of the end; events have numbers from one here. */
static const char *ending(geoms_run *run, dfl_status status, char *text, size_t size)
{
    if (status != DFL_STOPPED)
        return status ? dfl_message(run->gw.ctx) : "";
    const double t = dfl_solver_time(run->solver);
    if (run->stopped)
        snprintf(text, size, "%s stopped the run at t = %.10g", run->stopped, t);
    else
        snprintf(text, size, "event %d stopped the run at t = %.10g", run->met, t);
    return text;
}

/* A stopped run is complete as far as it goes; a failed one only on request. */
static void hand_over(mxArray *plhs[], geoms_run *run, dfl_status status, const char *message)
{
    const bool wrong = gateway_failed(&run->gw);
    const bool kept =
        run->started && !wrong && (status == DFL_OK || status == DFL_STOPPED || run->keep_partial);
    if (kept)
        geoms_add_end(run);
    plhs[0] = kept ? geoms_times(run) : mxCreateDoubleMatrix(0, 0, mxREAL);
    plhs[1] = kept ? geoms_states(run) : mxCreateDoubleMatrix(0, 0, mxREAL);
    plhs[2] = kept ? geoms_info(run, status, message) : gateway_record();
    plhs[3] = gateway_failure(&run->gw, kept ? DFL_OK : status, message);
}
