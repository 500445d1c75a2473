/* packed.h: a model with dense matrices as one with patterns in which every entry is a nonzero:
   columns of such a pattern are those of the dense matrix, so all callbacks but `jacobian` stay
   what they are. */
#ifndef DFL_TESTS_PACKED_H
#define DFL_TESTS_PACKED_H

#include "eom/eom.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct packed_model {
    const dfl_eom *dense;
    dfl_context *ctx;
    dfl_system sys;
    dfl_rows_jacobian jac;
    dfl_statistics counters;
    dfl_sparsity sparsity;
    dfl_eom eom;
} packed_model;

static dfl_pattern packed_pattern(int rows, int columns)
{
    if (rows < 0 || columns < 0)
        abort();
    int *start = malloc(((size_t)columns + 1 + (size_t)(rows * columns)) * sizeof *start);
    assert_non_null(start);
    for (int j = 0; j <= columns; j++)
        start[j] = j * rows;
    for (int k = 0; k < rows * columns; k++)
        start[columns + 1 + k] = k % rows;
    return (dfl_pattern){start, start + columns + 1};
}

static int packed_eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    const packed_model *it = user;
    return it->dense->eval(out, t, x, need, it->dense->user);
}

static int packed_mass(double *M, double t, const double *x, void *user)
{
    const packed_model *it = user;
    return it->dense->mass(M, t, x, it->dense->user);
}

/* By differences of the dense model. */
static int packed_jacobian(dfl_jacobian *out, double t, const double *x, const double *a,
                           void *user)
{
    packed_model *it = user;
    const dfl_eom *m = it->dense;
    const dfl_jacobian *b = &it->jac.blocks;
    const int n = dfl_eom_unknowns(m), nc = m->nl + m->nm, sp = m->ns + m->np, vsp = m->nv + sp;
    if (dfl_system_differences(&it->jac, &it->sys, t, x, a))
        return 1;
    const struct {
        double *to;
        const double *from;
        int size;
    } block[] = {{out->d, b->d, m->nw * n},
                 {out->acc, b->acc, nc * n},
                 {out->vel, b->vel, (nc + m->ne) * vsp},
                 {out->gam, b->gam, m->n0 * n},
                 {out->pos, b->pos, (m->ns + m->nl + m->nep) * sp},
                 {out->b, b->b, m->nr * n},
                 {out->dyn, b->dyn, m->nv * n},
                 {out->kin, b->kin, m->np * vsp}};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        if (block[i].size > 0)
            memcpy(block[i].to, block[i].from, (size_t)block[i].size * sizeof *block[i].to);
    return 0;
}

/* it->eom is the packed model of `dense`, which has p' = Z v, with a state at which it can be
   evaluated. */
static void packed_create(packed_model *it, const dfl_eom *dense, double t, const double *x)
{
    const int n = dfl_eom_unknowns(dense), nc = dense->nl + dense->nm, nv = dense->nv;
    const int sp = dense->ns + dense->np, vsp = nv + sp;
    *it = (packed_model){.dense = dense, .ctx = dfl_context_create()};
    assert_int_equal(dfl_system_init(&it->sys, it->ctx, dense, false, &it->counters), DFL_OK);
    assert_int_equal(dfl_rows_jacobian_init(&it->jac, &it->sys), DFL_OK);
    assert_int_equal(dfl_system_decide(&it->sys, t, x, true), DFL_OK);
    dfl_rows_jacobian_bind(&it->jac, &it->sys);
    it->sparsity = (dfl_sparsity){.W = packed_pattern(nc, nv),
                                  .M = packed_pattern(nv, nv),
                                  .d = packed_pattern(dense->nw, n),
                                  .acc = packed_pattern(nc, n),
                                  .vel = packed_pattern(nc + dense->ne, vsp),
                                  .pos = packed_pattern(dense->ns + dense->nl + dense->nep, sp),
                                  .b = packed_pattern(dense->nr, n),
                                  .dyn = packed_pattern(nv, n),
                                  .kin = packed_pattern(dense->np, vsp),
                                  .K0 = packed_pattern(nv, dense->n0),
                                  .gam = packed_pattern(dense->n0, n)};
    it->eom = *dense;
    it->eom.eval = packed_eval;
    it->eom.mass = packed_mass;
    it->eom.jacobian = packed_jacobian;
    it->eom.sparsity = &it->sparsity;
    it->eom.user = it;
}

static void packed_free(packed_model *it)
{
    const dfl_sparsity *s = &it->sparsity;
    const dfl_pattern *const all[] = {&s->W, &s->M,   &s->d,   &s->acc, &s->vel, &s->pos,
                                      &s->b, &s->dyn, &s->kin, &s->K0,  &s->gam};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free((int *)all[i]->column_start);
    dfl_rows_jacobian_clear(&it->jac, it->ctx);
    dfl_system_clear(&it->sys);
    dfl_context_free(it->ctx);
}

#endif
