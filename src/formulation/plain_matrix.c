/* Derivatives of the rows of the plain forms: E = -dF/dx' and J = dF/dx (plain.h). */
#include "formulation/plain.h"

#include <math.h>
#include <string.h>

static bool set_reference(dfl_plain *plain);
static void choose_rows(dfl_plain *plain);
static void assemble_dynamics(dfl_plain *plain);
static void assemble_kinematics(dfl_plain *plain);
static void assemble_accelerations(dfl_plain *plain);
static void assemble_rest(dfl_plain *plain);
static void assemble_redundant(dfl_plain *plain);

dfl_outcome dfl_plain_linearize(dfl_formulation *base, double t, const double *x, const double *a,
                                bool update)
{
    dfl_plain *plain = (dfl_plain *)base;
    dfl_system *sys = plain->base.sys;
    const size_t size = (size_t)sys->n * (size_t)sys->n * sizeof(double);
    (void)update;
    dfl_outcome outcome = dfl_system_jacobian(&plain->dense.jac, sys, t, x, a);
    if (outcome)
        return outcome;
    sys->trouble.t = t;
    if (!dfl_dense_split_velocity(base, plain->dense.jac.blocks.vel, sys->nc, plain->base.rank2,
                                  NULL, NULL))
        return dfl_system_part_trouble(sys, DFL_STEP_RANK, DFL_FAILURE_VELOCITY, t);
    if (!set_reference(plain))
        return dfl_system_part_trouble(sys, DFL_STEP_SINGULAR, DFL_FAILURE_POSITION, t);
    sys->stats->algebraic_decompositions++;
    memset(plain->E, 0, size);
    memset(plain->J, 0, size);
    assemble_dynamics(plain);
    assemble_kinematics(plain);
    if (plain->base.traits->acceleration != DFL_ACC_NONE)
        assemble_accelerations(plain);
    assemble_rest(plain);
    if (plain->base.defect > 0)
        assemble_redundant(plain);
    return DFL_STEP_OK;
}

/* The element (row, column) of E or J. */
static double *at(double *A, const dfl_plain *plain, int row, int column)
{
    return A + (size_t)column * (size_t)plain->n + row;
}

/* J[row.., column..] += factor B (rows x cols, leading dimension ld) */
static void add(dfl_plain *plain, int row, int column, double factor, const double *B, int ld,
                int rows, int cols)
{
    for (int j = 0; j < cols; j++) {
        double *out = at(plain->J, plain, row, column + j);
        for (int i = 0; i < rows; i++)
            out[i] += factor * B[(size_t)j * (size_t)ld + (size_t)i];
    }
}

static void add_identity(double *A, const dfl_plain *plain, int row, int column, double value,
                         int count)
{
    for (int i = 0; i < count; i++)
        *at(A, plain, row + i, column + i) += value;
}

/* The constraint matrices through which mu and tau act, and which rows are redundant. */
static bool set_reference(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    const int nc = sys->nc, ns = sys->eom->ns, nep = sys->eom->nep, np = sys->eom->np;
    const double *ep = plain->dense.jac.blocks.pos + ns * sys->m3 + ns + sys->eom->nl;
    memcpy(plain->W, plain->dense.jac.blocks.vel, (size_t)(nc * sys->n3) * sizeof(double));
    for (int j = 0; j < np; j++)
        for (int i = 0; i < nep; i++)
            plain->ep_p[j * nep + i] = ep[j * sys->m3 + i];
    if (plain->base.defect > 0)
        choose_rows(plain);
    return !plain->base.traits->tau_turns || dfl_plain_turning(plain->L, plain, &plain->dense.jac);
}

/* L Z = vel_sp [-c_s^-1 c_p; I] Z */
bool dfl_plain_turning(double *L, dfl_plain *plain, const dfl_rows_jacobian *jac)
{
    const dfl_system *sys = plain->base.sys;
    const dfl_eom *eom = sys->eom;
    const int nv = eom->nv, np = eom->np, ns = eom->ns, n4 = sys->n4, nc = sys->nc;
    const double *vel = jac->blocks.vel + nv * nc;
    const dfl_split_rule rule = {
        .method = DFL_METHOD_LU, .tolerance = 1e-14, .rank = -1, .leading = ns};
    double *LT = plain->LT;
    if (ns > 0) {
        if (!dfl_split_compute(plain->contact, &rule, jac->blocks.pos, sys->m3, ns, n4))
            return false;
        dfl_gemm(nc, np, n4, 1, vel, nc, plain->contact->N, n4, 0, LT, nc);
        vel = LT;
    }
    if (eom->trivial_kinematics)
        memcpy(L, vel, (size_t)(nc * nv) * sizeof *L);
    else
        dfl_gemm(nc, nv, np, 1, vel, nc, jac->blocks.kin, np, 0, L, nc);
    return true;
}

/* The row among first .. last-1 that is farthest from the rows taken; R: what these leave of all
   rows. */
static int farthest(const double *R, const dfl_plain *plain, int nc, int nv, int first, int last)
{
    double largest = -1;
    int best = first;
    for (int i = first; i < last; i++) {
        double size = 0;
        for (int j = 0; j < nv; j++)
            size += R[j * nc + i] * R[j * nc + i];
        if (plain->dropped[i] && size > largest)
            largest = size, best = i;
    }
    return best;
}

/* Takes row `row` and removes its direction from the others. */
static void take_row(double *R, dfl_plain *plain, int nc, int nv, int row)
{
    double square = 0;
    for (int j = 0; j < nv; j++)
        square += R[j * nc + row] * R[j * nc + row];
    for (int i = 0; i < nc; i++) {
        double dot = 0;
        for (int j = 0; j < nv; j++)
            dot += R[j * nc + i] * R[j * nc + row];
        for (int j = 0; i != row && j < nv; j++)
            R[j * nc + i] -= dot / square * R[j * nc + row];
    }
    plain->dropped[row] = 0;
}

/* Which rows of W are redundant: holonomic rows are taken first, so that g and gI lose the same
   rows. kernel = I - W W^+ projects onto ker W^T. */
static void choose_rows(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    const int nc = sys->nc, nv = sys->n3, nl = sys->eom->nl;
    const int holonomic = plain->base.rank3 - sys->eom->ns - sys->eom->nep;
    double *R = plain->dense.least;
    for (int i = 0; i < nc; i++) { /* rows of unit length */
        double square = 0;
        for (int j = 0; j < nv; j++)
            square += plain->W[j * nc + i] * plain->W[j * nc + i];
        for (int j = 0; j < nv; j++)
            R[j * nc + i] = square > 0 ? plain->W[j * nc + i] / sqrt(square) : 0;
        plain->dropped[i] = 1;
    }
    for (int k = 0; k < holonomic; k++)
        take_row(R, plain, nc, nv, farthest(R, plain, nc, nv, 0, nl));
    for (int k = holonomic; k < plain->base.rank2; k++)
        take_row(R, plain, nc, nv, farthest(R, plain, nc, nv, nl, nc));
    memset(plain->kernel, 0, (size_t)(nc * nc) * sizeof(double));
    for (int i = 0; i < nc; i++)
        plain->kernel[i * nc + i] = 1;
    dfl_gemm(nc, nc, nv, -1, plain->W, nc, plain->dense.split2->R, nv, 1, plain->kernel, nc);
}

/* rows of A (from `row`, v-columns) += factor M */
static void add_mass(double *A, dfl_plain *plain, int row, int column, double factor)
{
    const dfl_system *sys = plain->base.sys;
    const int nv = sys->n3;
    const double *M = plain->dense.jac.M;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            if (!sys->mass.diagonal || i == j)
                *at(A, plain, row + i, column + j) +=
                    factor * (sys->mass.diagonal ? M[j] : M[j * nv + i]);
}

static void assemble_dynamics(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    const dfl_form_traits *has = plain->base.traits;
    const int nv = sys->n3, nc = sys->nc;
    const double *dyn = plain->dense.jac.blocks.dyn;
    if (has->rates_are_a) {
        add_identity(plain->J, plain, 0, 0, 1, nv);
        add_identity(plain->E, plain, 0, sys->at.v, 1, nv);
    } else {
        add(plain, 0, sys->na, 1, dyn, nv, nv, sys->nu);
        add_mass(plain->E, plain, 0, sys->at.v, 1);
    }
    for (int k = 0; has->tau && k < nc; k++)
        for (int i = 0; i < nv; i++) { /* -W^T or -M W^T */
            double force = plain->W[i * nc + k];
            if (has->acceleration == DFL_ACC_CORRECTED && sys->mass.diagonal)
                force *= plain->dense.jac.M[i];
            else if (has->acceleration == DFL_ACC_CORRECTED) {
                force = 0;
                for (int j = 0; j < nv; j++)
                    force += plain->dense.jac.M[j * nv + i] * plain->W[j * nc + k];
            }
            *at(plain->J, plain, i, plain->col_tau + k) -= force;
        }
    if (has->acceleration == DFL_ACC_UNKNOWN) {
        add(plain, plain->row.a, sys->na, 1, dyn, nv, nv, sys->nu);
        add_mass(plain->J, plain, plain->row.a, 0, -1);
    }
}

/* -Z B^T into the columns of multipliers; B: rows x nv, leading dimension nc */
static void add_turn(dfl_plain *plain, int column, const double *B, int rows)
{
    const dfl_system *sys = plain->base.sys;
    const int nv = sys->n3, np = sys->eom->np, nc = sys->nc;
    const bool trivial = sys->eom->trivial_kinematics;
    for (int k = 0; k < rows; k++)
        for (int j = 0; j < nv; j++) {
            const double u = B[j * nc + k], *Z = plain->dense.jac.blocks.kin + j * np;
            double *out = at(plain->J, plain, plain->row.kin, column + k);
            if (trivial)
                out[j] -= u;
            for (int i = 0; !trivial && i < np; i++)
                out[i] -= Z[i] * u;
        }
}

static void assemble_kinematics(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    const dfl_eom *eom = sys->eom;
    const int np = eom->np, nep = eom->nep;
    add_identity(plain->E, plain, plain->row.kin, sys->at.p, 1, np);
    if (eom->trivial_kinematics)
        add_identity(plain->J, plain, plain->row.kin, sys->at.v, 1, np);
    else
        add(plain, plain->row.kin, sys->at.v, 1, plain->dense.jac.blocks.kin, np, np,
            sys->n3 + sys->n4);
    if (plain->base.traits->mu)
        add_turn(plain, plain->col_mu, plain->W, eom->nl);
    if (plain->base.traits->tau_turns)
        add_turn(plain, plain->col_tau, plain->L, sys->nc);
    for (int k = 0; plain->base.traits->mu && k < nep; k++)
        for (int i = 0; i < np; i++)
            *at(plain->J, plain, plain->row.kin + i, plain->col_eps + k) -=
                plain->ep_p[i * nep + k];
}

static void assemble_accelerations(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    const dfl_form_traits *has = plain->base.traits;
    const dfl_jacobian *b = &plain->dense.jac.blocks;
    const int nv = sys->n3, nc = sys->nc, nl = sys->eom->nl, ns = sys->eom->ns,
              row = plain->row.acc;
    const int nvsp = nv + sys->n4;
    const double alpha = fmax(0, plain->base.options->baumgarte.alpha),
                 beta = fmax(0, plain->base.options->baumgarte.beta);
    add(plain, row, sys->na, 1, b->acc, nc, nc, sys->nu);
    if (has->stabilised) {
        add(plain, row, sys->at.v, 2 * alpha, b->vel, nc, nl, nvsp);
        add(plain, row + nl, sys->at.v, alpha, b->vel + nl, nc, nc - nl, nvsp);
        add(plain, row, sys->at.sp, beta * beta, b->pos + ns, sys->m3, nl, sys->n4);
    }
    if (sys->geoms)
        return;
    if (has->acceleration == DFL_ACC_UNKNOWN) {
        add(plain, row, 0, 1, plain->W, nc, nc, nv);
        return;
    }
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nc; i++)
            *at(plain->E, plain, row + i, sys->at.v + j) -= plain->W[j * nc + i];
    if (has->acceleration != DFL_ACC_CORRECTED)
        return;
    for (int k = 0; k < nc; k++) /* W W^T */
        for (int j = 0; j < nv; j++)
            add(plain, row, plain->col_tau + k, plain->W[j * nc + k], plain->W + j * nc, nc, nc, 1);
}

static void assemble_rest(dfl_plain *plain)
{
    const dfl_system *sys = plain->base.sys;
    const dfl_eom *eom = sys->eom;
    const dfl_form_traits *has = plain->base.traits;
    const dfl_jacobian *b = &plain->dense.jac.blocks;
    const int nc = sys->nc, nl = eom->nl, ns = eom->ns, m3 = sys->m3, n4 = sys->n4;
    const int nvsp = sys->n3 + n4;
    add_identity(plain->E, plain, plain->row.b, sys->at.r, 1, eom->nr);
    add(plain, plain->row.b, sys->na, 1, b->b, eom->nr, eom->nr, sys->nu);
    add(plain, plain->row.d, sys->na, 1, b->d, eom->nw, eom->nw, sys->nu);
    add(plain, plain->row.c, sys->at.sp, 1, b->pos, m3, ns, n4);
    add(plain, plain->row.gI, sys->at.v, 1, b->vel, nc, has->velocity ? nl : 0, nvsp);
    add(plain, plain->row.hv, sys->at.v, 1, b->vel + nl, nc, has->nonholonomic ? eom->nm : 0, nvsp);
    add(plain, plain->row.g, sys->at.sp, 1, b->pos + ns, m3, has->position ? nl : 0, n4);
    add(plain, plain->row.ep, sys->at.sp, 1, b->pos + ns + nl, m3, has->mu ? eom->nep : 0, n4);
}

/* A row of one multiplier, or of the undetermined part of l and m. */
static void replace_row(dfl_plain *plain, int row, int redundant, int column)
{
    const dfl_system *sys = plain->base.sys;
    const int nc = sys->nc;
    for (int j = 0; j < plain->n; j++)
        *at(plain->J, plain, row, j) = *at(plain->E, plain, row, j) = 0;
    if (column >= 0)
        *at(plain->J, plain, row, column) = 1;
    for (int j = 0; column < 0 && j < nc; j++)
        *at(plain->J, plain, row, sys->at.l + j) = plain->kernel[j * nc + redundant];
}

/* As multiplier_rows of plain_rows.c has them. */
static void assemble_redundant(dfl_plain *plain)
{
    const dfl_form_traits *has = plain->base.traits;
    const int nc = plain->base.sys->nc, nl = plain->base.sys->eom->nl;
    const bool acc = has->acceleration != DFL_ACC_NONE;
    for (int i = 0; i < nc; i++) {
        if (!plain->dropped[i])
            continue;
        const bool has_velocity = i < nl ? has->velocity : has->nonholonomic;
        if (acc)
            replace_row(plain, plain->row.acc + i, i, -1);
        if (has_velocity)
            replace_row(plain, i < nl ? plain->row.gI + i : plain->row.hv + i - nl, i,
                        acc ? plain->col_tau + i : -1);
        if (has->position && i < nl)
            replace_row(plain, plain->row.g + i, i, has->mu ? plain->col_mu + i : -1);
    }
}
