/* findings.c: a diagnosis as a list: kinds, sentences, names, sizes. */
#include "model/checked.h"

#include <math.h>

static dfl_status add(dfl_checked *it, const char *kind, dfl_text *text, double size);
static dfl_status add_sets(dfl_checked *it);
static dfl_status add_missed(dfl_checked *it);

dfl_status dfl_checked_list(dfl_checked *it)
{
    const dfl_diagnosis *found = &it->diagnosis;
    dfl_text text = {.ctx = it->ctx};
    dfl_status status = add_sets(it);
    for (int i = 0; !status && i < it->derived.eq->nl; i++)
        status = add(it, dfl_describe_joint(&text, it->derived.eq, found, i), &text, NAN);
    for (int i = 0; !status && i < found->ndirections; i++)
        status = add(it, dfl_describe_direction(&text, it->derived.eq, &found->directions[i]),
                     &text, NAN);
    if (!status)
        status = add_missed(it);
    for (int i = 0; !status && i < it->derived.model->notes.count; i++) {
        dfl_text_add(&text, "%s", it->derived.model->notes.item[i]);
        status = add(it, "note", &text, NAN);
    }
    return status;
}

/* Takes the text; `kind` NULL: there is nothing to add. */
static dfl_status add(dfl_checked *it, const char *kind, dfl_text *text, double size)
{
    const dfl_status status = text->status;
    if (!kind || status) {
        dfl_text_clear(text);
        return status;
    }
    dfl_finding *list =
        dfl_grow(it->ctx, it->findings, &it->room, it->nfindings, sizeof *it->findings);
    if (!list) {
        dfl_text_clear(text);
        return DFL_NO_MEMORY;
    }
    it->findings = list;
    list[it->nfindings++] = (dfl_finding){.kind = kind, .text = text->data, .size = size};
    *text = (dfl_text){.ctx = it->ctx};
    return DFL_OK;
}

/* Names of the last finding. */
static dfl_status name(dfl_checked *it, const char *const *names, int count)
{
    const char **list = dfl_alloc(it->ctx, (size_t)count, sizeof *list);
    if (!list)
        return DFL_NO_MEMORY;
    for (int i = 0; i < count; i++)
        list[i] = names[i];
    it->findings[it->nfindings - 1].names = list;
    it->findings[it->nfindings - 1].nnames = count;
    return DFL_OK;
}

static dfl_status add_sets(dfl_checked *it)
{
    const dfl_diagnosis *found = &it->diagnosis;
    dfl_text text = {.ctx = it->ctx};
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < found->nsets; i++) {
        const dfl_dependent_set *set = &found->sets[i];
        const char *kind = dfl_describe_set(&text, it->derived.eq, set);
        const char **names = dfl_alloc(it->ctx, (size_t)set->count, sizeof *names);
        for (int k = 0; names && k < set->count; k++)
            names[k] = dfl_constraint_name(it->derived.eq, set->rows[k]);
        status =
            names ? add(it, kind, &text, kind && set->contradiction > 0 ? set->contradiction : NAN)
                  : DFL_NO_MEMORY;
        if (!status && kind)
            status = name(it, names, set->count);
        dfl_free(it->ctx, names);
    }
    dfl_text_clear(&text);
    return status;
}

/* Where given values miss constraints, one for each level. */
static dfl_status add_missed(dfl_checked *it)
{
    const dfl_diagnosis *found = &it->diagnosis;
    dfl_text text = {.ctx = it->ctx};
    dfl_status status = DFL_OK;
    for (int i = 0; !status && i < found->ngiven; i++) {
        const dfl_level_residual *level = &found->given[i];
        dfl_text_add(&text, "given values miss by %.2g %s, most in %s", level->residual,
                     level->level, level->name);
        status = add(it, "missed", &text, level->residual);
        if (!status)
            status = name(it, &level->name, 1);
    }
    return status;
}

void dfl_checked_clear_list(dfl_checked *it)
{
    for (int i = 0; i < it->nfindings; i++) {
        dfl_free(it->ctx, (void *)it->findings[i].text);
        dfl_free(it->ctx, (void *)it->findings[i].names);
    }
    dfl_free(it->ctx, it->findings);
}
