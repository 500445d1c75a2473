/* reload.c: the same script once more, with more settings. */
#include "cli/cli.h"

static dfl_status load(dfl_loaded *out, const char *const *settings, int count, void *user)
{
    const cli_reloading *again = user;
    cli_arguments varied = *again->arguments;
    cli_model model = {0};
    varied.quiet = true;
    varied.set = dfl_alloc(again->ctx, (size_t)(varied.nset + count), sizeof *varied.set);
    if (!varied.set)
        return DFL_NO_MEMORY;
    for (int i = 0; i < varied.nset; i++)
        varied.set[i] = again->arguments->set[i];
    for (int i = 0; i < count; i++)
        varied.set[varied.nset++] = settings[i];
    const dfl_status status = cli_load(&model, again->ctx, &varied, CLI_FOLLOWED);
    *out = (dfl_loaded){model.model, model.eq, model.run};
    dfl_free(again->ctx, varied.set);
    return status;
}

dfl_variation cli_variation(cli_reloading *again)
{
    return (dfl_variation){load, again};
}
