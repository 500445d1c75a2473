/* Derivatives of all rows by differences that exploit the structure of the blocks. */
#include "eom/eom.h"
#include "linalg/linalg.h"

#include <string.h>

/* The stacked rows at (t, x) with fixed a and the constraint forces of `lm`; blocks outside
   `need` keep their old values. */
static dfl_outcome stacked_values(double *rows, dfl_system *sys, dfl_point *point, double t,
                                  const double *x, const double *lm, const double *a, unsigned need)
{
    const dfl_eom *eom = sys->eom;
    const int nc = sys->nc, nv = eom->nv;
    const dfl_blocks *b = &point->blocks;
    sys->stats->difference_evaluations++;
    int rc = eom->eval(&point->blocks, t, x, need & sys->need, eom->user);
    if (rc)
        return dfl_system_returned(sys, rc, "eval", t);
    memcpy(point->x + sys->na, x, (size_t)sys->nu * sizeof *x);
    point->t = t;
    double *acc = rows + eom->nw, *vel = acc + nc, *gam = vel + nc + eom->ne, *pos = gam + eom->n0;
    double *dif = pos + sys->m3, *dyn = dif + eom->nr;
    memcpy(rows, b->d, (size_t)eom->nw * sizeof *rows);
    for (int i = 0; i < nc; i++)
        acc[i] = b->bias[i];
    if (!sys->geoms)
        dfl_product(nc, 1, nv, 1, b->W, nc, a, nv, 1, acc, nc);
    memcpy(vel, b->gI, (size_t)nc * sizeof *rows);
    memcpy(vel + nc, b->e, (size_t)eom->ne * sizeof *rows);
    memcpy(gam, b->gam, (size_t)eom->n0 * sizeof *rows);
    memcpy(pos, b->c, (size_t)sys->m3 * sizeof *rows);
    memcpy(dif, point->dif, (size_t)(eom->nr + nv) * sizeof *rows);
    memcpy(dyn + nv, b->kin, (size_t)eom->np * sizeof *rows);
    if (sys->geoms)
        return DFL_STEP_OK;
    /* f - W^T (l,m) - M a */
    if (dfl_system_mass_at_points(sys) && (need & DFL_POSITION)) {
        dfl_outcome outcome = dfl_system_mass(point->M, sys, t, x);
        if (outcome)
            return outcome;
    }
    if (eom->residual)
        return dfl_system_dynamics(dyn, sys, point, a);
    dfl_outcome outcome = dfl_system_dynamics(dyn, sys, point, a);
    if (nc == 1)
        for (int i = 0; i < nv; i++)
            dyn[i] -= b->W[i] * *lm;
    else
        dfl_gemm_tn(nv, 1, nc, -1, b->W, nc, lm, nc, 1, dyn, nv);
    return outcome;
}

dfl_outcome dfl_system_stacked_rows(double *rows, dfl_system *sys, dfl_point *point, double t,
                                    const double *x, const double *a)
{
    return stacked_values(rows, sys, point, t, x, x + sys->eom->nw, a, DFL_EVERYTHING);
}

/* Which blocks can change with column j. */
static unsigned need_of_column(const dfl_system *sys, int j)
{
    const dfl_eom *eom = sys->eom;
    const int first_v = sys->at.v - sys->na, first_s = sys->at.sp - sys->na;
    unsigned need = DFL_FORCE | DFL_DYNAMIC | DFL_AUXILIARY;
    if (eom->n0 > 0)
        need |= DFL_VELOCITY;
    if (sys->geoms)
        need |= DFL_BIAS;
    if (j >= first_v)
        need |= DFL_KINEMATICS | DFL_VELOCITY | DFL_BIAS;
    if (j >= first_s)
        need |= DFL_POSITION | DFL_DIRECTIONS;
    return need;
}

/* Whether column j is that of a multiplier whose constraint force -W^T (l, m) need not be
   differenced. */
static bool known_force(const dfl_system *sys, int j)
{
    const int i = j - sys->eom->nw;
    return !sys->geoms && !sys->eom->residual && i >= 0 && i < sys->nc;
}

static void add_known_force(dfl_rows_jacobian *jac, const dfl_system *sys, int j)
{
    const int nc = sys->nc, nv = sys->n3, i = j - sys->eom->nw;
    for (int k = 0; k < nv; k++)
        jac->blocks.dyn[j * nv + k] -= jac->W[k * nc + i];
}

/* Columns of l and m when the forces do not contain them: -W^T. */
static bool known_column(dfl_rows_jacobian *jac, const dfl_system *sys, int j)
{
    const int i = j - sys->eom->nw;
    if (sys->geoms || !sys->eom->forces_free_of_multipliers || i < 0 || i >= sys->nc)
        return false;
    add_known_force(jac, sys, j);
    return true;
}

/* Puts (column - base)/delta into column j of all blocks; with groups only the rows of j. */
static void store_column(dfl_rows_jacobian *jac, const dfl_system *sys, int j, double delta)
{
    const dfl_stack *st = &jac->stack;
    const double *base = jac->base, *column = jac->column, inverse = 1 / delta;
    const dfl_pattern *pattern = jac->group ? sys->eom->structure->pattern : NULL;
    int k = pattern ? pattern->column_start[j] : 0, row = 0;
    for (int b = 0; b < DFL_BLOCKS; row += st->rows[b++]) {
        if (j < st->first_column[b])
            continue;
        double *out = st->block[b] + (size_t)(j - st->first_column[b]) * (size_t)st->rows[b];
        if (!pattern) {
            for (int i = 0; i < st->rows[b]; i++)
                out[i] = (column[row + i] - base[row + i]) * inverse;
            continue;
        }
        for (k = pattern->column_start[j]; k < pattern->column_start[j + 1]; k++) {
            const int i = pattern->row[k] - row;
            if (i >= 0 && i < st->rows[b])
                out[i] = (column[row + i] - base[row + i]) * inverse;
        }
    }
}

/* One difference: the columns j with member(j), all at once. If one side fails, the other is
   tried. */
static dfl_outcome difference(dfl_rows_jacobian *jac, dfl_system *sys, double t, const double *x,
                              const double *a, int first, int group)
{
    dfl_outcome outcome = DFL_STEP_OK;
    const bool force_apart = group < 0 && known_force(sys, first);
    const double *lm = (force_apart ? x : jac->x) + sys->eom->nw;
    for (int sign = 1; sign >= -1; sign -= 2) {
        unsigned need = 0;
        memcpy(jac->x, x, (size_t)sys->nu * sizeof *x);
        for (int j = first; j < (group < 0 ? first + 1 : sys->nu); j++)
            if (group < 0 || jac->group[j] == group) {
                jac->x[j] += sign * dfl_difference_increment(sys->rounding, x[j], jac->least[j]);
                need |= group < 0 ? need_of_column(sys, j) : DFL_EVERYTHING;
            }
        memcpy(jac->column, jac->base, (size_t)jac->stack.height * sizeof(double));
        outcome = stacked_values(jac->column, sys, &jac->scratch, t, jac->x, lm, a, need);
        if (outcome != DFL_STEP_RETRY)
            break;
    }
    for (int j = first; !outcome && j < (group < 0 ? first + 1 : sys->nu); j++)
        if (group < 0 || jac->group[j] == group)
            store_column(jac, sys, j, jac->x[j] - x[j]);
    if (!outcome && force_apart)
        add_known_force(jac, sys, first);
    return outcome;
}

dfl_outcome dfl_system_differences(dfl_rows_jacobian *jac, dfl_system *sys, double t,
                                   const double *x, const double *a)
{
    memset(jac->store, 0, (size_t)jac->stack.entries * sizeof(double));
    dfl_outcome outcome =
        stacked_values(jac->base, sys, &jac->scratch, t, x, x + sys->eom->nw, a, DFL_EVERYTHING);
    memcpy(jac->W, jac->scratch.blocks.W, (size_t)(sys->nc * sys->n3) * sizeof(double));
    dfl_increments_choose(jac, sys, x);
    if (jac->group) {
        for (int g = 0; !outcome && g < jac->ngroups; g++)
            outcome = difference(jac, sys, t, x, a, 0, g);
        return outcome;
    }
    /* positions last: the evaluations before them leave W, M and c, g, ep of the base in place */
    for (int j = 0; !outcome && j < sys->nu; j++)
        if (!known_column(jac, sys, j))
            outcome = difference(jac, sys, t, x, a, j, -1);
    return outcome;
}
