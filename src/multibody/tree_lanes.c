/* tree_lanes.c: passes.h for vectors of four doubles. */
#include "multibody/multibody_internal.h"

#include <math.h>
#include <string.h>

/* Needs no alignment and may alias other doubles. */
typedef double lane_vector
    __attribute__((vector_size(DFL_MULTIBODY_LANES * sizeof(double)), aligned(8), may_alias));

#define DFL_REAL lane_vector
#define DFL_SINE_COSINE
#include "multibody/spatial.h"

KERNEL void sine_cosine(real *s, real *c, real q)
{
    for (int k = 0; k < DFL_MULTIBODY_LANES; k++) {
        (*s)[k] = sin(q[k]);
        (*c)[k] = cos(q[k]);
    }
}

KERNEL bool all_above(real x, double least)
{
    const __typeof__(x > x) above = x > least;
    return above[0] & above[1] & above[2] & above[3];
}

#include "multibody/passes.h"

struct dfl_tree_lanes {
    dfl_context *ctx;
    const dfl_tree *tree;
    double *drive; /* 3 per driven joint */
    node_state *state;
    node_fold *fold;
};

dfl_status dfl_tree_lanes_create(dfl_tree_lanes **out, dfl_context *ctx, const dfl_tree *tree)
{
    const tree_view view = dfl_tree_view(tree);
    *out = NULL;
    dfl_tree_lanes *lanes = dfl_alloc(ctx, 1, sizeof *lanes);
    if (!lanes)
        return DFL_NO_MEMORY;
    lanes->ctx = ctx;
    lanes->tree = tree;
    lanes->drive = dfl_alloc(ctx, 3 * (size_t)dfl_tree_ndrives(tree), sizeof *lanes->drive);
    lanes->state = dfl_alloc(ctx, (size_t)view.nnodes, sizeof *lanes->state);
    lanes->fold = dfl_alloc(ctx, (size_t)view.nslots, sizeof *lanes->fold);
    if (!lanes->drive || !lanes->state || !lanes->fold) {
        dfl_tree_lanes_free(lanes);
        return DFL_NO_MEMORY;
    }
    for (int i = 0; i < view.nnodes; i++) { /* the parts of E and r that stay */
        for (int k = 0; k < 9; k++)
            lanes->state[i].E[k] = (real){0} + view.rest[i].E[k];
        for (int k = 0; k < 3; k++)
            lanes->state[i].r[k] = (real){0} + view.rest[i].r[k];
    }
    *out = lanes;
    return DFL_OK;
}

void dfl_tree_lanes_free(dfl_tree_lanes *lanes)
{
    if (!lanes)
        return;
    dfl_free(lanes->ctx, lanes->drive);
    dfl_free(lanes->ctx, lanes->state);
    dfl_free(lanes->ctx, lanes->fold);
    dfl_free(lanes->ctx, lanes);
}

const double *dfl_tree_lanes_drive(const dfl_tree_lanes *lanes)
{
    return lanes->drive;
}

WIDE void dfl_tree_lanes_place(dfl_tree_lanes *lanes, const double *p, const double *drive)
{
    const tree_view view = dfl_tree_view(lanes->tree);
    memcpy(lanes->drive, drive, 3 * (size_t)dfl_tree_ndrives(lanes->tree) * sizeof *drive);
    for (int i = 1; i < view.nnodes; i++)
        place_node(&lanes->state[i], &view.node[i], &view.rest[i], (const real *)p, drive);
}

/* The ground is accelerated upwards. */
KERNEL void start_ground(node_state *ground, const double *gravity)
{
    memset(ground->v, 0, sizeof ground->v);
    memset(ground->a, 0, sizeof ground->a);
    for (int k = 0; k < 3; k++)
        ground->a[3 + k] = (real){0} - gravity[k];
}

WIDE void dfl_tree_lanes_inverse(double *tau, dfl_tree_lanes *lanes, const double *v,
                                 const double *a)
{
    const tree_view view = dfl_tree_view(lanes->tree);
    const pass_input in = {(const real *)v, (const real *)a, lanes->drive};
    start_ground(lanes->state, view.gravity);
    inverse_passes((real *)tau, lanes->state, &view, &in);
}

WIDE bool dfl_tree_lanes_forward(double *a, double *gam, dfl_tree_lanes *lanes, const double *v,
                                 const double *tau)
{
    const tree_view view = dfl_tree_view(lanes->tree);
    const pass_input in = {(const real *)v, (const real *)tau, lanes->drive};
    start_ground(lanes->state, view.gravity);
    return forward_passes((real *)a, (real *)gam, lanes->state, lanes->fold, &view, &in);
}
