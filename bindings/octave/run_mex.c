/* run_mex.c: the gateway behind driftless_run.m:

       [result, failure] = driftless_run_mex(file, options, trap, breathe)

   The run is that of the program: the same modules read the script, choose settings and integrate;
   the rows go to memory instead of a file. `breathe` is a function that does nothing: while it is
   called the interpreter sees to Ctrl-C. */
#include "run_mex.h"

#include "script/script.h"

#include <time.h>

static dfl_status read_arguments(run_call *call, const mxArray *prhs[]);
static dfl_status load(run_call *call);
static dfl_status simulate(run_call *call);
static bool watch(double t, double step, void *user);
static void keep_message(dfl_log_level level, const char *text, void *user);
static void print_line(const char *text, void *user);
static void hand_over(mxArray *plhs[], run_call *call, dfl_status status);
static void release(run_call *call);

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    (void)nlhs;
    if (nrhs != 4) {
        mexErrMsgIdAndTxt("driftless:invalid",
                          "driftless_run_mex is called by driftless_run.m only");
        return;
    }
    dfl_context *ctx = gateway_context();
    run_call *call = ctx ? dfl_alloc(ctx, 1, sizeof *call) : NULL;
    if (!call) {
        mexErrMsgIdAndTxt("driftless:no_memory", "there is no memory");
        return;
    }
    call->gw.ctx = call->table.ctx = ctx;
    call->gw.trap = prhs[2];
    call->breathe = prhs[3];
    dfl_status status = read_arguments(call, prhs);
    if (!status)
        status = load(call);
    if (!status)
        status = simulate(call);
    hand_over(plhs, call, status);
    release(call);
    /* all else that was allocated goes back to the interpreter when this returns */
}

static dfl_status read_arguments(run_call *call, const mxArray *prhs[])
{
    dfl_context *ctx = call->gw.ctx;
    call->choices = dfl_choices_none("options.");
    call->path = mxIsChar(prhs[0]) ? mxArrayToString(prhs[0]) : NULL;
    if (!call->path || !*call->path)
        return dfl_fail(ctx, DFL_INVALID, "name the model's file, such as 'pendulum.lua'");
    dfl_status status = DFL_OK;
    if (!mxIsEmpty(prhs[1]) || mxIsStruct(prhs[1]))
        status = run_read_options(call, prhs[1]);
    return !status && call->given_set ? run_read_set(call) : status;
}

static dfl_status load(run_call *call)
{
    const dfl_script_options options = {.nset = call->nset,
                                        .set = call->set,
                                        .set_option = "options.set",
                                        .dynamics = dfl_choices_dynamics(&call->choices),
                                        .print = call->quiet ? NULL : print_line};
    dfl_status status = dfl_script_load(&call->model, call->gw.ctx, call->path, &options);
    if (!status)
        status = dfl_study_derive(&call->eq, &call->run, call->model, &call->choices);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

static dfl_status simulate(run_call *call)
{
    call->sim = (dfl_simulation){.ctx = call->gw.ctx,
                                 .run = call->run,
                                 .eq = call->eq,
                                 .settings = &call->settings,
                                 .watch = watch,
                                 .log = keep_message,
                                 .user = call};
    dfl_status status = dfl_settings_resolve(&call->settings, &call->choices, call->run);
    if (!status)
        status = dfl_settings_check_end(&call->settings, &call->choices, call->model);
    if (!status)
        status = dfl_record_create(&call->sim.record, call->eq, NULL, 0);
    if (!status)
        status = dfl_record_open_table(call->sim.record, &call->table);
    if (!status)
        status = dfl_simulate(&call->summary, &call->sim);
    return status;
}

/* Ten times a second the interpreter may see to Ctrl-C. */
static bool watch(double t, double step, void *user)
{
    run_call *call = user;
    mxArray *out = NULL;
    const double now = (double)clock() / CLOCKS_PER_SEC;
    (void)t, (void)step;
    if (now - call->breathed < 0.1)
        return false;
    call->breathed = now;
    if (!gateway_call(&out, 1, &call->gw, call->breathe, 0, NULL))
        return true;
    mxDestroyArray(out);
    return false;
}

static void keep_message(dfl_log_level level, const char *text, void *user)
{
    run_call *call = user;
    if (level != DFL_LOG_DEBUG && call->nmessages < RUN_MESSAGES)
        call->messages[call->nmessages++] = dfl_copy_string(call->gw.ctx, text);
}

static void print_line(const char *text, void *user)
{
    (void)user;
    mexPrintf("%s", text);
}

/* A run that failed on its way is handed over on request only. */
static void hand_over(mxArray *plhs[], run_call *call, dfl_status status)
{
    const bool kept =
        call->sim.started && !gateway_failed(&call->gw) && (status == DFL_OK || call->keep_partial);
    const char *message = call->sim.started ? call->summary.message : dfl_message(call->gw.ctx);
    plhs[0] = kept ? run_result(call, status) : gateway_record();
    plhs[1] = gateway_failure(&call->gw, kept ? DFL_OK : status, message);
}

static void release(run_call *call)
{
    dfl_record_free(call->sim.record);
    dfl_simulation_clear(&call->sim);
    dfl_table_clear(&call->table);
    dfl_runnable_free(call->run);
    dfl_equations_free(call->eq);
    dfl_model_free(call->model);
}
