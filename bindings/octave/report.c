/* report.c: what a call returns: times, states, info. */
#include "geoms_mex.h"

#include <stdio.h>

static mxArray *column(const geoms_table *table, int first);
static mxArray *columns(const geoms_table *table, int first);
static mxArray *residuals_of(const dfl_statistics *stats);
static mxArray *events_of(const geoms_run *run);
static mxArray *initial_of(const geoms_run *run);
static mxArray *messages_of(const geoms_run *run);

mxArray *geoms_times(const geoms_run *run)
{
    return column(&run->rows, 0);
}

mxArray *geoms_states(const geoms_run *run)
{
    return columns(&run->rows, 1);
}

mxArray *geoms_info(const geoms_run *run, dfl_status status, const char *message)
{
    const dfl_statistics stats = dfl_solver_statistics(run->solver);
    mxArray *info = gateway_record();
    gateway_set(info, "status",
                mxCreateString(status == DFL_OK        ? "completed"
                               : status == DFL_STOPPED ? "stopped"
                                                       : "failed"));
    gateway_set(info, "identifier", mxCreateString(gateway_identifier(status)));
    gateway_set(info, "message", mxCreateString(message));
    gateway_set(info, "t", gateway_scalar(dfl_solver_time(run->solver)));
    gateway_set(info, "x", gateway_vector(dfl_solver_state(run->solver), run->n));
    gateway_set(info, "step", gateway_scalar(dfl_solver_step(run->solver)));
    gateway_set(info, "order", gateway_scalar(dfl_solver_order(run->solver)));
    gateway_set(info, "initial", initial_of(run));
    gateway_set(info, "events", events_of(run));
    gateway_set(info, "statistics", gateway_statistics(&stats));
    gateway_set(info, "max_residual", residuals_of(&stats));
    gateway_set(info, "messages", messages_of(run));
    return info;
}

static mxArray *column(const geoms_table *table, int first)
{
    mxArray *array = mxCreateDoubleMatrix((mwSize)table->rows, 1, mxREAL);
    double *out = mxGetData(array);
    for (int i = 0; i < table->rows; i++)
        out[i] = table->data[(size_t)i * (size_t)table->columns + (size_t)first];
    return array;
}

/* The matrix of all columns from `first` on. */
static mxArray *columns(const geoms_table *table, int first)
{
    const size_t rows = (size_t)table->rows, all = (size_t)table->columns;
    mxArray *array = mxCreateDoubleMatrix((mwSize)rows, (mwSize)(all - (size_t)first), mxREAL);
    double *out = mxGetData(array);
    for (size_t j = (size_t)first; j < all; j++)
        for (size_t i = 0; i < rows; i++)
            *out++ = table->data[i * all + j];
    return array;
}

static mxArray *residuals_of(const dfl_statistics *stats)
{
    mxArray *out = gateway_record();
    gateway_set(out, "position", gateway_scalar(stats->max_residual.position));
    gateway_set(out, "velocity", gateway_scalar(stats->max_residual.velocity));
    gateway_set(out, "acceleration", gateway_scalar(stats->max_residual.acceleration));
    gateway_set(out, "nonholonomic", gateway_scalar(stats->max_residual.nonholonomic));
    gateway_set(out, "contact", gateway_scalar(stats->max_residual.contact));
    gateway_set(out, "auxiliary", gateway_scalar(stats->max_residual.auxiliary));
    gateway_set(out, "invariant", gateway_scalar(stats->max_residual.invariant));
    gateway_set(out, "massless", gateway_scalar(stats->max_residual.massless));
    return out;
}

static mxArray *events_of(const geoms_run *run)
{
    mxArray *out = gateway_record();
    gateway_set(out, "t", column(&run->events, 0));
    gateway_set(out, "event", column(&run->events, 1));
    gateway_set(out, "direction", column(&run->events, 2));
    gateway_set(out, "x", columns(&run->events, 3));
    return out;
}

static mxArray *initial_of(const geoms_run *run)
{
    mxArray *held = mxCreateLogicalMatrix((mwSize)run->n, 1), *out = gateway_record();
    for (int i = 0; i < run->n; i++)
        mxGetLogicals(held)[i] = run->held[i];
    gateway_set(out, "given", gateway_vector(run->x0, run->n));
    gateway_set(out, "held", held);
    gateway_set(out, "corrected", gateway_vector(run->corrected, run->n));
    return out;
}

static mxArray *messages_of(const geoms_run *run)
{
    mxArray *out = mxCreateCellMatrix((mwSize)run->nmessages, 1);
    for (int i = 0; i < run->nmessages; i++)
        mxSetCell(out, (mwIndex)i, mxCreateString(run->messages[i]));
    return out;
}
