/* notes.c: what a model's builder found out that `driftless check` should tell: rows that were left out, better
   ways to draw a mechanism. */
#include "model/notes.h"

#include <string.h>

dfl_status dfl_model_note(dfl_model *model, const char *text)
{
    if (model->nnotes == model->max_notes) {
        const int room = 2 * model->max_notes + 8;
        char **larger = dfl_alloc(model->ctx, (size_t)room, sizeof *larger);
        if (!larger)
            return DFL_NO_MEMORY;
        if (model->nnotes > 0)
            memcpy(larger, model->notes, (size_t)model->nnotes * sizeof *larger);
        dfl_free(model->ctx, model->notes);
        model->notes = larger;
        model->max_notes = room;
    }
    char *copy = dfl_copy_string(model->ctx, text);
    if (!copy)
        return DFL_NO_MEMORY;
    model->notes[model->nnotes++] = copy;
    return DFL_OK;
}

void dfl_model_free_notes(dfl_model *model)
{
    for (int i = 0; i < model->nnotes; i++)
        dfl_free(model->ctx, model->notes[i]);
    dfl_free(model->ctx, model->notes);
}

void dfl_print_motions(dfl_text *text, const char *const *meanings, int count)
{
    static const char *const kinds[] = {"translation", "rotation"};
    const char *before = "";
    for (int kind = 0; kind < 2; kind++) {
        char axes[8];
        int n = 0;
        for (int i = 0; i < count; i++)
            if (meanings[i][1] == ' ' && strcmp(meanings[i] + 2, kinds[kind]) == 0 && n < 7)
                axes[n++] = meanings[i][0];
        for (int k = 1; k < n; k++) /* few: in alphabetical order */
            for (int j = k; j > 0 && axes[j] < axes[j - 1]; j--) {
                const char swap = axes[j];
                axes[j] = axes[j - 1];
                axes[j - 1] = swap;
            }
        for (int k = 0; k < n; k++)
            dfl_text_add(text, "%s%c", k == 0 ? before : k + 1 < n ? ", " : " and ", axes[k]);
        if (n > 0) {
            dfl_text_add(text, " %s", kinds[kind]);
            before = ", ";
        }
    }
    for (int i = 0; i < count; i++)
        if (meanings[i][1] != ' ') {
            dfl_text_add(text, "%s%s", before, meanings[i]);
            before = ", ";
        }
}
