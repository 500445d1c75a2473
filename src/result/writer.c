/* writer.c: all files of a record, of any kind.

   The first failure of a file is kept: later records are refused with it and closing reports it, so
   that a run that could not be stored is never reported as complete. */
#define _POSIX_C_SOURCE 200809L
#include "result/result_internal.h"

#include "context/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const dfl_file_kind *kind_of(const char *path);
static dfl_status outcome_of(const dfl_record *record);
static void settle(dfl_writer *writer, dfl_record *record, dfl_fate fate);
static dfl_status put_aside(dfl_writer *writer, dfl_record *record);
static void keep(dfl_writer *writer, dfl_status status);
static dfl_status fail_again(const dfl_writer *writer);
static void free_writer(dfl_writer *writer);

dfl_status dfl_record_open(dfl_record *record, const char *path)
{
    const dfl_file_kind *kind = kind_of(path);
    if (!kind)
        return dfl_fail(record->ctx, DFL_INVALID,
                        "'%s': results are written to files that end in .csv, .h5 or .hdf5, or to "
                        "standard output with '-'",
                        path);
    return dfl_record_add(record, kind, path, NULL);
}

static const dfl_file_kind *kind_of(const char *path)
{
    if (!strcmp(path, "-") || dfl_ends_with(path, ".csv"))
        return &dfl_csv_kind;
    return dfl_ends_with(path, ".h5") || dfl_ends_with(path, ".hdf5") ? &dfl_hdf5_kind : NULL;
}

dfl_status dfl_record_add(dfl_record *record, const dfl_file_kind *kind, const char *path,
                          void *file)
{
    dfl_context *ctx = record->ctx;
    dfl_writer *writer = NULL, **writers = dfl_grow(ctx, record->writers, &record->room,
                                                    record->nwriters, sizeof(dfl_writer *));
    if (writers) {
        record->writers = writers;
        writer = dfl_alloc(ctx, 1, sizeof *writer);
    }
    if (!writer)
        return DFL_NO_MEMORY;
    *writer = (dfl_writer){.ctx = ctx,
                           .kind = kind,
                           .about = &record->about,
                           .row = record->row,
                           .frame = record->frame,
                           .check = record->check,
                           .path = dfl_copy_string(ctx, path),
                           .out = {.ctx = ctx, .file = -1, .leftover = -1},
                           .file = file};
    const dfl_status status = writer->path ? kind->open(writer) : DFL_NO_MEMORY;
    if (status) {
        dfl_new_file_discard(&writer->out);
        free_writer(writer);
        return status;
    }
    dfl_writer_due(writer);
    record->writers[record->nwriters++] = writer;
    return DFL_OK;
}

bool dfl_record_takes_steps(const dfl_record *record)
{
    for (int i = 0; i < record->nwriters; i++)
        if (record->writers[i]->kind->step)
            return true;
    return false;
}

bool dfl_record_takes_scene(const dfl_record *record)
{
    for (int i = 0; record->about.scene && i < record->nwriters; i++)
        if (record->writers[i]->kind->scene)
            return true;
    return false;
}

/* ------------------------------------------------------------------------------- records */

dfl_status dfl_record_start(dfl_record *record, const double *given, const bool *held,
                            const double *corrected)
{
    for (int i = 0; i < record->about.n; i++) {
        const int place = record->columns.place[i];
        record->given[i] = given[place];
        record->corrected[i] = corrected[place];
        record->held[i] = held[place];
    }
    record->about.given = record->given;
    record->about.corrected = record->corrected;
    record->about.held = record->held;
    for (int i = 0; i < record->nwriters; i++) {
        dfl_writer *writer = record->writers[i];
        if (writer->kind->start && !writer->status)
            keep(writer, writer->kind->start(writer));
    }
    return outcome_of(record);
}

void dfl_record_check(dfl_record *record, double energy, const dfl_residuals *residuals)
{
    record->check[0] = energy;
    for (int i = 0; i < DFL_LEVELS; i++)
        record->check[1 + i] = NAN;
    if (residuals)
        dfl_residual_levels(record->check + 1, residuals);
}

dfl_status dfl_record_row(dfl_record *record, double t, const double *x, const double *outputs,
                          const double *scene)
{
    const int n = record->about.n, m = record->about.m;
    record->row[0] = t;
    for (int i = 0; i < n; i++)
        record->row[1 + i] = x[record->columns.place[i]];
    for (int i = 0; i < m; i++)
        record->row[1 + n + i] = outputs[i];
    if (scene)
        memcpy(record->frame, scene, (size_t)record->about.nscene * sizeof *scene);
    for (int i = 0; i < record->nwriters; i++) {
        dfl_writer *writer = record->writers[i];
        if (!writer->status)
            keep(writer, writer->kind->row(writer));
    }
    return outcome_of(record);
}

dfl_status dfl_record_step(dfl_record *record, const dfl_step_record *step)
{
    for (int i = 0; i < record->nwriters; i++) {
        dfl_writer *writer = record->writers[i];
        if (writer->kind->step && !writer->status)
            keep(writer, writer->kind->step(writer, step));
    }
    return outcome_of(record);
}

dfl_status dfl_record_event(dfl_record *record, const dfl_event_record *event)
{
    for (int i = 0; i < record->nwriters; i++) {
        dfl_writer *writer = record->writers[i];
        if (writer->kind->event && !writer->status)
            keep(writer, writer->kind->event(writer, event));
    }
    return outcome_of(record);
}

dfl_status dfl_record_switch(dfl_record *record, const dfl_switch_record *happened)
{
    for (int i = 0; i < record->nwriters; i++) {
        dfl_writer *writer = record->writers[i];
        if (writer->kind->happened && !writer->status)
            keep(writer, writer->kind->happened(writer, happened));
    }
    return outcome_of(record);
}

dfl_status dfl_record_close(dfl_record *record, dfl_summary *summary)
{
    dfl_status first = DFL_OK;
    char reason[sizeof record->writers[0]->reason] = "";
    for (int i = 0; i < record->nwriters; i++) {
        dfl_record_describe_end(record, summary);
        const bool failed = !strcmp(summary->status, "failed");
        const dfl_status status = dfl_writer_close(record->writers[i], record,
                                                   failed ? DFL_FATE_FAILED : DFL_FATE_FINISHED);
        if (!status || first)
            continue;
        first = status;
        snprintf(reason, sizeof reason, "%s", dfl_message(record->ctx));
        summary->status = "failed";
    }
    record->nwriters = 0;
    return first ? dfl_fail(record->ctx, first, "%s", reason) : DFL_OK;
}

void dfl_record_abandon(dfl_record *record)
{
    for (int i = 0; i < record->nwriters; i++)
        dfl_writer_close(record->writers[i], record, DFL_FATE_ABANDONED);
    record->nwriters = 0;
}

const char *dfl_record_notes(const dfl_record *record)
{
    return dfl_text_string(&record->notes);
}

/* The first file that failed, with its message. */
static dfl_status outcome_of(const dfl_record *record)
{
    for (int i = 0; i < record->nwriters; i++)
        if (record->writers[i]->status)
            return fail_again(record->writers[i]);
    return DFL_OK;
}

/* ------------------------------------------------------------------------------- one file */

dfl_status dfl_writer_begin(dfl_writer *writer, bool whole)
{
    const char *path = strcmp(writer->path, "-") ? writer->path : NULL;
    return dfl_new_file_open(&writer->out, writer->ctx, path, whole);
}

dfl_status dfl_writer_close(dfl_writer *writer, dfl_record *record, dfl_fate fate)
{
    const bool finished = fate == DFL_FATE_FINISHED || fate == DFL_FATE_FAILED;
    const dfl_status closed = writer->kind->close(writer, finished);
    if (closed && !writer->status)
        keep(writer, closed);
    settle(writer, record, fate);
    const dfl_status status = writer->status ? fail_again(writer) : DFL_OK;
    free_writer(writer);
    return status;
}

/* A file that could not be written completely stays only if there is no older one. */
static void settle(dfl_writer *writer, dfl_record *record, dfl_fate fate)
{
    dfl_new_file *out = &writer->out;
    if (out->file < 0)
        return;
    if (fate == DFL_FATE_ABANDONED || (writer->status && out->part)) {
        if (out->replaces && fate != DFL_FATE_ABANDONED)
            dfl_text_add(&record->notes, "'%s' is unchanged\n", writer->path);
        dfl_new_file_discard(out);
    } else if (writer->status) {
        dfl_new_file_leave(out);
    } else if (fate == DFL_FATE_FAILED && out->replaces) {
        keep(writer, put_aside(writer, record));
    } else {
        keep(writer, dfl_new_file_keep(out, NULL));
    }
}

/* FILE.failed.h5 for FILE.h5, which stays as it was. */
static dfl_status put_aside(dfl_writer *writer, dfl_record *record)
{
    dfl_text name = {.ctx = writer->ctx};
    const char *path = writer->out.path, *dot = strrchr(path, '.');
    dfl_text_add(&name, "%.*s.failed%s", (int)(dot - path), path, dot);
    dfl_status status = name.status;
    if (status)
        dfl_new_file_discard(&writer->out);
    else
        status = dfl_new_file_keep(&writer->out, name.data);
    if (!status)
        dfl_text_add(&record->notes, "'%s' is unchanged; what this run has computed is in '%s'\n",
                     writer->path, name.data);
    dfl_text_clear(&name);
    return status;
}

bool dfl_writer_due(dfl_writer *writer)
{
    const double seconds = dfl_clock();
    const bool due = seconds - writer->flushed >= 1;
    if (due)
        writer->flushed = seconds;
    return due;
}

/* Remembers a failure with its message. */
static void keep(dfl_writer *writer, dfl_status status)
{
    writer->status = status;
    if (status)
        snprintf(writer->reason, sizeof writer->reason, "%s", dfl_message(writer->ctx));
}

static dfl_status fail_again(const dfl_writer *writer)
{
    return dfl_fail(writer->ctx, writer->status, "%s", writer->reason);
}

static void free_writer(dfl_writer *writer)
{
    dfl_context *ctx = writer->ctx;
    dfl_free(ctx, writer->path);
    dfl_free(ctx, writer);
}
