/* run_options.c: the struct `options`: the settings of a run that Octave may give, and what
   concerns this call alone. */
#include "run_mex.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What was read; flags that are absent are false. */
typedef struct read_options {
    double number[DFL_MOST_SETTINGS];
    bool flag[DFL_MOST_SETTINGS];
    const char *text[DFL_MOST_SETTINGS];
    const mxArray *set;
    bool quiet, keep_partial, allow_fmu;
} read_options;

static gateway_field field_of(int i);
static dfl_status take_settings(run_call *call, const read_options *read);
static dfl_status join(const char **out, dfl_context *ctx, const char *name, const char *value);
static dfl_status join_number(const char **out, dfl_context *ctx, const char *name, double value);
static dfl_status set_one(run_call *call, const char *name, const mxArray *value);

dfl_status run_read_options(run_call *call, const mxArray *options)
{
    gateway_field fields[DFL_MOST_SETTINGS + 4] = {
        {"set", GATEWAY_VALUE, offsetof(read_options, set), NULL},
        {"quiet", GATEWAY_FLAG, offsetof(read_options, quiet), NULL},
        {"keep_partial", GATEWAY_FLAG, offsetof(read_options, keep_partial), NULL},
        {"allow_fmu", GATEWAY_FLAG, offsetof(read_options, allow_fmu), NULL}};
    int count = 4;
    read_options read = {0};
    for (int i = 0; i < dfl_settings_count(); i++) {
        read.number[i] = NAN;
        if (dfl_setting_at(i)->where & DFL_FOR_OCTAVE)
            fields[count++] = field_of(i);
    }
    dfl_status status = gateway_read(&read, call->gw.ctx, options, "options", fields, count);
    call->given_set = read.set;
    call->quiet = read.quiet;
    call->keep_partial = read.keep_partial;
    call->allow_fmu = read.allow_fmu;
    return status ? status : take_settings(call, &read);
}

/* How setting number i is read. */
static gateway_field field_of(int i)
{
    const dfl_setting *setting = dfl_setting_at(i);
    const size_t k = (size_t)i;
    if (setting->kind == DFL_SETTING_FLAG)
        return (gateway_field){setting->name, GATEWAY_FLAG,
                               offsetof(read_options, flag) + k * sizeof(bool), NULL};
    if (setting->kind == DFL_SETTING_WORD || setting->kind == DFL_SETTING_TEXT)
        return (gateway_field){setting->name, GATEWAY_WORDS,
                               offsetof(read_options, text) + k * sizeof(char *), NULL};
    return (gateway_field){setting->name, GATEWAY_NUMBER,
                           offsetof(read_options, number) + k * sizeof(double), NULL};
}

static dfl_status take_settings(run_call *call, const read_options *read)
{
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < dfl_settings_count(); i++) {
        const char *name = dfl_setting_at(i)->name;
        const char **next = &call->settings[call->nsettings];
        if (read->text[i])
            status = join(next, call->gw.ctx, name, read->text[i]);
        else if (read->flag[i])
            status = join(next, call->gw.ctx, name, "true");
        else if (!isnan(read->number[i]))
            status = join_number(next, call->gw.ctx, name, read->number[i]);
        call->nsettings += *next != NULL;
    }
    return status;
}

/* "NAME=VALUE". */
static dfl_status join(const char **out, dfl_context *ctx, const char *name, const char *value)
{
    const size_t size = strlen(name) + strlen(value) + 2;
    char *text = dfl_alloc(ctx, size, 1);
    if (text)
        snprintf(text, size, "%s=%s", name, value);
    *out = text;
    return text ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_status join_number(const char **out, dfl_context *ctx, const char *name, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", value);
    return join(out, ctx, name, digits);
}

/* A struct, set.L = 2, or pairs for names that no field can have, {'arm.L', 2; 'arm.m', 3}. */
dfl_status run_read_set(run_call *call)
{
    const mxArray *given = call->given_set;
    const bool pairs = mxIsCell(given) && mxGetN(given) == 2;
    if (!pairs && !(mxIsStruct(given) && mxGetNumberOfElements(given) == 1))
        return dfl_fail(call->gw.ctx, DFL_INVALID,
                        "options.set must be a struct, set.NAME = VALUE, or a cell array of two "
                        "columns, {'NAME', VALUE}");
    const int count = pairs ? (int)mxGetM(given) : mxGetNumberOfFields(given);
    call->set = dfl_alloc(call->gw.ctx, (size_t)count, sizeof *call->set);
    dfl_status status = call->set ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < count; i++) {
        const mxArray *name = pairs ? mxGetCell(given, (mwIndex)i) : NULL;
        if (pairs && !(name && mxIsChar(name)))
            status = dfl_fail(call->gw.ctx, DFL_INVALID, "options.set{%d, 1} is no name", i + 1);
        else if (pairs)
            status = set_one(call, mxArrayToString(name), mxGetCell(given, (mwIndex)(count + i)));
        else
            status =
                set_one(call, mxGetFieldNameByNumber(given, i), mxGetFieldByNumber(given, 0, i));
    }
    return status;
}

static dfl_status set_one(run_call *call, const char *name, const mxArray *value)
{
    char why[GATEWAY_WHY] = "has no value";
    double number;
    if (!value || !gateway_copy(&number, why, value, 1, 1))
        return dfl_fail(call->gw.ctx, DFL_INVALID, "options.set: %s %s", name, why);
    const dfl_status status = join_number(&call->set[call->nset], call->gw.ctx, name, number);
    call->nset += !status;
    return status;
}
