/* design.c: the cases of a study by their numbers. */
#include "sweep/design_internal.h"

#include <math.h>
#include <string.h>

const char *const dfl_design_names[DFL_DESIGN_KINDS] = {"random", "lhs", "sobol", "saltelli"};

static const long MOST_CASES = 1000000000;
enum { USUAL_COUNT = 100 };

static dfl_status fill(dfl_design *design, const dfl_design_options *options);
static dfl_status count_cases(dfl_design *design);
static dfl_status describe(dfl_design *design, const dfl_design_options *options);
static double range_value(const dfl_range *range, long number);
static double sample(const dfl_design *design, int column, long number);
static double uniform(const dfl_design *design, int column, int columns, long row, long rows);

dfl_status dfl_design_create(dfl_design **out, dfl_context *ctx, const dfl_design_options *options)
{
    *out = NULL;
    dfl_design *design = dfl_alloc(ctx, 1, sizeof *design);
    if (!design)
        return DFL_NO_MEMORY;
    design->ctx = ctx;
    dfl_status status = fill(design, options);
    if (!status)
        status = count_cases(design);
    if (!status)
        status = describe(design, options);
    if (status)
        dfl_design_free(design);
    else
        *out = design;
    return status;
}

dfl_status dfl_design_create_named(dfl_design **out, dfl_context *ctx, const char *const *names,
                                   int count, long cases)
{
    dfl_status status = dfl_design_create(out, ctx, &(dfl_design_options){0});
    for (int i = 0; !status && i < count; i++)
        status = dfl_design_add_name(*out, "the study", names[i], strlen(names[i]));
    if (!status)
        (*out)->cases = cases;
    return status;
}

void dfl_design_free(dfl_design *design)
{
    if (!design)
        return;
    dfl_context *ctx = design->ctx;
    for (int i = 0; i < design->nnames; i++)
        dfl_free(ctx, design->names[i]);
    for (int i = 0; i < design->nranges; i++)
        dfl_free(ctx, design->ranges[i].list);
    for (int i = 0; i < design->nlines; i++)
        dfl_free(ctx, design->lines[i]);
    dfl_free(ctx, design->names);
    dfl_free(ctx, design->ranges);
    dfl_free(ctx, design->distributions);
    dfl_free(ctx, design->table);
    dfl_free(ctx, design->lines);
    dfl_free(ctx, design);
}

static dfl_status fill(dfl_design *design, const dfl_design_options *options)
{
    dfl_context *ctx = design->ctx;
    dfl_status status = DFL_OK;
    if (options->cases && (options->nover > 0 || options->nsample > 0))
        return dfl_fail(ctx, DFL_INVALID, "--cases lists all cases; leave --over and --sample out");
    if (options->cases)
        return dfl_design_read_cases(design, options->cases);
    for (int i = 0; !status && i < options->nover; i++)
        status = dfl_design_add_range(design, options->over[i]);
    for (int i = 0; !status && i < options->nsample; i++)
        status = dfl_design_add_distribution(design, options->sample[i]);
    if (!status && options->count > 0 && options->nsample == 0)
        status = dfl_fail(ctx, DFL_INVALID,
                          "--count is the number of samples; give --sample NAME=DISTRIBUTION, too");
    if (!status && options->kind != DFL_DESIGN_RANDOM && options->nsample == 0)
        status = dfl_fail(ctx, DFL_INVALID,
                          "--design says how samples are placed; give --sample "
                          "NAME=DISTRIBUTION, too");
    design->kind = options->kind;
    design->seed = options->seed;
    design->count = options->nsample == 0 ? 1 : options->count > 0 ? options->count : USUAL_COUNT;
    return status;
}

static dfl_status count_cases(dfl_design *design)
{
    const int d = design->ndistributions;
    if (design->table)
        return DFL_OK;
    if (design->kind == DFL_DESIGN_SALTELLI && design->nranges > 0)
        return dfl_fail(design->ctx, DFL_INVALID,
                        "--design saltelli needs all parameters as --sample, without --over");
    if (design->kind == DFL_DESIGN_SOBOL && d > DFL_SOBOL_COLUMNS)
        return dfl_fail(design->ctx, DFL_INVALID,
                        "--design sobol has at most %d parameters, not %d; use lhs",
                        DFL_SOBOL_COLUMNS, d);
    double cases = (double)design->count;
    design->combinations = 1;
    for (int i = 0; i < design->nranges; i++) {
        cases *= (double)design->ranges[i].count;
        if (cases <= (double)MOST_CASES)
            design->combinations *= design->ranges[i].count;
    }
    if (design->kind == DFL_DESIGN_SALTELLI)
        cases *= d + 2;
    if (cases > (double)MOST_CASES)
        return dfl_fail(design->ctx, DFL_INVALID, "%.4g cases are more than the most, %ld", cases,
                        MOST_CASES);
    design->cases = (long)cases;
    return DFL_OK;
}

/* The lines of dfl_design_lines. */
static dfl_status describe(dfl_design *design, const dfl_design_options *options)
{
    dfl_context *ctx = design->ctx;
    const int most = options->nover + options->nsample + 3;
    dfl_status status = DFL_OK;
    design->lines = dfl_alloc(ctx, (size_t)most, sizeof *design->lines);
    if (!design->lines)
        return DFL_NO_MEMORY;
    for (int i = 0; !status && i < most; i++) {
        const int of_samples = i - options->nover, more = of_samples - options->nsample;
        dfl_text line = {.ctx = ctx};
        if (i < options->nover)
            dfl_text_add(&line, "over %s", options->over[i]);
        else if (more < 0)
            dfl_text_add(&line, "sample %s", options->sample[of_samples]);
        else if (more == 0 && design->ndistributions > 0)
            dfl_text_add(&line, "count %ld", design->count);
        else if (more == 1 && design->ndistributions > 0)
            dfl_text_add(&line, "design %s", dfl_design_names[design->kind]);
        else if (more == 2 && options->cases)
            dfl_text_add(&line, "cases %s", options->cases);
        status = line.status;
        if (line.length > 0)
            design->lines[design->nlines++] = line.data;
    }
    return status;
}

long dfl_design_cases(const dfl_design *design)
{
    return design->cases;
}

double dfl_design_seed(const dfl_design *design)
{
    return design->ndistributions > 0 ? (double)design->seed : NAN;
}

int dfl_design_parameters(const dfl_design *design)
{
    return design->nnames;
}

const char *const *dfl_design_parameter_names(const dfl_design *design)
{
    return (const char *const *)design->names;
}

int dfl_design_lines(const dfl_design *design, const char *const **lines)
{
    *lines = (const char *const *)design->lines;
    return design->nlines;
}

/* ------------------------------------------------------------------------------- values */

void dfl_design_values(double *values, const dfl_design *design, long number)
{
    const int ranges = design->nranges;
    if (design->table) {
        memcpy(values, design->table + (size_t)number * (size_t)design->nnames,
               (size_t)design->nnames * sizeof *values);
        return;
    }
    const long samples = design->cases / design->combinations;
    long combination = number / samples;
    for (int i = ranges - 1; i >= 0; i--) {
        values[i] = range_value(&design->ranges[i], combination % design->ranges[i].count);
        combination /= design->ranges[i].count;
    }
    for (int i = 0; i < design->ndistributions; i++)
        values[ranges + i] = dfl_distribution_quantile(&design->distributions[i],
                                                       sample(design, i, number % samples));
}

/* The last value is exactly what was given. */
static double range_value(const dfl_range *range, long number)
{
    if (range->list)
        return range->list[number];
    if (number == 0 || range->count == 1)
        return range->first;
    if (number == range->count - 1)
        return range->last;
    const double share = (double)number / (double)(range->count - 1);
    return range->logarithmic ? range->first * pow(range->last / range->first, share)
                              : range->first + (range->last - range->first) * share;
}

/* Saltelli's design: rows A, B, and A with one column of B after another. */
static double sample(const dfl_design *design, int column, long number)
{
    const int d = design->ndistributions;
    if (design->kind != DFL_DESIGN_SALTELLI)
        return uniform(design, column, d, number, design->count);
    const long row = number / (d + 2), block = number % (d + 2);
    const bool from_b = block == 1 || block - 2 == column;
    return uniform(design, from_b ? d + column : column, 2 * d, row, design->count);
}

/* A number in (0, 1). Points of Sobol for Saltelli's design, too, if there are as many columns. */
static double uniform(const dfl_design *design, int column, int columns, long row, long rows)
{
    const uint64_t seed = design->seed, c = (uint64_t)column, r = (uint64_t)row;
    const bool even = design->kind == DFL_DESIGN_SALTELLI && columns <= DFL_SOBOL_COLUMNS;
    if (design->kind == DFL_DESIGN_SOBOL || even)
        return dfl_sobol(seed, column, r);
    if (design->kind == DFL_DESIGN_RANDOM)
        return dfl_random(seed, c, r);
    const uint64_t cell = dfl_permute(seed, c, (uint64_t)rows, r);
    return ((double)cell + dfl_random(seed, c, r)) / (double)rows;
}
