/* step_mex.c: the gateway behind driftless_step.m: runs of scripts that live between calls.

       [result, failure] = driftless_step_mex(command, ...)

   A run is a number; it lives in the C library's memory, until it is freed or the interpreter ends.
   `failure` is empty, or {identifier, message}. */
#include "gateway.h"

#include <driftless/model.h>

#include <math.h>
#include <string.h>

enum { MOST_RUNS = 256, MOST_TEXTS = 64 };

/* One run, with its context. */
typedef struct stepped {
    dfl_context *ctx;
    dfl_run *run;
} stepped;

static stepped runs[MOST_RUNS];

typedef dfl_status (*command_fn)(mxArray **result, stepped *it, int nin, const mxArray *in[]);

static void free_run(stepped *it)
{
    dfl_run_free(it->run);
    dfl_context_free(it->ctx);
    *it = (stepped){0};
}

static void free_all(void)
{
    for (int i = 0; i < MOST_RUNS; i++)
        free_run(&runs[i]);
}

/* A cell array of texts; the number of them. */
static int texts_of(const char **out, const mxArray *cell)
{
    const int count = mxIsCell(cell) ? (int)mxGetNumberOfElements(cell) : 0;
    int n = 0;
    for (int i = 0; i < count && n < MOST_TEXTS; i++) {
        const mxArray *text = mxGetCell(cell, (mwIndex)i);
        if (text && mxIsChar(text))
            out[n++] = mxArrayToString(text);
    }
    return n;
}

static void print_line(const char *text, void *user)
{
    (void)user;
    mexPrintf("%s", text);
}

/* in: file, settings, set, whether the script may print, and start FMUs */
static dfl_status start(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    const char *settings[MOST_TEXTS], *set[MOST_TEXTS];
    dfl_model *model = NULL;
    if (nin != 5 || !mxIsChar(in[0]))
        return dfl_fail(it->ctx, DFL_INVALID, "name the model's file, such as 'pendulum.lua'");
    const dfl_run_options options = {.nsettings = texts_of(settings, in[1]), .settings = settings};
    const dfl_load_options load = {.nset = texts_of(set, in[2]),
                                   .set = set,
                                   .print = mxGetScalar(in[3]) != 0 ? print_line : NULL,
                                   .allow_fmu = mxGetScalar(in[4]) != 0};
    dfl_status status = dfl_model_load(&model, it->ctx, mxArrayToString(in[0]), &load);
    if (!status)
        status = dfl_run_create(&it->run, it->ctx, model, &options);
    if (!status)
        status = dfl_run_start(it->run);
    dfl_model_free(model);
    *result = mxCreateDoubleScalar((double)(it - runs + 1));
    return status;
}

static bool is_number(const mxArray *a)
{
    return mxIsDouble(a) && !mxIsComplex(a) && mxGetNumberOfElements(a) == 1;
}

/* The result says what has stopped the run on its way; '': nothing. */
static dfl_status advance(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    if (nin != 1 || !is_number(in[0]))
        return dfl_fail(it->ctx, DFL_INVALID, "advance to which time? give a number");
    const dfl_status status = dfl_run_advance(it->run, mxGetScalar(in[0]));
    const bool stopped = status == DFL_STOPPED;
    *result = mxCreateString(stopped ? dfl_message(it->ctx) : "");
    return stopped ? DFL_OK : status;
}

/* The number of a value by its name. */
static dfl_status find(int *out, stepped *it, int nin, const mxArray *in[])
{
    const char *name = nin > 0 && mxIsChar(in[0]) ? mxArrayToString(in[0]) : "";
    *out = dfl_run_find(it->run, name);
    return *out >= 0 ? DFL_OK : dfl_fail(it->ctx, DFL_INVALID, "the model has no value '%s'", name);
}

static dfl_status get(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    int number;
    const dfl_status status = find(&number, it, nin, in);
    *result = mxCreateDoubleScalar(status ? NAN : dfl_run_get(it->run, number));
    return status;
}

static dfl_status set(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    int number;
    const dfl_status status = find(&number, it, nin, in);
    (void)result;
    if (status)
        return status;
    return nin == 2 && is_number(in[1])
               ? dfl_run_set(it->run, number, mxGetScalar(in[1]))
               : dfl_fail(it->ctx, DFL_INVALID, "give the value, a number");
}

static dfl_status time_of(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    (void)nin, (void)in;
    *result = mxCreateDoubleScalar(dfl_run_time(it->run));
    return DFL_OK;
}

static dfl_status names(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    const int count = dfl_run_values(it->run);
    (void)nin, (void)in;
    *result = mxCreateCellMatrix(1, (mwSize)count);
    for (int i = 0; i < count; i++)
        mxSetCell(*result, (mwIndex)i, mxCreateString(dfl_run_value(it->run, i).name));
    return DFL_OK;
}

static dfl_status save(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    const mwSize size[2] = {1, (mwSize)dfl_run_saved_size(it->run)};
    (void)nin, (void)in;
    *result = mxCreateNumericArray(2, size, mxUINT8_CLASS, mxREAL);
    return dfl_run_save(mxGetData(*result), it->run);
}

static dfl_status restore(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    (void)result;
    return nin == 1 && mxIsUint8(in[0])
               ? dfl_run_restore(it->run, mxGetData(in[0]), mxGetNumberOfElements(in[0]))
               : dfl_fail(it->ctx, DFL_INVALID, "give what 'save' has returned");
}

static dfl_status release(mxArray **result, stepped *it, int nin, const mxArray *in[])
{
    (void)result, (void)nin, (void)in;
    free_run(it);
    return DFL_OK;
}

static mxArray *failure_of(const stepped *it, dfl_status status)
{
    mxArray *failure = mxCreateCellMatrix(1, 2);
    mxSetCell(failure, 0, mxCreateString(gateway_identifier(status)));
    mxSetCell(failure, 1, mxCreateString(it && it->ctx ? dfl_message(it->ctx) : ""));
    return failure;
}

static mxArray *wrong(const char *message)
{
    mxArray *failure = mxCreateCellMatrix(1, 2);
    mxSetCell(failure, 0, mxCreateString("driftless:invalid"));
    mxSetCell(failure, 1, mxCreateString(message));
    return failure;
}

/* A free place, with a context; NULL: there is none. */
static stepped *free_place(void)
{
    for (int i = 0; i < MOST_RUNS; i++)
        if (!runs[i].ctx) {
            runs[i].ctx = dfl_context_create();
            return runs[i].ctx ? &runs[i] : NULL;
        }
    return NULL;
}

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    static const struct {
        const char *name;
        command_fn call;
    } commands[] = {{"start", start}, {"advance", advance}, {"get", get},
                    {"set", set},     {"time", time_of},    {"names", names},
                    {"save", save},   {"restore", restore}, {"free", release}};
    static bool begun = false;
    const char *name = nrhs > 0 && mxIsChar(prhs[0]) ? mxArrayToString(prhs[0]) : "";
    size_t k = 0;
    (void)nlhs;
    if (!begun) {
        mexLock();
        mexAtExit(free_all);
        begun = true;
    }
    plhs[0] = mxCreateDoubleMatrix(0, 0, mxREAL);
    plhs[1] = mxCreateCellMatrix(0, 0);
    while (k < sizeof commands / sizeof *commands && strcmp(commands[k].name, name) != 0)
        k++;
    if (k == sizeof commands / sizeof *commands) {
        plhs[1] = wrong("there is no such command; see help driftless_step");
        return;
    }
    const double number = k > 0 && nrhs > 1 && is_number(prhs[1]) ? mxGetScalar(prhs[1]) : 0;
    const bool known = number >= 1 && number <= MOST_RUNS && runs[(int)number - 1].run;
    stepped *it = k == 0 ? free_place() : known ? &runs[(int)number - 1] : NULL;
    if (!it) {
        plhs[1] = wrong(k == 0 ? "there are too many runs; free some"
                               : "there is no such run; start one, and do not use it after 'free'");
        return;
    }
    const int used = k == 0 ? 1 : 2;
    const dfl_status status = commands[k].call(&plhs[0], it, nrhs - used, prhs + used);
    if (status)
        plhs[1] = failure_of(it, status);
    if (status && k == 0)
        free_run(it);
}
