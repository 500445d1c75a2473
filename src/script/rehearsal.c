/* rehearsal.c: calls made one by one, in a model that nobody uses, so that each fails where it is
   made. */
#include "script/script_life.h"

struct dfl_rehearsal {
    dfl_script script;
};

dfl_status dfl_rehearsal_create(dfl_rehearsal **out, dfl_context *ctx, const char *path,
                                const dfl_script_options *options)
{
    *out = dfl_alloc(ctx, 1, sizeof **out);
    if (!*out)
        return DFL_NO_MEMORY;
    const dfl_status status = dfl_script_begin(&(*out)->script, ctx, path, options);
    if (status) {
        dfl_rehearsal_free(*out);
        *out = NULL;
    }
    return status;
}

void dfl_rehearsal_free(dfl_rehearsal *rehearsal)
{
    if (!rehearsal)
        return;
    dfl_context *ctx = rehearsal->script.ctx;
    dfl_script_end(&rehearsal->script);
    dfl_free(ctx, rehearsal);
}

dfl_status dfl_rehearsal_run(dfl_rehearsal *rehearsal, const char *text, size_t length)
{
    dfl_script *script = &rehearsal->script;
    const dfl_status status = dfl_script_run(script, text, length);
    for (size_t i = 0; i < length; i++)
        script->lines_before += text[i] == '\n';
    return status;
}
