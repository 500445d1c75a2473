/* command_export.c: `driftless export MODEL`: the model as an FMU, or its equations as source code. */
#include "cli/cli.h"

#include "export/export.h"

#include <math.h>
#include <string.h>

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments);
static dfl_status export_source(const cli_arguments *arguments, const cli_model *model);
static dfl_status export_running(const cli_arguments *arguments, const cli_model *model);

int cli_export(dfl_context *ctx, const cli_arguments *arguments)
{
    cli_model model = {0};
    dfl_status status = check_arguments(ctx, arguments);
    const bool running = arguments->fmu || arguments->sfunction;
    if (!status)
        status = cli_load(&model, ctx, arguments, running ? CLI_TO_CARRY : CLI_EXPRESSIONS);
    if (!status)
        status = running ? export_running(arguments, &model) : export_source(arguments, &model);
    const int exit_status = cli_finish(ctx, status);
    cli_unload(&model);
    return exit_status;
}

static dfl_status check_arguments(dfl_context *ctx, const cli_arguments *arguments)
{
    const char *kind = arguments->kind;
    if (arguments->c + arguments->octave + arguments->sfunction + (arguments->fmu != NULL) != 1)
        return dfl_fail(ctx, DFL_INVALID,
                        "export to what? Choose one of --fmu, --sfunction, --c and --octave");
    if (arguments->noutput > 1)
        return dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once");
    if (arguments->fmu && strcmp(arguments->fmu, "2") != 0 && strcmp(arguments->fmu, "3") != 0)
        return dfl_fail(ctx, DFL_INVALID, "--fmu '%s': the versions of the standard are 2 and 3",
                        arguments->fmu);
    if (kind && strcmp(kind, "cs") != 0 && strcmp(kind, "me") != 0 && strcmp(kind, "both") != 0)
        return dfl_fail(ctx, DFL_INVALID,
                        "--kind '%s': choose cs (co-simulation), me (model exchange) or both",
                        kind);
    if (!arguments->fmu && (kind || arguments->sources))
        return dfl_fail(ctx, DFL_INVALID, "--kind and --sources belong to --fmu");
    if (!arguments->fmu && !arguments->sfunction && !isnan(arguments->projection))
        return dfl_fail(ctx, DFL_INVALID,
                        "--projection-tolerance belongs to --fmu and --sfunction");
    return DFL_OK;
}

/* The right-hand side of exported equations. The implicit form is the residual, which is always there. */
static dfl_status choose_form(dfl_export_start *out, dfl_context *ctx,
                              const cli_arguments *arguments)
{
    const char *form = dfl_choices_text(&arguments->choices, "form");
    const double alpha = dfl_choices_number(&arguments->choices, "baumgarte_alpha");
    const double beta = dfl_choices_number(&arguments->choices, "baumgarte_beta");
    const bool stable = !isnan(alpha) || !isnan(beta);
    if (form && strcmp(form, "qr") != 0 && strcmp(form, "explicit") != 0 &&
        strcmp(form, "implicit") != 0)
        return dfl_fail(
            ctx, DFL_INVALID,
            "--form '%s': equations are exported in the forms qr, explicit and implicit", form);
    out->unprojected = form && strcmp(form, "qr") != 0;
    if (arguments->octave && (out->unprojected || stable))
        return dfl_fail(ctx, DFL_INVALID, "functions for Octave have the form qr alone");
    if (stable && !out->unprojected)
        return dfl_fail(
            ctx, DFL_INVALID,
            "--baumgarte-alpha and --baumgarte-beta belong to --form explicit or implicit");
    out->alpha = isnan(alpha) ? 0 : alpha;
    out->beta = isnan(beta) ? out->alpha : beta;
    return DFL_OK;
}

/* C goes to a file or standard output; for Octave the files that were written are listed. */
static dfl_status export_source(const cli_arguments *arguments, const cli_model *model)
{
    dfl_context *ctx = model->model->ctx;
    dfl_text text = {.ctx = ctx};
    const char *path = arguments->noutput > 0 ? arguments->output[0] : NULL;
    dfl_start_state state;
    dfl_export_start start = {0};
    dfl_status status = dfl_start_state_find(&state, model->eq);
    if (!status)
        status = choose_form(&start, ctx, arguments);
    start.time = state.time;
    start.x = state.x;
    start.levels = state.levels;
    start.problem = state.problem;
    if (!status && arguments->c)
        status = dfl_export_c(&text, model->eq, &start);
    else if (!status)
        status = dfl_export_octave(&text, model->eq, &start, path ? path : model->model->name);
    if (!status)
        status = cli_write(arguments->c ? path : NULL, &text, model);
    dfl_start_state_clear(&state, ctx);
    dfl_text_clear(&text);
    return status;
}

/* To the file of --output, or NAME.fmu. */
static dfl_status write_fmu(const cli_arguments *arguments, const cli_model *model,
                            const dfl_text *bytes)
{
    dfl_context *ctx = model->model->ctx;
    dfl_text path = {.ctx = ctx};
    if (arguments->noutput > 0)
        dfl_text_add(&path, "%s", arguments->output[0]);
    else
        dfl_text_add(&path, "%s.fmu", model->model->name);
    dfl_status status = path.status ? path.status : cli_spare_model(path.data, model);
    if (!status)
        status = dfl_write_file(ctx, strcmp(path.data, "-") ? path.data : NULL,
                                dfl_text_string(bytes), bytes->length);
    dfl_text_clear(&path);
    return status;
}

/* FILE.c, whose name is that of the S-function, and FILE_solver.c. */
static dfl_status write_sfunction(const cli_arguments *arguments, const cli_model *model,
                                  const dfl_fmu_options *options)
{
    dfl_context *ctx = model->model->ctx;
    const char *path = arguments->noutput > 0 ? arguments->output[0] : "";
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const size_t length = strlen(base);
    dfl_text name = {.ctx = ctx}, code = {.ctx = ctx}, solver = {.ctx = ctx}, other = {.ctx = ctx};
    dfl_status status = DFL_OK;
    if (length < 3 || strcmp(base + length - 2, ".c") != 0 ||
        strspn(base, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
            length - 2 ||
        strchr("0123456789_", base[0]))
        status = dfl_fail(ctx, DFL_INVALID,
                          "give --output NAME.c; NAME is the name of the S-function: letters, "
                          "digits and '_', beginning with a letter");
    if (!status) {
        dfl_text_bytes(&name, base, length - 2);
        dfl_text_bytes(&other, path, strlen(path) - 2);
        dfl_text_add(&other, "_solver.c");
        status = name.status ? name.status : other.status;
    }
    if (!status)
        status = dfl_export_sfunction(&code, &solver, model->run, options, name.data);
    if (!status)
        status = cli_write(path, &code, model);
    if (!status)
        status = cli_write(other.data, &solver, model);
    dfl_text_clear(&name);
    dfl_text_clear(&code);
    dfl_text_clear(&solver);
    dfl_text_clear(&other);
    return status;
}

/* What carries the solver with it. */
static dfl_status export_running(const cli_arguments *arguments, const cli_model *model)
{
    dfl_context *ctx = model->model->ctx;
    const size_t n = (size_t)model->eq->n;
    const char *kind = arguments->kind ? arguments->kind : "cs";
    dfl_text bytes = {.ctx = ctx};
    dfl_settings settings;
    dfl_start_state state = {0};
    double *given = dfl_alloc(ctx, n, sizeof *given);
    bool *held = dfl_alloc(ctx, n, sizeof *held);
    dfl_status status = given && held ? DFL_OK : DFL_NO_MEMORY;
    if (!status)
        status = dfl_settings_resolve(&settings, &arguments->choices, model->run);
    if (!status)
        status = dfl_start_state_find(&state, model->eq);
    if (!status && state.problem)
        status = dfl_fail(ctx, DFL_INVALID, "%s", state.problem);
    if (!status) {
        const double projection =
            isnan(arguments->projection) ? 10 * settings.solver.rtol : arguments->projection;
        dfl_study_given(given, held, model->run);
        const dfl_fmu_options options = {.version = arguments->fmu ? arguments->fmu[0] - '0' : 0,
                                         .cosimulation = strcmp(kind, "me") != 0,
                                         .exchange = strcmp(kind, "cs") != 0,
                                         .sources = arguments->sources,
                                         .from = state.time,
                                         .to = settings.to,
                                         .x = state.x,
                                         .held = held,
                                         .solver = &settings.solver,
                                         .projection = projection};
        status = arguments->sfunction ? write_sfunction(arguments, model, &options)
                                      : dfl_export_fmu(&bytes, model->run, &options);
    }
    if (!status && arguments->fmu)
        status = write_fmu(arguments, model, &bytes);
    dfl_start_state_clear(&state, ctx);
    dfl_text_clear(&bytes);
    dfl_free(ctx, given);
    dfl_free(ctx, held);
    return status;
}
