/* design_texts.c: ranges and distributions from texts. */
#include "sweep/design_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static dfl_status read_list(dfl_range *out, const dfl_design *design, const char *text,
                            const char *value);
static dfl_status read_steps(dfl_range *out, const dfl_design *design, const char *text,
                             const char *value);

dfl_status dfl_design_add_name(dfl_design *design, const char *option, const char *name,
                               size_t length)
{
    for (int i = 0; i < design->nnames; i++)
        if (strlen(design->names[i]) == length && !strncmp(design->names[i], name, length))
            return dfl_fail(design->ctx, DFL_INVALID, "%s: '%.*s' is varied twice", option,
                            (int)length, name);
    int room = design->nnames; /* it grows by one: there are few */
    char **names =
        dfl_grow(design->ctx, design->names, &room, design->nnames, sizeof *design->names);
    char *copy = names ? dfl_alloc(design->ctx, length + 1, 1) : NULL;
    if (names)
        design->names = names;
    if (!copy)
        return DFL_NO_MEMORY;
    memcpy(copy, name, length);
    design->names[design->nnames++] = copy;
    return DFL_OK;
}

/* NAME of NAME=VALUE, which becomes a parameter; *value: behind "=". */
static dfl_status split(const char **value, dfl_design *design, const char *option,
                        const char *text, const char *usage)
{
    const char *equal = strchr(text, '=');
    if (!equal || equal == text || !equal[1])
        return dfl_fail(design->ctx, DFL_INVALID, "%s %s: write %s %s", option, text, option,
                        usage);
    *value = equal + 1;
    return dfl_design_add_name(design, option, text, (size_t)(equal - text));
}

dfl_status dfl_design_add_range(dfl_design *design, const char *text)
{
    const char *value = NULL;
    dfl_status status =
        split(&value, design, "--over", text, "NAME=FIRST:LAST:COUNT or NAME=A,B,C");
    if (status)
        return status;
    int room = design->nranges;
    dfl_range *ranges =
        dfl_grow(design->ctx, design->ranges, &room, design->nranges, sizeof *ranges);
    if (!ranges)
        return DFL_NO_MEMORY;
    design->ranges = ranges;
    dfl_range *range = &ranges[design->nranges++];
    *range = (dfl_range){0};
    return strchr(value, ':') ? read_steps(range, design, text, value)
                              : read_list(range, design, text, value);
}

static dfl_status read_steps(dfl_range *out, const dfl_design *design, const char *text,
                             const char *value)
{
    char *end;
    double count = NAN;
    out->first = strtod(value, &end);
    bool right = end != value && *end == ':';
    if (right) {
        const char *at = end + 1;
        out->last = strtod(at, &end);
        right = end != at && *end == ':';
    }
    if (right) {
        count = strtod(end + 1, &end);
        out->logarithmic = !strcmp(end, ":log");
        right = *end == 0 || out->logarithmic;
    }
    if (!right || !isfinite(out->first) || !isfinite(out->last) || !(count >= 1 && count <= 1e9) ||
        count != floor(count))
        return dfl_fail(design->ctx, DFL_INVALID,
                        "--over %s: write NAME=FIRST:LAST:COUNT with three numbers, the last one "
                        "a whole number from 1 to 1e9 (and :log for equal ratios)",
                        text);
    if (out->logarithmic && !(out->first * out->last > 0))
        return dfl_fail(design->ctx, DFL_INVALID,
                        "--over %s: equal ratios need ends of one sign that are not zero", text);
    if (count == 1 && out->first != out->last)
        return dfl_fail(design->ctx, DFL_INVALID,
                        "--over %s: one value cannot be both ends; give a COUNT of 2 or more",
                        text);
    out->count = (long)count;
    return DFL_OK;
}

static dfl_status read_list(dfl_range *out, const dfl_design *design, const char *text,
                            const char *value)
{
    size_t most = 1;
    for (const char *c = value; *c; c++)
        most += *c == ',';
    out->list = dfl_alloc(design->ctx, most, sizeof *out->list);
    if (!out->list)
        return DFL_NO_MEMORY;
    for (const char *at = value;; at++) {
        char *end;
        const double number = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !isfinite(number))
            return dfl_fail(design->ctx, DFL_INVALID,
                            "--over %s: write NAME=FIRST:LAST:COUNT, or NAME=A,B,C with numbers",
                            text);
        out->list[out->count++] = number;
        at = end;
        if (!*at)
            return DFL_OK;
    }
}

dfl_status dfl_design_add_distribution(dfl_design *design, const char *text)
{
    const char *value = NULL;
    const dfl_status status =
        split(&value, design, "--sample", text, "NAME=DISTRIBUTION, such as L=normal(1,0.02)");
    if (status)
        return status;
    int room = design->ndistributions;
    dfl_distribution *all =
        dfl_grow(design->ctx, design->distributions, &room, design->ndistributions, sizeof *all);
    if (!all)
        return DFL_NO_MEMORY;
    design->distributions = all;
    const char *wrong = dfl_distribution_read(&all[design->ndistributions++], value);
    return wrong ? dfl_fail(design->ctx, DFL_INVALID, "--sample %s: write %s", text, wrong)
                 : DFL_OK;
}
