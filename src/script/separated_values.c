/* separated_values.c: columns of numbers from a text with separated values.

   Records as in RFC 4180: fields may be in quotes, then they may contain separators, line ends and
   doubled quotes. Lines end in any way; empty lines are passed over. Numbers are decimal, with a
   point. */
#include "script/separated_values.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_FIELD = 200, MOST_ROWS = 200000 };

/* Where the reader is. */
typedef struct reader {
    dfl_context *ctx;
    const char *file, *at;
    int line; /* of `at` */
    char separator;
    char field[LONGEST_FIELD + 1]; /* the last field, without quotes and spaces around it */
    bool too_long;                 /* ... of which the rest is left out */
    bool quoted;
    int field_line;
    bool ends_record;
} reader;

/* The places of the wanted columns, from 0, and the number of columns. */
typedef struct header {
    int time, column, count;
} header;

static reader open_reader(dfl_context *ctx, const dfl_csv *csv);
static dfl_status read_header(header *out, reader *r, const dfl_csv *csv);
static dfl_status no_column(const reader *r, const dfl_csv *csv, const char *name);
static dfl_status read_record(double *time, double *value, bool *empty, reader *r,
                              const header *columns);
static dfl_status read_field(reader *r);
static dfl_status read_quoted(reader *r);
static void read_plain(reader *r);
static void keep(reader *r, size_t *length, char c);
static void pass_spaces(reader *r);
static void end_line(reader *r);
static dfl_status read_number(double *out, const reader *r);
static dfl_status check_time(const reader *r, const dfl_csv *csv, const double *time, int count,
                             int line);

size_t dfl_csv_rows(const char *text)
{
    size_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n' || *text == '\r';
    return lines < MOST_ROWS + 1 ? lines : MOST_ROWS + 1;
}

dfl_status dfl_csv_read(double *time, double *value, int *count, dfl_context *ctx,
                        const dfl_csv *csv)
{
    reader r = open_reader(ctx, csv);
    header columns;
    dfl_status status = read_header(&columns, &r, csv);
    const bool cut = dfl_csv_is_cut(csv);
    *count = 0;
    while (!status && *r.at) {
        const int line = r.line;
        bool empty;
        status = read_record(&time[*count], &value[*count], &empty, &r, &columns);
        if (cut && !*r.at) { /* whatever it was */
            status = DFL_OK;
            break;
        }
        if (status || empty)
            continue;
        if (++*count > MOST_ROWS)
            return dfl_fail(ctx, DFL_INVALID, "%s has more than %d rows; leave some out", csv->file,
                            MOST_ROWS);
        status = check_time(&r, csv, time, *count, line);
    }
    if (!status && *count < 2)
        status = dfl_fail(ctx, DFL_INVALID, "%s has %s; give at least two", csv->file,
                          *count ? "one row of numbers" : "no row of numbers");
    return status;
}

/* Results of Driftless have velocities and end in a line feed. */
bool dfl_csv_is_cut(const dfl_csv *csv)
{
    const size_t length = strlen(csv->text), first = strcspn(csv->text, "\n");
    const char *velocity = strstr(csv->text, "der(");
    return velocity && (size_t)(velocity - csv->text) < first && csv->text[length - 1] != '\n';
}

static reader open_reader(dfl_context *ctx, const dfl_csv *csv)
{
    reader r = {.ctx = ctx, .file = csv->file, .at = csv->text, .line = 1, .separator = ','};
    bool quoted = false;
    if (strncmp(r.at, "\xEF\xBB\xBF", 3) == 0)
        r.at += 3; /* the mark that some editors put in front */
    for (const char *c = r.at; *c && (quoted || (*c != '\n' && *c != '\r')); c++) {
        quoted = quoted != (*c == '"');
        if (*c == ';' && !quoted)
            r.separator = ';';
    }
    return r;
}

static dfl_status read_header(header *out, reader *r, const dfl_csv *csv)
{
    int t = -1, time = -1;
    *out = (header){.time = -1, .column = -1};
    do {
        const dfl_status status = read_field(r);
        if (status)
            return status;
        const bool wanted_time = csv->time && strcmp(r->field, csv->time) == 0;
        const bool wanted = strcmp(r->field, csv->column) == 0;
        if ((wanted_time && out->time >= 0) || (wanted && out->column >= 0))
            return dfl_fail(r->ctx, DFL_INVALID, "%s:1: two columns are named '%s'", r->file,
                            r->field);
        if (wanted_time)
            out->time = out->count;
        if (wanted)
            out->column = out->count;
        if (t < 0 && strcmp(r->field, "t") == 0)
            t = out->count;
        if (time < 0 && strcmp(r->field, "time") == 0)
            time = out->count;
        out->count++;
    } while (!r->ends_record);
    if (!csv->time)
        out->time = t >= 0 ? t : time;
    if (out->time < 0)
        return no_column(r, csv, csv->time ? csv->time : "t");
    return out->column < 0 ? no_column(r, csv, csv->column) : DFL_OK;
}

static dfl_status no_column(const reader *r, const dfl_csv *csv, const char *name)
{
    const char *head = csv->text + (strncmp(csv->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0);
    const int length = (int)strcspn(head, "\r\n");
    if (!*head)
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%s is empty; its first line names the columns 't' and '%s'", csv->file,
                        csv->column);
    return dfl_fail(r->ctx, DFL_INVALID, "%s:1: there is no column '%s'; the first line is: %.*s",
                    r->file, name, length < LONGEST_FIELD ? length : LONGEST_FIELD, head);
}

/* The wanted numbers of the next record; an empty line is none. */
static dfl_status read_record(double *time, double *value, bool *empty, reader *r,
                              const header *columns)
{
    const int line = r->line;
    int count = 0;
    *empty = false;
    do {
        dfl_status status = read_field(r);
        *empty = count == 0 && r->ends_record && !r->field[0] && !r->quoted;
        if (!status && !*empty && count == columns->time)
            status = read_number(time, r);
        if (!status && !*empty && count == columns->column)
            status = read_number(value, r);
        if (status)
            return status;
        count++;
    } while (!r->ends_record);
    if (*empty || count == columns->count)
        return DFL_OK;
    return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: the row has %d field%s, the first line has %d",
                    r->file, line, count, count == 1 ? "" : "s", columns->count);
}

static dfl_status read_field(reader *r)
{
    dfl_status status = DFL_OK;
    pass_spaces(r);
    r->field_line = r->line;
    r->too_long = false;
    r->quoted = *r->at == '"';
    if (r->quoted)
        status = read_quoted(r);
    else
        read_plain(r);
    if (status)
        return status;
    r->ends_record = *r->at != r->separator;
    if (!r->ends_record)
        r->at++;
    else if (*r->at == '\n' || *r->at == '\r')
        end_line(r);
    else if (*r->at)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: a text follows the quote of '%s'", r->file,
                        r->line, r->field);
    return DFL_OK;
}

static dfl_status read_quoted(reader *r)
{
    size_t length = 0;
    for (r->at++; *r->at; r->at++) {
        if (*r->at == '"' && r->at[1] != '"')
            break;
        if (*r->at == '"')
            r->at++;
        r->line += *r->at == '\n';
        keep(r, &length, *r->at);
    }
    r->field[length] = 0;
    if (!*r->at)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: a quote is not closed", r->file,
                        r->field_line);
    r->at++;
    pass_spaces(r);
    return DFL_OK;
}

static void read_plain(reader *r)
{
    size_t length = 0;
    for (; *r->at && *r->at != r->separator && *r->at != '\n' && *r->at != '\r'; r->at++)
        keep(r, &length, *r->at);
    while (length > 0 && (r->field[length - 1] == ' ' || r->field[length - 1] == '\t'))
        length--;
    r->field[length] = 0;
}

static void keep(reader *r, size_t *length, char c)
{
    r->too_long = r->too_long || *length == LONGEST_FIELD;
    if (!r->too_long)
        r->field[(*length)++] = c;
}

static void pass_spaces(reader *r)
{
    while (*r->at == ' ' || *r->at == '\t')
        r->at++;
}

static void end_line(reader *r)
{
    r->at += r->at[0] == '\r' && r->at[1] == '\n' ? 2 : 1;
    r->line++;
}

static dfl_status read_number(double *out, const reader *r)
{
    char *end;
    *out = strtod(r->field, &end);
    const bool decimal = strspn(r->field, "0123456789+-.eE") == strlen(r->field);
    if (r->too_long || !decimal || end == r->field || *end)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: '%s%s' is no number%s", r->file, r->field_line,
                        r->field, r->too_long ? "..." : "",
                        strchr(r->field, ',') ? "; write it with a decimal point" : "");
    if (!isfinite(*out))
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: %s is too large", r->file, r->field_line,
                        r->field);
    return DFL_OK;
}

/* The last of `count` times follows those before it. */
static dfl_status check_time(const reader *r, const dfl_csv *csv, const double *time, int count,
                             int line)
{
    const double *t = time + count - 1;
    if (count < 2 || t[0] > t[-1])
        return DFL_OK;
    if (t[0] < t[-1] || !csv->jumps)
        return dfl_fail(r->ctx, DFL_INVALID, "%s:%d: times must ascend (%.10g after %.10g)",
                        r->file, line, t[0], t[-1]);
    if (count > 2 && t[0] == t[-2])
        return dfl_fail(r->ctx, DFL_INVALID,
                        "%s:%d: the time %.10g is given three times; a jump has two rows", r->file,
                        line, t[0]);
    return DFL_OK;
}
