/* temporary.c: private folders for the compiler. */
#define _POSIX_C_SOURCE 200809L
#include "symbolic/native_internal.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dfl_status make_folder(dfl_text *path, const char *cache);

dfl_status dfl_temporary_create(dfl_temporary *out, dfl_context *ctx, const char *cache)
{
    *out = (dfl_temporary){.ctx = ctx,
                           .folder.ctx = ctx,
                           .source.ctx = ctx,
                           .object.ctx = ctx,
                           .messages.ctx = ctx,
                           .leftovers = {-1, -1, -1, -1}};
    dfl_status status = make_folder(&out->folder, cache);
    if (status) {
        dfl_text_clear(&out->folder);
        return status;
    }
    dfl_text *const files[] = {&out->source, &out->object, &out->messages};
    static const char *const names[] = {"program.c", "program.so", "messages"};
    out->leftovers[3] = dfl_leftover_path(ctx, out->folder.data);
    for (int i = 0; i < 3; i++) {
        dfl_text_add(files[i], "%s/%s", out->folder.data, names[i]);
        if (files[i]->status)
            return files[i]->status;
        out->leftovers[i] = dfl_leftover_path(ctx, files[i]->data);
    }
    return DFL_OK;
}

static dfl_status make_folder(dfl_text *path, const char *cache)
{
    const char *folder = getenv("TMPDIR");
    if (cache) {
        dfl_text_add(path, "%s/tmp-XXXXXX", cache);
        if (!path->status && mkdtemp(path->data))
            return DFL_OK;
        path->length = 0;
    }
    if (!folder || *folder != '/')
        folder = "/tmp";
    dfl_text_add(path, "%s/driftless-XXXXXX", folder);
    if (path->status || mkdtemp(path->data))
        return path->status;
    return dfl_fail(path->ctx, DFL_INVALID,
                    "cannot make a temporary folder in '%s': %s; name another one in the "
                    "environment variable TMPDIR",
                    folder, strerror(errno));
}

void dfl_temporary_remove(dfl_temporary *temporary)
{
    if (temporary->folder.data)
        dfl_folder_remove(temporary->ctx, temporary->folder.data);
    for (int i = 0; i < 4; i++)
        dfl_leftover_drop(temporary->ctx, temporary->leftovers[i]);
    dfl_text_clear(&temporary->messages);
    dfl_text_clear(&temporary->object);
    dfl_text_clear(&temporary->source);
    dfl_text_clear(&temporary->folder);
}

void dfl_folder_remove(dfl_context *ctx, const char *folder)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return;
    for (struct dirent *entry; (entry = readdir(entries));) {
        dfl_text path = {.ctx = ctx};
        dfl_text_add(&path, "%s/%s", folder, entry->d_name);
        if (!path.status && entry->d_name[0] != '.')
            unlink(path.data);
        dfl_text_clear(&path);
    }
    closedir(entries);
    rmdir(folder);
}
