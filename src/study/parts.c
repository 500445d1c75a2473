/* parts.c: the expressions that a script declares, with their lines. */
#include "study/study_internal.h"

#include "symbolic/symbolic.h"

static dfl_study_part part_number(const dfl_model *model, int i);

/* Declarations that are not rows have no expression here. Forces that motions cause follow them. */
dfl_status dfl_study_parts(dfl_study_part **out, int *count, const dfl_runnable *run)
{
    const dfl_model *model = eq_of(run)->model;
    const int most = model->declarations.count + model->forces.count + model->masses.count +
                     model->motions.count + 2;
    *count = 0;
    *out = dfl_alloc(ctx_of(run), (size_t)most, sizeof **out);
    for (int i = 0; *out && i < most; i++) {
        const dfl_study_part part = part_number(model, i);
        if (part.expr != DFL_NO_EXPR)
            (*out)[(*count)++] = part;
    }
    return *out ? DFL_OK : DFL_NO_MEMORY;
}

static dfl_study_part part_number(const dfl_model *model, int i)
{
    if (i < model->declarations.count) {
        const dfl_declaration *decl = &model->declarations.item[i];
        const bool row = decl->kind >= DFL_A_POSITION && decl->kind <= DFL_AN_INVARIANT;
        return (dfl_study_part){decl->name, decl->line, row ? decl->expr : DFL_NO_EXPR};
    }
    i -= model->declarations.count;
    if (i < model->motions.count)
        return (dfl_study_part){model->motions.item[i].name, model->motions.item[i].line,
                                model->motions.item[i].value};
    i -= model->motions.count;
    if (i < model->forces.count)
        return (dfl_study_part){"force", model->forces.item[i].line, model->forces.item[i].expr};
    i -= model->forces.count;
    if (i < model->masses.count)
        return (dfl_study_part){"mass", model->masses.item[i].line, model->masses.item[i].expr};
    i -= model->masses.count;
    return i == 0 ? (dfl_study_part){"kinetic", model->energy.kinetic_line, model->energy.kinetic}
                  : (dfl_study_part){"potential", model->energy.potential_line,
                                     model->energy.potential};
}

dfl_study_part dfl_study_part_containing(const dfl_runnable *run, dfl_expr expr)
{
    dfl_study_part *parts, found = {NULL, 0, DFL_NO_EXPR};
    int count;
    const dfl_status status = dfl_study_parts(&parts, &count, run);
    for (int i = 0; !status && !found.name && i < count; i++)
        if (dfl_study_contains(run, parts[i].expr, expr))
            found = parts[i];
    dfl_free(ctx_of(run), parts);
    return found;
}

bool dfl_study_contains(const dfl_runnable *run, dfl_expr root, dfl_expr sought)
{
    dfl_part below;
    if (sought > root || dfl_part_create(&below, eq_of(run)->graph, &root, 1))
        return false;
    const bool found = dfl_part_place(&below, sought) != DFL_NO_EXPR;
    dfl_part_clear(&below);
    return found;
}
