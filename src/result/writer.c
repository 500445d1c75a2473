/* writer.c: one interface for all kinds of results. The first failure stays: later records are refused
   with it and closing reports it, so that a run that could not be stored is never called complete. */
#define _POSIX_C_SOURCE 200809L
#include "result/writer.h"

#include "declare/shape.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_WARNINGS = 100000 }; /* bytes */

static dfl_status keep(dfl_writer *writer, dfl_status status);
static dfl_status fail_again(dfl_writer *writer);
static void free_writer(dfl_writer *writer);

dfl_status dfl_writer_create(dfl_writer **out, const dfl_file_kind *kind, const char *path,
                             void *file, const dfl_equations *eq, const dfl_run_option *options,
                             int noptions)
{
    dfl_context *ctx = eq->model->ctx;
    *out = NULL;
    dfl_writer *writer = dfl_alloc(ctx, 1, sizeof *writer);
    if (!writer)
        return DFL_NO_MEMORY;
    writer->ctx = writer->warnings.ctx = ctx;
    writer->eq = eq;
    writer->kind = kind;
    writer->file = file;
    writer->path = dfl_copy_string(ctx, path);
    dfl_status status = writer->path ? dfl_columns_create(&writer->columns, eq) : DFL_NO_MEMORY;
    if (!status) {
        writer->row = dfl_alloc(ctx, (size_t)(1 + writer->columns.n + writer->columns.m),
                                sizeof *writer->row);
        writer->scene = dfl_alloc(ctx, (size_t)dfl_scene_columns(eq->model), sizeof(double));
        status =
            writer->row && writer->scene ? kind->open(writer, options, noptions) : DFL_NO_MEMORY;
    }
    if (status) {
        free_writer(writer);
        return status;
    }
    dfl_writer_due(writer);
    *out = writer;
    return DFL_OK;
}

bool dfl_writer_takes_steps(const dfl_writer *writer)
{
    return writer->kind->step != NULL;
}

bool dfl_writer_takes_scene(const dfl_writer *writer)
{
    return writer->kind->scene && writer->eq->model->nshapes > 0;
}

void dfl_writer_scene(dfl_writer *writer, const double *columns)
{
    const size_t count = (size_t)dfl_scene_columns(writer->eq->model);
    memcpy(writer->scene, columns, count * sizeof *columns);
}

dfl_status dfl_writer_columns(dfl_writer *writer, const char *columns)
{
    return writer->kind->columns ? writer->kind->columns(writer, columns) : DFL_OK;
}

void dfl_writer_warning(dfl_writer *writer, const char *text)
{
    if (writer->warnings.length < MOST_WARNINGS)
        dfl_text_add(&writer->warnings, "%s\n", text);
}

dfl_status dfl_writer_initial(dfl_writer *writer, const double *given, const bool *held,
                              const double *corrected)
{
    if (writer->status)
        return fail_again(writer);
    return writer->kind->initial
               ? keep(writer, writer->kind->initial(writer, given, held, corrected))
               : DFL_OK;
}

dfl_status dfl_writer_row(dfl_writer *writer, double t, const double *x, const double *outputs)
{
    const dfl_columns *columns = &writer->columns;
    if (writer->status)
        return fail_again(writer);
    writer->row[0] = t;
    for (int i = 0; i < columns->n; i++)
        writer->row[1 + i] = x[columns->place[i]];
    for (int i = 0; i < columns->m; i++)
        writer->row[1 + columns->n + i] = outputs[i];
    return keep(writer, writer->kind->row(writer));
}

dfl_status dfl_writer_step(dfl_writer *writer, const dfl_step_record *step)
{
    if (writer->status)
        return fail_again(writer);
    return writer->kind->step ? keep(writer, writer->kind->step(writer, step)) : DFL_OK;
}

dfl_status dfl_writer_event(dfl_writer *writer, const dfl_event_record *event)
{
    if (writer->status)
        return fail_again(writer);
    return writer->kind->event ? keep(writer, writer->kind->event(writer, event)) : DFL_OK;
}

dfl_status dfl_writer_close(dfl_writer *writer, const dfl_summary *summary)
{
    if (!writer)
        return DFL_OK;
    const dfl_status closed = writer->kind->close(writer, summary);
    const dfl_status status = writer->status ? fail_again(writer) : closed;
    free_writer(writer);
    return status;
}

bool dfl_writer_due(dfl_writer *writer)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    const bool due = seconds - writer->flushed >= 1;
    if (due)
        writer->flushed = seconds;
    return due;
}

/* Remembers a failure with its message. */
static dfl_status keep(dfl_writer *writer, dfl_status status)
{
    writer->status = status;
    if (status)
        snprintf(writer->reason, sizeof writer->reason, "%s", dfl_message(writer->ctx));
    return status;
}

static dfl_status fail_again(dfl_writer *writer)
{
    return dfl_fail(writer->ctx, writer->status, "%s", writer->reason);
}

static void free_writer(dfl_writer *writer)
{
    dfl_context *ctx = writer->ctx;
    dfl_columns_clear(&writer->columns, ctx);
    dfl_text_clear(&writer->warnings);
    dfl_free(ctx, writer->scene);
    dfl_free(ctx, writer->row);
    dfl_free(ctx, writer->path);
    dfl_free(ctx, writer);
}
