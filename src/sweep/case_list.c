/* case_list.c: cases from a file of comma-separated values: names in the first row, then a row of
   numbers per case. */
#include "sweep/design_internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file and its rows so far. */
typedef struct reading {
    dfl_design *design;
    const char *path;
    long line;
    long room; /* rows of the table */
} reading;

static dfl_status read_lines(reading *it, FILE *file);
static dfl_status read_names(reading *it, char *line);
static dfl_status read_row(reading *it, char *line);
static char *cell(char **rest);

dfl_status dfl_design_read_cases(dfl_design *design, const char *path)
{
    reading it = {.design = design, .path = path};
    FILE *file = fopen(path, "r");
    if (!file)
        return dfl_fail(design->ctx, DFL_INVALID, "--cases '%s' cannot be read: %s", path,
                        strerror(errno));
    dfl_status status = read_lines(&it, file);
    if (!status && ferror(file))
        status = dfl_fail(design->ctx, DFL_INVALID, "--cases '%s' cannot be read: %s", path,
                          strerror(errno));
    fclose(file);
    if (!status && design->cases == 0)
        status = dfl_fail(design->ctx, DFL_INVALID,
                          "--cases '%s' has no rows; give names of parameters in the first row "
                          "and numbers below",
                          path);
    design->combinations = 1;
    return status;
}

static dfl_status read_lines(reading *it, FILE *file)
{
    enum { LONGEST = 65536 };
    char *line = dfl_alloc(it->design->ctx, LONGEST, 1);
    dfl_status status = line ? DFL_OK : DFL_NO_MEMORY;
    while (!status && fgets(line, LONGEST, file)) {
        it->line++;
        if (strlen(line) == LONGEST - 1)
            status = dfl_fail(it->design->ctx, DFL_INVALID, "%s:%ld: the line is too long",
                              it->path, it->line);
        else if (line[strspn(line, " \t\r\n")] && line[0] != '#')
            status = it->design->nnames == 0 ? read_names(it, line) : read_row(it, line);
    }
    dfl_free(it->design->ctx, line);
    return status;
}

static dfl_status read_names(reading *it, char *line)
{
    dfl_status status = DFL_OK;
    if (!strncmp(line, "\xef\xbb\xbf", 3)) /* a mark that some programs write */
        line += 3;
    for (char *rest = line; !status && rest;) {
        const char *name = cell(&rest);
        if (!*name || strchr("+-.0123456789", *name))
            status = dfl_fail(it->design->ctx, DFL_INVALID,
                              "%s:%ld: the first row has the names of parameters, not '%s'",
                              it->path, it->line, name);
        else
            status = dfl_design_add_name(it->design, it->path, name, strlen(name));
    }
    return status;
}

static dfl_status read_row(reading *it, char *line)
{
    dfl_design *design = it->design;
    const size_t columns = (size_t)design->nnames;
    if (design->cases == it->room) {
        const long room = it->room > 0 ? 2 * it->room : 64;
        double *table = dfl_alloc(design->ctx, (size_t)room * columns, sizeof *table);
        if (!table)
            return DFL_NO_MEMORY;
        if (design->table)
            memcpy(table, design->table, (size_t)design->cases * columns * sizeof *table);
        dfl_free(design->ctx, design->table);
        design->table = table;
        it->room = room;
    }
    double *row = design->table + (size_t)design->cases * columns;
    size_t found = 0;
    for (char *rest = line; rest; found++) {
        const char *text = cell(&rest);
        char *end;
        const double number = strtod(text, &end);
        if (end == text || *end || !isfinite(number))
            return dfl_fail(design->ctx, DFL_INVALID, "%s:%ld: '%.40s' is not a number%s", it->path,
                            it->line, text,
                            strchr(text, ';') ? "; separate numbers by commas" : "");
        if (found < columns)
            row[found] = number;
    }
    if (found != columns)
        return dfl_fail(design->ctx, DFL_INVALID,
                        "%s:%ld: %zu numbers, but the first row has %zu names", it->path, it->line,
                        found, columns);
    design->cases++;
    return DFL_OK;
}

/* The next cell, without spaces and quotes around it; *rest: what follows, or NULL. */
static char *cell(char **rest)
{
    char *text = *rest, *comma = strchr(text, ',');
    *rest = comma ? comma + 1 : NULL;
    if (comma)
        *comma = 0;
    text += strspn(text, " \t\"");
    size_t length = strlen(text);
    while (length > 0 && (isspace((unsigned char)text[length - 1]) || text[length - 1] == '"'))
        text[--length] = 0;
    return text;
}
