/* table.c: a result in memory, which grows by doubling. */
#include "result/result_internal.h"

#include <string.h>

static dfl_status open_table(dfl_writer *writer);
static dfl_status take_row(dfl_writer *writer);
static dfl_status take_event(dfl_writer *writer, const dfl_event_record *event);
static dfl_status close_table(dfl_writer *writer, bool finished);
static void *grown(dfl_context *ctx, void *old, size_t used, size_t room, size_t size);

static const dfl_file_kind table_kind = {
    .open = open_table, .row = take_row, .event = take_event, .close = close_table};

dfl_status dfl_record_open_table(dfl_record *record, dfl_table *table)
{
    return dfl_record_add(record, &table_kind, "memory", table);
}

void dfl_table_clear(dfl_table *table)
{
    dfl_free(table->ctx, table->values);
    dfl_free(table->ctx, table->events);
    *table = (dfl_table){.ctx = table->ctx};
}

static dfl_status open_table(dfl_writer *writer)
{
    dfl_table *table = writer->file;
    table->columns = 1 + writer->about->n + writer->about->m;
    return DFL_OK;
}

static dfl_status take_row(dfl_writer *writer)
{
    dfl_table *table = writer->file;
    const size_t size = (size_t)table->columns * sizeof *table->values;
    if (table->rows == table->row_room) {
        const size_t room = table->row_room ? 2 * table->row_room : 64;
        double *values = grown(table->ctx, table->values, table->rows, room, size);
        if (!values)
            return DFL_NO_MEMORY;
        table->values = values;
        table->row_room = room;
    }
    memcpy(table->values + table->rows++ * (size_t)table->columns, writer->row, size);
    return DFL_OK;
}

static dfl_status take_event(dfl_writer *writer, const dfl_event_record *event)
{
    dfl_table *table = writer->file;
    if (table->nevents == table->event_room) {
        const size_t room = table->event_room ? 2 * table->event_room : 16;
        dfl_event_record *events =
            grown(table->ctx, table->events, table->nevents, room, sizeof *events);
        if (!events)
            return DFL_NO_MEMORY;
        table->events = events;
        table->event_room = room;
    }
    table->events[table->nevents++] = *event;
    return DFL_OK;
}

/* The table stays with its owner. */
static dfl_status close_table(dfl_writer *writer, bool finished)
{
    (void)writer, (void)finished;
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
