/* table.c: a result in memory, which grows by doubling. */
#include "result/writer.h"

#include <string.h>

static dfl_status open_table(dfl_writer *writer, const dfl_run_option *options, int noptions);
static dfl_status take_initial(dfl_writer *writer, const double *given, const bool *held,
                               const double *corrected);
static dfl_status take_row(dfl_writer *writer);
static dfl_status take_event(dfl_writer *writer, const dfl_event_record *event);
static dfl_status close_table(dfl_writer *writer, const dfl_summary *summary);
static void *grown(dfl_context *ctx, void *old, size_t used, size_t room, size_t size);

static const dfl_file_kind table_kind = {.open = open_table,
                                         .initial = take_initial,
                                         .row = take_row,
                                         .event = take_event,
                                         .close = close_table};

dfl_status dfl_writer_open_table(dfl_writer **out, dfl_table *table, const dfl_equations *eq)
{
    return dfl_writer_create(out, &table_kind, "memory", table, eq, NULL, 0);
}

void dfl_table_clear(dfl_table *table)
{
    dfl_free(table->ctx, table->values);
    dfl_free(table->ctx, table->events);
    dfl_free(table->ctx, table->given);
    dfl_free(table->ctx, table->corrected);
    dfl_free(table->ctx, table->held);
    *table = (dfl_table){.ctx = table->ctx};
}

static dfl_status open_table(dfl_writer *writer, const dfl_run_option *options, int noptions)
{
    dfl_table *table = writer->file;
    (void)options, (void)noptions;
    table->columns = 1 + writer->columns.n + writer->columns.m;
    return DFL_OK;
}

static dfl_status take_initial(dfl_writer *writer, const double *given, const bool *held,
                               const double *corrected)
{
    dfl_table *table = writer->file;
    const size_t n = (size_t)writer->columns.n;
    table->given = dfl_alloc(table->ctx, n, sizeof *given);
    table->corrected = dfl_alloc(table->ctx, n, sizeof *corrected);
    table->held = dfl_alloc(table->ctx, n, sizeof *held);
    if (!table->given || !table->corrected || !table->held)
        return DFL_NO_MEMORY;
    memcpy(table->given, given, n * sizeof *given);
    memcpy(table->corrected, corrected, n * sizeof *corrected);
    memcpy(table->held, held, n * sizeof *held);
    return DFL_OK;
}

static dfl_status take_row(dfl_writer *writer)
{
    dfl_table *table = writer->file;
    const size_t size = (size_t)table->columns * sizeof *table->values;
    if (table->rows == table->room) {
        const size_t room = table->room ? 2 * table->room : 64;
        double *values = grown(table->ctx, table->values, table->rows, room, size);
        if (!values)
            return DFL_NO_MEMORY;
        table->values = values;
        table->room = room;
    }
    memcpy(table->values + table->rows++ * (size_t)table->columns, writer->row, size);
    return DFL_OK;
}

static dfl_status take_event(dfl_writer *writer, const dfl_event_record *event)
{
    dfl_table *table = writer->file;
    if (table->nevents == table->more) {
        const size_t room = table->more ? 2 * table->more : 16;
        dfl_event_record *events =
            grown(table->ctx, table->events, table->nevents, room, sizeof *events);
        if (!events)
            return DFL_NO_MEMORY;
        table->events = events;
        table->more = room;
    }
    table->events[table->nevents++] = *event;
    return DFL_OK;
}

/* The table stays with its owner. */
static dfl_status close_table(dfl_writer *writer, const dfl_summary *summary)
{
    (void)writer, (void)summary;
    return DFL_OK;
}

/* A larger block with the old contents, which it replaces; NULL without memory. */
static void *grown(dfl_context *ctx, void *old, size_t used, size_t room, size_t size)
{
    void *block = dfl_alloc(ctx, room, size);
    if (block && used > 0)
        memcpy(block, old, used * size);
    if (block)
        dfl_free(ctx, old);
    return block;
}
