/* Derivatives of all rows: the user's blocks or differences of them, then assembled for the rows
   the integrator sees.

   With accelerations eliminated, a = M^-1 f_dyn, so d(W a + bias)/dx = acc + W M^-1 dyn, where acc
   and dyn are taken at fixed a. With carried accelerations the saddle blocks are in J1. */
#include "eom/eom_internal.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

static size_t mass_entries(const dfl_system *sys);
static dfl_stack stack_of(const dfl_system *sys);
static void bind_blocks(dfl_rows_jacobian *jac, const dfl_system *sys);
static dfl_status group_columns(dfl_rows_jacobian *jac, const dfl_system *sys);
static void assemble(dfl_rows_jacobian *jac, dfl_system *sys);
static dfl_outcome check_finite(const dfl_rows_jacobian *jac, dfl_system *sys, double t);

dfl_status dfl_rows_jacobian_init(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    dfl_context *ctx = sys->ctx;
    const size_t n = (size_t)sys->n, nu = (size_t)sys->nu, nv = (size_t)eom->nv;
    memset(jac, 0, sizeof *jac);
    jac->J1 = dfl_alloc(ctx, (size_t)sys->m1 * n, sizeof(double));
    jac->J2 = dfl_alloc(ctx, (size_t)sys->m2 * n, sizeof(double));
    jac->M = dfl_alloc(ctx, nv * nv, sizeof(double));
    jac->WM = dfl_alloc(ctx, (size_t)sys->nc * nv, sizeof(double));
    jac->stack = stack_of(sys);
    jac->base = dfl_alloc(ctx, (size_t)jac->stack.height, sizeof(double));
    jac->column = dfl_alloc(ctx, (size_t)jac->stack.height, sizeof(double));
    jac->x = dfl_alloc(ctx, nu, sizeof(double));
    jac->least = dfl_alloc(ctx, nu, sizeof(double));
    jac->W = dfl_alloc(ctx, (size_t)sys->nc * nv, sizeof(double));
    jac->store = dfl_alloc(ctx, (size_t)jac->stack.entries, sizeof(double));
    if (!jac->J1 || !jac->J2 || !jac->M || !jac->WM || !jac->base || !jac->column || !jac->x ||
        !jac->least || !jac->W || !jac->store)
        return DFL_NO_MEMORY;
    bind_blocks(jac, sys);
    dfl_status status = dfl_point_init(&jac->scratch, sys);
    return status ? status : group_columns(jac, sys);
}

void dfl_rows_jacobian_bind(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    dfl_point_bind(&jac->scratch, sys);
    memset(jac->J1, 0, (size_t)sys->m1 * (size_t)sys->n * sizeof(double));
    memset(jac->J2, 0, (size_t)sys->m2 * (size_t)sys->n * sizeof(double));
    if (sys->mass.constant)
        memcpy(jac->M, sys->mass.M, mass_entries(sys) * sizeof(double));
}

void dfl_rows_jacobian_clear(dfl_rows_jacobian *jac, dfl_context *ctx)
{
    dfl_free(ctx, jac->J1);
    dfl_free(ctx, jac->J2);
    dfl_free(ctx, jac->M);
    dfl_free(ctx, jac->WM);
    dfl_free(ctx, jac->base);
    dfl_free(ctx, jac->column);
    dfl_free(ctx, jac->x);
    dfl_free(ctx, jac->least);
    dfl_free(ctx, jac->W);
    dfl_free(ctx, jac->store);
    dfl_free(ctx, jac->group);
    dfl_point_clear(&jac->scratch, ctx);
}

static size_t mass_entries(const dfl_system *sys)
{
    const size_t nv = (size_t)sys->n3;
    return sys->mass.diagonal ? nv : nv * nv;
}

static dfl_stack stack_of(const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const dfl_layout at = dfl_eom_layout(eom);
    dfl_stack st = {
        .rows = {eom->nw, sys->nc, sys->nc + eom->ne, eom->n0, sys->m3, eom->nr, eom->nv, eom->np},
        .first_column = {0, 0, at.v, 0, at.s, 0, 0, at.v}};
    for (int k = 0; k < DFL_BLOCKS; k++) {
        st.height += st.rows[k];
        st.entries += (long)st.rows[k] * (sys->nu - st.first_column[k]);
    }
    return st;
}

static void bind_blocks(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    dfl_jacobian *b = &jac->blocks;
    double **const block[DFL_BLOCKS] = {&b->d,   &b->acc, &b->vel, &b->gam,
                                        &b->pos, &b->b,   &b->dyn, &b->kin};
    dfl_stack *st = &jac->stack;
    double *at = jac->store;
    for (int k = 0; k < DFL_BLOCKS; k++) {
        st->block[k] = *block[k] = at;
        at += (long)st->rows[k] * (sys->nu - st->first_column[k]);
    }
    jac->J3 = b->pos;
}

/* Greedy colouring: a column joins the first group none of whose columns shares a row with it. */
static dfl_status group_columns(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const dfl_structure *structure = sys->eom->structure;
    if (!structure || !structure->pattern || sys->eom->jacobian)
        return DFL_OK;
    const dfl_pattern *pattern = structure->pattern;
    const int n = sys->nu, rows = jac->stack.height;
    jac->group = dfl_alloc(sys->ctx, (size_t)n, sizeof(int));
    unsigned char *used = dfl_alloc(sys->ctx, (size_t)rows * (size_t)n, 1);
    if (!jac->group || !used) {
        dfl_free(sys->ctx, used);
        return DFL_NO_MEMORY;
    }
    for (int j = 0; j < n; j++) {
        const int from = pattern->column_start[j], to = pattern->column_start[j + 1];
        int group = 0;
        for (int k = from; k < to;)
            if (used[(size_t)group * (size_t)rows + (size_t)pattern->row[k]])
                group++, k = from;
            else
                k++;
        for (int k = from; k < to; k++)
            used[(size_t)group * (size_t)rows + (size_t)pattern->row[k]] = 1;
        jac->group[j] = group;
        if (group >= jac->ngroups)
            jac->ngroups = group + 1;
    }
    dfl_free(sys->ctx, used);
    return DFL_OK;
}

/* What need not be differenced: W = d(gI, hv)/dv, and with p' = v also g_p = G. Ranks are decided
   on these blocks, so their last digits matter. */
static void put_exact_blocks(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const int nc = sys->nc, nv = eom->nv, nl = eom->nl;
    if (sys->geoms)
        return;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            jac->blocks.vel[j * (nc + eom->ne) + i] = jac->W[j * nc + i];
    if (!eom->trivial_kinematics || eom->ns > 0)
        return;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nl; i++)
            jac->blocks.pos[j * sys->m3 + i] = jac->W[j * nc + i];
}

dfl_outcome dfl_system_jacobian(dfl_rows_jacobian *jac, dfl_system *sys, double t, const double *x,
                                const double *a)
{
    const dfl_eom *eom = sys->eom;
    const double *xu = x + sys->na;
    sys->stats->jacobians++;
    if (eom->jacobian) {
        memset(jac->store, 0, (size_t)jac->stack.entries * sizeof(double));
        const int rc = eom->jacobian(&jac->blocks, t, xu, sys->geoms ? NULL : a, eom->user);
        if (rc)
            return dfl_system_returned(sys, rc, "jacobian", t);
    } else {
        dfl_outcome outcome = dfl_system_differences(jac, sys, t, xu, a);
        if (outcome)
            return outcome;
        put_exact_blocks(jac, sys);
    }
    if (!sys->mass.constant) {
        dfl_outcome outcome = dfl_system_mass(jac->M, sys, t, xu);
        if (outcome)
            return outcome;
    }
    if (eom->n0 > 0 && eom->jacobian) { /* K0 for the saddle rows */
        sys->stats->evaluations++;
        const int rc = eom->eval(&jac->scratch.blocks, t, xu, DFL_DIRECTIONS, eom->user);
        if (rc)
            return dfl_system_returned(sys, rc, "eval", t);
    }
    assemble(jac, sys);
    return check_finite(jac, sys, t);
}

void dfl_stack_name_row(dfl_trouble *trouble, const dfl_eom *eom, int block, int row)
{
    const struct {
        dfl_kind kind;
        int rows;
    } part[DFL_BLOCKS][3] = {
        {{DFL_ROW_D, eom->nw}},
        {{DFL_ROW_GII, eom->nl}, {DFL_ROW_HI, eom->nm}},
        {{DFL_ROW_GI, eom->nl}, {DFL_ROW_HV, eom->nm}, {DFL_ROW_E, eom->ne}},
        {{DFL_ROW_GAM, eom->n0}},
        {{DFL_ROW_C, eom->ns}, {DFL_ROW_G, eom->nl}, {DFL_ROW_EP, eom->nep}},
        {{DFL_ROW_B, eom->nr}},
        {{DFL_ROW_F, eom->nv}},
        {{DFL_ROW_KIN, eom->np}},
    };
    int k = 0;
    while (k < 2 && row >= part[block][k].rows)
        row -= part[block][k++].rows;
    trouble->kind = part[block][k].kind;
    trouble->index = row;
}

/* All derivatives in use and M; the first row that is not finite is named. */
static dfl_outcome check_finite(const dfl_rows_jacobian *jac, dfl_system *sys, double t)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv, entries = (int)mass_entries(sys);
    const long used = eom->trivial_kinematics ? jac->blocks.kin - jac->store : jac->stack.entries;
    if (dfl_all_finite(jac->store, (int)used) &&
        (sys->mass.constant || dfl_all_finite(jac->M, entries)) &&
        (eom->n0 == 0 || dfl_all_finite(jac->scratch.blocks.K0, nv * eom->n0)))
        return DFL_STEP_OK;
    dfl_system_trouble(sys, DFL_STEP_NONFINITE, eom->jacobian ? "jacobian" : "eval", t);
    for (int i = 0; i < entries; i++)
        if (!isfinite(jac->M[i])) {
            if (!eom->failed)
                sys->trouble.callback = dfl_system_mass_callback(eom);
            sys->trouble.matrix = "M";
            sys->trouble.kind = DFL_ROW_F;
            sys->trouble.index = i % nv;
            return DFL_STEP_NONFINITE;
        }
    for (int i = 0; i < nv * eom->n0; i++)
        if (!isfinite(jac->scratch.blocks.K0[i])) {
            if (!eom->failed)
                sys->trouble.callback = "eval";
            sys->trouble.matrix = "K0";
            sys->trouble.kind = DFL_ROW_F;
            sys->trouble.index = i % nv;
            return DFL_STEP_NONFINITE;
        }
    const dfl_stack *st = &jac->stack;
    for (int b = 0; b < DFL_BLOCKS; b++)
        for (int i = 0; i < st->rows[b] * (sys->nu - st->first_column[b]); i++)
            if (!isfinite(st->block[b][i])) {
                dfl_stack_name_row(&sys->trouble, eom, b, i % st->rows[b]);
                return DFL_STEP_NONFINITE;
            }
    return DFL_STEP_NONFINITE;
}

/* to (rows at `row` of a matrix with leading dimension ld, from `column` on) := block */
static void place(double *to, int ld, int row, int column, const double *block, int rows, int cols)
{
    if (rows == 0)
        return;
    to += (size_t)column * (size_t)ld + (size_t)row;
    if (rows == ld) {
        memcpy(to, block, (size_t)rows * (size_t)cols * sizeof *to);
        return;
    }
    for (int j = 0; j < cols; j++, to += ld, block += rows)
        for (int i = 0; i < rows; i++)
            to[i] = block[i];
}

/* The saddle rows of carried accelerations: -M and -K0 next to dyn, K0^T, and W below them. */
static void place_saddle(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv, n0 = eom->n0, nc = sys->nc, ld = sys->m1;
    const double *K0 = jac->scratch.blocks.K0;
    double *J = jac->J1;
    for (int j = 0; j < nv; j++) {
        double *column = J + (size_t)j * (size_t)ld;
        for (int i = 0; i < nv; i++)
            column[i] = sys->mass.diagonal ? 0 : -jac->M[j * nv + i];
        if (sys->mass.diagonal)
            column[j] = -jac->M[j];
        for (int k = 0; k < n0; k++) {
            column[nv + k] = K0[k * nv + j];
            J[(size_t)(nv + k) * (size_t)ld + (size_t)j] = -K0[k * nv + j];
        }
        /* W = d(gI, hv)/dv */
        for (int i = 0; i < nc; i++)
            column[sys->row.acc + i] = jac->blocks.vel[j * (nc + eom->ne) + i];
    }
    place(J, ld, 0, sys->na, jac->blocks.dyn, nv, sys->nu);
}

/* acc + (W M^-1) dyn, in the rows of gII and hI */
static void place_eliminated(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const int nv = sys->n3, nu = sys->nu, nc = sys->nc, rows = nc + sys->eom->ne;
    const double *W = jac->blocks.vel;
    double *WM = jac->WM;
    for (int j = 0; j < nv; j++, W += rows, WM += nc) {
        const double inverse = 1 / jac->M[j];
        for (int i = 0; i < nc; i++)
            WM[i] = W[i] * inverse;
    }
    place(jac->J1, sys->m1, sys->row.acc, sys->na, jac->blocks.acc, nc, nu);
    dfl_product(nc, nu, nv, 1, jac->WM, nc, jac->blocks.dyn, nv, 1,
                jac->J1 + sys->na * sys->m1 + sys->row.acc, sys->m1);
}

/* gI, hv, e and, between them, gam */
static void place_velocity(dfl_rows_jacobian *jac, const dfl_system *sys)
{
    const int nc = sys->nc, ne = sys->eom->ne, n0 = sys->eom->n0, nvsp = sys->n3 + sys->n4;
    const double *vel = jac->blocks.vel;
    if (n0 == 0) {
        place(jac->J2, sys->m2, 0, sys->at.v, vel, nc + ne, nvsp);
        return;
    }
    for (int j = 0; j < nvsp; j++, vel += nc + ne) {
        place(jac->J2, sys->m2, 0, sys->at.v + j, vel, nc, 1);
        place(jac->J2, sys->m2, nc + n0, sys->at.v + j, vel + nc, ne, 1);
    }
    place(jac->J2, sys->m2, nc, sys->na, jac->blocks.gam, n0, sys->nu);
}

static void assemble(dfl_rows_jacobian *jac, dfl_system *sys)
{
    const dfl_jacobian *b = &jac->blocks;
    place(jac->J1, sys->m1, sys->row.d, sys->na, b->d, sys->eom->nw, sys->nu);
    if (sys->eliminated) {
        place_eliminated(jac, sys);
    } else if (!sys->psi1) {
        place(jac->J1, sys->m1, sys->row.acc, sys->na, b->acc, sys->nc, sys->nu);
        if (sys->carried)
            place_saddle(jac, sys);
    }
    place_velocity(jac, sys);
}
