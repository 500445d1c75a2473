/* mechanism.c: the blocks of the equations of motion from the recursions.

   Massless directions that loops hold are taken out of K0: with B = W K0 of rank r, pivots in rows R
   and columns C (chosen once), the rest is K0 Y with Y = [-B_RC^-1 B_RF; 1], smooth as long as
   the pivots are regular. */
#include "multibody/mechanism_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Entries of W K0 below this part of the largest one of W are zero. */
static const double held_ratio = 1e-9;

static dfl_status create_parts(dfl_mechanism *m, const dfl_mechanism_description *d,
                               const double *p0);
static dfl_status place_springs(dfl_mechanism *m, const dfl_mechanism_description *d);
static dfl_status allocate(dfl_mechanism *m);
static void clear_column(double *B, int rows, int columns, int row, int column);
static void find_held(dfl_mechanism *m, const double *p0);
static void fill_eom(dfl_mechanism *m);
static void fill_names(dfl_mechanism *m);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_massless(dfl_blocks *out, dfl_mechanism *m, const double *v);
static int residual(double *y, double t, const double *x, const double *a, void *user);
static int mass(double *M, double t, const double *x, void *user);
static const char *name(dfl_kind kind, int index, void *user);

dfl_status dfl_mechanism_create(dfl_mechanism **out, dfl_context *ctx,
                                const dfl_mechanism_description *d, const double *p0)
{
    *out = NULL;
    dfl_mechanism *m = dfl_alloc(ctx, 1, sizeof *m);
    if (!m)
        return DFL_NO_MEMORY;
    m->ctx = ctx;
    m->force = d->force;
    m->slopes = d->slopes;
    m->drive = d->drive;
    m->user = d->user;
    const dfl_status status = create_parts(m, d, p0);
    if (status) {
        dfl_mechanism_free(m);
        return status;
    }
    *out = m;
    return DFL_OK;
}

static dfl_status create_parts(dfl_mechanism *m, const dfl_mechanism_description *d,
                               const double *p0)
{
    dfl_status status = dfl_tree_create(&m->tree, m->ctx, &d->tree);
    if (!status && dfl_tree_ndrives(m->tree) > 0 && !m->drive)
        status =
            dfl_fail(m->ctx, DFL_INVALID, "joints are driven, but nothing prescribes their motion");
    if (!status)
        status = dfl_loops_create(&m->loops, m->ctx, m->tree, d->nloops, d->loops, d->ncouplings,
                                  d->couplings);
    if (!status)
        status = dfl_tree_derivatives_create(&m->derivatives, m->ctx, m->tree);
    if (!status)
        status = place_springs(m, d);
    if (!status)
        status = allocate(m);
    if (status)
        return status;
    double *start = m->Y; /* has room for p */
    if (p0)
        memcpy(start, p0, (size_t)dfl_tree_np(m->tree) * sizeof *start);
    else
        dfl_tree_reference(start, m->tree);
    if (m->drive)
        m->drive(m->tree, 0.0, m->user);
    m->ranks = dfl_tree_decide_ranks(m->tree, start);
    find_held(m, start);
    fill_eom(m);
    fill_names(m);
    return m->held > 0 ? dfl_factor_create(&m->held_factor, m->ctx, m->held, false) : DFL_OK;
}

void dfl_mechanism_free(dfl_mechanism *m)
{
    if (!m)
        return;
    dfl_context *ctx = m->ctx;
    void *blocks[] = {m->spring, m->tau,      m->a, m->gam, m->K0,       m->Tq,          m->Tv,
                      m->M,      m->Y,        m->W, m->B,   m->held_row, m->held_column, m->name_p,
                      m->name_v, m->name_row, m->G, m->mu,  m->gam_held};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    dfl_factor_free(m->held_factor, ctx);
    dfl_tree_derivatives_free(m->derivatives);
    dfl_loops_free(m->loops);
    dfl_tree_free(m->tree);
    dfl_free(ctx, m);
}

static dfl_status place_springs(dfl_mechanism *m, const dfl_mechanism_description *d)
{
    m->spring = dfl_alloc(m->ctx, (size_t)d->nsprings, sizeof *m->spring);
    if (!m->spring)
        return DFL_NO_MEMORY;
    m->nsprings = d->nsprings;
    for (int i = 0; i < d->nsprings; i++) {
        const dfl_joint_spring *s = &d->springs[i];
        const int p =
            s->joint >= 0 && s->joint < d->tree.njoints ? dfl_tree_joint_p(m->tree, s->joint) : -1;
        const int v = p >= 0 ? dfl_tree_joint_v(m->tree, s->joint) + s->component : -1;
        const dfl_joint_kind kind = p >= 0 ? d->tree.joints[s->joint].kind : DFL_JOINT_FIXED;
        if (p < 0 || s->component < 0 || v >= dfl_tree_nv(m->tree) ||
            dfl_tree_joint_of(m->tree, v) != s->joint || kind == DFL_JOINT_SPHERICAL ||
            kind == DFL_JOINT_FREE)
            return dfl_fail(m->ctx, DFL_INVALID,
                            "spring %d: motion %d of joint %d is not an angle or a shift", i,
                            s->component, s->joint);
        m->spring[i] = (placed_spring){p + s->component, v, s->stiffness, s->damping, s->rest};
    }
    return DFL_OK;
}

static dfl_status allocate(dfl_mechanism *m)
{
    dfl_context *ctx = m->ctx;
    const size_t nv = (size_t)dfl_tree_nv(m->tree), np = (size_t)dfl_tree_np(m->tree);
    const size_t rows = (size_t)dfl_loops_rows(m->loops), d = sizeof(double);
    m->tau = dfl_alloc(ctx, nv, d);
    m->a = dfl_alloc(ctx, nv, d);
    m->gam = dfl_alloc(ctx, nv, d);
    m->K0 = dfl_alloc(ctx, nv * nv, d);
    m->Tq = dfl_alloc(ctx, nv * nv, d);
    m->Tv = dfl_alloc(ctx, nv * nv, d);
    m->M = dfl_alloc(ctx, nv * nv, d);
    m->Y = dfl_alloc(ctx, (nv + 1) * (np + nv), d);
    m->W = dfl_alloc(ctx, rows * nv, d);
    m->B = dfl_alloc(ctx, rows * nv, d);
    m->G = dfl_alloc(ctx, 2 * rows * nv, d);
    m->mu = dfl_alloc(ctx, rows, d);
    m->gam_held = dfl_alloc(ctx, nv, d);
    m->held_row = dfl_alloc(ctx, nv, sizeof(int));
    m->held_column = dfl_alloc(ctx, nv, sizeof(int));
    m->name_p = dfl_alloc(ctx, np, NAME_LENGTH);
    m->name_v = dfl_alloc(ctx, nv, NAME_LENGTH);
    m->name_row = dfl_alloc(ctx, rows, NAME_LENGTH);
    return m->tau && m->a && m->gam && m->K0 && m->Tq && m->Tv && m->M && m->Y && m->W && m->B &&
                   m->G && m->mu && m->gam_held && m->held_row && m->held_column && m->name_p &&
                   m->name_v && m->name_row
               ? DFL_OK
               : DFL_NO_MEMORY;
}

/* ------------------------------------------------------------------ massless directions and loops */

void dfl_mechanism_null_space(dfl_mechanism *m, const double *v, const double *tau)
{
    const int nv = dfl_tree_nv(m->tree), rows = dfl_loops_rows(m->loops), n0 = m->ranks.n0;
    dfl_tree_forward(m->a, m->gam, m->tree, v, tau, NULL);
    dfl_tree_null_space(m->K0, nv, m->tree);
    if (rows == 0)
        return;
    dfl_tree_poses(m->tree);
    dfl_loops_directions(m->W, rows, m->loops);
    dfl_gemm(rows, n0, nv, 1.0, m->W, rows, m->K0, nv, 0.0, m->B, rows);
}

/* Divides the pivot row and clears its column elsewhere. */
static void clear_column(double *B, int rows, int columns, int row, int column)
{
    const double pivot = B[row + column * rows];
    for (int c = 0; c < columns; c++)
        B[row + c * rows] /= pivot;
    for (int r = 0; r < rows; r++) {
        const double factor = B[r + column * rows];
        for (int c = 0; c < columns && r != row; c++)
            B[r + c * rows] -= factor * B[row + c * rows];
    }
}

/* The pivots of B by complete pivoting; each pivot's column is massless but held by a loop. */
static void find_held(dfl_mechanism *m, const double *p0)
{
    const int nv = dfl_tree_nv(m->tree), rows = dfl_loops_rows(m->loops), n0 = m->ranks.n0;
    if (n0 == 0 || rows == 0)
        return;
    double largest = 0.0;
    memset(m->tau, 0, (size_t)nv * sizeof *m->tau);
    dfl_tree_place(m->tree, p0);
    dfl_mechanism_null_space(m, m->tau, m->tau);
    for (int i = 0; i < rows * nv; i++)
        largest = fmax(largest, fabs(m->W[i]));
    for (m->held = 0; m->held < rows && m->held < n0; m->held++) {
        int row = 0, column = 0;
        double best = held_ratio * largest;
        bool found = false;
        for (int i = 0; i < rows * n0; i++) {
            bool used = false;
            for (int k = 0; k < m->held; k++)
                used = used || m->held_row[k] == i % rows || m->held_column[k] == i / rows;
            if (used || !(fabs(m->B[i]) > best))
                continue;
            best = fabs(m->B[i]);
            row = i % rows;
            column = i / rows;
            found = true;
        }
        if (!found)
            break;
        m->held_row[m->held] = row;
        m->held_column[m->held] = column;
        clear_column(m->B, rows, n0, row, column);
    }
}

int dfl_mechanism_reduce(double *K0, double *gam, dfl_mechanism *m)
{
    const int nv = dfl_tree_nv(m->tree), rows = dfl_loops_rows(m->loops), n0 = m->ranks.n0;
    int left = 0;
    for (int k = 0; k < m->held; k++)
        clear_column(m->B, rows, n0, m->held_row[k], m->held_column[k]);
    for (int c = 0; c < n0; c++) {
        bool held = false;
        for (int k = 0; k < m->held; k++)
            held = held || m->held_column[k] == c;
        if (held)
            continue;
        double sum = m->gam[c];
        if (K0)
            memcpy(K0 + (long)left * nv, m->K0 + (long)c * nv, (size_t)nv * sizeof *K0);
        for (int k = 0; k < m->held; k++) {
            const double y = -m->B[m->held_row[k] + c * rows];
            const double *column = m->K0 + (long)m->held_column[k] * nv;
            sum += y * m->gam[m->held_column[k]];
            for (int i = 0; i < nv && K0; i++)
                K0[i + (long)left * nv] += y * column[i];
        }
        if (gam)
            gam[left] = sum;
        left++;
    }
    return left;
}

/* ------------------------------------------------------------------ the equations */

static void fill_eom(dfl_mechanism *m)
{
    dfl_eom *eom = &m->eom;
    eom->np = dfl_tree_np(m->tree);
    eom->nv = dfl_tree_nv(m->tree);
    eom->nl = dfl_loops_rows(m->loops);
    eom->nep = dfl_tree_nquaternions(m->tree);
    eom->n0 = m->ranks.n0 - m->held;
    eom->eval = eval;
    eom->residual = residual;
    eom->mass = mass;
    eom->name = name;
    eom->user = m;
    if (m->slopes || !m->force)
        eom->jacobian = dfl_mechanism_jacobian;
    eom->trivial_kinematics = eom->nep == 0;
    eom->autonomous = !m->force && !m->drive;
    eom->forces_free_of_multipliers = true;
}

const dfl_eom *dfl_mechanism_eom(const dfl_mechanism *m)
{
    return &m->eom;
}

dfl_tree *dfl_mechanism_tree(dfl_mechanism *m)
{
    return m->tree;
}

dfl_tree_ranks dfl_mechanism_ranks(const dfl_mechanism *m)
{
    return m->ranks;
}

void dfl_mechanism_arrive(dfl_mechanism *m, double t, const double *p, const double *v)
{
    if (m->drive)
        m->drive(m->tree, t, m->user);
    dfl_tree_place(m->tree, p);
    dfl_tree_poses(m->tree);
    dfl_tree_velocities(m->tree, v);
}

int dfl_mechanism_forces(double *tau, dfl_mechanism *m, double t, const double *p, const double *v)
{
    memset(tau, 0, (size_t)m->eom.nv * sizeof *tau);
    for (int i = 0; i < m->nsprings; i++) {
        const placed_spring *s = &m->spring[i];
        tau[s->v] -= s->stiffness * (p[s->p] - s->rest) + s->damping * v[s->v];
    }
    return m->force ? m->force(tau, m->tree, t, p, v, m->user) : 0;
}

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    dfl_mechanism *m = user;
    const dfl_eom *eom = &m->eom;
    const double *v = x + eom->nl, *p = v + eom->nv;
    int result = 0;
    dfl_mechanism_arrive(m, t, p, v);
    if (need & DFL_KINEMATICS)
        dfl_tree_kinematics(out->kin, m->tree, p, v);
    if (need & DFL_POSITION) {
        dfl_loops_position(out->g, m->loops, p);
        for (int i = 0; i < eom->nep; i++) {
            const double *e = p + dfl_tree_quaternion(m->tree, i);
            out->ep[i] = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0;
        }
    }
    if (need & DFL_VELOCITY)
        dfl_loops_velocity(out->gI, m->loops, v);
    if (need & DFL_BIAS)
        dfl_loops_bias(out->bias, m->loops);
    if (need & DFL_DIRECTIONS)
        dfl_loops_directions(out->W, eom->nl, m->loops);
    if (need & DFL_FORCE || (eom->n0 > 0 && need & (DFL_VELOCITY | DFL_DIRECTIONS)))
        result = dfl_mechanism_forces(m->tau, m, t, p, v);
    if (!result && eom->n0 > 0 && need & (DFL_VELOCITY | DFL_DIRECTIONS))
        eval_massless(out, m, v);
    if (!result && need & DFL_FORCE) { /* f = tau - C */
        memset(m->a, 0, (size_t)eom->nv * sizeof *m->a);
        dfl_tree_inverse(out->f, m->tree, v, m->a, NULL);
        for (int i = 0; i < eom->nv; i++)
            out->f[i] = m->tau[i] - out->f[i];
    }
    return result;
}

static void eval_massless(dfl_blocks *out, dfl_mechanism *m, const double *v)
{
    dfl_mechanism_null_space(m, v, m->tau);
    dfl_mechanism_reduce(out->K0, out->gam, m);
}

static int residual(double *y, double t, const double *x, const double *a, void *user)
{
    dfl_mechanism *m = user;
    const double *v = x + m->eom.nl, *p = v + m->eom.nv;
    if (m->force) {
        dfl_mechanism_arrive(m, t, p, v);
    } else {
        if (m->drive)
            m->drive(m->tree, t, m->user);
        dfl_tree_place(m->tree, p);
    }
    const int result = dfl_mechanism_forces(m->tau, m, t, p, v);
    dfl_tree_inverse(y, m->tree, v, a, NULL);
    for (int i = 0; i < m->eom.nv; i++)
        y[i] -= m->tau[i];
    return result;
}

static int mass(double *M, double t, const double *x, void *user)
{
    dfl_mechanism *m = user;
    if (m->drive)
        m->drive(m->tree, t, m->user);
    dfl_tree_place(m->tree, x + m->eom.nl + m->eom.nv);
    dfl_tree_mass(M, m->eom.nv, m->tree);
    return 0;
}

/* ------------------------------------------------------------------ names */

static void fill_names(dfl_mechanism *m)
{
    const dfl_eom *eom = &m->eom;
    for (int v = 0; v < eom->nv; v++) {
        const int joint = dfl_tree_joint_of(m->tree, v), first = dfl_tree_joint_v(m->tree, joint);
        const bool alone =
            (v + 1 == eom->nv || dfl_tree_joint_of(m->tree, v + 1) != joint) && v == first;
        const char *label = dfl_tree_joint_name(m->tree, joint);
        if (alone)
            snprintf(m->name_v[v], NAME_LENGTH, "der(%.40s.q)", label);
        else
            snprintf(m->name_v[v], NAME_LENGTH, "der(%.40s.q%d)", label, v - first + 1);
        const int p = dfl_tree_joint_p(m->tree, joint);
        int end = eom->np;
        for (int k = v; k < eom->nv && end == eom->np; k++)
            if (dfl_tree_joint_of(m->tree, k) != joint)
                end = dfl_tree_joint_p(m->tree, dfl_tree_joint_of(m->tree, k));
        for (int k = p; k < end && v == first; k++)
            if (alone)
                snprintf(m->name_p[k], NAME_LENGTH, "%.40s.q", label);
            else
                snprintf(m->name_p[k], NAME_LENGTH, "%.40s.q%d", label, k - p + 1);
    }
    for (int row = 0, within; row < eom->nl; row++) {
        const char *label = dfl_loops_name(m->loops, row, &within);
        snprintf(m->name_row[row], NAME_LENGTH, "%.40s[%d]", label, within + 1);
    }
}

static const char *name(dfl_kind kind, int index, void *user)
{
    const dfl_mechanism *m = user;
    switch (kind) {
    case DFL_KIND_P:
    case DFL_ROW_KIN:
        return m->name_p[index];
    case DFL_KIND_V:
    case DFL_ROW_F:
        return m->name_v[index];
    case DFL_KIND_LAMBDA:
    case DFL_ROW_G:
    case DFL_ROW_GI:
    case DFL_ROW_GII:
        return m->name_row[index];
    default:
        return NULL;
    }
}
