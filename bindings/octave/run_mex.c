/* run_mex.c: the gateway behind driftless_run.m:

       [result, failure] = driftless_run_mex(file, options, trap, breathe)

   The run is that of driftless/model.h, as in the program; the rows go to memory instead of a file.
   `breathe` is a function that does nothing: while it is called the interpreter sees to Ctrl-C. */
#include "run_mex.h"

#include <math.h>
#include <string.h>
#include <time.h>

static dfl_status read_arguments(run_call *call, const mxArray *prhs[]);
static dfl_status load(run_call *call);
static dfl_status simulate(run_call *call);
static int watch(double t, double step, void *user);
static int note_event(int event, int direction, double t, void *user);
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
    call->gw.ctx = ctx;
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
    const dfl_load_options options = {.nset = call->nset,
                                      .set = call->set,
                                      .print = call->quiet ? NULL : print_line,
                                      .prefix = "options.",
                                      .allow_fmu = call->allow_fmu};
    const dfl_status status = dfl_model_load(&call->model, call->gw.ctx, call->path, &options);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

static dfl_status simulate(run_call *call)
{
    const dfl_run_options options = {.nsettings = call->nsettings,
                                     .settings = call->settings,
                                     .on_step = watch,
                                     .on_event = note_event,
                                     .on_log = keep_message,
                                     .user = call,
                                     .prefix = "options."};
    dfl_status status = dfl_run_create(&call->run, call->gw.ctx, call->model, &options);
    if (!status)
        status = dfl_run_keep(call->run);
    return status ? status : dfl_run_complete(call->run);
}

static int note_event(int event, int direction, double t, void *user)
{
    run_call *call = user;
    if (call->nevents == call->room) {
        const int room = 2 * call->room + 10;
        run_event *more = dfl_alloc(call->gw.ctx, (size_t)room, sizeof *more);
        if (!more)
            return 1;
        if (call->events)
            memcpy(more, call->events, (size_t)call->nevents * sizeof *more);
        dfl_free(call->gw.ctx, call->events);
        call->events = more;
        call->room = room;
    }
    call->events[call->nevents++] = (run_event){event, direction, t};
    return 0;
}

/* Ten times a second the interpreter may see to Ctrl-C. */
static int watch(double t, double step, void *user)
{
    run_call *call = user;
    mxArray *out = NULL;
    const double now = (double)clock() / CLOCKS_PER_SEC;
    (void)t, (void)step;
    if (now - call->breathed < 0.1)
        return 0;
    call->breathed = now;
    if (!gateway_call(&out, 1, &call->gw, call->breathe, 0, NULL))
        return 1;
    mxDestroyArray(out);
    return 0;
}

static void keep_message(dfl_log_level level, const char *text, void *user)
{
    run_call *call = user;
    if (level == DFL_LOG_DEBUG || call->nmessages == RUN_MESSAGES)
        return;
    char *copy = dfl_alloc(call->gw.ctx, strlen(text) + 1, 1);
    if (copy)
        call->messages[call->nmessages++] = strcpy(copy, text);
}

static void print_line(const char *text, void *user)
{
    (void)user;
    mexPrintf("%s", text);
}

/* A run that failed on its way is handed over on request only. */
static void hand_over(mxArray *plhs[], run_call *call, dfl_status status)
{
    const bool started = call->run && !isnan(dfl_run_time(call->run));
    const bool kept =
        started && !gateway_failed(&call->gw) && (status == DFL_OK || call->keep_partial);
    plhs[0] = kept ? run_result(call, status) : gateway_record();
    plhs[1] = gateway_failure(&call->gw, kept ? DFL_OK : status, dfl_message(call->gw.ctx));
}

static void release(run_call *call)
{
    dfl_run_free(call->run);
    dfl_model_free(call->model);
}
