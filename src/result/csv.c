/* csv.c: a result as comma-separated values (RFC 4180, lines ended by a line feed).

   One header line, then one line per row with 17 significant digits, enough to read back the same
   number. Lines are buffered; about once a second they go to the file. */
#include "result/result_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status open_csv(dfl_writer *writer);
static dfl_status write_row(dfl_writer *writer);
static dfl_status close_csv(dfl_writer *writer, bool finished);
static void write_name(FILE *file, const char *name);
static void write_number(FILE *file, double number);
static dfl_status flush(dfl_writer *writer);
static dfl_status write_failure(dfl_writer *writer);

const dfl_file_kind dfl_csv_kind = {.open = open_csv, .row = write_row, .close = close_csv};

static dfl_status open_csv(dfl_writer *writer)
{
    const dfl_description *about = writer->about;
    errno = 0;
    FILE *file = strcmp(writer->path, "-") ? fopen(writer->path, "w") : stdout;
    if (!file)
        return dfl_fail(writer->ctx, DFL_INVALID, "'%s' cannot be written: %s", writer->path,
                        strerror(errno));
    writer->file = file;
    fputs("time", file);
    for (int i = 0; i < about->n + about->m; i++)
        write_name(file, about->names[i]);
    fputc('\n', file);
    const dfl_status status = flush(writer);
    if (status && file != stdout)
        fclose(file);
    return status;
}

static dfl_status write_row(dfl_writer *writer)
{
    const int count = 1 + writer->about->n + writer->about->m;
    FILE *file = writer->file;
    errno = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0)
            putc(',', file);
        write_number(file, writer->row[i]);
    }
    putc('\n', file);
    if (dfl_writer_due(writer))
        return flush(writer);
    return ferror(file) ? write_failure(writer) : DFL_OK;
}

static dfl_status close_csv(dfl_writer *writer, bool finished)
{
    FILE *file = writer->file;
    (void)finished;
    dfl_status status = writer->status ? writer->status : flush(writer);
    if (file != stdout && fclose(file) && !status)
        status = write_failure(writer);
    return status;
}

/* A comma and the name, in quotation marks if it needs them. */
static void write_name(FILE *file, const char *name)
{
    putc(',', file);
    if (!strpbrk(name, ",\"\r\n")) {
        fputs(name, file);
        return;
    }
    putc('"', file);
    for (; *name; name++) {
        if (*name == '"')
            putc('"', file);
        putc(*name, file);
    }
    putc('"', file);
}

/* The C library would write a sign in front of some NaN. */
static void write_number(FILE *file, double number)
{
    if (isnan(number))
        fputs("nan", file);
    else
        fprintf(file, "%.17g", number);
}

static dfl_status flush(dfl_writer *writer)
{
    errno = 0;
    return fflush(writer->file) || ferror(writer->file) ? write_failure(writer) : DFL_OK;
}

/* A reader that has seen enough (| head) is not a failure worth a message. */
static dfl_status write_failure(dfl_writer *writer)
{
    if (errno == EPIPE)
        return dfl_fail(writer->ctx, DFL_STOPPED, "the reader of the results has gone");
    return dfl_writer_fail(writer);
}
