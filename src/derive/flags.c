/* flags.c: which equations are constant, autonomous or linear, so that the solver can save work. */
#include "derive/derive_internal.h"

static bool is_linear(const dfl_equations *eq);
static bool any_jump(const dfl_graph *graph, unsigned kinds);
static bool any_depends(const dfl_graph *graph, const dfl_expr *rows, int count, unsigned kinds);
static bool any_entry_depends(const dfl_graph *graph, const dfl_sparse *matrix, unsigned kinds);

dfl_status dfl_derive_flags(dfl_equations *eq)
{
    const dfl_graph *graph = eq->graph;
    const unsigned multipliers = 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU;
    const unsigned time = 1U << DFL_SYM_TIME;
    const unsigned moving = time | 1U << DFL_SYM_P | 1U << DFL_SYM_S;
    eq->flags.forces_free_of_multipliers = !any_depends(graph, eq->rows.f, eq->nv, multipliers) &&
                                           !any_depends(graph, eq->rows.b, eq->nr, multipliers) &&
                                           !any_depends(graph, eq->rows.d, eq->nw, multipliers);
    eq->flags.mass_constant = !any_entry_depends(graph, &eq->M, moving);
    eq->flags.mass_diagonal = true;
    for (int k = 0; k < eq->M.count; k++)
        if (eq->M.entry[k].row != eq->M.entry[k].col)
            eq->flags.mass_diagonal = false;
    const struct {
        const dfl_expr *rows;
        int count;
    } all[] = {{eq->rows.kin, eq->np}, {eq->rows.f, eq->nv},   {eq->rows.b, eq->nr},
               {eq->rows.d, eq->nw},   {eq->rows.c, eq->ns},   {eq->rows.g, eq->nl},
               {eq->rows.gI, eq->nl},  {eq->rows.hv, eq->nm},  {eq->rows.e, eq->ne},
               {eq->rows.ep, eq->nep}, {eq->rows.gam, eq->n0}, {eq->rows.bias, eq->nl + eq->nm}};
    eq->flags.autonomous = !any_entry_depends(graph, &eq->M, time);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (any_depends(graph, all[i].rows, all[i].count, time))
            eq->flags.autonomous = false;
    const dfl_mass_tree *tree = eq->model->tree;
    if (tree) {
        bool constant;
        const dfl_status status = dfl_tree_mass_constant(&constant, eq);
        if (status)
            return status;
        eq->flags.mass_constant = eq->flags.mass_constant && constant;
        eq->flags.mass_diagonal = false;
        if (any_depends(graph, tree->drives, 3 * tree->ndrives, time))
            eq->flags.autonomous = false;
    }
    eq->flags.linear = is_linear(eq);
    return DFL_OK;
}

/* Whether all rows are affine in the unknowns: their derivatives contain no unknown, and they have
   no jumps, whose derivatives are zero. Masses by recursion are treated as not linear. */
static bool is_linear(const dfl_equations *eq)
{
    const unsigned unknowns = 1U << DFL_SYM_W | 1U << DFL_SYM_LAMBDA | 1U << DFL_SYM_MU |
                              1U << DFL_SYM_R | 1U << DFL_SYM_V | 1U << DFL_SYM_S |
                              1U << DFL_SYM_P | 1U << DFL_SYM_A;
    const dfl_sparse *const derivatives[] = {&eq->jacobian.d,
                                             &eq->jacobian.acc,
                                             &eq->jacobian.vel,
                                             &eq->jacobian.gam,
                                             &eq->jacobian.pos,
                                             &eq->jacobian.b,
                                             &eq->jacobian.dyn,
                                             &eq->jacobian.kin,
                                             &eq->M,
                                             &eq->W,
                                             &eq->massless.K0};
    for (size_t i = 0; i < sizeof derivatives / sizeof *derivatives; i++)
        if (any_entry_depends(eq->graph, derivatives[i], unknowns))
            return false;
    return eq->have_jacobians && !eq->model->tree && !any_jump(eq->graph, unknowns);
}

/* sign, floor or select that switches with one of these kinds of symbols, anywhere in the model. */
static bool any_jump(const dfl_graph *graph, unsigned kinds)
{
    for (uint32_t i = 0; i < graph->nnodes; i++) {
        const dfl_node *node = &graph->nodes[i];
        if ((node->op == DFL_OP_SIGN || node->op == DFL_OP_FLOOR || node->op == DFL_OP_SELECT) &&
            graph->nodes[node->a].depends & kinds)
            return true;
    }
    return false;
}

static bool any_depends(const dfl_graph *graph, const dfl_expr *rows, int count, unsigned kinds)
{
    for (int i = 0; i < count; i++)
        if (dfl_node_of(graph, rows[i])->depends & kinds)
            return true;
    return false;
}

static bool any_entry_depends(const dfl_graph *graph, const dfl_sparse *matrix, unsigned kinds)
{
    for (int k = 0; k < matrix->count; k++)
        if (dfl_node_of(graph, matrix->entry[k].expr)->depends & kinds)
            return true;
    return false;
}
