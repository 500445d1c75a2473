/* named_values.c: numbers by name from a file with JSON: the object "state" of `driftless
   equilibrium`, "final" of `driftless run --json`, or an object of numbers alone. */
#define _POSIX_C_SOURCE 200809L
#include "result/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 100, MOST_BYTES = 64 << 20 };

/* Where the reader is. */
typedef struct reader {
    dfl_named_values *out;
    const char *path, *text, *at;
} reader;

static dfl_status read_text(dfl_text *out, const char *path);
static dfl_status refuse(const reader *r, const char *what);
static bool accept(reader *r, char c);
static dfl_status read_string(dfl_text *out, reader *r);
static dfl_status pass_value(reader *r, int depth);
static dfl_status pass_members(reader *r, int depth, char end);
static dfl_status find_member(bool *found, reader *r, const char *name);
static dfl_status read_numbers(reader *r);
static dfl_status check_status(reader *r);
static dfl_status add(dfl_named_values *out, const char *name, double value);

dfl_status dfl_named_values_read(dfl_named_values *out, dfl_context *ctx, const char *path)
{
    dfl_text text = {.ctx = ctx};
    *out = (dfl_named_values){.ctx = ctx};
    dfl_status status = read_text(&text, path);
    reader r = {out, path, dfl_text_string(&text), dfl_text_string(&text)};
    if (!status)
        status = pass_value(&r, 0);
    if (!status && (accept(&r, 0), *r.at))
        status = refuse(&r, "a second value");
    bool found = false;
    if (!status)
        status = check_status(&r);
    static const char *const members[] = {"state", "final"};
    for (int i = 0; !status && !found && i < 2; i++) {
        r.at = r.text;
        status = find_member(&found, &r, members[i]);
    }
    if (!status && !found)
        r.at = r.text;
    if (!status)
        status = read_numbers(&r);
    dfl_text_clear(&text);
    return status;
}

void dfl_named_values_clear(dfl_named_values *values)
{
    for (int i = 0; i < values->count; i++)
        dfl_free(values->ctx, values->item[i].name);
    if (values->ctx)
        dfl_free(values->ctx, values->item);
    *values = (dfl_named_values){0};
}

static dfl_status read_text(dfl_text *out, const char *path)
{
    char part[16384];
    size_t count;
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return dfl_fail(out->ctx, DFL_INVALID, "'%s' is not a plain file", path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return dfl_fail(out->ctx, DFL_INVALID, "'%s' cannot be read: %s", path, strerror(errno));
    while (out->length <= MOST_BYTES && (count = fread(part, 1, sizeof part, file)) > 0)
        dfl_text_bytes(out, part, count);
    const bool bad = ferror(file) != 0;
    fclose(file);
    if (out->status)
        return out->status;
    return bad || out->length > MOST_BYTES
               ? dfl_fail(out->ctx, DFL_INVALID, "'%s' cannot be read, or is too long", path)
               : DFL_OK;
}

static dfl_status refuse(const reader *r, const char *what)
{
    int line = 1;
    for (const char *c = r->text; c < r->at; c++)
        line += *c == '\n';
    return dfl_fail(r->out->ctx, DFL_INVALID,
                    "%s:%d: %s; give a state in JSON, such as the file of driftless equilibrium "
                    "--output FILE.json",
                    r->path, line, what);
}

/* Passes spaces, then this character if it is there. */
static bool accept(reader *r, char c)
{
    r->at += strspn(r->at, " \t\r\n");
    if (!c || *r->at != c)
        return false;
    r->at++;
    return true;
}

/* Names have no escapes but those of quotes and backslashes. */
static dfl_status read_string(dfl_text *out, reader *r)
{
    if (!accept(r, '"'))
        return refuse(r, "a name in quotes is missing");
    for (; *r->at && *r->at != '"'; r->at++) {
        if (*r->at == '\\' && r->at[1])
            r->at++;
        if (out)
            dfl_text_bytes(out, r->at, 1);
    }
    return accept(r, '"') ? (out ? out->status : DFL_OK) : refuse(r, "a quote is not closed");
}

static dfl_status pass_value(reader *r, int depth)
{
    char *end;
    accept(r, 0);
    if (depth > DEEPEST)
        return refuse(r, "objects are nested too deeply");
    if (*r->at == '"')
        return read_string(NULL, r);
    if (accept(r, '{'))
        return pass_members(r, depth, '}');
    if (accept(r, '['))
        return pass_members(r, depth, ']');
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (!strncmp(r->at, words[i], strlen(words[i]))) {
            r->at += strlen(words[i]);
            return DFL_OK;
        }
    strtod(r->at, &end);
    if (end == r->at)
        return refuse(r, "a value is missing");
    r->at = end;
    return DFL_OK;
}

/* Of an object, with names, or of a list. */
static dfl_status pass_members(reader *r, int depth, char end)
{
    dfl_status status = DFL_OK;
    if (accept(r, end))
        return DFL_OK;
    do {
        if (end == '}')
            status = read_string(NULL, r);
        if (!status && end == '}' && !accept(r, ':'))
            status = refuse(r, "a colon is missing");
        if (!status)
            status = pass_value(r, depth + 1);
    } while (!status && accept(r, ','));
    return !status && !accept(r, end) ? refuse(r, "a bracket is not closed") : status;
}

/* A result that failed has no state to rely on. */
static dfl_status check_status(reader *r)
{
    bool found = false;
    r->at = r->text;
    dfl_status status = find_member(&found, r, "status");
    accept(r, 0);
    if (!status && found && !strncmp(r->at, "\"failed\"", 8))
        status =
            dfl_fail(r->out->ctx, DFL_INVALID,
                     "%s is the result of something that failed; its state is not used", r->path);
    return status;
}

/* Goes to the value of a member of the object here. The text has been passed once. */
static dfl_status find_member(bool *found, reader *r, const char *name)
{
    dfl_status status = DFL_OK;
    *found = false;
    if (!accept(r, '{') || accept(r, '}'))
        return DFL_OK;
    do {
        dfl_text key = {.ctx = r->out->ctx};
        status = read_string(&key, r);
        accept(r, ':');
        *found = !status && !strcmp(dfl_text_string(&key), name);
        dfl_text_clear(&key);
        if (!status && !*found)
            status = pass_value(r, 0);
    } while (!status && !*found && accept(r, ','));
    return status;
}

static dfl_status read_numbers(reader *r)
{
    dfl_status status = DFL_OK;
    if (!accept(r, '{'))
        return refuse(r, "there is no object of numbers");
    while (!status && !accept(r, '}')) {
        dfl_text key = {.ctx = r->out->ctx};
        char *end = NULL;
        status = read_string(&key, r);
        accept(r, ':');
        accept(r, 0);
        const double value = status ? NAN : strtod(r->at, &end);
        if (!status && end == r->at) { /* null: an output that could not be evaluated */
            status = pass_value(r, 0);
        } else if (!status) {
            r->at = end;
            status = add(r->out, dfl_text_string(&key), value);
        }
        accept(r, ',');
        dfl_text_clear(&key);
    }
    return status;
}

static dfl_status add(dfl_named_values *out, const char *name, double value)
{
    dfl_named_value *item =
        dfl_grow(out->ctx, out->item, &out->room, out->count, sizeof *out->item);
    if (!item)
        return DFL_NO_MEMORY;
    out->item = item;
    item[out->count] = (dfl_named_value){dfl_copy_string(out->ctx, name), value};
    return item[out->count++].name ? DFL_OK : DFL_NO_MEMORY;
}
