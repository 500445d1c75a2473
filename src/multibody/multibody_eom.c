/* multibody_eom.c: a mechanism as equations of motion: blocks, masses, names. */
#include "multibody/multibody_internal.h"

#include "multibody/tree_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void fill_names(dfl_multibody *m);
static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user);
static void eval_rows(dfl_blocks *out, dfl_multibody *m, unsigned need);
static int eval_forces(dfl_blocks *out, dfl_multibody *m, unsigned need);
static int forces(dfl_multibody *m);
static bool by_residual(const dfl_eom *eom);
static int residual(double *y, double t, const double *x, const double *a, void *user);
static int mass(double *M, double t, const double *x, void *user);
static const char *name(dfl_kind kind, int index, void *user);
static int side(double *value, double t, const double *x, void *user);

void dfl_multibody_fill_eom(dfl_multibody *m)
{
    dfl_eom *eom = &m->eom;
    eom->np = dfl_tree_np(m->tree);
    eom->nv = dfl_tree_nv(m->tree);
    eom->nl = dfl_loops_rows(m->loops);
    eom->nep = dfl_tree_nquaternions(m->tree);
    eom->n0 = m->ranks.n0;
    eom->eval = eval;
    eom->residual = by_residual(eom) ? residual : NULL;
    eom->mass = mass;
    eom->name = name;
    eom->user = m;
    eom->jacobian = dfl_multibody_eom_jacobian;
    eom->trivial_kinematics = eom->nep == 0;
    eom->autonomous = !m->call.force && dfl_tree_ndrives(m->tree) == 0;
    eom->forces_free_of_multipliers = true;
    m->side_name = m->mirrored;
    m->structure = (dfl_structure){.nsides = 1, .side = side, .side_names = &m->side_name};
    eom->structure = dfl_loops_rows(m->loops) > 0 ? &m->structure : NULL;
}

/* Whether the dynamics are M a - f by one recursion. It is faster, but one M then serves all stages
   of a step, and in long chains, whose M changes much, steps become short: a chain of 100 slender
   bodies takes 149 steps instead of 10. Where loops hold most velocities, steps do not change, and
   forty four-bars in a row take two thirds of the time (bench_tree_runs, bench_loops). */
static bool by_residual(const dfl_eom *eom)
{
    return 2 * eom->nl >= eom->nv && eom->nl > 0;
}

dfl_status dfl_multibody_eom(const dfl_eom **out, dfl_multibody *m)
{
    *out = NULL;
    dfl_status status = dfl_multibody_need_matrices(m);
    if (!status)
        status = dfl_multibody_need_names(m);
    if (status)
        return status;
    *out = &m->eom;
    return DFL_OK;
}

/* ------------------------------------------------------------------ blocks */

static int eval(dfl_blocks *out, double t, const double *x, unsigned need, void *user)
{
    dfl_multibody *m = user;
    const dfl_eom *eom = &m->eom;
    const double *v = x + eom->nl, *p = v + eom->nv;
    m->eom.failed = NULL;
    const int result = dfl_multibody_place(m, t, p, v);
    if (result)
        return result;
    dfl_multibody_arrive(m);
    if (need & DFL_KINEMATICS)
        dfl_tree_kinematics(out->kin, m->tree, p, v);
    eval_rows(out, m, need);
    return eval_forces(out, m, need);
}

static void eval_rows(dfl_blocks *out, dfl_multibody *m, unsigned need)
{
    if (need & DFL_POSITION) {
        dfl_loops_position(out->g, m->loops, m->p);
        for (int i = 0; i < m->eom.nep; i++) {
            const double *e = m->p + dfl_tree_quaternion(m->tree, i);
            out->ep[i] = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3] - 1.0;
        }
    }
    if (need & DFL_VELOCITY)
        dfl_loops_velocity(out->gI, m->loops, m->v);
    if (need & DFL_BIAS)
        dfl_loops_bias(out->bias, m->loops);
    if (need & DFL_DIRECTIONS)
        dfl_loops_directions(out->W, m->eom.nl, m->loops);
}

/* gam and K0 of massless directions; f = tau - C. */
static int eval_forces(dfl_blocks *out, dfl_multibody *m, unsigned need)
{
    const int nv = m->eom.nv;
    const bool massless = m->eom.n0 > 0 && need & (DFL_VELOCITY | DFL_DIRECTIONS);
    if (!massless && !(need & DFL_FORCE))
        return 0;
    const int result = forces(m);
    if (result)
        return result;
    if (massless) {
        dfl_multibody_directions(m, m->tau);
        dfl_multibody_reduce(out->K0, out->gam, m);
    }
    if (!(need & DFL_FORCE))
        return 0;
    memset(m->a, 0, (size_t)nv * sizeof *m->a);
    dfl_tree_inverse(out->f, m->tree, m->v, m->a);
    m->moving = false;
    for (int i = 0; i < nv; i++)
        out->f[i] = m->tau[i] - out->f[i];
    return 0;
}

/* m->tau = all applied forces; a callback that writes NaN is named in messages. */
static int forces(dfl_multibody *m)
{
    const int result = dfl_multibody_forces(m->tau, m);
    for (int i = 0; i < m->eom.nv && m->call.force && !result && !m->eom.failed; i++)
        if (!isfinite(m->tau[i]))
            m->eom.failed = "the callback `force`";
    return result;
}

static int residual(double *y, double t, const double *x, const double *a, void *user)
{
    dfl_multibody *m = user;
    const double *v = x + m->eom.nl, *p = v + m->eom.nv;
    int result = dfl_multibody_place(m, t, p, v);
    if (!result)
        result = forces(m);
    if (result)
        return result;
    dfl_tree_inverse(y, m->tree, v, a);
    m->moving = false;
    for (int i = 0; i < m->eom.nv; i++)
        y[i] -= m->tau[i];
    return 0;
}

static int mass(double *M, double t, const double *x, void *user)
{
    dfl_multibody *m = user;
    const double *v = x + m->eom.nl, *p = v + m->eom.nv;
    const int result = dfl_multibody_place(m, t, p, v);
    if (!result)
        dfl_multibody_mass(M, m);
    return result;
}

/* Loops as they are drawn, not mirrored; m->mirrored names the one that is closest to that. */
static int side(double *value, double t, const double *x, void *user)
{
    dfl_multibody *m = user;
    const double *v = x + m->eom.nl;
    int row, within;
    const int result = dfl_multibody_place(m, t, v + m->eom.nv, v);
    if (result)
        return result;
    dfl_multibody_pose(m);
    value[0] = dfl_loops_side(m->loops, &row);
    const part_label label = dfl_loops_label(m->loops, row, &within);
    snprintf(m->mirrored, sizeof m->mirrored, "%s", label.text);
    return 0;
}

/* ------------------------------------------------------------------ names */

dfl_status dfl_multibody_need_names(dfl_multibody *m)
{
    dfl_context *ctx = m->ctx;
    unknown_names *names = &m->names;
    if (names->row)
        return DFL_OK;
    dfl_free(ctx, names->p); /* of an attempt that failed */
    dfl_free(ctx, names->v);
    names->p = dfl_alloc(ctx, (size_t)m->eom.np, NAME_LENGTH);
    names->v = dfl_alloc(ctx, (size_t)m->eom.nv, NAME_LENGTH);
    names->row = dfl_alloc(ctx, (size_t)m->eom.nl, NAME_LENGTH);
    if (names->p && names->v && names->row) {
        fill_names(m);
        return DFL_OK;
    }
    dfl_free(ctx, names->row);
    names->row = NULL;
    return DFL_NO_MEMORY;
}

static void fill_names(dfl_multibody *m)
{
    const dfl_eom *eom = &m->eom;
    for (int v = 0; v < eom->nv; v++) {
        const int joint = dfl_tree_joint_of(m->tree, v), first = dfl_tree_joint_v(m->tree, joint);
        const bool alone =
            (v + 1 == eom->nv || dfl_tree_joint_of(m->tree, v + 1) != joint) && v == first;
        const part_label number = dfl_label("joint", NULL, joint);
        const char *own = m->tree->joint.name[joint], *label = own ? own : number.text;
        if (alone)
            snprintf(m->names.v[v], NAME_LENGTH, "der(%.40s.q)", label);
        else
            snprintf(m->names.v[v], NAME_LENGTH, "der(%.40s.q%d)", label, v - first + 1);
        const int p = dfl_tree_joint_p(m->tree, joint);
        int end = eom->np;
        for (int k = v; k < eom->nv && end == eom->np; k++)
            if (dfl_tree_joint_of(m->tree, k) != joint)
                end = dfl_tree_joint_p(m->tree, dfl_tree_joint_of(m->tree, k));
        for (int k = p; k < end && v == first; k++)
            if (alone)
                snprintf(m->names.p[k], NAME_LENGTH, "%.40s.q", label);
            else
                snprintf(m->names.p[k], NAME_LENGTH, "%.40s.q%d", label, k - p + 1);
    }
    for (int row = 0, within; row < eom->nl; row++) {
        const char *label = dfl_loops_name(m->loops, row, &within);
        snprintf(m->names.row[row], NAME_LENGTH, "%.40s[%d]", label, within + 1);
    }
}

static const char *name(dfl_kind kind, int index, void *user)
{
    const dfl_multibody *m = user;
    switch (kind) {
    case DFL_KIND_P:
    case DFL_ROW_KIN:
        return m->names.p[index];
    case DFL_KIND_V:
    case DFL_ROW_F:
        return m->names.v[index];
    case DFL_KIND_LAMBDA:
    case DFL_ROW_G:
    case DFL_ROW_GI:
    case DFL_ROW_GII:
        return m->names.row[index];
    default:
        return NULL;
    }
}
