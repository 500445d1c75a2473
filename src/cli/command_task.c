/* command_task.c: analyses, `driftless compare MODEL` and `driftless export MODEL`: options, files,
   and what is printed. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"
#include "cli/interrupt.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_POINTS = 1000000 };

static dfl_status choose_frequencies(double **omega, int *count, dfl_context *ctx,
                                     const cli_arguments *arguments);
static dfl_task_options read_options(const cli_arguments *arguments, const cli_settings *settings);
static double given(double number);
static dfl_status print_found(dfl_context *ctx, const cli_arguments *arguments,
                              const dfl_task *task);
static int print_failure(dfl_context *ctx, const cli_arguments *arguments, const dfl_task *task,
                         dfl_status status);
static void show_progress(const char *line, void *user);
static int perform(dfl_context *ctx, const cli_arguments *arguments, const dfl_model *model,
                   dfl_task_options *options);

int cli_task(dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_model *model = NULL;
    cli_settings settings;
    double *omega = NULL;
    int count = 0;
    const char **files = dfl_alloc(ctx, (size_t)arguments->noutput + 2, sizeof *files);
    cli_take_settings(&settings, ctx, arguments);
    dfl_task_options options = read_options(arguments, &settings);
    dfl_status status = files ? DFL_OK : DFL_NO_MEMORY;
    if (!status && !strcmp(arguments->command, "response"))
        status = choose_frequencies(&omega, &count, ctx, arguments);
    if (!status)
        status = cli_check_drawings(ctx, arguments);
    if (!status)
        status = cli_load_script(&model, ctx, arguments);
    const bool bytes = arguments->fmu || arguments->sfunction;
    for (int i = 0; !status && i < arguments->noutput; i++)
        if (bytes || strcmp(arguments->output[i], "-") != 0)
            files[options.noutput++] = arguments->output[i];
    if (!status && arguments->plot)
        files[options.noutput++] = arguments->plot;
    if (!status && arguments->report)
        files[options.noutput++] = arguments->report;
    options.output = files;
    options.omega = omega;
    options.nomega = count;
    const int exit_status =
        status ? cli_complain(ctx, status) : perform(ctx, arguments, model, &options);
    dfl_model_free(model);
    cli_settings_clear(&settings);
    dfl_free(ctx, files);
    dfl_free(ctx, omega);
    return exit_status;
}

static dfl_task_options read_options(const cli_arguments *arguments, const cli_settings *settings)
{
    return (dfl_task_options){.nsettings = settings->count,
                              .settings = settings->texts,
                              .start_from = arguments->start_from,
                              .prefix = "--",
                              .at = arguments->at,
                              .steady = arguments->steady,
                              .inputs = arguments->inputs,
                              .outputs = arguments->outputs,
                              .over = arguments->over,
                              .count = given(arguments->count),
                              .starts = given(arguments->starts),
                              .bootstrap = given(arguments->bootstrap),
                              .seed = given(arguments->seed),
                              .threads = given(arguments->threads),
                              .along = arguments->along,
                              .all_unknowns = arguments->all_unknowns,
                              .step = given(arguments->step),
                              .impulse = given(arguments->impulse),
                              .size = given(arguments->size),
                              .points = (int)fmin(given(arguments->points), MOST_POINTS),
                              .state_weight = arguments->state_weight,
                              .input_weight = arguments->input_weight,
                              .algorithm = arguments->algorithm,
                              .derivatives = arguments->derivatives,
                              .error_control = arguments->error_control,
                              .check = arguments->check,
                              .by = arguments->by,
                              .nof = arguments->nof,
                              .of = arguments->of,
                              .forms = arguments->forms,
                              .methods = arguments->methods,
                              .tol = arguments->tol,
                              .limit = given(arguments->limit),
                              .fmu = arguments->fmu,
                              .sfunction = arguments->sfunction,
                              .c = arguments->c,
                              .octave = arguments->octave,
                              .sid = arguments->sid,
                              .kind = arguments->kind,
                              .sources = arguments->sources,
                              .windows = arguments->windows,
                              .projection_tolerance = given(arguments->projection),
                              .on_progress = arguments->quiet ? NULL : show_progress,
                              .user = (void *)arguments};
}

static double given(double number)
{
    return isnan(number) ? 0 : number;
}

static dfl_status choose_frequencies(double **omega, int *count, dfl_context *ctx,
                                     const cli_arguments *arguments)
{
    const double points = isnan(arguments->points) ? 200 : arguments->points;
    const double unit = arguments->hz ? 2 * 3.14159265358979323846 : 1;
    const double first = arguments->first, last = arguments->last;
    const bool kicks = !isnan(arguments->step) || !isnan(arguments->impulse);
    if (arguments->size == 0)
        return dfl_fail(ctx, DFL_INVALID, "--size is 0; give another number");
    if (points != floor(points) || points > MOST_POINTS)
        return dfl_fail(ctx, DFL_INVALID, "--points is %g; give a whole number up to %d", points,
                        MOST_POINTS);
    if (kicks && isnan(first) && isnan(last))
        return DFL_OK;
    if (isnan(first) || isnan(last))
        return dfl_fail(ctx, DFL_INVALID,
                        "give the frequencies: --from W1 --to W2 --points N; or --step T");
    if (arguments->logarithmic && !(first > 0 && last > 0))
        return dfl_fail(ctx, DFL_INVALID, "--log needs positive frequencies, not %g to %g", first,
                        last);
    *count = (int)points;
    *omega = dfl_alloc(ctx, (size_t)*count, sizeof **omega);
    for (int i = 0; *omega && i < *count; i++) {
        const double part = *count > 1 ? i / (points - 1) : 0;
        const double at = i == 0                   ? first
                          : i == *count - 1        ? last
                          : arguments->logarithmic ? first * pow(last / first, part)
                                                   : first + (last - first) * part;
        (*omega)[i] = unit * at;
    }
    return *omega ? DFL_OK : DFL_NO_MEMORY;
}

/* Searches and comparisons that are interrupted end with what there is so far, all else at once. */
static int perform(dfl_context *ctx, const cli_arguments *arguments, const dfl_model *model,
                   dfl_task_options *options)
{
    dfl_task *task = NULL;
    const bool compares = !strcmp(arguments->command, "compare");
    cli_interrupt_defer(compares || !strcmp(arguments->command, "optimize"));
    dfl_status status = dfl_model_task(&task, ctx, model, arguments->command, options);
    if (compares && !arguments->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    cli_interrupt_defer(false);
    const bool stopped = status == DFL_STOPPED && cli_interrupted();
    int exit_status;
    if (status && !stopped) {
        exit_status = print_failure(ctx, arguments, task, status);
    } else {
        const dfl_task_report *about = dfl_task_about(task);
        if (about->note && !arguments->quiet)
            cli_say("%s", about->note);
        exit_status = cli_finish(ctx, print_found(ctx, arguments, task));
        if (stopped)
            exit_status = cli_interrupted();
        else if (!exit_status && !about->completed)
            exit_status = CLI_FAILURE;
    }
    dfl_task_free(task);
    return exit_status;
}

/* As JSON or text, unless files were asked for; the text to `--output -`, and that of --octave
   lists the files. */
static dfl_status print_found(dfl_context *ctx, const cli_arguments *arguments,
                              const dfl_task *task)
{
    const dfl_task_report *about = dfl_task_about(task);
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < arguments->noutput; i++)
        if (!strcmp(arguments->output[i], "-"))
            status = cli_print(ctx, about->text);
    if (!status && (arguments->json || arguments->noutput == 0 || arguments->octave))
        status = cli_print(ctx, arguments->json ? about->json : about->text);
    return status;
}

static int print_failure(dfl_context *ctx, const cli_arguments *arguments, const dfl_task *task,
                         dfl_status status)
{
    const int exit_status = cli_finish(ctx, status);
    if (task && arguments->json && status != DFL_STOPPED)
        cli_print(ctx, dfl_task_about(task)->json);
    return exit_status;
}

/* Iterations of a search are worth keeping, runs of a comparison are not. */
static void show_progress(const char *line, void *user)
{
    if (strcmp(((const cli_arguments *)user)->command, "compare") != 0)
        cli_say("%s", line);
    else if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s ...", line);
}
