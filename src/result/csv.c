/* csv.c: a result as comma-separated values (RFC 4180, lines ended by a line feed).

   One header line, then one line per row with 17 significant digits, enough to read back the same
   number. Lines are collected and go to the file about once a second, whole lines at once: a reader
   of a run in progress, or after a kill, finds whole lines, apart from the instant of a write. If
   the disk is full, a line that does not fit is taken back. */
#define _POSIX_C_SOURCE 200809L
#include "result/result_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 16 }; /* that wait */

static dfl_status open_csv(dfl_writer *writer);
static dfl_status write_row(dfl_writer *writer);
static dfl_status close_csv(dfl_writer *writer, bool finished);
static void add_name(dfl_text *lines, const char *name);
static void add_number(dfl_text *lines, double number);
static dfl_status flush(dfl_writer *writer);
static void take_back(const dfl_writer *writer, off_t whole);

const dfl_file_kind dfl_csv_kind = {.open = open_csv, .row = write_row, .close = close_csv};

static dfl_status open_csv(dfl_writer *writer)
{
    const dfl_description *about = writer->about;
    dfl_status status = dfl_writer_begin(writer, false);
    if (status)
        return status;
    dfl_text *lines = writer->file = dfl_alloc(writer->ctx, 1, sizeof *lines);
    if (!lines)
        return DFL_NO_MEMORY;
    lines->ctx = writer->ctx;
    dfl_text_add(lines, "time");
    for (int i = 0; i < about->n + about->m; i++)
        add_name(lines, about->names[i]);
    dfl_text_add(lines, "\n");
    status = flush(writer);
    if (status) {
        dfl_text_clear(lines);
        dfl_free(writer->ctx, lines);
    }
    return status;
}

static dfl_status write_row(dfl_writer *writer)
{
    const int count = 1 + writer->about->n + writer->about->m;
    dfl_text *lines = writer->file;
    for (int i = 0; i < count; i++) {
        if (i > 0)
            dfl_text_bytes(lines, ",", 1);
        add_number(lines, writer->row[i]);
    }
    dfl_text_bytes(lines, "\n", 1);
    const bool due = dfl_writer_due(writer) || lines->length > MOST_BYTES;
    return due ? flush(writer) : lines->status;
}

static dfl_status close_csv(dfl_writer *writer, bool finished)
{
    dfl_text *lines = writer->file;
    (void)finished;
    const dfl_status status = writer->status ? writer->status : flush(writer);
    dfl_text_clear(lines);
    dfl_free(writer->ctx, lines);
    return status;
}

/* A comma and the name, in quotation marks if it needs them. */
static void add_name(dfl_text *lines, const char *name)
{
    dfl_text_bytes(lines, ",", 1);
    if (!strpbrk(name, ",\"\r\n")) {
        dfl_text_bytes(lines, name, strlen(name));
        return;
    }
    dfl_text_bytes(lines, "\"", 1);
    for (; *name; name++) {
        if (*name == '"')
            dfl_text_bytes(lines, "\"", 1);
        dfl_text_bytes(lines, name, 1);
    }
    dfl_text_bytes(lines, "\"", 1);
}

/* The C library would write a sign in front of some NaN. */
static void add_number(dfl_text *lines, double number)
{
    char digits[32];
    const int length = isnan(number) ? snprintf(digits, sizeof digits, "nan")
                                     : snprintf(digits, sizeof digits, "%.17g", number);
    dfl_text_bytes(lines, digits, (size_t)length);
}

/* What waits goes to the file; the memory stays. */
static dfl_status flush(dfl_writer *writer)
{
    dfl_text *lines = writer->file;
    if (lines->status)
        return lines->status;
    const off_t whole = lseek(writer->out.file, 0, SEEK_CUR);
    const dfl_status status = dfl_new_file_write(&writer->out, lines->data, lines->length);
    if (status && writer->out.path && whole >= 0)
        take_back(writer, whole);
    lines->length = 0;
    return status;
}

/* Cuts off the beginning of a line that a full disk has left behind the `whole` bytes of before. */
static void take_back(const dfl_writer *writer, off_t whole)
{
    const dfl_text *lines = writer->file;
    const off_t end = lseek(writer->out.file, 0, SEEK_CUR);
    off_t kept = end > whole ? end - whole : 0;
    while (kept > 0 && lines->data[kept - 1] != '\n')
        kept--;
    if (ftruncate(writer->out.file, whole + kept))
        return; /* it stays */
}
