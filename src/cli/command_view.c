/* command_view.c: `driftless view RESULT`: a page or a plot of a stored result, or the page of a
   study. */
#include "cli/cli.h"

#include <driftless/sweep.h>

#include <string.h>

static char *name_page(dfl_context *ctx, const char *result);

int cli_view(dfl_context *ctx, const cli_arguments *arguments)
{
    const char *path = arguments->noutput == 1 ? arguments->output[0] : NULL;
    char *page = path ? NULL : name_page(ctx, arguments->model);
    dfl_status status = path || page ? DFL_OK : DFL_NO_MEMORY;
    path = path ? path : page;
    if (arguments->noutput > 1)
        status = dfl_fail(ctx, DFL_INVALID, "--output is given twice; give it once");
    if (!status && arguments->columns && !dfl_ends_with(path, ".svg"))
        status = dfl_fail(ctx, DFL_INVALID,
                          "--columns says what a plot shows; give --output FILE.svg, too");
    const bool study = !status && dfl_is_sweep(ctx, arguments->model);
    if (study && !dfl_ends_with(path, ".html"))
        status = dfl_fail(ctx, DFL_INVALID, "a study is shown as a page; give --output FILE.html");
    else if (study)
        status = dfl_sweep_page(ctx, arguments->model, path);
    else if (!status)
        status = dfl_view_result(ctx, arguments->model, path, arguments->columns);
    if (!status && !arguments->quiet)
        cli_say("%s", path);
    dfl_free(ctx, page);
    return cli_finish(ctx, status);
}

/* RESULT.html next to RESULT.h5. */
static char *name_page(dfl_context *ctx, const char *result)
{
    const char *slash = strrchr(result, '/'), *dot = strrchr(result, '.');
    const bool ending = dot && (!slash || dot > slash + 1) && dot > result;
    char *page = cli_join(ctx, result, ".html", "");
    if (page && ending)
        strcpy(page + (dot - result), ".html");
    return page;
}
