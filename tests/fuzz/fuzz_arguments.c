/* fuzz_arguments.c: bytes as a command line, one argument per line; the first byte chooses the
   subcommand. Then the settings are resolved for a small model. */
#include "bytes.h"
#include "cli/command_line.h"

#include <driftless/model.h>

#include <stdio.h>

enum { MOST_ARGUMENTS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static int split(char **argv, char *text);
static void resolve(dfl_context *ctx, const cli_arguments *arguments);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = {data, size};
    const unsigned command = cli_commands[take_choice(&b, CLI_COMMANDS)].bit;
    char *text = calloc(b.left + 1, 1), *argv[MOST_ARGUMENTS];
    ALWAYS(text);
    if (b.left > 0)
        memcpy(text, b.next, b.left);
    dfl_context *ctx = dfl_context_create();
    ALWAYS(ctx);
    cli_arguments arguments;
    const dfl_status status = cli_arguments_read(&arguments, ctx, command, split(argv, text), argv);
    ALWAYS(!status || dfl_message(ctx)[0]);
    ALWAYS(status || arguments.model || arguments.help);
    if (!status)
        resolve(ctx, &arguments);
    cli_arguments_clear(&arguments, ctx);
    ALWAYS(dfl_context_live(ctx) == 0);
    dfl_context_free(ctx);
    free(text);
    return 0;
}

/* The lines of a text as arguments; returns their number. */
static int split(char **argv, char *text)
{
    int count = 0;
    for (char *line = strtok(text, "\n"); line && count < MOST_ARGUMENTS; line = strtok(NULL, "\n"))
        argv[count++] = line;
    return count;
}

static void resolve(dfl_context *ctx, const cli_arguments *arguments)
{
    static const char script[] = "local m = param('m', 1) local x, y = position('x', 'y')\n"
                                 "kinetic(m/2*(velocity(x)^2 + velocity(y)^2)) potential(y)\n"
                                 "constraint('rod', x^2 + y^2 - 1) initial{ x = 1 }\n"
                                 "simulate{ to = 1 }\n";
    static char text[DFL_MOST_SETTINGS][1000];
    const char *settings[DFL_MOST_SETTINGS];
    int count = 0;
    for (int i = 0; i < dfl_settings_count(); i++)
        if (arguments->settings[i]) {
            snprintf(text[count], sizeof text[count], "%s=%s", dfl_setting_at(i)->name,
                     arguments->settings[i]);
            settings[count] = text[count];
            count++;
        }
    const dfl_load_options load = {.nset = arguments->nset, .set = arguments->set};
    const dfl_run_options options = {.nsettings = count, .settings = settings, .prefix = "--"};
    dfl_model *model = NULL;
    dfl_run *run = NULL;
    dfl_status status =
        dfl_model_load_text(&model, ctx, "model.lua", script, sizeof script - 1, &load);
    if (!status)
        status = dfl_run_create(&run, ctx, model, &options);
    ALWAYS(!status || dfl_message(ctx)[0]);
    dfl_run_free(run);
    dfl_model_free(model);
}
