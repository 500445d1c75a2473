/* packed_impulses.c: the impulses of a jump (impulses.c), with packed matrices: those of least norm
   on the rows, without velocities that are assigned. */
#include "initial/packed_start.h"

#include <string.h>

dfl_status dfl_packed_impulses(double *rows, double *along, dfl_initial *init, const dfl_jump *jump)
{
    const dfl_system *sys = &init->sys;
    const dfl_conditions assigned = {.held = jump->assigned};
    dfl_packed_start *ps = init->packed;
    const int nv = sys->n3, first = sys->at.v - sys->na;
    dfl_status status = dfl_packed_start_evaluate(init);
    if (!status)
        status = dfl_packed_least_rows(init);
    if (status)
        return status;
    for (int j = 0; j < nv; j++)
        ps->dx[j] = init->x[sys->at.v + j] - jump->before[first + j];
    dfl_packed_mass_product(along, sys, ps->jac.M, ps->dx);
    for (int j = 0; j < nv; j++)
        ps->dx[j] = jump->assigned[first + j] ? 0 : jump->impulse[j] - along[j];
    memset(rows, 0, (size_t)sys->nc * sizeof *rows);
    dfl_packed_take_units(init);
    dfl_packed_take_rows(init, &assigned);
    if (sys->nc > 0 && dfl_least_rows_factor(ps->least, ps->D, ps->A))
        dfl_least_rows_solve(rows, ps->least, ps->dx);
    dfl_csc_add_transposed(along, ps->W.start, ps->W.row, nv, init->point.blocks.W, 1, rows);
    for (int j = 0; j < nv; j++)
        if (!jump->assigned[first + j])
            along[j] = jump->impulse[j];
    return DFL_OK;
}
