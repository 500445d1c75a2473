/* sweep_file.c: a new study from options, or an older one from its file. */
#include "sweep/sweep_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dfl_status read_design(dfl_sweep *sweep, const dfl_sweep_options *options);
static dfl_status read_kind(dfl_design_kind *out, dfl_context *ctx, const char *word);
static dfl_status create(dfl_sweep *sweep, const dfl_sweep_options *options);
static dfl_status name_file(dfl_sweep *sweep, const dfl_sweep_options *options);
static dfl_status create_file(dfl_sweep *sweep, bool replace);
static dfl_status check_older(dfl_case_file **older, const dfl_sweep *sweep, bool replace);
static dfl_status resume(dfl_sweep *sweep, const dfl_sweep_options *options);
static dfl_status refuse_more(const dfl_sweep *sweep, const dfl_sweep_options *options);
static dfl_status check_model(const dfl_sweep *sweep);
static dfl_status check_sets(const dfl_sweep *sweep);
static dfl_status create_cases(dfl_sweep *sweep, const dfl_sweep_options *limits, int nsettings,
                               const char *const *settings, const char *columns);
static dfl_status refuse_model(const dfl_sweep *sweep);
static dfl_status check_version(const dfl_sweep *sweep);

dfl_status dfl_sweep_prepare(dfl_sweep *sweep, const dfl_sweep_options *options)
{
    dfl_sweep_options said;
    const dfl_status status = dfl_sweep_plan(&said, sweep, options);
    if (status)
        return status;
    return said.resume ? resume(sweep, &said) : create(sweep, &said);
}

/* ------------------------------------------------------------------------------- a new study */

static void write_values(double *values, long number, void *user)
{
    dfl_design_values(values, user, number);
}

static dfl_status create(dfl_sweep *sweep, const dfl_sweep_options *options)
{
    dfl_status status =
        dfl_check_texts(sweep->ctx, "settings", options->nsettings, options->settings);
    if (!status)
        status = read_design(sweep, options);
    if (!status)
        status =
            create_cases(sweep, options, options->nsettings, options->settings, options->columns);
    if (status || options->elsewhere)
        return status;
    status = name_file(sweep, options);
    return status ? status : create_file(sweep, options->replace);
}

/* From the look at an older study until the new one is in its place nobody else writes either. */
static dfl_status create_file(dfl_sweep *sweep, bool replace)
{
    dfl_new_file claim;
    dfl_case_file *older = NULL;
    dfl_status status = dfl_case_file_claim(&claim, sweep->ctx, sweep->path);
    if (!status)
        status = check_older(&older, sweep, replace);
    if (!status)
        status = dfl_case_file_create(&sweep->file, sweep->ctx, sweep->path, &sweep->cases->layout,
                                      write_values, sweep->design);
    dfl_case_file_close(older);
    dfl_new_file_discard(&claim);
    return status;
}

static dfl_status name_file(dfl_sweep *sweep, const dfl_sweep_options *options)
{
    dfl_text path = {.ctx = sweep->ctx};
    if (options->output)
        dfl_text_add(&path, "%s", options->output);
    else
        dfl_text_add(&path, "%s-study.h5", sweep->model->name);
    sweep->path = path.data;
    if (path.status)
        return path.status;
    return dfl_ends_with(sweep->path, ".h5") || dfl_ends_with(sweep->path, ".hdf5")
               ? DFL_OK
               : dfl_fail(sweep->ctx, DFL_INVALID,
                          "--output '%s': give a file that ends in .h5; --csv FILE.csv writes the "
                          "table as text",
                          sweep->path);
}

static long cases_done(const dfl_case_file *file)
{
    const long cases = dfl_case_file_layout(file)->cases;
    long done = 0;
    for (long i = 0; i < cases; i++)
        done += dfl_case_file_get(file, i, NULL, NULL) != DFL_CASE_MISSING;
    return done;
}

/* What another study has found is lost only if somebody wants that, and never while it runs. */
static dfl_status check_older(dfl_case_file **older, const dfl_sweep *sweep, bool replace)
{
    if (!dfl_is_case_file(sweep->ctx, sweep->path))
        return DFL_OK;
    const dfl_status status = dfl_case_file_open(older, sweep->ctx, sweep->path, true);
    if (status)
        return status;
    const long cases = dfl_case_file_layout(*older)->cases;
    const long done = replace ? 0 : cases_done(*older);
    if (done == 0)
        return DFL_OK;
    return dfl_fail(sweep->ctx, DFL_INVALID,
                    "'%s' is a study with %ld of %ld cases done; --resume %s %s, --output names "
                    "another file, --replace begins anew and loses them",
                    sweep->path, done, cases, sweep->path,
                    done < cases ? "goes on with it" : "reads it");
}

static dfl_status read_design(dfl_sweep *sweep, const dfl_sweep_options *options)
{
    dfl_context *ctx = sweep->ctx;
    const double count = options->count, seed = options->seed;
    dfl_status status = dfl_check_texts(ctx, "over", options->nover, options->over);
    if (!status)
        status = dfl_check_texts(ctx, "sample", options->nsample, options->sample);
    if (status)
        return status;
    if (!(count >= 0 && count <= 1e9) || count != floor(count))
        return dfl_fail(ctx, DFL_INVALID, "--count is %g; give a whole number up to 1e9", count);
    if (seed != floor(seed) || !(fabs(seed) <= 0x1p53))
        return dfl_fail(ctx, DFL_INVALID, "--seed is %g; give a whole number up to 2^53", seed);
    if (options->nover + options->nsample == 0 && !options->cases)
        return dfl_fail(
            ctx, DFL_INVALID,
            "say what varies: --over NAME=FIRST:LAST:COUNT, --sample "
            "NAME=normal(MEAN,DEVIATION), --cases FILE.csv, or study{...} in the script");
    dfl_design_options design = {.nover = options->nover,
                                 .over = options->over,
                                 .nsample = options->nsample,
                                 .sample = options->sample,
                                 .count = (long)count,
                                 .seed = seed == 0 ? 1 : (uint64_t)(int64_t)seed,
                                 .cases = options->cases};
    status = read_kind(&design.kind, ctx, options->design);
    return status ? status : dfl_design_create(&sweep->design, ctx, &design);
}

static dfl_status read_kind(dfl_design_kind *out, dfl_context *ctx, const char *word)
{
    *out = DFL_DESIGN_RANDOM;
    for (dfl_design_kind kind = 0; word && kind < DFL_DESIGN_KINDS; kind++)
        if (!strcmp(word, dfl_design_names[kind])) {
            *out = kind;
            return DFL_OK;
        }
    return word ? dfl_fail(ctx, DFL_INVALID,
                           "--design is '%s'; choose random, lhs, sobol or saltelli", word)
                : DFL_OK;
}

static dfl_status create_cases(dfl_sweep *sweep, const dfl_sweep_options *limits, int nsettings,
                               const char *const *settings, const char *columns)
{
    const dfl_cases_options options = {.nsettings = nsettings,
                                       .settings = settings,
                                       .columns = columns,
                                       .seconds = limits->case_seconds,
                                       .megabytes = limits->case_memory};
    return dfl_cases_create(&sweep->cases, sweep->ctx, sweep->model, sweep->design, &options);
}

/* ------------------------------------------------------------------------------- an older one */

static dfl_status resume(dfl_sweep *sweep, const dfl_sweep_options *options)
{
    dfl_context *ctx = sweep->ctx;
    dfl_text columns = {.ctx = ctx};
    dfl_status status = refuse_more(sweep, options);
    if (!status)
        status = dfl_case_file_open(&sweep->file, ctx, options->resume, !options->elsewhere);
    if (status)
        return status;
    const dfl_case_layout *layout = dfl_case_file_layout(sweep->file);
    sweep->resumed = true;
    sweep->path = dfl_copy_string(ctx, options->resume);
    for (int i = 0; i < layout->list[DFL_CASE_OUTPUTS].count; i++)
        dfl_text_add(&columns, "%s%s", i > 0 ? "," : "", layout->list[DFL_CASE_OUTPUTS].text[i]);
    sweep->columns_kept = columns.data;
    if (!sweep->path || columns.status)
        return DFL_NO_MEMORY;
    status = dfl_design_create_named(&sweep->design, ctx, layout->list[DFL_CASE_PARAMETERS].text,
                                     layout->list[DFL_CASE_PARAMETERS].count, layout->cases);
    if (!status)
        status = check_model(sweep);
    if (!status)
        status = check_sets(sweep);
    if (!status)
        status = create_cases(sweep, options, layout->list[DFL_CASE_SETTINGS].count,
                              layout->list[DFL_CASE_SETTINGS].text, sweep->columns_kept);
    if (!status && dfl_case_numbers(&sweep->cases->layout) != dfl_case_numbers(layout))
        status = refuse_model(sweep);
    return status ? status : check_version(sweep);
}

/* Another version may compute other numbers: it reads a study that is complete, but does not add to
   one. */
static dfl_status check_version(const dfl_sweep *sweep)
{
    const dfl_case_layout *layout = dfl_case_file_layout(sweep->file);
    const char *begun = layout->text[DFL_CASE_VERSION];
    const bool same = !strcmp(begun, sweep->cases->layout.text[DFL_CASE_VERSION]);
    const long done = same ? layout->cases : cases_done(sweep->file);
    return done == layout->cases
               ? DFL_OK
               : dfl_fail(
                     sweep->ctx, DFL_INVALID,
                     "'%s' was begun with Driftless %s, this is %s, whose results may differ: go "
                     "on with that one, or begin anew (%ld of %ld cases are done)",
                     sweep->path, begun, sweep->cases->layout.text[DFL_CASE_VERSION], done,
                     layout->cases);
}

/* The file says all of that. */
static dfl_status refuse_more(const dfl_sweep *sweep, const dfl_sweep_options *options)
{
    const char *more = options->nover > 0        ? "--over"
                       : options->nsample > 0    ? "--sample"
                       : options->cases          ? "--cases"
                       : options->output         ? "--output"
                       : options->replace        ? "--replace"
                       : options->columns        ? "--columns"
                       : options->design         ? "--design"
                       : options->count != 0     ? "--count"
                       : options->seed != 0      ? "--seed"
                       : options->nsettings != 0 ? "settings of the run"
                                                 : NULL;
    return more ? dfl_fail(sweep->ctx, DFL_INVALID,
                           "--resume goes on with a study as it was begun; leave %s out", more)
                : DFL_OK;
}

static dfl_status check_model(const dfl_sweep *sweep)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, dfl_model_hash(sweep->model));
    return strcmp(hash, dfl_case_file_layout(sweep->file)->text[DFL_CASE_HASH])
               ? refuse_model(sweep)
               : DFL_OK;
}

static dfl_status refuse_model(const dfl_sweep *sweep)
{
    return dfl_fail(sweep->ctx, DFL_INVALID,
                    "'%s' is a study of another model than '%s', or of an older state of it, and "
                    "cannot be gone on with",
                    sweep->path, sweep->model->path);
}

/* Values of --set and --input have to be those of the study. */
static dfl_status check_sets(const dfl_sweep *sweep)
{
    static const dfl_case_list lists[] = {DFL_CASE_SETS, DFL_CASE_INPUTS};
    const dfl_case_layout *layout = dfl_case_file_layout(sweep->file);
    for (int k = 0; k < 2; k++) {
        const int count = k == 0 ? sweep->model->sets.count : sweep->model->inputs.count;
        char *const *text = k == 0 ? sweep->model->sets.item : sweep->model->inputs.item;
        bool same = count == layout->list[lists[k]].count;
        for (int i = 0; same && i < count; i++)
            same = !strcmp(text[i], layout->list[lists[k]].text[i]);
        if (same)
            continue;
        dfl_text said = {.ctx = sweep->ctx};
        for (int i = 0; i < layout->list[lists[k]].count; i++)
            dfl_text_add(&said, " --%s %s", k == 0 ? "set" : "input",
                         layout->list[lists[k]].text[i]);
        const dfl_status status =
            dfl_fail(sweep->ctx, DFL_INVALID, "the study was begun with%s; give the same",
                     said.length > 0 ? dfl_text_string(&said)
                     : k == 0        ? "out --set"
                                     : "out --input");
        dfl_text_clear(&said);
        return status;
    }
    return DFL_OK;
}
