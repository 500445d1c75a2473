/* client.c: what subcommands share that need driftless/model.h alone. */
#include "cli/cli.h"

#include <math.h>

static void print_line(const char *text, void *user);

dfl_status cli_load_script(dfl_model **out, dfl_context *ctx, const cli_arguments *arguments)
{
    const dfl_load_options options = {.nset = arguments->nset,
                                      .set = arguments->set,
                                      .ninput = arguments->ninput,
                                      .input = arguments->input,
                                      .print = arguments->quiet ? NULL : print_line,
                                      .prefix = "--"};
    const dfl_status status = dfl_model_load(out, ctx, arguments->model, &options);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

/* What a script prints goes to standard error, like everything else that is not a result. */
static void print_line(const char *text, void *user)
{
    (void)user;
    cli_show(text);
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

/* If memory runs out, the text is missing, which the library notices. */
void cli_take_settings(cli_settings *out, dfl_context *ctx, const cli_arguments *arguments)
{
    const dfl_choices *choices = &arguments->choices;
    *out = (cli_settings){.ctx = ctx};
    for (int i = 0; i < dfl_settings_count(); i++) {
        dfl_text text = {.ctx = ctx};
        if (!choices->text[i] && isnan(choices->number[i]))
            continue;
        dfl_text_add(&text, "%s=", dfl_setting_at(i)->name);
        if (choices->text[i])
            dfl_text_add(&text, "%s", choices->text[i]);
        else
            dfl_text_add(&text, "%.17g", choices->number[i]);
        out->texts[out->count++] = text.data;
    }
}

void cli_settings_clear(cli_settings *settings)
{
    for (int i = 0; i < settings->count; i++)
        dfl_free(settings->ctx, (void *)settings->texts[i]);
}

dfl_status cli_print(dfl_context *ctx, const char *text)
{
    dfl_text copy = {.ctx = ctx};
    dfl_text_add(&copy, "%s", text);
    const dfl_status status = cli_write(NULL, &copy, NULL);
    dfl_text_clear(&copy);
    return status;
}
