/* S(zeta) of the condensed system: pattern and numbers (condensed_internal.h).

   S = T^T (zeta^2 M + zeta (M B1 - dyn_v) - dyn_p Z) T with the velocities T of massless joints and
   the slope B1 of kinematics. Its symmetric part is factored. */
#include "formulation/condensed_internal.h"

#include "context/context.h"

#include <math.h>
#include <string.h>

/* Places while they are listed; with `list` NULL they are only counted. */
typedef struct listing {
    dfl_place_of_entry *list;
    int count;
} listing;

static dfl_status make_P(dfl_condensed *c);
static void list_all(listing *out, const dfl_condensed *c);
static dfl_status make_pattern(dfl_condensed *c, dfl_place_of_entry *list, int count);
static dfl_status make_mass(dfl_condensed *c);

dfl_status dfl_condensed_matrix_init(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    dfl_context *ctx = sys->ctx;
    const dfl_pattern *dyn = &sys->packed->dyn;
    const int v = dfl_eom_layout(sys->eom).v;
    c->damped = dyn->column_start[v + sys->n3] > dyn->column_start[v];
    dfl_status status = make_mass(c);
    if (!status)
        status = make_P(c);
    if (status)
        return status;
    listing count = {0};
    list_all(&count, c);
    const int heavy = c->joints.heavy, all = 2 * count.count + heavy;
    listing out = {.list = dfl_alloc(ctx, (size_t)all + 1, sizeof *out.list)};
    if (!out.list)
        return DFL_NO_MEMORY;
    list_all(&out, c);
    for (int k = 0; k < count.count; k++)
        out.list[count.count + k] = (dfl_place_of_entry){out.list[k].column, out.list[k].row};
    for (int j = 0; j < heavy; j++)
        out.list[2 * count.count + j] = (dfl_place_of_entry){j, j};
    status = make_pattern(c, out.list, count.count);
    dfl_free(ctx, out.list);
    return status;
}

void dfl_condensed_matrix_clear(dfl_condensed *c)
{
    dfl_context *ctx = c->form->base.sys->ctx;
    void *const block[] = {c->across, c->diagonal, c->at,  c->P_start, c->P_column,
                           c->P_kin,  c->P_T,      c->P,   c->damping, c->stiffness,
                           c->mass,   c->M_value,  c->M_at};
    for (size_t i = 0; i < sizeof block / sizeof *block; i++)
        dfl_free(ctx, block[i]);
    dfl_csc_clear(&c->S, ctx);
    dfl_csc_clear(&c->M, ctx);
}

/* -------------------------------------------------------------------------- M of velocities with
   mass */

static dfl_status make_mass(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    dfl_context *ctx = sys->ctx;
    const dfl_pattern *M = &sys->packed->M;
    const dfl_massless_joints *j = &c->joints;
    const bool diagonal = sys->mass.diagonal;
    const size_t room = (size_t)dfl_system_mass_entries(sys) + 1;
    dfl_place_of_entry *list = dfl_alloc(ctx, room, sizeof *list);
    int *at = dfl_alloc(ctx, room, sizeof *at), *from = dfl_alloc(ctx, room, sizeof *from);
    c->M_value = dfl_alloc(ctx, room, sizeof(double));
    dfl_status status = list && at && from && c->M_value ? DFL_OK : DFL_NO_MEMORY;
    int count = 0;
    for (int v = 0; !status && v < j->nv; v++)
        for (int k = diagonal ? v : M->column_start[v];
             k < (diagonal ? v + 1 : M->column_start[v + 1]); k++) {
            const int row = j->number[diagonal ? v : M->row[k]];
            if (j->number[v] < 0 || row < 0)
                continue;
            from[count] = k;
            list[count++] = (dfl_place_of_entry){row, j->number[v]};
        }
    if (!status)
        status = dfl_csc_create(&c->M, at, ctx, j->heavy, j->heavy, list, count);
    for (int k = 0; !status && k < count; k++)
        c->M_value[at[k]] = sys->mass.M[from[k]];
    dfl_free(ctx, list);
    dfl_free(ctx, at);
    dfl_free(ctx, from);
    return status;
}

/* -------------------------------------------------------------------------- positions by
   velocities */

static dfl_status make_P(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    dfl_context *ctx = sys->ctx;
    const dfl_massless_joints *j = &c->joints;
    const dfl_pattern *kin = c->motion.kin;
    const int np = sys->eom->np;
    if (!kin)
        return DFL_OK;
    c->P_start = dfl_alloc(ctx, (size_t)np + 2, sizeof(int));
    if (!c->P_start)
        return DFL_NO_MEMORY;
    for (int v = 0; v < j->nv; v++)
        for (int k = kin->column_start[v]; k < kin->column_start[v + 1]; k++)
            c->P_start[kin->row[k] + 2] += j->T_start[v + 1] - j->T_start[v];
    for (int i = 0; i < np; i++)
        c->P_start[i + 2] += c->P_start[i + 1];
    const size_t entries = (size_t)c->P_start[np + 1] + 1;
    c->P_column = dfl_alloc(ctx, entries, sizeof(int));
    c->P_kin = dfl_alloc(ctx, entries, sizeof(int));
    c->P_T = dfl_alloc(ctx, entries, sizeof(int));
    c->P = dfl_alloc(ctx, entries, sizeof(double));
    if (!c->P_column || !c->P_kin || !c->P_T || !c->P)
        return DFL_NO_MEMORY;
    for (int v = 0; v < j->nv; v++) /* P_start[i + 1] runs from the beginning of row i to its end */
        for (int k = kin->column_start[v]; k < kin->column_start[v + 1]; k++)
            for (int t = j->T_start[v]; t < j->T_start[v + 1]; t++) {
                const int to = c->P_start[kin->row[k] + 1]++;
                c->P_column[to] = j->T_column[t];
                c->P_kin[to] = k;
                c->P_T[to] = t;
            }
    return DFL_OK;
}

/* -------------------------------------------------------------------------- pattern */

static void place(listing *out, int row, int column)
{
    if (out->list)
        out->list[out->count] = (dfl_place_of_entry){row, column};
    out->count++;
}

/* T^T (entries of dyn from column `first` on) X with X by rows. */
static void list_product(listing *out, const dfl_condensed *c, int first, int columns,
                         const int *X_start, const int *X_column)
{
    const dfl_pattern *dyn = &c->form->base.sys->packed->dyn;
    const dfl_massless_joints *j = &c->joints;
    for (int col = 0; col < columns; col++)
        for (int k = dyn->column_start[first + col]; k < dyn->column_start[first + col + 1]; k++)
            for (int a = j->T_start[dyn->row[k]]; a < j->T_start[dyn->row[k] + 1]; a++)
                for (int b = X_start[col]; b < X_start[col + 1]; b++)
                    place(out, j->T_column[a], X_column[b]);
}

/* Whether a block of the kinematics has a slope that belongs to velocities with mass. */
static bool turns(const dfl_condensed *c, const dfl_motion_block *b)
{
    for (int k = 0; k < b->nv; k++)
        if (c->joints.number[c->motion.v[b->v + k]] < 0)
            return false;
    return b->np > 1;
}

static void list_mass(listing *out, const dfl_condensed *c)
{
    for (int col = 0; col < c->joints.heavy; col++) {
        for (int k = c->M.start[col]; k < c->M.start[col + 1]; k++)
            place(out, c->M.row[k], col);
    }
}

/* M B1: the columns of the block that a column of M belongs to. */
static void list_slopes(listing *out, const dfl_condensed *c)
{
    const dfl_motion_blocks *m = &c->motion;
    for (int i = 0; i < m->nblocks; i++) {
        const dfl_motion_block *b = &m->block[i];
        for (int a = 0; turns(c, b) && a < b->nv; a++) {
            const int col = c->joints.number[m->v[b->v + a]];
            for (int k = c->M.start[col]; k < c->M.start[col + 1]; k++)
                for (int to = 0; to < b->nv; to++)
                    place(out, c->M.row[k], c->joints.number[m->v[b->v + to]]);
        }
    }
}

static void list_all(listing *out, const dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const dfl_massless_joints *j = &c->joints;
    list_product(out, c, at.v, sys->n3, j->T_start, j->T_column);
    list_product(out, c, at.p, sys->eom->np, c->P ? c->P_start : j->T_start,
                 c->P ? c->P_column : j->T_column);
    list_slopes(out, c);
    list_mass(out, c);
}

/* The places come first; their mirror images and the diagonal follow. */
static dfl_status make_pattern(dfl_condensed *c, dfl_place_of_entry *list, int count)
{
    dfl_context *ctx = c->form->base.sys->ctx;
    const int heavy = c->joints.heavy;
    int *at = c->at = dfl_alloc(ctx, (size_t)(2 * count + heavy) + 1, sizeof *at);
    dfl_status status =
        at ? dfl_csc_create(&c->S, at, ctx, heavy, heavy, list, 2 * count + heavy) : DFL_NO_MEMORY;
    if (status)
        return status;
    const size_t entries = (size_t)c->S.start[heavy] + 1;
    c->across = dfl_alloc(ctx, entries, sizeof(int));
    c->diagonal = dfl_alloc(ctx, (size_t)heavy + 1, sizeof(int));
    c->mass = dfl_alloc(ctx, entries, sizeof(double));
    c->damping = dfl_alloc(ctx, entries, sizeof(double));
    c->stiffness = dfl_alloc(ctx, entries, sizeof(double));
    if (!c->across || !c->diagonal || !c->mass || !c->damping || !c->stiffness)
        return DFL_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        c->across[at[k]] = at[count + k];
        c->across[at[count + k]] = at[k];
    }
    for (int j = 0; j < heavy; j++)
        c->diagonal[j] = c->across[at[2 * count + j]] = at[2 * count + j];
    const int masses = c->M.start[heavy];
    c->M_at = dfl_alloc(ctx, (size_t)masses + 1, sizeof(int));
    for (int k = 0; c->M_at && k < masses; k++) {
        c->M_at[k] = at[count - masses + k];
        c->mass[c->M_at[k]] = c->M_value[k];
    }
    return c->M_at ? DFL_OK : DFL_NO_MEMORY;
}

/* -------------------------------------------------------------------------- numbers */

/* Returns the number of places used. */
static int add_product(double *S, const dfl_condensed *c, const int *at, int first, int columns,
                       const int *X_start, const double *X)
{
    const dfl_pattern *dyn = &c->form->base.sys->packed->dyn;
    const double *value = c->form->jac.blocks.dyn;
    const dfl_massless_joints *j = &c->joints;
    int used = 0;
    for (int col = 0; col < columns; col++)
        for (int k = dyn->column_start[first + col]; k < dyn->column_start[first + col + 1]; k++)
            for (int a = j->T_start[dyn->row[k]]; a < j->T_start[dyn->row[k] + 1]; a++)
                for (int b = X_start[col]; b < X_start[col + 1]; b++)
                    S[at[used++]] -= value[k] * j->T[a] * X[b];
    return used;
}

static void add_slopes(dfl_condensed *c, const int *at)
{
    const dfl_motion_blocks *m = &c->motion;
    double B1[64];
    int used = 0;
    for (int i = 0; i < m->nblocks; i++) {
        const dfl_motion_block *b = &m->block[i];
        if (!turns(c, b))
            continue;
        dfl_motion_block_slope(B1, m, b);
        for (int a = 0; a < b->nv; a++) {
            const int col = c->joints.number[m->v[b->v + a]];
            for (int k = c->M.start[col]; k < c->M.start[col + 1]; k++)
                for (int to = 0; to < b->nv; to++)
                    c->damping[at[used++]] += c->M_value[k] * B1[a * b->nv + to];
        }
    }
}

void dfl_condensed_matrix_update(dfl_condensed *c)
{
    const dfl_system *sys = c->form->base.sys;
    const dfl_layout at = dfl_eom_layout(sys->eom);
    const dfl_massless_joints *j = &c->joints;
    const double *kin = c->form->jac.blocks.kin;
    const size_t size = (size_t)c->S.start[c->S.columns] * sizeof(double);
    memset(c->damping, 0, size);
    memset(c->stiffness, 0, size);
    for (int k = 0; c->P && k < c->P_start[sys->eom->np]; k++)
        c->P[k] = kin[c->P_kin[k]] * j->T[c->P_T[k]];
    int used = add_product(c->damping, c, c->at, at.v, sys->n3, j->T_start, j->T);
    used += add_product(c->stiffness, c, c->at + used, at.p, sys->eom->np,
                        c->P ? c->P_start : j->T_start, c->P ? c->P : j->T);
    add_slopes(c, c->at + used);
}

double dfl_condensed_matrix_shift(dfl_condensed *c, int set)
{
    const double z[3] = {c->zeta[set][0], c->zeta[set][1], c->zeta[set][2]};
    const double z2[3] = {z[0] * z[0], z[1] * z[1] - z[2] * z[2], 2 * z[1] * z[2]};
    const int entries = c->S.start[c->S.columns];
    double *D = c->D[set], *size = c->work, worst = 0;
    for (int k = 0; k < entries; k++) {
        const double d = 0.5 * (c->damping[k] + c->damping[c->across[k]]);
        const double s = 0.5 * (c->stiffness[k] + c->stiffness[c->across[k]]), m = c->mass[k];
        D[DFL_SET * k] = z2[0] * m + z[0] * d + s;
        D[DFL_SET * k + 1] = z2[1] * m + z[1] * d + s;
        D[DFL_SET * k + 2] = z2[2] * m + z[2] * d;
        D[DFL_SET * k + 3] = 0;
    }
    for (int j = 0; j < c->S.columns; j++)
        size[j] = sqrt(fabs(D[DFL_SET * c->diagonal[j]]));
    for (int j = 0; j < c->S.columns; j++)
        for (int k = c->S.start[j]; k < c->S.start[j + 1]; k++) {
            const int other = c->across[k];
            const double skew =
                z[0] * (c->damping[k] - c->damping[other]) + c->stiffness[k] - c->stiffness[other];
            worst = fmax(worst, 0.5 * fabs(skew) / (size[j] * size[c->S.row[k]]));
        }
    return worst;
}

/* The larger of the real and the complex number, with a bound for the latter. */
static double size_of(const double *lanes)
{
    const double real = fabs(lanes[0]), complex = fabs(lanes[1]) + fabs(lanes[2]);
    return real > complex ? real : complex;
}

/* Of columns `A`; at NULL: entry k is number k. */
static double row_sum(const double *S, const dfl_csc *A, const int *at, int j, const double *scale)
{
    double sum = 0;
    for (int k = A->start[j]; k < A->start[j + 1]; k++)
        sum += size_of(S + DFL_SET * (at ? at[k] : k)) * scale[A->row[k]];
    return sum;
}

double dfl_condensed_matrix_lump(dfl_condensed *c, int set)
{
    const double *S = c->D[set];
    const int columns = c->S.columns;
    double *scale = c->work, worst = 0, total = 0;
    for (int j = 0; j < columns; j++) {
        const double *own = S + DFL_SET * c->diagonal[j];
        scale[j] = 1 / sqrt(fmin(fabs(own[0]), sqrt(own[1] * own[1] + own[2] * own[2])));
    }
    for (int j = 0; j < columns; j++) {
        const double others =
            row_sum(S, &c->S, NULL, j, scale) - row_sum(S, &c->M, c->M_at, j, scale);
        worst = fmax(worst, others * scale[j]);
        total += others;
    }
    for (int k = 0; k < c->M.start[columns]; k++)
        memcpy(c->blocks[set] + DFL_SET * k, S + DFL_SET * c->M_at[k], DFL_SET * sizeof *S);
    return isfinite(total) ? worst : INFINITY;
}
