/* mass_tree.c: the description of a tree of bodies, with expressions for its numbers. */
#include "declare/mass_tree.h"

enum { OF_EACH = 10, OF_GRAVITY = 3, OF_DRIVE = 3 };

dfl_status dfl_mass_tree_create(dfl_mass_tree **out, dfl_context *ctx, int nbodies, int njoints,
                                int np, int nv, int ndrives)
{
    *out = NULL;
    dfl_mass_tree *tree = dfl_alloc(ctx, 1, sizeof *tree);
    if (!tree)
        return DFL_NO_MEMORY;
    const size_t numbers = (size_t)OF_EACH * (size_t)(nbodies + njoints) + OF_GRAVITY;
    *tree = (dfl_mass_tree){
        .ctx = ctx, .nbodies = nbodies, .njoints = njoints, .np = np, .nv = nv, .ndrives = ndrives};
    tree->bodies = dfl_alloc(ctx, (size_t)nbodies, sizeof *tree->bodies);
    tree->joints = dfl_alloc(ctx, (size_t)njoints, sizeof *tree->joints);
    tree->numbers = dfl_alloc(ctx, numbers, sizeof *tree->numbers);
    tree->p = dfl_alloc(ctx, (size_t)np, sizeof *tree->p);
    tree->v = dfl_alloc(ctx, (size_t)nv, sizeof *tree->v);
    tree->drives = dfl_alloc(ctx, (size_t)(OF_DRIVE * ndrives), sizeof *tree->drives);
    if (!tree->bodies || !tree->joints || !tree->numbers || !tree->p || !tree->v || !tree->drives) {
        dfl_mass_tree_free(tree);
        return DFL_NO_MEMORY;
    }
    *out = tree;
    return DFL_OK;
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
    void *const blocks[] = {tree->bodies, tree->joints, tree->numbers,
                            tree->p,      tree->v,      tree->drives};
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
    const dfl_tree_description description = {
        .nbodies = tree->nbodies,
        .njoints = tree->njoints,
        .bodies = tree->bodies,
        .joints = tree->joints,
        .gravity = {tree->gravity[0], tree->gravity[1], tree->gravity[2]},
        .planar = tree->planar};
    return dfl_tree_create(out, tree->ctx, &description);
}
