/* sweep_json.c: the JSON object of `driftless sweep`. */
#include "cli/sweep_json.h"

#include "cli/cli.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void print_outcome(const dfl_sweep_progress *it, const char *message);
static bool print_statistics(dfl_context *ctx, dfl_sweep *sweep, const dfl_bootstrap *how);
static bool print_sensitivity(dfl_context *ctx, dfl_sweep *sweep, const dfl_bootstrap *how);
static void print_indices(const char *key, const char *const *names, int count,
                          const dfl_estimate *all, bool interval);
static void print_number(double number);
static void print_string(const char *text);

bool cli_sweep_json(dfl_context *ctx, const dfl_sweep_progress *it, const char *message,
                    dfl_sweep *sweep, const dfl_bootstrap *how)
{
    print_outcome(it, message);
    bool fine = !sweep || !how || print_statistics(ctx, sweep, how);
    fine = (!sweep || print_sensitivity(ctx, sweep, how)) && fine;
    fputs("}\n", stdout);
    const bool written = !fflush(stdout) && !ferror(stdout);
    if (!written)
        dfl_fail(ctx, DFL_IO, "standard output cannot be written: %s", strerror(errno));
    return written && fine;
}

static void print_outcome(const dfl_sweep_progress *it, const char *message)
{
    const bool stopped = cli_interrupted() != 0;
    const bool failed = message || (it->failed > 0 && it->failed == it->cases);
    printf("{\"status\": \"%s\", \"message\": ", stopped  ? "interrupted"
                                                 : failed ? "failed"
                                                          : "completed");
    print_string(stopped   ? "interrupted; --resume goes on"
                 : message ? message
                 : failed  ? it->message
                           : NULL);
    printf(", \"cases\": %ld, \"done\": %ld, \"failed\": %ld, \"doubtful\": %ld, "
           "\"seconds\": %.17g, \"table\": ",
           it->cases, it->done, it->failed, it->doubtful, it->seconds);
    print_string(it->path);
}

static void print_interval(const dfl_estimate *it)
{
    const double numbers[] = {it->value, it->low, it->high};
    const char *const keys[] = {"{\"value\": ", ", \"low\": ", ", \"high\": "};
    for (int i = 0; i < 3; i++) {
        fputs(keys[i], stdout);
        print_number(numbers[i]);
    }
    fputs("}", stdout);
}

/* ", "statistics": [{"of": RESULT, "cases": N, "mean": {...}, "deviation": {...}}, ...]" if the
   cases are samples. */
static bool print_statistics(dfl_context *ctx, dfl_sweep *sweep, const dfl_bootstrap *how)
{
    const char *const *names;
    int parameters;
    const int columns = dfl_sweep_columns(sweep, &names, &parameters);
    bool any = false;
    (void)ctx;
    for (int c = 1; c < columns - parameters; c++) {
        dfl_estimate mean, deviation;
        const dfl_status status = dfl_sweep_statistics(&mean, &deviation, sweep, c, how);
        if (status)
            return status == DFL_INVALID; /* they are none */
        fputs(any ? ", {\"of\": " : ", \"statistics\": [{\"of\": ", stdout);
        any = true;
        print_string(names[parameters + c]);
        printf(", \"cases\": %ld, \"mean\": ", mean.rows);
        print_interval(&mean);
        fputs(", \"deviation\": ", stdout);
        print_interval(&deviation);
        fputs("}", stdout);
    }
    fputs(any ? "]" : "", stdout);
    return true;
}

/* ", "sensitivity": [{"of": RESULT, "first": {NAME: x, ...}, "total": {...}}, ...]" if the design
   is Saltelli's; with intervals also "first_interval" and "total_interval". */
static bool print_sensitivity(dfl_context *ctx, dfl_sweep *sweep, const dfl_bootstrap *how)
{
    const char *const *names;
    int parameters;
    const int columns = dfl_sweep_columns(sweep, &names, &parameters);
    dfl_estimate *first = dfl_alloc(ctx, 2 * (size_t)parameters, sizeof *first);
    double *both = dfl_alloc(ctx, 2 * (size_t)parameters, sizeof *both);
    dfl_estimate *total = first ? first + parameters : NULL;
    dfl_status status = first && both ? DFL_OK : DFL_NO_MEMORY;
    bool any = false;
    for (int c = 1; !status && c < columns - parameters; c++) {
        status = how ? dfl_sweep_sensitivity_intervals(first, total, sweep, c, how)
                     : dfl_sweep_sensitivity(both, both + parameters, sweep, c);
        if (status)
            break;
        for (int i = 0; !how && i < 2 * parameters; i++)
            first[i].value = both[i];
        fputs(any ? ", {\"of\": " : ", \"sensitivity\": [{\"of\": ", stdout);
        any = true;
        print_string(names[parameters + c]);
        print_indices("first", names, parameters, first, false);
        print_indices("total", names, parameters, total, false);
        if (how) {
            print_indices("first_interval", names, parameters, first, true);
            print_indices("total_interval", names, parameters, total, true);
        }
        fputs("}", stdout);
    }
    fputs(any ? "]" : "", stdout);
    dfl_free(ctx, first);
    dfl_free(ctx, both);
    return !status || status == DFL_INVALID; /* another design */
}

/* By parameter: a number, or two. */
static void print_indices(const char *key, const char *const *names, int count,
                          const dfl_estimate *all, bool interval)
{
    printf(", \"%s\": {", key);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        print_string(names[i]);
        fputs(interval ? ": [" : ": ", stdout);
        print_number(interval ? all[i].low : all[i].value);
        if (!interval)
            continue;
        fputs(", ", stdout);
        print_number(all[i].high);
        fputs("]", stdout);
    }
    fputs("}", stdout);
}

static void print_number(double number)
{
    if (isfinite(number))
        printf("%.17g", number);
    else
        fputs("null", stdout);
}

/* Messages have no control characters but line feeds. NULL: null. */
static void print_string(const char *text)
{
    if (!text) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            fputs("\\n", stdout);
        else if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if ((unsigned char)*c >= 0x20)
            putchar(*c);
    }
    putchar('"');
}
