/* Self-check: whether eval and jacobian stay inside their blocks. After the end of one block the
   next begins, so a row too many goes unnoticed where it is written; here there are marks between
   the blocks. */
#include "eom/self_check_internal.h"

#include <string.h>

enum { MARKS = 4 };                          /* behind each block */
static const double mark = -8.6420135797e77; /* nothing that a model would write */

/* A block of `size` numbers in the room of its callback. */
typedef struct region {
    double **block;
    size_t size;
    const char *name;
} region;

/* Lays the blocks out with marks between them, full of zeros. */
static double *lay_out(const region *regions, size_t count, dfl_context *ctx)
{
    size_t size = 0;
    for (size_t k = 0; k < count; k++)
        size += regions[k].size + MARKS;
    double *room = dfl_alloc(ctx, size, sizeof *room), *at = room;
    for (size_t k = 0; room && k < count; k++) {
        *regions[k].block = at;
        memset(at, 0, regions[k].size * sizeof *at);
        at += regions[k].size;
        for (int i = 0; i < MARKS; i++)
            *at++ = mark;
    }
    return room;
}

static dfl_status find_overrun(const dfl_check *c, const region *regions, size_t count,
                               const char *callback)
{
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < MARKS; i++)
            if ((*regions[k].block)[regions[k].size + (size_t)i] != mark)
                return dfl_fail(
                    c->sys->ctx, DFL_INVALID,
                    "self-check: %s writes beyond the end of %s, which has room for %zu", callback,
                    regions[k].name, regions[k].size);
    return DFL_OK;
}

static dfl_status check_eval(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const dfl_eom *eom = sys->eom;
    dfl_blocks b = c->work->blocks;
    const size_t nl = (size_t)eom->nl, nv = (size_t)eom->nv, nc = (size_t)sys->nc,
                 n0 = (size_t)eom->n0;
    const region regions[] = {{&b.kin, (size_t)eom->np, "kin"},
                              {&b.f, nv, "f"},
                              {&b.b, (size_t)eom->nr, "b"},
                              {&b.d, (size_t)eom->nw, "d"},
                              {&b.c, (size_t)eom->ns, "c"},
                              {&b.g, nl, "g"},
                              {&b.ep, (size_t)eom->nep, "ep"},
                              {&b.gI, nl, "gI"},
                              {&b.hv, (size_t)eom->nm, "hv"},
                              {&b.e, (size_t)eom->ne, "e"},
                              {&b.gam, n0, "gam"},
                              {&b.W, nc * nv, "W"},
                              {&b.K0, nv * n0, "K0"},
                              {&b.bias, nc, "bias"}};
    const size_t count = sizeof regions / sizeof *regions;
    double *room = lay_out(regions, count, sys->ctx);
    if (!room)
        return DFL_NO_MEMORY;
    const int rc = eom->eval(&b, c->point->t, c->point->x + sys->na, sys->need, eom->user);
    const dfl_status status =
        rc ? dfl_check_callback_failed(c, rc, "eval") : find_overrun(c, regions, count, "eval");
    dfl_free(sys->ctx, room);
    return status;
}

static dfl_status check_jacobian(dfl_check *c)
{
    const dfl_system *sys = c->sys;
    const dfl_stack *st = &c->jac->stack;
    dfl_jacobian b = c->jac->blocks;
    double **const block[DFL_BLOCKS] = {&b.d, &b.acc, &b.vel, &b.gam, &b.pos, &b.b, &b.dyn, &b.kin};
    static const char *const name[DFL_BLOCKS] = {"d",   "acc", "vel", "gam",
                                                 "pos", "b",   "dyn", "kin"};
    region regions[DFL_BLOCKS];
    for (int k = 0; k < DFL_BLOCKS; k++)
        regions[k] = (region){
            block[k], (size_t)st->rows[k] * (size_t)(sys->nu - st->first_column[k]), name[k]};
    double *room = lay_out(regions, DFL_BLOCKS, sys->ctx);
    if (!room)
        return DFL_NO_MEMORY;
    const int rc = sys->eom->jacobian(&b, c->point->t, c->point->x + sys->na,
                                      sys->geoms ? NULL : c->a, sys->eom->user);
    const dfl_status status = rc ? dfl_check_callback_failed(c, rc, "jacobian")
                                 : find_overrun(c, regions, DFL_BLOCKS, "jacobian");
    dfl_free(sys->ctx, room);
    return status;
}

dfl_status dfl_check_room(dfl_check *c)
{
    const dfl_status status = check_eval(c);
    return !status && c->sys->eom->jacobian ? check_jacobian(c) : status;
}
