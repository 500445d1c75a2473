/* parameter_products.c: what parameters do to weighted sums of all rows, for sweeps backwards. Only
   slopes that are not zero are evaluated. */
#include "engine/engine_internal.h"
#include "engine/tree_parameters.h"
#include "linalg/linalg.h"

#include <driftless/program.h>

#include <string.h>

/* Slopes that are not zero, by blocks. */
static dfl_status list_entries(dfl_expr **out, dfl_run_parameters *all,
                               const dfl_equation_jacobian *derived)
{
    const dfl_sparse *const block[JACOBIAN_BLOCKS] = {&derived->d,   &derived->acc, &derived->vel,
                                                      &derived->gam, &derived->pos, &derived->b,
                                                      &derived->dyn, &derived->kin};
    dfl_context *ctx = all->run->ctx;
    size_t room = 1;
    for (int k = 0; k < JACOBIAN_BLOCKS; k++)
        room += (size_t)block[k]->count;
    *out = dfl_exprs(all->run->eq, (int)room);
    all->entry = dfl_alloc(ctx, room, sizeof *all->entry);
    all->value = dfl_alloc(ctx, room, sizeof *all->value);
    if (!*out || !all->entry || !all->value)
        return DFL_NO_MEMORY;
    for (int k = 0; k < JACOBIAN_BLOCKS; k++)
        for (int i = 0; i < block[k]->count; i++, all->nentries++) {
            const dfl_entry *from = &block[k]->entry[i];
            all->entry[all->nentries].block = k;
            all->entry[all->nentries].row = from->row;
            all->entry[all->nentries].col = from->col;
            (*out)[all->nentries] = from->expr;
        }
    return DFL_OK;
}

dfl_status dfl_run_products_create(dfl_run_parameters *all)
{
    dfl_runnable *run = all->run;
    dfl_equation_jacobian derived = {0};
    dfl_expr *exprs = NULL;
    dfl_status status =
        dfl_equations_slopes(&derived, run->eq, all->symbols, all->count + all->nmemory);
    if (!status)
        status = list_entries(&exprs, all, &derived);
    if (!status && run->switches.lock)
        status = dfl_lock(exprs, NULL, run->switches.lock, exprs, all->nentries, false);
    if (!status)
        status = dfl_program_create(&all->products, run, exprs, all->nentries);
    dfl_free(run->ctx, exprs);
    dfl_equation_jacobian_clear(&derived, run->ctx);
    return status;
}

/* The same of a tree of bodies. */
static void add_tree(double *out, const dfl_run_parameters *all, const dfl_jacobian *weight,
                     int nof, double t, const double *x, const double *a)
{
    const dfl_equations *eq = all->run->eq;
    const int nc = eq->nl + eq->nm, columns = all->count + all->nmemory;
    const struct {
        const double *slope, *weight;
        int rows;
    } block[] = {{all->blocks.acc, weight->acc, nc},
                 {all->blocks.vel, weight->vel, nc + eq->ne},
                 {all->blocks.pos, weight->pos, eq->ns + eq->nl + eq->nep},
                 {all->blocks.dyn, weight->dyn, eq->nv}};
    memset(all->room, 0, all->room_size * sizeof *all->room);
    dfl_tree_parameters_add((dfl_jacobian *)&all->blocks, all->tree, t, x, a);
    for (size_t k = 0; k < sizeof block / sizeof *block; k++)
        if (block[k].rows > 0)
            dfl_gemm_tn(columns, nof, block[k].rows, 1, block[k].slope, block[k].rows,
                        block[k].weight, block[k].rows, 1, out, columns);
}

int dfl_run_products(double *out, const dfl_jacobian *weight, int nof, double t, const double *x,
                     const double *a, void *user)
{
    const dfl_run_parameters *all = user;
    const dfl_equations *eq = all->run->eq;
    const int nc = eq->nl + eq->nm, columns = all->count + all->nmemory;
    const int rows[JACOBIAN_BLOCKS] = {
        eq->nw, nc, nc + eq->ne, eq->n0, eq->ns + eq->nl + eq->nep, eq->nr, eq->nv, eq->np};
    const double *const block[JACOBIAN_BLOCKS] = {weight->d,   weight->acc, weight->vel,
                                                  weight->gam, weight->pos, weight->b,
                                                  weight->dyn, weight->kin};
    double *values = all->value;
    if (dfl_interrupted(all->run->ctx)) /* a sweep over many steps has no other callback */
        return -1;
    dfl_runnable_follow(all->run, t, x);
    dfl_runnable_evaluate(&all->products, all->run, t, x, a, &values);
    for (int k = 0; k < nof; k++)
        for (int i = 0; i < all->nentries; i++)
            out[k * columns + all->entry[i].col] +=
                all->value[i] *
                block[all->entry[i].block][k * rows[all->entry[i].block] + all->entry[i].row];
    if (all->tree)
        add_tree(out, all, weight, nof, t, x, a);
    return 0;
}
