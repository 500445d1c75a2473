/* null_directions.c: K0 = L^-1 N as expressions (Arnold 2013; M K0 = 0).

   This is the elimination of mass_rank.c on expressions, with the same order and decisions: as
   soon as a velocity is free its row is treated as zero, whatever its expression. Only pivots that
   occur in a massless direction take part: y is 0 for all others, so their rows of M are not
   needed. */
#include "derive/massless_directions.h"

#include "derive/derive_internal.h"

#include <string.h>

/* The velocities that take part: first the pivots in their order, then the free ones. */
typedef struct part_of_M {
    int n, npivots;
    int *velocity; /* n */
    int *end;      /* n: number of pivots of the part after which it is gone */
    dfl_expr *E;   /* n x n: both triangles */
} part_of_M;

static dfl_status take_part(part_of_M *out, const dfl_equations *eq, const dfl_elimination *el);
static void clear_part(part_of_M *part, dfl_context *ctx);
static void eliminate(const part_of_M *part, dfl_graph *graph);
static dfl_status substitute_back(dfl_sparse *K0, int *room, const part_of_M *part, int free,
                                  dfl_expr *y, dfl_graph *graph);

dfl_status dfl_null_directions(dfl_sparse *K0, const dfl_equations *eq, const dfl_elimination *el)
{
    dfl_context *ctx = eq->model->ctx;
    int room = 0;
    part_of_M part = {0};
    dfl_expr *y = dfl_exprs(eq, eq->nv);
    dfl_status status = y ? take_part(&part, eq, el) : DFL_NO_MEMORY;
    if (!status)
        eliminate(&part, eq->graph);
    *K0 = (dfl_sparse){.nrows = eq->nv, .ncols = el->nfree};
    for (int k = 0; !status && k < el->nfree; k++)
        status = substitute_back(K0, &room, &part, k, y, eq->graph);
    if (!status)
        status = dfl_sparse_finish(K0, eq->graph);
    clear_part(&part, ctx);
    dfl_free(ctx, y);
    return status;
}

static dfl_status take_part(part_of_M *out, const dfl_equations *eq, const dfl_elimination *el)
{
    dfl_context *ctx = eq->model->ctx;
    int *place = dfl_alloc(ctx, (size_t)eq->nv, sizeof *place);
    out->velocity = dfl_alloc(ctx, (size_t)eq->nv, sizeof(int));
    out->end = dfl_alloc(ctx, (size_t)eq->nv, sizeof(int));
    if (place && out->velocity && out->end) {
        int passed = 0;
        for (int k = 0; k < el->rank; k++)
            if (el->support[el->order[k]]) {
                out->end[out->n] = out->n;
                out->velocity[out->n++] = el->order[k];
            }
        out->npivots = out->n;
        for (int k = 0; k < el->nfree; k++) {
            out->end[out->n] = 0;
            for (passed = 0; passed < el->after[k]; passed++)
                out->end[out->n] += el->support[el->order[passed]];
            out->velocity[out->n++] = el->free[k];
        }
        out->E = dfl_exprs(eq, out->n * out->n);
    }
    const bool enough = place && out->velocity && out->end && out->E;
    for (int i = 0; enough && i < out->n; i++)
        place[out->velocity[i]] = i + 1;
    for (int k = 0; enough && k < eq->M.count; k++) {
        const int i = place[eq->M.entry[k].row] - 1, j = place[eq->M.entry[k].col] - 1;
        if (i >= 0 && j >= 0)
            out->E[i + j * out->n] = eq->M.entry[k].expr;
    }
    dfl_free(ctx, place);
    return enough ? DFL_OK : DFL_NO_MEMORY;
}

static void clear_part(part_of_M *part, dfl_context *ctx)
{
    dfl_free(ctx, part->velocity);
    dfl_free(ctx, part->end);
    dfl_free(ctx, part->E);
}

/* Row k of E becomes that of L for the velocities that are left; expression 0 is the constant 0. */
static void eliminate(const part_of_M *part, dfl_graph *graph)
{
    const int n = part->n;
    dfl_expr *E = part->E;
    for (int k = 0; k < part->npivots; k++) {
        for (int j = 0; j < n; j++) {
            const dfl_expr entry = E[k + j * n];
            if (j == k || part->end[j] <= k || entry == 0)
                continue;
            const dfl_expr factor = dfl_div(graph, entry, E[k + k * n]);
            for (int i = 0; i <= j; i++) {
                if (i == k || part->end[i] <= k || E[i + k * n] == 0)
                    continue;
                const dfl_expr product = dfl_mul(graph, E[i + k * n], factor);
                E[i + j * n] = E[j + i * n] = dfl_sub(graph, E[i + j * n], product);
            }
            E[k + j * n] = factor;
        }
    }
}

/* Column `free` of K0: y is 1 at the free velocity, y_k = -sum_j L_kj y_j at the pivots before. */
static dfl_status substitute_back(dfl_sparse *K0, int *room, const part_of_M *part, int free,
                                  dfl_expr *y, dfl_graph *graph)
{
    const int n = part->n, own = part->npivots + free;
    memset(y, 0, (size_t)n * sizeof *y);
    y[own] = dfl_constant(graph, 1.0);
    for (int k = part->end[own] - 1; k >= 0; k--)
        for (int j = 0; j < n; j++)
            if (j != k && part->end[j] > k && y[j] != 0)
                y[k] = dfl_sub(graph, y[k], dfl_mul(graph, part->E[k + j * n], y[j]));
    dfl_status status = DFL_OK;
    for (int k = 0; !status && k < n; k++)
        if (y[k] != 0)
            status = dfl_sparse_add(K0, room, graph, part->velocity[k], free, y[k]);
    return status;
}
