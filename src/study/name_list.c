/* name_list.c: names separated by commas. Commas inside brackets belong to a name. */
#include "study/study_internal.h"

#include <string.h>

dfl_status dfl_name_list_split(dfl_name_list *out, dfl_context *ctx, const char *list)
{
    *out = (dfl_name_list){.text = dfl_copy_string(ctx, list)};
    out->name = dfl_alloc(ctx, strlen(list) + 1, sizeof *out->name);
    if (!out->text || !out->name)
        return DFL_NO_MEMORY;
    char *from = out->text;
    int depth = 0;
    for (char *c = out->text;; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c && (*c != ',' || depth > 0))
            continue;
        const bool last = !*c;
        *c = 0;
        if (!*from)
            return dfl_fail(ctx, DFL_INVALID,
                            "'%s' has an empty name; give names separated by "
                            "commas",
                            list);
        for (int i = 0; i < out->count; i++)
            if (!strcmp(out->name[i], from))
                return dfl_fail(ctx, DFL_INVALID, "'%s' names %s twice", list, from);
        out->name[out->count++] = from;
        for (from = c + 1; !last && *from == ' ';)
            from++;
        if (last)
            return DFL_OK;
    }
}

void dfl_name_list_clear(dfl_name_list *names, dfl_context *ctx)
{
    dfl_free(ctx, names->text);
    dfl_free(ctx, names->name);
    *names = (dfl_name_list){0};
}
