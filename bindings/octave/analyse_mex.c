/* analyse_mex.c: the gateway behind driftless_linearize.m and its neighbours:

       [result, failure] = driftless_analyse_mex(kind, file, settings, set, words, omega, quiet,
                                                   allow_fmu)

   `settings` and `set` are cell arrays of texts NAME=VALUE, `words` is a struct of texts; complex
   numbers are handed over as two arrays, results of searches and gradients as JSON. Everything is
   done by driftless/model.h and driftless/task.h. */
#include "gateway.h"

#include <driftless/model.h>
#include <driftless/task.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct analysis {
    gateway gw;
    dfl_model *model;
    const char **settings;
    int nsettings;
    const mxArray *words;
    const mxArray *omega; /* frequencies of a response */
} analysis;

static dfl_status equilibrium(mxArray *result, analysis *it);
static dfl_status linearize(mxArray *result, analysis *it);
static dfl_status modes(mxArray *result, analysis *it);
static dfl_status response(mxArray *result, analysis *it);
static dfl_status lqr(mxArray *result, analysis *it);
static dfl_status inverse(mxArray *result, analysis *it);
static dfl_status gradient(mxArray *result, analysis *it);
static dfl_status optimize(mxArray *result, analysis *it);
static dfl_status load(analysis *it, const mxArray *in[]);
static const char **texts_of(int *count, analysis *it, const mxArray *cell);

void mexFunction(int nlhs, mxArray *plhs[], int nrhs, const mxArray *prhs[])
{
    static const struct {
        const char *name;
        dfl_status (*call)(mxArray *result, analysis *it);
    } kinds[] = {{"equilibrium", equilibrium},
                 {"linearize", linearize},
                 {"modes", modes},
                 {"response", response},
                 {"lqr", lqr},
                 {"inverse", inverse},
                 {"gradient", gradient},
                 {"optimize", optimize}};
    const char *kind = nrhs == 8 && mxIsChar(prhs[0]) ? mxArrayToString(prhs[0]) : "";
    analysis it = {.gw.ctx = gateway_context()};
    size_t k = 0;
    (void)nlhs;
    while (k < sizeof kinds / sizeof *kinds && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k == sizeof kinds / sizeof *kinds || !it.gw.ctx) {
        mexErrMsgIdAndTxt("driftless:invalid",
                          "driftless_analyse_mex is called by driftless_modes.m and others only");
        return;
    }
    plhs[0] = gateway_record();
    dfl_status status = load(&it, prhs + 1);
    if (!status)
        status = kinds[k].call(plhs[0], &it);
    plhs[1] = gateway_failure(&it.gw, status, dfl_message(it.gw.ctx));
    dfl_model_free(it.model);
    /* all else that was allocated goes back to the interpreter when this returns */
}

static void print_line(const char *text, void *user)
{
    (void)user;
    mexPrintf("%s", text);
}

/* in: file, settings, set, words, omega, quiet, allow_fmu */
static dfl_status load(analysis *it, const mxArray *in[])
{
    int nset = 0;
    const char *path = mxIsChar(in[0]) ? mxArrayToString(in[0]) : "";
    if (!path || !*path)
        return dfl_fail(it->gw.ctx, DFL_INVALID, "name the model's file, such as 'pendulum.lua'");
    it->settings = texts_of(&it->nsettings, it, in[1]);
    it->words = in[3];
    it->omega = in[4];
    const char **set = texts_of(&nset, it, in[2]);
    if (!it->settings || !set)
        return DFL_NO_MEMORY;
    const bool quiet = mxGetScalar(in[5]) > 0;
    const dfl_load_options options = {.nset = nset,
                                      .set = set,
                                      .print = quiet ? NULL : print_line,
                                      .allow_fmu = mxGetScalar(in[6]) > 0};
    return dfl_model_load(&it->model, it->gw.ctx, path, &options);
}

/* A cell array of texts. */
static const char **texts_of(int *count, analysis *it, const mxArray *cell)
{
    *count = mxIsCell(cell) ? (int)mxGetNumberOfElements(cell) : 0;
    const char **out = mxCalloc((size_t)*count + 1, sizeof *out);
    (void)it;
    for (int i = 0; i < *count; i++)
        out[i] = mxArrayToString(mxGetCell(cell, (mwIndex)i));
    return out;
}

/* A text of `words`, or NULL. */
static const char *word(const analysis *it, const char *name)
{
    const mxArray *text = mxGetField(it->words, 0, name);
    return text && mxIsChar(text) && !mxIsEmpty(text) ? mxArrayToString(text) : NULL;
}

/* ---- parts of results ---- */

static mxArray *matrix(const double *A, int rows, int columns)
{
    mxArray *out = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
    const size_t count = (size_t)rows * (size_t)columns;
    if (count > 0)
        memcpy(mxGetData(out), A, count * sizeof *A);
    return out;
}

static mxArray *list(const char *const *names, int count)
{
    mxArray *out = mxCreateCellMatrix(1, (mwSize)count);
    for (int i = 0; i < count; i++)
        mxSetCell(out, (mwIndex)i, mxCreateString(names[i]));
    return out;
}

static double *new_matrix(mxArray *record, const char *name, int rows, int columns)
{
    mxArray *out = mxCreateDoubleMatrix((mwSize)rows, (mwSize)columns, mxREAL);
    gateway_set(record, name, out);
    return mxGetData(out);
}

static void set_point(mxArray *result, const dfl_near_report *about)
{
    static const char *const kinds[] = {"equilibrium", "steady", "frozen"};
    gateway_set(result, "t", gateway_scalar(about->t));
    gateway_set(result, "kind", mxCreateString(kinds[about->kind]));
    gateway_set(result, "states", list(about->states, about->equations.ny));
}

/* Not `judged`: eigenvalues do not tell whether the state is stable. */
static void set_modes(mxArray *result, const dfl_modes *modes, bool judged)
{
    double *re = new_matrix(result, "re", modes->count, 1);
    double *im = new_matrix(result, "im", modes->count, 1);
    double *hz = new_matrix(result, "hz", modes->count, 1);
    double *damping = new_matrix(result, "damping", modes->count, 1);
    for (int i = 0; i < modes->count; i++) {
        re[i] = modes->mode[i].re;
        im[i] = modes->mode[i].im;
        hz[i] = modes->mode[i].hz;
        damping[i] = modes->mode[i].damping;
    }
    gateway_set(result, "unstable", gateway_scalar(judged ? (double)modes->unstable : NAN));
    gateway_set(result, "stability",
                mxCreateString(!judged              ? "not judged"
                               : modes->unstable    ? "unstable"
                               : modes->indifferent ? "indifferent"
                                                    : "stable"));
}

static dfl_status find(dfl_near **out, analysis *it, bool search)
{
    const dfl_near_options options = {.nsettings = it->nsettings,
                                      .settings = it->settings,
                                      .at = word(it, "at"),
                                      .steady = word(it, "steady"),
                                      .inputs = word(it, "inputs"),
                                      .outputs = word(it, "outputs")};
    return search ? dfl_model_equilibrium(out, it->gw.ctx, it->model, &options)
                  : dfl_model_linearize(out, it->gw.ctx, it->model, &options);
}

/* ---- analyses ---- */

static dfl_status equilibrium(mxArray *result, analysis *it)
{
    dfl_near *near;
    dfl_modes modes = {0};
    dfl_status status = find(&near, it, true);
    if (!status)
        status = dfl_near_modes(&modes, near);
    if (!status) {
        const dfl_near_report *about = dfl_near_about(near);
        set_point(result, about);
        set_modes(result, &modes, about->kind != DFL_AT_FROZEN);
        gateway_set(result, "iterations", gateway_scalar(about->equilibrium.iterations));
        gateway_set(result, "residual", gateway_scalar(about->equilibrium.residual));
        gateway_set(result, "names", list(about->names, about->nvalues));
        gateway_set(result, "values", matrix(about->values, 1, about->nvalues));
    }
    dfl_modes_clear(&modes);
    dfl_near_free(near);
    return status;
}

static void set_equations(mxArray *result, const dfl_near_report *about)
{
    const dfl_linear_equations *at = &about->equations;
    gateway_set(result, "inputs", list(about->inputs, at->nu));
    gateway_set(result, "outputs", list(about->outputs, at->no));
    gateway_set(result, "A", matrix(at->A, at->ny, at->ny));
    gateway_set(result, "B", matrix(at->B, at->ny, at->nu));
    gateway_set(result, "C", matrix(at->C, at->no, at->ny));
    gateway_set(result, "D", matrix(at->D, at->no, at->nu));
}

static dfl_status linearize(mxArray *result, analysis *it)
{
    dfl_near *near;
    const dfl_status status = find(&near, it, false);
    if (!status) {
        const dfl_near_report *about = dfl_near_about(near);
        set_point(result, about);
        set_equations(result, about);
        gateway_set(result, "names", list(about->names, about->nvalues));
        gateway_set(result, "values", matrix(about->values, 1, about->nvalues));
    }
    dfl_near_free(near);
    return status;
}

static dfl_status modes(mxArray *result, analysis *it)
{
    dfl_near *near;
    dfl_modes modes = {0};
    dfl_status status = find(&near, it, false);
    if (!status)
        status = dfl_near_modes(&modes, near);
    if (!status) {
        const dfl_near_report *about = dfl_near_about(near);
        const int np = about->npositions, count = modes.count;
        set_point(result, about);
        set_modes(result, &modes, !about->changing);
        gateway_set(result, "coordinates", list(about->positions, np));
        double *re = new_matrix(result, "shapes_re", np, count);
        double *im = new_matrix(result, "shapes_im", np, count);
        for (int i = 0; i < count; i++)
            dfl_near_shape(re + (size_t)i * (size_t)np, im + (size_t)i * (size_t)np, near, &modes,
                           i);
    }
    dfl_modes_clear(&modes);
    dfl_near_free(near);
    return status;
}

static dfl_status response(mxArray *result, analysis *it)
{
    dfl_near *near;
    int poles;
    const int count = (int)mxGetNumberOfElements(it->omega);
    dfl_status status = find(&near, it, false);
    if (!status) {
        const dfl_near_report *about = dfl_near_about(near);
        const int cells = about->equations.no * about->equations.nu;
        set_point(result, about);
        set_equations(result, about);
        double *re = new_matrix(result, "re", cells, count);
        double *im = new_matrix(result, "im", cells, count);
        status = dfl_frequency_response(re, im, &poles, it->gw.ctx, &about->equations,
                                        mxGetData(it->omega), count);
    }
    dfl_near_free(near);
    return status;
}

static dfl_status lqr(mxArray *result, analysis *it)
{
    dfl_near *near;
    dfl_modes poles = {0};
    int unreached = 0, unshown = 0;
    dfl_status status = find(&near, it, false);
    if (!status) {
        const dfl_near_report *about = dfl_near_about(near);
        set_point(result, about);
        gateway_set(result, "inputs", list(about->inputs, about->equations.nu));
        double *K = new_matrix(result, "K", about->equations.nu, about->equations.ny);
        status = dfl_near_lqr(K, &poles, &unreached, &unshown, near, word(it, "state_weight"),
                              word(it, "input_weight"));
    }
    if (!status) {
        set_modes(result, &poles, true);
        gateway_set(result, "uncontrollable", gateway_scalar(unreached));
        gateway_set(result, "unobservable", gateway_scalar(unshown));
    }
    dfl_modes_clear(&poles);
    dfl_near_free(near);
    return status;
}

static dfl_status inverse(mxArray *result, analysis *it)
{
    dfl_followed *followed;
    const dfl_status status =
        dfl_model_inverse(&followed, it->gw.ctx, it->model, it->nsettings, it->settings);
    if (!status) {
        const dfl_followed_report *about = dfl_followed_about(followed);
        const int rows = about->rows, columns = about->columns - 1;
        double *time = new_matrix(result, "time", rows, 1);
        double *values = new_matrix(result, "values", rows, columns);
        const double *from = about->values;
        for (int i = 0; i < rows; i++) {
            time[i] = *from++;
            for (int j = 0; j < columns; j++)
                values[(size_t)j * (size_t)rows + (size_t)i] = *from++;
        }
        gateway_set(result, "names", list(about->names, columns));
        gateway_set(result, "drives", list(about->names + about->first_drive, about->ndrives));
        gateway_set(result, "peak", matrix(about->peak, 1, about->ndrives));
        gateway_set(result, "rms", matrix(about->rms, 1, about->ndrives));
    }
    dfl_followed_free(followed);
    return status;
}

static dfl_status perform(mxArray *result, analysis *it, const char *name,
                          const dfl_task_options *options)
{
    dfl_task *task;
    const dfl_status status = dfl_model_task(&task, it->gw.ctx, it->model, name, options);
    if (!status) {
        const dfl_task_report *about = dfl_task_about(task);
        gateway_set(result, "json", mxCreateString(about->json));
        gateway_set(result, "completed", gateway_scalar(about->completed));
    }
    dfl_task_free(task);
    return status;
}

/* `of` has one name per line. */
static dfl_status gradient(mxArray *result, analysis *it)
{
    enum { MOST = 1000 };
    const char *text = word(it, "of"), *of[MOST];
    int count = 0;
    for (const char *from = text ? text : ""; *from; from += strspn(from, "\n")) {
        const size_t length = strcspn(from, "\n");
        char *name = mxCalloc(length + 1, 1);
        if (count == MOST)
            return dfl_fail(it->gw.ctx, DFL_INVALID, "options.of has more than %d names", MOST);
        of[count++] = memcpy(name, from, length);
        from += length;
    }
    return perform(result, it, "gradient",
                   &(dfl_task_options){.nsettings = it->nsettings,
                                       .settings = it->settings,
                                       .by = word(it, "by"),
                                       .derivatives = word(it, "derivatives"),
                                       .error_control = word(it, "error_control"),
                                       .nof = count,
                                       .of = of});
}

static double count_of(const analysis *it, const char *name)
{
    const char *text = word(it, name);
    return text ? atof(text) : 0;
}

static dfl_status optimize(mxArray *result, analysis *it)
{
    return perform(result, it, "optimize",
                   &(dfl_task_options){.nsettings = it->nsettings,
                                       .settings = it->settings,
                                       .algorithm = word(it, "algorithm"),
                                       .derivatives = word(it, "derivatives"),
                                       .starts = count_of(it, "starts"),
                                       .bootstrap = count_of(it, "bootstrap"),
                                       .seed = count_of(it, "seed"),
                                       .threads = count_of(it, "threads")});
}
