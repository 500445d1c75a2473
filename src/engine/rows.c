/* rows.c: all expressions that the equations of a run consist of. */
#include "engine/engine_internal.h"

dfl_status dfl_runnable_rows(dfl_expr **out, int *count, const dfl_runnable *run, bool massless)
{
    const dfl_equations *eq = run->eq;
    const struct {
        const dfl_expr *rows;
        int count;
    } all[] = {{eq->rows.kin, eq->np},
               {eq->rows.f, eq->nv},
               {eq->rows.b, eq->nr},
               {eq->rows.d, eq->nw},
               {eq->rows.c, eq->ns},
               {eq->rows.g, eq->nl},
               {eq->rows.gI, eq->nl},
               {eq->rows.hv, eq->nm},
               {eq->rows.e, eq->ne},
               {eq->rows.ep, eq->nep},
               {eq->rows.gam, massless ? eq->n0 : 0},
               {eq->rows.bias, eq->nl + eq->nm}};
    const dfl_sparse *const matrices[] = {&eq->M, &eq->W, &eq->massless.K0};
    const dfl_mass_tree *tree = eq->model->tree;
    int most = eq->M.count + eq->W.count + eq->massless.K0.count;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        most += all[i].count;
    if (tree)
        most += 3 * tree->ndrives;
    most += 2 * eq->model->motions.count + 1; /* one more is added for switches */
    dfl_expr *rows = *out = dfl_alloc(run->ctx, (size_t)most, sizeof *rows);
    if (!rows)
        return DFL_NO_MEMORY;
    *count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < all[i].count; k++)
            rows[(*count)++] = all[i].rows[k];
    for (size_t i = 0; i < (massless ? 3 : 2); i++)
        for (int k = 0; k < matrices[i]->count; k++)
            rows[(*count)++] = matrices[i]->entry[k].expr;
    for (int k = 0; tree && k < 3 * tree->ndrives; k++)
        rows[(*count)++] = tree->drives[k];
    for (int k = 0; k < eq->model->motions.count; k++) {
        rows[(*count)++] = eq->model->motions.item[k].value;
        rows[(*count)++] = eq->model->motions.item[k].rate;
    }
    return DFL_OK;
}
