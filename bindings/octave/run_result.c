/* run_result.c: a run as a struct; driftless_run.m adds the columns by name. */
#include "run_mex.h"

static int columns_of(const dfl_run *run, dfl_value_kind last);
static mxArray *names_of(const dfl_run *run);
static mxArray *events_of(const run_call *call);
static mxArray *initial_of(const dfl_run *run);
static mxArray *residuals_of(const dfl_run_report *about);
static mxArray *messages_of(const run_call *call);
static void set_values(mxArray *result, const dfl_run *run);

mxArray *run_result(const run_call *call, dfl_status status)
{
    const dfl_run_report *about = dfl_run_about(call->run);
    mxArray *out = gateway_record();
    gateway_set(out, "model", mxCreateString(about->model));
    gateway_set(out, "names", names_of(call->run));
    gateway_set(out, "initial", initial_of(call->run));
    set_values(out, call->run);
    gateway_set(out, "status", mxCreateString(about->status));
    gateway_set(out, "identifier", mxCreateString(gateway_identifier(status)));
    gateway_set(out, "message", mxCreateString(about->message));
    gateway_set(out, "form", mxCreateString(about->form));
    gateway_set(out, "method", mxCreateString(about->method));
    gateway_set(out, "events", events_of(call));
    gateway_set(out, "energy_drift", gateway_scalar(about->energy_drift));
    gateway_set(out, "seconds", gateway_scalar(about->seconds));
    gateway_set(out, "statistics", gateway_statistics(&about->statistics));
    gateway_set(out, "max_residual", residuals_of(about));
    gateway_set(out, "messages", messages_of(call));
    return out;
}

/* The number of columns up to those of a kind; the order is that of dfl_value_kind from states to
   outputs. */
static int columns_of(const dfl_run *run, dfl_value_kind last)
{
    int count = 0;
    while (count < dfl_run_values(run) && dfl_run_value(run, count).kind <= last)
        count++;
    return count;
}

/* The states, then the outputs, as a row of texts. */
static mxArray *names_of(const dfl_run *run)
{
    const int count = columns_of(run, DFL_VALUE_OUTPUT);
    mxArray *out = mxCreateCellMatrix(1, (mwSize)count);
    for (int i = 0; i < count; i++)
        mxSetCell(out, (mwIndex)i, mxCreateString(dfl_run_value(run, i).name));
    return out;
}

static void set_values(mxArray *result, const dfl_run *run)
{
    int nrows, ncolumns;
    const double *table = dfl_run_rows(run, &nrows, &ncolumns);
    const size_t rows = (size_t)nrows, columns = (size_t)ncolumns;
    mxArray *time = mxCreateDoubleMatrix((mwSize)rows, 1, mxREAL);
    mxArray *values = mxCreateDoubleMatrix((mwSize)rows, (mwSize)(columns - 1), mxREAL);
    double *t = mxGetData(time), *v = mxGetData(values);
    for (size_t i = 0; i < rows; i++) {
        t[i] = table[i * columns];
        for (size_t j = 1; j < columns; j++)
            v[i + rows * (j - 1)] = table[i * columns + j];
    }
    gateway_set(result, "time", time);
    gateway_set(result, "values", values);
}

static mxArray *events_of(const run_call *call)
{
    const mwSize count = (mwSize)call->nevents;
    mxArray *out = gateway_record(), *time = mxCreateDoubleMatrix(count, 1, mxREAL);
    mxArray *direction = mxCreateDoubleMatrix(count, 1, mxREAL);
    mxArray *name = mxCreateCellMatrix(count, 1);
    for (int i = 0; i < call->nevents; i++) {
        const run_event *event = &call->events[i];
        ((double *)mxGetData(time))[i] = event->time;
        ((double *)mxGetData(direction))[i] = event->direction;
        mxSetCell(name, (mwIndex)i, mxCreateString(dfl_run_event_name(call->run, event->event)));
    }
    gateway_set(out, "time", time);
    gateway_set(out, "name", name);
    gateway_set(out, "direction", direction);
    return out;
}

/* In the order of the columns. */
static mxArray *initial_of(const dfl_run *run)
{
    const int n = columns_of(run, DFL_VALUE_MULTIPLIER);
    mxArray *out = gateway_record(), *given = mxCreateDoubleMatrix(1, (mwSize)n, mxREAL);
    mxArray *corrected = mxCreateDoubleMatrix(1, (mwSize)n, mxREAL);
    mxArray *held = mxCreateLogicalMatrix(1, (mwSize)n);
    for (int i = 0; i < n; i++) {
        const dfl_value_at_start start = dfl_run_at_start(run, i);
        ((double *)mxGetData(given))[i] = start.given;
        ((double *)mxGetData(corrected))[i] = start.completed;
        mxGetLogicals(held)[i] = start.held;
    }
    gateway_set(out, "given", given);
    gateway_set(out, "held", held);
    gateway_set(out, "corrected", corrected);
    return out;
}

static mxArray *residuals_of(const dfl_run_report *about)
{
    mxArray *out = gateway_record();
    for (int i = 0; i < about->nlevels; i++)
        gateway_set(out, about->level_names[i], gateway_scalar(about->levels[i]));
    return out;
}

static mxArray *messages_of(const run_call *call)
{
    mxArray *out = mxCreateCellMatrix((mwSize)call->nmessages, 1);
    for (int i = 0; i < call->nmessages; i++)
        mxSetCell(out, (mwIndex)i, mxCreateString(call->messages[i]));
    return out;
}
