/* build_library.c: C source and files beside it, built into a shared library, as bytes. */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native.h"
#include "symbolic/native_internal.h"

#include <stdlib.h>
#include <string.h>

/* A file beside the source, which a signal removes. */
typedef struct beside {
    dfl_text path;
    int leftover;
} beside;

static dfl_status write_files(beside *out, const dfl_temporary *files, const dfl_build *build);
static void write_command(dfl_text *command, const dfl_temporary *files, const dfl_build *build);

dfl_status dfl_build_library(dfl_text *object, dfl_context *ctx, const dfl_build *build)
{
    dfl_temporary files;
    dfl_text command = {.ctx = ctx};
    beside *others = dfl_alloc(ctx, (size_t)build->nfiles, sizeof *others);
    dfl_status status = dfl_temporary_create(&files, ctx, NULL);
    if (!status && !others)
        status = DFL_NO_MEMORY;
    if (!status && strpbrk(files.folder.data, " \t"))
        status = dfl_fail(ctx, DFL_INVALID,
                          "the temporary folder '%s' has a blank in its name; name another one in "
                          "the environment variable TMPDIR",
                          files.folder.data);
    if (!status)
        status = write_files(others, &files, build);
    if (!status) {
        write_command(&command, &files, build);
        status = command.status ? command.status : dfl_compile(ctx, command.data, &files);
    }
    if (!status && !dfl_read_file(object, files.object.data))
        status = object->status ? object->status
                                : dfl_fail(ctx, DFL_IO, "the compiled library cannot be read");
    dfl_temporary_remove(&files);
    for (int i = 0; others && i < build->nfiles; i++) {
        if (!others[i].path.ctx)
            break;
        dfl_leftover_drop(ctx, others[i].leftover);
        dfl_text_clear(&others[i].path);
    }
    dfl_free(ctx, others);
    dfl_text_clear(&command);
    return status;
}

static dfl_status write_files(beside *out, const dfl_temporary *files, const dfl_build *build)
{
    dfl_status status =
        dfl_write_file(files->ctx, files->source.data, build->source, strlen(build->source));
    for (int i = 0; !status && i < build->nfiles; i++) {
        out[i] = (beside){.path.ctx = files->ctx, .leftover = -1};
        dfl_text_add(&out[i].path, "%s/%s", files->folder.data, build->files[i].name);
        if (out[i].path.status)
            return out[i].path.status;
        out[i].leftover = dfl_leftover_path(files->ctx, out[i].path.data);
        status = dfl_write_file(files->ctx, out[i].path.data, build->files[i].bytes,
                                build->files[i].size);
    }
    return status;
}

/* '@' is the folder. */
static void write_command(dfl_text *command, const dfl_temporary *files, const dfl_build *build)
{
    const char *named = getenv("CC");
    const char *usual = named && named[strspn(named, " \t")] ? named : "cc";
    dfl_text_add(command, "%s ", build->compiler ? build->compiler : usual);
    for (const char *at = build->flags; *at; at++) {
        if (*at == '@')
            dfl_text_add(command, "%s", files->folder.data);
        else
            dfl_text_add(command, "%c", *at);
    }
}
