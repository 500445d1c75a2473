/* contact_rates.c: the rates of contact variables, s' = -c_s^-1 (c_p p' + c_t), as expressions.

   c_s consists of small independent groups, one per contact. Cramer's rule with shared minors
   solves each group, without a pivot that might vanish during the motion. */
#include "derive/derive_internal.h"
#include "derive/minors.h"

#include <string.h>

enum { LARGEST = DFL_LARGEST_MINORS }; /* rows of one group */

/* A group of k rows and columns of c_s. */
typedef struct group {
    int rows[LARGEST], cols[LARGEST];
    dfl_minors of;
} group;

static int find(int *parent, int i);
static void join(int *parent, int i, int j);
static dfl_status collect_group(group *grp, const dfl_equations *eq, int *parent, int root);
static void fill_group(group *grp, const dfl_sparse *cs);
static void solve_group(dfl_expr *out, dfl_graph *graph, group *grp, const dfl_expr *drift);

dfl_status dfl_contact_rates(dfl_expr *out, dfl_equations *eq, const dfl_expr *drift)
{
    dfl_context *ctx = eq->model->ctx;
    dfl_sparse cs = {0};
    dfl_expr *s = dfl_exprs(eq, eq->ns);
    int *parent = dfl_alloc(ctx, (size_t)(2 * eq->ns), sizeof *parent); /* rows, then columns */
    group *grp = dfl_alloc(ctx, 1, sizeof *grp);
    dfl_status status = s && parent && grp ? DFL_OK : DFL_NO_MEMORY;
    for (int i = 0; !status && i < eq->ns; i++)
        s[i] = dfl_equations_s(eq)[i].symbol;
    if (!status)
        status = dfl_jacobian_exprs(&cs, eq->graph, eq->rows.c, eq->ns, s, eq->ns);
    for (int i = 0; !status && i < 2 * eq->ns; i++)
        parent[i] = i;
    for (int k = 0; !status && k < cs.count; k++)
        join(parent, cs.entry[k].row, eq->ns + cs.entry[k].col);
    for (int root = 0; !status && root < 2 * eq->ns; root++) {
        if (find(parent, root) != root)
            continue;
        status = collect_group(grp, eq, parent, root);
        if (status)
            break;
        fill_group(grp, &cs);
        solve_group(out, eq->graph, grp, drift);
    }
    dfl_sparse_clear(&cs, ctx);
    dfl_free(ctx, s);
    dfl_free(ctx, parent);
    dfl_free(ctx, grp);
    return status;
}

static int find(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int i, int j)
{
    const int a = find(parent, i), b = find(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static dfl_status collect_group(group *grp, const dfl_equations *eq, int *parent, int root)
{
    int nrows = 0, ncols = 0;
    for (int i = 0; i < eq->ns; i++) {
        if (find(parent, i) == root && nrows++ < LARGEST)
            grp->rows[nrows - 1] = i;
        if (find(parent, eq->ns + i) == root && ncols++ < LARGEST)
            grp->cols[ncols - 1] = i;
    }
    const int first = nrows ? grp->rows[0] : grp->cols[0];
    const dfl_variable *s = &dfl_equations_s(eq)[first];
    if (nrows != ncols)
        return dfl_model_fail(
            eq->model, s->line,
            "contact '%s': %d equations for %d contact variables; each equation must "
            "contain the variable it determines",
            s->name, nrows, ncols);
    if (nrows > LARGEST)
        return dfl_model_fail(
            eq->model, s->line,
            "contact '%s': %d contact variables depend on each other, at most %d can "
            "be handled; split them into independent contacts",
            s->name, nrows, LARGEST);
    grp->of.k = nrows;
    return DFL_OK;
}

static void fill_group(group *grp, const dfl_sparse *cs)
{
    memset(grp->of.A, 0, sizeof grp->of.A); /* expression 0 is the constant 0 */
    for (int e = 0; e < cs->count; e++)
        for (int i = 0; i < grp->of.k; i++)
            for (int j = 0; j < grp->of.k; j++)
                if (cs->entry[e].row == grp->rows[i] && cs->entry[e].col == grp->cols[j])
                    grp->of.A[i][j] = cs->entry[e].expr;
}

/* s'_j = det(A with column j replaced by -drift) / det A */
static void solve_group(dfl_expr *out, dfl_graph *graph, group *grp, const dfl_expr *drift)
{
    const dfl_expr whole = dfl_determinant(graph, &grp->of);
    dfl_expr column[LARGEST];
    for (int i = 0; i < grp->of.k; i++)
        column[i] = drift[grp->rows[i]];
    for (int j = 0; j < grp->of.k; j++)
        out[grp->cols[j]] = dfl_neg(
            graph, dfl_div(graph, dfl_determinant_replaced(graph, &grp->of, j, column), whole));
}
