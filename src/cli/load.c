/* load.c: from the command line to a model, and texts to files. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "script/script.h"

#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static void show(FILE *file, const char *text);
static void print_line(const char *text, void *user);

static dfl_dynamics dynamics_for(cli_use use, const dfl_choices *choices)
{
    if (use == CLI_EXPRESSIONS || use == CLI_FOLLOWED)
        return DFL_DYNAMICS_EXPRESSIONS;
    return use == CLI_DENSE || use == CLI_FEW_MODES ? dfl_choices_joint_dynamics(choices)
                                                    : dfl_choices_dynamics(choices);
}

dfl_status cli_load(cli_model *out, dfl_context *ctx, const cli_arguments *arguments, cli_use use)
{
    const bool runnable = use != CLI_EXPRESSIONS && use != CLI_TO_CARRY;
    const dfl_script_options options = {.nset = arguments->nset,
                                        .set = arguments->set,
                                        .ninput = arguments->ninput,
                                        .input = arguments->input,
                                        .prescribe = arguments->prescribe,
                                        .goals = arguments->goals,
                                        .frames = arguments->frames,
                                        .dynamics = dynamics_for(use, &arguments->choices),
                                        .print = arguments->quiet ? NULL : print_line};
    *out = (cli_model){0};
    dfl_status status = dfl_script_load(&out->model, ctx, arguments->model, &options);
    if (!status && (use == CLI_TO_RUN || use == CLI_TO_CARRY))
        status = dfl_study_derive(&out->eq, &out->run, out->model, &arguments->choices);
    else if (!status)
        status = dfl_equations_create(&out->eq, out->model, true);
    if (!status && use == CLI_TO_CARRY && dfl_runnable_packed(out->run)) {
        dfl_runnable_free(out->run);
        out->run = NULL;
        status = dfl_runnable_create(&out->run, out->eq);
    }
    if (!status && use == CLI_FEW_MODES && dfl_study_suits_few(out->eq, arguments->count))
        status = dfl_runnable_create_packed(&out->run, out->eq);
    else if (!status && (use == CLI_DENSE || use == CLI_FOLLOWED || use == CLI_FEW_MODES))
        status = dfl_runnable_create(&out->run, out->eq);
    else if (!status && use == CLI_FOR_SOLVER)
        status = dfl_study_runnable(&out->run, out->eq, &arguments->choices);
    out->saved.ctx = ctx;
    if (!status && runnable && arguments->start_from)
        status = dfl_saved_run_read(&out->saved, arguments->start_from);
    if (!status && use != CLI_TO_RUN && out->saved.length > 0)
        status = dfl_saved_run_refuse(ctx, arguments->start_from);
    if (!status && runnable && arguments->start_from && out->saved.length == 0)
        status = dfl_study_start_from(out->run, arguments->start_from);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

void cli_unload(cli_model *model)
{
    dfl_runnable_free(model->run);
    dfl_equations_free(model->eq);
    dfl_model_free(model->model);
    dfl_text_clear(&model->saved);
    *model = (cli_model){0};
}

void cli_show(const char *text)
{
    show(stderr, text);
}

/* As a terminal may show it. */
static void show(FILE *file, const char *text)
{
    char visible[1024];
    while (*text) {
        text = dfl_visible(visible, sizeof visible, text);
        fputs(visible, file);
    }
}

void cli_say(const char *format, ...)
{
    char line[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fputs("driftless: ", stderr);
    cli_show(line);
    fputc('\n', stderr);
}

int cli_complain(const dfl_context *ctx, dfl_status status)
{
    cli_say("%s", dfl_message(ctx));
    return status == DFL_INVALID ? CLI_WRONG : CLI_FAILURE;
}

int cli_finish(const dfl_context *ctx, dfl_status status)
{
    if (status == DFL_STOPPED)
        return CLI_FAILURE;
    return status ? cli_complain(ctx, status) : CLI_SUCCESS;
}

dfl_status cli_write(const char *path, const dfl_text *text, const cli_model *model)
{
    const bool standard = !path || !strcmp(path, "-");
    if (text->status)
        return text->status;
    const dfl_status status = standard ? DFL_OK : cli_spare_model(path, model);
    if (status)
        return status;
    if (!standard || !isatty(STDOUT_FILENO))
        return dfl_write_file(text->ctx, standard ? NULL : path, dfl_text_string(text),
                              text->length);
    show(stdout, dfl_text_string(text));
    return fflush(stdout) || ferror(stdout)
               ? dfl_fail(text->ctx, DFL_IO, "standard output cannot be written")
               : DFL_OK;
}

dfl_status cli_spare_model(const char *path, const cli_model *model)
{
    return dfl_model_spare(model->model, model->model->ctx, path);
}

/* What a script prints goes to standard error, like everything else that is not a result. */
static void print_line(const char *text, void *user)
{
    (void)user;
    cli_show(text);
}
