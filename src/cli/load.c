/* load.c: from the command line to a model, and texts to files. */
#define _POSIX_C_SOURCE 200809L
#include "cli/cli.h"

#include "script/script.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void print_line(const char *text, void *user);
static dfl_status write_failure(dfl_context *ctx, const char *path);

dfl_status cli_load(cli_model *out, dfl_context *ctx, const cli_arguments *arguments, bool runnable)
{
    const dfl_script_options options = {
        .nset = arguments->nset,
        .set = arguments->set,
        .frames = arguments->frames,
        .dynamics = runnable ? dfl_choices_dynamics(&arguments->choices) : DFL_DYNAMICS_EXPRESSIONS,
        .print = arguments->quiet ? NULL : print_line};
    *out = (cli_model){0};
    dfl_status status = dfl_script_load(&out->model, ctx, arguments->model, &options);
    if (!status)
        status = dfl_equations_create(&out->eq, out->model, true);
    if (!status && runnable)
        status = dfl_runnable_create(&out->run, out->eq);
    return status == DFL_OK || status == DFL_NO_MEMORY ? status : DFL_INVALID;
}

void cli_unload(cli_model *model)
{
    dfl_runnable_free(model->run);
    dfl_equations_free(model->eq);
    dfl_model_free(model->model);
    *model = (cli_model){0};
}

int cli_complain(const dfl_context *ctx, dfl_status status)
{
    fprintf(stderr, "driftless: %s\n", dfl_message(ctx));
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
    dfl_status status = standard ? DFL_OK : cli_spare_model(path, model);
    if (status)
        return status;
    errno = 0;
    FILE *file = standard ? stdout : fopen(path, "w");
    if (!file)
        return dfl_fail(text->ctx, DFL_INVALID, "'%s' cannot be written: %s", path,
                        strerror(errno));
    fwrite(dfl_text_string(text), 1, text->length, file);
    if (fflush(file) || ferror(file))
        status = write_failure(text->ctx, standard ? NULL : path);
    if (!standard && fclose(file) && !status)
        status = write_failure(text->ctx, path);
    return status;
}

dfl_status cli_spare_model(const char *path, const cli_model *model)
{
    struct stat here, there;
    if (stat(path, &here) || stat(model->model->path, &there) || here.st_dev != there.st_dev ||
        here.st_ino != there.st_ino)
        return DFL_OK;
    return dfl_fail(model->model->ctx, DFL_INVALID,
                    "--output '%s' is the model itself; name another file", path);
}

/* What a script prints goes to standard error, like everything else that is not a result. */
static void print_line(const char *text, void *user)
{
    (void)user;
    fputs(text, stderr);
}

/* If the reader of standard output has seen enough (| head), no message is needed. */
static dfl_status write_failure(dfl_context *ctx, const char *path)
{
    if (!path && errno == EPIPE)
        return dfl_fail(ctx, DFL_STOPPED, "the reader of standard output has gone");
    return dfl_fail(ctx, DFL_IO, "%s cannot be written: %s", path ? path : "standard output",
                    errno ? strerror(errno) : "the disk may be full");
}
