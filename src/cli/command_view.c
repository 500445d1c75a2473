/* command_view.c: `driftless view RESULT`: a page or a plot of a stored result. */
#include "cli/cli.h"

#include <string.h>

static dfl_status name_page(dfl_text *path, const char *result);

int cli_view(dfl_context *ctx, const cli_arguments *arguments)
{
    dfl_text path = {.ctx = ctx};
    dfl_status status = DFL_OK;
    if (arguments->noutput > 1)
        status = dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once");
    else if (arguments->noutput == 1)
        dfl_text_add(&path, "%s", arguments->output[0]);
    else
        status = name_page(&path, arguments->model);
    if (!status && arguments->columns && !dfl_ends_with(dfl_text_string(&path), ".svg"))
        status = dfl_fail(ctx, DFL_INVALID,
                          "--columns says what a plot shows; give --output FILE.svg, too");
    if (!status)
        status = path.status;
    if (!status)
        status = dfl_view_result(ctx, arguments->model, dfl_text_string(&path), arguments->columns);
    if (!status && !arguments->quiet)
        cli_say("%s", dfl_text_string(&path));
    dfl_text_clear(&path);
    return cli_finish(ctx, status);
}

/* RESULT.html next to RESULT.h5. */
static dfl_status name_page(dfl_text *path, const char *result)
{
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    const bool ending = dot && (!slash || dot > slash + 1) && dot > result;
    dfl_text_bytes(path, result, ending ? (size_t)(dot - result) : strlen(result));
    dfl_text_add(path, ".html");
    return path->status;
}
