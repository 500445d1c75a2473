/* multibody.c: a mechanism and its state.

   Poses and velocities are computed when something needs them: inverse and forward dynamics of a
   tree do not. Both overwrite the velocities of the tree. */
#include "multibody/multibody_internal.h"

#include "context/context.h"
#include "multibody/tree_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Rows of loops whose derivatives are below this part of the largest one are constant; a loop is
   closed if its rows are below this number of metres or radians. */
static const double constant_row = 1e-12, closed = 1e-9;

static dfl_status create_parts(dfl_multibody *m, const dfl_multibody_description *d);
static dfl_status place_springs(dfl_multibody *m, const dfl_multibody_description *d);
static dfl_status allocate(dfl_multibody *m);
static void free_matrices(dfl_multibody *m);
static dfl_status check_loops(dfl_multibody *m);
static dfl_status check_rows(dfl_multibody *m, unsigned char *movable);
static dfl_status start(dfl_multibody *m, const double *p0);

dfl_status dfl_multibody_create(dfl_multibody **out, dfl_context *ctx,
                                const dfl_multibody_description *d)
{
    *out = NULL;
    dfl_multibody *m = dfl_alloc(ctx, 1, sizeof *m);
    if (!m)
        return DFL_NO_MEMORY;
    m->ctx = ctx;
    m->call = (callbacks){d->force, d->slopes, d->drive, d->user};
    const dfl_status status = create_parts(m, d);
    if (status) {
        dfl_multibody_free(m);
        return status;
    }
    *out = m;
    return DFL_OK;
}

static dfl_status create_parts(dfl_multibody *m, const dfl_multibody_description *d)
{
    dfl_status status = dfl_tree_create(&m->tree, m->ctx, d);
    if (!status && dfl_tree_ndrives(m->tree) > 0 && !m->call.drive)
        status = dfl_fail(m->ctx, DFL_INVALID,
                          "joints are driven, but nothing prescribes their motion; give `drive`");
    if (!status)
        status = dfl_loops_create(&m->loops, m->ctx, m->tree, d->nloops, d->loops, d->ncouplings,
                                  d->couplings);
    if (!status)
        status = place_springs(m, d);
    if (!status)
        status = allocate(m);
    if (status)
        return status;
    dfl_multibody_fill_eom(m);
    status = start(m, d->p0);
    if (status)
        return status;
    m->ranks = dfl_tree_decide_ranks(m->tree, m->p);
    m->eom.n0 = m->ranks.n0;
    if (m->ranks.n0 > 0 || m->eom.nl > 0)
        status = dfl_multibody_need_matrices(m);
    if (!status && m->eom.nl > 0)
        status = check_loops(m);
    return status ? status : dfl_multibody_find_held(m);
}

/* Moves to p0 at t = 0. */
static dfl_status start(dfl_multibody *m, const double *p0)
{
    if (p0)
        memcpy(m->p, p0, (size_t)m->eom.np * sizeof *m->p);
    else
        dfl_tree_reference(m->p, m->tree);
    for (int i = 0; i < m->eom.np; i++)
        if (!isfinite(m->p[i]))
            return dfl_fail(m->ctx, DFL_INVALID, "p0[%d] is not finite", i);
    dfl_status status = dfl_multibody_check_turns(m, m->p, 1);
    if (!status)
        status = dfl_multibody_called(m, dfl_multibody_place(m, 0.0, m->p, NULL), 0.0);
    for (int i = 0; i < 3 * m->tree->ndrives && !status; i++)
        if (!isfinite(m->tree->drive[i]))
            status = dfl_fail(m->ctx, DFL_CALLBACK,
                              "the callback `drive` wrote a number that is not finite at t = 0");
    return status;
}

void dfl_multibody_free(dfl_multibody *m)
{
    if (!m)
        return;
    dfl_context *ctx = m->ctx;
    void *blocks[] = {m->spring,   m->tau,       m->a,           m->gam,     m->p,
                      m->v,        m->held.row,  m->held.mu,     m->names.p, m->names.v,
                      m->held.gam, m->names.row, m->held.column, m->motion};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(ctx, blocks[i]);
    free_matrices(m);
    dfl_multibody_free_solver(m);
    dfl_factor_free(m->held.factor, ctx);
    dfl_loops_free(m->loops);
    dfl_tree_free(m->tree);
    dfl_free(ctx, m);
}

static dfl_status place_springs(dfl_multibody *m, const dfl_multibody_description *d)
{
    const dfl_tree *tree = m->tree;
    m->spring = dfl_alloc(m->ctx, (size_t)d->nsprings, sizeof *m->spring);
    if (!m->spring)
        return DFL_NO_MEMORY;
    m->nsprings = d->nsprings;
    for (int i = 0; i < d->nsprings; i++) {
        const dfl_joint_spring *s = &d->springs[i];
        int v;
        const dfl_status status = dfl_tree_find_motion(&v, tree, dfl_label("spring", NULL, i).text,
                                                       s->joint, s->component);
        if (status)
            return status;
        if (!isfinite(s->stiffness) || !isfinite(s->damping) || !isfinite(s->rest))
            return dfl_fail(m->ctx, DFL_INVALID,
                            "spring %d: stiffness, damping and rest must be finite", i);
        m->spring[i] = (placed_spring){tree->joint.p[s->joint] + s->component, v, s->stiffness,
                                       s->damping, s->rest};
    }
    return DFL_OK;
}

static dfl_status allocate(dfl_multibody *m)
{
    const size_t nv = (size_t)m->tree->nv, np = (size_t)m->tree->np, d = sizeof(double);
    m->tau = dfl_alloc(m->ctx, nv, d);
    m->a = dfl_alloc(m->ctx, nv, d);
    m->gam = dfl_alloc(m->ctx, nv, d);
    m->p = dfl_alloc(m->ctx, np, d);
    m->v = dfl_alloc(m->ctx, nv, d);
    m->motion = dfl_alloc(m->ctx, 3 * (size_t)m->tree->ndrives, d);
    return m->tau && m->a && m->gam && m->p && m->v && m->motion ? DFL_OK : DFL_NO_MEMORY;
}

dfl_status dfl_multibody_need_matrices(dfl_multibody *m)
{
    dfl_context *ctx = m->ctx;
    matrices *mat = &m->mat;
    const size_t nv = (size_t)m->eom.nv, np = (size_t)m->eom.np, rows = (size_t)m->eom.nl;
    const size_t n0 = (size_t)m->ranks.n0, d = sizeof(double);
    if (m->derivatives)
        return DFL_OK;
    mat->K0 = dfl_alloc(ctx, nv * n0, d);
    mat->Tq = dfl_alloc(ctx, nv * nv, d);
    mat->Tv = dfl_alloc(ctx, nv * nv, d);
    mat->M = dfl_alloc(ctx, nv * nv, d);
    mat->Y = dfl_alloc(ctx, (nv + 4) * (np + nv), d);
    mat->W = dfl_alloc(ctx, rows * nv, d);
    mat->B = dfl_alloc(ctx, rows * n0, d);
    mat->G = dfl_alloc(ctx, 3 * rows * nv, d);
    mat->g = dfl_alloc(ctx, rows, d);
    dfl_status status =
        mat->K0 && mat->Tq && mat->Tv && mat->M && mat->Y && mat->W && mat->B && mat->G && mat->g
            ? DFL_OK
            : DFL_NO_MEMORY;
    if (!status)
        status = dfl_tree_derivatives_create(&m->derivatives, ctx, m->tree);
    if (status)
        free_matrices(m);
    return status;
}

static void free_matrices(dfl_multibody *m)
{
    matrices *mat = &m->mat;
    void *blocks[] = {mat->K0, mat->Tq, mat->Tv, mat->M, mat->Y, mat->W, mat->B, mat->G, mat->g};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        dfl_free(m->ctx, blocks[i]);
    *mat = (matrices){0};
    dfl_tree_derivatives_free(m->derivatives);
    m->derivatives = NULL;
}

/* ------------------------------------------------------------------ loops that cannot be closed */

/* A row that is constant at the start and elsewhere holds either always or never. */
static dfl_status check_loops(dfl_multibody *m)
{
    const int np = m->eom.np;
    double *start = m->mat.Y;
    unsigned char *movable = dfl_alloc(m->ctx, (size_t)m->eom.nl, 1);
    if (!movable)
        return DFL_NO_MEMORY;
    memcpy(start, m->p, (size_t)np * sizeof *start);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < np; i++)
            m->p[i] = start[i] + 0.37 * k * dfl_generic(k, i); /* at no special place */
        dfl_multibody_place(m, 0.0, m->p, NULL);
        dfl_multibody_pose(m);
        dfl_loops_directions(m->mat.W, m->eom.nl, m->loops);
        double largest = 0.0;
        for (int i = 0; i < m->eom.nl * m->eom.nv; i++)
            largest = fmax(largest, fabs(m->mat.W[i]));
        for (int i = 0; i < m->eom.nl * m->eom.nv; i++)
            if (fabs(m->mat.W[i]) > constant_row * largest)
                movable[i % m->eom.nl] = 1;
    }
    memcpy(m->p, start, (size_t)np * sizeof *start);
    dfl_multibody_place(m, 0.0, m->p, NULL);
    const dfl_status status = check_rows(m, movable);
    dfl_free(m->ctx, movable);
    return status;
}

static dfl_status check_rows(dfl_multibody *m, unsigned char *movable)
{
    dfl_multibody_pose(m);
    dfl_loops_position(m->mat.g, m->loops, m->p);
    for (int row = 0, within; row < m->eom.nl; row++)
        if (!movable[row] && !(fabs(m->mat.g[row]) <= closed)) {
            const part_label label = dfl_loops_label(m->loops, row, &within);
            if (dfl_loops_is_coupling(m->loops, row))
                return dfl_fail(m->ctx, DFL_INVALID,
                                "%s can never hold: no joint changes it, and its sum is %g instead "
                                "of 0; check factors and offset",
                                label.text, m->mat.g[row]);
            return dfl_fail(m->ctx, DFL_INVALID,
                            "%s can never be closed: no joint changes its row %d, by which its "
                            "bodies are %g apart; check points and axes, or give the loop another "
                            "kind of joint",
                            label.text, within + 1, m->mat.g[row]);
        }
    return DFL_OK;
}

/* ------------------------------------------------------------------ sizes */

dfl_multibody_sizes dfl_multibody_sizes_of(const dfl_multibody *m)
{
    return (dfl_multibody_sizes){.np = m->eom.np,
                                 .nv = m->eom.nv,
                                 .nl = m->eom.nl,
                                 .ndrives = m->tree->ndrives,
                                 .nquaternions = m->eom.nep,
                                 .n0 = m->eom.n0};
}

int dfl_multibody_joint_p(const dfl_multibody *m, int joint)
{
    return joint >= 0 && joint < m->tree->njoints ? m->tree->joint.p[joint] : -1;
}

int dfl_multibody_joint_v(const dfl_multibody *m, int joint)
{
    return joint >= 0 && joint < m->tree->njoints ? m->tree->joint.v[joint] : -1;
}

void dfl_multibody_reference(double *p, const dfl_multibody *m)
{
    dfl_tree_reference(p, m->tree);
}

/* ------------------------------------------------------------------ the state */

dfl_status dfl_multibody_move(dfl_multibody *m, double t, const double *p, const double *v)
{
    dfl_status status = dfl_multibody_ready(m);
    if (!status)
        status = dfl_multibody_check_turns(m, p, 1);
    return status ? status : dfl_multibody_called(m, dfl_multibody_place(m, t, p, v), t);
}

int dfl_multibody_place(dfl_multibody *m, double t, const double *p, const double *v)
{
    const int result = dfl_multibody_drive(m->motion, m, t);
    if (result)
        return result;
    memcpy(m->tree->drive, m->motion, 3 * (size_t)m->tree->ndrives * sizeof *m->motion);
    m->t = t;
    if (p != m->p)
        memcpy(m->p, p, (size_t)m->tree->np * sizeof *p);
    if (!v)
        memset(m->v, 0, (size_t)m->tree->nv * sizeof *m->v);
    else if (v != m->v)
        memcpy(m->v, v, (size_t)m->tree->nv * sizeof *v);
    dfl_tree_place(m->tree, m->p);
    m->posed = m->moving = false;
    return 0;
}

int dfl_multibody_drive(double *motion, dfl_multibody *m, double t)
{
    if (m->tree->ndrives == 0)
        return 0;
    m->busy = true;
    const int result = m->call.drive(motion, t, m->call.user);
    m->busy = false;
    /* what is not finite is named in messages of the solver */
    const bool finite = result || dfl_all_finite(motion, 3 * m->tree->ndrives);
    dfl_multibody_note(m, result || !finite, "the callback `drive`");
    return result;
}

dfl_status dfl_multibody_check_turns(dfl_multibody *m, const double *p, int stride)
{
    for (int i = 0; i < m->eom.nep; i++) {
        const int first = dfl_tree_quaternion(m->tree, i);
        for (int lane = 0; lane < stride; lane++) {
            double square = 0.0; /* R(e) divides by it; NaN is passed on */
            for (int k = 0; k < 4; k++)
                square += pow(p[(first + k) * stride + lane], 2);
            if (!(square < DBL_MIN || square == INFINITY))
                continue;
            int joint = m->tree->njoints - 1;
            while (m->tree->joint.p[joint] < 0 || m->tree->joint.p[joint] > first)
                joint--;
            return dfl_fail(
                m->ctx, DFL_INVALID,
                "%s: its quaternion has length %g, and so no direction; (1, 0, 0, 0) is "
                "that of the drawing",
                dfl_joint_label(m->tree, joint).text, sqrt(square));
        }
    }
    return DFL_OK;
}

void dfl_multibody_pose(dfl_multibody *m)
{
    if (!m->posed)
        dfl_tree_poses(m->tree);
    m->posed = true;
}

void dfl_multibody_arrive(dfl_multibody *m)
{
    dfl_multibody_pose(m);
    if (!m->moving)
        dfl_tree_velocities(m->tree, m->v);
    m->moving = true;
}

int dfl_multibody_forces(double *tau, dfl_multibody *m)
{
    memset(tau, 0, (size_t)m->eom.nv * sizeof *tau);
    for (int i = 0; i < m->nsprings; i++) {
        const placed_spring *s = &m->spring[i];
        tau[s->v] -= s->stiffness * (m->p[s->p] - s->rest) + s->damping * m->v[s->v];
    }
    if (!m->call.force)
        return 0;
    dfl_multibody_arrive(m);
    m->busy = true;
    const int result = m->call.force(tau, m, m->t, m->p, m->v, m->call.user);
    m->busy = false;
    return dfl_multibody_note(m, result, "the callback `force`");
}

int dfl_multibody_note(dfl_multibody *m, int result, const char *callback)
{
    if (result)
        m->eom.failed = callback;
    return result;
}

dfl_status dfl_multibody_called(dfl_multibody *m, int result, double t)
{
    if (!result)
        return DFL_OK;
    return dfl_fail(m->ctx, DFL_CALLBACK, "%s returned %d at t = %g", m->eom.failed, result, t);
}

dfl_status dfl_multibody_ready(dfl_multibody *m)
{
    if (!m->busy)
        return DFL_OK;
    return dfl_fail(m->ctx, DFL_INVALID,
                    "a callback of the mechanism moves or evaluates it; inside callbacks ask only "
                    "for frames, their motions, Jacobians and pushes");
}

void dfl_multibody_rates(double *pd, const dfl_multibody *m)
{
    dfl_tree_kinematics(pd, m->tree, m->p, m->v);
}

void dfl_multibody_loops(const dfl_loop_rows *out, dfl_multibody *m)
{
    dfl_multibody_pose(m);
    if (out->g)
        dfl_loops_position(out->g, m->loops, m->p);
    if (out->W)
        dfl_loops_directions(out->W, m->eom.nl, m->loops);
    if (out->gI || out->bias)
        dfl_multibody_arrive(m);
    if (out->gI)
        dfl_loops_velocity(out->gI, m->loops, m->v);
    if (out->bias)
        dfl_loops_bias(out->bias, m->loops);
}

/* ------------------------------------------------------------------ frames */

dfl_status dfl_multibody_frame(dfl_frame *out, const dfl_multibody *m, int body, const double *at,
                               const double *axis, const double *axis2)
{
    static const double origin[3] = {0};
    if (body < DFL_GROUND || body >= m->tree->nbodies)
        return dfl_fail(m->ctx, DFL_INVALID, "a frame of body %d: there are %d bodies", body,
                        m->tree->nbodies);
    *out = dfl_tree_frame(m->tree, body, at ? at : origin, axis, axis2);
    return DFL_OK;
}

dfl_motion dfl_multibody_motion(dfl_multibody *m, const dfl_frame *frame)
{
    dfl_multibody_arrive(m);
    return dfl_frame_motion(m->tree, frame);
}

void dfl_multibody_jacobian(double *J, dfl_multibody *m, const dfl_frame *frame)
{
    double R[9], r[3], S[6];
    const dfl_node *node = m->tree->node;
    dfl_multibody_pose(m);
    dfl_frame_pose(R, r, m->tree, frame);
    memset(J, 0, 6 * (size_t)m->eom.nv * sizeof *J);
    for (int i = frame->node; i > 0; i = node[i].parent)
        for (int k = 0; k < node[i].dofs; k++) {
            dfl_tree_axis(S, m->tree, i, k, r);
            memcpy(J + 6L * (node[i].v + k), S, sizeof S);
        }
}

void dfl_multibody_push(double *tau, dfl_multibody *m, const dfl_frame *frame, const double *force,
                        const double *torque)
{
    static const double none[3] = {0};
    double R[9], r[3];
    dfl_multibody_pose(m);
    dfl_frame_pose(R, r, m->tree, frame);
    dfl_tree_project(tau, 1, m->tree, frame->node, r, torque ? torque : none, force ? force : none);
}
