/* model_file.c: files below the folder of a model. */
#define _XOPEN_SOURCE 700
#include "script/model_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 64 << 20 };

static dfl_status find_file(char **out, dfl_context *ctx, const dfl_model *model, const char *what,
                            const char *file);
static bool lies_below(const char *path, const char *base);
static dfl_status read_bytes(dfl_text *text, const char *path, const char *what, const char *file);

dfl_status dfl_model_file_read(dfl_text *text, const dfl_model *model, const char *what,
                               const char *file)
{
    char *path = NULL;
    dfl_status status = find_file(&path, text->ctx, model, what, file);
    if (!status)
        status = read_bytes(text, path, what, file);
    free(path); /* from realpath */
    return status;
}

dfl_status dfl_plain_file_read(dfl_text *text, const char *what, const char *file)
{
    return read_bytes(text, file, what, file);
}

/* The true path of the file, which must lie below the true folder of the model, if that has limits.
 */
static dfl_status find_file(char **out, dfl_context *ctx, const dfl_model *model, const char *what,
                            const char *file)
{
    const bool anywhere = model->unlimited, whole_path = file[0] == '/';
    const char *slash = strrchr(model->path, '/');
    dfl_text folder = {.ctx = ctx}, whole = {.ctx = ctx};
    dfl_text_bytes(&folder, slash ? model->path : "./",
                   slash ? (size_t)(slash - model->path + 1) : 2);
    dfl_text_add(&whole, "%s%s", whole_path ? "" : dfl_text_string(&folder), file);
    dfl_status status = folder.status ? folder.status : whole.status;
    char *base = NULL, *path = NULL;
    if (!status) {
        base = realpath(dfl_text_string(&folder), NULL);
        path = whole_path && !anywhere ? NULL : realpath(dfl_text_string(&whole), NULL);
        if (!anywhere && (whole_path || (path && !(base && lies_below(path, base)))))
            status = dfl_fail(ctx, DFL_INVALID,
                              "%s '%s': only files below the model's folder are read", what, file);
        else if (!path)
            status = dfl_fail(ctx, DFL_INVALID, "%s '%s' cannot be read: %s", what, file,
                              strerror(errno));
    }
    free(base);
    if (status) {
        free(path);
        path = NULL;
    }
    *out = path;
    dfl_text_clear(&folder);
    dfl_text_clear(&whole);
    return status;
}

static bool lies_below(const char *path, const char *base)
{
    const size_t length = strlen(base);
    return strncmp(path, base, length) == 0 &&
           (path[length] == '/' || (length == 1 && base[0] == '/'));
}

/* A pipe or a device might never end, or not even open. */
static dfl_status read_bytes(dfl_text *text, const char *path, const char *what, const char *file)
{
    char part[16384];
    size_t count;
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode))
        return dfl_fail(text->ctx, DFL_INVALID, "%s '%s' is not a plain file", what, file);
    errno = 0;
    FILE *from = fopen(path, "rb");
    while (from && text->length <= MOST_BYTES && (count = fread(part, 1, sizeof part, from)) > 0)
        dfl_text_bytes(text, part, count);
    const bool bad = !from || ferror(from);
    if (from)
        fclose(from);
    if (text->status)
        return text->status;
    if (bad)
        return dfl_fail(text->ctx, DFL_INVALID, "%s '%s' cannot be read: %s", what, file,
                        strerror(errno));
    if (text->length > MOST_BYTES)
        return dfl_fail(text->ctx, DFL_INVALID, "%s '%s' is longer than %d MiB", what, file,
                        MOST_BYTES >> 20);
    return DFL_OK;
}
