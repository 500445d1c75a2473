/* run_result.c: a run as a struct; driftless_run.m adds the columns by name. */
#include "run_mex.h"

static mxArray *names_of(const dfl_description *about);
static mxArray *events_of(const dfl_table *table, const dfl_description *about);
static mxArray *initial_of(const dfl_description *about);
static mxArray *residuals_of(const run_call *call);
static mxArray *messages_of(const run_call *call);
static void set_values(mxArray *result, const dfl_table *table);

mxArray *run_result(const run_call *call, dfl_status status)
{
    const dfl_summary *summary = &call->summary;
    mxArray *out = gateway_record();
    const dfl_description *about = dfl_record_about(call->sim.record);
    gateway_set(out, "model", mxCreateString(call->model->name));
    gateway_set(out, "names", names_of(about));
    gateway_set(out, "initial", initial_of(about));
    set_values(out, &call->table);
    gateway_set(out, "status", mxCreateString(summary->status));
    gateway_set(out, "identifier", mxCreateString(gateway_identifier(status)));
    gateway_set(out, "message", mxCreateString(summary->message));
    gateway_set(out, "form", mxCreateString(summary->form));
    gateway_set(out, "method", mxCreateString(summary->method));
    gateway_set(out, "events", events_of(&call->table, about));
    gateway_set(out, "energy_drift", gateway_scalar(summary->energy_drift));
    gateway_set(out, "seconds", gateway_scalar(summary->seconds));
    gateway_set(out, "statistics", gateway_statistics(&summary->statistics));
    gateway_set(out, "max_residual", residuals_of(call));
    gateway_set(out, "messages", messages_of(call));
    return out;
}

/* The states, then the outputs, as a row of texts. */
static mxArray *names_of(const dfl_description *about)
{
    mxArray *out = mxCreateCellMatrix(1, (mwSize)(about->n + about->m));
    for (int i = 0; i < about->n + about->m; i++)
        mxSetCell(out, (mwIndex)i, mxCreateString(about->names[i]));
    return out;
}

static void set_values(mxArray *result, const dfl_table *table)
{
    const size_t rows = (size_t)table->rows, columns = (size_t)table->columns;
    mxArray *time = mxCreateDoubleMatrix((mwSize)rows, 1, mxREAL);
    mxArray *values = mxCreateDoubleMatrix((mwSize)rows, (mwSize)(columns - 1), mxREAL);
    double *t = mxGetData(time), *v = mxGetData(values);
    for (size_t i = 0; i < rows; i++) {
        t[i] = table->values[i * columns];
        for (size_t j = 1; j < columns; j++)
            v[i + rows * (j - 1)] = table->values[i * columns + j];
    }
    gateway_set(result, "time", time);
    gateway_set(result, "values", values);
}

static mxArray *events_of(const dfl_table *table, const dfl_description *about)
{
    const mwSize count = (mwSize)table->nevents;
    mxArray *out = gateway_record(), *time = mxCreateDoubleMatrix(count, 1, mxREAL);
    mxArray *direction = mxCreateDoubleMatrix(count, 1, mxREAL);
    mxArray *name = mxCreateCellMatrix(count, 1);
    for (int i = 0; i < table->nevents; i++) {
        const dfl_event_record *event = &table->events[i];
        ((double *)mxGetData(time))[i] = event->time;
        ((double *)mxGetData(direction))[i] = event->direction;
        mxSetCell(name, (mwIndex)i, mxCreateString(about->events[event->event]));
    }
    gateway_set(out, "time", time);
    gateway_set(out, "name", name);
    gateway_set(out, "direction", direction);
    return out;
}

/* In the order of the columns. */
static mxArray *initial_of(const dfl_description *about)
{
    mxArray *out = gateway_record(), *given = mxCreateDoubleMatrix(1, (mwSize)about->n, mxREAL);
    mxArray *corrected = mxCreateDoubleMatrix(1, (mwSize)about->n, mxREAL);
    mxArray *held = mxCreateLogicalMatrix(1, (mwSize)about->n);
    for (int i = 0; about->given && i < about->n; i++) {
        ((double *)mxGetData(given))[i] = about->given[i];
        ((double *)mxGetData(corrected))[i] = about->corrected[i];
        mxGetLogicals(held)[i] = about->held[i] != 0;
    }
    gateway_set(out, "given", given);
    gateway_set(out, "held", held);
    gateway_set(out, "corrected", corrected);
    return out;
}

static mxArray *residuals_of(const run_call *call)
{
    double levels[DFL_LEVELS];
    mxArray *out = gateway_record();
    dfl_summary_levels(levels, &call->summary, call->eq);
    for (int i = 0; i < DFL_LEVELS; i++)
        gateway_set(out, dfl_level_names[i], gateway_scalar(levels[i]));
    return out;
}

static mxArray *messages_of(const run_call *call)
{
    mxArray *out = mxCreateCellMatrix((mwSize)call->nmessages, 1);
    for (int i = 0; i < call->nmessages; i++)
        mxSetCell(out, (mwIndex)i, mxCreateString(call->messages[i] ? call->messages[i] : ""));
    return out;
}
