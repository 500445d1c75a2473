/* table.c: a result in memory, which grows by doubling. */
#include "result/result_internal.h"

#include "context/context.h"

#include <string.h>

static dfl_status open_table(dfl_writer *writer);
static dfl_status take_row(dfl_writer *writer);
static dfl_status take_event(dfl_writer *writer, const dfl_event_record *event);
static dfl_status close_table(dfl_writer *writer, bool finished);

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
    const size_t columns = (size_t)table->columns, size = columns * sizeof *table->values;
    double *values = dfl_grow(table->ctx, table->values, &table->row_room, table->rows, size);
    if (!values)
        return DFL_NO_MEMORY;
    table->values = values;
    memcpy(values + (size_t)table->rows++ * columns, writer->row, size);
    return DFL_OK;
}

static dfl_status take_event(dfl_writer *writer, const dfl_event_record *event)
{
    dfl_table *table = writer->file;
    dfl_event_record *events =
        dfl_grow(table->ctx, table->events, &table->event_room, table->nevents, sizeof *events);
    if (!events)
        return DFL_NO_MEMORY;
    table->events = events;
    events[table->nevents++] = *event;
    return DFL_OK;
}

/* The owner keeps the table. */
static dfl_status close_table(dfl_writer *writer, bool finished)
{
    (void)writer, (void)finished;
    return DFL_OK;
}
