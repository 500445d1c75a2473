/* tree_description.h: the models and states of tree_models.h for driftless/multibody.h. */
#ifndef TREE_DESCRIPTION_H
#define TREE_DESCRIPTION_H

#include "tree_models.h"

#include <driftless/driftless.h>

/* In the drawing all frames are parallel, so that positions add up. */
static inline void tree_describe(dfl_rigid_body *bodies, dfl_joint *joints, const tree_body *models,
                                 int n)
{
    for (int i = 0; i < n; i++) {
        const tree_body *b = &models[i];
        dfl_joint *j = &joints[i];
        j->kind = b->axis == TREE_FREE_AXIS ? DFL_JOINT_FREE : DFL_JOINT_REVOLUTE;
        j->parent = b->parent;
        j->child = i;
        if (b->axis < 3)
            j->axis[b->axis] = 1;
        bodies[i].mass = b->m;
        memcpy(bodies[i].inertia, b->I, sizeof b->I);
        for (int k = 0; k < 3; k++) {
            j->at[k] = (b->parent < 0 ? 0.0 : joints[b->parent].at[k]) + b->t[k];
            bodies[i].com[k] = j->at[k] + b->c[k];
        }
    }
}

/* State number k: coordinates p, velocities v and torques tau (without those of a free base). */
static inline void tree_describe_state(double *p, double *v, double *tau, int shape, int nv, int k)
{
    const int free_p = shape == TREE_LEGS ? 7 : 0, free_v = shape == TREE_LEGS ? 6 : 0;
    tree_base base;
    tree_state(&base, p + free_p, v + free_v, tau + free_v, nv - free_v, k);
    if (free_p) {
        memcpy(p, base.pos, sizeof base.pos);
        memcpy(p + 3, base.quat, sizeof base.quat);
        tree_to_base(v, &base, base.w);
        tree_to_base(v + 3, &base, base.v);
    }
}

#endif
