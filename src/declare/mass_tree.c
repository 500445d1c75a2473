/* mass_tree.c: the description of a tree of bodies, with expressions for its numbers. */
#include "declare/mass_tree.h"

enum { OF_EACH = 10, OF_LOOP = 20, OF_GRAVITY = 3, OF_DRIVE = 3, OF_ELASTIC = 12 };

dfl_status dfl_mass_tree_create(dfl_mass_tree **out, dfl_context *ctx,
                                const dfl_mass_tree_size *size)
{
    *out = NULL;
    dfl_mass_tree *tree = dfl_alloc(ctx, 1, sizeof *tree);
    if (!tree)
        return DFL_NO_MEMORY;
    const size_t numbers = (size_t)OF_EACH * (size_t)(size->bodies + size->joints) +
                           (size_t)OF_LOOP * (size_t)size->loops + OF_GRAVITY +
                           (size_t)OF_ELASTIC * (size_t)size->elastics;
    *tree = (dfl_mass_tree){.ctx = ctx};
    tree->bodies = dfl_alloc(ctx, (size_t)size->bodies, sizeof *tree->bodies);
    tree->joints = dfl_alloc(ctx, (size_t)size->joints, sizeof *tree->joints);
    tree->loops = dfl_alloc(ctx, (size_t)size->loops, sizeof *tree->loops);
    tree->rows = dfl_alloc(ctx, (size_t)size->rows, sizeof *tree->rows);
    tree->numbers = dfl_alloc(ctx, numbers, sizeof *tree->numbers);
    tree->p = dfl_alloc(ctx, (size_t)size->np, sizeof *tree->p);
    tree->v = dfl_alloc(ctx, (size_t)size->nv, sizeof *tree->v);
    tree->drives = dfl_alloc(ctx, (size_t)(OF_DRIVE * size->drives), sizeof *tree->drives);
    tree->elastics = dfl_alloc(ctx, (size_t)size->elastics, sizeof *tree->elastics);
    if (!tree->bodies || !tree->joints || !tree->loops || !tree->rows || !tree->numbers ||
        !tree->p || !tree->v || !tree->drives || !tree->elastics) {
        dfl_mass_tree_free(tree);
        return DFL_NO_MEMORY;
    }
    *out = tree;
    return DFL_OK;
}

static void free_elastic(dfl_tree_elastic *elastic, dfl_context *ctx)
{
    for (int i = 0; elastic->slaves && i < elastic->nslaves; i++)
        dfl_free(ctx, elastic->slaves[i].field);
    dfl_free(ctx, elastic->slaves);
    dfl_field_integrals_free(elastic->integrals);
}

void dfl_mass_tree_free(dfl_mass_tree *tree)
{
    if (!tree)
        return;
    dfl_context *ctx = tree->ctx;
    for (int i = 0; tree->bodies && i < tree->nbodies; i++)
        dfl_free(ctx, (char *)tree->bodies[i].name);
    for (int i = 0; tree->joints && i < tree->njoints; i++)
        dfl_free(ctx, (char *)tree->joints[i].name);
    for (int i = 0; tree->loops && i < tree->nloops; i++)
        dfl_free(ctx, (char *)tree->loops[i].name);
    for (int i = 0; tree->elastics && i < tree->nelastics; i++)
        free_elastic(&tree->elastics[i], ctx);
    void *const blocks[] = {tree->bodies, tree->joints, tree->loops,  tree->rows,    tree->numbers,
                            tree->p,      tree->v,      tree->drives, tree->elastics};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    dfl_free(ctx, tree);
}

void dfl_mass_tree_numbers(dfl_mass_tree *tree, double *place, const dfl_expr *exprs, int count)
{
    for (int i = 0; i < count; i++)
        tree->numbers[tree->nnumbers++] = (dfl_tree_number){exprs[i], place + i};
}

dfl_status dfl_mass_tree_build(dfl_tree **out, const dfl_mass_tree *tree)
{
    const dfl_multibody_description description = {
        .nbodies = tree->nbodies,
        .njoints = tree->njoints,
        .bodies = tree->bodies,
        .joints = tree->joints,
        .gravity = {tree->gravity[0], tree->gravity[1], tree->gravity[2]},
        .planar = tree->planar};
    return dfl_tree_create(out, tree->ctx, &description);
}

dfl_status dfl_mass_tree_close(dfl_loops **out, const dfl_mass_tree *tree, const dfl_tree *built)
{
    return dfl_loops_create(out, tree->ctx, built, tree->nloops, tree->loops, 0, NULL);
}
