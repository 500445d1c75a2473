/* multibody_lanes.c: inverse and forward dynamics of several states at once. */
#include "multibody/multibody_internal.h"

#include "multibody/tree_internal.h"

#include <string.h>

enum { LANES = DFL_MULTIBODY_LANES };

struct dfl_multibody_lanes {
    dfl_multibody *multibody;
    dfl_tree_lanes *lanes;
    double t, *p, *v, *tau; /* of all states */
};

static dfl_status check_masses(dfl_multibody_lanes *lanes);
static void spring_forces(double *tau, const dfl_multibody_lanes *lanes);

dfl_status dfl_multibody_lanes_create(dfl_multibody_lanes **out, dfl_multibody *m)
{
    const size_t np = LANES * (size_t)m->eom.np, nv = LANES * (size_t)m->eom.nv;
    *out = NULL;
    if (m->call.force)
        return dfl_fail(m->ctx, DFL_INVALID,
                        "the mechanism has a force callback, which handles one state at a time; "
                        "evaluate several states one after another");
    dfl_multibody_lanes *lanes = dfl_alloc(m->ctx, 1, sizeof *lanes);
    if (!lanes)
        return DFL_NO_MEMORY;
    lanes->multibody = m;
    lanes->p = dfl_alloc(m->ctx, np, sizeof(double));
    lanes->v = dfl_alloc(m->ctx, nv, sizeof(double));
    lanes->tau = dfl_alloc(m->ctx, nv, sizeof(double));
    dfl_status status = lanes->p && lanes->v && lanes->tau
                            ? dfl_tree_lanes_create(&lanes->lanes, m->ctx, m->tree)
                            : DFL_NO_MEMORY;
    if (status) {
        dfl_multibody_lanes_free(lanes);
        return status;
    }
    *out = lanes;
    return DFL_OK;
}

void dfl_multibody_lanes_free(dfl_multibody_lanes *lanes)
{
    if (!lanes)
        return;
    dfl_context *ctx = lanes->multibody->ctx;
    dfl_tree_lanes_free(lanes->lanes);
    dfl_free(ctx, lanes->p);
    dfl_free(ctx, lanes->v);
    dfl_free(ctx, lanes->tau);
    dfl_free(ctx, lanes);
}

dfl_status dfl_multibody_lanes_move(dfl_multibody_lanes *lanes, double t, const double *p,
                                    const double *v)
{
    dfl_multibody *m = lanes->multibody;
    dfl_status status = dfl_multibody_ready(m);
    if (!status)
        status = dfl_multibody_check_turns(m, p, LANES);
    if (!status)
        status = dfl_multibody_called(m, dfl_multibody_drive(m->motion, m, t), t);
    if (status)
        return status;
    lanes->t = t;
    memcpy(lanes->p, p, LANES * (size_t)m->eom.np * sizeof *p);
    if (v)
        memcpy(lanes->v, v, LANES * (size_t)m->eom.nv * sizeof *v);
    else
        memset(lanes->v, 0, LANES * (size_t)m->eom.nv * sizeof *v);
    dfl_tree_lanes_place(lanes->lanes, p, m->motion);
    return DFL_OK;
}

dfl_status dfl_multibody_lanes_inverse(double *tau, dfl_multibody_lanes *lanes, const double *a)
{
    const dfl_multibody *m = lanes->multibody;
    dfl_tree_lanes_inverse(tau, lanes->lanes, lanes->v, a);
    if (m->nsprings > 0) {
        memset(lanes->tau, 0, LANES * (size_t)m->eom.nv * sizeof *lanes->tau);
        spring_forces(lanes->tau, lanes);
        for (int i = 0; i < LANES * m->eom.nv; i++)
            tau[i] -= lanes->tau[i];
    }
    return DFL_OK;
}

dfl_status dfl_multibody_lanes_forward(double *a, dfl_multibody_lanes *lanes, const double *tau)
{
    const dfl_multibody *m = lanes->multibody;
    const size_t size = LANES * (size_t)m->eom.nv * sizeof *tau;
    if (m->eom.nl > 0)
        return dfl_fail(m->ctx, DFL_INVALID,
                        "the mechanism has %d rows of loops or couplings; use "
                        "dfl_multibody_forward for one state after another",
                        m->eom.nl);
    if (m->eom.n0 > 0)
        return dfl_multibody_massless(m);
    if (m->nsprings > 0 || !tau) {
        if (tau)
            memcpy(lanes->tau, tau, size);
        else
            memset(lanes->tau, 0, size);
        spring_forces(lanes->tau, lanes);
        tau = lanes->tau;
    }
    if (dfl_tree_lanes_forward(a, NULL, lanes->lanes, lanes->v, tau))
        return DFL_OK;
    return check_masses(lanes);
}

/* Looks at one state after the other with the tree of the mechanism, which returns to its own. */
static dfl_status check_masses(dfl_multibody_lanes *lanes)
{
    dfl_multibody *m = lanes->multibody;
    dfl_tree *tree = m->tree;
    const size_t size = 3 * (size_t)tree->ndrives * sizeof *tree->drive;
    dfl_status status = DFL_OK;
    memcpy(m->motion, tree->drive, size);
    memcpy(tree->drive, dfl_tree_lanes_drive(lanes->lanes), size);
    for (int k = 0; k < LANES && !status; k++) {
        for (int i = 0; i < m->eom.np; i++)
            tree->scratch[i] = lanes->p[LANES * i + k];
        dfl_tree_place(tree, tree->scratch);
        status = dfl_multibody_check_mass(m, lanes->t, k);
    }
    memcpy(tree->drive, m->motion, size);
    dfl_tree_place(tree, m->p);
    m->posed = m->moving = false;
    return status;
}

/* tau += the forces of springs */
static void spring_forces(double *tau, const dfl_multibody_lanes *lanes)
{
    const dfl_multibody *m = lanes->multibody;
    for (int i = 0; i < m->nsprings; i++) {
        const placed_spring *s = &m->spring[i];
        const double *p = lanes->p + LANES * s->p, *v = lanes->v + LANES * s->v;
        for (int k = 0; k < LANES; k++)
            tau[LANES * s->v + k] -= s->stiffness * (p[k] - s->rest) + s->damping * v[k];
    }
}
