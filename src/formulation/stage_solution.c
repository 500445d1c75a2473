/* stage_solution.c: all solutions of the linearized algebraic rows at single points, for
   derivatives by parameters.

   The exact linearization of a step needs the matrices of the general solution (general_solution.c)
   at each of its stages, with the ranks, invariants and selectors that the step has had. A twin
   forms them beside the matrices of Newton's iteration. */
#include "formulation/projected.h"

#include <string.h>

dfl_status dfl_formulation_twin(dfl_formulation **out, const dfl_formulation *form)
{
    dfl_formulation *twin = *out = dfl_alloc(form->sys->ctx, 1, form->class->size);
    if (!twin)
        return DFL_NO_MEMORY;
    twin->class = form->class;
    twin->sys = form->sys;
    twin->options = form->options;
    twin->traits = form->traits;
    twin->needs = form->needs;
    const dfl_status status = form->class->init(twin);
    if (status) {
        dfl_formulation_free(twin);
        *out = NULL;
        return status;
    }
    dfl_formulation_bind(twin);
    twin->stagewise = false;
    return DFL_OK;
}

/* One description serves for counting, writing and reading. */
typedef struct selection {
    unsigned char *bytes; /* NULL: only counted */
    size_t used;
    bool reading;
} selection;

static void carry(selection *s, void *data, size_t size)
{
    if (s->bytes && s->reading)
        memcpy(data, s->bytes + s->used, size);
    else if (s->bytes)
        memcpy(s->bytes + s->used, data, size);
    s->used += size;
}

static void carry_all(selection *s, dfl_projected *form)
{
    const dfl_system *sys = form->base.sys;
    const size_t d = sizeof(double), nv = (size_t)sys->n3, np = (size_t)sys->eom->np;
    carry(s, &form->base.rank2, sizeof form->base.rank2);
    carry(s, &form->base.rank3, sizeof form->base.rank3);
    carry(s, &form->base.defect, sizeof form->base.defect);
    carry(s, &form->base.nactive, sizeof form->base.nactive);
    carry(s, &form->dense.method, sizeof form->dense.method);
    carry(s, &form->newton.nfp, sizeof form->newton.nfp);
    carry(s, &form->newton.nsv, sizeof form->newton.nsv);
    carry(s, &form->newton.sv_identity, sizeof form->newton.sv_identity);
    carry(s, form->invariants.active, (size_t)sys->eom->ne);
    carry(s, form->pivot_p, (size_t)sys->n4);
    carry(s, form->pivot_v, nv);
    carry(s, form->dense.least2, (size_t)sys->nc * d);
    carry(s, form->dense.least3, (size_t)sys->m3 * d);
    carry(s, form->newton.Sp, np * np * d);
    carry(s, form->newton.Sv, nv * nv * d);
}

size_t dfl_formulation_selection_size(const dfl_formulation *form)
{
    selection count = {0};
    carry_all(&count, (dfl_projected *)form);
    return count.used;
}

void dfl_formulation_selection(void *bytes, const dfl_formulation *form)
{
    selection write = {.bytes = bytes};
    carry_all(&write, (dfl_projected *)form);
}

void dfl_formulation_select(dfl_formulation *twin, const void *bytes)
{
    selection read = {.bytes = (unsigned char *)bytes, .reading = true};
    carry_all(&read, (dfl_projected *)twin);
    ((dfl_projected *)twin)->have_selectors = true;
}

dfl_status dfl_stage_solution_init(dfl_stage_solution *out, const dfl_formulation *form)
{
    const dfl_system *sys = form->sys;
    const size_t K = (size_t)dfl_formulation_room(form), n = (size_t)sys->n;
    const size_t nd = (size_t)(sys->n2 + sys->n3 + sys->n4 + sys->nc);
    const size_t nv = (size_t)sys->n3;
    out->CB = dfl_alloc(sys->ctx, (n + 2 * nd) * K + nv * nv, sizeof *out->CB);
    if (!out->CB)
        return DFL_NO_MEMORY;
    out->SM = out->CB + n * K;
    out->SJ = out->SM + nd * K;
    out->Rv = out->SJ + nd * K;
    return DFL_OK;
}

void dfl_stage_solution_clear(dfl_stage_solution *solution, dfl_context *ctx)
{
    dfl_free(ctx, solution->CB);
}

dfl_outcome dfl_formulation_solution(dfl_stage_solution *out, dfl_formulation *twin,
                                     const dfl_rows_jacobian *jac, double t)
{
    dfl_projected *form = (dfl_projected *)twin;
    const dfl_rows_jacobian own = form->dense.jac;
    double *const CB = form->newton.CB, *const SM = form->newton.SM, *const SJ = form->newton.SJ;
    form->dense.jac = *jac;
    form->newton.CB = out->CB;
    form->newton.SM = out->SM;
    form->newton.SJ = out->SJ;
    const dfl_outcome outcome = dfl_projected_solve_at(form, out, t);
    if (!outcome)
        dfl_projected_rate_rows(out->Rv, form);
    form->dense.jac = own;
    form->newton.CB = CB;
    form->newton.SM = SM;
    form->newton.SJ = SJ;
    out->again = !outcome;
    out->ma = form->newton.ma;
    out->nd = form->newton.nd;
    out->nsv = form->newton.nsv;
    out->nfp = form->newton.nfp;
    out->Sv = form->newton.Sv;
    out->Sp = form->newton.Sp;
    out->active = form->invariants.active;
    return outcome;
}
