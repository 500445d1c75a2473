/* partition.c: the independent coordinates of the forms `partition` and `separation`, by name: "x,
   y", or combinations of them, "0.6*x + 0.8*y, phi". */
#include "engine/engine_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_NAME = 120, LONGEST_ITEM = 2000 };

static int count_items(const char *text);
static const char *next_item(char *item, const char *from);
static bool is_name(const dfl_runnable *run, const char *item);
static dfl_status mark(dfl_runnable *run, const char *name);
static dfl_status combine(double *row, dfl_runnable *run, const char *item);
static const char *next_term(double *factor, char *name, const char *from);
static dfl_status unknown_name(dfl_runnable *run, const char *name);

dfl_status dfl_runnable_independent(dfl_constraint_options *out, dfl_runnable *run,
                                    const char *names)
{
    const dfl_equations *eq = run->eq;
    const int count = count_items(names);
    char item[LONGEST_ITEM];
    bool plain = true;
    dfl_free(run->ctx, run->independent);
    dfl_free(run->ctx, run->combinations);
    run->independent = dfl_alloc(run->ctx, (size_t)eq->n, sizeof *run->independent);
    run->combinations = dfl_alloc(run->ctx, (size_t)count * (size_t)eq->np, sizeof(double));
    if (!run->independent || !run->combinations)
        return DFL_NO_MEMORY;
    if (strlen(names) >= sizeof item)
        return dfl_fail(run->ctx, DFL_INVALID, "independent: the text is too long");
    for (const char *from = names; from;) {
        from = next_item(item, from);
        plain = plain && (is_name(run, item) || !strpbrk(item, "*+"));
    }
    dfl_status status = DFL_OK;
    int row = 0;
    for (const char *from = names; !status && from; row++) {
        from = next_item(item, from);
        status = plain ? mark(run, item) : combine(run->combinations + row * eq->np, run, item);
    }
    if (status)
        return status;
    out->independent = plain ? run->independent : NULL;
    out->ncombinations = plain ? 0 : count;
    out->combinations = plain ? NULL : run->combinations;
    return DFL_OK;
}

static int count_items(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == ',';
    return count;
}

/* Copies an item without the blanks around it; returns the rest, or NULL. */
static const char *next_item(char *item, const char *from)
{
    const char *end = from + strcspn(from, ",");
    const char *rest = *end ? end + 1 : NULL;
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    snprintf(item, LONGEST_ITEM, "%.*s", (int)(end - from), from);
    return rest;
}

static bool is_name(const dfl_runnable *run, const char *item)
{
    return dfl_equations_find(run->eq, item) >= 0;
}

static dfl_status unknown_name(dfl_runnable *run, const char *name)
{
    return dfl_fail(run->ctx, DFL_INVALID,
                    "independent: there is no position or velocity '%s'; name them with commas "
                    "between, such as x,y, or give combinations of positions, such as 0.6*x+0.8*y",
                    name);
}

static dfl_status mark(dfl_runnable *run, const char *name)
{
    const dfl_equations *eq = run->eq;
    const dfl_layout at = dfl_eom_layout(&run->eom);
    char velocity[LONGEST_NAME + 8];
    const int place = strlen(name) < LONGEST_NAME ? dfl_equations_find(eq, name) : -1;
    if (place < at.v || (place >= at.s && place < at.p))
        return unknown_name(run, name);
    snprintf(velocity, sizeof velocity, "der(%.*s)", LONGEST_NAME, name);
    const int rate = place >= at.p ? dfl_equations_find(eq, velocity) : -1;
    run->independent[place] = true;
    if (rate >= at.v && rate < at.s)
        run->independent[rate] = true;
    return DFL_OK;
}

/* row += the factors of an item such as 0.6*x - y */
static dfl_status combine(double *row, dfl_runnable *run, const char *item)
{
    const dfl_layout at = dfl_eom_layout(&run->eom);
    for (const char *from = item; from && *from;) {
        char name[LONGEST_NAME];
        double factor;
        from = next_term(&factor, name, from);
        const int place = dfl_equations_find(run->eq, name);
        if (place < at.p)
            return unknown_name(run, name);
        row[place - at.p] += factor;
    }
    return *item ? DFL_OK : unknown_name(run, item);
}

/* Reads [sign] [number *] name; returns where the next term begins. */
static const char *next_term(double *factor, char *name, const char *from)
{
    *factor = 1;
    for (; isspace((unsigned char)*from) || *from == '+' || *from == '-'; from++)
        if (*from == '-')
            *factor = -*factor;
    char *after;
    const double number = strtod(from, &after);
    while (isspace((unsigned char)*after))
        after++;
    if (after > from && *after == '*') {
        *factor *= number;
        from = after + 1;
    }
    while (isspace((unsigned char)*from))
        from++;
    size_t length = strcspn(from, "+-");
    const char *rest = from + length;
    while (length > 0 && isspace((unsigned char)from[length - 1]))
        length--;
    snprintf(name, LONGEST_NAME, "%.*s", (int)length, from);
    return rest;
}
