/* client.c: what subcommands share: from arguments to a model and settings, texts to files. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_line(const char *text, void *user);
static void show(FILE *file, const char *text);

dfl_status cli_load_script(dfl_model **out, dfl_context *ctx, const cli_arguments *arguments)
{
    const dfl_load_options options = {.nset = arguments->nset,
                                      .set = arguments->set,
                                      .ninput = arguments->ninput,
                                      .input = arguments->input,
                                      .print = arguments->quiet ? NULL : print_line,
                                      .prefix = "--",
                                      .allow_fmu = arguments->allow_fmu};
    const dfl_status status = dfl_model_load(out, ctx, arguments->model, &options);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

/* What a script prints goes to standard error, like everything else that is not a result. */
static void print_line(const char *text, void *user)
{
    (void)user;
    cli_show(text);
}

char *cli_join(dfl_context *ctx, const char *first, const char *second, const char *third)
{
    const size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    char *text = dfl_alloc(ctx, size, 1);
    if (text)
        snprintf(text, size, "%s%s%s", first, second, third);
    return text;
}

/* If memory runs out, the text is missing, which the library notices. */
void cli_take_settings(cli_settings *out, dfl_context *ctx, const cli_arguments *arguments)
{
    *out = (cli_settings){.ctx = ctx};
    for (int i = 0; i < dfl_settings_count(); i++)
        if (arguments->settings[i])
            out->texts[out->count++] =
                cli_join(ctx, dfl_setting_at(i)->name, "=", arguments->settings[i]);
}

void cli_settings_clear(cli_settings *settings)
{
    for (int i = 0; i < settings->count; i++)
        dfl_free(settings->ctx, (void *)settings->texts[i]);
}

dfl_check_options cli_check_options(cli_settings *settings, dfl_context *ctx,
                                    const cli_arguments *arguments)
{
    cli_take_settings(settings, ctx, arguments);
    return (dfl_check_options){.nsettings = settings->count,
                               .settings = settings->texts,
                               .start_from = arguments->start_from,
                               .prefix = "--"};
}

dfl_status cli_print(dfl_context *ctx, const char *text)
{
    if (!isatty(STDOUT_FILENO))
        return dfl_write_file(ctx, NULL, text, strlen(text));
    show(stdout, text);
    return fflush(stdout) || ferror(stdout)
               ? dfl_fail(ctx, DFL_IO, "standard output cannot be written")
               : DFL_OK;
}

dfl_status cli_write(const char *path, dfl_context *ctx, const char *text, const dfl_model *model)
{
    if (!path || !strcmp(path, "-"))
        return cli_print(ctx, text);
    const dfl_status status = dfl_model_spare(model, ctx, path);
    return status ? status : dfl_write_file(ctx, path, text, strlen(text));
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
